"""The reverse sweep over a block: cotangents of operands from cotangents of results, node by node.

The sweep reads primal values wherever they are defined, in nested blocks too: ``residuals`` makes
them available afterwards. Each block of the sweep is paired with the primal block that it
reverses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

from symdiff.dataclass import dataclass
from symdiff.differentiate.activity import Activity, can_carry, flows
from symdiff.differentiate.calls import (
    Calls,
    Request,
    named_after_parameters,
    packed_residuals,
)
from symdiff.differentiate.cases import Choice, choice_of
from symdiff.differentiate.checking import check
from symdiff.differentiate.cotangents import Cotangents, Zeros, as_array_where, fitted, name_after
from symdiff.differentiate.lengths import equal_lengths_named_alike
from symdiff.differentiate.operands import Numbers
from symdiff.differentiate.products import (
    Partial,
    divides_by_number,
    factors_of,
    is_as_long,
    is_chosen_alike,
    over_number,
    partial_of,
    product_of_both,
    product_within,
    scaled,
    settled,
    zero_with,
)
from symdiff.differentiate.refusals import no_rule
from symdiff.differentiate.selection import SELECTING, Selection, State, is_number
from symdiff.differentiate.switches import CHECKING
from symdiff.ir.build import Builder, builder, building, copy_block, marked
from symdiff.ir.control import (
    CALLS,
    LoopView,
    call,
    cond,
    emit_cond,
    emit_loop,
    emit_undefined,
    in_arms,
    loop,
    undefined,
)
from symdiff.ir.graph import Block, GraphCell, Node, Op, Value, walk_blocks, walk_nodes
from symdiff.ir.types import FLOAT, ArrayType, with_sizes_of, with_symbols
from symdiff.ops import residuals
from symdiff.ops.arithmetic import add, multiply, where
from symdiff.ops.casts import conjugate, is_complex
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.effects import enter_context
from symdiff.ops.index import index_set
from symdiff.ops.lists import list_set
from symdiff.ops.reduce import cotangent_by_rule, unbroadcast_to
from symdiff.ops.residuals import PACKED, segment, unpacked
from symdiff.ops.retype import retype
from symdiff.ops.strong import SEEDED, quiet_divide, strong_divide, strong_multiply


@dataclass(frozen=True, slots=True)
class Pair:
    """A block of the sweep and the primal block it reverses, with the nodes that own them."""

    primal: Block
    reverse: Block
    primal_node: Node | None = None
    reverse_node: Node | None = None
    is_again: bool = False  # the primal node is run again, before the other


def _is_function_of_one(node: Node) -> bool:
    op = node.op
    is_elementwise = isinstance(op, DeclaredOp) and op.elementwise
    return is_elementwise and len(node.operands) == 1 and not node.attributes


class Sweep:
    """Builds cotangents with the current builder. ``pairs`` has inner blocks first."""

    def __init__(
        self,
        block: Block,
        activity: Activity,
        selection: Selection,
        zeros: Zeros,
        calls: Calls,
        seeded: Selection | None = None,
    ) -> None:
        """``seeded``: what needs masks where no cotangent of a result is zero."""
        self.block = block
        self.numbers = Numbers(block)
        self.seeded = seeded or selection
        self.activity = activity
        self.selection = selection
        self.zeros = zeros
        self.calls = calls
        self.pairs: list[Pair] = []
        self.is_beside = False  # builds what stands in the block itself, not behind it
        self.checked = CHECKING.is_on()

    def run(self, nodes: Sequence[Node], cotangents: Cotangents) -> None:
        """Go through ``nodes`` backwards, from cotangents of what they define to the others."""
        with self._at_hand(nodes), equal_lengths_named_alike(nodes):
            for node in reversed(nodes):
                if any(value in cotangents for value in node.results):
                    with marked(node.span, "cotangent"):
                        _REVERSED.get(node.op, Sweep.operation)(self, node, cotangents)

    @contextmanager
    def _at_hand(self, nodes: Sequence[Node]) -> Iterator[None]:
        """Take what a rule would compute anew from the primal, where that has it: ``exp(x)`` of
        ``x``.

        It is saved once, or computed again once, for all that need it. What stands beside the
        primal cannot read what comes later in it.
        """
        computed = {
            (node.op, *node.operands): node for node in reversed(nodes) if _is_function_of_one(node)
        }
        current = builder()
        before = current.after

        def known(node: Node) -> Node:
            is_sought = not self.is_beside and _is_function_of_one(node)
            primal = computed.get((node.op, *node.operands)) if is_sought else None
            if primal is None:
                return node if before is None else before(node)
            assert builder().nodes.pop() is node
            return primal

        current.after = known
        try:
            yield
        finally:
            current.after = before

    def is_active(self, value: Value) -> bool:
        return value in self.activity.active

    # An op with rules

    def operation(self, node: Node, cotangents: Cotangents) -> None:
        bars, choice = self._taken(node, cotangents)
        op = node.op
        if not isinstance(op, DeclaredOp):
            return
        active = [k for k in _in_order(node) if flows(node, k) and self.is_active(node.operands[k])]
        first = len(builder().nodes)
        at_once = self.shares(node, op, active, bars) if op.pullback is not None else None
        chosen: dict[Value, tuple[Value, Choice | None]] = {}
        for position in active:
            operand = node.operands[position]
            first = first if at_once is not None else len(builder().nodes)
            made = self._chosen(node, position, bars[0], choice)
            if made is not None:  # of ``x * x`` both shares together, before they meet others
                before = chosen.get(operand)
                chosen[operand] = made if before is None else (add(before[0], made[0]), made[1])
                continue
            known = _settled(bars, choice)
            share = (
                self.share(node, op, position, known) if at_once is None else at_once.get(position)
            )
            if share is not None and not op.elementwise:
                share = self._with_zeros(node, operand, share, known, builder().nodes[first:])
            if self.checked and share is not None:
                check(node, position, share, known)
            cotangents.add(operand, share)
        for operand, made in chosen.items():
            cotangents.add(operand, *made)

    def _with_zeros(
        self,
        node: Node,
        operand: Value,
        share: Value,
        bars: Sequence[Value | None],
        made: Sequence[Node],
    ) -> Value:
        """What a rule gave, 0 where that comes from cotangents that are 0 as others were selected,
        and is more than a sum of these. ``made`` has the rule's nodes.
        """
        given = [(y, bar) for y, bar in zip(node.results, bars, strict=True) if bar is not None]
        kinds = {self.selection.zeros_of(node, y) for y, _ in given}
        numbers = [bar for _, bar in given if _is_of_numbers(bar)]
        if None in kinds or len(numbers) < len(given) or not _is_of_numbers(share):
            return share
        factors = factors_of(share, numbers, set(made))
        if not any(self.selection.may_be_infinite(node, value) for value in factors):
            return share
        return zero_with(numbers, share, node if kinds == {"each"} else None)

    # Elementwise runs behind a ``where``

    def _taken(
        self, node: Node, cotangents: Cotangents
    ) -> tuple[list[Value | None], Choice | None]:
        """The cotangents of a node's results, and what was chosen of that of a plain function."""
        if _is_plain(node):
            bar, choice = cotangents.take_chosen(node.result)
            return [bar], choice
        return [cotangents.take(value) for value in node.results], None

    def _chosen(
        self, node: Node, position: int, bar: Value | None, choice: Choice | None
    ) -> tuple[Value, Choice | None] | None:
        """What flows into an operand if the cotangent has a meaning only where something was
        chosen: with the choice where the operand is as long as the result.
        """
        operand = node.operands[position]
        if self.checked or bar is None or len(node.results) > 1:
            return None
        is_long = is_as_long(operand, node.result, bar)
        if not is_long and (choice is None or not _is_number_of(operand, bar)):
            return None
        if node.op is where:
            if not self.selection.may_begin_run(node.result):
                return None
            condition, *others = node.operands
            chosen = choice_of(condition, position == 1)
            if others[0] is not others[1] and is_chosen_alike(node.result, chosen):
                return bar, chosen
        elif choice is not None:
            assert isinstance(node.op, DeclaredOp)
            partial = partial_of(node, node.op, position, self.numbers)
            if partial is not None:
                made = self._product_within(node, bar, partial, choice)
                if not is_long:
                    made, choice = settled(made, choice), None
                return unbroadcast_to(made, operand), choice
        return None

    def _product_within(self, node: Node, bar: Value, partial: Partial, choice: Choice) -> Value:
        if isinstance(partial, Value) and is_complex(partial):
            partial = conjugate(partial)
        may_blow_up = self.selection.may_blow_up(node, partial)
        return product_within(choice, bar, partial, may_blow_up, node.operands)

    def shares(
        self, node: Node, op: DeclaredOp, active: Sequence[int], bars: Sequence[Value | None]
    ) -> Mapping[int, Value]:
        """What flows into all operands, of an op that tells it at once."""
        assert op.pullback is not None
        arrays = tuple(map(as_array_where, node.results, bars))
        g, y = (arrays[0], node.results[0]) if len(bars) == 1 else (arrays, node.results)
        operands = self.numbers.operands(node, op)
        found: Mapping[int, Value] = op.pullback(g, y, active, *operands, **node.attributes)
        return found

    def share(
        self, node: Node, op: DeclaredOp, position: int, bars: Sequence[Value | None]
    ) -> Value | None:
        """What flows into an operand, with the operand's shape and dtype."""
        operand = node.operands[position]
        if op.partials is not None:
            (bar,) = bars
            assert bar is not None
            partial = partial_of(node, op, position, self.numbers)
            return None if partial is None else self.product(node, position, bar, partial)
        if op.rule("vjp", position) is None:
            raise no_rule(node, operand)
        arrays = tuple(map(as_array_where, node.results, bars))
        g, y = (arrays[0], node.results[0]) if len(bars) == 1 else (arrays, node.results)
        operands = self.numbers.operands(node, op)
        return cotangent_by_rule(op, position, g, y, *operands, **node.attributes)  # type: ignore[no-any-return]

    def product(self, node: Node, position: int, bar: Value, partial: Partial) -> Value:
        assert isinstance(node.op, DeclaredOp)
        masked = isinstance(partial, Value) and self.selection.needs_mask(node, partial)
        rule = node.op.rule("vjp", position)
        wins = self.selection.wins_beside(node, position)
        if rule is not None and (not masked or node.op.is_strong(node)):
            made = rule(bar, node.result, *self.numbers.operands(node, node.op))
            return unbroadcast_to(made, node.operands[position])
        if masked and divides_by_number(node, position, bar):
            return unbroadcast_to(over_number(node, bar), node.operands[position])
        if isinstance(partial, Value) and is_complex(partial):
            partial = conjugate(partial)
        if isinstance(partial, Value):
            unbounded = node.op is multiply and self.selection.is_unbounded(node, partial)
            if wins or (unbounded and masked):
                return unbroadcast_to(product_of_both(bar, partial), node.operands[position])
            if unbounded:
                return unbroadcast_to(strong_multiply(partial, bar), node.operands[position])
        quiet = node.op in (strong_divide, quiet_divide)  # by a where, or a branch, before
        seeded = masked and self._is_seeded(node, partial)
        made = scaled(node, position, bar, partial, masked, quiet, node.operands, seeded)
        return unbroadcast_to(made, node.operands[position])

    def _is_seeded(self, node: Node, partial: Partial) -> bool:
        """Return whether a product of numbers needs a mask only where a result's cotangent is 0."""
        assert isinstance(partial, Value)
        return is_number(node.result) and not self.seeded.needs_mask(node, partial)

    # Loops

    def loop(self, node: Node, cotangents: Cotangents) -> None:
        """A counted loop running the other way; adjoints of what the body captures are carries.

        None where tangents of what the loop leaves are computed in its own turns.
        """
        view = LoopView(node)
        if not is_segment(view) and self._is_preaccumulated(node, cotangents):
            return
        is_again = is_segment(view)
        blocks = tuple(copy_block(block, {}) for block in node.blocks) if is_again else ()
        reverse = _ReverseLoop(self, view, cotangents)
        body = reverse.body()
        initial = reverse.started()
        if is_again:
            self._run_again(node, blocks)
        count = view.turns if view.condition is not None or view.count is None else view.count
        made = emit_loop(count, initial, reverse.tapes, body, reverse=not view.reverse)
        self.pairs.append(Pair(view.body, body, node, made, is_again))
        reverse.distribute(LoopView(made), cotangents)

    def _is_preaccumulated(self, node: Node, cotangents: Cotangents) -> bool:
        """Have a loop compute what it leaves differentiated by the one number that it depends on,
        where it depends on one, and multiply; whether that is done.
        """
        if not _may_be_of_one(self.activity.sources(node)) or self._has_contexts:
            return False
        from symdiff.differentiate.preaccumulation import preaccumulated

        finals = [value for value in node.results if value in cotangents]
        if any(map(self.selection.may_warn_behind, finals)):
            return False
        self.is_beside = True
        found = preaccumulated(node, finals, self.activity, self.calls, self.zeros)
        self.is_beside = False
        if found is None:
            return False
        source, partials = found
        for value in finals:
            bar = cotangents.take(value)
            if bar is not None and value in partials:
                cotangents.add(source, self._behind(node, value, bar, partials[value], source))
        return True

    def _behind(self, node: Node, value: Value, bar: Value, partial: Value, source: Value) -> Value:
        """What flows into the number that a result of a loop has the derivative ``partial`` by."""
        masked = self.selection.needs_mask_behind(value)
        seeded = masked and is_number(value) and not self.seeded.needs_mask_behind(value)
        made = scaled(node, 0, bar, partial, masked, False, (), seeded)
        return unbroadcast_to(made, source)

    @cached_property
    def _has_contexts(self) -> bool:
        """Whether the function has ``with``: perhaps it says what raises."""
        return any(node.op is enter_context for node in walk_nodes(self.block))

    def _run_again(self, node: Node, blocks: tuple[Block, ...]) -> None:
        """Put a copy with these blocks in the place of a loop, which is to be run again itself: all
        that the sweep reads of its body is what it computes then.
        """
        outer = self.activity.homes.home[node.results[-1]]
        copied = Node(
            node.op, node.operands, dict(node.attributes), blocks, node.results, node.span
        )
        outer.nodes[outer.nodes.index(node)] = copied
        for value in node.results:
            value.node = copied
        node.results = tuple(Value(v.type, node, v.name, v.role) for v in node.results)

    # Branches

    def cond(self, node: Node, cotangents: Cotangents) -> None:
        """A branch by the same predicate; each arm adds to the cotangents of what it captures."""
        captured = self.activity.captures(node)
        before = {value: cotangents.peek(value) for value in captured}
        bars = [cotangents.take(value) for value in node.results]
        arms = tuple(self._arm(block, bars, before) for block in node.blocks)
        made = emit_cond(node.operands[0], *arms)
        for primal, reverse in zip(node.blocks, arms, strict=True):
            self.pairs.append(Pair(primal, reverse, node, made))
        for value, result in zip(captured, made.results, strict=True):
            result.name = value.name
            cotangents.set(value, result)

    def _arm(
        self, block: Block, bars: Sequence[Value | None], before: dict[Value, Value | None]
    ) -> Block:
        with building(Builder([], builder().span)) as inner:
            inner.role = "cotangent"
            cotangents = Cotangents(self.zeros.partial)
            for value, bar in before.items():
                if bar is not None:
                    cotangents.set(value, bar)
            for value, bar in zip(block.results, bars, strict=True):
                if bar is not None and self.is_active(value):
                    cotangents.add(value, bar)
            self.run(block.nodes, cotangents)
            results = self.finished(before, cotangents)
        return Block((), inner.nodes, tuple(results))

    def finished(self, values: Iterable[Value], cotangents: Cotangents) -> list[Value]:
        """The cotangents of values at the edge of a block, of exactly their types."""
        return [self._finished(value, cotangents.take(value)) for value in values]

    def _finished(self, value: Value, cotangent: Value | None) -> Value:
        if cotangent is None:
            return self.zeros.of(value)
        return name_after(fitted(cotangent, value), value)

    # Calls

    def call(self, node: Node, cotangents: Cotangents) -> None:
        """The primal call becomes one that hands out its residuals; another call goes back."""
        request = self._request(node)
        forward, backward = self.calls.halves(request)
        bars = self.finished([node.results[k] for k in request.of], cotangents)
        packed = packed_residuals(node)
        types = (*node.attributes["types"], PACKED)
        node.attributes = {**node.attributes, "callee": forward, "types": types}
        node.results = (*node.results, packed)
        operands = [node.operands[k] for k in request.wrt]
        attributes = {"callee": backward, "types": tuple(value.type for value in operands)}
        if all(self._is_whole(node.results[k]) for k in request.of):
            attributes[SEEDED] = True
        made = builder().emit(call, (packed, *bars), attributes)
        named_after_parameters(request, node, made)
        for operand, result in zip(operands, made.results, strict=True):
            cotangents.add(operand, result)

    def _is_whole(self, result: Value) -> bool:
        """Return whether a cotangent is zero only where that of a result of the graph is."""
        states = (self.selection.state[result], self.seeded.state[result])
        return states[0] is not State.DENSE and states[1] is State.DENSE

    def _request(self, node: Node) -> Request:
        callee: GraphCell = node.attributes["callee"]
        pairs = [
            (k, place)
            for k, place in self.calls.dependencies.of(callee)
            if self.is_active(node.operands[k]) and self.is_active(node.results[place])
        ]
        of = tuple(sorted({place for _, place in pairs}))
        states = tuple(self.selection.state[node.results[place]] for place in of)
        return Request(callee, tuple(sorted({k for k, _ in pairs})), of, states)

    # Packed residuals

    def pack(self, node: Node, cotangents: Cotangents) -> None:
        bar = cotangents.take(node.result)
        assert bar is not None
        entries = unpacked(bar, [value.type for value in node.operands])
        for value, entry in zip(node.operands, entries, strict=True):
            if self.is_active(value):
                cotangents.add(value, entry)

    def unpack(self, node: Node, cotangents: Cotangents) -> None:
        entries = [
            self._finished(value, cotangents.take(value))
            if can_carry(value.type)
            else emit_undefined(value.type)
            for value in node.results
        ]
        cotangents.add(node.operands[0], residuals.pack(*entries))


