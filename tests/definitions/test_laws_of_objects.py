"""Distributions that programs make of SciPy's classes, and inverses that SciPy searches for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check
from tests.test_programs import same

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

X = np.array([0.3, 0.7])


class Density(stats.rv_continuous):
    """Only a density: SciPy integrates it, and searches."""

    def _pdf(self, x, a, b):
        return a * np.exp(-a * x) * b / b

    def _argcheck(self, a, b):
        return (a > 0) & (b > 0)


class Line(stats.rv_continuous):
    """No density but its logarithm."""

    def _logpdf(self, x):
        return -x * x / 2 - 0.5 * np.log(2 * np.pi)

    def _cdf(self, x):
        return special.ndtr(x)


class Wedge(stats.rv_continuous):
    """A support that rests on a shape, and functions of rows, as SciPy gives them."""

    def _get_support(self, c):
        return 0.0, 1.0 / c

    def _pdf(self, x, c):
        found = 2.0 * c * c * x
        found[x < 0.0] = 0.0
        return found

    def _cdf(self, x, c):
        return np.reshape(c * x, (len(x),)) ** 2


class Roots(stats.rv_continuous):
    """An inverse in closed form."""

    def _cdf(self, x, c):
        return (x / c) ** 2

    def _get_support(self, c):
        return 0.0, c

    def _ppf(self, q, c):
        return c * np.sqrt(q)


ROOTS = Roots(name="roots")
DENSITY = Density(a=0.0, name="density", shapes="a, b")
LINE = Line(name="line")
WEDGE = Wedge(name="wedge")
HISTOGRAM = stats.rv_histogram(np.histogram(np.random.default_rng(0).normal(size=100), bins=10))
FROZEN = DENSITY(2.0, 1.0, loc=0.1)
PARTED = stats.gamma(2.3, scale=1.4)

Cases = list[tuple[Callable[..., Any], tuple[Any, ...]]]
CASES: Cases = [
    (lambda x, a, m, s: DENSITY.pdf(x, a, 1.0, m, s), (X, 2.3, -0.1, 1.3)),
    (lambda x, a, m, s: DENSITY.cdf(x, a, 1.0, m, s), (X, 2.3, -0.1, 1.3)),
    (lambda x, a: DENSITY.isf(x, a, 1.0), (0.3, 2.3)),
    (lambda x, m, s: LINE.ppf(x, m, s), (X, -0.1, 1.3)),
    (lambda x, m, s: LINE.logpdf(x, m, s), (X, -0.1, 1.3)),
    (lambda x, c, m, s: WEDGE.pdf(x, c, m, s), (X, 0.8, -0.1, 1.3)),
    (lambda x, c, m, s: WEDGE.cdf(x, c, m, s), (X, 0.8, -0.1, 1.3)),
    (lambda x, c: WEDGE.ppf(x, c), (0.4, 0.8)),
    (lambda x: FROZEN.logpdf(x), (X,)),
    (lambda q, h: stats.kappa4.ppf(q=q, h=h, k=0.3), (X, 0.7)),
    (lambda x: DENSITY(2.0, x, loc=0.01).pdf(x), (X,)),
    (lambda x: np.stack(PARTED.interval(x)) + PARTED.mean(), (X,)),
    (lambda x, m, s: HISTOGRAM.pdf(x, m, s), (X, -0.1, 1.3)),
    (lambda x, m, s: HISTOGRAM.ppf(x, m, s), (X, -0.1, 1.3)),
    (lambda x, m, s: HISTOGRAM.logcdf(x, m, s), (X, -0.1, 1.3)),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_functions_of_distributions_of_the_users(number: int) -> None:
    function, args = CASES[number]
    check(function, *args, wrt=tuple(range(len(args))))


@pytest.mark.parametrize(
    ("distribution", "shapes"),
    [(DENSITY, (2.0, 1.0)), (DENSITY, (-1.0, 1.0)), (LINE, ()), (WEDGE, (0.8,)), (HISTOGRAM, ())],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_outside_of_the_support_and_of_the_parameters(distribution: Any, shapes: Any) -> None:
    x = np.array([-np.inf, -1.0, 0.0, 0.5, 1.0, 1.25, 2.0, np.inf, np.nan])
    methods = ("logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
    if distribution is DENSITY:
        x, methods = x[2:6], ("pdf", "logpdf", "sf", "ppf")

    def all_of_them(x: Any, scale: Any) -> Any:
        return tuple([getattr(distribution, name)(x, *shapes, scale=scale) for name in methods])

    for scale in (1.0, -1.0):
        assert same(sd.vjp(all_of_them, x, scale)[0], all_of_them(x, scale))


def test_differences_that_scipy_takes_are_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="takes differences for"):
        sd.grad(lambda x: LINE.pdf(x))(0.3)


def test_single_precision_is_computed_with_as_scipy_does_it() -> None:
    given = tuple(np.array(x, np.float32) for x in ([0.31, 0.72], 0.6, -0.1, 1.3))

    def shares(q: Any, c: Any, loc: Any, scale: Any) -> Any:
        x = (q - loc) * scale
        erlang = stats.erlang.cdf(x, 3, loc, scale), stats.erlang.logpdf(x, 3, loc, scale)
        return *erlang, WEDGE.pdf(q, c, loc, scale), WEDGE.logsf(q, c, loc, scale)

    def inverses(q: Any, c: Any, loc: Any, scale: Any) -> Any:
        return ROOTS.ppf(q, c, loc, scale), ROOTS.isf(q, c, loc, scale)

    for function in (shares, inverses):
        value, pullback = sd.vjp(function, *given)
        assert same(value, function(*given))
        wide = tuple(np.asarray(x, np.float64) for x in given)
        weights = tuple(np.ones_like(part) for part in value)
        exact = sd.vjp(function, *wide)[1](weights)
        for slope, expected in zip(pullback(weights), exact, strict=True):
            assert slope.dtype == np.float32
            np.testing.assert_allclose(slope, expected, rtol=1e-5)


def test_shapes_that_are_one_array_are_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="poisson_binom"):
        sd.grad(lambda m: stats.poisson_binom.median([0.2, 0.5], m))(1.0)


# Inverses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [1e-10, 0.3, 1.0 - 1e-9])
def test_inverses_that_are_searched_for_have_exact_slopes(share: float) -> None:
    """Of Maxwell's law, whose share below ``y`` is ``P(3/2, y**2 / 2)``, by mpmath."""
    slope = sd.grad(lambda q: stats.maxwell.ppf(q))(share)
    y = mpmath.mpf(float(stats.maxwell.ppf(share)))
    density = mpmath.sqrt(2 / mpmath.pi) * y**2 * mpmath.exp(-(y**2) / 2)
    np.testing.assert_allclose(slope, float(1 / density), rtol=1e-10)


