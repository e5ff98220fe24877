"""``itertools.count`` of numbers that are known at run time only, or are no integers.

>>> import itertools
>>> import symdiff
>>> def f(x):
...     return sum(t * t for t in itertools.takewhile(lambda t: t < 2.0, itertools.count(x, 0.5)))
>>> symdiff.grad(f)(1.25)
6.0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def counted(start: Any, step: Any) -> Iterator[Any]:
    """Each number is the one before, and the step."""
    number = start
    while True:
        yield number
        number = number + step
