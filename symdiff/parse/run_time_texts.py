"""Texts known at run time only: the IR value of one, and what is asked of it at run time.

A ``StagedText`` is written where it is used, as an f-string. What is done with a text, and the text
of several paths, is done with a value of type ``TEXT``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import FLOAT, INT, OPAQUE, TEXT, ArrayType, ListType, Type
from symdiff.ops.effects import Field, Item, Made, Member, Named, Text
from symdiff.ops.keys import Slot
from symdiff.ops.texts import RESULTS, text_call, text_made
from symdiff.parse.blame import error_of, users
from symdiff.parse.heap import Heap, is_array
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.opaque import Template
from symdiff.parse.texts import HINT, can_be_settled, is_text_value
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Arguments,
    Array,
    Keywords,
    ListRef,
    StagedText,
    Unjoinable,
)

NUMBERS: dict[Any, Type] = {float: FLOAT, int: INT}  # that are read from a text


def is_text(value: Abstract) -> bool:
    """Return whether a value is a text, known now or at run time only."""
    return isinstance(value, str | StagedText) or is_text_value(value)


def is_at_run_time(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a value is a text that nothing tells before run time."""
    if isinstance(value, StagedText):
        return not can_be_settled(interp, value)
    return is_text_value(value)


def are_at_run_time(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a value is such a text, or a list of them."""
    if not isinstance(value, ListRef):
        return is_at_run_time(interp, value)
    content = interp.content(value)
    return isinstance(content, Value) and content.type == ListType(TEXT)


def lifted(heap: Heap, text: Any) -> Value:
    """The IR value of a text, as what it is made of is in a heap."""
    if isinstance(text, Value):
        return text
    made = _Made(heap)
    template = text if isinstance(text, str) else made.text(text)
    value: Value = text_made(*made.operands, made=template)
    return value


def shown_anyhow(part: Abstract) -> Abstract:
    """What stands for a part of a text on paths that have no such text: it is nobody's to read, and
    may be written all the same with others that are.
    """
    if not isinstance(part, Value):
        return part if is_leaf(part) else ABSENT
    type_ = part.type
    if type_ == TEXT:
        return ""
    if not isinstance(type_, ArrayType) or type_.kind == "array":
        return ABSENT
    zero = type_.dtype.type(0)
    return zero.item() if type_.weak else zero


class _Made:
    """Collects the numbers in a text while it becomes a template."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.operands: list[Value] = []

    def text(self, text: StagedText) -> Text:
        return Text(tuple(p if isinstance(p, str) else self.field(*p) for p in text.parts))

    def field(self, value: Abstract, conversion: str | None, spec: Any) -> Field:
        """A field; the formats that arrays take are none of Python's."""
        shown = self.value(value)
        spec = self.text(spec) if isinstance(spec, StagedText) else spec
        of_array = isinstance(shown, Slot) and is_array(self.operands[shown.number].type)
        if of_array and conversion is None and spec != "":
            raise Unjoinable("the text of an array in a format")
        return Field(shown, conversion, spec)

    def value(self, value: Abstract) -> Any:
        if isinstance(value, Array):
            self.heap.require_array(value)
            value = self.heap.read(value)
        if isinstance(value, Value):
            self.operands.append(value)
            return Slot(len(self.operands) - 1)
        if isinstance(value, StagedText):
            return self.text(value)
        plain = is_leaf(value) and not isinstance(value, np.ndarray)
        if value is None or isinstance(value, str) or plain:
            return value
        raise Unjoinable(f"the text of {describe(value)}")


def asked(
    interp: Interpreter, text: Abstract, name: str, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What a method of a text gives, some of which is known at run time only."""
    if name in _PARTED:
        return _parted(interp, text, name, arguments)
    type_ = RESULTS.get(name)
    if type_ is None:
        raise UnsupportedSyntaxError(f"'{name}' of a text known at run time only", hint=HINT)
    require_taken(interp, getattr(str, name), [text, *arguments], keywords)
    call = _Call(interp)
    function = Member(call.of(text), name)
    found: Value = call.emit(text_call, arguments, keywords, function=function, type=type_)
    return interp.new_list(found) if isinstance(type_, ListType) else found


_PARTED = ("partition", "rpartition")


def _parted(
    interp: Interpreter, text: Abstract, name: str, arguments: Arguments
) -> tuple[Abstract, ...]:
    """``text.partition(separator)``: three texts."""
    require_taken(interp, getattr(str, name), [text, *arguments])
    call = _Call(interp)
    function = Member(call.of(text), name)
    found: Value = call.emit(text_call, arguments, {}, function=function, type=OPAQUE)
    return tuple(text_made(found, made=Item(Slot(0), k)) for k in range(3))


def require_taken(
    interp: Interpreter,
    function: Callable[..., Any],
    arguments: Arguments,
    keywords: Keywords | None = None,
) -> None:
    """Raise as Python does where a function takes no text, or not with such others."""
    error = error_of(interp, function, arguments, keywords or {})
    if isinstance(error, TypeError):  # whatever the text is
        raise users(error)


def item(interp: Interpreter, text: Abstract, key: Abstract) -> Abstract:
    """``text[key]``."""
    return asked(interp, text, "__getitem__", [key], {})


def number(interp: Interpreter, kind: type, text: Abstract) -> Abstract:
    """``float(text)``, ``int(text)``."""
    call = _Call(interp)
    shown = call.of(text)
    named = Named(kind, kind.__name__)
    return text_call(*call.operands, function=named, arguments=(shown,), type=NUMBERS[kind])


class _Call(Template):
    """Collects the operands of a call of a text's method."""

    def of(self, value: Abstract) -> Any:
        """The template of an argument; a text that is known at run time only is made before."""
        if isinstance(value, StagedText):
            return self.slot(as_value(self.interp, value))
        if isinstance(value, slice):
            bounds = (value.start, value.stop, value.step)
            return Made(Named(slice, "slice"), tuple(map(self.of, bounds)))
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if isinstance(value, ListRef):
            content = self.interp.content(value)
            return self.of(content)
        if value is None or isinstance(value, str | int | Value):
            return super().of(value)
        raise UnsupportedSyntaxError(
            f"{describe(value)} is given to a method of a text known at run time only", hint=HINT
        )


def as_value(interp: Interpreter, text: Abstract) -> Value:
    """The IR value of a text, here."""
    try:
        return lifted(interp.heap, text)
    except Unjoinable as reason:
        raise UnsupportedSyntaxError(f"{reason} is known at run time only", hint=HINT) from None
