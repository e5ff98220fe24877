"""Products of stacks of vectors and matrices, chains of products, equations of tensors.

``vecdot``, ``matvec``, ``vecmat`` pair last axes and broadcast the others; ``multi_dot`` multiplies
in the order that costs least, its derivatives too; ``tensorsolve`` and ``tensorinv`` are reshapes
around ``solve`` and ``inv``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops.casts import conjugated, number_or_array, result_dtype
from symdiff.ops.declare import (
    EVALUATED,
    FUNCTIONS,
    Operation,
    array_type,
    broadcast_shapes,
    lowers,
    static,
    static_integer,
    template,
    ufunc_dtypes,
)
from symdiff.ops.index import index_of
from symdiff.ops.linalg import inv, solve
from symdiff.ops.products import adjoint, as_column, as_row
from symdiff.ops.reduce import unbroadcast_to
from symdiff.ops.sizes import product, sizes_of
from symdiff.ops.ufuncs import computed_in, staged

# vecdot, matvec, vecmat -------------------------------------------------------------------------

_CORE = {"vecdot": (1, 1), "matvec": (2, 1), "vecmat": (1, 2)}


def _infer_of(name: str, function: np.ufunc) -> Callable[..., ArrayType]:
    """The type rule of a product of vectors and matrices, whose ranks are in ``_CORE``."""
    first_rank, second_rank = _CORE[name]

    def infer(first: ArrayType, second: ArrayType) -> ArrayType:
        if first.rank < first_rank or second.rank < second_rank:
            raise rejection(ValueError, f"{name}: Input operand does not have enough dimensions")
        stacks = first.shape[: first.rank - first_rank], second.shape[: second.rank - second_rank]
        _require_same(name, *_summed(name, first.shape, second.shape))
        kept = first.shape[-2:-1] if name == "matvec" else second.shape[-1:]
        shape = (*broadcast_shapes(*stacks), *(() if name == "vecdot" else kept))
        return number_or_array(ufunc_dtypes(function, (first, second))[0], shape)

    return infer


def _summed(name: str, first: tuple[Dim, ...], second: tuple[Dim, ...]) -> tuple[Dim, Dim]:
    return first[-1], second[-2] if name == "vecmat" else second[-1]


def _require_same(name: str, first: Dim, second: Dim) -> None:
    if isinstance(first, int) and isinstance(second, int) and first != second:
        raise rejection(
            ValueError, f"{name}: Input operand 1 has a mismatch in its core dimension 0"
        )


def _fits(node: Node) -> bool:
    """Return whether axes summed over are known to be of one length, and stacks to broadcast."""
    name = node.op.name
    first, second = (array_type(v).shape for v in node.operands)
    ranks = _CORE[name]
    stacks = [s[: len(s) - rank] for s, rank in zip((first, second), ranks, strict=True)]
    whole = broadcast_shapes(*stacks)
    fit = all(s == whole[len(whole) - len(s) :] for s in stacks if s)
    summed = _summed(name, first, second)
    return fit and summed[0] == summed[1]


def _declared(
    name: str, first_vjp: Any, second_vjp: Any, example: str, documentation: str
) -> Operation:
    function = getattr(np, name)
    return Operation.of_arrays(
        name,
        _infer_of(name, function),
        function,
        arithmetic=True,
        raises=True,
        harmless=_fits,
        cost="heavy",
        vjp={0: first_vjp, 1: second_vjp},
        linear="each",
        sympy=EVALUATED,
        example=example,
        documentation=documentation,
    )


def _last_axis(g: Value) -> Value:
    """A cotangent beside the vectors that it is of the product of."""
    return as_column(g) if array_type(g).rank else g


def lower_of(operation: Operation) -> Callable[..., Value]:
    def lowering(x1: Any, x2: Any, /, *, dtype: Any = None) -> Value:
        function = getattr(np, operation.name)
        return operation(*computed_in(function, [staged(x1), staged(x2)], dtype))

    return lowering


vecdot: Operation = _declared(
    "vecdot",
    lambda g, y, x1, x2: unbroadcast_to(_last_axis(conjugated(g)) * x2, x1),
    lambda g, y, x1, x2: unbroadcast_to(_last_axis(g) * x1, x2),
    "np.vecdot(x, w)",
    "Scalar products of vectors, the first ones conjugated.",
)


@lowers(np.vecdot)
def lower_vecdot(
    x1: Any, x2: Any, /, *, axis: Any = -1, keepdims: Any = False, dtype: Any = None
) -> Value:
    operands = computed_in(np.vecdot, [staged(x1), staged(x2)], dtype)
    if static(axis) != -1:
        operands = [FUNCTIONS[np.moveaxis](x, axis, -1) for x in operands]
    made: Value = vecdot(*operands)
    return FUNCTIONS[np.expand_dims](made, axis) if static(keepdims) else made


lowers(np.linalg.vecdot)(lambda x1, x2, /, *, axis=-1: lower_vecdot(x1, x2, axis=axis))


if hasattr(np, "matvec"):  # since NumPy 2.2
    matvec: Operation = _declared(
        "matvec",
        lambda g, y, x1, x2: unbroadcast_to(as_column(g) * as_row(conjugated(x2)), x1),
        lambda g, y, x1, x2: unbroadcast_to(matvec(adjoint(x1), g), x2),
        "np.matvec(Y, t)",
        "Products of matrices and vectors.",
    )
    vecmat: Operation = _declared(
        "vecmat",
        lambda g, y, x1, x2: unbroadcast_to(matvec(x2, conjugated(g)), x1),
        lambda g, y, x1, x2: unbroadcast_to(as_column(x1) * as_row(g), x2),
        "np.vecmat(x, X)",
        "Products of vectors, which are conjugated, and matrices.",
    )
    lowers(np.matvec)(lower_of(matvec))
    lowers(np.vecmat)(lower_of(vecmat))

# multi_dot --------------------------------------------------------------------------------------


def _infer_multi_dot(*matrices: ArrayType) -> ArrayType:
    for matrix in matrices:
        if matrix.rank != 2:
            raise rejection(
                np.linalg.LinAlgError,
                f"{matrix.rank}-dimensional array given. Array must be two-dimensional",
            )
    for one, other in itertools.pairwise(matrices):
        _require_same("multi_dot", one.shape[1], other.shape[0])
    shape = (matrices[0].shape[0], matrices[-1].shape[1])
    return ArrayType(result_dtype(*matrices), shape)


def _links_agree(node: Node) -> bool:
    shapes = [array_type(v).shape for v in node.operands]
    return all(one[1] == other[0] for one, other in itertools.pairwise(shapes))


def _multi_dot_vjp(position: int, g: Value, y: Value, *xs: Value) -> Value:
    """The chain from the operand to both ends, the cotangent between them."""
    before = [adjoint(x) for x in reversed(xs[:position])]
    after = [adjoint(x) for x in reversed(xs[position + 1 :])]
    return unbroadcast_to(multi_dot(*before, g, *after), xs[position])


multi_dot: Operation = Operation.of_arrays(
    "multi_dot",
    _infer_multi_dot,
    lambda *xs: np.linalg.multi_dot(xs),
    arithmetic=True,
    raises=True,
    harmless=_links_agree,
    cost="heavy",
    spelling=template("np.linalg.multi_dot([{...}])"),
    vjp=_multi_dot_vjp,
    linear="each",
    sympy=EVALUATED,
    order="packed",
    example="np.linalg.multi_dot([X, Y, t])",
    documentation="The product of three or more matrices, in the order that costs least.",
)


def _items(arrays: Any) -> Sequence[Any]:
    """The arrays of a list, or those that an array of a known length has along its first axis."""
    if not isinstance(arrays, Value):
        return list(arrays)
    return [index_of(arrays, k) for k in range(static(sizes_of(arrays)[0]))]


@lowers(np.linalg.multi_dot)
def lower_multi_dot(arrays: Any) -> Value:
    """Vectors at the ends are a row and a column, and leave no axis behind."""
    xs = [staged(x) for x in _items(arrays)]
    if len(xs) < 2:
        raise rejection(ValueError, "Expecting at least two arrays.")
    if len(xs) == 2:
        return FUNCTIONS[np.dot](*xs)  # type: ignore[no-any-return]
    row, column = (array_type(x).rank == 1 for x in (xs[0], xs[-1]))
    first = as_row(xs[0]) if row else xs[0]
    last = as_column(xs[-1]) if column else xs[-1]
    made = multi_dot(first, *xs[1:-1], last)
    if row and column:
        return index_of(made, (0, 0))
    return FUNCTIONS[np.ravel](made) if row or column else made


# tensorsolve, tensorinv -------------------------------------------------------------------------


@lowers(np.linalg.tensorsolve)
def lower_tensorsolve(a: Any, b: Any, axes: Any = None) -> Value:
    tensor, right = staged(a), staged(b)
    rank = array_type(tensor).rank
    if static(axes) is not None:
        tensor = FUNCTIONS[np.transpose](tensor, _moved_to_the_end(static(axes), rank))
    first = -(rank - array_type(right).rank)
    sizes, dims = sizes_of(tensor)[first:], array_type(tensor).shape
    known = [dim for dim in dims if isinstance(dim, int)]
    if len(known) == rank and math.prod(known) != math.prod(known[first:]) ** 2:
        raise rejection(
            np.linalg.LinAlgError,
            "Input arrays must satisfy the requirement "
            "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])",
        )
    count = product(sizes)
    matrix = FUNCTIONS[np.reshape](tensor, (count, count))
    return FUNCTIONS[np.reshape](solve(matrix, FUNCTIONS[np.ravel](right)), sizes)  # type: ignore[no-any-return]


def _moved_to_the_end(axes: Any, rank: int) -> tuple[int, ...]:
    order = list(range(rank))
    for axis in axes:
        order.remove(axis)
        order.insert(rank, axis)
    return tuple(order)


@lowers(np.linalg.tensorinv)
def lower_tensorinv(a: Any, ind: Any = 2) -> Value:
    tensor, count = staged(a), static_integer(ind)
    if count <= 0:
        raise rejection(ValueError, "Invalid ind argument.")
    sizes = sizes_of(tensor)
    rows = product(sizes[count:])
    inverse = inv(FUNCTIONS[np.reshape](tensor, (rows, -1)))
    return FUNCTIONS[np.reshape](inverse, (*sizes[count:], *sizes[:count]))  # type: ignore[no-any-return]


# What the array API calls otherwise -------------------------------------------------------------


lowers(np.linalg.matmul)(lambda x1, x2, /: FUNCTIONS[np.matmul](x1, x2))
lowers(np.linalg.matrix_transpose)(lambda x, /: FUNCTIONS[np.matrix_transpose](x))
lowers(np.linalg.diagonal)(lambda x, /, *, offset=0: FUNCTIONS[np.diagonal](x, offset, -2, -1))
