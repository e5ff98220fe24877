"""What NumPy's functions that change their first argument make of it: ``np.add.at(x, i, v)``.

A lowering gets the present value of the array and the other arguments, and gives the new value.
What is then read back, through views too, is the front end's concern.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.definitions.declare import INSTEAD
from symdiff.errors import UnsupportedCallError, rejecting
from symdiff.ir.graph import Operand, Value
from symdiff.ir.types import INT
from symdiff.ops.arithmetic import negative, remainder, where
from symdiff.ops.arrange import lower_reshape
from symdiff.ops.arrays import array_of, lower_array
from symdiff.ops.casts import as_dtype_of
from symdiff.ops.creation import arange_of
from symdiff.ops.declare import array_type, static, writes
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.joining import diagonal
from symdiff.ops.order import places_along
from symdiff.ops.reduce import axis_of
from symdiff.ops.sizes import dim_of, product, sizes_of
from symdiff.ops.ufuncs import cast, common_dtype, sample_of

writes(np.add.at)(lambda a, indices, b: index_add_of(a, array_of(b), indices))


@writes(np.subtract.at)
def subtract_at(a: Value, indices: Any, b: Any) -> Value:
    taken = array_of(b)
    if array_type(taken).dtype.kind in "biu":  # whose own negatives wrap
        taken = cast(taken, common_dtype((a, taken)))
    return index_add_of(a, negative(taken), indices)


@writes(np.fill_diagonal)
def fill_diagonal(a: Value, val: Any, wrap: Any = False) -> Value:
    if array_type(a).rank != 2 or static(wrap):
        raise UnsupportedCallError("fill_diagonal of anything but a matrix", None, "index it")
    count = sizes_of(diagonal(a, offset=0))[0]
    places = arange_of(count)
    return index_set_of(a, _over_and_over(array_of(val), count), (places, places))


def _over_and_over(values: Value, count: Operand) -> Value:
    """So many elements of an array in order, from the first again after the last."""
    shape = array_type(values).shape
    if not shape or shape == (dim_of(count),):
        return values
    flat = lower_reshape(values, -1)
    return index_of(flat, (remainder(arange_of(count), sizes_of(flat)[0]),))


@writes(np.copyto)
def copyto(dst: Value, src: Any, casting: Any = "same_kind", where: Any = True) -> Value:
    casting = static(casting)
    if casting == "same_value":
        raise UnsupportedCallError("a cast that looks at values, casting='same_value'")
    with rejecting():
        np.copyto(_sample(dst), _sample(src), casting=casting)
    if where is True:
        return index_set_of(dst, array_of(src), (Ellipsis,))
    return _chosen(where, src, dst)


@writes(np.putmask)
def putmask(a: Value, mask: Any, values: Any) -> Value:
    if isinstance(values, Value | np.generic):  # what is an array is cast where that is safe
        with rejecting():
            np.putmask(_sample(a), True, _sample(values))
    else:
        values = lower_array(values, array_type(a).dtype)
    v, sizes = array_of(values), sizes_of(a)
    if array_type(v).shape == (0,):
        return a
    if array_type(v).rank and array_type(v).shape != array_type(a).shape:
        v = lower_reshape(_over_and_over(v, product(sizes)), sizes)
    return _chosen(mask, v, a)


def _sample(operand: Any) -> Any:
    """Zeros in place of an operand, which NumPy casts as it does that, or not."""
    made = array_of(operand) if isinstance(operand, list | tuple) else operand
    return sample_of(array_type(made)) if isinstance(made, Value) else made


def _chosen(mask: Any, new: Any, old: Value) -> Value:
    """``old`` with the elements of ``new`` where the mask is true."""
    cast = as_dtype_of(array_of(new), old)
    return index_set_of(old, where(array_of(mask), cast, old), (Ellipsis,))


@writes(np.put)
def put(a: Value, ind: Any, v: Any, mode: Any = "raise") -> Value:
    if static(mode) != "raise":
        raise UnsupportedCallError(f"put with mode={mode!r}", None, "index with i % n, or clip i")
    places = lower_reshape(_as_places(array_of(ind)), -1)
    new = _over_and_over(array_of(v), sizes_of(places)[0])
    flat = index_set_of(lower_reshape(a, -1), new, places)
    return lower_reshape(flat, sizes_of(a))


def _as_places(ind: Value) -> Value:
    """The indices that ``put`` takes: booleans are 0 and 1 there."""
    type_ = array_type(ind)
    if type_.kind != "array" and type_.dtype.kind == "f":
        raise UnsupportedCallError("put at a float", None, "write int(...) for the index")
    return cast(ind, INT.dtype) if type_.dtype.kind == "b" else ind


@writes(np.put_along_axis)
def put_along_axis(arr: Value, indices: Any, values: Any, axis: Any) -> Value:
    if static(axis) is None:
        flat = index_set_of(lower_reshape(arr, -1), array_of(values), array_of(indices))
        return lower_reshape(flat, sizes_of(arr))
    along = axis_of(axis, array_type(arr).rank)
    key = places_along(arr, array_of(indices), along)
    return index_set_of(arr, array_of(values), key)


for _ufunc in (np.divide, np.power):
    INSTEAD[_ufunc.at] = "write x[i] = ..."
