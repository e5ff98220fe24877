"""Arrays that a forward sweep saved, remembered as they were: changes are found by comparing.

What is remembered, and for which line, is found at compile time (``Origin``); it is done only while
``modes.CHANGES`` is on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import ArrayChangedError
from symdiff.ir.signature import Path
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import spelled
from symdiff.source import SourceSpan


@dataclass(frozen=True, slots=True)
class Origin:
    """Of one saved value: its name, the line of the user's that it is saved for, and the path of
    the argument or variable that it was read from, if any."""

    name: str
    span: SourceSpan | None
    path: Path | None


@dataclass(frozen=True, slots=True)
class Watched:
    """An array that was saved, or whose copy was, and what it held then."""

    origin: Origin
    array: np.ndarray
    before: np.ndarray

    def require_unchanged(self) -> None:
        """
        :raises ArrayChangedError: where it holds something else now.
        """
        if _same(self.array, self.before):
            return
        if self.origin.path is None:
            raise ArrayChangedError(
                f"what was saved of {self.origin.name!r} for this line was changed after the"
                " forward sweep",
                self.origin.span,
                "leave what forward() saved alone, or call forward again",
            )
        name = spelled(self.origin.path)
        raise ArrayChangedError(
            f"{name!r} was changed after the forward sweep, which saved it for this line",
            self.origin.span,
            f"the gradient is that at the values it had: call forward again after a change, or"
            f" change a copy, {name}.copy()",
        )


def _same(array: np.ndarray, before: np.ndarray) -> bool:
    if array.shape != before.shape:
        return False
    return bool(np.all((array == before) | ((array != array) & (before != before))))


def watched(
    origins: Sequence[Origin], saved: Sequence[Any], paths: Sequence[Path], arguments: Sequence[Any]
) -> tuple[Watched, ...]:
    """What a forward sweep saved, and the arrays that it was read from."""
    names = [path[0] for path in paths]
    found: list[Watched] = []
    for origin, value in zip(origins, saved, strict=True):
        _watch(replace(origin, path=None), value, found)
        if origin.path is not None:
            _watch(origin, follow(origin.path, names, arguments), found)
    return tuple(found)


def _watch(origin: Origin, value: Any, found: list[Watched]) -> None:
    if isinstance(value, np.ndarray):
        found.append(Watched(origin, value, value.copy()))
    elif isinstance(value, list):
        for item in value:
            _watch(origin, item, found)
