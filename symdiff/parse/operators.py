"""Python's operators on abstract values."""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from symdiff.definitions.predicates import require_natural
from symdiff.errors import UnsupportedSyntaxError, rejection
from symdiff.ir.graph import Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import INT, ArrayType, ListType
from symdiff.ops import arithmetic
from symdiff.ops.arithmetic import constant_of
from symdiff.ops.casts import python_float
from symdiff.ops.declare import NeedsStatic, static
from symdiff.ops.elementary import power, square, squared
from symdiff.ops.lists import list_filled
from symdiff.ops.products import matmul
from symdiff.ops.ufuncs import is_natural
from symdiff.parse import run_time_texts as texts
from symdiff.parse import staged_lists
from symdiff.parse.arguments import as_array
from symdiff.parse.blame import judged, users
from symdiff.parse.cases import of_each
from symdiff.parse.changing import new_set
from symdiff.parse.demand import can_be_known
from symdiff.parse.heap import constant
from symdiff.parse.hidden_integers import may_be_integer
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter, describe, negated
from symdiff.parse.items import as_set
from symdiff.parse.large_integers import beside_floats
from symdiff.parse.python import in_python
from symdiff.parse.some_entries import some_entries
from symdiff.parse.special import by_operator, has_method, has_operator
from symdiff.parse.texts import joined, percent, settled
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    Abstract,
    Array,
    DictRef,
    DictView,
    ListRef,
    ObjectRef,
    Range,
    StaticSet,
)

# Powers -------------------------------------------------------------------------------------------

# What to write where a power's type hangs on an exponent that is known at run time only.
OF_INTS = "the exponent's sign decides on the type: write the base as a float, 2.0 ** k"
OF_BOOLS = "the exponent decides on the dtype: write the base as integers, x.astype(int) ** k"


def _power(a: Value, b: Value) -> Value:
    """``a ** b``; of two Python ints the exponent decides whether the result is an int."""
    if all(_is_python_int(v) for v in (a, b)) and not is_natural(b):
        exponent = _known_exponent(b, OF_INTS)
        if exponent < 0:
            a = python_float(a)
        b = constant(exponent)
    if _is_array_of_bools(a) and b.type == INT and _known_exponent(b, OF_BOOLS) == 2:
        return square(a)  # as NumPy does: of int8, where other powers of bools are int64
    exponent = constant_of(b)
    made = squared(a) if type(exponent) in (int, float) and exponent == 2 else None
    return power(a, b) if made is None else made


def _is_array_of_bools(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, ArrayType) and type_.kind == "array" and type_.dtype == bool


def _known_exponent(b: Value, hint: str) -> int:
    try:
        return static(b)  # type: ignore[no-any-return]
    except NeedsStatic as needed:
        needed.hint = hint
        raise


def _is_python_int(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, ArrayType) and type_.kind == "python" and type_.dtype.kind in "ib"


# Binary -------------------------------------------------------------------------------------------

Binary = Callable[[Any, Any], Any]
BINARY: dict[type[ast.operator], tuple[str, Binary, Binary]] = {  # name, Python's, on IR values
    ast.Add: ("add", operator.add, arithmetic.add),
    ast.Sub: ("sub", operator.sub, arithmetic.subtract),
    ast.Mult: ("mul", operator.mul, arithmetic.multiply),
    ast.Div: ("truediv", operator.truediv, arithmetic.divide),
    ast.FloorDiv: ("floordiv", operator.floordiv, arithmetic.floor_divide),
    ast.Mod: ("mod", operator.mod, arithmetic.remainder),
    ast.Pow: ("pow", operator.pow, _power),
    ast.MatMult: ("matmul", operator.matmul, matmul),
    ast.BitAnd: ("and", operator.and_, arithmetic.bitwise_and),
    ast.BitOr: ("or", operator.or_, arithmetic.bitwise_or),
    ast.BitXor: ("xor", operator.xor, arithmetic.bitwise_xor),
    ast.LShift: ("lshift", operator.lshift, arithmetic.left_shift),
    ast.RShift: ("rshift", operator.rshift, arithmetic.right_shift),
}
UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    ast.USub: ("__neg__", operator.neg, arithmetic.negative),
    ast.UAdd: ("__pos__", operator.pos, arithmetic.positive),
    ast.Invert: ("__invert__", operator.invert, arithmetic.invert),
}


def is_staged(value: Abstract) -> bool:
    """Return whether a value is (or may be) known at run time only."""
    return isinstance(value, (Value, Array))


def binary(interp: Interpreter, op: type[ast.operator], a: Abstract, b: Abstract) -> Abstract:
    """``a op b``."""
    return of_each(interp, partial(_by_class, interp, op), a, b)


def _by_class(interp: Interpreter, op: type[ast.operator], a: Abstract, b: Abstract) -> Abstract:
    name = BINARY[op][0]
    if op is ast.Mod and texts.is_text(a):  # which takes any object
        return _texts(interp, op, a, b)
    if has_operator(interp, name, a, b):
        return by_operator(interp, name, a, b)
    return binary_natively(interp, op, a, b)


