"""Sums that vanish by algebra, on statements of derivatives.

The shift in ``e = exp(x - max(x))``, ``p = e / sum(e)`` changes nothing, so nothing flows back
through ``max``: what would is ``sum(e * (g / s - sum(g * (e / s)) / s))``, ``s = sum(e)``, which
is zero for every ``g``. To see that, a sum is written as a polynomial: of elements, of reciprocals
of single terms, and of sums of products, out of which factors are taken that do not change along
the axes summed over. A sum whose polynomial has no terms is zero; one whose only term has no sum,
as ``sum(g / s * e)``, is that term. What is added to one element of each row,
``p_bar[arange(n), labels] -= g``, is so to the sum of the row. Only what is near is expanded, to a
few terms, and only where a sum stands inside a sum, which keeps the cost linear.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim, may_be_one
from symdiff.ops.arithmetic import divide, multiply
from symdiff.ops.facts import made_by, number_of, shape_of
from symdiff.ops.keys import Slice, Slot
from symdiff.ops.reduce import axes_of
from symdiff.ops.shape import broadcast_to
from symdiff.optimise.facts import is_zero
from symdiff.optimise.rewriting import OnDerivatives, Rewriter, Rules

if TYPE_CHECKING:
    from fractions import Fraction

_NEAR = (16, 48)  # how many values are expanded at most, at the first attempt and the next
_MOST_TERMS = 24


@dataclass(frozen=True, slots=True)
class _Total:
    """The sum of a product along axes, counted from the last. ``lengths``: of those along which
    no factor is known to change, the others' being those of the factors; ``open_shape``: likewise
    of what is left. It broadcasts like ``shape``, which has the lengths of the factors only: along
    an axis that none of them has it is added up as often later on.
    """

    product: Monomial
    axes: tuple[int, ...]
    lengths: tuple[Dim | None, ...]
    open_shape: tuple[Dim | None, ...]
    shape: tuple[Dim, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class _Widened:
    """A value with axes of length 1 put in at places counted from the last."""

    value: Value
    places: tuple[int, ...]
    shape: tuple[Dim, ...] = field(compare=False)


_Atom: TypeAlias = "Value | _Total | _Widened"
Monomial: TypeAlias = "frozenset[tuple[_Atom, int]]"  # factors with their exponents
Number: TypeAlias = "int | Fraction"  # exact
Polynomial: TypeAlias = "dict[Monomial, Number]"

_ONE: Monomial = frozenset()


def known_sum(node: Node, rewriter: Rewriter) -> Value | None:
    """Zeros for a sum that is zero whatever its elements are; a term that is all of it."""
    for goes_into in _WAYS:
        for most in _NEAR:
            near = _near(node, most, goes_into)
            if not _has_sum(near[1:]):
                break
            found = _Expansion(near).of_sum(node)
            if found is not None and not found:
                return rewriter.zeros_for(node)
            term = _single_term(node, found, rewriter) if found and len(found) == 1 else None
            if term is not None:
                return term
            if len(near) < most:
                break
    return None


def _single_term(node: Node, polynomial: Polynomial, rewriter: Rewriter) -> Value | None:
    """The product that a sum is, of values that there are; None where one is a sum."""
    ((monomial, factor),) = polynomial.items()
    type_ = node.result.type
    factors = [(_at_hand(atom, node), exponent) for atom, exponent in monomial]
    known = [(v, exponent) for v, exponent in factors if v is not None and abs(exponent) == 1]
    if len(known) < len(factors) or len(known) > _MOST_FACTORS or not isinstance(type_, ArrayType):
        return None
    made: Value = rewriter.constant(type_.dtype.type(float(factor)))
    for value, exponent in sorted(known, key=lambda pair: (-pair[1], pair[0].number)):
        op = multiply if exponent == 1 else divide
        is_first = exponent == 1 and number_of(made) == 1.0
        made = value if is_first else rewriter.emit(op, (made, value)).result
    return _spread(made, type_, node, rewriter)


def _at_hand(atom: _Atom, node: Node) -> Value | None:
    """The value that a factor of a sum is, whose axes are there or not as the sum's; or None."""
    if atom is node.result:  # which was not understood
        return None
    if isinstance(atom, Value):
        return atom if _keeps_axes(node) or not shape_of(atom) else None
    if not isinstance(atom, _Widened) or _keeps_axes(node) or atom.places != _places(node):
        return None
    return atom.value


