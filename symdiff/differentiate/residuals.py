"""Residuals: which primal values the backward part needs, and how it gets them.

The sweep names primal values freely. Here each block of the sweep, inner ones first, gets the
values that it names of the primal block that it reverses: it reads the tape of a loop's input,
computes the value again, or gets an extra result of the primal loop or branch. ``cut`` chooses by
price. Values outside all enclosing loops and branches, the loop's index and constants cost nothing.
Primal nodes are extended in place: the transformation owns its copy of them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain

from symdiff.differentiate.activity import Homes
from symdiff.differentiate.cotangents import Zeros
from symdiff.differentiate.cut import Offer, choose
from symdiff.differentiate.kept import kept_values
from symdiff.differentiate.noting import note_residuals
from symdiff.differentiate.rewinding import rewound
from symdiff.differentiate.selection import is_singular
from symdiff.differentiate.sweep import Pair
from symdiff.differentiate.switches import RECOMPUTING
from symdiff.ir.build import Builder, building, constant, copy_into, is_constant, substitute
from symdiff.ir.control import LoopView, loop, undefined
from symdiff.ir.graph import Block, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType, Dim, ListType, Size, TapeType, Type
from symdiff.ops import arrays
from symdiff.ops.arithmetic import constant_of, divide
from symdiff.ops.creation import arange
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.elementary import power
from symdiff.ops.facts import lengths_given, shape_of
from symdiff.ops.index import index, is_view
from symdiff.ops.integer_sums import of_arguments
from symdiff.ops.residuals import size_if_defined
from symdiff.ops.sizes import size

Saved = list[tuple[Value, Value]]  # primal values with what they are called elsewhere
Lengths = Mapping[Dim | None, Value]  # what arrays of open sizes were made with

TURNS = 1000  # how many turns a loop is taken to have whose count is not known
MANY = 10_000  # above so many values all that is needed is saved
LENGTH = 1000  # and how many elements an axis
DEARER = 10**6  # what saving an elementwise value costs more where it is to be computed again
PUTTING_BACK = 200  # what storing a part of an array costs
_DEEPEST = 4  # how far what a value is computed from is looked at, for its price


def resolve(pairs: Sequence[Pair], top: Block, zeros: Zeros, nodes: list[Node]) -> None:
    """Give the sweep's blocks, whose outermost nodes are given, what they name of primal blocks;
    what ``top`` defines is free.
    """
    lengths = lengths_given_in(top, zeros.partial)
    homes = Homes()
    homes.add_block(top)
    _add_again(homes, pairs, Block((), nodes))
    for pair in pairs:
        _region_class(pair)(pair, homes, top, zeros, lengths).resolve()


def resolve_apart(pairs: Sequence[Pair], whole: Pair, partial: Iterable[Value]) -> Saved:
    """Resolve the primal values that a reverse part in a separate graph reads: nothing is free.

    The primal values to be saved are returned, each with the value that it has in the other graph.
    """
    zeros = Zeros((), partial)
    lengths = lengths_given_in(whole.primal, zeros.partial)
    homes = Homes()
    homes.add_block(whole.primal)
    _add_again(homes, pairs, whole.reverse)
    for pair in pairs:
        _region_class(pair)(pair, homes, None, zeros, lengths).resolve()
    top = _Whole(whole, homes, None, zeros, {})
    top.resolve()
    return top.saved


def _add_again(homes: Homes, pairs: Sequence[Pair], reverse: Block) -> None:
    """Learn the loops that are run again: they stand in the sweep's blocks."""
    again = {pair.primal_node for pair in pairs if pair.is_again}
    for block in walk_blocks(reverse) if again else ():
        for node in block.nodes:
            if node in again:
                homes.add_node(node, block)


