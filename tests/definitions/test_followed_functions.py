"""Functions of SciPy's that are followed into their source, by differences."""

import functools
import operator

import numpy as np
import pytest
from scipy import constants, integrate, interpolate, stats

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
K = np.linspace(0.0, 5.0, 6)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: integrate.cumulative_simpson(x, x=K + 0.1 * x),
        lambda x: integrate.cumulative_simpson(x, dx=0.5, initial=1.0),
        lambda x: integrate.cumulative_simpson(x.reshape(2, 3), dx=x[0], axis=0),
        lambda x: np.dot(integrate.newton_cotes(5, 1)[0], x),
        lambda x: interpolate.pade(x, 2)[0](0.3) + interpolate.pade(x, 2)[1](0.3),
        lambda x: interpolate.pchip_interpolate(K, x, np.array([0.3, 1.7])),
        lambda x: constants.nu2lambda(x) / 1e8,
        lambda x: constants.lambda2nu(x) / 1e8,
        lambda x: constants.convert_temperature(x, "Celsius", "F"),
        lambda x: stats.quantile(x, 0.3) * stats.quantile(x.reshape(2, 3), 0.5, axis=-1),
        lambda x: stats.quantile(x, 0.1 * x[:2], method="hazen"),
        lambda x: stats.lmoment(x),
        lambda x: stats.false_discovery_control(0.3 * x),
        lambda x: stats.qmc.scale(np.array([[0.2, 0.3]]), x[:2] - 3.0, x[:2]),
        lambda x: stats.theilslopes(x[:3] ** 2, x[3:])[0],
        lambda x: stats.chi2_contingency(x.reshape(2, 3))[:2],
    ],
)
def test_functions_that_are_followed(found):
    check(found, X, step=0.005)


def changed_in_place(x):
    items = [x[0]]
    same = operator.iadd(items, [x[1]])
    y = x.copy()
    z = operator.itruediv(operator.imul(y, 2.0), x[::-1])
    operator.isub(z, x[2])
    return operator.ipow(x[0], 2) + y, len(same) + 0.0 * x[0], items[1], z is y


def test_operators_that_change_their_left_operand():
    check(lambda x: changed_in_place(x)[:3], X)
    assert changed_in_place(X)[3]


class Joined:
    """What ``|``, ``&``, ``~`` and ``+`` join."""

    def __init__(self, v):
        self.v = v

    def __or__(self, other):
        return Joined(self.v * other.v + self.v)

    def __and__(self, other):
        return Joined(self.v - other.v)

    def __invert__(self):
        return Joined(1.0 / self.v)

    def __getitem__(self, k):
        if isinstance(k, slice):
            return [self.v * i for i in range(*k.indices(7))]
        return self.v * k

    def __add__(self, other):
        return self.v + other.v


def test_operators_of_objects():
    def joined(x):
        parts = [Joined(v) for v in x]
        items = {"a": 1.0}
        operator.setitem(items, "b", operator.and_(parts[0], operator.inv(parts[1])).v)
        operator.delitem(items, "a")
        found = operator.countOf([1, 2, 2], 2) * operator.indexOf("abc", "c") * operator.truth([x])
        total = functools.reduce(operator.or_, parts).v
        return total + items["b"] * found + operator.concat(parts[2], parts[3])

    check(joined, X)


def test_sequences_are_joined_where_arrays_would_be_added():
    def of_rows(m):
        items = operator.iconcat([m[0, 0]], m[1])
        return [len(items) * sum(items), functools.reduce(operator.iconcat, m, [])[-1] ** 2]

    def of_tuples(m):
        joined = operator.concat((m[0, 0],), operator.iconcat((2.0,), (m[1, 1],)))
        return len(joined) * joined[2] * joined[0]

    m = X.reshape(2, 3)
    check(of_rows, m)
    check(of_tuples, m)
    cases = [
        lambda m: operator.concat(m[0], m[1]),
        lambda m: operator.concat([m[0, 0]], m[1])[0],
        lambda m: operator.concat((m[0, 0],), m[1, 1])[0],
        lambda m: operator.iconcat((m[0, 0],), m[1])[0],
        lambda m: operator.concat(3, m[1]),
        lambda m: operator.concat([m[0, 0]], 3)[0],
    ]
    for case in cases:
        with pytest.raises(TypeError) as expected:
            case(m)
        with pytest.raises(TypeError) as found:
            sd.jvp(case, (m,), (m,))
        assert str(found.value).startswith(str(expected.value))


def test_indices_of_slices():
    def taken(x):
        one, n = Joined(x), len(x)
        pieces = [one[1:], one[::-1], one[-3::2], one[:-5:-2], one[9:2:-3], one[n:], one[:n]]
        return [sum(piece, 0.0 * x) ** 2 for piece in pieces]

    check(taken, X)
    for bounds in [(0, 2, 0), (1.5,)]:
        with pytest.raises((ValueError, TypeError)) as expected:
            slice(*bounds).indices(3)
        with pytest.raises(type(expected.value), match=str(expected.value)):
            sd.grad(lambda x, at=bounds: x * slice(*at).indices(3)[0])(1.0)
