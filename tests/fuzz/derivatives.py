"""Derivatives of any function of floats and arrays, beside extrapolated differences.

The result may be any tree: its floats are weighed with fixed random numbers. One random direction
through all arguments is taken in reverse and in forward mode.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests import reference

STEPS = (0.01, 0.001)
SMOOTH = 1e-7  # what the differences may differ by, of the scale, to be a reference
WRONG = 1e-5
KINK = 1e-3  # what the slopes on both sides may differ by at the small distance below
NEAR = 1e-6


def compare_derivatives(function: Callable[..., Any], arguments: Sequence[Any]) -> str:
    """``"right"``, ``"none"`` (no float in the result), ``"unsure"`` (not smooth here),
    ``"not finite"``, or ``"wrong"`` with what was found and what was expected.
    """
    import symdiff

    value = function(*copy.deepcopy(list(arguments)))
    weights = reference.direction(value, seed=5)
    if not list(reference.leaves(weights)):
        return "none"
    along = [reference.direction(argument, seed) for seed, argument in enumerate(arguments)]
    _, pullback = symdiff.vjp(function, *copy.deepcopy(list(arguments)))
    gradients = pullback(weights)[: len(along)]  # after them those by parameters with defaults
    reverse = sum(reference.inner(u, g) for u, g in zip(along, gradients, strict=True))
    _, tangent = symdiff.jvp(function, tuple(copy.deepcopy(list(arguments))), tuple(along))
    forward = reference.weigh(tangent, weights)
    expected = _slope(reference.reduced(function, weights), arguments, along)
    if expected is None:
        return "unsure"
    if not (np.isfinite(reverse) and np.isfinite(forward)):
        return "not finite"
    bound = WRONG * max(1.0, abs(expected))
    if abs(reverse - expected) <= bound and abs(forward - expected) <= bound:
        return "right"
    return f"wrong: reverse {reverse!r}, forward {forward!r}, expected {expected!r}"


def _bend(function: Callable[..., Any], arguments: Sequence[Any], along: Sequence[Any]) -> float:
    """The slope ahead minus the slope behind, which central differences do not see."""
    ahead, here, behind = (
        float(function(*reference.move_arguments(arguments, along, distance)))
        for distance in (NEAR, 0.0, -NEAR)
    )
    return (ahead - 2.0 * here + behind) / NEAR


def _slope(
    function: Callable[..., Any], arguments: Sequence[Any], along: Sequence[Any]
) -> float | None:
    """The derivative along the direction; None where differences of two sizes do not agree."""
    try:
        first, second = (
            reference.directional(function, arguments, along, step=step) for step in STEPS
        )
        kink = abs(_bend(function, arguments, along))
    except Exception:  # a little further the function raises
        return None
    bound = SMOOTH * max(1.0, abs(float(first.value)))
    known = max(first.error, second.error, abs(first.value - second.value)) <= bound
    known = known and kink <= KINK * max(1.0, abs(float(first.value)))
    return float(np.real(first.value)) if known else None
