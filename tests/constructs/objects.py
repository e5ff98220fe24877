"""Objects of any class: mappings and sequences, members of enumerations, values of Python's own."""

import collections
import copy
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import importlib
import json
import math
import re
import struct
import types

import numpy as np
from numpy.polynomial.legendre import leggauss

from tests.constructs.settings import construct


class Settings(collections.abc.MutableMapping):
    """A mapping that says five things, and has the others of ``collections.abc``."""

    def __init__(self, **given):
        self.given = dict(given)

    def __getitem__(self, key):
        return self.given[key]

    def __setitem__(self, key, value):
        self.given[key] = value

    def __delitem__(self, key):
        del self.given[key]

    def __iter__(self):
        return iter(self.given)

    def __len__(self):
        return len(self.given)


@construct()
def mapping_of_a_users_class(x, c):
    s = Settings(a=x[0], b=x[1])
    s.update({"d": c * x[2]})
    s["b"] *= 2.0
    s.setdefault("e", x[3])
    y = s.pop("a") * s.get("missing", c)
    for key in s:
        y = y + s[key] ** 2 * len(key)
    return y + sum(s.values()) * len(s) + ("b" in s) * x[4]


class WithDefault(collections.UserDict):
    """A dict of Python's that is written in Python."""

    def __missing__(self, key):
        return 2.5


@construct()
def user_dict(x, c):
    d = WithDefault(a=x[0])
    d["b"] = x[1] * c
    d.update(e=x[2])
    y = d["nothing"] * d["a"]
    for key, value in d.items():
        y = y + value**2 * len(key)
    return y


@construct()
def chain_of_dicts(x, c):
    d = collections.ChainMap({"a": x[0]}, {"a": c, "b": x[1]})
    e = d.new_child({"b": x[2] ** 2})
    e["e"] = x[3]
    return sum(e[key] * (k + 1) for k, key in enumerate(sorted(e))) * d["b"] + len(e) * c


@construct()
def views_of_dicts_as_sets(x, c):
    d = {"a": x[0], "b": x[1]}
    others = {"b", "e"}
    y = sum(d[key] for key in d.keys() - others) + sum(d[key] ** 2 for key in d.keys() & others)
    y = y + len(d.keys() | others) * c + ("a" in d.keys()) * x[2] + (c in d.values()) * x[3]
    return y + ((("a", x[0]) in d.items()) + others.isdisjoint(d)) * x[4] * len({1}.union([2, 3]))


@construct()
def list_beside_a_number_of_numpys(x, c):
    y = np.sum((x[0] - [3.0, 5.0, c]) ** 2) + np.sum(([x[1], 2.0] + x[2]) ** 3)
    return y + np.sum((1.0, c) / x[3])


class Kind(enum.Enum):
    """Members that hold more than their values."""

    LINEAR = (1.0, 2.0)
    STEEP = (3.0, 0.5)

    def __init__(self, slope, weight):
        self.slope = slope
        self.weight = weight

    @property
    def both(self):
        return self.slope * self.weight

    def applied(self, v):
        return self.both * v


@construct()
def members_with_attributes(x, c):
    y = c
    for k, kind in enumerate(Kind):
        y = y + kind.applied(x[k]) * kind.value[0]
    return y * Kind["STEEP"].weight


class Base:
    def scaled(self, v):
        return 2.0 * v

    @classmethod
    def made(cls, v):
        one = cls()
        one.v = v
        return one


class Derived(Base):
    def scaled(self, v):
        return super(Derived, self).scaled(v) * self.v

    def power(self, n, v):
        return v**n

    cube = functools.partialmethod(power, 3)


@construct()
def super_with_arguments(x, c):
    one = Derived.made(x[0])
    return one.scaled(x[1]) + one.cube(x[2]) * c


def _counting(function):
    @functools.wraps(function)
    def wrapper(*args):
        wrapper.calls += 1
        return function(*args)

    wrapper.calls = 0
    return wrapper


@_counting
def _counted(v):
    return v * v


@construct()
def wrapper_that_counts(x, c):
    before = _counted.calls
    y = _counted(x[0]) * _counted(c)
    return y * (_counted.calls - before)


