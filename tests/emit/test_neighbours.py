"""Assignments beside each other: which are one statement."""

from __future__ import annotations

import ast

import numpy as np

import symdiff as sd
from symdiff.emit.neighbours import join_neighbours
from symdiff.emit.text import Kind, Line, write
from symdiff.source import SourceSpan

SPAN = SourceSpan("model.py", 3, 1, 3, 9, "    for k in range(n):")
OTHER = SourceSpan("model.py", 4, 1, 4, 9, "    for k in range(n):")


def lines(text: str, span: SourceSpan = SPAN, derived: bool = True) -> list[Line]:
    made = [Line(tree, span, derived) for tree in ast.parse(text).body]
    for line in made:
        if derived and ast.unparse(line.tree).endswith("[]"):
            line.kind, line.span, line.light = "tape", None, True
    return made


def of_kind(kind: Kind, text: str, span: SourceSpan | None = SPAN, light=True) -> list[Line]:
    return [Line(tree, span, kind=kind, light=light) for tree in ast.parse(text).body]


def joined(made: list[Line]) -> list[str]:
    join_neighbours(made)
    return list(write(made).lines)


def test_neighbours_are_made_in_one_statement():
    made = joined(lines("a = []\nb = []\nc = np.zeros(n)\nd = np.zeros(m)\ne = []"))
    assert made == ["a, b = [], []", "c, d = np.zeros(n), np.zeros(m)", "e = []"]


def test_what_the_user_wrote_in_one_statement_is_one_and_what_in_two_is_two():
    made = lines("a = np.cos(x)\nb = np.sin(x)", derived=False)
    assert joined(made) == ["a = np.cos(x)", "b = np.sin(x)"]
    made = lines("a = np.cos(x)\nb = np.cos(y)", derived=False)
    assert joined(made) == ["a, b = np.cos(x), np.cos(y)"]
    made = lines("a = np.cos(x)", derived=False) + lines("b = np.cos(y)", OTHER, derived=False)
    assert joined(made) == ["a = np.cos(x)", "b = np.cos(y)"]


def test_numbers_and_cotangents_of_one_line_are_given_together():
    made = of_kind("number", "a = x * y\nb = math.exp(x)\nc = 1.0 + x\nd = x[0]")
    assert joined(made) == ["a, b, c = x * y, math.exp(x), 1.0 + x", "d = x[0]"]
    made = of_kind("cotangent", "a_bar = g * b\nb_bar = np.sum(g)")
    assert joined(made) == ["a_bar, b_bar = g * b, np.sum(g)"]
    for other, value in ((None, "x + z"), ("cotangent", "x * z")):
        made = of_kind("number", "a = x * y") + of_kind(other, f"b = {value}")
        assert joined(made) == ["a = x * y", f"b = {value}"]


def test_what_a_loop_begins_with_is_one_statement():
    made = lines("a = []\nb = []") + of_kind("moved", "s = x", None)
    assert joined(made) == ["a, b, s = [], [], x"]
    made = of_kind("moved", "s_bar = 1.0\nx_bar = 0.0", None)
    assert joined(made) == ["s_bar, x_bar = 1.0, 0.0"]


def test_long_expressions_stand_alone():
    made = of_kind("number", f"a = x * y\nb = {' + '.join(12 * ['x'])}")
    assert len(joined(made)) == 2


def test_in_a_loop_only_what_makes_no_array_is_joined():
    for light, count in ((True, 0), (False, 1)):
        (loop,) = lines("for k in range(n):\n    pass")
        loop.tree.body = []
        loop.body = of_kind("cotangent", "a = x[k]\nb = y[k]", light=light)
        assert len(joined([loop])) == 2 + count


def test_what_belongs_to_different_lines_stays_apart():
    made = lines("a = np.zeros(n)") + lines("b = np.zeros(n)", OTHER)
    assert joined(made) == ["a = np.zeros(n)", "b = np.zeros(n)"]


def test_a_name_that_has_or_is_read_for_an_array_is_given_zeros_alone():
    for text in (
        "b = x @ y\nb = np.zeros(n)\na = np.zeros(n)",
        "a = np.zeros(n)\nb = np.zeros(a.shape)",
        "a = np.zeros(n)\na = np.zeros(m)",
    ):
        assert joined(lines(text)) == text.split("\n")
    last = joined(lines("b = x @ y\na = np.zeros(n)\nb = np.zeros(n)\nc = np.zeros(n)"))
    assert last == ["b = x @ y", "a, b = np.zeros(n), np.zeros(n)", "c = np.zeros(n)"]


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
