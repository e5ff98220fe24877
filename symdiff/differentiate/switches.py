"""Switches that say how sweeps are built, each on during a ``with`` statement."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar


class Switch:
    """Whether something is done in this thread or task; off unless a statement turns it on.

    >>> switch = Switch("example")
    >>> with switch.turned():
    ...     switch.is_on()
    True
    """

    def __init__(self, name: str) -> None:
        self._on: ContextVar[bool] = ContextVar(name, default=False)

    def is_on(self) -> bool:
        """Return whether it is on here."""
        return self._on.get()

    @contextlib.contextmanager
    def turned(self, on: bool = True) -> Iterator[None]:
        """Turn it on, or off, for the body of the ``with`` statement."""
        token = self._on.set(on)
        try:
            yield
        finally:
            self._on.reset(token)


CHECKING = Switch("symdiff_checking")  # sweeps are built with checks of what they compute

# Reverse blocks compute elementwise values again where they can, rather than save them. A tape cuts
# an expression in two, and a form that stands for the whole of it is found in neither: of
# ``log(1 + exp(u))`` in a loop it is cheapest to save ``exp(u)``, but only by ``u`` the derivative
# can be written such that it does not overflow.
RECOMPUTING = Switch("symdiff_recomputing")

# Jacobians are computed row by row: where a program has to know all lengths beforehand, it cannot
# take as many rows in a turn as their lengths allow.
ROW_BY_ROW = Switch("symdiff_row_by_row")
