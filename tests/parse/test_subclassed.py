"""Numbers of subclasses of int, float and complex: operators give Python's and NumPy's results."""

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
