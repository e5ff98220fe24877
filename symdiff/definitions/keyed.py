"""Dicts whose keys are known at run time only: two lists, of the keys and of what they stand for.

A key is looked for among the keys as a dict finds it: by equality, or as the same object. The list
of keys remembers where they stand (``optimise.keyed_lists``).

>>> import symdiff
>>> def f(x):
...     squares = {}
...     for v in (x, 2.0 * x, x):
...         squares[v] = squares.get(v, 0.0) + v * v
...     return len(squares) * sum(squares.values())
>>> symdiff.grad(f)(3.0)
72.0
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Iterator
from typing import Any

from symdiff.definitions.declare import refuse


def as_key(key: Any) -> Any:
    """A key as it is kept: numbers and texts, or tuples of them."""
    raise NotImplementedError(key)


def place_of(keys: list[Any], key: Any) -> int:
    """Where a key stands among others; -1 where it does not."""
    raise NotImplementedError(keys, key)


def is_keyed(mapping: Any) -> bool:
    """Whether a dict has keys that are known at run time only."""
    raise NotImplementedError(mapping)


class keyed_dict:  # noqa: N801  its name is shown in messages
    """``dict``, where the program has keys that are known at run time only."""

    __symdiff_class__: Any = dict
    __symdiff_returned__ = (
        "a dict whose keys are known at run time only",
        "return lists of them: list(d), list(d.values())",
    )
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, /, *others: Any, **more: Any) -> None:
        self._keys: list[Any] = []
        self._contents: list[Any] = []
        self.update(*others, **more)

    def _place(self, key: Any) -> int:
        return place_of(self._keys, as_key(key))

    def __getitem__(self, key: Any) -> Any:
        place = self._place(key)
        if place < 0:
            return self.__missing__(key)
        return self._contents[place]

    def __missing__(self, key: Any) -> Any:
        raise KeyError(key)

    def __setitem__(self, key: Any, content: Any) -> None:
        place = self._place(key)
        if place < 0:
            self._append(key, content)
        else:
            self._contents[place] = content

    def _append(self, key: Any, content: Any) -> None:
        self._keys.append(as_key(key))
        self._contents.append(content)

    def __delitem__(self, key: Any) -> None:
        self._take(key)

    def _take(self, key: Any) -> Any:
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        self._keys.pop(place)
        return self._contents.pop(place)

    def __contains__(self, key: Any) -> bool:
        return self._place(key) >= 0

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Any:
        return keys_of(self)

    def __reversed__(self) -> Any:
        return reversed(list(self._keys))

    def __eq__(self, other: object) -> Any:
        refuse("a comparison of dicts with keys that are known at run time only")

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def get(self, key: Any, default: Any = None) -> Any:
        """Return what a key stands for, or else the default."""
        place = self._place(key)
        return default if place < 0 else self._contents[place]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return what a key stands for, which becomes the default where it is not there."""
        place = self._place(key)
        if place < 0:
            self._append(key, default)
            return default
        return self._contents[place]

    def pop(self, key: Any, *default: Any) -> Any:
        """Return what a key stands for, which is there no more, or else the default."""
        if default and self._place(key) < 0:
            return default[0]
        return self._take(key)

    def popitem(self) -> Any:
        """Return the last item, which is there no more."""
        if not self._keys:
            raise KeyError("popitem(): dictionary is empty")
        return (self._keys.pop(), self._contents.pop())

    def update(self, /, *others: Any, **more: Any) -> None:
        """Take the items of another dict, or pairs."""
        for other in others:
            for key, content in pairs_of(other):
                self[key] = content
        for key, content in more.items():
            self[key] = content

    def clear(self) -> None:
        """Take all items away."""
        self._keys.clear()
        self._contents.clear()

    def copy(self) -> Any:
        """Return another one of the same items."""
        made = self._like()
        made._keys, made._contents = list(self._keys), list(self._contents)
        return made

    __copy__ = copy

    def _like(self) -> Any:
        return keyed_dict()

    def keys(self) -> Any:
        """Return the keys, as they are when they are asked for."""
        return keyed_view(self, keys_of)

    def values(self) -> Any:
        """Return what the keys stand for, as it is when it is asked for."""
        return keyed_view(self, contents_of)

    def items(self) -> Any:
        """Return the pairs, as they are when they are asked for."""
        return keyed_view(self, items_of)


