"""``linearize``: the value, and the derivative at a point as a linear function, kept once."""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import SignatureError

A = np.array([[2.0, -1.0, 0.5], [0.3, 1.5, -0.7], [1.1, 0.2, 2.2]])
X = np.array([0.4, -0.9, 1.3])
V = np.array([1.0, -2.0, 0.25])
W = np.array([0.5, 3.0, -1.5])


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def along(f: Callable[..., Any], x: Any, v: Any) -> Any:
    """The derivative of ``f`` along ``v`` by central differences, extrapolated twice."""

    def slope(h: float) -> Any:
        return (f(x + h * v) - f(x - h * v)) / (2 * h)

    coarse, middle, fine = (slope(h) for h in (4e-3, 2e-3, 1e-3))
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    return (16 * second - first) / 15


def test_a_quadratic_form():
    y, linear = sd.linearize(lambda x: x @ A @ x, X)
    assert y == X @ A @ X
    for v in (V, W, 0.0 * V):
        np.testing.assert_allclose(linear(v), X @ (A + A.T) @ v, rtol=1e-14)
    (bar,) = linear.transpose(2.0)
    np.testing.assert_allclose(bar, 2.0 * (A + A.T) @ X, rtol=1e-14)


def march(x, n):
    y = x.copy()
    for k in range(n):
        y = np.tanh(A @ y) + 0.1 * k * x if y[0] > 0.2 else y * y + x
        y[1:] += 0.3 * y[:-1] * x[k % 3]
    return y


def until_small(x):
    y = x
    while np.sum(y * y) > 0.5:
        y = 0.5 * y + 0.1 * np.sin(y) * x
    return y


def power_of(x, n):
    return x if n == 0 else x * power_of(np.sin(x), n - 1)


def halved(x):
    return x if x[0] < 0.1 else x * halved(0.6 * x + 0.01 * x * x)


def of_solutions(x):
    m = A + np.outer(x, x)
    return np.linalg.solve(m, np.exp(x)) + np.linalg.norm(m @ x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: march(x, 7),
        until_small,
        lambda x: power_of(x, 4),
        halved,
        of_solutions,
        lambda x: np.where(x > 0, np.sqrt(np.abs(x)), x**3),
    ],
    ids=["march", "until_small", "power_of", "halved", "of_solutions", "where"],
)
@pytest.mark.parametrize("x", [X, np.abs(X) + 0.3])
def test_loops_branches_and_calls(f: Callable[..., Any], x: np.ndarray):
    y, linear = sd.linearize(f, x)
    np.testing.assert_array_equal(y, f(x))
    for v in (V, W):
        expected = along(f, x, v)
        np.testing.assert_allclose(linear(v), expected, rtol=1e-8, atol=1e-9)
    _, pull = sd.vjp(linear, V)
    for bar in (linear.transpose(W), pull(W)):
        np.testing.assert_allclose(bar[0] @ V, W @ along(f, x, V), rtol=1e-8, atol=1e-9)


def test_transposed_where_a_share_counts_unless_its_cotangents_are_zero():
    _, linear = sd.linearize(lambda x: np.einsum("i,j,k->", x, x, x), X)
    expected = np.full(3, 6.0 * np.sum(X) ** 2)
    np.testing.assert_allclose(linear.transpose(2.0)[0], expected, rtol=1e-14)
    np.testing.assert_array_equal(linear.transpose(0.0)[0], np.zeros(3))


def test_transposed_where_a_partial_is_infinite():
    """What is not selected has derivative 0, in both directions."""
    _, linear = sd.linearize(lambda x: np.where(x > 0, np.sqrt(x), 0.0), np.array([0.0, 4.0]))
    np.testing.assert_array_equal(linear(np.ones(2)), [0.0, 0.25])
    np.testing.assert_array_equal(linear.transpose(np.ones(2))[0], [0.0, 0.25])
    _, linear = sd.linearize(np.sqrt, 0.0)
    with np.errstate(divide="ignore"):
        assert linear(1.0) == np.inf
        assert linear.transpose(1.0) == (np.inf,)
    assert linear(0.0) == 0.0
    assert linear.transpose(0.0) == (0.0,)


