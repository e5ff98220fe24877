"""The reverse sweep as an object: what a forward sweep saved, and the backward program that goes
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import GradientShapeError, SignatureError, UnsupportedCallError
from symdiff.ir.structure import Container, Leaf, Structure
from symdiff.ir.types import ArrayType, Type
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
    arguments, with the calls without a rule that give them.
    """

    name: str
    function: Callable[..., Any]
    order: tuple[int, ...]
    output: Structure
    types: tuple[Type, ...]
    seeded: tuple[int, ...]
    unruled: tuple[Unruled, ...] = ()

    def run(self, saved: Saved, gradient: Any) -> Any:
        """The cotangents of the arguments from that of the result; None stands for the number 1."""
        for one in saved.watched:
            one.require_unchanged()
        seeds = self._units(saved) if gradient is None else self._taken_apart(gradient, saved)
        available = (*saved.values, *seeds)
        return self.function(*(available[k] for k in self.order))

    def _units(self, saved: Saved) -> list[Any]:
        if isinstance(self.output, Leaf):
            self._require_rules({self.output.index: ((), 1.0)})
        shapes = [saved.shapes[k] for k in self.seeded]
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
        _match(self.output, gradient, ("gradient",), found)
        self._require_rules(found)
        seeds = []
        for k in self.seeded:
            path, value = found.get(k, (("gradient",), None))
            seeds.append(_cast(value, self.types[k], saved.shapes[k], spelled(path)))
        return seeds

    def _require_rules(self, found: dict[int, Any]) -> None:
        """Refuse a cotangent of what a call gives that is not followed and has no rule."""
        for call in self.unruled:
            if found.get(call.result, ((), None))[1] is not None:
                raise call.refusal()


@dataclass(frozen=True, slots=True)
class Saved:
    """What a forward sweep leaves for the backward one. ``shapes`` are those of the result's
    leaves; ``watched`` are arrays that must not change (``modes.CHANGES``).
    """

    values: tuple[Any, ...]
    shapes: tuple[tuple[int, ...], ...]
    program: Backward
    watched: tuple[Watched, ...] = ()

    def __repr__(self) -> str:
        return f"<{len(self.values)} saved values of {self.program.name}>"


@dataclass(frozen=True, slots=True)
class Pullback:
    """The reverse sweep at a point; it can be called again and again."""

    saved: Saved

    def __call__(self, cotangent: Any) -> Any:
        """The cotangents of the arguments, one entry each, from that of the result."""
        return self.saved.program.run(self.saved, cotangent)


def leaf_shapes(structure: Structure, value: Any, found: dict[int, tuple[int, ...]]) -> None:
    """Note the shapes of what stands at the leaves of a structure by their numbers."""
    if isinstance(structure, Leaf):
        found[structure.index] = getattr(value, "shape", ())
    elif isinstance(structure, Container):
        for key, item in zip(structure.keys, structure.items, strict=True):
            leaf_shapes(item, child(structure, value, key), found)


def child(structure: Container, value: Any, key: Any) -> Any:
    """The part of a container that a key names."""
    by_name = not issubclass(structure.type, dict) and isinstance(key, str)
    return getattr(value, key) if by_name else value[key]


def _match(structure: Structure, value: Any, path: tuple[Any, ...], found: dict[int, Any]) -> None:
    if isinstance(structure, Leaf):
        found[structure.index] = path, value
    elif isinstance(structure, Container) and value is not None:
        for key, item in zip(structure.keys, structure.items, strict=True):
            try:
                part = child(structure, value, key)
            except (LookupError, TypeError, AttributeError):
                raise SignatureError(
                    f"{spelled(path)} is {type(value).__name__}, which has no {key!r}",
                    hint="a cotangent has the structure of the result",
                ) from None
            _match(item, part, (*path, key), found)


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
    if type(value) is float and type_.kind == "python" and type_.dtype.kind == "f":
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
            f"{name} is of type {type(value).__name__}, and is to be a number or an array of them",
            hint="a tangent or cotangent is structured like what it belongs to",
        )
    if kind == "c" and type_.dtype.kind != "c":
        raise SignatureError(
            f"{name} is complex, and what it belongs to is real", hint="give its .real"
        )


def _single(value: Any, name: str) -> Any:
    if np.size(value) != 1:
        raise SignatureError(f"{name} has the shape {np.shape(value)}, and is to be a number")
    return np.reshape(value, ())[()]
