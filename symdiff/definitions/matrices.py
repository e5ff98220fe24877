"""Matrices of ``scipy.linalg``: solving, factoring and inverting, by ``numpy.linalg``.

Values are SciPy's own; what is said here is differentiated. Options that only save time or memory
are taken and make no difference. Of stacks of matrices ``stacks`` tells.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, is_known, is_known_empty, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


def matrix(a):
    """A matrix, and no stack of them."""
    a = np.asarray(a)
    if a.ndim != 2:
        refuse("stacks of matrices (use numpy.linalg)")
    return a


def _read(a, assume_a, lower):
    """The matrix of which only some entries are read."""
    a = matrix(a)
    if assume_a in (None, "gen", "general", "banded"):
        return a
    if assume_a == "diagonal":
        return np.diag(np.diag(a))
    if assume_a == "tridiagonal":
        return np.triu(np.tril(a, 1), -1)
    if assume_a == "upper triangular":
        return np.triu(a)
    if assume_a == "lower triangular":
        return np.tril(a)
    if assume_a in ("sym", "symmetric"):
        half = np.tril(a) if lower else np.triu(a)
        return half + np.tril(half, -1).T + np.triu(half, 1).T
    if assume_a in ("her", "hermitian", "pos", "positive definite"):
        return hermitian(a, lower)
    raise ValueError(f"{assume_a} is not a recognized matrix structure")


def hermitian(a, lower):
    """The Hermitian matrix of which one triangle is read."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    return half + half.T.conj() + np.diag(np.diag(a).real)


def order_of_pivots(packed, pivots):
    """The rows of a matrix in the order in which its factors have them: an op."""
    raise TypeError("order_of_pivots is staged")


def unitary_factor(a):
    """``u @ vh`` of singular vectors: an op, whose derivative needs none of them by itself."""
    raise TypeError("unitary_factor is staged")


def solve(a, b, lower=False, assume_a=None, transposed=False):
    a = _read(a, assume_a, lower)
    if transposed and np.iscomplexobj(a):
        raise NotImplementedError(
            "scipy.linalg.solve can currently not solve a^T x = b or a^H x = b"
            " for complex matrices."
        )
    return np.linalg.solve(a.T if transposed else a, b)


def inv(a, *, assume_a=None, lower=False):
    if assume_a == "diagonal":  # SciPy leaves what stands beside the diagonal
        refuse("assume_a='diagonal' (give the diagonal to np.diag)")
    return np.linalg.inv(_read(a, assume_a, lower))


def det(a):
    found = np.linalg.det(np.asarray(a))
    return found.astype(np.result_type(found, np.float64))


def cholesky(a, lower=False):
    a = matrix(a)
    if lower:
        return np.linalg.cholesky(a)
    return np.linalg.cholesky(a.T.conj()).T.conj()


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    a = matrix(a)
    if unit_diagonal:
        a = np.tril(a, -1) if lower else np.triu(a, 1)
        a = a + np.eye(a.shape[0], dtype=a.dtype)
    else:
        a = np.tril(a) if lower else np.triu(a)
    if trans in (1, "T"):
        a = a.T
    elif trans in (2, "C"):
        a = a.T.conj()
    return np.linalg.solve(a, b)


def cho_factor(a, lower=False):
    a = matrix(a)
    factor = cholesky(a, lower)
    rest = np.triu(a, 1) if lower else np.tril(a, -1)  # is left as it was
    return factor + rest, lower


def cho_solve(c_and_lower, b):
    c, lower = c_and_lower
    c = matrix(c)
    factor = np.tril(c) if lower else np.triu(c).T.conj()
    return np.linalg.solve(factor.T.conj(), np.linalg.solve(factor, b))


def lu_solve(lu_and_piv, b, trans=0):
    packed, pivots = lu_and_piv
    packed, b = matrix(packed), np.asarray(b)
    order = order_of_pivots(packed, pivots)
    unit = np.eye(packed.shape[0], dtype=packed.dtype)
    lower, upper = np.tril(packed, -1) + unit, np.triu(packed)
    if trans == 0:
        return np.linalg.solve(upper, np.linalg.solve(lower, b[order]))
    if trans == 2:
        lower, upper = lower.conj(), upper.conj()
    return np.linalg.solve(lower.T, np.linalg.solve(upper.T, b))[np.argsort(order)]


