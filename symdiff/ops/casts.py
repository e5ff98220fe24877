"""Real and imaginary parts, conjugates, and casts: to other dtypes, to Python's numbers."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.build import constant_value, is_constant
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import BOOL, COMPLEX, FLOAT, INT, ArrayType, Dim, Type, type_of_constant
from symdiff.ops import patterns
from symdiff.ops.batching import Lanes, NoBatchRule, as_it_is, pointwise
from symdiff.ops.declare import (
    Operation,
    array_type,
    dotted,
    literal,
    one_of,
    template,
)
from symdiff.ops.flops import nothing
from symdiff.ops.meanings import towards_zero

# Constants and kinds ----------------------------------------------------------------------------


def is_complex(value: Operand) -> bool:
    """Return whether an operand is of complex dtype."""
    return array_type(value).dtype.kind == "c"


def number_or_array(dtype: np.dtype, shape: tuple[Dim, ...]) -> ArrayType:
    """What NumPy's functions give: a scalar rather than an array of rank 0."""
    return ArrayType(dtype, shape, "array" if shape else "scalar")


# where, clip ------------------------------------------------------------------------------------


def result_dtype(*types: ArrayType) -> np.dtype:
    """NumPy's promotion of values of several types, Python numbers being weak."""
    weak = {"f": 0.0, "i": 0, "c": 0j, "b": False}
    tokens = [weak[t.dtype.kind] if t.weak else t.dtype for t in types]
    return np.result_type(*tokens)


# Complex parts ----------------------------------------------------------------------------------


def _part(name: str, function: Any, vjp: Any, documentation: str) -> Operation:
    """A linear op that takes complex numbers to reals and is the identity, or 0, on reals."""

    def infer(x: ArrayType) -> Type:
        if x.kind == "python":
            return type_of_constant(function(one_of(x)))
        return ArrayType(function(np.empty(0, x.dtype)).dtype, x.shape, x.kind)

    return Operation.of_arrays(
        name,
        infer,
        function,
        cost="free",
        view=0,
        spelling=template(f"{{0}}.{name}"),
        linear=frozenset({0}),
        vjp={0: vjp},
        sympy={"real": "re", "imag": "im"}[name],
        example=f"np.{name}(z)",
        batch=pointwise,
        pattern=patterns.as_it_is,
        documentation=documentation,
    )


real: Operation = _part(
    "real", operator.attrgetter("real"), lambda g, y, x: as_dtype_of(g, x), "The real part."
)
imag: Operation = _part(
    "imag",
    operator.attrgetter("imag"),
    lambda g, y, x: as_dtype_of(g * 1j, x),
    "The imaginary part.",
)
imag.read_only = lambda node: array_type(node.operands[0]).dtype.kind != "c"


def _infer_conjugate(x: ArrayType, *, ufunc: bool = False) -> Type:
    if x.kind == "python" and not ufunc:
        return type_of_constant(one_of(x).conjugate())
    dtype = np.dtype("int8") if x.dtype.kind == "b" else x.dtype
    return number_or_array(dtype.newbyteorder("="), x.shape)


def _evaluate_conjugate(x: Any, *, ufunc: bool = False) -> Any:
    plain = isinstance(x, np.ndarray | np.generic) or ufunc
    return np.conjugate(x) if plain else x.conjugate()


def _spell_conjugate(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    python = array_type(node.result).kind == "python"
    return template("{0}.conjugate()" if python else "np.conj({0})")(node, operands)


conjugate: Operation = Operation.of_arrays(
    "conjugate",
    _infer_conjugate,
    _evaluate_conjugate,
    spelling=_spell_conjugate,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, ufunc=False: conjugate(g)},
    python=lambda x: x.conjugate(),
    sympy="conjugate",
    cost="plain",
    example="np.conjugate(z)",
    batch=pointwise,
    pattern=patterns.as_it_is,
    documentation="The complex conjugate.",
)


