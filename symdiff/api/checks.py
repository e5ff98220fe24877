"""``check_grads``: derivatives against extrapolated differences of the function's own values.

Both modes are compared along random directions: forward with the difference quotient itself,
reverse by ⟨v, Jᵀw⟩ = ⟨J v, w⟩, where ⟨a, b⟩ is the real part of Σ conj(a)·b. Order two repeats that
with the first derivatives in place of the function, and so on.

A step of differences may cross a kink (``np.maximum(x, 0)``) or leave the function's domain. A
derivative that the first step does not confirm is right if two smaller steps in succession do.
Smaller steps are taken in double precision only: in single precision they get lost in rounding.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from symdiff.api.objects import Differentiable, differentiable_of
from symdiff.differentiate.graphs import derived_from
from symdiff.errors import SignatureError
from symdiff.ir.attributes import opening, parts
from symdiff.ir.structure import (
    Leaf,
    flatten,
    leaf_paths,
    unflatten,
)
from symdiff.runtime.signature import spelled

_STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 2e-7, 5e-8, 1e-8)
_LEVELS = 4
_LASTING = 0.5  # what is left of a jump between two sides at a tenth of the step, at the least


def check(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int,
    modes: Sequence[str],
    rtol: float,
    atol: float,
    seed: int,
    step: float | None,
) -> None:
    """What ``symdiff.check_grads`` does."""
    function = differentiable_of(f)
    if function._marks["frozen"]:
        raise SignatureError(
            "differences do not know which arguments are frozen",
            hint="check the function itself, before freeze(...)",
        )
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    _require_something_to_check(args, order, modes)
    steps = (_STEPS if _is_double(args) else _STEPS[:1]) if step is None else (_positive(step),)
    judge = _Judge(rtol, atol, steps)
    _check(function, tuple(args), order, modes, judge, seed, "f")


def _is_double(args: Sequence[Any]) -> bool:
    leaves, _ = flatten(tuple(args), _is_number, opening(args))
    return all(np.finfo(np.result_type(leaf)).bits >= 64 for leaf in leaves)


def _positive(step: float) -> float:
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step < np.inf:
        raise ValueError(f"step is a positive number, not {step!r}")
    return float(step)


def _require_something_to_check(args: Any, order: Any, modes: Any) -> None:
    if not isinstance(args, tuple | list):
        raise SignatureError(
            f"args is a tuple of arguments, not of type {type(args).__name__}",
            hint="check_grads(f, (x, y))",
        )
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"order is 1, 2, 3 …, not {order!r}")
    if not modes or not {"fwd", "rev"}.issuperset(modes):
        raise ValueError(f"modes are of 'fwd' and 'rev', not {modes!r}")
    if not _float_paths(tuple(args)):
        raise SignatureError(
            "there is no float among the arguments to differentiate by",
            hint="pass floats: 2.0, x.astype(float)",
        )


class _Judge:
    """Compares derivatives with differences at several steps, the largest first."""

    def __init__(self, rtol: float, atol: float, steps: tuple[float, ...]) -> None:
        self.rtol = rtol
        self.atol = atol
        self.steps = steps

    def compare(self, actual: float, along: _Along, part: _Part, what: str) -> None:
        """Raise an AssertionError unless differences confirm ``actual``.

        ``part`` gives the number to compare with, and its scale, from the differences of all
        results.
        """
        expected, scale = part(along.derivative(self.steps[0]))
        if self._agree(actual, expected, scale):
            return
        estimates, confirmed = [expected], 0
        for step in self.steps[1:]:
            estimate, its_scale = part(along.derivative(step))
            estimates.append(estimate)
            lost = estimate == 0 != expected  # in rounding, or left of a kink
            agrees = not lost and self._agree(actual, estimate, its_scale)
            confirmed = confirmed + 1 if agrees else 0
            if confirmed == 2:
                return
        if along.error is not None:  # what the function raised beside the arguments
            raise along.error
        bound = self._bound(expected, scale)
        said = (
            f"{what} is {actual!r}, but differences give {expected!r} "
            f"(they differ by {abs(actual - expected):.3g}, allowed is {bound:.3g})"
        )
        raise AssertionError(said + self._doubt(estimates, along, part))

    def _bound(self, expected: float, scale: float) -> float:
        return self.atol + self.rtol * max(scale, abs(expected))

    def _agree(self, actual: float, expected: float, scale: float) -> bool:
        return bool(abs(actual - expected) <= self._bound(expected, scale))

    def _doubt(self, estimates: list[float], along: _Along, part: _Part) -> str:
        """Why differences may be wrong; nothing where they agree with each other."""
        sides = [part(side)[0] for side in along.sides(self.steps[-1])]
        further = [part(side)[0] for side in along.sides(10 * self.steps[-1])]
        jump, before = abs(sides[0] - sides[1]), abs(further[0] - further[1])
        if jump > self._bound(max(map(abs, sides)), 0.0) and jump > _LASTING * before:
            return f"; a kink or a jump lies here: the two sides give {sides[0]!r} and {sides[1]!r}"
        if all(self._agree(one, estimates[0], 0.0) for one in estimates[:2]):
            return ""
        shown = ", ".join(
            f"{e!r} with {step:g}" for e, step in zip(estimates, self.steps, strict=True)
        )
        return (
            f"; a kink or a jump lies near, or the values are rough, for the steps do not agree:"
            f" {shown} (take other arguments, or give step=)"
        )


def _check(
    function: Differentiable,
    args: tuple[Any, ...],
    order: int,
    modes: tuple[str, ...],
    judge: _Judge,
    seed: int,
    name: str,
) -> None:
    rng = np.random.default_rng(seed)
    direction = _random_like(args, rng)
    if "fwd" in modes:
        _check_forward(function, args, direction, judge, rng, name)
    if "rev" in modes:
        _check_reverse(function, args, judge, rng, name)
    if order <= 1:
        return
    along = _random_like(args, rng)
    if "fwd" in modes:
        _check(function.jvp, (args, along), order - 1, modes, judge, seed + 1, f"jvp of {name}")
    if "rev" in modes and _is_scalar(function(*args)):
        everything = function._gradient(
            tuple(k for k, part in enumerate(direction) if part is not None)
        )
        _check(everything, args, order - 1, modes, judge, seed + 2, f"gradient of {name}")


def _check_forward(
    function: Differentiable,
    args: tuple[Any, ...],
    direction: tuple[Any, ...],
    judge: _Judge,
    rng: np.random.Generator,
    name: str,
) -> None:
    _, tangent = function.jvp(args, direction)
    along = _Along(function, args, direction)
    leaves, structure = flatten(tangent, _is_number, parts)
    for k, (path, actual) in enumerate(zip(leaf_paths(structure), leaves, strict=True)):
        wanted = along.here[k]
        weights = _weights(wanted, rng)
        what = f"the tangent of {name}{_at(path)}"
        _require_shape(actual, wanted, what)

        def part(differences: list[Any], k: int = k, weights: Any = weights) -> tuple[float, float]:
            scale = float(np.max(np.abs(differences[k]), initial=0.0))
            return _dot(differences[k], weights), scale

        judge.compare(_dot(actual, weights), along, part, f"forward mode: {what}")


def _check_reverse(
    function: Differentiable,
    args: tuple[Any, ...],
    judge: _Judge,
    rng: np.random.Generator,
    name: str,
) -> None:
    value, pullback = function.vjp(*args)
    cotangent = _random_like(value, rng)
    weights = _floats(cotangent)
    cotangents = pullback(cotangent)
    for position, path in enumerate(_float_paths(args)):
        direction = _only(args, position, rng)
        bar: Any = cotangents
        moved: Any = direction
        for key in path:
            bar, moved = _step(bar, key), _step(moved, key)
        argument = spelled((f"args[{path[0]}]", *path[1:]))
        what = f"reverse mode: the derivative of {name} by {argument}"
        if bar is None:
            raise AssertionError(f"{what} is missing")
        _require_shape(bar, moved, what)
        along = _Along(function, args, direction)
        judge.compare(_dot(bar, moved), along, functools.partial(_weighed, weights), what)


def _weighed(weights: list[Any], differences: list[Any]) -> tuple[float, float]:
    scale = sum(float(np.max(np.abs(d), initial=0.0)) for d in differences)
    return sum(_dot(d, w) for d, w in zip(differences, weights, strict=True)), scale


def _require_shape(actual: Any, expected: Any, what: str) -> None:
    if np.shape(actual) != np.shape(expected):
        raise AssertionError(f"{what} has the shape {np.shape(actual)}, not {np.shape(expected)}")


# Differences --------------------------------------------------------------------------------------


_Part = Callable[[list[Any]], tuple[float, float]]  # of the differences of all results


class _Along:
    """Differences of a function's results, as float64, along a direction."""

    def __init__(
        self, function: Differentiable, args: tuple[Any, ...], direction: tuple[Any, ...]
    ) -> None:
        self.function = function
        self.args = args
        self.direction = direction
        self.derivative = functools.cache(self._derivative)
        self.error: Exception | None = None

    @functools.cached_property
    def here(self) -> list[Any]:
        return self._values(0.0)

    def _values(self, h: float) -> list[Any]:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return _floats(self.function(*_moved(self.args, self.direction, h)))

    def _derivative(self, step: float) -> list[Any]:
        """The derivative of each float in the result (Richardson, 1911); NaN outside the domain."""
        try:
            table = [[self._central(step / 2**k) for k in range(_LEVELS)]]
        except (ValueError, ArithmeticError) as error:
            self.error = error
            return [np.full_like(value, np.nan) for value in self.here]
        for level in range(1, _LEVELS):
            before, factor = table[-1], 4**level
            table.append([_combined(coarse, fine, factor) for coarse, fine in pairwise(before)])
        return table[-1][0]

    def _central(self, h: float) -> list[Any]:
        ahead, behind = self._values(h), self._values(-h)
        return [(a - b) / (2 * h) for a, b in zip(ahead, behind, strict=True)]

    def sides(self, h: float) -> tuple[list[Any], list[Any]]:
        """The difference quotients to the left and to the right."""
        behind, here, ahead = self._values(-h), self.here, self._values(h)
        left = [(b - a) / h for a, b in zip(behind, here, strict=True)]
        return left, [(b - a) / h for a, b in zip(here, ahead, strict=True)]


