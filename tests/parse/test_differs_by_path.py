"""What is one thing on a path and another on the next: constants, None, lists, results of methods.

Closed forms by path are the reference where there are some, else extrapolated differences.
"""

import importlib.util

import numpy as np
import pytest

import symdiff
from symdiff.errors import UnsupportedCallError
from tests import reference

POINTS = (0.72, 1.31, 2.23)


def none_then_a_tuple(x):
    c = None
    for k in range(5):
        v = x * k
        if v < 1.0:
            continue
        c = (v, 2.0 * x)
        break
    if c is None:
        c = (1.0, x)
    a, b = c
    return a * b * x


def coefficients(x, n):
    c = None
    for k in np.linspace(x, 3.0 * x, n):
        if k < 2.0:
            continue
        w = k * k
        if w != 0.0 and x - w > 0.0:
            w = x
        c = tuple([k, 2.0 * w])  # noqa: C409 - as libraries write it
        break
    if c is None:
        c = (1.0, x)
    return c


def none_then_a_tuple_in_a_helper(x):
    a, b = coefficients(x, 25)
    return a * b


def pair_above_a_half(t):
    if t > 0.5:
        return t, t * t


def pair_or_none_unpacked(x):
    a, b = pair_above_a_half(x)
    return a * b


def none_gone_over(x):
    c = None
    if x > 0.5:
        c = (x, 2.0 * x)
    s = 0.0
    for v in c:
        s = s + v * x
    return s


def methods_for(re, pr):
    found = []
    if re < 1.0:
        if pr < 0.3:
            found.append("thin")
        found.append("laminar")
    if re >= 1.0:
        found.append("turbulent")
        found.append("rough")
    return found


def first_of_a_list(x):
    method = methods_for(x, x * 0.9)[0]
    if method == "laminar":
        return x**2
    if method == "thin":
        return x**3
    return np.sin(x)


def first_of_a_list_in_a_loop(x):
    s = x
    for _ in range(3):
        if methods_for(s, s)[0] == "turbulent":
            s = np.sin(s) * x
        else:
            s = s * 1.2 + len(methods_for(s, 0.1)) * 0.1
    return s


class Fluid:
    def __init__(self, t):
        self.t = t

    @property
    def volume(self):
        if self.t > 1.0:
            return self.t**2

    def __getitem__(self, k):
        if self.t > 1.0:
            return self.t * k

    def __add__(self, other):
        if self.t > 1.0:
            return self.t + other


def property_or_none(x):
    v = Fluid(x).volume
    return 0.5 * x if v is None else v * x


def properties_in_a_list(x):
    return sum([f.volume for f in (Fluid(x + 1.5), Fluid(2.0 * x + 2.0))]) * x


def properties_left_out(x):
    fluid = Fluid(x)
    return sum([v for v in [fluid.volume, fluid.volume, x] if v is not None])


def item_or_none(x):
    fluid = Fluid(x)
    return x**3 if fluid[3] is None else fluid[3] * x


def sum_or_none(x):
    fluid = Fluid(x)
    return x**3 if fluid + 3.0 is None else (fluid + 3.0) * x


def property_in_a_while(x):
    s, k = x, 0
    while k < 4:
        fluid = Fluid(s)
        s = s * 0.9 + (0.2 if fluid.volume is None else fluid.volume * 0.1)
        k += 1
    return s * x


def unlike_items_in_passing(x):
    s = x
    for v in reversed([x, np.array([x, 2.0])][: int(x > 1.0) + 1]):
        s = s + np.sum(v) * x
    return s


def keys_set_before_what_raises(x):
    found = {"a": x, "b": 2.0}
    try:
        for i in range(4):
            if x > 0.6 + 0.4 * i:
                found["n"] = x**2 + i
            if x > 2.0 + 0.1 * i:
                raise ValueError
            found["a"] = found["a"] * x
            if x > 1.8 + 0.1 * i:
                raise ValueError
            found["b"] = found["b"] + x
    except ValueError:
        pass
    return found["a"] + len(found) * x + found.get("n", 0.3) * found["b"]


