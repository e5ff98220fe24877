"""Python's operators on abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff import ops
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import ArrayType, ListType
from symdiff.ops.declare import NeedsStatic, static
from symdiff.parse import staged_lists
from symdiff.parse.arguments import as_array
from symdiff.parse.blame import judged, users
from symdiff.parse.heap import constant
from symdiff.parse.identity import class_of, identical, require_known
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.lookups import defines, on_class
from symdiff.parse.texts import joined, percent, settled
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    Abstract,
    Array,
    DictRef,
    ListRef,
    ObjectRef,
    Range,
    StagedText,
    StaticSet,
)

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv),
    ast.Mod: ("mod", operator.mod),
    ast.Pow: ("pow", operator.pow),
    ast.MatMult: ("matmul", operator.matmul),
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
    ast.LShift: ("lshift", operator.lshift),
    ast.RShift: ("rshift", operator.rshift),
}
STAGED_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": ops.add,
    "sub": ops.subtract,
    "mul": ops.multiply,
    "truediv": ops.divide,
    "floordiv": ops.floor_divide,
    "mod": ops.remainder,
    "matmul": ops.matmul,
    "and": ops.bitwise_and,
    "or": ops.bitwise_or,
    "xor": ops.bitwise_xor,
    "lshift": ops.left_shift,
    "rshift": ops.right_shift,
}
UNARY: dict[type[ast.unaryop], tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    ast.USub: (operator.neg, ops.negative),
    ast.UAdd: (operator.pos, ops.positive),
    ast.Invert: (operator.invert, ops.invert),
}
COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    ast.Lt: ("lt", operator.lt, ops.less),
    ast.LtE: ("le", operator.le, ops.less_equal),
    ast.Gt: ("gt", operator.gt, ops.greater),
    ast.GtE: ("ge", operator.ge, ops.greater_equal),
    ast.Eq: ("eq", operator.eq, ops.equal),
    ast.NotEq: ("ne", operator.ne, ops.not_equal),
}


def is_staged(value: Abstract) -> bool:
    """Whether a value is (or may be) known at run time only."""
    return isinstance(value, Value | Array)


def binary(interp: Interpreter, op: type[ast.operator], a: Abstract, b: Abstract) -> Abstract:
    """``a op b``."""
    name, plain = BINARY[op]
    with judged(interp, plain, (a, b)):
        return _binary(interp, name, plain, a, b)


def _binary(
    interp: Interpreter, name: str, plain: Callable[[Any, Any], Any], a: Abstract, b: Abstract
) -> Abstract:
    if isinstance(a, str | StagedText) or isinstance(b, str | StagedText):
        return _texts(interp, name, plain, a, b)
    if isinstance(a, ObjectRef) or isinstance(b, ObjectRef):
        return _dunder(interp, name, a, b)
    if isinstance(a, ListRef | DictRef) or isinstance(b, ListRef | DictRef):
        return _containers(interp, name, a, b)
    if isinstance(a, tuple) or isinstance(b, tuple):
        return _tuples(interp, name, plain, a, b)
    if isinstance(a, StaticSet) and isinstance(b, frozenset):
        return StaticSet(plain(a, b))
    if not is_staged(a) and not is_staged(b):
        _require_small(interp, name, a, b)
        return plain(a, b)
    return interp.wrap(arithmetic(interp, name, interp.lift(a), interp.lift(b)))


LARGEST_CONSTANT = 1_000_000  # bits, characters or items


def _require_small(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> None:
    """Refuse to compute here what would fill the memory."""
    if not isinstance(b, int) or not isinstance(a, int | str | bytes | tuple):
        return
    size = a.bit_length() if isinstance(a, int) else len(a)
    times = {"pow": b, "mul": 1 if isinstance(a, int) else b, "lshift": b}.get(name, 0)
    if (size + (name == "lshift")) * times > LARGEST_CONSTANT:
        raise UnsupportedSyntaxError(
            "this constant is too large to be computed here", interp.span, "compute it outside"
        )


def _texts(interp: Interpreter, name: str, plain: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Operators on strings and staged texts."""
    if name == "mod" and isinstance(a, str):
        return percent(interp, a, b)
    if name == "add" and all(isinstance(v, str | StagedText) for v in (a, b)):
        return joined(a, b)
    a, b = (static(settled(interp, v)) for v in (a, b))
    _require_small(interp, name, a, b)
    return plain(a, b)


def arithmetic(interp: Interpreter, name: str, a: Value, b: Value) -> Value:
    """An arithmetic op on IR values."""
    if name == "pow":
        return _power(a, b)
    result: Value = STAGED_BINARY[name](a, b)
    return result


