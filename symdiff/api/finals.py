"""What a graph leaves in the arguments it writes, as structures: ``symdiff.functional``.

Arrays that are written have their final values among the results already. Changes of lists, dicts
and dataclasses are effects at the graph's end: here they are replayed on a description of the
arguments, and leave the graph. Those of other objects stay effects.
"""

from __future__ import annotations

from typing import Any

from symdiff.api.wrt import input_numbers, specification_at, with_inputs
from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Block, Graph, Node, Value, walk_nodes
from symdiff.ir.signature import Fixed, Live, Nested, Path, Signature, leaves, nested_paths
from symdiff.ir.structure import Container, Leaf, Static, Structure
from symdiff.ir.types import OPAQUE, ArrayType, ListType
from symdiff.ops.effects import Member, Named, changes_one_of, set_attribute, set_item
from symdiff.ops.keys import Slot

_PUTS = ("setattr", "setitem")


@dataclass(slots=True)
class _Model:
    """A container while its changes are replayed; ``items`` are structures, or models again."""

    type: type
    items: dict[Any, Any]
    whole: Structure | None = None  # a list whose length is known at run time only

    def put(self, key: Any, item: Any) -> None:
        self.items[key] = item

    def called(self, method: str, arguments: tuple[Any, ...]) -> None:
        """A method of a list or dict, as the write-back calls it."""
        if method == "append":
            self.items[len(self.items)] = arguments[0]
        elif method == "pop":
            del self.items[arguments[0] if arguments else len(self.items) - 1]
        elif method == "clear":
            self.items.clear()
        else:
            (self.whole,) = arguments

    def structure(self) -> Structure:
        if self.whole is not None:
            return self.whole
        items = tuple(_structure(item) for item in self.items.values())
        return Container(self.type, tuple(self.items), items)


def _structure(item: Any) -> Structure:
    made: Structure = item.structure() if isinstance(item, _Model) else item
    return made


class Finals:
    """The final contents of the arguments of a graph, and the graph without its changes of them."""

    def __init__(self, graph: Graph, signature: Signature) -> None:
        numbers = input_numbers(graph)
        containers = {
            path: numbers[path]
            for path in nested_paths(signature)
            if path in numbers and isinstance(specification_at(signature, path), Nested)
        }
        self._given = {graph.block.parameters[k]: path for path, k in containers.items()}
        self._changes = [n for n in graph.block.nodes if self._is_change(n)]
        self._refuse_others(graph)
        arrays = (graph.inputs[number].path[0] for number in graph.mutated)
        written = {*arrays, *(self._owner(node)[0] for node in self._changes)}
        self.names = [
            name
            for name, specification in signature.parameters
            if name in written and not isinstance(specification, Live)
        ]
        specifications = {name: specification_at(signature, (name,)) for name in self.names}
        found = [pair for name, s in specifications.items() for pair in leaves(s, (name,))]
        wanted: dict[Path, Any] = {
            path: spec if isinstance(spec, ArrayType | ListType) else OPAQUE
            for path, spec in found
            if not isinstance(spec, Fixed)
        }
        self.graph = with_inputs(graph, wanted)
        self.results = list(graph.block.results)
        self._places = {path: self._place(path) for path in wanted}
        self._models: dict[Path, _Model] = {}
        self._roots = {name: self._model(s, (name,)) for name, s in specifications.items()}
        for node in self._changes:
            self._replay(node)

    def structures(self) -> tuple[Structure, ...]:
        """The final content of each argument that is written."""
        return tuple(_structure(item) for item in self._roots.values())

    def block(self) -> Block:
        """The graph's block without the changes, with the final values among its results."""
        changes = set(map(id, self._changes))
        nodes = [node for node in self.graph.block.nodes if id(node) not in changes]
        return Block(self.graph.block.parameters, nodes, tuple(self.results))

    def _is_change(self, node: Node) -> bool:
        return node.op.effect and changes_one_of(node, self._given)

    def _refuse_others(self, graph: Graph) -> None:
        """A change before an exception happens on one path only."""
        for node in walk_nodes(graph.block):
            if self._is_change(node) and not any(node is change for change in self._changes):
                raise UnsupportedCallError(
                    f"symdiff.functional of {graph.name}, which changes a list, dict or object and"
                    " then raises",
                    graph.span,
                    "raise before anything is changed",
                )

    def _place(self, path: Path) -> int:
        number = input_numbers(self.graph)[path]
        place = self.graph.mutated.get(number)
        if place is not None:
            return place
        return self._added(self.graph.block.parameters[number])

    def _added(self, value: Value) -> int:
        self.results.append(value)
        return len(self.results) - 1

    def _model(self, specification: Any, path: Path) -> Any:
        if isinstance(specification, Nested):
            pairs = zip(specification.keys, specification.items, strict=True)
            items = {key: self._model(item, (*path, key)) for key, item in pairs}
            made = self._models[path] = _Model(specification.type, items)
            return made
        if isinstance(specification, Fixed):
            return Static(specification.value)
        return Leaf(self._places[path])

    def _owner(self, node: Node) -> Path:
        function = node.attributes.get("function")
        if node.op in (set_attribute, set_item):
            return self._given[node.operands[1]]
        slot = function.value if isinstance(function, Member) else node.attributes["arguments"][0]
        return self._given[node.operands[slot.number]]

    def _replay(self, node: Node) -> None:
        model = self._models[self._owner(node)]
        function = node.attributes.get("function")
        if node.op in (set_attribute, set_item):
            key = node.attributes["key" if node.op is set_item else "name"]
            model.put(key, Leaf(self._added(node.operands[0])))
            return
        given = node.attributes["arguments"]
        arguments = [self._read(part, node) for part in given]
        if isinstance(function, Named) and function.target.__name__.strip("_") in _PUTS:
            model.put(given[1], arguments[2])
            return
        if isinstance(function, Named):  # list.append(owner, item)
            method, given, arguments = function.target.__name__, given[1:], arguments[1:]
        else:
            method = function.name  # type: ignore[union-attr]
        model.called(method, given if method == "pop" else tuple(arguments))

    def _read(self, template: Any, node: Node) -> Any:
        """The structure that an effect's template stands for."""
        if isinstance(template, Slot):
            value = node.operands[template.number]
            path = self._given.get(value)
            return self._models[path] if path in self._models else Leaf(self._added(value))
        if isinstance(template, list | tuple):
            items = tuple(_structure(self._read(item, node)) for item in template)
            return Container(type(template), tuple(range(len(items))), items)
        if isinstance(template, dict):
            items = tuple(_structure(self._read(item, node)) for item in template.values())
            return Container(dict, tuple(template), items)
        return Static(template.target if isinstance(template, Named) else template)