def test_it_can_be_differentiated_again():
    """By the point and by the tangent, in both modes, and twice."""

    def g(x, v):
        y, linear = sd.linearize(lambda z: march(z, 4), x)
        return np.sum(linear(v) * linear(2.0 * v)) + np.sum(y)

    def plain(x, v):
        return 2.0 * np.sum(along(lambda z: march(z, 4), x, v) ** 2) + np.sum(march(x, 4))

    by_x, by_v = sd.grad(g, (0, 1))(X, V)
    for u in (V, W):
        np.testing.assert_allclose(by_x @ u, along(lambda x: plain(x, V), X, u), rtol=1e-6)
        np.testing.assert_allclose(by_v @ u, along(lambda v: plain(X, v), V, u), rtol=1e-7)
        tangent = sd.jvp(g, (X, V), (u, None))[1]
        np.testing.assert_allclose(tangent, by_x @ u, rtol=1e-12)
    # linear(v)² of v: a quadratic form, whose second derivative is 4 JᵀJ
    bent = sd.hessian(g, 1)(X, V)
    columns = [along(lambda z: march(z, 4), X, e) for e in np.eye(3)]
    jacobian = np.stack(columns, axis=1)
    np.testing.assert_allclose(bent, 4.0 * jacobian.T @ jacobian, rtol=1e-7)


def test_the_other_way_inside_a_function():
    """By the point and by the cotangent, twice, after the point is bound anew and written."""

    def f(x):
        return x[:2] ** 3 * x[2]

    def g(x):
        z = x.copy()
        y, linear = sd.linearize(f, z)
        z[:] = 0.0
        back = linear.transpose
        (first,), (second,) = back(y), back(cotangent=x[1:])
        return np.sum(first * second)

    def plain(
        x,
    ):  # the product of (3 a² c y₀, 3 b² c y₁, a³ y₀ + b³ y₁) of y = (a³ c, b³ c) and (b, c)
        a, b, c = x
        first = np.array([3 * a**5 * c**2, 3 * b**5 * c**2, (a**6 + b**6) * c])
        return first @ np.array([3 * a**2 * c * b, 3 * b**2 * c * c, a**3 * b + b**3 * c])

    np.testing.assert_allclose(g(X), plain(X), rtol=1e-13)
    gradient, hessian = sd.grad(g)(X), sd.hessian(g)(X)
    for u in (V, W):
        np.testing.assert_allclose(gradient @ u, along(plain, X, u), rtol=1e-7)
        np.testing.assert_allclose(sd.jvp(g, (X,), (u,))[1], gradient @ u, rtol=1e-12)
        slopes = along(lambda x, u=u: along(plain, x, u), X, V)
        np.testing.assert_allclose(V @ hessian @ u, slopes, rtol=1e-6)


def scaled(x, n, by=2.0):
    return x**n * by


def by_linear(x):
    _, linear = sd.linearize(scaled, x, 2)
    return linear(x, None, 3.0) + linear(1.0, None) * x  # 2 x² 2 + 3 x² + 4 x²


def by_transpose(x):
    _, linear = sd.linearize(scaled, x, 2)
    bars = linear.transpose(x)
    return bars[0] * bars[2] * (1.0 if bars[1] is None else 0.0)  # 4 x² x³


def by_pullback(x):
    _, pull = sd.vjp(scaled, x, 2)
    bars = pull(x)
    return bars[0] * bars[2] * (1.0 if bars[1] is None else 0.0)


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (by_linear, lambda x: 22.0 * x),
        (by_transpose, lambda x: 20.0 * x**4),
        (by_pullback, lambda x: 20.0 * x**4),
    ],
    ids=["linear", "transpose", "vjp"],
)
def test_defaults_inside_a_function_are_differentiated_by_as_outside(
    f: Callable[..., Any], slope: Callable[[float], float]
):
    np.testing.assert_allclose(along(f, 0.7, 1.0), slope(0.7), rtol=1e-9)
    np.testing.assert_allclose(sd.grad(f)(0.7), slope(0.7), rtol=1e-13)
    np.testing.assert_allclose(sd.jvp(f, (0.7,), (2.0,))[1], 2.0 * slope(0.7), rtol=1e-13)
    curved = along(slope, 0.7, 1.0)
    np.testing.assert_allclose(sd.derivative(f, order=2)(0.7), curved, rtol=1e-8)


def test_a_linearization_of_a_derivative():
    _, linear = sd.linearize(sd.grad(lambda x: np.sum(x**4)), X)
    np.testing.assert_allclose(linear(V), 12.0 * X**2 * V, rtol=1e-14)
    np.testing.assert_allclose(linear.transpose(V)[0], 12.0 * X**2 * V, rtol=1e-14)


def test_the_function_runs_once(capsys: pytest.CaptureFixture[str]):
    def told(x):
        print("runs")
        return np.exp(x) * x

    _, linear = sd.linearize(told, X)
    assert capsys.readouterr().out == "runs\n"
    linear(V)
    linear.transpose(V)
    assert capsys.readouterr().out == ""


