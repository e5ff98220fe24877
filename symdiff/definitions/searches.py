"""Searches of ``scipy.optimize`` over a grid, along a line, and for the least of all minima.

Which point of the grid is the best has no derivative, and neither has which of several minima is
the least; that one moves as a minimum does. A line search doubles its step until it finds one; such
a step is a constant, one that it interpolates has NaN as derivative.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, defines_inside, refuse
from symdiff.definitions.found import Found, told
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.minima import minimize
from symdiff.definitions.solvers import _as_numbers, _tuple, _within
from symdiff.definitions.staged import (
    followed,
    solution,
    solver,
    strong_multiply,
    valued,
    without_derivative,
)


def brute(func, ranges, args=(), Ns=20, full_output=0, finish="fmin", disp=False, workers=1):
    """The best point of a grid, and a minimum near it."""
    from scipy import optimize

    polish = optimize.fmin if isinstance(finish, str) else finish
    if polish is not None and polish is not optimize.fmin and polish is not optimize.minimize:
        refuse("finish= other than None, fmin and minimize")
    if workers != 1:
        refuse("workers=")
    args, sides = tuple(args) if np.iterable(args) else (args,), [_side(r, Ns) for r in ranges]
    grid = np.mgrid[sides[0]] if len(sides) == 1 else np.mgrid[tuple(sides)]
    points = np.reshape(grid, (len(sides), -1)).T
    rows = np.array([func(point.copy(), *args) for point in points])
    values = np.reshape(rows, len(points))
    place = np.argmin(values)
    at, least = points[place].astype(np.float64), values[place]
    if len(sides) == 1:
        at = at[0]
    if polish is not None:
        at, least = _polished(func, at, args, polish is optimize.fmin, disp)
    if not full_output:
        return at
    return at, least, grid, np.reshape(values, grid.shape[-len(sides) :])


def _side(given, count):
    """A side of the grid as NumPy is told of it."""
    if isinstance(given, slice):
        return given
    ends = tuple(given)
    return slice(*(ends if len(ends) > 2 else (*ends, complex(count))))


def _polished(func, start, args, by_fmin, disp):
    """A minimum near a point of the grid, and its value."""
    import warnings

    if by_fmin:
        options = {"xatol": 1e-4, "fatol": 1e-4, "disp": bool(disp)}
        found = minimize(func, start, args, method="Nelder-Mead", options=options)
    else:
        found = minimize(func, start, args, options={"disp": disp})
    if not found.success and disp:
        warnings.warn(
            "Either final optimization did not succeed or `finish` "
            "does not return `statuscode` as its last argument.",
            RuntimeWarning,
            stacklevel=2,
        )
    return found.x, found.fun


def line_search(
    f,
    myfprime,
    xk,
    pk,
    gfk=None,
    old_fval=None,
    old_old_fval=None,
    args=(),
    c1=1e-4,
    c2=0.9,
    amax=None,
    extra_condition=None,
    maxiter=10,
):
    """A step along a line that fulfils the conditions of Wolfe, and what is found there."""
    if old_old_fval is not None or amax is not None or extra_condition is not None:
        refuse("old_old_fval=, amax= and extra_condition=")
    args, first = _tuple(args), f(xk + 0.0 * pk, *args) if old_fval is None else old_fval
    start = np.asarray(xk, dtype=np.float64)

    def both(x, *args):
        return float(f(x, *args)), _as_numbers(myfprime(x, *args))

    callback = followed(both, (start,), args, 2)
    given: Any = {"gfk": gfk, "old_fval": old_fval, "c1": c1, "c2": c2, "maxiter": maxiter}
    name, likes = "symdiff.ops.support.searched_along", (0.0, 0, 0, True)
    found, values, slopes, own = solver(name, callback, (xk, pk), given, likes, (0, 1, 2, 3))
    step = without_derivative(found)
    moved = start + step * np.asarray(pk)
    slope = np.dot(np.asarray(myfprime(moved, *args)), pk) + first
    apart = strong_multiply(slope - without_derivative(slope), _unless_doubled(step))
    step = valued(step + apart, found)
    x = xk + step * pk
    shown = step if own else np.float64(step)
    return shown, values, slopes, f(x, *args), first, myfprime(x, *args)


def _of_all(name, refused):
    """The definition of a search for the least of all minima between bounds, which ends with one
    that goes down to it.
    """

    def definition(func, bounds, args=(), **options):
        for option, unless in refused.items():
            if not _is(options.get(option, unless), unless):
                refuse(f"{option}=")
        if options.get("polish", True) is not True or options.get("no_local_search", False):
            refuse("a search that does not go down to the minimum at its end")
        if name != "shgo" and type(options.get("rng", options.get("seed"))) is not int:
            refuse("draws without rng=, an integer")
        args, ends = _tuple(args), bounds
        if hasattr(bounds, "lb"):
            low, high = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
            ends = np.stack((1.0 * low, 1.0 * high), axis=1)
        start = np.array([0.5 * pair[0] + 0.5 * pair[1] for pair in ends])

        def objective(x, *args):
            return float(func(x, *args))

        called = followed(objective, (start,), args)
        more = told(("message", "nfev", "nit"))
        likes, picked = (start, 0.0, True, *more.values()), ("x", "fun", "success", *more)
        found = solver(f"scipy.optimize.{name}", called, (ends,), options, likes, picked)
        within = followed(_within(objective, found[0], ends, 1e-10), (start,), args)
        x = solution("minimum", found[0], within)
        known = dict(zip(more, found[3:], strict=True))
        fun = valued(objective(x, *args), found[1])
        if name == "shgo" or isinstance(func(x, *args), np.float64):
            fun = np.float64(fun)
        return Found(x=x, fun=fun, success=found[2], **known)

    definition.__name__ = name
    return definition


def _is(value, known):
    """Whether an option is what it is where it is left out."""
    return type(value) is type(known) and value == known


_REFUSED = {
    "differential_evolution": {
        "callback": None,
        "constraints": (),
        "integrality": None,
        "vectorized": False,
        "workers": 1,
    },
    "dual_annealing": {"callback": None, "minimizer_kwargs": None},
    "shgo": {"callback": None, "constraints": None, "minimizer_kwargs": None, "workers": 1},
}


def _unless_doubled(step):
    """0 for a step of 1, or of a power of two above it; else NaN."""
    mantissa = np.frexp(step)[0]
    return np.where((step >= 1.0) & (mantissa == 0.5), 0.0, np.nan)


@when_imported("scipy.optimize")
def register(optimize):
    """Say what is found on grids and along lines."""
    defines(optimize.brute)(brute)
    defines_inside(optimize.line_search, line_search)
    for name, refused in _REFUSED.items():
        defines(getattr(optimize, name))(_of_all(name, refused))
