"""Python's numbers and NumPy's at run time, where types tell them apart and where they do not.

What has the type of a NumPy scalar may be a Python number on some path (see ``retype``). Mostly
that is all the same. It is not where a call of NumPy's function would be spelled as an operator:
``np.multiply(0.5, x)`` of two floats is NumPy's, ``0.5 * x`` is Python's.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.ir.build import constant
from symdiff.ir.control import cond, in_arms
from symdiff.ir.graph import Node, Op, Operand, Value
from symdiff.ir.types import BOOL, ArrayType
from symdiff.ops.declare import DeclaredOp, are_complex_numbers, array_type, is_pythons

_JOINED = frozenset({"retype", "choice"})  # of what may be of several types
_REDUCTIONS = frozenset(
    {"sum", "prod", "max", "min", "mean", "var", "std", "norm", "index", "matmul", "astype"}
)


def is_numpys_operator(op: Op, operands: Sequence[Operand]) -> bool:
    """Return whether the operator of an op on these means NumPy's function for certain."""
    types = [array_type(operand) for operand in operands]
    if op.name in _OWN_LOOPS and are_complex_numbers(types):
        return False
    return not is_pythons(types) and any(map(is_numpys, operands))


# Of single complex numbers NumPy's function and its scalars' operator round in different ways.
_OWN_LOOPS = frozenset({"multiply", "absolute"})


def is_numpys(operand: Operand) -> bool:
    """Return whether it is an array or NumPy's own scalar; not known of what loops and branches
    give.
    """
    if not isinstance(operand, Value):
        return array_type(operand).kind == "array"
    pending, found = [operand], False
    while pending:
        value = pending[-1]
        parts = _decided_by(value)
        if not isinstance(parts, bool):
            unknown = [part for part in parts if part.number not in _known]
            known = any(_known.get(part.number) for part in parts)
            if unknown and not known:
                pending.append(unknown[-1])
                continue
            parts = known
        _known[value.number] = found = parts
        pending.pop()
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    return found


def is_as_typed(value: Value, depth: int = 3) -> bool:
    """Return whether a number has the dtype at run time that it is typed by; not known of what
    loops and branches give, of parameters, of items of lists, and of long chains.
    """
    type_, node = array_type(value), value.node
    if type_.kind == "array":
        return True
    if node is None or depth == 0 or not isinstance(node.op, DeclaredOp) or node.blocks:
        return False
    if node.op.name in _JOINED or any(v.type.__class__ is not ArrayType for v in node.operands):
        return False
    # ... or is computed of truths as of numbers of the types that the others have.
    types = [v.type if is_as_typed(v, depth - 1) else BOOL for v in node.operands]
    try:
        (given,) = node.op.infer(*types, **node.attributes)
    except (TypeError, ValueError):  # of truths there is no such result
        return False
    return isinstance(given, ArrayType) and given.dtype == type_.dtype


def joins_others(value: Value, depth: int = 3) -> bool:
    """Return whether a number is one of another dtype on a path through a branch before it."""
    node = value.node
    if node is None or depth == 0:
        return False
    if node.op is cond:
        return any(joins_others(arm, depth - 1) for arm in in_arms(value))
    if node.op.name != "retype":
        return False
    return array_type(node.operands[0]).dtype != array_type(value).dtype


# What was found of values by their numbers, of which no two have the same: a chain of operators is
# gone through once, however often it is asked for.
_known: dict[int, bool] = {}
_MOST_KNOWN = 100_000


def _decided_by(value: Value) -> bool | tuple[Value, ...]:
    """Return whether a value is NumPy's for certain, or the values of which one has to be."""
    kind, node = array_type(value).kind, value.node
    if kind == "array" or node is None:
        return kind == "array"
    if node.op.name == "retype" or is_operator(node):
        return node.operands  # an operator gives a scalar where one operand is one
    return kind == "scalar" and _is_made_by_numpy(node)


def _is_made_by_numpy(node: Node) -> bool:
    function = isinstance(node.op, DeclaredOp) and node.op.elementwise
    return function or node.op is constant or node.op.name in _REDUCTIONS


def is_operator(node: Node) -> bool:
    """Return whether a node means an operator, or a built-in function, rather than NumPy's."""
    python = node.op.python if isinstance(node.op, DeclaredOp) else None
    return python is not None and not node.attributes.get("ufunc")
