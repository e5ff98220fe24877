"""What a function returns, taken apart: an abstract value enters, leaves and a structure leave."""

from __future__ import annotations

import enum
import types
from contextlib import nullcontext
from functools import partial
from typing import Any, NoReturn

from symdiff.definitions.bunches import attributes_of
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.structure import Structure, is_dataclass, is_leaf
from symdiff.ops.effects import raise_
from symdiff.ops.support import none_returned
from symdiff.parse.choices import in_cases, of_one_structure
from symdiff.parse.demand import known
from symdiff.parse.interpreter import ERROR, At, Interpreter
from symdiff.parse.lookups import MADE_HERE, is_key_made_here, is_made_here, is_member_made_here
from symdiff.parse.run_time_texts import as_value, is_at_run_time
from symdiff.parse.some_entries import some_entries
from symdiff.parse.texts import settled
from symdiff.parse.trees import Parts, flatten, parts_of
from symdiff.parse.unions import is_case
from symdiff.parse.values import (
    Abstract,
    Array,
    ArrayMethod,
    BoundMethod,
    Cases,
    Closure,
    Columns,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    ObjectRef,
    Partial,
    PossiblyUnbound,
    Range,
    StagedText,
    StaticSet,
)
from symdiff.parse.writeback import write_back

_NUMBERS = "return a list of numbers"
_NUMBERS_AND_MORE = "return numbers, arrays, tuples, lists, dicts or dataclasses"
_FUNCTION = ("a function", "return what it gives, or differentiate a function that calls it")
_IN_PARTS = ("an object that has not all of its attributes on each path", "set them to None there")
_NOT_RETURNED: dict[type, tuple[str, str]] = {
    **dict.fromkeys((Closure, BoundMethod, Partial, ArrayMethod), _FUNCTION),
    PossiblyUnbound: _IN_PARTS,
}


def output_of(
    interp: Interpreter, result: Abstract, by_case: bool = False
) -> tuple[Structure, list[Value]]:
    """The structure of what a function returns, and its numbers and arrays.

    :param by_case: whether it may have one structure on some paths and another one on others.
    """
    number, parts = partial(_is_number, interp), partial(_parts, interp, by_case)
    seen = partial(in_cases if by_case else of_one_structure, interp)
    structure, leaves = flatten(result, number, parts, partial(_known, interp), seen)
    return structure, [_lifted(interp, leaf) for leaf in leaves]


def _lifted(interp: Interpreter, leaf: Abstract) -> Value:
    if isinstance(leaf, StagedText):
        return as_value(interp, leaf)
    return interp.lift(interp.content(leaf) if isinstance(leaf, ListRef) else leaf)


def without_none(interp: Interpreter, result: Abstract) -> Abstract:
    """What a function returns, where that is None on some paths, or has None among its parts: the
    program refuses these.
    """
    if not isinstance(result, Conflict) or result.cases is None:
        return result
    cases = result.cases
    whole = [number for number in cases.contents if _has_what_others_lack(cases, number)]
    if len(whole) != 1:
        return result
    name, span = (
        getattr(interp.function, "__name__", "the function"),
        result.span or interp.returned,
    )

    def refuse() -> None:
        write_back(interp)
        raise_(exception=none_returned, arguments=(name,))
        interp.leave(ERROR)

    with nullcontext() if span is None else At(interp, span):
        for number in cases.contents:
            if number != whole[0]:
                interp.where(is_case(cases, number), refuse)
    return cases.contents[whole[0]]


def _has_what_others_lack(cases: Cases, number: int) -> bool:
    """Return whether each of the other cases is None where this one is not."""
    content = cases.contents[number]
    others = [other for n, other in cases.contents.items() if n != number]
    return not _is_none(content) and all(_is_none(o) or _lacks(o, content) for o in others)


def _is_none(content: Abstract) -> bool:
    """Return whether a content is None, or a tuple of nothing else."""
    if isinstance(content, tuple):
        return bool(content) and all(map(_is_none, content))
    return content is None


