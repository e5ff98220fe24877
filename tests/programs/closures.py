"""Nested functions, nonlocal and global read and written, late binding, factories."""

import numpy as np

from tests.programs.registry import program

GAIN = 1.5
OFFSETS = np.array([0.1, -0.2, 0.3])
calls = 0
history = [0.0]
X = np.array([0.5, 1.2, 0.8])


@program(args=(X,))
def reads_globals(x):
    return np.sum(GAIN * x**2 + OFFSETS * x)


@program(args=(X,))
def global_read_in_helper_in_loop(x):
    def gain():
        return GAIN * 2

    s = 0.0
    for i in range(3):
        s += gain() * x[i] ** 2 + OFFSETS[i] * s
    return s


def _reset():
    global calls
    calls = 0
    history[:] = [0.0]


@program(args=(0.7,), reset=_reset, observe=lambda: calls)
def counts_its_calls(x):
    global calls
    calls += 1
    y = np.sin(x)
    for _ in range(3):
        calls = calls + 1
        y = y * x + 1
    return y


@program(args=(0.7,), reset=_reset, observe=lambda: list(history))
def appends_to_a_global_list(x):
    history.append(1.0)
    for i in range(2):
        history.append(float(i))
    return x**3 + x


@program(args=(X,))
def nonlocal_accumulator(x):
    total = 0.0
    count = 0

    def add(v):
        nonlocal total, count
        total = total + v * v
        count += 1
        return total

    for v in x:
        add(v)
        add(v + total * 0.1)
    return add(x[0]) * count


@program(args=(0.6, 2.0), wrt=(0, 1))
def closure_over_arguments(a, b):
    def f(x):
        return a * x + b

    def g(x):
        return f(x) * f(a)

    a = a + 1.0
    return g(b) + f(1.0)


def _polynomial(*coefficients):
    def p(x):
        y = 0.0
        for c in coefficients:
            y = y * x + c
        return y

    return p


_cubic = _polynomial(1.0, -2.0, 0.5, 3.0)


@program(args=(1.4, 0.3), wrt=(0, 1))
def closures_from_factories(x, c):
    quadratic = _polynomial(c, x, 1.0)
    return _cubic(x) * quadratic(2.0) + quadratic(c)


@program(args=(1.1,))
def late_binding_in_a_loop(x):
    fs = []
    for k in range(3):
        fs.append(lambda v: v**2 * k + v)
    early = [lambda v, k=k: v * k for k in range(3)]
    total = 0.0
    for f in fs:
        total += f(x)
    for f in early:
        total = total + f(x) * total
    return total


@program(args=(X,))
def closure_writes_an_enclosing_array(x):
    out = np.zeros(3)

    def put(i, v):
        out[i] = v * v

    for i in range(3):
        put(i, x[i] + out[i - 1])
    return out.sum()


@program(args=(0.5, 1.5), wrt=(0, 1))
def nested_three_deep(x, y):
    def outer(a):
        b = a * y

        def middle(c):
            nonlocal b
            b = b + c

            def inner(d):
                return a * b * c * d * x

            return inner(y) + inner(c)

        return middle(x) + middle(2.0) * b

    return outer(x + y)


@program(args=(0.9,))
def recursive_inner_function(x):
    def power(v, n):
        if n == 0:
            return 1.0
        return v * power(v, n - 1)

    return power(x, 5) + power(np.cos(x), 2)


@program(args=(np.array([0.3, 0.9, 0.2, 0.6]), 1.2), wrt=(0, 1))
def decorator_of_the_user(theta, t):
    def scaled(f):
        def wrapper(*args, **kwargs):
            return 2.0 * f(*args, **kwargs)

        return wrapper

    @scaled
    def model(x, shift=0.0):
        return theta[0] * np.exp(-theta[1] * x) + shift * theta[2]

    return model(t) * theta[3] + model(0.5, shift=t)


def _make_counter(start):
    n = start

    def bump(by):
        nonlocal n
        n = n + by
        return n

    return bump


@program(args=(0.8,))
def counter_with_state(x):
    bump = _make_counter(x)
    other = _make_counter(0.0)
    bump(x * x)
    other(1.0)
    s = 0.0
    for _ in range(3):
        s += bump(np.sin(s)) * other(x)
    return s
