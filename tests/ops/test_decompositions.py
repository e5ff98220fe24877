"""Singular values, QR, eigenvalues, pseudoinverses: values as NumPy's, both modes to order two.

Where a factor is not determined, what is tested is made of it in a way that is; equal singular
values and deficient ranks have references in closed form, or along curves that keep the rank.
"""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import CertainError, UnsupportedCallError
from symdiff.ops.casts import real
from symdiff.ops.declare import FUNCTIONS
from symdiff.ops.decompositions import first_columns, other_columns
from symdiff.ops.products import adjoint, as_row
from tests.ops.straightline import check, check_derivatives, same, stage
from tests.ops.test_linalg import definite, draw, order_of
from tests.reference import richardson_gradient, second_directional

linalg = np.linalg
SHAPES = [(3, 3), (3, 2), (2, 3), (2, 3, 2), (1, 2), (2, 1), (1, 1)]
DTYPES = ["float64", "complex128", "float32"]


def columns(*shape: int, dtype: str = "float64") -> np.ndarray:
    """A matrix whose singular values are well apart, and away from 0."""
    u, s, vh = linalg.svd(draw(*shape, dtype=dtype), full_matrices=False)
    s = np.arange(s.shape[-1], 0, -1) + 0.3 * np.tanh(s)
    return ((u * s[..., None, :]) @ vh).astype(dtype)


def conjugate_transpose(x: Any) -> Any:
    return np.swapaxes(x, -1, -2).conj()


