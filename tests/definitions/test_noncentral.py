"""The noncentral distributions of χ², F and t: by series and integrals of mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special, stats

import symdiff as sd
from tests.definitions.calls import check

mp = mpmath.mp.clone()
mp.dps = 40


def _chi(x: Any, df: Any, nc: Any) -> Any:
    """The density, by Poisson's weights."""
    half = mp.mpf(df) / 2
    factor = x ** (half - 1) * mp.exp(-(x + nc) / 2) / (2**half * mp.gamma(half))
    return factor * mp.hyp0f1(half, nc * x / 4)


def _f(x: Any, n: Any, d: Any, nc: Any) -> Any:
    a, b = mp.mpf(n) / 2, mp.mpf(d) / 2
    part = n * x / (n * x + d)
    central = part**a * (1 - part) ** b / (x * mp.beta(a, b))
    return central * mp.exp(-nc / 2) * mp.hyp1f1(a + b, a, nc * part / 2)


CHI = [
    (2.3, 3.0, 0.4),
    (4.0, 1.5, 3.0),
    (30.0, 7.0, 20.0),
    (1010.0, 1000.0, 12.0),
    (3.0, 2.0, 1e-9),
]
OF_F = [(1.5, 3.0, 7.0, 1.2), (0.4, 5.0, 2.5, 8.0), (9.0, 2.0, 40.0, 3.0)]


@pytest.mark.parametrize(
    ("law", "exact", "point"),
    [(stats.ncx2, _chi, p) for p in CHI] + [(stats.ncf, _f, p) for p in OF_F],
)
def test_densities_and_distributions(law: Any, exact: Any, point: Any) -> None:
    x, *known, nc = point
    at, given = (mp.mpf(x), mp.mpf(nc)), tuple(map(mp.mpf, known))

    def density(x: Any, nc: Any) -> Any:
        return exact(x, *given, nc)

    step = at[1] * mp.mpf(10) ** -12
    height = density(*at)
    first = [mp.diff(density, at, n, h=step) for n in ((1, 0), (0, 1))]
    expected = np.array([float(d) for d in first])

    def of(method: str) -> Any:
        return lambda x, nc: getattr(law, method)(x, *known, nc)

    found = sd.grad(of("pdf"), (0, 1))(x, nc)
    np.testing.assert_allclose(found, expected, rtol=2e-11, atol=1e-11 * float(height))
    found = sd.grad(of("logpdf"), (0, 1))(x, nc)
    np.testing.assert_allclose(found, expected / float(height), rtol=2e-11, atol=1e-11)
    if law is stats.ncx2:
        by_nc = -float(exact(at[0], given[0] + 2, at[1]))
    else:
        a, b = given[0] / 2, given[1] / 2
        part = given[0] * at[0] / (given[0] * at[0] + given[1])
        weight = mp.exp(-at[1] / 2) * part**a * (1 - part) ** b / (a * mp.beta(a, b))
        by_nc = -float(weight * mp.hyp1f1(a + b, a + 1, at[1] * part / 2) / 2)
    for method, sign in (("cdf", 1), ("sf", -1)):
        found = np.array(sd.grad(of(method), (0, 1))(x, nc)) * sign
        np.testing.assert_allclose(found, [float(height), by_nc], rtol=2e-11)
        tangent = sd.jvp(of(method), (x, nc), (0.3, 0.7))[1] * sign
        np.testing.assert_allclose(tangent, 0.3 * float(height) + 0.7 * by_nc, rtol=2e-11)
        second = sd.grad(lambda *a, m=method: sd.grad(of(m))(*a), (0, 1))(x, nc)
        bound = 1e-10 * float(height)
        np.testing.assert_allclose(np.array(second) * sign, expected, rtol=1e-10, atol=bound)
    found = sd.grad(of("logcdf"))(x, nc)
    np.testing.assert_allclose(found, float(height) / of("cdf")(x, nc), rtol=1e-9)


def test_where_degrees_are_many_the_slope_is_not_0() -> None:
    """Bessel's function of so high an order is less than the least number."""
    for x, df, nc in ((1010.0, 1000.0, 12.0), (990.0, 1000.0, 300.0), (2000.0, 2000.0, 100.0)):
        slope = sd.grad(lambda x, df=df, nc=nc: special.chndtr(x, df, nc))(x)
        np.testing.assert_allclose(slope, float(_chi(mp.mpf(x), df, mp.mpf(nc))), rtol=1e-10)
    with np.errstate(over="ignore"):
        assert np.isnan(sd.grad(lambda x: special.chndtr(x, 8000.0, 100.0))(8000.0))


