"""Programs of several trades that use NumPy's functions together, as their libraries do."""

import numpy as np
from numpy.fft import fft2, fftfreq, ifft, ifft2, irfft, rfft, rfftfreq
from numpy.linalg import cholesky, det, eigh, lstsq, pinv, slogdet, solve, svd

from tests.programs.registry import program

rng = np.random.default_rng(97)
TWO_PI = 2 * np.pi


# Statistics


@program(args=(np.array([0.3, -0.4]), np.array([1.2, -0.5, 0.8])), wrt=(0, 1))
def local_trend_likelihood(log_variances, level):
    """The prediction errors of a Kalman filter with a trend."""
    y = np.array([0.2, 0.5, 0.9, 1.6, np.nan, 2.4, 2.3])
    transition = np.array([[1.0, 1.0], [0.0, 1.0]])
    noise = np.diag(np.exp(log_variances))
    observed = np.array([1.0, 0.0])
    state, covariance = level[:2].copy(), np.eye(2) * np.exp(level[2])
    total = 0.0
    for value in y:
        state = transition @ state
        covariance = transition @ covariance @ transition.T + noise
        if np.isnan(value):
            continue
        error = value - observed @ state
        variance = observed @ covariance @ observed + 0.1
        gain = covariance @ observed / variance
        state = state + gain * error
        covariance = covariance - np.outer(gain, observed @ covariance)
        total += -0.5 * (np.log(TWO_PI * variance) + error**2 / variance)
    return total


@program(args=(rng.normal(size=(2, 2)), np.array([0.4, -0.3])), wrt=(0, 1), step=0.02)
def mixture_after_one_step_of_em(means, logits):
    """The log-likelihood of a mixture of normal distributions after one step of EM."""
    data = np.random.default_rng(3).normal(size=(9, 2)) + np.array([0.5, -0.2])

    def log_densities(weights, means, covariances):
        columns = []
        for weight, mean, covariance in zip(weights, means, covariances, strict=True):
            root = cholesky(covariance)
            z = solve(root, (data - mean).T)
            log_det = 2 * np.log(np.diag(root)).sum()
            columns.append(np.log(weight) - 0.5 * ((z**2).sum(axis=0) + log_det))
        return np.stack(columns, axis=1)

    weights = np.exp(logits - np.logaddexp.reduce(logits))
    joint = log_densities(weights, means, np.broadcast_to(np.eye(2), (2, 2, 2)))
    shares = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    counts = shares.sum(axis=0)
    new_means = (shares.T @ data) / counts[:, None]
    centred = data[None] - new_means[:, None]
    scatter = np.einsum("kn,kni,knj->kij", shares.T, centred, centred) / counts[:, None, None]
    joint = log_densities(counts / len(data), new_means, scatter + 0.1 * np.eye(2))
    return np.logaddexp.reduce(joint, axis=1).sum()


@program(args=(rng.normal(size=12), 0.7), wrt=(0, 1))
def bootstrapped_standard_error(sample, power):
    """The spread of a statistic over samples that are drawn again, by a generator of its own."""
    generator = np.random.default_rng(20)
    estimates = np.empty(15)
    for k in range(estimates.size):
        again = sample[generator.integers(0, sample.size, sample.size)]
        weights = generator.exponential(1.0, again.size)
        estimates[k] = np.average(np.tanh(power * again), weights=weights) / np.std(again, ddof=1)
    low, high = np.percentile(estimates, [20.0, 85.0])
    return np.std(estimates, ddof=1) + 0.5 * (high - low)


@program(args=(rng.normal(size=11), 0.8), wrt=(0, 1))
def penalised_spline_by_cross_validation(y, log_penalty):
    """Generalised cross-validation of a smoother with second differences."""
    n = y.size
    t = np.linspace(0.0, 1.0, n)
    knots = np.linspace(0.0, 1.0, 6)
    basis = np.hstack([np.vander(t, 3), np.maximum(t[:, None] - knots[1:-1], 0.0) ** 2])
    differences = np.diff(np.eye(basis.shape[1]), 2, axis=0)
    penalty = np.exp(log_penalty) * differences.T @ differences + 1e-2 * np.eye(basis.shape[1])
    hat = basis @ solve(basis.T @ basis + penalty, basis.T)
    residuals = y - hat @ y
    freedom = n - np.trace(hat)
    roughness = np.trapezoid(np.gradient(hat @ y, t, edge_order=2) ** 2, t)
    return n * np.sum(residuals**2) / freedom**2 + 1e-3 * roughness


