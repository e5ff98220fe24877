"""The graph as emission works on it: its own deep copy, with every store and every push a node.

Afterwards bodies of loops result in their next carries only; an element of a tape is stored by a
``push`` node that stands right behind its definition. Conditions of loops read the parameters of
the body. Nodes whose results nobody reads, and which neither raise nor have an effect, are gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdiff.buffers.checks import drop_repeated_checks
from symdiff.buffers.headers import reads_count, recover_header, turn_of
from symdiff.buffers.turns import Turns
from symdiff.ir.build import constant, copy_block, substitute
from symdiff.ir.control import LoopView, cond, in_arms, loop
from symdiff.ir.graph import Block, Graph, Node, Op, Value, uses, walk_blocks, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.types import BOOL, TapeType, Type
from symdiff.ops.facts import may_raise, number_of

_WRITES = frozenset({
    "index_set", "index_add",
    "list_push", "list_pop", "list_set", "list_add", "list_insert", "list_slice_set",
})  # fmt: skip


def _infer_push(element: Type, *index: Type) -> tuple[Type, ...]:
    return (TapeType(element),)


# Stores the element of a turn on a tape: by index where it has one, else behind the last.
push = Op("push", _infer_push, effect=True)


def is_write(node: Node) -> bool:
    """Return whether the node's first result is a new version of its first operand."""
    return node.op.name in _WRITES


def lowered(graph: Graph) -> Graph:
    """A copy of ``graph`` in the form described above."""
    block = copy_block(graph.block, {})
    _lower_block(block)
    outputs = graph.output
    made = Graph(
        graph.name, block, graph.inputs, outputs, graph.mutated, graph.docstring, graph.span
    )
    if drop_repeated_checks(block, remove_unread(block)):
        remove_unread(block)
    return made


def release(graph: Graph) -> None:
    """Take a lowered graph apart, of which all is printed.

    Nodes and their results refer to each other: apart they are freed at once, without a search for
    cycles.
    """
    for node in list(walk_nodes(graph.block)):
        node.operands = node.blocks = node.results = ()


def blocks_of(block: Block) -> list[Block]:
    """A block and all blocks nested in it, a block before its inner ones."""
    return list(walk_blocks(block))


def _lower_block(block: Block) -> None:
    loops = [node for inner in blocks_of(block) for node in inner.nodes if node.op is loop]
    new: dict[Value, Value] = {}
    turns = Turns(block)
    for node in loops:
        view = LoopView(node)
        if view.condition is not None:
            _share_parameters(view.condition, (view.index, *view.carries))
        recover_header(view, new, turns)
    new.update(_truths(block))
    _redirect(block, new)
    for node in loops:
        _lower_loop(LoopView(node))


def _truths(block: Block) -> dict[Value, Value]:
    """Results of branches that say no more than their predicate does; flags of loops stay."""
    found: dict[Value, Value] = {}
    kept = _carried(block)
    for inner in blocks_of(block):
        for node in inner.nodes:
            if node.op is cond and node.operands[0].type == BOOL and _is_bare(node):
                for result, pair in zip(node.results, _arms(node), strict=True):
                    if pair == (True, False) and result not in kept:
                        found[result] = node.operands[0]
    return found


def _carried(block: Block) -> set[Value]:
    """What turns of loops end with, through branches."""
    loops = [node for node in walk_nodes(block) if node.op is loop]
    ends = [value for node in loops for value in node.blocks[0].results]

    def of_arms(value: Value) -> tuple[Value, ...]:
        return in_arms(value) if value.node is not None and value.node.op is cond else ()

    return set(reached(ends, of_arms))


def _is_bare(node: Node) -> bool:
    """Return whether the arms of a branch compute nothing."""
    return all(inner.op is constant for block in node.blocks for inner in block.nodes)


def _arms(node: Node) -> list[tuple[object, ...]]:
    """What each result of a branch is in its arms: True, False, or None for anything else."""
    then, orelse = node.blocks
    return [
        tuple(map(_known_bool, pair)) for pair in zip(then.results, orelse.results, strict=True)
    ]


