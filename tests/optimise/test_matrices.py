"""Derivatives of functions of factors of matrices are what is written by hand, and right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.support import triangular_inv, triangular_solve
from tests.reference import directional, richardson_gradient

Array = Any


def marginal_likelihood(K: Array, y: Array) -> float:
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * (y @ alpha) + np.sum(np.log(np.diag(L)))


def by_one_solve(K: Array, y: Array) -> float:
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(L)))


def determinant_alone(K: Array, y: Array) -> float:
    return np.sum(np.log(np.diag(np.linalg.cholesky(K)))) * y[0]


def with_noise(K: Array, y: Array) -> float:
    return by_one_solve(K + np.exp(y[0]) * np.eye(len(y)), y)


def upper_factor(K: Array, y: Array) -> float:
    U = np.linalg.cholesky(K, upper=True)
    return np.sum(np.log(np.diag(U))) + y @ np.linalg.solve(U, y)


def other_functions_of_the_factor(K: Array, y: Array) -> float:
    L = np.linalg.cholesky(K)
    return np.sum(np.sin(L)) + y @ L @ y + np.trace(L @ L) + np.sum(np.diag(L) ** 3) * y[-1]


def transposed_factor(K: Array, y: Array) -> float:
    L = np.linalg.cholesky(K)
    return y @ np.linalg.solve(L.T, y) - np.sum(np.log(np.diag(L.T)))


def products_with_diagonals(K: Array, y: Array) -> float:
    A = K @ np.diag(y) @ K
    return np.sum(np.tanh(A @ (np.diag(y) - 2.0 * np.outer(y, K[0])))) + np.trace(
        K * np.eye(len(y))
    )


FUNCTIONS: list[Callable[..., float]] = [
    marginal_likelihood,
    by_one_solve,
    determinant_alone,
    with_noise,
    upper_factor,
    other_functions_of_the_factor,
    transposed_factor,
    products_with_diagonals,
]


def arguments(n: int = 4) -> tuple[Array, Array]:
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    return A @ A.T + n * np.eye(n), rng.normal(size=n)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_gradients_agree_with_differences(f: Callable[..., float], n: int) -> None:
    K, y = arguments(n)
    for number in (0, 1):
        found = sd.grad(f, argnums=number)(K, y)
        expected = richardson_gradient(f, (K, y), number).value
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives_agree_with_differences_of_gradients(f: Callable[..., float]) -> None:
    K, y = arguments()
    along = np.tril(np.random.default_rng(7).normal(size=K.shape))
    gradient = sd.grad(f)
    product = sd.hvp(f)(K, y, along)
    for weights in (np.eye(4), np.arange(16.0).reshape(4, 4)):
        expected = directional(
            lambda k, w=weights: np.sum(gradient(k, y) * w), (K,), (along,)
        ).value
        np.testing.assert_allclose(np.sum(product * weights), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("f", [marginal_likelihood, by_one_solve])
def test_a_marginal_likelihood_has_the_gradient_of_the_textbook(f: Callable[..., float]) -> None:
    K, y = arguments()
    inverse = np.linalg.inv(K)
    alpha = inverse @ y
    whole = 0.5 * (inverse - np.outer(alpha, alpha))
    lower = np.tril(whole) + np.tril(whole, -1)  # NumPy reads the lower triangle alone
    np.testing.assert_allclose(sd.grad(f)(K, y), lower, rtol=1e-9, atol=1e-12)
    backward = sd.grad(f).source(K, y).partition("cholesky(K)\n")[2].partition("# line")[2]
    assert backward.count("@") == 1, "one product, of the inverse of the factor with itself"


def test_inverses_and_solutions_of_factors_are_those_of_triangles() -> None:
    K, y = arguments()
    assert "triangular_inv(L, lower=True)" in sd.grad(marginal_likelihood).source(K, y)
    text = sd.grad(by_one_solve, argnums=1).source(K, y)
    assert "triangular_solve(L.T, a, lower=False)" in text
    text = sd.grad(upper_factor, argnums=1).source(K, y)
    assert "triangular_solve(U.T, y, lower=True)" in text
    text = sd.grad(lambda A, b: np.sum(np.linalg.solve(A, b) ** 2), argnums=1).source(K, y)
    assert "np.linalg.solve(A.T, " in text


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_factors_have_the_gradient_of_the_textbook(dtype: str) -> None:
    K, y = (value.astype(dtype) for value in arguments(150))
    inverse = np.linalg.inv(K.astype(float))
    alpha = inverse @ y
    whole = 0.5 * (inverse - np.outer(alpha, alpha))
    lower = np.tril(whole) + np.tril(whole, -1)
    for f in (marginal_likelihood, by_one_solve):
        by_K, by_y = sd.grad(f, argnums=(0, 1))(K, y)
        assert (by_K.dtype, by_y.dtype) == (K.dtype, y.dtype)
        accuracy = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(by_K, lower, rtol=0, atol=accuracy * np.max(np.abs(lower)))
        np.testing.assert_allclose(by_y, alpha, rtol=0, atol=accuracy * np.max(np.abs(alpha)))


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize(
    ("stack", "right"), [((), (150,)), ((), (150, 3)), ((2,), (150, 3)), ((1,), (2, 150, 3))]
)
def test_triangles_by_blocks_are_solved_as_whole_matrices_are(
    stack: tuple[int, ...], right: tuple[int, ...], dtype: str
) -> None:
    rng = np.random.default_rng(8)
    n = 150
    whole = (rng.normal(size=(*stack, n, n)) / n + 2.0 * np.eye(n)).astype(dtype)
    if dtype == "complex128":
        whole = whole * (1.0 + 0.5j)
    b = rng.normal(size=right).astype(dtype)
    accuracy = 1e-4 if dtype == "float32" else 1e-12
    for lower in (True, False):
        a = np.tril(whole) if lower else np.triu(whole)
        found, expected = triangular_solve(a, b, lower), np.linalg.solve(a, b)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, atol=accuracy)
        found, expected = triangular_inv(a, lower), np.linalg.inv(a)
        assert (found.dtype, found.flags.c_contiguous) == (expected.dtype, True)
        np.testing.assert_allclose(found, expected, atol=accuracy)


@pytest.mark.parametrize("nugget", [1e-3, 1e-6, 1e-9, 1e-11])
def test_inverses_by_blocks_are_as_precise_as_whole_ones(nugget: float) -> None:
    """Of the factor of a covariance, whose last rows are nearly what the first ones give."""
    t = np.linspace(0.0, 1.0, 200)
    L = np.linalg.cholesky(np.exp(-50.0 * (t[:, None] - t) ** 2) + nugget * np.eye(200))
    a, exact = L.astype(np.longdouble), np.zeros(L.shape, np.longdouble)
    for i in range(200):
        exact[i] = (np.eye(200)[i] - a[i, :i] @ exact[:i]) / a[i, i]
    error = np.abs(np.linalg.inv(L) - exact).max()
    assert np.abs(triangular_inv(L, lower=True) - exact).max() < 3.0 * error
    error = np.abs(np.linalg.inv(L.T) - exact.T).max()
    assert np.abs(triangular_inv(L.T, lower=False) - exact.T).max() < 3.0 * error


def test_a_triangle_with_a_zero_on_its_diagonal_is_singular() -> None:
    a = np.tril(np.ones((150, 150)))
    a[100, 100] = 0.0
    with pytest.raises(np.linalg.LinAlgError):
        triangular_inv(a, lower=True)
    with pytest.raises(np.linalg.LinAlgError):
        triangular_solve(a, np.ones(150), lower=True)


def test_complex_factors_keep_their_conjugates() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    K, y = A @ A.conj().T + 3.0 * np.eye(3), rng.normal(size=3)

    def f(t: float) -> float:
        L = np.linalg.cholesky(K * t)
        a = np.linalg.solve(L, y * (1.0 + 0.5j))
        return np.sum(np.abs(a) ** 2) + np.sum(np.log(np.abs(np.diag(L))))

    expected = richardson_gradient(f, (1.3,)).value
    np.testing.assert_allclose(sd.grad(f)(1.3), expected, rtol=1e-9)


def ridge(log_strength: Any, X: Any, y: Any, target: Any) -> Any:
    A = X.T @ X + np.exp(log_strength) * np.eye(X.shape[1])
    return np.sum(np.linalg.solve(A, X.T @ y) * target)


def test_the_diagonal_of_an_outer_product_is_a_product_of_vectors() -> None:
    X = np.random.default_rng(3).normal(size=(7, 3))
    y, target = X @ np.array([1.0, -2.0, 0.5]) + 0.1, np.array([0.3, 0.7, -0.4])
    text = str(sd.grad(ridge).source(0.3, X, y, target))
    assert "outer" not in text and "diagonal" not in text
    A = X.T @ X + np.exp(0.3) * np.eye(3)
    inverse = np.linalg.inv(A)
    expected = -np.exp(0.3) * target @ inverse @ inverse @ X.T @ y
    np.testing.assert_allclose(sd.grad(ridge)(0.3, X, y, target), expected, rtol=1e-12)