def is_segment(view: LoopView) -> bool:
    """Return whether the turns of a loop are run again in the backward sweep, not saved."""
    return view.count is not None and view.count.node is not None and view.count.node.op is segment


def place_again(pairs: Iterable[Pair], reverse: Block) -> None:
    """Put each loop that is run again before the one that reverses it."""
    again = {pair.reverse_node: pair.primal_node for pair in pairs if pair.is_again}
    for block in walk_blocks(reverse) if again else ():
        placed: list[Node] = []
        for node in block.nodes:
            primal = again.get(node)
            placed += [node] if primal is None else [primal, node]
        block.nodes[:] = placed


class _ReverseLoop:
    """The parts of the loop that reverses a loop."""

    def __init__(self, sweep: Sweep, view: LoopView, cotangents: Cotangents) -> None:
        self.sweep, self.view = sweep, view
        self.carries, self.elements, _ = view.numbers_where(sweep.is_active)
        self.captured = sweep.activity.captures(view.node)
        started = [*(view.carries[k] for k in self.carries), *self.captured]
        bars = sweep.finished(self.carried_finals, cotangents)
        bars += [
            sweep.zeros.of(v) if (b := cotangents.peek(v)) is None else fitted(b, v)
            for v in self.captured
        ]
        self.initial = bars
        self.parameters = [Value(v.type, None, v.name, "cotangent") for v in started]
        self._rename_sizes()
        self.pushed = [
            (value, tape)
            for value, ys in zip(view.pushed, view.ys, strict=True)
            for tape in cotangents.take_tapes(ys)
            if sweep.is_active(value)
        ]
        self.tapes = [tape for _, tape in self.pushed]
        self.strong: set[Value] = set()  # captured Python numbers to which NumPy's are added

    def _rename_sizes(self) -> None:
        """Give sizes that vary by turn other names in cotangents: theirs are those of a turn's end.

        In the body a size of a carry is that of the turn's beginning, behind the loop the last.
        """
        parameters = self.parameters[: len(self.carries)]
        ends = {symbol: f"end(%{self.view.index.number},{symbol})" for symbol in self.view.varying}
        for parameter in parameters:
            parameter.type = with_symbols(parameter.type, ends)

    def started(self) -> list[Value]:
        """What the carries start from."""
        values = [*self.carried_finals, *self.captured]
        return [
            retype(bar, type=STRONG) if value in self.strong else bar
            for value, bar in zip(values, self.initial, strict=True)
        ]

    @property
    def carried_finals(self) -> list[Value]:
        return [self.view.finals[k] for k in self.carries]

    def body(self) -> Block:
        view, sweep = self.view, self.sweep
        index = Value(view.index.type, None, view.index.name)
        pushed = [Value(v.type, None, v.name, "cotangent") for v, _ in self.pushed]
        with building(Builder([], view.node.span)) as inner:
            inner.role = "cotangent"
            cotangents = Cotangents(sweep.zeros.partial)
            count = len(self.carries)
            for value, bar in zip(self.captured, self.parameters[count:], strict=True):
                cotangents.set(value, bar)
            for k, bar in zip(self.carries, self.parameters[:count], strict=True):
                if sweep.is_active(view.next_carries[k]):
                    cotangents.add(view.next_carries[k], bar)
            for (value, _), bar in zip(self.pushed, pushed, strict=True):
                cotangents.add(value, bar)
            sweep.run(view.body.nodes, cotangents)
            results = self._results(cotangents)
        return Block((index, *self.parameters, *pushed), inner.nodes, tuple(results))

    def _results(self, cotangents: Cotangents) -> list[Value]:
        view = self.view
        carries = [view.carries[k] for k in self.carries]
        elements = [view.elements[k] for k in self.elements]
        results = self.sweep.finished(carries, cotangents)
        for value, parameter in zip(self.captured, self.parameters[len(carries) :], strict=True):
            bar = cotangents.peek(value)
            if bar is not None and promote_carry(parameter, bar):
                self.strong.add(value)
                results.append(name_after(bar, value))
            else:
                results += self.sweep.finished([value], cotangents)
        return results + self.sweep.finished(elements, cotangents)

    def distribute(self, made: LoopView, cotangents: Cotangents) -> None:
        """Hand the results to what the loop captured first, then to what it started from."""
        view, count = self.view, len(self.carries)
        for value, result in zip(self.captured, made.finals[count:], strict=True):
            result.name = value.name
            cotangents.set(value, result)
        for k, result in zip(self.carries, made.finals[:count], strict=True):
            result.name = view.carries[k].name
            result.type = with_sizes_of(view.initial[k].type, result.type)
            if self.sweep.is_active(view.initial[k]):
                cotangents.add(view.initial[k], result)
        for k, result in zip(self.elements, made.ys, strict=True):
            cotangents.add(view.xs[k], result)


