"""Random graphs: emitted programs compute what the evaluator does, bit for bit, on fresh arrays."""

from __future__ import annotations

import pytest

from tests.emit.graphs import check
from tests.ir.random_graphs import random_graph

BATCH = 20


@pytest.mark.parametrize("derived", [False, True])
@pytest.mark.parametrize("batch", range(6))
def test_random_graphs_compute_what_the_evaluator_computes(batch: int, derived: bool) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        graph, arguments = random_graph(seed, derived=derived)
        check(graph, *arguments)


@pytest.mark.parametrize("seed", range(1000, 1006))
def test_large_random_graphs(seed: int) -> None:
    graph, arguments = random_graph(seed, 120)
    check(graph, *arguments)
