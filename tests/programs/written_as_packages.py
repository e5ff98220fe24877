"""Programs as packages are written: controllers, expressions, portfolios, circuits, trees, queues."""

import abc
import collections
import collections.abc
import contextlib
import copy
import dataclasses
import datetime
import decimal
import enum
import functools
import heapq
import itertools
import math
import operator
import re
import types
import typing
import warnings

import numpy as np

from tests.programs.registry import program

X = np.array([0.62, 1.31, 0.87, 1.13, 0.74, 1.46])


class Mode(enum.Flag):
    NONE = 0
    HEAT = enum.auto()
    COOL = enum.auto()
    BOTH = HEAT | COOL


class Controller:
    def __init__(self, *, low, high, gain=0.3):
        self.low, self.high, self.gain = low, high, gain
        self.mode = Mode.NONE

    def run(self):
        """Gets temperatures, gives powers."""
        integral = 0.0
        temperature = yield
        try:
            while True:
                match temperature:
                    case t if t < self.low:
                        self.mode |= Mode.HEAT
                        error = self.low - t
                    case t if t > self.high:
                        self.mode |= Mode.COOL
                        error = self.high - t
                    case t:
                        error = 0.1 * (0.5 * (self.low + self.high) - t)
                integral += 0.1 * error
                temperature = yield self.gain * error + integral
        except GeneratorExit:
            self.mode &= ~Mode.COOL


@program(args=(15.0, 18.0, 21.0), wrt=(0, 1, 2), also=((25.0, 18.0, 21.0),))
def room_with_a_controller(t, low, high):
    controller = Controller(low=low, high=high)
    with contextlib.closing(controller.run()) as power:
        next(power)
        used = 0.0
        for _ in range(6):
            p = power.send(t)
            used += p**2
            t = t + 0.5 * p - 0.02 * (t - 10.0)
    return used + t * (2.0 if controller.mode & Mode.HEAT else 3.0)


class Expr:
    def __init__(self, f):
        self.f = f

    def _lift(op):
        def method(self, other):
            g = other.f if isinstance(other, Expr) else lambda **env: other
            return Expr(lambda **env: op(self.f(**env), g(**env)))

        def reflected(self, other):
            return Expr(lambda **env: op(other, self.f(**env)))

        return method, reflected

    __add__, __radd__ = _lift(operator.add)
    __sub__, __rsub__ = _lift(operator.sub)
    __mul__, __rmul__ = _lift(operator.mul)
    __truediv__, __rtruediv__ = _lift(operator.truediv)
    __pow__, __rpow__ = _lift(operator.pow)

    def __call__(self, **env):
        return self.f(**env)

    def __getattr__(self, name):
        if name.startswith("_") or not hasattr(np, name):
            raise AttributeError(name)
        return lambda: Expr(lambda **env: getattr(np, name)(self.f(**env)))


class Symbols:
    def __getattr__(self, name):
        return Expr(lambda **env: env[name])


@program(args=(1.2, 0.4), wrt=(0, 1))
def expressions_with_operators(x, y):
    s = Symbols()
    e = 2.0 ** (s.x * s.y) + (1.0 / s.x - s.y / 3.0).sin() * s.x**2
    total = 0.0
    for k in range(3):
        total += e(x=x + k, y=y) * (k + 1)
    return total + hasattr(e, "cosh") + 3 * hasattr(e, "nothing")


class Trade(typing.NamedTuple):
    day: datetime.date
    kind: str
    amount: float
    fee: decimal.Decimal = decimal.Decimal("0.25")

    @property
    def signed(self):
        return self.amount if self.kind == "buy" else -self.amount

    @classmethod
    def parse(cls, text, scale):
        day, kind, amount, *rest = text.split()
        fee = {"fee": decimal.Decimal(rest[0])} if rest else {}
        return cls(
            datetime.datetime.strptime(day, "%Y-%m-%d").date(), kind, float(amount) * scale, **fee
        )


TRADES = """2024-01-03 buy 2.0
2024-01-20 buy 1.0 0.10
2024-02-02 sell 1.5
2024-02-28 buy 3.0 1e-1"""


@program(args=(1.1, 0.05), wrt=(0, 1))
def portfolio_by_month(scale, growth):
    trades = [Trade.parse(line, scale) for line in TRADES.splitlines()]
    held, by_month = 0.0, {}
    start = trades[0].day
    for (year, month), group in itertools.groupby(trades, key=lambda t: (t.day.year, t.day.month)):
        total = 0.0
        for trade in group:
            years = (trade.day - start) / datetime.timedelta(days=365)
            total += trade.signed * math.exp(-growth * years) - float(trade.fee) * growth
        by_month |= {f"{year}-{month:02}": total}
        held += total
    return (
        held
        + sum(len(k) * v**2 for k, v in by_month.items())
        + trades[-1]._replace(amount=scale).amount
    )


