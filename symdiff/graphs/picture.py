"""What is drawn of a computation graph: boxes, the frames around them, arrows. Plain data.

``painting`` makes a ``Picture`` of a graph; ``dot`` and ``mermaid`` write it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from symdiff.graphs.places import Kind

Collapse: TypeAlias = Literal["auto", "never", "line"]
Mark: TypeAlias = Literal["good", "warning", "bad"]
Notes: TypeAlias = Mapping[str, tuple[Sequence[str], "Mark | None"]]
Look = Literal["leaf", "input", "step", "plain", "handed", "root", "effect"]

MOST_SHOWN = 250  # boxes that are laid out unasked


@dataclass(slots=True)
class Box:
    """A node, or all that a statement computes.

    ``title`` is in bold; ``lines`` follow, then ``notes``; ``tip`` is shown by a pointer that rests
    on the box.
    """

    id: str
    title: str
    lines: list[str]
    look: Look
    tip: str
    notes: list[str] = field(default_factory=list)
    mark: Mark | None = None


@dataclass(slots=True)
class Frame:
    """A block of a loop or a branch, with what is in it."""

    id: str
    title: str
    boxes: list[Box] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Arrow:
    """From a value to what is computed from it: in the next turn, or by deciding over it."""

    source: str
    target: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is drawn; ``whole`` is the frame around everything."""

    whole: Frame
    arrows: tuple[Arrow, ...]


def is_easily_read(picture: Picture) -> bool:
    """Return whether a picture is of a size that is still laid out fast and looked at."""
    return box_count(picture) <= MOST_SHOWN


def box_count(picture: Picture) -> int:
    """How many boxes there are."""
    count, frames = 0, [picture.whole]
    while frames:
        frame = frames.pop()
        count += len(frame.boxes)
        frames += frame.frames
    return count


def written(
    whole: Frame,
    opened: Callable[[Frame], list[str]],
    closed: str,
    content: Callable[[list[Box]], list[str]],
) -> Iterator[str]:
    """The lines of a picture's text, indented: those of the boxes of a frame, and of the frames in
    it, each between what opens and what closes it.
    """
    stack: list[tuple[int, Frame | str]] = [(1, whole)]
    while stack:
        depth, item = stack.pop()
        if isinstance(item, str):
            yield "  " * depth + item
            continue
        if item is not whole:
            yield from ("  " * depth + line for line in opened(item))
            stack.append((depth, closed))
        inside = depth + (item is not whole)
        stack += [(inside, inner) for inner in reversed(item.frames)]
        stack += [(inside, line) for line in reversed(content(item.boxes))]
