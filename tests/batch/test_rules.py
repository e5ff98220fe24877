"""Functions of one element under ``vmap``, against a loop over the batch and differences of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import direction, directional, second_directional, weigh

B = 4
RANDOM = np.random.default_rng(5)


def normal(*shape: int) -> Any:
    return RANDOM.standard_normal(shape)


x, y, v, s = normal(B, 3), normal(B, 3), normal(3), normal(B)
A, M, X = normal(B, 3, 3) + 2 * np.eye(3), normal(3, 4), normal(B, 4, 3)
K, L = normal(B, 3, 4, 2), normal(3, 4, 2)
i, ii = np.array([0, 2, 1, 2]), np.array([[0, 2], [1, 0], [2, 1], [0, 1]])
P = np.abs(x) + 0.5


def written(a, b):
    z = a.copy()
    z[1:] = b[:-1] * 2
    z[0] += 3.0
    return z


def written_at(a, k, b):
    z = a.copy()
    z[k] = b[0] * 2
    z[k] += b[1]
    return z


def written_column(a, k, b):
    z = a.copy()
    z[:, k] = b
    return z


def added_at(a, k):
    z = np.zeros(3)
    np.add.at(z, k, a[:2])
    return z


def branches(a):
    if a > 0:
        return np.log(a)
    return a * a


def branches_of_arrays(a):
    z = a * 2 if np.sum(a) > 0 else np.exp(a)
    return z + 1


def nested_branches(a, b):
    if a > 0:
        r = a * b if b > 0 else a - b
    elif b > 0.3:
        r = b * b
    else:
        r = np.sin(a)
    return r


def chosen(a):
    return a if a > 0 else -a


def summed(a):
    t = 0.0
    for k in range(3):
        t = t + a[k] ** 2 * k
    return t


def folded(a):
    t = a[0]
    for e in a:
        t = np.sin(t) * e
    return t


def until(a):
    n = 0
    while a < 10:
        a = a * 1.5 + 0.1
        n += 1
    return a * n


def until_of_arrays(a):
    while np.sum(a) < 10:
        a = a * 1.5 + 0.1
    return a


def counted(a, n):
    t = a
    for k in range(n):
        t = t * a + k
    return t


def left_early(a):
    t = 0.0
    for _ in range(10):
        t = t + a * a
        if t > 2:
            break
    return t


def diffused(u):
    u = u.copy()
    for _ in range(4):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u * u


def collected(a):
    out = []
    for k in range(3):
        out.append(a[k] * a[k])
    return np.array(out)


def several(a):
    return {"all": a * a, "sum": np.sum(a), "part": (a[:2],)}


def called(a):
    def inner(b):
        return b * a

    return inner(a) + sum(inner(q) for q in (1.0, 2.0))


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[int | None, ...]]] = {
    "sum": (lambda a: np.sum(a * a, axis=1), (X,), (0,)),
    "mean": (lambda a: np.mean(a * a, axis=0, keepdims=True), (X,), (0,)),
    "var": (lambda a: np.var(a), (X,), (0,)),
    "std": (lambda a: np.std(a, axis=1, ddof=1), (X,), (0,)),
    "prod": (lambda a: np.prod(a), (x,), (0,)),
    "max": (lambda a: np.max(a) * np.min(a, axis=0), (X,), (0,)),
    "of a number": (lambda a: np.sum(a) * np.max(a), (s,), (0,)),
    "softmax": (lambda a: np.exp(a - np.max(a)) / np.sum(np.exp(a - np.max(a))), (x,), (0,)),
    "norm": (lambda a: np.linalg.norm(a), (X,), (0,)),
    "logaddexp.reduce": (lambda a: np.logaddexp.reduce(a), (x,), (0,)),
    "m @ v": (lambda m, a: m @ a, (A, x), (0, 0)),
    "same m @ v": (lambda m, a: m @ a, (M.T, x), (None, 0)),
    "m @ same v": (lambda m, a: m @ a, (A, v), (0, None)),
    "v @ m": (lambda a, m: a @ m, (x, A), (0, 0)),
    "v @ same m": (lambda a, m: a @ m, (x, M), (0, None)),
    "same v @ m": (lambda a, m: a @ m, (v, A), (None, 0)),
    "v @ v": (lambda a, b: a @ b, (x, y), (0, 0)),
    "same v @ v": (lambda a, b: a @ b, (v, y), (None, 0)),
    "m @ m": (lambda a, b: a @ b, (X, A), (0, 0)),
    "m @ same m": (lambda a, b: a @ b, (X, M), (0, None)),
    "same m @ m": (lambda a, b: a @ b, (M.T, A), (None, 0)),
    "stack @ m": (lambda a, b: a @ b, (K.swapaxes(2, 3), normal(B, 4, 2)), (0, 0)),
    "stack @ v": (lambda a, b: a @ b, (K, normal(B, 2)), (0, 0)),
    "same stack @ v": (lambda a, b: a @ b, (L, normal(B, 2)), (None, 0)),
    "v @ stack": (lambda a, b: a @ b, (normal(B, 4), K), (0, 0)),
    "v @ same stack": (lambda a, b: a @ b, (normal(B, 4), L), (0, None)),
    "dot": (lambda a, b: np.dot(a, b), (X, A), (0, 0)),
    "dot of a stack": (lambda a, b: np.dot(a, b), (X, normal(B, 2, 3, 2)), (0, 0)),
    "outer": (lambda a, b: np.outer(a, b), (x, y), (0, 0)),
    "same outer": (lambda a, b: np.outer(a, b), (v, y), (None, 0)),
    "vdot": (lambda a, b: np.vdot(a, b), (x, y), (0, 0)),
    "inner": (lambda a, b: np.inner(a, b), (X, A), (0, 0)),
    "tensordot": (lambda a, b: np.tensordot(a, b, 1), (X, A), (0, 0)),
    "tensordot same": (lambda a, b: np.tensordot(a, b, ([1], [0])), (X, M), (0, None)),
    "same tensordot": (lambda a, b: np.tensordot(a, b, ([0], [1])), (M, X), (None, 0)),
    "einsum": (lambda a, b: np.einsum("ij,jk->ik", a, b), (X, A), (0, 0)),
    "einsum same": (lambda a, b: np.einsum("ij,jk->ik", a, b), (M.T, A), (None, 0)),
    "trace": (lambda a: np.trace(a @ a), (A,), (0,)),
    "diag": (lambda a: np.diag(a), (A,), (0,)),
    "diag of a vector": (lambda a: np.diag(a * a), (x,), (0,)),
    "tril": (lambda a: np.tril(a), (A,), (0,)),
    "reshape": (lambda a: a.reshape(2, -1), (X,), (0,)),
    "transpose": (lambda a: a.T, (X,), (0,)),
    "broadcast_to": (lambda a: np.broadcast_to(a, (2, 3)), (x,), (0,)),
    "concatenate": (lambda a, b: np.concatenate([a, b]), (x, y), (0, 0)),
    "concatenate same": (lambda a, b: np.concatenate([a, b, a]), (x, v), (0, None)),
    "stack": (lambda a, b: np.stack([a, b], axis=1), (x, y), (0, 0)),
    "array": (lambda a, b: np.array([[a, b], [b, 1.0]]), (s, s + 1), (0, 0)),
    "array of arrays": (lambda a, b: np.array([a, b]), (x, v), (0, None)),
    "roll": (lambda a: np.roll(a, 1, axis=1), (X,), (0,)),
    "repeat": (lambda a: np.repeat(a, 2), (x,), (0,)),
    "tile": (lambda a: np.tile(a, (2, 2)), (x,), (0,)),
    "tile of more": (lambda a: np.tile(a, 2), (X,), (0,)),
    "pad": (lambda a: np.pad(a, 1), (X,), (0,)),
    "cumsum": (lambda a: np.cumsum(a, axis=1), (X,), (0,)),
    "cumprod": (lambda a: np.cumprod(a), (x,), (0,)),
    "sort": (lambda a: np.sort(a), (x,), (0,)),
    "maximum.accumulate": (lambda a: np.maximum.accumulate(a), (x,), (0,)),
    "x[1:]": (lambda a: a[1:] * a[:-1], (x,), (0,)),
    "x[1, 2]": (lambda a: a[1, 2] * a[0], (X,), (0,)),
    "x[[0, 2]]": (lambda a: a[np.array([0, 2])], (x,), (0,)),
    "x[:, [0, 2]]": (lambda a: a[:, np.array([0, 2])], (X,), (0,)),
    "x[[0, 2], [1, 2]]": (lambda a: a[np.array([0, 2]), np.array([1, 2])], (X,), (0,)),
    "x[[0, 1], :, [1, 1]]": (lambda a: a[np.array([0, 1]), :, np.array([1, 1])], (K,), (0,)),
    "x[mask]": (lambda a: a[np.array([True, False, True])], (x,), (0,)),
    "x[:, None]": (lambda a: a[:, None] * a, (x,), (0,)),
    "x[..., 0]": (lambda a: a[..., 0], (X,), (0,)),
    "x[k]": (lambda a, k: a[k], (x, i), (0, 0)),
    "x[-k]": (lambda a, k: a[k], (x, i - 3), (0, 0)),
    "same x[k]": (lambda a, k: a[k], (v, i), (None, 0)),
    "x[:, k]": (lambda a, k: a[:, k], (X, i), (0, 0)),
    "same x[:, k]": (lambda a, k: a[:, k], (M.T, i), (None, 0)),
    "x[ks]": (lambda a, k: a[k], (x, ii), (0, 0)),
    "x[:, ks]": (lambda a, k: a[:, k], (X, ii), (0, 0)),
    "same x[:, ks]": (lambda a, k: a[:, k], (M.T, ii), (None, 0)),
    "x[k, k]": (lambda a, k, m: a[k, m], (X, i, i), (0, 0, 0)),
    "x[k, :, 1]": (lambda a, k: a[k, :, 1], (K, i), (0, 0)),
    "same x[k, :, 1]": (lambda a, k: a[k, :, 1], (L, i), (None, 0)),
    "x[..., k]": (lambda a, k: a[..., k], (X, i), (0, 0)),
    "writes": (written, (x, y), (0, 0)),
    "x[k] = v": (written_at, (x, i, y), (0, 0, 0)),
    "same x[k] = v": (written_at, (v, i, y), (None, 0, 0)),
    "x[:, k] = v": (written_column, (X, i, normal(B, 4)), (0, 0, 0)),
    "x[:, ks] = v": (written_column, (X, ii, normal(B, 4, 2)), (0, 0, 0)),
    "same x[:, ks] = same v": (written_column, (M.T, ii, normal(4, 2)), (None, 0, None)),
    "add.at": (added_at, (x, np.array([[0, 0], [1, 2], [2, 2], [0, 1]])), (0, 0)),
    "inv": (lambda a: np.linalg.inv(a), (A,), (0,)),
    "solve": (lambda a, b: np.linalg.solve(a, b), (A, x), (0, 0)),
    "same solve": (lambda a, b: np.linalg.solve(a, b), (A[0], x), (None, 0)),
    "solve same": (lambda a, b: np.linalg.solve(a, b), (A, v), (0, None)),
    "solve of matrices": (lambda a, b: np.linalg.solve(a, b), (A, normal(B, 3, 2)), (0, 0)),
    "slogdet": (lambda a: np.linalg.slogdet(a)[1] + np.linalg.det(a), (A,), (0,)),
    "cholesky": (lambda a: np.linalg.cholesky(a @ a.T + np.eye(3)), (A,), (0,)),
    "eigh": (lambda a: np.linalg.eigh(a + a.T)[0], (A,), (0,)),
    "qr": (lambda a: np.linalg.qr(a)[1] ** 2, (A,), (0,)),
    "pinv": (lambda a: np.linalg.pinv(a), (X,), (0,)),
    "cross": (lambda a, b: np.cross(a, b), (x, y), (0, 0)),
    "where": (lambda a, b: np.where(a > 0, np.log(np.abs(a)), b * b), (x, y), (0, 0)),
    "clip": (lambda a: np.clip(a, -0.5, 0.5) ** 2, (x,), (0,)),
    "power": (lambda a, b: a**b + a**3, (P, x), (0, 0)),
    "float()": (lambda a, w: float(a) * w, (s, v), (0, None)),
    "interp": (lambda a: np.interp(a, np.arange(5.0), np.arange(5.0) ** 2), (P,), (0,)),
    "median": (lambda a: np.median(a), (x,), (0,)),
    "convolve": (lambda a, b: np.convolve(a, b), (x, y), (0, 0)),
    "full": (lambda a: np.full(3, a), (s,), (0,)),
    "eye": (lambda a: a * np.eye(3), (s,), (0,)),
    "shape": (lambda a: a.shape[0] * a, (x,), (0,)),
    "in columns": (lambda a: a @ a, (x.T.copy(),), (1,)),
    "in the last axis": (lambda a: np.sin(a).sum(axis=0), (np.moveaxis(X, 0, -1),), (-1,)),
    "branches": (branches, (s,), (0,)),
    "branches of arrays": (branches_of_arrays, (x,), (0,)),
    "nested branches": (nested_branches, (s, normal(B)), (0, 0)),
    "if else": (chosen, (s,), (0,)),
    "for": (summed, (x,), (0,)),
    "for of an array": (folded, (x,), (0,)),
    "while": (until, (np.abs(s) + 0.1,), (0,)),
    "while of arrays": (until_of_arrays, (P,), (0,)),
    "range(n)": (counted, (s, i), (0, 0)),
    "break": (left_early, (s + 0.5,), (0,)),
    "stencil": (diffused, (normal(B, 6),), (0,)),
    "list": (collected, (x,), (0,)),
    "several results": (several, (x,), (0,)),
    "closures": (called, (s,), (0,)),
}


def stacked(function: Callable[..., Any], axes: tuple[int | None, ...]) -> Callable[..., Any]:
    """What a loop over the batch computes."""

    def loop(*args: Any) -> Any:
        results = [
            function(
                *(a if k is None else np.take(a, n, k) for a, k in zip(args, axes, strict=False))
            )
            for n in range(B)
        ]
        return together(results)

    return loop


def lane(args: tuple[Any, ...], axes: tuple[int | None, ...], n: int) -> list[Any]:
    pairs = zip(args, axes, strict=True)
    return [a if axis is None else np.take(a, n, axis) for a, axis in pairs]


def together(results: list[Any]) -> Any:
    first = results[0]
    if isinstance(first, dict):
        return {key: together([r[key] for r in results]) for key in first}
    if isinstance(first, tuple):
        return tuple(together(list(column)) for column in zip(*results, strict=False))
    return np.stack(results)


def require_same(found: Any, wanted: Any, rtol: float = 1e-12) -> None:
    if isinstance(wanted, dict | tuple):
        keys = wanted if isinstance(wanted, dict) else range(len(wanted))
        for key in keys:
            require_same(found[key], wanted[key], rtol)
        return
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-14, strict=True)


@pytest.mark.parametrize("name", CASES)
def test_a_batch_is_what_a_loop_computes(name: str) -> None:
    function, args, axes = CASES[name]
    before = [a.copy() for a in args]
    batched = sd.vmap(function, in_axes=axes)
    require_same(batched(*args), stacked(function, axes)(*args))
    require_same(batched(*args), batched(*args), 0.0)
    assert all(map(np.array_equal, args, before))


@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_a_batch_are_those_of_the_loop(name: str) -> None:
    function, args, axes = CASES[name]
    loop, batched = stacked(function, axes), sd.vmap(function, in_axes=axes)
    weights = direction(loop(*args), 3)
    by = tuple(k for k, a in enumerate(args) if a.dtype.kind == "f")
    along = [direction(a, 10 + k) if k in by else None for k, a in enumerate(args)]
    wanted = directional(lambda *a: weigh(loop(*a), weights), args, along)
    _, pull = sd.vjp(batched, *args)
    bars = pull(weights)
    reverse = sum(np.sum(bars[k] * along[k]) for k in by)
    assert all(bars[k].shape == args[k].shape for k in by)
    np.testing.assert_allclose(reverse, wanted.value, rtol=1e-6, atol=1e-7)
    _, pushed = sd.jvp(batched, args, tuple(along))
    np.testing.assert_allclose(weigh(pushed, weights), reverse, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_a_batch_of_gradients_is_that_of_each(name: str) -> None:
    """The second derivative too, of the gradients' batch."""
    function, args, axes = CASES[name]
    by = tuple(k for k, a in enumerate(args) if a.dtype.kind == "f")

    def total(*a):
        return sum_of_squares(function(*a))

    gradients = sd.vmap(sd.grad(total, argnums=by), in_axes=axes)(*args)
    for n in range(B):
        given = lane(args, axes, n)
        along = [direction(a, 10 + k) if k in by else None for k, a in enumerate(given)]
        wanted = directional(total, given, along)
        found = sum(np.sum(g[n] * along[k]) for g, k in zip(gradients, by, strict=False))
        np.testing.assert_allclose(found, wanted.value, rtol=1e-6, atol=1e-7)


