"""``scipy.optimize.minimize``, whose value stands.

A minimum is a root of the gradient. Under constraints it is a stationary point of the Lagrangian,
of which the constraints that hold as equations are known: those that are 0 and draw on the
objective. Where its gradient is no sum of theirs, or they hardly differ, derivatives are NaN.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, defines_inside, refuse
from symdiff.definitions.found import Found, arrays_of_minima, told_of_minima
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.solvers import (
    _as_numbers,
    _first,
    _held,
    _least,
    _started,
    _tuple,
    bounded,
)
from symdiff.definitions.staged import followed, slope, solution, solver, valued, without_derivative


def minimize(
    fun, x0, args=(), hess=None, hessp=None, bounds=None, constraints=(), callback=None, **options
):
    if hessp is not None or callback is not None:
        refuse("hessp= and callback= (leave them out)")
    start, args, bounds = _started(x0), _tuple(args), _pairs(bounds, np.size(x0))
    conditions = _conditions(constraints)
    if len(conditions) > 0:
        if hess is not None:
            refuse("hess= with constraints= (leave it out)")
        return _constrained(fun, start, x0, args, options, bounds, conditions)
    if hess is not None:
        return _bent(fun, start, x0, args, hess, options, bounds)
    which = options.get("method"), "BFGS" if bounds is None else "L-BFGS-B"
    told = {**told_of_minima(*which), **arrays_of_minima(*which, start)}
    return _least("minimize", fun, start, (x0,), args, options, bounds, told=told)


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
    more = told_of_minima(options.get("method"), "Newton-CG")
    picked, likes = ("x", "fun", "success", *more), (start, 0.0, True, *more.values())
    given = {**options, "jac": True, "hess": True}
    found = solver("symdiff.ops.support.minimized", called, (x0,), given, likes, picked)
    own = _first(fun, jac)

    def objective(x, *args):
        return float(own(x, *args))

    x = solution("minimum", found[0], followed(objective, (start,), args))
    value = _valued(objective(x, *args), found[1], own(x, *args))
    return Found(x=x, fun=value, success=found[2], **dict(zip(more, found[3:], strict=True)))


# Under the names of methods -----------------------------------------------------------------------


def _refuse_more(retall, callback):
    if retall or callback is not None:
        refuse("retall= and callback=")


def _all(found, names, full_output):
    """A minimum, and with it its value and what is told by name, where that is asked for."""
    if not full_output:
        return found.x
    return (found.x, found.fun, *[getattr(found, name) for name in names])


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
    _refuse_more(retall, callback)
    given = {"maxiter": maxiter, "maxfev": maxfun, "initial_simplex": initial_simplex}
    options = {"xatol": xtol, "fatol": ftol, "disp": bool(disp), **given}
    found = minimize(func, x0, args, method="Nelder-Mead", options=_known(options))
    return _all(found, ("nit", "nfev", "status"), full_output)


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
        _refuse_more(retall, callback)
        options = {"gtol": gtol, "norm": norm, "eps": epsilon, "maxiter": maxiter}
        options = _known({**options, "disp": bool(disp)})
        found = minimize(f, x0, args, method=method, jac=fprime, options=options)
        own = ("jac", "hess_inv") if method == "BFGS" else ()
        return _all(found, (*own, "nfev", "njev", "status"), full_output)

    return definition


def fmin_powell(
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
    direc=None,
):
    _refuse_more(retall, callback)
    given = {"maxiter": maxiter, "maxfev": maxfun, "direc": direc}
    options = {"xtol": xtol, "ftol": ftol, "disp": bool(disp), **given}
    found = minimize(func, x0, args, method="Powell", options=_known(options))
    return _all(found, ("direc", "nit", "nfev", "status"), full_output)


def fmin_ncg(
    f,
    x0,
    fprime,
    fhess_p=None,
    fhess=None,
    args=(),
    avextol=1e-5,
    epsilon=None,
    maxiter=None,
    full_output=0,
    disp=1,
    retall=0,
    callback=None,
    c1=1e-4,
    c2=0.9,
):
    _refuse_more(retall, callback)
    if fhess_p is not None:
        refuse("fhess_p= (leave it out)")
    options = {"xtol": avextol, "eps": epsilon, "maxiter": maxiter, "disp": bool(disp)}
    options = _known({**options, "c1": c1, "c2": c2})
    found = minimize(f, x0, args, fhess, method="Newton-CG", jac=fprime, options=options)
    return _all(found, ("nfev", "njev", "nhev", "status"), full_output)


def fmin_l_bfgs_b(
    func,
    x0,
    fprime=None,
    args=(),
    approx_grad=0,
    bounds=None,
    m=10,
    factr=1e7,
    pgtol=1e-5,
    epsilon=1e-8,
    maxfun=15000,
    maxiter=15000,
    callback=None,
    maxls=20,
):
    _refuse_more(False, callback)
    options = {"maxcor": m, "ftol": factr * 2.220446049250313e-16, "gtol": pgtol, "eps": epsilon}
    options = {**options, "maxfun": maxfun, "maxiter": maxiter, "maxls": maxls}
    given = {"jac": _given_slope(fprime, approx_grad), "options": options, "method": "L-BFGS-B"}
    found = minimize(func, x0, args, bounds=bounds, **given)
    counts = {"funcalls": found.nfev, "nit": found.nit, "warnflag": found.status}
    return found.x, found.fun, {"grad": found.jac, "task": found.message, **counts}


def _given_slope(fprime, approx_grad):
    """The derivative, as ``minimize`` is told of it: beside the value where it is not given."""
    return None if approx_grad else True if fprime is None else fprime


def fmin_cobyla(
    func,
    x0,
    cons,
    args=(),
    consargs=None,
    rhobeg=1.0,
    rhoend=1e-4,
    maxfun=1000,
    disp=None,
    catol=2e-4,
    *,
    callback=None,
):
    _refuse_more(False, callback)
    listed = [cons] if callable(cons) else list(cons)
    own = args if consargs is None else consargs
    conditions = [nonlinear(_with(one, own), 0, np.inf) for one in listed]
    options = {"rhobeg": rhobeg, "tol": rhoend, "maxiter": maxfun, "catol": catol}
    given = {"options": _known({**options, "disp": disp})}
    return minimize(func, x0, args, constraints=conditions, method="COBYLA", **given).x


def _with(function, args):
    def called(x):
        return function(x, *args)

    return called


def fmin_slsqp(
    func,
    x0,
    eqcons=(),
    f_eqcons=None,
    ieqcons=(),
    f_ieqcons=None,
    bounds=(),
    fprime=None,
    fprime_eqcons=None,
    fprime_ieqcons=None,
    args=(),
    iter=100,
    acc=1e-6,
    iprint=1,
    disp=None,
    full_output=0,
    epsilon=1.4901161193847656e-08,
    callback=None,
):
    _refuse_more(False, callback)
    told = [{"type": "eq", "fun": one, "args": args} for one in eqcons]
    told = told + [{"type": "ineq", "fun": one, "args": args} for one in ieqcons]
    rows = ("eq", f_eqcons, fprime_eqcons), ("ineq", f_ieqcons, fprime_ieqcons)
    for kind, function, bend in rows:
        if function is not None:
            one = {"type": kind, "fun": function, "args": args}
            told.append(one if bend is None else {**one, "jac": bend})
    level = iprint if disp is None else disp
    options = {"maxiter": iter, "ftol": acc, "iprint": level, "disp": level != 0, "eps": epsilon}
    given = {"jac": fprime, "method": "SLSQP", "options": options}
    ends = bounds if len(bounds) > 0 else None
    found = minimize(func, x0, args, bounds=ends, constraints=told, **given)
    return _all(found, ("nit", "status", "message"), full_output)


def _known(options):
    return {name: value for name, value in options.items() if value is not None}


# Constraints --------------------------------------------------------------------------------------


class Ends:
    """``scipy.optimize.Bounds``, and constraints of both kinds, that are made inside."""

    def __init__(self, lb, ub, **more):
        self.lb, self.ub = lb, ub
        for name, value in more.items():
            setattr(self, name, value)


def limits(lb=-np.inf, ub=np.inf, keep_feasible=False):
    _require_loose(keep_feasible)
    return Ends(lb, ub)


def linear(A, lb=-np.inf, ub=np.inf, keep_feasible=False):
    _require_loose(keep_feasible)
    low, high = (np.atleast_1d(end).astype(np.float64) for end in (lb, ub))
    return Ends(low, high, A=np.atleast_2d(A).astype(np.float64))


def nonlinear(fun, lb, ub, jac="2-point", keep_feasible=False):
    _require_loose(keep_feasible)
    return Ends(lb, ub, fun=fun, jac=jac)


def _require_loose(keep_feasible):
    if keep_feasible is not False:
        refuse("keep_feasible=")


def _pairs(bounds, count):
    """Bounds as pairs."""
    if not hasattr(bounds, "lb"):
        return bounds
    low, high = (np.asarray(end) + np.zeros(count) for end in (bounds.lb, bounds.ub))
    return np.stack((low, high), axis=1)


def _conditions(constraints):
    """The constraints in a list."""
    is_one = isinstance(constraints, dict) or hasattr(constraints, "lb")
    return [_condition(one) for one in ([constraints] if is_one else list(constraints))]


def _condition(one):
    if isinstance(one, dict):
        return Side(one)
    if not hasattr(one, "lb") or not (hasattr(one, "A") or hasattr(one, "fun")):
        refuse("constraints that are neither dicts nor LinearConstraint or NonlinearConstraint")
    return Between(one)


class Side:
    """A constraint that is told by a dict, with its own arguments."""

    def __init__(self, told):
        self.told, self.is_equal = told, told["type"].lower() == "eq"
        self.spelled = (told["type"].lower(), "jac" in told)
        self.functions = [self._of(name) for name in ("fun", "jac") if name in told]

    def _of(self, name):
        function, own = self.told[name], _tuple(self.told.get("args", ()))

        def called(x):
            return function(x, *own)

        return called

    def limits(self, x):
        """What is not negative, or 0."""
        return np.atleast_1d(np.asarray(self.functions[0](x)))

    def equal(self, x):
        """Which of these are 0."""
        return np.full(np.size(self.functions[0](x)), self.is_equal)


class Between:
    """A constraint that lies between two ends, of which there are 2 sides."""

    def __init__(self, told):
        self.low, self.high = (np.asarray(end) for end in (told.lb, told.ub))
        if hasattr(told, "A"):
            matrix = np.asarray(told.A)
            self.spelled: Any = ("linear", matrix, told.lb, told.ub)
            self.own, self.functions = lambda x: matrix @ x, []
        else:
            slope = [told.jac] if callable(told.jac) else []
            self.own, self.functions = told.fun, [told.fun, *slope]
            self.spelled = ("between", callable(told.jac), told.lb, told.ub)

    def limits(self, x):
        """How far it is from the ends: as far as can be from those that are no ends."""
        made = np.atleast_1d(np.asarray(self.own(x)))
        low, high = self.low + 0.0 * made, self.high + 0.0 * made
        below = np.where(np.isfinite(low), made - low, np.inf)
        above = np.where(np.isfinite(high) & (low != high), high - made, np.inf)
        return np.concatenate((below, above))

    def equal(self, x):
        """Where both ends are the same."""
        made = 0.0 * np.atleast_1d(np.asarray(self.own(x)))
        same = self.low + made == self.high + made
        return np.concatenate((same, np.zeros(len(same), dtype=bool)))


# How near methods come to what is exact, as far as they are not told.
_WITHIN = {"slsqp": 1e-6, "cobyla": 1e-4, "cobyqa": 1e-6, "trust-constr": 1e-7}
_TOLERANCES = {
    "slsqp": "ftol",
    "cobyla": "tol",
    "cobyqa": "final_tr_radius",
    "trust-constr": "gtol",
}


def _constrained(fun, start, x0, args, options, bounds, conditions):
    method = options.get("method")
    method = "slsqp" if method is None else method.lower()
    if method not in _WITHIN:
        refuse("constraints= with a method that takes none")
    jac = options.get("jac")
    others = [function for one in conditions for function in one.functions]
    others = others if others else [lambda x: 0.0]  # what is told in several parts is a tuple
    has_slope = callable(jac) or jac is True
    parts = _parts(fun, jac, others, args)
    called = followed(parts, (start,), args, 1 + has_slope + len(others))
    given = {**options, "jac": has_slope, "constraints": tuple([c.spelled for c in conditions])}
    if bounds is not None:
        given = {**given, "bounds": bounds}
    more = told_of_minima(method, method)
    picked, likes = ("x", "fun", "success", *more), (start, 0.0, True, *more.values())
    found = solver("symdiff.ops.support.minimized", called, (x0,), given, likes, picked)
    own = _first(fun, jac)

    def objective(x, *args):
        return float(own(x, *args))

    within = options.get("options", {}).get(_TOLERANCES[method], options.get("tol"))
    within = _WITHIN[method] if within is None else within
    x = _stationary(objective, found[0], args, bounds, conditions, within, method == "slsqp")
    given = own(x, *args)
    value = np.float64(given) if method in ("cobyla", "cobyqa") else given
    value = _valued(objective(x, *args), found[1], value)
    return Found(x=x, fun=value, success=found[2], **dict(zip(more, found[3:], strict=True)))


def _valued(value, found, given):
    """The value as SciPy gives it: of the type that the function gives."""
    made = valued(value, found)
    return np.float64(made) if isinstance(given, np.float64) else made


def _stationary(objective, found, args, bounds, conditions, within, is_exact):
    """The minimum, as the place where the Lagrangian is stationary."""
    count = found.shape[0]

    def limits(x):
        return np.concatenate([one.limits(x) for one in conditions])

    def rows(x, *args):
        return np.concatenate((np.array([objective(x, *args)]), limits(x)))

    at = without_derivative(found)
    ends = [(None, None)] * count if bounds is None else bounds
    held, bound = bounded(at, ends, 1e-10 if is_exact else 10.0 * within)
    values = without_derivative(limits(at))
    slopes = without_derivative(slope("jacobian", followed(rows, (at,), args), at))
    slopes = np.where(held, 0.0, slopes)
    equal = np.concatenate([one.equal(at) for one in conditions])
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
    defines_inside(optimize.Bounds, limits)
    defines_inside(optimize.LinearConstraint, linear)
    defines_inside(optimize.NonlinearConstraint, nonlinear)
    own = minimize, fmin, fmin_powell, fmin_ncg, fmin_l_bfgs_b, fmin_cobyla, fmin_slsqp
    for definition in own:
        defines(getattr(optimize, definition.__name__))(definition)
    for name, method in (("fmin_bfgs", "BFGS"), ("fmin_cg", "CG")):
        defines(getattr(optimize, name))(_by_gradients(method))