def _keeps_axes(node: Node) -> bool:
    """Return whether the axes of a sum stay as axes of length 1, or no axis is left."""
    return bool(node.attributes.get("keepdims")) or not shape_of(node.result)


def _places(node: Node) -> tuple[int, ...]:
    """The axes that a sum goes along, counted from the last."""
    rank = len(shape_of(node.operands[0]))
    return tuple(sorted(axis - rank for axis in axes_of(node.attributes.get("axis"), rank)))


def _spread(value: Value, type_: ArrayType, node: Node, rewriter: Rewriter) -> Value | None:
    """A value broadcast to the type of a sum; None where that is another dtype or kind."""
    if value.type == type_:
        return value
    lengths = [rewriter.length(dim, node.operands) for dim in type_.shape]
    known = [length for length in lengths if length is not None]
    if len(known) < len(lengths) or type_.kind != "array":
        return None
    made: Value = rewriter.emit(broadcast_to, (value, *known), {"shape": type_.shape}).result
    return made if made.type == type_ else None


def _near(node: Node, most: int, goes_into: Callable[[Node, Node], bool]) -> list[Value]:
    """The values that a sum is made of by arithmetic, the nearest first."""
    near = {node.result: None}
    pending = deque([node])
    while pending and len(near) < most:
        for operand in pending.popleft().operands:
            inner = made_by(operand, *_ARITHMETIC)
            if inner is None or operand in near or not _is_real(operand):
                continue
            if inner.op.name == "index" and not _puts_axes_in(inner):
                continue
            if goes_into(node, inner):
                near[operand] = None
                pending.append(inner)
    return list(near)


def _is_needed(node: Node, inner: Node) -> bool:
    """Return whether a value is a product that changes along the axes of a sum, or a quotient."""
    if inner.op.name not in _PRODUCTS:
        return _is_product(node, inner)
    shape = shape_of(inner.result)
    places = _places(node) if node.op.name == "sum" else (-1,)
    return any(-place <= len(shape) and shape[place] != 1 for place in places)


def _is_product(_: Node, inner: Node) -> bool:
    """Return whether a value is an array that is no sum of terms."""
    return inner.op.name not in ("add", "subtract") and bool(shape_of(inner.result))


_WAYS: tuple[Callable[[Node, Node], bool], ...] = (
    _is_needed,
    _is_product,
    lambda node, inner: True,
)


def _has_sum(values: Iterable[Value]) -> bool:
    """Return whether a value is a sum, or has what is added to rows: without one inside, nothing
    can cancel.
    """
    return any(made_by(value, "sum", "matmul", *_WRITES) for value in values)


_MOST_FACTORS = 2
_PRODUCTS = ("multiply", "strong_multiply")
_QUOTIENTS = ("divide", "strong_divide")
_WRITES = ("index_add", "index_set")
_ELEMENTWISE = ("add", "subtract", "negative", *_PRODUCTS, *_QUOTIENTS)
_ARITHMETIC = (*_ELEMENTWISE, "broadcast_to", "sum", "matmul", "reshape", "index", *_WRITES)


class _TooLong(Exception):  # noqa: N818 - control flow
    """More terms than are looked at."""


