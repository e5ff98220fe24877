"""How a registered callable is called in the walk: the words that ``table`` is written in.

A word takes texts, each the arguments of one call (``"x, axis=-1"``), or statements with ``;``
between them that end in ``return``. Operands are ``x``, ``y``, ``z``, ``a``, ``b``; ``n``, ``m``
are whole numbers. Keywords say where an operand lies: ``x=(1.1, 3.0)``, ``n=Integers(0, 4)``,
``y=held(0, 1)`` for what nothing is differentiated by.

>>> [example.body for example in reduction("x", "x, axis=0")("np.sum")]
[('return np.sum(x)',), ('return np.sum(x, axis=0)',)]
"""

from __future__ import annotations

import ast
import functools
import linecache
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.registry import cases
from tests.registry.cases import Domain, Family, Integers, Interval

OPERANDS = ("x", "y", "z", "a", "b", "n", "m")
USUAL: dict[str, Domain] = dict.fromkeys(OPERANDS, Interval(0.15, 0.85))
USUAL |= {"n": Integers(1, 3), "m": Integers(1, 3)}
REAL, COMPLEX = ("float64", "float32"), ("float64", "float32", "complex128")
PRELUDE = """\
import cmath
import math
import statistics
import warnings

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial.distance
import scipy.special
import scipy.stats
import scipy.stats.sampling

import symdiff as sd
from tests.registry import exact


def positive(x):
    return x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(x.shape[-1], dtype=x.dtype)


def symmetric(x):
    return x + np.conj(np.swapaxes(x, -1, -2))


PLACES = np.array([0, 1, 2, 0]), np.array([0, 1, 2, 2])
ENTRIES = scipy.sparse.csr_matrix(np.eye(3))
law = scipy.stats.norm(0.3, 1.7)
counts = scipy.stats.poisson(2.5)
BY_DENSITY = scipy.stats.sampling.NumericalInversePolynomial(law)
BY_SHARES = scipy.stats.sampling.NumericalInverseHermite(law)
GUIDE = scipy.stats.sampling.DiscreteGuideTable([0.1, 0.3, 0.6])

GRID = scipy.interpolate.RegularGridInterpolator(
    (np.array([0.0, 0.3, 1.0]), np.array([0.0, 0.6, 0.9, 1.4])),
    np.sin(np.arange(12.0)).reshape(3, 4),
    bounds_error=False,
)
SURFACE = scipy.interpolate.RectBivariateSpline(
    np.arange(-4.0, 5.0), np.arange(-4.0, 5.0), np.sin(np.add.outer(np.arange(9.0), np.arange(9.0)))
)
PLACES_OF_FIVE = np.array([[-1.0, -1.0], [2.0, -1.0], [-1.0, 2.0], [2.0, 2.0], [0.3, 0.1]])
NODES = np.array([-1.5, -0.4, 0.3, 1.1, 2.0])
POLYNOMIAL = scipy.interpolate.BarycentricInterpolator(NODES, np.sin(NODES))
FRACTION = scipy.interpolate.AAA(NODES, np.sin(NODES))
OF_THE_NEAREST = scipy.interpolate.NearestNDInterpolator(PLACES_OF_FIVE, NODES)
RADIAL = scipy.interpolate.Rbf(NODES, np.sin(NODES))
THETA, PHI = np.linspace(0.3, 2.8, 6), np.linspace(0.1, 6.0, 7)
ON_SPHERE = scipy.interpolate.RectSphereBivariateSpline(
    THETA, PHI, np.sin(THETA)[:, None] * np.cos(PHI) + 2.0
)
SMOOTH_ON_SPHERE = scipy.interpolate.SmoothSphereBivariateSpline(
    np.repeat(THETA, 7), np.tile(PHI, 6), np.sin(np.repeat(THETA, 7)) + 2.0, s=3.5
)
LEAST_ON_SPHERE = scipy.interpolate.LSQSphereBivariateSpline(
    np.repeat(THETA, 7), np.tile(PHI, 6), np.sin(np.repeat(THETA, 7)) + 2.0, [1.5], [3.0]
)
FITTED = scipy.interpolate.UnivariateSpline(np.arange(6.0), np.sin(np.arange(6.0)), s=0)
SPLINE = scipy.interpolate.BSpline(
    np.array([0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0]),
    np.array([0.3, -1.0, 2.0, 0.5, 1.5]),
    3,
)
"""


