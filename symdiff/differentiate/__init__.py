"""Derivatives of graphs: ``Graph`` in, ``Graph`` out, so that everything nests.

``forward.jvp`` adds tangents, ``linear.linearized`` has them in a graph of their own;
``reverse.gradient``, ``reverse.vjp`` and ``reverse.split`` run the chain rule backwards.
``activity`` says which values take part, ``residuals`` what a second part needs of the forward part
and how it gets it.
"""

from collections.abc import Sequence

from symdiff.definitions.libraries import loaded_with
from symdiff.differentiate.graphs import require_one_structure, without_unread
from symdiff.differentiate.reverse import Split, divide, gradient, split, vjp
from symdiff.ir.graph import Graph
from symdiff.ir.structure import Structure

__all__ = [
    "Split",
    "divide",
    "gradient",
    "jvp",
    "linearized",
    "nth_derivative",
    "require_one_structure",
    "split",
    "taylor",
    "vjp",
    "without_unread",
]


def jvp(graph: Graph, wrt: Sequence[int], *, output: Structure | None = None) -> Graph:
    """Results and tangents, as ``forward.jvp`` gives them, which is loaded when it is called."""
    from symdiff.differentiate import forward

    return forward.jvp(graph, wrt, output=output)


def linearized(graph: Graph, wrt: Sequence[int]) -> Split:
    """Results, and tangents apart, as ``linear.linearized`` gives them, which is loaded when it is
    called.
    """
    from symdiff.differentiate import linear

    return linear.linearized(graph, wrt)


def nth_derivative(graph: Graph, number: int, order: int) -> Graph:
    """The derivative of an order, as ``jets.nth_derivative`` gives it, which is loaded when it is
    called.
    """
    from symdiff.differentiate import jets

    return jets.nth_derivative(graph, number, order)


def taylor(graph: Graph, number: int, order: int) -> Graph:
    """Taylor coefficients, as ``jets.taylor`` gives them, which is loaded when it is called."""
    from symdiff.differentiate import jets

    return jets.taylor(graph, number, order)


for _library in ("scipy.integrate", "scipy.optimize", "scipy.special"):  # they solve equations
    loaded_with(_library, "symdiff.differentiate.solving")
