"""Checks of arguments that may be traced: their shapes and dtypes, which are known then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax.numpy as jnp

    from symdiff.exporting.standalone.matching import _shape


def _array(
    name: str, value: Any, dtype: str, dims: list[Any], sizes: dict[str, int] | None = None
) -> None:
    given = getattr(value, "dtype", None)
    if given != dtype or value.ndim != len(dims):
        raise TypeError(f"{name} must be an array of {dtype} with {len(dims)} dimensions")
    _shape(name, value.shape, dims, {} if sizes is None else sizes)


def _number(name: str, value: Any, kind: str) -> None:
    wanted = jnp.dtype(kind).kind
    given = jnp.result_type(value)
    if jnp.shape(value) != () or given.kind != wanted:
        raise TypeError(f"{name} must be of type {kind}, not {given} of shape {jnp.shape(value)}")


def _is(name: str, value: Any, kind: str, length: int) -> None:
    if type(value).__name__ != kind or len(value) != length:
        raise TypeError(f"{name} must be a {kind} of length {length}")


def _keys(name: str, value: Any, kind: str, keys: tuple[Any, ...]) -> None:
    if type(value).__name__ != kind or set(value) != set(keys):
        raise TypeError(f"{name} must be a {kind} with the keys {list(keys)!r}")
