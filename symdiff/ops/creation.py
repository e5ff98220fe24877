"""Arrays from nothing and from numbers: ``zeros``, ``full``, ``eye``, ``arange``, ``array`` ….

Lengths are operands; the dimensions of the result's type are the attribute ``shape``:

    zeros(*sizes; shape, dtype)    full(value, *sizes; shape, dtype)    arange(start, stop, step; …)
    array(*elements; nested, dtype) is ``np.array`` of nested lists of the elements, row by row
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.build import builder
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import FLOAT, INT, ArrayType, Dim, ListType, Size, Type, may_be_one, shifted
from symdiff.ops.declare import (
    OnArrays,
    Operation,
    Spelling,
    array_type,
    declare,
    dotted,
    literal,
    lowers,
    require_array,
    static,
    static_integer,
    template,
)
from symdiff.ops.elementary import astype, constant_of, result_dtype
from symdiff.ops.sizes import (
    constant_integer,
    dim_of,
    dims_of,
    result_type,
    sizes_of,
    spell_shape,
)

FLOAT64 = np.dtype("float64")
INTEGER = np.dtype("int64")


def _infer_filled(
    *sizes: Type, shape: tuple[Dim, ...], dtype: np.dtype, like: bool = False
) -> tuple[Type, ...]:
    return result_type(dtype, shape)


def _spell_filled(function: str) -> Spelling:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        shape = spell_shape(node, operands)
        source = _prototype(node, shape)
        if source is not None:
            keyword = _dtype_keyword(node, source.dtype)
            return ast.Call(dotted(f"np.{function}_like"), [shape.value], keyword)  # type: ignore[attr-defined]
        return ast.Call(dotted(f"np.{function}"), [shape], _dtype_keyword(node, FLOAT64))

    return spell


def is_made_like(node: Node) -> bool:
    """Whether the user made an array like another one, as which it lies in memory.

    Derivatives lie in C order, as what is made of a shape.
    """
    return node.attributes.get("like", False) and node.result.role == "primal"


def _prototype(node: Node, shape: ast.expr) -> ArrayType | None:
    """The type of the array that one is made like, if that is at hand."""
    if not is_made_like(node) or not isinstance(shape, ast.Attribute):
        return None
    sources = (v.node.operands[0] for v in node.operands if v.node and v.node.op.name == "size")
    source = array_type(next(sources))
    return source if source.kind == "array" else None


def _dtype_keyword(node: Node, default: np.dtype | None) -> list[ast.keyword]:
    dtype = node.attributes["dtype"]
    return [] if dtype == default else [ast.keyword("dtype", literal(dtype))]


def _filled(name: str, function: Any, documentation: str) -> Operation:
    def evaluate(*sizes: int, shape: tuple[Dim, ...], dtype: np.dtype, like: bool = False) -> Any:
        return function(sizes, dtype=dtype)

    return declare(
        Operation(
            name,
            _infer_filled,
            evaluate,
            raises=True,
            spelling=_spell_filled(name),
            nondifferentiable=True,
            order="packed",
            fresh=True,
            documentation=documentation,
        )
    )


zeros = _filled("zeros", np.zeros, "An array of zeros.")
ones = _filled("ones", np.ones, "An array of ones.")
empty = _filled("empty", np.empty, "An array whose elements are arbitrary until written.")


def zeros_of(x: Value) -> Value:
    """Zeros of a value's type: the cotangent of what nothing flows into."""
    type_ = x.type
    if not isinstance(type_, ArrayType):
        from symdiff.ops.lists import list_zeros_like

        return list_zeros_like(x)
    if type_.kind != "array":
        return builder().constant(_zero(type_))
    return zeros(*sizes_of(x), shape=type_.shape, dtype=type_.dtype)


def _zero(type_: ArrayType) -> Any:
    zero = type_.dtype.type(0)
    return zero.item() if type_.weak or type_.dtype == FLOAT64 else zero


# Ranges -------------------------------------------------------------------------------------------


def _infer_range_length(start: Type, stop: Type, step: Type) -> tuple[Type, ...]:
    return (INT,)


