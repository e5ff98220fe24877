"""``einsum``: sums of products named by subscripts, explicit and without an ellipsis.

Its adjoint exchanges an operand with the result: of ``ij,jk->ik`` by the first, ``ik,jk->ij``.
"""

from __future__ import annotations

import ast
import builtins
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejecting, rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops import patterns
from symdiff.ops.batching import Lanes
from symdiff.ops.casts import conjugated, number_or_array, result_dtype
from symdiff.ops.creation import eye
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    array_type,
    broadcast_shapes,
    dotted,
    literal,
    lowers,
    static,
)
from symdiff.ops.flops import of_subscripts
from symdiff.ops.joining import diagonal
from symdiff.ops.reduce import unbroadcast_to
from symdiff.ops.shape import broadcast_to, reshape, transpose
from symdiff.ops.sizes import sizes_of
from symdiff.ops.ufuncs import staged, strong


def parsed(subscripts: str) -> tuple[list[str], str]:
    """The letters of the operands and of the result."""
    inputs, output = subscripts.replace(" ", "").split("->")
    return inputs.split(","), output


def _infer_einsum(*operands: ArrayType, subscripts: str, optimize: Any = False) -> ArrayType:
    inputs, output = parsed(subscripts)
    dims: dict[str, list[Dim]] = {}
    for letters, type_ in zip(inputs, operands, strict=True):
        for letter, dim in zip(letters, type_.shape, strict=True):
            dims.setdefault(letter, []).append(dim)
    shape = broadcast_shapes(*_columns([dims[letter] for letter in output]))
    return number_or_array(result_dtype(*operands), shape)


def _columns(dims: Sequence[Sequence[Dim]]) -> list[tuple[Dim, ...]]:
    """Shapes that broadcast to a list of dimensions, each of which is given by several."""
    most = builtins.max((len(d) for d in dims), default=1)
    return [tuple(d[k] if k < len(d) else 1 for d in dims) for k in range(most)]


def _einsum_vjp(
    position: int, g: Value, y: Value, *operands: Value, subscripts: str, optimize: Any = False
) -> Value:
    """Exchange the operand with the result: ``ij,jk->ik`` gives ``ik,jk->ij``.

    Letters that only this operand has were summed: the cotangent is the same along them. A letter
    that it repeats took its diagonal: an identity matrix puts the cotangent there.
    """
    inputs, output = parsed(subscripts)
    x = operands[position]
    others = [(inputs[k], conjugated(v)) for k, v in enumerate(operands) if k != position]
    wanted, identities = _distinct(inputs[position], x, subscripts)
    terms = [*([(output, g)] if output else []), *others, *identities]
    known = {letter for letters, _ in terms for letter in letters}
    share = _contracted(terms, "".join(k for k in wanted if k in known), optimize)
    if not output:
        share = g if share is None else share * g
    assert share is not None
    return unbroadcast_to(_with_missing(share, wanted, known, x), x)


def _contracted(terms: Sequence[tuple[str, Value]], wanted: str, optimize: Any) -> Value | None:
    """The product of terms with the letters that are wanted; None of no terms."""
    if not terms or (len(terms) == 1 and terms[0][0] == wanted):
        return terms[0][1] if terms else None
    names = ",".join(letters for letters, _ in terms)
    values = (value for _, value in terms)
    return einsum(*values, subscripts=f"{names}->{wanted}", **_optimized(optimize))


def _optimized(optimize: Any) -> dict[str, Any]:
    return {"optimize": optimize} if optimize else {}


def _distinct(letters: str, x: Value, subscripts: str) -> tuple[str, list[tuple[str, Value]]]:
    """The letters with repetitions replaced by new ones, and identity matrices that tie these."""
    free = iter(letter for letter in _LETTERS if letter not in subscripts)
    distinct = ""
    identities = []
    for letter in letters:
        if letter in distinct:
            twin = next(free)
            first = letters.index(letter)
            n = sizes_of(x)[first]
            dim = array_type(x).shape[first]
            dtype = array_type(x).dtype
            identities.append((letter + twin, eye(n, n, k=0, shape=(dim, dim), dtype=dtype)))
            letter = twin
        distinct += letter
    return distinct, identities


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _with_missing(share: Value, wanted: str, known: set[str], x: Value) -> Value:
    """``share`` with the axes of ``x``, the same along those that it lacks or has of length 1."""
    own = iter(zip(sizes_of(share), array_type(share).shape, strict=True))
    axes = [next(own) if letter in known else (1, 1) for letter in wanted]
    whole = list(zip(sizes_of(x), array_type(x).shape, strict=True))
    if len(axes) != array_type(share).rank:
        share = reshape(share, *(n for n, _ in axes), shape=tuple(dim for _, dim in axes))
    if all(a[1] != 1 or w[1] == 1 for a, w in zip(axes, whole, strict=True)):
        return share
    given = [w if a[1] == 1 else a for a, w in zip(axes, whole, strict=True)]
    return broadcast_to(share, *(n for n, _ in given), shape=tuple(dim for _, dim in given))


