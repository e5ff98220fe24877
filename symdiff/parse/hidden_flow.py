"""What hides where some numbers do: what is computed of them, and what holds them.

Branches and loops hand on what hides. An operation gives what hides where all numbers that count
hide, and what is taken out of a list of which one item hides may be that item. A library function
that makes something like an array is asked again (``dtype_answers``), once for each set of its
arguments that are found together. Each value is found once, so that all takes a time linear in the
program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from symdiff.dataclass import dataclass
from symdiff.ir.control import CALLS, cond, loop
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType, ListType, TapeType
from symdiff.ops.arrays import array
from symdiff.ops.creation import full
from symdiff.ops.defined import library_call
from symdiff.ops.list_arrays import (
    list_from_tape,
    list_join,
    list_stack,
    list_to_tape,
    list_unstack,
)
from symdiff.ops.lists import (
    list_concatenate,
    list_filled,
    list_get,
    list_insert,
    list_new,
    list_pop,
    list_push,
    list_set,
    list_slice,
    list_slice_set,
    list_total,
    list_typed,
)
from symdiff.ops.mathlib import python_sum
from symdiff.ops.partial import handed_on, reached
from symdiff.ops.retype import retype
from symdiff.parse.dtype_answers import Answer, Hiding


@dataclass(eq=False, slots=True)
class _Operation:
    """What gives what hides once all of the numbers that count are found.

    ``missing``: how many of them are not.
    """

    node: Node
    missing: int


class Flow:
    """Finds in a program what hides, or is an array or a list of such.

    ``answers``: of the library functions that are asked for what they make. ``has_turns``: each
    loop is taken to have a turn.
    """

    def __init__(
        self, hiding: Hiding, block: Block, answers: Sequence[Answer], *, has_turns: bool
    ) -> None:
        self.hiding = hiding
        self.answers = answers
        self.found: set[Value] = set()
        self._held: set[Value] = set()  # and lists of which some item hides
        self._handed: dict[Value, list[Value]] = {}
        self._holding: dict[Value, list[Value]] = {}
        self._waiting: dict[Value, list[_Operation]] = {}
        self._asking: dict[Value, list[int]] = {}
        self._due: set[int] = set()  # answers of which other arguments have been found
        self._empty = _empty_lists(block)
        for node in walk_nodes(block):
            self._take_up(node, has_turns)
        for number, answer in enumerate(answers):
            for value in answer.asked:
                self._asking.setdefault(value, []).append(number)

    def of(self, values: Iterable[Value]) -> set[Value]:
        """These values, and what else hides where they do."""
        self._find(values)
        while self._due:
            due, self._due = sorted(self._due), set()
            for number in due:
                self._find(self.answers[number].hidden(self.hiding, self.found))
        return self.found

    # The program ----------------------------------------------------------------------------------

    def _take_up(self, node: Node, has_turns: bool) -> None:
        for source, value in handed_on(node, has_turns):
            self._handed.setdefault(source, []).append(value)
        if node.op in CALLS and node.attributes["callee"].unlike:
            self._take_up_call(node)
        if node.op in _OF_LISTS:
            for operand in node.operands:
                self._holding.setdefault(operand, []).extend(node.results)
        counted = self._items_that_count(node)
        if counted and any(self.hiding.is_typed(value.type) for value in node.results):
            missing = sum(not self._may_be_none(node, value) for value in counted)
            operation = _Operation(node, missing)
            for value in counted:
                self._waiting.setdefault(value, []).append(operation)

    def _take_up_call(self, node: Node) -> None:
        """Whatever a template gives may hide where one of the numbers does that it is given."""
        given = [value for value in node.results if self.hiding.is_typed(value.type)]
        for operand in node.operands:
            self._handed.setdefault(operand, []).extend(given)

    def _items_that_count(self, node: Node) -> set[Value]:
        """The numbers on which it hangs whether all results hide."""
        if node.op in (cond, loop, *CALLS) or node.blocks:
            return set()
        operands = node.operands[2:] if node.op is list_set else node.operands
        return {value for value in operands if self.hiding.is_typed(value.type)}

    def _may_be_none(self, node: Node, value: Value) -> bool:
        """Return whether it may be that an operand adds no number."""
        return node.op in _JOINED and value in self._empty

    # What is found --------------------------------------------------------------------------------

    def _find(self, values: Iterable[Value]) -> None:
        pending = list(values)
        while pending:
            value = pending.pop()
            if value in self.found:
                continue
            self.found.add(value)
            self._due.update(self._asking.get(value, ()))
            pending += self._handed.get(value, ())
            pending += self._computed(value)
            pending += self._taken_out(value)

    def _computed(self, value: Value) -> Iterator[Value]:
        """What is computed of a value and of others, if that is the last to be found."""
        for operation in self._waiting.get(value, ()):
            node = operation.node
            operation.missing -= not self._may_be_none(node, value)
            if not operation.missing and _gives_hidden(node, self.hiding):
                yield from node.results

    def _taken_out(self, value: Value) -> Iterator[Value]:
        """Items and parts of the lists that hold a value."""
        pending = [value]
        while pending:
            one = pending.pop()
            if one in self._held:
                continue
            self._held.add(one)
            if not _is_list(one) or _is_part(one.node):
                yield one
            pending += self._handed.get(one, ())
            pending += self._holding.get(one, ())


def stays_hidden(node: Node, hiding: Hiding) -> bool:
    """Return whether all results of a node have types that hide where its operands' do."""
    types = [hiding.revealed(value.type) for value in node.operands]
    try:
        given = node.op.infer(*types, **node.attributes)
    except (TypeError, ValueError):
        return False
    return all(isinstance(t, ArrayType) and hiding.is_hidden(t) for t in given)


def _gives_hidden(node: Node, hiding: Hiding) -> bool:
    return node.op in _OF_NUMBERS or stays_hidden(node, hiding)


def _empty_lists(block: Block) -> Set[Value]:
    """Lists that may hold nothing."""
    made = [v for node in walk_nodes(block) if _may_be_empty(node) for v in node.results]
    return frozenset(reached(block, made, _same_length))


def _may_be_empty(node: Node) -> bool:
    return node.op in _MAY_BE_EMPTY or (node.op is list_new and not node.operands)


def _same_length(node: Node) -> Iterator[tuple[Value, Value]]:
    if node.op in (list_set, list_typed, list_concatenate, list_from_tape, list_to_tape):
        yield from ((a, b) for a in node.operands for b in node.results)


def _is_list(value: Value) -> bool:
    return isinstance(value.type, ListType | TapeType)


def _is_part(node: Node | None) -> bool:
    return node is not None and node.op in (list_slice, list_pop)


_JOINED = (list_push, list_insert, list_concatenate, list_total)
_MAY_BE_EMPTY = (list_filled, list_slice, list_pop, list_unstack, list_from_tape)
_OF_LISTS = (
    list_new, list_filled, list_typed, list_set, list_get, list_push, list_insert, list_pop,
    list_concatenate, list_slice, list_slice_set, list_from_tape, list_to_tape,
)  # fmt: skip
_OF_NUMBERS = (
    retype,
    full,
    array,
    list_stack,
    list_unstack,
    list_join,
    python_sum,
    library_call,  # for all that is known
    *_OF_LISTS,
)  # they have the dtype of what they are given
