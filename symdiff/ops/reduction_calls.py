"""What calls of reductions mean: ``np.sum``, ``x.max()``, with masks and first values."""

from __future__ import annotations

import functools
import inspect
from builtins import all as all_of
from collections.abc import Callable
from inspect import Parameter, Signature
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


_PARAMETERS = [  # of all reductions, in NumPy's order
    Parameter("a", Parameter.POSITIONAL_OR_KEYWORD),
    Parameter("axis", Parameter.POSITIONAL_OR_KEYWORD, default=None),
    Parameter("dtype", Parameter.POSITIONAL_OR_KEYWORD, default=None),
    *(
        Parameter(name, Parameter.KEYWORD_ONLY, default=default)
        for name, default in {
            "ddof": 0, "keepdims": False, "initial": None, "where": True, "mean": None,
            "correction": None,
        }.items()
    ),
]  # fmt: skip


def _lowering(
    operation: Operation, *taken: str, selected: Callable[..., Value] | None = None
) -> Lowering:
    """What calls of a reduction mean, which take ``axis``, ``keepdims`` and what is ``taken``.

    ``selected`` is what they mean with a mask, a first value or a given mean.
    """
    names = {"a", "axis", "keepdims", *taken}
    signature = Signature([p for p in _PARAMETERS if p.name in names])

    def lowering(*arguments: Any, **keywords: Any) -> Value:
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        given = bound.arguments
        a, axis, keepdims = (given.pop(name) for name in ("a", "axis", "keepdims"))
        where = given.pop("where", True)
        if "ddof" in given:
            given["ddof"] = _lost_freedom(given["ddof"], given.pop("correction"))
        if selected and _is_selected(where, given.get("initial"), given.get("mean")):
            return selected(a, axis, keepdims, where, **given)
        plain = {name: value for name, value in given.items() if name in ("dtype", "ddof")}
        return _reduced(operation, a, axis, keepdims, **plain)

    lowering.__signature__ = signature  # type: ignore[attr-defined]
    return lowering


def _is_selected(where: Any, *others: Any) -> bool:
    """Return whether a mask, a first value or a mean is given."""
    left_out = [value is None or value is np._NoValue for value in others]
    return not (where is True or where is np._NoValue) or not all_of(left_out)


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


def _with_initial(operation: Operation, *taken: str) -> Lowering:
    selected = functools.partial(lower_selected, operation.name)
    return _lowering(operation, *taken, "initial", "where", selected=selected)


def _of_truths(operation: Operation) -> Lowering:
    selected = functools.partial(lower_selected_truth, operation.name)
    return _lowering(operation, "where", selected=selected)


_FREEDOM = ("dtype", "ddof", "correction")
_sum, _prod = (_with_initial(operation, "dtype") for operation in (sum, prod))
_max, _min = (_with_initial(operation) for operation in (max, min))
_any, _all = _of_truths(any), _of_truths(all)
_var = _lowering(var, *_FREEDOM, "where", "mean", selected=lower_selected_variance)
_std = _lowering(std, *_FREEDOM, "where", "mean", selected=lower_selected_deviation)
lowers(np.sum, method="sum")(_sum)
lowers(np.prod, method="prod")(_prod)
lowers(np.max, np.amax, method="max")(_max)
lowers(np.min, np.amin, method="min")(_min)
lowers(np.any, method="any")(_any)
lowers(np.all, method="all")(_all)
lowers(np.mean, method="mean")(_lowering(mean, "dtype", "where", selected=lower_selected_mean))
lowers(np.var, method="var")(_var)
lowers(np.std, method="std")(_std)
lowers(np.nanmax)(_lowering(nanmax))
lowers(np.nanmin)(_lowering(nanmin))
lowers(np.nanmean)(_lowering(nanmean, "dtype"))
lowers(np.nanvar)(_lowering(nanvar, *_FREEDOM))
lowers(np.nanstd)(_lowering(nanstd, *_FREEDOM))
lowers(np.count_nonzero)(_lowering(count_nonzero))
lowers(np.argmax, method="argmax")(_lower_position(argmax))
lowers(np.argmin, method="argmin")(_lower_position(argmin))
lowers(np.nanargmax)(_lower_position(nanargmax))
lowers(np.nanargmin)(_lower_position(nanargmin))


@lowers(np.ptp)
def _ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Value:
    greatest = _reduced(max, a, axis, keepdims)
    return greatest - _reduced(min, a, axis, keepdims)


def _without_nan(plain: Lowering, neutral: float) -> Lowering:
    def lowering(a: Any, *arguments: Any, **keywords: Any) -> Value:
        return plain(without_nan(staged(a), neutral), *arguments, **keywords)  # type: ignore[no-any-return]

    lowering.__signature__ = inspect.signature(plain)  # type: ignore[attr-defined]
    return lowering


lowers(np.nansum)(_without_nan(_sum, 0))
lowers(np.nanprod)(_without_nan(_prod, 1))


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
        more |= {"where": where} if _is_selected(where) else {}
        more |= {"initial": initial} if _is_selected(True, initial) else {}
        return applied(lowering, array, axis, keepdims=keepdims, **more)  # type: ignore[no-any-return]

    return reduce


for _ufunc, _meaning in (
    (np.add, _sum),
    (np.multiply, _prod),
    (np.maximum, _max),
    (np.minimum, _min),
    (np.logical_and, _all),
    (np.logical_or, _any),
):
    lowers(_ufunc.reduce)(_lower_reduce(_meaning))


@lowers(np.logaddexp.reduce)
def _logaddexp_reduce(array: Any, axis: Any = 0, *, keepdims: Any = False) -> Value:
    reduced = _lower_reduce(_lowering(logaddexp_reduce))
    return reduced(array, axis, keepdims=keepdims)  # type: ignore[no-any-return]
