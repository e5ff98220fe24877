"""Sparse Hessians of random programs, against second differences along pairs of elements."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.fuzz.check import copied, load
from tests.fuzz.generate import generate
from tests.registry.differences import derivative

PROGRAMS, FEW, PAIRS = 10, 8, 12
SURE, APART = 1e-4, 1e-3


def unit(arguments: list[Any], k: int, place: int) -> list[Any]:
    """A direction: one element of one argument."""
    along = [np.zeros(np.shape(value)) for value in arguments]
    along[k].reshape(-1)[place] = 1.0
    return along


@pytest.mark.parametrize("kind", ["any", "control"])
@pytest.mark.parametrize("seed", range(PROGRAMS))
@pytest.mark.one_in(4)
def test_hessians_are_those_of_differences(seed: int, kind: str, tmp_path: Path) -> None:
    module = load(generate(seed, kind), tmp_path / f"program_{kind}_{seed}.py")
    arguments = list(module.CASES[0])

    def program(*given: Any) -> Any:
        return module.program(*copied(given))

    for k, value in enumerate(arguments):
        if not (isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size <= FEW):
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if np.ndim(program(*arguments)):
                continue
            found = sd.hessian(module.program, k, sparse=True)(*copied(arguments)).toarray()
            pairs = list(itertools.combinations_with_replacement(range(value.size), 2))
            for i, j in pairs[:: max(len(pairs) // PAIRS, 1)]:
                ways = (unit(arguments, k, place) for place in (i, j))
                wanted = derivative(program, arguments, *ways, 2, 0.014)
                if not np.isfinite(wanted.value).all() or wanted.error.max() > SURE:
                    continue
                bound = APART * (1.0 + abs(wanted.value[0]))
                assert abs(found[i, j] - wanted.value[0]) < bound, (i, j)
                assert abs(found[j, i] - wanted.value[0]) < bound, (j, i)