RATE = decimal.Decimal("1.5")
START = datetime.date(2020, 3, 1)


@construct()
def pure_functions_of_constants(x, c):
    nodes, weights = leggauss(3)
    given = json.loads('{"rate": 2.5, "bounds": [1, 2]}')
    given["bounds"].append(x[1])
    days = (START - datetime.date(2020, 2, 1)).days
    y = np.sum(weights * np.exp(nodes * x[0])) * given["bounds"][-1] * given["rate"]
    return (
        y
        + float(RATE) * x[2]
        + days * c * float.fromhex("0x1.8p1") * x[3]
        + np.float64.fromhex("0x1p-1") * x[4]
    )


START64 = np.datetime64("2020-01-01T12")
FORMULA = re.compile("([A-Z][a-z]?)([0-9]*)")


@construct()
def dates_texts_and_modules_known_at_once(x, c):
    start = datetime.datetime.strptime("2020-03-04", "%Y-%m-%d")
    day = datetime.date.fromisoformat("2020-03-01")
    elapsed = start - datetime.datetime.combine(day, datetime.time(6))
    y = elapsed.total_seconds() * 1e-5 * x[0] + day.isocalendar().week * c
    y = y + start.timetuple().tm_yday * x[1] + (np.datetime64("2020-01-04") - START64) / HOUR64 * c
    for element, count in FORMULA.findall("C2H6O"):
        y = 0.5 * y + (int(count) if count else 1) * len(element) * x[2]
    low, high = struct.unpack("<hh", b"\x01\x00\x02\x00")
    scale = float(fractions.Fraction("1/3") + fractions.Fraction(0.5))
    return y + low * x[3] + high * c + scale * importlib.import_module("math").exp(x[4])


HOUR64 = np.timedelta64(1, "h")


@construct()
def grids_and_arrays_of_a_shape(x, c):
    rows, columns = np.mgrid[0:2, 0:3]
    down, right = np.ogrid[0:2, 0:3]
    made = np.ndarray((2, 3), dtype=float)
    made[:] = x.reshape(2, 3) * c
    y = np.sum(made**2 * rows) + np.sum(columns * x[0]) + np.sum(down * right * made)
    for grid in np.mgrid[0:2, 0 : len(x)]:
        y = y + np.sum(grid[1] * x)
    return y + np.mgrid[0:1:3j].shape[0] * x[1]


class Equal:
    """A class whose objects count how often they are compared."""

    def __init__(self, v):
        self.v = v
        self.asked = 0

    def __eq__(self, other):
        self.asked += 1
        return self.v == other.v

    __hash__ = None


@construct()
def counted_by_what_is_equal(x, c):
    items = [Equal(2.0), Equal(1.0), Equal(1.0)]
    one = Equal(1.0)
    y = items.count(one) * x[0] + items[1].asked * x[1] + one.asked * x[2]
    return y + [[1, 2], (1, 2), [1, 2]].count([1, 2]) * c


class Key:
    """A class whose objects are keys that equal themselves alone."""


FIRST, SECOND = Key(), Key()
BY_OBJECT = {FIRST: 2.0, SECOND: 3.0}


@construct()
def dict_outside_by_objects(x, c):
    y = BY_OBJECT[FIRST] * x[0] + BY_OBJECT.get(SECOND, 7.0) * c + (FIRST in BY_OBJECT) * x[1]
    return y + BY_OBJECT.get(Key(), 5.0) * x[2] + sum(BY_OBJECT.values()) * x[3]


def _graded(v):
    if v > 1.2:
        return v * v, "large"
    elif v > 0.8:
        return 3.0 * v, "middle"


@construct()
def result_that_is_none_on_some_paths(x, c):
    y = c
    for k in range(3):
        found = _graded(x[k])
        if found is None:
            continue
        v, grade = found
        y = y + (v if grade == "large" else v * x[3])
    first, second = _graded(x[4]), _graded(x[5])
    if first is not None and second is not None:
        y = y * first[0]
    elif second is not None:
        y = y * second[0] ** 2
    return y


