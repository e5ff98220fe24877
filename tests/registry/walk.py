"""What is held of a cell, and which cells there are.

A cell is a callable, an operand, a mode, an order, a dtype and a shape. Cells of one group need one
set of programs. Held of each: the value is the library's, in every bit; the derivative has the
shape and dtype of what it belongs to, and is that of ``differences``; forward and reverse mode
pair alike; nothing given is written; what is done twice gives the same bits.
"""

from __future__ import annotations

import copy
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import symdiff as sd
from symdiff.definitions import DEFINITIONS
from symdiff.definitions.libraries import import_all
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import ATTRIBUTES, FUNCTIONS, METHODS, WRITES
from symdiff.ops.table import spelled
from tests.registry import cases, differences
from tests.registry.cases import Case
from tests.registry.differences import Estimate, flat, parts
from tests.registry.examples import Example
from tests.test_programs import same

# What derivatives are held to, of their scale, by order.
DOUBLE = {1: 1e-12, 2: 1e-9, 3: 1e-8}
SINGLE = {1: 1e-5, 2: 1e-5, 3: 1e-4}
PAIRING = 1e3  # units of eps, of ⟨Jv, w⟩ = ⟨v, Jᵀw⟩
SURE = 1e3  # how much more than what is held a reference may be unsure of


class Cell(NamedTuple):
    """One thing that is tested."""

    name: str
    operand: str
    mode: str
    order: int
    dtype: str
    shape: str


def registered() -> list[str]:
    """Everything that is registered, as it is written."""
    import_all()
    found = {"".join(spelled(f)) for register in (FUNCTIONS, DEFINITIONS, WRITES) for f in register}
    found |= {f"x.{name}()" for name in METHODS} | {f"x.{name}" for name in ATTRIBUTES}
    return sorted(name for name in found if not name.startswith(_INSIDE))


# What only definitions call, and SciPy's functions: theirs are the cells.
_INSIDE = ("symdiff.", "scipy._lib.", "scipy.stats._axis_nan_policy.", "scipy.stats._stats_py.")


# Groups -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """Cells of one example, dtype and set of programs."""

    example: Example
    dtype: str
    cases: tuple[tuple[Case, tuple[Any, ...]], ...]

    @property
    def title(self) -> str:
        return f"{'; '.join(self.example.body)} {self.dtype} {self.cases[0][0].group}"

    def cells(self) -> Iterator[Cell]:
        """All of it that is about derivatives."""
        example = self.example
        for case, _ in self.cases:
            for k in example.wrt:
                for order in example.orders:
                    for mode in ("forward", "reverse"):
                        operand = example.operands[k]
                        yield Cell(example.name, operand, mode, order, self.dtype, str(case))


def groups(examples: Sequence[Example]) -> list[Group]:
    """The groups of examples, without the cases that the library itself refuses."""
    found: list[Group] = []
    for example in examples:
        for dtype in example.dtypes if example.wrt or not example.orders else ():
            together: dict[Any, list[tuple[Case, tuple[Any, ...]]]] = {}
            for case in example.family(len(example.domains)):
                given = tuple(_operands(example, case, dtype))
                if takes(example, given):
                    together.setdefault(case.group, []).append((case, given))
            found += [Group(example, dtype, tuple(made)) for made in together.values()]
    return found


def _operands(example: Example, case: Case, dtype: str) -> list[Any]:
    domains = [domain for _, domain in example.domains]
    return cases.operands(case, domains, dtype, example.name)


