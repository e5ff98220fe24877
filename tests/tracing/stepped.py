"""The plain function run step by step: what each name got, and what a change there would do.

After each statement that binds a name a call is put in: ``x = note("x", line, x)``. It notes a copy
of the value, and may change one of them, in place where it is an array. Differences of the result
over such changes are gradients by intermediate values that symdiff has no part in.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Change = tuple[int, tuple[Any, ...], float]  # number of the value, place in it, by how much
Noted = tuple[str, int, Any]


class _Notes(ast.NodeTransformer):
    """Puts a note behind each statement that binds a name."""

    def __init__(self, offset: int) -> None:
        self.offset = offset

    def _note(self, target: ast.expr) -> Iterator[ast.stmt]:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield self.call(node.id, node.lineno)

    def call(self, name: str, line: int) -> ast.stmt:
        made = ast.parse(f"{name} = note('{name}', {line + self.offset}, {name})").body[0]
        return made

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return [node, *(note for target in node.targets for note in self._note(target))]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        return [node, *self._note(node.target)]

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.body[:0] = list(self._note(node.target))
        return node


def _noting(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    source, first = textwrap.dedent(inspect.getsource(function)), function.__code__.co_firstlineno
    tree = ast.parse(source)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    notes = _Notes(first - 1)
    arguments = [notes.call(one.arg, definition.lineno) for one in definition.args.args]
    notes.visit(definition)
    definition.body[:0] = arguments
    definition.decorator_list = []
    ast.fix_missing_locations(tree)
    code = compile(tree, "<noted>", "exec")

    def with_note(note: Callable[..., Any]) -> Callable[..., Any]:
        namespace = {**function.__globals__, "note": note}
        exec(code, namespace)
        made: Callable[..., Any] = namespace[definition.name]
        return made

    return with_note


def stepped(
    function: Callable[..., Any], arguments: Sequence[Any], change: Change | None = None
) -> tuple[Any, list[Noted]]:
    """The result, and each value that a name got; one of them changed."""
    noted: list[Noted] = []

    def note(name: str, line: int, value: Any) -> Any:
        if change is not None and change[0] == len(noted):
            value = _changed(value, change[1], change[2])
        noted.append((name, line, copy.deepcopy(value)))
        return value

    result = _noting(function)(note)(*copy.deepcopy(tuple(arguments)))
    return result, noted


def _changed(value: Any, place: tuple[Any, ...], by: float) -> Any:
    if not place:
        return value + by
    first, *rest = place
    if isinstance(value, tuple) and not isinstance(first, tuple):
        items = list(value)
        items[first] = _changed(items[first], tuple(rest), by)
        return tuple(items)
    value[first] = _changed(value[first], tuple(rest), by)
    return value


def _places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all floats in a value."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            yield from ((*before, index) for index in np.ndindex(value.shape))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*before, key))
    elif isinstance(value, list | tuple):
        for key, item in enumerate(value):
            yield from _places(item, (*before, key))
    elif isinstance(value, float):
        yield before


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def gradients(
    function: Callable[..., Any], arguments: Sequence[Any], step: float = 1e-5
) -> Iterator[tuple[int, tuple[Any, ...], float]]:
    """Number and place of each float that a name got, and the derivative of the result by it."""
    _, noted = stepped(function, arguments)
    for number, (_, _, value) in enumerate(noted):
        for place in _places(value):
            sides = (
                stepped(function, arguments, (number, place, by))[0]
                for by in (step, -step, 2 * step, -2 * step)
            )
            a, b, c, d = sides
            yield number, place, float((8 * (a - b) - (c - d)) / (12 * step))
