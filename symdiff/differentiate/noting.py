"""What differentiation decided, noted as plain data where somebody records it (``ir.record``):
which values are active, and what the backward part saves or computes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symdiff.differentiate.activity import Activity, can_carry, depends_on
from symdiff.differentiate.cut import Offer
from symdiff.ir.graph import Block, Node, Value, walk_blocks
from symdiff.ir.record import current, note
from symdiff.ir.types import ListType, TapeType, in_words
from symdiff.source import SourceSpan

Data = dict[str, Any]

_SUFFIXES = {"primal": "", "cotangent": "_bar", "tangent": "_dot", "definition": ""}


def described(value: Value) -> Data:
    """A value as the user knows it: its name or its expression, its type and its line."""
    span = value.node.span if value.node is not None else None
    return {
        "name": None if value.name is None else f"{value.name}{_SUFFIXES[value.role]}",
        "expression": None if span is None else span.code,
        "op": None if value.node is None else value.node.op.name,
        "type": type_in_words(value),
        **place(span),
    }


def type_in_words(value: Value) -> str:
    """The type in a message; of a tape the type of what a turn writes."""
    type_ = value.type
    while isinstance(type_, TapeType | ListType):
        type_ = type_.element
    return in_words(type_)


def place(span: SourceSpan | None) -> Data:
    """File and line, None where there is no source."""
    return {"file": None if span is None else span.file, "line": span and span.line}


def note_activity(
    graph: str,
    mode: str,
    block: Block,
    wrt: Sequence[Value],
    activity: Activity,
) -> None:
    """Note of all values with a name whether a derivative flows through them, and why not."""
    if current() is None:
        return
    varied = depends_on(wrt, activity.edges)
    seen: dict[tuple[Any, ...], Data] = {}
    for value in _named(block):
        data = {**described(value), "active": value in activity.active}
        data["why"] = _why(value, value in wrt, value in activity.active, value in varied)
        known = seen.setdefault((data["name"], data["line"]), data)
        if data["active"] and not known["active"]:
            known |= data
    asked = [described(value)["name"] for value in wrt]
    note("activity", graph=graph, mode=mode, by=asked, values=list(seen.values()))


def _named(block: Block) -> Iterable[Value]:
    yield from block.parameters
    for inner in walk_blocks(block):
        for node in inner.nodes:
            yield from (value for value in node.results if value.name is not None)


def _why(value: Value, asked: bool, active: bool, varied: bool) -> str:
    if active:
        return "asked for" if asked else "depends on what is asked for, and reaches the result"
    if not can_carry(value.type):
        return f"{type_in_words(value)} carries no derivative"
    if not varied:
        return "does not depend on what is asked for"
    return "does not reach the result by anything that has a derivative"


def note_residuals(
    region: Node | None,
    reverse: Block,
    offers: Mapping[Value, Offer],
    how: Mapping[Value, str],
    reasons: Mapping[Value, str],
) -> None:
    """Note how the backward part of a loop, a branch or a whole graph has the primal values that it
    reads: ``saved`` or ``recomputed``, at which price, and which lines' derivatives read them."""
    if current() is None:
        return
    readers = _readers(reverse)
    for value, way in how.items():
        offer = offers[value]
        note(
            "residuals",
            **described(value),
            region="whole" if region is None else region.op.name,
            region_line=region and region.span and region.span.line,
            how=way,
            price_of_saving=offer.save,
            price_of_computing=offer.recompute,
            why=reasons[value],
            read_by=readers.get(value, []),
        )


def _readers(block: Block) -> dict[Value, list[int]]:
    """The user's lines whose derivatives read a value."""
    found: dict[Value, set[int]] = {}
    for inner in walk_blocks(block):
        for node in inner.nodes:
            for value in node.operands:
                if node.span is not None:
                    found.setdefault(value, set()).add(node.span.line)
    return {value: sorted(lines) for value, lines in found.items()}
