"""Whether reverse sweeps are built with checks of what they compute, and the check itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextvars import ContextVar

from symdiff import ops
from symdiff.ir.build import constant
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.effects import Named

_LONGEST = 40  # of what is quoted from a line
_on: ContextVar[bool] = ContextVar("symdiff_checking", default=False)


@contextlib.contextmanager
def checking(on: bool = True) -> Iterator[None]:
    """Build sweeps with checks meanwhile."""
    token = _on.set(on)
    try:
        yield
    finally:
        _on.reset(token)


def is_on() -> bool:
    return _on.get()


def check(node: Node, position: int, share: Value, bars: Sequence[Value | None]) -> None:
    """Check what flows into an operand of a primal node."""
    if not _is_float(share) or node.op is ops.tap:
        return
    numbers = [value for value in node.operands if isinstance(value.type, ArrayType)]
    names = tuple(_said(value, k) for k, value in enumerate(numbers))
    given = [bar for bar in bars if bar is not None and _is_float(bar)]
    line = f"line_{node.span.line}" if node.span is not None else "nowhere"
    ops.check_finite(
        share,
        *numbers,
        *(given if len(bars) == 1 else ()),
        name=_said(node.operands[position], position),
        place=Named(node.span, line),
        names=names,
    )


def _is_float(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.differentiable


def _said(value: Value, position: int) -> str:
    """How a value is called in a message: by its name, as a literal, or as it stands in a line."""
    if value.name is not None:
        return f"'{value.name}'"
    node = value.node
    if node is not None and node.op is constant:
        return str(node.attributes["value"])
    span = None if node is None else node.span
    if span is not None and span.line == span.end_line and 0 < len(span.code) <= _LONGEST:
        return f"'{span.code}'"
    return f"operand {position + 1}"
