"""Integers and bools beside floats: a derivative computes with them as with floats.

The reference is extrapolated differences of the same function of the numbers as floats.
"""

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient, second_directional

X = np.array([0.7, 1.3])
LARGE = {
    np.uint8: (200, 100),
    np.int8: (-128, 100),
    np.int16: (30000, -20000),
    np.uint16: (60000, 50000),
    np.int32: (50000, 2**31 - 1),
    np.uint32: (70000, 2**32 - 1),
    np.int64: (4 * 10**9, 2**62),
    np.uint64: (5 * 10**9, 2**63 + 2**40),
}


def scaled_twice(x, n, k, a):
    return np.sum(n * (k * x))


def pixels(x, n, k, a):
    return np.sum(a[0] * (a[1] * x))


def doubled(x, n, k, a):
    return np.sum(2 * (n * x) * x)


def turned(x, n, k, a):
    return np.sum(-(n * x) * x)


def scaled_thrice(x, n, k, a):
    return np.sum(k * (x * n) * (x / k) * n)


def row_by_row(x, n, k, a):
    total = 0.0
    for i in range(len(x)):
        total = total + a[i] * (a[1 - i] * x[i]) * x[i]
    return total


REGROUPED = [scaled_twice, pixels, doubled, turned, scaled_thrice, row_by_row]


def arguments(dtype):
    n, k = LARGE[dtype]
    return dtype(n), dtype(k), np.array([n, k], dtype)


def as_floats(integers):
    return tuple(np.asarray(one, np.float64)[()] for one in integers)


def require_derivatives(f, x, integers, tolerance=1e-8):
    """Both modes and the second order, against differences of the function of floats."""
    floats = as_floats(integers)
    first = richardson_gradient(f, (x, *floats)).value
    grad = sd.grad(f)
    found = grad(x, *integers)
    assert found.dtype == x.dtype
    np.testing.assert_allclose(found, first, tolerance, tolerance * np.max(np.abs(first)))
    forward = sd.jacobian(f, mode="fwd")(x, *integers)
    np.testing.assert_allclose(forward, first, tolerance, tolerance * np.max(np.abs(first)))
    second = [
        [
            second_directional(lambda x: f(x, *floats), (x,), (u,), (v,)).value
            for u in np.eye(len(x))
        ]
        for v in np.eye(len(x))
    ]
    hessian = sd.hessian(f)(x, *integers)
    scale = np.max(np.abs(first)) + np.max(np.abs(second))
    np.testing.assert_allclose(hessian, second, 1e-6, 1e-7 * scale)


@pytest.mark.parametrize("dtype", LARGE, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("f", REGROUPED, ids=lambda f: f.__name__)
def test_factors_are_not_put_together_as_integers(f, dtype):
    require_derivatives(f, X, arguments(dtype))


def contracted(x, n, k, a):
    return np.einsum("i,i,i", a, x, a) + np.sum(x * np.einsum("i,i,i->i", a, x, a))


def chained(x, n, k, a):
    return np.linalg.multi_dot([a, np.stack([a, a]), x]) + np.dot(np.tensordot(a, x, 0) @ a, a)


def product(x, n, k, a):
    return np.prod(x, initial=k, where=a != 7) * np.sum(np.multiply.outer(x, a) @ a)


def bounded(x, n, k, a):
    return np.sum(np.maximum(x * n, a) * n) + np.sum(np.clip(x * k, n, a) * k)


def extremes(x, n, k, a):
    return np.max(np.array([n * x[0], k, n])) * n + np.sum(np.convolve(a, x * n) * k)


COMPUTED = [contracted, chained, product, bounded, extremes]


@pytest.mark.parametrize("dtype", LARGE, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("f", COMPUTED, ids=lambda f: f.__name__)
def test_rules_compute_with_integers_as_floats(f, dtype):
    require_derivatives(f, X, arguments(dtype))


@pytest.mark.parametrize("dtype", LARGE, ids=lambda dtype: dtype.__name__)
def test_the_angle_of_a_point_with_an_integer_coordinate(dtype):
    n, _, a = arguments(dtype)

    def f(x, n, a):
        return np.sum(np.arctan2(x, a)) + np.sum(np.arctan2(n, x))

    large, far = float(n), a.astype(np.float64)
    first = far / (X**2 + far**2) - large / (X**2 + large**2)
    second = -2 * X * far / (X**2 + far**2) ** 2 + 2 * X * large / (X**2 + large**2) ** 2
    np.testing.assert_allclose(sd.grad(f)(X, n, a), first, 1e-13)
    np.testing.assert_allclose(sd.jacobian(f, mode="fwd")(X, n, a), first, 1e-13)
    np.testing.assert_allclose(np.diag(sd.hessian(f)(X, n, a)), second, 1e-12)
