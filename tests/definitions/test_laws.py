"""All methods of each continuous distribution in one program, against differences of SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions.law import CONTINUOUS
from tests import reference
from tests.definitions import calls
from tests.test_programs import same

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

X = np.array([[0.3, 0.7, 0.45], [0.9, 0.15, 0.62]])
SHAPES: dict[str, tuple[float, ...]] = {
    "alpha": (1.3,),
    "anglit": (),
    "argus": (1.4,),
    "bradford": (1.6,),
    "burr": (2.1, 0.9),
    "burr12": (1.7, 1.3),
    "cosine": (),
    "crystalball": (1.1, 2.4),
    "dgamma": (1.7,),
    "dweibull": (1.8,),
    "exponweib": (1.5, 1.2),
    "fatiguelife": (0.9,),
    "genlogistic": (1.6,),
    "gibrat": (),
    "gompertz": (0.8,),
    "halfgennorm": (1.3,),
    "halflogistic": (),
    "invweibull": (1.8,),
    "johnsonsb": (0.3, 1.2),
    "laplace_asymmetric": (1.3,),
    "loglaplace": (1.6,),
    "mielke": (1.7, 2.2),
    "powerlognorm": (1.4, 0.8),
    "powernorm": (1.7,),
    "rdist": (3.4,),
    "recipinvgauss": (0.8,),
    "semicircular": (),
    "skewcauchy": (0.3,),
    "truncexpon": (2.6,),
    "truncpareto": (1.8, 6.0),
    "wald": (),
    "weibull_max": (1.6,),
    "wrapcauchy": (0.4,),
    "arcsine": (),
    "betaprime": (1.6, 2.8),
    "cauchy": (),
    "chi": (2.7,),
    "chi2": (3.3,),
    "exponnorm": (1.4,),
    "f": (2.6, 5.5),
    "fisk": (1.8,),
    "foldnorm": (0.7,),
    "genextreme": (0.2,),
    "gengamma": (1.7, 1.3),
    "gennorm": (1.4,),
    "genpareto": (-0.3,),
    "gumbel_l": (),
    "gumbel_r": (),
    "halfcauchy": (),
    "halfnorm": (),
    "hypsecant": (),
    "invgamma": (1.7,),
    "invgauss": (0.8,),
    "johnsonsu": (-0.4, 1.2),
    "levy": (),
    "loggamma": (1.4,),
    "loguniform": (0.1, 2.3),
    "lomax": (1.7,),
    "maxwell": (),
    "moyal": (),
    "nakagami": (1.3,),
    "pareto": (1.8,),
    "powerlaw": (1.7,),
    "rayleigh": (),
    "rice": (0.8,),
    "skewnorm": (-1.4,),
    "triang": (0.42,),
    "truncnorm": (-0.5, 1.9),
    "vonmises": (1.6,),
    "weibull_min": (1.7,),
    "dpareto_lognorm": (0.3, 1.2, 1.5, 2.0),
    "exponpow": (1.7,),
    "foldcauchy": (1.2,),
    "genexpon": (2.0, 1.5, 1.1),
    "genhalflogistic": (0.3,),
    "jf_skew_t": (3.0, 2.0),
    "kappa3": (1.3,),
    "kappa4": (0.1, 0.2),
    "kstwobign": (),
    "levy_l": (),
    "pearson3": (0.7,),
    "reciprocal": (0.1, 2.3),
    "rel_breitwigner": (2.0,),
    "trapezoid": (0.2, 0.8),
    "truncweibull_min": (2.5, 0.05, 1.75),
    "vonmises_line": (1.3,),
}
OFFSETS = {"levy_l": -2.0, "pareto": 2.0, "truncpareto": 2.0, "weibull_max": -2.0}
DENSITIES, OTHERS = ("pdf", "logpdf"), ("cdf", "sf", "logcdf", "logsf", "ppf", "isf")


def known(name: str) -> tuple[str, ...]:
    from symdiff.definitions import DEFINITIONS
    from symdiff.definitions.libraries import import_all

    import_all()

    distribution = getattr(stats, name)
    asked = [m for m in (*DENSITIES, *OTHERS) if hasattr(distribution, m)]
    return tuple(m for m in asked if getattr(distribution, m) in DEFINITIONS)


def methods(name: str) -> Callable[..., Any]:
    """The program: all methods that are known, of arguments, location, scale and shapes."""
    distribution = getattr(stats, name)
    offset = OFFSETS.get(name, 0.0)
    others = [m for m in OTHERS if m in known(name)]

    def program(x: Any, loc: Any, scale: Any, *parameters: Any) -> Any:
        found = [distribution.pdf(x + offset, *parameters, loc=loc, scale=scale)]
        found.append(distribution.logpdf(x + offset, *parameters, loc=loc, scale=scale))
        for method in others:
            at = x if method in ("ppf", "isf") else x + offset
            found.append(getattr(distribution, method)(at, *parameters, loc, scale))
        return tuple(found)

    return program


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.one_in(4)
def test_all_methods(name: str):
    program, args = methods(name), (X, np.array([-0.1, -0.05, -0.2]), 1.3, *SHAPES[name])
    expected = program(*args)
    u = calls._directions(args, range(len(args)), 1)
    value, tangent = sd.jvp(program, args, u)
    assert same(value, expected)
    for k, part in enumerate(tangent):
        w = reference.direction(part, seed=7 + k)

        def weighed(*a: Any, k: int = k, w: Any = w) -> Any:
            return np.sum(w * program(*a)[k])

        exact = reference.directional(weighed, args, u, step=1e-3)
        np.testing.assert_allclose(np.sum(w * part), exact.value, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("name", ["weibull_min", "skewnorm", "truncnorm", "genextreme"])
def test_gradients_and_order_two(name: str):
    """Of negative logarithms of likelihoods, as they are minimised."""
    distribution, shapes = getattr(stats, name), SHAPES[name]

    def loss(loc: Any, scale: Any, *parameters: Any) -> Any:
        return -np.sum(distribution.logpdf(X, *parameters, loc=loc, scale=scale))

    args = (-0.1, 1.3, *shapes)
    calls.check(loss, *args, wrt=tuple(range(len(args))), step=1e-3)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_outside_of_the_support(name: str):
    """Values are SciPy's; slopes are 0 or those of the law, and no NaN where a value is finite."""
    distribution, shapes = getattr(stats, name), SHAPES[name]
    x = np.array([-np.inf, -3.0, 0.5, 3.0, np.inf, np.nan])

    def program(x: Any) -> Any:
        return distribution.pdf(x, *shapes), distribution.logpdf(x, *shapes)

    value, tangent = sd.jvp(program, (x,), (np.ones_like(x),))
    assert same(value, program(x))
    low, high = distribution.support(*shapes)
    outside = (x < low) | (x > high)
    assert np.all(tangent[0][outside] == 0) and np.all(tangent[1][outside] == 0)
    assert np.all(np.isfinite(tangent[0][1:4])) and np.all(np.isfinite(tangent[1][1:4]))


