"""What a call is given, and what its function sees of what the program has made around it.

Arguments and the scope of a call enter. What leaves is its *kind*: two calls of one kind differ in
nothing but the numbers that are listed beside it, and in which lists, dicts, objects and arrays
hold them. Arrays of one shape that lie in memory in one way count as numbers; so do views of views
of an array of which nothing else is seen, however they were made: an array of their own *stands
for* each. Functions, activations and values that are no numbers are those that they are. Numbers
and texts that are known now tell kinds apart, unless they are ``carried``, and listed, too.

>>> seen = look_around(interp, scope, {"x": x, "state": state})  # doctest: +SKIP
>>> seen.kind == another.kind and len(seen.numbers) == len(another.numbers)  # doctest: +SKIP
True
"""

from __future__ import annotations

import ast
import enum
import functools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.definitions.bunches import attributes_of, rebuilt
from symdiff.ir.build import builder, is_constant
from symdiff.ir.graph import Value
from symdiff.ir.types import BOOL, FLOAT, INT, TEXT, ArrayType, ListType, Type
from symdiff.ops.lists import list_new
from symdiff.ops.strides import Layout
from symdiff.ops.texts import text_made
from symdiff.parse.disguised import may_be_disguised
from symdiff.parse.heap import ORDER, is_array, is_callers, is_programs, is_writable
from symdiff.parse.hidden_pythons import may_be_pythons
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lookups import MADE_HERE
from symdiff.parse.memory_order import layout_of
from symdiff.parse.own_sizes import numbers_in, renamed
from symdiff.parse.run_time_texts import lifted
from symdiff.parse.scope import home_of, local_names, names_in
from symdiff.parse.values import (
    ABSENT,
    RETURNED_VALUE,
    USED,
    Abstract,
    Array,
    BoundMethod,
    Closure,
    Columns,
    Conflict,
    DictRef,
    DictView,
    Generator,
    IteratorRef,
    Lazy,
    ListRef,
    ObjectRef,
    Partial,
    PossiblyUnbound,
    Range,
    Scope,
    StagedText,
    Storage,
    Suspended,
    Unjoinable,
)

MOST_SEEN = 1000  # contents that a call may see: others are followed
ITERATORS = Generator | IteratorRef | Lazy
HANDLES = Closure | ListRef | DictRef | ObjectRef | Storage | Scope | ITERATORS
PLAIN = (bool, int, float, complex, str)
UNCHANGING = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.MethodDescriptorType,
    np.ufunc,
    type(len),
)
_HANDED_ON = (Closure, ObjectRef, *UNCHANGING)


class NoKind(Exception):  # noqa: N818 - control flow
    """A call is given, or sees, what may change unseen."""


class _SeenOtherwise(Exception):  # noqa: N818 - control flow
    """Of an array that something stands for a view of, more is seen."""


@dataclass(slots=True)
class Seen:
    """The kind of a call, its numbers in order, and ``places``: what of the heap was looked at.

    ``handles``: what the program has made, in the order in which it was found; ``fixed``: values of
    which calls of the kind have the same. ``sizes``: by what numbers their computed sizes are
    called. ``views``: those that arrays among the handles stand for. ``but_known``: the kind but
    for the known numbers and texts among the arguments, or in tuples there, and the lengths of
    lists of floats; ``carried``: these are listed, too, and each of those lists, ``lists``, as one.
    """

    kind: Any = None
    but_known: Any = None
    carried: bool = False
    numbers: list[Value] = field(default_factory=list)
    handles: list[Any] = field(default_factory=list)
    places: dict[Any, None] = field(default_factory=dict)
    fixed: set[Value] = field(default_factory=set)
    lists: dict[ListRef, None] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    views: dict[Storage, Array] = field(default_factory=dict)

    @property
    def knows(self) -> bool:
        """Whether known numbers, texts or lengths tell the kind apart."""
        return self.kind is not None and bool(self.kind[1])

    def stands(self) -> dict[Array, Storage]:
        """What stands for each view."""
        return {view: stand for stand, view in self.views.items()}


