"""One of several constants that are no numbers, by the number of the one that it is."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from symdiff.ir.graph import Node
from symdiff.ir.types import OPAQUE, TEXT
from symdiff.ops.declare import EVALUATED, Operation, literal
from symdiff.ops.flops import nothing


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Subscript(literal(node.attributes["constants"]), operands[0], ast.Load())


chosen = Operation(
    "chosen",
    lambda which, *, constants: (TEXT if all(type(c) is str for c in constants) else OPAQUE,),
    lambda which, *, constants: constants[int(which)],
    cost="free",
    spelling=_spell,
    nondifferentiable=True,
    sympy=EVALUATED,
    flops=nothing,
    documentation='One of several texts or None, ``("up", "down")[which]``, which a function'
    " returns.",
)
