"""Algebraic identities of elementwise ops.

On the user's own statements only those that hold bit for bit, and only of numbers (an array that is
given back is the same array, ``x * 1`` is a new one). On statements of derivatives also those that
hold in real arithmetic, with strong zeros: a cotangent that is zero stays zero.
"""

from __future__ import annotations

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import COMPLEX, FLOAT, INT, ArrayType
from symdiff.ops.arithmetic import add, divide, multiply, negative, subtract, where
from symdiff.ops.declare import array_type
from symdiff.ops.facts import is_derived, is_length, is_python, made_by, number_of
from symdiff.ops.guards import as_choice
from symdiff.ops.kinds import is_as_typed, is_numpys, joins_others
from symdiff.optimise.facts import (
    MAY_BE_ZERO,
    are_of_one_size,
    inexact_by,
    is_number,
    is_one,
    is_zero,
)
from symdiff.optimise.rewriting import (
    ELEMENTWISE,
    OnDerivatives,
    Rewriter,
    Rule,
    Rules,
    apply,
    reads,
)
from symdiff.optimise.rules import (
    apply_like,
    first_operand,
    in_derivatives,
    is_exact_place,
    op_of,
    stays_zero,
)

# Identities of numbers


def neutral_right(number: int) -> Rule:
    """``x op number`` is ``x``, bit for bit."""

    @reads("constant", "ones")
    def neutral_number(node: Node, rewriter: Rewriter) -> Value | None:
        x, other = node.operands
        return x if _is_neutral(node, other, number) and _may_stand(x, node, rewriter) else None

    return neutral_number


@reads("constant", "negative", "divide")
def plain_division(node: Node, rewriter: Rewriter) -> Value | None:
    """``strong_divide(1 / n, x)`` as ``1 / n / x``: what is divided is never zero."""
    if not _is_never_zero(node.operands[0]):
        return None
    return rewriter.emit(divide, node.operands, {"ufunc": True}).result


def _is_never_zero(value: Value) -> bool:
    """Return whether a value is a number other than zero, over a length perhaps."""
    node = value.node
    if node is not None and node.op.name == "negative":
        return _is_never_zero(node.operands[0])
    if node is not None and node.op.name == "divide" and is_length(node.operands[1]):
        return _is_never_zero(node.operands[0])
    return bool(number_of(value))


def neutral_left(number: int) -> Rule:
    @reads("constant", "ones")
    def neutral_number(node: Node, rewriter: Rewriter) -> Value | None:
        other, x = node.operands
        return x if _is_neutral(node, other, number) and _may_stand(x, node, rewriter) else None

    return neutral_number


def _is_neutral(node: Node, other: Value, number: int) -> bool:
    """Return whether an operand is a number that leaves the bits of the other.

    A negative zero does not, ``-0.0 - -0.0`` is ``0.0``; nor does a one among complex numbers, of
    which ``(inf + 1j) * 1`` is ``inf + nanj``.
    """
    if not (is_number(other, number) or (number == 1 and is_one(other))):
        return False
    if is_derived(node):
        return True
    if number == 1:
        return array_type(node.result).dtype.kind != "c"
    zero = complex(number_of(other))
    return not (np.signbit(zero.real) or np.signbit(zero.imag))


def _may_stand(x: Value, node: Node, rewriter: Rewriter) -> bool:
    """Return whether an operand may stand for a node, whatever it is at run time: an integer that
    is typed as a float is one where it is multiplied by 1.0.
    """
    known = not joins_others(x) if is_derived(node) else is_as_typed(x)
    return known and is_exact_place(node, rewriter)


@reads("constant")
def integer_plus_zero(node: Node, rewriter: Rewriter) -> Value | None:
    """``n + 0``; of floats ``-0.0 + 0`` is another zero."""
    type_ = node.result.type
    if not isinstance(type_, ArrayType) or type_.dtype.kind != "i" or type_.kind == "array":
        return None
    a, b = node.operands
    return a if is_number(b, 0) else b if is_number(a, 0) else None


