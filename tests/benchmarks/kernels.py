"""Gradients of loops over matrices, as multiples of the time of the function itself.

    python -m tests.benchmarks kernels [--rounds 15] [--only NAME] [--write]

Both run side by side in one run. Before that, the gradient is compared with an extrapolated
difference along one direction. ``--write`` writes the table into README.md beside this file.
"""

from __future__ import annotations

import argparse
import platform
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import symdiff as sd
from tests.benchmarks.timing import interleaved
from tests.reference import directional

Array = Any
README = Path(__file__).with_name("README.md")
BEGINS, ENDS = "<!-- kernels begin -->", "<!-- kernels end -->"
SECTION = re.compile(f"(?s){BEGINS}.*{ENDS}\n")

# Kernels -----------------------------------------------------------------------------------------


def recurrent_network(W: Array, V: Array, X: Array) -> float:
    h = np.zeros(W.shape[0])
    for t in range(X.shape[0]):
        h = np.tanh(W @ h + V @ X[t])
    return h @ h


def network_with_gates(W: Array, X: Array) -> float:
    h = np.zeros(W.shape[0])
    for t in range(X.shape[0]):
        h = np.tanh(W @ h + X[t]) if X[t, 0] > 0 else 0.5 * h + np.sin(W @ X[t])
    return h @ h


def power_iteration(A: Array, x: Array, turns: int) -> float:
    for _ in range(turns):
        x = A @ x
        x = x / np.sqrt(x @ x)
    return x @ A @ x


def covariance_by_columns(data: Array) -> float:
    centred = data - np.mean(data, axis=0)
    M = data.shape[1]
    total = 0.0
    for i in range(M):
        total += np.sum((centred[:, i:M].T @ centred[:, i]) ** 2)
    return total


def forward_substitution(L: Array, b: Array) -> float:
    x = np.zeros(b.shape)
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x * x)


def cholesky_in_place(A: Array) -> float:
    A = A.copy()
    for j in range(A.shape[0]):
        A[j, j] = np.sqrt(A[j, j] - A[j, :j] @ A[j, :j])
        A[j + 1 :, j] = (A[j + 1 :, j] - A[j + 1 :, :j] @ A[j, :j]) / A[j, j]
    return np.sum(np.log(np.diag(A)))


def embedding(E: Array, places: Array, w: Array) -> float:
    return np.sum(np.tanh(E[places]) @ w)


def stacked_product(A: Array, C: Array) -> float:
    r, q, p = A.shape
    return np.sum((np.reshape(A, (r, q, 1, p)) @ C) ** 2)


def gaussian_process(X: Array, y: Array, length: float) -> float:
    K = np.exp(-0.5 * np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1) / length**2)
    L = np.linalg.cholesky(K + 0.1 * np.eye(y.shape[0]))
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(L)))


def wave(u: Array, steps: int) -> float:
    before = u.copy()
    now = u.copy()
    for _ in range(steps):
        after = 2.0 * now - before
        after[1:-1, 1:-1] += 0.2 * (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4.0 * now[1:-1, 1:-1]
        )
        before, now = now, after
    return np.sum(now * now)


def gauss_seidel(A: Array, b: Array, sweeps: int) -> float:
    x = np.zeros(b.shape[0])
    for _ in range(sweeps):
        for i in range(b.shape[0]):
            x[i] += (b[i] - A[i] @ x) / A[i, i]
    return x @ x


