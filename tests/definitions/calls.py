"""A call of a library function, held against NumPy's value and against extrapolated differences.

``check`` compiles a function four times: pullback, tangent, tangent of the tangent and pullback of
the tangent, and compares the value in every bit and the derivatives at a stated accuracy.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import symdiff as sd
from tests import reference
from tests.test_programs import assert_dtypes, same

FIRST, SECOND = 1e-9, 1e-6  # of the scale: what the differences are right to


def check(
    function: Callable[..., Any],
    *args: Any,
    wrt: Sequence[int] = (0,),
    step: float = 0.02,
    order: int = 2,
) -> None:
    """Value, both modes and order two of ``function`` at ``args``, which it has to leave alone."""
    given = copy.deepcopy(args)
    expected = function(*copy.deepcopy(args))
    weights = reference.direction(expected, seed=7)
    u, v = (_directions(args, wrt, seed) for seed in (1, 2))

    def weighed(*args: Any) -> Any:
        return reference.inner(weights, function(*args))

    first = reference.directional(weighed, args, u, step=step).value
    value, pullback = sd.vjp(function, *args)
    assert same(value, expected), f"{value!r} is not {expected!r}"
    cotangents = pullback(weights)
    parts = tuple(cotangents[k] for k in wrt)
    assert_dtypes(parts, tuple(args[k] for k in wrt))
    scale = max(abs(first), abs(weighed(*args)), 1.0)
    _close(reference.inner(tuple(u[k] for k in wrt), parts), first, FIRST * scale)
    value, tangent = sd.jvp(function, args, u)
    assert same(value, expected), f"{value!r} is not {expected!r}"
    _close(reference.inner(weights, tangent), first, FIRST * scale)
    if order > 1:
        _check_second(function, weighed, args, (u, v), weights, wrt, step, scale)
    assert same(args, given), "arguments were changed"


def _check_second(
    function: Callable[..., Any],
    weighed: Callable[..., Any],
    args: tuple[Any, ...],
    directions: tuple[tuple[Any, ...], tuple[Any, ...]],
    weights: Any,
    wrt: Sequence[int],
    step: float,
    scale: float,
) -> None:
    u, v = directions
    second = reference.second_directional(weighed, args, u, v, step=step).value
    scale = max(abs(second), scale)
    along = sd.differentiable(function).jvp
    none = tuple(None if t is None else reference.map_leaves(np.zeros_like, t) for t in u)
    _, (_, tangent) = sd.jvp(along, (args, u), (v, none))
    _close(reference.inner(weights, tangent), second, SECOND * scale)
    _, pullback = sd.vjp(along, args, u)
    zeros = reference.map_leaves(np.zeros_like, weights)
    product = pullback((zeros, weights))[0]
    parts = tuple(product[k] for k in wrt)
    _close(reference.inner(tuple(v[k] for k in wrt), parts), second, SECOND * scale)


def _directions(args: tuple[Any, ...], wrt: Sequence[int], seed: int) -> tuple[Any, ...]:
    return tuple(
        reference.direction(arg, seed + 10 * k) if k in wrt else None for k, arg in enumerate(args)
    )


def _close(actual: Any, expected: Any, tolerance: float) -> None:
    np.testing.assert_allclose(np.asarray(actual), expected, rtol=0, atol=tolerance)