def test_shapes_at_which_forms_degenerate():
    """No shape in between: the exponential distribution is one of Pareto's, Gumbel's of others."""
    for name, limit in (("genpareto", "expon"), ("genextreme", "gumbel_r")):

        def loss(x: Any, c: Any, name: str = name) -> Any:
            return np.sum(getattr(stats, name).logpdf(x, c))

        def simple(x: Any, limit: str = limit) -> Any:
            return np.sum(getattr(stats, limit).logpdf(x))

        by_x, by_c = sd.grad(loss, (0, 1))(X, 0.0)
        np.testing.assert_allclose(by_x, sd.grad(simple)(X), rtol=1e-12)
        near = reference.directional(lambda c, loss=loss: loss(X, c), (0.0,), (1.0,), step=1e-2)
        np.testing.assert_allclose(by_c, near.value, rtol=1e-7)


def test_what_is_said_of_a_law_is_known_where_a_program_is_compiled():
    def loss(c: Any) -> Any:
        return np.sum(stats.weibull_min.logpdf(X, c))

    text = sd.value_and_grad(loss).source(1.5)
    assert "def loss_value_and_grad(c, X):" in text and "if " not in text
    assert text.count("scipy.stats.weibull_min.logpdf(X, c)") == 1


# Of counts ----------------------------------------------------------------------------------------

