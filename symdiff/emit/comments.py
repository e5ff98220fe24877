"""Comments: before each group of adjoint statements, the user's line that they belong to.

>>> from symdiff.source import SourceSpan
>>> comment(SourceSpan("model.py", 12, 5, 12, 20, "    r = np.tanh(x @ w)"), "model.py")
'line 12: r = np.tanh(x @ w)'
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from symdiff.emit.text import Line
from symdiff.source import SourceSpan

_LONGEST = 72


Place = tuple[str, int]


def annotate(
    lines: Sequence[Line], file: str | None, derived: bool = False, current: Place | None = None
) -> None:
    """Put a comment where adjoint statements begin to belong to another line.

    ``file`` is the function's own. In a ``derived`` block every statement counts as adjoint: what
    is computed anew there is needed by what follows it.
    """
    current: tuple[str, int] | None = None
    for line in lines:
        adjoint = derived or line.derived
        compound = bool(line.body)
        if line.span is None:
            continue
        here = (line.span.file, line.span.line)
        if adjoint and here != current:
            line.comment = comment(line.span, file)
        said = here if adjoint else current
        annotate(line.body, file, adjoint, said)
        annotate(line.orelse, file, adjoint, said)
        current = None if compound else said


def comment(span: SourceSpan, file: str | None) -> str:
    """``line 12: r = np.tanh(x @ w)``, with the file's name where it is another."""
    text = span.text.strip()
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 3].rstrip()}..."
    where = (
        f"line {span.line}"
        if span.file == file
        else f"{os.path.basename(span.file)}, line {span.line}"
    )
    return f"{where}: {text}"
