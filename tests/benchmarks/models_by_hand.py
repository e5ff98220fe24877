"""Hand-written derivatives in NumPy of the functions in ``models``, like those in ``by_hand``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.models import sigmoid

Array = Any


def likelihood_of_labels(w: Array, X: Array, signs: Array) -> Array:
    """By the weights."""
    return (-signs / (1.0 + np.exp(signs * (X @ w)))) @ X / len(signs)


def _density_and_slope(x: Array) -> tuple[Array, Array]:
    """The cumulative normal's polynomial and its derivative."""
    size = np.abs(x)
    k = 1.0 / (1.0 + 0.2316419 * size)
    p = 0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    by_k = 0.319381530 + k * (
        -0.713127564 + k * (5.344433811 + k * (-7.285023912 + k * 6.651372145))
    )
    density = 0.3989422804014327 * np.exp(-0.5 * x * x)
    tail = density * (k * p)
    slope = size * tail + 0.2316419 * density * by_k * k * k
    return np.where(x < 0.0, tail, 1.0 - tail), slope


def black_scholes(spot: Array, strike: Array, years: Array, rate: float, vol: float) -> Array:
    """By the spots."""
    spread = vol * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * vol * vol) * years) / spread
    first, slope1 = _density_and_slope(d1)
    _, slope2 = _density_and_slope(d1 - spread)
    discounted = strike * np.exp(-rate * years)
    return first + (spot * slope1 - discounted * slope2) / (spot * spread)


def chain(x: Array) -> Array:
    """By the array."""
    a = np.sin(x) * 0.5 + x
    b = np.exp(-a * a)
    t = np.tanh(b + a)
    c = t * b
    d = np.sqrt(1.0 + c * c)
    e = np.log(d + 1.0) - np.cos(a)
    below = 1.0 + d * d
    f = e / below
    by_e = 2.0 * f / below
    by_d = by_e / (d + 1.0) - 2.0 * by_e * f * d
    by_c = 1.0 + by_d * c / d
    by_t = by_c * b * (1.0 - t * t)
    by_b = by_c * t + by_t
    by_a = by_t - 2.0 * by_b * b * a + by_e * np.sin(a)
    return by_a * (0.5 * np.cos(x) + 1.0)


def matrix_chain(A: Array, B: Array, C: Array, D: Array) -> tuple[Array, ...]:
    """By all four."""
    AB = A @ B
    ABC = AB @ C
    g = 1.0 - np.tanh(ABC @ D) ** 2
    by_ABC = g @ D.T
    by_AB = by_ABC @ C.T
    return by_AB @ B.T, A.T @ by_AB, AB.T @ by_ABC, ABC.T @ g


def gaussian_process(theta: Array, X: Array, y: Array) -> Array:
    """By the logarithms: inverse - alpha alpha' meets the slopes of the kernel."""
    lengths, noise = np.exp(theta[1:-1]), np.exp(theta[-1])
    scaled = X / lengths
    differences = (scaled[:, None, :] - scaled[None, :, :]) ** 2
    kernel = np.exp(theta[0] - 0.5 * np.sum(differences, axis=-1))
    inverse = np.linalg.inv(kernel + noise * np.eye(len(y)))
    alpha = inverse @ y
    by_K = 0.5 * (inverse - np.outer(alpha, alpha))
    weighted = by_K * kernel
    by_lengths = np.einsum("ij,ijk->k", weighted, differences)
    return np.concatenate(([np.sum(weighted)], by_lengths, [noise * np.trace(by_K)]))


def gaussian_mixture(
    alphas: Array, means: Array, factors: Array, x: Array, gamma: float, excess: int
) -> tuple[Array, Array, Array]:
    """By weights, means and factors."""
    n, d = x.shape
    k = len(alphas)
    scales = np.exp(factors[:, :d])
    lower = np.zeros((k, d, d))
    start = d
    for column in range(d - 1):
        size = d - 1 - column
        lower[:, column + 1 :, column] = factors[:, start : start + size]
        start += size
    centred = x[:, None, :] - means
    turned = scales * centred + np.einsum("kij,nkj->nki", lower, centred)
    inner = alphas + np.sum(factors[:, :d], axis=1) - 0.5 * np.sum(turned**2, axis=2)
    e = np.exp(inner - np.max(inner, axis=1)[:, None])
    share = e / np.sum(e, axis=1)[:, None]
    of_component = np.sum(share, axis=0)
    e = np.exp(alphas - np.max(alphas))
    by_turned = -share[:, :, None] * turned
    by_scales = np.sum(by_turned * centred, axis=0) + gamma**2 * scales
    by_lower = np.einsum("nki,nkj->kij", by_turned, centred)
    by_centred = by_turned * scales + np.einsum("kij,nki->nkj", lower, by_turned)
    by_factors = gamma**2 * factors
    by_factors[:, :d] = by_scales * scales + of_component[:, None] - excess
    start = d
    for column in range(d - 1):
        size = d - 1 - column
        by_factors[:, start : start + size] += by_lower[:, column + 1 :, column]
        start += size
    return of_component - n * e / np.sum(e), -np.sum(by_centred, axis=0), by_factors