@program(args=(rng.normal(size=(8, 3)), rng.normal(size=8), 0.5), wrt=(0, 1, 2))
def ridge_by_least_squares(X, y, penalty):
    """Ridge regression as least squares with rows of its own for the penalty."""
    centred = X - X.mean(axis=0)
    scale = np.std(X, axis=0, ddof=1)
    columns = centred / scale
    rows = np.vstack([columns, np.sqrt(penalty) * np.eye(X.shape[1])])
    target = np.append(y - y.mean(), np.zeros(X.shape[1]))
    coefficients, *_ = lstsq(rows, target, rcond=None)
    fitted = y.mean() + columns @ coefficients
    r_squared = 1.0 - np.sum((y - fitted) ** 2) / np.sum((y - y.mean()) ** 2)
    return r_squared + np.corrcoef(fitted, y)[0, 1] + np.linalg.norm(coefficients / scale, 1)


# Signals


@program(args=(np.array([0.5, -0.3]), 0.2), wrt=(0, 1))
def whittle_likelihood(coefficients, log_variance):
    """An autoregression fitted in the frequency domain."""
    y = np.sin(np.arange(16.0) ** 1.3)
    frequencies = rfftfreq(y.size)[1:]
    periodogram = np.abs(rfft(y - y.mean(), norm="ortho")[1:]) ** 2
    powers = np.exp(-2j * np.pi * np.outer(frequencies, np.arange(1, 3)))
    transfer = 1.0 / (1.0 - powers @ coefficients)
    density = np.exp(log_variance) * (transfer * transfer.conj()).real
    return np.sum(np.log(density) + periodogram / density)


@program(args=(rng.normal(size=16), np.array([0.25, 0.5, 0.25])), wrt=(0, 1), step=0.01)
def instantaneous_frequency(signal, window):
    """The analytic signal of a smoothed signal: its envelope, and how fast its phase turns."""
    carrier = np.cos(1.2 * np.arange(signal.size)) * 3.0
    smooth = np.convolve(np.pad(signal + carrier, 1, mode="reflect"), window, mode="valid")
    spectrum = np.fft.fft(smooth)
    spectrum *= np.where(fftfreq(smooth.size) > 0, 2.0, 0.0)
    analytic = ifft(spectrum)
    envelope, phase = np.abs(analytic), np.unwrap(np.angle(analytic))
    return np.average(np.gradient(phase), weights=envelope) + np.ptp(np.log(envelope))


@program(args=(rng.normal(size=10), 1.4), wrt=(0, 1))
def delay_by_cross_correlation(pulse, delay):
    """A fractional delay in the frequency domain, and its estimate by a soft maximum."""
    n = 2 * pulse.size
    frequencies = rfftfreq(n)
    shifted = irfft(rfft(pulse, n) * np.exp(-2j * np.pi * frequencies * delay), n)
    correlation = irfft(np.conj(rfft(pulse, n)) * rfft(shifted), n)
    lags = np.fft.fftshift(fftfreq(n, 1.0 / n))
    scores = 4.0 * np.fft.fftshift(correlation) / np.linalg.norm(correlation)
    weights = np.exp(scores - scores.max())
    return np.sum(weights * lags) / np.sum(weights)


@program(args=(np.array([0.3, -0.2, 0.1]), np.array([1.0, 0.4])), wrt=(0, 1))
def recursive_filter(feedback, forward):
    """A digital filter by its difference equation, and the gain of its transfer function."""
    x = np.sin(np.arange(12.0)) + 0.3 * np.cos(2.1 * np.arange(12.0))
    y = np.zeros(x.size)
    for k in range(x.size):
        past_x = x[max(k - forward.size + 1, 0) : k + 1][::-1]
        past_y = y[max(k - feedback.size, 0) : k][::-1]
        y[k] = forward[: past_x.size] @ past_x - feedback[: past_y.size] @ past_y
    z = np.exp(-1j * np.linspace(0.1, 3.0, 7))
    response = np.polyval(forward[::-1], z) / np.polyval(np.append(feedback[::-1], 1.0), z)
    return np.sum(y**2) + np.mean(20 * np.log10(np.abs(response)))


