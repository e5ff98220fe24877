"""The programs run on mpmath numbers too: their tangents at forty digits, to the last of float64's.

A program of numbers and arrays that computes with operators alone takes them as it is. One that
would make floats of them (``math.sin``, a write into an array of float64) raises here: what is
rounded on the way is no reference.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from tests import reference
from tests.programs.registry import Program
from tests.test_programs import PROGRAMS, directions, largest, single_precision

DIGITS = 40
ROUNDING = 1e-12  # of some thousand operations in float64, relative to the scale
ENOUGH = 150

WHOLE = [e for e in PROGRAMS if "programs" in e.function.__module__ and not e.equivalent]
REFUSED: list[Any] = []  # what was to be rounded, where a program handles that it cannot be, too
MODULES = sorted({entry.name.partition(".")[0] for entry in WHOLE})


@pytest.fixture(autouse=True)
def _no_floats_of_mpmath_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(number: Any) -> float:
        REFUSED.append(number)
        raise TypeError("an mpmath number is rounded to a float")

    monkeypatch.setattr(mpmath.mpf, "__float__", refuse)


def precise(tree: Any) -> Any:
    """A number or an array, as mpmath has it."""
    if isinstance(tree, np.ndarray):
        return reference.mpmath_array(tree)
    if isinstance(tree, (float, np.floating)):
        return mpmath.mpf(float(tree))
    raise TypeError("a container or an int")


def precise_tangent(entry: Program) -> Any:
    """The tangent of a program's first case; None where it does not run on mpmath numbers."""
    args = entry.arguments(0)
    along = directions(entry, args, 1)

    def moved(h: Any) -> Any:
        pairs = zip(entry.arguments(0), along, strict=True)
        with redirect_stdout(io.StringIO()):
            return entry.function(
                *(a if v is None else precise(a) + h * precise(v) for a, v in pairs)
            )

    REFUSED.clear()
    with mpmath.workdps(DIGITS):
        try:
            if not isinstance(moved(mpmath.mpf(0)), mpmath.mpf):
                return None
            tangent = mpmath.diff(moved, 0)
            return None if REFUSED else tangent
        except Exception:  # whatever a program does with numbers that it was not written for
            return None


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.one_in(4)
def test_tangents_are_right_to_the_rounding_of_floats(module: str) -> None:
    for entry in WHOLE:
        if not entry.name.startswith(f"{module}.") or entry.mutates or single_precision(entry, 0):
            continue
        wanted = precise_tangent(entry)
        if wanted is None:
            continue
        args = entry.arguments(0)
        with redirect_stdout(io.StringIO()):
            value, tangent = sd.jvp(entry.function, args, directions(entry, args, 1))
        scale = max(largest(float(np.squeeze(value))), abs(wanted))
        assert abs(np.squeeze(tangent) - wanted) <= ROUNDING * scale, entry.name


def test_most_kinds_of_programs_run_on_mpmath_numbers() -> None:
    assert sum(precise_tangent(entry) is not None for entry in WHOLE) >= ENOUGH
