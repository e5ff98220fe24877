"""How values nest: the containers around the numbers and arrays of an argument or a result.

>>> leaves, structure = flatten({"w": 1.0, "layers": [(2.0, 3.0)]})
>>> leaves
[1.0, 2.0, 3.0]
>>> unflatten(structure, [10.0, 20.0, 30.0])
{'w': 10.0, 'layers': [(20.0, 30.0)]}
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError

TABLES = "OUSMmV"  # the kinds of arrays that hold no numbers: objects, texts, times, records


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or an array, numbered in the order of the leaves."""

    index: int


@dataclass(frozen=True, slots=True)
class Static:
    """A value that is part of the structure: None, a string, a function, a dtype."""

    value: Any


@dataclass(frozen=True, slots=True)
class Container:
    """A tuple, list, dict, NamedTuple or dataclass; ``keys``: indices, dict keys, field names."""

    type: type
    keys: tuple[Any, ...]
    items: tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One structure or another one; the leaf numbered ``predicate``, a bool, tells which.

    >>> leaves = [True, 2.0, 3.0]
    >>> unflatten(Either(0, Leaf(1), Container(tuple, (0, 1), (Leaf(1), Leaf(2)))), leaves)
    2.0
    """

    predicate: int
    then: Structure
    orelse: Structure


Structure = Leaf | Static | Container | Either


class _LeftOut:
    """What stands in a dict for an entry that is not there."""

    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT = _LeftOut()


_NOTHING = object()
# Kinds of callables that nobody derives from, or gives a ``__getattr__``.
_WITHOUT_GETATTR = frozenset({types.FunctionType, types.BuiltinFunctionType, np.ufunc})


def declared(value: Any, name: str, default: Any = None) -> Any:
    """What an object declares to symdiff under a name; no ``__getattr__`` of the user's is asked.

    >>> class Anything:
    ...     def __getattr__(self, name):
    ...         return name
    >>> declared(Anything(), "__symdiff_staged__") is None
    True
    """
    plain = type(value) in _WITHOUT_GETATTR
    if not plain and inspect.getattr_static(value, name, _NOTHING) is _NOTHING:
        return default
    return getattr(value, name, default)


def is_dataclass(kind: type) -> bool:
    """Return whether a class is a dataclass; no ``__getattr__`` of its metaclass is asked."""
    return any("__dataclass_fields__" in base.__dict__ for base in kind.__mro__)


def of_tuple(parts: Sequence[Structure]) -> Structure:
    """The structure of a tuple."""
    return Container(tuple, tuple(range(len(parts))), tuple(parts))


def tuple_of(count: int, first: int = 0) -> Structure:
    """The structure of a tuple of numbers and arrays."""
    return of_tuple([Leaf(first + k) for k in range(count)])


def is_leaf(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return type(value) is np.ndarray or not is_masked(value)
    if isinstance(value, np.datetime64 | np.timedelta64):
        return False
    return isinstance(value, bool | int | float | complex | np.generic)


def is_of_own_class(value: object) -> bool:
    """Return whether a number is of a class that is neither Python's nor NumPy's, as members of an
    ``IntEnum`` are.
    """
    if not isinstance(value, int | float | complex) or isinstance(value, np.generic):
        return False
    return type(value) not in (bool, int, float, complex)


def is_masked(value: object) -> bool:
    """Return whether this is ``np.ma.masked``, which stands for no number."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and value is masked.masked


def native_base(kind: type) -> type:
    """The class written in C that a class of containers gets its items from: itself, or a base."""
    return next(base for base in kind.__mro__ if base.__flags__ & _IMMUTABLE_TYPE)


_IMMUTABLE_TYPE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE


def dict_of(value: Any) -> Any:
    """The ``__dict__`` of an object; None where it has none; of a ``threading.local`` that of this
    thread.
    """
    if isinstance(value, threading.local) and not begins_threads(type(value)):
        return threading.local.__getattribute__(value, "__dict__")
    return object.__getattribute__(value, "__dict__") if has_dict(type(value)) else None


def has_dict(cls: type) -> bool:
    """Return whether objects of a class have a ``__dict__``."""
    return cls.__dictoffset__ != 0 or issubclass(cls, threading.local)