class Rooted:
    """A class that calls what all objects have."""

    def __init__(self, v):
        super().__init__()
        self.v = v


@construct()
def super_of_object(x, c):
    return Rooted(x[0]).v * Rooted(x[1]).v * c


# Sorting by numbers that are known at run time only


@construct()
def sorted_numbers(x, c):
    low, middle, *others = sorted([x[0], x[1], c, x[2]])
    high = sorted(x, reverse=True)[0]
    return low * 2.0 + middle**2 + others[1] ** 3 + high * others[0]


@construct()
def sorted_by_a_key(x, c):
    pairs = sorted([(x[0], 1), (x[1], 2), (x[2], 4)], key=lambda pair: -pair[0])
    order = sorted(range(3), key=lambda k: x[k] * c)
    rows = [x[3], x[4] ** 2, x[5]]
    rows.sort(key=lambda v: (v > 1.0, v))
    return pairs[0][0] * pairs[2][0] ** pairs[0][1] + x[order[1]] * c + rows[0] * rows[2] ** 2


def _handing_on(function):
    namespace = {"_target": function}
    signature = "v, power=2.0, *others, scale=1.0, **more"
    call = "v, power=power, *others, scale=scale, **more"
    exec(f"def handed_on({signature}):\n    return _target({call})", namespace)  # noqa: S102
    return namespace["handed_on"]


@_handing_on
def _handed_on(v, power, *others, scale, shift=0.0):
    return scale * v**power + sum(others) + shift


@construct()
def wrapper_made_by_exec(x, c):
    return _handed_on(x[0]) + _handed_on(x[1], scale=c, shift=x[2]) * _handed_on(v=x[3], power=c)


@construct()
def shape_held_in_an_array(x, c):
    padded = np.full(np.array(x.shape) + 2 * np.array([1]), c)
    padded[1:-1] = x
    return np.sum(padded**3) + np.sum(np.ones(np.array([2, 3])) * x[0])


# Copies, and all attributes at once


class Part:
    """A class that copies itself through its attributes."""

    def __init__(self, rate, history):
        self.rate = rate
        self.history = history

    def clone(self):
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made


OUTER = Part(2.0, [np.array([1.0, 3.0])])


@construct()
def copies_of_objects(x, c):
    one = Part(x[0], [x[1], c])
    shallow, deep, cloned = copy.copy(one), copy.deepcopy([one, one]), one.clone()
    shallow.history[0] = x[2] * one.rate
    shallow.rate = shallow.rate * c
    deep[0].rate = deep[1].rate + x[3]
    cloned.rate = cloned.rate**2
    outer = copy.deepcopy(OUTER)
    outer.history[0][1] = x[4]
    y = one.rate * cloned.history[0] + shallow.rate + deep[1].rate * deep[0].history[0]
    return y + cloned.rate * len(vars(one)) + np.sum(outer.history[0]) * np.sum(OUTER.history[0])


class Doubling(list):
    def __getitem__(self, k):
        return 2.0 * list.__getitem__(self, k)


@dataclasses.dataclass
class Squared:
    v: float

    def __post_init__(self):
        self.more = 2.0 * self.v

    @functools.cached_property
    def square(self):
        return self.v**2

    def __deepcopy__(self, memo):
        return Squared(5.0 * self.v)


@construct()
def copies_keep_what_their_class_and_they_have(x, c):
    one = Squared(x[0])
    y = one.square * c
    one.v, one.more = x[1], x[2] ** 2
    other = copy.copy(one)
    y = y + other.square * other.more + copy.deepcopy(one).more
    doubling = copy.deepcopy({"k": Doubling([x[3], c])})["k"]
    counted = copy.copy(collections.defaultdict(lambda: 3.0, a=x[4]))
    holding = [x[5]]
    holding.append(holding)
    return (
        y + doubling[0] * counted["b"] * counted["a"] + copy.deepcopy(holding)[1][0] * doubling[1]
    )


PLAIN = Part(1.5, 4.0)


