"""Emitted source of short functions and of every transform, byte for byte as it was read.

After a change that is meant, ``make golden`` writes the files of ``tests/golden`` anew: read the
difference, and say in the commit why it is there.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.emit.test_golden import NAMES
from tests.golden_functions import SOURCES

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


@pytest.mark.parametrize("name", SOURCES)
def test_source_is_as_it_was_read(name: str, settled: None):
    path, text = GOLDEN / f"{name}.py", SOURCES[name]()
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_file_is_left_over():
    assert {path.stem for path in GOLDEN.glob("*.py")} == {*SOURCES, *NAMES}


@pytest.mark.parametrize("seed", ["0", "1", "2026"])
def test_source_is_the_same_under_every_hash_seed(seed: str):
    names = ["loss_hvp", "nearest_pairs", "dense_norm", "spring_energy"]
    program = f"from tests.golden_functions import *; print([SOURCES[n]() for n in {names}])"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.rstrip("\n") == str([SOURCES[name]() for name in names])
