"""Derivatives that ``scipy.optimize`` approximates by differences of a function of the user's."""

import numpy as np

from symdiff.definitions.declare import defines, defines_inside, refuse
from symdiff.definitions.libraries import when_imported

_STEP = float(np.sqrt(np.finfo(float).eps))


def dense_difference(fun, x0, f0, h, use_one_sided, method, workers):
    """The matrix of partial derivatives, and how often the function is called for it."""
    rows = np.empty((x0.size, f0.size))
    for i in range(x0.size):
        rows[i] = _partial(fun, x0, f0, h, use_one_sided, method, i)
    calls = (2 if method == "3-point" else 1) * x0.size
    return (np.ravel(rows) if f0.size == 1 else rows).T, calls


def _partial(fun, x0, f0, h, use_one_sided, method, i):
    if method == "cs":
        return fun(_moved(x0.astype(complex), i, h[i] * 1.0j)).imag / h[i]
    ahead = _moved(x0, i, h[i])
    if method == "2-point":
        return (fun(ahead) - f0) / (ahead[i] - x0[i])
    if use_one_sided[i]:
        further = _moved(x0, i, 2 * h[i])
        return (-3.0 * f0 + 4 * fun(ahead) - fun(further)) / (further[i] - x0[i])
    behind = _moved(x0, i, -h[i])
    return (fun(ahead) - fun(behind)) / (ahead[i] - behind[i])


def _moved(x0, i, step):
    moved = x0.copy()
    moved[i] = x0[i] + step
    return moved


def approx_fprime(xk, f, epsilon=_STEP, *args):
    from scipy.optimize._numdiff import approx_derivative

    xk = np.asarray(xk, float)
    f0 = f(xk, *args)
    return approx_derivative(f, xk, method="2-point", abs_step=epsilon, args=args, f0=f0)


def check_grad(func, grad, x0, *args, epsilon=_STEP, direction="all", rng=None):
    if direction != "all":
        refuse(f"direction={direction!r}")
    x0 = np.asarray(x0)
    apart = grad(x0, *args) - approx_fprime(x0, func, epsilon, *args)
    return np.sqrt(np.sum(np.abs(apart**2)))


@when_imported("scipy.optimize")
def register(optimize):
    """Say what is approximated."""
    defines_inside(optimize._numdiff._dense_difference, dense_difference)
    for definition in (approx_fprime, check_grad):
        defines(getattr(optimize, definition.__name__))(definition)