K = np.array([0, 3, 1, 5])
COUNTS: dict[str, tuple[float, ...]] = {
    "bernoulli": (0.3,),
    "betanbinom": (3, 1.4, 2.2),
    "boltzmann": (0.7, 6),
    "dlaplace": (0.8,),
    "logser": (0.4,),
    "planck": (0.7,),
    "skellam": (1.6, 0.9),
    "yulesimon": (1.6,),
    "zipf": (2.3,),
    "betabinom": (6, 1.4, 2.2),
    "binom": (6, 0.3),
    "geom": (0.3,),
    "nbinom": (2.5, 0.3),
    "poisson": (2.4,),
}


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_laws_of_counts(name: str):
    distribution, shapes = getattr(stats, name), COUNTS[name]
    free = tuple(s for s in shapes if not isinstance(s, int))
    before = tuple(s for s in shapes[:-1] if isinstance(s, int))
    after = shapes[1:] if isinstance(shapes[-1], int) else ()

    def masses(*parameters: Any) -> Any:
        given = (K, *before, *parameters, *after)
        return distribution.pmf(*given), distribution.logpmf(*given), distribution.pmf(*given, -1)

    def sums(*parameters: Any) -> Any:
        given = (np.array([-1.0, 0.0, 0.5, 2.5, 9.0]), *before, *parameters, *after)
        return tuple(getattr(distribution, m)(*given) for m in ("cdf", "sf", "logcdf", "logsf"))

    programs: list[tuple[Callable[..., Any], tuple[float, ...]]] = [(masses, free)]
    if "cdf" in known(name):
        programs.append((sums, free))
    for program, args in programs:
        u = calls._directions(args, range(len(args)), 1)
        value, tangent = sd.jvp(program, args, u)
        assert same(value, program(*args))
        for k, part in enumerate(tangent):
            w = np.where(np.isfinite(value[k]), reference.direction(part, seed=7 + k), 0.0)

            def weighed(*a: Any, k: int = k, w: Any = w, program: Any = program) -> Any:
                return np.sum(w * np.where(w != 0, program(*a)[k], 0.0))

            exact = reference.directional(weighed, args, u, step=1e-3).value
            np.testing.assert_allclose(
                np.sum(w * np.where(w != 0, part, 0.0)), exact, rtol=1e-7, atol=1e-9
            )


# Of several variables -----------------------------------------------------------------------------

ROWS = np.array([[0.3, -0.2, 0.9], [1.1, 0.4, -0.7]])
ROOT = np.array([[1.3, 0.2, -0.1], [0.0, 0.9, 0.3], [0.4, 0.0, 1.1]])
MEAN = np.array([0.2, -0.1, 0.4])


def test_the_normal_distribution_of_several_variables():
    normal = stats.multivariate_normal

    def program(x: Any, mean: Any, root: Any) -> Any:
        cov = root @ root.T
        return (
            normal.logpdf(x, mean, cov),
            normal.pdf(x[0], mean=mean, cov=cov),
            normal(mean, cov).logpdf(x),
            normal.logpdf(x, mean, np.diag(cov)),
            normal.logpdf(x[:1], mean, root[0, 0]),
            normal.logpdf(x, cov=cov),
            normal.logpdf(x[0], root[0, 1], root[0, 0]),
            normal.logpdf(x[0]),
            normal.pdf(np.reshape(x, (2, 3, 1)), root[0, :1], cov[:1, :1]),
            normal.logpdf(np.stack([x, 2.0 * x]), mean, cov),
        )

    calls.check(program, ROWS, MEAN, ROOT, wrt=(0, 1, 2), step=2e-3)


