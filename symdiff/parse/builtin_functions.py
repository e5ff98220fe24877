"""Python's builtins, and the standard library's functions of functions, on abstract values."""

from __future__ import annotations

import ast
import builtins
import collections
import copy
import dataclasses
import functools
import itertools
import math
import numbers
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.structure import is_dataclass, is_leaf
from symdiff.ir.types import INT, ArrayType, ListType
from symdiff.ops import shape
from symdiff.ops.arithmetic import absolute, equal, python_round
from symdiff.ops.casts import complex_of, python_complex, python_float, python_int
from symdiff.ops.declare import static
from symdiff.ops.effects import Member, Named, opaque_call, print_
from symdiff.parse import lookups, staged_lists
from symdiff.parse.arguments import plain_argument
from symdiff.parse.attributes import get_attribute, set_attribute
from symdiff.parse.blame import python_raises, users
from symdiff.parse.branches import choose, joined_cases
from symdiff.parse.calls import BUILTINS, CALLABLES, Handler, builtin
from symdiff.parse.cases import for_each_case, told_apart_value
from symdiff.parse.catching import unless_raised
from symdiff.parse.comparisons import COMPARE, compare
from symdiff.parse.demand import can_be_known, known
from symdiff.parse.exceptions import is_exception, text_of_exception
from symdiff.parse.heap import constant
from symdiff.parse.identity import class_of, class_of_number, require_known
from symdiff.parse.interpreter import Interpreter, negated, nothing
from symdiff.parse.items import element_of_set, get_item, static_key
from symdiff.parse.iteration import (
    ITERATORS,
    after,
    collect,
    for_each,
    has_element,
    iterate,
    length,
    pair_of,
    part_of,
    started,
    static_items,
    until,
)
from symdiff.parse.opaque import Template
from symdiff.parse.operators import binary, is_staged, unary
from symdiff.parse.python import in_python
from symdiff.parse.reflect import container
from symdiff.parse.scope import names_in_order
from symdiff.parse.selecting import in_order
from symdiff.parse.special import by_operator, has_method, has_operator
from symdiff.parse.supers import Super, super_of
from symdiff.parse.texts import plain, settled, text_field, text_of
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    ABSENT,
    VALUE,
    Abstract,
    Arguments,
    Array,
    Closure,
    Conflict,
    ConflictRead,
    DictRef,
    DictView,
    Generator,
    IteratorRef,
    Keywords,
    ListRef,
    ObjectRef,
    Partial,
    PossiblyUnbound,
    Range,
    StaticSet,
    Token,
)

# Iterables ----------------------------------------------------------------------------------------


