"""The example of an op whose rules are not partial derivatives, built: what the table shows.

The operands' names tell their types. A call is built by the lowering of a library's function, as
in a user's program, or by the op itself where it has no function of its own.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from symdiff.ir.graph import Value
from symdiff.ir.types import ListType, Type
from symdiff.ops.declare import FUNCTIONS, REGISTRY
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.runtime.signature import read_type
from symdiff.source.trees import expression_of

_TYPES = {
    "x": "float64[n]",
    "w": "float64[n]",
    "t": "float64[k]",
    "X": "float64[n,m]",
    "Y": "float64[m,k]",
    "A": "float64[n,n]",
    "M": "float64[m,m]",
    "B": "float64[n,k]",
    "z": "complex128[n]",
    "a": "float",
    "b": "float",
    "c": "bool[n]",
    "i": "int64[k]",
    "I": "int64[n,k]",
    "j": "int",
    "s": "float64",
    "x3": "float64[n,3]",
    "w3": "float64[n,3]",
    "part": "float64[n-2]",
}
_LISTS = ("items", "more")


def type_of(name: str) -> Type:
    """The type of an example's parameter."""
    if name in _LISTS:
        return ListType(type_of("x"))
    type_ = read_type(_TYPES[name])
    assert type_ is not None
    return type_


class _Lowered:
    """A library, or a function of one, that is called as in a program: ``np.linalg.inv(A)``."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def __getattr__(self, name: str) -> _Lowered:
        return _Lowered(getattr(self.found, name))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return FUNCTIONS.get(self.found, self.found)(*arguments, **named)


_OWN = {"index_of": index_of, "index_set_of": index_set_of, "index_add_of": index_add_of}


def parameters_of(example: str) -> list[str]:
    """The operands of an example, in the order in which it names them.

    >>> parameters_of("np.where(c, x, w)")
    ['c', 'x', 'w']
    """
    names = sorted(
        (node for node in ast.walk(expression_of(example)) if isinstance(node, ast.Name)),
        key=lambda node: node.col_offset,
    )
    return [n for n in dict.fromkeys(node.id for node in names) if n in _TYPES or n in _LISTS]


def apply(example: str, operands: Mapping[str, Value]) -> Any:
    """Build what an example computes of operands."""
    known: dict[str, Any] = {"np": _Lowered(np), "math": _Lowered(math), "float": _Lowered(float)}
    return eval(example, {**REGISTRY, **_OWN, **known, **operands})