def test_what_is_saved_does_not_change_with_the_arguments():
    x = X.copy()
    _, linear = sd.linearize(lambda x: x * x, x)
    x[:] = 0.0
    np.testing.assert_array_equal(linear(V), 2.0 * X * V)


def test_arguments_that_are_written_are_not_changed():
    def squared(x):
        x[0] = x[1] ** 2
        return x.sum()

    x = X.copy()
    y, linear = sd.linearize(squared, x)
    np.testing.assert_array_equal(x, X)
    assert y == X[1] ** 2 + X[1] + X[2]
    assert linear(V) == 2 * X[1] * V[1] + V[1] + V[2]


def test_structures_and_tangents_that_are_none():
    def f(p, n, b=2.0):
        return {"s": np.sum(p["w"] ** n) * b, "t": [p["w"][:2] * b]}

    p = {"w": np.array([1.0, 2.0, 4.0])}
    _, linear = sd.linearize(f, p, 2)
    given = linear({"w": np.ones(3)}, None)
    assert given["s"] == 28.0
    np.testing.assert_array_equal(given["t"][0], [2.0, 2.0])
    assert linear(None, None, 1.0)["s"] == 21.0
    bars = linear.transpose({"s": 1.0, "t": None})
    np.testing.assert_array_equal(bars[0]["w"], [4.0, 8.0, 16.0])
    assert bars[1:] == (None, 21.0)


def test_lists_of_any_length():
    def f(xs, n):
        total = 0.0
        for k in range(n):
            total = total + xs[k] ** 2 * xs[-1]
        return total

    for n in (2, 3):
        xs = [1.0, 2.0, 3.0]
        _, linear = sd.linearize(f, xs, n)
        expected = [2.0 * 3.0 * x for x in xs[:n]] + [0.0] * (3 - n)
        expected[-1] += sum(x * x for x in xs[:n])
        assert linear.transpose(1.0) == (expected, None)
        assert linear([1.0, 1.0, 1.0], None) == sum(expected)
        assert linear(None, None) == 0.0
        with pytest.raises(SignatureError, match="a tangent has the structure of its argument"):
            linear([1.0, 1.0], None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_dtypes(dtype: Any):
    x, v = X.astype(dtype), V.astype(dtype)
    y, linear = sd.linearize(lambda x: x[1:] * x[:-1], x)
    assert y.dtype == linear(v).dtype == linear.transpose(y)[0].dtype == dtype
    np.testing.assert_allclose(linear(v), x[1:] * v[:-1] + v[1:] * x[:-1], rtol=1e-6)


def test_empty_and_zero_dimensional_arrays():
    y, linear = sd.linearize(lambda x: np.sum(x * x), np.zeros(0))
    assert (y, linear(np.zeros(0))) == (0.0, 0.0)
    assert linear.transpose(1.0)[0].shape == (0,)
    y, linear = sd.linearize(lambda x: x * x, np.array(3.0))
    assert linear(np.array(2.0)) == 12.0
    assert linear.transpose(1.0)[0].shape == ()


def test_what_is_refused():
    _, linear = sd.linearize(lambda x, n: x * n, X, 2)
    with pytest.raises(SignatureError, match="takes 2 tangents, but 1 given"):
        linear(V)
    with pytest.raises(SignatureError, match=r"tangents\[0\] has the shape \(2,\), not \(3,\)"):
        linear(V[:2], None)
    with pytest.raises(SignatureError, match=r"tangents\[1\] is given, but what it belongs to"):
        linear(V, 1)
    with pytest.raises(SignatureError, match="complex"):
        linear(1j * V, None)
    with pytest.raises(SignatureError, match="a linear function is its own derivative"):
        sd.grad(linear)


def test_both_parts_grow_linearly_with_nested_functions():
    def timed(depth: int) -> float:
        lines = ["import numpy as np", "def f0(x):", "    return np.sin(x)"]
        for k in range(depth):
            lines += [f"def f{k + 1}(x):", f"    return f{k}(x) * np.cos(x)"]
        space: dict[str, Any] = {}
        name, text = f"<nested {depth}>", "\n".join(lines)
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), space)
        start = time.perf_counter()
        _, linear = sd.linearize(space[f"f{depth}"], 0.3)
        assert np.isfinite(linear(1.0))
        return time.perf_counter() - start

    timed(2)
    assert timed(60) < 12 * timed(15) + 0.5
