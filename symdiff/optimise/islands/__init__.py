"""Islands: maximal elementwise parts of a graph, simplified with SymPy where the user asks for it.

    Graph, kinds ─simplify_islands─▶ Graph, what was replaced by what and why not

A form stands for another only if it costs less by a table measured on NumPy (``costs``; the forms
of ``"stable"`` have to be more accurate instead), comes from identities of real numbers that hold
for NaN and infinities too (``identities``), agrees with the original on sampled points
(``agreement``), and is found within a budget that counts operations (``search``). Otherwise the
original stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from symdiff.ir.build import copy_block, with_block
from symdiff.ir.graph import Block, Graph, Value, uses
from symdiff.ir.record import note
from symdiff.optimise.dead_code import eliminate_dead_code
from symdiff.optimise.islands.identities import KINDS
from symdiff.optimise.islands.search import Replacement, Search, last

__all__ = ["KINDS", "Replacement", "simplify_islands"]


def simplify_islands(graph: Graph, kinds: Sequence[str]) -> tuple[Graph, tuple[Replacement, ...]]:
    """The graph with its islands simplified, and the record of it.

    :param kinds: of ``KINDS``; the graph itself where there are none.
    """
    if not kinds:
        return graph, ()
    chosen = [kind for kind in KINDS if kind in kinds]
    mapped: dict[Value, Value] = {}
    block = copy_block(graph.block, mapped)
    search = Search(chosen, uses(block))
    replaced: dict[Value, Value] = {}
    _visit(block, search, replaced)
    made = with_block(graph, block)
    for one in search.found:
        note("simplified", **asdict(one))
    return eliminate_dead_code(made), tuple(search.found)


def _visit(block: Block, search: Search, replaced: dict[Value, Value]) -> None:
    """A block after the blocks in it have been led to what is taken before them."""
    pending = [block]
    while pending:
        one = pending.pop()
        search.block(one, replaced)
        one.results = tuple(last(v, replaced) for v in one.results)
        for node in reversed(one.nodes):
            pending.extend(reversed(node.blocks))
