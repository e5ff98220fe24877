"""Sparse matrices by the entries that they store and the places of those.

What SciPy stores may depend on which numbers are zero: of such matrices each entry is kept, for its
derivative, and what would show the difference is refused.
"""

import numpy as np

from symdiff.definitions.declare import refuse


def sparse_product(data, rows, columns, x, count):
    """A sparse matrix of ``count`` rows times an array: an op."""
    raise TypeError("sparse_product is staged")


def sparse_solve(data, rows, columns, b, by_rows, umfpack=True):
    """The solution of equations whose matrix is sparse: an op."""
    raise TypeError("sparse_solve is staged")


class Entries:
    """A sparse matrix by the places of its entries and the entries themselves.

    :param kind: the format, by which equations with the matrix are solved.
    :param is_array: whether its ``*`` goes by elements; that of matrices is ``@``.
    :param is_kept: whether the entries are those of SciPy, one by one, which may have fewer.
    :param is_summed: whether it is known that no two entries have one place.
    """

    __array_ufunc__ = None  # an array before it leaves the product to it

    def __init__(self, data, rows, columns, shape, is_array, kind, is_kept=True, is_summed=False):
        self.entries, self.rows, self.columns, self.shape = data, rows, columns, shape
        self.is_array, self.kind, self.is_kept, self.is_summed = is_array, kind, is_kept, is_summed

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a sparse matrix")

    def _refused(self, other=None):
        refuse("a sparse matrix compared, asked for its truth or gone through (use toarray)")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __iter__ = _refused
    __hash__ = None  # type: ignore[assignment]

    # What is stored

    @property
    def data(self):
        if not self.is_kept:
            refuse("the entries of a sparse matrix: which are stored, in which order, is not known")
        return self.entries

    @property
    def nnz(self):
        if not self.is_kept:
            refuse("the attribute nnz of a sparse matrix: how many it stores depends on zeros")
        return len(self.entries)

    @property
    def dtype(self):
        return self.entries.dtype

    @property
    def ndim(self):
        return 2

    @property
    def format(self):
        return self.kind

    @property
    def T(self):
        shape = self.shape[1], self.shape[0]
        kind = {"csr": "csc", "csc": "csr"}.get(self.kind, self.kind)
        given = self.columns, self.rows, shape, self.is_array, kind, self.is_kept, self.is_summed
        return Entries(self.entries, *given)

    def in_format(self, kind):
        """The same matrix in another format: those by rows and columns put the entries in order."""
        if kind is None or kind == self.kind:
            return self
        if kind == "lil":
            return self.tolil()
        made = self._with(self.entries, kind)
        return made.summed() if kind in ("csr", "csc") else made

    def _with(self, data, kind):
        given = self.is_array, kind, self.is_kept, self.is_summed
        return Entries(data, self.rows, self.columns, self.shape, *given)

    def summed(self):
        """The matrix with one entry in each place, sorted: those in one place are added."""
        if self.kind == "csc":
            data, columns, rows = _sorted(self.T)
        else:
            data, rows, columns = _sorted(self)
        return Entries(
            data, rows, columns, self.shape, self.is_array, self.kind, self.is_kept, True
        )

    def _unique(self):
        """The matrix with one entry in each place, in any order."""
        return self if self.is_summed else self.summed()

    # By entries

    def transpose(self, axes=None, copy=False):
        return self.T

    def conj(self, copy=True):
        return self._with(self.entries.conj(), self.kind)

    def conjugate(self, copy=True):
        return self.conj()

    def getH(self):
        return self.conj().T

    def copy(self):
        return self._with(self.entries.copy(), self.kind)

    def astype(self, dtype, casting="unsafe", copy=True):
        return self._with(self.entries.astype(dtype), self.kind)

    def tocsr(self, copy=False):
        return self.in_format("csr")

    def tocsc(self, copy=False):
        return self.in_format("csc")

    def tocoo(self, copy=False):
        return self.in_format("coo")

    def tolil(self, copy=False):
        return Filled(self.toarray(), self.is_array, "lil")

    def asformat(self, format, copy=False):
        return self.in_format(format)

    def __neg__(self):
        return self._with(-self.entries, self.kind)

    def __truediv__(self, other):
        if is_sparse(other) or np.ndim(other) != 0:
            refuse("elementwise quotients")
        floats = self.entries
        if np.can_cast(floats.dtype, np.float64):
            floats = floats.astype(np.float64)
        return self._with(floats * (1.0 / other), self.kind)

    def _each(self, function):
        """A function, which is 0 at 0, of each entry."""
        found = self._unique()
        made = found._with(function(found.entries), found.kind)
        made.is_kept = False
        return made

    def power(self, n, dtype=None):
        if np.ndim(n) != 0 or dtype is not None:
            refuse("power() by anything but one number")
        if n == 0:
            raise NotImplementedError("zero power is not supported as it would densify the matrix")
        return self._each(lambda entries: entries**n)

    def __abs__(self):
        return self._each(np.abs)

    def sqrt(self):
        return self._each(np.sqrt)

    # Products

    def __matmul__(self, other):
        return self.dot(other)

    def dot(self, other):
        if is_sparse(other):
            return _product_of(self, entries_of(other))
        if np.ndim(other) == 0:
            return self.multiply(other)
        x = np.asarray(other)
        if x.ndim not in (1, 2):
            refuse(f"an array in {x.ndim} dimensions")
        if x.shape[0] != self.shape[1]:
            raise ValueError("dimension mismatch")
        if self.kind == "coo" and self.is_array and x.ndim == 1 and self.shape[0] == 1:
            refuse("a COO array of one row times a vector (SciPy gives a number: use tocsr)")
        return sparse_product(self.entries, self.rows, self.columns, x, self.shape[0])

    def __rmatmul__(self, other):
        x = np.asarray(other)
        return self.T.dot(x) if x.ndim == 1 else self.T.dot(x.T).T

    def __mul__(self, other):
        if self.is_array or (not is_sparse(other) and np.ndim(other) == 0):
            return self.multiply(other)
        return self.dot(other)

    def __rmul__(self, other):
        return self.multiply(other) if self.is_array or np.ndim(other) == 0 else other @ self

    def __pow__(self, other):
        if self.is_array:
            return self.power(other)
        if self.shape[0] != self.shape[1]:
            raise TypeError("matrix is not square")
        if not isinstance(other, int):
            refuse("a power that is no whole number")
        if other < 0:
            raise ValueError("exponent must be >= 0")
        if other == 0:
            return _unit(self)
        found = self
        for _ in range(other - 1):
            found = self.dot(found)
        return found

    def multiply(self, other):
        if is_sparse(other):
            return _multiplied(self, entries_of(other))
        if np.ndim(other) == 0:
            return self._with(self.entries * other, self.kind)
        factors = np.broadcast_to(np.asarray(other), self.shape)[self.rows, self.columns]
        made = self._with(self.entries * factors, "coo")
        made.is_kept = False
        return made

    # Sums

    def __add__(self, other):
        if not is_sparse(other):
            return self._plus_array(other)
        other = entries_of(other)
        if self.shape != other.shape:
            raise ValueError("inconsistent shapes")
        return _together((self, other), self.shape, self.is_array)

    def _plus_array(self, other):
        if np.ndim(other) == 0:
            if other == 0:
                return self.copy()
            raise NotImplementedError("adding a nonzero scalar to a sparse array is not supported")
        if not self.is_array:
            refuse("a numpy.matrix, which the sum with an array is (use toarray)")
        return self.toarray() + other

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + (-entries_of(other) if is_sparse(other) else -np.asarray(other))

    def __rsub__(self, other):
        return -self + other

    def sum(self, axis=None):
        if axis is None:
            return np.sum(self.dot(np.ones(self.shape[1], self.entries.dtype)))
        if not self.is_array:
            refuse("axis= (which gives a numpy.matrix; use sparse arrays, or A @ np.ones(n))")
        if not -2 <= axis < 2:
            raise ValueError("axis out of range for ndim")
        axis = axis % 2
        total = np.zeros(self.shape[1 - axis], self.entries.dtype)
        np.add.at(total, self.rows if axis == 1 else self.columns, self.entries)
        return total

    def mean(self, axis=None):
        count = self.shape[0] * self.shape[1] if axis is None else self.shape[axis % 2]
        whole = self.astype(np.float64) if self.entries.dtype.kind in "biu" else self
        return whole._with(whole.entries * (1.0 / count), whole.kind).sum(axis)

    def trace(self, offset=0):
        return np.sum(self.diagonal(offset))

    # Parts

    def __getitem__(self, key):
        both = key if isinstance(key, tuple) else (key, slice(None))
        if len(both) != 2:
            refuse("an index with None, ... or more than two parts")
        shape = self.shape
        places = [_selected(both[axis], shape[axis]) for axis in (0, 1)]
        if _is_number(both[0]) and _is_number(both[1]):
            here = (self.rows == places[0]) & (self.columns == places[1])
            return np.sum(np.where(here, self.entries, np.zeros((), self.entries.dtype)))
        numbers = _is_number(both[0]) or _is_number(both[1])
        if self.is_array and numbers:
            refuse("a row or a column (use toarray, or an index of a list of one: A[[i]])")
        slices = isinstance(both[0], slice) or isinstance(both[1], slice)
        is_open = np.ndim(places[0]) == 2 and np.ndim(places[1]) == 2  # what np.ix_ makes
        if not slices and not numbers and not is_open:
            return self._one_by_one(places)
        found = self
        for axis in (0, 1):
            if not _is_everything(both[axis]):
                found = _taken(found, np.ravel(places[axis]), axis)
        return found

    def _one_by_one(self, places):
        """The elements in places that are given by rows and columns."""
        if not self.is_array:
            refuse("elements one by one (a numpy.matrix: use toarray)")
        rows, columns = np.broadcast_arrays(*places)
        if rows.ndim != 1:
            refuse("indices with more than one axis")
        width = self.shape[1]
        keys = self.rows.astype(np.int64) * width + self.columns
        to, at = _pairs(rows * width + columns, keys)
        found = np.zeros(len(rows), self.entries.dtype)
        np.add.at(found, to, self.entries[at])
        return found

    def __setitem__(self, key, value):
        refuse("elements that are set (set them in A.tolil(), and go on with its tocsr())")

    def setdiag(self, values, k=0):
        refuse("a diagonal that is set (set it in A.tolil(), and go on with its tocsr())")

    def getrow(self, i):
        return self[[i], :]

    def getcol(self, j):
        return self[:, [j]]

    def diagonal(self, k=0):
        """The sums of what stands at the places on a diagonal."""
        first, last = max(0, -k), min(self.shape[0], self.shape[1] - k)
        if first >= last:
            return np.zeros(0, self.entries.dtype)
        on = np.nonzero(self.columns - self.rows == k)[0]
        found = np.zeros(last - first, self.entries.dtype)
        np.add.at(found, self.rows[on] - first, self.entries[on])
        return found

    def toarray(self, order=None, out=None):
        if out is not None:
            refuse("out=")
        dense = np.zeros(self.shape, self.entries.dtype)
        np.add.at(dense, (self.rows, self.columns), self.entries)
        return dense

    def todense(self):
        if not self.is_array:
            refuse("a numpy.matrix (use toarray)")
        return self.toarray()


