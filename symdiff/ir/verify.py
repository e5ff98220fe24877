"""The verifier: a graph enters; an ``InternalError`` that shows it leaves where it is malformed.

It holds of a graph that is well formed: every value is defined once, before it is read, in the
block that reads it or one around it; each node's results are those its op infers (up to the symbols
of sizes); carries of loops keep their types, arms of branches join, tapes are read by their
elements; inputs, output and mutated arguments fit the block. Derivatives meet these as everything
does: a cotangent is a carry, an element of a tape or an arm's result of its primal's type.

In a derivative no number rests on arithmetic of NumPy's integers, which wraps, or on a function of
them in less than double precision: they are converted first, or stand beside floats. Of places and
lengths, which are no numbers of the derivative, sums and products may be made, and counts of bools.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import InternalError
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Value, walk_nodes
from symdiff.ir.printer import print_graph
from symdiff.ir.structure import leaf_numbers
from symdiff.ir.types import ArrayType, Dim, ListType, TapeType, Type, real_dtype, takes

_DOUBLE = 8  # bytes
_WIDEST = np.dtype("int64")


def is_asked_for() -> bool:
    """Return whether the environment asks for verification (``SYMDIFF_VERIFY=1``); read when a
    signature is compiled.
    """
    return os.environ.get("SYMDIFF_VERIFY", "") not in ("", "0")


def verify(graph: Graph) -> None:
    """Raise an ``InternalError`` with the text of the graph where it is not well formed.

    Graphs that are called are verified as well. Linear in their size.
    """
    _verify(graph, _verify_graph)


def verify_numbers(graph: Graph) -> None:
    """Raise an ``InternalError`` where a number of a derivative rests on arithmetic of integers."""
    _verify(graph, _verify_numbers)


def verify_scopes(graph: Graph) -> None:
    """Raise an ``InternalError`` where a value is read in a place in which it is not defined.

    A derivative by such a value would be lost without a word.
    """
    _verify(graph, lambda checked: _verify_blocks(checked.block, _define))


def _verify(graph: Graph, check: Callable[[Graph], list[Graph]]) -> None:
    """Check a graph and those that it calls, which ``check`` gives."""
    seen: set[int] = set()
    pending = [graph]
    while pending:
        checked = pending.pop()
        if id(checked) in seen:
            continue
        seen.add(id(checked))
        try:
            called = check(checked)
        except _Malformed as error:
            raise InternalError(error.message, error.span, ir=_text(checked)) from error.cause
        pending.extend(called)


def _text(graph: Graph) -> str:
    try:
        return print_graph(graph)
    except RecursionError:
        return f"graph {graph.name}, whose attributes are nested too deeply to be shown"


def _verify_numbers(graph: Graph) -> list[Graph]:
    wrapping: set[Value] = set()
    called: list[Graph] = []
    for node in walk_nodes(graph.block):
        called += _callee(node)
        _check_numbers(node, wrapping)
    return called


class _Malformed(Exception):  # noqa: N818 - turned into an InternalError with the whole graph
    def __init__(self, message: str, node: Node | None, cause: Exception | None = None) -> None:
        super().__init__(message)
        self.message = message if node is None else f"{message}, in {node!r}"
        self.span = None if node is None else node.span
        self.cause = cause


def _require(fact: bool, message: str, node: Node | None = None) -> None:
    if not fact:
        raise _Malformed(message, node)


def _verify_graph(graph: Graph) -> list[Graph]:
    """Check one graph; the graphs that it calls."""
    block = graph.block
    _require(len(graph.inputs) == len(block.parameters), "inputs do not pair with parameters")
    for index in leaf_numbers(graph.output):
        _require(0 <= index < len(block.results), f"the output has a leaf {index}, with no result")
    for parameter, result in graph.mutated.items():
        _require(0 <= parameter < len(block.parameters), f"there is no input {parameter}")
        _require(0 <= result < len(block.results), f"there is no result {result}")
        before, after = block.parameters[parameter].type, block.results[result].type
        _require(_alike(before, after), "a mutated input changes its type")
    return _verify_blocks(block, _finish)


# Scopes


@dataclass(slots=True)
class _Open:
    """A block being checked: its nodes still to come, what it defined, the node that it is of."""

    block: Block
    owner: Node | None
    nodes: Iterator[Node]
    defined: list[Value]


class _Scopes:
    """The values that can be read here, and all that were defined anywhere.

    ``wrapping``: integers that derivatives have made by arithmetic, or of such.
    """

    def __init__(self) -> None:
        self.visible: set[Value] = set()
        self.wrapping: set[Value] = set()
        self.ever: set[Value] = set()
        self.stack: list[_Open] = []

    def enter(self, block: Block, owner: Node | None) -> None:
        self.stack.append(_Open(block, owner, iter(block.nodes), []))
        for value in block.parameters:
            if value.node is not None:
                raise _Malformed(f"parameter {value!r} has a node", owner)
        self.define(block.parameters, owner)

    def leave(self) -> None:
        closed = self.stack.pop()
        self.read(closed.block.results, closed.owner)
        self.visible.difference_update(closed.defined)

    def define(self, values: Iterable[Value], node: Node | None) -> None:
        for value in values:
            if value in self.ever:
                raise _Malformed(f"{value!r} is defined twice", node)
            self.ever.add(value)
            self.visible.add(value)
            self.stack[-1].defined.append(value)

    def read(self, values: Iterable[Value], node: Node | None) -> None:
        for value in values:
            if value not in self.visible:
                where = "outside its scope" if value in self.ever else "before it is defined"
                raise _Malformed(f"{value!r} is used {where}", node)


def _verify_blocks(block: Block, finish: Callable[[Node, _Scopes], None]) -> list[Graph]:
    scopes = _Scopes()
    called: list[Graph] = []
    scopes.enter(block, None)
    inner: list[tuple[Block, Node]] = []  # blocks of the current node that are still to come
    waiting: list[list[tuple[Block, Node]]] = []
    while scopes.stack:
        if inner:
            nested, owner = inner.pop(0)
            scopes.enter(nested, owner)
            waiting.append(inner)
            inner = []
            continue
        node = next(scopes.stack[-1].nodes, None)
        if node is not None:
            scopes.read(node.operands, node)
            called += _callee(node)
            inner = [(nested, node) for nested in node.blocks]
            if not inner:
                finish(node, scopes)
            continue
        inner = _leave(scopes, waiting, finish)
    return called


def _leave(
    scopes: _Scopes,
    waiting: list[list[tuple[Block, Node]]],
    finish: Callable[[Node, _Scopes], None],
) -> list[tuple[Block, Node]]:
    """Close a block; those of its node that are still to come. The last closes the node, too."""
    owner = scopes.stack[-1].owner
    scopes.leave()
    if owner is None:
        return []
    inner = waiting.pop()
    if not inner:
        finish(owner, scopes)
    return inner


def _define(node: Node, scopes: _Scopes) -> None:
    scopes.define(node.results, node)


def _finish(node: Node, scopes: _Scopes) -> None:
    for value in node.results:
        if value.node is not node:
            raise _Malformed(f"{value!r} names another node as its own", node)
    if node.op in _STRUCTURE:
        _STRUCTURE[node.op](node)
    _check_types(node)
    _check_numbers(node, scopes.wrapping)
    scopes.define(node.results, node)


def _callee(node: Node) -> list[Graph]:
    if "callee" not in node.attributes:
        return []
    cell: GraphCell = node.attributes["callee"]
    return [] if cell.graph is None else [cell.graph]


# Types


def _check_types(node: Node) -> None:
    types = [value.type for value in node.operands]
    infer = node.op.infer
    try:
        inferred = infer(node) if node.blocks else infer(*types, **node.attributes)
    except Exception as error:
        raise _Malformed(f"no types can be inferred: {error}", node, error) from error
    _require(len(inferred) == len(node.results), f"{len(inferred)} results were expected", node)
    for value, type_ in zip(node.results, inferred, strict=True):
        if not _alike(value.type, type_):
            raise _Malformed(f"{value!r} should be {type_}", node)


def _check_numbers(node: Node, wrapping: set[Value]) -> None:
    """No number of a derivative rests on arithmetic of integers; ``wrapping`` grows by its results.

    A product of Python's integers is exact, and so is a count of bools, and the order of a function
    next to another.
    """
    if not node.results or node.results[0].role not in ("cotangent", "tangent"):
        return  # a definition computes as its library does
    given = [value for k, value in enumerate(node.operands) if node.op.computes_with(k)]
    wraps = not wrapping.isdisjoint(given)
    kinds = {_kind(value.type) for value in given}
    for value in node.results:
        kind = _kind(value.type)
        if kind in "iub" and kind:
            counts = kind != "b" and kinds == {"b"}
            exact = _is_pythons(value.type) or counts or _is_shift(node)
            if wraps or (node.op.arithmetic and not exact):
                wrapping.add(value)
        elif kind:
            _require(not wraps, "a number of a derivative rests on integer arithmetic", node)
            precise = not node.op.arithmetic or not kinds or not kinds <= set("iub")
            _require(precise or _is_double(value.type), "integers give less than doubles", node)


def _is_shift(node: Node) -> bool:
    """Return whether a node adds a known number to a signed integer of 64 bits: it is an order."""
    if node.op.name not in ("add", "subtract") or not _is_wide(node.results[0].type):
        return False
    first, second = node.operands
    return _is_wide(first.type) and second.node is not None and second.node.op.name == "constant"


def _is_wide(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and type_.dtype == _WIDEST


def _kind(type_: Type) -> str:
    """The kind of a number's dtype; nothing for what is no number."""
    return type_.dtype.kind if isinstance(type_, ArrayType) else ""


