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
    wanted = "iuf" if kind == "float" else jnp.dtype(kind).kind
    is_number = isinstance(value, int | float | complex) or hasattr(value, "dtype")
    if not is_number or jnp.shape(value) != () or jnp.result_type(value).kind not in wanted:
        given = getattr(value, "dtype", type(value).__name__)
        of = f" of shape {value.shape}" if getattr(value, "shape", ()) else ""
        raise TypeError(f"{name} must be of type {kind}, not {given}{of}")


def _float(value: Any) -> Any:
    """A number as a float, weakly typed where it was; traced or not."""
    return value if jnp.result_type(value).kind == "f" else 1.0 * value


def _is(name: str, value: Any, kind: str, length: int) -> None:
    if type(value).__name__ != kind or len(value) != length:
        raise TypeError(f"{name} must be a {kind} of length {length}")


def _keys(name: str, value: Any, kind: str, keys: tuple[Any, ...]) -> None:
    if type(value).__name__ != kind or set(value) != set(keys):
        raise TypeError(f"{name} must be a {kind} with the keys {list(keys)!r}")