# Places -------------------------------------------------------------------------------------------


def _is_number(index):
    return not isinstance(index, slice) and np.ndim(index) == 0


def _is_everything(index):
    return isinstance(index, slice) and index == slice(None)


def _selected(index, count):
    """The places along an axis that an index takes."""
    if isinstance(index, slice):
        return np.arange(count)[index]
    if np.ndim(index) == 2:
        return np.arange(count)[np.ravel(index)].reshape(np.shape(index))
    return np.arange(count)[index]


def _sorted(matrix):
    """Entries by rows, and their places: those in one place are added."""
    width = matrix.shape[1]
    keys = matrix.rows.astype(np.int64) * width + matrix.columns
    if matrix.is_summed:
        order = np.argsort(keys)
        return matrix.entries[order], matrix.rows[order], matrix.columns[order]
    found, places = np.unique(keys, return_inverse=True)
    data = np.zeros(len(found), matrix.entries.dtype)
    np.add.at(data, places, matrix.entries)
    rows = found // width
    return data, rows, found - rows * width


def _pairs(left, right):
    """Where in two rows of integers the same one stands: a place in each, pair by pair."""
    order = np.argsort(right, kind="stable")
    ahead = right[order]
    first = np.searchsorted(ahead, left)
    counts = np.searchsorted(ahead, left, side="right") - first
    ends = np.cumsum(counts)
    within = np.arange(np.sum(counts)) - np.repeat(ends - counts, counts)
    return np.repeat(np.arange(len(left)), counts), order[within + np.repeat(first, counts)]