def test_inverses_by_shapes_have_exact_slopes() -> None:
    """``nakagami.ppf(q, nu)`` is the root of ``gammaincinv(nu, q) / nu``."""

    def slope(nu: float) -> float:
        return float(
            mpmath.diff(
                lambda n: mpmath.findroot(
                    lambda y: mpmath.gammainc(n, 0, n * y * y, regularized=True) - 0.3, 0.6
                ),
                nu,
            )
        )

    found = sd.grad(lambda nu: stats.nakagami.ppf(0.3, nu))(1.3)
    np.testing.assert_allclose(found, slope(1.3), rtol=1e-10)


def test_inverses_of_counts_are_steps_from_the_location_on() -> None:
    q = np.array([0.0, 0.2, 0.7, 1.0])

    def counts(q: Any, p: Any, loc: Any) -> Any:
        return stats.binom.ppf(q, 6, p, loc) * np.array([1.0, 2.0, 3.0, 4.0])

    args = (q, 0.4, 2.0)
    value, tangent = sd.jvp(counts, args, (q, 0.7, 0.5))
    assert same(value, counts(*args))
    np.testing.assert_array_equal(tangent, [0.5, 1.0, 1.5, 2.0])
    loss = sd.grad(lambda *args: np.sum(counts(*args)), argnums=(0, 1, 2))
    assert [same(a, b) for a, b in zip(loss(*args), (0.0 * q, 0.0, 10.0), strict=True)]
    low, high = stats.poisson.interval(0.9, 3.0)
    assert sd.grad(lambda p: p * sum(stats.poisson(3.0).interval(0.9)))(1.0) == low + high
    assert sd.grad(lambda p: p * stats.randint.isf(0.2, 2, 9))(1.0) == stats.randint.isf(0.2, 2, 9)
    assert np.isnan(sd.vjp(lambda q: stats.poisson.ppf(q, 3.0), 1.3)[0])


