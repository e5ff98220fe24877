"""What Python has in C, and could have written in Python: a call of it is followed here.

``heapq``, ``bisect`` and ``operator`` are followed in the files of the standard library, which has
them in Python as well.
"""

from __future__ import annotations

import abc
import bisect
import cmath
import collections
import contextlib
import functools
import heapq
import importlib.util
import itertools
import math
import operator
import sys
import threading
from collections.abc import Callable, Iterator, KeysView
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

from symdiff.definitions.declare import refuse
from symdiff.definitions.keyed import is_keyed

F = TypeVar("F", bound=Callable[..., Any])

IN_PYTHON: dict[Any, Any] = {}


def replaces(function: Any) -> Callable[[F], F]:
    """Register what is followed in place of a function or a class."""

    def register(written: F) -> F:
        IN_PYTHON[function] = written
        return written

    return register


def _without(name: str, accelerator: str) -> ModuleType:
    """A module of the standard library as it is where its part in C is missing."""
    specification = importlib.util.find_spec(name)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    known = sys.modules.get(accelerator)
    sys.modules[accelerator] = None  # type: ignore[assignment]
    try:
        specification.loader.exec_module(module)
    finally:
        del sys.modules[accelerator]
        if known is not None:
            sys.modules[accelerator] = known
    return module


for _module in (heapq, bisect, operator):
    IN_PYTHON.update(
        (getattr(_module, name), function)
        for name, function in vars(_without(_module.__name__, f"_{_module.__name__}")).items()
        if callable(function) and function is not getattr(_module, name)
    )


