"""Functions of the front end's that definitions call: their calls are staged as it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def staged(function: Function) -> Function:
    """Have a function's calls staged by the front end's method of the same name."""
    name = function.__name__

    def by_stager(stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        return getattr(stager, name)(*arguments, **keywords)

    function.__symdiff_staged__ = by_stager  # type: ignore[attr-defined]
    return function


def _staged(name: str) -> Any:
    """A function of the front end's that only definitions call."""

    def called(*arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError(name)  # definitions are followed, never run

    called.__name__ = name
    return staged(called)


followed = _staged("followed")
solver = _staged("solver")
solution = _staged("solution")
slope = _staged("slope")
valued = _staged("valued")
strong_multiply = _staged("strong_multiply")
without_derivative = _staged("without_derivative")
