"""Unions that a loop carries: which of several contents a name holds differs from turn to turn.

The contents before the loop and after a turn are grouped by what can be one case: numbers, arrays
that a turn makes, structures of such. At the loop's head a case stands for its group, over
parameters of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import emit_cond, emit_undefined
from symdiff.ir.graph import Block, Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import INT, Type
from symdiff.ops.arithmetic import equal
from symdiff.parse.heap import Heap, another, is_array, is_programs, same
from symdiff.parse.holders import holder_of
from symdiff.parse.interpreter import describe
from symdiff.parse.lattice import is_number, lift_as, meet
from symdiff.parse.unions import MOST_IN_LOOPS, contents_of, which_of
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Cases,
    Columns,
    Conflict,
    ObjectRef,
    Unjoinable,
    born,
)

if TYPE_CHECKING:
    from symdiff.parse.carries import Carried, Carries

Content = tuple[Heap, Abstract]  # a content in its heap
Values = dict["Carried", Callable[[], Value]]


@dataclass(eq=False, slots=True)
class Union:
    """One of several contents: which of them (``which`` is a parameter), and what each is."""

    which: Carried
    cases: tuple[Abstract, ...]
    start: Abstract
    numbers: dict[int, int]  # of the cases of ``start``


def union_of(
    head: Carries, name: str, start: Content, last: Content, conflict: Conflict, unbound: bool
) -> tuple[Conflict, Union]:
    """What stands at the head for a name that holds one of several, and how it is made up.

    ``unbound``: to be so before the loop is a case.
    """
    groups: list[list[Content]] = []
    (base, before), (heap, after) = start, last
    known = contents_of(before) if before is not ABSENT or unbound else {}
    numbers = {k: _group(head, groups, (base, c)) for k, c in known.items()}
    for content in contents_of(after).values():
        _group(head, groups, (heap, content))
    if len(groups) > MOST_IN_LOOPS:
        raise Unjoinable("too many cases")
    which = head.carry(f"{name}_case", 0, INT)
    cases = tuple(_case(head, name, group) for group in groups)
    made = replace(conflict, cases=Cases(which.parameter, dict(enumerate(cases))))
    return made, Union(which, cases, before, numbers)


# Groups -------------------------------------------------------------------------------------------


def _group(head: Carries, groups: list[list[Content]], content: Content) -> int:
    """The number of the group that a content belongs to, which it joins."""
    for number, group in enumerate(groups):
        if _alike(head, group[0], content):
            group.append(content)
            return number
    groups.append([content])
    return len(groups) - 1


def _alike(head: Carries, one: Content, other: Content) -> bool:
    """Return whether two contents become one number, one array bound anew, or one structure."""
    if same(one[1], other[1]):
        return True
    first, second = _inside(head, one), _inside(head, other)
    if first is None or second is None:
        return _leaves_alike(head, one, other)
    (kind, parts), (other_kind, others) = first, second
    return (kind, len(parts)) == (other_kind, len(others)) and all(
        _alike(head, a, b) for a, b in zip(parts, others, strict=True)
    )


def _leaves_alike(head: Carries, one: Content, other: Content) -> bool:
    a, b = one[1], other[1]
    arrays = all(isinstance(c, Array) and not head.is_outside(c) for c in (a, b))
    if not arrays and not (is_number(a) and is_number(b)):
        return False
    try:
        meet(_type_of(head, one), _type_of(head, other), "case")
    except Unjoinable:
        return False
    return True


def _inside(head: Carries, content: Content) -> tuple[Any, list[Content]] | None:
    """Kind and parts of a tuple or a function, or of what is behind a list … that a turn makes."""
    heap, found = content
    holder = holder_of(found)
    if holder is not None:
        return holder.kind, [(heap, part) for part in holder.parts]
    if is_programs(found) and born(found) >= head.since:
        kind = found.type if isinstance(found, ObjectRef) else type(found)
        return (kind, getattr(found, "frozen", False)), [(heap, heap.held(found))]
    return None


def _type_of(head: Carries, content: Content) -> Type:
    heap, found = content
    return head.type_of(found, heap)


def _case(head: Carries, name: str, group: list[Content]) -> Abstract:
    """What stands for a group of contents at the head."""
    structures = [inside for content in group if (inside := _inside(head, content)) is not None]
    content = group[0][1]
    if structures:
        columns = zip(*(parts for _, parts in structures), strict=True)
        parts = tuple(_case(head, name, list(column)) for column in columns)
        holder = holder_of(content)
        if holder is not None:
            return head.one_of_several(name, holder.made_of(parts))
        return head.holding(name, another(content), parts[0], ABSENT)
    fixed = not is_number(content) and not _is_made(head, content)
    if fixed and born(content) >= head.since:
        raise Unjoinable(f"{describe(content)} of one turn only")
    if fixed or (is_leaf(content) and all(same(content, other) for _, other in group)):
        if isinstance(content, Value | Conflict | Columns):
            raise Unjoinable(describe(content))
        return content
    type_ = head.own_type(_type_of(head, group[0]))
    for other in group[1:]:
        type_ = head.met_type(type_, _type_of(head, other))
    if is_number(content):
        return head.carry(name, ABSENT, type_).parameter
    if not is_array(type_):
        raise Unjoinable(describe(content))
    return head.holding_value(name, ABSENT, type_)


def _is_made(head: Carries, content: Abstract) -> bool:
    """Return whether a content is an array, a list … that a turn makes."""
    if isinstance(content, Array):
        return not head.is_outside(content)
    return is_programs(content) and born(content) >= head.since


# Matching -----------------------------------------------------------------------------------------


def numbers_of(head: Carries, union: Union, content: Abstract, heap: Heap) -> dict[int, int]:
    """Which cases of a union a content's cases are, as far as they are any."""
    found: dict[int, int] = {}
    for number, part in contents_of(content).items():
        for mine, case in enumerate(union.cases):
            if _is_case(head, case, part, heap):
                found[number] = mine
                break
    return found


