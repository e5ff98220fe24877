"""Exported derivatives of programs check themselves where there is only NumPy (and SciPy, of those
that call it); ``make test`` exports a ninth of them.

What cannot stand alone is refused at the user's line: those programs are listed here.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import symdiff as sd
from tests.exporting.bare import run_alone
from tests.programs.registry import Program, load
from tests.shares import ALL, is_drawn
from tests.test_programs import output_weights, under_test

PROGRAMS = [entry for entry in load() if entry.function.__module__.startswith("tests.programs.")]
WITH_SCIPY = [e for e in PROGRAMS if e.function.__module__ == "tests.programs.with_scipy"]
WITH_NUMPY = [entry for entry in PROGRAMS if entry not in WITH_SCIPY]
BATCHES = 4 if ALL else 2

# They change something outside, call what is not followed, or take an object of a class.
REFUSED = frozenset(
    {
        "applied.bootstrapped_standard_error",
        "applied.mixture_after_one_step_of_em",
        "closures.appends_to_a_global_list",
        "closures.counts_its_calls",
        "effects.caches_constants",
        "effects.calls_something_that_writes",
        "effects.counts_in_a_global_dict",
        "effects.draws_noise",
        "effects.effect_free_opaque_call",
        "effects.rebinds_a_global",
        "effects.reparametrised_monte_carlo",
        "effects.warns_when_unusual",
        "effects.writes_a_global_array",
        "methods_and_objects.attribute_written_then_read",
        "methods_and_objects.benchmark_problem",
        "methods_and_objects.bound_method_in_a_variable",
        "methods_and_objects.model_object",
        "methods_and_objects.object_as_argument",
        "methods_and_objects.object_logs_constants",
        "methods_and_objects.oscillate",
        "ragged.said_to_have_a_length",
        "special_methods.messages_and_clocks",
        "with_scipy.softmax_regression",
        "written_as_analyses.descent_with_a_recorder",
        "written_as_analyses.inertia_of_clusters",
        "written_as_frameworks.swallowed_by_the_context",
        "written_as_studies.ammonia_at_equilibrium",
    }
)


def exported(entry: Program, folder: Path) -> Path:
    """The module of a program's gradient; of its forward and backward parts if it is no scalar."""
    function: Any = under_test(entry, sd)
    if output_weights(entry, 0) is None:
        made: Any = sd.grad(function, argnums=entry.wrt)
    else:
        made = sd.differentiable(function)
    path = folder / f"{entry.name.replace('.', '_in_')}.py"
    with redirect_stdout(io.StringIO()):
        made.export(path, *entry.arguments(0))
    return path


@pytest.mark.parametrize("batch", range(BATCHES))
def test_modules_check_themselves_where_there_is_only_numpy(batch: int, tmp_path: Path) -> None:
    check_themselves(WITH_NUMPY[batch::BATCHES], tmp_path, "numpy")


@pytest.mark.skipif(not WITH_SCIPY, reason="SciPy is not installed")
def test_modules_check_themselves_where_there_is_scipy(tmp_path: Path) -> None:
    check_themselves(WITH_SCIPY, tmp_path, "numpy", "scipy")


def check_themselves(entries: list[Program], tmp_path: Path, *packages: str) -> None:
    alone = [entry for entry in entries if entry.name not in REFUSED]
    drawn = [entry for entry in alone if is_drawn(entry.name, 18)] or alone[:1]
    files = [exported(entry, tmp_path) for entry in drawn]
    found = run_alone(files, tmp_path, packages)
    assert len(found) == len(files)
    wrong = {Path(path).stem: (code, said) for path, (code, said) in found.items() if code != 0}
    assert not wrong
    assert all("agrees with" in said for _, said in found.values())


@pytest.mark.parametrize("entry", [e for e in PROGRAMS if e.name in REFUSED], ids=lambda e: e.name)
def test_what_cannot_stand_alone_is_refused_by_line(entry: Program, tmp_path: Path) -> None:
    with pytest.raises(sd.SymdiffError) as caught:
        exported(entry, tmp_path)
    assert caught.value.span is not None
    assert Path(caught.value.span.file).parent.name == "programs"
    assert caught.value.hint
    assert not isinstance(caught.value, sd.InternalError)
    assert list(tmp_path.iterdir()) == []


def test_every_refused_program_is_there() -> None:
    assert {entry.name for entry in PROGRAMS} >= REFUSED  # with SciPy, as the tests have it
    assert len(REFUSED) == 27