@program(args=(rng.uniform(-0.5, 0.5, (6, 6)), 0.8), wrt=(0, 1), step=0.02)
def intensity_behind_a_phase_plate(phase, distance):
    """A field behind a plate, propagated by its angular spectrum; what a detector sees."""
    x = np.linspace(-1.0, 1.0, 6)
    X, Y = np.meshgrid(x, x, indexing="ij")
    field = np.exp(-(X**2 + Y**2)) * np.exp(1j * phase)
    k = 2 * np.pi * fftfreq(x.size, x[1] - x[0])
    along = np.sqrt(400.0 - k[:, None] ** 2 - k**2)
    field = ifft2(fft2(field) * np.exp(1j * along * distance))
    intensity = field.real**2 + field.imag**2
    centre = np.array([np.sum(X * intensity), np.sum(Y * intensity)]) / intensity.sum()
    return np.hypot(*centre) + np.vdot(field, np.roll(field, 1, axis=0)).imag


# Finance


@program(args=(0.1, 0.15, 0.7), wrt=(0, 1, 2))
def garch_likelihood(omega, alpha, beta):
    """Returns whose variance follows its own past."""
    returns = np.array([0.3, -0.5, 1.1, 0.2, -0.9, 0.4, 0.7, -1.3, 0.1])
    variances = np.empty_like(returns)
    variances[0] = np.var(returns)
    for t in range(1, len(returns)):
        variances[t] = omega + alpha * returns[t - 1] ** 2 + beta * variances[t - 1]
    persistence = np.clip(alpha + beta, 0.0, 0.999)
    long_run = omega / (1 - persistence)
    return 0.5 * np.sum(np.log(variances) + returns**2 / variances) + 0.1 * np.log(long_run)


@program(args=(rng.normal(size=(14, 3)), 0.3), wrt=(0, 1), step=0.02)
def frontier_of_portfolios(returns, target):
    """The weights of least variance with a given mean, and what they lose at worst."""
    means = returns.mean(axis=0)
    covariance = np.cov(returns, rowvar=False) + 0.2 * np.eye(3)
    bordered = np.block(
        [
            [covariance, means[:, None], np.ones((3, 1))],
            [np.vstack([means, np.ones(3)]), np.zeros((2, 2))],
        ]
    )
    weights = solve(bordered, np.concatenate([np.zeros(3), [target, 1.0]]))[:3]
    wealth = np.cumprod(1.0 + 0.05 * returns @ weights)
    drawdown = 1.0 - wealth / np.maximum.accumulate(wealth)
    return np.sqrt(weights @ covariance @ weights) + np.max(drawdown) + np.log(wealth[-1])


@program(args=(np.array([0.02, 0.025, 0.03, 0.032]), 0.04), wrt=(0, 1))
def bond_by_its_yield(rates, coupon):
    """A price on a curve of rates, and the yield of that price by Newton's method."""
    times = np.arange(0.5, 4.5, 0.5)
    curve = np.interp(times, np.array([0.25, 1.3, 2.7, 5.0]), rates)
    cash = np.full(times.size, 100.0 * coupon / 2)
    cash[-1] += 100.0
    price = np.dot(cash, np.exp(-curve * times))
    level = 0.02
    while True:
        discounts = cash * np.exp(-level * times)
        step = (discounts.sum() - price) / np.sum(times * discounts)
        level = level + step
        if abs(step) < 1e-13:
            break
    return level * 10.0 + np.average(times, weights=cash * np.exp(-level * times))


# Mechanics


@program(args=(np.array([0.4, 0.9, 0.0, 0.1]), 1.3), wrt=(0, 1))
def truss_under_load(heights, stiffness):
    """Bars between joints: forces assembled with repeated indices, displacements solved for."""
    joints = np.column_stack([np.arange(4.0), heights])
    bars = np.array([[0, 1], [1, 2], [2, 3], [0, 2], [1, 3]])
    K = np.zeros((8, 8))
    for a, b in bars:
        along = joints[b] - joints[a]
        length = np.linalg.norm(along)
        c = along / length
        direction = np.concatenate([-c, c])
        places = np.array([2 * a, 2 * a + 1, 2 * b, 2 * b + 1])
        np.add.at(K, np.ix_(places, places), stiffness / length * np.outer(direction, direction))
    free = np.array([2, 3, 4, 5, 6])
    load = np.array([0.0, -0.2, 0.1, -0.1, 0.0])
    displacement = solve(K[np.ix_(free, free)] + 0.05 * np.eye(5), load)
    return load @ displacement + np.abs(displacement).max()