def binary_natively(
    interp: Interpreter, op: type[ast.operator], a: Abstract, b: Abstract
) -> Abstract:
    """``a op b``, whatever methods the classes have of their own."""
    with judged(interp, BINARY[op][1], (a, b)):
        return _binary(interp, op, a, b)


def _binary(interp: Interpreter, op: type[ast.operator], a: Abstract, b: Abstract) -> Abstract:
    name, plain, staged = BINARY[op]
    if texts.is_text(a) or texts.is_text(b):
        return _texts(interp, op, a, b)
    if isinstance(a, DictView) or isinstance(b, DictView):
        a, b = (as_set(interp, v, of_any=op in _OF_SETS) for v in (a, b))
        if isinstance(a, ObjectRef) or isinstance(b, ObjectRef):  # sets that may be changed
            return by_operator(interp, name, a, b)
    if isinstance(a, (ListRef, DictRef)) or isinstance(b, (ListRef, DictRef)):
        return _containers(interp, op, a, b)
    if isinstance(a, (tuple, Range)) or isinstance(b, (tuple, Range)):
        return _tuples(interp, op, a, b)
    if isinstance(a, StaticSet) and isinstance(b, frozenset):
        return new_set(interp, plain(a, b))
    if not is_staged(a) and not is_staged(b):
        _require_small(op, a, b)
        return in_python(plain, a, b)
    if op is ast.Pow and _has_open_exponent(interp, a, b):
        interp.call(require_natural, [b], {})
        return interp.wrap(power(interp.lift(a), interp.lift(b)))
    _require_floats(interp, a, b)
    operands = interp.lift(a), interp.lift(b)
    if op in _CONVERTING:
        operands = beside_floats(interp, operands)
    return interp.wrap(staged(*operands))


def _has_open_exponent(interp: Interpreter, base: Abstract, exponent: Abstract) -> bool:
    """Return whether a power of ints has an exponent that may be negative, and cannot be fixed."""
    if not isinstance(exponent, Value) or is_natural(exponent):
        return False
    of_ints = all(_is_python_int(interp.lift(v)) for v in (base, exponent))
    return of_ints and not can_be_known(interp, exponent)


def _require_floats(interp: Interpreter, a: Abstract, b: Abstract) -> None:
    """Raise as an operator does that takes an integer beside a float, where none is as large."""
    for integer, other in ((a, b), (b, a)):
        if type(integer) is int and abs(integer) > _LARGEST_FLOAT:
            lifted = interp.lift(other)
            inexact = isinstance(lifted.type, ArrayType) and lifted.type.dtype.kind in "fc"
            if inexact and not may_be_integer(lifted, interp.begun):
                in_python(float, integer)


_LARGEST_FLOAT = int(sys.float_info.max)
_OF_SETS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
_CONVERTING = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
LARGEST_CONSTANT = 1_000_000  # bits, characters or items


def _require_small(op: type[ast.operator], a: Abstract, b: Abstract) -> None:
    """Refuse to compute here what would fill the memory."""
    if not isinstance(b, int) or not isinstance(a, int | str | bytes | tuple):
        return
    size = a.bit_length() if isinstance(a, int) else len(a)
    times = {ast.Pow: b, ast.Mult: 1 if isinstance(a, int) else b, ast.LShift: b}.get(op, 0)
    if (size + (op is ast.LShift)) * times > LARGEST_CONSTANT:
        raise UnsupportedSyntaxError(
            "this constant is too large to be computed here", hint="compute it outside"
        )


def _texts(interp: Interpreter, op: type[ast.operator], a: Any, b: Any) -> Any:
    """Operators on strings and staged texts."""
    if op is ast.Mod and isinstance(a, str):
        return percent(interp, a, b)
    if op is ast.Add and texts.is_text(a) and texts.is_text(b):
        return joined(a, b)
    if op is ast.Mult and any(texts.is_at_run_time(interp, v) for v in (a, b)):
        text, times = (a, b) if texts.is_text(a) else (b, a)
        return texts.asked(interp, text, "__mul__", [times], {})
    if any(texts.is_at_run_time(interp, v) for v in (a, b)):
        texts.require_taken(interp, BINARY[op][1], [a, b])
    a, b = (static(settled(interp, v)) for v in (a, b))
    _require_small(op, a, b)
    return in_python(BINARY[op][1], a, b)


