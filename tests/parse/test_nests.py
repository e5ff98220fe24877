"""Loops inside one another: those over known items are written turn by turn while that is short;
those that make arrays are followed about as often as others.
"""

import functools
import itertools

import numpy as np

import symdiff as sd
from symdiff.parse.trials import LoopStager

SEVEN = (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9)


def few(x):
    s = 0.0
    for a in (1, 2, 3, 4):
        for b in (1, 2, 3, 4):
            s = s + a * x**b
    return s


def three(x):
    s = 0.0
    for a in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
        for b in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
            for c in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
                s = s + np.exp(x * a * b * c)
    return s


def four(x):
    s = 0.0
    for a in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
        for b in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
            for c in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
                for d in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
                    s = s + np.exp(x * a * b * c * d)
    return s


def arrays(x):
    s = 0.0
    for a in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
        r = np.zeros(3)
        for b in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
            q = r * a
            for c in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
                r[1:] += np.exp(x * a * b * c)
                r[0] = r[1]
            s = s + np.sum(q)
    return s + r[2]


def by_text(x):
    """Each item has to be known: it selects what is stored under a key."""
    s, scales = 0.0, {"p": 0.9, "q": 1.1}
    for a in ("p", "q", "p", "q", "p", "q", "p"):
        for b in ("p", "q", "p", "q", "p", "q", "p"):
            for c in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
                s = s + np.exp(x * scales[a] * scales[b] * c)
    return s


def derivative(factors, x, order):
    """That of the sum of exp(x p) over all products p of factors."""
    products = np.array([np.prod(p) for p in itertools.product(*factors)])
    return np.sum(products**order * np.exp(x * products))


def difference(function, x):
    """The slope by differences, extrapolated."""
    one, two = ((function(x + h) - function(x - h)) / (2 * h) for h in (1e-3, 5e-4))
    return (4 * two - one) / 3


def lines(function):
    return sd.grad(function).source(0.3).count("\n")


def test_a_short_nest_is_written_turn_by_turn():
    assert "for " not in sd.grad(few).source(0.3).replace("for a in", "")
    np.testing.assert_allclose(sd.grad(few)(0.3), difference(few, 0.3), rtol=1e-9)


def test_a_deep_nest_is_loops_and_each_level_adds_few_lines():
    assert lines(three) < 60
    assert lines(four) < lines(three) + 30


def test_a_deep_nest_has_its_derivatives():
    for function, depth in ((three, 3), (four, 4)):
        expected = functools.partial(derivative, [SEVEN] * depth)
        np.testing.assert_allclose(sd.grad(function)(0.7), expected(0.7, 1), rtol=1e-12)
        np.testing.assert_allclose(sd.derivative(function, 2)(0.7), expected(0.7, 2), rtol=1e-12)


def test_a_nest_that_makes_arrays_is_loops():
    assert lines(arrays) < 80
    np.testing.assert_allclose(sd.grad(arrays)(0.7), difference(arrays, 0.7), rtol=1e-9)


def test_items_that_have_to_be_known_are_followed_one_by_one():
    scales = [0.9 if k % 2 == 0 else 1.1 for k in range(7)]
    expected = derivative([scales, scales, SEVEN], 0.7, 1)
    np.testing.assert_allclose(sd.grad(by_text)(0.7), expected, rtol=1e-12)


def makes_three(x):
    s = x
    for _ in range(int(x) + 2):
        a = np.zeros(3)
        a[1:] = s
        s = a[1] * 0.5 + x
        for _ in range(int(x) + 2):
            b = np.zeros(3)
            b[:2] = a[0] + s
            s = np.sin(b[1]) * 0.5 + x
            for k in range(int(x) + 2):
                c = {"k": k}
                c["s"] = s
                s = np.sin(c["s"]) * 0.5 + 0.1 * c["k"]
    return s + a[2] * b[1]


def makes_six(x):
    s = x
    for _ in range(int(x) + 2):
        a = np.zeros(3)
        a[1:] = s
        s = a[1] * 0.5 + x
        for _ in range(int(x) + 2):
            b = np.zeros(3)
            b[:2] = a[0] + s
            s = np.sin(b[1]) * 0.5 + x
            for k in range(int(x) + 2):
                c = {"k": k}
                c["s"] = s
                s = np.sin(c["s"]) * 0.5 + 0.1 * c["k"]
                for _ in range(int(x) + 1):
                    d = np.zeros(3)
                    d[1:] = s + c["s"]
                    s = d[1] * 0.5 + x
                    for _ in range(int(x) + 1):
                        e = np.zeros(3)
                        e[:2] = d[2] + s
                        s = np.cos(e[1]) * 0.5 + x
                        for _ in range(int(x) + 1):
                            g = np.zeros(3)
                            g[2] = s
                            s = np.sin(np.sum(g)) * 0.5
    return np.sin(s) + a[2] * b[1]


def test_loops_that_make_arrays_are_followed_seldom(monkeypatch):
    followed = []
    trial = LoopStager._trial
    monkeypatch.setattr(LoopStager, "_trial", lambda one: followed.append(0) or trial(one))
    counts = []
    for function in (makes_three, makes_six):
        followed.clear()
        gradient = sd.grad(function)(0.3)
        counts.append(len(followed))
        np.testing.assert_allclose(gradient, difference(function, 0.3), rtol=1e-7)
    assert counts[1] <= 4 * counts[0]
