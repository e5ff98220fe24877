"""A fixed part of the fuzzes: random programs, and functions of the libraries.

``make fuzz N=...`` and ``python -m tests.fuzz.packages`` run as many as one likes.
"""

from __future__ import annotations

import faulthandler
import os
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.fuzz import dtypes, effects, packages
from tests.fuzz.analytic import Reference
from tests.fuzz.check import Outcome, check, copied
from tests.fuzz.derivatives import compare_derivatives
from tests.fuzz.generate import generate
from tests.fuzz.minimise import minimise
from tests.fuzz.slopes import mp, slopes

FIRST, PROGRAMS = 30_000, 150
BATCH = 75  # large enough for a share
MOST_NOT_RIGHT = 0.03  # refused; what is wrong or fails otherwise is never tolerated
OF_DTYPES = 60
FURTHER = {"control": 12, "objects": 12, "inputs": 12, "ragged": 12,
           "exits": 5, "generators": 7, "containers": 7, "callees": 7}  # programs  # fmt: skip
MOST_REFUSED = {"inputs": 1, "generators": 2}  # of those
SECOND_ORDER_EVERY = 3
FUNCTIONS = 60


@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, BATCH))
@pytest.mark.one_in(2)
def test_random_programs_are_right_or_fail_aloud_and_seldom(first: int) -> None:
    outcomes = {seed: _outcome(seed) for seed in range(first, first + BATCH)}
    failed = {s: o for s, o in outcomes.items() if o.kind in ("wrong", "crashed")}
    assert not failed, _described(failed)
    undecided = {seed: o for seed, o in outcomes.items() if o.kind != "right"}
    assert len(undecided) <= MOST_NOT_RIGHT * BATCH, _described(undecided)


@pytest.mark.parametrize("kind", FURTHER)
def test_random_programs_of_further_kinds_are_right_or_refused(kind: str) -> None:
    outcomes = {seed: _outcome(seed, kind) for seed in range(FURTHER[kind])}
    failed = {s: o for s, o in outcomes.items() if o.kind in ("wrong", "crashed")}
    assert not failed, _described(failed, kind)
    undecided = {seed: o for seed, o in outcomes.items() if o.kind != "right"}
    assert len(undecided) <= MOST_REFUSED.get(kind, 0), _described(undecided, kind)


def test_programs_of_integers_and_of_floats_of_any_magnitude_are_right() -> None:
    outcomes = {seed: dtypes.check(dtypes.generate(seed)) for seed in range(OF_DTYPES)}
    failed = {s: o for s, o in outcomes.items() if o.kind not in ("right", "unsure")}
    assert not failed, _described(failed, "dtypes")
    assert sum(o.kind == "right" for o in outcomes.values()) >= 0.9 * OF_DTYPES


def test_slopes_are_those_of_a_closed_form() -> None:
    text = "def program(x, k):\n    v = k * (x / 5.0)\n    return np.arctan2(v, 3e-170)\n"
    x, k = np.array([1e-170, 2e150]), np.array([200, 3], "uint8")
    found = slopes(text, {"np": np}, [x, k], (0,))
    b, v = mp.mpf(3e-170), [mp.mpf(one) for one in (k * (x / 5.0)).tolist()]
    wanted = [b / (one**2 + b**2) * n / 5 for one, n in zip(v, (200, 3), strict=True)]
    assert found.slopes is not None
    assert all(abs(found.slopes[i, i] / wanted[i] - 1) < 1e-50 for i in range(2))
    assert found.slopes[0, 1] == found.slopes[1, 0] == 0


def _outcome(seed: int, kind: str = "any") -> Outcome:
    second = seed % SECOND_ORDER_EVERY == 0
    return check(generate(seed, kind), limit=30.0, second=second)


def _described(outcomes: dict[int, Outcome], kind: str = "any") -> str:
    return "\n\n".join(
        f"python -m tests.fuzz --show --kind {kind} --seed {seed}\n{o.message}\n{o.details}"
        for seed, o in outcomes.items()
    )


