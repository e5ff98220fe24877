"""Transforms that are called inside a differentiated function, against closed forms."""

from dataclasses import dataclass

import numpy as np
import pytest

import symdiff as sd
from tests.opaque_calls import lgamma

X = np.array([0.3, 0.7])


def scaled_square(x, scale=4.0, *, shift=0.0):
    return np.sum((x + shift) ** 2) * scale


def test_primals_leave_out_defaults():
    def along_ones(x):
        return sd.jvp(scaled_square, (x,), (np.ones(2),))[1]

    np.testing.assert_allclose(sd.grad(along_ones)(X), [8.0, 8.0])


def test_primals_of_a_jvp_of_a_jvp_leave_out_defaults():
    def tangent(primals, tangents):
        return sd.jvp(scaled_square, primals, tangents)[1]

    def twice(x):
        ones = np.ones(2)
        return sd.jvp(lambda z: tangent((z * z,), (2 * z * ones,)), (x,), (ones,))[1]

    # (4 x⁴)'' = 48 x², and its derivative 96 x
    np.testing.assert_allclose(sd.grad(twice)(X), 96 * X, rtol=1e-13)


@dataclass
class Spring:
    stiffness: float
    ends: np.ndarray


def spring_energy(spring):
    return spring.stiffness * np.sum(spring.ends**3)


DIRECTION = (Spring(1.0, np.ones(2)),)


def test_tangents_may_be_dataclasses_from_outside():
    def along(spring):
        return sd.jvp(spring_energy, (spring,), DIRECTION)[1]

    made = sd.grad(along)(Spring(2.0, X))
    assert made.stiffness == pytest.approx(np.sum(3 * X**2))
    np.testing.assert_allclose(made.ends, 3 * X**2 + 12 * X)


def move(state, by):
    state["x"] += by
    state["v"] = state["v"] * 2.0
    return np.sum(state["x"])


def test_functional_gives_final_values():
    def last(x):
        result, final = sd.functional(move)({"x": x, "v": x.copy()}, x * x)
        return result * np.sum(final["state"]["x"] * final["state"]["v"])

    a, b = X + X * X, 2 * X
    expected = (1 + 2 * X) * np.sum(a * b) + np.sum(a) * ((1 + 2 * X) * b + 2 * a)
    np.testing.assert_allclose(sd.grad(last)(X), expected, rtol=1e-13)


def test_functional_leaves_the_given_array_alone():
    def scale(x):
        x *= 3.0

    def both(x):
        final = sd.functional(scale)(x)[1]["x"]
        return np.sum(final * x)

    np.testing.assert_allclose(sd.grad(both)(X), 6 * X)


def power_tower(x, turns):
    powers = [x]
    for k in range(turns):
        powers.append(powers[k] * x)
    return powers[-1]


def test_structure_may_depend_on_an_int_of_the_call_outside():
    def slope(x, turns):
        return sd.jvp(power_tower, (x, turns), (1.0, None))[1]

    assert sd.grad(slope)(1.5, 3) == pytest.approx(12 * 1.5**2)


def test_a_vjp_of_a_vjp_of_a_vjp():
    def pulled(f):
        return lambda x: sd.vjp(f, x)[1](np.ones(2))[0]

    (third,) = sd.vjp(lambda x: pulled(pulled(np.sin))(x), X)[1](np.ones(2))
    np.testing.assert_allclose(third, -np.cos(X), rtol=1e-14)
    np.testing.assert_allclose(
        sd.grad(lambda x: np.sum(pulled(pulled(pulled(np.sin)))(x)))(X), np.sin(X), rtol=1e-14
    )


