"""Calling the user's function with canonical arguments, and following paths into arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Path
from symdiff.runtime.parameters import Parameters


def call_with(
    function: Callable[..., Any], parameters: Parameters, arguments: tuple[Any, ...]
) -> Any:
    """``function`` called with arguments in canonical form."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    pairs = zip(parameters.signature.parameters.values(), arguments, strict=True)
    for parameter, value in pairs:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            args.extend(value)
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            kwargs.update(value)
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        else:
            args.append(value)
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
