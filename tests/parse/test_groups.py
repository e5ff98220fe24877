"""Groups of exceptions that the function makes, and ``except*``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedSyntaxError


def by_parts(x: Any) -> Any:
    try:
        if x < 0:
            inner = ExceptionGroup("n", [ValueError(2.0), TypeError("t")])
            raise ExceptionGroup("m", [ValueError(x), KeyError("k"), inner])
        y = x * x
    except* ValueError as group:
        y = x * group.exceptions[0].args[0] * len(group.exceptions) + len(group.message)
    except* (KeyError, TypeError) as group:
        y = y * len(str(group))
    return y


def of_one(x: Any) -> Any:
    try:
        if x < 0:
            raise ValueError(x)
        y = x
    except* ValueError as group:
        y = group.exceptions[0].args[0] ** 2 + len(str(group))
    else:
        y = y * 3
    finally:
        x = 2 * x
    return y * x


def of_an_operation(x: Any) -> Any:
    try:
        y = 1.0 / (x + 1.5)
    except* ZeroDivisionError:
        y = 7.0 * x
    except* ValueError as group:
        y = x * len(group.exceptions)
    return y


def what_is_left(x: Any) -> Any:
    try:
        try:
            raise ExceptionGroup("m", [ValueError(1), KeyError(2)])
        except* ValueError:
            x = x * 3
    except ExceptionGroup as group:
        x = x * len(group.exceptions) + group.exceptions[0].args[0]
    return x * x


def in_a_loop(x: Any) -> Any:
    total = 1.0
    for k in range(4):
        errors: list[Exception] = []
        if k % 2:
            errors.append(ValueError(k))
        if k == 1:
            errors.append(KeyError(k))
        try:
            if errors:
                raise ExceptionGroup("all", errors)
            total = total + x
        except* ValueError as group:
            total = total + x * group.exceptions[0].args[0]
        except* KeyError:
            total = total * x
    return total


def computed_in_a_handler(x: Any) -> Any:
    try:
        raise ExceptionGroup("m", [ValueError(x), KeyError(1)])
    except* ValueError as group:
        y = group.exceptions[0].args[0] ** 2 / (x + 3.0)
    except* KeyError:
        y = y * x
    return y


def of_two_groups(x: Any) -> Any:
    y = 1.0
    try:
        if x > 1:
            raise ExceptionGroup("m", [ValueError(x)])
        if x > 0:
            raise ExceptionGroup("k", [KeyError(x), ValueError(2)])
    except* ValueError as group:
        y = x * x * len(group.message)
    except* KeyError as group:
        y = y * group.exceptions[0].args[0]
    return y * x


def from_a_helper(x: Any) -> Any:
    def checked(v: Any) -> Any:
        if v < 0:
            raise ExceptionGroup("m", [ValueError(v)])
        if v > 2:
            raise ValueError(v)
        return v * v

    try:
        return checked(x)
    except* ValueError as group:
        y = group.exceptions[0].args[0] * 4
    return y


SLOPES = [
    (by_parts, lambda x: 2 * 2 * x * 20 if x < 0 else 2 * x),
    (of_one, lambda x: 6 * x * x + 2 * len(" (1 sub-exception)") if x < 0 else 12 * x),
    (of_an_operation, lambda x: 7.0 if x == -1.5 else -1 / (x + 1.5) ** 2),
    (what_is_left, lambda x: 2 * 3 * (3 * x + 2)),
    (in_a_loop, lambda x: (1 + 4 * x) + 4),
    (computed_in_a_handler, lambda x: (2 * x**3 + 9 * x**2) / (x + 3) ** 2),
    (of_two_groups, lambda x: 1.0 if x < 0 else 4 * x**3 if x < 1 else 3 * x**2),
    (from_a_helper, lambda x: 4.0 if x < 0 or x > 2 else 2 * x),
]


@pytest.mark.parametrize(("f", "slope"), SLOPES)
@pytest.mark.parametrize("x", [-1.5, 0.5, 2.5])
def test_each_handler_takes_its_part(f: Any, slope: Any, x: float) -> None:
    value, step = f(x), 1e-4
    for _ in range(2):
        assert sd.value_and_grad(f)(x) == (value, pytest.approx(slope(x), rel=1e-13))
        assert sd.jvp(f, (x,), (1.0,)) == (value, pytest.approx(slope(x), rel=1e-13))
    if not (f is of_an_operation and x == -1.5):
        second = (slope(x + step) - slope(x - step)) / (2 * step)
        assert sd.hessian(f)(x) == pytest.approx(second, rel=1e-6, abs=1e-9)


def not_taken(x: Any) -> Any:
    inner = ExceptionGroup("n", [ValueError(3), TypeError("t")])
    group = ExceptionGroup("m", [ValueError(1), KeyError(x), inner])
    group.add_note("noted")
    group.exceptions[1].add_note(f"inner {x}")
    try:
        raise group
    except* ValueError:
        x = x * 2


def raised_in_handlers(x: Any) -> Any:
    try:
        raise ExceptionGroup("m", [ValueError(1), KeyError(2), TypeError(3)])
    except* ValueError as group:
        raise OSError("new") from group
    except* KeyError:
        if x < 0:
            raise IndexError("low")  # noqa: B904


def one_raised_and_none_left(x: Any) -> Any:
    try:
        raise ExceptionGroup("m", [ValueError(1), KeyError(2)])
    except* ValueError:
        raise OSError(x)  # noqa: B904
    except* KeyError:
        x = 2 * x


def failing_alone(x: Any) -> Any:
    try:
        raise ExceptionGroup("m", [ValueError(1), KeyError(2)])
    except* ValueError:
        x = 1.0 / (x - x)
    except* KeyError:
        x = 2 * x
    return x


def failing_with_others(x: Any) -> Any:
    try:
        raise ExceptionGroup("m", [ValueError(1), KeyError(2), TypeError(3)])
    except* ValueError:
        x = 1.0 / (x - x)
    except* KeyError:
        raise OSError(x)  # noqa: B904


def failing_inside(x: Any) -> Any:
    try:
        return failing_alone(x)
    except ZeroDivisionError:
        raise OSError(x)  # noqa: B904


def naked(x: Any) -> Any:
    try:
        raise ValueError("naked")
    except* ValueError:
        raise OSError(x)  # noqa: B904


def part_raised(x: Any) -> Any:
    try:
        raise ExceptionGroup("m", [ValueError(1), KeyError(x)])
    except* ValueError as group:
        raise group


def not_caught(x: Any) -> Any:
    try:
        raise KeyError(x)
    except* ValueError:
        x = 2 * x


def empty(x: Any) -> Any:
    raise ExceptionGroup("m", [])


def of_error(error: Any) -> Any:
    if error is None:
        return None
    notes = [note for note in getattr(error, "__notes__", []) if "of the generated" not in note]
    found = type(error), str(error), notes, of_error(error.__cause__)
    return found, [of_error(one) for one in getattr(error, "exceptions", ())]


def told(call: Any) -> Any:
    with pytest.raises(Exception) as raised:
        call()
    return of_error(raised.value)


@pytest.mark.parametrize(
    "f",
    [
        *(not_taken, raised_in_handlers, one_raised_and_none_left, naked, part_raised),
        *(not_caught, empty, failing_alone, failing_with_others, failing_inside),
    ],
)
@pytest.mark.parametrize("x", [-1.0, 2.0])
def test_what_is_raised_in_the_end_is_made_as_python_makes_it(f: Any, x: float) -> None:
    expected = told(lambda: f(x))
    for call in (sd.value_and_grad(f), sd.hessian(f), lambda v: sd.jvp(f, (v,), (1.0,))):
        assert told(lambda call=call: call(x)) == expected


OUTSIDE = ExceptionGroup("outside", [ValueError(1)])


def of_outside(x: Any) -> Any:
    try:
        raise OUTSIDE
    except* ValueError:
        x = 2 * x
    return x


@sd.nondifferentiable(returns="float")
def unknown(x: Any) -> Any:
    raise ExceptionGroup("m", [ValueError(x)])


def of_a_call(x: Any) -> Any:
    try:
        y = unknown(1.0)
    except* ValueError:
        y = 2 * x
    return x * y


def of_a_group(x: Any) -> Any:
    try:
        x = x * x
    except* ExceptionGroup:
        x = 2 * x
    return x


class OwnGroup(ExceptionGroup):
    """A group of the user's."""


def of_a_class_of_ones_own(x: Any) -> Any:
    try:
        raise OwnGroup("m", [ValueError(1)])
    except* ValueError:
        x = 2 * x
    return x


@pytest.mark.parametrize("f", [of_outside, of_a_call, of_a_group, of_a_class_of_ones_own])
def test_groups_of_which_the_parts_are_not_known_are_refused(f: Any) -> None:
    for transform in (sd.grad, sd.hessian):
        with pytest.raises(UnsupportedSyntaxError) as raised:
            transform(f)(1.0)
        assert raised.value.span is not None
        start = f.__code__.co_firstlineno
        assert start < raised.value.span.line <= start + 5


def of_an_array(x: Any) -> Any:
    try:
        y = np.linalg.inv(x * np.eye(2))[0, 0]
    except* ValueError as group:
        y = 5.0 * x * len(group.exceptions)
    return y


def test_what_an_operation_raises_is_handled_in_a_group() -> None:
    assert sd.value_and_grad(of_an_array)(2.0) == (0.5, pytest.approx(-0.25))
    assert sd.value_and_grad(of_an_array)(0.0) == (0.0, 5.0)
