"""What calls of NumPy's elementwise functions, casts and Python's number builtins mean.

An op with the name of a NumPy ufunc is what a call of that ufunc means (``np.abs`` and
``np.absolute`` are one object). The rest stands here by hand: aliases, functions
made of several ops, methods, casts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejecting, rejection
from symdiff.ir.build import builder
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import BOOL, INT, ArrayType, Type
from symdiff.ops.arithmetic import (
    absolute,
    by_numpy,
    clip,
    clip_above,
    clip_below,
    constant_of,
    equal,
    floor_divide,
    isnan,
    positive,
    python_round,
    remainder,
    round_,
    sign,
    trunc,
    where,
)
from symdiff.ops.arrays import array_of
from symdiff.ops.casts import (
    as_scalar,
    astype,
    complex_of,
    conjugated,
    imag,
    is_complex,
    number_or_array,
    python_bool,
    python_complex,
    python_float,
    python_int,
    real,
)
from symdiff.ops.declare import (
    FUNCTIONS,
    REGISTRY,
    Lowering,
    Operation,
    array_type,
    broadcast_shapes,
    dotted,
    literal,
    lowers,
    one_of,
    promotion_token,
    static,
    static_integer,
    surely_broadcasts,
)
from symdiff.ops.elementary import (
    angle,
    complex_sign,
    deg2rad,
    i0,
    power,
    rad2deg,
    sinc,
    square,
    squared,
)
from symdiff.ops.index import index_of
from symdiff.ops.kinds import is_numpys
from symdiff.ops.representation import frexp, modf
from symdiff.ops.shape import contiguous, reshape
from symdiff.ops.shape import copy as copied
from symdiff.ops.sizes import lower_bound

# Arguments --------------------------------------------------------------------------------------


def staged(argument: Any) -> Value:
    """An array-like argument as a value: nested lists and tuples become arrays."""
    return array_of(argument)


def refuse(function: str, **arguments: Any) -> None:
    """Refuse arguments that are given: neither None nor True nor NumPy's own default."""
    for name, value in arguments.items():
        if value is not None and value is not True and value is not np._NoValue:
            raise UnsupportedCallError(
                f"{function} with the argument {name}= is not supported",
                hint="select with numpy.where(...) instead" if name == "where" else None,
            )


def strong(argument: Any) -> Value:
    """``np.asarray(argument)`` as far as promotion goes: a Python number is not weak any more."""
    x = staged(argument)
    type_ = array_type(x)
    return astype(x, dtype=type_.dtype) if type_.weak else x


def dtype_of(argument: Any) -> np.dtype | None:
    """A ``dtype=`` argument: None, or whatever ``np.dtype`` takes."""
    argument = static(argument)
    with rejecting():
        return None if argument is None else np.dtype(argument)


def common_dtype(values: Iterable[Any]) -> np.dtype:
    """As ``np.result_type`` has it: numbers of Python's count by their kind only."""
    return np.result_type(*map(_for_promotion, values))


def _for_promotion(argument: Any) -> Any:
    if not isinstance(argument, Value):
        return argument
    type_ = array_type(argument)
    return one_of(type_) if type_.weak else type_.dtype


def cast(x: Value, dtype: np.dtype | None) -> Value:
    """``x`` in a dtype, as it is where it has it."""
    if dtype is None or (array_type(x).dtype == dtype and array_type(x).kind != "python"):
        return x
    return astype(x, dtype=dtype)


# Ufuncs -----------------------------------------------------------------------------------------


def ufunc_lowering(
    operation: Operation, function: np.ufunc | None = None, library: str = "numpy"
) -> Lowering:
    """The lowering of a ufunc that is an op; ``function`` and its library where not NumPy's.

    ``kept``: the array given as ``out``, whose elements stay where ``where`` is false.
    """
    ufunc = function or getattr(np, operation.name.removeprefix("complex_"))
    full_name = f"{library}.{ufunc.__name__}"

    def lowering(
        *operands: Any,
        dtype: Any = None,
        where: Any = True,
        kept: Any = None,
        casting: Any = "same_kind",
        order: Any = "K",
        subok: Any = True,
    ) -> Value:
        if casting != "same_kind" and (
            casting != "unsafe" or dtype is not None or kept is not None
        ):
            refuse(full_name, casting=casting)
        if order not in ("K", "A"):
            refuse(full_name, order=order)
        if kept is None:
            refuse(full_name, where=where)
        values = computed_in(ufunc, list(map(staged, operands)), dtype)
        if kept is None or where is True:
            return as_function(operation)(*values)
        return _chosen(operation, values, staged(where), kept)

    return lowering


