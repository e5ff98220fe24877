"""Formulas of small functions of numbers, for notebooks: LaTeX, and MathML where HTML is shown.

>>> import sympy
>>> x = sympy.Symbol("x")
>>> in_latex("f_grad", ["x"], x**2)
'$\\\\displaystyle \\\\operatorname{f\\\\_grad}(x) = x^{2}$'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdiff.ir.control import CALLS, loop
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ir.signature import Signature
from symdiff.ir.types import FLOAT, ArrayType

_MOST_NODES = 60
_LONGEST = 600


def is_of_numbers(signature: Signature) -> bool:
    """Return whether a signature is of numbers alone."""
    return all(isinstance(s, ArrayType) and not s.rank for _, s in signature.parameters)


def is_small(graph: Graph) -> bool:
    """Return whether a graph is of numbers alone, without loops, and of a size that a formula can
    show.
    """
    nodes = list(walk_nodes(graph.block))
    if len(nodes) > _MOST_NODES or any(
        node.op in (loop, *CALLS) or node.op.effect for node in nodes
    ):
        return False
    values = [*graph.block.parameters, *graph.block.results]
    return all(isinstance(v.type, ArrayType) and not v.type.rank for v in values) and all(
        value.type == FLOAT for value in graph.block.parameters
    )


def in_latex(name: str, parameters: Sequence[str], form: Any) -> str | None:
    """``$f(x) = …$`` of a SymPy expression; None where it is too long to be read."""
    import sympy as sp

    if not isinstance(form, sp.Basic):
        return None
    shown = sp.latex(form)
    if len(shown) > _LONGEST:
        return None
    escaped = name.replace("_", r"\_")
    function = rf"\operatorname{{{escaped}}}"
    arguments = ", ".join(sp.latex(sp.Symbol(parameter)) for parameter in parameters)
    return rf"$\displaystyle {function}({arguments}) = {shown}$"


_OPEN, _CLOSE = (f'<mo stretchy="false">{bracket}</mo>' for bracket in "()")


def in_mathml(name: str, parameters: Sequence[str], form: Any) -> str | None:
    """The formula as MathML, which browsers show without help."""
    import html

    import sympy as sp
    from sympy.printing.mathml import mathml

    if in_latex(name, parameters, form) is None:
        return None
    shown = mathml(form, printer="presentation")
    arguments = "<mo>,</mo>".join(
        mathml(sp.Symbol(parameter), printer="presentation") for parameter in parameters
    )
    head = f"<mi>{html.escape(name)}</mi>{_OPEN}{arguments}{_CLOSE}<mo>=</mo>"
    return f'<math display="block"><mrow>{head}{shown}</mrow></math>'
