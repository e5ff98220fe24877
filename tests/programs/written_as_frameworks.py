"""Models as frameworks write them.

Layers, parameters and optimisers as classes, registries filled by decorators, hooks and state kept
on objects, mappings of their own, contexts that are entered, descriptors and class factories.
"""

import contextlib
import enum
import functools
import operator
from abc import ABC, abstractmethod
from collections import OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.programs.registry import program

W = np.array([[0.4, -0.3], [0.2, 0.9]])
X = np.array([0.7, -1.1])

ACTIVATIONS: dict[str, Any] = {}


def activation(name):
    def register(function):
        ACTIVATIONS[name] = function
        return function

    return register


@activation("tanh")
def _tanh(x):
    return np.tanh(x)


@activation("softplus")
def _softplus(x):
    return np.logaddexp(0.0, x)


class Module:
    """Keeps what is assigned to it apart: parameters, modules, the rest."""

    def __init__(self):
        object.__setattr__(self, "_parameters", OrderedDict())
        object.__setattr__(self, "_modules", OrderedDict())
        self.training = True

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        for kept in ("_parameters", "_modules"):
            found = self.__dict__.get(kept, {})
            if name in found:
                return found[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def parameters(self):
        yield from self._parameters.values()
        for module in self._modules.values():
            yield from module.parameters()

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def train(self, mode=True):
        self.training = mode
        for module in self._modules.values():
            module.train(mode)
        return self


class Parameter:
    def __init__(self, data):
        self.data = data


class Linear(Module):
    def __init__(self, weight, bias=None):
        super().__init__()
        self.weight = Parameter(weight)
        self.bias = Parameter(bias) if bias is not None else None

    def forward(self, x):
        y = self.weight.data @ x
        return y if self.bias is None else y + self.bias.data


class Activation(Module):
    def __init__(self, name):
        super().__init__()
        self.function = ACTIVATIONS[name]

    def forward(self, x):
        return self.function(x)


class Sequential(Module):
    def __init__(self, *modules):
        super().__init__()
        for k, module in enumerate(modules):
            setattr(self, str(k), module)

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x

    def __len__(self):
        return len(self._modules)


@program(args=(W, X), wrt=(0, 1))
def network_of_modules(w, x):
    net = Sequential(Linear(w, x), Activation("tanh"), Linear(w.T), Activation("softplus"))
    penalty = sum((p.data**2).sum() for p in net.parameters())
    return net(x).sum() + 0.1 * penalty / len(net)


@program(args=(W, X), wrt=(0, 1))
def modes_of_a_module(w, x):
    class Dropout(Module):
        def forward(self, x):
            if self.training:
                return x * np.array([1.0, 0.0])
            return x

    net = Sequential(Linear(w), Dropout())
    first = net(x)
    second = net.train(False)(x)
    return (first * second).sum()


class Optimizer(ABC):
    def __init__(self, rate):
        self.rate = rate
        self.state = defaultdict(dict)

    @abstractmethod
    def update(self, name, value, slope): ...

    def step(self, values, slopes):
        return {name: self.update(name, v, slopes[name]) for name, v in values.items()}


class Momentum(Optimizer):
    def __init__(self, rate, beta=0.9):
        super().__init__(rate)
        self.beta = beta

    def update(self, name, value, slope):
        state = self.state[name]
        if "velocity" not in state:
            state["velocity"] = slope
        else:
            state["velocity"] = self.beta * state["velocity"] + slope
        return value - self.rate * state["velocity"]


class Adam(Optimizer):
    def update(self, name, value, slope):
        state = self.state[name]
        if not state:
            state.update(m=0.0, v=0.0, t=0)
        state["t"] += 1
        state["m"] = 0.9 * state["m"] + 0.1 * slope
        state["v"] = 0.99 * state["v"] + 0.01 * slope**2
        m = state["m"] / (1 - 0.9 ** state["t"])
        v = state["v"] / (1 - 0.99 ** state["t"])
        return value - self.rate * m / (np.sqrt(v) + 1e-8)


@program(args=(0.3, 1.2, 0.05), wrt=(0, 1, 2))
def steps_of_optimisers(a, b, rate):
    total = 0.0
    for make in (Momentum, Adam):
        optimizer = make(rate)
        values = {"a": a, "b": b}
        for _ in range(4):
            slopes = {"a": 2 * values["a"] - values["b"], "b": 4 * values["b"] ** 3 - values["a"]}
            values = optimizer.step(values, slopes)
        total += values["a"] ** 2 + values["b"]
    return total


@dataclass(frozen=True)
class Config:
    width: float = 1.0
    depth: int = 2
    scales: tuple[float, ...] = (1.0, 2.0)
    extra: dict[str, float] = field(default_factory=dict)

    def __post_init__(self):
        if self.depth < 0:
            raise ValueError("depth")
        object.__setattr__(self, "area", self.width * self.depth)


@program(args=(0.8, 1.7), wrt=(0, 1))
def configurations(width, scale):
    config = Config(width, extra={"s": scale})
    wider = replace(config, width=config.width * 2.0, scales=(*config.scales, scale))
    return wider.area * sum(wider.scales) + config.extra["s"] * config.area


class Bounded:
    """A descriptor that checks and transforms what is assigned."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name[1:]} must lie in [{self.low}, {self.high}]")
        setattr(instance, self.name, value)


class Oscillator:
    damping = Bounded(0.0, 1.0)
    stiffness = Bounded(0.1, 10.0)

    def __init__(self, damping, stiffness):
        self.damping = damping
        self.stiffness = stiffness

    @functools.cached_property
    def frequency(self):
        return np.sqrt(self.stiffness - self.damping**2)

    @classmethod
    def default(cls, **kwargs):
        return cls(**{"damping": 0.1, "stiffness": 2.0, **kwargs})

    @staticmethod
    def envelope(t, c):
        return np.exp(-c * t)

    def __call__(self, t):
        return self.envelope(t, self.damping) * np.cos(self.frequency * t)


@program(args=(0.3, 2.5), wrt=(0, 1))
def descriptors_checked(c, k):
    first = Oscillator(c, k)
    second = Oscillator.default(stiffness=k)
    try:
        first.damping = c + 5.0
    except ValueError:
        first.damping = c / 2
    return first(1.3) + second(0.4) * first.frequency


class Units(enum.Enum):
    METRE = ("m", 1.0)
    FOOT = ("ft", 0.3048)
    MILE = ("mi", 1609.344)

    def __init__(self, symbol, factor):
        self.symbol = symbol
        self.factor = factor

    @classmethod
    def of(cls, symbol):
        for unit in cls:
            if unit.symbol == symbol:
                return unit
        raise LookupError(symbol)


class Quantity:
    """A number with a unit: what packages of units have at their core."""

    __slots__ = ("value", "unit")
    __array_priority__ = 20

    def __init__(self, value, unit):
        self.value = value
        self.unit = Units.of(unit) if isinstance(unit, str) else unit

    def to(self, unit):
        unit = Units.of(unit)
        return Quantity(self.value * self.unit.factor / unit.factor, unit)

    def __add__(self, other):
        if isinstance(other, Quantity):
            return Quantity(self.value + other.to(self.unit.symbol).value, self.unit)
        return NotImplemented

    def __mul__(self, other):
        if isinstance(other, Quantity):
            return NotImplemented
        return Quantity(self.value * other, self.unit)

    __rmul__ = __mul__

    def __lt__(self, other):
        return self.to("m").value < other.to("m").value

    def __format__(self, spec):
        return format(float(self.value), spec) + self.unit.symbol


@program(args=(3.0, 700.0), also=((0.1, 2000.0),), wrt=(0, 1))
def quantities_with_units(miles, feet):
    a, b = Quantity(miles, "mi"), Quantity(feet, "ft")
    total = 2.0 * a + b * 0.5
    longest = max([a, b, total])
    return total.to("m").value * 1e-3 + longest.to("ft").value * 1e-4


class Registry(UserDict):
    def __missing__(self, key):
        self.data[key] = value = len(self.data) + 1.0
        return value

    def __setitem__(self, key, item):
        super().__setitem__(str(key), item)


@program(args=(1.5,))
def mapping_of_ones_own(x):
    registry = Registry()
    registry[1] = x
    registry["b"] = x * registry["1"]
    return sum(registry[k] for k in ("1", "b", "c")) + len(registry) * x


class Window(MutableMapping):
    """A mapping over positions whose items are computed as they are read."""

    def __init__(self, items):
        self._items = dict(items)

    def __getitem__(self, key):
        return self._items[key] * 2.0

    def __setitem__(self, key, value):
        self._items[key] = value / 2.0

    def __delitem__(self, key):
        del self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)


@program(args=(1.5, 0.4), wrt=(0, 1))
def abstract_mapping(x, y):
    window = Window([("x", x), ("y", y)])
    window.update(z=x * y)
    x_was = window.pop("x")
    window["y"] += 1.0
    absent = window.get("w", x)
    return sum(window.values()) * x_was + absent + len(window)


class Polynomial(Sequence):
    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __getitem__(self, k):
        return self.coefficients[k]

    def __len__(self):
        return len(self.coefficients)

    def __call__(self, x):
        return functools.reduce(lambda total, c: total * x + c, reversed(self), 0.0)

    def __matmul__(self, other):
        product = [0.0] * (len(self) + len(other) - 1)
        for (i, a), (j, b) in ((p, q) for p in enumerate(self) for q in enumerate(other)):
            product[i + j] += a * b
        return Polynomial(*product)

    def derivative(self):
        return Polynomial(*(k * c for k, c in enumerate(self) if k))


@program(args=(0.7, 1.3), wrt=(0, 1))
def sequence_of_ones_own(x, c):
    p = Polynomial(1.0, c, c * c)
    q = p @ p.derivative()
    return q(x) + (q[-1] if len(q) == 4 else 0.0) + max(p)


@contextlib.contextmanager
def scaled(state, factor):
    state.scale *= factor
    try:
        yield state
    finally:
        state.scale /= factor


@program(args=(1.4, 0.6), wrt=(0, 1))
def scopes_of_settings(x, y):
    state = SimpleNamespace(scale=1.0, log=[])
    with scaled(state, 2.0 * y) as s, scaled(s, x):
        state.log.append(state.scale * x)
        with contextlib.suppress(KeyError):
            with scaled(state, 10.0):
                state.log.append(state.scale)
                raise KeyError("left early")
    state.log.append(state.scale)
    return sum(state.log)


class Timer:
    """Entered again and again; keeps what it saw."""

    depth = 0

    def __init__(self):
        self.seen = []

    def __enter__(self):
        type(self).depth += 1
        return self

    def __exit__(self, kind, value, traceback):
        type(self).depth -= 1
        self.seen.append(kind is None)
        return kind is ValueError


@program(args=(1.4,), also=((-0.4,),))
def swallowed_by_the_context(x):
    timer = Timer()
    y = x
    for k in range(3):
        with timer:
            y = y * 1.5
            if k == 1:
                raise ValueError(k)
            y = y + x**k
    assert sum(timer.seen) == 2 and Timer.depth == 0
    return y


def chain(*functions):
    return functools.reduce(lambda f, g: lambda *a: g(f(*a)), functions)


@program(args=(0.9,))
def functions_composed(x):
    double = functools.partial(operator.mul, 2.0)
    return chain(np.sin, double, lambda v: (v, v * v), lambda p: p[0] + p[1] ** 2)(x)


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@program(args=(0.9, 0.3), wrt=(0, 1))
def state_on_a_wrapper(x, y):
    @counted
    def energy(q, p=0.0):
        return q**4 + p * p / 2

    total = energy(x) + energy(y, p=x) + energy(p=y, q=x * y)
    return total * energy.calls


@program(args=(np.array([0.3, 1.2, 2.2]),))
def callbacks_and_history(x0):
    history = []

    def callback(x, k, *, stop=1e-3):
        history.append(float((x**2).sum()))
        return len(history) > 1 and abs(history[-1] - history[-2]) < stop

    x = x0
    for k in range(20):
        x = x - 0.1 * (x - np.cos(x))
        if callback(x, k):
            break
    return x.sum() + len(history) * x0[0]


@program(args=(0.6, 1.1), wrt=(0, 1))
def events_in_a_queue(x, rate):
    queue = deque([("start", x)], maxlen=8)
    handlers = {}

    def on(name):
        def register(handler):
            handlers.setdefault(name, []).append(handler)
            return handler

        return register

    total = 0.0

    @on("start")
    def begin(value):
        for k in range(3):
            queue.append(("tick", value * rate**k))

    @on("tick")
    def tick(value):
        nonlocal total
        total += value
        if len(queue) == 0:
            queue.append(("end", total))

    @on("end")
    def end(value):
        nonlocal total
        total = total * value

    while queue:
        name, value = queue.popleft()
        for handler in handlers.get(name, ()):
            handler(value)
    return total


class Meta(type):
    registry: dict[str, Any] = {}

    def __new__(mcls, name, bases, namespace, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace)
        cls.kind = kwargs.get("kind", name.lower())
        Meta.registry[cls.kind] = cls
        return cls


class Kernel(metaclass=Meta, kind="base"):
    def __init__(self, length):
        self.length = length

    def __add__(self, other):
        return Sum(self, other)


class Gaussian(Kernel, kind="rbf"):
    def __call__(self, a, b):
        return np.exp(-(((a - b) / self.length) ** 2) / 2)


class Periodic(Kernel):
    def __call__(self, a, b):
        return np.exp(-2 * np.sin(abs(a - b) / self.length) ** 2)


class Sum(Kernel, kind="sum"):
    def __init__(self, *parts):
        self.parts = parts

    def __call__(self, a, b):
        return sum(part(a, b) for part in self.parts)


@program(args=(np.array([0.1, 0.5, 1.4]), 0.8), wrt=(0, 1))
def kernels_by_name(x, length):
    kernel = Meta.registry["rbf"](length) + Meta.registry["periodic"](2.0 * length)
    K = np.array([[kernel(a, b) for b in x] for a in x])
    return np.linalg.slogdet(K + np.eye(len(x)))[1]


class Interval:
    """Bounds that go through operators, as in interval arithmetic."""

    def __init__(self, low, high=None):
        self.low = low
        self.high = low if high is None else high

    def __repr__(self):
        return f"[{self.low:.3g}, {self.high:.3g}]"

    def __add__(self, other):
        other = other if isinstance(other, Interval) else Interval(other)
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __sub__(self, other):
        return self + -(other if isinstance(other, Interval) else Interval(other))

    def __mul__(self, other):
        other = other if isinstance(other, Interval) else Interval(other)
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    __radd__, __rmul__ = __add__, __mul__

    def __contains__(self, x):
        return self.low <= x <= self.high

    def __iter__(self):
        yield self.low
        yield self.high


@program(args=(0.4, 1.9), also=((-1.2, 0.5),), wrt=(0, 1))
def intervals(a, b):
    box = Interval(a, b)
    image = 2.0 * (box * box) - box + 1.0
    low, high = image
    return high - low if 1.0 in image else high * low


class History(UserList):
    def best(self, key=None):
        return min(self, key=key)


@program(args=(np.array([0.9, 0.2, 0.5]),))
def list_of_ones_own(x):
    history = History()
    for k, v in enumerate(x):
        history.append(SimpleNamespace(loss=(v - 0.3) ** 2, at=v, step=k))
    best = history.best(key=lambda h: h.loss)
    return best.at * x.sum() + best.step


@program(args=(1.3, 0.7), wrt=(0, 1))
def visitors(x, y):
    class Node:
        def __init__(self, *children):
            self.children = children

        def accept(self, visitor):
            name = "visit_" + type(self).__name__.lower()
            return getattr(visitor, name, visitor.generic)(self)

    class Add(Node):
        pass

    class Mul(Node):
        pass

    class Leaf(Node):
        def __init__(self, value):
            super().__init__()
            self.value = value

    class Evaluate:
        def generic(self, node):
            raise TypeError(type(node).__name__)

        def visit_add(self, node):
            return sum(child.accept(self) for child in node.children)

        def visit_mul(self, node):
            total = 1.0
            for child in node.children:
                total *= child.accept(self)
            return total

        def visit_leaf(self, node):
            return node.value

    tree = Add(Mul(Leaf(x), Leaf(y), Leaf(x)), Leaf(y), Mul(Leaf(3.0), Leaf(x)))
    return tree.accept(Evaluate())


class Lazy(Mapping):
    """Items that are made when they are first read."""

    def __init__(self, **makers):
        self._makers = makers
        self._made = {}

    def __getitem__(self, key):
        if key not in self._made:
            self._made[key] = self._makers[key](self)
        return self._made[key]

    def __iter__(self):
        return iter(self._makers)

    def __len__(self):
        return len(self._makers)


@program(args=(1.1,))
def graph_of_lazy_values(x):
    values = Lazy(
        a=lambda v: x * 2.0,
        b=lambda v: v["a"] ** 2 + v["c"],
        c=lambda v: np.sin(v["a"]),
        d=lambda v: v["b"] * v["c"],
    )
    return values["d"] + sum(values.values()) / len(values)


@program(args=(np.array([0.4, 0.9]), 0.5), wrt=(0, 1))
def pipeline_of_steps(x, shift):
    class Step:
        fitted = False

        def fit(self, x):
            self.fitted = True
            return self

        def fit_transform(self, x):
            return self.fit(x).transform(x)

    class Scale(Step):
        def fit(self, x):
            self.mean_, self.scale_ = x.mean(), x.std() + shift
            return super().fit(x)

        def transform(self, x):
            if not self.fitted:
                raise RuntimeError("not fitted")
            return (x - self.mean_) / self.scale_

    class Square(Step):
        def transform(self, x):
            return x**2 + shift

    class Pipeline(Step):
        def __init__(self, steps):
            self.steps = steps
            self.named_steps = dict(steps)

        def fit_transform(self, x):
            for name, step in self.steps:
                x = step.fit_transform(x)
            return x

    pipe = Pipeline([("scale", Scale()), ("square", Square())])
    y = pipe.fit_transform(x)
    return y @ np.array([1.0, 2.0]) + pipe.named_steps["scale"].mean_