@builtin(range)
def _range(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    parts = [_integer(interp, a) for a in arguments]
    if len(parts) == 1:
        return Range(0, parts[0], 1)
    start, stop, *step = parts
    return Range(start, stop, step[0] if step else 1)


def _integer(interp: Interpreter, value: Abstract) -> Any:
    if isinstance(value, Array):
        value = interp.heap.read(value)
    type_ = value.type if isinstance(value, Value) else None
    if isinstance(type_, ArrayType) and type_.dtype.kind not in "iub":
        raise users(TypeError(f"'{class_of_number(value).__name__}' object {_NO_INTEGER}"))
    return value if isinstance(value, Value) else operator.index(value)


_NO_INTEGER = "cannot be interpreted as an integer"


@builtin(filter)
def _filter(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    function, items = arguments

    def run(consume: Callable[[Abstract], None]) -> None:
        def turn(item: Abstract) -> None:
            keep = truth(interp, item if function is None else interp.call(function, [item], {}))
            interp.where(keep, lambda: consume(item))

        for_each(interp, items, turn)

    return started(interp, Generator(run))


@builtin(len)
def _len(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    (value,) = arguments
    value = settled(interp, value)
    if isinstance(value, ObjectRef) or has_method(interp, value, "__len__"):
        return interp.call_method(value, "__len__")
    return length(interp, value)


# Folding over iterables ---------------------------------------------------------------------------


def _fold(
    interp: Interpreter,
    items: Abstract,
    start: Abstract,
    step: Callable[[Abstract, Abstract], Abstract],
    end: Callable[[Abstract], Abstract] = lambda accumulator: accumulator,
) -> Abstract:
    """``for item in items: accumulator = step(accumulator, item)``; gives ``end(accumulator)``."""
    slot = (Token(), "accumulator")
    interp.put(slot, start)

    def turn(item: Abstract) -> None:
        interp.put(slot, step(interp.content(slot), item))

    for_each(interp, items, lambda item: for_each_case(interp, functools.partial(turn, item)))
    if interp.policy.unions:
        result = told_apart_value(interp, lambda: end(interp.content(slot)))
    else:
        result = end(interp.content(slot))
    interp.heap.contents.pop(slot, None)
    return result


def _fold_from_first(
    interp: Interpreter,
    items: Abstract,
    begin: Callable[[Abstract], Abstract],
    step: Callable[[Abstract, Abstract], Abstract],
    end: Callable[[Abstract], Abstract],
    empty: Callable[[], Abstract],
) -> Abstract:
    """Fold items, from what ``begin`` makes of the first to what ``end`` makes of the last
    accumulator; give ``empty()`` where there is no item.
    """
    iterable = iterate(interp, items)

    def nothing() -> Abstract:
        if iterable.end is not None:
            iterable.end()
        return empty()

    if isinstance(iterable.count, int) and iterable.count == 0:
        return nothing()

    def folded() -> Abstract:
        first = iterable.element(0 if iterable.unroll else constant(0))
        return _fold(interp, after(iterable, 1), begin(first), step, end)

    if isinstance(iterable.count, int):
        return folded()
    return choose(interp, equal(iterable.count, 0), nothing, folded)


@builtin(builtins.sum)
def _sum(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    items, start = (*arguments, 0)[:2]
    try:
        return _fold(interp, items, start, lambda a, b: binary(interp, ast.Add, a, b))
    except ConflictRead as read:
        if not read.conflict.aliasing:
            read.conflict.hint = read.conflict.hint or _START
        raise


_START = "give sum a start that is like the items: sum(items, np.zeros(n))"


@builtin(functools.reduce)
def _reduce(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    function, items, *start = arguments

    def step(a: Abstract, b: Abstract) -> Abstract:
        return interp.call(function, [a, b], {})

    def empty() -> Abstract:
        raise users(TypeError("reduce() of empty iterable with no initial value"))

    if start:
        return _fold(interp, items, start[0], step)
    return _fold_from_first(interp, items, _itself, step, _itself, empty)


def _itself(value: Abstract) -> Abstract:
    return value


@builtin(functools.wraps)
def _wraps(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    named = dict(zip(("wrapped", "assigned", "updated"), arguments, strict=False)) | keywords
    return Partial(functools.update_wrapper, (), tuple(named.items()))


@builtin(functools.update_wrapper)
def _update_wrapper(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    wrapper, wrapped = [*arguments, keywords.get("wrapped")][:2]
    if not isinstance(wrapper, Closure) or not isinstance(wrapped, Closure | types.FunctionType):
        raise UnsupportedCallError(
            "functools.update_wrapper() of what is no function made here", interp.span
        )
    return dataclasses.replace(wrapper, known_as=interp.attribute(wrapped, "__name__"))


def _extreme(
    python: Any, op: type[ast.cmpop]
) -> Callable[[Interpreter, Arguments, Keywords], Abstract]:
    def handler(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
        key = keywords.get("key")
        items = arguments[0] if len(arguments) == 1 else tuple(arguments)

        def measured(item: Abstract) -> tuple[Abstract, ...]:
            return (item,) if key is None else (interp.call(key, [item], {}), item)

        def better(kept: tuple[Abstract, ...], item: Abstract) -> Abstract:
            found = measured(item)
            condition = truth(interp, compare(interp, op, found[0], kept[0]))
            if not isinstance(condition, Value):
                return found if condition else kept
            return joined_cases(interp, condition, lambda: found, lambda: kept, VALUE)

        def empty() -> Abstract:
            return keywords["default"] if "default" in keywords else _refuse_empty(python)

        return _fold_from_first(interp, items, measured, better, operator.itemgetter(-1), empty)

    return handler


def _refuse_empty(python: Any) -> Abstract:
    """Raise what ``max(())`` raises."""
    try:
        return python(())
    except ValueError as error:
        raise users(error) from None


BUILTINS[builtins.max] = _extreme(builtins.max, ast.Gt)
BUILTINS[builtins.min] = _extreme(builtins.min, ast.Lt)


@builtin(builtins.any)
def _any(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return until(interp, arguments[0], lambda item: truth(interp, item))


@builtin(builtins.all)
def _all(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return negated(until(interp, arguments[0], lambda item: negated(truth(interp, item))))


@builtin(sorted)
def sorted_items(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    items = list(static_items(interp, arguments[0]))
    key = keywords.get("key")
    values = [item if key is None else interp.call(key, [item], {}) for item in items]
    reverse = keywords.get("reverse", False)
    if any(has_operator(interp, "lt", value, value) for value in values):
        keys: list[Any] = [_Compared(interp, value) for value in values]
    else:
        plain_values = [plain_argument(interp, value) for value in values]
        if len(items) > 1 and _is_found_at_run_time(interp, plain_values):
            order = _order_found(interp, plain_values, static(truth(interp, reverse)))
            return interp.new_list(in_order(interp, tuple(items), order))
        keys = [known(interp, value, _SORTED) for value in plain_values]
    numbers = range(len(items))
    ordered = builtins.sorted(numbers, key=keys.__getitem__, reverse=bool(reverse))
    return interp.new_list(tuple(items[k] for k in ordered))


def _is_found_at_run_time(interp: Interpreter, keys: Sequence[Any]) -> bool:
    """Return whether the order of keys is told by numbers that nothing fixes."""
    numbers: list[Value] = []
    pending = list(keys)
    while pending:
        key = pending.pop()
        if isinstance(key, tuple):
            pending.extend(key)
        elif isinstance(key, Value):
            if not isinstance(key.type, ArrayType) or key.type.kind == "array":
                return False
            numbers.append(key)
        elif not isinstance(key, str | bytes) and not is_leaf(key):
            return False
    return any(not can_be_known(interp, number) for number in numbers)


def _order_found(interp: Interpreter, keys: Sequence[Any], reverse: bool) -> Value:
    """The indices of keys in their order, as Python's own sort finds it."""
    template = Template(interp)
    compared = Member([template.of(key) for key in keys], "__getitem__")
    order: Value = opaque_call(
        *template.operands,
        function=Named(builtins.sorted, "sorted"),
        arguments=(list(range(len(keys))),),
        keywords=(("key", compared), *((("reverse", True),) if reverse else ())),
        type=ListType(INT),
    )
    return order


_SORTED = "sort an array: np.sort(...), np.argsort(...)"


@dataclass(frozen=True, slots=True)
class _Compared:
    """A value that is sorted by the ``<`` of its class."""

    interp: Interpreter
    value: Abstract

    def __lt__(self, other: _Compared) -> bool:
        answer = truth(self.interp, compare(self.interp, ast.Lt, self.value, other.value))
        return bool(known(self.interp, answer, _SORTED))


# Numbers ------------------------------------------------------------------------------------------


@builtin(str)
def _str(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    if len(arguments) != 1:
        return in_python(str, *arguments, **keywords)
    if is_exception(arguments[0]):
        return text_of_exception(interp, arguments[0])
    return text_of([text_field(arguments[0], "s", "")])


@builtin(repr)
def _repr(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return text_of([text_field(arguments[0], "r", "")])


@builtin(format)
def _format(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    value, *spec = arguments
    return text_of([text_field(value, None, spec[0] if spec else "")])


def _plainly(function: Callable[..., Any]) -> Handler:
    """A pure function of numbers and strings, which have to be static."""

    def handler(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
        return function(*(plain(interp, argument) for argument in arguments), **keywords)

    return handler


for _pure in (chr, ord, hex, bin, oct, ascii):
    BUILTINS[_pure] = _plainly(_pure)


def _conversion(
    python: type, staged: Callable[[Value], Value]
) -> Callable[[Interpreter, Arguments, Keywords], Abstract]:
    def handler(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
        if len(arguments) == 1 and is_staged(arguments[0]):
            return staged(interp.lift(arguments[0]))
        if len(arguments) == 2 and python is complex and any(map(is_staged, arguments)):
            a, b = (interp.lift(v) for v in arguments)
            return complex_of(a, b)
        return python(*(settled(interp, a) for a in arguments), **keywords)

    return handler


BUILTINS[float] = _conversion(float, python_float)
BUILTINS[int] = _conversion(int, python_int)
BUILTINS[complex] = _conversion(complex, python_complex)


@builtin(bool)
def _bool(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return truth(interp, arguments[0]) if arguments else False


@builtin(abs, operator.abs)
def _abs(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    (value,) = arguments
    if isinstance(value, ObjectRef) or has_method(interp, value, "__abs__"):
        return interp.call_method(value, "__abs__")
    return interp.wrap(absolute(interp.lift(value))) if is_staged(value) else abs(value)


@builtin(round)
def _round(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    value, *digits = arguments
    if not is_staged(value):
        return round(value, *[static(d) for d in digits])
    read = interp.lift(value)
    places = static(digits[0]) if digits else None
    if isinstance(read.type, ArrayType) and (read.type.kind != "scalar" or places is None):
        return python_round(read, digits=places)
    return interp.call(get_attribute(interp, value, "round"), digits, {})


@builtin(pow, operator.pow)
def _pow(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    operands = list(arguments)
    if operands[2:] == [None]:
        operands.pop()
    if len(operands) == 3:
        return pow(*(static(a) for a in operands))
    return binary(interp, ast.Pow, *operands)


@builtin(divmod)
def _divmod(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    if has_operator(interp, "divmod", *arguments):
        return by_operator(interp, "divmod", *arguments)
    return (binary(interp, ast.FloorDiv, *arguments), binary(interp, ast.Mod, *arguments))


def _infix(op: type[ast.operator]) -> Handler:
    return lambda interp, arguments, keywords: binary(interp, op, *arguments)


def _comparing(op: type[ast.cmpop]) -> Handler:
    return lambda interp, arguments, keywords: compare(interp, op, *arguments)


for _operator, _function in {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.MatMult: operator.matmul,
}.items():
    BUILTINS[_function] = _infix(_operator)
for _comparison, (_name, _plain, _staged) in COMPARE.items():
    BUILTINS[_plain] = _comparing(_comparison)
BUILTINS[operator.neg] = lambda interp, arguments, keywords: unary(interp, ast.USub, *arguments)
BUILTINS[operator.not_] = lambda interp, arguments, keywords: unary(interp, ast.Not, *arguments)
BUILTINS[operator.getitem] = lambda interp, arguments, keywords: get_item(interp, *arguments)


# Containers ---------------------------------------------------------------------------------------


@builtin(list)
def _list(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    if arguments and _is_native_list(interp, arguments[0]):
        return interp.new_list(interp.content(arguments[0]))
    return collect(interp, arguments[0] if arguments else ())


def _is_native_list(interp: Interpreter, value: Abstract) -> bool:
    return isinstance(value, ListRef) and not has_method(interp, value, "__iter__")


@builtin(tuple)
def _tuple(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    if not arguments:
        return ()
    content = interp.content(collect(interp, arguments[0]))
    if not staged_lists.is_staged_list(content):
        return content
    return interp.new_list(content, frozen=True)


@builtin(dict)
def _dict(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return filled_dict(interp, DictRef(), arguments, keywords)


@builtin(types.MappingProxyType)
def _proxy(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    (mapping,) = arguments
    return mapping if isinstance(mapping, DictRef) else NotImplemented


@builtin(collections.OrderedDict)
def _ordered_dict(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return filled_dict(interp, DictRef(type=collections.OrderedDict), arguments, keywords)


@builtin(collections.defaultdict)
def _default_dict(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    made = DictRef(type=collections.defaultdict)
    interp.put((made, "default_factory"), arguments[0] if arguments else None)
    return filled_dict(interp, made, arguments[1:], keywords)


@builtin(dict.fromkeys)
def _from_keys(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    keys, *value = arguments
    known_keys = (static_key(interp, key) for key in static_items(interp, keys))
    return interp.new_dict(dict.fromkeys(known_keys, *value))


def filled_dict(
    interp: Interpreter, made: DictRef, arguments: Arguments, keywords: Keywords
) -> DictRef:
    """A new dict with the items that ``dict(*arguments, **keywords)`` has."""

    numbers = itertools.count()

    def add(pair: Abstract) -> None:
        key, value = pair_of(interp, pair, next(numbers))
        interp.put(made, {**interp.content(made), static_key(interp, key): value})

    interp.put(made, {})
    for argument in arguments:
        if isinstance(argument, DictRef) and not has_method(interp, argument, "__iter__"):
            interp.put(made, dict(interp.content(argument)))
        elif isinstance(argument, ObjectRef | DictRef) and hasattr(argument.type, "keys"):
            for key in static_items(interp, interp.call_method(argument, "keys")):
                add((key, get_item(interp, argument, key)))
        else:
            for_each(interp, argument, add)
    if keywords:
        interp.put(made, {**interp.content(made), **keywords})
    return made


@builtin(frozenset)
def _frozenset(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    items = static_items(interp, arguments[0]) if arguments else ()
    return frozenset(element_of_set(interp, item) for item in items)


@builtin(set)
def _set(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return StaticSet(_frozenset(interp, arguments, keywords))


@builtin(slice)
def _slice(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return slice(*arguments)


@builtin(copy.copy)
def _copy(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return copied(interp, arguments[0], lambda item: item)


@builtin(copy.deepcopy)
def _deepcopy(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    known: dict[Abstract, Abstract] = {}  # a part that stands in two places is copied once

    def deep(value: Abstract) -> Abstract:
        if not isinstance(value, Array | ListRef | DictRef | ObjectRef):
            return copied(interp, value, deep)
        if value not in known:
            known[value] = copied(interp, value, deep)
        return known[value]

    return deep(arguments[0])


def copied(interp: Interpreter, value: Abstract, item: Callable[[Abstract], Abstract]) -> Abstract:
    """A copy of a value around its items, or what ``item`` makes of them."""
    if isinstance(value, Array):
        return interp.wrap(shape.copy(interp.heap.read(value), order="K"))
    if isinstance(value, ListRef):
        content = interp.content(value)
        staged = staged_lists.is_staged_list(content)
        return interp.new_list(content if staged else tuple(map(item, content)))
    if isinstance(value, DictRef):
        return interp.new_dict({k: item(part) for k, part in interp.content(value).items()})
    if isinstance(value, tuple):
        return tuple.__new__(type(value), list(map(item, value)))
    if isinstance(value, ObjectRef):
        return _copied_object(interp, value, item)
    return value


def _copied_object(
    interp: Interpreter, value: ObjectRef, item: Callable[[Abstract], Abstract]
) -> ObjectRef:
    if not is_dataclass(value.type) or hasattr(value.type, "__copy__"):
        raise UnsupportedCallError(
            f"a copy of a {value.type.__name__}", interp.span, "make a new one from its parts"
        )
    made = ObjectRef(value.type)
    for field in dataclasses.fields(value.type):
        interp.put((made, field.name), item(get_attribute(interp, value, field.name)))
    return made


# Questions ----------------------------------------------------------------------------------------


@builtin(isinstance)
def _isinstance(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    value, classes = arguments
    owner = class_of(interp, value)
    lookups.bases_stay(interp, owner)
    try:
        return issubclass(owner, classes)
    except TypeError:
        with python_raises():
            isinstance(None, classes)
        raise


@builtin(type)
def _type(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    if len(arguments) > 1:
        raise UnsupportedCallError("a class made by type()", interp.span, "define it outside")
    return class_of(interp, arguments[0])


@builtin(issubclass)
def _issubclass(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    if not isinstance(arguments[0], type):
        raise users(TypeError("issubclass() arg 1 must be a class"))
    lookups.bases_stay(interp, arguments[0])
    with python_raises():
        return issubclass(*arguments)


@builtin(callable)
def _callable(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    value = arguments[0]
    require_known(interp, value)
    if isinstance(value, ObjectRef):
        return lookups.defines(interp, value.type, "__call__")
    return type(value) in CALLABLES or callable(value)


@builtin(np.isscalar)
def _isscalar(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return issubclass(class_of(interp, arguments[0]), np.generic | numbers.Number | str | bytes)


@builtin(hasattr)
def _hasattr(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return _attribute_or_absent(interp, *arguments) is not ABSENT


def _attribute_or_absent(interp: Interpreter, value: Abstract, name: Abstract) -> Abstract:
    known = _attribute_name(interp, name)
    return unless_raised(interp, AttributeError, lambda: get_attribute(interp, value, known))


def _attribute_name(interp: Interpreter, name: Abstract) -> str:
    known = settled(interp, name)
    if isinstance(known, str):
        return known
    cls = class_of(interp, known).__name__
    raise users(TypeError(f"attribute name must be string, not '{cls}'"))


@builtin(getattr)
def _getattr(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    value, name, *default = arguments
    if not default:
        return get_attribute(interp, value, name)
    found = _attribute_or_absent(interp, value, name)
    return default[0] if found is ABSENT else found


@builtin(setattr)
def _setattr(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    value, name, content = arguments
    return set_attribute(interp, value, _attribute_name(interp, name), content)


@builtin(locals)
def _locals(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    """The names that are bound here; before Python 3.13 it is one dict, which each call renews."""
    scope = interp.scope
    if scope.parent is not None or not isinstance(scope.node, ast.FunctionDef):
        return _refusal("locals", _NAMES)(interp, arguments, keywords)
    names = {name: interp.heap.get((scope, name)) for name in names_in_order(scope.node)}
    bound = {name: content for name, content in names.items() if content is not ABSENT}
    if any(isinstance(content, PossiblyUnbound | Conflict) for content in bound.values()):
        return _refusal("locals", _NAMES)(interp, arguments, keywords)
    known = interp.heap.get((scope, _LOCALS)) if sys.version_info < (3, 13) else ABSENT
    if known is ABSENT:
        known = container(interp, dict, (), [], None)
        interp.put((scope, _LOCALS), known)
    before = {k: v for k, v in interp.content(known).items() if names.get(k) is not ABSENT}
    interp.put(known, before | bound)
    return known


_LOCALS = "locals()"


@builtin(operator.index)
def _index(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    (number,) = arguments
    if not isinstance(number, Value | Array | int | np.integer):
        return NotImplemented
    return interp.call(int, [_integer(interp, number)], {})


_NAMES = "write the names out"
_REFUSED: dict[Any, str] = {
    id: "compare with 'is'",
    exec: "write the statements out",
    eval: "write the expression out",
    compile: "write the code out",
    globals: _NAMES,
    vars: _NAMES,
    dir: _NAMES,
    __import__: "import it at the top of the file",
    input: "make it an argument",
    breakpoint: "set it in the generated code, which pdb steps through",
    delattr: "set it to None",
    memoryview: "use an array",
    bytearray: "use an array",
}


def _refusal(name: str, hint: str) -> Handler:
    def refuse(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
        raise UnsupportedCallError(f"symdiff does not compile {name}()", interp.span, hint)

    return refuse


for _refused, _hint in _REFUSED.items():
    BUILTINS[_refused] = _refusal(_refused.__name__, _hint)


@builtin(functools.partial)
def _partial(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return Partial(arguments[0], tuple(arguments[1:]), tuple(keywords.items()))


@builtin(operator.itemgetter)
def _itemgetter(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return Partial(_take, (tuple(arguments),), ())


def _take() -> None:
    """What ``operator.itemgetter`` returns."""


@builtin(_take)
def _taken(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    keys, value = arguments
    items = tuple(get_item(interp, value, key) for key in keys)
    return items[0] if len(items) == 1 else items


@builtin(operator.attrgetter)
def _attrgetter(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    return Partial(_look_up, (tuple(arguments),), ())


def _look_up() -> None:
    """What ``operator.attrgetter`` returns."""


@builtin(_look_up)
def _looked_up(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    names, value = arguments
    items = tuple(
        functools.reduce(lambda v, part: get_attribute(interp, v, part), name.split("."), value)
        for name in names
    )
    return items[0] if len(items) == 1 else items


@builtin(next)
def _next(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    source, *default = arguments
    slot = (Token(), "next")

    def keep(item: Abstract) -> bool:
        interp.put(slot, item)
        return True

    def otherwise() -> Abstract:
        if not default:
            raise users(StopIteration())
        return default[0]

    if isinstance(source, Generator) and source.elements is None:
        found = until(interp, source, keep)
    elif isinstance(source, ITERATORS):
        found = _advance(interp, source, keep)
    else:
        return _next_of_object(interp, source, default)
    item = interp.heap.get(slot)
    interp.heap.contents.pop(slot, None)
    return choose(interp, found, lambda: item, otherwise)


def _next_of_object(interp: Interpreter, source: Abstract, default: Sequence[Abstract]) -> Abstract:
    require_known(interp, source)
    if not has_method(interp, source, "__next__"):
        name = class_of(interp, source).__name__
        raise users(TypeError(f"'{name}' object is not an iterator"))
    if default:
        raise UnsupportedCallError(
            "next() of an object with a default", interp.span, "ask the object whether it has more"
        )
    return interp.call_method(source, "__next__")


def _advance(
    interp: Interpreter, source: Abstract, keep: Callable[[Abstract], bool]
) -> bool | Value:
    """The next element of an iterator, if there is one."""
    part, position = part_of(interp, source)
    inside = has_element(part, position)

    def take() -> None:
        keep(part.element(position))
        interp.put(source, binary(interp, ast.Add, position, 1))

    interp.branch(inside, take, part.end or nothing)
    if part.unroll:  # beyond the end there is nothing either: the position stays known
        interp.put(source, position + 1)
    found: bool | Value = inside
    return found


@builtin(iter)
def _iter(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    value, *sentinel = arguments
    if sentinel:
        raise UnsupportedCallError(
            "iter() of a function and a sentinel", interp.span, "use a while loop"
        )
    if has_method(interp, value, "__iter__"):
        return interp.call_method(value, "__iter__")
    if isinstance(value, ITERATORS):
        return value
    value = static_items(interp, value) if isinstance(value, DictView) else settled(interp, value)
    iterate(interp, value)  # raises what Python does of what has no items
    return started(interp, IteratorRef(value))


@builtin(print)
def _print(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    template = Template(interp)
    shown = tuple(template.of(a) for a in arguments)
    named = tuple((name, template.of(a)) for name, a in keywords.items())
    print_(*template.operands, arguments=shown, keywords=named)
    return None


@builtin(math.prod)
def _math_prod(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    start = keywords.get("start", 1)
    return _fold(interp, arguments[0], start, lambda a, b: binary(interp, ast.Mult, a, b))


@builtin(super)
def _super(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    """``super(Class, instance)``; without arguments where it stands in a call of its own."""
    if not arguments:
        return super_of(interp)
    if len(arguments) == 1 or not isinstance(arguments[0], type):
        raise UnsupportedCallError(
            "super() without an instance", interp.span, "name the base class: Base.method(self)"
        )
    owner, instance = arguments
    kind = instance if isinstance(instance, type) else class_of(interp, instance)
    if not issubclass(kind, owner):
        message = "super(type, obj): obj must be an instance or subtype of type"
        raise users(TypeError(message))
    return Super(owner, instance, interp)


@builtin(dataclasses.replace)
def _replace(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    (record,) = arguments
    if isinstance(record, tuple):
        return record._replace(**keywords)  # type: ignore[attr-defined]
    names = [field.name for field in dataclasses.fields(record.type) if field.init]
    values = {name: get_attribute(interp, record, name) for name in names}
    return interp.call(record.type, [], values | keywords)


@builtin(dataclasses.fields)
def _fields(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    (record,) = arguments
    return dataclasses.fields(record.type if isinstance(record, ObjectRef) else record)


@builtin(dataclasses.asdict)
def _asdict(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    def made(names: list[str], parts: list[Abstract]) -> Abstract:
        return interp.new_dict(dict(zip(names, parts, strict=True)))

    return _taken_apart(interp, _record(interp, dataclasses.asdict, arguments), made)


@builtin(dataclasses.astuple)
def _astuple(interp: Interpreter, arguments: Arguments, keywords: Keywords) -> Abstract:
    record = _record(interp, dataclasses.astuple, arguments)
    return _taken_apart(interp, record, lambda names, parts: tuple(parts))


def _record(interp: Interpreter, function: Callable[..., Any], arguments: Arguments) -> ObjectRef:
    """The object of a dataclass that a function takes apart; Python takes nothing else."""
    (record,) = arguments
    if isinstance(record, ObjectRef) and is_dataclass(record.type):
        return record
    require_known(interp, record)
    raise users(TypeError(f"{function.__name__}() should be called on dataclass instances"))


def _taken_apart(
    interp: Interpreter, value: Abstract, made: Callable[[list[str], list[Abstract]], Abstract]
) -> Abstract:
    """The fields of dataclasses, all the way down, and copies of all else."""
    if isinstance(value, ObjectRef) and is_dataclass(value.type):
        names = [field.name for field in dataclasses.fields(value.type)]
        parts = [_taken_apart(interp, get_attribute(interp, value, n), made) for n in names]
        return made(names, parts)
    return copied(interp, value, lambda part: _taken_apart(interp, part, made))
