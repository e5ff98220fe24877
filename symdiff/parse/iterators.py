"""Iterators made of others: ``zip``, ``enumerate``, ``reversed``, ``map``, and ``itertools``.

Each is a ``Lazy`` value: nothing is staged before something goes over it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from symdiff.definitions.counting import counted
from symdiff.errors import UnsupportedSyntaxError, rejection
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import add, bitwise_and
from symdiff.ops.creation import int_minimum, range_element_of, range_length_of
from symdiff.ops.declare import NeedsStatic, static
from symdiff.parse.blame import users
from symdiff.parse.branches import choose
from symdiff.parse.calls import builtin
from symdiff.parse.demand import can_be_known
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter, nothing
from symdiff.parse.iteration import (
    ITERATORS,
    below,
    beside,
    collect,
    fixed,
    for_each,
    has_element,
    is_unnumbered,
    iterate,
    iterated,
    one_by_one,
    refuse_change,
    started,
    static_items,
)
from symdiff.parse.operators import binary
from symdiff.parse.selecting import item_of, refuse_where
from symdiff.parse.special import has_method
from symdiff.parse.trying import asked_once
from symdiff.parse.values import (
    Abstract,
    Arguments,
    Array,
    DictRef,
    DictView,
    Exit,
    Generator,
    Iterable,
    IteratorRef,
    Keywords,
    Lazy,
    ListRef,
    ObjectRef,
    Range,
    Sees,
    Token,
)

ENDLESS = 2**62  # turns of an iterator without an end: something else ends the loop

Over = Callable[..., Iterable]  # how to go over an iterator, given what it is made of


def iterator(python: Any, *, at_once: bool = False) -> Callable[[Over], Over]:
    """Register how to go over an iterator of Python's: a function of the same parameters.

    :param at_once: whether Python reads what it is made of where it is made.
    """

    def register(over: Over) -> Over:
        signature = inspect.signature(over)

        @builtin(python)
        def make(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
            try:
                given = signature.bind(interp, *arguments, **keywords)
            except TypeError as error:
                raise rejection(TypeError, str(error)) from None
            given.apply_defaults()
            parts = tuple(iterated(interp, part) for part in given.args[1:])
            in_turn = python is itertools.pairwise and sources_of(parts[0]) is None
            in_turn = in_turn or python in interp.policy.resumed  # ``asked_once``
            if (in_turn or any(map(is_unnumbered, parts))) and not at_once:
                return _as_generator(interp, python, parts, given.kwargs)
            if at_once:
                parts = tuple(_read(interp, part) for part in parts)
            return _made(interp, python, functools.partial(over, **given.kwargs), *parts)

        return over

    return register


def _as_generator(
    interp: Interpreter, python: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """An iterator of what gives its elements one after the other, as it is spelled in Python."""
    from symdiff.definitions.generators import AS_GENERATORS  # at the first use of one of them

    return interp.call(AS_GENERATORS[python], list(arguments), dict(keywords))


def _made(interp: Interpreter, python: Any, over: Over, *parts: Abstract) -> Abstract:
    """An iterator of Python's that is before its first element."""
    kind = python if isinstance(python, type) else itertools.chain
    return started(interp, Lazy(over, parts, kind))


# Builtins -----------------------------------------------------------------------------------------


@builtin(zip)
def _zip(interp: Interpreter, *parts: Abstract, strict: Abstract = False) -> Abstract:
    parts = tuple(iterated(interp, part) for part in parts)
    places = [k for k, part in enumerate(parts) if is_unnumbered(part)]
    if len(places) == 1 and not strict:
        (place,) = places
        before, after = parts[:place], parts[place + 1 :]
        return _along(interp, parts[place], before, after, lambda a, b, c: (*a, b, *c))
    shared = [part for part in parts if isinstance(part, ITERATORS)]
    if places or len(set(map(id, shared))) < len(shared):
        return _as_generator(interp, zip, parts, {"strict": strict})
    return _made(interp, zip, functools.partial(_zipped, strict=strict), *parts)


