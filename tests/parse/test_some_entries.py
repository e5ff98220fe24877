"""Dicts with entries that are there on some paths only.

What they give is compared with Python's, derivatives with extrapolated differences.
"""

import collections
import linecache
import time

import numpy as np
import pytest

import symdiff
from symdiff.pipeline import staged_at
from symdiff.runtime.signature import signature_of
from tests import reference
from tests.parse.following import follows

X = np.array([0.4, 1.1, 2.3])
POINTS = [0.3, 0.7, 0.9]


def filled(x, p):
    d = {"first": x * p}
    if p > 0.5:
        d["some"] = np.sin(x)
    if p > 0.8:
        d["more"] = x**2
    d["last"] = x - p
    return d


def asks_which_are_there(x, p):
    d = filled(x, p)
    s = d.get("some", x) * d.get("no", 2.0)
    if "more" in d:
        s = s + d["more"]
    if "some" not in d and "first" in d:
        s = s * d["first"]
    return s * len(d), "more" in d, bool(d), d.get("more") is None


def reads_what_may_lack(x, p):
    d = filled(x, p)
    return d["some"] * d["last"]


def handles_what_lacks(x, p):
    d = filled(x, p)
    try:
        found = d["more"] * 2.0
    except KeyError:
        found = d["last"] ** 2
    return found, len(d)


def goes_over_all(x, p):
    d = filled(x, p)
    s, count = 0.0, 0
    for key, value in d.items():
        if key == "more":
            continue
        s = s + np.sum(value)
        count += 1
    for value in d.values():
        s = s * np.max(value)
    return s, count, sum(float(np.sum(v)) for v in d.values())


def lists_what_is_there(x, p):
    d = filled(x, p)
    if p > 0.6:
        return [key for key in d], x  # noqa: C416 - as users write it
    return x * p, sorted(d)


def stops_at_the_first(x, p):
    d = filled(x, p)
    for key, value in d.items():
        if key == "some":
            return np.sum(value) * p
    return np.sum(d["first"])


def sets_and_deletes(x, p):
    d = filled(x, p)
    d["last"] = x * 3.0
    d["more"] = x * p  # where it is not there it comes last
    del d["first"]
    if p > 0.5:
        taken = d.pop("some")
        d["again"] = taken * 2.0
    d["new"] = d.pop("nothing", p)
    return d


def takes_the_last_one(x, p):
    d = {"a": x}
    if p > 0.5:
        d["b"] = x * p
    d["b"] = np.sum(x)
    c = dict(d)
    if p > 0.8:
        c["c"] = p
    e = c.copy()
    e.update({"c": 2.0 * p})
    e.setdefault("d", p)
    return c, d, e


def updates_with_some(x, p):
    d = {"last": p, "own": x}
    d.update(filled(x, p), own=2.0 * x)
    e = {"own": p} | filled(x, p)
    return d, e, {**filled(x, p), "new": p}


def scaled(first, last, some=1.0, more=2.0):
    return first * last * some + more


def calls_with_some(x, p):
    d = filled(x, p)
    return scaled(**d)


def grown_in_a_loop(x, p):
    d = {}
    for v in x:
        if v > p:
            d["above"] = d.get("above", 0.0) + v * p
            if v > 2.0:
                d["far"] = v**2
    return d, d.get("far", p) * len(d)


def grown_while(x, p):
    d, k = {"sum": 0.0}, 0
    while d["sum"] < 2.0:
        d["sum"] += x[k] * p
        k += 1
        if k > 2:
            k = 0
            d["again"] = d.get("again", 1.0) * p
    return d


def holds_what_changes(x, p):
    d = {"list": [p]}
    if p > 0.5:
        d["array"] = x.copy()
        d["pair"] = (p, x * 2.0)
    d["list"].append(2.0 * p)
    if "array" in d:
        d["array"][0] = p
        s = d["pair"][0] * np.sum(d["pair"][1])
    else:
        s = np.sum(x)
    return d, s


def shares_what_it_holds(x, p):
    y = x.copy()
    d = {"x": y}
    if p > 0.5:
        d["same"] = y
    y[0] = p
    return np.sum(d["x"]) * p, d


