"""A tangent has its primal's dtype, also where Python's number becomes NumPy's on the way."""

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient

X = np.array([0.5, -1.0, 2.0, 1.5], np.float32)
V = np.array([1.0, 0.25, -0.5, 2.0], np.float32)
WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0])


def by_range(x):
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] ** 2 * (i + 1.0)
    return total


def from_an_integer(x):
    total = 0
    for i in range(len(x)):
        total += x[i] ** 2 * (i + 1)
    return total


def by_enumerate(x):
    return sum([v**2 * (i + 1.0) for i, v in enumerate(x)])


def by_ndenumerate(x):
    return sum([v**2 * (i[0] + 1.0) for i, v in np.ndenumerate(x)])


def while_there_are_more(x):
    total, i = 0.0, 0
    while i < len(x):
        total, i = total + x[i] ** 2 * (i + 1.0), i + 1
    return total


def only_in_some_turns(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] != 7.0:
            total = total + x[i] ** 2 * (i + 1.0)
    return total


def in_two_loops(x):
    total = 0.0
    for i in range(len(x)):
        for _ in range(i + 1):
            total += x[i] ** 2
    return total


def in_a_dict(x):
    state = {"total": 0.0}
    for i in range(len(x)):
        state["total"] = state["total"] + x[i] ** 2 * (i + 1.0)
    return state["total"]


LOOPS = [
    by_range,
    from_an_integer,
    by_enumerate,
    by_ndenumerate,
    while_there_are_more,
    only_in_some_turns,
    in_two_loops,
    in_a_dict,
]


@pytest.mark.parametrize("function", LOOPS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_tangent_of_what_a_loop_adds_up_has_the_dtype_of_the_sum(function, dtype):
    x, v = X.astype(dtype), V.astype(dtype)
    value, tangent = sd.jvp(function, (x,), (v,))
    assert type(value) is type(tangent) is type(function(x)) is dtype
    assert value == function(x)
    np.testing.assert_allclose(tangent, 2.0 * np.sum(WEIGHTS * X * V), rtol=1e-6)


@pytest.mark.parametrize("function", LOOPS, ids=lambda one: one.__name__)
def test_so_has_the_tangent_of_the_tangent(function):
    def rate(x):
        return sd.jvp(function, (x,), (V,))[1]

    tangent, second = sd.jvp(rate, (X,), (V,))
    assert type(tangent) is type(second) is np.float32
    np.testing.assert_allclose(second, 2.0 * np.sum(WEIGHTS * V * V), rtol=1e-6)
    product = sd.hvp(function)(X, V)
    assert product.dtype == np.float32
    np.testing.assert_allclose(product, 2.0 * WEIGHTS * V, rtol=1e-6)


def grown(x, a, n):
    total = a * 1.1
    for i in range(n):
        total = total + x[i]
    return total


def in_an_array(x, a, n):
    return np.array([grown(x, a, n)])


def cast(x, a, n):
    return np.float32(grown(x, a, n))


@pytest.mark.parametrize("function", [grown, in_an_array, cast])
@pytest.mark.parametrize("turns", [0, 3])
def test_a_number_of_python_is_of_full_precision_until_it_meets_another(function, turns):
    def at(x, a):
        return function(x, a, turns)

    expected = function(X, 0.3, turns)
    value, tangent = sd.jvp(at, (X, 0.3), (V, 1.0))
    assert np.asarray(value).dtype == np.asarray(tangent).dtype == np.asarray(expected).dtype
    tolerance = np.finfo(np.asarray(expected).dtype).eps
    np.testing.assert_allclose(value, expected, rtol=tolerance)
    np.testing.assert_allclose(tangent, 1.1 + sum(V[:turns].tolist()), rtol=2 * tolerance)


def by_case(x, a):
    number = x[0]
    if x[1] > 0.0:
        number = a * 0.1
    return np.array([number * 2.0])


@pytest.mark.parametrize(("second", "rate"), [(1.0, 0.2), (-1.0, 2.0)])
def test_the_tangent_of_either_of_two_numbers_has_the_dtype_of_the_one_taken(second, rate):
    x = np.array([0.5, second], np.float32)
    value, tangent = sd.jvp(by_case, (x, 0.3), (np.ones(2, np.float32), 1.0))
    assert value.dtype == tangent.dtype == by_case(x, 0.3).dtype
    np.testing.assert_allclose(tangent, [rate], rtol=1e-15)


def listed(x):
    sums = [0.0]
    for number in x:
        sums.append(sums[-1] + number**2)
    return np.array(sums)


def test_an_array_of_a_list_with_a_number_of_python_has_the_tangent_in_its_dtype():
    value, tangent = sd.jvp(listed, (X,), (V,))
    assert value.dtype == tangent.dtype == listed(X).dtype == np.float64
    np.testing.assert_allclose(tangent, [0.0, *np.cumsum(2.0 * X * V)], rtol=1e-6)


def counted(x):
    return np.sum(np.count_nonzero(x) * x)


@pytest.mark.parametrize("dtype", ["float32", "float64", ">f4", ">f8"])
def test_a_gradient_by_what_is_counted_has_its_dtype(dtype):
    x = X.astype(dtype)
    assert sd.grad(counted)(x).dtype == x.dtype
    np.testing.assert_array_equal(sd.grad(counted)(x), [4.0, 4.0, 4.0, 4.0])


def joined(x):
    return np.sum(np.array([x[0], 2.0 * x[1]]) ** 2)


def stored(x):
    y = x.copy()
    y[1:] = x[1:] ** 2
    y[0] += x[0]
    return np.sum(y) * x[1]


def looped(x):
    total = 0.0
    for v in x:
        total = total + v * v
    return total


SWAPPED = [
    np.sum,
    np.mean,
    np.max,
    np.std,
    np.linalg.norm,
    joined,
    stored,
    looped,
    lambda x: x[0] * np.float64(x[1]),
    lambda x: x @ x,
    lambda x: np.sum(np.sort(x)[:2] ** 2),
]


@pytest.mark.parametrize("f", SWAPPED)
@pytest.mark.parametrize("dtype", [">f4", ">f8"])
def test_floats_of_the_other_byte_order(f, dtype):
    function = f if f not in (np.sum, np.mean, np.max, np.std, np.linalg.norm) else lambda x: f(x)
    x = X.astype(dtype)
    native = x.astype(x.dtype.newbyteorder("="))
    expected = richardson_gradient(function, (native.astype(np.float64),)).value
    tolerance = 1e-5 if x.dtype.itemsize == 4 else 1e-9
    found = sd.grad(function)(x)
    assert found.dtype == x.dtype
    np.testing.assert_allclose(found, expected, tolerance, tolerance)
    np.testing.assert_allclose(sd.jacobian(function, mode="fwd")(x), expected, tolerance, tolerance)
    second = sd.hessian(function)(x)
    np.testing.assert_allclose(second, sd.hessian(function)(native), tolerance, tolerance)
