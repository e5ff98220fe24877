"""Functions of statistics, physics and vision whose derivatives are timed, as a user writes them.

As in ``programs`` they use nothing but ``np``; ``models_by_hand`` has their derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def likelihood_of_labels(w: Array, X: Array, signs: Array) -> float:
    """Mean negative log-likelihood of labels -1 and 1."""
    return np.mean(np.logaddexp(0.0, -signs * (X @ w)))


def cumulative_normal(x: Array) -> Array:
    """By the polynomial of Abramowitz and Stegun, 26.2.17."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    series = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * series
    return np.where(x < 0.0, tail, 1.0 - tail)


def black_scholes(spot: Array, strike: Array, years: Array, rate: float, vol: float) -> float:
    """The sum of prices of European calls."""
    spread = vol * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * vol * vol) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    return np.sum(spot * cumulative_normal(d1) - discounted * cumulative_normal(d2))


def chain(x: Array) -> float:
    """Twenty elementwise operations."""
    a = np.sin(x) * 0.5 + x
    b = np.exp(-a * a)
    c = np.tanh(b + a) * b
    d = np.sqrt(1.0 + c * c)
    e = np.log(d + 1.0) - np.cos(a)
    f = e / (1.0 + d * d)
    return np.sum(f * f + c)


def matrix_chain(A: Array, B: Array, C: Array, D: Array) -> float:
    """A product of four matrices and a bend."""
    return np.sum(np.tanh(A @ B @ C @ D))


def gaussian_process(theta: Array, X: Array, y: Array) -> float:
    """Negative log marginal likelihood by the logarithms of variance, lengths and noise."""
    scaled = X / np.exp(theta[1:-1])
    distances = np.sum((scaled[:, None, :] - scaled[None, :, :]) ** 2, axis=-1)
    K = np.exp(theta[0] - 0.5 * distances) + np.exp(theta[-1]) * np.eye(len(y))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * (y @ alpha) + np.sum(np.log(np.diag(L)))


def log_sum_exp(x: Array) -> Array:
    """Over the last axis."""
    top = np.max(x, axis=-1)
    return top + np.log(np.sum(np.exp(x - top[..., None]), axis=-1))


def gaussian_mixture(
    alphas: Array, means: Array, factors: Array, x: Array, gamma: float, excess: int
) -> float:
    """ADBench's log-likelihood; triangles are filled column by column."""
    n, d = x.shape
    k = len(alphas)
    scales = np.exp(factors[:, :d])
    lower = np.zeros((k, d, d))
    start = d
    for column in range(d - 1):
        size = d - 1 - column
        lower[:, column + 1 :, column] = factors[:, start : start + size]
        start += size
    totals = np.sum(factors[:, :d], axis=1)
    centred = x[:, None, :] - means
    turned = scales * centred + np.einsum("kij,nkj->nki", lower, centred)
    inner = alphas + totals - 0.5 * np.sum(turned**2, axis=2)
    likelihood = np.sum(log_sum_exp(inner)) - n * log_sum_exp(alphas)
    prior = 0.5 * gamma**2 * (np.sum(scales**2) + np.sum(factors[:, d:] ** 2))
    return likelihood + prior - excess * np.sum(totals)


