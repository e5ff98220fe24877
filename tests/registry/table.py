"""How every callable that is registered is called in the walk: a line each.

What a ufunc says of itself need not be said: its line is only where its operands lie. A method of
arrays that has no line is called as NumPy's function of the same name.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.definitions import DEFINITIONS
from symdiff.definitions.libraries import import_all
from symdiff.ops.declare import FUNCTIONS, REGISTRY, WRITES
from symdiff.ops.special import is_refused
from symdiff.ops.table import spelled
from tests.definitions.test_laws import SHAPES
from tests.registry import cases
from tests.registry.cases import Integers, Interval
from tests.registry.examples import (
    COMPLEX,
    OPERANDS,
    REAL,
    USUAL,
    Example,
    Word,
    diagonal,
    elementwise,
    held,
    matrix,
    number,
    reduction,
    several,
    shaped,
    signal,
    square,
    system,
    table,
    ufunc,
    values,
    word,
)

# Ufuncs: where their operands lie -----------------------------------------------------------------

ABOVE_ONE, POSITIVE, ORDER = (1.2, 3.0), (0.6, 2.9), Integers(0, 3)
LEVEL = "x * 0.0 + y * 0.0"
SUMS = ("bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri")  # of counts
INVERSE: dict[str, dict[str, object]] = {  # by real parameters of which all is known
    "gdtrib": {"x": POSITIVE, "z": POSITIVE},
    "btdtria": {"y": POSITIVE},
    "btdtrib": {"x": POSITIVE},
    "fdtridfd": {"x": (2.0, 3.0), "y": (0.3, 0.4), "z": (0.9, 1.1), "within": 1e-6},
    "stdtridf": {"x": (0.7, 0.74), "y": (1.1, 1.4), "within": 1e-6},
    "chdtriv": {"x": (0.3, 0.5), "y": (1.2, 2.6)},
    "chndtridf": {"x": (2.8, 3.2), "y": (0.4, 0.5), "z": (0.8, 1.2)},
    "chndtrix": {"y": (2.0, 3.0), "z": POSITIVE},
    "chndtrinc": {"x": (2.5, 3.0), "y": (1.2, 1.5), "z": (0.5, 0.6)},
    "nctdtridf": {"x": (0.59, 0.6), "y": (0.68, 0.7), "z": (1.08, 1.1), "within": 1e-4},
    "nctdtrit": {"x": (2.0, 3.0)},
    "nctdtrinc": {"x": (2.0, 3.0), "y": (0.3, 0.5), "within": 1e-5},
    "ncfdtri": {"x": (3.0, 4.0), "y": (5.0, 6.0), "a": (0.3, 0.5)},
    "ncfdtridfn": {
        **{"x": (0.065, 0.067), "y": (4.4, 4.6), "z": (1.18, 1.2), "a": (0.19, 0.2)},
        "within": 1e-2,
    },
    "ncfdtridfd": {
        **{"x": (2.9, 3.1), "y": (0.49, 0.5), "z": (1.18, 1.2), "a": (1.38, 1.4)},
        "within": 1e-2,
    },
    "ncfdtrinc": {
        **{"x": (3.0, 4.0), "y": (5.0, 6.0), "z": (0.3, 0.4), "a": (1.2, 1.4)},
        "within": 1e-2,
    },
    "pdtrik": {"x": (0.5, 0.7), "y": (2.0, 3.0), "within": 1e-5},
    "bdtrik": {"x": (0.5, 0.7), "y": (6.0, 7.0), "z": (0.3, 0.4), "within": 1e-5},
    "bdtrin": {"x": POSITIVE, "y": (0.3, 0.5), "z": (0.3, 0.4), "within": 1e-5},
    "nbdtrik": {"x": (0.5, 0.7), "y": (3.0, 4.0), "z": (0.4, 0.5), "within": 1e-5},
    "nbdtrin": {"x": POSITIVE, "y": (0.3, 0.5), "z": (0.4, 0.5), "within": 1e-5},
}
UFUNCS: dict[str, dict[str, object]] = {
    "np.arccosh": {"x": ABOVE_ONE},
    "np.ldexp": {"y": Integers(-3, 3)},
    # Floats so large that all of them are whole numbers are left as they are by what rounds: no
    # difference tells its derivative there.
    **{f"np.{name}": {"reference": "x * 0.0"} for name in ("ceil", "floor", "rint", "trunc")},
    "np.modf": {"reference": "(x * 1.0, x * 0.0)"},
    "np.floor_divide": {"x": (5.1, 5.9), "y": (1.75, 1.95), "reference": LEVEL},
    "np.remainder": {"x": (5.1, 5.9), "y": (1.75, 1.95)},
    "np.fmod": {"x": (5.1, 5.9), "y": (1.75, 1.95)},
    "np.divmod": {
        **{"x": (5.1, 5.9), "y": (1.75, 1.95)},
        "reference": f"({LEVEL}, np.remainder(x, y))",
    },
    "np.frexp": {"x": (0.55, 0.95)},
    # SciPy's values have too few digits for differences
    "scipy.special.agm": {"reference": "exact.agm(x, y)"},
    "scipy.special.beta": {"reference": "exact.beta(x, y)"},
    "scipy.special.betaln": {"reference": "exact.betaln(x, y)"},
    "scipy.special.hyperu": {"reference": "exact.hyperu(x, y, z)"},
    **{f"scipy.special.{name}": {"x": Integers(0, 3), "y": Integers(4, 6)} for name in SUMS},
    **{f"scipy.special.{name}": {"x": held(0.4, 1.6)} for name in ("pbdv", "pbvv", "pbwa")},
    "scipy.special.itairy": {"within": 1e-4},  # SciPy's values have eight digits or less
    # nearly constant near 0, and far from it they oscillate by less than differences tell
    **{
        f"scipy.special.{name}": {
            "reference": f"scipy.special.{name}(np.where(np.abs(np.log(x)) < 20.0, x, np.nan))"
        }
        for name in ("it2j0y0", "it2struve0")
    },
    "scipy.special.pdtri": {"x": Integers(0, 3)},
    "scipy.special.gdtrix": {"x": POSITIVE, "y": POSITIVE},
    "scipy.special.gdtria": {"y": POSITIVE, "z": POSITIVE},
    "scipy.special.nrdtrimn": {"x": (0.6, 0.9)},
    "scipy.special.nrdtrisd": {"y": (0.6, 0.9)},
    **{
        f"scipy.special.{name}": {"dtypes": ("float64",), "orders": (1, 2), **domains}
        for name, domains in INVERSE.items()
    },
    "scipy.special.zetac": {"x": (1.5, 3.9)},
    "scipy.special.betainc": {"x": POSITIVE, "y": POSITIVE},
    "scipy.special.erfcinv": {"x": (0.3, 1.7)},
    "scipy.special.expn": {"x": Integers(1, 4)},
    "scipy.special.gammainc": {"x": POSITIVE, "y": POSITIVE},
    "scipy.special.gammaincc": {"x": POSITIVE, "y": POSITIVE},
    **{f"scipy.special.{name}": {"x": POSITIVE, "y": POSITIVE} for name in ("gdtr", "gdtrc")},
    "scipy.special.chdtri": {"x": (1.2, 3.9)},
    "scipy.special.fdtri": {"x": (2.1, 3.9), "y": (2.1, 3.9), "z": (0.3, 0.7)},
    "scipy.special.huber": {"x": (0.9, 1.2)},
    "scipy.special.iv": {"x": (0.3, 2.7), "y": POSITIVE},
    "scipy.special.ive": {"x": (0.3, 2.7), "y": POSITIVE},
    "scipy.special.jv": {"x": (0.3, 2.7), "y": POSITIVE},
    "scipy.special.kv": {"x": (0.3, 2.7), "y": POSITIVE},
    "scipy.special.yv": {"x": (0.3, 2.7), "y": POSITIVE},
    "scipy.special.kn": {"x": ORDER, "y": POSITIVE},
    "scipy.special.yn": {"x": ORDER, "y": POSITIVE},
    "scipy.special.eval_hermite": {"x": ORDER},
    "scipy.special.eval_hermitenorm": {"x": ORDER},
    # of complex numbers the second derivative is refused
    **{
        f"scipy.special.{name}": {"dtypes": REAL} for name in ("gamma", "loggamma", "psi", "rgamma")
    },
    "scipy.special.airye": {"x": POSITIVE, "dtypes": REAL},
    "scipy.special.chndtr": {"x": POSITIVE, "y": (2.5, 4.5), "z": POSITIVE},
    "scipy.special.ncfdtr": {"x": (2.5, 4.5), "y": (5.5, 7.5), "z": POSITIVE, "a": POSITIVE},
    "scipy.special.elliprg": {"x": POSITIVE, "y": POSITIVE, "z": POSITIVE, "dtypes": REAL},
    "scipy.special.nctdtr": {"x": (2.5, 4.5), "y": (-0.8, 0.8), "z": (-0.9, 1.9)},
    "scipy.special.kolmogorov": {"x": (0.35, 1.9)},
    "scipy.special.kolmogi": {"x": (0.1, 0.9)},
    "scipy.special.stdtr": {"x": (2.1, 5.9)},
    **{
        f"scipy.special.{name}": elementwise("1, x", "2, x, 2", x=POSITIVE, orders=(1, 2))
        for name in ("h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp")
    },
    **{
        f"scipy.special.{name}": elementwise("2, x", "0, x", "1, x, True", x=POSITIVE)
        for name in ("spherical_in", "spherical_jn", "spherical_kn", "spherical_yn")
    },
    "scipy.special.lambertw": elementwise("x", orders=(1, 2)),
    **{
        f"scipy.special.{name}": elementwise("3, x", x=(0.4, 0.6), orders=(1, 2))
        for name in ("smirnov", "smirnovi")
    },
    "scipy.special.lpmv": elementwise("1, 3, x", "-2, 2, x", x=(-0.7, 0.7)),
    "scipy.special.sph_harm_y": elementwise("2, 1, x, y", x=POSITIVE),
    "scipy.special.multigammaln": elementwise("x, 2", x=POSITIVE),
    "scipy.special.voigt_profile": elementwise("x, y, z", orders=(1, 2)),
    "scipy.special.polygamma": elementwise("1, x", "n, x"),
    "scipy.special.softplus": elementwise("x"),
    "scipy.special.zeta": {"x": (2.1, 3.9)},
}
WITHOUT_DERIVATIVES = ("np.nextafter", "np.spacing")  # of values: the next float is no function

# Shapes ------------------------------------------------------------------------------------------

VECTORS = [
    *([(5,), (3,)], [(3,), (5,)], [(1,), (4,)], [(4,), (1,)], [(1,), (1,)], [(2,), (2,)]),
    *([((6,), "reversed"), (3,)], [((4,), "strided"), ((3,), "reversed")]),
]
ALIKE = [
    *([(n,), (n,)] for n in (3, 1, 0, 5, 6, 2)),
    *([((4,), "reversed"), (4,)], [((4,), "strided"), ((4,), "reversed")]),
    *([((3,), "strided"), (3,)], [(2,), ((2,), "reversed")]),
]
PAIRS = [
    *(*ALIKE, [(2, 3), (2, 3)], [((2, 3), "F"), (2, 3)], [(2, 2, 3), (2, 2, 3)]),
    *([(0, 3), (0, 3)], [((2, 3), "strided"), ((2, 3), "reversed")]),
]
PRODUCTS = [
    *([(2, 3), (3, 4)], [(3,), (3, 2)], [(2, 3), (3,)], [(3,), (3,)], [(1, 3), (3, 1)]),
    *([(0, 3), (3, 2)], [(2, 0), (0, 3)], [((2, 3), "F"), ((3, 2), "reversed")]),
    *([((4, 2), "strided"), (2, 4)], [((3,), "reversed"), ((3,), "strided")]),
]
STACKS = [*PRODUCTS, [(2, 2, 3), (3, 2)], [(2, 3), (2, 3, 2)], [(2, 1, 2, 3), (3, 3, 2)]]
INNER = [[x, (*y[:-2], y[-1], y[-2])] for x, y in PRODUCTS[:7] if len(y) == 2] + ALIKE
MATVEC = [
    *([(2, 3), (3,)], [(2, 2, 3), (3,)], [(2, 3), (2, 3)], [(1, 3), (3,)], [(0, 3), (3,)]),
    *([(2, 0), (0,)], [((2, 3), "F"), ((3,), "reversed")], [((2, 3), "strided"), (3,)]),
]
VECMAT = [
    *([(3,), (3, 2)], [(3,), (2, 3, 2)], [(2, 3), (3, 2)], [(3,), (3, 1)], [(3,), (3, 0)]),
    *([(0,), (0, 2)], [((3,), "reversed"), ((3, 2), "F")], [(3,), ((3, 2), "strided")]),
]
THREES = [
    *([(3,), (3,)], [(2, 3), (2, 3)], [(2, 3), (3,)], [(3,), (2, 3)], [(0, 3), (0, 3)]),
    *([((3,), "reversed"), (3,)], [((2, 3), "F"), ((2, 3), "strided")], [(1, 3), (2, 3)]),
    [(1, 3), (1, 3)],
]
TURNED = [
    *([(2, 3), (3, 2)], [(1, 3), (3, 1)], [(3, 1), (1, 3)], [(3, 3), (3, 3)], [(2, 2), (2, 2)]),
    *([((2, 3), "F"), (3, 2)], [((2, 3), "reversed"), ((3, 2), "strided")], [(0, 2), (2, 0)]),
]
HALVES = [
    *([(4,)], [(6,)], [(4, 2)], [((4, 2), "F")], [((4,), "reversed")], [((6,), "strided")]),
    *([(2, 4)], [(4, 0)], [(2, 2, 2)], [((4, 4), "reversed")]),
]
CUBES = [
    *([(2, 3, 2)], [((2, 3, 2), "F")], [((2, 2, 4), "reversed")], [(0, 2, 2)], [(1, 1, 2)]),
    *([((2, 2, 2), "strided")], [(2, 1, 2)], [(3, 2, 4)]),
]
COUNTED = [
    *([(5,), (5,)], [(2,), (2,)], [(1,), (1,)], [(0,), (0,)], [(3,), (3,)], [(7,), (7,)]),
    *([(4,), ((4,), "reversed")], [(3,), ((3,), "strided")], [((6,), "reversed"), (6,)]),
]
EVALUATED = [
    *([(), (4,)], [(3,), (4,)], [(2, 3), (4,)], [(0,), (3,)], [(1,), (2,)], [(3,), (1,)]),
    *([((3,), "reversed"), ((4,), "strided")], [((2, 3), "F"), (3,)]),
]
SERIES = [  # of more than one coefficient: of one the length of the result depends on the value
    *([(4,)], [(3,)], [(5,)], [((4,), "reversed")], [((3,), "strided")], [(4, 2)], [(3, 1)]),
    *([((4, 2), "F")], [(3, 0)], [((4, 2), "reversed")]),
]
LINES = [[(n,)] for n in (1, 2, 3, 5)] + [
    *([((4,), "reversed")], [((2,), "reversed")], [((3,), "strided")], [((5,), "strided")]),
]
SINGLE = [
    *([(4, 2)], [(2, 4)], [(3, 3)], [(1, 1)], [(3, 1)], [((3, 2), "F")], [((3, 2), "reversed")]),
    [((3, 2), "strided")],
]
OF_ONE_WIDTH = [
    *([(2, 3), (4, 3)], [(1, 2), (3, 2)], [(2, 1), (2, 1)], [((2, 3), "reversed"), (1, 3)]),
    *([(2, 4), ((3, 4), "strided")], [(2, 2), (2, 2)]),
]
LONGER = [  # the second by one
    *([(n - 1,), (n,)] for n in (5, 3, 2, 4)),
    *([((4,), "reversed"), (5,)], [((3,), "strided"), ((4,), "reversed")]),
    *([((2,), "reversed"), ((3,), "strided")], [(6,), (7,)]),
]
BANDS = [
    *([(3, n), (n,)] for n in (5, 3, 4)),
    *([(3, 4), (4, 2)], [((3, 4), "F"), (4,)], [((3, 3), "reversed"), ((3,), "reversed")]),
    *([((3, 4), "strided"), ((4,), "strided")], [(3, 6), (6, 1)]),
]
BAND = [*ALIKE, [(7,), (7,)]]
GRIDS = [
    *([(2, 3)], [(4, 2)], [((3, 2), "F")], [((2, 4), "reversed")], [((2, 4), "strided")]),
    *([(1, 3)], [(3, 2)], [(2, 3, 2)], [(5, 4)]),
]
ROWS = [
    *([(n,)] for n in (2, 3, 5, 8)),
    *([((4,), "reversed")], [((2,), "reversed")], [((3,), "strided")], [((5,), "strided")]),
]
LONG = [
    *([(8,)], [(9,)], [(12,)], [((10,), "reversed")], [((9,), "strided")], [(2, 8)], [(1, 9)]),
    [((2, 9), "F")],
]
IMAGES = [
    *([(3, 4), (2, 2)], [(2, 2), (3, 3)], [(1, 3), (1, 2)], [(3, 1), (2, 1)], [(2, 3), (2, 3)]),
    *([((3, 4), "F"), (2, 2)], [((3, 4), "reversed"), (2, 3)], [(4, 4), ((2, 2), "strided")]),
]
HALF_BANDS = [
    *([(2, n)] for n in (5, 4, 3, 2, 6)),
    *([((2, 4), "F")], [((2, 3), "reversed")], [((2, 5), "strided")], [((2, 6), "F")]),
]
SUBSPACES = [
    *([(4, 2), (4, 1)], [(3, 1), (3, 1)], [(4, 1), (4, 2)], [(5, 2), (5, 2)], [(3, 1), (3, 2)]),
    *([((4, 2), "F"), (4, 2)], [((4, 1), "reversed"), (4, 1)], [(5, 1), ((5, 2), "strided")]),
]
IMAGES_ALONE = [
    *([(4, 3)], [(2, 2)], [(3, 5)], [(1, 3)], [((3, 4), "F")], [((4, 3), "reversed")]),
    *([((3, 3), "strided")], [(3, 2, 2)], [(4, 4)]),
]
KNOTS = [
    *([(n,), (n,), (2,)] for n in (5, 4, 6)),
    *([(5,), (5,), ()], [(5,), (5,), (2, 2)], [((5,), "reversed"), (5,), (3,)]),
    *([(6,), ((6,), "strided"), ((3,), "reversed")], [(5,), (5,), (1,)]),
]
POINTS = [(), (1,), (3,), (2, 2), ((3,), "strided"), ((3,), "reversed"), ((2, 3), "F"), (2, 1, 2)]
SPLINE_KNOTS = "np.array([0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0])"
PADDED = "np.append(y, np.zeros(4))"
OF_TWO_VARIABLES = [
    *([(n,), (n,), (3, 2)] for n in (4, 1, 3)),
    *([(2, 3), (2, 3), (2, 4)], [((4,), "reversed"), (4,), ((2, 3), "F")]),
    *([((3,), "strided"), (3,), (3, 3)], [(2,), (2,), ((3, 3), "strided")]),
    [(5,), ((5,), "reversed"), (2, 2)],
]
FIT_BY_LINES = [
    *([(n,), (n,)] for n in (5, 4, 6, 7)),
    *([((5,), "reversed"), (5,)], [((6,), "strided"), ((6,), "reversed")]),
    *([(8,), ((8,), "strided")], [(3,), (3,)]),
]
OBSERVATIONS = [
    *([(n, 3)] for n in (4, 2, 5, 7)),
    *([((5, 2), "F")], [((4, 3), "strided")], [((6, 2), "reversed")], [(3, 1)]),
]
DISTANCES = [
    *([(n,)] for n in (6, 1, 3, 10, 15)),
    *([((6,), "reversed")], [((10,), "strided")], [((3,), "reversed")]),
]
BOOKS = [
    *([(n, 2), (3, 2)] for n in (4, 1, 6)),
    *([(5,), (3,)], [((5, 3), "F"), (2, 3)], [((4, 3), "strided"), ((3, 3), "reversed")]),
    *([((6, 2), "reversed"), ((4, 2), "F")], [((4,), "reversed"), (2,)]),
]
LINKED = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
HIERARCHY = "scipy.cluster.hierarchy.average(x + np.arange(len(x)))"
STATISTICS = (  # some clusters have less than those below them
    f"np.outer({HIERARCHY}[:, 2] * np.linspace(2.0, 1.0, len({HIERARCHY})), np.ones(4))"
)
ROSENBROCK = [
    *([(n,)] for n in (3, 2, 4, 5)),
    *([((4,), "reversed")], [((3,), "strided")], [(3, 2)], [((4, 2), "F")]),
]
ROSENBROCK_LINES = [
    *([(n,)] for n in (3, 2, 4, 5, 6)),
    *([((4,), "reversed")], [((3,), "strided")], [((2,), "reversed")]),
]
TREES = [
    *([(3,), (3, 3)], [(4, 3), (3, 3)], [((3,), "reversed"), (3, 3)], [(3,), ((3, 3), "F")]),
    *([((3,), "strided"), (3, 3)], [((4, 3), "F"), (3, 3)], [((2, 3), "reversed"), (3, 3)]),
    [(1, 3), ((3, 3), "strided")],
]
SPREADS = [
    *([(n,), (n, n)] for n in (2, 3, 4, 5)),
    *([((3,), "reversed"), (3, 3)], [(3,), ((3, 3), "F")], [((4,), "strided"), (4, 4)]),
    [(2,), ((2, 2), "reversed")],
]
KNOTS_AND_POINTS = [
    *([(n,), (n,), (2,)] for n in (5, 6, 7)),
    *([(5,), (5,), (1,)], [((5,), "reversed"), (5,), (3,)], [(8,), (8,), ((2,), "reversed")]),
    *([(6,), ((6,), "strided"), ((3,), "reversed")], [(5,), (5,), (4,)]),
]
KNOTS_ALIKE = [
    *([(n,), (n,), (n,)] for n in (5, 4, 6, 3)),
    *([((n,), "reversed"), (n,), ((n,), "strided")] for n in (5, 4, 6, 3)),
]
PIECES = [
    *([(n,), (k, n - 1)] for n, k in ((5, 4), (4, 3), (3, 2), (6, 3))),
    *([((5,), "reversed"), (3, 4)], [(4,), ((4, 3), "F")], [(4,), ((4, 3), "strided")]),
    [((4,), "strided"), ((4, 3), "reversed")],
]
WINDOWS = [
    *((name,) for name in ("barthann", "bartlett", "blackman", "blackmanharris", "bohman")),
    *((name,) for name in ("boxcar", "cosine", "flattop", "hamming", "hann", "lanczos")),
    *((name,) for name in ("nuttall", "parzen", "taylor", "triang", "tukey")),
    *(("chebwin", "60.0"), ("exponential", "None", "3.0"), ("gaussian", "2.0")),
    *(("general_cosine", "[0.5, 0.4]"), ("general_gaussian", "1.5", "2.0")),
    *(("general_hamming", "0.6"), ("kaiser", "3.0")),
]
FILTERS = [
    *(
        ("bessel", "2, 0.3", "0][1"),
        ("butter", "2, 0.3", "0][1"),
        ("ellip", "2, 1, 20, 0.3", "0][1"),
    ),
    *(("cheby1", "2, 1, 0.3", "0][1"), ("cheby2", "2, 20, 0.3", "0][1")),
    *(("iircomb", "0.25, 30.0", "0][0"), ("iirnotch", "0.3, 30.0", "0][0")),
    *(("iirpeak", "0.3, 30.0", "0][0"), ("firwin", "7, 0.3", "2"), ("savgol_coeffs", "5, 2", "1")),
    ("firls", "7, [0.0, 0.3, 0.5, 1.0], [1.0, 1.0, 0.0, 0.0]", "2"),
    ("firwin2", "7, [0.0, 0.5, 1.0], [1.0, 0.5, 0.0]", "2"),
    ("remez", "7, [0.0, 0.1, 0.2, 0.5], [1.0, 0.0]", "2"),
]
TWO = [[(3,), (3,)], [(4,), ((4,), "strided")], [((5,), "reversed"), (5,)]]
OF_THREE = [
    *([(3,)], [((3,), "reversed")], [((3,), "strided")], [(2, 3)], [(1, 3)], [((2, 3), "F")]),
    *([((4, 3), "reversed")], [((2, 3), "strided")]),
]
NORMAL = [
    *([(3,), (3,), (3, 3)], [(2, 3), (3,), (3, 3)], [(2,), (2,), (2, 2)], [(4, 2), (2,), (2, 2)]),
    *([((3,), "reversed"), (3,), ((3, 3), "F")], [((2, 3), "F"), (3,), (3, 3)]),
    *([(2, 3), ((3,), "strided"), ((3, 3), "strided")], [(2, 2, 3), (3,), (3, 3)]),
]
SCALAR = ((), "scalar")
MATRICES_AND_A_NUMBER = [
    *([(n, n), SCALAR, (n, n)] for n in (2, 3)),
    *([((n, n), layout), SCALAR, (n, n)] for n in (2, 3) for layout in ("F", "strided")),
    *([(n, n), SCALAR, ((n, n), "F")] for n in (2, 3)),
]
VECTORS = [
    *([(n,)] for n in range(1, 6)),
    *([((n,), layout)] for n in (3, 4) for layout in ("reversed", "strided")),
]
SIMPLEX = "x / np.sum(x, axis=-1, keepdims=True)"
CSR = "scipy.sparse.csr_array((x, PLACES), shape=(3, 3))"
COO = "scipy.sparse.coo_array((x, PLACES), shape=(3, 3))"
CSR_MATRIX = "scipy.sparse.csr_matrix((x, PLACES), shape=(3, 3))"
COO_MATRIX = "scipy.sparse.coo_matrix((x, PLACES), shape=(3, 3))"
DIA = "scipy.sparse.dia_array((x[None, :3], [0]), shape=(3, 3))"
ONE_SIDE = [  # square matrices, and a vector
    *([(3, 3), (3,)], [(2, 2), (2,)], [(4, 4), (4,)], [((3, 3), "F"), (3,)]),
    *([((3, 3), "reversed"), (3,)], [(2, 2), ((2,), "strided")], [(3, 3), ((3,), "reversed")]),
    *([((4, 4), "strided"), (4,)], [((2, 2), "F"), ((2,), "reversed")]),
]
ONE_SIDE_OF_LINES = [  # rows of three and more, and of one and more
    *([(3,), (1,)], [(3,), (2,)], [(4,), (3,)], [((3,), "reversed"), (3,)]),
    *([((4,), "strided"), (2,)], [(5,), ((3,), "reversed")], [(6,), ((2,), "strided")]),
    *([((5,), "reversed"), (4,)], [(3,), ((4,), "reversed")]),
]
SPARSE_VECTOR = [  # entries in three places of the diagonal and one beside, and a vector
    *([(4,), (3,)], [((4,), "reversed"), (3,)], [((4,), "strided"), (3,)]),
    *([(4,), ((3,), "reversed")], [(4,), ((3,), "strided")]),
]
SPARSE = [  # the same, or columns
    *(*SPARSE_VECTOR, [(4,), (3, 3)]),
    *([(4,), ((3, 3), "F")], [((4,), "reversed"), ((3, 3), "strided")]),
]
NOT_EMPTY = [
    *([(5,)], [(2,)], [(1,)], [((4,), "reversed")], [((3,), "strided")], [(2, 3)], [(1, 3)]),
    *([((3, 2), "F")], [((2, 4), "reversed")], [(2, 2, 3)]),
]
INTERPOLATED = [[x, y, y] for x, y in EVALUATED]
LEAST_SQUARES = [
    *([(4, 2), (4,)], [(4, 2), (4, 2)], [(2, 3), (2,)], [(3, 3), (3,)], [(3, 1), (3,)]),
    *([((4, 2), "F"), (4,)], [((4, 2), "strided"), ((4,), "reversed")], [(1, 1), (1,)]),
]
FITTED = [*([(n,), (n,)] for n in (5, 3, 4, 6)), *ALIKE[4:6], [(4,), (4, 2)], [(5,), (5, 1)]]
FLAT = [
    *((3, 3), (2, 2), (1, 1), (4, 4), ((3, 3), "F"), ((3, 3), "reversed"), ((2, 2), "strided")),
    ((4, 4), "F"),
]
CUBE = "lambda t: t * t * t - x"
SAMPLES = [  # three or more along each axis, so that none is a constant
    *([(n,), (n,)] for n in (5, 4, 7)),
    *([(3, 4), (3, 4)], [((4, 3), "F"), (4, 3)], [((5,), "reversed"), (5,)]),
    *([((6,), "strided"), (6,)], [((3, 5), "reversed"), ((3, 5), "strided")]),
]
DATA = [[(n,)] for n in (3, 5, 4, 7)] + [
    *([((n,), layout)] for n in (3, 4) for layout in ("reversed", "strided")),
]
TWO_SAMPLES = [[(m,), (n,)] for m, n in ((3, 5), (1, 4), (4, 3), (2, 2), (5, 1))] + [
    *([((4,), "reversed"), (3,)], [((3,), "strided"), (4,)], [(0,), (3,)]),
]
OF_POWERS = [
    *([(n,)] for n in (5, 3, 2, 9)),
    *([(2, 5)], [((2, 3), "F")], [((5,), "reversed")], [((3, 5), "strided")]),
]
OF_TWO_COLUMNS = [
    *([(3, 2), (4, 2)], [(2, 3), (1, 3)], [(1, 2), (2, 2)], [((3, 2), "F"), (2, 2)]),
    *([(2, 4), ((3, 4), "reversed")], [((3, 3), "strided"), (2, 3)], [(2, 2), (2, 2)]),
    [((2, 3), "reversed"), ((2, 3), "strided")],
]
AXES = ("x", "x, axis=-1", "x, axis=0, keepdims=True", "x, axis=(0, 1)")
ONE_AXIS = ("x", "x, axis=0", "x, axis=-1")


def _shape(item: Any) -> tuple[int, ...]:
    return item[0] if isinstance(item[-1], str) else item


def _written(*texts: str, **options: Any) -> Word:
    """A function that writes its first argument, here a copy of ``x``."""

    def examples(name: str) -> list[Example]:
        return reduction(*(f"c = np.array(x); {name}(c, {t}); return c" for t in texts), **options)(
            name
        )

    return examples


def _series(kind: str, letters: str) -> dict[str, Word]:
    """The functions of a kind of series of ``numpy.polynomial``."""
    name = f"np.polynomial.{kind}.{letters}"
    return {
        f"{name}val": shaped("x, y", like=EVALUATED),
        f"{name}der": shaped("x", "x, 2", "x, scl=0.5", like=SERIES),
        f"{name}int": shaped("x", "x, 2", "x, k=[0.5], lbnd=0.25, scl=2.0", like=SERIES),
        **{
            f"np.polynomial.{kind}.{name}": shaped("x", like=LINES, dtypes=("float64",))
            for name in (f"{letters}2poly", f"poly2{letters}")
            if kind != "polynomial"
        },
        f"{name}vander": shaped("x, 3", "x, 1", "x, 0", like=[[one] for one in POINTS]),
        f"{name}vander2d": shaped("x, y, [2, 1]", "x, y, [0, 3]", like=ALIKE),
        f"{name}val2d": shaped("x, y, z", like=OF_TWO_VARIABLES),
        f"{name}grid2d": shaped("x, y, z", like=OF_TWO_VARIABLES),
    }


def _transformed(**options: Any) -> Word:
    """A Fourier transform along an axis."""
    texts = ("x, 4", "x, 3, 0", "x, norm='ortho'")
    return several(reduction("x", **options), shaped(*texts, like=NOT_EMPTY, **options))


_LONG = {  # where a function of math computes in long double
    **{f"a{name}": f"np.arc{name}(x)" for name in ("cos", "sin", "sinh", "tan", "tanh")},
    **{name: f"scipy.special.{name}(x)" for name in ("erf", "erfc", "gamma")},
    "lgamma": "scipy.special.gammaln(x)",
}

_HIDDEN = "np.append(np.arange(len(x)) % 2 == 1, [False, False])"
_PARTLY = f"np.ma.array(np.append(x, [3.5, 4.5]), mask={_HIDDEN})"


def _partly(name: str, form: str) -> Word:
    """Of an array of which some elements are masked, not all."""
    return signal(f"return {form.format(f'np.ma.{name}', _PARTLY)}", dtypes=REAL)


MASKED: dict[str, Word] = {
    "np.ma.MaskedArray": signal(
        "return np.ma.masked_array(x, np.arange(len(x)) % 2 == 1).filled(0.5)", dtypes=REAL
    ),
    **{
        f"np.ma.core.{name}": _partly(name, "{0}({1})")
        for name in (
            "sum",
            "prod",
            "min",
            "max",
            "mean",
            "var",
            "std",
            "ptp",
            "compressed",
        )
    },
    **{
        f"np.ma.core.{name}": _partly(name, "x * {0}({1})")
        for name in ("count", "any", "all", "argmin", "argmax", "is_masked", "isMaskedArray")
    },
    **{
        f"np.ma.core.{name}": _partly(name, "{0}({1}).filled(0.5)")
        for name in (
            *("absolute", "negative", "exp", "sin", "cos", "arctan", "sinh", "cosh", "tanh"),
            *("arcsinh", "log", "log2", "log10", "sqrt", "cumsum", "cumprod", "anom"),
        )
    },
    "np.ma.extras.apply_along_axis": signal(
        "return np.ma.apply_along_axis(lambda line: line.compressed() ** 2, 0, x).filled(0.5)",
        dtypes=REAL,
    ),
    **{
        f"np.ma.core.{name}": _partly(name, "{0}({1} / 9.0).filled(0.5)")
        for name in ("arcsin", "arccos")
    },
    "np.ma.core.arccosh": _partly("arccosh", "{0}({1} + 5.0).filled(0.5)"),
    **{
        f"np.ma.core.{name}": _partly(name, "{0}({1}, 1.7).filled(0.5)")
        for name in ("add", "subtract", "multiply", "divide")
    },
    **{
        f"np.ma.core.masked_{name}": _partly(f"masked_{name}", "{0}({1}, 4.0).filled(0.5)")
        for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    },
    **{
        f"np.ma.core.masked_{name}": _partly(f"masked_{name}", "{0}({1}, -4.0, 4.0).filled(0.5)")
        for name in ("inside", "outside")
    },
    "np.ma.core.filled": _partly("filled", "{0}({1}, 0.5)"),
    "np.ma.core.masked_invalid": _partly("masked_invalid", "{0}({1}).filled(0.5)"),
    "np.ma.core.masked_where": _partly("masked_where", "{0}({1} > 4.0, {1}).filled(0.5)"),
    "np.ma.core.array": _partly("array", "{0}({1}, copy=True).filled(0.5)"),
    "np.ma.core.getdata": _partly("getdata", "{0}({1})"),
    "np.ma.core.getmask": _partly("getmask", "np.append(x, [1.0, 2.0]) * {0}({1})"),
    "np.ma.core.getmaskarray": _partly("getmaskarray", "np.append(x, [1.0, 2.0]) * {0}({1})"),
    "np.ma.core.where": _partly("where", "{0}({1} > 4.0, {1}, 0.0).filled(0.5)"),
    "np.ma.core.concatenate": _partly("concatenate", "{0}([{1}, x]).filled(0.5)"),
    **{
        f"np.ma.extras.{name}": _partly(name, "{0}([{1}, {1} * 2.0]).filled(0.5)")
        for name in ("hstack", "vstack")
    },
    "np.ma.extras.average": _partly("average", "{0}({1}, weights=np.append(x * x, [1.0, 2.0]))"),
    "np.ma.extras.median": _partly("median", "{0}({1})"),
}

POINT_SETS = [
    *([(3, 2)], [(4, 1)], [(1, 2)], [((5, 2), "F")], [((3, 3), "reversed")], [(1, 1)], [(2, 3)]),
    *([((4, 2), "strided")], [(6, 2)]),
]
SPREAD = "u = (x + np.arange(len(x))[:, None]) / 12.0"  # none at the middle, nor at another's place
TABLE: dict[str, Word] = {
    # Python's own numbers
    "abs": number("x", x=(-0.9, -0.2)),
    "bool": values("bool(x)", family=cases.scalars),
    "complex": number("x", "x, y"),
    "divmod": number(
        "x, y", x=(5.1, 5.9), y=(1.75, 1.95), reference=f"({LEVEL}, np.remainder(x, y))"
    ),
    "float": number("x"),
    "int": values("x", family=cases.scalars),
    "pow": several(number("x, y"), elementwise("x, y")),
    "round": several(
        number("x, 1", x=(0.61, 0.64), reference="x * 0.0"), values("x", family=cases.scalars)
    ),
    **{
        f"math.{name}": number("x", reference=_LONG.get(name, f"np.{name}(x)"))
        for name in (
            "acos",
            "asin",
            "asinh",
            "atan",
            "atanh",
            "cbrt",
            "cos",
            "cosh",
            "degrees",
            "erf",
            "erfc",
            "exp",
            "exp2",
            "expm1",
            "fabs",
            "gamma",
            "lgamma",
            "log10",
            "log1p",
            "log2",
            "radians",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
        )
    },
    "math.acosh": number("x", x=ABOVE_ONE, reference="np.arccosh(x)"),
    "math.atan2": number("x, y", reference="np.arctan2(x, y)"),
    "math.copysign": number("x, y"),
    "math.dist": number("[x, 0.5], [y, z]", reference="np.hypot(x - y, 0.5 - z)"),
    "math.fmod": number("x, y", x=(5.1, 5.9), y=(1.75, 1.95)),
    "math.fsum": number("[x, y, 0.5]", reference="x + y + 0.5"),
    "math.hypot": number("x, y", "x, y, z"),
    "math.ldexp": number("x, n"),
    "math.log": number("x", "x, y", y=ABOVE_ONE),
    "math.pow": number("x, y", reference="np.power(x, y)"),
    "math.prod": number("[x, y, 0.5]"),
    "statistics.geometric_mean": shaped("x", "x.tolist()", like=ROWS, x=POSITIVE),
    **{
        f"statistics.{name}": shaped(*texts, like=ROWS)
        for name, texts in {
            "mean": ("x", "x.tolist()"),
            **dict.fromkeys(("pstdev", "pvariance", "stdev", "variance"), ("x", "x, x[0]")),
        }.items()
    },
    "math.remainder": number("x, y", x=(5.1, 5.4), y=(1.75, 1.95)),
    **{
        f"math.{name}": values("x", family=cases.scalars)
        for name in ("ceil", "floor", "isfinite", "isinf", "isnan", "trunc")
    },
    **{
        f"math.{name}": values("n, m", family=cases.scalars)
        for name in ("comb", "gcd", "lcm", "perm")
    },
    **{f"math.{name}": values("n", family=cases.scalars) for name in ("factorial", "isqrt")},
    "math.isclose": values("x, y", family=cases.scalars),
    **{
        f"cmath.{name}": number("x", dtypes=("complex128",))
        for name in (
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atanh",
            "cos",
            "cosh",
            "exp",
            "log",
            "log10",
            "phase",
            "polar",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
        )
    },
    "cmath.rect": number("x, y"),
    **{
        f"cmath.{name}": values("x", family=cases.scalars, dtypes=("complex128",))
        for name in ("isfinite", "isinf", "isnan")
    },
    # elementwise
    "np.angle": elementwise("x", "x, deg=True", dtypes=("complex128",), orders=(1, 2)),
    **{
        f"np.{name}": elementwise("x", "x, 1", x=(0.61, 0.64), reference="x * 0.0")
        for name in ("around", "round")
    },
    "np.clip": elementwise("x, 0.4, 0.6", "x, y, None", "x, min=y, max=z", z=(0.9, 1.2)),
    "np.complex128": elementwise("x", dtypes=COMPLEX),
    "np.complex64": elementwise("x", dtypes=("float32", "complex64"), reference="x + 0j"),
    "np.fix": elementwise("x", reference="x * 0.0"),
    "np.floor_divide.outer": elementwise(
        "x, y", x=(5.1, 5.9), y=(1.75, 1.95), reference="np.multiply.outer(x * 0.0, y)"
    ),
    "np.divmod.outer": elementwise(
        *("x, y",),
        **{"x": (5.1, 5.9), "y": (1.75, 1.95)},
        reference="(np.multiply.outer(x * 0.0, y), np.remainder.outer(x, y))",
    ),
    "np.float16": values("x", family=cases.elementwise),
    "np.float32": elementwise("x", dtypes=("float32",), reference="x"),
    "np.float64": elementwise("x"),
    "np.i0": elementwise("x"),
    "np.imag": elementwise("x", dtypes=COMPLEX),
    "np.real": elementwise("x", dtypes=COMPLEX),
    "np.nan_to_num": elementwise("x", "x, nan=2.0"),
    "np.real_if_close": elementwise(
        "return np.abs(np.real_if_close(x))", dtypes=COMPLEX, orders=(1, 2)
    ),
    "np.sinc": elementwise("x"),
    "np.select": elementwise("[x > 0.4, y > 0.4], [x * y, y], 0.5"),
    "np.where": several(elementwise("x > 0.5, x, y", dtypes=REAL), values("x > 0.5")),
    **{
        f"np.{name}": values("x", family=cases.elementwise)
        for name in (
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
        )
    },
    **{f"np.{name}": values("x", dtypes=COMPLEX) for name in ("iscomplexobj", "isrealobj")},
    **{
        f"np.{name}": values("x, y", family=cases.elementwise)
        for name in ("allclose", "array_equal", "isclose", "result_type")
    },
    "np.unwrap": reduction("x", "x, axis=0", "x, period=1.7", reference="x * 1.0"),
    # reductions and scans
    **{f"np.{name}": reduction(*AXES, dtypes=COMPLEX) for name in ("mean", "prod", "sum")},
    **{
        f"np.{name}": reduction(*AXES)
        for name in (
            "amax",
            "amin",
            "max",
            "min",
            "ptp",
            "median",
            "nanmax",
            "nanmin",
            "nanmean",
            "nanprod",
            "nansum",
        )
    },
    **{f"np.{name}": reduction(*AXES, "x, ddof=1", dtypes=COMPLEX) for name in ("std", "var")},
    **{f"np.{name}": reduction(*AXES, "x, ddof=1") for name in ("nanstd", "nanvar")},
    **{f"np.{name}": reduction(*ONE_AXIS, dtypes=COMPLEX) for name in ("cumsum", "cumprod")},
    **{f"np.{name}": reduction(*ONE_AXIS) for name in ("nancumsum", "nancumprod")},
    **{
        f"np.{name}": reduction("x, axis=0", "x, axis=-1, include_initial=True")
        for name in ("cumulative_sum", "cumulative_prod")
    },
    "np.nanmedian": reduction("x", "x, axis=-1"),
    **{
        f"np.{name}": reduction("x, 0.3", "x, [0.2, 0.9], axis=-1")
        for name in ("quantile", "nanquantile")
    },
    **{
        f"np.{name}": reduction("x, 30.0", "x, [20.0, 90.0], axis=-1")
        for name in ("percentile", "nanpercentile")
    },
    "np.average": reduction("x", "x, axis=-1", "x, weights=y", "x, axis=0, weights=y"),
    **{f"np.{name}": values("x > 0.5", "x, axis=-1") for name in ("all", "any", "count_nonzero")},
    **{
        f"np.{name}": values("x", "x, axis=-1")
        for name in ("argmax", "argmin", "argsort", "nanargmax", "nanargmin")
    },
    "np.trapezoid": reduction("x", "x, axis=0", "x, y", "x, dx=y[0]"),
    "np.diff": reduction("x", "x, axis=0", "x, 2", "x, prepend=y[:1]"),
    "np.ediff1d": reduction("x"),
    "np.gradient": several(
        signal("x", "x, 0.5", "x, edge_order=2", "x, np.cumsum(y)"), table("x", "x, axis=0")
    ),
    **{
        f"np.{name}.reduce": reduction("x", "x, axis=-1")
        for name in ("add", "multiply", "maximum", "minimum", "logaddexp")
    },
    **{
        f"np.{name}.reduce": values("x > 0.5", "x > 0.5, axis=-1")
        for name in ("logical_and", "logical_or")
    },
    **{
        f"np.{name}.accumulate": reduction("x", "x, axis=-1")
        for name in ("add", "multiply", "maximum", "minimum", "fmax", "fmin")
    },
    **{
        f"np.{name}.reduceat": reduction("x, [0, 1]", "x, [0, 1, 0], axis=-1")
        for name in ("add", "multiply")
    },
    **{
        f"np.{name}.reduceat": reduction("x, [0, 1]", "x, [0, 1, 0], axis=-1", orders=(1,))
        for name in ("maximum", "minimum")
    },
    "np.lib.stride_tricks.sliding_window_view": several(
        shaped("x, 1", "x, 2, -1", like=[[(n,)] for n in (2, 3, 5)] + LINES[5:]),
        shaped("x, (1, 2)", "x, 2, axis=0", "x, (2, 1), (0, 0)", like=SINGLE),
    ),
    # shape
    **{
        f"np.{name}": reduction("x", dtypes=COMPLEX)
        for name in (
            "array",
            "asanyarray",
            "asarray",
            "ascontiguousarray",
            "asfortranarray",
            "atleast_1d",
            "atleast_2d",
            "atleast_3d",
            "copy",
            "diagflat",
            "flip",
            "ravel",
            "squeeze",
            "transpose",
        )
    },
    "np.append": reduction("x, y", "x, y, axis=0"),
    "np.array_split": reduction("x, 2", "x, [1], axis=-1"),
    "np.block": reduction("[x, y]", "[[x, y], [y, x]]"),
    "np.broadcast_arrays": elementwise("x, y", orders=(1, 2)),
    "np.broadcast_to": reduction("x, (2, *x.shape)"),
    "np.c_[]": reduction("x, y"),
    "np.r_[]": reduction("x, y", "x, 0.5, y"),
    "np.column_stack": reduction("[x, y]"),
    "np.concatenate": reduction("[x, y]", "[x, y], axis=-1", "[x, y, x], axis=None"),
    "np.delete": reduction("x, 0", "x, [0], axis=-1"),
    "np.diag": several(signal("x", "x, 1"), shaped("x", "x, -1", like=[[s] for s in FLAT])),
    "np.diagonal": table("x", "x, 1, -1, -2", dtypes=COMPLEX),
    "np.dstack": reduction("[x, y]"),
    "np.hstack": reduction("[x, y]"),
    "np.vstack": reduction("[x, y]"),
    "np.stack": reduction("[x, y]", "[x, y], axis=-1"),
    "np.split": shaped("x, 2", "x, [1], axis=-1", like=HALVES),
    "np.hsplit": shaped("x, 2", like=HALVES),
    "np.vsplit": shaped("x, 2", like=[*HALVES, [((4, 2), "strided")], [(6, 1)], [(2, 0)]]),
    "np.dsplit": shaped("x, 2", like=CUBES),
    "np.expand_dims": reduction("x, 0", "x, (0, -1)"),
    "np.fliplr": table(),
    "np.flipud": reduction("x"),
    "np.insert": signal("x, 0, 0.5", "x, -1, y[0]"),
    "np.matrix_transpose": table(dtypes=COMPLEX),
    "np.meshgrid": signal("x, y", "x, y, indexing='ij'"),
    "np.moveaxis": table("x, 0, -1"),
    "np.pad": several(
        reduction("x, 1"),
        signal(
            "x, (1, 2), constant_values=0.5",
            *(
                f"x, (1, 2), {mode!r}"
                for mode in (
                    "edge",
                    "linear_ramp",
                    "maximum",
                    "mean",
                    "minimum",
                    "reflect",
                    "symmetric",
                    "wrap",
                )
            ),
        ),
    ),
    "np.repeat": reduction("x, 2", "x, 2, axis=-1"),
    "np.reshape": reduction("x, -1", "x, (-1, 1)", "x, (1, *x.shape), order='F'"),
    "np.resize": reduction("x, 5", "x, (2, 3)"),
    "np.roll": reduction("x, 1", "x, -1, axis=0"),
    "np.rollaxis": table("x, 1"),
    "np.rot90": table("x", "x, 2"),
    "np.swapaxes": table("x, 0, 1"),
    "np.tile": reduction("x, 2", "x, (2, 1)"),
    "np.tril": table("x", "x, 1", dtypes=COMPLEX),
    "np.triu": table("x", "x, -1", dtypes=COMPLEX),
    "np.unstack": reduction("return np.unstack(x)[0] * 2.0"),
    # index and order
    "np.take": reduction("x, 0", "x, [0, 0], axis=-1", "x, n, mode='clip'"),
    "np.take_along_axis": reduction(
        "x, np.argsort(x, axis=-1), axis=-1", "x, np.argsort(x, axis=None), axis=None"
    ),
    "np.choose": elementwise("n, [x, y, x * y]", n=Integers(0, 2), orders=(1, 2)),
    "np.compress": reduction("[True], x", "[True], x, axis=-1"),
    "np.extract": reduction("y > 0.5, x", y=held(0.15, 0.85)),
    "np.piecewise": elementwise("x, [x < 0.5], [lambda t: t * t, 0.25]"),
    "np.sort": reduction("x", "x, axis=0", "x, axis=None"),
    "np.unique": several(reduction("x"), values("return np.unique(x, return_counts=True)")),
    "np.unique_values": shaped("x", like=LINES, dtypes=("float64",)),
    **{f"np.{name}": reduction("x, y") for name in ("intersect1d", "setdiff1d", "union1d")},
    "np.interp": shaped("x, np.cumsum(np.abs(y * 1.0)), z", like=INTERPOLATED, x=(0.7, 1.2)),
    "np.bincount": shaped("n, weights=x", "n, weights=x, minlength=6", like=COUNTED),
    "np.isin": values("x, y"),
    **{f"np.{name}": values("x > 0.5") for name in ("flatnonzero", "nonzero")},
    "np.argwhere": values("x > 0.5", family=cases.tables),
    "np.digitize": values("x, np.cumsum(y)", family=cases.signals),
    "np.searchsorted": values("np.cumsum(x), y", family=cases.signals),
    "np.lexsort": values("(x, y)", family=cases.signals),
    "np.add.at": _written("[0, 0], 0.5", "[0, 0, -1], y[-1]"),
    "np.subtract.at": _written("[0, 0], 0.5", "[0, 0, -1], y[-1]"),
    "np.multiply.at": _written("[0, 0], 0.5", "[0, 0, -1], y[-1]"),
    "np.maximum.at": _written("[0, 0], 0.95", "[0, -1], y[-1]"),
    "np.minimum.at": _written("[0, 0], 0.95", "[0, -1], y[-1]"),
    "np.put": _written("[0, -1], y[0]"),
    "np.putmask": _written("x > 0.5, y"),
    "np.place": _written("x > 0.5, y"),
    "np.copyto": _written("y", "y, where=x > 0.5"),
    "np.put_along_axis": _written("np.argmax(x, axis=-1, keepdims=True), 0.5, -1"),
    "np.fill_diagonal": _written("0.5", "y[0, 0]"),
    # products
    **{
        f"np.{name}": shaped("x, y", like=like, dtypes=COMPLEX)
        for name, like in (
            ("dot", PRODUCTS),
            ("inner", INNER),
            ("kron", PAIRS),
            ("matmul", STACKS),
            ("matvec", MATVEC),
            ("outer", PAIRS),
            ("vdot", PAIRS),
            ("vecdot", PAIRS),
            ("vecmat", VECMAT),
            ("linalg.matmul", STACKS),
            ("linalg.outer", ALIKE),
            ("linalg.vecdot", PAIRS),
            ("polyadd", VECTORS),
            ("polysub", VECTORS),
        )
    },
    **{
        f"np.{name}": shaped("x, y", like=THREES, dtypes=COMPLEX)
        for name in ("cross", "linalg.cross")
    },
    **{
        f"np.{name}": shaped("x, y, axes=1", like=PRODUCTS, dtypes=COMPLEX)
        for name in ("tensordot", "linalg.tensordot")
    },
    **{
        f"np.{name}": shaped(
            "x, y", "x, y, 'same'", "x, y, 'valid'", "x, y, 'full'", like=VECTORS, dtypes=COMPLEX
        )
        for name in ("convolve", "correlate")
    },
    "np.einsum": several(
        shaped("'i,i', x, y", "'i,i->i', x, y", like=PAIRS, dtypes=COMPLEX),
        shaped("'ij,jk', x, y", "'ij,jk->i', x, y", like=PRODUCTS, dtypes=COMPLEX),
        table("'...i->...', x", "'ij->ji', x"),
        square("'...ii', x"),
    ),
    "np.trace": table("x", "x, 1, -1, -2", dtypes=COMPLEX),
    "np.polyval": shaped("x, y", like=[[b, a] for a, b in EVALUATED]),
    "np.polyder": signal("x", "x, 2", dtypes=COMPLEX),
    "np.polyint": signal("x", "x, 2", dtypes=COMPLEX),
    "np.poly": signal("x"),
    "np.roots": signal("return np.abs(np.roots(x))", dtypes=("float64",)),
    "np.polyfit": shaped("np.cumsum(x), y, 1", like=[*FITTED, [(7,), (7,)]]),
    "np.iterable": values("x"),
    "np.lib.array_utils.normalize_axis_index": values("n - 3, 4", family=cases.scalars),
    "np.polynomial.polynomial.polyfromroots": shaped("x", like=LINES),
    **{
        f"np.lib._polynomial_impl.{name}": shaped(
            f"return ({text})(y)", like=[[b, a] for a, b in EVALUATED], dtypes=("float64",)
        )
        for name, text in (
            ("__add__", "np.poly1d(x) + [1.0, 2.0]"),
            ("__mul__", "np.poly1d(x) * np.poly1d([2.0, 1.0])"),
            ("__radd__", "3.0 + np.poly1d(x)"),
            ("__rmul__", "3.0 * np.poly1d(x)"),
            ("__rsub__", "3.0 - np.poly1d(x)"),
            ("__sub__", "np.poly1d(x) - np.poly1d(x * x)"),
        )
    },
    **{
        f"np.polynomial._polybase.{name}": shaped(
            f"return ({text})(y)", like=[[b, a] for a, b in EVALUATED], dtypes=("float64",)
        )
        for name, text in (
            ("__add__", "np.polynomial.Polynomial(x) + [1.0, 2.0]"),
            (
                "__divmod__",
                "divmod(np.polynomial.Polynomial(x), np.polynomial.Polynomial([2.0]))[0]",
            ),
            ("__mul__", "np.polynomial.Polynomial(x) * np.polynomial.Polynomial(x)"),
            ("__radd__", "3.0 + np.polynomial.Polynomial(x)"),
            ("__rmul__", "3.0 * np.polynomial.Polynomial(x)"),
            ("__rsub__", "3.0 - np.polynomial.Polynomial(x)"),
            ("__sub__", "np.polynomial.Polynomial(x) - np.polynomial.Polynomial(x * x)"),
            ("convert", "np.polynomial.Polynomial(x).convert(domain=[0.0, 2.0])"),
        )
    },
    "np.polynomial.polyutils.mapdomain": shaped(
        "x, [0.0, 2.0], [1.0, 4.0]", like=LINES, dtypes=("float64",)
    ),
    "np.polynomial.polyutils.trimseq": signal("x", "x * (x < 0.5)"),
    "np.vander": signal("x", "x, 3", "x, 2, increasing=True"),
    "np.cov": several(signal("x"), table("x", "x, rowvar=False", "x, ddof=0")),
    "np.corrcoef": table("x", "x, rowvar=False"),
    **{
        name: word
        for kind, letters in (
            ("polynomial", "poly"),
            ("chebyshev", "cheb"),
            ("hermite", "herm"),
            ("hermite_e", "herme"),
            ("laguerre", "lag"),
            ("legendre", "leg"),
        )
        for name, word in _series(kind, letters).items()
    },
    # linear algebra
    **{f"np.linalg.{name}": square(dtypes=COMPLEX) for name in ("inv", "slogdet")},
    "np.linalg.det": square(dtypes=COMPLEX),
    "np.linalg.cholesky": square("positive(x)", "positive(x), upper=True", dtypes=COMPLEX),
    "np.linalg.cond": square("x", "x, 'fro'", by=1.5),
    "np.linalg.diagonal": table("x", "x, offset=1"),
    "np.linalg.eig": square(
        "l, v = np.linalg.eig(x); return l, np.abs(v)", by=1.5, dtypes=("complex128",)
    ),
    "np.linalg.eigvals": square("x", by=1.5, dtypes=("complex128",)),
    "np.linalg.eigh": square("l, v = np.linalg.eigh(symmetric(x)); return l, v * v", by=1.5),
    "np.linalg.eigvalsh": square("symmetric(x)", "symmetric(x), 'U'", by=1.5, dtypes=COMPLEX),
    "np.linalg.lstsq": shaped("x, y, rcond=None", like=LEAST_SQUARES),
    "np.linalg.matrix_norm": matrix("x", "x, ord=1", "x, ord='nuc'", "x, ord=2, keepdims=True"),
    "np.linalg.matrix_power": square("x, 3", "x, -2", "x, 0", dtypes=COMPLEX),
    "np.linalg.matrix_rank": values("x", family=cases.matrices),
    "np.linalg.matrix_transpose": table(dtypes=COMPLEX),
    "np.linalg.multi_dot": shaped("[x, y, x]", like=TURNED, dtypes=COMPLEX),
    "np.linalg.norm": several(
        reduction("x", "x, axis=-1", "x, 3, axis=0"),
        signal("x, 1", "x, np.inf", "x, -np.inf"),
        matrix("x, 'nuc', axis=(-2, -1)", "x, 2, axis=(-2, -1)"),
    ),
    "np.linalg.pinv": matrix("x", dtypes=COMPLEX, x=diagonal()),
    "np.linalg.qr": several(
        matrix("x", "x, 'complete'", x=diagonal()), square("x, 'complete'", dtypes=COMPLEX)
    ),
    "np.linalg.solve": several(system(dtypes=COMPLEX)),
    "np.linalg.svd": matrix(
        "u, s, v = np.linalg.svd(x, full_matrices=False); return u * u, s, v * v"
    ),
    "np.linalg.svdvals": matrix("x"),
    "np.linalg.tensorinv": shaped("x, ind=1", like=[[s] for s in FLAT], x=diagonal()),
    "np.linalg.tensorsolve": shaped("x, y", like=[[s, _shape(s)[:1]] for s in FLAT], x=diagonal()),
    "np.linalg.trace": table("x", "x, offset=1", dtypes=COMPLEX),
    "np.linalg.vector_norm": reduction("x", "x, axis=-1", "x, ord=3"),
    # Fourier transforms
    **{f"np.fft.{name}": _transformed(dtypes=COMPLEX) for name in ("fft", "ifft")},
    **{f"np.fft.{name}": _transformed(dtypes=REAL) for name in ("rfft", "ihfft")},
    **{f"np.fft.{name}": _transformed(dtypes=COMPLEX) for name in ("irfft", "hfft")},
    **{
        f"np.fft.{name}": table("x", "x, norm='ortho'", dtypes=COMPLEX)
        for name in ("fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn")
    },
    **{f"np.fft.{name}": table("x", "x, norm='ortho'") for name in ("rfft2", "rfftn")},
    **{
        f"np.fft.{name}": reduction("x", "x, axes=-1", dtypes=COMPLEX)
        for name in ("fftshift", "ifftshift")
    },
    **{
        f"np.fft.{name}": values("len(x)", family=cases.signals) for name in ("fftfreq", "rfftfreq")
    },
    # one by one, in parts
    "np.argpartition": values("x, 0"),
    "x.argpartition()": values("0"),
    # What is on either side of a place stands in an order that depends on the precision.
    "np.partition": reduction(
        "x, 0", reference="np.take_along_axis(x, np.argpartition(x.astype(float), 0, axis=-1), -1)"
    ),
    **{f"np.{name}": reduction("x") for name in ("asarray_chkfinite", "require")},
    "np.astype": reduction("x, np.float64"),
    **{
        f"np.{name}": elementwise(f"return x * np.{name}(5)[1]", orders=(1,))
        for name in ("bartlett", "blackman", "hamming", "hanning")
    },
    "np.kaiser": elementwise("return x * np.kaiser(5, 3.0)[1]", orders=(1,)),
    "np.fromiter": signal("[x[0], x[-1]], np.float64"),
    "np.geomspace": number("x, y, 4", dtypes=REAL),
    "np.histogram": values("return np.histogram(x, [0.1, 0.5, 0.9])[0]"),
    "np.histogram2d": values("return np.histogram2d(x, y, 2)[0]", family=cases.signals),
    "np.histogramdd": values(
        "return np.histogramdd(np.stack((x, y), 1), 2)[0]", family=cases.signals
    ),
    "np.histogram_bin_edges": reduction("x, 3"),
    **{
        f"np.{name}": values("x", dtypes=COMPLEX, family=cases.elementwise)
        for name in ("iscomplex", "isreal")
    },
    **{f"np.{name}": values("x", family=cases.elementwise) for name in ("isneginf", "isposinf")},
    **{
        f"np.{name}": reduction("return np.vectorize(lambda t: t * t)(x)")
        for name in ("vectorize", "lib._function_base_impl.__call__")
    },
    "np.mask_indices": values("len(x), np.triu", family=cases.signals),
    "np.ndenumerate": signal("return sum([v * (i[0] + 1.0) for i, v in np.ndenumerate(x)])"),
    **MASKED,
    "np.nditer": signal("return sum([v * v for v in np.nditer(x)])"),
    "np.frombuffer": signal("x * x, x.dtype", "2.0 * x, x.dtype, count=1"),
    "np.lib.stride_tricks.as_strided": signal(
        "x, (len(x) - 1, 2), (x.strides[0], x.strides[0])", "x, (2, len(x) - 1), (0, x.itemsize)"
    ),
    "np.ndindex": signal("return sum([x[i] * 2.0 for i in np.ndindex(x.shape)])"),
    "np.polydiv": shaped("x, y", like=[[b, a] for a, b in LONGER]),
    "np.polymul": shaped("x, y", like=VECTORS, dtypes=COMPLEX),
    "np.setxor1d": reduction("x, y"),
    "np.trim_zeros": signal("x"),
    # creation and queries
    **{
        f"np.{name}": values("x", dtypes=COMPLEX)
        for name in ("ndim", "ones_like", "shape", "size", "zeros_like")
    },
    "np.empty": values("(0, len(x))", family=cases.signals),
    "np.empty_like": values("x[:0]", family=cases.signals),
    **{f"np.{name}": values("x.shape", "x.shape, dtype=np.float32") for name in ("ones", "zeros")},
    "np.full": several(
        reduction("(2, *x.shape), x"), shaped("(2, 3), x", like=[[(3,)], [(2, 1)], [(1, 3)], [()]])
    ),
    "np.full_like": several(reduction("x, 0.5"), signal("y, x[0]")),
    "np.arange": values("len(x)", "0.5, len(x), 0.25", family=cases.signals),
    **{
        f"np.{name}": values("len(x)", family=cases.signals)
        for name in ("diag_indices", "eye", "identity", "tri", "tril_indices", "triu_indices")
    },
    **{
        f"np.{name}": values("x", family=cases.square_matrices)
        for name in ("diag_indices_from", "tril_indices_from", "triu_indices_from")
    },
    "np.indices": values("x.shape", family=cases.tables),
    "np.broadcast": values("return np.broadcast(x, np.ones((2, 1))).shape"),
    "np.from_dlpack": signal("x", "x * x"),
    "np.broadcast_shapes": values("x.shape, (2, 1)"),
    "np.can_cast": values("x.dtype, np.float32", dtypes=COMPLEX),
    "np.common_type": values("return np.common_type(x) is np.float64"),
    "np.dtype": values("return np.zeros(2, np.dtype(x.dtype))", dtypes=COMPLEX),
    "np.finfo": values("return np.finfo(x.dtype).eps", dtypes=COMPLEX),
    "np.iinfo": values("return np.iinfo(n.dtype).max"),
    "np.isdtype": values("x.dtype, 'real floating'", dtypes=COMPLEX),
    "np.issubdtype": values("x.dtype, np.floating", dtypes=COMPLEX),
    "np.min_scalar_type": values("return np.min_scalar_type(3.0).itemsize * x"),
    "np.promote_types": values("return np.zeros(2, np.promote_types(x.dtype, np.float32))"),
    "np.ix_": values("n, m", family=cases.signals),
    "np.linspace": number("x, y, 4", "x, y, 3, endpoint=False", dtypes=REAL),
    "np.logspace": number("x, y, 4", "x, y, 3, base=2.0", dtypes=REAL),
    "np.fromfunction": signal("lambda i: i * x[0], (3,)"),
    "np.ravel_multi_index": values("(n, m), (4, 4)", family=cases.signals),
    "np.unravel_index": values("n, (4, 4)", family=cases.signals),
    "np.apply_along_axis": table("lambda r: r * np.sum(r), 0, x", "np.sum, -1, x"),
    "np.apply_over_axes": table("np.sum, x, [0, 1]"),
    # scipy.special
    **{
        f"scipy.special.{name}": reduction("x", "x, axis=-1")
        for name in ("log_softmax", "logsumexp", "softmax")
    },
    **{
        f"scipy.special.{name}": elementwise(f"return x * scipy.special.{name}(5, 2)")
        for name in ("binom", "comb", "perm")
    },
    **{
        f"scipy.special.{name}": elementwise(f"return x * scipy.special.{name}(5)")
        for name in ("factorial", "factorial2")
    },
    **{
        f"scipy.special.{name}": elementwise("1, x", "2, x, 2", x=POSITIVE, orders=(1, 2))
        for name in ("h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp")
    },
    **{
        f"scipy.special.{name}": elementwise("2, x", "0, x", "1, x, True", x=POSITIVE)
        for name in ("spherical_in", "spherical_jn", "spherical_kn", "spherical_yn")
    },
    "scipy.special.lambertw": elementwise("x", orders=(1, 2)),
    "scipy.special.elliprc": elementwise("x, y", x=POSITIVE, y=POSITIVE),
    **{
        f"scipy.special.ellipr{kind}": elementwise("x, y, z", x=POSITIVE, y=POSITIVE, z=POSITIVE)
        for kind in "fd"
    },
    "scipy.special.elliprj": elementwise("x, y, z, 1.5", x=POSITIVE, y=POSITIVE, z=POSITIVE),
    **{
        f"scipy.special.{name}": elementwise("3, x", x=(0.4, 0.6), orders=(1, 2))
        for name in ("smirnov", "smirnovi")
    },
    "scipy.special.lpmv": elementwise("1, 3, x", "-2, 2, x", x=(-0.7, 0.7)),
    **{
        f"scipy.special.riccati_{kind}": number("2, x", x=POSITIVE, dtypes=("float64",))
        for kind in ("jn", "yn")
    },
    "scipy.special.ellip_harm": elementwise("3.0, 7.0, 3, 2, x", x=POSITIVE, dtypes=("float64",)),
    "scipy.special.sph_harm_y": elementwise("2, 1, x, y", x=POSITIVE),
    "scipy.special.multigammaln": elementwise("x, 2", x=POSITIVE),
    "scipy.special.diric": elementwise("x, 3", "x, n"),
    "scipy.special.voigt_profile": elementwise("x, y, z", orders=(1, 2)),
    "scipy.special.polygamma": elementwise("1, x", "n, x"),
    "scipy.special.softplus": elementwise("x"),
    **dict.fromkeys(
        ("scipy.special.ellipeinc", "scipy.special.ellipkinc"),
        several(
            elementwise("x, y", y=held(0.15, 0.85)),
            elementwise("x, y", x=held(0.15, 0.85), orders=(1,)),
            elementwise("x, y", x=held(1.8, 4.5), y=(-2.5, 0.9), orders=(1,)),
        ),
    ),
    "scipy.special.zeta": elementwise("x, y", x=held(2.1, 3.9)),
    # scipy.linalg
    "scipy.linalg.cho_factor": square("positive(x)", stacked=False),
    "scipy.linalg.cho_solve": system("scipy.linalg.cho_factor(positive(x)), y", stacked=False),
    "scipy.linalg.cholesky": square("positive(x)", "positive(x), lower=True", stacked=False),
    "scipy.linalg.det": square(),
    "scipy.linalg.inv": square(stacked=False),
    "scipy.linalg.solve": system(stacked=False),
    "scipy.linalg.solve_triangular": system(
        "x, y", "x, y, lower=True", "x, y, trans=1", stacked=False
    ),
    **{
        f"scipy.linalg.{name}": square(stacked=False, dtypes=("float64", "complex128"))
        for name in ("coshm", "cosm", "expm", "sinhm", "sinm", "sqrtm", "tanhm", "tanm")
    },
    "scipy.linalg.logm": square(  # SciPy estimates norms by random vectors
        stacked=False, dtypes=("float64", "complex128"), steady=False
    ),
    "scipy.linalg.expm_frechet": square("x, y", stacked=False, dtypes=("float64",), by=0.5),
    "scipy.linalg.block_diag": several(square("x, y", stacked=False), signal("x, y")),
    **{f"scipy.linalg.{name}": signal("x") for name in ("circulant", "companion", "fiedler")},
    "scipy.linalg.convolution_matrix": signal("x, 6", "x, 4, 'same'"),
    "scipy.linalg.hankel": signal("x", "x, y"),
    "scipy.linalg.toeplitz": signal("x", "x, y"),
    "scipy.linalg.khatri_rao": shaped("x, y", like=PAIRS[8:] + OF_ONE_WIDTH),
    "scipy.linalg.leslie": shaped("x, y", like=[[b, a] for a, b in LONGER]),
    "scipy.linalg.matmul_toeplitz": shaped("(x, x), y", "x, y", like=ALIKE),
    "scipy.linalg.solve_toeplitz": shaped(
        "return scipy.linalg.solve_toeplitz(np.concatenate(([3.0], x)), y)",
        like=LONGER,
        dtypes=("float64",),
    ),
    "scipy.linalg.eig": square(
        "l, v = scipy.linalg.eig(x); return l, np.abs(v)",
        by=1.5,
        stacked=False,
        dtypes=("complex128",),
    ),
    "scipy.linalg.eigvals": square("x", by=1.5, stacked=False, dtypes=("complex128",)),
    "scipy.linalg.eigh": square(
        "l, v = scipy.linalg.eigh(symmetric(x)); return l, v * v", by=1.5, stacked=False
    ),
    "scipy.linalg.eigvalsh": square(
        "symmetric(x)", "symmetric(x), lower=False", by=1.5, stacked=False, dtypes=COMPLEX
    ),
    "scipy.linalg.lstsq": shaped("return scipy.linalg.lstsq(x, y)[0]", like=LEAST_SQUARES),
    "scipy.linalg.lu": square("x", "x, permute_l=True", stacked=False),
    "scipy.linalg.lu_factor": square("return scipy.linalg.lu_factor(x)[0]", stacked=False),
    "scipy.linalg.lu_solve": system("scipy.linalg.lu_factor(x), y", stacked=False),
    "scipy.linalg.norm": several(matrix("x"), signal("x")),
    "scipy.linalg.pinv": shaped("x", like=SINGLE),
    "scipy.linalg.polar": square("x", "x, side='left'", stacked=False),
    "scipy.linalg.qr": square("x", "x, mode='r', pivoting=True", stacked=False),
    "scipy.linalg.rq": square("x", stacked=False),
    "scipy.linalg.qr_multiply": square(
        "x, np.cos(x)", "x, np.cos(x[0]), mode='left', pivoting=True", stacked=False
    ),
    **{
        f"scipy.linalg.{name}": square(
            f"return scipy.linalg.{name}(np.eye(len(x)) + x, x + y, {given})",
            stacked=False,
            dtypes=("float64",),
        )
        for name, given in (
            ("qr_update", "y[0], x[-1]"),
            ("qr_delete", "len(x) - 1"),
            ("qr_insert", "y[0], 0"),
        )
    },
    "scipy.linalg.matrix_balance": square("x, separate=True", "x, permute=False", stacked=False),
    "scipy.linalg.expm_cond": square("x", stacked=False, dtypes=("float64",), within=1e-7),
    **{
        f"scipy.linalg.interpolative.{name}": square(call, stacked=False, dtypes=("float64",))
        for name, call in (
            ("estimate_spectral_norm", "x, 1000, 1"),
            ("estimate_spectral_norm_diff", "x, np.diag(y[0]), 1000, 1"),
            ("id_to_svd", "x, np.roll(np.arange(2 * len(x)), 1), np.cos(x)"),
            ("interp_decomp", "x, 0.2, False"),
            ("reconstruct_interp_matrix", "np.arange(2 * len(x))[::-1], x"),
            ("reconstruct_matrix_from_id", "x, np.arange(2 * len(x))[::-1], np.cos(x)"),
            ("reconstruct_skel_matrix", "x, 1, np.arange(len(x))[::-1]"),
            ("svd", "x, 1, rng=1"),
        )
    },
    "scipy.linalg.svd": shaped(
        "u, s, v = scipy.linalg.svd(x, full_matrices=False); return u * u, s, v * v", like=SINGLE
    ),
    "scipy.linalg.svdvals": shaped("x", like=SINGLE),
    "scipy.linalg.solve_banded": shaped("(1, 1), x, y", like=BANDS, x=(0.6, 1.9)),
    "scipy.linalg.solveh_banded": shaped(
        "return scipy.linalg.solveh_banded(np.stack((0.2 * x, x + 1.0)), y)", like=BAND
    ),
    "scipy.linalg.solve_continuous_lyapunov": square("x, y", stacked=False, dtypes=("float64",)),
    "scipy.linalg.solve_discrete_lyapunov": square("x, y", stacked=False, dtypes=("float64",)),
    "scipy.linalg.solve_sylvester": square("x, y, z", stacked=False, dtypes=("float64",)),
    **{f"scipy.fft.{name}": _transformed(dtypes=COMPLEX) for name in ("fft", "ifft")},
    **{f"scipy.fft.{name}": _transformed(dtypes=REAL) for name in ("rfft", "ihfft")},
    **{f"scipy.fft.{name}": _transformed(dtypes=COMPLEX) for name in ("irfft", "hfft")},
    **{
        f"scipy.fft.{name}": shaped("x", "x, norm='ortho'", like=[*GRIDS, [(3, 1)]], dtypes=COMPLEX)
        for name in ("fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "hfft2", "hfftn")
    },
    **{
        f"scipy.fft.{name}": shaped("x", "x, norm='ortho'", like=GRIDS)
        for name in ("rfft2", "rfftn", "ihfft2", "ihfftn", "dctn", "dstn", "idctn", "idstn")
    },
    **{
        f"scipy.fft.{name}": shaped("x", "x, 3", "x, norm='ortho'", like=NOT_EMPTY)
        for name in ("dct", "dst", "idct", "idst")
    },
    **{f"scipy.fft.{name}": reduction("x") for name in ("fftshift", "ifftshift")},
    **{
        f"scipy.fft.{name}": values("len(x)", family=cases.signals)
        for name in ("fftfreq", "rfftfreq")
    },
    "scipy.fft.next_fast_len": values("len(x)", "len(x) + 9, True", family=cases.signals),
    # scipy.signal
    **{
        f"scipy.signal.windows.{name}": elementwise(
            f"return x * scipy.signal.windows.{name}({', '.join(['5', *more])})[1]", orders=(1,)
        )
        for name, *more in WINDOWS
    },
    "scipy.signal.get_window": elementwise(
        "return x * scipy.signal.get_window('hann', 5)[1]", orders=(1,)
    ),
    **{
        f"scipy.signal.{name}": elementwise(
            f"return x * scipy.signal.{name}({given})[{place}]", orders=(1,)
        )
        for name, given, place in FILTERS
    },
    **{
        f"scipy.signal.{name}": shaped("x, y", "x, y, 'same'", "x, y, 'full'", like=VECTORS)
        for name in ("convolve", "correlate", "fftconvolve", "oaconvolve")
    },
    **{
        f"scipy.signal.{name}": shaped("x, y", "x, y, 'same'", like=IMAGES)
        for name in ("convolve2d", "correlate2d")
    },
    "scipy.signal.detrend": shaped("x", "x, type='constant'", like=NOT_EMPTY),
    "scipy.signal.filtfilt": shaped(
        "[0.2, 0.3], [1.0, -0.4], x",
        "[0.2, 0.3], [1.0, -0.4], x, method='gust'",
        like=LONG,
        dtypes=("float64",),
    ),
    **{
        f"scipy.signal.{name}": number(
            f"return scipy.signal.{name}(([1.0, x], [1.0, -0.5, 0.2 * x], 0.1), n=6)[1][0][5, 0]"
        )
        for name in ("dimpulse", "dstep")
    },
    **{
        f"scipy.signal.{name}": shaped(
            f"return scipy.signal.{name}({given})[{place}]{part}", like=LONG, dtypes=("float64",)
        )
        for name, given, place, part in (
            ("coherence", "x, np.cos(3.0 * x), nperseg=4", 1, ""),
            ("csd", "x, np.cos(x), nperseg=4", 1, ".real"),
            ("periodogram", "x", 1, ""),
            ("spectrogram", "x, nperseg=4", 2, ""),
            ("stft", "x, nperseg=4", 2, ".imag"),
            ("welch", "x, nperseg=4", 1, ""),
        )
    },
    "scipy.signal.remez": number(
        "return scipy.signal.remez(9, [0.0, 0.2, 0.3, 0.5], [x, -y])[3]",
        "return scipy.signal.remez(8, [0.1, 0.4], [x + y], type='hilbert')[3]",
    ),
    "scipy.signal.bilinear": number(
        "return scipy.signal.bilinear([1.0, x], [1.0, y, 0.3], 2.0)[0][1]"
    ),
    "scipy.signal.unique_roots": shaped(
        "return scipy.signal.unique_roots(x + np.arange(len(x)) // 2 * 9.0, 1.0, 'avg')[0]",
        like=VECTORS,
        dtypes=("float64",),
    ),
    "scipy.signal.zpk2sos": number(
        "return scipy.signal.zpk2sos([x, 5.0], [0.1 * y, 0.5], 2.0)[0, 1]",
        "return scipy.signal.zpk2sos([x + 1.0j, x - 1.0j], [0.1 * y], 2.0)[0, 4]",
    ),
    "scipy.signal.hilbert": shaped("x", like=NOT_EMPTY),
    "scipy.signal.lfilter": shaped("x, [1.0, -0.4], y", "x, [1.0], y", like=VECTORS),
    "scipy.signal.lfilter_zi": shaped(
        "x, np.concatenate(([1.0], 0.3 * y))",
        like=[[b, a] for a, b in LONGER if a != (1,)] + [[(8,), (7,)]],
        dtypes=("float64",),
        reference="exact.lfilter_zi(x, np.concatenate(([1.0], 0.3 * y)))",
    ),
    "scipy.signal.sosfilt": shaped(
        "np.concatenate((x[:3], [1.0], 0.3 * x[3:]))[None], y",
        like=[[(5,), *line] for line in LINES],
        dtypes=("float64",),
    ),
    "scipy.signal.sosfilt_zi": shaped(
        "np.concatenate((x[:, :3], np.ones((len(x), 1)), 0.3 * x[:, 3:]), axis=1)",
        like=[
            *([(k, 5)] for k in (1, 2, 3, 4)),
            *([((k, 5), layout)] for k in (2, 3) for layout in ("F", "strided", "reversed")),
        ],
        dtypes=("float64",),
    ),
    # scipy.integrate, scipy.interpolate
    "scipy.integrate.odeint": number(
        "return scipy.integrate.odeint(lambda u, t: -x * u, y, np.array([0.0, 1.0]))[:, 0]",
        reference="y * np.exp(-x * np.array([0.0, 1.0]))",
        within=1e-5,
    ),
    "scipy.integrate.solve_ivp": shaped(
        "s = scipy.integrate.solve_ivp(lambda t, u: -x * u, (0.0, 1.0), y, rtol=1e-8, atol=1e-10);"
        " return s.y[:, -1]",
        like=[[(), *line] for line in LINES],
        dtypes=("float64",),
        reference="y * np.exp(-x)",
        within=1e-5,
    ),
    "scipy.integrate.quad": number(
        "return scipy.integrate.quad(lambda t: np.exp(-x * t), 0.0, y)[0]",
        reference="np.expm1(-x * y) / (-x)",
        within=1e-8,
    ),
    "scipy.integrate.quad_vec": shaped(
        "return scipy.integrate.quad_vec(lambda t: np.exp(-x * t), 0.0, 1.0)[0]",
        like=LINES,
        dtypes=("float64",),
        reference="(1 - np.exp(-x)) / x",
        within=1e-7,
    ),
    **{
        f"scipy.interpolate.{name}": shaped(
            f"return scipy.interpolate.{name}(np.cumsum(x), y)(0.75 + 0.01 * z)",
            like=KNOTS,
            x=(0.4, 0.6),
            dtypes=("float64",),
        )
        for name in ("CubicSpline", "PchipInterpolator", "interp1d")
    },
    **{
        f"scipy.interpolate.{name}": shaped(
            *(f"return scipy.interpolate.{name}(np.cumsum(x), y{more})(z)" for more in others),
            like=KNOTS_AND_POINTS,
            x=(0.4, 0.6),
            z=(0.9, 1.3),
            dtypes=("float64",),
            within=1e-8,
        )
        for name, others in (
            ("Akima1DInterpolator", ("", ", method='makima'")),
            ("InterpolatedUnivariateSpline", ("", ", k=2", ", k=1", ", ext=3")),
            ("UnivariateSpline", (", s=0", ", k=2, s=0, ext='zeros'")),
            ("make_interp_spline", ("", ", k=2", ", 1", ", 0")),
        )
    },
    "scipy.interpolate.splrep": shaped(
        "t, c, k = scipy.interpolate.splrep(np.cumsum(x), y); return t, c",
        "return scipy.interpolate.splev(z, scipy.interpolate.splrep(np.cumsum(x), y, k=2, s=0))",
        like=KNOTS_AND_POINTS,
        x=(0.4, 0.6),
        z=(0.9, 1.3),
        dtypes=("float64",),
        within=1e-8,
    ),
    **{
        f"scipy.interpolate.{name}": shaped(
            f"return scipy.interpolate.{name}{text}",
            like=KNOTS_AND_POINTS,
            x=(0.4, 0.6),
            z=(0.9, 1.3),
            dtypes=("float64",),
            within=1e-8,
        )
        for name, text in (
            ("KroghInterpolator", "(np.cumsum(x), y)(z)"),
            ("Rbf", "(np.cumsum(x), y)(z)"),
            (
                "RectBivariateSpline",
                "(np.cumsum(x), np.arange(4.0), np.outer(y, [1, 2, 0, 1])).ev(z, z)",
            ),
            ("krogh_interpolate", "(np.cumsum(x), y, z)"),
            ("RBFInterpolator", "(np.cumsum(x)[:, None], y)(z[:, None])"),
            (
                "griddata",
                "((np.cumsum(x), np.cumsum(x) ** 2), y, (z, z**2 + 0.2))",
            ),
            ("BarycentricInterpolator", "(np.cumsum(x), y, rng=0)(z)"),
            ("barycentric_interpolate", "(np.cumsum(x), y, z, rng=0)"),
            ("lagrange", "(np.cumsum(x[:4]), y[:4])(z)"),
        )
    },
    "scipy.interpolate.RegularGridInterpolator": shaped(
        *(
            "return scipy.interpolate.RegularGridInterpolator("
            f"(np.cumsum(x), np.array([0.0, 0.4, 1.0])), np.outer(y, [1.0, 2.0, -1.0]){more})"
            "((z, z * z))"
            for more in ("", ", 'nearest'", ", bounds_error=False, fill_value=None")
        ),
        like=KNOTS_AND_POINTS,
        x=(0.4, 0.6),
        z=(0.75, 0.95),
        dtypes=("float64",),
    ),
    "scipy.interpolate.interpn": shaped(
        "return scipy.interpolate.interpn((np.cumsum(x),), y, z.reshape(-1, 1))",
        like=KNOTS_AND_POINTS,
        x=(0.4, 0.6),
        z=(0.9, 1.3),
        dtypes=("float64",),
    ),
    "scipy.interpolate.RegularGridInterpolator.__call__": shaped(
        "return GRID((x, y))",
        "return GRID((x, y), 'nearest')",
        like=ALIKE,
        dtypes=("float64",),
    ),
    "scipy.interpolate.UnivariateSpline.__call__": shaped(
        "return FITTED(x)",
        "return FITTED(x, 1)",
        "return FITTED(x + 5.0, ext=1)",
        like=[[one] for one in POINTS],
        dtypes=("float64",),
    ),
    **{
        f"scipy.interpolate.UnivariateSpline.{name}": shaped(
            f"return {text}", like=[[one] for one in POINTS], x=(0.1, 0.4), dtypes=("float64",)
        )
        for name, text in (
            ("derivative", "FITTED.derivative()(x)"),
            ("antiderivative", "FITTED.antiderivative()(x)"),
            ("integral", "x * FITTED.integral(0.1, 0.8)"),
            ("derivatives", "x * FITTED.derivatives(1.2)[1]"),
            ("get_coeffs", "x * FITTED.get_coeffs()[1]"),
            ("get_knots", "x + FITTED.get_knots()[1]"),
        )
    },
    **{
        f"scipy.interpolate.{name}": shaped(f"return {text}", like=ALIKE, dtypes=("float64",))
        for name, text in (
            ("_BivariateSplineBase.__call__", "SURFACE(x, y, grid=False)"),
            ("BivariateSpline.ev", "SURFACE.ev(x, y)"),
        )
    },
    **{
        f"scipy.interpolate.{name}": shaped(
            f"return {text}", like=[[one] for one in POINTS], x=(0.4, 0.9), dtypes=("float64",)
        )
        for name, text in (
            ("_BarycentricRational.__call__", "FRACTION(x)"),
            ("Rbf.__call__", "RADIAL(x)"),
            ("NearestNDInterpolator.__call__", "x * OF_THE_NEAREST(x, 2.0 * x)"),
            ("BSpline.basis_element", "scipy.interpolate.BSpline.basis_element([0, 1, 2.0])(x)"),
            ("RectSphereBivariateSpline.__call__", "ON_SPHERE(x, 2.0 * x, grid=False)"),
            ("SphereBivariateSpline.ev", "ON_SPHERE.ev(x, 2.0 * x)"),
            ("SmoothSphereBivariateSpline.__call__", "SMOOTH_ON_SPHERE(x, x + 1.0, grid=False)"),
            ("LSQSphereBivariateSpline.__call__", "LEAST_ON_SPHERE(x, x + 1.0, grid=False)"),
        )
    },
    "scipy.interpolate.BarycentricInterpolator._evaluate": shaped(
        "return POLYNOMIAL(x)", like=[[one] for one in POINTS], dtypes=("float64",)
    ),
    "scipy.interpolate.BarycentricInterpolator._evaluate_derivatives": shaped(
        "return POLYNOMIAL.derivative(x)",
        like=[[one] for one in POINTS if one != (0,)],
        dtypes=("float64",),
    ),
    **{
        f"scipy.interpolate.{name}": shaped(
            f"return {text}", like=[[(n,)] for n in range(5, 13)], x=(0.4, 0.9), dtypes=("float64",)
        )
        for name, text in (
            ("make_splrep", "scipy.interpolate.make_splrep(np.arange(1.0 * len(x)), x, s=0)(1.7)"),
            (
                "make_splprep",
                "scipy.interpolate.make_splprep([x, np.arange(1.0 * len(x))], s=0)[0](0.4)",
            ),
            ("splprep", "scipy.interpolate.splprep([x, np.arange(1.0 * len(x))], s=0)[0][1][0]"),
            (
                "sproot",
                "scipy.interpolate.sproot("
                "scipy.interpolate.splrep(np.arange(1.0 * len(x)), np.cumsum(x) - 2.0, s=0))",
            ),
        )
    },
    **{
        f"scipy.interpolate.{name}": shaped(
            f"return {text}",
            like=[[one, (5,)] for one in POINTS],
            x=(0.1, 0.4),
            dtypes=("float64",),
        )
        for name, text in (
            (
                "splder",
                f"scipy.interpolate.splev("
                f"x, scipy.interpolate.splder(({SPLINE_KNOTS}, {PADDED}, 3)))",
            ),
            (
                "splantider",
                f"scipy.interpolate.splev("
                f"x, scipy.interpolate.splantider(({SPLINE_KNOTS}, {PADDED}, 3)))",
            ),
            ("splint", f"x * scipy.interpolate.splint(0.1, 0.8, ({SPLINE_KNOTS}, y, 3))"),
            ("spalde", f"x * scipy.interpolate.spalde(0.3, ({SPLINE_KNOTS}, y, 3))[1]"),
            (
                "LSQUnivariateSpline",
                "scipy.interpolate.LSQUnivariateSpline(np.arange(5.0), y, [2.2], k=1)(x)",
            ),
            (
                "make_lsq_spline",
                "scipy.interpolate.make_lsq_spline("
                "np.arange(5.0), y, [0.0, 0.0, 2.2, 4.0, 4.0], k=1)(x)",
            ),
            (
                "LinearNDInterpolator",
                "scipy.interpolate.LinearNDInterpolator(PLACES_OF_FIVE, y)(x, x * x)",
            ),
            (
                "NearestNDInterpolator",
                "scipy.interpolate.NearestNDInterpolator(PLACES_OF_FIVE, y)(x, x * x)",
            ),
        )
    },
    "scipy.interpolate.splev": shaped(
        f"return scipy.interpolate.splev(x, ({SPLINE_KNOTS}, y, 3))",
        like=[[one, (5,)] for one in POINTS],
        x=(0.1, 0.4),
        dtypes=("float64",),
    ),
    "scipy.interpolate.bisplev": shaped(
        f"knots = {SPLINE_KNOTS}; table = np.linspace(-1.0, 1.0, 25) ** 3;"
        " return scipy.interpolate.bisplev("
        "np.cumsum(x), np.cumsum(y), (knots, knots, table, 3, 3))",
        like=[[(n,), (m,)] for n in (1, 2, 3) for m in (1, 2, 3)],
        x=(0.05, 0.15),
        y=(0.05, 0.15),
        dtypes=("float64",),
    ),
    "scipy.interpolate.BSpline": shaped(
        "return scipy.interpolate.BSpline(SPLINE.t, np.arange(5.0) ** 2, 3).derivative()(x)",
        like=[[one] for one in POINTS],
        x=(0.1, 0.4),
        dtypes=("float64",),
    ),
    **{
        f"scipy.interpolate.BSpline.{name}": shaped(
            f"return {text}", like=[[one] for one in POINTS], x=(0.1, 0.4), dtypes=("float64",)
        )
        for name, text in (
            ("__call__", "SPLINE(x)"),
            ("c", "x * SPLINE.c[1]"),
            ("t", "x * SPLINE.t[4]"),
            ("derivative", "SPLINE.derivative(2)(x)"),
            ("antiderivative", "SPLINE.antiderivative()(x)"),
            ("integrate", "x * SPLINE.integrate(0.1, 0.8)"),
        )
    },
    "scipy.interpolate.CubicHermiteSpline": shaped(
        "return scipy.interpolate.CubicHermiteSpline(np.cumsum(x), y, z)(0.75)",
        like=KNOTS_ALIKE,
        x=(0.4, 0.6),
        dtypes=("float64",),
    ),
    **{
        f"scipy.interpolate.{name}": shaped(
            f"p = scipy.interpolate.PPoly(y, np.cumsum(x)); return {text}",
            like=PIECES,
            x=(0.4, 0.6),
            dtypes=("float64",),
        )
        for name, text in (
            ("PPoly", "p(0.75)"),
            ("PPoly.antiderivative", "p.antiderivative()(0.75)"),
            ("PPoly.derivative", "p.derivative()(0.75)"),
            ("PPoly.integrate", "p.integrate(0.7, 0.8) * 1.0"),
            ("_PPolyBase.__call__", "p(0.75)"),
            ("_PPolyBase.c", "p.c * 2.0"),
            ("_PPolyBase.x", "p.x * 2.0"),
        )
    },
    "scipy.optimize.minimize": shaped(
        "return scipy.optimize.minimize(lambda t: np.sum((t * t - x) ** 2), x, tol=1e-10).x",
        like=LINES,
        dtypes=("float64",),
        reference="np.sqrt(x)",
        within=1e-5,
    ),
    "scipy.integrate.solve_bvp": number(
        "return scipy.integrate.solve_bvp(lambda t, y: -x * y, lambda ya, yb: ya - 1.0,"
        " [0.0, 0.5, 1.0], np.ones((1, 3)), tol=1e-9).y[0, -1]",
        reference="np.exp(-x)",
        within=1e-6,
    ),
    "scipy.optimize.fmin_powell": shaped(
        "return scipy.optimize.fmin_powell("
        "lambda t: np.sum((t - x * x) ** 2), x, xtol=1e-9, disp=0)",
        like=LINES,
        dtypes=("float64",),
        reference="x * x",
        within=1e-4,
    ),
    **{
        f"scipy.optimize.{name}": shaped(
            f"return scipy.optimize.{name}(lambda t: np.sum((t * t - x) ** 2), x, {given}",
            like=LINES,
            dtypes=("float64",),
            reference="np.sqrt(x)",
            within=1e-4,
        )
        for name, given in (
            ("fmin", "xtol=1e-9, disp=0)"),
            ("fmin_bfgs", "gtol=1e-9, disp=0)"),
            ("fmin_cg", "None, disp=0)"),
            ("fmin_ncg", "lambda t: 4.0 * t * (t * t - x), avextol=1e-9, disp=0)"),
            ("fmin_l_bfgs_b", "approx_grad=True, factr=10.0, pgtol=1e-9)[0]"),
            ("fmin_slsqp", "acc=1e-12, iprint=0, fprime=lambda t: 4.0 * t * (t * t - x))"),
            ("fmin_cobyla", "[lambda t: t + 9.0], rhoend=1e-9, rhobeg=0.1, maxfun=9999)"),
        )
    },
    **{
        f"scipy.optimize.{name}": number(
            f"return scipy.optimize.{name}("
            f"lambda t: (t[0] - x * x) ** 2, [(-9.0, 9.0)]{given}).x[0]",
            reference="x * x",
            within=1e-4,
        )
        for name, given in (
            ("differential_evolution", ", rng=1"),
            ("dual_annealing", ", rng=1, maxiter=50"),
            ("shgo", ""),
        )
    },
    "scipy.optimize.brute": shaped(
        "return scipy.optimize.brute(lambda t: np.sum((t[0] - x) ** 2), ((0, 1),),"
        " finish=None, full_output=True)[1] * 1.0",
        like=LINES,
        dtypes=("float64",),
    ),
    "scipy.cluster.hierarchy.linkage": shaped(
        *(f"return scipy.cluster.hierarchy.linkage(x, {method!r})[:, 2]" for method in LINKED),
        like=OBSERVATIONS,
        dtypes=("float64",),
    ),
    **{
        f"scipy.cluster.hierarchy.{name}": shaped(
            f"return scipy.cluster.hierarchy.{name}({given}){part}",
            like=DISTANCES,
            x=(2.0, 3.0),
            dtypes=("float64",),
        )
        for name, given, part in (
            *((method, "x", "[:, 2]") for method in LINKED),
            ("cophenet", HIERARCHY, ""),
            ("inconsistent", HIERARCHY, ""),
            ("maxdists", HIERARCHY, ""),
            ("maxinconsts", f"{HIERARCHY}, {STATISTICS}", ""),
            ("maxRstat", f"{HIERARCHY}, {STATISTICS}, 0", ""),
            ("to_mlab_linkage", HIERARCHY, "[:, 2]"),
            (
                "from_mlab_linkage",
                f"scipy.cluster.hierarchy.to_mlab_linkage({HIERARCHY})",
                "[:, 2]",
            ),
        )
    },
    "scipy.cluster.hierarchy.dendrogram": shaped(
        "tree = scipy.cluster.hierarchy.linkage(x, 'average');"
        "drawn = scipy.cluster.hierarchy.dendrogram(tree, no_plot=True);"
        "return np.array(drawn['dcoord'])",
        like=OBSERVATIONS,
        dtypes=("float64",),
    ),
    "scipy.cluster.vq.vq": shaped(
        "return scipy.cluster.vq.vq((x.T + 9.0 * (np.arange(len(x)) % len(y))).T,"
        " (y.T + 9.0 * np.arange(len(y))).T)[1]",
        like=BOOKS,
        dtypes=("float64",),
    ),
    **{
        f"scipy.spatial.{name}": shaped(
            f"return scipy.spatial.{name.removesuffix('.query')}(y + 3.0 * np.eye(3)){query}",
            like=TREES,
            x=(2.0, 3.0),
            dtypes=("float64",),
        )
        for name, query in (
            ("KDTree", ".query(np.array([0.1, 0.7, 1.9]) * x)[0]"),
            ("KDTree.query", ".query(np.array([0.1, 0.7, 1.9]) * x, k=2)[0]"),
            ("cKDTree", ".query(np.array([0.1, 0.7, 1.9]) * x, p=1)[0]"),
            ("cKDTree.query", ".query(np.array([0.1, 0.7, 1.9]) * x, p=1)[0]"),
        )
    },
    "scipy.optimize.minimize_scalar": number(
        "return scipy.optimize.minimize_scalar(lambda t: (t - x) * (t - x)).x",
        reference="x * 1.0",
        within=1e-6,
    ),
    **{
        f"scipy.stats.gaussian_kde.{name}": shaped(
            f"return scipy.stats.gaussian_kde(x).{text}",
            like=DATA,
            dtypes=("float64",),
            summed=False,
        )
        for name, text in (
            ("_compute_covariance", "covariance * 1.0"),
            ("evaluate", "evaluate([0.75, 1.5])"),
            ("logpdf", "logpdf([0.75, 1.5])"),
        )
    },
    **{
        f"scipy.stats.{name}_normmax": values(  # as SciPy finds them, differences do not settle
            f"return scipy.stats.{name}_normmax(x{options}) * x",
            family=cases.of(*VECTORS[2:], [(8,)], [(9,)], [((8,), "reversed")]),
            x=POSITIVE,
            dtypes=("float64",),
        )
        for name, options in (("boxcox", ", method='mle'"), ("yeojohnson", ""))
    },
    "scipy.stats.ppcc_max": values(
        "return scipy.stats.ppcc_max(x, brack=(0.1, 2.0)) * x",
        family=cases.of([(8,)], [(9,)], [((8,), "reversed")]),
        x=POSITIVE,
        dtypes=("float64",),
    ),
    **{
        f"scipy.stats.{name}": shaped(
            f"return scipy.stats.{name}(x, np.cos(np.arange(len(x))){options})[0] * x",
            like=DATA,
            dtypes=("float64",),
        )
        for name, options in (
            *(("spearmanr", ""), ("kendalltau", ""), ("weightedtau", ""), ("ks_2samp", "")),
            *(("mannwhitneyu", ""), ("wilcoxon", ""), ("ansari", ", alternative='less'")),
        )
    },
    "scipy.stats._qmc.discrepancy": shaped(
        *(
            f"{SPREAD}; return scipy.stats.qmc.discrepancy(u{rest})"
            for rest in ("", ", iterative=True, method='WD'", ", method='MD'", ", method='L2-star'")
        ),
        like=POINT_SETS,
    ),
    "scipy.stats._qmc.geometric_discrepancy": shaped(
        f"{SPREAD}; return scipy.stats.qmc.geometric_discrepancy(u, method='mst')",
        like=[[(5, 3)], *(one for one in POINT_SETS if one[0][0] != 1)],
    ),
    "scipy.stats.wasserstein_distance_nd": shaped(
        f"{SPREAD}; return scipy.stats.wasserstein_distance_nd(u, 0.5 * u)", like=POINT_SETS
    ),
    "scipy.stats._qmc.update_discrepancy": shaped(
        f"{SPREAD}; return scipy.stats.qmc.update_discrepancy((y + 7.0) / 12.0, u, z)",
        like=[
            *([(3, 2), (2,), ()], [(4, 1), (1,), ()], [(1, 2), (2,), ()], [(1, 1), (1,), ()]),
            *([((5, 2), "F"), (2,), ()], [((3, 3), "reversed"), ((3,), "reversed"), ()]),
            *([((4, 2), "strided"), (2,), ()], [(2, 3), ((3,), "strided"), ()], [(6, 2), (2,), ()]),
        ],
    ),
    "scipy.stats.rv_frozen.expect": number(
        "return law.expect(lambda t: np.sin(x * t))",
        reference="np.exp(-0.5 * 2.89 * x * x) * np.sin(0.3 * x)",
        within=1e-6,
    ),
    "scipy.stats.chatterjeexi": shaped(
        "return scipy.stats.chatterjeexi(x, np.cos(np.arange(len(x)))).statistic * x",
        like=DATA,
        dtypes=("float64",),
    ),
    "scipy.stats._ksstats.kolmogn": elementwise(
        "return scipy.stats._ksstats.kolmogn(4, x)",
        "return scipy.stats._ksstats.kolmogn(7, x, False)",
        dtypes=("float64",),
        x=(0.87, 0.9),
    ),
    "scipy.stats.percentileofscore": shaped(
        "return scipy.stats.percentileofscore(y, x) * x", like=TWO_SAMPLES, dtypes=("float64",)
    ),
    **{  # SciPy takes 25 ms a share, and 170 ms a quantile
        f"scipy.stats.studentized_range{method}": word(
            [f"return scipy.stats.studentized_range{call}"],
            cases.scalars,
            {"x": (0.4, 0.6)},
            ("float64",),
            (1,),
        )
        for method, call in (
            ("", "(3, 5).cdf(x)"),
            *((f".{name}", f".{name}(x, 3, 5)") for name in ("pdf", "logpdf", "cdf", "logcdf")),
            *((f".{name}", f".{name}(x, 3, 5)") for name in ("sf", "ppf", "isf")),
            (".median", ".median(3, 5) * x"),
            (".rvs", ".rvs(3, 5, x, size=1, random_state=4)"),
            (".interval", ".interval(x, 3, 5)[0]"),
        )
    },
    # scipy.stats, random variables
    **{
        f"scipy.stats.UnivariateDistribution.{name}": elementwise(
            f"return scipy.stats.{call}", dtypes=("float64",), orders=(1, 2), x=inside
        )
        for name, call, inside in (
            ("pdf", "Normal(mu=0.3, sigma=1.4).pdf(x)", (-1.8, 1.8)),
            ("logpdf", "Normal(mu=0.3, sigma=1.4).logpdf(x)", (-1.8, 1.8)),
            ("pmf", "Binomial(n=4, p=x).pmf(3)", (0.2, 0.8)),
            ("logpmf", "Binomial(n=4, p=x).logpmf(3)", (0.2, 0.8)),
            ("icdf", "Uniform(a=0.1, b=2.5).icdf(x)", (0.2, 0.8)),
            ("iccdf", "Normal(mu=0.3, sigma=1.4).iccdf(x)", (0.2, 0.8)),
            ("ilogcdf", "Normal(mu=0.3, sigma=1.4).ilogcdf(x)", (-0.9, -0.2)),
            ("ilogccdf", "Logistic().ilogccdf(x)", (-0.9, -0.2)),
            ("entropy", "Normal(mu=0.3, sigma=x).entropy()", (0.5, 1.5)),
            ("logentropy", "Normal(mu=0.3, sigma=x).logentropy().real", (0.5, 1.5)),
            ("median", "Normal(mu=x, sigma=1.4).median()", (0.5, 1.5)),
            ("mode", "Normal(mu=x, sigma=1.4).mode()", (0.5, 1.5)),
            ("moment", "Normal(mu=0.3, sigma=x).moment(4, kind='central')", (0.5, 1.5)),
            ("support", "Uniform(a=x, b=2.5).support()[0] * x", (0.5, 1.5)),
        )
    },
    # scipy.stats, numerical inverses
    **{
        f"scipy.stats.{name}": elementwise(
            f"return {call}", dtypes=("float64",), orders=(1,), x=inside, reference=reference
        )
        for name, call, inside, reference in (
            ("NumericalInversePolynomial.ppf", "BY_DENSITY.ppf(x)", (0.2, 0.8), "law.ppf(x)"),
            ("NumericalInversePolynomial.cdf", "BY_DENSITY.cdf(x)", (-0.8, 1.8), "law.cdf(x)"),
            ("NumericalInverseHermite.ppf", "BY_SHARES.ppf(x)", (0.2, 0.8), "law.ppf(x)"),
            ("DiscreteGuideTable.ppf", "GUIDE.ppf(x) * x", (0.5, 0.8), "2.0 * x"),
        )
    },
    # scipy.stats, of several variables
    **{
        f"scipy.stats.{name}": shaped(f"return scipy.stats.{call}", like=like, y=(1.2, 2.8))
        for name, call, like in (
            ("dirichlet", f"dirichlet(y).logpdf({SIMPLEX})", ALIKE[5:] + TWO),
            ("dirichlet.logpdf", f"dirichlet.logpdf({SIMPLEX}, y)", ALIKE[5:] + TWO),
            ("dirichlet.pdf", f"dirichlet.pdf({SIMPLEX}, y)", ALIKE[5:] + TWO),
            ("dirichlet.mean", "dirichlet.mean(y)", VECTORS),
            ("dirichlet.var", "dirichlet.var(y)", VECTORS),
            ("dirichlet.entropy", "dirichlet.entropy(y)", VECTORS),
            ("multinomial", f"multinomial(3, {SIMPLEX}).logpmf([1, 2, 0])", OF_THREE),
            ("multinomial.logpmf", f"multinomial.logpmf([1, 2, 0], 3, {SIMPLEX})", OF_THREE),
            ("multinomial.pmf", f"multinomial.pmf([1, 2, 0], 3, {SIMPLEX})", OF_THREE),
            ("multinomial.mean", f"multinomial.mean(3, {SIMPLEX})", OF_THREE),
            ("multinomial.cov", f"multinomial.cov(3, {SIMPLEX})", OF_THREE),
        )
    },
    **{
        f"scipy.stats.{name}": shaped(
            f"return scipy.stats.{call}", like=NORMAL, z=diagonal(), dtypes=("float64",)
        )
        for name, call in (
            ("multivariate_normal", "multivariate_normal(y, positive(z)).logpdf(x)"),
            ("multivariate_normal.logpdf", "multivariate_normal.logpdf(x, y, positive(z))"),
            ("multivariate_normal.pdf", "multivariate_normal.pdf(x, y, positive(z))"),
            ("multivariate_t", "multivariate_t(y, positive(z), 3.5).logpdf(x)"),
            ("multivariate_t.logpdf", "multivariate_t.logpdf(x, y, positive(z), 3.5)"),
            ("multivariate_t.pdf", "multivariate_t.pdf(x, y, positive(z), 3.5)"),
        )
    },
    **{
        f"scipy.stats.{name}.rvs": values(  # by Cholesky's factor, and not by NumPy's root
            f"return scipy.stats.{name}.rvs({given}, random_state=3)",
            family=cases.of(*SPREADS),
            y=(1.2, 2.8),
            z=diagonal(),
            dtypes=("float64",),
        )
        for name, given in (
            ("dirichlet", "y + np.diag(z)"),
            ("multivariate_normal", "y, positive(z)"),
            ("multivariate_t", "y, positive(z), 3.5"),
        )
    },
    **{
        f"scipy.stats.multivariate_normal.{name}": shaped(
            f"return scipy.stats.multivariate_normal.{name}([x[0], x[1]], [x[2], 0.2],"
            " [[2.0, 0.3 * y[0]], [0.3 * y[0], 1.0]]) * y",
            like=ONE_SIDE_OF_LINES,
            x=(-0.9, 0.9),
            y=(0.2, 0.9),
            dtypes=("float64",),
        )
        for name in ("cdf", "logcdf")
    },
    "scipy.stats.binned_statistic": shaped(
        "return scipy.stats.binned_statistic(np.linspace(0.1, 0.9, len(x)), x, bins=2).statistic"
        " * y[0]",
        like=ONE_SIDE_OF_LINES,
        dtypes=("float64",),
    ),
    **{
        f"scipy.stats.{name}": shaped(
            f"return scipy.stats.{call}", like=ONE_SIDE, x=diagonal(), dtypes=("float64",)
        )
        for name, call in (
            ("matrix_normal", "matrix_normal(0.5 * x, positive(x), 2.0).logpdf(x) * y"),
            ("matrix_normal.logpdf", "matrix_normal.logpdf(x, x.T, positive(x), 0.5) * y"),
            ("matrix_normal.entropy", "matrix_normal.entropy(positive(x), np.eye(2)) * y"),
            ("matrix_normal.pdf", "matrix_normal.pdf(0.1 * x, 0.0 * x, positive(x), 3.0) * y"),
        )
    },
    "scipy.stats.multivariate_normal.entropy": shaped(
        "return scipy.stats.multivariate_normal.entropy(y, positive(z))",
        like=[*[[(n,), (n, n)] for n in range(2, 9)], *[shapes[1:] for shapes in NORMAL]],
        z=diagonal(),
        dtypes=("float64",),
    ),
    **{
        f"scipy.stats.{law}{method}": shaped(
            f"return scipy.stats.{law}{call}",
            like=MATRICES_AND_A_NUMBER,
            y=(5.2, 7.8),
            z=diagonal(),
            dtypes=("float64",),
        )
        for law in ("wishart", "invwishart")
        for method, call in (
            ("", "(y, positive(z)).logpdf(positive(x))"),
            (".logpdf", ".logpdf(positive(x), y, positive(z))"),
            (".pdf", ".pdf(positive(x), y, positive(z))"),
            (".mean", ".mean(y + 2.0, positive(z)) * x"),
            (".mode", ".mode(y + 2.0, positive(z)) * x"),
        )
    },
    **{
        f"scipy.stats.wishart.{method}": shaped(
            f"return scipy.stats.wishart.{method}(y + 2.0, positive(z)) * x",
            like=MATRICES_AND_A_NUMBER,
            y=(5.2, 7.8),
            dtypes=("float64",),
        )
        for method in ("var", "entropy")
    },
    **{
        f"scipy.stats.{call}": values(
            f"return scipy.stats.{call}({given}, size=2, random_state=3) * x * y",
            family=cases.of(*MATRICES_AND_A_NUMBER),
            y=(5.2, 7.8),
            z=diagonal(),
            dtypes=("float64",),
        )
        for call, given in (
            ("wishart.rvs", "y, positive(z)"),
            ("matrix_normal.rvs", "x, positive(z), positive(x)"),
        )
    },
    "scipy.linalg.cho_solve_banded": shaped(
        "return scipy.linalg.cho_solve_banded((np.stack((0.2 * x, x + 1.0)), False), y)",
        like=BAND,
        dtypes=("float64",),
    ),
    "scipy.linalg.eigvalsh_tridiagonal": shaped(
        "np.cumsum(x), 0.1 * y", like=[[b, a] for a, b in LONGER], dtypes=("float64",)
    ),
    **{
        f"scipy.linalg.solve_{kind}_are": square(
            "x, np.eye(len(x)), positive(y), positive(z)",
            stacked=False,
            dtypes=("float64",),
            within=1e-7,
        )
        for kind in ("continuous", "discrete")
    },
    "scipy.linalg.fractional_matrix_power": square(
        "positive(x), 0.3", stacked=False, dtypes=("float64",)
    ),
    "scipy.linalg.orthogonal_procrustes": square("x, y", stacked=False, dtypes=("float64",)),
    "scipy.linalg.eigvals_banded": shaped(
        "np.stack((0.2 * x, np.cumsum(y)))", like=BAND, dtypes=("float64",)
    ),
    "scipy.linalg.eigh_tridiagonal": shaped(
        "return scipy.linalg.eigh_tridiagonal(np.cumsum(x), 0.1 * y)[0]",
        like=[[b, a] for a, b in LONGER],
        dtypes=("float64",),
    ),
    "scipy.linalg.funm": square("x, lambda t: t * t", stacked=False, dtypes=("float64",)),
    "scipy.linalg.signm": square("x", stacked=False, dtypes=("float64",)),
    "scipy.linalg.subspace_angles": shaped(
        "x, y", like=SUBSPACES, dtypes=("float64",), orders=(1,), x=(-2.9, 2.9), y=(0.6, 2.9)
    ),
    "scipy.linalg.cholesky_banded": shaped(
        "x + [[0.0], [4.0]]", "x + [[4.0], [0.0]], lower=True", like=HALF_BANDS, dtypes=("float64",)
    ),
    "scipy.linalg.pinvh": square("symmetric(x)", stacked=False, dtypes=("float64",)),
    "scipy.linalg.solve_circulant": shaped(
        "x + 3.0 * np.eye(len(x))[0], y", like=BAND, dtypes=("float64",)
    ),
    **{
        f"scipy.linalg.{name}": elementwise(f"return x * scipy.linalg.{name}(4)[1, 1]", orders=(1,))
        for name in ("hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal")
    },
    "scipy.linalg.dft": elementwise("return x * scipy.linalg.dft(4)[1, 1].real", orders=(1,)),
    # scipy.ndimage, along axes
    **{
        f"scipy.ndimage.{name}": shaped(text, like=NOT_EMPTY, dtypes=("float64",))
        for name, text in (
            ("convolve1d", "x, [0.5, 0.2, 0.3]"),
            ("correlate1d", "x, [0.5, 0.2, 0.3]"),
            ("gaussian_filter", "x, 0.7"),
            ("gaussian_filter1d", "x, 0.7"),
            ("laplace", "x"),
            ("prewitt", "x"),
            ("sobel", "x"),
            ("uniform_filter", "x, 3"),
            ("uniform_filter1d", "x, 3"),
            # between the elements
            ("affine_transform", "x, [[1.0]] if x.ndim == 1 else [0.7] * x.ndim, 0.3"),
            ("geometric_transform", "x, lambda place: tuple([0.7 * k + 0.3 for k in place])"),
            ("map_coordinates", "x, np.full((x.ndim, 3), 0.3) + [0.1, 0.5, 0.9]"),
            ("shift", "x, 0.3"),
            ("spline_filter", "x"),
            ("spline_filter1d", "x"),
            ("zoom", "x, 2"),
            # by order
            ("generic_filter", "x, np.mean, 3"),
            ("maximum_filter", "x, 3"),
            ("maximum_filter1d", "x, 3"),
            ("median_filter", "x, 3"),
            ("minimum_filter", "x, 3"),
            ("minimum_filter1d", "x, 3"),
            ("percentile_filter", "x, 30, 3"),
            ("rank_filter", "x, 1, 3"),
            *((f"grey_{kind}", "x, 3") for kind in ("closing", "dilation", "erosion", "opening")),
            *((f"{kind}_tophat", "x, 3") for kind in ("black", "white")),
            *((f"morphological_{kind}", "x, 3") for kind in ("gradient", "laplace")),
            # of normal densities, and of spectra
            ("gaussian_laplace", "x, 0.7"),
            *((f"fourier_{kind}", "x, 0.7") for kind in ("gaussian", "uniform")),
            ("fourier_shift", "return scipy.ndimage.fourier_shift(x, 0.7).real"),
        )
    },
    "scipy.ndimage.rotate": shaped("x, 30.0, reshape=False", like=IMAGES_ALONE),
    "scipy.ndimage.gaussian_gradient_magnitude": shaped("x, 0.7", like=LONG, dtypes=("float64",)),
    "scipy.ndimage.center_of_mass": shaped("x", like=NOT_EMPTY, x=(0.6, 2.9)),
    **{
        f"scipy.ndimage.{name}": shaped("x, y", like=IMAGES, dtypes=("float64",))
        for name in ("convolve", "correlate")
    },
    "scipy.signal.medfilt": shaped("x", like=LONG, dtypes=("float32", "float64")),
    "scipy.signal.medfilt2d": shaped("x", like=IMAGES_ALONE, dtypes=("float32", "float64")),
    "scipy.signal.upfirdn": shaped("[0.5, 0.3, -0.2], x, 3, 2", like=LONG),
    "scipy.signal._polyutils.poly": signal("x, xp=np"),
    "scipy.signal.resample_poly": shaped("x, 3, 2", like=LONG),
    "scipy.signal.decimate": shaped("x, 2, ftype='fir'", like=LONG),
    "scipy.signal.savgol_filter": shaped("x, 5, 2", like=LONG, dtypes=("float64",)),
    "scipy.signal.sosfiltfilt": shaped(
        "[[0.2, 0.3, 0.1, 1.0, -0.4, 0.1]], x, padlen=4",
        like=[
            *LONG[2:4],
            *([[(n,)] for n in (14, 16, 18)]),
            [(2, 14)],
            [((2, 15), "F")],
            [(1, 13)],
        ],
        dtypes=("float64",),
    ),
    # scipy.optimize: the root of t³ = x
    **{
        f"scipy.optimize.{name}": number(f"{CUBE}, 0.0, 2.0, xtol=1e-14", reference="np.cbrt(x)")
        for name in ("bisect", "brenth", "brentq", "ridder", "toms748")
    },
    **{
        f"scipy.optimize.{name}": number(
            f"return scipy.optimize.{name}(lambda t: (t - x) * (t - x){ends})",
            reference="x * 1.0",
            within=1e-6,
        )
        for name, ends in (("brent", ""), ("golden", ""), ("fminbound", ", -2.0, 5.0"))
    },
    "scipy.optimize.approx_fprime": shaped(
        "return scipy.optimize.approx_fprime(x, lambda t: np.sum(t**3), 0.1)",
        like=LINES,
        dtypes=("float64",),
    ),
    "scipy.optimize.check_grad": shaped(
        "return scipy.optimize.check_grad("
        "lambda t: np.sum(t**3), lambda t: 3 * t * t, x, epsilon=0.1)",
        like=LINES,
        dtypes=("float64",),
    ),
    "scipy.optimize.leastsq": shaped(
        "return scipy.optimize.leastsq(lambda t: t * t - x, x)[0]",
        like=LINES,
        dtypes=("float64",),
        reference="np.sqrt(x)",
        within=1e-5,
    ),
    **{
        f"scipy.integrate.{name}": number(
            f"return scipy.integrate.{name}({text})[0]",
            reference="x * np.expm1(y) * y",
            within=1e-8,
        )
        for name, text in (
            ("dblquad", "lambda v, u: x * np.exp(u), 0.0, y, 0.0, y"),
            ("nquad", "lambda v, u: x * np.exp(u), [(0.0, y), (0.0, y)]"),
            ("tplquad", "lambda w, v, u: x * np.exp(u), 0.0, y, 0.0, y, 0.0, 1.0"),
        )
    },
    "scipy.optimize.fixed_point": several(
        number(
            "return scipy.optimize.fixed_point(lambda t: t - (t * t - x) / 4.0, 1.0, xtol=1e-13)",
            reference="np.sqrt(x)",
        ),
        shaped(
            "lambda t: t - (t * t - x) / 4.0, x, xtol=1e-13",
            like=LINES,
            dtypes=("float64",),
            reference="np.sqrt(x)",
            within=1e-8,
        ),
    ),
    "scipy.optimize.least_squares": shaped(
        "return scipy.optimize.least_squares(lambda t: t * t - x, x, xtol=1e-14).x",
        like=LINES,
        dtypes=("float64",),
        reference="np.sqrt(x)",
        within=1e-5,
    ),
    "scipy.optimize.curve_fit": shaped(
        "return scipy.optimize.curve_fit(lambda t, a, b: a + b * t, np.cumsum(x), y)[0]",
        "return scipy.optimize.curve_fit(lambda t, a, b: a + b * t, np.cumsum(x), y,"
        " [1.0, 0.5], sigma=np.ones(len(x)))[0]",
        like=FIT_BY_LINES,
        x=(0.4, 0.9),
        dtypes=("float64",),
        reference="np.polyfit(np.cumsum(x), y, 1)[::-1]",
        within=1e-5,
    ),
    **{
        f"scipy.fft.{name}": shaped("x, 0.3, 0.5, 0.1, 0.2", like=ROSENBROCK, dtypes=("float64",))
        for name in ("fht", "ifht")
    },
    "scipy.fft.fhtoffset": elementwise(
        "return scipy.fft.fhtoffset(0.3, x) + scipy.fft.fhtoffset(x, 0.5, 0.2, 0.1)",
        x=(0.6, 0.9),
        orders=(1,),
        dtypes=("float64",),
    ),
    "scipy.optimize.rosen": shaped("x", like=ROSENBROCK),
    **{
        f"scipy.linalg.{name}": shaped(
            f"return {call}", like=ONE_SIDE, dtypes=("float64",), within=1e-7, x=diagonal()
        )
        for name, call in (
            ("null_space", "scipy.linalg.null_space(x[:-1])[:, 0] ** 2 * y"),
            ("orth", "scipy.linalg.orth(np.diag(np.arange(1.0, 1.0 + len(x))) + x) ** 2 @ y"),
        )
    },
    **{
        f"scipy.optimize.{name}": shaped(
            f"return {call}", like=ONE_SIDE, dtypes=("float64",), within=1e-7, x=diagonal()
        )
        for name, call in (
            ("nnls", "scipy.optimize.nnls(x, y)[0]"),
            ("lsq_linear", "scipy.optimize.lsq_linear(x, y).x"),
            ("linprog", "scipy.optimize.linprog(y * y + 1.0, -x, -np.ones(len(x))).x"),
            ("linear_sum_assignment", "x[scipy.optimize.linear_sum_assignment(x)] * y"),
            (
                "isotonic_regression",
                "scipy.optimize.isotonic_regression(y - x[0], weights=np.exp(x[1])).x",
            ),
        )
    },
    "scipy.optimize.rosen_der": shaped("x", like=ROSENBROCK),
    "scipy.optimize.rosen_hess": shaped("x", like=ROSENBROCK_LINES),
    "scipy.optimize.rosen_hess_prod": shaped("x, np.cos(x)", like=ROSENBROCK_LINES),
    "scipy.optimize.newton": number(
        f"{CUBE}, 1.0, tol=1e-14",
        f"{CUBE}, 1.0, lambda t: 3.0 * t * t, tol=1e-14",
        reference="np.cbrt(x)",
    ),
    "scipy.optimize.root_scalar": number(
        f"return scipy.optimize.root_scalar({CUBE}, bracket=(0.0, 2.0), xtol=1e-14).root",
        reference="np.cbrt(x)",
    ),
    "scipy.optimize.fsolve": shaped(
        f"{CUBE}, x, xtol=1e-14", like=LINES, dtypes=("float64",), reference="np.cbrt(x)"
    ),
    **{
        f"scipy.optimize.{name}": shaped(
            "return scipy.optimize."
            f"{name}(lambda v: {sign}(v + 0.1 * v**3 - x), 0.9 * x, f_tol=1e-12, maxiter=900)",
            like=LINES,
            x=(0.6, 1.2),
            dtypes=("float64",),
            within=1e-8,
        )
        for sign, names in (
            ("", ("broyden1", "broyden2", "anderson", "diagbroyden", "newton_krylov")),
            ("-", ("linearmixing", "excitingmixing")),
        )
        for name in names
    },
    "scipy.optimize.root": shaped(
        f"return scipy.optimize.root({CUBE}, x, tol=1e-14).x",
        like=LINES,
        dtypes=("float64",),
        reference="np.cbrt(x)",
    ),
    # samples
    "scipy.integrate.simpson": several(
        shaped(
            *("x", "x, dx=0.5", "x, axis=0", "x, x=np.cumsum(y, axis=-1)"),
            like=SAMPLES,
            dtypes=("float64",),
        ),
        shaped("x, x=np.cumsum(y)", like=ALIKE[5:] + TWO, dtypes=("float64",)),
    ),
    "scipy.integrate.trapezoid": shaped(
        "x", "x, dx=0.5", "x, axis=0", "x, np.cumsum(y, axis=-1)", like=SAMPLES
    ),
    "scipy.integrate.cumulative_trapezoid": shaped(
        "x", "x, dx=0.5, initial=0", "x, axis=0", "x, np.cumsum(y, axis=-1)", like=SAMPLES
    ),
    "scipy.integrate.romb": shaped("x", "x, 0.5", like=OF_POWERS),
    "scipy.integrate.fixed_quad": number(
        "return scipy.integrate.fixed_quad(lambda t: np.sin(t * z), x, y)[0]",
        "return scipy.integrate.fixed_quad(lambda t, a: t**3 * a, x, y, (z,), n=3)[0]",
    ),
    "scipy.spatial.distance.cdist": shaped(
        *("x, y", "x, y, 'sqeuclidean'", "x, y, 'cityblock'", "x, y, 'chebyshev'"),
        *("x, y, 'minkowski', p=3", "x, y, 'seuclidean', V=np.sum(x, axis=0) + 1.0"),
        *("x, y, 'canberra'", "x, y, 'braycurtis'", "x, y, 'cosine'", "x, y, 'jensenshannon'"),
        like=OF_TWO_COLUMNS,
        dtypes=("float64",),
    ),
    "scipy.spatial.distance.minkowski": shaped(
        *("x, y", "x, y, 1", "x, y, p=3", "x, y, 4, w=np.cos(x) ** 2"),
        like=ALIKE,
        dtypes=("float64",),
    ),
    "scipy.spatial.distance.pdist": shaped(
        *("x", "x, 'sqeuclidean'", "x, 'cityblock'", "x, 'chebyshev'", "x, 'minkowski', p=3"),
        *("x, 'canberra'", "x, 'braycurtis'", "x, 'cosine'", "x, 'jensenshannon'"),
        like=[one for one in GRIDS if len(_shape(one[0])) == 2 and _shape(one[0])[1] > 1]
        + [[((5, 3), "F")], [((4, 2), "strided")], [(6, 2)]],
        dtypes=("float64",),
    ),
    "scipy.spatial.distance.squareform": several(
        shaped("x", like=[[(n,)] for n in (1, 3, 6, 10)] + [[((3,), "reversed")]]),
        shaped(
            "x + x.T - 2.0 * np.diag(np.diag(x)), checks=False",
            like=[[(n, n)] for n in (2, 3, 4)] + [[((3, 3), "F")]],
        ),
    ),
    **{
        f"scipy.stats.{name}": shaped(*texts, like=SAMPLES, dtypes=("float64",))
        for name, texts in (
            ("gmean", ("x", "x, axis=-1", "x, axis=None, keepdims=True", "x, weights=y")),
            ("hmean", ("x", "x, axis=-1", "x, axis=None", "x, weights=y")),
            ("pmean", ("x, 2.5", "x, -1, axis=-1", "x, 0, axis=None", "x, 2, weights=y")),
            ("moment", ("x, 2", "x, 3, axis=-1", "x, [1, 2][0]", "x, 4, center=0.5")),
            ("skew", ("x", "x, axis=-1", "x, axis=None", "x, bias=False, keepdims=True")),
            ("kurtosis", ("x", "x, axis=-1", "x, axis=None", "x, fisher=False, bias=False")),
            ("sem", ("x", "x, axis=-1", "x, axis=None", "x, ddof=0, keepdims=True")),
            ("tvar", ("x", "x, (0.1, None)", "x, (None, 2.0), (True, False), -1", "x, axis=None")),
            ("tstd", ("x, axis=-1", "x, (-5.0, 5.0)", "x, axis=None, keepdims=True")),
            ("tsem", ("x", "x, (-5.0, 5.0), axis=-1", "x, axis=None, ddof=0")),
            ("variation", ("x", "x, axis=-1", "x, axis=None", "x, ddof=1, keepdims=True")),
            ("zscore", ("x", "x, axis=-1", "x, axis=None", "x, ddof=1")),
            ("zmap", ("x, y", "x, y, axis=-1", "x, y, axis=None", "x, y, ddof=1")),
            ("trim_mean", ("x, 0.2", "x, 0.4, axis=-1", "x, 0.1, axis=None")),
            ("iqr", ("x", "x, axis=-1", "x, rng=(10, 60), scale='normal'", "x, 0, keepdims=True")),
            ("entropy", ("x", "x, y", "x, y, base=2", "x, axis=-1, keepdims=True")),
        )
    },
    # scipy.sparse
    **{
        f"scipy.sparse.{name}": shaped(f"return {text}", like=SPARSE)
        for name, text in (
            ("coo_array", "scipy.sparse.coo_array((x, PLACES), shape=(3, 3)) @ y"),
            ("coo_matrix", "scipy.sparse.coo_matrix((x, PLACES), shape=(3, 3)) @ y"),
            ("csc_array", "scipy.sparse.csc_array((x, PLACES), shape=(3, 3)) @ y"),
            ("csc_matrix", "scipy.sparse.csc_matrix((x, PLACES), shape=(3, 3)) @ y"),
            ("csr_array", "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)) @ y"),
            ("csr_matrix", "scipy.sparse.csr_matrix((x, PLACES), shape=(3, 3)) @ y"),
            ("_coo_base.dot", "scipy.sparse.coo_array((x, PLACES), shape=(3, 3)).dot(y)"),
            (
                "_coo_base.toarray",
                "scipy.sparse.coo_array((x, PLACES), shape=(3, 3)).toarray() @ y",
            ),
            (
                "_coo_base.transpose",
                "scipy.sparse.coo_array((x, PLACES), shape=(3, 3)).transpose() @ y",
            ),
            (
                "_cs_matrix.toarray",
                "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).toarray() @ y",
            ),
            (
                "_csc_base.transpose",
                "scipy.sparse.csc_array((x, PLACES), shape=(3, 3)).transpose() @ y",
            ),
            (
                "_csr_base.transpose",
                "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).transpose() @ y",
            ),
            ("_spbase.T", "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).T @ y"),
            ("_spbase.__matmul__", "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)) @ y"),
            ("_spbase.__mul__", "(scipy.sparse.csr_array((x, PLACES), shape=(3, 3)) * 2.0) @ y"),
            ("_spbase.__rmatmul__", "y @ scipy.sparse.csr_array((x, PLACES), shape=(3, 3))"),
            ("_spbase.__rmul__", "(2.0 * scipy.sparse.csr_array((x, PLACES), shape=(3, 3))) @ y"),
            ("_spbase.dot", "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).dot(y)"),
            ("_spbase.shape", "y * scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).shape[0]"),
            ("spmatrix.__mul__", "(scipy.sparse.csr_matrix((x, PLACES), shape=(3, 3)) * 2.0) @ y"),
            ("spmatrix.__rmul__", "(2.0 * scipy.sparse.csr_matrix((x, PLACES), shape=(3, 3))) @ y"),
            (
                "_coo_base.diagonal",
                "scipy.sparse.coo_array((x, PLACES), shape=(3, 3)).diagonal() * y.T",
            ),
            (
                "_cs_matrix.diagonal",
                "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).diagonal(1) @ y[:2]",
            ),
            ("_cs_matrix.sum", "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).sum(axis=1) @ y"),
            ("_data_matrix.__neg__", "(-scipy.sparse.csr_array((x, PLACES), shape=(3, 3))) @ y"),
            ("_spbase.__add__", f"({CSR} + {COO}.T) @ y"),
            ("_spbase.__sub__", f"({CSR} - {COO}.T) @ y"),
            (
                "_spbase.multiply",
                "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)).multiply([[1.0, 2.0, 3.0]]) @ y",
            ),
            ("_spbase.sum", "scipy.sparse.coo_array((x, PLACES), shape=(3, 3)).sum() * y"),
            ("block_diag", "scipy.sparse.block_diag([x[:1, None], np.outer(x[:2], x[1:3])]) @ y"),
            ("diags", "scipy.sparse.diags([x[:3], x[:2]], [0, -1]) @ y"),
            (
                "diags_array",
                "scipy.sparse.diags_array([x[:3], 2.0], offsets=[0, 1], shape=(3, 3)) @ y",
            ),
            ("eye", "(scipy.sparse.eye(3) * x[0]) @ y"),
            ("eye_array", "(scipy.sparse.eye_array(3, k=1) * x[0]) @ y"),
            ("identity", "(scipy.sparse.identity(3) * x[0]) @ y"),
            ("hstack", f"scipy.sparse.hstack([{CSR}, {COO}]).T @ y"),
            ("vstack", f"scipy.sparse.vstack([{CSR}, {COO}]) @ y"),
            ("spdiags", "scipy.sparse.spdiags(x[None, :3], [0], 3, 3) @ y"),
            ("IndexMixin.__getitem__", f"{CSR}[1:, :] @ y"),
            ("_coo_base.__getitem__", f"{COO}[1:, :] @ y"),
            ("coo_matrix.__getitem__", f"{COO_MATRIX}.tocsr()[1:, :] @ y"),
            ("_csr_base.tolil", f"{CSR}.tolil().tocsr() @ y"),
            ("_spbase.tolil", f"{COO}.tolil().tocsr() @ y"),
            ("_data_matrix.__abs__", f"abs({CSR}) @ y"),
            ("_data_matrix.power", f"{CSR}.power(2) @ y"),
            ("_dia_base.diagonal", f"{DIA}.diagonal() @ y"),
            ("_dia_base.multiply", f"{DIA}.multiply(2.0) @ y"),
            ("_dia_base.sum", f"{DIA}.sum() * y"),
            ("_dia_base.transpose", f"{DIA}.transpose() @ y"),
            ("_spbase.toarray", f"{DIA}.toarray() @ y"),
            ("_spbase.trace", f"{CSR}.trace() * y"),
            ("_spbase.__pow__", f"({CSR} ** 2) @ y"),
            ("_spbase.__radd__", f"(0 + {CSR}) @ y"),
            ("_spbase.__rsub__", f"(np.ones((3, 3)) - {CSR}) @ y"),
            ("_spbase.__truediv__", f"({CSR} / 2.0) @ y"),
            ("_spbase.mean", f"{CSR}.mean() * y"),
            ("dia_array", f"{DIA} @ y"),
            ("dia_matrix", "scipy.sparse.dia_matrix((x[None, :3], [0]), shape=(3, 3)) @ y"),
            ("dok_array", "scipy.sparse.dok_array(np.outer(x[:3], x[:3])).tocsr() @ y"),
            ("dok_matrix", "scipy.sparse.dok_matrix(np.outer(x[:3], x[:3])).tocsr() @ y"),
            ("lil_array", "scipy.sparse.lil_array(np.outer(x[:3], x[:3])).tocsr() @ y"),
            ("lil_matrix", "scipy.sparse.lil_matrix(np.outer(x[:3], x[:3])).tocsr() @ y"),
            ("block_array", f"scipy.sparse.block_array([[{CSR}], [{COO}]]) @ y"),
            ("bmat", f"scipy.sparse.bmat([[{CSR}], [{COO}]]) @ y"),
            ("kron", f"scipy.sparse.kron(scipy.sparse.eye_array(1), {CSR}) @ y"),
            ("kronsum", f"scipy.sparse.kronsum(scipy.sparse.eye_array(1), {CSR}) @ y"),
            ("spmatrix.__pow__", f"({CSR_MATRIX} ** 2) @ y"),
            ("spmatrix.getcol", f"{CSR_MATRIX}.getcol(1).T @ y"),
            ("spmatrix.getrow", f"{CSR_MATRIX}.getrow(1) @ y"),
            ("tril", f"scipy.sparse.tril({CSR}) @ y"),
            ("triu", f"scipy.sparse.triu({CSR}, 1) @ y"),
        )
    },
    **{
        f"scipy.sparse.linalg.{name}": shaped(
            f"return scipy.sparse.linalg.{name}({matrix}, y, rtol=1e-14)[0]",
            like=ONE_SIDE,
            dtypes=("float64",),
            within=1e-8,
            x=diagonal(),
        )
        for name, matrix in (
            *((name, "positive(x)") for name in ("bicg", "cg", "cgs", "minres")),
            *((name, "x") for name in ("bicgstab", "gcrotmk", "gmres", "lgmres", "qmr", "tfqmr")),
        )
    },
    **{
        f"scipy.sparse.linalg.{name}": shaped(
            f"return scipy.sparse.linalg.{name}(x, y, 0.3, atol=1e-14, btol=1e-14, {most}=60)[0]",
            like=[[(n, k), (n,)] for n, k in ((3, 3), (2, 2), (4, 4), (4, 2), (5, 2), (3, 2))]
            + [[(4, 3), (4,)], [(5, 3), ((5,), "reversed")]],
            dtypes=("float64",),
            within=1e-7,
            x=(-1.9, 2.9),
        )
        for name, most in (("lsqr", "iter_lim"), ("lsmr", "maxiter"))
    },
    "scipy.sparse.linalg.expm_multiply": shaped(
        "x, y", like=ONE_SIDE, dtypes=("float64",), x=(-0.9, 0.9)
    ),
    **{
        f"scipy.sparse.linalg.{name}": shaped(
            f"return {call}",
            like=ONE_SIDE,
            dtypes=("float64",),
            within=1e-8,
            x=diagonal(),
        )
        for name, call in (
            ("LinearOperator", "scipy.sparse.linalg.LinearOperator(x.shape, lambda v: x @ v) @ y"),
            ("aslinearoperator", "scipy.sparse.linalg.aslinearoperator(x) @ y"),
            ("splu", "scipy.sparse.linalg.splu(scipy.sparse.csc_array(x)).solve(y)"),
            ("factorized", "scipy.sparse.linalg.factorized(scipy.sparse.csc_array(x))(y)"),
            (
                "spsolve_triangular",
                "scipy.sparse.linalg.spsolve_triangular("
                "scipy.sparse.csr_array(np.tril(x) + np.triu(np.zeros_like(x), 1)), y)",
            ),
            ("inv", "scipy.sparse.linalg.inv(scipy.sparse.csc_array(x)) @ y"),
            ("expm", "scipy.sparse.linalg.expm(scipy.sparse.csc_array(x)) @ y"),
            (
                "matrix_power",
                "scipy.sparse.linalg.matrix_power(scipy.sparse.csr_array(x), 3).toarray() @ y",
            ),
            ("norm", "scipy.sparse.linalg.norm(scipy.sparse.csr_array(x)) * y"),
            (
                "eigsh",
                "scipy.sparse.linalg.eigsh("
                "np.diag(np.arange(1.0, 1.0 + len(x))) + x + x.T, 1, v0=np.ones(len(x)))[0] * y",
            ),
            (
                "lobpcg",
                "scipy.sparse.linalg.lobpcg("
                "np.diag(np.arange(1.0, 1.0 + len(x))) + x + x.T, np.eye(len(x), 1))[0] * y",
            ),
            (
                "svds",
                "scipy.sparse.linalg.svds("
                "np.diag(np.arange(1.0, 1.0 + len(x))) + x, 1, v0=np.ones(len(x)))[1] * y",
            ),
        )
    },
    "scipy.sparse.spmatrix.get_shape": elementwise("return x * ENTRIES.get_shape()[0]"),
    "scipy.sparse.linalg.funm_multiply_krylov": number(
        "return scipy.sparse.linalg.funm_multiply_krylov(scipy.linalg.expm,"
        " x * np.diag([1.0, 2.0, 4.0, 3.0]) + np.tri(4), y + np.arange(4.0) ** 2, rtol=1e-14)[0]"
    ),
    **{
        f"scipy.special.roots_{name}": number(
            f"return np.concatenate(scipy.special.roots_{name}(4, x + 1.0{more}))"
        )
        for name, more in (("gegenbauer", ""), ("genlaguerre", ""), ("jacobi", ", y"))
    },
    **{
        f"scipy.special.{name}": number(f"return scipy.special.{name}(4) * x")
        for name in ("bernoulli", "euler")
    },
    "scipy.sparse.linalg.spsolve": shaped(
        "scipy.sparse.csc_array((x, PLACES), shape=(3, 3)), y",
        "scipy.sparse.csr_array((x, PLACES), shape=(3, 3)), y",
        like=SPARSE_VECTOR,
        x=(1.2, 2.8),
        dtypes=("float64",),
    ),
    # attributes and methods of arrays
    **{f"x.{name}": reduction("") for name in ("T",)},
    "x.mT": table(""),
    "x.imag": reduction("", dtypes=("complex128",)),
    "x.real": reduction("", dtypes=COMPLEX),
    **{
        f"x.{name}": values("")
        for name in ("device", "dtype", "itemsize", "nbytes", "ndim", "shape", "size")
    },
    "x.__array__()": reduction("", dtypes=COMPLEX),
    "x.astype()": reduction("float", "'complex128'"),
    "x.bit_length()": values("return n.bit_length()", family=cases.scalars),
    **{
        f"x.{name}()": reduction("", dtypes=COMPLEX)
        for name in ("conj", "conjugate", "flatten", "view")
    },
    "x.compress()": reduction("[True]", "[True], axis=-1"),
    "x.dot()": shaped("y", like=PRODUCTS, dtypes=COMPLEX),
    "x.item()": shaped("", "0", like=[[()], [(1,)], [(1, 1)], [((1,), "reversed")]]),
    "x.reshape()": reduction("-1", "(-1, 1)", "1, -1"),
    "x.transpose()": several(reduction(""), table("1, 0", "(1, 0)")),
}


# What needs no line -------------------------------------------------------------------------------


@functools.cache
def callables() -> dict[str, object]:
    """Functions and objects that are registered, by how they are written."""
    import_all()
    registers = (FUNCTIONS, DEFINITIONS, WRITES)
    return {"".join(spelled(f)): f for register in registers for f in register}


def examples_of(name: str) -> list[Example]:
    """How a callable is called; a LookupError where nobody has said."""
    word = TABLE.get(name) or _derived(name)
    if word is None:
        raise LookupError(f"{name} is registered, and tests/registry/table.py has no line for it")
    return word(name)


def _derived(name: str) -> Word | None:
    found = callables().get(name)
    if isinstance(found, np.ufunc):
        return _ufunc(name, found)
    owner = getattr(found, "__self__", None)
    if isinstance(owner, np.ufunc) and name.endswith(".outer"):
        return _ufunc(name.removesuffix(".outer"), owner)
    if name.startswith("scipy.stats."):
        return distribution(name)
    function = TABLE.get(f"np.{name[2:-2]}") if name.endswith("()") else None
    return function and _as_method(name, function)


def _ufunc(name: str, function: np.ufunc) -> Word:
    """Nothing is differentiated by operands whose partials are refused."""
    op = REGISTRY.get(f"special_{function.__name__}")
    domains = dict(UFUNCS.get(name, {}))
    for letter, partial in zip(OPERANDS, (op and op.partials) or (), strict=False):
        if is_refused(partial):
            domain = domains.get(letter, USUAL[letter])
            domains[letter] = domain if isinstance(domain, Integers) else held(*_bounds(domain))
    if name in WITHOUT_DERIVATIVES:
        return values(", ".join(OPERANDS[: function.nin]), family=cases.elementwise)
    return ufunc(function, **domains)


def _bounds(domain: Any) -> tuple[float, float]:
    return (domain.low, domain.high) if isinstance(domain, Interval) else domain


def _as_method(name: str, word: Word) -> Word:
    """``np.sum(x, axis=0)`` becomes ``x.sum(axis=0)``."""

    def examples(_: str) -> list[Example]:
        found = []
        for example in word(f"np.{name[2:-2]}"):
            call = ast.parse(example.body[-1].removeprefix("return "), mode="eval").body
            assert isinstance(call, ast.Call)
            owner, *rest = map(ast.unparse, [*call.args, *call.keywords])
            body = f"return ({owner}).{name[2:-2]}({', '.join(rest)})"
            found.append(replace(example, name=name, body=(body,)))
        return found

    return examples


# scipy.stats --------------------------------------------------------------------------------------

LAWS: dict[str, tuple[str, dict[str, Any]]] = {
    "norm": ("x, y, z", {}),
    "t": ("x, a, y, z", {"a": (2.1, 5.9)}),
    "gamma": ("x, a, y, z", {"x": (1.2, 2.8), "a": (1.2, 3.8)}),
    "beta": (
        "x, a, b, y, z",
        {"x": (0.95, 1.2), "y": (0.15, 0.5), "z": (1.2, 2.0), "a": (1.2, 3.8), "b": (1.2, 3.8)},
    ),
    "expon": ("x, y, z", {"x": (1.2, 2.8)}),
    "lognorm": ("x, a, y, z", {"x": (1.2, 2.8)}),
    "laplace": ("x, y, z", {"x": (1.2, 2.8)}),
    "logistic": ("x, y, z", {}),
    "uniform": ("x, y, z", {"x": (0.9, 1.1), "y": (0.2, 0.5), "z": (1.2, 2.0)}),
    "poisson": ("n, a", {"n": Integers(0, 4), "a": (0.7, 2.9)}),
    "binom": ("n, 5, x", {"n": Integers(0, 5)}),
    "bernoulli": ("n, x", {"n": Integers(0, 1)}),
    "betabinom": ("n, 5, a, b", {"n": Integers(0, 5), "a": (1.2, 2.8), "b": (1.2, 2.8)}),
    "betanbinom": ("n, 3, a, b", {"n": Integers(0, 5), "a": (1.2, 2.8), "b": (1.2, 2.8)}),
    "boltzmann": ("n, a, 6", {"n": Integers(0, 5), "a": (0.7, 2.9)}),
    "dlaplace": ("n, a", {"n": Integers(-3, 3), "a": (0.7, 2.9)}),
    "geom": ("n, x", {"n": Integers(1, 4)}),
    "hypergeom": ("n, 12, 7, 6", {"n": Integers(1, 6)}),
    "logser": ("n, x", {"n": Integers(1, 4)}),
    "planck": ("n, a", {"n": Integers(0, 4), "a": (0.7, 2.9)}),
    "skellam": ("n, a, b", {"n": Integers(-3, 3), "a": (0.7, 2.9), "b": (0.7, 2.9)}),
    "zipf": ("n, a", {"n": Integers(1, 4), "a": (1.5, 2.9)}),
    "zipfian": ("n, a, 6", {"n": Integers(1, 5), "a": (0.7, 2.9)}),
    "yulesimon": ("n, a", {"n": Integers(1, 4), "a": (0.7, 2.9)}),
    "nbinom": ("n, 4, x", {"n": Integers(0, 5)}),
    "erlang": ("x, 3, y, z", {"x": (1.2, 2.8), "y": (-0.2, 0.05), "z": (1.1, 1.8)}),
    "kstwo": ("x, 4, y, z", {"x": (0.6, 0.65), "y": (0.01, 0.03), "z": (1.0, 1.05)}),
    "ksone": ("x, 5, y, z", {"x": (0.35, 0.38), "y": (0.01, 0.05), "z": (1.0, 1.1)}),
    "norminvgauss": ("x, a, b, y, z", {"a": (1.2, 1.8), "b": (0.2, 0.7), "z": (1.1, 1.8)}),
    "ncx2": ("x, 3, a, y, z", {"x": (1.2, 2.8), "a": (0.7, 2.9), "y": (-0.2, 0.5)}),
    "ncf": ("x, 3, 5, a, y, z", {"x": (1.2, 2.8), "a": (0.7, 2.9), "y": (-0.2, 0.5)}),
    "nct": ("x, 3.5, a, y, z", {"x": (1.2, 2.8), "a": (0.7, 2.9), "y": (-0.2, 0.5)}),
}
for _name, _shapes in SHAPES.items():
    _letters, _others = "ab"[: len(_shapes)], map(str, _shapes[2:])
    LAWS[_name] = (
        ", ".join(["x", *_letters, *_others, "y", "z"]),
        {
            **{
                k: tuple(sorted((0.8 * s, 1.2 * s)))
                for k, s in zip(_letters, _shapes[:2], strict=True)
            },
            **{"x": (0.7, 0.9), "y": (-0.2, 0.05), "z": (1.1, 1.8)},
            **({"x": (2.7, 3.9)} if _name in ("pareto", "truncpareto") else {}),
            **({"x": (-3.9, -2.7)} if _name == "weibull_max" else {}),
        },
    )
# Where SciPy computes 1 - x, which is 1, differences are of this.
OF_TAILS = {
    "pareto.ppf": "y + z * np.exp(-np.log1p(-1.0 * x) / a)",
    "powerlaw.isf": "y + z * np.exp(np.log1p(-1.0 * x) / a)",
}


# Of these no argument is asked for; variances have to be finite.
SUMMARIES = {"interval": "0.8", "moment": "2"}
SUMMARIES |= dict.fromkeys(("mean", "var", "std", "stats", "median", "entropy"), "")
# Of counts they are steps, over which differences jump: ``tests/definitions`` has their slopes.
STEPS = ("ppf", "isf", "median", "interval")
# Of a law with parameters known outside.
OF_A_LAW = {name: f"{name}()" for name in ("mean", "var", "std", "median", "entropy")}
OF_A_LAW |= {"moment": "moment(2)", "stats": "stats()[1]"}
# What SciPy integrates, a fiftieth of a second for each number.
OF_MOMENTS = {"pareto": "y * y + 2 * y * z * a / (a - 1) + z * z * a / (a - 2)"}
FINITE = dict.fromkeys(("fisk", "invgamma", "lomax", "pareto", "t"), (2.7, 3.9))


ROWS = [*([(n,)] for n in (8, 9, 12, 7, 10, 11)), [((10,), "reversed")], [((9,), "strided")]]
# Whose parameters SciPy computes by formulas; those of others, which it searches for, have tests of
# their derivatives in ``tests/definitions/test_estimates.py``.
ESTIMATED = {"norm", "expon", "uniform", "laplace", "rayleigh", "lognorm", "beta", "gamma"}


# Distributions of counts of which only inverses are registered: shapes, and shares of one count.
COUNTS = {
    "nchypergeom_fisher": "12, 7, 6, a",
    "nchypergeom_wallenius": "12, 7, 6, a",
    "nhypergeom": "12, 7, 4",
    "randint": "2, 7",
    "zipfian": "a, 6",
}


def _of_counts(law: str, method: str) -> Word:
    """Counts do not change with a share or a shape, but for the location."""
    narrow = {"x": (0.45, 0.5), "a": (1.25, 1.3)}
    shapes = f"{COUNTS[law]}, y"
    if not method:
        return elementwise(f"return scipy.stats.{law}({shapes}).ppf(x)", orders=(1, 2), **narrow)
    before = {"median": "", "interval": "0.8, "}.get(method, "x, ")
    return elementwise(f"{before}{shapes}", orders=(1, 2), **narrow)


TABLE |= {
    f"scipy.stats.{law}{method and '.'}{method}": _of_counts(law, method)
    for law in COUNTS
    for method in ("", "interval", "isf", "median", "ppf")
}


# Methods of what programs make of SciPy's classes, at the distribution ``exact.RAMP``.
OF_PROGRAMS = {
    "generic.__call__": "exact.RAMP(a, y, z).pdf(x)",
    "generic.freeze": "exact.RAMP.freeze(a, y, scale=z).cdf(x)",
    "generic.interval": "exact.RAMP.interval(x, a, y, z)",
    "generic.median": "exact.RAMP.median(a, y, z)",
    **{
        f"continuous.{method}": f"exact.RAMP.{method}(x, a, y, z)"
        for method in ("cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf")
    },
}
INSIDE: dict[str, Any] = {"x": (0.45, 0.65), "y": (-0.2, 0.05), "z": (1.1, 1.8), "a": (0.4, 0.8)}
TABLE |= {
    f"scipy.stats.rv_{method}": elementwise(f"return {text}", orders=(1, 2), **INSIDE)
    for method, text in OF_PROGRAMS.items()
}


def _summary(law: str, method: str) -> Word:
    """A method of the whole distribution, of its shapes, location and scale."""
    text, domains = LAWS[law]
    _, _, rest = text.partition(", ")
    before = SUMMARIES[method]
    arguments = f"{before}, {rest}" if before else rest
    if text.startswith("n") and method in STEPS:
        return values(f"{arguments}, y", family=cases.elementwise, **domains)
    usual = {**domains, "a": FINITE[law]} if law in FINITE else domains
    used = {k: v for k, v in usual.items() if k in rest}
    if method == "moment":
        used["reference"] = OF_MOMENTS.get(law, "")
    return elementwise(arguments, orders=(1, 2), **used)


def _of_frozen(kind: str, method: str) -> Word:
    """A method of a distribution with its parameters that was made outside."""
    if method in OF_A_LAW:
        return elementwise(f"return x * law.{OF_A_LAW[method]}", orders=(1, 2))
    if "discrete" in kind:
        return values(f"return counts.{method}(n)")
    return elementwise(f"return law.{method}(x)", orders=(1, 2))


def _fit(law: str) -> Word:
    """The parameters of a law that data are fitted by."""
    given = "" if law in ("norm", "expon", "uniform", "laplace") else ", floc=-0.5"
    given = ", floc=0.3, fscale=3.5" if law == "beta" else given
    ends = ":2" if not given or law == "beta" else "::2" if law in ("gamma", "lognorm") else "1:"
    text = f"return np.array(scipy.stats.{law}.fit(x{given})[{ends}])"
    near = {"within": 1e-3} if law == "beta" else {}  # SciPy finds them to some digits less
    if law not in ESTIMATED:  # a search ends where it ends: differences of it do not settle
        text = f"return scipy.stats.{law}.fit(x)"
        return shaped(text, like=ROWS, x=POSITIVE, orders=(), dtypes=("float64",))
    return shaped(text, like=LONG, x=POSITIVE, orders=(1, 2), **near)


def _without_slopes(law: str, method: str) -> Word:
    """An inverse of counts, or draws, which by shapes NumPy makes by other ways than derivatives
    go.
    """
    text, domains = LAWS[law]
    _, _, rest = text.partition(", ")
    is_drawn = method == "rvs"
    return values(
        f"return scipy.stats.{law}.rvs({rest}, random_state=3)" if is_drawn else f"y, {rest}",
        family=cases.elementwise,
        **{k: v for k, v in domains.items() if k not in ("x", "reference") or not is_drawn},
    )


def distribution(name: str) -> Word | None:
    """A method of a distribution of ``scipy.stats``, or the distribution with its parameters."""
    law, _, method = name.removeprefix("scipy.stats.").partition(".")
    if "frozen" in law:
        return _of_frozen(law, method)
    if law not in LAWS:
        return None
    if method in SUMMARIES:
        return _summary(law, method)
    if method == "fit":
        return _fit(law)
    if method == "rvs" or (method in STEPS and LAWS[law][0].startswith("n")):
        return _without_slopes(law, method)
    text, domains = LAWS[law]
    if method in ("ppf", "isf"):
        domains = {**domains, "x": (0.2, 0.8), "reference": OF_TAILS.get(f"{law}.{method}", "")}
    if not method:
        first, _, rest = text.partition(", ")
        density = "logpmf" if first == "n" else "logpdf"
        if "x" in domains or "a" in domains:  # making a law takes SciPy milliseconds
            domains = {**domains, "reference": f"scipy.stats.{law}.{density}({text})"}
        text = f"return scipy.stats.{law}({rest}).{density}({first})"
    if set(domains) == {"n"}:
        return values(text, family=cases.elementwise, **domains)
    return elementwise(text, orders=(1, 2), **domains)
