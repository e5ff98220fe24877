"""The Python behind functions that Numba has compiled, and their parameters.

The class of what is compiled tells by ``__numba__`` under which name it keeps its function.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any


def python_behind(function: Any) -> FunctionType | None:
    """The Python that a function was compiled from; None where it was not compiled."""
    for base in type(function).__mro__:
        if "__numba__" in base.__dict__:
            python = getattr(function, base.__dict__["__numba__"], None)
            return python if isinstance(python, FunctionType) else None
    return None


def own_signature(function: Any) -> inspect.Signature:
    """The parameters of a function, of a decorated one those of the wrapper.

    :raises ValueError: where a function written in C does not tell.
    """
    return inspect.signature(python_behind(function) or function, follow_wrapped=False)
