"""Means, variances, quantiles and entropies of distributions, against differences of SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions import DEFINITIONS
from symdiff.definitions.libraries import import_all
from symdiff.definitions.moments import ENTROPIES, MEANS, POWERS
from tests import reference
from tests.definitions import test_distributions, test_laws

stats = pytest.importorskip("scipy.stats")

FINITE = {"fisk": 2.9, "invgamma": 3.2, "lomax": 3.4, "pareto": 3.3, "t": 4.7}
SHAPES = test_distributions.SHAPES | test_laws.SHAPES | test_laws.COUNTS
SHAPES |= {name: (shape,) for name, shape in FINITE.items()}
WHOLE = ("mean", "var", "std", "stats", "entropy", "median")
NAMES = sorted({*MEANS, *ENTROPIES} - {"hypergeom"})


def summaries(name: str) -> Callable[..., Any]:
    """The program: all that is known of the distribution, by shapes, location and scale."""
    import_all()
    distribution = getattr(stats, name)

    def has(method: str) -> bool:
        return getattr(distribution, method) in DEFINITIONS

    known = [method for method in WHOLE if has(method)]
    orders = [] if name not in MEANS else [1, 2, 3, 4] if name in POWERS else [1, 2]
    given = SHAPES.get(name, ())
    fixed = {k: shape for k, shape in enumerate(given) if isinstance(shape, int)}

    def program(shapes: Any, loc: Any, scale: Any) -> Any:
        used = [fixed.get(k, shapes[k]) for k in range(len(given))]
        named = {"loc": loc} if name in test_laws.COUNTS else {"loc": loc, "scale": scale}
        found = [getattr(distribution, method)(*used, **named) for method in known]
        found += [distribution.moment(order, *used, **named) for order in orders]
        if has("interval"):
            found.append(distribution.interval(0.8, *used, **named))
        return tuple(found)

    return program


def _flat(made: Any) -> list[float]:
    if isinstance(made, tuple):
        return [number for part in made for number in _flat(part)]
    return [float(made)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.one_in(4)
def test_summaries(name: str):
    program, shapes = summaries(name), np.array([*map(float, SHAPES.get(name, ())), 0.0])
    loc, scale = 0.3, 1.4
    weights = np.random.default_rng(5).uniform(0.5, 1.5, 20)
    for along in np.eye(shapes.size + 1):
        u = (np.append(along[:-2], 0.0), along[-2], along[-1])
        value, tangent = sd.jvp(program, (shapes, loc, scale), u)
        assert _flat(value) == _flat(program(shapes, loc, scale))
        slope = reference.directional(
            lambda *a: _weighed(weights, program(*a)), (shapes, loc, scale), u, step=1e-2
        )
        assert _weighed(weights, tangent) == pytest.approx(slope.value, rel=1e-9, abs=1e-9)


def _weighed(weights: Any, made: Any) -> float:
    parts = _flat(made)
    return float(np.dot(weights[: len(parts)], parts))


def test_methods_of_distributions_with_parameters():
    def program(a: Any, scale: Any) -> Any:
        made = stats.gamma(a, scale=scale)
        low, high = made.interval(0.5)
        return made.mean() * made.var() + made.entropy() + made.std() + low * high + made.median()

    at = (np.array([1.3, 2.9]), np.array([0.7, 1.8]))
    for k in range(2):
        found = sd.grad(lambda *a: np.sum(program(*a)), k)(*at)
        for j in range(2):
            u = tuple(np.eye(2)[j] * (i == k) for i in range(2))
            slope = reference.directional(lambda *a: np.sum(program(*a)), at, u, step=1e-2)
            assert found[j] == pytest.approx(slope.value, rel=1e-9)


@pytest.mark.parametrize("a", [0.3, 200.0, 300.0, 1e5, 1e9])
def test_the_entropy_of_many_degrees_of_freedom(a: float):
    """By mpmath: ``1 + (1 - a) * psi1(a)``, and that of Student's law by its form."""
    with mpmath.workdps(60):
        expected = 1 + (1 - mpmath.mpf(a)) * mpmath.psi(1, a)
        assert sd.grad(stats.gamma.entropy)(a) == pytest.approx(float(expected), rel=1e-9)

        def student(df: Any) -> Any:
            apart = mpmath.psi(0, (df + 1) / 2) - mpmath.psi(0, df / 2)
            return (df + 1) / 2 * apart + mpmath.log(df) / 2 + mpmath.log(mpmath.beta(df / 2, 0.5))

        expected = mpmath.diff(student, mpmath.mpf(a), h=mpmath.mpf(a) * mpmath.mpf(10) ** -20)
        assert sd.grad(stats.t.entropy)(a) == pytest.approx(float(expected), rel=1e-8)


def test_parameters_of_no_law_and_moments_that_do_not_exist():
    a = np.array([-1.0, 0.5, 1.5, 2.5])
    value, pullback = sd.vjp(lambda a: (stats.pareto.mean(a), stats.pareto.var(a)), a)
    assert np.array_equal(value[0], stats.pareto.mean(a), equal_nan=True)
    slopes = pullback((np.ones(4), np.zeros(4)))[0]
    np.testing.assert_allclose(slopes[1:], [0.0, -1.0 / 0.25, -1.0 / 2.25], rtol=1e-14)
    with pytest.raises(ValueError, match="alpha must be between"):
        sd.grad(lambda x: stats.norm.interval(1.5, x)[0])(0.3)


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x: stats.norm.stats(x, moments="mvsk")[2], "scipy.stats.norm.stats with moments"),
        (lambda x: stats.chi.moment(3, x), "scipy.stats.chi.moment with order=3"),
        (lambda x: stats.kappa3.mean(x), "scipy.stats.kappa3.mean"),
    ],
)
def test_what_is_not_known_is_told(function: Callable[..., Any], named: str):
    with pytest.raises(sd.UnsupportedCallError, match=named.replace(".", r"\.")):
        sd.grad(function)(2.5)
