"""Programs as libraries are written: registries, parsers, descriptors, solvers, graphs of tasks."""

import abc
import collections
import collections.abc
import contextlib
import dataclasses
import datetime
import enum
import fractions
import functools
import itertools
import math
import operator
import typing

import numpy as np

from tests.programs.registry import program

X = np.array([0.62, 1.31, 0.87, 1.13, 0.74, 1.46])


class Kernel(abc.ABC):
    registry: dict = {}

    def __init_subclass__(cls, *, key, **kwargs):
        super().__init_subclass__(**kwargs)
        Kernel.registry[key] = cls

    def __init__(self, *parameters):
        self.parameters = parameters

    @abc.abstractmethod
    def __call__(self, r): ...

    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, factor):
        return Scaled(self, factor)

    __rmul__ = __mul__

    @classmethod
    def of(cls, text, *parameters):
        try:
            return cls.registry[text](*parameters)
        except KeyError as e:
            raise ValueError(f"no kernel {text!r}") from e


class Gaussian(Kernel, key="rbf"):
    def __call__(self, r):
        (length,) = self.parameters
        return np.exp(-0.5 * (r / length) ** 2)


class Rational(Kernel, key="rq"):
    def __call__(self, r):
        length, alpha = self.parameters
        return (1.0 + r**2 / (2.0 * alpha * length**2)) ** -alpha


class Sum(Kernel, key="sum"):
    def __call__(self, r):
        return sum(k(r) for k in self.parameters)


class Scaled(Kernel, key="scaled"):
    def __call__(self, r):
        match self.parameters:
            case (Kernel() as kernel, float() as factor):
                return factor * kernel(r)
            case _:
                raise TypeError("scaled")


@program(args=(np.array([0.3, 1.1, 2.0]), 0.8, 1.4), wrt=(0, 1, 2))
def kernels_of_a_registry(x, length, alpha):
    try:
        kernel = Kernel.of("periodic", length)
    except ValueError as e:
        kernel = Kernel.of("rbf" if "periodic" in str(e) else "rq", length)
    kernel = kernel * 0.5 + 2.0 * Kernel.of("rq", length, alpha)
    total = 0.0
    for a, b in itertools.combinations_with_replacement(x, 2):
        total += kernel(a - b) * a
    return total


class Bounded:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, value):
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name[1:]} is {value}")
        setattr(obj, self.name, value)


class Oscillator:
    damping = Bounded(0.0, 1.0)
    stiffness = Bounded(0.1, 50.0)

    def __init__(self, damping, stiffness):
        self.damping, self.stiffness = damping, stiffness
        self.history = collections.deque(maxlen=3)

    @contextlib.contextmanager
    def changed(self, **values):
        before = {name: getattr(self, name) for name in values}
        try:
            for name, value in values.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def steps(self, u, v, h):
        while True:
            v = v - h * (self.stiffness * u + self.damping * v)
            u = u + h * v
            self.history.append(u)
            yield u, v


@program(args=(1.2, 0.3, 4.0), wrt=(0, 1, 2))
def oscillator_with_descriptors(u0, damping, stiffness):
    osc = Oscillator(damping, stiffness)
    energy = 0.0
    for u, v in itertools.islice(osc.steps(u0, 0.0, 0.05), 10):
        energy += 0.5 * v * v
    with osc.changed(damping=0.5 * damping + 0.2):
        for k, (u, v) in enumerate(osc.steps(u, v, 0.05)):
            if k == 5:
                break
            energy += u**2
    try:
        osc.damping = 1.0 + damping
    except ValueError:
        energy *= osc.damping + 1.0
    return energy + sum(osc.history)


@dataclasses.dataclass(frozen=True)
class Num:
    value: float


@dataclasses.dataclass(frozen=True)
class Var:
    name: str


@dataclasses.dataclass(frozen=True)
class Bin:
    op: str
    left: object
    right: object


@functools.singledispatch
def evaluate(node, env):
    raise NotImplementedError(type(node).__name__)


@evaluate.register
def _(node: Num, env):
    return node.value


@evaluate.register
def _(node: Var, env):
    return env[node.name]


OPS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}


@evaluate.register
def _(node: Bin, env):
    return OPS[node.op](evaluate(node.left, env), evaluate(node.right, env))