def tridiagonal_system(a: Array, b: Array, c: Array, d: Array) -> float:
    """By Thomas's algorithm."""
    n = d.shape[0]
    ratios, x = np.zeros(n), np.zeros(n)
    ratios[0], x[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        pivot = b[i] - a[i] * ratios[i - 1]
        ratios[i] = c[i] / pivot
        x[i] = (d[i] - a[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= ratios[i] * x[i + 1]
    return np.sum(x * x)


def lu_in_place(A: Array) -> float:
    A = A.copy()
    for k in range(A.shape[0] - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.sum(np.log(np.abs(np.diag(A))))


def householder_triangle(A: Array) -> float:
    R = A.copy()
    for k in range(A.shape[1]):
        v = R[k:, k].copy()
        v[0] += np.sign(v[0]) * np.sqrt(v @ v)
        v /= np.sqrt(v @ v)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
    return np.sum(np.log(np.abs(np.diag(R))))


def convolution_by_slices(x: Array, k: Array) -> float:
    (H, W), (h, w) = x.shape, k.shape
    y = np.zeros((H - h + 1, W - w + 1))
    for i in range(h):
        for j in range(w):
            y += k[i, j] * x[i : i + H - h + 1, j : j + W - w + 1]
    return np.sum(np.tanh(y))


def hadamard_transform(x: Array) -> float:
    x = x.copy()
    h = 1
    while h < x.shape[0]:
        for i in range(0, x.shape[0], 2 * h):
            a, b = x[i : i + h].copy(), x[i + h : i + 2 * h].copy()
            x[i : i + h] = a + b
            x[i + h : i + 2 * h] = a - b
        h *= 2
    return np.sum(x**4)


def soft_alignment(C: Array) -> float:
    """The cost of a soft dynamic time warping."""
    n, m = C.shape
    D = np.full((n + 1, m + 1), 1e10)
    D[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            a, b, c = -D[i, j], -D[i, j + 1], -D[i + 1, j]
            t = max(a, b, c)
            D[i + 1, j + 1] = C[i, j] - t - np.log(np.exp(a - t) + np.exp(b - t) + np.exp(c - t))
    return D[n, m]


def cases() -> list[tuple[Callable[..., Any], tuple[Any, ...], int | str | tuple[int, ...]]]:
    """Each kernel, its arguments, and what it is differentiated by."""
    rng = np.random.default_rng(0)
    square = rng.normal(size=(200, 200)) / 20.0
    spd = square @ square.T + np.eye(200)
    places = rng.integers(0, 2000, 10_000)
    lower = rng.random(2000)
    return [
        (recurrent_network, (square, rng.normal(size=(200, 30)), rng.normal(size=(60, 30))), 0),
        (network_with_gates, (square, rng.normal(size=(60, 200))), 0),
        (power_iteration, (spd, rng.normal(size=200), 50), 0),
        (covariance_by_columns, (rng.normal(size=(120, 100)),), 0),
        (forward_substitution, (np.tril(square) + 2.0 * np.eye(200), rng.normal(size=200)), 0),
        (cholesky_in_place, (spd,), 0),
        (embedding, (rng.normal(size=(2000, 64)), places, rng.normal(size=64)), 0),
        (stacked_product, (rng.normal(size=(20, 25, 30)), rng.normal(size=(30, 30))), 1),
        (gaussian_process, (rng.normal(size=(150, 3)), rng.normal(size=150), 1.3), 0),
        (wave, (rng.normal(size=(120, 120)), 50), 0),
        (gauss_seidel, (square + 2.0 * np.eye(200), rng.normal(size=200), 5), 0),
        (tridiagonal_system, (lower, lower + 4.0, 1.0 - lower, lower), 1),
        (lu_in_place, (square + 2.0 * np.eye(200),), 0),
        (householder_triangle, (rng.normal(size=(150, 100)),), 0),
        (convolution_by_slices, (rng.normal(size=(100, 100)), rng.normal(size=(5, 5))), 0),
        (hadamard_transform, (rng.normal(size=512),), 0),
        (soft_alignment, (rng.random((60, 60)),), 0),
    ]


# Measuring ---------------------------------------------------------------------------------------


def measured(only: str, rounds: int) -> list[str]:
    """A row of the table for each kernel."""
    rows = []
    for function, arguments, wrt in cases():
        name = function.__name__.replace("_", " ")
        if only not in name:
            continue
        gradient = sd.grad(function, argnums=wrt)
        _require_right(function, arguments, int(wrt), gradient(*arguments))
        times = interleaved(
            {
                "function": lambda f=function, a=arguments: f(*a),
                "gradient": lambda g=gradient, a=arguments: g(*a),
            },
            rounds,
        )
        ratio = times["gradient"] / times["function"]
        rows.append(f"| {name} | {times['function'] * 1e3:.3g} ms | {ratio:.2g} |")
        print(rows[-1], flush=True)
    return rows


def _require_right(
    function: Callable[..., Any], arguments: tuple[Any, ...], wrt: int, gradient: Array
) -> None:
    x = arguments[wrt]
    along = np.random.default_rng(1).normal(size=x.shape)
    if function is cholesky_in_place:
        along = np.tril(along)  # of the upper half it reads nothing

    def along_wrt(moved: Array) -> Any:
        return function(*arguments[:wrt], moved, *arguments[wrt + 1 :])

    expected = directional(along_wrt, (x,), (along,)).value
    np.testing.assert_allclose(np.sum(gradient * along), expected, rtol=1e-6)


PREFACE = f"""{BEGINS}
## Loops over matrices

Written by `python -m tests.benchmarks kernels --write`: times of gradients, as multiples of the
function's own, one thread, processor time, medians of interleaved rounds in one run.
"""
HEADER = """| kernel | function | gradient |
| --- | --- | --- |"""


def kept_section() -> str:
    """The section as it stands in README.md, for those who write the rest anew."""
    found = SECTION.search(README.read_text(encoding="utf-8"))
    return "" if found is None else f"\n{found[0]}"


def _write(rows: Sequence[str]) -> None:
    rest = SECTION.sub("", README.read_text(encoding="utf-8")).rstrip("\n")
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    table = "\n".join([HEADER, *rows])
    text = f"{PREFACE}\n{versions}, {platform.machine()}.\n\n{table}\n{ENDS}\n"
    README.write_text(f"{rest}\n\n{text}", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks kernels")
    parser.add_argument("--only", default="", help="kernels whose names contain this")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="write the table into README.md")
    options = parser.parse_args(arguments)
    print(HEADER)
    rows = measured(options.only, options.rounds)
    if options.write:
        _write(rows)
    return 0
