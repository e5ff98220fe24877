"""Where elements come from: a graph of single elements, and the pattern that it tells.

Each element of an array has a *number*. 0 stands for elements that depend on nothing, 1 to
``count`` for those of the input; a further number is made for elements that depend on those of
lower numbers. So an array of numbers says what an array depends on, and what only moves elements
moves their numbers. Nothing is united before the pattern is asked for: a sum over n elements, made
one by one, takes n steps, not n² / 2.

>>> origins = Origins(3)
>>> ids = origins.inputs()
>>> pattern = origins.pattern(origins.united(ids[1:], ids[:-1]))
>>> pattern.starts.tolist(), pattern.columns.tolist()
([0, 2, 4], [0, 1, 1, 2])
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdiff.dataclass import dataclass

Ids = np.ndarray
_INTEGER = np.dtype(np.int64)
NOTHING = np.zeros((), _INTEGER)  # the number of what depends on nothing


@dataclass(frozen=True, slots=True)
class Pattern:
    """The places that may be nonzero, row by row: ``columns[starts[i]:starts[i + 1]]``, sorted."""

    starts: np.ndarray
    columns: np.ndarray
    width: int

    @property
    def height(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> np.ndarray:
        """The row of each place."""
        return np.repeat(np.arange(self.height), np.diff(self.starts))

    @property
    def is_symmetric(self) -> bool:
        """True if each place has one across the diagonal."""
        other = self.transposed()
        return self.height == self.width and np.array_equal(self.columns, other.columns)

    def transposed(self) -> Pattern:
        """The pattern with rows for columns."""
        order = np.argsort(self.columns, kind="stable")
        counts = np.bincount(self.columns, minlength=self.width)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return Pattern(starts, self.rows[order], self.height)


class TooManyPlaces(Exception):  # noqa: N818 - told by who asks, in the user's words
    """A pattern has more places than could be held."""


class Origins:
    """The elements that were made of others, for an input of ``count`` elements."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._next = count + 1
        self._lengths: list[np.ndarray] = []  # of runs of elements: of how many each is made
        self._parents: list[np.ndarray] = []  # of the same runs: the numbers of these
        self._few_lengths: list[int] = []  # of elements made one by one since the last run
        self._few_parents: list[int] = []

    def inputs(self) -> Ids:
        """The numbers of the input's elements."""
        return np.arange(1, self.count + 1, dtype=_INTEGER)

    # Making elements

    def united(self, *given: Ids) -> Ids:
        """The elements that depend on those in the same place of arrays, which broadcast."""
        if all(ids.ndim == 0 for ids in given):
            return self._one({int(ids) for ids in given})
        shape = np.broadcast_shapes(*(ids.shape for ids in given))
        active = [ids for ids in given if ids.any()]
        if not active:
            return np.broadcast_to(NOTHING, shape)
        first, *others = active
        if all(ids is first for ids in others):
            return first if first.shape == shape else np.broadcast_to(first, shape)
        wide = [np.broadcast_to(ids, shape).ravel() for ids in active]
        return self.united_along(np.stack(wide, axis=-1)).reshape(shape)

    def united_along(self, ids: Ids) -> Ids:
        """The elements that depend on all those along the last axis."""
        shape, width = ids.shape[:-1], ids.shape[-1]
        if not width or not ids.any():
            return np.broadcast_to(NOTHING, shape)
        table = ids.reshape(-1, width)
        made: Ids = table.max(axis=1)
        several = ((table != made[:, None]) & (table != 0)).any(axis=1)
        if several.any():
            parents = table[several]
            lengths = np.full(len(parents), width, _INTEGER)
            made[several] = self._made(lengths, parents.ravel())
        return made.reshape(shape)

    def gathered(self, ids: Ids, places: np.ndarray, count: int) -> Ids:
        """``count`` elements, the k-th of which depends on those whose place is k."""
        ids, places = ids.ravel(), places.ravel()
        ids, places = ids[ids != 0], places[ids != 0]
        order = np.argsort(places, kind="stable")
        lengths = np.bincount(places, minlength=count)
        made = np.zeros(count, _INTEGER)
        made[lengths > 0] = self._made(lengths[lengths > 0], ids[order])
        return made

    def running(self, ids: Ids) -> Ids:
        """The elements that depend on those up to their place along the last axis."""
        made = np.array(ids)
        for k in range(1, ids.shape[-1]):
            made[..., k] = self.united(made[..., k - 1], ids[..., k])
        return made

    def all_of(self, given: Sequence[Ids]) -> Ids:
        """The number of an element that depends on all others given."""
        flat = [np.unique(ids) for ids in given]
        return self.united_along(np.unique(np.concatenate([NOTHING[None], *flat])))

    def _one(self, numbers: set[int]) -> Ids:
        """An element of its own that depends on others."""
        numbers.discard(0)
        if len(numbers) < 2:
            return np.array(numbers.pop(), _INTEGER) if numbers else NOTHING
        self._few_lengths.append(len(numbers))
        self._few_parents.extend(numbers)
        self._next += 1
        return np.array(self._next - 1, _INTEGER)

    def _made(self, lengths: np.ndarray, parents: np.ndarray) -> Ids:
        self._flush()
        first = self._next
        self._next += len(lengths)
        self._lengths.append(lengths)
        self._parents.append(parents)
        return np.arange(first, self._next, dtype=_INTEGER)

    def _flush(self) -> None:
        """Make a run of the elements that were made one by one."""
        if self._few_lengths:
            self._lengths.append(np.array(self._few_lengths, _INTEGER))
            self._parents.append(np.array(self._few_parents, _INTEGER))
            self._few_lengths, self._few_parents = [], []

    # The pattern

    def pattern(self, ids: Ids, most: int = 2**28) -> Pattern:
        """The places of the input that each of these elements depends on.

        :raises TooManyPlaces: where there are more than ``most``.
        """
        self._flush()
        roots = ids.ravel()
        ends = np.arange(self._next, self._next + len(roots))
        lengths = np.concatenate([np.zeros(0, _INTEGER), *self._lengths])
        children = np.concatenate([np.repeat(np.arange(self.count + 1, self._next), lengths), ends])
        parents = np.concatenate([np.zeros(0, _INTEGER), *self._parents, roots])
        children, parents = _read(children, parents, ends)
        children, parents = _without_single(children, parents, self.count, ends)
        return _resolved(self.count, children, parents, ends, most)