def lengths_given_in(block: Block, partial: Collection[Value]) -> Lengths:
    """Lengths that a block gives arrays, by the open sizes that no loop changes, and the lengths of
    its parameters that are asked for inside of it: of arrays that loops change, say. Parameters
    that are ``partial`` may be None, and are not asked.
    """
    varying = {
        symbol for node in walk_nodes(block) if node.op is loop for symbol in LoopView(node).varying
    }
    given = {
        dim: value
        for node in block.nodes
        for dim, value in lengths_given(node)
        if isinstance(dim, Size) and dim.open and dim.symbol not in varying
    }
    free = [value for value in block.parameters if value not in partial]
    return given | _lengths_of_parameters(block, free)


def _lengths_of_parameters(block: Block, parameters: Sequence[Value]) -> dict[Dim | None, Value]:
    """Sizes of parameters that a block asks for in loops and branches, read before all else."""
    own = set(block.nodes)
    asked = {_length(n.result) for n in walk_nodes(block) if n.op is size and n not in own}
    found: dict[Dim | None, Value] = {}
    before = Builder()
    with building(before):
        for value in parameters if asked else ():
            for axis, dim in enumerate(shape_of(value)):
                if isinstance(dim, Size) and not dim.open and dim in asked - found.keys():
                    found[dim] = size(value, axis=axis)
    block.nodes[:0] = before.nodes
    return found


def _region_class(pair: Pair) -> type[_Region]:
    assert pair.primal_node is not None
    return _Loop if pair.primal_node.op is loop else _Arm


# Prices -----------------------------------------------------------------------------------------


def elements(type_: Type) -> int:
    """How many numbers a value is taken to hold."""
    if isinstance(type_, ArrayType):
        count = 1
        for dim in type_.shape:
            count *= dim if isinstance(dim, int) else LENGTH
        return count
    if isinstance(type_, ListType):
        return LENGTH * elements(type_.element)
    if isinstance(type_, TapeType):
        return TURNS * elements(type_.element)
    return LENGTH


def price_of_saving(type_: Type) -> int:
    """Of writing a value to a tape and reading it, in about nanoseconds and memory's worth."""
    count = elements(type_)
    return 150 if count == 1 else 150 + 2 * count


def price_of_computing(node: Node) -> int | None:
    """Of computing a node again, None where that must not be or is not worth it."""
    op = node.op
    if op.effect or op.cost == "heavy" or node.blocks or len(node.results) != 1 or may_warn(node):
        return None
    if op is constant or op is undefined:
        return 0
    count = elements(node.result.type)
    if op is arange or (op is arrays.array and all(map(is_constant, node.operands))):
        return 100  # positions: their being distinct is known of the op, not of a saved array
    if op.cost == "free" or is_view(node):
        return 20 if count == 1 else 100
    if op is index or op.cost == "plain" or is_square(node):
        return 30 if count == 1 else 200 + count // 3
    return 200 if count == 1 else 600 + 5 * count


def _why(how: str, value: Value, region: Node | None) -> str:
    """Why a value is had in the way that was chosen."""
    if how == "read again":
        return "the array that the loop leaves still holds it"
    if how == "put back":
        return "saving the parts that a turn overwrites is cheaper than saving all of it"
    if how == "recomputed":
        return "computing it again is cheaper than saving it"
    if value.node is None:
        return "it is given" if region is None else "it is what the turn began with"
    never = _why_not_again(value.node)
    return never or "cheaper than computing it again and having what that takes"


def _why_not_again(node: Node) -> str | None:
    """Why a node is never computed again, None where it could be."""
    if node.op.effect:
        return "what it does happens once"
    if node.blocks:
        return f"a {node.op.name} is not run again"
    if node.op.cost == "heavy":
        return f"{node.op.name} is too much work to do again"
    if may_warn(node):
        return "NumPy may warn of it, which is enough once"
    return None if price_of_computing(node) is not None else "it is one of several results"


def is_elementwise(node: Node) -> bool:
    return isinstance(node.op, DeclaredOp) and node.op.elementwise


def is_square(node: Node) -> bool:
    return node.op is power and constant_of(node.operands[1]) == 2


