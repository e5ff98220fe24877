"""What calls of reductions mean: ``np.sum``, ``x.max()``, with masks and first values."""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Value
from symdiff.ops.arguments import applied
from symdiff.ops.declare import Lowering, Operation, array_type, lowers, static, static_integer
from symdiff.ops.reduce import (
    _is_of_a_number,
    all,
    any,
    argmax,
    argmin,
    axis_of,
    count_nonzero,
    logaddexp_reduce,
    max,
    mean,
    min,
    nanargmax,
    nanargmin,
    nanmax,
    nanmean,
    nanmin,
    nanstd,
    nanvar,
    normalized_axis,
    prod,
    std,
    sum,
    var,
    without_nan,
)
from symdiff.ops.selected import (
    lower_selected,
    lower_selected_deviation,
    lower_selected_mean,
    lower_selected_truth,
    lower_selected_variance,
)
from symdiff.ops.ufuncs import dtype_of, staged


def _reduced(operation: Operation, a: Any, axis: Any, keepdims: Any, **more: Any) -> Value:
    """A reduction with a user's arguments."""
    x = staged(a)
    attributes = {name: value for name, value in more.items() if value is not None}
    if "dtype" in attributes:
        attributes["dtype"] = dtype_of(attributes["dtype"])
    rank = array_type(x).rank
    axis = static(axis)
    if operation in (mean, var, std) and axis is not None and _is_of_a_number(axis, rank):
        raise rejection(np.exceptions.AxisError, static_integer(axis), 0)
    normal = normalized_axis(axis, rank)
    keeps = keepdims is not np._NoValue and bool(static(keepdims))
    return operation(x, axis=normal, keepdims=keeps, **attributes)


def _lower_sum(operation: Operation) -> Lowering:
    def lowering(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: Any = False,
        initial: Any = None,
        where: Any = True,
    ) -> Value:
        if _is_selected(where, initial):
            return lower_selected(operation.name, a, axis, keepdims, where, initial, dtype)
        return _reduced(operation, a, axis, keepdims, dtype=dtype)

    return lowering


def _is_selected(where: Any, initial: Any) -> bool:
    """Return whether a mask or a first value is given."""
    masked = where is not True and where is not np._NoValue
    return masked or not (initial is None or initial is np._NoValue)


def _lower_extremum(operation: Operation) -> Lowering:
    def lowering(
        a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
    ) -> Value:
        if _is_selected(where, initial):
            return lower_selected(operation.name, a, axis, keepdims, where, initial)
        return _reduced(operation, a, axis, keepdims)

    return lowering


def _lower_plain(operation: Operation) -> Lowering:
    def lowering(a: Any, axis: Any = None, *, keepdims: Any = False) -> Value:
        return _reduced(operation, a, axis, keepdims)

    return lowering