def test_what_a_function_does_beside_computing_happens_once_under_vjp(capsys):
    def noisy(x):
        print("seen")
        return np.sin(x * np.random.standard_normal(2))

    def slope(x):
        y, pullback = sd.vjp(noisy, x)
        return np.sum(pullback(y)[0]) + np.sum(pullback(np.ones(2))[0])

    np.random.seed(3)
    value, gradient = sd.value_and_grad(slope)(X)
    assert capsys.readouterr().out == "seen\n"
    np.random.seed(3)
    z = np.random.standard_normal(2)
    assert value == pytest.approx(np.sum((np.sin(X * z) + 1) * z * np.cos(X * z)))
    expected = z**2 * (np.cos(X * z) ** 2 - (np.sin(X * z) + 1) * np.sin(X * z))
    np.testing.assert_allclose(gradient, expected, rtol=1e-12)


# Tangents and cotangents that do not fit ----------------------------------------------------------


def along(x, t):
    return np.sum(sd.jvp(np.sin, (x,), (t,))[1])


def against(x, t):
    _, pullback = sd.vjp(np.sin, x)
    return np.sum(pullback(t)[0])


def bent(x, t):
    return np.sum(sd.hvp(lambda z: np.sum(z**3) / 6)(x, t))


@pytest.mark.parametrize("function", [along, against, bent])
@pytest.mark.parametrize(
    "t", [np.ones(3), np.ones(1), np.ones((2, 2)), np.ones((1, 2)), 1.0, np.array(1.0), 1j * X]
)
def test_a_derivative_that_does_not_fit_is_refused(function, t):
    with pytest.raises(TypeError, match=r"has the shape|to be a number|is complex"):
        function(X, t)
    with pytest.raises(TypeError, match="what it belongs to"):
        sd.grad(function)(X, t)
    with pytest.raises(TypeError, match="what it belongs to"):
        sd.differentiable(function).forward(X, t)


@pytest.mark.parametrize("function", [along, against, bent])
@pytest.mark.parametrize("t", [np.arange(1, 3), np.array([True, False]), np.float32([1, 2])])
def test_a_derivative_is_taken_in_the_type_of_what_it_belongs_to(function, t):
    slope = 1.0 if function is bent else -np.sin(X)
    for dtype in (np.float64, np.float32):
        x = X.astype(dtype)
        value, gradient = sd.value_and_grad(function)(x, t)
        assert value == function(x, t) and type(value) is type(function(x, t))
        assert gradient.dtype == dtype
        np.testing.assert_allclose(gradient, slope * t, rtol=1e-6)


def of_computed_size(x, t):
    y = x[x > 0.5]
    return np.sum(sd.jvp(np.sin, (y,), (t,))[1])


def test_sizes_that_are_known_at_run_time_only_are_compared_then():
    gradient = sd.grad(of_computed_size)
    np.testing.assert_allclose(gradient(X, np.ones(1)), [0.0, -np.sin(0.7)])
    with pytest.raises(TypeError, match="has not the shape of what it belongs to"):
        gradient(X + 1, np.ones(1))
    assert "raise" not in sd.grad(lambda x: along(x, x)).source("float64[n]")


def test_structures_of_cotangents_are_compared():
    def pulled(x, take):
        _, pullback = sd.vjp(lambda z: (z, {"a": z * z}), x)
        return np.sum(pullback(take(x))[0])

    assert sd.grad(pulled)(X, lambda x: (x, {"a": x})) == pytest.approx(1 + 4 * X)
    for take in (lambda x: x, lambda x: (x,), lambda x: (x, {"b": x}), lambda x: (x, {"a": None})):
        with pytest.raises(sd.SignatureError, match="cotangent") as caught:
            sd.grad(pulled)(X, take)
        assert caught.value.span is not None and caught.value.hint


def test_argnums_may_come_through_a_helper():
    def product(a, b):
        return a * b * b

    def by(function, number, *arguments):
        return sd.grad(function, argnums=number)(*arguments)

    def one(x, n):
        return by(product, n, x, 3.0)

    def each(x):
        return sum(sd.value_and_grad(product, argnums=(n,))(x, 3.0)[1][0] for n in range(2))

    assert sd.grad(one)(2.0, 1) == 6.0
    assert sd.grad(one)(2.0, 0) == 0.0
    assert sd.grad(each)(2.0) == 6.0


