"""Calls of the user's functions: binding, closures, defaults, recursion, methods, objects."""
# ruff: noqa: B006, C405, C408, C409, F841, UP031 - written as their users write them

import collections
import dataclasses
import functools
import itertools
import operator
import sys
import types
from typing import NamedTuple

import numpy as np
import pytest

import symdiff as sd
from tests.parse.following import follows

X = np.array([0.5, -1.25, 2.0, 3.5])


def positional_and_keyword(x, n):
    def f(a, /, b, c=3.0, *args, d, e=5.0, **kw):
        return a + 10 * b + 100 * c + 1000 * len(args) + d * e + sum(kw.values())

    return (
        f(x[0], 2, d=1.0),
        f(x[0], 2, 4, 5, 6, d=2.0, z=x[1]),
        f(x[0], b=x[1], d=3.0, e=x[2], y=1.0, z=2.0),
        f(*[x[0], 2.0], **{"d": 4.0, "c": n}),
        f(x[0], *(1, 2), *[3], d=n, **{"q": 1}),
    )


def missing_argument(x, n):
    def f(a, b):
        return a + b

    return f(x[0])


def unexpected_argument(x, n):
    def f(a, b=1):
        return a + b

    return f(x[0], c=2)


def too_many_arguments(x, n):
    def f(a, b=1):
        return a + b

    return f(x[0], 1, 2)


def positional_only_by_name(x, n):
    def f(a, /, **kw):
        return a + kw["a"]

    return f(x[0], a=2.0)


def default_evaluated_once(x, n):
    k = x[0]

    def f(a, b=k * 2):
        return a + b

    k = 100.0
    return f(x[1]) + k


def mutable_default(x, n):
    def f(v, seen=[]):
        seen.append(v)
        return len(seen), seen[0]

    return f(x[0]), f(x[1]), f(x[2])


def nonlocal_counts(x, n):
    total, calls = 0.0, 0

    def add(v):
        nonlocal total, calls
        total += v
        calls += 1
        return total

    first = add(x[0])
    for i in range(n):
        add(x[i % 4])
    return first, total, calls


def nested_nonlocal(x, n):
    def outer():
        s = x[0]

        def inner():
            nonlocal s
            s = s * 2 + n
            return s

        inner()
        return inner() + s

    return outer() + outer()


def closures_share_a_cell(x, n):
    def make():
        v = x[0]

        def get():
            return v

        def put(w):
            nonlocal v
            v = w

        return get, put

    get, put = make()
    other, _ = make()
    put(x[1] + n)
    return get(), other()


def late_binding_of_names(x, n):
    def f():
        return scale * x[0]

    scale = 2.0
    a = f()
    scale = x[1]
    return a, f()


def function_used_before_definition(x, n):
    def f(v):
        return g(v) + 1

    def g(v):
        return v * n

    return f(x[0])


def unbound_closure_variable(x, n):
    def f():
        return later

    if n > 100:
        later = 1.0
    return f()


def lambda_in_containers(x, n):
    table = {"a": lambda v: v * 2, "b": np.sin, "c": functools.partial(np.power, 2.0)}
    fs = [abs, float, lambda v: v - 1]
    return [table[k](x[0]) for k in table], [f(x[1]) for f in fs]


def partial_functions(x, n):
    def f(a, b, *rest, c=1.0, **kw):
        return a - b * c + sum(rest) + kw.get("d", 0.0)

    g = functools.partial(f, x[0], c=2.0)
    h = functools.partial(g, x[1], d=n)
    return g(3.0), g(3.0, 4.0, c=5.0), h(), h(1.0, c=0.5)


def functions_of_functions(x, n):
    def twice(f):
        return lambda v: f(f(v))

    def compose(*fs):
        def run(v):
            for f in fs:
                v = f(v)
            return v

        return run

    square = lambda v: v * v  # noqa: E731
    return twice(square)(x[0]), compose(square, twice(np.cos), lambda v: v + n)(x[1])


def map_filter_reduce(x, n):
    a = sum(map(lambda v, w: v * w, x, x[::-1]))
    b = functools.reduce(lambda s, v: s * 0.5 + v, x)
    c = functools.reduce(operator.mul, [x[0], x[1], n], 2.0)
    d = list(filter(lambda k: k % 2, range(5)))
    e = list(map(float, [1, 2]))
    return a, b, c, d, e


