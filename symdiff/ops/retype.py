"""``retype``: the same value where a wider type is expected (``s = 0`` before ``s += x[i]``).

At run time the value stays what it is, as in the user's program; only what the compiler says of it
changes. Rank 0 only: a scalar in place of an array would change what shapes mean.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Type
from symdiff.ops import patterns, support
from symdiff.ops.batching import Lanes, as_it_is
from symdiff.ops.casts import as_dtype_of, astype
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    array_type,
    literal,
    supporting_call,
    template,
)
from symdiff.ops.reduce import unbroadcast_to


def _infer(x: Type, *, type: ArrayType, disguised: bool = False) -> tuple[Type, ...]:
    return (type,)


def _vjp(g: Value, y: Value, x: Value, *, type: ArrayType, disguised: bool = False) -> Value:
    return unbroadcast_to(g, x)


def _jvp(t: Value, y: Value, x: Value, *, type: ArrayType, disguised: bool = False) -> Any:
    wider = ArrayType(type.dtype, (), "scalar") if type.kind == "python" else type
    if array_type(t) == wider:
        return t
    is_pythons = array_type(t).kind == "python" and wider.kind == "scalar"
    if is_pythons and not is_narrowed(t, wider):
        return astype(t, dtype=wider.dtype)
    return retype(t, type=wider)


def is_narrowed(number: Value, type: ArrayType) -> bool:
    """Return whether a Python number is typed as one of less precision, which it takes beside
    others.
    """
    return np.promote_types(array_type(number).dtype, type.dtype) != type.dtype


def _batch_retype(
    b: Lanes, op: Any, x: Value, *, type: ArrayType, disguised: bool = False
) -> Value:
    """Lanes have one dtype, that of what they are joined with."""
    return x if array_type(x).dtype == type.dtype else astype(x, dtype=type.dtype)


def _batch_as_typed(b: Lanes, op: Any, x: Value, *, dtype: np.dtype) -> Value:
    return x if array_type(x).dtype == dtype else astype(x, dtype=dtype)


retype = Operation(
    "retype",
    _infer,
    lambda x, *, type, disguised=False: x,
    cost="free",
    spelling=template("{0}"),
    vjp={0: _vjp},
    jvp={0: _jvp},
    sympy=EVALUATED,
    order="operand",
    batch=_batch_retype,
    pattern=patterns.as_it_is,
    documentation="The same number, typed as what it is joined with.",
)


def disguised(value: Value) -> Value:
    """A number that a called graph gives or is given, which may have another dtype at run time."""
    result: Value = retype(value, type=value.type, disguised=True)
    result.name = value.name
    return result


def hides_dtype(node: Node) -> bool:
    """Whether one of NumPy's scalars is typed as one of another dtype, a float or complex one: here
    or in a graph that has given it, or is given it.
    """
    if node.op is not retype:
        return False
    if node.attributes.get("disguised"):
        return True
    before, after = array_type(node.operands[0]), array_type(node.result)
    return not before.weak and before.dtype != after.dtype and after.differentiable


def _as_typed(x: Any, *, dtype: np.dtype) -> Any:
    return x.astype(dtype) if np.ndim(x) else dtype.type(x)


def _spell_as_typed(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    dtype = literal(node.attributes["dtype"])
    if not array_type(node.result).rank:
        return ast.Call(dtype, list(operands), [])
    return ast.Call(ast.Attribute(operands[0], "astype", ast.Load()), [dtype], [])


as_typed = Operation(
    "as_typed",
    lambda x, *, dtype: (replace(x, dtype=dtype, kind="array" if x.shape else "scalar"),),
    _as_typed,
    linear=frozenset({0}),
    spelling=_spell_as_typed,
    vjp={0: lambda g, y, x, *, dtype: as_dtype_of(g, x)},
    sympy=EVALUATED,
    batch=_batch_as_typed,
    pattern=patterns.as_it_is,
    documentation="Numbers as NumPy's of the dtype that they are typed as, which they may not have"
    " at run time.",
)


only_real = Operation(
    "only_real",
    lambda x: (x,),
    support.real_or_refused,
    cost="free",
    raises=True,
    spelling=supporting_call(support.real_or_refused),
    vjp={0: lambda g, y, x: g},
    jvp={0: lambda t, y, x: t},
    sympy=EVALUATED,
    batch=as_it_is,
    pattern=patterns.as_it_is,
    documentation="A float of Python's, whose absolute value has a slope; it raises where the"
    " number is complex at run time.",
)
