"""Errors of the user's function, raised by generated code, with the user's line in their traceback.

An exception enters that a generated function raised; it leaves with an entry more in its traceback,
after that of the generated function: the line of the user's file that the generated line computes.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from symdiff.errors import InternalError


class Place(Protocol):
    """What is asked of a ``source.SourceSpan``."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...


def explainer(
    function: Callable[..., Any], lines: Mapping[int, Place], name: str
) -> Callable[[BaseException], None]:
    """What shows the user's line in errors of a generated function.

    ``lines`` maps lines of the generated text to places in the user's source; ``name`` is the
    user's function.
    """
    file = function.__code__.co_filename

    def explain(error: BaseException) -> None:
        entries = _entries(error.__traceback__)
        own = [k for k, entry in enumerate(entries) if entry.tb_frame.f_code.co_filename == file]
        place = lines.get(entries[own[-1]].tb_lineno) if own else None
        if place is None:
            return
        shown = _entry_at(place, name)
        following: types.TracebackType | None = None
        for entry in reversed([*entries[: own[-1] + 1], shown, *entries[own[-1] + 1 :]]):
            following = types.TracebackType(
                following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno
            )
        error.__traceback__ = following

    return explain


def _entries(traceback: types.TracebackType | None) -> list[types.TracebackType]:
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    return entries


def _entry_at(place: Place, name: str) -> types.TracebackType:
    """A traceback entry of a frame that stands at a line of the user's file."""
    code = compile("\n" * (place.line - 1) + "raise LookupError", place.file, "exec")
    try:
        exec(code.replace(co_name=name), {"__name__": name})
    except LookupError as error:
        inner = error.__traceback__
        if inner is not None and inner.tb_next is not None:
            return inner.tb_next
    raise InternalError("a line that always raises did not")
