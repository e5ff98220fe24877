"""Calls: every kind of parameter, stars, defaults, callables as values, Python's builtins."""

import builtins
import functools
import math
from functools import partial, reduce

import numpy as np
from numpy import abs, exp, sin, sum  # noqa: A004

from tests.programs import physics_helpers as phys
from tests.programs.physics_helpers import kinetic_energy
from tests.programs.physics_helpers import potential as pot
from tests.programs.registry import program

X = np.array([0.4, 1.1, 0.7, 1.6])


def positional_only(a, b, /, c):
    return a * b - c**2


def keyword_only(a, *, power=2, scale):
    return scale * a**power


def collect(*args, **kwargs):
    total = 0.0
    for i, a in enumerate(args):
        total += a * (i + 1)
    for key, value in kwargs.items():
        if key.startswith("w"):
            total *= value
        else:
            total += value
    return total


@program(args=(0.5, 1.2), wrt=(0, 1))
def calls_of_each_kind(x, y):
    a = positional_only(x, y, 0.5)
    b = positional_only(x, y, c=a)
    c = keyword_only(b, scale=x) + keyword_only(y, power=3, scale=a)
    d = collect(x, y, c, w1=2.0, other=b)
    return d + collect() + collect(w=x)


@program(args=(0.5, 1.2), wrt=(0, 1))
def star_calls(x, y):
    point = (x, y, x * y)
    options = {"w": y, "bias": x}
    a = collect(*point)
    b = collect(x, *point[1:], *[y, 1.0], **options)
    c = positional_only(*point)
    d = keyword_only(c, **{"power": 3, "scale": b})
    return a + b * c + d


@program(args=(1.2, 0.4, 0.9), wrt=(0, 1, 2))
def many_arguments(*args):
    x, y, z = args
    n = len(args)
    return x**n + y * z + np.prod(np.array(args))


@program(args=(0.8, 1.5), wrt=(0, 1))
def defaults_used(x, y, k=3, w=(0.5, 2.0), bias=0.1):
    lo, hi = w
    s = bias
    for i in range(k):
        s = s + lo * x**i - hi * y / (i + 1)
    return s * s


def _step(state, dt=0.1, *, drag=0.2):
    pos, vel = state
    acc = -pos - drag * vel * abs(vel)
    return pos + dt * vel, vel + dt * acc


@program(args=(1.0, 0.3, 0.25), wrt=(0, 1, 2))
def helper_returning_tuple(pos, vel, drag):
    state = (pos, vel)
    for k in range(10):
        state = _step(state, drag=drag) if k % 2 else _step(state, 0.05)
    p, v = state
    return p * p + v * v


@program(args=(X, 2.0), wrt=(0, 1))
def functions_of_other_modules(v, m):
    e = kinetic_energy(m, v) + pot(v, stiffness=m)
    e += phys.CONSTANT * phys.gravity(m, v[0] + 2)
    return e + phys.nested.twice(v[1])


@program(args=(X,))
def names_shadow_builtins(x):
    return sum(abs(x - 1.0) * exp(-x)) + sum([1.0, 2.0]) * abs(x[0] - 3) + sin(x).max()


@program(args=(X, 1.4), wrt=(0, 1))
def partials(x, p):
    cube = partial(pow, exp=3)
    scaled = functools.partial(keyword_only, scale=p)
    other = partial(scaled, power=4)
    area = partial(positional_only, p)
    s = 0.0
    for v in x:
        s += cube(v) + scaled(v) + other(v) * area(v, v)
    return s


@program(args=(X,))
def functools_reduce(x):
    product = reduce(lambda a, b: a * b, [x[0], x[1], x[2]])
    chain = reduce(lambda acc, v: np.sin(acc + v), x, 0.5)
    nested = reduce(np.maximum, [x * 2, x**2, np.ones(4)])
    return product + chain + nested.sum()


@program(args=(X, X[::-1] + 0.2), wrt=(0, 1))
def maps_and_filters(x, y):
    squares = list(map(lambda v: v * v, x))
    both = [u for u in map(lambda a, b: a - b, x, y)]
    tuple_map = tuple(map(math.sin, (x[0], y[1])))
    s = 0.0
    for q in map(np.exp, both):
        s += q
    return s + squares[0] * squares[-1] + tuple_map[0] * tuple_map[1]


