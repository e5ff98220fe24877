"""Densities by Gaussian kernels against sums of kernels that are written out."""

import numpy as np
import pytest
from scipy import stats

import symdiff as sd
from tests.definitions.test_bunches import differences

PLACE = np.array([0.9, 1.7, 0.6, 1.3, 2.1])
KNOWN = stats.gaussian_kde(np.array([0.1, 1.0, 2.0, 2.2]), weights=[0.1, 0.2, 0.3, 0.4])


def changed(x):
    kernels = stats.gaussian_kde(x)
    before = kernels(1.2)[0]
    kernels.set_bandwidth(bw_method=x[0] / 3)
    return before * kernels(1.2)[0]


def far(x):
    """Kernels so far away that their sum is 0."""
    return stats.gaussian_kde(x, bw_method=0.1).logpdf(40.0)[0]


CASES = {
    "call": lambda x: np.sum(stats.gaussian_kde(x)([1.1, x[0]])),
    "weights": lambda x: stats.gaussian_kde(x, weights=x**2).pdf(1.1)[0],
    "a weight of 0": lambda x: stats.gaussian_kde(x, weights=x * [1, 0, 1, 1, 1]).pdf(1.1)[0],
    "silverman": lambda x: stats.gaussian_kde(x, bw_method="silverman")(1.1)[0],
    "number": lambda x: stats.gaussian_kde(x, bw_method=x[0])(1.1)[0],
    "function": lambda x: stats.gaussian_kde(x, bw_method=lambda k: k.n**-0.3)(1.1)[0],
    "logarithm": lambda x: np.sum(stats.gaussian_kde(x).logpdf([1.0, 1.3])),
    "far": far,
    "changed": changed,
    "two variables": lambda x: stats.gaussian_kde(np.vstack([x, np.sin(x)])).logpdf([1.1, x[0]])[0],
    "known": lambda x: np.sum(KNOWN(x) ** 2) + KNOWN.logpdf(x[0])[0],
    "box": lambda x: stats.gaussian_kde(x).integrate_box_1d(0.5, x[0]),
    "gaussian": lambda x: stats.gaussian_kde(x).integrate_gaussian(1.0, x[1]),
    "both": lambda x: stats.gaussian_kde(x).integrate_kde(stats.gaussian_kde(x**2)),
}


@pytest.mark.parametrize("name", CASES)
def test_densities(name):
    f = CASES[name]
    value, gradient = sd.value_and_grad(f)(PLACE)
    np.testing.assert_allclose(value, f(PLACE), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, PLACE), rtol=1e-6, atol=1e-8)
    forward = [sd.jvp(f, (PLACE,), (direction,))[1] for direction in np.eye(PLACE.size)]
    np.testing.assert_allclose(forward, gradient, rtol=1e-9, atol=1e-12)


def test_written_out():
    def density(x):
        return stats.gaussian_kde(x)(x[1] * x[2])[0]

    def written(x):
        width = np.std(x, ddof=1) * x.size ** (-1 / 5)
        kernels = np.exp(-0.5 * ((x[1] * x[2] - x) / width) ** 2)
        return np.mean(kernels) / (width * np.sqrt(2 * np.pi))

    np.testing.assert_allclose(sd.grad(density)(PLACE), sd.grad(written)(PLACE), rtol=1e-10)
    np.testing.assert_allclose(
        sd.hessian(density)(PLACE), sd.hessian(written)(PLACE), rtol=1e-9, atol=1e-12
    )


def test_equal_data():
    with pytest.raises(np.linalg.LinAlgError):
        sd.grad(lambda x: stats.gaussian_kde(np.array([x, x, x]))(1.0)[0])(1.0)
