"""Classes inside functions that are decorated, have several bases, or are tuples with names."""

import contextlib
import dataclasses
import functools
import types
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tests.constructs.settings import construct

_T = TypeVar("_T")


@construct()
def local_dataclasses(x, c):
    @dataclass
    class Record:
        a: float
        b: float = 2.0
        items: list = field(default_factory=list)

        def __post_init__(self):
            self.product = self.a * self.b

        def norm(self):
            return self.a**2 + self.b**2 + len(self.items)

    first = Record(x[0])
    first.items.append(x[1])
    same = first == Record(x[0], 2.0, [x[1]])
    return first.norm() * first.product + Record(x[1], b=x[2]).norm() * c + same * x[3]


@construct()
def local_dataclasses_that_stay(x, c):
    @dataclass(frozen=True)
    class Pair:
        a: float
        b: float = x[2]

        @property
        def product(self):
            return self.a * self.b

    p = Pair(x[0])
    q = dataclasses.replace(p, b=x[1] * c)
    parts = sum(dataclasses.astuple(q)) + sum(dataclasses.asdict(p).values())
    return p.product + q.product**2 + parts


@construct()
def local_classes_of_several_bases(x, c):
    class Left:
        def value(self):
            return x[0] * c

    class Right:
        def value(self):
            return x[2]

        def square(self):
            return x[1] ** 2

    class Both(Left, Right):
        def value(self):
            return super().value() * 2

    class Last(Both):
        def value(self):
            return super().value() + Right.value(self)

    return Last().value() * Last().square()


@construct()
def local_named_tuples(x, c):
    class Point(NamedTuple):
        a: float
        b: float = 3.0

        @property
        def product(self):
            return self.a * self.b

    row = namedtuple("row", "u v", defaults=[c])
    p, r = Point(x[0]), row(x[3])
    q = p._replace(b=x[1])
    first, _ = q
    named = sum(q._asdict().values()) * len(Point._fields) + isinstance(p, tuple) * x[2]
    return p.product * first + q.product * r.v + named + r.u**2


@construct()
def local_classes_with_slots_and_order(x, c):
    @functools.total_ordering
    class Rank:
        __slots__ = ("value",)

        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return self.value < other.value

        def __eq__(self, other):
            return self.value == other.value

    low, high = Rank(x[0]), Rank(x[0] + 1.0)
    return low.value**2 * c if high >= low else high.value**3


@construct()
def a_state_that_makes_the_next_one(x, c):
    @dataclass
    class State:
        place: np.ndarray
        speed: np.ndarray
        time: float = 0.0

        def step(self, dt):
            speed = self.speed - dt * self.place
            return State(self.place + dt * self.speed, speed, self.time + dt)

    state = State(x[:3], x[3:6] * c)
    for _ in range(5):
        state = state.step(0.1)
    return np.sum(state.place**2) * state.time + state.speed[0]


class _Powers:
    """What ``[n]`` makes of the class is a function."""

    def __class_getitem__(cls, n):
        return lambda v: v**n


class _MorePowers(_Powers):
    pass


class _Box(Generic[_T]):
    count = 2.0

    def __init__(self, value, factor=1.0):
        self.value = value * factor

    @classmethod
    def square(cls, value):
        return cls(value**2)


class _Narrow(Generic[_T]):
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


_BOX = _Box[float]


@construct()
def subscripted_classes(x, c):
    class Scaled:
        def __class_getitem__(cls, factor):
            return factor * 3.0

    powers = _Powers[3](x[0]) + _MorePowers[2](x[1]) * Scaled[c]
    boxes = 0.0
    for v in x:
        boxes = boxes + _Box[float](v, factor=c).value ** 2 * _Box[int].count
    one = _Box[float](x[2])
    kept = len(vars(one)) + (one.__orig_class__ is _BOX) + isinstance(one, _Box)
    narrow = _Narrow[float](x[3]).value + _BOX.square(x[1]).value + _BOX(x[0]).value
    items = list[float](x)
    recent = deque[float](items, 2)
    sums = defaultdict[str, float](float)
    sums["a"] += x[2] * recent[0]
    try:
        int[3]
    except TypeError:
        kept *= 2
    return powers + boxes + one.value * kept + narrow**2 + items[1] * recent[-1] + sums["a"]


