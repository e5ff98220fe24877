"""From a function and a signature to its graph: the front end's entry."""

from __future__ import annotations

import inspect
import types
from typing import Any

from symdiff import ops
from symdiff.errors import AliasingError, SymdiffError, UnsupportedSyntaxError
from symdiff.ir.build import building
from symdiff.ir.graph import Block, Graph, Input, Node, Value
from symdiff.ir.signature import Path, Signature
from symdiff.ir.structure import Container, Leaf, Static, Structure, is_leaf
from symdiff.ir.types import ArrayType, ListType, Size
from symdiff.ops.declare import NeedsStatic
from symdiff.parse.calls import call_value
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.reflect import argument
from symdiff.parse.staged import Staged, StaticDemand
from symdiff.parse.values import (
    Abstract,
    Array,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    ObjectRef,
    Storage,
)
from symdiff.source import find_source, span_of


def stage(function: Any, signature: Signature) -> Staged:
    """Stage a function at a signature.

    Raises ``StaticDemand`` where structure depends on a value that the signature does not fix, a
    ``SymdiffError`` for what is outside the language, and what the function itself certainly
    raises.
    """
    interp = Interpreter()
    interp.static = dict(signature.static)
    with building(interp.entry):
        try:
            return _stage(interp, function, signature)
        except NeedsStatic as needed:
            raise demand(interp, needed.value) from None
        except ConflictRead as read:
            raise _decided_now(interp, read.conflict) from None


def _decided_now(interp: Interpreter, conflict: Conflict) -> Exception:
    """What to raise: a request to fix what decides between the paths, or an error."""
    if conflict.predicate is not None:
        wanted = demand(interp, conflict.predicate)
        if isinstance(wanted, StaticDemand) and wanted.paths:
            return wanted
    return _conflict_error(interp, conflict)


def _conflict_error(interp: Interpreter, conflict: Conflict) -> SymdiffError:
    if conflict.aliasing:
        hint = (
            f"write before the paths join, or to a copy: {conflict.name} = {conflict.name}.copy()"
        )
        return AliasingError(conflict.reason, conflict.span, hint)
    return UnsupportedSyntaxError(
        conflict.reason, conflict.span, "give it one type and one structure on both paths"
    )


def _stage(interp: Interpreter, function: Any, signature: Signature) -> Staged:
    arguments, keywords = _arguments(interp, function, signature)
    result = call_value(interp, function, arguments, keywords)
    output, results = Output(interp).structure(result)
    mutated = _mutated(interp, results)
    _write_back(interp)
    graph = Graph(
        getattr(function, "__name__", "function"),
        Block(tuple(interp.parameters), interp.entry.nodes, tuple(results)),
        tuple(interp.inputs),
        output,
        mutated,
        getattr(function, "__doc__", None),
        _span(function),
    )
    return Staged(graph, tuple(interp.guards.values()))


def _storages(interp: Interpreter) -> list[Storage]:
    return [key for key in interp.heap.contents if isinstance(key, Storage)]


def _span(function: Any) -> Any:
    if not isinstance(function, types.FunctionType):
        return None
    source = find_source(function)
    return span_of(source.tree, source)


def _arguments(
    interp: Interpreter, function: Any, signature: Signature
) -> tuple[list[Abstract], dict[str, Abstract]]:
    """The abstract arguments of a call, in the form of the function's parameters."""
    interp.same = dict(signature.same)
    values = {name: argument(interp, spec, (name,)) for name, spec in signature.parameters}
    try:
        parameters = inspect.signature(function, follow_wrapped=False)
    except (ValueError, TypeError):  # a C function that does not tell its parameters
        return list(values.values()), {}
    return spread_arguments(interp, parameters, values)


