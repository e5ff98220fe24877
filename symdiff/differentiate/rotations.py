"""Products of both singular vectors of one matrix, with signs between them, before they are
differentiated: ``u @ vh``, ``vh.T @ np.diag([1, 1, d]) @ u.T``, and the like.

The vectors are not determined where singular values are equal; the product is. So it is marked as
what it is to the matrix (``ops.polar``), and the derivative is that of the product as a whole. What
stands between the vectors, or flips some of them, is 1 or -1 whatever the inputs are: numbers, the
choice between them, and determinants of what is orthogonal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symdiff.dataclass import dataclass
from symdiff.differentiate.activity import analyse
from symdiff.differentiate.calls import Calls
from symdiff.ir.build import Builder, building, copy_into, marked
from symdiff.ir.control import cond
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.structure import tuple_of
from symdiff.ir.types import ArrayType, Dim, may_be_one
from symdiff.ops.arithmetic import constant_of
from symdiff.ops.decompositions import svd
from symdiff.ops.keys import Slice
from symdiff.ops.polar import polar_factor
from symdiff.ops.rules import replaced

_OF_ONE = frozenset(
    {
        "astype",
        "retype",
        "as_scalar",
        "python_float",
        "copy",
        "negative",
        "absolute",
        "sign",
        "rint",
    }
    | {"index", "reshape", "broadcast_to", "transpose"}
)
_OF_ALL = frozenset({"multiply", "divide", "array", "stack", "concatenate"})
"""Ops whose results are 1 or -1 where their first operand is, or all are."""


def with_polar_factors(graph: Graph, wrt: Sequence[int]) -> Graph:
    """The graph with a mark on those products that depend on the inputs ``wrt``."""
    nodes = list(_in_order(graph.block))
    if not any(node.op is svd for node in nodes):
        return graph
    facts = _Facts()
    done = {node.operands[0] for node in nodes if node.op is polar_factor}
    found = {}
    for node in nodes:
        factor = facts.learn(node)
        if factor is not None and node.result not in done:
            found[node] = factor
    if not found:
        return graph
    sources = [graph.block.parameters[number] for number in wrt]
    active = analyse(graph.block, sources, graph.block.results, Calls().dependencies).active

    def product(node: Node) -> Graph | None:
        factor = found.get(node)
        return None if factor is None or node.result not in active else _marked(node, factor)

    return replaced(graph, product)


def _in_order(block: Block) -> Iterator[Node]:
    """Every node of a block and of the blocks nested in it, a node after its blocks' nodes."""
    for node in block.nodes:
        for inner in node.blocks:
            yield from _in_order(inner)
        yield node


