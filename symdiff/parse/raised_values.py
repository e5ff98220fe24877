"""What is known of an exception that operations raise, which is a value known at run time only.

Its class, where all operations that may have raised it raise one, and its ``args``, where what they
say is one text: ``float division by zero``.
"""

from __future__ import annotations

from symdiff.ir.control import cond, undefined
from symdiff.ir.graph import Node, Value
from symdiff.ops.attempts import attempted_node, caught
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.elementary import power
from symdiff.ops.facts import READS_AND_WRITES, is_python
from symdiff.ops.index import index
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.large_integers import may_be_too_large
from symdiff.parse.values import Abstract

Classes = tuple[type[BaseException], ...]

_SAY_TEXTS = READS_AND_WRITES | {
    *("inv", "solve", "cholesky", "eigh", "eigvalsh", "eig", "eigvals", "svd", "svdvals", "lstsq"),
    *("python_int", "python_round", "written_apart", "matmul", "dot", "reshape", "broadcast_to"),
    *("concatenate", "stack", "max", "min", "argmax", "argmin", "list_get"),
}


def class_raised(interp: Interpreter, error: Abstract) -> type[Exception] | None:
    """The class of an exception, where all operations that may have raised it agree on it."""
    attempts = _attempts_of(error)
    if attempts is None or interp.strict:
        return None
    classes = {_class_of(interp, node) for node in attempts}
    return classes.pop() if len(classes) == 1 else None


def is_raised(value: Abstract) -> bool:
    """Return whether a value is certainly an exception that an operation has raised."""
    return bool(_attempts_of(value))


def classes_caught(error: Abstract) -> Classes:
    """The classes of one of which an exception is, special ones first; of a call, any."""
    attempts = _attempts_of(error)
    if attempts is None:
        return (BaseException,)
    found = dict.fromkeys(kind for node in attempts for kind in node.attributes["classes"])
    return tuple(sorted(found, key=lambda kind: -len(kind.__mro__)))


def arguments_raised(interp: Interpreter, error: Abstract) -> tuple[Abstract, ...] | None:
    """The ``args`` of an exception: its text, where that is all that Python gives it."""
    attempts = _attempts_of(error)
    if attempts is None or not all(map(_says_one_text, attempts)):
        return None
    return (interp.call(str, [error], {}),)


def _class_of(interp: Interpreter, node: Node) -> type[Exception] | None:
    op = node.attributes["op"]
    if op is index:
        return IndexError
    overflows = any(issubclass(OverflowError, kind) for kind in node.attributes["classes"])
    if overflows and may_be_too_large(interp, attempted_node(node)):
        return None
    known = isinstance(op, DeclaredOp) and op.fails is not None and _is_of_numbers(node)
    return op.fails.error if known else None


def _is_of_numbers(node: Node) -> bool:
    """Return whether what is attempted is done with Python's numbers alone."""
    return all(map(is_python, node.operands))


def _says_one_text(node: Node) -> bool:
    """Return whether all exceptions of what is attempted have a text and nothing else."""
    op = node.attributes["op"]
    if op is power:  # OverflowError(34, "Numerical result out of range")
        caught_here = node.attributes["classes"]
        return not any(issubclass(OverflowError, kind) for kind in caught_here)
    declared = isinstance(op, DeclaredOp) and (op.fails is not None or op.elementwise)
    return declared or op.name.startswith("math_") or op.name in _SAY_TEXTS


def _attempts_of(error: Abstract) -> list[Node] | None:
    """The attempts of one of which an exception comes; None where that is not known."""
    if not isinstance(error, Value):
        return None
    attempts: dict[Node, None] = {}
    pending, seen = [error], {error}
    while pending:
        value = pending.pop()
        node = value.node
        if node is None or node.op not in (caught, cond, undefined):
            return None
        if node.op is caught:
            attempts[node] = None
        elif node.op is cond:
            place = node.results.index(value)
            given = [block.results[place] for block in node.blocks]
            pending += [one for one in given if one not in seen]
            seen.update(given)
    return list(attempts)
