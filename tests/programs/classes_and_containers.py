"""Classes, enums, dataclasses, dicts and lists as users write them, several features in a program."""

import abc
import collections
import enum
import functools
import math
import operator
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import asdict, astuple, dataclass, field, fields

import numpy as np

from tests.programs.registry import program

X = np.array([0.4, 1.3, -0.7, 0.9, -1.6])


class Temperature:
    scale = 2.0

    def __init__(self, celsius):
        self._celsius = celsius

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self._celsius = (value - 32) * 5 / 9

    @functools.cached_property
    def squared(self):
        return self._celsius**2

    @classmethod
    def from_fahrenheit(cls, value):
        return cls((value - 32) * 5 / 9)

    @staticmethod
    def kelvin(celsius):
        return celsius + 273.15

    def __getattr__(self, name):
        if name.startswith("times_"):
            return self._celsius * float(name[6:])
        raise AttributeError(name)


@program(args=(X,))
def properties_of_a_class(x):
    first = Temperature(x[0])
    first.fahrenheit = first.fahrenheit + x[1]
    second = Temperature.from_fahrenheit(first.fahrenheit)
    total = first.squared * first.squared + second._celsius * Temperature.scale
    return total + first.kelvin(second._celsius) + Temperature.kelvin(x[2]) * first.times_3


class Shape(abc.ABC):
    __slots__ = ("size",)

    def __init__(self, size):
        self.size = size

    @abc.abstractmethod
    def area(self): ...

    def twice(self):
        return 2 * self.area()


class Circle(Shape):
    def area(self):
        return math.pi * self.size**2


class Box(Shape):
    __slots__ = ("height",)

    def __init__(self, size, height=1.5):
        super().__init__(size)
        self.height = height

    def area(self):
        return self.size * self.height

    def twice(self):
        self.height += self.size
        return super().twice() + getattr(self, "depth", 3.0)


@program(args=(X,))
def shapes_with_a_base_class(x):
    shapes = [Circle(x[0]), Box(x[1]), Circle(x[2]), Box(x[3], x[4])]
    return sum(shape.twice() * weight for shape, weight in zip(shapes, (1.0, 2.0, 3.0, 4.0)))


class Mode(enum.Enum):
    LINEAR = "linear"
    SQUARE = "square"


class Place(enum.IntEnum):
    FIRST = 1
    SECOND = 2


@program(args=(X,))
def choices_by_enums(x):
    total = 0.0
    for mode in Mode:
        total += x[0] if mode is Mode.LINEAR else x[1] ** 2
    weights = {Mode.LINEAR: x[2], Mode.SQUARE: x[3]}
    return total * Place.SECOND + x[Place.FIRST] * weights[Mode("square")] ** 2


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@program(args=(X,))
def cached_coefficients(x):
    total = sum(fibonacci(i) * x[i] for i in range(5))
    return total + math.factorial(4) * x[0] ** math.comb(4, 2) + math.gcd(12, 18) * x[1]


@dataclass
class Settings:
    rate: float
    weights: np.ndarray
    inner: "Settings | None" = None
    seen: list = field(default_factory=list)

    def __post_init__(self):
        self.double = self.rate * 2


@dataclass(frozen=True)
class Term:
    factor: float
    power: float


@program(args=(X,))
def dataclasses_taken_apart(x):
    outer = Settings(x[0], x[1:3], Settings(x[1], x[:2]))
    outer.seen.append(x[3])
    outer.inner.rate *= 3
    total = outer.rate * outer.inner.rate + outer.double + outer.inner.double + sum(outer.seen)
    total += np.sum(outer.weights * outer.inner.weights)
    for part in fields(outer):
        if part.name == "rate":
            total += getattr(outer, part.name) ** 2
    factor, power = astuple(Term(x[3], x[4]))
    parts = asdict(Term(x[3], x[4]))
    return total + factor * power + parts["factor"] * parts["power"] ** 2


Point = namedtuple("Point", "p q", defaults=[2.0])


@program(args=(X,))
def named_tuples_by_all_their_methods(x):
    first = Point(x[0])
    second = first._replace(q=x[1])
    p, q = second
    total = first.q * second.p + second._asdict()["q"] ** 2 + p * q + second[1] + len(second)
    total += sum(getattr(second, name) for name in Point._fields)
    return total + (x[2] if second == (x[0], x[1]) else 0.0)


@program(args=(X,))
def dicts_by_all_their_methods(x):
    d = dict(zip("abc", x))
    d.setdefault("d", x[3])
    d.setdefault("a", 100.0)
    popped, missing = d.pop("b"), d.pop("zz", x[4])
    d.update(e=x[1] * x[2], a=d["a"] ** 2)
    e = {**d, "f": popped}
    g = d | {"h": missing}
    copied = d.copy()
    copied["a"] = 0.0
    del copied["c"]
    same = dict.fromkeys(["u", "v"], x[0])
    ordered = OrderedDict()
    ordered["z"] = x[1]
    ordered["y"] = x[2]
    total = sum(e.values()) * g["h"] + len(copied) + same["u"] * same["v"]
    for key in sorted(d):
        total += d[key] * (ord(key) - 96)
    for (left, _), value in {("p", "q"): x[0], ("r", "s"): x[1]}.items():
        total += value**2 if left == "p" else value**3
    return total + d.get("none", 2.0) * d.get("a") + list(ordered.values())[0] * ordered["y"]


@program(args=(X,))
def groups_in_a_defaultdict(x):
    groups, totals = defaultdict(list), collections.defaultdict(float)
    for i, value in enumerate(x):
        groups["even" if i % 2 == 0 else "odd"].append(value * (i + 1))
        totals[i % 3] += value**2
    sums = {key: sum(values) for key, values in groups.items()}
    return sums["even"] * sums["odd"] + totals[0] * totals[1] + totals[7]


@program(args=(X,))
def lists_by_all_their_methods(x):
    values = list(x)
    values.reverse()
    values.insert(1, x[0] ** 2)
    values.append(values.pop(0))
    del values[1:2]
    values[0:2] = [x[3], x[4], x[1]]
    values.extend(values[:1])
    every, copied = values[::2], values.copy()
    copied.clear()
    first, *middle = every
    *most, last = values
    rows = [[0.0] * 2] * 2
    rows[0][1] = x[2]
    places = [0, 1, 2, 1].index(1) + [1, 1, 2].count(1)
    return first * sum(middle) + most[0] * last + places * values[-1] + rows[1][1] ** 2


@program(args=(X,))
def functions_in_tables(x):
    table = {"square": lambda v: v**2, "sin": np.sin, "exp": math.exp, "neg": operator.neg}
    total = 0.0
    for (name, function), value in zip(table.items(), x):
        total += function(value) * len(name)

    def composed(*functions):
        def run(value):
            for function in reversed(functions):
                value = function(value)
            return value

        return run

    late = [lambda: i * x[i] for i in range(3)]  # noqa: B023
    early = [lambda i=i: i * x[i] for i in range(3)]
    bound = [functools.partial(operator.mul, x[i]) for i in range(3)]
    total += composed(math.sin, math.cos, table["square"])(x[0])
    total += sum(f() for f in late) + sum(f() ** 2 for f in early) + sum(f(2.0) for f in bound)
    taken = operator.itemgetter(1)([x[0], x[3]]) * operator.attrgetter("size")(Circle(x[4]))
    return total + taken