def look_around(
    interp: Interpreter,
    node: ast.AST,
    scope: Scope,
    bound: Mapping[str, Abstract],
    *,
    carried: bool = False,
) -> Seen:
    """What a call of a function sees that has the names of ``scope``, where ``bound`` is given.

    :raises NoKind: where it cannot be told.
    """
    try:
        return _looked(_Look(interp, carried=carried), node, scope, bound)
    except _SeenOtherwise:
        look = _Look(interp, opens_views=False, carried=carried)
        return _looked(look, node, scope, bound)


def _looked(look: _Look, node: ast.AST, scope: Scope, bound: Mapping[str, Abstract]) -> Seen:
    given = look.given(bound)
    names = look.names(node, scope) if scope.parent is not None else ()
    outside = look.outside()
    seen = given, names, outside, tuple(look.rest()), look.which_may_be_others()
    types = look.types()
    others = tuple([one for k, one in enumerate(types) if k not in look.in_lists])
    look.seen.but_known = seen, others
    look.seen.kind = look.seen.but_known, tuple(look.known), types
    return look.seen


def changed_outside(interp: Interpreter) -> Iterator[Any]:
    """The places of the caller's that hold something else than before: any function may see them.

    Variables, attributes, lists and dicts that are written on some path so far, and arrays.
    """
    yield from (*interp.rebound, *interp.attributes, *interp.changed)
    contents = interp.heap.contents
    for storage in dict.fromkeys(array.storage for array in interp.by_path.values()):
        changed = contents.get(storage, storage.given) is not storage.given
        if changed or storage in interp.outside:
            yield storage


def handed_on(arguments: Iterable[Abstract]) -> tuple[Any, ...]:
    """The functions and objects among arguments, and in what they are bound to."""
    found: list[Any] = []
    pending = list(arguments)
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(tuple.__iter__(part))
        elif isinstance(part, BoundMethod):
            pending += [part.function, part.instance]
        elif isinstance(part, Partial):
            pending += [part.function, *part.arguments, *(value for _, value in part.keywords)]
        elif isinstance(part, _HANDED_ON):
            found.append(part)
    return tuple(found)


def is_member(content: Abstract) -> bool:
    """Return whether a content is a member of an enumeration that stands outside."""
    return isinstance(content, enum.Enum) and MADE_HERE not in vars(type(content))


def is_inexact(type_: Type) -> bool:
    """Return whether a type is one of floats or complex numbers, or of arrays of them."""
    return isinstance(type_, ArrayType) and type_.dtype.kind in "fc"


def has_plain_keys(content: dict[Any, Abstract]) -> bool:
    """Return whether the keys of a dict are texts, numbers and tuples of them, never objects."""
    return all(map(_is_plain, content))


def opened(
    interp: Interpreter,
    content: Abstract,
    number: Callable[[Value], Value],
    stands: Mapping[Array, Storage],
    carried: bool = False,
) -> Abstract:
    """A content with others in the place of its numbers, in the order in which they are seen, and
    with what stands for its views. ``carried``: its known numbers and texts are among them.
    """

    def within(part: Abstract) -> Abstract:
        return opened(interp, part, number, stands, carried)

    if isinstance(content, tuple):
        return rebuilt(content, within)
    if isinstance(content, dict):
        return type(content)((key, within(part)) for key, part in content.items())
    if isinstance(content, Columns):
        return replace(content, values=within(content.values))
    if isinstance(content, Array) and content in stands:
        return Array(stands[content])
    if isinstance(content, StagedText):
        return number(Value(TEXT))
    if carried and _may_be_carried(content):
        return number(_carried(content))
    return number(content) if _is_number(interp, content) else content


