"""Lists in which keys are looked for remember where their items stand, as a dict does."""

import math
import random
import time
from collections import OrderedDict

import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.support import list_of_keys, place_in
from tests import reference


def memo(x, keys):
    held = {}
    total = 0.0
    for k in keys:
        if k not in held:
            held[k] = math.sin(x * k)
        total += held[k] * x
    return total


def of_pairs(x, keys):
    held = {}
    for k in keys:
        held[k, -k] = held.get((k, -k), x) * x + 0.1 * k
    return x + sum(held.values())


def of_floats(x, keys):
    held = {}
    for k in keys:
        held[0.5 * k] = held.get(0.5 * k, 0.0) + x * x * k
    return x + sum([key * value for key, value in held.items()])


def of_texts(x, keys):
    held = {}
    for k in keys:
        name = f"k{k}"
        held[name] = held.get(name, x) * x
    return x + sum(held.values()) * len(held)


def bounded(x, keys):
    """The oldest of three is forgotten."""
    held = OrderedDict()
    total = 0.0
    for k in keys:
        if k in held:
            held.move_to_end(k)
        else:
            held[k] = x * x * k
            if len(held) > 3:
                total += held.popitem(last=False)[1] * x
        total += held[k]
    return total


def stack(x, keys):
    """What was put in last is taken out, and other keys come in its place."""
    held = {}
    total = 0.0
    for k in keys:
        if k in held:
            total += held.popitem()[1] * x
        held[k] = held.get(k, 0.0) + x * k
        if k % 3 == 0:
            held.pop(k)
    return total + sum(held.values())


def given_back(x, keys):
    held = {}
    for k in keys:
        held[k] = held.get(k, 0.0) + x * x
    return list(held), sum(held.values())


def plain_list(x, keys):
    """A list of floats is looked through by equality: an integer is found there, too."""
    seen = [1.5]
    total = x
    for k in keys:
        if k * 0.5 not in seen:
            seen.append(k * 0.5)
        total = total * x + seen.index(k * 0.5)
    return total


KEYS = np.array([4, 1, 4, 3, 1, 7, 4, 9, 3, 4, 6, 6, 1])
PROGRAMS = [memo, of_pairs, of_floats, of_texts, bounded, stack, plain_list]


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("keys", [KEYS, KEYS[:0], KEYS[:1]])
def test_derivatives_by_what_is_kept_under_keys(function, keys, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    x = 0.7
    estimate = reference.directional(lambda v: float(function(v, keys)), (x,), (1.0,)).value
    gradient = sd.grad(function)
    for _ in range(2):
        np.testing.assert_allclose(gradient(x, keys), estimate, rtol=1e-8)
    _, tangent = sd.jvp(function, (x, keys), (1.0, None))
    np.testing.assert_allclose(tangent, estimate, rtol=1e-8)
    step = 1e-5
    second = (gradient(x + step, keys) - gradient(x - step, keys)) / (2 * step)
    np.testing.assert_allclose(sd.grad(gradient)(x, keys), second, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("function", [memo, of_pairs, of_floats, of_texts, stack, plain_list])
def test_the_source_says_that_places_are_remembered(function):
    assert "list_of_keys(" in sd.grad(function).source(0.7, KEYS)


def test_what_is_given_back_is_a_list_as_python_has_it():
    keys, total = sd.differentiable(given_back).forward(0.7, KEYS)[0]
    assert type(keys) is list
    assert (keys, total) == given_back(0.7, KEYS)


@pytest.mark.parametrize("function", [memo, of_pairs])
def test_as_many_keys_as_there_are_turns_take_a_time_linear_in_them(function, monkeypatch):
    monkeypatch.delenv("SYMDIFF_VERIFY", raising=False)
    gradient = sd.grad(function)

    def seconds(n):
        keys = np.arange(n) * 7919 % n
        times = []
        for _ in range(3):
            start = time.process_time()
            gradient(0.1, keys)
            times.append(time.process_time() - start)
        return min(times)

    gradient(0.1, KEYS)
    assert seconds(16_000) < 30 * seconds(2_000)


@pytest.mark.parametrize("seed", range(20))
def test_places_are_those_that_looking_through_the_list_finds(seed):
    draws = random.Random(seed)
    nan = math.nan
    keys, plain = list_of_keys(5, 2), [5, 2]
    for _ in range(200):
        key = draws.choice([draws.randrange(8), draws.randrange(8) * 0.5, "a", True, nan, (1, 2)])
        step = draws.randrange(9)
        if step < 3:
            keys.append(key), plain.append(key)
        elif step == 3 and plain:
            assert keys.pop() is plain.pop()
        elif step == 4 and plain:
            place = draws.randrange(len(plain))
            assert keys.pop(place) is plain.pop(place)
        elif step == 5:
            place = draws.randrange(len(plain) + 1)
            keys.insert(place, key), plain.insert(place, key)
        elif step == 6 and plain:
            keys[-1] = plain[-1] = key
        elif step == 7 and plain:
            del keys[0], plain[0]
        assert place_in(key, keys) == (plain.index(key) if key in plain else -1)
    assert keys == plain
