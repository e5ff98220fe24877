"""Python's builtins of numbers, texts and iterators on abstract values."""

from __future__ import annotations

import ast
import functools
import io
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.definitions import is_definition
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import python_round
from symdiff.ops.casts import complex_of, python_complex, python_float, python_int
from symdiff.ops.declare import static
from symdiff.ops.effects import print_
from symdiff.parse import run_time_texts as texts
from symdiff.parse.attributes import get_attribute
from symdiff.parse.blame import users
from symdiff.parse.branches import choose
from symdiff.parse.calls import builtin
from symdiff.parse.comparisons import COMPARE, compare
from symdiff.parse.hidden_complex import absolute_of
from symdiff.parse.hidden_pythons import may_be_pythons
from symdiff.parse.identity import class_of, class_of_number, require_known
from symdiff.parse.interpreter import HOOKS, Interpreter, nothing
from symdiff.parse.items import get_item
from symdiff.parse.iteration import (
    ENDED,
    ITERATORS,
    at_end,
    first_of,
    has_element,
    is_unnumbered,
    iterate,
    length,
    not_beside,
    part_of,
    require_resumed,
    require_unchanged,
    require_unused,
    resumes,
    started,
    static_items,
    until,
)
from symdiff.parse.opaque import Template, held_at
from symdiff.parse.operators import BINARY, binary, is_staged, unary
from symdiff.parse.python import in_python
from symdiff.parse.special import as_index, by_operator, has_method, has_operator, has_own_method
from symdiff.parse.texts import (
    holds_object,
    plain,
    settled,
    text_field,
    text_of,
    text_of_container,
    text_of_object,
)
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    ConflictRead,
    DictView,
    IteratorRef,
    ObjectRef,
    Range,
    Token,
)

# Iterables ----------------------------------------------------------------------------------------


@builtin(range)
def _range(interp: Interpreter, *bounds: Abstract) -> Abstract:
    parts = [_integer(interp, bound) for bound in bounds]
    if len(parts) == 1:
        return Range(0, parts[0], 1)
    start, stop, *step = parts
    return Range(start, stop, step[0] if step else 1)


def _integer(interp: Interpreter, value: Abstract) -> Any:
    if isinstance(value, Array):
        value = interp.heap.read(value)
    value = as_index(interp, value)
    type_ = value.type if isinstance(value, Value) else None
    if isinstance(type_, ArrayType) and type_.dtype.kind not in "iub":
        name = class_of_number(value).__name__
        raise users(TypeError(f"'{name}' object cannot be interpreted as an integer"))
    return value if isinstance(value, Value) else operator.index(value)


@builtin(operator.index)
def _index(interp: Interpreter, number: Abstract) -> Abstract:
    if not isinstance(number, Value | Array | int | np.integer):
        return NotImplemented
    return interp.call(int, [_integer(interp, number)], {})


@builtin(len)
def _len(interp: Interpreter, value: Abstract) -> Abstract:
    if texts.is_at_run_time(interp, value):
        return texts.asked(interp, value, "__len__", [], {})
    value = settled(interp, value)
    if isinstance(value, ObjectRef) or has_method(interp, value, "__len__"):
        return interp.call_method(value, "__len__")
    return length(interp, value)


@builtin(iter)
def _iter(interp: Interpreter, value: Abstract, *sentinel: Abstract) -> Abstract:
    if sentinel:
        if not interp.call(callable, [value], {}):
            raise users(TypeError("iter(v, w): v must be callable"))
        from symdiff.definitions.in_python import called_until  # by few programs

        return interp.call(called_until, [value, *sentinel], {})
    if has_method(interp, value, "__iter__"):
        return interp.call_method(value, "__iter__")
    if isinstance(value, ITERATORS):
        return value
    value = static_items(interp, value) if isinstance(value, DictView) else settled(interp, value)
    iterate(interp, value)  # raises what Python does of what has no items
    return started(interp, IteratorRef(value))


