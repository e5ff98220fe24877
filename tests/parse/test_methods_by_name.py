"""Special methods that are called by their names do what the operator or function does."""

import numpy as np
import pytest

import symdiff

X = np.array([1.0, 2.0, 3.0])


def of_items(x):
    table, row, pair = {"a": x, "b": x * x}, [x, x * x], (x, x * x)
    total = table.__getitem__("b") + row.__getitem__(1) * pair.__getitem__(0)
    total = total + max(map(row.__getitem__, [0, 1])) * row.__len__() + pair.__len__()
    total = total + sum(row.__iter__()) + 3 * next(row.__reversed__())
    return total * table.__contains__("a") + [1, 2].__contains__(3) * x + pair.__contains__(x)


def as_keys(x):
    table, weights = {"a": x, "b": 2 * x, "c": x * x}, {"a": 2, "b": 3, "c": 1}
    ordered = sorted(table, key=weights.__getitem__)
    return (
        sum((k + 1) * table[name] for k, name in enumerate(ordered))
        + table[max(weights, key=weights.__getitem__)]
    )


def written(x):
    table, row, array = {}, [x, x], X * x
    table.__setitem__("k", x * x)
    row.__setitem__(0, x**3)
    row.__delitem__(1)
    array.__setitem__(slice(0, 2), x * x)
    np.ndarray.__setitem__(array, 1, 3.0 * x)
    return table["k"] * row[0] * len(row) + array.sum() + array.__getitem__(2)


def of_arrays(x):
    a = X * x
    total = a.__add__(X).sum() + a.__rsub__(1.0).sum() + a.__mul__(2.0)[0] + a.__matmul__(X)
    total = total + (-a).__abs__().sum() + a.__len__() * x + X.__rtruediv__(x)[1]
    chosen = np.where(a.__gt__(1.5).__and__(a.__lt__(9.0)), a, 0.0)
    return total + chosen.sum() + np.float64(x).__pow__(2) + np.float64(2.0).__mul__(x)


def of_lists(x):
    joined = [x].__add__([x * x])
    return joined[1] * len(joined) + (x,).__add__((x * x,))[1] * [1, 2].__eq__([1, 2])


def of_texts(x):
    numbers = [np.float64(1.5), np.int64(15), np.bool_(True), 1.5, 15]
    shown = "".join([number.__str__() + number.__repr__() for number in numbers])
    return x * x * len(shown) + x * len(np.float64(2.5).__format__(""))


FUNCTIONS = [of_texts, of_items, as_keys, written, of_arrays, of_lists]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_special_methods(function, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    symdiff.check_grads(function, (1.3,))

    def central(h):
        return (function(1.3 + h) - function(1.3 - h)) / (2 * h)

    expected = (4 * central(5e-4) - central(1e-3)) / 3
    assert symdiff.grad(function)(1.3) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: {"a": x}.__getitem__("b"),
        lambda x: [x].__getitem__(1),
        lambda x: (x,).__getitem__(1),
        lambda x: [x].__getitem__("a"),
        lambda x: [x].__add__((x,))[0],
    ],
)
def test_they_raise_as_python_does(function):
    with pytest.raises((KeyError, IndexError, TypeError)) as expected:
        function(1.3)
    with pytest.raises((expected.type, symdiff.SymdiffError)):
        symdiff.grad(function)(1.3)
