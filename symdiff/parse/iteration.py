"""What loops go over: ranges, arrays by rows, lists, tuples, dicts, iterators …"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Literal, NoReturn

from symdiff.dataclass import dataclass
from symdiff.definitions.instances import gone_on_with
from symdiff.errors import AliasingError, UnsupportedSyntaxError, rejection
from symdiff.ir.build import builder
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, ListType
from symdiff.ops.arithmetic import add, less, subtract
from symdiff.ops.creation import range_element_of, range_length_of
from symdiff.ops.declare import NeedsStatic, static
from symdiff.ops.facts import may_raise
from symdiff.ops.index import index
from symdiff.ops.lists import list_length
from symdiff.ops.sizes import sizes_of
from symdiff.parse import staged_lists
from symdiff.parse.blame import error_of, is_users, judged, users
from symdiff.parse.catching import unless_raised
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.heap import constant, differing
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import HOOKS, MOST_UNROLLED, Interpreter, describe
from symdiff.parse.items import get_item
from symdiff.parse.lattice import is_variable
from symdiff.parse.loops import MOST_NESTED, NestedTurnsError, run_for
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.moves import Move
from symdiff.parse.python import in_python
from symdiff.parse.raising import raise_with
from symdiff.parse.scope import cleans_up, uses_what_is_sent
from symdiff.parse.selecting import (
    are_many_floats,
    is_one_number,
    item_of,
    list_of,
    selected_at_run_time,
)
from symdiff.parse.some_entries import entries_of
from symdiff.parse.special import has_method
from symdiff.parse.texts import settled
from symdiff.parse.trials import Turns
from symdiff.parse.values import (
    ABSENT,
    RETURNED_VALUE,
    USED,
    Abstract,
    Array,
    BoundMethod,
    Columns,
    ConflictRead,
    DictRef,
    DictView,
    Exit,
    Generator,
    GoneOverAgain,
    Iterable,
    IteratorRef,
    Lazy,
    ListRef,
    Maybe,
    NeverReturns,
    ObjectRef,
    Partial,
    PossiblyUnbound,
    Range,
    Scope,
    Suspended,
    Token,
    TooManyTurns,
    Unjoinable,
)
from symdiff.source import SourceSpan

ITERATORS = (Lazy, Generator, IteratorRef)
ENDED = 2**62  # the place of an iterator that has told that there is nothing more


def iterate(interp: Interpreter, value: Abstract) -> Iterable:
    """How to go over a value."""
    if has_method(interp, value, "__iter__"):
        return iterate(interp, iterated(interp, value))
    if isinstance(value, ObjectRef):
        return _by_items(interp, value)
    with judged(interp, iter, (value,)):
        return _iterable(interp, settled(interp, value))


def _iterable(interp: Interpreter, value: Abstract) -> Iterable:
    if isinstance(value, ITERATORS):
        return _rest(interp, value)
    handler = _ITERABLES.get(type(value))
    if handler is not None:
        return handler(interp, value)
    if isinstance(value, tuple | str | bytes | range | frozenset):
        return fixed(tuple(value))
    if isinstance(value, enum.EnumMeta):
        return fixed(tuple(value))
    if isinstance(value, type) and issubclass(value, tuple):
        raise users(TypeError(f"{describe(value)} is not iterable"))
    python = error_of(interp, iter, (value,), {})
    if python is not None:
        raise users(python)
    raise UnsupportedSyntaxError(
        f"a loop over {describe(value)}", hint="loop over a range, an array or a list"
    )


def length(interp: Interpreter, value: Abstract) -> Abstract:
    """``len(value)``, whatever methods the class has of its own."""
    if isinstance(value, Array):
        read = interp.heap.read(value)
        assert isinstance(read.type, ArrayType)
        if not read.type.shape:
            raise users(TypeError("len() of unsized object"))
        return sizes_of(read)[0]
    counted = entries_of(interp, value)
    if counted is not None:
        total: Any = sum(one.there is True for one in counted)
        for one in counted:
            total = add(total, one.there) if isinstance(one.there, Value) else total
        return total
    if isinstance(value, ListRef | DictRef):
        content = interp.content(value)
        is_staged = staged_lists.is_staged_list(content)
        return staged_lists.length(content) if is_staged else len(content)
    if isinstance(value, Value) and isinstance(value.type, ListType):
        return list_length(value)
    if isinstance(value, Range):
        return iterate(interp, value).count
    if isinstance(value, ITERATORS):
        name = class_of(interp, value).__name__
        raise users(TypeError(f"object of type '{name}' has no len()"))
    if isinstance(value, DictView):
        return len(interp.content(value.of))
    return in_python(len, value)


def _by_items(interp: Interpreter, value: ObjectRef) -> Iterable:
    """An object with ``__getitem__`` alone: its items from 0 on, up to an ``IndexError``."""
    if not has_method(interp, value, "__getitem__"):
        raise users(TypeError(f"'{value.type.__name__}' object is not iterable"))
    found: dict[int, Abstract] = {}

    def more(k: int) -> bool:
        found[k] = unless_raised(interp, IndexError, lambda: _told_item(interp, value, k))
        return found[k] is not ABSENT

    with interp.scratch(interp.heap.copy(written=set())):  # only to count them
        count = next((k for k in range(MOST_UNROLLED) if not more(k)), None)
    if count is None:
        raise UnsupportedSyntaxError(
            f"a loop over a {value.type.__name__}, which has no __iter__, of {MOST_UNROLLED} items"
            " or more",
            hint="loop over a range, an array or a list",
        )
    found.clear()

    def element(k: int) -> Abstract:
        return found.pop(k) if k in found else _told_item(interp, value, k)

    return Iterable(count, element, unroll=True, more=more)


def _told_item(interp: Interpreter, value: ObjectRef, k: int) -> Abstract:
    """An item, where it is known whether there is one."""
    nodes = builder().nodes
    start = len(nodes)
    item = interp.call_method(value, "__getitem__", k)
    for node in nodes[start:]:
        if node.op is index and may_raise(node):
            size = sizes_of(node.operands[0])[0]
            if isinstance(size, Value):
                raise NeedsStatic(size)
            del nodes[nodes.index(node) :]
            raise users(IndexError(f"index {k} is out of bounds"))
    return item


def consume(interp: Interpreter, value: Abstract) -> None:
    """Note that an iterator is gone over; what a second time gives is not followed."""
    require_unused(interp, value)
    interp.put((value, USED), True)


def require_unused(interp: Interpreter, value: Abstract) -> None:
    """Refuse an iterator that a loop has gone over."""
    if interp.heap.get((value, USED)) is not ABSENT:
        require_resumed(interp, value)
        if not (is_unnumbered(value) or keeps_places(interp)):
            raise GoneOverAgain(NUMBERED)
        raise UnsupportedSyntaxError(
            "an iterator that is gone over twice",
            hint="make a list of it first, and go over that, or over a slice of it",
        )


NUMBERED = "iterators by number"  # where one is asked for more: they keep their places


def keeps_places(interp: Interpreter) -> bool:
    """Return whether iterators tell where they are left, and not only that they were gone over."""
    return NUMBERED in interp.policy.resumed


def resumes(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a value is a generator that is suspended at each ``yield``."""
    if not isinstance(value, Generator) or value.body is None:
        return False
    spelled = value.body.scope.globals.get("__name__") == "symdiff.definitions.generators"
    return spelled or value.body.node in interp.policy.resumed


