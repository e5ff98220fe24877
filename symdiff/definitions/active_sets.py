"""Linear programs and least squares under bounds, of ``scipy.optimize``.

Which bounds and conditions hold a solution, SciPy finds; by these, which stay the same nearby, it
is the solution of linear equations, of which derivatives are taken. A solution that they do not
determine has NaN for derivatives.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.found import Found
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


def _matrix(a):
    found = np.asarray(a, dtype=np.float64)
    if found.ndim != 2:
        raise ValueError("expected a matrix")
    return found


# Least squares ------------------------------------------------------------------------------------


def _free_least(a, b, free, held):
    """The least squares of those unknowns that are free, the others being what they are held at."""
    inner = a * free
    apart = b - a @ held
    normal = inner.T @ inner + np.diag(1.0 - free)
    return np.linalg.solve(normal, inner.T @ apart) + held


def nnls(A, b, *, maxiter=None, atol=None):
    a, right = _matrix(A), np.asarray(b, dtype=np.float64)
    if right.ndim != 1:
        refuse("b that is no row")
    found = computed(np.zeros(a.shape[1] + 1), _nnls, a, right, maxiter, atol)
    free = np.where(found[:-1] > 0, 1.0, 0.0)
    x = valued(_free_least(a, right, free, np.zeros(a.shape[1])), found[:-1])
    return x, float(valued(np.linalg.norm(a @ x - right), found[-1]))


def _nnls(a, right, maxiter, atol):
    from scipy.optimize import nnls as find

    x, rest = find(a, right, maxiter=maxiter) if atol is None else find(a, right, atol=atol)
    return np.append(x, rest)


def lsq_linear(A, b, bounds=(-np.inf, np.inf), method="trf", tol=1e-10, **options):
    for name in options:
        if name not in ("lsq_solver", "lsmr_tol", "max_iter", "lsmr_maxiter"):
            refuse(f"{name}=")
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        refuse("bounds= that are no pair")
    a, right = _matrix(A), np.asarray(b, dtype=np.float64)
    count = a.shape[1]
    low, high = (np.asarray(end, dtype=np.float64) + np.zeros(count) for end in bounds)
    like = np.zeros((3, count))
    found = computed(like, _lsq_linear, a, right, low, high, method, tol, options)
    mask = found[1]
    free = np.where(mask == 0, 1.0, 0.0)
    held = np.where(mask < 0, low, np.where(mask > 0, high, 0.0))
    x = valued(_free_least(a, right, free, held), found[0])
    rest = a @ x - right
    success = bool(found[2, 0] > 0)
    return Found(x=x, cost=valued(0.5 * np.sum(rest * rest), found[2, 1 % count]), success=success)


def _lsq_linear(a, right, low, high, method, tol, options):
    from scipy.optimize import lsq_linear as find

    found = find(a, right, (low, high), method, tol, **options)
    told = np.resize([float(found.success), found.cost], len(found.x))
    return np.vstack((found.x, found.active_mask, told))


# Linear programs ----------------------------------------------------------------------------------


def _rows(a, b, count):
    """The left and right sides of conditions, of which there may be none."""
    if a is None:
        return np.zeros((0, count)), np.zeros(0)
    return np.asarray(a, dtype=np.float64), np.atleast_1d(np.asarray(b, dtype=np.float64))


def _end(end, infinite):
    return infinite if end is None else end


def _ends(bounds, count):
    """The lower and the upper bounds of all unknowns."""
    if isinstance(bounds, np.ndarray):
        pairs = np.broadcast_to(np.atleast_2d(bounds), (count, 2))
        return pairs[:, 0], pairs[:, 1]
    if len(bounds) == 2 and not isinstance(bounds[0], (list, tuple, np.ndarray)):
        low, high = _end(bounds[0], -np.inf), _end(bounds[1], np.inf)
        return low + np.zeros(count), high + np.zeros(count)
    if len(bounds) == 1:
        return _ends(bounds[0], count)
    low = np.array([1.0 * _end(pair[0], -np.inf) for pair in bounds])
    high = np.array([1.0 * _end(pair[1], np.inf) for pair in bounds])
    return low, high


def _holding(x, lefts, rights, equations):
    """The numbers of as many conditions, that hold and are independent, as there are unknowns; -1
    where there are not so many. Equations come first.
    """
    from scipy.linalg import qr

    count = len(x)
    scale = 1e-7 * (1.0 + np.abs(np.where(np.isfinite(rights), rights, 0.0)))
    holds = np.abs(lefts @ x - rights) <= scale * (1.0 + np.sum(np.abs(lefts), axis=1))
    places = np.flatnonzero(holds | equations)
    chosen = np.full(count, -1)
    if len(places) >= count and np.all(np.isfinite(x)):
        weights = np.where(equations[places], 1e3, 1.0)
        _, triangle, order = qr(
            (lefts[places] * weights[:, None]).T, mode="economic", pivoting=True
        )
        diagonal = np.abs(np.diag(triangle))
        if diagonal[count - 1] > 1e-10 * diagonal[0]:
            chosen = places[order[:count]]
    return chosen.astype(np.int64)


def _corner(chosen, lefts, rights, costs):
    """Where as many conditions hold as there are unknowns; NaN where there are not so many."""
    is_known = chosen[0] >= 0
    kept = np.maximum(chosen, 0)
    matrix = np.where(is_known, lefts[kept], np.eye(len(costs)))
    corner = np.linalg.solve(matrix, np.where(is_known, rights[kept], 0.0))
    finite = np.where(np.isfinite(rights), rights, 0.0)
    of_all = np.sum(costs) + np.sum(lefts) + np.sum(finite)
    return corner + np.where(is_known, 0.0, np.nan) * of_all


def linprog(
    c,
    A_ub=None,
    b_ub=None,
    A_eq=None,
    b_eq=None,
    bounds=(0, None),
    method="highs",
    callback=None,
    options=None,
    x0=None,
    integrality=None,
):
    if callback is not None or integrality is not None or x0 is not None:
        refuse("callback=, x0= and integrality=")
    costs = np.atleast_1d(np.asarray(c, dtype=np.float64))
    count = len(costs)
    less, most = _rows(A_ub, b_ub, count)
    same, exactly = _rows(A_eq, b_eq, count)
    low, high = _ends(bounds, count)
    given = costs, less, most, same, exactly, low, high, method, options
    found = computed(np.zeros(count + 2), _linprog, *given)
    unit = np.eye(count)
    lefts = np.concatenate((same, less, unit, unit))
    rights = np.concatenate((exactly, most, low, high))
    equations = np.arange(len(rights)) < len(exactly)
    near = without_derivative(found[:count])
    chosen = computed(np.zeros(count, np.int64), _holding, near, lefts, rights, equations)
    x = valued(_corner(chosen, lefts, rights, costs), found[:count])
    return Found(
        x=x,
        fun=float(valued(costs @ x, found[count])),
        slack=most - less @ x,
        con=exactly - same @ x,
        success=bool(found[count + 1] == 0.0),
        status=int(found[count + 1]),
    )


def _linprog(costs, less, most, same, exactly, low, high, method, options):
    from scipy.optimize import linprog as find

    bounds = np.stack((low, high), axis=1)
    conditions = (less, most) if len(most) else (None, None)
    equations = (same, exactly) if len(exactly) else (None, None)
    found = find(costs, *conditions, *equations, bounds, method, options=options)
    x = np.full(len(costs), np.nan) if found.x is None else found.x
    fun = np.nan if found.fun is None else found.fun
    return np.append(x, [fun, found.status])


def linear_sum_assignment(cost_matrix, maximize=False):
    costs = np.asarray(cost_matrix)
    if costs.ndim != 2:
        raise ValueError("expected a matrix (2-D array)")
    count = min(costs.shape)
    found = computed(np.zeros((2, count), np.int64), _assigned, costs, maximize)
    return found[0], found[1]


def _assigned(costs, maximize):
    from scipy.optimize import linear_sum_assignment as find

    return np.asarray(find(costs, maximize), dtype=np.int64)


# Monotonous rows ----------------------------------------------------------------------------------


def isotonic_regression(y, *, weights=None, increasing=True):
    """The means of the blocks in which neighbours that are out of order are pooled."""
    row = np.atleast_1d(np.asarray(y, dtype=np.float64))
    mass = np.ones(len(row)) if weights is None else weights
    mass = np.atleast_1d(np.asarray(mass, dtype=np.float64))
    if row.ndim != 1:
        refuse("y that is no row")
    found = computed(np.zeros((2, len(row))), _pooled, row, mass, increasing)
    block = found[1].astype(np.int64)
    total, share = np.zeros(len(row)), np.zeros(len(row))
    np.add.at(total, block, mass * row)
    np.add.at(share, block, mass)
    exact = total[block] / share[block]
    ends = np.flatnonzero(np.append(block[1:] != block[:-1], True)) + 1
    blocks = np.concatenate((np.zeros(1, np.int64), ends))
    shares = share[: len(ends)]
    told = valued(shares, computed(shares, _pooled_shares, row, mass, increasing))
    return Found(x=valued(exact, found[0]), weights=told, blocks=blocks)


def _pooled(row, mass, increasing):
    from scipy.optimize import isotonic_regression as find

    found = find(row, weights=mass, increasing=increasing)
    return np.stack((found.x, np.repeat(np.arange(len(found.weights)), np.diff(found.blocks))))


def _pooled_shares(row, mass, increasing):
    from scipy.optimize import isotonic_regression as find

    return find(row, weights=mass, increasing=increasing).weights


@when_imported("scipy.optimize")
def register(optimize):
    """Say what the functions mean."""
    definitions: tuple[Any, ...] = (nnls, lsq_linear, linprog)
    registered(optimize, *definitions, linear_sum_assignment, isotonic_regression)
