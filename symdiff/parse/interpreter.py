"""The abstract interpreter: its state, and how the pieces of the front end reach each other.

An ``Interpreter`` walks one function's syntax tree as Python would. Statements and expressions are
tables of small functions, one a node class, that take the interpreter and the node. What touches
staged values becomes IR in the current builder.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.definitions import is_definition
from symdiff.errors import (
    OUTSIDE,
    InternalError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
    rejection,
    told_by,
)
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.called import Activation
from symdiff.ir.graph import Attributes, FreeVariable, Input, Node, Op, Operand, Value
from symdiff.ir.signature import Aspect, Path
from symdiff.ir.structure import is_leaf, is_masked
from symdiff.ir.types import Size, Type, in_words
from symdiff.ops.arithmetic import bitwise_or, not_
from symdiff.ops.declare import NeedsStatic
from symdiff.ops.strides import Layout, Product
from symdiff.parse.assumed import Assumed, is_certain, truth_of
from symdiff.parse.blame import CONTROL, HINT, blamed, certain, users
from symdiff.parse.dtype_answers import Answer, Question
from symdiff.parse.heap import Heap, constant, is_array, value_name
from symdiff.parse.meanwhile import meanwhile, pushed
from symdiff.parse.policy import RetryPolicy
from symdiff.parse.staged import FixedValues, Guard
from symdiff.parse.told_numbers import as_told
from symdiff.parse.values import (
    Abstract,
    Array,
    Conflict,
    ConflictRead,
    DictRef,
    Exit,
    Handled,
    ListRef,
    NeverReturns,
    ObjectRef,
    PossiblyUnbound,
    Scope,
    SomeEntries,
    StatementLeft,
    StaticSet,
    Storage,
    Token,
    Told,
    ValueKeys,
    born,
)
from symdiff.source import SourceSpan, span_of
from symdiff.source.trees import names_read

MOST_UNROLLED = 2000
MOST_INLINED = 300
MOST_FOLLOWED = 200_000

FreeKind = Literal["global", "cell", "object", "weak"]
GuardKind = Literal["value", "type", "keys", "specification", "unset", "absent", "same", "apart"]
Part = ast.expr | ast.pattern
Step = tuple[Part | None, str]  # a part of a statement, and what is done with it
Attempt = tuple[Step | None, int]  # a step of a statement, and which of its operations
Statement = Callable[["Interpreter", Any, Sequence[ast.stmt]], bool]
Expression = Callable[["Interpreter", Any], Abstract]

STATEMENTS: dict[type[ast.stmt], Statement] = {}
EXPRESSIONS: dict[type[ast.expr], Expression] = {}


class Hooks:
    """Functions of modules that import this one; each is set where it is defined."""

    branch: Callable[[Interpreter, Value, Callable[[], object], Callable[[], object]], None]
    call: Callable[[Interpreter, Abstract, Sequence[Abstract], dict[str, Abstract]], Abstract]
    method: Callable[[Interpreter, Abstract, str], Abstract]
    attribute: Callable[[Interpreter, Abstract, str], Abstract]
    collect: Callable[[Interpreter, Abstract], Abstract]
    items: Callable[[Interpreter, Abstract], tuple[Abstract, ...]]
    test: Callable[[Interpreter, ast.expr], bool | Value]
    told_apart: Callable[..., Any]
    told_apart_value: Callable[..., Abstract]
    stager: Callable[[Interpreter], Any]
    before: Callable[[Interpreter, Node], None]
    attempt: Callable[[Interpreter, Node], bool]
    failed: Callable[[Interpreter, Any], None]
    begun: Callable[[Interpreter], Any]
    noting: Callable[[Interpreter, StatementValues, Step], AbstractContextManager[None]]
    called_in_step: Callable[..., Abstract]
    note_read: Callable[[Interpreter, Any], None]
    certain_entries: Callable[[Interpreter, DictRef], dict[Any, Abstract]]
    resumed: Callable[..., Abstract]
    close_dropped: Callable[[Interpreter, Scope, Abstract], None]


HOOKS = Hooks()


@dataclass(slots=True)
class StatementValues:
    """The values of a statement's parts, each of which is evaluated once when it is staged.

    A statement that has to be staged for each case of a value is staged from these.
    """

    nodes: list[Node]
    depth: int  # of frames
    parts: frozenset[Part]
    values: dict[Step, Abstract]
    attempted: dict[Attempt, tuple[Value, ...]]  # what an operation that may raise gave, if known
    since: int  # what was made before has been there where the statement begins
    notes: bool  # whether the calls of its steps are noted
    has_statements: bool  # which are staged in it
    record: Any  # what the present step has done so far, if that is noted: a ``recalled.Record``
    current: Step | None = None  # the step that is being taken
    seen: dict[Step | None, int] = field(default_factory=dict)  # operations that may raise


@dataclass(eq=False, slots=True)
class Region:
    """What stands in a ``try``, while it is staged.

    ``classes``: those that the handlers around it catch, as far as operations of libraries raise
    them. ``kinds``: the classes that are raised in it, by number; ``classes`` are the first.
    ``keeps``: whether a handler asks for the exception. ``handled``: the classes that its own
    handlers catch. ``told``: what the exceptions of a number say, where none of these catches them.
    ``parts``: whether ``except*`` may take parts of a group. ``swallows``: whether what a block is
    left by is told at run time only not to be raised.
    """

    token: Token
    classes: tuple[type[BaseException], ...]
    keeps: bool
    handled: tuple[type[BaseException], ...] = ()
    parts: bool = False
    swallows: bool = False
    kinds: list[type[BaseException]] = field(init=False)
    told: list[Any] = field(init=False)
    exit: Exit = field(init=False)

    def __post_init__(self) -> None:
        self.kinds = list(self.classes)
        self.told = [None] * len(self.kinds)
        self.exit = Exit(self.token, "raise")

    def may_catch(self, kind: type[BaseException]) -> bool:
        """Return whether it may be that nothing of a class is raised any more behind this."""
        return self.parts or self.swallows or issubclass(kind, self.handled)

    def number_of(self, kind: type[BaseException], made: bool, told: Any = None) -> int:
        """The number of a class that is raised; ``made``: by the program, not by an operation.

        What goes on to be raised has a number for each thing that is ``told``.
        """
        if not made and kind in self.classes:
            return self.classes.index(kind)
        if issubclass(kind, self.handled):
            told = None
        for number in range(len(self.classes), len(self.kinds)):
            if self.kinds[number] is kind and self.told[number] == (made, told):
                return number
        self.kinds.append(kind)
        self.told.append((made, told))
        return len(self.kinds) - 1


@dataclass(slots=True)
class Frame:
    """One function activation: its scope, its source, and where it was called from."""

    scope: Scope
    source: Any  # a ``FunctionSource``; None of a function without one
    called_from: SourceSpan | None
    place: SourceSpan | None = None  # of what is built, in a library function's definition
    exits: list[Exit] = field(default_factory=list)  # of the blocks around, innermost last
    token: Token = field(default_factory=Token)
    consumer: Consumer | None = None  # of a generator function
    activation: Activation | None = None
    forks: int = 0  # statements that were staged for each case


class ActiveCall(NamedTuple):
    """A call that is followed: its function, the functions and objects that it is ``given``, and
    how many staged branches it stands in.
    """

    key: Any
    given: Any
    depth: int


@dataclass(frozen=True, slots=True)
class Consumer:
    """What goes over a generator: ``consume`` is given each element, in the frames it stands in.

    ``regions``: how many there were. ``inside``: what the consumer raises is raised at the
    ``yield``, as of a context manager. ``whole``: it never leaves before the end.
    """

    consume: Callable[[Abstract], None]
    frames: int
    regions: int
    inside: bool
    whole: bool


class WriteBackBuilder(Builder):
    """A builder that writes back what the function has written before an operation may raise."""

    def __init__(self, interp: Interpreter) -> None:
        super().__init__(span=interp.span)
        self.interp = interp

    def emit_again(self, op: Op, operands: Sequence[Operand], attributes: Attributes) -> Node:
        with meanwhile(self.interp, regions=[]):
            return self.emit(op, operands, attributes)

    def add(self, node: Node) -> None:
        if self.interp.regions and HOOKS.attempt(self.interp, node):
            return
        HOOKS.before(self.interp, node)
        super().add(node)
        if self.interp.frames:
            self.interp.made_in[node] = self.interp.frame.activation


class Scratch:
    """A node list and a heap of their own, while something is staged into them."""

    __slots__ = ("_around", "heap", "interp")

    def __init__(self, interp: Interpreter, heap: Heap) -> None:
        self.interp, self.heap = interp, heap

    def __enter__(self) -> Builder:
        interp, inner = self.interp, WriteBackBuilder(self.interp)
        around = pushed(interp.outer_heaps, interp.heap), meanwhile(interp, heap=self.heap)
        self._around = *around, building(inner)
        for one in self._around:
            one.__enter__()
        return inner

    def __exit__(self, *_: object) -> None:
        for one in reversed(self._around):
            one.__exit__()


class FollowedTooOftenError(UnsupportedSyntaxError):
    """The bodies of loops would have to be followed too often: closer attempts are no shorter."""


@dataclass(slots=True)
class Effort:
    """What was staged so far, each of which has a bound."""

    followed: int = 0  # statements and expressions, each time but the first that they are staged
    trials: int = 0  # of loop bodies
    tails: int = 0  # rests of blocks that were staged twice
    told_apart: dict[str, None] = field(default_factory=dict)  # the names for which they were

    def copy(self) -> Effort:
        return replace(self, told_apart=dict(self.told_apart))


class Tail(Sequence[ast.stmt]):
    """The statements of a block from a place on: the block itself is not copied for each."""

    __slots__ = ("_block", "_start")

    def __init__(self, block: Sequence[ast.stmt], start: int) -> None:
        self._block, self._start = block, start

    @classmethod
    def behind(cls, statements: Sequence[ast.stmt], position: int) -> Tail:
        """What stands behind the statement at a position."""
        if isinstance(statements, Tail):
            return cls(statements._block, statements._start + position + 1)
        return cls(statements, position + 1)

    def __len__(self) -> int:
        return len(self._block) - self._start

    def __iter__(self) -> Iterator[ast.stmt]:
        return itertools.islice(self._block, self._start, None)

    def __getitem__(self, place: Any) -> Any:
        return list(self)[place]


class At:
    """A place in the source, while what stands there is staged."""

    __slots__ = ("before", "builder", "built_at", "interp", "span")

    def __init__(self, interp: Interpreter, span: SourceSpan) -> None:
        self.interp, self.span = interp, span

    def __enter__(self) -> None:
        self.builder = builder()
        self.before, self.built_at = self.interp.span, self.builder.span
        self.interp.span = self.builder.span = self.span

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            if isinstance(error, Exception):
                self._place(error)
        finally:
            self.interp.span, self.builder.span = self.before, self.built_at

    def _place(self, error: Exception) -> None:
        """Say where an error arose, if nobody has; a fault of ours is raised as such."""
        if isinstance(error, SymdiffError):
            raise placed(error, self.span) from told_by(error)
        if isinstance(error, NeedsStatic):
            error.span = error.span or self.span
            return
        if isinstance(error, CONTROL):
            return
        known = certain(error)
        if known is not None:
            known.with_span(self.span)
        elif not isinstance(error, OUTSIDE):
            raise blamed(self.interp, error) from error


@dataclass(frozen=True, slots=True)
class ReadSoFar:
    """How many ``inputs`` there are, and ``contents`` of what stands outside that were read; how
    much of that was ``written``.
    """

    inputs: int
    contents: int
    written: int


class Interpreter:
    """The state of staging one function."""

    def __init__(self) -> None:
        self.function: Any = None  # that is staged
        self.policy = RetryPolicy()
        self.effort = Effort()
        self.heap = Heap()
        self.layouts: dict[Value, Layout] = {}  # in memory, of the values asked for
        self.products: dict[Size, Product] = {}  # sizes that are products of others
        self.frames: list[Frame] = []
        self.made_in: dict[Node, Activation | None] = {}
        self.templates: dict[Any, Any] = {}  # by kind of call; before there is one, how many calls
        self.untimely: Counter[Any] = Counter()  # templates in which ``NotInTime``, by function
        self.not_attempted: Counter[Any] = Counter()  # templates that are not worth it, by function
        self.in_template = False  # whether what is staged is copied by later calls
        self.inputs: list[Input] = []
        self.parameters: list[Value] = []
        self.parameters_at: dict[Path, list[Value]] = {}  # by where their inputs stand
        self.path_of: dict[Value, Path] = {}  # of the parameters
        self.outcomes: dict[Value, SourceSpan] = {}  # of comparisons outside, and where these are
        self.guards: dict[tuple[Path, str, str | None], Guard] = {}
        self.free: dict[tuple[str, int, str], FreeVariable] = {}
        self.namesakes: dict[str, dict[FreeVariable, int]] = {}  # whose sizes have been named
        self.static = FixedValues()
        self.span: SourceSpan | None = None
        self.spans: dict[ast.AST, SourceSpan] = {}  # of the nodes that were staged
        self.entry: Builder = WriteBackBuilder(self)
        self.returned: SourceSpan | None = None  # the last ``return`` of the function itself
        self.stopped = 0  # depth of no_grad
        self.copies = 1  # of what is staged, by the turns around that are staged one by one
        self.in_nest = False  # whether it is loops inside one another, each of which is to be one
        self.widest: Token | None = None  # the loop around that could be one loop over its items
        # Whether loops over known items can be staged as one, by their places and the reason.
        self.loop_forms: dict[tuple[SourceSpan | None, str], bool] = {}
        self.sketching = False  # whether what is staged only tells what a turn changes
        self.tentative = False  # whether something else is tried where what is staged fails
        self.untaken: str | None = None  # what a definition has last raised of, not the function
        self.sketches: list[Node] = []  # what stands for loops whose first turn tells all, there
        self.outer_heaps: list[Heap] = []
        self.asked: dict[Any, int] = {}  # how often more of an iterator was asked for
        self.gone_over: dict[Any, list[Abstract]] = {}  # what iterators have gone over held
        self.rebound: dict[FreeVariable, None] = {}
        self.attributes: dict[tuple[Any, str], None] = {}
        self.recorder: Abstract = None  # of the warnings that a block keeps, inside it
        self.strict = False  # whether np.errstate lets operations on numbers raise here
        self.writing = False  # what is left behind, at the moment
        self.live: dict[int, Any] = {}  # what stands for an object of the user's, by its id
        self.given: list[Any] = []  # lists, dicts and objects that are arguments or stand outside
        self.held_natively: dict[ObjectRef, str] = {}  # what is read of objects not of Python's
        self.called_natively: dict[ObjectRef, None] = {}
        self.read_outside: dict[Any, Abstract] = {}  # what was read first, by key
        self.outside: dict[Storage, None] = {}  # of arrays that are captured, or an object's own
        self.same: dict[Path, Path] = {}
        self.by_path: dict[Path, Array] = {}
        self.captured: set[Scope] = set()
        self.logs: dict[Any, None] = {}  # captured lists that got items on some paths only
        self.predicates: list[Value] = []  # of the staged branches around
        self.put_at: dict[Any, SourceSpan | None] = {}  # where what a key holds was put there
        self.assumed: Assumed = {}  # what they are here
        self.refusal: Exception | None = None  # the last that has left an arm of a branch
        self.refused_under: list[Value] = []  # the predicates of the arms that it left
        self.active_calls: list[ActiveCall] = []
        self.nested: Counter[Any] = Counter()  # calls of a function inside its outermost one
        self.recursions: dict[Any, Any] = {}
        self.changed: dict[Any, Any] = {}  # lists and dicts of the caller's: what they held before
        self.shown: dict[Any, Any] = {}  # by list or dict, the last ``snapshots.Shown`` of it
        self.of_templates: set[Value] = set()  # parameters of theirs
        self.alike: dict[Any, dict[Any, None]] = {}  # kinds of calls, by what they have in common
        self.begun: dict[Value, list[Any]] = {}  # numbers of loops, before a turn and after one
        self.pythons: dict[Value, bool] = {}  # which numbers may be Python's, as far as asked
        self.disguised: dict[Value, bool] = {}  # which may have another dtype, likewise
        self.complexes: dict[Value, bool] = {}  # which floats may be complex, as far as asked
        self.large: dict[Value, bool] = {}  # which integers may be too large for floats, likewise
        self.answers: list[Answer] = []  # of library functions on floats
        self.classes_asked: list[Question] = []  # of numbers: answered as typed
        self.statement_values: StatementValues | None = None  # where names are kept in cases
        self.regions: list[Region] = []  # the ``try`` statements around
        self.is_caught = False  # whether a graph of its own is staged that stands in one
        self.handled: list[Handled] = []  # exceptions that are being handled
        # Lists that are being made, which have no name yet, and the exits of the ``try`` around.
        self.collecting: dict[Any, tuple[Exit, ...]] = {}
        self.value_keys = ValueKeys()
        self.rules: list[Any] = []  # functions of whose rule the statements are
        self.decided: dict[ast.expr, bool | Value] = {}  # tests that were evaluated before
        self.names: dict[str, Value | str] = {}  # of the function itself, when it has returned
        self.marking: Any = None  # a ``marking.Marking``: what is kept or hooked of its names

    # Where we are ---------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def scope(self) -> Scope:
        return self.frame.scope

    def at(self, node: ast.AST) -> At:
        """Mark what is built, and errors that have no place yet, with a node's span.

        Inside a definition that is the span of the call.
        """
        span = self.frame.place or self.spans.get(node)
        if span is None:
            span = self.spans[node] = span_of(node, self.frame.source)
        else:
            self.count(span)
        return At(self, span)

    def count(self, span: SourceSpan | None, expressions: int = 1) -> None:
        """Keep what is followed again, in other turns and calls, within some seconds."""
        self.effort.followed += expressions
        if self.effort.followed > MOST_FOLLOWED:
            raise UnsupportedSyntaxError(
                f"more than {MOST_FOLLOWED} expressions would have to be followed, turn by turn"
                " and call by call",
                span,
                "loop over a range or an array, or compute it outside",
            ).as_limit()

    # Statements and expressions -------------------------------------------------------------------

    def execute(self, statements: Sequence[ast.stmt]) -> None:
        """Stage statements until the block ends or is left."""
        for position, statement in enumerate(statements):
            rest = Tail.behind(statements, position)
            frames = len(self.frames)
            try:
                with self.at(statement):
                    consumed = self._statement(statement, rest)
            except NeverReturns:
                if not self.raises_here():
                    raise
                del self.frames[frames:]
                return
            if consumed:
                return
            if self.exited() is not False:
                self.go_on(rest)
                return

    def go_on(self, rest: Sequence[ast.stmt]) -> None:
        """Stage the rest of a block on the paths that have not left it."""
        if rest:
            self.unless_exited(functools.partial(self.execute, rest))

    def _statement(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
        handler = STATEMENTS.get(type(statement))
        if handler is None:
            raise self._not_compiled(statement)
        if self.marking is not None:
            with self.marking.around(self, statement):
                return self._handled(handler, statement, rest)
        return self._handled(handler, statement, rest)

    def _handled(self, handler: Statement, statement: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
        if not (self.policy.unions or self.regions):
            return handler(self, statement, rest)
        once = functools.partial(handler, self, statement, rest)
        again = functools.partial(handler, self, statement, ())
        return bool(HOOKS.told_apart(self, once, again, (statement,)))

    def evaluate(self, expression: ast.expr) -> Abstract:
        """The abstract value of an expression."""
        return self.step(expression, functools.partial(self._evaluated, expression))

    def step(self, part: Part, action: Callable[[], Abstract], of: str = "") -> Abstract:
        """What a step of the statement at hand gives; it is taken once where that is staged again.

        ``part``: an expression of the statement that is evaluated, a target, or a pattern; ``of``:
        what else is done with it than that.
        """
        known = self.statement_values
        if known is None or not self._is_part(known, part):
            value = action()
            if isinstance(value, Conflict):
                raise ConflictRead(value)
            return value
        step = (part, of)
        if step not in known.values:
            known.values[step] = self._taken(known, step, action)
        value = known.values[step]
        conflict = value if isinstance(value, Conflict) else self._cases_inside(known, value)
        if conflict is not None:
            read = ConflictRead(conflict)
            read.made_by = known, step
            raise read
        return value

    def _cases_inside(self, known: StatementValues, value: Abstract) -> Conflict | None:
        """What a list, a dict or an object of the statement's own holds, where that is in cases.

        Where the statement begins nothing is known of it that could be put in its place.
        """
        if not isinstance(value, ListRef | DictRef) or born(value) < known.since:
            return None
        content = self.heap.get(value)
        is_told = isinstance(content, Conflict) and content.cases is not None
        return content if is_told else None

    def _taken(
        self, known: StatementValues, step: Step, action: Callable[[], Abstract]
    ) -> Abstract:
        """What is done in a step; where it raises on some paths, the statement ends."""
        if not self.regions:
            return action()
        before = self.region_states()
        if known.notes or known.record is not None:
            with HOOKS.noting(self, known, step):
                value = action()
        else:
            around, known.current = known.current, step
            try:
                value = action()
            finally:
                known.current = around
        if self.may_have_raised(before):
            known.values[step] = value
            raise StatementLeft(known)
        return value

    def region_states(self) -> list[Abstract]:
        """On which paths each region's exit has been taken."""
        return [self.heap.get(region.exit) for region in self.regions]

    def may_have_raised(self, before: list[Abstract]) -> bool:
        """Return whether something was raised since in a region that is open."""
        return any(a is not b for a, b in zip(self.region_states(), before, strict=False))

    def can_leave_at(self, expression: ast.expr) -> bool:
        """Return whether the statement at hand is left where an expression of it has raised."""
        known = self.statement_values
        return known is not None and self._is_part(known, expression)

    def _is_part(self, known: StatementValues, part: Part) -> bool:
        return self.is_in_statement(known) and part in known.parts

    def is_in_statement(self, known: StatementValues) -> bool:
        """Return whether what is staged here is the statement's own, on all of its paths."""
        return known.nodes is builder().nodes and known.depth == len(self.frames)

    def _evaluated(self, expression: ast.expr) -> Abstract:
        """The value of an expression; a ``Conflict`` where it is one of several."""
        handler = EXPRESSIONS.get(type(expression))
        with self.at(expression):
            if handler is None:
                raise self._not_compiled(expression)
            return handler(self, expression)

    def evaluate_arm(self, expression: ast.expr) -> Abstract:
        """The value of an expression that is evaluated on some paths only."""
        return self.in_arm(lambda: self.evaluate(expression), expression)

    def in_arm(self, action: Callable[[], Abstract], *within: ast.expr) -> Abstract:
        """The value of what is done on some paths only with some expressions."""
        if not (self.policy.unions or self.regions):
            return action()
        return HOOKS.told_apart_value(self, action, *within)

    def _not_compiled(self, node: ast.AST) -> UnsupportedSyntaxError:
        keyword, hint = REFUSED.get(type(node), (type(node).__name__, HINT))
        return UnsupportedSyntaxError(f"symdiff does not compile '{keyword}'", self.span, hint)

    def branch(
        self, predicate: bool | Value, then: Callable[[], object], orelse: Callable[[], object]
    ) -> None:
        """Stage the arm that is taken; under a staged predicate both, joining what they changed."""
        if isinstance(predicate, Value):
            HOOKS.branch(self, predicate, then, orelse)
        elif predicate:
            then()
        else:
            orelse()

    def where(self, predicate: bool | Value, action: Callable[[], object]) -> None:
        """Stage an action on the paths on which a predicate holds."""
        self.branch(predicate, action, nothing)

    def where_not(self, predicate: bool | Value, action: Callable[[], object]) -> None:
        """Stage an action on the paths on which a predicate does not hold."""
        self.branch(predicate, nothing, action)

    def call(
        self, function: Abstract, arguments: Sequence[Abstract], keywords: dict[str, Abstract]
    ) -> Abstract:
        """``function(*arguments, **keywords)``."""
        call = functools.partial(HOOKS.call, self, function, arguments, keywords)
        given = (*arguments, *keywords.values())
        value = HOOKS.called_in_step(self, function, given, call) if self.regions else call()
        if isinstance(value, Conflict):
            read = ConflictRead(value)
            read.given_by = function, len(self.frames)
            raise read
        return value

    def call_method(self, instance: Abstract, name: str, *arguments: Abstract) -> Abstract:
        """A special method of a user's object, which Python looks for on its class only."""
        return self.call(HOOKS.method(self, instance, name), arguments, {})

    def attribute(self, value: Abstract, name: str) -> Abstract:
        """``value.name``."""
        return HOOKS.attribute(self, value, name)

    def test(self, expression: ast.expr) -> bool | Value:
        """The truth of a condition."""
        return HOOKS.test(self, expression)

    def collect(self, value: Abstract) -> Abstract:
        """``list(value)``."""
        return HOOKS.collect(self, value)

    def items(self, value: Abstract) -> tuple[Abstract, ...]:
        """The elements of an iterable whose count is static."""
        return HOOKS.items(self, value)

    # Leaving blocks -------------------------------------------------------------------------------

    @contextlib.contextmanager
    def opened(self, *exits: Exit) -> Iterator[None]:
        """Stage what may leave by these exits; whether it did is read and closed by the caller."""
        for exit_ in exits:
            self.put(exit_, False)
        with self.innermost(*exits):
            yield

    def innermost(self, *exits: Exit) -> AbstractContextManager[None]:
        """Let open exits be those of the innermost block."""
        return pushed(self.frame.exits, *exits)

    def close(self, exit_: Exit) -> bool | Value:
        """Forget an exit, and return whether it has been taken."""
        taken: bool | Value = self.content(exit_)
        self.heap.contents.pop(exit_, None)
        return taken

    def leave(self, exit_: Exit) -> None:
        """End the present path by an exit."""
        self.put(exit_, True)

    def exited(self) -> bool | Value:
        """Return whether the present block has been left: break, continue, return, raise."""
        staged: Value | None = None
        for exit_ in (*self.frame.exits, ERROR):
            taken = self.heap.get(exit_)
            if taken is True:
                return True
            if isinstance(taken, Value):
                staged = taken if staged is None else either(staged, taken)
        return False if staged is None else is_certain(staged) or staged

    def unless_exited(self, action: Callable[[], None]) -> None:
        """Stage an action on the paths that have not left the present block."""
        left = self.exited()
        if isinstance(left, Value):
            self.branch(left, self._by_the_only_exit(), self._where_none_was_taken(action))
        elif not left:
            action()

    def _where_none_was_taken(self, action: Callable[[], None]) -> Callable[[], None]:
        """An action on the paths that have not left: there no exit has been taken."""
        exits = [exit_ for exit_ in self.frame.exits if isinstance(self.heap.get(exit_), Value)]

        def run() -> None:
            for exit_ in exits:
                self.put(exit_, False)
            action()

        return run

    def _by_the_only_exit(self) -> Callable[[], None]:
        """What is known where a block has been left: the exit, if only one may have been taken."""
        exits = [exit_ for exit_ in self.frame.exits if isinstance(self.heap.get(exit_), Value)]

        def known() -> None:
            if len(exits) == 1:
                self.leave(exits[0])

        return known

    def raises_here(self) -> bool:
        """Return whether what is staged now ends in an error, not a turn or a graph of its own."""
        exits = [ERROR, *(region.exit for region in self.regions)]
        return any(self.heap.get(exit_) is True for exit_ in exits)

    # Values ---------------------------------------------------------------------------------------

    def lift(self, value: Abstract) -> Value:
        """The IR value of a number or an array; a TypeError where it is neither."""
        if isinstance(value, Value):
            return value
        if isinstance(value, Array):
            return self.heap.read(value)
        if is_leaf(value):
            return constant(value)
        if isinstance(value, Conflict):
            raise ConflictRead(value)
        if is_masked(value):
            raise UnsupportedCallError("np.ma.masked in the place of a number")
        raise rejection(TypeError, f"a number or an array is needed, not {describe(value)}")

    def content(self, key: Any) -> Abstract:
        """A heap content, to be read; a conflict is an error now."""
        found = self.heap.get(key)
        if self.regions:
            HOOKS.note_read(self, key)
        if key in self.logs:
            raise UnsupportedCallError(
                "this list got items on some paths only: what it holds is not known here",
                self.span,
                "collect in a local list, and extend the outer one at the end",
            )
        if isinstance(found, Conflict):
            if found.cases is None:
                found.names = (*found.names, *self._conflicting_beside(key))
            raise ConflictRead(found)
        if isinstance(found, SomeEntries):
            return HOOKS.certain_entries(self, key)
        return found

    def _conflicting_beside(self, key: Any) -> Iterator[str]:
        """The names beside one that are read as well and do not join: they are refined at once."""
        scope = key[0] if isinstance(key, tuple) else None
        if isinstance(scope, Scope) and scope.node is not None:
            for name in sorted(names_read(scope.node) & scope.locals):
                other = self.heap.get((scope, name))
                if isinstance(other, Conflict) and other.cases is None and not other.aliasing:
                    yield other.name

    def put(self, key: Any, content: Abstract) -> None:
        """Set a heap content (``content`` may have been staged by branching to a new heap)."""
        self.heap.set(key, content)
        self.put_at[key] = builder().span

    def new_list(self, content: Abstract, frozen: bool = False) -> ListRef:
        """A list that the program makes; ``frozen``: a tuple, of a staged length."""
        made = ListRef(frozen=frozen)
        self.put(made, content)
        return made

    def new_dict(self, content: dict[Any, Abstract]) -> DictRef:
        """A dict that the program makes."""
        made = DictRef(made_at=self.span)
        self.put(made, content)
        return made

    def wrap(self, value: Abstract, name: str | None = None) -> Abstract:
        """What the program holds for an IR value: a new array for one of array kind."""
        if isinstance(value, Value) and is_array(value.type):
            return self.heap.allocate(value, name)
        return value

    def capture(self, scope: Scope) -> None:
        """Keep what a scope and those around it hold: a closure or a generator refers to them."""
        outer: Scope | None = scope
        while outer is not None and outer not in self.captured:
            self.captured.add(outer)
            outer = outer.parent

    def forget(self, scope: Scope) -> None:
        """Drop the names of a scope that was left, unless something refers to it."""
        if scope not in self.captured:
            for name in scope.locals:
                self.heap.contents.pop((scope, name), None)

    def lookup(self, key: Any, name: str) -> Abstract:
        """A content of the heap that a name or an attribute stands for."""
        content = self.content(key)
        if isinstance(content, PossiblyUnbound):
            self.require_bound(key, content, unbound(name, key[0] is self.scope))
            content = content.content
        return as_told(content, self.assumed)

    def require_bound(self, key: Any, maybe: PossiblyUnbound, error: Exception) -> None:
        """Python's error on the paths on which a name or an attribute is not bound."""
        known = maybe.decided and truth_of(maybe.decided[0], self.assumed)
        if maybe.decided is None or known is not maybe.decided[1]:

            def missing() -> None:
                raise users(error)

            self.where_not(maybe.bound(), missing)
            if self.regions:  # the error may be caught: there it is not bound
                return
        self.put(key, maybe.content)

    def being_made(self, made: ListRef) -> AbstractContextManager[None]:
        """Add to a list that nothing refers to so far: what is raised meanwhile drops it."""
        exits = tuple(region.exit for region in self.regions)
        return meanwhile(self, collecting={**self.collecting, made: exits})

    def apart(self) -> AbstractContextManager[None]:
        """Stage a graph of its own, out of which no exit leads."""
        caught = self.is_caught or bool(self.regions)
        return meanwhile(self, regions=[], handled=[], is_caught=caught)

    def scratch(self, heap: Heap) -> Scratch:
        """Stage into a new node list and on a heap of its own; both are the caller's to keep."""
        return Scratch(self, heap)

    # Inputs ---------------------------------------------------------------------------------------

    def add_input(self, input_: Input, type_: Type, name: str) -> Value:
        """The parameter of the graph for an input: one, however often it is asked for."""
        known = self.parameters_at.setdefault(input_.path, [])
        for parameter in known:
            if parameter.type == type_:
                return parameter
        value = value_name(Value(type_), name)
        known.append(value)
        self.path_of[value] = input_.path
        self.inputs.append(input_)
        self.parameters.append(value)
        return value

    def read_so_far(self) -> ReadSoFar:
        """What has been read, and written, of what stands outside."""
        written = len(self.rebound) + len(self.attributes) + len(self.changed)
        return ReadSoFar(len(self.parameters), len(self.read_outside), written)

    def forget_read(self, before: ReadSoFar) -> set[Value]:
        """Forget what has been read first since a call began that is rolled back; return the
        inputs.
        """
        read = list(self.read_outside.items())[before.contents :]
        for heap in (self.heap, *self.outer_heaps):
            for key, content in read:
                if heap.contents.get(key) is content:
                    del heap.contents[key]
        for key, _ in read:
            if isinstance(key, ListRef | DictRef) and key.given is not None:
                key.given.content = None
            del self.read_outside[key]
        first = before.inputs
        gone = set(self.parameters[first:])
        for input_ in self.inputs[first:]:
            known = self.parameters_at[input_.path]
            known[:] = [parameter for parameter in known if parameter not in gone]
        for parameter in gone:
            del self.path_of[parameter]
        for path in [p for p, array in self.by_path.items() if array.storage.given in gone]:
            del self.by_path[path]
        for storage in [storage for storage in self.outside if storage.given in gone]:
            del self.outside[storage]
        del self.parameters[first:], self.inputs[first:]
        return gone

    def free_variable(self, kind: FreeKind, owner: Any, name: str) -> FreeVariable:
        """The one ``FreeVariable`` of a global, closure cell or object."""
        key = (kind, id(owner), name)
        known = self.free.get(key)
        if known is None:
            known = self.free[key] = FreeVariable(kind, owner, name)
        return known

    def sizes_are_fixed(self) -> bool:
        """Return whether structure was found to depend on sizes, which are constants here."""
        ends = (path[-1] for path in self.static)
        return any(isinstance(end, Aspect) and end.kind == "size" for end in ends)

    def guard(self, path: Path, kind: GuardKind, expected: Any, of: str | None = None) -> None:
        """Rest on a static fact: the program is compiled anew when it no longer holds.

        ``of`` tells facts of one kind about one object apart.
        """
        start, *rest = path
        if not self._is_known(start):
            self.guards.setdefault((path, kind, of), Guard(start, tuple(rest), kind, expected))

    def _is_known(self, start: str | FreeVariable) -> bool:
        """Return whether a variable is of a definition, whose names and libraries stay what they
        are.
        """
        if not self.frames or self.frame.place is None or not isinstance(start, FreeVariable):
            return False
        of_a_library = start.kind == "object" and isinstance(start.owner, ModuleType)
        return of_a_library or (start.kind == "global" and is_definition(start.owner))


