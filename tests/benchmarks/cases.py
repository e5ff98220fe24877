"""What is timed: a program, its arguments, its derivative by hand, and the others' forms of it."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tests.benchmarks import by_hand, programs

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One row of the table.

    ``kind`` is computed: the gradient by ``argnums``, the ``hessian``, or the product ``hvp``
    of the Hessian with the last argument. ``functional`` is the program for packages that cannot
    write into arrays, ``jax_program`` makes the one for JAX where Python's loops would be
    unrolled; ``jax_static`` are positions of arguments that JAX must know.
    """

    name: str
    program: Function
    hand: Function
    arguments: tuple[Any, ...]
    argnums: tuple[int, ...] = (0,)
    kind: str = "grad"
    functional: Function | None = None
    jax_program: Callable[[], Function] | None = None
    jax_static: tuple[int, ...] = ()
    small: bool = False


def with_numpy(function: Function, module: Any) -> Function:
    """The same function, its ``np`` being another module."""
    scope = {**function.__globals__, "np": module}
    return types.FunctionType(function.__code__, scope, function.__name__)  # type: ignore[attr-defined]


def jax_while() -> Function:
    """JAX cannot reverse ``scalar_while``: a bounded loop that stops to change takes its place."""
    import jax
    import jax.numpy as jnp

    def program(x: Any, rate: Any) -> Any:
        def turn(balance: Any, _: Any) -> Any:
            small = balance + rate * balance * balance
            large = balance * (1.0 + rate) + jnp.sin(balance)
            changed = jnp.where(balance < 10.0, small, large)
            return jnp.where(balance < 50.0, changed, balance), None

        return jax.lax.scan(turn, x, None, length=64)[0] * x

    return program


def jax_long_loop() -> Function:
    """The loop as a scan."""
    import jax
    import jax.numpy as jnp

    def program(x: Any, dt: Any, turns: int) -> Any:
        def turn(s: Any, _: Any) -> Any:
            return s + dt * (jnp.sin(s) - 0.5 * s * x), None

        return jax.lax.scan(turn, x, None, length=turns)[0]

    return program


def jax_rosenbrock_loop() -> Function:
    """The loop as a scan over the elements."""
    import jax

    def program(x: Any) -> Any:
        def turn(total: Any, pair: Any) -> Any:
            a, b = pair
            return total + 100.0 * (b - a**2) ** 2 + (1.0 - a) ** 2, None

        return jax.lax.scan(turn, 0.0, (x[:-1], x[1:]))[0]

    return program


def jax_burgers() -> Function:
    """The time steps as a scan."""
    import jax
    import jax.numpy as jnp

    def program(u0: Any, dt: Any, steps: int) -> Any:
        def turn(u: Any, _: Any) -> Any:
            inner = u[1:-1] + dt * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            return u.at[1:-1].set(inner - 0.5 * dt * u[1:-1] * (u[2:] - u[:-2])), None

        u = jax.lax.scan(turn, u0, None, length=steps)[0]
        return jnp.sum(u * u)

    return program


def all_cases() -> list[Case]:
    """The rows of the table, in its order."""
    rng = np.random.default_rng(0)
    return [*_scalar_cases(), *_rosenbrock_cases(rng), *_array_cases(rng)]


def _scalar_cases() -> list[Case]:
    p, h = programs, by_hand
    return [
        Case("scalar expression", p.scalar_expression, h.scalar_expression, (0.7, 1.3), (0, 1),
             small=True),
        Case("scalar `while` with `if`", p.scalar_while, h.scalar_while, (1.1, 0.07), (0, 1),
             jax_program=jax_while, small=True),
        Case("10,000-turn scalar loop", p.long_scalar_loop, h.long_scalar_loop, (0.4, 1e-3, 10_000),
             jax_program=jax_long_loop, jax_static=(2,), small=True),
    ]  # fmt: skip


def _rosenbrock_cases(rng: np.random.Generator) -> list[Case]:
    p, h = programs, by_hand
    rows = [
        Case(f"Rosenbrock, array, n = {n:,}", p.rosenbrock, h.rosenbrock, (rng.normal(size=n),),
             small=n <= 1000)
        for n in (10, 1000, 10**6)
    ]  # fmt: skip
    x, v = rng.normal(size=1000), rng.normal(size=1000)
    return [
        *rows,
        Case("Rosenbrock, element loop, n = 1,000", p.rosenbrock_loop, h.rosenbrock_loop, (x,),
             jax_program=jax_rosenbrock_loop, small=True),
        Case("Hessian of Rosenbrock, n = 100", p.rosenbrock, h.rosenbrock_hessian, (x[:100],),
             kind="hessian", small=True),
        Case("Hessian-vector product, n = 1,000", p.rosenbrock, h.rosenbrock_product, (x, v),
             kind="hvp", small=True),
    ]  # fmt: skip


def _array_cases(rng: np.random.Generator) -> list[Case]:
    p, h = programs, by_hand
    X, w = rng.normal(size=(1000, 20)), rng.normal(size=20) / 5.0
    signs = np.where(rng.random(1000) < 0.5, -1.0, 1.0)
    sizes = (64, 512, 512, 10)
    params = [(rng.normal(size=(n, m)) * np.sqrt(2.0 / n), np.zeros(m)) for n, m in pairwise(sizes)]
    x, one_hot = rng.random((64, 64)), np.eye(10)[rng.integers(0, 10, 64)]
    scores, target = rng.normal(size=(100, 100)), rng.random((100, 100))
    u0 = np.sin(np.linspace(0.0, np.pi, 200))
    return [
        Case("logistic regression, 1,000 × 20", p.logistic_regression, h.logistic_regression,
             (w, X, signs, 0.1)),
        Case("network 64-512-512-10, batch 64", p.network, h.network, (params, x, one_hot)),
        Case("softmax, 100 × 100", p.softmax_loss, h.softmax_loss, (scores, target)),
        Case("Burgers' equation in place, 200 × 100 steps", p.burgers, h.burgers, (u0, 0.1, 100),
             functional=p.burgers_without_writing, jax_program=jax_burgers, jax_static=(2,)),
    ]  # fmt: skip
