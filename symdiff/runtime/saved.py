"""Derivatives at a point as objects: what a forward part saved, and the program that reads it: the
backward sweep, or the linear function of tangents.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import GradientShapeError, SignatureError, UnsupportedCallError
from symdiff.ir.structure import (
    Container,
    Either,
    Leaf,
    Static,
    Structure,
    children,
    is_leaf,
    is_left_out,
)
from symdiff.ir.types import ArrayType, ListType, Type
from symdiff.runtime.signature import spelled
from symdiff.runtime.watching import Watched
from symdiff.source.spans import SourceSpan


@dataclass(frozen=True, slots=True)
class Unruled:
    """A result, by its number, of a call that is not followed and has no rule."""

    result: int
    name: str
    span: SourceSpan | None

    def refusal(self) -> UnsupportedCallError:
        """What a cotangent of the result is answered with."""
        return UnsupportedCallError(
            f"a derivative of what {self.name} returns, which has no rule",
            self.span,
            "give it a rule: symdiff.define_rule or symdiff.custom_vjp; where it has no derivative,"
            " symdiff.nondifferentiable",
        )


@dataclass(frozen=True, slots=True)
class Backward:
    """A loaded backward program: ``order`` picks its arguments from the saved values and
    cotangents.

    ``output`` is the structure of the primal's result, its leaves numbering ``types``; ``seeded``
    are the numbers of those that have a cotangent, ``unruled`` of objects that depend on the
    arguments, with the calls without a rule that give them. ``by_number``: the cotangent is one of
    Python's floats, and a float is taken as it is.
    """

    name: str
    function: Callable[..., Any]
    order: tuple[int, ...]
    output: Structure
    types: tuple[Type, ...]
    seeded: tuple[int, ...]
    unruled: tuple[Unruled, ...] = ()
    by_number: bool = False

    def run(self, saved: Saved, gradient: Any) -> Any:
        """The cotangents of the arguments from that of the result; None stands for the number 1."""
        for one in saved.watched:
            one.require_unchanged()
        seeds: Sequence[Any]
        if self.by_number and type(gradient) is float:
            seeds = (gradient,)
        else:
            seeds = self._units(saved) if gradient is None else self._taken_apart(gradient, saved)
        available = (*saved.values, *seeds)
        return self.function(*[available[k] for k in self.order])

    def _units(self, saved: Saved) -> list[Any]:
        if isinstance(self.output, Leaf):
            self._require_rules({self.output.index: ((), 1.0)})
        shapes = [saved.shapes[k] or () for k in self.seeded]
        if not isinstance(self.output, Leaf) or not all(n == 1 for s in shapes for n in s):
            raise GradientShapeError(
                f"{self.name} does not return a scalar: there is no gradient without a cotangent",
                hint="give one structured like the result, backward(..., gradient=...), or use"
                " symdiff.vjp; symdiff.jacobian has all derivatives",
            )
        return [
            _cast(1.0, self.types[k], shape, "gradient")
            for k, shape in zip(self.seeded, shapes, strict=True)
        ]

    def _taken_apart(self, gradient: Any, saved: Saved) -> list[Any]:
        found: dict[int, Any] = {}
        hint = "a cotangent has the structure of the result"
        _match(self.output, gradient, ("gradient",), found, hint, shapes=saved.shapes)
        self._require_rules(found)
        seeds = []
        for k in self.seeded:
            path, value = found.get(k, (("gradient",), None))
            shape = saved.shapes[k]
            seeds.append(
                None if shape is None else _cast(value, self.types[k], shape, spelled(path))
            )
        return seeds

    def _require_rules(self, found: dict[int, Any]) -> None:
        """Refuse a cotangent of what a call gives that is not followed and has no rule."""
        for call in self.unruled:
            if found.get(call.result, ((), None))[1] is not None:
                raise call.refusal()


@dataclass(frozen=True, slots=True)
class Saved:
    """What a forward sweep leaves for the backward one. ``shapes`` are those of the result's
    leaves, None of those that are there in another structure of it, and of what tells which of two
    structures it has the numbers of those that it may have; ``watched`` are arrays that must not
    change (``modes.CHANGES``).
    """

    values: tuple[Any, ...]
    shapes: tuple[tuple[int, ...] | None, ...]
    program: Backward
    watched: tuple[Watched, ...] = ()

    def pullback(self) -> Pullback:
        """The reverse sweep from here."""
        return Pullback(self)

    def __repr__(self) -> str:
        return f"<{len(self.values)} saved values of {self.program.name}>"


@dataclass(frozen=True, slots=True)
class Pullback:
    """The reverse sweep at a point; it can be called again and again."""

    saved: Saved

    def __call__(self, cotangent: Any) -> Any:
        """The cotangents of the arguments, one entry each, from that of the result."""
        return self.saved.program.run(self.saved, cotangent)


@dataclass(frozen=True, slots=True)
class Tangents:
    """A loaded linear program: ``order`` picks its arguments from the saved values and tangents.

    ``inputs`` is the structure of the tangents, an entry an argument, its leaves numbering
    ``types``. ``transposed`` makes the program that goes the other way. ``quiet``: NumPy does not
    warn of its arithmetic, as the function says of its own, or may say.
    """

    name: str
    function: Callable[..., Any]
    order: tuple[int, ...]
    inputs: Container
    types: tuple[Type, ...]
    transposed: Callable[[], Backward]
    quiet: bool = False

    def found(self, tangents: tuple[Any, ...]) -> dict[int, Any]:
        """The tangents by the numbers of their leaves, each with its path."""
        keys, items = self.inputs.keys[: len(tangents)], self.inputs.items[: len(tangents)]
        hint = "a tangent has the structure of its argument"
        found: dict[int, Any] = {}
        _match(Container(tuple, keys, items), tangents, ("tangents",), found, hint, only=True)
        return found

    def seeds(
        self, found: dict[int, Any], shapes: Sequence[tuple[Any, ...]], other: float = 0.0
    ) -> list[Any]:
        """The tangents in the types of what they belong to; a number where none is found."""
        seeds = []
        for k, (type_, shape) in enumerate(zip(self.types, shapes, strict=True)):
            path, value = found.get(k, (("tangents",), None))
            if value is None:
                seeds.append(_filled(other, type_, shape))
            elif isinstance(type_, ListType) and shape_in(value, type_) != shape:
                raise SignatureError(f"{spelled(path)} has not the lengths of its argument")
            else:
                seeds.append(_cast(value, type_, shape, spelled(path)))
        return seeds


@dataclass(frozen=True, slots=True)
class Linear:
    """The linear function that takes tangents of the arguments to that of the result, at a point;
    it can be called again and again.

    ``shapes`` are those of the arguments, ``returned`` those of the result's leaves; ``least``
    arguments were given.

    >>> import symdiff as sd
    >>> y, linear = sd.linearize(lambda x: (x, 3.0 * x), 2.0)
    >>> linear(1.0), linear.transpose((0.0, 1.0))
    ((1.0, 3.0), (3.0,))
    """

    program: Tangents
    values: tuple[Any, ...]
    shapes: tuple[tuple[Any, ...], ...]
    returned: tuple[tuple[int, ...] | None, ...]
    watched: tuple[Watched, ...]
    least: int = 0

    def __call__(self, *tangents: Any) -> Any:
        """The tangent of the result, structured like it, from one tangent for each argument; those
        of defaults may be left out.
        """
        program = self.program
        require_count(program.name, len(tangents), self.least, len(program.inputs.items))
        for one in self.watched:
            one.require_unchanged()
        seeds = program.seeds(program.found(tangents), self.shapes)
        available = (*self.values, *seeds)
        with np.errstate(all="ignore") if program.quiet else contextlib.nullcontext():
            return program.function(*[available[k] for k in program.order])

    def transpose(self, cotangent: Any) -> Any:
        """The cotangents of the arguments, one entry each, from that of the result."""
        program = self.program.transposed()
        anywhere = self.program.seeds({}, self.shapes, 1.0)
        saved = Saved((*self.values, *anywhere), self.returned, program, self.watched)
        return program.run(saved, cotangent)

    @property
    def __symdiff_transpose__(self) -> Callable[[Any], Any]:
        """What ``vjp`` pulls back with."""
        return self.transpose

    def __repr__(self) -> str:
        return f"<linear function of {self.program.name}>"


def require_count(name: str, given: int, least: int, most: int) -> None:
    """Refuse another number of tangents than a linear function takes.

    :raises SignatureError: that says how many it takes.
    """
    if not least <= given <= most:
        raise SignatureError(
            f"the linear function of {name} takes {counted(most, 'tangent')}, but {given} given",
            hint="give one for each argument, None where nothing is differentiated",
        )


def counted(count: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def leaf_shapes(
    structure: Structure, value: Any, types: Sequence[Type], found: dict[int, tuple[int, ...]]
) -> None:
    """Note the shapes of what stands at the leaves of a structure by their numbers; of two
    structures those of each that the value may have, and at what tells them the numbers of these.
    """
    if isinstance(structure, Leaf):
        found[structure.index] = getattr(value, "shape", ())
    elif isinstance(structure, Either):
        arms = enumerate((structure.then, structure.orelse))
        possible = {k: arm for k, arm in arms if _is_structured(value, arm, types)}
        found[structure.predicate] = tuple(possible)
        for arm in possible.values():
            leaf_shapes(arm, value, types, found)
    elif isinstance(structure, Container):
        for key, item in zip(structure.keys, structure.items, strict=True):
            if _may_be_left_out(item):
                found[item.predicate] = (0,) if key in value else (1,)
                if key not in value:
                    continue
                item = item.then
            leaf_shapes(item, child(structure, value, key), types, found)


def _is_structured(value: Any, structure: Structure, types: Sequence[Type]) -> bool:
    """Return whether a value may be one of a structure."""
    if isinstance(structure, Leaf):
        return _is_typed(value, types[structure.index])
    if isinstance(structure, Static):
        return value is structure.value or type(value) is type(structure.value)
    if isinstance(structure, Either):
        return any(_is_structured(value, arm, types) for arm in (structure.then, structure.orelse))
    parts = children(value) if type(value) is structure.type else None
    if parts is None:
        return False
    items = {
        key: item.then if _may_be_left_out(item) else item
        for key, item in zip(structure.keys, structure.items, strict=True)
        if not (_may_be_left_out(item) and key not in value)
    }
    if parts[0] != tuple(items):
        return False
    pairs = zip(parts[1], items.values(), strict=True)
    return all(_is_structured(part, item, types) for part, item in pairs)


def _may_be_left_out(item: Structure) -> TypeGuard[Either]:
    """Return whether an entry of a dict is there on some paths only."""
    return isinstance(item, Either) and is_left_out(item.orelse)


def _is_typed(value: Any, type_: Type) -> bool:
    """Return whether a value may be one of a type."""
    if isinstance(type_, ListType):
        return isinstance(value, list)
    if not isinstance(type_, ArrayType):
        return children(value) is None
    if not is_leaf(value):
        return False
    if type_.kind == "array":
        return np.ndim(value) == type_.rank and getattr(value, "dtype", None) == type_.dtype
    return np.ndim(value) == 0 and np.asarray(value).dtype.kind == type_.dtype.kind


def shape_in(value: Any, type_: Type) -> tuple[Any, ...]:
    """The shape of an array; of a list, the shapes of its elements."""
    if isinstance(type_, ListType):
        return tuple(shape_in(item, type_.element) for item in value)
    return np.shape(value)


def _filled(number: float, type_: Type, shape: tuple[Any, ...]) -> Any:
    """A number everywhere, in the place of a value of this shape (``shape_in``)."""
    if isinstance(type_, ListType):
        return [_filled(number, type_.element, one) for one in shape]
    assert isinstance(type_, ArrayType)
    return cast(number, type_, shape, "", fill=True)


def child(structure: Container, value: Any, key: Any) -> Any:
    """The part of a container that a key names."""
    by_name = not issubclass(structure.type, dict) and isinstance(key, str)
    return getattr(value, key) if by_name else value[key]


def _match(
    structure: Structure,
    value: Any,
    path: tuple[Any, ...],
    found: dict[int, Any],
    hint: str,
    only: bool = False,
    shapes: Sequence[tuple[int, ...] | None] = (),
) -> None:
    """Note what is given at the leaves of a structure; ``only``: refuse what is given elsewhere.

    ``shapes`` tell which of two structures the result may have (``Saved``).
    """
    if isinstance(structure, Leaf):
        found[structure.index] = path, value
    elif value is None:
        return
    elif isinstance(structure, Either):
        for number in shapes[structure.predicate] or ():
            arm = structure.orelse if number else structure.then
            _match(arm, value, path, found, hint, only, shapes)
    elif isinstance(structure, Container):
        for key, item, part in _parts_given(structure, value, path, hint, shapes):
            _match(item, part, (*path, key), found, hint, only, shapes)
    elif only:
        raise SignatureError(
            f"{spelled(path)} is given, but what it belongs to has no derivative",
            hint="give None as its tangent, or differentiate at a float, float(n)",
        )


def _parts_given(
    structure: Container,
    value: Any,
    path: tuple[Any, ...],
    hint: str,
    shapes: Sequence[tuple[int, ...] | None],
) -> Iterator[tuple[Any, Structure, Any]]:
    """The keys of a container, the structures of its parts, and what is given for each."""
    if isinstance(value, tuple | list | dict) and len(value) > len(structure.keys):
        extra = f"it has {len(value)} parts, not {len(structure.keys)}"
        raise _structured_otherwise(structure, value, path, extra, hint)
    for key, item in zip(structure.keys, structure.items, strict=True):
        if _may_be_left_out(item) and shapes[item.predicate] == (1,):
            if key in value:
                extra = f"it has {key!r}, which the result lacks"
                raise _structured_otherwise(structure, value, path, extra, hint)
            continue
        try:
            part = child(structure, value, key)
        except (LookupError, TypeError, AttributeError):
            missing = f"it has no {key!r}"
            raise _structured_otherwise(structure, value, path, missing, hint) from None
        yield key, item, part


def _structured_otherwise(
    structure: Container, value: Any, path: tuple[Any, ...], why: str, hint: str
) -> SignatureError:
    given, wanted = type(value).__name__, structure.type.__name__
    return SignatureError(
        f"{spelled(path)} ({given}) is not structured like what it belongs to ({wanted}): {why}",
        hint=hint,
    )


def is_number(type_: Type) -> bool:
    """Whether values are Python's floats, whose cotangents are taken as they are."""
    return isinstance(type_, ArrayType) and type_.kind == "python" and type_.dtype.kind == "f"


