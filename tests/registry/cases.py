"""The operands of a cell: shapes and layouts, and the numbers in them.

A ``Case`` has a ``Shape`` for each operand. Cases of one ``group`` are met by one compiled program:
what they differ in are lengths, which programs do not know.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True, slots=True)
class Shape:
    """Lengths, and how the elements lie: ``C``, ``F``, ``reversed``, ``strided``; ``scalar`` is a
    scalar of NumPy's, ``python`` a number of Python's.
    """

    lengths: tuple[int, ...]
    layout: str = "C"

    def __str__(self) -> str:
        words = {"scalar": "a scalar", "python": "a number"}
        return words.get(self.layout, f"{self.lengths} {self.layout}")

    @property
    def group(self) -> tuple[Any, ...]:
        """What a program knows of it: a length only where it is 1."""
        kind = self.layout if self.layout in ("scalar", "python") else "array"
        return (kind, *(n if n == 1 else 2 for n in self.lengths))

    def array(self, values: Array) -> Any:
        """The values, laid out."""
        match self.layout:
            case "scalar":
                return values[()]
            case "python":
                return values.item()
            case "F":
                return np.asfortranarray(values)
            case "reversed":
                back = (slice(None, None, -1),) * values.ndim
                return np.ascontiguousarray(values[back])[back]
            case "strided":
                wide = np.repeat(values, 2, axis=-1)
                wide[..., 1::2] = np.nan if values.dtype.kind in "fc" else 0
                return wide[..., ::2]
        return np.ascontiguousarray(values).reshape(self.lengths)


@dataclass(frozen=True, slots=True)
class Case:
    """The shapes of all operands."""

    shapes: tuple[Shape, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.shapes))

    @property
    def group(self) -> tuple[Any, ...]:
        return tuple(shape.group for shape in self.shapes)


Family = Callable[[int], Iterator[Case]]  # by the number of operands


def _alike(shapes: Sequence[Shape], operands: int) -> Iterator[Case]:
    for shape in shapes:
        yield Case((shape,) * operands)


NUMBERS = [Shape((), "scalar"), Shape(())]
VECTORS = [
    *(Shape((5,)), Shape((4,), "reversed"), Shape((3,), "strided"), Shape((0,))),
    *(Shape((1,)), Shape((6,)), Shape((7,), "reversed"), Shape((1,), "strided")),
    *(Shape((2,)), Shape((8,), "strided"), Shape((4,))),
]
TABLES = [
    *(Shape((2, 3)), Shape((3, 2), "F"), Shape((2, 4), "reversed"), Shape((2, 2), "strided")),
    *(Shape((2, 0)), Shape((0, 3))),
]
ROWS = [Shape((1, 3)), Shape((3, 1)), Shape((1, 1))]


def elementwise(operands: int) -> Iterator[Case]:
    """All of one shape, and each operand alone broadcast against the others."""
    yield from _alike([*NUMBERS, *VECTORS[:6], *TABLES], operands)
    if operands < 2:
        return
    for alone in range(operands):
        for small in (Shape((3,)), Shape((2, 1)), Shape(()))[: 3 if operands == 2 else 1]:
            shapes = [Shape((2, 3))] * operands
            shapes[alone] = small
            yield Case(tuple(shapes))


def scalars(operands: int) -> Iterator[Case]:
    """For functions of Python's, which take nothing else."""
    yield from _alike([Shape((), "python"), *NUMBERS], operands)


def arrays(operands: int) -> Iterator[Case]:
    """For reductions and what works along axes."""
    cubes = [Shape((2, 3, 2)), Shape((2, 2, 3), "F"), Shape((2, 0, 2))]
    yield from _alike([*NUMBERS, *VECTORS[:6], *TABLES, *ROWS, *cubes], operands)


def tables(operands: int) -> Iterator[Case]:
    """For what takes two axes or more."""
    cubes = [Shape((2, 3, 2)), Shape((2, 2, 3), "F"), Shape((2, 0, 2)), Shape((1, 2, 2))]
    wide = [Shape((3, 4)), Shape((4, 2), "strided"), Shape((3, 3), "reversed")]
    yield from _alike([*TABLES, *wide, *ROWS, *cubes], operands)


def signals(operands: int) -> Iterator[Case]:
    """One axis."""
    yield from _alike(VECTORS, operands)


def _squares() -> list[Shape]:
    alone = [Shape((n, n)) for n in (3, 1, 2, 0)]
    laid = [Shape((3, 3), layout) for layout in ("F", "reversed", "strided")]
    stacks = [Shape((2, 3, 3)), Shape((0, 3, 3)), Shape((2, 2, 2), "F"), Shape((2, 1, 1))]
    return [*alone, *laid, *stacks]


def squares(operands: int) -> Iterator[Case]:
    """Square matrices and stacks of them."""
    yield from _alike(_squares(), operands)


def square_matrices(operands: int) -> Iterator[Case]:
    """Square matrices, one at a time."""
    shapes = [shape for shape in _squares() if len(shape.lengths) == 2]
    yield from _alike([*shapes, Shape((2, 2), "reversed"), Shape((4, 4), "F")], operands)


