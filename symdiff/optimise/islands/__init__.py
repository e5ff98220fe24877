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
from symdiff.ir.called import with_called
from symdiff.ir.graph import Block, Graph, Value, uses
from symdiff.ir.record import note
from symdiff.optimise.dead_code import eliminate_dead_code
from symdiff.optimise.islands.identities import KINDS
from symdiff.optimise.islands.search import Replacement, Search, last
from symdiff.optimise.rewriting import Table, rewrite

__all__ = ["KINDS", "Replacement", "simplify_islands"]


def simplify_islands(graph: Graph, kinds: Sequence[str]) -> tuple[Graph, tuple[Replacement, ...]]:
    """The graph with its islands simplified, those of graphs that it calls too, and the record.

    :param kinds: of ``KINDS``; the graph itself where there are none.
    """
    if not kinds:
        return graph, ()
    chosen = [kind for kind in KINDS if kind in kinds]
    found: list[Replacement] = []
    made = with_called(graph, lambda one: _simplified(one, chosen, found))
    for one in found:
        note("simplified", **asdict(one))
    return made, tuple(found)


def _simplified(graph: Graph, kinds: Sequence[str], found: list[Replacement]) -> Graph:
    """A graph without what it calls; ``found`` gets the record."""
    block = copy_block(graph.block, {})
    search = Search(kinds, uses(block))
    _visit(block, search, {})
    found += search.found
    return eliminate_dead_code(rewrite(with_block(graph, block), Table({}), common=True))


def _visit(block: Block, search: Search, replaced: dict[Value, Value]) -> None:
    """A block after the blocks in it have been led to what is taken before them."""
    pending = [block]
    while pending:
        one = pending.pop()
        search.block(one, replaced)
        one.results = tuple(last(v, replaced) for v in one.results)
        for node in reversed(one.nodes):
            pending.extend(reversed(node.blocks))