@construct()
def attributes_deleted_by_name(x, c):
    record = _Box(x[0])
    total = 0.0
    for i in range(3):
        record.extra = x[i]
        total = total + record.extra**2 * c
        delattr(record, "extra")
        try:
            delattr(record, "extra")
        except AttributeError:
            total = total * 2
    record.last = x[1]
    if x[2] > 0:
        delattr(record, "last")
    left = record.last if hasattr(record, "last") else x[3]
    return total + left**2 * len(vars(record)) + record.value


@construct()
def slots_of_local_dataclasses(x, c):
    @dataclass(slots=True)
    class Part:
        a: float
        b: float = 1.5

        def area(self):
            return self.a * self.b

    @dataclass(slots=True)
    class Scaled(Part):
        scale: float = 2.5

        def area(self):
            return self.a * self.b * self.scale

    part, scaled = Part(x[0]), Scaled(x[1], scale=x[2])
    part.b *= x[3]
    scaled.scale = scaled.scale**2 * c
    try:
        part.other = 1.0
    except AttributeError:
        part.a = part.a * x[4]
    return part.area() * scaled.area() + part.b


@construct()
def operators_below_a_local_named_tuple(x, c):
    class Pair(NamedTuple):
        a: float
        b: float

    class Vector(Pair):
        __slots__ = ()

        def __add__(self, other):
            return Vector(self.a + other.a, self.b + other.b)

        def __mul__(self, k):
            return Vector(self.a * k, self.b * k)

        __rmul__ = __mul__

        def __neg__(self):
            return Vector(-self.a, -self.b)

    total = Vector(x[0], x[1]) + -Vector(x[2], x[3]) * c
    first, second = 2.0 * total
    return first**2 * second + total.b * x[4]


@construct()
def methods_made_of_functions(x, c):
    class Bare:
        pass

    def powered(self, v=2.0):
        return self.k**v

    first, second = Bare(), Bare()
    first.k, second.k = x[0], x[1]
    first.of = types.MethodType(powered, first)
    second.of = types.MethodType(lambda self, v=3.0: self.k * v, second)
    first.k = x[2] * c
    total = 0.0
    for method in (first.of, second.of):
        total = total + method() * method.__self__.k
    return total + (first.of.__func__ is powered) * x[3]


@construct()
def properties_of_classes_inherited_from(x, c):
    class Length:
        def __init__(self, value):
            self._value = value

        @property
        def value(self):
            return self._value * 2.0

        @value.setter
        def value(self, given):
            self._value = given

        @functools.cached_property
        def squared(self):
            return self._value**2

    class Scaled(Length):
        @property
        def value(self):
            return super().value * c

        @value.setter
        def value(self, given):
            Length.value.fset(self, given * x[1])

        @functools.cached_property
        def squared(self):
            return super().squared + x[2]

    class Shifted(Scaled):
        @Scaled.value.getter
        def value(self):
            try:
                return super().value + x[3]
            except TypeError:
                return 0.0

    scaled, shifted = Scaled(x[0]), Shifted(x[4])
    y = scaled.squared * shifted.squared
    scaled.value = shifted.value = c
    y = y + scaled.value * shifted.value + scaled.squared * len(Shifted.__mro__)
    return y * len(Scaled.__bases__) + Shifted.__mro__.index(Length)


@construct()
def generic_classes_made_inside(x, c):
    kind = TypeVar("kind")
    other = TypeVar("other", bound=float)

    class Pair(Generic[kind, other]):
        count = 2.0

        def __init__(self, one: kind, two: other):
            self.one, self.two = one, two

        @classmethod
        def twice(cls, value):
            return cls(value, value)

    class Near(Pair[float, float]):
        def product(self):
            return self.one * self.two

    class Boxed(_Box[float]):
        def cubed(self):
            return self.value**3

    class Row(list[float]):
        def total(self):
            return sum(self)

    y = Near(x[0], x[1]).product() * Pair[float, int](x[2], 3).two + Near.twice(c).product()
    return y + Boxed(x[3]).cubed() * Pair[int, int].count * Row([x[4], c]).total()


@construct()
def managers_that_methods_of_a_local_class_make(x, c):
    class Settings:
        def __init__(self, scale):
            self.scale = scale

        @contextlib.contextmanager
        def changed(self, **values):
            """Another scale for a while."""
            before = dict(vars(self))
            try:
                self.__dict__.update(values)
                yield self
            finally:
                self.__dict__.update(before)

    settings = Settings(c)
    y = x[0] * settings.scale
    with settings.changed(scale=x[1] * c) as same:
        y = y + same.scale**2
        with settings.changed(scale=y):
            y = y * settings.scale
    return y * settings.scale
