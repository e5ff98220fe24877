"""Functions of ``scipy.linalg`` of stacks of matrices: what they are of each of them.

SciPy goes over the stacks in Python, or in C: so the values are the same.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import STACKED
from symdiff.definitions.libraries import when_imported


def over_stacks(function, cores, kind, args, kwargs):
    """A function of stacks, of which arguments that have names have so many axes of their own.

    :param kind: what several results are in.
    """
    arrays = [None if arg is None else np.asarray(arg) for arg in args[: len(cores)]]
    others = args[len(cores) :]
    for name, _ in cores[len(arrays) :]:
        if name in kwargs:
            given = kwargs.pop(name)
            arrays.append(None if given is None else np.asarray(given))
    batches, shapes = [], []
    for array, (_, core) in zip(arrays, cores, strict=False):
        if array is not None:
            axes = min(array.ndim, 2) if core == "1|2" else core
            batches.append(array.shape[: array.ndim - axes])
            shapes.append(array.shape[array.ndim - axes :])
        else:
            shapes.append(())
    batch = np.broadcast_shapes(*batches)
    count = 1
    for length in batch:
        count *= length
    if count == 0:
        raise ValueError(f"`{function.__name__}` does not support zero-size batches.")
    rows = [
        None if array is None else _row(array, batch, shape, count)
        for array, shape in zip(arrays, shapes, strict=True)
    ]
    found = []
    for k in range(count):
        found.append(
            function(*[None if row is None else row[k] for row in rows], *others, **kwargs)
        )
    if isinstance(found[0], tuple):
        return kind([_stacked([each[i] for each in found], batch) for i in range(len(found[0]))])
    return _stacked(found, batch)


def _row(array, batch, shape, count):
    return np.reshape(np.broadcast_to(array, (*batch, *shape)), (count, *shape))


def _stacked(found, batch):
    row = np.stack(found)
    return np.reshape(row, (*batch, *row.shape[1:]))


_BY_THEMSELVES = {  # what goes over stacks in C
    "solve": (("a", 2), ("b", "1|2")),
    "inv": (("a", 2),),
    "lu": (("a", 2),),
    "solve_continuous_are": tuple([(name, 2) for name in "abqres"]),
    "solve_discrete_are": tuple([(name, 2) for name in "abqres"]),
}


@when_imported("scipy.linalg")
def register(linalg):
    """Find the functions of SciPy's that go over stacks."""
    from scipy._lib import _util

    if not hasattr(_util, "_apply_over_batch"):  # in this version
        return
    code: Any = _util._apply_over_batch(("a", 2))(_documented).__code__
    for name in linalg.__all__:
        function = getattr(linalg, name)
        if getattr(function, "__code__", None) == code:
            held = dict(zip(code.co_freevars, function.__closure__, strict=True))
            pairs = zip(held["names"].cell_contents, held["ndims"].cell_contents, strict=True)
            STACKED[function] = tuple(pairs), list
    for name, cores in _BY_THEMSELVES.items():
        STACKED[getattr(linalg, name)] = cores, tuple


def _documented(a):
    """As SciPy's decorator takes functions.

    Parameters
    ----------
    a : ndarray
        A matrix.
    """
