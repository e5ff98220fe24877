"""Known numbers, texts and lengths that are handed down chains of calls, where the program carries
them.

Where a function calls the next one in both arms of a branch, ``f(v, m + "a")`` and
``f(v, m + "b")``, each function of a chain doubles the kinds of calls, as long as numbers and texts
that are known tell them apart. So do lists that are given, ``f(v, a + [v])`` and ``f(v, a)``, by
their lengths. Where many calls of a function differ in nothing else, and much has been followed,
they are given those as what is known at run time only.

An attempt begins to in its midst; then the function is staged once more, and few calls are told
apart from its beginning. Where a template cannot be made so, or an attempt fails that has carried
anything, what is known tells calls apart as ever.
"""

from __future__ import annotations

from typing import Any

from symdiff.parse.interpreter import Interpreter
from symdiff.parse.kinds import Seen

MANY = 16  # kinds of calls of a function that differ in what is known alone
FEW = 3  # the same, where it is known that there are many of some function
ENOUGH = 5_000  # expressions that are followed before


def carries_known(interp: Interpreter, kind: tuple[Any, Seen, Any]) -> bool:
    """Return whether a call of a kind is of one of those in which what is known is carried.

    ``kind``: of which function it is, what it sees, and what is caught around.
    """
    (function, seen, caught), policy = kind, interp.policy
    if not seen.knows or policy.tells_known:
        return False
    alike = interp.alike.setdefault((function, seen.but_known, caught), {})
    alike[seen.kind] = None
    if len(alike) <= (FEW if policy.carries else MANY):
        return False
    if not policy.carries and interp.effort.followed < ENOUGH:
        return False
    policy.has_carried = True
    return True
