"""A request put together as text: for NumPy, or for another array library."""

from __future__ import annotations

from symdiff.exporting.module import Module, Written
from symdiff.exporting.request import Request
from symdiff.optimise.outlining import NOTHING, outlining


def compose(request: Request, stem: str) -> Written:
    """The module of a request; ``stem`` is the name of its file without the ending.

    :raises SymdiffError: at the user's line, for what cannot stand alone.
    """
    if request.options.namespace == "numpy":
        return Module(request, stem).written()
    from symdiff.exporting.traced.module import TracedModule

    with outlining(NOTHING):  # what is traced is followed call by call anyway
        return TracedModule(request, stem).written()