def may_warn(node: Node) -> bool:
    """Return whether NumPy may warn of a node's result, which is enough once; scalar divisors
    aside.
    """
    if node.op is divide:
        return array_type(node.operands[1]).rank > 0
    return is_singular(node)


# Regions ----------------------------------------------------------------------------------------


class _Region:
    """One block of the sweep and the primal block it names values of."""

    def __init__(
        self, pair: Pair, homes: Homes, top: Block | None, zeros: Zeros, lengths: Lengths
    ) -> None:
        self.pair, self.homes, self.top, self.zeros = pair, homes, top, zeros
        self.lengths = lengths
        self.primal, self.reverse = pair.primal, pair.reverse
        self.sizes: dict[Hashable, Value] | None = None  # measured in the primal block
        self.same: dict[Value, Value] = {}  # sizes asked for twice
        self.got: dict[Value, Value] = {}  # what primal values are called in the reverse block
        self.kept: Mapping[Value, Node] = {}  # what is read again of what the region leaves
        self.put_back: dict[Value, Node] = {}  # arrays whose parts are put back (``rewinding``)
        self.parts: set[Value] = set()  # these parts: they are not read of the arrays again
        self.read: set[Value] = set()  # what the reverse block names, and not for a length alone

    def resolve(self) -> None:
        self.hoist_sizes()
        substitute(self.reverse, self.same)
        self.alias_invariants()
        self.alias_lengths()
        offers, saved, recomputed = self.chosen()
        if self.rewind(saved):
            offers, saved, recomputed = self.chosen()
        self.note(offers, saved, recomputed)
        for value in offers:
            if value in saved and value not in self.got and self.is_inner(value):
                self.got[value] = self.save(value)
        rewrite(self.reverse, self.got, recomputed, {**self.kept, **self.put_back})

    def chosen(self) -> tuple[dict[Value, Offer], set[Value], set[Value]]:
        """What the values that are needed cost, which to save, and which to compute again."""
        needed = [v for v in read_values(self.reverse) if self.is_inner(v) and v not in self.got]
        self.read = values_beside_sizes(self.reverse)
        offers = self.offers(needed)
        if len(offers) >= MANY:
            return offers, set(needed), set()
        return offers, *choose(offers, needed)

    def rewind(self, saved: set[Value]) -> bool:
        """Have arrays that were to be saved from parts of them; whether there are any."""
        return False

    def note(self, offers: dict[Value, Offer], saved: set[Value], recomputed: set[Value]) -> None:
        """Record what was chosen, and why."""
        how: dict[Value, str] = {}
        for value in offers:
            if value in self.got or not self.is_inner(value) or is_constant(value):
                continue
            if value in saved:
                how[value] = "saved"
            elif value in recomputed:
                how[value] = "read again" if value in self.kept else "recomputed"
                how[value] = "put back" if value in self.put_back else how[value]
        reasons = {value: _why(way, value, self.pair.primal_node) for value, way in how.items()}
        note_residuals(self.pair.primal_node, self.reverse, offers, how, reasons)

    def outside(self) -> Block:
        """The primal block around this one."""
        enclosing = self.homes.enclosing(self.primal)
        assert enclosing is not None
        return enclosing[1]

    def is_inner(self, value: Value) -> bool:
        return self.homes.home.get(value) is self.primal

    # Offers

    def offers(self, needed: Iterable[Value]) -> dict[Value, Offer]:
        """What each value costs from which a needed one could be computed, itself included."""
        offers: dict[Value, Offer] = {}
        stack = list(needed)
        while stack:
            value = stack.pop()
            if value in offers:
                continue
            offers[value] = offer = self.offer(value)
            stack.extend(offer.operands)  # type: ignore[arg-type]
        return dict(sorted(offers.items(), key=lambda item: item[0].number))

    def offer(self, value: Value) -> Offer:
        if value in self.got:
            return Offer(self.price_outside(self.got[value]), None)
        if not self.is_inner(value):  # what the sweep reads as well is there anyway
            return Offer(0 if value in self.read else self.price_outside(value), None)
        if value in self.put_back:
            operands = self.put_back[value].operands
            return Offer(self.price_of_result(value), PUTTING_BACK, tuple(dict.fromkeys(operands)))
        if value.node is None:
            return Offer(self.price_of_parameter(value), None)
        if value in self.parts:
            return Offer(self.price_of_result(value), None)
        node = self.kept.get(value, value.node)
        price = price_of_computing(node)
        operands = () if price is None else node.operands
        saving = self.price_of_result(value)
        if RECOMPUTING.is_on() and price is not None and is_elementwise(node):
            saving += DEARER
        return Offer(saving, price, tuple(dict.fromkeys(operands)))

    def is_free(self, value: Value) -> bool:
        """Return whether a value outlives every region."""
        home = self.homes.home.get(value)
        return home is None or home is self.top

    def price_outside(self, value: Value) -> int:
        """Of what an enclosing region defines: that one has it, once for all turns of this."""
        price = self.price_of_having(value, _DEEPEST)
        return price and 1 + price // self.turns()

    def price_of_having(self, value: Value, depth: int) -> int:
        """Of having in an enclosing region what that one saves, or computes again."""
        if self.is_free(value) or self.homes.is_index(value):
            return 0
        price = price_of_saving(value.type)
        again = None if value.node is None else price_of_computing(value.node)
        if value.node is None or again is None or depth == 0:
            return price
        for operand in value.node.operands:
            if again >= price:
                break
            again += self.price_of_having(operand, depth - 1)
        return min(price, again)

    def price_of_parameter(self, value: Value) -> int:
        return self.price_of_result(value)

    def price_of_result(self, value: Value) -> int:
        return price_of_saving(value.type)

    def turns(self) -> int:
        return 1

    # Saving

    def save(self, value: Value) -> Value:
        raise NotImplementedError

    def alias_invariants(self) -> None:
        """Parameters that the reverse block has without saving."""

    def alias_lengths(self) -> None:
        """Sizes that were given before all loops and branches are there without saving."""
        for node in self.primal.nodes:
            given = self.lengths.get(_length(node.result)) if node.op is size else None
            if given is not None:
                self.got[node.result] = given

    def hoist_sizes(self) -> None:
        """Make sizes of primal values primal values themselves: they are saved more cheaply."""
        for block in walk_blocks(self.reverse):
            sizes = [n for n in block.nodes if n.op is size and self.is_inner(n.operands[0])]
            hoisted = [node for node in sizes if not self.zeros.restate(node)]
            if hoisted:
                moved = set(hoisted)
                block.nodes[:] = [node for node in block.nodes if node not in moved]
            for node in hoisted:
                self.hoist(node)

    def hoist(self, node: Node) -> None:
        asked = self.measured(node)
        if self.sizes is None:
            sizes = [n for n in self.primal.nodes if n.op is size]
            self.sizes = {self.measured(n): n.result for n in sizes}
        if asked in self.sizes:
            self.same[node.result] = self.sizes[asked]
            return
        if node.operands[0] in self.zeros.partial:
            node.op = size_if_defined
        source = node.operands[0].node
        place = 0 if source is None else self.primal.nodes.index(source) + 1
        self.primal.nodes.insert(place, node)
        node.result.role = "primal"
        self.sizes[asked] = node.result
        self.homes.home[node.result] = self.primal

    def measured(self, node: Node) -> Hashable:
        """What tells a size: its symbol where that is an argument's, else its array and axis."""
        array, axis = node.operands[0], node.attributes["axis"]
        dim = array.type.shape[axis] if isinstance(array.type, ArrayType) else None
        if isinstance(dim, Size) and not dim.open and array not in self.zeros.partial:
            return dim
        return array, axis


