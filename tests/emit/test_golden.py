"""Emitted source, byte for byte: ``tests/golden`` holds what a person has read and found good.

After a change that is meant, ``UPDATE_GOLDEN=1 python -m pytest tests/emit/test_golden.py`` writes
the files anew; read the difference, and say in the commit why it is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symdiff as sd
from tests.programs.registry import Program, load

GOLDEN = Path(__file__).parent.parent / "golden"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))

GRADIENTS = [
    "branches.early_returns",
    "branches.huber",
    "branches.branch_writes_into_array",
    "containers.mlp_cross_entropy",
    "effects.prints_values",
    "float32.small_network",
    "indexing.edges_of_a_graph",
    "indexing.scatter_add_counts_all",
    "indexing.updates_of_slices",
    "linalg.gp_marginal_likelihood",
    "linalg.kalman_filter",
    "lists.append_until_converged",
    "loops.backwards",
    "loops.break_out_of_inner",
    "loops.hand_written_matmul",
    "loops.rosenbrock_loop",
    "loops.triple_nested_with_reuse",
    "recursion.recursion_on_data",
    "scalars_and_math.black_scholes_call",
    "science.ackley",
    "science.attention",
    "science.bundle_adjustment_residual",
    "science.gaussian_mixture",
    "science.gray_scott",
    "science.heat_equation_in_place",
    "science.logistic_regression",
    "science.lorenz",
    "science.lstm",
    "statements.awkward_names",
    "statements.generated_looking_names",
    "views_and_aliasing.overlapping_move",
    "views_and_aliasing.ping_pong_buffers",
    "while_loops.conjugate_gradients",
    "while_loops.newton_sqrt",
    "while_loops.while_true_with_break",
]
PAIRS = ["science.heat_equation_in_place", "science.lorenz", "while_loops.newton_sqrt"]
PROGRAMS = {entry.name: entry for entry in load()}


def oscillation(x: float) -> float:
    return np.sin(x) * x**3  # type: ignore[no-any-return]


def gradient_of(entry: Program) -> str:
    return sd.grad(entry.function, argnums=entry.wrt).source(*entry.arguments(0))


def pair_of(entry: Program) -> str:
    return sd.differentiable(entry.function).source(*entry.arguments(0))


def golden_texts() -> dict[str, str]:
    """The text of each golden file, by its name."""
    texts = {name: gradient_of(PROGRAMS[name]) for name in GRADIENTS}
    texts |= {f"{name}.pair": pair_of(PROGRAMS[name]) for name in PAIRS}
    fourth = sd.derivative(oscillation, order=4).source(1.5)
    return texts | {"oscillation.fourth_derivative": fourth}


@pytest.fixture(scope="module")
def texts(settled: None) -> dict[str, str]:
    return golden_texts()


NAMES = [*GRADIENTS, *(f"{name}.pair" for name in PAIRS), "oscillation.fourth_derivative"]


@pytest.mark.parametrize("name", NAMES)
def test_source_is_as_it_was_read(name: str, texts: dict[str, str]) -> None:
    path = GOLDEN / f"{name}.py"
    text = texts[name].rstrip("\n") + "\n"
    if UPDATE:
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_fourth_derivative_of_a_product_is_short(texts: dict[str, str]) -> None:
    assert len(texts["oscillation.fourth_derivative"].splitlines()) <= 60


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_source_depends_on_no_hash_seed(seed: str, texts: dict[str, str]) -> None:
    program = "from tests.emit.test_golden import golden_texts; print(repr(golden_texts()))"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=GOLDEN.parent.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == repr(texts)
