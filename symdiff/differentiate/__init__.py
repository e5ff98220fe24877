"""Derivatives of graphs: ``Graph`` in, ``Graph`` out, so that everything nests.

``forward.jvp`` adds tangents; ``reverse.gradient``, ``reverse.vjp`` and ``reverse.split`` run the
chain rule backwards. ``activity`` says which values take part, ``residuals`` what the backward part
needs of the forward part and how it gets it.
"""

from symdiff.differentiate import solving
from symdiff.differentiate.forward import jvp
from symdiff.differentiate.graphs import without_unread
from symdiff.differentiate.reverse import Split, divide, gradient, split, vjp

__all__ = ["Split", "divide", "gradient", "jvp", "solving", "split", "vjp", "without_unread"]
