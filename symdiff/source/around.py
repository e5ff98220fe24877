"""The part of a text that one line stands in: its top-level statement, told by the margin alone.

A text and the number of a line enter; the same text leaves, blank but for that statement and for
imports, which tell Python how their modules are called. Long files are so read in parts. What is
cut wrongly, as inside a string over many lines, does not give the code that is looked for.

>>> text = '''import numpy as np
... def f(x):
...     return x
...
... @np.vectorize
... def g(x):
...     return -x
... '''
>>> text_around(text, 7)
'import numpy as np\\n\\n\\n\\n@np.vectorize\\ndef g(x):\\n    return -x\\n'
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right

_REMEMBERED_FILES = 256
_REMEMBERED_LINES = 8192
# A statement, a decorator; what goes on with a statement above is none.
_START = re.compile(r"(?!(?:else|elif|except|finally|case)\b)[@\w]")
_IMPORT = re.compile(r"(?:import|from)\b")


@functools.lru_cache(_REMEMBERED_FILES)
def lines_of(text: str) -> tuple[str, ...]:
    """All lines, without their ends."""
    return tuple(text.split("\n"))


@functools.lru_cache(_REMEMBERED_LINES)
def text_around(text: str, line: int) -> str:
    """The text with all lines blank but those of imports and of what stands around a line."""
    lines, starts = lines_of(text), _starts(text)
    place = bisect_right(starts, line - 1)
    if not place or line > len(lines):
        return text
    ends = (*starts[1:], len(lines))
    kept = {*_imports(text), place - 1}
    found: list[str] = []
    for k in sorted(kept):
        found += [""] * (starts[k] - len(found))
        found += lines[starts[k] : ends[k]]
    return "\n".join(found)


@functools.lru_cache(_REMEMBERED_FILES)
def _starts(text: str) -> tuple[int, ...]:
    """The numbers, from 0, of the lines in which statements at the margin begin."""
    starts: list[int] = []
    decorated = False
    for number, line in enumerate(lines_of(text)):
        if _START.match(line):
            if not decorated:
                starts.append(number)
            decorated = line[0] == "@"
    return tuple(starts)


@functools.lru_cache(_REMEMBERED_FILES)
def _imports(text: str) -> tuple[int, ...]:
    """Which of the statements at the margin are imports."""
    lines = lines_of(text)
    return tuple(k for k, start in enumerate(_starts(text)) if _IMPORT.match(lines[start]))
