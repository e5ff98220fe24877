"""What tables of rules are written with: whom a rule is for, how an op is applied like a node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import REGISTRY
from symdiff.ops.facts import is_derived, is_python
from symdiff.optimise.facts import MAY_BE_ZERO, is_zero
from symdiff.optimise.rewriting import OnDerivatives, Rewriter, Rule, apply, reads


def is_exact_place(node: Node, rewriter: Rewriter) -> bool:
    """Return whether a node may be replaced by an operand of the same type and bits."""
    if rewriter.hides_dtypes:  # the operand may be an integer at run time
        return False
    type_ = node.result.type
    return is_derived(node) or (isinstance(type_, ArrayType) and type_.kind != "array")


def apply_like(op: Callable[..., Any], node: Node, *operands: Value | float) -> Value:
    """An op in the node's meaning: Python's, or NumPy's on Python numbers too."""
    by_numpy = node.attributes.get("ufunc") and all(map(_is_python, operands))
    return apply(op, *operands, **({"ufunc": True} if by_numpy else {}))


def _is_python(operand: Value | float) -> bool:
    return not isinstance(operand, Value) or is_python(operand)


def op_of(node: Node) -> Callable[..., Any]:
    return REGISTRY[node.op.name]


def both_ways(node: Node) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    a, b = node.operands
    return (a, b), (b, a)


def in_derivatives(*rules: Rule) -> Sequence[OnDerivatives]:
    """The rules, kept from the user's own statements."""
    return tuple(map(OnDerivatives, rules))


def regrouping(*rules: Rule) -> Sequence[OnDerivatives]:
    """The rules, kept for derivatives that compute in one precision: see ``computed_by``."""
    return tuple(OnDerivatives(rule, regroups=True) for rule in rules)


# Rules of several families


@reads(*MAY_BE_ZERO)
def stays_zero(node: Node, rewriter: Rewriter) -> Value | None:
    """Ops that make zeros of zeros."""
    if node.op.name == "zeros" or not is_zero(node.operands[0]):
        return None
    return rewriter.zeros_for(node)


def first_operand(node: Node, rewriter: Rewriter) -> Value | None:
    """The operand, where it is of the result's type already."""
    return node.operands[0] if is_exact_place(node, rewriter) else None
