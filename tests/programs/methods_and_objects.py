"""Classes of the user: methods of every kind, properties, attributes read and written."""

from dataclasses import dataclass, field

import numpy as np

from tests.programs.registry import program

X = np.array([0.4, -0.9, 1.3])


class Spring:
    rest = 0.5

    def __init__(self, k, damping):
        self.k = k
        self.damping = damping
        self.nfev = 0

    def force(self, x, v=0.0):
        self.nfev += 1
        return -self.k * (x - self.rest) - self.damping * v

    @property
    def frequency(self):
        return np.sqrt(self.k)

    @staticmethod
    def work(f, dx):
        return f * dx

    @classmethod
    def default_stretch(cls, x):
        return x - cls.rest

    def __call__(self, x):
        return 0.5 * self.k * self.default_stretch(x) ** 2


SPRING = Spring(2.5, 0.3)


def _reset():
    SPRING.k = 2.5
    SPRING.nfev = 0
    SPRING.__dict__.pop("last", None)
    MODEL.weights[:] = [0.2, 0.4, -0.1]
    MODEL.calls = 0
    MODEL.log.clear()


def _state():
    return dict(vars(SPRING))


@program(args=(0.9, 0.1), wrt=(0, 1), reset=_reset, observe=_state)
def oscillate(x, v):
    h = 0.05
    for _ in range(8):
        v = v + h * SPRING.force(x, v)
        x = x + h * v
    return 0.5 * v**2 + SPRING(x)


@program(args=(1.1,), reset=_reset, observe=_state)
def bound_method_in_a_variable(x):
    f = SPRING.force
    g = Spring.work
    y = f(x) + f(x, v=2.0) * x
    return g(y, x) * SPRING.frequency + Spring.default_stretch(y)


@program(args=(1.1,), reset=_reset, observe=lambda: SPRING.last)
def attribute_written_then_read(x):
    SPRING.last = 3.0
    SPRING.last *= 2
    y = x * SPRING.last
    SPRING.k = 4.0
    return y**2 + SPRING.k * np.cos(x) + SPRING.force(x)


@program(args=(0.8, 1.7, 0.2), wrt=(0, 1, 2))
def objects_made_inside(x, k, c):
    s = Spring(k, c)
    s.k = s.k * x
    s.k += 1.0
    t = s
    t.damping = x * x
    for _ in range(3):
        x = x + 0.1 * s.force(x, x)
        t.k *= 1.1
    return s(x) * s.frequency + s.nfev


class Layer:
    def __init__(self, width, activation=np.tanh):
        self.weights = np.linspace(0.2, -0.1, width)
        self.activation = activation
        self.calls = 0
        self.log = []

    def forward(self, x):
        self.calls += 1
        return self.activation(self.weights * x)

    def loss(self, x, target=0.5):
        y = self.forward(x)
        return np.mean((y - target) ** 2)


MODEL = Layer(3)
MODEL.weights = np.array([0.2, 0.4, -0.1])


@program(args=(X,), reset=_reset, observe=lambda: (MODEL.calls, MODEL.weights.copy()))
def model_object(x):
    first = MODEL.loss(x)
    MODEL.weights[1] = 0.7
    return first + MODEL.loss(x * x, target=first)


@program(args=(X,), reset=_reset, observe=lambda: list(MODEL.log))
def object_logs_constants(x):
    for i in range(3):
        MODEL.log.append(i * 0.5)
    return MODEL.loss(x) * len(x)


class Shape:
    def area(self):
        raise NotImplementedError

    def describe(self):
        return self.area() * self.factor

    factor = 1.0


class Disc(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return np.pi * self.r**2


class Ring(Disc):
    factor = 2.0

    def __init__(self, r, hole):
        super().__init__(r)
        self.hole = hole

    def area(self):
        return super().area() - np.pi * self.hole**2


@program(args=(1.4, 0.6), wrt=(0, 1))
def inheritance(r, h):
    total = 0.0
    for shape in (Disc(r), Ring(r, h), Disc(h)):
        total += shape.describe()
        if isinstance(shape, Ring):
            total *= shape.hole
    return total


class Dual:
    """Operator overloading in the user's own class."""

    def __init__(self, re, im):
        self.re = re
        self.im = im

    def __add__(self, other):
        return Dual(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Dual(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def __getitem__(self, i):
        return (self.re, self.im)[i]

    def __neg__(self):
        return Dual(-self.re, -self.im)

    def norm2(self):
        return self.re**2 + self.im**2


@program(args=(0.3, 0.5), wrt=(0, 1))
def operators_of_a_class(a, b):
    z = Dual(a, b)
    w = z * z + z
    for _ in range(3):
        w = w * w + z
    return w.norm2() + (-w)[0]


@dataclass
class Particle:
    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.0
    name: str = "p"
    trail: list = field(default_factory=list)

    @property
    def momentum(self):
        return self.mass * self.velocity

    def kick(self, force, dt):
        self.velocity = self.velocity + dt * force / self.mass
        self.position = self.position + dt * self.velocity
        self.trail.append(self.position[0])


@program(args=(X, 1.5), wrt=(0, 1))
def particle_simulation(x0, mass):
    p = Particle(x0 * 1.0, np.zeros(3), mass)
    q = Particle(mass=2.0, position=x0[::-1] + 1.0, velocity=x0, name="q")
    for _ in range(4):
        r = q.position - p.position
        f = r / (1.0 + r @ r) ** 1.5
        p.kick(f, 0.1)
        q.kick(-f, 0.1)
    return np.sum(p.momentum * q.momentum) + sum(p.trail) * q.trail[-1]


class Accumulator:
    def __init__(self):
        self.total = 0.0
        self.values = []
        self.by_name = {}

    def add(self, name, value):
        self.total += value
        self.values.append(value)
        self.by_name[name] = value * value
        return self


@program(args=(0.7, 1.3), wrt=(0, 1))
def fluent_interface(x, y):
    acc = Accumulator().add("x", x).add("y", y)
    acc.add("xy", x * y)
    acc.values[0] = acc.values[0] * 3
    return acc.total * acc.by_name["xy"] + acc.values[0] * acc.values[-1] + len(acc.values)


class Problem:
    """A test problem in the style of benchmark suites, with a counter."""

    def __init__(self, dim):
        self.dim = dim
        self.nfev = 0
        self.bounds = list(zip([-5.0] * dim, [5.0] * dim))

    def fun(self, x, *args):
        self.nfev += 1
        i = np.arange(1.0, self.dim + 1)
        return np.sum(i * (x**2 - 1 / i) ** 2) + np.prod(np.cos(x / np.sqrt(i))) + self.bounds[0][1]


PROBLEM = Problem(3)


@program(args=(X,), reset=lambda: setattr(PROBLEM, "nfev", 0), observe=lambda: PROBLEM.nfev)
def benchmark_problem(x):
    return PROBLEM.fun(x) + PROBLEM.fun(x * 0.5, 1, 2) * x[0]


class Temperature:
    def __init__(self, kelvin):
        self._kelvin = kelvin

    @property
    def celsius(self):
        return self._kelvin - 273.15

    @celsius.setter
    def celsius(self, value):
        self._kelvin = value + 273.15


@program(args=(3.0,))
def property_setter(x):
    t = Temperature(x * 100.0)
    t.celsius = t.celsius / 10
    t.celsius += x
    return t._kelvin * t.celsius / 100.0


@program(args=(Spring(1.5, 0.2), 0.8), wrt=(1,))
def object_as_argument(spring, x):
    k = spring.k
    y = k * x**2 + spring.damping
    return y * spring.frequency + spring(x)