def _is_case(head: Carries, case: Abstract, content: Abstract, heap: Heap) -> bool:
    if not head.fits(case, content, heap):
        return False
    pairs = head.matched(case, content, heap)
    return all(_is_made(head, end) for part, end in pairs if head.location_in(part) is not None)


def matched_cases(
    head: Carries,
    case: Abstract,
    number: int,
    content: Abstract,
    numbers: dict[int, int],
    heap: Heap,
) -> dict[int, list[Abstract]]:
    """What stands for a case's parts in each of a content's cases that belong to its number."""
    contents = contents_of(content)
    mine = [k for k, v in numbers.items() if v == number]
    return {k: [end for _, end in head.matched(case, contents[k], heap)] for k in mine}


def union_values(
    head: Carries, union: Union, content: Abstract, heap: Heap, numbers: dict[int, int]
) -> Values:
    """The values of a union's parameters where a content stands; ``numbers`` of its cases."""
    values: Values = {union.which: partial(which_of, content, numbers)}
    for number, case in enumerate(union.cases):
        columns = matched_cases(head, case, number, content, numbers, heap)
        for position, (part, _) in enumerate(head.matched(case, ABSENT, heap)):
            carried = head.carried_in(part)
            if carried is not None:
                parts = {k: column[position] for k, column in columns.items()}
                values[carried] = partial(_selected, head, carried, parts, content, heap)
    return values


def _selected(
    head: Carries, carried: Carried, parts: dict[int, Abstract], content: Abstract, heap: Heap
) -> Value:
    """The value of a parameter of a case: of the one of a content's that it comes from."""
    value = carried.parameter if heap is not head.base else None
    type_ = carried.parameter.type
    for number, part in parts.items():
        with building(Builder(span=head.span)) as inner:
            mine = lift_as(part, type_, heap.copy(), head.span)
        if len(contents_of(content)) == 1:
            builder().nodes.extend(inner.nodes)
            return mine
        value = _if_it_is(head, content, number, Block((), inner.nodes, (mine,)), value)
    return emit_undefined(type_) if value is None else value


def _if_it_is(
    head: Carries, content: Abstract, number: int, block: Block, other: Value | None
) -> Value:
    which = which_of(content, {n: n for n in contents_of(content)})
    with building(Builder(span=head.span)) as inner:
        kept = emit_undefined(block.results[0].type) if other is None else other
    return emit_cond(equal(which, number), block, Block((), inner.nodes, (kept,))).result
