"""Normal distributions of two variables, of matrices and without variance in some direction."""

import numpy as np
import pytest
from scipy import stats

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
C = np.array([[2.0, 0.3], [0.3, 1.0]])
FLAT = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
normal, of_matrices = stats.multivariate_normal, stats.matrix_normal


def covariance(x):
    return np.diag(x[:2] + 0.4) + 0.1 * x[2]


@pytest.mark.parametrize(
    "found",
    [
        lambda x: normal.cdf(x[:2], [0.3, 0.2], C),
        lambda x: normal.cdf(x.reshape(3, 2), x[1:3], covariance(x)),
        lambda x: normal(x[:2], covariance(x)).cdf([1.0, 1.2]),
        lambda x: normal.cdf(x[:2], [0.3, 0.2], C, lower_limit=[-1, x[3] - 3]),
        lambda x: normal.cdf([0.4, 0.5], cov=[[1.0, x[0] + 0.5], [x[0] + 0.5, 1.0]]),
        lambda x: normal.logpdf(x[:2], x[2:4], covariance(x), allow_singular=True),
        lambda x: normal.pdf(np.stack((x[0], x[0], x[1])), [0, 0, 1.0], FLAT, allow_singular=True),
        lambda x: of_matrices.logpdf(x.reshape(3, 2), rowcov=np.diag(x[:3]), colcov=C),
        lambda x: of_matrices.logpdf(np.ones((3, 2)), x.reshape(3, 2), x[0], np.diag(x[1:3])),
        lambda x: of_matrices(colcov=covariance(x), rowcov=np.eye(3)).pdf(x.reshape(3, 2) / 3),
    ],
)
def test_normal_distributions_of_several_variables(found):
    check(found, X)


def test_by_a_covariance_without_variance_somewhere_there_is_no_derivative():
    def found(c):
        return normal.logpdf([0.5, 0.5], cov=np.array([[c, c], [c, c]]), allow_singular=True)

    value, slope = sd.value_and_grad(found)(1.5)
    assert value == found(1.5)
    assert np.isnan(slope)
    off = sd.value_and_grad(
        lambda x: normal.logpdf([x, 0.3], cov=FLAT[:2, :2], allow_singular=True)
    )
    assert off(0.5) == (-np.inf, 0.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: normal.cdf(x[:3], cov=np.eye(3)),
        lambda x: normal.cdf(x[:2], cov=C, allow_singular=True),
    ],
)
def test_more_variables_are_refused(call):
    with pytest.raises(sd.UnsupportedCallError, match="other than two variables"):
        sd.grad(call)(X)
