"""Questions about dtypes and shapes: what is known of a value before there is one answers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.errors import rejecting
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import constant_of
from symdiff.ops.casts import is_complex
from symdiff.ops.declare import array_type, lowers, static
from symdiff.ops.ufuncs import common_dtype, dtype_of, staged


@lowers(np.result_type)
def lower_result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """Values count by their types, all else by what NumPy makes a dtype of."""
    return common_dtype(arrays_and_dtypes)


lowers(np.iscomplexobj)(lambda x: is_complex(staged(x)))
lowers(np.isrealobj)(lambda x: not is_complex(staged(x)))


def _of_dtypes(function: Callable[..., Any]) -> None:
    @lowers(function)
    def lowering(*arguments: Any, **keywords: Any) -> Any:
        named = {name: static(value) for name, value in keywords.items()}
        known = [_dtype_or_known(argument) for argument in arguments]
        with rejecting():
            return function(*known, **named)


def _dtype_or_known(argument: Any) -> Any:
    if isinstance(argument, Value) and constant_of(argument) is None:
        return array_type(argument).dtype
    return static(argument)


for _function in (np.can_cast, np.finfo, np.iinfo, np.isdtype, np.issubdtype, np.promote_types):
    _of_dtypes(_function)


lowers(np.dtype)(lambda dtype: dtype_of(dtype) or np.dtype(None))


@lowers(np.min_scalar_type)
def _min_scalar_type(a: Any, /) -> np.dtype:
    if isinstance(a, Value) and array_type(a).shape:
        return array_type(a).dtype
    return np.min_scalar_type(static(a))


@lowers(np.common_type)
def _common_type(*arrays: Any) -> type:
    found: type = np.common_type(*(np.empty(0, array_type(staged(a)).dtype) for a in arrays))
    return found
