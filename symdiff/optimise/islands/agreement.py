"""The agreement of two forms of an island: both are computed at sampled points.

The points are fixed by a seed: NaN, infinities, zeros, large and small numbers, multiples of π,
and pairs that nearly cancel; not NaN beside infinity, of which IEEE 754 makes infinity in some
functions of two numbers and NaN in others. Where an operand is NaN or infinite the forms have to
give the same. Elsewhere, where they differ by more than rounding, the exact value decides: mpmath
computes the original form in many digits, and the other one may not be further from that.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Node, Value
from symdiff.optimise.islands.precise import exact_value

_SEED = 20_261_121
_SPECIAL = (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, np.pi / 4, np.pi / 2, np.pi, 1e-3, 1e-8, -1e-8)
_EXTREME = (1e-20, -1e-20, 1e-160, 30.0, -30.0, 709.5, 745.0, -740.0, 1e4, -1e4, 1e16, 1e154, 1e200)
_NONE = (np.inf, -np.inf, np.nan)
_FAR = (1e3, 1e6)  # stand for infinity where a limit is taken
_GROWTH = 1.5  # from the one to the other, of what is infinite in the end: as of logarithms
_CLOSE = 1e-6  # to a limit, in float32 too
_DRAWN = 48
_PAIRED = 40  # draws of special values together, for forms of several operands
_ROUNDING = 32  # units in the last place that are no difference
_GAIN = 16.0  # how much nearer to the truth a form is that is called more accurate


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a form: if it may stand for another, if it is more accurate, and why not."""

    agrees: bool
    gains: bool = False
    reason: str = ""
    before: float = 0.0  # the worst relative errors, where the forms differ
    after: float = 0.0


@np.errstate(all="ignore")
def verdict(
    leaves: Sequence[Value],
    dtype: np.dtype,
    original: tuple[Sequence[Node], Value],
    other: tuple[Sequence[Node], Value],
    *,
    limits: bool = False,
) -> Verdict:
    """Compare two forms, each its nodes in order and its result, in the same leaves.

    :param limits: the other may give the limit at infinities where the original overflows.
    """
    points = _points(len(leaves), dtype.str)
    given = dict(zip(leaves, points, strict=True))
    old, new = computed(*original, given), computed(*other, given)
    size = points.shape[1]
    old, new = np.broadcast_to(old, size), np.broadcast_to(new, size)
    rounding = _ROUNDING * np.finfo(dtype).eps
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    near = np.abs(old - new) <= rounding * np.abs(old)
    same |= near & np.isfinite(old)  # any number is within rounding of infinity
    finite = np.isfinite(points).all(axis=0)
    if limits:
        same |= _is_limit(leaves, points, original, old, new)
    if not same[~finite].all():
        k = int(np.flatnonzero(~same & ~finite)[0])
        return Verdict(False, reason=_told(leaves, points[:, k], old[k], new[k]))
    return _by_truth(leaves, points, original, old, new, np.flatnonzero(~same & finite), rounding)


def _is_limit(
    leaves: Sequence[Value],
    points: np.ndarray,
    original: tuple[Sequence[Node], Value],
    old: np.ndarray,
    new: np.ndarray,
) -> np.ndarray:
    """Where an operand is infinite and the original NaN or infinite too, but the other what it is
    far out.
    """
    found = np.zeros(len(old), bool)
    candidates = (
        ~np.isnan(points).any(axis=0)
        & np.isinf(points).any(axis=0)
        & ~np.isfinite(old)
        & ~np.isnan(new)
    )
    for k in np.flatnonzero(candidates).tolist():
        point = points[:, k]
        near, far = (_exact_far_out(leaves, point, original, distance) for distance in _FAR)
        if near is not None and far is not None:
            grows = far * new[k] > 0 and abs(far) >= _GROWTH * abs(near)
            found[k] = grows if np.isinf(new[k]) else _error(far, new[k]) <= _CLOSE
    return found


def _exact_far_out(
    leaves: Sequence[Value],
    point: np.ndarray,
    original: tuple[Sequence[Node], Value],
    distance: float,
) -> float | None:
    """The exact value where what is infinite is so far out."""
    moved = np.where(np.isinf(point), np.copysign(distance, point), point).tolist()
    return exact_value(*original, dict(zip(leaves, moved, strict=True)))


