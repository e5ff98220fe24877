"""``vmap``: a function of one element as one of a batch, whose arguments have an axis more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from symdiff.api.axes import Argument, Axes, Tree, entry, lane_of
from symdiff.api.wrt import specification_at
from symdiff.batch import batched, moved, with_lanes
from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.graph import Block, Graph, Input, Value, walk_nodes
from symdiff.ir.signature import (
    Aspect,
    Nested,
    Path,
    Specification,
    leaves,
)
from symdiff.ir.structure import (
    Container,
    Either,
    Leaf,
    Structure,
    is_leaf,
)
from symdiff.ir.types import ArrayType, Dim, Size, in_words
from symdiff.ops.casts import astype
from symdiff.ops.recording import record
from symdiff.ops.shape import copy
from symdiff.ops.sizes import size
from symdiff.pipeline import Arguments, CallPair, Normalise, Transform
from symdiff.runtime.lengths import Tie
from symdiff.runtime.parameters import Parameters
from symdiff.runtime.signature import spelled


@dataclass(frozen=True)
class Vmap(Transform):
    """A function of one element as one of a batch; the first ``skip`` arguments have no lanes."""

    in_axes: Axes = 0
    out_axes: Axes = 0
    skip: int = 0

    # Arguments

    def _arguments(self, arguments: Arguments, inner: Parameters) -> list[Argument]:
        """The arguments with their axes, one entry a parameter."""
        flat = inner.flat(arguments)
        axes = self._of_flat(flat, inner)
        entries = iter(axes)
        found = []
        kinds = {p.name: p.kind for p in inner.signature.parameters.values()}
        for name, value in zip(inner.names, arguments, strict=True):
            kind = kinds.get(name)
            if kind is not None and kind is kind.VAR_POSITIONAL:
                items = tuple(next(entries) for _ in value)
                tree: Axes = Tree(tuple, tuple(range(len(items))), items)
            elif kind is not None and kind is kind.VAR_KEYWORD:
                tree = 0
            else:
                tree = next(entries)
            found.append(Argument((name,), value, tree))
        return found

    def _of_flat(self, flat: tuple[Any, ...], inner: Parameters) -> list[Axes]:
        """The axes of positional arguments; defaults have none."""
        given: list[Axes] = [None] * self.skip
        axes = self.in_axes
        if isinstance(axes, Tree):
            given += axes.items
            self._require_as_many(len(axes.items), flat, inner)
        defaults = {
            p.name: p.default
            for p in inner.signature.parameters.values()
            if p.default is not p.empty
        }
        many = len(flat) - len([n for n in inner.names if n != inner.variadic])
        places = {inner.slot((name,), many)[0]: value for name, value in defaults.items()}
        rest: Axes = None if isinstance(axes, Tree) else axes
        for number in range(len(given), len(flat)):
            default = number in places and _is_default(flat[number], places[number])
            given.append(None if default else rest)
        return given

    def _require_as_many(self, entries: int, flat: tuple[Any, ...], inner: Parameters) -> None:
        count = len(flat) - self.skip
        optional = sum(p.default is not p.empty for p in inner.signature.parameters.values())
        if not count - optional <= entries <= count:
            raise SignatureError(
                f"in_axes has {entries} entries, but {inner.function} is given {count} arguments",
                hint="give one entry an argument, or an int for all",
            )

    def inner_arguments(self, arguments: Arguments, inner: Parameters) -> Arguments:
        return tuple(one.lane() for one in self._arguments(arguments, inner))

    def normalise(self, arguments: Arguments, inner: Parameters, within: Normalise) -> Arguments:
        found = self._arguments(arguments, inner)
        self._require_one_size(found, inner)
        before = tuple(one.lane() for one in found)
        after = within(before)
        merged = zip(found, before, after, strict=True)
        return tuple(one.merged(a, b) for one, a, b in merged)

    def lanes(
        self, arguments: Arguments, known: Sequence[Specification], inner: Parameters
    ) -> list[Specification]:
        """What is known of a lane of abstract arguments, of which so much is known."""
        found = self._arguments(arguments, inner)
        lanes = [lane_of(s, a.axes, a.path) for s, a in zip(known, found, strict=True)]
        if list(known) == lanes:
            raise _without_lanes(inner)
        return lanes

    @staticmethod
    def _require_one_size(arguments: Sequence[Argument], inner: Parameters) -> None:
        lanes = [leaf for one in arguments for leaf in one.leaves() if leaf.has_lanes]
        if not lanes:
            raise _without_lanes(inner)
        first = lanes[0]
        for other in lanes[1:]:
            one, two = first.shape[first.axis], other.shape[other.axis]
            if one != two and isinstance(one, int) and isinstance(two, int):
                raise SignatureError(
                    f"the batch has {one} elements in {spelled(first.path)} (axis {first.axis}),"
                    f" but {two} in {spelled(other.path)} (axis {other.axis})",
                    hint="pass arrays of one length along these axes, or say None in in_axes for"
                    " what is the same for each",
                )
        _ = first.shape

    # Signatures

    def _axis_at(self, path: Path, calls: CallPair) -> int | None:
        """The axis of the batch in the array at a path; None where it has none."""
        try:
            outer, inner = (specification_at(s, path) for s in (calls.outer, calls.inner))
        except SignatureError:  # an attribute of an object
            return None
        if not isinstance(outer, ArrayType) or not isinstance(inner, ArrayType):
            return None
        if outer.rank == inner.rank:
            return None
        axes = self._axes_at(path, calls)
        assert isinstance(axes, int)
        return axes % outer.rank

    def _axes_at(self, path: Path, calls: CallPair) -> Axes:
        inner = calls.parameters
        name = path[0]
        kinds = {p.name: p.kind for p in inner.signature.parameters.values()}
        kind = kinds.get(name)
        if kind is not None and kind is kind.VAR_KEYWORD:
            return 0
        axes, keys = self.in_axes, path[1:]
        if isinstance(axes, Tree):
            variadic = dict(calls.inner.parameters).get(inner.variadic or "")
            count = len(variadic.items) if isinstance(variadic, Nested) else 0
            position, *rest = inner.slot(path, count)
            axes, keys = axes.items[position - self.skip], tuple(rest)
        for k, key in enumerate(keys):
            axes = entry(axes, key, path[: k + 2], "in_axes")
        return axes

    def _lanes(self, calls: CallPair) -> list[tuple[Path, int]]:
        """The arrays with an axis for the batch, and which."""
        found = []
        for name, specification in calls.outer.parameters:
            for path, _ in leaves(specification, (name,)):
                axis = self._axis_at(path, calls)
                if axis is not None:
                    found.append((path, axis))
        return found

    def outer_path(self, path: Path, calls: CallPair) -> Path:
        *before, end = path
        if not isinstance(end, Aspect) or end.kind != "size":
            return path
        axis = self._axis_at(tuple(before), calls)
        return path if axis is None or end.of < axis else (*before, Aspect("size", end.of + 1))

    def lengths(self, calls: CallPair) -> list[Tie]:
        first, *others = self._lanes(calls)
        return [Tie(other, first, 0) for other in others]

    def parted(
        self, ties: Sequence[tuple[Path, Path]], calls: CallPair
    ) -> tuple[list[tuple[Path, Path]], list[Tie]]:
        whole, parted = [], []
        for path, other in ties:
            if self._axis_at(path, calls) == self._axis_at(other, calls):
                whole.append((path, other))
                continue
            type_ = specification_at(calls.inner, path)
            assert isinstance(type_, ArrayType)
            for axis in range(type_.rank):
                one, two = (self._moved_axis(p, axis, calls) for p in (path, other))
                parted.append(Tie(one, two, 0))
        return whole, parted

    def _moved_axis(self, path: Path, axis: int, calls: CallPair) -> tuple[Path, int]:
        *before, end = self.outer_path((*path, Aspect("size", axis)), calls)
        return tuple(before), end.of

    def require(self, facts: Sequence[Path], calls: CallPair) -> None:
        lanes = {path for path, _ in self._lanes(calls)}
        for path in facts:
            *before, end = path
            aspect = end.kind if isinstance(end, Aspect) else "value"
            place = tuple(before) if isinstance(end, Aspect) else path
            if place not in lanes or aspect in ("size", "equal"):
                continue
            name, function = spelled(place), calls.parameters.function
            told = {"layout": "how {} lies in memory", "is": "which array {} is"}
            what = told.get(aspect, "the value of {}").format(name)
            raise SignatureError(
                f"the structure of {function} depends on {what}, which may differ over the batch",
                hint="let it work on a copy"
                if aspect != "value"
                else "pass what structure depends on as an argument without lanes: None in in_axes",
            )

    # Graphs

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        if any(node.op is record for node in walk_nodes(graph.block)):
            raise SignatureError(
                f"values that names of {graph.name} get are not kept under vmap",
                graph.span,
                "trace the function of one element",
            )
        axes = dict(self._lanes(calls))
        dim = self._dim(graph, axes, calls)
        numbers = [
            axes.get(known.path) if known.origin == "argument" else None for known in graph.inputs
        ]
        graph, numbers = _with_a_batch(graph, numbers, axes, calls)
        pairs = zip(graph.block.parameters, graph.inputs, numbers, strict=True)
        parameters = tuple(
            v if axis is None else _with_axis(v, dim, axis, specification_at(calls.outer, i.path))
            for v, i, axis in pairs
        )
        with building(Builder([], graph.span)) as made:
            first, place = next((k, axis) for k, axis in enumerate(numbers) if axis is not None)
            count = dim if isinstance(dim, int) else size(parameters[first], axis=place)
            lanes = [
                p if axis is None else _in_front(p, axis, v)
                for p, axis, v in zip(parameters, numbers, graph.block.parameters, strict=True)
            ]
            has = [axis is not None for axis in numbers]
            results = batched(graph, lanes, has, count, dim)
            output, values = _Output(graph, results, count, dim).of(self.out_axes)
        block = Block(parameters, made.nodes, tuple(values))
        name = f"{graph.name}_vmap"
        return replace(graph, name=name, block=block, output=output, mutated={})

    @staticmethod
    def _dim(graph: Graph, axes: dict[Path, int], calls: CallPair) -> Dim:
        """The length of the batch: a number where it is one in the signature."""
        for path, axis in axes.items():
            type_ = specification_at(calls.outer, path)
            assert isinstance(type_, ArrayType)
            if isinstance(type_.shape[axis], int):
                return type_.shape[axis]
        known = {
            dim.symbol
            for value in graph.block.parameters
            if isinstance(value.type, ArrayType)
            for dim in value.type.shape
            if isinstance(dim, Size)
        }
        number = 0
        while f"batch{number or ''}" in known:
            number += 1
        return Size(f"batch{number or ''}")


def _with_a_batch(
    graph: Graph, numbers: list[int | None], axes: dict[Path, int], calls: CallPair
) -> tuple[Graph, list[int | None]]:
    """The graph with an input that tells the size of the batch, if it has none."""
    if any(axis is not None for axis in numbers):
        return graph, numbers
    path, axis = next(iter(axes.items()))
    block = graph.block
    type_ = specification_at(calls.inner, path)
    assert isinstance(type_, ArrayType)
    parameters = (*block.parameters, Value(type_, None, str(path[-1])))
    block = Block(parameters, block.nodes, block.results)
    return replace(graph, block=block, inputs=(*graph.inputs, Input(path))), [*numbers, axis]


def _without_lanes(inner: Parameters) -> SignatureError:
    return SignatureError(
        f"no argument of {inner.function} has an axis for the batch",
        hint="give an axis of at least one argument in in_axes",
    )


def _is_default(value: Any, default: Any) -> bool:
    number = isinstance(value, bool | int | float | complex) and not isinstance(value, np.ndarray)
    return value is default or (
        number and isinstance(default, bool | int | float | complex) and value == default
    )


def _with_axis(value: Value, dim: Dim, axis: int, given: Specification) -> Value:
    type_ = value.type
    assert isinstance(type_, ArrayType)
    assert isinstance(given, ArrayType)
    shape = (*type_.shape[:axis], dim, *type_.shape[axis:])
    return Value(ArrayType(given.dtype, shape, "array"), None, value.name, value.role)


def _in_front(parameter: Value, axis: int, lane: Value) -> Value:
    """An argument with the axis of the batch in front, in the dtype of a lane of it."""
    x = moved(parameter, axis)
    assert isinstance(lane.type, ArrayType)
    assert isinstance(x.type, ArrayType)
    return x if x.type.dtype == lane.type.dtype else astype(x, dtype=lane.type.dtype)


@dataclass(frozen=True, slots=True)
class _Output:
    """What a graph returns, its results with lanes or without."""

    graph: Graph
    results: list[tuple[Value, bool]]
    count: Value | int
    dim: Dim

    def of(self, axes: Axes) -> tuple[Structure, list[Value]]:
        """The structure that is returned, with lanes along these axes, and its results."""
        values: list[Value] = []
        return self._at(self.graph.output, axes, (), values), values

    def _at(self, structure: Structure, axes: Axes, path: Path, values: list[Value]) -> Structure:
        if isinstance(structure, Container):
            pairs = zip(structure.keys, structure.items, strict=True)
            parts = []
            if isinstance(axes, Tree) and len(axes.keys) != len(structure.keys):
                self._refuse(f"out_axes has {len(axes.keys)} entries for {len(structure.keys)}")
            for key, item in pairs:
                place = ("result", *path, key)
                parts.append(
                    self._at(item, entry(axes, key, place, "out_axes"), (*path, key), values)
                )
            return replace(structure, items=tuple(parts))
        if isinstance(structure, Either):
            self._refuse(
                f"vmap cannot stack what {self.graph.name} returns: it has another structure at"
                " other values",
                "return one structure, such as NaN for what is not there",
            )
        if isinstance(axes, Tree):
            self._refuse("out_axes has a container for what is none")
        if isinstance(structure, Leaf):
            value, has = self.results[structure.index]
        elif is_leaf(structure.value):
            value, has = builder().constant(structure.value), False
        else:
            return structure
        values.append(self._placed(value, has, axes, spelled(("result", *path))))
        return Leaf(len(values) - 1)

    def _placed(self, value: Value, has: bool, axis: int | None, name: str) -> Value:
        if axis is None:
            if has:
                self._refuse(
                    f"the {name} of {self.graph.name} differs over the batch, and out_axes"
                    " says None for it"
                )
            return value
        if not isinstance(value.type, ArrayType):
            self._refuse(
                f"vmap cannot stack what {self.graph.name} returns: {in_words(value.type)}"
            )
        x = value if has else with_lanes(value, self.count, self.dim, fresh=True)
        assert isinstance(x.type, ArrayType)
        if not -x.type.rank <= axis < x.type.rank:
            self._refuse(
                f"out_axes says {axis}, but the {name} of {self.graph.name} has"
                f" {x.type.rank} axes with the batch's"
            )
        place = axis % x.type.rank
        return copy(moved(x, 0, place)) if place else x

    def _refuse(self, message: str, hint: str = "give an axis for each array returned") -> NoReturn:
        raise SignatureError(message, self.graph.span, hint)
