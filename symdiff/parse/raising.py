"""Errors that the program raises where Python raises them; a path that raises ends there.

What was written before stays written: it is left behind first.
"""

from __future__ import annotations

import builtins
from typing import Any

from symdiff.ops.effects import Named, raise_
from symdiff.parse.interpreter import ERROR, Interpreter
from symdiff.parse.opaque import Template
from symdiff.parse.values import Abstract
from symdiff.parse.writeback import write_back

_SIMPLE = (str, bytes, bool, int, float, complex, type(None), tuple)


def raise_with(
    interp: Interpreter, kind: type[BaseException], arguments: tuple[Abstract, ...]
) -> None:
    """``raise kind(*arguments)``."""
    write_back(interp)
    template = Template(interp)
    shown = tuple(template.of(a) for a in arguments)
    named: Any = kind if _is_builtin(kind) else Named(kind, kind.__name__)
    raise_(*template.operands, exception=named, arguments=shown)
    interp.leave(ERROR)


def raise_instance(interp: Interpreter, exception: Abstract) -> None:
    """``raise exception``, which is made already."""
    write_back(interp)
    template = Template(interp)
    raise_(*template.operands, exception=template.of(exception), arguments=None)
    interp.leave(ERROR)


def raise_error(interp: Interpreter, error: Exception) -> None:
    """Raise at run time what Python raises of what is known while the function is compiled."""
    kind, arguments = type(error), error.args
    if not all(type(argument) in _SIMPLE for argument in arguments):
        # NumPy has errors of its own that hold their operands.
        kind = next(base for base in kind.__mro__ if _is_builtin(base))
        arguments = (str(error),)
    raise_with(interp, kind, arguments)


def _is_builtin(kind: type) -> bool:
    return getattr(builtins, kind.__name__, None) is kind
