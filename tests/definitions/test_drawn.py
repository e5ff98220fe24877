"""Draws from SciPy's distributions: their values, and how they move with the parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize(
    "draw",
    [
        lambda a, b: stats.norm.rvs(loc=a, scale=b, size=4, random_state=0),
        lambda a, b: stats.norm.rvs(a, b, (2, 3), random_state=1),
        lambda a, b: stats.norm.rvs(a, b, random_state=1),
        lambda a, b: stats.norm(a, b).rvs(4, random_state=np.int64(2)),
        lambda a, b: stats.norm(a).rvs(3, 2) * b,
        lambda a, b: stats.uniform.rvs(a, b, size=3, random_state=0),
        lambda a, b: stats.expon.rvs(scale=b, size=3, random_state=0) * a,
        lambda a, b: stats.laplace.rvs(np.array([a, b, 0.3]), b, random_state=0),
        lambda a, b: stats.lognorm.rvs(a, scale=b, size=3, random_state=0),  # by the quantiles
        lambda a, b: stats.weibull_min.rvs(a, size=3, random_state=0) * b,
    ],
)
def test_draws(draw: Any) -> None:
    check(draw, 0.9, 1.7, wrt=(0, 1))


@pytest.mark.parametrize(
    ("law", "shapes"),
    [("gamma", (1.4,)), ("beta", (1.4, 2.3)), ("t", (3.4,)), ("chi2", (2.6,)), ("f", (5.1, 6.4))],
)
def test_draws_keep_their_places_in_the_distribution(law: str, shapes: Any) -> None:
    """The same shares of the whole, by SciPy's own inverse, are what differences are taken of."""
    family = getattr(stats, law)
    shares = family.cdf(family.rvs(*shapes, size=3, random_state=5), *shapes)
    weights = np.array([1.0, 2.0, -1.5])

    def drawn(*shapes: Any) -> Any:
        return np.sum(family.rvs(*shapes, size=3, random_state=5) * weights)

    def moved(k: int, by: float) -> Any:
        given = [s + by * (j == k) for j, s in enumerate(shapes)]
        return np.sum(family.ppf(shares, *given) * weights)

    h = 1e-3
    for k in range(len(shapes)):
        first = (8 * (moved(k, h) - moved(k, -h)) - moved(k, 2 * h) + moved(k, -2 * h)) / (12 * h)
        assert sd.grad(drawn, argnums=k)(*shapes) == pytest.approx(first, rel=1e-8)
        second = 16 * (moved(k, h) + moved(k, -h)) - moved(k, 2 * h) - moved(k, -2 * h)
        second = (second - 30 * moved(k, 0.0)) / (12 * h * h)
        again = sd.grad(sd.grad(drawn, argnums=k), argnums=k)(*shapes)
        assert again == pytest.approx(second, rel=1e-5)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_draws_of_a_generator(make: Any) -> None:
    def two(a: Any, b: Any) -> Any:
        rng = make(3)
        return stats.norm.rvs(a, b, 4, random_state=rng) * stats.laplace(a, b).rvs(
            4, random_state=rng
        )

    check(two, 0.9, 1.7, wrt=(0, 1))


def test_a_generator_is_asked_once_in_the_order_of_the_statements() -> None:
    def drawn(a: Any, rng: Any) -> Any:
        total = 0.0
        for _ in range(3):
            total = total + stats.gamma.rvs(a, random_state=rng) * stats.norm.rvs(random_state=rng)
        return total

    theirs, ours, more = (np.random.default_rng(5) for _ in range(3))
    value, slope = sd.value_and_grad(drawn)(1.7, ours)
    assert value == drawn(1.7, theirs)
    assert ours.random() == theirs.random()
    _, tangent = sd.jvp(drawn, (1.7, more), (1.0, None))
    assert tangent == pytest.approx(slope, rel=1e-12)


def test_the_generator_of_numpy_is_asked_where_none_is_given() -> None:
    def drawn(a: Any, b: Any) -> Any:
        np.random.seed(4)
        return stats.norm.rvs(a, b, size=3) + stats.uniform(a, b).rvs()

    check(drawn, 0.9, 1.7, wrt=(0, 1))