@reads("constant")
def integer_offsets(node: Node, rewriter: Rewriter) -> Value | None:
    """``(k + 1) - 1`` as ``k``, ``(n - 1) - 1`` as ``n - 2``: Python's integers are exact."""
    inner = made_by(node.operands[0], "add", "subtract")
    if node.result.type != INT or inner is None or inner.operands[0].type != INT:
        return None
    outer, within = _offset(node), _offset(inner)
    if outer is None or within is None:
        return None
    total = outer + within
    return apply(subtract if total < 0 else add, inner.operands[0], abs(total))


def _offset(node: Node) -> int | None:
    """``c`` of ``x + c``, ``-c`` of ``x - c``."""
    number = number_of(node.operands[1])
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if node.op is add else -number


def double_not(node: Node, rewriter: Rewriter) -> Value | None:
    inner = made_by(node.operands[0], node.op.name)
    return None if inner is None else inner.operands[0]


@reads("negative")
def double_negation(node: Node, rewriter: Rewriter) -> Value | None:
    inner = made_by(node.operands[0], "negative")
    return inner.operands[0] if inner is not None and is_exact_place(node, rewriter) else None


def plain_operator(node: Node, rewriter: Rewriter) -> Value | None:
    """NumPy's function of anything but Python numbers is what its operator means."""
    if not node.attributes.get("ufunc") or all(map(is_python, node.operands)):
        return None
    return apply(op_of(node), *node.operands)


@reads("constant")
def weak_numbers(node: Node, rewriter: Rewriter) -> Value | None:
    """``2.0 * x`` for ``np.float64(2.0) * x`` where that has the same type, and bits."""
    weak = [_as_python(value) for value in node.operands]
    if all(number is None for number in weak):
        return None
    pairs = zip(weak, node.operands, strict=True)
    types = [value.type if number is None else FLOAT for number, value in pairs]
    if node.op.infer(*types, **node.attributes) != (node.result.type,):
        return None
    pairs = zip(weak, node.operands, strict=True)
    operands = [value if number is None else number for number, value in pairs]
    return apply(op_of(node), *operands, **node.attributes)


def _as_python(value: Value) -> float | None:
    number = number_of(value)
    return number.item() if isinstance(number, np.float64) else None


# Zeros


