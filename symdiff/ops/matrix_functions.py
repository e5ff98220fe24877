"""Functions of matrices: ``expm``, ``logm``, ``sqrtm``, and ``solve_sylvester``.

Behind the matrix, the first operand, ``linalg_expm`` and ``linalg_logm`` may have directions:
with k of them they are the k-th derivative, which is linear in each and takes them in any order.
One more direction is one more derivative, of every order; the adjoint by a direction puts the
cotangent in its place and the adjoints in that of the others (Higham 2008, section 3.2). A square
root is the solution of a quadratic equation, and so its derivative that of a Sylvester equation.
"""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.libraries import when_imported
from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops import support
from symdiff.ops.casts import as_dtype_of, is_complex
from symdiff.ops.declare import (
    Operation,
    array_type,
    call,
    dotted,
    lowers,
    static,
    supporting,
)
from symdiff.ops.linalg import common_dtype, square
from symdiff.ops.products import adjoint
from symdiff.ops.ufuncs import staged

MODULE = "scipy.linalg"


def of_scipy(name: str) -> Callable[..., Any]:
    """A function of ``scipy.linalg``, which only a program that has imported it calls."""
    found: Callable[..., Any] = getattr(importlib.import_module(MODULE), name)
    return found


@functools.lru_cache(maxsize=64)
def _dtype(name: str, *dtypes: np.dtype) -> np.dtype:
    """The dtype of a function's result, tried on unit matrices; some take no other byte order."""
    try:
        dtype: np.dtype = of_scipy(name)(*(np.eye(2, dtype=d) for d in dtypes)).dtype
    except (TypeError, ValueError) as error:
        raise rejection(type(error), *error.args) from None
    return dtype


def _double(a: Value, name: str) -> Value:
    """A matrix in double precision: of others it depends on the values what dtype SciPy gives."""
    dtype = array_type(a).dtype
    if dtype.char not in "dD" and dtype.kind not in "iub":
        raise UnsupportedCallError(
            f"{MODULE}.{name} of {dtype.name}, which is of one dtype or another",
            hint="pass a matrix in double precision: a.astype(float), or a.astype(complex)",
        )
    return a


# exponentials and logarithms ----------------------------------------------------------------------


def _infer(name: str) -> Callable[..., ArrayType]:
    def infer(a: ArrayType, *directions: ArrayType) -> ArrayType:
        dtypes = [_dtype(name, square(a).dtype), *(e.dtype for e in directions)]
        return ArrayType(np.result_type(*dtypes), a.shape)

    return infer


def _evaluate(name: str) -> Callable[..., Any]:
    def evaluate(a: Any, *directions: Any) -> Any:
        if not directions:
            value = of_scipy(name)(a)
        else:
            value = support.matrix_function_along(of_scipy(name), a, *directions)
        return value if name == "expm" else support.real_as(a, value)

    return evaluate


def _spell(name: str) -> Callable[..., ast.expr]:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        function = dotted(f"{MODULE}.{name}")
        if len(operands) == 1:
            made = ast.Call(function, list(operands), [])
        else:
            along = supporting(support.matrix_function_along)
            made = ast.Call(along, [function, *operands], [])
        if name == "expm" or array_type(node.operands[0]).dtype.kind == "c":
            return made
        return ast.Call(supporting(support.real_as), [operands[0], made], [])

    return spell


def _adjoints(operands: Sequence[Value], without: int) -> list[Value]:
    return [adjoint(x) for k, x in enumerate(operands) if k != without]


def _matrix_function(name: str, documentation: str) -> Operation:
    def vjp(position: int, g: Value, y: Value, *operands: Value) -> Value:
        if position == 0:
            share = operation(*_adjoints(operands, -1), g)
        else:
            share = operation(*_adjoints(operands, position), g)
        return as_dtype_of(share, operands[position])

    def jvp(position: int, t: Value, y: Value, *operands: Value) -> Value:
        kept = [x for k, x in enumerate(operands) if k != position or k == 0]
        return as_dtype_of(operation(*kept, t), y)

    operation: Operation = Operation.of_arrays(
        f"linalg_{name}",
        _infer(name),
        _evaluate(name),
        raises=True,
        cost="heavy",
        spelling=_spell(name),
        repeated=frozenset({0}),
        vjp=vjp,
        jvp=jvp,
        example=f"linalg_{name}(A)",
        documentation=documentation,
    )
    return operation


