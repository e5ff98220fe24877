"""Matrices of ``scipy.linalg``, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions import calls
from tests.definitions.test_distributions import check
from tests.test_programs import same

linalg = pytest.importorskip("scipy.linalg")
interpolative = pytest.importorskip("scipy.linalg.interpolative")

A = np.array([[3.0, 0.4, -0.2], [0.1, 2.5, 0.3], [-0.6, 0.2, 2.8]])
B = np.array([[0.5, 1.0], [-0.3, 0.8], [1.2, 0.1]])


def _positive(a: Any) -> Any:
    return a @ a.T


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: linalg.solve(a, b),
        lambda a, b: linalg.solve(a, b[:, 0], transposed=True, check_finite=False),
        lambda a, b: linalg.inv(a) @ b,
        lambda a, b: linalg.det(a) * b,
        lambda a, b: linalg.cholesky(_positive(a)) @ b,
        lambda a, b: linalg.cholesky(_positive(a), lower=True) @ b,
        lambda a, b: linalg.solve_triangular(a, b),
        lambda a, b: linalg.solve_triangular(a, b[:, 0], lower=True, trans="T"),
        lambda a, b: linalg.solve_triangular(a, b, unit_diagonal=True, trans=1),
        lambda a, b: linalg.cho_solve(linalg.cho_factor(_positive(a)), b),
        lambda a, b: linalg.cho_solve(linalg.cho_factor(_positive(a), lower=True), b[:, 1]),
        lambda a, b: linalg.cho_factor(_positive(a))[0] @ b,
    ],
)
def test_by_the_matrix_and_the_right_side(function: Callable[..., Any]):
    check(function, A, B, wrt=(0, 1))


BAND = np.array(
    [[0.0, 0.3, 0.2, -0.4], [3.0, 2.5, 4.0, 3.5], [0.5, -0.6, 0.4, 0.1], [0.2, 0.7, 0.3, 0.4]]
)
LINE = np.array([1.0, 2.0, -1.0, 0.5])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda a, b: linalg.solve(a, b, assume_a="sym"), (A, B)),
        (lambda a, b: linalg.solve(a, b, assume_a="pos", lower=True), (A, B)),
        (
            lambda a, b: (
                linalg.solve(a, b, assume_a="tridiagonal")
                + linalg.solve(a, b, assume_a="diagonal")
                + linalg.solve(a, b, assume_a="upper triangular")
                + linalg.solve(a, b, assume_a="lower triangular")
            ),
            (A, B),
        ),
        (lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b), (A - 3.0, B)),
        (lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b[:, 0], trans=1), (A - 3.0, B)),
        (lambda a: linalg.lu_factor(a)[0], (A - 3.0,)),
        (lambda a: linalg.lu_factor(a)[0], (np.vstack([A - 3.0, A]),)),
        (lambda a: linalg.lu_factor(a)[0], (np.hstack([A - 3.0, A]),)),
        (lambda a: linalg.lu(a)[1] @ np.tanh(linalg.lu(a)[2]), (np.vstack([A - 3.0, A]),)),
        (lambda a: linalg.lu(a, permute_l=True)[0], (A - 3.0,)),
        (lambda a: linalg.lu(a, p_indices=True)[2], (np.hstack([A - 3.0, A]),)),
        (lambda ab, b: linalg.solve_banded((2, 1), ab, b), (BAND, LINE)),
        (lambda ab, b: linalg.solve_banded((1, 1), ab[:3], np.stack([b, b * b], 1)), (BAND, LINE)),
        (lambda ab, b: linalg.solveh_banded(ab[:2], b), (BAND, LINE)),
        (lambda ab, b: linalg.solveh_banded(ab[1:], b, lower=True), (BAND, LINE)),
        (lambda a, b: linalg.pinv(a[:2]) @ b[:2] * linalg.norm(a), (A, B)),
        (lambda a: linalg.inv(a, assume_a="sym") + linalg.inv(a, assume_a="pos", lower=True), (A,)),
        (lambda a: linalg.polar(a)[0] @ np.sin(linalg.polar(a, side="left")[1]), (A,)),
        (lambda a: linalg.pinvh(a) @ linalg.hilbert(3) + linalg.pascal(3) * a, (A,)),
        (lambda d: linalg.eigvalsh_tridiagonal(d, d[1:] / 2), (LINE,)),
        (lambda c, b: linalg.cho_solve_banded((c[:2], False), b), (BAND, LINE)),
        (lambda c, b: linalg.cho_solve_banded((c[1:], True), b), (BAND, LINE)),
        (lambda a, b: linalg.lstsq(a[:, :2], b[:, 0])[0] * linalg.lstsq(a, b)[0], (A, B)),
    ],
)
def test_solving_with_structure_and_by_factors(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


@pytest.mark.parametrize(
    "function",
    [
        lambda c, r: linalg.toeplitz(c, r) + linalg.hankel(c, r) + linalg.hankel(c)[:, :3],
        lambda c, r: linalg.circulant(c) + linalg.toeplitz(c),
        lambda c, r: linalg.companion(c) + linalg.leslie(r, c[:2]) * linalg.fiedler(r),
        lambda c, r: linalg.convolution_matrix(c, 6, "same") @ linalg.convolution_matrix(r, 4),
        lambda c, r: linalg.convolution_matrix(r, 5, "valid") * linalg.convolution_matrix(r, 1),
        lambda c, r: linalg.khatri_rao(c[:, None], r[:, None]),
        lambda c, r: linalg.block_diag(c, np.outer(r, c), 2.0, r),
        lambda c, r: linalg.solve_toeplitz((c, c * c), c) + linalg.solve_toeplitz(c, c),
        lambda c, r: linalg.matmul_toeplitz((c, r), r),
        lambda c, r: linalg.solve_circulant(r, np.outer(r, c)) @ linalg.solve_circulant(c, c),
        lambda c, r: linalg.solve_circulant(np.outer(c, r), r, caxis=1, baxis=-1, outaxis=0),
    ],
)
def test_matrices_made_of_few_numbers(function: Callable[..., Any]):
    check(function, LINE, 2.0 * LINE[:3], wrt=(0, 1))


def test_factors_that_multiply_and_matrices_that_are_balanced():
    wide = A * np.array([[1.0, 1e-3, 30.0]]) * np.array([[1.0], [5e2], [1e-2]])
    check(lambda a, b: linalg.qr_multiply(a, b.T)[0] ** 2, A, B, wrt=(0, 1))
    check(lambda a: linalg.qr_multiply(a[:, :2], B[0, :2], "left", True)[1], A, wrt=(0,))
    check(lambda a: linalg.matrix_balance(a)[0], wide, wrt=(0,))
    check(lambda a: linalg.expm_cond(a), A, wrt=(0,))
    with pytest.raises(sd.UnsupportedCallError, match="overwrite_c"):
        sd.grad(lambda a: np.sum(linalg.qr_multiply(a, A, overwrite_c=True)[0]))(A)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, u, v: linalg.qr_update(*linalg.qr(a), u, v[:2]),
        lambda a, u, v: linalg.qr_update(a @ a.T, a * u[:, None], u, v[:2]),
        lambda a, u, v: linalg.qr_update(
            a @ a.T, u[:, None] * np.tile(v, (3, 2)), v, np.tile(u, 2)
        ),
        lambda a, u, v: linalg.qr_update(*linalg.qr(a, mode="economic"), u, v[:2]),
        lambda a, u, v: linalg.qr_update(
            *linalg.qr(a, mode="economic"), a @ v[:2] + 0.1 * u, u[:2]
        ),
        lambda a, u, v: linalg.qr_delete(a @ a.T, a * u[:, None], -1),
        lambda a, u, v: linalg.qr_delete(np.outer(u, v), np.outer(v, np.tile(u, 2)), 1),
        lambda a, u, v: linalg.qr_insert(np.outer(u, v), a * v[:, None], u[:2], 1),
        lambda a, u, v: linalg.qr_insert(
            np.outer(u, v), np.outer(u, np.tile(v, 2)), np.tile(u, 2), 3
        ),
    ],
)
def test_factors_of_a_matrix_that_changes(function: Callable[..., Any]):
    """Also of matrices that are no factors: what SciPy makes of them is differentiated."""
    check(function, A[:, :2], LINE[:3], 2.0 * LINE[1:], wrt=(0, 1, 2))


def drawn(*shapes: tuple[int, int]) -> list[Any]:
    return [np.random.default_rng(3 + k).normal(size=shape) for k, shape in enumerate(shapes)]


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (linalg.qr_update, drawn((4, 4), (4, 2), (4, 2), (2, 2))),
        (linalg.qr_update, drawn((5, 5), (5, 3), (5, 2), (3, 2))),
        (linalg.qr_update, drawn((2, 2), (2, 4), (2, 2), (4, 2))),
        (linalg.qr_update, drawn((5, 5), (5, 2), (5, 1), (2, 1))),
        (lambda q, r: linalg.qr_delete(q, r, 1, 2), drawn((4, 4), (4, 2))),
        (lambda q, r: linalg.qr_delete(q, r, -3, 3), drawn((5, 5), (5, 2))),
        (lambda q, r, u: linalg.qr_insert(q, r, u, 1), drawn((3, 3), (3, 2), (2, 2))),
        (lambda q, r, u: linalg.qr_insert(q, r, u, -1), drawn((2, 2), (2, 5), (2, 5))),
        (lambda q, r, u: linalg.qr_insert(q, r, u, 2), drawn((2, 2), (2, 2), (1, 2))),
    ],
)
def test_factors_of_a_matrix_of_which_several_rows_change(function: Any, given: list[Any]):
    calls.check(function, *given, wrt=range(len(given)), step=0.002)


def test_rows_that_do_not_fit_are_refused_as_by_scipy():
    q, r = linalg.qr(A)
    with pytest.raises(ValueError, match=r"Found \(2, 2\)"):
        sd.grad(lambda u: np.sum(linalg.qr_insert(q, r, u, 0)[1]))(A[:2, :2])
    with pytest.raises(ValueError, match="'k' is out of bounds"):
        sd.grad(lambda u: np.sum(linalg.qr_insert(q, r, u, 4)[1]))(A[:2])
    with pytest.raises(ValueError, match="'p' is out of range"):
        sd.grad(lambda r: np.sum(linalg.qr_delete(q, r, 2, 2)[1]))(r)


@pytest.mark.parametrize(
    ("u", "v", "words"),
    [
        (A[:, :1], B[:2, 0], "the same number of dimensions"),
        (A[:, :1], np.ones((2, 2)), "Second dimension of u and v"),
        (A[:2, :1], np.ones((2, 1)), "u.shape.0. must equal Q"),
        (A[:, 0], np.ones(1), "v.shape.0. must equal R"),
    ],
)
def test_updates_that_do_not_fit_are_refused_as_by_scipy(u: Any, v: Any, words: str):
    q, r = linalg.qr(A[:, :2])
    for call in (
        linalg.qr_update,
        sd.grad(lambda q, r, u, v: np.sum(linalg.qr_update(q, r, u, v)[1]), 2),
    ):
        with pytest.raises(ValueError, match=words):
            call(q, r, u, v)


def test_nothing_turns_where_all_below_is_zero():
    q, r, u = np.eye(3), np.triu(A)[:, :2], np.array([1.0, 0.0, 0.0])
    slopes = sd.jacobian(lambda v: linalg.qr_update(q, r, u, v)[1])(LINE[:2])
    np.testing.assert_array_equal(slopes[0], np.eye(2))
    np.testing.assert_array_equal(slopes[1:], 0.0)


@pytest.mark.parametrize("column", [np.zeros(3), np.linalg.qr(A)[0][:, 0]])
def test_what_turns_next_to_nothing_has_no_derivative(column: Any):
    """Rotations of rounding errors say nothing of how the factors change."""
    q, r = np.linalg.qr(A[:, :2], mode="complete")

    def corner(u: Any) -> Any:
        return np.sum(linalg.qr_update(q, r, u, LINE[:2])[1])

    assert np.all(np.isnan(sd.grad(corner)(column)))
    assert np.all(np.isnan(sd.jvp(corner, (column,), (np.ones(3),))[1]))


def test_matrices_by_some_of_their_columns():
    order = np.array([3, 0, 4, 1, 2])
    check(interpolative.reconstruct_matrix_from_id, A[:, :2], order, B.T, wrt=(0, 2))
    check(lambda a: interpolative.reconstruct_skel_matrix(a, 2, np.array([2, 0, 1])), A, wrt=(0,))
    check(lambda b, p: interpolative.id_to_svd(b, order, p), A[:, :2], B.T, wrt=(0, 1))


def test_matrices_of_which_samples_are_drawn():
    near = A @ np.diag([1.0, 0.5, 1e-6]) @ A.T  # of rank two, nearly
    check(lambda a: interpolative.interp_decomp(a, 2, rng=1)[1], near, wrt=(0,))
    check(lambda a: interpolative.interp_decomp(a, 1e-3, rand=False)[2], near, wrt=(0,))
    check(lambda a: interpolative.svd(a, 2, rng=1), near, wrt=(0,))
    check(lambda a: interpolative.svd(a, 1e-3)[1], near, wrt=(0,))
    check(lambda a: interpolative.estimate_spectral_norm(a, 200, 1), near, wrt=(0,))
    slopes = sd.grad(lambda a: interpolative.estimate_spectral_norm(a, 1, 1))(A)
    assert np.all(np.isnan(slopes))  # no singular value yet
    with pytest.raises(sd.UnsupportedCallError, match="give a seed"):
        sd.grad(lambda a: interpolative.estimate_spectral_norm(a, rng=np.random.default_rng(1)))(A)


def test_complex_matrices():
    def parts(x: Any) -> Any:
        a, b = x[:3] + 1j * x[3:], x[3:]
        rows = linalg.lu_factor(a)[0] + linalg.lu_solve(linalg.lu_factor(a), b, trans=2)
        band = a + np.array([[0.0], [6.0], [0.0]])
        rows = rows + linalg.solve_banded((1, 1), band, b)
        rows = rows + linalg.solveh_banded(band[1:], b, lower=True)
        rows = rows + linalg.solve(a, b, assume_a="her") + linalg.solve(a, b, assume_a="sym")
        return np.stack([rows.real, rows.imag])

    check(parts, np.concatenate([A, A - 0.7 * A.T]), wrt=(0,))


def test_what_is_not_taken_is_refused():
    with pytest.raises(sd.UnsupportedCallError, match="gelsy"):
        sd.grad(lambda a: np.sum(linalg.lstsq(a, B, lapack_driver="gelsy")[0]))(A)
    with pytest.raises(sd.UnsupportedCallError, match=r"scipy.linalg.pinv in this form: atol="):
        sd.grad(lambda a: np.sum(linalg.pinv(a, atol=1.0)))(A)
    with pytest.raises(sd.UnsupportedCallError, match="assume_a='diagonal'"):
        sd.grad(lambda a: np.sum(linalg.inv(a, assume_a="diagonal")))(A)
    with pytest.raises(sd.UnsupportedCallError, match="several updates"):
        sd.grad(lambda a: np.sum(linalg.qr_update(a[:, :2], a[:2], a, a)[0]))(A)
    with pytest.raises(sd.UnsupportedCallError, match="economic"):
        sd.grad(lambda a: np.sum(linalg.qr_delete(a[:, :2], a[:2], 0, 1)[0]))(A)
    with pytest.raises(sd.UnsupportedCallError, match="columns"):
        sd.grad(lambda a: np.sum(linalg.qr_insert(a, a, a[0], 0, "col")[0]))(A)
    with pytest.raises(sd.UnsupportedCallError, match="stacks"):
        sd.grad(lambda a: np.sum(linalg.cho_solve((a, False), B)))(np.stack([A, A]))


def test_a_solution_is_scipys_and_is_computed_once():
    text = sd.value_and_grad(lambda a, b: np.sum(linalg.solve(a, b)), (0, 1)).source(A, B)
    assert text.count("scipy.linalg.solve(") == 1
    assert text.count("np.linalg.solve(") == 1  # that of the pullback


def test_what_scipy_raises_is_raised_where_no_value_is_wanted():
    for loss in (linalg.det, lambda a: np.sum(linalg.solve(a, B))):
        with pytest.raises(ValueError, match="infs or NaNs"):
            sd.grad(loss)(np.full((3, 3), np.nan))


def test_a_factor_is_scipys_with_what_is_said_of_it():
    def solved(a: Any, b: Any) -> Any:
        factor, lower = linalg.cho_factor(a @ a.T)
        return np.sum(np.triu(factor)) if lower else linalg.cho_solve((factor, lower), b)

    plain = sd.differentiable(solved)
    assert same(plain(A, B), solved(A, B))
    assert "scipy.linalg.cho_factor(" in plain.source(A, B)
    value, _ = sd.vjp(solved, A, B)
    assert same(value, solved(A, B))


def test_determinants_of_a_stack():
    stack = np.stack([A, A @ A])
    found = sd.grad(lambda a: np.sum(linalg.det(a)))(stack)
    expected = [np.linalg.det(one) * np.linalg.inv(one).T for one in stack]
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    assert sd.value_and_grad(lambda a: linalg.det(a)[1])(stack)[0] == linalg.det(stack)[1]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda a: linalg.signm(a - 2.7 * np.eye(3)), (A,)),
        (lambda a: linalg.fractional_matrix_power(a - 2.7 * np.eye(3), -3), (A,)),
        (lambda a, b: linalg.subspace_angles(a[:, :2], b[:, :1]), (A, B)),
        (lambda a, b: linalg.subspace_angles(a[:, :1], a[:, :1] + 0.1 * b[:, :1]), (A, B)),
        (lambda band: linalg.cholesky_banded(band), (BAND[:2],)),
        (lambda band: linalg.cholesky_banded(band, lower=True), (BAND[1:],)),
    ],
)
def test_signs_angles_and_bands(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


@pytest.mark.parametrize("angle", [0.3, 1.2, np.pi / 2 - 1e-6])
def test_angles_of_which_some_are_small(angle: float):
    """The larger of two angles is the argument, and the other one 0.1 of it."""
    fixed = np.eye(4)[:, :2]

    def largest(angle: Any):
        turned = np.array(
            [
                [np.cos(angle), 0.0],
                [0.0, np.cos(0.1 * angle)],
                [np.sin(angle), 0.0],
                [0.0, np.sin(0.1 * angle)],
            ]
        )
        return linalg.subspace_angles(turned, fixed)

    expected = np.array([1.0, 0.1])
    np.testing.assert_allclose(sd.jacobian(largest)(angle), expected, rtol=1e-9)
    np.testing.assert_allclose(sd.jvp(largest, (angle,), (1.0,))[1], expected, rtol=1e-9)


def test_right_angles_have_one_slope_in_both_modes():
    a, t, fixed = np.eye(4)[:, [0, 2]], A[0, 0] + np.arange(8.0).reshape(4, 2), np.eye(4)[:, :2]
    slopes = sd.grad(lambda a: linalg.subspace_angles(a, fixed)[0])(a)
    along = sd.jvp(lambda a: linalg.subspace_angles(a, fixed)[0], (a,), (t,))[1]
    assert np.sum(slopes * t) == pytest.approx(along)
