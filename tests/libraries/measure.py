"""What a derivative costs beside its function: in time, and in lines."""

from __future__ import annotations

import copy
import statistics
import time
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

REPEATED = 0.02  # seconds that a call is repeated for


@dataclass(frozen=True)
class Measure:
    """``time``: of a gradient, in calls of the function. Lines with code: ``emitted``, of the
    forward and the backward function; ``followed``, of the functions that they come from.
    """

    time: float
    emitted: int
    followed: int


def measured(function: Callable[..., Any], arguments: Sequence[Any], weights: Any) -> Measure:
    """What the gradient of a call costs, without what verifies it."""
    import symdiff

    with mock.patch.dict("os.environ", SYMDIFF_VERIFY="0"):
        differentiable = symdiff.differentiable(function)
        given = copy.deepcopy(list(arguments))
        text = str(differentiable.source(*given))
        emitted = len(set(_lines(compile(text, "emitted", "exec"))))
        followed = len(set(_lines_followed(differentiable, given)))

        gradient = _gradient(differentiable, given, weights)
        gradient()
        return Measure(_seconds(gradient) / _seconds(lambda: function(*given)), emitted, followed)


def _gradient(function: Any, given: Sequence[Any], weights: Any) -> Callable[[], Any]:
    """A call for the derivatives by all arguments: of a number its gradient."""
    import symdiff

    if isinstance(weights, float):
        gradient = symdiff.grad(function, argnums=tuple(range(len(given))))
        return lambda: gradient(*given)

    def pulled_back() -> Any:
        _, pullback = function.vjp(*given)
        return pullback(weights)

    return pulled_back


def _seconds(call: Callable[[], Any]) -> float:
    """The median time of a call."""
    times: list[float] = []
    end = time.process_time() + REPEATED
    while not times or time.process_time() < end:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return max(statistics.median(times), 1e-9)


def _lines_followed(differentiable: Any, arguments: Sequence[Any]) -> Iterator[tuple[str, int]]:
    home = differentiable._home
    described = differentiable._described(tuple(arguments), {})
    checks = home.derive(differentiable._transforms, described).checks
    codes = [check.expected for check in checks if isinstance(check.expected, types.CodeType)]
    for code in {home.function.__code__, *codes}:
        yield from _lines(code)


def _lines(code: types.CodeType) -> Iterator[tuple[str, int]]:
    for _, _, line in code.co_lines():
        if line is not None and line != code.co_firstlineno:
            yield code.co_filename, line
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _lines(inner)
