"""Arrays of rank 0 can be changed, NumPy's scalars cannot: which of the two a program holds."""

import numpy as np
import pytest

import symdiff as sd

X = np.array([1.0, 2.0, 3.0])


def changed_in_a_while_loop(x):
    t = np.array(0.0)
    u = t
    while t < 1:
        t += 0.1 * x[0]
    return t, u


def changed_in_a_for_loop(x):
    t = np.zeros(())
    u = t
    for i in range(3):
        t += x[i]
        u *= 2.0
    return t, u


def made_anew_in_a_loop(x):
    a = np.zeros(())
    for i in range(3):
        a = a + x[i]
    b = a
    b += 1
    return a, b


def scalars_are_not_changed(x):
    s = np.sum(x)
    r = s
    s += 1
    p = x[0]
    q = p
    p *= 2
    return s, r, p, q, x


def reads(x):
    a = np.array(2.0) * 1.0
    b = np.array(3.0)
    c = b[()]
    b += 1
    d = b[...]
    d += 1
    v = x * 1.0
    e = v[0, ...]
    e += 5.0
    f = v[1]
    f += 1.0
    return a, b, c, d, v, e, f


def writes(x):
    a = np.array(2.0)
    a[()] = x[0]
    a[...] += 1
    b = a
    b[...] = a * 2
    return a, b


def results_of_ufuncs(x):
    a = np.array(2.0)
    return (
        a * 1,
        a + x,
        -a,
        np.sin(a),
        a**2,
        abs(a),
        np.maximum(a, x[0]),
        np.where(x[0] > 0, a, 1.0),
    )


def outputs(x):
    a = np.zeros(())
    np.add(x[0], x[1], out=a)
    r = np.sin(x[0], out=a)
    r += 1
    return a, r, np.sum(x, out=np.zeros(()))


def methods(x):
    a = np.array(2.0)
    made = a.sum(), a.max(), np.asarray(a), np.array(a), a.copy(), a.reshape(1), a.ravel(), a.T
    return a.item(), float(a), a.tolist(), made


def methods_of_scalars(x):
    s = x[0]
    made = s.copy(), s.T, s.squeeze(), s.reshape(()), s.view(), np.copy(s), np.asarray(s)
    return made, s.ravel(), np.transpose(s), np.squeeze(s)


def rounded(x):
    return round(x[0] * 1.3), round(x[0] * 1.26, 1), np.round(x[0]), round(float(x[1]))


def changed_by_a_function(x):
    def bump(t):
        t += 1
        return t

    a, s = np.array(2.0), x[0]
    return bump(a), a, bump(s), s


def in_a_list(x):
    a = np.array(2.0)
    items = [a, a]
    items[0] += 1
    items[1] *= 2
    return a, items


def helper(v):
    return v * 2, v.sum()


def helper_of_both(x):
    return helper(x), helper(x[0:1]), helper(np.array(2.0)), helper(x[0])


def reshaped_to_a_number(x):
    a = np.squeeze(x[:1])
    a += 5
    b = x[1:2].reshape(())
    b += 1
    return a, b, x.copy()


FUNCTIONS = [
    f
    for name, f in list(globals().items())
    if callable(f) and f.__module__ == __name__ and name != "helper"
]


def kinds(value):
    """The types of what is in nested tuples and lists."""
    return [kinds(item) for item in value] if isinstance(value, tuple | list) else type(value)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_kinds_are_those_of_numpy(function):
    expected = function(X.copy())
    made, _ = sd.functional(function)(X)
    np.testing.assert_equal(made, expected)
    assert kinds(made) == kinds(expected)


def test_an_argument_of_rank_0_stays_as_it_is():
    def function(a):
        a = a * 2.0
        return a

    argument = np.array(3.0)
    assert sd.functional(function)(argument)[0] == 6.0
    assert sd.jvp(function, (argument,), (np.array(1.0),)) == (6.0, 2.0)
    assert argument == 3.0