def _zipped(interp: Interpreter, *parts: Abstract, strict: bool) -> Iterable:
    if not parts:
        return fixed(())
    sides = [beside(interp, part) for part in parts]
    counts = [side.count for side in sides]
    together = _side_by_side(interp, sides, lambda k: tuple(side.element(k) for side in sides))
    if not strict:
        return together

    def end() -> None:
        if together.end is not None:
            together.end()
        for place in reversed(range(1, len(counts))):
            fewer = below(counts[place], _least(counts[:place]))
            refuse_where(interp, fewer, _unequal(place, "shorter"))
        for place in range(1, len(counts)):
            refuse_where(interp, below(counts[0], counts[place]), _unequal(place, "longer"))

    return replace(together, end=end)


def _along(
    interp: Interpreter,
    generator: Generator,
    before: Arguments,
    after: Arguments,
    element: Callable[..., Abstract],
) -> Abstract:
    """Go over a generator beside what has elements by number, up to the end of the shortest.

    As in Python, what stands before the generator is asked for an element before it.
    """

    def run(consume: Callable[[Abstract], None]) -> None:
        earlier, later = ([beside(interp, part) for part in parts] for parts in (before, after))
        stop, number = Exit(Token(), "stop"), (Token(), "number")

        def where_all_have(sides: list[Iterable], k: Any, action: Callable[[], None]) -> None:
            there: bool | Value = True
            for side in sides:
                if side.count == ENDLESS:
                    continue
                there = _both(there, has_element(side, static(k) if side.unroll else k))
            interp.branch(there, action, lambda: interp.leave(stop))

        def one(item: Abstract) -> None:
            k = interp.content(number)
            where_all_have(later, k, functools.partial(turn, k, item))

        def turn(k: Any, item: Abstract) -> None:
            left, right = (
                tuple(side.element(static(k) if side.unroll else k) for side in sides)
                for sides in (earlier, later)
            )
            consume(element(left, item, right))
            following = binary(interp, ast.Add, k, 1)
            interp.put(number, following)
            interp.unless_exited(lambda: where_all_have(earlier, following, nothing))

        interp.put(number, 0)
        with interp.opened(stop):
            where_all_have(earlier, 0, lambda: for_each(interp, generator, one))
        interp.close(stop)
        interp.heap.contents.pop(number, None)

    return started(interp, Generator(run, sees=Sees((generator, *before, *after))))


def _unequal(place: int, word: str) -> ValueError:
    before = "argument 1" if place == 1 else f"arguments 1-{place}"
    return ValueError(f"zip() argument {place + 1} is {word} than {before}")


def _side_by_side(
    interp: Interpreter, sides: list[Iterable], element: Callable[[Any], Abstract]
) -> Iterable:
    """Gone over together, up to the end of the shortest.

    Where the elements of one are known one by one, and how many another has is known at run time
    only, a turn is staged for each of the former, to be run where the latter has an element too.
    """
    unroll = any(side.unroll for side in sides)
    live = tuple(ref for side in sides for ref in side.live)
    counts = [side.count for side in sides]
    staged = [count for count in counts if isinstance(count, Value)]
    if unroll and staged and all(can_be_known(interp, count) for count in staged):
        raise NeedsStatic(staged[0])

    def more(k: int) -> bool | Value:
        return functools.reduce(_both, [has_element(side, k) for side in sides])

    end = functools.partial(_end, interp, sides) if any(side.end for side in sides) else None
    return Iterable(_least(counts), element, unroll, live, more if unroll else None, end)


def _end(interp: Interpreter, sides: list[Iterable]) -> None:
    """Stage the end of what is over first: nothing behind it is asked for more."""
    first, *others = sides
    longer = below(_least([side.count for side in others]), first.count) if others else False
    interp.branch(longer, lambda: _end(interp, others), first.end or nothing)


