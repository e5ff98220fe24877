"""``with np.errstate(...)`` and its like restored where the managers are entered and left.

    <enter np.errstate(over="ignore")>        with np.errstate(over="ignore"):
    y = np.exp(x)               ─▶                y = np.exp(x)
    <leave>

Works on the lines of a function. Between the two stand the lines of one block, so that what is
raised there leaves the settings as they were, and nothing is computed in another one's place.
"""

from __future__ import annotations

import ast

from symdiff.emit.text import Line


class Leave(ast.Pass):
    """Stands where a region ends, until it is restored."""


class Release(Leave):
    """Stands where a region ends in which others wait, even if nothing stands in it."""


def restore_regions(lines: list[Line]) -> None:
    """Put what stands in a region into it, in place; what is empty goes, if nobody sees that."""
    for line in lines:
        had_body = bool(line.body)
        restore_regions(line.body)
        restore_regions(line.orelse)
        if had_body and not line.body:
            line.body.append(Line(ast.Pass()))
    lines[:] = _nested(lines)


def _nested(lines: list[Line]) -> list[Line]:
    open_: list[Line] = []
    levels: list[list[Line]] = [[]]
    for line in lines:
        if isinstance(line.tree, ast.With) and not line.body:
            open_.append(line)
            levels.append([])
        elif isinstance(line.tree, Leave):
            body, region = levels.pop(), open_.pop()
            if not body and isinstance(line.tree, Release):
                body = [Line(ast.Pass())]
            region.body = body
            levels[-1] += [region] if body else []
        else:
            levels[-1].append(line)
    (whole,) = levels
    return whole