class _Expansion:
    """Values as polynomials: those that are near by their terms, others as they are."""

    def __init__(self, near: Iterable[Value]) -> None:
        self.near = set(near)
        self.known: dict[Value, Polynomial] = {}

    def of(self, value: Value) -> Polynomial:
        """The polynomial of a value, the same whenever it is asked for."""
        found = self.known.get(value)
        if found is None:
            found = self.known[value] = self._expanded(value)
        return found

    def of_sum(self, node: Node) -> Polynomial | None:
        """The polynomial of a sum; of one that has lost its axes, with axes of length 1."""
        if node.op.name != "sum" or _keeps_axes(node):
            return self.of(node.result)
        try:
            return self._sum_of(node, node.operands[0], kept=True)
        except _TooLong:
            return None

    def _expanded(self, value: Value) -> Polynomial:
        number = number_of(value)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return _constant(number) if math.isfinite(number) else _alone(value)
        if is_zero(value):
            return {}
        if value.node is None or value not in self.near:
            return _alone(value)
        try:
            made = self._made(value.node)
        except _TooLong:
            made = None
        return _alone(value) if made is None else made

    def _made(self, node: Node) -> Polynomial | None:
        name = node.op.name
        if name in ("reshape", "index"):
            places = _places_put_in(node)
            return None if places is None else self.widened(node.operands[0], places)
        if name in _WRITES:
            return None
        if name == "sum":
            return self._sum_of(node, node.operands[0])
        parts = [self.of(operand) for operand in node.operands]
        if name == "matmul":
            return self._summed(node, _product(*parts)) if _is_inner(node) else None
        return _COMBINED[name](*parts)

    def widened(self, value: Value, places: tuple[int, ...]) -> Polynomial:
        """The polynomial of a value with axes of length 1 put in."""
        node = value.node
        if not shape_of(value):
            return self.of(value)
        if node is not None and value in self.near:
            made = self._widened(node, places)
            if made is not None:
                return made
        shape = list(shape_of(value))
        for place in reversed(places):
            shape.insert(len(shape) + 1 + place, 1)
        return {frozenset({(_Widened(value, places, tuple(shape)), 1)}): 1}

    def _widened(self, node: Node, places: tuple[int, ...]) -> Polynomial | None:
        """The same of what is computed here, where it is understood."""
        if node.op.name == "sum" and _places(node) == places and not _keeps_axes(node):
            return self._sum_of(node, node.operands[0], kept=True)
        ranks = {len(shape_of(operand)) for operand in node.operands}
        if node.op.name not in _ELEMENTWISE or not ranks <= {0, len(shape_of(node.result))}:
            return None
        try:
            return _COMBINED[node.op.name](*(self.widened(v, places) for v in node.operands))
        except _TooLong:
            return None

    def _sum_of(self, node: Node, value: Value, *, kept: bool = False) -> Polynomial | None:
        """The sum of a value along the axes of a node, which are ``kept`` as axes of length 1."""
        inner = _added(value)
        if inner is None or value not in self.near:
            return self._summed(node, self.of(value), kept=kept)
        return self._with_added(node, inner, kept) if _is_by_rows(inner, node) else None

    def _sum_of_rows(self, node: Node, monomial: Monomial, kept: bool) -> Polynomial | None:
        """The sum of a term that is numbers added to one element of each row, and nothing else."""
        ((atom, exponent), *others) = monomial or [(None, 0)]
        if others or exponent != 1 or not isinstance(atom, Value) or atom not in self.near:
            return None
        inner = _added(atom)
        if inner is None or not _is_by_rows(inner, node):
            return None
        return self._with_added(node, inner, kept)

    def _with_added(self, node: Node, inner: Node, kept: bool) -> Polynomial | None:
        """The sums of rows to which numbers are added."""
        before, added = self._sum_of(node, inner.operands[0], kept=kept), inner.operands[1]
        return None if before is None else _plus(before, self.widened(added, (-1,)))

    def _summed(self, node: Node, summand: Polynomial, *, kept: bool = False) -> Polynomial | None:
        """The sum of a polynomial along axes; None where axes that go shift the others."""
        if not _SUMS.issuperset(node.attributes):
            return None
        shape = shape_of(node.operands[0])
        axes = axes_of(node.attributes.get("axis"), len(shape))
        left = tuple(1 if k in axes else dim for k, dim in enumerate(shape))
        if not kept and shape_of(node.result) not in (left, ()):
            return None
        places = tuple(sorted(axis - len(shape) for axis in axes))
        lengths = tuple(shape[place] for place in places)
        total: Polynomial = {}
        for monomial, factor in summand.items():
            rows = self._sum_of_rows(node, monomial, kept)
            if rows is not None:
                total = _plus(total, _scaled(rows, factor))
                continue
            split = _split(monomial, places, lengths)
            if split is None:
                return None
            constant, rest = split
            key = _times(constant, frozenset({(_total(rest, places, lengths, left), 1)}))
            total[key] = total.get(key, 0) + factor
        return _cleaned(total)


