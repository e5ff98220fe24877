"""Exceptions of functions that are called inside ``try``, which the handlers look at."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

from tests.programs.registry import program


class Reached(Exception):
    """A class of the user's that holds numbers."""

    def __init__(self, level: float, *, slope: float = 1.0) -> None:
        super().__init__(level)
        self.level = level
        self.slope = slope


def limited(a: float, b: float) -> float:
    """Raises two things that say numbers."""
    if a > 2.0:
        raise ValueError(a * b, "too high")
    if a * b < 0.3:
        raise Reached(a * a, slope=b)
    return a * a * 0.4 + b


def twice(a: float, b: float) -> float:
    return limited(a * b, b) * limited(a, a + b)


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def says_numbers(x: float, y: float) -> float:
    """What an exception says is part of the result."""
    total = 0.0
    for k in range(5):
        try:
            total = total + twice(x - 0.35 * k, y) + limited(x * k, y)
        except ValueError as error:
            total = total + error.args[0] * x
        except Reached as reached:
            total = total * y + reached.level * reached.slope + reached.args[0]
    return total


def careful(a: float, b: float) -> float:
    try:
        return twice(a, b)
    except Reached as reached:
        if reached.level > 0.12:
            raise
        reached.slope = reached.slope * 2.0
        raise KeyError(reached.level * b) from reached


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def raised_again(x: float, y: float) -> float:
    """Exceptions that are raised again, and what they were raised from."""
    total = x
    for k in range(6):
        try:
            total = total * 0.7 + careful(x - 0.23 * k, y)
        except Reached as reached:
            total = total + reached.level * reached.slope
        except KeyError as error:
            cause: Any = error.__cause__
            total = total + error.args[0] * cause.level * cause.slope
        except ValueError as error:
            total = total * error.args[0]
    return total


def fails(a: float, b: float) -> float:
    """Raises while another exception is handled."""
    try:
        return limited(a, b)
    except Reached as reached:
        raise LookupError(a * b, reached.level)  # noqa: B904 - its context is asked for


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def in_context(x: float, y: float) -> float:
    """What was being handled where functions raise."""
    total = x
    for k in range(4):
        try:
            total = total + fails(x - 0.4 * k, y) * fails(x + k, y)
        except LookupError as error:
            before: Any = error.__context__
            total = total + error.args[0] * before.level
        except ValueError as first:
            try:
                total = total + limited(x * 0.1, y) + limited(x * k, 0.2 * y)
            except Reached as second:
                around: Any = second.__context__
                total = total + second.level * (around is first) + around.args[0]
    return total


def of_operations(a: float, b: float) -> float:
    return math.sqrt(a - 0.3) / (b - 1.0) + math.log(a)


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def raised_by_operations(x: float, y: float) -> float:
    """Handlers that name what operations raise, tell its class, and raise it again."""
    total = y
    for k in range(4):
        try:
            try:
                total = total + of_operations(x - 0.1 * k, y) * of_operations(x * y, y + k)
            except ValueError as error:
                if k == 1:
                    total = total + len(str(error)) * x
                else:
                    raise
        except ArithmeticError:
            total = total * 3.0
        except ValueError as error:
            total = total - isinstance(error, ValueError) * x * y
    return total


class Forgives:
    """A manager that swallows what it is asked to, and notes numbers of it."""

    def __init__(self, kind: type[BaseException]) -> None:
        self.kind = kind
        self.seen = 0.0

    def __enter__(self) -> Forgives:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if kind is None or not issubclass(kind, self.kind):
            return False
        self.seen += error.args[0]
        return True


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def swallowed(x: float, y: float) -> float:
    """Managers that swallow what functions raise, and look at it."""
    total = x
    for k in range(5):
        forgives = Forgives(Reached)
        with contextlib.suppress(ValueError), forgives:
            total = total * 0.8 + limited(x - 0.3 * k, y)
            total = total + twice(x * k, y) * x
        total = total + forgives.seen * (k + 1.0)
    return total


@contextlib.contextmanager
def replacing(a: float) -> Iterator[list[float]]:
    found = [a]
    try:
        yield found
    except Reached as reached:
        found.append(reached.level * reached.slope)
    finally:
        found[0] = found[0] * 1.5


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def by_generators(x: float, y: float) -> float:
    """Managers made of generators, which are given what functions raise in the block."""
    total = 0.0
    for k in range(4):
        with contextlib.suppress(ValueError), replacing(y) as found:
            total = total + limited(x - 0.3 * k, y) * limited(x + 0.1 * k, y)
            found.append(x)
        total = total + found[0] * 0.1 + found[1]
    return total


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def done_last(x: float, y: float) -> float:
    """What is done last, where functions give something and where they raise."""
    written = [x, y]

    def step(a: float) -> float:
        try:
            written[0] = written[0] * 0.9
            return limited(a, written[1])
        finally:
            written[1] = written[1] + 0.1 * a

    total = 0.0
    for k in range(4):
        try:
            total = total + step(x - 0.2 * k) * step(x + 0.5 * k)
        except (Reached, ValueError) as error:
            total = total + error.args[0] * written[1]
    return total + written[0] * written[1]
