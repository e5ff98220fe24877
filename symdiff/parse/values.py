"""What the abstract interpreter computes with.

A *static* value is known at compile time and stands for itself: numbers, strings, modules,
functions, classes, dtypes, tuples of abstract values. A *staged* number is an ``ir`` ``Value``.
What Python holds by reference is a handle whose present content is in the ``Heap``: arrays
(``Array``: storage seen through lenses), lists, dicts, objects, scopes. Handles are compared by
identity.
"""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, NamedTuple, Self

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Node, Op, Value
from symdiff.ir.signature import Path
from symdiff.ir.structure import Structure
from symdiff.source import FunctionSource, SourceSpan

Abstract = Any  # a static object, a Value, or one of the classes below
Arguments = Sequence[Abstract]  # of a call, by position
Keywords = dict[str, Abstract]

_serials = itertools.count()


def now() -> int:
    """A mark: handles made from here on are born after it."""
    return next(_serials)


class Told:
    """What messages call by words for its kind."""

    __slots__ = ()
    told: ClassVar[str]

    def __repr__(self) -> str:
        return self.told


@dataclass(eq=False, slots=True)
class Storage:
    """The memory of an array; its content in the heap is the present IR value.

    ``origin`` is the number of the graph input that the memory belongs to (the caller's), or None,
    and ``given`` its value: what it holds where nothing has been done to it. ``subclass``: the
    class of the caller's array, where that is no plain array.
    """

    name: str | None = None
    origin: int | None = None
    given: Value | None = None
    serial: int = field(default_factory=now)
    subclass: type | None = None

    def __repr__(self) -> str:
        return f"<storage {self.name or hex(id(self))}>"


@dataclass(frozen=True, slots=True)
class Lens:
    """One step from an array to a view: an op whose result shares its first operand's memory.

    ``is_flat``: it is ``x.flat``, whose items are copies.
    """

    op: Op
    operands: tuple[Value, ...]
    attributes: tuple[tuple[str, Any], ...]
    node: Node = field(compare=False)
    is_flat: bool = False

    @classmethod
    def of(cls, node: Node, *, is_flat: bool = False) -> Lens:
        """The lens that a node applies to its first operand."""
        attributes = tuple(node.attributes.items())
        return cls(node.op, node.operands[1:], attributes, node, is_flat)

    def put(self, base: Value, new: Value) -> Value:
        """The array after its view has become another."""
        assert self.op.put is not None
        return self.op.put(self.node, base, new)


@dataclass(frozen=True, slots=True, repr=False)
class Array(Told):
    """A reference to an array: storage seen through views."""

    told = "an array"

    storage: Storage
    lenses: tuple[Lens, ...] = ()

    @property
    def is_flat(self) -> bool:
        return bool(self.lenses) and self.lenses[-1].is_flat


@dataclass(eq=False, slots=True, repr=False)
class Unread:
    """What a list or a dict outside holds as it is given: read where it is first asked for."""

    read: Callable[[], Any]
    content: Any = None

    def get(self) -> Any:
        if self.content is None:
            self.content = self.read()
        return self.content


@dataclass(eq=False, slots=True, repr=False)
class ListRef(Told):
    """A Python list; its content is a tuple of abstract values, a list ``Value`` or ``Columns``.

    ``frozen``: it is a tuple, of a length that is known at run time only. ``type``, ``own`` and
    ``name`` and ``given`` as of a ``DictRef``.
    """

    told = "a list"

    path: tuple[Any, ...] | None = None
    serial: int = field(default_factory=now)
    frozen: bool = False
    type: builtins.type = list
    own: ObjectRef | None = None
    name: str | None = None
    given: Unread | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """A list of staged length whose items have a structure: a list for each leaf of an item."""

    structure: Structure
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """The last arguments of a call, ``f(a, *rows)``: as many as are known at run time only."""

    content: Value | Columns


