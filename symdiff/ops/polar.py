"""``u @ vh`` of the singular vectors of a matrix: its derivative needs none of them by itself.

With signs between them, ``r = u @ diag(d) @ vh`` where ``d`` is 1 or -1, it is the turn that comes
nearest to a matrix (Procrustes), among those that are no reflections, too (Kabsch 1976). As
``r* a`` and ``a r*`` are Hermitian, and one of ``r* r`` and ``r r*`` is 1, a change ``t`` of ``a``
turns it by the solution of

    a r* x + x r* a = t - r t* r

whose eigenvalues are the sums ``d[i] s[i] + d[j] s[j]``: singular values may be equal. It is NaN
where such a sum is 0 up to rounding, which leaves the turn open; of a real matrix those of one and
the same singular value do not count, for nothing turns there.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops import support
from symdiff.ops.casts import as_dtype_of, conjugated
from symdiff.ops.declare import EVALUATED, Operation, supporting
from symdiff.ops.flops import nothing, of_matrix
from symdiff.ops.products import adjoint, swapped


def _placed(x: Value, *, transposed: bool, conjugate: bool) -> Value:
    """``u @ vh`` as the program has it, or back."""
    x = swapped(x) if transposed else x
    return conjugated(x) if conjugate else x


def _turned(t: Value, y: Value, r: Value, a: Value, **placed: bool) -> Value:
    """In direction ``t``, by what ``r`` is to ``a``."""
    return polar_turn(as_dtype_of(t, y), a, _placed(y, **placed))


polar_factor: Operation = Operation.of_arrays(
    "polar_factor",
    lambda r, a, *, transposed, conjugate: r,
    lambda r, a, *, transposed, conjugate: r,
    cost="free",
    view=0,
    nondifferentiable=frozenset({0}),
    vjp={
        1: lambda g, y, r, a, **placed: as_dtype_of(
            _turned(_placed(g, **placed), y, r, a, **placed), a
        )
    },
    jvp={
        1: lambda t, y, r, a, **placed: as_dtype_of(
            _placed(_turned(t, y, r, a, **placed), **placed), y
        )
    },
    spelling=lambda node, operands: operands[0],
    sympy=EVALUATED,
    order="operand",
    flops=nothing,
    documentation="The first operand, the product of the singular vectors of the second one;"
    " differentiated by that.",
)


def _infer_turn(t: ArrayType, a: ArrayType, r: ArrayType) -> ArrayType:
    return ArrayType(np.result_type(t.dtype, a.dtype, r.dtype), a.shape)


def _followed(r: Value, a: Value) -> Value:
    """``r`` as what depends on ``a``."""
    node = r.node
    while node is not None and node.op.name in ("transpose", "conjugate"):
        node = node.operands[0].node
    if node is not None and node.op is polar_factor:
        return r
    return polar_factor(r, a, transposed=False, conjugate=False)


def _turn_by_matrix(e: Value, y: Value, t: Value, a: Value, r: Value) -> Value:
    """The derivative of ``polar_turn`` by ``a``, in direction ``e``; symmetric in ``t`` and ``e``.

    That of the equation gives what is skew within the factor; what is not comes of the derivative
    of ``r = r r* r``. Being the third one of a function, it is its own transpose.
    """
    r = _followed(r, a)
    back, moved = adjoint(r), polar_turn(e, a, r)
    rows, columns = r @ back, back @ r

    def within(x: Value) -> Value:
        return rows @ x @ columns

    right, left = adjoint(moved) @ r, moved @ back
    spread = y @ (right + adjoint(right)) + (left + adjoint(left)) @ y
    bent = moved @ adjoint(y) @ r
    bent = bent + r @ adjoint(y) @ moved
    along = within(spread + bent) * -0.5
    changed = (e @ back + a @ adjoint(moved)) @ y + y @ (adjoint(moved) @ a + back @ e)
    crossed = moved @ adjoint(t) @ r
    crossed = crossed + r @ adjoint(t) @ moved
    rest = -(changed + crossed) - (a @ back @ along + along @ back @ a)
    return along + polar_turn(rest - within(rest) * 0.5, a, r)


def _spell_turn(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Call(supporting(support.polar_turn), list(operands), [])


polar_turn: Operation = Operation.of_arrays(
    "polar_turn",
    _infer_turn,
    support.polar_turn,
    raises=True,
    spelling=_spell_turn,
    cost="heavy",
    nondifferentiable=frozenset({2}),
    vjp={
        0: lambda g, y, t, a, r: as_dtype_of(polar_turn(g, a, r), t),
        1: lambda g, y, t, a, r: as_dtype_of(_turn_by_matrix(g, y, t, a, r), a),
    },
    jvp={
        0: lambda e, y, t, a, r: polar_turn(as_dtype_of(e, y), a, r),
        1: lambda e, y, t, a, r: as_dtype_of(_turn_by_matrix(e, y, t, a, r), y),
    },
    order="packed",
    flops=of_matrix(22),
    documentation="How far the product of its singular vectors turns as a matrix changes.",
)
