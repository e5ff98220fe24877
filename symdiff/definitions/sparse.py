"""Sparse matrices of ``scipy.sparse`` times arrays, by the entries that they store.

A matrix that was made outside of the program is read, in the order in which it stores its entries;
products and solutions are ops.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, refuse
from symdiff.definitions.libraries import when_imported


def sparse_product(data: Any, rows: Any, columns: Any, x: Any, count: Any) -> Any:
    """A sparse matrix of ``count`` rows times an array: an op."""
    raise TypeError("sparse_product is staged")


def sparse_solve(data: Any, rows: Any, columns: Any, b: Any, by_rows: Any) -> Any:
    """The solution of equations whose matrix is sparse: an op."""
    raise TypeError("sparse_solve is staged")


class Entries:
    """A sparse matrix by the places of its entries and the entries themselves."""

    __array_ufunc__ = None  # an array before it leaves the product to it

    def __init__(
        self, data: Any, rows: Any, columns: Any, shape: Any, is_array: Any, kind: Any
    ) -> None:
        self.data, self.rows, self.columns, self.shape = data, rows, columns, shape
        self.is_array = is_array  # whose ``*`` goes by elements; that of matrices is ``@``
        self.kind = kind  # how equations with the matrix are solved

    @property
    def T(self) -> Any:
        shape = self.shape[1], self.shape[0]
        kind = {"csr": "csc", "csc": "csr"}.get(self.kind, self.kind)
        return Entries(self.data, self.columns, self.rows, shape, self.is_array, kind)

    def _with(self, data: Any, kind: Any) -> Any:
        return Entries(data, self.rows, self.columns, self.shape, self.is_array, kind)

    def transpose(self) -> Any:
        return self.T

    def conj(self) -> Any:
        return self._with(self.data.conj(), self.kind)

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other)

    def dot(self, other: Any) -> Any:
        x = np.asarray(other)
        if x.ndim not in (1, 2):
            refuse(f"an array in {x.ndim} dimensions")
        return sparse_product(self.data, self.rows, self.columns, x, self.shape[0])

    def __rmatmul__(self, other: Any) -> Any:
        x = np.asarray(other)
        return self.T.dot(x) if x.ndim == 1 else self.T.dot(x.T).T

    def tocsr(self) -> Any:
        return self._with(self.data, "csr")

    def tocsc(self) -> Any:
        return self._with(self.data, "csc")

    def tocoo(self) -> Any:
        return self._with(self.data, "coo")

    def __mul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self._with(self.data * other, self.kind)
        if self.is_array:
            refuse("elementwise products (write @ for matrix products)")
        return self.dot(other)

    def __rmul__(self, other: Any) -> Any:
        return self * other if self.is_array or np.ndim(other) == 0 else other @ self

    def toarray(self) -> Any:
        dense = np.zeros(self.shape, self.data.dtype)
        np.add.at(dense, (self.rows, self.columns), self.data)
        return dense


def _making(kind: Any, is_array: Any) -> Any:
    """A matrix that the program makes, of entries in one of the forms that the formats have."""

    def made(
        arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False, *, maxprint: Any = None
    ) -> Any:
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


def entries_of(matrix: Any) -> Any:
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


def _product(self: Any, other: Any) -> Any:
    return entries_of(self).dot(other)


def _product_from_the_left(self: Any, other: Any) -> Any:
    return other @ entries_of(self)


def _times(self: Any, other: Any) -> Any:
    return entries_of(self) * other


def _times_from_the_left(self: Any, other: Any) -> Any:
    return other * entries_of(self)


def _transposed(self: Any) -> Any:
    return entries_of(self).T


def _transpose(self: Any, axes: Any = None, copy: Any = False) -> Any:
    return entries_of(self).T


def _shape(self: Any) -> Any:
    return self._shape


def _dense(self: Any, order: Any = None, out: Any = None) -> Any:
    if out is not None:
        refuse("out=")
    return entries_of(self).toarray()


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    entries, right = entries_of(A), np.asarray(b)
    if right.ndim != 1:
        refuse("several right sides (solve for one after the other)")
    by_rows = entries.kind == "csr"
    return sparse_solve(entries.data, entries.rows, entries.columns, right, by_rows)


@when_imported("scipy.sparse")
def register(sparse: ModuleType) -> None:
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
def register_solve(linalg: ModuleType) -> None:
    """Say what solving means."""
    solve: Any = spsolve
    DEFINITIONS[linalg.spsolve] = solve
