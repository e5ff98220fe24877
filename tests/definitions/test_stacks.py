"""Functions of ``scipy.linalg`` of stacks of matrices, and other factors, by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

linalg = pytest.importorskip("scipy.linalg")
signal = pytest.importorskip("scipy.signal")
util = pytest.importorskip("scipy._lib._util")

RNG = np.random.default_rng(0)
A = RNG.normal(size=(2, 2, 3, 3)) + 3.0 * np.eye(3)
S = A + A.swapaxes(-1, -2) + 9.0 * np.eye(3)
B = RNG.normal(size=3)
WIDE = RNG.normal(size=(3, 4))


def _positive(x: Any) -> Any:
    return x @ x.swapaxes(-1, -2)


@pytest.mark.skipif(not hasattr(util, "_apply_over_batch"), reason="older: no stacks")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: linalg.solve(x, B) + linalg.solve(x, b=x[0])[..., 0],
        lambda x: linalg.solve(A, x[0]),
        lambda x: linalg.lu(x)[2],
        lambda x: linalg.qr(x[0], pivoting=True)[1],
        lambda x: linalg.solve_triangular(x, B, lower=True),
        lambda x: linalg.pinv(a=x[0]) + linalg.inv(x[0]),
        lambda x: linalg.cholesky(_positive(x), True),
        lambda x: linalg.solve_continuous_are(x[0], A[0], S[0], S[0]),
        lambda x: linalg.lstsq(x[0], B)[0],
        lambda x: linalg.solve_sylvester(x, S, A[0]),
        lambda x: linalg.svdvals(x) * linalg.eigh(_positive(x), S[0], eigvals_only=True),
    ],
)
def test_stacks(function: Any) -> None:
    check(function, A, step=0.002)


def test_stacks_of_an_open_length() -> None:
    def total(x: Any) -> Any:
        return np.sum(linalg.pinv(x[x[:, 0, 0] > 0.0]))

    x = A.reshape(4, 3, 3) * np.array([1.0, -1.0, 1.0, 1.0])[:, None, None]
    expected = np.zeros_like(x)
    for k in (0, 2, 3):
        inverse = np.linalg.inv(x[k]).T
        expected[k] = -inverse @ np.ones((3, 3)) @ inverse
    np.testing.assert_allclose(sd.grad(total)(x), expected, rtol=1e-10)
    with pytest.raises(ValueError, match="zero-size batches"):
        sd.grad(total)(-np.abs(x))


@pytest.mark.parametrize("a", [WIDE, WIDE.T.copy(), WIDE[:, :3], RNG.normal(size=(2, 5))])
def test_factors_in_other_orders(a: Any) -> None:
    check(lambda x: linalg.rq(x), a, step=0.001)
    check(lambda x: linalg.rq(x, mode="economic")[1] * linalg.rq(x, mode="r")[0, 0], a, step=0.001)
    check(lambda x: linalg.qr(x, pivoting=True)[:2], a, step=0.001)
    check(lambda x: linalg.qr(x, pivoting=True, mode="economic")[1], a, step=0.001)


def test_complex_factors() -> None:
    check(lambda x: np.abs(linalg.rq(x * (1.0 + 1j * x))[0]) ** 2, WIDE, step=0.001)


def test_some_eigenvalues_of_three_diagonals() -> None:
    given = {"select": "i", "select_range": (0, 1)}
    check(lambda x: linalg.eigvalsh_tridiagonal(x[0] ** 2, x[1, 1:], **given), WIDE, step=0.001)
    check(lambda x: linalg.eigh_tridiagonal(x[0] ** 2, x[1, 1:], **given), WIDE, step=0.001)


def test_windows_of_the_least_spread() -> None:
    check(lambda w: signal.windows.dpss(9, w), np.float64(2.1))
    check(lambda w: signal.windows.dpss(9, w, 3, return_ratios=True), np.float64(2.1))


def test_frequencies_that_are_polynomials() -> None:
    times = np.linspace(0.0, 1.0, 5)
    check(lambda c: signal.sweep_poly(times, np.poly1d(c)), np.array([0.3, 1.1, 0.7]))
    check(lambda c: np.polyval(np.polyder(np.poly1d(c)), times), np.array([0.3, 1.1, 0.7]))
