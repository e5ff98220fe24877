"""The README is true: its programs print what it shows, its tables are as they are computed.

A block of Python that begins with the name of a file is written to that file and run; the block of
text after it is what it prints. ``UPDATE_README=1`` in the environment writes what is printed, and
the table of calls, into the README. Its ``>>>`` lines are doctests of the suite.
"""

import enum
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.table import FAMILIES, counts, rows, with_table

README = Path(__file__).parents[1] / "README.md"
UPDATE = bool(os.environ.get("UPDATE_README"))
TEXT = README.read_text(encoding="utf-8")
BLOCK = re.compile(
    r"```python\n# (?P<name>\w+\.py)\n(?P<code>.*?)```\n\n```text\n(?P<shown>.*?)```", re.S
)
PROGRAMS = [match["name"] for match in BLOCK.finditer(TEXT)]


def printed(name: str, folder: Path) -> str:
    """What a program of the README prints."""
    (match,) = [match for match in BLOCK.finditer(TEXT) if match["name"] == name]
    (folder / name).write_text(f"# {name}\n{match['code']}", encoding="utf-8")
    run = subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return re.sub(r"\n\n+", "\n\n", run.stdout).strip() + "\n"


def update(name: str, output: str) -> None:
    """Write what a program prints into the README."""

    def filled(match: re.Match[str]) -> str:
        start = match.start("shown") - match.start()
        return match[0][:start] + output + "```" if match["name"] == name else match[0]

    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(filled, text), encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_is_shown(name: str, tmp_path: Path):
    output = printed(name, tmp_path)
    if UPDATE:
        update(name, output)
    match = next(m for m in BLOCK.finditer(README.read_text(encoding="utf-8")) if m["name"] == name)
    assert match["shown"] == output


def test_there_are_programs():
    assert {"quickstart.py", "burgers.py", "model.py"} <= set(PROGRAMS)


def test_what_is_exported_agrees_with_differences(tmp_path: Path):
    printed("burgers.py", tmp_path)
    command = [sys.executable, "-I", "energy_grad.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_first_program_is_the_first_example():
    example = (README.parent / "examples" / "quickstart.py").read_text(encoding="utf-8")
    loss = TEXT[TEXT.index("@sd.differentiable") : TEXT.index("rng = ")].strip()
    assert loss in example


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="older: fewer functions")
def test_the_table_of_calls_is_the_registrys():
    if UPDATE:
        text = README.read_text(encoding="utf-8")
        README.write_text(with_table(text), encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    assert text == with_table(text), "run: python -m symdiff.ops.table README.md"


def test_rows_of_the_table_have_words_as_names_and_hold_what_users_call():
    known = {*FAMILIES.values(), "writes", "methods of arrays", "attributes of arrays"}
    found = dict(rows())
    assert found.keys() <= known
    calls = [name for row in found.values() for _, name in row]
    private = [name for name in calls if "._" in name and not name.endswith("__")]
    assert not private


def test_the_registry_counts_itself():
    said = counts()
    numpys, scipys = map(int, re.findall(r"(\d+) of (?:NumPy|SciPy)", said))
    assert numpys >= 320, said
    assert scipys >= 120, said
    taken, left_out = map(int, re.findall(r"(\d+) (?:taken|refused)", said))
    assert taken > 2 * left_out, said


# Tables -------------------------------------------------------------------------------------------


def section(title: str) -> str:
    return TEXT.split(f"## {title}\n")[1].split("\n## ")[0]


def cells(title: str) -> Iterator[list[str]]:
    """The cells of the rows of the table in a section, below its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    for line in lines[2:]:
        yield [cell.strip() for cell in line.strip("|").split(" | ")]


# The table of refusals ----------------------------------------------------------------------------

LEFT_OUT = {
    "`class`": "def f(x):\n    class C(enum.Enum):\n        A = x\n    return x\n",
    "`with`": "def f(x):\n    with open('there'):\n        return x\n",
    "gone over twice": (
        "def f(x):\n    g = (x for k in [1, 2] if x < k)\n    return sum(g) + max(g)\n"
    ),
    "fromstring": "def f(x):\n    return np.fromstring(np.array([x]))[0]\n",
    "not one number": "def f(x):\n    return np.array([x, x])\n",
}


@pytest.mark.parametrize("construct", LEFT_OUT)
def test_what_is_out_is_refused_with_the_hint(construct: str, tmp_path: Path):
    (hint,) = [row[1] for row in cells("The language") if construct in row[0]]
    path = tmp_path / "left_out.py"
    path.write_text(LEFT_OUT[construct], encoding="utf-8")
    names = {"np": np, "enum": enum}
    exec(compile(LEFT_OUT[construct], path, "exec"), names)
    with pytest.raises(sd.SymdiffError) as raised:
        sd.grad(names["f"])(2.0)
    assert raised.value.hint == hint
    assert raised.value.span is not None
