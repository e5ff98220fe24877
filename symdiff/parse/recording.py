"""``with warnings.catch_warnings(record=True) as kept``: a list that the compiler fills.

What the code of the block warns of is known from the filters that the block sets. Operations may
warn of what they compute; there they are refused unless they compute with Python's own numbers.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import builder
from symdiff.ir.control import CALLS
from symdiff.ir.graph import Node
from symdiff.ir.types import BOOL, ArrayType, OpaqueType, Type
from symdiff.ops.declare import static
from symdiff.ops.effects import assert_, print_, raise_
from symdiff.parse.calls import builtin
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.values import Abstract


def recorded(
    interp: Interpreter, keywords: dict[str, Abstract], inner: Callable[[Abstract], None]
) -> None:
    """Stage a block whose warnings are kept in a list, or by the list around it."""
    from symdiff.definitions.warned import Recorder  # at the first use

    options = {name: static(value) for name, value in keywords.items()}
    keeps, action = options.pop("record", False), options.pop("action", None)
    if options.pop("module", None) is not None:
        raise UnsupportedCallError("catch_warnings(module=...)")
    around = interp.recorder
    filters = () if around is None else interp.attribute(around, "filters")
    log = interp.call(list, [], {}) if keeps else interp.attribute(around, "log")
    recorder = interp.call(Recorder, [log, filters], {})
    if action is not None:
        interp.call(interp.attribute(recorder, "simplefilter"), [action], options)
    with meanwhile(interp, recorder=recorder), _silent():
        inner(log if keeps else None)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Refuse meanwhile what may warn by itself."""
    before = builder().after

    def after(node: Node) -> Node:
        if _may_warn(node):
            raise UnsupportedCallError(
                "what may warn by itself, inside catch_warnings(record=True)",
                node.span,
                "compute with arrays outside of the block, or leave out 'as'",
            )
        return node if before is None else before(node)

    with meanwhile(builder(), after=after):
        yield


def _may_warn(node: Node) -> bool:
    if node.op.effect:
        return node.op not in (print_, raise_, assert_)
    if node.blocks or node.op.cost in ("free", "view") or node.op.view is not None:
        return False
    if node.op in CALLS or node.op.name == "invert":  # ``~`` of a bool
        return True
    values = (*node.operands, *node.results)
    return not all(_is_of_python(value.type) for value in values)


def _is_of_python(type_: Type) -> bool:
    if isinstance(type_, ArrayType):
        return type_.weak or type_ == BOOL
    return isinstance(type_, OpaqueType)  # what an attempt has raised


def _in_a_block(function: Any) -> None:
    @builtin(function)
    def called(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
        if interp.recorder is None:
            return NotImplemented
        own = interp.attribute(interp.recorder, function.__name__)
        return interp.call(own, arguments, keywords)


for _function in (
    warnings.warn,
    warnings.simplefilter,
    warnings.filterwarnings,
    warnings.resetwarnings,
):
    _in_a_block(_function)