def set_again_by_a_helper(x, p):
    d = {"first": x}

    def evaluate(scale):
        if scale < 0.5:
            return p
        d["product"] = x * scale
        d["sum"] = np.sum(d["product"])
        return d["sum"] * p

    s = evaluate(p) + evaluate(p * p + 0.03)
    return d, s, list(d)


def of_other_kinds(x, p):
    d, e = collections.OrderedDict(), collections.defaultdict(float)
    if p > 0.5:
        d[1] = p
        e["some"] += p
    d[(2, "two")] = x
    e["all"] += 2.0
    return list(d), e["some"] * x, len(e)


def in_another_order(x, p):
    d = {"a": x, "b": p} if p > 0.5 else {"b": p * p, "a": x * x}
    if p > 0.8:
        d["c"] = x
    return d, list(d), d["a"] * d["b"]


def set_in_turns(x, p):
    d = {}
    for name in ("a", "b", "c"):
        if p > 0.5:
            d[name] = x
    for name in ("a", "b", "c"):
        if p * p > 0.2:
            d[name] = d.get(name, 2.0) * x
    for name in ("a", "c", "b"):
        if p > 0.8:
            d[name] = d[name] * p
    s = 0.0
    for name, value in d.items():
        s = s * 0.5 + np.sin(value) * len(name)
    return s, len(d)


def set_in_an_order_told_by_numbers(x, p):
    d = {}
    for k, name in enumerate(("a", "b", "c", "d")):
        if p > 0.25 * k:
            d[name] = np.sum(x) * (k + 1.0)
    for k, name in enumerate(("a", "b", "c", "d")):
        if p < 0.25 * k + 0.1:
            d[name] = d.pop(name, p) * np.sum(x * x)
    s = 0.0
    for value in d.values():
        s = s * p + value
    return s


def remembered(d, low):
    key = "low" if low else "high"
    if key in d:
        return d[key]
    d[key] = found = (2.0, 3.0)
    return found


def by_what_is_remembered(d, p):
    low = False
    if p < 0.8:
        low = True
    start, slope = remembered(d, low)
    return start + slope * p * p


def remembers_in_calls_of_one_kind(x, p):
    d = {"high": (2.0, 1.0)}
    s = by_what_is_remembered(d, p * 0.1)
    s = s + by_what_is_remembered(d, p) * np.sum(x * x)
    s = s + by_what_is_remembered(d, p * 2.0)
    return s, len(d), list(d) == ["high", "low"]


FUNCTIONS = [
    set_in_turns,
    remembers_in_calls_of_one_kind,
    set_in_an_order_told_by_numbers,
    filled,
    asks_which_are_there,
    handles_what_lacks,
    goes_over_all,
    lists_what_is_there,
    stops_at_the_first,
    sets_and_deletes,
    takes_the_last_one,
    updates_with_some,
    calls_with_some,
    grown_in_a_loop,
    grown_while,
    holds_what_changes,
    shares_what_it_holds,
    set_again_by_a_helper,
    of_other_kinds,
    in_another_order,
]


@pytest.mark.parametrize("function", [*FUNCTIONS, reads_what_may_lack], ids=lambda f: f.__name__)
def test_each_path_does_what_python_does(function):
    follows(function, *[(X, p) for p in POINTS])