def begins_threads(cls: type) -> bool:
    """Return whether each thread that asks for an attribute runs an ``__init__`` first."""
    return issubclass(cls, threading.local) and cls.__init__ is not object.__init__


def children(value: object) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Keys and items of a container, or None where ``value`` is not one.

    Methods that a class of the user's may have are not called: they would run the user's code.
    """
    if isinstance(value, dict):
        base: Any = native_base(type(value))
        return tuple(base.keys(value)), tuple(base.values(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _named_items(value)
    if isinstance(value, list | tuple):
        base = native_base(type(value))
        items = tuple(base.__iter__(value))
        return tuple(range(len(items))), items
    if is_dataclass(type(value)):
        record: Any = value
        names = tuple(f.name for f in dataclasses.fields(record))
        return names, tuple(getattr(record, name) for name in names)
    return None


def is_made_of_items(kind: type[tuple[Any, ...]]) -> bool:
    """Return whether a class of tuples makes one of its items, and does nothing else with them."""
    if not hasattr(kind, "_fields"):
        return kind.__new__ is tuple.__new__
    maker = next(cls for cls in kind.__mro__ if "__new__" in vars(cls))
    return "_fields" in vars(maker)  # both are made from the names of the fields


def _named_items(value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    names, items = tuple(value._fields), tuple(tuple.__iter__(value))
    if len(names) != len(items):
        raise SignatureError(
            f"a {type(value).__name__} holds {len(items)} items, and its class names {len(names)}",
            hint="pass the items that are needed on their own",
        )
    return names, items


def flatten(
    value: object,
    leaf: Callable[[object], bool] = is_leaf,
    within: Callable[[Any], tuple[tuple[Any, ...], tuple[Any, ...]] | None] | None = None,
) -> tuple[list[Any], Structure]:
    """The leaves of a nested value, in order, and the structure around them.

    ``within`` gives the keys and items of what is taken apart, by default of containers.
    """
    within = within or children
    leaves: list[Any] = []

    def visit(item: object) -> Structure:
        if leaf(item):
            leaves.append(item)
            return Leaf(len(leaves) - 1)
        parts = within(item)
        if parts is None:
            return Static(item)
        keys, items = parts
        return Container(type(item), keys, tuple(visit(child) for child in items))

    return leaves, visit(value)


def construct(container: Container, items: Sequence[Any]) -> Any:
    """A container of the given type around new items."""
    if issubclass(container.type, dict):
        return _construct_dict(container, items)
    if issubclass(container.type, list):
        return _construct_list(container, items)
    if issubclass(container.type, tuple):
        return _construct_tuple(container.type, items)
    return _construct_object(container, items)


def _construct_tuple(kind: Any, items: Sequence[Any]) -> Any:
    if native_base(kind) is tuple and not is_made_of_items(kind):
        return tuple.__new__(kind, items)
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def _construct_dict(container: Container, items: Sequence[Any]) -> Any:
    kind, base = container.type, cast("Any", native_base(container.type))
    made = base.__new__(kind)
    for key, item in zip(container.keys, items, strict=True):
        if item is not LEFT_OUT:
            base.__setitem__(made, key, item)
    plain = getattr(kind, "__init__") is base.__init__  # noqa: B009 - it is not the instance's
    return made if plain else _initialised(made, base)


def _initialised(made: Any, base: Any) -> Any:
    """A dict as its class makes one of the same items, where it keeps them: it may set more."""
    try:
        other = type(made)(base.items(made))
    except Exception:  # the class is not made of a dict's items
        return made
    pairs = zip(base.items(made), base.items(other), strict=False)
    kept = len(base.keys(made)) == len(base.keys(other))
    return other if kept and all(a is c and b is d for (a, b), (c, d) in pairs) else made


def _construct_list(container: Container, items: Sequence[Any]) -> Any:
    base: Any = native_base(container.type)
    made = base.__new__(container.type)
    base.extend(made, items)
    return made


def _construct_object(container: Container, items: Sequence[Any]) -> Any:
    base: Any = native_base(container.type)
    made: Any = base.__new__(container.type)  # a gradient is no argument of __init__
    for name, item in zip(container.keys, items, strict=True):
        _set_own(made, name, item)
    return made


def _set_own(made: Any, name: str, content: Any) -> None:
    """Give an object an attribute of its own, whatever methods its class has."""
    own = dict_of(made)
    if own is None or is_dataclass(type(made)) or is_slot(type(made), name):
        object.__setattr__(made, name, content)
    else:
        own[name] = content


def is_slot(kind: type, name: str) -> bool:
    """Return whether instances of a class keep an attribute in a slot."""
    found = inspect.getattr_static(kind, name, None)
    return isinstance(found, types.MemberDescriptorType)


class Rebuild:
    """Makes a container of a type whose ``__init__`` takes something else than its items."""

    def __init__(self, container: Container) -> None:
        self.container = container

    def __call__(self, *items: Any) -> Any:
        return construct(self.container, items)


def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """The nested value of a structure around new leaves."""
    if isinstance(structure, Leaf):
        return leaves[structure.index]
    if isinstance(structure, Static):
        return structure.value
    if isinstance(structure, Either):
        taken = structure.then if leaves[structure.predicate] else structure.orelse
        return unflatten(taken, leaves)
    return construct(structure, [unflatten(item, leaves) for item in structure.items])


def mapped(structure: Structure, leaf: Callable[[int], Structure]) -> Structure:
    """The structure with each leaf replaced by what ``leaf`` makes of its number."""
    if isinstance(structure, Leaf):
        return leaf(structure.index)
    if isinstance(structure, Either):
        predicate = leaf(structure.predicate)
        assert isinstance(predicate, Leaf)
        arms = (mapped(arm, leaf) for arm in (structure.then, structure.orelse))
        return Either(predicate.index, *arms)
    if not isinstance(structure, Container):
        return structure
    items = tuple(mapped(item, leaf) for item in structure.items)
    return Container(structure.type, structure.keys, items)


Keys = tuple[Any, ...]


def numbered_paths(structure: Structure, prefix: Keys = ()) -> Iterator[tuple[int, Keys]]:
    """The number of each leaf and the path of keys to it, in order; of what tells which of two
    structures it is the path of these.
    """
    if isinstance(structure, Leaf):
        yield structure.index, prefix
    elif isinstance(structure, Either):
        yield structure.predicate, prefix
        yield from numbered_paths(structure.then, prefix)
        yield from numbered_paths(structure.orelse, prefix)
    elif isinstance(structure, Container):
        for key, item in zip(structure.keys, structure.items, strict=True):
            yield from numbered_paths(item, (*prefix, key))


def leaf_numbers(structure: Structure) -> list[int]:
    """The numbers of the leaves, in order."""
    found: list[int] = []
    pending = [structure]
    while pending:
        part = pending.pop()
        if isinstance(part, Leaf):
            found.append(part.index)
        elif isinstance(part, Either):
            found.append(part.predicate)
            pending += part.orelse, part.then
        elif isinstance(part, Container):
            pending += reversed(part.items)
    return found


def leaf_paths(structure: Structure) -> Iterator[Keys]:
    """The path of keys to each leaf, in order."""
    return (path for _, path in numbered_paths(structure))


Decided = tuple[tuple[int, bool], ...]  # leaves that tell which of two it is, and what they tell


def leaves_by_case(structure: Structure, decided: Decided = ()) -> Iterator[tuple[int, Decided]]:
    """The number of each leaf that is there in one of two structures only, and what it is in."""
    if isinstance(structure, Leaf) and decided:
        yield structure.index, decided
    elif isinstance(structure, Container):
        for item in structure.items:
            yield from leaves_by_case(item, decided)
    elif isinstance(structure, Either):
        yield from leaves_by_case(structure.then, (*decided, (structure.predicate, True)))
        yield from leaves_by_case(structure.orelse, (*decided, (structure.predicate, False)))


def cases_of(structure: Structure) -> Iterator[Structure]:
    """The structures that a structure is one of."""
    pending = [structure]
    while pending:
        case = pending.pop()
        if isinstance(case, Either):
            pending += case.orelse, case.then
        else:
            yield case


def is_left_out(structure: Structure) -> bool:
    """Return whether a structure stands for an entry of a dict that is not there."""
    return isinstance(structure, Static) and structure.value is LEFT_OUT


def has_cases(structure: Structure) -> bool:
    """Return whether a structure is another one at some calls, or has a part that is."""
    if isinstance(structure, Either):
        return True
    return isinstance(structure, Container) and any(map(has_cases, structure.items))