def takes(example: Example, given: Sequence[Any]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            result = example.module["f"](*given)
        except Exception:
            return False
    return not example.orders or any(True for _ in parts(result))


def sample(found: Sequence[Group], name: str) -> list[Group]:
    """One group of all, by a hash of the name: the same ones every time."""
    return [found[zlib.crc32(name.encode()) % len(found)]] if found else []


def sampled_orders(group: Group, name: str) -> tuple[int, ...]:
    """Order one, of every third callable order two, and of every sixth order three.

    Of what has several operands, whose programs are long, it is one order.
    """
    drawn = zlib.crc32(name.encode()) % 6
    if len(group.example.wrt) < 2:
        return ((1, 2, 3), (1, 2))[drawn] if drawn < 2 else (1,)
    return (2,) if drawn < 2 else (1,)


# Programs -----------------------------------------------------------------------------------------


class Programs:
    """The derivatives of an example, in both modes and up to order three.

    Of order two there are two ways to each: ``over`` says whether the inner mode is forward.
    """

    def __init__(self, example: Example, over: bool) -> None:
        self.function = sd.differentiable(example.module["f"])
        self.back = sd.differentiable(example.module["back"])
        self.along = sd.differentiable(self.function.jvp)
        self.twice = sd.differentiable(self.along.jvp)
        self.over = over

    def has_effects(self, values: Sequence[Any]) -> bool:
        """Whether it may raise: then no program pulls back within another."""
        try:
            self.back.forward(*values, None)
        except UnsupportedCallError as error:
            return "with effects" in str(error)
        except Exception:
            return False
        return False

    def forward(self, order: int, values: Any, v: Any, u: Any, w: Any) -> Any:
        """The result, and what is to be compared with the reference (or paired with ``v``)."""
        if order == 1:
            return self.function.jvp(values, v)
        if order == 2 and self.over:
            _, (value, tangent) = self.along.jvp((values, v), (u, None))
            return value, tangent
        if order == 2:
            return self.back.jvp((*values, w), (*u, None))
        inner = ((values, v), (u, None)), ((u, None), (None, None))
        _, (_, (value, tangent)) = self.twice.jvp(*inner)
        return value, tangent

    def reverse(self, order: int, values: Any, v: Any, u: Any, w: Any) -> Any:
        """The result, and a cotangent for each operand."""
        if order == 1:
            value, pullback = self.function.vjp(*values)
            return value, pullback(w)
        if order == 2 and self.over:
            (value, _), pullback = self.along.vjp(values, v)
            return value, pullback((_zeros(w), w))[0]
        if order == 2:
            value, pullback = self.back.vjp(*values, w)
            return value, pullback(v)[:-1]
        ((value, _t), _), pullback = self.twice.vjp((values, v), (u, None))
        return value, pullback(((_zeros(w), _zeros(w)), (_zeros(w), w)))[0][0]


def _zeros(tree: Any) -> Any:
    return _mapped(np.zeros_like, tree)


def _mapped(function: Callable[[Any], Any], tree: Any, *, keep: bool = False) -> Any:
    """The tree with the function of its floats and complex numbers, None for all else."""
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_mapped(function, item, keep=keep) for item in tree))
    if isinstance(tree, tuple | list):
        return type(tree)(_mapped(function, item, keep=keep) for item in tree)
    if isinstance(tree, dict):
        return {key: _mapped(function, item, keep=keep) for key, item in tree.items()}
    if tree is None or np.asarray(tree).dtype.kind not in "fc":
        return tree if keep else None
    made = function(tree)
    if isinstance(tree, np.ndarray):
        return made
    return np.asarray(made)[()] if isinstance(tree, np.generic) else type(tree)(made)


# The walk -----------------------------------------------------------------------------------------


@dataclass
class Found:
    """The cells that held, and what is wrong."""

    held: list[Cell] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    valued: int = 0
    unknown: int = 0


def walk(
    group: Group,
    found: Found,
    orders: Sequence[int] = (1, 2, 3),
    kind: type[Walk] | None = None,
    *,
    whole: bool = True,
) -> None:
    """All that is to hold in a group, or where it is not ``whole``, by each operand in one case."""
    kind = kind or Walk
    programs = Programs(group.example, over=bool(zlib.crc32(group.title.encode()) & 1))
    if group.example.orders and not programs.over and programs.has_effects(group.cases[0][1]):
        programs.over = True
    operands = group.example.wrt
    parts = dict.fromkeys(range(len(group.cases)), operands)
    if not whole:
        parts = dealt(operands, len(group.cases), zlib.crc32(group.title.encode()))
    for k, wrt in parts.items():
        kind(group, programs, *group.cases[k], found, wrt).all(orders)


def dealt(operands: Sequence[int], cases: int, first: int) -> dict[int, Sequence[int]]:
    """The operands of the cases that are drawn: one each, or more where the cases are fewer."""
    parts: dict[int, list[int]] = {first % cases: []}
    for turn, operand in enumerate(operands, first):
        parts.setdefault(turn % cases, []).append(operand)
    return dict(parts)


class _WrongError(Exception):
    """What does not hold."""


class UntoldError(Exception):
    """What no float of the dtype could tell."""


