"""Objects sorted by a ``<`` of their classes that does more than to compare one number."""

import functools

import numpy as np

from tests.programs.registry import program


class Task:
    def __init__(self, cost, name, after=()):
        self.cost, self.name, self.after = cost, name, after

    def __lt__(self, other):
        if self.name in other.after:
            return True
        if other.name in self.after:
            return False
        return self.cost < other.cost


@program(args=(2.0, 0.5, 1.0), also=((0.1, 0.5, 0.3),), wrt=(0, 1, 2))
def tasks_that_wait_for_others(a, b, c):
    ts = [Task(a, "a"), Task(b, "b", ("a",)), Task(c, "c")]
    t, total = 0.0, 0.0
    for k, x in enumerate(sorted(ts, reverse=True)):
        t = t * 0.5 + x.cost
        total += (k + 1) * t * len(x.name + "".join(x.after))
    ts.sort()
    return total + ts[0].cost * ts[1].cost ** 2


@program(args=(2.0, 0.5, 1.0), also=((0.1, 0.5, 0.3),), wrt=(0, 1, 2))
def sorted_by_a_comparison(a, b, c):
    def cmp(p, q):
        d = p[0] - q[0]
        return -1 if d < 0 else (1 if d > 0 else 0)

    r = sorted([(a, 1.0), (b, c), (c, 2.0), (a, 3.0)], key=functools.cmp_to_key(cmp))
    best = max([(a, 1.0), (b, c), (c, 2.0)], key=functools.cmp_to_key(cmp))
    return sum(k * x * y for k, (x, y) in enumerate(r)) * best[0] + best[1]


class Frac:
    def __init__(self, v, w):
        self.v, self.w = v, w

    def __lt__(self, o):
        return self.v / self.w < o.v / o.w


@program(args=(2.0, 0.5, 1.0), also=((0.1, 0.5, 0.3),), wrt=(0, 1, 2))
def sorted_by_ratios(a, b, c):
    c = c * 1.3
    r = sorted([Frac(np.float64(a), b), Frac(np.float64(c), 2.0), Frac(np.float64(b), c)])
    return r[0].v * r[1].w ** 2 + r[2].v ** 3


@program(args=(2.0, 0.5, 1.0), wrt=(0, 1, 2))
def tasks_sorted_in_a_loop(a, b, c):
    t = [Task(a, "a"), Task(b, "b", ("a",)), Task(c, "c")]
    s = 0.0
    for k in range(4):
        t = [Task(x.cost * 0.9 + 0.1 * s, x.name, x.after) for x in sorted(t)]
        s = s + t[0].cost * t[1].cost
    return s
