"""Library functions whose meaning is plain NumPy code.

A definition has the signature of its function, without what it does not take, and computes what
that computes by other functions: the front end follows it as it follows a function of the user's.
Here stand the functions that have no mathematics of their own; those that have are ops.

>>> import numpy as np
>>> DEFINITIONS[np.cov].__name__
'cov'
"""

from symdiff.definitions import (
    callbacks,
    distributions,
    equations,
    filters,
    histograms,
    images,
    libraries,
    matrices,
    missing,
    numerical,
    padding,
    polynomials,
    predicates,
    quantiles,
    repeated,
    rounding,
    selection,
    series,
    sets,
    smoothing,
    solvers,
    sparse,
    special,
    splines,
    statistics,
    structured,
    transforms,
    windows,
)
from symdiff.definitions.declare import (
    CHECKS,
    DEFINITIONS,
    INSTEAD,
    OBJECTS,
    ROUNDED,
    RULED,
    is_definition,
    object_name,
)

__all__ = [
    "CHECKS",
    "DEFINITIONS",
    "INSTEAD",
    "OBJECTS",
    "ROUNDED",
    "RULED",
    "callbacks",
    "distributions",
    "equations",
    "filters",
    "histograms",
    "images",
    "is_definition",
    "libraries",
    "matrices",
    "missing",
    "numerical",
    "object_name",
    "padding",
    "polynomials",
    "predicates",
    "quantiles",
    "repeated",
    "rounding",
    "selection",
    "series",
    "sets",
    "smoothing",
    "solvers",
    "sparse",
    "special",
    "splines",
    "statistics",
    "structured",
    "transforms",
    "windows",
]

libraries.when_imported("scipy.stats")(distributions.register)
libraries.when_imported("scipy.special")(special.register)
libraries.when_imported("scipy.linalg")(matrices.register)
libraries.when_imported("scipy.optimize")(solvers.register_optimize)
libraries.when_imported("scipy.integrate")(solvers.register_integrate)