def reprojection(
    camera: Array, point: Array, weight: float, feature: Array
) -> tuple[Array, Array, float]:
    """By camera, point and weight."""
    r = camera[:3]
    angle = np.sqrt(np.sum(r * r))
    axis = r / angle
    cosine, sine = np.cos(angle), np.sin(angle)
    centred = point - camera[3:6]
    across, along = np.cross(axis, centred), np.dot(axis, centred)
    turned = centred * cosine + across * sine + axis * (along * (1.0 - cosine))
    p = turned[:2] / turned[2]
    square = np.sum(p * p)
    bending = 1.0 + camera[9] * square + camera[10] * square * square
    bent = p * bending
    plain = camera[7:9] + camera[6] * bent - feature
    by_plain = 2.0 * weight * weight * plain
    by_bent = camera[6] * by_plain
    by_bending = np.sum(by_bent * p)
    by_square = by_bending * (camera[9] + 2.0 * camera[10] * square)
    by_p = by_bent * bending + 2.0 * by_square * p
    by_turned = np.empty(3)
    by_turned[:2] = by_p / turned[2]
    by_turned[2] = -np.sum(by_p * p) / turned[2]
    by_along = np.dot(by_turned, axis) * (1.0 - cosine)
    by_across = by_turned * sine
    by_centred = by_turned * cosine + np.cross(by_across, axis) + by_along * axis
    by_axis = np.cross(centred, by_across) + by_along * centred
    by_axis += by_turned * (along * (1.0 - cosine))
    by_angle = cosine * np.dot(by_turned, across)
    by_angle += sine * (along * np.dot(by_turned, axis) - np.dot(by_turned, centred))
    by_camera = np.empty(11)
    by_camera[:3] = by_axis / angle + (by_angle - np.dot(by_axis, axis) / angle) * axis
    by_camera[3:6] = -by_centred
    by_camera[6] = np.sum(by_plain * bent)
    by_camera[7:9] = by_plain
    by_camera[9] = by_bending * square
    by_camera[10] = by_bending * square * square
    return by_camera, by_centred, 2.0 * weight * np.sum(plain * plain)


def _inner(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=1, keepdims=True)


def reprojections(
    cameras: Array, points: Array, seen_by: Array, seen: Array, features: Array
) -> tuple[Array, Array]:
    """By cameras and points."""
    c = cameras[seen_by]
    r = c[:, :3]
    angle = np.sqrt(_inner(r, r))
    axis = r / angle
    cosine, sine = np.cos(angle), np.sin(angle)
    centred = points[seen] - c[:, 3:6]
    across, along = np.cross(axis, centred), _inner(axis, centred)
    turned = centred * cosine + across * sine + axis * (along * (1.0 - cosine))
    p = turned[:, :2] / turned[:, 2:3]
    square = _inner(p, p)
    bending = 1.0 + c[:, 9:10] * square + c[:, 10:11] * square * square
    bent = p * bending
    by_plain = 2.0 * (c[:, 7:9] + c[:, 6:7] * bent - features)
    by_bent = c[:, 6:7] * by_plain
    by_bending = _inner(by_bent, p)
    by_square = by_bending * (c[:, 9:10] + 2.0 * c[:, 10:11] * square)
    by_p = by_bent * bending + 2.0 * by_square * p
    by_turned = np.empty_like(turned)
    by_turned[:, :2] = by_p / turned[:, 2:3]
    by_turned[:, 2:3] = -_inner(by_p, p) / turned[:, 2:3]
    along_axis = _inner(by_turned, axis)
    by_along = along_axis * (1.0 - cosine)
    by_across = by_turned * sine
    by_centred = by_turned * cosine + np.cross(by_across, axis) + by_along * axis
    by_axis = np.cross(centred, by_across) + by_along * centred
    by_axis += by_turned * (along * (1.0 - cosine))
    by_angle = cosine * _inner(by_turned, across)
    by_angle += sine * (along * along_axis - _inner(by_turned, centred))
    by_c = np.empty_like(c)
    by_c[:, :3] = by_axis / angle + (by_angle - _inner(by_axis, axis) / angle) * axis
    by_c[:, 3:6] = -by_centred
    by_c[:, 6:7] = _inner(by_plain, bent)
    by_c[:, 7:9] = by_plain
    by_c[:, 9:10] = by_bending * square
    by_c[:, 10:11] = by_bending * square * square
    by_cameras, by_points = np.zeros_like(cameras), np.zeros_like(points)
    np.add.at(by_cameras, seen_by, by_c)
    np.add.at(by_points, seen, by_centred)
    return by_cameras, by_points