@replaces(heapq.nlargest)
def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    """The first n in falling order."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


@replaces(heapq.nsmallest)
def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    """The first n in rising order."""
    return sorted(iterable, key=key)[: max(n, 0)]


@replaces(functools.cmp_to_key)
def cmp_to_key(mycmp: Any) -> Any:
    """``functools.cmp_to_key``: what makes keys that are compared by a function of two values."""
    return lambda obj: ComparedKey(mycmp, obj)


class ComparedKey:
    """A value in the order that a function of two values tells by the sign of what it gives."""

    def __init__(self, compare: Any, obj: Any) -> None:
        self._compare, self.obj = compare, obj

    def __lt__(self, other: Any) -> Any:
        return self._compare(self.obj, other.obj) < 0

    def __gt__(self, other: Any) -> Any:
        return self._compare(self.obj, other.obj) > 0

    def __le__(self, other: Any) -> Any:
        return self._compare(self.obj, other.obj) <= 0

    def __ge__(self, other: Any) -> Any:
        return self._compare(self.obj, other.obj) >= 0

    def __eq__(self, other: object) -> Any:
        return self._compare(self.obj, other.obj) == 0  # type: ignore[attr-defined]


@replaces(functools.singledispatch)
def singledispatch(func: Any) -> Any:
    """``functools.singledispatch``: a function for each class of the first argument."""
    return Dispatching(func)


class Dispatching:
    """The functions that are registered, the last of each class first."""

    def __init__(self, func: Any) -> None:
        self._held: list[Any] = [(object, func)]

    def register(self, cls: Any, func: Any = None) -> Any:
        """Add what is called for a class and those below it."""
        if not isinstance(cls, type) or isinstance(cls, abc.ABCMeta):
            refuse("register() of an abstract class, a union, or by annotations alone")
        if func is None:
            return lambda function: self.register(cls, function)
        self._held.insert(0, (cls, func))
        return func

    def dispatch(self, cls: Any) -> Any:
        """Return what is called for a class."""
        for base in cls.__mro__:
            for registered, function in self._held:
                if registered is base:
                    return function
        return None

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if not args:
            raise TypeError("singledispatch function requires at least 1 positional argument")
        return self.dispatch(args[0].__class__)(*args, **keywords)

    def __getattr__(self, name: str) -> Any:
        refuse(f"attribute {name!r} of a function that singledispatch makes here")


@replaces(collections.deque)
class deque:  # noqa: N801  its name is shown in messages
    """``collections.deque``: a list, of which the first items leave where it has a bound."""

    __symdiff_class__ = collections.deque

    def __init__(self, iterable: Any = (), maxlen: Any = None) -> None:
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self._items: list[Any] = []
        self._bound = maxlen
        self.extend(iterable)

    @property
    def maxlen(self) -> Any:
        """The bound of its length, or None."""
        return self._bound

    def append(self, item: Any) -> None:
        """Add an item on the right; where the bound is passed, the leftmost one leaves."""
        self._items.append(item)
        if self._bound is not None and len(self._items) > self._bound:
            self._items.pop(0)

    def appendleft(self, item: Any) -> None:
        """Add an item on the left; where the bound is passed, the rightmost one leaves."""
        self._items.insert(0, item)
        if self._bound is not None and len(self._items) > self._bound:
            self._items.pop()

    def extend(self, iterable: Any) -> None:
        """Add items on the right, one after the other."""
        for item in iterable:
            self.append(item)

    def extendleft(self, iterable: Any) -> None:
        """Add items on the left, one after the other."""
        for item in iterable:
            self.appendleft(item)

    def pop(self) -> Any:
        """Take the rightmost item."""
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop()

    def popleft(self) -> Any:
        """Take the leftmost item."""
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop(0)

    def rotate(self, n: Any = 1) -> None:
        """Move the items n places to the right, those that pass the end to the beginning."""
        if self._items:
            first = -n % len(self._items)
            self._items = self._items[first:] + self._items[:first]

    def clear(self) -> None:
        """Take all items away."""
        self._items.clear()

    def copy(self) -> deque:
        """Return another one of the same items and bound."""
        return deque(self._items, self._bound)

    def count(self, value: Any) -> Any:
        """How many items are equal to a value."""
        return self._items.count(value)

    def index(self, value: Any, *bounds: Any) -> Any:
        """Return where a value is found first."""
        try:
            return self._items.index(value, *bounds)
        except ValueError:
            raise ValueError(f"{value!r} is not in deque") from None

    def insert(self, index: Any, item: Any) -> None:
        """Add an item before a place."""
        if self._bound is not None and len(self._items) >= self._bound:
            raise IndexError("deque already at its maximum size")
        self._items.insert(index, item)

    def remove(self, value: Any) -> None:
        """Take away the first item that is equal to a value."""
        self._items.remove(value)

    def reverse(self) -> None:
        """Turn the order of the items round."""
        self._items.reverse()

    def __getitem__(self, index: Any) -> Any:
        self._require(index)
        return self._items[index]

    def __setitem__(self, index: Any, item: Any) -> None:
        self._require(index)
        self._items[index] = item

    def __delitem__(self, index: Any) -> None:
        self._require(index)
        del self._items[index]

    def _require(self, index: Any) -> None:
        """Raise where there is no item of a number."""
        if not hasattr(index, "__index__"):
            raise TypeError(f"sequence index must be integer, not {type(index).__name__!r}")
        if not -len(self._items) <= index < len(self._items):
            raise IndexError("deque index out of range")

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __reversed__(self) -> Any:
        return reversed(self._items)

    def __contains__(self, value: Any) -> bool:
        return value in self._items

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, collections.deque):
            return NotImplemented
        return self._items == other._items  # type: ignore[attr-defined]

    def __lt__(self, other: Any) -> Any:
        return self._items < other._items if _is_deque(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self._items <= other._items if _is_deque(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._items > other._items if _is_deque(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self._items >= other._items if _is_deque(other) else NotImplemented

    def __add__(self, other: Any) -> deque:
        if not isinstance(other, collections.deque):
            return NotImplemented
        joined = self.copy()
        joined.extend(other)
        return joined

    def __iadd__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray | np.generic):  # which are asked first
            return np.asarray(self._items) + other
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> deque:
        return deque(self._items * times, self._bound)

    def __copy__(self) -> deque:
        return self.copy()


def _is_deque(value: Any) -> bool:
    return isinstance(value, collections.deque)


class changing_set:  # noqa: N801  its name is shown in messages
    """``set``, where the program changes one: the keys of a dict.

    It is gone over in the order that Python has where items were only added, one by one. After
    other changes the order depends on what was there before: it is told only where it does not
    matter how the set came about.
    """

    __symdiff_class__ = set
    __symdiff_returned__ = "a set that it changes", "return a list of its items: list(s)"
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, iterable: Any = ()) -> None:
        self._items_of_set: dict[Any, bool] = {}
        self._only_added = True
        self.update(iterable)

    def add(self, item: Any) -> None:
        """Add an item, unless it is there."""
        self._items_of_set[item] = True

    def discard(self, item: Any) -> None:
        """Take an item away, if it is there."""
        if item in self._items_of_set:
            self.remove(item)

    def remove(self, item: Any) -> None:
        """Take an item away."""
        self._only_added = False
        del self._items_of_set[item]

    def pop(self) -> Any:
        """Take the first item."""
        if not self._items_of_set:
            raise KeyError("pop from an empty set")
        item = next(iter(self))
        self.remove(item)
        return item

    def clear(self) -> None:
        """Take all items away."""
        self._items_of_set.clear()

    def update(self, *others: Any) -> None:
        """Add all items of the others."""
        for other in others:
            if isinstance(other, set | frozenset | dict):
                self._only_added = False
            for item in _in_any_order(other):
                self._items_of_set[item] = True

    def intersection_update(self, *others: Any) -> None:
        """Keep the items that are in all others."""
        self._keep(self.intersection(*others))

    def difference_update(self, *others: Any) -> None:
        """Keep the items that are in none of the others."""
        self._keep(self.difference(*others))

    def symmetric_difference_update(self, other: Any) -> None:
        """Keep the items that are in one of the two only."""
        self._keep(self.symmetric_difference(other))

    def _keep(self, kept: Any) -> None:
        self._only_added = False
        self._items_of_set = dict.fromkeys(kept._items_of_set, True)

    def copy(self) -> changing_set:
        """Return another one of the same items."""
        return self.union()

    __copy__ = copy

    def union(self, *others: Any) -> changing_set:
        """Return the items of it and of the others."""
        made = changing_set(self)
        made.update(*others)
        return made

    def intersection(self, *others: Any) -> changing_set:
        """Return the items that are in all others."""
        made = changing_set(self)
        for other in others:
            there = changing_set(other)
            for item in [item for item in made._items_of_set if item not in there._items_of_set]:
                made.remove(item)
        return made

    def difference(self, *others: Any) -> changing_set:
        """Return the items that are in none of the others."""
        made = changing_set(self)
        for other in others:
            for item in _in_any_order(other):
                made.discard(item)
        return made

    def symmetric_difference(self, other: Any) -> changing_set:
        """Return the items that are in one of the two only."""
        other = changing_set(other)
        return self.difference(other).union(other.difference(self))

    def isdisjoint(self, other: Any) -> bool:
        """Return whether no item is in both."""
        return not self.intersection(other)

    def issubset(self, other: Any) -> bool:
        """Return whether all items are in the other."""
        return not self.difference(other)

    def issuperset(self, other: Any) -> bool:
        """Return whether all items of the other are here."""
        return not changing_set(other).difference(self)

    def __len__(self) -> int:
        return len(self._items_of_set)

    def __iter__(self) -> Iterator[Any]:
        if is_keyed(self._items_of_set):
            refuse("the order of a set whose items are known at run time only")
        items = order_of_set(tuple(self._items_of_set), self._only_added)
        if items is None:
            refuse("the order of a set from which items were taken, or that took those of another")
        return iter(items)

    def __contains__(self, item: Any) -> bool:
        return item in self._items_of_set

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, set | frozenset):
            return NotImplemented
        return len(self) == len(other) and self.issubset(other)

    def __le__(self, other: Any) -> Any:
        return self.issubset(other) if isinstance(other, set | frozenset) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        if not isinstance(other, set | frozenset):
            return NotImplemented
        return len(self) < len(other) and self.issubset(other)

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other) if isinstance(other, set | frozenset) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        if not isinstance(other, set | frozenset):
            return NotImplemented
        return len(self) > len(other) and self.issuperset(other)

    def __or__(self, other: Any) -> Any:
        return self.union(other) if _is_set(other) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self.intersection(other) if _is_set(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.difference(other) if _is_set(other) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return self.symmetric_difference(other) if _is_set(other) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return _as_left(other, changing_set(other) | self) if _is_set(other) else NotImplemented

    def __rand__(self, other: Any) -> Any:
        return _as_left(other, changing_set(other) & self) if _is_set(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return _as_left(other, changing_set(other) - self) if _is_set(other) else NotImplemented

    def __rxor__(self, other: Any) -> Any:
        return _as_left(other, changing_set(other) ^ self) if _is_set(other) else NotImplemented

    def __ior__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.update(other)
        return self

    def __iand__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.intersection_update(other)
        return self

    def __isub__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.difference_update(other)
        return self

    def __ixor__(self, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        self.symmetric_difference_update(other)
        return self

    def __repr__(self) -> str:
        shown = ", ".join([repr(item) for item in self])
        return "{" + shown + "}" if self._items_of_set else "set()"


def _in_any_order(items: Any) -> Any:
    """What a set goes over of another one, whose order need not be known."""
    return getattr(items, "_items_of_set", items)


def _is_set(value: Any) -> bool:
    return isinstance(value, set | frozenset | KeysView)


def _as_left(left: Any, made: changing_set) -> Any:
    """What an operator gives has the class of its left operand."""
    return frozenset(made) if isinstance(left, frozenset) else made


def order_of_set(items: tuple[Any, ...], only_added: bool) -> tuple[Any, ...] | None:
    """The items in the order of a set that got them one by one, computed while compiling.

    None where the set came about in another way, and another order of coming would matter; texts
    have another order in each process.
    """
    order = tuple(_added_to_set(items))
    if not only_added and not any(isinstance(item, str | bytes) for item in items):
        others = (_added_to_set(items[::-1]), frozenset(items), set(_added_to_set(items)))
        if any(tuple(other) != order for other in others):
            return None
    return order


def _added_to_set(items: tuple[Any, ...]) -> set[Any]:
    made = set()
    for item in items:
        made.add(item)
    return made


@replaces(contextlib.ExitStack)
class ExitStack:
    """``contextlib.ExitStack``: what is called when the block is left, the last one first."""

    __symdiff_class__ = contextlib.ExitStack

    def __init__(self) -> None:
        self._leaving: list[Any] = []

    def enter_context(self, cm: Any) -> Any:
        """Enter a manager, which is left with the block; return what it gives."""
        entered = cm.__enter__()
        self._leaving.append(cm.__exit__)
        return entered

    def push(self, exit: Any) -> Any:
        """Add a manager that is left without being entered, or what is called as ``__exit__``."""
        self._leaving.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def callback(self, callback: Any, /, *args: Any, **kwds: Any) -> Any:
        """Add a call, which is told nothing of what was raised."""

        def leave(kind: Any, error: Any, traceback: Any) -> None:
            callback(*args, **kwds)

        self._leaving.append(leave)
        return callback

    def pop_all(self) -> ExitStack:
        """Move all to another stack, so that this block leaves it to be called."""
        moved = ExitStack()
        moved._leaving = self._leaving
        self._leaving = []
        return moved

    def close(self) -> None:
        """Call all now."""
        self.__exit__(None, None, None)

    def __enter__(self) -> ExitStack:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if not self._leaving:
            return False
        leave = self._leaving.pop()
        try:
            swallowed = leave(kind, error, traceback)
        except Exception as raised:
            if not self.__exit__(type(raised), raised, None):
                raise
            return True
        if swallowed and kind is not None:
            self.__exit__(None, None, None)
            return True
        return self.__exit__(kind, error, traceback)


@replaces(threading.Lock)
class lock:  # noqa: N801  its name is shown in messages
    """A lock that is made inside, for which nobody else waits."""

    __symdiff_class__ = type(threading.Lock())

    def __init__(self) -> None:
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it, if it is free."""
        if self._held and blocking:
            refuse("a lock that is acquired where it is held")
        free = not self._held
        self._held = True
        return free

    def release(self) -> None:
        """Leave it."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self) -> bool:
        """Return whether it is held."""
        return self._held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *told: Any) -> None:
        self.release()


@replaces(type(threading.RLock()))
class RLock:
    """A lock that is made inside, and may be taken again by whom holds it."""

    __symdiff_class__ = type(threading.RLock())

    def __init__(self) -> None:
        self._times = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it once more."""
        self._times += 1
        return True

    def release(self) -> None:
        """Leave it once."""
        if not self._times:
            raise RuntimeError("cannot release un-acquired lock")
        self._times -= 1

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *told: Any) -> None:
        self.release()