def gaussian_mixture_without_writing(
    alphas: Array, means: Array, factors: Array, x: Array, gamma: float, excess: int
) -> float:
    """The same for packages that cannot write into arrays: the triangles are products."""
    n, d = x.shape
    below = np.zeros((d * (d - 1) // 2, d, d))
    columns, rows = np.triu_indices(d, 1)
    below[np.arange(len(below)), rows, columns] = 1.0
    scales = np.exp(factors[:, :d])
    lower = np.tensordot(factors[:, d:], below, 1)
    totals = np.sum(factors[:, :d], axis=1)
    centred = x[:, None, :] - means
    turned = scales * centred + np.einsum("kij,nkj->nki", lower, centred)
    inner = alphas + totals - 0.5 * np.sum(turned**2, axis=2)
    likelihood = np.sum(log_sum_exp(inner)) - n * log_sum_exp(alphas)
    prior = 0.5 * gamma**2 * (np.sum(scales**2) + np.sum(factors[:, d:] ** 2))
    return likelihood + prior - excess * np.sum(totals)


def reprojection(camera: Array, point: Array, weight: float, feature: Array) -> float:
    """ADBench's squared residual of one point seen by one camera."""
    r = camera[:3]
    angle = np.sqrt(np.sum(r * r))
    axis = r / angle
    cosine, sine = np.cos(angle), np.sin(angle)
    centred = point - camera[3:6]
    turned = centred * cosine + np.cross(axis, centred) * sine
    turned = turned + axis * (np.dot(axis, centred) * (1.0 - cosine))
    p = turned[:2] / turned[2]
    square = np.sum(p * p)
    bent = p * (1.0 + camera[9] * square + camera[10] * square * square)
    error = weight * (camera[7:9] + camera[6] * bent - feature)
    return np.sum(error * error)


def reprojections(
    cameras: Array, points: Array, seen_by: Array, seen: Array, features: Array
) -> float:
    """The same for many observations, cameras and points gathered by indices."""
    c = cameras[seen_by]
    r = c[:, :3]
    angle = np.sqrt(np.sum(r * r, axis=1, keepdims=True))
    axis = r / angle
    cosine, sine = np.cos(angle), np.sin(angle)
    centred = points[seen] - c[:, 3:6]
    turned = centred * cosine + np.cross(axis, centred) * sine
    turned = turned + axis * (np.sum(axis * centred, axis=1, keepdims=True) * (1.0 - cosine))
    p = turned[:, :2] / turned[:, 2:3]
    square = np.sum(p * p, axis=1, keepdims=True)
    bent = p * (1.0 + c[:, 9:10] * square + c[:, 10:11] * square * square)
    error = c[:, 7:9] + c[:, 6:7] * bent - features
    return np.sum(error * error)


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    return 1.0 / (1.0 + np.exp(-x))


def lstm_step(weight: Array, bias: Array, hidden: Array, cell: Array, x: Array) -> Array:
    """ADBench's layer: gates act on each number alone."""
    n = len(hidden)
    gates = np.concatenate((x, hidden, x, hidden)) * weight + bias
    forget, ingate = sigmoid(gates[:n]), sigmoid(gates[n : 2 * n])
    outgate, change = sigmoid(gates[2 * n : 3 * n]), np.tanh(gates[3 * n :])
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def lstm(weights: Array, biases: Array, ends: Array, sequence: Array) -> float:
    """ADBench's objective: two layers predict the next element; states stand in lists."""
    layers = 2
    hidden = [np.zeros(sequence.shape[1]) for _ in range(layers)]
    cell = [np.zeros(sequence.shape[1]) for _ in range(layers)]
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * ends[0]
        for k in range(layers):
            hidden[k], cell[k] = lstm_step(weights[k], biases[k], hidden[k], cell[k], x)
            x = hidden[k]
        scores = x * ends[1] + ends[2]
        total += np.sum(sequence[t + 1] * (scores - np.log(np.sum(np.exp(scores)) + 2.0)))
    return -total / (len(sequence) - 1)


def jacobi(A0: Array, steps: int) -> float:
    """Polybench's jacobi-2d, two arrays written in turn."""
    A, B = A0.copy(), A0.copy()
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )
    return np.sum(A * A)


def jacobi_without_writing(A0: Array, steps: int) -> float:
    """The same for packages that cannot write into arrays."""
    A = A0
    for _ in range(2 * steps):
        inner = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        rows = np.concatenate([A[1:-1, :1], inner, A[1:-1, -1:]], axis=1)
        A = np.concatenate([A[:1], rows, A[-1:]], axis=0)
    return np.sum(A * A)


def heat(u0: Array, nu: float, steps: int) -> float:
    """The heat equation element by element."""
    u = u0.copy()
    for _ in range(steps):
        before = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = before[i] + nu * (before[i + 1] - 2.0 * before[i] + before[i - 1])
    return np.sum(u * u)


def heat_without_writing(u0: Array, nu: float, steps: int) -> float:
    """The same for packages that cannot write into arrays."""
    u = u0
    for _ in range(steps):
        inner = u[1:-1] + nu * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = np.concatenate([u[:1], inner, u[-1:]])
    return np.sum(u * u)


def bump(x: float) -> float:
    """Smooth, and zero beyond 1."""
    return np.exp(-1.0 / (1.0 - x * x))