def lstm(weights: Array, biases: Array, ends: Array, sequence: Array) -> tuple[Array, Array, Array]:
    """By weights, biases and the ends; the tape holds each step's gates and states."""
    layers, n = 2, sequence.shape[1]
    hidden = [np.zeros(n) for _ in range(layers)]
    cell = [np.zeros(n) for _ in range(layers)]
    tape, outputs = [], []
    for t in range(len(sequence) - 1):
        x = sequence[t] * ends[0]
        for k in range(layers):
            given = np.concatenate((x, hidden[k], x, hidden[k]))
            gates = given * weights[k] + biases[k]
            opened, change = sigmoid(gates[: 3 * n]), np.tanh(gates[3 * n :])
            before = cell[k]
            cell[k] = before * opened[:n] + opened[n : 2 * n] * change
            bent = np.tanh(cell[k])
            x = hidden[k] = opened[2 * n :] * bent
            tape.append((given, opened, change, before, bent))
        outputs.append(x)
    by_weights, by_biases = np.zeros_like(weights), np.zeros_like(biases)
    by_ends, by_gates = np.zeros_like(ends), np.empty(4 * n)
    by_hidden = [np.zeros(n) for _ in range(layers)]
    by_cell = [np.zeros(n) for _ in range(layers)]
    scale = -1.0 / (len(sequence) - 1)
    for t in range(len(sequence) - 2, -1, -1):
        e = np.exp(outputs[t] * ends[1] + ends[2])
        target = sequence[t + 1]
        by_scores = scale * (target - np.sum(target) / (np.sum(e) + 2.0) * e)
        by_ends[1] += by_scores * outputs[t]
        by_ends[2] += by_scores
        by_x = by_scores * ends[1]
        for k in range(layers - 1, -1, -1):
            given, opened, change, before, bent = tape.pop()
            by_h = by_hidden[k] + by_x
            by_c = by_cell[k] + by_h * opened[2 * n :] * (1.0 - bent * bent)
            by_gates[:n] = by_c * before
            by_gates[n : 2 * n] = by_c * change
            by_gates[2 * n : 3 * n] = by_h * bent
            by_gates[: 3 * n] *= opened * (1.0 - opened)
            by_gates[3 * n :] = by_c * opened[n : 2 * n] * (1.0 - change * change)
            by_weights[k] += by_gates * given
            by_biases[k] += by_gates
            by_given = by_gates * weights[k]
            by_x = by_given[:n] + by_given[2 * n : 3 * n]
            by_hidden[k] = by_given[n : 2 * n] + by_given[3 * n :]
            by_cell[k] = by_c * opened[:n]
        by_ends[0] += by_x * sequence[t]
    return by_weights, by_biases, by_ends


def _spread(target: Array, source: Array) -> None:
    """Add what an average of five gave to its five, and clear it."""
    inner = 0.2 * source[1:-1, 1:-1]
    source[1:-1, 1:-1] = 0.0
    target[1:-1, 1:-1] += inner
    target[1:-1, :-2] += inner
    target[1:-1, 2:] += inner
    target[2:, 1:-1] += inner
    target[:-2, 1:-1] += inner


def jacobi(A0: Array, steps: int) -> Array:
    """By the initial values."""
    A, B = A0.copy(), A0.copy()
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )
    by_A, by_B = 2.0 * A, np.zeros_like(A)
    for _ in range(steps):
        _spread(by_B, by_A)
        _spread(by_A, by_B)
    return by_A + by_B


def heat(u0: Array, nu: float, steps: int) -> Array:
    """By the initial values, element by element."""
    u = u0.copy()
    for _ in range(steps):
        before = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = before[i] + nu * (before[i + 1] - 2.0 * before[i] + before[i - 1])
    by_u = 2.0 * u
    for _ in range(steps):
        by_before = np.zeros_like(u)
        for i in range(1, len(u) - 1):
            spread = nu * by_u[i]
            by_before[i] += by_u[i] - 2.0 * spread
            by_before[i + 1] += spread
            by_before[i - 1] += spread
        by_before[0] += by_u[0]
        by_before[-1] += by_u[-1]
        by_u = by_before
    return by_u


def bump_fifth(x: float) -> float:
    """The fifth derivative: Bell's polynomial of the derivatives of the exponent."""
    a, b = 1.0 / (1.0 - x), 1.0 / (1.0 + x)
    u1 = -0.5 * (a**2 - b**2)
    u2 = -(a**3 + b**3)
    u3 = -3.0 * (a**4 - b**4)
    u4 = -12.0 * (a**5 + b**5)
    u5 = -60.0 * (a**6 - b**6)
    square = u1 * u1
    bell = u5 + 5.0 * u1 * u4 + 10.0 * (u2 + square) * u3 + 15.0 * u1 * u2 * u2
    bell += square * u1 * (10.0 * u2 + square)
    return np.exp(-a * b) * bell
