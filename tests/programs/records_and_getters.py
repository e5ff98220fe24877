"""Classes of tuples with methods and a ``__new__``, namespaces, getters and caches outside."""

import collections
import contextlib
import functools
import math
import operator
import types
import typing

import numpy as np

from tests.programs.registry import program


class Powers(tuple):
    def __mul__(self, other):
        return Powers(a + b for a, b in zip(self, other, strict=True))

    def __truediv__(self, other):
        return Powers(a - b for a, b in zip(self, other, strict=True))

    def __pow__(self, n):
        return Powers(a * n for a in self)


class Quantity:
    __slots__ = ("powers", "value")

    def __init__(self, value, powers=(0, 0)):
        self.value, self.powers = value, Powers(powers)

    def __add__(self, other):
        if other.powers != self.powers:
            raise TypeError(f"{self.powers} + {other.powers}")
        return type(self)(self.value + other.value, self.powers)

    def __mul__(self, other):
        other = other if isinstance(other, Quantity) else Quantity(other)
        return Quantity(self.value * other.value, self.powers * other.powers)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return Quantity(self.value / other.value, self.powers / other.powers)

    def root(self):
        if any(n % 2 for n in self.powers):
            raise ValueError("odd powers")
        return Quantity(math.sqrt(self.value), (n // 2 for n in self.powers))

    def __float__(self):
        if any(self.powers):
            raise TypeError("not a number")
        return float(self.value)


METRE, SECOND = Quantity(1.0, (1, 0)), Quantity(1.0, (0, 1))


@program(args=(1.5, 9.81), wrt=(0, 1))
def pendulum_with_units(length, g):
    swing = 2.0 * math.pi * (length * METRE / (g * METRE / (SECOND * SECOND))).root()
    assert swing.powers == SECOND.powers == (0, 1)
    try:
        swing + METRE
    except TypeError:
        length = length * 2.0
    return float(swing / SECOND) * length + hash(Powers((1, 2)) ** 2 == (2, 4))


class Vector(tuple):
    __slots__ = ()

    def __new__(cls, *items):
        return super().__new__(cls, items)

    def __add__(self, other):
        return type(self)(*map(operator.add, self, other))

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __mul__(self, other):
        if isinstance(other, Vector):
            return math.fsum(map(operator.mul, self, other))
        return type(self)(*(a * other for a in self))

    __rmul__ = __mul__
    x = property(operator.itemgetter(0))
    last = property(operator.itemgetter(-1))

    def __abs__(self):
        return math.sqrt(self * self)


class Turned(Vector):
    def cross(self, o):
        return Turned(
            self[1] * o[2] - self[2] * o[1],
            self[2] * o[0] - self[0] * o[2],
            self[0] * o[1] - self[1] * o[0],
        )


AXIS = Turned(0.0, 1.0, 1.0)


@program(args=(1.2, 0.4, -0.3), wrt=(0, 1, 2), also=((0.3, 1.4, 0.2),))
def vectors_that_are_tuples(a, b, c):
    v = Turned(a, b, c)
    for k in range(4):
        v = v + 0.1 * v.cross(AXIS)
        if v.x > 1.0:
            v = -1.0 * v
    w = sum([v, AXIS * a, v])
    return abs(w) * v.last + (v * w) * isinstance(w, Turned)


class Event(collections.namedtuple("Event", "time weight")):
    __slots__ = ()

    def __new__(cls, time, weight=None):
        return super().__new__(cls, time * 2.0, time if weight is None else weight)

    def __lt__(self, other):
        return self.time < other.time


class Pair(typing.NamedTuple):
    first: float
    second: float = 2.0


class Twisted(Pair):
    def __new__(cls, first, second):  # of the names of the fields
        return Pair.__new__(cls, first + second, second * 3.0)


@program(args=(1.2, 0.4), wrt=(0, 1))
def named_tuples_that_make_themselves(a, b):
    events = sorted([Event(a), Event(b, weight=a * b), Event._make([0.5, b])])
    total = 0.0
    for k, event in enumerate(events):
        total = total * 0.5 + event.time * event.weight * (k + 1)
    t = Twisted(a, b)
    return total + t.first * t.second + t._replace(first=b).first * Pair(b).second


class Settings(types.SimpleNamespace):
    unit = 2.0

    def __init__(self, steps, **more):
        super().__init__(steps=steps, **more)
        self.total = self.damping * self.unit

    @contextlib.contextmanager
    def using(self, **changed):
        before = {name: getattr(self, name) for name in changed}
        self.__dict__.update(changed)
        try:
            yield self
        finally:
            self.__dict__.update(before)


@program(args=(1.3, 0.4), wrt=(0, 1))
def settings_below_namespaces(x, d):
    settings = Settings(3, damping=d)

    def relaxed(x):
        for _ in range(settings.steps):
            x += settings.damping * (math.cos(x) - x)
        return x

    y = relaxed(x)
    with settings.using(damping=x * 0.3, steps=5):
        y += relaxed(x) * settings.total
    with contextlib.suppress(AttributeError), settings.using(speed=2):
        y += 1000.0
    return y + relaxed(x + 0.1)


class Chebyshev:
    def __init__(self, x):
        self.x = x

    @functools.lru_cache  # noqa: B019
    def value(self, n):
        if n < 2:
            return self.x if n else 1.0
        return 2.0 * self.x * self.value(n - 1) - self.value(n - 2)

    @functools.cache  # noqa: B019
    def square(self):
        return self.x**2

    scaled = property(operator.methodcaller("value", 3))
    both = property(operator.attrgetter("x", "scaled"))


SECOND_OF = operator.itemgetter(1)
PARTS = operator.attrgetter("real", "imag")


@program(args=(0.3, 0.7), wrt=(0, 1))
def methods_that_are_kept(x, c):
    total = 0.0
    for k in range(4):
        basis = Chebyshev(x + 0.1 * k)
        total += sum(map(basis.value, range(6))) * basis.square() + basis.value(3) * c**k
    one, other = Chebyshev(c).both
    return total + one * other + SECOND_OF([x, c]) * SECOND_OF((c, x)) + PARTS(x)[0]


@program(args=(np.array([0.3, 0.7]),))
def largest_by_getters(x):
    rows = [{"cost": x[0], "name": "a"}, {"cost": x[1], "name": "b"}]
    best = max(rows, key=operator.itemgetter("cost"))
    ordered = sorted([(x[1], 2.0), (x[0], 1.0)], key=SECOND_OF)
    return best["cost"] ** 2 + ordered[0][0] * 3.0
