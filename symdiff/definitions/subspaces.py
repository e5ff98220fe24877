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
from symdiff.definitions.solvers import valued, without_derivative


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
    way = computed(np.zeros(1), _way, a, told)[0]
    if way == 1.0:
        return valued(np.linalg.qr(a.T, mode="complete")[0][:, len(a) :], told)
    return valued(_reflected_by_turns(a) if way == 2.0 else _nearest(a, told), told)


def _way(a, told):
    """How LAPACK has come to a basis: by reflections of the rows, by turns, or otherwise."""
    rows, columns = a.shape
    if told.shape != (columns, columns - rows) or told.size == 0:
        return np.zeros(1)
    by_rows = np.linalg.qr(a.T, mode="complete")[0][:, rows:]
    if np.max(np.abs(by_rows - told)) < 1e-9:
        return np.ones(1)
    by_turns = np.max(np.abs(_reflected_by_turns(a) - told)) < 1e-9
    return np.full(1, 2.0 if by_turns else 0.0)


def _nearest(a, told):
    """The basis that is nearest to another one, in the space that the matrix maps to 0."""
    projected = told - np.linalg.pinv(a) @ (a @ told)
    lower = np.linalg.cholesky(projected.T @ projected)
    return np.linalg.solve(lower, projected.T).T


def _reflected_by_turns(a):
    """What reflections of rows and columns by turns, which make the matrix bidiagonal, leave of the
    last axes (Golub and Kahan 1965).
    """
    rows, columns = a.shape
    left = np.array(a, np.float64)
    axes = np.eye(columns)
    for k in range(rows):
        normal = _normal(left[k, k:])
        left[k:, k:] = _reflected(left[k:, k:], normal)
        axes[:, k:] = _reflected(axes[:, k:], normal)
        if k + 2 < rows:
            normal = _normal(left[k + 1 :, k])
            left[k + 1 :, k:] = _reflected(left[k + 1 :, k:].T, normal).T
    return axes[:, rows:]


def _normal(line):
    """The unit normal of the mirror that turns a line to its first axis; 0 where it lies there."""
    rest = np.sum(line[1:] ** 2)
    is_there = rest == 0.0
    size = np.sqrt(np.where(is_there, 1.0, line[0] ** 2 + rest))
    normal = np.append(line[0] + np.where(line[0] < 0.0, -size, size), line[1:])
    length = np.sqrt(np.where(is_there, 1.0, np.sum(normal * normal)))
    return np.where(is_there, 0.0, normal / length)


def _reflected(lines, normal):
    return lines - 2.0 * np.outer(lines @ normal, normal)


def _null_space(A, rcond, lapack_driver):
    from scipy.linalg import null_space as found

    return found(A, rcond, lapack_driver=lapack_driver)


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
