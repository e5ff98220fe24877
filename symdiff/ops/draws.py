"""Draws from families of distributions that only move and stretch one of them.

``rng.normal(mu, s)`` is ``mu + s * rng.standard_normal()``: NumPy computes it so, from the same
numbers of the stream, and rounds it so. The call keeps its name where nothing is differentiated by
its parameters; where something is, ``spread_out`` gives the graph that says the same by a draw of
fixed parameters (Kingma and Welling, 2014: the reparametrisation).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building
from symdiff.ir.control import emit_cond
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.structure import Leaf
from symdiff.ir.types import FLOAT, GENERATOR, RANDOM_STATE, ArrayType, Type
from symdiff.ops.arithmetic import add, multiply, subtract
from symdiff.ops.casts import astype, python_float
from symdiff.ops.declare import FUNCTIONS, array_type
from symdiff.ops.effects import Member, Named, opaque_call, raise_
from symdiff.ops.held_draws import HELD, held
from symdiff.ops.keys import Slot
from symdiff.ops.sizes import sizes_of

_FLOAT64 = np.dtype("float64")
_PROBED = 64  # draws by which it is found out how NumPy rounds

Real = Value | bool | int | float


@dataclass(frozen=True, slots=True)
class _Family:
    """``standard``: the draw of fixed parameters. ``names``, ``defaults``: its own parameters, of
    which ``scale`` must not be negative. ``formula``: the draw from a standard one and them.
    """

    standard: str
    names: tuple[str, ...]
    defaults: tuple[float, ...]
    formula: Callable[..., Any]


def generators() -> dict[Type, type]:
    """The classes of NumPy's generators, if the program has imported them."""
    if "numpy.random" not in sys.modules:
        return {}
    return {GENERATOR: np.random.Generator, RANDOM_STATE: np.random.RandomState}


def _moved(z: Any, loc: Any, scale: Any) -> Any:
    return add(loc, multiply(scale, z))


def _stretched(z: Any, scale: Any) -> Any:
    return multiply(scale, z)


def _between(z: Any, low: Any, high: Any) -> Any:
    return add(low, multiply(subtract(high, low), z))


_LOC_SCALE = ("loc", "scale"), (0.0, 1.0), _moved
_FAMILIES = {
    "exponential": _Family("standard_exponential", ("scale",), (1.0,), _stretched),
    "gumbel": _Family("gumbel", *_LOC_SCALE),
    "laplace": _Family("laplace", *_LOC_SCALE),
    "logistic": _Family("logistic", *_LOC_SCALE),
    "normal": _Family("standard_normal", *_LOC_SCALE),
    "rayleigh": _Family("rayleigh", ("scale",), (1.0,), _stretched),
    "uniform": _Family("random", ("low", "high"), (0.0, 1.0), _between),
}


def spread_out(node: Node, active: set[Value]) -> Graph | None:
    """What a draw is in terms of one of fixed parameters; None where it is no draw of a family.

    A platform whose compiler contracts NumPy's ``loc + scale * z`` into one rounding has none.
    """
    if node.op is not opaque_call:
        return None
    name, function = _drawing(node)
    if name in HELD:
        return held(node, name, active)
    if name not in _FAMILIES or not _rounds_twice():
        return None
    family = _FAMILIES[name]
    return _Spread(node, family).graph(_standard(function, family.standard))


def _drawing(node: Node) -> tuple[str, Any]:
    """The name of the family of a draw, and the function that draws; "" where it is no draw."""
    function = node.attributes["function"]
    known = isinstance(function, Named) and _is_of_module(function)
    if known or (isinstance(function, Member) and _is_generator(node, function.value)):
        return function.name, function
    return "", None


def _standard(function: Any, name: str) -> Any:
    """What draws from a family's standard member where ``function`` draws from the family."""
    if isinstance(function, Member):
        return Member(function.value, name)
    return Named(getattr(np.random, name), f"np.random.{name}")


def advice(node: Node) -> str | None:
    """How to write a draw that has a derivative by its parameters; None for any other node."""
    function = node.attributes.get("function")
    if node.op is not opaque_call or not isinstance(function, Named | Member):
        return None
    if isinstance(function, Member) and not _is_generator(node, function.value):
        return None
    if isinstance(function, Named) and not _is_of_module(function):
        return None
    return (
        "a draw has no derivative by its parameters: draw with constant ones and compute with"
        " what is drawn, as in x = mu + s * rng.normal(size=...)"
    )


def _is_of_module(function: Named) -> bool:
    return function.target is not None and function.target == getattr(
        np.random, function.name, None
    )


def _is_generator(node: Node, template: Any) -> bool:
    if isinstance(template, Named):
        return isinstance(template.target, np.random.Generator | np.random.RandomState)
    is_slot = isinstance(template, Slot)
    return is_slot and node.operands[template.number].type in (GENERATOR, RANDOM_STATE)


@functools.cache
def _rounds_twice() -> bool:
    """True if NumPy, as it is compiled here, rounds the product before the sum."""
    draws = np.random.Generator(np.random.PCG64(1)).normal(0.1, 0.3, _PROBED)
    standard = np.random.Generator(np.random.PCG64(1)).standard_normal(_PROBED)
    return bool(np.array_equal(draws, 0.1 + 0.3 * standard))


