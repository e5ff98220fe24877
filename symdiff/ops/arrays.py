"""``np.array`` of numbers, of lists and of other arrays, and what calls that make arrays mean.

``array(*elements; nested, dtype)`` is ``np.array`` of nested lists of the elements, row by row.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejecting, rejection
from symdiff.ir.build import builder, constant_value
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import ArrayType, Dim, ListType, Size, shifted
from symdiff.ops import patterns
from symdiff.ops.arithmetic import constant_of
from symdiff.ops.batching import Lanes
from symdiff.ops.casts import astype
from symdiff.ops.creation import (
    FLOAT64,
    _dtype_keyword,
    _line_dtype,
    _range_dtype,
    agreed_dim,
    arange,
    empty,
    eye,
    full,
    linspace,
    ones,
    zero_tangent,
    zeros,
)
from symdiff.ops.declare import (
    OnArrays,
    Operation,
    array_type,
    dotted,
    literal,
    lowers,
    static,
    static_integer,
)
from symdiff.ops.fitting import keep_lengths
from symdiff.ops.flops import nothing
from symdiff.ops.list_arrays import list_stack_of
from symdiff.ops.shape import contiguous, copy, laid_like, reshape
from symdiff.ops.sizes import dim_of, dims_of, sizes_of

# array --------------------------------------------------------------------------------------------


def _infer_array(*elements: ArrayType, nested: tuple[int, ...], dtype: np.dtype) -> ArrayType:
    shapes = [element.shape for element in elements]
    if len({len(shape) for shape in shapes}) > 1:
        raise rejection(
            ValueError,
            "setting an array element with a sequence. "
            "The requested array has an inhomogeneous shape",
        )
    inner = tuple(agreed_dim(dims) for dims in zip(*shapes, strict=True))
    return ArrayType(dtype, (*nested, *inner))


def _elements_fit(node: Node) -> bool:
    """Return whether elements are known to have one shape, and to fit into the dtype."""
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


def _array_vjp(
    position: int, g: Value, y: Value, *elements: Value, nested: Any, dtype: Any
) -> Value:
    return g[tuple(int(k) for k in np.unravel_index(position, nested))]


def _batch_array(
    b: Lanes, op: Any, *elements: Value, nested: tuple[int, ...], dtype: np.dtype
) -> Value:
    made = array(*b.whole(*elements), nested=nested, dtype=dtype)
    return b.moved(made, len(nested))


def _pattern_array(e: patterns.Elements, op: Any, *, nested: Any, dtype: np.dtype) -> np.ndarray:
    return _evaluate_array(*e.ids, nested=nested, dtype=np.dtype(np.int64))  # type: ignore[no-any-return]


array = Operation.of_arrays(
    "array",
    _infer_array,
    _evaluate_array,
    raises=True,
    harmless=_elements_fit,
    spelling=_spell_array,
    vjp=_array_vjp,
    tangent=_array_tangent,
    broadcasts=True,
    sympy=OnArrays(
        lambda sp, *xs, nested, dtype: _evaluate_array(*xs, nested=nested, dtype=object)
    ),
    order="packed",
    fresh=True,
    example="np.array([a, b])",
    flops=nothing,
    batch=_batch_array,
    pattern=_pattern_array,
    documentation="``np.array`` of (nested lists of) numbers or of arrays of one shape.",
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
    values = [array_of(_number(element, dtype)) for element in elements]
    wanted = [array_type(value).dtype for value in values] or [FLOAT64]
    chosen = np.result_type(*wanted) if dtype is None else np.dtype(dtype)
    return array(*values, nested=nested, dtype=chosen)


def _number(data: Any, dtype: Any) -> Any:
    """NaN in place of None where floats are asked for."""
    is_float = data is None and dtype is not None and np.dtype(dtype).kind == "f"
    return float("nan") if is_float else data


def _stacked(items: Value, dtype: Any) -> Value:
    return list_stack_of(items, dtype)


def _elements(data: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The lengths of nested lists and their elements row by row.

    Beside an array a list is an element too, which becomes an array of its own.
    """
    nested: list[int] = []
    rows: list[Any] = [data]
    while any(isinstance(row, list | tuple) for row in rows) and not any(map(_is_row, rows)):
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


def _is_row(data: Any) -> bool:
    """Whether data are an array with axes."""
    type_ = data.type if isinstance(data, Value) else None
    return np.ndim(data) > 0 if isinstance(data, np.ndarray) else getattr(type_, "rank", 0) > 0


# Lowerings ----------------------------------------------------------------------------------------


def dtype_of(dtype: Any, default: np.dtype = FLOAT64) -> np.dtype:
    """The dtype that a program names."""
    dtype = static(dtype)
    with rejecting():
        return default if dtype is None else np.dtype(dtype)


def _lengths_in(shape: Any) -> tuple[Any, ...]:
    """A single length, or those that an array holds of which it is known how many they are."""
    type_ = shape.type if isinstance(shape, Value) else None
    if not isinstance(type_, ArrayType) or type_.rank != 1 or not isinstance(type_.shape[0], int):
        return (shape,)
    return tuple(shape[k] for k in range(type_.shape[0]))


