"""What Python itself does with values that are known now.

What it raises, the user's function raises too; what only stands for a value of the user's, or is
known at run time only, it is not given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symdiff.errors import rejection
from symdiff.ir.graph import Value
from symdiff.parse.blame import python_raises
from symdiff.parse.interpreter import describe
from symdiff.parse.values import Abstract, StaticSet


def in_python(function: Callable[..., Any], *arguments: Abstract, **keywords: Abstract) -> Any:
    """``function(*arguments, **keywords)``, a pure function of values that are known now."""
    given = (*arguments, *keywords.values())
    if any(map(is_abstract, given)):
        told = " and ".join(dict.fromkeys(map(describe, given)))
        raise rejection(TypeError, f"it is given {told}")
    with python_raises():
        return function(*arguments, **keywords)


def is_abstract(value: Abstract) -> bool:
    """Return whether something only stands for a value of the user's, or for one known at run
    time.
    """
    if isinstance(value, StaticSet):
        return False
    return isinstance(value, Value) or type(value).__module__.startswith("symdiff.parse")
