"""Numerical inverses of ``scipy.stats.sampling``: the slopes of the places that they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError

stats = pytest.importorskip("scipy.stats")
sampling = pytest.importorskip("scipy.stats.sampling")
special = pytest.importorskip("scipy.special")

SHARES = np.array([0.001, 0.2, 0.5, 0.8, 0.999])


class Bell:
    """A normal law, of which the density is not normalised."""

    def __init__(self, narrow: float) -> None:
        self.narrow = narrow

    def pdf(self, x: Any) -> Any:
        return np.exp(-0.5 * self.narrow * x * x)


class Shares(Bell):
    def pdf(self, x: Any) -> Any:
        return np.sqrt(0.5 * self.narrow / np.pi) * super().pdf(x)

    def cdf(self, x: Any) -> Any:
        return special.ndtr(np.sqrt(self.narrow) * x)


BY_DENSITY = sampling.NumericalInversePolynomial(Bell(2.0))
BETWEEN = sampling.NumericalInversePolynomial(Bell(2.0), domain=(-0.3, np.inf))
BY_SHARES = sampling.NumericalInverseHermite(Shares(2.0), u_resolution=1e-12)
BETWEEN_SHARES = sampling.NumericalInverseHermite(Shares(2.0), domain=(-0.3, 1.0))
LAW = stats.norm(scale=0.5**0.5)


@pytest.mark.parametrize(
    ("generator", "ends"),
    [
        (BY_DENSITY, (-np.inf, np.inf)),
        (BETWEEN, (-0.3, np.inf)),
        (BY_SHARES, (-np.inf, np.inf)),
        (BETWEEN_SHARES, (-0.3, 1.0)),
    ],
)
def test_slopes_of_places_are_those_of_the_exact_inverse(generator: Any, ends: Any) -> None:
    def place(u: Any) -> Any:
        return generator.ppf(u)

    whole = LAW.cdf(ends[1]) - LAW.cdf(ends[0])
    at = LAW.ppf(LAW.cdf(ends[0]) + whole * SHARES)
    slope = whole / LAW.pdf(at)
    np.testing.assert_allclose(np.diag(sd.jacobian(place)(SHARES)), slope, rtol=2e-5)
    _, tangent = sd.jvp(place, (SHARES,), (np.ones(5),))
    np.testing.assert_allclose(tangent, slope, rtol=2e-5)
    bend = sd.derivative(place, 2)(0.3)
    middle = LAW.ppf(LAW.cdf(ends[0]) + whole * 0.3)
    np.testing.assert_allclose(bend, 2.0 * middle * (whole / LAW.pdf(middle)) ** 2, rtol=2e-5)
    assert sd.grad(place)(np.float32(0.3)).dtype == np.float32
    assert sd.jacobian(place)(np.zeros(0)).shape == (0, 0)


def test_the_share_below_a_place_has_the_density_as_slope() -> None:
    def share(x: Any) -> Any:
        return BY_DENSITY.cdf(x)

    x = np.array([-1.2, 0.0, 0.7])
    np.testing.assert_allclose(np.diag(sd.jacobian(share)(x)), LAW.pdf(x), rtol=1e-8)


def test_a_generator_may_be_an_argument() -> None:
    def place(generator: Any, u: Any) -> Any:
        return generator.ppf(u)

    slope = sd.grad(place, argnums=1)
    for narrow in (2.0, 5.0, 2.0):
        generator = sampling.NumericalInversePolynomial(Bell(narrow))
        law = stats.norm(scale=narrow**-0.5)
        np.testing.assert_allclose(slope(generator, 0.3), 1.0 / law.pdf(law.ppf(0.3)), rtol=1e-7)


@pytest.mark.parametrize("kind", ["NumericalInversePolynomial", "NumericalInverseHermite"])
def test_slopes_of_a_law_that_was_changed_behind_the_generator_are_nan(kind: str) -> None:
    law = Shares(2.0)
    generator = getattr(sampling, kind)(law)

    def place(u: Any) -> Any:
        return generator.ppf(u)

    assert np.isfinite(sd.grad(place)(0.3))
    law.narrow = 3.0
    for u in (0.3, 0.5):
        assert np.isnan(sd.grad(place)(u))


def test_ends_of_the_line_have_no_slope_and_leave_the_others_theirs() -> None:
    def second(u: Any) -> Any:
        return BY_DENSITY.ppf(u)[1]

    slope = sd.grad(second)(np.array([0.0, 0.3, 2.0]))
    np.testing.assert_allclose(slope, [0.0, 1.0 / LAW.pdf(LAW.ppf(0.3)), 0.0], rtol=1e-7)
    assert np.isnan(sd.grad(lambda u: BY_DENSITY.ppf(u))(0.0))


@pytest.mark.parametrize(
    ("name", "shapes", "ends"),
    [
        ("gamma", (1.5,), None),
        ("norm", (), (0.1, 2.0)),
        ("beta", (2.0, 3.0), None),
        ("argus", (6.0,), None),
        ("t", (3.2,), None),
    ],
)
def test_fast_inverses_of_distributions(name: str, shapes: Any, ends: Any) -> None:
    law = getattr(stats, name)(*shapes)
    fast = sampling.FastGeneratorInversion(law, domain=ends)

    def place(u: Any) -> Any:
        return fast.ppf(u)

    low, high = (0.0, 1.0) if ends is None else law.cdf(ends)
    slope = (high - low) / law.pdf(law.ppf(low + (high - low) * SHARES))
    np.testing.assert_allclose(np.diag(sd.jacobian(place)(SHARES)), slope, rtol=1e-5)
    fast.loc, fast.scale = 2.0, 3.0
    np.testing.assert_allclose(np.diag(sd.jacobian(place)(SHARES)), 3.0 * slope, rtol=1e-5)


def test_counts_have_no_slope() -> None:
    generator = sampling.DiscreteGuideTable(stats.binom(4, 0.1), random_state=42)
    assert sd.grad(lambda u: generator.ppf(u))(0.5) == 0.0


def test_generators_that_are_made_inside_are_refused() -> None:
    with pytest.raises(UnsupportedCallError, match="NumericalInversePolynomial"):
        sd.grad(lambda a: sampling.NumericalInversePolynomial(Bell(a)).ppf(0.3))(2.0)