def inside(manager: Any, keywords: Any, function: Any) -> Any:
    """A function that is called inside a manager, which is made anew for each call."""

    @functools.wraps(function)
    def inner(*args: Any, **kwds: Any) -> Any:
        with manager(**keywords):
            return function(*args, **kwds)

    return inner


@replaces(collections._count_elements)  # type: ignore[attr-defined]
def _count_elements(mapping: Any, iterable: Any) -> None:
    """Add one to the count of each item."""
    for item in iterable:
        mapping[item] = mapping.get(item, 0) + 1


class function:  # noqa: N801  its name is shown in messages
    """What has the attributes of a function made inside, where the program gives it some."""

    __symdiff_class__ = FunctionType


# ``functools`` and ``operator`` -----------------------------------------------------------------


def dispatched(function: Any, first: Any) -> Any:
    """What a ``singledispatch`` function calls for the class of its first argument."""
    return registered_for(function.registry, type(first))


def registered_for(registry: Any, kind: Any) -> Any:
    """What is called for a class, of the functions that are registered for classes."""
    for cls in registry:
        if cls not in kind.__mro__ and issubclass(kind, cls):
            refuse(f"a singledispatch function for {cls.__name__}, which is no base class")
    return next(registry[cls] for cls in kind.__mro__ if cls in registry)


