"""Sparse matrices of ``scipy.sparse`` times arrays, by the entries that they store.

A matrix that was made outside of the program is read, in the order in which it stores its entries;
products and solutions are ops.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, refuse
from symdiff.definitions.libraries import when_imported


def sparse_product(data, rows, columns, x, count):
    """A sparse matrix of ``count`` rows times an array: an op."""
    raise TypeError("sparse_product is staged")


def sparse_solve(data, rows, columns, b, by_rows):
    """The solution of equations whose matrix is sparse: an op."""
    raise TypeError("sparse_solve is staged")


class Entries:
    """A sparse matrix by the places of its entries and the entries themselves."""

    __array_ufunc__ = None  # an array before it leaves the product to it

    def __init__(self, data, rows, columns, shape, is_array, kind):
        self.data, self.rows, self.columns, self.shape = data, rows, columns, shape
        self.is_array = is_array  # whose ``*`` goes by elements; that of matrices is ``@``
        self.kind = kind  # how equations with the matrix are solved

    @property
    def T(self):
        shape = self.shape[1], self.shape[0]
        kind = {"csr": "csc", "csc": "csr"}.get(self.kind, self.kind)
        return Entries(self.data, self.columns, self.rows, shape, self.is_array, kind)

    def _with(self, data, kind):
        return Entries(data, self.rows, self.columns, self.shape, self.is_array, kind)

    def transpose(self):
        return self.T

    def conj(self):
        return self._with(self.data.conj(), self.kind)

    def __matmul__(self, other):
        return self.dot(other)

    def dot(self, other):
        x = np.asarray(other)
        if x.ndim not in (1, 2):
            refuse(f"an array in {x.ndim} dimensions")
        return sparse_product(self.data, self.rows, self.columns, x, self.shape[0])

    def __rmatmul__(self, other):
        x = np.asarray(other)
        return self.T.dot(x) if x.ndim == 1 else self.T.dot(x.T).T

    def tocsr(self):
        return self._with(self.data, "csr")

    def tocsc(self):
        return self._with(self.data, "csc")

    def tocoo(self):
        return self._with(self.data, "coo")

    def __mul__(self, other):
        if np.ndim(other) == 0:
            return self._with(self.data * other, self.kind)
        if self.is_array:
            refuse("elementwise products (write @ for matrix products)")
        return self.dot(other)

    def __rmul__(self, other):
        return self * other if self.is_array or np.ndim(other) == 0 else other @ self

    def toarray(self):
        dense = np.zeros(self.shape, self.data.dtype)
        np.add.at(dense, (self.rows, self.columns), self.data)
        return dense


def _making(kind, is_array):
    """A matrix that the program makes, of entries in one of the forms that the formats have."""

    def made(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        if isinstance(arg1, Entries):
            return Entries(arg1.data, arg1.rows, arg1.columns, arg1.shape, is_array, kind)
        if not isinstance(arg1, tuple) or shape is None:
            refuse("anything but entries, their places and shape=")
        data = np.asarray(arg1[0])
        if dtype is not None:
            data = data.astype(dtype)
        if len(arg1) == 2:
            rows, columns = arg1[1]
        elif kind == "csr":
            columns = arg1[1]
            rows = np.repeat(np.arange(shape[0]), np.diff(arg1[2]))
        elif kind == "csc":
            rows = arg1[1]
            columns = np.repeat(np.arange(shape[1]), np.diff(arg1[2]))
        else:
            refuse("three arrays")
        return Entries(data, np.asarray(rows), np.asarray(columns), shape, is_array, kind)

    return made


# Matrices made outside ----------------------------------------------------------------------------


def entries_of(matrix):
    """The entries of a matrix in one of the formats that list them."""
    if isinstance(matrix, Entries):
        return matrix
    from scipy.sparse import spmatrix

    kind, shape = matrix._format, matrix._shape
    if len(shape) != 2:
        refuse("sparse arrays that are no matrices")
    if kind == "coo":
        found = hasattr(matrix, "coords")  # not in older versions
        rows, columns = matrix.coords if found else (matrix.row, matrix.col)
    elif kind == "csr":
        columns = matrix.indices
        rows = np.repeat(np.arange(shape[0]), np.diff(matrix.indptr))
    elif kind == "csc":
        rows = matrix.indices
        columns = np.repeat(np.arange(shape[1]), np.diff(matrix.indptr))
    else:
        refuse(f"a matrix in the format {kind!r} (convert it by .tocsr())")
    return Entries(matrix.data, rows, columns, shape, not isinstance(matrix, spmatrix), kind)


def _product(self, other):
    return entries_of(self).dot(other)


def _product_from_the_left(self, other):
    return other @ entries_of(self)


def _times(self, other):
    return entries_of(self) * other


def _times_from_the_left(self, other):
    return other * entries_of(self)


def _transposed(self):
    return entries_of(self).T


def _transpose(self, axes=None, copy=False):
    return entries_of(self).T


def _shape(self):
    return self._shape


def _dense(self, order=None):
    return entries_of(self).toarray()


def spsolve(A, b, permc_spec=None, use_umfpack=True):
    entries, right = entries_of(A), np.asarray(b)
    if right.ndim != 1:
        refuse("several right sides (solve for one after the other)")
    by_rows = entries.kind == "csr"
    return sparse_solve(entries.data, entries.rows, entries.columns, right, by_rows)


@when_imported("scipy.sparse")
def register(sparse):
    """Say what the methods of sparse matrices mean."""
    methods: dict[str, Any] = {
        **{"__matmul__": _product, "dot": _product, "__rmatmul__": _product_from_the_left},
        **{"__mul__": _times, "__rmul__": _times_from_the_left, "transpose": _transpose},
        **{"T": _transposed, "shape": _shape, "toarray": _dense},
    }
    for kind in ("csr", "csc", "coo"):
        for suffix in ("array", "matrix"):
            made = getattr(sparse, f"{kind}_{suffix}")
            DEFINITIONS[made] = _making(kind, suffix == "array")
            for name, definition in methods.items():
                found = getattr(made, name)
                DEFINITIONS[found.fget if isinstance(found, property) else found] = definition


@when_imported("scipy.sparse.linalg")
def register_solve(linalg):
    """Say what solving means."""
    solve: Any = spsolve
    DEFINITIONS[linalg.spsolve] = solve
