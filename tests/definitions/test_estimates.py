"""Parameters by maximum likelihood: SciPy's values, and derivatives by differences."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")
optimize = pytest.importorskip("scipy.optimize")

X = np.array([1.3, 2.2, 0.7, 3.1, 1.9, 2.6])
FITS = {
    "norm": lambda x: stats.norm.fit(x),
    "norm of a mean": lambda x: stats.norm.fit(x, floc=1.0)[1],
    "norm of a scale": lambda x: stats.norm.fit(x, fscale=2.0, loc=3.0)[0],
    "norm of rows": lambda x: stats.norm.fit(np.reshape(x, (2, 3))),
    "expon": lambda x: stats.expon.fit(x),
    "expon of a place": lambda x: stats.expon.fit(x, floc=0.1)[1],
    "uniform": lambda x: stats.uniform.fit(x),
    "uniform of a length": lambda x: stats.uniform.fit(x, fscale=9.0)[0],
    "uniform of a place": lambda x: stats.uniform.fit(x, floc=0.5)[1],
    "laplace": lambda x: stats.laplace.fit(x),
    "laplace of a place": lambda x: stats.laplace.fit(x, floc=1.7, method="mle")[1],
    "rayleigh": lambda x: stats.rayleigh.fit(x, floc=0.2)[1],
    "lognorm": lambda x: stats.lognorm.fit(x, floc=0)[::2],
    "lognorm of a scale": lambda x: stats.lognorm.fit(x, floc=0.1, fscale=2.0)[0],
    "lognorm of a shape": lambda x: stats.lognorm.fit(x, f0=0.5, floc=0)[2],
    "gamma": lambda x: stats.gamma.fit(x, floc=0)[::2],
    "gamma of a place": lambda x: stats.gamma.fit(x, 2.0, floc=0.3)[2],
    "gamma of a shape": lambda x: stats.gamma.fit(x, fa=2.0, floc=0.1)[2],
}


@pytest.mark.parametrize("name", FITS)
def test_fits(name: str) -> None:
    function = FITS[name]

    def fitted(x: Any) -> Any:
        return np.array(function(x))

    assert repr(sd.vjp(function, X)[0]) == repr(function(X))
    check(fitted, X, wrt=(0,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: stats.norm.fit(x, floc=1.0, fscale=2.0),
        lambda x: stats.norm.fit(x / 0.0),
        lambda x: stats.expon.fit(x, floc=1.0),
        lambda x: stats.expon.fit(x, 1.0),
        lambda x: stats.uniform.fit(x, floc=1.0),
        lambda x: stats.beta.fit(x, floc=0.0, fscale=2.0),
        lambda x: stats.beta.fit(x, floc=0.0, fscale=4.0, fa=1.0, fb=2.0),
        lambda x: stats.laplace.fit(x, floc=1.0, fscale=2.0),
        lambda x: stats.rayleigh.fit(x, floc=1.0),
        lambda x: stats.lognorm.fit(x, floc=2.0),
        lambda x: stats.gamma.fit(x, floc=0.7),
        lambda x: stats.lognorm.fit(x, floc=0.0, foo=2.0),
        lambda x: stats.t.fit(x, foo=2.0),
        lambda x: stats.uniform.fit(x, fscale=1.0),
    ],
)
def test_errors_are_scipys(function: Any) -> None:
    with np.errstate(all="ignore"), pytest.raises((ValueError, TypeError, RuntimeError)) as own:
        function(X)
    with np.errstate(all="ignore"), pytest.raises(own.type) as made:
        sd.vjp(function, X)
    if own.type is not TypeError:
        assert made.value.args == own.value.args


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x: stats.norm.fit(x, method="MM"), "norm.fit in this form: method='MM'"),
        (lambda x: stats.t.fit(x, method="MM"), "t.fit in this form: method='MM'"),
        (lambda x: stats.t.fit(x, optimizer="powell"), "t.fit in this form: optimizer="),
        (lambda x: stats.pareto.fit(x, floc=0), "has no rule for scipy.stats.pareto.fit"),
    ],
)
def test_other_methods_are_refused(function: Any, named: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=named):
        sd.vjp(function, X)


@pytest.mark.parametrize(
    ("shapes", "options"),
    [((0, 1), {}), ((0,), {"fb": 1.5}), ((1,), {"fix_a": 2.5}), ((0, 1), {"method": "mle"})],
)
def test_shapes_of_the_beta_distribution(shapes: Any, options: Any) -> None:
    """By the implicit function theorem: the derivatives of the likelihood by shapes are 0."""
    floc, fscale = 0.5, 3.0

    def fitted(x: Any) -> Any:
        found = stats.beta.fit(x, floc=floc, fscale=fscale, **options)
        return np.array([found[k] for k in shapes])

    a, b = stats.beta.fit(X, floc=floc, fscale=fscale, **options)[:2]
    y = (X - floc) / fscale
    common = special.polygamma(1, a + b)
    bend = len(X) * (common - np.diag([special.polygamma(1, a), special.polygamma(1, b)]))
    slopes = np.stack([1.0 / y, -1.0 / (1.0 - y)]) / fscale
    kept = list(shapes)
    expected = -np.linalg.solve(bend[np.ix_(kept, kept)], slopes[kept])
    np.testing.assert_allclose(sd.jacobian(fitted)(X), expected, rtol=1e-6)
    assert repr(sd.vjp(fitted, X)[0]) == repr(fitted(X))


# Searches -----------------------------------------------------------------------------------------

DATA = np.array([1.3, 2.2, 0.7, 3.1, 1.9, 2.6, 0.4, 1.1, 2.9, 1.6])
ALONG = np.cos(np.arange(10.0))


def test_a_search_for_a_shape_has_the_slope_of_the_likeliest() -> None:
    """``digamma(a)`` is the mean of the logarithms, of a gamma distribution of a scale."""

    def shape(x: Any) -> Any:
        return stats.gamma.fit(x, floc=0.0, fscale=0.7)[0]

    a = mpmath.findroot(lambda a: mpmath.digamma(a) - np.mean(np.log(DATA / 0.7)), 2.0)
    bend = mpmath.psi(1, a)
    value, slopes = sd.value_and_grad(shape)(DATA)
    assert value == shape(DATA)
    np.testing.assert_allclose(slopes, 0.1 / DATA / float(bend), rtol=1e-10)
    np.testing.assert_allclose(sd.jvp(shape, (DATA,), (ALONG,))[1], slopes @ ALONG, rtol=1e-10)
    outer = -np.outer(0.1 / DATA, 0.1 / DATA) * float(mpmath.psi(2, a) / bend**3)
    expected = outer - np.diag(0.1 / DATA**2) / float(bend)
    np.testing.assert_allclose(sd.hessian(shape)(DATA), expected, rtol=1e-9)


def test_a_search_for_two_parameters_has_the_slopes_of_the_likeliest() -> None:
    """Weibull's distribution, of a known place: the shape is the root of one equation."""

    def shape(t: Any) -> Any:
        x = [
            mpmath.mpf(number) + t * mpmath.mpf(along)
            for number, along in zip(DATA, ALONG, strict=True)
        ]
        logs = [mpmath.log(number) for number in x]

        def left(c: Any) -> Any:
            powers = [number**c for number in x]
            weighed = mpmath.fsum(p * w for p, w in zip(powers, logs, strict=True)) / mpmath.fsum(
                powers
            )
            return weighed - 1 / c - mpmath.fsum(logs) / len(x)

        c = mpmath.findroot(left, 2.0)
        return c, (mpmath.fsum(number**c for number in x) / len(x)) ** (1 / c)

    value, found = sd.jvp(lambda x: stats.weibull_min.fit(x, floc=0.0), (DATA,), (ALONG,))
    assert repr(value) == repr(stats.weibull_min.fit(DATA, floc=0.0))
    exact = [float(mpmath.diff(lambda t, k=k: shape(t)[k], 0)) for k in (0, 1)]
    np.testing.assert_allclose((found[0], found[2]), exact, rtol=1e-9)
    assert found[1] == 0.0


