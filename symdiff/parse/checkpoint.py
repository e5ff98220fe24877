"""A point of the staging to roll back to when an attempt to go on from it fails.

>>> with Checkpoint(interp, FirstTurnDiffers) as attempt:  # doctest: +SKIP
...     return stage_loop(interp)
>>> attempt.failure  # doctest: +SKIP
FirstTurnDiffers(...)
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from symdiff.ir.build import builder
from symdiff.parse.heap import Heap, differing
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import born, now


class Checkpoint:
    """The nodes built, the heap, and the calls and branches entered at a point.

    As a context it catches the exceptions of the classes ``catches`` for which ``when`` holds,
    rolls back, and goes on behind its block with ``failure``. ``heap``: the heap to go back to,
    where the attempt works on a copy of it, and no more than writes back what it holds.
    """

    def __init__(
        self,
        interp: Interpreter,
        *catches: type[Exception],
        when: Callable[[Any], bool] = lambda failure: True,
        heap: Heap | None = None,
    ) -> None:
        self.interp = interp
        self.catches = catches
        self.when = when
        self.failure: Any = None
        self.nodes = builder().nodes
        self.length = len(self.nodes)
        self.heap = interp.heap.copy() if heap is None else heap
        self.written_back = self.heap.written_back
        self.frames = len(interp.frames)
        self.predicates = len(interp.predicates)
        self.since = now()

    def roll_back(self) -> None:
        """Give up what was staged since."""
        del self.nodes[self.length :]
        del self.interp.frames[self.frames :]
        del self.interp.predicates[self.predicates :]
        self.interp.heap = self.heap
        self.heap.written_back = self.written_back

    def has_written(self) -> bool:
        """Return whether something was written since that is not new: to what has been read for
        the first time, too.
        """
        interp, before = self.interp, self.heap.contents
        kept = {*interp.rebound, *interp.attributes, *interp.changed, *interp.heap.written}
        return any(
            key in kept or (key in before and born(key) < self.since)
            for key in differing(before, interp.heap.contents)
        )

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, self.catches) or not self.when(error):
            return False
        self.failure = error
        self.roll_back()
        return True
