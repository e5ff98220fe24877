"""Fourier transforms: ``fft``, ``ifft``, ``rfft``, ``irfft`` along some axes, shifts, frequencies.

The attribute ``axes`` has the axes in the user's order: the last one is transformed first, and of a
real transform it is the one with half a spectrum. Behind ``x`` stand the lengths to transform, one
an axis, or none where the array's own are meant. The adjoint of a transform is the one back with
the other norm, ``F* = n F⁻¹``; what was cropped is filled up with zeros, what was filled up is
cropped. An entry of half a spectrum stands for two frequencies, but for those of 0 and of n/2:

    y = np.fft.rfft(x)     x_bar = np.fft.irfft(y_bar * weights, n, norm="forward")

with the weights 1, 1/2, 1/2, …, and 1, 2, 2, … the other way round.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import ArrayType, Dim, Size, is_long, least
from symdiff.ops import patterns
from symdiff.ops.arithmetic import (
    add,
    constant_of,
    equal,
    floor_divide,
    multiply,
    remainder,
    subtract,
    where,
)
from symdiff.ops.arrange import axes_of
from symdiff.ops.arrays import lower_asarray, shape_operands
from symdiff.ops.casts import as_dtype_of, conjugated, python_int
from symdiff.ops.creation import arange, zeros_of
from symdiff.ops.declare import (
    EVALUATED,
    Lowering,
    OnArrays,
    Operation,
    array_type,
    dotted,
    literal,
    lowers,
    one_of,
    operation_named,
    static,
)
from symdiff.ops.index import index_of, index_set_of
from symdiff.ops.reduce import axis_of, unbroadcast_to
from symdiff.ops.sizes import constant_integer, dim_of, dims_of, lower_bound, sizes_of
from symdiff.ops.ufuncs import staged

Axes = tuple[int, ...]
OTHER_WAY = {"fft": "ifft", "ifft": "fft", "rfft": "irfft", "irfft": "rfft"}
OTHER_NORM = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
WHOLE = slice(None)

# Shapes -----------------------------------------------------------------------------------------


def _half(n: Dim) -> Dim:
    """The number of frequencies from 0 to n/2."""
    if isinstance(n, int):
        return n // 2 + 1
    return Size(f"({n}//2+1)", open=True, long=is_long(n))


def _from_half(m: Dim) -> Dim:
    """The even length to which ``m`` frequencies belong: at least 2 where there is one at all."""
    return 2 * (m - 1) if isinstance(m, int) else Size(f"(2*({m})-2)", open=True, long=True)


def _lengths(name: str, x: Value, sizes: Sequence[Operand], axes: Axes) -> tuple[Dim, ...]:
    """How many points are transformed along each axis."""
    if sizes:
        return dims_of(sizes)
    own = [array_type(x).shape[axis] for axis in axes]
    return (*own[:-1], _from_half(own[-1])) if name == "irfft" else tuple(own)


def _shape_of(name: str, x: Value, sizes: Sequence[Operand], axes: Axes) -> tuple[Dim, ...]:
    """The shape of a transform."""
    shape, lengths = list(array_type(x).shape), _lengths(name, x, sizes, axes)
    for axis, length in zip(axes, lengths, strict=True):
        shape[axis] = length
    if name == "rfft":
        shape[axes[-1]] = _half(lengths[-1])
    return tuple(shape)


# Transforms -------------------------------------------------------------------------------------


def _infer(name: str) -> Callable[..., ArrayType]:
    def infer(x: ArrayType, *sizes: ArrayType, shape: tuple[Dim, ...], **_: Any) -> ArrayType:
        if name == "rfft" and x.dtype.kind == "c":
            raise rejection(TypeError, f"ufunc 'rfft_n_even' does not take {x.dtype}")
        if name != "irfft":
            return ArrayType(np.result_type(x.dtype, 1j), shape)
        return ArrayType(np.result_type(np.empty(0, x.dtype).real.dtype, 1.0), shape)

    return infer


def _form(name: str, axes: Axes, rank: int, sized: bool) -> tuple[str, dict[str, Any]]:
    """The function of ``np.fft`` that transforms along axes, and the argument that names them."""
    if len(axes) == 1:
        return name, {} if axes == (rank - 1,) else {"axis": axes[0]}
    if axes == (rank - 2, rank - 1):
        return f"{name}2", {}
    return f"{name}n", {} if axes == tuple(range(rank)) and not sized else {"axes": axes}


def _evaluate(name: str) -> Callable[..., Any]:
    def evaluate(x: Any, *sizes: int, axes: Axes, norm: str, shape: Any) -> Any:
        function, along = _form(name, axes, np.ndim(x), bool(sizes))
        lengths = sizes[0] if len(sizes) == 1 else sizes or None
        return getattr(np.fft, function)(x, lengths, **along, norm=norm)

    return evaluate


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    x, *sizes = operands
    axes, norm = node.attributes["axes"], node.attributes["norm"]
    rank = array_type(node.operands[0]).rank
    function, along = _form(node.op.name, axes, rank, bool(sizes))
    lengths = [ast.Tuple(sizes, ast.Load())] if len(sizes) > 1 else sizes
    keywords = [ast.keyword(name, literal(value)) for name, value in along.items()]
    if norm != "backward":
        keywords.append(ast.keyword("norm", literal(norm)))
    return ast.Call(dotted(f"np.fft.{function}"), [x, *lengths], keywords)


def _has_points(node: Node) -> bool:
    """Return whether there is known to be something to transform along each axis."""
    x, *sizes = node.operands
    lengths = _lengths(node.op.name, x, sizes, node.attributes["axes"])
    return all(least(length) > 0 for length in lengths)


# Adjoints ---------------------------------------------------------------------------------------


def _weighted(half: Value, n: Operand, axis: int, factor: float) -> Value:
    """Half a spectrum of ``n`` points times a factor, but for the frequencies 0 and n/2."""
    if isinstance(n, int):
        count: Operand = n // 2 + 1
        behind_middle: Operand = (n + 1) // 2
    else:
        count, behind_middle = add(floor_divide(n, 2), 1), floor_divide(add(n, 1), 2)
    shape = array_type(half).shape[axis : axis + 1]
    places = arange(0, count, 1, shape=shape, dtype=np.dtype("int64"))
    ends = equal(remainder(places, behind_middle), 0)
    kind = np.empty(0, array_type(half).dtype).real.dtype.type
    one, other = (float(w) if kind is np.float64 else kind(w) for w in (1.0, factor))
    weights = where(ends, one, other)
    behind = array_type(half).rank - 1 - axis
    return half * (index_of(weights, (WHOLE, *(None,) * behind)) if behind else weights)


def _transposed(name: str) -> Callable[..., Value]:
    """The adjoint of a transform of the array as it is, cropped or filled up."""

    def complex_one(g: Value, y: Value, x: Value, *sizes: Value, axes: Axes, norm: str) -> Value:
        shape = array_type(y).shape
        return operation_named(OTHER_WAY[name])(g, axes=axes, norm=norm, shape=shape)

    def of_half(g: Value, y: Value, x: Value, *sizes: Value, axes: Axes, norm: str) -> Value:
        lengths = sizes or sizes_of_along(x, axes)
        return _transform("irfft", _weighted(g, lengths[-1], axes[-1], 0.5), lengths, axes, norm)

    def to_half(g: Value, y: Value, x: Value, *sizes: Value, axes: Axes, norm: str) -> Value:
        spectrum = rfft(g, axes=axes, norm=norm, shape=_shape_of("rfft", y, (), axes))
        n = sizes[-1] if sizes else sizes_of(y)[axes[-1]]
        return _weighted(spectrum, n, axes[-1], 2.0)

    return {"rfft": of_half, "irfft": to_half}.get(name, complex_one)


def _vjp(name: str) -> Callable[..., Value]:
    transposed = _transposed(name)

    def vjp(
        g: Value, y: Value, x: Value, *sizes: Value, axes: Axes, norm: str, shape: Any
    ) -> Value:
        whole = transposed(g, y, x, *sizes, axes=axes, norm=OTHER_NORM[norm])
        lengths: Sequence[Operand] = sizes
        if name == "irfft" and sizes:  # its length is that of the result, not of the spectrum
            lengths = (*sizes[:-1], sizes_of(whole)[axes[-1]])
        return _resized(as_dtype_of(whole, x), x, axes, lengths)

    return vjp


def _resized(whole: Value, x: Value, axes: Axes, sizes: Sequence[Operand]) -> Value:
    """The elements that ``x`` has along axes, and zeros where it has more."""
    read, written = [[WHOLE] * array_type(x).rank for _ in range(2)]
    for axis, length in zip(axes, sizes or sizes_of_along(whole, axes), strict=True):
        own, other = array_type(x).shape[axis], array_type(whole).shape[axis]
        if own == other:
            continue
        read[axis] = slice(None, sizes_of(x)[axis])
        excess = _excess(length, own)
        if excess is None or excess < 0:
            written[axis] = slice(None, sizes_of(whole)[axis])
    part = whole if read.count(WHOLE) == len(read) else index_of(whole, tuple(read))
    if written.count(WHOLE) == len(written):
        return part
    return index_set_of(zeros_of(x), part, tuple(written))


def sizes_of_along(x: Value, axes: Axes) -> tuple[Operand, ...]:
    """The lengths of some axes."""
    return tuple(sizes_of(x)[axis] for axis in axes)


def _excess(length: Operand, dim: Dim) -> int | None:
    """By how much a length is at least greater than a dimension, as far as its sum tells."""
    node = length.node if isinstance(length, Value) else None
    if node is None or node.op.name not in ("add", "subtract", "multiply"):
        return _difference(dim_of(length), dim)
    a, b = node.operands
    pairs = ((a, b),) if node.op is subtract else ((a, b), (b, a))
    for main, other in pairs:
        excess, more = _excess(main, dim), lower_bound(other)
        if excess is None or more is None:
            continue
        if node.op is add:
            return excess + more
        if node.op is subtract and constant_integer(other) is not None:
            return excess - more
        smallest = lower_bound(main)
        if node.op is multiply and more >= 1 and smallest is not None and smallest >= 0:
            return excess + (more - 1) * smallest
    return None


def _difference(a: Dim, b: Dim) -> int | None:
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    same = isinstance(a, Size) and isinstance(b, Size) and a.symbol == b.symbol
    return a.offset - b.offset if same else None  # type: ignore[union-attr]


# Declaring transforms ---------------------------------------------------------------------------


def _meaning(name: str) -> OnArrays:
    """The sum that defines a transform, of expressions."""

    def transform(
        sp: Any, x: Any, *sizes: Any, axes: Axes, norm: str, shape: tuple[Dim, ...]
    ) -> Any:
        lengths = [int(n) for n in sizes] or [x.shape[axis] for axis in axes]
        if name == "irfft" and not sizes:
            lengths[-1] = 2 * (lengths[-1] - 1)
        pairs = list(zip(axes, lengths, strict=True))
        kinds = [OTHER_COMPLEX.get(name, name)] * (len(axes) - 1) + [name]
        steps = list(zip(kinds, pairs, strict=True))
        for kind, (axis, n) in steps if name == "irfft" else reversed(steps):
            x = _along_axis(sp, kind, x, axis, n, norm)
        return x

    return OnArrays(transform)


OTHER_COMPLEX = {"rfft": "fft", "irfft": "ifft"}


def _along_axis(sp: Any, kind: str, x: Any, axis: int, n: int, norm: str) -> Any:
    """The transform of an array of expressions along one axis."""
    lines = np.moveaxis(x, axis, -1)
    given = n // 2 + 1 if kind == "irfft" else n
    filled = np.full((*lines.shape[:-1], n), sp.S.Zero, dtype=object)
    kept = min(given, lines.shape[-1])
    filled[..., :kept] = lines[..., :kept]
    if kind == "irfft":  # the frequencies that half a spectrum leaves out; 0 and n/2 are real
        for k in range(n):
            mirrored = filled[..., n - k] if k > n // 2 else filled[..., k]
            real = k == 0 or 2 * k == n
            part = sp.re if real else sp.conjugate if k > n // 2 else sp.S
            filled[..., k] = np.frompyfunc(part, 1, 1)(mirrored)
    back = kind in ("ifft", "irfft")
    root = (1 if back else -1) * 2 * sp.pi * sp.I
    count = n // 2 + 1 if kind == "rfft" else n
    matrix = np.array(
        [[sp.exp(root * sp.Rational(j * k % n, n)) for k in range(count)] for j in range(n)],
        dtype=object,
    )
    scale = {"ortho": sp.sqrt(n), "forward": sp.S.One if back else n}.get(norm, n if back else 1)
    return np.moveaxis(filled @ matrix / scale, -1, axis)


def _pattern_transform(
    e: patterns.Elements, op: Any, *, axes: Axes, norm: str, shape: Any
) -> np.ndarray:
    x: np.ndarray = e.ids[0]
    lines = patterns.united_over(e, x, axes)
    made = op.evaluate(np.ones(x.shape), *e.known(1), axes=axes, norm=norm, shape=shape)
    return np.broadcast_to(np.expand_dims(lines, axes), made.shape)


def _transform_operation(name: str, documentation: str) -> Operation:
    return Operation.of_arrays(
        name,
        _infer(name),
        _evaluate(name),
        raises=True,
        harmless=_has_points,
        cost="heavy",
        spelling=_spell,
        linear=frozenset({0}),
        vjp={0: _vjp(name)},
        sympy=_meaning(name),
        order="kept",
        example=f"np.fft.{name}({'x' if name == 'rfft' else 'z'})",
        pattern=_pattern_transform,
        documentation=documentation,
    )


fft = _transform_operation("fft", "The discrete Fourier transform along axes.")
ifft = _transform_operation("ifft", "The inverse of the discrete Fourier transform along axes.")
rfft = _transform_operation("rfft", "The frequencies from 0 to n/2 of the transform of reals.")
irfft = _transform_operation("irfft", "The reals of which half a spectrum is the transform.")


def _transform(name: str, x: Value, sizes: Sequence[Operand], axes: Axes, norm: str) -> Value:
    if name == "irfft" and array_type(x).shape[axes[-1]] == 0 and sizes:
        raise UnsupportedCallError(
            "irfft of no frequencies, of which NumPy makes what is in memory"
        )
    shape = _shape_of(name, x, sizes, axes)
    return operation_named(name)(x, *sizes, axes=axes, norm=norm, shape=shape)


# Shifts -----------------------------------------------------------------------------------------


def _infer_shift(x: ArrayType, *, axes: Axes | None) -> ArrayType:
    if not x.shape:
        raise rejection(ValueError, "not enough values to unpack (expected 2, got 0)")
    return ArrayType(x.dtype, x.shape)


def _spell_shift(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    axes = node.attributes["axes"]
    shown = axes[0] if axes is not None and len(axes) == 1 else axes
    keywords = [] if axes is None else [ast.keyword("axes", literal(shown))]
    return ast.Call(dotted(f"np.fft.{node.op.name}"), list(operands), keywords)


def _shift(name: str, back: str, documentation: str) -> Operation:
    return Operation.of_arrays(
        name,
        _infer_shift,
        getattr(np.fft, name),
        spelling=_spell_shift,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *, axes: operation_named(back)(g, axes=axes)},
        sympy=EVALUATED,
        order="packed as operands",
        example=f"np.fft.{name}(x)",
        documentation=documentation,
    )


fftshift = _shift("fftshift", "ifftshift", "The frequency 0 brought to the middle of axes.")
ifftshift = _shift("ifftshift", "fftshift", "The frequency 0 brought back to the front of axes.")

# Frequencies ------------------------------------------------------------------------------------


def _infer_frequencies(name: str) -> Callable[..., ArrayType]:
    def infer(n: ArrayType, d: ArrayType, *, shape: tuple[Dim, ...]) -> ArrayType:
        one = one_of(d) if d.weak else d.dtype.type(1)
        return ArrayType(getattr(np.fft, name)(2, one).dtype, shape)

    return infer


def _spell_frequencies(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    unit = constant_of(node.operands[1])
    shown = operands[:1] if type(unit) is float and unit == 1.0 else operands
    return ast.Call(dotted(f"np.fft.{node.op.name}"), list(shown), [])


def _frequencies(name: str, documentation: str) -> Operation:
    return Operation.of_arrays(
        name,
        _infer_frequencies(name),
        lambda n, d, *, shape: getattr(np.fft, name)(n, d),
        raises=True,
        spelling=_spell_frequencies,
        vjp={1: lambda g, y, n, d, *, shape: unbroadcast_to(-(g * y / d), d)},
        jvp={1: lambda t, y, n, d, *, shape: -(y * t / d)},
        nondifferentiable=frozenset({0}),
        example=f"np.fft.{name}(5, a)",
        documentation=documentation,
    )


fftfreq = _frequencies("fftfreq", "The frequencies of the entries of ``fft``, samples ``d`` apart.")
rfftfreq = _frequencies("rfftfreq", "The frequencies of the entries of ``rfft``.")

# Lowerings --------------------------------------------------------------------------------------


def _norm(norm: Any) -> str:
    norm = static(norm)
    if norm is not None and norm not in OTHER_NORM:
        raise rejection(
            ValueError, f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".'
        )
    return "backward" if norm is None else str(norm)


def _count(n: Any) -> Operand:
    """An integer; Python's truth values are some."""
    if isinstance(n, Value) and array_type(n).dtype.kind == "b":
        n = python_int(n)
    (length,) = shape_operands((n,))
    return length