@dataclass
class Walk:
    """One case of a group."""

    group: Group
    programs: Programs
    case: Case
    values: tuple[Any, ...]
    found: Found
    wrt: Sequence[int]

    @property
    def least(self) -> float:
        """What derivatives are at least taken to be of."""
        return 1.0

    def all(self, orders: Sequence[int]) -> None:
        example = self.group.example
        self.random = np.random.default_rng(zlib.crc32(str(self.case).encode()))
        with _quiet():
            self.expected = example.module["f"](*self.values)
        self._held(None, self._value)
        domains = [domain for _, domain in example.domains]
        self.u = self.directions(domains)
        self.w = _mapped(lambda leaf: cases.like(leaf, self.random), self.expected)
        smallest = min((d.width for d in domains if not d.held), default=1.0)
        total = sum(map(np.size, self.values))
        self.step = min(differences.STEP, 0.15 / max(total, 1)) * max(smallest, 0.3)
        for k in self.wrt:
            self.k = k
            self.v = tuple(u if j == k or u is None else u * 0 for j, u in enumerate(self.u))
            for order in example.orders:
                if order in orders:
                    self._order(order)

    def directions(self, domains: Sequence[Any]) -> tuple[Any, ...]:
        """What operands are moved along."""
        return tuple(cases.directions(self.values, domains, self.random))

    slack = 1.0  # how many times as far as usual a derivative may be off

    def is_known(self) -> bool:
        """Whether the reference can be compared with."""
        return True

    def unsettled(self) -> None:
        """What becomes of a case whose differences do not tell its derivative."""
        self.found.wrong.append(f"{self._said()}: differences do not settle: {self.reference}")

    def _order(self, order: int) -> None:
        self.order = order
        with _quiet():
            self.reference = self._reference(self.values)
        if not self.is_known():
            self.unsettled()
            return
        limits = self._limits()
        unsure = ~(self.reference.error <= SURE * limits)
        if np.any(unsure & np.isfinite(self.reference.value)):
            self.unsettled()
            return
        self.pairs: list[float] = []
        for mode in ("forward", "reverse"):
            operand = self.group.example.operands[self.k]
            name, dtype = self.group.example.name, self.group.dtype
            cell = Cell(name, operand, mode, order, dtype, str(self.case))
            self._held(cell, getattr(self, f"_{mode}"))

    def _reference(self, values: Sequence[Any]) -> Estimate:
        function = self.group.example.module["reference"]
        v = [
            along if j == self.k else None if along is None else along * 0
            for j, along in enumerate(self.u)
        ]
        return differences.derivative(
            function, values, v, self.u, self.order, self.step, self.least
        )

    def _held(self, cell: Cell | None, check: Callable[[], None]) -> None:
        given = copy.deepcopy(self.values)
        try:
            with _quiet():
                check()
            if not same(self.values, given):
                raise _WrongError("an operand was written")
        except UntoldError:
            self.found.unknown += 1
            return
        except Exception as error:
            said = (
                f"{type(error).__name__}: {error}" if not isinstance(error, _WrongError) else error
            )
            self.found.wrong.append(f"{self._said(cell)}: {said}")
            return
        if cell is None:
            self.found.valued += 1
        else:
            self.found.held.append(cell)

    def _said(self, cell: Cell | None = None) -> str:
        text = "; ".join(self.group.example.body)
        what = "value" if cell is None else f"{cell.mode} {cell.order} by {cell.operand}"
        return f"{text}, {self.group.dtype}, {self.case}, {what}"

    # What is held

    def _value(self) -> None:
        value = self.programs.function.forward(*self.values)[0]
        is_same = _alike if self.group.example.summed else _nearly_alike
        if not is_same(value, self.expected):
            raise _WrongError(f"{value!r} is not {self.expected!r}")

    def _forward(self) -> None:
        value, tangent = self._twice(self.programs.forward)
        if self.order == 2 and not self.programs.over:
            self._like(tangent, self.values)
            self._paired(_pair(self.v[self.k], tangent[self.k]))
            return
        self._valued(value)
        self._like(tangent, self.expected)
        numbers = flat(_beside(self.w, tangent))
        self._close(numbers, self.reference.value, self._limits)
        self._paired(_pair(self.w, tangent))

    def _reverse(self) -> None:
        value, cotangents = self._twice(self.programs.reverse)
        self._valued(value)
        self._like(cotangents, self.values)
        along = self.v if self.order == 1 else self.u
        self._paired(
            sum(_pair(t, c) for t, c in zip(along, cotangents, strict=True) if t is not None)
        )

    def _twice(self, program: Callable[..., Any]) -> Any:
        """What a program gives, the same each time."""
        first, again = (program(self.order, self.values, self.v, self.u, self.w) for _ in range(2))
        is_same = _alike if self.group.example.steady else _nearly_alike
        if not is_same(first, again):
            raise _WrongError(f"called again, {again!r} is not {first!r}")
        return first

    def _valued(self, value: Any) -> None:
        """Numbers alone may be computed by ``math`` beside their derivatives: 2 ulp."""
        is_same = _alike if self.group.example.summed else _nearly_alike
        if self.order > 1 or is_same(value, self.expected):
            return
        numbers = all(shape.layout in ("scalar", "python") for shape in self.case.shapes)
        off = np.abs(flat(value) - flat(self.expected))
        if not numbers or np.any(off > 2 * np.spacing(np.abs(flat(self.expected)))):
            raise _WrongError(f"the value {value!r} is not {self.expected!r}")

    def _like(self, derivative: Any, of: Any) -> None:
        """Each has the shape and dtype of what it belongs to."""
        for a, b in _pairs(derivative, of):
            if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
                raise _WrongError(f"{a!r} is not of the type and shape of {b!r}")

    def _paired(self, found: float) -> None:
        """As the reference, and as the other mode has it."""
        if not np.all(np.isfinite(self.reference.value)):
            return  # the mean of nothing
        weights = flat(self.w)
        expected = np.real(np.sum(np.conj(weights) * self.reference.value))
        self._close(found, expected, lambda: np.sum(np.abs(weights) * self._limits()))
        self.pairs.append(found)
        eps = max(self.eps, self.group.example.within / PAIRING)
        scale = self.least + np.sum(np.abs(weights) * np.abs(self.reference.value))
        if abs(self.pairs[0] - found) > self._widened(PAIRING * eps * scale):
            self.off(found, f"the modes pair to {self.pairs[0]!r} and {found!r}")

    # How near

    @property
    def is_single(self) -> bool:
        """Whether single precision is all that can be asked for."""
        return any(
            np.asarray(value).dtype.name in ("float32", "complex64") for value in self.values
        )

    @property
    def eps(self) -> float:
        """The unit of rounding."""
        return float(np.finfo(np.float32 if self.is_single else np.float64).eps)

    def _limits(self) -> Any:
        """How far the derivative may be from the reference, element by element."""
        value = self.reference.value
        unit = max((SINGLE if self.is_single else DOUBLE)[self.order], self.group.example.within)
        unit *= self.slack
        return np.full(value.shape, unit * differences.largest(value, self.least))

    def _close(self, found: Any, expected: Any, limits: Callable[[], Any]) -> None:
        known = np.isfinite(expected)  # not the mean of nothing
        distance, limit = np.where(known, np.abs(found - expected), 0.0), limits()
        error = np.max(self.reference.error[np.isfinite(self.reference.error)], initial=0.0)
        if np.all(distance <= limit + 10 * error):
            return
        if not np.all(distance <= self._widened(np.max(limit))):
            self.off(found, f"{found!r} is not {expected!r}, but {distance!r} off")

    def off(self, found: Any, said: str) -> None:
        """What becomes of a derivative that is not near enough."""
        raise _WrongError(said)

    def _widened(self, limit: float) -> float:
        """A limit with the problem's condition: what the last bits of the operands do to it."""
        random = np.random.default_rng(1)
        moved = [
            x if t is None else x * (1 + 1e-6 * cases.like(x, random))
            for x, t in zip(map(_wide, self.values), self.u, strict=True)
        ]
        change = np.abs(self._reference(moved).value - self.reference.value)
        eps = self.eps
        return limit + 100 * eps * float(np.sum(change)) / 1e-6


