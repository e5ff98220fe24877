"""The compiler is loaded when it is first needed; where that fails, the next call goes on."""

import subprocess
import sys

_PROGRAM = """
import sys
import traceback
from importlib.machinery import PathFinder

import numpy as np
from scipy import special

import symdiff

FAILED = []


class Failing:
    # Each module of ops fails once, when it has run, and so does what is loaded with SciPy: NumPy,
    # too, imports its parts late.

    def find_spec(self, name, path=None, target=None):
        if not name.startswith(("symdiff.ops", "symdiff.definitions")) or name in FAILED:
            return None
        spec = PathFinder.find_spec(name, path)
        run = spec.loader.exec_module

        def run_and_fail(module):
            run(module)
            FAILED.append(name)
            raise ImportError(f"cannot import name 'fft' in {name}")

        spec.loader.exec_module = run_and_fail
        return spec


def f(x):
    return np.sum(np.fft.irfft(np.fft.rfft(np.sin(x)))) + np.sum(special.polygamma(0, x))


sys.meta_path.insert(0, Failing())
x = np.array([0.3, 0.7, 1.1, 0.2])
while True:
    known = len(FAILED)
    try:
        gradient = symdiff.grad(f)(x)
        break
    except ImportError as error:
        assert len(FAILED) > known, traceback.format_exc()
assert np.allclose(gradient, np.cos(x) + special.polygamma(1, x))
assert {"symdiff.ops", "symdiff.ops.fourier", "symdiff.ops.effects"} < set(FAILED)
assert {"symdiff.ops.special", "symdiff.definitions.special"} < set(FAILED)
"""


def test_what_failed_to_load_is_loaded_by_the_next_call(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    run = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
