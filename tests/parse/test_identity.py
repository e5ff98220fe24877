"""Which object a value is, of which class, and what private names stand for."""

import functools
import os
import struct
import types

import numpy as np
import pytest

import symdiff
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from tests.parse.following import follows


def is_true(x):
    positive = x > 0
    return x if positive is True else 2 * x


def is_not_false(x):
    return x if (x > 0) is not False else 2 * x


def scalars_are_not_true(x):
    return x if (np.float64(x) > 0) is True else 2 * x


def is_none(x, y=None):
    return x if y is None and x is not None else 2 * x


def classes(x):
    return (
        isinstance(f"{x}", str),
        np.isscalar(f"{x}"),
        np.isscalar(x),
        isinstance(functools.partial(abs, x), types.FunctionType),
        isinstance(lambda: x, types.FunctionType),
        isinstance(Account(x).balance, types.MethodType),
        callable("a".upper),
    )


class Account:
    __rate = 0.5

    def __init__(self, start):
        self.__amount = start

    def balance(self, __factor=2.0):
        def __twice(value):
            return value * __factor

        return __twice(self.__amount) + self.__rate


class Sub(Account):
    def __init__(self, start):
        super().__init__(start)
        self.__amount = 100.0


def private_names(x):
    return Sub(x).balance()


@pytest.mark.parametrize(
    "function",
    [is_true, is_not_false, scalars_are_not_true, is_none, classes, private_names],
    ids=lambda f: f.__name__,
)
def test_identity_and_classes_are_pythons(function):
    follows(function, 0.7, -0.4)


def absent(x):
    return [1.0, 2.0].index(x) * x


def test_an_item_that_a_list_does_not_hold_is_a_value_error():
    with pytest.raises(ValueError):
        symdiff.differentiable(absent).forward(3.0)


def unknown_is_none(x):
    return x if os.getcwd() is None else 2 * x


def unknown_equals(x):
    return x if os.getcwd() == "/" else 2 * x


def unknown_in(x):
    return x if os.getcwd() in ("/", "") else 2 * x


def unknown_class(x):
    return x if isinstance(os.getcwd(), str) else 2 * x


def unknown_type(x):
    return x if type(os.getcwd()) is str else 2 * x


def unknown_callable(x):
    return x if callable(os.getcwd()) else 2 * x


def unknown_scalar(x):
    return x if np.isscalar(os.getcwd()) else 2 * x


UNKNOWN = [unknown_is_none, unknown_equals, unknown_in, unknown_class, unknown_type]
UNKNOWN += [unknown_callable, unknown_scalar]


@pytest.mark.parametrize("function", UNKNOWN, ids=lambda f: f.__name__)
def test_questions_about_what_is_not_known_are_refused(function):
    with pytest.raises(UnsupportedCallError, match="whose type is not known") as caught:
        symdiff.grad(function)(0.7)
    assert caught.value.span is not None
    assert caught.value.hint is not None


MANY = 3000


def one_number(x, n):
    return x if n is MANY else 2 * x


def one_float(x, y):
    return x if x is y else 2 * x


@pytest.mark.parametrize(("function", "second"), [(one_number, MANY), (one_float, 0.7)])
def test_whether_two_numbers_are_one_object_is_refused(function, second):
    with pytest.raises(UnsupportedSyntaxError, match="are one object") as caught:
        symdiff.grad(function)(0.7, second)
    assert caught.value.span is not None
    assert caught.value.hint == "compare with =="


class Units:
    BAR, PSI = 1, 256

    def __init__(self, unit):
        self.unit = unit

    def pressure(self, x):
        return x if self.unit is self.BAR else 3 * x if self.unit is self.PSI else 2 * x


def turns_told(x, n):
    total = 0.0
    for k in range(n):
        total += x if k is CHOSEN else x * x
    return total


CHOSEN = 2


@pytest.mark.parametrize(("unit", "slope"), [(1, 1), (256, 3), (2, 2), (-7, 2)])
def test_small_ints_are_one_object(unit, slope):
    units = Units(unit)
    assert symdiff.grad(units.pressure)(0.7) == slope
    units.unit = 1
    assert symdiff.grad(units.pressure)(0.7) == 1
    assert symdiff.grad(turns_told)(0.5, 4) == 4.0