def recursion_static(x, n):
    def power(v, k):
        return 1.0 if k == 0 else v * power(v, k - 1)

    return power(x[0], n), power(x[2], 3)


def recursion_on_data(x, n):
    def halve(v, depth):
        if v < 0.1:
            return v, depth
        return halve(v * 0.5, depth + 1)

    return halve(x[2] + n, 0)


def recursion_on_lists(x, n):
    def total(items):
        if not items:
            return 0.0
        return items[0] + total(items[1:])

    return total([x[0], x[1], [x[2]][0]])


def recursion_on_arrays(x, n):
    def fold(v):
        if len(v) == 1:
            return v[0]
        h = len(v) // 2
        return fold(v[:h]) * 2 + fold(v[h:])

    return fold(x)


def mutual_recursion(x, n):
    def even(k, v):
        return v if k == 0 else odd(k - 1, v * 2)

    def odd(k, v):
        return -v if k == 0 else even(k - 1, v + 1)

    return even(n, x[0])


class Base:
    scale = 2.0

    def __init__(self, a):
        self.a = a
        self.calls = 0

    def value(self, v):
        self.calls += 1
        return self.a * v * self.scale

    @property
    def double(self):
        return self.a * 2

    @double.setter
    def double(self, v):
        self.a = v / 2

    @staticmethod
    def static(v):
        return v + 1

    @classmethod
    def make(cls, a):
        return cls(a * cls.scale)

    def __call__(self, v):
        return self.value(v) + self.calls

    def __add__(self, other):
        return type(self)(self.a + other.a)

    def __getitem__(self, k):
        return self.a * k

    def __len__(self):
        return 3

    def __eq__(self, other):
        return self.a == other.a

    def __lt__(self, other):
        return self.a < other.a

    __hash__ = None


class Child(Base):
    scale = 3.0

    def __init__(self, a, b=1.0):
        super().__init__(a)
        self.b = b

    def value(self, v):
        return super().value(v) + self.b

    def chained(self, v):
        self.a = self.a + v
        return self


def methods(x, n):
    p, q = Base(x[0]), Child(x[1], b=n)
    r = [p.value(2.0), q.value(3.0), q(x[2]), p.double, p.static(1.0), Child.static(2.0)]
    p.double = x[3]
    s = p + Base.make(x[2])
    return r, p.a, p.calls, q.calls, s.a, s[3], len(s), Child.make(1.0).a


def bound_methods_as_values(x, n):
    p = Base(x[0])
    f = p.value
    p.a = x[1]
    g = Base.value
    return f(2.0), g(p, 3.0), p.calls, list(map(p.value, x[:2])), p.calls


def object_comparisons(x, n):
    p, q = Base(x[0]), Base(x[1])
    return (1.0 if p < q else 2.0), (3.0 if p == q else 4.0), p is q, p is not None


def fluent_methods(x, n):
    q = Child(x[0])
    r = q.chained(1.0).chained(x[1])
    r.b = 7.0
    return q.a, q.b, q is r


def objects_in_loops(x, n):
    p = Child(x[0])
    for i in range(n):
        p.a = p.value(0.5) + x[i % 4]
        p.b += 1
    return p.a, p.b, p.calls


def list_of_objects(x, n):
    ps = [Base(v) for v in (x[0], x[1], 2.0)]
    total = 0.0
    for p in ps:
        p.a += 1
        total += p.value(n)
    return total, [p.a for p in ps], ps[0].calls


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float = 0.5
    tags: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.b = self.b * 2

    def apply(self, v):
        return self.w * v + self.b


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: tuple = (1, 2)


class Pair(NamedTuple):
    u: float
    v: object = 2.0

    def total(self):
        return self.u + self.v


Point = collections.namedtuple("Point", "x y")


def dataclasses_and_tuples(x, n):
    p = Params(x * 2)
    q = dataclasses.replace(p, b=x[0])
    p.tags.append(1.0)
    f = Frozen(x[0])
    t = Pair(x[0])
    u, v = t
    r = Pair(v=x[1], u=n)
    m = Point(x[0], y=n)
    return p, q.apply(2.0), f, t.total(), r.total(), u, v, r._replace(u=1.0), m.x * m.y, m


