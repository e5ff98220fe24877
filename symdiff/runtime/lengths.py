"""Lengths of inputs that are known to belong together: one symbol for them in the signature.

Every length has a symbol of its own at first. Where two meet (``ops.meeting``) and fit in the call
at hand, the program is made for calls where they fit: ``w: float64[n]``, ``x: float64[n+1]``. So it
is where parts meet (``ops.equations``): ``gates: float64[4*n]``. What does not meet stays apart:
that a batch is as large as a layer is an accident.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Block, Graph, walk_blocks
from symdiff.ir.signature import (
    FILLED,
    Aspect,
    Long,
    Nested,
    Path,
    Signature,
    Specification,
    least_long,
    leaves,
)
from symdiff.ir.types import (
    LEAST_SYMBOLIC,
    ArrayType,
    Dim,
    ListType,
    Multiple,
    Size,
    TapeType,
    times_and_more,
)
from symdiff.ops.equations import Relation, relations
from symdiff.ops.meeting import Meeting, sure_meetings
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import filled

Axis = tuple[Path, int]  # of the array at a path
_LENGTH = Aspect("size", 0)
_D = TypeVar("_D", Size, Dim)


@dataclass(frozen=True, slots=True)
class Tie:
    """The length at ``axis`` is ``factor`` times that at ``other`` and ``by`` more."""

    axis: Axis
    other: Axis
    by: int
    factor: int = 1

    def moved(self, place: Callable[[Path], Path]) -> Tie:
        """The tie between arguments of an outer call."""

        def moved(axis: Axis) -> Axis:
            path, number = axis
            *before, end = place((*path, Aspect("size", number)))
            return tuple(before), end.of

        return replace(self, axis=moved(self.axis), other=moved(self.other))

    def of(self, length: Dim) -> Dim:
        """The length at ``axis``, where the one at ``other`` is this."""
        return times_and_more(length, self.factor, self.by)


def joined(
    signature: Signature, graph: Graph, met: Iterable[Meeting], arguments: Sequence[Any]
) -> Signature:
    """The signature with one symbol for lengths of inputs that meet and fit in this call.

    What is read of objects and variables has no types in a signature: that its lengths fit is a
    fact, whose value is the length as it is called in the graph.
    """
    axes = _axes_of_inputs(graph)
    lengths = _lengths(axes, signature, arguments)
    groups: dict[str, set[str]] = {symbol: {symbol} for symbol in lengths}
    for one, other in dict.fromkeys(met):
        for fitting in _fitting(one, other, lengths):
            group = set().union(*(groups[symbol] for symbol in fitting))
            groups.update((symbol, group) for symbol in group)
    own = {Multiple.of(dim).symbol for _, dim in _axes(signature) if isinstance(dim, Size)}
    new = {symbol: _in_terms_of(groups[symbol], symbol, lengths, own) for symbol in lengths}
    for relation in relations(graph.block, lengths):
        _relate(relation, new, own)
    made = _with_sizes(signature, lambda axis, dim: _renamed(dim, new))
    facts = dict(signature.static) | dict(_facts(axes, new, own))
    return replace(made, static=tuple(facts.items()))


def with_sure_ties(signature: Signature, graph: Graph, arguments: Sequence[Any]) -> Signature:
    """The signature with one symbol for lengths that have to be equal, and that are in this call.

    The graph, which stays the same but for these symbols, gets them in its types.
    """
    axes = _axes_of_inputs(graph)
    lengths = _lengths(axes, signature, arguments)
    groups: dict[str, set[str]] = {symbol: {symbol} for symbol in lengths}
    for one, other in dict.fromkeys(sure_meetings(graph.block)):
        plain = {one.symbol, other.symbol} <= lengths.keys() and one.offset == other.offset
        if plain and lengths[one.symbol] == lengths[other.symbol]:
            group = groups[one.symbol] | groups[other.symbol]
            groups.update((symbol, group) for symbol in group)
    own = {Multiple.of(dim).symbol for _, dim in _axes(signature) if isinstance(dim, Size)}
    new = {s: _in_terms_of(group, s, lengths, own) for s, group in groups.items() if len(group) > 1}
    if not new:
        return signature
    made = _with_sizes(signature, lambda axis, dim: _renamed(dim, new))
    known = {path: _in_terms(value, new) for path, value in signature.static}
    facts = known | dict(_facts(axes, new, own))
    _rename(graph.block, new)
    return replace(made, static=tuple(facts.items()))


def _rename(block: Block, new: Mapping[str, Multiple]) -> None:
    """Give lengths new symbols in the types and the attributes of a block."""
    for inner in walk_blocks(block):
        for node in inner.nodes:
            node.attributes = {key: _in_terms(kept, new) for key, kept in node.attributes.items()}
        for value in (*inner.parameters, *(v for node in inner.nodes for v in node.results)):
            value.type = _in_terms(value.type, new)


def _in_terms(part: Any, new: Mapping[str, Multiple]) -> Any:
    """An attribute, or a part of one, with other symbols in its sizes."""
    if isinstance(part, Size):
        terms = () if part.sum is None else part.sum[0]
        told_anew = any(term in new for term, _ in terms)
        return _renamed(replace(part, sum=None) if told_anew else part, new)
    if isinstance(part, ArrayType):
        return replace(part, shape=tuple(_in_terms(dim, new) for dim in part.shape))
    if isinstance(part, ListType | TapeType):
        return replace(part, element=_in_terms(part.element, new))
    if type(part) in (tuple, list):
        return type(part)(_in_terms(one, new) for one in part)
    return part


def _relate(relation: Relation, new: dict[str, Multiple], own: Collection[str]) -> None:
    """Tell lengths in terms of fewer ones, where a relation of two is one of those that they are
    told in.

    Those of the signature are not told in terms of others.
    """
    one, other = new[relation.symbol], relation.other
    base = new[other.symbol].times(other.factor).plus(other.offset - one.offset)
    if base.factor % one.factor or base.offset % one.factor:
        return
    found = Multiple(base.factor // one.factor, base.symbol, base.offset // one.factor)
    symbol = one.symbol
    if symbol in own and found.symbol not in own and found == Multiple(1, found.symbol):
        symbol, found = found.symbol, Multiple(1, symbol)
    is_told = symbol in own and found.symbol not in own
    if symbol == found.symbol or is_told or found.least < LEAST_SYMBOLIC:
        return
    for name, known in new.items():
        if known.symbol == symbol:
            new[name] = found.times(known.factor).plus(known.offset)


def _facts(
    axes: Sequence[tuple[Axis, Size]], new: Mapping[str, Multiple], own: Collection[str]
) -> Iterator[tuple[Path, Size]]:
    """The lengths that no signature has and that get another symbol, each a fact of its own."""
    told = [(axis, Multiple.of(dim), _renamed(dim, new)) for axis, dim in axes]
    first: dict[str, tuple[Axis, Multiple]] = {}
    for axis, _, size in told:
        known = Multiple.of(size)
        if known.factor == 1:
            first.setdefault(known.symbol, (axis, known))
    for (path, number), before, size in told:
        if size != before.size and before.symbol not in own:
            made = Multiple.of(size)
            (other, of_other), known = first[made.symbol]
            by = made.offset - made.factor * known.offset
            end = Aspect("equal", ((*other, Aspect("size", of_other)), by, made.factor))
            yield (*path, Aspect("size", number), end), size


def _fitting(one: Size, other: Size, lengths: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Symbols of arguments that make two lengths one where they belong together.

    Those of a part of each, ``x[k:]`` and ``y[k:]``, are found by how their lengths are spelled.
    """
    if {one.symbol, other.symbol} <= lengths.keys():
        if lengths[one.symbol] + one.offset == lengths[other.symbol] + other.offset:
            yield one.symbol, other.symbol
        return
    for a in (symbol for symbol in lengths if symbol in one.symbol):
        for b in (symbol for symbol in lengths if symbol in other.symbol):
            if lengths[a] == lengths[b] and one.symbol.replace(a, b) == other.symbol:
                yield a, b


