"""Sparse matrices of what several sweeps give at once."""

from __future__ import annotations

from typing import Any

import numpy as np


def _sums_of_units(sweeps: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """A vector a sweep: ones where ``sweeps`` has its number."""
    count = int(sweeps.max(initial=-1)) + 1
    made = np.zeros((count, len(sweeps)), dtype)
    made[sweeps, np.arange(len(sweeps))] = 1
    return made.reshape(count, *shape)


def _sparse_matrix(swept: Any, places: Any, columns: Any, starts: Any, shape: Any) -> Any:
    """The matrix whose entries stand at ``places`` of what the sweeps gave."""
    import scipy.sparse

    entries = np.ravel(swept)[places]
    made = scipy.sparse.csr_array((entries, columns.copy(), starts.copy()), shape=shape)
    made.has_canonical_format = True
    return made


def _as_before(name: str, value: Any, expected: Any) -> None:
    if not np.array_equal(value, expected):
        raise TypeError(f"{name} must be {expected!r}, of which the pattern is, not {value!r}")
