"""Objects that dicts and sets find by what they hold: frozen dataclasses, fractions, dimensions."""

import collections
import dataclasses
import fractions
import functools

from tests.programs.registry import program


@dataclasses.dataclass(frozen=True)
class Cell:
    row: int
    col: int = 0

    def shifted(self):
        return Cell(self.row + 1, self.col)


@dataclasses.dataclass(frozen=True, order=True)
class Tagged:
    name: str
    where: Cell
    note: str = dataclasses.field(default="", compare=False)


class Dim:
    def __init__(self, m=0, l=0):
        self.m, self.l = m, l

    def __eq__(self, o):
        return isinstance(o, Dim) and (self.m, self.l) == (o.m, o.l)

    def __hash__(self):
        return hash((self.m, self.l))

    def __mul__(self, o):
        return Dim(self.m + o.m, self.l + o.l)


@program(args=(0.5, 2.0), wrt=(0, 1))
def grid_of_cells(a, b):
    d = {Cell(i, j): a * i + b * j for i in range(3) for j in range(2)}
    t = 0.0
    for p in list(d):
        d[p] = d[p] ** 2
        if p.shifted() in d:
            t += d[p.shifted()] * d[p]
    return t + d[Cell(2, 1)] * len(d) + d.get(Cell(7), b) + d.pop(Cell(0, 1))


@program(args=(0.5, 2.0), wrt=(0, 1))
def sets_of_cells(a, b):
    s = {Cell(1), Cell(1, 0), Cell(2)} | {Cell(2), Cell(3)}
    t = len(s) * a
    for p in sorted(s, key=lambda p: p.row):
        t = t * p.row + b
    return (
        t * (Cell(3) in s)
        + ((Cell(1), 2) in {(Cell(1), 2): 1}) * b**2
        + len(frozenset([Cell(4), Cell(4)])) * b**3
    )


@program(args=(0.5, 2.0), wrt=(0, 1))
def defaults_and_counts_by_value(a, b):
    d = collections.defaultdict(float)
    for k in range(4):
        d[Tagged("xy"[k % 2], Cell(k % 2))] += a * k + b
    c = collections.Counter([Cell(1), Cell(2), Cell(1)])
    d[Tagged("x", Cell(0))] *= b
    return sum(v * len(k.name) * (k.where.row + 1) for k, v in d.items()) * c[Cell(1)] * a


@program(args=(0.5, 2.0), wrt=(0, 1))
def dimensions_as_keys(a, b):
    d = {Dim(1): a, Dim(0, 1): b}
    d[Dim(1) * Dim(0, 1)] = a * b
    d2 = {**d, Dim(1): b * 3.0}
    return d2[Dim(1)] + d[Dim(1, 1)] * a + len(d2) * d2[Dim(0, 1)] + (1 in d) * a + ("x" in d) * b


@program(args=(0.5, 2.0), wrt=(0, 1))
def fractions_as_keys(a, b):
    d = {fractions.Fraction(1, 2): a, fractions.Fraction(1, 3): b}
    d[fractions.Fraction(2, 4)] += b
    for k in range(2, 5):
        d[fractions.Fraction(1, k) * 2] = d.get(fractions.Fraction(1, k), 1.0) * a
    return sum(float(k) * v for k, v in d.items())


@program(args=(0.5, 2.0), wrt=(0, 1))
def results_cached_by_value(a, b):
    calls = []

    @functools.lru_cache(maxsize=None)
    def w(p):
        calls.append(p)
        return p.row * 2 + p.col

    return sum(w(Cell(k % 2, 1)) * a**k for k in range(4)) * b + len(calls)


@program(args=(0.5, 2.0), wrt=(0, 1))
def keys_set_on_both_paths(a, b):
    d = {}
    if a > b:
        d[Cell(1)] = a
    else:
        d[Cell(1)] = b
    k = Cell(1) if a > 0.2 else Cell(1)
    return d[Cell(1)] * a * len(d)


@program(args=(0.5, 2.0), wrt=(0, 1))
def keys_of_several_classes(a, b):
    d = {Cell(1): a, 1: b, "q": a * b, (1, 0): a}
    return d[Cell(1)] + d[1] ** 2 + d["q"] + d[1, 0] ** 3
