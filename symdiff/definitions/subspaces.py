"""Bases of what a matrix maps to, and of what it maps to 0, of ``scipy.linalg``.

A basis of what is mapped to 0 turns, where the matrix changes, no further than it has to: with two
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
    return int(np.sum(without_derivative(values) > np.max(without_derivative(values)) * rcond))


def _real(a):
    found = matrix(a)
    if np.iscomplexobj(found):
        refuse("complex matrices")
    return found


def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """The basis that is found, in the space that the matrix maps to 0: where that turns, what is
    nearest to it.
    """
    a = _real(A)
    _, values, turned = np.linalg.svd(without_derivative(a), full_matrices=True)
    near = turned[_count(values, a.shape, rcond) :].T
    told = computed(near, _null_space, A, rcond, lapack_driver)
    projected = told - np.linalg.pinv(a) @ (a @ told)
    lower = np.linalg.cholesky(projected.T @ projected)
    return valued(np.linalg.solve(lower, projected.T).T, told)


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
