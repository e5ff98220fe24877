"""What grows with the programs and functions is run in part: the same part each time.

All of it is run where ``ALL_CELLS`` is set, as ``make test-all`` does. ``PART=1`` runs another part
of the same size, and so on up to the last: ``make test PART=1``.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

ALL = bool(os.environ.get("ALL_CELLS"))
PART = int(os.environ.get("PART") or 0)
MANY = 12  # cases of a test
PARTS = 4  # of the cases of a test that has many
MOST = 200  # cases or so: of a test that has more than PARTS times as many a smaller part is run


def is_drawn(name: str, parts: int) -> bool:
    """Return whether what has this name is in one of some parts, of about the same size."""
    return ALL or zlib.crc32(name.encode()) % parts == PART % parts


def divided(items: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The cases that the whole suite runs, and those that it leaves to ``make test-all``.

    Of a test of more than ``MANY`` cases it runs one in ``PARTS``, or about ``MOST`` of them; of
    the cases that are marked ``one_in(n)`` it runs one in ``n``, however many there are.
    """
    tests = Counter(_test_of(item) for item in items)
    cases: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("one_in")
        parts = mark.args[0] if mark is not None else _parts(tests[_test_of(item)])
        cases[_test_of(item), parts].append(item)
    run = {id(item) for (_, parts), some in cases.items() for item in _drawn(some, parts)}
    return [i for i in items if id(i) in run], [i for i in items if id(i) not in run]


def _test_of(item: Any) -> str:
    return str(item.nodeid.partition("[")[0])


def _parts(count: int) -> int:
    """The parts of a test of so many cases of which one is run."""
    return max(PARTS, count // MOST) if count > MANY else 1


def _drawn(cases: list[Any], parts: int) -> list[Any]:
    """Those of some cases that are run: in the order of their names' codes each n-th."""
    if ALL:
        return cases
    return sorted(cases, key=lambda item: zlib.crc32(item.nodeid.encode()))[PART % parts :: parts]