def tokens(text):
    number = ""
    for ch in text:
        if ch.isdigit() or ch == ".":
            number += ch
            continue
        if number:
            yield float(number)
            number = ""
        if ch != " ":
            yield ch
    if number:
        yield float(number)


class Parser:
    levels = ({"+", "-"}, {"*", "/"}, {"^"})

    def __init__(self, text):
        self.tokens = collections.deque(tokens(text))

    def expression(self, level=0):
        if level == len(self.levels):
            return self.atom()
        node = self.expression(level + 1)
        while self.tokens and self.tokens[0] in self.levels[level]:
            op = self.tokens.popleft()
            node = Bin(op, node, self.expression(level + 1))
        return node

    def atom(self):
        match self.tokens.popleft():
            case "(":
                node = self.expression()
                self.tokens.popleft()
                return node
            case float(v):
                return Num(v)
            case str(name):
                return Var(name)


@program(args=(1.3, 0.7), wrt=(0, 1))
def formula_parsed_and_evaluated(x, y):
    tree = Parser("2 * x ^ 2 - (y + 3.5) / x + x * y").expression()
    env = collections.ChainMap({"y": y}, {"x": x, "y": 0.0})
    total = 0.0
    for k in range(3):
        total += evaluate(tree, env.new_child({"x": x + 0.1 * k}))
    return total


class Frequency(enum.Enum):
    ANNUAL = (1, "A")
    SEMI = (2, "S")
    QUARTER = (4, "Q")

    def __init__(self, per_year, letter):
        self.per_year = per_year
        self.letter = letter

    @property
    def fraction(self):
        return fractions.Fraction(1, self.per_year)

    @classmethod
    def from_letter(cls, letter):
        for member in cls:
            if member.letter == letter:
                return member
        raise LookupError(letter)


@dataclasses.dataclass
class Bond:
    face: float
    coupon: float
    maturity: datetime.date
    frequency: Frequency = Frequency.SEMI

    def flows(self, today):
        t = fractions.Fraction((self.maturity - today).days, 365)
        while t > 0:
            yield float(t), self.face * self.coupon * float(self.frequency.fraction)
            t -= self.frequency.fraction
        yield (self.maturity - today).days / 365, self.face

    def price(self, today, rate):
        return sum(amount * math.exp(-rate * t) for t, amount in self.flows(today))


@program(args=(0.04, 0.03, 100.0), wrt=(0, 1, 2))
def bonds_by_frequency(rate, coupon, face):
    today = datetime.date(2024, 2, 29)
    count = collections.Counter()
    total = 0.0
    for letter in "ASQX":
        try:
            frequency = Frequency.from_letter(letter)
        except LookupError:
            frequency = Frequency.ANNUAL
        count[frequency] += 1
        bond = Bond(face, coupon, datetime.date(2026, 8, 29), frequency)
        total += bond.price(today, rate + 0.001 * count[frequency])
    (top, n), *_ = count.most_common()
    return total / n + top.per_year


class State(typing.NamedTuple):
    t: float
    y: np.ndarray

    def moved(self, h, k):
        return self._replace(t=self.t + h, y=self.y + h * k)


class Terminate(Exception):
    def __init__(self, state, reason):
        super().__init__(reason)
        self.state = state


class Tableau:
    __slots__ = ("a", "b", "c")

    def __init__(self, a, b):
        self.a, self.b = a, b
        self.c = [sum(row) for row in a]

    def stages(self, f, s, h):
        ks = []
        for row, c in zip(self.a, self.c):
            y = s.y + h * sum((a * k for a, k in zip(row, ks)), np.zeros_like(s.y))
            ks.append(f(s.t + c * h, y))
        return ks

    def step(self, f, s, h):
        ks = self.stages(f, s, h)
        return s.moved(h, sum(b * k for b, k in zip(self.b, ks)))