@dataclass(eq=False, slots=True, repr=False)
class DictRef(Told):
    """A Python dict with static keys; its content is a dict that is never changed in place.

    ``type`` is its class. ``own`` holds the attributes of a dict whose class is written in Python;
    ``shows_items``: they are its items, by ``self.__dict__ = self``. ``made_at``: where it is made,
    if it may have keys that are known at run time only there. ``name``: the first that it had.
    ``given``: what it holds outside, if the heap has nothing else.
    """

    told = "a dict"

    path: tuple[Any, ...] | None = None
    type: builtins.type = dict
    serial: int = field(default_factory=now)
    own: ObjectRef | None = None
    shows_items: bool = False
    made_at: SourceSpan | None = None
    name: str | None = None
    given: Unread | None = None


@dataclass(eq=False, slots=True)
class ObjectRef:
    """An object: attributes by name in the heap under ``(ref, name)``.

    ``live`` is the user's own object where there is one; its attributes are reflected when first
    read. ``holder``: the list or dict of which this has the attributes.
    """

    type: builtins.type
    live: Any = None
    path: tuple[Any, ...] | None = None
    serial: int = field(default_factory=now)
    holder: ListRef | DictRef | None = None

    def __repr__(self) -> str:
        return f"an object of {self.type.__qualname__}"


@dataclass(eq=False, slots=True)
class ValueKeys:
    """The objects that stand for all that hold the same.

    ``held`` is what each has. ``compared``: those whose ``__eq__`` a dataclass has made, by what
    that compares. ``written``: those of other classes. ``plain``: the constants that were keys.
    ``standing``: for each object that was a key those that have stood for it, on some path.
    """

    by_held: dict[tuple[Any, ...], ObjectRef] = field(default_factory=dict)
    held: dict[ObjectRef, dict[str, Any]] = field(default_factory=dict)
    compared: dict[tuple[Any, ...], ObjectRef] = field(default_factory=dict)
    written: list[ObjectRef] = field(default_factory=list)
    plain: dict[Any, None] = field(default_factory=dict)
    standing: dict[Any, set[ObjectRef]] = field(default_factory=dict)

    def are_alike(self, a: Any, b: Any) -> bool:
        """Return whether a dict may have either of two objects for a key that both were."""
        return not self.standing.get(a, set()).isdisjoint(self.standing.get(b, ()))


@dataclass(eq=False, slots=True)
class Scope:
    """The names of one function activation; contents in the heap under ``(scope, name)``.

    ``node``: the function, or the comprehension. ``ended``: it has returned, so only what it
    defined sees its names.
    """

    function: str
    locals: frozenset[str]
    parent: Scope | None
    globals: dict[str, Any]
    cells: dict[str, Any] = field(default_factory=dict)  # real closure cells of a live function
    declared_global: frozenset[str] = frozenset()
    serial: int = field(default_factory=now)
    node: ast.AST | None = None
    ended: bool = False


@dataclass(eq=False, slots=True)
class Token:
    """Whose exits and temporary contents stand in the heap: a loop's, a call's, an expression's."""

    serial: int = field(default_factory=now)


class Exit(NamedTuple):
    """An end that a path can take before its block is over: ``break``, ``return``, an error.

    It is a key of the heap. Its content tells on which paths the exit has been taken: False, True
    or a staged bool; so it is joined where paths meet and carried by loops, as all contents are.
    """

    owner: Token
    kind: str


ALWAYS = -1  # of what is outside the function: it has been there before, whenever it is first read


def born(key: Any) -> int:
    """When the handle behind a heap key was made; free variables have always been there."""
    handle = key[0] if isinstance(key, tuple) else key
    return getattr(handle, "serial", ALWAYS)


@dataclass(eq=False, slots=True, repr=False)
class Closure(Told):
    """A function or lambda defined inside staged code.

    ``several``: it is one of several that do the same with other values; an error where it is asked
    which one. ``own``: has the attributes that the program gives it, where it gives any function
    some.
    """

    told = "a function"

    node: ast.FunctionDef | ast.Lambda
    source: FunctionSource
    scope: Scope
    defaults: tuple[Abstract, ...]
    keyword_defaults: dict[str, Abstract]
    owner: type | None = None
    known_as: str | None = None  # a name that functools.wraps gave it
    several: Conflict | None = None
    own: ObjectRef | None = None
    is_abstract: bool = False  # by abc.abstractmethod, in a class that is made here

    @property
    def __isabstractmethod__(self) -> bool:
        return self.is_abstract

    @property
    def name(self) -> str:
        own: str = getattr(self.node, "name", "<lambda>")
        return self.known_as or own


