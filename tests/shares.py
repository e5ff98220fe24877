"""What grows with the programs and functions is run in part: the same part each time.

All of it is run where ``ALL_CELLS`` is set, as ``make test-all`` does.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

ALL = bool(os.environ.get("ALL_CELLS"))
MANY = 24  # cases of a test
PARTS = 4  # of the cases of a test that has many
MOST = 300  # cases or so: of a test that has more than PARTS times as many a smaller part is run


def is_drawn(name: str, parts: int, part: int = 0) -> bool:
    """Return whether what has this name is in one of some parts, of about the same size."""
    return ALL or zlib.crc32(name.encode()) % parts == part


def divided(items: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The cases that the whole suite runs, and those that it leaves to ``make test-all``.

    Of a test of more than ``MANY`` cases it runs one in ``PARTS``, or about ``MOST`` of them,
    unless the test is marked ``every_case``.
    """
    tests = [item.nodeid.partition("[")[0] for item in items]
    cases = Counter(tests)
    run, left = [], []
    for item, test in zip(items, tests, strict=True):
        whole = cases[test] <= MANY or item.get_closest_marker("every_case") is not None
        parts = max(PARTS, cases[test] // MOST)
        (run if whole or is_drawn(item.nodeid, parts) else left).append(item)
    return run, left
