"""Operations in the programs of eighth derivatives, beside those that SymPy makes with cse.

python -m tests.benchmarks.orders
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]
ORDER = 8


def cases() -> dict[str, tuple[Function, Function]]:
    """Functions of a number, and the same of SymPy's symbols."""
    import sympy as sp

    return {
        "exp(-x*x/2)": (lambda x: np.exp(-x * x / 2), lambda x: sp.exp(-x * x / 2)),
        "1/(1+exp(-x))": (lambda x: 1 / (1 + np.exp(-x)), lambda x: 1 / (1 + sp.exp(-x))),
        "1/(1+25*x*x)": (lambda x: 1 / (1 + 25 * x * x), lambda x: 1 / (1 + 25 * x * x)),
        "sin(x)*exp(-x)": (lambda x: np.sin(x) * np.exp(-x), lambda x: sp.sin(x) * sp.exp(-x)),
        "tanh(x)": (lambda x: np.tanh(x), lambda x: sp.tanh(x)),
        "atan(x)": (lambda x: np.arctan(x), lambda x: sp.atan(x)),
        "log(1+x*x)": (lambda x: np.log(1 + x * x), lambda x: sp.log(1 + x * x)),
        "sqrt(1+x*x)": (lambda x: np.sqrt(1 + x * x), lambda x: sp.sqrt(1 + x * x)),
        "x**9-3*x**5": (lambda x: x**9 - 3 * x**5, lambda x: x**9 - 3 * x**5),
        "(x*x+1)/(x**3+2)": (
            lambda x: (x * x + 1) / (x**3 + 2),
            lambda x: (x * x + 1) / (x**3 + 2),
        ),
        "sin(x*x)": (lambda x: np.sin(x * x), lambda x: sp.sin(x * x)),
        "x*log(x)": (lambda x: x * np.log(x), lambda x: x * sp.log(x)),
        "exp(sin(x))": (lambda x: np.exp(np.sin(x)), lambda x: sp.exp(sp.sin(x))),
        "cos(exp(x))": (lambda x: np.cos(np.exp(x)), lambda x: sp.cos(sp.exp(x))),
    }


def operations(source: str) -> int:
    """How many operations and calls a program has; a negative number is none.

    What runs where Python's floats cannot go on is the same once more.
    """
    trees = list(ast.walk(ast.parse(source).body[0]))
    signs = [t for t in trees if isinstance(t, ast.UnaryOp) and not _is_number(t.operand)]
    return len(signs) + sum(isinstance(tree, ast.BinOp | ast.Call) for tree in trees)


def _is_number(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant)


def of_sympy(function: Function) -> int:
    """How many operations SymPy's derivative has, its common parts taken once."""
    import sympy as sp

    x = sp.Symbol("x")
    parts, (result,) = sp.cse(sp.diff(function(x), x, ORDER))
    return int(sum(part.count_ops() for _, part in parts) + result.count_ops())


def main() -> None:
    import symdiff as sd

    print(f"{'function':18} {'symdiff':>8} {'SymPy':>6}")
    for name, (function, symbolic) in cases().items():
        ours = operations(str(sd.derivative(function, ORDER).source("float")))
        print(f"{name:18} {ours:8} {of_sympy(symbolic):6}")


if __name__ == "__main__":
    main()
