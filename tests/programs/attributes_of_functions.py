"""Functions made inside that are given attributes: counts, memories, what wrappers keep."""

import functools

from tests.programs.registry import program


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@program(args=(1.3,))
def calls_counted(x):
    @counted
    def e(q, p=0.0):
        return q**4 + p * p / 2

    t = e(x) + e(2 * x, p=x)
    return t * e.calls


@program(args=(1.3,))
def memory_on_a_function(x):
    def fib(n):
        if n not in fib.cache:
            fib.cache[n] = fib(n - 1) * x + fib(n - 2)
        return fib.cache[n]

    fib.cache = {0: x, 1: 1.0}
    return fib(6)


@program(args=(1.3,))
def asked_before_it_is_given(x):
    def f():
        return x

    if hasattr(f, "y"):
        return f() * 3
    f.y = x * x
    return getattr(f, "y", 0.0) + getattr(f, "z", 1.0) * f()


@program(args=(1.3,))
def lacking_attribute(x):
    def f():
        return x

    try:
        return f.y
    except AttributeError as e:
        return x * len(str(e))


@program(args=(1.3,))
def given_to_a_lambda(x):
    f = lambda t: t * f.k
    f.k = x
    return f(2.0)


@program(args=(1.3,))
def given_on_a_path(x):
    def f():
        pass

    f.a = 1.0
    if x > 1:
        f.a = x
        f.b = x * x
    return f.a * (f.b if hasattr(f, "b") else 2.0)


@program(args=(1.3,))
def written_by_each_call(x):
    def f(t):
        f.n += t
        return f.n

    f.n = 0.0
    s = 0.0
    for k in range(5):
        s += f(x * k)
    return s * f.n


@program(args=(1.3,))
def written_in_a_while(x):
    def f(t):
        f.n += t
        return f.n

    f.n = 0.0
    y = x
    while y < 20:
        y = y + f(x)
    return y * f.n


@program(args=(1.3,))
def of_two_made_alike(x):
    def make(k):
        def f(t):
            return t * f.c

        f.c = k
        return f

    a, b = make(x), make(x * x)
    a.c += 1.0
    return a(x) + b(x)


@program(args=(1.3,))
def by_two_names(x):
    def f():
        return f.v

    g = f
    g.v = x
    h = [f]
    h[0].v *= 2
    return f() * g.v


@program(args=(1.3,))
def taken_over_by_wraps(x):
    def f():
        return x

    f.tag = x * 3

    @functools.wraps(f)
    def g():
        return f() * 2

    g.tag2 = g.tag + 1
    return g() + g.tag * g.tag2 + len(g.__name__)


@program(args=(1.3,))
def name_beside_attributes(x):
    def f():
        """Text."""
        return x

    f.a = 1
    return x * len(f.__name__) * f.a


@program(args=(1.3,))
def given_in_each_turn(x):
    t = 0.0
    for k in range(3):

        def f():
            return f.v

        f.v = x * k
        t += f()
    return t


@program(args=(1.3,))
def of_several_in_a_list(x):
    fs = []
    for k in range(3):

        def f(t):
            return t * k

        f.w = x**k
        fs.append(f)
    return sum(f(x) * f.w for f in fs)


def outer(x):
    return x


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args):
        return 2 * function(*args)

    return wrapper


@program(args=(1.3,))
def what_is_wrapped(x):
    @doubled
    @doubled
    def cube(y):
        return y**3 * x

    return cube.__wrapped__(x) * cube(x) + cube.__wrapped__.__wrapped__(x)


@program(args=(1.3,))
def what_each_of_several_wraps(x):
    functions = [doubled(lambda y, k=k: y * k) for k in range(3)]
    return sum(f.__wrapped__(x) * f(x) for f in functions)


@program(args=(1.3,))
def what_may_wrap_nothing(x):
    def inner(y):
        return y * x

    given = doubled(inner) if x > 1 else inner
    try:
        return given.__wrapped__(x) + inner.__wrapped__(x)
    except AttributeError:
        return given(x) * 5 if hasattr(given, "__wrapped__") else x
