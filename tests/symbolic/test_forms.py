"""Closed forms of functions and their derivatives: what they are, what they are worth, refusals."""

from __future__ import annotations

import ast
import inspect
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symdiff as sd
from symdiff.errors import SignatureError, SymdiffError, UnsupportedCallError
from tests.symbolic.evaluating import expressions_in, numbers_in, point_of, values_at

X = sp.Symbol("x", real=True)


def entries(name: str, *shape: int) -> Any:
    return sp.IndexedBase(name, shape=shape, real=True)


def test_a_function_of_a_number_is_an_expression_of_its_symbol():
    f = sd.differentiable(lambda x: x * np.sin(x))
    assert f.sympy(0.5) == X * sp.sin(X)
    assert f.grad.sympy("float") == sp.diff(X * sp.sin(X), X)
    assert f.derivative.derivative.sympy("float") == sp.diff(X * sp.sin(X), X, 2)


def test_arrays_are_indexed_symbols_and_results_have_their_shape():
    f = sd.differentiable(lambda a, x: a @ x)
    a, x = entries("a", 2, 2), entries("x", 2)
    form = f.sympy("float64[2,2]", "float64[2]")
    assert form == sp.Array([a[0, 0] * x[0] + a[0, 1] * x[1], a[1, 0] * x[0] + a[1, 1] * x[1]])
    assert f.jacobian.sympy(np.ones((2, 2)), np.ones(2)).shape == (2, 2, 2)
    assert isinstance(sd.hessian(lambda x: np.prod(x)).sympy(np.ones(2)), sp.MatrixBase)


def test_loops_are_unrolled_as_often_as_an_integer_says():
    def horner(x: float, n: int) -> float:
        p = 0.0
        for k in range(n):
            p = p * x + (k + 1)
        return p

    f = sd.differentiable(horner)
    assert sp.expand(f.sympy(0.5, 3)) == X**2 + 2 * X + 3
    assert sp.expand(f.grad.sympy(0.5, 3)) == 2 * X + 2
    with pytest.raises(UnsupportedCallError, match="depends on the value") as caught:
        f.sympy("float", "int")
    assert "range(n)" in caught.value.span.text
    assert "give numbers" in caught.value.hint


def test_branches_are_piecewise():
    def bent(x: float) -> float:
        y = 2 * x - 1
        if x > 1:
            y = x * x
        return y

    f = sd.differentiable(bent)
    assert f.sympy("float") == sp.Piecewise((X**2, X > 1), (2 * X - 1, True))
    gradient = sp.piecewise_fold(f.grad.sympy("float"))
    assert gradient == sp.Piecewise((2 * X, X > 1), (2, True))


def test_what_a_where_does_not_select_does_not_count():
    gradient = sd.grad(lambda x: np.where(x > 0, np.sqrt(x), 0.0).sum()).sympy("float64[1]")
    x = entries("x", 1)
    assert gradient[0].subs(x[0], 0) == 0
    assert gradient[0].subs(x[0], 4) == sp.Rational(1, 4)


def test_a_branch_that_raises_leaves_the_other():
    def checked(x: float) -> float:
        if x < 0:
            raise ValueError("negative")
        return x**3

    assert sd.grad(checked).sympy("float") == 3 * X**2


def test_numbers_are_exact_where_they_are_known_to_be():
    f = sd.differentiable(lambda x: math.pi * x / 2 + math.log(2.0) * x * 0.5 + 0.1)
    assert f.sympy("float") == sp.pi * X / 2 + sp.log(2) * X / 2 + sp.Float(0.1)


def test_names_that_mean_something_to_sympy_are_symbols_here():
    f = sd.differentiable(lambda I, E, S, beta: I * E + S / beta)  # noqa: E741
    I, E, S, beta = sp.symbols("I E S beta", real=True)  # noqa: E741
    assert f.sympy(1.0, 2.0, 3.0, 4.0) == I * E + S / beta
    assert sd.grad(f, argnums=(0, 1)).sympy(1.0, 2.0, 3.0, 4.0) == (E, I)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, text: np.linalg.norm(x, text),
        lambda x, text: np.var(x, ddof=text),
        lambda x, text: np.std(x, ddof=text),
        lambda x, text: np.sum(np.round(x, text)),
        lambda x, text: np.sum(np.clip(x, text, 1.0)),
        lambda x, text: np.sum(np.maximum(x, text)),
        lambda x, text: np.sum(x) ** text,
        lambda x, text: math.log(x[0], text),
        lambda x, text: np.sum(np.where(x > 0, x, text)),
        lambda x, text: np.sum(np.full(2, text)) + x[0],
        lambda x, text: np.sum(x, initial=text),
        lambda x, text: np.heaviside(x[0], text),
    ],
)
def test_text_in_place_of_a_number_is_never_read(function: Any, tmp_path: Any):
    """SymPy's own functions would run it."""
    made = tmp_path / "made"
    text = f"open({str(made)!r}, 'w').close()"
    with pytest.raises((SymdiffError, TypeError, ValueError)):
        sd.differentiable(function).sympy(np.array([1.0, 2.0]), text)
    assert not made.exists()


