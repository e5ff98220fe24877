"""Steps beside their ramps: ``np.maximum(x, 0.0) * ((x > 0.0) + 0.5 * (x == 0.0))`` is the ramp.

Where ``x`` is positive the step is 1, elsewhere the product is 0, or what 0 makes of its other
factors, as it is without the step. Gradients of squared hinges and penalties have such products.

It is done to what is emitted: where ``x`` is 0, a ramp has another derivative than the product.
"""

from __future__ import annotations

from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import equal, greater, less, maximum, minimum
from symdiff.ops.facts import number_of
from symdiff.optimise.facts import inexact_by
from symdiff.optimise.rewriting import Rewriter, Rules, reads
from symdiff.optimise.rules import both_ways, in_derivatives

_DEPTH = 6
_PRODUCTS = ("multiply", "strong_multiply", "negative")


@reads("add")
def step_beside_ramp(node: Node, rewriter: Rewriter) -> Value | None:
    """A product with a ramp and its step without the step."""
    for product, factor in both_ways(node):
        if product.type == node.result.type and product.type == factor.type:
            found = _step(factor)
            if found is not None and _has_ramp(product, *found, _DEPTH):
                return product
    return None


def _step(value: Value) -> tuple[Value, bool] | None:
    """``x``, and whether it is the positive ones, of ``(x > 0) + 0.5 * (x == 0)``."""
    node = inexact_by(value, "add")
    if node is None:
        return None
    won, half = node.operands[0].node, inexact_by(node.operands[1], "multiply")
    if won is None or won.op not in (greater, less) or half is None:
        return None
    x, zero = won.operands
    known, tie = half.operands
    if number_of(zero) != 0 or number_of(known) != 0.5 or not _is_tie(tie, x):
        return None
    return x, won.op is greater


def _is_tie(value: Value, x: Value) -> bool:
    node = value.node
    if node is None or node.op is not equal:
        return False
    return any(one is x and number_of(other) == 0 for one, other in both_ways(node))


def _has_ramp(value: Value, x: Value, positive: bool, depth: int) -> bool:
    """Return whether a product has the factor ``maximum(x, 0)``, or ``minimum(x, 0)``."""
    node = value.node
    if node is None or depth == 0:
        return False
    if node.op is (maximum if positive else minimum):
        return any(one is x and number_of(zero) == 0 for one, zero in both_ways(node))
    if node.op.name not in _PRODUCTS:
        return False
    return any(_has_ramp(factor, x, positive, depth - 1) for factor in node.operands)


RAMPS: Rules = {"multiply": in_derivatives(step_beside_ramp)}
