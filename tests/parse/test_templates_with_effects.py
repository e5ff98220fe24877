"""What functions do that call one another in both arms of a branch: once, and in their order."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import templates
from tests.parse.test_growth import chained

HEAD = """
import numpy as np
import symdiff as sd

N, T = 0, 1.0
A = np.ones(3)
L = []
D = {"a": 1.0}


@sd.nondifferentiable
def note():
    print("noted", N, T, A.tolist(), L, D)


"""
COUNT = 3  # functions in a chain


def variables() -> str:
    first = ["global N, T", "N += 1", "T = T * 0.9 + v", "note()", "return np.sin(v)"]
    lines = ["global N, T", "N += 1", "note()", "if v > 0.1:", "    T = T + v", "    print(T)"]
    lines += ["    return f{k}(v * 0.9)", "N += 2", "return f{k}(v + 0.3)"]
    return chained(COUNT, first, lines, ["return f{n}(x) * T * N"])


def arrays() -> str:
    first = ["A[1] = A[1] * 0.9 + v", "note()", "return np.sin(v)"]
    lines = ["note()", "if v > 0.1:", "    A[0] = A[0] + v", "    note()"]
    lines += ["    return f{k}(v * 0.9) + A[1]", "A[2] += v", "return f{k}(v + 0.3) * A[0]"]
    return chained(COUNT, first, lines, ["return f{n}(x) * np.sum(A)"])


def arrays_written_last() -> str:
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9) + A[1]", "return f{k}(v + 0.3) * A[0]"]
    last = ["s = f{n}(x)", "note()", "return s * np.sum(A)"]
    return chained(COUNT, ["A[1] = A[1] * 0.9 + v", "return np.sin(v)"], lines, last)


def whole_arrays() -> str:
    lines = [
        "if v > 0.1:",
        "    A[:] = A * 0.9 + v",
        "    note()",
        "    return f{k}(v * 0.9) + A[1]",
    ]
    lines += ["A.fill(0.5)", "return f{k}(v + 0.3) * A[0]"]
    first = ["A[:] = A * v", "note()", "return np.sin(v)"]
    return chained(COUNT, first, lines, ["return f{n}(x) * np.sum(A)"])


def lists_and_dicts() -> str:
    first = ["L.append(v)", "D['a'] = D['a'] * 0.9 + v", "note()", "return np.sin(v)"]
    lines = ["note()", "if v > 0.1:", "    L.append(v * 2.0)", "    note()"]
    lines += ["    return f{k}(v * 0.9) + L[0]", "D['a'] += v", "return f{k}(v + 0.3) * D['a']"]
    return chained(COUNT, first, lines, ["L.append(x)", "return f{n}(x) * sum(L) * D['a']"])


def raised() -> str:
    first = ["if v > 1.0:", "    raise ValueError", "print('last', v)", "return np.sin(v)"]
    lines = ["global T", "try:", "    T = T * 0.9 + v", "    print('body', v)"]
    lines += ["    return f{k}(v + 0.3)", "except ValueError:", "    print('handler', T)"]
    return chained(COUNT, first, [*lines, "    return f{k}(v * 0.5)"], ["return f{n}(x) * T"])


def drawn() -> str:
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9 + 0.01 * np.random.uniform(), rng)"]
    lines += ["return f{k}(v + 0.3, rng) * rng.normal(v)"]
    last = ["np.random.seed(2)", "return f{n}(x, np.random.default_rng(3))"]
    text = chained(COUNT, ["return np.sin(v) * rng.normal()"], lines, last)
    return text.replace("(v):", "(v, rng):")


def loaded(folder: Path, text: str) -> ModuleType:
    """A new module of a program."""
    path = folder / f"program_{len(list(folder.iterdir()))}.py"
    path.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def state(module: ModuleType) -> Any:
    return copy.deepcopy([module.N, module.T, module.A.tolist(), module.L, module.D])


Done = tuple[Any, str, Any]


@pytest.fixture
def done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """What a program gives, prints and leaves behind in a module of its own."""

    def run(text: str, call: Callable[[Any], Any]) -> Done:
        module = loaded(tmp_path, text)
        capsys.readouterr()
        given = call(module.f)
        return given, capsys.readouterr().out, state(module)

    return run


PROGRAMS = [variables, arrays, arrays_written_last, whole_arrays, lists_and_dicts, raised, drawn]


@pytest.mark.usefixtures("copied")
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
@pytest.mark.parametrize("program", PROGRAMS)
def test_effects_are_those_of_the_function(program: Callable[[], str], done: Any) -> None:
    x, h = 0.3, 1e-3
    text = program()
    value, printed, left = done(text, lambda f: f(x))
    near = {k: done(text, lambda f, k=k: f(x + k * h))[0] for k in (-2, -1, 1, 2)}
    slope = (8 * (near[1] - near[-1]) - near[2] + near[-2]) / (12 * h)
    bend = (16 * (near[1] + near[-1]) - near[2] - near[-2] - 30 * value) / (12 * h * h)
    for transform in (sd.value_and_grad, lambda f: lambda x: sd.jvp(f, (x,), (1.0,))):
        (found, derivative), *rest = done(text, lambda f, t=transform: t(f)(x))
        assert found == value
        np.testing.assert_allclose(derivative, slope, rtol=1e-7, atol=1e-8)
        assert rest == [printed, left]
    second, *rest = done(text, lambda f: sd.derivative(f, 2)(x))
    np.testing.assert_allclose(second, bend, rtol=1e-5, atol=1e-6)
    assert rest == [printed, left]


def left_by_finally(first: str) -> str:
    lines = ["try:", "    if v > 0.5:", "        return f{k}(v * 0.9) + D['a']"]
    lines += ["    return v * D['a']", "finally:", "    D['a'] = {k} + 0.5"]
    return chained(COUNT, [first, "return math.sqrt(v)"], lines, ["return f{n}(x) * D['a']"])


@pytest.mark.parametrize("x", [0.3, 0.52, 0.58, 0.66, 0.9])
@pytest.mark.parametrize("first", ["D['a'] = 5.0", "D['a'] = D['a'] * 1.5"])
def test_what_finally_writes_behind_calls_is_seen_where_it_was_written(
    first: str, x: float, done: Any
) -> None:
    text, h = left_by_finally(first), 1e-3
    value, _, left = done(text, lambda f: f(x))
    near = {k: done(text, lambda f, k=k: f(x + k * h))[0] for k in (-2, -1, 1, 2)}
    slope = (8 * (near[1] - near[-1]) - near[2] + near[-2]) / (12 * h)
    for transform in (sd.value_and_grad, lambda f: lambda x: sd.jvp(f, (x,), (1.0,))):
        (found, derivative), _, after = done(text, lambda f, t=transform: t(f)(x))
        assert (found, after) == (value, left)
        assert derivative == pytest.approx(slope, rel=1e-8)


def printed(x, n):
    x = np.tanh(np.cos(x) * x * x)
    if x[0].real > 0.3:
        print(n)
        x = x + n
    return x * 0.3


def through_prints(x):
    a = printed(x, 1)
    b = printed(a, 1)
    printed(b, 2)
    c = printed(a + b, 0)
    d = printed(c, 4)
    if d[0].real > 0.05:
        d = d + printed(d * 1.1, 3)
        printed(d, 3)
    else:
        d = printed(d * 0.3, 2)
    return np.sum(d * c)


def third(x):
    return np.sum(sd.hessian(through_prints)(x))


def slopes(x):
    """By complex step; each element's depends on that element alone."""
    return np.array([through_prints(x + 1e-30j * unit).imag / 1e-30 for unit in np.eye(3)])


def test_third_derivatives_of_calls_with_effects(monkeypatch, capsys):
    """What a called graph keeps for each of its derivatives is a thing of its own."""
    monkeypatch.setattr(templates, "LARGE", 6)
    x, h = np.array([0.7, 1.3, 0.4]), 1e-3
    through_prints(x)
    expected = capsys.readouterr().out
    found = sd.grad(third)(x)
    assert capsys.readouterr().out == expected
    near = {k: slopes(x + k * h) for k in (-2, -1, 0, 1, 2)}
    bends = 16 * (near[1] + near[-1]) - near[2] - near[-2] - 30 * near[0]
    np.testing.assert_allclose(found, bends / (12 * h * h), rtol=1e-7, atol=1e-8)
