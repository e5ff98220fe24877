"""Calls: parameters, stars, methods, callables as values, Python's builtins, recursion, math."""

import functools
import math
from functools import partial, reduce

import numpy as np

from tests.constructs.settings import construct
from tests.programs import physics_helpers
from tests.programs.physics_helpers import kinetic_energy

# Parameters


def _positional_only(a, b, /, d=2.0):
    return a * b - d**2


def _keyword_only(a, *, power=2, scale):
    return scale * a**power


def _collects(*args, **kwargs):
    total = 0.5
    for k, a in enumerate(args):
        total += a * (k + 1)
    for key, value in kwargs.items():
        total = total * value if key == "factor" else total + value
    return total


@construct()
def positional_only(x, c):
    return _positional_only(x[0], c) * _positional_only(x[1], x[2], x[3]) + _positional_only(
        x[4], c, d=c
    )


@construct()
def keyword_only(x, c):
    return _keyword_only(x[0], scale=c) + _keyword_only(x[1], power=3, scale=x[2])


@construct()
def arguments_by_name(x, c):
    def ratio(top, bottom, offset=0.1):
        return top / bottom + offset

    return ratio(bottom=x[0], top=c) * ratio(x[1], offset=c, bottom=2.0)


@construct()
def defaults(x, c):
    def bent(v, k=3, w=(0.5, 2.0), *, factor=c, start=x[0]):
        low, high = w
        return start + sum(low * v**i * factor for i in range(k)) * high

    return bent(x[1]) * bent(x[2], 2, (c, x[3]), start=1.0)


@construct()
def star_parameters(x, c):
    return _collects(x[0], c, x[1]) * _collects(factor=x[2], other=c) + _collects()


@construct()
def star_calls(x, c):
    pair, options = (x[0], c), {"factor": x[1], "bias": c}
    a = _collects(*pair, *[x[2], 1.0], **options)
    b = _positional_only(*pair) + _collects(*x)
    return a * b + _keyword_only(b, **{"scale": c, "power": 2})


@construct()
def arguments_passed_on(x, c):
    def logged(*args, **kwargs):
        return _collects(*args, **kwargs) * len(args)

    return logged(x[0], c, factor=x[1]) + logged(x[2])


@construct()
def several_results(x, c):
    def step(position, speed):
        return position + 0.1 * speed, speed - 0.1 * position * c

    p, v = step(x[0], x[1])
    p, v = step(*step(p, v))
    return p * v + step(c, p)[1]


# Where functions come from


@construct()
def functions_of_other_modules(x, c):
    return kinetic_energy(c, x) + physics_helpers.potential(x, stiffness=c) * x[0]


class Spring:
    """A linear spring with a counter."""

    rest = 0.5

    def __init__(self, k):
        self.k = k
        self.calls = 0

    def force(self, x, v=0.0):
        self.calls += 1
        return -self.k * (x - self.rest) - 0.1 * v

    @property
    def frequency(self):
        return np.sqrt(self.k)

    @frequency.setter
    def frequency(self, value):
        self.k = value**2

    @staticmethod
    def work(f, dx):
        return f * dx

    @classmethod
    def stretched(cls, x):
        return cls(x - cls.rest)

    def __call__(self, x):
        return 0.5 * self.k * x**2

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self.k * (i + 1)

    def __add__(self, other):
        return Spring(self.k + other.k)

    def __eq__(self, other):
        return self.k == other.k

    __hash__ = None


class Stiff(Spring):
    """A spring that inherits most of what it does."""

    def force(self, x, v=0.0):
        return super().force(x, v) * 2.0


class Scaled:
    """What NumPy's arrays leave to it."""

    __array_ufunc__ = None

    def __init__(self, value):
        self.value = value

    def __rmul__(self, other):
        return other * self.value + 1.0

    def __rsub__(self, other):
        return other - self.value

    def __lt__(self, other):
        return self.value < other

    def __contains__(self, value):
        return value > self.value

    def __iter__(self):
        return iter([self.value, 2.0 * self.value])

    def __bool__(self):
        return False

    def __neg__(self):
        return -self.value

    def __iadd__(self, other):
        self.value = self.value + other
        return self


SPRING = Spring(2.5)


def _reset():
    SPRING.calls = 0


@construct()
def bound_methods(x, c):
    spring = Spring(c)
    push = spring.force
    return push(x[0]) * spring.force(x[1], v=c) + spring.calls


@construct(reset=_reset, observe=lambda: SPRING.calls)
def methods_of_an_object_outside(x, c):
    push = SPRING.force
    return push(x[0]) * SPRING.force(c, v=x[1]) + SPRING.frequency * x[2]


@construct()
def static_and_class_methods(x, c):
    spring = Spring.stretched(x[1] + 1.0)
    return Spring.work(x[0], c) * spring.work(c, x[2]) + spring.stretched(x[3]).k * spring.k


@construct()
def properties(x, c):
    spring = Spring(x[0])
    a = spring.frequency
    spring.frequency = a * c + 1.0
    spring.frequency *= x[1]
    return a * spring.k


