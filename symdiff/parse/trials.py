"""A loop as one: its body is staged once, over parameters for all that it changes.

What is carried is found by trials of the body, until nothing new changes and every type repeats.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import Builder, builder, building, copy_block
from symdiff.ir.control import emit_cond, emit_loop
from symdiff.ir.graph import Block, Node, Value, uses
from symdiff.ir.types import INT
from symdiff.ops.arithmetic import add, not_, subtract
from symdiff.ops.strides import met
from symdiff.parse.aliases import LoopAliases, Relations
from symdiff.parse.blame import is_foreseen
from symdiff.parse.carries import Carries
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.heap import Heap, Key, constant, differing, same
from symdiff.parse.interpreter import FollowedTooOftenError, Interpreter, either
from symdiff.parse.lattice import is_variable, key_name
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.memory_order import layout_of
from symdiff.parse.moves import Move, kinds_of, led_from
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    ConflictRead,
    Exit,
    FirstTurnDiffers,
    NeverReturns,
    Token,
    born,
    called,
    now,
)
from symdiff.parse.writeback import begin, go_on_from, leave_in, settled

MOST_WIDENED = 24  # times that the type of one name is found too narrow
MOST_TRIALS = 1000  # of all loop bodies of a function together
FEW_ITEMS = 8  # a list that grows in as many turns is followed item by item
MOST_INDENTED = 80  # of those of a loop that cannot be staged as one: Python takes 100 levels


class EndlessLoopError(UnsupportedSyntaxError):
    """A loop that would not end."""


@dataclass(slots=True)
class Turns:
    """What a loop repeats: ``turn`` stages a turn, given its index; ``test``: whether to go on."""

    token: Token
    count: int | Value | None
    turn: Callable[[Any], None]
    test: Callable[[], bool | Value] | None = None
    first: int = 0  # turns that were peeled
    more: Callable[[int], bool | Value] | None = None  # where ``count`` does not tell the end
    nested: int = MOST_INDENTED  # at most, where they are staged one by one
    moves: tuple[Move, ...] = ()  # that a turn makes
    as_one: bool = False  # never staged one by one

    @property
    def broken(self) -> Exit:
        return Exit(self.token, "break")

    @property
    def stopped(self) -> Exit:
        """Taken where a test that stands inside the body does not hold: no ``break``."""
        return Exit(self.token, "stop")

    @property
    def continued(self) -> Exit:
        return Exit(self.token, "continue")


@dataclass(slots=True)
class Trial:
    """One staging of the body over a choice of what is carried."""

    index: Value
    carries: Carries
    nodes: list[Node] = field(default_factory=list)
    heap: Heap = field(default_factory=Heap)
    test: Block | None = None
    always: bool = False  # the test is known to hold in every turn
    rough: bool = False  # loops inside are sketched only


class LoopStager:
    """Finds what is carried by staging the body until it repeats, then appends the loop."""

    def __init__(self, interp: Interpreter, turns: Turns, since: int | None = None) -> None:
        self.interp = interp
        self.turns = turns
        self.since = now() if since is None else since
        self.base = interp.heap
        self.hints: dict[Key, tuple[Abstract, Heap]] = {}  # what a trial left, and its heap
        self.widened: Counter[Key] = Counter()  # how often what a trial left did not fit
        self.related: Relations = {}  # what may be one thing at the head
        self.parted: set[tuple[Any, Any]] = set()  # what was one array after the first trial
        self.keep_layouts = True
        self.test_inside = False
        self.first: Heap | None = None  # what the first turn leaves, for the second trial
        self.led: set[Key] = set()  # names taken to be carried as those that are moved to them

    def stage(self) -> None:
        """Append the loop; where names are no such moves, find what is carried without them."""

        def by_moves(error: Exception) -> bool:
            return bool(self.led) and is_foreseen(error)

        with Checkpoint(self.interp, Exception, when=by_moves, heap=self.base):
            if self._staged():
                return
        self.turns.moves = ()
        LoopStager(self.interp, self.turns, self.since).stage()

    def _staged(self) -> bool:
        """Append the loop; False, and nothing done, where a name was wrongly led."""
        number = 0
        while True:
            trial = self._nth_trial(number)
            learned = self._learn(trial)
            if not learned and not trial.rough:
                if not self._are_moved(trial):
                    return False
                self._finish(trial)
                return True
            if number == 0 and self.interp.sketching and self._sketch(trial):
                return True
            # Where a turn writes what it has not made, what is related decides what is staged.
            writes = trial.carries.writes_before(trial.heap)
            self.first = trial.heap if number == 0 and not writes else None
            number += 1

    # Trials ---------------------------------------------------------------------------------------

    def _nth_trial(self, number: int) -> Trial:
        if number > 1 or (number == 0 and self.interp.sketching):
            return self._trial()
        return self._trial_ahead() if number else self._trial_of_sketches()

    def _trial_of_sketches(self) -> Trial:
        """The first trial, which only tells what changes: the loops inside are sketched.

        So a nest of loops is staged as often as it is deep, where each level would double that.
        """
        interp, count, test_inside = self.interp, len(self.interp.sketches), self.test_inside

        def by_sketches(error: Exception) -> bool:
            return len(interp.sketches) > count and is_foreseen(error)

        with Checkpoint(interp, Exception, when=by_sketches, heap=self.base), self._sketching():
            trial = self._trial()
            trial.rough = len(interp.sketches) > count
            return trial
        self.test_inside = test_inside
        return self._trial()

    @contextlib.contextmanager
    def _sketching(self) -> Iterator[None]:
        """Let the loops inside be sketched; what is asked for by their sketches is forgotten."""
        interp, asked = self.interp, dict(self.interp.policy.asked)
        count, interp.sketching = len(interp.sketches), True
        try:
            yield
        finally:
            interp.sketching = False
            if len(interp.sketches) > count:
                interp.policy.asked.clear()
                interp.policy.asked.update(asked)

    def _trial_ahead(self) -> Trial:
        """The second trial: what is one thing after the first turn is related at the head already.

        That spares a trial, and all those of the loops inside, where no conflict comes of it.
        """
        test_inside = self.test_inside

        def by_relations(error: Exception) -> bool:
            return bool(self.related) and is_foreseen(error)

        attempt = Checkpoint(self.interp, Exception, when=by_relations, heap=self.base)
        with attempt, meanwhile(self.interp, tentative=True):
            return self._trial()
        self.first, self.related, self.test_inside = None, {}, test_inside
        return self._trial()

    def _trial(self) -> Trial:
        """Stage one turn; what is known to change starts as parameters."""
        self.interp.effort.trials += 1
        if self.interp.effort.trials > MOST_TRIALS:
            raise FollowedTooOftenError(
                f"the bodies of these loops would have to be followed more than {MOST_TRIALS} times"
                " to tell what changes in them",
                hint="bind each name to its type before the loops, or make fewer calls inside them",
            ).as_limit()
        carries = self._carries()
        carries.bind()
        if self.first is not None:
            self._relate_after(self.first, carries)
        carries.relate(self.related)
        trial = Trial(carries.index, carries)
        try:
            self._stage_turn(trial, carries.heap)
        except ConflictRead as read:
            if carries.made(read.conflict):
                raise FirstTurnDiffers(read.conflict.reason, read.conflict) from None
            raise
        self.base.written |= trial.heap.written
        return trial

    def _carries(self) -> Carries:
        """A slot for all that is known to change."""
        heap, count = self.base.copy(written=set()), self.turns.count
        below = None if count is None else (count, self.turns.first)
        index = Value(INT, below=below)
        carries = Carries(self.since, self.base, heap, index, self.interp.span)
        carries.count, carries.keep_layouts = count, self.keep_layouts
        carries.as_unions, carries.parted = self.interp.policy.unions, self.parted
        carries.as_texts = self.interp.policy.texts
        carries.are_names_told = self.interp.policy.are_names_told
        carries.unrolls = isinstance(count, int) and (
            count <= FEW_ITEMS or self.interp.sizes_are_fixed()
        )
        for key, hint in self.hints.items():
            made = carries.add(key, *hint)
            heap.set(key, made)
            if isinstance(made, Value):
                self.interp.begun[made] = [self.base.get(key), hint[0]]
        return carries

    def _stage_turn(self, trial: Trial, heap: Heap) -> None:
        interp, turns = self.interp, self.turns
        inside = self.test_inside
        trial.test = self._stage_test(trial, heap)
        if self.test_inside != inside:
            trial.test = None
        with interp.scratch(heap) as inner:
            begin(interp)
            for exit_ in interp.frame.exits:  # a turn begins only where none was taken
                interp.put(exit_, False)
            index: Any = add(trial.index, turns.first) if turns.first else trial.index
            if self.test_inside:
                self._turn_with_test(index)
            else:
                turns.turn(index)
            if interp.raises_here():
                raise NeverReturns
            interp.put(turns.continued, False)
            trial.nodes, trial.heap = inner.nodes, interp.heap

    def _turn_with_test(self, index: Any) -> None:
        interp, turns = self.interp, self.turns
        condition = turns.test() if turns.test is not None else True
        interp.branch(condition, lambda: turns.turn(index), lambda: interp.leave(turns.stopped))

    def _stage_test(self, trial: Trial, heap: Heap) -> Block | None:
        """The condition block; where the test itself binds names it moves into the body instead."""
        test = self.turns.test
        if test is None or self.test_inside:
            return None
        after = heap.copy()
        with self.interp.scratch(after) as inner:
            begin(self.interp)
            condition = test()
            if isinstance(condition, bool):
                trial.always = condition
                condition = constant(condition)
            after = self.interp.heap
        if _binds(heap, after, self.since):
            self.test_inside = True
            return None
        return Block((), inner.nodes, (condition,))

    def _learn(self, trial: Trial) -> bool:
        """Take up what changed and is not carried yet, and wider types; False where all repeats."""
        changed: dict[Key, None] = {}  # in order: what is carried is emitted in it
        for key in self._may_be_changed(trial.heap.contents):
            end = trial.heap.get(key)
            if born(key) >= self.since or key == self.turns.continued:
                continue
            if key in self.hints:
                wider = trial.carries.wider(key, end, trial.heap)
                self._count_widened(key, wider, trial)
            else:
                wider = not same(self.base.get(key), end)
            if wider:
                self.hints[key] = end, trial.heap
                self.led.discard(key)
                changed[key] = None
        self._lead_on(trial, changed)
        return (
            bool(changed)
            or self._learn_parted(trial)
            or self._relate_after(trial.heap, trial.carries)
            or self._learn_layouts(trial)
        )

    def _may_be_changed(self, ends: dict[Key, Any]) -> list[Key]:
        """What is carried, and what is another object behind a turn, in the order of the heap."""
        begun = self.base.contents
        found = differing(ends, begun)
        if not self.hints.keys() <= set(found):
            wanted = self.hints.keys() | set(found)
            found = [key for key in (*ends, *(k for k in begun if k not in ends)) if key in wanted]
        return [key for key in found if key in ends or is_variable(key)]

    def _count_widened(self, key: Key, wider: bool, trial: Trial) -> None:
        """Give up where the type of a name is another in each trial."""
        self.widened[key] += wider
        if self.widened[key] > MOST_WIDENED:
            change = trial.carries.change(key, trial.heap)
            raise FirstTurnDiffers(f"the type of {called(key_name(key))} does not settle: {change}")

    def _lead_on(self, trial: Trial, changed: Iterable[Key]) -> None:
        """Let names that numbers are moved to be carried as the names that these come from."""

        def is_led(to: Key, source: Key) -> bool:
            return to in self.led or self._is_moved(trial, to, source)

        scope, led = self.interp.scope, set[Key]()
        moves = [((scope, to), (scope, source)) for to, source in self.turns.moves]
        for to, source in led_from(changed, moves, is_led):
            self.hints[to] = self.hints[source]
            led.add(to)
        self.led |= led

    def _is_moved(self, trial: Trial, to: Key, source: Key) -> bool:
        """Return whether a name that was not carried has got what another began the turn with,
        which is to be a number, or none.
        """
        begun, heads = self.base.contents, trial.carries.contents
        if to not in begun or to in self.hints or not kinds_of(self.hints[source][0]):
            return False
        head = heads[source] if source in heads else begun.get(source, ABSENT)
        return same(trial.heap.get(to), head)

    def _are_moved(self, trial: Trial) -> bool:
        """Return whether all names that were led are left as what they were taken to be."""
        ends = [(key, trial.heap.get(key)) for key in self.led]
        return all(
            not same(end, trial.carries.head(key)) and kinds_of(self.hints[key][0]) <= kinds_of(end)
            for key, end in ends
        )

    def _learn_parted(self, trial: Trial) -> bool:
        """Give up that names are one array, where a turn may leave them two."""
        torn = trial.carries.torn(trial.heap)
        self.parted |= torn
        return bool(torn)

    def _learn_layouts(self, trial: Trial) -> bool:
        """Give up that arrays lie as in the turn before, where that was relied on and is not so."""
        carries, layouts = trial.carries, self.interp.layouts
        asked = [carried for carried in carries.arrays() if carried.parameter in layouts]
        if not asked or not self.keep_layouts:
            return False
        with building(Builder()):
            ends = dict(zip(carries.carried, carries.following(trial.heap.copy()), strict=True))
        for slot in asked:
            before, after = layouts[slot.parameter], layout_of(self.interp, ends[slot])
            if met([before, after]).strides != before.strides:
                self.keep_layouts = False
        return not self.keep_layouts

    def _relate_after(self, end: Heap, carries: Carries) -> bool:
        """Take up what is one thing at the head after a turn that fits it; True if that is new."""
        if any(carries.wider(key, end.get(key), end) for key in self.hints):
            return False
        matters = end.written or carries.merged(end)
        found = LoopAliases(carries, end).relations() if matters else {}
        known = len(self.related)
        for pair, first in found.items():
            self.related[pair] = first and self.related.get(pair, True)
        # Which turns a relation is of matters where a trial ends in a conflict: this one did not.
        return len(self.related) > known

    # The loop -------------------------------------------------------------------------------------

    def _sketch(self, trial: Trial) -> bool:
        """Go on as after a loop that makes what its first turn makes; False if that is not told.

        What stands for the loop never gets into the program.
        """
        interp, turns = self.interp, self.turns
        carries = self._carries()
        if trial.always or not carries.are_plain(trial.heap):
            return False
        initial, parameters = carries.initial(), carries.parameters()
        body = Block((carries.index, *parameters), [], parameters)
        condition = None
        if turns.count is None:
            with building(Builder(span=interp.span)) as inner:
                again = constant(True)
            condition = copy_block(Block(body.parameters, inner.nodes, (again,)), {})
        node = emit_loop(self._count(), initial, (), body, condition)
        interp.heap = self.base
        carries.restore(node, trial.heap)
        go_on_from(interp, self.base, False)
        interp.sketches.append(node)
        return True

    def _finish(self, trial: Trial) -> None:
        """Append the loop over the trial's body and go on from its results."""
        interp, carries = self.interp, trial.carries
        test = [] if trial.test is None else trial.test.nodes
        left = settled(interp, [*trial.nodes, *test])
        if left:
            leave_in(interp, trial.nodes, trial.heap)
        with building(Builder(trial.nodes, interp.span)):
            results = carries.following(trial.heap)
        LoopAliases(carries, trial.heap).check(set(uses(Block((), trial.nodes, results))))
        flags = [carries.head(exit_) for exit_ in interp.frame.exits]
        staged = [flag for flag in flags if isinstance(flag, Value)]
        parameters = (trial.index, *carries.parameters())
        body = Block(parameters, trial.nodes, results)
        condition = self._condition(trial, staged, parameters)
        initial = carries.initial()
        node = emit_loop(self._count(), initial, (), body, condition)
        interp.heap = self.base
        carries.restore(node, trial.heap)
        go_on_from(interp, self.base, left)
        if trial.always and not isinstance(interp.heap.get(self.turns.broken), Value):
            self._left_by_an_outer_exit()

    def _left_by_an_outer_exit(self) -> None:
        """``while True`` without ``break``: after it the function has returned, or raised."""
        interp = self.interp
        taken = [e for e in interp.frame.exits if isinstance(interp.heap.get(e), Value)]
        if len(taken) == 1:
            interp.leave(taken[0])

    def _count(self) -> Value | None:
        count, first = self.turns.count, self.turns.first
        if count is None:
            return None
        if isinstance(count, int):
            return constant(count - first)
        return subtract(count, first) if first else count

    def _condition(
        self, trial: Trial, flags: list[Value], parameters: tuple[Value, ...]
    ) -> Block | None:
        if not flags and (trial.test is None or trial.always):
            return None if self.turns.count is not None else self._forever(parameters)
        inner = Builder(span=self.interp.span)
        with building(inner):
            result = _goes_on_while(None if trial.always else trial.test, flags)
        return copy_block(Block(parameters, inner.nodes, (result,)), {})

    def _forever(self, parameters: tuple[Value, ...]) -> Block:
        raise EndlessLoopError(
            "this loop never ends: its condition is always true and nothing leaves it",
            self.interp.span,
            "break, return, or loop over a range",
        )


def _binds(before: Heap, after: Heap, since: int) -> bool:
    """Return whether staging a test changed what was there (a walrus, a write, a counter)."""
    return any(
        not same(before.get(key), content)
        for key, content in after.contents.items()
        if born(key) < since
    )


def _goes_on_while(test: Block | None, flags: list[Value]) -> Value:
    """The loop's condition: no flag is raised, and the test holds."""
    if not flags:
        assert test is not None
        builder().nodes.extend(test.nodes)
        return test.results[0]
    left = flags[0]
    for flag in flags[1:]:
        left = either(left, flag)
    if test is None:
        return not_(left)
    stopped = Builder()
    with building(stopped):
        false = constant(False)
    return emit_cond(left, Block((), stopped.nodes, (false,)), test).result