class _Spread:
    """One draw being written by a standard one."""

    def __init__(self, node: Node, family: _Family) -> None:
        self.node = node
        self.family = family
        self.parameters = tuple(Value(v.type, None, v.name) for v in node.operands)
        given = dict(zip((*family.names, "size"), node.attributes["arguments"], strict=False))
        self.given = given | dict(node.attributes["keywords"])

    def graph(self, function: Any) -> Graph | None:
        node, family = self.node, self.family
        chosen = zip(family.names, family.defaults, strict=True)
        values = [self._operand(self.given.pop(name, default)) for name, default in chosen]
        size = self.given.pop("size", None)
        if self.given or any(value is None for value in values):
            return None
        with building(Builder([], node.span)) as made:
            numbers = [_as_double(value) for value in values if value is not None]
            if family.standard == "random":
                self._require_range(*numbers)
            else:
                self._require_scale(numbers[-1])
            standard = self._standard(function, size, numbers)
            given = numbers if size is None else [_of_size(n, standard) for n in numbers]
            result = family.formula(standard, *given)
            if node.result.type == FLOAT:
                result = python_float(result)
        if result.type != node.result.type:
            return None
        return Graph.of_values(family.standard, self.parameters, made.nodes, [result], Leaf(0))

    def _operand(self, template: Any) -> Real | None:
        """The value of a real parameter, or None for anything else."""
        if isinstance(template, Slot):
            value = self.parameters[template.number]
            real = isinstance(value.type, ArrayType) and value.type.dtype.kind in "biuf"
            return value if real else None
        return template if type(template) in (bool, int, float) else None

    def _require_scale(self, scale: Real) -> None:
        """Raise, before anything is drawn, what NumPy raises."""
        if not isinstance(scale, Value) and scale >= 0:
            return
        self._raise_where(_is_negative(scale), ValueError, "scale < 0")

    def _require_range(self, low: Real, high: Real) -> None:
        width, of = subtract(high, low), self._generator()
        too_wide = FUNCTIONS[np.logical_not](FUNCTIONS[np.isfinite](width))
        told = "high - low range exceeds" if of == GENERATOR else "Range exceeds"
        self._raise_where(too_wide, OverflowError, f"{told} valid bounds")
        if of == GENERATOR:
            self._raise_where(_is_negative(width), ValueError, "high - low < 0")

    def _generator(self) -> Type:
        """The type of what draws: NumPy's module has a ``RandomState``."""
        function = self.node.attributes["function"]
        if not isinstance(function, Member):
            return RANDOM_STATE
        if isinstance(function.value, Slot):
            return self.node.operands[function.value.number].type
        is_new = isinstance(function.value.target, np.random.Generator)
        return GENERATOR if is_new else RANDOM_STATE

    def _raise_where(self, condition: Value, error: type[Exception], told: str) -> None:
        if array_type(condition).shape:
            condition = FUNCTIONS[np.any](condition)
        with building(Builder([], self.node.span)) as made:
            raise_(exception=error, arguments=(told,))
        emit_cond(condition, Block((), made.nodes, ()), Block((), [], ()))

    def _standard(self, function: Any, size: Any, numbers: list[Real]) -> Value:
        operands: list[Value] = []

        def moved(template: Any) -> Any:
            """The template with the numbers of the operands that the standard draw has."""
            if isinstance(template, Slot):
                return moved(self.parameters[template.number])
            if isinstance(template, Value):
                operands.append(template)
                return Slot(len(operands) - 1)
            if isinstance(template, Member):
                return Member(moved(template.value), template.name)
            if isinstance(template, tuple | list):
                return type(template)(map(moved, template))
            return template

        if size is None and array_type(self.node.result).shape:
            size = sizes_of(_broadcast(numbers))
        sized = () if size is None else (moved(size),)
        is_standard = self.family.standard.startswith(("standard", "random"))
        attributes = {
            "function": moved(function),
            "arguments": sized if is_standard else (),
            "keywords": () if is_standard else tuple(("size", one) for one in sized),
            "type": self.node.result.type,
        }
        drawn: Value = opaque_call(*operands, **attributes)
        drawn.type = self.node.result.type  # also the symbols of sizes that only a run tells
        return drawn


def _is_negative(value: Real) -> Value:
    """Whether a number is below 0, or -0, which NumPy's checks do not let pass either."""
    signed, known = FUNCTIONS[np.signbit](value), FUNCTIONS[np.equal](value, value)
    found: Value = FUNCTIONS[np.logical_and](signed, known)
    return found


def _as_double(value: Real) -> Real:
    """A parameter as NumPy takes it."""
    if isinstance(value, Value):
        type_ = array_type(value)
        if type_.kind == "python" or type_.dtype == _FLOAT64:
            return value
        return astype(value, dtype=_FLOAT64)
    return float(value)


def _of_size(value: Real, standard: Value) -> Real:
    """A parameter in the shape that was asked for, into which it has to fit."""
    if not isinstance(value, Value) or not array_type(value).shape:
        return value
    if array_type(value).shape == array_type(standard).shape:
        return value
    spread: Value = FUNCTIONS[np.broadcast_to](value, sizes_of(standard))
    return spread


def _broadcast(numbers: Sequence[Real]) -> Value:
    arrays = [n for n in numbers if isinstance(n, Value) and array_type(n).shape]
    return functools.reduce(add, arrays)