def _read(
    children: np.ndarray, parents: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The edges that lead to the ends: those have the last numbers."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    # 0, which nothing depends on, stands for who reads the ends
    below = np.concatenate([children, np.zeros(len(ends), _INTEGER)])
    above = np.concatenate([parents, ends])
    kept = above != 0
    total = (int(ends[-1]) if len(ends) else int(children.max(initial=0))) + 1
    edges = csr_array((np.ones(int(kept.sum())), (below[kept], above[kept])), (total, total))
    read = np.zeros(total, bool)
    read[breadth_first_order(edges, 0, return_predecessors=False)] = True
    wanted = read[children] & (parents != 0)
    return children[wanted], parents[wanted]


def _without_single(
    children: np.ndarray, parents: np.ndarray, inputs: int, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The edges once elements that one other alone depends on have become part of that."""
    total = int(ends[-1]) + 1 if len(ends) else 1
    single = np.bincount(parents, minlength=total) == 1
    single[: inputs + 1] = False
    inside = single[parents]
    holder = np.arange(total)
    holder[parents[inside]] = children[inside]
    above = holder[holder]
    while not np.array_equal(above, holder):
        holder, above = above, above[above]
    return holder[children[~inside]], parents[~inside]


def _resolved(
    inputs: int, children: np.ndarray, parents: np.ndarray, ends: np.ndarray, most: int
) -> Pattern:
    """The rows of ``ends``, from the edges that lead to them: those of the input come first."""
    from scipy.sparse import csr_array

    nodes = np.unique(np.concatenate([np.arange(1, inputs + 1), children, ends]))
    child, parent = np.searchsorted(nodes, children), np.searchsorted(nodes, parents)
    edges = csr_array((np.ones(len(child), bool), (child, parent)), (len(nodes), len(nodes)))
    readers = edges.T.tocsr()
    missing = np.diff(edges.indptr)
    rows = _Rows(inputs, most)
    place = np.zeros(len(nodes), _INTEGER)  # of a node's row: the first is empty
    ready = np.arange(inputs)
    place[ready] = ready + 1
    while ready.size:
        told = _taken(readers.indptr, readers.indices, ready)[1]
        found, times = np.unique(told, return_counts=True)
        missing[found] -= times
        ready = found[missing[found] == 0]
        starts, above = _taken(edges.indptr, edges.indices, ready)
        place[ready] = rows.unite(starts, place[above])
    return Pattern(*rows.of(place[np.searchsorted(nodes, ends)]), inputs)


class _Rows:
    """Rows of a pattern, one after another in a table that grows: an empty one, those of the
    input's elements, and unions of rows before.
    """

    def __init__(self, inputs: int, most: int) -> None:
        self.inputs, self.most = inputs, most
        self.starts = np.concatenate([[0], np.arange(inputs + 1)])
        self.columns = np.arange(inputs)
        self.count, self.places = inputs + 1, inputs

    def unite(self, starts: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The places of new rows: the unions of ``rows[starts[k]:starts[k + 1]]``."""
        from scipy.sparse import csr_array

        if (self.starts[rows + 1] - self.starts[rows]).sum() > 8 * self.most:
            raise TooManyPlaces
        distinct, numbers = np.unique(rows, return_inverse=True)
        begins, columns = self.of(distinct)
        one = np.ones(max(len(numbers), len(columns)), bool)
        shape = len(starts) - 1, len(distinct)
        which = csr_array((one[: len(numbers)], numbers, starts), shape)
        given = csr_array((one[: len(columns)], columns, begins), (len(distinct), self.inputs))
        made = which @ given
        made.sort_indices()
        return self._append(np.diff(made.indptr), made.indices)

    def _append(self, lengths: np.ndarray, columns: np.ndarray) -> np.ndarray:
        first, last = self.count, self.count + len(lengths)
        self.starts = _with_room(self.starts, first + 1, last + 1)
        self.starts[first + 1 : last + 1] = self.places + np.cumsum(lengths)
        self.columns = _with_room(self.columns, self.places, self.places + len(columns))
        self.columns[self.places : self.places + len(columns)] = columns
        self.count, self.places = last, self.places + len(columns)
        return np.arange(first, last)

    def of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows, one after another: where they start, and their columns."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        if lengths.sum() > self.most:
            raise TooManyPlaces
        return _taken(self.starts, self.columns, rows)


def _with_room(buffer: np.ndarray, used: int, wanted: int) -> np.ndarray:
    """A buffer with at least as many places as are wanted, and what it holds."""
    if wanted <= len(buffer):
        return buffer
    larger = np.empty(max(wanted, 2 * len(buffer)), _INTEGER)
    larger[:used] = buffer[:used]
    return larger


def _taken(
    starts: np.ndarray, items: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a table that is ``items[starts[k]:starts[k + 1]]``, as such a table."""
    begins = starts[rows]
    lengths = starts[rows + 1] - begins
    ends = np.cumsum(lengths)
    places = np.arange(int(lengths.sum())) + np.repeat(begins - (ends - lengths), lengths)
    return np.concatenate([[0], ends]), items[places]
