"""A program may rest on which modules are loaded: compiling it loads no more."""

import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
import symdiff as sd

def f(x):
    return x * x if "a_module_that_is_not_there" not in sys.modules else x

gradient = sd.differentiable(f).grad
assert gradient(3.0) == 6.0
assert len(gradient.signatures()) == 1, gradient.signatures()
"""


def test_a_function_that_asks_for_loaded_modules_is_compiled_once(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
