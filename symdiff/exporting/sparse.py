"""Sparse matrices in a module: seeds of their sweeps, and places of entries, as constants.

A pattern is that of sizes and integers: the functions of a module take those of the call that it
was written for, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.errors import SignatureError
from symdiff.exporting.constants import Constants, is_small
from symdiff.exporting.examples import with_drawn
from symdiff.exporting.request import Exported, Sparse
from symdiff.ir.signature import Specification, leaves
from symdiff.ir.types import ArrayType, Multiple
from symdiff.runtime.calling import follow

Parameters = Sequence[tuple[str, Specification]]


def lengths_of(parameters: Parameters, arguments: Sequence[Any]) -> dict[str, int]:
    """How long what sizes are named after is in the call."""
    names = [name for name, _ in parameters]
    found: dict[str, int] = {}
    for name, kind in parameters:
        for path, leaf in leaves(kind, (name,)):
            if isinstance(leaf, ArrayType) and leaf.shape:
                lengths = np.shape(follow(path, names, arguments))
                for dim, length in zip(leaf.shape, lengths, strict=True):
                    if not isinstance(dim, int):
                        known = Multiple.of(dim)
                        found[known.symbol] = known.of_length(length)
    return found


def integers_in(parameters: Parameters, arguments: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The arguments that are integers, by name, with their values.

    :raises SignatureError: for integers in containers, and for large arrays of them.
    """
    for (name, kind), value in zip(parameters, arguments, strict=False):
        found = [leaf for _, leaf in leaves(kind, (name,)) if _is_integer(leaf)]
        if found and (found != [kind] or not is_small(value)):
            raise _fixed(name)
        if found:
            yield name, value


def refuse_integers(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays of integers outside the function as parameters.

    :raises SignatureError: for such an array.
    """
    for name, value in arrays.items():
        if value.dtype.kind in "biu":
            raise _fixed(name)


def _fixed(name: str) -> SignatureError:
    return SignatureError(
        f"the pattern of a sparse derivative depends on the integers in {name}",
        hint='let the function read them from outside of it, and export with constants="file"',
    )


def _is_integer(leaf: Any) -> bool:
    return isinstance(leaf, ArrayType) and leaf.dtype.kind in "biu"


def example_of(arguments: Sequence[Any]) -> list[Any]:
    """The arguments for a check: those of the call, large arrays drawn."""
    return [with_drawn(value) for value in arguments]


def seeded(exported: Exported, matrix: Sparse, constants: Constants) -> str:
    """The statement that gives the sweeps their seeds."""
    sweeps = constants.keep(f"{exported.name}_sweeps", matrix.sweeps)
    like = matrix.like
    given = f"{sweeps}, {like.shape}, {like.dtype.name!r}"
    return f"{matrix.vector} = _sums_of_units({given})"


def returned(exported: Exported, matrix: Sparse, call: str, constants: Constants) -> str:
    """The statement that returns the matrix of what the sweeps give."""
    arrays: Mapping[str, np.ndarray] = {
        "places": matrix.places,
        "columns": matrix.columns,
        "starts": matrix.starts,
    }
    names = [constants.keep(f"{exported.name}_{n}", array) for n, array in arrays.items()]
    return f"return _sparse_matrix({call}, {', '.join(names)}, {matrix.shape})"
