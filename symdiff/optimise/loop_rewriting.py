"""One loop within a sweep: carries and tapes that say nothing are left out.

A carry that never changes becomes a capture, one of a derivative that always is another one that
one, a tape of a value that does not change in the loop
that value, a tape of the turn's index the index, a tape that repeats one that is read that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symdiff.ir.build import is_constant
from symdiff.ir.control import LoopView
from symdiff.ir.graph import Block, Node, Value
from symdiff.ops.facts import is_length, made_by, number_of
from symdiff.optimise.equal_carries import equal_carries

if TYPE_CHECKING:
    from symdiff.optimise.rewriting import Rewriter


class LoopRewriting:
    """One loop: its body and condition rewritten, carries and tapes that say nothing left out."""

    def __init__(self, rewriter: Rewriter, node: Node) -> None:
        self.rewriter = rewriter
        self.node = node
        self.view = LoopView(node)
        self.initial = [rewriter.mapped(value) for value in self.view.initial]
        self.xs = [rewriter.mapped(value) for value in self.view.xs]
        every = range(self.view.carry_count)
        self.twins = self._found_twins() if rewriter.control else {}
        self.carries = [k for k in every if k not in self.twins and not self._is_invariant(k)]
        self.elements = [k for k in range(len(self.xs)) if not self._is_known(k)]

    def _is_invariant(self, k: int) -> bool:
        """Return whether a carry goes through the body as it is, or becomes what it started
        from.
        """
        if not self.rewriter.control:
            return False
        carry, following = self.view.carries[k], self.view.next_carries[k]
        unchanged = following is carry or following is self.view.initial[k]
        return unchanged and carry.type == self.initial[k].type

    def _found_twins(self) -> dict[int, int]:
        return equal_carries(self.view, self.initial, self.rewriter.has_derivatives)

    def _is_known(self, k: int) -> bool:
        tape = self.xs[k]
        if tape in self.rewriter.indices:
            return True
        value = self.rewriter.tapes.get(tape)
        return value is not None and value.type == self.view.elements[k].type

    def run(self) -> None:
        node, view, rewriter = self.node, self.view, self.rewriter
        body = self._body()
        blocks = (body,) if view.condition is None else (body, self._condition(view.condition))
        count = () if view.count is None else (rewriter.mapped(view.count),)
        kept = (*(self.initial[k] for k in self.carries), *(self.xs[k] for k in self.elements))
        attributes = {**node.attributes, "carries": len(self.carries)}
        old = (*(view.finals[k] for k in self.carries), *view.ys, view.turns)
        made = rewriter.remade(node, (*count, *kept), blocks, old, attributes)
        rewriter.append(made)
        for before, after in zip(old, made.results, strict=True):
            rewriter.take_for(before, after)
        self._finish(LoopView(made))

    def _body(self) -> Block:
        view, rewriter = self.view, self.rewriter
        rewriter.new_parameters(view.body)
        index = rewriter.mapped(view.index)
        self._replace_invariants(view.carries)
        self._learn_uniform_lists()
        for k, element in enumerate(view.elements):
            if k not in self.elements:
                rewriter.changes("control", "known_tape")
                known = rewriter.tapes.get(self.xs[k], index)
                rewriter.take_for(element, known)
        kept = [view.carries[k] for k in self.carries] + [view.elements[k] for k in self.elements]
        body = rewriter.nested(view.body, (index, *map(rewriter.mapped, kept)))
        following = [body.results[k] for k in self.carries]
        results = (*following, *body.results[view.carry_count :])
        return body if results == body.results else Block(body.parameters, body.nodes, results)

    def _learn_uniform_lists(self) -> None:
        """Cotangents of lists that grew an item a turn, and begin with all items the same."""
        for k in self.carries:
            carry, following = self.view.carries[k], self.view.next_carries[k]
            filled = made_by(self.initial[k], "list_filled")
            popped = made_by(following, "list_pop")
            if filled is None or popped is None or carry.role != "cotangent":
                continue
            if popped.operands[0] is carry and popped.results[0] is following:
                self.rewriter.uniform[self.rewriter.mapped(carry)] = filled.operands[0]

    def _replace_invariants(self, carries: Sequence[Value]) -> None:
        for k, carry in enumerate(carries):
            if k in self.twins:
                self.rewriter.changes("control", "equal_carry")
                self.rewriter.take_for(carry, self.rewriter.mapped(carries[self.twins[k]]))
            elif k not in self.carries:
                self.rewriter.changes("control", "invariant_carry")
                self.rewriter.take_for(carry, self.initial[k])

    def _condition(self, condition: Block) -> Block:
        rewriter = self.rewriter
        rewriter.new_parameters(condition)
        index, *carries = condition.parameters
        self._replace_invariants(carries)
        kept = (index, *(carries[k] for k in self.carries))
        return rewriter.nested(condition, tuple(map(rewriter.mapped, kept)))

    def _finish(self, made: LoopView) -> None:
        """Values for the results that are left out, and what is now known of others."""
        rewriter = self.rewriter
        for k, final in enumerate(self.view.finals):
            if k in self.twins:
                rewriter.take_for(final, rewriter.mapped(self.view.finals[self.twins[k]]))
            elif k not in self.carries:
                rewriter.take_for(final, self.initial[k])
        if not rewriter.control:
            return
        self._learn_tapes(made)
        self._learn_finals(made)
        if made.condition is None and made.count is not None and self._counts_up(made.count):
            if self.node.results[-1] in rewriter.old_uses:
                rewriter.changes("control", "counted_turns")
            rewriter.take_for(self.view.turns, made.count)

    def _learn_finals(self, made: LoopView) -> None:
        """What a carry ends as that becomes the same in each turn, where there is one for sure.

        Of cotangents it is zeros, which the loop has at hand already.
        """
        if not made.has_turns:
            return
        inside = _values_of(made)
        for k, following in zip(self.carries, made.next_carries, strict=True):
            final = self.view.finals[k]
            known = is_constant(following) or following not in inside
            known = known and final.role == "primal"
            if known and following.type == final.type and final in self.rewriter.old_uses:
                self.rewriter.changes("control", "known_final")
                self.rewriter.take_for(final, self._outside(following))

    def _outside(self, value: Value) -> Value:
        """A value of the body that is a constant, or was made before the loop."""
        return self.rewriter.constant(number_of(value)) if is_constant(value) else value

    def _counts_up(self, count: Value) -> bool:
        """Return whether the number of turns is the count as it stands."""
        return is_length(count) and count.type == self.node.results[-1].type

    def _learn_tapes(self, made: LoopView) -> None:
        """Tapes of the turn's index, of what does not change in the loop, of another tape."""
        inside = _values_of(made)
        for tape, pushed in zip(made.ys, made.pushed, strict=True):
            if pushed is made.index:
                self.rewriter.indices.add(tape)
            elif pushed not in inside:
                self.rewriter.tapes[tape] = pushed
            elif pushed in made.elements and made.condition is None:
                self._same_tape(tape, made.xs[made.elements.index(pushed)])

    def _same_tape(self, tape: Value, source: Value) -> None:
        """A tape that repeats one that was read: the next sweep finds it unused."""
        if tape.type != source.type:
            return
        old = next(v for v in self.view.ys if self.rewriter.mapped(v) is tape)
        if old in self.rewriter.old_uses:
            self.rewriter.changes("control", "repeated_tape")
            self.rewriter.take_for(old, source)


def _values_of(view: LoopView) -> set[Value]:
    """The values that a turn defines."""
    made = (value for node in view.body.nodes for value in node.results)
    return {*view.body.parameters, *made}