@construct()
def inherited_methods(x, c):
    return Stiff(c).force(x[0]) * Stiff(x[1]).frequency + Stiff.stretched(x[2])(c)


@construct()
def special_methods(x, c):
    spring = Spring(x[0]) + Spring(c)
    same = 2.0 if spring == Spring(x[1] * 50.0) else 1.0
    return spring(x[1]) * spring[1] * len(spring) * same


@construct()
def special_methods_on_the_right(x, c):
    scaled = Scaled(c)
    scaled += x[0]
    total = np.sum(x * scaled) + (3.0 - scaled) * -scaled
    for part in scaled:
        total += part * part
    return total * (2.0 if scaled < 50.0 and 60.0 in scaled and not scaled else c)


# Callables as values


@construct()
def partials(x, c):
    cube = partial(pow, exp=3)
    scaled = functools.partial(_keyword_only, scale=c)
    higher = partial(scaled, power=3)
    return cube(x[0]) + scaled(x[1]) * higher(x[2]) + partial(_positional_only, c)(x[3])


@construct()
def functions_in_variables(x, c):
    f, g = np.sin, _positional_only
    h = f if x[0] < 5.0 else np.cos
    return f(x[0]) * g(x[1], c) + h(c)


@construct()
def functions_in_containers(x, c):
    layers = [np.tanh, lambda v: v * c, math.exp]
    table = {"square": lambda v: v * v, "root": np.sqrt}
    y = x[0]
    for layer in layers:
        y = layer(y)
    return table["square"](y) * table["root"](x[1]) + layers[1](y)


@construct()
def functions_as_arguments_and_results(x, c):
    def twice(f):
        return lambda v: f(f(v))

    def slope(f, v, h=0.5):
        return (f(v + h) - f(v - h)) / (2 * h)

    return twice(lambda v: v * v + c)(x[0]) + slope(twice(np.sin), x[1] * c)


@construct()
def decorators(x, c):
    def scaled(by):
        def wrap(f):
            @functools.wraps(f)
            def wrapper(*args, **kwargs):
                return by * f(*args, **kwargs)

            return wrapper

        return wrap

    @scaled(c)
    def model(v, shift=0.0):
        return v**2 + shift

    return model(x[0]) * model(x[1], shift=c)


# Builtins


@construct()
def reduced(x, c):
    product = reduce(lambda a, b: a * b, [x[0], c, x[1]])
    chain = functools.reduce(lambda a, v: np.sin(a + v), x, c)
    return product * chain


@construct()
def mapped(x, c):
    squares = list(map(lambda v: v * v, x))
    both = [u for u in map(lambda a, b: a - b * c, x, squares)]
    total = 0.0
    for v in map(np.exp, both):
        total += v
    return total * squares[0] + sum(map(math.sin, both))


@construct()
def filtered(x, c):
    kept = list(filter(lambda k: k % 2, range(6)))
    names = [name for name in filter(None, ["a", "", "b"])]
    return x[kept[0]] * x[kept[2]] * c * len(names)


@construct()
def sums(x, c):
    return sum(x) * sum([c, x[0]]) + sum((x[1], c), x[2]) + sum([x, x * c]) @ x


@construct()
def extremes(x, c):
    a = max(x[0], c * 5.0) * min(x[1], c)
    b = max(x) * min([x[2], x[3] + 1.0, c * 9])
    return a + b + max((x[4], c * 0.5), key=lambda v: -v) + min(x[5], 40, 50.0)


@construct()
def magnitudes_and_powers(x, c):
    return abs(-x[0] * c) * pow(x[1], 3) + pow(c, x[2]) + abs(x - 5.0)[0] ** 2


@construct()
def rounded(x, c):
    return round(x[0] * 0.3 + 3.0) * c + x[1] * round(2.6) + round(c * 0.001 + 1.26, 1) * x[2] ** 2


@construct()
def quotient_and_rest(x, c):
    q, r = divmod(x[0] * 3.0 + 0.3, 0.59)
    a, b = divmod(17, 5)
    return q * c + r * r + a * b * x[1] ** 2 + (x[2] * 3.0 + 0.17) % c


@construct()
def converted(x, c):
    a = float(x[0]) * float(c) + float("0.5") * int("3")
    n = int(x[1] + 2.5) + bool(c) + int(True)
    return a * n + float(n) * x[2] * c + bool(x[3] > 0.0) * c


@construct()
def lengths(x, c):
    return len(x) * x[0] * c + len((x, c)) * c**2 + len("abc") + len({"a": 1}) * len(x[1:3])


@construct()
def sorted_static_data(x, c):
    total = c
    for k in sorted([3, 0, 2], reverse=True):
        total = total * x[k] + k
    for name in sorted({"b": 1, "a": 2}):
        total += x[1] if name == "a" else x[2] ** 2
    best = sorted(["xx", "y"], key=len)
    return total * len(best[0])


@construct([1, 2])
def isinstance_dispatch(x, c, spec):
    def apply(v, s):
        if isinstance(s, (list, tuple)):
            for item in s:
                v = apply(v, item)
            return v
        return v**s * c + v

    y = x if isinstance(x, np.ndarray) else [x]
    return apply(y[0], spec) + apply(y[1], 3) * isinstance(c, float)