def shape_operands(shape: Any) -> tuple[Operand, ...]:
    """The lengths in a shape argument: an int or a sequence of them."""
    sizes = tuple(shape) if isinstance(shape, tuple | list) else _lengths_in(shape)
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
    def lowering(shape: Any, dtype: Any = None, order: Any = "C") -> Any:
        sizes, chosen = shape_operands(shape), dtype_of(dtype)
        if chosen.kind == "O":
            return NotImplemented
        made = keep_lengths(operation(*sizes, shape=dims_of(sizes), dtype=chosen))
        return _laid_out(made, None, order)

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
    rank, wanted = array_type(made).rank, static(order)
    if rank < 2 or wanted == "C":
        return made
    if wanted == "F":
        return _ordered(made, wanted)
    if prototype is None or array_type(prototype).rank != rank:
        return made
    return laid_like(made, prototype, order=wanted)


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
    made = keep_lengths(full(value, *sizes, shape=dims_of(sizes), dtype=chosen))
    return _laid_out(made, None, order)


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
    return _laid_out(eye(n, m, **attributes), None, order)


lowers(np.identity)(lambda n, dtype=None: lower_eye(n, dtype=dtype))


@lowers(np.arange)
def lower_arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Value:
    if stop is None:
        start, stop = 0, start
    parts = tuple(array_of(part) for part in (start, stop, 1 if step is None else step))
    natural = _range_dtype([array_type(part) for part in parts])
    attributes = {"shape": (_arange_dim(*parts),), "dtype": dtype_of(dtype, natural)}
    return arange(*parts, **attributes)


def _arange_dim(start: Value, stop: Value, step: Value) -> Dim:
    known = [constant_value(part) for part in (start, stop, step)]
    if all(number is not None for number in known):
        return len(np.arange(*known))
    if all(array_type(part).dtype.kind in "iu" for part in (start, stop, step)):
        first, last = dim_of(start), dim_of(stop)
        if known[2] == 1 and isinstance(first, int):
            return shifted(last, -first)
    label = ",".join(str(dim_of(part)) for part in (start, stop, step))
    return Size(f"arange({label})", open=True)


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


def _copied(copy: Any) -> Any:
    """True, False or None, also where ``copy`` is the member of NumPy's enumeration for it."""
    known = static(copy)
    if not isinstance(known, np._CopyMode):
        return known
    return None if known is np._CopyMode.IF_NEEDED else known.value


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
    if _copied(copy) is True:
        x = _ordered(_fresh(object, dtype, static(order)), static(order))
    else:
        x = lower_asarray(object, dtype, order, copy=copy)
    missing = static_integer(ndmin) - array_type(x).rank
    if missing <= 0:
        return x
    return x[(None,) * missing + (Ellipsis,)]


def _fresh(data: Any, dtype: Any, order: Any = "K") -> Value:
    staged_list = isinstance(data, Value) and isinstance(data.type, ListType)
    if isinstance(data, list | tuple) or staged_list:
        return array_of(data, static(dtype))
    x = array_of(_number(data, static(dtype)))
    chosen = dtype_of(dtype, array_type(x).dtype)
    if chosen == array_type(x).dtype:
        return copy_in(x, order)
    cast: Value = astype(x, dtype=chosen)
    return cast if array_type(cast).kind == "array" else copy(cast)


def copy_in(x: Value, order: Any) -> Value:
    """A fresh array; ``order`` as NumPy's copies take it."""
    wanted = static(order)
    if array_type(x).rank < 2 or wanted in ("C", None):
        return copy(x)
    if wanted == "A":
        raise UnsupportedCallError("a copy with order='A'", None, "say order='C' or order='F'")
    kept = copy(x, order="K")
    return _ordered(kept, wanted)


def _ordered(x: Value, order: Any) -> Value:
    """An array itself where it lies in an order, or none is asked for; else a copy that does."""
    if order not in ("C", "F") or array_type(x).kind != "array":
        return x
    return contiguous(x, order=order)


@lowers(np.asarray, np.asanyarray)
def lower_asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Value:
    """An array itself, if it lies as asked; anything else made one."""
    wanted, copied = static(order), _copied(copy)
    if copied:
        return lower_array(a, dtype, order=order or "K")
    if isinstance(a, Value) and isinstance(a.type, ListType):
        return array_of(a, static(dtype))
    if isinstance(a, Value) and array_type(a).kind == "array":
        same = dtype_of(dtype, array_type(a).dtype) == array_type(a).dtype
        if same:
            return _ordered(a, wanted)
    if copied is False:
        raise rejection(ValueError, "Unable to avoid copy while creating an array as requested.")
    return _ordered(_fresh(a, dtype), wanted)


@lowers(method="__array__")
def lower_array_method(a: Any, dtype: Any = None, *, copy: Any = None) -> Value:
    """An array itself, or one of another dtype; of a NumPy number a new one of no axes."""
    return lower_asarray(a, dtype, copy=copy)


def _lower_contiguous(order: str) -> Callable[..., Value]:
    def lowering(a: Any, dtype: Any = None, *, like: Any = None) -> Value:
        x = lower_asarray(a, dtype, order)
        if array_type(x).rank:
            return x
        return reshape(x, 1, shape=(1,))

    return lowering


lowers(np.ascontiguousarray)(_lower_contiguous("C"))
lowers(np.asfortranarray)(_lower_contiguous("F"))
