"""What elementwise ops cost on NumPy: nanoseconds an element of an array, and of a number.

    python -m tests.benchmarks.costs --write

measures the table anew and writes it here. It decides which of two forms is cheaper; an op that is
not in it is not simplified to.
"""

from __future__ import annotations

from symdiff.ir.graph import Node
from symdiff.ir.types import ArrayType
from symdiff.ops.facts import number_of

# What the command writes begins here.
COSTS: dict[str, tuple[float, float]] = {
    "absolute": (0.2, 122.0),
    "add": (0.2, 144.0),
    "arccos": (0.9, 199.0),
    "arccosh": (1.6, 230.0),
    "arcsin": (0.9, 198.0),
    "arcsinh": (1.5, 213.0),
    "arctan": (0.8, 199.0),
    "arctan2": (1.5, 650.0),
    "arctanh": (1.0, 205.0),
    "cbrt": (0.6, 197.0),
    "cos": (8.6, 186.0),
    "cosh": (0.7, 199.0),
    "divide": (0.4, 150.0),
    "exp": (0.7, 194.0),
    "exp2": (0.7, 194.0),
    "expm1": (0.9, 199.0),
    "floor": (0.2, 181.0),
    "hypot": (8.1, 621.0),
    "log": (0.7, 196.0),
    "log10": (0.7, 196.0),
    "log1p": (0.7, 197.0),
    "log2": (0.7, 195.0),
    "logaddexp": (15.3, 632.0),
    "maximum": (0.2, 625.0),
    "minimum": (0.2, 627.0),
    "multiply": (0.2, 149.0),
    "negative": (0.2, 126.0),
    "power": (1.5, 166.0),
    "reciprocal": (0.6, 180.0),
    "sign": (0.6, 189.0),
    "sin": (8.7, 185.0),
    "sinh": (0.8, 200.0),
    "sqrt": (1.1, 178.0),
    "square": (0.2, 179.0),
    "subtract": (0.2, 149.0),
    "tan": (1.1, 210.0),
    "tanh": (0.9, 219.0),
}
# What it writes ends here.


# Powers of arrays by these numbers NumPy computes by other functions.
_POWERS = {2: "square", -1: "reciprocal", 0.5: "sqrt"}


def cost_of(node: Node) -> float | None:
    """The cost of a node, or None where it is not known; constants cost nothing."""
    if node.op.name == "constant":
        return 0.0
    type_ = node.result.type
    array = isinstance(type_, ArrayType) and type_.kind == "array"
    known = COSTS.get(_computed_by(node) if array else node.op.name)
    if known is None:
        return None
    return known[0] if array else known[1]


def _computed_by(node: Node) -> str:
    exponent = number_of(node.operands[1]) if node.op.name == "power" else None
    return node.op.name if exponent is None else _POWERS.get(exponent, "power")
