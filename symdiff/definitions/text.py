"""What Python has in C to read, write and change text: followed here as it could be written."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from symdiff.definitions.declare import refuse
from symdiff.definitions.in_python import replaces


@replaces(io.StringIO)
class StringIO:
    """``io.StringIO``: ``_at`` is where the next text is read or written; None is the end.

    What is closed has no text.
    """

    __symdiff_class__ = io.StringIO

    def __init__(self, initial_value: str = "", newline: str = "\n") -> None:
        if newline != "\n":
            refuse("a StringIO with newline=")
        self._text = initial_value
        self._at = 0 if initial_value else None
        self.closed = False

    def write(self, text: str, /) -> int:
        """Add text at the end, or put it over what stands there; return its length."""
        self._require_open()
        if self._at is None:
            self._text += text
        else:
            after = self._at + len(text)
            self._text = self._text[: self._at] + text + self._text[after:]
            self.seek(after)
        return len(text)

    def writelines(self, lines: Any, /) -> None:
        """Write texts one after the other."""
        self._require_open()
        for line in lines:
            self.write(line)

    def read(self, size: Any = -1, /) -> str:
        """Return the text from here on, or so many characters of it."""
        return self._taken(None if size is None or size < 0 else size)

    def readline(self, size: Any = -1, /) -> str:
        """Return what is left of a line, or so many characters of it."""
        start = self.tell()
        end = self._text.find("\n", start)
        count = None if end < 0 else end + 1 - start
        shorter = size is not None and size >= 0 and (count is None or size < count)
        return self._taken(size if shorter else count)

    def readlines(self, hint: Any = -1, /) -> list[str]:
        """Return the lines that are left."""
        self._require_open()
        if hint is not None and hint > 0:
            refuse("readlines of a StringIO with a hint")
        return list(self)

    def __iter__(self) -> Iterator[str]:
        text, start = self._text, self.tell()
        *lines, last = text[start:].split("\n")
        for line in [line + "\n" for line in lines] + ([last] if last else []):
            start += len(line)
            self.seek(start)
            yield line
            if self._text is not text or self.tell() != start:
                refuse("what reads, writes or seeks in a StringIO while a loop goes over it")

    def __next__(self) -> str:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def seek(self, position: Any, whence: Any = 0, /) -> Any:
        """Go to a place, counted from the beginning."""
        self._require_open()
        if whence != 0:
            refuse("seek of a StringIO with whence=")
        if position > len(self._text):
            refuse("seek of a StringIO behind its end")
        self._at = position if position < len(self._text) else None
        return position

    def tell(self) -> Any:
        """Return where the next text is read or written."""
        self._require_open()
        return len(self._text) if self._at is None else self._at

    def _taken(self, count: Any) -> str:
        """Return so many characters, or all, and go on behind them."""
        self._require_open()
        if self._at is None:
            return ""
        text = self._text[self._at :] if count is None else self._text[self._at :][:count]
        self.seek(self._at + len(text))
        return text

    def getvalue(self) -> str:
        """Return all of it."""
        self._require_open()
        return self._text

    def flush(self) -> None:
        """Do nothing: the text is there at once."""
        self._require_open()

    def close(self) -> None:
        """Let it have no text from here on."""
        self.closed = True

    def _require_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def __enter__(self) -> StringIO:
        self._require_open()
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()


def print_to(file: Any, *values: Any, sep: Any = None, end: Any = None, flush: Any = False) -> None:
    """``print(..., file=file)``, where the file is written in Python."""
    end = "\n" if end is None else end
    between = " " if sep is None else sep
    if isinstance(file, io.StringIO):
        file.writelines([between.join([str(value) for value in values]) + end])
        return
    for k, value in enumerate(values):
        if k > 0:
            file.write(between)
        file.write(str(value))
    file.write(end)
    if flush:
        file.flush()


@replaces(re.Pattern.sub)
def substituted(pattern: Any, repl: Any, string: Any, count: Any = 0) -> Any:
    """A text in which ``repl``, a text or a function, says what stands in place of matches."""
    return substituted_and_counted(pattern, repl, string, count)[0]


@replaces(re.Pattern.subn)
def substituted_and_counted(pattern: Any, repl: Any, string: Any, count: Any = 0) -> Any:
    """The text, and how many matches there were."""
    if isinstance(string, np.ndarray | np.generic) and isinstance(pattern.pattern, bytes):
        refuse("a pattern that is looked for in the memory of an array")
    if not isinstance(string, str | bytes):
        raise TypeError(f"expected string or bytes-like object, got {type(string).__name__!r}")
    if count < 0:
        return string, 0
    made: list[Any] = []
    end, number = 0, 0
    text: Any = string
    for found in pattern.finditer(text):
        made += [text[end : found.start()], repl(found) if callable(repl) else found.expand(repl)]
        end, number = found.end(), number + 1
        if number == count:
            break
    return text[:0].join([*made, text[end:]]), number