class _Loop(_Region):
    """The body of a loop, which saves values on tapes."""

    def __init__(
        self, pair: Pair, homes: Homes, top: Block | None, zeros: Zeros, lengths: Lengths
    ) -> None:
        super().__init__(pair, homes, top, zeros, lengths)
        assert pair.primal_node is not None
        assert pair.reverse_node is not None
        self.primal_loop = LoopView(pair.primal_node)
        if (
            homes.enclosing(self.outside()) is None and not pair.is_again
        ):  # elsewhere all of the array had to be saved
            self.kept = kept_values(self.primal_loop, self.outside())
        self.reverse_loop = LoopView(pair.reverse_node)

    def turns(self) -> int:
        count = self.primal_loop.count
        known = None if count is None else constant_of(count)
        return TURNS if known is None else max(1, int(known))

    def alias_invariants(self) -> None:
        view = self.primal_loop
        self.got[view.index] = self.reverse_loop.index
        for carry, following, initial in zip(
            view.carries, view.next_carries, view.initial, strict=True
        ):
            if carry is following:
                self.got[carry] = initial

    def rewind(self, saved: set[Value]) -> bool:
        view, reverse = self.primal_loop, self.reverse_loop
        if self.pair.is_again or view.reverse is reverse.reverse:  # of tangents: the same way
            return False
        wanted = saved - self.zeros.partial
        found = list(rewound(view, reverse, wanted, price_of_saving))
        for one in found:
            self.got[one.last] = one.carry
            self.put_back |= one.made_by
            self.parts.update(one.parts)
            self.homes.home.update((part, self.primal) for part in one.parts)
        return bool(found)

    def price_of_parameter(self, value: Value) -> int:
        tape = self.tape_of(value)
        return 0 if tape is not None and self.is_free(tape) else price_of_saving(value.type)

    def price_of_result(self, value: Value) -> int:
        return 1 if value in self.primal_loop.pushed else price_of_saving(value.type)

    def tape_of(self, value: Value) -> Value | None:
        """The tape that a parameter is the element of."""
        view = self.primal_loop
        return view.xs[view.elements.index(value)] if value in view.elements else None

    def save(self, value: Value) -> Value:
        tape = self.tape_of(value) or self.push(value)
        node, body = self.reverse_loop.node, self.reverse
        element = Value(value.type, None, value.name, value.role)
        node.operands = (*node.operands, tape)
        body.parameters = (*body.parameters, element)
        return element

    def push(self, value: Value) -> Value:
        """The tape of a value of the primal body."""
        view = self.primal_loop
        if value in view.pushed:
            return view.ys[view.pushed.index(value)]
        node = view.node
        tape = Value(TapeType(value.type), node, value.name, value.role)
        view.body.results = (*view.body.results, value)
        node.results = (*node.results[:-1], tape, node.results[-1])
        self.homes.home[tape] = self.outside()
        if value in self.zeros.partial:
            self.zeros.partial.add(tape)
        return tape