def _combined(coarse: list[Any], fine: list[Any], factor: int) -> list[Any]:
    return [(factor * b - a) / (factor - 1) for a, b in zip(coarse, fine, strict=True)]


def _moved(args: Any, direction: Any, h: float) -> Any:
    leaves, structure = flatten(args, within=opening(args))
    steps, shape = flatten(direction, _is_number, parts)
    moves = dict(zip(leaf_paths(shape), steps, strict=True))
    paths = leaf_paths(structure)
    moved = [
        leaf + h * moves[path] if path in moves else _copied(leaf)
        for path, leaf in zip(paths, leaves, strict=True)
    ]
    return unflatten(structure, [_of_kind(m, leaf) for m, leaf in zip(moved, leaves, strict=True)])


def _of_kind(value: Any, like: Any) -> Any:
    if isinstance(like, np.ndarray):
        return np.asarray(value, like.dtype)
    return type(like)(value)


def _copied(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


# Trees --------------------------------------------------------------------------------------------


def _is_number(value: object) -> bool:
    return isinstance(value, float | complex | np.inexact) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "fc"
    )


def _floats(value: Any) -> list[Any]:
    leaves, _ = flatten(value, _is_number, opening([value]))
    return [np.asarray(leaf, np.result_type(leaf, np.float64)) for leaf in leaves]


