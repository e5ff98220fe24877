"""``match``: each pattern is a condition on the subject, known or staged, and names that it binds.

What a subject is made of is known, so a pattern of parts is the conditions of its parts. Cases are
tried one after the other, as the arms of ``if`` and ``elif`` are.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import bitwise_and, bitwise_or
from symdiff.parse.attributes import get_attribute
from symdiff.parse.blame import is_users, users
from symdiff.parse.branches import choose
from symdiff.parse.comparisons import compare
from symdiff.parse.identity import identical, python_class
from symdiff.parse.interpreter import STATEMENTS, Interpreter
from symdiff.parse.iteration import static_items
from symdiff.parse.lookups import on_class
from symdiff.parse.scope import bind_name
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    ObjectRef,
    Range,
)

Truth = bool | Value
Bound = dict[str, Abstract]


def stage_match(interp: Interpreter, node: ast.Match, rest: Sequence[ast.stmt]) -> bool:
    """A ``match`` statement."""
    _try_cases(interp, interp.evaluate(node.subject), node.cases)
    return False


STATEMENTS[ast.Match] = stage_match


def _try_cases(interp: Interpreter, subject: Abstract, cases: Sequence[ast.match_case]) -> None:
    """Stage the first case that matches."""
    if not cases:
        return
    case, *others = cases
    matched = _matches(interp, case, subject)
    then = functools.partial(interp.execute, case.body)
    interp.branch(matched, then, functools.partial(_try_cases, interp, subject, others))


def _matches(interp: Interpreter, case: ast.match_case, subject: Abstract) -> Truth:
    """Return whether a case matches; what its pattern binds is bound before its guard is asked."""

    def asked() -> tuple[Truth, Bound]:
        names: Bound = {}
        return _fits(interp, case.pattern, subject, names), names

    with interp.at(case.pattern):
        fits, bound = interp.step(case.pattern, asked)
    if fits is False:
        return False

    def guarded() -> Truth:
        for name, value in bound.items():
            bind_name(interp, name, value)
        return True if case.guard is None else interp.test(case.guard)

    return guarded() if fits is True else choose(interp, fits, guarded, lambda: False)


def _fits(interp: Interpreter, pattern: ast.pattern, subject: Abstract, bound: Bound) -> Truth:
    """Return whether a subject fits a pattern; the names that this binds are added to ``bound``."""
    binds_alone = isinstance(pattern, ast.MatchAs) and pattern.pattern is None
    if isinstance(subject, Conflict) and not binds_alone:
        raise ConflictRead(subject)
    return _PATTERNS[type(pattern)](interp, pattern, subject, bound)


def _all(conditions: Sequence[Callable[[], Truth]]) -> Truth:
    """Return whether all conditions hold; what stands behind one that cannot is not asked."""
    found: Truth = True
    for condition in conditions:
        one = condition()
        if one is False:
            return False
        if isinstance(one, Value):
            found = bitwise_and(found, one) if isinstance(found, Value) else one
    return found


def _value(interp: Interpreter, pattern: Any, subject: Abstract, bound: Bound) -> Truth:
    return truth(interp, compare(interp, ast.Eq, subject, interp.evaluate(pattern.value)))


def _singleton(interp: Interpreter, pattern: Any, subject: Abstract, bound: Bound) -> Truth:
    return identical(interp, subject, pattern.value)


def _as(interp: Interpreter, pattern: Any, subject: Abstract, bound: Bound) -> Truth:
    fits = True if pattern.pattern is None else _fits(interp, pattern.pattern, subject, bound)
    if pattern.name is not None:
        bound[pattern.name] = subject
    return fits


def _or(interp: Interpreter, pattern: Any, subject: Abstract, bound: Bound) -> Truth:
    found: Truth = False
    for alternative in pattern.patterns:
        mine: Bound = {}
        one = _fits(interp, alternative, subject, mine)
        if one is True and found is False:
            bound |= mine
            return True
        if one is not False and mine:
            raise UnsupportedSyntaxError(
                "names in alternatives of which one is chosen at run time",
                hint="write a case for each",
            )
        if isinstance(one, Value):
            found = bitwise_or(found, one) if isinstance(found, Value) else one
        elif one:
            return True
    return found


def _sequence(interp: Interpreter, pattern: Any, subject: Abstract, bound: Bound) -> Truth:
    if not (isinstance(subject, tuple | ListRef) or _is_flagged(interp, subject, _SEQUENCE)):
        return False
    items, parts = static_items(interp, subject), list(pattern.patterns)
    stars = [k for k, part in enumerate(parts) if isinstance(part, ast.MatchStar)]
    if len(items) < len(parts) - len(stars) or (not stars and len(items) > len(parts)):
        return False
    if stars:
        (at,) = stars
        behind = len(items) - (len(parts) - at - 1)
        middle = interp.new_list(items[at:behind])
        if parts[at].name is not None:
            bound[parts[at].name] = middle
        items, parts = (*items[:at], *items[behind:]), parts[:at] + parts[at + 1 :]
    return _all(
        [
            functools.partial(_fits, interp, part, item, bound)
            for part, item in zip(parts, items, strict=True)
        ]
    )


def _mapping(interp: Interpreter, pattern: Any, subject: Abstract, bound: Bound) -> Truth:
    keys = [interp.evaluate(key) for key in pattern.keys]
    if isinstance(subject, DictRef):
        content = interp.content(subject)
    elif _is_flagged(interp, subject, _MAPPING):
        content = _told_by_get(interp, subject, keys, all_of_it=pattern.rest is not None)
    else:
        return False
    if any(key not in content for key in keys):
        return False
    if pattern.rest is not None:
        others = {key: item for key, item in content.items() if key not in keys}
        bound[pattern.rest] = interp.new_dict(others)
    return _all(
        [
            functools.partial(_fits, interp, part, content[key], bound)
            for key, part in zip(keys, pattern.patterns, strict=True)
        ]
    )


def _told_by_get(
    interp: Interpreter, subject: Abstract, keys: Sequence[Any], *, all_of_it: bool
) -> dict[Any, Abstract]:
    """The items of an object that is a mapping, as its ``get`` tells those of the keys."""
    found = {key: interp.call_method(subject, "get", key, _NO_ITEM) for key in keys}
    told = {key: item for key, item in found.items() if item is not _NO_ITEM}
    others = interp.content(interp.call(dict, [subject], {})) if all_of_it else {}
    return {**others, **told}


def _is_flagged(interp: Interpreter, subject: Abstract, flag: int) -> bool:
    """Return whether the class of an object says that it is matched by patterns of parts."""
    is_object = isinstance(subject, ObjectRef | Range)
    return is_object and bool(python_class(interp, subject).__flags__ & flag)


_SEQUENCE, _MAPPING = 1 << 5, 1 << 6  # Py_TPFLAGS_SEQUENCE, Py_TPFLAGS_MAPPING
_NO_ITEM = "no item of this key"

_ITSELF = (bool, bytes, bytearray, dict, float, frozenset, int, list, set, str, tuple)


def _class(interp: Interpreter, pattern: Any, subject: Abstract, bound: Bound) -> Truth:
    cls = interp.evaluate(pattern.cls)
    if not isinstance(cls, type):
        raise users(TypeError("called match pattern must be a class"))
    if not interp.call(isinstance, [subject, cls], {}):
        return False
    names, parts = _places(interp, cls, len(pattern.patterns)), list(pattern.patterns)
    if pattern.patterns and cls in _ITSELF:
        names = [None]
    if len(names) < len(parts):
        message = f"{cls.__name__}() accepts {len(names)} positional sub-patterns"
        raise users(TypeError(f"{message} ({len(parts)} given)"))
    pairs = [*zip(names, parts, strict=False)]
    pairs += zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)

    def part_fits(name: str | None, part: ast.pattern) -> Truth:
        value = subject if name is None else _attribute(interp, subject, name)
        return value is not ABSENT and _fits(interp, part, value, bound)

    return _all([functools.partial(part_fits, name, part) for name, part in pairs])


def _places(interp: Interpreter, cls: type, count: int) -> list[str | None]:
    """The attributes that positional patterns stand for."""
    if not count or cls in _ITSELF:
        return []
    names = on_class(interp, cls, "__match_args__")
    return [] if names is ABSENT else list(names)


def _attribute(interp: Interpreter, subject: Abstract, name: str) -> Abstract:
    try:
        return get_attribute(interp, subject, name)
    except AttributeError as error:
        if not is_users(error):
            raise
        return ABSENT


_PATTERNS: dict[type, Callable[[Interpreter, Any, Abstract, Bound], Truth]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
    ast.MatchSequence: _sequence,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
}