def _both(a: bool | Value, b: bool | Value) -> bool | Value:
    """``a and b``."""
    if isinstance(a, Value) and isinstance(b, Value):
        return bitwise_and(a, b)
    known, other = (b, a) if isinstance(a, Value) else (a, b)
    return other if known else False


def _least(counts: list[int | Value]) -> int | Value:
    staged = [count for count in counts if isinstance(count, Value)]
    ends = [count for count in counts if count != ENDLESS] or [ENDLESS]
    least: int | Value = min(map(static, ends)) if not staged else ends[0]
    for count in ends[1:] if staged else ():
        least = int_minimum(least, count)
    return least


@builtin(map)
def _map(interp: Interpreter, function: Abstract, *over: Abstract) -> Abstract:
    over = tuple(iterated(interp, part) for part in over)
    if map in interp.policy.resumed:  # ``asked_once``
        from symdiff.definitions.in_python import mapped  # by few programs

        return interp.call(mapped, [function, *over], {})
    if len(over) == 1 and is_unnumbered(over[0]):

        def run(consume: Callable[[Abstract], None]) -> None:
            for_each(interp, over[0], lambda item: consume(interp.call(function, [item], {})))

        return started(interp, Generator(run, sees=Sees((function, *over))))
    if any(map(is_unnumbered, over)):
        return _as_generator(interp, map, (function, *over), {})
    return _made(interp, map, _mapped, function, *over)


def _mapped(interp: Interpreter, function: Abstract, *over: Abstract) -> Iterable:
    asked = one_by_one if len(over) == 1 else beside
    sides = [asked(interp, part) for part in over]

    def element(k: Any) -> Abstract:
        items = [side.element(k) for side in sides]
        with asked_once(map):
            return interp.call(function, items, {})

    return _side_by_side(interp, sides, element)


@builtin(enumerate)
def _enumerate(interp: Interpreter, iterable: Abstract, start: Abstract = 0) -> Abstract:
    iterable = iterated(interp, iterable)
    if is_unnumbered(iterable):
        numbers = interp.call(itertools.count, [start], {})
        return _along(interp, iterable, (numbers,), (), lambda a, b, c: (*a, b))
    return _made(interp, enumerate, _enumerated, iterable, start)


def _enumerated(interp: Interpreter, over: Abstract, start: Abstract) -> Iterable:
    side = one_by_one(interp, over)

    def element(k: Any) -> Abstract:
        number = k if start == 0 and isinstance(start, int) else binary(interp, ast.Add, k, start)
        return (number, side.element(k))

    return replace(side, element=element)


@builtin(reversed)
def _reverse(interp: Interpreter, sequence: Abstract) -> Abstract:
    if has_method(interp, sequence, "__reversed__"):
        return interp.call_method(sequence, "__reversed__")
    if has_method(interp, sequence, "__getitem__") and has_method(interp, sequence, "__len__"):
        from symdiff.definitions.in_python import from_the_last  # by few programs

        return interp.call(from_the_last, [sequence], {})
    if isinstance(sequence, (*ITERATORS, ObjectRef, frozenset)):
        kind = class_of(interp, sequence).__name__
        raise users(TypeError(f"'{kind}' object is not reversible"))
    return _made(interp, reversed, _reversed, sequence)


def _reversed(interp: Interpreter, over: Abstract) -> Iterable:
    if isinstance(over, Range) and not any(
        isinstance(part, Value) for part in (over.start, over.stop, over.step)
    ):
        back = range(over.start, over.stop, over.step)[::-1]
        return iterate(interp, Range(back.start, back.stop, back.step))
    side = beside(interp, over)
    count = side.count

    def element(k: Any) -> Abstract:
        last = binary(interp, ast.Sub, count, 1)
        return side.element(binary(interp, ast.Sub, last, k))

    def more(k: int) -> bool | Value:
        return k < static(count) and has_element(side, static(count) - 1 - k)

    return replace(side, element=element, more=more if side.unroll else None)


