"""Programs that use SciPy's special functions, distributions and solvers beside NumPy."""

import numpy as np
import scipy.linalg
from scipy import special, stats
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import gammaln, logsumexp, ndtr, xlogy

from tests.programs.registry import program

rng = np.random.default_rng(98)


@program(args=(100.0, 8.5, 0.02), wrt=(0, 1, 2), step=0.01)
def implied_volatility(spot, price, rate):
    """The volatility that a price implies, by Newton's method, and the gamma of the option."""
    strike, maturity = 105.0, 0.8
    forward = spot * np.exp(rate * maturity)
    vol = 0.2
    for _ in range(30):
        deviation = vol * np.sqrt(maturity)
        d1 = np.log(forward / strike) / deviation + 0.5 * deviation
        value = np.exp(-rate * maturity) * (forward * ndtr(d1) - strike * ndtr(d1 - deviation))
        vega = spot * stats.norm.pdf(d1) * np.sqrt(maturity)
        step = (value - price) / vega
        vol = vol - step
        if abs(step) < 1e-14:
            break
    return vol + stats.norm.pdf(d1) / (spot * deviation)


@program(args=(rng.normal(size=(3, 4)), np.array([0.1, -0.3, 0.2])), wrt=(0, 1))
def softmax_regression(W, b):
    """Cross-entropy of classes with smoothed labels, and the entropy of what is predicted."""
    X = np.random.default_rng(5).normal(size=(6, 4))
    labels = np.array([0, 2, 1, 1, 0, 2])
    scores = X @ W.T + b
    log_shares = scores - logsumexp(scores, axis=1, keepdims=True)
    smoothed = 0.9 * np.eye(3)[labels] + 0.1 / 3
    entropy = special.entr(special.softmax(scores, axis=1)).sum(axis=1)
    return -np.mean(np.sum(smoothed * log_shares, axis=1)) + 0.1 * entropy.mean()


@program(args=(np.array([0.3, -0.2]), 0.4), wrt=(0, 1))
def negative_binomial_regression(coefficients, log_dispersion):
    """Counts with more spread than Poisson's, normal priors on what is sought."""
    X = np.column_stack([np.ones(7), np.linspace(-1.0, 1.0, 7)])
    counts = np.array([0, 1, 1, 3, 2, 4, 6])
    mean, size = np.exp(X @ coefficients), np.exp(log_dispersion)
    log_mass = gammaln(counts + size) - gammaln(size) - gammaln(counts + 1.0)
    log_mass = log_mass + xlogy(size, size / (size + mean)) + xlogy(counts, mean / (size + mean))
    prior = stats.norm.logpdf(coefficients, 0.0, 2.0).sum() + stats.expon.logpdf(size)
    return log_mass.sum() + prior


@program(args=(1.4, np.array([0.5, -0.3])), wrt=(0, 1))
def survival_with_censoring(log_shape, effects):
    """Weibull times, of some only known that they are longer."""
    times = np.array([0.4, 1.2, 2.5, 0.9, 3.1, 1.7])
    is_event = np.array([True, True, False, True, False, True])
    X = np.stack([np.ones(6), np.tile([0.0, 1.0], 3)], axis=1)
    shape, scale = np.exp(0.3 * log_shape), np.exp(X @ effects)
    z = (times / scale) ** shape
    log_hazard = np.log(shape / scale) + (shape - 1) * np.log(times / scale)
    median = scale * np.log(2.0) ** (1 / shape)
    return np.sum(np.where(is_event, log_hazard, 0.0) - z) + special.gammainc(2.0, median).sum()


@program(args=(np.array([0.2, -0.5, 0.1]), rng.normal(size=6)), wrt=(0, 1), step=0.02)
def gaussian_process_prediction(log_parameters, y):
    """A posterior mean and its spread by one Cholesky factor; probability of what is below 0."""
    amplitude, length, noise = np.exp(log_parameters)
    x, new = np.linspace(0.0, 2.0, 6), np.array([0.3, 1.1, 2.4])

    def kernel(a, b):
        r = np.sqrt(3.0) * np.abs(np.subtract.outer(a, b)) / length
        return amplitude * (1 + r) * np.exp(-r)

    K = kernel(x, x) + noise * np.eye(6)
    factor, lower = cho_factor(K, lower=True)
    alpha = cho_solve((factor, lower), y)
    between = kernel(new, x)
    half = solve_triangular(np.tril(factor), between.T, lower=True)
    mean, variance = between @ alpha, amplitude - np.sum(half**2, axis=0) + noise
    evidence = -0.5 * y @ alpha - np.log(np.diag(factor)).sum()
    return evidence + stats.norm.logcdf(0.0, mean, np.sqrt(variance)).sum()


@program(args=(np.array([0.4, -0.1, 0.3]), 0.6), wrt=(0, 1))
def probit_with_order(latent, gap):
    """Ordered classes by thresholds of a normal variable, and their expected score."""
    thresholds = np.cumsum(np.array([-0.5, 0.0, 0.0])) + gap * np.arange(3.0)
    upper = np.append(thresholds, 30.0)
    lower = np.insert(thresholds, 0, -30.0)
    shares = ndtr(upper - latent[:, None]) - ndtr(lower - latent[:, None])
    chosen = np.take_along_axis(shares, np.array([[1], [0], [3]]), axis=1)
    expected = shares @ np.arange(1.0, 5.0)
    return np.log(chosen).sum() + np.mean(expected**2) + special.expit(gap)


@program(args=(rng.normal(size=(3, 3)), np.array([0.3, 0.7, -0.2])), wrt=(0, 1), step=0.02)
def matrices_of_a_multivariate_normal(root, x):
    """The log-density of a normal vector in three ways, weighted."""
    covariance = root @ root.T + np.eye(3)
    whitened = scipy.linalg.solve(covariance, x)
    factor = scipy.linalg.cholesky(covariance, lower=True)
    z = solve_triangular(factor, x, lower=True)
    by_factor = stats.norm.logpdf(z).sum() - np.log(np.diagonal(factor)).sum()
    by_det = -0.5 * (x @ whitened + np.log(scipy.linalg.det(covariance)))
    return by_factor + 0.3 * by_det + scipy.linalg.inv(covariance)[0, 1]


@program(args=(np.array([1.2, 0.6, 2.0]), 0.35), wrt=(0, 1), step=0.02)
def radiation_of_a_ring(radii, frequency):
    """Bessel functions of a ring's field, error functions of its edge."""
    angles = np.linspace(0.1, 1.4, 5)
    arguments = np.multiply.outer(radii, frequency * np.sin(angles)) * 4.0
    field = special.j0(arguments) * radii[:, None]
    edge = 0.5 * (1 + special.erf((radii - 1.0) / 0.7))
    total = np.sum(edge[:, None] * field, axis=0)
    beams = np.log(special.i0e(radii)) + special.k0(radii + 1.0)
    return np.trapezoid(total**2, angles) + beams.sum() + special.betaln(*radii[:2])