def _puts_axes_in(node: Node) -> bool:
    """Return whether an index does nothing but that: ``x[:, None]``."""
    key = node.attributes["key"]
    return None in key and all(entry in (None, Ellipsis, Slice()) for entry in key)


def _places_put_in(node: Node) -> tuple[int, ...] | None:
    """Where a reshape puts axes of length 1 in, counted from the last; None for any other."""
    old, new = list(shape_of(node.operands[0])), shape_of(node.result)
    ones = tuple(place for place in range(-len(new), 0) if new[place] == 1)
    if len(old) == 1 and len(ones) == len(new) - 1:  # the other has the length, however named
        return ones
    places = []
    for place in range(-1, -len(new) - 1, -1):
        if old and old[-1] == new[place]:
            old.pop()
        elif new[place] == 1:
            places.append(place)
        else:
            return None
    return None if old else tuple(reversed(places))


def _added(value: Value) -> Node | None:
    """What adds to elements of a value: what is written to elements of zeros does, too."""
    node = made_by(value, *_WRITES)
    if node is not None and node.op.name == "index_set" and not is_zero(node.operands[0]):
        return None
    return node


def _is_by_rows(added: Node, node: Node) -> bool:
    """Return whether numbers go to one element of each row, of which the sum is taken with its
    axis: ``x[arange(len(x)), k] += v``.
    """
    shape = shape_of(added.result)
    key, dynamic = added.attributes["key"], added.operands[2:]
    if len(shape) != 2 or node.attributes.get("axis") != (1,) or key != (Slot(0), Slot(1)):
        return False
    rows = made_by(dynamic[0], "arange")
    if rows is None or not all(_is_for_rows(shape_of(v), shape[0]) for v in added.operands[1:]):
        return False
    start, _, step = map(number_of, rows.operands)
    return shape_of(dynamic[0]) == shape[:1] and (start, step) == (0, 1)


def _is_for_rows(shape: tuple[Dim, ...], rows: Dim) -> bool:
    """Return whether there is a number for each row, or one for all: other lengths do not fit."""
    fits = not may_be_one(rows) and len(shape) == 1 and not may_be_one(shape[0])
    return fits or shape in ((), (rows,))


