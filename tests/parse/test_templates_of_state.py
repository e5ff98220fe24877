"""What functions write to what stands outside, others see, and so does the caller, in each call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedSyntaxError
from symdiff.parse import writeback
from tests import reference
from tests.parse.test_templates import fresh
from tests.programs import state_in_callees as outside

ARGS = ((0.62, 1.17), (0.83, 0.55))


def started(function: Callable[..., float]) -> Callable[..., float]:
    """A function that begins with the same state each time."""

    def run(*args: float) -> float:
        outside.restart(0.4)
        return function(*args)

    return run


@pytest.mark.usefixtures("copied")
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
@pytest.mark.parametrize("function", outside.PROGRAMS)
def test_derivatives_and_what_is_left_behind(function: Callable[..., float]) -> None:
    gradient = sd.grad(fresh(function), argnums=(0, 1))
    tangent = sd.differentiable(fresh(function)).jvp
    for args in ARGS:
        expected = [
            float(reference.directional(started(function), args, along).value)
            for along in ((1.0, 0.0), (0.0, 1.0))
        ]
        started(function)(*args)
        left = outside.state()
        outside.restart(0.4)
        np.testing.assert_allclose(gradient(*args), expected, rtol=1e-7, atol=1e-8)
        assert outside.state() == left
        outside.restart(0.4)
        _, found = tangent(args, (0.5, -1.0))
        wanted = 0.5 * expected[0] - expected[1]
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8)
        assert outside.state() == left


@pytest.mark.usefixtures("copied")
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")
@pytest.mark.parametrize("function", outside.PROGRAMS)
def test_second_derivatives(function: Callable[..., float]) -> None:
    u, v = (1.0, -0.4), (0.3, 0.8)
    expected = reference.second_directional(started(function), ARGS[0], u, v).value
    outside.restart(0.4)
    made = sd.differentiable(fresh(function))
    _, product = sd.jvp(sd.grad(made, argnums=(0, 1)), ARGS[0], u)
    np.testing.assert_allclose(np.dot(product, v), expected, rtol=1e-5, atol=1e-6)


def raised_further(x: float, y: float) -> float:
    """What calls have written before one of them raises is there for the caller."""
    outside.adds(x)
    found = outside.raises_behind(0.5 * x) + outside.raises_behind(0.4)
    outside.adds(y)
    found += outside.follows(x) + outside.raises_behind(y) + outside.enters_twice(y)
    return found + outside.counted(x) + math.sqrt(x - y) * outside.raises_behind(0.3 * x)


@pytest.mark.usefixtures("copied")
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")
def test_what_was_written_before_a_call_raises() -> None:
    gradient = sd.grad(fresh(raised_further), argnums=(0, 1))
    for args in ((0.7, 0.5), (0.6, 0.95), (1.9, 0.5), (0.3, 0.6)):
        outside.restart(0.4)
        try:
            raised_further(*args)
        except ValueError as error:
            said: str | None = str(error)
        else:
            said = None
        left = outside.state()
        outside.restart(0.4)
        if said is None:
            gradient(*args)
        else:
            with pytest.raises(ValueError) as raised:
                gradient(*args)
            assert str(raised.value) == said
        assert outside.state() == left


@pytest.mark.usefixtures("copied")
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")
def test_numbers_are_written_in_arms_where_that_is_refused_behind_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def apart(interp: Any, *arms: Any) -> bool:
        made = grow_apart(interp, *arms)
        if interp.policy.behind_arms and not interp.policy.in_arms:
            refused.append(1)
            raise UnsupportedSyntaxError("what is written differs between two paths", interp.span)
        return made

    grow_apart, refused = writeback._grow_apart, list[int]()
    monkeypatch.setattr(writeback, "_grow_apart", apart)
    for function in outside.PROGRAMS:
        outside.restart(0.4)
        found = sd.grad(fresh(function), argnums=(0, 1))(*ARGS[0])
        expected = [
            float(reference.directional(started(function), ARGS[0], along).value)
            for along in ((1.0, 0.0), (0.0, 1.0))
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)
    assert refused