STRONG = ArrayType(FLOAT.dtype, (), "scalar")


def promote_carry(carry: Value, following: Value) -> bool:
    """Make a carry NumPy's float64 where a turn only adds such numbers to it; False where not.

    The sums become float64 as well; the result is cast once, behind the loop.
    """
    if carry.type != FLOAT or following.type != STRONG:
        return False
    sums: list[Value] = []
    pending = [following]
    while pending:
        value = pending.pop()
        if value is carry:
            continue
        sources = _added_to(value)
        if sources is None:
            return False
        sums.append(value)
        pending += sources
    for value in (*sums, carry):
        value.type = STRONG
    return True


def _added_to(value: Value) -> list[Value] | None:
    """What a sum, a branch or a loop has made a number from by adding to it."""
    node = value.node
    if node is None or value.type not in (FLOAT, STRONG):
        return None
    if node.op is cond:
        return list(in_arms(value))
    if node.op is loop:
        view = LoopView(node)
        strong = value.type == STRONG and value in view.finals
        return [view.initial[view.finals.index(value)]] if strong else None
    if node.op in (add, retype) and all(v.type in (FLOAT, STRONG) for v in node.operands):
        return [node.operands[0]]
    return None


def _in_order(node: Node) -> Iterable[int]:
    """Operands in order; the base of a write last: its cotangent is zeroed in the region."""
    positions = range(len(node.operands))
    return positions[::-1] if node.op in (index_set, list_set) else positions


