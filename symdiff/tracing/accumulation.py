"""Adding up gradients that are structured like arguments: dicts, lists, dataclasses of arrays."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from symdiff.errors import SignatureError
from symdiff.ir.attributes import parts
from symdiff.ir.signature import Path
from symdiff.ir.structure import Container, construct, is_leaf
from symdiff.runtime.signature import spelled

T = TypeVar("T")


def accumulate(total: T | None, gradient: T) -> T:
    """``total + gradient`` for numbers, arrays, and containers of such; changes neither.

    ``total`` is None at first. None inside stands for no derivative, and adds nothing. Arrays keep
    their shape and the dtype that NumPy's addition gives; what is returned shares no memory with
    what was given.

    :raises SignatureError: where the two differ in structure or shape, with the place.

    >>> total = None
    >>> for g in ({"w": 1.0, "b": None}, {"w": 2.0, "b": 3.0}):
    ...     total = accumulate(total, g)
    >>> total
    {'w': 3.0, 'b': 3.0}
    """
    result: T = _added(total, gradient, ("gradient",))
    return result


def _added(total: Any, gradient: Any, path: Path) -> Any:
    if total is None or gradient is None:
        return fresh(gradient if total is None else total)
    if is_leaf(total) and is_leaf(gradient):
        if np.shape(total) != np.shape(gradient):
            raise SignatureError(
                f"{spelled(path)} has the shape {np.shape(gradient)}, and what it is added to"
                f" {np.shape(total)}",
                hint="gradients by one argument have its shape",
            )
        return total + gradient
    first, second = parts(total), parts(gradient)
    if first is None or second is None or type(total) is not type(gradient):
        raise _differs(path, total, gradient)
    (keys, items), (others, given) = first, second
    if set(keys) != set(others) or len(keys) != len(others):
        raise SignatureError(
            f"{spelled(path)} has {sorted(others, key=str)}, and what it is added to"
            f" {sorted(keys, key=str)}",
            hint="add up gradients by the same arguments",
        )
    along = dict(zip(others, given, strict=True))
    sums = [_added(item, along[key], (*path, key)) for key, item in zip(keys, items, strict=True)]
    return construct(Container(type(total), keys, ()), sums)


def _differs(path: Path, total: Any, gradient: Any) -> SignatureError:
    return SignatureError(
        f"{spelled(path)} is of type {type(gradient).__name__}, and what it is added to of type"
        f" {type(total).__name__}",
        hint="add up gradients by the same arguments",
    )


def fresh(value: Any) -> Any:
    """The value with memory of its own."""
    if isinstance(value, np.ndarray):
        return value.copy()
    found = None if is_leaf(value) else parts(value)
    if found is None:
        return value
    keys, items = found
    return construct(Container(type(value), keys, ()), [fresh(item) for item in items])
