"""Cotangents while they are built: what has accumulated for each primal value, zeros, casts.

At the edges of loops, branches and calls a cotangent has exactly its primal's type, which
``fitted`` brings about; within a block its kind follows NumPy. A tape's cotangent is a list of
tapes, as no tape is ever added to another where it can be passed on.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from symdiff.differentiate.cases import Choice
from symdiff.differentiate.products import joined, settled
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import LoopView, emit_loop, emit_undefined
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import INT, ArrayType, Dim, Kind, ListType, OpaqueType, Size, TapeType
from symdiff.ops.arithmetic import add, constant_of
from symdiff.ops.casts import as_dtype_of, as_scalar, astype, python_complex, python_float
from symdiff.ops.creation import list_zeros_like, zeros
from symdiff.ops.declare import array_type
from symdiff.ops.index import index_add
from symdiff.ops.lists import list_accumulate, list_add
from symdiff.ops.residuals import PACKED, sum_if_defined, tape_length, zeros_if_defined
from symdiff.ops.shape import copy
from symdiff.ops.sizes import size as size_of


class Cotangents:
    """The cotangent of each value of a block, accumulated so far.

    ``partial`` are the values that may be undefined; their cotangents may be undefined too. One
    that is chosen (see ``products``) is kept with its choice until it is read.
    """

    def __init__(self, partial: Container[Value]) -> None:
        self._partial = partial
        self._found: dict[Value, Value] = {}
        self._choices: dict[Value, Choice] = {}
        self._tapes: dict[Value, list[Value]] = {}

    def __contains__(self, value: Value) -> bool:
        return value in self._found or value in self._tapes

    def set(self, value: Value, cotangent: Value) -> None:
        """Replace what has accumulated."""
        self._choices.pop(value, None)
        if isinstance(value.type, TapeType):
            self._tapes[value] = [cotangent]
        else:
            self._found[value] = cotangent

    def add(self, value: Value, contribution: Value | None, choice: Choice | None = None) -> None:
        """Accumulate; what is chosen has meaning only where the choice is met."""
        if contribution is None:
            return
        if isinstance(value.type, TapeType):
            self._tapes.setdefault(value, []).append(contribution)
            return
        if choice is not None and value in self._partial:
            contribution, choice = settled(contribution, choice), None
        before = self._found.get(value)
        if before is not None:
            contribution, choice = self._sum(value, before, contribution, choice)
        self._found[value] = name_after(contribution, value)
        if choice is not None:
            self._choices[value] = choice

    def _sum(
        self, value: Value, before: Value, contribution: Value, choice: Choice | None
    ) -> tuple[Value, Choice | None]:
        """The sum with what is there, and what is chosen of it."""
        chosen = self._choices.pop(value, None)
        if chosen is not None and choice == chosen.opposite and before.type == contribution.type:
            return joined(before, chosen, contribution), None
        if choice != chosen:
            before = before if chosen is None else settled(before, chosen)
            contribution = contribution if choice is None else settled(contribution, choice)
            choice = None
        add = sum_if_defined if value in self._partial else accumulated
        return add(before, contribution), choice

    def peek(self, value: Value) -> Value | None:
        """What has accumulated so far, or None."""
        if value in self._tapes:
            self._tapes[value] = [add_tapes(self._tapes[value], value in self._partial)]
            return self._tapes[value][0]
        choice = self._choices.pop(value, None)
        if choice is not None:
            self._found[value] = name_after(settled(self._found[value], choice), value)
        return self._found.get(value)

    def take(self, value: Value) -> Value | None:
        """The whole cotangent, or None where there is none; it is used up."""
        cotangent = self.peek(value)
        self._found.pop(value, None)
        self._tapes.pop(value, None)
        return cotangent

    def take_chosen(self, value: Value) -> tuple[Value | None, Choice | None]:
        """The whole cotangent, used up, and where it has a meaning, or None for everywhere."""
        choice = self._choices.pop(value, None)
        return self.take(value), choice

    def take_tapes(self, value: Value) -> list[Value]:
        """The cotangents of a tape, whose elements are to be added."""
        return self._tapes.pop(value, [])


def name_after(cotangent: Value, value: Value, role: str = "cotangent") -> Value:
    """Mark a derived value, just built and not named yet, with the name of its primal value."""
    if cotangent.node is not None and cotangent.name is None and cotangent.role == role:
        cotangent.name = value.name
    return cotangent


def accumulated(before: Value, contribution: Value) -> Value:
    """The sum; into what is there already where the contribution goes to a part of it."""
    node = contribution.node
    is_place = not isinstance(before.type, ArrayType) or before.type.kind == "array"
    if node is not None and is_place and _adds_to_zeros(node) and node in builder().nodes[-1:]:
        _, *others = node.operands
        return builder().emit(node.op, (before, *others), node.attributes).result
    if isinstance(before.type, ListType):
        return list_accumulate(before, contribution)
    return add(before, contribution)


def _adds_to_zeros(node: Node) -> bool:
    base = node.operands[0].node if node.op in (index_add, list_add) else None
    return base is not None and base.op in (zeros, list_zeros_like)


# Types ------------------------------------------------------------------------------------------


def fitted(cotangent: Value, value: Value) -> Value:
    """A cotangent with the dtype and kind of its primal value."""
    wanted = value.type
    if not isinstance(wanted, ArrayType) or not isinstance(cotangent.type, ArrayType):
        return cotangent
    if kind_of(cotangent) == "array" and wanted.kind != "array":
        cotangent = as_scalar(cotangent)
    if kind_of(cotangent) != "array" and not wanted.dtype.isnative:  # only arrays can be that
        cotangent = copy(cotangent)
    cotangent = as_dtype_of(cotangent, value)
    if kind_of(cotangent) == wanted.kind:
        return cotangent
    if wanted.kind == "python":
        cast = python_complex if wanted.dtype.kind == "c" else python_float
        return cast(cotangent)
    return strong(cotangent, wanted) if wanted.kind == "scalar" else copy(cotangent)


def as_array_where(value: Value, derivative: Value | None) -> Value | None:
    """A derivative that is a number as an array of rank 0, where its primal value is one."""
    type_ = value.type
    if derivative is None or not isinstance(type_, ArrayType) or type_.shape:
        return derivative
    if type_.kind != "array" or kind_of(derivative) == "array":
        return derivative
    return copy(derivative)


def kind_of(value: Value) -> Kind:
    return array_type(value).kind


def strong(value: Value, type_: ArrayType) -> Value:
    """A Python number as a NumPy scalar."""
    number = constant_of(value)
    if number is not None:
        return builder().constant(type_.dtype.type(number))
    return astype(value, dtype=type_.dtype)


# Zeros ------------------------------------------------------------------------------------------


class Zeros:
    """Builds zeros from dimensions: of sizes of a graph's parameters, where they have them.

    ``partial`` has the values that may be undefined (see ``ops.partial_values``); of these nothing
    is asked without a test.
    """

    def __init__(self, parameters: Iterable[Value], partial: Iterable[Value] = ()) -> None:
        self.partial = set(partial)
        self._axes: dict[Dim, tuple[Value, int]] = {}
        for parameter in parameters:
            if isinstance(parameter.type, ArrayType) and parameter not in self.partial:
                for axis, dim in enumerate(parameter.type.shape):
                    self._axes.setdefault(dim, (parameter, axis))

    def of(self, value: Value) -> Value:
        """The cotangent of a value into which nothing flows."""
        type_ = value.type
        if isinstance(type_, ListType):
            like = zeros_if_defined if value in self.partial else list_zeros_like
            return like(value)
        if isinstance(type_, TapeType):
            return self._tape(value)
        if isinstance(type_, OpaqueType):
            return zeros_if_defined(value) if type_ == PACKED else emit_undefined(type_)
        if type_.kind != "array":
            zero = type_.dtype.type(0)
            return builder().constant(zero.item() if type_.weak else zero)
        return self._array(value, type_)

    def _array(self, value: Value, type_: ArrayType) -> Value:
        sizes = [self.size(dim) for dim in type_.shape]
        if value in self.partial and None in sizes:
            return zeros_if_defined(value)
        lengths = [
            size_of(value, axis=axis) if size is None else size for axis, size in enumerate(sizes)
        ]
        return zeros(*lengths, shape=type_.shape, dtype=type_.dtype)

    def size(self, dim: Dim) -> Value | int | None:
        """A dimension's size from what the graph's parameters say, or None where they do not."""
        if isinstance(dim, int):
            return dim
        found = None if dim.open else self._axes.get(dim)
        return None if found is None else size_of(found[0], axis=found[1])

    def restate(self, node: Node) -> bool:
        """Make a ``size`` node ask a parameter of the same dimension; whether there is one."""
        type_ = node.operands[0].type
        dim = type_.shape[node.attributes["axis"]] if isinstance(type_, ArrayType) else None
        found = None if not isinstance(dim, Size) or dim.open else self._axes.get(dim)
        if found is None:
            return False
        node.operands, node.attributes = (found[0],), {"axis": found[1]}
        return True

    def _tape(self, tape: Value) -> Value:
        assert isinstance(tape.type, TapeType)
        if tape in self.partial:
            return zeros_if_defined(tape)
        element = Value(tape.type.element)
        with building(Builder([], builder().span)) as inner:
            inner.role = "cotangent"
            zero = Zeros(()).of(element)
        return _map_tapes([tape], [element], inner.nodes, zero)


# Tapes ------------------------------------------------------------------------------------------


def add_tapes(tapes: list[Value], partial: bool) -> Value:
    """The sum of tapes, element by element, where one tape is needed.

    :param partial: whether elements may be undefined.
    """
    if len(tapes) == 1:
        return tapes[0]
    elements = [Value(tape.type.element) for tape in tapes]  # type: ignore[union-attr]
    with building(Builder([], builder().span)) as inner:
        inner.role = "cotangent"
        total = elements[0]
        for element in elements[1:]:
            total = (sum_if_defined if partial else accumulated)(total, element)
    return _map_tapes(tapes, elements, inner.nodes, total)


def _map_tapes(
    tapes: list[Value],
    elements: list[Value],
    nodes: list[Node],
    result: Value,
) -> Value:
    """The tape of ``result``, computed from the elements of tapes of one length."""
    body = Block((Value(INT), *elements), nodes, (result,))
    count = tape_length(tapes[0], partial=True)
    return LoopView(emit_loop(count, (), tapes, body)).ys[0]
