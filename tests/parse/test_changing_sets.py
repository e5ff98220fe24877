"""Sets that are changed: what is refused, and what nobody but Python's rules would tell."""

import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError

OUTSIDE = {1, 2}


def test_a_set_made_outside_is_not_changed_quietly() -> None:
    def grown(x):
        s = OUTSIDE
        s |= {5}
        return x * len(OUTSIDE)

    def added(x):
        OUTSIDE.add(5)
        return x * len(OUTSIDE)

    for function in (grown, added):
        with pytest.raises(UnsupportedSyntaxError, match="changing a set made outside"):
            sd.grad(function)(3.0)
    assert {1, 2} == OUTSIDE


def test_an_order_that_depends_on_what_was_there_before_is_refused() -> None:
    def taken(x):
        s = {8, 0, 1}
        s.remove(1)
        y = x
        for i in s:
            y = y * 1.5 + i * x
        return y

    with pytest.raises(UnsupportedCallError, match="the order of a set"):
        sd.grad(taken)(3.0)


def test_a_copy_of_a_set_made_outside_is_changed() -> None:
    def copied(x):
        s = set(OUTSIDE)
        s.add(7)
        return x ** len(s) * len(OUTSIDE)

    assert sd.grad(copied)(3.0) == 2 * 3 * 3.0**2
    assert {1, 2} == OUTSIDE


def test_the_text_of_a_changed_set() -> None:
    def told(x):
        s = set()
        before = str(s)
        s.add(1)
        return x * (len(before) * 10 + len(str(s)))

    assert sd.grad(told)(3.0) == len("set()") * 10 + len("{1}")


def test_an_operator_in_place_that_does_not_know_is_followed_by_the_plain_one() -> None:
    class Number:
        def __init__(self, value):
            self.value = value

        def __iadd__(self, other):
            return NotImplemented

        def __add__(self, other):
            return Number(self.value + other)

    def total(x):
        a = Number(x)
        b = a
        a += 2 * x
        return a.value * b.value

    assert sd.grad(total)(1.5) == 3 * 2 * 1.5


def test_an_attribute_of_a_function_made_elsewhere_is_refused() -> None:
    def outer(x):
        return x

    def given(x):
        outer.k = x
        return outer(x) * outer.k

    with pytest.raises(UnsupportedSyntaxError, match="assigning to attribute 'k'"):
        sd.grad(given)(3.0)
    assert not hasattr(outer, "k")


def test_keys_of_dicts_beside_what_is_no_set_where_sets_are_changed() -> None:
    def f(x):
        seen = set()
        for name in ("a", "b"):
            seen.add(name)
        keys = {"a": x, "b": 2 * x}.keys()
        counts = [keys - ["b"], keys | {"c": 1}, ["z"] ^ keys, keys & ("a", "d"), keys - seen]
        return x * len(seen) + sum(map(len, counts))

    assert sd.value_and_grad(f)(2.0) == (f(2.0), 2.0)
