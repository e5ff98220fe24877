"""Every kind of control flow, in both modes and nested to order four, against differences."""

from __future__ import annotations

import numpy as np
import pytest

from symdiff.differentiate import gradient, jvp, split, vjp
from symdiff.ir.build import copy_into
from symdiff.ir.graph import Graph
from symdiff.ops.elementary import sin
from tests.differentiate.building import (
    VECTOR,
    current,
    followed,
    graph_of,
    slope,
    total,
    value_of,
)
from tests.differentiate.programs import PROGRAMS

POINTS = [np.array([0.9, 1.3, 0.4]), np.array([-0.7, 0.6, 1.1]), np.array([0.2, 0.1, -0.4])]
WEIGHTS = np.array([0.3, -0.2, 0.5])

programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)


def weighed(gradient_graph: Graph) -> Graph:
    """A scalar function of a gradient."""
    return followed(gradient_graph, lambda g: total(sin(g * 0.1) * current().constant(WEIGHTS)))


@programs
@pytest.mark.parametrize("x", POINTS, ids=str)
def test_both_modes_agree_with_differences(program, x):
    f = graph_of(program, VECTOR)
    expected = slope(lambda x: value_of(f, x), x)
    found = value_of(gradient(f, [0]), x)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    y, y_dot = value_of(jvp(f, [0]), x, WEIGHTS)
    assert y == value_of(f, x)
    np.testing.assert_allclose(y_dot, found @ WEIGHTS, rtol=1e-12, atol=1e-12)


@programs
def test_pullback_and_split_agree_with_the_gradient(program):
    x = POINTS[0]
    f = graph_of(program, VECTOR)
    expected = 2.5 * value_of(gradient(f, [0]), x)
    y, x_bar = value_of(vjp(f, [0]), x, 2.5)
    assert y == value_of(f, x)
    np.testing.assert_allclose(x_bar, expected, rtol=1e-13)
    parts = split(f, [0])
    results = value_of(parts.forward, x)
    y, *saved = results if parts.saved else (results,)
    assert len(saved) == parts.saved
    np.testing.assert_allclose(value_of(parts.backward, *saved, 2.5), expected, rtol=1e-13)


@programs
@pytest.mark.parametrize("modes", ["rr", "rf", "fr", "rrr", "rfr", "frr", "rrrr", "frfr"])
def test_modes_nest(program, modes):
    """After each reverse step a scalar of the gradient, after each forward step a tangent."""
    x = POINTS[0]
    f = graph_of(program, VECTOR)
    for mode in modes[:-1]:
        f = weighed(gradient(f, [0])) if mode == "r" else _tangent(f)
    expected = slope(lambda x: value_of(f, x), x)
    if modes[-1] == "r":
        found = value_of(gradient(f, [0]), x)
    else:
        found = [value_of(jvp(f, [0]), x, unit)[1] for unit in np.eye(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def _tangent(f: Graph) -> Graph:
    """The derivative of a scalar function in a fixed direction."""
    doubled = jvp(f, [0])

    def program(x):
        new = dict(zip(doubled.block.parameters, (x, current().constant(WEIGHTS)), strict=True))
        for node in doubled.block.nodes:
            copy_into(node, new)
        return new[doubled.block.results[1]]

    return graph_of(program, VECTOR)