def _is_number(interp: Interpreter, content: Abstract) -> bool:
    """Return whether a content is a number, or an array or a list of such, that differs between
    calls of one kind. An integer or a truth that is given the function is no such number: it may be
    fixed, unless the function is a template. A list is one where its type tells whose numbers it
    holds.
    """
    if not isinstance(content, Value) or is_constant(content):
        return False
    if isinstance(content.type, ListType):
        element = content.type.element
        return isinstance(element, ArrayType) and element.weak and is_inexact(element)
    is_made = content.node is not None or content in interp.of_templates
    return (
        (is_made and content.type in (INT, BOOL))
        or content.type == TEXT
        or is_inexact(content.type)
    )


def _may_be_carried(content: Abstract) -> bool:
    """Return whether a content is a known number or text that the program can carry as others."""
    if type(content) is int:
        return content.bit_length() <= _MOST_BITS
    return type(content) in (float, str)


_MOST_BITS = 53  # of an integer that a float holds


def _is_list_of_floats(ref: ListRef, content: Abstract) -> bool:
    """Return whether a list is of a known length, and may be one of a length known at run time."""
    plain = ref.type is list and not ref.frozen and ref.own is None and type(content) is tuple
    return plain and bool(content) and all(map(_is_float, content))


def _is_float(content: Abstract) -> bool:
    return type(content) is float or (isinstance(content, Value) and content.type == FLOAT)


def _carried(content: Any) -> Value:
    is_text = type(content) is str
    value: Value = text_made(made=content) if is_text else builder().constant(content)
    return value