def _tuples(interp: Interpreter, op: type[ast.operator], a: Abstract, b: Abstract) -> Abstract:
    """Operators on tuples and ranges: of Python, or of NumPy where the other is an array."""
    _, plain, staged = BINARY[op]
    if _is_by_numpy(interp, op, a, b):
        return interp.wrap(staged(as_array(interp, a), as_array(interp, b)))
    if op is not ast.Mult:
        return in_python(plain, a, b)
    sequence, times = (a, b) if isinstance(a, (tuple, Range)) else (b, a)
    count = static(times) if _is_integer(times) else times
    if isinstance(count, Value | np.inexact):
        kind = class_of(interp, count)
        shown = f"numpy.{kind.__name__}" if issubclass(kind, np.generic) else kind.__name__
        raise users(TypeError(f"can't multiply sequence by non-int of type '{shown}'"))
    _require_small(op, sequence, count)
    return in_python(plain, sequence, count)


def _is_by_numpy(interp: Interpreter, op: type[ast.operator], *operands: Abstract) -> bool:
    """Return whether NumPy makes an array of a sequence: beside an array or a NumPy number.

    Of such numbers ``*`` repeats the sequence, or is an error.
    """
    classes = [class_of(interp, operand) for operand in operands]
    numpys = np.ndarray if op is ast.Mult else (np.ndarray, np.generic)
    return any(issubclass(cls, numpys) for cls in classes)


def _is_integer(value: Abstract) -> bool:
    type_ = value.type if isinstance(value, Value) else None
    return isinstance(type_, ArrayType) and type_.dtype.kind in "iub"


def _containers(interp: Interpreter, op: type[ast.operator], a: Abstract, b: Abstract) -> Abstract:
    name, _, staged = BINARY[op]
    if any(isinstance(v, ListRef) for v in (a, b)) and _is_by_numpy(interp, op, a, b):
        return interp.wrap(staged(as_array(interp, a), as_array(interp, b)))
    if op is ast.Add and _is_tuple(a) is _is_tuple(b) and _is_sequence(a) and _is_sequence(b):
        return _concatenated(interp, a, b)
    if op is ast.Mult and isinstance(a, ListRef) != isinstance(b, ListRef):
        sequence, times = (a, b) if isinstance(a, ListRef) else (b, a)
        return _repeated(interp, sequence, times)
    if op is ast.BitOr and isinstance(a, DictRef) and isinstance(b, DictRef):
        left, right = (some_entries(interp, one) or interp.content(one) for one in (a, b))
        if not left.keys().isdisjoint(right):
            left, right = interp.content(a), interp.content(b)
        return interp.new_dict({**left, **right})
    raise rejection(
        TypeError, f"unsupported operand types for {name}: {describe(a)} and {describe(b)}"
    )


def _is_sequence(value: Abstract) -> bool:
    return isinstance(value, ListRef | tuple)


def _is_tuple(value: Abstract) -> bool:
    return isinstance(value, tuple) or (isinstance(value, ListRef) and value.frozen)


def _concatenated(interp: Interpreter, a: Abstract, b: Abstract) -> ListRef:
    """Two lists, or two tuples of which one has a length that is known at run time only."""
    left, right = (interp.content(v) if isinstance(v, ListRef) else v for v in (a, b))
    staged = [c for c in (left, right) if staged_lists.is_staged_list(c)]
    if not staged:
        return interp.new_list(left + right, frozen=_is_tuple(a))
    left, right = (
        c if staged_lists.is_staged_list(c) else staged_lists.staged_like(interp, c, staged[0])
        for c in (left, right)
    )
    return interp.new_list(staged_lists.concatenated(interp, left, right), frozen=_is_tuple(a))


def _repeated(interp: Interpreter, sequence: Abstract, times: Abstract) -> ListRef:
    content = interp.content(sequence)
    if isinstance(content, Value):
        if not (_is_integer(times) or isinstance(times, int)):
            raise rejection(TypeError, f"a list times {describe(times)}")
        raise UnsupportedSyntaxError("a list of unknown length is repeated")
    lone = content[0] if len(content) == 1 else None
    if isinstance(times, Value) and (isinstance(lone, Value) or is_leaf(lone)):
        element = interp.lift(lone)
        return interp.new_list(list_filled(element, times, type=ListType(element.type)))
    _require_small(ast.Mult, content, static(times))
    return interp.new_list(content * static(times))


# Unary --------------------------------------------------------------------------------------------


def unary(interp: Interpreter, op: type[ast.unaryop], a: Abstract) -> Abstract:
    """``-a``, ``+a``, ``~a``, ``not a``."""
    if op is ast.Not:
        return negated(truth(interp, a))
    name, plain, staged = UNARY[op]
    if isinstance(a, ObjectRef) or has_method(interp, a, name):
        return interp.call_method(a, name)
    with judged(interp, plain, (a,)):
        return interp.wrap(staged(interp.lift(a))) if is_staged(a) else in_python(plain, a)


def items_of(interp: Interpreter, value: ListRef) -> tuple[Abstract, ...]:
    """The items of a list whose length is known."""
    content = interp.content(value)
    if staged_lists.is_staged_list(content):
        raise UnsupportedSyntaxError("the length of this list is known at run time only")
    items: tuple[Abstract, ...] = content
    return items
