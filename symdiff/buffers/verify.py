"""The verifier of placed graphs: memory is followed along paths, and nobody reads what is gone.

Arrays and lists are *cells*. A walk takes one arm of each branch and up to three turns of each
loop, as a seed says, and runs over the nodes in order without computing anything: what makes an
array makes a cell, a view lies in the cell of what it views, a write gives the cell a new
*version*. A value is known by the versions that it found. It holds that

- whoever reads a value finds the versions that the value found: no write has come between;
- nothing is written to constants, to what may not be written, and to the caller's arrays unless
  these are given for it;
- fresh results lie in no cell of the caller's and in none of each other;
- a variable that is read still holds the value that is meant, where names are given, and what is
  folded into its reader is read there.

This rests on what ops declare (``view``, ``read_only``) and on ``facts``, and on nothing that
placement decides: the one is for all paths at once, the other looks at some of them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from symdiff.buffers.facts import (
    LIST_READS,
    OWNERS,
    in_memory,
    is_of_numbers,
    makes_view,
    may_be_operand,
    takes_whole,
)
from symdiff.buffers.headers import tape_get
from symdiff.buffers.lower import push
from symdiff.buffers.placed import Placed
from symdiff.buffers.show import print_placed
from symdiff.dataclass import dataclass
from symdiff.errors import InternalError
from symdiff.ir.build import constant
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType, OpaqueType, Type

Found = tuple[int, int]  # a cell, and its version
_TURNS = 3
_STEPS = 8  # times as many nodes as there are; then no loop turns again
_OF_LENGTHS = frozenset({"list_length", "tape_length"})
_WHOLE = frozenset({"reshape", "contiguous"})  # views of all that they view
_SIGNS = {"add": 1, "subtract": -1}


def verify_placed(
    placed: Placed,
    folded: frozenset[Value] = frozenset(),
    names: Mapping[Value, str] | None = None,
    paths: int = 4,
) -> None:
    """Raise an ``InternalError`` that shows the graph where a read finds what it does not mean.

    ``folded`` values are computed by who reads them; ``names`` are those of variables. Linear in
    the size of the graph, for each of the ``paths``.
    """
    for seed in range(paths):
        _Walk(placed, folded, names or {}, seed).run()


@dataclass(slots=True)
class _Held:
    """Where a value lies, what lies in it (as a list), and its elements by turns (as a tape).

    ``partial``: it may be a part of what lies there.
    """

    lies: frozenset[Found] = frozenset()
    inside: frozenset[Found] = frozenset()
    turns: list[_Held] | None = None
    partial: bool = False
    read_only: bool = False


NOTHING: frozenset[Found] = frozenset()
_NOTHING = _Held()


class _Walk:
    """One path through a placed graph."""

    def __init__(
        self, placed: Placed, folded: frozenset[Value], names: Mapping[Value, str], seed: int
    ) -> None:
        self.placed, self.folded, self.names = placed, folded, names
        self.seed = self.drawn = seed
        self.held: dict[Value, _Held] = {}
        self.variables: dict[str, Value] = {}
        self.versions: list[int] = []
        self.given: set[int] = set()  # cells that nobody may write to
        self.writers: dict[Found, Node | None] = {}
        self.numbers: dict[Value, int] = {}
        self.steps = 0
        self.most = _STEPS * sum(1 for _ in walk_nodes(placed.graph.block))

    def any_below(self, count: int) -> int:
        """The next number of the path, from 0 on, by a linear congruential generator."""
        self.drawn = (1103515245 * self.drawn + 12345) % 2**31
        return (self.drawn >> 16) % count

    def run(self) -> None:
        block = self.placed.graph.block
        for value in block.parameters:
            held = self.made(value, None)
            if value not in self.placed.finals:
                self.given.update(cell for cell, _ in held.lies | held.inside)
            self.define(value, held)
        self.nodes(block)
        results = [self.read(value, None, deep=True) for value in block.results]
        self.ends(block.results, results)

    # Reading and defining

    def read(self, value: Value, node: Node | None, deep: bool = False) -> _Held:
        """What a value holds, once it is sure that it still does."""
        if value in self.folded and value.node is not None:
            self.node(value.node, folded=True)
        held = self.held.get(value, _NOTHING)
        name = self.names.get(value)
        if name is not None and value not in self.folded:
            other = self.variables.get(name, value)
            self.require(other is value, f"{name} holds another value", value, node)
        for found in held.lies | held.inside if deep else held.lies:
            if self.versions[found[0]] != found[1]:
                self.overwritten(found, value, node)
        return held

    def define(self, value: Value, held: _Held) -> None:
        if held.inside and _holds_nothing(value.type):
            held = _Held(held.lies, NOTHING, held.turns, held.partial, held.read_only)
        self.held[value] = held
        if value in self.names:
            self.variables[self.names[value]] = value

    def overwritten(self, found: Found, value: Value, node: Node | None) -> None:
        writer = self.writers.get((found[0], self.versions[found[0]]))
        by = "" if writer is None else f" by {writer.op.name}{_at(writer)}"
        self.fail(f"a value is read after it was overwritten{by}", value, node)

    def require(self, fact: bool, message: str, value: Value, node: Node | None) -> None:
        if not fact:
            self.fail(message, value, node)

    def fail(self, message: str, value: Value, node: Node | None) -> None:
        who = "the function's end" if node is None else f"{node.op.name}{_at(node)}"
        what = value.name or (value.node.op.name if value.node is not None else "a parameter")
        text = f"placed graph, path {self.seed}: {message} ({what}, read by {who})"
        span = node.span if node is not None else None
        raise InternalError(text, span, ir=print_placed(self.placed))

    # Cells

    def cell(self) -> Found:
        self.versions.append(0)
        return len(self.versions) - 1, 0

    def made(self, value: Value, inside: frozenset[Found] | None) -> _Held:
        """A new cell, and for a list whose elements nobody else has one for these."""
        if not in_memory(value):
            return _NOTHING
        new = frozenset({self.cell()})
        if isinstance(value.type, ArrayType):
            return _Held(new)
        return _Held(new, frozenset({self.cell()}) if inside is None else inside)

    def overwrite(self, base: _Held, value: Value, node: Node) -> frozenset[Found]:
        """The cells of what is written to, in new versions."""
        self.require(not base.read_only, "a read-only view is written to", value, node)
        found = set()
        for cell, _ in base.lies:
            self.require(cell not in self.given, "what is not owned is written to", value, node)
            self.versions[cell] += 1
            found.add((cell, self.versions[cell]))
            self.writers[cell, self.versions[cell]] = node
        return frozenset(found)

    # Nodes

    def nodes(self, block: Block) -> None:
        for node in block.nodes:
            if self.folded.isdisjoint(node.results):
                self.node(node)

    def node(self, node: Node, folded: bool = False) -> None:
        self.steps += not folded
        special = _SPECIAL.get(node.op.name)
        if special is not None:
            special(self, node)
            return
        base = self.placed.written(node)
        deep = node.op.name not in LIST_READS | _OF_LENGTHS and base is None
        operands = [self.read(v, node, deep) for v in node.operands]
        if base is not None:
            self.write(node, base, operands)
            return
        for value in node.results:
            self.define(value, self.result(node, value, operands))
        sign = _SIGNS.get(node.op.name)
        if sign is not None and all(v in self.numbers for v in node.operands):
            one, other = (self.numbers[v] for v in node.operands)
            self.numbers[node.result] = one + sign * other

    def write(self, node: Node, base: Value, operands: Sequence[_Held]) -> None:
        held = operands[node.operands.index(base)]
        first, *others = node.results
        inside = held.inside
        if not isinstance(base.type, ArrayType):
            rest = [o for v, o in zip(node.operands, operands, strict=True) if v is not base]
            inside = inside.union(*(o.lies | o.inside for o in rest))
        lies = self.overwrite(held, base, node)
        self.define(first, _Held(lies, inside, partial=held.partial))
        for value in others:
            self.define(value, _Held(held.inside, held.inside))

    def result(self, node: Node, value: Value, operands: Sequence[_Held]) -> _Held:
        if not in_memory(value):
            return _NOTHING
        if node.op.effect or node.op in CALLS:
            return self.unknown(node, operands)
        if node.op.name in LIST_READS or node.op.name == "unpack":
            return _Held(operands[0].inside, operands[0].inside)
        if makes_view(node):
            return self.view(node, value, operands[node.op.view or 0])
        if isinstance(value.type, ArrayType):
            return self.array(node, value, operands)
        if node.op.name in OWNERS:
            return self.made(value, None)
        parts = [
            self.part(value.type, v.type, o) for v, o in zip(node.operands, operands, strict=True)
        ]
        return self.made(value, frozenset[Found]().union(*parts))

    def view(self, node: Node, value: Value, base: _Held) -> _Held:
        """What lies where another value lies; of a number, which lies nowhere, a new array."""
        read_only = node.op.read_only is not None and node.op.read_only(node)
        if not in_memory(node.operands[node.op.view or 0]):
            return _Held(self.made(value, None).lies, read_only=read_only)
        partial = base.partial or node.op.name not in _WHOLE
        return _Held(base.lies, base.inside, base.turns, partial, base.read_only or read_only)

    def part(self, made: Type, given: Type, operand: _Held) -> frozenset[Found]:
        """What a list holds of what it is made of."""
        return operand.lies | operand.inside if takes_whole(made, given) else operand.inside

    def array(self, node: Node, value: Value, operands: Sequence[_Held]) -> _Held:
        """A new array; an empty sum, or an ``einsum`` of one operand, may be an operand itself."""
        held = self.made(value, None)
        if may_be_operand(node):
            taken = held.lies.union(*(o.lies | o.inside for o in operands))
            return _Held(taken, partial=True)
        return held

    def unknown(self, node: Node, operands: Sequence[_Held]) -> _Held:
        """Of a call: what it was given, or what somebody else holds."""
        new = self.cell()
        self.given.add(new[0])
        found = frozenset({new}).union(*(o.lies | o.inside for o in operands))
        return _Held(found, found, partial=True)

    def constant(self, node: Node) -> None:
        held = self.made(node.result, None)
        self.given.update(cell for cell, _ in held.lies | held.inside)
        self.define(node.result, held)
        known = node.attributes["value"]
        if type(known) is int:
            self.numbers[node.result] = known

    def nothing(self, node: Node) -> None:
        for value in node.results:
            self.define(value, _NOTHING)

    # Tapes

    def push(self, node: Node) -> None:
        element = self.read(node.operands[0], node, deep=True)
        for value in node.operands[1:]:
            self.read(value, node)
        tape = self.held[node.attributes["tape"]]
        assert tape.turns is not None
        tape.turns.append(_Held(tape.lies) if "like" in node.attributes else element)
        self.define(node.result, tape)

    def tape_get(self, node: Node) -> None:
        tape = self.read(node.operands[0], node)
        self.read(node.operands[1], node)
        place = self.numbers.get(node.operands[1])
        self.define(node.result, _element(tape, place))

    def tape_length(self, node: Node) -> None:
        tape = self.read(node.operands[0], node)
        self.define(node.result, _NOTHING)
        if tape.turns is not None:
            self.numbers[node.result] = len(tape.turns)

    # Branches and loops

    def cond(self, node: Node) -> None:
        self.read(node.operands[0], node)
        arm = node.blocks[self.any_below(len(node.blocks))]
        self.nodes(arm)
        self.hand_on(node.results, [(v, self.read(v, node)) for v in arm.results])

    def hand_on(self, to: Sequence[Value], given: Iterable[tuple[Value, _Held]]) -> None:
        """Give values what others hold, all at once."""
        for value, (source, held) in zip(to, given, strict=True):
            self.define(value, held)
            if source in self.numbers:
                self.numbers[value] = self.numbers[source]

    def loop(self, node: Node) -> None:
        view = LoopView(node)
        count, taken = self.turns_of(view), 0
        for tape in view.ys:
            self.define(tape, _Held(frozenset({self.cell()}), turns=[]))
        self.hand_on(view.carries, [(v, self.read(v, node)) for v in view.initial])
        while taken < count and (not taken or self.steps < self.most):
            self.begin_turn(view, count - 1 - taken if view.reverse else taken)
            taken += 1
            self.nodes(view.body)
            turn = [(v, self.read(v, node)) for v in view.next_carries]
            self.hand_on(view.carries, turn)
        if view.condition is not None:
            self.define(view.index, _NOTHING)
            self.nodes(view.condition)
        self.hand_on(view.finals, [(v, self.held[v]) for v in view.carries])
        for tape in view.ys:
            held = self.held[tape]
            assert held.turns is not None
            if view.reverse:
                held.turns.reverse()
        self.define(view.turns, _NOTHING)
        self.numbers[view.turns] = taken

    def begin_turn(self, view: LoopView, place: int) -> None:
        variable = view.node.attributes.get("variable")
        self.define(view.index, _NOTHING)
        self.numbers[view.index] = place
        if variable is not None:
            self.define(variable, _NOTHING)
            start, _, step = map(self.number, view.node.attributes["range"])
            self.numbers[variable] = start + step * place
        if view.condition is not None:
            self.nodes(view.condition)
            self.read(view.condition.results[0], view.node)
        for element, tape in zip(view.elements, view.xs, strict=True):
            self.define(element, _element(self.read(tape, view.node), place))

    def number(self, bound: Value | int) -> int:
        """A bound of a range; any where it is not known."""
        return self.numbers.setdefault(bound, 1) if isinstance(bound, Value) else bound

    def turns_of(self, view: LoopView) -> int:
        """How often a loop goes round: as its tapes tell, its count where that is known, or any."""
        tapes = [self.read(tape, view.node).turns for tape in view.xs]
        lengths = [len(turns) for turns in tapes if turns is not None]
        if lengths:
            return min(lengths)
        most = _TURNS if self.steps < self.most else 1
        if view.count is None:
            return self.any_below(most + 1)
        self.read(view.count, view.node)
        if view.count not in self.numbers:
            self.numbers[view.count] = self.any_below(most + 1)
        return max(0, min(self.numbers[view.count], most))

    # The end

    def ends(self, values: Sequence[Value], results: Sequence[_Held]) -> None:
        """Fresh results are nobody else's, and stores into the caller's arrays do not meet."""
        taken: set[int] = set()
        if self.placed.fresh:
            rows = dict(zip(values, results, strict=True))
            for value, held in rows.items():
                if isinstance(value.type, OpaqueType) or not in_memory(value):
                    continue
                own = _cells(held)
                self.require(not own & self.given, "a result is not fresh", value, None)
                self.require(not own & taken, "two results share memory", value, None)
                self.require(not held.partial, "a result is a part of an array", value, None)
                taken |= own
        for parameter in self.placed.stores:
            into = {cell for cell, _ in self.held[parameter].lies}
            for other, final in self.placed.stores.items():
                meets = other is not parameter and into & _cells(self.held.get(final, _NOTHING))
                self.require(not meets, "a store changes what is stored next", final, None)


_SPECIAL: dict[str, Callable[[_Walk, Node], None]] = {
    loop.name: _Walk.loop,
    cond.name: _Walk.cond,
    push.name: _Walk.push,
    constant.name: _Walk.constant,
    undefined.name: _Walk.nothing,
    tape_get.name: _Walk.tape_get,
    "tape_length": _Walk.tape_length,
}


def _holds_nothing(type_: Type) -> bool:
    """Return whether a value of the type holds no others in memory: an array, a list of numbers."""
    return isinstance(type_, ArrayType) or is_of_numbers(type_)


def _element(tape: _Held, place: int | None) -> _Held:
    """What a tape holds of a turn: of any, where it is not known which."""
    if tape.turns is None:
        inside = tape.lies | tape.inside
        return _Held(inside, inside)
    if place is not None and -len(tape.turns) <= place < len(tape.turns):
        return tape.turns[place]
    every = tape.turns
    lies = frozenset[Found]().union(*(held.lies for held in every))
    inside = frozenset[Found]().union(*(held.inside for held in every))
    turns = [one for held in every for one in held.turns or ()]
    return _Held(lies, inside, turns if any(h.turns is not None for h in every) else None)


def _cells(held: _Held) -> set[int]:
    found = {cell for cell, _ in held.lies | held.inside}
    for inner in held.turns or ():
        found |= _cells(inner)
    return found


def _at(node: Node) -> str:
    return "" if node.span is None else f" of line {node.span.line}"
