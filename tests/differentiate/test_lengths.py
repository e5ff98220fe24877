"""A symbol names one length at a time: in programs, their derivatives and what is made of those."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.differentiate import gradient, jvp
from symdiff.ir.graph import Graph
from symdiff.ir.types import carries_derivative
from symdiff.ops.elementary import sin
from symdiff.ops.index import index_of
from symdiff.optimise import optimise
from symdiff.pipeline import staged_at
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import signature_of
from tests.differentiate.building import VECTOR, followed, graph_of, total
from tests.ir.lengths import require_lengths
from tests.programs.registry import Program
from tests.test_programs import PROGRAMS, cases_of

MODULES = ("ragged", "broadcasting", "lists", "while_loops")
CASES = cases_of([p for p in PROGRAMS if p.name.split(".")[0] in MODULES and p.reset is None])


def graph_and_values(entry: Program, case: int) -> tuple[Graph, list[Any]]:
    """The graph of a program and the values of its parameters."""
    bound = inspect.signature(entry.function).bind(*entry.arguments(case)).arguments
    names, canonical = list(bound), tuple(bound.values())
    staged, _ = staged_at(entry.function, signature_of(names, canonical), canonical)
    values = [follow(source.path, names, canonical) for source in staged.graph.inputs]
    return staged.graph, values


def weighed(slopes: Graph) -> Graph:
    """A number from the first of what a graph gives."""
    return followed(slopes, lambda g, *others: total(sin(g)))


@pytest.mark.parametrize(("entry", "case"), CASES)
def test_sizes_are_lengths(entry: Program, case: int) -> None:
    graph, values = graph_and_values(entry, case)
    parameters = graph.block.parameters
    wrt = [k for k, v in enumerate(parameters) if carries_derivative(v.type)]
    tangents = [np.ones_like(values[k]) for k in wrt]
    for one in (graph, optimise(graph)):
        require_lengths(one, copy.deepcopy(values))
    if graph.mutated or len(graph.block.results) != 1 or graph.block.results[0].type.shape:  # type: ignore[union-attr]
        return
    graph = optimise(graph)
    slopes = gradient(graph, wrt)
    for one in (slopes, optimise(slopes), gradient(weighed(optimise(slopes)), wrt)):
        require_lengths(one, copy.deepcopy(values))
    require_lengths(jvp(graph, wrt), [*values, *tangents])


def test_a_length_that_is_not_its_size_is_found() -> None:
    graph = graph_of(lambda x: total(index_of(x, slice(1, None))), VECTOR)
    (part, _) = (node.result for node in graph.block.nodes)
    part.type = VECTOR
    with pytest.raises(AssertionError, match="n was 3"):
        require_lengths(graph, [np.ones(3)])


A = np.linspace(0.1, 0.6, 6)


def as_a_vector(a: Any) -> Any:
    correlated = np.correlate(a, np.arange(3.0))
    correlated *= 1.5
    s = np.ascontiguousarray(correlated).reshape(-1)
    return np.sum(np.cos(np.arange(1.0, s.size + 1.0)) * s * s)


def as_rows(a: Any) -> Any:
    s = (a[1:-1] * 1.5).reshape(-1, 2)
    return np.sum(np.arange(1.0, len(s) + 1.0)[:, None] * s * s)


@pytest.mark.parametrize("function", [as_a_vector, as_rows])
def test_the_size_that_numpy_finds_out_is_no_length(function: Any) -> None:
    """Both are quadratic forms, whose matrix the values at unit vectors give."""

    def gradient_in_all(a: Any) -> Any:
        return np.sum(sd.grad(function)(a))

    units = np.eye(6)
    apart = np.array([[function(p + q) - function(p - q) for q in units] for p in units]) / 2.0
    np.testing.assert_allclose(sd.hessian(function)(A), apart, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(sd.grad(gradient_in_all)(A), apart.sum(0), rtol=1e-12, atol=1e-14)
