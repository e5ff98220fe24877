"""``ExitStack`` and ``StringIO``: values are those of Python, slopes differences."""

import io
from contextlib import ExitStack, redirect_stdout

import numpy as np
import pytest

import symdiff


class Logged:
    def __init__(self, value, log):
        self.value = value
        self.log = log

    def __enter__(self):
        return self.value

    def __exit__(self, *raised):
        self.log.append(self.value)
        return False


def entered(x, c):
    log = []
    with ExitStack() as stack:
        a = stack.enter_context(Logged(x[0] * c, log))
        b = stack.enter_context(Logged(x[1], log))
        y = a * b
    return y + log[0] * 2.0 + log[1] * 3.0


def entered_in_a_loop(x, c):
    log = []
    with ExitStack() as stack:
        for k in range(3):
            stack.enter_context(Logged(x[k] * c, log))
    return log[0] + 2.0 * log[1] + 3.0 * log[2]


def called_back(x, c):
    out = {}

    def put(key, value, scale=1.0):
        out[key] = value * scale

    with ExitStack() as stack:
        stack.callback(put, "a", x[0], scale=c)
        stack.callback(put, "a", x[1])
        y = x[2]
    return y * out["a"]


def called_back_on_some_paths(x, c):
    log = []
    with ExitStack() as stack:
        if x[0] > c:
            stack.callback(log.append, x[0])
        y = x[1]
    return y * c + sum(log)


def moved(x, c):
    log = []
    with ExitStack() as stack:
        stack.callback(log.append, x[0])
        stack.callback(log.append, x[1] * c)
        kept = stack.pop_all()
    before = len(log)
    kept.close()
    return log[0] * 2.0 + log[1] * 3.0 + before


def swallowed(x, c):
    log = []
    with ExitStack() as stack:
        stack.push(Logged(x[0], log))
        stack.push(lambda kind, error, traceback: kind is ValueError)
        y = c * x[1]
        if x[0] > c:
            raise ValueError("no")
        y = y * 10.0
    return y * x[0] + log[0]


def raised_by_a_callback(x, c):
    log = []

    def fail():
        raise KeyError("k")

    try:
        with ExitStack() as stack:
            stack.callback(log.append, x[0] * 2.0)
            stack.callback(fail)
            stack.callback(log.append, x[1])
            y = c
    except KeyError:
        y = x[2] * c
    return y * log[0] + log[1] * len(log)


def raised_through(x, c):
    log = []
    try:
        with ExitStack() as stack:
            stack.callback(log.append, x[0] * 2.0)
            stack.enter_context(Logged(x[1], log))
            if x[2] > 0:
                raise ValueError("v")
            y = 1.0
    except ValueError:
        y = x[2] * c
    return y * log[0] * log[1]


def returned(x, c):
    log = []

    def f(v):
        with ExitStack() as stack:
            stack.callback(log.append, v * c)
            if v > 0.5:
                return v * v
            stack.callback(log.append, v)
        return v * 3.0

    y = f(x[0]) + f(x[1])
    return y + log[0] * log[1]


def in_a_staged_loop(x, c):
    y = 0.0
    for v in x:
        with ExitStack() as stack:
            a = stack.enter_context(Logged(v * c, []))
            stack.callback(lambda: None)
            y = y + a * a
    return y


def written(x, c):
    file = io.StringIO()
    n = file.write("abc")
    print("de", 3, file=file)
    with redirect_stdout(file):
        print("f", sep="", end="!")
    parts = file.getvalue().split("\n")
    return x[0] * c * len(file.getvalue()) + n * x[1] * len(parts)


PROGRAMS = [
    entered, entered_in_a_loop, called_back, called_back_on_some_paths, moved, swallowed,
    raised_by_a_callback, raised_through, returned, in_a_staged_loop, written,
]  # fmt: skip


@pytest.mark.parametrize("x", [[0.9, 0.4, 0.6], [0.2, 0.95, 0.75]])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_programs(function, x):
    x, c = np.array(x), 0.55
    value, gradient = symdiff.value_and_grad(function, argnums=(0, 1))(x, c)
    assert value == pytest.approx(function(x, c), rel=1e-14)
    steps = 1e-6 * np.eye(4)
    slopes = [(function(x + s[:3], c + s[3]) - function(x - s[:3], c - s[3])) / 2e-6 for s in steps]
    np.testing.assert_allclose([*gradient[0], gradient[1]], slopes, rtol=1e-6, atol=1e-8)


class OnlyValueErrors:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, ValueError)


def an_element_inside(x, k):
    y = 0.0
    with OnlyValueErrors():
        y = x[k]
        if y < 0.0:
            raise ValueError(y)
        y = y * y
    return y


def elements_inside_in_turn(x, k):
    y = x.copy()
    for i in range(k + 1):
        with OnlyValueErrors():
            y[0] = y[i] * y[0]
            if y[0] < 0.0:
                raise ValueError("negative")
            y[0] = y[0] * y[0]
    return y[0]


@pytest.mark.parametrize("function", [an_element_inside, elements_inside_in_turn])
def test_what_a_manager_does_not_swallow_is_raised_as_it_was(function):
    x = np.array([0.7, -0.4])
    for derivative in (symdiff.grad(function), symdiff.differentiable(function).forward):
        with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
            derivative(x, 2)
    a, b = x
    expected = [2 * a, 0.0] if function is an_element_inside else [4 * a**3, 0.0]
    np.testing.assert_allclose(symdiff.grad(function)(x, 0), expected, rtol=1e-14)
    expected = [0.0, 1.0] if function is an_element_inside else [4 * a**3 * b, a**4]
    np.testing.assert_allclose(symdiff.grad(function)(x, 1), expected, rtol=1e-14)
