"""Values of a table that structure depends on are fixed together, and only those that are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff import pipeline
from symdiff.ir.graph import FreeVariable
from symdiff.runtime.siblings import siblings


class Group:
    """An item of a table."""

    __slots__ = ("kind", "size")

    def __init__(self, kind: int, size: float) -> None:
        self.kind, self.size = kind, size


class Odd:
    """What runs the user's code where an attribute is read."""

    def __init__(self, kind: int) -> None:
        self.held = kind

    @property
    def kind(self) -> int:
        raise AssertionError("this is run while compiling")


TABLE = {k: Group(k % 3, 0.5 + 0.1 * k) for k in range(12)}
MIXED: dict[int, Any] = {**{k: Group(k % 3, 0.5) for k in range(4)}, 4: Odd(1)}
COUNTS = [2, 0, 1, 2]
AMOUNTS = {0: {1: 0.5, 2: 0.3}, 1: {0: 1.5}, 2: {0: 2.5, 1: 0.1}}


def of_groups(x: float) -> float:
    """What is in a dict by values of objects of another one."""
    total = 0.0
    for k in (1, 2, 4, 5, 7):
        for amount in AMOUNTS[TABLE[k].kind].values():
            total = total + amount * x ** TABLE[k].size
    return total


def of_the_same_groups(x: float) -> float:
    return sum(x ** TABLE[k].kind for k in (1, 2, 4, 5, 7) if AMOUNTS[TABLE[k].kind])


def of_mixed(x: float) -> float:
    return sum(AMOUNTS[MIXED[k].kind][0] * x**k for k in (1, 2, 1))


def that_writes(x: float) -> float:
    """One of the numbers that are like those asked for is changed at each call."""
    total = 0.0
    for k in range(3):
        total = total + AMOUNTS[COUNTS[k]].get(0, 0.7) * x ** (k + 1)
    COUNTS[3] += 1
    return total


def slope(function: Callable[[float], float], x: float) -> float:
    h = 1e-20
    return complex(function(x + h * 1j)).imag / h  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [of_groups, of_mixed])
def test_derivatives_are_right(function: Callable[[float], float]) -> None:
    np.testing.assert_allclose(sd.grad(function)(1.3), slope(function, 1.3), rtol=1e-13)
    jvp = sd.jvp(function, (1.3,), (1.0,))
    np.testing.assert_allclose(jvp, (function(1.3), slope(function, 1.3)), rtol=1e-13)


def test_those_that_a_loop_reads_are_known_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count, original = [0], pipeline.stage

    def counted(*arguments: Any) -> Any:
        count[0] += 1
        return original(*arguments)

    monkeypatch.setattr(pipeline, "stage", counted)
    fresh = sd.differentiable(of_the_same_groups)
    fresh.grad(1.3)
    assert count[0] == 1  # each is fixed where the loop reads it first
    (signature,) = fresh.grad.signatures()
    assert "TABLE[7].kind" in str(signature) or "TABLE_7" in str(signature)
    assert "TABLE[8]" not in str(signature)
    monkeypatch.setattr(TABLE[7], "kind", 2)
    np.testing.assert_allclose(
        fresh.grad(1.3), slope(of_the_same_groups, 1.3), rtol=1e-13, err_msg="compiled anew"
    )


def test_what_is_written_is_not_fixed() -> None:
    f = sd.differentiable(that_writes)
    for _ in range(3):
        before = list(COUNTS)
        found = f.grad(1.3)
        assert [*before[:3], before[3] + 1] == COUNTS
        want = 2.5 + 2 * 0.7 * 1.3 + 3 * 1.5 * 1.3**2
        np.testing.assert_allclose(found, want, rtol=1e-13)
    assert len(f.grad.signatures()) == 1


def test_siblings_differ_in_one_key_and_are_of_one_type() -> None:
    table = FreeVariable("global", globals(), "TABLE")
    found = siblings((table, 3, "kind"), [(table, 5, "kind")])
    assert found == {(table, k, "kind"): k % 3 for k in range(12)}
    assert siblings((table, 3, "kind"), [(table, 3, "size")]) == {}
    assert not siblings((table, 3, "size"), [(table, 5, "size")])
    assert not siblings((table, 3, "kind"), [])
    mixed = FreeVariable("global", globals(), "MIXED")
    assert set(siblings((mixed, 3, "kind"), [(mixed, 2, "kind")])) == {
        (mixed, k, "kind") for k in range(4)
    }
