"""Everything that is registered is batched as a loop over the batch computes it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import InternalError, SymdiffError
from tests.registry import table, walk
from tests.registry.differences import parts
from tests.shares import ALL

LANES = 3


def lanes_of(group: walk.Group) -> list[list[Any]]:
    """The operands of each lane; those that are held are the same."""
    case, given = group.cases[0]
    domains = [domain for _, domain in group.example.domains]
    found = []
    for lane in range(LANES):
        name = f"{group.example.name} {lane}"
        made = walk.cases.operands(case, domains, group.dtype, name)
        found.append([a if d.held else b for a, b, d in zip(given, made, domains, strict=True)])
    return found


def looped(function: Any, lanes: list[list[Any]]) -> list[Any] | None:
    """What a loop over the batch gives; None where the function refuses, or lanes do not stack."""
    try:
        results = [function(*lane) for lane in lanes]
        leaves = zip(*(list(parts(result)) for result in results), strict=True)
        return [np.stack([np.asarray(leaf) for leaf in column]) for column in leaves]
    except Exception:
        return None


def batched(group: walk.Group, lanes: list[list[Any]]) -> list[Any]:
    held = [domain.held for _, domain in group.example.domains]
    axes = tuple(None if one else 0 for one in held)
    columns = zip(*lanes, strict=True)
    arguments = [c[0] if one else np.stack(c) for c, one in zip(columns, held, strict=True)]
    result = sd.vmap(group.example.module["f"], in_axes=axes)(*arguments)
    return list(parts(result))


def is_near(a: Any, b: Any) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    bound = 1e4 * np.finfo(a.dtype).eps
    finite = np.abs(b[np.isfinite(b)])
    scale = finite.max() if finite.size else 1.0
    return bool(np.allclose(a, b, rtol=bound, atol=bound * scale, equal_nan=True))


def difference(group: walk.Group) -> str | None:
    """What is wrong with a group, batched; None where nothing is."""
    lanes = lanes_of(group)
    if not lanes[0] or all(domain.held for _, domain in group.example.domains):
        return None
    lanes = [
        [
            x if d.held else np.asarray(x)[()]
            for x, (_, d) in zip(lane, group.example.domains, strict=False)
        ]
        for lane in lanes
    ]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = looped(group.example.module["f"], lanes)
        if wanted is None:
            return None
        try:
            found = batched(group, lanes)
        except InternalError as error:
            return f"{group.title}: {error}"
        except SymdiffError:
            return None  # what depends on values over the batch
        except ValueError as error:
            if "inhomogeneous shape" in str(error):  # positions, of which there are others
                return None
            raise
    near = len(found) == len(wanted) and all(map(is_near, found, wanted))
    return None if near else f"{group.title}: {found} and not {wanted}"


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", walk.registered())
def test_what_is_registered_is_batched_as_a_loop_computes_it(name: str) -> None:
    groups = walk.groups(table.examples_of(name))
    for group in groups if ALL else walk.sample(groups, name):
        wrong = difference(group)
        assert wrong is None, wrong
