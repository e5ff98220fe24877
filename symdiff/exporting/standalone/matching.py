"""Checks of values and lengths that are known, while a function is traced, too."""

from __future__ import annotations

from typing import Any


def _same(name: str, value: Any, expected: Any) -> None:
    if type(value) is not type(expected) or value != expected:
        raise TypeError(f"{name} must be {expected!r}, not {value!r}")


def _shape(name: str, shape: tuple[int, ...], dims: list[Any], sizes: dict[str, int]) -> None:
    """Compare lengths with what is known of them: a number, or a size's name, an offset and, where
    it is not 1, a factor.
    """
    for axis, (length, dim) in enumerate(zip(shape, dims, strict=True)):
        if isinstance(dim, int):
            if length != dim:
                raise TypeError(f"axis {axis} of {name} must have length {dim}, not {length}")
            continue
        symbol, offset, factor = dim if len(dim) == 3 else (*dim, 1)
        expected = sizes.setdefault(symbol, (length - offset) // factor) * factor + offset
        if length != expected:
            said = f"{factor}*{symbol}" if factor > 1 else symbol
            said += f"{offset:+d}" if offset else ""
            raise TypeError(
                f"axis {axis} of {name} must have length {expected} ({said}), not {length}"
            )
        if length < 2 and not offset:
            raise TypeError(
                f"axis {axis} of {name} has length {length}, for which this was not generated"
            )
