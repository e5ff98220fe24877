"""Large functions that are called several times: one graph, and one derivative of it."""

import math
import types
from itertools import pairwise

import pytest

import symdiff
from tests.reference import richardson_gradient

STEPS = 130


def _made(folder, body):
    """A module whose function ``large`` has many statements, and what stands in ``body``."""
    lines = ["import math", "import numpy as np", "", "def large(x, y):", "    a, b = x, y"]
    for k in range(STEPS):
        lines.append(
            f"    a, b = 0.5 * a + 0.25 * b * (1.0 - a) + 0.{k} * x, 0.5 * b + 0.1 * a * y"
        )
    lines += ["    return a, b + math.sqrt(y)", "", *body]
    path = folder / "many_statements.py"
    path.write_text("\n".join(lines) + "\n")
    module = types.ModuleType("many_statements")
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


TWICE = [
    "def function(x):",
    "    a, b = large(x, 2.0 * x)",
    "    c, d = large(b, x)",
    "    return a * d + c",
]
TRIED = [
    "def function(x):",
    "    try:",
    "        a, b = large(x, 1.5 * x)",
    "        c, d = large(b, x * x)",
    "        e, f = large(a, d * d)",
    "    except ValueError:",
    "        return x",
    "    return a * d + c + e * f",
]


@pytest.mark.parametrize("body", [TWICE, TRIED], ids=["twice", "tried"])
def test_no_call_of_a_large_function_is_in_its_place(body, tmp_path):
    module = _made(tmp_path, body)
    function = module.function
    assert math.isclose(
        symdiff.grad(function)(0.7), richardson_gradient(function, (0.7,)).value, rel_tol=1e-6
    )
    source = str(symdiff.differentiable(function).source(0.7))
    assert source.count("def large_forward") == 1
    assert len(source.splitlines()) < 12 * STEPS


def test_one_derivative_does_for_what_is_selected_and_for_what_is_not(tmp_path):
    body = [
        "def function(x):",
        "    a, b = large(x, 2.0 * x)",
        "    c, d = large(x, x - 0.7)",  # whose square root has no slope at 0
        "    return a * b + (d if x > 1.0 else c)",
    ]
    module = _made(tmp_path, body)
    reference = [*body[:-1], "    return a * b + c"]
    (tmp_path / "plain").mkdir()
    plain = _made(tmp_path / "plain", reference).function
    # beside 0 the square root that is not selected would raise
    expected = _one_sided(plain, 0.7)
    found = symdiff.grad(module.function)(0.7)
    assert math.isclose(found, expected, rel_tol=1e-6)
    source = str(symdiff.differentiable(module.function).source(0.7))
    assert source.count("def large_backward") == 1


def _one_sided(function, x, step=1e-4):
    """The slope by differences on the right, extrapolated twice."""
    found = [(function(x + h) - function(x)) / h for h in (step, step / 2.0, step / 4.0)]
    first = [2.0 * b - a for a, b in pairwise(found)]
    return (4.0 * first[1] - first[0]) / 3.0
