"""Values that structure depends on, and the inputs to fix so that they are known.

What is needed at compile time enters as a staged value; a ``StaticDemand`` leaves that names the
arguments, free variables and dimensions behind it, or an error where there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symdiff.errors import SymdiffError, UnsupportedSyntaxError
from symdiff.ir.build import is_constant
from symdiff.ir.control import CALLS, cond, in_arms, loop
from symdiff.ir.graph import FreeVariable, Node, Value
from symdiff.ir.signature import Aspect, Path
from symdiff.ir.types import ArrayType, ListType, Size, Type
from symdiff.ops import sizes
from symdiff.ops.declare import NeedsStatic, static
from symdiff.ops.index import index
from symdiff.ops.recording import tap
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.staged import StaticDemand
from symdiff.parse.values import Conflict, ConflictRead, Unnamed
from symdiff.source import SourceSpan


def demand(interp: Interpreter, value: Value, with_outcomes: bool = True) -> Exception:
    """The inputs that a wanted value is computed from, as a request to fix them, or the outcomes of
    comparisons; else an error.

    A ``ConflictRead`` where following a loop turn by turn may tell the length of a list.
    """
    search = _Search(interp, with_outcomes=with_outcomes)
    refused = search.behind([value])
    if refused is not None:
        return refused
    if search.paths or search.places:
        return StaticDemand(tuple(search.paths), interp.span, frozenset(search.places))
    refusal = _not_static(interp, value)
    for span in search.loops:
        if span not in interp.policy.unrolled:
            return ConflictRead(Conflict("list", str(refusal), interp.span, loop=span))
    return refusal


def decided_outside(interp: Interpreter, value: Value) -> StaticDemand | None:
    """The request for a value of which floats outside tell, too: for what is refused otherwise.

    A program is compiled anew for each value that such a float has, and most may have any.
    Nothing is differentiated by them: floats of arguments are never fixed.
    """
    search = _Search(interp, with_floats=True)
    if search.behind([value]) is not None or not search.paths:
        return None
    return StaticDemand(tuple(search.paths), interp.span, frozenset(search.places))


def obtainable(interp: Interpreter, value: Value) -> StaticDemand | None:
    """The request for a value, where it can be fixed."""
    wanted = demand(interp, value)
    return wanted if isinstance(wanted, StaticDemand) else None


def can_be_known(interp: Interpreter, value: Value, with_outcomes: bool = False) -> bool:
    """Return whether there is something to fix, or to follow turn by turn, that may tell a value.

    ``with_outcomes``: those of comparisons outside, too, where the value does not do as it is.
    """
    return not isinstance(demand(interp, value, with_outcomes), SymdiffError)


def known(interp: Interpreter, value: Any, hint: str) -> Any:
    """A value that has to be static; an error with a hint where it cannot be."""
    try:
        return static(value)
    except NeedsStatic as needed:
        needed.hint = needed.hint or hint
        needed.span = needed.span or interp.span
        raise


class _Search:
    """What a value is computed from: ``paths`` to fix, ``pending`` values to look behind.

    ``branch``: the first result of a branch that has been looked behind. ``given``: the parameters
    of the graph that is looked into, if any, with the places of those that were met in ``asked``;
    ``called``: what has been found of the results of graphs that are called. ``with_floats``:
    floats of free variables are fixed, too; ``with_outcomes``: what they give where they are
    compared is, at ``places``.
    """

    def __init__(
        self,
        interp: Interpreter,
        given: Sequence[Value] = (),
        with_floats: bool = False,
        with_outcomes: bool = True,
    ) -> None:
        self.interp, self.with_floats, self.with_outcomes = interp, with_floats, with_outcomes
        self.given = {value: place for place, value in enumerate(given)}
        self.asked: dict[int, None] = {}
        self.called: dict[Value, _Search | Exception] = {}
        self.paths: dict[Path, None] = {}
        self.places: dict[SourceSpan, None] = {}
        self.loops: dict[SourceSpan, None] = {}  # that lists grew in, of known counts
        self.branch: Value | None = None
        self.pending: list[Value] = []
        self.seen: set[Value] = set()

    def behind(self, values: Iterable[Value]) -> Exception | None:
        """Look behind values; an error where one of them cannot be fixed."""
        self.add(values)
        while self.pending:
            value = self.pending.pop()
            node = value.node
            refused = self.parameter(value) if node is None else self.computed(value, node)
            if refused is not None:
                return refused if self.branch is None else _not_static(self.interp, self.branch)
        return None

    def add(self, values: Iterable[Value]) -> None:
        for value in values:
            if value not in self.seen:
                self.seen.add(value)
                self.pending.append(value)

    def parameter(self, value: Value) -> Exception | None:
        """Take up an input; an error where it is none, or cannot be fixed."""
        interp = self.interp
        if value in self.given:
            self.asked[self.given[value]] = None
            return None
        if value not in interp.path_of:
            return UnsupportedSyntaxError(
                "structure depends on a value that changes in a loop",
                interp.span,
                "loop over a tuple or a range of constants, or use arrays",
            )
        path = interp.path_of[value]
        if not (can_be_fixed(value) or (self.with_floats and _is_float_outside(value, path))):
            return _not_static(interp, value)
        self.paths[path] = None
        return None

    def computed(self, value: Value, node: Node) -> Exception | None:
        """Look behind a node; an error where its result is known at run time only."""
        place = self.interp.outcomes.get(value) if self.with_outcomes else None
        if place is not None and place not in self.interp.policy.compared:
            self.places[place] = None
            return None
        if node.op is sizes.size:
            return self._size(value, node)
        if node.op in CALLS and node.attributes["callee"].unlike:
            return self._called(value, node)
        if node.op is cond:
            self.branch = self.branch or value
            self.add((node.operands[0], *in_arms(value)))
            return None
        count = _count_behind(value, node)
        if count and node.op is loop and node.span is not None and is_constant(count[0]):
            self.loops[node.span] = None
        if count is None and (node.blocks or node.op.effect):
            return _not_static(self.interp, value)
        self.add(_telling(node) if count is None else count)
        return None

    def _called(self, value: Value, node: Node) -> Exception | None:
        """Look into a graph that is called, and behind what decides there of what it is given."""
        block = node.attributes["callee"].graph.block
        result = block.results[node.results.index(value)]
        found = self.called.get(result)
        if found is None:
            options = self.with_floats, self.with_outcomes
            search = _Search(self.interp, block.parameters, *options)
            search.called = self.called
            found = self.called[result] = search.behind([result]) or search
        if isinstance(found, Exception):
            return found
        self.paths |= found.paths
        self.places |= found.places
        self.loops |= found.loops
        self.branch = self.branch or found.branch
        self.add(node.operands[place] for place in found.asked)
        return None

    def _size(self, value: Value, node: Node) -> Exception | None:
        path = _size_path(self.interp, node)
        if path is not None:
            self.paths[path] = None
            return None
        lengths = _lengths_behind(self.interp, node.operands[0], self.paths)
        self.add(lengths or ())
        return _not_static(self.interp, value) if lengths is None else None


def _lengths_behind(
    interp: Interpreter, array: Value, paths: dict[tuple[Any, ...], None]
) -> list[Value] | None:
    """What the shape of a computed array depends on: integers, and inputs' dimensions (``paths``).

    None where elements decide: a mask, a branch, a loop.
    """
    lengths: list[Value] = []
    pending, seen = [array], {array}
    while pending:
        value = pending.pop()
        named = _named_dimensions(interp, value)
        if named is not None:
            paths.update(dict.fromkeys(named))
            continue
        node = value.node
        if node is None or node.blocks or node.op.effect or _elements_decide(node):
            return None
        for operand in _telling(node):
            if operand not in seen:
                seen.add(operand)
                if isinstance(operand.type, ArrayType) and operand.type.shape:
                    pending.append(operand)
                elif _counts(operand.type):
                    lengths.append(operand)
    return lengths


def _counts(type_: Type) -> bool:
    """Return whether a value of a type may be a length, or has one."""
    return isinstance(type_, ListType) or (
        isinstance(type_, ArrayType) and type_.dtype.kind in "iu"
    )


def _telling(node: Node) -> tuple[Value, ...]:
    """The operands that a result depends on: not the number that a mark keeps a value under."""
    return node.operands[:1] if node.op is tap else node.operands


def _elements_decide(node: Node) -> bool:
    """Return whether the shape of a node's result depends on elements of arrays."""
    masks = (v.type for v in node.operands[1:] if isinstance(v.type, ArrayType))
    masked = node.op is index and any(t.dtype.kind == "b" and t.shape for t in masks)
    return masked or node.op.name in ("nonzero", "repeat")