def _points(n: Any) -> Operand:
    """A length to transform."""
    length = _count(n)
    if isinstance(length, int) and length < 1:
        raise rejection(ValueError, f"Invalid number of FFT data points ({length}) specified.")
    return length


def _line(name: str, a: Any, n: Any, axis: Any, norm: str) -> Value:
    """A transform along one axis."""
    x = staged(a)
    if not array_type(x).shape:
        raise rejection(IndexError, "tuple index out of range")
    sizes = () if n is None else (_points(n),)
    return _transform(name, x, sizes, (axis_of(axis, array_type(x).rank),), norm)


def _lower_line(name: str) -> Lowering:
    def lowering(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Value:
        return _line(name, a, n, axis, _norm(norm))

    return lowering


@lowers(np.fft.hfft)
def _hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, *, kept: Any = None) -> Value:
    _refuse_out("hfft", kept)
    return _line("irfft", conjugated(staged(a)), n, axis, OTHER_NORM[_norm(norm)])


@lowers(np.fft.ihfft)
def _ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Value:
    return conjugated(_line("rfft", a, n, axis, OTHER_NORM[_norm(norm)]))


def _refuse_out(name: str, kept: Any) -> None:
    if kept is not None:
        raise UnsupportedCallError(
            f"numpy.fft.{name} with the argument out=, which NumPy does not write to",
            hint=f"write out[...] = numpy.fft.{name}(...)",
        )


