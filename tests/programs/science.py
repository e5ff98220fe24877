"""Models from physics, statistics, finance, control, networks and dynamic programming."""

import math

import numpy as np
from numpy import cos, exp, log, sin, sqrt

from tests.programs.registry import program

rng = np.random.default_rng(61)


@program(args=(0.7, 1.1, np.array([0.5, -0.3])), wrt=(0, 1, 2))
def damped_oscillator(k, c, state):
    x, v = state
    dt = 0.05
    energy = 0.0
    for _ in range(20):
        a = -k * x - c * v
        x_new = x + dt * v + 0.5 * dt**2 * a
        a_new = -k * x_new - c * (v + dt * a)
        v = v + 0.5 * dt * (a + a_new)
        x = x_new
        energy += 0.5 * v**2 + 0.5 * k * x**2
    return energy * dt + x


def rk4(f, y, t0, t1, n, *args):
    h = (t1 - t0) / n
    t = t0
    for _ in range(n):
        k1 = f(t, y, *args)
        k2 = f(t + h / 2, y + h / 2 * k1, *args)
        k3 = f(t + h / 2, y + h / 2 * k2, *args)
        k4 = f(t + h, y + h * k3, *args)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


def lotka_volterra(t, y, a, b, c, d):
    prey, predator = y
    return np.array([a * prey - b * prey * predator, c * prey * predator - d * predator])


@program(args=(np.array([1.0, 0.5]), 1.1, 0.4, 0.3, 0.8), wrt=(0, 1, 2, 3, 4))
def predator_prey(y0, a, b, c, d):
    end = rk4(lotka_volterra, y0, 0.0, 2.0, 10, a, b, c, d)
    return np.sum((end - 1.0) ** 2)


def _lorenz(t, u, sigma, rho, beta):
    du = np.empty(3)
    du[0] = sigma * (u[1] - u[0])
    du[1] = u[0] * (rho - u[2]) - u[1]
    du[2] = u[0] * u[1] - beta * u[2]
    return du


@program(args=(np.array([0.3, 0.2, 0.5]), 1.5, 2.0, 0.8), wrt=(0, 1, 2, 3))
def lorenz(u, sigma, rho, beta):
    return rk4(_lorenz, u, 0.0, 1.0, 8, sigma, rho, beta) @ np.array([1.0, -0.5, 0.3])


@program(args=(rng.uniform(0, 1, 10), 0.2), wrt=(0, 1))
def heat_equation_in_place(u0, nu):
    u = u0.copy()
    for _ in range(8):
        un = u.copy()
        u[1:-1] = un[1:-1] + nu * (un[2:] - 2 * un[1:-1] + un[:-2])
        u[0] = 0.0
        u[-1] = un[-2]
    return np.sum(u**2)


@program(args=(rng.uniform(0.5, 1.5, 12), 0.07), wrt=(0, 1))
def burgers_with_limiter(u, dt):
    dx = 0.5
    for _ in range(5):
        left = np.roll(u, 1)
        flux = 0.5 * u**2
        diff = flux - 0.5 * left**2
        u = u - dt / dx * diff + 0.01 * (np.roll(u, -1) - 2 * u + left)
    return u @ np.cos(np.arange(12.0))


@program(args=(rng.uniform(0, 1, (6, 6)), 0.1), wrt=(0, 1))
def gray_scott(u, f):
    v = 0.5 * (1 - u)

    def lap(z):
        return np.roll(z, 1, 0) + np.roll(z, -1, 0) + np.roll(z, 1, 1) + np.roll(z, -1, 1) - 4 * z

    for _ in range(4):
        uvv = u * v * v
        u, v = u + 0.1 * lap(u) - uvv + f * (1 - u), v + 0.05 * lap(v) + uvv - (f + 0.06) * v
    return np.mean(u * u) + v.max()


@program(args=(rng.uniform(0, 1, (6, 7)), rng.uniform(-0.5, 0.5, (3, 3))), wrt=(0, 1))
def convolution_by_loops(image, kernel):
    h, w = image.shape
    kh, kw = kernel.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * image[i : i + out.shape[0], j : j + out.shape[1]]
    return np.sum(np.maximum(out, 0.1 * out) ** 2)


@program(args=(rng.uniform(0, 1, (4, 6)),))
def max_pool_and_total_variation(img):
    pooled = img.reshape(2, 2, 3, 2).max(axis=(1, 3))
    dx = img[:, 1:] - img[:, :-1]
    dy = img[1:] - img[:-1]
    tv = np.sqrt(dx[:-1] ** 2 + dy[:, :-1] ** 2 + 1e-2).sum()
    return tv + np.sum(pooled**2)


