"""Integers and bools beside floats: a derivative computes with them as with floats.

The reference is extrapolated differences of the same function of the numbers as floats.
"""

import math

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
    one, other = (2 * X * y / (X**2 + y**2) ** 2 for y in (large, far))
    np.testing.assert_allclose(sd.grad(f)(X, n, a), first, 1e-13)
    np.testing.assert_allclose(sd.jacobian(f, mode="fwd")(X, n, a), first, 1e-13)
    second = np.diag(sd.hessian(f)(X, n, a))  # of two equal terms their rounding may be left
    np.testing.assert_allclose(second, one - other, 1e-12, 1e-15 * np.max(np.abs(one)))


WEIGHTS = np.array([1.0, 2.0, 4.0])
THREE = np.array([0.7, 1.3, 2.1])


def powers(x, k):
    return np.sum(k**x) + np.sum(np.power(k, x)) + np.sum(np.float_power(k, x))


@pytest.mark.parametrize("dtype", [*LARGE, np.bool_], ids=lambda dtype: dtype.__name__)
def test_the_logarithm_of_an_integer_base_is_a_double(dtype):
    k = np.array([1, 1]).astype(dtype) if dtype is np.bool_ else np.array([3, 5], dtype)
    logs = np.log(k.astype(np.float64))
    expected = 3.0 * logs * k.astype(np.float64) ** X
    np.testing.assert_allclose(sd.grad(powers)(X, k), expected, 1e-14)
    np.testing.assert_allclose(sd.jacobian(powers, mode="fwd")(X, k), expected, 1e-14)
    np.testing.assert_allclose(np.diag(sd.hessian(powers)(X, k)), expected * logs, 1e-14)


@pytest.mark.parametrize("xp", [np.array([-100, 100], np.int8), np.array([-(2**62), 2**62])])
def test_interp_between_integer_places(xp):
    def f(x, xp):
        return np.sum(np.interp(x, xp, x**2)) + np.sum(np.interp(xp / 2, xp, x))

    require_derivatives(f, X, (xp,))


def rolled(x, shift):
    return np.sum(np.roll(x, shift) * WEIGHTS)


@pytest.mark.parametrize(
    "shift", [np.uint8(1), np.int8(-128), np.uint64(2), np.array([1], np.uint16), True]
)
def test_roll_turns_back_by_a_number_that_has_no_negative(shift):
    expected = np.roll(WEIGHTS, -int(np.squeeze(shift)))
    np.testing.assert_array_equal(sd.grad(rolled)(THREE, shift), expected)
    np.testing.assert_array_equal(sd.jacobian(rolled, mode="fwd")(THREE, shift), expected)


def taken(x, mask):
    return np.sum(np.take(x, mask) * WEIGHTS) + np.sum(x.take(mask) * WEIGHTS)


def counted(x, mask):
    return np.sum(np.bincount(mask, x) * WEIGHTS[:2])


def wrapped(x, mask):
    return np.sum(np.take(x, mask, mode="wrap") * WEIGHTS)


@pytest.mark.parametrize("f", [taken, counted, wrapped], ids=lambda f: f.__name__)
def test_bools_where_places_are_asked_for_are_0_and_1(f):
    mask = np.array([True, False, True])
    places = mask.astype(int)
    expected = richardson_gradient(lambda x: f(x, places), (THREE,)).value
    np.testing.assert_allclose(sd.grad(f)(THREE, mask), expected, 1e-10)
    np.testing.assert_allclose(sd.jacobian(f, mode="fwd")(THREE, mask), expected, 1e-10)


def test_take_wraps_places_of_a_type_that_does_not_hold_the_count():
    x, places = np.linspace(0.0, 1.0, 300), np.array([255, 3, 3], np.uint8)
    expected = np.zeros(300)
    np.add.at(expected, places, WEIGHTS)
    np.testing.assert_array_equal(sd.grad(wrapped)(x, places), expected)


def test_a_long_integer_of_pythons_as_a_base():
    n = 10**20

    def f(x, n):
        return np.sum(n**x)

    np.testing.assert_allclose(sd.grad(f)(X, n), np.log(1e20) * 1e20**X, 1e-13)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64])
@pytest.mark.parametrize("spread", [np.var, np.std])
def test_degrees_of_freedom_are_taken_from_a_length(spread, dtype):
    def f(x, ddof):
        return spread(x, ddof=ddof)

    expected = richardson_gradient(lambda x: f(x, 2), (THREE,)).value
    np.testing.assert_allclose(sd.grad(f)(THREE, dtype(2)), expected, 1e-10)
    np.testing.assert_allclose(sd.jacobian(f, mode="fwd")(THREE, dtype(2)), expected, 1e-10)


def test_a_distance_is_of_floats():
    far, near = np.int64(2**62), np.int64(-(2**62))

    def f(x, far, near):
        return math.dist((x[0], far, True), (x[1], near, False))

    np.testing.assert_allclose(sd.grad(f)(X, far, near), [0.0, 0.0], atol=1e-18)
    np.testing.assert_allclose(
        sd.grad(lambda x: f(x, 5, 2) * 1.0)(X), 0.6 * np.array([-1, 1]) / math.hypot(0.6, 3, 1)
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.uint64])
def test_partition_by_an_unsigned_place(dtype):
    def f(x, place):
        return np.partition(x, place)[place] ** 2

    np.testing.assert_allclose(sd.grad(f)(THREE, dtype(1)), [0.0, 2 * THREE[1], 0.0])


