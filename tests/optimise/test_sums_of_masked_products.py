"""Sums of masked products as one op: its transpose by either vector, which linear parts need."""

import numpy as np

from symdiff.differentiate import vjp
from symdiff.ir.build import Builder, building
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Graph, Value
from symdiff.ir.structure import tuple_of
from symdiff.ir.types import ArrayType
from symdiff.ops.reduce import sum as sum_of
from symdiff.ops.strong import strong_multiply
from symdiff.optimise import optimise


def test_the_sum_of_masked_products_has_a_transpose_by_either_vector() -> None:
    vector = ArrayType(np.dtype("float64"), (3,))
    g, p = (Value(vector, None, name, "tangent") for name in "gp")
    with building(Builder([])) as builder:
        builder.role = "tangent"
        total = sum_of(strong_multiply(g, p), axis=None)
    graph = Graph.of_values("total", [g, p], builder.nodes, (total,), tuple_of(1))
    made = optimise(graph, ("products",), last=())
    assert "strong_dot" in str(made)
    transposed = vjp(made, range(2))
    given = np.array([2.0, 0.0, -1.0]), np.array([3.0, np.inf, 5.0])
    by_g, by_p = evaluate_graph(transposed, [*given, np.float64(0.5)])[-2:]
    np.testing.assert_array_equal(by_g, [1.5, np.inf, 2.5])
    np.testing.assert_array_equal(by_p, [1.0, 0.0, -0.5])
