"""Calls of library functions that have a definition: followed in the place of the call.

What is built has the span of the call and names nothing of the user's; what a definition cannot do
is told of the function that was called, and what is certain to fail fails as the function does.
Where all that a call does is to give new arrays and numbers, what was built becomes the definition
of one ``library_call``, which keeps the name of the function.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from symdiff.definitions import CHECKS, ROUNDED
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.build import Builder, builder, building, copy_into
from symdiff.ir.graph import Block, Graph, Node, Value, free_values, walk_nodes
from symdiff.ir.structure import tuple_of
from symdiff.ops.arguments import without_overwriting
from symdiff.ops.defined import library_call
from symdiff.ops.effects import Named, raise_
from symdiff.ops.raised import RAISED_BY_LIBRARIES
from symdiff.ops.solving import solver_call
from symdiff.parse.arguments import taken_arguments
from symdiff.parse.blame import error_of, is_users, on_samples, succeeds, users
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.dtype_answers import note_answer
from symdiff.parse.functions import call_function
from symdiff.parse.heap import Heap
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.marking import suspended
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.opaque import Template, library_name
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Arguments,
    Array,
    CalleeLeft,
    Keywords,
    ListRef,
    NeverReturns,
)


def call_definition(
    interp: Interpreter,
    function: Any,
    definition: FunctionType,
    arguments: Arguments,
    keywords: Keywords,
) -> Abstract:
    """``function(*arguments, **keywords)``, by what defines it."""
    taken = taken_arguments(interp, function, definition, arguments, keywords)
    call = call_as_written(interp, function, arguments, keywords)
    result = _named_at_once(interp, call, definition, taken)
    if result is ABSENT:
        result = _followed(interp, function, definition, (arguments, keywords), taken, call)
    _note(interp, function, arguments, keywords, result)
    return result


def _followed(
    interp: Interpreter,
    function: Any,
    definition: FunctionType,
    given: tuple[Arguments, Keywords],
    taken: Sequence[Abstract],
    call: _Call | None,
) -> Abstract:
    """What the definition gives, as one call of the function where it does nothing else."""
    arguments, keywords = given
    span, before, nodes = interp.span, interp.heap.copy(), builder().nodes
    start = len(nodes)
    try:
        with suspended(interp):
            result = call_function(interp, definition, *taken)
    except CalleeLeft as left:
        if call is not None and call.rounded:  # the function's own value stands
            raise
        raise CalleeLeft(left.value, function, left.span) from None
    except (UnsupportedSyntaxError, UnsupportedCallError) as refusal:
        message = f"{library_name(function)} in this form: {refusal.message}"
        raise UnsupportedCallError(message, span, refusal.hint) from refusal
    except Exception as error:
        if not is_users(error) and not isinstance(error, NeverReturns):
            raise
        if succeeds(interp, function, arguments, keywords):
            raise _stricter(interp, function, error, nodes) from error
        if isinstance(error, NeverReturns):
            raise
        python = error_of(interp, function, arguments, keywords)
        raise users(python or error) from None
    if call is not None and builder().nodes is nodes:
        return named_call(interp, call, result, nodes, start, before)
    return result


def _named_at_once(
    interp: Interpreter, call: _Call | None, definition: FunctionType, taken: Sequence[Abstract]
) -> Abstract:
    """In a ``try``, what a function gives whose own value stands: one operation, which raises what
    the function does. ``ABSENT`` where its definition is no such operation.
    """
    if call is None or not (call.rounded and interp.regions):
        return ABSENT
    start, before = Checkpoint(interp), interp.heap.copy()
    try:
        with suspended(interp), meanwhile(interp, regions=[]):
            result = call_function(interp, definition, *taken)
    except Exception as error:
        told = (UnsupportedSyntaxError, UnsupportedCallError, NeverReturns)
        if not (isinstance(error, told) or is_users(error)):
            raise
        start.roll_back()
        return ABSENT
    if builder().nodes is start.nodes and all(map(_is_told, start.nodes[start.length :])):
        made = named_call(interp, call, result, start.nodes, start.length, before)
        if made is not result:
            return made
    start.roll_back()
    return ABSENT


def _is_told(node: Node) -> bool:
    """Return whether what a node raises, and those within it, is of the classes that a call of a
    library function is taken to raise.
    """
    raised = [one for one in walk_nodes(Block((), [node])) if one.op is raise_]
    return all(issubclass(one.attributes["exception"], RAISED_BY_LIBRARIES) for one in raised)


def _note(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords, result: Abstract
) -> None:
    """Note what a function has given that may cast to the dtype of an argument.

    Where that counts the function is asked on samples; so it must be pure, and call none of the
    user's.
    """
    module = getattr(function, "__module__", None) or ""
    made = _numbers(interp, result)
    if module != "numpy" and not module.startswith(("numpy.lib.", "scipy.ndimage.")):
        return
    given = [_numbers(interp, argument) for argument in arguments]
    named = {name: _numbers(interp, argument) for name, argument in keywords.items()}
    is_new = all(isinstance(part, Value) for part in _leaves(made))
    if is_new and all(isinstance(part, _PLAIN) for part in _leaves((given, list(named.values())))):
        note_answer(interp, on_samples(function), given, named, made)


_PLAIN = (
    Value,
    bool,
    int,
    float,
    complex,
    str,
    np.generic,
    np.ndarray,
    np.dtype,
    slice,
    type(None),
)


def _leaves(content: Any) -> Iterator[Any]:
    if type(content) in (list, tuple):
        for part in content:
            yield from _leaves(part)
    else:
        yield content


def _numbers(interp: Interpreter, content: Abstract) -> Any:
    """Arrays and lists as the values that they hold."""
    if isinstance(content, Array):
        return interp.heap.read(content)
    if isinstance(content, ListRef):
        held = interp.content(content)
        return [_numbers(interp, item) for item in held] if isinstance(held, tuple) else held
    if type(content) is tuple:
        return tuple(_numbers(interp, item) for item in content)
    return content


def _stricter(
    interp: Interpreter, function: Any, error: Exception, nodes: Sequence[Node]
) -> UnsupportedCallError:
    """What a definition is certain to raise of what the function takes."""
    said = error.args if not isinstance(error, NeverReturns) else _said(interp, nodes)
    reason = ", ".join(map(str, said))
    return UnsupportedCallError(f"{library_name(function)} in this form: {reason}", interp.span)


def _said(interp: Interpreter, nodes: Sequence[Node]) -> Sequence[Any]:
    """What the exception says that was raised last."""
    if interp.regions:
        token = interp.regions[-1].token
        error = interp.content((token, interp.content((token, "number"))))
        return tuple(interp.content((error, "args")))
    raised = [node for node in walk_nodes(Block((), list(nodes))) if node.op is raise_]
    return tuple(raised[-1].attributes["arguments"])


# Calls that keep their name -----------------------------------------------------------------------


class _Call(Template):
    """A call as it is written: its operands, and its arguments with slots for them."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...]
    rounded: bool
    checks: bool
    spares: bool  # what the user's own call may overwrite

    def named(self, value: Any) -> Any:
        """NumPy's and SciPy's functions and types by the names that emitted code has for them."""
        template = super().named(value)
        name = library_name(value) if isinstance(template, Named) else ""
        library, _, path = name.partition(".")
        if library not in _LIBRARIES or not _is_at(sys.modules.get(library), path, value):
            return template
        return Named(value, f"{_LIBRARIES[library]}.{path}")


