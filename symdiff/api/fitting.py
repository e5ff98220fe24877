"""Tangents and cotangents that are given inside a compiled program: each has to have the shape of
what it belongs to, and is taken in its dtype and kind.

Where sizes are known to be equal nothing is asked; where they are open, the program asks once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdiff.differentiate.cotangents import fitted
from symdiff.errors import SignatureError
from symdiff.ir.graph import Graph, Input, Value
from symdiff.ir.signature import Path
from symdiff.ir.types import ArrayType, Dim, Size, in_words
from symdiff.ops import sizes
from symdiff.ops.arithmetic import equal
from symdiff.ops.declare import array_type
from symdiff.ops.stager import Stager
from symdiff.runtime.lengths import Tie
from symdiff.runtime.signature import spelled


def inlined(
    stager: Stager,
    graph: Graph,
    arguments: Mapping[str, Any],
    captured: Sequence[Value],
    belongs: Mapping[Path, Value],
) -> Any:
    """The abstract result of a derived graph; ``belongs`` has, by path of a tangent or cotangent,
    what it belongs to.
    """
    paths = [source.path for source in graph.inputs if source.origin == "argument"]
    values = stager.leaves(dict(arguments), paths)
    given = {}
    for k, (path, value) in enumerate(zip(paths, values, strict=True)):
        primal = belongs.get(path)
        given[f"x{k}"] = (
            value if primal is None else like_primal(stager, value, primal, spelled(path))
        )
    names = iter(given)
    inputs = tuple(
        Input((next(names),)) if source.origin == "argument" else source for source in graph.inputs
    )
    return stager.inline(replace(graph, inputs=inputs), given, captured)


def like_primal(stager: Stager, value: Value, primal: Value, name: str) -> Value:
    """A derivative in the type of what it belongs to.

    :raises SignatureError: where it cannot have it.
    """
    have, wanted = value.type, primal.type
    if have == wanted or not isinstance(have, ArrayType) or not isinstance(wanted, ArrayType):
        return value
    if have.dtype.kind == "c" and wanted.dtype.kind != "c":
        raise SignatureError(
            f"{name} is complex, and what it belongs to is real", hint="give its .real"
        )
    pairs = list(zip(have.shape, wanted.shape, strict=False))
    if have.rank != wanted.rank or any(_certainly_differ(a, b) for a, b in pairs):
        raise SignatureError(
            f"{name} is {in_words(have)}, and what it belongs to is {in_words(wanted)}",
            hint="give it the same shape, np.broadcast_to(...) for one",
        )
    for axis, (a, b) in enumerate(pairs):
        if a != b:
            same = equal(sizes.size(value, axis=axis), sizes.size(primal, axis=axis))
            stager.require(same, f"{name} has not the shape of what it belongs to")
    return fitted(value, primal)


def require_equal(stager: Stager, arguments: Mapping[str, Any], tie: Tie) -> None:
    """Let the program ask once whether two lengths of its arguments belong together.

    :raises SignatureError: where they certainly do not.
    """
    (path, axis), (other, of_other) = tie.axis, tie.other
    one, two = stager.leaves(dict(arguments), [path, other])
    a, b = (array_type(v).shape[k] for v, k in ((one, axis), (two, of_other)))
    message = (
        f"{spelled(path)} (axis {axis}) and {spelled(other)} (axis {of_other}) have other lengths"
    )
    wanted = tie.of(b)
    if _certainly_differ(a, wanted):
        raise SignatureError(message, hint="pass arrays of one length along these axes")
    if a != wanted:
        length = sizes.size(two, axis=of_other)
        length = length * tie.factor if tie.factor > 1 else length
        same = equal(sizes.size(one, axis=axis), length + tie.by if tie.by else length)
        stager.require(same, message)


def _certainly_differ(a: Dim, b: Dim) -> bool:
    """Return whether two dimensions are never equal. A size of an argument that is not open is
    above 1.
    """
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    if isinstance(a, Size) and isinstance(b, Size):
        return replace(a, offset=0) == replace(b, offset=0) and a.offset != b.offset
    return _is_below(a, b) or _is_below(b, a)


def _is_below(number: Dim, size: Dim) -> bool:
    if isinstance(size, int) or not isinstance(number, int):
        return False
    return number < 2 and not size.open and size.offset >= 0
