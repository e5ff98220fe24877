"""Functions of matrices and equations of ``scipy.linalg``, by ``expm`` and ``solve_sylvester``."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.matrices import matrix


def cosm(A):
    from scipy.linalg import expm

    a = matrix(A)
    if np.iscomplexobj(a):
        return 0.5 * (expm(1j * a) + expm(-1j * a))
    return expm(1j * a).real


def sinm(A):
    from scipy.linalg import expm

    a = matrix(A)
    if np.iscomplexobj(a):
        return -0.5j * (expm(1j * a) - expm(-1j * a))
    return expm(1j * a).imag


def tanm(A):
    return np.linalg.solve(cosm(A), sinm(A))


def coshm(A):
    from scipy.linalg import expm

    a = matrix(A)
    return 0.5 * (expm(a) + expm(-a))


def sinhm(A):
    from scipy.linalg import expm

    a = matrix(A)
    return 0.5 * (expm(a) - expm(-a))


def tanhm(A):
    return np.linalg.solve(coshm(A), sinhm(A))


def expm_frechet(A, E, method=None, compute_expm=True):
    """The corner of the exponential of a block matrix (Al-Mohy and Higham 2009, eq. 3.1)."""
    from scipy.linalg import expm

    a, e = matrix(A), matrix(E)
    n = a.shape[0]
    upper = np.concatenate((a, e), axis=1)
    lower = np.concatenate((np.zeros_like(a), a), axis=1)
    along = expm(np.concatenate((upper, lower)))[:n, n:]
    return (expm(a), along) if compute_expm else along


def expm_cond(A):
    """The largest that the exponential changes by, of all directions, each relative to its size."""
    from scipy.linalg import expm

    a = matrix(A)
    n = a.shape[0]
    columns = []
    for place in range(n * n):
        direction = np.zeros((n, n))
        direction[place // n, place % n] = 1.0
        columns.append(np.ravel(expm_frechet(a, direction, None, False)))
    largest = np.linalg.norm(np.stack(columns, axis=1), 2)
    return largest * np.linalg.norm(a) / np.linalg.norm(expm(a))


def solve_continuous_lyapunov(a, q):
    from scipy.linalg import solve_sylvester

    a, q = matrix(a), matrix(q)
    if np.iscomplexobj(q) and not np.iscomplexobj(a):  # SciPy 1.17 may solve another equation
        refuse("a real matrix and a complex right side (pass a.astype(complex))")
    return solve_sylvester(a, a.T.conj(), q.astype(np.result_type(a, q)))


def solve_discrete_lyapunov(a, q, method=None):
    """By a product of Kronecker's, or turned into a continuous one by a bilinear map."""
    a, q = matrix(a), matrix(q)
    unit = np.eye(a.shape[0], dtype=a.dtype)
    if method == "direct" or (method is None and a.shape[0] < 10):
        equations: Any = np.kron(unit, unit) - np.kron(a, a.conj())
        return np.linalg.solve(equations, q.ravel()).reshape(q.shape)
    if method not in (None, "bilinear"):
        raise ValueError(f"Unknown solver {method}")
    turned = a.T.conj()
    inverse = np.linalg.inv(turned + unit)
    mapped = (turned - unit) @ inverse
    right = 2 * (np.linalg.inv(a + unit) @ q @ inverse)
    return solve_continuous_lyapunov(mapped.T.conj(), -right)


def signm(A):
    """``a`` times the inverse of the principal root of its square (Higham 2008, eq. 5.1)."""
    from scipy.linalg import sqrtm

    a = matrix(A)
    return np.linalg.solve(sqrtm(a @ a), a)


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(
        linalg,
        *(cosm, sinm, tanm, coshm, sinhm, tanhm, expm_frechet, expm_cond),
        *(solve_continuous_lyapunov, solve_discrete_lyapunov, signm),
        rounded=True,
    )
