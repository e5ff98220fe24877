"""What holds contents without a place in the heap: tuples, functions, methods, ranges, texts.

``holder_of`` takes one apart: its ``parts``, what makes two of them alike but for these (``kind``),
and how it is made of others (``made_of``). So it can be joined where paths meet, and carried
through a loop, part by part. A function's first part is the activation that its names live in.

>>> holder = holder_of(Range(0, 5, 1))
>>> holder.parts, holder.made_of((0, 7, 1)).stop
((0, 5, 1), 7)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.definitions.bunches import attributes_of, bunch
from symdiff.parse.values import (
    Abstract,
    ArrayMethod,
    BoundMethod,
    Closure,
    Conflict,
    Partial,
    Range,
    SomeEntries,
    StagedText,
)

Parts = tuple[Abstract, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """Something taken apart."""

    kind: tuple[Any, ...]
    parts: Parts
    made_of: Callable[[Parts], Abstract]


def holder_of(content: Abstract) -> Holder | None:
    """A content taken apart, if it is a holder."""
    if isinstance(content, tuple):
        return _tuple(content)
    take_apart = _HOLDERS.get(type(content))
    return None if take_apart is None else take_apart(content)


def one_of_several(content: Abstract, conflict: Conflict) -> Abstract:
    """What stands for another function on each path, or in each turn, if it is a function."""
    return replace(content, several=conflict) if isinstance(content, Closure) else content


def are_alike(a: Abstract, b: Abstract) -> bool:
    """Return whether two contents are holders that differ in their parts only."""
    one, other = holder_of(a), holder_of(b)
    return one is not None and other is not None and one.kind == other.kind


def _tuple(content: Parts) -> Holder:
    kind, more = type(content), attributes_of(content)
    items, names = tuple(tuple.__iter__(content)), tuple(more)
    count = len(items)

    def made_of(parts: Parts) -> Abstract:
        return bunch(kind, parts[:count], **dict(zip(names, parts[count:], strict=True)))

    return Holder((kind, count, names), (*items, *more.values()), made_of)


def _dict(content: dict[Any, Abstract]) -> Holder:
    """What a dict or an object holds."""
    keys, kind = tuple(content), type(content)
    return Holder((kind, keys), tuple(content.values()), lambda p: kind(zip(keys, p, strict=True)))


def _closure(closure: Closure) -> Holder:
    count, names = len(closure.defaults), tuple(closure.keyword_defaults)

    def made_of(parts: Parts) -> Closure:
        scope, own, *values = parts
        given = tuple(values[:count])
        named = dict(zip(names, values[count:], strict=True))
        return replace(closure, scope=scope, own=own, defaults=given, keyword_defaults=named)

    kind = (Closure, closure.node, closure.owner, closure.known_as, count, names)
    given = (*closure.defaults, *closure.keyword_defaults.values())
    return Holder(kind, (closure.scope, closure.own, *given), made_of)


def _bound_method(method: BoundMethod) -> Holder:
    return Holder((BoundMethod,), (method.function, method.instance), lambda p: BoundMethod(*p))


def _array_method(method: ArrayMethod) -> Holder:
    name = method.name
    return Holder((ArrayMethod, name), (method.receiver,), lambda p: ArrayMethod(p[0], name))


def _partial(partial: Partial) -> Holder:
    count, names = len(partial.arguments), tuple(name for name, _ in partial.keywords)

    def made_of(parts: Parts) -> Partial:
        function, *values = parts
        keywords = tuple(zip(names, values[count:], strict=True))
        return Partial(function, tuple(values[:count]), keywords)

    values = (*partial.arguments, *(value for _, value in partial.keywords))
    return Holder((Partial, count, names), (partial.function, *values), made_of)


def _range(content: Range) -> Holder:
    parts = (content.start, content.stop, content.step)
    return Holder((Range,), parts, lambda p: Range(*p))


def _slice(content: slice) -> Holder:
    parts = (content.start, content.stop, content.step)
    return Holder((slice, *(part is None for part in parts)), parts, lambda p: slice(*p))


def _text(text: StagedText) -> Holder:
    kind = tuple(part if isinstance(part, str) else (part[1],) for part in text.parts)
    parts = [part for field in text.parts if not isinstance(field, str) for part in field[::2]]

    def made_of(parts: Parts) -> StagedText:
        given = iter(parts)
        fields = (k if isinstance(k, str) else (next(given), *k, next(given)) for k in kind)
        return StagedText(tuple(fields))

    return Holder((StagedText, kind), tuple(parts), made_of)


_HOLDERS: dict[type, Callable[[Any], Holder]] = {
    ArrayMethod: _array_method,
    BoundMethod: _bound_method,
    Closure: _closure,
    dict: _dict,
    Partial: _partial,
    Range: _range,
    SomeEntries: _dict,
    StagedText: _text,
    slice: _slice,
}