def test_what_reads_text_is_not_called_anywhere():
    readers = {"sympify", "nsimplify", "lambdify", "parse_expr", "parse_latex", "simplify"}
    for file in Path(sd.__file__).parent.rglob("*.py"):
        called = {
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
        }
        assert not called & readers, file.name


def test_orders_of_norms_are_exact():
    x = entries("x", 2)
    of = lambda function: sd.differentiable(function).sympy("float64[2]")  # noqa: E731
    assert of(lambda x: np.linalg.norm(x, 2.5)) == (
        (sp.Abs(x[0]) ** sp.Rational(5, 2) + sp.Abs(x[1]) ** sp.Rational(5, 2)) ** sp.Rational(2, 5)
    )
    assert of(lambda x: np.var(x, ddof=0.5)).equals((x[0] - x[1]) ** 2 / 3)


def test_containers_keep_their_structure():
    f = sd.differentiable(lambda p: {"a": p["w"] ** 2, "b": (p["w"], 1)})
    w = sp.Symbol("p.w", real=True)
    assert f.sympy({"w": 2.0}) == {"a": w**2, "b": (w, 1)}


def test_latex():
    assert sd.grad(lambda x: np.exp(x) / x).latex("float") == sp.latex(
        sd.grad(lambda x: np.exp(x) / x).sympy("float")
    )


@pytest.mark.parametrize(
    ("function", "line", "message"),
    [
        ("while abs(x) > 1:", 1, "number of turns depends on data"),
        ("x = np.sort(np.array([x, 1.0]))[0]", 1, "sort depends on the value"),
    ],
)
def test_what_has_no_closed_form_is_refused_with_its_line(function: str, line: int, message: str):
    def halved(x: float) -> float:
        while abs(x) > 1:
            x = x / 2
        return x

    def lesser(x: float) -> float:
        x = np.sort(np.array([x, 1.0]))[0]
        return x

    chosen = halved if function.startswith("while") else lesser
    with pytest.raises(UnsupportedCallError, match=message) as caught:
        sd.differentiable(chosen).sympy("float")
    start = inspect.getsourcelines(chosen)[1]
    assert caught.value.span.line == start + line
    assert function in caught.value.span.text


def test_the_size_of_an_array_has_to_be_given():
    with pytest.raises(SignatureError, match="needs the size of x") as caught:
        sd.grad(lambda x: np.sum(x * x)).sympy("float64[n]")
    assert "float64[3,2]" in caught.value.hint


def test_a_form_that_nobody_can_read_is_refused():
    def logistic_map(x: float) -> float:
        for _ in range(40):
            x = 3.7 * x * (1.0 - x)
        return x

    with pytest.raises(UnsupportedCallError, match="too long"):
        sd.differentiable(logistic_map).sympy("float")


@dataclass(frozen=True)
class Case:
    function: Any
    arguments: tuple[Any, ...]


def network(w: Any, b: Any, x: Any) -> Any:
    h = np.tanh(x @ w + b)
    return np.mean(np.log1p(np.exp(-h))) + 0.1 * np.sum(w * w)


def stencil(u: Any, dt: float, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + dt * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


def posterior(theta: Any, y: Any) -> Any:
    mu, log_sigma = theta
    z = (y - mu) / np.exp(log_sigma)
    return -0.5 * np.sum(z**2) - y.size * log_sigma - np.linalg.norm(theta)


def branchy(x: Any, a: float) -> Any:
    s = 0.0
    for k, one in enumerate(x):
        if one > a:
            s = s + np.sqrt(one) * (k + 1)
        elif one < -a:
            s = s - np.arctan2(one, a)
        else:
            s = s + np.maximum(one, 0.1) ** 1.5
    return s


RNG = np.random.default_rng(11)
CASES = [
    Case(network, (RNG.normal(size=(2, 2)), RNG.normal(size=2), RNG.normal(size=(3, 2)))),
    Case(stencil, (RNG.uniform(0.5, 1.5, 4), 0.1, 2)),
    Case(posterior, (np.array([0.3, -0.2]), RNG.normal(size=3))),
    Case(branchy, (np.array([0.7, -0.9, 0.3]), 0.4)),
    Case(lambda x, a: x**a + a**x - np.hypot(x, a) / np.cbrt(a), (1.3, 2.1)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_forms_have_the_values_of_programs_and_their_diff_is_our_gradient(case: Case):
    """The form in 40 digits; SymPy's ``diff`` of it is the independent derivative."""
    f = sd.differentiable(case.function)
    form = f.sympy(*case.arguments)
    names = inspect.signature(case.function).parameters
    point = point_of(form, dict(zip(names, case.arguments, strict=True)))
    expected = list(numbers_in(case.function(*case.arguments)))
    np.testing.assert_allclose(values_at(form, point), expected, rtol=1e-13)

    first = next(iter(names))
    gradient = np.ravel(f.grad(*case.arguments))
    ours = values_at(f.grad.sympy(*case.arguments), point)
    by = [s for s in point if str(s) == first or str(s).startswith(f"{first}[")]
    (expression,) = expressions_in(form)
    theirs = values_at([sp.diff(expression, symbol) for symbol in by], point)
    np.testing.assert_allclose(gradient, theirs, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-13)
