"""Equations of ``scipy.linalg`` in which matrices stand squared, and generalised eigenvalues.

A solution of Riccati's equation has the derivatives of two of Newton's steps from it, each of which
solves a linear equation (Kleinman 1968, Hewer 1971): at the solution itself the first step has the
first ones, and the second all up to the third.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import is_known, refuse, registered
from symdiff.definitions.equations import solve_continuous_lyapunov, solve_discrete_lyapunov
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.matrices import hermitian, matrix, phases_of, unitary_factor
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative

# Riccati's equations ------------------------------------------------------------------------------


def _continuous(a, b, q, r, e, s):
    from scipy.linalg import solve_continuous_are

    return np.asarray(solve_continuous_are(a, b, q, r, e, s))


def _discrete(a, b, q, r, e, s):
    from scipy.linalg import solve_discrete_are

    return np.asarray(solve_discrete_are(a, b, q, r, e, s))


def _weighed(gain, q, r, s):
    """The cost of a gain, of which Lyapunov's equation gives the sum over all times."""
    crossed = s @ gain
    return q + gain.T.conj() @ r @ gain - crossed - crossed.T.conj()


def _at_least(one):
    """A matrix, which a number may stand for."""
    return matrix(np.atleast_2d(np.asarray(one)))


def _of_one_system(a, b, q, r, e, s):
    """The matrices of a system in which nothing stands before the next state."""
    a, b, q, r = (_at_least(one) for one in (a, b, q, r))
    s = np.zeros(b.shape) if s is None else _at_least(s)
    if e is None:
        return a, b, q, r, s
    inverse = np.linalg.inv(_at_least(e))
    turned = inverse.T.conj()
    return a @ inverse, b, turned @ q @ inverse, r, turned @ s


def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True):
    x = found = computed(1.0 * _at_least(a) + 0.0 * _at_least(q), _continuous, a, b, q, r, e, s)
    a, b, q, r, s = _of_one_system(a, b, q, r, e, s)
    for _ in range(2):
        gain = np.linalg.solve(r, b.T.conj() @ x + s.T.conj())
        closed = a - b @ gain
        x = solve_continuous_lyapunov(closed.T.conj(), -_weighed(gain, q, r, s))
    return valued(x, found)


def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True):
    x = found = computed(1.0 * _at_least(a) + 0.0 * _at_least(q), _discrete, a, b, q, r, e, s)
    a, b, q, r, s = _of_one_system(a, b, q, r, e, s)
    for _ in range(2):
        ahead = b.T.conj() @ x
        gain = np.linalg.solve(r + ahead @ b, ahead @ a + s.T.conj())
        closed = a - b @ gain
        x = solve_discrete_lyapunov(closed.T.conj(), _weighed(gain, q, r, s))
    return valued(x, found)


# Powers -------------------------------------------------------------------------------------------


def fractional_matrix_power(A, t):
    """``expm(t logm(A))`` (Higham 2008, 7.1); a whole power that is known needs no logarithm."""
    from scipy.linalg import expm, logm

    a = matrix(A)
    if is_known(t) and t == int(t):
        return np.linalg.matrix_power(a, int(t))
    return expm(t * logm(a))


def orthogonal_procrustes(A, B, check_finite=True):
    """The unitary factor of a product, and the sum of its singular values (Schönemann 1966)."""
    product = matrix(A).T.conj() @ matrix(B)
    return unitary_factor(product), np.sum(np.linalg.svd(product, compute_uv=False))


# Eigenvalues --------------------------------------------------------------------------------------


def _found(a, b, lower, subset, between):
    """The eigenvalues in a row, and the vectors below it."""
    from scipy.linalg import eigh

    return np.vstack(eigh(a, b, lower=lower, subset_by_index=subset, subset_by_value=between))


