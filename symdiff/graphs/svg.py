"""Pictures laid out: Graphviz's text enters, SVG leaves. Graphviz comes with ``pygraphviz``."""

from __future__ import annotations

import re
from typing import Any

_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)


def svg_of(dot: str) -> str:
    """An ``<svg>`` element, to be written to a file or to stand inside HTML.

    :raises ModuleNotFoundError: where ``pygraphviz`` is not installed.
    """
    drawn: bytes = _pygraphviz().AGraph(string=dot).draw(format="svg", prog="dot")
    return _PROLOGUE.sub("", drawn.decode("utf-8"))


def is_installed() -> bool:
    """Return whether pictures can be laid out here."""
    try:
        _pygraphviz()
    except ImportError:
        return False
    return True


def _pygraphviz() -> Any:
    try:
        import pygraphviz
    except ImportError as error:
        raise ModuleNotFoundError(
            "to lay out a graph, symdiff needs pygraphviz, which brings Graphviz: pip install"
            " 'symdiff[draw]'; to_dot() and to_mermaid() need nothing",
            name="pygraphviz",
        ) from error
    return pygraphviz