def _named_dimensions(interp: Interpreter, value: Value) -> list[Path] | None:
    """The paths of the inputs' dimensions that an array has; None where it has others too."""
    if not isinstance(value.type, ArrayType):
        return None
    paths = [_path_of(interp, size) for size in value.type.shape if isinstance(size, Size)]
    known = [path for path in paths if path is not None]
    return known if len(known) == len(paths) else None


def input_sizes(interp: Interpreter) -> tuple[Path, ...]:
    """The paths of all dimensions of input arrays that are not constants."""
    found = [path for value in interp.parameters for path in _named_dimensions(interp, value) or ()]
    return tuple(dict.fromkeys(found))


def _count_behind(value: Value, node: Node) -> list[Value] | None:
    """What the length of a list comes from: the counts of the loops that it grew in."""
    if node.op.name == "list_length" or isinstance(value.type, ListType):
        if node.op.name in ("list_new", "undefined"):
            return []
        if node.op is loop and node.attributes["bounded"] and len(node.blocks) == 1:
            start = 1 + list(node.results).index(value)
            return [node.operands[0], node.operands[start]]
        if node.op.name == "list_concatenate":
            return list(node.operands)
        if node.op.name.startswith("list_"):
            return [node.operands[0]]
    return None


def _size_path(interp: Interpreter, node: Node) -> Path | None:
    """The path of the input dimension that a ``size`` node measures (plus an offset)."""
    type_ = node.operands[0].type
    dim = type_.shape[node.attributes["axis"]] if isinstance(type_, ArrayType) else None
    return _path_of(interp, dim) if isinstance(dim, Size) else None