def _is_plain(node: Node) -> bool:
    """Return whether a node is elementwise by its partials, with no zeros that are to win."""
    op = node.op
    if not isinstance(op, DeclaredOp) or op in SELECTING or op.is_strong(node):
        return False
    return op.elementwise and op.pullback is None


def _settled(bars: Sequence[Value | None], choice: Choice | None) -> Sequence[Value | None]:
    if choice is None:
        return bars
    return [None if bar is None else settled(bar, choice) for bar in bars]


def _is_of_numbers(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.differentiable


def _may_be_of_one(sources: Collection[Value]) -> bool:
    """Return whether a few real numbers, or arrays of one shape, are all that a loop depends on."""
    shapes = {value.type.shape if _is_real(value) else None for value in sources}  # type: ignore[union-attr]
    return len(sources) <= 4 and len(shapes) == 1 and None not in shapes


def _is_real(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype.kind == "f"


def _is_number_of(operand: Value, bar: Value) -> bool:
    """Return whether an operand is a real number beside a cotangent of its dtype."""
    kinds = operand.type, bar.type
    if not all(isinstance(type_, ArrayType) for type_ in kinds) or not is_number(operand):
        return False
    return not is_complex(operand) and not is_complex(bar)


def _nothing(sweep: Sweep, node: Node, cotangents: Cotangents) -> None:
    return None


_REVERSED: dict[Op, Callable[[Sweep, Node, Cotangents], None]] = {
    undefined: _nothing,
    **dict.fromkeys(CALLS, Sweep.call),
    cond: Sweep.cond,
    loop: Sweep.loop,
    residuals.pack: Sweep.pack,
    residuals.unpack: Sweep.unpack,
}
