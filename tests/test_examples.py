"""Every example runs by itself, as a user would start it, and holds its own result."""

import csv
import gzip
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "examples"

pytest.importorskip("scipy")
pytest.importorskip("sklearn")


def run_example(
    name: str, *arguments: str | Path, folder: Path
) -> subprocess.CompletedProcess[str]:
    """Start an example in an empty folder, with NumPy's warnings as errors."""
    command = [sys.executable, "-W", "error::RuntimeWarning", FOLDER / name, *arguments]
    environment = {**os.environ, "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def output_of(name: str, *arguments: str | Path, folder: Path) -> str:
    run = run_example(name, *arguments, folder=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def write_images(folder: Path, part: str, rows: int, compress: bool) -> None:
    """Three classes of 28 × 28 images in idx files, told apart by which third of them is bright."""
    rng = np.random.default_rng(rows)
    labels = rng.integers(0, 3, size=rows).astype(np.uint8)
    images = rng.integers(0, 60, size=(rows, 28, 28)).astype(np.uint8)
    for image, label in zip(images, labels, strict=True):
        image[9 * label : 9 * label + 9] += 150
    for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
        header = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
        path = folder / f"{part}-{kind}-ubyte{'.gz' if compress else ''}"
        data = header + array.tobytes()
        path.write_bytes(gzip.compress(data) if compress else data)


def write_table(path: Path, rows: int) -> None:
    """Two clouds of points, named, with a column that never changes."""
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as lines:
        table = csv.writer(lines)
        table.writerow(["width", "kind", "height", "constant"])
        for _ in range(rows):
            kind = rng.integers(2)
            width, height = rng.normal(size=2) + 6.0 * kind
            table.writerow([width, ("ash", "oak")[kind], height, 1.5])


@pytest.mark.parametrize(
    "name", sorted(path.name for path in FOLDER.glob("*.py") if path.name != "digits.py")
)
def test_example_holds_its_own_result(name: str, tmp_path: Path):
    assert output_of(name, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_digits_learns_keeps_its_parameters_and_shows_the_code(tmp_path: Path):
    first = output_of("digits.py", "--quick", "--save", "kept.npz", folder=tmp_path)
    assert "a network 64-512-512-10" in first
    assert first.count("test accuracy") == 3
    assert "def " in first.split("generated forward and backward functions")[1]

    # Training goes on from the kept parameters: it starts where it left off, not at 10 %.
    arguments = ("--load", "kept.npz", "--epochs", "1")
    second = output_of("digits.py", *arguments, folder=tmp_path)
    (share,) = [float(line.split()[-1][:-1]) for line in second.splitlines() if "epoch" in line]
    assert share > 85.0


def test_digits_learns_a_table_of_the_users_own(tmp_path: Path):
    write_table(tmp_path / "trees.csv", 300)
    arguments = ("--csv", "trees.csv", "--label", "kind", "--quick")
    output = output_of("digits.py", *arguments, folder=tmp_path)
    assert "trees.csv: 240 rows to learn from, a network 3-512-512-2" in output
    assert final_accuracy(output) > 95.0


@pytest.mark.parametrize("compress", [False, True], ids=["plain", "gzipped"])
def test_digits_learns_a_folder_in_the_format_of_fashion_mnist(tmp_path: Path, compress: bool):
    write_images(tmp_path, "train", 160, compress)
    write_images(tmp_path, "t10k", 60, compress)
    output = output_of("digits.py", "--fashion-mnist", tmp_path, "--quick", folder=tmp_path)
    assert "160 rows to learn from, a network 784-512-512-3" in output
    assert final_accuracy(output) > 95.0


def final_accuracy(output: str) -> float:
    (line,) = [line for line in output.splitlines() if "of the test part right" in line]
    return float(line.split("%")[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--csv", "trees.csv"], "--csv FILE and --label COLUMN go together"),
        (["--csv", "nowhere.csv", "--label", "kind"], "there is no nowhere.csv"),
        (["--csv", "trees.csv", "--label", "species"], "no column 'species'"),
        (["--csv", "trees.csv", "--label", "width"], "every column but 'width' must hold numbers"),
        (["--fashion-mnist", "."], "neither train-images-idx3-ubyte nor"),
    ],
)
def test_digits_refuses_wrong_data_in_one_line(tmp_path: Path, arguments: list[str], message: str):
    write_table(tmp_path / "trees.csv", 10)
    run = run_example("digits.py", *arguments, folder=tmp_path)
    assert run.returncode != 0
    assert message in run.stderr
    assert "Traceback" not in run.stderr
