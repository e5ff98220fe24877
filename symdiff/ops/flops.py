"""How many operations on elements a node is: what ``Operation.flops`` may be.

An op that says nothing counts one operation for each element of the largest array that it reads or
makes; one that moves elements, or calls something, counts ``nothing``.
"""

from __future__ import annotations

from collections.abc import Callable

from symdiff.ir.counts import Count
from symdiff.ir.graph import Node
from symdiff.ir.types import ArrayType, ListType, TapeType, Type

NONE = Count()


def elements(type_: Type) -> Count:
    """How many numbers a value holds; of lists and tapes, an element's."""
    while isinstance(type_, ListType | TapeType):
        type_ = type_.element
    return Count.product(type_.shape) if isinstance(type_, ArrayType) else NONE


def nothing(node: Node) -> Count:
    return NONE


def of_region(node: Node) -> Count:
    """One operation for each element that is written."""
    return Count.product(node.attributes["shape"])


def of_product(node: Node) -> Count:
    """Two operations for each pair of elements that is multiplied."""
    first, second = (value.type for value in node.operands)
    if not isinstance(first, ArrayType) or not isinstance(second, ArrayType):
        return NONE
    if not first.rank or not second.rank:
        return elements(node.result.type)
    return 2 * elements(node.result.type) * Count.dim(first.shape[-1])


def of_axes_summed(node: Node) -> Count:
    """All pairs: the elements of both, those of the axes that are summed counted once."""
    first = node.operands[0].type
    assert isinstance(first, ArrayType)
    summed = [first.shape[axis] for axis in node.attributes["axes"][0]]
    return 2 * elements(node.result.type) * Count.product(summed)


def of_subscripts(node: Node) -> Count:
    """One operation an operand for each combination of all indices."""
    inputs = node.attributes["subscripts"].replace(" ", "").split("->")[0].split(",")
    dims = {
        letter: dim
        for letters, value in zip(inputs, node.operands, strict=True)
        if isinstance(value.type, ArrayType)
        for letter, dim in zip(letters, value.type.shape, strict=False)
    }
    return Count.product(dims.values()) * max(len(inputs), 1)


def of_matrix(times: int, over: int = 1, right: int = 0) -> Callable[[Node], Count]:
    """``times / over`` n³ for each matrix; ``right``: as many times n² for each column at the
    right.

    The leading terms of Golub and Van Loan (2013), Matrix Computations.
    """

    def count(node: Node) -> Count:
        from fractions import Fraction

        type_ = node.operands[0].type
        assert isinstance(type_, ArrayType)
        whole = elements(type_) * Count.dim(type_.shape[-1]) * Fraction(times, over)
        if not right:
            return whole
        return whole + elements(node.operands[1].type) * Count.dim(type_.shape[-1]) * right

    return count
