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
    """Expressions and matrices with their symbols, which all stand in each or in some entry."""
    import sympy as sp

    many = sp.symbols("a:l", real=True)

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
        "twelve arguments": (sp.sin(sp.Add(*many)) * sp.Mul(*many), list(many)),
        "parts in common": (sp.cos(wave) + wave**2 / (1 + sp.sin(wave)), [x, y, z]),
        "a plain matrix": (sp.Matrix([[x, y], [z, x * y]]), [x, y, z]),
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


def points(count: int) -> dict[str, tuple[Any, ...]]:
    """Arguments of each kind, ``count`` of them."""
    rng = np.random.default_rng(3)
    numbers = [float(number) for number in rng.uniform(0.2, 1.2, count)]
    return {
        "floats": tuple(numbers),
        "NumPy's numbers": tuple(map(np.float64, numbers)),
        "arrays of 10": tuple(rng.uniform(0.2, 1.2, 10) for _ in numbers),
        "arrays of 10,000": tuple(rng.uniform(0.2, 1.2, 10_000) for _ in numbers),
    }


def rows(rounds: int) -> list[str]:
    """A row of the table for each case."""
    lines = []
    for name, (expression, symbols) in cases().items():
        functions = both(expression, symbols)
        found = [ratio(functions, p, rounds) for p in points(len(symbols)).values()]
        lines.append(f"| {name} | {' | '.join(f'{one:.2f}' for one in found)} |")
    return lines


HEADER = f"| | {' | '.join(points(1))} |\n| --- | --- | --- | --- | --- |"


def main() -> int:
    """Run the command."""
    print("Times of `from_sympy`'s functions in times of `lambdify(cse=True)`'s\n")
    print("\n".join([HEADER, *rows(rounds=15)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