class _Arm(_Region):
    """An arm of a branch, which saves values as extra results, undefined in the other arm.

    The arms share them where types allow: of both arms only one is taken.
    """

    def price_of_result(self, value: Value) -> int:
        return 1 if value in self.primal.results else price_of_saving(value.type)

    def save(self, value: Value) -> Value:
        node = self.pair.primal_node
        assert node is not None
        if value in self.primal.results:
            return node.results[self.primal.results.index(value)]
        slot = self.vacant(node, value)
        if slot is None:
            return self.widen(node, value)
        results = self.primal.results
        self.primal.results = (*results[:slot], value, *results[slot + 1 :])
        result = node.results[slot]
        result.name = value.name if result.name == value.name else None
        return result

    def vacant(self, node: Node, value: Value) -> int | None:
        """A result that an arm saved and this one leaves undefined, of the value's type."""
        for slot in self.homes.slots.get(node, ()):
            here = self.primal.results[slot].node
            if here is not None and here.op is undefined and node.results[slot].type == value.type:
                return slot
        return None

    def widen(self, node: Node, value: Value) -> Value:
        """One more result."""
        for block in node.blocks:
            given = value if block is self.primal else self.homes.absent_in(block, value.type)
            block.results = (*block.results, given)
        result = Value(value.type, node, value.name, value.role)
        self.homes.home[result] = self.outside()
        self.zeros.partial.add(result)
        self.homes.slots.setdefault(node, []).append(len(node.results))
        node.results = (*node.results, result)
        return result


