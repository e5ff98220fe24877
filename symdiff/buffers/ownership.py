"""Which memory values share, and which writes may therefore be made in place.

An *origin* is memory that was made at one place: by a node, as a parameter, as what a loop carries.
Every value may lie in the memory of some origins. A write is in place if all origins of what it
writes to are owned (made here, not the caller's) and no other live value may lie in them. What
stands in the way is copied: a live *view* at its definition, a tape's element where it is pushed;
for the rest, an old version above all, what is written to is copied before the write.

A carry is *owned* if its loop writes to it, or if what it becomes feeds a carry that is: then its
initial value and what each turn gives are moved into it, and copied where they cannot be. ``u, v =
v, u`` needs no copy. One walk decides optimistically; the walk is repeated with what it found until
it finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from symdiff.buffers.facts import (
    LIST_READS,
    OWNERS,
    in_memory,
    is_of_numbers,
    makes_view,
    may_be_operand,
    takes_whole,
)
from symdiff.buffers.liveness import Liveness
from symdiff.buffers.lower import is_write, push
from symdiff.buffers.memory import (
    NOTHING,
    Decisions,
    Memory,
    Numbers,
    Origin,
    Origins,
    Place,
    Sharing,
)
from symdiff.buffers.order import carried_values, is_line, lies_as_sum
from symdiff.ir.build import constant
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, Node, Value, uses
from symdiff.ir.reach import reached
from symdiff.ir.types import ArrayType, ListType, OpaqueType, TapeType, may_be_one

_WRITABLE_VIEWS = frozenset({"index", "reshape", "transpose"})
_ACCUMULATING = frozenset({"add", "subtract"})
_SCALING = frozenset({"multiply", "divide"})


def decide(
    graph: Graph, liveness: Liveness, writable: Iterable[Value], fresh: bool, decisions: Decisions
) -> Sharing:
    """Add to ``decisions`` what makes every write of the graph an in-place one; the sharing then.

    ``writable``: parameters that may be written to. ``fresh``: results must own their memory.
    """
    contents: dict[Value, Origins] = {}
    numbers: Numbers = {}
    final = False
    while True:
        before = decisions.size()
        walk = _Walk(graph, liveness, frozenset(writable), fresh, decisions, contents, numbers)
        walk.final = final
        walk.run()
        settled = decisions.size() == before and not walk.grew
        if settled and (final or not walk.provisional):
            return walk.sharing
        final = settled


class _Walk(Memory):
    """One pass over the graph in program order."""

    def __init__(
        self,
        graph: Graph,
        liveness: Liveness,
        writable: frozenset[Value],
        fresh: bool,
        decisions: Decisions,
        carried: dict[Value, Origins],
        numbers: Numbers,
    ) -> None:
        super().__init__(liveness, decisions, numbers)
        self.graph, self.writable, self.fresh = graph, writable, fresh
        self.carried = carried  # contents of carried lists, from turn to turn; kept between walks
        self.grew = False
        self.pushed: dict[Value, Origins] = {}
        self.next_of: dict[Value, Value] = {}
        self.carried_values = carried_values(graph.block)
        self.uses = uses(graph.block)
        self.decisions.accumulations.clear()

    def run(self) -> None:
        block = self.graph.block
        for value in block.parameters:
            self.place(value, frozenset({self.origin(value in self.writable, value)}))
            if not isinstance(value.type, ArrayType):
                self.contents[value] = frozenset({self.origin(False, value, "elements")})
        self.nodes(block)
        if self.fresh:
            self.results(block)
        if self.writable:
            self.stores(block)

    # Nodes

    def nodes(self, block: Block) -> None:
        for node in block.nodes:
            special = _SPECIAL.get(node.op.name)
            if special is not None:
                special(self, node)
            elif is_write(node):
                self.write(node)
            elif node.op.effect:
                self.unknown(node)
            elif not self.accumulated(node):
                self.plain(node)

    def nothing(self, node: Node) -> None:
        pass

    def constant(self, node: Node) -> None:
        self.place(node.result, frozenset({self.origin(False, node.result)}))

    def plain(self, node: Node) -> None:
        for value in node.results:
            if in_memory(value):
                self.plain_result(node, value)

    def plain_result(self, node: Node, value: Value) -> None:
        base = node.operands[node.op.view or 0] if node.operands else None
        if node.op.view is not None and node.op.name not in _WRITABLE_VIEWS:
            self.sharing.unwritable.add(value)
        if base is not None and in_memory(base) and makes_view(node):
            if value in self.decisions.copied_views:
                self.place(value, frozenset({self.origin(True, value)}))
                self.sharing.unwritable.discard(value)
                return
            self.sharing.inherit(value, base)
            if node.op.name != "reshape":
                self.sharing.partial.add(value)
            self.place(value, self.lies(base), self.holds(base))
        elif node.op.name in LIST_READS and base is not None:
            self.place(value, self.holds(base), self.holds(base))
        elif isinstance(value.type, ArrayType):
            self.array(node, value)
        else:
            inside = NOTHING.union(*(self.given_to(value, v) for v in node.operands))
            if node.op.name in OWNERS or not inside or is_of_numbers(value.type):
                inside = frozenset({self.origin(True, value, "elements")})
            self.place(value, frozenset({self.origin(True, value)}), inside)

    def given_to(self, made: Value, operand: Value) -> Origins:
        """What a list may hold of an operand: of a list as deep as itself the elements only."""
        whole = takes_whole(made.type, operand.type)
        return self.reach(operand) if whole else self.holds(operand)

    def array(self, node: Node, value: Value) -> None:
        """An array that an op makes; of a few ops it may be an operand, or a view of one."""
        sources = node.operands if may_be_operand(node) else ()
        origins = frozenset[Origin]().union(*map(self.reach, sources), {self.origin(True, value)})
        if sources:
            self.sharing.unwritable.add(value)
            self.sharing.partial.add(value)
        self.place(value, origins)

    def unknown(self, node: Node) -> None:
        """A call of what nobody looked into: results may share memory with all it was given."""
        given = map(self.reach, node.operands)
        inside = frozenset[Origin]().union(*given, {self.origin(False, node)})
        for value in node.results:
            self.place(value, inside, inside)

    def unpack(self, node: Node) -> None:
        inside = self.holds(node.operands[0])
        for value in node.results:
            self.place(value, inside, inside)

    def tape_get(self, node: Node) -> None:
        self.element(node.result, node.operands[0])

    def element(self, value: Value, tape: Value) -> None:
        """Elements are read again by whoever reads the tape again: nobody writes to them."""
        inside = self.reach(tape) | {self.origin(False, value)}
        self.place(value, inside, inside)

    def write(self, node: Node) -> None:
        base, time = node.operands[0], 2 * self.liveness.first[node] + 1
        given = frozenset[Origin]()
        if not isinstance(base.type, ArrayType):
            given = given.union(*map(self.reach, node.operands[1:])) | self.holds(base)
        copied = (node, 0) in self.decisions.copied_operands or not self.takes(base, time)
        if copied:
            self.copy_operand((node, 0))
        first, *others = node.results
        if copied:
            self.place(first, frozenset({self.origin(True, first)}), given)
        else:
            self.note_write(base, time)
            self.sharing.inherit(first, base)
            self.place(first, self.lies(base), given)
        for value in others:
            self.place(value, self.holds(base), self.holds(base))

    def accumulated(self, node: Node) -> bool:
        """``x_bar = x_bar + g`` as ``x_bar += g``, where that spares an array."""
        if node.op.name not in _ACCUMULATING | _SCALING or len(node.results) != 1:
            return False
        result, time = node.results[0], 2 * self.liveness.first[node] + 1
        if not in_memory(result) or not result.type.shape:  # type: ignore[union-attr]
            return False
        if not self.liveness.is_used(result):
            return False  # computed for what it may raise
        for number in (0, 1) if node.op.name in ("add", "multiply") else (0,):
            base = node.operands[number]
            reads_as_new = self.scales if node.op.name in _SCALING else self.accumulates
            if not _is_as_large(base, result) or not reads_as_new(base, result):
                continue
            if result.role == "primal" and not self.lies_as_sum(node, number):
                continue
            if not self.takes(base, time, required=False):
                continue
            self.decisions.accumulations[node] = number
            self.note_write(base, time)
            self.sharing.inherit(result, base)
            self.place(result, self.lies(base))
            return True
        return False

    def lies_as_sum(self, node: Node, number: int) -> bool:
        """Return whether a sum that the user's function computes may be written over an operand."""
        if number == 1:
            return False  # which operand's NaN a sum keeps depends on their order
        base, other = node.operands
        return is_line(base.type) or lies_as_sum(base, other, self.carried_values)

    def accumulates(self, base: Value, result: Value) -> bool:
        """Return whether the sum reads as a new version of ``base``."""
        if base.name is not None and (base.name, base.role) == (result.name, result.role):
            return True
        if base.node is None:
            return self.next_of.get(base) is result
        return is_write(base.node) or base.node in self.decisions.accumulations

    def scales(self, base: Value, result: Value) -> bool:
        """Return whether a product, or a quotient, reads as a new version of ``base``: of a
        derivative, without a name, and both are read more than once.
        """
        if base.name is not None or result.name is not None or result.role == "primal":
            return False
        many = self.uses.get(base, 0) > 1 and self.uses.get(result, 0) > 1
        return many and base.role == result.role and base.node is not None

    def push(self, node: Node) -> None:
        (held,), value = node.results, node.operands[0]
        tape = node.attributes["tape"]
        if not in_memory(value) or node in self.decisions.copied_pushes:
            return
        self.pushed[tape] = self.pushed.get(tape, NOTHING) | self.reach(value)
        for origin in self.reach(value):
            self.active.setdefault(origin, {})[held] = None

    # Branches

    def cond(self, node: Node) -> None:
        for block in node.blocks:
            self.nodes(block)
        for k, value in enumerate(node.results):
            sources = [b.results[k] for b in node.blocks]
            origins = frozenset[Origin]().union(*map(self.lies, sources))
            contents = frozenset[Origin]().union(*map(self.holds, sources))
            self.sharing.inherit(value, *sources)
            self.place(value, origins, contents)

    # Loops

    def loop(self, node: Node) -> None:
        view = LoopView(node)
        start = self.liveness.first[node]
        self.enter(view, 2 * start + 1)
        if view.condition is not None:
            self.nodes(view.condition)
        before = len(self.made)
        self.nodes(view.body)
        scope = self.liveness.scopes[view.body]
        on_tapes = NOTHING.union(*self.pushed.values())
        self.turn(view, 2 * scope.end + 1, frozenset(self.made[before:]), on_tapes)
        self.leave(view)

    def is_owned(self, carry: Value) -> bool:
        return carry in self.decisions.owned_carries

    def enter(self, view: LoopView, time: int) -> None:
        first = int(view.bounded)
        places: list[Place] = [(view.node, first + k) for k in range(view.carry_count)]
        self.move_all(view.initial, view.carries, places, time)
        for carry, initial, following in zip(
            view.carries, view.initial, view.next_carries, strict=True
        ):
            self.next_of[carry] = following
            if not in_memory(carry):
                continue
            origin = self.origin(self.is_owned(carry), carry)
            if not self.is_owned(carry):
                self.carry_of[origin] = carry
                self.sharing.inherit_parts(carry, initial)  # what is read-only is copied to own it
            known = self.carried.get(carry, NOTHING)
            self.place(carry, frozenset({origin}), self.holds(initial) | known)
        for element, tape in zip(view.elements, view.xs, strict=True):
            self.element(element, tape)

    def move_all(
        self, values: Sequence[Value], carries: Sequence[Value], places: list[Place], time: int
    ) -> None:
        """Move values into carries, all at once: what is owned must not share with another.

        Nor may it lie in a list that is carried, which hands on what it holds as it is.
        """
        others = [NOTHING] * len(values)
        taken: Origins = frozenset[Origin]().union(
            *(self.reach(v) for v, c in zip(values, carries, strict=True) if not self.is_owned(c)),
            *map(self.holds, values),
        )
        for k, (value, carry) in enumerate(zip(values, carries, strict=True)):
            others[k] = taken
            if self.is_owned(carry):
                taken |= self.reach(value)
        for value, carry, place, shared in zip(values, carries, places, others, strict=True):
            if self.is_owned(carry):
                self.moved(value, place, time, shared)

    def turn(self, view: LoopView, time: int, made: Origins, taped: Origins) -> None:
        body = view.body
        places: list[Place] = [(body, k) for k in range(view.carry_count)]
        self.move_all(view.next_carries, view.carries, places, time)
        for carry, following in zip(view.carries, view.next_carries, strict=True):
            inside = self.earlier(self.holds(following), made, taped)
            if not inside <= self.carried.get(carry, NOTHING) | self.holds(carry):
                self.carried[carry] = self.carried.get(carry, NOTHING) | inside
                self.grew = True

    def leave(self, view: LoopView) -> None:
        reached = self.closures(view)
        sources = self.sources(view)
        for k, (final, carry) in enumerate(zip(view.finals, view.carries, strict=True)):
            if not in_memory(final):
                continue
            contents = self.resolved(self.holds(carry) | self.holds(view.next_carries[k]), reached)
            if self.is_owned(carry):
                self.place(final, frozenset({self.origin(True, final)}), contents)
                self.sharing.inherit_parts(final, *sources[carry])
                continue
            self.sharing.inherit(final, *sources[carry])
            self.place(final, self.resolved(self.lies(carry), reached), contents)
        for tape in view.ys:
            inside = self.resolved(self.pushed.get(tape, NOTHING), reached)
            self.place(tape, frozenset({self.origin(True, tape)}), inside)

    def sources(self, view: LoopView) -> dict[Value, list[Value]]:
        """What each carry may be in the end: its own values, and those of carries handed to it."""
        rows = list(zip(view.carries, view.next_carries, view.initial, strict=True))
        carry_at = {origin: carry for carry in view.carries for origin in self.lies(carry)}
        handed = {
            carry: frozenset(carry_at[o] for o in self.lies(following) if o in carry_at)
            for carry, following, _ in rows
        }
        passed = {carry: reached([carry], handed.__getitem__) for carry in view.carries}
        return {
            carry: [value for row in rows if row[0] in passed[carry] for value in row]
            for carry in view.carries
        }

    def closures(self, view: LoopView) -> dict[Origin, Origins]:
        """What the origin of each borrowed carry stands for outside the loop."""
        direct: dict[Origin, Origins] = {}
        rows = zip(view.carries, view.initial, view.next_carries, strict=True)
        for carry, initial, following in rows:
            for origin in self.lies(carry):
                if origin in self.carry_of:
                    direct[origin] = self.lies(initial) | self.lies(following)
        return {origin: _closure(origin, direct) for origin in direct}

    def resolved(self, origins: Origins, reached: dict[Origin, Origins]) -> Origins:
        return frozenset[Origin]().union(*(reached.get(o, frozenset({o})) for o in origins))

    # Results

    def results(self, block: Block) -> None:
        """What is returned is fresh: owned, whole, shared with nothing else returned."""
        time = 2 * self.liveness.scopes[block].end + 1
        taken: Origins = NOTHING
        for k, value in enumerate(block.results):
            if not in_memory(value) or (block, k) in self.decisions.copied_operands:
                continue
            if isinstance(value.type, TapeType):
                inside = self.holds(value)  # the tape itself is never written, however often saved
                shared = not self.owns(inside) or inside & taken
                if shared and value not in block.results[:k] and not self.separate_elements(value):
                    self.copy_operand((block, k))
                taken |= inside
                continue
            whole = self.is_whole(value, taken)
            if not isinstance(value.type, OpaqueType) and not (whole and self.takes(value, time)):
                self.copy_operand((block, k))
            else:
                taken |= self.reach(value)

    def stores(self, block: Block) -> None:
        """Final values of mutated arguments are stored one by one: no store may change the next."""
        parameters = {k: block.parameters[k] for k in self.graph.mutated}
        for number, result in self.graph.mutated.items():
            others = [self.lies(p) for k, p in parameters.items() if k != number]
            shared = self.lies(block.results[result]) & NOTHING.union(*others)
            if shared:
                self.copy_operand((block, result))

    def is_whole(self, value: Value, taken: Origins) -> bool:
        if self.reach(value) & taken:
            return False
        if isinstance(value.type, ListType):
            return self.owns(self.holds(value))
        return value not in self.sharing.partial

    def owns(self, origins: Origins) -> bool:
        """Return whether all of these are owned; what an earlier walk met, and this one not, is
        not.
        """
        return all(self.owned.get(origin, False) for origin in origins)


_SPECIAL: dict[str, Callable[[_Walk, Node], None]] = {
    loop.name: _Walk.loop,
    cond.name: _Walk.cond,
    push.name: _Walk.push,
    **{op.name: _Walk.unknown for op in CALLS},
    constant.name: _Walk.constant,
    undefined.name: _Walk.nothing,
    "unpack": _Walk.unpack,
    "tape_get": _Walk.tape_get,
}


def _closure(origin: Origin, direct: dict[Origin, Origins]) -> Origins:
    """The origins outside of ``direct`` that an origin leads to."""
    found = reached([origin], lambda one: direct.get(one, ()))
    return frozenset(found.keys() - direct.keys())


def _is_as_large(base: Value, sum_: Value) -> bool:
    """Return whether a sum has the dtype and, at run time, the shape of one of its operands.

    A length that is not 1 is that of the sum, whatever that is called.
    """
    a, b = base.type, sum_.type
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType):
        return False
    if (a.dtype, a.kind, a.rank) != (b.dtype, b.kind, b.rank):
        return False
    pairs = zip(a.shape, b.shape, strict=True)
    return all(own == dim or not may_be_one(own) for own, dim in pairs)
