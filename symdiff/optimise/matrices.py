"""Facts about matrices on statements of derivatives: products that need not be multiplied out.

    A @ np.diag(d)                               ─▶    A * d
    A @ (np.diag(d) - np.outer(u, v))            ─▶    A * d - np.outer(A @ u, v)
    L.T @ solve(L.T, b)                          ─▶    b
    inv(L).T @ b     beside solve(L.T, b)        ─▶    solve(L.T, b)
    the lower half of what is symmetric, and its transpose       ─▶    the whole
    the lower half of an upper triangle, the sum of x * eye      ─▶    the diagonal
    the diagonal of np.outer(u, v)                               ─▶    u * v
    inv(cholesky(K)), solve(cholesky(K).T, b)                    ─▶    those of triangles, last

A matrix is *structured* where it is made of few vectors: a diagonal, an outer product, sums and
multiples of such. Of matrices of real numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import add, multiply, negative, subtract
from symdiff.ops.facts import made_by, shape_of
from symdiff.ops.joining import diag, diagonal
from symdiff.ops.linalg import half_lower, solve
from symdiff.ops.products import as_column, matmul, outer
from symdiff.ops.reduce import sum
from symdiff.ops.shape import transpose
from symdiff.ops.triangles import triangular_inv, triangular_solve
from symdiff.optimise.facts import is_number, meet_as_one
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import both_ways, regrouping

_DEEPEST = 6
_SUMS = {"add": add, "subtract": subtract}

Part = Callable[[Value], Value]


# Products -----------------------------------------------------------------------------------------


@reads("diag", "outer", "add", "subtract", "multiply", "negative")
def structured_product(node: Node, rewriter: Rewriter) -> Value | None:
    """A product with a structured matrix, which needs no product of matrices."""
    a, b = node.operands
    if not _are_real(node) or len(shape_of(a)) != 2 or len(shape_of(b)) != 2:
        return None
    if _is_structured(b, a, rewriter):
        return _of_parts(b, lambda part: _times_part(a, part, rewriter))
    if _is_structured(a, b, rewriter):
        return _of_parts(a, lambda part: _part_times(part, b, rewriter))
    return None


def _is_structured(value: Value, other: Value, rewriter: Rewriter, depth: int = _DEEPEST) -> bool:
    """Return whether products with another matrix need no product of matrices but one of the other
    with its own transpose, which is symmetric.
    """
    node = made_by(value, "diag", "outer", "add", "subtract", "multiply", "negative")
    if node is None or depth == 0:
        return False
    if node.op is diag:
        return bool(node.attributes["offset"] == 0)
    if node.op is outer:
        return all(len(shape_of(factor)) == 1 for factor in node.operands)
    if not rewriter.is_single(value):
        return False
    if node.op is multiply:
        return any(
            not shape_of(number) and _is_structured(rest, other, rewriter, depth - 1)
            for number, rest in both_ways(node)
        )
    return all(
        _fills(part, value)
        and (_are_turned(part, other) or _is_structured(part, other, rewriter, depth - 1))
        for part in node.operands
    )


def _are_turned(a: Value, b: Value) -> bool:
    return _transpose_of(a) is b or _transpose_of(b) is a


def _fills(part: Value, whole: Value) -> bool:
    """Return whether a summand or a factor has the shape of the whole."""
    return meet_as_one(shape_of(part), shape_of(whole))


def _of_parts(value: Value, of_part: Part) -> Value:
    """A linear function of a structured matrix, from what it is of diagonals and outer products."""
    node = value.node
    assert node is not None
    if node.op not in (negative, multiply, add, subtract):
        return of_part(value)
    if node.op is negative:
        return -_of_parts(node.operands[0], of_part)
    if node.op is multiply:
        number, rest = sorted(node.operands, key=lambda v: len(shape_of(v)))
        return apply(multiply, number, _of_parts(rest, of_part))
    a, b = (_of_parts(part, of_part) for part in node.operands)
    return apply(_SUMS[node.op.name], a, b)


def _times_part(a: Value, part: Value, rewriter: Rewriter) -> Value:
    node = made_by(part, "diag", "outer")
    if node is None:
        return apply(matmul, a, part)
    if node.op is diag:
        return apply(multiply, a, node.operands[0])
    u, v = node.operands
    known = _known_product(a, u, False, rewriter)
    return apply(outer, apply(matmul, a, u) if known is None else known, v)


def _part_times(part: Value, b: Value, rewriter: Rewriter) -> Value:
    node = made_by(part, "diag", "outer")
    if node is None:
        return apply(matmul, part, b)
    if node.op is diag:
        return apply(multiply, as_column(node.operands[0]), b)
    u, v = node.operands
    known = _known_product(b, v, True, rewriter)
    return apply(outer, u, apply(matmul, v, b) if known is None else known)


# Solutions ----------------------------------------------------------------------------------------


@reads("solve", "inv", "transpose")
def known_product(node: Node, rewriter: Rewriter) -> Value | None:
    """``a @ solve(a, b)`` as ``b``; ``inv(a) @ b`` as ``solve(a, b)``, where that was made."""
    if not _are_real(node):
        return None
    for (matrix, vector), turned in zip(both_ways(node), (False, True), strict=True):
        if len(shape_of(matrix)) == 2 and len(shape_of(vector)) == 1:
            return _known_product(matrix, vector, turned, rewriter)
    return None


def _known_product(matrix: Value, x: Value, turned: bool, rewriter: Rewriter) -> Value | None:
    """What a matrix, or its transpose if ``turned``, times a vector is known to be."""
    inner = _transpose_of(matrix)
    plain, turned = (matrix, turned) if inner is None else (inner, not turned)
    solved, inverse = made_by(x, "solve"), made_by(plain, "inv")
    if solved is not None:
        a = solved.operands[0]
        if (_transpose_of(a) if turned else a) is plain:
            return solved.operands[1]
    if inverse is None:
        return None
    a = inverse.operands[0]
    given = rewriter.made_before(transpose, a, axes=(1, 0)) if turned else a
    return None if given is None else rewriter.made_before(solve, given, x)


# Triangles ----------------------------------------------------------------------------------------


@reads("add")
def half_of_triangle(node: Node, rewriter: Rewriter) -> Value | None:
    """The lower half of ``u + x``, ``u`` an upper triangle: of ``u`` the diagonal alone."""
    x = _halved(node)
    inner = None if x is None else made_by(x, "add", "subtract")
    if x is None or inner is None or not _are_real(node):
        return None
    a, b = inner.operands
    if not (_fills(a, x) and _fills(b, x) and (_is_upper(a) or _is_upper(b))):
        return None
    halves = (_half(part) for part in (a, b))
    return apply(_SUMS[inner.op.name], *halves)


def _half(x: Value) -> Value:
    if not _is_upper(x):
        return half_lower(x)
    return apply(diag, apply(multiply, 0.5, diagonal_of(x)), offset=0)


def diagonal_of(x: Value) -> Value:
    """The diagonal of a matrix, of that of its factors where they are known."""
    turned = _transpose_of(x)
    same = _lower_twice(x) if turned is None else turned
    if same is not None:
        return diagonal_of(same)
    node = made_by(x, "multiply")
    if node is not None:
        for factor, rest in both_ways(node):
            if len(shape_of(factor)) <= 1 and _fills(rest, x):
                return apply(multiply, diagonal_of(rest), factor)
    return apply(diagonal, x, offset=0)


@reads("multiply")
def sum_along_diagonal(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(x * eye)`` as the sum of the diagonal."""
    (x,) = node.operands
    product = made_by(x, "multiply")
    if product is None or node.attributes.get("axis") is not None or not rewriter.is_single(x):
        return None
    for unit, other in both_ways(product) if not node.attributes.get("keepdims") else ():
        eye = made_by(unit, "eye")
        if eye is not None and eye.attributes["k"] == 0 and _fills(other, x):
            rows, columns = eye.operands
            if rows is columns and _are_real(product):
                return apply(sum, diagonal_of(other), axis=None, keepdims=False)
    return None


