"""Solvers of SciPy's: the function that they call is the user's, and is differentiated too.

A solver's own value stands; its derivatives are those of what it solves, whatever way it went: of a
root by the implicit function theorem (``"zero"`` of each number by itself, ``"zeros"`` of a
system), of a minimum as a root of the gradient (``"minimum"``, ``"bottom"`` of one number), of what
a differential equation arrives at by the equation of its sensitivities and by the adjoint one
(``"arrival"``), of an ``"integral"`` under it. So they are as accurate as the solution is. Where a
solver has not converged, they are what these formulas give at the point that it returned, which is
the derivative of nothing: a ``ConvergenceWarning`` names the line and the residual.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse, registered
from symdiff.definitions.events import listed, with_events
from symdiff.definitions.found import (
    Found,
    told_of_a_root,
    told_of_a_way,
    told_of_numbers,
    told_of_roots,
    told_of_squares,
    told_of_steps,
)
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import (
    followed,
    slope,
    solution,
    solver,
    strong_multiply,
    valued,
    without_derivative,
)


def implied(residual, at, factor, known=0.5):
    """Numbers that were found elsewhere: their slopes are those of roots of the residual, times a
    factor; where this is not 1 no root is looked for, but at a known place.
    """
    inside = np.where(factor == 1.0, at, known)
    solved = solution("zero", inside, followed(residual, (inside,), ()))
    return strong_multiply(solved - without_derivative(solved), factor) + at


def _tuple(args):
    return args if isinstance(args, tuple) else (args,)


# Roots --------------------------------------------------------------------------------------------


def _residual(function):
    """The function whose root is sought, by the name that it has in what is written."""

    def residual(x, *args):
        return function(x, *args)

    return residual


def _between(name, f, a, b, args, options):
    """A root between two numbers."""
    callback = followed(_residual(f), (0.0,), _tuple(args))
    x = _told(f"scipy.optimize.{name}", callback, (a, b), options, 0.0)
    return solution("zero", x, callback)


def _told(name, callback, arguments, options, start):
    """A root; of a solver that is to return whatever it has, with the news whether that is one."""
    if options.get("disp", True):
        return solver(name, callback, arguments, options, start)
    return solver(name, callback, arguments, {**options, "full_output": True}, start, (0,))


def _bracketed(name):
    """The definition of a solver that is given an interval."""

    def definition(f, a, b, args=(), full_output=False, **options):
        if full_output:
            return _told_all(f, None, args, {"bracket": (a, b), "method": name}, **options)
        return _between(name, f, a, b, args, options)

    definition.__name__ = name
    return definition


def _told_all(f, fprime, args, method, xtol=None, rtol=None, maxiter=None, disp=True):
    """A root and what ``root_scalar`` tells of it, which goes the same way."""
    given = {**method, "xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    found = root_scalar(f, args, fprime, **given)
    if disp and not found.converged:
        raise RuntimeError("Failed to converge")
    return found.root, found


def newton(
    func,
    x0,
    fprime=None,
    args=(),
    tol=1.48e-08,
    maxiter=50,
    fprime2=None,
    x1=None,
    rtol=0.0,
    full_output=False,
    disp=True,
):
    if np.ndim(x0) > 0 and (fprime2 is not None or full_output):
        refuse("an array as x0 with fprime2= or full_output=True (use scipy.optimize.root)")
    if np.ndim(x0) > 0 and fprime is not None:
        starts, given = _started(x0), {"tol": tol, "maxiter": maxiter, "rtol": rtol, "disp": disp}
        called = _sloped(func, fprime, starts, _tuple(args))
        x = solver(WITH_SLOPES, called, ("newton", x0), {"slope": "fprime", **given}, starts)
        return solution("zeros", x, _system(func, starts, _tuple(args)))
    if full_output:
        if fprime2 is not None:
            refuse("fprime2= with full_output=True")
        method = {"x0": x0, "method": "secant" if fprime is None else "newton"}
        if fprime is None:
            method = {**method, "x1": _beside(1.0 * x0) if x1 is None else x1}
        tolerances = {"xtol": tol, "rtol": rtol, "maxiter": maxiter, "disp": disp}
        return _told_all(func, fprime, tuple(args), method, **tolerances)
    if fprime is not None:
        return _by_slopes(func, x0, (fprime, fprime2), args, tol, maxiter, disp, rtol)
    options = {"tol": tol, "maxiter": maxiter, "x1": x1, "rtol": rtol, "disp": disp}
    if np.ndim(x0) > 0:
        starts = _started(x0)
        system = _system(func, starts, tuple(args))
        return solution(
            "zeros", solver("scipy.optimize.newton", system, (x0,), options, starts), system
        )
    start = 1.0 * x0
    callback = followed(_residual(func), (start,), tuple(args))
    x = _told("scipy.optimize.newton", callback, (x0,), options, start)
    return solution("zero", x, callback)


WITH_SLOPES = "symdiff.ops.support.with_slopes"


def _sloped(func, slope, start, args):
    """A system and its derivatives, as a solver asks for both."""

    def both(x, *args):
        return np.atleast_1d(np.asarray(func(x, *args))), np.asarray(slope(x, *args))

    return followed(both, (start,), args, 2)


def _beside(x0):
    """The second point that the secant method begins with."""
    beside = x0 * (1 + 1e-4)
    return beside + 1e-4 if beside >= 0 else beside - 1e-4


def _by_slopes(func, x0, slopes, args, tol, maxiter, disp, rtol):
    """Newton's or Halley's method as ``root_scalar`` calls it, with the same steps."""
    start = 1.0 * x0
    given = {"x0": x0, "fprime": True, "method": "newton", "xtol": tol, "maxiter": maxiter}
    given = {**given, "rtol": rtol}
    if slopes[1] is not None:
        given = {**given, "fprime2": True, "method": "halley"}
    both = followed(_both(func, *slopes), (start,), tuple(args), 2 if slopes[1] is None else 3)
    picked = ("root", "converged")
    x, converged = solver("scipy.optimize.root_scalar", both, (), given, (start, True), picked)
    if disp and not converged:
        raise RuntimeError("Failed to converge")
    return solution("zero", x, followed(_residual(func), (start,), tuple(args)))


def fixed_point(func, x0, args=(), **options):
    """Where ``func(x) - x`` is 0."""
    if np.iscomplexobj(x0):
        refuse("complex numbers")
    start = np.asarray(x0, dtype=np.float64) if np.ndim(x0) > 0 else 1.0 * x0
    if np.ndim(x0) > 1:
        refuse("x0 with more than one axis")

    def image(x, *args):
        return np.asarray(func(x, *args)) if np.ndim(x) > 0 else func(x, *args)

    def residual(x, *args):
        return image(x, *args) - x

    callback = followed(image, (start,), tuple(args))
    like = start if np.ndim(x0) > 0 else np.zeros(())
    x = solver("scipy.optimize.fixed_point", callback, (x0,), options, like)
    equation = followed(residual, (start,), tuple(args))
    if np.ndim(x0) > 0:
        return solution("zeros", x, equation)
    return np.asarray(solution("zero", float(x), equation))


def fsolve(func, x0, args=(), fprime=None, full_output=False, col_deriv=False, **options):
    start = _started(x0)
    callback = _system(func, start, args)
    if fprime is not None:  # the solution is that of the function, which alone is called here
        options = {**options, "fprime": None}
    if full_output:
        likes, name = (start, start, 0, ..., 0), "symdiff.ops.support.solved_and_told"
        found = solver(name, callback, (x0,), options, likes, (0, 1, 2, 3, 4))
        x = solution("zeros", found[0], callback)
        left = valued(func(x, *_tuple(args)), found[1])
        asked = {} if fprime is not None else {"nfev": found[4]}
        return x, Found(fvec=left, **asked), found[2], found[3]
    x = solver("scipy.optimize.fsolve", callback, (x0,), options, start)
    return solution("zeros", x, callback)


def _step_by_step(name):
    """The definition of a solver that finds its own approximation of the derivatives."""

    def definition(F, xin, **options):
        for option in ("callback", "tol_norm", "inner_callback", "inner_M"):
            if option in options:
                refuse(f"{option}=")
        if np.ndim(xin) != 1:
            refuse("xin that is not one row")
        start = _started(xin)
        callback = _system(F, start, ())
        x = solver("symdiff.ops.support.found_by_name", callback, (name, xin), options, start)
        return solution("zeros", x, callback)

    definition.__name__ = name
    return definition


def _started(x0):
    """Where a system is started from: a row of numbers."""
    if np.ndim(x0) > 1:
        refuse("x0 with more than one axis")
    if np.iscomplexobj(x0):
        refuse("complex numbers")
    return np.atleast_1d(np.asarray(x0, dtype=np.float64))


def _system(func, start, args):
    def residuals(x, *args):
        return np.atleast_1d(np.asarray(func(x, *args)))

    return followed(residuals, (start,), _tuple(args))


def root(fun, x0, args=(), jac=None, callback=None, **options):
    if callback is not None:
        refuse("callback=")
    start = _started(x0)
    system = called = _system(_first(fun, jac), start, args)
    if callable(jac) or jac:
        called = followed(_both(fun, jac), (start,), _tuple(args), 2)
    given = {**options, "jac": True if callable(jac) else jac}
    more = told_of_roots(options.get("method"))
    likes, picked = (start, True, start, *more.values()), ("x", "success", "fun", *more)
    found = solver("scipy.optimize.root", called, (x0,), given, likes, picked)
    x = solution("zeros", found[0], system)

    def left():
        return valued(np.atleast_1d(np.asarray(_first(fun, jac)(x, *_tuple(args)))), found[2])

    known = dict(zip(more, found[3:], strict=True))
    return Found({"fun": left}, x=x, success=found[1], **known)


def _first(fun, slope):
    """The function itself, which gives its derivative too where that is ``True``."""
    if slope is not True:
        return fun

    def value(x, *args):
        return fun(x, *args)[0]

    return value


def _both(fun, slope, bend=None):
    """The function and its derivative in one, and the second one where that is given."""

    def both(x, *args):
        if bend is not None:
            found = fun(x, *args) if bend is True else (*_two(x, *args), bend(x, *args))
            return float(found[0]), float(found[1]), float(found[2])
        value, derivative = _two(x, *args)
        if np.ndim(x) == 0:
            return float(value), float(derivative)
        return _as_numbers(value), _as_numbers(derivative)

    def _two(x, *args):
        return fun(x, *args) if slope is True else (fun(x, *args), slope(x, *args))

    return both


def _number_of(value):
    """A number, also of an array that holds one."""
    return float(value if np.ndim(value) == 0 else np.reshape(value, ()))


def _as_numbers(value):
    return np.asarray(value) if np.ndim(value) > 0 else float(value)


def root_scalar(f, args=(), fprime=None, fprime2=None, **given):
    equation = called = followed(_residual(_first(f, fprime)), (0.0,), _tuple(args))
    if fprime is not None:
        called = followed(
            _both(f, fprime, fprime2), (0.0,), _tuple(args), 2 if fprime2 is None else 3
        )
        given = {**given, "fprime": True}
    if fprime2 is not None:
        given = {**given, "fprime2": True}
    more = told_of_a_root(fprime is None or fprime is True)
    likes, picked = (0.0, True, *more.values()), ("root", "converged", *more)
    x, converged, *told = solver("scipy.optimize.root_scalar", called, (), given, likes, picked)
    known = dict(zip(more, told, strict=True))
    return Found(root=solution("zero", x, equation), converged=converged, **known)


def minimize_scalar(fun, bounds=None, args=(), method=None, **options):
    return _minimum_of_one(fun, bounds, args, {**options, "method": method})


def _minimum_of_one(fun, bounds, args, given):
    """What is found of a function of one number."""
    told = told_of_numbers(bounds)
    if bounds is None:
        return _least("minimize_scalar", fun, 0.0, (), _tuple(args), given, told=told)
    xatol = given.get("options", {}).get("xatol", given.get("tol", 1e-5))
    near = (1e-5 if xatol is None else xatol) + 6e-8  # how near to a bound SciPy comes
    return _least("minimize_scalar", fun, 0.0, (), _tuple(args), given, (bounds,), near, told)


def _held(objective, held, bound):
    """A function without bounds, whose minimum is that of another one within bounds.

    What is held at a bound is drawn there by a square, and is not seen by the other function.
    """

    def free(x, *args):
        row = x if np.ndim(x) > 0 else np.array([x])
        inside = np.where(held, bound, row)
        apart = np.where(held, row - bound, 0.0)
        value = objective(inside if np.ndim(x) > 0 else inside[0], *args)
        return float(value + 0.5 * np.sum(apart * apart))

    return free


def _within(objective, x, bounds, near):
    """The function whose minimum within bounds, pairs of numbers, has been found."""
    return _held(objective, *bounded(x, bounds, near))


def bounded(x, bounds, near):
    """Where a place lies at one of its bounds, and these bounds."""
    low = np.array([-np.inf if pair[0] is None else pair[0] for pair in bounds])
    high = np.array([np.inf if pair[1] is None else pair[1] for pair in bounds])
    found = without_derivative(x) if np.ndim(x) > 0 else np.array([without_derivative(x)])
    reach = near * (1 + np.abs(found))
    at_low, at_high = found - low <= reach, high - found <= reach
    bound = np.where(at_low, low, np.where(at_high, high, 0.0))
    return at_low | at_high, bound


def brent(func, args=(), brack=None, tol=1.48e-8, full_output=0, maxiter=500):
    return _of_one(func, args, brack, "brent", full_output, {"xtol": tol, "maxiter": maxiter})


def golden(func, args=(), brack=None, tol=None, full_output=0, maxiter=5000):
    return _of_one(func, args, brack, "golden", full_output, {"xtol": tol, "maxiter": maxiter})


def _of_one(func, args, brack, method, full_output, options):
    options = {name: value for name, value in options.items() if value is not None}
    given = {"bracket": brack, "options": options, "method": method}
    names = ("nit", "nfev") if method == "brent" else ("nfev",)
    found = _minimum_of_one(func, None, args, given)
    if method == "golden" and _are_pythons(brack):  # it computes with what it is given
        found.x = float(found.x)
        if not isinstance(func(found.x, *_tuple(args)), np.float64):
            found.fun = float(found.fun)
    return _all_told(found, names, full_output)


def _are_pythons(brack):
    """Return whether three places are given, as numbers that are not NumPy's."""
    if brack is None or len(brack) != 3:
        return False
    first, middle, last = [isinstance(place, np.generic) for place in brack]
    return not (first or middle or last)


