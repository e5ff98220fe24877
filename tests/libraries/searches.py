"""Results of searches, which tell what is sought as closely as a tolerance asks.

The derivative of such a result is that of what is sought. The way of a search has others: one that
compares values stands still where its arguments move a little, and leaps where they move more; one
that ends close to 0 ends anywhere close to it.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests import reference
from tests.libraries.harvest import Call

STEP, NARROW = 0.04, 1e-4  # in parts of the arguments
FAR = 3.0  # times how closely wide steps tell a slope, the least that a narrow one is off
CLOSELY = 0.05  # what is told by wide steps, of its size
TOLERANCES = ("atol", "epsabs", "epsrel", "ftol", "gtol", "pgtol", "rtol", "tol", "xtol")
CLOSER = 1e-2
ANYWHERE = 1e-2  # what results differ by, of their size, where none of their digits is told


def agrees_at_wide_steps(
    function: Callable[..., Any], arguments: Sequence[Any], along: Sequence[Any], slope: float
) -> bool:
    """Whether a slope is that of wide steps, which all agree to some digits, and a narrow one has
    quite another: of what is smooth all have one.
    """

    def difference(step: float) -> float:
        ahead, behind = (reference.move_arguments(arguments, along, s) for s in (step, -step))
        return float((function(*ahead) - function(*behind)) / (2.0 * step))

    found, narrow = [difference(STEP * part) for part in (1.0, 0.75, 0.5)], difference(NARROW)
    apart = max(abs(each - slope) for each in found)
    return apart <= min(CLOSELY * abs(slope), *(abs(each - narrow) / FAR for each in found))


def told(call: Call, value: Any, weights: Any) -> Any:
    """The weights of what stays where it is when tolerances are closer than they are by default.

    The digits of a result that does not are those of the search: its weight is 0.
    """
    closer = _closer(call)
    if closer is None:
        return weights
    again = closer.function()(*call.arguments)
    return reference.map_leaves(_told, value, again, weights, rest="none")


def _told(value: Any, again: Any, weight: Any) -> Any:
    if np.shape(value) != np.shape(again):
        return weight
    apart = np.max(np.abs(value - again), initial=0.0)
    return weight * float(apart <= ANYWHERE * np.max(np.abs(value), initial=0.0))


def _closer(call: Call) -> Call | None:
    """The call with closer tolerances; None where it has none that it leaves out."""
    made = ast.parse(call.text, mode="eval")
    assert isinstance(made.body, ast.Call)
    given = {keyword.arg for keyword in made.body.keywords}
    function = eval(compile(ast.Expression(made.body.func), "<function>", "eval"), call.scope)
    for name, default in _tolerances(function):
        if name not in given:
            made.body.keywords.append(ast.keyword(name, ast.Constant(default * CLOSER)))
            given.add(None)
    return replace(call, text=ast.unparse(made)) if None in given else None


def _tolerances(function: Callable[..., Any]) -> Iterator[tuple[str, float]]:
    with contextlib.suppress(ValueError, TypeError):  # of what has no signature
        for name, parameter in inspect.signature(function).parameters.items():
            if name in TOLERANCES and isinstance(parameter.default, float):
                yield name, parameter.default
