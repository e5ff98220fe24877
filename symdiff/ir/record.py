"""What the compiler did, as plain data, for those who ask: passes note it, and nothing is kept
where nobody records.

>>> with recording() as record:
...     note("simplified", line=3, before="x * x / x", after="x")
...     count("loss", "algebra", "twice")
>>> record.notes("simplified")
[{'line': 3, 'before': 'x * x / x', 'after': 'x'}]
>>> record.counts
{('loss', 'algebra', 'twice'): 1}
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import field
from typing import Any

from symdiff.dataclass import dataclass


@dataclass(slots=True)
class Record:
    """Notes by kind, in the order in which they were made, and counts by graph, pass and rule."""

    made: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    counts: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def notes(self, kind: str) -> list[dict[str, Any]]:
        """The notes of a kind."""
        return self.made.get(kind, [])


_current: ContextVar[Record | None] = ContextVar("symdiff_record", default=None)


def current() -> Record | None:
    """The record that is kept in this thread, if there is one."""
    return _current.get()


@contextlib.contextmanager
def recording() -> Iterator[Record]:
    """Keep a record of what is compiled meanwhile, in this thread."""
    token = _current.set(Record())
    try:
        record = _current.get()
        assert record is not None
        yield record
    finally:
        _current.reset(token)


def note(kind: str, **data: Any) -> None:
    """Add plain data to the record."""
    record = _current.get()
    if record is not None:
        record.made.setdefault(kind, []).append(data)


def count(graph: str, name: str, rule: str, times: int = 1) -> None:
    """Add to how often a rule of a pass was applied to a graph."""
    record = _current.get()
    if record is not None and times:
        key = (graph, name, rule)
        record.counts[key] = record.counts.get(key, 0) + times
