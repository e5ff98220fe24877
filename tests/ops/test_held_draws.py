"""Draws by their parameters: as quantiles of what was drawn, by mpmath, and in closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from tests.test_programs import same

mp = mpmath.mp.clone()
mp.dps = 30
SOURCES: list[Callable[[], Any]] = [
    lambda: np.random.default_rng(5),
    lambda: np.random.RandomState(5),
]


def gamma(y: Any, a: Any, s: Any = 1) -> Any:
    return mp.gammainc(a, 0, y / s, regularized=True)


def beta(y: Any, a: Any, b: Any) -> Any:
    return mp.betainc(a, b, 0, y, regularized=True)


def sigmoid(u: Any) -> Any:
    return 1 / (1 + mp.exp(-u))


def student(y: Any, df: Any) -> Any:
    tail = beta(df / (df + y * y), df / 2, mp.mpf(1) / 2) / 2
    return tail if y < 0 else 1 - tail


LAWS: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "standard_gamma": (gamma, (0.35,)),
    "gamma": (gamma, (2.3, 1.7)),
    "chisquare": (lambda y, df: gamma(y, df / 2, 2), (3.3,)),
    "beta": (beta, (0.6, 2.8)),
    "standard_t": (student, (3.7,)),
    "f": (lambda y, n, d: beta(n * y / (n * y + d), n / 2, d / 2), (2.6, 5.5)),
    "lognormal": (lambda y, m, s: mp.ncdf((mp.log(y) - m) / s), (0.3, 0.8)),
    "weibull": (lambda y, a: 1 - mp.exp(-(y**a)), (1.8,)),
    "power": (lambda y, a: y**a, (1.8,)),
    "pareto": (lambda y, a: 1 - (1 + y) ** -a, (1.8,)),
    "uniform": (lambda y, low, high: (y - low) / (high - low), (0.3, 1.7)),
    "laplace": (
        lambda y, m, s: mp.sign(y - m) * (1 - mp.exp(-abs(y - m) / s)),
        (0.3, 1.7),
    ),
    "logistic": (lambda y, m, s: 1 / (1 + mp.exp(-(y - m) / s)), (0.3, 1.7)),
    "gumbel": (lambda y, m, s: mp.exp(-mp.exp(-(y - m) / s)), (0.3, 1.7)),
    "rayleigh": (lambda y, s: mp.exp(-((y / s) ** 2) / 2), (1.7,)),
}


def moved(name: str, y: float, parameters: tuple[float, ...]) -> Callable[..., Any]:
    """What is drawn with other parameters where it has the same probability."""
    below = LAWS[name][0]
    given = [mp.mpf(p) for p in parameters]
    level = below(mp.mpf(y), *given)
    return lambda *other: mp.findroot(lambda z: below(z, *other) - level, mp.mpf(y))


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize("name", LAWS)
def test_a_draw_keeps_its_probability(make: Callable[[], Any], name: str) -> None:
    parameters = LAWS[name][1]

    def program(rng: Any, *parameters: Any) -> Any:
        return getattr(rng, name)(*parameters)

    y = program(make(), *parameters)
    function = moved(name, y, parameters)
    count = len(parameters)
    wrt = tuple(range(1, count + 1))
    value, gradient = sd.value_and_grad(program, wrt)(make(), *parameters)
    assert same(value, y)
    curved = sd.hessian(program, wrt)(make(), *parameters)
    for i in range(count):
        first = [int(k == i) for k in range(count)]
        expected = mp.diff(function, tuple(map(mp.mpf, parameters)), tuple(first))
        assert gradient[i] == pytest.approx(float(expected), rel=1e-10)
        tangent = sd.jvp(program, (make(), *parameters), (None, *map(float, first)))[1]
        assert tangent == pytest.approx(float(expected), rel=1e-10)
        for j in range(count):
            orders = tuple(one + (k == j) for k, one in enumerate(first))
            expected = mp.diff(function, tuple(map(mp.mpf, parameters)), orders)
            assert curved[i][j] == pytest.approx(float(expected), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize("name", LAWS)
def test_many_draws_are_each_by_its_own(make: Callable[[], Any], name: str) -> None:
    parameters = LAWS[name][1]
    first = parameters[0] * np.array([[0.8], [1.1]])

    def program(first: Any, rng: Any) -> Any:
        drawn = getattr(rng, name)
        return drawn(first, *parameters[1:], size=(2, 3)) + drawn(first, *parameters[1:])

    value, tangent = sd.jvp(program, (first, make()), (np.array([[1.0], [0.5]]), None))
    assert same(value, program(first, make()))
    rng, total = make(), np.zeros((2, 3))
    for shape in ((2, 3), (2, 1)):
        drawn = getattr(rng, name)(first, *parameters[1:], size=shape)
        for i, j in np.ndindex(shape):
            given = (first[i, 0], *parameters[1:])
            function = moved(name, drawn[i, j], given)
            orders = (1, *[0] * (len(given) - 1))
            slope = float(mp.diff(function, tuple(map(mp.mpf, given)), orders))
            total[i, slice(j, j + 1) if shape[1] == 3 else slice(None)] += (1.0, 0.5)[i] * slope
    np.testing.assert_allclose(tangent, total, rtol=1e-9)


def test_functions_of_the_module_are_differentiated_too() -> None:
    def program(a: Any) -> Any:
        np.random.seed(3)
        return np.random.gamma(a) * np.random.uniform(0.0, a)

    np.random.seed(3)
    y = np.random.gamma(1.4)
    slope = float(mp.diff(moved("gamma", y, (1.4,)), mp.mpf(1.4)))
    u = np.random.random()
    assert sd.grad(program)(1.4) == pytest.approx(slope * 1.4 * u + y * u, rel=1e-10)


@pytest.mark.parametrize("make", SOURCES)
def test_a_point_of_a_simplex(make: Callable[[], Any]) -> None:
    """Its parts are, from the first on, shares of what is left, each of a beta distribution."""
    alpha = np.array([0.7, 1.9, 1.2])
    y = make().dirichlet(alpha)

    def point(*alpha: Any) -> list[Any]:
        left, parts = mp.mpf(1), []
        for k in range(2):
            share = mp.mpf(y[k]) / sum(map(mp.mpf, y[k:]))
            level = beta(share, ALPHA[k], sum(ALPHA[k + 1 :]))
            rest = sum(alpha[k + 1 :])
            found = mp.findroot(lambda z: beta(z, alpha[k], rest) - level, share)  # noqa: B023
            parts.append(left * found)
            left *= 1 - found
        return [*parts, left]

    ALPHA = [mp.mpf(a) for a in alpha]
    found = sd.jacobian(lambda a, rng: rng.dirichlet(a))(alpha, make())
    for i in range(3):
        for k in range(3):
            orders = tuple(int(k == n) for n in range(3))
            expected = mp.re(mp.diff(lambda *a: point(*a)[i], tuple(ALPHA), orders))  # noqa: B023
            assert found[i, k] == pytest.approx(float(expected), rel=1e-8, abs=1e-12)
    assert same(sd.value_and_grad(lambda a, rng: rng.dirichlet(a)[0])(alpha, make())[0], y[0])


@pytest.mark.parametrize("make", SOURCES)
def test_a_normal_vector_moves_with_the_factor_of_its_covariance(make: Callable[[], Any]) -> None:
    mean, a = np.array([0.3, -0.4, 0.7]), np.array([[1.5, 0, 0], [0.3, 1.1, 0], [-0.2, 0.4, 0.9]])

    def program(mean: Any, a: Any, rng: Any) -> Any:
        return rng.multivariate_normal(mean, a @ a.T, 4)

    y = program(mean, a, make())
    noise = np.linalg.solve(a, (y - mean).T)
    step = np.tril(np.arange(1.0, 10.0).reshape(3, 3)) / 10
    value, tangent = sd.jvp(program, (mean, a, make()), (np.ones(3), step, None))
    assert same(value, y)
    np.testing.assert_allclose(tangent, 1.0 + (step @ noise).T, rtol=1e-11)
    by_mean = sd.grad(lambda m, rng: np.sum(rng.multivariate_normal(m, np.ones((2, 2))) ** 2))
    drawn = make().multivariate_normal(np.zeros(2), np.ones((2, 2)))
    np.testing.assert_allclose(by_mean(np.zeros(2), make()), 2 * drawn, rtol=1e-12)


@pytest.mark.parametrize("method", ["cholesky", "svd", "eigh"])
def test_normal_vectors_of_any_method_move_alike(method: Any) -> None:
    """As those redrawn by Cholesky's factor do, from where they lie."""
    cov, t = np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([[0.2, 0.5], [0.5, -0.3]])

    def program(cov: Any) -> Any:
        rng = np.random.default_rng(3)
        return rng.multivariate_normal(np.zeros(2), cov, method=method)

    factors = [np.linalg.cholesky(cov + step * t) for step in (1e-6, -1e-6)]
    noise = np.linalg.solve(np.linalg.cholesky(cov), program(cov))
    expected = (factors[0] - factors[1]) @ noise / 2e-6
    np.testing.assert_allclose(sd.jvp(program, (cov,), (t,))[1], expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("make", SOURCES)
def test_parameters_that_are_none_raise_what_numpy_raises(make: Callable[[], Any]) -> None:
    cases: list[tuple[Callable[..., Any], tuple[float, ...]]] = [
        (lambda rng, a: rng.gamma(a, 1.0), (-1.0,)),
        (lambda rng, a: rng.gamma(1.0, a), (-1.0,)),
        (lambda rng, a: rng.beta(a, 1.0), (0.0,)),
        (lambda rng, a: rng.chisquare(a), (-0.5,)),
        (lambda rng, a: rng.laplace(0.0, a), (-0.5,)),
        (lambda rng, a: rng.uniform(0.0, a), (np.inf,)),
        (lambda rng, a: rng.uniform(a, 0.5), (np.nan,)),
        (lambda rng, a: rng.uniform(a, 0.5), (0.75,)),
    ]
    for function, args in cases:
        rng = make()
        try:
            expected: Any = function(rng, *args)
        except (ValueError, OverflowError) as error:
            with pytest.raises(type(error), match=f"^{error}"):
                sd.grad(function, 1)(make(), *args)
        else:
            assert same(sd.value_and_grad(function, 1)(make(), *args)[0], expected)