def _all_told(found, names, full_output):
    """A minimum, and with it its value and what else is told where that is asked for."""
    if not full_output:
        return found.x
    return (found.x, found.fun, *[getattr(found, name) for name in names])


def fminbound(func, x1, x2, args=(), xtol=1e-5, maxfun=500, full_output=0, disp=1):
    given = {"options": {"xatol": xtol, "maxiter": maxfun}, "method": "bounded"}
    names = ("status", "nfev")
    return _all_told(_minimum_of_one(func, (x1, x2), args, given), names, full_output)


def _least(name, fun, start, first, args, options, bounds=None, near=1e-10, told=None):
    jac = options.get("jac")
    own = _first(fun, jac)

    def objective(x, *args):
        value = own(x, *args)
        return _number_of(value) if first else float(value)

    callback = called = followed(objective, (start,), args)
    if callable(jac) or jac is True:
        called = followed(_both(fun, jac), (start,), args, 2)
        options = {**options, "jac": True}
    more = {} if told is None else told
    picked, likes = ("x", "fun", "success", *more), (start, 0.0, True, *more.values())
    if bounds is not None:
        options = {**options, "bounds": bounds if first else bounds[0]}
    found = solver(f"scipy.optimize.{name}", called, first, options, likes, picked)
    if bounds is not None:
        callback = followed(_within(objective, found[0], bounds, near), (start,), args)
    x = solution("minimum" if first else "bottom", found[0], callback)
    value = valued(objective(x, *args), found[1])
    in_arrays = options.get("method") in ("Nelder-Mead", "nelder-mead", "COBYLA", "COBYQA")
    if not first or in_arrays or isinstance(own(x, *args), np.float64):
        value = np.float64(value)
    known = dict(zip(more, found[3:], strict=True))
    if "jac" not in known:
        return Found(x=x, fun=value, success=found[2], **known)
    gradient = known.pop("jac")

    def row(x, *args):
        return np.array([objective(x, *args)])

    def rise():
        return valued(slope("jacobian", followed(row, (start,), args), x)[0], gradient)

    return Found({"jac": rise}, x=x, fun=value, success=found[2], **known)