@pytest.mark.parametrize("p", POINTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_of_each_path(function, p):
    arguments = (X, p)
    value = function(*arguments)
    weights, along = reference.direction(value, 5), reference.direction(arguments, 3)
    total = reference.reduced(function, weights)
    expected = reference.directional(total, arguments, along, step=0.01).value
    _, pullback = symdiff.vjp(function, *arguments)
    assert reference.inner(along, pullback(weights)) == pytest.approx(expected, rel=1e-8, abs=1e-9)
    _, tangent = symdiff.jvp(function, arguments, along)
    assert float(reference.weigh(tangent, weights)) == pytest.approx(expected, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("p", POINTS)
def test_second_derivatives(p):
    def total(x, p):
        d = filled(x, p)
        s = p
        for key, value in d.items():
            s = s * np.sum(value**2) if key != "some" else s + np.sum(value)
        return s * d.get("more", x)[0]

    u, v = (np.array([0.3, -0.2, 0.7]), 0.4), (np.array([0.1, 0.9, -0.4]), -0.3)
    expected = reference.second_directional(total, (X, p), u, v, step=0.01).value
    _, (rows, last) = symdiff.jvp(symdiff.grad(total, argnums=(0, 1)), (X, p), u)
    assert float(v[0] @ rows + v[1] * last) == pytest.approx(expected, rel=1e-6)


def test_many_entries_are_followed_in_a_time_nearly_linear_in_their_number():
    def seconds(count):
        lines = ["def f(x, p):", "    d = {}"]
        lines += [f"    if p > {k / count}: d['k{k}'] = x * {k + 1.0}" for k in range(count)]
        lines += ["    s = 0.0", "    for v in d.values():", "        s = s + v", "    return s, d"]
        text, names = "\n".join(lines) + "\n", {}
        exec(compile(text, f"<entries {count}>", "exec"), names)
        linecache.cache[f"<entries {count}>"] = (len(text), None, text.splitlines(True), "")
        start = time.process_time()
        staged_at(names["f"], signature_of(["x", "p"], (2.0, 0.5)), (2.0, 0.5))
        return time.process_time() - start

    seconds(5)
    few, many = (min(seconds(count) for _ in range(2)) for count in (10, 40))
    assert many < 12.0 * few


# What the caller holds ----------------------------------------------------------------------------


class Model:
    def __init__(self, kind):
        self.known = kind({"high": (2.0, 1.0)})
        self.limit = 3.0


def asks_the_model(p):
    low = False
    if p < 0.8:
        low = True
    key = "low" if low else "high"
    if key not in MODEL.known:
        MODEL.known[key] = (MODEL.limit * 2.0, MODEL.limit)
    start, slope = MODEL.known[key]
    return start + slope * p * p


def slope_of_the_model(p):
    return 6.0 * p if p < 0.8 else 2.0 * p


def asks_again(p):
    return asks_the_model(p) * 10.0 + asks_the_model(2.0 * p) + len(MODEL.known)


def asks_in_a_loop(p):
    s = 0.0
    for k in range(4):
        s = s + asks_the_model(p * k)
    return s


def takes_out(p):
    if p < 1.0:
        MODEL.known.pop("high")
        MODEL.known["none"] = (0.0, 0.0)
    if p < 0.5:
        MODEL.known["high"] = (5.0, 5.0)
    return asks_the_model(p * 0.5) if "high" in MODEL.known else p * p


def raises_between(p):
    first = asks_the_model(p)
    if p < 0.2:
        raise ValueError(len(MODEL.known))
    return first + asks_the_model(3.0 * p)


def outcome(function, p, kind):
    """What a call gives, or raises, and what the model holds then, in its order."""
    global MODEL
    MODEL = Model(kind)
    try:
        found = function(p)
    except ValueError as error:
        found = str(error)
    return found, list(MODEL.known.items())


SLOPES = {
    asks_again: lambda p: 10.0 * slope_of_the_model(p) + 2.0 * slope_of_the_model(2.0 * p),
    asks_in_a_loop: lambda p: sum(k * slope_of_the_model(p * k) for k in range(4)),
    takes_out: lambda p: 2.0 * p if 0.5 <= p < 1.0 else 0.5 * slope_of_the_model(p * 0.5),
    raises_between: lambda p: slope_of_the_model(p) + 3.0 * slope_of_the_model(3.0 * p),
}


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
@pytest.mark.parametrize("function", SLOPES, ids=lambda f: f.__name__)
def test_a_dict_of_the_callers_gets_on_each_path_what_python_gives_it(function, kind, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    for p in (0.1, 0.3, 0.6, 0.9, 1.5):
        expected = outcome(function, p, kind)
        assert outcome(lambda p: symdiff.vjp(function, p)[0], p, kind) == expected
        if not isinstance(expected[0], str):
            found = outcome(symdiff.grad(function), p, kind)
            assert found == (pytest.approx(SLOPES[function](p), rel=1e-12), expected[1])
