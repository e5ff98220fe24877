"""NumPy's functions that tell a number's type or take its parts, of powers of negative floats.

These are typed as floats and may be complex: the program asks before, as for ``x.real``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.ops.declare import FUNCTIONS
from symdiff.parse.calls import Handler, builtin, call_lowering
from symdiff.parse.hidden_complex import require_real
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


for _function in _ASKING:
    builtin(_function)(_of_real_numbers(_function))
