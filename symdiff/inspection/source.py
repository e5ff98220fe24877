"""Generated source: a ``str`` that shows itself in colour.

``print`` writes the text as it is, into files too; ``show`` colours it in a terminal, and so do
IPython and rich where they display it. A notebook shows it beside the user's own lines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

from symdiff.emit import Emitted
from symdiff.inspection.colours import in_terminal, wants_colour
from symdiff.source import SourceSpan


class Source(str):
    """The text of generated functions.

    ``lines`` maps its line numbers, from 1, to the user's source that they compute or
    differentiate; ``function`` is the user's.

    >>> text = Source("y = 2.0 * x\\n")
    >>> text.show()
    y = 2.0 * x
    """

    lines: Mapping[int, SourceSpan]
    function: Callable[..., Any] | None

    def __new__(
        cls,
        text: str,
        lines: Mapping[int, SourceSpan] | None = None,
        function: Callable[..., Any] | None = None,
    ) -> Source:
        made = super().__new__(cls, text)
        made.lines = lines or {}
        made.function = function
        return made

    def __reduce__(self) -> Any:
        return str, (str(self),)  # the text is what is kept

    @classmethod
    def of(cls, emitted: Iterable[Emitted], function: Callable[..., Any] | None) -> Source:
        """The texts of generated functions as one."""
        parts = tuple(emitted)
        text = "\n\n".join(part.text for part in parts)  # two lines apart
        return cls(text, joined_lines(parts), function)

    def show(self, file: TextIO | None = None) -> None:
        """Print the text, in colour where ``file`` (the standard output) is a terminal.

        ``NO_COLOR`` in the environment switches colours off, ``FORCE_COLOR`` on.
        """
        stream = sys.stdout if file is None else file
        text = in_terminal(str(self)) if wants_colour(stream) else str(self)
        print(text, end="" if text.endswith("\n") else "\n", file=stream)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows in a terminal; where it is a notebook's plain text, plain."""
        coloured = sys.stdout.isatty() and wants_colour(sys.stdout)
        text = in_terminal(str(self)) if coloured else str(self)
        for number, line in enumerate(text.rstrip("\n").split("\n")):
            if number:
                printer.break_()
            printer.text(line)

    def __rich__(self) -> Any:
        """What rich shows."""
        from rich.syntax import Syntax

        text = Syntax("", "python", background_color="default").highlight(str(self))
        text.rstrip()
        return text

    def _repr_html_(self) -> str:
        """What a notebook shows: the user's function and this, side by side."""
        from symdiff.inspection.page import side_by_side

        return side_by_side(str(self), self.lines, self.function)


def joined_lines(emitted: Iterable[Emitted]) -> dict[int, SourceSpan]:
    """What ``Emitted.lines`` says, for the lines of the joined text."""
    found: dict[int, SourceSpan] = {}
    start = 0
    for one in emitted:
        found |= {start + number: span for number, span in one.lines.items()}
        start += one.text.count("\n") + 2
    return found