def _half_of_losses(func, loss="linear", scale=1.0):
    """The function of which a minimum is found: half the sum of squares of what another gives,
    which with a loss count for less where they are large (Triggs et al. 2000).
    """

    def objective(x, *args):
        residuals = np.asarray(func(x, *args))
        if loss == "linear":
            return float(0.5 * np.sum(residuals * residuals))
        return float(0.5 * scale**2 * np.sum(LOSSES[loss]((residuals / scale) ** 2)))

    return objective


def _huber(z):
    large = z > 1
    return np.where(large, 2.0 * np.sqrt(np.where(large, z, 1.0)) - 1.0, z)


LOSSES = {
    "soft_l1": lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0),
    "huber": _huber,
    "cauchy": lambda z: np.log1p(z),
    "arctan": lambda z: np.arctan(z),
}


def least_squares(
    fun,
    x0,
    jac="2-point",
    bounds=None,
    method="trf",
    ftol=1e-8,
    xtol=1e-8,
    gtol=1e-8,
    x_scale=None,
    loss="linear",
    f_scale=1.0,
    args=(),
    **options,
):
    if loss != "linear" and loss not in LOSSES:
        refuse("a function as loss=")
    given = {"jac": jac, "method": method, "loss": loss, "f_scale": f_scale}
    given = {**given, "ftol": ftol, "xtol": xtol, "gtol": gtol, **options}
    given = given if x_scale is None else {**given, "x_scale": x_scale}
    start, args = _started(x0), _tuple(args)
    more = list(told_of_squares().items())
    found, known = _least_squares(fun, start, x0, args, bounds, given, more)
    for (name, _), value in zip(more, known, strict=True):
        setattr(found, name, value)
    return found


