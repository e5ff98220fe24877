"""Library functions whose meaning is plain NumPy code.

A definition has the signature of its function, without what it does not take, and computes what
that computes by other functions: the front end follows it as it follows a function of the user's.
Here stand the functions that have no mathematics of their own; those that have are ops.

>>> import numpy as np
>>> DEFINITIONS[np.cov].__name__
'cov'
"""

from symdiff.definitions import (
    bunches,
    callbacks,
    histograms,
    libraries,
    missing,
    numerical,
    object_arrays,
    padding,
    polynomials,
    predicates,
    quantiles,
    repeated,
    rounding,
    selection,
    series,
    sets,
    statistics,
    vandermonde,
    visiting,
    windows,
)
from symdiff.definitions.declare import (
    CHECKS,
    DEFINITIONS,
    INSTEAD,
    OBJECTS,
    ROUNDED,
    RULED,
    WRAPPERS,
    is_definition,
    object_name,
)
from symdiff.definitions.libraries import python_version

__all__ = [
    "CHECKS",
    "DEFINITIONS",
    "INSTEAD",
    "OBJECTS",
    "ROUNDED",
    "RULED",
    "WRAPPERS",
    "is_definition",
    "object_name",
    "python_version",
]

# Modules that know the functions of one library, and are loaded when a program has imported it.
_BY_LIBRARY = {
    "numpy.ma": ("masked",),
    "astropy.units": ("quantities",),
    "astropy.constants": ("quantities",),
    "astropy.table": ("columns",),
    "astropy.timeseries": ("periodograms",),
    "scipy._lib": ("namespaces",),
    "scipy._lib._sparse": ("sparse",),
    "scipy.cluster.hierarchy": ("clusters",),
    "scipy.cluster.vq": ("clusters",),
    "scipy.fft": ("hankel", "transforms"),
    "scipy.fftpack": ("transforms",),
    "scipy.integrate": ("boundaries", "samples", "solvers", "trajectories"),
    "scipy.interpolate": ("bsplines", "fitpack", "grids", "meshless", "scattered", "splines"),
    "scipy.linalg": (
        *("equations", "matrices", "riccati", "stacks", "structured", "subspaces", "updates"),
    ),
    "scipy.linalg.interpolative": ("structured",),
    "scipy.ndimage": ("images", "neighbours", "warped"),
    "scipy.optimize": ("active_sets", "differences", "minima", "searches", "solvers"),
    "scipy.signal": ("designs", "filters", "peaks", "resampling", "smoothing", "spectra"),
    "scipy.sparse": ("blocks", "sparse"),
    "scipy.sparse.linalg": ("krylov", "operators", "sparse_linalg"),
    "scipy.spatial": ("rotations", "trees"),
    "scipy.spatial.distance": ("distances",),
    "scipy.special": (
        "carlson",
        "ellipsoidal",
        "harmonics",
        "inverses",
        "probabilities",
        "sequences",
        "special",
    ),
    "scipy.stats": (
        *(
            "binned",
            "descriptive",
            "discrepancies",
            "distributions",
            "estimates",
            "expectations",
            "fits",
            "drawn",
            "kernels",
            "laws_of_objects",
            "permuted",
            "ranks",
            "samplers",
            "searched",
            "semidefinite",
            "namespaces",
            "summaries",
            "variables",
        ),
    ),
    "statistics": ("spreads",),
}
for _library, _modules in _BY_LIBRARY.items():
    libraries.loaded_with(_library, *(f"{__name__}.{module}" for module in _modules))
