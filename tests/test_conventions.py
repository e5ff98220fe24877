"""Derivatives at kinks and edges are those of the README's table, and the peers' what they say."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.conventions import (
    CONVENTIONS,
    PEERS,
    RAISES,
    Convention,
    answer,
    function_of,
    stated_answers,
    stated_versions,
    version,
    with_table,
)

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
HOW = "run: python -m tests.conventions README.md"

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def by_reverse(function: Any, point: Any) -> Any:
    return sd.grad(function)(point)


def by_forward(function: Any, point: Any) -> Any:
    """The same by forward mode; of a complex argument by the tangents 1 and 1j."""
    if not isinstance(point, complex):
        return sd.jacobian(function, mode="fwd")(point)
    along = sd.differentiable(function).jvp
    first, second = (along((point,), (tangent,))[1] for tangent in (1.0 + 0.0j, 1.0j))
    return first + 1j * second


@pytest.mark.parametrize("row", CONVENTIONS, ids=lambda row: f"{row.call} at {row.at}")
@pytest.mark.parametrize("derive", [by_reverse, by_forward])
def test_a_convention_is_kept(row: Convention, derive: Any) -> None:
    names: dict[str, Any] = {"np": np, "math": math}
    if "special." in row.call:
        names["special"] = pytest.importorskip("scipy.special")
    function, point = function_of(row.call, names), row.point()
    if row.derivative == RAISES:
        with pytest.raises(np.linalg.LinAlgError):
            derive(function, point)
        return
    found, expected = derive(function, point), eval(row.derivative, {"np": np})
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)
    assert np.shape(found) == np.shape(point)


def test_there_are_rows_enough_and_each_is_there_once() -> None:
    assert len({row.key for row in CONVENTIONS}) == len(CONVENTIONS) >= 40


def test_the_table_in_the_readme_is_that_of_the_rows() -> None:
    assert with_table(TEXT) == TEXT, HOW
    for row in CONVENTIONS:
        assert "?" not in stated_answers(TEXT)[row.key].values(), HOW


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_says_what_the_readme_says(peer: str) -> None:
    found, stated = version(peer), stated_versions(TEXT)[peer]
    if found != stated:
        pytest.skip(f"{peer} {found} is installed, the README tells of {stated}")
    answers = stated_answers(TEXT)
    for row in CONVENTIONS:
        assert answer(peer, row) == answers[row.key][peer], row