def _least_squares(fun, start, x0, args, bounds, given, more=()):
    """What is found, and what SciPy tells ``more`` of, by its names, like arrays."""

    def residuals(x, *args):
        return np.atleast_1d(np.asarray(fun(x, *args)))

    names = [name for name, _ in more]
    picked: Any = ("x", "cost", "success")
    likes: Any = (start, 0.0, True)
    if bounds is not None:
        given, picked = {**given, "bounds": bounds}, (*picked, "active_mask")
        likes = (*likes, np.zeros(len(start), np.int64))
    picked, likes = (*picked, *names), (*likes, *[like for _, like in more])
    jac, loss, f_scale = given["jac"], given.get("loss", "linear"), given.get("f_scale", 1.0)
    if callable(jac):
        called, given = _sloped(fun, jac, start, args), {**given, "jac": None, "slope": "jac"}
        found = solver(WITH_SLOPES, called, ("least_squares", x0), given, likes, picked)
    else:
        called = followed(residuals, (start,), args)
        found = solver("scipy.optimize.least_squares", called, (x0,), given, likes, picked)
    least = _half_of_losses(fun, loss, f_scale)
    if bounds is not None:
        low, high = np.broadcast_arrays(bounds[0] + 0.0 * start, bounds[1] + 0.0 * start)
        least = _held(least, found[3] != 0, np.where(found[3] < 0, low, high))
    x = solution("minimum", found[0], followed(least, (start,), args))
    cost = _half_of_losses(fun, loss, f_scale)(x, *args)
    rest = residuals(x, *args)
    held = np.zeros(len(start), bool) if bounds is None else found[3] != 0
    x = _determined(x, followed(residuals, (start,), args), held)
    made = Found(x=x, cost=valued(cost, found[1]), fun=rest, success=found[2])
    return made, found[len(picked) - len(names) :]


