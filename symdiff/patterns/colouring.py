"""Colouring: columns that one sweep serves get one colour, so that few sweeps give all entries.

Columns that have no row in common can share a sweep (Curtis, Powell and Reid 1974; Coleman and Moré
1983). Of a symmetric matrix each entry stands in two places and has to be alone in one of them: a
star colouring (Coleman and Moré 1984), in which every path of four columns has three colours.

Both are greedy, in the order of the columns and by falling number of entries (Welsh and Powell
1967), of which the better is taken. A set of colours is an integer with a bit for each, so that a
colouring takes one step an entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symdiff.patterns.origins import Pattern

Colours = np.ndarray


def coloured_columns(pattern: Pattern) -> Colours:
    """A colour for each column: columns of one colour have no row in common."""
    rows = pattern.transposed()
    enough = int(np.diff(pattern.starts).max(initial=0))
    return _best(rows, enough, lambda order: _greedy(pattern, rows, order))


def _best(columns: Pattern, enough: int, coloured: Callable[[Sequence[int]], Colours]) -> Colours:
    """The colouring in the order of the columns, or by falling number of entries, if the first has
    more colours than are enough and the second has fewer.
    """
    found = coloured(range(columns.height))
    if found.max(initial=-1) < enough:
        return found
    other = coloured(np.argsort(-np.diff(columns.starts), kind="stable").tolist())
    return min(found, other, key=lambda colours: colours.max(initial=0))


def _greedy(pattern: Pattern, rows: Pattern, order: Sequence[int]) -> Colours:
    """The first colour for each column that no other in its rows has."""
    taken = [0] * pattern.height
    colours = np.zeros(pattern.width, int)
    places, starts = rows.columns.tolist(), rows.starts.tolist()
    for column in order:
        own = places[starts[column] : starts[column + 1]]
        used = 0
        for row in own:
            used |= taken[row]
        colours[column], bit = _first_free(used)
        for row in own:
            taken[row] |= bit
    return colours


def _first_free(used: int) -> tuple[int, int]:
    """The first colour that is not in a set, and the set of it."""
    bit = ~used & (used + 1)
    return bit.bit_length() - 1, bit


def star_coloured(pattern: Pattern) -> Colours:
    """A colour for each column of a symmetric pattern: no two columns have an entry in common, and
    each entry is the only one of its colour in its row, or in its column.
    """
    enough = int(np.diff(pattern.starts).max(initial=0))
    return _best(pattern, enough, lambda order: _Stars(pattern).coloured(order))


class _Stars:
    """Columns as vertices, entries as edges. Edges between two colours are stars: each has a hub,
    and vertices that end at it.
    """

    def __init__(self, pattern: Pattern) -> None:
        count = pattern.height
        self.places, self.starts = pattern.columns.tolist(), pattern.starts.tolist()
        self.colour = [-1] * count
        self.beside = [0] * count  # the colours of a vertex's neighbours
        self.hubs = [0] * count  # the colours of the hubs of stars at which it ends, with others
        self.first: dict[tuple[int, int], int] = {}  # a vertex's first neighbour of a colour

    def coloured(self, order: Sequence[int]) -> Colours:
        """The colours, given in this order."""
        for vertex in order:
            row = self.places[self.starts[vertex] : self.starts[vertex + 1]]
            near = [other for other in row if other != vertex and self.colour[other] >= 0]
            colour, bit = _first_free(self._forbidden(near))
            self.colour[vertex] = colour
            self._join(vertex, near, colour, bit)
        return np.array(self.colour, int)

    def _forbidden(self, near: Sequence[int]) -> int:
        """The colours that would give a path of four vertices with two colours."""
        used = once = twice = 0
        for other in near:
            bit = 1 << self.colour[other]
            twice |= once & bit
            once |= bit
            used |= bit | self.hubs[other]
        for other in near if twice else ():
            if twice >> self.colour[other] & 1:  # with another one, a star around the vertex
                used |= self.beside[other]
        return used

    def _join(self, vertex: int, near: Sequence[int], colour: int, bit: int) -> None:
        """Put the edges of a vertex to its neighbours into their stars."""
        for other in near:
            self._end_at(vertex, other, self.colour[other])
            self._end_at(other, vertex, colour)
            self.beside[other] |= bit
            self.beside[vertex] |= 1 << self.colour[other]

    def _end_at(self, hub: int, end: int, colour: int) -> None:
        """Note that a vertex of a colour ends at a hub, if another one does."""
        first = self.first.setdefault((hub, colour), end)
        if first != end:
            self.hubs[first] |= 1 << self.colour[hub]
            self.hubs[end] |= 1 << self.colour[hub]


def is_alone(pattern: Pattern, colours: Colours) -> np.ndarray:
    """Whether each entry is the only one of its column's colour in its row."""
    keys = pattern.rows * (int(colours.max(initial=0)) + 1) + colours[pattern.columns]
    _, which, times = np.unique(keys, return_inverse=True, return_counts=True)
    return times[which] == 1  # type: ignore[no-any-return]