ERROR = Exit(Token(), "raise")  # of the program: nothing catches what is raised


def placed(error: SymdiffError, span: SourceSpan | None) -> SymdiffError:
    """An error with a place and a hint."""
    if error.hint is None and not isinstance(error, InternalError):
        error.hint = HINT
    return error if span is None else error.with_span(span)


def unbound(name: str, local: bool) -> NameError:
    """What Python raises where a name of a function is read before it is bound."""
    if local:
        return UnboundLocalError(
            f"cannot access local variable '{name}' where it is not associated with a value"
        )
    return NameError(
        f"cannot access free variable '{name}' where it is not associated with a value"
        " in enclosing scope"
    )


def nothing() -> None:
    """An arm of a branch in which nothing is done."""


def negated(condition: bool | Value) -> bool | Value:
    """``not condition``."""
    return not_(condition) if isinstance(condition, Value) else not condition


def either(a: Value, b: Value) -> Value:
    return bitwise_or(a, b)


REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("async def", "write a plain def"),
    ast.AsyncFor: ("async for", "write a plain loop"),
    ast.AsyncWith: ("async with", HINT),
    ast.Await: ("await", HINT),
}


def describe(value: Abstract) -> str:
    """An abstract value in the words of an error message."""
    if isinstance(value, Value):
        return in_words(value.type)
    if isinstance(value, ObjectRef):
        return repr(value)
    if (isinstance(value, ListRef) and value.frozen) or isinstance(value, tuple):
        return "a tuple"
    if isinstance(value, str | bytes | None):
        return textwrap.shorten(repr(value), _LONGEST, placeholder="...")
    if isinstance(value, Told):
        return value.told
    if isinstance(value, StaticSet):
        return "a set"
    if type(value).__module__.startswith("symdiff.parse"):
        return "an object"
    if isinstance(value, type | np.dtype) or callable(value):
        return getattr(value, "__qualname__", repr(value))
    return f"{type(value).__name__} {value!r}" if is_leaf(value) else type(value).__name__


_LONGEST = 40  # of a text that is shown
