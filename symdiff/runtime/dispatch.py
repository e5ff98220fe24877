"""Which compiled program a call runs: one entry a signature, the last that fitted tried first.

Looking up takes no lock: what is shared are an immutable tuple of entries and the entry to try
first, each replaced as a whole. Compiling holds a lock, and looks once more before it compiles.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from symdiff.errors import InternalError, SymdiffError
from symdiff.ir.signature import Signature
from symdiff.runtime.collecting import seldom_collecting
from symdiff.runtime.entry import MISS
from symdiff.runtime.facts import Facts, lines_of, what_changes
from symdiff.runtime.modes import ANOMALIES

Entry = Callable[..., Any]
MOST_SIGNATURES = 16
_MOST_ATTEMPTS = 8


def _none(*arguments: Any) -> Any:
    return MISS


class Dispatcher:
    """The programs of one function under one transform.

    ``compile`` makes the entry for a call and says what it was compiled for. ``normalise`` brings
    arguments into the types that are compiled for (an int, where a float is differentiated) and
    checks them. ``checked`` gives the dispatcher of the same with checks of the backward sweep.
    """

    miss = MISS
    __slots__ = (
        "__weakref__",
        "_checked",
        "_compile",
        "_facts",
        "_lock",
        "_normalise",
        "entries",
        "first",
        "name",
        "signatures",
    )

    def __init__(
        self,
        name: str,
        compile: Callable[[tuple[Any, ...]], tuple[Entry, Signature, Facts]],
        normalise: Callable[[tuple[Any, ...]], tuple[Any, ...]],
        lock: threading.RLock,
        checked: Callable[[], Dispatcher] | None = None,
    ) -> None:
        self.name = name
        self.first: Entry = _none
        self.entries: tuple[Entry, ...] = ()
        self.signatures: tuple[Signature, ...] = ()
        self._facts: tuple[Facts, ...] = ()
        self._compile = compile
        self._normalise = normalise
        self._lock = lock
        self._checked = checked
        _dispatchers.add(self)

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        """Run the program for these arguments in canonical form, compiling it at the first call."""
        result = self.first(*arguments)
        return self.search(arguments) if result is MISS else result

    def search(self, arguments: tuple[Any, ...]) -> Any:
        """Run an entry that fits, where the one to try first did not; compile one if none does."""
        if self._checked is not None and ANOMALIES.is_on():
            return self._checked()(arguments)
        arguments = self._normalise(arguments)
        for _ in range(_MOST_ATTEMPTS):
            seen = self.entries
            for entry in reversed(seen):
                result = entry(*arguments)
                if result is not MISS:
                    self._try_first(entry)
                    return result
            with self._lock:
                if self.entries is seen:
                    self._add(arguments)
        raise InternalError(f"{self.name}: no program fits the call it was compiled for")

    def _try_first(self, entry: Entry) -> None:
        """Try an entry first from now on, unless calls are to come here while a mode is on."""
        self.first = entry
        if self._checked is not None and ANOMALIES.entered:
            self.first = _none

    def lines(self) -> list[str]:
        """What was compiled so far, a line each."""
        return lines_of(self.name, self.signatures, self._facts)

    def forget(self) -> None:
        """Make all programs anew, at the next call of each."""
        self.first = _none
        self.entries, self.signatures, self._facts = (), (), ()

    def _add(self, arguments: tuple[Any, ...]) -> None:
        try:
            with seldom_collecting():
                entry, signature, facts = self._compile(arguments)
        except InternalError:
            raise
        except SymdiffError as error:
            raise error.with_traceback(None) from None  # it shows the user's lines itself
        self.signatures += (signature,)
        self._facts += (facts,)
        self.entries += (entry,)
        if len(self.entries) == MOST_SIGNATURES + 1:
            warnings.warn(
                f"{self.name} was compiled for {len(self.entries)} signatures: "
                f"{what_changes(self.signatures, self._facts)} keeps changing",
                RuntimeWarning,
                stacklevel=5,
            )


_dispatchers: weakref.WeakSet[Dispatcher] = weakref.WeakSet()


def _none_first() -> None:
    """Let every call ask whether a mode is on."""
    for dispatcher in tuple(_dispatchers):
        if dispatcher._checked is not None:
            dispatcher.first = _none


ANOMALIES.begun.append(_none_first)
