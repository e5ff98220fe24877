"""Sums of products on statements of derivatives, as products of matrices, two factors at a time.

    einsum('ij,ik->jk', a, b)          ─▶    a.T @ b
    einsum('bti,bij->btj', x, w)       ─▶    x @ w
    einsum('il,ij,kl->jk', g, a, c)    ─▶    (a.T @ g) @ c.T
    sum(a[:, None, :] * b, axis=2)     ─▶    a @ b.T
    sum(w[:, :, None] * t, axis=1)     ─▶    (w[:, None, :] @ t)[:, 0, :]

A *term* is a value with a letter for each of its axes; a letter that is not in the result is summed
over. Where letters are known to stand for one length each, nothing but the order of the sums
differs. What NumPy's loops do as fast as products do stays: products of elements, and stacks of
matrices with vectors where the user wrote ``einsum``.
"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Sequence

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops.einsum import einsum, parsed
from symdiff.ops.facts import shape_of
from symdiff.ops.products import as_row, matmul, rows_of, swapped, tensordot
from symdiff.ops.reduce import sum
from symdiff.ops.shape import reshape, transpose
from symdiff.ops.sizes import sizes_of
from symdiff.optimise.facts import computed_by, meet_as_one
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import regrouping

_TYPICAL = 64  # a length that is not known, where orders of products are compared

Term = tuple[str, Value]


# einsum -------------------------------------------------------------------------------------------


def products_for_einsum(node: Node, rewriter: Rewriter) -> Value | None:
    """``einsum`` as products of two terms at a time, of matrices where they are such."""
    inputs, output = parsed(node.attributes["subscripts"])
    terms = list(zip(inputs, node.operands, strict=True))
    if len(terms) < 2 or not _are_floats(node) or not _are_plain(terms):
        return None
    summed = [_without_alone(k, terms, output) for k in range(len(terms))]
    if len(summed) == 2:
        return product_of(summed[0], summed[1], output)
    pairs = _pairs(summed, output)
    return None if pairs is None else _multiplied(summed, pairs)


def _are_floats(node: Node) -> bool:
    """Return whether all are of one dtype that BLAS multiplies."""
    types = [value.type for value in (*node.operands, node.result)]
    kinds = {t.dtype.char if isinstance(t, ArrayType) else "" for t in types}
    return len(kinds) == 1 and kinds <= set("fdFD")


def _are_plain(terms: Sequence[Term]) -> bool:
    """Return whether no term repeats a letter, and each letter stands for one length."""
    dims: dict[str, Dim] = {}
    return all(
        len(set(letters)) == len(letters)
        and all(
            meet_as_one((dims.setdefault(letter, dim),), (dim,))
            for letter, dim in zip(letters, shape_of(value), strict=True)
        )
        for letters, value in terms
    )


def _without_alone(place: int, terms: Sequence[Term], output: str) -> Term:
    """A term summed over the letters that it alone has."""
    letters, value = terms[place]
    others = {letter for k, (named, _) in enumerate(terms) if k != place for letter in named}
    gone = tuple(k for k, x in enumerate(letters) if x not in others and x not in output)
    if not gone:
        return letters, value
    left = "".join(x for k, x in enumerate(letters) if k not in gone)
    return left, apply(sum, value, axis=gone, keepdims=False)


# The order of products ----------------------------------------------------------------------------

Pair = tuple[int, int, str]  # the places of two terms, and the letters of their product


def _pairs(terms: Sequence[Term], output: str) -> list[Pair] | None:
    """Which two terms are multiplied next: those whose product costs least. None where a product
    would have more axes than there are in all terms and the result.
    """
    pairs_of = (zip(named, shape_of(value), strict=True) for named, value in terms)
    lengths = {letter: _length(dim) for own in pairs_of for letter, dim in own}
    names = [named for named, _ in terms]
    most = max(len(output), *map(len, names))
    pairs: list[Pair] = []
    while len(names) > 1:
        pair = min(_candidates(names, output), key=lambda p: _cost(names, p, lengths))
        if len(pair[2]) > most:
            return None
        pairs.append(pair)
        names = [*(x for k, x in enumerate(names) if k not in pair[:2]), pair[2]]
    return pairs


def _length(dim: Dim) -> int:
    return dim if isinstance(dim, int) else _TYPICAL


def _candidates(names: Sequence[str], output: str) -> list[Pair]:
    """All pairs of terms with a letter in common; where there is none, the first two."""
    if len(names) == 2:
        return [(0, 1, output)]
    having: dict[str, list[int]] = {letter: [] for letter in output}
    for k, named in enumerate(names):
        for letter in named:
            having.setdefault(letter, []).append(k)
    pairs = {p for places in having.values() for p in itertools.combinations(places, 2)} or {(0, 1)}

    def kept(i: int, j: int) -> str:
        mine = names[i] + names[j]
        wanted = {x for x in mine if x in output or len(having[x]) > mine.count(x)}
        return _kept(names[i], names[j], wanted)

    return [(i, j, kept(i, j)) for i, j in sorted(pairs)]


def _kept(a: str, b: str, wanted: set[str]) -> str:
    """The letters of a product in the order in which stacks of products of matrices have them."""
    both = [x for x in a if x in b and x in wanted]
    return "".join([*both, *(x for x in a + b if x in wanted and x not in both)])


def _cost(names: Sequence[str], pair: Pair, lengths: dict[str, int]) -> tuple[int, int]:
    i, j, kept = pair
    every = set(names[i]) | set(names[j])
    return math.prod(lengths[x] for x in every), math.prod(lengths[x] for x in kept)


def _multiplied(terms: Sequence[Term], pairs: Sequence[Pair]) -> Value:
    left = list(terms)
    for i, j, kept in pairs:
        made = product_of(left[i], left[j], kept)
        if made is None:
            names = ",".join((left[i][0], left[j][0]))
            made = apply(einsum, left[i][1], left[j][1], subscripts=f"{names}->{kept}")
        left = [*(term for k, term in enumerate(left) if k not in (i, j)), (kept, made)]
    return left[0][1]


# Products of two terms ----------------------------------------------------------------------------


def product_of(first: Term, second: Term, output: str) -> Value | None:
    """The sum of products of two terms as a product of matrices; None where it is not one.

    Each letter stands for one length, and that of one term alone is in the output.
    """
    of_one = [x for x in output if (x in first[0]) != (x in second[0])]
    turned = bool(of_one) and of_one[0] in second[0]
    return _product(second, first, output) if turned else _product(first, second, output)


def _product(a: Term, b: Term, output: str) -> Value | None:
    summed = "".join(x for x in a[0] if x in b[0] and x not in output)
    stack = "".join(x for x in output if x in a[0] and x in b[0])
    rows = "".join(x for x in a[0] if x not in b[0])
    columns = "".join(x for x in b[0] if x not in a[0])
    if not summed:
        return None
    if stack:
        if {len(rows), len(columns), len(summed)} != {1} or {a[0][-1], b[0][-1]} & set(stack):
            return None
        made = matmul(_ordered(a, stack + rows + summed), _ordered(b, stack + summed + columns))
        return _ordered((stack + rows + columns, made), output)
    if max(len(a[0]), len(b[0])) <= 2 and len(summed) == 1:
        if not columns and a[0] == summed + rows:
            return matmul(b[1], a[1])
        made = matmul(_ordered(a, rows + summed), _ordered(b, summed + columns))
        return _ordered((rows + columns, made), output)
    if not rows or not columns:
        return None
    return _ordered((rows + columns, _of_tensors(a, b, rows, summed, columns)), output)


def _of_tensors(a: Term, b: Term, rows: str, summed: str, columns: str) -> Value:
    """A product in which some group of letters is not one: by one product of matrices still."""
    if a[0] == rows + summed and len(b[0]) == 2:
        return matmul(a[1], _ordered(b, summed + columns))
    if len(rows + columns) == 2 and a[0] == summed + rows and b[0] == summed + columns:
        return matmul(swapped(rows_of(a[1], 1)), rows_of(b[1], 1))
    axes = tuple(map(a[0].index, summed)), tuple(map(b[0].index, summed))
    return apply(tensordot, a[1], b[1], axes=axes)


def _ordered(term: Term, wanted: str) -> Value:
    """A term with its axes in the order of the letters that are wanted."""
    letters, value = term
    if letters == wanted:
        return value
    return apply(transpose, value, axes=tuple(map(letters.index, wanted)))


# Sums of products of what is broadcast ------------------------------------------------------------


@reads("multiply")
def products_for_sum(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(a * b)`` of arrays that are broadcast against each other as a product of matrices: what
    is summed need not be stored, and where it is, it takes longer to read than they do.
    """
    (x,) = node.operands
    product, axis = computed_by(x, "multiply"), node.attributes.get("axis")
    if product is None or axis is None or node.attributes.get("keepdims"):
        return None
    if not _are_floats(product):
        return None
    letters = string.ascii_letters[: len(shape_of(x))]
    first, second = (_slim(value, letters, shape_of(x)) for value in product.operands)
    output = "".join(letter for k, letter in enumerate(letters) if k not in axis)
    if not _are_plain((first, second)) or not _are_broadcast(first[0], second[0], letters, output):
        return None
    return product_of(first, second, output) or _rows_times_stack(first, second, output)


