"""Random draws: calls with an effect whose results have a type that the arguments tell.

A draw happens once, where the user has written it, under every transform; its result is saved for
the backward sweep. Location and scale of a normal distribution may carry derivatives
(``ops.draws``), parameters of other ones may not: write ``low + width * draw``. What is drawn from
an array, or is an array in another order, is its elements at places that are drawn: these carry
derivatives.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.types import (
    FLOAT,
    GENERATOR,
    INT,
    OPAQUE,
    RANDOM_STATE,
    ArrayType,
    Dim,
    OpaqueType,
    Type,
)
from symdiff.ops.arrays import array_of, shape_operands
from symdiff.ops.creation import arange_of
from symdiff.ops.declare import FUNCTIONS, array_type, broadcast_shapes, static
from symdiff.ops.effects import Member, Named, opaque_call
from symdiff.ops.index import index_of
from symdiff.ops.sizes import dims_of, sizes_of
from symdiff.parse.arguments import plain_argument
from symdiff.parse.calls import BUILTINS, METHODS_OF
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.memory_order import memory_order
from symdiff.parse.opaque import Template
from symdiff.parse.values import Abstract, Arguments, Array, Keywords
from symdiff.parse.views import store_whole

_FLOAT64, _INT64 = np.dtype("float64"), np.dtype("int64")

# The distributions by how many parameters come before the size.
_OF_FLOATS: dict[int, str] = {
    0: "random random_sample standard_cauchy standard_exponential standard_normal",
    1: "chisquare exponential pareto power rayleigh standard_gamma standard_t weibull",
    2: "beta f gamma gumbel laplace logistic lognormal noncentral_chisquare normal uniform vonmises"
    " wald",
    3: "noncentral_f triangular",
}
_OF_INTEGERS: dict[int, str] = {
    1: "geometric logseries poisson zipf",
    2: "binomial integers negative_binomial randint",
    3: "hypergeometric",
}
# Where the size stands among the positional arguments, and the dtype of what is drawn.
Distribution = tuple[int, np.dtype]
DISTRIBUTIONS: dict[str, Distribution] = {
    name: (place, dtype)
    for table, dtype in ((_OF_FLOATS, _FLOAT64), (_OF_INTEGERS, _INT64))
    for place, names in table.items()
    for name in names.split()
}
# Those whose dtype can be chosen: by what stands behind the size.
_CHOOSES_DTYPE = frozenset(
    {"random", "standard_exponential", "standard_gamma", "standard_normal", "integers", "randint"}
)
# Vectors that are drawn: where their parameter stands that is one, the size, and the dtype.
VECTORS: dict[str, tuple[int, int, np.dtype]] = {
    "dirichlet": (0, 1, _FLOAT64),
    "multinomial": (1, 2, _INT64),
    "multivariate_hypergeometric": (0, 2, _INT64),
    "multivariate_normal": (0, 2, _FLOAT64),
}
_VECTOR_NAMES = {
    "dirichlet": "alpha",
    "multinomial": "pvals",
    "multivariate_hypergeometric": "colors",
    "multivariate_normal": "mean",
}
_PYTHONS: dict[Any, Type] = {
    random.random: FLOAT,
    random.uniform: FLOAT,
    random.gauss: FLOAT,
    random.normalvariate: FLOAT,
    random.expovariate: FLOAT,
    random.randint: INT,
    random.randrange: INT,
}

Source = Callable[[Template], Any]  # what is called, of a module or a generator


@dataclass(frozen=True, slots=True)
class Draw:
    """A call that draws; ``keywords`` are its own, to be changed."""

    interp: Interpreter
    source: Source
    arguments: Arguments
    keywords: Keywords

    def kept(self, type_: Type) -> Abstract:
        """The call kept in its place, whose result has the given type."""
        template = Template(self.interp)
        given = {"function": self.source(template), "type": type_}
        return self.interp.wrap(template.emit(opaque_call, self.arguments, self.keywords, **given))

    def of(self, count: Abstract, type_: ArrayType) -> Abstract:
        """Positions that are drawn of so many, in place of elements."""
        return replace(self, arguments=[count]).kept(type_)

    def plain(self, value: Abstract) -> Any:
        """An argument as ops take it."""
        return plain_argument(self.interp, value)

    def named(self, *names: str) -> Draw:
        """The call with arguments by name that were given by position."""
        keywords = {**self.keywords, **dict(zip(names, self.arguments, strict=False))}
        return replace(self, arguments=(), keywords=keywords)


# Types of draws -----------------------------------------------------------------------------------


def _drawn_type(call: Draw, name: str) -> ArrayType:
    """The type of a draw: a number, or an array of the size asked for or of the parameters."""
    arguments, keywords = call.arguments, call.keywords
    place, dtype = DISTRIBUTIONS[name]
    if keywords.get("out") is not None:
        raise UnsupportedCallError(f"{name}(out=...)", hint="assign: x[...] = draw")
    size = arguments[place] if len(arguments) > place else keywords.get("size")
    chosen = keywords.get("dtype")
    if name in _CHOOSES_DTYPE and len(arguments) > place + 1:
        chosen = arguments[place + 1]
    if chosen is not None:
        dtype = np.dtype(static(call.plain(chosen)))
    if size is not None:
        return ArrayType(dtype, _size(call, size), "array")
    shape = _shape_of_all(call, (*arguments[:place], *_parameters(keywords)))
    if shape:
        return ArrayType(dtype, shape, "array")
    return ArrayType(dtype, (), "scalar" if _is_scalar(name, chosen) else "python")


def _parameters(keywords: Keywords) -> list[Abstract]:
    others = ("size", "dtype", "endpoint", "method", "out")
    return [value for name, value in keywords.items() if name not in others]


def _is_scalar(name: str, chosen: Abstract) -> bool:
    """Return whether one draw is a scalar of NumPy's, not a number of Python's."""
    if chosen is None:
        return name == "integers"
    return DISTRIBUTIONS[name][1] == _INT64 and chosen not in (int, bool)


def _size(call: Draw, size: Abstract) -> tuple[Dim, ...]:
    return dims_of(shape_operands(call.plain(size)))


def _shape_of_all(call: Draw, parameters: Sequence[Abstract]) -> tuple[Dim, ...]:
    given = [call.plain(a) for a in parameters if a is not None]
    shapes = [array_type(array_of(value)).shape for value in given]
    return functools.reduce(broadcast_shapes, shapes, ())


def _vector_type(call: Draw, name: str) -> ArrayType:
    """The type of vectors that are drawn: their length stands last."""
    arguments, keywords = call.arguments, call.keywords
    vector, place, dtype = VECTORS[name]
    size = arguments[place] if len(arguments) > place else keywords.get("size")
    given = arguments[vector] if len(arguments) > vector else keywords[_VECTOR_NAMES[name]]
    shape = array_type(array_of(call.plain(given))).shape
    if not shape:
        raise UnsupportedCallError(f"{name} of a number", hint="give a vector")
    lead = shape[:-1]
    if size is not None:
        lead = _size(call, size)
    elif name == "multinomial":
        count = arguments[0] if arguments else keywords["n"]
        lead = broadcast_shapes(_shape_of_all(call, [count]), lead)
    return ArrayType(dtype, (*lead, shape[-1]), "array")


# Draws --------------------------------------------------------------------------------------------

Typed = Callable[[Draw, str], Type]
Drawing = Callable[[Draw], Abstract]


def _plain(name: str, typed: Typed) -> Drawing:
    """A draw whose result has a type that its arguments tell."""
    return lambda call: call.kept(typed(call, name))


def _by_lengths(call: Draw, name: str) -> ArrayType:
    """``rand(2, 3)``."""
    dims = dims_of(shape_operands(tuple(map(call.plain, call.arguments))))
    return ArrayType(_FLOAT64, dims, "array") if dims else FLOAT


def _elements(call: Draw, x: Value, type_: ArrayType, axis: int) -> Abstract:
    """Elements of an array along an axis, at places that are drawn."""
    places = call.interp.lift(call.of(sizes_of(x)[axis], type_))
    return call.interp.wrap(FUNCTIONS[np.take](x, places, axis=axis))


def _permutation(call: Draw) -> Abstract:
    """``permutation(n)``, or the elements of an array in an order that is drawn."""
    call = call.named("x", "axis")
    value, axis = call.plain(call.keywords.pop("x")), int(static(call.keywords.pop("axis", 0)))
    if not isinstance(value, list | tuple) and not array_type(value).shape:
        type_ = ArrayType(_INT64, dims_of(shape_operands(value)), "array")
        return call.of(value, type_)
    x = array_of(value)
    return _elements(call, x, ArrayType(_INT64, (array_type(x).shape[axis],), "array"), axis)


def _choice(call: Draw) -> Abstract:
    """``choice(n, size)``, or elements of an array at places that are drawn."""
    call = call.named("a", "size", "replace", "p", "axis", "shuffle")
    value, axis = call.plain(call.keywords.pop("a")), int(static(call.keywords.pop("axis", 0)))
    size = call.keywords.get("size")
    type_ = INT if size is None else ArrayType(_INT64, _size(call, size), "array")
    if not isinstance(value, list | tuple) and not array_type(value).shape:
        return call.of(value, type_)
    return _elements(call, array_of(value), type_, axis)


def _shuffle(call: Draw) -> Abstract:
    """``shuffle(x)`` of a vector: its elements in an order that is drawn."""
    interp, (x,) = call.interp, call.arguments
    read = interp.heap.read(x) if isinstance(x, Array) else None
    if read is None or len(array_type(read).shape) != 1 or call.keywords:
        raise UnsupportedCallError(
            f"shuffle of {describe(x)}", hint="x = x[rng.permutation(len(x))]"
        )
    assert isinstance(x, Array)
    permutation = replace(call, source=functools.partial(_other_method, call.source))
    type_ = ArrayType(_INT64, array_type(read).shape, "array")
    order = interp.lift(permutation.of(sizes_of(read)[0], type_))
    store_whole(interp, x, index_of(read, order))
    return None


def _other_method(source: Source, template: Template) -> Any:
    """``permutation`` of what ``shuffle`` is a method of."""
    function = source(template)
    if isinstance(function, Named):
        return Named(np.random.permutation, "permutation")
    return Member(function.value, "permutation")


def _permuted(call: Draw) -> Abstract:
    """``permuted(x, axis=0)``: elements in an order that is drawn, those of each line by itself.
    Without an axis, they are drawn as they lie in memory.
    """
    given, *rest = call.arguments or (call.keywords["x"],)
    call = replace(call, keywords={k: v for k, v in call.keywords.items() if k != "x"})
    x = array_of(call.plain(given))
    if call.keywords.pop("out", None) is not None:
        raise UnsupportedCallError("permuted(out=...)", hint="assign: x[...] = draw")
    axis = call.keywords.get("axis")
    lies = "C" if array_type(x).rank < 2 or axis is not None else memory_order(call.interp, x)
    if lies is None:
        message = "permuted of an array of which it is not known how it lies in memory"
        raise UnsupportedCallError(message, hint="give it np.ascontiguousarray(x), or an axis")
    if lies == "F":
        x = FUNCTIONS[np.transpose](x)
    row = FUNCTIONS[np.ravel](x)
    places = FUNCTIONS[np.reshape](arange_of(sizes_of(row)[0]), sizes_of(x))
    type_ = ArrayType(_INT64, array_type(x).shape, "array")
    order = call.interp.lift(replace(call, arguments=[places, *rest]).kept(type_))
    drawn = index_of(row, order)
    return call.interp.wrap(FUNCTIONS[np.transpose](drawn) if lies == "F" else drawn)


def _seed(call: Draw) -> Abstract:
    call.kept(OPAQUE)
    return None


DRAWS: dict[str, Drawing] = {
    **{name: _plain(name, _drawn_type) for name in DISTRIBUTIONS},
    **{name: _plain(name, _vector_type) for name in VECTORS},
    **{name: _plain(name, _by_lengths) for name in ("rand", "randn")},
    "permutation": _permutation,
    "choice": _choice,
    "shuffle": _shuffle,
    "permuted": _permuted,
    "seed": _seed,
}

# Registration -------------------------------------------------------------------------------------


def _of_module(name: str, drawing: Drawing) -> Callable[..., Abstract]:
    function = getattr(np.random, name)

    def handler(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
        return drawing(Draw(interp, lambda _: Named(function, name), arguments, keywords))

    return handler


def _of_generator(name: str, drawing: Drawing) -> Callable[..., Abstract]:
    def method(
        interp: Interpreter, generator: Value, *arguments: Abstract, **keywords: Abstract
    ) -> Abstract:
        def source(template: Template) -> Member:
            return Member(template.of(generator), name)

        return drawing(Draw(interp, source, arguments, keywords))

    return method


def _python_draw(function: Any, type_: Type) -> Callable[..., Abstract]:
    named = Named(function, function.__name__)

    def handler(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
        return Draw(interp, lambda _: named, arguments, keywords).kept(type_)

    return handler


_MADE: dict[Any, OpaqueType] = {
    np.random.default_rng: GENERATOR,
    np.random.Generator: GENERATOR,
    np.random.RandomState: RANDOM_STATE,
}
_BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "SeedSequence")
_MADE |= {getattr(np.random, name): OPAQUE for name in _BIT_GENERATORS}

for _name, _drawing in DRAWS.items():
    if hasattr(np.random, _name):
        BUILTINS[getattr(np.random, _name)] = _of_module(_name, _drawing)
for _function, _type in (*_PYTHONS.items(), *_MADE.items()):
    BUILTINS[_function] = _python_draw(_function, _type)
METHODS_OF[Value] = {name: _of_generator(name, drawing) for name, drawing in DRAWS.items()}