@construct()
def attributes_of_an_object_outside(x, c):
    y = c
    for k, (name, value) in enumerate(vars(PLAIN).items()):
        y = y * x[k] + value * len(name)
    made = Part(**vars(PLAIN))
    made.rate = made.rate * x[2]
    return y + made.rate * made.history + sum({**PLAIN.__dict__, "rate": x[3]}.values())


class Given(collections.abc.Mapping):
    def __init__(self, **given):
        self.given = given

    def __getitem__(self, key):
        return self.given[key]

    def __iter__(self):
        return iter(self.given)

    def __len__(self):
        return len(self.given)


def _of_keywords(a, b=1.0, **more):
    return a * b + sum(more.values())


@construct()
def mapping_spread_into_a_call(x, c):
    given = Given(a=x[0], e=c, b=x[1])
    return _of_keywords(**given) + {**given, "a": x[2]}["a"] * x[3]


SEEN = collections.defaultdict(lambda: 3.0, a=1.0)


def _forget():
    SEEN.clear()
    SEEN["a"] = 1.0


@construct(reset=_forget, settings=("outside",))
def missing_keys_of_a_dict_outside(x, c):
    y = SEEN["a"] * x[0] + SEEN["new"] * x[1] * c
    SEEN["late"] += x[2] ** 2
    return y * SEEN["late"] + len(SEEN) * x[3]


class Halving:
    """An iterator that ends where the data say."""

    def __init__(self, v, least):
        self.v = v
        self.least = least

    def __iter__(self):
        return self

    def __next__(self):
        if self.v < self.least:
            raise StopIteration
        self.v = 0.5 * self.v
        return self.v


class Counted:
    """A collection whose iterator is an object of its own."""

    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        return CountedItems(self)


class CountedItems:
    def __init__(self, of):
        self.of = of
        self.k = -1

    def __iter__(self):
        return self

    def __next__(self):
        self.k += 1
        if self.k == len(self.of.items):
            raise StopIteration
        return self.of.items[self.k]


@construct()
def objects_with_next(x, c):
    halving, y = Halving(x[0] + 3.0, x[1] * 0.3), c
    for v in halving:
        y = y + v**2
    counted = Counted(x[2], c, x[3])
    first, *others = counted
    for one in counted:
        for other in counted:
            y = y + one * other
    return y + halving.v * first + others[1] + sum(counted) + max(counted) * list(counted)[1]


@dataclasses.dataclass
class Scaled:
    a: float
    scaled: float = dataclasses.field(init=False)
    by: dataclasses.InitVar[float] = 2.0

    def __post_init__(self, by):
        self.scaled = self.a * by


@construct()
def fields_that_are_given_or_kept_alone(x, c):
    return Scaled(x[0]).scaled * Scaled(x[1], c).scaled + Scaled(x[2], by=x[3]).scaled


class Shifted(dict):
    """A dict that gives other items than it holds."""

    def __getitem__(self, key):
        return dict.__getitem__(self, key) + 1.0

    def __iter__(self):
        return iter(["a"])

    def keys(self):
        return ["a"]


@construct()
def dict_that_gives_other_items(x, c):
    shifted, plain = Shifted(a=x[0], b=x[1]), {"a": c}
    plain.update(shifted)
    return plain["a"] * x[2] + {**shifted}["a"] * len(plain) + _of_keywords(**shifted)


class Metres(float):
    """A float with a unit."""


@construct(
    datetime.datetime(2020, 3, 1, 6),
    decimal.Decimal("1.50"),
    np.timedelta64(36, "h"),
    {2, 3},
    Metres(1.5),
)
def arguments_without_derivative(x, c, day, amount, lag, kinds, height):
    elapsed = (day - datetime.datetime(2020, 2, 1)) / datetime.timedelta(hours=6)
    y = elapsed * 0.01 * x[0] + day.timetuple().tm_yday * c + float(amount * 2) * x[1]
    y = y + lag / np.timedelta64(1, "D") * x[2] + lag.astype(int) * 0.1 * c
    y = y + len(kinds) * x[3] + (2 in kinds) * sum(kinds) * c + x[4]
    return y + np.sin(height) * x[5] + height**2 * c + len(str(amount))