def _lower_grid(name: str, function: str, default: Axes | None) -> Lowering:
    """The lowering of a transform along several axes."""

    def lowering(
        a: Any, s: Any = None, axes: Any = default, norm: Any = None, *, kept: Any = None
    ) -> Value:
        if function in ("ifft2", "irfft2"):
            _refuse_out(function, kept)
        x = staged(a)
        chosen = _chosen_axes(function, x, s, axes)
        sizes = () if s is None else _given_sizes(function, x, s, chosen)
        result = _along(name, x, sizes, chosen, _norm(norm))
        if kept is not None and (sizes or array_type(kept).dtype != array_type(result).dtype):
            raise UnsupportedCallError(
                f"numpy.fft.{function} with out= of another dtype, or beside s=",
                hint=f"write out[...] = numpy.fft.{function}(...)",
            )
        return result

    return lowering


def _chosen_axes(function: str, x: Value, s: Any, axes: Any) -> Axes:
    axes = static(axes)
    if axes is None and s is not None:
        raise UnsupportedCallError(
            f"numpy.fft.{function} with the argument s= and no axes=",
            hint="say which axes: axes=(0, 1)",
        )
    if axes is None:
        return tuple(range(array_type(x).rank))
    return axes_of(tuple(axes), array_type(x).rank)


