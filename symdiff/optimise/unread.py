"""What an arm gives that nobody reads where it is taken is undefined there.

The handler of a ``try`` sets ``y`` anew, so what ``y`` was where something has raised is not read:

    y, raised = cond(t: y0, True             y, raised = cond(t: undefined, True
                     | a, False)      ─▶                      | a, False)
    z = cond(raised: 3.0 | y)                z = cond(raised: 3.0 | y)

The *flags* of a branch are its predicate, and those of its results that are True where the first
arm is taken. A result is read *under* a flag where that is False: in the second arm of a branch on
it, or as a result of a second arm that is itself read under what that gives for the flag. What all
reads of a result stand under is found for the last branches first, in a time linear in the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from symdiff.ir.build import Builder, building, constant_value, copy_block, with_block
from symdiff.ir.control import cond, emit_undefined, is_fixed
from symdiff.ir.graph import Block, Graph, Node, Value


def without_unread(graph: Graph) -> Graph:
    """The graph with what is not read undefined; the graph itself where there is nothing."""
    copied = copy_block(graph.block, {})
    reads = _Reads(copied)
    unread = [_undefine(branch, reads) for branch in _last_first(copied)]
    return with_block(graph, copied) if any(unread) else graph


def _last_first(block: Block) -> Iterator[Node]:
    """The branches, each behind those that may read its results."""
    pending = [*block.nodes]
    while pending:
        node = pending.pop()
        if node.op is cond:
            yield node
        pending += [inner for one in node.blocks for inner in one.nodes]


def _undefine(branch: Node, reads: _Reads) -> bool:
    """Let the first arm of a branch not give what is read under its flags only."""
    first, (under, flags) = branch.blocks[0], (reads.under(branch), reads.flags[branch])
    unread = [
        k
        for k, result in enumerate(branch.results)
        if under[k] and result not in flags and not is_fixed(first.results[k])
    ]
    with building(Builder(first.nodes, branch.span)):
        made = {k: emit_undefined(branch.results[k].type) for k in unread}
    first.results = tuple([made.get(k, value) for k, value in enumerate(first.results)])
    return bool(unread)


class _Reads:
    """Where the results of branches are read.

    ``flags`` are those of the branches, ``plainly`` the flags under which all nodes stand that read
    a result, ``given`` the second arms that give a value, with its place and the flags that are
    False there; what other blocks give is read ``anywhere``.
    """

    def __init__(self, block: Block) -> None:
        self.flags: dict[Node, tuple[Value, ...]] = {}
        self.plainly: dict[Value, set[Value]] = {}
        self.given: dict[Value, list[tuple[Node, int, set[Value]]]] = {}
        self.anywhere: set[Value] = set(block.results)
        self._under: dict[Node, list[set[Value]]] = {}
        self._walk(block)

    def under(self, branch: Node) -> list[set[Value]]:
        """The flags of a branch under which all reads of each of its results stand."""
        found = [self._of_result(branch, result) for result in branch.results]
        self._under[branch] = found
        return found

    def _of_result(self, branch: Node, result: Value) -> set[Value]:
        found = set() if result in self.anywhere else self.plainly[result]
        for around, place, false in self.given.get(result, ()):
            passed = self._under[around][place]
            pairs = zip(around.results, around.blocks[1].results, strict=True)
            found = found & (false | {inner for outer, inner in pairs if outer in passed})
        return found

    def _walk(self, block: Block) -> None:
        false: Counter[Value] = Counter()
        pending: list[Node | tuple[Value, Block] | Value] = [*reversed(block.nodes)]
        while pending:
            one = pending.pop()
            if isinstance(one, Node):
                self._read(one.operands, false)
                pending += self._blocks_of(one, false)
            elif isinstance(one, Value):  # behind the arm where it is False
                false[one] -= 1
            else:
                predicate, arm = one
                false[predicate] += 1
                pending += [predicate, *reversed(arm.nodes)]

    def _blocks_of(
        self, node: Node, false: Counter[Value]
    ) -> list[Node | tuple[Value, Block] | Value]:
        """What is to be walked in a node, the last first."""
        if node.op is not cond:
            self.anywhere.update(result for block in node.blocks for result in block.results)
            return [one for block in reversed(node.blocks) for one in reversed(block.nodes)]
        predicate, (first, second) = node.operands[0], node.blocks
        flags = [
            result
            for result, given in zip(node.results, first.results, strict=True)
            if constant_value(given) is True
        ]
        self.flags[node] = predicate, *flags
        self.plainly.update((result, set(self.flags[node])) for result in node.results)
        self.anywhere.update(first.results)
        for place, value in enumerate(second.results):
            flags_of = self.flags.get(value.node, ()) if value.node is not None else ()
            known = {flag for flag in flags_of if flag is predicate or false[flag]}
            self.given.setdefault(value, []).append((node, place, known))
        return [(predicate, second), *reversed(first.nodes)]

    def _read(self, values: Sequence[Value], false: Counter[Value]) -> None:
        """Note that values are read where some flags are False."""
        for value in values:
            known = self.plainly.get(value)
            if known:
                known.intersection_update([flag for flag in known if false[flag]])
