"""Constants as text that Python reads again: integers of any length, too.

>>> written(0.5), written(10**3)
('0.5', '1000')
>>> len(written(10**9999)) > 8000
True
"""

from __future__ import annotations

from typing import Any

_LONG = 10**1000  # ``repr`` refuses integers of more than some thousand digits


def written(value: Any) -> str:
    """What ``repr`` gives, and of a long integer its hexadecimal digits."""
    return hex(value) if type(value) is int and abs(value) >= _LONG else repr(value)