# Laws by name -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kappa", [0.0, 1.3, 70.0, 1e5])
@pytest.mark.parametrize("angle", [-3.0, -0.02, 0.0, 0.01, 2.5, 9.0])
@pytest.mark.one_in(4)
def test_von_mises_shares_have_exact_slopes(angle: float, kappa: float) -> None:
    def share(kappa: Any) -> Any:  # from 0 on
        return mpmath.quad(
            lambda t: mpmath.exp(kappa * (mpmath.cos(t) - 1)),
            [0, *(k * angle / 8 for k in range(1, 9))],
        ) / (2 * mpmath.pi * mpmath.besseli(0, kappa) * mpmath.exp(-kappa))

    by_angle, by_kappa = sd.grad(stats.vonmises.cdf, argnums=(0, 1))(angle, kappa)
    with mpmath.workdps(30):
        density = mpmath.exp(kappa * (mpmath.cos(angle) - 1)) / (
            2 * mpmath.pi * mpmath.besseli(0, kappa) * mpmath.exp(-kappa)
        )
        if kappa > 0.0:
            exact = float(mpmath.diff(share, kappa))
            np.testing.assert_allclose(by_kappa, exact, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(by_angle, float(density), rtol=1e-10, atol=1e-300)


def test_the_largest_difference_one_way() -> None:
    """``ksone`` of two samples: polynomials."""

    def above(y: Any) -> Any:  # Birnbaum and Tingey (1951), of two samples
        return (1 - y) ** 2 + 2 * y * (0.5 - y)

    for y in (0.1, 0.3):
        exact = float(mpmath.diff(above, y))
        np.testing.assert_allclose(sd.grad(lambda y: stats.ksone.sf(y, 2))(y), exact, rtol=1e-12)
        np.testing.assert_allclose(stats.ksone.pdf(y, 2), -exact, rtol=1e-12)
        second = float(mpmath.diff(above, y, 2))
        np.testing.assert_allclose(sd.grad(lambda y: stats.ksone.pdf(y, 2))(y), -second, rtol=1e-9)


def test_the_largest_difference_either_way() -> None:
    """``kstwo`` of two samples is 2 (2 y - 1/2)² to 1/2, and 1 - 2 (1 - y)² from there on; of
    many samples Kolmogorov's limit.
    """
    for y in (0.3, 0.45):
        assert sd.grad(lambda y: stats.kstwo.cdf(y, 2))(y) == pytest.approx(8 * (2 * y - 0.5))
        assert sd.grad(lambda y: stats.kstwo.pdf(y, 2))(y) == pytest.approx(16.0)
        assert sd.grad(lambda y: stats.kstwo.logsf(y, 2))(y) == pytest.approx(
            -8 * (2 * y - 0.5) / (1 - 2 * (2 * y - 0.5) ** 2)
        )
    assert sd.hessian(lambda y: stats.kstwo.cdf(y, 2))(0.8) == pytest.approx(-4.0)
    assert sd.grad(lambda y: stats.kstwo.cdf(y, 2))(0.2) == 0.0
    for n, y in ((40, 0.13), (900, 0.03), (20000, 0.006), (10**6, 0.0009)):
        with mpmath.workdps(30):  # Kolmogorov's limit, to the order of 1 / sqrt(n)
            z = (mpmath.mpf(y) + mpmath.mpf(1) / (6 * n)) * mpmath.sqrt(n)
            limit = mpmath.diff(
                lambda z: (
                    mpmath.sqrt(2 * mpmath.pi)
                    / z
                    * mpmath.nsum(
                        lambda k: mpmath.exp(-((2 * k - 1) ** 2) * mpmath.pi**2 / (8 * z**2)),
                        [1, mpmath.inf],
                    )
                ),
                z,
            ) * mpmath.sqrt(n)
        slope = sd.grad(lambda y, n=n: stats.kstwo.cdf(y, n))(y)
        assert slope == pytest.approx(float(limit), rel=3.0 / n)
    for q in (0.01, 0.5, 0.99):
        y = stats.kstwo.ppf(q, 2)
        slope = 1 / (8 * (2 * y - 0.5) if y < 0.5 else 4 * (1 - y))
        assert sd.grad(lambda q: stats.kstwo.ppf(q, 2))(q) == pytest.approx(slope)
        assert sd.jvp(lambda q: stats.kstwo.isf(1 - q, 2), (q,), (1.0,))[1] == pytest.approx(slope)


@pytest.mark.parametrize("df", [0.8, 3.0, 40.0])
def test_the_range_of_two_is_a_student_variable(df: float) -> None:
    """``studentized_range`` of two numbers is the root of 2 times the size of one of ``t``."""
    law, root = stats.studentized_range, mpmath.sqrt(2)

    def below(y: Any, df: Any) -> Any:
        x = df / (df + (y / root) ** 2)
        return 1 - mpmath.betainc(df / 2, mpmath.mpf(1) / 2, 0, x, regularized=True)

    for y in (0.7, 2.9):
        by_y, by_df = (float(mpmath.diff(below, (y, df), n)) for n in ((1, 0), (0, 1)))
        made = sd.grad(lambda y, df: law.cdf(y, 2.0, df), argnums=(0, 1))(y, df)
        np.testing.assert_allclose(made, (by_y, by_df), rtol=1e-9)
        bend = sd.jvp(lambda y: law.pdf(y, 2, df), (y,), (1.0,))[1]
        np.testing.assert_allclose(bend, float(mpmath.diff(below, (y, df), (2, 0))), rtol=1e-8)
    share = float(below(1.3, df))
    slope = sd.grad(lambda q: law.ppf(q, 2, df))(share)
    assert slope == pytest.approx(1.0 / float(mpmath.diff(below, (1.3, df), (1, 0))), rel=1e-7)


def test_the_range_of_several_moves_with_their_number() -> None:
    """Of infinitely many degrees, by ``mpmath``."""

    def below(k: Any) -> Any:
        def height(z: Any) -> Any:
            return mpmath.npdf(z) * (mpmath.ncdf(z) - mpmath.ncdf(z - 3)) ** (k - 1)

        return k * mpmath.quad(height, [-9, -3, 0, 3, 9])

    made = sd.grad(lambda k: stats.studentized_range.cdf(3.0, k, 1e7))(4.0)
    assert made == pytest.approx(float(mpmath.diff(below, 4.0)), rel=1e-6)


def test_what_is_exported_agrees_with_differences(tmp_path: Path) -> None:
    uniform = stats.Uniform(a=0.2, b=1.9)
    programs: list[tuple[Callable[..., Any], float]] = [
        (lambda x: stats.kstwo.cdf(x, 40), 0.15),
        (lambda x: stats.studentized_range.cdf(x, 3, 7), 2.1),
        (lambda x: uniform.ilogcdf(x), -0.3),
    ]
    for number, (program, x) in enumerate(programs):
        path = tmp_path / f"slope_{number}.py"
        sd.export(path, {"slope": sd.grad(program)}, x)
        done = subprocess.run([sys.executable, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_number_of_samples_does_not_move() -> None:
    for law in (stats.ksone, stats.kstwo):
        for name in ("cdf", "sf", "pdf", "ppf"):
            method = getattr(law, name)
            assert sd.grad(lambda n, method=method: method(0.4, n))(5.0) == 0.0


@pytest.mark.parametrize("a", [0.0, 0.4, 1.0, 1.5, 7.0])
@pytest.mark.parametrize("n", [6, 19, 20, 300])
def test_powers_of_the_first_counts(a: float, n: int) -> None:
    """``zipfian``, by the sums themselves."""
    powers = np.arange(1.0, n + 1) ** -a
    slopes = -np.log(np.arange(1.0, n + 1)) * powers
    whole, moved = powers.sum(), slopes.sum()
    for k in (1, 3, n - 1):
        mass = slopes[k - 1] / whole - powers[k - 1] * moved / whole**2
        below, slope = powers[:k].sum(), slopes[:k].sum()
        share = slope / whole - below * moved / whole**2
        for name, expected in (("pmf", mass), ("cdf", share), ("sf", -share)):
            method = getattr(stats.zipfian, name)
            made = sd.grad(lambda a, f=method, k=k: f(k, a, n))(a)
            np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-16)


@pytest.mark.parametrize("y", [0.05, 0.4, 0.999, 1.0, 1.7, 6.0])
def test_the_largest_difference_of_many(y: float) -> None:
    """``kstwobign``: the density is Kolmogorov's alternating series, with its digits far out."""
    with mpmath.workdps(400):
        at = mpmath.mpf(y)

        def density(at: Any) -> Any:
            return mpmath.nsum(
                lambda k: 8 * at * (-1) ** (int(k) - 1) * k**2 * mpmath.exp(-2 * k**2 * at**2),
                [1, 900],
            )

        def below(at: Any) -> Any:
            return 1 + 2 * mpmath.nsum(
                lambda k: (-1) ** int(k) * mpmath.exp(-2 * k**2 * at**2), [1, 900]
            )

        exact, share = density(at), below(at)
        bend = mpmath.diff(density, at) / exact
        fall = exact / share
    for function, expected in (
        (stats.kstwobign.cdf, exact),
        (stats.kstwobign.sf, -exact),
        (stats.kstwobign.logpdf, bend),
        (stats.kstwobign.logcdf, fall),
    ):
        found = sd.grad(lambda y: function(y))(y)  # noqa: B023
        np.testing.assert_allclose(found, float(expected), rtol=1e-9, atol=1e-300)


LIMITS: Any = [("pearson3", (0.0,), 0), ("kappa4", (0.0, 0.3), 0), ("kappa4", (0.2, 0.0), 1)]


@pytest.mark.parametrize(("name", "shapes", "k"), LIMITS)
@pytest.mark.parametrize("method", ["pdf", "cdf", "ppf"])
def test_a_shape_at_a_limit_of_its_family_has_no_slope(
    name: str, shapes: Any, k: int, method: str
) -> None:
    """SciPy has a branch of its own there; the slope by the place is that of the branch."""
    called = getattr(getattr(stats, name), method)

    def of_shape(shape: Any) -> Any:
        return called(0.4, *shapes[:k], shape, *shapes[k + 1 :])

    value, slope = sd.value_and_grad(of_shape)(shapes[k])
    assert value == of_shape(shapes[k])
    assert np.isnan(slope)
    assert np.isnan(sd.jvp(of_shape, (shapes[k],), (1.0,))[1])
    assert np.isnan(sd.hvp(lambda shape: of_shape(shape) ** 2)(shapes[k], 1.0))
    step = 1e-3
    by_place = (called(0.4 + step, *shapes) - called(0.4 - step, *shapes)) / (2 * step)
    assert sd.grad(lambda x: called(x, *shapes))(0.4) == pytest.approx(by_place, rel=1e-4)


@pytest.mark.parametrize("method", ["logcdf", "logsf"])
def test_logarithms_of_shares_are_scipys_on_both_sides_of_the_median(method: str) -> None:
    """Of the smaller share; in every bit, as ``SYMDIFF_VERIFY`` has it."""
    histogram = stats.rv_histogram((np.array([1.0, 3.0, 2.0]), np.array([0.0, 0.5, 1.0, 1.5])))
    places = np.linspace(0.05, 1.45, 29)

    def logarithms(x: Any) -> Any:
        return getattr(histogram, method)(x)

    value, pullback = sd.vjp(logarithms, places)
    assert same(value, logarithms(places))
    share = histogram.cdf(places) if method == "logcdf" else histogram.sf(places)
    slope = histogram.pdf(places) / share * (1.0 if method == "logcdf" else -1.0)
    np.testing.assert_allclose(pullback(np.ones(29))[0], slope, rtol=1e-12)
    np.testing.assert_allclose(sd.jvp(logarithms, (places,), (places,))[1], slope * places)