def lowering(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """The lowering with more arguments; results as a plain tuple."""

    def call(*xs: Any) -> Any:
        made = FUNCTIONS[function](*xs, *args, **kwargs)
        return tuple(made) if isinstance(made, tuple) else made

    return call


def reference(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    def call(*xs: Any) -> Any:
        made = function(*xs, *args, **kwargs)
        return tuple(made) if isinstance(made, tuple) else made

    return call


def both(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    return lowering(function, *args, **kwargs), reference(function, *args, **kwargs)


# svd ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_values(shape: Any, dtype: str) -> None:
    a = columns(*shape, dtype=dtype)
    check(*both(linalg.svdvals), a, order=order_of(dtype))
    check(*both(linalg.svd, compute_uv=False), a, order=0)


@pytest.mark.parametrize("shape", SHAPES)
def test_singular_vectors_of_real_matrices(shape: Any) -> None:
    check(*both(linalg.svd, False), columns(*shape))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_a_function_of_all_three_factors(shape: Any, dtype: str) -> None:
    """One that phases of singular vectors do not matter for."""

    def staged(a: Any) -> Any:
        u, s, vh = FUNCTIONS[linalg.svd](a, False)
        return (u * as_row(s**3)) @ vh

    def expected(a: Any) -> Any:
        u, s, vh = linalg.svd(a, False)
        return (u * s[..., None, :] ** 3) @ vh

    check(staged, expected, columns(*shape, dtype=dtype), order=order_of(dtype))


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (2, 4, 2), (3, 3)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_vectors_beyond_the_singular_values(shape: Any, dtype: str) -> None:
    """The projectors on what they span are determined, and so are these derivatives."""
    a = columns(*shape, dtype=dtype)
    same(stage(lowering(linalg.svd), a)(a), list(linalg.svd(a)))

    def projectors(x: Any) -> Any:
        u, s, vh = FUNCTIONS[linalg.svd](x)
        right = adjoint(vh)
        first = first_columns(u, s), first_columns(right, s)
        rest = [v for v in (other_columns(u, s), other_columns(right, s)) if v is not None]
        return *(v @ adjoint(v) for v in rest), (first[0] * as_row(s)) @ adjoint(first[1])

    check_derivatives(stage(projectors, a), (a,), [0], order=2)


def test_svd_of_hermitian_matrices() -> None:
    for dtype in ("float64", "complex128"):
        a = draw(3, 3, dtype=dtype)
        a = a + conjugate_transpose(a)
        same(stage(lowering(linalg.svd, hermitian=True), a)(a), list(linalg.svd(a, hermitian=True)))
        check(*both(linalg.svd, compute_uv=False, hermitian=True), a)

        def staged(x: Any) -> Any:
            u, s, vh = FUNCTIONS[linalg.svd](x, hermitian=True)
            return (u * as_row(s * s)) @ vh

        check_derivatives(stage(staged, a), (a,), [0], order=1)


def test_results_have_names() -> None:
    @sd.differentiable
    def f(a: Any) -> Any:
        found = linalg.svd(a, full_matrices=False)
        q = linalg.qr(a).Q
        return np.sum((found.U * found.S**2) @ found.Vh * q)

    sd.check_grads(f, (columns(4, 3),))


def test_one_derivative_of_a_low_rank_approximation() -> None:
    """The part of the largest singular values: its derivative by the rest, in closed form."""

    def kept(a: Any) -> Any:
        u, s, vh = linalg.svd(a)
        return (u[:, :1] * s[:1]) @ vh[:1]

    a = np.diag([3.0, 1.0])
    g = np.array([[1.0, 2.0], [5.0, 7.0]])
    # d(σ₁ u₁ v₁ᵀ): entry 00 moves with a₀₀; entries 01, 10 by 9/8 of themselves, 3/8 of the other
    expected = np.array([[1.0, (9 * 2.0 + 3 * 5.0) / 8], [(9 * 5.0 + 3 * 2.0) / 8, 0.0]])
    found = sd.grad(lambda x: np.sum(kept(x) * g))(a)
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


# Equal singular values ----------------------------------------------------------------------------


def test_nuclear_norm_where_singular_values_are_equal() -> None:
    """At ``c · 1`` the derivative is 1, the second one in a direction t is (t - tᵀ) / 2c."""
    f = sd.differentiable(lambda a: linalg.norm(a, "nuc"))
    a, t = 2.0 * np.eye(3), draw(3, 3)
    np.testing.assert_allclose(f.grad(a), np.eye(3), atol=1e-15)
    np.testing.assert_allclose(f.hvp(a, t), (t - t.T) / 4.0, atol=1e-14)


def test_spectral_norm_where_other_singular_values_are_equal() -> None:
    """Of diag(3, 1, 1) and diag(3, 0, 0): only what leads to the first row and column counts."""
    f = sd.differentiable(lambda a: linalg.norm(a, 2))
    t = draw(3, 3)
    for low in (1.0, 0.0):
        a = np.diag([3.0, low, low])
        np.testing.assert_allclose(f.grad(a), np.diag([1.0, 0.0, 0.0]), atol=1e-15)
        expected = np.zeros((3, 3))
        for k in (1, 2):  # by second order perturbation theory of a.T @ a and a @ a.T
            expected[0, k] = (3.0 * t[0, k] + low * t[k, 0]) / (9.0 - low**2)
            expected[k, 0] = (3.0 * t[k, 0] + low * t[0, k]) / (9.0 - low**2)
        np.testing.assert_allclose(f.hvp(a, t), expected, atol=1e-14)


def test_norms_at_kinks() -> None:
    """Equal largest singular values share evenly; one of 0 has the smallest subgradient."""
    assert_equal = np.testing.assert_array_equal
    assert_equal(sd.grad(lambda a: linalg.norm(a, 2))(np.eye(2)), np.eye(2) / 2)
    assert_equal(sd.grad(lambda a: linalg.norm(a, "nuc"))(np.diag([2.0, 0.0])), np.diag([1.0, 0.0]))
    assert_equal(sd.grad(lambda a: linalg.norm(a, "nuc"))(np.zeros((2, 3))), np.zeros((2, 3)))


def test_sum_of_equal_singular_values_has_a_derivative_their_vectors_have_none() -> None:
    def total(a: Any) -> Any:
        return np.sum(linalg.svd(a, compute_uv=False) ** 2)

    def vectors(a: Any) -> Any:
        u, s, vh = linalg.svd(a)
        return np.sum(((u * s) @ vh) * np.arange(4.0).reshape(2, 2))

    np.testing.assert_allclose(sd.grad(total)(3.0 * np.eye(2)), 6.0 * np.eye(2), rtol=1e-15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not np.all(np.isfinite(sd.grad(vectors)(np.eye(2))))


# qr -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(shape: Any, dtype: str) -> None:
    """LAPACK's diagonal of R is real, of complex matrices too: nothing is left open."""
    a = columns(*shape, dtype=dtype)
    check(*both(linalg.qr), a, order=order_of(dtype))
    check(*both(linalg.qr, "r"), a, order=order_of(dtype))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 4, 2), (3, 1)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_complete_qr(shape: Any, dtype: str) -> None:
    """The columns beyond those of a tall matrix too: LAPACK's reflections leave nothing open."""
    check(*both(linalg.qr, "complete"), columns(*shape, dtype=dtype), order=2)


@pytest.mark.parametrize(
    "a",
    [
        [[1.0], [0.0], [0.0]],
        [[-1.0], [0.0], [0.0]],
        [[1.0, 2.0], [0.0, 3.0], [0.0, 0.0], [0.0, 0.0]],
        [[1.0, 2.0], [1.0, 3.0], [0.0, 0.0], [0.0, 0.0]],
        [[1.0, 2.0], [0.0, 3.0], [0.0, 0.0], [0.0, 1.0]],
        [[[1.0], [0.0]], [[0.6], [0.7]]],
    ],
)
def test_complete_qr_of_columns_that_need_no_reflection(a: Any) -> None:
    """The space of the other columns has a derivative there, though their signs jump."""
    a = np.array(a)
    weight, direction = draw(*a.shape[:-1], a.shape[-2]), draw(*a.shape)

    def space(a: Any) -> Any:
        others = np.linalg.qr(a, mode="complete")[0][..., a.shape[-1] :]
        return np.sum(weight * (others @ np.swapaxes(others, -1, -2)))

    gradient = richardson_gradient(space, (a,)).value
    np.testing.assert_allclose(sd.grad(space)(a), gradient, atol=1e-7)
    tangent = sd.jvp(space, (a,), (direction,))[1]
    np.testing.assert_allclose(tangent, np.sum(gradient * direction), atol=1e-6)
    second = second_directional(space, (a,), (direction,), (direction,), step=0.01).value
    found = np.sum(direction * sd.hvp(space)(a, direction))
    np.testing.assert_allclose(found, second, rtol=1e-5, atol=1e-5)


def test_modes_of_qr_that_are_none() -> None:
    a = draw(3, 2)
    with pytest.raises(UnsupportedCallError, match="mode='raw'"):
        stage(lowering(linalg.qr, "raw"), a)
    with pytest.raises(ValueError, match="Unrecognized mode 'q'"):
        stage(lowering(linalg.qr, "q"), a)


# eig ----------------------------------------------------------------------------------------------


def phases(v: Any) -> Any:
    """Of eigenvectors what their phases do not matter for: squares of absolute values."""
    return real(v * FUNCTIONS[np.conjugate](v))


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (1, 1)])
def test_eigenvalues_of_complex_matrices(shape: Any) -> None:
    a = draw(*shape, dtype="complex128")
    check(*both(linalg.eigvals), a)
    same(stage(lowering(linalg.eig), a)(a), list(linalg.eig(a)))

    def staged(x: Any) -> Any:
        w, v = FUNCTIONS[linalg.eig](x)
        return w, phases(v), v @ FUNCTIONS[linalg.inv](v * as_row(w + 5.0))

    check_derivatives(stage(staged, a), (a,), [0], order=2)


def growing(a: Any) -> Any:
    w, v = linalg.eig(a)
    return np.sum(np.real((v * np.exp(w)) @ linalg.inv(v)))


def lengths(a: Any) -> Any:
    found = linalg.eig(a)
    return np.sum(np.abs(found.eigenvectors) ** 4) + np.sum(np.abs(found.eigenvalues) ** 2)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: np.max(np.abs(linalg.eigvals(a))),
        lambda a: np.sum(linalg.eigvals(a) ** 3).real,
        lambda a: linalg.eigvals(a) + 0j,
        growing,
        lengths,
    ],
)
def test_a_real_matrix_has_real_or_complex_eigenvalues(function: Any) -> None:
    """One program does both: which NumPy gives is told by the numbers."""
    turning = np.array([[0.0, 1.0, 0.2], [-1.0, 0.3, 0.0], [0.1, 0.2, 0.5]])
    f = sd.differentiable(function)
    for a in (definite(3, 3), turning):
        assert np.iscomplexobj(linalg.eigvals(a)) == (a is turning)
        np.testing.assert_array_equal(f(a), function(a))
        sd.check_grads(f, (a,))


