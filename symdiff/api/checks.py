"""``check_grads``: derivatives against extrapolated differences of the function's own values.

Both modes are compared along random directions: forward with the difference quotient itself,
reverse by ⟨v, Jᵀw⟩ = ⟨J v, w⟩, where ⟨a, b⟩ is the real part of Σ conj(a)·b. Order two repeats that
with the first derivatives in place of the function, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from symdiff.api.objects import Differentiable, differentiable_of
from symdiff.errors import SignatureError
from symdiff.ir.structure import (
    Container,
    Leaf,
    Structure,
    construct,
    flatten,
    leaf_paths,
    unflatten,
)
from symdiff.runtime.signature import spelled

_STEP = 1e-3
_LEVELS = 4


def check(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int,
    modes: Sequence[str],
    rtol: float,
    atol: float,
    seed: int,
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
    _check(function, tuple(args), order, modes, _Tolerance(rtol, atol), seed, "f")


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


class _Tolerance:
    def __init__(self, rtol: float, atol: float) -> None:
        self.rtol = rtol
        self.atol = atol

    def compare(self, actual: float, expected: float, scale: float, what: str) -> None:
        bound = self.atol + self.rtol * max(scale, abs(expected))
        if not abs(actual - expected) <= bound:
            raise AssertionError(
                f"{what} is {actual!r}, but differences give {expected!r} "
                f"(they differ by {abs(actual - expected):.3g}, allowed is {bound:.3g})"
            )


def _check(
    function: Differentiable,
    args: tuple[Any, ...],
    order: int,
    modes: tuple[str, ...],
    tolerance: _Tolerance,
    seed: int,
    name: str,
) -> None:
    rng = np.random.default_rng(seed)
    direction = _random_like(args, rng)
    if "fwd" in modes:
        _check_forward(function, args, direction, tolerance, rng, name)
    if "rev" in modes:
        _check_reverse(function, args, tolerance, rng, name)
    if order <= 1:
        return
    along = _random_like(args, rng)
    if "fwd" in modes:
        _check(function.jvp, (args, along), order - 1, modes, tolerance, seed + 1, f"jvp of {name}")
    if "rev" in modes and _is_scalar(function(*args)):
        everything = function._gradient(
            tuple(k for k, part in enumerate(direction) if part is not None)
        )
        _check(everything, args, order - 1, modes, tolerance, seed + 2, f"gradient of {name}")


def _check_forward(
    function: Differentiable,
    args: tuple[Any, ...],
    direction: tuple[Any, ...],
    tolerance: _Tolerance,
    rng: np.random.Generator,
    name: str,
) -> None:
    _, tangent = function.jvp(args, direction)
    expected = _difference(function, args, direction)
    leaves, structure = flatten(tangent, _is_number)
    for path, actual, wanted in zip(leaf_paths(structure), leaves, expected, strict=True):
        weights = _weights(wanted, rng)
        scale = float(np.max(np.abs(wanted), initial=0.0))
        _require_shape(actual, wanted, f"the tangent of {name}{_at(path)}")
        tolerance.compare(
            _dot(actual, weights),
            _dot(wanted, weights),
            scale,
            f"forward mode: the tangent of {name}{_at(path)}",
        )


def _check_reverse(
    function: Differentiable,
    args: tuple[Any, ...],
    tolerance: _Tolerance,
    rng: np.random.Generator,
    name: str,
) -> None:
    value, pullback = function.vjp(*args)
    cotangent = _random_like(value, rng)
    weights = _floats(cotangent)
    cotangents = pullback(cotangent)
    for position, path in enumerate(_float_paths(args)):
        direction = _only(args, position, rng)
        differences = _difference(function, args, direction)
        expected = sum(_dot(d, w) for d, w in zip(differences, weights, strict=True))
        part: Any = cotangents
        moved: Any = direction
        for key in path:
            part, moved = _step(part, key), _step(moved, key)
        argument = spelled((f"args[{path[0]}]", *path[1:]))
        what = f"reverse mode: the derivative of {name} by {argument}"
        if part is None:
            raise AssertionError(f"{what} is missing")
        _require_shape(part, moved, what)
        scale = sum(float(np.max(np.abs(d), initial=0.0)) for d in differences)
        tolerance.compare(_dot(part, moved), expected, scale, what)


def _require_shape(actual: Any, expected: Any, what: str) -> None:
    if np.shape(actual) != np.shape(expected):
        raise AssertionError(f"{what} has the shape {np.shape(actual)}, not {np.shape(expected)}")


# Differences --------------------------------------------------------------------------------------


def _difference(
    function: Differentiable, args: tuple[Any, ...], direction: tuple[Any, ...]
) -> list[Any]:
    """The derivative of each float in the result along a direction (Richardson, 1911)."""
    steps = [_STEP / 2**k for k in range(_LEVELS)]
    table = [[_central(function, args, direction, h) for h in steps]]
    for level in range(1, _LEVELS):
        before, factor = table[-1], 4**level
        pairs = pairwise(before)
        table.append([_combined(coarse, fine, factor) for coarse, fine in pairs])
    return table[-1][0]


def _combined(coarse: list[Any], fine: list[Any], factor: int) -> list[Any]:
    return [(factor * b - a) / (factor - 1) for a, b in zip(coarse, fine, strict=True)]


def _central(
    function: Differentiable, args: tuple[Any, ...], direction: tuple[Any, ...], h: float
) -> list[Any]:
    ahead, behind = (_floats(function(*_moved(args, direction, s))) for s in (h, -h))
    return [(a - b) / (2 * h) for a, b in zip(ahead, behind, strict=True)]


def _moved(args: Any, direction: Any, h: float) -> Any:
    leaves, structure = flatten(args)
    steps, shape = flatten(direction, _is_number)
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
    leaves, _ = flatten(value, _is_number)
    return [np.asarray(leaf, np.result_type(leaf, np.float64)) for leaf in leaves]


def _float_paths(value: Any) -> list[tuple[Any, ...]]:
    _, structure = flatten(value, _is_number)
    return list(leaf_paths(structure))


def _without_others(structure: Structure, leaves: Sequence[Any]) -> Any:
    """The value with None for everything that is no float."""
    if isinstance(structure, Leaf):
        return leaves[structure.index]
    if not isinstance(structure, Container):
        return None
    return construct(structure, [_without_others(item, leaves) for item in structure.items])


def _random_like(value: Any, rng: np.random.Generator) -> Any:
    leaves, structure = flatten(value, _is_number)
    return _without_others(structure, [_drawn(leaf, rng) for leaf in leaves])


def _only(value: Any, position: int, rng: np.random.Generator) -> Any:
    """A random direction in the ``position``-th float, zero in the others."""
    leaves, structure = flatten(value, _is_number)
    drawn = [
        _drawn(leaf, rng) if k == position else _drawn(leaf, None) for k, leaf in enumerate(leaves)
    ]
    return _without_others(structure, drawn)


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
