"""Builtins that go over all items: ``sum``, ``max``, ``sorted``, ``functools.reduce`` …"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.definitions.keyed import keyed_dict, sorted_list
from symdiff.errors import SymdiffError
from symdiff.ir.build import Builder, builder
from symdiff.ir.graph import Block, Value, walk_nodes
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import INT, TEXT, ArrayType, ListType
from symdiff.ops.arithmetic import equal
from symdiff.ops.declare import array_type, static
from symdiff.ops.effects import Member, Named, pure_call
from symdiff.ops.facts import may_raise
from symdiff.ops.mathlib import is_int_zero, python_sum
from symdiff.ops.support import order_by
from symdiff.parse import run_time_texts as texts
from symdiff.parse.arguments import plain_argument
from symdiff.parse.blame import is_users, users
from symdiff.parse.branches import choose, joined_cases
from symdiff.parse.calls import builtin
from symdiff.parse.cases import for_each_case, told_apart_value
from symdiff.parse.changing import in_any_order
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.comparisons import compare
from symdiff.parse.demand import can_be_known, known
from symdiff.parse.heap import constant
from symdiff.parse.interpreter import Interpreter, negated
from symdiff.parse.iteration import after, collect, for_each, iterate, started, static_items, until
from symdiff.parse.opaque import Template
from symdiff.parse.operators import binary, is_staged
from symdiff.parse.outcomes import is_order_known, note_order
from symdiff.parse.python import in_python
from symdiff.parse.selecting import in_order
from symdiff.parse.sort_keys import keys_of
from symdiff.parse.special import has_operator
from symdiff.parse.staged_lists import demand_length_unless_numbers
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    VALUE,
    Abstract,
    BoundMethod,
    ConflictRead,
    Generator,
    ListRef,
    NeverReturns,
    Sees,
    Token,
)


def _fold(
    interp: Interpreter,
    items: Abstract,
    start: Abstract,
    step: Callable[[Abstract, Abstract], Abstract],
    end: Callable[[Abstract], Abstract] = lambda accumulator: accumulator,
) -> Abstract:
    """``for item in items: accumulator = step(accumulator, item)``; gives ``end(accumulator)``."""
    slot = (Token(), "accumulator")
    interp.put(slot, start)

    def turn(item: Abstract) -> None:
        interp.put(slot, step(interp.content(slot), item))

    def in_cases(item: Abstract) -> None:
        for_each_case(interp, functools.partial(turn, item))

    for_each(interp, items, in_cases, whole=True)
    if interp.policy.unions:
        result = told_apart_value(interp, lambda: end(interp.content(slot)))
    else:
        result = end(interp.content(slot))
    interp.heap.contents.pop(slot, None)
    return result


def _fold_from_first(
    interp: Interpreter,
    items: Abstract,
    begin: Callable[[Abstract], Abstract],
    step: Callable[[Abstract, Abstract], Abstract],
    end: Callable[[Abstract], Abstract],
    empty: Callable[[], Abstract],
) -> Abstract:
    """Fold items, from what ``begin`` makes of the first to what ``end`` makes of the last
    accumulator; give ``empty()`` where there is no item.
    """
    iterable = iterate(interp, items)

    def without_items() -> Abstract:
        if iterable.end is not None:
            iterable.end()
        return empty()

    def folded() -> Abstract:
        first = iterable.element(0 if iterable.unroll else constant(0))
        return _fold(interp, after(iterable, 1), begin(first), step, end)

    is_known = isinstance(iterable.count, int)
    none = iterable.count == 0 if is_known else equal(iterable.count, 0)
    return choose(interp, none, without_items, folded)


@builtin(builtins.sum)
def _sum(interp: Interpreter, items: Abstract, start: Abstract = 0) -> Abstract:
    added: list[_Addition] = []

    def step(total: Abstract, item: Abstract) -> Abstract:
        after = binary(interp, ast.Add, total, item)
        added.append((builder(), total, item, after))
        return after

    def end(total: Abstract) -> Abstract:
        terms = _terms(start, added, total)
        return total if terms is None else _sum_of_numbers(interp, terms, total)

    try:
        return _fold(interp, items, start, step, end)
    except ConflictRead as read:
        if not read.conflict.aliasing:
            read.conflict.hint = read.conflict.hint or _START
        raise


_Addition = tuple[Builder, Abstract, Abstract, Abstract]  # where, and total + item = the next total


def _terms(
    start: Abstract, added: Sequence[_Addition], total: Abstract
) -> list[int | float | complex | Value] | None:
    """The start of a sum and all of its items, if they are Python's numbers that are added one
    after the other, in no loop and on no path of several; else None.
    """
    home, before, terms = builder(), start, [start]
    for place, so_far, item, following in added:
        if place is not home or so_far is not before:
            return None
        before = following
        terms.append(item)
    if before is not total or not all(map(_is_python_number, terms)):
        return None
    return terms


def _is_python_number(value: Abstract) -> bool:
    if not isinstance(value, Value):
        return type(value) in (bool, int, float, complex)
    return isinstance(value.type, ArrayType) and value.type.kind == "python"


def _sum_of_numbers(interp: Interpreter, terms: Sequence[Abstract], total: Abstract) -> Abstract:
    """The sum of a start and items as ``sum`` itself adds them, where roundings may tell: Python
    compensates those of floats from version 3.12 on.
    """
    start, *items = terms
    if not any(map(is_staged, terms)):
        return builtins.sum(items, start)
    values = [interp.lift(term) for term in terms]
    inexact = builtins.sum(array_type(value).dtype.kind in "fc" for value in values)
    rounded = len(values) - is_int_zero(values[0]) - 1
    return python_sum(*values) if inexact >= 2 and rounded >= 2 else total


_START = "give sum a start that is like the items: sum(items, np.zeros(n))"


@builtin(math.prod)
def _product(interp: Interpreter, items: Abstract, *, start: Abstract = 1) -> Abstract:
    return _fold(interp, items, start, lambda a, b: binary(interp, ast.Mult, a, b))


@builtin(functools.reduce)
def _reduce(interp: Interpreter, function: Abstract, items: Abstract, *start: Abstract) -> Abstract:
    def step(a: Abstract, b: Abstract) -> Abstract:
        return interp.call(function, [a, b], {})

    def empty() -> Abstract:
        raise users(TypeError("reduce() of empty iterable with no initial value"))

    if start:
        return _fold(interp, items, start[0], step)
    return _fold_from_first(interp, items, _itself, step, _itself, empty)


def _itself(value: Abstract) -> Abstract:
    return value


def _extreme(
    python: Any,
    op: type[ast.cmpop],
    interp: Interpreter,
    *items: Abstract,
    key: Abstract = None,
    **default: Abstract,
) -> Abstract:
    def measured(item: Abstract) -> tuple[Abstract, ...]:
        return (item,) if key is None else (interp.call(key, [item], {}), item)

    def better(kept: tuple[Abstract, ...], item: Abstract) -> Abstract:
        found = measured(item)
        condition = truth(interp, compare(interp, op, found[0], kept[0]))
        if not isinstance(condition, Value):
            return found if condition else kept
        return joined_cases(interp, condition, lambda: found, lambda: kept, VALUE)

    def empty() -> Abstract:
        return default["default"] if default else in_python(python, ())

    over = items[0] if len(items) == 1 else items
    key = _present(over, key)
    over = in_any_order(interp, over) if key is None else over
    return _fold_from_first(interp, over, measured, better, operator.itemgetter(-1), empty)


builtin(builtins.max)(functools.partial(_extreme, builtins.max, ast.Gt))
builtin(builtins.min)(functools.partial(_extreme, builtins.min, ast.Lt))


@builtin(builtins.any)
def _any(interp: Interpreter, items: Abstract) -> Abstract:
    return until(interp, items, lambda item: truth(interp, item))


@builtin(builtins.all)
def _all(interp: Interpreter, items: Abstract) -> Abstract:
    return negated(until(interp, items, lambda item: negated(truth(interp, item))))


@builtin(filter)
def _filter(interp: Interpreter, function: Abstract, items: Abstract) -> Abstract:
    def run(consume: Callable[[Abstract], None]) -> None:
        def turn(item: Abstract) -> None:
            keep = truth(interp, item if function is None else interp.call(function, [item], {}))
            interp.where(keep, lambda: consume(item))

        for_each(interp, items, turn)

    return started(interp, Generator(run, sees=Sees((function, items))))


@builtin(sorted)
def sorted_items(
    interp: Interpreter, iterable: Abstract, *, key: Abstract = None, reverse: Abstract = False
) -> Abstract:
    """``sorted(iterable, key=key, reverse=reverse)``."""
    key = _present(iterable, key)
    source = in_any_order(interp, iterable) if key is None else iterable
    over = iterate(interp, source)
    if isinstance(over.count, Value):
        found = source if isinstance(source, ListRef) else collect(interp, over)
        demand_length_unless_numbers(interp, interp.content(found))
        return interp.call(sorted_list, [found, key, reverse], {})
    items = list(static_items(interp, over))
    values = [item if key is None else interp.call(key, [item], {}) for item in items]
    if len(items) < 2:  # none is compared
        return interp.new_list(tuple(items))
    values = _by_numbers(interp, values)
    if any(_asks_objects(interp, value) for value in _as_far_as_needed(values)):
        compared = _order_compared(interp, values, static(truth(interp, reverse)))
        if compared is not None:
            return interp.new_list(in_order(interp, tuple(items), compared))
        keys: list[Any] = [_Compared(interp, value) for value in values]
    else:
        plain_values = _as_far_as_needed([_plain_key(interp, value) for value in values])
        is_open = _is_found_at_run_time(interp, plain_values)
        if is_open and not is_order_known(interp, plain_values):
            order = _order_found(interp, plain_values, static(truth(interp, reverse)))
            note_order(interp, plain_values, order)
            return interp.new_list(in_order(interp, tuple(items), order))
        if is_open:
            keys = [_Compared(interp, value) for value in plain_values]
        else:
            keys = [known(interp, value, _SORTED) for value in plain_values]
    ordered = builtins.sorted(range(len(items)), key=keys.__getitem__, reverse=bool(reverse))
    return interp.new_list(tuple(items[k] for k in ordered))


def _present(items: Abstract, key: Abstract) -> Abstract:
    """``d.get`` as ``d[...]``, where all that is asked for is the keys of the dict itself."""
    if not isinstance(key, BoundMethod) or key.instance is not items:
        return key
    return BoundMethod(keyed_dict.__getitem__, items) if key.function is keyed_dict.get else key


def _plain_key(interp: Interpreter, key: Abstract) -> Any:
    """A key as it is compared; a text that is known at run time only is an IR value."""
    if type(key) is tuple:
        return tuple(_plain_key(interp, part) for part in key)
    at_run_time = texts.is_at_run_time(interp, key)
    return texts.as_value(interp, key) if at_run_time else plain_argument(interp, key)


def _asks_objects(interp: Interpreter, key: Abstract) -> bool:
    """Return whether an order is told by objects, or by those in tuples."""
    if isinstance(key, tuple):
        return any(_asks_objects(interp, part) for part in key)
    return has_operator(interp, "lt", key, key)


_MOST_SORTED = 16  # objects, each of which is one of all by a branch


def _by_numbers(interp: Interpreter, values: list[Abstract]) -> list[Abstract]:
    """Objects as the numbers that their ``<`` compares, where nothing fixes these."""
    keys = keys_of(interp, values) if len(values) <= _MOST_SORTED else None
    return values if keys is None or not _is_found_at_run_time(interp, keys) else keys


def _as_far_as_needed(keys: list[Any]) -> list[Any]:
    """The beginnings of tuples, where these are known and all differ: what follows is not asked."""
    if not all(type(key) is tuple for key in keys):
        return keys
    known_parts = [list(itertools.takewhile(_is_constant, key)) for key in keys]
    least = min(map(len, known_parts), default=0)
    beginnings = [tuple(parts[:least]) for parts in known_parts]
    return list(beginnings) if len(set(beginnings)) == len(keys) else keys


def _is_constant(part: Any) -> bool:
    return isinstance(part, str | bytes | int) and part == part


def _is_found_at_run_time(interp: Interpreter, keys: Sequence[Any]) -> bool:
    """Return whether the order of keys is told by numbers that nothing fixes.

    Arrays behind other parts of tuples are compared, and raise, where these are equal.
    """
    numbers: list[Value] = []
    pending = [(key, False) for key in keys]
    while pending:
        key, is_behind = pending.pop()
        if isinstance(key, tuple | list):
            pending.extend((part, is_behind or k > 0) for k, part in enumerate(key))
        elif isinstance(key, Value):
            is_array = isinstance(key.type, ArrayType) and key.type.kind == "array"
            if is_array and is_behind:
                continue
            if is_array or not (isinstance(key.type, ArrayType) or key.type == TEXT):
                return False
            numbers.append(key)
        elif not isinstance(key, str | bytes) and not is_leaf(key):
            return False
    return any(not can_be_known(interp, number) for number in numbers)


def _order_found(interp: Interpreter, keys: Sequence[Any], reverse: bool) -> Value:
    """The indices of keys in their order, as Python's own sort finds it."""
    template = Template(interp)
    compared = Member([template.of(key) for key in keys], "__getitem__")
    order: Value = pure_call(
        *template.operands,
        function=Named(builtins.sorted, "sorted"),
        arguments=(list(range(len(keys))),),
        keywords=(("key", compared), *((("reverse", True),) if reverse else ())),
        type=ListType(INT),
    )
    return order