def sum_of_squares(result):
    if isinstance(result, dict):
        return np.sum(result["all"] ** 2) + result["sum"] ** 2 + np.sum(result["part"][0] ** 2)
    return np.sum(result * result)


SECOND = ["softmax", "m @ v", "x[:, ks] = v", "solve", "branches", "while of arrays", "list"]


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_of_a_batch(name: str) -> None:
    function, args, axes = CASES[name]
    loop, batched = stacked(function, axes), sd.vmap(function, in_axes=axes)
    weights = direction(loop(*args), 3)
    by = tuple(k for k, a in enumerate(args) if a.dtype.kind == "f")
    u, w = (
        tuple(direction(a, seed + k) if k in by else None for k, a in enumerate(args))
        for seed in (10, 40)
    )
    wanted = second_directional(lambda *a: weigh(loop(*a), weights), args, u, w)

    def slope(*a):
        return np.sum(sd.jvp(batched, a, u)[1] * weights)

    found = sd.jvp(slope, args, w)[1]
    np.testing.assert_allclose(found, wanted.value, rtol=1e-5, atol=1e-6)
    reverse = sd.grad(slope, argnums=by)(*args)
    pulled = sum(np.sum(g * w[k]) for g, k in zip(reverse, by, strict=False))
    np.testing.assert_allclose(pulled, found, rtol=1e-9, atol=1e-11)