@reads(*MAY_BE_ZERO)
def plus_zero(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    if is_zero(a) and b.type == node.result.type:
        return b
    return a if is_zero(b) else None


@reads(*MAY_BE_ZERO)
def minus_zero(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    if is_zero(b):
        return a
    return apply_like(negative, node, b) if is_zero(a) else None


@reads(*MAY_BE_ZERO)
def times_zero(node: Node, rewriter: Rewriter) -> Value | None:
    """A structural zero is strong: whatever it is multiplied with, or divided by."""
    factors = node.operands[:1] if node.op.name == "divide" else node.operands
    return rewriter.zeros_for(node) if any(map(is_zero, factors)) else None


def twice(node: Node, rewriter: Rewriter) -> Value | None:
    """``x + x`` as ``2.0 * x``, which meets other factors."""
    a, b = node.operands
    return apply_like(multiply, node, 2.0, a) if a is b else None


# Signs


@reads("negative", "multiply", "divide")
def plus_negative(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    second = _positive(b, rewriter)
    if second is not None:
        return apply_like(subtract, node, a, second)
    first = _positive(a, rewriter)
    return None if first is None else apply_like(subtract, node, b, first)


@reads("negative", "multiply", "divide")
def minus_negative(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    second = _positive(b, rewriter)
    return None if second is None else apply_like(add, node, a, second)


def _positive(value: Value, rewriter: Rewriter, depth: int = 3) -> Value | None:
    """``v`` of a ``-v``, ``2.0 * v`` of a ``-2.0 * v``, ``v / w`` of a ``-v / w``.

    It has the dtype of the value beside all others: ``np.negative(v)`` of one of Python's floats is
    one of NumPy's, and ``v`` would take the precision of what it meets.
    """
    found = _opposite(value, rewriter, depth)
    if found is None:
        return None
    given, wanted = array_type(found), array_type(value)
    return found if (given.dtype, given.weak) == (wanted.dtype, wanted.weak) else None


def _opposite(value: Value, rewriter: Rewriter, depth: int) -> Value | None:
    node = inexact_by(value, "negative", "multiply", "divide")
    if node is None or node.op is negative:
        return None if node is None else node.operands[0]
    if depth == 0 or not rewriter.is_single(value):
        return None
    number, other = number_of(node.operands[0]), node.operands[1]
    if isinstance(number, (int, float)) and number < 0:
        return apply_like(op_of(node), node, -number, other)
    for k, operand in enumerate(node.operands):
        positive = _positive(operand, rewriter, depth - 1)
        if positive is not None:
            operands = [positive if n == k else v for n, v in enumerate(node.operands)]
            return apply_like(op_of(node), node, *operands)
    return None


@reads("subtract")
def negative_difference(node: Node, rewriter: Rewriter) -> Value | None:
    """``-(a - b)`` as ``b - a``."""
    (x,) = node.operands
    difference = inexact_by(x, "subtract")
    if difference is None or not rewriter.is_single(x):
        return None
    return apply_like(subtract, difference, *reversed(difference.operands))


@reads("multiply")
def negative_product(node: Node, rewriter: Rewriter) -> Value | None:
    """``-(c * x)`` with the sign in the number."""
    (x,) = node.operands
    product = inexact_by(x, "multiply")
    if product is None or not rewriter.is_single(x):
        return None
    a, b = product.operands
    for number, other in ((number_of(a), b), (number_of(b), a)):
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return apply_like(multiply, product, -number, other)
    return None


@reads("negative")
def sign_outward(node: Node, rewriter: Rewriter) -> Value | None:
    """``-a * b`` as ``-(a * b)``, where signs meet others; two of them cancel."""
    a, b = node.operands
    first, second = inexact_by(a, "negative"), inexact_by(b, "negative")
    if first is not None and second is not None:
        return apply_like(op_of(node), node, first.operands[0], second.operands[0])
    if first is not None and _carries_sign(a, b, node, rewriter):
        return -apply_like(op_of(node), node, first.operands[0], b)
    if second is not None and _carries_sign(b, a, node, rewriter):
        return -apply_like(op_of(node), node, a, second.operands[0])
    return None


def _carries_sign(x: Value, other: Value, node: Node, rewriter: Rewriter) -> bool:
    """Return whether turning the sign of the result instead of that of ``x`` costs no more."""
    same = are_of_one_size(x.type, node.result.type)
    made_for_this = rewriter.is_single(x) or (x.node is not None and is_derived(x.node))
    return same and number_of(other) is None and made_for_this


@reads("constant")
def minus_one(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    if is_number(a, -1) and node.op is multiply:
        a, b = b, a
    if not is_number(b, -1) or array_type(a).dtype.kind == "b":  # NumPy negates no booleans
        return None
    return apply_like(negative, node, a)


# Choices


def same_choice(node: Node, rewriter: Rewriter) -> Value | None:
    condition, a, b = node.operands
    if a is b:
        return a
    known = number_of(condition)
    if known is not None:
        return a if known else b
    return rewriter.zeros_for(node) if is_zero(a) and is_zero(b) else None


def sure_share(node: Node, rewriter: Rewriter) -> Value | None:
    """A share that is known to count, or to be 0."""
    condition, finite, share = node.operands
    counts = number_of(condition)
    if counts:
        return share
    is_none = counts is not None and number_of(finite) is not None
    return rewriter.zeros_for(node) if is_none or is_zero(share) else None


def plain_choice(node: Node, rewriter: Rewriter) -> Value:
    """A guarded share as a choice, which no derivative is taken of any more."""
    return as_choice(node)


@reads("where")
def nested_choice(node: Node, rewriter: Rewriter) -> Value | None:
    """A choice that was made by the same condition before."""
    condition, a, b = node.operands
    first, second = made_by(a, "where"), made_by(b, "where")
    if first is not None and first.operands[0] is condition:
        return apply(where, condition, first.operands[1], b)
    if second is not None and second.operands[0] is condition:
        return apply(where, condition, a, second.operands[2])
    return None


# Casts


def needless_cast(node: Node, rewriter: Rewriter) -> Value | None:
    """The operand, where it has the dtype, and is no Python number on some path."""
    operand = node.operands[0]
    type_ = array_type(operand)
    # Python's numbers are of these, whatever they are typed as (``retype``).
    narrow = type_.dtype.kind in "fc" and type_.dtype not in (FLOAT.dtype, COMPLEX.dtype)
    if type_.kind != "array" and (narrow or node.result.role == "primal"):
        return first_operand(node, rewriter) if is_numpys(operand) else None
    return first_operand(node, rewriter)


@reads("astype")
def number_again(node: Node, rewriter: Rewriter) -> Value | None:
    """``x`` for ``float(np.float64(x))`` of one of Python's floats."""
    cast = made_by(node.operands[0], "astype")
    if cast is None or cast.operands[0].type != FLOAT:
        return None
    return cast.operands[0] if array_type(cast.result).dtype == FLOAT.dtype else None


def conjugate_of_real(node: Node, rewriter: Rewriter) -> Value | None:
    type_ = node.result.type
    complex_ = isinstance(type_, ArrayType) and type_.dtype.kind == "c"
    return None if complex_ else first_operand(node, rewriter)


def conjugate_undone(node: Node, rewriter: Rewriter) -> Value | None:
    """``conj(conj(z) / r)`` of a real ``r`` as ``z / r``: products and quotients of conjugates."""
    x = node.operands[0]
    return _conjugate(x, rewriter) if number_of(x) is not None or _is_conjugated(x) else None


_FACTORED = ("multiply", "divide", "negative")


def _is_conjugated(x: Value) -> bool:
    """Return whether a value is a product or a quotient of conjugates, reals and numbers alone."""
    if made_by(x, "conjugate") is not None:
        return True
    inner = made_by(x, *_FACTORED)
    if inner is None or array_type(x).dtype.kind != "c":
        return False
    parts = [v for v in inner.operands if array_type(v).dtype.kind == "c" and number_of(v) is None]
    return bool(parts) and all(map(_is_conjugated, parts))


def _conjugate(x: Value, rewriter: Rewriter) -> Value:
    """The conjugate of a value of which ``_is_conjugated`` holds, or of a factor of it."""
    if array_type(x).dtype.kind != "c":
        return x
    number = number_of(x)
    if number is not None:
        return rewriter.constant(number.conjugate())
    inner = made_by(x, "conjugate", *_FACTORED)
    assert inner is not None
    if inner.op.name == "conjugate":
        return inner.operands[0]
    return apply_like(op_of(inner), inner, *(_conjugate(v, rewriter) for v in inner.operands))


_OPERATORS: Rules = {ELEMENTWISE: in_derivatives(weak_numbers, plain_operator)}
_IDENTITIES: Rules = {
    "add": (
        integer_plus_zero,
        *in_derivatives(integer_offsets, plus_zero, plus_negative, twice),
    ),
    "not_": (double_not,),
    "subtract": (
        neutral_right(0),
        *in_derivatives(integer_offsets, minus_zero, minus_negative),
    ),
    "multiply": (
        neutral_right(1),
        neutral_left(1),
        *in_derivatives(times_zero, minus_one, sign_outward),
    ),
    "divide": (neutral_right(1), *in_derivatives(times_zero, minus_one, sign_outward)),
    "power": (neutral_right(1),),
    "negative": (
        double_negation,
        *in_derivatives(stays_zero, negative_difference, negative_product),
    ),
    "strong_multiply": in_derivatives(neutral_right(1)),
    "strong_divide": in_derivatives(neutral_right(1), plain_division),
    "guarded": (sure_share,),
    "where": in_derivatives(same_choice, nested_choice, weak_numbers),
    "index_add": in_derivatives(weak_numbers),
    "positive": (first_operand,),
    "real": (first_operand,),
    "conjugate": (conjugate_of_real, *in_derivatives(conjugate_undone)),
    "astype": (needless_cast, OnDerivatives(stays_zero)),
    "python_float": in_derivatives(number_again),
    "as_scalar": (first_operand, OnDerivatives(stays_zero)),
}
ALGEBRA = (_IDENTITIES, _OPERATORS)
GUARDS: Rules = {"guarded": (plain_choice,)}
"""For what is emitted: of what was finite no derivative needs to know any more."""
