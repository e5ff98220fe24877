"""Neighbouring assignments of one constant: which are written as one."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit.chains import chain_constants
from symdiff.emit.text import Line, write
from symdiff.source import SourceSpan

SPAN = SourceSpan("model.py", 3, 1, 3, 9, "    a = 0")
OTHER = SourceSpan("model.py", 4, 1, 4, 9, "    b = 0")


def lines(text: str, span: SourceSpan | None = None, derived: bool = False) -> list[Line]:
    return [Line(tree, span, derived) for tree in ast.parse(text).body]


def chained(made: list[Line]) -> list[str]:
    chain_constants(made)
    return list(write(made).lines)


def test_neighbours_of_one_constant_are_one_assignment():
    made = chained(lines("a = 0.0\nn = 0\nb = 0.0\nt = True\nm = 0\nc = a\nd = 0.0"))
    assert made == ["a = b = 0.0", "n = m = 0", "t = True", "c = a", "d = 0.0"]


def test_constants_that_are_equal_but_others_stay_apart():
    kept = ["a = 0.0", "b = -0.0", "c = 0", "d = False", "e = None"]
    assert chained(lines("\n".join(kept))) == kept


def test_a_name_that_is_given_two_constants_keeps_the_last():
    kept = ["a = 0.0", "b = 1.0", "a = 1.0", "b = 0.0"]
    assert chained(lines("\n".join(kept))) == kept


def test_the_users_own_assignments_stay_as_they_are():
    assert chained(lines("a = 0\nb = 0", SPAN)) == ["a = 0", "b = 0"]
    assert chained(lines("a = 0\nb = 0", SPAN, derived=True)) == ["a = b = 0"]
    mixed = lines("a = 0", SPAN, derived=True) + lines("b = 0", OTHER, derived=True)
    assert chained(mixed) == ["a = 0", "b = 0"]


def test_what_is_wider_than_a_line_is_several():
    names = [f"cotangent_of_{k}" for k in range(12)]
    made = chained(lines("\n".join(f"{name} = 0.0" for name in names)))
    assert 2 <= len(made) <= 4
    assert all(len(line) <= 88 for line in made)
    assert [name for line in made for name in line.split(" = ")[:-1]] == names


def test_inside_blocks():
    (test,) = lines("if t:\n    pass")
    test.tree.body = []
    test.body, test.orelse = lines("a = 0.0\nb = 0.0"), lines("b = 1\na = 1")
    assert chained([test]) == ["if t:", "    a = b = 0.0", "else:", "    b = a = 1"]


def in_parts(a, b, c, d):
    if a > 2.0:
        y = a * a
    elif b > 2.0:
        y = a * b * c * d
    else:
        y = np.sin(b) * c * d
    return y * a


PARTS = [
    ((3.0, 1.0, 2.0, 0.5), (27.0, 0.0, 0.0, 0.0)),
    ((1.0, 3.0, 2.0, 0.5), (6.0, 1.0, 1.5, 6.0)),
    ((1.0, 1.0, 2.0, 0.5), (np.sin(1.0), np.cos(1.0), np.sin(1.0) / 2, 2 * np.sin(1.0))),
]


@pytest.mark.parametrize(("given", "slopes"), PARTS)
def test_gradients_with_zeros_in_arms_are_right(given, slopes):
    gradient = sd.grad(in_parts, (0, 1, 2, 3))
    np.testing.assert_allclose(gradient(*given), slopes, rtol=1e-14)
    source = sd.differentiable(in_parts).source(*given)
    assert "b_bar = c_bar = d_bar = 0.0" in str(source), source
    for k, slope in enumerate(slopes):
        tangents = tuple(float(k == j) for j in range(4))
        np.testing.assert_allclose(sd.jvp(in_parts, given, tangents)[1], slope, rtol=1e-14)
    second = sd.grad(lambda *x: sd.grad(in_parts, 0)(*x), 0)(*given)
    np.testing.assert_allclose(second, {27.0: 18.0, 6.0: 6.0}.get(slopes[0], 0.0), rtol=1e-14)
