"""Structured control: loops, branches, calls of graphs, and named views of their parts.

``loop``: while the turn's index is below ``count`` (where ``bounded``) and the condition block
(where there is one) gives true, the body runs. ``xs`` are tapes read one element a turn, ``ys``
tapes written one element a turn, both indexed by the turn whatever the direction: ``reverse`` runs
the indices from ``count - 1`` down to 0 (such a loop is bounded and has no condition).

    operands            (count?, *carries, *xs)
    body parameters     (index, *carries, *elements of xs)
    body results        (*next carries, *elements of ys)
    condition           parameters (index, *carries), results (predicate,)
    results             (*carries, *ys, turns)

``cond``: one operand, the predicate; two blocks without parameters; the results of the block taken.
A result that an arm does not define is ``undefined`` there and must not be read after that arm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdiff.dataclass import dataclass
from symdiff.errors import rejection
from symdiff.ir.build import builder, constant
from symdiff.ir.graph import Block, GraphCell, Node, Op, Value
from symdiff.ir.types import (
    INT,
    ArrayType,
    Dim,
    ListType,
    Size,
    TapeType,
    Type,
    is_long,
    varying,
    with_symbols,
)


@dataclass(frozen=True, slots=True)
class LoopView:
    """The parts of a loop node by name."""

    node: Node

    @property
    def bounded(self) -> bool:
        return bool(self.node.attributes["bounded"])

    @property
    def reverse(self) -> bool:
        return bool(self.node.attributes["reverse"])

    @property
    def carry_count(self) -> int:
        count: int = self.node.attributes["carries"]
        return count

    @property
    def body(self) -> Block:
        return self.node.blocks[0]

    @property
    def condition(self) -> Block | None:
        return self.node.blocks[1] if len(self.node.blocks) > 1 else None

    @property
    def count(self) -> Value | None:
        return self.node.operands[0] if self.bounded else None

    @property
    def has_turns(self) -> bool:
        """True if there is a turn for sure, none being left early."""
        node = None if self.count is None or self.condition is not None else self.count.node
        return node is not None and node.op is constant and bool(node.attributes["value"] > 0)

    @property
    def initial(self) -> tuple[Value, ...]:
        """What the carries start from."""
        start = 1 if self.bounded else 0
        return self.node.operands[start : start + self.carry_count]

    @property
    def xs(self) -> tuple[Value, ...]:
        return self.node.operands[int(self.bounded) + self.carry_count :]

    @property
    def index(self) -> Value:
        return self.body.parameters[0]

    @property
    def carries(self) -> tuple[Value, ...]:
        return self.node.blocks[0].parameters[1 : 1 + self.carry_count]

    @property
    def elements(self) -> tuple[Value, ...]:
        """The elements of ``xs`` in a turn."""
        return self.body.parameters[1 + self.carry_count :]

    def numbers_where(
        self, holds: Callable[[Value], bool]
    ) -> tuple[list[int], list[int], list[int]]:
        """The numbers of the carries, the elements and the ``ys`` for whose values it holds."""
        ends = zip(self.carries, self.finals, strict=True)
        carries = [k for k, pair in enumerate(ends) if any(map(holds, pair))]
        elements = [k for k, value in enumerate(self.elements) if holds(value)]
        return carries, elements, [k for k, value in enumerate(self.ys) if holds(value)]

    @property
    def next_carries(self) -> tuple[Value, ...]:
        return self.node.blocks[0].results[: self.carry_count]

    @property
    def pushed(self) -> tuple[Value, ...]:
        """The elements of ``ys`` in a turn."""
        return self.body.results[self.carry_count :]

    @property
    def finals(self) -> tuple[Value, ...]:
        return self.node.results[: self.carry_count]

    @property
    def ys(self) -> tuple[Value, ...]:
        return self.node.results[self.carry_count : -1]

    @property
    def turns(self) -> Value:
        return self.node.results[-1]

    @property
    def varying(self) -> set[str]:
        """The symbols of sizes that carries have in the body and that differ from turn to turn."""
        pairs = [*zip(self.carries, self.initial, strict=True)]
        pairs += zip(self.carries, self.next_carries, strict=True)
        return {symbol for head, other in pairs for symbol in varying(head.type, other.type)}


def with_carry(view: LoopView, initial: Value, carry: Value, following: Value) -> Value:
    """The final value of a new carry behind the others; the loop has no condition."""
    node, body, count = view.node, view.body, view.carry_count
    final = Value(initial.type, node, None, initial.role)
    start = int(view.bounded) + count
    node.operands = (*node.operands[:start], initial, *node.operands[start:])
    body.parameters = (*body.parameters[: 1 + count], carry, *body.parameters[1 + count :])
    body.results = (*body.results[:count], following, *body.results[count:])
    node.results = (*node.results[:count], final, *node.results[count:])
    node.attributes = {**node.attributes, "carries": count + 1}
    return final


def _infer_loop(node: Node) -> tuple[Type, ...]:
    """Sizes that vary by turn have other names behind the loop: in the body they are a turn's."""
    view = LoopView(node)
    ys = tuple(TapeType(value.type) for value in view.pushed)
    last = {symbol: f"last({symbol})" for symbol in view.varying}
    return (*(with_symbols(value.type, last) for value in view.carries), *ys, INT)