@program(args=(np.array([0.3, -0.5, 0.2]), np.array([1.0, 0.7, 0.5])), wrt=(0, 1))
def chain_of_pendulums(angles, lengths):
    """Three pendulums on each other: the mass matrix is solved with in every stage."""
    masses = np.array([0.8, 1.0, 0.6])
    below = np.cumsum(masses[::-1])[::-1]
    coupled = below[np.maximum.outer(np.arange(3), np.arange(3))]

    def acceleration(q, v):
        apart = q[:, None] - q
        mass = coupled * np.outer(lengths, lengths) * np.cos(apart)
        turning = (coupled * np.outer(lengths, lengths) * np.sin(apart)) @ v**2
        return solve(mass, -turning - 9.81 * below * lengths * np.sin(q))

    q, v, h = angles.copy(), np.zeros(3), 0.04
    for _ in range(6):
        middle = v + 0.5 * h * acceleration(q, v)
        q = q + h * middle
        v = middle + 0.5 * h * acceleration(q, middle)
    tip = np.sum(lengths * np.exp(1j * q))
    return tip.imag + 0.1 * v @ v


@program(args=(rng.uniform(0.5, 1.5, 6), 0.4), wrt=(0, 1))
def finite_elements_with_quadrature(conductivity, source):
    """Linear elements of an uneven mesh, all of them assembled at once."""
    nodes = np.linspace(0.0, 1.0, 7) ** 1.2
    sizes = np.diff(nodes)
    points, weights = np.array([-1.0, 1.0]) / np.sqrt(3.0), np.ones(2)
    local = (conductivity / sizes)[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    shape = np.stack([(1 - points) / 2, (1 + points) / 2])
    middles = nodes[:-1, None] + sizes[:, None] * (1 + points) / 2
    loads = np.einsum("eq,aq,q,e->ea", np.exp(source * middles), shape, weights, sizes / 2)
    elements = np.column_stack([np.arange(6), np.arange(1, 7)])
    A, b = np.zeros((7, 7)), np.zeros(7)
    np.add.at(A, (elements[:, :, None], elements[:, None, :]), local)
    np.add.at(b, elements, loads)
    u = np.zeros_like(b)
    u[1:-1] = solve(A[1:-1, 1:-1], b[1:-1])
    flux = -conductivity * np.diff(u) / sizes
    return np.trapezoid(u, nodes) + np.sum(flux**2 * sizes)


@program(args=(rng.normal(size=9), np.array([2.5, 3.0, 2.8, 2.2, 2.6])), wrt=(0, 1), step=0.02)
def sparse_matrix_by_coordinates(values, diagonal):
    """Products with a matrix in coordinates, in conjugate gradients on the normal equations."""
    rows = np.array([0, 0, 1, 2, 2, 3, 3, 4, 4])
    columns = np.array([1, 3, 2, 0, 4, 1, 4, 0, 3])

    def product(x):
        return diagonal * x + np.bincount(rows, weights=0.3 * values * x[columns], minlength=5)

    def transposed(y):
        out = diagonal * y
        np.add.at(out, columns, 0.3 * values * y[rows])
        return out

    b = np.cos(np.arange(5.0))
    x, r = np.zeros(5), transposed(b)
    p, rr = r.copy(), r @ r
    for _ in range(5):
        Ap = product(p)
        step = rr / (Ap @ Ap)
        x = x + step * p
        r = r - step * transposed(Ap)
        rr, before = r @ r, rr
        p = r + rr / before * p
    return np.sum(x**3) + b @ x


# Learning


@program(args=(rng.normal(size=(7, 3)),), step=0.01)
def principal_components(X):
    """The share of the first component, and what the first two leave out."""
    centred = X - np.mean(X, axis=0, keepdims=True)
    U, s, Vt = svd(centred, full_matrices=False)
    shares = np.cumsum(s**2) / np.sum(s**2)
    scores = U[:, :2] * s[:2]
    rebuilt = scores @ Vt[:2]
    sign = np.sign(Vt[0, np.argmax(np.abs(Vt[0]))])
    return shares[0] + np.linalg.norm(centred - rebuilt) + np.mean(sign * scores[:, 0] ** 3)


@program(args=(rng.normal(size=(4, 2)), np.array([0.1, -0.2])), wrt=(0, 1))
def support_vectors_with_a_kernel(support, weights):
    """A squared hinge loss with a Gaussian kernel, and a logistic one beside it."""
    X = np.array([[0.2, -0.4], [1.1, 0.3], [-0.7, 0.9], [0.5, 0.8], [-1.2, -0.1]])
    y = np.array([1, -1, 1, 1, -1])
    apart = X[:, np.newaxis, :] - support[np.newaxis, :, :]
    kernel = np.exp(-0.5 * np.sum(np.square(apart), axis=-1))
    margin = y * (kernel @ np.tile(weights, 2) + 0.2)
    hinge = np.square(np.maximum(0.0, 1.0 - margin)).mean()
    logistic = np.logaddexp(0.0, -margin).mean()
    return hinge + logistic + 0.1 * np.linalg.norm(weights) ** 2


@program(args=(rng.normal(size=(3, 3)), rng.normal(size=3)), wrt=(0, 1), step=0.02)
def hidden_markov_model(transitions, emissions):
    """The forward algorithm on logarithms, and the states' shares by the backward one."""
    observed = np.array([0.3, -0.1, 1.2, 0.8, -0.5])
    log_a = transitions - np.logaddexp.reduce(transitions, axis=1, keepdims=True)
    log_b = -0.5 * np.subtract.outer(observed, emissions) ** 2
    forward = np.empty((len(observed), 3))
    forward[0] = log_b[0] - np.log(3)
    for t in range(1, len(observed)):
        forward[t] = log_b[t] + np.logaddexp.reduce(forward[t - 1][:, None] + log_a, axis=0)
    backward = np.zeros_like(forward)
    for t in reversed(range(len(observed) - 1)):
        backward[t] = np.logaddexp.reduce(log_a + log_b[t + 1] + backward[t + 1], axis=1)
    total = np.logaddexp.reduce(forward[-1])
    shares = np.exp(forward + backward - total)
    return total + np.sum(shares * np.log(shares)) / len(observed)


@program(args=(rng.normal(size=(5, 2)), 0.3), wrt=(0, 1), step=0.02)
def spectral_embedding(points, log_width):
    """A graph of neighbours, the second vector of its Laplacian, and a cut along it."""
    squares = np.sum(points**2, axis=1)
    apart = squares[:, None] + squares - 2 * points @ points.T
    weights = np.exp(-apart / np.exp(log_width))
    np.fill_diagonal(weights, 0.0)
    degrees = weights.sum(axis=1)
    scaled = np.eye(len(points)) - weights / np.sqrt(np.multiply.outer(degrees, degrees))
    values, vectors = eigh(scaled)
    fiedler = vectors[:, 1] / np.sqrt(degrees)
    cut = fiedler @ (np.diag(degrees) - weights) @ fiedler
    return cut / np.sum(degrees * fiedler**2) + values[2] + np.abs(fiedler).max()


@program(args=(rng.uniform(0.2, 1.0, (3, 4)), 0.15), wrt=(0, 1))
def optimal_transport(cost, width):
    """Entropic transport by Sinkhorn's iteration on logarithms."""
    log_p, log_q = np.log(np.full(3, 1 / 3)), np.log(np.array([0.1, 0.2, 0.3, 0.4]))
    f, g = np.zeros(3), np.zeros(4)
    for _ in range(6):
        f = width * (log_p - np.logaddexp.reduce((g - cost) / width, axis=1))
        g = width * (log_q - np.logaddexp.reduce((f[:, None] - cost) / width, axis=0))
    plan = np.exp((f[:, None] + g - cost) / width)
    return np.sum(plan * cost) + np.tensordot(plan, np.sort(cost, axis=1), axes=2)


@program(args=(rng.normal(size=(6, 2)), rng.normal(size=6), 0.4), wrt=(0, 1, 2), step=0.02)
def designs_and_determinants(design, y, log_noise):
    """A Bayesian polynomial regression: its evidence and how much the design tells."""
    first, second = design.T
    columns = (np.vander(first, 2)[:, :, None] * np.vander(second, 2)[:, None, :]).reshape(-1, 4)
    noise = np.exp(log_noise)
    precision = np.eye(4) + columns.T @ columns / noise
    mean = pinv(precision) @ columns.T @ y / noise
    sign, log_det = slogdet(precision)
    misfit = np.sum((y - columns @ mean) ** 2) / noise + mean @ mean
    return -0.5 * sign * (log_det + misfit + y.size * log_noise) + np.log(det(precision)) / 10
