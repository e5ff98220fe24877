"""The walk with integer and bool operands of every width, and with floats of any magnitude.

An example of the table becomes groups of cells again: one operand is an integer, small or near the
limits of its dtype, and the derivatives are by the others; or all operands are scaled to where
squares overflow or vanish, or are subnormal, or lie in memory the other way round. What a library
refuses, what is not finite and where differences do not tell a derivative, is left out; directions
and limits are relative to the operands.
"""

from __future__ import annotations

import math
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.registry import cases, differences
from tests.registry.cases import Case, Integers, Interval, Shape
from tests.registry.examples import Example
from tests.registry.walk import Group, UntoldError, Walk, takes

INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SCALES = {
    "float64": (1e-310, 1e-150, 1e150),
    "float32": (1e-42, 1e-20, 1e20),
    ">f8": (1.0, 1e150),
    ">f4": (1.0,),
}
ORDERS = (1, 2)
SAMPLE = (  # what `make test` walks through, two groups of each
    *("np.arctan2", "np.arcsinh", "np.cumsum", "np.divide", "np.dot", "np.einsum", "np.hypot"),
    *("np.logaddexp", "np.matmul", "np.maximum", "np.multiply", "np.sqrt", "np.sum", "np.where"),
    *("scipy.special.huber", "scipy.special.rel_entr", "scipy.special.xlogy", "math.atan2"),
)
# Whose steps would not end far from 1, where SciPy's Weber functions end the process.
STEPPED = ("scipy.integrate.", "scipy.optimize.", "scipy.special.pb")
JOINT = ("scipy.stats.multi", "scipy.stats.dirichlet")  # whose parameters are computed from others
MOST_CASES = 2  # of each kind of operands


def groups(examples: Sequence[Example]) -> Iterator[Group]:
    """All groups of the examples: one compiled program each, for every mode and order."""
    for example in examples:
        if not example.orders or not example.wrt:
            continue
        yield from _with_integers(example)
        if not example.name.startswith(STEPPED):
            yield from _scaled(example)


def _with_integers(example: Example) -> Iterator[Group]:
    for k, (name, domain) in enumerate(example.domains):
        others = [j for j in example.wrt if j != k]
        if not others or (isinstance(domain, Interval) and domain.diagonal):
            continue
        for dtype in INTEGERS:
            whole = _whole(domain, dtype)
            is_unsigned = np.dtype(dtype).kind == "u"  # ``-x`` of which grows beyond any steps
            if whole is None or (is_unsigned and example.name.startswith(STEPPED)):
                continue
            domains = [*example.domains]
            domains[k] = (name, whole)
            made = replace(
                example,
                domains=tuple(domains),
                orders=_orders(example),
                reference=_reference(example, name),
            )
            title = f"float64 and {dtype} {name}"
            together: dict[Any, list[tuple[Case, tuple[Any, ...]]]] = {}
            for case in _cases(made):
                anywhere = not domain.held and not example.name.startswith(STEPPED)
                for values in _filled(made, case, k, dtype, anywhere):
                    if takes(made, values):
                        together.setdefault(case.group, []).append((case, values))
            yield from (Group(made, title, tuple(found)) for found in together.values())


def _reference(example: Example, integer: str) -> str:
    """What differences are taken of beside an integer.

    SciPy's distributions compute with integer parameters in these parameters' own dtype: sums and
    products of shapes wrap (``int8(100) + int8(100)`` is -56), and the logarithm of an ``int8`` is
    of half precision. Values are SciPy's; derivatives are those of the distribution, whose
    parameters are doubles.
    """
    *before, last = example.body
    is_law = example.name.startswith("scipy.stats.") and not example.name.startswith(JOINT)
    if not is_law or before or example.reference:
        return example.reference
    return re.sub(rf"\b{integer}\b", f"np.float64({integer})", last.removeprefix("return "))


def _orders(example: Example) -> tuple[int, ...]:
    return tuple(order for order in example.orders if order in ORDERS)