def spread_arguments(
    interp: Interpreter, parameters: inspect.Signature, values: dict[str, Abstract]
) -> tuple[list[Abstract], dict[str, Abstract]]:
    """A call's positional and keyword arguments from one value a parameter."""
    positional: list[Abstract] = []
    keywords: dict[str, Abstract] = {}
    for name, value in values.items():
        kind = parameters.parameters[name].kind if name in parameters.parameters else None
        if kind is inspect.Parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            keywords |= interp.content(value)
        elif kind is inspect.Parameter.KEYWORD_ONLY:
            keywords[name] = value
        else:
            positional.append(value)
    return positional, keywords


def _mutated(interp: Interpreter, results: list[Value]) -> dict[int, int]:
    """Input arrays that the function writes, or replaces in a container of the caller's."""
    finals: dict[int, Value] = {}
    for storage in _storages(interp):
        if storage in interp.heap.written and storage.origin is not None:
            finals[storage.origin] = interp.heap.contents[storage]
    numbers = {input_.path: k for k, input_ in enumerate(interp.inputs)}
    for ref in interp.changed:
        content = interp.content(ref)
        if not isinstance(content, dict | tuple):
            continue
        items = content.items() if isinstance(content, dict) else enumerate(content)
        for key, item in items:
            number = numbers.get((*ref.path, key))
            if number is None or not isinstance(item, Array):
                continue
            final, before = interp.heap.read(item), interp.parameters[number]
            if final is not before and final.type == before.type:
                finals[number] = final
    mutated: dict[int, int] = {}
    for number, final in finals.items():
        mutated[number] = len(results)
        results.append(final)
    return mutated


class Output:
    """Flattens what the function returns into leaves and structure."""

    def __init__(self, interp: Interpreter) -> None:
        self.interp = interp
        self.leaves: list[Value] = []

    def structure(self, result: Abstract) -> tuple[Structure, list[Value]]:
        return self._of(result), self.leaves

    def _of(self, value: Abstract) -> Structure:
        interp = self.interp
        if isinstance(value, Conflict):
            raise ConflictRead(value)
        if isinstance(value, Value | Array) or is_leaf(value):
            self.leaves.append(interp.lift(value))
            return Leaf(len(self.leaves) - 1)
        if isinstance(value, ListRef):
            content = interp.content(value)
            if isinstance(content, Value):
                self.leaves.append(content)
                return Leaf(len(self.leaves) - 1)
            return self._container(list, tuple(range(len(content))), content)
        if isinstance(value, tuple):
            keys = getattr(value, "_fields", range(len(value)))
            return self._container(type(value), tuple(keys), value)
        if isinstance(value, DictRef):
            content = interp.content(value)
            return self._container(dict, tuple(content), tuple(content.values()))
        if isinstance(value, ObjectRef):
            return self._object(value)
        return Static(value)

    def _container(
        self, kind: type, keys: tuple[Any, ...], items: tuple[Abstract, ...]
    ) -> Structure:
        return Container(kind, keys, tuple(self._of(item) for item in items))

    def _object(self, value: ObjectRef) -> Structure:
        import dataclasses

        if value.live is not None and not dataclasses.is_dataclass(value.type):
            return Static(value.live)
        if not dataclasses.is_dataclass(value.type):
            raise UnsupportedSyntaxError(
                f"the function returns a {value.type.__name__}",
                None,
                "return numbers, arrays, tuples, lists, dicts or dataclasses",
            )
        names = tuple(field.name for field in dataclasses.fields(value.type))
        items = tuple(self.interp.content((value, name)) for name in names)
        return self._container(value.type, names, items)


# What the function changes outside itself ---------------------------------------------------------


def _write_back(interp: Interpreter) -> None:
    """Effects at the end: globals, closure cells and attributes that were bound anew."""
    from symdiff.parse.writeback import write_back

    write_back(interp)


# Static demands -----------------------------------------------------------------------------------