def made_of_iterables(x, n):
    p = Point._make([x[0], n])
    q = Pair._make(2 * v for v in x[1:3])
    r = p._make((x[2], 1.0))
    totals = [t.total() for t in map(Pair._make, [(x[0], x[1]), x[2:4]])]
    return p, q, q.total(), r, totals


def made_of_too_many(x, n):
    return Point._make(x[:n])


def made_of_too_few(x, n):
    return Point._make([x[0]])


def places_in_lists(x, n):
    words, numbers = ["a", "b", "a", "c"], [x[0], 2.0, x[2], x[0]]
    found = words.index("a", 1), words.index("a", 0, 2), words.index("a", -2, 99)
    return found, numbers.index(x[0], 1), numbers.index(2.0, -3, 2)


def not_in_that_part_of_a_list(x, n):
    return [1, 2, 3].index(1, n) * x[0]


def no_place_to_begin_at(x, n):
    return [1, 2, 3].index(1, 0.0) * x[0]


def named_tuple_in_a_loop(x, n):
    t = Pair(x[0], x * 1.0)
    for i in range(n):
        t = Pair(t.u + i, t.v * 0.5)
    return t


def dataclass_in_a_loop(x, n):
    p = Params(x * 1.0)
    for i in range(n):
        p = dataclasses.replace(p, w=p.w * 0.5)
        p.b -= i
    return p.w, p.b


def namespaces(x, n):
    s = types.SimpleNamespace(a=x[0], b=[1.0])
    s.c = s.a * 2
    s.b.append(s.c)
    return s.a + s.c, s.b


def starred_targets(x, n):
    a, *b = x[0], x[1], 3.0
    *c, d = [x[0], n]
    (e, f), *g = (x[0], x[1]), 5.0, [x[2]]
    h, (i, *j) = 1.0, x[:3]
    for k, *m in [(1, 2, 3), (4.0,)]:
        d += k + len(m)
    return a, b, c, d, e, f, g, h, i, j


def unpack_array(x, n):
    a, b, c, d = x
    (e, f), (g, h) = x.reshape(2, 2)
    return a + b * c - d, e * f + g * h


def wrong_unpacking(x, n):
    a, b = x[0], x[1], x[2]
    return a


def chained_assignment(x, n):
    a = b = c = x * 1.0
    a[0] = 5.0
    b = b + 1
    d = e = []
    d.append(n)
    return a, b, c, d, e


def annotations(x: np.ndarray, n: int) -> float:
    a: float = x[0]
    b: list[float]
    b = [a, n]
    return a + b[0]


def deletions(x, n):
    a, b = x[0], [1.0, x[1], 3.0]
    d = {"u": x[0], "v": 2.0}
    del b[0], d["u"]
    c = a
    del a
    return b, d, c


def global_builtins(x, n):
    return (
        abs(x[1]),
        round(x[0] * 1.234, 2),
        pow(x[0], 2),
        divmod(7.5, x[0]),
        int(x[3]),
        float(n),
        bool(n),
        len(x),
        sum([x[0], 1.0], 2.0),
        any(v > 3 for v in x),
        all(v > 3 for v in x),
        sorted([3, 1, 2]),
        sorted([3, 1, 2], reverse=True),
        isinstance(x, np.ndarray),
        isinstance(n, (int, float)),
        list(range(3)),
        list(zip([1, 2], "ab", strict=True)),
        dict(a=x[0]),
        tuple([x[0], n]),
        str(3) + "a",
        max(n, 2),
        min([x[0], x[1]]),
        list(enumerate("ab")),
        list(reversed([1, x[0]])),
        slice(1, 3) == slice(1, 3),
        complex(x[0], 2.0),
        callable(len),
        type(n) is int,
        hasattr(x, "shape"),
        getattr(x, "nope", 3.0),
        set([1, 2, 2]) == {1, 2},
    )


def quantifiers_stop(x, n):
    seen = []

    def check(v):
        seen.append(v)
        return v > 0

    a = all(check(v) for v in (x[0], x[1], x[2]))
    b = any(check(v) for v in [x[1], x[2], x[3]])
    return a, b, seen


