"""What Python and NumPy make of operators on sequences and on objects of the user's classes."""

import collections
import dataclasses
import enum
import functools
import logging
import math
import operator
import types
from typing import NamedTuple

import numpy as np
import pytest

import symdiff
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from tests.parse.following import follows

X = np.array([0.5, 2.0, 3.0])


class Plain:
    def __init__(self, value):
        self.value = value

    def __rmul__(self, other):
        return self.value * other

    def __add__(self, other):
        return NotImplemented

    def __radd__(self, other):
        return 7.0


class Own(Plain):
    """Its reflected method comes before the method of its base class."""

    def __add__(self, other):
        return 1.0

    def __radd__(self, other):
        return 2.0


class Beside(Plain):
    __array_ufunc__ = None


def a_number_of_numpy_comes_as_one_of_python(x):
    found = x[0] * Plain(x[1])
    return found, isinstance(found, np.floating)


def an_array_steps_back(x):
    return x * Beside(x[1])


def a_subclass_comes_first(x):
    return x[0] * (Plain(x[0]) + Own(x[1]))


def nothing_is_said_for_two_of_a_kind(x):
    return x[0] * (Plain(x[0]) + Plain(x[1]))


def a_sequence_times_a_number(x):
    return (1.0, 2.0) * x[0]


def a_sequence_of_what_is_staged(x):
    return sum((x[0], x[1]) * 3) + sum(2 * [x[0], 1.0])


def a_sequence_and_an_array(x):
    return (1.0, 2.0, 3.0) * x + np.sum(x * (x[0], 1.0, 2.0)) + [1.0, 2.0, 3.0] * x


def ends_of_ranges(x):
    return x[range(0)], x[range(2, 0, -1)], x + range(3)


@pytest.mark.parametrize(
    "function",
    [
        a_number_of_numpy_comes_as_one_of_python,
        an_array_steps_back,
        a_subclass_comes_first,
        nothing_is_said_for_two_of_a_kind,
        a_sequence_times_a_number,
        a_sequence_of_what_is_staged,
        a_sequence_and_an_array,
        ends_of_ranges,
    ],
    ids=lambda f: f.__name__,
)
def test_operators_mean_what_python_and_numpy_mean(function):
    follows(function, X)


class Sequence(Plain):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.value


@pytest.mark.parametrize("function", [lambda x: x * Plain(x[1]), lambda x: x[0] * Sequence(x[1])])
def test_what_numpy_makes_an_array_of_is_refused(function):
    with pytest.raises(UnsupportedCallError, match="__array_ufunc__ = None"):
        symdiff.grad(function)(X)


LOG = logging.getLogger(__name__)


def logs_each_step(x):
    total = 0.0
    for k in range(2):
        total += x[k] ** 2
        LOG.warning("step %d: %.2f", k, total)
    return total


def test_messages_are_logged_once_a_call(caplog):
    gradient = symdiff.grad(logs_each_step)
    for _ in range(2):
        caplog.clear()
        np.testing.assert_array_equal(gradient(X), [1.0, 4.0, 0.0])
        assert [record.getMessage() for record in caplog.records] == [
            "step 0: 0.25",
            "step 1: 4.25",
        ]


def test_a_method_of_a_named_tuple_is_looked_up_at_each_call(monkeypatch):
    from tests.programs.special_methods import Vector

    gradient = symdiff.grad(lambda x: abs(Vector(x, 2.0) + Vector(x, 0.0)))
    assert gradient(0.0) == 0.0
    assert gradient(1.0) == pytest.approx(2 * 2 / np.sqrt(8.0), rel=1e-14)
    monkeypatch.setattr(Vector, "__add__", lambda self, other: Vector(self.x * 3.0, 0.0))
    assert gradient(1.0) == 3.0


class Doubled(NamedTuple):
    value: float

    def __iter__(self):
        return iter((self.value, self.value))


@pytest.mark.parametrize(
    ("function", "argument"),
    [(lambda x: sum(Doubled(x[0])), X), (lambda d: d.value**2, Doubled(2.0))],
)
def test_tuples_whose_items_are_not_what_they_seem_are_refused(function, argument):
    with pytest.raises(UnsupportedCallError, match="__iter__ of its own"):
        symdiff.grad(function)(argument)