def test_equal_eigenvalues_that_are_summed() -> None:
    """Of a symmetric function of the eigenvalues; of vectors of equal ones there is nothing."""
    f = sd.differentiable(lambda a: np.sum(linalg.eigvals(a) ** 2).real)
    np.testing.assert_allclose(f.grad(3.0 * np.eye(3)), 6.0 * np.eye(3), rtol=1e-15)


def test_eigenvalues_of_single_precision() -> None:
    f = sd.differentiable(lambda a: np.sum(np.abs(linalg.eigvals(a)) ** 2))
    a = draw(3, 3)
    found = f.grad(a.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, f.grad(a), rtol=1e-4)


@pytest.mark.parametrize("b", [0.3, -0.3])
def test_eigenvalues_that_are_returned_are_real_or_complex(b: float) -> None:
    a = np.array([[2.0, b, 0.1], [0.9, 2.0, 0.0], [0.1, 0.2, 0.5]])
    values, pullback = sd.differentiable(lambda a: linalg.eigvals(a)).vjp(a)
    np.testing.assert_array_equal(values, linalg.eigvals(a))
    assert np.iscomplexobj(values) == (b < 0.0)
    of_the_trace = pullback(np.ones_like(values))[0]  # their sum is the trace
    np.testing.assert_allclose(of_the_trace, np.eye(3), atol=1e-13)


