"""Memory of arguments and of results: who shares it, who may write it, in which byte order."""

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import AliasingError

X = np.array([1.0, 2.0, 3.0])
Y = np.array([0.5, -1.0, 2.0])


def product(a, b):
    return (a * b).sum()


def writing(a, b):
    a[0] = 5.0 * b[1]
    return (a * b * b).sum()


def doubled(a):
    a *= 2.0
    return (a**3).sum()


def accumulating(a, b):
    a += b
    return (a * b).sum()


# Results ------------------------------------------------------------------------------------------


def _arrays(result):
    if isinstance(result, np.ndarray):
        return [result]
    if not isinstance(result, dict | tuple):
        return []
    parts = result.values() if isinstance(result, dict) else result
    return [array for part in parts for array in _arrays(part)]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sd.grad(product, (0, 0))(x, Y),
        lambda x: sd.grad(product, (0, 0, 1))(x, x),
        lambda x: sd.grad(product, (0, 1))(x, x),
        lambda x: sd.grad(lambda a, b: a.sum() + b.sum(), (0, 1))(x, x),
        lambda x: sd.grad(lambda p: ((p["a"] + p["b"]) ** 2).sum())({"a": x, "b": x}),
        lambda x: sd.grad(lambda a: ((a**2).sum(), a), has_aux=True)(x),
        lambda x: sd.jvp(lambda a: (a, a), (x,), (x,)),
        lambda x: sd.vjp(lambda a, b: a + b, x, x)[1](x),
        lambda x: sd.jacobian(lambda a, b: a + b, (0, 0, 1))(x, x),
        lambda x: sd.functional(lambda a: (a, a[1:]))(x)[0],
    ],
)
def test_results_share_no_memory(call):
    x = X.copy()
    arrays = [x, *_arrays(call(x))]
    assert len(arrays) > 2
    for position, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[:position])


# One array as several arguments -------------------------------------------------------------------


def test_positions_are_apart_where_nothing_is_written():
    first, second = sd.grad(lambda a, b: (a * b * b).sum(), (0, 1))(X, X)
    np.testing.assert_allclose(first, X**2)
    np.testing.assert_allclose(second, 2 * X**2)


def test_positions_are_apart_where_something_else_is_written():
    def function(a, b, out):
        out[0] = a[0] * b[1]
        return (a * b * out).sum()

    together = sd.grad(function, (0, 1, 2))(X, X, Y)
    apart = sd.grad(function, (0, 1, 2))(X, X.copy(), Y)
    np.testing.assert_array_equal(together, apart)


@pytest.mark.parametrize("argnums", [0, 1])
def test_the_derivative_by_an_array_with_two_names_is_the_whole(argnums):
    def alone(a):
        b = a * 1.0
        return writing(b, b)

    np.testing.assert_allclose(sd.grad(writing, argnums)(X, X), sd.grad(alone)(X))


@pytest.mark.parametrize(
    "call",
    [
        lambda: sd.grad(writing, (0, 1))(X, X),
        lambda: sd.vjp(writing, X, X),
        lambda: sd.hessian(writing, (0, 1))(X, X),
        lambda: sd.grad(lambda pair: accumulating(pair[0], pair[1]))([X, X]),
    ],
)
def test_no_derivative_by_each_of_two_names_of_an_array_that_is_written(call):
    with pytest.raises(AliasingError, match="are one array here") as caught:
        call()
    assert "argnums" in caught.value.hint


def test_tangents_of_one_array_are_one():
    value, tangent = sd.jvp(writing, (X, X), (Y, Y))
    np.testing.assert_allclose(tangent, sd.grad(writing)(X, X) @ Y)
    assert value == writing(X.copy(), X.copy()) or value == 1035.0
    for other in (Y.copy(), None):
        with pytest.raises(AliasingError, match="their tangents differ"):
            sd.jvp(writing, (X, X), (Y, other))


def test_one_array_as_primal_and_tangent():
    x = X.copy()
    value, tangent = sd.jvp(doubled, (x,), (x,))
    assert (value, tangent) == (288.0, 864.0)
    np.testing.assert_allclose(sd.hvp(doubled)(x, x), 48 * X * X)
    np.testing.assert_array_equal(x, X)


# Overlaps -----------------------------------------------------------------------------------------


def test_arrays_that_overlap_are_refused_where_one_is_written():
    base = np.arange(1.0, 6.0)
    derivative = sd.grad(accumulating, (0, 1))
    for _ in range(2):  # when it is compiled, and afterwards
        with pytest.raises(AliasingError, match="overlap, and one is written"):
            derivative(base[:-1], base[1:])
        np.testing.assert_allclose(derivative(base[:2], base[2:4])[0], base[2:4])
    np.testing.assert_allclose(sd.grad(product)(base[:-1], base[1:]), base[1:])


def test_arrays_that_interleave_do_not_overlap():
    base = np.arange(6.0)
    first, second = sd.grad(accumulating, (0, 1))(base[::2], base[1::2])
    np.testing.assert_allclose(first, base[1::2])
    np.testing.assert_allclose(second, base[::2] + 2 * base[1::2])


def first_row_written(a):
    a[0] = 2.0
    return (a**2).sum()


def test_an_array_that_overlaps_itself_is_refused_where_it_is_written():
    derivative = sd.grad(first_row_written)
    rows = np.arange(1.0, 7.0).reshape(2, 3)
    expected = [[0.0, 0.0, 0.0], [8.0, 10.0, 12.0]]
    np.testing.assert_array_equal(derivative(rows), expected)
    twice = np.lib.stride_tricks.as_strided(np.arange(3.0), (2, 3), (0, 8))
    with pytest.raises(AliasingError, match="elements of a share memory"):
        derivative(twice)
    np.testing.assert_array_equal(derivative(np.repeat(rows, 2, axis=1)[:, ::2]), expected)


def test_what_cannot_be_written_is_copied_for_a_derivative():
    fixed = X.copy()
    fixed.flags.writeable = False
    np.testing.assert_allclose(sd.grad(doubled)(fixed), 24 * X**2)
    repeated = np.broadcast_to(X, (2, 3))
    expected = [[0.0, 0.0, 0.0], 2 * X]
    np.testing.assert_array_equal(sd.grad(first_row_written)(repeated), expected)


# Byte order ---------------------------------------------------------------------------------------


def test_arrays_in_the_other_byte_order_are_differentiated():
    swapped = X.astype(">f8")
    value, derivative = sd.value_and_grad(lambda a: (np.sin(a) * a).sum())(swapped)
    np.testing.assert_allclose(derivative, np.cos(X) * X + np.sin(X))
    assert value == pytest.approx((np.sin(X) * X).sum())
    np.testing.assert_allclose(sd.grad(doubled)(swapped), 24 * X**2)
    assert sd.grad(doubled)(X.astype(">f4")).dtype.itemsize == 4


def test_byte_order_is_kept_where_numpy_keeps_it():
    def function(a):
        y, z = np.zeros_like(a), np.empty(3, a.dtype)
        y[:], z[:] = a, 2 * a
        return y, z, a * 1.0, a.copy(), np.array(a)

    swapped = X.astype(">f8")
    for made, plain in zip(sd.functional(function)(swapped)[0], function(swapped), strict=True):
        assert made.dtype.str == plain.dtype.str
        np.testing.assert_array_equal(made, plain)