def test_a_place_and_a_scale_are_searched_for() -> None:
    """Gumbel's, which SciPy finds to all digits: by differences."""
    check(lambda x: np.stack(stats.gumbel_r.fit(x)), DATA, wrt=(0,))


def test_where_there_is_no_flat_maximum_slopes_are_nan() -> None:
    """Three numbers, of which a gamma distribution of any place has an unbounded likelihood."""
    value, slope = sd.value_and_grad(lambda x: stats.gamma.fit(x)[0])(DATA[:3])
    assert value == stats.gamma.fit(DATA[:3])[0]
    assert np.all(np.isnan(slope))


LIMITS: dict[str, Any] = {
    "t": (stats.t, np.linspace(-1.0, 1.0, 7)),  # lighter tails than any of Student's
    "gamma": (stats.gamma, np.array([1.0, 2.5])),
    "skewnorm": (stats.skewnorm, np.array([1.0, 2.5])),  # at 0, where the likelihood is quartic
    "weibull_min": (stats.weibull_min, np.array([1.0, 2.5, 3.1])),
}


@pytest.mark.parametrize("name", LIMITS)
def test_shapes_that_the_data_do_not_determine_have_no_slopes(name: str) -> None:
    """Of the laws whose likelihood grows, or hardly falls, towards a limit of the family."""
    law, data = LIMITS[name]
    value, slope = sd.value_and_grad(lambda x: law.fit(x)[0])(data)
    assert value == law.fit(data)[0]
    assert np.all(np.isnan(slope))
    assert np.isnan(sd.jvp(lambda x: law.fit(x)[0], (data,), (np.ones(len(data)),))[1])


