"""The cheapest set of values to save, against a search of all sets; prices of any size."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

import symdiff
from symdiff.differentiate.cut import Offer, choose


def _random_offers(numbers: random.Random, scale: int) -> dict[int, Offer]:
    """Values, each made of earlier ones or of none."""
    offers = {}
    for value in range(numbers.randint(1, 8)):
        operands = tuple(k for k in range(value) if numbers.random() < 0.4)
        again = numbers.randint(0, 9) * scale if numbers.random() < 0.7 else None
        offers[value] = Offer(numbers.randint(1, 9) * scale, again, operands if again else ())
    return offers


def _ways(offers: Mapping[int, Offer], needed: Sequence[int]) -> Iterator[int]:
    """The price of each choice that gives all that is needed."""
    for how in itertools.product("snr", repeat=len(offers)):
        price, fits = 0, all(how[value] != "n" for value in needed)
        for value, offer in offers.items():
            if how[value] == "s":
                price += offer.save
            elif how[value] == "r":
                fits &= offer.recompute is not None
                fits &= all(how[operand] != "n" for operand in offer.operands)
                price += offer.recompute or 0
        if fits:
            yield price


@pytest.mark.parametrize("scale", [1, 10**30])
@pytest.mark.parametrize("seed", range(40))
def test_the_choice_is_complete_and_the_cheapest(seed: int, scale: int) -> None:
    numbers = random.Random(seed)
    offers = _random_offers(numbers, scale)
    needed = [value for value in offers if numbers.random() < 0.5]
    saved, again = choose(offers, needed)
    assert saved.isdisjoint(again)
    assert saved | again >= set(needed)
    assert all(saved | again >= set(offers[value].operands) for value in again)
    price = sum(offers[v].save for v in saved) + sum(offers[v].recompute or 0 for v in again)
    assert price == min(_ways(offers, needed))


def _deep(x: np.ndarray, turns: int) -> float:
    """Loops in loops, the innermost of which keeps whole arrays."""
    for _ in range(turns):
        for _ in range(turns):
            for _ in range(turns):
                for _ in range(turns):
                    for _ in range(turns):
                        x = np.sin(np.cos(x) @ x.T + x)
    return np.sum(x)


def test_arrays_are_saved_in_loops_of_any_depth() -> None:
    x, u = np.array([[0.1, -0.3], [0.7, 0.2]]), np.array([[0.4, -0.2], [0.1, 0.5]])
    value, saved = symdiff.differentiable(_deep).forward(x, 2)
    slope = np.sum(u * symdiff.differentiable(_deep).backward(saved)[0])
    assert value == _deep(x, 2)
    np.testing.assert_allclose(slope, _deep(x + 1e-30j * u, 2).imag / 1e-30, rtol=1e-12)