def test_the_normal_distribution_of_as_many_variables_as_the_data_say():
    def program(x: Any, root: Any) -> Any:
        chosen = x[x > 0.35]
        count = len(chosen)
        return (
            stats.multivariate_normal.logpdf(chosen, 0.5 * chosen, root[0, 0] * np.eye(count)),
            stats.multivariate_normal.pdf(chosen, 0.5 * chosen, root[0, 0]),
            stats.multivariate_normal.logpdf(x[:1], x[1:2], root[:1, :1]),
        )

    for x in (np.array([0.9, -0.2, 0.6]), np.array([0.1, -0.2, 0.6])):
        calls.check(program, x, ROOT, wrt=(0, 1), step=2e-3)

    def longer(x: Any, root: Any) -> Any:
        return np.sum(stats.multivariate_normal.logpdf(x, x[x > 0.35], root[0, 0]))

    with pytest.raises(ValueError, match="of one variable"):
        sd.grad(longer)(np.array([0.1, -0.2, 0.6]), ROOT)


def test_dirichlets_and_the_multinomial_distribution():
    counts = np.array([[2, 1, 3], [0, 5, 1]])

    def program(z: Any, alpha: Any) -> Any:
        shares = np.exp(z) / np.sum(np.exp(z))
        return (
            stats.dirichlet.logpdf(shares, alpha),
            stats.dirichlet(alpha).pdf(shares),
            stats.dirichlet.logpdf(np.stack([shares, shares[::-1]], axis=1), alpha),
            stats.multinomial.logpmf(counts, 6, shares),
            stats.multinomial.pmf(counts[0], n=6, p=shares),
        )

    alpha = np.array([1.3, 0.7, 2.4])
    calls.check(program, np.array([0.2, -0.5, 0.4]), alpha, wrt=(0, 1), step=2e-3)


@pytest.mark.filterwarnings("ignore:Some rows of `p`:FutureWarning")
def test_multinomial_of_shares_that_do_not_sum_to_one_and_of_impossible_counts():
    counts = np.array([[2, 1, 3], [0, 5, 1]])

    def program(p: Any) -> Any:
        return (
            stats.multinomial.logpmf(counts, 6, p),
            stats.multinomial.pmf(counts[0], n=6, p=np.stack([p, 0.8 * p])),
        )

    calls.check(program, np.array([0.3, 0.25, 0.6]), step=1e-3)

    def impossible(p: Any) -> Any:
        return np.exp(stats.multinomial.logpmf(np.array([[2, 1, 2], [1.5, 1.5, 3.0]]), 6, p))

    np.testing.assert_array_equal(sd.jacobian(impossible)(np.array([0.3, 0.25, 0.45])), 0.0)


def test_what_scipy_refuses_of_several_variables_is_raised_by_a_gradient():
    with pytest.raises(ValueError, match="sum"):
        sd.grad(lambda x: stats.dirichlet.logpdf(x, np.ones(3)))(np.array([0.5, 0.2, 0.1]))
    with pytest.raises(np.linalg.LinAlgError):
        sd.grad(lambda c: stats.multivariate_normal.logpdf(MEAN, None, c))(np.zeros((3, 3)))


# What is not known --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x: stats.landau.logpdf(x, 1.0), r"scipy\.stats\.landau\.logpdf"),
        (lambda x: stats.landau(1.0).logpdf(x), r"scipy\.stats\.landau"),
        (lambda x: stats.wald.fit(np.array([x, 1.0]))[0], r"stats\.wald\.fit\n.*\n.*\n.*logpdf"),
        (lambda x: stats.landau.rvs(x), r"scipy\.stats\.landau\.rvs\n.*\n.*\n.*Generator"),
        (lambda x: stats.norm.rvs(x, random_state=1.5), r"norm\.rvs in this form: random_state="),
        (lambda x: stats.rice(x).mean(), r"scipy\.stats\.rice\.mean"),
        (lambda x: stats.rice.logsf(x, 0.5), r"scipy\.stats\.rice\.logsf"),
        (
            lambda x: stats.multivariate_normal.cdf(np.array([x, x, x, x]), cov=np.eye(4)),
            r"scipy\.stats\.multivariate_normal\.cdf",
        ),
        (
            lambda x: stats.multivariate_normal.logpdf(x, allow_singular=True),
            r"multivariate_normal\.logpdf in this form: allow_singular=True of one variable",
        ),
        (lambda n: special.smirnov(n, 0.4), r"smirnov by 'n'"),
        (
            lambda n: sd.grad(lambda x: special.smirnov(n, x))(0.4),
            r"of a distribution of samples by their number",
        ),
        (lambda a: special.hyperu(a, 1.3, 0.4), r"hyperu by 'a'"),
    ],
)
def test_what_is_not_known_is_told_by_name(function: Callable[..., Any], named: str):
    with pytest.raises(sd.UnsupportedCallError, match=named):
        sd.jvp(function, (0.8,), (1.0,))


