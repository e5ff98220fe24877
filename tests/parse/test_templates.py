"""Functions of numbers are staged once for all calls of a kind, and right in each of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import functions, templates
from tests import reference
from tests.programs import callees_in_try, errors_of_callees

WEIGHTS = [0.5, 1.5]
OFFSET = 0.25
CALLED: list[float] = []


def leaf(a: float, b: float) -> float:
    if a * b > 0.5:
        return math.sin(a) * b
    return math.exp(-a) + b * OFFSET


def node(a: float, b: float) -> float:
    return 0.5 * (leaf(a * b, b) + math.cos(leaf(a, b + 0.1)))


def root(a: float, b: float) -> float:
    return 0.5 * (node(a * b, b) + math.cos(node(a, b + 0.1)))


def tree(x: float, y: float) -> float:
    return root(x, y) * root(y, x) + root(x + y, y * 0.5)


def residual(x: float, a: float, flag: bool) -> float:
    if x < 0.3:
        return x * x * a - 0.7
    if flag and x < 0.5:
        return math.sin(x) * a
    return math.exp(x) - 2.0 * a


def secant(f: Callable[..., float], x0: float, args: tuple[Any, ...]) -> float:
    x1 = x0 * 1.01
    y0, y1 = f(x0, *args), f(x1, *args)
    for _ in range(60):
        if y1 == y0 or abs(y1) < 1e-13:
            break
        x0, x1 = x1, x1 - y1 * (x1 - x0) / (y1 - y0)
        y0, y1 = y1, f(x1, *args)
    return x1


def solved(x: float, a: float) -> float:
    return secant(residual, x, (a, True)) * a


def reads(a: float) -> float:
    return a * a * WEIGHTS[0] + OFFSET


def with_changes(x: float, y: float) -> float:
    """What stands outside is changed between calls of one kind."""
    s = reads(x) + reads(y) + reads(x * y)
    WEIGHTS[0] = 2.0 * x
    s = s + reads(x) * reads(y)
    WEIGHTS[0] = 0.5
    return s + reads(s)


def tells(a: float) -> float:
    CALLED.append(a)
    return a * a


def counted(x: float, y: float) -> float:
    del CALLED[:]
    total = tells(x) + tells(y) * tells(x * y)
    return total * len(CALLED)


def doubled(a: float) -> tuple[float, float]:
    return a, 2.0 * a


def of_pairs(x: float, y: float) -> float:
    a, b = doubled(x)
    c, d = doubled(y)
    e, f = doubled(a * d)
    return a * d - b * c * 0.3 + e * f


class Pair(NamedTuple):
    a: float
    b: float

    def __mul__(self, factor: Any) -> Pair:  # type: ignore[override]
        return Pair(self.a * factor, self.b * factor)


def swapped(pair: Any, c: float) -> Any:
    return Pair(pair[1], pair[0] * c)


def of_named_tuples(x: float, y: float) -> float:
    """What a function gives has the class that it has where it is followed."""
    p = swapped(Pair(x, y), 1.5)
    q = swapped(Pair(y, x), p.a)
    r = swapped(Pair(p.b, q.a), x) * y
    s = swapped((r.a, r.b), y) * x
    return p.a * q.b + r.a * r.b - (swapped((s.b, x), y) * s.a).b


def part(a: float) -> slice:
    return slice(0, 2) if a > 5.0 else slice(1, 3)


def of_slices(x: float, y: float) -> float:
    values = np.array([x, y, x * y, 1.0])
    total: float = values[part(x)].sum() + (values[part(y)] ** 2).sum() * values[part(x * y)][0]
    return total


def falling(v: float, level: float) -> float:
    return v if level < 0.5 else rising(v * 1.1 + 0.1, level * 0.6)


def rising(v: float, level: float) -> float:
    return v * v if level < 0.5 else falling(math.sin(v), level * 0.6)


def by_turns(x: float, y: float) -> float:
    """Two functions call each other, to a depth that depends on data."""
    return rising(x, y * 2.0) + falling(y, x * 3.0) * rising(x * y, 1.0 + y)


def guarded(x: float, y: float) -> float:
    total = reads(x) + reads(y)
    try:
        total = total + math.log(reads(x - 1.0) - y)
    except ValueError:
        total = total + reads(x * y)
    return total


def raises(v: float) -> float:
    if v > 40.0:
        raise ValueError(v)
    return v * leaf(v, 0.5)


def raised_in_called(x: float, y: float) -> float:
    return raises(x) + raises(y) * raises(x * y)


def choosing(inner: Callable[[float], float]) -> Callable[[float], float]:
    def outer(v: float) -> float:
        if v > 0.1:
            return inner(v * 1.05)
        return inner(v + 0.3)

    return outer


CHOSEN: Callable[[float], float] = math.sin
for _ in range(14):
    CHOSEN = choosing(CHOSEN)


def chosen_often(x: float, y: float) -> float:
    return CHOSEN(x - 0.7) * CHOSEN(y)


def of_known_parts(a: float) -> tuple[float, float, float]:
    return a, 2.0, leaf(a, 0.3)


def of_parts(x: float, y: float) -> float:
    a, b, c = of_known_parts(x)
    d, e, f = of_known_parts(y * x)
    return a * b + c * d + e * f


def of_captured(x: float, y: float) -> float:
    """What local functions see of names, and bind there, differs from call to call."""
    total, scale, calls = 0.0, x * 0.5, 0

    def weighted(v: float) -> float:
        nonlocal total, calls
        total, calls = total + v * scale, calls + 1
        return math.sin(total) if v > 0.5 else total * v

    def both(v: float) -> float:
        if v > 1.0:
            return weighted(v) * weighted(v * y)
        return weighted(v + 0.2) - weighted(v)

    a = both(x) + both(y)
    scale = y
    b = both(x * y) * both(x)
    scale = 2.0
    return a * b + both(x) * both(y) + total * calls


def of_rebound_functions(x: float, y: float) -> float:
    """The function that a local one calls is another one later."""

    inner: Callable[[float], float] = lambda v: v * v * x  # noqa: E731

    def outer(v: float) -> float:
        return inner(v) + 1.0

    first = outer(x) * outer(y) * outer(x * y)
    inner = lambda v: math.sin(v) * y  # noqa: E731
    return first + outer(x) * outer(y) * outer(x * y)


def of_lists(x: float, y: float) -> float:
    """Lists and dicts that are handed to a function, and written there; two may be one."""
    rows, other, table = [x, 1.0], [y, 2.0], {"w": x, 1: y}

    def step(a: list[float], b: list[float], v: float) -> list[float]:
        a[0] = a[0] * v + b[1]
        b[1] = b[1] + a[0] * table["w"]
        table["w"] = table["w"] * 0.5
        return a

    step(rows, other, x)
    step(rows, other, y)
    step(rows, other, x * y)
    step(rows, rows, x)
    step(rows, rows, y)
    kept = step(rows, rows, x * y)
    kept[0] = kept[0] * 1.5
    table[1], rows[1] = rows[1], table[1]
    return rows[0] * other[1] + step(other, rows, y)[0] * table["w"] + table[1]


class Held:
    def __init__(self, w: float, inner: Any = None) -> None:
        self.w = w
        self.inner = inner

    def step(self, v: float) -> Any:
        self.w = self.w * v + 0.1
        self.last = v
        return self

    def value(self, v: float) -> float:
        if self.inner is None:
            return math.sin(v) * self.w
        if v > 0.7:
            return float(self.inner.value(v * 0.9)) + self.w
        return float(self.inner.value(v + 0.3)) * self.w


def of_objects(x: float, y: float) -> float:
    """Objects made here, alike and of one another; attributes that come with a call."""
    a, b = Held(x), Held(y)
    total = a.step(x).w + a.step(y).w * b.step(x).w + b.step(x * y).w
    chain = Held(x * y, Held(y, Held(x, Held(0.3, a))))
    total += chain.value(x) * chain.value(y) + chain.value(x * y)
    b.w, b.inner = total * 0.1, chain
    return total + b.value(y) * b.value(x) * a.last + b.last


def of_local_classes(x: float, y: float) -> float:
    class Scaled:
        scale = 1.5

        def __init__(self, w: float) -> None:
            self.w = w

        def inner(self, v: float) -> float:
            return math.sin(v * self.w) * self.scale + x

        def outer(self, v: float) -> float:
            if v > 0.8:
                return self.inner(v) * self.inner(v * 0.5)
            return self.inner(v + 0.1) - self.inner(v * v)

    one, other = Scaled(x), Scaled(y)
    total = one.outer(x) + one.outer(y) + one.outer(x * y)
    total *= other.outer(x) + other.outer(y) + other.outer(x * y)
    Scaled.scale = y
    total += one.outer(x) + one.outer(y) + one.outer(x * y)
    Scaled.inner = lambda self, v: v * v * self.w  # type: ignore[method-assign]
    return total + one.outer(x) * one.outer(y) + one.outer(x * y)


def of_buffers(x: float, y: float) -> float:
    """An array that a local function sees, and writes."""
    buffer = np.array([x, y, 1.0])

    def push(v: float) -> float:
        buffer[1:] = buffer[:-1] * v
        buffer[0] = v
        return float(buffer.sum())

    total = push(x) * push(y) + push(x * y)
    view = buffer[::2]
    return total + push(x) * push(y) * push(0.5 * x) + float(view @ view)


def of_chains(x: float, y: float) -> float:
    """Functions in functions in functions: each calls the one that it is given."""

    def step(g: Callable[[float], float], c: float, v: float) -> float:
        if v > 0.7:
            return g(v * 0.9) + c
        return g(v + 0.3) * 0.9

    g: Callable[[float], float] = math.sin
    h: Callable[[float], float] = math.cos
    for k in range(5):
        g = partial(step, g, x * k)
        h = lambda v, h=h, k=k: h(v * y) * 0.9 if v > 0.5 else h(v + 0.1 * k)  # noqa: E731
    return g(x) * h(y) + g(y) * h(x)


def of_tried(x: float, y: float) -> float:
    """Inside try, a local function binds a name around it before it raises."""
    last, total = 0.0, 0.0

    def risky(v: float) -> float:
        nonlocal last
        last = v * y
        if v > 1.3:
            raise ValueError
        return math.sin(v) * x

    for v in (x, y * 2.0, x * y, 3.0 * y):
        try:
            total = total + risky(v) * risky(v * 0.9)
        except ValueError:
            total = total - last
    return total * last


def of_names_bound_by_statements(x: float, y: float) -> float:
    """Names around that patterns, handlers and imports bind, and that are unbound before."""
    kept, w, m = x, y, np

    def binds(v: float) -> float:
        nonlocal kept, w, m
        import math as m  # type: ignore[no-redef]

        match v * 2.0, 1.0:
            case kept, _:
                pass
        try:
            if v > 0.65:
                raise ValueError(v)
        except ValueError as w:  # noqa: F841
            pass
        return v * y

    def left() -> float:
        try:
            return w * y
        except NameError:
            return 7.0 * x

    total = binds(x) * kept + left()
    w = x
    total += binds(y) * kept + left()
    del kept
    total += binds(x * y) + kept * left()  # noqa: F821
    del kept  # noqa: F821
    w = y
    total += binds(0.5 * x) * left() + kept  # noqa: F821
    del kept, m  # noqa: F821
    return total + binds(y) * kept * m.sin(x)  # noqa: F821


def flat(rows: Any) -> Any:
    return np.ravel(rows)


def row(numbers: Any) -> Any:
    return np.expand_dims(numbers, 0)


def of_views(x: float, y: float) -> float:
    """Views that functions give are of what they are given."""
    numbers = np.array([[x, y], [x * y, 1.0]])
    first, _, third = flat(numbers), flat(numbers), flat(numbers)
    third[1] *= first[2]
    lines = [row(third), row(third), row(third), row(third)]
    lines[3][0, 0] += lines[2][0, 1] * y
    return float(np.sum(numbers**2) + np.sum(lines[1] * first))


class Key:
    pass


class Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def of_keys(x: float, y: float) -> float:
    """Objects that a function makes keys of a dict that it is given."""

    def put(table: dict[Any, float], key: Any, v: float) -> float:
        table[key] = v
        return v * v

    tables: list[dict[Any, float]] = [{}, {}, {}, {}]
    keys = [Key(), Key(), Key(), Key()]
    total = 0.0
    for k, (table, key) in enumerate(zip(tables, keys, strict=True)):
        total += put(table, key, x + k) * put(table, Named("a"), y * k)
    for k, (table, key) in enumerate(zip(tables, keys, strict=True)):
        total += table.get(key, 7.0 * x) * table.get(keys[1], k * y) * table[Named("a")]
    return total


def longer(pairs: list[tuple[float, float]], numbers: list[float], v: float) -> float:
    numbers.append(numbers[-1] * v)
    return numbers[-1] + numbers[0] if pairs else v


def of_lists_of_pairs(x: float, y: float) -> float:
    """A list of pairs, whose length is known at run time only, stands before one of numbers."""
    pairs, numbers = [(x, 1.0)], [x * x]
    for k in range(int(x * 5)):
        pairs.append((x * k, y))
        numbers.append(y + k)
    total = x
    for v in (x, y, 0.5 * x, x * y):
        total = total + longer(pairs, numbers, v) * total
    for a, b in pairs:
        total = total + a * b
    return total + sum(numbers)


def fresh(function: Callable[..., float]) -> Any:
    """Another function of the same code, of which nothing was compiled before."""
    return FunctionType(function.__code__.replace(), function.__globals__, function.__name__)


PROGRAMS = [
    tree,
    of_lists_of_pairs,
    solved,
    with_changes,
    counted,
    of_pairs,
    guarded,
    of_named_tuples,
    of_slices,
    by_turns,
    raised_in_called,
    chosen_often,
    of_parts,
    of_captured,
    of_rebound_functions,
    of_lists,
    of_objects,
    of_local_classes,
    of_buffers,
    of_keys,
    of_views,
    of_chains,
    of_tried,
    of_names_bound_by_statements,
    callees_in_try.tries,
    callees_in_try.in_a_row,
    callees_in_try.by_classes,
    callees_in_try.told,
    callees_in_try.anything,
    callees_in_try.of_several,
    callees_in_try.raised_again,
    callees_in_try.at_levels,
    callees_in_try.written_before,
    callees_in_try.caught_further_out,
    errors_of_callees.says_numbers,
    errors_of_callees.raised_again,
    errors_of_callees.in_context,
    errors_of_callees.raised_by_operations,
    errors_of_callees.swallowed,
    errors_of_callees.by_generators,
    errors_of_callees.done_last,
]


@pytest.mark.parametrize(("followed_first", "large"), [(0, 1000), (1, 1000), (0, 1)])
@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("args", [(0.62, 1.17), (0.71, 1.32)])
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
def test_derivatives_are_those_of_the_function(
    function: Callable[..., float],
    args: tuple[float, float],
    followed_first: int,
    large: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(templates, "FOLLOWED_FIRST", followed_first)
    monkeypatch.setattr(templates, "LARGE", large)
    expected = [
        float(reference.directional(function, args, along).value)
        for along in ((1.0, 0.0), (0.0, 1.0))
    ]
    made = sd.differentiable(fresh(function))
    np.testing.assert_allclose(made.forward(*args)[0], function(*args), rtol=1e-15)
    found = sd.grad(made, argnums=(0, 1))(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


SECOND = [
    tree,
    chosen_often,
    raised_in_called,
    of_parts,
    of_captured,
    of_objects,
    of_views,
    of_chains,
    callees_in_try.in_a_row,
    callees_in_try.written_before,
    callees_in_try.caught_further_out,
    errors_of_callees.says_numbers,
    errors_of_callees.raised_again,
    errors_of_callees.swallowed,
]


@pytest.mark.parametrize("function", SECOND)
def test_second_derivatives_through_templates_that_are_called(
    function: Callable[..., float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "LARGE", 1)
    args, u, v = (0.62, 1.17), (1.0, -0.4), (0.3, 0.8)
    expected = reference.second_directional(function, args, u, v).value
    made = sd.differentiable(fresh(function))
    _, (_, tangent) = sd.jvp(made.jvp, (args, u), (v, (0.0, 0.0)))
    _, product = sd.jvp(sd.grad(made, argnums=(0, 1)), args, u)
    np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(np.dot(product, v), expected, rtol=1e-6, atol=1e-7)


def test_what_a_called_template_raises() -> None:
    made = sd.differentiable(fresh(chosen_often))
    assert "math.sin" in made.grad.source(0.62, 1.17)
    raising = sd.grad(fresh(raised_in_called))
    with pytest.raises(ValueError, match=r"41\.0"):
        raising(1.0, 41.0)


def scaled(v: float) -> float:
    y = v
    if v > 0.2:
        y = v * v
    return y * 3


def integers_given(x: float, y: float) -> float:
    s = 0.0 * y if x > 1.0 else 0
    a, b = scaled(s), scaled(x)
    z = np.array([a, a])
    z[0] = b
    return float(z[0] + y)


def raises_again(v: float) -> float:
    if v > 0.0:
        raise
    return v * v


def handled_by_turns(x: float, y: float) -> float:
    total = 0.0
    try:
        if y > 0.0:
            raise ValueError("first")
    except ValueError:
        total += raises_again(x)
    try:
        if y > 0.0:
            raise ValueError("second")
    except ValueError:
        total += raises_again(2.0 * x)
    try:
        if y > 0.0:
            raise ValueError("third")
    except ValueError:
        total += raises_again(3.0 * x) * raises_again(x + 1.0)
    return total


def test_a_function_raises_again_what_is_handled_where_it_is_called() -> None:
    made = sd.grad(fresh(handled_by_turns))
    slope = reference.directional(handled_by_turns, (-2.0, 1.0), (1.0, 0.0)).value
    np.testing.assert_allclose(made(-2.0, 1.0), slope, rtol=1e-9)
    for x, said in ((-0.5, "third"), (2.0, "first")):
        with pytest.raises(ValueError, match=said):
            handled_by_turns(x, 1.0)
        with pytest.raises(ValueError, match=said):
            made(x, 1.0)


def test_what_nothing_around_catches_is_raised_by_each_call_of_a_function() -> None:
    function = callees_in_try.raises_further
    made = sd.grad(fresh(function), argnums=(0, 1))
    for args in ((0.62, 1.3), (1.9, 1.3), (-1.0, 1.9)):
        slopes = [reference.directional(function, args, u).value for u in ((1.0, 0.0), (0.0, 1.0))]
        np.testing.assert_allclose(made(*args), slopes, rtol=1e-8)
    for args in ((3000.0, 0.5), (-80.0, 1.9)):
        with pytest.raises(callees_in_try.TooLow, match="too low"):
            function(*args)
        with pytest.raises(callees_in_try.TooLow, match="too low"):
            made(*args)


def steps(v: float, n: int) -> int:
    return n + 1 if v * 0.0 == 0.0 else n


def is_even(v: float, n: int) -> bool:
    return n % 2 == 0 and v > 0.3


def of_integers(x: float, y: float) -> float:
    """What functions of numbers tell decides what is computed."""
    total, n = 0.0, 0
    for v in (x, y, x * y):
        n = steps(v, n)
        total = total + (math.sin(v) * n if is_even(v, n) else v * v)
    return total


def of_a_length(x: float, n: int) -> float:
    """A length that a function gives of an argument is known for it."""
    lengths = [twice_of(x, n), twice_of(x * x, n), twice_of(0.5 * x, n)]
    return float(sum(np.sum(np.arange(k) * x) for k in lengths)) + len((x,) * lengths[2])


def twice_of(v: float, n: int) -> int:
    return 2 * n if n > 1 else n


@pytest.mark.parametrize("large", [1, 1000])
def test_integers_and_truths_that_functions_give(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "FOLLOWED_FIRST", 0)
    monkeypatch.setattr(templates, "LARGE", large)
    for args in ((0.62, 1.17), (0.21, 0.4)):
        slopes = [reference.directional(of_integers, args, u).value for u in ((1, 0), (0, 1))]
        found = sd.grad(fresh(of_integers), argnums=(0, 1))(*args)
        np.testing.assert_allclose(found, slopes, rtol=1e-8)
    np.testing.assert_allclose(sd.grad(fresh(of_a_length))(0.62, 3), 3 * 15.0)


def made_like(v: float, w: float) -> float:
    return float(np.full_like(v, w)) * 1.0


def picked(v: float, w: float) -> float:
    try:
        return WEIGHTS[v] * w  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return w * w


def of_integers_by_a_library(x: float, y: float) -> float:
    s = 1 if x > 1.0 else x
    return made_like(x, y) + made_like(y, x) + made_like(s, y)


def of_integers_by_a_list(x: float, y: float) -> float:
    s = 1 if x > 1.0 else x
    return picked(x, y) + picked(y, x) + picked(s, y)


@pytest.mark.parametrize("function", [of_integers_by_a_library, of_integers_by_a_list])
@pytest.mark.parametrize("large", [1, 1000])
def test_what_rests_on_a_number_that_is_an_integer_on_some_paths_is_refused_in_each_call(
    function: Callable[..., float], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "LARGE", large)
    with pytest.raises(sd.UnsupportedSyntaxError, match="that is an integer on some paths"):
        sd.grad(fresh(function))(0.5, 0.7)


@pytest.mark.parametrize("large", [1, 1000])
def test_integers_on_some_paths_are_seen_through_templates_that_are_called(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "FOLLOWED_FIRST", 0)
    monkeypatch.setattr(templates, "LARGE", large)
    with pytest.raises(sd.UnsupportedSyntaxError, match="integers on some paths"):
        sd.grad(fresh(integers_given))(0.5, 1.0)


def filled_like(v: float, w: float) -> float:
    return float(np.full_like(v, 0.5)) * w


def by_class(v: float, w: float) -> float:
    return 3.0 * w if isinstance(v, int) else w


@pytest.mark.parametrize("callee", [filled_like, by_class])
@pytest.mark.parametrize("large", [1, 1000])
def test_what_copies_ask_of_integers_on_some_paths_is_refused(
    callee: Callable[[float, float], float], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asking(x: float, y: float) -> float:
        s = 0.0 * y if x > 1.0 else 0
        return callee(x, y) + callee(y, x) + callee(x * y, x) + callee(s, y)

    monkeypatch.setattr(templates, "LARGE", large)
    with pytest.raises(sd.UnsupportedSyntaxError, match="an integer on some paths"):
        sd.grad(asking)(0.5, 1.0)


def by_class_within(v: float) -> float:
    return by_class(v, 2.0) + 0.5 * by_class(v, v)


def of_a_class_within(x: float) -> float:
    total = by_class_within(x) + by_class_within(x + 1.0) + by_class_within(x + 2.0)
    return total + by_class_within(2 if x > 0.5 else x)


@pytest.mark.parametrize("large", [1, 1000])
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_what_copies_in_copies_ask_of_integers_on_some_paths_is_refused(
    large: int, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "LARGE", large)
    made = fresh(of_a_class_within)
    with pytest.raises(sd.UnsupportedSyntaxError, match="an integer on some paths"):
        sd.grad(made)(1.0) if mode == "grad" else sd.jvp(made, (1.0,), (1.0,))


def counted_steps(v: float, steps: int) -> float:
    """Roots by steps that are listed, of numbers that need not be found."""
    found = [v]
    for k in range(steps):
        step = (found[-1] ** 2 - v) / (2.0 * found[-1])
        if abs(step) < 1e-12:
            break
        found.append(found[-1] - step + 0.01 * k)
    return found[-1] if v > 0.3 else math.sin(v) * steps


def of_integers_and_lists(x: float, y: float, steps: int) -> float:
    total = counted_steps(x, steps) * counted_steps(y, steps)
    return total + counted_steps(x * y, steps) + counted_steps(0.2 * x, steps)


def test_templates_that_read_integers_and_fill_lists_are_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(templates, "LARGE", 1)
    called: list[str] = []
    original = templates._call

    def calling(interp: Any, template: Any, one: Any, given: Any) -> Any:
        called.append(one.cell.name)
        return original(interp, template, one, given)

    monkeypatch.setattr(templates, "_call", calling)
    of = fresh(of_integers_and_lists)

    def function(x: float, y: float) -> float:
        return float(of(x, y, 4))

    made, args = sd.differentiable(of), (0.62, 1.17)
    expected = [reference.directional(function, args, u).value for u in ((1.0, 0.0), (0.0, 1.0))]
    gradient = sd.grad(made, argnums=(0, 1))
    np.testing.assert_allclose(gradient(*args, 4), expected, rtol=1e-8)
    _, tangent = sd.jvp(lambda x, y: made(x, y, 4), args, (1.0, 0.0))
    np.testing.assert_allclose(tangent, expected[0], rtol=1e-8)
    second = reference.second_directional(function, args, (1.0, 0.0), (0.3, 0.8)).value
    _, product = sd.jvp(lambda x, y: gradient(x, y, 4), args, (1.0, 0.0))
    np.testing.assert_allclose(np.dot(product, (0.3, 0.8)), second, rtol=1e-6)
    assert "counted_steps" in called


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often functions were followed into their source, by name."""
    found: Counter[str] = Counter()
    original = functions.followed

    def counting(interp: Any, key: Any, *rest: Any) -> Any:
        found[getattr(key[0], "name", "")] += 1
        return original(interp, key, *rest)

    monkeypatch.setattr(functions, "followed", counting)
    return found


