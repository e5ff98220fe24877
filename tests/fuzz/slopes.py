"""The derivatives of a short program in many digits: each statement's own, and the chain rule.

``slopes`` walks over the statements of a function of straight-line NumPy. Every value is NumPy's
own, in NumPy's dtype, with whatever an integer wraps to; where a float enters, its partial
derivatives are those of mpmath's numbers, which neither overflow nor vanish, at the values that
NumPy has. So what is expected of a derivative is right however large or small the operands are, and
says how exact a program in floats can be: ``sizes`` are sums of magnitudes, ``up`` and ``down`` the
decimal exponents that products of partials can reach on the way, in either order.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

mp = mpmath.mp.clone()
mp.dps = 60

Array = Any
Partial = Callable[..., Any]  # of mpmath's numbers: the operands, then the result

lifted = np.frompyfunc(lambda x: mp.mpf(float(x)), 1, 1)
_ABS = np.frompyfunc(abs, 1, 1)


class UnknownError(Exception):
    """A derivative that is infinite, or none: nothing is expected."""


@dataclass(frozen=True)
class Traced:
    """A value of NumPy's, and its derivatives by each number of the inputs along a last axis."""

    value: Any
    slopes: Array | None = None
    sizes: Array | None = None
    up: float = 0.0
    down: float = 0.0

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.value)


def inputs(arguments: Sequence[Any], wrt: Sequence[int]) -> list[Traced]:
    """The arguments, those differentiated with unit slopes by their own numbers."""
    total, place, found = sum(np.size(arguments[k]) for k in wrt), 0, []
    for k, argument in enumerate(arguments):
        if k not in wrt:
            found.append(Traced(argument))
            continue
        own = np.full((np.size(argument), total), mp.mpf(0), object)
        for i in range(len(own)):
            own[i, place + i] = mp.mpf(1)
        place += len(own)
        own = own.reshape(*np.shape(argument), total)
        found.append(Traced(argument, own, own))
    return found


