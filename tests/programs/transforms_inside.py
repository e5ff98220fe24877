"""Programs that call symdiff themselves: cut graphs, and transforms of inner functions."""

import numpy as np

from tests.programs.registry import program

X = np.array([0.4, 1.3, 0.8])


def _detached_weights(x0):
    w = np.exp(-x0)
    return lambda x: np.sum(w * x**2) + x[0]


@program(args=(X,), needs_symdiff=True, equivalent=_detached_weights)
def stop_gradient_of_weights(x):
    import symdiff as sd

    w = sd.stop_gradient(np.exp(-x))
    return np.sum(w * x**2) + x[0]


def _no_grad_scale(x0, c0):
    factor = np.sum(x0**2)
    for _ in range(3):
        factor = np.sqrt(factor + c0)
    return lambda x, c: np.sum(x**3) * factor + c * c


@program(args=(X, 0.6), wrt=(0, 1), needs_symdiff=True, equivalent=_no_grad_scale)
def no_grad_block(x, c):
    import symdiff

    with symdiff.no_grad():
        scale = np.sum(x**2)
        for _ in range(3):
            scale = np.sqrt(scale + c)
    return np.sum(x**3) * scale + c * c


def _detached_in_loop(x0):
    states = [x0]
    for _ in range(3):
        states.append(states[-1] * np.cos(states[-1]) + x0)

    def frozen(x):
        y = x
        for state in states[:3]:
            y = y * np.cos(state) + x
        return y * y

    return frozen


@program(args=(0.7,), needs_symdiff=True, equivalent=_detached_in_loop)
def detach_in_a_loop(x):
    from symdiff import detach

    y = x
    for _ in range(3):
        y = y * np.cos(detach(y)) + x
    return y * y


@program(
    args=(0.7, 1.2),
    wrt=(0, 1),
    needs_symdiff=True,
    equivalent=lambda *_: lambda x, a: (a * np.cos(a * x) + 2 * x) ** 2 + x * a,
)
def gradient_penalty(x, a):
    import symdiff as sd

    def f(t):
        return np.sin(a * t) + t**2

    g = sd.grad(f)(x)
    return g**2 + x * a


@program(
    args=(X,),
    needs_symdiff=True,
    equivalent=lambda *_: lambda x: np.sum((4 * x**3 - np.sin(x)) ** 2) + np.sum(x**4 + np.cos(x)),
)
def value_and_gradient_inside(x):
    import symdiff as sd

    value, g = sd.value_and_grad(lambda v: np.sum(v**4 + np.cos(v)))(x)
    return g @ g + value


def _newton_with_closed_derivatives(*_):
    def newton(x, c):
        for _ in range(2):
            x = x - (np.exp(x) - 2 * x * c) / (np.exp(x) - 2 * c)
        return x * x * c

    return newton


@program(
    args=(0.2, 1.8), wrt=(0, 1), needs_symdiff=True, equivalent=_newton_with_closed_derivatives
)
def newton_by_inner_derivatives(x, c):
    import symdiff as sd

    def energy(t):
        return np.exp(t) - c * t**2

    slope = sd.grad(energy)
    curvature = sd.grad(slope)
    for _ in range(2):
        x = x - slope(x) / curvature(x)
    return x * x * c


@program(
    args=(X, X[::-1].copy()),
    wrt=(0, 1),
    needs_symdiff=True,
    equivalent=lambda *_: lambda x, v: np.sum(2 * x * v) * np.sum(x**2) + v @ v,
)
def directional_derivative_inside(x, v):
    import symdiff as sd

    y, y_dot = sd.jvp(lambda t: np.sum(t**2), (x,), (v,))
    return y * y_dot + v @ v


@program(
    args=(1.4,),
    needs_symdiff=True,
    equivalent=lambda *_: lambda x: 0.5 / np.sqrt(x) * x - np.sin(x) * np.cos(x),
)
def gradient_of_numpy_functions(x):
    import symdiff as sd

    return sd.grad(np.sqrt)(x) * x + sd.grad(np.cos)(x) * np.cos(x)


@program(
    args=(X,),
    needs_symdiff=True,
    equivalent=lambda *_: lambda x: np.sum(np.tanh(x + 1) ** 2 * x),
)
def checkpointed_block(x):
    import symdiff as sd

    @sd.checkpoint
    def block(v):
        return np.tanh(v + 1) ** 2

    return np.sum(block(x) * x)


@program(
    args=(X, 0.3),
    wrt=(0, 1),
    needs_symdiff=True,
    equivalent=lambda *_: (
        lambda x, lr: np.sum((x - lr * 4 * x**3 - lr * 4 * (x - lr * 4 * x**3) ** 3) ** 2)
    ),
)
def descends_inside(x, lr):
    import symdiff as sd

    def objective(v):
        return np.sum(v**4)

    for _ in range(2):
        x = x - lr * sd.grad(objective)(x)
    return np.sum(x**2)
