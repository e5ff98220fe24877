"""Errors of the user's function, raised by generated code, with the user's line in their traceback.

An exception enters that a generated function raised; it leaves with an entry more in its traceback,
after that of the generated function: the line of the user's file that the generated line computes.
Before Python 3.13 the interpreter itself prints no line of a file that exists in memory alone:
there a note at the error says the generated line.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from symdiff.errors import (
    InternalError,
    SymdiffError,
    UnsupportedCallError,
    found_at,
    is_of_a_path,
)
from symdiff.ops.support import (
    can_be_written,
    holds_no,
    is_real,
    none_returned,
    real_as,
    real_or_refused,
    unless_changed,
)
from symdiff.source import SourceSpan
from symdiff.source.trees import module_of


class Place(Protocol):
    """What is asked of a ``source.SourceSpan``."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_column(self) -> int: ...
    @property
    def text(self) -> str: ...


def explainer(
    function: Callable[..., Any], lines: Mapping[int, Place], name: str
) -> Callable[[BaseException], None]:
    """What shows the user's line in errors of a generated function.

    What symdiff does not take is raised anew, as a refusal.
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
        if is_refusal(error):
            message, _, hint = str(error).partition(": ")
            raise UnsupportedCallError(message, cast("SourceSpan", place), hint) from None
        if is_of_a_path(error):
            found_at(cast("SymdiffError", error), cast("SourceSpan", place))
        _note_line(error, entries[own[-1]])
        shown = _entry_at(place, name)
        following: types.TracebackType | None = None
        for entry in reversed([*entries[: own[-1] + 1], shown, *entries[own[-1] + 1 :]]):
            following = types.TracebackType(
                following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno
            )
        error.__traceback__ = following

    return explain


def is_refusal(error: BaseException) -> bool:
    """Return whether an emitted program says of a value that symdiff does not take it."""
    entries = _entries(error.__traceback__)
    return bool(entries) and entries[-1].tb_frame.f_code in _REFUSING


_REFUSING = tuple(
    function.__code__
    for function in (
        *(can_be_written, holds_no, is_real, none_returned, real_as, real_or_refused),
        unless_changed,
    )
)


def _entries(traceback: types.TracebackType | None) -> list[types.TracebackType]:
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    return entries


def _note_line(error: BaseException, entry: types.TracebackType) -> None:
    """Say the generated line where the interpreter would not show it."""
    if sys.version_info >= (3, 13):
        return
    code = entry.tb_frame.f_code
    line = linecache.getline(code.co_filename, entry.tb_lineno).strip()
    if line and not os.path.exists(code.co_filename):
        error.add_note(f"line {entry.tb_lineno} of the generated {code.co_name}: {line}")


def _entry_at(place: Place, name: str) -> types.TracebackType:
    """A traceback entry of a frame that stands at a place of the user's file."""
    code = compile(_raising_at(place), place.file, "exec")
    try:
        exec(code.replace(co_name=name), {"__name__": name})
    except LookupError as error:
        inner = error.__traceback__
        if inner is not None and inner.tb_next is not None:
            return inner.tb_next
    raise InternalError("a line that always raises did not")


def _raising_at(place: Place) -> ast.Module:
    """A statement that raises, at a place: printed tracebacks underline that."""
    tree = module_of("raise LookupError")
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno, node.end_lineno = place.line, place.end_line
            node.col_offset = _bytes_before(place.text, place.column)
            node.end_col_offset = _bytes_before(place.text, place.end_column)
            if place.end_line > place.line:  # the text of the other lines is not at hand
                node.end_lineno, node.end_col_offset = place.line, _bytes_before(place.text, None)
    return tree


def _bytes_before(text: str, column: int | None) -> int:
    """The offset of a column, as syntax trees count; of the end where there is none."""
    before = text.rstrip() if column is None else text[: column - 1]
    return len(before.encode("utf-8", "surrogatepass"))