def _chosen(operation: Operation, operands: list[Value], mask: Value, kept: Value) -> Value:
    """A ufunc's result where the mask is true; elsewhere it is computed of numbers that it takes
    without a warning.
    """
    if operation.name not in _WARN_OF_NOTHING:
        types = [array_type(operand) for operand in operands]
        pairs = zip(operands, types, strict=True)
        safe = 0 if operation.name in _HAVE_POLES_AT_1 else 1
        operands = [x if t.weak else where(mask, x, _like(safe, t.dtype)) for x, t in pairs]
    return where(mask, as_function(operation)(*operands), kept)


_HAVE_POLES_AT_1 = frozenset({"arctanh", "arcsin", "arccos"})  # they or their derivatives
_WARN_OF_NOTHING = frozenset({"add", "subtract", "multiply", "negative", "maximum", "minimum"})


def computed_in(function: np.ufunc, operands: list[Value], dtype: Any) -> list[Value]:
    """The operands in the dtypes of the loop that gives ``dtype``, where a ufunc is told one."""
    wanted = dtype_of(dtype)
    if wanted is None:
        return operands
    tokens = [promotion_token(array_type(x)) for x in operands]
    if all(isinstance(token, type) for token in tokens):
        tokens = [np.dtype(token) for token in tokens]
    signature = (*[None] * function.nin, *[wanted] * function.nout)
    types = function.resolve_dtypes(
        (*tokens, *[None] * function.nout), signature=signature, casting="same_kind"
    )
    return [cast(x, type_) for x, type_ in zip(operands, types[: function.nin], strict=True)]


def as_function(operation: Operation) -> Callable[..., Value]:
    """An op as NumPy's function: an array's ``**`` may differ from ``np.power`` in bits."""
    if operation is power:
        return lambda *operands: power(*operands, ufunc=True)
    return operation if operation.python is None else by_numpy(operation)


def _register_ufuncs() -> None:
    for operation in list(REGISTRY.values()):
        if not isinstance(operation, Operation):
            continue
        function = getattr(np, operation.name, None)
        if isinstance(function, np.ufunc) and operation.name != "matmul":
            lowers(function)(ufunc_lowering(operation))
    lowers(np.degrees)(ufunc_lowering(rad2deg))
    lowers(np.radians)(ufunc_lowering(deg2rad))


_register_ufuncs()


@lowers(np.sign)
def _sign(x: Any, *, dtype: Any = None, where: Any = True, kept: Any = None) -> Value:
    value = staged(x)
    lowering = ufunc_lowering(complex_sign if is_complex(value) else sign)
    return lowering(value, dtype=dtype, where=where, kept=kept)  # type: ignore[no-any-return]


@lowers(np.square)
def _square(x: Any, *, dtype: Any = None, where: Any = True, kept: Any = None) -> Value:
    value = staged(x)
    plain = dtype is None and where is True
    made = squared(value, ufunc=True) if plain else None
    if made is not None:
        return made
    return ufunc_lowering(square)(value, dtype=dtype, where=where, kept=kept)  # type: ignore[no-any-return]


def _lower_pair(function: np.ufunc, *operations: Callable[..., Any]) -> None:
    """Register the lowering of a ufunc of two results."""

    def lowering(*operands: Any, dtype: Any = None) -> Any:
        values = computed_in(function, list(map(staged, operands)), dtype)
        made = tuple(operation(*values) for operation in operations)
        return made if len(made) > 1 else made[0]

    lowers(function)(lowering)


_lower_pair(np.divmod, by_numpy(floor_divide), by_numpy(remainder))
_lower_pair(np.modf, modf)
_lower_pair(np.frexp, frexp)


# where, clip, parts -----------------------------------------------------------------------------


@lowers(np.where)
def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return FUNCTIONS[np.nonzero](condition)
    if x is None or y is None:
        raise rejection(ValueError, "either both or neither of x and y should be given")
    return where(staged(condition), staged(x), staged(y))


@lowers(np.select)
def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Value:
    """The first choice whose condition holds."""
    if not isinstance(condlist, list | tuple) or not isinstance(choicelist, list | tuple):
        raise UnsupportedCallError("numpy.select of arrays", hint="give lists of arrays")
    if len(condlist) != len(choicelist):
        raise rejection(ValueError, "list of cases must be same length as list of conditions")
    choices = [staged(choice) for choice in (*choicelist, default)]
    dtype = common_dtype(choices)
    *choices, selected = (cast(choice, dtype) for choice in choices)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        selected = where(staged(condition), choice, selected)
    return contiguous(selected, order="C") if array_type(selected).rank > 1 else selected


