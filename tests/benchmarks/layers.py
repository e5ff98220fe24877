"""Layers of networks whose derivatives are timed, in both precisions.

As in ``programs`` they use nothing but ``np``; ``layers_by_hand`` has their derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def attention(Wq: Array, Wk: Array, Wv: Array, Wo: Array, X: Array) -> float:
    """Four heads, of which each place looks at those before it."""
    b, t, d = X.shape
    h = 4
    Q = np.transpose(np.reshape(X @ Wq, (b, t, h, d // h)), (0, 2, 1, 3))
    K = np.transpose(np.reshape(X @ Wk, (b, t, h, d // h)), (0, 2, 1, 3))
    V = np.transpose(np.reshape(X @ Wv, (b, t, h, d // h)), (0, 2, 1, 3))
    scores = Q @ np.transpose(K, (0, 1, 3, 2)) * (1.0 / (d // h)) ** 0.5
    scores = np.where(np.tril(np.ones((t, t), dtype=bool)), scores, -1e9)
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    shares = e / np.sum(e, axis=-1, keepdims=True)
    mixed = np.reshape(np.transpose(shares @ V, (0, 2, 1, 3)), (b, t, d))
    return np.sum(np.tanh(mixed @ Wo))


def convolution(K: Array, x: Array) -> float:
    """Windows of 3 × 3 taken by arrays of places, and one product."""
    n, h, w, c = x.shape
    i = np.arange(h - 2)[:, None] + np.arange(3)
    j = np.arange(w - 2)[:, None] + np.arange(3)
    columns = x[:, i[:, None, :, None], j[None, :, None, :], :]
    columns = np.reshape(columns, (n * (h - 2) * (w - 2), 9 * c))
    return np.sum(np.tanh(columns @ K) ** 2)


def recurrent(Wx: Array, Wh: Array, b: Array, X: Array) -> float:
    """An LSTM of a batch of sequences, a product of matrices for each step."""
    n = Wh.shape[0]
    h, c = np.zeros_like(X[0, :, :1] * b[:n]), np.zeros_like(X[0, :, :1] * b[:n])
    for t in range(X.shape[0]):
        z = X[t] @ Wx + h @ Wh + b
        i, f = 1.0 / (1.0 + np.exp(-z[:, :n])), 1.0 / (1.0 + np.exp(-z[:, n : 2 * n]))
        o, g = 1.0 / (1.0 + np.exp(-z[:, 2 * n : 3 * n])), np.tanh(z[:, 3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h * h)


def embedding(E: Array, W: Array, places: Array) -> float:
    """Rows of a table by their places."""
    return np.sum(np.tanh(E[places] @ W))


def tensors(A: Array, B: Array, C: Array) -> float:
    """A product of three by ``einsum``."""
    return np.sum(np.tanh(np.einsum("bi,ijk,bj->bk", A, B, C)))