@reads("transpose")
def mirrored_half(node: Node, rewriter: Rewriter) -> Value | None:
    """``x + x.T`` of lower halves of what is symmetric, and of diagonals."""
    if not _are_real(node):
        return None
    for x, other in both_ways(node):
        if _transpose_of(other) is x:
            return _mirrored(x)
    return None


def _mirrored(x: Value, depth: int = _DEEPEST) -> Value | None:
    """``x + x.T`` where it is known without a sum."""
    node = made_by(x, "add", "subtract", "multiply", "negative", "diag")
    if node is None or depth == 0:
        return None
    if node.op is diag:
        return apply(multiply, 2.0, x) if node.attributes["offset"] == 0 else None
    half = _halved(node)
    if half is not None:
        return half if _is_symmetric(half) else None
    parts = [_mirrored(part, depth - 1) if _fills(part, x) else None for part in node.operands]
    if node.op is multiply:
        known = [part for part in parts if part is not None]
        numbers = [part for part in node.operands if not shape_of(part)]
        return apply(multiply, numbers[0], known[0]) if known and numbers else None
    if any(part is None for part in parts):
        return None
    return -parts[0] if node.op is negative else apply(_SUMS[node.op.name], *parts)  # type: ignore[operator, arg-type]


def _halved(node: Node) -> Value | None:
    """``x`` where a node is the lower triangle of ``x`` with half the diagonal."""
    if node.op is not multiply:
        return None
    for number, rest in both_ways(node):
        if is_number(number, 0.5) and len(shape_of(rest)) == 2:
            return _lower_twice(rest)
    return None


