"""Questions about dtypes and shapes, answered before there are values."""

from __future__ import annotations

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.parse.following import follows


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


def _onto_both(x, y):
    """Only while it runs is known how long the two are."""
    a, b = x[x > 0.0], y[y > 0.0]
    made = np.zeros(np.broadcast_shapes(a.shape, b.shape, ()))
    made += a * b
    return np.sum(made * made)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1.0, 2.0, -1.0], [3.0, 4.0, -1.0]),
        ([1.0, -1.0], [3.0, 4.0, 5.0]),
        ([1.0, 2.0], [3.0, -4.0]),
        ([1.0, -1.0], [3.0, -4.0]),
        ([-1.0, -1.0], [3.0, -4.0]),
    ],
)
def test_shapes_that_are_computed_are_broadcast(x, y) -> None:
    """The derivatives of the sum of all products' squares, in closed form."""
    x, y = np.array(x), np.array(y)
    a, b = np.where(x > 0.0, x, 0.0), np.where(y > 0.0, y, 0.0)
    if np.sum(x > 0.0) == np.sum(y > 0.0) == 2:  # element by element
        expected = 2.0 * a * b * b, 2.0 * b * a * a
    else:
        expected = 2.0 * a * np.sum(b * b), 2.0 * b * np.sum(a * a)
    for found, right in zip(sd.grad(_onto_both, (0, 1))(x, y), expected, strict=True):
        np.testing.assert_allclose(found, right)
    _, slope = sd.jvp(_onto_both, (x, y), (x, y))
    np.testing.assert_allclose(slope, 4.0 * _onto_both(x, y))
    curved = sd.hvp(_onto_both)(x, y, x)
    np.testing.assert_allclose(curved, expected[0])


def test_shapes_that_do_not_broadcast_raise_as_in_numpy() -> None:
    with pytest.raises(ValueError, match="cannot be broadcast"):
        sd.grad(_onto_both)(np.ones(2), np.ones(3))
    for shapes in (((2,), (-1,)), ((2.0,),), ((2, 1), 3.0)):
        with pytest.raises((TypeError, ValueError)) as found:
            np.broadcast_shapes(*shapes)
        with pytest.raises(found.type):
            sd.grad(lambda x, shapes=shapes: x * len(np.broadcast_shapes(*shapes)))(1.0)

    def told(x):
        try:
            shape = np.broadcast_shapes(x.shape, (3,))
        except ValueError:
            return -np.sum(x)
        return shape[0] * np.sum(x)

    for length, slope in ((1, 3.0), (2, -1.0), (3, 3.0)):
        np.testing.assert_array_equal(sd.grad(told)(np.ones(length)), np.full(length, slope))


def test_a_shape_that_is_broadcast_is_known_to_be_that_of_an_array() -> None:
    """What is tried cannot fail: the other way, which only one element could go, is not taken."""

    def reshaped(x, y):
        made = np.sin(x) * y
        try:
            shape = np.broadcast_shapes(x.shape)
        except ValueError:
            shape = x.shape
        try:
            return np.sum(made.reshape(shape))
        except ValueError:
            return made.item()

    x, y = np.linspace(0.0, 1.0, 4), 2.0
    np.testing.assert_allclose(sd.grad(reshaped)(x, y), 2.0 * np.cos(x))
    np.testing.assert_allclose(sd.grad(reshaped, 1)(x, y), np.sum(np.sin(x)))


V = np.array([1.0, 2.0, 3.0])
PLACES = np.array([1, 2, 1])
OF_VALUES = {
    "issubdtype": lambda x: np.issubdtype(x, np.floating),
    "issubdtype of a scalar": lambda x: np.issubdtype(x[0], np.floating),
    "finfo": lambda x: np.finfo(x).eps,
    "finfo of a scalar": lambda x: np.finfo(x[0]).eps,
    "finfo of a number": lambda x: np.finfo(float(x[0])).eps,
    "iinfo": lambda x: np.iinfo(x.astype(int)).max,
    "isdtype": lambda x: np.isdtype(x, "integral"),
    "promote_types": lambda x: np.promote_types(x, np.float32).itemsize,
    "can_cast": lambda x: np.can_cast(x, np.float64),
    "can_cast of a scalar": lambda x: np.can_cast(x[0], np.float64),
    "bincount of floats": lambda x: np.bincount(x, x),
    "bincount of a number": lambda x: np.bincount(len(x)),
    "bincount of a matrix": lambda x: np.bincount(np.outer(x, x).astype(int)),
    "bincount with a matrix": lambda x: np.bincount(PLACES, np.outer(x, x)),
    "broadcast_to": lambda x: np.broadcast_to(np.outer(x, x), x.shape[0]),
    "nan_to_num": lambda x: np.nan_to_num(x[0], copy=False),
}


@pytest.mark.parametrize("name", OF_VALUES)
def test_values_in_the_place_of_dtypes_and_vectors_are_taken_as_numpy_does(name: str) -> None:
    function = OF_VALUES[name]
    follows(function, V)

    def caught(x):
        try:
            return x.sum() * function(x)
        except (TypeError, ValueError):
            return x[0] * 2.0

    follows(caught, V)
    expected = np.sum(caught(V))
    gradient = sd.grad(lambda x: np.sum(caught(x)))(V)
    assert np.vdot(gradient, V) == pytest.approx(expected)  # it is linear in x