class Component(abc.ABC):
    parts: typing.ClassVar[list] = []

    def __init__(self, **kwargs):
        if kwargs:
            raise TypeError(f"unexpected {sorted(kwargs)}")

    def __class_getitem__(cls, n):
        return type(f"{cls.__name__}{n}", (cls,), {"order": n})

    @property
    @abc.abstractmethod
    def impedance(self): ...

    def __or__(self, other):
        return Parallel(a=self, b=other)

    def __add__(self, other):
        return Series(a=self, b=other)


class Named:
    def __init__(self, *, name="", **kwargs):
        super().__init__(**kwargs)
        self.name = name


class Resistor(Named, Component):
    order = 1

    def __init__(self, r, **kwargs):
        super().__init__(**kwargs)
        self.r = r

    @property
    def impedance(self):
        return self.r * self.order


class Pair(Component):
    def __init__(self, *, a, b, **kwargs):
        super().__init__(**kwargs)
        self.a, self.b = a, b

    def __iter__(self):
        for part in (self.a, self.b):
            if isinstance(part, Pair):
                yield from part
            else:
                yield part


class Series(Pair):
    impedance = property(lambda self: self.a.impedance + self.b.impedance)


class Parallel(Pair):
    @property
    def impedance(self):
        return 1 / (1 / self.a.impedance + 1 / self.b.impedance)


@program(args=(2.0, 3.0, 5.0), wrt=(0, 1, 2))
def circuit_of_components(p, q, r):
    a, b = Resistor(p, name="a"), Resistor(q)
    c = Resistor[2](r, name="cc")
    net = (a + b) | c + (a | b)
    try:
        Resistor(p, colour="red")
    except TypeError as e:
        n = str(e).count("red") + str(e).count("colour")
    total = net.impedance
    for k, part in enumerate(net):
        total += len(part.name) * part.impedance ** (1 + k % 2)
    return total * n


def memo(f):
    @functools.wraps(f)
    def wrapper(n, *args):
        if n not in wrapper.table:
            wrapper.table[n] = f(n, *args)
            wrapper.misses += 1
        return wrapper.table[n]

    wrapper.table, wrapper.misses = {}, 0
    return wrapper


@program(args=(0.7, 1.3), wrt=(0, 1))
def recurrences_with_memory(x, y):
    @memo
    def legendre(n):
        if n < 2:
            return (1.0, x)[n]
        return ((2 * n - 1) * x * legendre(n - 1) - (n - 1) * legendre(n - 2)) / n

    @functools.lru_cache(maxsize=None)
    def chebyshev(n):
        match n:
            case 0:
                return 1.0
            case 1:
                return y
            case _:
                return 2.0 * y * chebyshev(n - 1) - chebyshev(n - 2)

    total = sum(legendre(k) * chebyshev(6 - k) for k in range(7))
    info = chebyshev.cache_info()
    return total * legendre.misses + info.hits + (legendre.__name__ == "legendre")


class Recorder:
    stack: typing.ClassVar[list] = []

    def __init__(self, name):
        self.name, self.rows = name, collections.defaultdict(list)

    def __enter__(self):
        self.stack.append(self)
        return self

    def __exit__(self, *exc):
        assert self.stack.pop() is self

    @classmethod
    def note(cls, **values):
        for recorder in cls.stack[-1:]:
            for key, value in values.items():
                recorder.rows[key].append(value)

    def __getattr__(self, name):
        try:
            return np.array(self.__dict__["rows"][name])
        except KeyError:
            raise AttributeError(name) from None


def predator_prey(x, y, rates, steps):
    a, b, c, d = rates
    for _ in range(steps):
        x, y = x + 0.05 * (a * x - b * x * y), y + 0.05 * (d * x * y - c * y)
        Recorder.note(prey=x, predators=y)
    return x, y


