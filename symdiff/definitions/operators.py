"""Linear operators of ``scipy.sparse.linalg``: matrices known by what they do to vectors.

The function of a user's is followed. Where equations are solved with it, the solver calls it as
SciPy does; derivatives of the solution are those of equations with the matrix that it stands for.
"""

from typing import Any, ClassVar

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, refuse
from symdiff.definitions.entries import Entries, is_sparse
from symdiff.definitions.libraries import when_imported


def _result_type(*given):
    refuse("the dtype of a linear operator")


class Operator:
    """A matrix by products with it, and with its transpose where that is known."""

    __symdiff_functions__: ClassVar[dict[Any, Any]] = {np.result_type: _result_type}
    __array_ufunc__ = None  # an array before it leaves the product to it

    def __init__(self, shape, times, turned=None, by_columns=None):
        self.shape = int(shape[0]), int(shape[1])
        self._times, self._turned, self._by_columns = times, turned, by_columns
        self.ndim = 2

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a linear operator")

    def matvec(self, x):
        given = np.asarray(x)
        count, width = self.shape
        if given.shape not in ((width,), (width, 1)):
            raise ValueError("dimension mismatch")
        found = np.asarray(self._times(given))
        return found.reshape(count) if given.ndim == 1 else found.reshape(count, 1)

    def rmatvec(self, x):
        return self.H.matvec(x)

    def matmat(self, X):
        given = np.asarray(X)
        if self._by_columns is not None:
            return np.asarray(self._by_columns(given))
        return np.hstack([self.matvec(column.reshape(-1, 1)) for column in given.T])

    def rmatmat(self, X):
        return self.H.matmat(X)

    @property
    def H(self):
        if self._turned is None:
            raise NotImplementedError("rmatvec is not defined")
        return Operator((self.shape[1], self.shape[0]), self._turned, self._times)

    @property
    def T(self):
        return self.H

    def adjoint(self):
        return self.H

    def transpose(self):
        return self.H

    def toarray(self):
        """The matrix itself, column by column."""
        return np.stack([self.matvec(row) for row in np.eye(self.shape[1])], axis=1)

    # Sums and products

    def dot(self, x):
        if is_operator(x):
            return _product(self, aslinearoperator(x))
        if np.ndim(x) == 0:
            return _scaled(self, x)
        given = np.asarray(x)
        if given.ndim > 2:
            raise ValueError("expected 1-d or 2-d array or matrix")
        is_vector = given.ndim == 1 or given.shape[1] == 1
        return self.matvec(given) if is_vector else self.matmat(given)

    def __call__(self, x):
        return self.dot(x)

    def __mul__(self, x):
        return self.dot(x)

    def __matmul__(self, x):
        return self.dot(x)

    def __rmul__(self, x):
        if np.ndim(x) == 0:
            return _scaled(self, x)
        return self.__rmatmul__(x)

    def __rmatmul__(self, x):
        refuse("an array before a linear operator (use the operator's transpose)")

    def __neg__(self):
        return _scaled(self, -1)

    def __add__(self, other):
        if not is_operator(other):
            refuse("the sum of a linear operator and something else (use aslinearoperator)")
        return _sum(self, aslinearoperator(other))

    def __sub__(self, other):
        return self + (-other)

    def __pow__(self, power):
        if not isinstance(power, int) or power < 1:
            refuse("a power of a linear operator that is no whole number above 0")
        found = self
        for _ in range(power - 1):
            found = _product(self, found)
        return found


def _turned_of(*operators):
    """Whether of all the transposes are known."""
    return all(operator._turned is not None for operator in operators)


def _scaled(operator, factor):
    def times(x):
        return factor * operator.matvec(x)

    def turned(x):
        return np.conj(factor) * operator.rmatvec(x)

    return Operator(operator.shape, times, turned if _turned_of(operator) else None)


def _sum(one, other):
    if one.shape != other.shape:
        raise ValueError("cannot add operators: shape mismatch")

    def times(x):
        return one.matvec(x) + other.matvec(x)

    def turned(x):
        return one.rmatvec(x) + other.rmatvec(x)

    return Operator(one.shape, times, turned if _turned_of(one, other) else None)


def _product(one, other):
    if one.shape[1] != other.shape[0]:
        raise ValueError("cannot multiply operators: shape mismatch")

    def times(x):
        return one.matvec(other.matvec(x))

    def turned(x):
        return other.rmatvec(one.rmatvec(x))

    shape = one.shape[0], other.shape[1]
    return Operator(shape, times, turned if _turned_of(one, other) else None)


def LinearOperator(shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
    if dtype is not None and np.dtype(dtype).kind == "c":
        refuse("complex linear operators")
    return Operator(shape, matvec, rmatvec, matmat)


def is_operator(A):
    """Return whether it is an operator, made here or outside."""
    if isinstance(A, Operator):
        return True
    return (
        not isinstance(A, (np.ndarray, list, tuple, Entries))
        and not is_sparse(A)
        and hasattr(A, "matvec")
    )


def aslinearoperator(A):
    """The operator of a matrix."""
    if isinstance(A, Operator):
        return A
    if is_operator(A):
        return Operator(A.shape, A.matvec, A.rmatvec, A.matmat)
    found = A if isinstance(A, Entries) or is_sparse(A) else np.atleast_2d(np.asarray(A))
    turned = found.T.conj()
    return Operator(found.shape, found.dot, turned.dot, found.dot)


@when_imported("scipy.sparse.linalg")
def register(linalg):
    """Say what operators are."""
    made: Any = LinearOperator
    of: Any = aslinearoperator
    DEFINITIONS[linalg.LinearOperator] = made
    DEFINITIONS[linalg.aslinearoperator] = of
