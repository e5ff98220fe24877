"""Questions about dtypes and shapes, answered before there are values."""

from __future__ import annotations

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError


def answers(x, n):
    limits = np.finfo(x.dtype)
    whole = np.iinfo(np.int16)
    shape = np.broadcast_shapes(x.shape, (2, 1))
    facts = (
        np.issubdtype(x.dtype, np.floating),
        np.isdtype(x.dtype, ("integral", "real floating")),
        np.can_cast(x.dtype, "float32", casting="safe"),
        np.can_cast(np.int32, np.float32),
        np.promote_types(x.dtype, "int8") == x.dtype,
        np.min_scalar_type(300) == np.uint16,
        np.min_scalar_type(x) == x.dtype,
        np.dtype("f4") == np.float32,
    )
    scale = np.common_type(x, n)(2) * limits.eps + np.finfo(np.float32).tiny + whole.max
    return sum([k * fact for k, fact in enumerate(facts)]) * x * scale + np.zeros(shape)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_answers_are_numpys(dtype: str) -> None:
    x, n = np.array([0.5, -2.0], dtype), np.arange(2)
    value, pullback = sd.vjp(answers, x, n)
    expected = answers(x, n)
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_allclose(pullback(np.ones((2, 2)))[0], expected.sum(0) / x, rtol=1e-6)


def test_least_number_is_one_of_the_dtypes() -> None:
    """The usual guard of a logarithm."""

    def guarded(x):
        return np.sum(np.log(np.maximum(x, np.finfo(x.dtype).tiny)))

    np.testing.assert_array_equal(sd.grad(guarded)(np.array([0.0, 2.0])), [0.0, 0.5])


def test_mistakes_are_numpys() -> None:
    with pytest.raises(ValueError, match="not inexact"):
        sd.grad(lambda x: x * np.finfo(int).eps)(1.0)
    with pytest.raises(AttributeError, match="no attribute 'epsilon'"):
        sd.grad(lambda x: x * np.finfo(float).epsilon)(1.0)
    with pytest.raises(UnsupportedCallError, match="align"):
        sd.grad(lambda x: x * np.dtype(float, align=True).itemsize)(1.0)


@pytest.mark.parametrize("exponent", [2, 3, np.int64(2), True])
@pytest.mark.parametrize("mask", [np.array([True, False]), np.array(True), np.True_, True])
def test_powers_of_bools_have_numpys_dtype(mask, exponent) -> None:
    """NumPy squares arrays of bools in int8; other powers of bools are int64."""

    def f(x, mask):
        return np.multiply(mask**exponent, x)

    x = np.ones(2, np.float32)
    value, pullback = sd.vjp(f, x, mask)
    assert value.dtype == f(x, mask).dtype
    assert sd.jvp(f, (x, mask), (x, None))[1].dtype == value.dtype
    np.testing.assert_array_equal(pullback(np.ones_like(value))[0], np.broadcast_to(mask, 2))
