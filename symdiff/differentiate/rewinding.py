"""Arrays of which turns of a loop overwrite small parts: the parts are saved, and put back.

    for i in range(n):                             for i in reversed(range(n)):
        x_i_tape.append(x[i])                          x[i] = x_i_tape[i]
        x[i] += (b[i] - A[i] @ x) / A[i, i]            A_bar[i] -= t * x

The reverse loop carries the array, which starts from what the loop leaves: no turn saves all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, with_carry
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Type
from symdiff.ops.index import index, index_set, key_of
from symdiff.ops.places import writes_of

_LESS = 4  # how many times as much saving the array costs as saving the parts


@dataclass(frozen=True, slots=True)
class Rewound:
    """``made_by`` gives each version of the array that a turn has, from the one behind it, the
    last from ``carry``; ``parts`` are what the turn overwrites, read before.
    """

    carry: Value
    last: Value
    made_by: Mapping[Value, Node]
    parts: list[Value]


def rewound(
    view: LoopView,
    reverse: LoopView,
    wanted: Container[Value],
    price: Callable[[Type], int],
) -> Iterator[Rewound]:
    """Put into a loop the reads, and into its reverse the carries, by which arrays are had again
    of which a version is ``wanted``, where that costs far less than saving these.
    """
    for number, (carry, following) in enumerate(zip(view.carries, view.next_carries, strict=True)):
        writes = writes_of(carry, following)
        versions = [carry, *(write.result for write in writes)]
        if not isinstance(carry.type, ArrayType) or not any(
            version in wanted for version in versions[:-1]
        ):
            continue
        if _LESS * sum(price(_read(write).result.type) for write in writes) < price(carry.type):
            yield _rewind(view, reverse, number, writes)


def _rewind(view: LoopView, reverse: LoopView, number: int, writes: list[Node]) -> Rewound:
    before, made_by, parts = view.carries[number], dict[Value, Node](), list[Value]()
    for write in writes:
        read, base = _read(write), write.operands[0]
        view.body.nodes.insert(view.body.nodes.index(write), read)
        key, dynamic = key_of(write)
        attributes = {"key": key, "shape": write.attributes["shape"]}
        operands = (write.result, read.result, *dynamic)
        made = made_by[base] = Node(index_set, operands, attributes, (), (), write.span)
        made.results = (Value(base.type, made, base.name),)
        parts.append(read.result)
    carry = Value(before.type, None, before.name, before.role)
    with_carry(reverse, view.finals[number], carry, before)
    return Rewound(carry, view.next_carries[number], made_by, parts)


def _read(write: Node) -> Node:
    """A node that reads what a write overwrites."""
    key, dynamic = key_of(write)
    attributes = {"key": key, "shape": write.attributes["shape"]}
    base = write.operands[0]
    made = Node(index, (base, *dynamic), attributes, (), (), write.span)
    (type_,) = index.infer(*(v.type for v in made.operands), **attributes)
    made.results = (Value(type_, made),)
    return made
