"""Hand-written derivatives in NumPy of the functions in ``layers``, like those in ``by_hand``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.models import sigmoid

Array = Any


def attention(Wq: Array, Wk: Array, Wv: Array, Wo: Array, X: Array) -> tuple[Array, ...]:
    """By the four matrices."""
    b, t, d = X.shape
    h, size = 4, d // 4

    def heads(x: Array) -> Array:
        return x.reshape(b, t, h, size).transpose(0, 2, 1, 3)

    def rows(x: Array) -> Array:
        return x.transpose(0, 2, 1, 3).reshape(b * t, d)

    Q, K, V = heads(X @ Wq), heads(X @ Wk), heads(X @ Wv)
    scale = (1.0 / size) ** 0.5
    scores = Q @ K.transpose(0, 1, 3, 2) * scale
    scores = np.where(np.tril(np.ones((t, t), dtype=bool)), scores, -1e9)
    shares = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    shares /= np.sum(shares, axis=-1, keepdims=True)
    mixed = rows(shares @ V)
    bent = np.tanh(mixed @ Wo)
    by_bent = 1.0 - bent * bent
    by_mixed = heads(by_bent @ Wo.T)
    by_scores = by_mixed @ V.transpose(0, 1, 3, 2)
    by_scores -= np.sum(by_scores * shares, axis=-1, keepdims=True)
    by_scores *= shares
    by_V = shares.transpose(0, 1, 3, 2) @ by_mixed
    by_Q, by_K = by_scores @ K * scale, by_scores.transpose(0, 1, 3, 2) @ Q * scale
    inputs = X.reshape(b * t, d).T
    return inputs @ rows(by_Q), inputs @ rows(by_K), inputs @ rows(by_V), mixed.T @ by_bent


def convolution(K: Array, x: Array) -> tuple[Array, Array]:
    """By the kernel and the images; windows come and go as slices."""
    n, h, w, c = x.shape
    columns = np.empty((n, h - 2, w - 2, 3, 3, c), x.dtype)
    for i in range(3):
        for j in range(3):
            columns[:, :, :, i, j] = x[:, i : i + h - 2, j : j + w - 2]
    flat = columns.reshape(-1, 9 * c)
    bent = np.tanh(flat @ K)
    by_product = 2.0 * bent * (1.0 - bent * bent)
    by_columns = (by_product @ K.T).reshape(columns.shape)
    by_x = np.zeros_like(x)
    for i in range(3):
        for j in range(3):
            by_x[:, i : i + h - 2, j : j + w - 2] += by_columns[:, :, :, i, j]
    return flat.T @ by_product, by_x


def recurrent(Wx: Array, Wh: Array, b: Array, X: Array) -> tuple[Array, Array, Array]:
    """By both matrices and the bias, whose products are taken behind the loop."""
    steps, batch, _ = X.shape
    n = Wh.shape[0]
    gates = np.empty((steps, batch, 4 * n), X.dtype)
    hidden, cells = np.zeros((2, steps + 1, batch, n), X.dtype)
    bent = np.empty((steps, batch, n), X.dtype)
    for t in range(steps):
        z = X[t] @ Wx + hidden[t] @ Wh + b
        gates[t, :, : 3 * n] = sigmoid(z[:, : 3 * n])
        gates[t, :, 3 * n :] = np.tanh(z[:, 3 * n :])
        i, f, o, g = np.split(gates[t], 4, axis=1)
        cells[t + 1] = f * cells[t] + i * g
        bent[t] = np.tanh(cells[t + 1])
        hidden[t + 1] = o * bent[t]
    by_h, by_c = 2.0 * hidden[steps], np.zeros((batch, n), X.dtype)
    by_z = np.empty_like(gates)
    for t in range(steps - 1, -1, -1):
        i, f, o, g = np.split(gates[t], 4, axis=1)
        by_c = by_c + by_h * o * (1.0 - bent[t] * bent[t])
        by_z[t, :, :n] = by_c * g * i * (1.0 - i)
        by_z[t, :, n : 2 * n] = by_c * cells[t] * f * (1.0 - f)
        by_z[t, :, 2 * n : 3 * n] = by_h * bent[t] * o * (1.0 - o)
        by_z[t, :, 3 * n :] = by_c * i * (1.0 - g * g)
        by_c = by_c * f
        by_h = by_z[t] @ Wh.T
    flat = by_z.reshape(steps * batch, 4 * n)
    by_Wx = X.reshape(steps * batch, -1).T @ flat
    return by_Wx, hidden[:steps].reshape(steps * batch, n).T @ flat, np.sum(flat, axis=0)


def embedding(E: Array, W: Array, places: Array) -> tuple[Array, Array]:
    """By the table and the weights."""
    rows = E[places]
    bent = np.tanh(rows @ W)
    by_product = 1.0 - bent * bent
    by_E = np.zeros_like(E)
    np.add.at(by_E, places, by_product @ W.T)
    return by_E, rows.T @ by_product


def tensors(A: Array, B: Array, C: Array) -> tuple[Array, Array, Array]:
    """By all three."""
    bent = np.tanh(np.einsum("bi,ijk,bj->bk", A, B, C))
    g = 1.0 - bent * bent
    pairs = (A[:, :, None] * C[:, None, :]).reshape(len(A), -1)
    by_pairs = (g @ B.reshape(-1, B.shape[2]).T).reshape(len(A), *B.shape[:2])
    by_A, by_C = np.einsum("bij,bj->bi", by_pairs, C), np.einsum("bij,bi->bj", by_pairs, A)
    return by_A, (pairs.T @ g).reshape(B.shape), by_C