def _lacks(content: Abstract, whole: Abstract) -> bool:
    """Return whether a tuple has None where another one of that length does not."""
    if not isinstance(content, tuple) or not isinstance(whole, tuple):
        return content is None and whole is not None
    pairs = zip(content, whole, strict=False)
    return len(content) == len(whole) and any(_lacks(*pair) for pair in pairs)


def _is_number(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a part is a number, an array, a text told at run time, or a list of such of
    a staged length."""
    if isinstance(value, Conflict):
        raise ConflictRead(value)
    interp.heap.require_array(value)
    if isinstance(value, Array) and value.storage.subclass is not None:
        _refuse(interp, f"a {value.storage.subclass.__name__}", "return a copy: np.array(x)")
    if isinstance(value, ListRef) and value.frozen:
        told = "a tuple of a length that is known at run time only"
        _refuse(interp, told, "return a list, or an array")
    if isinstance(value, ListRef) and isinstance(interp.content(value), Columns):
        told = "a list of tuples, lists or dicts, of a length that is known at run time only"
        _refuse(interp, told, "return a list for each part: ts, ys = zip(*rows), or an array")
    held = interp.content(value) if isinstance(value, ListRef) else value
    number = isinstance(held, Value | Array) or is_leaf(held) or is_at_run_time(interp, held)
    return number and not isinstance(value, enum.Enum)


def _parts(interp: Interpreter, by_case: bool, value: Abstract) -> Parts | None:
    """A container, taken apart into what the caller is given."""
    extra = getattr(type(value), "_extra_fields", ())
    if isinstance(value, tuple) and (attributes_of(value) or extra):
        told = f"a {type(value).__name__}, which has attributes besides its items"
        _refuse(interp, told, "return a tuple of its items: tuple(result)")
    if isinstance(value, enum.Enum) or not isinstance(value, ListRef | DictRef | ObjectRef | tuple):
        return None
    if isinstance(value, ObjectRef) and not is_dataclass(value.type):
        if value.live is None:
            named: Any = getattr(value.type, "__symdiff_returned__", None)
            _refuse(interp, *(named or (repr(value), _NUMBERS_AND_MORE)))
        return None
    if isinstance(value, ListRef | DictRef):
        some = some_entries(interp, value) if by_case else None
        content = some or interp.content(value)  # an error where paths differ in it
        if isinstance(value, DictRef) and any(map(is_key_made_here, content)):
            _refuse(interp, "a dict by what it makes or defines", "return its values")
    parts = parts_of(interp.heap, value)
    if isinstance(value, ListRef) and parts is not None:
        return parts._replace(type=list)
    if isinstance(value, DictRef) and parts is not None and hasattr(value.type, "__missing__"):
        if value.path is None:
            _refuse(interp, f"a {value.type.__name__} that it makes", "return dict(...) of it")
        return parts._replace(type=dict)
    return parts


def _known(interp: Interpreter, value: Abstract) -> Any:
    """What is the same at each call."""
    if isinstance(value, ObjectRef):
        return value.live
    if isinstance(value, Range):
        parts = (value.start, value.stop, value.step)
        return range(*(known(interp, part, _NUMBERS) for part in parts))
    if isinstance(value, StaticSet):
        _refuse(interp, "a set", "return a list, or a frozenset")
    if isinstance(value, type) and MADE_HERE in value.__dict__:
        _refuse(interp, "a class that it defines", "define the class outside the function")
    if is_member_made_here(value):
        _refuse(interp, "a member of an enumeration that it defines", "return its value")
    plain = settled(interp, value)
    if isinstance(plain, frozenset) and is_made_here(plain):
        _refuse(interp, "a set of what it makes or defines", "return a list of numbers or texts")
    if isinstance(plain, types.ModuleType):
        _refuse(interp, "a module", "return what is wanted of it")
    if type(plain).__module__.startswith("symdiff.parse"):
        _refuse(interp, *_NOT_RETURNED.get(type(plain), ("an iterator", "return a list of it")))
    return plain


def _refuse(interp: Interpreter, what: str, hint: str) -> NoReturn:
    raise UnsupportedSyntaxError(f"the function returns {what}", interp.returned, hint)
