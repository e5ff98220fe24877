"""Means and variances of ``statistics``, against its values and closed forms."""

import math
import statistics

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

DATA = [1.5, 2.5, 2.5, 2.75, 3.25, 4.75]
FUNCTIONS = [
    statistics.mean,
    statistics.variance,
    statistics.pvariance,
    statistics.stdev,
    statistics.pstdev,
]


@pytest.mark.parametrize("data", [DATA, tuple(DATA), np.array(DATA), [1e50, 1.0, -1e50, 3.0]])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_value_is_the_functions_in_every_bit(function, data):
    value, _ = sd.vjp(function, data)
    assert value == function(data)
    assert type(value) is type(function(data))


@pytest.mark.parametrize("data", [DATA, tuple(DATA), np.array(DATA), [3.0], np.ones(1)])
def test_geometric_means(data):
    check(statistics.geometric_mean, data)
    check(lambda d: statistics.geometric_mean(number * number for number in d), data)


@pytest.mark.parametrize("data", [[1.0, -1.0], [0.0, 2.0], []])
def test_geometric_means_of_nothing_and_of_what_is_not_positive(data):
    def f(x):
        try:
            return statistics.geometric_mean(x)
        except statistics.StatisticsError:
            return 3.0 * x.sum() + 1.0

    x = np.array(data)
    if f(x) == 0.0:  # of Python 3.13 on, where a number is 0
        return
    assert sd.value_and_grad(f)(x)[0] == f(x)
    assert sd.grad(f)(x).tolist() == [3.0] * len(data)


@pytest.mark.parametrize("data", [DATA, np.array(DATA), np.zeros(0)])
def test_exact_sums_of_as_many_numbers_as_there_are(data):
    check(lambda d: math.fsum(number * number for number in d), data)
    check(lambda d: math.fsum(number**3 for number in d if number > 2.6), data)
    check(lambda d: math.fsum(map(math.sin, d)), data)


def test_exact_sums_of_vectors():
    x = np.array([1.0, 1e100, 1.0, -1e100] * 10)
    value, slope = sd.value_and_grad(lambda v: math.fsum(v) * v[0])(x)
    assert value == 20.0
    assert slope.tolist() == [21.0] + [1.0] * 39
    single = sd.grad(lambda v: math.fsum(v * v))(np.array([1.0, 2.0], np.float32))
    assert single.dtype == np.float32
    assert single.tolist() == [2.0, 4.0]
    whole = np.array([1, 2, 3])
    assert sd.grad(lambda s, v: s * math.fsum(v))(2.0, whole) == 6.0


@pytest.mark.parametrize("data", [DATA, np.array(DATA)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives(function, data):
    check(function, data)


@pytest.mark.parametrize("function", FUNCTIONS[1:])
def test_derivatives_about_a_mean_that_is_given(function):
    check(lambda data, mean: function(data, mean), np.array(DATA), 2.75, wrt=(0, 1))


def test_gradients_are_those_of_the_closed_forms():
    x = np.array(DATA)
    deviations = x - np.mean(x)
    np.testing.assert_allclose(sd.grad(statistics.variance)(DATA), 2 * deviations / 5, atol=1e-15)
    expected = deviations / 6 / np.std(x)
    np.testing.assert_allclose(sd.grad(statistics.pstdev)(DATA), expected, rtol=1e-13)


def test_data_that_are_made_and_mixed():
    def of_numbers(a):
        return statistics.variance([a * k for k in range(3)] + [1])

    assert of_numbers(2.0) == sd.value_and_grad(of_numbers)(2.0)[0]
    # a² (0 + 1 + 4) + 1 less a quarter of (3 a + 1)², over 3
    assert sd.grad(of_numbers)(2.0) == pytest.approx((10 * 2.0 - 1.5 * 7.0) / 3, rel=1e-14)


def test_too_few_raise_as_they_do():
    with pytest.raises(statistics.StatisticsError, match="requires at least two data points"):
        sd.grad(statistics.stdev)([1.0])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: statistics.mean([2, int(x)]) * x, "whole numbers alone"),
        (lambda x: statistics.mean([np.float64(x)]), "not Python's floats"),
        (lambda x: statistics.mean(x * np.ones((2, 2))[0:1]), "not a row of floats"),
        (lambda x: statistics.variance([x, 1.0], np.float64(x)), "not one of Python's floats"),
        (lambda x: statistics.mean({"a": x}), "neither a list, a tuple nor an array"),
    ],
)
def test_what_is_not_taken_is_refused(function, message):
    with pytest.raises(sd.UnsupportedCallError, match=message):
        sd.grad(function)(0.5)


def test_whole_numbers_about_a_float():
    def about(mean, whole):
        return statistics.pvariance([0, 3, whole], mean)

    # the derivative of ((0 - m)² + (3 - m)² + (5 - m)²) / 3 at 2
    assert sd.value_and_grad(about)(2.0, 5) == (statistics.pvariance([0, 3, 5], 2.0), -4 / 3)


def test_data_that_are_known_stay_what_they_are():
    assert sd.grad(lambda x: x * statistics.pstdev([1, 2, 4, 5]))(2.0) == 2.5**0.5
    assert sd.grad(lambda x: x * statistics.stdev(range(5)))(2.0) == 2.5**0.5
    assert sd.grad(lambda x: x * statistics.mean([1.0, 2]))(2.0) == 1.5


@pytest.mark.parametrize("p", [0.3, 0.5, 0.99, 1e-9])
def test_quantiles_of_normal_distributions(p: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")

    def quantile(p, mu, sigma):
        return statistics.NormalDist(mu, sigma).inv_cdf(p)

    z = statistics.NormalDist().inv_cdf(p)
    slope = 2.5 * math.sqrt(2.0 * math.pi) * math.exp(0.5 * z * z)
    by_all = sd.grad(quantile, argnums=(0, 1, 2))(p, 1.2, 2.5)
    np.testing.assert_allclose(by_all, (slope, 1.0, z), rtol=1e-12)
    assert sd.jvp(quantile, (p, 1.2, 2.5), (1.0, 0.0, 0.0))[1] == pytest.approx(slope, rel=1e-12)
    twice = sd.grad(sd.grad(quantile))(p, 1.2, 2.5)
    assert twice == pytest.approx(z * slope * slope / 2.5, rel=1e-12)


def test_quantiles_at_known_places() -> None:
    def quartiles(mu, sigma):
        return statistics.NormalDist(mu, sigma).quantiles(4)

    expected = statistics.NormalDist().quantiles(4)
    by_mu, by_sigma = zip(*sd.jacobian(quartiles, argnums=(0, 1))(1.5, 2.0), strict=True)
    np.testing.assert_allclose(by_mu, np.ones(3))
    np.testing.assert_allclose(by_sigma, expected, atol=1e-15)
    with pytest.raises(statistics.StatisticsError, match="in the range"):
        sd.grad(lambda p: statistics.NormalDist().inv_cdf(p))(1.5)