def leastsq(func, x0, args=(), Dfun=None, full_output=False, **options):
    if Dfun is not None:
        refuse("Dfun= (leave it out)")
    start, args = _started(x0), _tuple(args)
    callback = _system(func, start, args)
    if full_output:
        likes: Any = (start, np.zeros((len(start), len(start))), 0, 0.0, ..., 0)
        name, picked = "symdiff.ops.support.fitted", (0, 1, 2, 3, 4, 5)
        found = solver(name, callback, (x0,), options, likes, picked)
        x, inverse, told, squares, text, asked = found
        if not np.all(np.isfinite(inverse)):
            raise ValueError("symdiff takes residuals that tell all parameters")
        x = _least_sum(x, func, callback, start, args)
        matrix = _covariance(x, lambda x: func(x, *args), callback, inverse, squares, True)
        return x, matrix, Found(fvec=np.atleast_1d(func(x, *args)), nfev=asked), text, told
    x, told = solver("scipy.optimize.leastsq", callback, (x0,), options, (start, 0), (0, 1))
    return _least_sum(x, func, callback, start, args), told


def _least_sum(x, func, callback, start, args):
    """The parameters with the least sum of squares, with their derivatives."""
    x = solution("minimum", x, followed(_half_of_losses(func), (start,), args))
    return _determined(x, callback, np.zeros(len(start), bool))


def _determined(x, callback, held):
    """The parameters with the least squares; derivatives of those that are not held, and that the
    residuals do not determine, are NaN, where they are asked for.

    The second derivatives, which have the squares of these sizes, tell no sizes apart that are
    less than the root of the precision.
    """
    at = without_derivative(x)
    matrix = np.where(held, 0.0, without_derivative(slope("jacobian", callback, at)))
    matrix = np.concatenate((matrix, np.diag(np.where(held, 1.0, 0.0))))
    matrix = np.where(np.isfinite(matrix), matrix, 0.0)
    largest = np.max(np.abs(matrix), axis=0)
    _, sizes, rows = np.linalg.svd(
        matrix / np.where(largest > 0.0, largest, 1.0), full_matrices=False
    )
    idle = sizes <= _LEAST * np.max(sizes)
    moves = np.max(np.where(idle[:, None], np.abs(rows), 0.0), axis=0)
    return valued(strong_multiply(x - at, np.where(moves > _LEAST, np.nan, 1.0)), at)


_LEAST = float(np.sqrt(np.finfo(float).eps))


def _arity(function):
    """How many parameters a function has."""
    raise NotImplementedError  # definitions are followed, never run


def _arity_staged(stager, arguments, keywords):
    return len(stager.parameters(arguments[0]).parameters)


_arity.__symdiff_staged__ = _arity_staged  # type: ignore[attr-defined]


def curve_fit(
    f,
    xdata,
    ydata,
    p0=None,
    sigma=None,
    absolute_sigma=False,
    check_finite=True,
    bounds=None,
    method=None,
    jac=None,
    *,
    full_output=False,
    nan_policy=None,
    **options,
):
    """The parameters with the least squares, and their covariance."""
    if nan_policy is not None:
        refuse("nan_policy=")
    if jac is not None and not callable(jac):
        refuse("jac= that is no function")
    count = _arity(f) - 1 if p0 is None else len(p0)
    start = _within_reach(count, bounds) if p0 is None else _started(p0)
    y = np.asarray(ydata, dtype=np.float64)
    weighed = _weighing(sigma)

    def residuals(p, *args):
        return weighed(f(xdata, *[p[k] for k in range(count)]) - y)

    def slopes(p, *args):
        return weighed(np.asarray(jac(xdata, *[p[k] for k in range(count)])))

    given_slopes = None if jac is None else slopes
    if check_finite and not np.all(np.isfinite(y)):
        raise ValueError("array must not contain infs or NaNs")
    if bounds is not None or method not in (None, "lm"):
        if method == "lm":
            raise ValueError("Method 'lm' only works for unconstrained problems")
        given = {**options, "method": "trf" if method is None else method}
        found = _fitted_within(residuals, given_slopes, start, bounds, given, absolute_sigma)
    else:
        found = _fitted(residuals, given_slopes, start, options, absolute_sigma)
    return found if full_output else found[:2]


def _within_reach(count, bounds):
    """Where SciPy begins: between bounds, or 1 from the only one."""
    if bounds is None:
        return np.ones(count)
    low, high = [np.asarray(end) + np.zeros(count) for end in bounds]
    lower, upper = np.isfinite(low), np.isfinite(high)
    near = np.where(lower, low + 1.0, np.where(upper, high - 1.0, 1.0))
    return np.where(lower & upper, 0.5 * (low + high), near)