def _given_sizes(function: str, x: Value, s: Any, axes: Axes) -> tuple[Operand, ...]:
    if not isinstance(s, tuple | list):
        raise rejection(TypeError, "s= is no sequence of lengths that is known here")
    if len(s) != len(axes):
        raise rejection(ValueError, "Shape and axes have different lengths.")
    if any(n is None for n in s):
        raise UnsupportedCallError(
            f"numpy.fft.{function} with None in the argument s=", hint="-1 is the axis' own length"
        )
    own = sizes_of_along(x, axes)
    pairs = zip(s, own, strict=True)
    return tuple(length if constant_integer(n) == -1 else _points(n) for n, length in pairs)


def _along(name: str, x: Value, sizes: tuple[Operand, ...], axes: Axes, norm: str) -> Value:
    """A transform along axes; one that is named twice is transformed twice."""
    if not axes:
        if name in OTHER_COMPLEX:
            raise rejection(IndexError, "list index out of range")
        return lower_asarray(x)
    if len(set(axes)) == len(axes):
        return _transform(name, x, sizes, axes, norm)
    if not sizes:
        sizes = sizes_of_along(x, axes)
        if name == "irfft":
            sizes = (*sizes[:-1], multiply(subtract(sizes[-1], 1), 2))
    steps = [(OTHER_COMPLEX.get(name, name), n, (k,)) for n, k in zip(sizes, axes, strict=True)]
    steps[-1] = (name, *steps[-1][1:])
    for kind, length, axis in steps if name == "irfft" else reversed(steps):
        x = _transform(kind, x, (length,), axis, norm)
    return x


