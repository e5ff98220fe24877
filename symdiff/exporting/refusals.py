"""What cannot stand alone, refused by the user's line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdiff.emit import Emitted
from symdiff.errors import SymdiffError, UnsupportedCallError
from symdiff.ir.attributes import is_object
from symdiff.ir.called import called_by
from symdiff.ir.graph import FreeVariable, Graph, Node, walk_nodes
from symdiff.ir.signature import Aspect, Live, Nested, Path, Signature, Specification
from symdiff.ops.effects import (
    call_hook,
    grad_hook,
    opaque_call,
    set_attribute,
    set_item,
    stop_gradient,
)
from symdiff.ops.rules import custom_call
from symdiff.runtime.signature import spelled
from symdiff.source import SourceSpan

_OUTSIDE = {
    opaque_call: "it calls, or changes, something outside",
    set_attribute: "it sets an attribute of an object outside",
    set_item: "it sets an item of a list or a dict outside",
    call_hook: "it calls a hook",
    grad_hook: "it calls a hook",
}
_CUTTING = frozenset({stop_gradient, custom_call, grad_hook, call_hook})


def all_nodes(graph: Graph) -> list[Node]:
    """The nodes of a graph and of all graphs that it calls."""
    graphs = dict.fromkeys((graph, *called_by(graph)))
    return [node for one in graphs for node in walk_nodes(one.block)]


def refuse_outside_effects(graph: Graph, written: Sequence[Path]) -> None:
    """Refuse what reaches outside the module; ``written`` are the paths of arrays that are written.

    :raises UnsupportedCallError: at the line of the first such statement.
    """
    for node in all_nodes(graph):
        if node.op in _OUTSIDE:
            raise UnsupportedCallError(
                f"a module cannot stand alone with this in it: {_OUTSIDE[node.op]}",
                node.span or graph.span,
                "compute it before, and pass the result as an argument",
            )
    for path in written:
        if isinstance(path[0], FreeVariable):
            raise UnsupportedCallError(
                f"the function writes the array {spelled(path)}, which is outside: a module cannot"
                " stand alone with it",
                graph.span,
                "pass the array as an argument",
            )


def cut_in(graph: Graph) -> SourceSpan | bool:
    """Where a derivative is declared to be another than what differences give; False if nowhere."""
    for node in all_nodes(graph):
        if node.op in _CUTTING:
            return node.span or True
    return False


def refuse_objects(signature: Signature, span: SourceSpan | None) -> None:
    """Refuse objects as arguments, whose class is not in the module, and one object as two."""
    for path, answer in signature.static:
        if isinstance(path[-1], Aspect) and path[-1].kind == "is" and answer:
            raise SymdiffError(
                f"the program is that where {spelled(path)[1:-1]}: a module cannot stand alone"
                " with it",
                span,
                "export a function that takes it once: lambda x: f(x, x)",
            )
    for name, specification in signature.parameters:
        _refuse_live(name, specification, span)


def _refuse_live(name: str, specification: Specification, span: SourceSpan | None) -> None:
    if isinstance(specification, Live | Nested) and not _is_container(specification):
        raise SymdiffError(
            f"{name} is a {specification.type.__name__}: a module cannot stand alone with it",
            span,
            "pass the numbers in it, in a dataclass, a NamedTuple or a dict",
        )
    if isinstance(specification, Nested):
        for key, item in zip(specification.keys, specification.items, strict=True):
            _refuse_live(spelled((name, key)), item, span)


def _is_container(specification: Live | Nested) -> bool:
    return isinstance(specification, Nested) and not is_object(specification.type)


def not_alone(name: str, value: Any, emitted: list[Emitted]) -> SymdiffError:
    """The error for an object that generated text names and a module cannot import."""
    told = getattr(value, "__qualname__", None) or f"a {type(value).__qualname__}"
    return UnsupportedCallError(
        f"{told} cannot be imported with NumPy alone: a module cannot stand alone with it",
        _line_with(name, emitted),
        "compute it before, and pass the result as an argument",
    )


def _line_with(name: str, emitted: list[Emitted]) -> SourceSpan | None:
    """The user's line of the first generated line that reads a name."""
    for program in emitted:
        for number, line in enumerate(program.text.splitlines(), 1):
            if name in line and number in program.lines:
                return program.lines[number]
    return None