@builtin(next)
def _next(interp: Interpreter, source: Abstract, *default: Abstract) -> Abstract:
    slot = (Token(), "next")

    def keep(item: Abstract) -> bool:
        interp.put(slot, item)
        return True

    def otherwise() -> Abstract:
        if not default:
            raise users(StopIteration())
        return default[0]

    if resumes(interp, source):
        return _next_resumed(interp, source, default)
    if is_unnumbered(source):
        first = first_of(interp, source)
        if first is not ABSENT:
            return first
        found = until(interp, source, keep)
    elif isinstance(source, ITERATORS):
        found = _advance(interp, source, keep)
    else:
        return _next_of_object(interp, source, default)
    item = interp.heap.get(slot)
    interp.heap.contents.pop(slot, None)
    try:
        return choose(interp, found, lambda: item, otherwise, keeps_cases=True)
    except ConflictRead:  # it may be known which, where the generator is suspended
        require_resumed(interp, source)
        if is_unnumbered(source) and is_definition(interp.scope.globals):
            raise not_beside() from None
        raise


def _next_resumed(interp: Interpreter, source: Abstract, default: Sequence[Abstract]) -> Abstract:
    """The next element of a generator that is suspended."""
    require_unused(interp, source)
    item = HOOKS.resumed(interp, source)
    if item is ABSENT:
        return default[0] if default else at_end(interp, source)
    return item


def _next_of_object(interp: Interpreter, source: Abstract, default: Sequence[Abstract]) -> Abstract:
    require_known(source)
    if not has_method(interp, source, "__next__"):
        name = class_of(interp, source).__name__
        raise users(TypeError(f"'{name}' object is not an iterator"))
    if default:
        raise UnsupportedCallError(
            "next() of an object with a default", hint="ask the object whether it has more"
        )
    return interp.call_method(source, "__next__")


def _advance(
    interp: Interpreter, source: Abstract, keep: Callable[[Abstract], bool]
) -> bool | Value:
    """The next element of an iterator, if there is one; where there is none, there never is."""
    part, position = part_of(interp, source)
    require_unchanged(interp, source, part)
    inside = has_element(part, position)

    def take() -> None:
        keep(part.element(position))
        interp.put(source, binary(interp, ast.Add, position, 1))

    def end() -> None:
        (part.end or nothing)()
        if part.live:  # what it goes over may grow
            interp.put(source, ENDED)

    interp.branch(inside, take, end)
    if (
        part.unroll and inside is not False
    ):  # beyond the end there is nothing: the position is known
        interp.put(source, position + 1)
    return inside


# Numbers ------------------------------------------------------------------------------------------


def _converted(
    python: type,
    staged: Callable[[Value], Value],
    interp: Interpreter,
    *arguments: Abstract,
    **keywords: Abstract,
) -> Abstract:
    """``python(*arguments)``, of a staged number by the op of that conversion."""
    one = arguments[0] if len(arguments) == 1 else None
    if python in texts.NUMBERS and texts.is_at_run_time(interp, one):
        return texts.number(interp, python, one)
    if is_staged(one):
        return staged(interp.lift(arguments[0]))
    if len(arguments) == 2 and python is complex and any(map(is_staged, arguments)):
        return complex_of(*map(interp.lift, arguments))
    return python(*(settled(interp, a) for a in arguments), **keywords)


builtin(float)(functools.partial(_converted, float, python_float))
builtin(int)(functools.partial(_converted, int, python_int))
builtin(complex)(functools.partial(_converted, complex, python_complex))


@builtin(bool)
def _bool(interp: Interpreter, value: Abstract = False) -> Abstract:
    return truth(interp, value)


@builtin(abs, operator.abs)
def _abs(interp: Interpreter, value: Abstract) -> Abstract:
    if isinstance(value, ObjectRef) or has_method(interp, value, "__abs__"):
        return interp.call_method(value, "__abs__")
    if not is_staged(value):
        return abs(value)
    return interp.wrap(absolute_of(interp, interp.lift(value)))