@pytest.mark.parametrize("uplo", ["L", "U", "u"])
def test_triangles_of_hermitian_matrices(uplo: Any) -> None:
    a = definite(2, 3, 3)
    check(*both(linalg.eigh, UPLO=uplo), a, order=1)
    with pytest.raises(ValueError, match="UPLO"):
        stage(lowering(linalg.eigh, UPLO="X"), a)


# pinv, lstsq --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pinv(shape: Any, dtype: str) -> None:
    a = columns(*shape, dtype=dtype)
    check(*both(linalg.pinv), a, order=order_of(dtype))
    for more in ({"rcond": 1e-3}, {"rtol": 1e-3}, {"rtol": None}, {"rcond": np.array(1e-3)}):
        check(*both(linalg.pinv, **more), a, order=0)


def test_pinv_of_hermitian_matrices_reads_one_triangle() -> None:
    for dtype in ("float64", "complex128"):
        check(*both(linalg.pinv, hermitian=True), definite(3, 3, dtype=dtype))


def test_pinv_of_nothing_and_of_whole_numbers() -> None:
    nothing = np.zeros((2, 0, 3))
    value, pullback = sd.vjp(lambda a: linalg.pinv(a), nothing)
    same(value, linalg.pinv(nothing))
    assert pullback(value)[0].shape == (2, 0, 3)
    check(*both(linalg.pinv), np.array([[1, 2], [3, 4], [5, 7]]), order=0)
    with pytest.raises(ValueError, match="can't be both set"):
        stage(lowering(linalg.pinv, 0.1, rtol=0.1), np.eye(2))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", ["pinv", "lstsq"])
def test_deficient_rank(name: str, dtype: str) -> None:
    """Golub and Pereyra's derivative is that along changes that keep the rank, twice too."""
    shapes = ((5, 2), (2, 4), (5, 2), (2, 4), (5,))
    b, c, db, dc, right = (draw(*s, seed=k, dtype=dtype) for k, s in enumerate(shapes))

    def f(x: Any) -> Any:
        return linalg.pinv(x, 1e-9) if name == "pinv" else linalg.lstsq(x, right, 1e-9)[0]

    def at(h: float) -> Any:
        return f((b + h * db) @ (c + h * dc))

    a, t, bend = b @ c, db @ c + b @ dc, 2.0 * (db @ dc)
    value, slope = sd.jvp(f, (a,), (t,))
    np.testing.assert_array_equal(value, at(0.0))
    steps = [(at(h) - at(-h)) / (2 * h) for h in (1e-3, 2e-3)]
    scale = np.max(np.abs(slope))
    np.testing.assert_allclose(slope, (4 * steps[0] - steps[1]) / 3, rtol=0, atol=1e-8 * scale)
    _, second = sd.jvp(lambda x, v: sd.jvp(f, (x,), (v,))[1], (a, t), (t, bend))
    bends = [(at(h) - 2 * at(0.0) + at(-h)) / h**2 for h in (1e-3, 2e-3)]
    scale = np.max(np.abs(second))
    np.testing.assert_allclose(second, (4 * bends[0] - bends[1]) / 3, rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (3, 1), (1, 3), (1, 1)])
