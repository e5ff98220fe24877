"""The text that a code object was compiled from.

A code object and the globals of its module enter; the text of its whole file leaves, with line
ends ``\\n``, or None where no text is known. Text comes from ``linecache``, which is where
notebooks, doctests, debuggers and zipped modules register theirs.

>>> import textwrap
>>> text = read_text(textwrap.dedent.__code__, vars(textwrap))
>>> "def dedent(text):" in text
True
>>> read_text(compile("1", "<string>", "eval"), {}) is None
True
"""

from __future__ import annotations

import linecache
import types
from collections.abc import Callable
from typing import Any

_CONTAINERS = "<frozen _collections_abc>"
_BYTE_ORDER_MARK = "\ufeff"
_MOST_TEXTS = 100
_texts: dict[str, tuple[list[str], str]] = {}  # by file, beside the lines that they were made of


def read_text(code: types.CodeType, module_globals: dict[str, Any]) -> str | None:
    """The present text of the file of ``code``, or None."""
    lines = _lines_by_code(code) or _lines_by_name(file_of(code, module_globals), module_globals)
    if not lines:
        return None
    known, text = _texts.get(code.co_filename, (None, ""))
    if known is not lines:
        text = _joined(lines)
        if len(_texts) >= _MOST_TEXTS:
            _texts.clear()
        _texts[code.co_filename] = lines, text
    return text


def _joined(lines: list[str]) -> str:
    text = "".join(lines).removeprefix(_BYTE_ORDER_MARK)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def file_of(code: types.CodeType, module_globals: dict[str, Any]) -> str:
    """The file of ``code``; of the abstract containers, which are frozen into Python, their own."""
    name = code.co_filename
    return module_globals.get("__file__") or name if name == _CONTAINERS else name


def _lines_by_name(filename: str, module_globals: dict[str, Any]) -> list[str]:
    # Both are looked up at each call: doctest and IPython replace them while they run.
    linecache.checkcache(filename)
    return linecache.getlines(filename, module_globals)


def _lines_by_code(code: types.CodeType) -> list[str]:
    """Text typed at a prompt or given with ``-c``, which Python 3.13 keeps by code object."""
    lookup: Callable[[types.CodeType], list[str] | None] | None
    lookup = getattr(linecache, "_getlines_from_code", None)
    if lookup is None or not code.co_filename.startswith("<"):
        return []
    return lookup(code) or []