def lu(a, permute_l=False, p_indices=False):
    from scipy.linalg import lu_factor

    a = matrix(a)
    rows, columns = a.shape
    count = min(rows, columns)
    packed, pivots = lu_factor(a)
    back = np.argsort(order_of_pivots(packed, pivots))
    unit = np.eye(rows, count, dtype=packed.dtype)
    lower, upper = np.tril(packed[:, :count], -1) + unit, np.triu(packed[:count])
    if permute_l:
        return lower[back], upper
    if p_indices:
        return back.astype(np.int32), lower, upper
    return np.eye(rows, dtype=packed.real.dtype)[back], lower, upper


def qr(a, lwork=None, mode="full", pivoting=False):
    """Factors of a matrix whose columns stand in the order that SciPy finds."""
    from scipy.linalg import qr as factored

    a = matrix(a)
    if not pivoting or mode not in ("full", "economic", "r"):
        refuse(f"mode={mode!r}")
    order = computed(np.zeros(a.shape[1], np.int32), _part_of_qr, a, mode, -1)
    q, r = factored(a[:, order], mode="economic" if mode == "economic" else "full")
    told = computed(q, _part_of_qr, a, "economic" if mode == "economic" else "full", 0)
    factors = computed(np.sum(q, axis=0), phases_of, q, told)
    q, r = valued(q * factors, told), factors[:, None].conj() * r
    r = valued(r, computed(r, _part_of_qr, a, mode, 0 if mode == "r" else 1))
    return (r, order) if mode == "r" else (q, r, order)


def _part_of_qr(a, mode, part):
    from scipy.linalg import qr as factored

    return factored(a, mode=mode, pivoting=True)[part]


def phases_of(vectors, others):
    """The factors of absolute value 1 by which vectors are others."""
    products = np.sum(vectors.conj() * others, axis=0)
    return products / np.abs(products)


def qr_multiply(a, c, mode="right", pivoting=False, conjugate=False, overwrite_c=False):
    from scipy.linalg import qr as factored

    if mode not in ("left", "right"):
        raise ValueError(f"Mode argument can only be 'left' or 'right' but not '{mode}'")
    if overwrite_c:
        refuse("overwrite_c=True")
    a, c = np.atleast_2d(np.asarray(a)), np.asarray(c)
    q, *others = factored(a, mode="economic", pivoting=pivoting)
    q = q.conj() if conjugate else q
    return (q @ c if mode == "left" else c @ q, *others)


def matrix_balance(A, permute=True, scale=True, separate=False):
    """A matrix whose rows and columns are as large, by powers of 2, which stay what they are."""
    a = matrix(A)
    turned = computed(np.zeros(a.shape), _balancing, a, permute, scale)
    balanced = (np.linalg.inv(turned) @ a @ turned).astype(a.dtype)
    if not separate:
        return balanced, turned
    told = computed(np.zeros((2, len(a))), _balanced_apart, a, permute, scale)
    kind = a.dtype if is_known_empty(a) else np.float64  # as SciPy has it
    return balanced, (told[0].astype(kind), told[1].astype(np.int64))


def _balancing(a, permute, scale):
    from scipy.linalg import matrix_balance as found

    return found(a, permute, scale)[1]


def _balanced_apart(a, permute, scale):
    from scipy.linalg import matrix_balance as found

    return np.stack(found(a, permute, scale, True)[1]).astype(float)


