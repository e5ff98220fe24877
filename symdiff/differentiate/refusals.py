"""What is told where a derivative reaches something that has no rule for it."""

from __future__ import annotations

import ast

from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Node, Value
from symdiff.ops.draws import advice
from symdiff.ops.solving import solver_call
from symdiff.ops.texts import of_text
from symdiff.source.trees import expression_of


def no_rule(node: Node, operand: Value) -> UnsupportedCallError:
    if node.op is solver_call:
        told = f"cannot differentiate what {_called(node)} tells beside its solution"
        return UnsupportedCallError(told, node.span, _SOLUTION_ALONE)
    of = f" with respect to {operand.name!r}" if operand.name else ""
    value = operand.name or "the argument"
    constant = f"wrap {value} in symdiff.stop_gradient(...), or give a rule with symdiff.custom_vjp"
    hint = advice(node) or of_text(node) or constant
    return UnsupportedCallError(f"cannot differentiate {_called(node)}{of}", node.span, hint)


_SOLUTION_ALONE = (
    "return the solution alone, result.x or the first item, or wrap what else is told, such as an"
    " estimate of the error, in symdiff.stop_gradient(...)"
)


def _called(node: Node) -> str:
    """What has no rule, as the user wrote it."""
    described = node.attributes.get("description")
    if described is not None or node.span is None:
        return described or node.op.name
    try:
        written = expression_of(node.span.code)
    except SyntaxError:
        return "this"  # the first line of several
    return ast.unparse(written.func) if isinstance(written, ast.Call) else "this"
