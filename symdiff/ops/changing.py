"""Calls that are not followed, and may write the arrays that they are given.

``changing_call`` gives what the function returns, and what it leaves in copies of the arrays. Where
a derivative flows through such an array, it flows on as if nothing was written, and at run time
``unless_changed`` tells where something was: of what a function writes there is no derivative.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import OPAQUE
from symdiff.ops import support
from symdiff.ops.creation import zeros_of
from symdiff.ops.declare import Operation, SeveralResults, dotted, supporting
from symdiff.ops.effects import called, spell_the_call
from symdiff.ops.flops import nothing


def _evaluate_call(
    *operands: Any, function: Any, arrays: tuple[int, ...], **attributes: Any
) -> tuple[Any, ...]:
    def call(*copies: Any) -> Any:
        given = list(operands)
        for k, copied in zip(arrays, copies, strict=True):
            given[k] = copied
        return called(function, given, **attributes)

    return support.left_by(call, *(operands[k] for k in arrays))


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``left_by(lambda _0: fill(_0, 2.0), x)``."""
    given = list(operands)
    arrays: tuple[int, ...] = node.attributes["arrays"]
    for number, k in enumerate(arrays):
        given[k] = dotted(f"_{number}")
    body = spell_the_call(node, given)
    names = [ast.arg(f"_{number}") for number in range(len(arrays))]
    made = ast.Lambda(ast.arguments([], names, None, [], [], None, []), body)
    return ast.Call(supporting(support.left_by), [made, *(operands[k] for k in arrays)], [])


def _vjp(
    position: int,
    g: Any,
    y: Any,
    *xs: Value,
    function: Any,
    arrays: tuple[int, ...],
    **others: Any,
) -> Value | None:
    flowing = [j for j in range(len(arrays)) if g[j + 1] is not None]
    if not flowing:
        return None
    pairs = [value for j in flowing for value in (y[j + 1], xs[arrays[j]])]
    own = arrays.index(position) if position in arrays else None
    share = g[own + 1] if own is not None and own in flowing else zeros_of(xs[position])
    return unless_changed(share, *pairs, by=_named(function))


def _jvp(
    position: int,
    t: Value,
    y: Any,
    *xs: Value,
    function: Any,
    arrays: tuple[int, ...],
    **others: Any,
) -> tuple[Value | None, ...]:
    tangents = [t if k == position else zeros_of(xs[k]) for k in arrays]
    return None, *(
        unless_changed(tangent, y[j + 1], xs[k], by=_named(function))
        for j, (tangent, k) in enumerate(zip(tangents, arrays, strict=True))
    )


def _named(function: Any) -> str:
    name: str = getattr(function, "name", "a function")
    return name


changing_call = SeveralResults(
    "changing_call",
    lambda *operands, arrays, **others: (OPAQUE, *(operands[k] for k in arrays)),
    _evaluate_call,
    effect=True,
    raises=True,
    cost="heavy",
    varied=True,
    flops=nothing,
    spelling=_spell,
    vjp=_vjp,
    jvp=_jvp,
    documentation="A call that is not followed, and what it leaves in the arrays given.",
)


unless_changed: Operation = Operation(
    "unless_changed",
    lambda value, *pairs, by: (value,),
    support.unless_changed,
    raises=True,
    view=0,
    order="operand",
    flops=nothing,
    vjp=lambda position, g, y, value, *pairs, by: (
        unless_changed(g, *pairs, by=by) if position == 0 else None
    ),
    jvp=lambda position, t, y, value, *pairs, by: (
        unless_changed(t, *pairs, by=by) if position == 0 else zeros_of(value)
    ),
    documentation="The first operand, where the others are equal in pairs; else an error.",
)