@pytest.mark.parametrize(
    ("wrong", "said", "hint"),
    [
        (lambda x: sd.jvp(scaled_square, (x, 2.0), (x,)), "2 primals, but 1 tangent", "None"),
        (lambda x: sd.grad(scaled_square, argnums=5)(x), "no argument number 5", "x, scale, shift"),
        (lambda x: sd.grad(scaled_square, argnums="y")(x), "no argument 'y'", "x, scale, shift"),
        (lambda x: sd.grad(scaled_square, argnums=1.5)(x), "argnums is a position", "grad(f)(x)"),
        (lambda x: sd.grad(scaled_square)(x, 1.0, 2.0), "too many positional", "x, scale, shift"),
        (lambda x: sd.vjp(scaled_square, x)[1](), "missing a required argument", "cotangent"),
    ],
)
def test_wrong_calls_are_refused_as_outside_with_a_place(wrong, said, hint):
    with pytest.raises(TypeError):
        wrong(X)
    with pytest.raises(sd.SignatureError) as caught:
        sd.differentiable(wrong).forward(X)
    assert said in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.span.file == __file__


def test_a_pullback_of_what_has_no_rule_is_refused():
    def pulled(x):
        _, pullback = sd.vjp(lambda z: lgamma(z), x)
        return pullback(1.0)[0]

    with pytest.raises(sd.UnsupportedCallError, match="lgamma returns, which has no rule"):
        sd.grad(pulled)(0.25)


def power(x, n):
    return x**n


def powers(parts):
    return parts["x"] ** parts["n"]


def test_an_int_with_a_tangent_counts_as_a_float_as_outside():
    def along(x):
        return sd.jvp(power, (x, 3), (x, 1.0))[1]

    # x · 3x² + x³ log x
    assert along(2.0) == pytest.approx(24.0 + 8.0 * np.log(2.0), rel=1e-14)
    assert sd.value_and_grad(along)(2.0) == pytest.approx(
        (along(2.0), 36.0 + 4.0 + 12.0 * np.log(2.0)), rel=1e-14
    )
    assert sd.jvp(along, (2.0,), (1.0,))[1] == pytest.approx(sd.grad(along)(2.0), rel=1e-14)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (lambda x: sd.jvp(power, (x, int(x)), (1.0, 1.0))[1], "tangents[1]"),
        (lambda x: sd.jvp(power, (x, np.int64(3)), (1.0, 1.0))[1], "tangents[1]"),
        (lambda x: sd.jvp(power, (x, True), (1.0, 1.0))[1], "tangents[1]"),
        (lambda x: sd.jvp(powers, ({"x": x, "n": 3},), ({"x": 1.0, "n": 1.0},))[1], ".n"),
        (lambda x: sd.hvp(powers)({"x": x, "n": 3}, {"x": 1.0, "n": 1.0})["x"], ".n"),
    ],
)
def test_a_tangent_of_what_has_no_derivative_is_not_left_out(wrong, named):
    with pytest.raises(sd.SignatureError) as caught:
        sd.grad(wrong)(2.0)
    assert f"{named} is given, but what it belongs to has no derivative" in caught.value.message
    assert caught.value.span.file == __file__


def test_a_vector_of_a_hessian_has_no_part_where_nothing_is_differentiated():
    product = sd.hvp(powers)
    assert product({"x": 2.0, "n": 3}, {"x": 1.0, "n": None}) == {"x": 12.0, "n": None}
    with pytest.raises(sd.SignatureError, match=r"\.n is given, but what it belongs to"):
        product({"x": 2.0, "n": 3}, {"x": 1.0, "n": 1.0})


def weighted(parts, name, scale=2.0):
    made = {"y": scale * parts["x"] ** parts["n"] * np.sum(parts["v"])}
    return made if name == "y" else None


