"""``check_grads`` finds what is wrong and says where; it accepts what is right."""

import math
from itertools import pairwise

import numpy as np
import pytest

import symdiff as sd

X = np.array([0.4, 1.3, 0.8])


def test_right_derivatives_pass():
    sd.check_grads(lambda x: np.sum(np.sin(x) * x), (X,))
    sd.check_grads(lambda p, n: p["a"] * p["b"][0] ** n, ({"a": 2.0, "b": (3.0, "s")}, 3))
    sd.check_grads(lambda x: np.cumsum(x * x), (X,), order=3)
    sd.check_grads(lambda x, how=None, w=2.0: w * np.sum(x**3), (X,))


def test_arguments_are_a_tuple():
    with pytest.raises(TypeError, match="a tuple of arguments, not of type ndarray"):
        sd.check_grads(np.sum, X)


def test_a_check_that_checks_nothing_is_refused():
    for modes in ((), ("forward",), "reverse"):
        with pytest.raises(ValueError, match="modes are of 'fwd' and 'rev'"):
            sd.check_grads(np.sum, (X,), modes=modes)
    for order in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="order is 1, 2, 3"):
            sd.check_grads(np.sum, (X,), order=order)
    with pytest.raises(sd.SignatureError, match="no float among the arguments"):
        sd.check_grads(np.sum, (np.arange(3), 2, "a"))
    sd.check_grads(np.sum, (X,), modes="fwd")


def test_complex_numbers_are_checked_in_both_parts():
    z = X + 1j * X[::-1]
    sd.check_grads(lambda z: np.sum(np.abs(z) ** 2 * z.real), (z,))
    sd.check_grads(lambda z: np.exp(1j * z) * np.conj(z), (z,))
    sd.check_grads(lambda x: np.exp(1j * x), (X,))

    @sd.custom_vjp
    def squared(z):
        return (np.conj(z) * z).real

    def conjugated(z, g):
        return (2 * g * np.conj(z),)  # right in the real part

    squared.defvjp(lambda z: (squared.function(z), z), conjugated)
    with pytest.raises(AssertionError, match="reverse mode"):
        sd.check_grads(lambda z: np.sum(squared(z)), (z,), order=1, modes=("rev",))


@sd.custom_vjp
def wrong_in_reverse(x):
    return x * x


wrong_in_reverse.defvjp(lambda x: (x * x, x), lambda x, g: (3 * x * g,))


@sd.custom_jvp
def wrong_in_forward(x):
    return x * x


wrong_in_forward.defjvp(lambda primals, tangents: (primals[0] ** 2, 2.5 * primals[0] * tangents[0]))


def test_a_wrong_reverse_rule_is_found_and_placed():
    with pytest.raises(AssertionError, match=r"reverse mode: the derivative of f by args\[1\]\.w"):
        sd.check_grads(
            lambda x, p: np.sum(x) + np.sum(wrong_in_reverse(p["w"])), (X, {"w": X}), modes=("rev",)
        )


def test_a_wrong_forward_rule_is_found():
    with pytest.raises(AssertionError, match="forward mode: the tangent of f"):
        sd.check_grads(lambda x: np.sum(wrong_in_forward(x)), (X,), modes=("fwd",))


def test_a_wrong_second_derivative_is_found_at_order_two():
    def f(x):
        return wrong_slope(x)

    sd.check_grads(f, (1.3,), order=1, modes=("fwd",))
    with pytest.raises(AssertionError, match="tangent of jvp of f"):
        sd.check_grads(f, (1.3,), order=2, modes=("fwd",))


@sd.custom_jvp
def wrong_slope(x):
    return x**3


@wrong_slope.defjvp
def wrong_slope_rule(primals, tangents):
    (x,) = primals
    return x**3, 3 * sd.stop_gradient(x) ** 2 * tangents[0]


# Kinks --------------------------------------------------------------------------------------------


def rectified(layers, x, y):
    h = x
    for w, b in layers[:-1]:
        h = np.maximum(h @ w + b, 0)
    w, b = layers[-1]
    return np.mean((h @ w + b - y) ** 2)


@pytest.mark.parametrize("seed", range(6))
def test_a_network_of_rectified_layers_passes(seed):
    rng = np.random.default_rng(seed)
    sizes = (4, 24, 24, 1)
    layers = [(rng.normal(size=(m, n)) / m**0.5, rng.normal(size=n)) for m, n in pairwise(sizes)]
    sd.check_grads(rectified, (layers, rng.normal(size=(24, 4)), rng.normal(size=(24, 1))), order=1)


@sd.custom_vjp
def rectified_wrongly(x):
    return np.maximum(x, 0)


rectified_wrongly.defvjp(lambda x: (np.maximum(x, 0), x), lambda x, g: (g * (x > 0) * 1.001,))


def test_a_wrong_derivative_is_found_beside_kinks():
    x = np.random.default_rng(1).normal(size=3000)
    sd.check_grads(lambda x: np.sum(np.maximum(x, 0) ** 3), (x,), order=1)
    with pytest.raises(AssertionError, match="reverse mode"):
        sd.check_grads(lambda x: np.sum(rectified_wrongly(x)), (x,), order=1, modes=("rev",))


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: np.maximum(x, 0.0), 1e-10),
        (lambda x: x if x > 0 else 2 * x + 1, 1e-10),
    ],
)
def test_a_kink_where_one_stands_is_named(function, x):
    with pytest.raises(AssertionError, match="a kink or a jump lies here: the two sides give"):
        sd.check_grads(function, (x,), order=1)


def test_kinks_beside_each_other_are_named():
    with pytest.raises(AssertionError, match="a kink or a jump lies"):
        sd.check_grads(lambda x: x * np.sign(np.sin(1 / x)), (1e-4,), order=1)


def test_smooth_functions_are_not_said_to_have_kinks():
    for function in (wrong_in_forward, lambda x: 1e6 * wrong_in_forward(np.sin(x))):
        with pytest.raises(AssertionError) as caught:
            sd.check_grads(function, (0.7,), order=1, modes=("fwd",))
        assert "kink" not in str(caught.value)


def test_a_step_that_leaves_the_domain_is_made_up_for():
    sd.check_grads(lambda x: np.sqrt(x) * x, (1e-4,))
    sd.check_grads(lambda x: math.log(x) * x, (2e-4,), order=1)
    with pytest.raises(ValueError, match="math domain error"):
        sd.check_grads(lambda x: math.log(x - 1.0), (1.0 + 1e-12,), order=1)


@sd.custom_jvp
def rounded_without_slope(x):
    return x.astype(np.float32)


rounded_without_slope.defjvp(
    lambda primals, tangents: (primals[0].astype(np.float32), 0 * tangents[0].astype(np.float32))
)


@pytest.mark.parametrize("size", [1.0, 100.0, 1e4])
def test_values_that_do_not_move_with_small_steps_confirm_no_zero(size):
    with pytest.raises(AssertionError, match="forward mode"):
        sd.check_grads(rounded_without_slope, (size * X,), order=1, modes=("fwd",))


def test_the_step_can_be_given():
    def wavy(x):
        return np.sin(1e6 * x)

    with pytest.raises(AssertionError):
        sd.check_grads(wavy, (0.3,), order=1, step=1e-3)
    sd.check_grads(wavy, (0.3,), order=1, step=1e-8, rtol=1e-4)
    sd.check_grads(np.sum, (X.astype(np.float32),), order=1, step=1e-1, rtol=1e-4)
    for step in (0.0, -1.0, np.nan, np.inf, "1"):
        with pytest.raises(ValueError, match="step is a positive number"):
            sd.check_grads(wavy, (0.3,), step=step)
