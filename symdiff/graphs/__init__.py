"""The user's view of a computation graph, in the words of PyTorch's autograd, and its drawings."""

from symdiff.graphs.effects import GraphEffect
from symdiff.graphs.functions import AccumulateGrad, GradFunction
from symdiff.graphs.nodes import GraphNode
from symdiff.graphs.view import ComputationGraph, Described

__all__ = [
    "AccumulateGrad",
    "ComputationGraph",
    "Described",
    "GradFunction",
    "GraphEffect",
    "GraphNode",
]