MEAN, COVARIANCE = np.array([0.4, -0.3, 1.2]), np.array([1.3, 0.7, 2.1])


@pytest.mark.parametrize(
    "draw",
    [
        lambda m, v: stats.multivariate_normal.rvs(m, np.diag(v), 4, np.random.default_rng(2)),
        lambda m, v: stats.multivariate_normal(m, v).rvs((2, 3), random_state=2),
        lambda m, v: stats.multivariate_normal.rvs(m, v[0], random_state=2),
        lambda m, v: stats.multivariate_normal.rvs(m[0], v[0], 3, np.random.RandomState(2)),
        lambda m, v: stats.multivariate_normal.rvs(None, np.diag(v), random_state=2) * m,
        lambda m, v: stats.multivariate_t.rvs(m, np.eye(3), np.inf, 4, random_state=2) * v,
    ],
)
def test_normal_draws_of_several_variables(draw: Any) -> None:
    """Of variances alone: all roots of a covariance that is no more are the same one."""
    check(draw, MEAN, COVARIANCE, wrt=(0, 1))


def test_draws_of_the_multivariate_law_of_student_move_with_the_degrees() -> None:
    """By hand: normal noise over the root of a mean square that keeps its place in its law."""

    def drawn(m: Any, df: Any) -> Any:
        return stats.multivariate_t.rvs(m, np.eye(2), df, 3, random_state=7)

    rng = np.random.RandomState(7)
    squares = rng.chisquare(3.6, 3)
    places = stats.chi2.cdf(squares, 3.6)
    noise = rng.multivariate_normal(np.zeros(2), np.eye(2), 3)

    def moved(df: float) -> Any:
        return MEAN[:2] + noise / np.sqrt(stats.chi2.ppf(places, df) / df)[:, None]

    h = 1e-3
    first = 8 * (moved(3.6 + h) - moved(3.6 - h)) - moved(3.6 + 2 * h) + moved(3.6 - 2 * h)
    np.testing.assert_allclose(
        sd.jacobian(drawn, argnums=1)(MEAN[:2], 3.6), first / (12 * h), rtol=1e-8
    )


def test_draws_of_dirichlet_are_those_of_numpy() -> None:
    """Their derivative is that of the generator's own draw: the parts of a broken stick."""
    alpha, weights = np.array([0.8, 1.7, 2.4]), np.array([1.0, -2.0, 0.5])

    def drawn(alpha: Any, seed: Any) -> Any:
        return stats.dirichlet.rvs(alpha, 2, random_state=seed) @ weights

    def of_numpy(alpha: Any, seed: Any) -> Any:
        return seed.dirichlet(alpha, 2) @ weights

    given = sd.jacobian(drawn)(alpha, np.random.default_rng(3))
    np.testing.assert_array_equal(given, sd.jacobian(of_numpy)(alpha, np.random.default_rng(3)))
    assert drawn(alpha, 3).shape == sd.vjp(drawn, alpha, 3)[0].shape


def test_draws_of_dirichlet_have_the_derivatives_of_their_means() -> None:
    """``E[x²] = a (a + 1) / (s (s + 1))`` with ``s`` the sum: its derivatives in the mean."""
    alpha = np.array([0.6, 2.0, 3.5])

    def squares(a: Any) -> Any:
        return np.sum(stats.dirichlet.rvs(a, 6_000, random_state=1)[:, 0] ** 2) / 6_000

    def mean(a: Any) -> Any:
        return a[0] * (a[0] + 1.0) / (np.sum(a) * (np.sum(a) + 1.0))

    whole, first = np.sum(alpha), alpha[0]
    slopes = np.full(3, -mean(alpha) * (2.0 * whole + 1.0) / (whole * (whole + 1.0)))
    slopes[0] += (2.0 * first + 1.0) / (whole * (whole + 1.0))
    np.testing.assert_allclose(sd.grad(squares)(alpha), slopes, rtol=0.06, atol=1e-3)
    _, tangent = sd.jvp(squares, (alpha,), (np.ones(3),))
    np.testing.assert_allclose(tangent, np.sum(slopes), rtol=0.06)
