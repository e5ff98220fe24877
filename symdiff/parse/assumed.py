"""What is known of staged bools inside the arm of a branch, where its predicate is.

What is computed alike is so, too: ``x > 0.5`` that is asked once more is what it was before, here
as a ``Form``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from symdiff.ir.build import constant
from symdiff.ir.control import cond, in_arms
from symdiff.ir.graph import Op, Value
from symdiff.ops.arithmetic import bitwise_or, not_

_DEPTH = 3  # of what is compared as a form: what is deeper is the same value, or another one


class Form(NamedTuple):
    """How a value is computed, from values and constants."""

    op: Op
    operands: tuple[Any, ...]
    attributes: tuple[tuple[str, Any], ...]


Assumed = dict[Value | Form, bool]


def implied(value: Value, taken: bool) -> Assumed:
    """What a staged bool tells of those that it is computed from."""
    made: Assumed = {}
    for part, known in _told(value, taken):
        made[part] = made[form_of(part)] = known
    return made


def form_of(value: Value, depth: int = _DEPTH) -> Value | Form:
    """How a value is computed; the value itself where another one computed so may differ."""
    node = value.node
    if node is None or node.op.effect or node.blocks or len(node.results) != 1:
        return value
    if node.op is not constant and depth == 0:
        return value
    attributes = tuple((name, _told_apart(item)) for name, item in node.attributes.items())
    found = Form(node.op, tuple(form_of(v, depth - 1) for v in node.operands), attributes)
    try:
        hash(found)
    except TypeError:  # an array
        return value
    return found


def _told_apart(item: Any) -> Any:
    """An attribute that equals no other: ``0.0`` is not ``-0.0``, nor ``0``."""
    if isinstance(item, tuple):
        return type(item), tuple(map(_told_apart, item))
    if isinstance(item, int):
        return type(item), item
    return (type(item), repr(item)) if isinstance(item, float | complex) else item


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


def truth_of(value: Value, assumed: Mapping[Any, bool]) -> bool | None:
    """What a staged bool is by what is assumed, also as a result of an earlier branch."""
    while value not in assumed:
        node = value.node
        if node is None:
            return None
        if node.op is constant:
            return _constant_of(value)
        form = form_of(value)
        if form in assumed:
            return assumed[form]
        if node.op is not_:
            inner = truth_of(node.operands[0], assumed)
            return None if inner is None else not inner
        taken = _asked(node.operands[0], assumed) if node.op is cond else None
        if taken is None:
            return None
        value = in_arms(value)[0 if taken else 1]
    return assumed[value]


def _asked(predicate: Value, assumed: Mapping[Any, bool]) -> bool | None:
    known = assumed.get(predicate)
    return assumed.get(form_of(predicate)) if known is None else known


def _constant_of(value: Value) -> bool | None:
    node = value.node
    if node is None or node.op is not constant:
        return None
    return bool(node.attributes["value"])
