"""Iterators of Python's over what is only given one after the other, as generators.

``zip`` of two generators asks each for an element in turn. Each of these is suspended at its
``yield``, as what it is made of is.
"""

from __future__ import annotations

import contextlib
import functools
import heapq
import itertools
import sys
from collections.abc import Iterator
from typing import Any

from symdiff.definitions.declare import refuse
from symdiff.definitions.groups import grouped_list
from symdiff.definitions.in_order import AS_GENERATORS, spells
from symdiff.definitions.in_python import IN_PYTHON, replaces

END = object()  # what stands for the end of an iterator

__all__ = ["AS_GENERATORS", "END", "IN_PYTHON"]


@spells(zip)
def zipped(*iterables: Any, strict: bool = False) -> Iterator[Any]:
    """``zip``: an element of each, up to the end of the first that is over."""
    iterators = [iter(iterable) for iterable in iterables]
    while iterators:
        items: list[Any] = []
        for iterator in iterators:
            item = next(iterator, END)
            if item is END:
                if strict:
                    _require_all_over(iterators, len(items))
                return
            items.append(item)
        yield tuple(items)


def _require_all_over(iterators: list[Any], over: int) -> None:
    """Raise what a strict ``zip`` does where only some of its iterators are over."""
    before = "argument 1" if over == 1 else f"arguments 1-{over}"
    if over > 0:
        raise ValueError(f"zip() argument {over + 1} is shorter than {before}")
    for place in range(1, len(iterators)):
        if next(iterators[place], END) is not END:
            before = "argument 1" if place == 1 else f"arguments 1-{place}"
            raise ValueError(f"zip() argument {place + 1} is longer than {before}")


@spells(itertools.zip_longest)
def longest(*iterables: Any, fillvalue: Any = None) -> Iterator[Any]:
    """``itertools.zip_longest``: an element of each, up to the end of the last."""
    iterators = [iter(iterable) for iterable in iterables]
    over = [False] * len(iterators)
    while True:
        items: list[Any] = []
        for place in range(len(iterators)):
            item = END if over[place] else next(iterators[place], END)
            over[place] = item is END
            items.append(fillvalue if item is END else item)
        if all(over):
            return
        yield tuple(items)


@spells(map)
def mapped(function: Any, *iterables: Any) -> Iterator[Any]:
    """``map``: what a function gives of an element of each."""
    for items in zipped(*iterables):
        yield function(*items)