expm = _matrix_function(
    "expm", "The exponential of a matrix, or its derivative along directions, one or more."
)
logm = _matrix_function(
    "logm", "The logarithm of a matrix, or its derivative along directions, one or more."
)

# Sylvester equations ------------------------------------------------------------------------------


def _infer_sylvester(a: ArrayType, b: ArrayType, q: ArrayType) -> ArrayType:
    return ArrayType(common_dtype(a, b, q), (square(a).shape[0], square(b).shape[0]))


def _right_share(g: Value, a: Value, b: Value) -> Value:
    return solve_sylvester(adjoint(a), adjoint(b), g)


solve_sylvester: Operation = Operation.of_arrays(
    "linalg_solve_sylvester",
    _infer_sylvester,
    lambda a, b, q: of_scipy("solve_sylvester")(a, b, q),
    raises=True,
    cost="heavy",
    spelling=call(f"{MODULE}.solve_sylvester"),
    vjp={
        0: lambda g, y, a, b, q: as_dtype_of(-(_right_share(g, a, b) @ adjoint(y)), a),
        1: lambda g, y, a, b, q: as_dtype_of(-(adjoint(y) @ _right_share(g, a, b)), b),
        2: lambda g, y, a, b, q: as_dtype_of(_right_share(g, a, b), q),
    },
    jvp={
        0: lambda t, y, a, b, q: -solve_sylvester(a, b, t @ y),
        1: lambda t, y, a, b, q: -solve_sylvester(a, b, y @ t),
        2: lambda t, y, a, b, q: solve_sylvester(a, b, t),
    },
    example="linalg_solve_sylvester(A, M, X)",
    documentation="The solution ``x`` of ``a @ x + x @ b = q``.",
)

# square roots -------------------------------------------------------------------------------------


def _sqrtm_vjp(g: Value, y: Value, a: Value) -> Value:
    root = adjoint(y)
    return as_dtype_of(solve_sylvester(root, root, g), a)


sqrtm: Operation = Operation.of_arrays(
    "linalg_sqrtm",
    _infer("sqrtm"),
    lambda a: support.real_as(a, of_scipy("sqrtm")(a)),
    raises=True,
    cost="heavy",
    spelling=_spell("sqrtm"),
    repeated=frozenset({0}),
    vjp={0: _sqrtm_vjp},
    jvp={0: lambda t, y, a: as_dtype_of(solve_sylvester(y, y, t), y)},
    example="linalg_sqrtm(A)",
    documentation="The principal square root of a matrix.",
)

# What calls mean ----------------------------------------------------------------------------------


def one_matrix(a: Any, name: str) -> Value:
    """A matrix, and no stack of them."""
    value = staged(a)
    if array_type(value).rank > 2:
        raise UnsupportedCallError(f"{MODULE}.{name} of a stack of matrices")
    return value


def _lower_expm(A: Any) -> Value:
    return expm(staged(A))


def _lower_logm(A: Any, disp: Any = True) -> Value:
    _refuse_estimate(disp, "logm")
    return logm(_double(one_matrix(A, "logm"), "logm"))


def _lower_sqrtm(A: Any, disp: Any = True, blocksize: Any = 64) -> Value:
    _refuse_estimate(disp, "sqrtm")
    return sqrtm(one_matrix(A, "sqrtm"))


def _refuse_estimate(disp: Any, name: str) -> None:
    if static(disp) is not True:
        raise UnsupportedCallError(f"{MODULE}.{name} with disp=False (leave it out)")


def _lower_solve_sylvester(a: Any, b: Any, q: Any) -> Value:
    values = [one_matrix(x, "solve_sylvester") for x in (a, b, q)]
    if len({is_complex(value) for value in values}) > 1:  # SciPy 1.17 may solve other equations
        raise UnsupportedCallError(
            f"{MODULE}.solve_sylvester of real and complex matrices together",
            hint="pass complex matrices, a.astype(complex)",
        )
    return solve_sylvester(*values)


@when_imported(MODULE)
def _register(linalg: ModuleType) -> None:
    lowers(linalg.expm)(_lower_expm)
    lowers(linalg.logm)(_lower_logm)
    lowers(linalg.sqrtm)(_lower_sqrtm)
    lowers(linalg.solve_sylvester)(_lower_solve_sylvester)