def _float_paths(value: Any) -> list[tuple[Any, ...]]:
    _, structure = flatten(value, _is_number, opening([value]))
    return list(leaf_paths(structure))


def _random_like(value: Any, rng: np.random.Generator) -> Any:
    """A random direction in the floats, None for everything else."""
    leaves, structure = flatten(value, _is_number, opening([value]))
    return unflatten(derived_from(structure, Leaf), [_drawn(leaf, rng) for leaf in leaves])


def _only(value: Any, position: int, rng: np.random.Generator) -> Any:
    """A random direction in the ``position``-th float, zero in the others."""
    leaves, structure = flatten(value, _is_number, opening([value]))
    drawn = [
        _drawn(leaf, rng) if k == position else _drawn(leaf, None) for k, leaf in enumerate(leaves)
    ]
    return unflatten(derived_from(structure, Leaf), drawn)


def _drawn(leaf: Any, rng: np.random.Generator | None) -> Any:
    shape = np.shape(leaf)
    if rng is None:
        drawn: Any = np.zeros(shape)
    elif np.iscomplexobj(leaf):
        drawn = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    else:
        drawn = rng.standard_normal(shape)
    return _of_kind(drawn if shape else np.asarray(drawn).item(), leaf)


def _weights(value: Any, rng: np.random.Generator) -> Any:
    weights = rng.uniform(0.5, 1.5, np.shape(value))
    return weights * (1 + 1j) if np.iscomplexobj(value) else weights


def _dot(a: Any, b: Any) -> float:
    """Re Σ conj(a)·b, by which complex numbers are paired."""
    return float(np.real(np.sum(np.conj(a) * np.asarray(b))))


def _is_scalar(value: Any) -> bool:
    return _is_number(value) and np.size(value) == 1 and not np.iscomplexobj(value)


def _step(value: Any, key: Any) -> Any:
    if value is None:
        return None
    by_name = isinstance(key, str) and not isinstance(value, dict)
    return getattr(value, key) if by_name else value[key]


def _at(path: tuple[Any, ...]) -> str:
    return spelled(("", *path)) if path else ""