def rq(a, mode="full"):
    """The factors of the matrix from its end, whose reflections LAPACK makes, too, the other way
    round.
    """
    if mode not in ("full", "economic", "r"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    a = matrix(a)
    kind: Any = "reduced" if mode == "economic" else "complete"
    q, r = np.linalg.qr(a[::-1, ::-1].T.conj(), mode=kind)
    q, r = q.T.conj()[::-1, ::-1], r.T.conj()[::-1, ::-1]
    told = computed(q, _part_of_rq, a, mode, 1)
    factors = computed(np.sum(q, axis=1), phases_of, q.T, told.T)
    r = valued(r * factors.conj(), computed(r, _part_of_rq, a, mode, 0))
    return r if mode == "r" else (r, valued(factors[:, None] * q, told))


def _part_of_rq(a, mode, part):
    from scipy.linalg import rq as factored

    return factored(a, mode="full" if mode == "r" else mode)[part]


def solveh_banded(ab, b, lower=False):
    """The other half of the band is the conjugate of what is given."""
    from scipy.linalg import solve_banded

    ab = matrix(ab)
    b = np.asarray(b)
    if b.size == 0:
        return np.empty_like(b, dtype=np.result_type(ab, b, np.float32))
    width = ab.shape[0] - 1
    rows = [ab[k] for k in range(width + 1)] if lower else [ab[width - k] for k in range(width + 1)]
    upper, below = [], []
    for k in range(1, width + 1):
        zeros = np.zeros(k, ab.dtype)
        if lower:
            upper.append(np.concatenate((zeros, rows[k][:-k].conj())))
            below.append(rows[k])
        else:
            upper.append(rows[k])
            below.append(np.concatenate((rows[k][k:].conj(), zeros)))
    diagonal = rows[0].real.astype(ab.dtype)
    return solve_banded((width, width), np.stack((*upper[::-1], diagonal, *below)), b)


def lstsq(a, b, cond=None, lapack_driver=None):
    if lapack_driver not in (None, "gelsd", "gelss"):
        refuse(f"lapack_driver={lapack_driver!r}")
    a, b = matrix(a), np.asarray(b)
    if cond is None:
        cond = np.finfo(np.result_type(a, b, np.float32)).eps
    x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=cond)
    return x, residuals[0] if b.ndim == 1 and a.shape[0] > a.shape[1] else residuals, rank, s


def pinv(a, *, atol=None, rtol=None):
    if atol is not None:
        refuse("atol= (give rtol=)")
    a = matrix(a)
    if rtol is None:
        rtol = max(a.shape) * np.finfo(np.result_type(a, np.float32)).eps
    return np.linalg.pinv(a, rtol=rtol)


def pinvh(a, atol=None, rtol=None, lower=True):
    return pinv(hermitian(matrix(a), lower), atol=atol, rtol=rtol)


def eigvalsh_tridiagonal(d, e, select="a", select_range=None, tol=0.0, lapack_driver="auto"):
    if select not in ("a", "all", 0, "i", "index", 2):
        refuse(f"select={select!r}")
    d, e = np.asarray(d), np.asarray(e)
    values = np.linalg.eigvalsh(np.diag(d) + np.diag(e, -1))  # of which one triangle is read
    if select in ("a", "all", 0):
        return values
    return values[int(select_range[0]) : int(select_range[1]) + 1]


def cho_solve_banded(cb_and_lower, b):
    """Both triangular factors are bands, the second one the adjoint of the first."""
    from scipy.linalg import solve_banded

    band, lower = cb_and_lower
    band, b = matrix(band), np.asarray(b)
    if b.size == 0:
        return np.empty_like(b, dtype=np.result_type(band, b, np.float32))
    width = band.shape[0] - 1
    turned = []
    for k in range(width + 1):
        row, zeros = band[width - k].conj(), np.zeros(width - k, band.dtype)
        if lower:  # the diagonal width - k below is the one above, behind zeros
            turned.append(np.concatenate((zeros, row[: row.shape[0] - (width - k)])))
        else:
            turned.append(np.concatenate((row[k:], np.zeros(k, band.dtype))))
    other = np.stack(turned)
    if lower:
        return solve_banded((0, width), other, solve_banded((width, 0), band, b))
    return solve_banded((0, width), band, solve_banded((width, 0), other, b))


def polar(a, side="right"):
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    a = matrix(a)
    u = unitary_factor(a)
    p = u.T.conj() @ a if side == "right" else a @ u.T.conj()
    return u, (p + p.T.conj()) / 2


def subspace_angles(A, B):
    """By cosines where these are small, else by sines (Knyazev and Argentati 2002).

    SciPy takes the places of the small ones from the other end, so that right angles have sines.
    """
    first, second = np.linalg.qr(matrix(A))[0], np.linalg.qr(matrix(B))[0]
    product = first.T.conj() @ second
    cosines = np.linalg.svd(product, compute_uv=False)
    if first.shape[1] >= second.shape[1]:
        beside = second - first @ product
    else:
        beside = first - second @ product.T.conj()
    sines = np.linalg.svd(beside, compute_uv=False)
    turned = np.clip(cosines[::-1], -1.0, 1.0)
    is_small = turned**2 >= 0.5
    by_sines = np.arcsin(np.where(is_small, np.clip(sines, -1.0, 1.0), 0.0))
    return np.where(is_small, by_sines, np.arccos(np.where(is_small, 0.0, turned)))