# Combinations -------------------------------------------------------------------------------------


def _plain(
    interp: Interpreter,
    part: Abstract,
    asked: Callable[[Interpreter, Abstract], Iterable] = beside,
) -> Iterable:
    """How to go over what ends without an error."""
    side = asked(interp, part)
    if side.end is not None:
        raise UnsupportedSyntaxError(
            "what a strict zip() gives, gone over in parts or again and again",
            hint="make a list of it first: list(...)",
        )
    return side


@builtin(itertools.product)
def _product(interp: Interpreter, *parts: Abstract, repeat: Abstract = 1) -> Abstract:
    parts = tuple(_read(interp, part) for part in parts)
    return _made(interp, itertools.product, _nested, *(parts * operator.index(static(repeat))))


def _read(interp: Interpreter, part: Abstract) -> Abstract:
    """What is read as a whole where an iterator is made of it: later changes are not seen."""
    part = iterated(interp, part)
    if is_unnumbered(part):
        part = collect(interp, part)
    content = interp.content(part) if isinstance(part, ListRef) else part
    return content if isinstance(content, tuple) else part


def _nested(interp: Interpreter, *parts: Abstract) -> Iterable:
    """As nested loops go: the index of the last part changes fastest."""
    sides = [_plain(interp, part) for part in parts]
    if any(side.unroll for side in sides):
        items = [[side.element(k) for k in range(static(side.count))] for side in sides]
        return fixed(tuple(itertools.product(*items)))

    def element(k: Any) -> Abstract:
        picked: list[Abstract] = []
        for side in reversed(sides):
            picked.append(side.element(binary(interp, ast.Mod, k, side.count)))
            k = binary(interp, ast.FloorDiv, k, side.count)
        return tuple(reversed(picked))

    count: Any = 1
    for side in sides:
        count = binary(interp, ast.Mult, count, side.count)
    return Iterable(count, element, unroll=False)


def _selected(choose: Any, interp: Interpreter, iterable: Abstract, r: Abstract) -> Iterable:
    """Selections from a number of items that is known."""
    return fixed(tuple(choose(static_items(interp, iterable), static(r))))


for _choose in (itertools.combinations, itertools.combinations_with_replacement):
    iterator(_choose, at_once=True)(functools.partial(_selected, _choose))


@iterator(itertools.permutations, at_once=True)
def _permutations(interp: Interpreter, iterable: Abstract, r: Abstract = None) -> Iterable:
    return _selected(itertools.permutations, interp, iterable, r)


# Sequences ----------------------------------------------------------------------------------------


def _read_once(
    interp: Interpreter, side: Iterable, taken: Callable[[Arguments, Any], Abstract]
) -> Callable[[int], Abstract]:
    """The elements of what is known one by one: each is read when it is first asked for.

    ``taken`` makes an element, given those before it and the number of the one to read. They stay
    in the heap: what the body of a loop changes afterwards is not read again.
    """
    slot = (Token(), "elements")
    interp.put(slot, ())

    def element(k: int) -> Abstract:
        known: Arguments = interp.content(slot)
        while len(known) <= k:
            known = (*known, taken(known, len(known)))
        interp.put(slot, known)
        return known[k]

    return element


def sources_of(over: Abstract) -> tuple[Abstract, ...] | None:
    """The arrays, lists and dicts that something goes over; None where a function may read more."""
    if isinstance(over, IteratorRef):
        return sources_of(over.of)
    if isinstance(over, DictView):
        return (over.of,)
    if isinstance(over, Lazy) and over.kind in (zip, enumerate, reversed):
        found = [sources_of(part) for part in over.parts]
        return None if None in found else tuple(one for part in found for one in part or ())
    if isinstance(over, ITERATORS):
        return None
    return (over,) if isinstance(over, Array | ListRef | DictRef) else ()


