"""Text: f-strings, ``%``, ``str`` and ``format`` of values, some of them known at run time only.

Text of static values is a Python string. Text of others is a ``StagedText``, which ``print``,
``raise`` and ``assert`` take. Anything else needs a string, and asks for the values in it where
they can be told; where not, it is done at run time (``run_time_texts``).
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
import re
import string
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.types import TEXT
from symdiff.ops.declare import NeedsStatic, static
from symdiff.ops.effects import in_order
from symdiff.parse import exceptions, lookups
from symdiff.parse.blame import python_raises, users
from symdiff.parse.demand import can_be_fixed, can_be_known, obtainable
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.unions import picked
from symdiff.parse.values import (
    Abstract,
    Arguments,
    Array,
    Closure,
    ConflictRead,
    DictRef,
    Keywords,
    ListRef,
    ObjectRef,
    StagedText,
    StaticSet,
)

HINT = "use such text in print(...), raise and assert, or compute it outside"
Told = ObjectRef | ListRef | DictRef  # what a class may tell of by methods
CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def text_field(interp: Interpreter, value: Abstract, conversion: str | None, spec: Any) -> Any:
    """A field of an f-string: a string where all of it is static."""
    if isinstance(value, ObjectRef) or _tells_of_itself(interp, value):
        return _object_field(interp, value, conversion, spec)
    if spec == "" and conversion != "a" and _is_native(interp, value):
        return text_field(interp, text_of_container(interp, value), None, "")
    if isinstance(value, StagedText) and conversion in (None, "s") and spec == "":
        return value
    value = _as_it_is_now(interp, value)
    if not (is_plain(value) and isinstance(spec, str)):
        return (value, conversion, spec)
    with python_raises():
        return format(value if conversion is None else CONVERSIONS[conversion](value), spec)


def _tells_of_itself(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a list or a dict is of a class that tells of it by methods in Python."""
    if not isinstance(value, ListRef | DictRef) or value.type in (list, tuple, dict):
        return False
    return any(_follows(interp, value, name) for name in ("__format__", "__str__", "__repr__"))


