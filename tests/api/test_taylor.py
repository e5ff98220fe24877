"""Taylor coefficients against mpmath's, which extrapolates differences of many digits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import integrate, optimize, special

import symdiff as sd
from symdiff.errors import GradientShapeError, UnsupportedCallError

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def exactly(f: Function, x0: float, order: int) -> np.ndarray:
    with mpmath.workdps(60):
        return np.array([float(c) for c in mpmath.taylor(f, mpmath.mpf(x0), order)])


mp = mpmath
EXPRESSIONS: list[tuple[Function, Function]] = [
    (lambda x: np.sin(x) * x**3, lambda x: mp.sin(x) * x**3),
    (lambda x: np.exp(np.cos(x)) / (1 + x * x), lambda x: mp.exp(mp.cos(x)) / (1 + x * x)),
    (lambda x: np.tanh(x) ** 2 * np.log(x), lambda x: mp.tanh(x) ** 2 * mp.log(x)),
    (lambda x: math.sqrt(x) * math.atan(x), lambda x: mp.sqrt(x) * mp.atan(x)),
    (lambda x: x**2.5 + 2.0**x, lambda x: x ** mp.mpf(2.5) + mp.mpf(2) ** x),
    (lambda x: x**x - 1 / x, lambda x: x**x - 1 / x),
    (lambda x: np.arcsin(x / 2) + np.log1p(x), lambda x: mp.asin(x / 2) + mp.log1p(x)),
    (lambda x: np.cbrt(x) * np.tan(x), lambda x: mp.cbrt(x) * mp.tan(x)),
    (lambda x: special.erf(x) * special.expit(x), lambda x: mp.erf(x) / (1 + mp.exp(-x))),
    (lambda x: special.gammaln(x) + special.jv(0, x), lambda x: mp.loggamma(x) + mp.besselj(0, x)),
    (lambda x: np.logaddexp(x, 2 * x), lambda x: mp.log(mp.exp(x) + mp.exp(2 * x))),
    (lambda x: np.hypot(x, 1 - x), lambda x: mp.sqrt(x * x + (1 - x) ** 2)),
    (lambda x: abs(-x) * max(x, 0.1), lambda x: x * x),
    (lambda x: np.nan_to_num(x) * np.interp(x, [0.0, 1.0], [1.0, 3.0]), lambda x: x + 2 * x * x),
]


@pytest.mark.parametrize("x0", [0.3, 0.7])
@pytest.mark.parametrize(("f", "exact"), EXPRESSIONS)
def test_expressions(f: Function, exact: Function, x0: float):
    wanted = exactly(exact, x0, 8)
    found = sd.taylor(f, x0, 8)
    assert found.shape == (9,)
    assert found.dtype == np.float64
    scale = np.abs(wanted) + x0 ** -np.arange(9.0) * 1e-3
    assert np.all(np.abs(found - wanted) <= 1e-13 * scale)


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x: x**4, [0, 0, 0, 0, 1, 0]),
        (lambda x: x * x * x, [0, 0, 0, 1, 0, 0]),
        (lambda x: 1 / (1 - x), [1, 1, 1, 1, 1, 1]),
        (lambda x: np.exp(x) * x, [0, 1, 1, 1 / 2, 1 / 6, 1 / 24]),
        (lambda x: 3.0, [3, 0, 0, 0, 0, 0]),
        (lambda x: x, [0, 1, 0, 0, 0, 0]),
    ],
)
def test_at_zero(f: Function, wanted: list[float]):
    np.testing.assert_allclose(sd.taylor(f, 0.0, 5), wanted, rtol=1e-15, atol=0)


def continued(x):
    y = np.array([x, 2 * x, 1.0])
    z = np.zeros(3)
    for k in range(3):
        z[k] = y[k] ** 2 + (z[k - 1] if k else 0.0)
    if x > 0:
        z = z * x
    return z @ y


def until_large(x):
    y, turns = x, 0
    while y < 5:
        y = y * np.cosh(0.3 * y) + 0.5
        turns += 1
    return y * turns


def until_large_exactly(x):
    y = x
    for turns in range(9):
        if y >= 5:
            return y * turns
        y = y * mp.cosh(mp.mpf(0.3) * y) + mp.mpf(0.5)
    raise AssertionError


def damped(x):
    y = np.sin(x)
    for _ in range(3):
        y = y * np.cos(y + x)
    return y


def with_calls(x):
    total = 0.0
    for k in range(3):
        total = total + damped(x * k)
    return total


def with_calls_exactly(x):
    total = mp.mpf(0)
    for k in range(3):
        y = mp.sin(x * k)
        for _ in range(3):
            y = y * mp.cos(y + x * k)
        total = total + y
    return total


def solved(x):
    a = np.array([[2.0, 1.0], [0.5, 3.0]]) + x * np.eye(2)
    return np.linalg.solve(a, np.array([x, 1.0]))[1] + np.linalg.norm(a[0])


def solved_exactly(x):
    a = mp.matrix([[2 + x, 1], [mp.mpf(0.5), 3 + x]])
    return mp.lu_solve(a, mp.matrix([x, 1]))[1] + mp.sqrt((2 + x) ** 2 + 1)


def bound_on_a_path(x):
    for k in range(3):
        if k == 1:
            y = np.array([x, x * x]) * k
    if x > 5:
        z = np.sin(x)
    return y @ y if x < 5 else z


@pytest.mark.parametrize(
    ("f", "exact"),
    [
        (bound_on_a_path, lambda x: x**2 + x**4),
        (continued, lambda x: x * (x**3 + 10 * x**3 + 5 * x**2 + 1)),
        (until_large, until_large_exactly),
        (with_calls, with_calls_exactly),
        (solved, solved_exactly),
        (lambda x: np.prod(np.sort(np.array([x, 1.0, x + 2.0]))), lambda x: x * (x + 2)),
        (lambda x: np.sum(np.outer([x, 1], [x, x]) @ np.ones(2)), lambda x: 2 * x * (x + 1)),
        (lambda x: np.where(x > 0, np.sqrt(x), x**2), mp.sqrt),
    ],
)
def test_programs(f: Function, exact: Function):
    np.testing.assert_allclose(sd.taylor(f, 0.6, 6), exactly(exact, 0.6, 6), rtol=1e-11, atol=1e-12)


ROW = np.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize(
    ("f", "exact"),
    [
        (lambda x: np.sum(ROW + x), lambda x: 1.5 + 3 * x),
        (lambda x: np.sum(x - ROW[:0]), lambda x: 0 * x),
        (lambda x: (x * x - ROW) @ ROW, lambda x: 1.5 * x * x - 5.25),
        (lambda x: (ROW[:, None] + (ROW - x))[2, 1], lambda x: 1 - x),
        (lambda x: np.outer(ROW + np.sin(x), ROW)[0, 2], lambda x: 1 + 2 * mp.sin(x)),
        (lambda x: np.concatenate([ROW + x, ROW])[1], lambda x: x - 1),
        (lambda x: np.cumsum(x + ROW)[2] ** 2, lambda x: (1.5 + 3 * x) ** 2),
        (lambda x: np.std(ROW * x + x), lambda x: x * mp.sqrt(mp.mpf(3) / 2)),
        (lambda x: np.sum(ROW.astype(np.float32) + np.exp(x)), lambda x: 1.5 + 3 * mp.exp(x)),
        (
            lambda x: np.sum(np.maximum(x, ROW) ** 2),
            lambda x: 2 * x**2 + 4 if x > 0.5 else x**2 + 4.25,
        ),
    ],
)
def test_numbers_that_meet_arrays(f: Function, exact: Function):
    wanted = exactly(exact, 0.6, 5)
    np.testing.assert_allclose(sd.taylor(f, 0.6, 5), wanted, rtol=1e-14, atol=1e-14)
    first = exactly(exact, 0.6, 2)[1:] * [1.0, 2.0]
    again = sd.value_and_grad(lambda x: sd.taylor(f, x, 2)[1])(0.6)
    np.testing.assert_allclose(again, first, rtol=1e-14, atol=1e-14)


LOGARITHMS: list[tuple[Function, Function]] = [
    (lambda x: special.xlog1py(x, x), lambda x: x * mp.log(1 + x)),
    (lambda x: special.xlogy(x * x, 2 + x), lambda x: x * x * mp.log(2 + x)),
    (lambda x: special.rel_entr(1 + x, 2 - x), lambda x: (1 + x) * mp.log((1 + x) / (2 - x))),
    (
        lambda x: np.sum(special.xlogy(np.array([1.0, 0.0]) * x, np.array([1.0, 2.0]) + x)),
        lambda x: x * mp.log(1 + x),
    ),
    (
        lambda x: sd.grad(lambda t: special.xlog1py(t * x, t))(x),
        lambda x: x * mp.log(1 + x) + x * x / (1 + x),
    ),
]


@pytest.mark.parametrize("x0", [0.0, 0.3])
@pytest.mark.parametrize(("f", "exact"), LOGARITHMS)
def test_products_with_logarithms_that_are_zero_at_the_point(
    f: Function, exact: Function, x0: float
):
    wanted = exactly(exact, x0, 6)
    np.testing.assert_allclose(sd.taylor(f, x0, 6), wanted, rtol=1e-13, atol=1e-14)
    second = sd.jvp(sd.grad(lambda x: sd.taylor(f, x, 1)[0]), (x0,), (0.5,))[1]
    np.testing.assert_allclose(second, wanted[2], rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("f", "exact"),
    [
        (lambda x: integrate.quad(lambda t: np.sin(t * x), 0, 1)[0], lambda x: (1 - mp.cos(x)) / x),
        (lambda x: optimize.brentq(lambda t: t * t - x, 0, 2, xtol=1e-14), mp.sqrt),
        (
            lambda x: integrate.solve_ivp(
                lambda t, y: -x * y, (0, 1), [1.0], rtol=1e-10, atol=1e-12
            ).y[0, -1],
            lambda x: mp.exp(-x),
        ),
    ],
)
def test_integrals_and_roots(f: Function, exact: Function):
    np.testing.assert_allclose(sd.taylor(f, 0.4, 4), exactly(exact, 0.4, 4), rtol=1e-8, atol=1e-9)


def test_arrays_and_structures():
    found = sd.taylor(lambda x: {"a": np.array([x, x * x]), "b": [np.exp(x)]}, 1.0, 2)
    np.testing.assert_array_equal(found["a"], [[1.0, 1.0], [1.0, 2.0], [0.0, 1.0]])
    np.testing.assert_allclose(found["b"][0], math.e * np.array([1.0, 1.0, 0.5]))


def test_kinds_of_numbers():
    assert sd.taylor(np.sin, np.float32(1.0), 3).dtype == np.float32
    assert sd.taylor(np.sin, np.array(1.0), 3).shape == (4,)
    np.testing.assert_allclose(sd.taylor(np.sin, 2, 1), [math.sin(2), math.cos(2)])
    np.testing.assert_allclose(
        sd.taylor(np.exp, 1j, 2), np.exp(1j) * np.array([1.0, 1.0, 0.5]), rtol=1e-15
    )


def third(x):
    return sd.taylor(lambda t: np.sin(t) * np.exp(t * x), x, 3)[3]


def third_exactly(x):
    """The coefficient of t³ in exp(x²) (sin x + …): by the product of the two series."""
    s = [mp.sin(x), mp.cos(x), -mp.sin(x) / 2, -mp.cos(x) / 6]
    e = [mp.exp(x * x) * x**k / mp.factorial(k) for k in range(4)]
    return sum(s[k] * e[3 - k] for k in range(4))


def test_coefficients_are_differentiated_again():
    value, first, half_second = exactly(third_exactly, 0.4, 2)
    assert third(0.4) == pytest.approx(value, rel=1e-13)
    assert sd.grad(third)(0.4) == pytest.approx(first, rel=1e-12)
    assert sd.jvp(third, (0.4,), (2.0,))[1] == pytest.approx(2 * first, rel=1e-12)
    assert sd.grad(sd.grad(third))(0.4) == pytest.approx(2 * half_second, rel=1e-11)
    assert sd.jvp(sd.grad(third), (0.4,), (1.0,))[1] == pytest.approx(2 * half_second, rel=1e-11)
    of_gradient = sd.taylor(sd.grad(lambda x: x**5), 1.0, 3)
    np.testing.assert_allclose(of_gradient, [5.0, 20.0, 30.0, 20.0], rtol=1e-15)
    batch = sd.vmap(lambda x: sd.taylor(np.sin, x, 2))(np.array([0.0, 1.0]))
    sines, cosines = np.sin([0.0, 1.0]), np.cos([0.0, 1.0])
    np.testing.assert_allclose(batch, np.stack([sines, cosines, -sines / 2], axis=1))


def test_a_rule_of_the_users():
    @sd.custom_jvp
    def cube(x):
        return x * x * x

    cube.defjvp(lambda p, t: (p[0] ** 3, 3 * p[0] ** 2 * t[0]))
    np.testing.assert_allclose(sd.taylor(lambda x: cube(x) * x, 2.0, 4), [16, 32, 24, 8, 1])


def test_the_program_is_short_and_found_in_little_time():
    def timed(order: int) -> float:
        def f(x):
            return np.exp(np.sin(x)) / (1 + x * x)

        start = time.perf_counter()
        found = sd.taylor(f, 0.5, order)
        assert np.all(np.isfinite(found))
        return time.perf_counter() - start

    timed(3)
    assert timed(32) < 16 * timed(8) + 1.0  # the coefficients have order² terms
    made = sd.differentiable(lambda x: np.sin(x) * x**3)._taylor(8)
    assert len(made.source("float").splitlines()) < 25


def test_what_is_refused():
    with pytest.raises(ValueError, match="order is 0, 1, 2"):
        sd.taylor(np.sin, 1.0, -1)
    with pytest.raises(GradientShapeError, match="not a function of one number"):
        sd.taylor(lambda x: x * x, np.ones(2), 2)

    def recurses(x):
        return x if x < 0.1 else x * recurses(x * 0.5)

    with pytest.raises(UnsupportedCallError, match="calls itself"):
        sd.taylor(recurses, 0.9, 3)
    with pytest.raises(UnsupportedCallError, match="no Taylor coefficients of") as caught:
        sd.taylor(lambda x: np.linalg.eigh(x * np.eye(2) + np.ones((2, 2)))[0][0], 1.0, 2)
    assert caught.value.span is not None
    with pytest.raises(UnsupportedCallError):
        sd.taylor(lambda x: float(str(x)), 1.0, 2)
