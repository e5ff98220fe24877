"""Shares of a sum on statements of derivatives: what a softmax that is written out gives back.

    (g / t - sum(g / t * p)) * e     ─▶    (g - sum(g * p)) * p

where ``p = e / t`` was made, and ``t`` is the same along what is summed over: a quotient less, and
nothing that is large where a share is not.
"""

from __future__ import annotations

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import add, multiply, negative, subtract
from symdiff.ops.facts import made_by, shape_of
from symdiff.ops.reduce import sum
from symdiff.ops.shape import reshape
from symdiff.optimise.facts import computed_by, meet_as_one
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import both_ways, regrouping


@reads("add", "subtract")
def of_shares(node: Node, rewriter: Rewriter) -> Value | None:
    """The cotangent of the terms of a sum by that of their shares."""
    for left, terms in both_ways(node):
        difference = computed_by(left, "add", "subtract")
        if difference is None or not rewriter.is_single(left):
            continue
        quotient, total = difference.operands
        divided, summed = computed_by(quotient, "divide"), _Summed.of(total)
        if divided is None or summed is None or summed.minus is not (difference.op is add):
            continue
        g, t = divided.operands
        shares = _shares(summed.node, quotient, terms, t)
        if shares is not None and meet_as_one(shape_of(total), shape_of(t)):
            return apply(multiply, apply(subtract, g, summed.again(g, shares)), shares)
    return None


def _shares(summed: Node, quotient: Value, terms: Value, t: Value) -> Value | None:
    """``p = terms / t`` of a ``sum(quotient * p)`` along which ``t`` is the same."""
    product, axis, dims = computed_by(summed.operands[0], "multiply"), _axis(summed), shape_of(t)
    if product is None or not axis or len(dims) != len(shape_of(product.result)):
        return None
    if any(dims[k] != 1 for k in axis):
        return None
    for factor, shares in both_ways(product):
        made = computed_by(shares, "divide")
        if factor is quotient and made is not None and made.operands == (terms, t):
            return shares
    return None


def _axis(summed: Node) -> tuple[int, ...]:
    axis: tuple[int, ...] = summed.attributes.get("axis") or ()
    return axis


@dataclass(frozen=True, slots=True)
class _Summed:
    """A sum, with its sign or not, and its axes put in again or not."""

    node: Node
    minus: bool
    moved: Node | None

    @classmethod
    def of(cls, total: Value) -> _Summed | None:
        minus, moved = False, None
        while (node := computed_by(total, "negative") or made_by(total, "reshape")) is not None:
            if node.op is negative and not minus:
                minus = True
            elif node.op is reshape and moved is None:
                moved = node
            else:
                return None
            total = node.operands[0]
        summed = computed_by(total, "sum")
        return None if summed is None else cls(summed, minus, moved)

    def again(self, g: Value, shares: Value) -> Value:
        """The sum of ``g * shares``, in the same shape."""
        made = apply(sum, apply(multiply, g, shares), **self.node.attributes)
        if self.moved is None:
            return made
        return apply(reshape, made, *self.moved.operands[1:], **self.moved.attributes)


NORMALISED: Rules = {"multiply": regrouping(of_shares)}
