"""Numbers that a loop moves from name to name are carried at once, and as what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import walk_nodes
from symdiff.parse.trials import LoopStager
from symdiff.pipeline import staged_at
from symdiff.runtime.signature import signature_of
from tests import reference
from tests.parse.following import follows


def secants(x: Any, n: int) -> Any:
    p0, p1, p2, p3 = 1.0 * x, None, None, None
    y = 0.0
    for _ in range(n):
        if p3 is not None and p3 == p0:
            return p0
        y = p0 * p0 - 2.0 * x if p1 is None else (p0 - p1) * x
        p = p0 - y / (2.0 * p0) if p2 is None else p0 - 0.3 * y + 0.1 * p2
        p0, p1, p2, p3 = p, p0, p1, p2
    return p0 + y


def steps_of_three(x: Any, n: int) -> Any:
    """Adams and Bashforth's, of the third order."""
    last = before = 0
    y = x
    for _ in range(n):
        slope = np.sin(y) - 0.1 * y
        y = y + 0.1 * (23.0 * slope - 16.0 * last + 5.0 * before) / 12.0
        before = last
        last = slope
    return y


def swapped(x: Any, n: int) -> Any:
    k, y, z = 1, x, 0.5
    for _ in range(n):
        k, y, z = y, z * k, k
    return k * y + z


def sometimes(x: Any, n: int) -> Any:
    y, last, best = x, None, None
    for i in range(n):
        last = y
        if i % 2:
            best = last
        y = np.cos(y) * x
    return y if best is None else y * best + last


def never(x: Any, n: int) -> Any:
    y, last = None, None
    for i in range(n):
        if x is None:
            last = y
        y = x * i if y is None else np.sin(y) + x
    return 0.3 * x if y is None else y if last is None else y * last


FUNCTIONS = [secants, steps_of_three, swapped, sometimes, never]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_is_moved_has_the_values_and_slopes_of_the_function(f: Any) -> None:
    follows(f, *[(x, n) for x in (0.7, 1.3) for n in (0, 1, 2, 3, 6)])
    for n in (0, 1, 2, 6):
        expected = reference.richardson_gradient(f, (0.7, n)).value
        assert sd.grad(f)(0.7, n) == pytest.approx(expected, 1e-8)
        second = reference.richardson_gradient(lambda x, n: sd.grad(f)(x, n), (0.7, n))
        assert sd.grad(sd.grad(f))(0.7, n) == pytest.approx(second.value, 1e-6, 1e-8)


def carried(f: Any) -> int:
    made, _ = staged_at(f, signature_of(["x", "n"], (0.7, 3)), (0.7, 3))
    (found,) = [node for node in walk_nodes(made.graph.block) if node.op is loop]
    return len(LoopView(found).carries)


def test_a_name_that_no_turn_moves_is_not_carried() -> None:
    def without(x: Any, n: int) -> Any:
        y = None
        for i in range(n):
            y = x * i if y is None else np.sin(y) + x
        return 0.3 * x if y is None else y

    assert carried(never) == carried(without)


def test_a_chain_of_moves_takes_no_more_trials_than_one(monkeypatch: Any) -> None:
    def one(x: Any, n: int) -> Any:
        p0, p1 = x, 0.0
        for _ in range(n):
            p0, p1 = np.sin(p0) + 0.1 * p1, p0
        return p0

    def chain(x: Any, n: int) -> Any:
        p0, p1, p2, p3, p4, p5 = x, 0.0, 0.0, 0.0, 0.0, 0.0
        for _ in range(n):
            p0, p1, p2, p3, p4, p5 = np.sin(p0) + 0.1 * p5, p0, p1, p2, p3, p4
        return p0

    counts: list[int] = []
    trial = LoopStager._trial

    def counted(self: LoopStager) -> Any:
        counts[-1] += 1
        return trial(self)

    monkeypatch.setattr(LoopStager, "_trial", counted)
    for f in (one, chain):
        counts.append(0)
        carried(f)
    assert counts[0] == counts[1]
