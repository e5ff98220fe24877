"""Sums of squares: values that are 0 only where all that they are made of is 0.

    np.sqrt(np.sum((x[:, None] - x) ** 2, axis=-1))      0 for each point and itself

A root of one is a length: where it is 0 its derivative is 0, the smallest subgradient, as that of
``np.linalg.norm`` and ``np.hypot``. The partial of the root, which is inf there, meets those of the
squares, which are 0; so any finite number in its place gives that. That is not so where what is
squared is steep, as a root is at 0: ``np.sqrt(np.sin(np.sqrt(x)) ** 2)`` has an infinite one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symdiff.ir.build import constant_value
from symdiff.ir.control import cond, in_arms
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.ranges import unless_within

_MOST = 200  # values that are looked at
_may_be_at_zero = unless_within(0.0)


def is_sum_of_squares(value: Value) -> bool:
    """Return whether a real value is a sum of squares, each at most scaled by what is positive."""
    return _Search().is_sum(value)


def is_root_of_squares(node: Node) -> bool:
    """Return whether a node computes ``x ** n``, and that is a length."""
    return _name(node) in _POWERS and _Search().is_length(node)


class _Search:
    """Looks behind a value: what is known of others, and how many more are looked at."""

    def __init__(self) -> None:
        self.left = _MOST
        self.steep: dict[Value, bool] = {}

    def is_sum(self, value: Value) -> bool:
        node, type_ = value.node, value.type
        is_real = isinstance(type_, ArrayType) and type_.dtype.kind == "f"
        self.left -= 1
        if node is None or self.left < 0 or not is_real:
            return False
        rule = _RULES.get(_name(node))
        return rule is not None and rule(self, node)

    def is_length(self, node: Node) -> bool:
        """Return whether ``x ** n`` is one."""
        return constant_value(node.operands[1]) == 0.5 and self.is_sum(node.operands[0])

    def is_steep(self, value: Value) -> bool:
        """Return whether a value may be finite where its derivative is infinite. A difference of
        two that are is mostly 0 elsewhere, and is taken for one that is not.
        """
        if value not in self.steep:
            self.left -= 1
            self.steep[value] = False  # of all others that are not looked at
            if value.node is not None and self.left >= 0:
                self.steep[value] = self._is_steep(value, value.node)
        return self.steep[value]

    def _is_steep(self, value: Value, node: Node) -> bool:
        name = _name(node)
        if name == "subtract":
            a, b = node.operands
            return self.is_steep(a) != self.is_steep(b)
        if name == "sqrt":
            is_own = _may_be_at_zero(node) and not self.is_sum(node.operands[0])
        elif name in _POWERS:
            exponent = constant_value(node.operands[1])
            is_smooth = isinstance(exponent, (int, float)) and exponent >= 1
            is_own = not is_smooth and not self.is_length(node)
        else:
            is_own = isinstance(node.op, DeclaredOp) and node.op.is_strong(node)
        behind: Iterable[Value] = in_arms(value) if node.op is cond else node.operands
        return is_own or any(self.is_steep(one) for one in behind)


_Rule = Callable[[_Search, Node], bool]


def _name(node: Node) -> str:
    return node.op.name.removeprefix("math_")


def _all(search: _Search, node: Node) -> bool:
    return all(search.is_sum(operand) for operand in node.operands)


def _first(search: _Search, node: Node) -> bool:
    return search.is_sum(node.operands[0])


def _product(search: _Search, node: Node) -> bool:
    a, b = node.operands
    if a is b:
        return not search.is_steep(a)
    return (_is_scale(a) and search.is_sum(b)) or (_is_scale(b) and search.is_sum(a))


def _contraction(search: _Search, node: Node) -> bool:
    """``x @ x``, of a vector."""
    a, b = node.operands
    return a is b and array_type(a).rank == 1 and not search.is_steep(a)


def _quotient(search: _Search, node: Node) -> bool:
    return _is_scale(node.operands[1]) and _first(search, node)


def _is_scale(value: Value) -> bool:
    known = constant_value(value)
    return isinstance(known, (int, float)) and known > 0


def _power(search: _Search, node: Node) -> bool:
    number = constant_value(node.operands[1])
    is_even = isinstance(number, (int, float)) and number > 0 and number % 2 == 0
    return is_even and not search.is_steep(node.operands[0])


def _square(search: _Search, node: Node) -> bool:
    return not search.is_steep(node.operands[0])


_POWERS = ("power", "float_power", "pow")
_SUMS = ("sum", "mean", "add")
_SAME = (
    "astype", "python_float", "broadcast_to", "copy", "contiguous", "reshape", "transpose",
    "as_scalar", "positive", "index",
)  # fmt: skip


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(_POWERS, _power),
    "square": _square,
    "var": lambda search, node: True,
    **dict.fromkeys(_SUMS, _all),
    **dict.fromkeys(_SAME, _first),
    "multiply": _product,
    **dict.fromkeys(("matmul", "dot"), _contraction),
    "divide": _quotient,
}
