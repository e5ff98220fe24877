"""Checks of arguments: a ``TypeError`` that names the one that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from symdiff.exporting.standalone.matching import _shape


def _is(name: str, value: Any, kind: str, length: int) -> None:
    if type(value).__name__ != kind or (hasattr(value, "__len__") and len(value) != length):
        raise TypeError(f"{name} must be a {kind} of length {length}, not {value!r}")


def _keys(name: str, value: Any, kind: str, keys: tuple[Any, ...]) -> None:
    if type(value).__name__ != kind or list(value) != list(keys):
        raise TypeError(f"{name} must be a {kind} with the keys {list(keys)!r}, in this order")


def _number(name: str, value: Any, kind: str, *others: type) -> None:
    kinds = {"float": float, "int": int, "bool": bool, "complex": complex}
    wanted = kinds.get(kind) or np.dtype(kind).type
    if type(value) is not wanted and type(value) not in others:
        raise TypeError(f"{name} must be of type {kind}, not {type(value).__name__}")


def _float(value: Any) -> Any:
    """An int as a float, as an argument that is differentiated by is taken."""
    return float(value) if type(value) is int else value


def _array(
    name: str, value: Any, dtype: str, dims: list[Any], sizes: dict[str, int] | None = None
) -> None:
    if type(value) is not np.ndarray or value.dtype != dtype or value.ndim != len(dims):
        raise TypeError(f"{name} must be an array of {dtype} with {len(dims)} dimensions")
    _shape(name, value.shape, dims, {} if sizes is None else sizes)
