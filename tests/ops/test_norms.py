"""Norms of orders that are known at run time only, against differences; edges by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

linalg = pytest.importorskip("scipy.linalg")
distance = pytest.importorskip("scipy.spatial.distance")

A = np.random.default_rng(0).normal(size=(3, 4))


@pytest.mark.parametrize(
    ("norm", "order"),
    [
        (lambda x, p: np.linalg.norm(x[0], p), 2.5),
        (lambda x, p: np.linalg.norm(x[0], p), 2.0),
        (lambda x, p: np.linalg.norm(x, p, axis=1, keepdims=True), 1.3),
        (lambda x, p: linalg.norm(x[0], p), 3.0),
        (lambda x, p: distance.pdist(x, "minkowski", p=p), 3.5),
    ],
)
def test_norms_by_their_orders(norm: Any, order: float) -> None:
    check(norm, A, order, wrt=(0, 1), step=0.0005)


@pytest.mark.parametrize(
    ("norm", "order"),
    [
        (lambda x, p: np.linalg.norm(x[0], p), np.inf),
        (lambda x, p: np.linalg.norm(x[0], p), 0.0),
        (lambda x, p: linalg.norm(x, p, axis=0), -np.inf),
        (lambda x, p: np.linalg.norm(x, p), -np.inf),
        (lambda x, p: linalg.norm(x, p), 1.0),
        (lambda x, p: np.linalg.norm(x, ord=p, axis=(0, 1)), np.float64(2.0)),
    ],
)
def test_orders_that_are_numbers_of_their_own(norm: Any, order: float) -> None:
    check(norm, A, order, step=0.0005, order=1)


@pytest.mark.parametrize("order", [np.inf, -np.inf, 1.0, -1.0, 2.0, -2.0])
def test_condition_numbers_of_orders_that_are_arguments(order: float) -> None:
    check(lambda x, p: np.linalg.cond(x[:, :3], p), A, order, step=0.0005)
    by_order = sd.grad(lambda p: np.linalg.cond(A[:, :3], p))(order)
    assert by_order == 0.0
    with pytest.raises(ValueError, match="Invalid norm order for matrices"):
        sd.grad(lambda x, p: np.linalg.cond(x, p))(A[:, :3], 3.0)


def test_one_program_takes_all_orders() -> None:
    total = sd.differentiable(lambda x, p: np.linalg.norm(x, p))
    x = np.array([3.0, -4.0])
    for order, expected in ((1.0, [1.0, -1.0]), (2.0, [0.6, -0.8]), (np.inf, [0.0, -1.0])):
        np.testing.assert_allclose(total.grad(x, order), expected, atol=1e-15)
    assert len(total.grad.signatures()) == 1


def test_nothing_has_no_slope() -> None:
    by_x, by_order = sd.grad(lambda x, p: np.linalg.norm(x, p), (0, 1))(np.zeros(3), 2.5)
    np.testing.assert_array_equal(by_x, np.zeros(3))
    assert by_order == 0.0


def test_matrices_have_no_other_orders() -> None:
    with pytest.raises(ValueError, match="Invalid norm order for matrices"):
        sd.grad(lambda x, p: np.linalg.norm(x, p))(A, 2.5)
    with pytest.raises(ValueError, match="Improper number of dimensions"):
        sd.grad(lambda x, p: np.linalg.norm(x, p))(np.ones((2, 2, 2)), 2.0)
