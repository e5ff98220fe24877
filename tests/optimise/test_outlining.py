"""Callees of their own: what several calls build alike is one function, and right in every mode."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.optimise.outlining import EVERYTHING, NOTHING, Limits, outlining
from tests import reference

POINT = (0.7, 0.3)


def bump(a: float, b: float) -> float:
    c = math.sin(a) * b
    d = math.exp(-c) + a * b if c > 0.3 else c * c * c - a
    for k in range(3):
        d = d * 0.5 + math.cos(d + k) * b
    e = math.tanh(c) + math.sqrt(a * a + b * b)
    return 0.1 * (e * d + c / (1.0 + e * e) + math.log(1.0 + d * d))


def thrice(x: float, y: float) -> float:
    s = bump(x, y)
    s = s + bump(s, y) * x
    for k in range(3):
        s = s + bump(s * 0.5, x + k)
    return s


def checked_root(a: float) -> float:
    if a < 0.0:
        raise ValueError("negative")
    b = math.sqrt(a + 1.0) * math.sin(a)
    c = math.log(1.0 + b * b) + math.cos(b) * a
    return c * c + math.exp(-c) / (1.0 + a * a) + math.tanh(b * c)


def of_roots(x: float, y: float) -> float:
    try:
        return checked_root(x) * checked_root(y) + checked_root(x - y)
    except ValueError:
        return checked_root(x + y)


def mixed(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    w = np.tanh(u) * v + np.sin(u * v)
    w = w / (1.0 + np.sum(w * w)) + np.exp(-u * u)
    w[0] = w[0] * np.mean(v)
    return w * w + np.cos(w) * u - np.sqrt(1.0 + v * v)


def of_arrays(x: np.ndarray, y: np.ndarray) -> Any:
    a, b = mixed(x, x * 0.5), mixed(y, y * 0.25)
    return np.sum(a) * np.sum(mixed(a, x)) + np.sum(b) * np.sum(mixed(b, y))


def scaled(u: np.ndarray, by: list[float]) -> float:
    for k in range(len(by)):
        u[k] = u[k] * by[k] + np.sin(u[k])
    return np.sum(u * u) / (1.0 + by[0])


def of_written(x: np.ndarray, y: np.ndarray) -> Any:
    u = x.copy()
    first = scaled(u, [y[0], 2.0, y[1]])
    return first + scaled(u, [y[1], y[0], 0.5]) * np.sum(u)


def solved(x: float, y: float) -> float:
    """A root, by a function that raises on some paths, its first points told apart by ``try``."""

    def error(v: float) -> float:
        if v < -5.0:
            raise ValueError("too small")
        a = math.sqrt(v + x) * math.log(v + 2.0)
        b = math.exp(-a * y) + math.cos(a) * y - math.tanh(a * v)
        return a * a + v * b / (1.0 + a * a) - 1.0 - x / (v + 3.0)

    try:
        p0, p1 = x + 1.0, x - 40.0 * y
        q0 = error(p0)
        try:
            q1 = error(p1)
        except ValueError:
            p1 = p0 * 1.2
            q1 = error(p1)
        for _ in range(12):
            if q0 == q1:
                break
            p = (p0 * q1 - p1 * q0) / (q1 - q0)
            p0, p1, q0, q1 = p1, p, q1, error(p)
        return p1 + error(p1 * 1.1)
    except (ValueError, ZeroDivisionError):
        return x * y


def single(v: Any, w: Any) -> Any:
    if v < 0.0:
        raise ArithmeticError
    a = np.sqrt(v) * np.exp(-w) + np.sin(v * w)
    return a / (1.0 + a * a) + np.cos(a) * v - np.tanh(a) * w + np.log(1.0 + a * a)


def of_singles(x: Any, y: Any) -> Any:
    total = x * y
    for k in range(3):
        try:
            total = total + single(x - k, y) * single(x, y + k)
        except ArithmeticError:
            total = total * single(y, x)
    return total


X, Y = np.array([0.4, 0.9, 1.3]), np.array([0.8, 0.35])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (thrice, POINT),
    (of_roots, (0.9, 0.4)),
    (of_roots, (0.3, 0.7)),
    (of_arrays, (X, Y)),
    (of_written, (X, Y)),
    (solved, POINT),
    (solved, (0.7, 0.01)),
    (solved, (-3.0, 0.3)),
    (of_singles, (1.5, 0.3)),
    (of_singles, (0.4, 0.3)),
]


@pytest.fixture(params=["usual", "every"])
def limits(request: pytest.FixtureRequest) -> Any:
    if request.param == "usual":
        yield
    else:
        with outlining(EVERYTHING):
            yield


def _fresh(function: Callable[..., Any]) -> Any:
    """The function's code, of which nothing was compiled before."""
    made = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    return sd.differentiable(made)


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_derivatives_are_those_of_the_function(
    function: Callable[..., Any], args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    made = _fresh(function)
    along = [np.cos(np.arange(np.size(a)) + k).reshape(np.shape(a)) for k, a in enumerate(args)]
    along = [float(t) if np.ndim(a) == 0 else t for a, t in zip(args, along, strict=True)]
    expected = reference.directional(function, args, along).value
    value, tangent = made.jvp(args, tuple(along))
    np.testing.assert_allclose(value, function(*args), rtol=1e-14)
    np.testing.assert_allclose(tangent, expected, rtol=1e-8)
    gradient = sd.grad(made, argnums=(0, 1))(*args)
    found = sum(np.sum(g * t) for g, t in zip(gradient, along, strict=True))
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    second = reference.second_directional(function, args, along, along).value
    _, curved = sd.jvp(sd.grad(made, argnums=(0, 1)), args, tuple(along))
    found = sum(np.sum(g * t) for g, t in zip(curved, along, strict=True))
    np.testing.assert_allclose(found, second, rtol=1e-5)


def test_a_function_called_from_several_places_is_written_once() -> None:
    source = sd.grad(_fresh(thrice), argnums=(0, 1)).source(*POINT)
    text = str(source).partition("_by_numpy")[0]
    assert text.count("def bump_forward(a, b):") == text.count("def bump_backward(") == 1
    callees, _, whole = text.partition("def thrice_grad")
    assert "math.tanh" in callees
    assert "math.tanh" not in whole
    assert "# line" in callees
    assert len(whole.splitlines()) < 35


def test_third_derivatives_go_through_callees() -> None:
    def of_x(x: float) -> float:
        return thrice(x, 0.3)

    step = 1e-2
    second = sd.derivative(_fresh(of_x), order=2)
    with outlining(NOTHING):
        plain = sd.derivative(_fresh(of_x), order=3)(0.7)
    near = [second(0.7 + k * step) for k in (-2, -1, 1, 2)]
    expected = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * step)
    found = sd.derivative(_fresh(of_x), order=3)(0.7)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(found, plain, rtol=1e-12)


