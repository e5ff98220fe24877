"""Lists of a length that is known at run time only: what an item that is looked for is equal to."""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedSyntaxError
from tests.reference import directional


class Pair(NamedTuple):
    a: float
    b: float


class Any(Pair):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def rows(x, make):
    made, k = [], 0.0
    while k < 3.0 + 0.0 * x:
        made.append(make(k * x, k))
        k += 1.0
    return made


def pair(a, b):
    return a, b


def dict_of(a, b):
    return {"a": a, "b": b}


def named(x):
    return rows(x, Pair).index((2.0 * x, 2.0)) * x


def unnamed(x):
    return x * x if Pair(2.0 * x, 2.0) in rows(x, pair) else x


def equal_to_all(x):
    return x * x if Any(2.0 * x, 2.0) in rows(x, pair) else x


def all_equal_to_it(x):
    return x * x if (7.0, 2.0) in rows(x, Any) else x


def in_another_order(x):
    return x * x if {"b": 2.0, "a": 2.0 * x} in rows(x, dict_of) else x


def of_a_subclass(x):
    return x * x if OrderedDict(a=2.0 * x, b=2.0) in rows(x, dict_of) else x


def a_known_text_among_others(x):
    held, k = {}, 0.0
    while k < 3.0 + 0.0 * x:
        held[f"{k:.0f}", k * x] = k
        k += 1.0
    return x * x * (1 + list(held).index(("2", 2.0 * x)))


@pytest.mark.parametrize(
    "function",
    [
        *(named, unnamed, equal_to_all, all_equal_to_it),
        *(in_another_order, of_a_subclass, a_known_text_among_others),
    ],
)
def test_what_may_be_equal_though_it_has_another_form_is_refused(function) -> None:
    for transform in (sd.grad, sd.jacobian):
        with pytest.raises(UnsupportedSyntaxError, match="looked for in a list") as raised:
            transform(function)(2.0)
        assert raised.value.span is not None


@pytest.mark.parametrize(
    ("make", "item"),
    [
        (pair, lambda x: (2.0 * x, 2.0)),
        (pair, lambda x: [2.0 * x, 2.0]),
        (pair, lambda x: (2.0 * x, 2.0, 1.0)),
        (pair, lambda x: (2.0 * x, None)),
        (dict_of, lambda x: {"a": 2.0 * x, "b": 2.0}),
        (dict_of, lambda x: {"a": 2.0 * x, "c": 2.0}),
        (lambda a, b: ((a,), b), lambda x: ((2.0 * x,), 2.0)),
        (lambda a, b: ((a,), b), lambda x: (2.0 * x, 2.0)),
        (lambda a, b: ("b", a), lambda x: ("a", 2.0 * x)),
        (lambda a, b: ("b", a), lambda x: ("b", 2.0 * x)),
        (lambda a, b: a, lambda x: "a"),
        (lambda a, b: a, lambda x: (2.0 * x,)),
    ],
)
def test_what_has_another_form_is_not_found(make, item) -> None:
    def found(x):
        return x**3 if item(x) in rows(x, make) else x * x

    expected, second = (12.0, 12.0) if found(2.0) == 8.0 else (4.0, 2.0)
    assert sd.grad(found)(2.0) == expected
    assert sd.jvp(found, (2.0,), (1.0,)) == (found(2.0), expected)
    assert sd.grad(sd.grad(found))(2.0) == second


def items_that_differ_in_texts(x):
    log = []
    if x > 1.0:
        log.append(("newton", 3.0 * x))
    log.append(("bisect", x**2))
    named = sum(value for name, value in log if name == "newton")
    return len(log) * x + named + sum(len(name) * value for name, value in log)


@pytest.mark.parametrize(("x", "slope"), [(1.5, 2.0 + 3.0 + 6.0 * 3.0 + 6.0 * 3.0), (0.5, 7.0)])
def test_an_item_that_differs_in_a_text_goes_into_a_list(x, slope):
    f = items_that_differ_in_texts
    assert sd.value_and_grad(f)(x) == (f(x), slope)
    assert sd.jvp(f, (x,), (1.0,)) == (f(x), slope)


class Event(NamedTuple):
    name: str
    value: float


def named_by_path(y):
    log = []
    while y > 0.1:
        y = y * 0.7
        if y > 0.5:
            log.append(Event("newton", y))
        else:
            log.append(Event("bisect", y * 2.0))
    named = sum(e.value * len(e.name) for e in log if e.name.startswith("n"))
    return named + sum(e.value for e in log)


def named_in_an_inner_loop(y):
    log = [("start", y)]
    while y > 0.1:
        y = y * 0.7
        for name, bound in (("p", 0.3), ("qq", 0.6)):
            if y > bound:
                log.append((name, y * bound))
    best = max(log, key=lambda pair: pair[1])
    return sum(v * (2.0 if name == "p" else 3.0) for name, v in log) + len(best[0]) * best[1]


def dicts_of_a_kind(y):
    log = []
    while y > 0.1:
        y = y * 0.7
        log.append({"kind": "step", "y": y})
        if y < 0.3:
            log.append({"kind": "small", "y": y * y})
    return sum(entry["y"] for entry in log if entry["kind"] == "small") + len(log) * log[-1]["y"]


def named_by_numbers(y):
    log, k = [], 0
    while y > 0.1:
        y, k = y * 0.7, k + 1
        if y < 0.3:
            log.append((f"small{k}", y * y))
        else:
            log.append(("large", y))
    return sum(v * len(name) for name, v in log)


def named_in_an_expression(y):
    log, sums = [], {"a": 0.0, "b": 0.0}
    while y > 0.1:
        y = y * 0.7
        log.append(("a", y) if y > 0.3 else ("b", 2.0 * y))
    for name, v in log:
        if name == "a":
            sums["a"] += v
        else:
            sums["b"] += v
    return sums["a"] * 2.0 + sums["b"] * 3.0


NAMED = [
    named_by_path,
    named_in_an_inner_loop,
    dicts_of_a_kind,
    named_by_numbers,
    named_in_an_expression,
]


@pytest.mark.parametrize("f", NAMED)
def test_items_of_a_loop_differ_in_texts_by_path(f, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    for y in (1.3, 0.2):
        value, slope = sd.value_and_grad(f)(y)
        assert value == f(y)
        expected = directional(f, (y,), (1.0,), step=0.001).value
        np.testing.assert_allclose(slope, expected, rtol=1e-9)
        np.testing.assert_allclose(sd.jvp(f, (y,), (1.0,))[1], expected, rtol=1e-9)


def test_texts_and_numbers_are_not_of_one_form():
    def f(y):
        log = []
        while y > 0.1:
            y = y * 0.7
            log.append(("a", y) if y > 0.3 else (2.0, 2.0 * y))
        return sum(v for name, v in log)

    with pytest.raises(UnsupportedSyntaxError, match="'a' in one branch, float"):
        sd.grad(f)(1.3)


FACTORS = {"newton": 2.0, "bisect": 3.0}


def looked_up_by_names(x):
    log = []
    if x > 1.0:
        log.append(("newton", 3.0 * x))
    else:
        log.append(("bisect", 3.0 * x))
    log.append(("bisect", x))
    return sum(FACTORS[name] * v for name, v in log)


def test_names_that_are_known_stay_known():
    assert sd.value_and_grad(looked_up_by_names)(1.3) == (looked_up_by_names(1.3), 9.0)
    assert sd.value_and_grad(looked_up_by_names)(0.3) == (looked_up_by_names(0.3), 12.0)
