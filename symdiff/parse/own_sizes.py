"""What computed sizes are called, where calls are copies of one another.

The symbol of a computed size names values by their numbers, ``count(%12)``. In a copy it names
those that stand for them; what stands for no value there, a number that no other symbol has.

>>> from symdiff.ir.types import Size
>>> print(renamed((2, Size("[%12:](count(%7))", 1)), {12: 30, 7: 7})[1].symbol)
[%30:](count(%7))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from symdiff.ir.graph import Block, Node, Value, walk_blocks
from symdiff.ir.types import INT, ArrayType, ListType, Size, TapeType, Type

_NUMBER = re.compile(r"%(\d+)")


class Numbers(dict[int, int]):
    """The numbers in the symbols of a copy, by those in the template's.

    Those above ``since`` are the template's own; what none of its values has becomes a new one,
    but for ``outside``.
    """

    def __init__(self, known: Mapping[int, int], since: int, outside: Iterable[int]) -> None:
        super().__init__(known)
        self.since = since
        for number in outside:
            self.setdefault(number, number)

    def __missing__(self, number: int) -> int:
        found = self[number] = Value(INT).number if number > self.since else number
        return found


def numbers_in(type_: Type) -> Iterator[int]:
    """The numbers in the symbols of a type, in the order in which they stand there."""
    while isinstance(type_, ListType | TapeType):
        type_ = type_.element
    if isinstance(type_, ArrayType):
        for dim in type_.shape:
            if isinstance(dim, Size):
                yield from map(int, _NUMBER.findall(dim.symbol))


def renamed(content: Any, numbers: Mapping[int, Any]) -> Any:
    """A type, a shape or another attribute of a node, with other numbers in its symbols."""
    if isinstance(content, Size):
        return _renamed_size(content, numbers)
    if isinstance(content, ArrayType):
        return replace(content, shape=renamed(content.shape, numbers)) if content.shape else content
    if isinstance(content, ListType | TapeType):
        return replace(content, element=renamed(content.element, numbers))
    if type(content) is tuple:
        return tuple([renamed(part, numbers) for part in content])
    return content


def _renamed_size(size: Size, numbers: Mapping[int, Any]) -> Size:
    if "%" not in size.symbol:
        return size
    symbol = _NUMBER.sub(lambda found: f"%{numbers[int(found[1])]}", size.symbol)
    return replace(size, symbol=symbol)


def rename_in(nodes: list[Node], numbers: Mapping[int, int]) -> None:
    """Let what nodes and the blocks in them compute have other numbers in its symbols."""
    for block in walk_blocks(Block((), nodes)):
        for value in block.parameters:
            value.type = renamed(value.type, numbers)
        for node in block.nodes:
            for value in node.results:
                value.type = renamed(value.type, numbers)
            node.attributes = {
                name: renamed(part, numbers) for name, part in node.attributes.items()
            }
