"""The derivative of a case as each package gives it, as a function without arguments.

An engine that is not installed, or that cannot do a case, gives None and the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.cases import Case, with_numpy

Call = Callable[[], Any]


def by_hand(case: Case) -> Call:
    """The hand-written derivative."""
    return lambda: case.hand(*case.arguments)


def by_symdiff(case: Case) -> Call:
    """The generated derivative."""
    import symdiff

    f = symdiff.differentiable(case.program)
    if case.kind == "hessian":
        derivative: Any = f.hessian
    elif case.kind == "hvp":
        derivative = f.hvp
    elif case.kind == "fifth":
        derivative = symdiff.derivative(case.program, 5)
    else:
        argnums = case.argnums if len(case.argnums) > 1 else case.argnums[0]
        derivative = symdiff.grad(case.program, argnums=argnums)
    return lambda: derivative(*case.arguments)


def by_autograd(case: Case) -> Call:
    """HIPS autograd on the program with its own ``np``."""
    import autograd
    import autograd.numpy as anp

    f = with_numpy(case.functional or case.program, anp)
    if case.kind == "hessian":
        derivative = autograd.hessian(f)
    elif case.kind == "hvp":
        derivative = autograd.hessian_vector_product(f)
    elif case.kind == "fifth":
        derivative = repeated(autograd.grad, f)
    elif len(case.argnums) > 1:
        derivative = autograd.grad(f, argnum=list(case.argnums))
    else:
        derivative = autograd.grad(f, case.argnums[0])
    return lambda: derivative(*case.arguments)


def by_jax(case: Case) -> Call:
    """JAX under ``jit``, from NumPy arrays, waiting for the result."""
    import jax
    import jax.numpy as jnp

    f: Any = case.jax_program() if case.jax_program else with_numpy(case.program, jnp)
    static = case.jax_static
    if case.kind == "hessian":
        derivative = jax.jit(jax.hessian(f))
    elif case.kind == "hvp":
        derivative = jax.jit(lambda x, v: jax.jvp(jax.grad(f), (x,), (v,))[1])
    elif case.kind == "fifth":
        derivative = jax.jit(repeated(jax.grad, f))
    else:
        argnums = case.argnums if len(case.argnums) > 1 else case.argnums[0]
        derivative = jax.jit(jax.grad(f, argnums=argnums), static_argnums=static)
    arguments = [
        value if position in static else jax.tree.map(jnp.asarray, value)
        for position, value in enumerate(case.arguments)
    ]
    return lambda: jax.block_until_ready(derivative(*arguments))


def repeated(grad: Callable[[Any], Any], f: Any) -> Any:
    """The gradient of the gradient, five times."""
    for _ in range(5):
        f = grad(f)
    return f


ENGINES: dict[str, Callable[[Case], Call]] = {
    "hand-written": by_hand,
    "symdiff": by_symdiff,
    "autograd": by_autograd,
    "JAX": by_jax,
}


def checked(case: Case, name: str, call: Call) -> None:
    """Compare with the hand-written derivative before anything is timed.

    :raises AssertionError: where they differ.
    """
    expected, actual = flat(case.hand(*case.arguments)), flat(call())
    scale = float(np.max(np.abs(expected)))
    single = any(getattr(x, "dtype", None) == np.float32 for x in case.arguments)
    accuracy = 1e-4 if single else 1e-8
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=accuracy * scale, err_msg=f"{case.name}: {name}"
    )


def flat(tree: Any) -> Any:
    """All numbers of a result as one vector."""
    if isinstance(tree, (list, tuple)):
        return np.concatenate([flat(part) for part in tree])
    return np.ravel(np.asarray(tree, np.float64))
