"""Functions of matrices and decompositions of ``scipy.linalg``: values, both modes, order two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

linalg = pytest.importorskip("scipy.linalg")

A = np.array([[3.0, 0.4, -0.2], [0.1, 2.5, 0.3], [-0.6, 0.2, 2.8]])
B = np.array([[0.5, 1.0, 0.3], [-0.3, 0.8, 0.2], [1.2, 0.1, -0.4]])
APART = A + np.diag([5.0, 1.0, 0.2])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda a: linalg.expm(a), (np.stack([A, B]),)),
        (lambda a: linalg.logm(a), (A,)),
        (lambda a: linalg.sqrtm(a), (A,)),
        (lambda a, b, q: linalg.solve_sylvester(a, b, q), (A, A + B, B)),
        (lambda a: linalg.cosm(a) + linalg.sinm(a) + linalg.tanm(a), (B,)),
        (lambda a: linalg.coshm(a) + linalg.sinhm(a) + linalg.tanhm(a), (B,)),
        (lambda a, e: linalg.expm_frechet(a, e), (B, A)),
        (lambda a, q: linalg.solve_continuous_lyapunov(a, q), (A, B)),
        (lambda a, q: linalg.solve_discrete_lyapunov(a, q), (B / 3, A)),
        (lambda a, q: linalg.solve_discrete_lyapunov(a, q, method="bilinear"), (B / 3, A)),
        (lambda a: linalg.eigh(a)[1] ** 2 * linalg.eigh(a)[0], (APART,)),
        (lambda a: linalg.eigh(a, lower=False)[1] ** 2 * linalg.eigvalsh(a), (APART,)),
        (lambda a: linalg.svd(a, full_matrices=False)[0] @ linalg.svd(a)[2], (B,)),
        (lambda a: linalg.svdvals(a) * linalg.svd(a, compute_uv=False), (B,)),
        (lambda a: linalg.qr(a)[0] @ linalg.qr(a, mode="r")[0], (B[:, :2],)),
        (lambda a: linalg.qr(a, mode="economic")[0], (B[:, :2],)),
        (lambda a: np.abs(linalg.eig(a)[1][0]) * np.abs(linalg.eigvals(a)), (B + APART,)),
    ],
)
def test_real_matrices(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: linalg.expm(a / 3) + linalg.logm(a),
        lambda a, b: linalg.sqrtm(a) + linalg.solve_sylvester(a, b + 0j, a),
        lambda a, b: linalg.cosm(a / 3) + linalg.solve_continuous_lyapunov(a, b),
        lambda a, b: linalg.polar(a)[0] + linalg.qr(a)[1],
    ],
)
def test_complex_matrices(function: Callable[..., Any]):
    def parts(x: Any, y: Any) -> Any:
        made = function(x + 1j * y, y)
        return np.stack([made.real, made.imag])

    check(parts, A, B, wrt=(0, 1))


def test_the_derivative_of_a_logarithm_undoes_that_of_the_exponential():
    _, along = sd.jvp(lambda a: linalg.logm(a), (A,), (B,))
    np.testing.assert_allclose(linalg.expm_frechet(linalg.logm(A), along)[1], B, atol=1e-13)


def test_long_directions_take_no_accuracy():
    for scale in (1e-9, 1e9):
        _, along = sd.jvp(lambda a: linalg.expm(a), (B,), (scale * A,))
        expected = linalg.expm_frechet(B, A)[1]
        np.testing.assert_allclose(along / scale, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("n", [0, 1])
def test_empty_matrices_and_numbers(n: int):
    a = 1.5 * np.eye(n)
    np.testing.assert_allclose(sd.grad(lambda a: np.sum(linalg.expm(a)))(a), linalg.expm(a))
    lu = sd.grad(lambda a: np.sum(linalg.lu_factor(a)[0]))(a)
    assert lu.shape == a.shape
    np.testing.assert_array_equal(lu, np.eye(n))


def test_single_precision_stays():
    def total(a: Any) -> Any:
        made = linalg.expm(a) + linalg.sqrtm(a) + linalg.solve_sylvester(a, a, a)
        made = made + linalg.lu_factor(a)[0] + linalg.eigh(a)[0] + linalg.svd(a)[1]
        return np.sum(made + linalg.solve_banded((1, 1), a, a[0]) + linalg.qr(a)[1])

    single = sd.grad(total)(APART.astype(np.float32))
    assert single.dtype == np.float32
    double = sd.grad(total)(APART)
    np.testing.assert_allclose(single, double, rtol=2e-5, atol=2e-5 * np.max(double))


def test_what_is_not_taken_is_refused():
    cases = (
        (lambda a: linalg.eigh(a, b=A, type=2)[0], "type="),
        (lambda a: linalg.eigh(a, driver="ev")[0], "driver="),
        (lambda a: linalg.qr(a, mode="raw", pivoting=True)[0], "mode="),
        (lambda a: linalg.svd(a, lapack_driver="gesvd")[0], "lapack_driver="),
        (lambda a: linalg.sqrtm(np.stack([a, a])), "stack of matrices"),
        (lambda a: linalg.logm(a.astype(np.float32)), "double precision"),
    )
    for function, told in cases:
        with pytest.raises(sd.UnsupportedCallError, match=told):
            sd.vjp(function, A)


@pytest.mark.parametrize("verified", ["", "1"])  # the function itself does not fail
@pytest.mark.parametrize("function", [linalg.sqrtm, linalg.logm])
def test_a_root_that_is_complex_is_told(
    monkeypatch: pytest.MonkeyPatch, function: Any, verified: str
):
    monkeypatch.setenv("SYMDIFF_VERIFY", verified)
    with pytest.raises(sd.UnsupportedCallError, match="pass a complex matrix") as raised:
        sd.grad(lambda a: np.sum(function(a)))(-A)
    assert raised.value.span.file == __file__


def test_a_matrix_that_scipy_does_not_take() -> None:
    """In the other byte order it raises; so does what is made of it."""

    def function(x: Any) -> Any:
        return np.sum(linalg.expm(x))

    a = np.eye(2, dtype=">f8")
    try:
        linalg.expm(a)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            sd.grad(function)(a)
    else:
        assert np.allclose(sd.grad(function)(a), np.e * np.ones((2, 2)))