def _power(a: Value, b: Value) -> Value:
    """``a ** b``; of two Python ints the exponent decides whether the result is an int."""
    if all(_is_python_int(v) for v in (a, b)):
        exponent = _known_exponent(b)
        if exponent < 0:
            a = ops.python_float(a)
        b = constant(exponent)
    result: Value = ops.power(a, b)
    return result


def _known_exponent(b: Value) -> int:
    try:
        return static(b)  # type: ignore[no-any-return]
    except NeedsStatic as needed:
        needed.hint = "the exponent's sign decides on the type: write the base as a float, 2.0 ** k"
        raise


def _is_python_int(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, ArrayType) and type_.kind == "python" and type_.dtype.kind in "ib"


def _dunder(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> Abstract:

    if isinstance(a, ObjectRef) and defines(interp, a.type, f"__{name}__"):
        result = interp.call_method(a, f"__{name}__", b)
        if result is not NotImplemented:
            return result
    if isinstance(b, ObjectRef) and defines(interp, b.type, f"__r{name}__"):
        return interp.call_method(b, f"__r{name}__", a)
    raise users(TypeError(f"unsupported operand types for {name}: {describe(a)} and {describe(b)}"))


def _tuples(
    interp: Interpreter, name: str, plain: Callable[[Any, Any], Any], a: Abstract, b: Abstract
) -> Abstract:
    if is_staged(a) or is_staged(b):
        if name == "mul":
            return plain(*(static(v) for v in (a, b)))
        return interp.wrap(arithmetic(interp, name, as_array(interp, a), as_array(interp, b)))
    return plain(a, b)


def _containers(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> Abstract:
    if isinstance(a, Array) or isinstance(b, Array):
        return interp.wrap(arithmetic(interp, name, as_array(interp, a), as_array(interp, b)))
    if name == "add" and isinstance(a, ListRef) and isinstance(b, ListRef):
        return _concatenated(interp, a, b)
    if name == "mul":
        sequence, times = (a, b) if isinstance(a, ListRef) else (b, a)
        return _repeated(interp, sequence, times)
    if name == "or" and isinstance(a, DictRef) and isinstance(b, DictRef):
        merged = DictRef()
        interp.put(merged, interp.content(a) | interp.content(b))
        return merged
    raise TypeError(f"unsupported operand types for {name}: {describe(a)} and {describe(b)}")


def _concatenated(interp: Interpreter, a: ListRef, b: ListRef) -> ListRef:
    left, right = interp.content(a), interp.content(b)
    result = ListRef()
    staged = [c for c in (left, right) if staged_lists.is_staged_list(c)]
    if staged:
        left, right = (
            c if staged_lists.is_staged_list(c) else staged_lists.staged_like(interp, c, staged[0])
            for c in (left, right)
        )
        interp.put(result, staged_lists.concatenated(interp, left, right))
    else:
        interp.put(result, left + right)
    return result


def _repeated(interp: Interpreter, sequence: Abstract, times: Abstract) -> ListRef:
    content = interp.content(sequence)
    if isinstance(content, Value):
        raise UnsupportedSyntaxError("a list of unknown length is repeated", interp.span)
    result = ListRef()
    if isinstance(times, Value) and len(content) == 1 and is_leaf(content[0]):
        filled = _filled(content[0], times)
        interp.put(result, filled)
        return result
    _require_small(interp, "mul", content, static(times))
    interp.put(result, content * static(times))
    return result


def _filled(item: Any, times: Value) -> Any:
    element = constant(item)
    return ops.list_filled(element, times, type=ListType(element.type))


# Unary, comparison --------------------------------------------------------------------------------


def unary(interp: Interpreter, op: type[ast.unaryop], a: Abstract) -> Abstract:
    """``-a``, ``+a``, ``~a``, ``not a``."""
    if op is ast.Not:
        condition = truth(interp, a)
        return ops.not_(condition) if isinstance(condition, Value) else not condition
    if isinstance(a, ObjectRef):
        name = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}[op]
        return interp.call_method(a, name)
    plain, staged = UNARY[op]
    with judged(interp, plain, (a,)):
        return interp.wrap(staged(interp.lift(a))) if is_staged(a) else plain(a)


def compare(interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract) -> Abstract:
    """``a op b`` for one comparison."""
    if op in (ast.Is, ast.IsNot):
        return _unless(op is ast.IsNot, identical(interp, a, b))
    if op in (ast.In, ast.NotIn):
        return _unless(op is ast.NotIn, contains(interp, b, a))
    plain = COMPARE[op][1]
    with judged(interp, plain, (a, b)):
        return _compared(interp, op, a, b)


def _unless(negated: bool, answer: bool | Value) -> bool | Value:
    """An answer or its opposite."""
    if not negated:
        return answer
    return ops.not_(answer) if isinstance(answer, Value) else not answer


def _compared(interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract) -> Abstract:
    name, _, staged = COMPARE[op]
    a, b = settled(interp, a), settled(interp, b)
    require_known(interp, a, b)
    if isinstance(a, ObjectRef) or isinstance(b, ObjectRef):
        return _compare_objects(interp, name, a, b)
    if is_staged(a) or is_staged(b):
        if op in (ast.Eq, ast.NotEq) and not _comparable(interp, a, b):
            return _unlike(interp, a, b, op is ast.NotEq)
        return interp.wrap(staged(as_array(interp, a), as_array(interp, b)))
    return COMPARE[op][1](_static_sequence(interp, a), _static_sequence(interp, b))


def _comparable(interp: Interpreter, a: Abstract, b: Abstract) -> bool:
    """Whether ``==`` compares numbers: of Python's there are none in a sequence."""
    sequences = isinstance(a, ListRef | tuple) or isinstance(b, ListRef | tuple)
    if sequences and any(class_of(interp, v) in _PYTHON_NUMBERS for v in (a, b)):
        return False
    return all(is_staged(v) or is_leaf(v) or isinstance(v, ListRef | tuple) for v in (a, b))


_PYTHON_NUMBERS = (bool, int, float, complex)


def _unlike(interp: Interpreter, a: Abstract, b: Abstract, answer: bool) -> Abstract:
    """What ``==`` or ``!=`` gives of a number and something else: the same for all values."""
    classes = {class_of(interp, a), class_of(interp, b)}
    if np.ndarray in classes:
        raise UnsupportedSyntaxError(
            "an array is compared with what is no number: the answer is an array",
            interp.span,
            "compare with 'is', or test its type",
        )
    by_numpy = str in classes and any(issubclass(c, np.generic) for c in classes)
    return np.bool_(answer) if by_numpy else answer


def _compare_objects(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> Abstract:
    if name in ("eq", "ne"):
        owner = a if isinstance(a, ObjectRef) else b
        if on_class(interp, owner.type, f"__{name}__") is getattr(object, f"__{name}__"):
            return (a is b) is (name == "eq")
    return _dunder(interp, name, a, b)


def _static_sequence(interp: Interpreter, value: Abstract) -> Any:
    """A container as the Python value that its comparison needs; its items must be static."""
    if isinstance(value, ListRef):
        return [static(item) for item in items_of(interp, value)]
    if isinstance(value, DictRef):
        return {key: static(item) for key, item in interp.content(value).items()}
    if isinstance(value, tuple):
        return tuple(static(item) for item in value)
    return value


def items_of(interp: Interpreter, value: ListRef) -> tuple[Abstract, ...]:
    """The items of a list whose length is known."""
    content = interp.content(value)
    if staged_lists.is_staged_list(content):
        raise UnsupportedSyntaxError(
            "the length of this list is known at run time only", interp.span
        )
    items: tuple[Abstract, ...] = content
    return items


def _in_range(interp: Interpreter, container: Range, item: Abstract) -> Abstract:
    parts = (container.start, container.stop, container.step)
    if not any(isinstance(part, Value) for part in (*parts, item)):
        return item in range(*parts)
    raise UnsupportedSyntaxError(
        "'in' a range of values known at run time only", interp.span, "write the comparisons"
    )


def contains(interp: Interpreter, container: Abstract, item: Abstract) -> Abstract:
    """``item in container``."""
    with judged(interp, operator.contains, (container, item)):
        return _contains(interp, settled(interp, container), settled(interp, item))


def _contains(interp: Interpreter, container: Abstract, item: Abstract) -> Abstract:
    if isinstance(container, DictRef):
        return static(item) in interp.content(container)
    if isinstance(container, ListRef | tuple):
        items = container if isinstance(container, tuple) else items_of(interp, container)
        found: Abstract = False
        for other in items:
            equal = other is item or truth(interp, compare(interp, ast.Eq, other, item))
            if equal is True:
                return True
            if isinstance(equal, Value):
                found = equal if found is False else ops.bitwise_or(found, equal)
        return found
    if isinstance(container, Range):
        return _in_range(interp, container, item)
    if isinstance(container, Array):
        return truth(interp, ops.any(ops.equal(interp.lift(container), interp.lift(item))))
    return static(item) in container
