"""Asking whether an operation raises, so that what a ``try`` catches is a value like any other.

``caught`` attempts an operation and gives the exception, or None. The operation itself then stands
in a branch on ``is_error``, where it does not raise, and is differentiated there as anywhere else.
An operation that must not run twice is ``attempted``: that gives its result beside the exception.
``caught_in`` attempts a whole graph, of which only the exception is told.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from symdiff.ir.graph import Attributes, GraphCell, Node, Op
from symdiff.ir.types import BOOL, INT, OPAQUE, Type
from symdiff.ops import support
from symdiff.ops.declare import (
    DeclaredOp,
    Operation,
    SeveralResults,
    dotted,
    supporting,
    template,
)
from symdiff.ops.flops import nothing

Classes = tuple[type[BaseException], ...]


def spelled_class(kind: type[BaseException]) -> str | None:
    """The name under which emitted code knows an exception class; None of a user's own.

    >>> spelled_class(ValueError)
    'ValueError'
    >>> spelled_class(type("ValueError", (Exception,), {"__module__": "builtins"}))
    """
    name: str = kind.__name__
    if getattr(builtins, name, None) is kind:
        return name
    if kind.__module__ in ("numpy.linalg", "numpy.exceptions"):
        return f"np.{kind.__module__.removeprefix('numpy.')}.{kind.__name__}"
    return None


def _spell_classes(classes: Classes) -> ast.expr:
    names = [spelled_class(kind) for kind in classes]
    return ast.Tuple([dotted(name) for name in names if name is not None], ast.Load())


def _attempt(operands: Sequence[Any], op: Op, attributes: Attributes, classes: Classes) -> Any:
    evaluate = op.evaluate
    assert evaluate is not None
    return support.attempted(classes, lambda: evaluate(*operands, **attributes))


def attempt_of(node: Node) -> dict[str, Any]:
    """The attributes of an attempt of a node; what that calls back stands where passes look."""
    attributes = dict(node.attributes)
    beside = {"callee": attributes.pop("callee")} if "callee" in attributes else {}
    return {"op": node.op, "attributes": attributes, "results": node.results, **beside}


def _attributes_of(attempt: Node) -> dict[str, Any]:
    """The attributes of the operation that is attempted."""
    given = attempt.attributes
    beside = {"callee": given["callee"]} if "callee" in given else {}
    return {**given["attributes"], **beside}


def attempted_node(attempt: Node) -> Node:
    """The operation that is attempted, as it would stand alone."""
    op, results = attempt.attributes["op"], attempt.attributes["results"]
    return Node(op, attempt.operands, _attributes_of(attempt), (), results, attempt.span)


def _spell_attempt(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``attempted((ValueError,), lambda: math.sqrt(x))``."""
    inner = attempted_node(node)
    op = inner.op
    assert isinstance(op, DeclaredOp)
    assert op.spelling is not None
    nothing_given = ast.arguments([], [], None, [], [], None, [])
    action = ast.Lambda(nothing_given, op.spelling(inner, operands))
    classes = _spell_classes(node.attributes["classes"])
    return ast.Call(supporting(support.attempted), [classes, action], [])


def _spell_caught(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Subscript(_spell_attempt(node, operands), ast.Constant(0), ast.Load())


def _types(*operands: Type, results: Any, **attributes: Any) -> tuple[Type, ...]:
    return (OPAQUE,)


caught = Operation(
    "caught",
    _types,
    lambda *operands, op, attributes, classes, results, **callee: _attempt(
        operands, op, {**attributes, **callee}, classes
    )[0],
    nondifferentiable=True,
    spelling=_spell_caught,
    documentation="The exception of ``classes`` that an operation raises, or None.",
)
attempted = SeveralResults(
    "attempted",
    lambda *operands, results, **attributes: (OPAQUE, *(v.type for v in results)),
    lambda *operands, op, attributes, classes, results, **callee: _attempt(
        operands, op, {**attributes, **callee}, classes
    ),
    effect=True,
    raises=True,
    spelling=_spell_attempt,
    documentation="The same and the result, of what must not run twice.",
)


def _attempt_graph(*operands: Any, callee: GraphCell, classes: Classes) -> Any:
    from symdiff.ir.evaluate import evaluate_graph

    graph = callee.graph
    assert graph is not None
    return support.attempted(classes, lambda: evaluate_graph(graph, operands))[0]


def _spell_attempt_of_graph(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``attempted((ValueError,), lambda: f_tried(x))[0]``."""
    called = ast.Call(ast.Name(node.attributes["callee"].name, ast.Load()), list(operands), [])
    nothing_given = ast.arguments([], [], None, [], [], None, [])
    attempt = [_spell_classes(node.attributes["classes"]), ast.Lambda(nothing_given, called)]
    whole = ast.Call(supporting(support.attempted), attempt, [])
    return ast.Subscript(whole, ast.Constant(0), ast.Load())


caught_in = Operation(
    "caught_in",
    lambda *operands, callee, classes: (OPAQUE,),
    _attempt_graph,
    nondifferentiable=True,
    spelling=_spell_attempt_of_graph,
    flops=nothing,
    documentation="The exception of ``classes`` that running a graph of numbers raises, or None.",
)
is_error = Operation(
    "is_error",
    lambda error: (BOOL,),
    lambda error: error is not None,
    nondifferentiable=True,
    spelling=template("{0} is not None"),
    flops=nothing,
    documentation="Return whether an attempt has raised.",
)


def _spell_number(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    classes = _spell_classes(node.attributes["classes"])
    return ast.Call(supporting(support.first_class), [*operands, classes], [])


error_number = Operation(
    "error_number",
    lambda error, *, classes: (INT,),
    lambda error, *, classes: support.first_class(error, classes),
    nondifferentiable=True,
    spelling=_spell_number,
    flops=nothing,
    documentation="The number of the first of ``classes`` that an exception is an instance of.",
)
