"""The functions whose derivatives are timed, as a user would write them.

They use nothing but ``np``, so that the other packages can run them with their own ``np``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def scalar_expression(x: float, y: float) -> float:
    """A dozen operations on two floats."""
    r = np.sqrt(x * x + y * y)
    return np.sin(x * y) * np.exp(-r) + np.log(1.0 + r) / (1.0 + y * y) + np.tanh(x - y)


def scalar_while(x: float, rate: float) -> float:
    """A loop that data ends, with a branch that data takes."""
    balance = x
    while balance < 50.0:
        if balance < 10.0:
            balance = balance + rate * balance * balance
        else:
            balance = balance * (1.0 + rate) + np.sin(balance)
    return balance * x


def long_scalar_loop(x: float, dt: float, turns: int) -> float:
    """Explicit Euler steps of a pendulum-like equation in one unknown."""
    s = x
    for _ in range(turns):
        s = s + dt * (np.sin(s) - 0.5 * s * x)
    return s


def rosenbrock(x: Array) -> float:
    """Rosenbrock's function as an array expression."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_loop(x: Array) -> float:
    """Rosenbrock's function element by element."""
    total = 0.0
    for i in range(len(x) - 1):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def logistic_regression(w: Array, X: Array, signs: Array, ridge: float) -> float:
    """Mean negative log-likelihood of labels -1 and 1, with a ridge."""
    margins = signs * (X @ w)
    return np.mean(np.log(1.0 + np.exp(-margins))) + 0.5 * ridge * np.sum(w * w)


def network(params: list[tuple[Array, Array]], x: Array, one_hot: Array) -> float:
    """Cross-entropy of a network with two hidden layers of rectified linear units."""
    for W, b in params[:-1]:
        x = np.maximum(x @ W + b, 0.0)
    W, b = params[-1]
    scores = x @ W + b
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    return np.mean(log_total - np.sum(scores * one_hot, axis=1))


def softmax_loss(scores: Array, target: Array) -> float:
    """Squared distance of the rows' softmax from a target."""
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum((p - target) ** 2)


def burgers(u0: Array, dt: float, steps: int) -> float:
    """Burgers' equation by explicit steps in place."""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] = (
            u[1:-1] + dt * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.5 * dt * u[1:-1] * (u[2:] - u[:-2])
        )
    return np.sum(u * u)


def burgers_without_writing(u0: Array, dt: float, steps: int) -> float:
    """The same for packages that cannot write into arrays."""
    u = u0
    for _ in range(steps):
        inner = (
            u[1:-1] + dt * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.5 * dt * u[1:-1] * (u[2:] - u[:-2])
        )
        u = np.concatenate([u[:1], inner, u[-1:]])
    return np.sum(u * u)


def twenty_lines(w: Array, x: Array, steps: int) -> float:
    """For the time of a first call."""
    h = np.zeros(4)
    total = 0.0
    for k in range(steps):
        z = x[k] * w[0] + h * w[1]
        if np.sum(z) > 1.0:  # noqa: SIM108
            z = z * 0.5
        else:
            z = z + w[2]
        gate = 1.0 / (1.0 + np.exp(-z))
        h = gate * np.tanh(z) + (1.0 - gate) * h
        h[0] = h[1] * h[2]
        total = total + np.sum(h * h)
    scale = np.sqrt(1.0 + np.sum(w * w))
    left = np.mean(h[1:] - h[:-1])
    right = np.max(h) - np.min(h)
    penalty = 0.1 * np.sum(np.abs(w))
    mixed = np.where(h > 0.2, h**2, 0.2 * h)
    result = total / scale + left * right + np.sum(mixed)
    return result + penalty