class _Whole(_Region):
    """A whole graph whose reverse part is a separate graph: it gets values as inputs."""

    def __init__(
        self, pair: Pair, homes: Homes, top: Block | None, zeros: Zeros, lengths: Lengths
    ) -> None:
        super().__init__(pair, homes, top, zeros, lengths)
        self.saved: Saved = []

    def resolve(self) -> None:
        """Sizes of arrays that are saved, and are sure to be there, are read from those."""
        super().resolve()
        places = {
            dim: (given, axis)
            for value, given in reversed(self.saved)
            if isinstance(given.type, ArrayType) and value not in self.zeros.partial
            for axis, dim in enumerate(given.type.shape)
            if isinstance(dim, Size) and not dim.open
        }
        read: dict[Value, Value] = {}
        with building(Builder([])) as made:
            for value, given in self.saved:
                place = places.get(_length(value))  # type: ignore[arg-type]
                if place is not None:
                    read[given] = size(place[0], axis=place[1])
        self.saved = [pair for pair in self.saved if pair[1] not in read]
        substitute(self.reverse, read)
        self.reverse.nodes[:0] = made.nodes

    def price_of_result(self, value: Value) -> int:
        """Little: the value is there, it only has to be kept. A number made of lengths says more
        where it is made again.
        """
        count = elements(value.type)
        if count == 1:
            return 100 if of_arguments(value) is not None else 25
        return 100 + count

    def save(self, value: Value) -> Value:
        given = Value(value.type, None, value.name, value.role)
        self.saved.append((value, given))
        return given


def _length(value: Value) -> Dim | None:
    """The dimension whose length a value is."""
    node = value.node
    if node is None or node.op is not size:
        return None
    type_ = node.operands[0].type
    return type_.shape[node.attributes["axis"]] if isinstance(type_, ArrayType) else None


# Rewriting --------------------------------------------------------------------------------------


def reads(node: Node) -> Iterable[Value]:
    """What a node reads, in its blocks too (values of those blocks included)."""
    yield from node.operands
    for outer in node.blocks:
        yield from read_values(outer)


def read_values(block: Block) -> list[Value]:
    """All values read in a block and the blocks in it, each once."""
    read: list[Sequence[Value]] = []
    for inner in walk_blocks(block):
        read += [node.operands for node in inner.nodes]
        read.append(inner.results)
    return list(dict.fromkeys(chain.from_iterable(read)))


def values_beside_sizes(block: Block) -> set[Value]:
    """The values that nodes read in a block and the blocks in it, those left out of which nothing
    but lengths are asked.
    """
    nodes = (node for node in walk_nodes(block) if node.op is not size)
    return {value for node in nodes for value in node.operands}


def rewrite(
    block: Block, got: dict[Value, Value], recomputed: set[Value], kept: Mapping[Value, Node]
) -> None:
    """Replace values by what they are called here; compute some again before their first use."""
    new = dict(got)
    made_by = {value: kept.get(value, value.node) for value in recomputed}
    with building(Builder([])) as made:
        for node in block.nodes:
            for value in reads(node):
                _compute(value, made_by, new)
            made.nodes.append(node)
        for value in block.results:
            _compute(value, made_by, new)
    block.nodes[:] = made.nodes
    substitute(block, new)


def _compute(value: Value, made_by: Mapping[Value, Node | None], new: dict[Value, Value]) -> None:
    stack = [value]
    while stack:
        value = stack[-1]
        missing: list[Value] = []
        node = made_by.get(value)
        if node is not None and value not in new:
            missing = [v for v in node.operands if v in made_by and v not in new]
            if not missing:
                copy_into(node, new)
                new[value] = new[node.result]
        stack.extend(missing)
        if not missing:
            stack.pop()