def returned_by(interp: Interpreter, generator: Abstract) -> Abstract:
    """What a generator has returned that was gone over to its end."""
    key = generator, RETURNED_VALUE
    known = resumes(interp, generator) and interp.heap.get(key) is not ABSENT
    return interp.content(key) if known else None


def at_end(interp: Interpreter, generator: Abstract) -> NoReturn:
    """Raise what Python does where a generator has no more elements."""
    value = returned_by(interp, generator)
    interp.heap.contents.pop((generator, RETURNED_VALUE), None)  # told once
    if value is None:
        raise users(StopIteration())
    raise_with(interp, StopIteration, (value,))
    raise NeverReturns


def require_resumed(interp: Interpreter, value: Abstract) -> None:
    """Have a generator function suspended at each ``yield`` from the start of the program on."""
    if isinstance(value, Generator) and value.body is not None and not resumes(interp, value):
        raise GoneOverAgain(value.body.node)


def started(interp: Interpreter, iterator: Abstract) -> Abstract:
    """An iterator that is before its first element."""
    interp.put(iterator, 0)
    return iterator


def part_of(interp: Interpreter, iterator: Abstract) -> tuple[Iterable, Any]:
    """What an iterator goes over by number, and the number of the next element."""
    if resumes(interp, iterator):
        return _rest(interp, iterator), 0
    require_unused(interp, iterator)
    part = _ITERABLES[type(iterator)](interp, iterator)
    position = interp.content(iterator)
    for inner in _inside(iterator):
        interp.put((inner, USED), True)
    interp.asked[iterator] = interp.asked.get(iterator, 0) + 1
    if not part.unroll:
        return part, position
    if isinstance(iterator, IteratorRef) and selected_at_run_time(interp, position):
        return _selecting(interp, part), position
    return part, static(position)


