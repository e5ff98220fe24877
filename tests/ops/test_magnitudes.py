"""Derivatives of numbers whose squares overflow or are 0: those of mpmath, in both modes.

The reference is a difference quotient in 1,400 digits, with a step that is small beside the number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.linalg
import scipy.special

import symdiff as sd

mp = mpmath.mp.clone()
mp.dps = 1400

SIZES = {
    "float64": [1e-310, 1e-300, 1e-170, 1e-150, 1e-20, 0.7, 30.0, 1e20, 1e150, 1e170, 1e300],
    "float32": [1e-42, 1e-36, 1e-23, 1e-20, 1e-4, 0.7, 8.0, 1e4, 1e20, 1e23, 1e36],
}


def _log_sum(a: Any, b: Any) -> Any:
    return max(a, b) + mp.log1p(mp.exp(-abs(a - b)))


OF_ONE: dict[str, Callable[..., Any]] = {
    "arctan": mp.atan,
    "arcsinh": mp.asinh,
    "arccosh": mp.acosh,
    "arctanh": mp.atanh,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "log1p": mp.log1p,
    "reciprocal": lambda x: 1 / x,
    "sqrt": mp.sqrt,
    "square": lambda x: x * x,
}
OF_TWO: dict[str, Callable[..., Any]] = {
    "arctan2": mp.atan2,
    "divide": lambda a, b: a / b,
    "hypot": lambda a, b: mp.sqrt(a * a + b * b),
    "logaddexp": _log_sum,
    "logaddexp2": lambda a, b: _log_sum(a * mp.log(2), b * mp.log(2)) / mp.log(2),
    "multiply": lambda a, b: a * b,
}


def _slope(function: Callable[..., Any], given: list[Any], position: int, along: Any = 1) -> Any:
    step = along * abs(given[position]) * mp.mpf(10) ** -60
    above, below = list(given), list(given)
    above[position] += step
    below[position] -= step
    return (function(*above) - function(*below)) / (2 * abs(step))


def _is_near(found: Any, expected: Any, given: list[Any], dtype: Any) -> bool:
    """Numbers as small as subnormal operands have as few digits as these."""
    limits = np.finfo(dtype)
    size = abs(expected)
    smallest = limits.dtype.type(min(float(abs(number)) for number in given))
    digits = float(np.spacing(smallest) / smallest)
    if size > float(limits.max) / 10:
        return not np.isfinite(found)
    if not np.isfinite(found):
        return False
    bound = 100 * max(digits, float(limits.eps)) * size + 100 * float(limits.tiny)
    return bool(abs(mp.mpmathify(complex(found)) - expected) <= bound)


def _require(
    name: str, exact: Callable[..., Any], columns: list[Any], position: int, along: Any = 1
) -> None:
    """That both modes have the derivative by one operand wherever the value is finite."""
    function = getattr(np, name)
    before, after = columns[:position], columns[position + 1 :]
    x = columns[position]

    def by(x: Any) -> Any:
        return function(*before, x, *after)

    value, tangent = sd.jvp(by, (x,), (np.full_like(x, along),))
    _, pullback = sd.vjp(by, x)
    gradient = pullback(np.ones_like(value))
    gradient = gradient[0] if isinstance(gradient, tuple) else gradient
    if x.dtype.kind == "c":
        gradient = np.conj(gradient) if value.dtype.kind == "c" else gradient.real
    for k in np.flatnonzero(np.isfinite(value)):
        given = [mp.mpmathify(column[k].item()) for column in columns]
        expected = _slope(exact, given, position, along)
        for found in (tangent[k], gradient[k]):
            assert _is_near(found, expected, given, x.dtype), (name, given, found)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("name", OF_ONE)
def test_of_one_number(name: str, dtype: str) -> None:
    x = np.array([sign * size for size in SIZES[dtype] for sign in (1.0, -1.0)], dtype)
    _require(name, OF_ONE[name], [x], 0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("name", OF_TWO)
@pytest.mark.one_in(4)
def test_of_two_numbers(name: str, position: int, dtype: str) -> None:
    sizes = SIZES[dtype]
    a = np.array([sign * size for size in sizes for _ in sizes for sign in (1.0, -1.0)], dtype)
    b = np.array([size for _ in sizes for size in sizes for _ in (1.0, -1.0)], dtype)
    _require(name, OF_TWO[name], [a, b], position)


OF_COMPLEX: dict[str, Callable[..., Any]] = {
    "angle": mp.arg,
    "arctan": mp.atan,
    "arctanh": mp.atanh,
    "log": mp.log,
    "reciprocal": lambda z: 1 / z,
    "sqrt": mp.sqrt,
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OF_COMPLEX)
def test_of_complex_numbers(name: str) -> None:
    sizes = [1e-300, 1e-170, 1e-150, 0.7, 1e20, 1e150, 1e170]
    z = np.array([size * np.exp(1j * turn) for size in sizes for turn in (0.3, 1.2, 2.0, -2.5)])
    _require(name, OF_COMPLEX[name], [z], 0)


def test_parts_of_a_sum_of_powers_of_large_numbers_add_up_to_one() -> None:
    for size in (1e20, -1e20, 1e150):
        x = np.array([size, size, -2 * abs(size), size])
        expected = np.array([1.0, 1.0, 0.0, 1.0]) / 3
        assert np.allclose(sd.grad(np.logaddexp.reduce)(x), expected, rtol=1e-15)
        assert sd.grad(lambda x: np.logaddexp(x, x + 0.0) + 0.0 * x)(size) == 1.0


def test_parts_of_a_sum_of_powers_keep_the_digits_of_single_precision() -> None:
    x = np.array([1e6, 1e6 + 1.0, 1e6 - 2.0], np.float32)
    parts = np.exp([0.0, 1.0, -2.0]) / np.sum(np.exp([0.0, 1.0, -2.0]))
    assert np.allclose(sd.grad(np.logaddexp.reduce)(x), parts, rtol=1e-6)
    first = sd.grad(lambda x: np.logaddexp(x[0], x[1]))(x)
    assert np.allclose(first[:2], parts[:2] / np.sum(parts[:2]), rtol=1e-6)


def test_the_curvature_of_logaddexp_is_that_of_the_logistic_function() -> None:
    second = sd.jacobian(sd.grad(lambda x: np.logaddexp(x[0], x[1])))
    p = 1.0 / (1.0 + np.exp(-0.6))
    expected = p * (1.0 - p) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert np.allclose(second(np.array([0.9, 0.3])), expected, rtol=1e-14)


def test_angles_of_python_numbers() -> None:
    import cmath
    import math

    assert sd.grad(math.atan2, (0, 1))(3e-170, 4e-170) == pytest.approx((1.6e169, -1.2e169))
    assert sd.grad(math.atan2, (0, 1))(3e170, 4e170) == pytest.approx((1.6e-171, -1.2e-171))
    assert sd.grad(lambda x: cmath.phase(complex(4e-170, x)))(3e-170) == pytest.approx(1.6e169)
    assert sd.grad(math.asinh)(1e160) == pytest.approx(1e-160)


HOMOGENEOUS: dict[str, tuple[Callable[..., Any], int]] = {  # with their degrees
    "average": (lambda x: np.average(x[0], weights=x[1]), 1),
    "corrcoef": (np.corrcoef, 0),
    "gradient": (lambda x: np.gradient(x[0], np.cumsum(x[1])), 0),
    "lstsq": (lambda x: np.linalg.lstsq(x[:2].T * 2.0**-40, x[2], rcond=None)[0], 0),
    "lstsq of a matrix": (
        lambda x: np.linalg.lstsq(x[:2].T * 2.0**-40, np.arange(4.0), rcond=None)[0],
        -1,
    ),
    "norm": (np.linalg.norm, 1),
    "pinv": (lambda x: np.linalg.pinv(x * 2.0**-40), -1),
    "polyfit": (lambda x: np.polyfit(np.cumsum(x[0]), x[1], 1)[0], 0),
    "quotient": (lambda x: x[0] / x[1], 0),
    "quotient of numbers": (lambda x: x[0, 0] / x[0, 1] / x[0, 2], -1),
    "scipy's norm": (lambda x: scipy.linalg.norm(x), 1),
    "std": (np.std, 1),
    "std of rows": (lambda x: np.std(x, axis=1, ddof=1), 1),
}


@pytest.mark.parametrize("size", [-500, -480, 0, 480, 500])
@pytest.mark.parametrize("name", HOMOGENEOUS)
def test_second_derivatives_are_of_the_function_s_degree(name: str, size: int) -> None:
    """Those of numbers of a usual magnitude are told by differences, of others by the degree."""
    call, degree = HOMOGENEOUS[name]

    def function(x: Any) -> Any:
        return call(x)

    random = np.random.default_rng(5)
    x, v, u = (random.uniform(0.5, 2.0, (3, 4)) for _ in range(3))
    w = random.normal(size=np.shape(function(x)))
    scale = 2.0**size

    def slope(x: Any) -> Any:
        return np.sum(w * (function(x + 1e-3 * v) - function(x - 1e-3 * v))) / 2e-3

    rough, fine = ((slope(x + h * u) - slope(x - h * u)) / (2 * h) for h in (2e-3, 1e-3))
    expected = (4 * fine - rough) / 3
    x, v, u = x * scale, v * scale, u * scale
    w = w / scale**degree

    def along(x: Any) -> Any:
        return sd.jvp(function, (x,), (v,))[1]

    def back(x: Any) -> Any:
        return sd.vjp(function, x)[1](w)[0]

    found = {
        "jvp of jvp": np.sum(w * sd.jvp(along, (x,), (u,))[1]),
        "jvp of vjp": np.sum(v * sd.jvp(back, (x,), (u,))[1]),
        "vjp of jvp": np.sum(u * sd.vjp(along, x)[1](w)[0]),
        "vjp of vjp": np.sum(u * sd.vjp(back, x)[1](v)[0]),
    }
    for mode, number in found.items():
        assert number == pytest.approx(expected, rel=2e-4, abs=1e-4), mode


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e307])
def test_the_norm_of_blas_is_of_any_size(size: float) -> None:
    x = np.array([3.0, -4.0])
    for along in (sd.grad(scipy.linalg.norm)(x * size), sd.grad(scipy.linalg.norm)(1j * x * size)):
        assert np.allclose(np.abs(along), [0.6, 0.8], rtol=1e-12)
    value, tangent = sd.jvp(scipy.linalg.norm, (x * size,), (x * size,))
    assert value == scipy.linalg.norm(x * size)
    assert tangent == pytest.approx(value)


RATIOS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "rel_entr": (lambda a, b: scipy.special.rel_entr(a, b), lambda a, b: -a / b),
    "xlog1py": (lambda a, b: scipy.special.xlog1py(a, b), lambda a, b: a / (1 + b)),
    "xlogy": (lambda a, b: scipy.special.xlogy(a, b), lambda a, b: a / b),
}


@pytest.mark.parametrize("along", ["units", "relative"])
@pytest.mark.parametrize("size", [2.0**-133, 2.0**-70, 1.0, 2.0**70, 2.0**120])
@pytest.mark.parametrize("name", RATIOS)
def test_a_factor_over_a_divisor_of_its_size(name: str, size: float, along: str) -> None:
    """The closed form, by the second operand: a product or a quotient overflows on the way."""
    call, slope = RATIOS[name]

    def function(a: Any, b: Any) -> Any:
        return call(a, b)

    a, b = (np.array(x, np.float32) * np.float32(size) for x in ([0.5, 3.0], [0.75, 0.5]))
    t = np.float32([1.0, -0.5]) * (np.float32(size) if along == "relative" else 1)
    expected = slope(a.astype(float), b.astype(float)) * t
    tangent = sd.jvp(function, (a, b), (np.zeros_like(a), t))[1]
    assert np.allclose(tangent, expected, rtol=1e-5, atol=1e-44)
    assert np.allclose(sd.vjp(function, a, b)[1](t)[1], expected, rtol=1e-5, atol=1e-44)


def test_a_factor_of_zero_over_any_divisor() -> None:
    def function(b: Any) -> Any:
        return scipy.special.xlogy(np.zeros(3), b)

    b = np.array([0.0, 1e-310, 2.0])
    assert np.array_equal(sd.vjp(function, b)[1](np.ones(3))[0], np.zeros(3))
    assert np.array_equal(sd.jvp(function, (b,), (np.ones(3),))[1], np.zeros(3))


def test_powm1_of_a_small_base_and_exponent_is_bent() -> None:
    """``p (p - 1) x ** (p - 2)`` is in range where ``x ** (p - 2)`` is not."""

    def function(x: Any) -> Any:
        return scipy.special.powm1(x, np.float32(1e-20))

    x = np.float32([1e-19, 3e-20])
    with np.errstate(over="ignore"):  # of the formula for a base of 0
        bend = sd.jvp(lambda x: sd.jvp(function, (x,), (np.ones_like(x),))[1], (x,), (x,))[1]
    exact = x.astype(float)
    assert np.allclose(bend, -1e-20 / exact**2 * exact, rtol=1e-4, atol=0)


def test_zero_over_a_subnormal_number_has_no_slope() -> None:
    def function(x: Any) -> Any:
        return np.zeros(2) / x

    x = np.array([1e-310, -3e-320])
    assert np.array_equal(sd.jvp(function, (x,), (np.ones(2),))[1], np.zeros(2))
    assert np.array_equal(sd.vjp(function, x)[1](np.ones(2))[0], np.zeros(2))
