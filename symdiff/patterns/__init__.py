"""Sparsity: where derivatives are zero whatever the values, and how few sweeps give the rest.

A graph and the values of its inputs enter, the pattern leaves: ``origins`` has the graph of single
elements, ``tracing`` runs a graph on it, by the rules that ops declare (``ops.patterns``). What
values decide is not known: branches unite, and what a loop makes that ends by its data is dense.
``colouring`` groups columns that no row has together: one sweep serves a group.
"""

from __future__ import annotations

from symdiff.patterns.colouring import coloured_columns, is_alone, star_coloured
from symdiff.patterns.origins import Origins, Pattern, TooManyPlaces
from symdiff.patterns.tracing import Dense, traced

__all__ = [
    "Dense",
    "Origins",
    "Pattern",
    "TooManyPlaces",
    "coloured_columns",
    "is_alone",
    "star_coloured",
    "traced",
]