def _selecting(interp: Interpreter, part: Iterable) -> Iterable:
    """How to go over items known one by one where it is known at run time only which is next."""

    def element(k: Any) -> Abstract:
        items = tuple(map(part.element, range(static(part.count))))
        with interp.apart():  # in no turn does this raise
            return item_of(interp, items, k if isinstance(k, Value) else constant(k), "list")

    return replace(part, element=element, unroll=False, more=None)


def _inside(iterator: Abstract) -> list[Abstract]:
    """The iterators that one of Python's is made of."""
    parts = iterator.parts if isinstance(iterator, Lazy) else ()
    return [part for part in parts if isinstance(part, ITERATORS)]


def _rest(interp: Interpreter, iterator: Abstract) -> Iterable:
    """What is left of an iterator."""
    if resumes(interp, iterator):
        require_unused(interp, iterator)
        rest = _list(interp, collect(interp, iterator))
        consume(interp, iterator)  # what goes on with it would not see that all is collected
        return rest
    if not keeps_places(interp):
        part, position = part_of(interp, iterator)
        consume(interp, iterator)
        return after(part, position)
    if _inside(iterator) and interp.content(iterator) == 0:
        consume(interp, iterator)
        return _ITERABLES[type(iterator)](interp, iterator)  # what is inside keeps its place
    part, position = part_of(interp, iterator)
    require_unchanged(interp, iterator, part)
    if part.unroll:
        return _in_place(interp, iterator, part)
    _may_end(interp, iterator, part)
    return _counted_in_place(interp, iterator, after(part, position), position)


def _in_place(interp: Interpreter, iterator: Abstract, part: Iterable) -> Iterable:
    """What is left where the elements are known one by one: a turn may read some more of them."""

    def place() -> int:
        at: int = static(interp.content(iterator))
        return at

    def element(k: int) -> Abstract:
        at = place()
        interp.put(iterator, at + 1)
        return part.element(at)

    def more(k: int) -> bool | Value:
        found = has_element(part, place())
        if isinstance(found, Value):
            _may_end(interp, iterator, part)
        elif not found and part.live:
            interp.put(iterator, ENDED)
        return found

    left = after(part, place()).count
    return replace(part, count=left, element=element, more=more)


def _counted_in_place(
    interp: Interpreter, iterator: Abstract, rest: Iterable, position: int | Value
) -> Iterable:
    """What is left of an iterator, which is behind each element that is read; else at its end."""
    asked = interp.asked[iterator]

    def element(k: Any) -> Abstract:
        if interp.asked[iterator] != asked:  # in a turn before
            raise UnsupportedSyntaxError(
                "an iterator that is gone on with inside a loop over it",
                hint="loop over the indices: for k in range(n)",
            )
        item = rest.element(k)
        interp.put(iterator, _further(position, _further(k, 1)))
        return item

    interp.put(iterator, _further(position, rest.count))
    return replace(rest, element=element)


def _further(position: Any, by: Any) -> Any:
    known = isinstance(position, int) and isinstance(by, int)
    return position + by if known else add(position, by)


def _may_end(interp: Interpreter, iterator: Abstract, part: Iterable) -> None:
    """Note what is gone over by an iterator that may be at its end when that is left."""
    interp.gone_over[iterator] = [interp.heap.get(ref) for ref in part.live]


def require_unchanged(interp: Interpreter, iterator: Abstract, part: Iterable) -> None:
    """Refuse what was written since an iterator was gone over: it may have ended before."""
    now = [interp.heap.get(ref) for ref in part.live]
    before = interp.gone_over.get(iterator, now)
    if any(a is not b for a, b in zip(before, now, strict=True)):
        refuse_change()