@dataclass(frozen=True)
class Example:
    """A call of a registered callable, and the operands that it is given.

    ``orders`` is empty where only values are held: nothing in the result has a derivative.
    """

    name: str
    body: tuple[str, ...]
    domains: tuple[tuple[str, Domain], ...]
    family: Family
    dtypes: tuple[str, ...] = REAL
    orders: tuple[int, ...] = (1, 2)
    reference: str = ""  # what the differences are taken of, where the call would not be as exact
    within: float = 0.0  # how near derivatives of what is solved to a tolerance are at least
    steady: bool = True  # whether the library itself gives the same bits each time
    summed: bool = True  # in the library's own order, so that values agree in every bit

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.domains)

    @property
    def wrt(self) -> tuple[int, ...]:
        """The operands that derivatives are taken by."""
        return tuple(k for k, (_, domain) in enumerate(self.domains) if not domain.held)

    @property
    def text(self) -> str:
        """A module with the function ``f``, and ``back`` that pulls a cotangent ``w`` back."""
        names = ", ".join(self.operands)
        held = [f"{name} = sd.stop_gradient({name})" for name, d in self.domains if _is_held(d)]
        exact = [*self.body[:-1], f"return {self.reference}"] if self.reference else self.body
        back = f"sd.vjp(f, {names})[1](w)"
        return "".join(
            [
                PRELUDE,
                _function("f", names, [*held, *self.body]),
                _function("reference", names, exact),
                _function("back", f"{names}, w" if names else "w", [f"return {back}"]),
            ]
        )

    @property
    def module(self) -> dict[str, Any]:
        """What the text defines, known to tracebacks and to whoever looks for source."""
        return _module(self.name, self.text)


@functools.cache
def _module(name: str, text: str) -> dict[str, Any]:
    file = f"<the walk: {name} {zlib.crc32(text.encode()):08x}>"
    namespace: dict[str, Any] = {"__name__": "walk"}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), namespace)
    return namespace


def _is_held(domain: Domain) -> bool:
    return isinstance(domain, Interval) and domain.held


def _function(name: str, parameters: str, body: Sequence[str]) -> str:
    return "\n    ".join([f"\n\ndef {name}({parameters}):", *body]) + "\n"


Word = Callable[[str], list[Example]]  # by the name of the callable


def held(low: float, high: float) -> Interval:
    """Numbers that nothing is differentiated by."""
    return Interval(low, high, held=True)


def diagonal(by: float = 2.0) -> Interval:
    """Matrices far from singular ones."""
    return Interval(-0.4, 0.4, diagonal=by)


def _body(name: str, text: str) -> tuple[str, ...]:
    if "return" in text:
        return tuple(line.strip() for line in text.split(";"))
    if name.endswith(("()", "[]")):
        return (f"return {name[:-1]}{text}{name[-1]}",)
    return (f"return {name}" if name.startswith("x.") else f"return {name}({text})",)


def _operands(body: Sequence[str]) -> list[str]:
    loaded = [
        node
        for node in ast.walk(ast.parse("\n".join(line.replace("return ", "_ = ") for line in body)))
        if isinstance(node, ast.Name)
    ]
    bound = {node.id for node in loaded if isinstance(node.ctx, ast.Store)}
    named = {node.id for node in loaded}
    return [name for name in OPERANDS if name in named - bound]


