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
    with pytest.raises(UnsupportedCallError, match="of which nothing is known") as caught:
        symdiff.grad(function)(0.7)
    assert caught.value.span is not None
    assert caught.value.hint is not None


THREE = 3


def one_number(x, n):
    return x if n is THREE else 2 * x


def test_whether_two_numbers_are_one_object_is_refused():
    with pytest.raises(UnsupportedSyntaxError, match="are one object") as caught:
        symdiff.grad(one_number)(0.7, 3)
    assert caught.value.span is not None
    assert caught.value.hint == "compare with =="


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


def grows_a_set(x):
    seen = set()
    seen.add(1)
    return x * len(seen)


@pytest.mark.parametrize("function", [prints_a_set, returns_a_set, grows_a_set])
def test_sets_that_would_have_to_be_made_or_changed_are_refused(function):
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
    with pytest.raises(UnsupportedSyntaxError, match="a tuple of 3 in one branch, of 2"):
        symdiff.differentiable(returns_tuples_of_two_lengths).graph("float")


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
