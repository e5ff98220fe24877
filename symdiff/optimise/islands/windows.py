"""Windows: the last few operations before a value, as nodes and as one expression of SymPy.

    node ─window_of─▶ Window ─.expression─▶ expression in opaque symbols

What a window takes from outside is its leaves. Arguments of functions are leaves or multiples of
them, which keeps SymPy's questions about signs and reals short. Numbers are opaque too, unless
they are short fractions, so that no identity rests on a rounded number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.build import is_constant
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import DeclaredOp, OnArrays, fails_to_broadcast
from symdiff.ops.facts import may_raise, number_of
from symdiff.optimise.islands.costs import COSTS
from symdiff.optimise.islands.precise import ARITHMETIC

MOST_NODES = 8
_LARGEST = 2**10  # numerators and denominators of numbers that expressions show
_ACCURATE = frozenset({"expm1", "log1p", "hypot", "logaddexp"})  # they stay what they are
_FLOATS = (np.dtype("float64"), np.dtype("float32"))


def is_simplifiable(node: Node) -> bool:
    """Return whether a node may be part of an island: elementwise on reals, and raises nothing but
    where shapes do not meet, which they do not in another form of the same operands either.
    """
    op = node.op
    if not isinstance(op, DeclaredOp) or op.name not in COSTS or op.sympy is None:
        return False
    if isinstance(op.sympy, OnArrays) or len(node.results) != 1:
        return False
    if may_raise(node) and not fails_to_broadcast(node):
        return False
    dtypes = {_dtype(value) for value in node.operands if number_of(value) is None}
    dtypes.add(_dtype(node.result))
    if node.attributes.get("fractional") or len(dtypes) != 1:
        return False
    return dtypes <= set(_FLOATS) and all(map(_is_plain_number, node.operands))


def _dtype(value: Value) -> Any:
    return value.type.dtype if isinstance(value.type, ArrayType) else None


def _is_plain_number(value: Value) -> bool:
    number = number_of(value)
    if number is None:
        return not is_constant(value)
    return isinstance(number, int | float | np.floating) and bool(np.isfinite(number))


@dataclass(slots=True)
class Window:
    """Nodes in order, the last of them the root; what they take from outside."""

    nodes: list[Node]
    leaves: list[Value] = field(default_factory=list)
    constants: list[Node] = field(default_factory=list)
    symbols: dict[Any, Value] = field(default_factory=dict)
    expression: Any = None
    cancels: bool = False

    @property
    def root(self) -> Node:
        return self.nodes[-1]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(node.op.name for node in self.nodes)

    @property
    def needs_all(self) -> bool:
        """True if another form has to have all operands, to raise where shapes do not meet."""
        return any(map(fails_to_broadcast, self.nodes))

    @property
    def all_nodes(self) -> list[Node]:
        """The nodes with the constants that they read."""
        return [*self.constants, *self.nodes]

    def express(self) -> None:
        """Build the expression; ``cancels`` is set where SymPy cancels what rounding keeps."""
        import sympy as sp

        made: dict[Value, Any] = {}
        for leaf in self.leaves:
            symbol = sp.Dummy(leaf.name or f"s{len(self.symbols)}", real=True)
            self.symbols[symbol] = leaf
            made[leaf] = symbol
        for node in self.constants:
            made[node.result] = self._number(node)
        for node in self.nodes:
            operands = [made[value] for value in node.operands]
            self.cancels = self.cancels or _cancels(node.op.name, operands)
            made[node.result] = _meaning(node)(*operands)
        self.expression = made[self.root.result]

    def _number(self, node: Node) -> Any:
        import sympy as sp

        number = float(node.attributes["value"])
        numerator, denominator = number.as_integer_ratio()
        if abs(numerator) <= _LARGEST and denominator <= _LARGEST:
            return sp.Rational(numerator, denominator)
        symbol = sp.Dummy(f"{number:.3g}", real=True)
        self.symbols[symbol] = node.result
        return symbol


def window_of(root: Node, home: Mapping[Node, int]) -> Window:
    """The window before a root, nearest operations first; ``home``: the nodes that it may take."""
    chosen, queue = {root}, [(root, False)]
    while queue and len(chosen) < MOST_NODES:
        reader, in_argument = queue.pop(0)
        in_argument = in_argument or (reader is not root and reader.op.name not in ARITHMETIC)
        for value in reader.operands:
            node = value.node
            if node is None or node not in home or node in chosen or len(chosen) >= MOST_NODES:
                continue
            if not in_argument or _is_multiple(node):
                chosen.add(node)
                queue.append((node, in_argument))
    window = Window(sorted(chosen, key=home.__getitem__))
    inside = {node.result for node in window.nodes}
    outside = dict.fromkeys(v for node in window.nodes for v in node.operands if v not in inside)
    for value in outside:
        if number_of(value) is None:
            window.leaves.append(value)
        elif value.node is not None:
            window.constants.append(value.node)
    return window


def _is_multiple(node: Node) -> bool:
    """Return whether a node gives a multiple of a value: what identities see of a function's
    argument.
    """
    if node.op.name in ("multiply", "divide"):
        return any(number_of(value) is not None for value in node.operands)
    return node.op.name == "negative"


def _meaning(node: Node) -> Callable[..., Any]:
    import sympy as sp
    from sympy.codegen import cfunctions, numpy_nodes

    meaning: Any = node.op.sympy  # type: ignore[attr-defined]
    if node.op.name in _ACCURATE:
        own: Any = numpy_nodes if node.op.name == "logaddexp" else cfunctions
        return getattr(own, node.op.name)  # type: ignore[no-any-return]
    if isinstance(meaning, str):
        return getattr(sp, meaning)  # type: ignore[no-any-return]
    return lambda *operands: meaning(sp, *operands)


def _cancels(name: str, operands: list[Any]) -> bool:
    """Return whether terms or factors of the operands are taken away from each other."""
    import sympy as sp

    if name in ("add", "subtract"):
        return _meet(*(_coefficients(x) for x in operands), opposite=name == "add")
    if name in ("multiply", "divide"):
        return 0 in operands or _meet(*map(_exponents, operands), opposite=name == "multiply")
    return name == "power" and operands[1] == sp.S.Zero


def _meet(some: dict[Any, Any], others: dict[Any, Any], *, opposite: bool) -> bool:
    """Return whether a common part has opposite signs (or, subtracted, the same)."""
    return any(
        part in others and bool((some[part] * others[part]).is_positive) != opposite
        for part in some
    )


def _coefficients(expression: Any) -> dict[Any, Any]:
    import sympy as sp

    pairs = (term.as_coeff_Mul() for term in sp.Add.make_args(expression))
    return {rest: coefficient for coefficient, rest in pairs}


def _exponents(expression: Any) -> dict[Any, Any]:
    import sympy as sp

    pairs = (factor.as_base_exp() for factor in sp.Mul.make_args(expression))
    return {base: exponent for base, exponent in pairs if not base.is_number}
