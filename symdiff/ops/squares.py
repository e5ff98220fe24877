"""Sums of squares: values that are 0 only where all that they are made of is 0.

    np.sqrt(np.sum((x[:, None] - x) ** 2, axis=-1))      0 for each point and itself

A root of one is a length: where it is 0 its derivative is 0, the smallest subgradient, as that of
``np.linalg.norm`` and ``np.hypot``. The partial of the root, which is inf there, meets those of the
squares, which are 0; so any finite number in its place gives that. That is not so where what is
squared is itself a root: ``np.sqrt(np.sqrt(x) ** 2)`` has an infinite derivative at 0.
"""

from __future__ import annotations

from collections.abc import Callable

from symdiff.ir.build import constant_value
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import array_type

_DEEPEST = 12


def is_sum_of_squares(value: Value, depth: int = _DEEPEST) -> bool:
    """Return whether a real value is a sum of squares, each at most scaled by what is positive."""
    node, type_ = value.node, value.type
    if node is None or depth == 0 or not isinstance(type_, ArrayType) or type_.dtype.kind != "f":
        return False
    rule = _RULES.get(node.op.name.removeprefix("math_"))
    return rule is not None and rule(node, depth - 1)


def is_root_of_squares(node: Node) -> bool:
    """Return whether ``x ** n`` is a length."""
    return constant_value(node.operands[1]) == 0.5 and is_sum_of_squares(node.operands[0])


_Rule = Callable[[Node, int], bool]


def _all(node: Node, depth: int) -> bool:
    return all(is_sum_of_squares(operand, depth) for operand in node.operands)


def _first(node: Node, depth: int) -> bool:
    return is_sum_of_squares(node.operands[0], depth)


def _product(node: Node, depth: int) -> bool:
    a, b = node.operands
    if a is b:
        return not _is_root(a, depth)
    scaled = is_sum_of_squares(b, depth) if _is_scale(a) else is_sum_of_squares(a, depth)
    return scaled and (_is_scale(a) or _is_scale(b))


def _contraction(node: Node, depth: int) -> bool:
    """``x @ x``, of a vector."""
    a, b = node.operands
    return a is b and array_type(a).rank == 1 and not _is_root(a, depth)


def _quotient(node: Node, depth: int) -> bool:
    return _is_scale(node.operands[1]) and _first(node, depth)


def _is_scale(value: Value) -> bool:
    known = constant_value(value)
    return isinstance(known, (int, float)) and known > 0


def _power(node: Node, depth: int) -> bool:
    number = constant_value(node.operands[1])
    is_even = isinstance(number, (int, float)) and number > 0 and number % 2 == 0
    return is_even and not _is_root(node.operands[0], depth)


def _square(node: Node, depth: int) -> bool:
    return not _is_root(node.operands[0], depth)


def _is_root(value: Value, depth: int) -> bool:
    """Return whether a value is a multiple of a root, which is 0 where its derivative is infinite;
    a length is none.
    """
    node = value.node
    if node is None or depth == 0:
        return False
    name = node.op.name.removeprefix("math_")
    if name in ("sqrt", "cbrt"):
        return not is_sum_of_squares(node.operands[0], depth - 1)
    if name in _POWERS:
        exponent = constant_value(node.operands[1])
        is_whole = isinstance(exponent, (int, float)) and exponent >= 1
        return not is_whole and not is_root_of_squares(node)
    if name == "multiply":
        return any(_is_root(operand, depth - 1) for operand in node.operands)
    if name in _SUMS:
        return all(_is_root(operand, depth - 1) for operand in node.operands)
    return name in (*_SAME, *_SCALED) and _is_root(node.operands[0], depth - 1)


_SUMS = ("sum", "mean", "add")
_SCALED = ("divide", "negative", "absolute", "abs", "fabs")
_POWERS = ("power", "float_power", "pow")
_SAME = (
    "astype", "python_float", "broadcast_to", "copy", "contiguous", "reshape", "transpose",
    "as_scalar", "positive", "index",
)  # fmt: skip


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(_POWERS, _power),
    "square": _square,
    "var": lambda node, depth: True,
    **dict.fromkeys(_SUMS, _all),
    **dict.fromkeys(_SAME, _first),
    "multiply": _product,
    **dict.fromkeys(("matmul", "dot"), _contraction),
    "divide": _quotient,
}