def after(part: Iterable, position: int | Value) -> Iterable:
    """What follows the first elements."""
    if isinstance(position, int) and position == 0:
        return part

    def number(k: Any) -> Any:
        known = isinstance(k, int) and isinstance(position, int)
        return k + position if known else add(k, position)

    def left() -> Any:
        if isinstance(part.count, int) and isinstance(position, int):
            return max(part.count - position, 0)
        if part.unroll or part.live:  # then the position may be beyond the end
            return range_length_of(position, part.count, 1)
        return subtract(part.count, position)

    more = (lambda k: has_element(part, number(k))) if part.unroll else None
    return replace(part, count=left(), element=lambda k: part.element(number(k)), more=more)


def has_element(part: Iterable, k: Any) -> bool | Value:
    """Return whether there is an element of an index."""
    if part.more is None or isinstance(k, Value):
        return below(k, part.count)
    return part.more(k)


def below(k: Any, count: Any) -> bool | Value:
    """``k < count``, known where both are."""
    known = isinstance(k, int) and isinstance(count, int)
    result: bool | Value = k < count if known else less(k, count)
    return result


def is_unnumbered(value: Abstract) -> bool:
    """Return whether a value is a generator whose elements are only given one after the other."""
    return isinstance(value, Generator) and value.elements is None


def beside(interp: Interpreter, part: Abstract) -> Iterable:
    """How to go over what is gone over beside something else, or with a number."""
    part = iterated(interp, part)
    found = one_by_one(interp, part)
    if isinstance(part, ITERATORS):  # one may be asked for more than is read
        interp.put((part, USED), True)
    return found


def one_by_one(interp: Interpreter, part: Abstract) -> Iterable:
    """How to go over what is asked for an element where one is read, and not otherwise."""
    part = iterated(interp, part)
    if is_unnumbered(part):
        raise not_beside()
    return iterate(interp, part)


def not_beside() -> UnsupportedSyntaxError:
    """Elements whose number is known at run time only are not gone over beside others."""
    return UnsupportedSyntaxError(
        "what a generator or filter() with a condition gives, beside something else",
        hint="make a list of it first: list(...)",
    )


def fixed(items: tuple[Abstract, ...]) -> Iterable:
    """Items known one by one: the loop is unrolled."""
    return Iterable(len(items), lambda k: items[k], unroll=True)


def _range(interp: Interpreter, value: Range) -> Iterable:
    parts = (value.start, value.stop, value.step)
    known = None if any(isinstance(part, Value) for part in parts) else range(*parts)

    def element(k: Any) -> Abstract:
        if known is not None and isinstance(k, int):
            return known[k]
        return range_element_of(value.start, value.step, k)

    count: Any = range_length_of(*parts) if known is None else len(known)
    return Iterable(count, element, unroll=False)


def _array(interp: Interpreter, value: Array) -> Iterable:
    base = interp.heap.read(value)
    assert isinstance(base.type, ArrayType)
    if not base.type.shape:
        raise users(TypeError("iteration over a 0-d array"))
    count = sizes_of(base)[0]

    def element(k: Any) -> Abstract:
        with interp.apart():  # in no turn does this raise
            return get_item(interp, value, k)

    return Iterable(count, element, unroll=False)


def _staged(interp: Interpreter, value: Value | Columns) -> Iterable:
    if isinstance(value, Value) and not isinstance(value.type, ListType):
        raise rejection(TypeError, f"{describe(value)} is not iterable")

    def element(k: Any) -> Abstract:
        with interp.apart():  # in no turn does this raise
            return staged_lists.get(interp, value, k if isinstance(k, Value) else constant(k))

    return Iterable(staged_lists.length(value), element, unroll=False)


def _list(interp: Interpreter, value: ListRef) -> Iterable:
    content = interp.content(value)
    if not staged_lists.is_staged_list(content):

        def more(k: int) -> bool:
            return k < len(_present(interp, value))

        return Iterable(len(content), lambda k: _present(interp, value)[k], True, (value,), more)
    return replace(_staged(interp, content), live=(value,))