def _cast(value: Any, type_: Type, shape: tuple[int, ...], name: str) -> Any:
    """A cotangent in the type of its primal; None stands for zeros."""
    if not isinstance(type_, ArrayType):
        return value
    if type(value) is type_.dtype.type and type_.kind == "scalar":
        return value
    return cast(0.0 if value is None else value, type_, shape, name, fill=value is None)


def cast(value: Any, type_: ArrayType, shape: Sequence[int], name: str, fill: bool = False) -> Any:
    """A derivative in the dtype, kind and shape of its primal.

    :raises SignatureError: where the shapes differ, or a complex number is given for a real one.
    """
    if type(value) is float and is_number(type_):
        return value
    require_numbers(value, type_, name)
    if type_.kind == "python":
        kind: Any = complex if type_.dtype.kind == "c" else float
        return value if type(value) is kind else kind(_single(value, name))
    if type_.kind == "scalar":
        return value if type(value) is type_.dtype.type else type_.dtype.type(_single(value, name))
    array = np.asarray(value, type_.dtype)
    if fill or (array.size == 1 and all(n == 1 for n in shape)):
        return np.full(tuple(shape), array.reshape(()) if array.size == 1 else array, type_.dtype)
    if array.shape != tuple(shape):
        raise SignatureError(f"{name} has the shape {array.shape}, not {tuple(shape)}")
    return array


def require_numbers(value: Any, type_: ArrayType, name: str) -> None:
    """Refuse a derivative that is no number, or a complex one of what is real.

    :raises SignatureError: that names it.
    """
    try:
        kind = np.asarray(value).dtype.kind
    except ValueError:  # lists of several lengths
        kind = "O"
    if kind not in "bifcu":
        raise SignatureError(
            f"{name} is {_of_what(value)}, and is to be a number or an array of them",
            hint="a tangent or cotangent is structured like what it belongs to",
        )
    if kind == "c" and type_.dtype.kind != "c":
        raise SignatureError(
            f"{name} is complex, and what it belongs to is real", hint="give its .real"
        )


def _of_what(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of dtype {value.dtype}"
    return f"of type {type(value).__name__}"


def _single(value: Any, name: str) -> Any:
    if np.size(value) != 1:
        raise SignatureError(f"{name} has the shape {np.shape(value)}, and is to be a number")
    return np.reshape(value, ())[()]