def test_the_front_end_compiles_or_refuses_functions_of_the_libraries() -> None:
    roots = ("colorsys", "statistics", "calendar", "textwrap", "numpy.lib", "scipy.special",
             "scipy.optimize", "scipy.stats")  # fmt: skip
    everything = packages.function_names(roots)  # told by where functions say they are from
    found = [name for name in everything if ".tests" not in name]
    names = Random(0).sample(found, FUNCTIONS)
    results = packages.compile_many(names)
    bad = [result for result in results if result.kind in packages.BAD]
    assert not bad, _listed(bad)
    assert packages.function_names(roots[-3:]) == [n for n in everything if n.startswith("scipy")]


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x: x.missing, "raises"),
        (lambda x: x, "mistaken"),
        (lambda x: open(os.devnull, "w").close(), "refused"),
        (lambda x: faulthandler._sigsegv(), "refused"),
    ],
)
def test_what_raises_for_certain_is_tried_in_a_process_of_its_own(function: Any, kind: str) -> None:
    effects.install()
    assert packages.confirmed(packages.Call(function, 1, ()), "float") == kind


def test_a_result_that_has_another_length_nearby_is_not_compared() -> None:
    def kept(x: Any) -> Any:
        return np.sin(x[:1]) if x[1] == 0.0 else np.sin(x)

    assert compare_derivatives(kept, (np.array([0.5, 0.0]),)) == "unsure"
    assert compare_derivatives(kept, (np.array([0.5, 0.25]),)) == "right"


def _listed(results: list[packages.Result]) -> str:
    return "\n\n".join(f"{r.function} at {r.spelling}: {r.cause}" for r in results)


def test_a_program_is_the_same_for_a_seed() -> None:
    assert generate(7) == generate(7) != generate(8)
    assert generate(7, "inputs") == generate(7, "inputs") != generate(7)


def test_copies_of_arguments_keep_their_layout() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for given in (x, x.T, x[:, ::-2], np.asfortranarray(x)[1:, :, ::2], x[:0], np.array(2.0)):
        (made,) = copied([given])
        np.testing.assert_array_equal(made, given)
        assert made.strides == given.strides
        assert not np.shares_memory(made, given)


PROGRAM = """
import math
import numpy as np

def program(x, y):
    a = np.zeros(3)
    a[1:] = np.abs(x) * y
    if a[1] > 0.5:
        a *= math.exp(y)
    return np.sum(a ** 2)

CASES = [[np.array([1.0, -2.0]), 0.7]]
WRT = (0, 1)
"""


def test_the_reference_is_the_complex_step_where_the_program_allows_it() -> None:
    scope: dict[str, object] = {}
    exec(PROGRAM, scope)
    x, y = np.array([1.0, -2.0]), 0.7
    known = Reference(PROGRAM, scope["program"], [x, y], (0, 1), None)  # type: ignore[arg-type]
    growth = np.exp(2 * y)
    by_x, by_y = 2 * x * y**2 * growth, np.sum(x**2) * (2 * y + 2 * y**2) * growth
    assert known.method == "complex step"
    np.testing.assert_allclose(known.gradient(), [*by_x, by_y], rtol=1e-14)
    second = 4 * x[0] * (y + y**2) * growth
    *by_step, by_least = known.second([np.array([1.0, 0.0]), None], [None, 1.0])
    np.testing.assert_allclose(by_step, second, rtol=1e-7)
    np.testing.assert_allclose(by_least, second, rtol=1e-3)  # a step of 1e-12 loses 12 digits


def test_differences_take_the_place_of_the_complex_step() -> None:
    text = PROGRAM.replace("math.exp(y)", "math.hypot(y, y)")
    scope: dict[str, object] = {}
    exec(text, scope)
    args = [np.array([1.0, -2.0]), 0.7]
    known = Reference(text, scope["program"], args, (0, 1), None)  # type: ignore[arg-type]
    assert known.method == "differences"
    np.testing.assert_allclose(known.gradient()[0], 4 * 0.7**4, rtol=1e-9)


def test_the_reference_has_the_mean_of_both_sides_at_a_kink() -> None:
    for result, expected in [
        ("np.sum(np.abs(x - x[0]))", [-1, 0, 1]),
        ("x[:2].max()", [0.5, 0.5, 0]),
    ]:
        text = f"import numpy as np\n\ndef program(x):\n    return {result}\n"
        scope: dict[str, object] = {}
        exec(text, scope)
        known = Reference(text, scope["program"], [np.array([1.0, 1.0, 3.0])], (0,), None)  # type: ignore[arg-type]
        assert known.method == "complex step"
        np.testing.assert_allclose(known.gradient(), expected, atol=1e-9)


def test_minimising_keeps_what_the_failure_needs() -> None:
    smaller = minimise(PROGRAM, lambda text: "np.zeros(3)" in text and "return" in text)
    assert "math" not in smaller and "np.zeros(3)" in smaller
