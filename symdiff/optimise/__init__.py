"""Optimisation: named passes from graph to graph, run to a fixpoint.

A pass never changes the graph it is given; where it finds nothing to do it gives that graph back,
by which the fixpoint is known. What a pass may do to the user's own statements is exact to the bit;
statements of derivatives follow real arithmetic with strong zeros.

    fold        arithmetic of known Python numbers
    algebra     identities of elementwise ops
    factors     known factors together, reciprocals, powers
    removable   factors that are divided by as well, where both are zero
    sums        terms that occur twice, or cancel
    cancelling  sums of products that are zero whatever is summed
    contractions  sums of products, as products of matrices
    matrices    products with diagonals and outer products, halves of symmetric matrices
    normalised  what comes back through shares of a sum
    shapes      rearrangements, broadcasts and sums that cancel or meet
    sizes       lengths, read where they are known
    indexing    reads and writes of parts of arrays that meet
    common      equal nodes, made once
    control     carries that never change, branches that are known
    simplify    all of the above in one sweep
    stores      stores of derivatives that nobody reads, left out
    clears      what is cleared and added to again, stored
    branches    branches on one predicate that follow each other, made one
    motion      what does not change in a loop, before it
    dead        what nothing needs, left out
    checks      what is computed only for its shape, as a check of shapes
    collect     outer products that a loop adds up, multiplied at once behind it
    first       what a loop adds to places that hold zeros still, stored there
    windows     windows taken by arrays of places, copied from one view
    scaled      numbers with which products of matrices and vectors are multiplied, not the matrices
    regroup     factors that all terms of a sum have, multiplied once; signs that go into numbers;
                steps beside their ramps
    finish      what is better written another way once nothing more is found
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from symdiff.ir.called import callees, with_called
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ir.record import count, current, note
from symdiff.ir.verify import verify
from symdiff.optimise.algebra import ALGEBRA, GUARDS
from symdiff.optimise.branches import merge_branches
from symdiff.optimise.cancelling import CANCELLING
from symdiff.optimise.casts import FINISHING as FINISHING_CASTS
from symdiff.optimise.checks import reduce_checks
from symdiff.optimise.clears import leave_out_clears
from symdiff.optimise.collecting import collect_products
from symdiff.optimise.common_factors import COMMON_FACTORS
from symdiff.optimise.contractions import CONTRACTIONS
from symdiff.optimise.dead_code import eliminate_dead_code
from symdiff.optimise.factors import FACTORS
from symdiff.optimise.first_writes import store_first_writes
from symdiff.optimise.folding import FOLDING
from symdiff.optimise.indexing import FINISHING, INDEXING
from symdiff.optimise.keyed_lists import remember_places
from symdiff.optimise.matrices import FINISHING as FINISHING_MATRICES
from symdiff.optimise.matrices import MATRICES
from symdiff.optimise.motion import move_invariants
from symdiff.optimise.normalised import NORMALISED
from symdiff.optimise.ramps import RAMPS
from symdiff.optimise.removable import REMOVABLE
from symdiff.optimise.rewriting import Earlier, Rules, Table, rewrite
from symdiff.optimise.scaled_products import scale_products
from symdiff.optimise.shapes import ORDER, SHAPES
from symdiff.optimise.signs import SIGNS
from symdiff.optimise.sizes import SIZES
from symdiff.optimise.stores import leave_out_stores
from symdiff.optimise.sums import FINISHING as FINISHING_SUMS
from symdiff.optimise.sums import PRODUCTS, SUMS
from symdiff.optimise.windows import take_windows

__all__ = ["DEFAULT", "DIVISIBLE", "EMITTED", "PASSES", "Pass", "optimise"]

Pass = Callable[..., Graph]

_ROUNDS = 12


class _Rewriting:
    """The pass that applies tables of rules, and knows what earlier sweeps have found."""

    def __init__(self, *tables: Rules, common: bool = False, control: bool = False) -> None:
        self.table, self.common, self.control = Table(*tables), common, control

    def __call__(self, graph: Graph, earlier: Earlier | None = None) -> Graph:
        common, control = self.common, self.control
        return rewrite(graph, self.table, common=common, control=control, earlier=earlier)


PASSES: Mapping[str, Pass] = {
    "dead": eliminate_dead_code,
    "simplify": _Rewriting(
        FOLDING,
        SIZES,
        INDEXING,
        *ALGEBRA,
        REMOVABLE,
        FACTORS,
        SUMS,
        CANCELLING,
        MATRICES,
        CONTRACTIONS,
        NORMALISED,
        *SHAPES,
        ORDER,
        common=True,
        control=True,
    ),
    "branches": merge_branches,
    "motion": move_invariants,
    "stores": leave_out_stores,
    "clears": leave_out_clears,
    "checks": reduce_checks,
    "collect": collect_products,
    "first": store_first_writes,
    "windows": take_windows,
    "scaled": scale_products,
    "regroup": _Rewriting(COMMON_FACTORS, SIGNS, RAMPS),
    "products": _Rewriting(PRODUCTS),
    "guards": _Rewriting(GUARDS),
    "keyed": remember_places,
    "fold": _Rewriting(FOLDING),
    "algebra": _Rewriting(*ALGEBRA),
    "factors": _Rewriting(FACTORS),
    "removable": _Rewriting(REMOVABLE),
    "sums": _Rewriting(SUMS),
    "cancelling": _Rewriting(CANCELLING),
    "matrices": _Rewriting(MATRICES),
    "contractions": _Rewriting(CONTRACTIONS),
    "normalised": _Rewriting(NORMALISED),
    "shapes": _Rewriting(*SHAPES, ORDER),
    "sizes": _Rewriting(SIZES),
    "indexing": _Rewriting(INDEXING),
    "common": _Rewriting(common=True),
    "control": _Rewriting(control=True),
    "finish": _Rewriting(FINISHING_CASTS, FINISHING, FINISHING_SUMS, FINISHING_MATRICES),
}
DEFAULT = ("dead", "stores", "simplify", "branches", "motion", "dead")
DIVISIBLE = tuple(name for name in DEFAULT if name != "branches")
"""Passes after which a function and its derivative can still be divided."""
EMITTED = (
    "guards", "clears", "collect", "scaled", "regroup", "products", "motion", "first", "windows",
    "dead", "keyed",
)  # fmt: skip
"""Passes over what is emitted: no further derivative is taken of what they make."""
LAST = ("finish", "checks", "dead")
_IDEMPOTENT = frozenset({"dead"})


def optimise(
    graph: Graph,
    passes: Iterable[str] = DEFAULT,
    *,
    last: Iterable[str] = LAST,
    check: bool = False,
    rounds: int = _ROUNDS,
    own: bool = False,
) -> Graph:
    """The graph after passes have been run until none of them finds anything, or ``rounds`` times.

    The passes of ``last`` are run once at the end. Graphs that are called are optimised as well.
    ``check`` verifies the graph after every pass. ``own``: nobody else has nodes of the graph, so
    that the new one may be made of them.
    """
    own = own and not callees(graph)  # others may call them too
    return with_called(graph, lambda one: _Run(check, own).fixpoint(one, passes, last, rounds))


# What passes that are no tables of rules do to nodes: leave them out, or move them out of loops.
_DOES = {"dead": "left_out", "stores": "left_out", "clears": "left_out", "motion": "moved_out"}


def _note(name: str, before: Graph, after: Graph) -> None:
    """Record what a pass did that has no rules to count."""
    if current() is None or name not in _DOES or after is before:
        return
    inner = name == "motion"
    numbers = [_nodes(graph) - inner * len(graph.block.nodes) for graph in (before, after)]
    count(before.name, name, _DOES[name], numbers[0] - numbers[1])


def _nodes(graph: Graph) -> int:
    return sum(1 for _ in walk_nodes(graph.block))


class _Run:
    """Passes run over one graph; one that found nothing in it is not run on it again."""

    def __init__(self, check: bool, own: bool) -> None:
        self.check = check
        self.clean: dict[str, Graph] = {}
        self.earlier = Earlier(own)

    def fixpoint(
        self, graph: Graph, passes: Iterable[str], last: Iterable[str], rounds: int
    ) -> Graph:
        chosen = list(passes)
        for _ in range(rounds):
            before = graph
            graph = self.each(graph, chosen)
            if graph is before:
                break
        else:
            note("unsettled", graph=graph.name, rounds=rounds)
        return self.each(graph, last)

    def each(self, graph: Graph, passes: Iterable[str]) -> Graph:
        for name in passes:
            if self.clean.get(name) is not graph:
                graph = self.one(graph, name)
        return graph

    def one(self, graph: Graph, name: str) -> Graph:
        run = PASSES[name]
        if isinstance(run, _Rewriting):
            after = run(graph, self.earlier)
        elif run in (eliminate_dead_code, move_invariants):
            after = run(graph, self.earlier.own)
        else:
            after = run(graph)
        _note(name, graph, after)
        if self.check and after is not graph:
            verify(after)
        if after is graph or name in _IDEMPOTENT:
            self.clean[name] = after
        return after