def quantifiers_guard(x, n):
    i = n + 3
    return all(x[k] > -9.0 and k < 3 for k in range(4)), any(
        k > 2 or x[k + 1] > 9 for k in range(4)
    )


def next_stops(x, n):
    seen = []

    def check(v):
        seen.append(v)
        return v

    return next(check(v) for v in (x[0], x[1])), next(iter([x[2], x[3]])), next(iter([]), 5.0), seen


def generators_belong_to_where_they_are_made(x, n):
    k = 100.0

    def make(v):
        k = v[0] * n
        return (w * k for w in v if w > k)

    g = make(x)
    xs = [x[0], 1.0]
    h = (v + k for v in xs)
    xs = []
    k = 200.0
    nested = [v * 2 for v in (w + 1 for w in x if w > 0)]
    pairs = sum(a * b for a, b in ((v, v + n) for v in x))
    return sum(g), sum(h), nested, pairs


def range_items(x, n):
    r = range(2, 12, 3)
    return r[0], r[-1], r[1:][0], len(r), 5 in r, list(r[::-1]), x[range(4)[-2]]


def string_methods(x, n):
    name = ["a", "b"][1].upper()
    return name, "-".join(["u", "v"]), "x".startswith("x"), f"{n:03d}|{name!r:>5}", "%d" % 3


def dictionary_methods(x, n):
    d = {"a": x[0], "b": 2.0}
    e = d.pop("b") + d.get("z", 1.0) + d.setdefault("c", x[1])
    d.update(q=3.0, a=x[2])
    d |= {"r": n}
    f = d | {"a": 0.0}
    keys = list(d.keys())
    vals = sum(d.values())
    pairs = [(k, v) for k, v in d.items()]
    return e, keys, vals, pairs, f["a"], "a" in d, len(d), list(d), {**d, "n": 1}


def list_methods(x, n):
    a = [x[0], 1.0]
    a.append(2.0)
    a.extend([3.0, x[1]])
    a.insert(1, n)
    b = a.pop()
    c = a.pop(0)
    a.reverse()
    e = [3, 1, 2]
    e.sort()
    f = a + [b] * 2
    g = a[::-1]
    a += [9.0]
    a[1:2] = [7.0, 8.0]
    k = e.index(3)
    e.remove(1)
    return a, b, c, e, f, g, k, len(a), e.count(2), a == [1.0], [1, 2] < [1, 3], 2 in e


def iterate_while_growing(x, n):
    a = [x[0], x[1]]
    s = 0.0
    for v in a:
        s += v
        if len(a) < 5:
            a.append(v + 1.0)
    return s, a


def range_is_fixed_at_the_start(x, n):
    m = n
    s = 0.0
    for i in range(m):
        m = 0
        s += x[i % 4]
    return s, m


def loop_variable_rebound(x, n):
    s = 0.0
    for i in range(n):
        i = i * 2
        s += x[i % 4]
    return s


def array_iterated_while_written(x, n):
    a = x.copy()
    s = 0.0
    for v in a:
        a[-1] = 9.0
        s += v
    return s, a


def enumerate_while_rebound(x, n):
    a = x.copy()
    for i, v in enumerate(a):
        a = a * 2
        a[i] = v
    return a


def list_rebound_while_iterated(x, n):
    a = [x[0], x[1]]
    s = 0.0
    for v in a:
        a = [v, v, v]
        s += len(a) * v
    return s, a


def by_keyword(x, n):
    pairs = [i * v for i, v in enumerate([x[0], x[1]], start=2)]
    return (
        round(x[0] * 1.26, ndigits=1),
        round(number=x[0] * 1.26),
        sum(pairs, start=x[2]),
        pow(x[0], exp=2) + pow(base=x[0], exp=n),
        abs(complex(x[0], imag=x[1])),
        complex(imag=x[1]).imag,
        max([x[0]], default=3.0) + min(x[0], x[1], key=lambda v: -v),
        x.compress([True, False, True]),
        np.compress(axis=0, condition=[False, True], a=x),
    )