def one_arm_adds(x, k):
    s = k[0]
    if x[0] > 5.0:
        s = s + x[0]
    return np.sum(np.arctan2(x, s)) * np.sin(s * 1.0)


def one_arm_is_an_integer(x, k):
    s = k[0] if x[0] < 5.0 else x[1]
    return np.sum(np.arctan2(x, s) * s ** (0.01 * x))


def first_an_integer(x, k):
    s, total = k[0], 0.0
    for i in range(len(x)):
        total = total + np.arctan2(x[i], s) * s
        s = s + x[i] * k[i]
    return total


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.int64])
@pytest.mark.parametrize(
    "f", [one_arm_adds, one_arm_is_an_integer, first_an_integer], ids=lambda f: f.__name__
)
def test_a_number_that_is_an_integer_on_one_path(f, dtype):
    k = np.array([100, 120, 90]).astype(dtype)
    expected = richardson_gradient(f, (THREE, k.astype(np.float64))).value
    np.testing.assert_allclose(sd.grad(f)(THREE, k), expected, 1e-8)
    np.testing.assert_allclose(sd.jacobian(f, mode="fwd")(THREE, k), expected, 1e-8)
    assert sd.value_and_grad(f)(THREE, k)[0] == f(THREE, k)


def quotient(x, k):
    return x / k


def quotient_beside_nothing(x, k):
    return np.where(k > 1, x / k, 0.0)


def quotient_of_a_part(x, k):
    return (x / k)[1:]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.uint16])
@pytest.mark.parametrize("f", [quotient, quotient_beside_nothing, quotient_of_a_part])
def test_a_small_integer_below_single_precision_leaves_it(f, dtype):
    x, k = np.array([0.3, -1.2, 2.1], "float32"), np.array([1, 1, 1]).astype(dtype)
    value, pullback = sd.vjp(f, x, k)
    cotangent = pullback(np.ones_like(value))[0]
    assert value.dtype == cotangent.dtype == np.float32
    expected = richardson_gradient(lambda x, k: np.sum(f(x, k)), (x.astype(float), k)).value
    np.testing.assert_allclose(cotangent, expected, rtol=1e-5, atol=1e-6)


def sum_of_a_number(x, k):
    return np.sum(x * k)


def sum_of_a_number_twice(x, k):
    return np.sum(k * (k * x))


@pytest.mark.parametrize(("f", "power"), [(sum_of_a_number, 1), (sum_of_a_number_twice, 2)])
@pytest.mark.parametrize("k", [3, 2**62, 10**30])
def test_the_sum_of_a_number_multiplies_by_no_sum_of_pythons_integers(f, power, k):
    expected = pytest.approx(float(k) ** power, rel=4e-16)
    assert sd.grad(f)(0.5, k) == expected
    assert sd.jvp(f, (0.5, k), (1.0, None))[1] == expected


def test_a_sum_of_integers_times_a_number_is_no_sum_of_integers():
    def f(x, k):
        return np.sum(x * (k * (x * x)))

    k = np.array([3037000500, 2**63 - 1, 2**63 - 1])
    x = np.float64(1.5)
    expected = 3 * x * x * np.sum(k.astype(float))
    np.testing.assert_allclose(sd.grad(f)(x, k), expected, rtol=1e-14)
    np.testing.assert_allclose(sd.jvp(f, (x, k), (1.0, None))[1], expected, rtol=1e-14)


def scaled_sums(x, j, n):
    total = n * (j * (x[0] * x[0] * n)) * 0.01
    return np.sum((x + total) * (0.5 * j))


@pytest.mark.parametrize("dtype", list(LARGE))
def test_second_derivatives_keep_numbers_beside_integers(dtype):
    j, n = map(dtype, LARGE[dtype])
    expected = np.zeros((2, 2))
    expected[0, 0] = 2 * 0.01 * float(j) ** 2 * float(n) ** 2
    np.testing.assert_allclose(sd.hessian(scaled_sums)(X, j, n), expected, 1e-12)
    np.testing.assert_allclose(sd.jacobian(sd.grad(scaled_sums))(X, j, n), expected, 1e-12)


@pytest.mark.parametrize(
    ("n", "dtype"), [(2**24 + 1, np.float32), (2049, np.float16), (70_000, np.float16)]
)
def test_digits_that_a_program_casts_away_do_not_come_back(n, dtype):
    def of_a_number(x, n):
        k = dtype(n)
        return np.sum(np.where(x > 1.0, k * x, 0.0))

    def of_an_array(x, n):
        return np.sum(n.astype(dtype) * x)

    with np.errstate(over="ignore"):
        factor = float(dtype(n))
        made = sd.grad(of_a_number)(X, n), sd.grad(of_an_array)(X, np.array([n, 3]))
    np.testing.assert_array_equal(made[0], [0.0, factor])
    np.testing.assert_array_equal(made[1], [factor, 3.0])


def test_items_of_a_list_are_multiplied_by_one():
    def f(a, b):
        items = [a, b]
        items.append(a * b)
        items.sort()
        return sum(k * item for k, item in enumerate(items, 1))

    found = sd.grad(f, (0, 1))(0.9, 1.7)  # of a + 2 a b + 3 b
    np.testing.assert_allclose(found, (1.0 + 2.0 * 1.7, 3.0 + 2.0 * 0.9), rtol=1e-14)