def attributes_of_numbers(x):
    return [hasattr(x, name) for name in ("shape", "sum", "real", "__len__", "append")]


def attributes_of_containers(x):
    found = [hasattr(v, "shape") for v in ([x], {"a": x}, (x,), range(3))]
    return found, hasattr([x], "append"), hasattr({"a": x}, "items")


def defaults_of_attributes(x):
    return x * getattr(x, "ndim", 5), x.__class__ is float


def documentation(x):
    return x * len(np.asarray(x).__doc__)


@pytest.mark.parametrize(
    "function",
    [attributes_of_numbers, attributes_of_containers, defaults_of_attributes, documentation],
    ids=lambda f: f.__name__,
)
def test_there_are_exactly_pythons_attributes(function):
    follows(function, 0.7, np.float64(0.3), np.array([1.0, 2.0]))


def a_method_of_arrays(x):
    return x.sum()


def test_a_number_has_no_methods_of_arrays():
    follows(a_method_of_arrays, 0.7, np.float64(0.3), np.array([1.0, 2.0]))


def memory(x):
    return x if x.base is None else 2 * x


def test_attributes_of_memory_are_refused():
    with pytest.raises(UnsupportedSyntaxError, match="attribute 'base' of an array"):
        symdiff.grad(memory)(np.array([1.0, 2.0]))


NAMES = {"u", "v"}


def sets(x):
    """Sets whose items are known are Python's."""
    return (
        isinstance({1}, set),
        isinstance({1} | {2}, frozenset),
        isinstance(frozenset([1]), set),
        type(NAMES) is set,
        {1, 2} == {2, 1} and {1} < {1, 2} and frozenset([1]) == {1},
        len(f"{ {1} }"),
        x * len({1, 2} - {2}),
    )


def test_sets_are_sets():
    follows(sets, 0.7)


def prints_a_set(x):
    print({1})
    return x


def returns_a_set(x):
    return {1}, x


@pytest.mark.parametrize("function", [prints_a_set, returns_a_set])
def test_sets_that_would_have_to_be_made_are_refused(function):
    with pytest.raises((UnsupportedSyntaxError, UnsupportedCallError), match="a set") as caught:
        symdiff.grad(function)(0.7)
    assert caught.value.span is not None


def subscripted(x):
    return x[0]


def test_a_number_is_not_subscriptable():
    follows(subscripted, 0.7, np.array([1.0, 2.0]))


def tuples_of_a_staged_length(x):
    t = tuple(x)
    return isinstance(t, tuple), isinstance(t, list), type(t) is tuple, sum(t), hasattr(t, "append")


def grows_a_tuple(x):
    tuple(x).append(1.0)


def writes_to_a_tuple(x):
    t = tuple(x)
    t[0] = 2.0


@pytest.mark.parametrize("function", [tuples_of_a_staged_length, grows_a_tuple, writes_to_a_tuple])
def test_tuples_of_a_staged_length_are_tuples(function):
    follows(function, np.array([1.0, 2.0]), ((0.7, 0.2),))


def returns_a_tuple(x):
    return tuple(v * 2 for v in x)


def test_a_tuple_of_a_staged_length_is_not_returned_as_a_list():
    with pytest.raises(UnsupportedSyntaxError, match="returns a tuple of a length"):
        symdiff.differentiable(returns_a_tuple).graph("float64[n]")


def array_of_nothing(x, y=None):
    return x if np.any(y) else 2 * x


def test_what_is_no_array_is_named():
    with pytest.raises(UnsupportedCallError, match="is needed, not None"):
        symdiff.grad(array_of_nothing)(0.7)


def equal_to_what_is_no_number(x):
    return x == "a", x != "a", x == None, x != len, x == {}  # noqa: E711


def equal_to_a_sequence(x):
    return x == [0.7], x != (0.7,)


