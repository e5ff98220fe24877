"""Derivatives by numbers that are integers on a path: their arrays are of floats all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.graph import walk_nodes
from symdiff.ops.retype import retype
from symdiff.parse.typed_arrays import with_typed_arrays
from symdiff.pipeline import staged_at
from symdiff.runtime.signature import signature_of
from tests import reference

X = np.array([0.5, 0.22, 0.7])
NONE_TURNED = ((X, 0), (X, 2))


def product(x: Any, n: int) -> Any:
    """An integer where no turn is taken."""
    p = 1
    for i in range(n):
        p *= x[i]
    return p


def sum_of_a_loop(x: Any, n: int) -> Any:
    s = 0
    for i in range(n):
        s += x[i]
    return np.sum(s * x) + np.sin(x[1])


def builtin_sum(x: Any, n: int) -> Any:
    s = sum(x[i] for i in range(n))
    m = max([0] + [x[i] for i in range(n)])
    return np.sum(s * x) + np.sum(m * x) + np.sin(x[0])


def chosen(x: Any, n: int) -> Any:
    u = product(x, n)
    w = x[0] if n else 2
    return np.sum(np.where(x > 0.4, u, 2) * x) + np.sum(w * x) + np.sin(x[1])


def in_parts(x: Any, n: int) -> Any:
    u = product(x, n)
    return u * x.sum() + np.sum(x[1:]) * u * u + np.sum(u * np.cumsum(x)) + np.cos(x[2])


def of_a_matrix(x: Any, n: int) -> Any:
    m = x.reshape(3, 1) * np.ones((1, 2))
    return np.trace(np.diag(product(x, n) * x)) + np.sum(product(x, n) * m) + np.sin(x[0])


def of_the_users_array(x: Any, n: int) -> Any:
    y = np.full(3, product(x, n))
    z = y * 2 + 1
    return np.sum(z * x) + np.sum(y * x * x) + np.sin(x[1])


def in_a_loop(x: Any, n: int) -> Any:
    u, total = product(x, n), 0.0
    for i in range(3):
        total = total + u * np.sum(x) * x[i]
    return total + u * np.mean(x)


FUNCTIONS = [
    sum_of_a_loop, builtin_sum, chosen, in_parts, of_a_matrix, of_the_users_array, in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("n", [0, 2])
def test_what_is_added_to_an_array_of_a_derivative_is_not_cut(
    f: Callable[..., Any], n: int
) -> None:
    gradient = sd.grad(f)(X, n)
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, reference.richardson_gradient(f, (X, n)).value, 1e-8)
    for k, direction in enumerate(np.eye(3)):
        assert sd.jvp(f, (X, n), (direction, None))[1] == pytest.approx(gradient[k], 1e-12)
        steps = [X + t * direction for t in (-2e-3, -1e-3, 0.0, 1e-3, 2e-3)]
        weights = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12e-6
        second = weights @ [f(x, n) for x in steps]
        assert sd.hessian(f)(X, n)[k, k] == pytest.approx(second, abs=1e-6)
    np.testing.assert_array_equal(sd.vjp(f, X, n)[1](1.0)[0], gradient)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_it_is_so_in_single_precision(f: Callable[..., Any]) -> None:
    gradient = sd.grad(f)(X.astype(np.float32), 0)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, sd.grad(f)(X, 0), 1e-6)


def test_an_array_of_rank_zero_is_of_floats() -> None:
    gradient = sd.grad(lambda x, n: product([x], n) * x)(np.array(2.0), 0)
    assert (gradient.dtype, gradient) == (np.float64, 1.0)


def test_a_float_in_place_of_a_complex_number_keeps_the_imaginary_part() -> None:
    def f(z: Any, n: int) -> Any:
        u = 1.0 if n < 1 else z[0]
        return np.real(np.sum(u * z) + np.sum(z) * u + z[1] * 2j)

    found = sd.grad(f)(np.array([0.5 + 1j, 0.3]), 0)
    np.testing.assert_array_equal(found, [2.0, 2.0 - 2j])


def test_an_exported_gradient_is_of_floats(tmp_path: Any) -> None:
    path, module = tmp_path / "slopes.py", dict[str, Any]()
    sd.export(path, {"slope": sd.grad(sum_of_a_loop)}, "float64[n]", "int")
    exec(path.read_text(), module)
    np.testing.assert_allclose(module["slope"](X, 0), [0.0, np.cos(0.22), 0.0])


def test_a_program_without_arrays_of_derivatives_stays_as_it_is() -> None:
    def f(x: float) -> Any:
        v = 2 if x > 0.5 else x
        return v * np.sin(x)

    graph = staged_at(f, signature_of(["x"], (0.3,)), (0.3,))[0].graph
    assert any(node.op is retype for node in walk_nodes(graph.block))
    assert with_typed_arrays(graph) is graph