def _weighing(sigma):
    """What makes residuals, and rows of their derivatives, of the same size."""
    if sigma is None:
        return lambda apart: apart
    given = np.asarray(sigma, dtype=np.float64)
    if given.ndim > 1:
        from scipy import linalg

        factor = linalg.cholesky(given, lower=True)
        return lambda apart: linalg.solve_triangular(factor, apart, lower=True)
    scale = 1.0 / given
    return lambda apart: scale * apart if apart.ndim < 2 else scale[:, None] * apart


def _fitted_within(residuals, slopes, start, bounds, given, absolute_sigma):
    count, rows = len(start), residuals(start)
    given = {**given, "jac": "2-point" if slopes is None else slopes}
    more = (("jac", rows[:, None] + np.zeros(count)), *told_of_squares().items())
    found, told = _least_squares(residuals, start, start, (), bounds, given, more)
    text, status, asked = told[1:]
    if not found.success:
        raise RuntimeError(f"Optimal parameters not found: {text}")
    callback = followed(residuals, (start,), ())
    inverse = computed(np.zeros((count, count)), _inverse_of_normal, told[0])
    squares = 2.0 * found.cost
    matrix = _covariance(found.x, residuals, callback, inverse, squares, absolute_sigma)
    return found.x, matrix, {"nfev": asked, "fvec": residuals(found.x)}, text, status


def _inverse_of_normal(matrix):
    """The pseudoinverse of the normal equations; infinite where SciPy has none."""
    from scipy.linalg import svd

    _, sizes, right = svd(matrix, full_matrices=False)
    sizes = sizes[sizes > np.finfo(float).eps * max(matrix.shape) * sizes[0]]
    right = right[: sizes.size]
    return np.dot(right.T / sizes**2, right)


def _fitted(residuals, slopes, start, options, absolute_sigma):
    callback = called = followed(residuals, (start,), ())
    if slopes is not None:
        called, options = _sloped(residuals, slopes, start, ()), {**options, "sloped": True}
    likes = (start, np.zeros((len(start), len(start))), 0, 0.0, ..., 0)
    picked = (0, 1, 2, 3, 4, 5)
    found = solver("symdiff.ops.support.fitted", called, (start,), options, likes, picked)
    x, inverse, told, squares, text, asked = found
    if told < 1 or told > 4:
        raise RuntimeError(f"Optimal parameters not found: {text}")
    x = _least_sum(x, residuals, callback, start, ())
    matrix = _covariance(x, residuals, callback, inverse, squares, absolute_sigma)
    return x, matrix, Found(fvec=residuals(x), nfev=asked), text, told


def _covariance(x, residuals, callback, inverse, squares, absolute):
    """The covariance of parameters with the least squares, whose value is SciPy's."""
    matrix = slope("jacobian", callback, x)
    rest = residuals(x)
    inner = np.linalg.pinv(matrix)  # which there is of parameters that the data do not tell, too
    exact: Any = inner @ inner.T
    if absolute:
        return valued(1.0 * exact, inverse)
    more = len(rest) - len(x)
    if more <= 0:
        return np.full(inverse.shape, np.inf)
    value = np.where(np.isfinite(inverse), inverse * (squares / more), np.inf)
    return valued(exact * (np.sum(rest * rest) / more), value)


def rosen(x):
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0)


def rosen_der(x):
    x = np.asarray(x)
    inner, before, after = x[1:-1], x[:-2], x[2:]
    middle = 200 * (inner - before**2) - 400 * (after - inner**2) * inner - 2 * (1 - inner)
    first = -400 * x[:1] * (x[1:2] - x[:1] ** 2) - 2 * (1 - x[:1])
    return np.concatenate((first, middle, 200 * (x[-1:] - x[-2:-1] ** 2)))


def rosen_hess(x):
    x = np.atleast_1d(x)
    first, last = 1200 * x[:1] ** 2 - 400 * x[1:2] + 2, np.zeros_like(x[:1]) + 200
    middle = 202 + 1200 * x[1:-1] ** 2 - 400 * x[2:]
    beside = np.diag(-400 * x[:-1], 1)
    return beside + beside.T + np.diag(np.concatenate((first, middle, last)))


def rosen_hess_prod(x, p):
    return rosen_hess(x) @ np.atleast_1d(p)


@when_imported("scipy.optimize")
def register_optimize(optimize):
    """Define what finds roots and minima."""
    for name in ("brentq", "brenth", "bisect", "ridder", "toms748"):
        defines(getattr(optimize, name))(_bracketed(name))
    broyden = ("broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden")
    for name in (*broyden, "excitingmixing", "newton_krylov"):
        defines(getattr(optimize, name))(_step_by_step(name))
    scalars, systems = (newton, fixed_point, root_scalar), (fsolve, root)
    least = (curve_fit, least_squares, leastsq, minimize_scalar, brent, golden, fminbound)
    for definition in (*scalars, *systems, *least):
        defines(getattr(optimize, definition.__name__))(definition)
    registered(optimize, rosen, rosen_der, rosen_hess, rosen_hess_prod, rounded=True)


