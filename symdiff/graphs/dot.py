"""A picture in Graphviz's language.

A ``Picture`` enters, text leaves. What comes from the user's program stands in quoted strings and
in labels with markup only, escaped, so that no name or string constant ends one.
"""

from __future__ import annotations

import html

from symdiff.graphs.picture import MOST_SHOWN, Arrow, Box, Frame, Picture, box_count, written

_LOOKS = {
    "leaf": 'fillcolor="#dbeafe" color="#2563eb"',
    "input": 'fillcolor="#f3f4f6" color="#9ca3af"',
    "step": 'fillcolor="#ffffff" color="#374151"',
    "plain": 'fillcolor="#ffffff" color="#9ca3af" fontcolor="#4b5563"',
    "handed": 'fillcolor="#ffffff" color="#374151" style="filled,rounded,dashed"',
    "root": 'fillcolor="#dcfce7" color="#15803d" penwidth="2"',
    "effect": 'fillcolor="#ede9fe" color="#7c3aed" style="filled"',
}
_MARKS = {
    "good": 'color="#15803d" penwidth="3"',
    "warning": 'fillcolor="#fef3c7" color="#d97706" penwidth="3"',
    "bad": 'fillcolor="#fee2e2" color="#dc2626" penwidth="3"',
}
_ARROWS = {
    "data": "",
    "turn": ' [style="dashed" dir="back" label=" next turn"]',
    "control": ' [style="dotted" arrowhead="empty"]',
}
_TABLE = '<table border="0" cellborder="0" cellspacing="0" cellpadding="1">'
_FRAME = 'style="rounded" color="#9ca3af" bgcolor="#00000008" fontcolor="#6b7280" labeljust="l"'
_DEFAULTS = (
    'graph [rankdir="TB" bgcolor="transparent" fontname="Helvetica" fontsize="11"'
    ' nodesep="0.3" ranksep="0.35"]',
    'node [shape="box" style="filled,rounded" fontname="Helvetica" fontsize="11"'
    ' height="0.3" margin="0.1,0.04"]',
    'edge [color="#6b7280" fontname="Helvetica" fontsize="9" fontcolor="#6b7280" arrowsize="0.7"]',
)
# Graphviz's rounds of improving a layout, by how many boxes, and half as many arrows, there are;
# of many boxes, most of its time would go into the curves of arrows.
_BOUNDED = {
    80: 'graph [nslimit="1" nslimit1="1" mclimit="0.2"]',
    MOST_SHOWN: 'graph [nslimit="0.2" nslimit1="0.2" mclimit="0.1" splines="line"]',
}


def dot_of(picture: Picture) -> str:
    """The text that Graphviz's ``dot`` reads."""
    name = picture.whole.title if picture.whole.title.isidentifier() else "graph"
    lines = [f'digraph "{name}" {{', *(f"  {line}" for line in _DEFAULTS)]
    size = max(box_count(picture), len(picture.arrows) // 2)
    lines += [f"  {bound}" for least, bound in _BOUNDED.items() if size > least][-1:]
    lines += written(picture.whole, _opened, "}", _boxes)
    lines += [_arrow(arrow) for arrow in picture.arrows]
    return "\n".join([*lines, "}", ""])


def _opened(frame: Frame) -> list[str]:
    head = f"  label=<{escaped(frame.title)}> {_FRAME}"
    return [f"subgraph cluster_{frame.id} {{", head]


def _boxes(boxes: list[Box]) -> list[str]:
    return list(map(_box, boxes))


def _box(box: Box) -> str:
    parts = [f"<b>{escaped(box.title)}</b>"] if box.title else []
    parts += [escaped(line) for line in box.lines]
    parts += [f"<i>{escaped(note)}</i>" for note in box.notes]
    rows = "".join(f"<tr><td>{part}</td></tr>" for part in parts or [" "])
    look = f"{_LOOKS[box.look]} {_MARKS.get(box.mark or '', '')}".rstrip()
    return f"{box.id} [label=<{_TABLE}{rows}</table>> tooltip={tip(box.tip)} {look}]"


def _arrow(arrow: Arrow) -> str:
    source, target = arrow.source, arrow.target
    if arrow.kind == "turn":  # drawn downwards, so that it stays beside the boxes between
        source, target = target, source
    return f"  {source} -> {target}{_ARROWS[arrow.kind]}"


def tip(text: str) -> str:
    """A quoted text for a pointer that rests on a box.

    Graphviz replaces ``\\N`` by the node's name there, and looks for it twice.
    """
    inner = html.escape(printable(text, keep="\n"), quote=True).replace("\\", "\\" * 4)
    return '"' + inner.replace("\n", "\\n") + '"'


def escaped(text: str) -> str:
    """Text inside a label with markup, where Graphviz replaces ``\\N`` by the node's name."""
    return html.escape(printable(text), quote=True).replace("\\", "\\\\") or " "


def printable(text: str, keep: str = "") -> str:
    """Text without what is not shown: control characters, and those that turn its direction."""
    shown = (c if c in keep or c == " " or c.isprintable() else "\ufffd" for c in text)
    return "".join(shown)