def _require_unwritten(interp: Interpreter, over: Abstract) -> Callable[[], None]:
    """Refuse where an array or a list of unknown length is written that a loop goes over."""
    sources = sources_of(over) or ()
    places = [one.storage if isinstance(one, Array) else one for one in sources]
    before = [interp.heap.contents.get(place) for place in places]

    def require() -> None:
        now = [interp.heap.contents.get(place) for place in places]
        if any(held is not last for held, last in zip(now, before, strict=True)):
            raise UnsupportedSyntaxError(
                "pairwise() over what the loop writes",
                hint="loop over the indices: for k in range(len(a) - 1)",
            )

    return require


@iterator(itertools.pairwise)
def _pairwise(interp: Interpreter, over: Abstract) -> Iterable:
    side = beside(interp, over)
    require = _require_unwritten(interp, over)
    read = side.element
    if side.unroll:
        read = _read_once(interp, side, lambda known, k: side.element(k))
    if isinstance(side.count, int):
        count: Any = max(side.count - 1, 0)
    else:
        count = range_length_of(1, side.count, 1)

    def element(k: Any) -> Abstract:
        if not side.unroll:
            require()
        return (read(k), read(binary(interp, ast.Add, k, 1)))

    more = (lambda k: has_element(side, k + 1)) if side.unroll else None
    return replace(side, count=count, element=element, more=more)


@builtin(itertools.chain.from_iterable)
def _chain_of(interp: Interpreter, over: Abstract, /) -> Abstract:
    over = iterated(interp, over)
    if isinstance(over, ITERATORS):
        return _as_generator(interp, itertools.chain.from_iterable, (over,), {})
    return interp.call(itertools.chain, list(static_items(interp, over)), {})


@iterator(itertools.chain)
def _chain(interp: Interpreter, *parts: Abstract) -> Iterable:
    sides = [_plain(interp, part) for part in parts]
    starts: list[int] = [0]
    for side in sides:
        starts.append(starts[-1] + static(side.count))

    def element(k: int) -> Abstract:
        place = max(p for p, side in enumerate(sides) if starts[p] <= k and static(side.count))
        return sides[place].element(k - starts[place])

    def more(k: int) -> bool:
        if not all(_is_unchanged(side) for side in sides):
            refuse_change()
        return k < starts[-1]

    live = tuple(ref for side in sides for ref in side.live)
    return Iterable(starts[-1], element, True, live, more)


def _is_unchanged(side: Iterable) -> bool:
    """Return whether there are as many elements as there were at first."""
    count = static(side.count)
    return not has_element(side, count) and (count == 0 or bool(has_element(side, count - 1)))


@iterator(itertools.accumulate)
def _accumulate(
    interp: Interpreter, iterable: Abstract, func: Abstract = None, *, initial: Abstract = None
) -> Iterable:
    side = _plain(interp, iterable)
    first = 0 if initial is None else 1  # the number of the total that is of one element

    def together(left: Abstract, right: Abstract) -> Abstract:
        if func is None:
            return binary(interp, ast.Add, left, right)
        return interp.call(func, [left, right], {})

    def taken(known: Arguments, k: int) -> Abstract:
        if k < first:
            return initial
        item = side.element(k - first)
        with asked_once(itertools.accumulate):
            return together(known[-1], item) if known else item

    def more(k: int) -> bool | Value:
        return k < first or has_element(side, k - first)

    count = static(side.count) + first
    return Iterable(count, _read_once(interp, side, taken), True, side.live, more)


@builtin(itertools.islice)
def _islice(interp: Interpreter, over: Abstract, *bounds: Abstract) -> Abstract:
    over = iterated(interp, over)
    if len(bounds) == 1 and is_unnumbered(over):
        return _along(interp, over, (Range(0, bounds[0], 1),), (), lambda a, b, c: b)
    if is_unnumbered(over):
        return _as_generator(interp, itertools.islice, (over, *bounds), {})
    return _made(interp, itertools.islice, _sliced, over, *bounds)


