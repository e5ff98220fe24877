"""Calls of graphs that are attempted as wholes, in a ``try``.

What a graph raises is asked of all of it, and the call stands in the second arm of a branch on that
(``ops.attempts.caught_in``), where emission makes one ``try`` of both (``emit.tries``):

    e = caught_in(f, x)          try:
    t = is_error(e)        ─▶        y = f(x)
    y = cond(t: 0.0              except ValueError:
             | f(x))                 ...

Where it has raised, what it gives are zeros, which nobody reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import ATTEMPTED, emit_cond
from symdiff.ir.graph import Block, Node, Op, Value
from symdiff.ops.attempts import Classes, caught_in, error_number, is_error, spelled_class
from symdiff.ops.creation import zero_of
from symdiff.parse.interpreter import Interpreter


def are_told_by_class(interp: Interpreter) -> bool:
    """Return whether what the ``try`` around catch is told by classes that emitted code knows,
    and no more is asked of an exception than its class.
    """
    region = interp.regions[-1]
    if interp.strict or region.keeps or region.parts or not region.classes:
        return False
    return all(spelled_class(kind) for one in interp.regions for kind in one.handled)


def attempted_call(
    op: Op, operands: Sequence[Value], attributes: Mapping[str, Any], classes: Classes
) -> tuple[Node, Value, Value | int]:
    """Emit a call that is attempted: a node with its results, whether it has raised one of the
    classes, and the number of that.
    """
    callee = {"callee": attributes["callee"]}
    error = builder().emit(caught_in, operands, {**callee, "classes": classes}).result
    raised = is_error(error)
    span = builder().span
    with building(Builder(span=span)) as failed:
        zeros = tuple([failed.constant(zero_of(type_)) for type_ in attributes["types"]])
    with building(Builder(span=span)) as done:
        node = done.emit(op, operands, {**attributes, ATTEMPTED: True})
    branch = emit_cond(raised, Block((), failed.nodes, zeros), Block((), done.nodes, node.results))
    several = len(classes) > 1
    return branch, raised, error_number(error, classes=classes) if several else 0
