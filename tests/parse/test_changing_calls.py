"""Functions that are not followed and write the arrays that they are given, as numba's may.

``struct`` stands for them: ``PACK(array, 8, 5.0)`` writes element 1, ``PEEK(array, 8)`` reads it.
"""

import struct

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError

PACK, PEEK = struct.Struct("d").pack_into, struct.Struct("d").unpack_from
KEPT = np.zeros(2)
X = np.array([0.5, 2.0, 3.0])


def test_what_is_written_is_read_after_it():
    def f(x):
        row = np.zeros(3)
        PACK(row, 8, 5.0)
        return row[1] * x + row[0]

    assert sd.value_and_grad(f)(2.0) == (10.0, 5.0)
    assert sd.jvp(f, (2.0,), (1.0,)) == (10.0, 5.0)


def test_what_is_written_through_a_view_and_in_a_loop():
    def f(x):
        table = np.ones((2, 3))
        for k in range(2):
            PACK(table[k], 8, 7.0)
        return np.sum(table * x)

    np.testing.assert_array_equal(sd.grad(f)(X), [2.0, 14.0, 2.0])


def test_an_array_outside_is_written_once_a_call():
    def f(x):
        PACK(KEPT, 0, KEPT[0] + 1.0)
        return KEPT[0] * x

    gradient = sd.grad(f)
    assert [gradient(2.0), gradient(2.0)] == [1.0, 2.0]
    assert KEPT[0] == 2.0


def test_copies_of_an_array_outside_lie_in_memory_as_it_does():
    table = np.asfortranarray(np.random.default_rng(0).normal(size=(300, 70)))

    def f(x):
        table[0, 0] = x
        return np.sum(table) * x  # added up in the order of memory

    def g(x):
        PEEK(table.T, 0)
        return x * x

    assert sd.value_and_grad(f)(2.0)[0] == f(2.0)
    assert sd.grad(g)(2.0) == 4.0


def test_derivatives_flow_through_what_is_read_only():
    def f(x):
        row = x * x
        PEEK(row, 0)
        return np.sum(row * row)

    np.testing.assert_allclose(sd.grad(f)(X), 4 * X**3, rtol=1e-15)
    np.testing.assert_allclose(sd.hessian(f)(X), np.diag(12 * X**2), rtol=1e-15)
    np.testing.assert_allclose(sd.jvp(f, (X,), (X,))[1], np.sum(4 * X**4), rtol=1e-15)


def overwritten(x):
    row = x * 2.0
    PACK(row, 0, 9.0)
    return np.sum(row)


def computed(x):
    row = np.zeros(3)
    PACK(row, 0, x[0])
    return np.sum(row)


@pytest.mark.parametrize("function", [overwritten, computed])
def test_derivatives_of_what_is_written_are_refused_by_line(function):
    for derivative in (sd.grad(function), lambda x: sd.jvp(function, (x,), (x,))):
        with pytest.raises(UnsupportedCallError, match="pack_into, which is not followed") as told:
            derivative(X)
        assert told.value.span.file == __file__
        assert "symdiff.custom_vjp" in told.value.hint


def test_two_views_of_one_array_are_not_to_be_written():
    def f(x):
        row = np.zeros(3)
        PACK(row[:2], 0, float(PEEK is None), *[row][:0])
        return row[0] * x + len(row)

    assert sd.grad(f)(2.0) == 0.0


def test_a_range_is_given_as_it_is(capsys):
    def f(x, n):
        print(range(n))
        return x * np.average(range(n)), x * np.average(range(1, 8, 3))

    value, pullback = sd.vjp(f, 2.0, 5)
    assert value == (4.0, 8.0)
    assert pullback((1.0, 1.0)) == (6.0, None)
    assert capsys.readouterr().out == "range(0, 5)\n"
    assert "np.average(range(0, n, 1))" in str(sd.differentiable(f).source(2.0, 5))


@pytest.mark.parametrize(
    "given", [lambda x: zip([x]), lambda x: [x].append, lambda x: {1: x}.keys()]
)
def test_what_is_no_value_is_not_given(given):
    def f(x):
        print(given(x))
        return x

    with pytest.raises(UnsupportedCallError, match="passed to a function that symdiff does not"):
        sd.grad(f)(2.0)