def _taken(matrix, places, axis):
    """The rows or columns in places that are given, some again and again."""
    to, at = _pairs(places, matrix.rows if axis == 0 else matrix.columns)
    data = matrix.entries[at]
    height, width = matrix.shape
    given = matrix.is_array, matrix.kind, False, matrix.is_summed
    if axis == 0:
        return Entries(data, to, matrix.columns[at], (len(places), width), *given)
    return Entries(data, matrix.rows[at], to, (height, len(places)), *given)


def _product_of(one, other):
    if one.shape[1] != other.shape[0]:
        raise ValueError("dimension mismatch")
    left, right = _pairs(one.columns, other.rows)
    data = one.entries[left] * other.entries[right]
    shape = one.shape[0], other.shape[1]
    kind = one.kind if one.kind in ("csr", "csc") else "csr"
    is_array = one.is_array or other.is_array
    made = Entries(data, one.rows[left], other.columns[right], shape, is_array, kind, False)
    return made.summed()


def _multiplied(one, other):
    """The product of elements: what the second has in the places of the first."""
    if one.shape != other.shape:
        refuse("multiply() of matrices of different shapes (use toarray)")
    one, other = one._unique(), other._unique()
    width = one.shape[1]
    left = one.rows.astype(np.int64) * width + one.columns
    right = other.rows.astype(np.int64) * width + other.columns
    to, at = _pairs(left, right)
    data = one.entries[to] * other.entries[at]
    given = one.shape, one.is_array, "csr", False, True
    return Entries(data, one.rows[to], one.columns[to], *given)