def _lower_truth(operation: Operation) -> Lowering:
    def lowering(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Value:
        if _is_selected(where, None):
            return lower_selected_truth(operation.name, a, axis, keepdims, where)
        return _reduced(operation, a, axis, keepdims)

    return lowering


def _lower_spread(operation: Operation) -> Lowering:
    def lowering(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        *,
        ddof: Any = 0,
        keepdims: Any = False,
        where: Any = True,
        mean: Any = None,
        correction: Any = None,
    ) -> Value:
        freedom = _lost_freedom(ddof, correction)
        if _is_selected(where, mean):
            lower = lower_selected_variance if operation is var else lower_selected_deviation
            return lower(a, axis, keepdims, where, dtype, freedom, mean)
        return _reduced(operation, a, axis, keepdims, dtype=dtype, ddof=freedom)

    return lowering


def _lower_spread_without_nan(operation: Operation) -> Lowering:
    def lowering(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        *,
        ddof: Any = 0,
        keepdims: Any = False,
        correction: Any = None,
    ) -> Value:
        freedom = _lost_freedom(ddof, correction)
        return _reduced(operation, a, axis, keepdims, dtype=dtype, ddof=freedom)

    return lowering


def _lost_freedom(ddof: Any, correction: Any) -> Any:
    """How many degrees of freedom less than elements there are: two names for it."""
    given = correction is not None and correction is not np._NoValue
    lost = static(correction if given else ddof)
    return lost.item() if isinstance(lost, np.integer) else lost  # it is taken from a length


def _lower_position(operation: Operation) -> Lowering:
    def lowering(a: Any, axis: Any = None, *, keepdims: Any = False) -> Value:
        x = staged(a)
        axis = static(axis)
        rank = array_type(x).rank
        of_all = axis is None or _is_of_a_number(axis, rank)
        index = None if of_all else axis_of(axis, rank)
        keeps = keepdims is not np._NoValue and bool(static(keepdims))
        return operation(x, axis=index, keepdims=keeps)

    return lowering


lowers(np.sum, method="sum")(_lower_sum(sum))
lowers(np.prod, method="prod")(_lower_sum(prod))
lowers(np.max, np.amax, method="max")(_lower_extremum(max))
lowers(np.min, np.amin, method="min")(_lower_extremum(min))
lowers(np.any, method="any")(_lower_truth(any))
lowers(np.all, method="all")(_lower_truth(all))
lowers(np.nanmax)(_lower_plain(nanmax))
lowers(np.nanmin)(_lower_plain(nanmin))
lowers(np.nanvar)(_lower_spread_without_nan(nanvar))
lowers(np.nanstd)(_lower_spread_without_nan(nanstd))
lowers(np.var, method="var")(_lower_spread(var))
lowers(np.std, method="std")(_lower_spread(std))
lowers(np.argmax, method="argmax")(_lower_position(argmax))
lowers(np.argmin, method="argmin")(_lower_position(argmin))
lowers(np.nanargmax)(_lower_position(nanargmax))
lowers(np.nanargmin)(_lower_position(nanargmin))


def _lower_mean(operation: Operation) -> Lowering:
    def lowering(
        a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True
    ) -> Value:
        if _is_selected(where, None):
            return lower_selected_mean(a, axis, keepdims, where, dtype)
        return _reduced(operation, a, axis, keepdims, dtype=dtype)

    return lowering


lowers(np.mean, method="mean")(_lower_mean(mean))


@lowers(np.nanmean)
def _nanmean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False) -> Value:
    return _reduced(nanmean, a, axis, keepdims, dtype=dtype)


lowers(np.count_nonzero)(
    lambda a, axis=None, *, keepdims=False: _reduced(count_nonzero, a, axis, keepdims)
)


@lowers(np.ptp)
def _ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Value:
    greatest = _reduced(max, a, axis, keepdims)
    return greatest - _reduced(min, a, axis, keepdims)


def _lower_sum_without_nan(operation: Operation, neutral: float) -> Lowering:
    plain = _lower_sum(operation)

    def lowering(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: Any = False,
        initial: Any = None,
        where: Any = True,
    ) -> Value:
        present = without_nan(staged(a), neutral)
        return plain(present, axis, dtype, keepdims=keepdims, initial=initial, where=where)  # type: ignore[no-any-return]

    return lowering


lowers(np.nansum)(_lower_sum_without_nan(sum, 0))
lowers(np.nanprod)(_lower_sum_without_nan(prod, 1))


def _lower_reduce(lowering: Lowering) -> Lowering:
    """The ``reduce`` method of a ufunc, which goes along the first axis unless told otherwise."""

    def reduce(
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        *,
        keepdims: Any = False,
        initial: Any = None,
        where: Any = True,
    ) -> Value:
        if not array_type(staged(array)).rank and static(axis) in (0, -1):
            axis = None
        more = {} if dtype is None else {"dtype": dtype}
        more |= {"where": where} if _is_selected(where, None) else {}
        more |= {"initial": initial} if _is_selected(True, initial) else {}
        return applied(lowering, array, axis, keepdims=keepdims, **more)  # type: ignore[no-any-return]

    return reduce


for _ufunc, _lowering in (
    (np.add, _lower_sum(sum)),
    (np.multiply, _lower_sum(prod)),
    (np.maximum, _lower_extremum(max)),
    (np.minimum, _lower_extremum(min)),
    (np.logical_and, _lower_truth(all)),
    (np.logical_or, _lower_truth(any)),
):
    lowers(_ufunc.reduce)(_lower_reduce(_lowering))


@lowers(np.logaddexp.reduce)
def _logaddexp_reduce(array: Any, axis: Any = 0, *, keepdims: Any = False) -> Value:
    reduced = _lower_reduce(_lower_plain(logaddexp_reduce))
    return reduced(array, axis, keepdims=keepdims)  # type: ignore[no-any-return]
