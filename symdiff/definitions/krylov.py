"""Solvers of ``scipy.sparse.linalg`` that go step by step, and what they find.

A solution is what the solver has found; its derivatives are those of the equations.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, refuse
from symdiff.definitions.entries import entries_of, sparse_solve
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.operators import aslinearoperator, is_operator
from symdiff.definitions.staged import followed, solver, valued, without_derivative

_CALLED = ("cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "qmr", "gcrotmk", "tfqmr")
_OPTIONS = ("rtol", "atol", "maxiter", "restart", "m", "k", "shift", "truncate")


def _solver(name):
    def solving(A, b, x0=None, M=None, **options):
        names, settings = _settings(options)
        if M is not None or is_operator(A):
            return _solved_by_products(name, A, b, x0, M, options)
        return _solved(name, A, b, x0, names, settings)

    return solving


def _solved_by_products(name, A, b, x0, M, options):
    """The solution of equations with a matrix that is known by what it does to vectors."""
    right = np.asarray(_right(b), dtype=np.float64)
    if "shift" in options:
        refuse("shift=")
    if name in ("bicg", "qmr"):
        refuse("a linear operator or M=, of which the transpose is asked for")
    matrix = aslinearoperator(A)
    exact = np.linalg.solve(matrix.toarray(), right)
    other = None if M is None else aslinearoperator(M)

    def products(vector, *args):
        found = matrix.matvec(vector)
        return found if other is None else (found, other.matvec(vector))

    callback = followed(products, (right,), (), 1 if other is None else 2)
    given = {**options, "x0": x0, "both": other is not None}
    x, told = solver(
        "symdiff.ops.support.krylov", callback, (name, right), given, (exact, 0), (0, 1)
    )
    return valued(exact * _sound(told == 0), x), told


def _settings(options):
    """The options that only say how a solver goes on, which have to be numbers."""
    names, settings = [], []
    for option in options:
        if option not in _OPTIONS:
            refuse(f"{option}=")
        if options[option] is not None:
            names.append(option)
            settings.append(options[option])
    return ",".join(names), settings


def _right(b):
    right = np.asarray(b)
    if right.ndim != 1:
        refuse("several right sides (solve for one after the other)")
    return right


def _solved(name, A, b, x0, names, settings):
    right = _right(b)
    if "shift" in names:
        refuse("shift=")
    given: Any = ()
    if isinstance(A, np.ndarray):
        exact = np.linalg.solve(A, right)
        given = A, right
        finder = _found_of_array
    else:
        found = entries_of(A)
        by_rows = found.kind == "csr"
        given = found.kind, found.entries, found.rows, found.columns, right
        exact = sparse_solve(found.entries, found.rows, found.columns, right, by_rows, False)
        finder = _found_of_entries
    if exact.dtype.char not in "dD":
        refuse("numbers in single precision")
    both = computed(np.append(exact, 0.0), finder, name, x0, names, *settings, *given)
    return valued(exact * _sound(both[-1].real == 0), both[:-1]), int(both[-1].real)


def _sound(converged):
    """1, or NaN where a solver has not converged: what it gives is no solution to differentiate."""
    return np.where(converged, 1.0, np.nan)


def _found(name, matrix, right, x0, names, settings):
    import scipy.sparse.linalg

    options = dict(zip(names.split(",") if names else [], settings, strict=True))
    x, told = getattr(scipy.sparse.linalg, name)(matrix, right, x0=x0, **options)[:2]
    return np.append(x, float(told)).astype(np.result_type(x, np.float64))


def _found_of_array(name, x0, names, *given):
    *settings, matrix, right = given
    return _found(name, matrix, right, x0, names, settings)


def _found_of_entries(name, x0, names, *given):
    *settings, kind, entries, rows, columns, right = given
    matrix = _rebuilt(kind, entries, rows, columns, (len(right), len(right)))
    return _found(name, matrix, right, x0, names, settings)


def _rebuilt(kind, entries, rows, columns, shape):
    from scipy.sparse import coo_array

    return coo_array((entries, (rows, columns)), shape=shape).asformat(kind)


# Least squares ------------------------------------------------------------------------------------


class Untold:
    """What a solver tells of its way besides, which is not known."""

    __symdiff_returned__ = (
        "what a solver tells of its way, its estimates of the norm and the condition of the matrix",
        "return the solution, or the norms: lsqr(A, b)[0]",
    )

    def __getattr__(self, name):
        refuse("what it tells of its way")

    def _refused(self, other=None):
        refuse("what it tells of its way")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __abs__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = __getitem__ = _refused


def _squares(name):
    def solver(A, b, damp=0.0, **options):
        right = _right(b)
        given, A = given_matrix(A)
        names, settings = [], []
        for option in options:
            if option not in ("atol", "btol", "conlim", "iter_lim", "maxiter", "show"):
                refuse(f"{option}=")
            names.append(option)
            settings.append(options[option])
        turned = A.T.conj()
        if A.shape[0] < A.shape[1]:  # the shortest of many solutions
            exact = turned @ _solved_squares(A @ turned + damp**2 * np.eye(A.shape[0]), right)
        else:
            exact = _solved_squares(turned @ A + damp**2 * np.eye(A.shape[1]), turned @ right)
        told = ",".join(names)
        like = np.append(exact, np.zeros(6))
        both = computed(like, _found_of_squares, name, told, right, damp, *settings, *given)
        why, count = both[-6].real, both[-5].real
        sound = _sound((why <= 2) | (why == 4) | (why == 5))
        x = valued(exact * sound, both[:-6])
        rest = right - A @ exact
        whole = np.linalg.norm(np.append(rest, damp * exact))
        turned_rest = np.linalg.norm(turned @ rest - damp**2 * exact)
        norms = (np.linalg.norm(rest), whole, turned_rest, np.linalg.norm(exact))
        first, both_rests, slope, size = (
            valued(norms[k] * sound, both[k - 4].real) for k in range(4)
        )
        ahead = (x, int(why), int(count))
        if name == "lsmr":
            return (*ahead, float(both_rests), slope, Untold(), Untold(), size)
        unknown = np.zeros(A.shape[1])  # the variances, which calc_var= asks for
        rests = float(first), float(both_rests)
        return (*ahead, *rests, Untold(), Untold(), slope, float(size), unknown)

    return solver


def _solved_squares(matrix, right):
    if computed(np.zeros(1), _condition, matrix)[0] > 1e14:
        raise NotImplementedError("least squares whose rows or columns depend on one another")
    return np.linalg.solve(matrix, right)


def _condition(matrix):
    return np.array([np.linalg.cond(matrix, 1)])


def given_matrix(A):
    """A matrix as functions that compute with it are given it, and as an array."""
    if isinstance(A, np.ndarray):
        return ("", A, A.shape), A
    if is_operator(A):
        refuse("a linear operator (use its matrix)")
    found = entries_of(A)
    return (found.kind, found.entries, found.shape, found.rows, found.columns), found.toarray()


def taken_matrix(kind, entries, shape, rows=0, columns=0):
    return _rebuilt(kind, entries, rows, columns, shape) if kind else entries


def _found_of_squares(name, names, right, damp, *given):
    import scipy.sparse.linalg

    told = names.split(",") if names else []
    settings, matrix = given[: len(told)], taken_matrix(*given[len(told) :])
    options = dict(zip(told, settings, strict=True))
    found = getattr(scipy.sparse.linalg, name)(matrix, right, damp, **options)
    norms = (3, 4, 7, 8) if name == "lsqr" else (3, 3, 4, 7)  # of the rest, of it all, and others
    return np.append(found[0], [float(found[k]) for k in (1, 2, *norms)])


# Exponentials -------------------------------------------------------------------------------------


def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None):
    from scipy.linalg import expm

    if traceA is not None:
        refuse("traceA=")
    given, A = given_matrix(A)
    right = np.asarray(B)
    times = (start, stop, num, endpoint)
    if start is None and stop is None and num is None and endpoint is None:
        exact = expm(A) @ right
    else:
        count = 50 if num is None else num
        steps = np.linspace(start, stop, count, endpoint is None or endpoint)
        exact = np.stack([expm(step * A) @ right for step in steps])
    return valued(1.0 * exact, computed(exact, _exponential, right, *times, *given))


def _exponential(right, start, stop, num, endpoint, *given):
    import scipy.sparse.linalg

    times = start, stop, num, endpoint
    return scipy.sparse.linalg.expm_multiply(taken_matrix(*given), right, *times)


def funm_multiply_krylov(f, A, b, *, assume_a="general", t=1.0, **options):
    """A function of a matrix times a vector, which is found without that of the whole matrix."""
    for name in options:
        if name not in ("atol", "rtol", "restart_every_m", "max_restarts"):
            refuse(f"{name}=")
    given, matrix = given_matrix(A)
    right = _right(b)
    exact = f(t * matrix) @ right
    found = computed(exact, _function_times, f, right, assume_a, t, options, given)
    apart = np.max(np.abs(without_derivative(exact) - found))
    return valued(exact * _sound(apart <= 1e-4 * np.max(np.abs(found))), found)


def _function_times(f, right, assume_a, t, options, given):
    from scipy.sparse.linalg import funm_multiply_krylov as found

    return found(f, taken_matrix(*given), right, assume_a=assume_a, t=t, **options)


@when_imported("scipy.sparse.linalg")
def register(linalg):
    """Say what the solvers mean."""
    definitions: dict[str, Any] = {name: _solver(name) for name in _CALLED}
    definitions |= {name: _squares(name) for name in ("lsqr", "lsmr")}
    definitions["expm_multiply"] = expm_multiply
    if hasattr(linalg, "funm_multiply_krylov"):  # in this version of SciPy
        definitions["funm_multiply_krylov"] = funm_multiply_krylov
    for name, definition in definitions.items():
        DEFINITIONS[getattr(linalg, name)] = definition
