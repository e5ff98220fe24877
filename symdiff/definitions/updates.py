"""Factors ``q @ r`` of a matrix that changes by a product of two vectors, or of which rows come and
go, of ``scipy.linalg``: by the rotations that SciPy makes of the factors that it is
given (Golub and Van Loan 2013, 6.5).
"""

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.solvers import strong_multiply, valued, without_derivative

_LEAST = 1e-6  # of the size of what is around: less may be rounding errors


def _rotation(f, g, around):
    """Cosine and sine of what turns ``(f, g)`` to ``(r, 0)``, and ``r``; zeros are not turned.

    Where both are next to 0, of the numbers around, the derivatives are NaN: which way they turn
    when they change is not known.
    """
    is_zero = (f == 0.0) & (g == 0.0)
    size = np.hypot(np.where(is_zero, 1.0, f), g)
    size = np.where(f < 0.0, -size, size)
    c, s = np.where(is_zero, 1.0, f / size), g / size
    sound = np.maximum(np.abs(f), np.abs(g)) > _LEAST * np.max(np.abs(around))
    c, s = _known_where(sound, c), _known_where(sound, s)
    return c, s, _known_where(sound, c * f + s * g)


def _known_where(sound, x):
    """The same numbers, whose derivatives are NaN elsewhere."""
    factor = np.where(without_derivative(sound), 1.0, np.nan)
    return valued(strong_multiply(x, factor), without_derivative(x))


def _turn_columns(q, j, k, c, s):
    one, other = q[:, j].copy(), q[:, k].copy()
    q[:, j] = c * one + s * other
    q[:, k] = c * other - s * one


def _turn_rows(r, j, k, first, c, s):
    one, other = r[j, first:].copy(), r[k, first:].copy()
    r[j, first:] = c * one + s * other
    r[k, first:] = c * other - s * one


def _turn_to_first(q, r, u):
    """Turn the factors, in their place, as it turns ``u`` to its first element, and return that."""
    count, width = r.shape
    last = u[count - 1]
    for k in range(count - 1):
        j = count - 2 - k
        c, s, last = _rotation(u[j], last, u)
        if j < width:
            _turn_rows(r, j, j + 1, j, c, s)
        _turn_columns(q, j, j + 1, c, s)
    return last


def _turn_away(q, r, j, k):
    """Turn the factors, in their place, as it turns an element of ``r`` in column ``j`` to 0."""
    c, s, r[j, j] = _rotation(r[j, j], r[k, j], r[:, j])
    r[k, j] = 0.0
    _turn_rows(r, j, k, j + 1, c, s)
    _turn_columns(q, j, k, c, s)


def _turned(q, r, u, v):
    """The factors of ``q @ (r + outer(u, v))``, in their place: ``u`` turns to its first element,
    what that leaves below the diagonal to 0.
    """
    count, width = r.shape
    r[0] = r[0] + _turn_to_first(q, r, u) * v
    for j in range(min(count - 1, width)):
        _turn_away(q, r, j, j + 1)


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
    left, right = np.asarray(u, np.float64), np.asarray(v, np.float64)
    count = q.shape[1]
    if count == q.shape[0]:
        _turned(q, r, q.T @ left, right)
    else:
        along, rest, size = _across(q, left)
        q = np.concatenate((q, rest[:, None]), axis=1)
        r = np.concatenate((r, np.zeros((1, r.shape[1]))))
        _turned(q, r, np.append(along, size), right)
        q, r = q[:, :count], r[:count]
    return _as_found(q, r, _updated, Q, R, u, v)


def _across(q, u):
    """The part of a vector along orthonormal columns, and the direction and size of what is across:
    that is made so twice where little is. Where next to nothing is, that has no derivative.
    """
    along = q.T @ u
    rest = u - q @ along
    if np.sum(rest * rest) <= 0.5 * np.sum(u * u):
        rest = rest - q @ (q.T @ rest)
    size = np.sqrt(np.sum(rest * rest))
    sound = size > _LEAST * np.sqrt(np.sum(u * u))
    return along, _known_where(sound, rest / size), _known_where(sound, size)


def _as_found(q, r, function, *given):
    """The factors with the signs and the values that SciPy finds."""
    kind = np.result_type(given[0])
    q, r = q.astype(kind), r.astype(kind)
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
    k = k + len(r) if k < 0 else k
    left = q[k].copy()
    q = np.concatenate((q[:k], q[k + 1 :]))
    _turn_to_first(q, r, left)
    return _as_found(q[:, 1:], r[1:], _without, Q, R, k)


def _without(part, Q, R, k):
    from scipy.linalg import qr_delete as found

    return found(Q, R, k)[part]


def qr_insert(Q, R, u, k, which="row", rcond=None, overwrite_qru=False):
    if overwrite_qru:
        refuse("overwrite_qru=True")
    q, r = _factors(Q, R)
    if which != "row" or np.ndim(u) != 1 or q.shape[0] != q.shape[1]:
        refuse("columns, several rows at once, or the factors of mode='economic'")
    count, width = r.shape
    k = k + count if k < 0 else k
    above = np.concatenate((q[:k], np.zeros((k, 1))), axis=1)
    new = np.concatenate((np.zeros((1, count)), np.ones((1, 1))), axis=1)
    below = np.concatenate((q[k:], np.zeros((count - k, 1))), axis=1)
    q, r = np.concatenate((above, new, below)), np.concatenate((r, np.asarray(u, np.float64)[None]))
    for j in range(min(count, width)):
        _turn_away(q, r, j, count)
    return _as_found(q, r, _with, Q, R, u, k)


def _with(part, Q, R, u, k):
    from scipy.linalg import qr_insert as found

    return found(Q, R, u, k)[part]


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(linalg, qr_update, qr_delete, qr_insert)