def _slim(value: Value, letters: str, whole: Sequence[Dim]) -> Term:
    """A factor without the axes along which it is broadcast."""
    dims, sizes = shape_of(value), sizes_of(value)
    first = len(whole) - len(dims)
    kept = [k for k, dim in enumerate(dims) if dim != 1 or whole[first + k] == 1]
    named = "".join(letters[first + k] for k in kept)
    if len(kept) == len(dims):
        return named, value
    shape = tuple(dims[k] for k in kept)
    return named, apply(reshape, value, *(sizes[k] for k in kept), shape=shape)


def _are_broadcast(first: str, second: str, letters: str, output: str) -> bool:
    """Return whether two factors have all letters, not the same, and both what is summed over."""
    a, b, summed = set(first), set(second), set(letters) - set(output)
    return a != b and a | b == set(letters) and summed <= a & b


def _rows_times_stack(first: Term, second: Term, output: str) -> Value | None:
    """Rows of a matrix times the matrices of a stack: ``ij,ijk->ik``, the axes in any order."""
    (few, w), (many, stack) = sorted((first, second), key=lambda term: len(term[0]))
    if (len(few), len(many), len(output)) != (2, 3, 2) or not set(few) <= set(many):
        return None
    (shared,) = (x for x in few if x in output)
    (summed,) = (x for x in few if x not in output)
    (column,) = (x for x in many if x not in few)
    if many[-1] == shared:
        return None
    rows = as_row(_ordered((few, w), shared + summed))
    made = matmul(rows, _ordered((many, stack), shared + summed + column))
    return _ordered((shared + column, _without_rows(made)), output)


def _without_rows(x: Value) -> Value:
    """A stack of matrices of one row each, without that axis."""
    (first, _, last), lengths = shape_of(x), sizes_of(x)
    return apply(reshape, x, lengths[0], lengths[2], shape=(first, last))


CONTRACTIONS: Rules = {
    "einsum": regrouping(products_for_einsum),
    "sum": regrouping(products_for_sum),
}
