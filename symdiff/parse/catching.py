"""Asking whether something raises: ``hasattr``, ``getattr`` with a default, the end of a sequence.

What the program would do is staged; where that certainly raises, what it has staged of the
exception is taken back. Where only the values tell, the question is refused.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import builder
from symdiff.ir.graph import Block, Node, walk_nodes
from symdiff.ops.effects import Made, Named, raise_
from symdiff.ops.facts import may_raise
from symdiff.ops.support import holding
from symdiff.parse.blame import is_users
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.demand import known
from symdiff.parse.interpreter import ERROR, Interpreter
from symdiff.parse.values import ABSENT, Abstract, NeverReturns


def unless_raised(
    interp: Interpreter, kinds: type[Exception], action: Callable[[], Abstract]
) -> Abstract:
    """What an action gives; ``ABSENT`` where it certainly raises an exception of a kind."""
    if not interp.regions:
        return _unless_raised(interp, kinds, action)
    start = Checkpoint(interp)
    found = _unless_raised(interp, kinds, action)
    if found is ABSENT or not any(map(_leaves, walk_nodes(Block((), start.nodes[start.length :])))):
        return found
    start.roll_back()  # what it raises is of another kind: a ``try`` around may catch that
    return action()


def _leaves(node: Node) -> bool:
    return node.op is raise_ or may_raise(node)


def _unless_raised(
    interp: Interpreter, kinds: type[Exception], action: Callable[[], Abstract]
) -> Abstract:
    nodes, frames = builder().nodes, len(interp.frames)
    start = len(nodes)
    try:
        with interp.apart():  # what is asked for is raised here, in no ``try`` around
            found = action()
    except kinds as error:
        if not is_users(error):
            raise
        return ABSENT
    except NeverReturns:
        if not _raises(nodes[-1:], kinds) or len(nodes) <= start:
            raise
        del nodes[-1], interp.frames[frames:]
        interp.heap.set(ERROR, ABSENT)
        return ABSENT
    for node in nodes[start:]:
        if node.blocks and _raises(walk_nodes(Block((), [node])), kinds):
            known(interp, node.operands[0], "test beforehand whether there is one")
            raise UnsupportedCallError(
                f"whether this raises {kinds.__name__} is known at run time only"
            )
    return found


def _raises(nodes: Any, kinds: type[Exception]) -> bool:
    """Return whether one of these nodes raises an exception of a kind."""
    return any(node.op is raise_ and issubclass(_class_of(node), kinds) for node in nodes)


def _class_of(node: Node) -> type[BaseException]:
    made = node.attributes["exception"]
    if isinstance(made, Made) and made.by.target is holding:
        made = made.items[0]
    if isinstance(made, Made):
        made = made.by
    found = made.target if isinstance(made, Named) else made
    known = isinstance(found, type) and issubclass(found, BaseException)
    return found if known else builtins.BaseException
