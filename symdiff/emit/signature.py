"""The emitted function's parameters, how its arguments are taken apart, and what it returns."""

from __future__ import annotations

import ast
import collections
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from symdiff.emit.emitted import Parameter
from symdiff.emit.expressions import Expressions, assign, call_of, name, subscript, target, tuple_of
from symdiff.emit.namespace import Namespace
from symdiff.emit.plan import Plan
from symdiff.emit.text import Line
from symdiff.ir.graph import Graph, Value
from symdiff.ir.signature import Asked, Attribute, Live, Nested, PlainArray, Signature, step
from symdiff.ir.structure import (
    Container,
    Either,
    Leaf,
    Rebuild,
    Structure,
    is_left_out,
    is_made_of_items,
    native_base,
)
from symdiff.ops.declare import literal


def name_parameters(graph: Graph, namespace: Namespace) -> tuple[dict[int, str], list[Parameter]]:
    """Names, by number, of inputs that are parameters of the function; its parameters, in order."""
    names: dict[int, str] = {}
    parameters: list[Parameter] = []
    known: dict[str, Parameter] = {}
    numbered = list(enumerate(graph.inputs))
    arguments = [p for p in numbered if p[1].origin == "argument"]
    others = [p for p in numbered if p[1].origin != "argument"]
    for number, source in arguments + others:
        if source.origin == "argument":
            parameter = known.get(str(source.path[0]))
            if parameter is None:
                chosen = namespace.fresh(str(source.path[0]))
                parameter = Parameter(chosen, "argument", source.path[:1])
                known[str(source.path[0])] = parameter
                parameters.append(parameter)
            if len(source.path) == 1:
                names[number] = parameter.name
        else:
            parameter = Parameter(namespace.fresh(source.name), source.origin, source.path)
            names[number] = parameter.name
            parameters.append(parameter)
    return names, parameters


def unpacking(
    plan: Plan,
    parameters: Sequence[Parameter],
    signature: Signature | None,
    namespace: Namespace,
) -> list[Line]:
    """Statements that give the leaves of containers their names."""
    by_path = {p.path[0]: p.name for p in parameters if p.origin == "argument"}
    specifications = dict(signature.parameters) if signature else {}
    groups: dict[tuple[Any, ...], list[Value]] = {}
    for source, value in zip(plan.graph.inputs, plan.graph.block.parameters, strict=True):
        if source.origin == "argument" and len(source.path) > 1 and value in plan.names:
            groups.setdefault(source.path, []).append(value)
    lines = []
    for paths in _together(list(groups), specifications):
        first, *rest = paths[0] if len(paths) == 1 else paths[0][:-1]
        read = _follow(name(by_path[first]), rest, specifications.get(first), namespace)
        targets = [target(plan.names[groups[path][0]]) for path in paths]
        to = targets[0] if len(paths) == 1 else ast.Tuple(targets, ast.Store())
        lines.append(Line(assign(to, read), plan.graph.span))
    return lines


Path = tuple[Any, ...]


def _together(paths: list[Path], specifications: Mapping[str, Any]) -> list[list[Path]]:
    """Paths grouped where they are all the items of one tuple or list."""
    siblings: dict[Path, list[Path]] = {}
    for path in paths:
        siblings.setdefault(path[:-1], []).append(path)
    found: list[list[Path]] = []
    together: set[Path] = set()
    for path in paths:
        parent = path[:-1]
        some = siblings[parent]
        if len(some) == 1 or len(some) != _length(parent, specifications):
            found.append([path])
        elif parent not in together:
            together.add(parent)
            found.append(sorted(some, key=lambda one: one[-1]))
    return found


def _length(path: Path, specifications: Mapping[str, Any]) -> int | None:
    """How many items the tuple or list at a path has; None where it is not one."""
    specification = specifications.get(path[0])
    for key in path[1:]:
        specification = _item(specification, key)
    if not isinstance(specification, Nested) or specification.type not in (tuple, list):
        return None
    return len(specification.keys)


def _follow(
    expression: ast.expr, path: Sequence[Any], specification: Any, namespace: Namespace
) -> ast.expr:
    """``params[0].w``: keys where the signature, or the example of an object, has a container."""
    held = None  # what stands in the example, beyond an object
    for key in path:
        if isinstance(specification, Live):
            held, specification = specification.example, None
        kind = specification.type if isinstance(specification, Nested) else type(held)
        of_name = isinstance(key, str) and not issubclass(kind, dict | MappingProxyType)
        if of_name or isinstance(key, Attribute):
            expression = ast.Attribute(expression, str(key), ast.Load())
        elif isinstance(key, Asked):
            spelled = key.spelled(f"({ast.unparse(expression)})")
            expression = ast.parse(spelled, mode="eval").body
        elif isinstance(key, PlainArray):
            view = ast.Attribute(expression, "view", ast.Load())
            expression = ast.Call(view, [name(namespace.bind(np.ndarray, "ndarray"))], [])
        else:
            expression = _item_of(expression, key, kind, namespace)
        held = _held(specification, held, key)
        specification = _item(specification, key)
    return expression


