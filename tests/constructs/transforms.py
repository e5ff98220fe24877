"""symdiff's own transforms and cuts, called inside of what is differentiated.

The derivatives of a program that cuts the graph are not those of its value: such a construct is
compared with ``equivalent``, the same program with the closed form in place of the call.
"""

import numpy as np

import symdiff as sd
from tests.constructs.settings import SETTINGS, construct, in_setting


def beside(closed):
    """Declare a construct whose derivatives are those of the function in closed form."""

    def register(function):
        for setting in SETTINGS:
            plain = in_setting(closed, setting, like=function)
            options = {"equivalent": lambda *_, plain=plain: plain, "needs_symdiff": True}
            construct(settings=(setting,), **options)(function)
        return function

    return register


def gradient_closed(x, c):
    g = c * np.cos(c * x[0]) + 2 * x[0]
    return g**2 + x[1] * c


@beside(gradient_closed)
def gradient(x, c):
    g = sd.grad(lambda t: np.sin(c * t) + t**2)(x[0])
    return g**2 + x[1] * c


def value_and_gradient_closed(x, c):
    value, g = np.sum(x**3) * c, 3 * x**2 * c
    return g @ g + value


@beside(value_and_gradient_closed)
def value_and_gradient(x, c):
    value, g = sd.value_and_grad(lambda v: np.sum(v**3) * c)(x)
    return g @ g + value


def second_derivative_closed(x, c):
    a = 6 * x[0] * c
    return a * a + c * np.exp(c * x[1]) * c


@beside(second_derivative_closed)
def second_derivative(x, c):
    a = sd.derivative(lambda t: t**3 * c, order=2)(x[0])
    slope = sd.grad(lambda t: np.exp(c * t))
    return a * a + sd.grad(slope)(x[1])


def directional_closed(x, c):
    y, y_dot = np.sum(x**2) * c, np.sum(2 * x * x[::-1]) * c
    return y * y_dot


@beside(directional_closed)
def directional(x, c):
    y, y_dot = sd.jvp(lambda v: np.sum(v**2) * c, (x,), (x[::-1].copy(),))
    return y * y_dot


def pulled_back_closed(x, c):
    y = np.sin(x) * c
    return y @ x + np.sum(np.cos(x) * c * y)


@beside(pulled_back_closed)
def pulled_back(x, c):
    y, pullback = sd.vjp(lambda v: np.sin(v) * c, x)
    (x_bar,) = pullback(y)
    return y @ x + np.sum(x_bar)


def matrices_closed(x, c):
    j = np.diag(2 * x * c)
    h = np.diag(6 * x)
    return np.sum(j @ h) * c + 6 * x @ x


@beside(matrices_closed)
def matrices(x, c):
    def f(v):
        return np.sum(v**3)

    j = sd.jacobian(lambda v: v**2 * c)(x)
    h = sd.hessian(f)(x)  # whole numbers as factors: no order of the products rounds
    return np.sum(j @ h) * c + sd.hvp(f)(x, np.ones(6)) @ x


def of_numpy_closed(x, c):
    return 0.5 / np.sqrt(x[0]) * c + np.cos(x[1])


@beside(of_numpy_closed)
def of_numpy(x, c):
    return sd.grad(np.sqrt)(x[0]) * c + sd.grad(np.sin)(x[1])


def checkpointed_closed(x, c):
    return np.sum(np.tanh(x * c) ** 2 * x)


@beside(checkpointed_closed)
def checkpointed(x, c):
    @sd.checkpoint
    def block(v):
        return np.tanh(v * c) ** 2

    return np.sum(block(x) * x)


def functional_closed(x, c):
    y = x * c + 1.0
    return y @ x * c


@beside(functional_closed)
def functional(x, c):
    def scale(v, by):
        v *= by
        v += 1.0
        return by

    result, final = sd.functional(scale)(x, c)
    return final["v"] @ x * result


def cut_closed(x, c):
    w = np.array([0.9, 0.3, 0.4])
    return np.sum(w * x[:3] ** 2) * c


@beside(cut_closed)
def cut(x, c):
    w = sd.stop_gradient(np.array([0.9, 0.3, 0.4]) + 0.0 * x[:3])
    with sd.no_grad():
        scale = sd.detach(1.0 + 0.0 * c)
    return np.sum(w * x[:3] ** 2) * c * scale
