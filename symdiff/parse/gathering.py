"""Elements of generators that are gathered in a list first, by a template that all share.

A generator function is staged where it is gone over, with what is done for each element in the
place of its ``yield``. Generators that go over one another in both arms of a branch would be staged
twice as often with each. So the elements of one of which there are several of one kind (``kinds``)
are gathered first (``templates``), and gone over then; so are those of one that is gone over by
``NESTED`` others which go over one another, each of which may have several ``yield``.

That is the same where the generator sees nothing but its arguments' numbers and arrays and what
stands outside, and writes nothing of it, nor to what it has given; where it is gone over to its
end, and nothing that it sees or gives, nor anything outside, is written meanwhile; and where either
the generator or what is done for its elements raises nothing, and inside ``try`` the generator; or
where what it raises is held, and raised once the elements before have been gone over. Else it is
staged in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ops.arithmetic import equal, positive
from symdiff.ops.effects import raise_
from symdiff.ops.facts import may_raise
from symdiff.parse.blame import is_foreseen
from symdiff.parse.branches import taken_from
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.heap import Heap, differing
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.iteration import append_item, are_kept, for_each, started, until
from symdiff.parse.kinds import look_around
from symdiff.parse.raising import throw
from symdiff.parse.templates import (
    FOLLOWED_FIRST,
    Run,
    Template,
    copied,
    errors_of,
    held_inside,
)
from symdiff.parse.trying import forget, region_of, run_in_region
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    CalleeLeft,
    Conflict,
    DictRef,
    Generator,
    ListRef,
    ObjectRef,
    Scope,
    Storage,
    Token,
    born,
    now,
)
from symdiff.parse.writeback import writes_outside

Consume = Callable[[Abstract], None]
GIVEN = Storage | ListRef | DictRef | ObjectRef
FOLLOWED_MORE = 2  # generators of a kind that are staged in place, more than calls are
NESTED = 3  # generators that go over one another, which are staged in place


@dataclass(eq=False, slots=True)
class _Classes(Token):
    """The classes of what a generator raises, by number."""

    kinds: tuple[type[BaseException], ...] = ()


def from_list(
    interp: Interpreter,
    key: Any,
    scope: Scope,
    bound: dict[str, Abstract],
    gather: Run,
    consume: Consume,
) -> Abstract:
    """Stage what is done for each element of a generator, gathered before, and give what it
    returns; ``ABSENT`` where it is to be staged in its place.
    """
    given = _from_list(interp, key, scope, bound, lambda v: (*gather(v), None), consume)
    if given is not ABSENT:
        return given

    def held(values: dict[str, Abstract]) -> Abstract:
        return _until_raised(interp, lambda: gather(values))

    return _from_list(interp, (*key, "held"), scope, bound, held, consume)


def _from_list(
    interp: Interpreter,
    key: Any,
    scope: Scope,
    bound: dict[str, Abstract],
    gather: Run,
    consume: Consume,
) -> Abstract:
    writes: list[Any] = []

    def gathered_alone(values: dict[str, Abstract]) -> Abstract:
        found = gather(values)
        writes.extend(one for one in interp.heap.written if isinstance(one, Storage))
        return found

    def accepts(template: Template) -> bool:
        return not writes and template.raised is None and _stands_alone(template)

    nested = sum(frame.consumer is not None for frame in interp.frames)
    later = FOLLOWED_MORE if nested < NESTED else -FOLLOWED_FIRST
    with Checkpoint(interp, Exception, when=is_foreseen) as attempt:
        found: Any = copied(interp, key, scope, bound, gathered_alone, later=later, accepts=accepts)
        if found is ABSENT:
            return ABSENT
        nodes = builder().nodes
        before, gathered = interp.heap.copy(), len(nodes)
        items, given, _, raised = found
        _go_over(interp, items, consume)
        if raised is not None:
            interp.unless_exited(lambda: _raise(interp, *raised))
        tells = _raises if raised is None else _acts  # what it raises is held
        raises = tells(nodes[attempt.length : gathered]) and _raises(nodes[gathered:])
        around = look_around(interp, key[0], scope, bound)
        seen = [*around.handles, *(view.storage for view in around.views.values())]
        if not (raises or writes_outside(interp, before) or _writes(interp, before, attempt, seen)):
            return given
        attempt.roll_back()
    return ABSENT


def gathered(interp: Interpreter, go_over: Callable[[Consume], Abstract]) -> Abstract:
    """The elements of a generator, what it returns, and whether it has changed one that it gave."""
    items, since, shown = interp.new_list(()), now(), dict[Any, Abstract]()

    def take(item: Abstract) -> None:
        append_item(interp, items, item)
        for key, held in held_inside(interp.heap, item, since).items():
            shown.setdefault(key, held)

    given = go_over(take)
    pairs = ((interp.heap.get(key), held) for key, held in shown.items())
    return items, given, not all(one is ABSENT or are_kept(one, held) for one, held in pairs)


def _until_raised(interp: Interpreter, gather: Callable[[], Any]) -> tuple[Any, ...]:
    """What ``gather`` gives, up to where something is raised; and on which paths that is, the
    number of its class, the classes, and the exceptions. None if nothing is.
    """
    region, results = region_of(interp, (Exception,), True), list[Any]()

    def body() -> None:
        try:
            results.append(gather())
        except CalleeLeft as left:
            results.append(left.value)

    run_in_region(interp, region, body)
    where = interp.close(region.exit)
    if where is False:
        return *results[0], None
    errors, number = errors_of(interp, region), (region.token, "number")
    told = isinstance(where, Value) and not any(isinstance(e, Conflict) for e in errors.values())
    if not told or results[0][1] is not None:
        raise UnsupportedSyntaxError("a generator that raises, and may return something")
    interp.branch(where, lambda: _require_number(interp, number), lambda: interp.put(number, 0))
    raised = where, interp.content(number), _Classes(kinds=tuple(region.kinds)), errors
    forget(interp, region)
    return *results[0], raised


def _require_number(interp: Interpreter, place: Any) -> None:
    """Let the number of a class, which is undefined where nothing was raised, be a number."""
    number = interp.content(place)
    interp.put(place, positive(number) if isinstance(number, Value) else number)


def _raise(
    interp: Interpreter, where: Value, number: Value | int, classes: _Classes, errors: Any
) -> None:
    """Raise what a generator has raised behind its elements."""

    def one_of(numbers: Sequence[int]) -> None:
        first, *others = numbers
        if others and isinstance(number, Value):
            interp.branch(equal(number, first), lambda: throw_of(first), lambda: one_of(others))
        else:
            throw_of(first)

    def throw_of(k: int) -> None:
        throw(interp, errors[k], classes.kinds[k])

    interp.where(where, lambda: one_of([*errors] if isinstance(number, Value) else [number]))


def first_element(
    interp: Interpreter, go_over: Callable[..., Abstract], bound: dict[str, Abstract]
) -> Abstract:
    """The first element of a generator that has one on each path."""
    slot = (Token(), "first")

    def keep(item: Abstract) -> bool:
        interp.put(slot, item)
        return True

    made = Generator(lambda consume: go_over(bound, consume, False, False))
    if until(interp, started(interp, made), keep) is not True:
        raise UnsupportedSyntaxError("a generator that has no element on some paths")
    return taken_from(interp, slot)


def _go_over(interp: Interpreter, items: Abstract, consume: Consume) -> None:
    content = interp.content(items)
    if not isinstance(content, tuple):
        for_each(interp, items, consume)
        return
    for item in content:
        consume(item)


def _stands_alone(template: Template) -> bool:
    """Return whether a generator sees nothing of the program's but numbers and arrays, and writes
    nothing but what it gives, and nothing in that once it has given it.
    """
    items, _, changes, _ = template.result
    made = {*template.made}
    seen = all(map(_is_array, (*template.seen.handles, *template.seen.places)))
    given = all(isinstance(one, GIVEN) for one in made)
    written = {*map(_owner, template.written)}
    return not changes and items in made and made == written | {items} and seen and given


def _is_array(handle: Any) -> bool:
    return isinstance(handle, Storage)


def _owner(key: Any) -> Any:
    """What a key of the heap belongs to."""
    return key[0] if isinstance(key, tuple) else key


def _writes(interp: Interpreter, before: Heap, attempt: Checkpoint, seen: Sequence[Any]) -> bool:
    """Return whether what a generator sees, or has made, is another than ``before``: it would see
    that where it is gone on with.
    """
    changed = differing(before.contents, interp.heap.contents)
    owners = (_owner(key) for key in changed if key in before.contents)
    return any(
        isinstance(one, GIVEN) and (one in seen or born(one) >= attempt.since) for one in owners
    )


def _raises(nodes: list[Node]) -> bool:
    """Return whether nodes may raise, or do what is seen outside."""
    return _acts(nodes) or any(map(may_raise, walk_nodes(Block((), nodes))))


def _acts(nodes: list[Node]) -> bool:
    """Return whether nodes raise by themselves, or do what is seen outside."""
    return any(node.op is raise_ or node.op.effect for node in walk_nodes(Block((), nodes)))
