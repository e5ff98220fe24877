"""What a derivative is taken by."""

from __future__ import annotations

from symdiff.api.wrt import asked_for
from symdiff.ir.graph import Block, Graph
from symdiff.ir.signature import Nested, Signature
from symdiff.ir.structure import Leaf
from symdiff.ir.types import FLOAT


class Key:
    """A key of a dict that counts how often it is compared."""

    compared = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        Key.compared += 1
        return isinstance(other, Key) and self.number == other.number


def test_numbers_in_a_dict_are_told_apart_without_comparing_each_with_all() -> None:
    keys = tuple(map(Key, range(300)))
    signature = Signature((("d", Nested(dict, keys, (FLOAT,) * len(keys))),))
    asked = asked_for(Graph("f", Block(), (), Leaf(0)), signature, [("d",), ("d", keys[7])])
    assert asked.wrt == tuple(range(300))
    assert asked.structures[1] == Leaf(7)
    assert Key.compared < 3000
