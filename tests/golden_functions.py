"""Functions whose derivatives stand in ``tests/golden``, each with the call that gives its source.

They are short, and each is there for one thing that the generated code should do well. The whole
programs of ``tests/programs`` have golden files too: see ``tests/emit/test_golden.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import symdiff as sd

SOURCES: dict[str, Callable[[], str]] = {}

# Arguments are types as text where these say what matters, and example values elsewhere.
VECTOR, MATRIX = "float64[n]", "float64[n,m]"


def golden(
    *arguments: Any, by: Callable[..., Any] = sd.grad, name: str = "", **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keep the source of ``by(function, **options)`` for these arguments under a name."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        made = by(function, **options)
        SOURCES[name or function.__name__] = lambda: made.source(*arguments)
        return function

    return register


# Scalars ------------------------------------------------------------------------------------------


@golden("float", by=sd.derivative, order=3, name="wave_order_3")
@golden("float", by=sd.derivative, order=2, name="wave_order_2")
@golden("float", by=sd.derivative, name="wave_order_1")
def wave(x):
    return np.sin(x) * x**3


@golden("float", "float", argnums=(0, 1))
def saddle(x, y):
    r = x * x - y * y
    return np.exp(-0.5 * r) * np.cos(3.0 * y)


@golden("float", "float")
def cube_root(a, tolerance):
    x = a
    while abs(x**3 - a) > tolerance:
        x = x - (x**3 - a) / (3.0 * x**2)
    return x


@golden("float", "int")
def collatz_weights(w, n):
    total = 0.0
    while n != 1:
        if n % 2 == 0:
            total += w
            n = n // 2
        else:
            total += w * w
            n = 3 * n + 1
    return total


@golden("float", "int")
def fibonacci_pair(x, n):
    u, v = 1.0, x
    for _ in range(n):
        u, v = v, u + x * v
    return v


@golden("float")
def square_root_where_positive(x):
    if x > 0.0:
        y = np.sqrt(x)
        x = x + y
    else:
        y = 0.0 * x
    return x * y


# Arrays -------------------------------------------------------------------------------------------


@golden("float64[d]", "float64[n,d]", VECTOR)
@golden("float64[d]", "float64[n,d]", VECTOR, "float64[d]", by=sd.hvp, name="loss_hvp")
@golden("float64[d]", "float64[n,d]", VECTOR, by=sd.hessian, name="loss_hessian")
@golden("float64[d]", "float64[n,d]", VECTOR, by=sd.value_and_grad, name="loss_value_and_grad")
@golden("float64[d]", "float64[n,d]", VECTOR, by=sd.differentiable, name="loss_pair")
def loss(w, x, y):
    r = np.tanh(x @ w) - y
    return np.mean(r * r)


@golden(VECTOR)
@golden(VECTOR, VECTOR, by=sd.hvp, name="rosenbrock_hvp")
def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@golden(VECTOR)
def where_positive(x):
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


@golden("float64[n,1]", "float64[m]", argnums=(0, 1))
def column_and_row(column, row):
    return np.sum(np.exp(column + row))


@golden("float64[b,i,k]", "float64[b,k,j]", argnums=(0, 1))
def batched_products(a, b):
    return np.sum(np.einsum("bik,bkj->bij", a, b) ** 2)


@golden(VECTOR, "int64[k]")
def gathered(x, indices):
    return np.sum(np.sin(x[indices]))


@golden(VECTOR, "float")
def rectified_by_mask(x, slope):
    y = x * x - 1.0
    y[x < 0.0] = slope
    return np.sum(y * x)


@golden(VECTOR)
def softmax_entropy(z):
    p = np.exp(z - np.max(z))
    p = p / np.sum(p)
    return -np.sum(p * np.log(p))


@golden(MATRIX)
def standardised(x):
    z = (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1e-6)
    return np.sum(z**3)


@golden(VECTOR)
def determinant_and_solution(d):
    a = np.outer(d, d) + np.eye(len(d))
    return np.linalg.slogdet(a)[1] + d @ np.linalg.solve(a, d)


@golden(VECTOR)
def power_spectrum_weight(x):
    k = np.arange(len(x))
    c = np.sum(np.exp(-2j * np.pi * k / len(x)) * x)
    return (c * np.conj(c)).real


# Loops over arrays --------------------------------------------------------------------------------


@golden(VECTOR, "float", "int")
def burgers(u, dt, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u * u)


@golden(VECTOR, "float64[m]", VECTOR, argnums=(0, 1))
def nearest_pairs(x, y, w):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            d = x[i] - y[j]
            if d > 0.0:
                total += w[i] * d * d
    return total


@golden(VECTOR)
def running_products(x):
    products = [1.0]
    for value in x:
        products.append(products[-1] * value)
    return sum(products)


@golden(VECTOR, "float")
def first_above(x, level):
    total = 0.0
    for value in x:
        total += value * value
        if total > level:
            return total
    return -total


# Transforms of functions with arrays as results ---------------------------------------------------


@golden(("float64[3]",), ("float64[3]",), by=lambda f: sd.differentiable(f).jvp, name="spin_jvp")
@golden("float64[3]", by=sd.jacobian, name="spin_jacobian_fwd", mode="fwd")
@golden("float64[3]", by=sd.jacobian, name="spin_jacobian_rev", mode="rev")
def spin(w):
    inertia = np.array([1.0, 2.0, 3.0])
    return -np.cross(w, inertia * w) / inertia


@golden(VECTOR, by=sd.functional, name="smooth_functional")
def smooth(x):
    x[1:-1] = 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:]


# Containers and objects ---------------------------------------------------------------------------


@golden({"weight": "float64[d,k]", "bias": "float64[k]"}, "float64[n,d]")
def dense_norm(layer, x):
    y = np.maximum(x @ layer["weight"] + layer["bias"], 0.0)
    return 0.5 * np.sum(y * y)


@dataclass
class Spring:
    stiffness: float
    length: float


@golden(Spring(2.0, 1.0), "float64[n]")
def spring_energy(spring, x):
    stretch = np.diff(x) - spring.length
    return 0.5 * spring.stiffness * np.sum(stretch**2)


# Effects and the user's own rules -----------------------------------------------------------------


@golden("float", "int")
def checked_power(x, n):
    if n < 0:
        raise ValueError(f"n is {n}, and must not be negative")
    assert x > 0.0, "x must be positive"
    y = 1.0
    for k in range(n):
        y = y * x
        print("power", k, y)
    return y


@sd.custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, g: (np.clip(g, -1.0, 1.0),))


@golden(VECTOR)
def with_clipped_gradient(x):
    return np.sum(clipped(x) ** 2 * sd.stop_gradient(np.abs(x)))
