"""Calling the user's function with canonical arguments, and following paths into arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Path
from symdiff.runtime.parameters import Parameters


def call_with(
    function: Callable[..., Any], parameters: Parameters, arguments: tuple[Any, ...]
) -> Any:
    """``function`` called with arguments in canonical form."""
    args, kwargs = parameters.spread_canonical(arguments)
    return function(*args, **kwargs)


def follow(path: Path, names: Sequence[str], arguments: Sequence[Any]) -> Any:
    """What stands at a path of the arguments, or from a free variable."""
    first, *rest = path
    is_free = isinstance(first, FreeVariable)
    value = first.read() if is_free else arguments[list(names).index(first)]
    for key in rest:
        by_key = isinstance(value, dict) or (
            isinstance(value, list | tuple) and isinstance(key, int)
        )
        value = value[key] if by_key else getattr(value, key)
    return value
