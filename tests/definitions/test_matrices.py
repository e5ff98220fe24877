"""Matrices of ``scipy.linalg``, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

linalg = pytest.importorskip("scipy.linalg")

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


def test_what_is_not_taken_is_refused():
    with pytest.raises(sd.UnsupportedCallError, match="assume_a='pos'"):
        sd.grad(lambda a: np.sum(linalg.solve(a, B, assume_a="pos")))(A)
    with pytest.raises(sd.UnsupportedCallError, match="stacks"):
        sd.grad(lambda a: np.sum(linalg.inv(a)))(np.stack([A, A]))


def test_a_solution_is_scipys_and_is_computed_once():
    text = sd.value_and_grad(lambda a, b: np.sum(linalg.solve(a, b)), (0, 1)).source(A, B)
    assert text.count("scipy.linalg.solve(") == 1
    assert text.count("np.linalg.solve(") == 1  # that of the pullback


def test_what_scipy_raises_is_raised_where_no_value_is_wanted():
    for loss in (linalg.det, lambda a: np.sum(linalg.solve(a, B))):
        with pytest.raises(ValueError, match="infs or NaNs"):
            sd.grad(loss)(np.full((3, 3), np.nan))
