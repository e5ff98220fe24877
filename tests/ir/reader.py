"""Graphs from text: what ``ir.printer`` printed enters, the graph leaves.

Ops are looked up in the table that is given, static objects (functions, the classes of an op's
attributes) in another. What is printed of the graph read is the same text again. Spans are
comments in the text and are not read back.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.build import constant
from symdiff.ir.control import call, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, GraphCell, Input, Node, Op, Value
from symdiff.ir.structure import Container, Either, Leaf, Static, Structure
from symdiff.ir.types import (
    BY_NAME,
    ArrayType,
    Dim,
    ListType,
    OpaqueType,
    Size,
    TapeType,
    Type,
)
from symdiff.source.trees import expression_of

_CONTROL = {op.name: op for op in (call, cond, constant, loop, undefined)}
_DEFINITION = re.compile(r"%(?P<number>\d+)(?::(?P<name>[^~\s,]+))?(?:~(?P<role>\w+))?")
_NODE = re.compile(
    r"(?:(?P<results>%.*?) = )?(?P<op>\w+)\((?P<operands>[%\d, ]*)(?:; (?P<attributes>.*))?\)"
    r"(?: : (?P<types>[^'\"{}]*?))?(?P<opens> \{)?(?:  # line \d+)?"
)
_INPUT = re.compile(r"input (?P<value>\S+) : (?P<type>\S+) = (?P<origin>\w+)(?P<path>\(.*\))")
_DIM = re.compile(r"(?P<open>[?!])?(?P<symbol>\w+|\(\d+\*\w+\))(?P<offset>[+-]\d+)?")


def read_graph(text: str, ops: Mapping[str, Op], objects: Mapping[str, Any] | None = None) -> Graph:
    """The first graph of a text; those that it calls follow it there.

    ``objects`` maps names to the functions and classes that stand in attributes. Raises
    ``ValueError`` with the line that cannot be read.
    """
    reader = _Reader({**_CONTROL, **ops}, {} if objects is None else objects)
    for number, line in enumerate(text.splitlines(), 1):
        try:
            reader.line(line.strip())
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            SyntaxError,
            TypeError,
            ValueError,
        ) as error:
            raise ValueError(f"line {number} of the IR cannot be read: {line}") from error
    return reader.linked()


@dataclass(slots=True)
class _Frame:
    """A block being read."""

    parameters: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)

    def closed(self, results: tuple[Value, ...]) -> Block:
        return Block(tuple(self.parameters), self.nodes, results)


class _Reader:
    """Reads line by line: ``frames`` are the blocks around the line, ``open`` what braces close."""

    def __init__(self, ops: Mapping[str, Op], objects: Mapping[str, Any]) -> None:
        self.ops = ops
        self.literal = _Literals(objects)
        self.graphs: list[Graph] = []
        self.header: dict[str, Any] = {}
        self.inputs: list[Input] = []
        self.values: dict[str, Value] = {}
        self.frames: list[_Frame] = []
        self.open: list[Node | None] = []

    def linked(self) -> Graph:
        """The first graph, with the cells of all calls filled."""
        by_name = {graph.name: graph for graph in self.graphs}
        for name, cell in self.literal.cells.items():
            cell.graph = by_name.get(name)
        return self.graphs[0]

    def line(self, line: str) -> None:
        keyword = re.split(r"[ (]", line, maxsplit=1)[0]
        if line and not line.startswith("#"):
            _LINES.get(keyword, _Reader._node)(self, line)

    # Graphs and blocks

    def _graph(self, line: str) -> None:
        self.header = {"name": line.removeprefix("graph ").removesuffix(" {")}
        self.inputs, self.values = [], {}
        self.frames = [_Frame()]
        self.open = [None]

    def _docstring(self, line: str) -> None:
        self.header["docstring"] = self.literal.read(line.removeprefix("docstring "))

    def _input(self, line: str) -> None:
        match = _matched(_INPUT, line)
        value = self._define(match["value"], read_type(match["type"]), None)
        self.frames[0].parameters.append(value)
        origin: Any = match["origin"]
        self.inputs.append(Input(self.literal.read(match["path"]), origin))

    def _output(self, line: str) -> None:
        self.header["output"] = _structure(self.literal.read(line.removeprefix("output ")))

    def _mutated(self, line: str) -> None:
        self.header["mutated"] = self.literal.read(line.removeprefix("mutated "))

    def _return(self, line: str) -> None:
        block = self.frames.pop().closed(self._uses(line.removeprefix("return")))
        self.graphs.append(Graph(block=block, inputs=tuple(self.inputs), **self.header))

    def _block(self, line: str) -> None:
        frame = _Frame()
        for shown in _split(line.removeprefix("block(").removesuffix(") {")):
            name, _, type_ = shown.partition(" : ")
            frame.parameters.append(self._define(name, read_type(type_), None))
        self.frames.append(frame)
        self.open.append(None)

    def _yield(self, line: str) -> None:
        block = self.frames.pop().closed(self._uses(line.removeprefix("yield")))
        owner = self.open[-2]
        if owner is None:
            raise ValueError("a block of no node")
        owner.blocks = (*owner.blocks, block)

    def _close(self, line: str) -> None:
        self.open.pop()

    # Nodes

    def _node(self, line: str) -> None:
        match = _matched(_NODE, line)
        attributes = self.literal.keywords(match["attributes"] or "")
        node = Node(self.ops[match["op"]], self._uses(match["operands"]), attributes)
        pairs = zip(_split(match["results"] or ""), _split(match["types"] or ""), strict=True)
        node.results = tuple(self._define(name, read_type(type_), node) for name, type_ in pairs)
        self.frames[-1].nodes.append(node)
        if match["opens"]:
            self.open.append(node)

    def _uses(self, text: str) -> tuple[Value, ...]:
        return tuple(self.values[name.removeprefix("%")] for name in _split(text))

    def _define(self, text: str, type_: Type, node: Node | None) -> Value:
        match = _matched(_DEFINITION, text)
        role: Any = match["role"] or "primal"
        value = Value(type_, node, match["name"], role)
        self.values[match["number"]] = value
        return value


_LINES: dict[str, Callable[[_Reader, str], None]] = {
    "graph": _Reader._graph,
    "docstring": _Reader._docstring,
    "input": _Reader._input,
    "output": _Reader._output,
    "mutated": _Reader._mutated,
    "return": _Reader._return,
    "block": _Reader._block,
    "yield": _Reader._yield,
    "}": _Reader._close,
}


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return match


def _split(text: str) -> list[str]:
    """The parts between commas that stand outside brackets."""
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "[(") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


# Types


def read_type(text: str) -> Type:
    """A type from its text.

    >>> print(read_type("tape[float32[n-2,?s0,!s1,(4*n)+1,3]]"))
    tape[float32[n-2,?s0,!s1,(4*n)+1,3]]
    """
    name, bracket, inner = text.partition("[")
    inner = inner.removesuffix("]")
    if name in ("list", "tape"):
        return (ListType if name == "list" else TapeType)(read_type(inner))
    if name == "opaque":
        return OpaqueType(inner)
    if not bracket:
        return BY_NAME.get(name) or ArrayType(np.dtype(name), (), "scalar")
    return ArrayType(np.dtype(name), tuple(_dim(part) for part in _split(inner)))


def _dim(text: str) -> Dim:
    if text.isdigit():
        return int(text)
    match = _matched(_DIM, text)
    mark = match["open"]
    return Size(match["symbol"], int(match["offset"] or 0), mark is not None, mark == "!")


# Attributes


class _Literals:
    """Reads the expressions of attributes; calls in them stand for the classes and kinds below."""

    def __init__(self, objects: Mapping[str, Any]) -> None:
        self.cells: dict[str, GraphCell] = {}
        self.names: dict[str, Any] = {"nan": float("nan"), "inf": float("inf"), **objects}
        self.makers: dict[str, Callable[..., Any]] = {
            "Container": Container,
            "Either": Either,
            "Leaf": Leaf,
            "Size": Size,
            "Static": Static,
            "array": _array,
            "complex": complex,
            "dtype": np.dtype,
            "frozenset": frozenset,
            "graph": self._cell,
            "object": self.names.__getitem__,
            "range": range,
            "scalar": lambda dtype, value: np.dtype(dtype).type(value),
            "type": read_type,
        }

    def read(self, text: str) -> Any:
        return self._value(expression_of(text))

    def keywords(self, text: str) -> dict[str, Any]:
        parsed: Any = expression_of(f"f({text})")
        return {item.arg: self._value(item.value) for item in parsed.keywords}

    def _cell(self, name: str) -> GraphCell:
        return self.cells.setdefault(name, GraphCell(name))

    def _value(self, node: ast.expr | None) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Tuple | ast.List):
            items = [self._value(item) for item in node.elts]
            return items if isinstance(node, ast.List) else tuple(items)
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return {self._value(key): self._value(value) for key, value in pairs}
        if isinstance(node, ast.UnaryOp):
            return -self._value(node.operand)
        return self._named(node)

    def _named(self, node: ast.expr | None) -> Any:
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            return (self.makers.get(name) or self.names[name])(*map(self._value, node.args))
        raise ValueError("not an attribute")


def _array(dtype: str, shape: tuple[int, ...], items: list[Any]) -> np.ndarray:
    return np.array(items, dtype).reshape(shape)


def _structure(value: Any) -> Structure:
    """Containers as they are printed, as structure."""
    if isinstance(value, dict):
        return Container(dict, tuple(value), tuple(map(_structure, value.values())))
    if isinstance(value, tuple | list):
        return Container(type(value), tuple(range(len(value))), tuple(map(_structure, value)))
    if isinstance(value, Container):
        return Container(value.type, value.keys, tuple(map(_structure, value.items)))
    if isinstance(value, Either):
        return Either(value.predicate, _structure(value.then), _structure(value.orelse))
    if isinstance(value, Leaf | Static):
        return value
    raise ValueError("not a structure")