@dataclass(frozen=True, slots=True, repr=False)
class BoundMethod(Told):
    """A function with its first argument."""

    told = "a method"

    function: Abstract
    instance: Abstract


@dataclass(frozen=True, slots=True, repr=False)
class ArrayMethod(Told):
    """A method of an array, list, dict, string or number, to be called."""

    told = "a method"

    receiver: Abstract
    name: str


@dataclass(frozen=True, slots=True, repr=False)
class Partial(Told):
    """``functools.partial`` over abstract arguments."""

    told = "a functools.partial"

    function: Abstract
    arguments: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]


@dataclass(frozen=True, slots=True)
class Iterable:
    """Something a loop goes over: ``count`` turns, the element of a turn by its index.

    With ``unroll``, the index given to ``element`` is a Python int; before each turn ``more`` is
    asked whether there is an element of an index, where ``count`` does not tell it: ``live`` are
    the lists and dicts gone over, which may change, and a count that is known at run time only ends
    the turns early. ``end`` stages what is done where all is gone over (a strict zip's error).
    """

    count: int | Value
    element: Callable[[Any], Abstract]
    unroll: bool
    live: tuple[ListRef | DictRef, ...] = ()
    more: Callable[[int], bool | Value] | None = None
    end: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Range(Told):
    """``range(start, stop, step)`` over static or staged ints."""

    told = "a range"

    start: Any
    stop: Any
    step: Any


USED = "used"  # beside an iterator, in the heap: that it has been gone over
RETURNED_VALUE = "value returned"  # beside a generator, in the heap


@dataclass(frozen=True, eq=False, slots=True)
class Sees:
    """What the elements of a generator are computed of: what it was given when it was made, and
    the names that a piece of the program has in a scope.
    """

    given: tuple[Abstract, ...]
    node: Any = None
    scope: Scope | None = None


@dataclass(eq=False, slots=True, repr=False)
class Generator(Told):
    """A generator, consumed in place: ``run`` stages its loops with a consumer.

    ``elements`` gives its elements by number, where it is an expression of one loop and no
    condition. What a generator function returns ``run`` gives; where a consumer goes over it to
    its end, ``whole`` does the same. ``first`` gives its first element, staged once for all of one
    kind; ``ABSENT`` where that is to be staged in place. ``sees``: where all is known that it sees.
    """

    told = "a generator"

    run: Callable[..., Abstract]
    elements: Callable[[], Iterable] | None = None
    body: GeneratorBody | None = None
    whole: Callable[..., Abstract] | None = None
    first: Callable[[], Abstract] | None = None
    sees: Sees | None = None
    serial: int = field(init=False, default_factory=now)

    name = "a generator"  # where paths differ in how far it has been gone over