def slopes(text: str, namespace: dict[str, Any], arguments: Sequence[Any], wrt: Any) -> Traced:
    """What ``program`` in the text of a module gives, with its derivatives."""
    function = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == "program"
    )
    names = [argument.arg for argument in function.args.args]
    known = dict(zip(names, inputs(arguments, wrt), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in function.body:
            if isinstance(statement, ast.Return):
                assert statement.value is not None
                return _Tracer(namespace, known).visit(statement.value)
            assert isinstance(statement, ast.Assign)
            (target,) = statement.targets
            assert isinstance(target, ast.Name)
            known[target.id] = _Tracer(namespace, known).visit(statement.value)
    raise AssertionError("a program without a result")


_OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.USub: "negative",
}


class _Tracer(ast.NodeVisitor):
    """Expressions: operators and calls of what has slopes here; all else is evaluated as it is."""

    def __init__(self, namespace: dict[str, Any], known: dict[str, Traced]) -> None:
        self.namespace, self.known = namespace, known

    def plain(self, node: ast.expr, given: dict[str, Any]) -> Any:
        expression = ast.fix_missing_locations(ast.Expression(node))
        return eval(compile(expression, "<slopes>", "eval"), {**self.namespace, **given})

    def visit(self, node: Any) -> Any:
        """What has no slopes is evaluated as it is."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        found = {name: self.known[name] for name in names & set(self.known)}
        if any(one.slopes is not None for one in found.values()):
            return super().visit(node)
        return Traced(self.plain(node, {name: one.value for name, one in found.items()}))

    def visit_Name(self, node: ast.Name) -> Traced:
        return self.known[node.id]

    def visit_BinOp(self, node: ast.BinOp) -> Traced:
        return self._operated(node, type(node.op), [node.left, node.right])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Traced:
        return self._operated(node, type(node.op), [node.operand])

    def _operated(self, node: Any, kind: type, parts: list[ast.expr]) -> Traced:
        operands = [self.visit(part) for part in parts]
        names = [f"_{k}" for k in range(len(operands))]
        loads: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
        same: ast.expr = (
            ast.UnaryOp(node.op, loads[0])
            if len(loads) == 1
            else ast.BinOp(loads[0], node.op, loads[1])
        )
        value = self.plain(same, dict(zip(names, (o.value for o in operands), strict=True)))
        return elementwise(_OPERATORS.get(kind, ""), value, operands)

    def visit_Subscript(self, node: ast.Subscript) -> Traced:
        base = self.visit(node.value)
        index = self.plain(node.slice, {n: one.value for n, one in self.known.items()})
        return linear(base.value[index], base, lambda a: a[index])

    def visit_Call(self, node: ast.Call) -> Traced:
        name = ast.unparse(node.func).rpartition(".")[2]
        function = None if name == "astype" else self.plain(node.func, {})
        if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
            owner = self.visit(node.func.value)
            return linear(owner.value.astype(self.plain(node.args[0], {})), owner, _same)
        if name == "concatenate":
            (items,) = node.args
            assert isinstance(items, ast.List)
            parts = [self.visit(item) for item in items.elts]
            return _concatenated(function([part.value for part in parts]), parts)
        operands = [self.visit(argument) for argument in node.args]
        options = {k.arg: self.visit(k.value) for k in node.keywords if k.arg}
        plain = {k: one.value for k, one in options.items()}
        value = function(*(o.value for o in operands), **plain)
        if name in PARTIALS:
            return elementwise(name, value, operands)
        return _CALLS[name](value, *operands, **options)


# Elementwise --------------------------------------------------------------------------------------


def _power_by_base(a: Any, b: Any, y: Any) -> Any:
    if b == 0:
        return mp.mpf(0) if not 0 < abs(a) < 1e-38 else mp.nan  # 0 times what may be infinite
    return b * a ** int(b - 1) if b == int(b) else b * y / a


def _share(a: Any, b: Any, y: Any) -> Any:
    return 1 / (1 + mp.exp(b - a))


PARTIALS: dict[str, tuple[Partial | None, ...]] = {
    "absolute": (lambda a, y: mp.sign(a),),
    "abs": (lambda a, y: mp.sign(a),),
    "add": (lambda a, b, y: mp.mpf(1), lambda a, b, y: mp.mpf(1)),
    "arcsinh": (lambda a, y: 1 / mp.sqrt(1 + a * a),),
    "arctan": (lambda a, y: 1 / (1 + a * a),),
    "arctan2": (
        lambda a, b, y: b / (a * a + b * b) if a or b else mp.mpf(0),
        lambda a, b, y: -a / (a * a + b * b) if a or b else mp.mpf(0),
    ),
    "cbrt": (lambda a, y: y / (3 * a),),
    "clip": (
        lambda a, low, high, y: mp.mpf(low <= a <= high),
        lambda a, low, high, y: mp.mpf(a < low <= high),
        lambda a, low, high, y: mp.mpf(a > high or low > high),
    ),
    "copysign": (lambda a, b, y: mp.sign(a) * (1 if y * mp.sign(y) == y else -1), None),
    "cos": (lambda a, y: -mp.sin(a),),
    "divide": (lambda a, b, y: 1 / b, lambda a, b, y: -a / (b * b)),
    "exp": (lambda a, y: mp.exp(a),),
    "float_power": (_power_by_base, lambda a, b, y: a**b * mp.log(a) if a else mp.mpf(0)),
    "fmax": (lambda a, b, y: _wins(a, b), lambda a, b, y: _wins(b, a)),
    "fmin": (lambda a, b, y: _wins(b, a), lambda a, b, y: _wins(a, b)),
    "hypot": (
        lambda a, b, y: a / mp.sqrt(a * a + b * b) if a or b else mp.mpf(0),
        lambda a, b, y: b / mp.sqrt(a * a + b * b) if a or b else mp.mpf(0),
    ),
    "ldexp": (lambda a, b, y: mp.mpf(2) ** int(b), None),
    "log": (lambda a, y: 1 / a,),
    "log1p": (lambda a, y: 1 / (1 + a),),
    "logaddexp": (lambda a, b, y: _share(a, b, y), lambda a, b, y: _share(b, a, y)),
    "maximum": (lambda a, b, y: _wins(a, b), lambda a, b, y: _wins(b, a)),
    "minimum": (lambda a, b, y: _wins(b, a), lambda a, b, y: _wins(a, b)),
    "multiply": (lambda a, b, y: b, lambda a, b, y: a),
    "negative": (lambda a, y: mp.mpf(-1),),
    "power": (_power_by_base, lambda a, b, y: a**b * mp.log(a) if a else mp.mpf(0)),
    "reciprocal": (lambda a, y: -1 / (a * a),),
    "sin": (lambda a, y: mp.cos(a),),
    "sqrt": (lambda a, y: 1 / (2 * mp.sqrt(a)),),
    "square": (lambda a, y: 2 * a,),
    "subtract": (lambda a, b, y: mp.mpf(1), lambda a, b, y: mp.mpf(-1)),
    "where": (None, lambda c, a, b, y: mp.mpf(bool(c)), lambda c, a, b, y: mp.mpf(not c)),
    "rel_entr": (lambda a, b, y: mp.log(a / b) + 1, lambda a, b, y: -a / b),
    "xlogy": (lambda a, b, y: mp.log(b), lambda a, b, y: a / b),
}


def _wins(a: Any, b: Any) -> Any:
    return mp.mpf(1) if a > b else mp.mpf(0.5) if a == b else mp.mpf(0)


def elementwise(name: str, value: Any, operands: Sequence[Traced]) -> Traced:
    """The sum of partials times slopes; operands count as the result's dtype has them."""
    if all(o.slopes is None for o in operands) or np.asarray(value).dtype.kind != "f":
        return Traced(value)
    dtype = np.result_type(np.asarray(value).dtype, np.float64)  # of float32 alike: it is exact
    numbers = [
        lifted(np.broadcast_to(_converted(o, value, dtype), np.shape(value))) for o in operands
    ]
    result = lifted(np.asarray(value))
    pieces = []
    for operand, partial in zip(operands, PARTIALS[name], strict=True):
        if operand.slopes is None or partial is None:
            continue
        factor = np.frompyfunc(partial, len(numbers) + 1, 1)(*numbers, result)
        if not all(isinstance(one, mp.mpf) and mp.isfinite(one) for one in np.ravel(factor)):
            raise UnknownError(f"a partial derivative of {name}")
        pieces.append((operand, np.asarray(factor, object)))
    return _sum_of(value, pieces)


def _converted(operand: Traced, value: Any, wide: Any) -> Any:
    """An integer as the dtype in which NumPy computes has it, a float as it is."""
    found = np.asarray(operand.value)
    if found.dtype.kind in "biu":
        return found.astype(np.asarray(value).dtype).astype(wide)
    return found.astype(wide)


def _sum_of(value: Any, pieces: Sequence[tuple[Traced, Array]]) -> Traced:
    total: Any = mp.mpf(0)
    sizes: Any = mp.mpf(0)
    up, down = -math.inf, math.inf
    for operand, factor in pieces:
        rank = np.ndim(value) - np.ndim(operand.value)
        shape = (1,) * rank + operand.slopes.shape  # type: ignore[union-attr]
        spread = np.asarray(factor)[..., None]
        total = total + spread * operand.slopes.reshape(shape)  # type: ignore[union-attr]
        sizes = sizes + _ABS(spread) * operand.sizes.reshape(shape)  # type: ignore[union-attr]
        low, high = exponents(factor)
        up, down = max(up, operand.up + max(high, 0.0)), min(down, operand.down + min(low, 0.0))
    return Traced(value, total, sizes, up, down)


def exponents(factor: Array) -> tuple[float, float]:
    """The decimal exponents of the smallest and the largest number that is not 0."""
    found = [float(mp.log10(abs(x))) for x in np.ravel(np.asarray(factor, object)) if x]
    return min(found, default=0.0), max(found, default=0.0)


# What only moves and adds, and products -----------------------------------------------------------


def linear(value: Any, x: Traced, move: Callable[[Array], Array]) -> Traced:
    """What takes elements along the first axes, whatever they are."""
    if x.slopes is None:
        return Traced(value)
    return Traced(value, move(x.slopes), move(x.sizes), x.up, x.down)


def _linear(move: Callable[..., Array]) -> Callable[..., Traced]:
    def traced(value: Any, x: Traced, *others: Traced, **options: Traced) -> Traced:
        plain = {name: one.value for name, one in options.items()}
        return linear(value, x, lambda a: move(a, *(o.value for o in others), **plain))

    return traced


def _total(a: Array, axis: Any = None, dtype: Any = None) -> Array:
    first = tuple(range(a.ndim - 1)) if axis is None else axis
    return a.sum(axis=first)


def _mean(a: Array) -> Array:
    count = math.prod(a.shape[:-1])
    return _total(a) * (mp.mpf(1) / count)


def _combined(value: Any, given: Sequence[Traced], contract: Callable[..., Array]) -> Traced:
    """What is linear in each of some arrays: a slope stands in the place of one at a time."""
    numbers = [lifted(np.asarray(_converted(one, value, np.float64))) for one in given]
    total: Any = 0
    sizes: Any = 0
    up, down = 0.0, 0.0
    for k, one in enumerate(given):
        others = [*numbers]
        for i, other in enumerate(numbers):
            if i != k:
                low, high = exponents(other)
                up, down = up + max(high, 0.0), down + min(low, 0.0)
        if one.slopes is None:
            continue
        columns = []
        for j in range(one.slopes.shape[-1]):
            others[k] = one.slopes[..., j]
            magnitudes = [_ABS(o) for o in others]
            magnitudes[k] = one.sizes[..., j]  # type: ignore[index]
            columns.append((contract(*others), contract(*magnitudes)))
        total = total + np.stack([np.asarray(c, object) for c, _ in columns], -1)
        sizes = sizes + np.stack([np.asarray(c, object) for _, c in columns], -1)
        up, down = up + one.up, down + one.down
    return Traced(value, total, sizes, up, down)


def _einsum(value: Any, subscripts: Traced, *given: Traced) -> Traced:
    def contract(*arrays: Array) -> Array:
        return np.einsum(subscripts.value, *arrays, optimize=False)

    return _combined(value, given, contract)


def _product(value: Any, x: Traced) -> Traced:
    numbers = lifted(np.asarray(x.value))
    flat = numbers.ravel()
    rest = [mp.fprod([*flat[:k], *flat[k + 1 :]]) for k in range(len(flat))]
    return _summed(value, x, np.asarray(rest, object).reshape(numbers.shape))


def _summed(value: Any, x: Traced, factor: Array) -> Traced:
    made = _sum_of(x.value, [(x, factor)])
    return linear(value, made, _total)


def _norm(value: Any, x: Traced) -> Traced:
    numbers = lifted(np.asarray(x.value))
    length = mp.sqrt(mp.fsum(n * n for n in numbers))
    if abs(length - mp.mpf(float(value))) > 1e-4 * length:
        raise UnknownError("a norm that NumPy cannot tell")
    return _summed(value, x, numbers * (1 / length if length else mp.mpf(0)))


def _interp(value: Any, x: Traced, places: Traced, heights: Traced) -> Traced:
    """At numbers between two places, and not at one."""
    at = np.asarray(places.value).astype(np.float64)
    given = np.asarray(x.value, np.float64)
    k = np.clip(np.searchsorted(at, given, side="right") - 1, 0, len(at) - 2)
    if x.slopes is not None and np.any(np.isin(given, at)):
        raise UnknownError("an interpolation at one of its places")
    inside = (given >= at[0]) & (given < at[-1])
    left, right = lifted(at[k]), lifted(at[k + 1])
    after, before = given >= at[-1], given < at[0]
    ends = [(lifted(given) - left, before, after), (right - lifted(given), after, before)]
    t, rest = (  # each a distance of its own: one less the other would have no digits left
        np.where(one, mp.mpf(1), np.where(none, mp.mpf(0), distance / (right - left)))
        for distance, none, one in ends
    )
    numbers = lifted(np.asarray(heights.value).astype(np.float64))
    pieces = []
    if x.slopes is not None:
        rise = (numbers[k + 1] - numbers[k]) / (right - left)
        pieces.append((x, np.where(inside, rise, mp.mpf(0))))
    if heights.slopes is not None:
        pieces.append((linear(value, heights, lambda a: a[k]), rest))
        pieces.append((linear(value, heights, lambda a: a[k + 1]), t))
    return _sum_of(value, pieces)


def _bincount(value: Any, places: Traced, weights: Traced) -> Traced:
    def move(a: Array) -> Array:
        found = np.full((len(value), a.shape[-1]), mp.mpf(0), object)
        for row, place in zip(a, np.asarray(places.value).tolist(), strict=True):
            found[int(place)] = found[int(place)] + row
        return found

    return linear(value, weights, move)


def _concatenated(value: Any, parts: Sequence[Traced]) -> Traced:
    own = [part for part in parts if part.slopes is not None]
    width = own[0].slopes.shape[-1]  # type: ignore[union-attr]
    zeros = [np.full((*part.shape, width), mp.mpf(0), object) for part in parts]
    rows = [z if part.slopes is None else part.slopes for z, part in zip(zeros, parts, strict=True)]
    sizes = [z if part.sizes is None else part.sizes for z, part in zip(zeros, parts, strict=True)]
    up, down = max(part.up for part in own), min(part.down for part in own)
    return Traced(value, np.concatenate(rows), np.concatenate(sizes), up, down)


def _differences(value: Any, x: Traced) -> Traced:
    if x.slopes is None or x.sizes is None:
        return Traced(value)
    slopes, sizes = x.slopes[1:] - x.slopes[:-1], x.sizes[1:] + x.sizes[:-1]
    return Traced(value, slopes, sizes, x.up, x.down)


def _same(a: Array, *_: Any, **__: Any) -> Array:
    return a


_CALLS: dict[str, Callable[..., Traced]] = {
    "float32": _linear(_same),
    "float64": _linear(_same),
    "asarray": _linear(_same),
    "sum": _linear(_total),
    "mean": _linear(_mean),
    "cumsum": _linear(lambda a: np.cumsum(a, axis=0)),
    "roll": _linear(lambda a, k: np.roll(a, k, axis=0)),
    "take": _linear(lambda a, places: a[np.asarray(places).astype(int)]),
    "repeat": _linear(lambda a, k: np.repeat(a, np.asarray(k).astype(int), axis=0)),
    "diff": _differences,
    "flip": _linear(lambda a: a[::-1]),
    "prod": _product,
    "norm": _norm,
    "interp": _interp,
    "bincount": _bincount,
    "einsum": _einsum,
    "dot": lambda value, a, b: _combined(value, (a, b), np.dot),
    "inner": lambda value, a, b: _combined(value, (a, b), np.inner),
    "outer": lambda value, a, b: _combined(value, (a, b), np.multiply.outer),
}