def _known_bool(value: Value) -> bool | None:
    if value.node is None or value.node.op is not constant or value.type != BOOL:
        return None
    return bool(value.node.attributes["value"])


def _redirect(block: Block, new: dict[Value, Value]) -> None:
    """Let all readers of the keys read the values instead."""
    for value in new:
        last = new[value]
        while last in new:
            last = new[last]
        new[value] = last
    if new:
        _substitute(block, new)


def _lower_loop(view: LoopView) -> None:
    index = (turn_of(view),) if view.reverse and view.pushed else ()
    pushes = [
        Node(push, (value, *index), {"tape": tape}, (), (Value(tape.type, name=tape.name),), None)
        for value, tape in zip(view.pushed, view.ys, strict=True)
    ]
    for node in pushes:
        tape, pushed = node.attributes["tape"], node.operands[0]
        if tape.name is None:
            tape.name, tape.role = pushed.name, pushed.role
        node.results[0].node = node
    body = view.body
    body.results = view.next_carries
    _place(pushes, body)


def _place(pushes: Sequence[Node], block: Block) -> None:
    """Put each push behind the definitions of what it pushes and of its place, or at the start."""
    order = {node: number for number, node in enumerate(block.nodes)}
    behind: dict[int, list[Node]] = {}
    for node in pushes:
        defined = [order[v.node] for v in node.operands if v.node is not None and v.node in order]
        behind.setdefault(max(defined, default=-1), []).append(node)
    placed = behind.get(-1, [])
    for node, number in order.items():
        placed.append(node)
        placed.extend(behind.get(number, ()))
    block.nodes[:] = placed


def _share_parameters(condition: Block, values: Sequence[Value]) -> None:
    _substitute(condition, dict(zip(condition.parameters, values, strict=True)))
    condition.parameters = ()


def _substitute(block: Block, new: Mapping[Value, Value]) -> None:
    """Let what is read everywhere in a block be the new values, in the bounds of ranges too."""
    substitute(block, new)
    for node in walk_nodes(block):
        bounds = node.attributes.get("range") if node.op is loop else None
        if bounds is not None:
            node.attributes["range"] = tuple(new.get(v, v) for v in bounds)


def readers(block: Block) -> dict[Value, int]:
    """How often each value is read; the count of a loop that runs over tapes is not."""
    counts = uses(block)
    for node in walk_nodes(block):
        if node.op is loop and not reads_count(node):
            counts[node.operands[0]] -= 1
    return counts


def remove_unread(block: Block) -> dict[Value, int]:
    """Drop nodes that only compute and whose results nobody reads, in linear time; return how often
    each value is read then.

    What a derivative computes can raise only where the primal has raised before.
    """
    counts = readers(block)
    kept_out: set[Node] = set()
    pending = list(walk_nodes(block))
    while pending:
        node = pending.pop()
        if node in kept_out or not _removable(node, counts):
            continue
        kept_out.add(node)
        for value in node.operands:
            counts[value] -= 1
            if value.node is not None and counts[value] == 0:
                pending.append(value.node)
    for inner in blocks_of(block) if kept_out else ():
        inner.nodes[:] = [node for node in inner.nodes if node not in kept_out]
    return counts


def _removable(node: Node, counts: dict[Value, int]) -> bool:
    if node.op is push:
        return not counts.get(node.attributes["tape"], 0)
    if node.op.effect or node.op in (loop, cond):
        return False
    for value in node.results:
        if counts.get(value, 0):
            return False
    primal = not node.results or any(value.role == "primal" for value in node.results)
    return not (primal and may_raise(node)) or _only_overflows(node)


def _only_overflows(node: Node) -> bool:
    """Return whether all that a node may raise is that its result is too large: no line worth."""
    exponent = number_of(node.operands[1]) if node.op.name == "power" else None
    return exponent is not None and bool(exponent >= 0)