def _is_pythons(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and type_.weak


def _is_double(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and real_dtype(type_.dtype).itemsize >= _DOUBLE


def _alike(a: Type, b: Type) -> bool:
    """Return whether two types can be of one value, whatever the symbols of sizes are called."""
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        if (a.dtype, a.kind, a.rank) != (b.dtype, b.kind, b.rank):
            return False
        return all(_same_size(m, n) for m, n in zip(a.shape, b.shape, strict=True))
    if isinstance(a, ListType | TapeType) and isinstance(b, ListType | TapeType):
        return type(a) is type(b) and _alike(a.element, b.element)
    return a == b


def _same_size(a: Dim, b: Dim) -> bool:
    if isinstance(a, int) or isinstance(b, int):
        return a == b or not (isinstance(a, int) and isinstance(b, int))
    return a.symbol != b.symbol or a.offset == b.offset


def _goes_on(following: Type, carry: Type) -> bool:
    """Return whether a turn can hand a value on; where a size is open it may differ from turn to
    turn.
    """
    if isinstance(following, ArrayType) and isinstance(carry, ArrayType):
        sizes = zip(following.shape, carry.shape, strict=False)
        shape = tuple(b if takes(b, a) else a for a, b in sizes)
        return _alike(replace(following, shape=shape), carry) and following.rank == carry.rank
    return _alike(following, carry)


def _check_loop(node: Node) -> None:
    view = LoopView(node)
    carries = view.carry_count
    _require(len(node.blocks) in (1, 2), "a loop has a body and perhaps a condition", node)
    counted = view.bounded and view.condition is None
    _require(counted or not view.reverse, "a loop without a count runs backwards", node)
    _require(view.bounded or view.condition is not None, "a loop without an end", node)
    _require(len(node.operands) >= carries + view.bounded, "operands are missing", node)
    parameters = 1 + carries + len(view.xs)
    _require(len(view.body.parameters) == parameters, "the body's parameters do not fit", node)
    _require(len(view.body.results) >= carries, "the body's results do not fit", node)
    _require(len(node.results) == len(view.body.results) + 1, "the loop's results do not fit", node)
    _check_turns(view)
    _check_carries(view)
    _check_condition(view)


def _check_turns(view: LoopView) -> None:
    for value in (view.index, *([] if view.count is None else [view.count])):
        _require(_is_integer(value.type), f"{value!r} does not count", view.node)
    for tape, element in zip(view.xs, view.elements, strict=True):
        fits = isinstance(tape.type, TapeType) and _alike(tape.type.element, element.type)
        _require(fits, f"{element!r} is no element of {tape!r}", view.node)


def _check_carries(view: LoopView) -> None:
    for first, carry, following in zip(view.initial, view.carries, view.next_carries, strict=True):
        starts, goes_on = _alike(first.type, carry.type), _goes_on(following.type, carry.type)
        _require(starts, f"{carry!r} starts from {first!r}", view.node)
        _require(goes_on, f"{carry!r} goes on as {following!r}", view.node)


def _check_condition(view: LoopView) -> None:
    condition = view.condition
    if condition is None:
        return
    expected = [view.index.type, *(carry.type for carry in view.carries)]
    given = [value.type for value in condition.parameters]
    fits = len(given) == len(expected) and all(map(_alike, given, expected))
    _require(fits, "the condition's parameters do not fit", view.node)
    _require(len(condition.results) == 1, "a condition has one result", view.node)


def _check_cond(node: Node) -> None:
    fits = len(node.operands) == 1 and len(node.blocks) == 2
    _require(fits, "a cond has a predicate and two arms", node)
    then, orelse = node.blocks
    _require(not (then.parameters or orelse.parameters), "arms have no parameters", node)
    _require(len(then.results) == len(orelse.results), "the arms' results do not pair", node)
    for value, *arms in zip(node.results, then.results, orelse.results, strict=False):
        for arm in arms:
            fits = _is_undefined(arm) or _alike(arm.type, value.type)
            _require(fits, f"{arm!r} does not join to {value!r}", node)


def _check_call(node: Node) -> None:
    cell: GraphCell = node.attributes["callee"]
    if cell.graph is None:
        return
    block = cell.graph.block
    pairs = ((node.operands, block.parameters), (node.results, block.results))
    for given, expected in pairs:
        fits = len(given) == len(expected)
        fits = fits and all(_alike(a.type, b.type) for a, b in zip(given, expected, strict=True))
        _require(fits, f"the call does not fit graph {cell.name!r}", node)


def _is_undefined(value: Value) -> bool:
    return value.node is not None and value.node.op is undefined


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and type_.dtype.kind in "iub" and type_.rank == 0


_STRUCTURE = {loop: _check_loop, cond: _check_cond, **dict.fromkeys(CALLS, _check_call)}