def test_numbers_are_compared_with_anything():
    follows(equal_to_what_is_no_number, 0.7, 3, np.float64(0.7))
    follows(equal_to_a_sequence, 0.7, 1, np.float64(0.7))


def array_equal_to_none(x):
    return x if x == None else 2 * x  # noqa: E711


def test_an_array_is_not_compared_with_what_is_no_number():
    with pytest.raises(UnsupportedSyntaxError, match="the answer is an array") as caught:
        symdiff.grad(array_equal_to_none)(np.array([1.0, 2.0]))
    assert caught.value.span is not None


# One object or two -------------------------------------------------------------------------------

SHARED = [1.0]
PLACES = {"a": np.ones(2), "b": np.ones(2)}


def one_by_two_arguments(x, a, b):
    return x if a is b else 2 * x


def one_of_a_list(x, items, b):
    return [x if item is b else 2 * x for item in items]


def kernel(x, y=None):
    return np.sum(x) * (1.0 if y is None or y is x else 2.0)


def is_shared(x, items):
    return x if items is SHARED else 2 * x


def one_of_two_branches(x, a, b):
    c = a if x > 0 else b
    return x if c is a else 2 * x


def found_in_a_loop(x, a):
    u, v = a * 2, a * 3
    first, n = u, 0.0
    for _ in range(4):
        if u is first:
            n = n + x
        u, v = v, u
    return n


def lists_that_change_places(x):
    u, v = [x], [x]
    first, n = u, 0.0
    for _ in range(3):
        n += x if u is first else 3 * x
        u, v = v, u
    return n


def views_and_what_is_none(x, a):
    same = [np.asarray(a) is a, np.atleast_1d(a) is a, a.astype(float, copy=False) is a]
    return x * len([found for found in same if found]) if a[:] is not a else x


def one_name_of_a_tuple(x, t):
    s = t
    return x if s is t else 2 * x


@pytest.mark.parametrize(
    "make", [lambda: np.ones(2), lambda: [1.0], lambda: {"a": 1.0}, lambda: Account(1.0)]
)
def test_arguments_are_one_object_or_two_as_in_the_call(make):
    a = make()
    gradient = symdiff.grad(one_by_two_arguments)
    assert [gradient(1.0, *pair) for pair in ((a, make()), (a, a), (make(), a))] == [2, 1, 2]


@pytest.mark.parametrize("make", [lambda: np.ones(2), lambda: [1.0]])
def test_what_two_paths_leave_is_told_apart(make):
    a, b = make(), make()
    follows(one_of_a_list, (0.5, [a, b, a], a), (0.5, [a, b], make()))
    follows(one_of_two_branches, (0.5, a, b), (-0.5, a, b), (-0.5, a, a))


def test_arrays_are_one_in_the_turns_in_which_they_are():
    follows(found_in_a_loop, (0.5, np.ones(2)))
    follows(lists_that_change_places, 0.5)
    follows(views_and_what_is_none, (0.5, np.ones(2)))
    follows(one_name_of_a_tuple, (0.5, (1.0,)))


def turned(x, n, a, b):
    return x * n if a is not b else n * np.sum(x[: int(n)])


def test_what_is_fixed_of_arguments_is_told_of_tangents_too():
    x, a = np.ones(3), [1.0]
    for b, expected in ((a, 4.0), ([1.0], 2.0 * x)):
        value, tangent = symdiff.jvp(turned, (x, 2, a, b), (x, None, None, None))
        np.testing.assert_array_equal(tangent, expected)
        np.testing.assert_array_equal(value, expected)


def test_a_second_argument_may_be_the_first():
    x = np.ones((2, 2))
    gradient = symdiff.grad(kernel)
    assert [gradient(x, *y)[0, 0] for y in ((), (x,), (x.copy(),), (None,))] == [1, 1, 2, 1]


def test_an_argument_may_stand_outside(monkeypatch):
    gradient = symdiff.grad(is_shared)
    assert [gradient(1.0, items) for items in ([1.0], SHARED, [1.0])] == [2, 1, 2]
    monkeypatch.setitem(globals(), "SHARED", [1.0])
    assert gradient(1.0, SHARED) == 1


