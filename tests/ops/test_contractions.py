"""Products of vectors, matrices and tensors: values as NumPy's, both modes to order two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import CertainError, UnsupportedCallError
from symdiff.ops.declare import FUNCTIONS
from tests.ops.straightline import check, same, stage
from tests.ops.test_linalg import draw, order_of

DTYPES = ["float64", "complex128", "float32"]
linalg = np.linalg


def checked(function: Callable[..., Any], *arguments: Any, order: int = 2, **options: Any) -> None:
    check(
        lambda *xs: FUNCTIONS[function](*xs, **options),
        lambda *xs: function(*xs, **options),
        *arguments,
        order=order,
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (4, 1, 3)), ((1, 2), (4, 2))],
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_vecdot(a: Any, b: Any, dtype: str) -> None:
    """The first operand is conjugated; each is broadcast alone."""
    x1, x2 = draw(*a, dtype=dtype), draw(*b, dtype=dtype, seed=1)
    checked(np.vecdot, x1, x2, order=order_of(dtype))
    checked(linalg.vecdot, x1, x2, order=0)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -2])
def test_vecdot_along_an_axis(axis: int, keepdims: bool) -> None:
    a, b = draw(3, 2), draw(3, 2, seed=1)
    checked(np.vecdot, a, b, axis=axis, keepdims=keepdims)
    checked(linalg.vecdot, a, b, axis=axis, order=1)


@pytest.mark.skipif(not hasattr(np, "matvec"), reason="since NumPy 2.2")
@pytest.mark.parametrize(
    ("matrix", "vector"),
    [
        ((2, 3), (3,)),
        ((4, 2, 3), (3,)),
        ((2, 3), (4, 3)),
        ((3, 1, 2, 3), (2, 3)),
        ((1, 3), (3,)),
        ((1, 2, 3), (4, 3)),
    ],
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_matrices_and_vectors(matrix: Any, vector: Any, dtype: str) -> None:
    a, x = draw(*matrix, dtype=dtype), draw(*vector, dtype=dtype, seed=1)
    checked(np.matvec, a, x, order=order_of(dtype))
    checked(np.vecmat, x, np.swapaxes(a, -1, -2), order=order_of(dtype))


def test_arguments_of_products_of_vectors() -> None:
    a, b = draw(2, 3), draw(2, 3, seed=1)
    checked(np.vecdot, a, b, dtype="complex128", order=0)
    checked(np.vecdot, a[:, ::-1], b[::-1], order=1)
    with pytest.raises(UnsupportedCallError, match=r"numpy\.vecdot .* axes="):
        sd.grad(lambda x, y: np.vecdot(x, y, axes=[(0,), (0,)]))(a, b)
    with pytest.raises(CertainError, match="mismatch"):
        sd.grad(lambda x, y: np.vecdot(x, y)).source("float64[2]", "float64[3]")

    @sd.differentiable
    def into(x: Any, y: Any) -> Any:
        kept = np.zeros(2)
        np.vecdot(x, y, out=kept)
        return np.sum(kept**2)

    assert into(a, b) == np.sum(np.vecdot(a, b) ** 2)
    sd.check_grads(into, (a, b))


CHAINS = [
    ((2, 3), (3, 4)),
    ((2, 3), (3, 4), (4, 2)),
    ((3,), (3, 4), (4, 2)),
    ((2, 3), (3, 4), (4,)),
    ((3,), (3, 4), (4,)),
    ((2, 4), (4, 3), (3, 2), (2, 3)),
    ((1, 3), (3, 4), (4, 1)),
]


@pytest.mark.parametrize("shapes", CHAINS)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_multi_dot(shapes: Any, dtype: str) -> None:
    """Vectors at the ends leave no axis; derivatives are chains, too."""
    check(
        lambda *xs: FUNCTIONS[linalg.multi_dot](list(xs)),
        lambda *xs: linalg.multi_dot(list(xs)),
        *(draw(*shape, dtype=dtype, seed=k) for k, shape in enumerate(shapes)),
        order=2 if len(shapes) < 4 else 1,
    )


def test_multi_dot_of_what_is_no_chain() -> None:
    x = draw(2, 2)
    with pytest.raises(ValueError, match="at least two"):
        stage(lambda a: FUNCTIONS[linalg.multi_dot]([a]), x)
    with pytest.raises(linalg.LinAlgError, match="two-dimensional"):
        stage(lambda a: FUNCTIONS[linalg.multi_dot]([a, draw(2), a]), x)


def test_multi_dot_of_single_precision_and_of_a_stack() -> None:
    f = sd.differentiable(lambda a: np.sum(linalg.multi_dot([a, a.T, a]) ** 2))
    a = draw(2, 3).astype(np.float32)
    assert f.grad(a).dtype == np.float32
    np.testing.assert_allclose(f.grad(a), f.grad(a.astype(float)), rtol=1e-5)
    g = sd.differentiable(lambda a: np.sum(linalg.multi_dot(a)))
    sd.check_grads(g, (draw(3, 2, 2),))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_equations_of_tensors(dtype: str) -> None:
    def tensor(*shape: int) -> np.ndarray:
        """Whose matrix is well-conditioned."""
        n = int(np.sqrt(np.prod(shape)))
        return (draw(n, n, dtype=dtype) / 4 + np.eye(n)).reshape(shape)

    checked(linalg.tensorsolve, tensor(2, 2, 4), draw(2, 2, dtype=dtype, seed=1))
    moved = np.moveaxis(tensor(4, 2, 2), 2, 0)
    checked(linalg.tensorsolve, moved, draw(4, dtype=dtype, seed=1), axes=(0,), order=1)
    checked(linalg.tensorinv, tensor(2, 2, 2, 2), order=1)
    checked(linalg.tensorinv, tensor(4, 2, 2), ind=1)
    with pytest.raises(ValueError, match="Invalid ind"):
        stage(lambda a: FUNCTIONS[linalg.tensorinv](a, 0), tensor(2, 2))


def test_names_of_the_array_api() -> None:
    a, b = draw(2, 3, 2), draw(2, 2, 3, seed=1)
    checked(linalg.matmul, a, b)
    checked(linalg.matrix_transpose, a, order=1)
    for offset in (0, 1, -1):
        checked(linalg.diagonal, a, offset=offset, order=1)
    checked(linalg.outer, a[0, 0], b[0, 0], order=1)
    same(stage(FUNCTIONS[linalg.trace], a)(a), [linalg.trace(a)])


def test_what_they_mean_in_sympy() -> None:
    pairs = sd.differentiable(lambda a, b: np.vecdot(a, b))
    assert str(pairs.sympy("float64[2]", "float64[2]")) == "a[0]*b[0] + a[1]*b[1]"
    chain = sd.differentiable(lambda a, b: np.linalg.multi_dot([a, np.ones((1, 1)), b])[0, 0])
    assert str(chain.sympy("float64[1,1]", "float64[1,1]")) == "a[0, 0]*b[0, 0]"
