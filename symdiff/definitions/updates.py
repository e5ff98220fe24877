"""Factors ``q @ r`` of a matrix that changes by a product of two vectors, or of which rows come and
go, of ``scipy.linalg``: by the rotations that SciPy makes of the factors that it is
given (Golub and Van Loan 2013, 6.5).
"""

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.solvers import valued


def _rotation(f, g):
    """The cosine and the sine of what turns ``(f, g)`` to ``(r, 0)``; of zeros nothing turns."""
    is_zero = (f == 0.0) & (g == 0.0)
    size = np.sqrt(np.where(is_zero, 1.0, f * f + g * g))
    size = np.where(f < 0.0, -size, size)
    return np.where(is_zero, 1.0, f / size), g / size


def _turn_columns(q, j, k, c, s):
    one, other = q[:, j].copy(), q[:, k].copy()
    q[:, j] = c * one + s * other
    q[:, k] = c * other - s * one


def _turn_rows(r, j, k, first, c, s):
    one, other = r[j, first:].copy(), r[k, first:].copy()
    r[j, first:] = c * one + s * other
    r[k, first:] = c * other - s * one


def _turned(q, r, u, v):
    """The factors of ``q @ (r + outer(u, v))``, in their place: ``u`` turns to its first element,
    what that leaves below the diagonal to 0.
    """
    count, width = r.shape
    last = u[count - 1]
    for k in range(count - 1):
        j = count - 2 - k
        c, s = _rotation(u[j], last)
        last = c * u[j] + s * last
        if j < width:
            _turn_rows(r, j, j + 1, j, c, s)
        _turn_columns(q, j, j + 1, c, s)
    r[0] = r[0] + last * v
    for j in range(min(count - 1, width)):
        c, s = _rotation(r[j, j], r[j + 1, j])
        r[j, j] = c * r[j, j] + s * r[j + 1, j]
        r[j + 1, j] = 0.0
        _turn_rows(r, j, j + 1, j + 1, c, s)
        _turn_columns(q, j, j + 1, c, s)


def _factors(Q, R):
    """Copies of both factors."""
    if np.iscomplexobj(Q) or np.iscomplexobj(R):
        refuse("complex matrices")
    return np.array(Q, np.float64), np.array(R, np.float64)


def qr_update(Q, R, u, v, overwrite_qruv=False):
    if overwrite_qruv:
        refuse("overwrite_qruv=True")
    if np.ndim(u) != 1:
        refuse("several updates at once (make one after the other)")
    q, r = _factors(Q, R)
    u, v = np.asarray(u, np.float64), np.asarray(v, np.float64)
    count = q.shape[1]
    if count == q.shape[0]:
        _turned(q, r, q.T @ u, v)
    else:
        along, rest, size = _across(q, u)
        q = np.concatenate((q, rest[:, None]), axis=1)
        r = np.concatenate((r, np.zeros((1, r.shape[1]))))
        _turned(q, r, np.append(along, size), v)
        q, r = q[:, :count], r[:count]
    return _as_found(q, r, _updated, Q, R, u, v)


def _across(q, u):
    """The part of a vector along orthonormal columns, and the direction and size of what is across:
    that is made so twice where little is.
    """
    along = q.T @ u
    rest = u - q @ along
    if np.sum(rest * rest) <= 0.5 * np.sum(u * u):
        rest = rest - q @ (q.T @ rest)
    size = np.sqrt(np.sum(rest * rest))
    return along, rest / size, size


def _as_found(q, r, function, *given):
    """The factors with the signs and the values that SciPy finds."""
    told = computed(q, function, 0, *given), computed(r, function, 1, *given)
    signs = computed(np.sum(q, axis=0), _signs, q, told[0])
    return valued(q * signs, told[0]), valued(r * signs[: len(r), None], told[1])


def _signs(vectors, others):
    return np.where(np.sum(vectors * others, axis=0) < 0.0, -1.0, 1.0)


def _updated(part, Q, R, u, v):
    from scipy.linalg import qr_update as found

    return found(Q, R, u, v)[part]


def qr_delete(Q, R, k, p=1, which="row", overwrite_qr=False):
    if overwrite_qr:
        refuse("overwrite_qr=True")
    q, r = _factors(Q, R)
    if which != "row" or p != 1 or q.shape[0] != q.shape[1]:
        refuse("columns, several rows at once, or the factors of mode='economic'")
    count, width = r.shape
    k = k + count if k < 0 else k
    left = q[k].copy()
    q = np.concatenate((q[:k], q[k + 1 :]))
    last = left[count - 1]
    for step in range(count - 1):
        j = count - 2 - step
        c, s = _rotation(left[j], last)
        last = c * left[j] + s * last
        if j < width:
            _turn_rows(r, j, j + 1, j, c, s)
        _turn_columns(q, j, j + 1, c, s)
    return _as_found(q[:, 1:], r[1:], _without, Q, R, k)


def _without(part, Q, R, k):
    from scipy.linalg import qr_delete as found

    return found(Q, R, k)[part]


def qr_insert(Q, R, u, k, which="row", rcond=None, overwrite_qru=False):
    if overwrite_qru:
        refuse("overwrite_qru=True")
    q, r = _factors(Q, R)
    u = np.asarray(u, np.float64)
    if which != "row" or u.ndim != 1 or q.shape[0] != q.shape[1]:
        refuse("columns, several rows at once, or the factors of mode='economic'")
    count, width = r.shape
    k = k + count if k < 0 else k
    above = np.concatenate((q[:k], np.zeros((k, 1))), axis=1)
    new = np.concatenate((np.zeros((1, count)), np.ones((1, 1))), axis=1)
    below = np.concatenate((q[k:], np.zeros((count - k, 1))), axis=1)
    q, r = np.concatenate((above, new, below)), np.concatenate((r, u[None]))
    for j in range(min(count, width)):
        c, s = _rotation(r[j, j], r[count, j])
        r[j, j] = c * r[j, j] + s * r[count, j]
        r[count, j] = 0.0
        _turn_rows(r, j, count, j + 1, c, s)
        _turn_columns(q, j, count, c, s)
    return _as_found(q, r, _with, Q, R, u, k)


def _with(part, Q, R, u, k):
    from scipy.linalg import qr_insert as found

    return found(Q, R, u, k)[part]


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(linalg, qr_update, qr_delete, qr_insert)
