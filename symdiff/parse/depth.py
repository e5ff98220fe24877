"""Room for recursion while a function is followed: an inlined call takes some twenty of Python's.

Python's limit is one for all threads: it is raised for as long as any of them follows a function.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

FRAMES = 10_000

_lock = threading.Lock()
_limits: list[int] = []  # what the limit was, once for each that follows a function now


@contextlib.contextmanager
def room() -> Iterator[None]:
    """Let Python calls nest as deeply as following a function may need."""
    with _lock:
        _limits.append(_limits[0] if _limits else sys.getrecursionlimit())
        sys.setrecursionlimit(max(FRAMES, sys.getrecursionlimit()))
    try:
        yield
    finally:
        with _lock:
            before = _limits.pop()
            if not _limits:
                sys.setrecursionlimit(before)
