"""Functions that ``from_sympy`` makes beside those of ``lambdify(cse=True)``: ratios of times.

python -m tests.benchmarks.expressions
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Function = Callable[..., Any]


def cases() -> dict[str, tuple[Any, list[Any]]]:
    """Expressions and matrices with their symbols."""
    import sympy as sp

    x, y, z = sp.symbols("x y z", real=True)
    gauss = sp.exp(-((x - y) ** 2) / (2 * z**2)) / (z * sp.sqrt(2 * sp.pi))
    wave = sp.sin(x * y) * sp.exp(-z) + sp.log(1 + x**2) / (1 + y**2) + sp.tanh(x - z)
    turn = sp.Matrix([[sp.cos(x), -sp.sin(x) * y], [sp.sin(x) * z, sp.cos(x)]])
    bent = sp.Piecewise((x**2, x > y), (sp.sqrt(y**2 + 1), True)) * z
    return {
        "Gaussian density": (gauss, [x, y, z]),
        "its gradient": (sp.Matrix([gauss]).jacobian([x, y, z]), [x, y, z]),
        "a dozen operations": (wave, [x, y, z]),
        "their Hessian": (sp.hessian(wave, (x, y, z)), [x, y, z]),
        "rotation": (turn, [x, y, z]),
        "branches": (bent, [x, y, z]),
        "polynomial": (sp.Add(*(x**k * y ** (6 - k) for k in range(7))) + z, [x, y, z]),
    }


def both(expression: Any, symbols: Sequence[Any]) -> dict[str, Function]:
    """What symdiff and SymPy make of an expression."""
    import sympy as sp

    import symdiff as sd

    return {
        "symdiff": sd.from_sympy(expression, symbols),
        "lambdify": sp.lambdify(symbols, expression, "numpy", cse=True),
    }


def ratio(functions: dict[str, Function], arguments: tuple[Any, ...], rounds: int) -> float:
    """The time of symdiff's in times of SymPy's, interleaved; after both have given the same."""
    from tests.benchmarks.timing import interleaved

    ours, theirs = (np.asarray(function(*arguments)) for function in functions.values())
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    calls = {name: (lambda f=function: f(*arguments)) for name, function in functions.items()}
    times = interleaved(calls, rounds)
    return times["symdiff"] / times["lambdify"]


def rows(rounds: int) -> list[str]:
    """A row of the table for each case: numbers, and arrays of 10,000."""
    rng = np.random.default_rng(3)
    points = [(0.7, 0.3, 1.1), tuple(rng.uniform(0.2, 1.2, 10_000) for _ in range(3))]
    lines = []
    for name, (expression, symbols) in cases().items():
        functions = both(expression, symbols)
        is_matrix = hasattr(expression, "shape")
        sizes = points if not is_matrix else points[:1]
        shown = [f"{ratio(functions, point, rounds):.2f}" for point in sizes]
        lines.append(f"| {name} | {' | '.join((*shown, '–')[:2])} |")
    return lines


HEADER = """| | numbers | arrays of 10,000 |
| --- | --- | --- |"""


def main() -> int:
    """Run the command."""
    print("Times of `from_sympy`'s functions in times of `lambdify(cse=True)`'s\n")
    print("\n".join([HEADER, *rows(rounds=15)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
