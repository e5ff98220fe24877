"""Python source in colour: for terminals and for HTML, by Pygments where it is installed.

A text enters; the same text with escape codes, or lines of HTML in which nothing of it has a
meaning, leave. Without Pygments both are plain.
"""

from __future__ import annotations

import os
from typing import Any, TextIO

LIGHT, DARK = "default", "github-dark"


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colour, or is told to be one.

    ``NO_COLOR`` and ``FORCE_COLOR`` in the environment decide where they are set (no-color.org,
    force-color.org).

    >>> import io
    >>> wants_colour(io.StringIO())
    False
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def in_terminal(text: str) -> str:
    """The text with a terminal's escape codes."""
    pygments = _pygments()
    if pygments is None:
        return text
    from pygments.formatters import TerminalFormatter

    coloured: str = pygments.highlight(text, _lexer(), TerminalFormatter())
    return coloured if text.endswith("\n") else coloured.removesuffix("\n")


def in_html(lines: list[str]) -> list[str]:
    """Each line as HTML: what it contains is text, with spans of colour around it."""
    import html

    pygments = _pygments()
    plain = [html.escape(line) for line in lines]
    if pygments is None:
        return plain
    from pygments.formatters import HtmlFormatter

    text = "".join(f"{line}\n" for line in lines)
    coloured = pygments.highlight(text, _lexer(), HtmlFormatter(nowrap=True)).split("\n")[:-1]
    return coloured if len(coloured) == len(lines) else plain


def styles(scope: str) -> str:
    """The style sheet of the colours, of what lies inside ``scope``: light and dark."""
    pygments = _pygments()
    if pygments is None:
        return ""
    light = _rules(LIGHT, [scope])
    dark = _rules(DARK, [f"body[data-jp-theme-light=false] {scope}", f"body.vscode-dark {scope}"])
    return f"{light}\n{dark}"


def _rules(style: str, scopes: list[str]) -> str:
    """The rules of a Pygments style for tokens alone: no background, no line numbers."""
    from pygments.formatters import HtmlFormatter

    definitions = HtmlFormatter(style=style).get_token_style_defs(scopes)
    return "\n".join(line.partition("/*")[0].rstrip() for line in definitions)


def _pygments() -> Any:
    try:
        import pygments
    except ImportError:
        return None
    return pygments


def _lexer() -> Any:
    from pygments.lexers import PythonLexer

    return PythonLexer(stripnl=False)
