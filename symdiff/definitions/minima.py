"""``scipy.optimize.minimize``, whose value stands.

A minimum is a root of the gradient. Under constraints it is a stationary point of the Lagrangian,
of which the constraints that hold as equations are known: those that are 0 and draw on the
objective. Where its gradient is no sum of theirs, or they hardly differ, derivatives are NaN.
"""

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.solvers import (
    Found,
    _as_numbers,
    _first,
    _held,
    _least,
    _started,
    _tuple,
    bounded,
    followed,
    slope,
    solution,
    solver,
    valued,
    without_derivative,
)


def minimize(
    fun, x0, args=(), hess=None, hessp=None, bounds=None, constraints=(), callback=None, **options
):
    if hessp is not None or callback is not None:
        refuse("hessp= and callback= (leave them out)")
    start, args = _started(x0), _tuple(args)
    if len(constraints) > 0:
        if hess is not None:
            refuse("hess= with constraints= (leave it out)")
        return _constrained(fun, start, x0, args, options, bounds, _listed(constraints))
    if hess is not None:
        return _bent(fun, start, x0, args, hess, options, bounds)
    return _least("minimize", fun, start, (x0,), args, options, bounds)


def _parts(fun, jac, others, args):
    """The function whose parts a solver asks for: the value, the gradient where that is given, and
    what the others give.
    """

    def parts(x, *args):
        if jac is True:
            value, gradient = fun(x, *args)
            found = [float(value), _as_numbers(gradient)]
        else:
            found = [float(fun(x, *args))]
            if callable(jac):
                found.append(_as_numbers(jac(x, *args)))
        return (*found, *[np.asarray(other(x)) for other in others])

    return parts


def _bent(fun, start, x0, args, hess, options, bounds):
    """With second derivatives that are given: SciPy's steps rest on them, the minimum does not."""
    jac = options.get("jac")
    if bounds is not None or not (callable(jac) or jac is True) or not callable(hess):
        refuse("hess= with bounds=, without jac=, or that is no function (leave it out)")
    parts = _parts(fun, jac, [lambda x: hess(x, *args)], args)
    called = followed(parts, (start,), args, 3)
    picked, likes = ("x", "fun", "success"), (start, 0.0, True)
    given = {**options, "jac": True, "hess": True}
    found = solver("symdiff.ops.support.minimized", called, (x0,), given, likes, picked)
    own = _first(fun, jac)

    def objective(x, *args):
        return float(own(x, *args))

    x = solution("minimum", found[0], followed(objective, (start,), args))
    return Found(x=x, fun=_valued(objective(x, *args), found[1], own(x, *args)), success=found[2])


# Under the names of methods -----------------------------------------------------------------------


def _refuse_more(full_output, callback):
    if full_output or callback is not None:
        refuse("full_output=True and callback=")


def fmin(
    func,
    x0,
    args=(),
    xtol=1e-4,
    ftol=1e-4,
    maxiter=None,
    maxfun=None,
    full_output=0,
    disp=1,
    retall=0,
    callback=None,
    initial_simplex=None,
):
    _refuse_more(full_output or retall, callback)
    given = {"maxiter": maxiter, "maxfev": maxfun, "initial_simplex": initial_simplex}
    options = {"xatol": xtol, "fatol": ftol, "disp": bool(disp), **given}
    return minimize(func, x0, args, method="Nelder-Mead", options=_known(options)).x


def _by_gradients(method):
    """A method that goes by the gradient, which it takes as ``fprime``."""

    def definition(
        f,
        x0,
        fprime=None,
        args=(),
        gtol=1e-5,
        norm=np.inf,
        epsilon=None,
        maxiter=None,
        full_output=0,
        disp=1,
        retall=0,
        callback=None,
    ):
        _refuse_more(full_output or retall, callback)
        options = {"gtol": gtol, "norm": norm, "eps": epsilon, "maxiter": maxiter}
        options = _known({**options, "disp": bool(disp)})
        return minimize(f, x0, args, method=method, jac=fprime, options=options).x

    return definition


def _known(options):
    return {name: value for name, value in options.items() if value is not None}


# Constraints --------------------------------------------------------------------------------------


def _listed(constraints):
    """The constraints in a list, each a dict."""
    listed = [constraints] if isinstance(constraints, dict) else list(constraints)
    for one in listed:
        if not isinstance(one, dict):
            refuse("constraints that are no dicts (give {'type': 'ineq', 'fun': ...})")
    return listed


