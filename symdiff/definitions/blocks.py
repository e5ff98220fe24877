"""Sparse matrices made of diagonals, of blocks and of products of other matrices."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import known_integer, registered
from symdiff.definitions.entries import Entries, entries_of, is_sparse, of_dense
from symdiff.definitions.libraries import when_imported

# Diagonals ----------------------------------------------------------------------------------------


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
    made = Entries(whole, *places, tuple(shape), is_array, "dia", False, True)
    return made.in_format(format)


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


# Blocks -------------------------------------------------------------------------------------------


def block_diag(mats, format=None, dtype=None):
    row, column = 0, 0
    is_array = False
    data, rows, columns = [], [], []
    for one in mats:
        if is_sparse(one):
            block = entries_of(one)
            is_array = is_array or block.is_array
        else:
            block = _block(one)
        data.append(block.entries)
        rows.append(block.rows + row)
        columns.append(block.columns + column)
        row, column = row + block.shape[0], column + block.shape[1]
    whole = np.concatenate(data)
    places = np.concatenate(rows), np.concatenate(columns)
    whole = whole if dtype is None else whole.astype(dtype)
    made = Entries(whole, *places, (row, column), is_array, "coo", False)
    return made.in_format(format)


def _block(given):
    """A block, which may be an array."""
    return entries_of(given) if is_sparse(given) else of_dense(np.atleast_2d(given), False, "coo")


def hstack(blocks, format=None, dtype=None):
    return _beside(blocks, format, dtype, 1)


def vstack(blocks, format=None, dtype=None):
    return _beside(blocks, format, dtype, 0)


def _beside(blocks, format, dtype, axis):
    """Matrices one behind the other, along an axis."""
    found = [_block(one) for one in blocks]
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


def bmat(blocks, format=None, dtype=None):
    """Blocks in rows and columns, where None is one without entries."""
    lines = [[None if one is None else _block(one) for one in line] for line in blocks]
    count = len(lines[0])
    heights, widths = [0] * len(lines), [0] * count
    for i in range(len(lines)):
        if len(lines[i]) != count:
            raise ValueError("blocks must be 2-D")
        for j in range(count):
            one = lines[i][j]
            if one is not None:
                heights[i], widths[j] = one.shape
    data, rows, columns, is_array = [], [], [], False
    for i in range(len(lines)):
        for j in range(count):
            one = lines[i][j]
            if one is not None:
                if one.shape != (heights[i], widths[j]):
                    raise ValueError(f"blocks[{i},{j}] has incompatible dimensions")
                data.append(one.entries)
                rows.append(one.rows + sum(heights[:i]))
                columns.append(one.columns + sum(widths[:j]))
                is_array = is_array or one.is_array
    whole = np.concatenate(data)
    whole = whole if dtype is None else whole.astype(dtype)
    places, shape = (np.concatenate(rows), np.concatenate(columns)), (sum(heights), sum(widths))
    return Entries(whole, *places, shape, is_array, "coo", False).in_format(format)


def block_array(blocks, *, format=None, dtype=None):
    made = bmat(blocks, None, dtype)
    made.is_array = True
    return made.in_format(format)


def kron(A, B, format=None):
    """Products of each entry with each."""
    is_array = _is_sparse_array(A) or _is_sparse_array(B)
    one, other = _block(A), _block(B)
    data = (one.entries[:, None] * other.entries).ravel()
    rows = (one.rows.astype(np.int64)[:, None] * other.shape[0] + other.rows).ravel()
    columns = (one.columns.astype(np.int64)[:, None] * other.shape[1] + other.columns).ravel()
    shape = one.shape[0] * other.shape[0], one.shape[1] * other.shape[1]
    kind = "bsr" if format is None else format
    return Entries(data, rows, columns, shape, is_array, kind, False)


def _is_sparse_array(given):
    return is_sparse(given) and entries_of(given).is_array


def kronsum(A, B, format=None):
    one, other = _block(A), _block(B)
    if one.shape[0] != one.shape[1] or other.shape[0] != other.shape[1]:
        raise ValueError("A and B must be square")
    left = kron(identity(other.shape[0]), A)
    total = left + kron(B, identity(one.shape[0]))
    return total.in_format(format)


def tril(A, k=0, format=None):
    return _part(entries_of(A), k, format, False)


def triu(A, k=0, format=None):
    return _part(entries_of(A), k, format, True)


def _part(matrix, k, format, above):
    """What stands on and above a diagonal, or on it and below."""
    steps = matrix.columns - matrix.rows
    on = np.nonzero(steps >= k if above else steps <= k)[0]
    data, rows, columns = matrix.entries[on], matrix.rows[on], matrix.columns[on]
    given = matrix.is_array, "coo", False, matrix.is_summed
    return Entries(data, rows, columns, matrix.shape, *given).in_format(format)


def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    shape = m, m if n is None else n
    ones = np.ones(1, dtype)
    return _by_diagonals([ones], [k], shape, format, dtype, True)


def eye(m, n=None, k=0, dtype=float, format=None):
    shape = m, m if n is None else n
    return _by_diagonals([np.ones(1, dtype)], [k], shape, format, dtype, False)


def identity(n, dtype="d", format=None):
    return eye(n, dtype=np.dtype(dtype), format=format)


@when_imported("scipy.sparse")
def register(sparse):
    """Say what makes matrices of others."""
    lines: Any = (diags, diags_array, spdiags, eye, eye_array, identity)
    blocks: Any = (block_diag, hstack, vstack, bmat, block_array, kron, kronsum, tril, triu)
    registered(sparse, *lines, *blocks)