def matrices(operands: int) -> Iterator[Case]:
    """Matrices of any shape, and stacks of them."""
    tall = [Shape((4, 2)), Shape((2, 4)), Shape((3, 3)), Shape((1, 1)), Shape((3, 1))]
    laid = [Shape((3, 2), layout) for layout in ("F", "reversed", "strided")]
    yield from _alike([*tall, *laid, Shape((2, 3, 2)), Shape((0, 2, 3)), Shape((3, 0))], operands)


def systems(operands: int) -> Iterator[Case]:
    """A square matrix (or a stack), then as many rows."""
    for shape in _squares():
        *stack, n, _ = shape.lengths
        right = Shape((*stack, n, 2), shape.layout)
        yield Case((shape, *[right] * (operands - 1)))
        if not stack:
            yield Case(
                (
                    shape,
                    *[Shape((n,), "C" if shape.layout == "F" else shape.layout)] * (operands - 1),
                )
            )


def single_systems(operands: int) -> Iterator[Case]:
    """A square matrix, then as many rows; no stacks."""
    yield from (case for case in systems(operands) if len(case.shapes[0].lengths) == 2)


def of(*cases: Sequence[Any]) -> Family:
    """Cases as they are said: a case is a sequence of lengths or ``(lengths, layout)`` pairs."""
    made = [Case(tuple(_shape(item) for item in case)) for case in cases]

    def fitting(operands: int) -> Iterator[Case]:
        """The last shape is that of all further operands."""
        for case in made:
            more = case.shapes[-1:] * (operands - len(case.shapes))
            yield Case((*case.shapes, *more)[:operands])

    return fitting


def _shape(item: Any) -> Shape:
    if len(item) == 2 and isinstance(item[1], str):
        return Shape(*item)
    return Shape(tuple(item))


# Numbers ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers between two bounds; ``held``: nothing is differentiated by them."""

    low: float
    high: float
    held: bool = False
    diagonal: float = 0.0  # added on the diagonals of matrices

    @property
    def width(self) -> float:
        return self.high - self.low

    def values(self, units: Array) -> Array:
        """From numbers between 0 and 1."""
        found = self.low + self.width * units
        if self.diagonal:
            rows, columns = found.shape[-2:]
            apart = 1.0 + 0.5 * np.arange(columns)  # so that eigenvalues are
            found = found + self.diagonal * np.eye(rows, columns) * apart
        return found


@dataclass(frozen=True, slots=True)
class Integers:
    """Whole numbers from ``low`` to ``high``, both included."""

    low: int
    high: int
    dtype: str = "int64"
    held = True

    def values(self, units: Array) -> Array:
        span = self.high - self.low + 1
        return (self.low + np.floor(span * units)).astype(self.dtype)


Domain = Interval | Integers


def operands(case: Case, domains: Sequence[Domain], dtype: str, name: str) -> list[Any]:
    """Numbers in the domains. No two of equal domains are near: an order that decides is stable."""
    random = np.random.default_rng(zlib.crc32(f"{name} {case}".encode()))
    sizes = [math.prod(shape.lengths) for shape in case.shapes]
    real, imaginary = _spread(random, sizes), _spread(random, sizes)
    found = []
    for shape, domain, x, y in zip(case.shapes, domains, real, imaginary, strict=True):
        values = domain.values(x.reshape(shape.lengths))
        if isinstance(domain, Interval):
            if np.dtype(dtype).kind == "c":
                values = values + 1j * (domain.width * (y.reshape(shape.lengths) - 0.5))
            values = values.astype(dtype)
        found.append(shape.array(values))
    return found


def _spread(random: np.random.Generator, sizes: Sequence[int]) -> list[Array]:
    """As many numbers in (0, 1) as are asked for, at nearly equal distances, in random order."""
    total = sum(sizes)
    if not sizes:
        return []
    places = random.permutation(total) + random.uniform(0.4, 0.6, total)
    return np.split(places / max(total, 1), np.cumsum(sizes)[:-1])


def directions(
    values: Sequence[Any], domains: Sequence[Domain], random: np.random.Generator
) -> list[Any]:
    """Tangents: in (-1, 1), away from 0; None of what is held."""
    return [
        None if domain.held else like(value, random)
        for value, domain in zip(values, domains, strict=True)
    ]


def like(value: Any, random: np.random.Generator) -> Any:
    """Random numbers of the type, shape and dtype of a number or array."""
    shape, kind = np.shape(value), np.asarray(value).dtype
    drawn = _drawn(random, shape)
    if kind.kind == "c":
        drawn = drawn + 1j * _drawn(random, shape)
    if isinstance(value, np.ndarray):
        return drawn.astype(kind)
    return drawn.astype(kind)[()] if isinstance(value, np.generic) else type(value)(drawn)


def _drawn(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(random.uniform(0.2, 1.0, shape) * random.choice([-1.0, 1.0], shape))