def _by_truth(
    leaves: Sequence[Value],
    points: np.ndarray,
    original: tuple[Sequence[Node], Value],
    old: np.ndarray,
    new: np.ndarray,
    differing: np.ndarray,
    rounding: float,
) -> Verdict:
    """Where forms differ on numbers, the exact value tells which is nearer."""
    worst_old = worst_new = 0.0
    gains = False
    for k in differing.tolist():
        truth = exact_value(*original, dict(zip(leaves, points[:, k].tolist(), strict=True)))
        if truth is None:  # there is no number, or it is not known
            return Verdict(False, reason=_told(leaves, points[:, k], old[k], new[k]))
        before, after = _error(truth, old[k]), _error(truth, new[k])
        if after > max(2.0 * before, rounding):
            return Verdict(False, reason=_told(leaves, points[:, k], old[k], new[k]))
        gains |= before > _GAIN * max(after, rounding / _ROUNDING)
        worst_old, worst_new = max(worst_old, before), max(worst_new, after)
    return Verdict(True, gains, "", worst_old, worst_new)


def _error(truth: float, value: float) -> float:
    """The relative error; infinite for what is not a number."""
    if np.isnan(value):
        return float(np.inf)
    if np.isinf(value) or np.isinf(truth) or truth == 0.0:
        return 0.0 if value == truth else 1.0 if np.isfinite(value) and truth == 0.0 else np.inf
    return float(abs(value - truth) / abs(truth))


def _told(leaves: Sequence[Value], point: np.ndarray, old: float, new: float) -> str:
    names = [leaf.name or f"operand {k + 1}" for k, leaf in enumerate(leaves)]
    where = ", ".join(f"{name} = {x:.4g}" for name, x in zip(names, point, strict=True))
    return f"at {where} it would be {new:.6g}, not {old:.6g}"


def computed(nodes: Sequence[Node], result: Value, given: Mapping[Value, Any]) -> Any:
    """The result of nodes by the ops' own reference meanings."""
    known: dict[Value, Any] = dict(given)
    with np.errstate(all="ignore"):
        for node in nodes:
            operands = [known[value] for value in node.operands]
            assert node.op.evaluate is not None
            known[node.result] = node.op.evaluate(*operands, **node.attributes)
    return known[result]


@functools.lru_cache(maxsize=64)
def _points(operands: int, dtype: str) -> np.ndarray:
    """The points at which forms in so many operands are compared: a row for each operand."""
    rng = np.random.default_rng(_SEED + operands)
    special = np.array([*_SPECIAL, *_EXTREME, *_NONE])
    columns = [_drawn(rng, operands, _DRAWN), rng.choice(special, (operands, _PAIRED * operands))]
    each = np.tile(special, operands)
    alone = _drawn(rng, operands, each.size)
    for k in range(operands):
        alone[k, k * special.size : (k + 1) * special.size] = special
    columns.append(alone)
    columns.append(_nearly_cancelling(rng, operands))
    found = np.concatenate(columns, axis=1)
    found = found[:, ~(np.isnan(found).any(axis=0) & np.isinf(found).any(axis=0))]
    with np.errstate(over="ignore", under="ignore"):
        points: np.ndarray = found.astype(dtype)
        return points


def _drawn(rng: np.random.Generator, operands: int, count: int) -> np.ndarray:
    """Numbers of both signs and of several magnitudes."""
    size = 10.0 ** rng.uniform(-2.5, 1.5, (operands, count))
    drawn: np.ndarray = size * rng.choice([-1.0, 1.0], (operands, count))
    return drawn


def _nearly_cancelling(rng: np.random.Generator, operands: int) -> np.ndarray:
    """Operands that are equal, opposite or inverse but for a little; near 1 and parts of π."""
    count = 24
    base = _drawn(rng, 1, count)[0]
    base[: count // 3] = rng.choice([1.0, -1.0, np.pi / 4, np.pi / 2, np.pi], count // 3)
    little = 1.0 + rng.choice([0.0, 1e-15, 1e-9, -1e-9, 1e-4], (operands, count))
    shapes = rng.choice([0, 1, 2], (operands, count))
    rows = np.select([shapes == 0, shapes == 1], [base, -base], 1.0 / base)
    rows[:1] = base
    nearly: np.ndarray = rows * little
    return nearly
