"""NumPy's functions that tell a number's type or take its parts, of powers of negative floats.

These are typed as floats and may be complex: the program asks before, as for ``x.real``. The
absolute value is a float again, and has slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.ir.graph import Value
from symdiff.ops.declare import FUNCTIONS
from symdiff.parse.calls import Handler, builtin, call_lowering
from symdiff.parse.hidden_complex import may_be_complex, require_real, with_slopes
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract

_ASKING = (np.real, np.imag, np.angle, np.iscomplexobj, np.isrealobj)


def _of_real_numbers(function: Callable[..., Any]) -> Handler:
    lowering = FUNCTIONS[function]

    def handler(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
        for number in (*arguments, *keywords.values()):
            require_real(interp, number)
        return call_lowering(interp, lowering, arguments, keywords)

    return handler


def _absolute(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    number = arguments[0] if len(arguments) == 1 and not keywords else None
    if not isinstance(number, Value) or not may_be_complex(interp, number):
        return NotImplemented
    made = call_lowering(interp, FUNCTIONS[np.absolute], arguments, keywords)
    assert isinstance(made, Value)
    return with_slopes(interp, number, made)


for _function in _ASKING:
    builtin(_function)(_of_real_numbers(_function))
builtin(np.absolute)(_absolute)
