"""Numbers that an earlier branch gave, an integer from one arm and a float from the other, where it
is known which arm that was.

    try:
        n = 2.0 * y                 a float …
        n = int(n)                  … which is what n is where int raises
    except ValueError:
        n = 1
    x[:n]                           an integer on both paths that lead here
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdiff.ir.control import cond, in_arms
from symdiff.ir.graph import Value
from symdiff.ir.types import FLOAT, INT
from symdiff.ops.casts import python_int
from symdiff.ops.retype import retype
from symdiff.parse.assumed import truth_of


def as_told(content: Any, assumed: Mapping[Any, bool]) -> Any:
    """The content, an integer of Python's as one where what is assumed says that it is one."""
    if not isinstance(content, Value) or content.type != FLOAT or not assumed:
        return content
    given = content
    while (node := given.node) is not None and node.op in (cond, retype):
        if node.op is retype:
            given = node.operands[0]
            continue
        taken = truth_of(node.operands[0], assumed)
        if taken is None:
            return content
        given = in_arms(given)[0 if taken else 1]
    return python_int(content) if given.type == INT else content
