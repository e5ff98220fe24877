"""A straight line of thousands of scalar statements, and its adjoint, both written by a program."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STATEMENTS = (
    "{a} = {a} + 0.1 * np.sin({b})",
    "{b} = {b} * (1.0 - 0.01 * {a})",
    "{a} = np.sqrt(1.0 + {a} * {a})",
    "{b} = {b} + 0.5 / {a}",
)


def functions(count: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A function of two floats with ``count`` statements, and its derivative written by hand."""
    text = f"import numpy as np\n\n\n{_program(count)}\n\n{_derivative(count)}"
    folder = Path(tempfile.mkdtemp(prefix="symdiff_straight_line_"))
    path = folder / "straight_line_written.py"
    path.write_text(text, encoding="utf-8")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.straight_line, module.straight_line_by_hand


def _program(count: int) -> str:
    lines = [_STATEMENTS[k % 4].format(a="a", b="b") for k in range(count)]
    return _function("straight_line", [*lines, "return a * b"])


def _derivative(count: int) -> str:
    """Every version of both numbers has a name; what the adjoint shares is computed once."""
    a, b, forward, backward = "a", "b", [], ["by_a, by_b = {b}, {a}"]
    for k in range(count):
        new = f"v{k}"
        if k % 4 == 0:
            forward.append(f"{new} = {a} + 0.1 * np.sin({b})")
            backward.append(f"by_b += 0.1 * by_a * np.cos({b})")
        elif k % 4 == 1:
            forward.append(f"f{k} = 1.0 - 0.01 * {a}; {new} = {b} * f{k}")
            backward.append(f"by_a -= 0.01 * by_b * {b}; by_b *= f{k}")
        elif k % 4 == 2:
            forward.append(f"{new} = np.sqrt(1.0 + {a} * {a})")
            backward.append(f"by_a *= {a} / {new}")
        else:
            forward.append(f"q{k} = 0.5 / {a}; {new} = {b} + q{k}")
            backward.append(f"by_a -= by_b * q{k} / {a}")
        a, b = (new, b) if k % 2 == 0 else (a, new)
    backward[0] = backward[0].format(a=a, b=b)
    lines = [*forward, backward[0], *reversed(backward[1:]), "return by_a, by_b"]
    return _function("straight_line_by_hand", lines)


def _function(name: str, lines: list[str]) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"def {name}(a, b):\n{body}\n"