class _Look:
    """Goes over all that a call sees, once."""

    def __init__(
        self, interp: Interpreter, *, opens_views: bool = True, carried: bool = False
    ) -> None:
        self.interp = interp
        self.heap = interp.heap
        self.opens_views = opens_views
        self.seen = Seen(carried=carried)
        self.known: list[Any] = []
        self.of_arguments = False  # whether what is looked at is one, or in a tuple that is
        self.arguments: set[Any] = set()  # lists, dicts and the like among them
        self.in_lists: set[int] = set()  # which numbers are in lists whose lengths are known
        self.number_of: dict[Any, int] = {}
        self.left = MOST_SEEN
        self.opens = True  # whether numbers are listed; else they are fixed

    def given(self, bound: Mapping[str, Abstract]) -> tuple[Any, ...]:
        """The kinds of the arguments."""
        self.of_arguments = True
        found = tuple([(name, self.at(value)) for name, value in bound.items()])
        self.of_arguments = False
        return found

    def at(self, content: Abstract) -> Any:
        """The kind of a content; what it refers to is looked at later."""
        self.left -= 1
        if self.left < 0:
            raise NoKind
        if isinstance(content, Value):
            return self._value(content)
        if isinstance(content, tuple):
            more = attributes_of(content)
            return type(content), *more, *map(self.at, (*tuple.__iter__(content), *more.values()))
        if content is None or type(content) in PLAIN:
            return self._plain(content)
        if isinstance(content, StagedText) and self.opens:
            return self._text(content)
        if isinstance(content, UNCHANGING):
            return content
        if isinstance(content, type):
            return content, *self._class(content)
        return self._made(content)

    def _plain(self, content: Abstract) -> Any:
        known = type(content), repr(content)
        if not (self.of_arguments and self.opens and _may_be_carried(content)):
            return known
        if self.seen.carried:
            self.seen.numbers.append(_carried(content))
            return Value
        self.known.append(known)
        return _may_be_carried, type(content)

    def _value(self, value: Value) -> Any:
        if self.opens and _is_number(self.interp, value):
            self.seen.numbers.append(value)
            return Value
        self.seen.fixed.add(value)
        return value

    def _text(self, text: StagedText) -> Any:
        """A text that is made of numbers: of which does not matter to whoever is given it."""
        try:
            self.seen.numbers.append(lifted(self.heap, text))
        except Unjoinable:
            raise NoKind from None
        return Value

    def types(self) -> tuple[Any, ...]:
        """The types of the numbers, and how arrays lie in memory: the sizes that are computed are
        called by their turn, but for those that what is fixed has, too.
        """
        seen, names = self.seen, _ByTurn()
        if any(True for value in seen.numbers for _ in numbers_in(value.type)):
            for value in (*seen.fixed, *self.interp.parameters):
                names.keep((value.number, *numbers_in(value.type)))
        found = tuple([self._type(value, names) for value in seen.numbers])
        seen.sizes = list(names.turns)
        return found

    def _type(self, value: Value, names: _ByTurn) -> Any:
        type_ = renamed(value.type, names)
        if is_array(type_):
            return type_, _shown(layout_of(self.interp, value), names)
        return type_, may_be_pythons(self.interp, value), may_be_disguised(self.interp, value)

    def _made(self, content: Abstract) -> Any:
        if isinstance(content, Closure | ListRef | DictRef | ObjectRef | ITERATORS):
            return type(content), self._numbered(content)
        if isinstance(content, Array):
            return self._array(content)
        if isinstance(content, BoundMethod):
            return BoundMethod, self._fixed(content.function), self._fixed(content.instance)
        if isinstance(content, Partial):
            parts = content.function, content.arguments, content.keywords
            return Partial, *map(self._fixed, parts)
        if isinstance(content, Range):
            return Range, *map(self._fixed, (content.start, content.stop, content.step))
        if isinstance(content, DictView):
            return DictView, content.kind, self._fixed(content.of)
        if isinstance(content, Suspended):
            return content, *map(self._fixed, _inside(content))
        if isinstance(content, PossiblyUnbound | Conflict) or is_member(content):
            return _Same(content)
        if content is ABSENT:
            return ABSENT
        raise NoKind

    def _array(self, array: Array) -> Any:
        if self._stands_alone(array):
            return Array, self._numbered(self._stand_for(array)), ()
        lenses = tuple([(lens, *map(self._fixed, lens.operands)) for lens in array.lenses])
        return Array, self._numbered(array.storage), lenses

    def _stands_alone(self, view: Array) -> bool:
        """Return whether a view of a view is an array like any other to whoever sees it."""
        storage, heap = view.storage, self.heap
        if any(held.storage is storage for held in self.seen.views.values()):
            raise _SeenOtherwise
        apart = storage not in self.number_of and storage not in heap.shared
        known = is_callers(storage) or storage in heap.frozen or storage in heap.bound
        if not (self.opens and self.opens_views and len(view.lenses) > 1 and apart) or known:
            return False
        plain = storage.subclass is None and all(map(is_writable, view.lenses)) and not view.is_flat
        return plain and all(
            _is_number(self.interp, one) for one in (heap.get(storage), heap.read(view))
        )

    def _stand_for(self, view: Array) -> Storage:
        stand = Storage(view.storage.name)
        self.seen.views[stand] = view
        return stand

    def _fixed(self, content: Abstract) -> Any:
        """The kind of what is held by something that cannot be opened."""
        before, self.opens = self.opens, False
        try:
            return self.at(content)
        finally:
            self.opens = before

    def _numbered(self, handle: Any) -> int:
        heap = self.heap
        if handle in heap.frozen or handle in heap.bound:
            raise NoKind
        if self.of_arguments and self.opens:
            self.arguments.add(handle)
        known = self.number_of.get(handle)
        if known is None:
            known = self.number_of[handle] = len(self.seen.handles)
            self.seen.handles.append(handle)
        return known

    def outside(self) -> tuple[Any, ...]:
        """What has been changed of what stands outside, and in which order objects there have got
        attributes.
        """
        interp = self.interp
        if any(key in interp.logs for key in interp.changed):
            raise NoKind
        owners = dict.fromkeys(owner for owner, _ in interp.attributes)
        orders = [(owner, interp.heap.get((owner, ORDER))) for owner in owners]
        changed = [(key, self._place(key)) for key in changed_outside(interp)]
        return *changed, *(pair for pair in orders if pair[1] is not ABSENT)

    def rest(self) -> Iterator[Any]:
        """What stands behind each handle, in the order in which they are found."""
        described = 0
        while described < len(self.seen.handles):
            handle = self.seen.handles[described]
            described += 1
            yield self._described(handle)

    def which_may_be_others(self) -> tuple[int, ...]:
        """The handles that may be, on some path, what the call does not see: that is lost by all
        that writes to them.
        """
        heap = self.heap
        shared = [handle for handle in self.seen.handles if handle in heap.shared]
        others = {other for handle in shared for other in heap.shared[handle]}
        if any(one in self.number_of or one in heap.frozen or is_callers(one) for one in others):
            raise NoKind
        return tuple([self.number_of[handle] for handle in shared])

    def _described(self, handle: Any) -> Any:
        if isinstance(handle, Closure):
            return self._closure(handle)
        if isinstance(handle, ObjectRef):
            return self._object(handle)
        if isinstance(handle, ITERATORS):
            return self._iterator(handle)
        if isinstance(handle, Scope):
            return tuple(
                [(name, self._place((handle, name))) for name in self.heap.names_of(handle)]
            )
        if is_callers(handle):
            return handle
        if isinstance(handle, Storage):
            return Storage, handle.subclass, self._place(handle)
        return self._container(handle)

    def _place(self, key: Any) -> Any:
        if key in self.seen.places:
            return ABSENT
        self.seen.places[key] = None
        view = self.seen.views.get(key)
        return self._content(self.heap.get(key) if view is None else self.heap.read(view))

    def _content(self, content: Abstract) -> Any:
        if isinstance(content, dict):
            if not has_plain_keys(content):
                raise NoKind
            return type(content), *[(_exact(key), self.at(value)) for key, value in content.items()]
        if isinstance(content, Columns):
            return Columns, _Same(content.structure), *map(self.at, content.values)
        return self.at(content)

    def _container(self, ref: ListRef | DictRef) -> Any:
        if ref.own is not None:
            raise NoKind
        if isinstance(ref, DictRef):
            return ref.type, ref.shows_items, self._place(ref)
        content = self.heap.get(ref)
        is_given = ref in self.arguments and ref not in self.seen.places
        if is_given and _is_list_of_floats(ref, content):
            return ref.type, self._list_of_floats(ref, content)
        return ref.type, ref.frozen, self._place(ref)

    def _list_of_floats(self, ref: ListRef, content: tuple[Abstract, ...]) -> Any:
        """The kind of a list of a known length, which may be one of a length known at run time."""
        if self.seen.carried:
            items = map(self.interp.lift, content)
            self.seen.numbers.append(list_new(*items, type=ListType(FLOAT)))
            self.seen.places[ref] = self.seen.lists[ref] = None
            return Value
        start = len(self.seen.numbers)
        self.known.append(self._place(ref))
        self.in_lists.update(range(start, len(self.seen.numbers)))
        return _is_list_of_floats

    def _object(self, ref: ObjectRef) -> Any:
        if ref.holder is not None or issubclass(ref.type, BaseException):
            raise NoKind
        if not is_programs(ref):
            return ref
        inside = self._class(ref.type)
        names = self.heap.names_of(ref)
        return ref.type, inside, tuple([(name, self._place((ref, name))) for name in names])

    def _iterator(self, iterator: ITERATORS) -> Any:
        """What an iterator goes over, and how far it has come."""
        if isinstance(iterator, IteratorRef):
            over: Any = self._fixed(iterator.of)
        elif isinstance(iterator, Lazy):
            over = iterator, *map(self._fixed, (*iterator.parts, *_given_beside(iterator)))
        else:
            over = self._generator(iterator)
        places = iterator, (iterator, USED), (iterator, RETURNED_VALUE)
        return over, tuple(map(self._place, places))

    def _generator(self, generator: Generator) -> Any:
        sees, names = generator.sees, ()
        if sees is None:
            raise NoKind
        if isinstance(self.heap.get(generator), Suspended):
            assert generator.body is not None
            self._numbered(generator.body.scope)
        if sees.scope is not None:
            names = self.names(sees.node, sees.scope)
        return generator, tuple(map(self._fixed, sees.given)), names

    def _class(self, kind: type) -> tuple[Any, ...]:
        """What is seen of a class by its methods, where it is made in the program."""
        found: list[Any] = []
        for cls in kind.__mro__:
            if MADE_HERE in vars(cls):
                held = [part for v in vars(cls).values() for part in _functions_in(v)]
                found += [self._fixed(part) for part in (vars(cls)[MADE_HERE], *held)]
        return tuple(found)

    def _closure(self, closure: Closure) -> Any:
        if closure.own is not None or closure.several is not None:
            raise NoKind
        given = (*closure.defaults, *closure.keyword_defaults.values())
        bound, declared = local_names(closure.node)
        inner = Scope("", bound, closure.scope, closure.scope.globals, {}, declared)
        return closure, tuple(map(self._fixed, given)), self.names(closure.node, inner)

    def names(self, node: ast.AST, scope: Scope) -> tuple[Any, ...]:
        """The contents of the names that a function sees of the activations around it."""
        found = []
        for name in names_in(node):
            home = home_of(scope, name)
            if home is not None and home is not scope:
                found.append((home, name, self._place((home, name))))
        return tuple(found)


