"""SciPy's random variables, made inside and outside of the function, by differences."""

import numpy as np
import pytest
from scipy import special, stats

import symdiff as sd
from tests.definitions.calls import check

KNOWN = stats.Normal(mu=0.3, sigma=1.4)
STANDARD, LOGISTIC, UNIFORM = stats.Normal(), stats.Logistic(), stats.Uniform(a=0.2, b=1.9)
MIXED = stats.Mixture([KNOWN, stats.Normal(mu=1.0, sigma=2.0)], weights=[0.3, 0.7])
GAMMA = stats.make_distribution(stats.gamma)(a=2.3)
COUNTS = stats.Binomial(n=7, p=0.3)


class Beta:
    """A distribution of a user's, of which SciPy is told the density only."""

    __make_distribution_version__ = "1.16.0"
    support = (0, 1)

    def __init__(self):
        self.parameters = {"a": (0, np.inf), "b": (0, np.inf)}

    def pdf(self, x, a, b):
        return x ** (a - 1) * (1 - x) ** (b - 1) / special.beta(a, b)


BETA = stats.make_distribution(Beta())
X = np.array([0.4, 0.9, 1.3])


@pytest.mark.parametrize(
    "found",
    [
        lambda x: KNOWN.pdf(x),
        lambda x: STANDARD.logpdf(x[0]) + STANDARD.ccdf(x),
        lambda x: LOGISTIC.pdf(x) + LOGISTIC.logccdf(x) + LOGISTIC.cdf(x),
        lambda x: LOGISTIC.icdf(0.5 * x),
        lambda x: KNOWN.cdf(x[0] - x, x) + LOGISTIC.cdf(x[1], x[0]) + UNIFORM.ccdf(x[0], x[2]),
        lambda x: UNIFORM.cdf(x) + UNIFORM.logpdf(x),
        lambda x: KNOWN.icdf(0.5 * x) + KNOWN.ilogcdf(-x) + KNOWN.iccdf(0.3 * x),
        lambda x: MIXED.cdf(x) + MIXED.logpdf(x) + MIXED.mean() + MIXED.variance(),
        lambda x: GAMMA.pdf(x) + GAMMA.logcdf(x) + GAMMA.ccdf(x) + GAMMA.icdf(0.3 * x),
        lambda x: (STANDARD * x[0] + x[1]).pdf(x),
        lambda x: stats.exp(KNOWN).cdf(x) + stats.abs(STANDARD).pdf(x),
        lambda x: stats.order_statistic(STANDARD, r=2, n=4).logpdf(x),
        lambda x: UNIFORM.ilogcdf(-x) + LOGISTIC.ilogccdf(-x) + LOGISTIC.ilogcdf(-x[0]),
        lambda x: KNOWN.cdf(x, method="quadrature") + KNOWN.icdf(0.5 * x[0], method="inversion"),
        lambda x: GAMMA.cdf(x, 2.0),
    ],
)
@pytest.mark.one_in(4)
def test_variables_that_are_made_outside(found):
    check(found, X, step=0.005)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: stats.Normal(mu=x, sigma=x[::-1]).cdf(-0.3, np.array([[0.1], [2.0]])),
        lambda x: stats.Normal(mu=x, sigma=x[::-1]).logpdf(np.array([[0.1], [2.0]])),
        lambda x: stats.Uniform(a=x[0] - 2.0, b=x[1]).logpdf(0.3),
        lambda x: stats.Uniform(a=x[0], b=x[2] + 1.0).variance() * x,
        lambda x: stats.Normal(mu=x[0], sigma=x[1]).moment(4) + stats.Normal(sigma=x[0]).skewness(),
        lambda x: stats.Normal(mu=x[0], sigma=x[1]).kurtosis(convention="excess") + x,
        lambda x: stats.Binomial(n=7, p=0.3 * x).pmf(3) + stats.Binomial(n=7, p=0.3 * x).cdf(2),
        lambda x: stats.Normal(mu=x[0]).mu + stats.Normal(sigma=x[1]).entropy() + x,
        lambda x: stats.Uniform(a=x[0] - 1.0, b=x + 1.0).ilogcdf(-0.3),
        lambda x: BETA(a=x + 1.0, b=x[0] + 2.0).cdf(np.array([[0.3], [0.6]])),
        lambda x: BETA(a=x[0], b=x[1]).pdf(0.5 * x) + BETA(a=x[0], b=2.5).ccdf(0.4),
        lambda x: special._ufuncs._beta_pdf(0.5 * x, x[0] + 1.0, x),
        lambda x: stats.Normal(mu=x[0], sigma=x[1]).sample(3, rng=np.random.default_rng(3)),
        lambda x: stats.Mixture([stats.Normal(mu=x[0], sigma=x[1]), KNOWN], weights=[0.2, 0.8]).pdf(
            x
        ),
    ],
)
@pytest.mark.one_in(4)
def test_variables_that_are_made_inside(found):
    check(found, X, step=0.005)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: (stats.Normal(mu=x[0], sigma=x[1]) * x[2] + 3.0).pdf(x),
        lambda x: (2.0 - stats.Uniform(a=x[0], b=2.0) * x[1]).moment(3),
        lambda x: (stats.Normal(mu=x[0], sigma=1.0) / x[1]).variance() + x,
        lambda x: stats.order_statistic(stats.Normal(mu=x[0], sigma=x[1]), r=2, n=4).pdf(0.3),
        lambda x: stats.exp(stats.Normal(mu=x[0], sigma=x[1])).cdf(x),
    ],
)
def test_variables_made_of_variables_that_are_made_inside(found):
    check(found, X, step=0.005)


