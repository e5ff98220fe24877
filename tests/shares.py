"""What grows with the programs and functions is run in part: the same part each time.

All of it is run where ``ALL_CELLS`` is set, as ``make test-all`` does.
"""

from __future__ import annotations

import os
import zlib

ALL = bool(os.environ.get("ALL_CELLS"))


def is_drawn(name: str, parts: int, part: int = 0) -> bool:
    """Return whether what has this name is in one of some parts, of about the same size."""
    return ALL or zlib.crc32(name.encode()) % parts == part
