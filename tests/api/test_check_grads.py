"""``check_grads`` finds what is wrong and says where; it accepts what is right."""

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