def test_variables_may_come_to_stand_for_one_array(monkeypatch):
    def f(x):
        return x if PLACES["a"] is PLACES["b"] else 2 * x

    gradient = symdiff.grad(f)
    assert gradient(1.0) == 2
    monkeypatch.setitem(PLACES, "b", PLACES["a"])
    assert gradient(1.0) == 1


def test_tuples_are_not_told_apart():
    with pytest.raises(UnsupportedSyntaxError, match="whether a tuple and a tuple") as caught:
        symdiff.grad(one_by_two_arguments)(1.0, (1.0,), (2.0,))
    assert (caught.value.span.column, caught.value.hint) == (17, "compare with ==")


def turning_in_a_while(x, a):
    u, v, n = a * 2, a * 3, 0.0
    first = u
    while n < x:
        n += 1.0 if u is first else 2.0
        u, v = v, u
    return n * x


def test_objects_that_change_in_turns_not_counted_are_refused():
    with pytest.raises(symdiff.AliasingError, match=r"which object '(u|v)' is differs") as caught:
        symdiff.grad(turning_in_a_while)(3.5, np.ones(2))
    assert caught.value.span is not None
    assert "compare what they hold" in caught.value.hint


def membership(x):
    return x in (0.7, 3), 0.7 in [x], np.asarray(x) in [x], x in np.asarray([x, 1.0])


def attributes_of_the_class_only(x):
    return hasattr(x, "__call__"), hasattr(x, "__name__"), hasattr([x], "mro"), callable(x)  # noqa: B004


def test_membership_is_a_bool():
    follows(membership, 0.7, 3, np.float64(0.7))


def test_attributes_of_a_class_are_not_those_of_its_instances():
    follows(attributes_of_the_class_only, 0.7, np.float64(0.3), np.array([1.0, 2.0]))


def tuples_of_two_lengths(x):
    t = (1, x, x) if x > 0.5 else (1, x)
    return sum(t) + len(t)


def test_tuples_of_two_lengths_are_tuples():
    follows(tuples_of_two_lengths, 0.7, 0.3)


def returns_tuples_of_two_lengths(x):
    if x > 0.5:
        return (1, x, x)
    return (1, x)


def test_tuples_of_two_lengths_are_not_returned_as_a_list():
    run, _ = symdiff.differentiable(returns_tuples_of_two_lengths).forward(0.7)
    other, _ = symdiff.differentiable(returns_tuples_of_two_lengths).forward(0.3)
    assert (run, other) == ((1, 0.7, 0.7), (1, 0.3))


PACKER = struct.Struct("d")


def packs(x):
    packed = PACKER.pack(x)
    return packed, x


def test_a_method_in_c_of_an_object_from_outside_is_that_objects():
    graph = symdiff.differentiable(packs).graph("float")
    assert "pack" in str(graph)


def squeezed(x):
    return np.squeeze(x) * 2.0, np.atleast_1d(np.squeeze(x)).astype(float)


def test_a_number_squeezed_is_an_array():
    follows(squeezed, 0.7, np.float64(0.7), np.array([[0.7]]))
    x = 0.7
    value, _ = symdiff.differentiable(squeezed).forward(x)
    assert [type(v) for v in value] == [type(v) for v in squeezed(x)]


NUMBERS = np.ndarray | float | int
TEXTS = str | None


class Accepting:
    kinds = int | float

    def __init__(self):
        self.others = str | None


ACCEPTING = Accepting()


def union_of_a_module(x):
    return 2.0 * x if isinstance(x, NUMBERS) and not isinstance(x, TEXTS) else x


def union_among_classes(x):
    return 2.0 * x if isinstance(x, (bytes, NUMBERS)) else x


def union_of_a_class(x):
    return 2.0 * x if isinstance(x, Accepting.kinds) and issubclass(type(x), Accepting.kinds) else x


def union_of_an_object(x):
    return x if isinstance(x, ACCEPTING.others) else 2.0 * x


def union_made_longer(x):
    return 2.0 * x if isinstance(x, TEXTS | float) and not isinstance(x, TEXTS) else x