@program(args=(np.array([1.1, 0.4, 0.4, 0.1]), 2.0), wrt=(0, 1))
def simulation_with_recorders(rates, x):
    with Recorder("outer") as outer, Recorder("inner") as inner:
        x, y = predator_prey(x, 1.0, rates, 5)
        with contextlib.suppress(ZeroDivisionError):
            with Recorder("lost") as lost:
                predator_prey(x, y, rates, 2)
                raise ZeroDivisionError
        predator_prey(x, y, rates * 0.5, 2)
    Recorder.note(prey=0.0)
    return (
        inner.prey @ inner.predators + lost.prey.sum() * len(outer.rows) + lost.prey.mean() + x * y
    )


class Grid:
    def __init__(self, values, spacing):
        self.values, self.spacing = values, spacing

    @classmethod
    def from_function(cls, f, n, spacing):
        return cls(np.array([f(k * spacing) for k in range(n)]), spacing)

    def __getitem__(self, key):
        match key:
            case int(k):
                return self.values[k]
            case slice(start=a, stop=b, step=None):
                return Grid(self.values[a:b], self.spacing)
            case float(position):
                k, w = divmod(position / self.spacing, 1.0)
                return (1 - w) * self.values[int(k)] + w * self.values[int(k) + 1]
            case (first, *_):
                return self[first]
        raise TypeError(type(key).__name__)

    def __setitem__(self, key, value):
        self.values[key] = value

    def __len__(self):
        return len(self.values)

    def __matmul__(self, other):
        return self.spacing * (self.values @ getattr(other, "values", other))

    @property
    def derivative(self):
        return Grid(np.gradient(self.values, self.spacing), self.spacing)


@program(args=(0.8, 0.3), wrt=(0, 1))
def grid_of_values(a, h):
    grid = Grid.from_function(lambda t: math.sin(a * t) + t, 7, h)
    grid[0] = a * h
    grid[1:3] = grid[2:4].values * 2.0
    total = grid @ grid.derivative + grid[1:5] @ np.ones(4)
    for key in (2, 0.75, (3, ...)):
        total += grid[key] * len(grid)
    try:
        grid["x"]
    except TypeError as e:
        total *= len(e.args[0])
    return total


@dataclasses.dataclass
class Params:
    w: typing.Any
    b: typing.Any
    extra: dict = dataclasses.field(default_factory=dict)


@functools.singledispatch
def tree_map(tree, f):
    return f(tree)


@tree_map.register(list)
@tree_map.register(tuple)
def _(tree, f):
    return type(tree)(tree_map(t, f) for t in tree)


@tree_map.register
def _(tree: dict, f):
    return {k: tree_map(v, f) for k, v in tree.items()}


@tree_map.register
def _(tree: Params, f):
    return dataclasses.replace(
        tree, **{k.name: tree_map(getattr(tree, k.name), f) for k in dataclasses.fields(tree)}
    )


def flatten(tree):
    match tree:
        case dict():
            for key in sorted(tree):
                yield from flatten(tree[key])
        case list() | tuple():
            for item in tree:
                yield from flatten(item)
        case Params(w, b, extra):
            yield from flatten([w, b, extra])
        case leaf:
            yield leaf


@program(args=(np.array([[0.3, 0.8], [1.1, 0.2]]), 0.7), wrt=(0, 1))
def trees_mapped_and_flattened(w, b):
    tree = {"layers": [Params(w, b), Params(w.T, [b, 2.0 * b], {"scale": 3.0})], "out": (b, b**2)}
    for k in range(3):
        tree = tree_map(tree, lambda leaf: leaf * 0.9 + 0.1 * k)
    leaves = list(flatten(tree))
    return sum(np.sum(leaf) ** 2 for leaf in leaves) * len(leaves)


class Sparse(collections.abc.MutableMapping):
    def __init__(self, *args, **kwargs):
        self.data = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self.data.get(key, 0.0)

    def __setitem__(self, key, value):
        self.data[key] = value

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        yield from self.data

    def __len__(self):
        return len(self.data)

    def __copy__(self):
        return type(self)(self.data)

    def __matmul__(self, other):
        return sum((self[k] * other[k] for k in self.keys() & other.keys()), start=0.0)

    def __iadd__(self, other):
        for k in other:
            self[k] += other[k]
        return self


@program(args=(X, 0.4), wrt=(0, 1))
def sparse_vectors(x, c):
    u = Sparse(zip("abc", x[:3]))
    v = Sparse(b=c, d=x[3])
    w = copy.copy(u)
    w += v
    u["z"] += c
    del w["a"]
    popped = w.pop("c")
    total = u @ w + popped * len(w)
    for _ in range(3):
        w += {"b": 0.5 * w["b"], "q": c}
        total += w @ v
    return total + sum(v for k, v in sorted(w.items())) + ("a" in w) + w.setdefault("n", c * 3)