def _part(values, by_index, by_value):
    """Which of the eigenvalues are asked for, of those that ascend."""
    if by_value is None:
        first, last = (0, None) if by_index is None else by_index
        return slice(first, None if last is None else last + 1)
    if by_index is not None:
        raise ValueError("Either index or value subset can be requested.")
    known = without_derivative(values)
    return np.flatnonzero((known > by_value[0]) & (known <= by_value[1]))


def eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    type=1,
    subset_by_index=None,
    subset_by_value=None,
):
    """Eigenvalues of two matrices as those of one: ``L⁻¹ a L⁻ᴴ`` of the factor ``L`` of the other
    (Golub and Van Loan 2013, 8.7.2). Vectors have the signs that SciPy gives them.
    """
    if type != 1:
        refuse("type= other than 1")
    whole = hermitian(matrix(a), lower)
    inverse: Any = np.eye(whole.shape[0])
    if b is not None:
        other = hermitian(matrix(b), lower)
        inverse = np.linalg.inv(np.linalg.cholesky(other))
        whole = inverse @ whole @ inverse.T.conj()
    if eigvals_only:
        values = np.linalg.eigvalsh(whole)
        return values[_part(values, subset_by_index, subset_by_value)]
    values, inner = np.linalg.eigh(whole)
    part = _part(values, subset_by_index, subset_by_value)
    vectors = (inverse.T.conj() @ inner)[:, part]
    found = computed(
        _below(values[part], vectors), _found, a, b, lower, subset_by_index, subset_by_value
    )
    return _signed(values[part], vectors, found, vectors if b is None else other @ vectors)


def _below(values, vectors):
    return np.vstack((values.astype(vectors.dtype), vectors))


def _signed(values, vectors, found, others):
    """Eigenvalues, and vectors of the signs of those that were found, with derivatives."""
    given = found[1:]
    factors = computed(vectors[0], phases_of, others, given)
    return valued(1.0 * values, found[0].real), valued(vectors * factors, given)


def eigvalsh(a, b=None, *, lower=True, type=1, subset_by_index=None, subset_by_value=None):
    subsets = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    return eigh(a, b, lower=lower, eigvals_only=True, type=type, **subsets)


def _from_bands(a_band, lower):
    """The triangle of a matrix of which the diagonals are given in rows."""
    rows = matrix(a_band)
    size, reach = rows.shape[1], rows.shape[0] - 1
    made = np.zeros((size, size), rows.dtype)
    for k in range(reach + 1):
        made = made + (
            np.diag(rows[k, : size - k], -k) if lower else np.diag(rows[reach - k, k:], k)
        )
    return made


def eigvals_banded(a_band, lower=False, check_finite=True):
    return np.linalg.eigvalsh(hermitian(_from_bands(a_band, lower), lower))


def _found_of_three(d, e, select, select_range):
    from scipy.linalg import eigh_tridiagonal

    return np.vstack(eigh_tridiagonal(d, e, False, select, select_range))


def eigh_tridiagonal(d, e, eigvals_only=False, select="a", select_range=None, check_finite=True):
    if select not in ("a", "all", "i", "index"):
        refuse(f"select={select!r}")
    d, e = np.asarray(d), np.asarray(e)
    whole = np.diag(d) + np.diag(e, -1) + np.diag(e, 1)
    first, last = (0, len(d) - 1) if select in ("a", "all") else select_range
    part = slice(int(first), int(last) + 1)
    if eigvals_only:
        return np.linalg.eigvalsh(whole)[part]
    values, vectors = np.linalg.eigh(whole)
    values, vectors = values[part], vectors[:, part]
    like = _below(values, vectors)
    found = computed(like, _found_of_three, d, e, select, select_range)
    return _signed(values, vectors, found, vectors)


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(
        linalg,
        *(solve_continuous_are, solve_discrete_are, fractional_matrix_power),
        *(orthogonal_procrustes, eigh, eigvalsh, eigvals_banded, eigh_tridiagonal),
        rounded=True,
    )
