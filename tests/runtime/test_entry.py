"""Entries: what fits a signature runs, everything else is a miss and runs nothing."""

from typing import NamedTuple

import numpy as np
import pytest

from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Aspect, Signature
from symdiff.runtime.entry import MISS, Check, Target, build_entry
from symdiff.runtime.signature import signature_of, with_types


class Point(NamedTuple):
    x: float
    y: float


class Thing:
    def __init__(self, k):
        self.k = k


def entry_for(*arguments, checks=(), paths=None, **target):
    names = [f"p{k}" for k in range(len(arguments))]
    signature = signature_of(names, arguments)
    wanted = tuple((name,) for name in names) if paths is None else paths
    return build_entry(
        signature, checks, arguments, Target(lambda *values: values, wanted, **target)
    )


@pytest.mark.parametrize(
    ("example", "fits", "misses"),
    [
        (1.0, [2.0, float("nan")], [1, True, np.float64(1.0), np.array(1.0), "a", None]),
        (1, [7], [1.0, True, np.int64(1)]),
        (np.float32(1), [np.float32(3)], [np.float64(1), 1.0]),
        (
            np.ones(2),
            [np.ones(7), np.ones(4)[::2]],
            [np.ones(1), np.ones(0), np.ones((2, 2)), np.ones(2, np.float32), [1.0, 1.0]],
        ),
        (np.ones((1, 3)), [np.ones((1, 9))], [np.ones((3, 3)), np.ones((1, 1)), np.ones((3, 1))]),
        (np.array(1.0), [np.array(2.0)], [np.ones(1), 1.0]),
        ("a", ["a"], ["b", 1]),
        (None, [None], [0, "a"]),
        (np.sin, [np.sin], [np.cos, len]),
        ([1.0, "a"], [[3.0, "a"]], [(1.0, "a"), [1.0, "b"], [1.0], [1, "a"], [1.0, "a", 1.0]]),
        ({"w": 1.0, "b": 2}, [{"w": 5.0, "b": 1}], [{"b": 2, "w": 1.0}, {"w": 1.0}]),
        (Point(1.0, 2.0), [Point(3.0, 4.0)], [(1.0, 2.0), Point(1, 2.0)]),
        ([1.0] * 50, [[2.0] * 50], [[1.0] * 49, [1.0] * 49 + [1], [1.0] * 51]),
        (Thing(1), [Thing(2)], [1, object()]),
    ],
)
def test_what_fits_and_what_does_not(example, fits, misses):
    enter = entry_for(example)
    assert enter(example)[0] is example
    for value in fits:
        assert enter(value)[0] is value
    for value in misses:
        assert enter(value) is MISS


def test_arrays_with_equal_dtypes_that_are_not_the_same_object():
    import pickle

    x = pickle.loads(pickle.dumps(np.ones(3)))
    assert entry_for(np.ones(3))(x)[0] is x


def test_values_at_paths_are_passed():
    given = {"w": [np.ones(2), 3.0]}
    enter = entry_for(given, paths=(("p0", "w", 1), ("p0",)))
    assert enter(given) == (3.0, given)


def test_globals_are_read_and_checked_at_each_call():
    namespace = {"rate": 2.0, "mode": "fast"}
    rate, mode = (FreeVariable("global", namespace, name) for name in namespace)
    checks = [Check((mode,), "value", "fast"), Check((rate,), "type", float)]
    enter = entry_for(1.0, checks=checks, paths=((rate,),))
    assert enter(1.0) == (2.0,)
    namespace["rate"] = 5.0
    assert enter(1.0) == (5.0,)
    namespace["rate"] = 5
    assert enter(1.0) is MISS
    namespace.update(rate=5.0, mode="slow")
    assert enter(1.0) is MISS
    del namespace["mode"]
    assert enter(1.0) is MISS


@pytest.mark.parametrize(
    "name", ["error", "result", "enter", "make", "MISS", "ABSENT", "a0", "v0", "o1", "c0", "type_"]
)
def test_a_global_may_be_called_as_a_name_of_the_entry_is(name):
    namespace = {name: 2.0}
    variable = FreeVariable("global", namespace, name)
    seen = []
    enter = entry_for(1.0, paths=((variable,),), remember=seen.append)
    assert enter(1.0) == (2.0,)
    namespace[name] = 3.0
    assert enter(1.0) == (3.0,)
    assert seen == [1.0, 1.0]


def test_what_remembers_sees_the_arguments_after_a_run():
    ran = []
    enter = entry_for(1.0, remember=lambda *given: ran.append(given))
    assert enter("a") is MISS
    assert ran == []
    assert enter(2.0) == (2.0,)
    assert ran == [(2.0,)]


def test_attributes_and_keys_are_checked():
    thing = Thing({"a": 1.0})
    checks = [
        Check(("p0", "k"), "type", dict),
        Check(("p0", "k"), "keys", ("a",)),
        Check(("p0", "k", "a"), "type", float),
    ]
    enter = entry_for(thing, checks=checks, paths=(("p0", "k", "a"),))
    assert enter(thing) == (1.0,)
    assert enter(Thing({"a": 1.0, "b": 2.0})) is MISS
    assert enter(Thing([1.0])) is MISS


def test_static_values_are_compared_with_their_type():
    signature = Signature(
        signature_of(["x", "n"], [np.ones(3), 2]).parameters,
        static=((("n",), 2), (("x", Aspect("size", 0)), 3)),
    )
    enter = build_entry(signature, [], (np.ones(3), 2), Target(lambda x: "ran", (("x",),)))
    assert enter(np.ones(3), 2) == "ran"
    assert enter(np.ones(3), 3) is MISS
    assert enter(np.ones(4), 2) is MISS


def test_overlaps_with_what_is_written():
    x, y = np.ones(4), np.ones(4)
    enter = entry_for(x, y, written=(("p0",),))
    assert enter(x, y) is not MISS
    assert enter(x, x) is MISS
    assert enter(x[:3], x[1:]) is MISS
    assert entry_for(x, y, written=(("p0",),), unseen=frozenset({("p1",)}))(x, x) is not MISS


def test_equal_names_of_sizes_are_compared():
    signature = signature_of(["x", "y"], with_types(["float64[n]", "float64[n]"]))
    enter = build_entry(signature, [], (np.ones(3), np.ones(3)), Target(lambda: "ran", ()))
    assert enter(np.ones(5), np.ones(5)) == "ran"
    assert enter(np.ones(5), np.ones(4)) is MISS


def test_an_observer_sees_the_arguments_first():
    seen = []
    enter = entry_for(1.0, 2.0, observe=lambda *given: seen.append(given))
    enter(1.0, 2.0)
    enter(1, 2)
    assert seen == [(1.0, 2.0)]
