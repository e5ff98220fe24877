"""``with``: ``symdiff.no_grad()`` and ``np.errstate(...)``; other context managers are refused."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder, constant
from symdiff.ir.graph import Node
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.ops.declare import static
from symdiff.ops.effects import enter_errstate, leave_errstate, stop_gradient
from symdiff.parse.calls import BUILTINS
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract


class NoGrad:
    """What ``symdiff.no_grad()`` gives inside staged code."""


class ErrState:
    """What ``np.errstate(...)`` gives inside staged code."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings


def _errstate(interp: Interpreter, arguments: Any, keywords: dict[str, Abstract]) -> Abstract:
    return ErrState({name: static(value) for name, value in keywords.items()})


BUILTINS[np.errstate] = _errstate


@contextlib.contextmanager
def without_derivatives(interp: Interpreter) -> Iterator[None]:
    """What is computed meanwhile has no derivative."""
    current = builder()
    before, current.after = current.after, _stopped
    interp.stopped += 1
    try:
        yield
    finally:
        interp.stopped -= 1
        current.after = before


def _stopped(node: Node) -> Node:
    """The node, or one that cuts its result off.

    What is written into an array is cut off instead of the array; views are what they are views of.
    """
    current = builder()
    current.after, after = None, current.after
    try:
        if node.op.name in _WRITES:
            _cut_written(node)
        elif _computes(node):
            return builder().emit(stop_gradient, (node.result,))
        return node
    finally:
        current.after = after


_WRITES = ("index_set", "index_add")


def _computes(node: Node) -> bool:
    if node.blocks or len(node.results) != 1 or node.op.view is not None:
        return False
    type_ = node.result.type
    if node.op in (constant, stop_gradient) or not isinstance(type_, ArrayType):
        return False
    return carries_derivative(type_)


def _cut_written(node: Node) -> None:
    base, value, *others = node.operands
    if carries_derivative(value.type):
        nodes = builder().nodes
        nodes.pop()
        node.operands = (base, stop_gradient(value), *others)
        nodes.append(node)


def entered(interp: Interpreter, items: list[ast.withitem], body: Callable[[], None]) -> None:
    """Stage a body inside context managers."""
    if not items:
        body()
        return
    manager = interp.evaluate(items[0].context_expr)
    if isinstance(manager, NoGrad) and items[0].optional_vars is None:
        with without_derivatives(interp):
            entered(interp, items[1:], body)
    elif isinstance(manager, ErrState) and items[0].optional_vars is None:
        settings = tuple(manager.settings.items())
        before = enter_errstate(settings=settings)
        outside = interp.strict
        interp.strict |= not {"raise", "call"}.isdisjoint(manager.settings.values())
        try:
            entered(interp, items[1:], body)
        finally:
            interp.strict = outside
        leave_errstate(before)
    else:
        with interp.at(items[0].context_expr):
            raise UnsupportedSyntaxError(
                "symdiff does not compile 'with' on this context manager",
                interp.span,
                "use np.errstate(...) or symdiff.no_grad(), or move the block outside",
            )