@builtin(round)
def _round(interp: Interpreter, value: Abstract, *digits: Abstract) -> Abstract:
    if not is_staged(value):
        return round(value, *map(static, digits))
    read = interp.lift(value)
    places = static(digits[0]) if digits else None
    if isinstance(read.type, ArrayType):
        is_numpys = read.type.kind == "scalar" and not may_be_pythons(interp, read)
        if places is None or not is_numpys:
            return python_round(read, digits=places)
    return interp.call(get_attribute(interp, value, "round"), digits, {})


@builtin(pow, operator.pow)
def _pow(interp: Interpreter, base: Abstract, exp: Abstract, mod: Abstract = None) -> Abstract:
    if mod is None:
        return binary(interp, ast.Pow, base, exp)
    return pow(*map(static, (base, exp, mod)))


@builtin(hash)
def _hash(interp: Interpreter, value: Abstract) -> Abstract:
    if has_own_method(interp, value, "__hash__"):
        return interp.call_method(value, "__hash__")
    parts = value if type(value) is tuple else (value,)  # that of a text is another in each process
    return (
        hash(value) if all(type(part) in (bool, int, float) for part in parts) else NotImplemented
    )


@builtin(divmod)
def _divmod(interp: Interpreter, a: Abstract, b: Abstract) -> Abstract:
    if has_operator(interp, "divmod", a, b):
        return by_operator(interp, "divmod", a, b)
    return (binary(interp, ast.FloorDiv, a, b), binary(interp, ast.Mod, a, b))


def _operating(op: type[ast.operator], interp: Interpreter, a: Abstract, b: Abstract) -> Abstract:
    return binary(interp, op, a, b)


def _comparing(op: type[ast.cmpop], interp: Interpreter, a: Abstract, b: Abstract) -> Abstract:
    return compare(interp, op, a, b)


for _operator in (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult):
    builtin(BINARY[_operator][1])(functools.partial(_operating, _operator))
for _comparison, (_name, _plain, _staged) in COMPARE.items():
    builtin(_plain)(functools.partial(_comparing, _comparison))
builtin(operator.neg)(lambda interp, a: unary(interp, ast.USub, a))
builtin(operator.not_)(lambda interp, a: unary(interp, ast.Not, a))
builtin(operator.getitem)(get_item)


# Text ---------------------------------------------------------------------------------------------


@builtin(str)
def _str(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    if len(arguments) != 1:
        return in_python(str, *arguments, **keywords)
    return text_of([text_field(interp, arguments[0], "s", "")])


@builtin(repr)
def _repr(interp: Interpreter, value: Abstract) -> Abstract:
    return text_of([text_field(interp, value, "r", "")])


@builtin(format)
def _format(interp: Interpreter, value: Abstract, spec: Abstract = "") -> Abstract:
    return text_of([text_field(interp, value, None, spec)])


def _plainly(
    function: Callable[[Any], str | int], interp: Interpreter, value: Abstract
) -> Abstract:
    """A pure function of a number or a string, which has to be static."""
    return function(plain(interp, value))


for _pure in (chr, ord, hex, bin, oct, ascii):
    builtin(_pure)(functools.partial(_plainly, _pure))


def _printed(interp: Interpreter, value: Abstract) -> Abstract:
    """What is printed: the text of an object in its place, where its class tells one."""
    if holds_object(interp, value):
        return text_of_container(interp, value)
    text = text_of_object(interp, value, "s") if isinstance(value, ObjectRef) else None
    return value if text is None else text


@builtin(print)
def _print(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> None:
    standard = interp.free_variable("global", vars(sys), "stdout")
    if keywords.get("file") is None and standard in interp.rebound:
        keywords["file"] = interp.attribute(sys, "stdout")
    file = keywords.get("file")
    if isinstance(file, ObjectRef) and file.path and type(file.live) is io.TextIOWrapper:
        keywords["file"] = held_at(interp, file.path, file.live)
    if not isinstance(file, ObjectRef) or file.live is not None:
        Template(interp).emit(print_, [_printed(interp, value) for value in arguments], keywords)
        return
    from symdiff.definitions.text import print_to  # at the first use

    others = {key: value for key, value in keywords.items() if key != "file"}
    interp.call(print_to, [file, *arguments], others)
