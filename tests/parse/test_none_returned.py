"""Functions that return None on some paths, and numbers on others."""

import math
from typing import Any

import numpy as np
import pytest

import symdiff


def none_below_zero(x):
    if x < 0.0:
        return None
    return x**3


def none_in_a_choice(x):
    return None if x < 0.0 else np.sin(x)


def pair_of_nones(x):
    if x < 0.0:
        return None, None
    return x**2, 3.0 * x


def none_at_the_end(x):
    if x > 0.0:
        return x**2


def none_where_it_raises(x):
    try:
        return 1.0 / x
    except ZeroDivisionError:
        return None


@pytest.mark.parametrize(
    ("function", "first", "second"),
    [
        (none_below_zero, lambda x: 3.0 * x**2, lambda x: 6.0 * x),
        (none_in_a_choice, math.cos, lambda x: -math.sin(x)),
        (none_at_the_end, lambda x: 2.0 * x, lambda x: 2.0),
        (none_where_it_raises, lambda x: -(x**-2.0), lambda x: 2.0 * x**-3.0),
    ],
)
def test_a_function_has_derivatives_where_it_does_not_return_none(
    function, first, second, monkeypatch
):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    np.testing.assert_allclose(symdiff.grad(function)(0.7), first(0.7), rtol=1e-14)
    np.testing.assert_allclose(symdiff.jvp(function, (0.7,), (1.0,))[1], first(0.7), rtol=1e-14)
    np.testing.assert_allclose(symdiff.derivative(function, 2)(0.7), second(0.7), rtol=1e-14)
    nowhere = 0.0 if function is none_where_it_raises else -0.7
    with pytest.raises(symdiff.UnsupportedCallError, match="returns None here") as caught:
        symdiff.grad(function)(nowhere)
    assert caught.value.span is not None
    with pytest.raises(symdiff.UnsupportedCallError, match="returns None here"):
        symdiff.vjp(function, nowhere)


def test_a_pair_of_numbers_may_be_a_pair_of_nones():
    (one, other), pullback = symdiff.vjp(pair_of_nones, 2.0)
    assert (one, other) == (4.0, 6.0)
    assert pullback((1.0, 10.0)) == (34.0,)
    with pytest.raises(symdiff.UnsupportedCallError, match="returns None here"):
        symdiff.vjp(pair_of_nones, -2.0)


def crossing(a, b):
    """Where two lines meet, and whether they do."""
    slope = a * b
    if slope == 0.0:
        return None, (None, 0.0), False
    return a / slope, (b * b, 3.0 * slope), True


def test_some_of_the_parts_may_be_none_where_others_are_not(monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    value, pullback = symdiff.vjp(crossing, 2.0, 4.0)
    assert value == crossing(2.0, 4.0)
    assert pullback((1.0, (10.0, 100.0), None)) == (1200.0, -0.0625 + 80.0 + 600.0)
    for nowhere in (0.0, 4.0), (4.0, 0.0):
        with pytest.raises(symdiff.UnsupportedCallError, match="returns None here"):
            symdiff.vjp(crossing, *nowhere)


def test_a_module_says_where_a_function_returns_none(tmp_path):
    path = tmp_path / "slope.py"
    symdiff.grad(none_below_zero).export(str(path), 0.7)
    names: dict[str, Any] = {"__name__": "slope"}
    exec(path.read_text(), names)
    slope = names["none_below_zero_grad"]
    assert slope(2.0) == 12.0
    with pytest.raises(ValueError, match="none_below_zero returns None here"):
        slope(-2.0)