@pytest.mark.parametrize("right", [(), (2,)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.one_in(4)
def test_lstsq(shape: Any, right: Any, dtype: str) -> None:
    """All four results; residuals there are of tall matrices only."""
    a, b = columns(*shape, dtype=dtype), draw(shape[0], *right, dtype=dtype, seed=3)
    check(*both(linalg.lstsq), a, b, order=order_of(dtype))
    for rcond in (None, -1.0, 1e-3):
        check(*both(linalg.lstsq, rcond), a, b, order=0)


@pytest.mark.parametrize("name", ["pinv", "lstsq"])
def test_tall_matrices_have_no_square_of_their_length(name: str) -> None:
    """Nor has the second derivative, nor what goes forward."""
    a, right = columns(2000, 2), draw(2000)

    def f(a: Any) -> Any:
        return np.sum((linalg.pinv(a) if name == "pinv" else linalg.lstsq(a, right)[0]) ** 2)

    for derivative in (lambda a: sd.grad(f)(a), lambda a: sd.hvp(f)(a, a)):
        derivative(a)
        tracemalloc.start()
        derivative(a)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 100 * a.nbytes  # of a square 1000 times


def test_residuals_that_are_missing() -> None:
    """Of the same program where the rank is deficient: there are none, and none of a derivative."""
    f = sd.differentiable(lambda a: np.sum(linalg.lstsq(a, np.arange(4.0), 1e-9)[1]))
    tall = columns(4, 2)
    sd.check_grads(f, (tall,))
    np.testing.assert_array_equal(f.grad(np.ones((4, 2))), np.zeros((4, 2)))


# cond, matrix_rank --------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"])
def test_cond(p: Any) -> None:
    function = both(linalg.cond, *(() if p is None else (p,)))
    for shape in [(2, 2), (2, 2, 2), (1, 1)]:
        check(*function, columns(*shape, dtype="complex128"), order=1)
    check(*function, columns(3, 3))
    if p in (None, 2, -2):
        check(*function, columns(2, 3, 2))


def test_cond_of_singular_matrices_is_infinite() -> None:
    f = sd.differentiable(lambda a: linalg.cond(a))
    assert f(np.zeros((2, 2))) == np.inf
    with pytest.raises(ValueError, match="Invalid norm order"):
        stage(lowering(linalg.cond, 3), np.eye(2))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 3, 4), (3,), ()])
def test_matrix_rank(shape: Any) -> None:
    a = draw(*shape)
    for more in ({}, {"tol": 0.8}, {"rtol": 0.4}):
        check(*both(linalg.matrix_rank, **more), a)
    if len(shape) == 3:
        check(*both(linalg.matrix_rank, tol=np.array([0.1, 1.5])), a)
    if shape == (3, 3):
        check(*both(linalg.matrix_rank, hermitian=True), a + a.T)
    with pytest.raises(ValueError, match="can't be both set"):
        stage(lowering(linalg.matrix_rank, 0.1, rtol=0.1), np.eye(2))


def test_matrices_that_are_none_are_refused_as_numpy_does() -> None:
    for function in (linalg.svd, linalg.qr, linalg.pinv, linalg.eig):
        with pytest.raises(linalg.LinAlgError, match="two-dimensional"):
            stage(lowering(function), draw(3))
    with pytest.raises(CertainError, match=r"LinAlgError .* must be square"):
        sd.grad(lambda a: np.sum(np.abs(linalg.eigvals(a)))).source("float64[1,2]")


def test_single_precision_has_the_derivatives_of_double() -> None:
    """To what a condition of 3 leaves of it; the dtype stays."""
    functions = [
        lambda a: np.sum(linalg.pinv(a) ** 3),
        lambda a: np.sum(linalg.qr(a).R ** 3),
        lambda a: linalg.norm(a, "nuc") + linalg.norm(a, 2),
        lambda a: linalg.cond(a),
        lambda a: np.sum(linalg.lstsq(a, a[:, 0] ** 2)[0]),
        lambda a: np.sum(swaps(linalg.svd(a, full_matrices=False)) ** 3),
    ]
    a = columns(4, 3)
    t = draw(4, 3, seed=5)
    for function in functions:
        f = sd.differentiable(function)
        found = f.grad(a.astype(np.float32)), f.hvp(a.astype(np.float32), t.astype(np.float32))
        assert {x.dtype for x in found} == {np.dtype(np.float32)}
        for single, double in zip(found, (f.grad(a), f.hvp(a, t)), strict=True):
            scale = np.max(np.abs(double))
            np.testing.assert_allclose(single, double, rtol=0, atol=1e-4 * scale)


