"""Numbers of subclasses of int, float and complex: operators give Python's and NumPy's results."""

import functools
import math
import operator

import numpy as np
import pytest

import symdiff
from symdiff.errors import UnsupportedCallError


class Metres(float):
    unit = "m"


class Count(int):
    def half(self):
        return self // 2


class Phase(complex):
    pass


class Odd(float):
    """Its reflected methods say what neither NumPy nor an inherited method asks for."""

    def __rmul__(self, other):
        return 100.0 * other

    def __radd__(self, other):
        return 1000.0 + other

    def __rpow__(self, other):
        return other * 9.0

    def __gt__(self, other):
        return False

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class OddCount(int):
    __rmul__ = Odd.__rmul__
    __radd__ = Odd.__radd__
    __gt__ = Odd.__gt__
    __eq__ = Odd.__eq__
    __hash__ = int.__hash__


class Converted(float):
    def __float__(self):
        return 77.0


NUMBERS = {
    "metres": Metres(3.0),
    "count": Count(3),
    "phase": Phase(3.0),
    "odd": Odd(3.0),
    "odd_count": OddCount(3),
}
CONVERTED = Converted(2.0)
REBOUND = Odd(2.0)

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
COMPARISONS = [operator.lt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("of_kind", [float, np.float64])
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("name", NUMBERS)
def test_operators(name, op, of_kind):
    number = NUMBERS[name]
    x = np.array([0.7, 1.9])

    def before(x):
        v = of_kind(x[0])
        return np.real(op(v, number)) + x[1]

    def behind(x):
        v = of_kind(x[0])
        return np.real(op(number, v)) + x[1]

    for function in (before, behind):
        step = np.array([1e-6, 0.0])
        slope = (function(x + step) - function(x - step)) / 2e-6
        value, gradient = symdiff.value_and_grad(function)(x)
        assert value == pytest.approx(function(x), rel=1e-14)
        np.testing.assert_allclose(gradient, [slope, 1.0], rtol=1e-7)


@pytest.mark.parametrize("name", ["metres", "count", "odd", "odd_count"])
def test_arrays_before_them(name):
    number = NUMBERS[name]

    def of_array(x):
        return np.sum(x * number + x**2)

    x = np.array([0.7, 1.9])
    assert symdiff.value_and_grad(of_array)(x)[0] == pytest.approx(of_array(x), rel=1e-14)
    np.testing.assert_allclose(symdiff.grad(of_array)(x), 3.0 + 2.0 * x, rtol=1e-14)


@pytest.mark.parametrize("op", COMPARISONS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("name", ["metres", "count", "odd", "odd_count"])
def test_comparisons(name, op):
    number = NUMBERS[name]

    def of_numbers(x):
        y = 2.0 if op(x, number) else 3.0
        z = 5.0 if op(number, x) else 7.0
        return x * y * z

    for x in (0.7, 3.0, 3.5, np.float64(0.7), np.float64(3.0)):
        assert symdiff.grad(of_numbers)(x) == pytest.approx(of_numbers(x) / x, rel=1e-14)


def by_an_argument(x, c):
    return x * c + c.half() * x


def test_an_argument_of_a_subclass():
    assert symdiff.grad(by_an_argument)(0.5, Count(7)) == 7.0 + 3.0


def test_another_number_is_another_program(monkeypatch):
    def of_rebound(x):
        return 3.0 * x - x / REBOUND

    gradient = symdiff.grad(of_rebound)
    assert gradient(0.5) == 3.0 - 1.0 / 2.0
    monkeypatch.setitem(globals(), "REBOUND", Odd(4.0))  # equal, as its class says
    assert gradient(0.5) == 3.0 - 1.0 / 4.0
    monkeypatch.setattr(Odd, "__rtruediv__", lambda self, other: 8.0 * other, raising=False)
    assert gradient(0.5) == 3.0 - 8.0


def test_a_conversion_that_numpy_calls_is_refused():
    def of_converted(x):
        return np.sum(x * CONVERTED)

    with pytest.raises(UnsupportedCallError, match="of a Converted by its __float__"):
        symdiff.grad(of_converted)(np.ones(2))


# Made in the function -----------------------------------------------------------------------------


class Tagged(float):
    def __new__(cls, value, tag=1.0):
        made = super().__new__(cls, value)
        made.tag = tag
        return made

    @property
    def half(self):
        return self / 2

    def doubled(self):
        return Tagged(self * 2, self.tag)


class Summed(float):
    """What is added to it stays of its class."""

    def __add__(self, other):
        return Summed(super().__add__(other))

    __radd__ = __add__


class Backwards(float):
    def __lt__(self, other):
        return float(self) > float(other)


def tagged(x):
    d = Tagged(x * x, tag=x)
    return d.tag * d + d.half * d.real + d.imag + d.doubled().tag * 3.0


def added(x):
    made = Summed(x) + x * x + Summed(2 * x)
    total = sum([Summed(x), Summed(x * x)])
    return made**2 * 1.0 + total * 2.0 if type(made) is type(total) is Summed else x


def told(x):
    first = x * x if Metres(x) else x
    second = 2 * x if Metres(x * 0) else 3 * x
    third = x if Metres(x) < Metres(x * 2) and Metres(x) == x != Metres(2 * x) else x**4
    return first + second + third + (Backwards(x) < Backwards(2 * x)) * x**3


def of_functions(x):
    d = Metres(x)
    whole = round(d) * x + int(d) * x + d // 1 + divmod(d, 1.0)[1] + hash(Metres(2.0)) * d
    return whole + abs(-d) + pow(d, 2) + math.sin(d) * math.hypot(d, Metres(3.0)) + float(d)


def of_numpy(x):
    a = np.array([x, x * x]) * Metres(x) + Metres(2 * x)
    a[0] = Metres(x * 3)
    return a.sum() + np.sin(Metres(x)) + np.sum(np.array([Metres(x), Metres(x**3)]))


def in_loops(x):
    made, k = Tagged(1.0), 0
    while made < 50 and k < 9:
        made, k = Tagged(made * x + 1.0, tag=k * x), k + 1
    for i in range(3):
        made = Tagged(made * x, made.tag + i)
    return made * made.tag


def in_arms(x):
    one = Metres(x) if x > 1 else Metres(x * x)
    two = Metres(x) if x > 1 else x * x
    return one * x + two * x + (3.0 if one.unit == "m" else 5.0) * x


def counted(x):
    n = Count(3)
    items = [x, x * x, x**3, x**4]
    return n * x + Count(7).half() * x + items[Count(2)] + items[n] + sum(x * i for i in range(n))


def complex_ones(x):
    return abs(Phase(x + 2j) * Phase(1, x)) + Phase(x).real


def in_order(x):
    made = sorted([Backwards(x), Backwards(x * 3), Backwards(x * 2)])
    largest = max(Metres(x), Metres(x * x), key=lambda one: one)
    joined = functools.reduce(lambda a, b: Metres(a * b + 1), [Metres(x), Metres(2 * x)])
    return made[0] + 10 * made[1] + 100 * made[2] + largest * 1.0 + joined * 1.0


def of_a_class_made_here(x):
    class Squared(float):
        def __init__(self, value):
            self.square = value * value

    return Squared(x).square * Squared(2 * x)


MADE = [
    tagged, added, told, of_functions, of_numpy, in_loops, in_arms, counted, complex_ones, in_order,
    of_a_class_made_here,
]  # fmt: skip


def slope(function, x, step=1e-3):
    def central(h):
        return (function(x + h) - function(x - h)) / (2 * h)

    return (4 * central(step / 2) - central(step)) / 3


@pytest.mark.parametrize("x", [1.3, 0.4])
@pytest.mark.parametrize("function", MADE, ids=lambda f: f.__name__)
def test_numbers_that_are_made_here(function, x, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    gradient = symdiff.grad(function)
    for _ in range(2):
        assert gradient(x) == pytest.approx(slope(function, x), rel=1e-7)
    value, tangent = symdiff.jvp(function, (x,), (1.0,))
    assert value == pytest.approx(float(function(x)), rel=1e-14)
    assert tangent == pytest.approx(gradient(x), rel=1e-12)
    curvature = slope(lambda t: slope(function, t), x)
    assert symdiff.grad(gradient)(x) == pytest.approx(curvature, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: Metres(x), "the function returns an object of Metres"),
        (lambda x: {Metres(x): x}[x], "known at run time only"),
        (lambda x: {Odd(2.0): x, 3.0: x}[2.0], "which has an __eq__ of its own"),
        (lambda x: Metres(x).hex() and x, "the method 'hex' of float"),
        (lambda x: x * len("{}".format(Metres(x))), "known at run time only"),  # noqa: UP032
        (lambda x: np.sum(np.ones(2) * Converted(x)), "of a Converted by its __float__"),
    ],
)
def test_what_is_not_known_of_them_is_refused(function, told):
    with pytest.raises(symdiff.SymdiffError, match=told):
        symdiff.grad(function)(1.3)


class Shown(float):
    def __repr__(self):
        return "about " + super().__repr__()

    def text(self):
        return super().__str__()

    def formatted(self):
        return super().__format__("")


class Written(float):
    def __str__(self):
        return "about " + super().__str__()

    def formatted(self):
        return super().__format__("")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * len(Shown(1.5).text()),
        lambda x: x * len(Shown(1.5).__str__()),
        lambda x: x * len(Shown(1.5).formatted()),
        lambda x: x * len(Written(1.5).formatted()),
        lambda x: x * len(Written(1.5).__format__("")),
    ],
)
def test_texts_of_numbers_that_their_classes_give_are_not_those_of_plain_numbers(function):
    assert function(1.0) == len("about 1.5")
    with pytest.raises(symdiff.UnsupportedCallError, match="which is not written in Python"):
        symdiff.grad(function)(1.0)


def test_texts_of_numbers_that_their_classes_do_not_give():
    def function(x):
        return x * len(str(Written(1.5))) + x * x * len(Shown(1.5).__repr__())

    assert symdiff.grad(function)(2.0) == 9.0 + 2 * 2.0 * 9.0


def test_a_number_from_outside_as_an_index():
    def function(x):
        return [x, x * x, x**3][NUMBERS["count"] - 1] + [x, x * x, x**3, x**4][NUMBERS["count"]]

    assert symdiff.grad(function)(2.0) == 3 * 2.0**2 + 4 * 2.0**3