def _axes_of_inputs(graph: Graph) -> list[tuple[Axis, Size]]:
    """The dimensions of the arrays that a graph is given."""
    pairs = zip(graph.inputs, graph.block.parameters, strict=True)
    return [
        ((source.path, number), dim)
        for source, value in pairs
        if isinstance(value.type, ArrayType)
        for number, dim in enumerate(value.type.shape)
        if isinstance(dim, Size)
    ]


def _lengths(
    axes: Iterable[tuple[Axis, Size]], signature: Signature, arguments: Sequence[Any]
) -> dict[str, int]:
    """What symbols stand for in a call; spelled types tell nothing."""
    names = [name for name, _ in signature.parameters]
    found: dict[str, int] = {}
    for (path, number), dim in axes:
        value = follow(path, names, arguments)
        if isinstance(value, np.ndarray):
            known = Multiple.of(dim)
            length = known.of_length(value.shape[number])
            if length:
                found.setdefault(known.symbol, length)
    return found


def _in_terms_of(
    group: set[str], symbol: str, lengths: Mapping[str, int], own: Collection[str]
) -> Multiple:
    """A length as the shortest of its group plus a number: so it is known not to be 1.

    The shortest that the signature itself has, where there is one.
    """
    able = [s for s in lengths if s in group]
    shortest = min([s for s in able if s in own] or able, key=lambda s: lengths[s])
    return Multiple(1, shortest, lengths[symbol] - lengths[shortest])


def _renamed(dim: _D, new: Mapping[str, Multiple]) -> _D:
    if isinstance(dim, int):
        return dim
    known = Multiple.of(dim)
    if known.symbol not in new:
        return dim
    found = new[known.symbol].times(known.factor).plus(known.offset).size
    return replace(dim, symbol=found.symbol, offset=found.offset)


def has_long(signature: Signature, arguments: Sequence[Any]) -> bool:
    """Return whether an argument is a large array."""
    names = [name for name, _ in signature.parameters]
    given = ((path, follow(path, names, arguments)) for path, _ in _arrays(signature))
    arrays = ((path, v) for path, v in given if isinstance(v, np.ndarray) and v.ndim)
    return any(_is_long((*path, FILLED if v.ndim > 1 else _LENGTH), v) for path, v in arrays)