# Differential equations ---------------------------------------------------------------------------


def _rate(func, start, args, time_first):
    """The rate of change that a user's function gives, as the solver asks for it."""

    def by_state(y, t, *args):
        return np.atleast_1d(np.asarray(func(y, t, *args), dtype=np.float64))

    def by_time(t, y, *args):
        return np.atleast_1d(np.asarray(func(t, y, *args), dtype=np.float64))

    if time_first:
        return followed(by_time, (0.0, start), _tuple(args))
    return followed(by_state, (start, 0.0), _tuple(args))


def _number(name, value):
    if value is not None and np.ndim(value) > 0:
        refuse(f"an array as {name}")
    return value


def odeint(
    func,
    y0,
    t,
    args=(),
    Dfun=None,
    col_deriv=0,
    full_output=0,
    ml=None,
    mu=None,
    rtol=None,
    atol=None,
    hmax=0.0,
    hmin=0.0,
    mxstep=0,
    tfirst=False,
    **rest,
):
    if Dfun is not None or ml is not None or mu is not None:
        refuse("Dfun=, ml= and mu= (leave them out: LSODA takes differences)")
    start = _started(y0)
    times = np.asarray(t, dtype=np.float64)
    tolerances = {"rtol": _number("rtol", rtol), "atol": _number("atol", atol)}
    options = {**tolerances, "hmax": hmax, "hmin": hmin, "mxstep": mxstep}

    if tfirst:

        def turned(y, t, *args):
            return func(t, y, *args)

        rate = _rate(turned, start, args, False)
    else:
        rate = _rate(func, start, args, False)
    told = {}
    likes = (np.zeros((len(times), len(start))),)
    if full_output:
        told = told_of_steps(times[1:])
        name, likes = "symdiff.ops.support.integrated", (*likes, *told.values())
        rows, *more = solver(name, rate, (y0, t), {**options, **rest}, likes, ("y", *told))
        told = dict(zip(told, more, strict=True))
    else:
        rows = solver("scipy.integrate.odeint", rate, (y0, t), {**options, **rest}, likes[0])
    found = np.zeros(rows.shape)
    found[0] = start
    y = start
    for i in range(1, len(times)):
        ends = (y, float(times[i - 1]), float(times[i]))
        y = solution("arrival", rows[i], rate, ends, "scipy.integrate.odeint", options)
        found[i] = y
    return (valued(found, rows), told) if full_output else valued(found, rows)


class Between:
    """The solution of a differential equation at any times, of which it is asked later."""

    def __init__(self, rate, start, t_span, y0, given, options):
        self._rate, self._start, self._span, self._y0 = rate, start, t_span, y0
        self._given, self._options = given, options

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a solution at any times")

    def __call__(self, t):
        asked = np.asarray(t, dtype=np.float64)
        if asked.ndim > 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        times = np.atleast_1d(asked)
        shape = np.zeros((len(self._start), len(times)))
        told = (self._span, self._y0, times)
        name = "symdiff.ops.support.dense_output"
        columns = solver(name, self._rate, told, self._given, shape)
        first, last = float(self._span[0]), float(self._span[1])
        order = np.argsort(without_derivative(times if last >= first else -times))
        found = np.zeros(columns.shape)
        y, before = self._start, first
        name = "scipy.integrate.solve_ivp"
        for i in range(len(times)):
            now, column = float(times[order[i]]), columns[:, order[i]]
            y = solution("arrival", column, self._rate, (y, before, now), name, self._options)
            found[:, order[i]] = y
            before = now
        made = valued(found, columns)
        return made[:, 0] if asked.ndim == 0 else made


def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    *,
    args=None,
    rtol=None,
    atol=None,
    max_step=None,
    first_step=None,
    min_step=None,
):
    start = _started(y0)
    if np.ndim(y0) != 1:
        refuse("y0 that is not one row")
    first, last = float(t_span[0]), float(t_span[1])
    tolerances = {"rtol": _number("rtol", rtol), "atol": _number("atol", atol)}
    options = {"method": method, **tolerances, "max_step": max_step, "min_step": min_step}
    rate = _rate(fun, start, () if args is None else args, True)
    name = "scipy.integrate.solve_ivp"
    once = {**options, "first_step": first_step}
    if events is not None and listed(events):
        if dense_output:
            refuse("events= beside dense_output=True; ask for times by t_eval= instead")
        given = () if args is None else _tuple(args)
        span, equation = (first, last), (rate, start)
        return with_events(listed(events), fun, equation, span, options, once, given, t_eval)
    sol = Between(rate, start, t_span, y0, once, options) if dense_output else None
    more = told_of_a_way()
    likes, picked = (True, *more.values()), ("success", *more)
    none: Any = dict.fromkeys(("t_events", "y_events"), None if events is None else [])
    if t_eval is not None:
        times = np.asarray(t_eval, dtype=np.float64)
        given = {**once, "t_eval": t_eval}
        likes = (np.zeros((len(start), len(times))), *likes)
        columns, *told = solver(name, rate, (t_span, y0), given, likes, ("y", *picked))
        found = np.zeros(columns.shape)
        y, before = start, first
        for i in range(len(times)):
            now = float(times[i])
            y = solution("arrival", columns[:, i], rate, (y, before, now), name, options)
            found[:, i] = y
            before = now
        known = dict(zip(picked, told, strict=True))
        return Found(t=np.asarray(t_eval), y=valued(found, columns), sol=sol, **none, **known)
    likes = (np.zeros(0), np.zeros((len(start), 0)), *likes)
    reached, columns, *told = solver(name, rate, (t_span, y0), once, likes, ("t", "y", *picked))
    reached = without_derivative(reached)
    times = reached.copy()
    times[0] = first
    times[-1] = last
    found = np.zeros(columns.shape)
    found[:, 0] = start
    y = start
    for i in range(1, len(times)):
        ends = (y, float(times[i - 1]), float(times[i]))
        y = solution("arrival", columns[:, i], rate, ends, name, options)
        found[:, i] = y
    known = dict(zip(picked, told, strict=True))
    return Found(t=valued(times, reached), y=valued(found, columns), sol=sol, **none, **known)