def _whole(domain: Any, dtype: str) -> Integers | None:
    """The integers of a dtype that a domain has, or None."""
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    low, high = (domain.low, domain.high)
    if isinstance(domain, Interval):
        low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 2)
    low, high = max(low, int(limits[0])), min(high, int(limits[1]))
    return Integers(int(low), int(high), dtype) if low <= high else None


def _cases(example: Example) -> Iterator[Case]:
    """A few with elements: arrays, numbers and what is broadcast."""
    taken: dict[Any, int] = {}
    for case in example.family(len(example.domains)):
        if any(0 in shape.lengths or shape.layout == "python" for shape in case.shapes):
            continue
        key = tuple(len(shape.lengths) for shape in case.shapes)
        taken[key] = taken.get(key, 0) + 1
        if taken[key] == 1 and len(taken) <= MOST_CASES:
            yield case


def _filled(
    example: Example, case: Case, k: int, dtype: str, anywhere: bool
) -> Iterator[tuple[Any, ...]]:
    """The operands with small integers, and with those near the limits of their dtype."""
    domains = [domain for _, domain in example.domains]
    values = cases.operands(case, domains, "float64", example.name)
    yield tuple(values)
    if anywhere and dtype != "bool":
        yield (*values[:k], near_limits(case.shapes[k], dtype), *values[k + 1 :])