def _spell_einsum(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    optimize = node.attributes.get("optimize", False)
    keywords = [ast.keyword("optimize", literal(optimize))] if optimize else []
    arguments = [literal(node.attributes["subscripts"]), *operands]
    return ast.Call(dotted("np.einsum"), arguments, keywords)


def _letters_agree(node: Node) -> bool:
    """Return whether each letter is known to stand for one length."""
    lengths: dict[str, Dim] = {}
    inputs, _ = parsed(node.attributes["subscripts"])
    for letters, operand in zip(inputs, node.operands, strict=True):
        for letter, dim in zip(letters, array_type(operand).shape, strict=True):
            if lengths.setdefault(letter, dim) != dim:
                return False
    return True


def _batch_einsum(b: Lanes, op: Any, *operands: Value, subscripts: str, **more: Any) -> Value:
    inputs, output = parsed(subscripts)
    lane = next(letter for letter in _LETTERS if letter not in subscripts)
    named = [lane * has + letters for letters, has in zip(inputs, b.has, strict=True)]
    return einsum(*operands, subscripts=f"{','.join(named)}->{lane}{output}", **more)


def _pattern_einsum(
    e: patterns.Elements, op: Any, *, subscripts: str, optimize: Any = False
) -> np.ndarray:
    inputs, output = parsed(subscripts)
    found = []
    for letters, ids in zip(inputs, e.ids, strict=True):
        kept = [letter for letter in output if letter in letters]
        gone = sorted(set(letters) - set(output))
        moved = np.einsum(f"{letters}->{''.join(kept + gone)}", ids)  # of which none is summed
        summed = patterns.united_over(e, moved, range(len(kept), moved.ndim))
        found.append(summed[tuple(slice(None) if x in letters else None for x in output)])
    return e.united(*found)


einsum: Operation = Operation.of_arrays(
    "einsum",
    _infer_einsum,
    lambda *xs, subscripts, optimize=False: np.einsum(subscripts, *xs, optimize=optimize),
    arithmetic=True,
    raises=True,
    harmless=_letters_agree,
    cost="heavy",
    spelling=_spell_einsum,
    vjp=_einsum_vjp,
    linear="each",
    sympy=EVALUATED,
    order="packed as operands",
    example="np.einsum('ij,jk->k', X, Y)",
    flops=of_subscripts,
    batch=_batch_einsum,
    pattern=_pattern_einsum,
    documentation="Sums of products named by subscripts.",
)

# Lowering ---------------------------------------------------------------------------------------


@lowers(np.einsum)
def _einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Value:
    if not isinstance(subscripts, str):
        subscripts, operands = _as_text(subscripts, *operands)
    values = [staged(operand) for operand in operands]
    ranks = [array_type(v).rank for v in values]
    with rejecting():  # what NumPy reads otherwise, or not at all
        np.einsum(subscripts, *(np.ones((1,) * rank) for rank in ranks))
    explicit = explicit_subscripts(subscripts, ranks)
    if len(values) == 1:
        view = _einsum_view(values[0], explicit)
        if view is not None:
            return view
    return einsum(*values, subscripts=explicit, **_optimized(static(optimize)))


def _as_text(*given: Any) -> tuple[str, tuple[Any, ...]]:
    """``(x, [0, 1], y, [1, 2], [0, 2])`` as ``"AB,BC->AC"`` and the operands."""
    count = len(given) // 2
    terms = [_letters_of(static(given[2 * k + 1])) for k in range(count)]
    output = f"->{_letters_of(static(given[-1]))}" if len(given) % 2 else ""
    return f"{','.join(terms)}{output}", tuple(given[2 * k] for k in range(count))


def _letters_of(subscripts: Any) -> str:
    if not isinstance(subscripts, list | tuple):
        raise rejection(TypeError, "subscripts must be a list of integers")
    return "".join("..." if k is Ellipsis else _letter_of(k) for k in subscripts)


def _letter_of(number: Any) -> str:
    if not isinstance(number, int | np.integer):
        raise rejection(TypeError, "each subscript must be either an integer or an ellipsis")
    if not 0 <= number < len(_BY_NUMBER):
        raise rejection(ValueError, "subscript is not within the valid range [0, 52)")
    return _BY_NUMBER[number]


_BY_NUMBER = string.ascii_uppercase + string.ascii_lowercase  # sorted as their numbers are


def _einsum_view(x: Value, subscripts: str) -> Value | None:
    """What ``einsum`` gives as a view of its operand: diagonals, transposed, where nothing is
    summed.
    """
    (letters,), output = parsed(subscripts)
    if not letters and array_type(x).kind != "array":
        return strong(x)
    if set(letters) != set(output):
        return None
    while len(letters) > len(output):
        twice = next(k for k in letters if letters.count(k) > 1)
        first = letters.index(twice)
        pair = (first, letters.index(twice, first + 1))
        others = [k for k in range(len(letters)) if k not in pair]
        x = transpose(x, axes=(*others, *pair))
        x = diagonal(x, offset=0, writable=True)
        letters = "".join(letters[k] for k in others) + twice
    return transpose(x, axes=tuple(letters.index(k) for k in output))


def explicit_subscripts(subscripts: str, ranks: Sequence[int]) -> str:
    """Subscripts with ``->`` and without an ellipsis, as NumPy reads them."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise rejection(ValueError, "number of subscripts does not match the number of operands")
    longest = builtins.max(
        (r - len(t) + 3 for t, r in zip(terms, ranks, strict=True) if "..." in t), default=0
    )
    spare = "".join(letter for letter in _LETTERS if letter not in subscripts)[:longest]
    plain = [
        t.replace("...", spare[len(spare) - (r - len(t) + 3) :]) if "..." in t else t
        for t, r in zip(terms, ranks, strict=True)
    ]
    if not arrow:
        named = [c for c in "".join(terms) if c != "."]
        output = "..." + "".join(sorted(c for c in set(named) if named.count(c) == 1))
    return f"{','.join(plain)}->{output.replace('...', spare)}"