def _sliced(interp: Interpreter, over: Abstract, *bounds: Abstract) -> Iterable:
    side = _plain(interp, over, one_by_one if len(bounds) == 1 else beside)
    picks = range(ENDLESS)[slice(*map(static, bounds))]

    def number(k: Any) -> Any:
        return picks[k] if isinstance(k, int) else range_element_of(picks.start, picks.step, k)

    def more(k: int) -> bool | Value:
        return k < len(picks) and has_element(side, number(k))

    count: Any = range_length_of(picks.start, _least([side.count, picks.stop]), picks.step)
    if isinstance(side.count, int):
        count = len(range(picks.start, min(picks.stop, side.count), picks.step))
    return Iterable(
        count,
        lambda k: side.element(number(k)),
        side.unroll,
        side.live,
        more if side.unroll else None,
    )


@iterator(itertools.starmap)
def _starmap(interp: Interpreter, function: Abstract, over: Abstract) -> Iterable:
    side = one_by_one(interp, over)

    def element(k: Any) -> Abstract:
        items = list(static_items(interp, side.element(k)))
        with asked_once(itertools.starmap):
            return interp.call(function, items, {})

    return replace(side, element=element)


@iterator(itertools.zip_longest)
def _zip_longest(interp: Interpreter, *over: Abstract, fillvalue: Abstract = None) -> Iterable:
    sides = [_plain(interp, part) for part in over]
    staged = [side.count for side in sides if isinstance(side.count, Value)]
    if staged and all(can_be_known(interp, count) for count in staged):
        raise NeedsStatic(staged[0])

    def one(side: Iterable, k: Any) -> Abstract:
        if side.unroll and isinstance(k, Value):
            return item_of(interp, static_items(interp, side), k, "tuple")
        return side.element(k)

    def element(k: Any) -> Abstract:
        return tuple(
            choose(interp, has_element(side, k), functools.partial(one, side, k), lambda: fillvalue)
            for side in sides
        )

    def more(k: int) -> bool:
        return any(has_element(side, k) for side in sides)

    counts = [side.count for side in sides]
    most = functools.reduce(_longer, counts) if counts else 0
    live = tuple(ref for side in sides for ref in side.live)
    return Iterable(most, element, not staged, live, None if staged else more)


def _longer(a: int | Value, b: int | Value) -> int | Value:
    """The larger of two counts."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return add(a, range_length_of(a, b, 1))


# Without an end -----------------------------------------------------------------------------------


@builtin(itertools.count)
def _count(interp: Interpreter, start: Abstract = 0, step: Abstract = 1) -> Abstract:
    if not (isinstance(start, int) and isinstance(step, int)):
        return interp.call(counted, [start, step], {})
    return _made(interp, itertools.count, _counted, start, step)


def _counted(interp: Interpreter, start: int, step: int) -> Iterable:
    def element(k: Any) -> Abstract:
        return start + step * k if isinstance(k, int) else range_element_of(start, step, k)

    return Iterable(ENDLESS, element, unroll=False)


@iterator(itertools.repeat)
def _repeat(interp: Interpreter, object: Abstract, times: Abstract = ENDLESS) -> Iterable:
    count: Any = max(times, 0) if isinstance(times, int) else range_length_of(0, times, 1)
    return Iterable(count, lambda k: object, unroll=False)


@iterator(itertools.cycle)
def _cycle(interp: Interpreter, over: Abstract) -> Iterable:
    side = _plain(interp, over)
    count = static(side.count)
    read = _read_once(interp, side, lambda known, k: side.element(k))

    def more(k: int) -> bool:
        if k == count and not _is_unchanged(side):
            refuse_change()
        return bool(count > 0)

    return Iterable(ENDLESS if count else 0, lambda k: read(k % count), True, side.live, more)
