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
from symdiff.ops.arithmetic import add, multiply
from symdiff.ops.casts import astype, python_float
from symdiff.ops.declare import FUNCTIONS, array_type
from symdiff.ops.effects import Member, Named, opaque_call, raise_
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


_FAMILIES = {
    "normal": _Family("standard_normal", ("loc", "scale"), (0.0, 1.0), _moved),
    "exponential": _Family(
        "standard_exponential", ("scale",), (1.0,), lambda z, scale: multiply(scale, z)
    ),
}


def spread_out(node: Node) -> Graph | None:
    """What a draw is in terms of one of fixed parameters; None where it is no draw of a family.

    A platform whose compiler contracts NumPy's ``loc + scale * z`` into one rounding has none.
    """
    if node.op is not opaque_call:
        return None
    family, function = _family(node)
    if family is None or not _rounds_twice():
        return None
    return _Spread(node, family).graph(function)


def _family(node: Node) -> tuple[_Family | None, Any]:
    """The family of a draw, and what draws from its standard member."""
    function = node.attributes["function"]
    if isinstance(function, Named):
        family = _FAMILIES.get(function.name)
        if family is not None and function.target is getattr(np.random, function.name):
            standard = getattr(np.random, family.standard)
            return family, Named(standard, f"np.random.{family.standard}")
    if isinstance(function, Member) and _is_generator(node, function.value):
        family = _FAMILIES.get(function.name)
        return family, family and Member(function.value, family.standard)
    return None, None


def advice(node: Node) -> str | None:
    """How to write a draw that has a derivative by its parameters; None for any other node."""
    function = node.attributes.get("function")
    if node.op is not opaque_call or not isinstance(function, Named | Member):
        return None
    if isinstance(function, Member) and not _is_generator(node, function.value):
        return None
    if isinstance(function, Named) and not _is_of_module(function):
        return None
    written = _BY_A_STANDARD_DRAW.get(function.name)
    example = "x = mu + s * rng.normal(size=...)" if written is None else f"x = {written}"
    return (
        f"a draw has no derivative by its parameters: draw with constant ones and compute with"
        f" what is drawn, as in {example}"
    )


_BY_A_STANDARD_DRAW = {
    "gumbel": "mu + s * rng.gumbel(size=...)",
    "laplace": "mu + s * rng.laplace(size=...)",
    "logistic": "mu + s * rng.logistic(size=...)",
    "lognormal": "np.exp(mu + s * rng.normal(size=...))",
    "multivariate_normal": "mean + np.linalg.cholesky(cov) @ rng.normal(size=...)",
    "rayleigh": "s * rng.rayleigh(size=...)",
    "uniform": "low + (high - low) * rng.random(size=...)",
    "weibull": "rng.standard_exponential(size=...) ** (1 / a)",
}


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
        negative = FUNCTIONS[np.logical_and](
            FUNCTIONS[np.signbit](scale), FUNCTIONS[np.equal](scale, scale)
        )
        if not isinstance(scale, Value) or array_type(scale).shape:
            negative = FUNCTIONS[np.any](negative)
        with building(Builder([], self.node.span)) as made:
            raise_(exception=ValueError, arguments=("scale < 0",))
        emit_cond(negative, Block((), made.nodes, ()), Block((), [], ()))

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
        attributes = {
            "function": moved(function),
            "arguments": () if size is None else (moved(size),),
            "type": self.node.result.type,
        }
        drawn: Value = opaque_call(*operands, **attributes)
        drawn.type = self.node.result.type  # also the symbols of sizes that only a run tells
        return drawn


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