def test_what_a_callee_raises_is_raised_as_the_function_does() -> None:
    def unguarded(x: float, y: float) -> float:
        return checked_root(x) * checked_root(y) + checked_root(x - y)

    gradient = sd.grad(_fresh(unguarded))
    assert "def checked_root_forward" in str(gradient.source(0.9, 0.4))
    gradient(0.9, 0.4)
    with pytest.raises(ValueError, match="negative"):
        gradient(0.3, 0.7)


def series(count: int) -> Any:
    """``s = s + bump(...)``, so many times."""
    calls = "".join(f"    s = s + bump(s + {k} * x, y)\n" for k in range(count))
    text = f"def f(x, y):\n    s = 0.1\n{calls}    return s\n"
    path = f"<a series of {count} calls>"
    linecache.cache[path] = len(text), None, text.splitlines(keepends=True), path
    made: dict[str, Any] = {"bump": bump}
    exec(compile(text, path, "exec"), made)
    return made["f"]


def test_each_call_more_takes_some_lines_and_not_the_function_again() -> None:
    lines = {
        count: len(str(sd.grad(series(count)).source(0.3, 0.7)).splitlines()) for count in (10, 40)
    }
    assert lines[40] - lines[10] < 30 * 2 * 8  # in the text for floats, and in NumPy's
    function, args = series(10), (0.3, 0.7)
    expected = reference.directional(function, args, (1.0, 0.0)).value
    np.testing.assert_allclose(sd.grad(function)(*args), expected, rtol=1e-9)


def test_a_module_carries_its_callees(tmp_path: Any) -> None:
    made = sd.grad(_fresh(thrice), argnums=(0, 1))
    made.export(tmp_path / "thrice_grad.py", *POINT)
    space: dict[str, Any] = {"__name__": "thrice_grad"}
    text = (tmp_path / "thrice_grad.py").read_text()
    assert "def bump_forward" in text
    exec(compile(text, "thrice_grad.py", "exec"), space)
    np.testing.assert_allclose(space["thrice_grad"](*POINT), made(*POINT), rtol=1e-12)


@pytest.mark.usefixtures("limits")
def test_callees_that_raise_on_some_paths_are_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = str(sd.grad(_fresh(solved)).source(*POINT)).partition("_by_numpy")[0]
    assert text.count("math.log(") < 6
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    x, y = np.float32(1.5), np.float32(0.3)
    wide = sd.grad(_fresh(of_singles), argnums=(0, 1))(1.5, 0.3)
    narrow = sd.grad(_fresh(of_singles), argnums=(0, 1))(x, y)
    assert [g.dtype for g in narrow] == ["float32", "float32"]
    np.testing.assert_allclose(narrow, wide, rtol=1e-4)


