"""What is bound on one path only, or in some turns: functions, methods, ranges, texts and others.

Python decides: the last binding counts, and where there is none reading the name is its error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import symdiff
from symdiff.errors import SymdiffError, UnsupportedSyntaxError
from tests.parse.following import Arguments, follows, in_python, staged

CALLS = ((0.55, 3), (0.9, 4), (2.5, 0), (0.1, 1))


@dataclass
class Pair:
    a: Any
    b: Any

    def product(self):
        return self.a * self.b


def times(c):
    def inner(t):
        return t * c

    return inner


def powers(c):
    def power(k):
        return c if k <= 1 else c * power(k - 1)

    return power


def counting(c):
    n = 0

    def count(t):
        nonlocal n
        n += 1
        return t * c * n

    return count


def scaled(a, b, d=1.0):
    return a * b * d


def things(x, which):
    """Something that is made of ``x``, and a function that makes a number of it."""
    if which == "default":

        def local(t, c=x * 2.0, *, d=0.5):
            return t * c + d

        return local, lambda q: q(x)
    made = {
        "text": lambda: ("sin", lambda q: len(q) * x),
        "None": lambda: (None, lambda q: x if q is None else 0.0),
        "module": lambda: (np, lambda q: q.sin(x)),
        "class": lambda: (Pair, lambda q: q(x, x).product()),
        "type": lambda: (float, lambda q: q(2) * x),
        "object": lambda: (Pair(x, 3.0), lambda q: q.product()),
        "method": lambda: (Pair(x, 3.0).product, lambda q: q() * x),
        "tuple": lambda: ((x, "a", 2.0), lambda q: q[0] * q[2] + len(q[1])),
        "list": lambda: ([x, x * x], lambda q: q[0] * q[1]),
        "dict": lambda: ({"a": x, "b": None}, lambda q: q["a"] * x),
        "lambda": lambda: (lambda t: t * x, lambda q: q(x)),
        "partial": lambda: (partial(scaled, x * 2.0, d=x), lambda q: q(x)),
        "method of an array": lambda: (np.array([x, x * x]).sum, lambda q: q()),
        "range": lambda: (range(3), lambda q: sum(x * k for k in q)),
        "slice": lambda: (slice(0, 2), lambda q: np.array([x, x, x])[q].sum()),
        "set": lambda: ({1, 2}, lambda q: x * len(q)),
        "f-string": lambda: (f"{x:.2f}", lambda q: x),
        "of another call": lambda: (times(x * 3.0), lambda q: q(x)),
        "that calls itself": lambda: (powers(x * 3.0), lambda q: q(3)),
        "functions in data": lambda: (([times(x)], {"f": times(2.0)}), lambda q: q[0][0](x)),
    }
    return made[which]()


def in_one_arm(x, n, which):
    if x > 0.5:
        q, read = things(x, which)
    y = x * x
    if x > 0.6:
        y = y + read(q)
    return y


def in_some_turns(x, n, which):
    for k in range(3):
        if k * x < 1.0:
            continue
        q, read = things(x, which)
        x = x * 1.1
    return read(q)


def in_a_counted_loop(x, n, which):
    for _ in range(n):
        x = x * 1.2
        if x > 0.8:
            q, read = things(x, which)
    return read(q)


def in_a_while(x, n, which):
    y = x
    while x < 2.0:
        if x > 1.0:
            y = y + read(q)  # noqa: F821 - bound in an earlier turn
        x = x * 1.5 + 0.1
        if x > 0.9:
            q, read = things(x, which)  # noqa: RUF059 - see above
    return y * x


THINGS = (
    "text", "None", "module", "class", "type", "object", "method", "tuple", "list", "dict",
    "lambda", "default", "partial", "method of an array", "range", "slice", "set", "f-string",
    "of another call", "that calls itself", "functions in data",
)  # fmt: skip


@pytest.mark.parametrize("which", THINGS)
@pytest.mark.parametrize(
    "function", [in_one_arm, in_some_turns, in_a_counted_loop, in_a_while], ids=lambda f: f.__name__
)
def test_the_last_binding_counts_or_python_raises(function, which):
    follows(function, *((x, n, which) for x, n in CALLS))


def defined_in_some_turns(x, n):
    for t in [x, x * 1.1]:
        u = v = t
        if u < 0.58:
            continue

        def local(t, c=0.5):
            return v * c + t  # noqa: B023 - that is the point

    return local(u, t)


def another_function_in_each_arm(x, n):
    if x > 0.5:

        def q(t):
            return t * x
    else:

        def q(t, c=n):
            return t + c

    return q(x) * q(2.0)


def another_function_in_some_turns(x, n):
    s, k, q = 0.0, 0, times(1.0)
    while s < 5.0 and k < 20:
        s = s + q(0.5 + x * x)
        q = partial(times(x), 2.0) if s > 1.0 else times(x + n)
        q = (lambda t, q=q: q()) if s > 1.0 else q
        k += 1
    return s + q(1.0)


def swapped(x, n):
    f, g = times(x), times(3.0)
    for _ in range(n):
        f, g = g, f
    return f(1.0) + 2.0 * g(x)


def counts_its_calls(x, n):
    q = counting(x) if x > 0.5 else counting(2.0)
    r = q
    return q(x) * r(q(1.0)) * q(x)


def counts_on_one_path(x, n):
    q = counting(x)
    r = q
    q(1.0)
    if x > 0.5:
        q = counting(3.0)
    return q(x) * r(q(2.0))


def counts_in_a_loop(x, n):
    k, s = 0, 0.0
    q = r = counting(x)
    while k < x * 5:
        s = s + q(x)
        if k > 1:
            q = counting(2.0)
        k += 1
    return s + r(x)


def a_name_of_the_other_call_is_unbound(x, n):
    def outer(c):
        if c > 0.5:
            d = c * 2.0

        def inner(t):
            return t * d

        return inner

    k = 0
    while k < n:
        q = outer(x * k)
        k += 1
    return q(x)


def defined_in_a_comprehension(x, n):
    k = 0
    while k < n:
        fs = [(lambda t, c=c: t * c * x) for c in (x, 2.0)]
        gs = [lambda t: t * c for c in (x, 3.0)]  # noqa: B023 - that is the point
        k += 1
    return fs[0](x) + gs[0](x) * fs[1](2.0)


@pytest.mark.parametrize(
    "function",
    [
        defined_in_some_turns,
        another_function_in_each_arm,
        another_function_in_some_turns,
        swapped,
        counts_its_calls,
        counts_on_one_path,
        counts_in_a_loop,
        a_name_of_the_other_call_is_unbound,
        defined_in_a_comprehension,
    ],
    ids=lambda f: f.__name__,
)
def test_functions_that_paths_and_turns_define(function):
    follows(function, *CALLS)


def known_in_the_turn_that_makes_it(x):
    k = 0
    while k < 3.0 * x[0]:

        def q(t, axis=0, c=k):
            return np.sum(t, axis=axis) * c

        p, r, s = partial(np.sum, axis=1), range(2), slice(0, 2)
        k += 1
    a = np.outer(x, x)
    return q(a)[0] + p(a)[1] + np.array([x[i] for i in r]).sum() + x[s].sum()


def test_what_is_the_same_in_all_turns_is_known_after_them():
    follows(known_in_the_turn_that_makes_it, *(np.array([a, 0.7, 0.3]) for a in (0.55, 0.9, -0.1)))


def held_by_a_default(x):
    a = x * 1.0

    def q(c=a):
        return c.sum()

    k = 0
    while x[0] * (k + 1) < 3.0:
        a[0] += 1.0
        a = a * 2.0
        k += 1
    return q() + a.sum()


def held_by_the_default_of_either(x):
    a, b = x * 1.0, x * 2.0
    if x[0] > 0.5:

        def q(c=a):
            return c.sum()
    else:

        def q(c=b):
            return c.sum() * 3.0

    a[0] = 5.0
    return q() + a.sum() + b.sum()


def held_by_another_call(x):
    a, b = x * 1.0, x * 2.0
    q = times(a) if x[0] > 0.5 else times(b)
    a[0] = 5.0
    c = q(1.0)
    c[1] = 3.0
    k = 0
    while x[0] * (k + 1) < 3.0:
        q = times(a)
        a[1] = 5.0
        a = b * k
        c = c + q(1.0)
        k += 1
    return c.sum() + a.sum() + b.sum()


@pytest.mark.parametrize(
    "function",
    [held_by_a_default, held_by_the_default_of_either, held_by_another_call],
    ids=lambda f: f.__name__,
)
def test_an_array_that_a_function_holds_is_written(function):
    follows(function, np.array([0.55, 0.7, 0.3]), np.array([0.4, 0.9, 0.2]))


def is_that_of_an_arm(x, n):
    f, g = times(x), times(3.0)
    q = f if x > 0.5 else g
    return (2.0 if q is f else 3.0) * x + (0.5 if q in [g] else 0.25) + {f: 2.0, g: 3.0}[q]


def is_one_under_two_names(x, n):
    if x > 0.5:
        f = g = times(x)
    else:
        f, g = times(x), times(3.0)
    return x * (2.0 if f == g else 3.0)


def is_one_that_is_unbound_elsewhere(x, n):
    if x > 0.5:
        f = g = times(x)
    if x > 0.6:
        return 2.0 if f is g else 3.0
    return x


def is_that_of_the_last_turn(x, n):
    q = r = times(x)
    for k in range(n):
        q = times(x + k)
    return x * (2.0 if q is r else 3.0)


def is_that_of_some_turn(x, n):
    q = r = times(x)
    k = 0.0
    while k < 3.0 * x:
        q = times(x + k)
        r = q if k > 1.0 else r
        k += 1.0
    return x * (2.0 if q is r else 3.0)


@pytest.mark.parametrize(
    "function",
    [is_that_of_an_arm, is_one_under_two_names, is_one_that_is_unbound_elsewhere],
    ids=lambda f: f.__name__,
)
def test_which_function_it_is(function):
    follows(function, *CALLS)


@pytest.mark.parametrize(
    "function", [is_that_of_the_last_turn, is_that_of_some_turn], ids=lambda f: f.__name__
)
def test_which_function_a_loop_leaves_is_told_or_refused(function: Callable[..., Any]) -> None:
    for call in CALLS:
        assert _told_or_refused(function, call)


def _told_or_refused(function: Callable[..., Any], call: Arguments) -> bool:
    try:
        return bool(staged(function, call) == in_python(function, call))
    except SymdiffError as error:
        return "which function 'q' is differs between the turns of a loop" in str(error)


# --- attributes


class Bare:
    """An object without attributes."""


class WithDefault:
    y = 3.0


class Answering:
    def __getattr__(self, name):
        return 7.0


class Slotted:
    __slots__ = ("y",)


@dataclass(frozen=True)
class Frozen:
    a: Any


class Deleting:
    def __init__(self, x):
        self.d = {"v": x}
        self._w = x

    def __delattr__(self, name):
        del self.d[name]


class WithDeleter:
    def __init__(self, x):
        self._v = x

    @property
    def v(self):
        return self._v

    @v.deleter
    def v(self):
        self._v = self._v * 5.0


KINDS = (Bare, WithDefault, Answering, Slotted)


def attribute_read(kind, x, n):
    o = kind()
    if x > 0.7:
        o.y = x * x
    return o.y * x


def attribute_asked(kind, x, n):
    o = kind()
    if x > 0.7:
        o.y = x * x
    return o.y if hasattr(o, "y") else x


def attribute_caught(kind, x, n):
    o = kind()
    if x > 0.7:
        o.y = x * x
    try:
        z = o.y
    except AttributeError:
        z = x
    try:
        return o.y * z
    except AttributeError:
        return 3.0 * z


def attribute_in_turns(kind, x, n):
    o = kind()
    for k in range(n):
        if x > k:
            o.y = x + k
    return o.y * x


def attribute_in_a_while(kind, x, n):
    o = kind()
    k = 0
    while k < x:
        o.y = x * k
        k += 1
    return o.y * x


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "function",
    [attribute_read, attribute_asked, attribute_caught, attribute_in_turns, attribute_in_a_while],
    ids=lambda f: f.__name__,
)
def test_an_attribute_set_on_one_path_is_on_the_other_what_its_class_tells(kind, function):
    follows(lambda x, n: function(kind, x, n), *CALLS)


def test_the_gradient_where_an_attribute_is_not_set_is_that_of_the_other_path():
    def f(x):
        o = Bare()
        if x > 1.0:
            o.y = x * x
        return o.y if hasattr(o, "y") else x

    assert symdiff.grad(f)(0.5) == 1.0
    assert symdiff.grad(f)(2.0) == 4.0


def deleted_on_a_path(kind, x, n):
    o = kind()
    o.y = x
    if x > 0.7:
        del o.y
    return o.y * x if hasattr(o, "y") else 9.0 * x


def deleted_twice(kind, x, n):
    o = kind()
    o.y = x
    if x > 0.7:
        del o.y
    try:
        del o.y
    except AttributeError:
        return 2.0 * x
    return 3.0 * x


def deleted_in_turns(kind, x, n):
    o = kind()
    o.y = x
    for k in range(n):
        try:
            del o.y
        except AttributeError:
            o.y = x * k
    try:
        return o.y
    except AttributeError:
        return x


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "function", [deleted_on_a_path, deleted_twice, deleted_in_turns], ids=lambda f: f.__name__
)
def test_an_attribute_is_deleted(kind, function):
    follows(lambda x, n: function(kind, x, n), *CALLS)


def test_a_class_deletes_attributes_as_it_says():
    def f(x, n):
        q, r = Deleting(x), WithDeleter(x)
        del r.v
        del q.v
        return r.v if not q.d else x

    def has_none(x, n):
        o = WithDefault()
        del o.y
        return x

    def of_a_frozen_one(x, n):
        o = Frozen(x)
        del o.a
        return x

    for function in (f, has_none, of_a_frozen_one):
        follows(function, *CALLS)


def test_what_is_deleted_of_the_callers_or_of_a_result_is_refused():
    outside = Bare()
    outside.y = 2.0

    def of_the_callers(x, n):
        del outside.y
        return x

    def of_a_result(x, n):
        pair = Pair(x, x)
        if x > 0.7:
            del pair.b
        return pair

    def of_an_argument(x, n):
        del x.b
        return x.a

    for function, arguments, words in (
        (of_the_callers, CALLS[0], "'del' of an attribute of an object of Bare"),
        (of_an_argument, (Pair(1.0, 2.0), 3), "'del' of an attribute of an object of Pair"),
        (of_a_result, CALLS[0], "an object that has not all of its attributes on each path"),
    ):
        with pytest.raises(SymdiffError, match=words):
            staged(function, arguments)


# --- names that are deleted


def deleted_in_each_turn(x, n):
    y = x
    for k in range(n):
        try:
            z = y
            del y
        except UnboundLocalError:
            y = x * k
            z = x
    try:
        return y * z if n else y
    except UnboundLocalError:
        return 2.0 * x


def deleted_in_some_turn(x, n):
    y = [x]
    for k in range(n):
        if k == 1:
            del y
        elif k == 2:
            y = [x, x * x]
    try:
        return sum(y)
    except UnboundLocalError:
        return 7.0 * x


def deleted_before_a_break(x, n):
    y, turns = x, 0.0
    for k in range(n):
        try:
            z = y
        except UnboundLocalError:
            break
        turns = k + z
        del y
    return 7.0 * x + turns * x


def function_deleted_in_some_turn(x, n):
    f = times(x)
    for k in range(n):
        if k == 1:
            del f
    try:
        return f(x)
    except UnboundLocalError:
        return 7.0 * x


def deleted_around_by_a_handler(x, n):
    error = 2.0 * x

    def tried():
        nonlocal error
        try:
            if x * n > 1.0:
                raise ValueError
        except ValueError as error:  # noqa: F841
            pass

    tried()
    try:
        return error * x
    except NameError:
        return 7.0 * x


def still_unbound_after_it_was_caught(x, n):
    if x > 0.7:
        y = x * x
    try:
        z = y
    except UnboundLocalError:
        z = x
    try:
        return y * z
    except UnboundLocalError:
        return 3.0 * z


@pytest.mark.parametrize(
    "function",
    [
        deleted_in_each_turn,
        deleted_in_some_turn,
        deleted_before_a_break,
        function_deleted_in_some_turn,
        deleted_around_by_a_handler,
        still_unbound_after_it_was_caught,
    ],
    ids=lambda f: f.__name__,
)
def test_a_name_without_a_binding_is_unbound_until_it_is_bound_again(function):
    follows(function, *CALLS, (1.3, 2))


OUTSIDE = 2.0


def deletes_what_stands_outside(x):
    global OUTSIDE
    OUTSIDE = x
    del OUTSIDE
    try:
        return OUTSIDE * x
    except NameError:
        return 7.0 * x


def catches_as_what_stands_outside(x):
    global OUTSIDE
    try:
        raise ValueError
    except ValueError as OUTSIDE:  # noqa: F841
        pass
    return x


@pytest.mark.parametrize(
    "function",
    [deletes_what_stands_outside, catches_as_what_stands_outside],
    ids=lambda f: f.__name__,
)
def test_names_outside_are_not_unbound(function):
    with pytest.raises(UnsupportedSyntaxError, match="'OUTSIDE' outside the function is unbound"):
        symdiff.grad(function)(1.5)
