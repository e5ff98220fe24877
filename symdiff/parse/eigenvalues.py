"""``numpy.linalg.eig`` and ``eigvals``: of a real matrix NumPy gives real numbers where it can.

The type of a result depends on data there: it is kept in cases, as that of a name with two types
is. Of complex matrices the calls are those of ``ops.decompositions``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.ir.graph import Value
from symdiff.ops import reduce
from symdiff.ops.arithmetic import equal
from symdiff.ops.casts import imag, is_complex
from symdiff.ops.declare import FUNCTIONS
from symdiff.ops.ufuncs import staged
from symdiff.parse.arguments import plain_argument
from symdiff.parse.branches import joined_cases
from symdiff.parse.calls import Handler, builtin, call_lowering
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.truth import truth
from symdiff.parse.values import Abstract, ConflictRead

_HINT = "eigenvalues of a real matrix may be real or complex: add 0j, or take their .real or np.abs"


def _in_cases(function: Callable[..., Any]) -> Handler:
    """What a call means: complex eigenvalues, or their real parts where none is complex."""

    name = f"np.linalg.{function.__name__}"

    def handler(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
        found = call_lowering(interp, FUNCTIONS[function], arguments, keywords)
        (given,) = (*arguments, *keywords.values())
        if is_complex(staged(plain_argument(interp, given))):
            return found
        eigenvalues = found[0] if isinstance(found, tuple) else found
        imaginary = imag(interp.heap.read(eigenvalues))
        none = truth(interp, reduce.all(equal(imaginary, 0), axis=None, keepdims=False))
        if not isinstance(none, Value):
            return _real(interp, found) if none else found
        try:
            return joined_cases(interp, none, lambda: _real(interp, found), lambda: found, name)
        except ConflictRead as read:
            if read.conflict.name == name:
                read.conflict = dataclasses.replace(read.conflict, hint=_HINT)
            raise

    return handler


def _real(interp: Interpreter, found: Abstract) -> Abstract:
    if not isinstance(found, tuple):
        return interp.attribute(found, "real")
    return tuple.__new__(type(found), [_real(interp, part) for part in found])


builtin(np.linalg.eig)(_in_cases(np.linalg.eig))
builtin(np.linalg.eigvals)(_in_cases(np.linalg.eigvals))
