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
from typing import TYPE_CHECKING

from symdiff.ir.called import with_called
from symdiff.ir.graph import Graph
from symdiff.ir.record import note
from symdiff.optimise.islands.identities import KINDS

if TYPE_CHECKING:
    from symdiff.optimise.islands.search import Replacement

__all__ = ["KINDS", "simplify_islands"]


def simplify_islands(graph: Graph, kinds: Sequence[str]) -> tuple[Graph, tuple[Replacement, ...]]:
    """The graph with its islands simplified, those of graphs that it calls too, and the record.

    :param kinds: of ``KINDS``; the graph itself where there are none.
    """
    if not kinds:
        return graph, ()
    from symdiff.optimise.islands.search import simplified  # for those who ask for it

    chosen = [kind for kind in KINDS if kind in kinds]
    found: list[Replacement] = []
    made = with_called(graph, lambda one: simplified(one, chosen, found))
    for one in found:
        note("simplified", **asdict(one))
    return made, tuple(found)
