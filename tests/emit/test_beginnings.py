"""Tapes and zeros that are made beside each other: which are made in one statement."""

from __future__ import annotations

import ast

import numpy as np

import symdiff as sd
from symdiff.emit.beginnings import join_beginnings
from symdiff.emit.text import Line, write
from symdiff.source import SourceSpan

SPAN = SourceSpan("model.py", 3, 1, 3, 9, "    for k in range(n):")
OTHER = SourceSpan("model.py", 4, 1, 4, 9, "    for k in range(n):")


def lines(text: str, span: SourceSpan = SPAN, derived: bool = True) -> list[Line]:
    made = [Line(tree, span, derived) for tree in ast.parse(text).body]
    for line in made:
        line.is_tape = derived and ast.unparse(line.tree).endswith("[]")
    return made


def joined(made: list[Line]) -> list[str]:
    join_beginnings(made)
    return list(write(made).lines)


def test_neighbours_are_made_in_one_statement():
    made = joined(lines("a = []\nb = []\nc = np.zeros(n)\nd = np.zeros(m)\ne = []"))
    assert made == ["a, b = [], []", "c, d = np.zeros(n), np.zeros(m)", "e = []"]


def test_the_users_own_stay_as_they_are():
    text = "a = []\nb = []\nc = np.zeros(n)\nd = np.zeros(m)"
    assert joined(lines(text, derived=False)) == text.split("\n")


def test_what_belongs_to_different_lines_stays_apart():
    made = lines("a = np.zeros(n)") + lines("b = np.zeros(n)", OTHER)
    assert joined(made) == ["a = np.zeros(n)", "b = np.zeros(n)"]


def test_a_name_that_has_or_is_read_for_an_array_is_given_zeros_alone():
    for text in (
        "b = x @ y\na = np.zeros(n)\nb = np.zeros(n)",
        "b = x @ y\nb = np.zeros(n)\na = np.zeros(n)",
        "a = np.zeros(n)\nb = np.zeros(a.shape)",
        "a = np.zeros(n)\na = np.zeros(m)",
    ):
        assert joined(lines(text)) == text.split("\n")


def test_zeros_of_each_turn_stay_apart():
    (loop,) = lines("for k in range(n):\n    pass")
    loop.tree.body = []
    loop.body = lines("a = np.zeros(n)\nb = np.zeros(n)\nc = []\nd = []")
    body = ["    a = np.zeros(n)", "    b = np.zeros(n)", "    c, d = [], []"]
    assert joined([loop]) == ["for k in range(n):", *body]


def test_no_line_is_too_wide_and_names_are_few():
    names = [f"tape_of_something_{k}" for k in range(20)]
    made = joined(lines("\n".join(f"{name} = []" for name in names)))
    assert all(len(line) <= 84 for line in made)
    assert [name for line in made for name in line.split(" = ")[0].split(", ")] == names
    zeros = joined(lines("\n".join(f"{name} = np.zeros(n)" for name in "abcdefg")))
    assert [line.split(" = ")[0] for line in zeros] == ["a, b, c", "d, e, f", "g"]


def recurrent(w, v, x):
    h = np.zeros((2, w.shape[0]))
    for k in range(x.shape[0]):
        h = np.tanh(h @ w + np.exp(h @ v) * x[k])
    return np.sum(h * h)


def test_a_gradient_with_tapes_and_zeros_is_right():
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=4)]
    gradients = sd.grad(recurrent, (0, 1, 2))(*given)
    source = str(sd.grad(recurrent, (0, 1, 2)).source(*given))
    assert "_bar = np.zeros(w.shape), np.zeros(v.shape)" in source, source
    for k, gradient in enumerate(gradients):
        for place in np.ndindex(gradient.shape):
            w, v, x = (a.astype(complex) for a in given)
            (w, v, x)[k][place] += 1e-30j
            h = np.zeros((2, 3), complex)
            for one in x:
                h = np.tanh(h @ w + np.exp(h @ v) * one)
            slope = np.sum(h * h).imag / 1e-30
            np.testing.assert_allclose(gradient[place], slope, rtol=1e-11, atol=1e-14)
