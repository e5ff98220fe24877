"""Checks of arguments that may be traced: their shapes and dtypes, which are known then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax.numpy as jnp


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


def _same(name: str, value: Any, expected: Any) -> None:
    if type(value) is not type(expected) or value != expected:
        raise TypeError(f"{name} must be {expected!r}, not {value!r}")


def _shape(name: str, shape: tuple[int, ...], dims: list[Any], sizes: dict[str, int]) -> None:
    """Compare lengths with what is known of them: a number, or a size's name and an offset."""
    for axis, (length, dim) in enumerate(zip(shape, dims, strict=True)):
        if isinstance(dim, int):
            if length != dim:
                raise TypeError(f"axis {axis} of {name} must have length {dim}, not {length}")
            continue
        symbol, offset = dim
        expected = sizes.setdefault(symbol, length - offset) + offset
        if length != expected:
            said = f"{symbol}{offset:+d}" if offset else symbol
            raise TypeError(
                f"axis {axis} of {name} must have length {expected} ({said}), not {length}"
            )
        if length < 2 and not offset:
            raise TypeError(
                f"axis {axis} of {name} has length {length}, for which this was not generated"
            )