@program(args=(1.3, 0.4), wrt=(0, 1))
def python_builtins(a, b):
    hi = max(a, b, 0.1)
    lo = min((a, b))
    s = builtins.sum([a, b, hi, lo])
    q, r = divmod(a, b)
    p = pow(a, 3) + pow(b, hi)
    f = float(a) * int(3.7) * float("0.5")
    ok = bool(a > 0) and isinstance(a, float) and all([a > 0, b > 0]) and any((a > 100, b < 1))
    n = len((a, b)) + len("abc") + round(2.6)
    if ok:
        s += r * q + f
    return s * p / n + builtins.abs(-a)


@program(args=(X,))
def builtins_in_a_loop(x):
    best = 0.0
    low = 10.0
    for i in range(len(x)):
        best = max(best, x[i] * (i + 1))
        low = min(low, x[i], 5)
        low = builtins.abs(low - 20.0)
    return best * low + builtins.sum(x) + max(x) * min(x)


@program(args=(0.6,))
def sorted_on_static_data(x):
    order = sorted([3, 1, 2], reverse=True)
    names = sorted({"b": 1, "a": 2})
    total = 0.0
    for k in order:
        total = total * x + k
    for name in names:
        total += x if name == "a" else x**2
    return total


@program(args=(0.9, [2, 4]))
def isinstance_dispatch(x, spec):
    def apply(v, s):
        if isinstance(s, (list, tuple)):
            for item in s:
                v = apply(v, item)
            return v
        if isinstance(s, int) and not isinstance(s, bool):
            return v**s + v
        return v

    return apply(x, spec) + apply(x, 3) + apply(x, True) * x


@program(args=(X,))
def functions_in_containers(x):
    layers = [np.tanh, lambda t: t + 0.1 * t**2, np.sin]
    table = {"sq": np.square, "neg": lambda t: -t, "helper": positional_only}
    y = x
    for layer in layers:
        y = layer(y)
    for name in ("sq", "neg"):
        y = table[name](y) + y
    return np.sum(table["helper"](y, x, 0.3) + layers[0](x))


def _newton(f, fprime, x0, turns=8):
    x = x0
    for _ in range(turns):
        x = x - f(x) / fprime(x)
    return x


@program(args=(3.0, 0.5), wrt=(0, 1))
def function_passed_as_argument(c, x0):
    root = _newton(lambda x: x**3 - c, lambda x: 3 * x**2, 1.5)
    other = _newton(lambda t: np.exp(t) - root - x0, np.exp, x0)
    return root * other


def _compose(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x

    return run


@program(args=(0.7,))
def composed(x):
    pipeline = _compose(np.exp, lambda v: v / (1 + v), math.sqrt)
    return pipeline(x) * _compose()(x) + _compose(pipeline, pipeline)(x)


@program(args=(X,), also=[(X * 0.5,)])
def immediately_called(x):
    a = (lambda u, v=2.0, *w: u * v + len(w))(x[0])
    b = (lambda *, k: k**2)(k=x[1])
    return a * b + (np.sin if len(x) > 3 else np.cos)(x[2])


def _kw_options(x, **options):
    merged = {"rate": 0.1, **options}
    y = x * merged["rate"]
    if merged.get("square", False):
        y = y * y
    return y + merged.get("bias", 0.0)


@program(args=(0.9, 0.2), wrt=(0, 1))
def options_dict_passed_on(x, b):
    return (
        _kw_options(x)
        + _kw_options(x, rate=b, square=True)
        + _kw_options(x, **{"bias": b * x})
        + _kw_options(b, **dict(rate=x))
    )


@program(args=(X,))
def generator_arguments(x):
    total = builtins.sum(v * v for v in x)
    largest = max(v * (i + 1) for i, v in enumerate(x))
    ok = all(v > 0 for v in x) and not any(v > 10 for v in x)
    listed = list(v + 1 for v in x)
    as_tuple = tuple(v - 1 for v in x if v > 0.5)
    joined = np.array([v**3 for v in x])
    return total * largest + listed[0] * as_tuple[-1] + joined.sum() + ok


@program(args=(1.5,))
def mutual_helpers(x):
    def even(n, v):
        return v if n == 0 else odd(n - 1, v * 1.1 + 0.1)

    def odd(n, v):
        return v**2 if n == 0 else even(n - 1, np.sin(v))

    return even(4, x) + odd(4, x) + even(3, x)


@program(args=(0.4, 0.9), wrt=(0, 1))
def recursion_with_shared_calls(x, y):
    def once(v):
        return v * y

    a = once(x)
    y = y * 2
    b = once(x)
    x = once(once(x))
    return a * b + x