def _is_long(path: Path, array: np.ndarray) -> bool:
    """Return whether what a path says of an array is a long length, or a large count."""
    count = filled(array) if path[-1] == FILLED else array.shape[path[-1].of]
    return count >= least_long(path)


def with_long(signature: Signature, known: Long, arguments: Sequence[Any]) -> Signature:
    """The signature that tells of what may be ``known`` to be long whether it is."""
    names = [name for name, _ in signature.parameters]
    vectors: dict[str, tuple[Path, bool]] = {}
    arrays: list[tuple[Path, bool]] = []
    for path, type_ in dict(_arrays(signature)).items():
        value = follow(path, names, arguments)
        if not isinstance(value, np.ndarray):
            continue
        for number, dim in enumerate(type_.shape):
            symbol = Multiple.of(dim).symbol if isinstance(dim, Size) else None
            length, count = (*path, Aspect("size", number)), (*path, FILLED)
            if symbol in known.vectors and symbol not in vectors:
                vectors[symbol] = length, _is_long(length, value)
            if symbol in known.rows and number == 0 and type_.rank > 1:
                arrays.append((count, _is_long(count, value)))
    return replace(signature, long=(*vectors.values(), *arrays))


def told_anew(
    facts: Iterable[tuple[Path, bool]], names: Sequence[str], arguments: Sequence[Any]
) -> tuple[tuple[Path, bool], ...]:
    """What is known to be long in a call of a transform: its arrays may have more elements."""
    found = []
    for path, is_long in facts:
        value = follow(path[:-1], names, arguments) if path[-1] == FILLED else None
        if path[-1] != FILLED:
            found.append((path, is_long))
        elif isinstance(value, np.ndarray):
            found.append((path, _is_long(path, value)))
    return tuple(found)


def long_in(graph: Graph, signature: Signature) -> Long:
    """What is known to be long in a graph."""
    long = {path for path, is_long in signature.long if is_long}
    vectors, rows, packed = set[str](), set[str](), set[Path]()
    for (path, number), dim in _axes_of_inputs(graph) if long else ():
        symbol = Multiple.of(dim).symbol
        if (*path, Aspect("size", number)) in long:
            vectors.add(symbol)
        if (*path, FILLED) in long:
            packed.add(path)
            if number == 0:
                rows.add(symbol)
    return Long(frozenset(vectors), frozenset(rows), frozenset(packed))


def common(signature: Signature) -> list[Tie]:
    """The axes whose lengths have one symbol, each with the shortest of that symbol."""
    of: dict[str, list[tuple[Axis, Multiple]]] = {}
    for axis, dim in _axes(signature):
        if isinstance(dim, Size):
            known = Multiple.of(dim)
            of.setdefault(known.symbol, []).append((axis, known))
    found = []
    for places in of.values():
        first, least = min(places, key=lambda place: (place[1].factor, place[1].offset))
        for axis, known in places:
            factor, rest = divmod(known.factor, least.factor)
            if axis != first and not rest:
                found.append(Tie(axis, first, known.offset - factor * least.offset, factor))
    return found


def with_common(signature: Signature, ties: Iterable[Tie]) -> Signature:
    """The signature with lengths in common at these axes, each of which has a symbol of its own."""
    own, known = dict(_axes(signature)), {tie.axis: tie for tie in ties}

    def length(axis: Axis) -> Dim:
        met = []
        while axis in known:  # a tangent has a length of its primal, which has that of another
            met.append(known[axis])
            axis = known[axis].other
        found = own[axis]
        for tie in reversed(met):
            found = tie.of(found)
        return found

    new = {axis: length(axis) for axis in known}
    return _with_sizes(signature, lambda axis, dim: new.get(axis, dim))


def _axes(signature: Signature) -> Iterator[tuple[Axis, Dim]]:
    for path, type_ in _arrays(signature):
        yield from (((path, number), dim) for number, dim in enumerate(type_.shape))


def _arrays(signature: Signature) -> Iterator[tuple[Path, ArrayType]]:
    for name, specification in signature.parameters:
        for path, type_ in leaves(specification, (name,)):
            if isinstance(type_, ArrayType):
                yield path, type_


def _with_sizes(signature: Signature, new: Callable[[Axis, Dim], Dim]) -> Signature:
    """The signature with other sizes, each of which is told by its axis and what it was."""

    def of(specification: Specification, path: Path) -> Specification:
        if isinstance(specification, Nested):
            parts = zip(specification.keys, specification.items, strict=True)
            return replace(
                specification, items=tuple(of(item, (*path, key)) for key, item in parts)
            )
        if isinstance(specification, ArrayType):
            shape = tuple(new((path, k), dim) for k, dim in enumerate(specification.shape))
            return replace(specification, shape=shape)
        return specification

    return replace(signature, parameters=tuple((n, of(s, (n,))) for n, s in signature.parameters))