def test_the_slope_of_a_probability_is_the_density():
    for x in (0.4, -3.0, np.float32(1.5)):
        assert sd.grad(lambda x: KNOWN.cdf(x))(x) == pytest.approx(
            np.exp(-0.5 * ((x - 0.3) / 1.4) ** 2) / (1.4 * np.sqrt(2.0 * np.pi)), rel=1e-7
        )


@pytest.mark.parametrize("variable", [STANDARD, LOGISTIC, UNIFORM])
@pytest.mark.parametrize(
    ("low", "high"),
    [(0.3, 0.3), (-2.0, -2.0), (1.3, 0.4), (-30.0, -20.0), (20.0, 30.0), (-np.inf, 0.4), (-9, 9)],
)
@pytest.mark.one_in(4)
def test_the_slopes_of_a_share_between_places_are_the_densities_there(variable, low, high):
    """Where both are one, too, the logarithm of whose share is none."""
    places = np.array([low, high], dtype=float)
    slopes = np.array([-1.0, 1.0]) * variable.pdf(places)
    with np.errstate(all="ignore"):
        made = sd.grad(lambda p: variable.cdf(p[0], p[1]))(places)
        rest = sd.jvp(lambda p: variable.ccdf(p[0], p[1]), (places,), (np.array([2.0, 0.0]),))[1]
    np.testing.assert_allclose(made, slopes, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(rest, -2.0 * slopes[0], rtol=1e-9, atol=1e-300)


def test_bends_of_a_share_between_places():
    """Those of a normal law are ``-x`` times its density."""
    made = sd.hessian(lambda p: STANDARD.cdf(p[0], p[1]))(np.array([0.3, 0.3]))
    density = STANDARD.pdf(0.3)
    np.testing.assert_allclose(made, np.diag([0.3 * density, -0.3 * density]), rtol=1e-12)


def test_a_truncated_variable_is_made_outside():
    variable = stats.truncate(STANDARD, lb=-1.0)
    check(lambda x: variable.pdf(x) + variable.icdf(0.5 * x), X, step=0.005)
    with pytest.raises(sd.UnsupportedCallError, match="divide the density by"):
        sd.grad(lambda a: stats.truncate(STANDARD, lb=a).pdf(0.4))(0.1)


def test_outside_of_the_support_nothing_moves():
    x = np.array([-1.0, 0.2, 1.9, 2.5, np.nan])
    for function in (UNIFORM.pdf, UNIFORM.logpdf, UNIFORM.cdf, UNIFORM.logccdf):
        value, slope = sd.jvp(lambda x, function=function: function(x), (x,), (np.ones(5),))
        np.testing.assert_array_equal(value, function(x))
        np.testing.assert_array_equal(slope[[0, 3]], 0.0)
    shares = np.array([-0.1, 0.0, 0.5, 1.0, 1.1])
    value, slope = sd.jvp(lambda p: UNIFORM.icdf(p), (shares,), (np.ones(5),))
    np.testing.assert_array_equal(value, UNIFORM.icdf(shares))
    np.testing.assert_allclose(slope[[1, 2, 3]], [0.0, 1.7, 0.0])


def test_where_there_is_no_such_distribution_it_is_nan():
    value, slope = sd.jvp(
        lambda s: stats.Normal(mu=0.0, sigma=s).pdf(0.5), (np.array([-1.0, 2.0]),), (np.ones(2),)
    )
    assert np.isnan(value[0])
    z = 0.25
    density = np.exp(-0.5 * z * z) / (2.0 * np.sqrt(2.0 * np.pi))
    assert slope[1] == pytest.approx(density * (z * z - 1.0) / 2.0)


def test_counts_that_are_none_have_no_mass():
    value = sd.value_and_grad(lambda p: stats.Binomial(n=5, p=p).pmf(2.5))(0.3)
    assert value == (0.0, 0.0)
    slope = sd.grad(lambda p: stats.Binomial(n=5, p=p).logpmf(2))(0.3)
    assert slope == pytest.approx(2 / 0.3 - 3 / 0.7)


def test_logarithms_of_shares_of_counts_move_with_the_probability():
    """Of 7 tries two or less, and three or more."""
    for name, p in (("logcdf", 0.3), ("logccdf", 0.3), ("logcdf", 0.1), ("logccdf", 0.7)):
        slope = sd.grad(lambda p, name=name: getattr(stats.Binomial(n=7, p=p), name)(2))(p)
        density = -7 * 15 * p**2 * (1 - p) ** 4
        share = sum(special.binom(7, k) * p**k * (1 - p) ** (7 - k) for k in range(3))
        expected = density / share if name == "logcdf" else -density / (1.0 - share)
        assert slope == pytest.approx(expected, rel=1e-10)
    counts, slope = sd.value_and_grad(lambda q: COUNTS.icdf(q) * q)(0.4)
    assert counts == 0.8 and slope == 2.0


def test_a_variable_is_left_as_it_is():
    fresh = stats.Normal(mu=0.3, sigma=1.4)
    sd.grad(lambda x: (fresh + x).pdf(0.5))(0.2)
    assert fresh.cdf(0.5) == special.ndtr(0.2 / 1.4)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: stats.truncate(STANDARD, lb=-1.0).pdf(x),
        lambda x: KNOWN.logcdf(x, method="quadrature"),
    ],
)
def test_what_is_found_by_quadrature_of_logarithms_is_refused(found):
    with pytest.raises(sd.UnsupportedCallError):
        sd.grad(found)(0.5)
