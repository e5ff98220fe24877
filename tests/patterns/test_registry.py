"""Patterns of everything that is registered cover what differences find, and are swept right."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import InternalError, SymdiffError
from tests.registry import table, walk
from tests.registry.differences import at_rest, derivative, flat
from tests.shares import ALL

STEP = 0.014
LEAST = 1e-5  # an entry that is smaller counts as none, one that is surer as one


def still(given: tuple[Any, ...]) -> list[Any]:
    """What moves no operand; integers and truths cannot be moved."""
    return [
        np.zeros_like(np.asarray(value, float)) if np.asarray(value).dtype.kind == "f" else None
        for value in given
    ]


def columns(function: Any, given: tuple[Any, ...], k: int) -> Iterator[tuple[int, Any]]:
    """The derivatives by the elements of an operand, with their errors."""
    for place in range(np.size(given[k])):
        along = still(given)
        along[k].reshape(-1)[place] = 1.0
        yield place, derivative(function, given, along, along, 1, STEP)


def complaint(group: walk.Group) -> str | None:
    """What is wrong with the patterns of a group; None where nothing is."""
    function = group.example.module["f"]
    _, given = group.cases[0]
    for k in group.example.wrt:
        made = sd.jacobian(function, k, sparse=True)
        try:
            found, pattern = made(*given).toarray(), made.sparsity(*given).toarray()
        except InternalError as error:
            return f"{group.title}: {error}"
        except SymdiffError:
            continue  # containers, complex numbers, effects, sizes that depend on data
        rest = at_rest(function, given, still(given))
        if not np.allclose(rest.astype(complex), flat(function(*given)), equal_nan=True):
            continue  # what NumPy computes otherwise in more digits: the order of a partition
        for place, estimate in columns(function, given, k):
            sure = np.isfinite(estimate.value) & (estimate.error < LEAST)
            beyond = sure & (abs(estimate.value) > 10 * LEAST) & ~pattern[:, place]
            off = abs(found[:, place] - estimate.value) > 10 * LEAST * (1 + abs(estimate.value))
            if beyond.any() or (sure & off & pattern[:, place]).any():
                return f"{group.title} by {k}: {found[:, place]} and not {estimate.value}"
    return None


@pytest.mark.one_in(96)
@pytest.mark.parametrize("name", walk.registered())
def test_what_is_registered_has_a_pattern_that_covers_it(name: str) -> None:
    groups = [g for g in walk.groups(table.examples_of(name)) if g.dtype == "float64"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for group in groups if ALL else walk.sample(groups, name):
            wrong = complaint(group)
            assert wrong is None, wrong