def _of(one, name):
    """One of the functions of a constraint, with its own arguments."""
    function, own = one[name], _tuple(one.get("args", ()))

    def called(x):
        return function(x, *own)

    return called


def _constrained(fun, start, x0, args, options, bounds, constraints):
    if options.get("method") not in (None, "SLSQP", "slsqp"):
        refuse("constraints= with another method than 'SLSQP'")
    jac = options.get("jac")
    others, kinds = [], []
    for one in constraints:
        others.append(_of(one, "fun"))
        kinds.append((one["type"].lower(), "jac" in one))
        if "jac" in one:
            others.append(_of(one, "jac"))
    has_slope = callable(jac) or jac is True
    parts = _parts(fun, jac, others, args)
    called = followed(parts, (start,), args, 1 + has_slope + len(others))
    given = {**options, "jac": has_slope, "constraints": tuple(kinds)}
    if bounds is not None:
        given = {**given, "bounds": bounds}
    picked, likes = ("x", "fun", "success"), (start, 0.0, True)
    found = solver("symdiff.ops.support.minimized", called, (x0,), given, likes, picked)
    own = _first(fun, jac)

    def objective(x, *args):
        return float(own(x, *args))

    within = options.get("options", {}).get("ftol", options.get("tol"))
    within = 1e-6 if within is None else within  # SciPy's
    x = _stationary(objective, found[0], args, bounds, constraints, within)
    return Found(x=x, fun=_valued(objective(x, *args), found[1], own(x, *args)), success=found[2])


def _valued(value, found, given):
    """The value as SciPy gives it: of the type that the function gives."""
    made = valued(value, found)
    return np.float64(made) if isinstance(given, np.float64) else made


def _stationary(objective, found, args, bounds, constraints, within):
    """The minimum, as the place where the Lagrangian is stationary."""
    count = found.shape[0]

    def limits(x):
        return np.concatenate([np.atleast_1d(np.asarray(_of(c, "fun")(x))) for c in constraints])

    def rows(x, *args):
        return np.concatenate((np.array([objective(x, *args)]), limits(x)))

    at = without_derivative(found)
    held, bound = bounded(at, [(None, None)] * count if bounds is None else bounds, 1e-10)
    values = without_derivative(limits(at))
    slopes = without_derivative(slope("jacobian", followed(rows, (at,), args), at))
    slopes = np.where(held, 0.0, slopes)
    equal = np.concatenate(
        [np.full(np.size(_of(c, "fun")(at)), c["type"].lower() == "eq") for c in constraints]
    )
    level = np.max(np.abs(slopes[0]))
    reach = np.maximum(1e-6, 10.0 * within)
    near = equal | (values <= reach * (1.0 + np.max(np.abs(at)) * np.max(np.abs(slopes[1:]))))
    drawing = _multipliers(slopes, near)
    active = equal | (near & (drawing > 1e-6 * level))
    drawing = _multipliers(slopes, active)
    left = slopes[0] - drawing @ slopes[1:]
    sizes = np.linalg.svd(np.where(active[:, None], slopes[1:], 0.0))[1]
    apart = np.sum(sizes > 1e-9 * np.max(sizes)) >= np.sum(active)
    small = np.maximum(1e-2 * level, 10.0 * np.sqrt(within))
    known = np.where((np.max(np.abs(left)) <= small) & apart, 1.0, np.nan)

    def lagrangian(point, *args):
        x, weights = point[:count], point[count:]
        drawn = np.where(active, weights * limits(np.where(held, bound, x)), 0.0)
        idle = np.where(active, 0.0, 0.5 * weights * weights)
        return float(_held(objective, held, bound)(x, *args) - np.sum(drawn) + np.sum(idle))

    point = np.concatenate((at, drawing))
    x = solution("minimum", point, followed(lagrangian, (point,), args))[:count]
    return valued(known * (x - without_derivative(x)) + without_derivative(x), found)


def _multipliers(slopes, active):
    """By what the constraints draw on the objective: 0 of those that are not active."""
    return np.linalg.lstsq(np.where(active[:, None], slopes[1:], 0.0).T, slopes[0])[0]


@when_imported("scipy.optimize")
def register(optimize):
    """Say what a minimum is."""
    for definition in (minimize, fmin):
        defines(getattr(optimize, definition.__name__))(definition)
    for name, method in (("fmin_bfgs", "BFGS"), ("fmin_cg", "CG")):
        defines(getattr(optimize, name))(_by_gradients(method))