RK4 = Tableau([[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])


def integrate(f, state, h, n, event=None):
    for _ in range(n):
        state = RK4.step(f, state, h)
        if event is not None and event(state) < 0.0:
            raise Terminate(state, "event")
    return state


@program(args=(np.array([1.0, 2.0]), 9.81), wrt=(0, 1))
def projectile_until_an_event(y0, g):
    def f(t, y):
        return np.array([y[1], -g - 0.1 * y[1] * abs(y[1])])

    try:
        state = integrate(f, State(0.0, y0), 0.04, 60, event=lambda s: s.y[0])
    except Terminate as e:
        state = e.state
        if e.args != ("event",):
            raise
    return state.y @ np.array([1.0, 0.5]) + state.t


class Node:
    __slots__ = ("value", "next")

    def __init__(self, value, next=None):
        self.value, self.next = value, next


class Linked(collections.abc.Sequence):
    def __init__(self, values=()):
        self.head = None
        self._length = 0
        for v in reversed(tuple(values)):
            self.head = Node(v, self.head)
            self._length += 1

    def __len__(self):
        return self._length

    def __iter__(self):
        node = self.head
        while node is not None:
            yield node.value
            node = node.next

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Linked([self[i] for i in range(*index.indices(len(self)))])
        if index < 0:
            index += len(self)
        for k, value in enumerate(self):
            if k == index:
                return value
        raise IndexError(index)

    def __iadd__(self, values):
        for v in values:
            node = Node(v)
            if self.head is None:
                self.head = node
            else:
                last = self.head
                while last.next:
                    last = last.next
                last.next = node
            self._length += 1
        return self


@program(args=(X[:4], 0.7), wrt=(0, 1))
def linked_list_of_numbers(x, c):
    chain = Linked([x[0], c, x[1]])
    chain += (v * c for v in x[2:])
    total = chain[-1] * chain[1]
    for a, b in zip(chain, chain[1:]):
        total += a * b
    try:
        total += chain[7]
    except IndexError as e:
        total *= e.args[0]
    return total + chain.index(c) + sum(reversed(chain)) * len(chain)


class Collect(type):
    def __new__(mcls, name, bases, ns):
        fields = {}
        for base in bases:
            fields |= getattr(base, "fields", {})
        fields |= {k: v for k, v in ns.items() if isinstance(v, Field)}
        cls = super().__new__(mcls, name, bases, ns)
        cls.fields = fields
        return cls

    def __call__(cls, **values):
        self = super().__call__()
        for name, field in cls.fields.items():
            self.__dict__[name] = field.convert(values.pop(name, field.default))
        if values:
            raise TypeError(f"unknown: {', '.join(values)}")
        return self


class Field:
    def __init__(self, default, convert=lambda v: v):
        self.default, self.convert = default, convert


def described(cls):
    cls.describe = lambda self: ", ".join(f"{k}={getattr(self, k):.2f}" for k in cls.fields)
    return cls


class Model(metaclass=Collect):
    scale = Field(1.0)

    def scaled(self, v, power):
        return self.scale * v**power

    linear = functools.partialmethod(scaled, power=1)
    cubic = functools.partialmethod(scaled, power=3)


@described
@functools.total_ordering
class Shifted(Model):
    shift = Field(0.5, lambda v: v * 2)

    def __lt__(self, other):
        return self.shift < other.shift

    def __eq__(self, other):
        return self.shift == other.shift

    def linear(self, v):
        return super().linear(v) + self.shift


@program(args=(0.9, 1.7), wrt=(0, 1))
def models_of_fields(a, b):
    models = [Shifted(shift=b), Shifted(scale=a), Shifted(shift=a, scale=b)]
    try:
        Shifted(offset=a)
    except TypeError as e:
        n = len(e.args[0])
    total = 0.0
    for k, m in enumerate(sorted(models), 1):
        total += k * m.linear(a) + m.cubic(b) / n
    return total + len(min(models).describe()) * max(models).shift


class Poly:
    def __init__(self, terms=()):
        self.terms = collections.defaultdict(float)
        for c, e in terms:
            self.terms[fractions.Fraction(e)] += c

    def __add__(self, other):
        if not isinstance(other, Poly):
            other = Poly([(other, 0)])
        return Poly(
            [*((c, e) for e, c in self.terms.items()), *((c, e) for e, c in other.terms.items())]
        )

    __radd__ = __add__

    def __mul__(self, other):
        if not isinstance(other, Poly):
            return Poly((c * other, e) for e, c in self.terms.items())
        return Poly(
            (a * b, e + f)
            for (e, a), (f, b) in itertools.product(self.terms.items(), other.terms.items())
        )

    __rmul__ = __mul__

    def __call__(self, x):
        return math.fsum(c * x ** float(e) for e, c in self.terms.items())

    def diff(self):
        return Poly((c * float(e), e - 1) for e, c in self.terms.items() if e)


@program(args=(1.4, 0.6), wrt=(0, 1))
def polynomial_of_fractional_powers(x, c):
    half = fractions.Fraction(1, 2)
    p = Poly([(c, 2), (1.5, half)])
    q = c * p * p + 2.0
    total = 0.0
    for _ in range(3):
        total += q(x) + q.diff()(c)
        q = q.diff() + p
    return total + len(q.terms)


@dataclasses.dataclass(kw_only=True)
class Layer:
    name: str
    active: bool = True
    cache: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)

    def __call__(self, x):
        if not self.active:
            return x
        self.cache["in"] = x
        y = self.cache["out"] = self.forward(x)
        return y