def near_limits(shape: Shape, dtype: str) -> Any:
    """Integers whose sums, products and negatives overflow."""
    limits = np.iinfo(dtype)
    high, low = int(limits.max), int(limits.min)
    root = math.isqrt(high)
    near = (high, root + 1, low, high // 2 + 1, high - 1, root, low + 1 if low else 3)
    size = math.prod(shape.lengths)
    numbers = np.array([near[i % len(near)] for i in range(size)], dtype)
    return shape.array(numbers.reshape(shape.lengths))


def _scaled(example: Example) -> Iterator[Group]:
    domains = [domain for _, domain in example.domains]
    if any(isinstance(d, Interval) and d.diagonal for d in domains):
        return
    made = replace(example, orders=_orders(example))
    for dtype, scales in SCALES.items():
        if np.dtype(dtype).newbyteorder("=").name not in example.dtypes:
            continue
        together: dict[Any, list[tuple[Case, tuple[Any, ...]]]] = {}
        for case in _cases(made):
            plain = cases.operands(
                case, domains, np.dtype(dtype).newbyteorder("=").name, example.name
            )
            for scale in scales:
                values = tuple(_times(value, scale, dtype) for value in plain)
                if takes(made, values):
                    together.setdefault(case.group, []).append((case, values))
        yield from (Group(made, dtype, tuple(found)) for found in together.values())


def _times(value: Any, scale: float, dtype: str) -> Any:
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scaled = (array.astype(np.float64) * scale).astype(dtype)
    return scaled if isinstance(value, np.ndarray) else scaled[()]


class Relative(Walk):
    """Directions are of the operands' own magnitudes, and so are the limits."""

    slack = 10.0

    @property
    def least(self) -> float:
        """Beside integers the floats are of a usual magnitude."""
        return 1.0 if " and " in self.group.dtype else 0.0

    def all(self, orders: Sequence[int]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = self.group.example.module["f"](*self.values)
        numbers = [np.asarray(part, np.complex128) for part in differences.parts(expected)]
        if all(np.all(np.isfinite(part)) for part in numbers):
            super().all(orders)
        else:
            self.found.unknown += 1

    def directions(self, domains: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            None if along is None else _like(value, np.asarray(along) * np.abs(value))
            for along, value in zip(super().directions(domains), self.values, strict=True)
        )

    def unsettled(self) -> None:
        self.found.unknown += 1

    def _reference(self, values: Sequence[Any]) -> differences.Estimate:
        """Of a result whose length changes with the step there is none."""
        try:
            return super()._reference(values)
        except ValueError as error:
            if "broadcast together" not in str(error):
                raise
            nothing = np.full(differences.flat(self.expected).shape, np.nan)
            return differences.Estimate(nothing, nothing)

    @property
    def eps(self) -> float:
        """The unit of rounding; of subnormal operands and directions, what is left of theirs."""
        units = [super().eps]
        for numbers in (x for x in (*self.values, *self.u) if np.asarray(x).dtype.kind == "f"):
            with np.errstate(all="ignore"):
                units.append(np.max(np.spacing(np.abs(numbers)) / np.abs(numbers), initial=0.0))
        return float(np.max(units, where=np.isfinite(units), initial=0.0))

    def _limits(self) -> Any:
        own = 100 * self.eps * differences.largest(self.reference.value, self.least)
        return np.maximum(super()._limits(), own)

    def is_known(self) -> bool:
        """Whether differences tell the derivative, and floats of the dtype hold it on the way."""
        value = np.abs(self.reference.value)
        size, (least, most) = np.max(value, initial=0.0), self._magnitudes()
        if not np.isfinite(size) or not least < size < most:
            return False
        if not self._partial(size, np.min) < most or not self._is_the_function():
            return False
        return self._settles(value, size)

    def _is_the_function(self) -> bool:
        """Whether the reference has the function's own values, which may lose what is subnormal on
        the way.
        """
        example, values = self.group.example, differences.flat(self.expected)
        if example.reference:
            return True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = differences.at_rest(example.module["reference"], self.values, self.u)
        if results.shape != values.shape:
            return False
        off = np.max(np.abs(results - values), initial=0.0)
        return bool(off <= (1e-5 if self.is_single else 1e-10) * differences.largest(values, 0.0))

    def off(self, found: Any, said: str) -> None:
        """A partial derivative so small that floats have few digits of it, or none, may be off."""
        size = np.max(np.abs(self.reference.value), initial=0.0)
        is_small = self._partial(size, np.max) < self._magnitudes()[0]
        if is_small and np.all(np.abs(found) <= 100 * size):
            raise UntoldError
        super().off(found, said)

    def _widened(self, limit: float) -> float:
        """With what the function rounds too, of large numbers that cancel."""
        function = self.group.example.module["reference"]
        rounded = differences.rounding(function, self.values, self.u, self.step)
        return super()._widened(limit) + 10.0 * float(np.sum(rounded[np.isfinite(rounded)]))

    def _magnitudes(self) -> tuple[float, float]:
        """What floats of the dtype hold with room for what is computed on the way."""
        limits = np.finfo(np.float32 if self.is_single else np.float64)
        return float(limits.tiny) * 1e6, float(limits.max) * 1e-6

    def _partial(self, size: Any, end: Callable[..., Any]) -> float:
        """A derivative of a size per unit of what moves least, or most."""
        initial = 1.0 if end is np.min else 0.0
        moved = [end(np.abs(u), initial=initial) for u in self.u if u is not None]
        with np.errstate(all="ignore"):
            return float(size / np.longdouble(end(moved)) ** self.order)

    def _settles(self, value: Any, size: Any) -> bool:
        """Another step gives the same, within what the function rounds."""
        self.step *= 0.37
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = np.abs(self._reference(self.values).value)
        self.step /= 0.37
        is_smooth = np.all(np.abs(again - value) <= 1e-4 * size)
        return bool(is_smooth and np.all(self.reference.error <= 1e-6 * size))


def _like(value: Any, made: Any) -> Any:
    cast = np.asarray(made).astype(np.asarray(value).dtype)
    return cast if isinstance(value, np.ndarray) else cast[()]


def sample(made: Sequence[Group], name: str, count: int) -> list[Group]:
    """A few groups by a hash of the name: the same ones every time."""
    first = zlib.crc32(name.encode())
    return [made[(first + k * 7919) % len(made)] for k in range(min(count, len(made)))]