def _present(interp: Interpreter, value: ListRef) -> tuple[Abstract, ...]:
    content = interp.content(value)
    if staged_lists.is_staged_list(content):
        refuse_change()
    items: tuple[Abstract, ...] = content
    return items


def refuse_change() -> NoReturn:
    """A list that grows or shrinks while a loop goes over it, other than turn by turn."""
    raise UnsupportedSyntaxError(
        "a list changes while a loop goes over it", hint="go over a copy: for x in list(xs)"
    )


def _dict(interp: Interpreter, value: DictRef) -> Iterable:
    return _keyed(interp, value, lambda key: key)


def _dict_view(interp: Interpreter, value: DictView) -> Iterable:
    of = value.of
    elements: dict[str, Callable[[Any], Abstract]] = {
        "keys": lambda key: key,
        "values": lambda key: interp.content(of)[key],
        "items": lambda key: (key, interp.content(of)[key]),
    }
    return _keyed(interp, of, elements[value.kind])


def _keyed(interp: Interpreter, ref: DictRef, element: Callable[[Any], Abstract]) -> Iterable:
    """A dict, whose keys stay the same while a loop goes over it."""
    keys = tuple(interp.content(ref))

    def more(k: int) -> bool:
        present = tuple(interp.content(ref))
        if len(present) != len(keys):
            raise users(RuntimeError("dictionary changed size during iteration"))
        if present != keys:
            raise UnsupportedSyntaxError(
                "the keys of a dict change while a loop goes over it",
                hint="go over a copy: for key in list(d)",
            )
        return k < len(keys)

    return Iterable(len(keys), lambda k: element(keys[k]), True, (ref,), more)


def _generator(interp: Interpreter, value: Generator) -> Iterable:
    """A generator's elements; where they have no numbers, all are collected first."""
    if value.elements is not None:
        return value.elements()
    made = interp.new_list(())
    run_whole(value, lambda element: append_item(interp, made, element))
    return _list(interp, made)


def run_whole(generator: Generator, action: Callable[[Abstract], None]) -> Abstract:
    """Stage an action, which leaves nothing, for each element; gives what is returned."""
    run = generator.run if generator.whole is None else generator.whole
    return run(action)


_ITERABLES: dict[type, Callable[[Interpreter, Any], Iterable]] = {
    Range: _range,
    Array: _array,
    Value: _staged,
    ListRef: _list,
    DictRef: _dict,
    DictView: _dict_view,
    Lazy: lambda interp, value: value.over(interp, *value.parts),
    Generator: _generator,
    IteratorRef: lambda interp, value: _iterable(interp, value.of),
    Iterable: lambda interp, value: value,
}


_UNLIKE = (Unjoinable, ConflictRead, UnsupportedSyntaxError, AliasingError, NeedsStatic)
_MOST_IN_ALL = 256  # turns that are staged one by one, in each of those of the loops around
_Form = Literal["numbers", "many", "inside"]  # why a loop over known items is staged as one


def run_over(
    interp: Interpreter,
    value: Abstract,
    turn: Callable[[Abstract], None],
    place: ast.expr | None = None,
    moves: tuple[Move, ...] = (),
) -> Turns:
    """Stage a ``for`` loop over a value, which stands at ``place``."""
    some = entries_of(interp, value)
    if some is not None:
        with Checkpoint(interp, ConflictRead, Unjoinable):
            return _run_over_entries(interp, value, some, turn)
    return _LoopOver(interp, value, turn, place, moves, interp.span).run()


