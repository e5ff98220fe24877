"""Operators of the Jacobian, the Hessian and the Gauss-Newton product, and SciPy's solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize
from scipy.sparse.linalg import LinearOperator, cg, eigsh, gmres, lsmr, svds

import symdiff as sd
from symdiff.errors import GradientShapeError, SignatureError, UnsupportedCallError

X = np.array([[0.7, 1.3, -0.4], [0.9, 1.8, -1.1]])
A = np.array([[2.0, -1.0], [0.3, 1.5], [0.5, -0.7], [1.1, 0.2]])


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def product(x, scale=1.0):
    return scale * (A @ x) ** 2


def jacobian_of_product(x: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """By hand: row (i, j) has 2 s (A x)_ij A_ik at column (k, j)."""
    inner = 2.0 * scale * (A @ x)
    full = np.einsum("ij,ik,jl->ijkl", inner, A, np.eye(x.shape[1]))
    return full.reshape(inner.size, x.size)


def chain(x):
    return np.sum(np.sin(x[1:] * x[:-1])) + np.sum(x**4)


def hessian_of_chain(x: np.ndarray) -> np.ndarray:
    n = len(x)
    made = np.diag(12.0 * x**2)
    for k in range(n - 1):
        p = x[k] * x[k + 1]
        made[k, k] -= np.sin(p) * x[k + 1] ** 2
        made[k + 1, k + 1] -= np.sin(p) * x[k] ** 2
        mixed = np.cos(p) - np.sin(p) * p
        made[k, k + 1] += mixed
        made[k + 1, k] += mixed
    return made


@pytest.mark.parametrize(("args", "scale"), [((X,), 1.0), ((X, 2.5), 2.5)])
def test_products_with_the_jacobian(args: tuple[Any, ...], scale: float):
    made = sd.jacobian_operator(product, *args)
    expected = jacobian_of_product(X, scale)
    assert isinstance(made, LinearOperator)
    assert made.shape == expected.shape
    assert made.dtype == np.float64
    np.testing.assert_array_equal(made.value, product(*args))
    np.testing.assert_allclose(made @ np.eye(6), expected, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(made.T @ np.eye(12), expected.T, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(made.H @ np.eye(12), expected.T, rtol=1e-13, atol=1e-14)
    normal = sd.gauss_newton_operator(product, *args)
    np.testing.assert_allclose(normal @ np.eye(6), expected.T @ expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(normal.T @ np.eye(6), expected.T @ expected, rtol=1e-12, atol=1e-12)


def scaled(n, x, b=1.0):
    return b * x**n


def of_all(n, *xs):
    return sum(xs) * xs[0] ** (n - 1)


@pytest.mark.parametrize(("f", "argnums"), [(scaled, "x"), (scaled, 1), (scaled, -2), (of_all, 1)])
def test_by_another_argument(f: Any, argnums: Any):
    x = X.ravel()
    made = sd.jacobian_operator(f, 3, x, argnums=argnums)
    np.testing.assert_allclose(made @ np.ones(6), 3.0 * x**2, rtol=1e-14)
    np.testing.assert_allclose(made.T @ np.ones(6), 3.0 * x**2, rtol=1e-14)


def test_by_a_default():
    made = sd.jacobian_operator(scaled, 3, X, argnums=-1)
    np.testing.assert_allclose(made @ np.ones(1), X.ravel() ** 3, rtol=1e-14)


def test_products_with_the_hessian():
    x = X.ravel()
    made = sd.hessian_operator(chain, x)
    expected = hessian_of_chain(x)
    np.testing.assert_allclose(made @ np.eye(6), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(made.T @ np.eye(6), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(made.value, sd.grad(chain)(x))
    largest = eigsh(made, k=1, return_eigenvectors=False)
    np.testing.assert_allclose(largest, np.linalg.eigvalsh(expected)[-1:], rtol=1e-10)


def test_dtypes_and_sizes():
    single = sd.jacobian_operator(lambda x: x**2, X.astype(np.float32))
    assert single.dtype == np.float32
    assert (single @ np.ones(6, np.float32)).dtype == np.float32
    one = sd.jacobian_operator(lambda x: x**3, 2.0)
    np.testing.assert_array_equal(one @ np.array([1.0]), [12.0])
    of_array = sd.hessian_operator(lambda x: x**3, np.array(2.0))
    np.testing.assert_array_equal(of_array @ np.array([1.0]), [12.0])
    none = sd.jacobian_operator(lambda x: x[1:] * 2.0, np.array([1.0]))
    assert (none @ np.ones(1)).shape == (0,)
    np.testing.assert_array_equal(none.T @ np.zeros(0), [0.0])


def test_methods():
    class Model:
        def __init__(self) -> None:
            self.scale = 3.0

        def residual(self, x, y):
            return self.scale * x * y

    made = sd.jacobian_operator(Model().residual, X, 2.0)
    np.testing.assert_allclose(made @ np.ones(6), 6.0 * np.ones(6))


def test_solvers_of_equations():
    x, b = X.ravel(), np.arange(6.0)
    hessian = hessian_of_chain(x) + 20.0 * np.eye(6)

    def convex(x):
        return chain(x) + 10.0 * np.sum(x * x)

    solution, info = cg(sd.hessian_operator(convex, x), b, rtol=1e-12)
    assert info == 0
    np.testing.assert_allclose(solution, np.linalg.solve(hessian, b), rtol=1e-9)
    solution, info = gmres(sd.jacobian_operator(sd.grad(convex), x), b, rtol=1e-12)
    assert info == 0
    np.testing.assert_allclose(solution, np.linalg.solve(hessian, b), rtol=1e-8)
    jacobian = jacobian_of_product(X)
    fitted = lsmr(sd.jacobian_operator(product, X), np.arange(12.0), atol=1e-13, btol=1e-13)[0]
    np.testing.assert_allclose(fitted, np.linalg.lstsq(jacobian, np.arange(12.0))[0], rtol=1e-8)
    largest = svds(sd.jacobian_operator(product, X), k=1, return_singular_vectors=False)
    np.testing.assert_allclose(largest, np.linalg.svd(jacobian)[1][:1], rtol=1e-10)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def residuals(x):
    return np.concatenate([10.0 * (x[1:] - x[:-1] ** 2), 1.0 - x[:-1]])


def test_minimize_and_least_squares():
    start = np.full(8, -0.5)
    found = optimize.minimize(
        rosenbrock,
        start,
        jac=sd.grad(rosenbrock),
        hess=lambda x: sd.hessian_operator(rosenbrock, x),
        method="trust-constr",
        options={"gtol": 1e-9, "maxiter": 500},
    )
    np.testing.assert_allclose(found.x, np.ones(8), atol=1e-5)
    fitted = optimize.least_squares(
        residuals,
        start,
        jac=lambda x: sd.jacobian_operator(residuals, x),
        tr_solver="lsmr",
        xtol=1e-12,
        ftol=1e-12,
    )
    np.testing.assert_allclose(fitted.x, np.ones(8), atol=1e-6)


def test_an_int_counts_as_a_float():
    operator = sd.jacobian_operator(lambda x, n: x**n, 3, 2)
    np.testing.assert_array_equal(operator @ np.ones(1), [6.0])
    np.testing.assert_array_equal(sd.hessian_operator(lambda x: x**3, 2) @ np.ones(1), [12.0])
    np.testing.assert_array_equal(sd.gauss_newton_operator(lambda x: x**3, 2) @ np.ones(1), [144.0])


def test_the_hint_goes_with_what_is_refused():
    for given, hint in (
        (np.arange(3), "astype(float)"),
        (X + 0j, "linearize"),
        ([1.0], "one array"),
    ):
        with pytest.raises(GradientShapeError) as caught:
            sd.jacobian_operator(lambda x: x, given)
        assert hint in caught.value.hint
    with pytest.raises(SignatureError, match="an array of dtype <U1"):
        sd.jacobian_operator(lambda x: 2.0 * x, X) @ np.array(["a"] * X.size)


def test_what_is_refused():
    with pytest.raises(GradientShapeError, match="is of type list"):
        sd.jacobian_operator(lambda x: [x, x], X)
    with pytest.raises(GradientShapeError, match="is of dtype complex128"):
        sd.jacobian_operator(lambda x: x * x, X + 0j)
    with pytest.raises(GradientShapeError, match="is of type dict"):
        sd.jacobian_operator(lambda p: p["x"], {"x": X})
    with pytest.raises(SignatureError, match="by one argument"):
        sd.jacobian_operator(product, X, 1.0, argnums=(0, 1))  # type: ignore[arg-type]
    with pytest.raises(GradientShapeError):
        sd.hessian_operator(product, X)
    with pytest.raises(UnsupportedCallError, match="does not compile operators"):
        sd.grad(lambda x: np.sum(sd.jacobian_operator(product, x) @ np.ones(6)))(X)
