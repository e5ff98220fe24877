"""What a statement has done by the time that an operation in it raises, on some paths, stays done.

The statement is staged again on the other paths: nothing of it that has an effect is done twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests import reference

PLACES = [(np.array([0.7, -0.4, 1.3]), 0.6), (np.array([-0.3, 0.9, 0.2]), 1.7)]


def weighed(log: list[Any]) -> Any:
    return sum(v * v * (k + 1) for k, v in enumerate(log))


def beyond(c: Any) -> int:
    """A place that three elements have, or have not."""
    return 2 if c > 1.0 else 3


class Noting:
    """A manager that swallows, or not, and notes when it is entered and left."""

    def __init__(self, log: list[Any], value: Any, swallows: bool = True) -> None:
        self.log, self.value, self.swallows = log, value, swallows

    def __enter__(self) -> Any:
        self.log.append(self.value)
        return self.value

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.log.append(self.value * 3.0 if kind is None else -self.value)
        return self.swallows


class Box:
    """Its attribute, its items and its truth are noted."""

    def __init__(self, log: list[Any], value: Any = 0.5) -> None:
        self.log, self.value = log, value
        self.items: dict[str, Any] = {}

    @property
    def held(self) -> Any:
        self.log.append(self.value)
        return self.value

    @held.setter
    def held(self, value: Any) -> None:
        self.log.append(value * 2.0)
        self.value = value

    def keys(self) -> list[str]:
        self.log.append(0.3)
        return ["a"]

    def __getitem__(self, key: str) -> Any:
        self.log.append(1.0)
        return self.items.get(key, self.value)

    def __setitem__(self, key: str, value: Any) -> None:
        self.log.append(value)
        self.items[key] = value

    def __delitem__(self, key: str) -> None:
        self.log.append(self.value)

    def __bool__(self) -> bool:
        self.log.append(self.value)
        return True

    def __str__(self) -> str:
        self.log.append(self.value)
        return "box"


def second_of_two_managers(x: Any, c: Any) -> Any:
    log: list[Any] = []
    with Noting(log, c) as a, Noting(log, x[beyond(c)]) as b:
        log.append(a * b)
    return weighed(log) + x[0]


def what_a_manager_gives_is_put_nowhere(x: Any, c: Any) -> Any:
    log: list[Any] = []
    y = x * 1.0
    try:
        with Noting(log, c, False) as y[beyond(c)]:
            log.append(y[2])
    except IndexError:
        log.append(x[0])
    return weighed(log)


def by_a_generator_manager(x: Any, c: Any) -> Any:
    log: list[Any] = []
    y = x * 1.0

    @contextlib.contextmanager
    def noting(value: Any) -> Iterator[Any]:
        log.append(value)
        try:
            yield value * c
        finally:
            log.append(-value)

    try:
        with noting(c) as t, noting(x[beyond(c)]) as y[1]:
            log.append(t)
    except IndexError:
        log.append(c)
    return weighed(log) + weighed(y)


def property_set_beside(x: Any, c: Any) -> Any:
    log: list[Any] = []
    box, y = Box(log), x * 1.0
    try:
        box.held, y[beyond(c)] = c, x[0]
        box.held = y[beyond(c)] = c * x[1]
    except IndexError:
        box.held = x[1]
    return weighed(log) + weighed(y)


def generator_taken_apart(x: Any, c: Any) -> Any:
    log: list[Any] = []
    y, (a, b, _) = x * 1.0, x

    def pair() -> Iterator[Any]:
        log.append(c)
        yield a
        log.append(b)
        yield b

    try:
        y[0], y[beyond(c)] = pair()
    except IndexError:
        log.append(x[2])
    return weighed(log) + weighed(y)


def generator_spread(x: Any, c: Any) -> Any:
    log: list[Any] = []
    a, b, _ = x

    def pair() -> Iterator[Any]:
        log.append(c)
        yield a
        log.append(b)
        yield b

    total = 0.0
    try:
        total = sum([*pair(), x[beyond(c)]])
        total += max(*pair(), x[beyond(c)])
    except IndexError:
        pass
    return weighed(log) + total


def item_updated(x: Any, c: Any) -> Any:
    log: list[Any] = []
    box, y = Box(log, c), x * 1.0
    try:
        box["a"] += y[beyond(c)]
        box.held *= y[beyond(c)]
    except IndexError:
        box["b"] = c
    return weighed(log)


def name_read_before_a_call_changes_it(x: Any, c: Any) -> Any:
    n = c

    def change() -> Any:
        nonlocal n
        n = x[0]
        return x[1]

    try:
        n += change() * x[beyond(c)]
    except IndexError:
        n *= 2.0
    return n * n


def deleted_beside(x: Any, c: Any) -> Any:
    log: list[Any] = []
    items = [x[0], c, x[1]]
    try:
        del Box(log, c)["a"], items[0], Box(log, x[beyond(c)])["b"]
    except IndexError:
        items.append(x[2])
    return weighed(log) + weighed(items)


def asked_for_keys(x: Any, c: Any) -> Any:
    log: list[Any] = []

    def product(a: Any, b: Any) -> Any:
        return a * b

    result = c
    try:
        result = product(**Box(log, c), b=x[beyond(c)])
        result += sum({**Box(log, c), "b": x[beyond(c)]}.values())
    except IndexError:
        pass
    return weighed(log) + result


def asked_by_a_pattern(x: Any, c: Any) -> Any:
    log: list[Any] = []
    result = c
    try:
        match Box(log, c):
            case Box(held=t) if x[beyond(c)] > -5.0:
                result = t * t
    except IndexError:
        pass
    return weighed(log) + result


def asked_for_truth_and_text(x: Any, c: Any) -> Any:
    log: list[Any] = []
    result = c
    try:
        result = len(f"{Box(log, c)}{len([x[beyond(c)]])}") * c
        result += (Box(log, c) and x[beyond(c)]) * x[beyond(c)]
        if Box(log, c) and x[beyond(c)] > -5.0:
            result += x[beyond(c)]
    except IndexError:
        pass
    return weighed(log) + result


def elements_updated(x: Any, c: Any) -> Any:
    """What is picked is a copy, which is multiplied before it is stored."""
    u = x.copy()
    try:
        u[[0, beyond(c)]] *= c
        u[[beyond(c), 1, 1]] += u[0]
    except IndexError:
        u[1] *= 3.0
    return weighed(u)


def elements_of_an_object_updated(x: Any, c: Any) -> Any:
    table = {"u": x.copy()}
    try:
        table["u"][[1, beyond(c)]] *= table["u"][beyond(c) - 2]
    finally:
        table["u"][0] *= 0.5
        return weighed(table["u"])  # noqa: B012


PROGRAMS = [
    elements_updated,
    elements_of_an_object_updated,
    second_of_two_managers,
    what_a_manager_gives_is_put_nowhere,
    by_a_generator_manager,
    property_set_beside,
    generator_taken_apart,
    generator_spread,
    item_updated,
    name_read_before_a_call_changes_it,
    deleted_beside,
    asked_for_keys,
    asked_by_a_pattern,
    asked_for_truth_and_text,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize(("x", "c"), PLACES)
def test_nothing_is_done_twice(f: Callable[..., Any], x: Any, c: float) -> None:
    value, found = sd.value_and_grad(f, argnums=(0, 1))(x, c)
    assert value == f(x, c)
    u, v = [reference.direction((x, c), seed) for seed in (1, 2)]
    slope = reference.directional(f, (x, c), u).value
    np.testing.assert_allclose(reference.inner(u, found), slope, rtol=1e-8)
    np.testing.assert_allclose(sd.jvp(f, (x, c), u)[1], slope, rtol=1e-8)
    gradient = sd.grad(f, argnums=(0, 1))
    second = reference.inner(u, sd.jvp(gradient, (x, c), v)[1])
    expected = reference.second_directional(f, (x, c), u, v).value
    np.testing.assert_allclose(second, expected, rtol=1e-6, atol=1e-6)


def test_a_key_is_evaluated_before_its_value() -> None:
    def displayed(x: Any) -> Any:
        log = [x]
        table = {log.append(2.0 * x): log.append(3.0 * x)}
        return weighed(log) + len(table)

    assert displayed(2.0) == 145.0
    assert sd.value_and_grad(displayed)(2.0) == (145.0, 144.0)
