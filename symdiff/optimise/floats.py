"""Programs of numbers alone, on Python's floats: ``math.sin`` for ``np.sin``, Python's arithmetic.

Python computes with its own floats several times faster than with NumPy's scalars. What raises on
them (``math.log(0)``, ``1 / 0``) gives inf or nan in NumPy: the program that comes out is run in a
``try``, and where it raises, the one that entered is run instead. Elementary functions of ``math``
differ from NumPy's by up to 2 ulp, so NumPy's stay where the function's own value depends on them.

``on_floats`` gives None where anything else than numbers, float64 ones, is computed with, or where
there are effects: those must not happen twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import Builder, builder, building, constant, with_block
from symdiff.ir.called import called_by
from symdiff.ir.control import ATTEMPTED, CALLS, cond, emit_undefined, loop, undefined
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Op, Value, walk_nodes
from symdiff.ir.types import BOOL, FLOAT, INT, OPAQUE, ArrayType, TapeType, Type
from symdiff.ops.arithmetic import choice, divide, not_equal
from symdiff.ops.attempts import caught, caught_in, is_error
from symdiff.ops.casts import astype, python_bool, python_float
from symdiff.ops.declare import DeclaredOp, operation_named
from symdiff.ops.mathlib import math_pow
from symdiff.ops.residuals import PACKED, pack, unpack
from symdiff.ops.strong import quiet_divide, strong_divide

_FLOAT64, _BOOL = np.dtype("float64"), np.dtype("bool")

ARITHMETIC = frozenset(
    {"add", "subtract", "multiply", "divide", "negative", "positive", "strong_multiply"}
    | {"two_sided_multiply"}
    | {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}
    | {"bitwise_and", "bitwise_or", "bitwise_xor"}
)
SAME = frozenset({"python_float", "as_scalar", "retype", "python_bool", "stop_gradient"})
AS_THEY_ARE = frozenset({"not_", "choice", "range_length", "range_element", "int_minimum"})


def strong_quotient(g: Value, b: Value) -> Value:
    """``g / (b if g != 0 else 1.0)``."""
    one = builder().constant(1 if b.type == INT else 1.0)
    return divide(g, choice(not_equal(g, 0), b, one))


def is_of_integers(node: Node) -> bool:
    """Return whether a node divides Python's integers, which it does as it stands."""
    divides = node.op.name in ("floor_divide", "remainder")
    return divides and all(value.type == INT for value in node.operands)


class NotFloats(Exception):  # noqa: N818 - control flow
    """Something else than numbers."""


def on_floats(graph: Graph, *, own_value: bool = True) -> Graph | None:
    """A program of numbers alone on Python floats; None for any other program.

    ``own_value``: results that are the function's own value keep NumPy's bits.
    """
    nodes = [node for one in (graph, *called_by(graph)) for node in walk_nodes(one.block)]
    if graph.mutated or any(node.op.effect for node in nodes) or not any(map(_gains, nodes)):
        return None
    try:
        return Converter(graph, of_own_value(graph) if own_value else frozenset(), {}).graph()
    except NotFloats:
        return None


def _gains(node: Node) -> bool:
    """Return whether NumPy computes a number here."""
    return _on_floats(node.op) is not None or any(
        isinstance(v.type, ArrayType) and v.type.kind == "scalar" for v in node.results
    )


def of_own_value(graph: Graph) -> frozenset[Node]:
    """Return the nodes that the function's own value depends on, and all within their blocks and
    the graphs that they call.
    """
    found = set[Node]()
    pending = [v.node for v in graph.block.results if v.role == "primal"]
    while pending:
        node = pending.pop()
        if node is None or node in found:
            continue
        found.add(node)
        pending += (v.node for v in node.operands)
        for block in node.blocks:
            pending += block.nodes
        if node.op in CALLS:
            results = _graph_in(node.attributes["callee"]).block.results
            pending += [v.node for v in results if v.role == "primal" and v.type != PACKED]
    return frozenset(found)


def _on_floats(op: Op) -> Callable[..., Value] | None:
    """What computes an elementary function of Python's floats."""
    if op in (strong_divide, quiet_divide):
        return strong_quotient
    math = op.math if isinstance(op, DeclaredOp) else None
    return operation_named(f"math_{math}") if isinstance(math, str) else math


def is_function(op: Op) -> bool:
    """Return whether an op is an elementary function, which ``math`` has under a name."""
    return isinstance(op, DeclaredOp) and isinstance(op.math, str)


