"""An environment that has Python's own library and NumPy, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

# Runs every file as a program would be run, and prints the exit code before what it said.
_DRIVER = """
import contextlib, io, sys, traceback, warnings
sys.path[:] = [p for p in sys.path if "site-packages" not in p and "dist-packages" not in p]
sys.path.insert(0, sys.argv[1])
for missing in ("symdiff", "scipy", "sympy"):
    try:
        __import__(missing)
    except ImportError:
        continue
    raise SystemExit(f"{missing} can be imported")
warnings.simplefilter("ignore", RuntimeWarning)  # where the examples are, functions may overflow
for path in open(sys.argv[2]).read().split("\\n"):
    said, code = io.StringIO(), "ended without exit code"
    with contextlib.redirect_stdout(said):
        try:
            text = open(path, encoding="utf-8").read()
            scope = {"__name__": "__main__", "__file__": path}
            exec(compile(text, path, "exec"), scope)
        except SystemExit as left:
            code = left.code
        except BaseException:
            traceback.print_exc(file=said)
    print(repr((path, code, said.getvalue())))
"""


def numpy_alone(folder: Path) -> Path:
    """A folder in which only NumPy can be imported from."""
    folder.mkdir(exist_ok=True)
    package = Path(np.__file__).parent
    for found in (package, package.with_name("numpy.libs")):
        if found.exists():
            os.symlink(found, folder / found.name)
    return folder


def run_alone(files: Sequence[Path], folder: Path) -> dict[str, tuple[object, str]]:
    """The exit code and the output of each file, run where there is only NumPy."""
    listing = folder / "files.txt"
    listing.write_text("\n".join(map(str, files)))
    only = numpy_alone(folder / "only_numpy")
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _DRIVER, str(only), str(listing)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    told = [eval(line, {}) for line in run.stdout.splitlines()]
    return {path: (code, said) for path, code, said in told}