def _is_real(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype.kind == "f"


def _is_inner(node: Node) -> bool:
    return all(len(shape_of(operand)) == 1 for operand in node.operands)


def _constant(number: float) -> Polynomial:
    return _cleaned({_ONE: _exact(number)})


def _exact(number: float) -> Number:
    if number == int(number):
        return int(number)
    from fractions import Fraction

    return Fraction(number)


def _inverse(number: Number) -> Number:
    if abs(number) == 1:
        return number
    from fractions import Fraction

    return 1 / Fraction(number)


def _alone(value: Value) -> Polynomial:
    return {frozenset({(value, 1)}): 1}


def _split(
    monomial: Monomial, places: Sequence[int], lengths: Sequence[Dim]
) -> tuple[Monomial, Monomial] | None:
    """The factors that do not change along axes, and the others; None where that is not known.

    What is broadcast to a length has that length, or the length 1.
    """
    changing = []
    for atom, exponent in monomial:
        found = _dims_at(atom, places)
        pairs = zip(found, lengths, strict=True)
        if any(dim not in (1, length) and may_be_one(dim) for dim, length in pairs):
            return None
        if any(dim != 1 for dim in found):
            changing.append((atom, exponent))
    return monomial.difference(changing), frozenset(changing)


def _total(
    product: Monomial, places: tuple[int, ...], lengths: Sequence[Dim], left: Sequence[Dim]
) -> _Total:
    """The sum of a product along axes of these lengths, ``left`` being the shape it leaves."""
    shape = _of_factors(product, left)
    rest = _left_open(product, range(-len(shape), 0), shape)
    return _Total(product, places, _left_open(product, places, lengths), rest, shape)


def _of_factors(product: Monomial, shape: Sequence[Dim]) -> tuple[Dim, ...]:
    """A shape without the lengths that none of the factors has."""
    dims = [_dims_at(atom, range(-len(shape), 0)) for atom, _ in product]
    own = [dim if any(d[k] != 1 for d in dims) else 1 for k, dim in enumerate(shape)]
    return tuple(itertools.dropwhile(lambda dim: dim == 1, own))


def _left_open(
    product: Monomial, places: Sequence[int], lengths: Sequence[Dim]
) -> tuple[Dim | None, ...]:
    """The lengths of axes along which no factor is known to have another length than 1."""
    dims = [_dims_at(atom, places) for atom, _ in product]
    known = [any(not may_be_one(d[k]) for d in dims) for k in range(len(places))]
    return tuple(None if known[k] else length for k, length in enumerate(lengths))


def _dims_at(atom: _Atom, places: Sequence[int]) -> list[Dim]:
    """The lengths that a factor has along axes counted from the last."""
    dims = shape_of(atom) if isinstance(atom, Value) else atom.shape
    return [dims[place] if -place <= len(dims) else 1 for place in places]


# Arithmetic of polynomials ------------------------------------------------------------------------


def _cleaned(polynomial: Polynomial) -> Polynomial:
    return {monomial: factor for monomial, factor in polynomial.items() if factor}


def _scaled(polynomial: Polynomial, number: Number) -> Polynomial:
    return {monomial: factor * number for monomial, factor in polynomial.items()}


def _plus(a: Polynomial, b: Polynomial) -> Polynomial:
    total = dict(a)
    for monomial, factor in b.items():
        total[monomial] = total.get(monomial, 0) + factor
    return _cleaned(total)


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    if len(a) * len(b) > _MOST_TERMS:
        raise _TooLong
    total: Polynomial = {}
    for one, first in a.items():
        for other, second in b.items():
            key = _times(one, other)
            total[key] = total.get(key, 0) + first * second
    return _cleaned(total)


def _quotient(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """By a single term; None by anything else."""
    if len(b) != 1:
        return None
    ((monomial, factor),) = b.items()
    inverse = frozenset((atom, -exponent) for atom, exponent in monomial)
    return _product(a, {inverse: _inverse(factor)})


def _times(a: Monomial, b: Monomial) -> Monomial:
    exponents = dict(a)
    for atom, exponent in b:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return frozenset((atom, exponent) for atom, exponent in exponents.items() if exponent)


_SUMS = frozenset({"axis", "keepdims"})  # attributes of sums that are understood
_COMBINED: dict[str, Callable[..., Polynomial | None]] = {
    "add": _plus,
    "subtract": lambda a, b: _plus(a, _scaled(b, -1)),
    "negative": lambda a: _scaled(a, -1),
    **dict.fromkeys(_PRODUCTS, _product),
    **dict.fromkeys(_QUOTIENTS, _quotient),
    "broadcast_to": lambda a, *sizes: a,
}
CANCELLING: Rules = {name: (OnDerivatives(known_sum),) for name in ("sum", "matmul")}