LSTM = {
    name: (rng.uniform(-0.5, 0.5, (5, 3)), rng.uniform(-0.1, 0.1, 3))
    for name in ("input", "forget", "output", "cell")
}


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


@program(args=(LSTM, rng.uniform(-1, 1, (6, 2))), wrt=(0, 1))
def lstm(params, xs):
    h = np.zeros(3)
    c = np.zeros(3)
    loss = 0.0
    for x in xs:
        z = np.concatenate((x, h))
        gates = {}
        for name, (w, b) in params.items():
            gates[name] = z @ w + b
        i, f, o = (sigmoid(gates[k]) for k in ("input", "forget", "output"))
        c = f * c + i * np.tanh(gates["cell"])
        h = o * np.tanh(c)
        loss += np.sum((h - 0.2) ** 2)
    return loss / len(xs)


@program(
    args=(
        rng.uniform(-1, 1, (4, 3)),
        rng.uniform(-0.7, 0.7, (3, 3)),
        rng.uniform(-0.7, 0.7, (3, 3)),
    ),
    wrt=(0, 1, 2),
)
def attention(x, wq, wk):
    q, k = x @ wq, x @ wk
    scores = q @ k.T / math.sqrt(q.shape[-1])
    causal = np.tril(np.ones((4, 4))) > 0
    scores = np.where(causal, scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.sum((weights @ x) ** 2)


@program(
    args=(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, (7, 3)), np.array([1, 0, 1, 1, 0, 0, 1.0])),
    wrt=(0, 1),
)
def logistic_regression(w, X, y):
    z = X @ w
    return np.mean(np.log1p(np.exp(-np.abs(z))) + np.maximum(z, 0) - z * y) + 0.05 * w @ w


@program(
    args=(
        np.array([0.2, 0.5, 0.3]),
        np.array([-1.0, 0.2, 1.5]),
        np.array([0.3, -0.2, 0.1]),
        np.linspace(-2, 2, 6),
    ),
    wrt=(0, 1, 2, 3),
)
def gaussian_mixture(weights, means, log_scales, data):
    total = 0.0
    for x in data:
        terms = log(weights) - 0.5 * ((x - means) / exp(log_scales)) ** 2 - log_scales
        m = np.max(terms)
        total += m + log(np.sum(exp(terms - m)))
    return total - len(data) * 0.5 * log(2 * np.pi)


@program(
    args=(rng.uniform(0.2, 1.0, (3, 3)), rng.uniform(0.2, 1.0, (3, 2)), [0, 1, 1, 0, 1]), wrt=(0, 1)
)
def hidden_markov_forward(trans, emit, observed):
    T = trans / trans.sum(axis=1, keepdims=True)
    E = emit / emit.sum(axis=1)[:, None]
    alpha = E[:, observed[0]] / 3
    loglik = 0.0
    for o in observed[1:]:
        alpha = (alpha @ T) * E[:, o]
        s = alpha.sum()
        loglik += np.log(s)
        alpha = alpha / s
    return loglik


@program(args=(np.array([0.1, 0.9, 1.8, 2.5]), np.array([0.0, 1.1, 2.2]), 0.4), wrt=(0, 1, 2))
def soft_dtw(a, b, gamma):
    n, m = len(a), len(b)
    D = np.full((n + 1, m + 1), 1e3)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            prev = np.array([D[i - 1, j], D[i, j - 1], D[i - 1, j - 1]])
            low = prev.min()
            D[i, j] = cost + low - gamma * np.log(np.sum(np.exp(-(prev - low) / gamma)))
    return D[n, m]


@program(args=(np.array([[1.3, 0.2, 2.1], [0.6, 1.7, 0.4], [2.2, 0.9, 1.1]]),))
def cheapest_path(cost):
    n, m = cost.shape
    best = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0 and j == 0:
                best[i, j] = cost[i, j] ** 2
            elif i == 0:
                best[i, j] = best[i, j - 1] + cost[i, j] ** 2
            elif j == 0:
                best[i, j] = best[i - 1, j] + cost[i, j] ** 2
            else:
                best[i, j] = min(best[i - 1, j], best[i, j - 1]) + cost[i, j] ** 2
    return best[-1, -1]