_LIBRARIES = {"numpy": "np", "scipy": "scipy"}


def _is_at(module: Any, path: str, value: Any) -> bool:
    """Return whether an object is what a path in a module leads to."""
    try:
        return bool(operator.attrgetter(path)(module) == value)
    except AttributeError:
        return False


def call_as_written(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> _Call | None:
    """The call as it is written, but for what it would overwrite; None where a function or
    an object of the user's is given.
    """
    written = [*arguments, *keywords]
    arguments, keywords = without_overwriting(function, arguments, keywords)
    call = _Call(interp)
    kept = [*arguments, *keywords]
    call.spares = len(kept) < len(written) or not all(map(operator.is_, kept, written))
    call.function = call.named(function)
    call.rounded, call.checks = function in ROUNDED, function in CHECKS
    try:
        call.arguments = tuple(call.of(a) for a in arguments)
        call.keywords = tuple((name, call.of(a)) for name, a in keywords.items())
    except UnsupportedCallError:
        return None
    return call


def named_call(
    interp: Interpreter, call: _Call, result: Abstract, nodes: list[Node], start: int, before: Heap
) -> Abstract:
    """One ``library_call`` in place of what a definition has built, where that is all of it."""
    parts = result if type(result) is tuple else (result,)
    is_alone = type(result) is tuple and len(result) == 1  # a call gives it, or several results
    if is_alone or all(map(_is_known, parts)):
        return result
    values = [_new_value(interp, part, before) for part in parts]
    built = nodes[start:]
    made = {value for node in built for value in node.results}
    own = bool(values) and made.issuperset(values) and len(set(values)) == len(values)
    if not own or _does_more(interp, built, before):
        return result
    graph, operands = _outlined(call, built, [v for v in values if v is not None])
    del nodes[start:]
    interp.heap.restore(before)
    emitted = library_call(
        *operands,
        definition=graph,
        function=call.function,
        arguments=call.arguments,
        keywords=call.keywords,
        rounded=call.rounded,
        checks=call.checks,
        **({"spares": True} if call.spares else {}),
    )
    if type(result) is not tuple:
        return interp.wrap(emitted[0])
    pairs = zip(result, emitted, strict=True)
    return tuple(part if _is_known(part) else interp.wrap(value) for part, value in pairs)


def _is_known(part: Abstract) -> bool:
    """Return whether a part of a result is a number that is known: the call says it again."""
    return type(part) in (bool, int, float)


def _new_value(interp: Interpreter, part: Abstract, before: Heap) -> Value | None:
    """What a part of a result is: a number, or an array of its own."""
    if _is_known(part):
        return builder().constant(part)
    if isinstance(part, Value):
        return part
    heap = interp.heap
    if isinstance(part, Array) and part.storage not in before.contents:
        shared = heap.shared.get(part.storage, ())
        return None if any(other in before.contents for other in shared) else heap.read(part)
    return None


def _does_more(interp: Interpreter, built: Sequence[Node], before: Heap) -> bool:
    """Return whether a definition did something else than to compute its result."""
    done = [node.op for node in walk_nodes(Block((), list(built)))]
    if any(op.effect and op is not raise_ for op in done):  # what it raises, the function raises
        return True
    if solver_call in done:  # it keeps its name by itself, and says what it calls
        return True
    held = interp.heap.contents
    return any(held.get(key) is not content for key, content in before.contents.items())


def _outlined(
    call: _Call, built: Sequence[Node], results: Sequence[Value]
) -> tuple[Graph, list[Value]]:
    """What was built as a graph, and its operands: the arguments, and what else it reads."""
    free = free_values(Block((), list(built), tuple(results)))
    operands = [*call.operands, *(v for v in free if v not in call.operands)]
    parameters = [Value(v.type, None, v.name) for v in operands]
    new = dict(zip(operands, parameters, strict=True))
    with building(Builder()) as made:
        for node in built:
            copy_into(node, new)
    found, output = [new[value] for value in results], tuple_of(len(results))
    graph = Graph.of_values(call.function.name, parameters, made.nodes, found, output)
    return graph, operands
