"""Text: f-strings, ``%``, ``str`` and ``format`` of values, some of them known at run time only.

Text of static values is a Python string. Text of others is a ``StagedText``, which ``print``,
``raise`` and ``assert`` take; anything else needs a string, and asks for the values in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ops.declare import static
from symdiff.parse.blame import python_raises
from symdiff.parse.demand import can_be_fixed, can_be_known
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract, Array, DictRef, ListRef, ObjectRef, StagedText, StaticSet

CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def text_field(value: Abstract, conversion: str | None, spec: Any) -> Any:
    """A field of an f-string: a string where all of it is static."""
    if not (is_plain(value) and isinstance(spec, str)):
        return (value, conversion, spec)
    with python_raises():
        return format(value if conversion is None else CONVERSIONS[conversion](value), spec)


def text_of(parts: list[Any]) -> str | StagedText:
    """The text of parts: a string where all of them are."""
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)
    return StagedText(tuple(parts))


_STAGED = Value | Array | ListRef | DictRef | ObjectRef | StagedText


def is_plain(value: Abstract) -> bool:
    """Return whether a value is the Python value itself, with all that is in it."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return not isinstance(value, _STAGED | StaticSet)


def joined(a: str | StagedText, b: str | StagedText) -> str | StagedText:
    """``a + b``."""
    parts = [
        part
        for text in (a, b)
        for part in (text.parts if isinstance(text, StagedText) else (text,))
    ]
    return text_of(parts)


def percent(text: str, operand: Abstract) -> str | StagedText:
    """``text % operand``, as the f-string that says the same."""
    operands = list(operand) if isinstance(operand, tuple) else [operand]
    if all(map(is_plain, operands)):
        return str(text % operand)
    parts: list[Any] = []
    at = 0
    for match in re.finditer(r"%([-+# 0]*)([0-9.]*)([a-zA-Z%])", text):
        parts.append(text[at : match.start()])
        at = match.end()
        if match[3] == "%":
            parts.append("%")
        elif not operands or match[3] not in "rsadfeEgGFxX" or "#" in match[1]:
            raise UnsupportedSyntaxError(f"{match[0]!r} in this text", hint="use an f-string")
        else:
            parts.append(_percent_field(operands.pop(0), match[1], match[2], match[3]))
    return text_of([*parts, text[at:]])


def _percent_field(value: Abstract, flags: str, width: str, kind: str) -> Any:
    if kind in "rsa":
        align = "<" if "-" in flags or not width else ">"
        return text_field(value, kind, f"{align}{width}" if width else "")
    sign = "+" if "+" in flags else " " if " " in flags else ""
    align = "<" if "-" in flags else ""
    fill = "0" if "0" in flags and not align else ""
    return text_field(value, None, f"{align}{sign}{fill}{width}{kind}")


def settled(interp: Interpreter, value: Abstract) -> Abstract:
    """A string in place of a staged text: asks for what is in it, or is an error."""
    if not isinstance(value, StagedText):
        return value
    parts = [
        part if isinstance(part, str) else _settled_part(interp, *part) for part in value.parts
    ]
    return "".join(parts)


def can_be_settled(interp: Interpreter, text: StagedText) -> bool:
    """Return whether what is in a text is known, or may be fixed."""
    fields = (part[0] for part in text.parts if not isinstance(part, str))
    numbers = [value for value in fields if isinstance(value, Value)]
    return all(can_be_fixed(value) and can_be_known(interp, value) for value in numbers)


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
    raise UnsupportedSyntaxError(
        "text of a value that is known at run time only",
        hint="use such text in print(...), raise and assert only",
    )