def test_an_option_that_is_off_is_not_said_to_be_on():
    def program(x: Any, flag: Any) -> Any:
        return stats.multivariate_normal.logpdf(x, allow_singular=flag)

    assert sd.grad(program)(0.8, False) == pytest.approx(-0.8)
    with pytest.raises(sd.UnsupportedCallError, match="allow_singular="):
        sd.grad(program)(0.8, True)


NORMAL = stats.multivariate_normal(MEAN, ROOT @ ROOT.T)
SHARES = stats.dirichlet(np.array([1.3, 0.7, 2.4]))


def test_distributions_of_several_variables_that_were_made_outside():
    def program(x: Any, z: Any) -> Any:
        shares = np.exp(z) / np.sum(np.exp(z))
        return NORMAL.logpdf(x), NORMAL.pdf(x[0]), SHARES.logpdf(shares), SHARES.pdf(shares)

    calls.check(program, ROWS, np.array([0.2, -0.5, 0.4]), wrt=(0, 1), step=2e-3)


def test_where_there_is_a_law_is_what_scipy_says() -> None:
    sides = np.array([-2.3, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 1.6, 2.5, 7.0])
    for name, law in CONTINUOUS.items():
        if not hasattr(stats, name):  # this SciPy may not have it
            continue
        shapes = np.meshgrid(*[sides] * len(law.shapes))
        own = np.broadcast_to(law.good(*shapes), np.shape(shapes[0]) if shapes else ())
        np.testing.assert_array_equal(own, getattr(stats, name)._argcheck(*shapes), name)


@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"])
def test_shapes_below_0(method: str) -> None:
    at = np.array([0.8, 1.4])
    gengamma, truncpareto = getattr(stats.gengamma, method), getattr(stats.truncpareto, method)
    calls.check(lambda y, a, c: gengamma(y, a, c), at, 2.3, -1.7, wrt=(0, 1, 2))
    calls.check(lambda y, b, c: truncpareto(y, b, c), 1.0 + at, -1.2, 4.0, wrt=(0, 1, 2))


@pytest.mark.parametrize("b", [1e-12, -1e-9, 2.0, -600.0])
@pytest.mark.parametrize("method", ["logpdf", "cdf"])
def test_truncated_powers_near_0_and_far_from_it(method: str, b: float) -> None:
    """SciPy's formulas cancel near 0, and their parts overflow far below; derivatives do not."""
    mp = mpmath.mp.clone()
    mp.dps = 60

    def exact(b: Any, c: Any, x: Any) -> Any:
        if method == "cdf":
            return (1 - x**-b) / (1 - c**-b)
        return mp.log(b / (1 - c**-b)) - (b + 1) * mp.log(x)

    own, at = getattr(stats.truncpareto, method), (b, 3.0, 1.7)
    known = tuple(map(mp.mpf, at))
    found = sd.grad(lambda b, c, x: own(x, b, c), argnums=(0, 1, 2))(*at)
    for k, slope in enumerate(found):
        orders = tuple(int(j == k) for j in range(3))
        assert slope == pytest.approx(float(mp.diff(exact, known, orders)), rel=1e-12)
        tangents = tuple(float(order) for order in orders)
        pushed = sd.jvp(lambda b, c, x: own(x, b, c), at, tangents)[1]
        assert pushed == pytest.approx(slope, rel=1e-12)
    bend = sd.grad(sd.grad(lambda b: own(1.7, b, 3.0)))(b)
    step = abs(known[0]) * mp.mpf(10) ** -15
    expected = mp.diff(lambda b: exact(b, *known[1:]), known[0], 2, h=step)
    assert bend == pytest.approx(float(expected), rel=1e-11)