def _infer_cond(node: Node) -> tuple[Type, ...]:
    then, orelse = node.blocks
    test = node.operands[0].number
    pairs = zip(then.results, orelse.results, strict=True)
    return tuple(join(a, b, f"if(%{test},%{a.number},%{b.number})") for a, b in pairs)


def join(a: Value, b: Value, symbol: str) -> Type:
    """The type of a value that is ``a`` or ``b``: sizes in which they differ are open."""
    if a.node is not None and a.node.op is undefined:
        return b.type
    if b.node is not None and b.node.op is undefined:
        return a.type
    return join_types(a.type, b.type, symbol)


def join_types(a: Type, b: Type, symbol: str) -> Type:
    """The least type of both; raises ``TypeError`` where dtype, kind or rank differ."""
    if a == b:
        return a
    if isinstance(a, ListType) and isinstance(b, ListType):
        return ListType(join_types(a.element, b.element, symbol))
    if isinstance(a, TapeType) and isinstance(b, TapeType):
        return TapeType(join_types(a.element, b.element, symbol))
    if isinstance(a, ArrayType) and isinstance(b, ArrayType) and alike(a, b):
        pairs = enumerate(zip(a.shape, b.shape, strict=True))
        shape = tuple(_join_dims(m, n, f"{symbol}.{k}") for k, (m, n) in pairs)
        return ArrayType(a.dtype, shape, a.kind)
    raise rejection(TypeError, f"{a} in one branch, {b} in the other")


def alike(a: ArrayType, b: ArrayType) -> bool:
    """Return whether two types differ in sizes at most."""
    return (a.dtype, a.kind, a.rank) == (b.dtype, b.kind, b.rank)


def _join_dims(a: Dim, b: Dim, symbol: str) -> Dim:
    return a if a == b else Size(symbol, 0, open=True, long=is_long(a) and is_long(b))


def _infer_undefined(*, type: Type) -> tuple[Type, ...]:
    return (type,)


def _infer_call(
    *operands: Type,
    callee: GraphCell,
    types: tuple[Type, ...],
    attempted: bool = False,
    seeded: bool = False,
) -> tuple[Type, ...]:
    """``attempted``: what it raises was asked before, of the call as a whole. ``seeded``: see
    ``ops.strong``.
    """
    return types


loop = Op("loop", _infer_loop, raises=True, cost="heavy")
cond = Op("cond", _infer_cond, raises=True, cost="heavy")
call = Op("call", _infer_call, raises=True, cost="heavy", varied=True)
perform = Op("perform", _infer_call, effect=True, raises=True, cost="heavy", varied=True)
CALLS = call, perform  # of a graph; one that has effects is performed
ATTEMPTED = "attempted"  # an attribute of calls
undefined = Op("undefined", _infer_undefined, lambda *, type: None, cost="free")


def holds_turns(tape: Value, count: Value) -> bool:
    """Return whether a tape is known to have as many elements as a loop of this count has turns."""
    measured = count.node is not None and count.node.op.name == "tape_length"
    if measured and count.node is not None and count.node.operands[0] is tape:
        return not count.node.attributes.get("partial")  # there may be no tape at all
    maker = tape.node
    if maker is None or maker.op is not loop:
        return False
    view = LoopView(maker)
    return count is view.turns or (count is view.count and view.condition is None)


def emit_loop(
    count: Value | None,
    initial: Sequence[Value],
    xs: Sequence[Value],
    body: Block,
    condition: Block | None = None,
    *,
    reverse: bool = False,
) -> Node:
    """Append a loop to the current builder."""
    bound = () if count is None else (count,)
    attributes = {"carries": len(initial), "bounded": count is not None, "reverse": reverse}
    blocks = (body,) if condition is None else (body, condition)
    return builder().emit(loop, (*bound, *initial, *xs), attributes, blocks)


def emit_cond(predicate: Value, then: Block, orelse: Block) -> Node:
    """Append a branch to the current builder."""
    return builder().emit(cond, (predicate,), {}, (then, orelse))


def in_arms(value: Value) -> tuple[Value, ...]:
    """What a result of a branch is in each arm."""
    assert value.node is not None
    number = value.node.results.index(value)
    return tuple(block.results[number] for block in value.node.blocks)


def is_fixed(value: Value) -> bool:
    """Return whether a value is a constant, or one that nothing reads."""
    return value.node is not None and value.node.op in (constant, undefined)


def emit_undefined(type_: Type) -> Value:
    """A value that nothing reads, of the given type."""
    return builder().emit(undefined, (), {"type": type_}).result