class EmptyInterval(ArithmeticError):
    pass


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    lo: float
    hi: float

    def __post_init__(self):
        if self.hi < self.lo:
            raise EmptyInterval(f"{self.lo} > {self.hi}")

    @classmethod
    def around(cls, x, r):
        return cls(x - r, x + r)

    def __contains__(self, x):
        return self.lo <= x <= self.hi

    def __and__(self, other):
        return Interval(max(self.lo, other.lo), min(self.hi, other.hi))

    def __mul__(self, other):
        if not isinstance(other, Interval):
            return NotImplemented
        ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(ends), max(ends))

    @property
    def width(self):
        return self.hi - self.lo


@program(args=(1.0, 1.3, 0.4), wrt=(0, 1, 2), also=((1.0, 3.3, 0.4),))
def intervals_that_meet_or_not(a, b, r):
    one, two = Interval.around(a, r), Interval.around(b, r)
    try:
        common = one & two
    except EmptyInterval as e:
        common = Interval(0.0, b - a)
    total = common.width
    for x in (a, 0.5 * (a + b), b):
        if x in common and x not in (0.0, 1e9):
            total += (one * two).width * x
    try:
        total += functools.reduce(operator.and_, [one, two, Interval(a, a + 1.0)]).width
    except EmptyInterval:
        total -= one.width * two.hi
    return total


UNITS = {"m": 1.0, "cm": 1e-2, "km": 1e3}


PATTERN = re.compile(r"(?P<sign>[+-])?\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>k?m|cm)")


@program(args=(1.2, 0.3), wrt=(0, 1))
def lengths_parsed_from_text(x, y):
    calls = 0

    def factor(match):
        nonlocal calls
        calls += 1
        sign = -1.0 if match["sign"] == "-" else 1.0
        return sign * float(match["number"]) * UNITS[match.group("unit")]

    total = 0.0
    for text, weight in {"2.5 km": x, "- 30cm": y, "4 parsec": x * y, "7m": 1.0}.items():
        if (found := PATTERN.match(text)) is None:
            warnings.warn(f"no length: {text}", stacklevel=2) if calls > 99 else None
            total += weight
            continue
        total += factor(found) * weight**2 * 1e-2
    parts = [m["unit"] for m in PATTERN.finditer("3 m, 5 cm; -2km")]
    return total * calls + len(",".join(parts)) * x


class StepRejected(Exception):
    def __init__(self, error):
        self.error = error


class Solver:
    order: int
    subclasses: dict = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Solver.subclasses[cls.__name__.lower()] = cls

    def __init__(self, f, tol=1e-4):
        self.f, self.tol = f, tol
        self.stats = collections.Counter()

    def solve(self, y, t, end):
        h = 0.2
        while t < end - 1e-12:
            h = min(h, end - t)
            try:
                y_new, error = self.checked(t, y, h)
            except StepRejected as rejected:
                self.stats["rejected"] += 1
                h = 0.5 * h
                continue
            self.stats["accepted"] += 1
            t, y = t + h, y_new
        return y

    def checked(self, t, y, h):
        y_new, error = self.step(t, y, h)
        if error > self.tol:
            raise StepRejected(error)
        return y_new, error


class Heun(Solver):
    order = 2

    def step(self, t, y, h):
        k1 = self.f(t, y)
        k2 = self.f(t + h, y + h * k1)
        return y + 0.5 * h * (k1 + k2), 0.5 * h * abs(k2 - k1)


class Midpoint(Solver):
    order = 2

    def step(self, t, y, h):
        k1 = self.f(t, y)
        k2 = self.f(t + h / 2, y + h / 2 * k1)
        return y + h * k2, abs(h * (k2 - k1))


@program(args=(1.0, 0.7), wrt=(0, 1))
def adaptive_solvers(y0, rate):
    total = 0.0
    for name, solver in Solver.subclasses.items():
        s = solver(lambda t, y: -rate * y + 0.1 * math.sin(t), tol=2e-2)
        total += s.solve(y0, 0.0, 1.0) * len(name)
    return total


@dataclasses.dataclass(order=True)
class Event:
    time: int
    action: typing.Any = dataclasses.field(compare=False)
    value: typing.Any = dataclasses.field(compare=False, default=None)


