"""Questions about dtypes and shapes: what is known of a value before there is one answers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.errors import rejecting
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import constant_of
from symdiff.ops.casts import is_complex
from symdiff.ops.declare import array_type, lowers, one_of, static
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
        known = [_known_or_sample(argument) for argument in arguments]
        with rejecting():
            return function(*known, **named)


def _known_or_sample(argument: Any) -> Any:
    """What is known; of a number or an array another one: NumPy takes some of them for dtypes."""
    if not isinstance(argument, Value) or constant_of(argument) is not None:
        return static(argument)
    type_ = array_type(argument)
    if type_.kind == "array":
        return np.empty((0,) * type_.rank, type_.dtype)
    return type_.dtype.type(1) if type_.kind == "scalar" else one_of(type_)


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
