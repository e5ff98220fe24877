"""Bases of what a matrix maps to, and of what it maps to 0, of ``scipy.linalg``.

A basis of what is mapped to 0 is, where no row depends on the others, what reflections leave that
turn the rows to the first axes: of these alone, or of columns between them too, as LAPACK has it
where there are as many. Where rows depend on others it turns no further than it has to: with two
vectors and more only what does not depend on the choice of a basis has a derivative of its own.
"""

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.matrices import matrix, phases_of
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative
from symdiff.definitions.updates import normal_of, plain_normal, reflected

_LONG = {"gesdd": 11.0 / 6.0, "gesvd": 1.6}  # from how many columns a row LAPACK takes rows alone


def _count(values, shape, rcond):
    """How many singular values are no zeros."""
    if rcond is None:
        rcond = np.finfo(values.dtype).eps * max(shape)
    values = without_derivative(values)
    return int(np.sum(values > np.max(values, initial=0.0) * rcond))


def _real(a):
    found = matrix(a)
    if np.iscomplexobj(found):
        refuse("complex matrices")
    return found


def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """The basis that is found, in the space that the matrix maps to 0."""
    a = _real(A)
    _, values, turned = np.linalg.svd(without_derivative(a), full_matrices=True)
    near = turned[_count(values, a.shape, rcond) :].T
    told = computed(near, _null_space, A, rcond, lapack_driver)
    way = computed(np.zeros(1), _way, a, told, lapack_driver)[0]
    if way > 0.0:
        return valued(_reflected(a, normal_of, way == 2.0), told)
    return valued(_nearest(a, told), told)


def _way(a, told, lapack_driver):
    """How LAPACK has come to a basis: by reflections of rows (1), by turns (2), or otherwise."""
    rows, columns = a.shape
    if told.shape != (columns, columns - rows) or told.size == 0:
        return np.zeros(1)
    ways = (1.0, 2.0) if columns >= int(rows * _LONG[lapack_driver]) else (2.0, 1.0)
    for way in ways:
        if np.max(np.abs(_reflected(a, _normal, way == 2.0) - told)) < 1e-9:
            return np.full(1, way)
    return np.zeros(1)


def _null_space(A, rcond, lapack_driver):
    from scipy.linalg import null_space as found

    return found(A, rcond, lapack_driver=lapack_driver)


def _nearest(a, told):
    """The basis that is nearest to another one, in the space that the matrix maps to 0."""
    projected = told - np.linalg.pinv(a) @ (a @ told)
    lower = np.linalg.cholesky(projected.T @ projected)
    return np.linalg.solve(lower, projected.T).T


def _normal(line, around):
    return plain_normal(line)


def _reflected(a, normal_of, by_turns):
    """What reflections of rows, which make the matrix triangular, leave of the last axes; of rows
    and columns by turns, which make it bidiagonal (Golub and Kahan 1965).
    """
    rows, columns = a.shape
    left = np.array(a, np.float64)
    axes = np.eye(columns)
    for k in range(rows):
        normal = normal_of(left[k, k:], a)
        left[k:, k:] = reflected(left[k:, k:], normal)
        axes[:, k:] = reflected(axes[:, k:], normal)
        if by_turns and k + 2 < rows:
            normal = normal_of(left[k + 1 :, k], a)
            left[k + 1 :, k:] = reflected(left[k + 1 :, k:].T, normal).T
    return axes[:, rows:]


def orth(A, rcond=None):
    a = _real(A)
    vectors, values, _ = np.linalg.svd(a, full_matrices=False)
    exact = vectors[:, : _count(values, a.shape, rcond)]
    told = computed(exact, _orth, A, rcond)
    return valued(exact * computed(exact[0], phases_of, exact, told), told)


def _orth(A, rcond):
    from scipy.linalg import orth as found

    return found(A, rcond)


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(linalg, null_space, orth)