PRICES = {"b": 2.0, "a": 1.5}


@construct()
def sorted_by_what_is_known_of_tuples(x, c):
    y = c
    for k, (name, price) in enumerate(sorted(PRICES.items())):
        y = y * x[k] + price * (k + 1) * len(name)
    rows = sorted([(2, "a", x[0]), (1, "b", x[1]), (2, "A", c)], reverse=True)
    tied = sorted([(1, x[2]), (1, x[3]), (0, c)])
    return y + rows[0][2] + rows[1][2] ** 2 + tied[1][1] * 3.0 + tied[2][1] ** 2


class Bag:
    def __init__(self, first, second):
        self.zeta, self.alpha = first, second

    def weighted(self):
        return sum((k + 1) * value for k, value in enumerate(vars(self).values()))


@construct()
def attributes_in_the_order_in_which_they_were_set(x, c):
    bag, y = Bag(x[0], c), 0.0
    bag.middle = x[1] * c
    del bag.zeta
    bag.zeta = x[2]
    y = y + bag.weighted()
    if x[0] > 0.0:
        bag.last, bag.beta = x[3], c
    else:
        bag.beta, bag.last = c, x[4]
    copied = copy.copy(bag)
    copied.__dict__["added"] = c**2
    for k in range(3):
        setattr(bag, f"q{3 - k}", x[k])
    known = [name for name in dir(copied) if not name.startswith("_")]
    return y + bag.weighted() + copied.weighted() * (known.index("weighted") + len(known))


class Place:
    """An index of one's own."""

    def __init__(self, k):
        self.k = k

    def __index__(self):
        return self.k


class Amount:
    """A number of one's own."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value**2)


@construct()
def objects_as_indices(x, c):
    y = np.zeros((2, 3))
    y[Place(1), Place(0) : Place(2)] = x[:2] ** 2
    items = [x[3], x[4], x[5]]
    items[Place(1)] = c * x[0]
    del items[Place(0)]
    items.insert(Place(1), x[2])
    total = items.pop(Place(0)) * items[Place(-1)]
    for k in range(Place(1), Place(5), Place(2)):
        total = total + x[Place(k)] * (x[1], x[0])[Place(k % 2)]
    return total + np.sum(y[Place(1)]) + x[Place(int(x[0] > x[1]))] ** 2


@construct()
def objects_in_functions_of_math(x, c):
    total = math.hypot(Amount(x[0]), x[1]) + math.atan2(Amount(x[1]), Amount(x[2] + 3.0))
    for k in range(3):
        total = total + math.sqrt(Amount(x[k])) * c + math.exp(Place(1)) * x[k]
    return total + math.gcd(Place(4), 6) * math.fsum([x[3], x[4] ** 2])


FIXED = types.MappingProxyType({"a": 2.0})


@construct()
def mappings_that_are_read_only(x, c):
    items = {"a": x[0] ** 2}
    shown = types.MappingProxyType(items)
    items["b"] = x[1] * c
    total = 0.0
    for k, (key, value) in enumerate(shown.items()):
        total = total + value * shown[key] * (k + 1.0)
    for mapping in (shown, FIXED):
        try:
            mapping["a"] = x[3]
        except TypeError:
            total = total + mapping["a"] * x[4]
        total = total + x[5] * isinstance(mapping, dict)
    written = shown.copy()
    written["a"] = x[2]
    ordered = collections.OrderedDict.fromkeys("ab", x[3])
    ordered.move_to_end("a")
    more = {**shown, **ordered}
    return total + written["a"] * shown.get("z", c) + (shown | more)["b"] * len(shown)


class Indexed(type):
    """What classes answer that are asked themselves."""

    def __getitem__(cls, k):
        return k * cls.rate

    def __len__(cls):
        return 3

    def __iter__(cls):
        return iter((cls.rate, 2.0))

    def __contains__(cls, k):
        return k == 5

    def __bool__(cls):
        return False

    def __add__(cls, other):
        return cls.rate + other

    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or hasattr(instance, "rate")


class Rated(metaclass=Indexed):
    rate = 1.5

    def __len__(self):
        return 11

    def __getitem__(self, k):
        return k + 0.5


class Alike:
    rate = 2.0


class Rights(enum.IntFlag):
    READ = 1
    WRITE = 2


class Lenient(enum.Enum):
    LOW = 1
    HIGH = 2

    @classmethod
    def _missing_(cls, value):
        return cls.HIGH if value > 5 else None


@construct()
def classes_that_are_asked_themselves(x, c):
    total = len(Rated) * x[0] + Rated[x[1]] ** 2 + sum(Rated) * x[2] + (Rated + x[3]) ** 2
    total = total * (c if Rated else x[4]) + (5 in Rated) * x[5] + (6 in Rated) * x[0]
    for k, o in enumerate((3, Rated(), Alike(), x)):
        total = total + isinstance(o, Rated) * x[k] ** 2 * (k + 1.0)
    return total + Rated()[c] * len(Rated())


@construct()
def members_that_are_missing(x, c):
    total = x[Rights(3)] ** 2 * c + (Rights(3) == Rights.READ | Rights.WRITE) * x[0]
    total = total + x[Lenient(7).value] ** 2
    try:
        total = total + Lenient(4).value
    except ValueError as error:
        total = total * x[4] + len(str(error))
    return total


@construct()
def metaclasses_made_inside(x, c):
    class Meta(type):
        def __getitem__(cls, k):
            return k * cls.rate

        def __len__(cls):
            return 4

    class Made(metaclass=Meta):
        rate = x[0] ** 2

    return Made[x[1] * c] * len(Made)


class Gains(float, enum.Enum):
    """Numbers that are members, which a text does not tell."""

    LOW = 0.5
    HIGH = 9.81


class Drawer(dict):
    """A dict whose items are its attributes, by methods that a dict has."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


