"""Sums of products in derivatives are products of matrices, and right."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient

Array = Any

SIZES = dict(zip("abcdefhijk", (2, 3, 4, 5, 3, 2, 4, 3, 5, 2), strict=True))

PRODUCTS = [
    "ij,jk->ik", "ij,jk->ki", "ji,jk->ik", "ji,kj->ki", "ij,j->i", "j,ji->i", "i,i->", "ij,ij->",
    "bij,bjk->bik", "bij,bkj->bki", "ibj,bjk->ikb", "bahj,bchj->bahc", "achb,ajhb->cjab",
    "ijk,kh->ijh", "kh,ijk->ijh", "ijk,kh->hij", "kij,kh->ijh", "ijk,ijh->kh", "ijk,ijh->hk",
    "ijk,jik->ij", "ijkh,kh->ij", "ijkh,hka->aij", "i,j->ij", "bi,bj->bij", "ij,k->k", "ijk,kb->i",
    "bij,bj->bi", "bijk,bkh->bijh", "ij,jk,kh->ih", "bi,ijk,bj->bk", "ai,bi,ci->abc", "i,ij,j->",
    "ij,ik,ih->jkh", "i,j,k->kji", "ij,jk,kh,ha->ia", "ii,ij->j", "iji,jk->ik", "ab,bc,ca->",
]  # fmt: skip


def operands_of(subscripts: str, dtype: Any) -> list[Array]:
    rng = np.random.default_rng(len(subscripts))
    shapes = [[SIZES[x] for x in term] for term in subscripts.partition("->")[0].split(",")]
    values = [rng.normal(size=shape) for shape in shapes]
    if np.dtype(dtype).kind == "c":
        values = [value + 1j * rng.normal(size=value.shape) for value in values]
    return [np.asarray(value, dtype) for value in values]


def weighted(subscripts: str, weights: Array) -> Callable[..., Any]:
    """A function that is linear in each of its arguments."""

    def total(*xs: Array) -> Any:
        return np.sum(np.real(weights * np.einsum(subscripts, *xs)))

    return total


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("subscripts", PRODUCTS)
def test_derivatives_of_einsum_are_its_values_in_a_direction(subscripts: str, dtype: str) -> None:
    xs = operands_of(subscripts, dtype)
    shape = np.einsum(subscripts, *xs).shape
    weights = np.asarray(np.random.default_rng(1).normal(size=shape), dtype)
    f = weighted(subscripts, weights)
    gradients = sd.grad(f, argnums=tuple(range(len(xs))))(*xs)
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    for k, gradient in enumerate(gradients):
        assert (gradient.dtype, gradient.shape) == (xs[k].dtype, xs[k].shape)
        assert gradient.flags.c_contiguous
        along = operands_of(subscripts, dtype)[k][..., ::-1].copy()
        want = f(*xs[:k], along, *xs[k + 1 :])
        got = np.sum(np.real(np.conj(gradient) * along))
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def text_of(subscripts: str) -> str:
    def program(*xs: Array) -> Any:
        return np.sum(np.einsum(subscripts, *xs) ** 3)

    xs = operands_of(subscripts, "float64")
    text = sd.grad(program, argnums=tuple(range(len(xs)))).source(*xs)
    return text.partition("# line")[2].partition("\n")[2]


@pytest.mark.parametrize(
    "subscripts",
    ["ij,jk->ik", "ij,kj->ki", "bahj,bchj->bahc", "ijk,kh->ijh", "ij,jk,kh->ih", "ij,jk,kh,ha->ia"],
)
def test_derivatives_of_einsum_are_products_of_matrices(subscripts: str) -> None:
    text = text_of(subscripts).replace(f"np.einsum('{subscripts}'", "")
    assert "einsum" not in text and "tensordot" not in text and "@" in text


def test_products_that_several_derivatives_have_in_common_are_made_once() -> None:
    assert text_of("ij,jk,kh->ih").count("@") == 5


def test_three_terms_are_multiplied_two_at_a_time() -> None:
    named = re.findall(r"einsum\('([^']*)'", text_of("bi,ijk,bj->bk").replace("bi,ijk,bj->bk", ""))
    assert named and all(names.count(",") == 1 for names in named)


def test_products_of_elements_stay() -> None:
    assert "@" not in text_of("bi,bj->bij") and "matmul" not in text_of("bi,bj->bij")


def test_a_letter_of_two_lengths_is_no_product_of_matrices() -> None:
    def f(a: Array, b: Array) -> Any:
        return np.sum(np.einsum("ij,jk->ik", a, b) ** 2)

    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 1)), rng.normal(size=(3, 4))
    by_a, by_b = sd.grad(f, argnums=(0, 1))(a, b)
    g = 2.0 * a @ np.sum(b, axis=0, keepdims=True)
    np.testing.assert_allclose(by_a, g @ np.sum(b, axis=0)[:, None])
    np.testing.assert_allclose(by_b, np.tile(a.T @ g, (3, 1)))


def test_a_length_that_may_be_one_is_no_product_of_matrices() -> None:
    def f(a: Array, b: Array, low: float) -> Any:
        part = a[:, a[0] > low]
        return np.sum(np.einsum("ij,jk->ik", part, b) ** 2)

    rng = np.random.default_rng(0)
    a = np.array([[1.0, -1.0, 2.0], [3.0, 5.0, -4.0]])
    gradient = sd.grad(f)
    for low, count in ((0.0, 2), (1.5, 1), (-2.0, 3)):
        for rows in {count, 3} if count == 1 else {count}:
            b = rng.normal(size=(rows, 4))
            want = richardson_gradient(f, (a, b, low)).value
            np.testing.assert_allclose(gradient(a, b, low), want, rtol=1e-8, atol=1e-8)


def sum_of_products(A: Array, B: Array) -> Any:
    return np.sum(np.sin(np.sum(A[:, None, :] * B[None, :, :], axis=2)))


def pairwise(A: Array, B: Array) -> Any:
    return np.sum(np.exp(-0.5 * np.sum((A[:, None, :] - B[None, :, :]) ** 2, axis=2)))


def weighted_rows(A: Array, B: Array) -> Any:
    return np.sum(np.sin(A * np.sum(B, axis=0)) * B[:1])


def stacks(A: Array, B: Array) -> Any:
    return np.sum(np.sin(A[:, :, None, None] * B[None, None, :, :]) ** 2)


@pytest.mark.parametrize("shapes", [(4, 5, 3), (1, 5, 3), (4, 1, 3), (4, 5, 1), (1, 1, 1)])
@pytest.mark.parametrize("f", [sum_of_products, pairwise, weighted_rows, stacks])
def test_derivatives_of_sums_of_broadcast_products(
    f: Callable[..., Any], shapes: tuple[int, int, int]
) -> None:
    rng = np.random.default_rng(2)
    n, m, k = shapes
    A, B = rng.normal(size=(n, k)), rng.normal(size=(m, k))
    by_a, by_b = sd.grad(f, argnums=(0, 1))(A, B)
    for argnum, got in enumerate((by_a, by_b)):
        want = richardson_gradient(f, (A, B), argnum).value
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-9)


def test_what_is_summed_over_is_not_stored() -> None:
    text = sd.grad(sum_of_products, argnums=(0, 1)).source("float64[n,k]", "float64[m,k]")
    derivative = text.partition("# line")[2]
    assert "return t @ B, t.T @ A" in derivative


def test_empty_stacks_give_zeros() -> None:
    A, B = np.ones((0, 3)), np.ones((2, 3))
    by_a, by_b = sd.grad(sum_of_products, argnums=(0, 1))(A, B)
    assert by_a.shape == (0, 3)
    np.testing.assert_array_equal(by_b, np.zeros((2, 3)))


def test_second_derivatives_of_three_terms() -> None:
    def f(x: Array, W: Array) -> Any:
        return np.sum(np.sin(np.einsum("bi,ijk,bj->bk", x, W, x)))

    rng = np.random.default_rng(3)
    x, W, v = rng.normal(size=(3, 4)), rng.normal(size=(4, 4, 2)), rng.normal(size=(3, 4))
    got = sd.hvp(f)(x, W, v)
    gradient = sd.grad(f)
    step = 1e-4
    steps = [(gradient(x + h * v, W) - gradient(x - h * v, W)) / (2 * h) for h in (step, step / 2)]
    np.testing.assert_allclose(got, (4 * steps[1] - steps[0]) / 3, rtol=1e-8, atol=1e-8)


def test_orders_of_products_of_many_terms_are_found_in_time() -> None:
    def seconds(count: int) -> float:
        letters = "abcdefghijklmnopqrstuvwxyz"[: count + 1]
        names = ",".join(letters[k : k + 2] for k in range(count))
        xs = [np.eye(2)] * count
        f = weighted(f"{names}->{letters[0]}{letters[-1]}", np.ones((2, 2)))
        started = time.process_time()
        sd.grad(f).source(*xs)
        return time.process_time() - started

    seconds(3)
    assert seconds(16) < 12.0 * seconds(4)


def heads(Wq: Any, Wk: Any, X: Any) -> Any:
    """Scores of two heads of a batch of sequences."""
    b, t, d = X.shape
    Q = np.transpose(np.reshape(X @ Wq, (b, t, 2, d // 2)), (0, 2, 1, 3))
    K = np.transpose(np.reshape(X @ Wk, (b, t, 2, d // 2)), (0, 2, 1, 3))
    return np.sum(np.tanh(Q @ np.transpose(K, (0, 1, 3, 2))))


def test_stacks_of_products_come_in_the_order_in_which_they_are_read() -> None:
    """Beside the closed form by one product for each head and sequence."""
    rng = np.random.default_rng(4)
    Wq, Wk, X = rng.normal(size=(4, 4)), rng.normal(size=(4, 4)), rng.normal(size=(3, 5, 4))
    gradient = sd.grad(heads, (0, 1))
    assert "(0, 3, 1, 2)" not in str(gradient.source(Wq, Wk, X))
    by_q, by_k = np.zeros((4, 4)), np.zeros((4, 4))
    for x in X:
        for part in (slice(0, 2), slice(2, 4)):
            q, k = x @ Wq[:, part], x @ Wk[:, part]
            slope = 1.0 - np.tanh(q @ k.T) ** 2
            by_q[:, part] += x.T @ (slope @ k)
            by_k[:, part] += x.T @ (slope.T @ q)
    for found, expected in zip(gradient(Wq, Wk, X), (by_q, by_k), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def mixed_twice(V: Any, W: Any, S: Any) -> Any:
    """Heads put together again, which two products read."""
    b, h, t, d = V.shape
    together = np.reshape(np.transpose(S @ V, (0, 2, 1, 3)), (b, t, h * d))
    return np.sum(np.tanh(together @ W))


def test_what_is_copied_in_order_once_is_not_copied_again() -> None:
    rng = np.random.default_rng(5)
    V, W, S = rng.normal(size=(2, 3, 4, 2)), rng.normal(size=(6, 5)), rng.normal(size=(2, 3, 4, 4))
    gradient = sd.grad(mixed_twice, (0, 1))
    assert "together.reshape(-1, " in str(gradient.source(V, W, S))
    together = np.concatenate([S[:, k] @ V[:, k] for k in range(3)], axis=2)
    slope = 1.0 - np.tanh(together @ W) ** 2
    by_W = np.einsum("bti,btj->ij", together, slope)
    by_together = slope @ W.T
    by_V = np.stack(
        [np.swapaxes(S[:, k], 1, 2) @ by_together[:, :, 2 * k : 2 * k + 2] for k in range(3)],
        axis=1,
    )
    for found, expected in zip(gradient(V, W, S), (by_V, by_W), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
