"""Sparse matrices by their entries: products with arrays, and the solution of equations."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.definitions import entries as definitions
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops import patterns
from symdiff.ops.casts import as_dtype_of, conjugated
from symdiff.ops.declare import (
    FUNCTIONS,
    Operation,
    array_type,
    lowers,
    static,
    template,
)
from symdiff.ops.index import index_of
from symdiff.ops.linalg import common_dtype
from symdiff.ops.sizes import dim_of, sizes_of
from symdiff.ops.ufuncs import staged


def _sparse(name: str) -> Any:
    return importlib.import_module(name)


@functools.lru_cache(maxsize=64)
def _product_dtype(data: np.dtype, x: np.dtype) -> np.dtype:
    one = _sparse("scipy.sparse").csr_array(np.ones((1, 1), data))
    dtype: np.dtype = (one @ np.ones(1, x)).dtype
    return dtype


def _evaluate_product(
    data: Any, rows: Any, columns: Any, x: Any, count: Any, *, length: Any
) -> Any:
    shape = (count, x.shape[0])
    return _sparse("scipy.sparse").coo_matrix((data, (rows, columns)), shape=shape) @ x


def _at_entries(g: Value, rows: Value, x: Value, columns: Value) -> Value:
    """What the entry in each place gets: the product of a row and a row."""
    products = index_of(g, (rows,)) * conjugated(index_of(x, (columns,)))
    if array_type(products).rank == 1:
        return products
    return FUNCTIONS[np.sum](products, axis=1)  # type: ignore[no-any-return]


def product_of(data: Value, rows: Value, columns: Value, x: Value, count: Any) -> Value:
    """A sparse matrix of ``count`` rows times an array."""
    return sparse_product(data, rows, columns, x, count, length=dim_of(count))


def _product_back(
    g: Value, y: Value, data: Value, rows: Value, columns: Value, x: Value, *others: Any, **_: Any
) -> Value:
    return as_dtype_of(product_of(conjugated(data), columns, rows, g, sizes_of(x)[0]), x)


def _pattern_product(e: patterns.Elements, op: Any, *, length: Any) -> np.ndarray:
    data, x = e.ids[0], e.ids[3]
    rows, columns, count = e.value(1), e.value(2), int(e.value(4))
    width = x[0].size if len(x) else 1
    taken = x[columns].reshape(len(columns), width)
    places = rows[:, None].astype(int) * width + np.arange(width)
    made = e.gathered(e.united(data[:, None], taken), places, count * width)
    return made.reshape(count, *x.shape[1:])


sparse_product: Operation = Operation.of_arrays(
    "sparse_product",
    lambda data, rows, columns, x, count, *, length: ArrayType(
        _product_dtype(data.dtype, x.dtype), (length, *x.shape[1:])
    ),
    _evaluate_product,
    raises=True,
    cost="heavy",
    spelling=template(
        "scipy.sparse.coo_matrix(({0}, ({1}, {2})), shape=({4}, {3}.shape[0])) @ {3}"
    ),
    repeated=frozenset({3}),
    vjp={
        0: lambda g, y, data, rows, columns, x, count, length: as_dtype_of(
            _at_entries(g, rows, x, columns), data
        ),
        3: _product_back,
    },
    jvp={
        0: lambda t, y, data, rows, columns, x, count, length: as_dtype_of(
            product_of(t, rows, columns, x, count), y
        ),
        3: lambda t, y, data, rows, columns, x, count, length: as_dtype_of(
            product_of(data, rows, columns, t, count), y
        ),
    },
    nondifferentiable=frozenset({1, 2, 4}),
    pattern=_pattern_product,
    documentation="A matrix, given by its entries and their places, times an array.",
)


def _evaluate_solve(
    data: Any, rows: Any, columns: Any, b: Any, *, by_rows: bool = False, umfpack: bool = True
) -> Any:
    shape, library = (b.shape[0], b.shape[0]), _sparse("scipy.sparse")
    made = library.csr_array if by_rows else library.csc_array
    matrix = made((data, (rows, columns)), shape=shape)
    return _sparse("scipy.sparse.linalg").spsolve(matrix, b, use_umfpack=umfpack)


_SOLVED = {
    (made, umfpack): template(
        f"scipy.sparse.linalg.spsolve(scipy.sparse.{made}(({{0}}, ({{1}}, {{2}})),"
        f" shape=({{3}}.shape[0], {{3}}.shape[0])), {{3}}{told})"
    )
    for made in ("csc_array", "csr_array")
    for umfpack, told in ((True, ""), (False, ", use_umfpack=False"))
}


def _spell_solve(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    made = "csr_array" if node.attributes.get("by_rows") else "csc_array"
    return _SOLVED[made, node.attributes.get("umfpack", True)](node, operands)


def _solved_back(g: Value, data: Value, rows: Value, columns: Value, way: Any) -> Value:
    others = {name: way[name] for name in way if name != "by_rows"}
    return sparse_solve(conjugated(data), columns, rows, g, **others)


sparse_solve: Operation = Operation.of_arrays(
    "sparse_solve",
    lambda data, rows, columns, b, **_: ArrayType(common_dtype(data, b), b.shape),
    _evaluate_solve,
    raises=True,
    cost="heavy",
    spelling=_spell_solve,
    repeated=frozenset({3}),
    vjp={
        0: lambda g, y, data, rows, columns, b, **way: as_dtype_of(
            -_at_entries(_solved_back(g, data, rows, columns, way), rows, y, columns), data
        ),
        3: lambda g, y, data, rows, columns, b, **way: as_dtype_of(
            _solved_back(g, data, rows, columns, way), b
        ),
    },
    jvp={
        0: lambda t, y, data, rows, columns, b, **way: (
            -sparse_solve(
                data, rows, columns, product_of(t, rows, columns, y, sizes_of(y)[0]), **way
            )
        ),
        3: lambda t, y, data, rows, columns, b, **way: sparse_solve(data, rows, columns, t, **way),
    },
    nondifferentiable=frozenset({1, 2}),
    documentation="The solution of equations whose matrix is given by its entries.",
)


@lowers(definitions.sparse_product)
def _lower_product(data: Any, rows: Any, columns: Any, x: Any, count: Any) -> Value:
    return product_of(staged(data), staged(rows), staged(columns), staged(x), count)


@lowers(definitions.sparse_solve)
def _lower_solve(
    data: Any, rows: Any, columns: Any, b: Any, by_rows: Any, umfpack: Any = True
) -> Value:
    operands = [staged(x) for x in (data, rows, columns, b)]
    way = {"by_rows": True} if static(by_rows) else {}
    return sparse_solve(*operands, **way, **({} if static(umfpack) else {"umfpack": False}))