@program(args=(1.3, 0.4), wrt=(0, 1))
def events_in_a_queue(x, c):
    queue = []
    state = types.SimpleNamespace(level=x, log=[])

    def add(event):
        state.level += event.value
        state.log.append(state.level)
        if event.time < 6:
            heapq.heappush(
                queue, dataclasses.replace(event, time=event.time + 3, value=event.value * c)
            )

    def scale(event):
        state.level *= event.value

    for t, action, v in [(4, scale, c), (1, add, x), (2, add, c), (7, scale, 2.0)]:
        heapq.heappush(queue, Event(t, action, v))
    while queue:
        event = heapq.heappop(queue)
        event.action(event)
    return state.level + sum(state.log) * len(state.log)


class Busy(RuntimeError):
    pass


class Slot:
    def __init__(self, capacity):
        self.capacity, self.used = capacity, 0.0

    @contextlib.contextmanager
    def take(self, amount):
        if self.used + amount > self.capacity:
            raise Busy(f"{amount:.2f} of {self.capacity - self.used:.2f}", amount)
        self.used += amount
        try:
            yield self.capacity - self.used
        finally:
            self.used -= 0.5 * amount


class Guard:
    def __init__(self, slot, amount):
        self.slot, self.amount = slot, amount

    def __enter__(self):
        if self.amount > self.slot.capacity:
            raise Busy("never", self.amount)
        self.slot.used += self.amount
        return self

    def __exit__(self, *exc):
        self.slot.used -= self.amount


@program(args=(2.0, 0.7), wrt=(0, 1), also=((1.0, 0.7),))
def slots_that_may_be_busy(capacity, amount):
    slot = Slot(capacity)
    total = 0.0
    for k in range(5):
        try:
            with slot.take(amount * (k + 1) * 0.5) as left:
                total += left**2
        except Busy as e:
            total += e.args[1] * len(e.args)
    return total + slot.used


@program(args=(2.0, 0.7), wrt=(0, 1), also=((1.05, 0.7), (0.4, 0.9)))
def guards_that_may_raise(capacity, amount):
    slot = Slot(capacity)
    total = 0.0
    for k in range(4):
        try:
            with Guard(slot, amount + 0.3 * k) as g:
                total += g.slot.used**2
                if total > 3.0:
                    raise ValueError(total)
        except Busy as e:
            total += 3.0 * e.args[1]
        except ValueError as e:
            total -= 0.5 * e.args[0]
        else:
            total *= 1.1
        finally:
            slot.used += 0.1 * amount
    return total + slot.used


class Operator:
    shape: tuple

    def __matmul__(self, other):
        return Product(self, other) if isinstance(other, Operator) else self.apply(other)

    def __add__(self, other):
        if not isinstance(other, Operator):
            return NotImplemented
        if self.shape != other.shape:
            raise ValueError(self.shape, other.shape)
        return SumOf(self, other)

    def __neg__(self):
        return -1.0 * self

    def __rmul__(self, factor):
        return Scaled(factor, self)

    @functools.cached_property
    def dense(self):
        return np.array([self.apply(e) for e in np.eye(self.shape[1])]).T


class Diagonal(Operator):
    def __init__(self, d):
        self.d, self.shape = d, (len(d), len(d))

    def apply(self, x):
        return self.d * x


class Shift(Operator):
    def __init__(self, n, by):
        self.shape, self.by = (n, n), by

    def apply(self, x):
        return np.roll(x, self.by)


class Product(Operator):
    def __init__(self, *parts):
        self.parts = [q for p in parts for q in (p.parts if isinstance(p, Product) else [p])]
        self.shape = (self.parts[0].shape[0], self.parts[-1].shape[1])

    def apply(self, x):
        return functools.reduce(lambda v, p: p.apply(v), reversed(self.parts), x)


class SumOf(Operator):
    def __init__(self, a, b):
        self.a, self.b, self.shape = a, b, a.shape

    def apply(self, x):
        return self.a.apply(x) + self.b.apply(x)


class Scaled(Operator):
    def __init__(self, factor, inner):
        self.factor, self.inner, self.shape = factor, inner, inner.shape

    def apply(self, x):
        return self.factor * self.inner.apply(x)


@program(args=(X[:4], 0.8), wrt=(0, 1))
def operators_that_are_lazy(x, c):
    d, s = Diagonal(x), Shift(4, 1)
    a = c * (d @ s @ d) + -(s @ s)
    y = x
    for _ in range(3):
        y = a @ y + c * x
    try:
        a + Shift(3, 1)
    except ValueError as e:
        n = e.args[1][0]
    return y @ a.dense @ y + n * np.trace(a.dense) + np.sum((d + s).dense ** 2)