def word(
    texts: Sequence[str],
    family: Family,
    domains: dict[str, Any],
    dtypes: Sequence[str] = REAL,
    orders: Sequence[int] = (1, 2),
) -> Word:
    """Examples of one family; the last four of an example stand among the domains."""
    reference, within = domains.pop("reference", ""), domains.pop("within", 0.0)
    steady, summed = domains.pop("steady", True), domains.pop("summed", True)
    given = {
        name: d if isinstance(d, Interval | Integers) else Interval(*d)
        for name, d in domains.items()
    }
    own = {**USUAL, **given}

    def examples(name: str) -> list[Example]:
        bodies = [_body(name, text) for text in texts]
        return [
            Example(
                name,
                body,
                tuple((o, own[o]) for o in _operands(body)),
                family,
                tuple(dtypes),
                tuple(orders),
                reference,
                within,
                steady,
                summed,
            )
            for body in bodies
        ]

    return examples


def several(*words: Word) -> Word:
    """What more than one word says of a callable."""
    return lambda name: [example for one in words for example in one(name)]


def elementwise(
    *texts: str, dtypes: Sequence[str] = REAL, orders: Sequence[int] = (1, 2, 3), **domains: Any
) -> Word:
    """Numbers and arrays of every shape, each operand broadcast alone."""
    return word(texts or ("x",), cases.elementwise, domains, dtypes, orders)


def number(*texts: str, dtypes: Sequence[str] = ("float64",), **domains: Any) -> Word:
    """Functions that take numbers only."""
    return word(texts or ("x",), cases.scalars, domains, dtypes, (1, 2, 3))


def _family(family: Family) -> Callable[..., Word]:
    def of_family(
        *texts: str, dtypes: Sequence[str] = REAL, orders: Sequence[int] = (1, 2), **domains: Any
    ) -> Word:
        return word(texts or ("x",), family, domains, dtypes, orders)

    return of_family


reduction = _family(cases.arrays)  # arrays of any rank, and numbers
table = _family(cases.tables)  # two axes or more
signal = _family(cases.signals)  # one axis
matrix = _family(cases.matrices)  # of any shape, and stacks


def square(
    *texts: str,
    dtypes: Sequence[str] = REAL,
    orders: Sequence[int] = (1, 2),
    stacked: bool = True,
    by: float = 2.0,
    **domains: Any,
) -> Word:
    """Square matrices, well conditioned; stacks of them if ``stacked``."""
    family = cases.squares if stacked else cases.square_matrices
    own = {name: diagonal(by) for name in ("x", "y", "z")} | domains
    return word(texts or ("x",), family, own, dtypes, orders)


def system(
    *texts: str,
    dtypes: Sequence[str] = REAL,
    orders: Sequence[int] = (1, 2),
    stacked: bool = True,
    **domains: Any,
) -> Word:
    """A square matrix ``x`` and right-hand sides; stacks of them if ``stacked``."""
    family = cases.systems if stacked else cases.single_systems
    return word(texts or ("x, y",), family, {"x": diagonal(), **domains}, dtypes, orders)


def shaped(
    *texts: str,
    like: Sequence[Sequence[Any]],
    dtypes: Sequence[str] = REAL,
    orders: Sequence[int] = (1, 2),
    **domains: Any,
) -> Word:
    """Shapes as they are said, a sequence of lengths (or lengths and layout) for each operand."""
    return word(texts, cases.of(*like), domains, dtypes, orders)


def values(
    *texts: str, family: Family = cases.arrays, dtypes: Sequence[str] = REAL, **domains: Any
) -> Word:
    """Only values are held: whole numbers and truths have no derivatives."""
    return word(texts or ("x",), family, domains, dtypes, ())


def ufunc(function: np.ufunc, **domains: Any) -> Word:
    """By what a ufunc says of itself."""
    text = ", ".join(OPERANDS[: function.nin])
    loops = [loop.partition("->") for loop in function.types]
    kinds = {given[0] for given, _, _ in loops if len(set(given)) == 1}
    results = {result for given, _, result in loops if set(given) == {"d"}}
    if "d" not in kinds:
        whole = {name: Integers(0, 5) for name in OPERANDS[: function.nin]}
        return values(text, family=cases.elementwise, **{**whole, **domains})
    if not any("d" in result for result in results):
        return values(text, family=cases.elementwise, **domains)
    dtypes = domains.pop("dtypes", COMPLEX if "D" in kinds else REAL)
    return elementwise(text, dtypes=dtypes, **domains)
