"""Generators that are gone on with: suspended at a ``yield``, resumed by the next ``next``.

A generator function is staged where it is gone over, at one go. Where it is asked for more
afterwards, all is staged again, and it is suspended instead (``RetryPolicy.resumed``): what is left
of it is a stack of the blocks and loops around the ``yield``, a content of the heap like any other.
Only statements that hold a ``yield`` are taken apart; what decides among them must be known.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from symdiff.definitions import is_definition
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ops.declare import NeedsStatic
from symdiff.parse.assignment import assign
from symdiff.parse.blame import users
from symdiff.parse.calls import METHODS_OF
from symdiff.parse.demand import can_be_known
from symdiff.parse.interpreter import HOOKS, Frame, Interpreter
from symdiff.parse.iteration import (
    ITERATORS,
    RETURNED_VALUE,
    at_end,
    has_element,
    is_unnumbered,
    part_of,
    require_resumed,
    require_unused,
    resumes,
    returned_by,
)
from symdiff.parse.operators import binary
from symdiff.parse.scope import yields_in
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Exit,
    Generator,
    GeneratorBody,
    NeverReturns,
    Suspended,
    Token,
)

Entry = tuple[Any, ...]  # what is left, innermost last: ("block", *statements), ("while", node),
# ("for", node, iterator), ("from", node, iterator), ("sent", node)


def resumed(interp: Interpreter, generator: Generator, sent: Abstract = None) -> Abstract:
    """The next element of a generator, which is suspended behind it; ABSENT at its end."""
    state, body = interp.content(generator), _body(generator)
    if not isinstance(state, Suspended):
        raise UnsupportedSyntaxError(
            "a generator that goes on where it is running, has raised, or was made on some paths",
            hint="make a list of it first: list(...)",
        )
    if not state.stack:
        return ABSENT
    interp.put(generator, None)  # so it stays where it raises
    with _entered(interp, body):
        run = _Resumption(interp, generator, [*state.stack], sent)
        item = run.to_the_next()
    interp.put(generator, body.suspended(tuple(run.stack)))
    return item


def _body(generator: Generator) -> GeneratorBody:
    assert generator.body is not None
    return generator.body


@contextlib.contextmanager
def _entered(interp: Interpreter, body: GeneratorBody) -> Iterator[None]:
    """The frame of a generator, whose names are those that it was left with."""
    exits = [region.exit for region in interp.regions]
    caller = interp.frame
    place = caller.place or interp.span if is_definition(body.scope.globals) else None
    frame = Frame(body.scope, body.source, caller.place or interp.span, place, exits)
    frame.activation = caller.activation
    before, depth = interp.region_states(), len(interp.frames)
    interp.frames.append(frame)
    try:
        yield
        if interp.raises_here():
            raise NeverReturns
        if interp.may_have_raised(before):
            raise UnsupportedSyntaxError(
                "a generator that raises on some paths, gone on with inside try",
                hint="make a list of it first: list(...)",
            )
    finally:
        del interp.frames[depth:]


class _Resumption:
    """The statements of a generator from one ``yield`` to the next."""

    def __init__(
        self, interp: Interpreter, generator: Generator, stack: list[Entry], sent: Abstract
    ) -> None:
        self.interp, self.generator = interp, generator
        self.stack, self.sent = stack, sent

    def to_the_next(self) -> Abstract:
        """Go on to the next ``yield``, and give its value; ABSENT at the end."""
        while self.stack:
            kind, *parts = self.stack.pop()
            item = getattr(self, f"_{kind}")(*parts)
            if item is not ABSENT:
                return item
        return ABSENT

    def _push(self, kind: str, *parts: Any) -> None:
        self.stack.append((kind, *parts))

    def _push_block(self, statements: Sequence[ast.stmt]) -> None:
        if statements:
            self._push("block", *statements)

    def _block(self, *statements: ast.stmt) -> Abstract:
        plain = next((k for k, s in enumerate(statements) if yields_in(s)), len(statements))
        self._push_block(statements[max(plain, 1) :])
        if plain:
            self._push_block(statements[1:plain])
            self._plain(statements[0])
            return ABSENT
        with self.interp.at(statements[0]):
            return self._yielding(statements[0])

    def _plain(self, statement: ast.stmt) -> None:
        """Stage a statement without a ``yield``, which may leave the loop or the generator."""
        interp = self.interp
        returned = Exit(interp.frame.token, "return")
        exits = [Exit(Token(), "break"), Exit(Token(), "continue"), returned]
        with interp.opened(*exits):
            interp.execute([statement])
        with interp.at(statement):
            left = [self._decided(interp.close(exit_)) for exit_ in exits]
        if left[2]:
            value = interp.content((interp.frame.token, "value"))
            interp.heap.contents.pop((interp.frame.token, "value"))
            interp.put((self.generator, RETURNED_VALUE), value)
            self.stack.clear()
        elif left[0] or left[1]:
            while self.stack[-1][0] not in ("for", "while"):
                self.stack.pop()
            if left[0]:
                self.stack.pop()

    def _yielding(self, statement: ast.stmt) -> Abstract:
        """Take a statement apart that holds a ``yield``."""
        interp = self.interp
        match statement:
            case ast.Expr(value=ast.Yield() as given) | ast.Assign(value=ast.Yield() as given):
                self._push("sent", statement)
                item = None if given.value is None else interp.evaluate(given.value)
                return item
            case (
                ast.Expr(value=ast.YieldFrom(value=over))
                | ast.Assign(value=ast.YieldFrom(value=over))
            ) if not yields_in(over):
                self._push("from", statement, self._iterator(over))
            case ast.If(test=test) if not yields_in(test):
                taken = self._decided(interp.test(test))
                self._push_block(statement.body if taken else statement.orelse)
            case ast.While(test=test) if not yields_in(test):
                self._push("while", statement)
            case ast.For(iter=over) if not yields_in(over):
                self._push("for", statement, self._iterator(over))
            case _:
                raise UnsupportedSyntaxError(
                    "this around a yield, in a generator that is gone on with",
                    hint="yield in a statement of its own, in if, for and while only;"
                    " or make a list of it first: list(...)",
                )
        return ABSENT

    def _iterator(self, over: ast.expr) -> Abstract:
        return self.interp.call(iter, [self.interp.evaluate(over)], {})

    def _while(self, node: ast.While) -> Abstract:
        interp = self.interp
        interp.count(interp.span)
        with interp.at(node.test):
            goes_on = self._decided(interp.test(node.test))
        if goes_on:
            self._push("while", node)
        self._push_block(node.body if goes_on else node.orelse)
        return ABSENT

    def _for(self, node: ast.For, iterator: Abstract) -> Abstract:
        with self.interp.at(node.iter):
            item = self._next_of(iterator)
        if item is ABSENT:
            self._push_block(node.orelse)
            return ABSENT
        self._push("for", node, iterator)
        with self.interp.at(node):
            assign(self.interp, node.target, item)
        self._push_block(node.body)
        return ABSENT

    def _from(self, node: Any, iterator: Abstract) -> Abstract:
        with self.interp.at(node):
            item = self._next_of(iterator, self.sent)
            self.sent = None
            if item is not ABSENT:
                self._push("from", node, iterator)
                return item
            if isinstance(node, ast.Assign):
                self._assign(node, returned_by(self.interp, iterator))
        return ABSENT

    def _sent(self, node: Any) -> Abstract:
        value, self.sent = self.sent, None
        if isinstance(node, ast.Assign):
            with self.interp.at(node):
                self._assign(node, value)
        return ABSENT

    def _assign(self, node: ast.Assign, value: Abstract) -> None:
        for target in node.targets:
            assign(self.interp, target, value)

    def _next_of(self, iterator: Abstract, sent: Abstract = None) -> Abstract:
        """The next item of what a generator goes over; ABSENT at its end."""
        interp = self.interp
        if isinstance(iterator, Generator) and is_unnumbered(iterator):
            require_resumed(interp, iterator)
            if resumes(interp, iterator):
                require_unused(interp, iterator)
                return resumed(interp, iterator, sent)
        if is_unnumbered(iterator) or not isinstance(iterator, ITERATORS) or sent is not None:
            raise UnsupportedSyntaxError(
                "this iterator in a generator that is gone on with",
                hint="make a list of it first: list(...)",
            )
        part, position = part_of(interp, iterator)
        if not self._decided(has_element(part, position)):
            if part.end is not None:
                part.end()
            return ABSENT
        item = part.element(position)
        interp.put(iterator, binary(interp, ast.Add, position, 1))
        return item

    def _decided(self, condition: bool | Value) -> bool:
        """What decides where a generator goes on."""
        if not isinstance(condition, Value):
            return condition
        if can_be_known(self.interp, condition):
            raise NeedsStatic(condition)
        raise UnsupportedSyntaxError(
            "where this generator is gone on with depends on values at run time",
            hint="go over it once, in one loop, or make a list of it first: list(...)",
        )


def _send(interp: Interpreter, generator: Generator, value: Abstract) -> Abstract:
    require_resumed(interp, generator)
    _require_function(interp, generator)
    state = interp.content(generator)
    stack = state.stack if isinstance(state, Suspended) else ()
    if value is not None and stack and stack[-1] == ("block", *_body(generator).node.body):
        raise users(TypeError("can't send non-None value to a just-started generator"))
    item = resumed(interp, generator, value)
    if item is ABSENT:
        at_end(interp, generator)
    return item


def _next(interp: Interpreter, generator: Generator) -> Abstract:
    return _send(interp, generator, None)


def _close(interp: Interpreter, generator: Generator) -> None:
    require_resumed(interp, generator)
    _require_function(interp, generator)
    if not isinstance(interp.content(generator), Suspended):
        resumed(interp, generator)
    interp.put(generator, _body(generator).suspended(()))


def _require_function(interp: Interpreter, generator: Generator) -> None:
    """Refuse what is no generator function's, or what has been collected."""
    if generator.body is None:
        raise UnsupportedSyntaxError(
            "a method of this generator", hint="use next(...), or make a list of it first"
        )
    require_unused(interp, generator)


HOOKS.resumed = resumed
METHODS_OF[Generator] = {"send": _send, "close": _close, "__next__": _next}