@lowers(np.clip, method="clip")
def _clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    dtype: Any = None,
    where: Any = True,
) -> Value:
    refuse("numpy.clip", where=where)
    x = strong(a)
    lower = a_min if min is None or min is np._NoValue else min
    upper = a_max if max is None or max is np._NoValue else max
    return cast(_clipped(x, lower, upper), dtype_of(dtype))


def _clipped(x: Value, lower: Any, upper: Any) -> Value:
    if lower is None and upper is None:
        return by_numpy(positive)(x)
    if upper is None:
        return clip_below(x, staged(lower))
    if lower is None:
        return clip_above(x, staged(upper))
    return clip(x, staged(lower), staged(upper))


@lowers(np.real, attribute="real")
def _real(val: Any) -> Value:
    x = staged(val)
    return real(x) if is_complex(x) or array_type(x).kind == "python" else x


lowers(np.imag, attribute="imag")(lambda val: imag(staged(val)))


@lowers(np.angle)
def _angle(z: Any, deg: Any = False) -> Value:
    result = angle(staged(z))
    return result * (180 / np.pi) if static(deg) else result


@lowers(method="conj")
@lowers(method="conjugate")
def _conj(x: Any) -> Value:
    return conjugated(staged(x))


lowers(np.i0)(lambda x: i0(staged(x)))
lowers(np.sinc)(lambda x: sinc(staged(x)))
lowers(np.fix)(lambda x: trunc(staged(x)))