def test_of_arrays_with_location_and_scale() -> None:
    x, nc = np.array([[1.2, 2.5, 6.0]])[:, ::-1], np.array([[0.7], [2.0]])

    def methods(x: Any, nc: Any, scale: Any) -> Any:
        at = {"loc": 0.1, "scale": scale}
        chi = [getattr(stats.ncx2, m)(x, 3.5, nc, **at) for m in ("pdf", "logpdf", "cdf", "sf")]
        f = [getattr(stats.ncf, m)(x, 3.5, 6, nc, **at) for m in ("pdf", "logpdf", "cdf", "sf")]
        return (*chi, *f)

    check(methods, x, nc, 1.3, wrt=(0, 1, 2), step=1e-3)
    check(lambda x: stats.ncx2(3.0, 1.5).logpdf(x), x)
    single = sd.grad(lambda x: np.sum(stats.ncx2.cdf(x, 3, 1)))(np.ones(2, "f4"))
    assert single.dtype == np.float32
    without = sd.grad(lambda x: stats.ncx2.logpdf(x, 3.0, 0.0))(1.7)
    np.testing.assert_allclose(without, 0.5 / 1.7 - 0.5)
    outside = np.array([-1.0, 2.0])
    for made in (
        sd.grad(lambda x: np.sum(stats.ncx2.cdf(x, 3.0, 1.0)))(outside),
        sd.grad(lambda x: np.sum(stats.ncf.cdf(x, 3.0, 4.0, 1.0)))(outside),
    ):
        assert made[0] == 0 and made[1] > 0


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x: stats.ncx2.logsf(x, 3.0, 1.0), r"stats\.ncx2\.logsf"),
        (lambda x: stats.ncf.logsf(x, 3.0, 4.0, 1.0), r"stats\.ncf\.logsf"),
    ],
)
def test_what_is_not_known(function: Any, named: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=named):
        sd.grad(function)(2.5)


def test_densities_by_their_degrees() -> None:
    check(lambda d: stats.ncx2.logpdf(2.0, d, 1.0), 2.5, step=1e-2)
    check(lambda d: stats.ncf.pdf(2.0, d, 3.0, 1.0), 2.5, step=1e-2)


# Student's ----------------------------------------------------------------------------------------


def _student(t: Any, df: Any, nc: Any) -> Any:
    """The density, an integral over the root of a χ² over its degrees."""
    norm = 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2)
    ends = [0, 0.03, 0.1, 0.3, 0.6, 0.8, 1, 1.2, 1.5, 2, 3, 5, 10, 20]
    return norm * mp.quad(
        lambda s: s**df * mp.exp(-df * s * s / 2) * mp.npdf(t * s - nc), list(map(mp.mpf, ends))
    )


@pytest.mark.parametrize(
    "point",
    [(1.4, 3.0, 0.7), (1.1, 5.0, -0.6), (-2.0, 4.0, 3.0), (8.0, 0.7, 1.0), (31.0, 6.0, 28.0)],
)
def test_students(point: Any) -> None:
    with mp.workdps(25):
        at = tuple(map(mp.mpf, point))
        height, step = float(_student(*at)), mp.mpf(10) ** -6
        slopes = []
        for k in range(3):
            moved = [
                _student(*(v + s * step * (k == n) for n, v in enumerate(at)))
                for s in (-2, -1, 1, 2)
            ]
            far, before, after, behind = moved
            slopes.append(float((far - 8 * before + 8 * after - behind) / (12 * step)))
    expected, places = np.array(slopes), (0, 1, 2)
    found = np.array(sd.grad(stats.nct.pdf, places)(*point))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12 * height)
    found = np.array(sd.grad(stats.nct.logpdf, places)(*point))
    np.testing.assert_allclose(found, expected / height, rtol=1e-10, atol=1e-11)
    t, df, nc = point
    for method, sign in (("cdf", 1), ("sf", -1)):

        def function(t: Any, nc: Any, method: str = method) -> Any:
            return getattr(stats.nct, method)(t, df, nc)

        slope = sd.grad(function)
        np.testing.assert_allclose(sign * slope(t, nc), height, rtol=1e-10)
        second = np.array(sd.grad(slope, (0, 1))(t, nc)) * sign
        np.testing.assert_allclose(second, expected[[0, 2]], rtol=1e-10, atol=1e-12 * height)
        by_nc = sd.jvp(function, (t, nc), (0.0, 1.0))[1]
        ahead, behind = (function(t, nc + s) for s in (1e-4, -1e-4))
        np.testing.assert_allclose(by_nc, (ahead - behind) / 2e-4, rtol=1e-6, atol=1e-9)


