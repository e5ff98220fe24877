"""A checkpoint rolls back what an attempt has staged, and only for the failures that it names."""

from __future__ import annotations

import pytest

from symdiff.ir.build import builder, building
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.heap import constant
from symdiff.parse.interpreter import Frame, Interpreter
from symdiff.parse.values import FirstTurnDiffers, ListRef, Scope, Unjoinable


def attempt(interp: Interpreter, ref: ListRef, error: Exception) -> None:
    """Change all that a checkpoint keeps, and fail."""
    predicate = constant(True)
    interp.put(ref, (1, predicate))
    interp.predicates.append(predicate)
    interp.frames.append(Frame(Scope("", frozenset(), None, {}), None, None))
    raise error


def test_an_attempt_that_fails_leaves_nothing_behind() -> None:
    interp, ref, failure = Interpreter(), ListRef(), FirstTurnDiffers("it grows")
    with building(interp.entry):
        kept = constant(1.0)
        interp.put(ref, (kept,))
        with Checkpoint(interp, FirstTurnDiffers) as start:
            attempt(interp, ref, failure)
        assert start.failure is failure
        assert interp.content(ref) == (kept,)
        assert builder().nodes == [kept.node]
        assert not interp.frames
        assert not interp.predicates


def test_other_failures_pass_and_keep_what_was_staged() -> None:
    interp, ref = Interpreter(), ListRef()
    with building(interp.entry):
        with pytest.raises(Unjoinable), Checkpoint(interp, FirstTurnDiffers):
            attempt(interp, ref, Unjoinable("a list and a number"))
        assert len(interp.entry.nodes) == 1
        assert len(interp.frames) == 1


def test_a_failure_may_be_judged_before_it_is_caught() -> None:
    interp, ref = Interpreter(), ListRef()
    judged: list[str] = []

    def is_first(failure: FirstTurnDiffers) -> bool:
        judged.append(failure.reason)
        return failure.reason == "first"

    with building(interp.entry):
        with Checkpoint(interp, FirstTurnDiffers, when=is_first) as start:
            attempt(interp, ref, FirstTurnDiffers("first"))
        assert start.failure.reason == "first"
        with (
            pytest.raises(FirstTurnDiffers, match="second"),
            Checkpoint(interp, FirstTurnDiffers, when=is_first),
        ):
            attempt(interp, ref, FirstTurnDiffers("second"))
    assert judged == ["first", "second"]