def _marked(node: Node, factor: _Vectors) -> Graph:
    """A product and the mark on it."""
    parameters = tuple(Value(v.type, None, v.name) for v in node.operands)
    with building(Builder([], node.span)) as made:
        product = copy_into(node, dict(zip(node.operands, parameters, strict=True))).result
        with marked(node.span, node.result.role, node.result.name):
            result = polar_factor(
                product,
                factor.of.operands[0],
                transposed=factor.transposed,
                conjugate=factor.conjugate,
            )
    return Graph.of_values("product", parameters, made.nodes, (result,), tuple_of(1))


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Singular vectors of one ``svd``, or such with other signs.

    ``left`` are those that belong to rows; ``transposed`` and ``conjugate`` say what they are to
    the results of the ``svd``.
    """

    of: Node
    left: bool
    transposed: bool = False
    conjugate: bool = False

    @property
    def in_columns(self) -> bool:
        return self.left is not self.transposed


def _shape(value: Value) -> tuple[Dim, ...]:
    return value.type.shape if isinstance(value.type, ArrayType) else ()


def _kind(value: Value) -> str:
    return value.type.dtype.kind if isinstance(value.type, ArrayType) else "O"


def _is_product(node: Node) -> bool:
    """Return whether a node multiplies matrices, or stacks of as many axes."""
    if node.op.name not in ("matmul", "dot"):
        return False
    first, second = (len(_shape(v)) for v in node.operands)
    return first == second and (first == 2 or (first > 2 and node.op.name == "matmul"))


class _Facts:
    """What is known of values, learned node by node in order.

    ``signs`` have only numbers that are 1 or -1 and stay that, ``diagonals`` are square matrices of
    such numbers with zeros beside them, ``orthogonal`` are real matrices made of singular vectors.
    """

    def __init__(self) -> None:
        self.vectors: dict[Value, _Vectors] = {}
        self.signs: set[Value] = set()
        self.diagonals: set[Value] = set()
        self.orthogonal: set[Value] = set()

    def learn(self, node: Node) -> _Vectors | None:
        """Learn what a node gives; the second factor of what is a product of both vectors."""
        if node.op is svd:
            u, _, vh = node.results
            self._add_vectors(u, _Vectors(node, left=True))
            self._add_vectors(vh, _Vectors(node, left=False))
        elif node.op is cond:
            self._learn_choice(node)
        elif len(node.results) == 1:
            self._add_vectors(node.result, self._vectors(node))
            self._learn_signs(node)
            if self._is_orthogonal(node):
                self.orthogonal.add(node.result)
            return self._factor(node)
        return None

    def _add_vectors(self, value: Value, found: _Vectors | None) -> None:
        if found is not None:
            self.vectors[value] = found
            if _kind(value) == "f":
                self.orthogonal.add(value)

    def _learn_choice(self, node: Node) -> None:
        pairs = zip(node.results, *(arm.results for arm in node.blocks), strict=True)
        for result, *values in pairs:
            found = {self.vectors.get(v) for v in values}
            if len(found) == 1:
                self._add_vectors(result, found.pop())
            for known in (self.diagonals, self.orthogonal):
                if known.issuperset(values):
                    known.add(result)
            if all(map(self._is_sign, values)):
                self.signs.add(result)

    # Vectors --------------------------------------------------------------------------------------

    def _vectors(self, node: Node) -> _Vectors | None:
        name, (first, *_) = node.op.name, node.operands or (None,)
        found = None if first is None else self.vectors.get(first)
        if name == "multiply":
            a, b = node.operands
            return self._scaled(a, b) or self._scaled(b, a)
        if _is_product(node):
            return self._between(*node.operands)
        if found is None:
            return None
        if name == "transpose":
            rank = len(_shape(node.result))
            is_swap = node.attributes["axes"] == (*range(rank - 2), rank - 1, rank - 2)
            return replace(found, transposed=not found.transposed) if is_swap else None
        if name == "conjugate":
            return replace(found, conjugate=not found.conjugate)
        if name in ("negative", "copy") or (name == "index_set" and self._flips(node, found)):
            return found
        return None

    def _scaled(self, value: Value, signs: Value) -> _Vectors | None:
        """Vectors times signs, one for each of them or one for all."""
        found, shape = self.vectors.get(value), _shape(signs)
        if found is None or not self._is_sign(signs):
            return None
        across, along = (-2, -1) if found.in_columns else (-1, -2)
        if not shape:
            return found
        if len(shape) > len(_shape(value)) or may_be_one(_shape(value)[along]):
            return None  # one vector would be as many as there are signs
        if len(shape) == 1:
            return found if found.in_columns else None
        return found if shape[across] == 1 else None

    def _between(self, a: Value, b: Value) -> _Vectors | None:
        """Vectors times a diagonal matrix of signs."""
        left, right = self.vectors.get(a), self.vectors.get(b)
        if left is not None and left.in_columns and b in self.diagonals:
            return left
        if right is not None and not right.in_columns and a in self.diagonals:
            return right
        return None

    def _flips(self, node: Node, found: _Vectors) -> bool:
        """Return whether a write gives whole vectors other signs."""
        before, new, *dynamic = node.operands
        key, changed = tuple(node.attributes["key"]), new.node
        if dynamic or not key or len(_shape(before)) != 2 or changed is None:
            return False
        place = key[-1] if found.in_columns else key[0]
        whole = (Slice(), place) if found.in_columns else (place, Slice())[: len(key)]
        if key != whole or not isinstance(place, int | Slice):
            return False

        def is_part(value: Value) -> bool:
            part = value.node
            if part is None or part.op.name != "index" or part.operands != (before,):
                return False
            return tuple(part.attributes["key"]) == key

        if changed.op.name == "negative":
            return is_part(changed.operands[0])
        if changed.op.name != "multiply":
            return False
        a, b = changed.operands
        pairs = ((a, b), (b, a))
        return any(is_part(x) and not _shape(s) and self._is_sign(s) for x, s in pairs)

    def _factor(self, node: Node) -> _Vectors | None:
        """The second factor of a product of both vectors, in the shape of the matrix."""
        if not _is_product(node):
            return None
        a, b = (self.vectors.get(v) for v in node.operands)
        if a is None or b is None or a.of is not b.of or a.left is b.left or not a.in_columns:
            return None
        if (a.transposed, a.conjugate) != (b.transposed, b.conjugate):
            return None
        given = a.of.operands[0]
        *stack, rows, columns = _shape(given)
        shape = (*stack, columns, rows) if a.transposed else (*stack, rows, columns)
        is_complex = {_kind(v) == "c" for v in (given, node.result)}
        return b if _shape(node.result) == shape and len(is_complex) == 1 else None

    # Signs ----------------------------------------------------------------------------------------

    def _is_sign(self, value: Value) -> bool:
        return value in self.signs or (_kind(value) in "bif" and constant_of(value) in (1, -1))

    def _learn_signs(self, node: Node) -> None:
        name, operands = node.op.name, node.operands
        if _kind(node.result) in "bif" and (
            name == "ones"
            or (name == "det" and operands[0] in self.orthogonal)
            or (name in _OF_ONE and self._is_sign(operands[0]))
            or (name in ("where", "choice") and all(map(self._is_sign, operands[1:])))
            or (name == "index_set" and all(map(self._is_sign, operands[:2])))
            or (name in _OF_ALL and all(map(self._is_sign, operands)))
        ):
            self.signs.add(node.result)
        if self._is_diagonal(node):
            self.diagonals.add(node.result)

    def _is_diagonal(self, node: Node) -> bool:
        name = node.op.name
        if name == "eye":
            rows, columns = node.attributes["shape"]
            return node.attributes["k"] == 0 and bool(rows == columns)
        if name == "diag":
            return node.attributes["offset"] == 0 and self._is_sign(node.operands[0])
        if name == "index_set":
            base, new = node.operands[:2]
            key = node.attributes["key"]
            in_diagonal = len(key) == 2 and key[0] == key[1] and type(key[0]) is int
            return in_diagonal and base in self.diagonals and self._is_sign(new)
        return name in ("astype", "copy", "transpose") and node.operands[0] in self.diagonals

    def _is_orthogonal(self, node: Node) -> bool:
        name, operands = node.op.name, node.operands
        if name in ("transpose", "copy") or node.op is polar_factor:
            return operands[0] in self.orthogonal
        known = self.orthogonal | self.diagonals if _is_product(node) else set()
        return bool(known) and known.issuperset(operands)