def _path_of(interp: Interpreter, size: Size) -> Path | None:
    """The path of the input dimension that a size is (plus an offset)."""
    for parameter, input_ in zip(interp.parameters, interp.inputs, strict=True):
        if isinstance(parameter.type, ArrayType):
            for axis, other in enumerate(parameter.type.shape):
                if isinstance(other, Size) and other.symbol == size.symbol:
                    return (*input_.path, Aspect("size", axis))
    return None


def can_be_fixed(value: Value) -> bool:
    """Return whether a value is a number that a program can be compiled for."""
    type_ = value.type
    return isinstance(type_, ArrayType) and not type_.shape and type_.dtype.kind in "iub"


def _is_float_outside(value: Value, path: Path) -> bool:
    """Return whether a value is a float that no argument holds: no derivative is asked by it."""
    type_ = value.type
    if not isinstance(type_, ArrayType) or type_.kind == "array":
        return False
    return type_.dtype.kind == "f" and isinstance(path[0], FreeVariable)


def _not_static(interp: Interpreter, value: Value) -> Exception:
    has_name = value.name and not isinstance(value.name, Unnamed)
    what = f"'{value.name}'" if has_name else "a computed value"
    return UnsupportedSyntaxError(
        f"structure depends on {what}, which is known at run time only",
        interp.span,
        "make it an int argument, or a constant",
    )