FUNCTIONS = (
    keys_set_before_what_raises,
    none_then_a_tuple,
    none_then_a_tuple_in_a_helper,
    pair_or_none_unpacked,
    none_gone_over,
    first_of_a_list,
    first_of_a_list_in_a_loop,
    property_or_none,
    properties_in_a_list,
    properties_left_out,
    item_or_none,
    sum_or_none,
    property_in_a_while,
    unlike_items_in_passing,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_its_derivatives_are_those_of_the_path_taken(function, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    for x in POINTS:
        first = _slope(function, x)
        np.testing.assert_allclose(symdiff.grad(function)(x), first, rtol=1e-8)
        np.testing.assert_allclose(symdiff.jvp(function, (x,), (1.0,))[1], first, rtol=1e-8)
        second = _slope(lambda t: _slope(function, t), x)
        np.testing.assert_allclose(symdiff.derivative(function, 2)(x), second, rtol=1e-4, atol=1e-6)


def _slope(function, x):
    return float(reference.directional(function, (x,), (1.0,), step=1e-2).value)


@pytest.mark.parametrize("function", [pair_or_none_unpacked, none_gone_over])
def test_none_is_not_gone_over(function):
    with pytest.raises(TypeError) as expected:
        function(0.3)
    with pytest.raises(TypeError) as caught:
        symdiff.grad(function)(0.3)
    assert str(caught.value) == str(expected.value)


KINDS = tuple(f"k{k}" for k in range(20))
FACTORS = {kind: 0.5 + k for k, kind in enumerate(KINDS)}


def regime(x):
    name = KINDS[0]
    for k, kind in enumerate(KINDS):
        if x > 0.1 * k:
            name = kind
    return FACTORS[name] * x**2


def test_which_of_twenty_constants_is_told():
    for x in POINTS:
        k = min(19, int(np.ceil(10.0 * x)) - 1)
        np.testing.assert_allclose(symdiff.grad(regime)(x), 2.0 * (0.5 + k) * x, rtol=1e-14)
        np.testing.assert_allclose(symdiff.derivative(regime, 2)(x), 1.0 + 2.0 * k, rtol=1e-14)


def without_a_rule(x):
    method = methods_for(x, x)[0]
    y = x if method == "thin" else 2.0 * x
    return np.busday_count(y, y + 1.0)


def test_what_stopped_the_last_attempt_is_told():
    with pytest.raises(UnsupportedCallError, match="busday_count"):
        symdiff.grad(without_a_rule)(1.5)


def named(x):
    if x > 2.0:
        kind = "large"
    elif x > 1.0:
        kind = "middle"
    else:
        kind = None
    return x**3, kind


def rows(x):
    if x > 1.0:
        return "up", np.array([x, x**2]), {"a": x**3, "told": ["it", 1.0]}
    return "down", np.array([x**2, 1.0]), {"a": x, "told": ["is", x]}


def told_at_the_end_of_a_loop(x):
    kind, v = "calm", x
    for _ in range(3):
        v = v * 1.1
        if v > 2.0:
            kind = "high"
    return v, kind


@pytest.mark.parametrize(
    ("function", "slopes"),
    [
        (named, lambda x: (3.0 * x**2, None)),
        (told_at_the_end_of_a_loop, lambda x: (1.1**3, None)),
        (
            rows,
            lambda x: (
                (None, [1.0, 2.0 * x], {"a": 3.0 * x**2, "told": [None, 0.0]})
                if x > 1.0
                else (None, [2.0 * x, 0.0], {"a": 1.0, "told": [None, 1.0]})
            ),
        ),
    ],
)
def test_texts_that_are_returned_are_those_of_the_path_taken(function, slopes, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    for x in POINTS:
        value, slope = symdiff.jvp(function, (x,), (1.0,))
        _same(value, function(x))
        _same(slope, slopes(x))
        _same(symdiff.vjp(function, x)[0], function(x))
        _same(symdiff.jacobian(function)(x), slopes(x))


def _same(actual, expected):
    if isinstance(expected, dict):
        assert list(actual) == list(expected)
        actual, expected = list(actual.values()), list(expected.values())
    if isinstance(expected, tuple | list) and not isinstance(actual, np.ndarray):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            _same(one, other)
    elif expected is None or isinstance(expected, str):
        assert actual == expected
    else:
        np.testing.assert_allclose(actual, expected, rtol=1e-13)


def test_a_text_beside_the_value_that_is_differentiated():
    for x in POINTS:
        value, gradient = symdiff.value_and_grad(named, has_aux=True)(x)
        assert value == named(x)
        np.testing.assert_allclose(gradient, 3.0 * x**2, rtol=1e-14)
        second = symdiff.derivative(lambda t: named(t)[0], 2)(x)
        np.testing.assert_allclose(second, 6.0 * x, rtol=1e-13)
    assert "('large', 'middle', None)[" in symdiff.differentiable(named).source(1.5)


def test_a_function_that_is_given_one_of_several_texts_only_has_no_gradient():
    with pytest.raises(symdiff.SignatureError, match="it returns a text"):
        symdiff.grad(lambda x: "a" if x > 1.0 else "b")(1.5)


def test_as_many_attributes_as_there_are_differ_by_path(tmp_path):
    n = 70
    made = "".join(
        f"    o.m{k} = None\n    if x > {k / n}:\n        o.m{k} = x * x\n" for k in range(n)
    )
    used = "".join(f"    if o.m{k} is not None:\n        s = s + 0.5 * o.m{k}\n" for k in range(n))
    path = tmp_path / "many_attributes.py"
    path.write_text(
        f"class Held: pass\ndef f(x):\n    o = Held()\n{made}    s = x\n{used}    return s\n"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = 0.505
    count = sum(x > k / n for k in range(n))
    np.testing.assert_allclose(symdiff.grad(module.f)(x), 1.0 + count * x, rtol=1e-13)
