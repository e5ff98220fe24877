"""The ops: one module a family, each op declared once. Importing this fills the registry.

Families that only the functions of one library make use of are loaded when a program has imported
that.
"""

from symdiff.definitions.libraries import loaded_with
from symdiff.ops import (
    anomalies,
    arithmetic,
    arrays,
    casts,
    choices,
    contractions,
    creation,
    decompositions,
    dtypes,
    effects,
    einsum,
    elementary,
    index,
    joining,
    joining_calls,
    linalg,
    list_arrays,
    lists,
    mathlib,
    norms,
    numerical,
    order,
    pairs,
    partial,
    parts,
    polar,
    positions,
    products,
    pseudoinverse,
    quantiles,
    recording,
    reduce,
    reduction_calls,
    residuals,
    retype,
    selected,
    shape,
    sizes,
    sliding,
    strong,
    texts,
    triangles,
    ufuncs,
    writes,
)

_BY_LIBRARY = {
    "cmath": ("cmathlib",),
    "numpy.fft": ("fourier",),
    "scipy.linalg": ("factors", "matrix_functions", "scipy_decompositions"),
    "scipy.ndimage": ("filters",),
    "scipy.signal": ("filters",),
    "scipy.sparse": ("sparse",),
    "scipy.special": (
        "bessel",
        "cylinders",
        "integrals",
        "integrated",
        "orthogonal",
        "precise",
        "softmax",
        "special",
    ),
    "scipy.stats": ("integrals",),
}
for _library, _families in _BY_LIBRARY.items():
    loaded_with(_library, *(f"{__name__}.{family}" for family in _families))