def conjugated(x: Value) -> Value:
    """The conjugate of a complex value; a real one as it is."""
    return conjugate(x) if is_complex(x) else x


# Casts ------------------------------------------------------------------------------------------


def _spell_astype(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    dtype: np.dtype = node.attributes["dtype"]
    if array_type(node.operands[0]).kind == "array":
        return ast.Call(ast.Attribute(operands[0], "astype", ast.Load()), [literal(dtype)], [])
    scalar = dotted("np.bool_") if dtype.kind == "b" else literal(dtype.newbyteorder("="))
    return ast.Call(scalar, list(operands), [])


def _evaluate_astype(x: Any, *, dtype: np.dtype) -> Any:
    return x.astype(dtype) if isinstance(x, np.ndarray | np.generic) else dtype.type(x)


def _as_kind(sp: Any, x: Any, kind: str) -> Any:
    """A number as one of another kind of dtype: rounding is no part of its meaning."""
    if kind == "b":
        return sp.Ne(x, 0)
    return x if kind in "fc" or x.is_integer else towards_zero(sp, x)


astype: Operation = Operation.of_arrays(
    "astype",
    lambda x, *, dtype: ArrayType(dtype, x.shape, "scalar" if x.kind == "python" else x.kind),
    _evaluate_astype,
    spelling=_spell_astype,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, dtype: as_dtype_of(g, x)},
    sympy=lambda sp, x, *, dtype: _as_kind(sp, x, dtype.kind),
    order="kept",
    cost="plain",
    example="astype(x, dtype=np.dtype('float32'))",
    flops=nothing,
    batch=pointwise,
    pattern=patterns.as_it_is,
    documentation="The values in another dtype; a copy.",
)


def _infer_as_scalar(x: ArrayType) -> ArrayType:
    if x.shape:
        raise rejection(TypeError, f"not a scalar: {x}")
    return ArrayType(x.dtype, (), "scalar")


as_scalar: Operation = Operation.of_arrays(
    "as_scalar",
    _infer_as_scalar,
    lambda x: np.asarray(x)[()],
    cost="free",
    spelling=template("{0}[()]"),
    linear=frozenset({0}),
    vjp={0: lambda g, y, x: g},
    sympy=lambda sp, x: x,
    batch=as_it_is,
    pattern=patterns.as_it_is,
    documentation="The element of a 0-d array, ``x[()]``.",
)


def as_dtype_of(g: Value, x: Value) -> Value:
    """``g`` cast to the dtype of ``x``; of a complex ``g`` for real numbers the real part."""
    dtype = array_type(x).dtype
    if is_complex(g) and dtype.kind not in "bc":
        g = real(g)
    return g if array_type(g).dtype == dtype else astype(g, dtype=dtype)


def _infer_python_bool(x: ArrayType) -> ArrayType:
    """Any array may have one element only; the run time tests open sizes."""
    if any(isinstance(dim, int) and dim > 1 for dim in x.shape):
        raise rejection(
            ValueError,
            "The truth value of an array with more than one element is ambiguous."
            " Use a.any() or a.all()",
        )
    return BOOL


def only_numbers(result: ArrayType) -> Callable[..., ArrayType]:
    """The type rule of what makes Python's numbers of numbers, and refuses arrays as NumPy does."""

    def infer(*xs: ArrayType, **_: Any) -> ArrayType:
        if any(x.shape for x in xs):
            raise rejection(
                TypeError, "only 0-dimensional arrays can be converted to Python scalars"
            )
        return result

    return infer


def _batch_python_cast(b: Lanes, op: Any, x: Value) -> Value:
    """Where no number is out of range, and none is refused."""
    (given,) = b.types
    exact = {
        "python_int": "bi",
        "python_float": "bf",
        "python_complex": "bfc",
        "python_bool": "bif",
    }
    small = op is not python_int or given.dtype.itemsize <= 8
    if (
        given.rank
        or given.dtype.kind not in exact[op.name]
        or given.dtype.char in "gG"
        or not small
    ):
        raise NoBatchRule
    (result,) = op.infer(given)
    return x if given.dtype == result.dtype else astype(x, dtype=result.dtype)