def test_a_function_is_followed_twice_however_often_it_is_called(
    followed: Counter[str],
) -> None:
    for function in (tree, solved):
        sd.grad(fresh(function))(0.62, 1.17)
    for name in ("leaf", "node", "root", "residual"):
        assert 1 <= followed[name] <= 2, followed


def test_inside_try_a_function_is_followed_once_or_twice_however_often_it_is_called(
    followed: Counter[str],
) -> None:
    sd.grad(fresh(callees_in_try.in_a_row))(0.62, 1.17)
    assert followed["risky"] == 2, followed  # at first in the template of the other
    assert followed["riskier"] == 1, followed


def test_handlers_that_look_at_exceptions_follow_functions_once_or_twice(
    followed: Counter[str],
) -> None:
    for function in (errors_of_callees.says_numbers, errors_of_callees.raised_again):
        sd.grad(fresh(function))(0.62, 1.17)
    for name in ("limited", "twice", "careful"):
        assert 1 <= followed[name] <= 4, followed


def solved_from(x0: float, a: float) -> float:
    v = secant(lambda x, c: leaf(x, c) - 0.7, x0, (a,))
    if v > 40.0:
        raise ValueError(v)
    return v


def solved_again(x: float, y: float) -> float:
    """Solvers that are tried one after another, the next one where the last has failed."""
    try:
        return solved_from(y, x)
    except ValueError:
        try:
            return solved_from(y * 0.5, x)
        except ValueError:
            return x