class Agrees:
    def __eq__(self, other):
        return True


class Disagrees:
    def __ne__(self, other):
        return True


class Unsure:
    def __eq__(self, other):
        return NotImplemented


class Nothing:
    pass


@dataclasses.dataclass
class Point:
    x: float


nothing, agrees, differs, unsure = Nothing(), Agrees(), Disagrees(), Unsure()
COMPARED = [nothing, agrees, unsure, Point(1.0), Point(2.0), 2, "a"]


def compares_each(x):
    found = []
    for one in COMPARED:
        for other in COMPARED:
            found.append((one == other, one != other))
    return found, x == nothing, nothing == x, agrees == x, unsure != x


def looks_among(x):
    return nothing in [agrees], agrees in (nothing,), unsure in [nothing], nothing in [x, nothing]


def disagrees(x):
    return nothing != differs, differs != nothing, differs != x, differs == differs


@pytest.mark.parametrize(
    "function",
    [
        compares_each,
        looks_among,
        disagrees,
        lambda x: nothing < nothing,
        lambda x: nothing < x,
        lambda x: x >= unsure,
        lambda x: Point(x) < unsure,
    ],
)
def test_objects_are_compared_by_the_methods_of_both(function):
    follows(function, 2.0)


def test_a_comparison_by_different_methods_of_both_is_refused():
    with pytest.raises(UnsupportedCallError, match="has no __ne__"):
        symdiff.grad(lambda x: x if agrees != differs else 2 * x)(2.0)


class Steps:
    def __init__(self):
        self.k = 1.0

    def __next__(self):
        self.k = self.k * 3.0
        return self.k


def test_next_asks_the_object():
    def steps(x):
        steps = Steps()
        return x * next(steps) * next(steps)

    follows(steps, 2.0)
    assert symdiff.grad(steps)(2.0) == 27.0
    with pytest.raises(UnsupportedCallError, match=r"next\(\) of an object with a default"):
        symdiff.grad(lambda x: x * next(Steps(), 1.0))(2.0)


class Measured:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value * 2.0

    def __int__(self):
        return 3

    def __round__(self, digits=None):
        return self.value if digits is None else self.value * digits

    def __floor__(self):
        return self.value - 1.0

    def __trunc__(self):
        return 5

    def __divmod__(self, other):
        return self.value * other, 1.0

    def __rdivmod__(self, other):
        return other, self.value


class Position:
    def __index__(self):
        return 2


class Broken:
    def __float__(self):
        return 1


def converts(x):
    m = Measured(x)
    return float(m), int(m), round(m), round(m, 2), math.floor(m), math.trunc(m), complex(m)


def converts_positions(x):
    p = Position()
    return float(p) * x, int(p), operator.index(p), complex(p)


@pytest.mark.parametrize(
    "function",
    [
        converts,
        converts_positions,
        lambda x: math.ceil(Measured(1.3)),
        lambda x: round(Measured(x), ndigits=3),
        lambda x: (divmod(Measured(x), 3.0), divmod(x, Measured(x))),
        lambda x: x * float(nothing),
        lambda x: x * math.ceil(nothing),
        lambda x: divmod(nothing, x),
    ],
)
def test_conversions_ask_the_object(function):
    follows(function, 1.5)


def test_a_conversion_to_something_else_is_refused():
    with pytest.raises(UnsupportedCallError, match=r"Broken\.__float__ returns no float"):
        symdiff.grad(lambda x: x * float(Broken()))(2.0)
    assert symdiff.grad(lambda x: float(Measured(x)) ** 2)(3.0) == 8 * 3.0


class Truth:
    def __init__(self, answer):
        self.answer = answer

    def __bool__(self):
        return self.answer


def true_by_its_answer(x):
    return x[0] * 2 if Truth(x[1] > 1) else x[2]


def true_by_pythons_bool(x):
    return x[0] * 2 if Truth(bool(x[1] > 1)) else x[2]


def not_true_by_a_number(x):
    return x[0] * 2 if not Truth(1) else x[2]


def true_by_an_array(x):
    return x[0] * 2 if x[0] > 0 and Truth(x > 1) else x[2]