@program(args=(0.95, 1.03, 0.3, 0.05), wrt=(0, 1, 2, 3), step=0.008)
def american_put_binomial(s0, strike, sigma, r):
    n = 6
    dt = 1.0 / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    values = [max(strike - s0 * u ** (n - 2 * k), 0.0) for k in range(n + 1)]
    for step in range(n - 1, -1, -1):
        new = []
        for k in range(step + 1):
            hold = math.exp(-r * dt) * (p * values[k] + (1 - p) * values[k + 1])
            exercise = strike - s0 * u ** (step - 2 * k)
            new.append(max(hold, exercise))
        values = new
    return values[0]


@program(args=(np.array([0.1, 0.85, 0.1]), rng.normal(0, 1, 12)), wrt=(0, 1))
def garch_likelihood(theta, returns):
    omega, beta, alpha = theta
    h = np.var(returns)
    ll = 0.0
    for r in returns:
        ll -= 0.5 * (np.log(h) + r * r / h)
        h = omega + beta * h + alpha * r**2
    return ll


@program(
    args=(np.array([0.3, -0.2, 0.5]), np.array([1.0, 0.8]), np.array([0.1, 0.4, 0.2])),
    wrt=(0, 1, 2),
)
def inverse_kinematics_error(angles, target, lengths):
    x = y = 0.0
    heading = 0.0
    for a, l in zip(angles, lengths):
        heading += a
        x += l * cos(heading)
        y += l * sin(heading)
    ex, ey = x - target[0], y - target[1]
    return ex * ex + ey * ey + 0.01 * np.sum(angles**2)


@program(args=(rng.uniform(-1, 1, (4, 3)) * 2, np.array([1.0, 2.0, 0.5, 1.5])), wrt=(0, 1))
def n_body_energy(pos, mass):
    e = 0.0
    for i in range(len(mass)):
        for j in range(i + 1, len(mass)):
            r = pos[j] - pos[i]
            e -= mass[i] * mass[j] / sqrt(np.dot(r, r) + 0.1)
    return e


@program(
    args=(np.array([[0.0, 0.1, 0.0], [1.1, 0.0, 0.2], [0.4, 1.2, 0.1]]), 1.0, 1.1), wrt=(0, 1, 2)
)
def lennard_jones(xyz, eps, sigma):
    diff = xyz[:, None] - xyz
    i, j = np.triu_indices(3, 1)
    r2 = np.sum(diff[i, j] ** 2, axis=-1)
    s6 = (sigma**2 / r2) ** 3
    return np.sum(4 * eps * (s6**2 - s6))


@program(
    args=(np.array([0.5, 0.3, 1.0]), np.array([0.1, 0.2, -0.1]), np.array([0.2, -0.1, 3.0, 1.2])),
    wrt=(0, 1, 2),
)
def bundle_adjustment_residual(point, rot, cam):
    theta2 = np.sum(rot**2)
    theta = sqrt(theta2)
    axis = rot / theta
    p = point * cos(theta) + np.cross(axis, point) * sin(theta)
    p = p + axis * np.dot(axis, point) * (1 - cos(theta))
    p[:2] += cam[:2]
    p[2] += cam[2]
    uv = p[:2] / p[2] * cam[3]
    r2 = uv @ uv
    uv = uv * (1 + 0.1 * r2 - 0.02 * r2**2)
    return (uv[0] - 0.3) ** 2 + (uv[1] + 0.1) ** 2


@program(
    args=(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.5, 1.2, 0.3, 0.8]), 1.4),
    also=[(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.5, 1.2, 0.3, 0.8]), 2.6)],
    wrt=(1, 2),
)
def hermite_interpolation(knots, values, t):
    k = int(np.searchsorted(knots, t)) - 1
    h = knots[k + 1] - knots[k]
    s = (t - knots[k]) / h
    slopes = np.zeros(4)
    slopes[1:-1] = (values[2:] - values[:-2]) / 2
    slopes[0], slopes[-1] = values[1] - values[0], values[-1] - values[-2]
    h00, h10 = (1 + 2 * s) * (1 - s) ** 2, s * (1 - s) ** 2
    h01, h11 = s**2 * (3 - 2 * s), s**2 * (s - 1)
    return h00 * values[k] + h10 * h * slopes[k] + h01 * values[k + 1] + h11 * h * slopes[k + 1]


@program(args=(rng.uniform(-2, 2, 5),))
def ackley(x):
    n = x.shape[0]
    a = -20 * exp(-0.2 * sqrt(np.sum(x**2) / n))
    return a - exp(np.sum(cos(2 * np.pi * x)) / n) + 20 + np.e


