"""Closed forms: what a compiled program computes as SymPy expressions, and programs of expressions.

    Graph, call ─closed_form─▶ expressions      expressions ─from_sympy─▶ function

Symbols are made here and are opaque: no text is ever given to SymPy to read.
"""

from symdiff.symbolic.compile import functions_of
from symdiff.symbolic.forms import closed_form, latex_of

__all__ = ["closed_form", "functions_of", "latex_of"]
