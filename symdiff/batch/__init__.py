"""Batching: a graph and which of its values have *lanes* enter, the same for all lanes leaves.

The first axis of a value with lanes is the batch's. Each op has a rule beside its declaration
(``ops.batching``): reductions and shapes shift their axes, an index gets a slice in front, products
and decompositions take stacks. What has no rule runs once a lane, in a loop. What is made is a
graph over the same ops, so that it can be differentiated, and batched again.

    %3 = sum(%1, axis=(0,))        of %1: float64[n]       becomes
    %7 = sum(%5, axis=(1,))        of %5: float64[batch,n]
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence

from symdiff.batch.batcher import Batcher, Known
from symdiff.batch.lanes import Unbatchable, moved, with_lanes
from symdiff.batch.rows import rows_at_once
from symdiff.batch.spread import complexes, disguised, spread_from
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.called import called_by
from symdiff.ir.graph import Block, Graph, Value, uses, walk_nodes
from symdiff.ir.record import note
from symdiff.ir.types import ArrayType, Dim, Size, in_words
from symdiff.ops.batching import NoBatchRule
from symdiff.ops.partial import partial_values

__all__ = ["batched", "moved", "rows_at_once", "with_lanes"]


def batched(
    graph: Graph,
    arguments: Sequence[Value],
    has: Sequence[bool],
    count: Value | int,
    dim: Dim,
) -> list[tuple[Value, bool]]:
    """The results of a graph for ``count`` lanes, built into the current builder, each with whether
    it has lanes.

    :param arguments: for each parameter a value, with lanes where ``has`` says so.
    """
    block = graph.block
    sources = [p for p, one in zip(block.parameters, has, strict=True) if one]
    new = dict(zip(block.parameters, arguments, strict=True))
    lengths = _lengths(graph, arguments, has)
    spread, partial = spread_from(block, sources), partial_values(block, graph.partial)
    known = Known(spread, uses(block), lengths, disguised(block), complexes(block), partial)
    if not _has_effects(graph):
        made = _by_rules(block, Batcher(known, count, dim, ChainMap({}, new), empty=dim == 0))
        if made is not None:
            return made
    return _one_by_one(graph, Batcher(known, count, dim, new))


def _by_rules(block: Block, batcher: Batcher) -> list[tuple[Value, bool]] | None:
    """The results by the rules of ops; None where something has no rule that can have no lanes."""
    with building(Builder([], builder().span)) as made:
        try:
            batcher.copy(block.nodes)
        except (NoBatchRule, Unbatchable):
            return None
    builder().nodes.extend(made.nodes)
    return [(batcher.at(value), value in batcher.lanes) for value in block.results]


def _one_by_one(graph: Graph, batcher: Batcher) -> list[tuple[Value, bool]]:
    """The results of a loop that runs the whole graph once a lane, its effects in their order."""
    block = graph.block
    note("looped", line=graph.span.line if graph.span else None, what="the whole function")
    defined = {value for node in block.nodes for value in node.results}
    wanted = list(dict.fromkeys(value for value in block.results if value in defined))
    for value in wanted:
        if not isinstance(value.type, ArrayType):
            raise UnsupportedCallError(
                f"vmap cannot stack what {graph.name} returns: {in_words(value.type)}",
                graph.span,
                "return arrays or numbers, in containers of known length",
            )
    run = Block((), block.nodes, ())
    try:
        stacks = dict(zip(wanted, batcher.looped(run, wanted), strict=True))
    except (NoBatchRule, Unbatchable):
        raise UnsupportedCallError(
            f"vmap of {graph.name}: the sizes of its results are not known for an empty batch",
            graph.span,
            "pass a batch of at least one",
        ) from None
    return [
        (stacks[v], True) if v in stacks else (batcher.at(v), v in batcher.lanes)
        for v in block.results
    ]


def _lengths(
    graph: Graph, arguments: Sequence[Value], has: Sequence[bool]
) -> dict[str, tuple[Value, int, int]]:
    """Where the sizes of a graph's parameters are found: value, axis and offset, by symbol."""
    found: dict[str, tuple[Value, int, int]] = {}
    for old, new, lanes in zip(graph.block.parameters, arguments, has, strict=True):
        shape = old.type.shape if isinstance(old.type, ArrayType) else ()
        for axis, dim in enumerate(shape):
            if isinstance(dim, Size) and (
                dim.symbol not in found or dim.offset < found[dim.symbol][2]
            ):
                found[dim.symbol] = new, axis + lanes, dim.offset
    return found


def _has_effects(graph: Graph) -> bool:
    graphs = [graph, *called_by(graph)]
    return any(node.op.effect for one in graphs for node in walk_nodes(one.block))
