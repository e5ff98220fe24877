"""Bringing given arguments, tangents and vectors into the types that are compiled for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import SignatureError
from symdiff.ir.attributes import Parts, parts
from symdiff.ir.signature import Path
from symdiff.ir.structure import Container, construct
from symdiff.ir.types import ArrayType, type_of_constant
from symdiff.runtime.saved import cast, require_numbers
from symdiff.runtime.signature import TypeText, spelled


def as_float(value: Any) -> Any:
    """A Python int where a float is differentiated counts as one; ``"int"`` likewise."""
    if type(value) is int:
        return float(value)
    return TypeText("float") if isinstance(value, TypeText) and value.strip() == "int" else value


def replaced(
    arguments: tuple[Any, ...], names: Sequence[str], path: Path, change: Callable[[Any], Any]
) -> tuple[Any, ...]:
    """The arguments with what stands at a path of at most two steps changed."""
    position = names.index(path[0])
    before = arguments[position]
    if len(path) == 1:
        after = change(before)
    elif isinstance(before, dict):
        after = {**before, path[1]: change(before[path[1]])} if path[1] in before else before
    else:
        after = tuple(change(v) if k == path[1] else v for k, v in enumerate(before))
    return (*arguments[:position], after, *arguments[position + 1 :])


def like(tangent: Any, primal: Any, path: Path) -> tuple[Any, Any]:
    """Primal and tangent in matching types; an int with a tangent counts as a float.

    :raises SignatureError: where the tangent does not fit, or belongs to what has no derivative.
    """
    if tangent is None:
        return primal, None
    if isinstance(tangent, TypeText) or isinstance(primal, str):
        return _like_spelled(tangent, primal, path)
    found = parts(primal)
    if found is not None:
        return _like_container(tangent, primal, found, path)
    if type(primal) is int:
        primal = float(primal)
    is_number = isinstance(primal, float | complex | np.generic | np.ndarray)
    type_ = type_of_constant(primal) if is_number else None
    if type_ is None or not type_.differentiable:
        raise _without_derivative(primal, path)
    return primal, _like_array(tangent, primal, type_, path)


def _like_array(tangent: Any, primal: Any, type_: ArrayType, path: Path) -> Any:
    if type(tangent) is type(primal) and not isinstance(primal, np.ndarray):
        return tangent
    require_numbers(tangent, type_, spelled(path))
    shape = np.shape(primal)
    if (shape or np.size(tangent) != 1) and np.shape(tangent) != shape:
        raise SignatureError(f"{spelled(path)} has the shape {np.shape(tangent)}, not {shape}")
    if type(tangent) is np.ndarray and tangent.dtype == type_.dtype and type_.kind == "array":
        return tangent
    return cast(tangent, type_, shape, spelled(path))


def _like_spelled(tangent: Any, primal: Any, path: Path) -> tuple[Any, Any]:
    """Types as text: the tangent has the type of the primal."""
    if isinstance(primal, str) and not isinstance(primal, TypeText):
        raise _without_derivative(primal, path)
    return as_float(primal), tangent


def _without_derivative(primal: Any, path: Path) -> SignatureError:
    return SignatureError(
        f"{spelled(path)} is given, but {type(primal).__name__} has no derivative",
        hint="give None as the tangent of what is not differentiated",
    )


def _like_container(tangent: Any, primal: Any, found: Parts, path: Path) -> tuple[Any, Any]:
    keys, items = found
    given = parts(tangent)
    if given is None or given[0] != keys:
        raise SignatureError(
            f"{spelled(path)}, a {type(tangent).__name__}, has not the structure of its primal",
            hint="give the same containers, with None for what is not differentiated",
        )
    pairs = [
        like(part, item, (*path, key))
        for key, item, part in zip(keys, items, given[1], strict=True)
    ]
    return _rebuilt(primal, keys, items, [p for p, _ in pairs]), _rebuilt(
        tangent, keys, given[1], [t for _, t in pairs], type(primal)
    )


def _rebuilt(
    before: Any,
    keys: tuple[Any, ...],
    items: Sequence[Any],
    new: Sequence[Any],
    kind: type | None = None,
) -> Any:
    """The container, or one of its kind where items changed."""
    kind = kind or type(before)
    if type(before) is kind and all(a is b for a, b in zip(items, new, strict=True)):
        return before
    return construct(Container(kind, keys, ()), new)