# Integrals ----------------------------------------------------------------------------------------


def quad(
    func,
    a,
    b,
    args=(),
    full_output=0,
    epsabs=1.49e-8,
    epsrel=1.49e-8,
    weight=None,
    wvar=None,
    wopts=None,
    complex_func=False,
    **once,
):
    if weight not in (None, "cos", "sin") or wopts is not None:
        refuse("weight= other than 'cos' and 'sin'")
    if complex_func:
        refuse("complex_func=True")

    def integrand(x, *args):
        return float(func(x, *args))

    def weighted(x, *args):
        return float(func(x, *args) * (np.cos(wvar * x) if weight == "cos" else np.sin(wvar * x)))

    options = {"epsabs": epsabs, "epsrel": epsrel}
    callback = followed(integrand, (0.0,), _tuple(args))
    name, given = "scipy.integrate.quad", {**options, **once}
    if weight is not None:
        given = {**given, "weight": weight, "wvar": wvar}
    found = solver(name, callback, (a, b), given, (0.0, 0.0), (0, 1))
    ends = (float(a), float(b))
    if weight is not None:
        callback = followed(weighted, (0.0,), _tuple(args))
    value = solution("integral", found[0], callback, ends, name, options)
    return (value, found[1], Found()) if full_output else (value, found[1])


def quad_vec(f, a, b, epsabs=1e-200, epsrel=1e-8, workers=1, full_output=False, args=(), **once):
    if full_output:
        refuse("full_output=True")
    if workers != 1:
        refuse("workers=")

    def integrand(x, *args):
        return f(x, *args)

    options = {"epsabs": epsabs, "epsrel": epsrel}
    name = "scipy.integrate.quad_vec"
    callback = followed(integrand, (0.0,), _tuple(args))
    found = solver(name, callback, (a, b), {**options, **once}, (None, 0.0), (0, 1))
    ends = (float(a), float(b))
    return solution("integral", found[0], callback, ends, name, options), found[1]


def _repeated(func, ranges, later, options):
    """An integral over the first of several variables, of integrals over the others."""
    depth = len(ranges) - 1
    ends = ranges[depth](*later) if callable(ranges[depth]) else ranges[depth]

    def integrand(t):
        if depth == 0:
            return func(t, *later)
        return _repeated(func, ranges[:depth], (t, *later), options)

    return quad(integrand, ends[0], ends[1], **options)[0]


def nquad(func, ranges, args=None, opts=None, full_output=False):
    if opts is not None or full_output:
        refuse("opts= and full_output=True")
    later = () if args is None else _tuple(args)
    return _repeated(func, ranges, later, {}), Found()


def dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    ranges = [_ends(gfun, hfun), (a, b)]
    options = {"epsabs": epsabs, "epsrel": epsrel}

    def integrand(y, x):
        return func(y, x, *args)

    return _repeated(integrand, ranges, (), options), Found()


def tplquad(func, a, b, gfun, hfun, qfun, rfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    ends = _ends(qfun, rfun)
    ranges = [lambda y, x: ends(x, y), _ends(gfun, hfun), (a, b)]
    options = {"epsabs": epsabs, "epsrel": epsrel}

    def integrand(z, y, x):
        return func(z, y, x, *args)

    return _repeated(integrand, ranges, (), options), Found()


def _ends(low, high):
    """Both ends of an integral, each a number or a function of the outer variables."""

    def ends(*outer):
        first = low(*outer) if callable(low) else low
        return first, high(*outer) if callable(high) else high

    return ends


@when_imported("scipy.integrate")
def register_integrate(integrate):
    """Define what solves differential equations, and what integrates."""
    for definition in (odeint, solve_ivp, quad, quad_vec, nquad, dblquad, tplquad):
        defines(getattr(integrate, definition.__name__))(definition)