for _name in OTHER_WAY:
    lowers(getattr(np.fft, _name))(_lower_line(_name))
    lowers(getattr(np.fft, f"{_name}2"))(_lower_grid(_name, f"{_name}2", (-2, -1)))
    lowers(getattr(np.fft, f"{_name}n"))(_lower_grid(_name, f"{_name}n", None))


def _lower_shift(operation: Operation) -> Lowering:
    def lowering(x: Any, axes: Any = None) -> Value:
        value = staged(x)
        rank = array_type(value).rank
        chosen = None if static(axes) is None else axes_of(axes, rank)
        return operation(value, axes=chosen)

    return lowering


def _lower_frequencies(operation: Operation, count: Callable[[Dim], Dim]) -> Lowering:
    def lowering(n: Any, d: Any = 1.0, device: Any = None) -> Value:
        if device not in (None, "cpu"):
            raise rejection(
                ValueError, f'Device not understood. Only "cpu" is allowed, but received: {device}'
            )
        if not isinstance(n, Value | int | np.integer):
            raise rejection(ValueError, "n should be an integer")
        length, spacing = _count(n), staged(d)
        if array_type(spacing).shape:
            raise UnsupportedCallError(f"numpy.fft.{operation.name} of an array of spacings")
        return operation(length, spacing, shape=(count(dim_of(length)),))

    return lowering


lowers(np.fft.fftshift)(_lower_shift(fftshift))
lowers(np.fft.ifftshift)(_lower_shift(ifftshift))
lowers(np.fft.fftfreq)(_lower_frequencies(fftfreq, lambda n: n))
lowers(np.fft.rfftfreq)(_lower_frequencies(rfftfreq, _half))