@dataclass(eq=False, slots=True)
class GeneratorBody:
    """What a generator function is resumed in: its definition, and the names of the call.

    ``states``: each way of being suspended, once, so that equal ones are known to be the same.
    """

    node: Any
    source: Any
    scope: Scope
    states: dict[tuple[Any, ...], Suspended] = field(default_factory=dict)

    def suspended(self, stack: tuple[Any, ...]) -> Suspended:
        """The one content of the heap for what is left of the generator."""
        return self.states.setdefault(stack, Suspended(stack))


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Suspended(Told):
    """What is left of a generator: the blocks and loops around its ``yield``, innermost last."""

    told = "a suspended generator"

    stack: tuple[Any, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Lazy(Told):
    """An iterator made of ``parts``, as ``zip(*parts)``; ``over(interp, *parts)`` goes over it.

    ``kind`` is its class. Nothing is staged before something goes over it.
    """

    told = "an iterator"

    over: Callable[..., Iterable]
    parts: tuple[Abstract, ...]
    kind: type = zip
    serial: int = field(init=False, default_factory=now)


@dataclass(eq=False, slots=True, repr=False)
class IteratorRef(Told):
    """What ``iter(...)`` gives; its content in the heap is the position of the next element."""

    told = "an iterator"

    of: Abstract
    serial: int = field(default_factory=now)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DictView(Told):
    """``d.keys()``, ``d.values()``, ``d.items()``."""

    told = "a view of a dict"

    of: DictRef
    kind: str


class StaticSet(frozenset[Any]):
    """A ``set``: what it holds is known and does not change."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(set(self))


@dataclass(frozen=True, slots=True, repr=False)
class StagedText(Told):
    """An f-string of strings and of (value, conversion, format) fields known at run time."""

    told = "a string"

    parts: tuple[Any, ...]


class Unnamed(str):
    """The name of what has none in the user's code; a message calls it ``told``.

    ``written``: its name in generated code, which is that of a variable that holds it, if one does.
    """

    told: str
    written: str

    def __new__(cls, name: str, told: str, written: str | None = None) -> Self:
        made = super().__new__(cls, name)
        made.told, made.written = told, written or name
        return made

    def held_by(self, name: str | None) -> Unnamed:
        """The same, of what a variable holds."""
        return self if name is None else Unnamed(self, self.told, name)

    def part(self, key: Any) -> Unnamed:
        """The same, of the part under a key of what a variable holds."""
        known = self.written != self and isinstance(key, int | str)
        return self.held_by(f"{self.written}_{key}") if known else self


VALUE = Unnamed("value", "this value")
RETURNED = Unnamed("value", "what is returned")
RAISED = Unnamed("exception", "the exception that is handled")
ARRAY, LIST, DICT = (
    Unnamed("array", "an array"),
    Unnamed("list", "a list"),
    Unnamed("dict", "a dict"),
)


def written(name: str) -> str | None:
    """The name in generated code, where what has it can have one."""
    name = Unnamed(name.written, name.told) if isinstance(name, Unnamed) else name
    return name if name.isidentifier() else None


def called(name: str) -> str:
    """What a message calls what has a name, or has none."""
    return name.told if isinstance(name, Unnamed) else f"'{name}'"


@dataclass(eq=False, slots=True, repr=False)
class Conflict(Told):
    """What a name holds after two paths that do not join; an error only when it is read."""

    told = "a value that differs between paths"

    name: str
    reason: str
    span: SourceSpan | None
    aliasing: bool = False
    predicate: Value | None = None  # what decides between the paths
    written: bool = False  # an attribute of the caller's: each path has set it
    by_count: bool = False  # a loop's first turn differs: its count, if it were known, would tell
    loop: SourceSpan | None = None  # a loop that would tell if it were followed turn by turn
    by_layout: bool = False  # how an array lies in memory decides, which depends on sizes
    cases: Cases | None = None  # what it is, where that is kept
    names: tuple[str, ...] = ()  # of what would have to be kept in cases beside it
    causes: frozenset[Path] = frozenset()  # inputs whose layout in memory would tell
    hint: str | None = None
    since: int = field(default_factory=now)  # when it was made
    of_texts: bool = False  # texts differ that are known on each path
    entries: tuple[DictRef, SomeEntries] | None = None  # a dict, and what it holds, told apart


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Several contents by number, and which of them it is: a staged int."""

    which: Value
    contents: dict[int, Abstract]


class Maybe(tuple[Any, ...]):
    """An entry of a dict: whether it is there, a bool or a staged one, and what it holds."""

    __slots__ = ()

    @property
    def there(self) -> bool | Value:
        found: bool | Value = self[0]
        return found

    @property
    def content(self) -> Abstract:
        return self[1]


class SomeEntries(dict[Any, Abstract]):
    """What a dict holds with entries that are there on some paths only, as ``Maybe``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneOfTwo(Told):
    """What a function returns that has one structure where a predicate holds, or another one."""

    told = "one of two values"

    predicate: Value
    then: Abstract
    orelse: Abstract


@dataclass(eq=False, slots=True)
class PossiblyUnbound:
    """What a name holds that is bound on some paths only; ``bound`` gives the staged bool of that.

    ``decided``: the value that tells, and what it is where the name is bound.
    """

    content: Abstract
    bound: Callable[[], Value]
    decided: tuple[Value, bool] | None = None


class _Absent(Told):
    """No content: a name that is not bound."""

    told = "an unbound name"


ABSENT = _Absent()


class ControlFlow(Exception):  # noqa: N818 - no error
    """What steers the front end."""


class Unjoinable(ControlFlow):
    """Two contents have no common abstract value; the message says why."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


class FirstTurnDiffers(ControlFlow):
    """The first turn of a loop differs from the others."""

    def __init__(self, reason: str, conflict: Conflict | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.conflict = conflict


class TooManyTurns(ControlFlow):
    """Turns of known items are too many in those of the loops around, of which one may be one."""

    def __init__(self, loop: Token) -> None:
        super().__init__(loop)
        self.loop = loop


class NotYetKnown(ControlFlow):
    """The result of a recursive call whose type no path has told so far: the path is left out."""


class NotInTime(ControlFlow):
    """What is written to a place of the caller's cannot be left behind before the end."""

    def __init__(self, place: Any) -> None:
        super().__init__(place)
        self.place = place


class GoneOverAgain(ControlFlow):
    """A generator was asked for more, after something had gone over it at one go."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.node = node


class CalledOften(ControlFlow):
    """A function calls itself more often than is followed: it may be a graph of its own."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.node = node


CONTEXTS = "contexts"  # what is handled where exceptions are raised, which the program asks for
TEMPLATES = "templates"  # of which calls are copies, where one is given what may be an integer


class Changed(ControlFlow):
    """What does not change elsewhere is changed: all of its ``kind`` are followed as objects."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class NeverReturns(ControlFlow):
    """A call that never returns: its function always raises. The error is in the program."""


class Failure(ControlFlow):
    """An operation may raise in a ``try``: the statement goes on where it has not."""

    def __init__(self, statement: Any, place: Any, node: Node) -> None:
        super().__init__(place)
        self.statement = statement
        self.place = place
        self.node = node


@dataclass(frozen=True, slots=True)
class Handled:
    """An exception that a handler of the ``try`` statement ``node`` handles, and its class.

    Where it is not ``kept`` the class stands for others that the same handler handles.
    """

    error: Abstract
    kind: type[BaseException]
    node: Any
    kept: bool


class ErrorNotKept(ControlFlow):
    """A function that a handler calls raises the exception again, which is not kept."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.node = node


class StatementLeft(ControlFlow):
    """A part of a statement has raised on some paths: the statement goes on on the others.

    ``undo``: contents of the heap that it goes on with.
    """

    def __init__(self, statement: Any, undo: Mapping[Any, Any] | None = None) -> None:
        super().__init__(statement)
        self.statement = statement
        self.undo = undo or {}


class CallsToNote(ControlFlow):
    """An operation has made a call that raises on some paths: the statement is staged again from
    its beginning, and what it calls is noted (``recalled``).
    """

    def __init__(self, statement: Any) -> None:
        super().__init__(statement)
        self.statement = statement


class CalleeLeft(ControlFlow):
    """A function has raised on some paths, and has returned ``value`` on the others.

    ``callee`` is its syntax tree, or the class or the library function that was called: whoever
    goes on with the value has to have called just that. ``span``: where it was called.
    """

    def __init__(self, value: Abstract, callee: Any, span: SourceSpan | None) -> None:
        super().__init__(value)
        self.value = value
        self.callee = callee
        self.span = span

    @property
    def method(self) -> str | None:
        """The name of the function; None of a class or a lambda."""
        return getattr(self.callee, "name", None) if isinstance(self.callee, ast.AST) else None


class ConflictRead(ControlFlow):
    """A name was read whose paths do not join; whoever made the conflict may stage again."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict.reason)
        self.conflict = conflict
        self.made_by: tuple[Any, Any] | None = None  # a ``StatementValues``, and a step of it
        self.given_by: tuple[Any, int] | None = None  # a function, and how many frames call it
        self.is_attribute: tuple[Any, str] | None = None  # of an object, where its class tells