@dataclasses.dataclass(kw_only=True)
class Dense(Layer):
    weight: np.ndarray
    bias: float = 0.0

    def __post_init__(self):
        if self.weight.ndim != 2:
            raise ValueError(self.name)

    def forward(self, x):
        return self.weight @ x + self.bias


@dataclasses.dataclass(kw_only=True)
class Activation(Layer):
    kind: str = "tanh"

    def forward(self, x):
        match self.kind.split(":"):
            case ["tanh"]:
                return np.tanh(x)
            case ["leaky", slope]:
                return np.where(x > 0, x, float(slope) * x)
            case other:
                raise ValueError(other)


class Chain(list):
    def __call__(self, x):
        for layer in self:
            x = layer(x)
        return x

    def __getitem__(self, key):
        if isinstance(key, str):
            try:
                return next(layer for layer in self if layer.name == key)
            except StopIteration:
                raise KeyError(key) from None
        return super().__getitem__(key)

    @contextlib.contextmanager
    def without(self, *names):
        layers = [self[name] for name in names]
        for layer in layers:
            layer.active = False
        try:
            yield self
        finally:
            for layer in layers:
                layer.active = True


@program(args=(np.array([[0.3, -0.8], [0.5, 0.9]]), np.array([1.2, -0.4]), 0.1), wrt=(0, 1, 2))
def network_of_dataclasses(w, x, b):
    net = Chain(
        [
            Dense(name="first", weight=w, bias=b),
            Activation(name="act", kind="leaky:0.25"),
            Dense(name="second", weight=w.T @ w),
            Activation(name="out"),
        ]
    )
    total = 0.0
    for turn in range(3):
        with net.without(*(("act", "out") if turn % 2 else ())):
            x = net(x)
        total += np.sum(x**2)
    try:
        net["third"]
    except KeyError as e:
        total *= len(e.args[0])
    return total + net["second"].cache["in"].sum() + np.sum(net[0].cache["out"])


class Moments:
    __slots__ = ("n", "mean", "m2")

    def __init__(self, n=0, mean=0.0, m2=0.0):
        self.n, self.mean, self.m2 = n, mean, m2

    def push(self, v):
        self.n += 1
        d = v - self.mean
        self.mean += d / self.n
        self.m2 += d * (v - self.mean)
        return self

    def __or__(self, other):
        n = self.n + other.n
        d = other.mean - self.mean
        return Moments(
            n,
            (self.n * self.mean + other.n * other.mean) / n,
            self.m2 + other.m2 + d**2 * self.n * other.n / n,
        )

    @property
    def var(self):
        try:
            return self.m2 / (self.n - 1)
        except ZeroDivisionError:
            return math.nan

    def __iter__(self):
        yield from (self.n, self.mean, self.var)


class Stage(contextlib.ContextDecorator):
    def __init__(self, moments, sink):
        self.moments, self.sink = moments, sink

    def __enter__(self):
        return self.moments

    def __exit__(self, kind, value, trace):
        self.sink.append(self.moments)
        return kind is not None and issubclass(kind, ArithmeticError)


@program(args=(X, 0.9), wrt=(0, 1))
def moments_of_stages(x, c):
    done = []
    with contextlib.ExitStack() as stack:
        parts = [stack.enter_context(Stage(Moments(), done)) for _ in range(2)]
        for k, v in enumerate(x):
            parts[k % 2].push(v * c)
            if k == 4:
                with Stage(Moments(), done) as m:
                    m.push(v).push(c)
                    raise FloatingPointError("swallowed")
    n, mean, var = functools.reduce(operator.or_, done)
    return mean * n + var + done[0].var


class Counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f, self.calls = f, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.f(*args, **kwargs)


class NoConvergence(RuntimeError):
    def __init__(self, best, *, iterations):
        super().__init__(f"not converged after {iterations}")
        self.best, self.iterations = best, iterations


def newton(f, df, x, most=4, tol=1e-12):
    for k in range(most):
        dx = f(x) / df(x)
        x = x - dx
        if abs(dx) < tol:
            break
    else:
        raise NoConvergence(x, iterations=most)
    return x


def bisect(f, a, b, n=45):
    fa = f(a)
    for _ in range(n):
        m = 0.5 * (a + b)
        fm = f(m)
        if fa * fm <= 0:
            b = m
        else:
            a, fa = m, fm
    return 0.5 * (a + b)


@program(args=(0.8, 1.1), wrt=(0, 1), also=((3.0, 0.4),))
def root_with_fallback(p, q):
    @Counted
    def f(x):
        return x**3 + p * x - q

    log = []
    try:
        x = newton(f, lambda x: 3 * x**2 + p, 2.0, most=6, tol=1e-3)
    except NoConvergence as e:
        log.append(e.iterations)
        x = newton(f, lambda x: 3 * x**2 + p, e.best, most=50)
    else:
        log.append(0)
        x = newton(f, lambda x: 3 * x**2 + p, x, most=50)
    finally:
        log.append(1)
    return x * 2.0 + sum(log) * p + (f.__name__ == "f")


class Signal:
    def __init__(self):
        self._handlers = {}

    def connect(self, handler, *, priority=0):
        self._handlers.setdefault(priority, []).append(handler)
        return handler

    def emit(self, *args):
        for priority in sorted(self._handlers, reverse=True):
            for handler in self._handlers[priority]:
                if handler(*args) is False:
                    return


class Parameter:
    def __init__(self, value):
        self._value = value
        self.changed = Signal()

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        old, self._value = self._value, new
        self.changed.emit(self, old, new)


class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "_target", target)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "_target"), name)

    def __setattr__(self, name, value):
        setattr(self._target, name, value)


@program(args=(0.6, 1.9), wrt=(0, 1))
def parameters_that_signal(a, b):
    p, q = Parameter(a), Parameter(b)
    total = [0.0]

    @p.changed.connect
    def follow(_, old, new):
        q.value = q.value + 0.5 * (new - old)

    def stop(parameter, old, new):
        total[0] += new * old
        return None if new > old else False

    p.changed.connect(stop, priority=5)
    q.changed.connect(lambda parameter, old, new: total.append(new - old**2))
    proxy = Proxy(p)
    for k in range(4):
        proxy.value = p.value * (1.2 if k % 2 else 0.9) + 0.1 * q.value
    return sum(total) + proxy.value * q.value


@program(args=(X, 0.5), wrt=(0, 1))
def pipeline_of_itertools(x, c):
    def windowed(values, n):
        it = iter(values)
        window = collections.deque(itertools.islice(it, n), maxlen=n)
        if len(window) == n:
            yield tuple(window)
        for v in it:
            window.append(v)
            yield tuple(window)

    def commands():
        yield "scale", 2.0
        yield "shift", c, "late"
        yield {"op": "pow", "n": 3}
        yield None

    values = list(itertools.accumulate(x, lambda a, b: a * c + b))
    for command in commands():
        match command:
            case ("scale", factor):
                values = [v * factor for v in values]
            case ("shift", by, *flags) if "late" in flags:
                values = [*values[:2], *(v + by for v in values[2:])]
            case {"op": "pow", "n": int(n), **rest} if not rest:
                values[n] = values[n] ** n
            case None:
                break
    a, b = itertools.tee(windowed(values, 3))
    next(b)
    total = 0.0
    for (p, *_), (*_, q) in zip(a, b):
        total += p * q
    for key, group in itertools.groupby(enumerate(values), key=lambda kv: kv[0] // 4):
        total += (key + 1) * math.prod(v for _, v in group)
    for u, v in itertools.zip_longest(values, x[:4], fillvalue=c):
        total += u * v
    return total