@dataclass(frozen=True, slots=True)
class _LoopOver:
    """A loop over something.

    The turns of items known one by one are staged one by one, unless there are many ``numbers``, of
    which a turn makes numbers only; or the loops inside make too ``many`` turns of them in all; or
    the turns would stand ``inside`` one another, since the loop may be left in any of them: then it
    is one loop over a list, where the items have one form.
    """

    interp: Interpreter
    value: Abstract
    turn: Callable[[Abstract], None]
    place: ast.expr | None
    moves: tuple[Move, ...]
    span: SourceSpan | None

    def run(self) -> Turns:
        interp, span = self.interp, self.span
        numbers = 0 if self.place is None else _count_of_floats(interp, self.value)
        is_open = span is not None and span not in interp.policy.unrolled
        turns = self._as("numbers", numbers) if numbers and is_open else None
        if turns is None and is_open and interp.loop_forms.get((span, "many"), interp.in_nest):
            turns = self._as_one_of_a_nest()
        return self._unless_too_many(is_open) if turns is None else turns

    def _as_one_of_a_nest(self) -> Turns | None:
        count = _count_of_items(self.interp, self.value)
        with meanwhile(self.interp, in_nest=True):
            return self._as("many", count) if count > 1 else None

    def _as(self, form: _Form, count: int | None = None) -> Turns | None:
        """The loop as one, over ``count`` items; None where that cannot be, which is noted."""
        interp, forms, key = self.interp, self.interp.loop_forms, (self.span, form)
        if not forms.get(key, True):
            return None
        with Checkpoint(interp, *_UNLIKE), meanwhile(interp, tentative=True):
            turns = self._as_one(count, form == "numbers")
            forms[key] = True
            return turns
        forms[key] = self.span is None
        return None

    def _unless_too_many(self, is_open: bool) -> Turns:
        """Turns that are staged one by one, unless loops inside make too many of them."""
        interp, count = self.interp, _count_of_items(self.interp, self.value)
        in_all, widest = interp.copies * max(count, 1), interp.widest
        if count > 1 and in_all > _MOST_IN_ALL and widest is not None:
            raise TooManyTurns(widest)
        key, own = (self.span, "many"), Token()
        if widest is None and is_open and count > 1 and key not in interp.loop_forms:
            widest = own
        with (
            Checkpoint(interp, TooManyTurns, when=lambda one: one.loop is own),
            meanwhile(interp, copies=in_all, widest=widest),
        ):
            return self._one_by_one()
        interp.loop_forms[key] = True
        return self.run()

    def _one_by_one(self) -> Turns:
        """Turns that are staged one by one, unless they would stand inside one another."""
        interp = self.interp
        if (self.span, "inside") not in interp.loop_forms:
            with Checkpoint(interp, NestedTurnsError, when=lambda one: one.most == MOST_NESTED):
                return run_for(interp, self._over(), self.turn, MOST_NESTED, self.moves)
        return self._as("inside") or run_for(interp, self._over(), self.turn, moves=self.moves)

    def _over(self, items: Abstract = ABSENT) -> Iterable:
        with nullcontext() if self.place is None else self.interp.at(self.place):
            return iterate(self.interp, self.value if items is ABSENT else items)

    def _as_one(self, count: int | None, numbers: bool) -> Turns:
        interp = self.interp
        before = [(ref, interp.content(ref)) for ref in _containers(self.value)]
        contents, items = dict(interp.heap.contents), self._over(in_lists(interp, self.value))
        if count is not None:
            items = replace(items, count=count)
        turns = run_for(interp, items, self.turn, moves=self.moves, as_one=count is not None)
        if not all(are_kept(interp.content(ref), content) for ref, content in before):
            raise UnsupportedSyntaxError("a loop over a copy of what its body changes")
        if numbers:
            _require_numbers(interp, contents)
        return turns


def _count_of_floats(interp: Interpreter, value: Abstract) -> int:
    """How many floats of one type something goes over that are known one by one; 0 of all else, and
    of few.
    """
    return _counted(interp, value, lambda items: are_many_floats(interp, items))


def _count_of_items(interp: Interpreter, value: Abstract) -> int:
    """How many items something goes over that are known one by one; 0 of all else."""
    return _counted(interp, value, lambda items: type(items) is tuple)


def _counted(interp: Interpreter, value: Abstract, counts: Callable[[Any], bool]) -> int:
    """The length of what is gone over, or the least of those gone over at once; 0 of what does not
    count.
    """
    if isinstance(value, Lazy):
        goes_along = value.kind in (zip, enumerate, reversed) and interp.content(value) == 0
        parts = value.parts if goes_along else ()
        return min((_counted(interp, part, counts) for part in parts), default=0)
    items: Any = interp.content(value) if isinstance(value, ListRef) else value
    return len(items) if counts(items) else 0


def _require_numbers(interp: Interpreter, before: dict[Any, Abstract]) -> None:
    """Refuse a loop that leaves something else than numbers."""
    for key in differing(before, interp.heap.contents):
        left = interp.heap.get(key)
        number = left.content if isinstance(left, PossiblyUnbound) else left
        if (key in before or is_variable(key)) and not is_one_number(number):
            raise UnsupportedSyntaxError("a loop over numbers that makes something else")


