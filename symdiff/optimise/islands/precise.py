"""The exact value of a form at a point: the ops' meanings in SymPy, computed by mpmath.

The meanings are given a namespace with SymPy's names and mpmath's functions. Numbers are real: what
leaves the reals, or is not defined, has no value.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ops.declare import DeclaredOp

ARITHMETIC = frozenset(
    {"add", "subtract", "multiply", "divide", "negative", "square", "reciprocal", "power"}
)

_LOGARITHMIC = frozenset({"log", "log1p", "log2", "log10", "sqrt", "cbrt", "absolute"})
_DIGITS = 40
_MANY_DIGITS = 400  # where operands are so large or small that sums lose all of the few
_MOST_BITS = 3_000  # of what functions are taken of: far beyond floats
_MODERATE = 60.0
_SMALL = 1e-12


def exact_value(nodes: Sequence[Node], result: Value, given: Mapping[Value, float]) -> float | None:
    """The result rounded once, or None where there is no real number."""
    import mpmath

    extreme = any(abs(x) > _MODERATE or 0.0 < abs(x) < _SMALL for x in given.values())
    with mpmath.workdps(_MANY_DIGITS if extreme else _DIGITS):
        known: dict[Value, Any] = {value: mpmath.mpf(x) for value, x in given.items()}
        try:
            for node in nodes:
                known[node.result] = _applied(node, known)
            return float(known[result])
        except (ArithmeticError, ValueError, TypeError, NotImplementedError):
            return None


def _applied(node: Node, known: Mapping[Value, Any]) -> Any:
    import mpmath

    if node.op.name == "constant":
        return mpmath.mpf(float(node.attributes["value"]))
    assert isinstance(node.op, DeclaredOp)
    operands = [known[operand] for operand in node.operands]
    huge = any(x and mpmath.mag(x) > _MOST_BITS for x in operands)
    if huge and node.op.name not in ARITHMETIC | _LOGARITHMIC:
        raise OverflowError("beyond all floats")
    value = _function(node.op)(*operands)
    if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
        raise ValueError("not a real number")
    return value


@functools.lru_cache(maxsize=512)
def _function(op: DeclaredOp) -> Callable[..., Any]:
    names = _Names()
    if isinstance(op.sympy, str):
        return getattr(names, op.sympy)  # type: ignore[no-any-return]
    meaning: Any = op.sympy
    return lambda *xs: meaning(names, *xs)


class _Names:
    """mpmath under SymPy's names."""

    def __getattr__(self, name: str) -> Any:
        import mpmath

        own = {
            "Abs": mpmath.fabs,
            "Max": lambda *xs, evaluate=True: max(xs),
            "Min": lambda *xs, evaluate=True: min(xs),
            "ceiling": mpmath.ceil,
            "Rational": lambda p, q: mpmath.mpf(p) / q,
            "Integer": mpmath.mpf,
        }
        return own[name] if name in own else getattr(mpmath, name)
