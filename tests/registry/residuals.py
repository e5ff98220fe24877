"""What is registered, in a residual that is 0 as a whole behind a ``where``.

    r = f(sqrt(x)) - f(sqrt(v))         loss = sum(where(always, r * r, 0))

Other operands of the shape grow with the root as well. Its slopes might be infinite, and
the cotangents of ``r`` are 0 at ``v``, as if it were not selected. Along a way the loss has the
second derivative ``2 sum(r'^2)``, with ``r'`` of the plain call by extrapolated differences.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import symdiff as sd
from tests.registry import table, walk
from tests.registry.examples import Example

SAMPLE = (
    *("np.convolve", "np.correlate", "np.cross", "np.cumsum", "np.einsum", "np.fft.irfft"),
    *("np.inner", "np.kron", "np.linalg.inv", "np.linalg.norm", "np.matmul", "np.outer"),
    *("np.polyval", "np.std", "np.tensordot", "np.trace", "np.vdot", "scipy.fft.dct"),
)
UNSOLVED = {"scipy.special.ncfdtrinc"}  # SciPy's value solves no equation there: NaN
WITHIN = 1e-6


@dataclass(frozen=True)
class Residual:
    """The loss of a call by its first operand, where that lies, and the way to go."""

    loss: Callable[[Any], Any]
    point: Any
    way: Any
    bent: float  # the second derivative along the way

    def wrong(self) -> str | None:
        """What is wrong, by two ways to the second derivative."""
        gradient = sd.grad(self.loss)
        across = np.sum(sd.hvp(self.loss)(self.point, self.way) * self.way)
        along = np.sum(sd.grad(lambda v: np.sum(gradient(v) * self.way))(self.point) * self.way)
        if not np.all(np.abs(gradient(self.point)) < 1e-9):
            return f"the gradient is {gradient(self.point)}"
        found = np.array([across, along])
        if np.all(np.abs(found - self.bent) <= 10 * WITHIN * (self.bent + WITHIN)):
            return None
        return f"the second derivative is {found}, by differences {self.bent}"


def residual_of(name: str) -> Residual | None:
    """The residual of the first call of floats that gives floats, if there is one that settles."""
    for example in table.examples_of(name) if name not in UNSOLVED else ():
        for values in _operands(example):
            made = _residual(example.module["f"], values, example.wrt)
            if made is not None:
                return made
    return None


def _operands(example: Example) -> Any:
    """The operands of an example where the first one by which it has a derivative is positive."""
    for group in walk.groups([example]) if example.wrt else ():
        for _, values in group.cases if group.dtype == "float64" else ():
            first = values[example.wrt[0]]
            if isinstance(first, np.ndarray) and first.size > 1 and np.all(first > 0):
                yield values


def _residual(f: Callable[..., Any], values: Any, wrt: Sequence[int]) -> Residual | None:
    point = values[wrt[0]] ** 2
    parts = [
        _part(value, wrt[0] == j, values[wrt[0]] if j in wrt else None)
        for j, value in enumerate(values)
    ]

    def call(x: Any) -> Any:
        s = np.sqrt(x)
        return f(*[part(s) for part in parts])

    wanted = call(point)
    if not isinstance(wanted, np.ndarray | float) or np.asarray(wanted).dtype != np.float64:
        return None
    way = np.random.default_rng(1).uniform(-1.0, 1.0, point.shape)

    def slope_over(h: float) -> Any:
        return np.asarray(call(point + h * way) - call(point - h * way)) / (2 * h)

    rows = [[slope_over(h) for h in (1e-3, 5e-4, 2.5e-4, 1.25e-4)]]
    for j in (1, 2, 3):
        rows.append([(4**j * b - a) / (4**j - 1) for a, b in itertools.pairwise(rows[-1])])
    slope, error = rows[3][0], np.abs(rows[3][0] - rows[2][1])
    bent = 2 * float(np.sum(slope**2))
    if not np.max(error, initial=0.0) < 0.1 * WITHIN * np.sqrt(bent):
        return None

    def loss(x: Any) -> Any:
        r = call(x) - wanted
        return np.sum(np.where(np.sum(x) < 1e9, r * r, 0.0))

    return Residual(loss, point, way, bent)


def _part(value: Any, is_first: bool, start: Any) -> Callable[[Any], Any]:
    """An operand, by the root, which is at ``start``; None for one that nothing is differentiated
    by.
    """
    if is_first:
        return lambda s: s
    return (
        (lambda s: value * (s / start)) if np.shape(value) == np.shape(start) else lambda s: value
    )
