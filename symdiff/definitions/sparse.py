"""Sparse matrices of ``scipy.sparse`` times arrays, by the entries that they store.

A matrix that was made outside of the program is read, in the order in which it stores its entries;
products and solutions are ops.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, known_integer, refuse
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

    def __init__(self, data, rows, columns, shape, is_array, kind, is_ordered=True):
        self.entries, self.rows, self.columns, self.shape = data, rows, columns, shape
        self.is_array = is_array  # whose ``*`` goes by elements; that of matrices is ``@``
        self.kind = kind  # the format, by which equations with the matrix are solved
        self.is_ordered = is_ordered  # the entries are those of SciPy, one by one

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a sparse matrix")

    @property
    def data(self):
        if not self.is_ordered:
            refuse("the entries of a sparse matrix by themselves, which SciPy has put in order")
        return self.entries

    @property
    def dtype(self):
        return self.entries.dtype

    @property
    def ndim(self):
        return 2

    @property
    def T(self):
        shape = self.shape[1], self.shape[0]
        kind = {"csr": "csc", "csc": "csr"}.get(self.kind, self.kind)
        given = self.columns, self.rows, shape, self.is_array, kind, self.is_ordered
        return Entries(self.entries, *given)

    def in_format(self, kind):
        """The same matrix in another format: those by rows and columns put the entries in order."""
        if kind is None or kind == self.kind:
            return self
        if kind not in ("csr", "csc"):
            return self._with(self.entries, kind)
        height, width = self.shape
        by_rows = self.rows * width + self.columns
        order = np.argsort(by_rows if kind == "csr" else self.columns * height + self.rows)
        data, rows, columns = self.entries[order], self.rows[order], self.columns[order]
        return Entries(data, rows, columns, self.shape, self.is_array, kind, False)

    def _with(self, data, kind):
        is_kept = self.is_ordered and (kind == self.kind or kind == "coo")
        return Entries(data, self.rows, self.columns, self.shape, self.is_array, kind, is_kept)

    def transpose(self):
        return self.T

    def conj(self):
        return self._with(self.entries.conj(), self.kind)

    def copy(self):
        return self._with(self.entries, self.kind)

    def astype(self, dtype):
        return self._with(self.entries.astype(dtype), self.kind)

    def __matmul__(self, other):
        return self.dot(other)

    def dot(self, other):
        if is_sparse(other):
            return of_dense(self.dot(entries_of(other).toarray()), self.is_array, self.kind)
        x = np.asarray(other)
        if x.ndim not in (1, 2):
            refuse(f"an array in {x.ndim} dimensions")
        return sparse_product(self.entries, self.rows, self.columns, x, self.shape[0])

    def __rmatmul__(self, other):
        x = np.asarray(other)
        return self.T.dot(x) if x.ndim == 1 else self.T.dot(x.T).T

    def tocsr(self):
        return self.in_format("csr")

    def tocsc(self):
        return self.in_format("csc")

    def tocoo(self):
        return self._with(self.entries, "coo")

    def asformat(self, format):
        return self.in_format(format)

    def __mul__(self, other):
        if np.ndim(other) == 0:
            return self._with(self.entries * other, self.kind)
        if self.is_array:
            refuse("elementwise products (write @ for matrix products)")
        return self.dot(other)

    def __rmul__(self, other):
        return self * other if self.is_array or np.ndim(other) == 0 else other @ self

    def multiply(self, other):
        if is_sparse(other):
            product = self.toarray() * entries_of(other).toarray()
            return of_dense(product, self.is_array, self.kind)
        if np.ndim(other) == 0:
            return self * other
        factors = np.broadcast_to(np.asarray(other), self.shape)[self.rows, self.columns]
        found = self._with(self.entries * factors, "coo")
        found.is_ordered = False
        return found

    def __getitem__(self, key):
        found = self.toarray()[key]
        if found.ndim == 1:
            refuse("a row or a column (use toarray)")
        return of_dense(found, self.is_array, self.kind) if found.ndim == 2 else found

    def __setitem__(self, key, value):
        refuse("elements that are set")

    def __truediv__(self, other):
        if np.ndim(other) != 0:
            refuse("elementwise quotients")
        return self._with(self.entries / other, self.kind)

    def __neg__(self):
        return self._with(-self.entries, self.kind)

    def __add__(self, other):
        other = entries_of(other)
        if self.shape != other.shape:
            raise ValueError("inconsistent shapes")
        return of_dense(self.toarray() + other.toarray(), self.is_array, "csr")

    def __radd__(self, other):
        return entries_of(other) + self

    def __sub__(self, other):
        return self + (-entries_of(other))

    def __rsub__(self, other):
        return entries_of(other) + (-self)

    def sum(self, axis=None):
        if axis is None:
            return np.sum(self.dot(np.ones(self.shape[1], self.entries.dtype)))
        if not self.is_array:
            refuse("axis= (which gives a numpy.matrix; use sparse arrays)")
        axis = axis % 2
        total = np.zeros(self.shape[1 - axis], self.entries.dtype)
        np.add.at(total, self.rows if axis == 1 else self.columns, self.entries)
        return total

    def diagonal(self, k=0):
        return np.diagonal(self.toarray(), k)

    def trace(self, offset=0):
        return np.trace(self.toarray(), offset)

    def toarray(self):
        dense = np.zeros(self.shape, self.entries.dtype)
        np.add.at(dense, (self.rows, self.columns), self.entries)
        return dense

    def todense(self):
        if not self.is_array:
            refuse("a numpy.matrix (use toarray)")
        return self.toarray()


def of_dense(dense, is_array, kind):
    """A matrix of which each element is an entry, the zeros too, which SciPy leaves out."""
    count, width = dense.shape
    rows, columns = np.repeat(np.arange(count), width), np.tile(np.arange(width), count)
    return Entries(dense.ravel(), rows, columns, (count, width), is_array, kind, False)


def _making(kind, is_array):
    """A matrix that the program makes, of entries in one of the forms that the formats have."""

    def made(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        if isinstance(arg1, Entries):
            found = arg1.asformat(kind)
            given = found.rows, found.columns, found.shape, is_array, kind, found.is_ordered
            return Entries(found.entries, *given)
        if isinstance(arg1, np.ndarray):
            if arg1.ndim != 2 or arg1.dtype.kind not in "fc":
                refuse("an array that is no matrix of floats")
            return of_dense(arg1 if dtype is None else arg1.astype(dtype), is_array, kind)
        if not isinstance(arg1, tuple) or shape is None:
            refuse("anything but entries, their places and shape=")
        data = np.asarray(arg1[0])
        if dtype is not None:
            data = data.astype(dtype)
        is_ordered = True
        if len(arg1) == 2:
            rows, columns = arg1[1]
            is_ordered = kind == "coo"
        elif kind == "csr":
            columns = arg1[1]
            rows = np.repeat(np.arange(shape[0]), np.diff(arg1[2]))
        elif kind == "csc":
            rows = arg1[1]
            columns = np.repeat(np.arange(shape[1]), np.diff(arg1[2]))
        else:
            refuse("three arrays")
        places = np.asarray(rows), np.asarray(columns)
        return Entries(data, *places, shape, is_array, kind, is_ordered)

    return made


# By diagonals and blocks --------------------------------------------------------------------------


_UNGIVEN = object()  # as SciPy's own default


def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=_UNGIVEN):
    return _by_diagonals(diagonals, offsets, shape, format, dtype, True)


def diags(diagonals, offsets=0, shape=None, format=None, dtype=_UNGIVEN):
    return _by_diagonals(diagonals, offsets, shape, format, dtype, False)


def _by_diagonals(diagonals, offsets, shape, format, dtype, is_array):
    """Diagonals, each from its first element on; a number is all of one."""
    if np.ndim(offsets) == 0:
        offsets = [offsets]
        if np.ndim(diagonals[0]) > 0:
            raise ValueError("Different number of diagonals and offsets.")
        diagonals = [diagonals]
    lines = [np.atleast_1d(np.asarray(one)) for one in diagonals]
    steps = [known_integer(offset) for offset in offsets]
    if len(lines) != len(steps):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        count = lines[0].shape[0] + abs(steps[0])
        shape = count, count
    data, rows, columns = [], [], []
    for k in range(len(steps)):
        above, below = max(0, steps[k]), max(0, -steps[k])
        length = min(shape[0] - below, shape[1] - above)
        if length < 0:
            raise ValueError(f"Offset {steps[k]} (index {k}) out of bounds")
        data.append(np.broadcast_to(lines[k][:length], (length,)))
        rows.append(np.arange(length) + below)
        columns.append(np.arange(length) + above)
    whole = np.concatenate(data)
    if type(dtype) is object:  # not given: SciPy makes floats of integers, and will not any more
        whole = whole.astype(np.float64) if whole.dtype.kind in "biu" else whole
    elif dtype is not None:
        whole = whole.astype(dtype)
    places = np.concatenate(rows), np.concatenate(columns)
    return Entries(whole, *places, shape, is_array, "dia", False).in_format(format)


def spdiags(data, diags, m=None, n=None, format=None):
    """Diagonals by the columns in which their elements stand."""
    data = np.atleast_2d(np.asarray(data))
    if m is None and n is None:
        m = n = data.shape[1]
    elif n is None:
        m, n = m
    steps = [known_integer(step) for step in np.atleast_1d(np.asarray(diags))]
    count = min(n, data.shape[1])
    columns = np.arange(count)
    entries, rows = [], []
    for k in range(len(steps)):
        own = columns - steps[k]
        entries.append(np.where((own >= 0) & (own < m), data[k, :count], 0.0))
        rows.append(np.clip(own, 0, m - 1))
    places = np.concatenate(rows), np.tile(columns, len(steps))
    made = Entries(np.concatenate(entries), *places, (m, n), False, "dia", False)
    return made.in_format(format)


def block_diag(mats, format=None, dtype=None):
    row, column = 0, 0
    is_array = False
    data, rows, columns = [], [], []
    for one in mats:
        if isinstance(one, Entries):
            block = one
            is_array = is_array or one.is_array
        else:
            block = of_dense(np.atleast_2d(np.asarray(one)), True, "coo")
        data.append(block.entries)
        rows.append(block.rows + row)
        columns.append(block.columns + column)
        row, column = row + block.shape[0], column + block.shape[1]
    whole = np.concatenate(data)
    places = np.concatenate(rows), np.concatenate(columns)
    whole = whole if dtype is None else whole.astype(dtype)
    return Entries(whole, *places, (row, column), is_array, "coo", False).in_format(format)


def hstack(blocks, format=None, dtype=None):
    return _beside(blocks, format, dtype, 1)


def vstack(blocks, format=None, dtype=None):
    return _beside(blocks, format, dtype, 0)


def _beside(blocks, format, dtype, axis):
    """Matrices one behind the other, along an axis."""
    found = [entries_of(one) for one in blocks]
    shift, is_array, kind = 0, False, "csr"
    moved = []
    for one in found:
        moved.append((one.columns if axis == 1 else one.rows) + shift)
        shift = shift + one.shape[axis]
        is_array = is_array or one.is_array
        kind = kind if one.kind == "csr" else "coo"
        if one.shape[1 - axis] != found[0].shape[1 - axis]:
            raise ValueError("incompatible dimensions")
    data = np.concatenate([one.entries for one in found])
    data = data if dtype is None else data.astype(dtype)
    along = np.concatenate(moved)
    across = np.concatenate([one.rows if axis == 1 else one.columns for one in found])
    places = (across, along) if axis == 1 else (along, across)
    other = found[0].shape[1 - axis]
    shape = (other, shift) if axis == 1 else (shift, other)
    return Entries(data, *places, shape, is_array, kind, False).in_format(format)


def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    shape = m, m if n is None else n
    ones = np.ones(1, dtype)
    return _by_diagonals([ones], [k], shape, format, dtype, True)


def eye(m, n=None, k=0, dtype=float, format=None):
    shape = m, m if n is None else n
    return _by_diagonals([np.ones(1, dtype)], [k], shape, format, dtype, False)


def identity(n, dtype="d", format=None):
    return eye(n, dtype=np.dtype(dtype), format=format)


# Matrices made outside ----------------------------------------------------------------------------


def is_sparse(matrix):
    """Return whether it is a sparse matrix, made here or outside."""
    from scipy.sparse import issparse

    return isinstance(matrix, Entries) or issparse(matrix)


def entries_of(matrix):
    """The entries of a matrix in one of the formats that list them."""
    if isinstance(matrix, Entries):
        return matrix
    from scipy.sparse import spmatrix

    if not is_sparse(matrix):
        refuse("a sparse matrix together with what is none")
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


def _plus(self, other):
    return entries_of(self) + other


def _minus(self, other):
    return entries_of(self) - other


def _negative(self):
    return -entries_of(self)


def _multiplied(self, other):
    return entries_of(self).multiply(other)


def _sum(self, axis=None):
    return entries_of(self).sum(axis)


def _diagonal(self, k=0):
    return entries_of(self).diagonal(k)


def _transposed(self):
    return entries_of(self).T


def _transpose(self, axes=None, copy=False):
    return entries_of(self).T


def _shape(self):
    return self._shape


def _dense(self, order=None):
    return entries_of(self).toarray()


# Equations ----------------------------------------------------------------------------------------


def spsolve(A, b, permc_spec=None, use_umfpack=True):
    entries, right = entries_of(A), np.asarray(b)
    if right.ndim != 1:
        refuse("several right sides (solve for one after the other)")
    by_rows = entries.kind == "csr"
    return sparse_solve(entries.entries, entries.rows, entries.columns, right, by_rows)


@when_imported("scipy.sparse")
def register(sparse):
    """Say what the methods of sparse matrices mean."""
    methods: dict[str, Any] = {
        **{"__matmul__": _product, "dot": _product, "__rmatmul__": _product_from_the_left},
        **{"__mul__": _times, "__rmul__": _times_from_the_left, "transpose": _transpose},
        **{"T": _transposed, "shape": _shape, "toarray": _dense, "diagonal": _diagonal},
        **{"__add__": _plus, "__sub__": _minus, "__neg__": _negative},
        **{"multiply": _multiplied, "sum": _sum},
    }
    makers: Any = (diags, diags_array, spdiags, block_diag, hstack, vstack, eye, eye_array)
    for made in (*makers, identity):
        DEFINITIONS[getattr(sparse, made.__name__)] = made
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
