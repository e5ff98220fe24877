"""Numbers and signs with which matrices are multiplied for products with vectors alone: these are
multiplied instead, which are shorter.

    t = -A_bar[k:, k:]                          t = A_bar[k:, k:]
    u_bar += t @ v              becomes         u_bar -= t @ v
    v_bar += u @ t                              v_bar -= u @ t

A graph enters, and leaves so, in statements of derivatives. It is done to what is emitted: before,
numbers meet others.
"""

from __future__ import annotations

from collections.abc import Iterator

from symdiff.ir.build import copy_block, with_block
from symdiff.ir.graph import Block, Graph, Node, Value, uses, walk_blocks, walk_nodes
from symdiff.ops.arithmetic import multiply, negative
from symdiff.ops.declare import array_type
from symdiff.ops.facts import is_derived, number_of, shape_of
from symdiff.ops.products import matmul
from symdiff.optimise.facts import is_inexact


def scale_products(graph: Graph) -> Graph:
    """The graph with products scaled, not matrices; itself where there are none such."""
    if not any(_found(graph.block)):
        return graph
    block = copy_block(graph.block, {})
    inner = {
        product: _scale(product, scaled)
        for scaled, products in list(_found(block))
        for product in products
    }
    for one in walk_blocks(block):
        one.nodes[:] = [n for node in one.nodes for n in (inner.get(node), node) if n is not None]
    return with_block(graph, block)


def _found(block: Block) -> Iterator[tuple[Node, list[Node]]]:
    """What scales a matrix that only products with vectors read, and these."""
    scaled = {node.result: node for node in walk_nodes(block) if _scales_matrix(node)}
    if not scaled:
        return
    products: dict[Value, list[Node]] = {}
    for node in walk_nodes(block):
        if node.op is matmul and sum(len(shape_of(v)) for v in node.operands) == 3:
            for value in filter(scaled.__contains__, dict.fromkeys(node.operands)):
                products.setdefault(value, []).append(node)
    counts = uses(block)
    for value, readers in products.items():
        if len(readers) == counts[value]:
            yield scaled[value], readers


def _scales_matrix(node: Node) -> bool:
    if node.op not in (negative, multiply) or not is_derived(node):
        return False
    matrix = _matrix_of(node)
    return matrix is not None and array_type(matrix).dtype == array_type(node.result).dtype


def _matrix_of(node: Node) -> Value | None:
    """The matrix that a node multiplies with a number, which is known."""
    arrays = [value for value in node.operands if not _is_moderate(number_of(value))]
    if len(arrays) != 1 or len(shape_of(arrays[0])) != 2 or not is_inexact(arrays[0]):
        return None
    return arrays[0]


def _is_moderate(number: object) -> bool:
    return isinstance(number, float) and 1e-6 < abs(number) < 1e6


def _scale(product: Node, scaled: Node) -> Node:
    """Make of a product one with a number; the product itself, of the matrix as it is."""
    matrix, result = _matrix_of(scaled), product.result
    assert matrix is not None
    operands = tuple(matrix if v is scaled.result else v for v in product.operands)
    made = Node(matmul, operands, product.attributes, (), (), product.span)
    made.results = (Value(result.type, made, None, result.role),)
    product.op, product.attributes = scaled.op, scaled.attributes
    product.operands = tuple(made.result if v is matrix else v for v in scaled.operands)
    return made