@construct()
def any_and_all(x, c):
    a = x[0] if any([x[1] > 9.0, c > 0.0]) else c
    b = x[2] if all((x > 0.01).tolist()) and not any(x > 50.0) else c
    return a * b * c * all([])


@construct()
def iterators(x, c):
    pairs = iter([x[0], c, x[1]])
    first = next(pairs)
    rest = [v for v in pairs]
    numbers = list(range(3)) + [len(list(enumerate(x)))]
    return first * rest[0] + rest[1] * numbers[2] * numbers[3] + next(iter(x)) ** 2


@construct()
def attributes_by_name(x, c):
    spring = Spring(c)
    setattr(spring, "k", x[0] * getattr(spring, "k"))
    return spring.k * getattr(spring, "missing", x[1]) * (2.0 if hasattr(spring, "calls") else c)


@construct()
def mathematics(x, c):
    a = math.sin(x[0]) * math.cos(c) + math.tan(x[1] * 0.5) + math.exp(-c) * math.log(x[2] + 1.0)
    b = math.sqrt(x[3]) * math.pow(c, 1.5) + math.atan2(x[4], c) + math.hypot(x[0], c)
    d = math.sinh(c) * math.cosh(x[0]) * math.tanh(x[1]) + math.log1p(c) + math.expm1(x[2])
    e = math.asin(x[0] * 0.4) + math.acos(c * 0.3) + math.atan(x[1]) + math.erf(c)
    f = math.fabs(-x[2]) + math.log2(c) + math.log10(x[3]) + math.fmod(x[4] * 5 + 0.3, 1.7)
    g = math.floor(c + 3.2) + math.ceil(x[0] * 0.1 + 2.2) + math.pi * c + math.isfinite(c)
    h = math.copysign(x[0], -1.0) + math.degrees(c) * 0.01 + math.radians(x[1]) + math.gamma(x[2])
    return a * b + d * e + f * g + h + math.lgamma(c) * math.prod([x[0], c]) + math.fsum([x[1], c])


@construct()
def mathematics_that_may_raise(x, c):
    y = math.sqrt(x[0]) if x[0] > 0.0 else math.nan
    z = math.log(c) if c > 0.0 else -math.inf
    return y * z * math.pow(x[1], 2)


# Recursion


@construct()
def recursion_of_static_depth(x, c):
    def horner(v, n):
        if n == 0:
            return c
        return horner(v, n - 1) * v + x[n]

    def halves(v):
        return (
            v[0] * c
            if len(v) == 1
            else (np.sin(halves(v[: len(v) // 2])) + halves(v[len(v) // 2 :]))
        )

    return horner(x[0], 4) + halves(x[1:5])


def _shrunk(v, by):
    if v < 1.0:
        return v * v
    return by * _shrunk(v * by, by) + 0.1


@construct()
def recursion_on_data(x, c):
    return _shrunk(x[0] * 6.0, 0.6) * c + _shrunk(c, x[1] * 0.1)


def _folded(v, rate, *, least=0.5):
    if v < least:
        return rate
    return _folded(rate=rate * v, least=least, v=v * 0.6)


@construct()
def recursion_with_arguments_by_name(x, c):
    return _folded(x[0] * 6.0, x[1]) * c + _folded(rate=c, v=x[2] * 3.0, least=0.7)


def _even(v, level):
    return v if level < 0.5 else _odd(v * 1.1 + 0.1, level * 0.6)


def _odd(v, level):
    return v * v if level < 0.5 else _even(np.sin(v), level * 0.6)


@construct()
def mutual_recursion(x, c):
    return _even(x[0] * c, 2.0) + _odd(x[1], c * 2.1)


@construct()
def results_that_are_kept(x, c):
    calls = [0]

    @functools.lru_cache(maxsize=2)
    def of(k, scale=1.0):
        calls[0] += 1
        return x[k] * scale * calls[0]

    @functools.cache
    def fibonacci(k):
        return x[k] if k < 2 else fibonacci(k - 1) * 0.5 + fibonacci(k - 2)

    class Table:
        def __init__(self, v):
            self.v = v

        @functools.lru_cache  # noqa: B019
        def at(self, k):
            calls[0] += 1
            return k * self.v

    class Counted:
        def __init__(self, f):
            functools.update_wrapper(self, f)
            self.f, self.calls = f, 0

        def __call__(self, *given):
            self.calls += 1
            return self.f(*given) * self.calls

    @Counted
    def squared(v):
        return v * v

    y = of(0) + of(1) + of(0) * of(2) + of(1) * of(0, scale=2.0) + of(1)
    one, other = Table(x[2]), Table(x[3])
    y = y + one.at(2) + other.at(2) * one.at(2)
    one.v = c
    y = y + one.at(2) * one.at(3) + fibonacci(12) + of.cache_info().hits
    return y * squared(x[4]) + squared(x[5]) * squared.calls + squared.__wrapped__(c)