def _run_over_entries(
    interp: Interpreter, value: DictRef | DictView, some: list[Maybe], turn: Callable[..., None]
) -> Turns:
    """Stage a loop over a dict with entries that are there on some paths only."""
    ref = value.of if isinstance(value, DictView) else value
    keys = list(interp.heap.get(ref))

    def more(k: int) -> bool:
        if list(interp.heap.get(ref)) != keys:
            raise UnsupportedSyntaxError(
                "the keys of a dict change while a loop goes over it",
                hint="go over a copy: for key in list(d)",
            )
        return k < len(keys)

    def element(k: int) -> Maybe:
        found = entries_of(interp, value)
        return some[k] if found is None else found[k]

    def in_turn(one: Maybe) -> None:
        if isinstance(one.there, Value):
            interp.where(one.there, lambda: turn(one.content))
        elif one.there:
            turn(one.content)

    return run_for(interp, Iterable(len(keys), element, True, (ref,), more), in_turn)


def are_kept(content: Any, before: Any) -> bool:
    """Return whether a list or a dict holds the very items that it held before."""
    if not isinstance(content, tuple | dict) or len(content) != len(before):
        return content is before
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    known = before if isinstance(before, dict) else dict(enumerate(before))
    return all(key in known and item is known[key] for key, item in pairs)


def _containers(value: Abstract) -> list[ListRef | DictRef]:
    """The lists and dicts that something goes over."""
    if isinstance(value, Lazy):
        return [ref for part in value.parts for ref in _containers(part)]
    if isinstance(value, DictView):
        return [value.of]
    return [value] if isinstance(value, ListRef) else []


def in_lists(interp: Interpreter, value: Abstract) -> Abstract:
    """What is gone over, with its items known one by one in lists of the program."""
    if isinstance(value, Lazy) and value.kind in (zip, enumerate, reversed, map):
        made = replace(value, parts=tuple(in_lists(interp, part) for part in value.parts))
        interp.put(made, interp.content(value))
        consume(interp, value)
        return made
    if isinstance(value, DictView) and value.kind == "values":
        value = tuple(interp.content(value.of).values())
    items = interp.content(value) if isinstance(value, ListRef) else value
    if not isinstance(items, tuple):
        return value
    return interp.new_list(list_of(interp, items))


def pair_of(interp: Interpreter, item: Abstract, number: int) -> tuple[Abstract, Abstract]:
    """The key and the value of an item that a dict is made of."""
    try:
        parts = static_items(interp, item)
    except TypeError as error:
        if not is_users(error):
            raise
        said = f"cannot convert dictionary update sequence element #{number} to a sequence"
        raise users(TypeError(said)) from None
    if len(parts) != 2:
        said = f"dictionary update sequence element #{number} has length {len(parts)}"
        raise users(ValueError(f"{said}; 2 is required"))
    return parts[0], parts[1]


def iterated(interp: Interpreter, value: Abstract) -> Abstract:
    """What ``__iter__`` gives, of an object that has it: a generator is gone over turn by turn."""
    if not has_method(interp, value, "__iter__"):
        return value
    made = interp.call_method(value, "__iter__")
    if isinstance(made, ObjectRef) and has_method(interp, made, "__next__"):
        return interp.call(gone_on_with, [made], {})
    return made


def for_each(
    interp: Interpreter, value: Abstract, action: Callable[[Abstract], None], whole: bool = False
) -> None:
    """Stage an action for each element, in place; ``whole``: it never leaves before the end."""
    value = iterated(interp, value)
    if resumes(interp, value):
        require_unused(interp, value)
        turns = run_for(interp, _one_by_one(interp, value), action)
        interp.heap.contents.pop(turns.broken, None)
        return
    if isinstance(value, Generator) and interp.content(value) == 0:
        consume(interp, value)
        if whole:
            run_whole(value, action)
        else:
            _run_held(interp, value, action)
        return
    turns = run_over(interp, value, action)
    interp.heap.contents.pop(turns.broken, None)


