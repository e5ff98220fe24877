"""Solutions of differential equations that SciPy has found: ``scipy.integrate.OdeSolution``.

What stands between two steps is a polynomial, whose value is SciPy's own; its derivatives by the
time are those of its powers.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import CONSTANTS, defines_inside
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued


def at_times(self, t):
    """The states at a time, or a column of them for each time."""
    t = np.asarray(t)
    if t.ndim > 1:
        raise ValueError("`t` must be a float or a 1-D array.")
    times = np.atleast_1d(t).astype(np.float64)
    count, states, powers = [int(size) for size in computed(np.zeros(3), _sizes, self)]
    pieces = computed(np.zeros((count, states, powers)), _pieces, self)
    places = computed(np.zeros((count, 2)), _places, self)
    at = computed(times, _segments, self, times).astype(np.int64)
    x = ((times - places[at, 0]) / places[at, 1])[:, None]
    made = pieces[at, :, powers - 1]
    for power in range(2, powers + 1):
        made = made * x + pieces[at, :, powers - power]
    columns = made[0] if t.ndim == 0 else made.T
    return valued(columns, computed(columns, _states, self, t))


def _states(solution, t):
    return solution(t)


def _segments(solution, times):
    """The numbers of the polynomials that SciPy takes."""
    last = solution.n_segments - 1
    found = np.searchsorted(solution.ts_sorted, times, side=solution.side) - 1
    found = np.clip(found, 0, last)
    return (found if solution.ascending else last - found).astype(np.float64)


def _sizes(solution):
    made = [_powers(piece)[2] for piece in solution.interpolants]
    if any(np.iscomplexobj(c) for c in made):
        raise NotImplementedError("solutions that are complex, at a time that is differentiated by")
    return np.array([len(made), made[0].shape[0], max(c.shape[1] for c in made)], np.float64)


def _pieces(solution):
    """The coefficients of all polynomials, the lowest first, 0 where one has less powers."""
    made = [_powers(piece)[2] for piece in solution.interpolants]
    powers = max(c.shape[1] for c in made)
    return np.stack([np.pad(c, ((0, 0), (0, powers - c.shape[1]))) for c in made])


def _places(solution):
    """Where each polynomial has its 0, and what is 1 there."""
    return np.array([_powers(piece)[:2] for piece in solution.interpolants])


# Polynomials --------------------------------------------------------------------------------------


def _powers(piece):
    """A polynomial between two steps: its 0, its unit, and its coefficients by states."""
    known = type(piece).__name__
    if known not in _KINDS:
        raise TypeError(f"symdiff does not know the polynomials of {known}")
    return _KINDS[known](piece)


def _constant(piece):
    return piece.t_old, 1.0, np.asarray(piece.value)[:, None]


def _runge_kutta(piece):
    return piece.t_old, piece.h, np.column_stack((piece.y_old, piece.h * piece.Q))


def _radau(piece):
    return piece.t_old, piece.h, np.column_stack((piece.y_old, piece.Q))


def _lsoda(piece):
    return piece.t, piece.h, piece.yh


def _dop853(piece):
    """Sums that are multiplied by ``x`` and ``1 - x`` by turns (Hairer et al. 1993, II.6)."""
    made = np.zeros((len(piece.y_old), len(piece.F) + 1))
    for k, term in enumerate(reversed(piece.F)):
        made[:, 0] += term
        moved = np.roll(made, 1, axis=1)  # the last one is 0 yet
        made = moved if k % 2 == 0 else made - moved
    made[:, 0] += piece.y_old
    return piece.t_old, piece.h, made


def _backward(piece):
    """Backward differences by products of ``(x + j) / (j + 1)``."""
    products = [np.ones(1)]
    for j in range(piece.order):
        products.append(np.convolve(products[-1], [j / (j + 1), 1.0 / (j + 1)]))
    rows = [np.pad(p, (0, piece.order + 1 - len(p))) for p in products]
    return piece.t, piece.denom[0], piece.D[: piece.order + 1].T @ np.array(rows)


_KINDS: dict[str, Any] = {
    "ConstantDenseOutput": _constant,
    "RkDenseOutput": _runge_kutta,
    "Dop853DenseOutput": _dop853,
    "RadauDenseOutput": _radau,
    "BdfDenseOutput": _backward,
    "LsodaDenseOutput": _lsoda,
}


@when_imported("scipy.integrate")
def register(integrate):
    """Say what a solution gives at times."""
    CONSTANTS.append(integrate.OdeSolution)
    defines_inside(integrate.OdeSolution.__call__, at_times)
