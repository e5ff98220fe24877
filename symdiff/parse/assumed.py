"""What is known of staged bools inside the arm of a branch, where its predicate is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symdiff.ir.build import constant
from symdiff.ir.control import cond, in_arms
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import bitwise_or, not_


def implied(value: Value, taken: bool) -> dict[Value, bool]:
    """What a staged bool tells of those that it is computed from."""
    return dict(_told(value, taken))


def is_certain(value: Value) -> bool:
    """Return whether a staged bool is true on every path: that it is not contradicts itself."""
    known: dict[Value, bool] = {}
    return any(known.setdefault(part, taken) is not taken for part, taken in _told(value, False))


def _told(value: Value, taken: bool) -> Iterator[tuple[Value, bool]]:
    pending = [(value, taken)]
    while pending:
        value, taken = pending.pop()
        yield value, taken
        node = value.node
        if node is None:
            continue
        if node.op is not_:
            pending.append((node.operands[0], not taken))
        elif node.op is bitwise_or and not taken:
            pending += [(operand, False) for operand in node.operands]
        elif node.op is cond:
            arms = in_arms(value)
            possible = [k for k, arm in enumerate(arms) if _constant_of(arm) in (None, taken)]
            if len(possible) == 1:  # the other arm would have given the opposite
                (arm,) = possible
                pending += [(node.operands[0], arm == 0), (arms[arm], taken)]


def truth_of(value: Value, assumed: Mapping[Value, bool]) -> bool | None:
    """What a staged bool is by what is assumed, also as a result of an earlier branch."""
    while value not in assumed:
        node = value.node
        if node is None:
            return None
        if node.op is constant:
            return _constant_of(value)
        if node.op is not_:
            inner = truth_of(node.operands[0], assumed)
            return None if inner is None else not inner
        taken = assumed.get(node.operands[0]) if node.op is cond else None
        if taken is None:
            return None
        value = in_arms(value)[0 if taken else 1]
    return assumed[value]


def _constant_of(value: Value) -> bool | None:
    node = value.node
    if node is None or node.op is not constant:
        return None
    return bool(node.attributes["value"])
