"""What is asked for during a ``with`` statement: checked programs, watched arrays.

A mode belongs to the thread or task that entered it. Programs that nobody looks at are not slowed
down: while some mode is on, no dispatcher has an entry to try first (``runtime.dispatch``), so that
calls come to where modes are asked about.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar, Token


class Mode:
    """One mode; ``entered`` counts the statements that it is on in, in all threads."""

    def __init__(self, name: str) -> None:
        self.entered = 0
        self.begun: list[Callable[[], None]] = []  # what is done when it is entered
        self._on: ContextVar[bool] = ContextVar(name, default=False)
        self._lock = threading.Lock()

    def is_on(self) -> bool:
        """Return whether it is on here."""
        return self.entered > 0 and self._on.get()

    def enter(self) -> Token[bool]:
        with self._lock:
            self.entered += 1
        for begin in self.begun:
            begin()
        return self._on.set(True)

    def leave(self, token: Token[bool]) -> None:
        self._on.reset(token)
        with self._lock:
            self.entered -= 1


ANOMALIES = Mode("symdiff_detect_anomaly")
CHANGES = Mode("symdiff_detect_changes")
