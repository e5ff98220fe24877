"""The collector of cyclic garbage runs seldom while a program is compiled, or the compiler loaded.

A compiler makes many objects that live until it is done. Python's collector would go over all that
the process has loaded in the midst of it, and again and again over what is being made. For
functions of a thousand lines it is as good as paused; for longer ones it bounds the memory.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

ALLOCATIONS = 2_000_000  # between two collections, some 200 MB

_lock = threading.Lock()
_before: list[tuple[int, int, int]] = []  # the thresholds to go back to, of nested compilations


@contextlib.contextmanager
def seldom_collecting() -> Iterator[None]:
    """Collect seldom; thresholds set by others meanwhile, and a collector that is off, stay.

    >>> import gc
    >>> before = gc.get_threshold()
    >>> with seldom_collecting():
    ...     gc.get_threshold()[0]
    2000000
    >>> gc.get_threshold() == before
    True
    """
    with _lock:
        _before.append(_before[0] if _before else gc.get_threshold())
        if len(_before) == 1 and gc.get_threshold()[0]:
            gc.set_threshold(*_seldom(_before[0]))
    try:
        yield
    finally:
        with _lock:
            before = _before.pop()
            if not _before and gc.get_threshold() == _seldom(before):
                gc.set_threshold(*before)


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Collect seldom while modules are imported, and do not go over them afterwards.

    They live as long as the process, so they are moved to the oldest generation as they are, and
    with them what else is young. Where the program has frozen objects of its own nothing is moved:
    they would not stay frozen.
    """
    with seldom_collecting():
        yield
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()


def _seldom(thresholds: tuple[int, int, int]) -> tuple[int, int, int]:
    young, *older = thresholds
    return max(young, ALLOCATIONS), older[0], older[1]
