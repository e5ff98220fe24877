"""Memory during a walk over a graph: where values lie, who shares it, and whether it can be taken.

An *origin* is memory that was made at one place. ``Memory.takes`` decides whether what lies there
may be overwritten, and notes in ``Decisions`` which copies make it so; ``ownership`` walks over the
nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field

from symdiff.buffers.facts import in_memory, makes_view
from symdiff.buffers.liveness import Liveness
from symdiff.buffers.lower import push
from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, cond, in_arms, loop, undefined
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import ArrayType

Origin = int
Origins = frozenset[Origin]
Numbers = dict[tuple[Value | Node | Origin, str], Origin]  # by where the memory is made
Place = tuple[Node | Block, int]  # the operand of a node, or the result of a block, by number

NOTHING: Origins = frozenset()
_EARLIER = "memory of an earlier turn"
_TAPED = "memory of an earlier turn, on a tape"


@dataclass(slots=True)
class Decisions:
    """What has been found so far. Sets are kept in the order of discovery (dictionaries)."""

    copied_operands: dict[Place, None] = field(default_factory=dict)
    copied_views: dict[Value, None] = field(default_factory=dict)
    copied_pushes: dict[Node, bool] = field(default_factory=dict)  # whether down to the arrays
    owned_carries: dict[Value, None] = field(default_factory=dict)
    accumulations: dict[Node, int] = field(default_factory=dict)  # node → the operand written to

    def size(self) -> int:
        copies = len(self.copied_operands) + len(self.copied_views) + len(self.copied_pushes)
        return copies + len(self.owned_carries)


@dataclass(slots=True)
class Sharing:
    """The outcome of a walk: where values lie, and when memory is written (origin → times).

    ``unwritable`` values may be read-only views, ``partial`` ones parts of larger arrays.
    """

    origins: dict[Value, Origins] = field(default_factory=dict)
    contents: dict[Value, Origins] = field(default_factory=dict)
    writes: dict[Origin, list[int]] = field(default_factory=dict)
    unwritable: set[Value] = field(default_factory=set)
    partial: set[Value] = field(default_factory=set)

    def inherit(self, value: Value, *sources: Value) -> None:
        """What is read-only, or a part of a larger array, stays so where it is handed on."""
        self.inherit_parts(value, *sources)
        if not self.unwritable.isdisjoint(sources):
            self.unwritable.add(value)

    def inherit_parts(self, value: Value, *sources: Value) -> None:
        if not self.partial.isdisjoint(sources):
            self.partial.add(value)


class Memory:
    """Where values lie, as far as the walk has come."""

    def __init__(self, liveness: Liveness, decisions: Decisions, numbers: Numbers) -> None:
        self.liveness, self.decisions, self.numbers = liveness, decisions, numbers
        self.final = True  # whether copies before writes are decided on: when the rest is settled
        self.provisional = False  # whether a walk with all that is known now might find more
        self.sharing = Sharing()
        self.origins, self.contents = self.sharing.origins, self.sharing.contents
        self.owned = {number: True for (_, part), number in numbers.items() if part == _EARLIER}
        self.made: list[Origin] = []  # in the order of the walk
        self.carry_of: dict[Origin, Value] = {}
        self.active: dict[Origin, dict[Value, None]] = {}

    # Origins

    def origin(self, owned: bool, source: Value | Node | Origin, part: str = "memory") -> Origin:
        """The origin of what is made there; its number is the same in every walk."""
        number = self.numbers.setdefault((source, part), len(self.numbers))
        if part == _EARLIER and number not in self.owned:
            self.provisional = True
        self.owned[number] = owned
        self.made.append(number)
        return number

    def earlier(
        self, origins: Origins, made: Collection[Origin], taped: Collection[Origin]
    ) -> Origins:
        """Origins as the next turn sees them: what this one made there is not what that will make.

        What is not owned may be one memory in all turns; what is on a tape is not owned any more.
        """

        def seen(number: Origin) -> Origin:
            if number not in made or not self.owned[number]:
                return number
            is_taped = number in taped
            return self.origin(not is_taped, number, _TAPED if is_taped else _EARLIER)

        return frozenset(map(seen, origins))

    def place(self, value: Value, origins: Origins, contents: Origins = NOTHING) -> None:
        """Note where a value lies, if it lies anywhere."""
        if not in_memory(value):
            return
        self.origins[value] = origins
        if contents:
            self.contents[value] = contents
        for origin in origins | contents:
            self.active.setdefault(origin, {})[value] = None

    def lies(self, value: Value) -> Origins:
        return self.origins.get(value, NOTHING)

    def holds(self, value: Value) -> Origins:
        return self.contents.get(value, NOTHING)

    def reach(self, value: Value) -> Origins:
        """All memory that a value leads to."""
        return self.lies(value) | self.holds(value)

    # Taking memory

    def sharers(self, origins: Origins, time: int) -> list[Value]:
        """Live values that may lie in the origins, in order of definition."""
        found: dict[Value, None] = {}
        for origin in sorted(origins):
            live = self.active.get(origin, {})
            for value in [v for v in live if self.liveness.end(v) <= time]:
                del live[value]
            found.update((v, None) for v in live if self.liveness.is_live(v, time))
        return list(found)

    def takes(self, value: Value, time: int, required: bool = True) -> bool:
        """Decide on what frees the memory of ``value`` to be written from ``time`` on; return
        whether it can be.

        Copies of views and pushes, and the ownership of carries, can free it; where the write is
        not ``required``, only the latter.
        """
        if value in self.sharing.unwritable:
            return False
        carries = [self.carry_of.get(o) for o in sorted(self.lies(value)) if not self.owned.get(o)]
        if None in carries:
            return False
        sharers = self.sharers(self.lies(value), time)
        if sharers and (not required or not self.separable(value, sharers)):
            return False
        for sharer in sharers:
            self.separate(sharer, self.lies(value))
        for carry in carries:
            if carry is not None:
                self.decisions.owned_carries[carry] = None
        return True

    def separable(self, value: Value, sharers: Sequence[Value]) -> bool:
        """Return whether copying each sharer where it was made would free the memory of
        ``value``.
        """
        bases = {value}
        while value.node is not None and makes_view(value.node):
            value = value.node.operands[0]
            bases.add(value)
        return all(
            sharer not in bases
            and sharer.node is not None
            and (sharer.node.op is push or makes_view(sharer.node))
            for sharer in sharers
        )

    def separate(self, sharer: Value, origins: Origins) -> None:
        """Let a view, or what was pushed to a tape, lie elsewhere than in the origins."""
        node = sharer.node
        assert node is not None
        if node.op is not push:
            self.decisions.copied_views[sharer] = None
        elif not self.holds(node.operands[0]) & origins:
            self.decisions.copied_pushes.setdefault(node, False)
        elif not self.separate_elements(node.operands[0]):
            self.decisions.copied_pushes[node] = True

    def separate_elements(self, tape: Value) -> bool:
        """Let the elements of a tape be copies; False where what pushes them is not known."""
        made = list(_pushes_into(tape))
        if None in made:
            return False
        for node in made:
            assert node is not None
            element = node.operands[0]
            if isinstance(element.type, ArrayType) or not self.separate_elements(element):
                self.decisions.copied_pushes[node] = True
        return True

    def moved(self, value: Value, place: Place, time: int, others: Origins) -> None:
        """``value`` goes into a place that owns what it holds: itself, or a copy."""
        if not in_memory(value) or place in self.decisions.copied_operands:
            return
        if _is_undefined(value):
            return
        if self.lies(value) & others or not self.takes(value, time):
            self.copy_operand(place)
        else:
            self.note_write(value, time)

    def copy_operand(self, place: Place) -> None:
        if self.final:
            self.decisions.copied_operands[place] = None
        else:
            self.provisional = True

    def note_write(self, value: Value, time: int) -> None:
        for origin in self.lies(value):
            self.sharing.writes.setdefault(origin, []).append(time)


def _pushes_into(tape: Value) -> Iterator[Node | None]:
    """The pushes of the loops that a tape comes from; None where it comes from anything else."""
    pending = [tape]
    while pending:
        value = pending.pop()
        node = value.node
        if node is not None and node.op is cond:
            pending += in_arms(value)
        elif node is not None and node.op is loop:
            pushes = [n for n in LoopView(node).body.nodes if n.op is push]
            yield from (n for n in pushes if n.attributes["tape"] is value)
            if value not in LoopView(node).ys:
                yield None
        elif not _is_undefined(value):
            yield None


def _is_undefined(value: Value) -> bool:
    return value.node is not None and value.node.op is undefined