@replaces(functools._lru_cache_wrapper)
class _lru_cache_wrapper:  # noqa: N801  its name is shown in messages
    """What ``functools.lru_cache`` makes of a function: results by arguments that are known."""

    __symdiff_class__ = functools._lru_cache_wrapper

    def __init__(self, user_function: Any, maxsize: Any, typed: bool, cache_info: Any) -> None:
        self._function, self._most, self._typed = user_function, maxsize, typed
        self._info, self._hits, self._misses = cache_info, 0, 0
        self._results: dict[Any, Any] = {}

    def __call__(self, *args: Any, **kwds: Any) -> Any:
        key: Any = (args, tuple(kwds.items()))
        if self._typed:
            key = (*key, tuple([type(value) for value in (*args, *kwds.values())]))
        elif len(args) == 1 and not kwds and type(args[0]) in (int, str):
            key = args[0]  # so 1 is another key than 1.0 and True
        if key in self._results:
            self._hits += 1
            result = self._results.pop(key)
        else:
            self._misses += 1
            result = self._function(*args, **kwds)
        if self._most != 0:
            self._results[key] = result
        if self._most is not None and len(self._results) > max(self._most, 0):
            del self._results[next(iter(self._results))]
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def cache_info(self) -> Any:
        """How often a result was known, and how many are."""
        return self._info(self._hits, self._misses, self._most, len(self._results))

    def cache_clear(self) -> None:
        """Forget all results."""
        self._results.clear()
        self._hits = self._misses = 0


