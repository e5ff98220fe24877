"""Products of cotangents, or tangents, with partials: plain, or safe where something was chosen.

A cotangent that is zero as it was not selected times an infinite partial is zero. A cotangent that
is ``chosen`` has no meaning where a condition does not hold: products with it go on as they are,
and what leaves the elementwise run behind a ``where`` is set to zero there once, by ``settled``.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Container, Iterable, Sequence

import numpy as np

from symdiff.differentiate.cases import Choice
from symdiff.differentiate.operands import Numbers
from symdiff.ir.build import builder, marked
from symdiff.ir.graph import Node, Value
from symdiff.ir.reach import reached
from symdiff.ir.types import ArrayType, Dim, is_long
from symdiff.ops.arithmetic import (
    choose,
    constant_of,
    divide,
    logical_or,
    multiply,
    negative,
    not_equal,
    strong_constant,
)
from symdiff.ops.casts import astype, is_complex
from symdiff.ops.declare import DeclaredOp, array_type, ufunc_dtypes
from symdiff.ops.elementary import power
from symdiff.ops.guards import guard
from symdiff.ops.reduce import any as any_true
from symdiff.ops.reduce import axes_of, restored
from symdiff.ops.reduce import sum as sum_of
from symdiff.ops.sizes import size
from symdiff.ops.strong import (
    SEEDED,
    quiet_divide,
    strong_divide,
    strong_multiply,
    two_sided_multiply,
)

Partial = Value | int | float


def partial_of(
    node: Node,
    op: DeclaredOp,
    position: int,
    numbers: Numbers,
    new: dict[Value, Value] | None = None,
) -> Partial | None:
    """The partial derivative by an operand, a number or a value; None where nothing flows."""
    assert op.partials is not None
    partial = op.partials[position]
    if not callable(partial):
        return partial
    y = numbers.seen(node.result, None, new)
    return partial(y, *numbers.operands(node, op, new))  # type: ignore[no-any-return]


def scaled(
    node: Node,
    position: int,
    g: Value,
    partial: Partial,
    masked: bool,
    quiet: bool,
    operands: Collection[Value],
    seeded: bool = False,
) -> Value:
    """``g * partial`` for an operand; a strong zero where ``masked``, perhaps for the seed alone
    (``seeded``).

    Of a strong product or quotient by its second operand the partial's zeros win instead.
    ``quiet``: what is infinite may be discarded later on, and is no reason to warn.
    A partial that is one of the ``operands`` is there already, and no quotient to be taken apart:
    a product with its numerator may overflow.
    """
    made: Value
    first = len(builder().nodes)
    if not isinstance(partial, Value):
        made = scaled_by_number(g, partial)
    elif node.op in _STRONG and position == 1:
        made = strong_multiply(partial, g)
    elif not masked:
        made = multiply(g, partial)
    elif partial in operands:
        made = _strong_product(g, partial)
    else:
        made = masked_product(g, partial, quiet)
    if masked and seeded:
        _mark_seeded(builder().nodes[first:])
    return made


def _mark_seeded(nodes: Iterable[Node]) -> None:
    for node in nodes:
        if node.op in (strong_multiply, strong_divide):
            node.attributes = {SEEDED: True}


def product_of_both(g: Value, partial: Value) -> Value:
    """``g * partial``, 0 where either is: what the zeros of neither is multiplied with counts.

    As a function of ``g`` that is a product still: a ``g`` that happens to be 0 has a slope.
    """
    made: Value = two_sided_multiply(_of_strong_dtype(g, partial), _of_strong_dtype(partial, g))
    return made


def scaled_by_number(g: Value, partial: int | float) -> Value:
    if partial == 1:
        return g
    made: Value = negative(g) if partial == -1 else multiply(g, partial)
    return made


def _strong_product(g: Value, partial: Value) -> Value:
    return strong_multiply(g, _of_strong_dtype(partial, g))


_STRONG = (strong_multiply, strong_divide, quiet_divide)


def masked_product(g: Value, partial: Value, quiet: bool) -> Value:
    """``g * partial``, 0 where ``g`` is 0; quotients are not computed there, lest they warn."""
    g, partial = _without_factors(g, partial)
    made: Value
    divisor = _divisor(partial)
    if divisor is None:
        made = _strong_product(g, partial)
    else:
        numerator = _times(g, partial)
        quiet = quiet and not (is_complex(numerator) or is_complex(divisor))
        quotient = quiet_divide if quiet else strong_divide
        made = quotient(numerator, _of_strong_dtype(divisor, g))
    return made


def divides_by_number(node: Node, position: int, g: Value) -> bool:
    """Return whether an operand is the real number that a node divides an array by."""
    is_divisor = node.op is divide and position == 1 and not shape_of(node.operands[1])
    return is_divisor and bool(shape_of(g)) and not any(map(is_complex, (g, *node.operands)))


def over_number(node: Node, g: Value) -> Value:
    """The cotangent of the number that an array is divided by, ``-sum(g * y) / b``; 0 if ``g`` is.

    One division does for the sum: where ``b`` is 0 or NaN the quotients are infinite or NaN, and
    so is the sum, but if all of ``g`` is 0.
    """
    total = sum_of(_strong_product(g, node.result), axis=None)
    made: Value = negative(strong_divide(total, _of_strong_dtype(node.operands[1], g)))
    return made


def _without_factors(g: Value, partial: Value) -> tuple[Value, Value]:
    """The factors of a product, with the numbers and signs in the second one in the first."""
    negated = False
    while (outer := _factor(partial)) is not None:
        number, partial = outer
        negated ^= number == -1
        g = g if abs(number) == 1 else multiply(g, number)
    return negative(g) if negated else g, partial


def _factor(partial: Value) -> tuple[float, Value] | None:
    """``(c, p)`` where a partial is ``c * p`` with a number ``c``."""
    node = partial.node
    if node is None or node.op not in (negative, multiply):
        return None
    if node.op is negative:
        return -1, node.operands[0]
    number = constant_of(node.operands[0])
    return None if number is None else (number, node.operands[1])


def _divisor(partial: Value) -> Value | None:
    """``d`` where a partial is ``n / d`` or ``d ** -1.5``."""
    node = partial.node
    if node is None or node.op not in (divide, power):
        return None
    base, other = node.operands
    if node.op is divide:
        return other
    exponent = constant_of(other)
    if exponent is None or isinstance(exponent, complex) or exponent >= 0:
        return None
    raised: Value = base**-exponent
    return raised


def _times(g: Value, quotient: Value) -> Value:
    """``g`` times the numerator of a partial that is a quotient or a negative power."""
    assert quotient.node is not None
    if quotient.node.op is power:
        return g
    made: Value
    numerator = quotient.node.operands[0]
    number = constant_of(numerator)
    if number == 1:
        return g
    if number is None:
        made = strong_multiply(g, _of_strong_dtype(numerator, g))
    else:
        made = multiply(g, number)
    return made


def _of_strong_dtype(partial: Value, g: Value) -> Value:
    """A Python number in the dtype of ``g``: in an ``np.where`` it would not be weak any more."""
    type_, number = array_type(g), array_type(partial)
    if not number.weak or type_.weak:
        return partial
    (dtype,) = ufunc_dtypes(np.multiply, (type_, number))[:1]
    single = dtype in (np.float16, np.float32, np.complex64)
    return astype(partial, dtype=dtype) if single else partial


# What was chosen --------------------------------------------------------------------------------


def settled(g: Value, choice: Choice) -> Value:
    """A chosen cotangent, 0 where it was not."""
    return _selected(choice, g, 0)


def joined(g: Value, choice: Choice, other: Value) -> Value:
    """The sum of a chosen cotangent and one that is chosen where this one is not."""
    return _selected(choice, g, other)


def _selected(choice: Choice, g: Value, other: Value | int) -> Value:
    condition = choice.by
    assert isinstance(condition, Value)
    rest = strong_constant(other, g) if isinstance(other, int) else other
    arms = (g, rest) if choice.outcome else (rest, g)
    span = None if condition.node is None else condition.node.span
    with marked(span or builder().span, "cotangent"):
        made: Value = choose(condition, *arms)
    return made


def factors_of(share: Value, bars: Collection[Value], made: Container[Node]) -> list[Value]:
    """The values that a rule read, beside cotangents and lengths, to make a share of them.

    ``made`` has the rule's nodes.
    """

    def operands(value: Value) -> tuple[Value, ...]:
        node = value.node
        if node is None or node not in made or value in bars or node.op is size:
            return ()
        return node.operands

    found = reached([share], operands)
    return [value for value in found if value not in bars and value.node not in made]


def zero_with(bars: Sequence[Value], share: Value, reduction: Node | None) -> Value:
    """What a rule gives for an operand, 0 where all cotangents that it is given are 0: where each
    element is, of a reduction along axes.
    """
    given = [not_equal(bar, 0) for bar in bars]
    if reduction is None:
        axes = None
        given = [
            any_true(one, axis=None, keepdims=False) if array_type(one).rank else one
            for one in given
        ]
    else:
        axis, keepdims = (reduction.attributes[name] for name in ("axis", "keepdims"))
        axes = axes_of(axis, array_type(share).rank)
        given = [restored(one, share, axis, keepdims) for one in given]
    return guard(functools.reduce(logical_or, given), share, axes)


def is_chosen_alike(y: Value, choice: Choice) -> bool:
    """Return whether a condition decides about elements of a value, alone or rows of them, and is
    not longer than that: ``mask[:, np.newaxis]``, or a mask whose length has a name of its own.
    """
    condition = choice.by
    assert isinstance(condition, Value)
    if not _is_array(y) or not _is_array(condition):
        return False
    own, given = shape_of(y)[::-1], shape_of(condition)[::-1]
    return len(given) <= len(own) and all(
        m == 1 or _is_one_length(m, n) for m, n in zip(given, own, strict=False)
    )


def is_as_long(operand: Value, y: Value, g: Value) -> bool:
    """Return whether an operand is as long as the result ``y``, whose cotangent is ``g``.

    Lengths may have several names: a cotangent has its result's shape, as ``g @ v.T`` of ``y @ v``
    has, and those of operands that are broadcast are equal where they are not 1.
    """
    types = [v.type for v in (operand, y, g) if isinstance(v.type, ArrayType)]
    if len(types) < 3 or len({(type_.dtype, type_.kind, type_.rank) for type_ in types}) > 1:
        return False
    own, result, given = (type_.shape for type_ in types)
    return all(map(_is_one_length, own, result)) and all(map(_may_be_one_length, result, given))


def _is_one_length(one: Dim, other: Dim) -> bool:
    """Return whether a length of what is broadcast is that of the result for certain."""
    return one == other or (_may_be_one_length(one, other) and is_long(one) and is_long(other))


def _may_be_one_length(one: Dim, other: Dim) -> bool:
    return one == other or not (isinstance(one, int) or isinstance(other, int))


def _is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.rank > 0


def shape_of(value: Value) -> tuple[Dim, ...]:
    return array_type(value).shape


def product_within(
    choice: Choice, g: Value, partial: Partial, may_blow_up: bool, operands: Collection[Value]
) -> Value:
    """``g * partial`` of a chosen ``g``, computed elsewhere as well, but without a warning.

    ``operands``: as of ``scaled``.
    """
    if not isinstance(partial, Value):
        return scaled_by_number(g, partial)
    if not may_blow_up or not _is_array(partial):
        return multiply(g, partial)
    if partial in operands:
        return multiply(g, _where_chosen(choice, partial, g, 0))
    g, partial = _without_factors(g, partial)
    divisor = _divisor(partial)
    if divisor is None:
        return multiply(g, _where_chosen(choice, partial, g, 0))
    return divide(_times_within(choice, g, partial), _where_chosen(choice, divisor, g, 1))


def _times_within(choice: Choice, g: Value, quotient: Value) -> Value:
    """``g`` times the numerator of a partial that is a quotient or a negative power."""
    assert quotient.node is not None
    numerator = quotient.node.operands[0]
    number = constant_of(numerator)
    if quotient.node.op is power or number == 1:
        return g
    factor = numerator if number is not None else _where_chosen(choice, numerator, g, 0)
    made: Value = multiply(g, factor)
    return made


def _where_chosen(choice: Choice, value: Value, g: Value, other: int) -> Value:
    """A factor of ``g``, another number where it is not chosen."""
    value = _of_strong_dtype(value, g)
    return _selected(choice, value, other) if _is_array(value) else value
