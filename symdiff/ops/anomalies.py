"""Checks of cotangents: the first that is NaN or infinite ends the program, with the line it is of.

Reverse mode puts a check behind each share of a cotangent where ``differentiate.checking`` is on.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import AnomalyError
from symdiff.ir.graph import Node
from symdiff.ops.declare import supporting
from symdiff.ops.effects import Named, effect, spell_template
from symdiff.source import SourceSpan

_MOST_SHOWN = 6


def require_finite(
    g: Any, name: str, place: SourceSpan | None, names: tuple[str, ...], *values: Any
) -> None:
    """Raise where the cotangent ``g`` of what ``name`` says is not finite.

    ``values`` are the operands of the operation at ``place``, called ``names``, and the cotangent
    of its result.

    :raises AnomalyError: with the place, and the values at the first element that is not finite.
    """
    bad = ~np.isfinite(g)
    if not np.any(bad):
        return
    index = tuple(int(k) for k in np.argwhere(bad)[0])
    what = complex(np.asarray(g)[index]) if np.iscomplexobj(g) else float(np.asarray(g)[index])
    where = f" at [{', '.join(map(str, index))}]" if index else ""
    shown = [
        _shown(label, value, index, np.shape(g))
        for label, value in zip((*names, "the cotangent of the result"), values, strict=False)
    ]
    raise AnomalyError(
        f"the backward sweep makes the gradient by {name} {what}{where}",
        place,
        "; ".join(shown[:_MOST_SHOWN]),
    )


def _shown(label: str, value: Any, index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """A value as it is where the cotangent is not finite, or what is to be said of all of it."""
    array = np.asarray(value)
    if array.ndim <= len(shape):
        try:
            return f"{label} is {np.broadcast_to(array, shape)[index]} there"
        except ValueError:
            pass
    finite = array[np.isfinite(array)]
    odd = array.size - finite.size
    extent = (
        f"from {finite.min()} to {finite.max()}" if finite.size and finite.dtype != complex else ""
    )
    return f"{label} has shape {array.shape} {extent}".rstrip() + (
        f", {odd} not finite" if odd else ""
    )


def _evaluate(g: Any, *values: Any, name: str, place: Named, names: tuple[str, ...]) -> None:
    require_finite(g, name, place.target, names, *values)


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    g, *values = operands
    place = spell_template(node.attributes["place"], operands)
    names = ast.Tuple([ast.Constant(name) for name in node.attributes["names"]], ast.Load())
    name = ast.Constant(node.attributes["name"])
    return ast.Call(supporting(require_finite), [g, name, place, names, *values], [])


check_finite = effect(
    "check_finite",
    _evaluate,
    "Raises where the cotangent that is its first operand is not finite.",
    spelling=_spell,
)