@program(args=(np.array([0.5, -0.5, 1.2, 0.3]),))
def powell_and_friends(x):
    f1 = (x[0] + 10 * x[1]) ** 2 + 5 * (x[2] - x[3]) ** 2
    f2 = (x[1] - 2 * x[2]) ** 4 + 10 * (x[0] - x[3]) ** 4
    w = 1 + (x - 1) / 4
    levy = sin(np.pi * w[0]) ** 2 + np.sum(
        (w[:-1] - 1) ** 2 * (1 + 10 * sin(np.pi * w[:-1] + 1) ** 2)
    )
    styb = 0.5 * np.sum(x**4 - 16 * x**2 + 5 * x)
    return (f1 + f2) / 100 + levy + styb / 50


@program(args=(1.5, 0.1), also=[(0.8, 0.1)], wrt=(0, 1), step=0.002)
def thermostat(outside, gain):
    temp = 1.0
    heating = False
    used = 0.0
    for _ in range(25):
        if temp < 0.9 * outside:
            heating = True
        elif temp > 1.3 * outside:
            heating = False
        if heating:
            temp += gain * temp
            used += gain**2
        temp += 0.05 * (outside - temp)
    return temp + used


@program(args=(np.array([0.9, 0.4]), 0.15, 0.9), wrt=(0, 1, 2))
def momentum_descent_unrolled(x0, lr, beta):
    x, m = x0, np.zeros_like(x0)
    for _ in range(6):
        g = np.array([2 * x[0] + np.cos(x[1]), 4 * x[1] ** 3 - x[0] * np.sin(x[1])])
        m = beta * m + (1 - beta) * g
        x = x - lr * m
    return x[0] ** 2 + x[1] ** 4


@program(args=(np.array([0.3, 0.8, 0.5]), 1.2, 0.7), wrt=(0, 1, 2))
def censored_weibull_likelihood(times, shape, scale):
    events = [True, False, True]
    total = 0.0
    for t, seen in zip(times, events):
        z = (t / scale) ** shape
        if seen:
            total += math.log(shape / scale) + (shape - 1) * math.log(t / scale) - z
        else:
            total -= z
    return total


@program(args=(0.9, 0.2, np.array([3, 0, 2, 5])), wrt=(0, 1))
def poisson_glm(slope, intercept, counts):
    ll = 0.0
    for i, k in enumerate(counts):
        rate = math.exp(intercept + slope * i * 0.3)
        ll += k * math.log(rate) - rate - math.lgamma(k + 1)
    return ll


@program(args=(rng.uniform(0.2, 1, (3, 3)), 0.85), wrt=(0, 1))
def pagerank(links, damping):
    P = links / links.sum(axis=0)
    r = np.ones(3) / 3
    for _ in range(10):
        r = damping * P @ r + (1 - damping) / 3
    return -np.sum(r * np.log(r)) + r[0]


@program(args=(np.array([0.4, 0.9, 0.1]), 0.3), wrt=(0, 1))
def sinkhorn(cost_row, eps):
    a = np.array([0.2, 0.5, 0.3])
    C = (cost_row[:, None] - np.array([0.0, 0.5, 1.0])) ** 2
    K = np.exp(-C / eps)
    u = np.ones(3)
    for _ in range(8):
        v = a / (K.T @ u)
        u = (1 / 3) / (K @ v)
    plan = u[:, None] * K * v
    return np.sum(plan * C)


@program(args=(np.array([0.0, 1.0, 1.3, 0.4]), np.array([0.0, 0.1, 1.2, 0.9])), wrt=(0, 1))
def polygon_area_and_perimeter(x, y):
    area = 0.0
    per = 0.0
    j = len(x) - 1
    for i in range(len(x)):
        area += (x[j] + x[i]) * (y[j] - y[i])
        per += math.sqrt((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2)
        j = i
    return abs(area / 2) / per**2


@program(args=(1.2, 0.5, 0.3), wrt=(0, 1, 2))
def shooting_method(gravity, drag, guess):
    def shoot(v):
        y, t = 0.0, 0.0
        for _ in range(10):
            v = v - 0.1 * (gravity + drag * v * v)
            y = y + 0.1 * v
            t += 0.1
        return y

    v0, v1 = 1.0 + guess, 1.5
    for _ in range(4):
        y0, y1 = shoot(v0) - 0.2, shoot(v1) - 0.2
        if abs(y1 - y0) < 1e-9:
            break
        v0, v1 = v1, v1 - y1 * (v1 - v0) / (y1 - y0)
    return v1 * v1