def _alike(a: Any, b: Any) -> bool:
    """The same in type, dtype, shape and every bit; of NaN its sign does not count."""
    return same(a, b) or same(*(_mapped(_without_signs, tree, keep=True) for tree in (a, b)))


def _nearly_alike(a: Any, b: Any) -> bool:
    """The same but for rounding, of what a library computes in another way each time."""
    pairs = zip(_numbers(a), _numbers(b), strict=True)
    return all(np.allclose(one, other, rtol=0.0, atol=1e-10 * _size(one)) for one, other in pairs)


def _numbers(tree: Any) -> list[Any]:
    found: list[Any] = []
    _mapped(lambda number: found.append(number) or number, tree)
    return found


def _size(number: Any) -> float:
    return float(np.max(np.abs(number), initial=1.0))


def _without_signs(number: Any) -> Any:
    return np.where(np.isnan(number), np.nan, number).astype(np.asarray(number).dtype)


def _wide(value: Any) -> Any:
    kind = np.asarray(value).dtype
    if kind.kind not in "fc":
        return value
    wide = np.asarray(value).astype(np.result_type(kind, np.float64))
    return wide if isinstance(value, np.ndarray) else wide[()]


def _beside(like: Any, tree: Any) -> Any:
    """The parts of a tree that stand where ``like`` has numbers."""
    return [a for a, _ in _pairs(tree, like)]


def _pairs(tree: Any, like: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of two trees, where the second has floats or complex numbers."""
    if isinstance(like, dict):
        like, tree = tuple(like.values()), tuple(tree.values())
    if isinstance(like, tuple | list):
        for a, b in zip(tree, like, strict=True):
            yield from _pairs(a, b)
    elif like is not None and np.asarray(like).dtype.kind in "fc":
        yield tree, like


def _pair(a: Any, b: Any) -> float:
    left, right = flat(_beside(a, a)), flat(_beside(a, b))
    long = np.result_type(left.dtype, np.longdouble)  # products of large numbers overflow
    return float(np.real(np.sum(np.conj(left).astype(long) * right)))


def _quiet() -> Any:
    return warnings.catch_warnings(action="ignore")
