"""What is timed: a program, its arguments, its derivative by hand, and the others' forms of it."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tests.benchmarks import (
    by_hand,
    layers,
    layers_by_hand,
    models,
    models_by_hand,
    programs,
    straight_line,
)

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One row of the table.

    ``kind`` is computed: the gradient by ``argnums``, the ``hessian``, the product ``hvp`` of the
    Hessian with the last argument, or the ``fifth`` derivative. ``functional`` is the program for
    packages that cannot write into arrays, ``jax_program`` makes the one for JAX where Python's
    loops would be unrolled; ``jax_static`` are positions of arguments that JAX must know.
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


def with_numpy(function: Function, module: Any, **others: Any) -> Function:
    """The same function and the functions it calls, ``np`` being another module."""
    scope = {**function.__globals__, "np": module}
    called = [name for name in function.__code__.co_names if name in scope and name != "np"]
    scope |= {name: with_numpy(scope[name], module) for name in called}
    scope |= others
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


def jax_does_not_finish() -> Function:
    """Compiling thousands of statements takes XLA minutes."""
    raise NotImplementedError("does not finish")


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


def jax_lstm() -> Function:
    """The sequence as a scan."""
    import jax
    import jax.numpy as jnp

    step = with_numpy(models.lstm_step, jnp, sigmoid=jax.nn.sigmoid)

    def program(weights: Any, biases: Any, ends: Any, sequence: Any) -> Any:
        def turn(states: Any, pair: Any) -> Any:
            x, kept = pair[0] * ends[0], []
            for k, (hidden, cell) in enumerate(states):
                kept.append(step(weights[k], biases[k], hidden, cell, x))
                x = kept[-1][0]
            scores = x * ends[1] + ends[2]
            total = jnp.sum(pair[1] * (scores - jnp.log(jnp.sum(jnp.exp(scores)) + 2.0)))
            return kept, total

        nothing = jnp.zeros(sequence.shape[1])
        start = [(nothing, nothing)] * 2
        return -jnp.mean(jax.lax.scan(turn, start, (sequence[:-1], sequence[1:]))[1])

    return program


def jax_recurrent() -> Function:
    """The sequence as a scan."""
    import jax
    import jax.numpy as jnp

    def program(Wx: Any, Wh: Any, b: Any, X: Any) -> Any:
        def turn(states: Any, x: Any) -> Any:
            h, c = states
            i, f, o, g = jnp.split(x @ Wx + h @ Wh + b, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        nothing = jnp.zeros((X.shape[1], Wh.shape[0]), X.dtype)
        h = jax.lax.scan(turn, (nothing, nothing), X)[0][0]
        return jnp.sum(h * h)

    return program


def jax_mixture() -> Function:
    """The triangles are filled by a scatter, as JAX's users do."""
    import jax.numpy as jnp

    log_sum_exp = with_numpy(models.log_sum_exp, jnp)

    def program(alphas: Any, means: Any, factors: Any, x: Any, gamma: Any, excess: Any) -> Any:
        n, d = x.shape
        columns, rows = np.triu_indices(d, 1)
        scales = jnp.exp(factors[:, :d])
        lower = jnp.zeros((len(alphas), d, d)).at[:, rows, columns].set(factors[:, d:])
        totals = jnp.sum(factors[:, :d], axis=1)
        centred = x[:, None, :] - means
        turned = scales * centred + jnp.einsum("kij,nkj->nki", lower, centred)
        inner = alphas + totals - 0.5 * jnp.sum(turned**2, axis=2)
        likelihood = jnp.sum(log_sum_exp(inner)) - n * log_sum_exp(alphas)
        prior = 0.5 * gamma**2 * (jnp.sum(scales**2) + jnp.sum(factors[:, d:] ** 2))
        return likelihood + prior - excess * jnp.sum(totals)

    return program