def _is_bounded(value: Value, depth: int = 8) -> bool:
    """Return whether a number is computed of lengths and constants, so that it is finite."""
    node = value.node
    if is_constant(value):
        number = constant_value(value)
        return np.ndim(number) == 0 and bool(np.abs(number) < _LARGE)
    if node is None or not depth or array_type(value).dtype not in (np.float64, np.int64):
        return False
    if node.op.name in _LENGTHS:
        return True
    if node.op.name in ("multiply", "divide"):
        second = node.operands[1]
        by = constant_value(second) if is_constant(second) else 0.0
        if np.ndim(by) or np.abs(by) < 1.0 / _LARGE:
            return False
    bounded = node.op.name in _BOUNDED
    return bounded and all(_is_bounded(operand, depth - 1) for operand in node.operands)


_LARGE = 1e15
_LENGTHS = frozenset({"size", "range_length", "list_length"})
_BOUNDED = frozenset(
    {"add", "subtract", "multiply", "divide", "negative", "absolute"}
    | {"floor", "ceil", "rint", "trunc", "retype", "python_float", "astype"}
)


def _python_cast(name: str, cast: type, result: ArrayType, **rules: Any) -> Operation:
    def is_harmless(node: Node) -> bool:
        type_ = array_type(node.operands[0])
        kinds = "biuf" if cast in (bool, float) else "biu"
        huge = cast is float and type_.dtype.kind == "i" and type_.weak
        if cast is int and not type_.shape and _is_bounded(node.operands[0]):
            return True
        return type_.dtype.kind in kinds and all(dim == 1 for dim in type_.shape) and not huge

    return Operation.of_arrays(
        name,
        _infer_python_bool if cast is bool else only_numbers(result),
        cast,
        raises=True,
        harmless=is_harmless,
        cost="plain",
        batch=_batch_python_cast,
        pattern=lambda e, op: e.ids[0].reshape(()),
        documentation=f"``{cast.__name__}(x)``, a Python number.",
        **rules,
    )


def _cast_rules() -> dict[str, Any]:
    return {
        "linear": frozenset({0}),
        "vjp": {0: lambda g, y, x: as_dtype_of(g, x)},
        "sympy": lambda sp, x: x,
    }


python_float: Operation = _python_cast(
    "python_float", float, FLOAT, example="float(s)", **_cast_rules()
)
python_item: Operation = Operation.of_arrays(
    "python_item",
    only_numbers(FLOAT),
    lambda x: x.item(),
    cost="plain",
    spelling=template("{0}.item()"),
    pattern=lambda e, op: e.ids[0].reshape(()),
    documentation="A double as a number of Python's: complex where it is so at run time.",
    **_cast_rules(),
)
python_complex: Operation = _python_cast("python_complex", complex, COMPLEX, **_cast_rules())
python_int: Operation = _python_cast(
    "python_int", int, INT, nondifferentiable=True, sympy=lambda sp, x: _as_kind(sp, x, "i")
)
python_bool: Operation = _python_cast(
    "python_bool", bool, BOOL, nondifferentiable=True, sympy=lambda sp, x: sp.Ne(x, 0)
)


complex_of: Operation = Operation.of_arrays(
    "complex_of",
    only_numbers(COMPLEX),
    complex,
    raises=True,
    vjp={
        0: lambda g, y, a, b: as_dtype_of(g, a),
        1: lambda g, y, a, b: as_dtype_of(g * -1j, b),
    },
    jvp={
        0: lambda t, y, a, b: t * complex(1),
        1: lambda t, y, a, b: t * 1j,
    },
    sympy=lambda sp, a, b: a + sp.I * b,
    documentation="``complex(a, b)``: sums would change zeros and infinities.",
)
