"""Fit the hyperparameters of a Gaussian process by its marginal likelihood.

The negative log marginal likelihood is written as the textbook has it, with a Cholesky factor
(Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1). Its
gradient, through the factorisation and the triangular systems, is generated. scikit-learn has value
and gradient of the same likelihood, derived by hand: they have to agree.
"""

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import symdiff as sd

Array = npt.NDArray[np.float64]


@sd.differentiable
def negative_log_likelihood(log_theta: Array, x: Array, y: Array) -> np.float64:
    """−log p(y | x) for the logarithms of signal variance, length scale and noise variance."""
    variance, length, noise = np.exp(log_theta)
    distance = (x[:, None] - x[None, :]) / length
    covariance = variance * np.exp(-0.5 * distance**2) + noise * np.eye(len(x))
    factor = np.linalg.cholesky(covariance)
    weights = np.linalg.solve(factor.T, np.linalg.solve(factor, y))
    log_determinant = 2.0 * np.sum(np.log(np.diag(factor)))
    total: np.float64 = 0.5 * (y @ weights + log_determinant + len(y) * np.log(2.0 * np.pi))
    return total


def main() -> None:
    """Compare with scikit-learn's derivation at a guess, maximise, and compare the maxima."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 10.0, size=60))
    y = np.sin(x) + 0.2 * rng.normal(size=60)
    start = np.log([2.0, 0.5, 0.1])

    value, gradient = negative_log_likelihood.value_and_grad(start, x, y)
    reference = GaussianProcessRegressor(
        ConstantKernel(2.0) * RBF(0.5) + WhiteKernel(0.1), alpha=0.0
    ).fit(x[:, None], y)
    their_value, their_gradient = reference.log_marginal_likelihood(start, eval_gradient=True)
    np.testing.assert_allclose(value, -their_value, rtol=1e-10)
    np.testing.assert_allclose(gradient, -their_gradient, rtol=1e-8)

    best = minimize(negative_log_likelihood.value_and_grad, start, args=(x, y), jac=True)
    np.testing.assert_allclose(best.x, reference.kernel_.theta, atol=1e-2)
    variance, length, noise = np.exp(best.x)
    print(f"negative log likelihood {value:.3f} at the guess, {best.fun:.3f} at the minimum")
    print(f"variance {variance:.3f}, length scale {length:.3f}, noise variance {noise:.4f}")
    print(f"({best.nfev} values and gradients; the noise was drawn with variance 0.0400)")


if __name__ == "__main__":
    main()
