"""Products of matrices and vectors are scaled, and not matrices that only they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.types import ArrayType, Size
from symdiff.ops.arithmetic import add, multiply, negative
from symdiff.ops.products import matmul
from symdiff.optimise.scaled_products import scale_products
from tests.benchmarks.kernels import householder_triangle, lu_in_place
from tests.optimise.test_rewrites import MATRIX, VECTOR, graph_of, names

COLUMN = ArrayType(np.dtype("float64"), (Size("m"),))


def after(build: Callable[..., Any], *types: ArrayType, role: str = "cotangent") -> list[str]:
    found: list[str] = names(scale_products(graph_of(build, *types, role=role)))
    return found


def test_signs_of_matrices_go_to_products_with_vectors() -> None:
    def build(a: Any, u: Any, v: Any) -> Any:
        t = negative(a)
        return matmul(u, t), matmul(t, v)

    graph = graph_of(build, MATRIX, VECTOR, COLUMN)
    made = scale_products(graph)
    assert names(made) == ["negative", "matmul", "negative", "matmul", "negative"]
    rng = np.random.default_rng(0)
    given = [rng.normal(size=shape) for shape in ((3, 2), (3,), (2,))]
    for mine, theirs in zip(
        evaluate_graph(made, given), (-given[1] @ given[0], -given[0] @ given[2]), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-15)


def test_numbers_do_likewise() -> None:
    order = after(lambda a, v: matmul(multiply(-2.0, a), v), MATRIX, COLUMN)
    assert order[-2:] == ["matmul", "multiply"]


def test_what_something_else_reads_stays() -> None:
    def build(a: Any, v: Any) -> Any:
        t = negative(a)
        return matmul(t, v), add(t, a)

    graph = graph_of(build, MATRIX, COLUMN)
    assert scale_products(graph) is graph


@pytest.mark.parametrize(
    "build",
    [
        lambda a, v: matmul(negative(a), a),
        lambda a, v: matmul(multiply(v, a), v),
        lambda a, v: matmul(a, negative(v)),
        lambda a, v: matmul(multiply(1e-200, a), v),  # sums may be infinite before
    ],
)
def test_products_of_matrices_and_other_factors_stay(build: Callable[..., Any]) -> None:
    square = ArrayType(np.dtype("float64"), (Size("n"), Size("n")))
    graph = graph_of(build, square, VECTOR)
    assert scale_products(graph) is graph


def test_the_users_own_products_stay() -> None:
    graph = graph_of(lambda a, v: matmul(negative(a), v), MATRIX, COLUMN, role="primal")
    assert scale_products(graph) is graph


@pytest.mark.parametrize("f", [lu_in_place, householder_triangle])
def test_gradients_of_triangles_that_have_the_determinant(f: Callable[..., Any]) -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(6, 6)) + 6.0 * np.eye(6)
    gradient = sd.grad(f)
    np.testing.assert_allclose(gradient(a), np.linalg.inv(a).T, rtol=1e-10, atol=1e-12)
    text = gradient.source(a)
    assert "-A_bar[" not in text
    assert "-2.0 * t" not in text
