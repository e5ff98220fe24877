"""Factors, eigenvalues and functions of sparse matrices, of ``scipy.sparse.linalg``.

Values are SciPy's own. Derivatives are those of the equations, or of the matrix with all its
elements; of eigenvalues those that SciPy is asked for are picked among all.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, refuse
from symdiff.definitions.entries import entries_of, is_sparse, of_dense, sparse_solve
from symdiff.definitions.krylov import given_matrix, taken_matrix
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.operators import aslinearoperator, is_operator
from symdiff.definitions.staged import followed, solver, valued, without_derivative

# Factors ------------------------------------------------------------------------------------------


class Factors:
    """What is made of a matrix for many right sides."""

    def __init__(self, matrix, options):
        self._matrix, self._options, self.shape = matrix, options, matrix.shape

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what splu gives")

    def solve(self, rhs, trans="N"):
        if trans not in ("N", "T", "H"):
            raise ValueError("trans must be N, T, or H")
        found, right = self._matrix, np.asarray(rhs)
        whole = found if trans == "N" else found.T
        entries = whole.entries.conj() if trans == "H" else whole.entries
        exact = sparse_solve(entries, whole.rows, whole.columns, right, False, False)
        given = found.kind, found.entries, found.shape, found.rows, found.columns
        value = computed(exact, _solved_by_factors, right, trans, self._options, *given)
        return valued(1.0 * exact, value)


def _solved_by_factors(right, trans, options, *given):
    from scipy.sparse.linalg import splu

    return splu(taken_matrix(*given).tocsc(), **options).solve(right, trans)


def splu(A, **options):
    if not is_sparse(A):
        refuse("a matrix that is not sparse")
    for name in options:
        if name not in ("permc_spec", "diag_pivot_thresh", "relax", "panel_size"):
            refuse(f"{name}=")
    return Factors(entries_of(A), options)


def factorized(A):
    return splu(A).solve


def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    if overwrite_A or overwrite_b:
        refuse("overwrite_A= and overwrite_b=")
    given, dense = given_matrix(A)
    right = np.asarray(b)
    if unit_diagonal:
        dense = dense - np.diag(np.diag(dense)) + np.eye(dense.shape[0])
    exact = np.linalg.solve(np.tril(dense) if lower else np.triu(dense), right)
    value = computed(exact, _solved_in_triangle, right, lower, unit_diagonal, *given)
    return valued(1.0 * exact, value)


def _solved_in_triangle(right, lower, unit_diagonal, *given):
    from scipy.sparse.linalg import spsolve_triangular as solve

    return solve(taken_matrix(*given).tocsr(), right, lower, unit_diagonal=unit_diagonal)


# Functions of matrices ----------------------------------------------------------------------------


def _as_sparse(A, exact, function, *more):
    """A sparse matrix with the elements of a dense one, whose values a function of SciPy gives."""
    found = entries_of(A)
    given = found.kind, found.entries, found.shape, found.rows, found.columns
    made = valued(1.0 * exact, computed(exact, function, *more, *given))
    return of_dense(made, found.is_array, found.kind)


def inv(A):
    return _as_sparse(A, np.linalg.inv(entries_of(A).toarray()), _inverse)


def _inverse(*given):
    from scipy.sparse.linalg import inv as inverse

    return inverse(taken_matrix(*given)).toarray()


def expm(A):
    from scipy.linalg import expm as exponential

    if not is_sparse(A):
        return exponential(A)
    return _as_sparse(A, exponential(entries_of(A).toarray()), _exponential)


def _exponential(*given):
    from scipy.sparse.linalg import expm as exponential

    return exponential(taken_matrix(*given)).toarray()


def matrix_power(A, power):
    if not isinstance(power, int) or power < 1:
        refuse("a power that is no whole number above 0")
    exact = np.linalg.matrix_power(entries_of(A).toarray(), power)
    return _as_sparse(A, exact, _power, power)


def _power(power, *given):
    from scipy.sparse.linalg import matrix_power as found

    return found(taken_matrix(*given), power).toarray()


def norm(x, ord=None, axis=None):
    if axis is not None and np.ndim(axis) == 0:
        refuse("axis= of one axis (use toarray)")
    given, dense = given_matrix(x)
    exact = np.linalg.norm(dense, ord)
    return valued(1.0 * exact, computed(exact, _norm, ord, *given))


def _norm(ord, *given):
    from scipy.sparse.linalg import norm as found

    return np.float64(found(taken_matrix(*given), ord))


# Eigenvalues and singular values ------------------------------------------------------------------


def _chosen(values, k, which, sigma):
    """The places of ``k`` eigenvalues among all, which ascend, in ascending order."""
    apart = np.abs(values - sigma) if sigma is not None else np.abs(values)
    if which == "LM":
        order = np.argsort(apart if sigma is not None else -apart)
    elif which == "SM" and sigma is None:
        order = np.argsort(apart)
    elif which == "LA" and sigma is None:
        order = np.argsort(-values)
    elif which == "SA" and sigma is None:
        order = np.argsort(values)
    else:
        refuse(f"which={which!r}" + ("" if sigma is None else " with sigma="))
    return np.sort(order[:k])


def _near(found, exact):
    """1, or NaN where SciPy has found other values than those that are differentiated."""
    scale = 1e-5 * (1.0 + np.max(np.abs(exact)))
    return np.where(
        np.abs(without_derivative(found) - without_derivative(exact)) < scale, 1.0, np.nan
    )


def eigsh(A, k=6, M=None, sigma=None, which="LM", v0=None, return_eigenvectors=True, **options):
    if M is not None:
        refuse("M=")
    for name in options:
        if name not in ("ncv", "maxiter", "tol"):
            refuse(f"{name}=")
    given, dense = given_matrix(A)
    values, vectors = np.linalg.eigh((dense + dense.T.conj()) / 2)
    places = _chosen(without_derivative(values), k, which, sigma)
    exact, inner = values[places], vectors[:, places]
    asked = k, sigma, which, v0, options
    if not return_eigenvectors:
        found = computed(exact, _eigenvalues, *asked, *given)
        return valued(exact * _near(found, exact), found)
    both = computed(np.vstack((exact, inner)), _eigenpairs, *asked, *given)
    sound = _near(both[0], exact)
    factors = _signs(inner, both[1:]) * sound
    return valued(exact * sound, both[0]), valued(inner * factors, both[1:])


def _eigenvalues(k, sigma, which, v0, options, *given):
    from scipy.sparse.linalg import eigsh as found

    options = {**options, "return_eigenvectors": False}
    return np.asarray(found(taken_matrix(*given), k, None, sigma, which, v0, **options))


def _eigenpairs(k, sigma, which, v0, options, *given):
    from scipy.sparse.linalg import eigsh as found

    return np.vstack(found(taken_matrix(*given), k, None, sigma, which, v0, **options))


def svds(A, k=6, *, which="LM", v0=None, return_singular_vectors=True, **options):
    if return_singular_vectors not in (True, False):
        refuse("return_singular_vectors= that is neither True nor False")
    for name in options:
        if name not in ("ncv", "maxiter", "tol"):
            refuse(f"{name}=")
    given, dense = given_matrix(A)
    u, s, vh = np.linalg.svd(dense, full_matrices=False)
    count = len(s)
    places = np.arange(k)[::-1] if which == "LM" else np.arange(count - k, count)[::-1]
    asked = k, which, v0, options
    if return_singular_vectors is False:
        found = computed(s[places], _singular_values, *asked, *given)
        return valued(s[places] * _near(found, s[places]), found)
    left, right, exact = u[:, places], vh[places], s[places]
    both = computed(np.vstack((exact, left, right.T)), _singular_vectors, *asked, *given)
    found, height = both[0], dense.shape[0]
    sound = _near(found, exact)
    factors = _signs(left, both[1 : height + 1]) * sound
    return (
        valued(left * factors, both[1 : height + 1]),
        valued(exact * sound, found),
        valued(right * factors[:, None], both[height + 1 :].T),
    )


def _singular_values(k, which, v0, options, *given):
    from scipy.sparse.linalg import svds as found

    options = {**options, "return_singular_vectors": False}
    return np.asarray(found(taken_matrix(*given), k, which=which, v0=v0, **options))


def _singular_vectors(k, which, v0, options, *given):
    from scipy.sparse.linalg import svds as found

    u, s, vh = found(taken_matrix(*given), k, which=which, v0=v0, **options)
    return np.vstack((s, u, vh.T))


def lobpcg(A, X, B=None, M=None, Y=None, **options):
    """The outermost eigenvalues and their vectors: where the search starts, and what it is told of
    the inverse, makes no difference to them.
    """
    for name in options:
        if name not in ("tol", "maxiter", "largest", "verbosityLevel", "restartControl"):
            refuse(f"{name}=")
    X = np.asarray(X)
    if X.dtype.char not in "fd":
        refuse("a start of other than floats")
    count, k = X.shape
    by_products = is_operator(A)
    if by_products:
        given, dense = (), aslinearoperator(A).matmat(np.eye(count))
    else:
        given, dense = _by_columns(A, count)
    other, weights = _by_columns(np.eye(count) if B is None else B, count)
    order = np.arange(k) if options.get("largest", True) is False else np.arange(-1, -1 - k, -1)
    exact, inner = _pairs(_apart(dense, weights, Y, order), weights, order)
    if by_products:
        if B is not None or M is not None:
            refuse("a linear operator with B= or M= (use its matrix)")
        values, found, start = _outermost_by_products(aslinearoperator(A), X, Y, options)
    else:
        like = np.vstack((X[:1], X, X))
        told = computed(like, _outermost, given, X, B is None, other, M, Y, options)
        values, found, start = told[0], told[1 : 1 + count], told[1 + count :]
    if np.any(start != X):  # SciPy has begun with the best vectors that its columns make, in place
        left = X if Y is None else X - _along(Y, weights) @ X
        begun = left @ _pairs(left.T @ (dense @ left), left.T @ (weights @ left), order)[1]
        X[...] = valued((begun * _signs(weights @ begun, start)).astype(X.dtype), start)
    sound = _near(values, exact)
    exact, inner = exact * sound, inner * (_signs(weights @ inner, found) * sound)
    return valued(exact.astype(X.dtype), values), valued(inner.astype(X.dtype), found)


def _along(Y, B):
    """The projection on what columns span, where ``B`` tells what is orthogonal."""
    turned = Y.T @ B
    return Y @ np.linalg.solve(turned @ Y, turned)


def _apart(A, B, Y, order):
    """The matrix whose outermost vectors are those that are apart from ``Y``: that is moved to the
    other end.
    """
    if Y is None:
        return A
    along = _along(Y, B)
    across = np.eye(len(A)) - along
    far = 2.0 * np.sum(np.abs(np.linalg.solve(without_derivative(B), without_derivative(A))))
    return across.T @ A @ across + (far if order[0] == 0 else -far) * (B @ along)


def _pairs(A, B, order):
    """Eigenvalues and vectors of symmetric matrices, in an order of those that ascend."""
    turned = np.linalg.inv(np.linalg.cholesky((B + B.T) / 2))
    values, vectors = np.linalg.eigh(turned @ (A + A.T) @ turned.T / 2)
    return values[order], turned.T @ vectors[:, order]


def _signs(vectors, others):
    return np.sign(np.sum(without_derivative(vectors) * others, axis=0))


def _by_columns(A, count):
    """A symmetric matrix as it is given, and as an array; it may be known by what it does to
    columns.
    """
    if callable(A) and not is_operator(A):
        return ("", A), np.asarray(A(np.eye(count)))
    return given_matrix(A)


def _outermost(given, X, is_plain, other, M, Y, options):
    from scipy.sparse.linalg import lobpcg as found

    B, start = None if is_plain else _as_given(*other), X.copy("K")
    values, vectors = found(_as_given(*given), start, B, M, Y, **options)
    return np.vstack((values, vectors, start))


def _outermost_by_products(operator, X, Y, options):
    """The same of a matrix that is known by what it does to vectors."""

    def products(columns, *args):
        return operator(columns)

    name, likes = "symdiff.ops.support.outermost", (X[0], X, X)
    given = {**options, "Y": Y}
    return solver(name, followed(products, (X,), ()), (X,), given, likes, (0, 1, 2))


def _as_given(kind, matrix, *rest):
    return taken_matrix(kind, matrix, *rest) if rest else matrix


@when_imported("scipy.sparse.linalg")
def register(linalg):
    """Say what the functions mean."""
    found: tuple[Any, ...] = (splu, factorized, spsolve_triangular, inv, expm, matrix_power)
    for definition in (*found, norm, eigsh, svds, lobpcg):
        if hasattr(linalg, definition.__name__):  # in this version
            DEFINITIONS[getattr(linalg, definition.__name__)] = definition