ALL = [f for f in list(globals().values()) if getattr(f, "__module__", 0) == __name__]
ALL = [f for f in ALL if isinstance(f, types.FunctionType)]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_functions(function):
    follows(function, (X, 0), (X, 1), (X, 3))


def words_name_functions(x):
    names = "sin, cos".replace(" ", "").split(",")
    names.append("exp")
    first, *rest = names
    return [getattr(np, name)(x) for name in rest], getattr(np, first)(x[0])


def test_words_of_a_text_are_a_list():
    follows(words_name_functions, np.array([0.3, 1.2]))


def test_builtins_take_the_keywords_that_python_takes():
    def rounded(x):
        return round(x, digits=1)

    with pytest.raises(TypeError, match="digits"):
        sd.differentiable(rounded).forward(1.26)


def scaled_by_the_version(x, version):
    return x * version[0]


def test_a_struct_sequence_is_refused_as_an_argument():
    with pytest.raises(sd.UnsupportedCallError, match="version_info as an argument"):
        sd.grad(scaled_by_the_version)(2.0, sys.version_info)
    assert sd.grad(scaled_by_the_version)(2.0, tuple(sys.version_info)) == sys.version_info[0]


def damped(inner):
    def link(x):
        if x > 0.5:
            x = 0.9 * inner(x) + 0.5 * x
        return x

    return link


def test_functions_of_one_definition_that_call_each_other_are_no_recursion():
    function = np.sin
    for _ in range(6):
        function = damped(function)
    follows(lambda x: function(x), 0.2, 0.7, 1.9)
    slope = (function(0.7 + 1e-6) - function(0.7 - 1e-6)) / 2e-6
    assert np.isclose(sd.grad(function)(0.7), slope, rtol=1e-8)


def stepped(x, twice=False, *, shifted=True, times=2.0):
    y = x * x * times if twice else x * times
    return y + 1.0 if shifted else y


def takes_its_options(x):
    return stepped(x) * x


def test_a_default_that_is_a_bool_is_no_branch_and_may_be_changed(monkeypatch):
    gradient = sd.grad(takes_its_options)
    assert gradient(1.5) == 4.0 * 1.5 + 1.0
    lines = map(str.strip, str(gradient.source(1.5)).splitlines())
    assert not any(line.startswith("if ") for line in lines)
    monkeypatch.setattr(stepped, "__defaults__", (True,))
    assert gradient(1.5) == 6.0 * 1.5**2 + 1.0
    monkeypatch.setattr(stepped, "__kwdefaults__", {"shifted": False, "times": 2.0})
    assert gradient(1.5) == 6.0 * 1.5**2
    monkeypatch.setattr(stepped, "__kwdefaults__", {"shifted": 0, "times": 3.0})
    assert gradient(1.5) == 9.0 * 1.5**2
    monkeypatch.undo()
    assert gradient(1.5) == 4.0 * 1.5 + 1.0


def pendulum_by_midpoints(y0):
    def slope(y):
        return np.array([y[1], -np.sin(y[0]) - 0.1 * y[1]])

    def damped(z):
        return np.tanh(z)

    y = y0
    for _ in range(3):
        k1 = slope(y)
        k2 = slope(y + 0.05 * k1)
        y = y + 0.1 * damped(k2 - 0.5 * y)
    return y @ y


def test_what_is_computed_for_a_call_has_the_name_of_the_parameter():
    gradient = sd.grad(pendulum_by_midpoints)
    y0 = np.array([1.0, 0.2])
    expected = [derivative(lambda t, e=e: pendulum_by_midpoints(y0 + t * e)) for e in np.eye(2)]
    np.testing.assert_allclose(gradient(y0), expected, rtol=1e-8)
    lines = [line.strip() for line in str(gradient.source(y0)).splitlines()]
    assert "y1 = y + 0.05 * k1" in lines
    assert not any(line.startswith("z = ") for line in lines)  # what is read once is in a line


def derivative(f, h=1e-3):
    """By differences, extrapolated twice."""
    first = [(f(h / 2**k) - f(-h / 2**k)) / (2 * h / 2**k) for k in range(3)]
    second = [(4 * b - a) / 3 for a, b in itertools.pairwise(first)]
    return (16 * second[1] - second[0]) / 15