def _lower_twice(total: Value) -> Value | None:
    """``x`` of ``tril(x) + tril(x, -1)``."""
    node = made_by(total, "add")
    first, second = (made_by(part, "tril") for part in node.operands) if node else (None, None)
    if first is None or second is None or first.operands != second.operands:
        return None
    return first.operands[0] if {first.attributes["k"], second.attributes["k"]} == {0, -1} else None


def _is_symmetric(x: Value, depth: int = _DEEPEST) -> bool:
    node = made_by(x, "add", "subtract", "multiply", "negative", "diag", "outer", "matmul")
    if node is None or depth == 0:
        return False
    if node.op is diag:
        return bool(node.attributes["offset"] == 0)
    if node.op is outer:
        return node.operands[0] is node.operands[1]
    if node.op is matmul:
        return _are_turned(*node.operands)
    if node.op is multiply:
        return any(
            not shape_of(number) and _is_symmetric(rest, depth - 1)
            for number, rest in both_ways(node)
        )
    return all(_fills(part, x) and _is_symmetric(part, depth - 1) for part in node.operands)


def _is_upper(x: Value, depth: int = _DEEPEST) -> bool:
    return _is_triangle(x, depth, upper=True)


def _is_triangle(x: Value, depth: int, *, upper: bool) -> bool:
    """Return whether a matrix has zeros alone below its diagonal, or above."""
    node = made_by(
        x, "transpose", "cholesky", "tril", "triu", "multiply", "negative", "inv", "triangular_inv"
    )
    if node is None or depth == 0 or len(shape_of(x)) != 2:
        return False
    name = node.op.name
    if name == "transpose":
        return _is_triangle(node.operands[0], depth - 1, upper=not upper)
    if name == "cholesky":
        return bool(node.attributes.get("upper")) == upper
    if name in ("tril", "triu"):
        k = node.attributes["k"]
        return bool(k >= 0 if upper else k <= 0) and name == ("triu" if upper else "tril")
    return any(
        _fills(part, x) and _is_triangle(part, depth - 1, upper=upper) for part in node.operands
    )


def of_triangle(node: Node, rewriter: Rewriter) -> Value | None:
    """``inv`` and ``solve`` of a triangular matrix."""
    a, *right = node.operands
    for upper in (False, True):
        if _is_triangle(a, _DEEPEST, upper=upper):
            op = triangular_solve if right else triangular_inv
            return apply(op, a, *right, lower=not upper)
    return None


@reads("outer")
def diagonal_of_outer(node: Node, rewriter: Rewriter) -> Value | None:
    """``a * b`` for the diagonal of ``np.outer(a, b)``."""
    product = made_by(node.operands[0], "outer")
    if product is None or node.attributes["offset"] or node.attributes.get("writable"):
        return None
    a, b = product.operands
    return apply(multiply, a, b) if shape_of(a) == shape_of(b) and len(shape_of(a)) == 1 else None


def _transpose_of(x: Value) -> Value | None:
    node = made_by(x, "transpose")
    return node.operands[0] if node is not None and node.attributes["axes"] == (1, 0) else None


def _are_real(node: Node) -> bool:
    return all(
        isinstance(v.type, ArrayType) and v.type.dtype.kind == "f"
        for v in (*node.operands, node.result)
    )


FINISHING: Rules = {name: regrouping(of_triangle) for name in ("inv", "solve")}
MATRICES: Rules = {
    "matmul": regrouping(known_product, structured_product),
    "multiply": regrouping(half_of_triangle),
    "add": regrouping(mirrored_half),
    "sum": regrouping(sum_along_diagonal),
    "diagonal": regrouping(diagonal_of_outer),
}
