"""What symdiff makes of one call: its derivative by all floats along one direction, in reverse.

The direction moves each float by a part of its own size, and each result counts by its own: what a
pressure of 1e5 does to a diameter of 1e-3 is a number of moderate size.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import gc
import math
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np

from tests import reference
from tests.fuzz.check import Outcome, Timeout, time_limit
from tests.libraries.harvest import Call, quiet, result_of_floats, seeded
from tests.libraries.measure import Measure, measured
from tests.libraries.searches import agrees_at_wide_steps, told

KINDS = ("right", "wrong", "refused", "internal", "late", "unsettled")
LATE = 10.0  # seconds that compiling and running a derivative may take
SLOW = 0.5  # seconds of a call that is too slow to be compared
STEPS = (1e-2, 1e-3, 1e-4, 1e-5)
SETTLED = 1e-6  # how closely differences of two steps agree that are a reference
WRONG = 1e-4
SINGLE = 1e-2  # where numbers of less than double precision are among them
KINK = 1e-3  # what the slopes on both sides may differ by
NEAR = 1e-6
NEARBY = 1e-3
WIDE = 0.05  # the step of differences of means, which jumps make noisy
TOLD = 0.1  # how closely means are told, of how far slopes scatter
MEAN_LIMIT = 60.0  # seconds that means may take


@dataclass(frozen=True)
class Result:
    """What became of a call; ``unsettled`` has derivatives and no differences to compare with."""

    place: str
    call: str
    kind: str
    cause: str = ""
    details: str = ""
    seconds: float = 0.0
    measure: Measure | None = None


def judged(call: Call, measures: bool = False) -> Result | None:
    """The result for a call; None where it gives no floats, or others each time.

    ``measures``: of a right one, what the derivative costs is measured too.
    """
    try:
        with quiet(), time_limit(LATE):
            function = call.function()
            value = _run(function, call.arguments)
            start = time.perf_counter()
            again = _run(function, call.arguments)
            slow = time.perf_counter() - start > SLOW
    except (Exception, Timeout, SystemExit):
        return None
    if slow or not result_of_floats(value) or not _same(value, again):
        return None
    seconds = _seconds_of_first(call, value) if measures else 0.0
    found = replace(_differentiated(call, function, value), seconds=seconds)
    if measures and found.kind == "right":
        with quiet():
            again = call.function()  # one that is compiled without verification
            cost = measured(again, call.arguments, _weights(value))
            found = replace(found, measure=cost)
    return found


def _seconds_of_first(call: Call, value: Any) -> float:
    """The CPU time of the first derivative, without what verifies it or is compared with it.

    The compiler is there already, and what calls before have left behind is gone.
    """
    _load_compiler()
    along = [_direction(argument, seed) for seed, argument in enumerate(call.arguments)]
    weights = _weights(value)
    with quiet(), mock.patch.dict("os.environ", SYMDIFF_VERIFY="0"):
        function = call.function()
        gc.collect()
        start = time.process_time()
        with contextlib.suppress(Exception, Timeout), time_limit(LATE, busy=True):
            _slope(function, call.arguments, weights, along)
        return time.process_time() - start


@functools.cache
def _load_compiler() -> None:
    """Compile something, once a process."""
    import symdiff

    symdiff.grad(_squared)(1.0)


def _squared(x: Any) -> Any:
    return x * x


def _run(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    return function(*copy.deepcopy(list(arguments)))


def _same(left: Any, right: Any) -> bool:
    pairs = zip(reference.leaves(left), reference.leaves(right), strict=False)
    return all(np.array_equal(a, b) for a, b in pairs)


def _differentiated(call: Call, function: Callable[..., Any], value: Any) -> Result:
    from symdiff.errors import InternalError, SymdiffError

    try:
        kind, details = _compared(function, call.arguments, _weights(value))
        if kind == "wrong" and _is_right_nearby(function, call.arguments):
            kind, details = "unsettled", f"beside a comparison that holds here only: {details}"
        if kind == "wrong" and _is_right_on_average(call, _weights(value)):
            kind, details = "unsettled", f"right in the mean over seeds, not at each: {details}"
        if kind == "wrong" and _is_of_a_search(call, function, value):
            kind, details = "unsettled", f"beside the way of a search: {details}"
    except Timeout:
        return Result(call.place, call.original, "late", "late")
    except InternalError as error:
        return Result(call.place, call.original, "internal", *_told(error))
    except SymdiffError as error:
        return Result(call.place, call.original, "refused", *_told(error))
    except Exception as error:
        return Result(call.place, call.original, "internal", *_told(error))
    return Result(call.place, call.original, kind, kind if details else "", details)


def _is_right_nearby(function: Callable[..., Any], arguments: Sequence[Any]) -> bool:
    """Whether the derivative is right in general position, where results may have other lengths."""
    moved = _moved(arguments)
    return _compared(function, moved, _weights(_run(function, moved)))[0] == "right"


def _is_right_on_average(call: Call, weights: Any) -> bool:
    """Whether a call that draws by a seed has the derivative of its mean.

    What accepts and rejects jumps at some parameters: differences at one seed leave the jumps out,
    and those of a mean do not.
    """
    drawing = seeded(call)
    return drawing is not None and agrees_on_average(drawing, call.arguments, weights)


def agrees_on_average(
    drawing: Callable[..., Any], arguments: Sequence[Any], weights: Any, seeds: int = 400
) -> bool:
    """Whether the mean of derivatives over seeds is the difference of means, both told closely.

    ``drawing`` takes a seed behind the arguments. Differences scatter more, and take more seeds.
    What is off by less than 0.4 times the standard deviation of the slopes can pass.
    """
    along = [_direction(argument, seed) for seed, argument in enumerate(arguments)]
    reduced = reference.reduced(drawing, weights)
    sides = [reference.move_arguments(arguments, along, side * WIDE) for side in (1.0, -1.0)]

    def apart(seed: int) -> float:
        ahead, behind = (float(reduced(*side, seed)) for side in sides)
        return (ahead - behind) / (2.0 * WIDE)

    with quiet(), time_limit(MEAN_LIMIT, busy=True):
        slopes = [_slope(drawing, (*arguments, k), weights, along) for k in range(seeds)]
        differences = [apart(k) for k in range(20 * seeds)]
    error = math.hypot(*(np.std(each) / np.sqrt(len(each)) for each in (slopes, differences)))
    off = abs(float(np.mean(slopes) - np.mean(differences)))
    return error <= TOLD * float(np.std(slopes)) and off <= 4.0 * error


def _told(error: BaseException) -> tuple[str, str]:
    """The cause, with the kind of the statement or expression, and the message with its place."""
    told = f"{type(error).__name__}: {getattr(error, 'message', error)}".splitlines()[0]
    span = getattr(error, "span", None)
    syntax = f" [{_syntax(span.text)}]" if span is not None else ""
    return Outcome("", "", told).cause.partition(": ")[2] + syntax, str(error)


def _syntax(text: str) -> str:
    """What stands in a line: the name of its syntax."""
    with contextlib.suppress(SyntaxError, IndexError):
        statement = ast.parse(textwrap.dedent(text)).body[0]
        node = statement.value if isinstance(statement, ast.Expr) else statement
        return type(node).__name__
    return "part of a statement"


def _is_of_a_search(call: Call, function: Callable[..., Any], value: Any) -> bool:
    """Whether differences tell the way of a search, and not what it seeks."""
    along = [_direction(argument, seed) for seed, argument in enumerate(call.arguments)]
    try:
        with quiet(), time_limit(LATE, busy=True):
            weights = told(call, value, _weights(value))
        if not any(np.any(one) for one in reference.leaves(weights)):
            return True
        if _compared(function, call.arguments, weights)[0] == "right":
            return True
        with quiet(), time_limit(LATE, busy=True):
            slope = _slope(function, call.arguments, weights, along)
            reduced = reference.reduced(function, weights)
            return agrees_at_wide_steps(reduced, call.arguments, along, slope)
    except (Exception, Timeout):  # where the function is not to be called otherwise
        return False


# --- the derivative along the direction


def _scale(leaf: Any) -> Any:
    """The size of each number; of a zero that of the others beside it, of what is not finite 0."""
    size = np.abs(np.asarray(leaf, np.float64))
    size = np.where(np.isfinite(size), size, 0.0)
    largest = float(np.max(size, initial=0.0))
    found = np.where(size > 0.0, size, largest if largest > 0.0 else 1.0)
    return np.where(np.isfinite(leaf), found, 0.0)


def _direction(tree: Any, seed: int) -> Any:
    drawn = reference.direction(tree, seed)
    return _scaled(drawn, tree, lambda one, leaf: one * _scale(leaf))


def _weights(value: Any) -> Any:
    drawn = reference.direction(value, seed=5)
    return _scaled(drawn, value, lambda one, leaf: one / np.max(_scale(leaf), initial=1e-300))


def _scaled(drawn: Any, tree: Any, scale: Callable[[Any, Any], Any]) -> Any:
    """What is drawn for the leaves of a tree, scaled; None stays where it has none."""
    parts = iter([scale(*pair) for pair in zip(
        reference.leaves(drawn), reference.leaves(tree), strict=True
    )])  # fmt: skip

    def taken(leaf: Any) -> Any:
        part = next(parts)
        if isinstance(leaf, np.ndarray):
            return np.asarray(part, leaf.dtype)
        return type(leaf)(part)

    return reference.map_leaves(taken, tree, rest="none")


def _moved(arguments: Sequence[Any]) -> list[Any]:
    """Arguments in general position nearby: none of them is another, or a limit of a table."""
    along = [_direction(argument, 100 + seed) for seed, argument in enumerate(arguments)]
    return reference.move_arguments(arguments, along, NEARBY)


def _compared(
    function: Callable[..., Any], arguments: Sequence[Any], weights: Any
) -> tuple[str, str]:
    """Whether the derivative is right, and what it is where it is not."""
    along = [_direction(argument, seed) for seed, argument in enumerate(arguments)]
    with quiet(), time_limit(LATE, busy=True):
        actual = _slope(function, arguments, weights, along)
    try:
        with quiet(), time_limit(LATE):
            expected = _settled(reference.reduced(function, weights), arguments, along)
    except Timeout:
        expected = None
    if expected is None:
        return "unsettled", ""
    closely = SINGLE if _is_single((arguments, weights)) else WRONG
    if abs(actual - expected) <= closely * max(1.0, abs(expected)):
        return "right", ""
    return "wrong", f"{actual!r}, expected {expected!r}"


def _is_single(tree: Any) -> bool:
    return any(np.asarray(leaf).dtype.itemsize < 8 for leaf in reference.leaves(tree))


def _slope(
    function: Callable[..., Any], arguments: Sequence[Any], weights: Any, along: Sequence[Any]
) -> float:
    import symdiff

    _, pullback = symdiff.vjp(function, *copy.deepcopy(list(arguments)))
    gradients = pullback(weights)[: len(along)]
    parts = zip(along, gradients, strict=True)
    return float(sum(reference.inner(u, g) for u, g in parts))


def _settled(
    function: Callable[..., Any], arguments: Sequence[Any], along: Sequence[Any]
) -> float | None:
    """The derivative where differences of two successive steps agree, and there is no kink."""
    last = None
    for step in STEPS:
        try:
            now = reference.directional(function, arguments, along, step=step)
        except Exception:  # as far away the function raises
            last = None
            continue
        value = float(np.real(now.value))
        bound = SETTLED * max(1.0, abs(value))
        if last is not None and now.error <= bound and abs(value - last) <= bound:
            return (
                value if _bend(function, arguments, along) <= KINK * max(1.0, abs(value)) else None
            )
        last = value
    return None


def _bend(function: Callable[..., Any], arguments: Sequence[Any], along: Sequence[Any]) -> float:
    """The slope ahead minus the slope behind, which central differences do not see."""
    try:
        ahead, here, behind = (
            float(function(*reference.move_arguments(arguments, along, distance)))
            for distance in (NEAR, 0.0, -NEAR)
        )
    except Exception:
        return np.inf
    return abs(ahead - 2.0 * here + behind) / NEAR
