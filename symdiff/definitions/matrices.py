"""Matrices of ``scipy.linalg``: solving, factoring and inverting, by ``numpy.linalg``.

Values are SciPy's own; what is said here is differentiated. Options that only save time or memory
are taken and make no difference; stacks of matrices are refused.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse


def _matrix(a: Any) -> Any:
    a = np.asarray(a)
    if a.ndim != 2:
        refuse("stacks of matrices (use numpy.linalg)")
    return a


def solve(
    a: Any,
    b: Any,
    lower: Any = False,
    overwrite_a: Any = False,
    overwrite_b: Any = False,
    check_finite: Any = True,
    assume_a: Any = None,
    transposed: Any = False,
) -> Any:
    if assume_a is not None and assume_a not in ("gen", "general"):
        refuse(f"assume_a={assume_a!r} (leave it out)")
    a = _matrix(a)
    return np.linalg.solve(a.T if transposed else a, b)


def inv(a: Any, overwrite_a: Any = False, check_finite: Any = True, assume_a: Any = None) -> Any:
    if assume_a is not None and assume_a not in ("gen", "general"):
        refuse(f"assume_a={assume_a!r} (leave it out)")
    return np.linalg.inv(_matrix(a))


def det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.det(_matrix(a))


def cholesky(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    a = _matrix(a)
    if lower:
        return np.linalg.cholesky(a)
    return np.linalg.cholesky(a.T.conj()).T.conj()


def solve_triangular(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: Any = False,
    unit_diagonal: Any = False,
    overwrite_b: Any = False,
    check_finite: Any = True,
) -> Any:
    a = _matrix(a)
    if unit_diagonal:
        a = np.tril(a, -1) if lower else np.triu(a, 1)
        a = a + np.eye(a.shape[0], dtype=a.dtype)
    else:
        a = np.tril(a) if lower else np.triu(a)
    if trans in (1, "T"):
        a = a.T
    elif trans in (2, "C"):
        a = a.T.conj()
    return np.linalg.solve(a, b)


def cho_factor(
    a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True
) -> Any:
    a = _matrix(a)
    factor = cholesky(a, lower)
    rest = np.triu(a, 1) if lower else np.tril(a, -1)  # is left as it was
    return factor + rest, lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    c, lower = c_and_lower
    factor = np.tril(_matrix(c)) if lower else np.triu(_matrix(c)).T.conj()
    return np.linalg.solve(factor.T.conj(), np.linalg.solve(factor, b))


def register(linalg: ModuleType) -> None:
    """Say what the functions mean."""
    functions: tuple[Any, ...] = (
        *(solve, inv, det, cholesky, solve_triangular, cho_factor, cho_solve),
    )
    for definition in functions:
        defines(getattr(linalg, definition.__name__), rounded=True)(definition)
