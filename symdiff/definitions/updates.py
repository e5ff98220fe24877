"""Factors ``q @ r`` of a matrix that changes by a product of two vectors, or of which rows come and
go, of ``scipy.linalg``: by the rotations and reflections that SciPy makes of the factors that it is
given (Golub and Van Loan 2013, 6.5).
"""

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import strong_multiply, valued, without_derivative

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


def plain_normal(line):
    """The unit normal of the mirror that turns a line to its first axis, away from where it is."""
    is_zero = np.all(line == 0.0)
    size = np.sqrt(np.where(is_zero, 1.0, np.sum(line * line)))
    first = line[0] + np.where(line[0] < 0.0, -size, size)
    normal = np.append(first, line[1:])
    return normal / np.sqrt(np.sum(normal * normal))


def normal_of(line, around):
    """That normal, whose derivatives are NaN where the line is next to 0, of the numbers around."""
    sound = np.max(np.abs(line)) > _LEAST * np.max(np.abs(around))
    return _known_where(sound, plain_normal(line))


def reflected(lines, normal):
    return lines - 2.0 * np.outer(lines @ normal, normal)


def _normal_beside(line, around):
    """That normal, whose derivatives are NaN where the line has its direction: LAPACK, which does
    not turn such a line, turns those beside it.
    """
    return _known_where(np.any(line[1:] != 0.0), normal_of(line, around))


def _reflect(q, r, j, stop):
    """Reflect rows of ``r``, from ``j`` on, as it leaves of its column there only the first, and
    the columns of ``q`` that they are multiplied with.
    """
    normal = _normal_beside(r[j:stop, j], r[:, j])
    r[j:stop, j:] = reflected(r[j:stop, j:].T, normal).T
    r[j + 1 : stop, j] = 0.0
    q[:, j:stop] = reflected(q[:, j:stop], normal)


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


def _turned_at_once(q, r, u, v):
    """The factors of ``q @ (r + u @ v.T)``, in their place: what lies below the rows of ``r`` is
    reflected, what is left turns, and what that leaves below the diagonal is reflected.
    """
    count, width = r.shape
    several = u.shape[1]
    for k in range(min(max(count - 1 - width, 0), several)):
        normal = _normal_beside(u[width + k :, k], u[:, k])
        u[width + k :, k:] = reflected(u[width + k :, k:].T, normal).T
        u[width + k + 1 :, k] = 0.0
        q[:, width + k :] = reflected(q[:, width + k :], normal)
    for k in range(several):
        for step in range(min(width, count - 1 - k)):
            j = min(width + k, count - 1) - 1 - step
            c, s, u[j, k] = _rotation(u[j, k], u[j + 1, k], u[:, k])
            u[j + 1, k] = 0.0
            _turn_rows(u, j, j + 1, k + 1, c, s)
            _turn_rows(r, j, j + 1, 0, c, s)
            _turn_columns(q, j, j + 1, c, s)
    r[:several] = r[:several] + np.triu(u[:several]) @ v.T
    for j in range(min(width, count - 1)):
        _reflect(q, r, j, min(j + several + 1, count))


def _factors(Q, R):
    """Copies of both factors."""
    if np.iscomplexobj(Q) or np.iscomplexobj(R):
        refuse("complex matrices")
    return np.array(Q, np.float64), np.array(R, np.float64)


def qr_update(Q, R, u, v, overwrite_qruv=False):
    if overwrite_qruv:
        refuse("overwrite_qruv=True")
    q, r = _factors(Q, R)
    left, right = np.asarray(u, np.float64), np.asarray(v, np.float64)
    _require_fitting(q, r, left, right)
    count = q.shape[1]
    if left.ndim == 2 and left.shape[1] == 1:  # SciPy rotates as for a vector
        left, right = left[:, 0], right[:, 0]
    if left.ndim == 2:
        if count != q.shape[0]:
            refuse(
                "several updates at once of the factors of mode='economic' (make one after"
                " the other)"
            )
        _turned_at_once(q, r, q.T @ left, right)
    elif count == q.shape[0]:
        _turned(q, r, q.T @ left, right)
    else:
        along, rest, size = _across(q, left)
        q = np.concatenate((q, rest[:, None]), axis=1)
        r = np.concatenate((r, np.zeros((1, r.shape[1]))))
        _turned(q, r, np.append(along, size), right)
        q, r = q[:, :count], r[:count]
    return _as_found(q, r, _updated, Q, R, u, v)


def _require_fitting(q, r, u, v):
    if u.ndim != v.ndim:
        raise ValueError("u and v must have the same number of dimensions")
    if u.shape[0] != q.shape[0]:
        raise ValueError("u.shape[0] must equal Q.shape[0]")
    if v.shape[0] != r.shape[1]:
        raise ValueError("v.shape[0] must equal R.shape[1]")
    if u.ndim == 2 and u.shape[1] != v.shape[1]:
        raise ValueError("Second dimension of u and v must be the same")


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
    if which != "row" or q.shape[0] != q.shape[1]:
        refuse("columns, or the factors of mode='economic'")
    count, width = r.shape
    if not -count <= k < count:
        raise ValueError("'k' is out of bounds")
    k = k + count if k < 0 else k
    if p <= 0 or k + p > count:
        raise ValueError("'p' is out of range")
    rows = np.roll(q[k : k + p], k, axis=0)
    q = np.concatenate((q[:k], q[k + p :]))
    for row in range(p):
        for j in range(count - 2, row - 1, -1):
            c, s, rows[row, j] = _rotation(rows[row, j], rows[row, j + 1], rows[row])
            rows[row, j + 1] = 0.0
            _turn_columns(rows[row + 1 :], j, j + 1, c, s)
            if j - row < width:
                _turn_rows(r, j, j + 1, j - row, c, s)
            _turn_columns(q, j, j + 1, c, s)
    return _as_found(q[:, p:], r[p:], _without, Q, R, k, p)


def _without(part, Q, R, k, p):
    from scipy.linalg import qr_delete as found

    return found(Q, R, k, p)[part]


def qr_insert(Q, R, u, k, which="row", rcond=None, overwrite_qru=False):
    if overwrite_qru:
        refuse("overwrite_qru=True")
    q, r = _factors(Q, R)
    if which != "row" or q.shape[0] != q.shape[1]:
        refuse("columns, or the factors of mode='economic'")
    count, width = r.shape
    if not -count <= k <= count:
        raise ValueError("'k' is out of bounds")
    k = k + count if k < 0 else k
    rows = np.atleast_2d(np.asarray(u, np.float64))
    several = len(rows)
    if rows.shape[1] != width:
        raise ValueError(
            f"'u' should be either (N,) or (p,N) when inserting rows. Found {np.shape(u)}."
        )
    above = np.concatenate((q[:k], np.zeros((k, several))), axis=1)
    new = np.concatenate((np.zeros((several, count)), np.eye(several)), axis=1)
    below = np.concatenate((q[k:], np.zeros((count - k, several))), axis=1)
    q, r = np.concatenate((above, new, below)), np.concatenate((r, rows))
    if several == 1:
        for j in range(min(count, width)):
            _turn_away(q, r, j, count)
    else:
        for j in range(min(count + several - 1, width)):
            _reflect(q, r, j, count + several)
    return _as_found(q, r, _with, Q, R, u, k)


def _with(part, Q, R, u, k):
    from scipy.linalg import qr_insert as found

    return found(Q, R, u, k)[part]


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(linalg, qr_update, qr_delete, qr_insert)