def jax_jacobi() -> Function:
    """The time steps as a scan."""
    import jax
    import jax.numpy as jnp

    def program(A0: Any, steps: int) -> Any:
        def turn(A: Any, _: Any) -> Any:
            inner = A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
            return A.at[1:-1, 1:-1].set(0.2 * inner), None

        A = jax.lax.scan(turn, A0, None, length=2 * steps)[0]
        return jnp.sum(A * A)

    return program


def jax_heat() -> Function:
    """The time steps as a scan over whole arrays."""
    import jax
    import jax.numpy as jnp

    def program(u0: Any, nu: Any, steps: int) -> Any:
        def turn(u: Any, _: Any) -> Any:
            inner = u[1:-1] + nu * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            return u.at[1:-1].set(inner), None

        u = jax.lax.scan(turn, u0, None, length=steps)[0]
        return jnp.sum(u * u)

    return program


def all_cases() -> list[Case]:
    """The rows of the table, in its order."""
    rng = np.random.default_rng(0)
    return [
        *_scalar_cases(), *_rosenbrock_cases(rng), *_array_cases(rng), *_elementwise_cases(rng),
        *_model_cases(rng), *_vision_cases(rng), *_stencil_cases(rng), *_layer_cases(rng),
    ]  # fmt: skip


def _scalar_cases() -> list[Case]:
    p, h = programs, by_hand
    return [
        Case("scalar expression", p.scalar_expression, h.scalar_expression, (0.7, 1.3), (0, 1),
             small=True),
        Case("scalar `while` with `if`", p.scalar_while, h.scalar_while, (1.1, 0.07), (0, 1),
             jax_program=jax_while, small=True),
        Case("10,000-turn scalar loop", p.long_scalar_loop, h.long_scalar_loop, (0.4, 1e-3, 10_000),
             jax_program=jax_long_loop, jax_static=(2,), small=True),
        Case("2,000 scalar statements", *straight_line.functions(2000), (0.7, 1.3), (0, 1),
             jax_program=jax_does_not_finish),
        Case("fifth derivative of a bump", models.bump, models_by_hand.bump_fifth, (0.3,),
             kind="fifth", small=True),
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


def _elementwise_cases(rng: np.random.Generator) -> list[Case]:
    p, h = models, models_by_hand
    n = 10**6
    spot, strike = rng.uniform(50.0, 150.0, n), rng.uniform(50.0, 150.0, n)
    years = rng.uniform(0.1, 2.0, n)
    scores, target = rng.normal(size=(1000, 1000)), rng.random((1000, 1000))
    return [
        Case("softmax, 1,000 × 1,000", programs.softmax_loss, by_hand.softmax_loss,
             (scores, target)),
        Case("Black-Scholes, n = 1,000,000", p.black_scholes, h.black_scholes,
             (spot, strike, years, 0.02, 0.3)),
        Case("20 elementwise operations, n = 1,000,000", p.chain, h.chain, (rng.normal(size=n),)),
    ]  # fmt: skip


def _model_cases(rng: np.random.Generator) -> list[Case]:
    p, h = models, models_by_hand
    X, w = rng.normal(size=(1000, 50)), rng.normal(size=50) / 5.0
    signs = np.where(rng.random(1000) < 0.5, -1.0, 1.0)
    inputs, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    factors = [rng.normal(size=(200, 200)) / 30.0 for _ in range(4)]
    k, d = 25, 10
    mixture = (rng.normal(size=k), rng.normal(size=(k, d)), rng.normal(size=(k, d * (d + 1) // 2)),
               rng.normal(size=(1000, d)), 1.0, 2)  # fmt: skip
    n = 14
    weights, biases = rng.normal(size=(2, 4 * n)) / 2.0, rng.normal(size=(2, 4 * n)) / 2.0
    ends, sequence = rng.normal(size=(3, n)), rng.integers(0, 2, (256, n)) * 1.0
    return [
        Case("logistic regression by logaddexp, 1,000 × 50", p.likelihood_of_labels,
             h.likelihood_of_labels, (w, X, signs)),
        Case("product of four matrices of 200", p.matrix_chain, h.matrix_chain, tuple(factors),
             (0, 1, 2, 3)),
        Case("Gaussian process, n = 200", p.gaussian_process, h.gaussian_process,
             (np.array([0.1, 0.2, -0.1, 0.3, -1.0]), inputs, y)),
        Case("Gaussian mixture, d = 10, k = 25, n = 1,000", p.gaussian_mixture, h.gaussian_mixture,
             mixture, (0, 1, 2), functional=p.gaussian_mixture_without_writing,
             jax_program=jax_mixture),
        Case("LSTM, 255 steps", p.lstm, h.lstm, (weights, biases, ends, sequence), (0, 1, 2),
             jax_program=jax_lstm),
    ]  # fmt: skip


def _vision_cases(rng: np.random.Generator) -> list[Case]:
    p, h = models, models_by_hand
    cameras, points = 0.1 * rng.normal(size=(20, 11)), rng.normal(size=(500, 3))
    cameras[:, 5] -= 6.0
    cameras[:, 6] += 1.0
    seen_by, seen = rng.integers(0, 20, 5000), rng.integers(0, 500, 5000)
    features = rng.normal(size=(5000, 2))
    return [
        Case("reprojection of a point", p.reprojection, h.reprojection,
             (cameras[0], points[0], 0.8, features[0]), (0, 1, 2), small=True),
        Case("reprojection of 5,000 points", p.reprojections, h.reprojections,
             (cameras, points, seen_by, seen, features), (0, 1)),
    ]  # fmt: skip


def _stencil_cases(rng: np.random.Generator) -> list[Case]:
    p, h = models, models_by_hand
    return [
        Case("jacobi-2d in place, 200 × 200, 50 steps", p.jacobi, h.jacobi,
             (rng.normal(size=(200, 200)), 50), functional=p.jacobi_without_writing,
             jax_program=jax_jacobi, jax_static=(1,)),
        Case("heat element by element, 100 × 50 steps", p.heat, h.heat,
             (rng.normal(size=100), 0.2, 50), functional=p.heat_without_writing,
             jax_program=jax_heat, jax_static=(2,)),
    ]  # fmt: skip


def _layer_cases(rng: np.random.Generator) -> list[Case]:
    p, h = layers, layers_by_hand
    squares = [rng.normal(size=(64, 64)) / 8.0 for _ in range(4)]
    table, places = rng.normal(size=(10_000, 64)), rng.integers(0, 10_000, 20_000)
    gates = [rng.normal(size=(n, 256)) / 8.0 for n in (32, 64)]
    rows, core = rng.normal(size=(2, 64, 32)), rng.normal(size=(32, 32, 32)) / 32.0
    cases = [
        Case("attention of 8 × 128, four heads", p.attention, h.attention,
             (*squares, rng.normal(size=(8, 128, 64))), (0, 1, 2, 3)),
        Case("convolution of 8 × 32 × 32 × 8", p.convolution, h.convolution,
             (rng.normal(size=(72, 16)) / 8.0, rng.normal(size=(8, 32, 32, 8))), (0, 1)),
        Case("LSTM of 64, batch 32, 50 steps", p.recurrent, h.recurrent,
             (*gates, rng.normal(size=256), rng.normal(size=(50, 32, 32))), (0, 1, 2),
             jax_program=jax_recurrent),
        Case("embedding of 10,000 × 64", p.embedding, h.embedding,
             (table, rng.normal(size=(64, 8)) / 8.0, places), (0, 1)),
        Case("einsum of three", p.tensors, h.tensors, (rows[0], core, rows[1]), (0, 1, 2)),
    ]  # fmt: skip
    return [one for case in cases for one in (case, _in_single_precision(case))]


def _in_single_precision(case: Case) -> Case:
    single = [
        x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype == np.float64 else x
        for x in case.arguments
    ]
    return replace(case, name=f"{case.name}, float32", arguments=tuple(single))
