"""From one ``yield`` of a suspended generator to the next.

What is left of a generator is a stack of the blocks, loops, ``try`` and ``with`` statements around
its ``yield``, innermost last. Only statements that hold a ``yield`` are taken apart, the others are
staged as they stand; what decides among those taken apart must be known while compiling. What
leaves a block (an exception, ``return``, ``break``, ``continue``) goes up the stack, and stops
where a handler takes it, or where something is done last.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder
from symdiff.ir.graph import Block, Value, walk_nodes
from symdiff.ops.declare import NeedsStatic
from symdiff.ops.facts import may_raise
from symdiff.parse.assignment import assign
from symdiff.parse.attributes import special_method
from symdiff.parse.demand import can_be_known
from symdiff.parse.exceptions import exception_of
from symdiff.parse.interpreter import HOOKS, Interpreter
from symdiff.parse.iteration import (
    ITERATORS,
    has_element,
    is_unnumbered,
    part_of,
    require_resumed,
    require_unused,
    resumes,
    returned_by,
)
from symdiff.parse.meanwhile import pushed
from symdiff.parse.operators import binary
from symdiff.parse.raising import throw
from symdiff.parse.refused_arms import of_program, refusal_of
from symdiff.parse.scope import bind_name, forget_name, yields_in
from symdiff.parse.truth import truth
from symdiff.parse.trying import classes_of, forget, handler_of, region_of, run_in_region
from symdiff.parse.values import (
    ABSENT,
    RETURNED_VALUE,
    Abstract,
    Exit,
    Generator,
    Handled,
    ObjectRef,
    Token,
)
from symdiff.parse.writeback import places

Entry = tuple[Any, ...]  # what is left, innermost last: a kind, which ``Resumption`` has a method
# for ("block", "while", "for", "from", "sent", "except", "finally", …), and what it is given


class Raised(NamedTuple):
    """An exception on its way up, and its class."""

    error: Abstract
    kind: type[BaseException]


Leaving = tuple[Any, ...]  # ("raise", Raised), ("return", value), ("break",), ("continue",); or ()


def caught_at(stack: Sequence[Entry]) -> list[Any]:
    """The classes of each handler around, innermost last; None where it names anything else."""
    return [kinds for entry in stack if entry[0] == "except" for kinds in entry[2]]


def cleans_up(entry: Entry) -> bool:
    """Return whether something is done where a generator that is left here is closed."""
    if entry[0] == "except":
        kinds = entry[2]
        return any(kind is None or issubclass(GeneratorExit, kind) for kind in kinds)
    return entry[0] in ("finally", "with")


class Resumption:
    """The statements of a generator from one ``yield`` to the next."""

    def __init__(
        self, interp: Interpreter, generator: Generator, stack: list[Entry], sent: Abstract
    ) -> None:
        self.interp, self.generator = interp, generator
        self.stack, self.sent = stack, sent

    def to_the_next(self, raised: Raised | None = None) -> Abstract:
        """Go on to the next ``yield``, and give its value; ABSENT at the end.

        ``raised``: an exception that is raised where the generator is suspended.
        """
        if raised is not None:
            self._push("raise", raised)
        while self.stack:
            item = self._step(self.stack.pop())
            if item is not ABSENT:
                return item
        return ABSENT

    def _step(self, entry: Entry) -> Abstract:
        """Go on with an entry; what it raises stops at the statements around that take it."""
        if not any(held[0] in ("except", "finally", "with") for held in self.stack):
            return self._dispatch(entry)
        interp, found = self.interp, []
        caught = tuple(kind for kinds in caught_at(self.stack) for kind in kinds or ())
        region = region_of(interp, caught, True)
        start = len(builder().nodes)
        run_in_region(interp, region, lambda: found.append(self._dispatch(entry)))
        left = self._decided(interp.close(region.exit))
        if not left:
            forget(interp, region)
            self._note_what_may_raise(start)
            return found[0]
        number = interp.content((region.token, "number"))
        if isinstance(number, Value):
            raise _undecided()
        raised = Raised(interp.content((region.token, number)), region.kinds[number])
        forget(interp, region)
        self._leave("raise", raised)
        return ABSENT

    def _dispatch(self, entry: Entry) -> Abstract:
        kind, *parts = entry
        handled = [held[2] for held in self.stack if held[0] == "handled"]
        with pushed(self.interp.handled, *handled):
            return getattr(self, f"_{kind}")(*parts)

    def _push(self, kind: str, *parts: Any) -> None:
        self.stack.append((kind, *parts))

    def _push_block(self, statements: Sequence[ast.stmt]) -> None:
        if statements:
            self._push("block", *statements)

    # Statements -----------------------------------------------------------------------------------

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
            self._leave("return", value)
        elif left[0] or left[1]:
            self._leave("break" if left[0] else "continue")

    def _yielding(self, statement: ast.stmt) -> Abstract:
        """Take a statement apart that holds a ``yield``."""
        interp = self.interp
        match statement:
            case (
                ast.Expr(value=ast.Yield() as given)
                | ast.Assign(value=ast.Yield() as given)
                | ast.Return(value=ast.Yield() as given)
            ):
                item = None if given.value is None else interp.evaluate(given.value)
                self._push("sent", statement)
                return item
            case (
                ast.Expr(value=ast.YieldFrom(value=over))
                | ast.Assign(value=ast.YieldFrom(value=over))
                | ast.Return(value=ast.YieldFrom(value=over))
            ) if not yields_in(over):
                self._push("from", statement, self._iterator(over))
            case ast.If(test=test) if not yields_in(test):
                taken = self._decided(interp.test(test))
                self._push_block(statement.body if taken else statement.orelse)
            case ast.While(test=test) if not yields_in(test):
                self._push("while", statement)
            case ast.For(iter=over) if not yields_in(over):
                self._push("for", statement, self._iterator(over))
            case ast.Try():
                self._try(statement)
            case ast.With(items=items) if not any(yields_in(i.context_expr) for i in items):
                self._push("enter", statement, 0)
            case _:
                raise UnsupportedSyntaxError(
                    "this around a yield, in a generator that is gone on with",
                    hint="yield in a statement of its own, in if, for, while, try and with only;"
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

    def _from(self, node: Any, iterator: Abstract, raised: Raised | None = None) -> Abstract:
        with self.interp.at(node):
            sent, self.sent = self.sent, None
            item = self._next_of(iterator, sent, raised)
            if item is not ABSENT:
                self._push("from", node, iterator)
                return item
            self._give(node, returned_by(self.interp, iterator))
        return ABSENT

    def _sent(self, node: Any) -> Abstract:
        value, self.sent = self.sent, None
        with self.interp.at(node):
            self._give(node, value)
        return ABSENT

    def _give(self, node: Any, value: Abstract) -> None:
        """Go on with the value of a ``yield``, which is all of a statement's right side."""
        if isinstance(node, ast.Return):
            self._leave("return", value)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                assign(self.interp, target, value)

    def _next_of(
        self, iterator: Abstract, sent: Abstract = None, raised: Raised | None = None
    ) -> Abstract:
        """The next item of what a generator goes over; ABSENT at its end."""
        interp = self.interp
        if isinstance(iterator, Generator) and is_unnumbered(iterator):
            require_resumed(interp, iterator)
            if resumes(interp, iterator):
                require_unused(interp, iterator)
                if raised is not None and raised.kind is GeneratorExit:
                    interp.call(interp.attribute(iterator, "close"), [], {})
                    self._raise(raised)
                return HOOKS.resumed(interp, iterator, sent, raised)
        if raised is not None:
            self._raise(raised)
            return ABSENT
        if is_unnumbered(iterator) or not isinstance(iterator, ITERATORS) or sent is not None:
            raise UnsupportedSyntaxError(
                "this iterator in a generator that is gone on with",
                hint="make a list of it first: list(...)",
            )
        if interp.heap.get(iterator) is ABSENT:  # begun on some paths only
            raise _undecided()
        part, position = part_of(interp, iterator)
        if not self._decided(has_element(part, position)):
            if part.end is not None:
                part.end()
            return ABSENT
        item = part.element(position)
        interp.put(iterator, binary(interp, ast.Add, position, 1))
        return item

    # Exceptions, and what is done last ------------------------------------------------------------

    def _raise(self, raised: Raised) -> Abstract:
        """Raise an exception where the generator is suspended."""
        if self.stack and self.stack[-1][0] == "from":
            _, node, iterator = self.stack.pop()
            return self._from(node, iterator, raised)
        if self.stack and self.stack[-1][0] == "sent":
            self.stack.pop()
        self._leave("raise", raised)
        return ABSENT

    def _try(self, node: ast.Try) -> None:
        if node.finalbody:
            self._push("finally", node)
        if node.handlers:
            kinds = tuple(classes_of(self.interp, handler) for handler in node.handlers)
            self._push("except", node, kinds)
        self._push_block(node.body)

    def _except(self, node: ast.Try, kinds: Any) -> Abstract:
        """Go on behind the body of a ``try``, which has raised nothing."""
        self._push_block(node.orelse)
        return ABSENT

    def _handled(self, handler: ast.ExceptHandler, handled: Handled) -> Abstract:
        """Go on behind a handler."""
        if handler.name is not None:
            forget_name(self.interp, handler.name)
        return ABSENT

    def _finally(self, node: ast.Try, *leaving: Any) -> Abstract:
        """Do what is done last, and then leave as before."""
        self._push("left", *leaving)
        if any(map(yields_in, node.finalbody)):
            self._require_none_may_raise()
            self._push_block(node.finalbody)
        else:
            self._push("last", node.finalbody)
        return ABSENT

    def _last(self, statements: list[ast.stmt]) -> Abstract:
        """The statements of a ``finally``, one after the other."""
        first, *others = statements
        if others:
            self._push("last", others)
        with self._seen_where_nothing_raised():
            self._plain(first)
        return ABSENT

    def _left(self, *leaving: Any) -> Abstract:
        if leaving:
            self._leave(*leaving)
        return ABSENT

    def _leave(self, *leaving: Any) -> None:
        """Leave the blocks around, up to where that is taken, or something is done before."""
        how = leaving[0]
        while self.stack:
            kind, *parts = self.stack.pop()
            if kind in ("finally", "with"):
                self._push("undo", kind, tuple(parts), leaving)
                return
            if kind == "handled":
                self._handled(*parts)
            elif kind == "left" and parts and parts[0] == "raise":
                self._require_no_refusal(parts[1])
            elif kind == "except" and how == "raise":
                if self._is_handled(parts, leaving[1]):
                    return
            elif kind in ("for", "while") and how in ("break", "continue"):
                if how == "continue":
                    self._push(kind, *parts)
                return
        if how == "raise":
            self._raise_outside(leaving[1])
        else:
            self.interp.put((self.generator, RETURNED_VALUE), leaving[1])

    def _require_no_refusal(self, raised: Raised) -> None:
        """Refuse what is not raised any more, as something else is done instead."""
        refusal = refusal_of(self.interp, raised.kind)
        if refusal is not None:
            raise of_program(refusal)

    def _undo(self, kind: str, parts: tuple[Any, ...], leaving: Leaving) -> Abstract:
        """Do what is done where a ``try`` or a ``with`` is left."""
        return (
            self._finally(*parts, *leaving) if kind == "finally" else self._with(*parts, *leaving)
        )

    def _is_handled(self, parts: Sequence[Any], raised: Raised) -> bool:
        """Go on in the handler of a ``try`` that takes an exception, if one does."""
        node, kinds = parts
        handler = handler_of(node, kinds, raised.kind)
        if handler is None:
            return False
        handled = Handled(raised.error, raised.kind, node, True)
        self._push("handled", handler, handled)
        self._push_block(handler.body)
        if handler.name is not None:
            bind_name(self.interp, handler.name, raised.error)
        return True

    def _raise_outside(self, raised: Raised) -> None:
        interp, (error, kind) = self.interp, raised
        if issubclass(kind, StopIteration):
            said = ("generator raised StopIteration",)
            error, kind = exception_of(interp, RuntimeError, said), RuntimeError
            interp.put((error, "__cause__"), raised.error)
        throw(interp, error, kind)

    # Context managers -----------------------------------------------------------------------------

    def _enter(self, node: ast.With, number: int) -> Abstract:
        """Enter a manager of a ``with``, or go on with its body."""
        if number == len(node.items):
            self._push_block(node.body)
            return ABSENT
        item, interp = node.items[number], self.interp
        with interp.at(item.context_expr):
            manager = interp.evaluate(item.context_expr)
            if not isinstance(manager, ObjectRef):
                raise UnsupportedSyntaxError(
                    "this context manager around a yield, in a generator that is gone on with",
                    hint="use a class written in Python, or a list instead of the generator",
                )
            leave = special_method(interp, manager, "__exit__")
            value = interp.call(special_method(interp, manager, "__enter__"), [], {})
        self._push("with", item, leave)
        self._push("enter", node, number + 1)
        if item.optional_vars is not None:
            assign(interp, item.optional_vars, value)
        return ABSENT

    def _with(self, item: ast.withitem, leave: Abstract, *leaving: Any) -> Abstract:
        """Leave a manager, which may swallow what is raised."""
        interp = self.interp
        with interp.at(item.context_expr), self._seen_where_nothing_raised():
            if not leaving or leaving[0] != "raise":
                interp.call(leave, [None, None, None], {})
            else:
                error, kind = leaving[1]
                if self._decided(truth(interp, interp.call(leave, [kind, error, None], {}))):
                    self._require_no_refusal(leaving[1])
                    return ABSENT
        return self._left(*leaving)

    # What must be known ---------------------------------------------------------------------------

    def _decided(self, condition: bool | Value) -> bool:
        """What decides where a generator goes on."""
        if not isinstance(condition, Value):
            return condition
        if can_be_known(self.interp, condition, with_outcomes=True):
            raise NeedsStatic(condition)
        raise _undecided()

    def _note_what_may_raise(self, start: int) -> None:
        """Remember that an operation inside ``try`` may raise, which nothing tells apart."""
        if any(map(may_raise, walk_nodes(Block((), builder().nodes[start:])))):
            self.interp.put((self.generator, _MAY_RAISE), True)

    def _require_none_may_raise(self) -> None:
        if self.interp.heap.get((self.generator, _MAY_RAISE)) is not ABSENT:
            raise UnsupportedSyntaxError(
                "an operation that may raise, before a yield or behind it inside try or with,"
                " whose end is seen outside",
                hint="compute it before the try, or go over the generator once, in one loop",
            )

    @contextlib.contextmanager
    def _seen_where_nothing_raised(self) -> Iterator[None]:
        """Refuse what is seen outside, where an operation before may have raised."""
        interp, nodes = self.interp, builder().nodes
        before, start = {key: interp.heap.get(key) for key in places(interp)}, len(nodes)
        yield
        done = walk_nodes(Block((), builder().nodes[start:]))
        now = {key: interp.heap.get(key) for key in places(interp)}
        if before != now or any(node.op.effect for node in done):
            self._require_none_may_raise()


_MAY_RAISE = "an operation may raise"


def _undecided() -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        "where this generator is gone on with depends on values at run time",
        hint="go over it once, in one loop, or make a list of it first: list(...)",
    )
