"""Elements of generators that are gathered in a list first, by a template that all share.

A generator function is staged where it is gone over, with what is done for each element in the
place of its ``yield``. Generators that go over one another in both arms of a branch would be staged
twice as often with each. So the elements of one of which there are several of one kind (``kinds``)
are gathered first (``templates``), and gone over then.

That is the same where the generator sees nothing but its arguments' numbers and arrays and what
stands outside, and writes nothing of it, nor to what it has given; where it is gone over to its
end, and nothing that it sees or gives, nor anything outside, is written meanwhile; and where either
the generator or what is done for its elements raises nothing, and inside ``try`` the generator.
Else it is staged in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder
from symdiff.ir.graph import Block, Node, walk_nodes
from symdiff.ops.effects import raise_
from symdiff.ops.facts import may_raise
from symdiff.parse.blame import is_foreseen
from symdiff.parse.branches import taken_from
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.heap import Heap, differing
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.iteration import append_item, are_kept, for_each, started, until
from symdiff.parse.kinds import look_around
from symdiff.parse.templates import Run, Template, copied, held_inside
from symdiff.parse.values import (
    ABSENT,
    Abstract,
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
    writes: list[Any] = []

    def gathered_alone(values: dict[str, Abstract]) -> Abstract:
        found = gather(values)
        writes.extend(one for one in interp.heap.written if isinstance(one, Storage))
        return found

    def accepts(template: Template) -> bool:
        return not writes and template.raised is None and _stands_alone(template)

    with Checkpoint(interp, Exception, when=is_foreseen) as attempt:
        found: Any = copied(
            interp, key, scope, bound, gathered_alone, later=FOLLOWED_MORE, accepts=accepts
        )
        if found is ABSENT:
            return ABSENT
        nodes = builder().nodes
        before, gathered = interp.heap.copy(), len(nodes)
        items, given, _ = found
        _go_over(interp, items, consume)
        raises = _raises(nodes[attempt.length : gathered]) and _raises(nodes[gathered:])
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
    items, _, changes = template.result
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
    inside = walk_nodes(Block((), nodes))
    return any(node.op is raise_ or node.op.effect or may_raise(node) for node in inside)
