"""Groups of things that all reach each other, of random graphs, and of long chains and rings."""

from __future__ import annotations

import random
import time

import pytest

from symdiff.ir.reach import components, reached


@pytest.mark.parametrize("seed", range(20))
def test_components_are_those_that_reach_each_other(seed: int) -> None:
    draw = random.Random(seed)
    count = draw.randint(1, 12)
    following = {k: draw.sample(range(count), draw.randint(0, min(3, count))) for k in range(count)}
    found = {frozenset(group) for group in components(following)}
    far = {k: set(reached([k], following.__getitem__)) for k in following}
    expected = {frozenset(m for m in far[k] if k in far[m]) for k in following}
    assert found == expected
    assert sum(map(len, found)) == count


def test_components_of_a_ring_behind_a_long_chain_take_a_linear_time() -> None:
    count = 20_000
    following = {k: [k + 1] for k in range(2 * count - 1)} | {2 * count - 1: [count]}
    started = time.process_time()
    groups = components(following)
    assert time.process_time() - started < 3.0
    assert sorted(map(len, groups))[-2:] == [1, count]