def _rounds_as_numpy(op: Op) -> bool:
    """Return whether NumPy's last bits are its own; a square root is correctly rounded anywhere."""
    return isinstance(op, DeclaredOp) and is_function(op) and op.math != "sqrt"


def float_type(type_: Type) -> Type:
    """What stands for a type among Python's numbers; raises ``NotFloats`` where nothing does."""
    if isinstance(type_, TapeType):
        return TapeType(float_type(type_.element))
    if isinstance(type_, ArrayType) and not type_.shape and type_.kind != "array":
        if type_.dtype == _FLOAT64:
            return FLOAT
        if type_.dtype == _BOOL:
            return BOOL
        if type_.kind == "python" and type_.dtype.kind == "i":
            return type_
    if type_ in (PACKED, OPAQUE):
        return type_
    raise NotFloats


def python_number(value: Value, type_: Type) -> Value:
    """A number, or a truth, as one of Python's."""
    made: Value = python_bool(value) if type_ == BOOL else python_float(value)
    return made


class Converter:
    """Rebuilds a graph op by op; ``new`` maps old values to new ones, ``cells`` called graphs."""

    def __init__(
        self, graph: Graph, exact: frozenset[Node], cells: dict[GraphCell, GraphCell]
    ) -> None:
        self.old = graph
        self.exact = exact
        self.cells = cells
        self.new: dict[Value, Value] = {}

    def float_type(self, type_: Type) -> Type:
        """What stands for a type; raises ``NotFloats`` where nothing does."""
        return float_type(type_)

    def name_of(self, parameter: Value) -> str | None:
        """The name of what stands for a parameter of a block."""
        return parameter.name

    def graph(self) -> Graph:
        old = self.old
        outermost = Builder()
        with building(outermost):
            parameters = tuple(self.parameter(value) for value in old.block.parameters)
            for value, parameter in zip(old.block.parameters, parameters, strict=True):
                self.new[value] = self.entered(value, parameter)
            for node in old.block.nodes:
                self.node(node)
            results = tuple(self.result(value) for value in old.block.results)
        block = Block(parameters, outermost.nodes, results)
        return Graph(
            old.name, block, old.inputs, old.output, {}, docstring=old.docstring, span=old.span
        )

    def parameter(self, value: Value) -> Value:
        if self.float_type(value.type) == OPAQUE:
            raise NotFloats
        return Value(value.type, None, value.name, value.role)

    def entered(self, value: Value, parameter: Value) -> Value:
        if isinstance(value.type, ArrayType) and value.type.kind == "scalar":
            made = python_number(parameter, self.float_type(value.type))
            made.name, made.role = value.name, value.role
            return made
        return parameter

    def result(self, value: Value) -> Value:
        """The graph's result in the kind that it had."""
        made = self.new[value]
        if isinstance(value.type, ArrayType) and value.type.kind == "scalar":
            if value.type.dtype != _FLOAT64:
                raise NotFloats
            return astype(made, dtype=_FLOAT64)
        return made

    # Nodes ----------------------------------------------------------------------------------------

    def node(self, node: Node) -> None:
        current = builder()
        current.span = node.span
        start = len(current.nodes)
        results = self.several(node) if node.op in _SEVERAL else (self.plain(node),)
        for old, made in zip(node.results, results, strict=True):
            self.new[old] = made
            fresh = made.node is not None and made.node in current.nodes[start:]
            if fresh and made.name is None:
                made.name, made.role = old.name, old.role

    def plain(self, node: Node) -> Value:
        if node.op is constant:
            return self.constant(node.attributes["value"])
        if len(node.results) != 1:
            raise NotFloats
        type_ = self.float_type(node.result.type)
        if node.op is undefined:
            return emit_undefined(type_)
        operands = [self.new[v] for v in node.operands]
        made = self.computed(node, operands)
        if made.type != type_:
            raise NotFloats
        return made

    def computed(self, node: Node, operands: list[Value]) -> Value:
        name = node.op.name
        if name in SAME:
            return self.as_float(operands[0], node)
        elementary = _on_floats(node.op)
        if elementary is not None:
            if node in self.exact and _rounds_as_numpy(node.op):
                return python_float(self.apply(node, operands))
            return elementary(*operands)
        if name in ARITHMETIC or is_of_integers(node):
            return self.apply(node, operands)
        if name == "power":
            return self.power(node, operands)
        if name in AS_THEY_ARE or name.startswith("math_") or node.op is pack:
            return self.apply(node, operands, **node.attributes)
        if name == "astype":
            return self.as_float(operands[0], node)
        if node.op in _ATTEMPTS:
            return self.attempt(node, operands)
        raise NotFloats

    def attempt(self, node: Node, operands: list[Value]) -> Value:
        """What is attempted, as it is: between other numbers it would raise elsewhere."""
        if any(new.type != old.type for new, old in zip(operands, node.operands, strict=True)):
            raise NotFloats
        return builder().emit(node.op, operands, node.attributes).result

    def attempted(
        self, node: Node, operands: Sequence[Value], types: Sequence[Type]
    ) -> tuple[Value, ...]:
        """A call that is attempted, as it is: what would raise in it here is not to be caught."""
        found = [*(value.type for value in operands), *types]
        if found != [value.type for value in (*node.operands, *node.results)]:
            raise NotFloats
        return builder().emit(node.op, operands, node.attributes).results

    def apply(self, node: Node, operands: list[Value], **attributes: Any) -> Value:
        result: Value = node.op(*operands, **attributes)  # type: ignore[operator]
        return result

    def as_float(self, operand: Value, node: Node) -> Value:
        """A cast among numbers: nothing to do, or ``float(x)``."""
        type_ = self.float_type(node.result.type)
        if operand.type == type_:
            return operand
        if type_ != FLOAT:
            raise NotFloats
        return python_float(operand)

    def power(self, node: Node, operands: list[Value]) -> Value:
        """``math.pow``, which raises where Python's ``**`` would give a complex number."""
        kinds = {v.type.kind for v in node.operands if isinstance(v.type, ArrayType)}
        ufunc = node.attributes.get("ufunc")
        if ufunc and node in self.exact:
            return python_float(self.apply(node, operands, **node.attributes))
        if kinds == {"python"} and not ufunc:
            return self.apply(node, operands)
        if _is_whole(node.operands[1]) and operands[0].type == FLOAT:
            return self.apply(node, operands)  # an integer power of a float is a float
        if any(v.type != FLOAT for v in operands):
            operands = [v if v.type == FLOAT else python_float(v) for v in operands]
        return math_pow(*operands)

    def constant(self, value: Any) -> Value:
        if isinstance(value, np.float64 | np.bool_):
            value = value.item()
        if not isinstance(value, bool | int | float):
            raise NotFloats
        return builder().constant(value)

    # Called graphs --------------------------------------------------------------------------------

    def callee(self, cell: GraphCell) -> GraphCell:
        """The graph that is called, between Python's numbers."""
        if cell not in self.cells:
            made = self.cells[cell] = GraphCell(cell.name)
            made.graph = Converter(_graph_in(cell), self.exact, self.cells).called()
        return self.cells[cell]

    def called(self) -> Graph:
        block = self.block(self.old.block)
        pairs = zip(block.results, self.old.block.results, strict=True)
        if any(made.type != self.float_type(value.type) for made, value in pairs):
            raise NotFloats
        return with_block(self.old, block)

    # Blocks ---------------------------------------------------------------------------------------

    def several(self, node: Node) -> tuple[Value, ...]:
        """A node of blocks, of a graph, or of any number of results."""
        types = tuple([self.float_type(value.type) for value in node.results])
        operands = tuple(self.new[v] for v in node.operands)
        if node.attributes.get(ATTEMPTED):
            return self.attempted(node, operands, types)
        blocks = tuple(self.block(block) for block in node.blocks)
        attributes = {**node.attributes, "types": types} if not blocks else node.attributes
        if node.op in CALLS:
            attributes["callee"] = self.callee(node.attributes["callee"])
        made = builder().emit(node.op, operands, attributes, blocks)
        if tuple([value.type for value in made.results]) != types:
            raise NotFloats
        return made.results

    def block(self, block: Block) -> Block:
        parameters = tuple(
            Value(self.float_type(v.type), None, self.name_of(v), v.role) for v in block.parameters
        )
        self.new.update(zip(block.parameters, parameters, strict=True))
        inner = Builder()
        with building(inner):
            for node in block.nodes:
                self.node(node)
        return Block(parameters, inner.nodes, tuple(self.new[v] for v in block.results))


_ATTEMPTS = (caught, caught_in, is_error)
_SEVERAL = (loop, cond, *CALLS, unpack)


def _graph_in(cell: GraphCell) -> Graph:
    """The graph in a cell."""
    if cell.graph is None:
        raise NotFloats
    return cell.graph


def _is_whole(value: Value) -> bool:
    """Return whether a value is known to be an integer, or a float that is one."""
    if value.node is None or value.node.op is not constant:
        return False
    number = value.node.attributes["value"]
    return isinstance(number, int) or (isinstance(number, float) and number.is_integer())