def iterators_of(suspended: Suspended) -> list[ITERATORS] | None:
    """The iterators that loops go over in which a generator is suspended; None where it is
    suspended in what does something when it is left.
    """
    if any(entry[0] not in _LEFT_AS_THEY_ARE for entry in suspended.stack):
        return None
    return [part for entry in suspended.stack for part in entry if isinstance(part, ITERATORS)]


_LEFT_AS_THEY_ARE = ("block", "while", "for", "from", "sent")


def _inside(suspended: Suspended) -> list[ITERATORS]:
    found = iterators_of(suspended)
    if found is None:
        raise NoKind
    return found


def _given_beside(iterator: Lazy) -> tuple[Abstract, ...]:
    """What one of Python's iterators was given beside what it goes over.

    :raises NoKind: where that cannot be told.
    """
    over: Any = iterator.over
    given: list[Abstract] = []
    while isinstance(over, functools.partial):
        given += [*over.args, *over.keywords.values()]
        over = over.func
    if getattr(over, "__closure__", ()):
        raise NoKind
    return tuple(given)


class _ByTurn(dict[int, Any]):
    """What stands for numbers in the symbols of sizes: the turn in which each is met."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: dict[int, None] = {}

    def keep(self, numbers: Iterable[int]) -> None:
        """Let numbers stand for themselves."""
        self.update((number, number) for number in numbers)

    def __missing__(self, number: int) -> str:
        found = self[number] = f"#{len(self.turns)}"
        self.turns[number] = None
        return found


def _shown(layout: Layout, names: Mapping[int, Any]) -> Any:
    """How an array lies in memory, in sizes that are called by other names."""
    shown = [
        stride and (stride.number, tuple(sorted(map(str, renamed(stride.sizes, names)))))
        for stride in layout.strides
    ]
    return tuple(shown), layout.causes


class _Same:
    """What is one with another only if it is the same object."""

    __slots__ = ("content",)

    def __init__(self, content: Any) -> None:
        self.content = content

    def __hash__(self) -> int:
        return id(self.content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.content is self.content


def _exact(key: Any) -> Any:
    """A key of a dict told apart from what equals it: 1, 1.0, True."""
    return tuple(map(_exact, key)) if type(key) is tuple else (type(key), repr(key))


def _is_plain(key: Any) -> bool:
    return all(map(_is_plain, key)) if type(key) is tuple else type(key) in PLAIN or key is None


def _functions_in(attribute: Any) -> Iterator[Closure]:
    """The functions of the program that an attribute of a class leads to."""
    parts: list[Any] = [attribute]
    if isinstance(attribute, property):
        parts = [attribute.fget, attribute.fset, attribute.fdel]
    elif isinstance(attribute, staticmethod | classmethod):
        parts = [attribute.__func__]
    elif isinstance(attribute, functools.cached_property):
        parts = [attribute.func]
    return (part for part in parts if isinstance(part, Closure))
