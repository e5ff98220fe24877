"""Signs on statements of derivatives that go into a number: ``-(1.0 / n / x * y)`` is
``-1.0 / n / x * y``, bit for bit, and an operation on arrays less. So are those of factors:
``x / n * -y`` is ``x / -n * y``.

It is done to what is emitted: before, a sign in front meets others.
"""

from __future__ import annotations

from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import divide, multiply, negative
from symdiff.ops.facts import made_by, number_of, shape_of
from symdiff.ops.sizes import dim_of
from symdiff.optimise.facts import inexact_by
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import apply_like, in_derivatives, op_of

_DEPTH = 6


@reads("multiply", "divide")
def sign_into_number(node: Node, rewriter: Rewriter) -> Value | None:
    """``-(c / x * y)`` as ``-c / x * y``."""
    return _negated(node.operands[0], rewriter, _DEPTH)


@reads("negative")
def sign_of_factor_into_number(node: Node, rewriter: Rewriter) -> Value | None:
    """``c / x * -y`` as ``-c / x * y``."""
    for place, operand in enumerate(node.operands):
        minus = inexact_by(operand, "negative")
        turned = minus and _negated(node.operands[1 - place], rewriter, _DEPTH)
        if minus is not None and turned is not None:
            factors = [turned, minus.operands[0]]
            return apply_like(multiply, node, *(factors if place else reversed(factors)))
    return None


def _negated(value: Value, rewriter: Rewriter, depth: int) -> Value | None:
    """A product or quotient with the sign of a number in it turned; None where there is none."""
    node = inexact_by(value, "multiply", "divide")
    if node is None or depth == 0 or not rewriter.takes(value):
        return None
    for place in range(2 if node.op is multiply else 1):
        number = number_of(node.operands[place])
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
        turned = -number if is_number else _negated(node.operands[place], rewriter, depth - 1)
        if turned is not None:
            operands = [turned if k == place else v for k, v in enumerate(node.operands)]
            return apply_like(op_of(node), node, *operands)
    if node.op is divide and _is_own_length(node.operands[1], node):
        return apply_like(divide, node, node.operands[0], apply(negative, node.operands[1]))
    return None


def _is_own_length(value: Value, node: Node) -> bool:
    """Return whether a value is a length of what a node makes, which has no elements if that is 0:
    an integer's zero has no sign.
    """
    return made_by(value, "size") is not None and dim_of(value) in shape_of(node.result)


SIGNS: Rules = {
    "negative": in_derivatives(sign_into_number),
    "multiply": in_derivatives(sign_of_factor_into_number),
}
