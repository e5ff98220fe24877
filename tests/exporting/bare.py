"""An environment that has Python's own library and NumPy, or SciPy too, and nothing else."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# Runs every file as a program would be run, and prints the exit code before what it said.
_DRIVER = """
import contextlib, io, sys, traceback, warnings
sys.path[:] = [p for p in sys.path if "site-packages" not in p and "dist-packages" not in p]
sys.path.insert(0, sys.argv[1])
for missing in sys.argv[3].split(","):
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


def alone(folder: Path, packages: Sequence[str]) -> Path:
    """A folder from which only these packages can be imported."""
    folder.mkdir(exist_ok=True)
    for name in packages:
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        package = Path(found.origin).parent
        for part in (package, package.with_name(f"{name}.libs")):
            if part.exists():
                os.symlink(part, folder / part.name)
    return folder


def run_alone(
    files: Sequence[Path], folder: Path, packages: Sequence[str] = ("numpy",)
) -> dict[str, tuple[object, str]]:
    """The exit code and the output of each file, run where there is only NumPy, or these."""
    listing = folder / "files.txt"
    listing.write_text("\n".join(map(str, files)))
    only = alone(folder / "only", packages)
    missing = ",".join({"symdiff", "scipy", "sympy"} - set(packages))
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _DRIVER, str(only), str(listing), missing],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    told = [eval(line, {}) for line in run.stdout.splitlines()]
    return {path: (code, said) for path, code, said in told}
