"""Linear algebra: values as NumPy's, both modes to order two; stacks, complex, singular."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.linalg

import symdiff as sd
from symdiff.ops.declare import FUNCTIONS
from symdiff.ops.linalg import SlogdetResult
from symdiff.ops.products import adjoint
from symdiff.ops.support import cofactors
from tests.ops.straightline import check, pullback, same, stage


def draw(*shape: int, dtype: str = "float64", seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng([seed, *shape])
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape)).astype(dtype) if "c" in dtype else x.astype(dtype)


def regular(*shape: int, dtype: str = "float64") -> np.ndarray:
    return (draw(*shape, dtype=dtype) + 4 * np.eye(shape[-1])).astype(dtype)


def definite(*shape: int, dtype: str = "float64") -> np.ndarray:
    x = draw(*shape, dtype=dtype)
    return (x @ np.swapaxes(x, -1, -2).conj() + 2 * np.eye(shape[-1])).astype(dtype)


SQUARE = [(3, 3), (2, 3, 3), (1, 1), (2, 1, 2, 2)]
DTYPES = ["float64", "complex128", "float32"]


def order_of(dtype: str) -> int:
    return 1 if dtype == "float32" else 2


@pytest.mark.parametrize("shape", SQUARE)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [np.linalg.inv, np.linalg.det])
def test_inverse_and_determinant(function: Any, shape: Any, dtype: str) -> None:
    check(FUNCTIONS[function], function, regular(*shape, dtype=dtype), order=order_of(dtype))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 3), (3,)),
        ((3, 3), (3, 2)),
        ((3, 3), (3, 1)),
        ((2, 3, 3), (3,)),
        ((2, 3, 3), (2, 3, 2)),
        ((2, 3, 3), (3, 2)),
        ((3, 3), (2, 3, 2)),
        ((2, 1, 3, 3), (4, 3, 2)),
    ],
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(a: Any, b: Any, dtype: str) -> None:
    check(
        FUNCTIONS[np.linalg.solve],
        np.linalg.solve,
        regular(*a, dtype=dtype),
        draw(*b, seed=1, dtype=dtype),
        order=1 if dtype == "float32" else 2,
    )


def test_solve_of_mixed_types() -> None:
    check(FUNCTIONS[np.linalg.solve], np.linalg.solve, regular(2, 2), draw(2, dtype="complex128"))
    check(FUNCTIONS[np.linalg.solve], np.linalg.solve, np.array([[2, 1], [1, 3]]), draw(2))


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[1.0, 2.0], [2.0, 4.0]]),
        np.zeros((2, 2)),
        np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, 0.0, 0.0]]),
        np.array([[1.0 + 1j, 2.0], [1.0 + 1j, 2.0]]),
    ],
)
def test_determinant_of_singular_matrices(matrix: np.ndarray) -> None:
    check(FUNCTIONS[np.linalg.det], np.linalg.det, matrix, order=1)


def test_cofactors_are_those_of_the_minors() -> None:
    for a in (regular(3, 3), np.arange(9.0).reshape(3, 3), np.ones((3, 3))):
        minors = [
            [(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(3)]
            for i in range(3)
        ]
        np.testing.assert_allclose(cofactors(a), minors, atol=1e-12)


@pytest.mark.parametrize("shape", SQUARE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_slogdet(shape: Any, dtype: str) -> None:
    check(
        lambda a: tuple(FUNCTIONS[np.linalg.slogdet](a)),
        lambda a: tuple(np.linalg.slogdet(a)),
        regular(*shape, dtype=dtype),
        order=order_of(dtype),
    )


def test_slogdet_has_named_parts() -> None:
    program = stage(lambda a: FUNCTIONS[np.linalg.slogdet](a).logabsdet, regular(2, 2))
    assert len(program.results) == 1
    assert isinstance(np.linalg.slogdet(np.eye(2)), SlogdetResult)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (1, 1)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(shape: Any, dtype: str, upper: bool) -> None:
    """NumPy reads one triangle only, and so the derivative is there."""
    a = definite(*shape, dtype=dtype)
    check(
        lambda x: FUNCTIONS[np.linalg.cholesky](x, upper=upper),
        lambda x: np.linalg.cholesky(x, upper=upper),
        a,
        order=order_of(dtype),
    )


NORMS = [
    ((4,), None, None),
    ((2, 3), None, None),
    ((2, 3, 2), None, None),
    ((4,), 1, None),
    ((4,), 2, None),
    ((4,), 3, None),
    ((4,), 1.5, None),
    ((4,), np.inf, None),
    ((4,), -np.inf, None),
    ((4,), 0, None),
    ((2, 3), None, 0),
    ((2, 3), 2, -1),
    ((2, 3), 3, 1),
    ((2, 3), np.inf, 1),
    ((2, 3), "fro", None),
    ((2, 3), 1, None),
    ((2, 3), -1, None),
    ((2, 3), np.inf, None),
    ((2, 3, 4), "fro", (0, 2)),
    ((2, 3, 4), None, (2, 0)),
    ((2, 3, 4), 1, (2, 0)),
    ((2, 3, 4), 1, (0, 2)),
    ((2, 3), "f", None),
    ((2, 3), 2, None),
    ((3, 2), -2, None),
    ((2, 3), "nuc", None),
    ((2, 3, 4), 2, (2, 0)),
    ((2, 3, 4), -2, (0, 1)),
]


@pytest.mark.parametrize(("shape", "order", "axis"), NORMS)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm(shape: Any, order: Any, axis: Any, keepdims: bool) -> None:
    for dtype in ("float64", "complex128", "float32"):
        check(
            lambda x: FUNCTIONS[np.linalg.norm](x, order, axis, keepdims),
            lambda x: np.linalg.norm(x, order, axis, keepdims),
            draw(*shape, dtype=dtype),
            order=2 if dtype == "float64" else 1,
        )


def test_norm_at_zero_has_derivative_zero() -> None:
    x = np.zeros(3)
    for order in (None, 1, 3, np.inf):
        (bar,) = pullback(stage(lambda v, p=order: FUNCTIONS[np.linalg.norm](v, p), x), [0])(
            x, np.float64(1.0)
        )
        np.testing.assert_array_equal(bar, np.zeros(3))


def test_norm_of_integers() -> None:
    x = np.array([3, 4])
    same(stage(FUNCTIONS[np.linalg.norm], x)(x), [np.linalg.norm(x)])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, -1, -3])
def test_matrix_power(n: int) -> None:
    for a in (regular(3, 3) / 3, regular(2, 3, 3) / 3):
        check(
            lambda x: FUNCTIONS[np.linalg.matrix_power](x, n),
            lambda x: np.linalg.matrix_power(x, n),
            a,
            order=1,
        )


def test_matrices_that_are_none_are_refused_as_numpy_does() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="two-dimensional"):
        stage(FUNCTIONS[np.linalg.inv], draw(3))
    same(stage(FUNCTIONS[np.linalg.inv], np.eye(2, dtype=int))(np.eye(2, dtype=int)), [np.eye(2)])
    with pytest.raises(TypeError, match="unsupported"):
        stage(FUNCTIONS[np.linalg.det], np.eye(2, dtype="float16"))


def spectral(w: Any, v: Any) -> Any:
    """A function of eigenvalues and eigenvectors that does not depend on signs or phases."""
    return (v * w**3) @ v.conj().T


@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_eigenvalues_of_hermitian_matrices(uplo: str, dtype: str) -> None:
    a = definite(3, 3, dtype=dtype)
    check(
        lambda x: FUNCTIONS[np.linalg.eigvalsh](x, uplo), lambda x: np.linalg.eigvalsh(x, uplo), a
    )

    def staged(x: Any) -> Any:
        w, v = FUNCTIONS[np.linalg.eigh](x, uplo)
        return (v * w**3) @ adjoint(v)

    check(staged, lambda x: spectral(*np.linalg.eigh(x, uplo)), a, order=1)


def test_eigenvectors_of_a_stack() -> None:
    def staged(x: Any) -> Any:
        w, v = FUNCTIONS[np.linalg.eigh](x)
        return w, v * v

    def reference(x: Any) -> Any:
        w, v = np.linalg.eigh(x)
        return w, v * v

    check(staged, reference, definite(2, 3, 3))
    check(staged, reference, definite(3, 3, dtype="float32"), order=1)


def test_eigenvectors_of_equal_eigenvalues_have_no_derivative() -> None:
    """Their limit depends on the direction: NaN and inf, not a number that looks right."""

    def staged(x: Any) -> Any:
        w, v = FUNCTIONS[np.linalg.eigh](x)
        return (v * w) @ adjoint(v)

    g = np.arange(9.0).reshape(3, 3)
    with np.errstate(all="ignore"):
        (bar,) = pullback(stage(staged, np.eye(3)), [0])(np.eye(3), g + g.T)
    assert not np.any(np.isfinite(bar[np.tril_indices(3, -1)]))


def with_eigenvalues(*w: float) -> np.ndarray:
    """A symmetric matrix with eigenvalues that are these up to rounding."""
    q = np.linalg.qr(draw(len(w), len(w)))[0]
    return np.asarray((q * np.array(w)) @ q.T)


WEIGHTS = draw(4, 4)


def of_last_vector(a: Any) -> Any:
    return (WEIGHTS[0] @ np.linalg.eigh(a)[1][:, -1]) ** 2


def of_first_singular_vectors(a: Any) -> Any:
    u, _, vh = np.linalg.svd(a)
    return (WEIGHTS[0] @ u[:, 0]) * (WEIGHTS[1] @ vh[0])


def of_space(a: Any) -> Any:
    v = np.linalg.eigh(a)[1][:, :2]
    return np.sum(WEIGHTS * (v @ v.T))


def of_matrix_function(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum(WEIGHTS * ((v * np.exp(w)) @ v.T))


def of_values(a: Any) -> Any:
    return np.sum(np.exp(np.linalg.eigvalsh(a)))


def of_pencil(a: Any) -> Any:
    w, v = scipy.linalg.eigh(a, with_eigenvalues(1.0, 1.0, 2.0, 3.0))
    return np.sum(WEIGHTS * ((v * np.exp(w)) @ v.T))


@pytest.mark.parametrize("w", [(1.0, 1.0, 2.0, 3.0), (1.0, 2.0, 3.0, 5.0)])
@pytest.mark.parametrize(
    "f",
    [
        *(of_last_vector, of_first_singular_vectors, of_space, of_matrix_function),
        *(of_values, of_pencil),
    ],
)
def test_derivatives_where_eigenvalues_are_equal_up_to_rounding_are_right_or_nan(
    f: Any, w: Any
) -> None:
    a, t = with_eigenvalues(*w), definite(4, 4)
    above, below = (tuple(f(a + sign * h * t) for h in (1e-4, 1e-3)) for sign in (1, -1))
    slopes = (above[0] - below[0]) / 2e-4, (above[1] + below[1] - 2 * f(a)) / 1e-6
    hessian = sd.hessian(f)(a)
    found = [
        np.sum(sd.grad(f)(a) * t),
        sd.jvp(f, (a,), (t,))[1],
        np.einsum("ijkl,ij,kl", hessian, t, t),
    ]
    for number, slope in zip(found, (slopes[0], *slopes), strict=True):
        assert np.isnan(number) or number == pytest.approx(slope, rel=2e-3)
    is_of_others = f in (of_last_vector, of_first_singular_vectors, of_values)
    if is_of_others or (w[0] != w[1] and f is not of_pencil):
        assert np.all(np.isfinite(found[:2]))


@pytest.mark.parametrize("w", [(1.0, 1.0, 2.0, 3.0), (1.0, 1.0, 1.0, 3.0)])
def test_second_derivatives_of_a_vector_do_not_mind_that_others_are_equal(w: Any) -> None:
    t = definite(4, 4)
    for a in (with_eigenvalues(*w), np.diag(w)):
        hessian = sd.hessian(of_last_vector)(a)
        above, below = (of_last_vector(a + sign * 1e-3 * t) for sign in (1, -1))
        slope = (above + below - 2 * of_last_vector(a)) / 1e-6
        assert np.einsum("ijkl,ij,kl", hessian, t, t) == pytest.approx(slope, rel=1e-3)


def test_second_derivatives_of_a_vector_that_is_open_are_nan_where_the_first_are_0() -> None:
    a = with_eigenvalues(1.0, 1.0, 2.0, 3.0)
    known = WEIGHTS[0] @ np.linalg.eigh(a)[1][:, 0]
    hessian = sd.hessian(lambda a: (WEIGHTS[0] @ np.linalg.eigh(a)[1][:, 0] - known) ** 2)(a)
    rows, columns = np.tril_indices(4)
    assert np.all(np.isnan(hessian[rows, columns][:, rows, columns]))


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_second_derivatives_of_all_vectors(uplo: str) -> None:
    a, t = with_eigenvalues(0.3, 1.0, 2.0, 3.5), draw(4, 4)

    def f(a: Any) -> Any:
        w, v = np.linalg.eigh(a, uplo)
        return np.sum(np.sin(v * WEIGHTS)) * w[1] + np.sum(w**3)

    slopes = (sd.grad(f)(a + 1e-6 * t) - sd.grad(f)(a - 1e-6 * t)) / 2e-6
    found = np.einsum("ijkl,kl", sd.hessian(f)(a), t)
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", [of_last_vector, of_first_singular_vectors])
def test_vectors_of_other_eigenvalues_do_not_mind_equal_ones(f: Any) -> None:
    a, t = np.diag([1.0, 1.0, 2.0, 3.0]), definite(4, 4)
    g = np.sum(sd.grad(f)(a) * t)
    assert g == pytest.approx((f(a + 1e-5 * t) - f(a - 1e-5 * t)) / 2e-5, rel=1e-6)


def test_norms_by_their_other_names() -> None:
    x = draw(3, 4)
    for function in (np.linalg.vector_norm, np.linalg.matrix_norm):
        check(FUNCTIONS[function], function, x)
    with pytest.raises(ValueError, match="Invalid norm order 'fro' for vectors"):
        stage(lambda v: FUNCTIONS[np.linalg.norm](v, "fro", 0), x)
    with pytest.raises(ValueError, match="Invalid norm order for matrices"):
        stage(lambda v: FUNCTIONS[np.linalg.norm](v, 3), x)
    with pytest.raises(ValueError, match="Duplicate axes"):
        stage(lambda v: FUNCTIONS[np.linalg.norm](v, None, (1, -1)), x)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("axis", [None, -1, (1,), (2, -3), (0, 1, 2)])
def test_norm_along_any_axes(axis: Any, order: Any, keepdims: bool) -> None:
    check(
        lambda v: FUNCTIONS[np.linalg.vector_norm](v, axis=axis, ord=order, keepdims=keepdims),
        lambda v: np.linalg.vector_norm(v, axis=axis, ord=order, keepdims=keepdims),
        draw(2, 3, 4),
        order=1,
    )


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_norm_of_each_matrix(order: Any, keepdims: bool) -> None:
    check(
        lambda v: FUNCTIONS[np.linalg.matrix_norm](v, ord=order, keepdims=keepdims),
        lambda v: np.linalg.matrix_norm(v, ord=order, keepdims=keepdims),
        draw(2, 3, 4, dtype="complex128"),
        order=1,
    )
    check(
        lambda v: FUNCTIONS[np.linalg.norm](v, order, (2, 0), keepdims),
        lambda v: np.linalg.norm(v, order, (2, 0), keepdims),
        draw(2, 3, 4),
        order=1,
    )


def log_density(K: Any, y: Any) -> Any:
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * (y @ a) + np.sum(np.log(np.diag(L)))


@pytest.mark.parametrize(("n", "accuracy"), [(3, 1e-12), (5, 1e-10), (8, 1e-6)])
def test_the_gradient_through_a_factor_is_as_accurate_as_the_condition_allows(
    n: int, accuracy: float
) -> None:
    """Hilbert's matrices, of conditions up to 1.5e10; the reference is computed with 60 digits."""
    K = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    y = np.cos(np.arange(n) * 1.0)
    with mpmath.workdps(60):
        inverse = mpmath.matrix(K.tolist()) ** -1
        a = inverse * mpmath.matrix(y.tolist())
        full = [[float((inverse[i, j] - a[i] * a[j]) / 2) for j in range(n)] for i in range(n)]
    expected = np.tril(np.array(full) * 2.0) - np.diag(np.diag(full))
    gradient = sd.grad(log_density)(K, y)
    np.testing.assert_allclose(gradient, expected, atol=accuracy * np.abs(expected).max())


def test_the_gradient_through_a_factor_inverts_it_once() -> None:
    lines = str(sd.grad(log_density).source(definite(3, 3), np.ones(3))).splitlines()
    source = "\n".join(line for line in lines if "# line" not in line)
    assert source.count("triangular_inv(L, lower=True)") == 1
    assert source.count("np.linalg.solve") == 2
    assert source.count("np.outer") == 1
