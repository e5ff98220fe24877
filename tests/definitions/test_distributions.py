"""Densities and distribution functions of ``scipy.stats``, against SciPy's values and differences.

Values are SciPy's in every bit, where a program is differentiated too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests import reference
from tests.definitions import calls
from tests.test_programs import same

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

X = np.array([[0.3, 0.7, 0.45], [0.9, 0.15, 0.62]])
SHAPES = {"t": (3.7,), "gamma": (2.3,), "beta": (1.6, 2.8), "lognorm": (0.8,)}
CONTINUOUS = ("norm", "t", "gamma", "beta", "expon", "lognorm", "laplace", "logistic", "uniform")
METHODS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")


def check(function: Callable[..., Any], *args: Any, wrt: tuple[int, ...]) -> None:
    """Values in every bit, both modes and order two."""
    expected = function(*args)
    plain = sd.differentiable(function)(*args)
    assert same(plain, expected), f"{plain!r} is not {expected!r}"
    weights = reference.direction(expected, seed=7)
    u, v = (calls._directions(args, wrt, seed) for seed in (1, 2))

    def weighed(*args: Any) -> Any:
        return reference.inner(weights, function(*args))

    first = reference.directional(weighed, args, u, step=1e-3).value
    value, pullback = sd.vjp(function, *args)
    assert same(value, expected), f"{value!r} is not {expected!r}"
    cotangents = pullback(weights)
    scale = max(abs(first), abs(weighed(*args)), 1.0)
    flow = reference.inner(tuple(u[k] for k in wrt), tuple(cotangents[k] for k in wrt))
    calls._close(flow, first, 1e-8 * scale)
    value, tangent = sd.jvp(function, args, u)
    assert same(value, expected), f"{value!r} is not {expected!r}"
    calls._close(reference.inner(weights, tangent), first, 1e-8 * scale)
    calls._check_second(function, weighed, args, (u, v), weights, wrt, 5e-3, scale)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.one_in(4)
def test_continuous(name: str, method: str):
    function, shapes = getattr(getattr(stats, name), method), SHAPES.get(name, ())

    def applied(x: Any, *parameters: Any) -> Any:
        return function(x, *parameters)

    given = (X, *shapes, np.array([-0.1, -0.05, -0.2]), 1.3)
    check(applied, *given, wrt=tuple(range(len(given))))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_outside_of_the_support_and_of_the_parameters(name: str):
    x = np.array([-np.inf, -1.0, 0.5, 2.0, np.inf, np.nan])
    distribution, shapes = getattr(stats, name), SHAPES.get(name, ())
    for method in METHODS:
        function = getattr(distribution, method)
        for scale in (1.5, -1.0):
            with np.errstate(all="ignore"):
                expected = function(x, *shapes, scale=scale)
                made = sd.vjp(lambda x: function(x, *shapes, scale=scale), x)[0]  # noqa: B023
            assert same(made, expected)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda mu: stats.poisson.logpmf(np.array([0, 3, 7, -1]), mu), (2.4,)),
        (lambda mu: stats.poisson.pmf(np.array([0, 3, 7]), mu=mu, loc=-1), (2.4,)),
        (lambda mu: stats.poisson.cdf(np.array([0.0, 3.5, -2.0]), mu), (2.4,)),
        (lambda mu: stats.poisson.sf(np.array([0, 3]), mu), (2.4,)),
        (lambda mu: stats.poisson.logcdf(np.array([0, 3]), mu), (np.array([2.4, 5.0]),)),
        (lambda p: stats.binom.logpmf(np.array([0, 3, 9]), 9, p), (0.3,)),
        (lambda p: stats.binom.pmf(np.array([0, 3, 9]), 9, p), (0.3,)),
        (lambda p: stats.binom.cdf(np.array([0, 3, 9, -1, 12]), 9, p), (0.3,)),
        (lambda p: stats.binom.sf(np.array([0, 3, 9, -1]), 9, p), (0.3,)),
    ],
)
def test_counts(function: Callable[..., Any], args: tuple[Any, ...]):
    with np.errstate(all="ignore"):
        value = sd.vjp(function, *args)[0]
        expected = function(*args)
    assert same(value, expected)
    finite = np.isfinite(expected)
    check(lambda p: np.where(finite, function(p), 0.0), *args, wrt=(0,))


def test_a_distribution_with_its_parameters():
    def loss(m: Any, s: Any) -> Any:
        prior = stats.norm(m, scale=s)
        return -np.sum(prior.logpdf(X)) + stats.gamma(2.0).logcdf(s)

    check(loss, 0.3, 1.2, wrt=(0, 1))


PRIOR, RATE = stats.norm(0.5, 1.2), stats.poisson(2.4)


def test_a_distribution_that_was_made_outside():
    check(lambda x: PRIOR.logpdf(x) + PRIOR.cdf(x), X, wrt=(0,))
    check(lambda x: PRIOR.logsf(x) * RATE.logpmf(3), X, wrt=(0,))

    class Other(type(stats.norm)):
        def _logpdf(self, x):
            return -np.abs(x)

    other = Other(name="norm")(0.0, 1.0)
    np.testing.assert_array_equal(sd.grad(lambda x: np.sum(other.logpdf(x)))(X), -np.sign(X))


SIZES = stats.gamma(2.3, scale=1.4)


@pytest.mark.parametrize(
    "named",
    [
        lambda x, of_x: PRIOR.pdf(x=x) + of_x.sf(x=x),
        lambda x, of_x: PRIOR.ppf(q=x) * of_x.isf(q=x),
        lambda x, of_x: RATE.pmf(k=3) * x + RATE.cdf(x=2),
        lambda x, of_x: SIZES.interval(confidence=x)[1] * of_x.interval(confidence=0.3)[0],
        lambda x, of_x: SIZES.moment(order=2) * x + of_x.moment(order=2),
        lambda x, of_x: SIZES.stats("v") * x + of_x.stats(moments="mv")[1],
        lambda x, of_x: of_x.stats("v"),
    ],
)
def test_distributions_with_parameters_take_what_they_are_asked_by_name(named: Any) -> None:
    check(lambda x: named(x, stats.gamma(x)), 0.3, wrt=(0,))


def test_distributions_with_parameters_take_nothing_more() -> None:
    flat = stats.norm()
    for asked in (lambda x: flat.pdf(x, 0.3), lambda x: stats.norm().pdf(x, 0.3)):
        with pytest.raises(TypeError):
            asked(0.2)
        with pytest.raises(TypeError):
            sd.grad(asked)(0.2)


def test_what_is_missing_is_told_by_name():
    with pytest.raises(sd.UnsupportedCallError, match=r"scipy\.stats\.poisson\.expect"):
        sd.grad(lambda q: stats.poisson.expect(args=(q,)))(0.3)
    with pytest.raises(sd.UnsupportedCallError, match="hyperu by 'a'"):
        sd.grad(lambda a: special.hyperu(a, 1.3, 0.4))(1.3)
    with pytest.raises(TypeError, match="'a'"):
        sd.grad(lambda x: stats.gamma.logpdf(x))(1.3)


# Values beside derivatives ------------------------------------------------------------------------


def test_values_are_scipys_where_the_definition_rounds_otherwise():
    x = np.array([-0.7, 800.0])  # SciPy's density underflows there, and its logarithm is -inf
    expected = stats.laplace.logpdf(x)
    assert expected[1] == -np.inf
    value, pullback = sd.vjp(lambda x: stats.laplace.logpdf(x), x)
    assert same(value, expected)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [1.0, -1.0])

    def slope(x: Any) -> Any:
        value, tangent = sd.jvp(lambda x: stats.laplace.logpdf(x), (x,), (np.ones(2),))
        return value * tangent

    value, pullback = sd.vjp(slope, x)
    assert same(value, expected * np.array([1.0, -1.0]))
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [1.0, 1.0])


def test_a_value_that_nobody_wants_is_not_computed():
    def total(x: Any) -> Any:
        return np.sum(stats.norm.logpdf(x))

    assert "scipy" not in sd.grad(total).source(X)
    text = sd.value_and_grad(total).source(X)
    assert text.count("scipy.stats.norm.logpdf(x)") == 1


def test_values_in_loops_and_branches():
    def chain(x: Any, rate: Any) -> Any:
        total = 0.0
        for k in range(len(x)):
            if x[k] > 0.2:
                total = total + np.tanh(stats.logistic.logcdf(total + rate * x[k]))
            else:
                total = total * stats.laplace.pdf(x[k], rate)
        return total

    check(chain, np.array([0.3, 0.1, 0.7, -0.4]), 0.9, wrt=(0, 1))
