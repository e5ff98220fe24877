"""Parabolic cylinder functions, Weber's, which SciPy gives with their slopes.

Their equation, ``y'' = factor * y``, gives the slopes of these. By orders there is no closed form:
those derivatives are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from symdiff.definitions.libraries import when_imported
from symdiff.ir.graph import Value
from symdiff.ops.declare import Operation, lowers
from symdiff.ops.special import special_function
from symdiff.ops.ufuncs import staged


def _with_slope(
    name: str, what: str, order: str, factor: Callable[[Value, Value], Value]
) -> tuple[Operation, Operation]:
    """The ops of a function of an order and of ``x``, and of its slope by ``x``."""
    made: list[Operation] = []

    def of_value(y: Value, v: Value, x: Value) -> Value:
        return made[1](v, x)

    def of_slope(y: Value, v: Value, x: Value) -> Value:
        return factor(v, x) * made[0](v, x)

    rules = (f"{what}.", of_value), (f"The slope of {what}.", of_slope)
    for number, (documentation, rule) in enumerate(rules):
        part = f"{name}_{number}", number
        made.append(special_function(name, documentation, order, rule, part=part, sympy=None))
    return made[0], made[1]


def _weber(v: Value, x: Value) -> Value:
    return 0.25 * (x * x) - v - 0.5


_SEVERAL: dict[str, tuple[Operation, Operation]] = {
    "pbdv": _with_slope("pbdv", "Weber's D", "v", _weber),
    "pbvv": _with_slope("pbvv", "Weber's V", "v", _weber),
    "pbwa": _with_slope("pbwa", "Weber's W", "a", lambda a, x: a - 0.25 * (x * x)),
}


@when_imported("scipy.special")
def _register(special: ModuleType) -> None:
    for name, operations in _SEVERAL.items():
        lowers(getattr(special, name))(_both(operations))


def _both(operations: tuple[Operation, Operation]) -> Callable[..., Any]:
    def lowering(v: Any, x: Any) -> tuple[Value, ...]:
        order, argument = staged(v), staged(x)
        return tuple(operation(order, argument) for operation in operations)

    return lowering