def test_a_large_number_of_degrees_of_freedom_is_determined() -> None:
    """Student's distribution of data that are nearly normal, by the equations of the maximum."""
    data = stats.norm.ppf((np.arange(12) + 0.5) / 12)
    data[-1] += 0.7
    found = stats.t.fit(data, floc=0.0)
    assert 20.0 < found[0] < 200.0

    def loss(x: Any, nu: Any, s: Any) -> Any:
        halves = mpmath.loggamma(nu / 2) - mpmath.loggamma((nu + 1) / 2) + mpmath.log(nu) / 2
        return halves + mpmath.log(s) + (nu + 1) / 2 * mpmath.log(1 + (x / s) ** 2 / nu)

    with mpmath.workdps(40):
        numbers = [mpmath.mpf(float(number)) for number in data]

        def bend(nu: Any, s: Any, *orders: int) -> Any:
            return mpmath.fsum(mpmath.diff(loss, (x, nu, s), (0, *orders)) for x in numbers)

        nu, s = mpmath.findroot(
            lambda nu, s: [bend(nu, s, 1, 0), bend(nu, s, 0, 1)], (found[0], found[2])
        )
        both = bend(nu, s, 1, 1)
        matrix = mpmath.matrix([[bend(nu, s, 2, 0), both], [both, bend(nu, s, 0, 2)]])
        exact = []
        for x in numbers:
            rises = [mpmath.diff(loss, (x, nu, s), (1, *order)) for order in ((1, 0), (0, 1))]
            exact.append(-mpmath.lu_solve(matrix, mpmath.matrix(rises))[0])
    slope = sd.grad(lambda x: stats.t.fit(x, floc=0.0)[0])(data)
    np.testing.assert_allclose(slope, np.array(exact, float), rtol=1e-6)


# Power transformations ----------------------------------------------------------------------------


def _medians(n: int) -> Any:
    ends = mpmath.mpf(2) ** (-mpmath.mpf(1) / n)
    shares = [(k - mpmath.mpf("0.3175")) / (n + mpmath.mpf("0.365")) for k in range(1, n + 1)]
    shares[0], shares[-1] = 1 - ends, ends
    return [mpmath.sqrt(2) * mpmath.erfinv(2 * share - 1) for share in shares]


def _variance(y: Any) -> Any:
    mean = sum(y) / len(y)
    return sum((v - mean) ** 2 for v in y) / len(y)


def _of_likelihood(p: Any, x: Any) -> Any:
    y = [(v**p - 1) / p for v in x]
    return mpmath.log(_variance(y)) / 2 - (p - 1) * sum(map(mpmath.log, x)) / len(x)


def _of_correlation(p: Any, x: Any) -> Any:
    y, m = sorted((v**p - 1) / p for v in x), _medians(len(x))
    mean = sum(y) / len(y)
    inner = sum((a - mean) * b for a, b in zip(y, m, strict=True))
    return -inner / mpmath.sqrt(_variance(y) * sum(b * b for b in m))


def _of_quantiles(p: Any, x: Any) -> Any:
    shares = [mpmath.mpf(float(special.ndtr(float(m)))) for m in _medians(len(x))]
    q, y = [(s**p - (1 - s) ** p) / p for s in shares], sorted(x)
    mean = sum(y) / len(y)
    inner = sum((a - mean) * b for a, b in zip(y, q, strict=True))
    return -inner / mpmath.sqrt(_variance(y) * sum(b * b for b in q))


