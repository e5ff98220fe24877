"""Sparse matrices of ``scipy.sparse``: how they are made, and what their methods mean.

A matrix that was made outside of the program is read, in the order in which it stores its entries;
products and solutions are ops.
"""

from typing import Any

import numpy as np

from symdiff.definitions.blocks import spdiags
from symdiff.definitions.declare import DEFINITIONS, is_one_row, refuse
from symdiff.definitions.entries import (
    Entries,
    entries_of,
    is_sparse,
    making_filled,
    of_dense,
    sparse_solve,
)
from symdiff.definitions.libraries import when_imported


def _making(kind, is_array):
    """A matrix that the program makes, of entries in one of the forms that the formats have."""

    def made(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        if _is_shape(arg1):
            none = np.zeros(0, np.int64)
            entries = np.zeros(0, np.float64 if dtype is None else dtype)
            return Entries(entries, none, none, tuple(arg1), is_array, kind, True, True)
        if is_sparse(arg1):
            found = entries_of(arg1)
            found = found.copy() if dtype is None else found.astype(dtype)
            found.is_array = is_array
            return found.in_format(kind)
        if not isinstance(arg1, tuple):
            dense = np.asarray(arg1) if dtype is None else np.asarray(arg1, dtype)
            return _of_array(dense, shape, is_array, kind)
        data = np.asarray(arg1[0])
        if dtype is not None:
            data = data.astype(dtype)
        if len(arg1) == 2:
            return _of_places(data, arg1[1], shape, is_array, kind)
        return _of_ends(data, arg1[1], arg1[2], shape, is_array, kind)

    return made


def _making_by_diagonals(kind, is_array):
    """A matrix of diagonals, whose numbers stand in the columns of the matrix."""

    def made(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        if not isinstance(arg1, tuple) or len(arg1) != 2 or shape is None:
            refuse("anything but diagonals, their offsets and shape=")
        data = np.asarray(arg1[0])
        found = spdiags(data if dtype is None else data.astype(dtype), arg1[1], *shape)
        found.is_array = is_array
        return found

    return made


def _is_shape(given):
    return isinstance(given, tuple) and len(given) == 2 and np.ndim(given[1]) == 0


def _of_array(dense, shape, is_array, kind):
    """A matrix of an array, which a row is too where no sparse arrays with one axis are made."""
    if dense.ndim == 1 and not is_array:
        dense = dense.reshape(1, -1)
    if dense.ndim != 2 or dense.dtype.kind not in "iufc":
        refuse("an array that is no matrix of numbers")
    if shape is not None and tuple(shape) != dense.shape:
        refuse("shape= beside an array")
    return of_dense(dense, is_array, kind)


def _of_places(data, places, shape, is_array, kind):
    """A matrix of entries and the row and the column of each."""
    if len(places) != 2:
        refuse("places along other than two axes")
    if shape is None:
        shape = _reach(places[0]), _reach(places[1])
    rows, columns = _whole(places[0]), _whole(places[1])
    if data.ndim != 1 or rows.shape != data.shape or columns.shape != data.shape:
        raise ValueError("all index and data arrays must have the same length")
    _require_within(rows, 0, shape[0])
    _require_within(columns, 1, shape[1])
    return Entries(data, rows, columns, tuple(shape), is_array, "coo").in_format(kind)


def _of_ends(data, indices, ends, shape, is_array, kind):
    """A matrix of entries row by row, or column by column, and where each of these ends."""
    if kind == "coo":
        refuse("three arrays")
    count = len(ends) - 1
    if shape is None:
        shape = (count, _reach(indices)) if kind == "csr" else (_reach(indices), count)
    along = np.repeat(np.arange(count), np.diff(ends))
    across = _whole(indices)
    rows, columns = (along, across) if kind == "csr" else (across, along)
    return Entries(data, rows, columns, tuple(shape), is_array, kind)


def _require_within(places, axis, count):
    """What SciPy raises of places that are not there."""
    if np.any(places < 0):
        raise ValueError(f"negative axis {axis} index: {np.min(places)}")
    if np.any(places >= count):
        raise ValueError(f"axis {axis} index {np.max(places)} exceeds matrix dimension {count}")


def _whole(places):
    """Places as whole numbers, which an empty list is not."""
    found = np.asarray(places)
    return found if found.dtype.kind in "iu" else found.astype(np.int64)


def _reach(places):
    """How many rows or columns there have to be."""
    if isinstance(places, (list, tuple)) and len(places) > 0:
        return max(places) + 1
    found = np.asarray(places)
    if len(found) == 0:
        raise ValueError("cannot infer dimensions from zero sized index arrays")
    return int(np.max(found)) + 1


# Matrices made outside ----------------------------------------------------------------------------


_METHODS = (
    *("__matmul__", "__rmatmul__", "__mul__", "__rmul__", "__truediv__", "__pow__", "__neg__"),
    *("__add__", "__radd__", "__sub__", "__rsub__", "__getitem__", "__abs__", "dot", "multiply"),
    *(
        "power",
        "sum",
        "mean",
        "diagonal",
        "trace",
        "transpose",
        "toarray",
        "tolil",
        "getrow",
        "getcol",
    ),
)


def _method(name):
    """What a method means of a matrix that was made outside."""

    def method(self, *args, **keywords):
        return getattr(entries_of(self), name)(*args, **keywords)

    return method


def _transposed(self):
    return entries_of(self).T


def _shape(self):
    return self._shape


def issparse(x):
    return is_sparse(x)


# Equations ----------------------------------------------------------------------------------------


def spsolve(A, b, permc_spec=None, use_umfpack=True):
    if is_sparse(b):
        refuse("a sparse matrix of right sides (use toarray)")
    entries, right = entries_of(A), np.asarray(b)
    if right.ndim == 2 and is_one_row(right.T):
        right = right[:, 0]
    by_rows = entries.kind == "csr"
    return sparse_solve(entries.entries, entries.rows, entries.columns, right, by_rows, use_umfpack)


@when_imported("scipy.sparse")
def register(sparse):
    """Say what the methods of sparse matrices mean."""
    methods: dict[str, Any] = {name: _method(name) for name in _METHODS}
    methods |= {"T": _transposed, "shape": _shape}
    tells: Any = issparse
    DEFINITIONS[sparse.issparse] = tells
    makings: dict[str, Any] = {"csr": _making, "csc": _making, "coo": _making}
    makings |= {"dia": _making_by_diagonals, "lil": making_filled, "dok": making_filled}
    for kind, making in makings.items():
        for suffix in ("array", "matrix"):
            made = getattr(sparse, f"{kind}_{suffix}")
            DEFINITIONS[made] = making(kind, suffix == "array")
            for name, definition in methods.items() if kind not in ("lil", "dok") else ():
                found = getattr(made, name, None)  # of matrices, or in other versions
                if found is not None:
                    DEFINITIONS[found.fget if isinstance(found, property) else found] = definition


@when_imported("scipy.sparse.linalg")
def register_solve(linalg):
    """Say what solving means."""
    solve: Any = spsolve
    DEFINITIONS[linalg.spsolve] = solve