def _order_compared(interp: Interpreter, values: list[Abstract], reverse: bool) -> Value | None:
    """The indices of objects in the order that the ``<`` of their classes finds, where that is
    known at run time only; None where it is known now, and where it may do more than to compare:
    all are compared with all.
    """
    if len(values) > _MOST_SORTED:
        return None
    with Checkpoint(interp, Exception, when=_is_raised) as start, interp.apart():
        is_open = any(_is_open(interp, _is_less(interp, b, a)) for a, b in pairwise(values))
        rows = _answers(interp, values) if is_open else []
    if start.failure is not None:
        return None
    does_more = not is_open or start.has_written()
    nodes = walk_nodes(Block((), start.nodes[start.length :]))
    if does_more or any(node.op.effect or may_raise(node) for node in nodes):
        start.roll_back()
        return None
    template = Template(interp)
    arguments = tuple(template.of(tuple(row)) for row in rows)
    order: Value = pure_call(
        *template.operands,
        function=template.named(order_by),
        arguments=arguments,
        keywords=(("reverse", True),) if reverse else (),
        type=ListType(INT),
    )
    return order


def _answers(interp: Interpreter, values: list[Abstract]) -> list[list[bool | Value]]:
    """For each of several objects whether it is less than each of them."""
    return [[a is not b and _is_less(interp, a, b) for b in values] for a in values]


def _is_less(interp: Interpreter, a: Abstract, b: Abstract) -> bool | Value:
    return truth(interp, compare(interp, ast.Lt, a, b))


def _is_open(interp: Interpreter, answer: bool | Value) -> bool:
    return isinstance(answer, Value) and not can_be_known(interp, answer)


def _is_raised(error: Exception) -> bool:
    return is_users(error) or isinstance(error, NeverReturns | SymdiffError)


_SORTED = "sort an array: np.sort(...), np.argsort(...)"


@dataclass(frozen=True, slots=True)
class _Compared:
    """A value that is sorted by the ``<`` of its class."""

    interp: Interpreter
    value: Abstract

    def __lt__(self, other: _Compared) -> bool:
        answer = truth(self.interp, compare(self.interp, ast.Lt, self.value, other.value))
        return bool(known(self.interp, answer, _SORTED))