def _of_both_signs(p: Any, x: Any) -> Any:
    y = [((1 + v) ** p - 1) / p if v >= 0 else -((1 - v) ** (2 - p) - 1) / (2 - p) for v in x]
    logarithms = [mpmath.sign(v) * mpmath.log(1 + abs(v)) for v in x]
    return mpmath.log(_variance(y)) / 2 - (p - 1) * sum(logarithms) / len(x)


@pytest.mark.parametrize(
    ("function", "loss", "shift"),
    [
        (lambda x: stats.boxcox_normmax(x, method="mle"), _of_likelihood, 0.0),
        (lambda x: stats.boxcox(x)[1], _of_likelihood, 0.0),
        (lambda x: stats.boxcox_normmax(x, brack=(-1.9, 2.0)), _of_correlation, 0.0),
        (lambda x: stats.ppcc_max(x, brack=(0.1, 2.0)), _of_quantiles, 0.0),
        (lambda x: stats.yeojohnson_normmax(x), _of_both_signs, 0.0),
        (lambda x: stats.yeojohnson(x)[1], _of_both_signs, 1.8),
    ],
)
def test_powers_that_are_found(function: Any, loss: Any, shift: float) -> None:
    """By the root of the loss's slope in many digits, at data moved by little."""
    x = X - shift
    value, gradient = sd.value_and_grad(function)(x)
    assert value == function(x)
    with mpmath.workdps(40):

        def power(data: Any) -> Any:
            return mpmath.findroot(lambda p: mpmath.diff(lambda q: loss(q, data), p), value)

        given = [mpmath.mpf(float(v)) for v in x]
        start, step = power(given), mpmath.mpf(10) ** -12
        expected = [
            float((power([*given[:k], given[k] + step, *given[k + 1 :]]) - start) / step)
            for k in range(len(x))
        ]
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(sd.jvp(function, (x,), (x,))[1], expected @ x, rtol=1e-5, atol=1e-6)


def test_quantiles_of_masked_data_and_how_far_medians_are_apart() -> None:
    other = np.cos(np.arange(9.0))
    check(lambda x: stats.mstats.mquantiles(x, prob=[0.3, 0.7]).sum(), X, wrt=(0,))
    check(lambda x: stats.mstats.compare_medians_ms(np.append(x, x[:3] ** 2), other), X, wrt=(0,))


def test_both_powers_and_powers_that_are_found_by_other_searches() -> None:
    both = sd.jacobian(lambda x: stats.boxcox_normmax(x, method="all"))(X)
    for row, method in zip(both, ("pearsonr", "mle"), strict=True):
        alone = sd.grad(lambda x: stats.boxcox_normmax(x, method=method))(X)  # noqa: B023
        searched = sd.grad(lambda x: stats.boxcox_normmax(x, method=method, optimizer=_searched))(X)  # noqa: B023
        np.testing.assert_allclose(row, alone, rtol=1e-12)
        np.testing.assert_allclose(searched, alone, rtol=1e-5)
    held = sd.value_and_grad(lambda x: stats.boxcox_normmax(x, optimizer=_held_back))(X)
    assert held[0] == pytest.approx(6.0) and not np.any(held[1])


def _searched(function: Any) -> Any:
    return optimize.minimize_scalar(function, tol=1e-9)


def _held_back(function: Any) -> Any:
    return optimize.minimize_scalar(function, bounds=(6, 7), method="bounded")


@pytest.mark.parametrize("transform", [stats.boxcox, stats.yeojohnson])
def test_data_that_are_transformed_by_the_power_that_is_found(transform: Any) -> None:
    step = 1e-3 * np.eye(6)
    expected = [(transform(X + e)[0][2] - transform(X - e)[0][2]) / 2e-3 for e in step]
    made = sd.grad(lambda x: transform(x)[0][2])(X)
    np.testing.assert_allclose(made, expected, rtol=1e-3, atol=1e-3)


def test_a_power_that_is_a_bound_has_no_derivative() -> None:
    """That at which the data would overflow."""
    x = np.array([1980.0, 2003.0, 2009.0, 2009.0, 2009.0, 2009.0, 2009.0, 2009.0])
    gradient = sd.grad(lambda x: stats.boxcox_normmax(x, method="mle"))
    with np.errstate(all="ignore"), pytest.warns(UserWarning, match="overflow"):
        made = gradient(x)
    assert np.isnan(made).all()