def reraised(v: float) -> float:
    if v > 0.5:
        raise
    return v * v


def raised_again_by_a_callee(x: float, y: float) -> float:
    """What the function raises again is what its caller is handling."""
    try:
        try:
            return float(math.log(y - 2.0))
        except ValueError:
            try:
                return reraised(x)
            except ValueError:
                x = 2.0 * x
        [0.0][int(y) + 3]
    except IndexError:
        try:
            return reraised(x)
        except IndexError:
            return 3.0 * x * x
        except ValueError:
            return 5.0 * x
    return x


@pytest.mark.parametrize("function", [solved_again, raised_again_by_a_callee])
def test_templates_are_of_use_whatever_is_being_handled(function: Callable[..., float]) -> None:
    args, made = (0.62, 1.17), sd.differentiable(fresh(function))
    expected = [
        float(reference.directional(function, args, u).value) for u in ((1.0, 0.0), (0.0, 1.0))
    ]
    found = sd.grad(made, argnums=(0, 1))(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)
    _, tangent = sd.jvp(made, args, (1.0, 0.0))
    np.testing.assert_allclose(tangent, expected[0], rtol=1e-8, atol=1e-9)


def test_a_function_that_a_handler_calls_is_followed_no_more_than_in_the_body(
    followed: Counter[str],
) -> None:
    sd.grad(fresh(solved_again))(0.62, 1.17)
    assert followed["solved_from"] == 1, followed


class Spheroid:
    known: ClassVar = {"one": {"a": 3.0, "b": 2.5}}

    def __init__(self, a: float, b: float) -> None:
        self.flattening = (a - b) / a
        assert self.flattening >= 0.0, "prolate"
        self.third = (a - b) / (a + b)
        self.root = np.sqrt(a)

    @classmethod
    def named(cls, name: str) -> Spheroid:
        return cls(cls.known[name]["a"], cls.known[name]["b"])


def made_in_callee(x: float, made: Spheroid | None = None) -> float:
    if made is None:
        made = Spheroid.named("one")
    return made.root * x


def made_behind_a_check(x: float) -> float:
    try:
        return x * made_in_callee(x)
    except (AttributeError, TypeError):
        return 0.0


def test_an_object_that_a_callee_may_leave_half_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sd.grad(fresh(made_behind_a_check))
    slope = reference.directional(made_behind_a_check, (0.7,), (1.0,)).value
    np.testing.assert_allclose(made(0.7), slope, rtol=1e-9)
    monkeypatch.setitem(Spheroid.known["one"], "a", 2.0)
    with pytest.raises(AssertionError, match="prolate"):
        made(0.7)