def demand(interp: Interpreter, value: Value) -> Exception:
    """The inputs that a wanted value is computed from, as a request to fix them."""
    numbers = {parameter: k for k, parameter in enumerate(interp.parameters)}
    paths: dict[tuple[Any, ...], None] = {}
    stack, seen = [value], {value}
    while stack:
        current = stack.pop()
        node = current.node
        if node is None:
            if current not in numbers:
                return UnsupportedSyntaxError(
                    "structure depends on a value that changes in a loop", interp.span
                )
            input_: Input = interp.inputs[numbers[current]]
            if not _can_be_fixed(current):
                return _not_static(interp, current)
            paths[input_.path] = None
        elif node.op is ops.size and (path := _size_path(interp, node)) is not None:
            paths[path] = None
        elif node.op is ops.size:
            lengths = _lengths_behind(interp, node.operands[0], paths)
            if lengths is None:
                return _not_static(interp, current)
            stack.extend(length for length in lengths if length not in seen)
            seen.update(lengths)
        elif (count := _count_behind(current)) is not None:
            stack.extend(value for value in count if value not in seen)
            seen.update(count)
        elif node.blocks or node.op.effect:
            return _not_static(interp, current)
        else:
            for operand in node.operands:
                if operand not in seen:
                    seen.add(operand)
                    stack.append(operand)
    return StaticDemand(tuple(paths)) if paths else _not_static(interp, value)


def _lengths_behind(
    interp: Interpreter, array: Value, paths: dict[tuple[Any, ...], None]
) -> list[Value] | None:
    """What the shape of a computed array depends on: integers, and dimensions of inputs (to ``paths``).

    None where elements decide: a mask, a branch, a loop.
    """
    lengths: list[Value] = []
    pending, seen = [array], {array}
    while pending:
        value = pending.pop()
        if value.node is None:
            found = _input_dimensions(interp, value)
            if found is None:
                return None
            paths.update(dict.fromkeys(found))
        elif value.node.blocks or value.node.op.effect or _elements_decide(value.node):
            return None
        for operand in () if value.node is None else value.node.operands:
            if operand not in seen and isinstance(operand.type, ArrayType):
                seen.add(operand)
                group = pending if operand.type.shape else lengths
                if operand.type.shape or operand.type.dtype.kind in "iu":
                    group.append(operand)
    return lengths


def _elements_decide(node: Node) -> bool:
    """Whether the shape of a node's result depends on elements of arrays."""
    masks = (v.type for v in node.operands[1:] if isinstance(v.type, ArrayType))
    masked = node.op is ops.index and any(t.dtype.kind == "b" and t.shape for t in masks)
    return masked or node.op.name in ("nonzero", "repeat")


def _input_dimensions(interp: Interpreter, value: Value) -> list[Path] | None:
    """The paths of an input array's dimensions that are not constants."""
    if value not in interp.parameters or not isinstance(value.type, ArrayType):
        return None
    path = interp.inputs[interp.parameters.index(value)].path
    axes = enumerate(value.type.shape)
    return [(*path, ("size", axis)) for axis, dim in axes if isinstance(dim, Size)]


def _count_behind(value: Value) -> list[Value] | None:
    """What the length of a list comes from: the counts of the loops that it grew in."""
    node = value.node
    assert node is not None
    if node.op.name == "list_length" or isinstance(value.type, ListType):
        if node.op.name in ("list_new", "undefined"):
            return []
        if node.op.name == "loop" and node.attributes["bounded"] and len(node.blocks) == 1:
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
    for parameter, input_ in zip(interp.parameters, interp.inputs, strict=True):
        if isinstance(dim, Size) and isinstance(parameter.type, ArrayType):
            for axis, other in enumerate(parameter.type.shape):
                if isinstance(other, Size) and other.symbol == dim.symbol:
                    return (*input_.path, ("size", axis))
    return None


def _can_be_fixed(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, ArrayType) and not type_.shape and type_.dtype.kind in "iub"


def _not_static(interp: Interpreter, value: Value) -> Exception:
    what = f"'{value.name}'" if value.name else "a computed value"
    return UnsupportedSyntaxError(
        f"structure depends on {what}, which is known at run time only",
        interp.span,
        "make it an int argument, or a constant",
    )
