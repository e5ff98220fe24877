"""Random draws: calls with an effect whose results have a type that the arguments tell.

A draw happens once, in its place, under every transform, and what it gives is kept for the backward
sweep. Parameters of a distribution must not carry a derivative: write ``mu + sigma * draw``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff import ops
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.types import FLOAT, GENERATOR, INT, ArrayType, Type
from symdiff.ops.creation import shape_operands
from symdiff.ops.effects import Member, Named
from symdiff.ops.sizes import dims_of
from symdiff.parse.arguments import plain_argument
from symdiff.parse.calls import BUILTINS, METHODS_OF, Keywords
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.opaque import Template
from symdiff.parse.values import Abstract

_FLOAT64, _INT64 = np.dtype("float64"), np.dtype("int64")

# Where the size stands among the positional arguments, and the dtype of what is drawn.
Distribution = tuple[int, np.dtype]
DISTRIBUTIONS: dict[str, Distribution] = {
    "normal": (2, _FLOAT64),
    "uniform": (2, _FLOAT64),
    "lognormal": (2, _FLOAT64),
    "gamma": (2, _FLOAT64),
    "beta": (2, _FLOAT64),
    "exponential": (1, _FLOAT64),
    "standard_normal": (0, _FLOAT64),
    "standard_exponential": (0, _FLOAT64),
    "random": (0, _FLOAT64),
    "random_sample": (0, _FLOAT64),
    "poisson": (1, _INT64),
    "binomial": (2, _INT64),
    "randint": (2, _INT64),
    "integers": (2, _INT64),
}
OF_GENERATORS = frozenset(DISTRIBUTIONS) - {"randint", "random_sample"}
PYTHON_DRAWS: dict[Any, Type] = {
    random.random: FLOAT,
    random.uniform: FLOAT,
    random.gauss: FLOAT,
    random.normalvariate: FLOAT,
    random.expovariate: FLOAT,
    random.randint: INT,
    random.randrange: INT,
}


def drawn_type(
    interp: Interpreter, name: str, arguments: Sequence[Abstract], keywords: Keywords
) -> ArrayType:
    """The type of a draw: a scalar, or an array of the size asked for."""
    place, dtype = DISTRIBUTIONS[name]
    size = arguments[place] if len(arguments) > place else keywords.get("size")
    others = [a for k, a in enumerate(arguments) if k != place]
    others += [a for key, a in keywords.items() if key not in ("size", "dtype", "endpoint")]
    if "dtype" in keywords:
        raise UnsupportedCallError(
            f"{name}(dtype=...)", interp.span, "draw first: rng.normal(size=n).astype(dtype)"
        )
    if size is not None:
        return ArrayType(dtype, dims_of(shape_operands(plain_argument(interp, size))), "array")
    if any(isinstance(v, Value) and v.type.shape for v in _values(interp, others)):  # type: ignore[union-attr]
        raise UnsupportedCallError(
            f"{name} with arrays of parameters", interp.span, "scale a draw: mu + sigma * z"
        )
    strong = dtype == _INT64 and name not in ("poisson", "binomial", "randint")
    return ArrayType(dtype, (), "scalar" if strong else "python")


def _values(interp: Interpreter, arguments: Sequence[Abstract]) -> list[Any]:
    return [plain_argument(interp, a) for a in arguments]


def draw(
    interp: Interpreter,
    function: Any,
    template: Template,
    arguments: Sequence[Abstract],
    keywords: Keywords,
    type_: Type,
) -> Abstract:
    """A call kept in its place, whose result has the given type."""
    args = tuple(template.of(a) for a in arguments)
    named = tuple((name, template.of(a)) for name, a in keywords.items())
    result = ops.opaque_call(
        *template.operands, function=function, arguments=args, keywords=named, type=type_
    )
    return interp.wrap(result)


def _of_module(name: str, function: Any) -> Callable[..., Abstract]:
    def handler(interp: Interpreter, arguments: Sequence[Abstract], keywords: Keywords) -> Abstract:
        type_ = drawn_type(interp, name, arguments, keywords)
        return draw(interp, Named(function, name), Template(interp), arguments, keywords, type_)

    return handler


def _of_generator(name: str) -> Callable[..., Abstract]:
    def method(
        interp: Interpreter, generator: Value, *arguments: Abstract, **keywords: Abstract
    ) -> Abstract:
        template = Template(interp)
        function = Member(template.of(generator), name)
        type_ = drawn_type(interp, name, arguments, keywords)
        return draw(interp, function, template, arguments, keywords, type_)

    return method


def _permutation_type(interp: Interpreter, count: Abstract) -> ArrayType:
    value = plain_argument(interp, count)
    if isinstance(value, Value) and isinstance(value.type, ArrayType) and value.type.shape:
        return value.type
    return ArrayType(_INT64, dims_of(shape_operands(value)), "array")


def _permutation(
    interp: Interpreter, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    type_ = _permutation_type(interp, arguments[0])
    function = Named(np.random.permutation, "permutation")
    return draw(interp, function, Template(interp), arguments, keywords, type_)


def _permuted(interp: Interpreter, generator: Value, count: Abstract) -> Abstract:
    template = Template(interp)
    function = Member(template.of(generator), "permutation")
    return draw(interp, function, template, [count], {}, _permutation_type(interp, count))


def _dimensions(name: str, function: Any) -> Callable[..., Abstract]:
    def handler(interp: Interpreter, arguments: Sequence[Abstract], keywords: Keywords) -> Abstract:
        dims = dims_of(shape_operands(tuple(plain_argument(interp, a) for a in arguments)))
        type_ = ArrayType(_FLOAT64, dims, "array") if dims else FLOAT
        return draw(interp, Named(function, name), Template(interp), arguments, keywords, type_)

    return handler


def _python_draw(function: Any, type_: Type) -> Callable[..., Abstract]:
    def handler(interp: Interpreter, arguments: Sequence[Abstract], keywords: Keywords) -> Abstract:
        named = Named(function, function.__name__)
        return draw(interp, named, Template(interp), arguments, keywords, type_)

    return handler


def _default_rng(
    interp: Interpreter, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    function = Named(np.random.default_rng, "default_rng")
    return draw(interp, function, Template(interp), arguments, keywords, GENERATOR)


for _name in DISTRIBUTIONS:
    if hasattr(np.random, _name):
        BUILTINS[getattr(np.random, _name)] = _of_module(_name, getattr(np.random, _name))
for _name in ("rand", "randn"):
    BUILTINS[getattr(np.random, _name)] = _dimensions(_name, getattr(np.random, _name))
for _function, _type in PYTHON_DRAWS.items():
    BUILTINS[_function] = _python_draw(_function, _type)
BUILTINS[np.random.permutation] = _permutation
BUILTINS[np.random.default_rng] = _default_rng
METHODS_OF[Value] = {name: _of_generator(name) for name in OF_GENERATORS}
METHODS_OF[Value]["permutation"] = _permuted
