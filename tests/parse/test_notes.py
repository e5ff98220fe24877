"""Notes of exceptions, and other attributes that the program sets: they leave with these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError


class OutOfRangeError(ValueError):
    """An error that holds numbers."""

    def __init__(self, value: Any, scale: float = 2.0) -> None:
        super().__init__("out of range")
        self.value = value
        self.scale = scale


def made_before(x: Any) -> Any:
    error = ValueError("a")
    error.add_note("first")
    error.add_note(f"at {x:.2f}")
    error.code = 4  # type: ignore[attr-defined]
    if x < 0:
        raise error
    return x * x


def on_some_paths(x: Any) -> Any:
    error = ValueError("a")
    if x < 1:
        error.add_note("low")
    if x < 0:
        raise error
    return x * x * (2.0 if hasattr(error, "__notes__") else 1.0)


def in_two_handlers(x: Any) -> Any:
    try:
        if x < -3:
            error = ValueError("a")
            error.add_note("inner")
            raise error
        if x < 0:
            raise ValueError("a")
    except ValueError as caught:
        caught.add_note("outer")
        raise
    return x * x


def with_keywords(x: Any) -> Any:
    for k in range(3):
        if x < k - 2:
            error = OutOfRangeError(x, scale=3.0)
            error.add_note(f"turn {k}")
            error.value = 2.0 * x
            raise error
        x = x * x
    return x


def from_a_helper(x: Any) -> Any:
    def checked(v: Any) -> Any:
        if v < 0:
            error = KeyError("k")
            error.add_note("deep")
            raise error
        return v * v

    try:
        return checked(x)
    except KeyError as error:
        raise ValueError("outer") from error


def of_an_operation(x: Any) -> Any:
    try:
        y = 1.0 / (x + 2.0)
    except ZeroDivisionError as error:
        error.add_note("one")
        y = 0.0
    try:
        return y + 1.0 / (x + 2.0)
    except ZeroDivisionError as error:
        error.add_note(f"two {x}")
        raise


def no_text(x: Any) -> Any:
    ValueError(x).add_note(3)  # type: ignore[arg-type]


CASES = [
    (made_before, 3.0, 6.0),
    (on_some_paths, 0.5, 2.0),
    (on_some_paths, 3.0, 6.0),
    (in_two_handlers, 3.0, 6.0),
    (with_keywords, 1.5, 8 * 1.5**7),
    (from_a_helper, 3.0, 6.0),
    (of_an_operation, 2.0, -1.0 / 8.0),
]


@pytest.mark.parametrize(("f", "x", "slope"), CASES)
def test_what_may_raise_an_error_with_notes_has_its_derivative(f: Any, x: float, slope: float):
    assert sd.value_and_grad(f)(x) == (f(x), pytest.approx(slope, rel=1e-14))
    assert sd.jvp(f, (x,), (1.0,)) == (f(x), pytest.approx(slope, rel=1e-14))


def told(call: Any) -> Any:
    with pytest.raises(Exception) as raised:
        call()
    return of_error(raised.value)


def of_error(error: Any) -> Any:
    held = dict(vars(error))
    notes = [note for note in held.pop("__notes__", []) if "of the generated" not in note]
    cause = None if error.__cause__ is None else of_error(error.__cause__)
    return type(error), error.args, held, notes, cause


@pytest.mark.parametrize(
    "f",
    [
        *(made_before, on_some_paths, in_two_handlers, with_keywords),
        *(from_a_helper, of_an_operation, no_text),
    ],
)
@pytest.mark.parametrize("x", [-2.5, -4.0])
def test_an_error_leaves_with_its_notes_and_attributes(f: Any, x: float) -> None:
    if f is of_an_operation:
        x = -2.0
    expected = told(lambda: f(x))
    for call in (sd.value_and_grad(f), sd.hessian(f), lambda v: sd.jvp(f, (v,), (1.0,))):
        for _ in range(2):
            assert told(lambda call=call: call(x)) == expected


def counted(x: Any) -> Any:
    total = 0.0
    for k in range(len(x)):
        try:
            if x[k] < 0:
                error = ValueError(k)
                error.add_note("negative")
                error.add_note("again")
                raise error
            total = total + x[k] ** 2
        except ValueError as caught:
            total = total + len(caught.__notes__) * x[k]
    return total


def test_the_notes_of_a_caught_error_are_read() -> None:
    x = np.array([1.0, -2.0, 3.0, -4.0])
    value, gradient = sd.value_and_grad(counted)(x)
    assert value == counted(x) == -2.0
    assert gradient.tolist() == [2.0, 2.0, 6.0, 2.0]
    assert np.diag(sd.hessian(counted)(x)).tolist() == [2.0, 0.0, 2.0, 0.0]


def test_a_note_to_an_error_that_is_not_made_here_is_refused() -> None:
    error = ValueError("outside")

    def f(x: Any) -> Any:
        error.add_note("inside")
        return x

    with pytest.raises(UnsupportedCallError, match=r"a note to .* has not made") as raised:
        sd.grad(f)(1.0)
    assert raised.value.span is not None
    assert not hasattr(error, "__notes__")