class keyed_ordered(keyed_dict):  # noqa: N801
    """``OrderedDict``, the same."""

    __symdiff_class__ = collections.OrderedDict

    def _like(self) -> Any:
        return keyed_ordered()

    def popitem(self, last: bool = True) -> Any:
        """Return the last item, or the first one, which is there no more."""
        if not self._keys:
            raise KeyError("dictionary is empty")
        place = -1 if last else 0
        return (self._keys.pop(place), self._contents.pop(place))

    def move_to_end(self, key: Any, last: bool = True) -> None:
        """Move an item behind all others, or before them."""
        content = self._take(key)
        place = len(self._keys) if last else 0
        self._keys.insert(place, as_key(key))
        self._contents.insert(place, content)


class keyed_default(keyed_dict):  # noqa: N801
    """``defaultdict``, the same."""

    __symdiff_class__ = collections.defaultdict

    def __init__(self, default_factory: Any = None, /, *others: Any, **more: Any) -> None:
        self.default_factory = default_factory
        super().__init__(*others, **more)

    def __missing__(self, key: Any) -> Any:
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = content = self.default_factory()
        return content

    def _like(self) -> Any:
        return keyed_default(self.default_factory)


class keyed_counter(keyed_dict):  # noqa: N801
    """``Counter``, the same."""

    __symdiff_class__ = collections.Counter

    def _like(self) -> Any:
        return keyed_counter()

    def __missing__(self, key: Any) -> int:
        return 0

    def update(self, iterable: Any = None, /, **more: Any) -> None:
        """Count items, or add the counts of another one."""
        for key, count in counts_in(iterable, more):
            self[key] = count + self.get(key, 0)

    def subtract(self, iterable: Any = None, /, **more: Any) -> None:
        """Take items, or the counts of another one, off the counts."""
        for key, count in counts_in(iterable, more):
            self[key] = self.get(key, 0) - count

    def __delitem__(self, key: Any) -> None:
        self.pop(key, None)

    def _joined(self, other: Any, join: Any) -> Any:
        """The positive ones of the counts that two counters join to, key by key."""
        made = keyed_counter()
        for key, count in self.items():
            found = join(count, other[key])
            if found > 0:
                made[key] = found
        for key, count in other.items():
            found = join(0, count)
            if key not in self and found > 0:
                made[key] = found
        return made

    def __add__(self, other: Any) -> Any:
        return self._joined(other, operator.add) if is_counter(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self._joined(other, operator.sub) if is_counter(other) else NotImplemented

    def __or__(self, other: Any) -> Any:
        return self._joined(other, max) if is_counter(other) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self._joined(other, min) if is_counter(other) else NotImplemented

    def _become(self, other: Any, join: Any) -> Any:
        """Hold what joining another counter gives, under all names of this one."""
        if not is_counter(other):
            refuse("a Counter with keys that are known at run time only, changed by what is none")
        made = self._joined(other, join)
        self._keys, self._contents = made._keys, made._contents
        return self

    def __iadd__(self, other: Any) -> Any:
        return self._become(other, operator.add)

    def __isub__(self, other: Any) -> Any:
        return self._become(other, operator.sub)

    def __ior__(self, other: Any) -> Any:
        return self._become(other, max)

    def __iand__(self, other: Any) -> Any:
        return self._become(other, min)

    def __pos__(self) -> Any:
        return self._joined(keyed_counter(), operator.add)

    def __neg__(self) -> Any:
        return keyed_counter()._joined(self, operator.sub)

    def total(self) -> Any:
        """Return the sum of all counts."""
        return sum(self._contents)

    def most_common(self, n: Any = None) -> Any:
        """Return the pairs by falling counts, or the first ``n``."""
        pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
        return pairs if n is None else pairs[: max(n, 0)]

    def elements(self) -> Iterator[Any]:
        """Go over each key as often as it was counted."""
        return iter([key for key, count in self.items() for _ in range(count)])


CLASSES: dict[type, type[keyed_dict]] = {
    cls.__symdiff_class__: cls for cls in (keyed_dict, keyed_ordered, keyed_default, keyed_counter)
}


def from_keys(made: Any, keys: Any, content: Any = None) -> Any:
    """``dict.fromkeys``: a new dict, filled."""
    for key in keys:
        made[key] = content
    return made


def is_counter(other: Any) -> bool:
    """Return whether an operand is a ``Counter``."""
    return isinstance(other, collections.Counter)


def counts_in(iterable: Any, more: dict[str, Any]) -> Any:
    """The pairs of keys and counts that a ``Counter`` is given."""
    given = list(more.items())
    if iterable is None:
        return given
    if isinstance(iterable, dict):
        return list(iterable.items()) + given
    return [(item, 1) for item in iterable] + given


def pairs_of(other: Any) -> Any:
    """The pairs that a dict is filled from."""
    if isinstance(other, dict):
        return other.items()
    if hasattr(other, "keys"):
        return [(key, other[key]) for key in other.keys()]  # noqa: SIM118
    return other


def keys_of(mapping: keyed_dict) -> Iterator[Any]:
    """The keys, which stay as many while they are gone over."""
    count = len(mapping._keys)
    for key in list(mapping._keys):
        yield key
        require_as_many(mapping, count)


def contents_of(mapping: keyed_dict) -> Iterator[Any]:
    """What the keys stand for."""
    count = len(mapping._keys)
    for place in range(count):
        yield mapping._contents[place]
        require_as_many(mapping, count)


def items_of(mapping: keyed_dict) -> Iterator[Any]:
    """The pairs."""
    count = len(mapping._keys)
    for place in range(count):
        yield mapping._keys[place], mapping._contents[place]
        require_as_many(mapping, count)


def require_as_many(mapping: keyed_dict, count: int) -> None:
    """Raise what Python raises where keys come or go while a dict is gone over."""
    if len(mapping._keys) != count:
        raise RuntimeError("dictionary changed size during iteration")


class keyed_view:  # noqa: N801
    """The keys, the contents or the pairs of a dict."""

    def __init__(self, mapping: keyed_dict, shown: Any) -> None:
        self._mapping = mapping
        self._shown = shown

    def __iter__(self) -> Any:
        return self._shown(self._mapping)

    def __reversed__(self) -> Any:
        return reversed(list(self._shown(self._mapping)))

    def __len__(self) -> int:
        return len(self._mapping)

    def __contains__(self, item: Any) -> bool:
        if self._shown is keys_of:
            return item in self._mapping
        return item in self._shown(self._mapping)

    def __eq__(self, other: object) -> Any:
        refuse("a comparison of the keys or items of a dict that are known at run time only")

    def _as_set(self, other: Any) -> Any:
        refuse("keys or items that are known at run time only, taken as a set")

    __and__ = __or__ = __xor__ = __sub__ = isdisjoint = _as_set
    __rand__ = __ror__ = __rxor__ = __rsub__ = _as_set
    __lt__ = __le__ = __gt__ = __ge__ = _as_set

    __hash__ = None  # type: ignore[assignment]


def counted_in(items: list[Any], item: Any) -> int:
    """``items.count(item)`` of a list of a length that is known at run time only."""
    return sum([1 for other in items if other == item])


def removed_from(items: list[Any], item: Any) -> None:
    """``items.remove(item)`` of such a list."""
    place = items.index(item)
    items.pop(place)


def order_of(keys: list[Any], reverse: bool) -> list[int]:
    """The places of keys in their order, as Python's own sort finds it."""
    raise NotImplementedError(keys, reverse)


def sorted_list(items: list[Any], key: Any, reverse: bool) -> list[Any]:
    """A list of a length that is known at run time only, sorted."""
    keys = items if key is None else [key(item) for item in items]
    return [items[place] for place in order_of(keys, reverse)]
