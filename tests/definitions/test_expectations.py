"""Expectations by distributions of ``scipy.stats``: closed forms, and values in every bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

stats = pytest.importorskip("scipy.stats")
mpmath = pytest.importorskip("mpmath")


class Even(stats.rv_continuous):
    """A law of a user's own, under a name of SciPy's."""

    def _pdf(self, x):
        return 1.0 + 0.0 * x


OTHER = Even(a=0.0, b=1.0, name="norm")()
OUTSIDE = stats.gamma(2.5, scale=0.5)

# Functions of a number, and their closed forms in mpmath.
CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "squares, of a normal": (
        lambda a: stats.norm.expect(lambda t: t * t, loc=a, scale=2.0 * a),
        lambda a: a**2 + 4 * a**2,
    ),
    "the mean": (
        lambda a: stats.halfnorm.expect(loc=a, scale=a**2),
        lambda a: a + a**2 * mpmath.sqrt(2 / mpmath.pi),
    ),
    "a density without bound at an end that moves": (
        lambda a: stats.gamma.expect(lambda t: np.exp(-0.5 * t), args=(a,), loc=a, scale=2.0 * a),
        lambda a: mpmath.exp(-a / 2) * (1 + a) ** -a,
    ),
    "both ends and the function": (
        lambda a: stats.beta.expect(lambda t: t**a, args=(a, 2.0)),
        lambda a: mpmath.beta(2 * a, 2) / mpmath.beta(a, 2),
    ),
    "between ends that are given": (
        lambda a: stats.expon(a).expect(lambda t: 1, lb=2.0 * a, ub=5.0 * a),
        lambda a: mpmath.exp(-a) - mpmath.exp(-4 * a),
    ),
    "an end before that of the support": (
        lambda a: stats.expon(scale=a).expect(lambda t: t, lb=-a, conditional=True),
        lambda a: a,
    ),
    "of what lies between ends": (
        lambda a: stats.uniform(loc=a).expect(lambda t: t, lb=a, ub=a + a**2, conditional=True),
        lambda a: a + a**2 / 2,
    ),
    "made outside": (
        lambda a: OUTSIDE.expect(lambda t: t**a),
        lambda a: mpmath.mpf(2) ** -a * mpmath.gamma(2.5 + a) / mpmath.gamma(2.5),
    ),
    "parameters by name": (
        lambda a: stats.gamma(a=a, loc=1.0).expect(lambda t: a * t, epsabs=1e-12),
        lambda a: a * (a + 1),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_expectations_have_the_slopes_of_their_closed_forms(name: str) -> None:
    function, closed = CASES[name]
    a = 0.7
    value, slope = sd.value_and_grad(function)(a)
    assert value == function(a)
    first, second = (float(mpmath.diff(closed, a, order)) for order in (1, 2))
    np.testing.assert_allclose(slope, first, rtol=1e-7)
    np.testing.assert_allclose(sd.jvp(function, (a,), (2.0,))[1], 2.0 * first, rtol=1e-7)
    np.testing.assert_allclose(sd.grad(sd.grad(function))(a), second, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda a: stats.genextreme.expect(np.cos, args=(a,)), "a support that rests on"),
        (lambda a: OTHER.expect(lambda t: a * t), "whose density is not known"),
        (lambda a: stats.poisson(a).expect(np.cos), "whose density is not known"),
        (lambda a: stats.vonmises.expect(np.cos, args=(a,)), "no rule for scipy.stats.vonmises"),
        (lambda a: stats.norm.expect(np.cos, loc=a, complex_func=True), "complex_func"),
    ],
)
def test_other_expectations_are_refused(function: Any, reason: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=reason):
        sd.grad(function)(0.3)