@construct()
def methods_of_a_dict_as_special_ones(x, c):
    drawer = Drawer(a=x[0], b=c)
    drawer.d = x[1] * Gains.HIGH
    del drawer.b
    try:
        del drawer.b
    except KeyError as error:
        drawer.a *= x[2] * len(error.args)
    return drawer.a * drawer["d"] * len(drawer) + Gains.LOW * x[3]


@construct()
def views_joined_with_what_is_no_set(x, c):
    y, d = 0.0, {"a": x[0], "b": c, "d": x[1]}
    for key in sorted(d.keys() - ["b", "z"]):
        y = y + d[key] ** 2
    for key in sorted(d.keys() & {"b": 1, "d": 2}):
        y = y * 0.5 + d[key]
    for key in sorted(("a", "q") | d.keys()):
        y = y + d.get(key, x[2])
    for key in d.keys() ^ {"a": 0, "b": 0}:
        y = y * d[key]
    return y + d.keys().isdisjoint(["z"]) * x[3] - d.keys().isdisjoint(("z", "a")) * x[4]


class Costly:
    """It is sorted by its cost."""

    def __init__(self, cost, weight=1.0):
        self.cost, self.weight = cost, weight

    def __lt__(self, other):
        return self.cost < other.cost


class Dearest(Costly):
    """The dearest comes first."""

    def __lt__(self, other):
        return other.cost * 2 + other.weight < self.cost * 2 + self.weight


class Grouped(Costly):
    """By weight, then by cost, downwards."""

    __slots__ = ()

    def __lt__(self, other):
        return (other.weight, -other.cost) > (self.weight, -self.cost)


@dataclasses.dataclass(order=True)
class Placed:
    cost: float
    weight: float = dataclasses.field(default=1.0, compare=False)


@construct()
def objects_sorted_by_numbers(x, c):
    y = 0.0
    for kind in (Costly, Dearest, Grouped, Placed):
        made = [kind(x[0], 2.0), kind(c), kind(-x[1], 3.0), kind(x[2], c)]
        for place, one in enumerate(sorted(made)):
            y = y * 0.9 + (place + 1) * one.cost**2 * one.weight
        made.sort(reverse=True)
        y = y + made[0].cost * made[1].weight + sorted(made[:1])[0].cost
    return y