def test_a_linear_function_is_given_tangents_as_outside():
    def both_ways(x):
        _, linear = sd.linearize(weighted, {"x": x, "n": 3, "v": np.array([1.0, 2.0])}, "y")
        along = linear({"x": 1.0, "n": None, "v": None}, None)["y"]
        by_parts, by_name, by_scale = linear.transpose({"y": x})
        assert by_name is None and by_parts["n"] is None
        return along + by_parts["x"] + np.sum(by_parts["v"]) + by_scale

    # y = s x³ w at s = 2, w = 3: 18 x² + 18 x³ + 4 x⁴ + 3 x⁴
    assert both_ways(2.0) == pytest.approx(18 * 4 + 18 * 8 + 7 * 16)
    assert sd.value_and_grad(both_ways)(2.0) == pytest.approx((328.0, 36 * 2 + 54 * 4 + 28 * 8))
    assert sd.jvp(both_ways, (2.0,), (1.0,)) == pytest.approx((328.0, 512.0))


@pytest.mark.parametrize(
    ("given", "keywords", "said"),
    [
        ((1.0, 1.0), {}, "tangents[1] is given, but what it belongs to has no derivative"),
        ((1.0, None), {"n": 1.0}, "unexpected keyword argument 'n'"),
        ((1.0,), {}, "takes 2 tangents, but 1 given"),
        ((1.0, None, 1.0), {}, "takes 2 tangents, but 3 given"),
    ],
)
def test_what_a_linear_function_does_not_take_is_refused(given, keywords, said):
    def wrong(x):
        return sd.linearize(power, x, 3)[1](*given, **keywords)

    with pytest.raises(TypeError):
        wrong(2.0)
    with pytest.raises(sd.SignatureError) as caught:
        sd.grad(wrong)(2.0)
    assert said in caught.value.message and caught.value.hint
    assert caught.value.span.file == __file__


@pytest.mark.parametrize(
    "tangent", [{"x": 1.0}, {"x": 1.0, "n": 1.0}, {"x": 1.0, "n": None, "m": 1.0}, 1.0, (1.0, None)]
)
def test_tangents_of_a_linear_function_are_structured_like_its_arguments(tangent):
    def wrong(x):
        return sd.linearize(powers, {"x": x, "n": 3})[1](tangent)

    with pytest.raises(sd.SignatureError, match=r"tangents\[0\]"):
        wrong(2.0)
    with pytest.raises(sd.SignatureError, match=r"tangents\[0\]"):
        sd.grad(wrong)(2.0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x: sd.derivative(np.sin, -1)(x), "order is 0, 1, 2 …, not -1"),
        (lambda x: sd.derivative(np.sin, True)(x), "order is 0, 1, 2 …, not True"),
        (lambda x: sd.derivative(np.sin, 1.5)(x), "order is 0, 1, 2 …, not 1.5"),
        (lambda x: sd.taylor(np.sin, x, -1)[0], "order is 0, 1, 2 …, not -1"),
        (lambda x: sd.jacobian(np.sin, mode="back")(x), "mode is 'auto', 'forward' or 'reverse'"),
        (lambda x: sd.checkpoint(np.sin, every=0)(x), "every is a number of turns, 1 at least"),
        (lambda x: sd.checkpoint(np.sin, budget=0)(x), "budget is a number of turns, 1 at least"),
    ],
)
def test_a_value_error_of_the_function_is_one_of_its_derivative(wrong, said):
    def caught(x):
        try:
            return wrong(x)
        except ValueError:
            return 3.0 * x

    for call in (wrong, sd.grad(wrong)):
        with pytest.raises(ValueError, match=said):
            call(2.0)
    assert sd.value_and_grad(caught)(2.0) == (6.0, 3.0)
    with pytest.raises(sd.CertainError, match=said):
        sd.grad(wrong).source("float")


def test_orders_may_be_numbers_of_numpy():
    assert sd.derivative(lambda x: x**3, np.int64(2))(2.0) == 12.0
    np.testing.assert_array_equal(sd.taylor(lambda x: x**3, 2.0, np.int8(2)), [8.0, 12.0, 6.0])