def _run_held(
    interp: Interpreter, generator: Generator, action: Callable[[Abstract], None]
) -> None:
    """Stage a generator at one go, which ends it where it is left.

    Python ends it where nothing refers to it any more: where that is later, it is suspended.
    """
    cleans = generator.body is not None and cleans_up(generator.body.node)
    exits = [exit_ for exit_ in interp.frame.exits if exit_.kind != "continue"]
    before = [interp.heap.get(exit_) for exit_ in exits]
    try:
        generator.run(action)
    except NeverReturns:
        if cleans and is_held(interp, generator):
            require_resumed(interp, generator)
        raise
    left = any(interp.heap.get(e) is not held for e, held in zip(exits, before, strict=True))
    if cleans and left and is_held(interp, generator):
        require_resumed(interp, generator)


def is_held(interp: Interpreter, generator: Generator) -> bool:
    """Return whether a name, a list, an object or another generator refers to a generator."""
    pending = [content for key, content in interp.heap.contents.items() if not _is_over(key)]
    while pending:
        part = pending.pop()
        if part is generator:
            return True
        if isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, Lazy | IteratorRef | Suspended | Partial | BoundMethod):
            pending.extend(getattr(part, name) for name in _HOLDING[type(part)])
    return False


_HOLDING = {
    Lazy: ("parts",),
    IteratorRef: ("of",),
    Suspended: ("stack",),
    Partial: ("arguments",),
    BoundMethod: ("instance",),
}


def _is_over(key: Any) -> bool:
    """Return whether a key of the heap is a name of a function that has returned."""
    scope = key[0] if isinstance(key, tuple) else None
    return isinstance(scope, Scope) and scope.ended


def _one_by_one(interp: Interpreter, generator: Abstract) -> Iterable:
    """The elements of a generator, resumed for each where its turn begins."""
    slot = (Token(), "next")

    def more(k: int) -> bool:
        item = HOOKS.resumed(interp, generator)
        interp.put(slot, item)
        return item is not ABSENT

    def element(k: int) -> Abstract:
        item = interp.content(slot)
        interp.heap.contents.pop(slot)
        return item

    return Iterable(0, element, unroll=True, more=more)


def first_of(interp: Interpreter, value: Abstract) -> Abstract:
    """The first element of a generator that is staged once for all of its kind; else ``ABSENT``."""
    fresh = isinstance(value, Generator) and interp.content(value) == 0
    if not fresh or value.first is None or interp.heap.get((value, USED)) is not ABSENT:
        return ABSENT
    first = value.first()
    if first is not ABSENT:
        consume(interp, value)
    return first


def until(
    interp: Interpreter, value: Abstract, action: Callable[[Abstract], bool | Value]
) -> bool | Value:
    """Stage an action for each element up to the first for which it is true; whether one was."""
    if isinstance(value, Generator) and value.body and uses_what_is_sent(value.body.node):
        require_resumed(interp, value)  # the rest of the statement does not run here
    found_one = Exit(Token(), "found")

    def turn(element: Abstract) -> None:
        interp.where(action(element), lambda: interp.leave(found_one))

    with interp.opened(found_one):
        for_each(interp, value, turn)
    return interp.close(found_one)


def collect(interp: Interpreter, value: Abstract) -> ListRef:
    """``list(value)``."""
    made = interp.new_list(())
    for_each(interp, value, lambda element: append_item(interp, made, element), whole=True)
    return made


def made_list(interp: Interpreter, value: Abstract) -> ListRef:
    """``list(value)``, as all that a step of a statement does."""
    made = interp.new_list(())
    with interp.being_made(made):
        for_each(interp, value, lambda element: append_item(interp, made, element), whole=True)
    return made


def append_item(interp: Interpreter, ref: ListRef, element: Abstract) -> None:
    """``list.append``."""
    content = interp.content(ref)
    if staged_lists.is_staged_list(content):
        interp.put(ref, staged_lists.push(interp, content, element))
    else:
        interp.put(ref, (*content, element))


def static_items(interp: Interpreter, value: Abstract) -> tuple[Abstract, ...]:
    """All elements of an iterable with a static count."""
    iterable = iterate(interp, value)
    if isinstance(iterable.count, Value):
        raise NeedsStatic(iterable.count)
    items = tuple(iterable.element(k) for k in range(iterable.count))
    if iterable.end is not None:
        iterable.end()
    return items


HOOKS.collect = collect
HOOKS.items = static_items
