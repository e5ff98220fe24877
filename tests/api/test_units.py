"""Quantities as arguments and results of differentiated functions, against closed forms."""

import functools
from collections import namedtuple

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import (
    AliasingError,
    GradientShapeError,
    SignatureError,
    UnsupportedCallError,
)

units = pytest.importorskip("astropy.units")
m, s, km = units.m, units.s, units.km


@pytest.fixture(autouse=True)
def _verified(monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def plain(x):
    return (x / (2 * m)).to_value(units.one) ** 2


def product(x, y):
    return x**2 * 3 * y


by_both = sd.grad(product, argnums=(0, 1))


def squares(x):
    return np.sum(x**2)


def in_place(x):
    x[0] = 3 * x[1]
    x *= s
    return np.sum(x**3)


def overwriting(x, y):
    x[0] = y[1]
    return np.sum(x[:2] * y[:2])


def of_two_units(x):
    if x.value > 1:
        return x**2
    return x**3


def with_default(x, length=3 * m):
    return x * length


class Model:
    def __init__(self, scale):
        self.scale = scale

    @sd.differentiable
    def energy(self, x):
        return x**2 / self.scale

    @sd.differentiable
    def plain(self, x):
        return (x**2 * m / self.scale).value


def require_same(actual, expected):
    """The same numbers, in the very same unit."""
    assert type(actual) is type(expected)
    if isinstance(expected, units.Quantity):
        assert repr(actual.unit) == repr(expected.unit) or actual.unit.is_unity()
        assert actual.unit == expected.unit
        assert actual.shape == expected.shape and actual.dtype == expected.dtype
        actual, expected = actual.value, expected.value
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


def test_a_gradient_of_a_number_is_in_the_inverse_unit():
    require_same(sd.grad(plain)(3 * m), 1.5 / m)
    require_same(sd.grad(plain)(3 * km), 1.5e6 / km)
    require_same(sd.grad(plain)(3 * m), 1.5 / m)
    require_same(
        sd.grad(plain)(units.Quantity(np.float32(3), m)), units.Quantity("1.5 1/m", dtype="f4")
    )


def test_a_gradient_is_in_the_quotient_of_units():
    value, slope = sd.value_and_grad(product)(3 * m, 2.0)
    require_same(value, 54.0 * m**2)
    require_same(slope, 36.0 * m)
    value, slopes = sd.value_and_grad(product, argnums=(0, "y"))(3 * m, 2 * s)
    require_same(value, 54.0 * m**2 * s)
    require_same(slopes[0], 36.0 * (m * s))
    require_same(slopes[1], 27.0 * m**2)
    require_same(sd.grad(product, argnums="y")(3 * m, 2.0), 27.0 * m**2)


def test_second_derivatives_are_in_the_quotient_of_quotients():
    require_same(sd.grad(sd.grad(product), argnums="y")(3 * m, 2 * s), 18.0 * m)
    require_same(sd.grad(sd.grad(product))(3 * m, 2 * s), 12.0 * s)
    value, slope = sd.value_and_grad(sd.grad(product))(3 * m, 2 * s)
    require_same(value, 36.0 * (m * s))
    require_same(slope, 12.0 * s)
    value, tangent = sd.jvp(sd.grad(product), (3 * m, 2.0), (50 * units.cm, 1.0))
    require_same(value, 36.0 * m)
    require_same(tangent, (12.0 * 0.5 + 18.0) * m)


@pytest.mark.parametrize(
    "numbers", [np.arange(3.0), np.zeros(0), np.ones((3, 2)).T, np.arange(6.0)[::2]]
)
def test_arrays_of_quantities(numbers):
    value, slope = sd.value_and_grad(squares)(numbers * m)
    require_same(value, np.sum(numbers**2) * m**2)
    require_same(slope, 2 * numbers * m)


def test_tangents_are_in_a_unit_of_their_arguments():
    value, tangent = sd.jvp(product, (3 * m, 2.0), (1 * units.cm, None))
    require_same(value, 54.0 * m**2)
    require_same(tangent, 0.36 * m**2)
    with pytest.raises(SignatureError, match="the tangent of x has no unit, and x has the unit m"):
        sd.jvp(product, (3 * m, 2.0), (1.0, None))
    with pytest.raises(SignatureError, match="the tangent of y is a Quantity"):
        sd.jvp(product, (3 * m, 2.0), (None, 1.0 * m))
    x = 3 * m
    for along, told in (((x,), "1 tangent"), ((x, 1.0, 1.0), "3 tangents"), (x, "are tuples")):
        with pytest.raises(SignatureError, match=told):
            sd.jvp(product, (3 * m, 2.0), along)
    with pytest.raises(units.UnitConversionError):
        sd.jvp(product, (3 * m, 2.0), (1 * s, None))


def test_cotangents_bring_their_unit_or_have_none():
    value, pullback = sd.vjp(product, 3 * m, 2.0)
    require_same(value, 54.0 * m**2)
    for _ in range(2):
        by_x, by_y = pullback(1.0)
        require_same(by_x, 36.0 * m)
        require_same(by_y, 27.0 * m**2)
    (found,) = sd.vjp(lambda x: x**2, np.arange(3.0) * m)[1](np.array([1.0, 2.0, 3.0]) * s)
    require_same(found, np.array([0.0, 4.0, 12.0]) * (m * s))


def test_what_the_function_writes_is_not_the_callers():
    x = np.arange(3.0) * m
    value, slope = sd.value_and_grad(in_place)(x)
    assert value == 36 * (m * s) ** 3
    np.testing.assert_allclose(slope.to_value(m**2 * s**3), [0.0, 84.0, 12.0])
    require_same(x, np.arange(3.0) * m)


def test_quantities_that_share_memory_are_told_apart():
    x = np.arange(6.0) * m
    require_same(sd.grad(overwriting)(x, x.copy()), np.array([0.0, 1, 0, 0, 0, 0]) * m)
    with pytest.raises(AliasingError, match="the arrays x and y overlap"):
        sd.grad(overwriting)(x, x[1:])
    with pytest.raises(AliasingError, match="x and y are one Quantity"):
        sd.grad(product)(x, x)


def test_a_method_and_a_default():
    for scale, expected in ((2 * s, 3.0 * (m / s)), (4 * units.kg, 1.5 * (m / units.kg))):
        require_same(Model(scale).energy.grad(3 * m), expected)
        require_same(Model(scale).energy.vjp(3 * m)[1](1.0)[0], expected)
        require_same(Model(scale).energy.jvp((3 * m,), (2 * m,))[1], expected * 2 * m)
    assert Model(2 * s).plain.grad(3.0) == 3.0  # the attribute is read as a plain array
    require_same(sd.grad(with_default)(2.0), 3.0 * m)
    require_same(sd.grad(with_default)(2.0, 5 * km), 5.0 * km)
    require_same(sd.grad(np.sin)(60 * units.deg), np.cos(np.pi / 3) * np.pi / 180 / units.deg)


def test_a_gradient_by_numbers_in_a_container_is_in_the_unit_of_the_result():
    found = sd.grad(lambda x, given: x * given["a"], argnums=1)(3 * m, {"a": 2.0, "n": 1})
    assert list(found) == ["a", "n"] and found["n"] is None
    require_same(found["a"], 3.0 * m)


def test_a_wrapper_that_has_got_what_the_function_has_is_another_function():
    def inner(x):
        return x**2

    require_same(sd.grad(inner)(3 * m), 6.0 * m)

    @functools.wraps(inner)
    def outer(x):
        return 5 * inner(x)

    require_same(sd.grad(outer)(3 * m), 30.0 * m)
    require_same(sd.grad(inner)(3 * m), 6.0 * m)


def test_any_names_of_functions_and_parameters():
    def target(target_, given):
        return target_**2 * given

    require_same(sd.grad(target)(3 * m, 2.0), 12.0 * m)
    require_same(sd.grad(lambda target, function: target**2 * function)(3 * m, 2.0), 12.0 * m)


def test_a_unit_as_an_argument_is_known_when_compiling():
    def area(x, unit=m):
        return (x * unit).to_value(units.cm) ** 2

    found = [sd.grad(area)(2.0, unit) for unit in (m, units.mm, units.Unit("m"), m)]
    np.testing.assert_allclose(found, [4e4, 4e-2, 4e4, 4e4])
    assert sd.jvp(area, (2.0, units.mm), (1.0, None))[1] == pytest.approx(4e-2)


SAME = 3 * m


def kinetic(d):
    return 0.5 * d["m"] * d["v"] ** 2


def ratio(d):
    return d["x"] / d["y"]


def stored(d):
    d["y"] = d["x"] * 2
    return d["y"] * d["x"]


def stored_in_an_arm(x):
    if x[0] > 1 * m:
        x[0] = x[0] * 2
    return x[0] * x[0]


Body = namedtuple("Body", "m v")
MASS, SPEED = 2 * units.kg, 3 * m / s


def require_equal(actual, expected):
    """The same numbers, in the same unit, whatever the order of its parts."""
    assert isinstance(actual, units.Quantity) and actual.unit == expected.unit
    np.testing.assert_allclose(actual.value, expected.value, rtol=1e-12)


def test_quantities_in_containers():
    body = {"m": MASS, "v": SPEED}
    for _ in range(2):
        value, gradient = sd.value_and_grad(kinetic)(body)
        require_equal(value, 9.0 * units.kg * (m / s) ** 2)
        require_equal(gradient["m"], 4.5 * (m / s) ** 2)
        require_equal(gradient["v"], 6.0 * units.kg * m / s)
    tangents = {"m": 1 * units.g, "v": 1 * units.cm / s}
    value, tangent = sd.jvp(kinetic, (body,), (tangents,))
    require_equal(tangent, (4.5e-3 + 6e-2) * units.kg * (m / s) ** 2)
    (by_body,) = sd.vjp(kinetic, body)[1](2 * s)
    require_equal(by_body["v"], 12.0 * units.kg * m)
    of_tuple = sd.grad(lambda b: 0.5 * b.m * b.v**2)(Body(MASS, SPEED))
    require_equal(of_tuple.v, gradient["v"])
    nested = sd.grad(lambda d: d["b"][0] * d["b"][1] * d["k"])({"b": [MASS, 2.0], "k": 3.0})
    require_equal(nested["b"][0], units.Quantity(6.0))
    require_equal(nested["k"], 4.0 * units.kg)


def test_jacobians_are_in_the_quotient_of_units():
    x = np.array([1.0, 2.0]) * m
    require_equal(sd.jacobian(lambda x: x * x)(x), np.diag([2.0, 4.0]) * m)
    both, other = sd.jacobian(lambda x, y: (x * y, {"q": x / y}), argnums=(0, 1))(x, 4 * s)
    require_equal(both[0], np.diag([4.0, 4.0]) * s)
    require_equal(both[1], np.array([1.0, 2.0]) * m)
    require_equal(other["q"][1], np.array([-1 / 16, -2 / 16]) * m / s**2)
    by_parts = sd.jacobian(lambda d: d["a"] * d["b"][0])({"a": x, "b": [2 * s, 3.0]})
    require_equal(by_parts["a"], np.diag([2.0, 2.0]) * s)
    require_equal(by_parts["b"][0], np.array([1.0, 2.0]) * m)


def test_hessians_are_in_the_quotient_of_quotients():
    x = np.array([1.0, 2.0]) * m
    require_equal(sd.hessian(lambda x: np.sum(x**3) * s)(x), np.diag([6.0, 12.0]) * m * s)
    along = sd.hvp(lambda x: np.sum(x**3) * s)(x, np.array([10.0, 20.0]) * units.cm)
    require_equal(along, np.array([0.6, 2.4]) * m**2 * s)
    again = sd.jacobian(sd.jacobian(lambda x: x**3))(2.0 * m)
    require_equal(again, 12.0 * m)


def test_results_in_containers():
    def function(x):
        return {"a": x * x, "b": [x, 1.0]}

    value, tangent = sd.jvp(function, (2 * m,), (1 * units.cm,))
    require_equal(value["a"], 4.0 * m**2)
    require_equal(tangent["a"], 0.04 * m**2)
    require_equal(tangent["b"][0], 0.01 * m)
    assert value["b"][1] == 1.0 and tangent["b"][1] == 0.0


@pytest.mark.parametrize(
    ("length", "square", "slope"),
    [(3 * m, 9.0 * m**2, 6 * m), (0.5 * m, 0.125 * m**3, 0.75 * m**2)],
)
def test_results_in_another_unit_on_another_path(length, square, slope):
    value, gradient = sd.value_and_grad(of_two_units)(length)
    require_equal(value, square)
    require_equal(gradient, slope)
    _, tangent = sd.jvp(of_two_units, (length,), (1 * m,))
    require_equal(tangent, slope * m)


@pytest.mark.parametrize(
    ("run", "error", "told"),
    [
        (lambda: sd.grad(lambda x: x)(np.ones(2) * m), GradientShapeError, "test_units.py"),
        (lambda: sd.grad(lambda x: (x, 1))(3 * m), GradientShapeError, "test_units.py"),
        (lambda: sd.linearize(squares, 3 * m), UnsupportedCallError, "linearize does not take"),
        (lambda: sd.hvp(squares)(3 * m, 1.0), SignatureError, "has no unit"),
        (lambda: sd.vjp(by_both, 3 * m, 2 * s), UnsupportedCallError, "product_grad of quant"),
        (
            lambda: sd.jvp(by_both, (3 * m, 1.0), (m * 1, 1.0)),
            UnsupportedCallError,
            "by one argument",
        ),
        (
            lambda: sd.jvp(sd.value_and_grad(squares), (3 * m,), (1 * m,)),
            UnsupportedCallError,
            "_jvp of",
        ),
        (
            lambda: sd.vjp(sd.value_and_grad(squares), 3 * m),
            UnsupportedCallError,
            "by one argument",
        ),
        (lambda: sd.grad(lambda x: x[1])([3.0, 3 * m]), SignatureError, r"x\[1\] is a Quantity"),
        (lambda: sd.hessian(lambda d: d[0] ** 2)([3 * m]), UnsupportedCallError, "by a container"),
        (lambda: sd.vjp(lambda x: (x, x), 3 * m), UnsupportedCallError, "of no container"),
        (lambda: sd.grad(stored)({"x": 3 * m}), UnsupportedCallError, "the function changes"),
        (lambda: sd.grad(stored_in_an_arm)([3 * m]), UnsupportedCallError, "the function changes"),
        (lambda: sd.grad(ratio)({"x": SAME, "y": SAME}), AliasingError, "are one Quantity"),
        (lambda: sd.jvp(ratio, ({"x": 3 * m},), (1 * m,)), SignatureError, "not the form of d"),
        (lambda: sd.grad(squares).source(3 * m), SignatureError, "x is a Quantity"),
        (lambda: sd.grad(lambda x: x)(units.Magnitude(3)), SignatureError, "x is a Magnitude"),
        (lambda: sd.grad(squares)(units.Quantity([1], m, dtype=int)), SignatureError, "int64"),
        (lambda: sd.grad(lambda x: x + 1 * s)(3 * m), units.UnitConversionError, "add"),
    ],
)
def test_what_has_no_unit_yet_is_refused_by_name(run, error, told):
    with pytest.raises(error, match=told):
        run()


def test_the_example_of_the_module():
    def energy(speed):
        return 0.5 * (2.0 * units.kg) * speed**2

    found = sd.grad(energy)(3.0 * units.m / units.s)
    require_same(found, 6.0 * units.kg * units.m / units.s)
