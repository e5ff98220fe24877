"""Columns of ``astropy.table`` that functions read, against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

table = pytest.importorskip("astropy.table")

T = table.Table({"a": [1.5, 2.5, 3.5], "b": ["x", "y", "z"], "c": [1, 2, 3]})
T["a"].unit = "m"
X = np.array([0.3, 0.7, 1.1])


def elementwise(x):
    one = np.sin(T["a"] * x) ** 2 - x / T["c"] + 2 ** x[0] * abs(-T["a"])
    two = T["a"] + X - T["c"] * 1.0
    return one.value * two.value, np.sum(np.exp(-((T["a"] - x[0]) ** 2)) * x)


def reduced(x):
    means = T["a"].mean() + np.std(T["a"]) + np.median(T["a"]) + T["a"].max()
    return means * x, np.dot(T["a"], x), np.interp(x, T["c"], T["a"]), np.asarray(T["a"]) @ x


def by_rows(x):
    total = sum(row["a"] * x[0] * row["c"] for row in T) + T[1].get("a", 0.0) * x[1]
    total = total + T[1].get("missing", x[2]) * len(T) + T.colnames.index("c") * x[0]
    return total + sum(v * x[1] for v in T["a"])


def selected(x):
    tail = T["a"][1:] * x[0] + T["a"][[0, 2]]
    return np.sum(T["a"][T["c"] > 1] * x[1]) + tail.sum() * x[2] + T["a"][-1] * x[0] ** 2


def of_quantities(x):
    return (T["a"].quantity * x).to("cm").value, T["a"].to("km").value * x


def broadcast(x):
    return T["a"] * np.outer(x, x)


FUNCTIONS = [elementwise, reduced, by_rows, selected, of_quantities, broadcast]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_of_columns(function: Any) -> None:
    check(function, X)


def test_what_is_in_a_column_is_read_at_each_call() -> None:
    own = table.Table({"a": np.array([1.0, 2.0])})
    gradient = sd.grad(lambda x: np.sum(own["a"] * x) + own["a"][0] * x)
    assert gradient(1.0) == 4.0
    own["a"][0] = 5.0
    assert gradient(1.0) == 12.0
    own["a"] = np.array([1.0, 2.0, 4.0])[:2].astype(np.float32)
    assert gradient(1.0) == 4.0
    own["a"] = [7, 8]
    assert gradient(1.0) == 22.0


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: T["a"] * x, "the function returns a Column"),
        (lambda x: np.sum(np.cumsum(T["a"]) * x), "Column"),
        (lambda x: T["a"].info.name and x, "the attribute info of a Column"),
        (lambda x: np.sum(T["a"] * (T["a"].quantity * x)), "Column with a Quantity"),
    ],
)
def test_what_is_not_known_of_them_is_refused(function: Any, told: str) -> None:
    with pytest.raises(sd.SymdiffError, match=told):
        sd.jacobian(function)(1.3)