def caught_where_it_is_no_bool(x):
    try:
        return x[0] if all([Truth(bool(x[0] > 0)), Truth(x[1] > 1)]) else x[2]
    except TypeError as error:
        return len(str(error)) * x[1]


@pytest.mark.parametrize(
    "function",
    [
        *(true_by_its_answer, true_by_pythons_bool, not_true_by_a_number),
        *(true_by_an_array, caught_where_it_is_no_bool),
    ],
)
def test_truth_is_told_by_a_bool_of_pythons(function):
    follows(function, X, -X)


def test_what_is_no_method_says_what_python_says() -> None:
    def uncallable(x: float) -> float:
        return float(types.MethodType(3, x)() * x)  # type: ignore[arg-type]

    def of_nothing(x: float) -> float:
        return float(types.MethodType(len, None)() * x)

    for f in (uncallable, of_nothing):
        with pytest.raises(TypeError) as wanted:
            f(2.0)
        with pytest.raises(TypeError) as told:
            symdiff.grad(f)(2.0)
        assert str(told.value) == str(wanted.value)


def test_an_enumeration_made_by_a_call_is_refused_by_its_place() -> None:
    def f(x: float) -> float:
        return x * enum.Enum("Colour", "A B").B.value  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(UnsupportedCallError, match="an enumeration that is made inside") as told:
        symdiff.grad(f)(2.0)
    assert told.value.span is not None
    assert told.value.span.line == f.__code__.co_firstlineno + 1


def test_a_read_only_mapping_is_not_returned_as_a_dict() -> None:
    def f(x: float) -> types.MappingProxyType[str, float]:
        return types.MappingProxyType({"a": x})

    with pytest.raises(UnsupportedSyntaxError, match="returns an object of mappingproxy"):
        symdiff.jvp(f, (2.0,), (1.0,))


class Variable:
    """What calls all others equal, and is found in a dict by itself."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return True

    def __hash__(self):
        return id(self)


class Named(Variable):
    __hash__ = object.__hash__


class Alike(Variable):
    def __hash__(self):
        return 1


@pytest.mark.parametrize("kind", [Variable, Named])
def test_objects_are_keys_by_identity_where_their_hash_is(kind):
    def f(x):
        a, b = kind(x), kind(x * x)
        shares = {a: 2.0 * x, b: 3.0}
        shares[a] += x
        return shares[a] * shares[b] + sum(key.value * shares[key] for key in shares)

    value, slope = symdiff.value_and_grad(f)(2.0)
    assert value == f(2.0) == 42.0 and slope == 33.0  # 9 x + 6 x**2
    assert symdiff.jvp(f, (2.0,), (1.0,)) == (42.0, 33.0)
    assert symdiff.grad(symdiff.grad(f))(2.0) == 12.0


def test_objects_that_are_equal_by_numbers_are_refused_as_keys():
    with pytest.raises(UnsupportedSyntaxError, match="structure depends on 'x'"):
        symdiff.grad(lambda x: {Alike(x): x}[Alike(x)])(2.0)


def test_special_methods_of_numbers_are_their_operators():
    def f(x):
        made = float.__mul__(x, 3.0).__add__(x.__pow__(2)).__neg__().__abs__()
        return functools.reduce(float.__add__, [made, x]) if x.__gt__(1) else x

    assert symdiff.value_and_grad(f)(2.0) == (12.0, 8.0) and f(2.0) == 12.0  # x**2 + 4 x
    assert symdiff.grad(symdiff.grad(f))(2.0) == 2.0
    with pytest.raises(TypeError, match="requires a 'float' object"):
        symdiff.grad(lambda x: float.__add__(2, x))(2.0)


def test_a_default_factory_is_set():
    def f(x):
        counts = collections.defaultdict(float)
        counts["a"] += x
        counts.default_factory = lambda: 2.0 * x
        counts["b"] += x
        counts.default_factory = None
        try:
            counts["c"] += x
        except KeyError:
            return counts["a"] * counts["b"]
        return x

    assert symdiff.value_and_grad(f)(2.0) == (12.0, 12.0) and f(2.0) == 12.0
    with pytest.raises(AttributeError, match="default_factory"):
        symdiff.grad(lambda x: setattr({}, "default_factory", None) or x)(2.0)