def _is_native(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a value is a list, a tuple or a dict of Python's own, of known items."""
    if isinstance(value, ListRef | DictRef):
        kind = list if isinstance(value, ListRef) else dict
        content = interp.content(value) if value.own is None and value.type is kind else None
        return isinstance(content, tuple | dict)
    return type(value) is tuple and not is_plain(value)


def _as_it_is_now(interp: Interpreter, value: Abstract) -> Abstract:
    """What an array or a list of staged length holds: what is written later is not in the text."""
    if isinstance(value, Array) and value.storage.subclass is None:
        return interp.lift(value)
    if isinstance(value, ListRef) and value.own is None:
        content = interp.content(value)
        return content if isinstance(content, Value) else value
    return value


def _object_field(interp: Interpreter, value: Told, conversion: str | None, spec: Abstract) -> Any:
    """A field with an object, told by the methods of its class; as it is where there are none."""
    if conversion is None and _follows(interp, value, "__format__"):
        return _told(interp, value, "__format__", spec)
    shown = text_of_object(interp, value, "r" if conversion in ("r", "a") else "s")
    if conversion == "a" and isinstance(shown, str):
        shown = shown.encode("ascii", "backslashreplace").decode()
    told = conversion != "a" or isinstance(shown, str)
    if shown is None or not told or (conversion is None and spec != ""):  # where Python raises
        return (value, conversion, spec)
    return text_field(interp, shown, None, spec)


def holds_object(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a list, a tuple or a dict of Python's own holds an object, however deep."""
    if isinstance(value, ListRef | DictRef):
        content = interp.content(value) if value.own is None else ()
        value = tuple(content.values()) if isinstance(content, dict) else content
    items = value if type(value) is tuple else ()
    return any(isinstance(item, ObjectRef) or holds_object(interp, item) for item in items)


def text_of_container(interp: Interpreter, value: Any) -> str | StagedText:
    """``str`` of a list, a tuple or a dict: the ``repr`` of each item in its place."""
    content = value if isinstance(value, tuple) else interp.content(value)
    if isinstance(content, dict):
        pairs = [[repr(key), ": ", _shown(interp, item)] for key, item in content.items()]
        return text_of(["{", *_between(", ", [text_of(pair) for pair in pairs]), "}"])
    items = _between(", ", [_shown(interp, item) for item in content])
    if isinstance(value, tuple) or (isinstance(value, ListRef) and value.frozen):
        return text_of(["(", *items, ",)" if len(content) == 1 else ")"])
    return text_of(["[", *items, "]"])


def _shown(interp: Interpreter, item: Abstract) -> Any:
    return text_field(interp, item, "r", "")


def text_of_object(interp: Interpreter, value: Told, kind: str) -> str | StagedText | None:
    """``str(object)`` or, of kind ``r``, ``repr(object)``; None where it tells its address."""
    numpys = exceptions.of_numpy(interp, value) if isinstance(value, ObjectRef) else None
    if numpys is not None:
        return repr(numpys) if kind == "r" else str(numpys)
    if kind == "s" and _follows(interp, value, "__str__"):
        return _told(interp, value, "__str__")
    if not isinstance(value, ObjectRef):
        return _told(interp, value, "__repr__") if _follows(interp, value, "__repr__") else None
    if kind == "s" and issubclass(value.type, BaseException):
        return text_of_exception(interp, value)
    if _is_of_dataclass(value.type):
        return _text_of_fields(interp, value)
    if _follows(interp, value, "__repr__"):
        return _told(interp, value, "__repr__")
    if issubclass(value.type, BaseException):
        parts = [text_field(interp, item, "r", "") for item in interp.content((value, "args"))]
        return text_of([f"{value.type.__name__}(", *_between(", ", parts), ")"])
    return None


def text_of_exception(interp: Interpreter, error: ObjectRef) -> str | StagedText:
    """``BaseException.__str__(error)``, and a key's own."""
    arguments = interp.content((error, "args"))
    if issubclass(error.type, BaseExceptionGroup):
        number = len(interp.content((error, "exceptions")))
        return f"{arguments[0]} ({number} sub-exception{'s' if number > 1 else ''})"
    if not arguments:
        return ""
    told = lookups.static_on_class(error.type, "__str__")
    if told not in (BaseException.__str__, KeyError.__str__):
        return str(exceptions.as_python_holds(interp, error))
    one = len(arguments) == 1
    conversion = "r" if one and told is KeyError.__str__ else "s"
    return text_of([text_field(interp, arguments[0] if one else arguments, conversion, "")])


def _is_of_dataclass(cls: type) -> bool:
    """Return whether ``__repr__`` is what ``dataclasses`` make."""
    holder = lookups.holder_of(cls, "__repr__")
    parameters = vars(cls if holder is None else holder).get("__dataclass_params__")
    found = lookups.static_on_class(cls, "__repr__")
    return getattr(parameters, "repr", False) and hasattr(found, "__wrapped__")


def _text_of_fields(interp: Interpreter, value: ObjectRef) -> str | StagedText:
    names = [field.name for field in dataclasses.fields(value.type) if field.repr]
    fields = [
        text_of([f"{name}=", text_field(interp, interp.attribute(value, name), "r", "")])
        for name in names
    ]
    return text_of([f"{value.type.__qualname__}(", *_between(", ", fields), ")"])


def is_of_text(function: Any, name: str) -> bool:
    """Return whether a function is a method of a text that is known: ``text.format``."""
    if getattr(function, "__name__", None) != name:
        return False
    return isinstance(getattr(function, "__self__", None), str)


def separated(interp: Interpreter, text: str, parts: Abstract) -> str | StagedText:
    """``text.join(parts)``, some of which may be known at run time only."""
    if isinstance(parts, tuple) and all(
        isinstance(part, str | StagedText) or is_text_value(part) for part in parts
    ):
        return text_of(_between(text, list(parts)))
    with python_raises():
        return text.join(plain(interp, parts))


def formatted(
    interp: Interpreter, text: str, arguments: Arguments, keywords: Keywords
) -> str | StagedText:
    """``text.format(*arguments, **keywords)``."""
    parts: list[Any] = []
    numbers = itertools.count()
    with python_raises():
        fields = list(string.Formatter().parse(text))
    for before, name, spec, conversion in fields:
        parts.append(before)
        if name is None:
            continue
        first, *rest = re.split(r"(?=[.\[])", name)
        number = int(first) if first.isdecimal() else next(numbers) if first == "" else None
        value = _named(arguments, keywords, first, number)
        for step in rest:
            value = _step(interp, value, step)
        inner = formatted(interp, spec or "", arguments, keywords)
        parts.append(text_field(interp, value, conversion, inner))
    return text_of(parts)


def _named(arguments: Arguments, keywords: Keywords, name: str, number: int | None) -> Abstract:
    """What the first part of a field names: a keyword, or the argument of a number."""
    if number is not None and number < len(arguments):
        return arguments[number]
    with python_raises():
        if number is None:
            return keywords[name]
        told = "Replacement index {} out of range for positional args tuple"
        raise IndexError(told.format(number))


def _step(interp: Interpreter, value: Abstract, step: str) -> Abstract:
    """``.name`` or ``[key]`` of what a field names."""
    if step.startswith("."):
        return interp.attribute(value, step[1:])
    key = step[1:-1]
    return interp.call(operator.getitem, [value, int(key) if key.isdecimal() else key], {})


def _follows(interp: Interpreter, value: Told, name: str) -> bool:
    """Return whether a class has a method in Python that tells of its objects."""
    return isinstance(lookups.on_class(interp, value.type, name), types.FunctionType | Closure)


def _told(interp: Interpreter, value: Told, name: str, *arguments: Abstract) -> str | StagedText:
    try:
        shown = interp.call_method(value, name, *arguments)
    except ConflictRead as read:
        shown = _one_of_texts(read)
    if is_text_value(shown):
        return text_of([shown])
    if not isinstance(shown, str | StagedText):
        kind = type(shown).__name__ if is_plain(shown) else "object"
        raise users(TypeError(f"{name} returned non-string (type {kind})"))
    return shown


def _one_of_texts(read: ConflictRead) -> Abstract:
    """The text that a method gave where it gives one of several, by path."""
    cases = read.conflict.cases
    if read.given_by is None or cases is None:
        raise read
    if not all(isinstance(content, str) for content in cases.contents.values()):
        raise read
    return picked(read.conflict, cases)


def _between(separator: str, parts: list[Any]) -> list[Any]:
    return [part for each in parts for part in (separator, each)][1:]


def text_of(parts: list[Any]) -> str | StagedText:
    """The text of parts: a string where all of them are."""
    flat: list[Any] = []
    for part in parts:
        whole = (part, None, "") if is_text_value(part) else part
        flat.extend(part.parts if isinstance(part, StagedText) else (whole,))
    if all(isinstance(part, str) for part in flat):
        return "".join(flat)
    return StagedText(in_order(flat))


_STAGED = Value | Array | ListRef | DictRef | ObjectRef | StagedText


def is_text_value(value: Abstract) -> bool:
    """Return whether a value is a text that is made at run time."""
    return isinstance(value, Value) and value.type == TEXT


def is_plain(value: Abstract) -> bool:
    """Return whether a value is the Python value itself, with all that is in it."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return not isinstance(value, _STAGED | StaticSet)


def joined(a: str | StagedText, b: str | StagedText) -> str | StagedText:
    """``a + b``."""
    return text_of([a, b])


_FIELD = re.compile(
    r"%(?P<key>\([^()]*\))?(?P<flags>[-+# 0]*)(?P<width>[0-9]*(?:\.[0-9]+)?)(?P<kind>[a-zA-Z%])"
)


def percent(interp: Interpreter, text: str, operand: Abstract) -> str | StagedText:
    """``text % operand``, as the f-string that says the same."""
    operands = list(operand) if isinstance(operand, tuple) else [operand]
    if all(map(is_plain, operands)):
        with python_raises():
            return str.__mod__(text, operand)
    _require_known(text)
    parts: list[Any] = []
    at = 0
    for match in _FIELD.finditer(text):
        parts.append(text[at : match.start()])
        at = match.end()
        if match[0] == "%%":
            parts.append("%")
            continue
        if match["key"]:
            operands = [interp.call(operator.getitem, [operand, match["key"][1:-1]], {})]
        _require_field(match, operands)
        parts.append(
            _percent_field(interp, operands.pop(0), *match.group("flags", "width", "kind"))
        )
    if operands and not isinstance(operand, DictRef):
        raise users(TypeError("not all arguments converted during string formatting"))
    return text_of([*parts, text[at:]])


def _require_known(text: str) -> None:
    """Refuse formats that no field is taken for."""
    if "%" in _FIELD.sub("", text):
        raise UnsupportedSyntaxError(f"the formats in {text!r}", hint="use an f-string")


def _require_field(match: re.Match[str], operands: list[Abstract]) -> None:
    flags, width, kind = match.group("flags", "width", "kind")
    if not operands:
        raise users(TypeError("not enough arguments for format string"))
    exact = kind in "diu" and "." in width
    if kind not in "rsadiufeEgGFxX" or "#" in flags or exact:
        raise UnsupportedSyntaxError(f"{match[0]!r} in this text", hint="use an f-string")


def _percent_field(interp: Interpreter, value: Abstract, flags: str, width: str, kind: str) -> Any:
    if kind in "rsa":
        align = "<" if "-" in flags or not width else ">"
        return text_field(interp, value, kind, f"{align}{width}" if width else "")
    if isinstance(value, StagedText) or is_text_value(value):
        wanted = "an integer" if kind in "xX" else "a real number"
        raise users(TypeError(f"%{kind} format: {wanted} is required, not str"))
    if issubclass(class_of(interp, value), complex | np.complexfloating):
        raise UnsupportedSyntaxError(f"%{kind} of a complex number", hint="use an f-string")
    sign = "+" if "+" in flags else " " if " " in flags else ""
    align = "<" if "-" in flags else ""
    fill = "0" if "0" in flags and not align else ""
    if kind in "diu":  # which takes floats, unlike an f-string
        value, kind = interp.call(int, [value], {}), "d"
    return text_field(interp, value, None, f"{align}{sign}{fill}{width}{kind}")


def settled(interp: Interpreter, value: Abstract) -> Abstract:
    """A string in place of a staged text: asks for what is in it, or is an error."""
    if is_text_value(value):
        raise _if_obtainable(interp, value) or _at_run_time()
    if not isinstance(value, StagedText):
        return value
    parts = [
        part if isinstance(part, str) else _settled_part(interp, *part) for part in value.parts
    ]
    return "".join(parts)


def _if_obtainable(interp: Interpreter, text: Value) -> NeedsStatic | None:
    """The request for a text, where what is fixed tells which of several it is."""
    return None if obtainable(interp, text) is None else NeedsStatic(text)


def can_be_settled(interp: Interpreter, text: StagedText) -> bool:
    """Return whether what is in a text is known, or may be fixed."""
    fields = [part for part in text.parts if not isinstance(part, str)]
    return all(_can_be_told(interp, part) for value, _, spec in fields for part in (value, spec))


def _can_be_told(interp: Interpreter, value: Abstract) -> bool:
    if isinstance(value, StagedText):
        return can_be_settled(interp, value)
    if isinstance(value, Value):
        return can_be_fixed(value) and can_be_known(interp, value)
    return not isinstance(value, Array)


def _settled_part(interp: Interpreter, value: Abstract, conversion: str | None, spec: Any) -> str:
    known = plain(interp, value)
    spec = settled(interp, spec)
    with python_raises():
        return format(known if conversion is None else CONVERSIONS[conversion](known), spec)


def plain(interp: Interpreter, value: Abstract) -> Any:
    """The Python value of an abstract one; what is staged in it is asked for."""
    if isinstance(value, tuple):
        return tuple.__new__(type(value), [plain(interp, item) for item in value])
    if isinstance(value, ListRef):
        content = interp.content(value)
        if isinstance(content, tuple):
            return [plain(interp, item) for item in content]
    if isinstance(value, DictRef):
        return {key: plain(interp, item) for key, item in interp.content(value).items()}
    if isinstance(value, StagedText):
        return settled(interp, value)
    if isinstance(value, StaticSet):
        return set(value)
    if isinstance(value, Value) and can_be_fixed(value):
        return static(value)
    if is_plain(value):
        return value
    raise _at_run_time()


def _at_run_time() -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError("text of a value that is known at run time only", hint=HINT)