def _infer_range_element(start: Type, step: Type, k: Type) -> tuple[Type, ...]:
    return (INT,)


def _spell_range_length(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Call(dotted("len"), [ast.Call(dotted("range"), list(operands), [])], [])


def _spell_range_element(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    start, step, k = operands
    return ast.BinOp(start, ast.Add(), ast.BinOp(k, ast.Mult(), step))


range_length = declare(
    Operation(
        "range_length",
        _infer_range_length,
        lambda start, stop, step: len(range(start, stop, step)),
        raises=True,
        spelling=_spell_range_length,
        nondifferentiable=True,
        order="none",
        cost="plain",
        documentation="How many turns ``for _ in range(start, stop, step)`` has.",
    ),
    3,
)
range_element = declare(
    Operation(
        "range_element",
        _infer_range_element,
        lambda start, step, k: start + step * k,
        spelling=_spell_range_element,
        nondifferentiable=True,
        order="none",
        cost="plain",
        documentation="The ``k``-th element of a range, ``start + k * step``.",
    ),
    3,
)


def range_length_of(start: Operand, stop: Operand, step: Operand = 1) -> Operand:
    """The length of a range: a number where it is known, ``stop`` where that is a length from 0."""
    known = [constant_integer(part) for part in (start, stop, step)]
    if all(part is not None for part in known):
        return len(range(*known))  # type: ignore[arg-type]
    length = isinstance(stop, Value) and stop.node is not None and stop.node.op.name == "size"
    if length and (known[0], known[2]) == (0, 1):
        return stop
    return range_length(start, stop, step)


def range_element_of(start: Operand, step: Operand, k: Value) -> Value:
    """``start + k * step``, folded to ``k`` or ``start + k`` where that is what it is."""
    if constant_integer(step) == 1:
        return k if constant_integer(start) == 0 else k + start
    return range_element(start, step, k)


int_minimum = declare(
    Operation(
        "int_minimum",
        lambda a, b: (INT,),
        min,
        spelling=template("min({0}, {1})"),
        nondifferentiable=True,
        order="none",
        documentation="The lesser of two integers, Python's ``min``.",
    ),
    2,
)


# full ---------------------------------------------------------------------------------------------


def _infer_full(
    value: Type, *sizes: Type, shape: tuple[Dim, ...], dtype: np.dtype, like: bool = False
) -> tuple[Type, ...]:
    if require_array(value, "full").rank > len(shape):
        raise UnsupportedCallError("full of more dimensions than the shape has", None, "index it")
    return result_type(dtype, shape)


def _spell_full(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    value = array_type(node.operands[0])
    keywords = _dtype_keyword(node, value.dtype)
    shape = spell_shape(node, operands, 1)
    source = _prototype(node, shape)
    if source is not None:
        keyword = _dtype_keyword(node, source.dtype)
        return ast.Call(dotted("np.full_like"), [shape.value, operands[0]], keyword)  # type: ignore[attr-defined]
    return ast.Call(dotted("np.full"), [shape, operands[0]], keywords)


def _full_vjp(g: Value, y: Value, value: Value, *sizes: Value, **attributes: Any) -> Value:
    from symdiff.ops.reduce import unbroadcast_to  # reductions are written with these ops

    return unbroadcast_to(g, value)


full = declare(
    Operation(
        "full",
        _infer_full,
        lambda value, *sizes, shape, dtype, like=False: np.full(sizes, value, dtype=dtype),
        raises=True,
        spelling=_spell_full,
        linear=frozenset({0}),
        vjp={0: _full_vjp},
        sympy=OnArrays(
            lambda sp, value, *sizes, **_: np.full([int(n) for n in sizes], value, dtype=object)
        ),
        order="packed",
        fresh=True,
        example="np.full(5, a)",
        documentation="An array whose elements all have one value.",
    ),
    1,
)


# eye ----------------------------------------------------------------------------------------------


def _infer_eye(
    n: Type, m: Type, *, k: int, shape: tuple[Dim, ...], dtype: np.dtype
) -> tuple[Type, ...]:
    return result_type(dtype, shape)


def _spell_eye(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    n, m = node.attributes["shape"]
    keywords = [ast.keyword("k", literal(node.attributes["k"]))] if node.attributes["k"] else []
    keywords += _dtype_keyword(node, FLOAT64)
    return ast.Call(dotted("np.eye"), list(operands[: 1 if n == m else 2]), keywords)


eye = declare(
    Operation(
        "eye",
        _infer_eye,
        lambda n, m, *, k, shape, dtype: np.eye(n, m, k, dtype=dtype),
        raises=True,
        spelling=_spell_eye,
        nondifferentiable=True,
        order="packed",
        documentation="Ones on the ``k``-th diagonal, zeros elsewhere.",
    ),
    2,
)


# arange, linspace ---------------------------------------------------------------------------------


def _infer_range(
    start: Type, stop: Type, step: Type, *, shape: tuple[Dim, ...], dtype: np.dtype, **more: Any
) -> tuple[Type, ...]:
    return result_type(dtype, shape)


def _range_dtype(types: Iterable[ArrayType]) -> np.dtype:
    """What ``arange`` gives: at least 64-bit integers; float32 becomes float64."""
    return np.result_type(INTEGER, *(type_.dtype for type_ in types))


def _line_dtype(types: Sequence[ArrayType]) -> np.dtype:
    """What ``linspace`` gives: NumPy's promotion with a Python float."""
    return result_dtype(*types, FLOAT)


def _spell_arange(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    types = [array_type(value) for value in node.operands]
    unit = types[2] == INT and constant_integer(node.operands[2]) == 1
    from_zero = types[0] == INT and constant_integer(node.operands[0]) == 0
    shown = operands[1:2] if unit and from_zero else operands[:2] if unit else operands
    keywords = _dtype_keyword(node, _range_dtype(types))
    return ast.Call(dotted("np.arange"), list(shown), keywords)


def _summed_to(g: Value, x: Value) -> Value:
    from symdiff.ops.reduce import unbroadcast_to  # reductions are written with these ops

    return unbroadcast_to(g, x)


def _positions(y: Value) -> Value:
    """0, 1, 2, … in the type of the one-dimensional ``y``."""
    count = sizes_of(y)[0]
    shape = array_type(y).shape
    return arange(0, count, 1, shape=shape, dtype=array_type(y).dtype)


def _constant_filled(t: Value, y: Value) -> Value:
    type_ = array_type(y)
    return full(t, *sizes_of(y), shape=type_.shape, dtype=type_.dtype)


arange = declare(
    Operation(
        "arange",
        _infer_range,
        lambda start, stop, step, *, shape, dtype: np.arange(start, stop, step, dtype=dtype),
        raises=True,
        spelling=_spell_arange,
        vjp={
            0: lambda g, y, start, stop, step, **_: _summed_to(g, start),
            2: lambda g, y, start, stop, step, **_: _summed_to(g * _positions(y), step),
        },
        jvp={
            0: lambda t, y, start, stop, step, **_: _constant_filled(t, y),
            2: lambda t, y, start, stop, step, **_: t * _positions(y),
        },
        nondifferentiable=frozenset({1}),
        order="packed",
        example="np.arange(a, 5.0)",
        documentation="``start, start + step, …`` below ``stop``.",
    ),
    3,
)


def arange_of(count: Operand) -> Value:
    """The integers below a count."""
    shape = (dim_of(count),)
    return arange(0, count, 1, shape=shape, dtype=INTEGER)


def _evaluate_linspace(
    start: Any, stop: Any, num: int, *, shape: Any, dtype: np.dtype, endpoint: bool = True
) -> Any:
    return np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)


def _spell_linspace(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    keywords = [] if node.attributes["endpoint"] else [ast.keyword("endpoint", literal(False))]
    natural = _line_dtype([array_type(value) for value in node.operands[:2]])
    keywords += _dtype_keyword(node, natural)
    return ast.Call(dotted("np.linspace"), list(operands), keywords)


def _weights(y: Value, endpoint: bool) -> Value:
    """How much of ``stop`` is in each element."""
    num = sizes_of(y)[0]
    attributes = {"shape": array_type(y).shape, "dtype": array_type(y).dtype, "endpoint": endpoint}
    return linspace(0.0, 1.0, num, **attributes)


linspace = declare(
    Operation(
        "linspace",
        _infer_range,
        _evaluate_linspace,
        raises=True,
        spelling=_spell_linspace,
        vjp={
            0: lambda g, y, a, b, num, *, endpoint, **_: _summed_to(
                g * (1.0 - _weights(y, endpoint)), a
            ),
            1: lambda g, y, a, b, num, *, endpoint, **_: _summed_to(g * _weights(y, endpoint), b),
        },
        jvp={
            0: lambda t, y, a, b, num, *, endpoint, **_: t * (1.0 - _weights(y, endpoint)),
            1: lambda t, y, a, b, num, *, endpoint, **_: t * _weights(y, endpoint),
        },
        nondifferentiable=frozenset({2}),
        order="packed",
        example="np.linspace(a, b, 5)",
        documentation="``num`` evenly spaced numbers from ``start`` to ``stop``.",
    ),
    3,
)


# array --------------------------------------------------------------------------------------------


def _infer_array(*elements: Type, nested: tuple[int, ...], dtype: np.dtype) -> tuple[Type, ...]:
    shapes = [require_array(element, "array").shape for element in elements]
    if len({len(shape) for shape in shapes}) > 1:
        raise rejection(
            ValueError,
            "setting an array element with a sequence. "
            "The requested array has an inhomogeneous shape",
        )
    inner = tuple(agreed_dim(dims) for dims in zip(*shapes, strict=True))
    return result_type(dtype, (*nested, *inner))


def _elements_fit(node: Node) -> bool:
    """Whether elements are known to have one shape, and to fit into the dtype."""
    shapes = {array_type(element).shape for element in node.operands}
    dtype = node.attributes["dtype"]
    return len(shapes) < 2 and all(_is_in_range(element, dtype) for element in node.operands)


def _is_in_range(element: Value, dtype: np.dtype) -> bool:
    type_ = array_type(element)
    if not np.can_cast(type_.dtype, dtype, "same_kind"):
        return False
    if type_.dtype.kind != "i" or not type_.weak:
        return True
    return constant_of(element) is not None and dtype.itemsize >= type_.dtype.itemsize


def agreed_dim(dims: Iterable[Dim]) -> Dim:
    """What is known of a length that all of these are."""
    ordered = list(dims)
    constants = [dim for dim in ordered if isinstance(dim, int)]
    certain = [dim for dim in ordered if not may_be_one(dim)]
    return (constants or certain or ordered)[0]


def _nest(elements: Sequence[Any], nested: tuple[int, ...], row: Callable[[list[Any]], Any]) -> Any:
    """Elements in nested rows of the given lengths."""
    rows = list(elements)
    for length in reversed(nested[1:]):
        rows = [row(rows[k : k + length]) for k in range(0, len(rows), length)]
    return row(rows)


def _evaluate_array(*elements: Any, nested: tuple[int, ...], dtype: Any) -> Any:
    if 0 in nested:
        return np.zeros(nested, dtype)
    return np.array(_nest(elements, nested, lambda row: row), dtype)


def _spell_array(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    nested: tuple[int, ...] = node.attributes["nested"]
    if 0 in nested:
        return ast.Call(dotted("np.zeros"), [literal(nested)], _dtype_keyword(node, FLOAT64))
    rows = _nest(operands, nested, lambda row: ast.List(row, ast.Load()))
    natural = np.result_type(*(array_type(value).dtype for value in node.operands))
    return ast.Call(dotted("np.array"), [rows], _dtype_keyword(node, natural))


def _array_tangent(
    ts: Sequence[Value | None], y: Value, *elements: Value, **attributes: Any
) -> Value:
    pairs = zip(ts, elements, strict=True)
    shares = [zero_tangent(x) if t is None else t for t, x in pairs]
    return array(*shares, **attributes)


def zero_tangent(x: Value) -> Value | float:
    """Zeros shaped like an operand; a number for a number."""
    return 0.0 if not array_type(x).shape else zeros_of(x)


def one_hot(position: int, t: Value, count: int) -> list[Value | None]:
    """The tangents of ``count`` operands of which one has one."""
    return [t if k == position else None for k in range(count)]


def _array_vjp(
    position: int, g: Value, y: Value, *elements: Value, nested: Any, dtype: Any
) -> Value:
    from symdiff.ops.index import index_of
    from symdiff.ops.reduce import unbroadcast_to

    place = tuple(int(k) for k in np.unravel_index(position, nested))
    return unbroadcast_to(index_of(g, place), elements[position])


def _array_jvp(position: int, t: Value, y: Value, *elements: Value, **attributes: Any) -> Value:
    return _array_tangent(one_hot(position, t, len(elements)), y, *elements, **attributes)


array = declare(
    Operation(
        "array",
        _infer_array,
        _evaluate_array,
        raises=True,
        harmless=_elements_fit,
        spelling=_spell_array,
        variadic=True,
        vjp=_array_vjp,
        jvp=_array_jvp,
        tangent=_array_tangent,
        sympy=OnArrays(
            lambda sp, *xs, nested, dtype: _evaluate_array(*xs, nested=nested, dtype=object)
        ),
        order="packed",
        fresh=True,
        example="np.array([a, b])",
        documentation="``np.array`` of (nested lists of) numbers or of arrays of one shape.",
    )
)


def array_of(data: Any, dtype: Any = None) -> Value:
    """An array of what a program gives for one: values, numbers, nested lists of them.

    A staged array is itself; what is made of numbers and lists is fresh.
    """
    if isinstance(data, Value):
        return _stacked(data, dtype) if isinstance(data.type, ListType) else data
    if isinstance(data, np.ndarray | np.generic | int | float | complex):
        return builder().constant(data)
    if not isinstance(data, list | tuple):
        raise rejection(TypeError, f"a number, an array or a list of them is needed, not {data!r}")
    nested, elements = _elements(data)
    values = [array_of(element) for element in elements]
    wanted = [array_type(value).dtype for value in values] or [FLOAT64]
    chosen = np.result_type(*wanted) if dtype is None else np.dtype(dtype)
    return array(*values, nested=nested, dtype=chosen)


def _stacked(items: Value, dtype: Any) -> Value:
    from symdiff.ops.lists import list_stack_of

    return list_stack_of(items, dtype)


def _elements(data: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The lengths of nested lists and their elements row by row."""
    nested: list[int] = []
    rows: list[Any] = [data]
    while rows and any(isinstance(row, list | tuple) for row in rows):
        lengths = {len(row) if isinstance(row, list | tuple) else -1 for row in rows}
        if len(lengths) > 1:
            raise rejection(
                ValueError,
                "setting an array element with a sequence. The requested array has an "
                f"inhomogeneous shape after {len(nested)} dimensions.",
            )
        nested.append(lengths.pop())
        rows = [element for row in rows for element in row]
    return tuple(nested), rows


# Lowerings ----------------------------------------------------------------------------------------


def dtype_of(dtype: Any, default: np.dtype = FLOAT64) -> np.dtype:
    """The dtype that a program names."""
    dtype = static(dtype)
    return default if dtype is None else np.dtype(dtype)


def shape_operands(shape: Any) -> tuple[Operand, ...]:
    """The lengths in a shape argument: an int or a sequence of them."""
    sizes = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    for length in sizes:
        if not isinstance(length, Value) and not isinstance(length, int | np.integer):
            raise rejection(
                TypeError, f"expected a sequence of integers or a single integer, got {shape!r}"
            )
        if isinstance(length, Value) and array_type(length).dtype.kind not in "iu":
            raise rejection(
                TypeError, f"'{length.type}' object cannot be interpreted as an integer"
            )
        if isinstance(length, Value) and array_type(length).shape:
            raise UnsupportedCallError("a shape held in an array", None, "pass a tuple of ints")
    return tuple(s if isinstance(s, Value) else int(s) for s in sizes)


def _lower_filled(operation: Operation) -> Callable[..., Value]:
    def lowering(shape: Any, dtype: Any = None, order: Any = "C") -> Value:
        sizes = shape_operands(shape)
        dims = dims_of(sizes)
        return _laid_out(operation(*sizes, shape=dims, dtype=dtype_of(dtype)), None, order)

    return lowering


def _like(prototype: Any, shape: Any) -> tuple[Value, tuple[Operand, ...], tuple[Dim, ...]]:
    x = array_of(prototype)
    if shape is not None:
        sizes = shape_operands(shape)
        return x, sizes, dims_of(sizes)
    return x, sizes_of(x), array_type(x).shape


def _lower_like(operation: Operation) -> Callable[..., Value]:
    def lowering(
        a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None
    ) -> Value:
        x, sizes, dims = _like(a, shape)
        chosen = dtype_of(dtype, array_type(x).dtype)
        made = operation(*sizes, shape=dims, dtype=chosen, **_marked(shape, order))
        return _laid_out(made, x, order)

    return lowering


def _marked(shape: Any, order: Any) -> dict[str, bool]:
    """The mark of an array that is made like another in its shape and order."""
    return {"like": True} if shape is None and static(order) == "K" else {}


def _laid_out(made: Value, prototype: Value | None, order: Any) -> Value:
    """A new array, which lies in C order, in the order asked for."""
    from symdiff.ops.shape import laid_like

    rank, wanted = array_type(made).rank, static(order)
    if rank < 2 or wanted == "C":
        return made
    if wanted == "F":
        return _ordered(made, wanted)
    if prototype is None or array_type(prototype).rank != rank:
        return made
    if wanted == "A":
        raise UnsupportedCallError("order='A' of a new array", None, "say order='C' or order='F'")
    return laid_like(made, prototype)


for _function, _similar, _operation in (
    (np.zeros, np.zeros_like, zeros),
    (np.ones, np.ones_like, ones),
    (np.empty, np.empty_like, empty),
):
    lowers(_function)(_lower_filled(_operation))
    lowers(_similar)(_lower_like(_operation))


@lowers(np.full)
def lower_full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C") -> Value:
    value, sizes = array_of(fill_value), shape_operands(shape)
    chosen = dtype_of(dtype, array_type(value).dtype)
    return _laid_out(full(value, *sizes, shape=dims_of(sizes), dtype=chosen), None, order)


@lowers(np.full_like)
def lower_full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
) -> Value:
    x, sizes, dims = _like(a, shape)
    chosen = dtype_of(dtype, array_type(x).dtype)
    attributes = {"shape": dims, "dtype": chosen} | _marked(shape, order)
    return _laid_out(full(array_of(fill_value), *sizes, **attributes), x, order)


@lowers(np.eye)
def lower_eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: Any = "C") -> Value:
    n, m = shape_operands((N, N if M is None else M))
    shape = dims_of((n, m))
    attributes = {"k": static_integer(k), "shape": shape, "dtype": dtype_of(dtype)}
    return eye(n, m, **attributes)


@lowers(np.identity)
def lower_identity(n: Any, dtype: Any = None) -> Value:
    return lower_eye(n, dtype=dtype)  # type: ignore[no-any-return]


@lowers(np.arange)
def lower_arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Value:
    if stop is None:
        start, stop = 0, start
    parts = tuple(array_of(part) for part in (start, stop, 1 if step is None else step))
    natural = _range_dtype([array_type(part) for part in parts])
    attributes = {"shape": (_arange_dim(*parts),), "dtype": dtype_of(dtype, natural)}
    return arange(*parts, **attributes)


def _arange_dim(start: Value, stop: Value, step: Value) -> Dim:
    known = [_constant(part) for part in (start, stop, step)]
    if all(number is not None for number in known):
        return len(np.arange(*known))
    if all(array_type(part).dtype.kind in "iu" for part in (start, stop, step)):
        first, last = dim_of(start), dim_of(stop)
        if known[2] == 1 and isinstance(first, int):
            return shifted(last, -first)
    label = ",".join(str(dim_of(part)) for part in (start, stop, step))
    return Size(f"arange({label})", open=True)


def _constant(value: Value) -> Any:
    if value.node is None or value.node.op.name != "constant":
        return None
    return value.node.attributes["value"]


@lowers(np.linspace)
def lower_linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    first, last, count = array_of(start), array_of(stop), shape_operands(num)[0]
    if array_type(first).shape or array_type(last).shape:
        return NotImplemented
    natural = _line_dtype([array_type(first), array_type(last)])
    attributes = {"shape": (dim_of(count),), "dtype": dtype_of(dtype, natural)}
    whole = bool(static(endpoint))
    made = linspace(first, last, count, endpoint=whole, **attributes)
    if not static(retstep):
        return made
    return made, (last - first) / (count - 1 if whole else count)


@lowers(np.array)
def lower_array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: Any = 0,
) -> Value:
    if static(copy) is True:
        x = _ordered(_fresh(object, dtype, static(order)), static(order))
    else:
        x = lower_asarray(object, dtype, order, copy=copy)
    missing = static_integer(ndmin) - array_type(x).rank
    if missing <= 0:
        return x
    from symdiff.ops.index import index_of

    return index_of(x, (None,) * missing + (Ellipsis,))


def _fresh(data: Any, dtype: Any, order: Any = "K") -> Value:
    from symdiff.ops.shape import copy

    staged_list = isinstance(data, Value) and isinstance(data.type, ListType)
    if isinstance(data, list | tuple) or staged_list:
        return array_of(data, static(dtype))
    x = array_of(data)
    chosen = dtype_of(dtype, array_type(x).dtype)
    if chosen == array_type(x).dtype:
        return copy_in(x, order)
    cast: Value = astype(x, dtype=chosen)
    return cast if array_type(cast).kind == "array" else copy(cast)


def copy_in(x: Value, order: Any) -> Value:
    """A fresh array; ``order`` as NumPy's copies take it."""
    from symdiff.ops.shape import copy

    wanted = static(order)
    if array_type(x).rank < 2 or wanted in ("C", None):
        return copy(x)
    if wanted == "A":
        raise UnsupportedCallError("a copy with order='A'", None, "say order='C' or order='F'")
    kept = copy(x, order="K")
    return _ordered(kept, wanted)


def _ordered(x: Value, order: Any) -> Value:
    """An array itself where it lies in an order, or none is asked for; else a copy that does."""
    from symdiff.ops.shape import contiguous

    if order not in ("C", "F") or array_type(x).kind != "array":
        return x
    return contiguous(x, order=order)


@lowers(np.asarray, np.asanyarray)
def lower_asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Value:
    """An array itself, if it lies as asked; anything else made one."""
    wanted = static(order)
    if static(copy):
        return lower_array(a, dtype, order=order or "K")  # type: ignore[no-any-return]
    if isinstance(a, Value) and isinstance(a.type, ListType):
        return array_of(a, static(dtype))
    if isinstance(a, Value) and array_type(a).kind == "array":
        same = dtype_of(dtype, array_type(a).dtype) == array_type(a).dtype
        if same:
            return _ordered(a, wanted)
    if static(copy) is False:
        raise rejection(ValueError, "Unable to avoid copy while creating an array as requested.")
    return _ordered(_fresh(a, dtype), wanted)


def _lower_contiguous(order: str) -> Callable[..., Value]:
    def lowering(a: Any, dtype: Any = None, *, like: Any = None) -> Value:
        x = lower_asarray(a, dtype, order)
        if array_type(x).rank:
            return x  # type: ignore[no-any-return]
        from symdiff.ops.shape import reshape

        return reshape(x, 1, shape=(1,))

    return lowering


lowers(np.ascontiguousarray)(_lower_contiguous("C"))
lowers(np.asfortranarray)(_lower_contiguous("F"))