def _together(matrices, shape, is_array):
    """The sum of matrices of one shape."""
    data = np.concatenate([one.entries for one in matrices])
    rows = np.concatenate([one.rows for one in matrices])
    columns = np.concatenate([one.columns for one in matrices])
    kind = "csc" if matrices[0].kind == "csc" else "csr"
    return Entries(data, rows, columns, shape, is_array, kind, False).summed()


def _unit(matrix):
    """The matrix with ones on the diagonal."""
    count = matrix.shape[0]
    places, ones = np.arange(count), np.ones(count, matrix.entries.dtype)
    return Entries(ones, places, places, matrix.shape, matrix.is_array, "csr", True, True)


def of_dense(dense, is_array, kind):
    """A matrix of which each element is an entry, the zeros too, which SciPy leaves out."""
    count, width = dense.shape
    rows, columns = np.repeat(np.arange(count), width), np.tile(np.arange(width), count)
    shape = count, width
    return Entries(dense.ravel(), rows, columns, shape, is_array, kind, False, True)


# Matrices filled later (lil, dok) -----------------------------------------------------------------


class Filled(Entries):
    """A sparse matrix of which all elements stand in an array."""

    def __init__(self, dense, is_array, kind):
        self.dense, self.shape, self.is_array, self.kind = dense, dense.shape, is_array, kind
        self.is_kept, self.is_summed = False, True

    @property
    def entries(self):
        return self.dense.ravel()

    @property
    def rows(self):
        return np.repeat(np.arange(self.shape[0]), self.shape[1])

    @property
    def columns(self):
        return np.tile(np.arange(self.shape[1]), self.shape[0])

    @property
    def T(self):
        return Filled(self.dense.T.copy(), self.is_array, self.kind)

    def in_format(self, kind):
        if kind is None or kind == self.kind:
            return self
        return of_dense(self.dense.copy(), self.is_array, kind)

    def copy(self):
        return Filled(self.dense.copy(), self.is_array, self.kind)

    def toarray(self, order=None, out=None):
        if out is not None:
            refuse("out=")
        return self.dense.copy()

    def __setitem__(self, key, value):
        self.dense[key] = value.toarray() if isinstance(value, Entries) else value

    def setdiag(self, values, k=0):
        set_diagonal(self.dense, values, k)


def set_diagonal(dense, values, k):
    """Write to a diagonal, as far as the values reach."""
    first = np.maximum(0, -k)
    count = min(dense.shape[0] - first, dense.shape[1] - first - k)
    if np.ndim(values) > 0:
        values = np.asarray(values)
        count = min(count, len(values))
        values = values[:count]
    places = np.arange(count) + first
    dense[places, places + k] = values


def making_filled(kind, is_array):
    """A matrix that is filled later, or begins as another one is."""

    def made(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        if isinstance(arg1, tuple) and len(arg1) == 2 and np.ndim(arg1[1]) == 0:
            return Filled(np.zeros(arg1, np.float64 if dtype is None else dtype), is_array, kind)
        if shape is not None:
            refuse("shape= beside a matrix")
        given = arg1.toarray() if isinstance(arg1, Entries) else np.array(arg1)
        if given.ndim != 2 or given.dtype.kind not in "iufc":
            refuse("an array that is no matrix of numbers")
        return Filled(given if dtype is None else given.astype(dtype), is_array, kind)

    return made


# Matrices made outside ----------------------------------------------------------------------------


def is_sparse(matrix):
    """Return whether it is a sparse matrix, made here or outside."""
    from scipy.sparse import sparray, spmatrix

    return isinstance(matrix, (Entries, sparray, spmatrix))


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
    elif kind == "dia":
        return _of_diagonals(matrix, shape)
    else:
        refuse(f"a matrix in the format {kind!r} (convert it by .tocsr())")
    return Entries(matrix.data, rows, columns, shape, not isinstance(matrix, spmatrix), kind)


def _of_diagonals(matrix, shape):
    """The entries of a matrix of diagonals, whose numbers stand in the columns of the matrix."""
    from scipy.sparse import spmatrix

    count, width = matrix.data.shape
    columns = np.tile(np.arange(width), count)
    rows = columns - np.repeat(matrix.offsets, width)
    on = np.nonzero((rows >= 0) & (rows < shape[0]) & (columns < shape[1]))[0]
    is_array = not isinstance(matrix, spmatrix)
    data = matrix.data.ravel()[on]
    return Entries(data, rows[on], columns[on], shape, is_array, "dia", False, True)
