"""A picture as a Mermaid flowchart, which GitHub and notebooks draw.

A ``Picture`` enters, text leaves. In the user's text every character that could mean something to
Mermaid, to Markdown or to HTML is written as its number.
"""

from __future__ import annotations

from symdiff.graphs.dot import printable
from symdiff.graphs.picture import Arrow, Box, Frame, Picture, written

_CLASSES = {
    "leaf": "fill:#dbeafe,stroke:#2563eb,color:#111827",
    "input": "fill:#f3f4f6,stroke:#9ca3af,color:#111827",
    "step": "fill:#ffffff,stroke:#374151,color:#111827",
    "plain": "fill:#ffffff,stroke:#9ca3af,color:#4b5563",
    "handed": "fill:#ffffff,stroke:#374151,color:#111827,stroke-dasharray:4 3",
    "root": "fill:#dcfce7,stroke:#15803d,color:#111827,stroke-width:2px",
    "effect": "fill:#ede9fe,stroke:#7c3aed,color:#111827",
    "good": "stroke:#15803d,stroke-width:3px",
    "warning": "fill:#fef3c7,stroke:#d97706,stroke-width:3px",
    "bad": "fill:#fee2e2,stroke:#dc2626,stroke-width:3px",
}
_ARROWS = {"data": "-->", "turn": "-. next turn .->", "control": "-.->"}
_PLAIN = frozenset(" .,:()[]+-=/@_'·…²")


def mermaid_of(picture: Picture) -> str:
    """The text that Mermaid reads."""
    content = written(picture.whole, _opened, "end", _boxes)
    lines = ["flowchart TD", *content, *map(_arrow, picture.arrows)]
    lines += (f"  classDef {name} {style}" for name, style in _CLASSES.items())
    return "\n".join([*lines, ""])


def _opened(frame: Frame) -> list[str]:
    return [f'subgraph {frame.id}["{encoded(frame.title)}"]']


def _boxes(boxes: list[Box]) -> list[str]:
    marks = [f"class {box.id} {box.mark}" for box in boxes if box.mark]
    return [*map(_box, boxes), *marks]


def _box(box: Box) -> str:
    parts = [f"<b>{encoded(box.title)}</b>"] if box.title else []
    parts += [encoded(line) for line in box.lines]
    parts += [f"<i>{encoded(note)}</i>" for note in box.notes]
    return f'{box.id}("{"<br/>".join(parts) or " "}"):::{box.look}'


def _arrow(arrow: Arrow) -> str:
    return f"  {arrow.source} {_ARROWS[arrow.kind]} {arrow.target}"


def encoded(text: str) -> str:
    """Text inside a quoted label."""
    shown = (c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in printable(text))
    return "".join(shown) or " "
