"""The check of what reverse sweeps compute."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from symdiff.ir.build import is_constant
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.anomalies import check_finite
from symdiff.ops.effects import Named
from symdiff.ops.recording import tap
from symdiff.source import SourceSpan
from symdiff.source.trees import expression_of

_LONGEST = 40  # of what is quoted from a line


def check(node: Node, position: int, share: Value, bars: Sequence[Value | None]) -> None:
    """Check what flows into an operand of a primal node."""
    if not _is_float(share) or node.op is tap:
        return
    numbers = [
        (k, value)
        for k, value in enumerate(node.operands)
        if isinstance(value.type, ArrayType) and not is_constant(value)
    ]
    names = tuple(_said(node, k) for k, _ in numbers)
    given = [bar for bar in bars if bar is not None and _is_float(bar)]
    line = f"line_{node.span.line}" if node.span is not None else "nowhere"
    check_finite(
        share,
        *(value for _, value in numbers),
        *(given if len(bars) == 1 else ()),
        name=_said(node, position),
        place=Named(node.span, line),
        names=names,
    )


def _is_float(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.differentiable


def _said(node: Node, position: int) -> str:
    """How an operand is called in a message: as it stands in the expression, or in the one that
    made it, or by its name.
    """
    value = node.operands[position]
    if is_constant(value) and value.node is not None:
        return str(value.node.attributes["value"])
    parts = _parts(node.span)
    if value.name is not None and (not parts or value.name in re.findall(r"\w+", " ".join(parts))):
        return f"'{value.name}'"
    written = parts[position] if len(parts) == len(node.operands) else _code(value)
    written = value.name if written is None else written
    return f"operand {position + 1}" if written is None else f"'{written}'"


def _code(value: Value) -> str | None:
    """The expression that made a value, where it is a short one."""
    span = None if value.node is None else value.node.span
    short = span is not None and span.line == span.end_line and 0 < len(span.code) <= _LONGEST
    return span.code if span is not None and short else None


def _parts(span: SourceSpan | None) -> list[str]:
    """The operands of a short expression as they are written."""
    if span is None or span.line != span.end_line or len(span.code) > 2 * _LONGEST:
        return []
    try:
        whole = expression_of(span.code)
    except SyntaxError:
        return []
    parts: list[ast.expr] = []
    if isinstance(whole, ast.BinOp):
        parts = [whole.left, whole.right]
    elif isinstance(whole, ast.UnaryOp):
        parts = [whole.operand]
    elif isinstance(whole, ast.Call):
        parts = list(whole.args)
    return [ast.get_source_segment(span.code, part) or "" for part in parts]
