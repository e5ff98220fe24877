"""Solvers of SciPy's: the function that they call is the user's, and is differentiated too.

A solver's own value stands; its derivatives are those of what it solves, whatever way it went: of a
root by the implicit function theorem (``"zero"`` of each number by itself, ``"zeros"`` of a
system), of what a differential equation arrives at by the equation of its sensitivities and by the
adjoint one (``"arrival"``). So they are as accurate as the solution is.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse


def _staged(name: str) -> Any:
    """A function of the front end's that only definitions call."""

    def called(*arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError(name)  # definitions are followed, never run

    def staged(stager: Any, arguments: Any, keywords: Any) -> Any:
        return getattr(stager, name)(*arguments, **keywords)

    called.__symdiff_staged__ = staged  # type: ignore[attr-defined]
    return called


followed = _staged("followed")
solver = _staged("solver")
solution = _staged("solution")


def _tuple(args: Any) -> Any:
    return args if isinstance(args, tuple) else (args,)


# Roots --------------------------------------------------------------------------------------------


def _between(name: Any, f: Any, a: Any, b: Any, args: Any, options: Any) -> Any:
    """A root between two numbers."""
    if options["full_output"]:
        refuse("full_output=True")

    def residual(x: Any, *args: Any) -> Any:
        return f(x, *args)

    callback = followed(residual, (0.0,), _tuple(args))
    x = solver(f"scipy.optimize.{name}", callback, (a, b), options, 0.0)
    return solution("zero", x, callback)


def _bracketed(name: str) -> Any:
    """The definition of a solver that is given an interval."""

    def definition(
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = 2e-12,
        rtol: Any = 8.881784197001252e-16,
        maxiter: Any = 100,
        full_output: Any = False,
        disp: Any = True,
    ) -> Any:
        options = {
            "xtol": xtol,
            "rtol": rtol,
            "maxiter": maxiter,
            "full_output": full_output,
            "disp": disp,
        }
        return _between(name, f, a, b, args, options)

    definition.__name__ = name
    return definition


def newton(
    func: Any,
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    tol: Any = 1.48e-8,
    maxiter: Any = 50,
    fprime2: Any = None,
    x1: Any = None,
    rtol: Any = 0.0,
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    if full_output:
        refuse("full_output=True")
    if fprime is not None or fprime2 is not None:
        refuse("fprime= and fprime2= (leave them out: the secant method is used)")
    if np.ndim(x0) > 0:
        refuse("an array as x0 (use scipy.optimize.root)")
    options = {"tol": tol, "maxiter": maxiter, "x1": x1, "rtol": rtol, "disp": disp}

    def residual(x: Any, *args: Any) -> Any:
        return func(x, *args)

    start = 1.0 * x0
    callback = followed(residual, (start,), _tuple(args))
    x = solver("scipy.optimize.newton", callback, (x0,), options, start)
    return solution("zero", x, callback)


def fsolve(
    func: Any,
    x0: Any,
    args: Any = (),
    fprime: Any = None,
    full_output: Any = False,
    col_deriv: Any = False,
    xtol: Any = 1.49012e-8,
    maxfev: Any = 0,
    band: Any = None,
    epsfcn: Any = None,
    factor: Any = 100,
    diag: Any = None,
) -> Any:
    if full_output:
        refuse("full_output=True")
    if fprime is not None:
        refuse("fprime= (leave it out: SciPy takes differences)")
    options = {
        "xtol": xtol,
        "maxfev": maxfev,
        "band": band,
        "epsfcn": epsfcn,
        "factor": factor,
        "diag": diag,
    }
    start = _started(x0)
    callback = _system(func, start, args)
    x = solver("scipy.optimize.fsolve", callback, (x0,), options, start)
    return solution("zeros", x, callback)


def _started(x0: Any) -> Any:
    """Where a system is started from: a row of numbers."""
    if np.ndim(x0) > 1:
        refuse("x0 with more than one axis")
    if np.iscomplexobj(x0):
        refuse("complex numbers")
    return np.atleast_1d(np.asarray(x0, dtype=np.float64))


def _system(func: Any, start: Any, args: Any) -> Any:
    def residuals(x: Any, *args: Any) -> Any:
        return np.atleast_1d(np.asarray(func(x, *args)))

    return followed(residuals, (start,), _tuple(args))


class Root:
    """What ``scipy.optimize.root`` and ``root_scalar`` give, as far as it is known."""

    def __init__(self, x: Any, converged: Any) -> None:
        self.x = x
        self.success = converged
        self.root = x
        self.converged = converged

    def __getattr__(self, name: Any) -> Any:
        refuse(f"the attribute {name} of what it gives")


def root(
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = "hybr",
    jac: Any = None,
    tol: Any = None,
    callback: Any = None,
    options: Any = None,
) -> Any:
    if callable(jac) or jac:
        refuse("jac= (leave it out)")
    if callback is not None:
        refuse("callback=")
    start = _started(x0)
    system = _system(fun, start, args)
    given = {"method": method, "tol": tol, "options": options}
    x, success = solver(
        "scipy.optimize.root", system, (x0,), given, (start, True), ("x", "success")
    )
    return Root(solution("zeros", x, system), success)


def root_scalar(
    f: Any,
    args: Any = (),
    method: Any = None,
    bracket: Any = None,
    fprime: Any = None,
    fprime2: Any = None,
    x0: Any = None,
    x1: Any = None,
    xtol: Any = None,
    rtol: Any = None,
    maxiter: Any = None,
    options: Any = None,
) -> Any:
    if fprime is not None or fprime2 is not None:
        refuse("fprime= and fprime2= (leave them out)")

    def residual(x: Any, *args: Any) -> Any:
        return f(x, *args)

    given = {
        "method": method,
        "bracket": bracket,
        "x0": x0,
        "x1": x1,
        "xtol": xtol,
        "rtol": rtol,
        "maxiter": maxiter,
        "options": options,
    }
    equation = followed(residual, (0.0,), _tuple(args))
    x, converged = solver(
        "scipy.optimize.root_scalar", equation, (), given, (0.0, True), ("root", "converged")
    )
    return Root(solution("zero", x, equation), converged)


def register_optimize(optimize: ModuleType) -> None:
    """Define what finds roots."""
    for name in ("brentq", "brenth", "bisect", "ridder"):
        defines(getattr(optimize, name))(_bracketed(name))
    for definition in (newton, fsolve, root, root_scalar):
        defines(getattr(optimize, definition.__name__))(definition)