def _item_of(expression: ast.expr, key: Any, kind: type, namespace: Namespace) -> ast.expr:
    """``expression[key]``, whatever methods the class has of its own."""
    base: Any = native_base(kind)
    plain = getattr(base, "__getitem__", None)
    if plain is None or getattr(kind, "__getitem__", None) is plain:
        return subscript(expression, _key(key, namespace))
    function = namespace.bind(plain, f"{base.__name__}_getitem")
    return call_of(function, expression, _key(key, namespace))


def _key(key: Any, namespace: Namespace) -> ast.expr:
    """A key of a container as it is written, or by a name: a member of an ``IntEnum`` is an integer
    that is written otherwise.
    """
    if type(key) is tuple:
        return ast.Tuple([_key(part, namespace) for part in key], ast.Load())
    if isinstance(key, np.number) or type(key) in (int, float, complex):
        return literal(key)
    is_written = key is None or type(key) in (str, bytes, bool)
    return ast.Constant(key) if is_written else name(namespace.bind(key, "key"))


def _held(specification: Any, held: Any, key: Any) -> Any:
    """What stands at a step from an object of the example."""
    if isinstance(specification, Nested):
        held = None if specification.example is None else specification.example()
    try:
        return None if held is None else step(held, key)
    except (LookupError, AttributeError, TypeError):
        return None


def _item(specification: Any, key: Any) -> Any:
    if not isinstance(specification, Nested) or key not in specification.keys:
        return None
    return specification.items[specification.keys.index(key)]


def output(graph: Graph, expressions: Expressions) -> ast.expr:
    """The expression of what the function returns."""
    return _built(graph.output, graph, expressions)


def _built(structure: Structure, graph: Graph, expressions: Expressions) -> ast.expr:
    """The expression of a part of it."""
    if isinstance(structure, Leaf):
        return expressions.of(graph.block.results[structure.index])
    if isinstance(structure, Either):
        test = expressions.of(graph.block.results[structure.predicate])
        if is_left_out(structure.orelse):
            return ast.IfExp(test, _built(structure.then, graph, expressions), ast.Constant(None))
        then, orelse = (
            _built(arm, graph, expressions) for arm in (structure.then, structure.orelse)
        )
        return ast.IfExp(test, then, orelse)
    if not isinstance(structure, Container):
        return expressions.static(structure.value)
    items = [_built(item, graph, expressions) for item in structure.items]
    return _container(structure, items, expressions)


def _container(container: Container, items: list[ast.expr], expressions: Expressions) -> ast.expr:
    kind = container.type
    if kind is tuple:
        return tuple_of(items)
    if kind is list:
        return ast.List(items, ast.Load())
    if issubclass(kind, dict | list | tuple) and not _is_made_of_items(kind):
        rebuild = Rebuild(container)
        return call_of(expressions.namespace.bind(rebuild, f"make_{kind.__name__}"), *items)
    if issubclass(kind, dict):
        keys = [
            _key(key, expressions.namespace)
            if type(key) is tuple
            else expressions.static(key, "key")
            for key in container.keys
        ]
        made = _dict_of(container, keys, items)
        return (
            made if kind is dict else call_of(expressions.namespace.bind(kind, kind.__name__), made)
        )
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return call_of(expressions.namespace.bind(kind, kind.__name__), *items)
    if issubclass(kind, list | tuple):
        whole = tuple_of(items)
        return call_of(expressions.namespace.bind(kind, kind.__name__), whole)
    return call_of(expressions.namespace.bind(Rebuild(container), f"make_{kind.__name__}"), *items)


def _dict_of(container: Container, keys: Sequence[ast.expr], items: Sequence[ast.expr]) -> ast.expr:
    """``{"a": a} | ({"b": b} if t else {})``: what may be left out is in dicts of its own."""
    parts: list[ast.expr] = []
    for structure, key, item in zip(container.items, keys, items, strict=True):
        last = parts[-1] if parts else None
        if isinstance(structure, Either) and is_left_out(structure.orelse):
            assert isinstance(item, ast.IfExp)
            parts.append(ast.IfExp(item.test, ast.Dict([key], [item.body]), ast.Dict([], [])))
        elif isinstance(last, ast.Dict):
            last.keys.append(key)
            last.values.append(item)
        else:
            parts.append(ast.Dict([key], [item]))
    whole = parts[0] if parts else ast.Dict([], [])
    for part in parts[1:]:
        whole = ast.BinOp(whole, ast.BitOr(), part)
    return whole


def _is_made_of_items(kind: type) -> bool:
    """Return whether a class of dicts, lists or tuples makes one of the items that it is given."""
    if issubclass(kind, tuple):
        return is_made_of_items(kind)
    if kind.__module__ == "collections":
        return kind is not collections.defaultdict
    base: Any = native_base(kind)
    return all(getattr(kind, name) is getattr(base, name) for name in _MAKING)


_MAKING = ("__init__", "__new__", "__setitem__")
