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


def test_draws_of_a_generator_are_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="random_state="):
        sd.grad(lambda a: stats.norm.rvs(a))(1.0)
