"""Variables and attributes of the user's, set on some paths only: to what, and whether it stays
the same object.
"""

import copy

import numpy as np
import pytest

import symdiff

HISTORY = [1.0]
SECOND = [2.0]


class Holder:
    def __init__(self):
        self.h = [1.0]
        self.other = [5.0]


HOLDER = Holder()


def is_rebound_to_another(x, k):
    global HISTORY
    if k > x:
        HISTORY = SECOND
    return x * HISTORY[0]


def starts_anew(x, k):
    global HISTORY
    if k > x:
        HISTORY = []
    HISTORY.append(x)
    return x * len(HISTORY)


def is_rebound_to_nothing(x, k):
    global HISTORY
    HISTORY = [x]
    if k > x:
        HISTORY = None
    return x


def attribute_starts_anew(x, k):
    HOLDER.h.append(x)
    if k > x:
        HOLDER.h = []
    HOLDER.h.append(2 * x)
    return x * len(HOLDER.h)


def attributes_change_places(x, k):
    if k > x:
        HOLDER.h, HOLDER.other = HOLDER.other, HOLDER.h
    return HOLDER.h[0] * x + HOLDER.other[0]


def attribute_is_put_back(x, k):
    before = HOLDER.h
    HOLDER.h = [x]
    if k > x:
        HOLDER.h = None
    if x > 2:
        HOLDER.h = before
    return x


def attribute_is_written_by_another_name(x, k):
    made = [x]
    if k > x:
        HOLDER.h = made
    else:
        HOLDER.h = None
    made.append(7.0)
    return x * made[0]


class Weights:
    def __init__(self):
        self.w = np.ones(2)


def replaces_or_writes(x, k, weights):
    if k > x:
        weights.w = np.zeros(2) * x
    weights.w[0] += x
    return x * weights.w[0]


@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
def test_an_array_replaced_on_a_path_is_written_on_the_other():
    gradient = symdiff.value_and_grad(replaces_or_writes)
    holders, arrays = zip(*((w, w.w) for w in (Weights(), Weights())), strict=True)
    for k in (0.0, 0.5, 4.0, 0.0):
        made = gradient(3.0, k, holders[0])[0]
        assert made == replaces_or_writes(3.0, k, holders[1])
        np.testing.assert_array_equal(holders[0].w, holders[1].w)
        np.testing.assert_array_equal(*arrays)
        assert (holders[0].w is arrays[0]) == (holders[1].w is arrays[1])


def run(call, x, k, monkeypatch):
    """What a call gives, and what stands there then: contents, and which were there before."""
    kept = [HISTORY, SECOND, HOLDER.h, HOLDER.other]
    contents = copy.deepcopy(kept)
    with monkeypatch.context() as patch:
        for name, value in (("HISTORY", kept[0]), ("SECOND", kept[1])):
            patch.setitem(globals(), name, value)
        for name, value in (("h", kept[2]), ("other", kept[3])):
            patch.setattr(HOLDER, name, value)
        value = call(x, k)
        after = [HISTORY, SECOND, HOLDER.h, HOLDER.other]
        same = [[one is other for other in kept] for one in after]
        outcome = value, copy.deepcopy(after), same, copy.deepcopy(kept)
    for item, content in zip(kept, contents, strict=True):
        item[:] = content
    return outcome


@pytest.mark.parametrize(
    "function",
    [
        is_rebound_to_another,
        starts_anew,
        is_rebound_to_nothing,
        attribute_starts_anew,
        attributes_change_places,
        attribute_is_put_back,
        attribute_is_written_by_another_name,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
def test_a_place_set_on_a_path_holds_the_very_object(function, monkeypatch):
    gradient = symdiff.value_and_grad(function)
    for x, k in ((1.0, 0.0), (1.0, 2.0), (3.0, 0.0), (3.0, 4.0)):
        made = run(lambda x, k: gradient(x, k)[0], x, k, monkeypatch)
        assert made == run(function, x, k, monkeypatch)


def starts_anew_in_a_loop(x, a):
    for v in a:
        if v > 0:
            HOLDER.h = [v * x]
        else:
            HOLDER.h.append(v)
    return x * len(HOLDER.h)


def test_objects_that_are_not_told_apart_are_refused_with_a_way_out():
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="one object in one branch") as caught:
        symdiff.grad(starts_anew_in_a_loop)(2.0, np.array([1.0, -1.0]))
    assert "set this at the end" in caught.value.hint
    assert caught.value.span is not None


class Thing:
    pass


THINGS = {"of a.name": Thing()}
FOUND = None


def takes_what_stands_there(x):
    global FOUND
    FOUND = THINGS["of a.name"]
    return x * x


def test_what_stands_under_a_key_that_is_no_name_is_taken(monkeypatch):
    monkeypatch.setitem(globals(), "FOUND", None)
    assert symdiff.grad(takes_what_stands_there)(2.0) == 4.0
    assert FOUND is THINGS["of a.name"]