def bracketed(x: float, brackets: int) -> float:
    """As a parser does: what a bracket holds is an expression, which is an atom and no more."""
    return inside(x, brackets)


def inside(x: float, brackets: int) -> float:
    if brackets:
        return bracketed(x, brackets - 1)
    y = math.sin(x) * math.exp(-x) + math.cos(x * x)
    return math.log(1.0 + y * y) * math.tanh(x) + y / (2.0 + y * x)


def of_brackets(x: float, y: float) -> float:
    first = bracketed(x, 2) * inside(y, 2) + bracketed(x + y, 0)
    return first * inside(x - y, 1) + inside(x * y, 0)


def test_calls_that_only_call_each_other_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    with outlining(EVERYTHING):
        made = _fresh(of_brackets)
        expected = reference.directional(of_brackets, POINT, (1.0, -0.5)).value
        value, tangent = made.jvp(POINT, (1.0, -0.5))
        gradient = made.grad(*POINT) - 0.5 * sd.grad(made, 1)(*POINT)
    np.testing.assert_allclose(value, of_brackets(*POINT), rtol=1e-14)
    np.testing.assert_allclose([tangent, gradient], expected, rtol=1e-8)


def test_lengths_that_are_multiples_are_told_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A callee that rests on ``4 * n`` is not one for any two lengths, if their texts are one."""
    monkeypatch.setattr("symdiff.emit.source.write_once", lambda functions, others: None)

    def part(x: float, g: np.ndarray, h: np.ndarray) -> Any:
        rows = g.reshape(4, h.shape[0])
        y = np.sin(x) + np.cos(x) * x
        return y * np.exp(x) + np.tanh(y) + rows[0]

    def total(x: float, g: np.ndarray, k: np.ndarray, h: np.ndarray) -> Any:
        s = np.sum(g[3 * len(h) :] * h)
        for y in (x, 2.0 * x):
            s = s + np.sum(part(y, g, h)) + np.sum(part(3.0 * y, k, h))
        return s

    g, h = np.linspace(0.1, 0.9, 12), np.ones(3)
    with outlining(Limits(1, 0, 2, True)):
        gradient = sd.grad(total)
        expected = reference.directional(total, (0.3, g, g, h), (1.0, 0.0 * g, 0.0 * g, 0.0 * h))
        assert gradient(0.3, g, g.copy(), h) == pytest.approx(expected.value, rel=1e-8)
        with pytest.raises(ValueError, match="cannot reshape"):
            gradient(0.3, g, np.append(g, 1.0), h)
        text = str(gradient.source(0.3, g, g.copy(), h))
    callees = [line for line in text.splitlines() if line.startswith("def part")]
    assert len(callees) == 4, callees


def unrolled(x: float, y: float) -> float:
    for scale in [0.1, 0.2, 0.3, 0.4, 0.5]:
        x = math.sin(x * scale) * math.exp(-y * scale) + math.log(1.0 + x * x) * y + scale
        y = math.sqrt(1.0 + y * y + x * x) * math.tanh(x) + math.cos(x * y) * scale + x
        x = x + math.atan(y * scale) * math.sqrt(2.0 + x * x) - math.sin(y) * math.exp(-x * x)
        y = y - x * math.log(2.0 + y * y) * scale + math.tanh(y) / (1.0 + x * x) + math.cos(x)
    return x * y


def by_large(x: float, y: float) -> float:
    z = unrolled(x, y)
    if z > 40.0:
        raise ValueError(z)
    return z * math.sin(z) + math.sqrt(z * z + 1.0) * y - math.exp(-z * z) * x


def of_tries(x: float, y: float) -> float:
    total = by_large(x, y)
    for k in range(3):
        try:
            total = total + by_large(x, y * k)
        except ValueError:
            total = total + x
    return total * unrolled(y, x)


def test_a_large_function_in_one_that_is_called_has_derivatives_of_its_own() -> None:
    """All derivatives of its caller call them, and so does who else calls it."""
    made = _fresh(of_tries)
    text = str(made.source(*POINT))
    assert text.count("def unrolled_forward(") == text.count("def unrolled_backward(") == 1
    assert "unrolled_forward1(" not in text
    expected = reference.directional(of_tries, POINT, (1.0, -0.5)).value
    gradient = sd.grad(made, argnums=(0, 1))(*POINT)
    assert gradient[0] - 0.5 * gradient[1] == pytest.approx(expected, rel=1e-7)