@replaces(operator.concat)
def concat(a: Any, b: Any) -> Any:
    """``a + b`` of sequences, which arrays are not: they neither join others nor add to them."""
    if isinstance(a, np.ndarray):
        raise TypeError(_NOT_FOR_ARRAYS)
    if not (hasattr(a, "__getitem__") and (isinstance(a, _JOINED) or hasattr(b, "__getitem__"))):
        raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
    if isinstance(a, _JOINED) and isinstance(b, (np.ndarray, np.generic)):
        kind = type(a).__name__
        raise TypeError(f'can only concatenate {kind} (not "numpy.{type(b).__name__}") to {kind}')
    return a + b


_JOINED = (list, tuple, str)  # sequences that join those of their kind only
_NOT_FOR_ARRAYS = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. "
    "Please do not rely on this error; it may not be given on all Python implementations."
)


@replaces(operator.iconcat)
def iconcat(a: Any, b: Any) -> Any:
    """``a += b`` of sequences: a list takes the items of whatever can be gone over."""
    if not isinstance(a, list):
        return concat(a, b)
    a.extend(b)
    return a


@replaces(operator.itemgetter)
def itemgetter(item: Any, *items: Any) -> Any:
    """A function that gives one item, or a tuple of several."""
    if not items:
        return lambda obj: obj[item]
    return lambda obj: tuple([obj[key] for key in (item, *items)])


@replaces(operator.attrgetter)
def attrgetter(attr: Any, *attrs: Any) -> Any:
    """A function that gives one attribute, by a path with dots, or a tuple of several."""
    if not attrs:
        return lambda obj: _along(obj, attr)
    return lambda obj: tuple([_along(obj, path) for path in (attr, *attrs)])


def _along(obj: Any, path: str) -> Any:
    for name in path.split("."):
        obj = getattr(obj, name)
    return obj