def test_students_of_arrays() -> None:
    t, nc = np.array([[1.2, -0.5, 0.3]])[:, ::-1], np.array([[0.7], [-1.0]])

    def methods(t: Any, nc: Any, scale: Any) -> Any:
        at = {"loc": 0.1, "scale": scale}
        return tuple(
            getattr(stats.nct, m)(t, 3.5, nc, **at) for m in ("pdf", "logpdf", "cdf", "sf")
        )

    check(methods, t, nc, 1.3, wrt=(0, 1, 2), step=1e-2)
    check(lambda t: special.nctdtr(3, 0.5, t), np.zeros((0, 2)))
    single = np.array([0.4, 0.6], "f4")
    for made in (
        sd.grad(lambda t: np.sum(special.nctdtr(3.0, 0.5, t)))(single),
        sd.grad(lambda nc: np.sum(special.nctdtr(3, nc, 0.5)))(single),
        sd.jvp(lambda t: special.nctdtr(3.0, 0.5, t), (single,), (single,))[1],
    ):
        assert made.dtype == np.float32
    assert np.isnan(sd.grad(lambda t: special.nctdtr(-1.0, 0.5, t))(0.4))
    with pytest.raises(sd.UnsupportedCallError, match=r"stats\.nct\.logcdf"):
        sd.grad(lambda t: stats.nct.logcdf(t, 3.0, 0.5))(0.4)


# By their degrees ---------------------------------------------------------------------------------


def _mixture(term: Any, nc: Any) -> Any:
    """The mean over Poisson's weights, of 80 terms."""
    weight, total = mpmath.exp(-nc / 2), mpmath.mpf(0)
    for k in range(80):
        total += weight * term(k)
        weight *= nc / 2 / (k + 1)
    return total


def _chi_mixed(x: Any, v: Any, nc: Any) -> Any:
    return _mixture(lambda k: mpmath.gammainc(v / 2 + k, 0, x / 2, regularized=True), nc)


def _f_mixed(n: Any, d: Any, nc: Any, x: Any) -> Any:
    part = n * x / (n * x + d)
    return _mixture(lambda k: mpmath.betainc(n / 2 + k, d / 2, 0, part, regularized=True), nc)


def _t_mixed(df: Any, nc: Any, t: Any) -> Any:
    def height(s: Any) -> Any:
        density = s ** (df - 1) * mpmath.exp(-df * s * s / 2) * mpmath.ncdf(t * s - nc)
        return 2 * (df / 2) ** (df / 2) / mpmath.gamma(df / 2) * density

    return mpmath.quad(height, [0, 0.2, 0.5, 0.8, 1.0, 1.3, 2, 3, 5, 9])


DEGREES: list[tuple[str, Any, int, tuple[float, ...]]] = [
    ("chndtr", _chi_mixed, 1, (3.0, 2.5, 1.5)),
    ("chndtr", _chi_mixed, 1, (0.01, 0.3, 2.0)),
    ("chndtr", _chi_mixed, 1, (40.0, 3.0, 5.0)),
    ("chndtr", _chi_mixed, 1, (5.0, 4.0, 0.0)),
    ("ncfdtr", _f_mixed, 0, (3.0, 4.5, 1.2, 1.4)),
    ("ncfdtr", _f_mixed, 1, (3.0, 4.5, 1.2, 1.4)),
    ("ncfdtr", _f_mixed, 0, (2.0, 6.0, 3.0, 0.01)),
    ("ncfdtr", _f_mixed, 1, (3.0, 5.0, 20.0, 8.0)),
    ("nctdtr", _t_mixed, 0, (3.5, 0.7, 1.1)),
    ("nctdtr", _t_mixed, 0, (4.0, 0.5, -2.0)),
    ("nctdtr", _t_mixed, 0, (3.0, 1.0, 6.0)),
    ("nctdtr", _t_mixed, 0, (20.0, 2.5, 0.3)),
]


@pytest.mark.parametrize(("name", "exact", "place", "at"), DEGREES)
def test_degrees(name: str, exact: Any, place: int, at: tuple[float, ...]) -> None:
    """To ten digits, and of second order those that a difference in many digits has."""
    function, tiny = getattr(special, name), mpmath.mpf(10) ** -8

    def moved(by: Any) -> Any:
        given = [mpmath.mpf(v) for v in at]
        given[place] += by
        return exact(*given)

    with mpmath.workdps(32):
        below, here, above = moved(-tiny), moved(0), moved(tiny)
        first = float((above - below) / (2 * tiny))
        second = float((above - 2 * here + below) / tiny**2)

    def along(degrees: Any) -> Any:
        return function(*at[:place], degrees, *at[place + 1 :])

    assert sd.grad(along)(at[place]) == pytest.approx(first, rel=1e-10)
    assert sd.jvp(along, (at[place],), (1.0,))[1] == pytest.approx(first, rel=1e-10)
    assert sd.derivative(along, 2)(at[place]) == pytest.approx(second, rel=1e-8)


