"""Derivatives of called graphs, each made once: by the graph, the mode and what is active."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdiff.differentiate.activity import Dependencies
from symdiff.ir.graph import Node

if TYPE_CHECKING:
    from symdiff.differentiate.cotangents import Cotangents
    from symdiff.differentiate.sweep import Sweep


class Calls:
    """What is known and made of the graphs that a graph calls."""

    def __init__(self) -> None:
        self.dependencies = Dependencies()

    def reverse(self, node: Node, cotangents: Cotangents, sweep: Sweep) -> None:
        raise NotImplementedError
