"""Counts that depend on sizes: polynomials in the sizes of arrays and the turns of loops.

>>> n = Count.symbol("n")
>>> print(2 * n * n + n + 3)
2*n**2 + n + 3
>>> (2 * n * n).value({"n": 10})
200
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from symdiff.dataclass import dataclass
from symdiff.ir.types import Dim, Multiple, Size, with_spelled_name

if TYPE_CHECKING:
    from fractions import Fraction

Number: TypeAlias = "int | Fraction"
Monomial = tuple[str, ...]  # symbols, sorted, each as often as its power


@dataclass(frozen=True, slots=True)
class Count:
    """A sum of products of symbols; no term is zero."""

    terms: tuple[tuple[Monomial, Number], ...] = ()

    @classmethod
    def of(cls, terms: Mapping[Monomial, Number]) -> Count:
        """The terms that are not zero, the highest powers first."""
        kept = [(key, factor) for key, factor in terms.items() if factor]
        return cls(tuple(sorted(kept, key=lambda term: (-len(term[0]), term[0]))))

    @classmethod
    def number(cls, number: Number) -> Count:
        return cls.of({(): number})

    @classmethod
    def symbol(cls, symbol: str) -> Count:
        return cls.of({(symbol,): 1})

    @classmethod
    def dim(cls, dim: Dim) -> Count:
        """A dimension; an open one that differs from run to run is a symbol like others."""
        if isinstance(dim, int):
            return cls.number(dim)
        known = Multiple.of(dim)
        return cls.of({(known.symbol,): known.factor}) + cls.number(known.offset)

    @classmethod
    def product(cls, dims: Iterable[Dim]) -> Count:
        """How many elements an array of these dimensions has."""
        count = cls.number(1)
        for dim in dims:
            count = count * cls.dim(dim)
        return count

    def __add__(self, other: Count | int) -> Count:
        terms = dict(self.terms)
        for key, factor in _as_count(other).terms:
            terms[key] = terms.get(key, 0) + factor
        return Count.of(terms)

    def __mul__(self, other: Count | Number) -> Count:
        terms: dict[Monomial, Number] = {}
        for one, factor in self.terms:
            for another, by in _as_count(other).terms:
                key = tuple(sorted((*one, *another)))
                terms[key] = terms.get(key, 0) + factor * by
        return Count.of(terms)

    __rmul__ = __mul__

    def value(self, sizes: Mapping[str, int]) -> int | None:
        """The number for known sizes, rounded; None where one of them is not known."""
        symbols = {symbol for key, _ in self.terms for symbol in key}
        if not symbols <= sizes.keys():
            return None
        total = sum(factor * prod(sizes[s] for s in key) for key, factor in self.terms)
        return round(total)

    def __str__(self) -> str:
        terms = [_spelled(key, factor) for key, factor in self.terms]
        return " + ".join(terms).replace("+ -", "- ") or "0"


def _as_count(number: Count | Number) -> Count:
    return number if isinstance(number, Count) else Count.number(number)


def _spelled(key: Monomial, factor: Number) -> str:
    powers = [
        symbol_in_words(symbol) + (f"**{power}" if power > 1 else "")
        for symbol, power in Counter(key).items()
    ]
    if not powers:
        return str(factor)
    sign, size = ("-", -factor) if factor < 0 else ("", factor)
    top = [] if size.numerator == 1 else [str(size.numerator)]
    below = "" if size.denominator == 1 else f"/{size.denominator}"
    return f"{sign}{'*'.join([*top, *powers])}{below}"


def symbol_in_words(symbol: str) -> str:
    """``x.shape[0]`` for what the compiler calls ``x.0``; ``?`` for a size without a name."""
    return symbol if symbol.endswith(")") else str(with_spelled_name(Size(symbol)))