def _spell_isclose(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    keywords = []
    for k, name, default in ((2, "rtol", 1e-05), (3, "atol", 1e-08)):
        if constant_of(node.operands[k]) != default:
            keywords.append(ast.keyword(name, operands[k]))
    if node.attributes["equal_nan"]:
        keywords.append(ast.keyword("equal_nan", literal(True)))
    return ast.Call(dotted("np.isclose"), list(operands[:2]), keywords)


isclose: Operation = Operation.of_arrays(
    "isclose",
    lambda *xs, equal_nan: number_or_array(
        np.dtype(bool), broadcast_shapes(*(x.shape for x in xs))
    ),
    np.isclose,
    raises=True,
    harmless=surely_broadcasts,
    spelling=_spell_isclose,
    nondifferentiable=True,
    documentation="Whether numbers are equal up to a tolerance.",
)


@lowers(np.isclose)
def _isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Value:
    operands = [staged(argument) for argument in (a, b, rtol, atol)]
    return isclose(*operands, equal_nan=bool(static(equal_nan)))


@lowers(np.nan_to_num)
def _nan_to_num(
    x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    x = staged(x)
    dtype = array_type(x).dtype
    known = not any(isinstance(value, Value) for value in (nan, posinf, neginf))
    if dtype.kind == "c" or copy is not True or not known:
        return NotImplemented
    if dtype.kind != "f":
        return copied(x) if array_type(x).rank else as_scalar(strong(x))
    limits = np.finfo(dtype)
    low = float(limits.min) if neginf is None else neginf
    high = float(limits.max) if posinf is None else posinf
    finite = where(isnan(x), _like(nan, dtype), x)
    finite = where(equal(x, float("inf")), _like(high, dtype), finite)
    finite = cast(where(equal(x, float("-inf")), _like(low, dtype), finite), dtype)
    return finite if array_type(x).rank else as_scalar(finite)


def _like(number: Any, dtype: np.dtype) -> Any:
    number = static(number)
    return float(number) if dtype == np.dtype("float64") else dtype.type(number)


# Rounding and Python's builtins -----------------------------------------------------------------


lowers(np.round, np.around, method="round")(
    lambda a, decimals=0: round_(staged(a), decimals=static_integer(decimals))
)


@lowers(round)
def _python_round(number: Any, ndigits: Any = None) -> Value:
    digits = static(ndigits)
    x = builder().value(number)
    if digits is None:
        return python_round(x)
    return python_round(x, digits=int(digits))


lowers(abs)(lambda x: absolute(x))
lowers(divmod)(lambda a, b: (floor_divide(a, b), remainder(a, b)))


@lowers(pow)
def _pow(base: Any, exp: Any, mod: Any = None) -> Value:
    if mod is None:
        return power_of(base, exp)
    arguments = [builder().value(argument) for argument in (base, exp, mod)]
    if any(argument.type not in (INT, BOOL) for argument in arguments):
        raise rejection(
            TypeError, "pow() 3rd argument not allowed unless all arguments are integers"
        )
    if static(exp) < 0:
        raise UnsupportedCallError("pow(...) of a negative exponent with a modulus")
    return remainder(power_of(base, exp), mod)


def power_of(base: Any, exponent: Any) -> Value:
    """Python's ``base ** exponent``: of ints, a negative exponent makes it a float."""
    b = builder()
    x, n = b.value(base), b.value(exponent)
    both = {x.type, n.type}
    if both == {INT} and not is_natural(n) and static(n) < 0:
        return power(x, n, fractional=True)
    return power(x, n)


def is_natural(n: Value) -> bool:
    """Return whether an integer is known not to be negative."""
    bound = lower_bound(n)
    return bound is not None and bound >= 0


def _infer_bit_length(n: Type) -> tuple[Type, ...]:
    if n not in (INT, BOOL):
        raise rejection(AttributeError, f"{n} has no attribute 'bit_length'")
    return (INT,)


bit_length: Operation = Operation(
    "bit_length",
    _infer_bit_length,
    lambda n: n.bit_length(),
    spelling=lambda node, operands: ast.Call(
        ast.Attribute(operands[0], "bit_length", ast.Load()), [], []
    ),
    nondifferentiable=True,
    documentation="How many binary digits a Python int has.",
)


lowers(method="bit_length")(lambda n: bit_length(builder().value(n)))
lowers(float)(lambda x=0.0, /: _python_number(x, python_float, "f"))
lowers(int)(lambda x=0, /: _python_number(x, python_int, "i"))
lowers(bool)(lambda x=False, /: _python_number(x, python_bool, "b"))


@lowers(complex)
def _complex(real: Any = 0, imag: Any = None) -> Value:
    if imag is None:
        return _python_number(real, python_complex, "c")
    return complex_of(real, imag)


def _python_number(x: Any, conversion: Operation, kind: str) -> Value:
    """A conversion to a Python number; what has the type already stays as it is."""
    value = builder().value(x)
    type_ = array_type(value)
    if type_.kind == "python" and type_.dtype.kind == kind:
        return value
    return conversion(_single(value))


def _single(x: Value) -> Value:
    """The element of an array that is known to have one."""
    if array_type(x).shape and all(dim == 1 for dim in array_type(x).shape):
        return reshape(x, shape=())
    return x


@lowers(method="item")
def _item(x: Any, *index: Any) -> Value:
    """The one element, the one at a flat position, or the one at an index for each axis."""
    element = builder().value(x)
    if index:
        element = _element(element, index)
    conversion = {"f": python_float, "i": python_int, "u": python_int, "c": python_complex}
    dtype = array_type(element).dtype
    if dtype.type in (np.longdouble, np.clongdouble):  # no number of Python's holds it
        return as_scalar(reshape(element, shape=()))
    kind = dtype.kind
    return _python_number(element, conversion.get(kind, python_bool), kind)


def _element(x: Value, index: tuple[Any, ...]) -> Value:
    if len(index) == 1 and isinstance(index[0], tuple):
        return index_of(x, index[0])
    if len(index) == 1 and array_type(x).rank != 1:
        x = FUNCTIONS[np.ravel](x)
    return index_of(x, index)


# Casts ------------------------------------------------------------------------------------------


@lowers(method="astype")
def _astype(
    x: Any,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: Any = True,
    copy: Any = True,
) -> Value:
    value = builder().value(x)
    wanted = np.dtype(static(dtype))
    _require_cast(array_type(value), wanted, static(casting))
    kept = not static(copy) and array_type(value).dtype == wanted
    made: Value = value if kept else astype(value, dtype=wanted)
    lies = static(order)
    if lies in {"C", "F"} and array_type(made).rank > 1:
        return contiguous(made, order=lies)
    return made


def _require_cast(given: ArrayType, wanted: np.dtype, casting: Any) -> None:
    """Raise what NumPy does where its rule for casts does not let a dtype become another."""
    if casting == "same_value" and given.dtype != wanted:
        raise UnsupportedCallError("a cast that looks at values, casting='same_value'")
    if casting != "unsafe":
        with rejecting():
            sample_of(given).astype(wanted, casting=casting)


def sample_of(type_: ArrayType) -> Any:
    """Zeros of a type, for what NumPy says of its dtype and kind."""
    one = np.zeros(1, type_.dtype)
    if type_.kind == "array":
        return one if type_.rank else one.reshape(())
    return one[0] if type_.kind == "scalar" else one[0].item()


def _constructor(dtype: np.dtype) -> Lowering:
    def construct(x: Any = 0, /) -> Value:
        value = staged(x)
        type_ = array_type(value)
        if type_.kind == "scalar" and not is_numpys(value):
            return astype(value, dtype=dtype)
        result = cast(value, dtype)
        if type_.kind == "array" and not type_.shape:
            return as_scalar(result)
        return result

    return construct


for _dtype in map(np.dtype, "?bBhHiIlLqQefdFD"):
    if _dtype.type is np.dtype(_dtype.name).type:  # np.longlong is another type than np.int64
        lowers(_dtype.type)(_constructor(_dtype))
