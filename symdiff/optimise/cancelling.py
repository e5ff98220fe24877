"""Sums that vanish by algebra, on statements of derivatives.

The shift in ``e = exp(x - max(x))``, ``p = e / sum(e)`` changes nothing, so nothing flows back
through ``max``: what would is ``sum(e * (g / s - sum(g * (e / s)) / s))``, ``s = sum(e)``, which
is zero for every ``g``. To see that, a sum is written as a polynomial: of elements, of reciprocals
of single terms, and of sums of products, out of which factors are taken that do not change along
the axes summed over. A sum whose polynomial has no terms is zero. Only what is near is expanded,
to a few terms, and only where a sum stands inside a sum, which keeps the cost linear.
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
from symdiff.ops.facts import made_by, number_of, shape_of
from symdiff.ops.reduce import axes_of
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


_Atom: TypeAlias = "Value | _Total"
Monomial: TypeAlias = "frozenset[tuple[_Atom, int]]"  # factors with their exponents
Number: TypeAlias = "int | Fraction"  # exact
Polynomial: TypeAlias = "dict[Monomial, Number]"

_ONE: Monomial = frozenset()


def vanishing_sum(node: Node, rewriter: Rewriter) -> Value | None:
    """Zeros for a sum that is zero whatever its elements are."""
    for most in _NEAR:
        near = _near(node, most)
        if not _has_sum(near[1:]):
            return None
        if not _Expansion(near).of(node.result):
            return rewriter.zeros_for(node)
        if len(near) < most:
            return None
    return None


def _near(node: Node, most: int) -> list[Value]:
    """The values that a sum is made of by arithmetic, the nearest first."""
    near = {node.result: None}
    pending = deque([node])
    while pending and len(near) < most:
        for operand in pending.popleft().operands:
            inner = made_by(operand, *_ARITHMETIC)
            if inner is not None and operand not in near and _is_real(operand):
                near[operand] = None
                pending.append(inner)
    return list(near)


def _has_sum(values: Iterable[Value]) -> bool:
    """Return whether a value is a sum: without one inside, nothing can cancel."""
    return any(made_by(value, "sum", "matmul") for value in values)


_ARITHMETIC = ("add", "subtract", "multiply", "divide", "negative", "broadcast_to", "sum", "matmul")


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

    def _expanded(self, value: Value) -> Polynomial:
        number = number_of(value)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return _constant(number) if math.isfinite(number) else _alone(value)
        if value.node is None or value not in self.near:
            return _alone(value)
        try:
            made = self._made(value.node)
        except _TooLong:
            made = None
        return _alone(value) if made is None else made

    def _made(self, node: Node) -> Polynomial | None:
        parts = [self.of(operand) for operand in node.operands]
        if node.op.name == "sum":
            return self._summed(node, parts[0])
        if node.op.name == "matmul":
            return self._summed(node, _product(*parts)) if _is_inner(node) else None
        return _COMBINED[node.op.name](*parts)

    def _summed(self, node: Node, summand: Polynomial) -> Polynomial | None:
        """The sum of a polynomial along axes; None where axes that go shift the others."""
        if not _SUMS.issuperset(node.attributes):
            return None
        shape = shape_of(node.operands[0])
        axes = axes_of(node.attributes.get("axis"), len(shape))
        left = tuple(1 if k in axes else dim for k, dim in enumerate(shape))
        if shape_of(node.result) not in (left, ()):
            return None
        places = tuple(sorted(axis - len(shape) for axis in axes))
        lengths = tuple(shape[place] for place in places)
        total: Polynomial = {}
        for monomial, factor in summand.items():
            split = _split(monomial, places, lengths)
            if split is None:
                return None
            constant, rest = split
            key = _times(constant, frozenset({(_total(rest, places, lengths, left), 1)}))
            total[key] = total.get(key, 0) + factor
        return _cleaned(total)


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


def _scaled(polynomial: Polynomial, number: int) -> Polynomial:
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
    "multiply": _product,
    "divide": _quotient,
    "broadcast_to": lambda a, *sizes: a,
}
CANCELLING: Rules = {name: (OnDerivatives(vanishing_sum),) for name in ("sum", "matmul")}
