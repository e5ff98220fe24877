"""How arrays lie in memory: strides as products of sizes, and what NumPy makes views of.

A *layout* has a stride for each axis, counted in elements: a ``Product``, or None where it is not
known. What is asked of layouts has three answers: yes, no, and None where sizes or strides that are
not known decide. Nothing is said of arrays without elements, and of strides along axes of length 1.

>>> n, m = Size("n"), Size("m")
>>> layout = Layout.packed((n, m))
>>> is_packed(layout, (n, m)), is_packed(layout.along((1, 0)), (m, n))
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from symdiff.dataclass import dataclass
from symdiff.ir.signature import Path
from symdiff.ir.types import Dim, Size, may_be_one

Shape = Sequence[Dim]


# Products of sizes --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Product:
    """A number times sizes, which are sorted."""

    number: int
    sizes: tuple[Size, ...] = ()

    def times(self, other: Product) -> Product:
        return Product(self.number * other.number, _sorted((*self.sizes, *other.sizes)))


ONE = Product(1)
Known = Mapping[Size, Product]  # sizes that are products of others
NOTHING: Known = {}


def _sorted(sizes: Sequence[Size]) -> tuple[Size, ...]:
    return tuple(sorted(sizes, key=lambda size: (size.symbol, size.offset)))


def product_of(dims: Shape, known: Known = NOTHING) -> Product:
    """The product of dimensions."""
    made = ONE
    for dim in dims:
        made = made.times(
            Product(dim) if isinstance(dim, int) else known.get(dim, Product(1, (dim,)))
        )
    return made


def expanded(product: Product, known: Known) -> Product:
    """A product in terms of sizes that are no products themselves."""
    if known.keys().isdisjoint(product.sizes):
        return product
    return Product(product.number).times(product_of(product.sizes, known))


def quotient(a: Product, b: Product) -> Product | None:
    """``a / b`` where that is a product."""
    left, right = without_common(a, b)
    if right.sizes or right.number == 0 or left.number % right.number:
        return None
    return Product(left.number // right.number, left.sizes)


def without_common(a: Product, b: Product) -> tuple[Product, Product]:
    """Two products without the sizes that both have."""
    left, right = list(a.sizes), list(b.sizes)
    for size in a.sizes:
        if size in right:
            left.remove(size)
            right.remove(size)
    return Product(a.number, tuple(left)), Product(b.number, tuple(right))


def _least(product: Product) -> int:
    """What the absolute value is at least, where there are elements."""
    least = abs(product.number)
    for size in product.sizes:
        least *= 1 if may_be_one(size) else 2
    return least


def equal(a: Product, b: Product) -> bool | None:
    """Return whether two products are equal."""
    a, b = without_common(a, b)
    if a == b:
        return True
    if not a.sizes and not b.sizes:
        return False
    opposite = (a.number < 0) != (b.number < 0)
    apart = (not a.sizes and _least(b) > abs(a.number)) or (
        not b.sizes and _least(a) > abs(b.number)
    )
    return False if opposite or apart else None


def at_most(a: Product, b: Product) -> bool | None:
    """Return whether ``|a| <= |b|``."""
    a, b = without_common(a, b)
    if not a.sizes and abs(a.number) <= _least(b):
        return True
    if not b.sizes and _least(a) > abs(b.number):
        return False
    return None


# Layouts ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Layout:
    """The strides of an array; ``causes``: inputs whose layout would tell those not known."""

    strides: tuple[Product | None, ...]
    causes: frozenset[Path] = frozenset()

    @classmethod
    def packed(
        cls, shape: Shape, order: Sequence[int] | None = None, known: Known = NOTHING
    ) -> Layout:
        """Without gaps; ``order`` names the axes from the outermost in, as they stand if None."""
        strides: list[Product | None] = [None] * len(shape)
        step = ONE
        for axis in reversed(range(len(shape)) if order is None else order):
            strides[axis] = step
            step = step.times(product_of([shape[axis]], known))
        return cls(tuple(strides))

    @classmethod
    def unknown(cls, rank: int, causes: frozenset[Path] = frozenset()) -> Layout:
        return cls((None,) * rank, causes)

    def along(self, axes: Sequence[int | None]) -> Layout:
        """The layout of a view with these axes; None is a new one of length 1."""
        strides = tuple(ONE if axis is None else self.strides[axis] for axis in axes)
        return replace(self, strides=strides)

    def stepped(self, factors: Sequence[int | None]) -> Layout:
        """Each stride times a number; None where that is not known."""
        strides = tuple(
            None if stride is None or factor is None else stride.times(Product(factor))
            for stride, factor in zip(self.strides, factors, strict=True)
        )
        return replace(self, strides=strides)


def met(layouts: Sequence[Layout]) -> Layout:
    """What is known of an array that lies in one of these ways."""
    first, *others = layouts
    causes = first.causes.union(*(other.causes for other in others))
    columns = zip(*(layout.strides for layout in layouts), strict=True)
    strides = tuple(column[0] if len(set(column)) == 1 else None for column in columns)
    return Layout(strides, causes)


def _lies_on(outer: Product | None, inner: Product | None, dim: Dim, known: Known) -> bool | None:
    """Return whether an axis steps over the axis inside it, of length ``dim``, exactly."""
    if outer is None or inner is None:
        return None
    step = expanded(inner, known).times(product_of([dim], known))
    return equal(expanded(outer, known), step)


def is_packed(
    layout: Layout, shape: Shape, order: Literal["C", "F"] = "C", known: Known = NOTHING
) -> bool | None:
    """Return whether an array is C-contiguous, or Fortran-contiguous."""
    axes = range(len(shape))
    wanted = Layout.packed(shape, axes if order == "C" else axes[::-1], known)
    return _is_packed(layout, shape, wanted, known)


def _is_packed(layout: Layout, shape: Shape, wanted: Layout, known: Known) -> bool | None:
    certain = True
    for stride, target, dim in zip(layout.strides, wanted.strides, shape, strict=True):
        if dim == 1:
            continue
        assert target is not None
        same = None if stride is None else equal(expanded(stride, known), target)
        if same is False and not may_be_one(dim):
            return False
        certain = certain and same is True
    return True if certain else None


# Results of ops -----------------------------------------------------------------------------------


def kept_order(operands: Sequence[tuple[Shape, Layout]], shape: Shape) -> Layout:
    """The layout of a new array for which NumPy keeps the order of the operands (``order='K'``).

    As NumPy's iterator sorts axes: an axis moves inwards past another where operands say so and
    none says otherwise.
    """
    rank = len(shape)
    causes = frozenset[Path]().union(*(layout.causes for _, layout in operands))
    columns = [_aligned(of, layout, rank) for of, layout in operands if len(of)]
    order = list(range(rank))
    for place in range(rank - 2, -1, -1):  # from the innermost out
        axis, target = order[place], place
        for position in range(place + 1, rank):
            votes = list(_votes(columns, axis, order[position], shape))
            if not votes:
                continue
            if any(vote is None for vote in votes) and True not in votes:
                return Layout.unknown(rank, causes)
            if True in votes:
                break
            target = position
        order.insert(target, order.pop(place))
    return Layout.packed(shape, order)


_Column = list[tuple[Product | None, Dim] | None]


def _aligned(shape: Shape, layout: Layout, rank: int) -> _Column:
    """Strides and lengths by axis of the result; None along axes where an operand is repeated."""
    pairs = zip(layout.strides, shape, strict=True)
    repeated = Product(0)
    own: _Column = [None if d == 1 or s == repeated else (s, d) for s, d in pairs]
    return [None] * (rank - len(own)) + own


def _votes(
    columns: Sequence[_Column], outer: int, inner: int, shape: Shape
) -> Iterator[bool | None]:
    """Yield, for each operand that tells, whether two axes stand in the right order already."""
    for column in columns:
        one, two = column[outer], column[inner]
        if one is None or two is None:
            continue
        pairs = ((one[1], shape[outer]), (two[1], shape[inner]))
        certain = all(dim == whole or not may_be_one(dim) for dim, whole in pairs)
        if one[0] is None or two[0] is None or not certain:
            yield None
        else:
            yield at_most(two[0], one[0])


# Reshaping ----------------------------------------------------------------------------------------


def reshaped(
    layout: Layout, old: Shape, new: Shape, known: dict[Size, Product]
) -> tuple[bool | None, Layout]:
    """Return whether a reshape is a view, and how the result lies.

    NumPy's rule: where a product of leading old lengths is one of leading new lengths, a group of
    axes ends; the old axes of a group have to lie on one another. ``known`` takes up what is learnt
    of the sizes of the result.
    """
    _solve(old, new, known)
    copied = Layout.packed(new, None, known)
    if 0 in old:
        return False, copied
    strides: list[Product | None] = [ONE] * len(new)
    verdict: bool | None = True
    for mine, theirs in _groups(old, new, known):
        tight = _is_tight(layout, old, mine, known)
        if tight is False and _is_one_group(old, new, mine, theirs):
            return False, copied
        verdict = verdict if tight else None
        step = layout.strides[mine[-1]] if mine and tight else None
        for axis in reversed(theirs):
            strides[axis] = step
            step = None if step is None else step.times(product_of([new[axis]], known))
    if verdict:
        return True, Layout(tuple(strides), layout.causes)
    return None, Layout.unknown(len(new), layout.causes)


def _solve(old: Shape, new: Shape, known: dict[Size, Product]) -> None:
    """Note what the one new length is that is not among the old ones."""
    total = product_of(old, known)
    sizes = {dim for dim in new if isinstance(dim, Size) and dim not in known}
    strange = [size for size in sizes if size not in total.sizes]
    if len(strange) == 1 and list(new).count(strange[0]) == 1:
        rest = product_of([dim for dim in new if dim != strange[0]], known)
        solution = quotient(total, rest)
        if solution is not None:
            known[strange[0]] = solution


def _groups(old: Shape, new: Shape, known: Known) -> list[tuple[list[int], list[int]]]:
    """Runs of old and new axes of as many elements; axes of length 1 are left out."""
    mine = [axis for axis, dim in enumerate(old) if dim != 1]
    theirs = [axis for axis, dim in enumerate(new) if dim != 1]
    ends = {product_of([new[a] for a in theirs[:k]], known): k for k in range(1, len(theirs))}
    groups, start, begun = [], 0, 0
    for position in range(1, len(mine)):
        end = ends.get(product_of([old[axis] for axis in mine[:position]], known))
        if end is not None and end > begun:
            groups.append((mine[start:position], theirs[begun:end]))
            start, begun = position, end
    return [*groups, (mine[start:], theirs[begun:])]


def _is_tight(layout: Layout, shape: Shape, axes: Sequence[int], known: Known) -> bool | None:
    """Return whether each of the axes lies on the next."""
    tight: bool | None = True
    for outer, inner in pairwise(axes):
        strides = layout.strides[outer], layout.strides[inner]
        found = _lies_on(*strides, shape[inner], known)
        if found is False and not (may_be_one(shape[outer]) or may_be_one(shape[inner])):
            return False
        tight = tight if found else None
    return tight


def _is_one_group(old: Shape, new: Shape, mine: Sequence[int], theirs: Sequence[int]) -> bool:
    """Return whether a group cannot fall apart into smaller ones, whatever the sizes."""
    lengths = [*(old[axis] for axis in mine), *(new[axis] for axis in theirs)]
    if all(isinstance(dim, int) for dim in lengths):
        return True
    return len(theirs) == 1 and not any(may_be_one(old[axis]) for axis in mine)