def swaps(found: Any) -> Any:
    return (found.U * found.S**2) @ found.Vh


# To the rounding of floats ------------------------------------------------------------------------


def mp_svd(a: Any) -> Any:
    return mpmath.svd_r(a, full_matrices=False)


def mp_sum(matrix: Any, term: Callable[[Any], Any] = lambda x: x) -> Any:
    return mpmath.fsum(term(x) for x in matrix)


def mp_inverse(a: Any) -> Any:
    return (a.T * a) ** -1 * a.T


def mp_reconstructed(a: Any) -> Any:
    u, s, v = mp_svd(a)
    return mp_sum(u * mpmath.diag([x**2 for x in s]) * v, lambda x: x**3)


def mp_least_squares(a: Any) -> Any:
    b = mpmath.matrix([1, 2, 3])
    x = mp_inverse(a) * b
    return mp_sum(x, lambda v: v**3) + mp_sum(b - a * x, lambda v: v**2)


def least_squares(a: Any) -> Any:
    x, residuals, _, _ = linalg.lstsq(a, np.arange(1.0, 4.0))
    return np.sum(x**3) + residuals[0]


def factors(a: Any) -> Any:
    q, r = linalg.qr(a)
    return np.sum(q**4) + np.sum(r**4)


def mp_factors(a: Any) -> Any:
    q, r = mpmath.qr(a, mode="skinny")
    return mp_sum(q, lambda x: x**4) + mp_sum(r, lambda x: x**4)


TALL = np.array([[1.0, 0.25], [-0.5, 1.5], [0.75, 0.5]])
TURNING = np.array([[0.25, 1.0, 0.125], [-1.5, 0.5, 0.25], [0.5, 0.25, 1.0]])
PRECISE = {
    "svdvals": (
        lambda a: np.sum(linalg.svdvals(a) ** 3),
        lambda a: mp_sum(mpmath.svd_r(a, compute_uv=False), lambda x: x**3),
        TALL,
    ),
    "svd": (lambda a: np.sum(swaps(linalg.svd(a, False)) ** 3), mp_reconstructed, TALL),
    "nuc": (
        lambda a: linalg.norm(a, "nuc"),
        lambda a: mp_sum(mpmath.svd_r(a, compute_uv=False)),
        TALL,
    ),
    "norm": (lambda a: linalg.norm(a, 2), lambda a: mpmath.svd_r(a, compute_uv=False)[0], TALL),
    "cond": (
        linalg.cond,
        lambda a: (lambda s: s[0] / s[1])(mpmath.svd_r(a, compute_uv=False)),
        TALL,
    ),
    "qr": (factors, mp_factors, TALL),
    "pinv": (
        lambda a: np.sum(linalg.pinv(a) ** 3),
        lambda a: mp_sum(mp_inverse(a), lambda x: x**3),
        TALL,
    ),
    "lstsq": (least_squares, mp_least_squares, TALL),
    "eigvals": (
        lambda a: np.sum(np.abs(linalg.eigvals(a)) ** 3),
        lambda a: mpmath.fsum(abs(w) ** 3 for w in mpmath.eig(a, left=False, right=False)),
        TURNING,
    ),
}


@pytest.mark.parametrize("name", PRECISE)
def test_both_orders_are_right_to_the_rounding_of_floats(name: str) -> None:
    """Beside differences at sixty digits; the matrices have conditions of about 2."""
    function, precisely, a = PRECISE[name]
    t = np.resize([0.5, -1.0, 0.25, 2.0, 1.5], a.shape)

    def along(h: Any) -> Any:
        return precisely(mpmath.matrix(a.tolist()) + h * mpmath.matrix(t.tolist()))

    with mpmath.workdps(60):
        value, slope, bend = (float(mpmath.diff(along, 0, n)) for n in range(3))
    f = sd.differentiable(function)
    scale = abs(value) + abs(slope) + abs(bend)
    np.testing.assert_allclose(f(a), value, rtol=0, atol=1e-14 * scale)
    np.testing.assert_allclose(np.sum(f.grad(a) * t), slope, rtol=0, atol=1e-14 * scale)
    np.testing.assert_allclose(f.jvp((a,), (t,))[1], slope, rtol=0, atol=1e-14 * scale)
    np.testing.assert_allclose(np.sum(f.hvp(a, t) * t), bend, rtol=0, atol=3e-14 * scale)