def _of_band(band, lower):
    """The Hermitian matrix of which a band is given."""
    band = matrix(band)
    width, count = band.shape[0] - 1, band.shape[1]
    rows, columns = np.arange(count)[:, None], np.arange(count)
    below = rows - columns
    if lower:
        half = band[np.clip(below, 0, width), columns]
    else:
        half = band[np.clip(width - below, 0, width), rows].conj()
    half = np.where((below >= 0) & (below <= width), half, 0)
    return hermitian(half, True)


def cholesky_banded(ab, lower=False):
    """The factor is as wide as the band; what is beside the matrix stays as it was."""
    ab = matrix(ab)
    width, count = ab.shape[0] - 1, ab.shape[1]
    factor = np.linalg.cholesky(_of_band(ab, lower))
    rows, columns = np.arange(width + 1)[:, None], np.arange(count)
    if lower:
        places = columns + rows
        found = factor[np.clip(places, 0, count - 1), columns]
    else:
        places = columns - (width - rows)
        found = factor.conj()[columns, np.clip(places, 0, count - 1)]
    return np.where((places >= 0) & (places < count), found, ab)


def norm(a, ord=None, axis=None, keepdims=False):
    a = np.asarray(a)
    is_euclidean = ord is None or (is_known(ord) and ord == 2)
    of_all = axis is None and not keepdims and is_euclidean
    if of_all and a.ndim == 1 and a.size and a.dtype.char in "fdFD":  # BLAS's, which scales
        size = np.ldexp(1.0, np.frexp(np.max(np.abs(a)))[1] - 1)
        return float(np.linalg.norm(a / size) * size)
    return np.linalg.norm(a, ord, axis, keepdims)


# Functions of matrices ----------------------------------------------------------------------------

# How near eigenvalues are, by the largest, whose vectors are not told apart: times the condition of
# the vectors to the power 3/2 it bounds the rounding errors of second derivatives by 1e-4.
_APART = 2e-6


def funm(A, func, disp=True):
    """A function of a matrix: what it gives of the eigenvalues, by their vectors. Derivatives are
    NaN where two eigenvalues are so near one another that rounding errors would spoil them.
    """
    a = np.asarray(A)
    if a.ndim != 2:
        refuse("a stack of matrices")
    if a.dtype.char not in "fdFD":
        refuse("whole numbers (use a.astype(float))")
    if disp is not True:
        refuse("disp=")
    like = a[0].astype(np.result_type(a, np.complex64))
    given = np.asarray(func(computed(like, _eigenvalues, a)))
    values, vectors = np.linalg.eig(a.astype(np.complex128))
    exact = (vectors * func(values)) @ np.linalg.inv(vectors)
    apart = _APART * np.linalg.cond(without_derivative(vectors)) ** 1.5
    near = np.abs(values[:, None] - values) <= apart * np.max(np.abs(values))
    single = np.where(np.sum(near) == len(values), 1.0, np.nan)
    exact = (exact if np.iscomplexobj(a) else exact.real) * single
    return valued(exact.astype(a.dtype), computed(a, _function_of, a, given))


def _eigenvalues(a):
    """The eigenvalues in the order in which SciPy gives them to a function."""
    from scipy.linalg import rsf2csf, schur

    return np.diag(rsf2csf(*schur(a))[0])


def _function_of(a, values):
    from scipy.linalg import funm

    found = funm(a, lambda _: values)
    if np.iscomplexobj(found) and not np.iscomplexobj(a):
        raise TypeError(
            "a function of a real matrix is complex here: pass a complex matrix, a.astype(complex)"
        )
    return found


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(
        linalg,
        *(solve, inv, det, cholesky, solve_triangular, cho_factor, cho_solve, lu_solve, lu),
        *(solveh_banded, lstsq, pinv, pinvh, eigvalsh_tridiagonal, cho_solve_banded, polar),
        *(subspace_angles, cholesky_banded, qr, rq, qr_multiply, matrix_balance),
        rounded=True,
    )
    defines(linalg.norm, rounded=True, checks=True)(norm)  # it takes no numbers that are not finite
    registered(linalg, funm)