@replaces(operator.methodcaller)
def methodcaller(name: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A function that calls a method with arguments that are given beforehand."""
    return lambda obj: getattr(obj, name)(*args, **kwargs)


# ``math`` and ``cmath`` -----------------------------------------------------------------------


@replaces(math.frexp)
def frexp(x: Any, /) -> tuple[float, int]:
    """The mantissa of a number and its exponent."""
    mantissa, exponent = np.frexp(float(x))
    return float(mantissa), int(exponent)


@replaces(math.modf)
def modf(x: Any, /) -> tuple[float, float]:
    """What stands behind the point of a number, and the whole part."""
    part, whole = np.modf(float(x))
    return float(part), float(whole)


@replaces(cmath.isclose)
def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """Whether two complex numbers differ by little."""
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    a, b = complex(a), complex(b)
    if a == b:
        return True
    if cmath.isinf(a) or cmath.isinf(b):
        return False
    apart = abs(a - b)
    return apart <= rel_tol * abs(b) or apart <= rel_tol * abs(a) or apart <= abs_tol


# ``itertools`` --------------------------------------------------------------------------------


def mapped(function, *iterables):
    """``map``, whose calls are expressions."""
    if len(iterables) == 1:
        return (function(item) for item in iterables[0])
    return (function(*items) for items in zip(*iterables))  # noqa: B905 - as map does


def from_the_last(sequence: Any) -> Iterator[Any]:
    """``reversed`` of an object with a length and items."""
    for k in range(len(sequence) - 1, -1, -1):
        yield sequence[k]


def called_until(function: Any, sentinel: Any) -> Iterator[Any]:
    """``iter`` of a function: what its calls give, until that is the sentinel."""
    while True:
        try:
            found = function()
        except StopIteration:
            return
        if found in (sentinel,):
            return
        yield found


def slice_indices(self: slice, length: Any, /) -> tuple[Any, Any, Any]:
    """``slice.indices``."""
    length = operator.index(length)
    step = 1 if self.step is None else operator.index(self.step)
    if length < 0:
        raise ValueError("length should not be negative")
    if step == 0:
        raise ValueError("slice step cannot be zero")
    lower, upper = (0, length) if step > 0 else (-1, length - 1)
    first, last = (lower, upper) if step > 0 else (upper, lower)
    start = first if self.start is None else _between(self.start, length, lower, upper)
    stop = last if self.stop is None else _between(self.stop, length, lower, upper)
    return start, stop, step


def _between(index: Any, length: Any, lower: Any, upper: Any) -> Any:
    index = operator.index(index)
    return max(index + length, lower) if index < 0 else min(index, upper)


@replaces(itertools.compress)
def compress(data: Any, selectors: Any) -> Iterator[Any]:
    """The items beside which a selector is true."""
    return (item for item, selected in zip(data, selectors) if selected)  # noqa: B905


@replaces(itertools.filterfalse)
def filterfalse(function: Any, iterable: Any) -> Iterator[Any]:
    """The items for which a condition does not hold; without one, those that are not true."""
    if function is None:
        return (item for item in iterable if not item)
    return (item for item in iterable if not function(item))


@replaces(itertools.takewhile)
def takewhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    """The items before the first one for which a condition does not hold."""
    for item in iterable:
        if not predicate(item):
            break
        yield item


@replaces(itertools.dropwhile)
def dropwhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    """The items from the first one on for which a condition does not hold."""
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


if hasattr(itertools, "batched"):  # from Python 3.12 on

    @replaces(itertools.batched)
    def batched(iterable: Any, n: int, *, strict: bool = False) -> Iterator[Any]:
        """The items in tuples of so many."""
        if n < 1:
            raise ValueError("n must be at least one")
        return _in_batches(iter(iterable), n, strict)


def _in_batches(iterator: Any, n: int, strict: bool) -> Iterator[Any]:
    while batch := tuple(itertools.islice(iterator, n)):
        if strict and len(batch) != n:
            raise ValueError("batched(): incomplete batch")
        yield batch


# Arrays ---------------------------------------------------------------------------------------


@replaces(np.ndarray)
def ndarray(shape: Any, dtype: Any = float, buffer: None = None, *, order: Any = "C") -> Any:
    """A new array, whose elements are to be written."""
    if buffer is not None:
        refuse("an array in a buffer")
    return np.empty(shape, dtype, order=order or "C")
