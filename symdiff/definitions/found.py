"""What solvers of SciPy's give: a result whose parts are attributes.

Beside what was sought, which has derivatives, solvers tell how they went: in a text, and in whole
numbers. Which of these there are rests on the method. They are picked of what SciPy gives, where
the program reads them.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import refuse

LIKE: dict[str, Any] = {"message": ..., "flag": ...}  # of all others 0; ``...`` is any text


class Found:
    """What SciPy gives, as far as it is known: ``later`` tells what is made only if it is read."""

    __symdiff_returned__ = (
        "what a function of SciPy's tells of its result",
        "return the parts that are wanted: result.x, or the first item",
    )

    def __init__(self, later=(), **parts):
        self._later = dict(later)
        for name, value in parts.items():
            setattr(self, name, value)

    def __getattr__(self, name):
        if name in self._later:
            return self._later[name]()
        refuse(f"the attribute {name} of what it gives")

    def __getitem__(self, key):
        return getattr(self, key)

    def get(self, key, default=None):  # what is not known may be there: it is refused
        return getattr(self, key)


def told(names):
    """What is told by names, with what each is like."""
    return {name: LIKE.get(name, 0) for name in names}


_ALWAYS = ("message", "status", "nfev")
_TOLD_OF_MINIMA = {
    **dict.fromkeys(("nelder-mead", "powell", "tnc", "cobyqa"), (*_ALWAYS, "nit")),
    **dict.fromkeys(("cg", "bfgs", "l-bfgs-b", "slsqp"), (*_ALWAYS, "nit", "njev")),
    **dict.fromkeys(
        ("newton-cg", "trust-constr", "dogleg", "trust-ncg", "trust-exact", "trust-krylov"),
        (*_ALWAYS, "nit", "njev", "nhev"),
    ),
    "cobyla": ("message", "status"),
}


_ARRAYS = {
    **dict.fromkeys(("cg", "l-bfgs-b", "newton-cg", "slsqp", "tnc"), ("jac",)),
    "bfgs": ("jac", "hess_inv"),
    "powell": ("direc",),
}


def told_of_minima(method, by_default):
    """What ``scipy.optimize.minimize`` tells of the way of a method."""
    name = by_default if method is None else method
    return told(_TOLD_OF_MINIMA.get(name.lower(), ()) if isinstance(name, str) else ())


def arrays_of_minima(method, by_default, start):
    """The arrays that it tells: the gradient, and matrices of which SciPy makes its steps."""
    name = by_default if method is None else method
    names = _ARRAYS.get(name.lower(), ()) if isinstance(name, str) else ()
    return {one: start if one == "jac" else np.outer(start, start) for one in names}


def told_of_numbers(bounds):
    """What ``minimize_scalar`` tells."""
    known = ("message", "nfev", "nit")
    return told((*known, "status") if bounds is not None else known)


def told_of_roots(method):
    """What ``scipy.optimize.root`` tells."""
    if method in (None, "hybr", "lm"):
        return told(_ALWAYS)
    return told(("message", "nfev", "nit", *(() if method == "df-sane" else ("status",))))


def told_of_a_root(counts):
    """What ``root_scalar`` tells; how often it calls a function and its derivative is not known,
    where it is given both in one.
    """
    return told(("flag", "iterations", *(("function_calls",) if counts else ())))


def told_of_squares():
    """What ``least_squares`` tells."""
    return told(_ALWAYS)


def told_of_a_way():
    """What ``solve_ivp`` tells."""
    return told((*_ALWAYS, "njev", "nlu"))


def told_of_steps(times):
    """What ``odeint`` tells of the steps to each of some times."""
    sizes = {name: np.zeros(times.shape) for name in ("hu", "tcur", "tolsf", "tsw")}
    counts = {name: np.zeros(times.shape, np.int32) for name in ("nst", "nfe", "nje", "nqu")}
    mused = np.zeros(times.shape, np.int32)
    return {**sizes, **counts, **told(("imxer", "lenrw", "leniw")), "mused": mused, "message": ...}