def test_degrees_and_all_others_at_once() -> None:
    check(lambda v: special.chndtr(v[0], v[1], v[2]), np.array([3.0, 2.5, 1.5]), step=0.03)
    check(lambda v: special.ncfdtr(v[0], v[1], v[2], v[3]), np.array([3.0, 4.5, 1.2, 1.4]))
    check(lambda v: special.nctdtr(v[0], v[1], v[2]), np.array([3.5, 0.7, 1.1]), step=0.03)
    df = np.array([2.5, 4.0], "f4")
    assert sd.grad(lambda df: np.sum(special.chndtr(2.0, df, 0.5)))(df).dtype == np.float32
    assert sd.jacobian(lambda df: special.nctdtr(df, 0.3, 0.7))(np.zeros(0)).shape == (0, 0)
    for edge in (0.0, -1.0):
        assert sd.grad(lambda df, edge=edge: special.chndtr(edge, df, 0.5))(2.0) == 0.0


def test_distributions_by_their_degrees() -> None:
    def methods(v: Any) -> Any:
        return (
            stats.ncx2.cdf(2.0, v[0], 1.0) + stats.ncx2.sf(2.0, v[0], v[1]),
            stats.ncf.cdf(1.2, v[0], v[1], 0.7),
            stats.nct.cdf(0.4, v[0], 0.5),
        )

    check(methods, np.array([3.0, 4.0]), step=0.03)


@pytest.mark.parametrize(
    ("x", "nc", "df"),
    [(1e3, 1.0, 4.0), (-1e3, 1.0, 4.0), (1e5, -3.0, 2.0), (60.0, 30.0, 5.0), (20.0, -2.0, 30.0)],
)
def test_degrees_of_a_noncentral_t_far_out(x: float, nc: float, df: float) -> None:
    """The places of the integral lie where the normal distribution is not 0: few, far out too."""

    def share(df: Any) -> Any:
        def mixed(u: Any) -> Any:
            s = mp.exp(u)
            return mp.exp(df * (u - s * s / 2)) * mp.ncdf((nc - x * s) if x > nc else x * s - nc)

        middle = mp.log(min(1, (abs(nc) + 5) / abs(x)))
        ends = [middle - 60 / df, *(middle + k for k in (-12, -8, -5, -3, -2, -1, 0, 1, 2, 3))]
        total = 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2) * mp.quad(mixed, sorted(ends))
        return -total if x > nc else total

    step = mp.mpf(10) ** -10
    expected = (share(df + step) - share(df - step)) / (2 * step)
    slope = sd.grad(lambda df: special.nctdtr(df, nc, x))(df)
    assert slope == pytest.approx(float(expected), rel=1e-12)


def test_noncentral_distributions_at_extreme_places() -> None:
    """Where the share is 1 in every digit its derivatives are 0."""
    for x in (1e5, 1e160):
        assert sd.grad(lambda v, x=x: special.chndtr(x, v, 1.0))(4.0) == 0.0
    for argnum in (0, 1, 2):
        share = sd.grad(lambda df, nc, t: special.nctdtr(df, nc, t), argnums=argnum)
        assert share(4.0, 1.0, 1e160) == share(4.0, 1.0, -1e160) == 0.0


@pytest.mark.parametrize("nc", [1e4, 1e7])
def test_degrees_of_a_noncentral_chi_of_large_noncentrality(nc: float) -> None:
    """The mean of the derivative between ``v`` and ``v + 2`` is less the density at ``v + 2``, by
    DLMF 8.8.5.
    """
    x, v = nc + 5.0, 4.0
    places, weights = np.polynomial.legendre.leggauss(4)
    slope = sd.grad(lambda v: special.chndtr(x, v, nc))
    mean = sum(w * slope(v + 1.0 + at) for at, w in zip(places, weights, strict=True)) / 2
    root = mp.sqrt(mp.mpf(x) * nc)
    density = mp.exp(-(mp.mpf(x) + nc) / 2) * mp.mpf(x) / nc * mp.besseli(2, root) / 2
    assert mean == pytest.approx(-float(density), rel=1e-12)
