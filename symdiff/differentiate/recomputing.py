"""The switch by which reverse blocks compute elementwise values again, rather than save them.

A tape cuts an expression in two, and a form that stands for the whole of it is found in neither:
of ``log(1 + exp(u))`` in a loop it is cheapest to save ``exp(u)``, but only by ``u`` the derivative
can be written such that it does not overflow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

DEARER = 10**6  # what saving an elementwise value costs more than it does then
_on: ContextVar[bool] = ContextVar("symdiff_recomputing", default=False)


@contextlib.contextmanager
def recomputing(on: bool = True) -> Iterator[None]:
    """Compute elementwise values of loops and branches again meanwhile, where that can be."""
    token = _on.set(on)
    try:
        yield
    finally:
        _on.reset(token)


def is_on() -> bool:
    return _on.get()
