"""Boundary value problems: ``scipy.integrate.solve_bvp``, whose value stands.

Its derivatives are those of the values at the nodes, and of the unknown parameters, that make the
residuals of collocation and of the boundary conditions 0: by the implicit function theorem, with a
full matrix. Nodes move as the first mesh does, between whose nodes they lie.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, known_integer, refuse
from symdiff.definitions.found import Found
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.staged import followed, solution, solver, valued, without_derivative


def solve_bvp(
    fun,
    bc,
    x,
    y,
    p=None,
    S=None,
    fun_jac=None,
    bc_jac=None,
    tol=1e-3,
    max_nodes=1000,
    verbose=0,
    bc_tol=None,
):
    from scipy.integrate import _bvp

    if S is not None or fun_jac is not None or bc_jac is not None:
        refuse("S=, fun_jac= and bc_jac= (leave them out)")
    if verbose != 0 or np.iscomplexobj(y):
        refuse("verbose=, and complex numbers")
    first, guess = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    rows = known_integer(guess.shape[0])
    count = 0 if p is None else known_integer(len(p))

    def rates(x, y, p):
        return np.asarray(fun(x, y) if count == 0 else fun(x, y, p), dtype=np.float64)

    def ends(ya, yb, p):
        return np.asarray(bc(ya, yb) if count == 0 else bc(ya, yb, p), dtype=np.float64)

    def both(x, y, p, ya, yb, *args):
        return rates(x, y, p), ends(ya, yb, p)

    def residuals(unknown, x, *args):
        y, p = _parted(unknown, rows, x)
        between = _bvp.collocation_fun(rates, y, p, x, np.diff(x))[0]
        return np.concatenate((between.ravel(), ends(y[:, 0], y[:, -1], p)))

    begun = np.zeros(count) if p is None else np.asarray(p, dtype=np.float64)
    state = np.zeros(rows)
    called = followed(both, ("nodes", f"{rows},nodes", begun, state, state), (), 2)
    options = {"tol": tol, "max_nodes": max_nodes, "bc_tol": bc_tol}
    picked = ("unknown", "x", "yp", "rms_residuals", "niter", "status", "success")
    likes: Any = (np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0), 0, 0, True)
    name = "symdiff.ops.support.boundary_values"
    found = solver(name, called, (x, y, begun), options, likes, picked)
    nodes = without_derivative(found[1])
    mesh = valued(np.interp(nodes, without_derivative(first), first), found[1])
    equations = followed(residuals, ("unknowns", "nodes"), ())
    y, p = _parted(solution("zeros", found[0], equations, (mesh,)), rows, mesh)
    yp = valued(rates(mesh, y, p), np.reshape(found[2], (rows, len(mesh))))
    return Found(
        sol=_bvp.create_spline(y, yp, mesh, np.diff(mesh)),
        p=p if count > 0 else None,
        x=mesh,
        y=y,
        yp=yp,
        rms_residuals=without_derivative(found[3]),
        niter=found[4],
        status=found[5],
        success=found[6],
    )


def _parted(unknown, rows, x):
    """The values at the nodes, and the parameters that stand behind them."""
    inner = rows * len(x)
    return np.reshape(unknown[:inner], (rows, len(x))), unknown[inner:]


@when_imported("scipy.integrate")
def register(integrate):
    """Say what solves boundary value problems."""
    defines(integrate.solve_bvp)(solve_bvp)
