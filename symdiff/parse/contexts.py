"""``with``: ``symdiff.no_grad()`` and ``np.errstate(...)``; other context managers are refused."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff import ops
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ops.declare import static
from symdiff.parse.calls import BUILTINS
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract


class NoGrad:
    """What ``symdiff.no_grad()`` gives inside staged code."""


class ErrState:
    """What ``np.errstate(...)`` gives inside staged code."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings


def _errstate(interp: Interpreter, arguments: Any, keywords: dict[str, Abstract]) -> Abstract:
    return ErrState({name: static(value) for name, value in keywords.items()})


BUILTINS[np.errstate] = _errstate


def entered(
    interp: Interpreter, items: list[ast.withitem], body: Callable[[], None]
) -> None:
    """Stage a body inside context managers."""
    if not items:
        body()
        return
    manager = interp.evaluate(items[0].context_expr)
    if isinstance(manager, NoGrad) and items[0].optional_vars is None:
        interp.stopped += 1
        try:
            entered(interp, items[1:], body)
        finally:
            interp.stopped -= 1
    elif isinstance(manager, ErrState) and items[0].optional_vars is None:
        settings = tuple(manager.settings.items())
        before = ops.enter_errstate(settings=settings)
        entered(interp, items[1:], body)
        ops.leave_errstate(before)
    else:
        raise UnsupportedSyntaxError(
            "symdiff does not compile 'with' on this context manager",
            interp.span,
            "use np.errstate(...) or symdiff.no_grad(), or move the block out of the function",
        )
