"""Objects sorted by a ``<`` that does more than to compare one number, and such of several classes."""

import functools
import operator

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


class Source:
    def __init__(self, at, power=1.0):
        self.at, self.power = at, power

    def __call__(self, z):
        return self.power * z

    def __add__(self, other):
        return self.at + (other.at if isinstance(other, Source) else other)

    __radd__ = __add__

    def flow(self):
        return self.at


class Pump(Source):
    def __float__(self):
        return self.at * 3.0

    def flow(self):
        return self.at * self.power


class Valve(Source):
    def __float__(self):
        return self.at * 2.0

    def __bool__(self):
        return self.at > 0.6

    def flow(self):
        return self.at**2


def sources_in_order(a, b, c):
    return sorted([Source(a), Pump(b, a), Valve(c)], key=operator.attrgetter("at"))


@program(args=(1.3, 0.5, 0.7), also=((0.4, 1.5, 0.7),), wrt=(0, 1, 2))
def objects_of_several_classes_in_order(a, b, c):
    parts = sources_in_order(a, b, c)
    total = 0.0
    for k, part in enumerate(parts):
        total = total * 0.5 + part.flow() * (k + 1)
    parts[0].at = parts[1].flow() * 3.0
    first, *rest = parts
    total += first.flow() ** 2 + sum(w * p.flow() for w, p in zip((b, 2.0), rest, strict=True))
    parts.reverse()
    parts.append(Valve(a))
    return total + parts[2].flow() + (2.0 if isinstance(parts[0], Pump) else 1.0) * parts[3](c)


@program(args=(1.3, 0.5), also=((0.4, 1.5),), wrt=(0, 1))
def rows_with_names_in_order(x, y):
    prices = {"call": 2.0, "put": x, "cash": y}
    rows = sorted([("call", x), ("put", y), ("cash", x * y)], key=operator.itemgetter(1))
    total = sum(prices[name] * v * k for k, (name, v) in enumerate(rows))
    taken = []
    for name, v in rows:
        if name == "put":
            taken.append(v * 2.0)
        elif name.startswith("ca"):
            taken.append(v**2)
    (name, v), *_ = sorted(prices.items(), key=lambda item: -item[1])
    in_order = rows == sorted(rows, key=lambda row: row[1]) and ("put", y) in rows
    return total + taken[0] * taken[1] + v * len(name) + in_order * x


@program(args=(1.3, 0.5), also=((0.4, 1.5),), wrt=(0, 1))
def functions_in_order(x, y):
    z = x
    steps = {"square": lambda v: v * v, "scale": lambda v: v * y, "add": lambda v: v + 2.0 * y}
    for name, step in sorted(steps.items(), key=lambda item: item[1](x)):
        z = z * 0.5 + step(z) * len(name)
    (_, f), (_, g) = sorted([(x, np.sin), (y, np.cos)], key=lambda pair: pair[0])
    return z + f(x) * g(y) ** 2


@program(args=(1.3, 0.5), also=((0.4, 1.5),), wrt=(0, 1))
def what_builtins_are_given_in_order(x, y):
    parts = sorted([Valve(x), Pump(y, x)], key=lambda part: part.at)
    total = sum(map(float, parts)) + sum(parts, 0.5) * x + any(parts) * y + all(parts) * x
    best = min([Source(x), Pump(y, x), Valve(x * y)], key=lambda part: part.at)
    match parts[0]:
        case Valve(at=z):
            total += 2.0 * z
        case Pump(power=z):
            total += 3.0 * z
    return total + best.flow() * (parts[0] is parts[1]) + best.flow()


@program(args=(1.3, 0.5), also=((0.4, 1.5),), wrt=(0, 1))
def sorted_again_in_a_loop(x, y):
    parts, total = [Valve(x), Pump(y, x), Source(x * y)], 0.0
    for _ in range(3):
        parts.sort(key=lambda part: part.at)
        parts[0].at += parts[1].flow() * 0.3
        total = total * 0.5 + parts[2].flow()
    return total
