"""One value of a computation graph, as its user sees it.

``GraphNode`` has the attributes that PyTorch's tensors have in the tutorials on autograd, under the
same names. ``ComputationGraph`` (``graphs.view``) makes the nodes and knows what relates them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symdiff.ir.types import ArrayType, Type, in_words, with_spelled_name

if TYPE_CHECKING:
    from symdiff.graphs.functions import GradFunction
    from symdiff.graphs.view import ComputationGraph
    from symdiff.ir.graph import Value
    from symdiff.source import SourceSpan


class GraphNode:
    """A value that a function computes or is given.

    ``id`` is the node's name in drawings and annotations, and the same in every run; ``name`` the
    user's name, or None; ``label`` a name that no other node of the graph has.

    >>> import symdiff as sd
    >>> def f(x):
    ...     y = x * x
    ...     return y + 1.0
    >>> y = sd.differentiable(f).graph("float64[n]")["y"]
    >>> y.requires_grad, y.is_leaf, y.op, y.expression, str(y.type), y.shape
    (True, False, 'multiply', 'x * x', 'float64[n]', ('n',))
    >>> [node.name for node in y.inputs], [node.expression for node in y.users]
    (['x', 'x'], ['y + 1.0'])
    """

    __slots__ = ("_graph", "id", "label", "name", "type", "value")

    def __init__(
        self,
        graph: ComputationGraph,
        value: Value,
        type_: Type,
        number: int,
        name: str | None,
        label: str,
    ) -> None:
        self._graph = graph
        self.value = value
        self.type = type_
        self.id = f"n{number}"
        self.name = name
        self.label = label

    @property
    def shape(self) -> tuple[int | str, ...]:
        """The sizes of an array, symbolic ones as text: ``('n', 3)``; () of a number."""
        dims = self.type.shape if isinstance(self.type, ArrayType) else ()
        return tuple(dim if isinstance(dim, int) else str(with_spelled_name(dim)) for dim in dims)

    @property
    def dtype(self) -> np.dtype | None:
        """NumPy's dtype, or None of what is neither number nor array."""
        return self.type.dtype if isinstance(self.type, ArrayType) else None

    @property
    def type_text(self) -> str:
        """The type in short: ``float64[n,d]``, ``float``, ``?`` for a size that a run tells."""
        return in_words(self.type)

    @property
    def requires_grad(self) -> bool:
        """True if it depends on an argument that is differentiated by, in a differentiable way."""
        return self._graph.is_active(self.value)

    @property
    def is_leaf(self) -> bool:
        """True if it was not computed from what requires a gradient (PyTorch's convention)."""
        return self.is_input or not self.requires_grad

    @property
    def is_input(self) -> bool:
        """True if it is an argument, or a variable outside the function."""
        return self._graph.is_input(self.value)

    @property
    def grad_fn(self) -> GradFunction | None:
        """The function that the backward sweep goes through here; None of leaves."""
        return None if self.is_leaf else self._graph.functions.of(self.value)

    @property
    def op(self) -> str | None:
        """The op that computes it; None of inputs and of what a loop hands on to its body."""
        return None if self.value.node is None else self.value.node.op.name

    @property
    def expression(self) -> str:
        """How it is computed from other nodes, in NumPy: ``x @ w``; '' where nothing computes it.

        A ``·`` stands for a value that has no name.
        """
        return self._graph.expression(self.value)

    @property
    def span(self) -> SourceSpan | None:
        """The place in the user's source; of inputs the function's own."""
        return self._graph.span_of(self.value)

    @property
    def line(self) -> int | None:
        """The number of the user's line."""
        return None if self.span is None else self.span.line

    @property
    def inputs(self) -> tuple[GraphNode, ...]:
        """What it is computed from directly, once for each use; constants are no nodes."""
        return self._graph.inputs_of(self.value)

    @property
    def users(self) -> tuple[GraphNode, ...]:
        """What is computed from it directly."""
        return self._graph.users_of(self.value)

    def __repr__(self) -> str:
        made = f" = {self.expression}" if self.expression else ""
        grad = ", requires_grad" if self.requires_grad else ""
        return f"<{self.label}: {self.type_text}{made}{grad}>"
