"""Calls of library functions that have a definition: followed in the place of the call.

What is built has the span of the call and names nothing of the user's; what a definition cannot do
is told of the function that was called, and what is certain to fail fails as the function does.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.parse.blame import error_of, is_users, users
from symdiff.parse.functions import call_function
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.marking import suspended
from symdiff.parse.opaque import library_name
from symdiff.parse.values import Abstract

Keywords = dict[str, Abstract]


def call_definition(
    interp: Interpreter,
    function: Any,
    definition: FunctionType,
    arguments: Sequence[Abstract],
    keywords: Keywords,
) -> Abstract:
    """``function(*arguments, **keywords)``, by what defines it."""
    _refuse_unknown(interp, function, definition, keywords)
    span = interp.span
    try:
        with suspended(interp):
            return call_function(interp, definition, arguments, keywords)
    except (UnsupportedSyntaxError, UnsupportedCallError) as refusal:
        message = f"{library_name(function)} in this form: {refusal.message}"
        raise UnsupportedCallError(message, span, refusal.hint) from refusal
    except Exception as error:
        if not is_users(error):
            raise
        python = error_of(interp, function, arguments, keywords)
        raise users(python or error) from None


def _refuse_unknown(
    interp: Interpreter, function: Any, definition: FunctionType, keywords: Keywords
) -> None:
    """Refuse by name what a definition does not take."""
    known = inspect.signature(definition).parameters
    if any(p.kind is p.VAR_KEYWORD for p in known.values()):
        return
    for name in keywords:
        if name not in known:
            raise UnsupportedCallError(
                f"{library_name(function)} with the argument {name}= is not supported", interp.span
            )
