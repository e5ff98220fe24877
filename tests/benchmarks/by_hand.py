"""Careful hand-written derivatives in NumPy of the functions in ``programs``.

What a person would write who wants speed and still a text that can be read: intermediate values are
computed once and shared, nothing is computed that the adjoint does not need.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def scalar_expression(x: float, y: float) -> tuple[float, float]:
    """By both numbers."""
    r = np.sqrt(x * x + y * y)
    decay, product = np.exp(-r), x * y
    sine, width = np.sin(product), 1.0 + y * y
    by_product = np.cos(product) * decay
    by_r = -sine * decay + 1.0 / ((1.0 + r) * width)
    slope = 1.0 - np.tanh(x - y) ** 2
    by_x = by_product * y + by_r * x / r + slope
    by_y = by_product * x + by_r * y / r - slope - 2.0 * y * np.log(1.0 + r) / (width * width)
    return by_x, by_y


def scalar_while(x: float, rate: float) -> tuple[float, float]:
    """By both numbers; the tape holds the balance at the start of each turn."""
    balance, tape = x, []
    while balance < 50.0:
        tape.append(balance)
        if balance < 10.0:
            balance = balance + rate * balance * balance
        else:
            balance = balance * (1.0 + rate) + np.sin(balance)
    by_balance, by_rate = x, 0.0
    for before in reversed(tape):
        if before < 10.0:
            by_rate += by_balance * before * before
            by_balance *= 1.0 + 2.0 * rate * before
        else:
            by_rate += by_balance * before
            by_balance *= 1.0 + rate + np.cos(before)
    return by_balance + balance, by_rate


def long_scalar_loop(x: float, dt: float, turns: int) -> float:
    """By the start."""
    s, tape = x, []
    for _ in range(turns):
        tape.append(s)
        s = s + dt * (np.sin(s) - 0.5 * s * x)
    by_s, by_x, half = 1.0, 0.0, 0.5 * dt
    for before in reversed(tape):
        by_x -= by_s * half * before
        by_s *= 1.0 + dt * np.cos(before) - half * x
    return by_x + by_s


def rosenbrock(x: Array) -> Array:
    """By the array."""
    head = x[:-1]
    valley = x[1:] - head**2
    gradient = np.zeros_like(x)
    gradient[1:] = 200.0 * valley
    gradient[:-1] -= 400.0 * valley * head + 2.0 * (1.0 - head)
    return gradient


def rosenbrock_loop(x: Array) -> Array:
    """By the array, element by element."""
    gradient = np.zeros_like(x)
    for i in range(len(x) - 1):
        head = x[i]
        valley = 200.0 * (x[i + 1] - head**2)
        gradient[i] -= 2.0 * valley * head + 2.0 * (1.0 - head)
        gradient[i + 1] += valley
    return gradient


def rosenbrock_product(x: Array, v: Array) -> Array:
    """The Hessian times a vector: the tangent of ``rosenbrock`` above."""
    head, head_dot = x[:-1], v[:-1]
    valley = x[1:] - head**2
    valley_dot = v[1:] - 2.0 * head * head_dot
    product = np.zeros_like(x)
    product[1:] = 200.0 * valley_dot
    product[:-1] -= 400.0 * (valley_dot * head + valley * head_dot) - 2.0 * head_dot
    return product


def rosenbrock_hessian(x: Array) -> Array:
    """One product for each unit vector, the parts that stay computed once."""
    n = len(x)
    head = x[:-1]
    valley = x[1:] - head**2
    hessian = np.zeros((n, n))
    unit = np.zeros(n)
    for k in range(n):
        unit[k] = 1.0
        head_dot = unit[:-1]
        valley_dot = unit[1:] - 2.0 * head * head_dot
        row = hessian[k]
        row[1:] = 200.0 * valley_dot
        row[:-1] -= 400.0 * (valley_dot * head + valley * head_dot) - 2.0 * head_dot
        unit[k] = 0.0
    return hessian


def logistic_regression(w: Array, X: Array, signs: Array, ridge: float) -> Array:
    """By the weights."""
    e = np.exp(-(signs * (X @ w)))
    return (-signs * (e / (1.0 + e)) / len(signs)) @ X + ridge * w


def network(
    params: list[tuple[Array, Array]], x: Array, one_hot: Array
) -> list[tuple[Array, Array]]:
    """By all parameters."""
    inputs, masks = [], []
    for W, b in params[:-1]:
        inputs.append(x)
        z = x @ W + b
        masks.append(z > 0.0)
        x = np.maximum(z, 0.0)
    W, b = params[-1]
    scores = x @ W + b
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    by_scores = e / np.sum(e, axis=1, keepdims=True)
    by_scores -= one_hot
    by_scores /= len(scores)
    gradient = [(x.T @ by_scores, np.sum(by_scores, axis=0))]
    by_x = by_scores @ W.T
    for k in range(len(params) - 2, -1, -1):
        by_z = by_x * masks[k]
        gradient.append((inputs[k].T @ by_z, np.sum(by_z, axis=0)))
        if k:
            by_x = by_z @ params[k][0].T
    return gradient[::-1]


def softmax_loss(scores: Array, target: Array) -> Array:
    """By the scores."""
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    by_p = 2.0 * (p - target)
    return p * (by_p - np.sum(by_p * p, axis=1, keepdims=True))


def burgers(u0: Array, dt: float, steps: int) -> Array:
    """By the initial values; the tape is one preallocated array."""
    u = u0.copy()
    tape = np.empty((steps, len(u)))
    for k in range(steps):
        tape[k] = u
        inner = u[1:-1]
        u[1:-1] = inner + dt * (u[2:] - 2.0 * inner + u[:-2]) - 0.5 * dt * inner * (u[2:] - u[:-2])
    by_u = 2.0 * u
    half = 0.5 * dt
    for k in range(steps - 1, -1, -1):
        u = tape[k]
        by_inner = by_u[1:-1].copy()
        across = half * by_inner * u[1:-1]
        spread = dt * by_inner
        by_u[1:-1] = by_inner * (1.0 - 2.0 * dt - half * (u[2:] - u[:-2]))
        by_u[2:] += spread - across
        by_u[:-2] += spread + across
    return by_u
