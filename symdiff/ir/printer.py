"""Graphs as text: a graph enters, a text that can be read back leaves.

Values are numbered in the order of their definition and symbols of sizes that were made up by the
compiler are renamed in the order of their appearance, so the text of a graph does not depend on
what was built before it. Graphs that are called follow the one that calls them.

    graph f {
      input %0:x : float64[n] = argument('x',)
      output Leaf(0)
      %1 = sin(%0) : float64[n]
      %2:y = multiply(%1, %0) : float64[n]
      return %2
    }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import Block, Graph, GraphCell, Node, Value, walk_nodes
from symdiff.ir.structure import Container, Structure, is_dataclass
from symdiff.ir.types import ArrayType, ListType, Multiple, OpaqueType, Size, TapeType, Type

_INDENT = "  "


Note = Callable[[Node, Callable[[Value], str]], str | None]


def print_graph(graph: Graph, *, spans: bool = False, note: Note | None = None) -> str:
    """The text of a graph and of the graphs it calls; with the lines they come from as comments.

    ``note`` is asked for a comment on each node of the graph itself, with what prints a value.
    """
    cells = _Cells(graph)
    shown = [_Printer(cells, spans, note).graph(graph, graph.name)]
    for cell in cells.found:
        if cell.graph is not None and cell.graph is not graph:
            shown.append(_Printer(cells, spans).graph(cell.graph, cells.name(cell)))
    return "\n".join(shown)


class _Cells:
    """The graphs that can be reached by calls, each with a name of its own."""

    def __init__(self, graph: Graph) -> None:
        self.found: list[GraphCell] = []
        self._names: dict[int, str] = {id(graph): graph.name}
        taken = {graph.name}
        pending = [graph]
        while pending:
            for cell in _called(pending.pop(0)):
                if self._key(cell) in self._names:
                    continue
                self.found.append(cell)
                self._names[self._key(cell)] = _unused(cell.name, taken)
                pending.extend([] if cell.graph is None else [cell.graph])

    def name(self, cell: GraphCell) -> str:
        return self._names.get(self._key(cell), cell.name)

    @staticmethod
    def _key(cell: GraphCell) -> int:
        return id(cell) if cell.graph is None else id(cell.graph)


def _called(graph: Graph) -> Iterator[GraphCell]:
    for node in walk_nodes(graph.block):
        callee = node.attributes.get("callee")
        if isinstance(callee, GraphCell):
            yield callee


def _unused(name: str, taken: set[str]) -> str:
    unused, k = name, 2
    while unused in taken:
        unused, k = f"{name}_{k}", k + 1
    taken.add(unused)
    return unused


class _Printer:
    """Numbers values and renames symbols of one graph while its lines are made."""

    def __init__(self, cells: _Cells, spans: bool, note: Note | None = None) -> None:
        self.cells = cells
        self.spans = spans
        self.note = note
        self.numbers: dict[Value, int] = {}
        self.symbols: dict[str, str] = {}

    def graph(self, graph: Graph, name: str) -> str:
        lines = [f"graph {name} {{"]
        lines += (_INDENT + line for line in self._header(graph))
        lines += self._block_lines(graph.block, "return", 1)
        return "\n".join([*lines, "}", ""])

    def _header(self, graph: Graph) -> Iterator[str]:
        if graph.docstring is not None:
            yield f"docstring {graph.docstring!r}"
        inputs = [f"{i.origin}{self.literal(i.path)}" for i in graph.inputs]
        parameters = graph.block.parameters
        inputs += ["?"] * (len(parameters) - len(inputs))
        for value, shown in zip(parameters, inputs, strict=False):
            yield f"input {self._definition(value)} : {self.type(value.type)} = {shown}"
        yield f"output {self.structure(graph.output)}"
        if graph.mutated:
            yield f"mutated {self.literal(dict(graph.mutated))}"

    def _block_lines(self, block: Block, keyword: str, depth: int) -> list[str]:
        margin = _INDENT * depth
        lines: list[str] = []
        for node in block.nodes:
            lines += self._node_lines(node, depth)
        results = ", ".join(self._use(value) for value in block.results)
        return [*lines, f"{margin}{keyword} {results}".rstrip()]

    def _node_lines(self, node: Node, depth: int) -> list[str]:
        margin = _INDENT * depth
        inner: list[str] = []
        call = self._call(node)
        for block in node.blocks:
            inner += self._nested(block, depth + 1)
        results = ", ".join(self._definition(value) for value in node.results)
        types = ", ".join(self.type(value.type) for value in node.results)
        text = f"{results} = {call} : {types}" if node.results else call
        comment = self._comment(node)
        if not node.blocks:
            return [margin + text + comment]
        return [f"{margin}{text} {{{comment}", *inner, margin + "}"]

    def _comment(self, node: Node) -> str:
        line = f"line {node.span.line}" if self.spans and node.span is not None else None
        note = self.note(node, self._use) if self.note is not None else None
        said = ", ".join(part for part in (note, line) if part)
        return f"  # {said}" if said else ""

    def _nested(self, block: Block, depth: int) -> list[str]:
        margin = _INDENT * depth
        parameters = ", ".join(
            f"{self._definition(value)} : {self.type(value.type)}" for value in block.parameters
        )
        lines = self._block_lines(block, "yield", depth + 1)
        return [f"{margin}block({parameters}) {{", *lines, margin + "}"]

    def _call(self, node: Node) -> str:
        operands = ", ".join(self._use(value) for value in node.operands)
        attributes = self._attributes(sorted(node.attributes.items()))
        return f"{node.op.name}({operands}{attributes})"

    def _attributes(self, items: Sequence[tuple[str, Any]]) -> str:
        return "; " * bool(items) + ", ".join(f"{k}={self.literal(v)}" for k, v in items)

    def _definition(self, value: Value) -> str:
        number = self.numbers.setdefault(value, len(self.numbers))
        name = f":{value.name}" if value.name else ""
        role = "" if value.role == "primal" else f"~{value.role}"
        return f"%{number}{name}{role}"

    def _use(self, value: Value) -> str:
        number = self.numbers.get(value)  # undefined ones, in a broken graph, keep their own number
        return f"%?{value.number}" if number is None else f"%{number}"

    def _later(self, value: Value) -> str:
        """A value in an attribute may be defined behind it."""
        return f"%{self.numbers.setdefault(value, len(self.numbers))}"

    # Types and attributes

    def type(self, type_: Type) -> str:
        if isinstance(type_, ListType | TapeType):
            kind = "list" if isinstance(type_, ListType) else "tape"
            return f"{kind}[{self.type(type_.element)}]"
        if isinstance(type_, ArrayType) and type_.kind == "scalar":
            return "bool_" if type_.dtype.kind == "b" else type_.dtype.name  # Python's is ``bool``
        if isinstance(type_, OpaqueType) or type_.kind != "array":
            return str(type_)
        return f"{type_.dtype.name}[{','.join(self._dim(dim) for dim in type_.shape)}]"

    def _dim(self, dim: int | Size) -> str:
        return str(dim) if isinstance(dim, int) else str(self._renamed(dim))

    def _renamed(self, size: Size) -> Size:
        """The size with a symbol that does not tell how many values were made before."""
        known = Multiple.of(size)
        symbol = known.symbol
        if not (symbol.isidentifier() and not any(c.isdigit() for c in symbol)):
            symbol = self.symbols.setdefault(symbol, f"s{len(self.symbols)}")
        shown = dataclasses.replace(known, symbol=symbol).size
        return dataclasses.replace(size, symbol=shown.symbol)

    def structure(self, structure: Structure) -> str:
        """The structure of a result: containers as Python displays."""
        return self.literal(structure)

    def literal(self, value: Any) -> str:
        """A static attribute as an expression that the reader understands."""
        for kinds, show in _LITERALS:
            if isinstance(value, kinds):
                return str(show(self, value))
        if is_dataclass(type(value)):
            return self._dataclass(value)
        if isinstance(value, type) or callable(value):
            return f"object({getattr(value, '__qualname__', type(value).__qualname__)!r})"
        return f"object({type(value).__qualname__!r})"

    def _dataclass(self, value: Any) -> str:
        fields = (getattr(value, f.name) for f in dataclasses.fields(value) if f.compare)
        return f"{type(value).__name__}({self._joined(fields)})"

    def _joined(self, values: Iterable[Any]) -> str:
        return ", ".join(self.literal(value) for value in values)

    def _tuple(self, value: tuple[Any, ...]) -> str:
        return f"({self._joined(value)}{',' * (len(value) == 1)})"

    def _dict(self, value: dict[Any, Any]) -> str:
        items = (f"{self.literal(k)}: {self.literal(v)}" for k, v in value.items())
        return "{" + ", ".join(items) + "}"

    def _float(self, value: float) -> str:
        return repr(value)

    def _complex(self, value: complex) -> str:
        return f"complex({value.real!r}, {value.imag!r})"

    def _scalar(self, value: np.generic) -> str:
        return f"scalar({value.dtype.name!r}, {self.literal(value.item())})"

    def _array(self, value: np.ndarray) -> str:
        items = self.literal(value.reshape(-1).tolist())
        return f"array({value.dtype.name!r}, {value.shape!r}, {items})"

    def _container(self, value: Container) -> str:
        if value.type is dict:
            return self._dict(dict(zip(value.keys, value.items, strict=True)))
        if value.type in (tuple, list):
            return self.literal(value.type(value.items))
        return self._dataclass(value)


_TYPES = (ArrayType, ListType, TapeType, OpaqueType)
# The first that fits is taken: NumPy's float64 is a float, too, and a bool is an int.
_LITERALS: tuple[tuple[Any, Any], ...] = (
    (Value, _Printer._later),
    (tuple, _Printer._tuple),
    (np.ndarray, _Printer._array),
    (np.generic, _Printer._scalar),
    (complex, _Printer._complex),
    (float, _Printer._float),
    ((bool, int, str, bytes, type(None), type(...), range), lambda printer, value: repr(value)),
    (np.dtype, lambda printer, value: f"dtype({value.name!r})"),
    (Size, lambda printer, value: printer._dataclass(printer._renamed(value))),
    (_TYPES, lambda printer, value: f"type({printer.type(value)!r})"),
    (GraphCell, lambda printer, value: f"graph({printer.cells.name(value)!r})"),
    (Container, _Printer._container),
    (list, lambda printer, value: f"[{printer._joined(value)}]"),
    (dict, _Printer._dict),
    (frozenset, lambda printer, value: f"frozenset({printer.literal(sorted(value))})"),
)