@pytest.mark.parametrize(
    "function",
    [
        union_of_a_module,
        union_among_classes,
        union_of_a_class,
        union_of_an_object,
        union_made_longer,
    ],
)
def test_unions_of_classes_that_are_made_outside(function):
    assert function(3.0) == 6.0 and symdiff.grad(function)(3.0) == 2.0
    assert symdiff.jvp(function, (3.0,), (1.0,)) == (6.0, 2.0)
    assert symdiff.grad(symdiff.grad(lambda x: x * function(x)))(3.0) == 4.0


def test_a_union_that_is_given_or_changed(monkeypatch):
    def asked(x, kinds):
        return 2.0 * x if isinstance(x, kinds) else x

    assert symdiff.grad(asked)(3.0, int | float) == 2.0
    assert symdiff.grad(asked)(3.0, int | str) == 1.0
    slope = symdiff.grad(union_of_a_module)
    assert slope(3.0) == 2.0
    monkeypatch.setitem(globals(), "NUMBERS", int | str)
    assert slope(3.0) == 1.0


def true_or_an_integer(x):
    r = True if x < 0.5 else 2
    return x if r is True else x * x


def true_or_a_float(x):
    r = 2.0
    if x < 0.5:
        r = True
    return x if True is not r else x * x


def false_or_a_count(x):
    found = False
    for k in range(3):
        if x > k:
            found = k + 1
    return x if found is False else x * found


def an_integer_or_a_bool_in_turn(x):
    r = 2
    while x < 9.0:
        x = x * 2.0 if r is False else x * 3.0
        r = x > 2.0
    return x


def a_bool_or_a_float_asked_for_its_class(x):
    r = True if x < 0.5 else 2.0
    return x if isinstance(r, bool) else x * x


@pytest.mark.parametrize(
    "function",
    [
        true_or_an_integer,
        true_or_a_float,
        false_or_a_count,
        an_integer_or_a_bool_in_turn,
        a_bool_or_a_float_asked_for_its_class,
    ],
)
def test_whether_a_number_is_true_itself_is_refused_where_it_is_a_bool_on_some_paths(function):
    with pytest.raises(UnsupportedSyntaxError, match="class of a number that is a bool"):
        symdiff.grad(function)(0.3)


def bools_none_and_integers(x):
    r, found, n = x < 0.5, None, 0
    for k in range(3):
        n = n + k
        if x > k:
            found = True
    x = x if r is True else x * x
    return x * (3.0 if found is True else 5.0) * (7.0 if n is False else 11.0)


def test_a_bool_on_all_paths_is_true_itself():
    for x, slope in ((-0.3, 55.0), (0.3, 33.0), (0.7, 33.0 * 1.4)):
        assert symdiff.grad(bools_none_and_integers)(x) == pytest.approx(slope)
        assert symdiff.jvp(bools_none_and_integers, (x,), (1.0,))[1] == pytest.approx(slope)


def told_by_numpys_sentinel(x, keepdims=np._NoValue, axis=np._NoValue):
    given = {} if keepdims is np._NoValue else {"keepdims": keepdims}
    made = np.max(np.outer([x, 1.0], [2.0, x]), axis=0, **given)
    return np.sum(made) * (x if axis == np._NoValue else 1.0) * made.ndim


@pytest.mark.parametrize("verified", ["0", "1"])
def test_numpys_sentinel_is_one_object(monkeypatch, verified):
    monkeypatch.setenv("SYMDIFF_VERIFY", verified)
    gradient = symdiff.grad(told_by_numpys_sentinel)
    assert gradient(3.0) == 3 * 3.0**2 + 4 * 3.0  # of (2x + x²) x
    assert gradient(3.0, np._NoValue, 0) == 2.0 + 2 * 3.0
    assert gradient(3.0, True, 0) == 2 * (2.0 + 2 * 3.0)
    assert gradient(3.0, keepdims=True) == 2 * (3 * 3.0**2 + 4 * 3.0)
    assert gradient(3.0) == 3 * 3.0**2 + 4 * 3.0
