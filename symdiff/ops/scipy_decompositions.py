"""Decompositions as ``scipy.linalg`` gives them: ``eigh``, ``eig``, ``svd``, ``qr``.

Vectors are determined but for signs and phases, which other libraries choose otherwise: so these
are ops of their own, with the rules of NumPy's, which go by the vectors that were given.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, TypeVar

from symdiff.definitions.libraries import when_imported
from symdiff.definitions.matrices import unitary_factor
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Node
from symdiff.ops import decompositions, linalg, support
from symdiff.ops.declare import Operation, SeveralResults, call, dotted, lowers, static, supporting
from symdiff.ops.filters import of_known
from symdiff.ops.matrix_functions import MODULE, of_scipy, one_matrix
from symdiff.ops.ufuncs import staged

_Op = TypeVar("_Op", Operation, SeveralResults)


def _sibling(
    operation: _Op,
    evaluate: Callable[..., Any],
    spelling: Callable[..., ast.expr],
    operands: str = "A",
) -> _Op:
    """NumPy's decomposition, computed by SciPy, which takes no numbers that are not finite."""
    name = f"linalg_{operation.name}"
    example = f"{name}({operands})"
    return replace(
        operation,
        name=name,
        evaluate=evaluate,
        spelling=spelling,
        example=example,
        raises=True,
        harmless=None,
    )


def _evaluate_eigh(a: Any, *, UPLO: str = "L") -> Any:
    return of_scipy("eigh")(a, lower=UPLO == "L")


def _spell_of_triangle(name: str) -> Callable[..., ast.expr]:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        made = ast.Call(dotted(f"{MODULE}.{name}"), list(operands), [])
        if node.attributes.get("UPLO") == "U":
            made.keywords.append(ast.keyword("lower", ast.Constant(False)))
        return made

    return spell


def _evaluate_qr(a: Any, *, mode: str = "reduced") -> Any:
    return of_scipy("qr")(a, mode="full" if mode == "complete" else "economic")


def _spell_qr(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    made = ast.Call(dotted(f"{MODULE}.qr"), list(operands), [])
    if node.attributes.get("mode", "reduced") == "reduced":
        made.keywords.append(ast.keyword("mode", ast.Constant("economic")))
    return made


def _spell_eig(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    made = call(f"{MODULE}.eig")(node, operands)
    return ast.Call(supporting(support.all_complex), [made], [])


eigh = _sibling(linalg.eigh, _evaluate_eigh, _spell_of_triangle("eigh"))
eigvalsh = _sibling(
    linalg.eigvalsh,
    lambda a, *, UPLO="L": of_scipy("eigvalsh")(a, lower=UPLO == "L"),
    _spell_of_triangle("eigvalsh"),
)
eig = _sibling(decompositions.eig, lambda a: support.all_complex(of_scipy("eig")(a)), _spell_eig)
svd = _sibling(
    decompositions.svd,
    lambda a, *, full_matrices=True: of_scipy("svd")(a, full_matrices),
    call(f"{MODULE}.svd", full_matrices=True),
    "X, full_matrices=False",
)
svdvals = _sibling(
    decompositions.svdvals, lambda a: of_scipy("svdvals")(a), call(f"{MODULE}.svdvals"), "X"
)
qr = _sibling(decompositions.qr, _evaluate_qr, _spell_qr)

# What calls mean ----------------------------------------------------------------------------------


def _lower_eigh(
    a: Any,
    b: Any = None,
    *,
    lower: Any = True,
    eigvals_only: Any = False,
    type: Any = 1,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
) -> Any:
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        return NotImplemented
    matrix = one_matrix(a, "eigh")
    more = {} if static(lower) else {"UPLO": "U"}
    return eigvalsh(matrix, **more) if static(eigvals_only) else tuple(eigh(matrix, **more))


def _lower_eig(a: Any, right: Any = True) -> Any:
    matrix = one_matrix(a, "eig")
    return tuple(eig(matrix)) if static(right) else decompositions.eigvals(matrix)


def _lower_svd(a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    matrix = one_matrix(a, "svd")
    if not static(compute_uv):
        return decompositions.svdvals(matrix)
    return tuple(svd(matrix, **({} if static(full_matrices) else {"full_matrices": False})))


def _lower_qr(a: Any, lwork: Any = None, mode: Any = "full", pivoting: Any = False) -> Any:
    if static(pivoting):
        return NotImplemented
    matrix, mode = one_matrix(a, "qr"), static(mode)
    if mode not in ("full", "r", "economic"):
        raise UnsupportedCallError(f"{MODULE}.qr with mode={mode!r}")
    more = {} if mode == "economic" else {"mode": "complete"}
    q, r = qr(matrix, **more)
    return (r,) if mode == "r" else (q, r)


lowers(unitary_factor)(lambda a: decompositions.singular_part(staged(a), part="all")[0])


@when_imported(MODULE)
def _register(module: ModuleType) -> None:
    lowers(module.eigh)(_lower_eigh)
    lowers(module.eigvalsh)(functools.partial(_lower_eigh, eigvals_only=True))
    lowers(module.eig)(_lower_eig)
    lowers(module.eigvals)(lambda a: decompositions.eigvals(one_matrix(a, "eigvals")))
    lowers(module.svd)(_lower_svd)
    lowers(module.svdvals)(lambda a: svdvals(one_matrix(a, "svdvals")))
    lowers(module.qr)(_lower_qr)
    for name in ("dft", "hadamard", "helmert", "invhilbert", "invpascal", "pascal"):
        lowers(getattr(module, name))(of_known(getattr(module, name)))
