"""Inverses and solutions of triangular matrices, which the optimiser takes where it knows them.

``lower`` says which triangle there is; the other one is zero. NumPy has no function for them, and
factors a triangular matrix again: ``ops.support`` goes by blocks. The rules are those of any
matrix, in which optimisation finds the triangles again.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdiff.ops import support
from symdiff.ops.batching import stacked
from symdiff.ops.declare import Operation, Rule
from symdiff.ops.flops import of_matrix
from symdiff.ops.linalg import infer_solve, infer_square, inv, solve
from symdiff.ops.meanings import matrix


def _of_any_matrix(rules: Mapping[int, Rule] | Rule) -> dict[int, Rule]:
    """The rules of single operands, without the triangle."""
    assert isinstance(rules, Mapping)

    def told(rule: Rule) -> Rule:
        return lambda *values, lower: rule(*values)

    return {position: told(rule) for position, rule in rules.items()}


triangular_inv: Operation = Operation.of_arrays(
    "triangular_inv",
    lambda a, *, lower: infer_square(a),
    support.triangular_inv,
    raises=True,
    cost="heavy",
    vjp=_of_any_matrix(inv.vjp),
    jvp=_of_any_matrix(inv.jvp),
    sympy=matrix(lambda sp, a, lower: a.inv()),
    jax="_triangular_inv",
    order="packed",
    example="triangular_inv(np.tril(A), lower=True)",
    flops=of_matrix(1, 3),
    batch=stacked,
    documentation="The inverse of a triangular matrix.",
)
triangular_solve: Operation = Operation.of_arrays(
    "triangular_solve",
    lambda a, b, *, lower: infer_solve(a, b),
    support.triangular_solve,
    raises=True,
    cost="heavy",
    vjp=_of_any_matrix(solve.vjp),
    jvp=_of_any_matrix(solve.jvp),
    sympy=matrix(lambda sp, a, b, lower: a.LUsolve(b)),
    jax="_triangular_solve",
    order="packed",
    example="triangular_solve(np.tril(A), B, lower=True)",
    flops=of_matrix(0, right=1),
    batch=solve.batch,
    documentation="The solution ``x`` of ``a @ x = b`` with a triangular ``a``.",
)