@spells(itertools.accumulate)
def accumulated(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    """``itertools.accumulate``: the totals of all elements up to each."""
    iterator = iter(iterable)
    total = next(iterator, END) if initial is None else initial
    if total is END:
        return
    yield total
    for item in iterator:
        total = total + item if func is None else func(total, item)
        yield total


@spells(itertools.cycle)
def cycled(iterable: Any) -> Iterator[Any]:
    """``itertools.cycle``: the elements again and again."""
    saved = []
    for item in iterable:
        saved.append(item)
        yield item
    while saved:
        for item in saved:
            yield item


@spells(itertools.pairwise)
def paired(iterable: Any) -> Iterator[Any]:
    """``itertools.pairwise``: each element with the one before it."""
    before = END
    for item in iterable:
        if before is not END:
            yield before, item
        before = item


@spells(itertools.islice)
def sliced(iterable: Any, *bounds: Any) -> Iterator[Any]:
    """``itertools.islice``: the elements of a slice; those before and between are gone over."""
    known = slice(*bounds)
    wanted, step = known.start or 0, known.step or 1
    place, iterator = 0, iter(iterable)
    while known.stop is None or place < known.stop:
        item = next(iterator, END)
        if item is END:
            return
        place += 1
        if place == wanted + 1:
            wanted += step
            yield item


@replaces(itertools.tee)
def tee(iterable: Any, n: int = 2) -> Any:
    """``itertools.tee``: iterators that share what the first to ask has been given."""
    if n < 0:
        raise ValueError("n must be >= 0")
    iterator = iter(iterable)
    given: list[Any] = []
    return tuple([told_again(iterator, given) for _ in range(n)])


def told_again(iterator: Any, given: list[Any]) -> Iterator[Any]:
    """The elements of an iterator, those first that were given before."""
    place = 0
    while True:
        if place == len(given):
            item = next(iterator, END)
            if item is END:
                return
            given.append(item)
        yield given[place]
        place += 1


def closed(generator: Any) -> Any:
    """``generator.close()``, of one that is suspended where something is left to do."""
    try:
        generator.throw(GeneratorExit())
    except GeneratorExit:
        return None
    except StopIteration as stop:
        return stop.value if _TELLS_ON_CLOSING else None
    raise RuntimeError("generator ignored GeneratorExit")


_TELLS_ON_CLOSING = sys.version_info >= (3, 13)


@replaces(contextlib._GeneratorContextManager)
class GeneratorManager:
    """What a function of ``contextlib.contextmanager`` gives, where it is no ``with`` statement's.

    That enters and leaves it by its methods: of an ``ExitStack``, or of a suspended generator. As a
    decorator it is made anew for each call.
    """

    __symdiff_class__ = contextlib._GeneratorContextManager

    def __init__(self, func: Any, args: Any, kwds: Any) -> None:
        self.func, self.args, self.kwds = func, args, kwds
        self.gen = func(*args, **kwds)

    def __call__(self, func: Any) -> Any:
        @functools.wraps(func)
        def inner(*args: Any, **kwds: Any) -> Any:
            with contextlib._GeneratorContextManager(self.func, self.args, self.kwds):
                return func(*args, **kwds)

        return inner

    def __enter__(self) -> Any:
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(kind, error)
        except StopIteration as stop:
            return stop is not error
        except RuntimeError as raised:
            if raised is error:
                return False
            if isinstance(error, StopIteration) and raised.__cause__ is error:
                return False
            raise
        except BaseException as raised:
            if raised is not error:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


class Groups:
    """What ``groupby`` has come to: the next element, its key, and the number of its group."""

    def __init__(self, iterator: Any, key: Any) -> None:
        self.iterator, self.key_of, self.number = iterator, key, 0
        self.advance()

    def advance(self) -> None:
        """Go on to the next element."""
        item = next(self.iterator, END)
        self.item = item
        if item is not END:
            self.key = item if self.key_of is None else self.key_of(item)


@replaces(itertools.groupby)
def groupby(iterable: Any, key: Any = None) -> Any:
    """``itertools.groupby``: keys, with the elements that have them one after the other."""
    if isinstance(iterable, list | tuple):
        return grouped_list(iterable, key)
    return grouped(iter(iterable), key)


def grouped(iterator: Any, key: Any) -> Iterator[Any]:
    """The groups; what is left of one is gone over before the next."""
    groups = Groups(iterator, key)
    while groups.item is not END:
        groups.number += 1
        present = groups.key
        yield present, group(groups, groups.number, present)
        for _ in group(groups, groups.number, present):
            pass


def group(groups: Any, number: int, key: Any) -> Iterator[Any]:
    """The elements of a group, while it is the present one."""
    while groups.number == number and groups.item is not END and groups.key == key:
        yield groups.item
        groups.advance()


@replaces(heapq.merge)
def merge(*iterables: Any, key: Any = None, reverse: bool = False) -> Iterator[Any]:
    """``heapq.merge``: the elements of what is in order, in order."""
    if reverse:
        refuse("heapq.merge with reverse=True")
    heap = []
    for number, iterable in enumerate(iterables):
        source = iter(iterable)
        item = next(source, END)
        if item is not END:
            heap.append([item if key is None else key(item), number, item, source])
    heapq.heapify(heap)
    while heap:
        _, number, item, source = heap[0]
        yield item
        item = next(source, END)
        if item is END:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, [item if key is None else key(item), number, item, source])


def contains(iterator: Any, value: Any) -> bool:
    """``value in iterator``, which goes on to where the value is."""
    for item in iterator:  # noqa: SIM110
        if value in (item,):
            return True
    return False
