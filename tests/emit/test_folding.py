"""Which values are written where they are read: how lines are filled."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit.text import WIDTH


def powers(x, y):
    x2 = x * x
    x3 = x2 * x
    total = 143.374451604624 * x2 * x3 - 65.8490727183984 * x * x3 + 1.04069652101 * x3 * x3
    total = total + 5.116287140914 * x2 * x2 - 0.045996013696365 * x - 1.92901490874 * x2
    return y * (total + 6.1258633752463995 * x3 - 0.057581259083432 * x2 * x3 * x3 + x2 * x2)


def test_a_long_sum_is_cut_where_a_line_is_full() -> None:
    text = str(sd.grad(powers, argnums=1).source(0.7, 0.3))
    assert max(map(len, text.splitlines())) <= WIDTH
    (function,) = ast.parse(text).body
    values = [
        statement.value for statement in ast.walk(function) if isinstance(statement, ast.Assign)
    ]
    products = [
        one for one in values if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)
    ]
    assert len(products) == 2  # x2 and x3: no term has a name of its own
    assert sd.grad(powers, argnums=1)(0.7, 0.3) == powers(0.7, 1.0)


@pytest.mark.parametrize("shift", [1.0, 2.0])
def test_what_is_stored_is_written_where_it_is_stored(shift: float) -> None:
    def stored(x):
        y = np.zeros(4)
        y[1:] = (x[1:] * shift + 200.0 * (x[:-1] - x[1:] ** 2)) * (x[1:] - x[:-1] * 12.25)
        return np.sum(y * y)

    text = str(sd.differentiable(stored).source(np.ones(4)))
    assert sum("y[1:] = (" in line for line in text.splitlines()) == 1


def body_of(gradient, *given) -> list[str]:
    """The statements of a gradient as text, without the docstring."""
    (function, *_) = ast.parse(str(gradient.source(*given))).body
    assert isinstance(function, ast.FunctionDef)
    return [ast.unparse(statement) for statement in function.body[1:]]


def ridge(w, x, y):
    r = x @ w - y
    return 0.5 * np.sum(r * r) + 0.5 * np.sum(w * w)


def test_a_cotangent_that_is_added_to_once_is_one_expression_where_it_is_returned() -> None:
    rng = np.random.default_rng(0)
    x, w, y = rng.normal(size=(5, 3)), rng.normal(size=3), rng.normal(size=5)
    assert body_of(sd.grad(ridge), w, x, y) == ["r = x @ w - y", "return w + x.T @ r"]
    np.testing.assert_allclose(sd.grad(ridge)(w, x, y), w + x.T @ (x @ w - y), rtol=1e-14)


def added_twice(x):
    a = np.sin(x) * 0.5 + x
    t = np.tanh(np.exp(-a * a) + a)
    return np.sum(t * t + np.cos(a))


def test_sums_start_with_their_first_term_and_not_with_a_statement_of_its_own() -> None:
    x = np.linspace(-1.0, 2.0, 7)
    a_bar = "a_bar = (1.0 - t1 * t1) * (t1 * (2.0 - 4.0 * (t * a))) - np.sin(a)"
    assert a_bar in body_of(sd.grad(added_twice), x)
    slopes = added_twice_by_parts(x + 1e-30j).imag / 1e-30
    np.testing.assert_allclose(sd.grad(added_twice)(x), slopes, rtol=1e-12)


def added_twice_by_parts(x):
    a = np.sin(x) * 0.5 + x
    return np.tanh(np.exp(-a * a) + a) ** 2 + np.cos(a)


@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_of_arrays_in_another_order_lie_as_they_did(order: str) -> None:
    def crossed(a, b):
        return np.sum(np.sin(a) * a.T) + np.sum(a * b)

    rng = np.random.default_rng(2)
    a, b = (np.asarray(rng.normal(size=(4, 4)), order=order) for _ in range(2))
    found = sd.grad(crossed)(a, b)
    wanted = np.cos(a) * a.T + np.sin(a).T + b
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert found.flags.c_contiguous


def test_a_conversion_that_frees_what_had_its_name_stays_a_statement() -> None:
    """``x_bar = np.array(x_bar)`` frees the list before the next is converted."""

    def pairs(x, y):
        total = 0.0
        for i in range(len(x)):
            total += x[i] * y[i] * y[i]
        return total

    x, y = np.arange(1.0, 4.0), np.arange(2.0, 5.0)
    lines = body_of(sd.grad(pairs, argnums=(0, 1)), x, y)
    converted = [line for line in lines if line.endswith("_bar = np.array(x_bar)")]
    whole = "\n".join(lines)
    assert "return np.array(x_bar), np.array(y_bar)" not in whole
    assert len(converted) == whole.count("np.array(x_bar)")
    x_bar, y_bar = sd.grad(pairs, argnums=(0, 1))(x, y)
    np.testing.assert_allclose(x_bar, y * y)
    np.testing.assert_allclose(y_bar, 2.0 * x * y)


def test_what_is_spelled_by_a_function_of_ours_is_as_wide_as_its_name() -> None:
    def likelihood(w, x, signs):
        return np.mean(np.logaddexp(0.0, -signs * (x @ w)))

    rng = np.random.default_rng(3)
    w, x, signs = rng.normal(size=3), rng.normal(size=(5, 3)), rng.choice([-1.0, 1.0], size=5)
    lines = body_of(sd.grad(likelihood), w, x, signs)
    assert lines == ["return x.T @ (logistic(-signs * (x @ w)) / -x.shape[0] * signs)"]
    wanted = x.T @ (-signs / (1.0 + np.exp(signs * (x @ w)))) / 5
    np.testing.assert_allclose(sd.grad(likelihood)(w, x, signs), wanted, rtol=1e-13)


def test_a_first_term_that_would_keep_a_larger_array_has_its_statement() -> None:
    def tables(a, w, v):
        return np.sum(np.tanh(np.outer(a, w))) + np.sum(np.sin(np.outer(a, v)))

    rng = np.random.default_rng(4)
    given = a, w, v = rng.normal(size=4), rng.normal(size=5), rng.normal(size=6)
    gradient = sd.grad(tables, argnums=(0, 1, 2))
    lines = body_of(gradient, *given)
    assert "a_bar, v_bar = (t1 @ v, a @ t1)" in lines, lines
    assert "a_bar += t1 @ w" in lines, lines
    s, t = 1.0 - np.tanh(np.outer(a, w)) ** 2, np.cos(np.outer(a, v))
    for found, wanted in zip(gradient(*given), (s @ w + t @ v, a @ s, a @ t), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def layer(w, b, x):
    y = np.tanh(w * x + b)
    z = np.sin(y) * np.exp(-y * y) + np.cos(w * y)
    u = np.sqrt(1.0 + z * z) * y + np.tanh(z * b)
    return np.log(1.0 + u * u) * z + y * np.exp(-u) + np.sin(u * z) * np.cos(y * u)


def layers(w, b, x):
    x = layer(w[0], b[0], x)
    x = layer(w[1], b[1], x)
    return np.sum(layer(w[2], b[2], x))


def test_rows_that_a_function_is_given_have_no_names():
    rng = np.random.default_rng(5)
    w, b, x = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=4)
    source = str(sd.grad(layers, (0, 1)).source(w, b, x))
    assert "w[0]" in source, source
    assert "w_0 = w[0]" not in source, source
    assert "layer_forward(" in source, source
    gradients = sd.grad(layers, (0, 1))(w, b, x)
    for which, place in ((0, (0, 1)), (0, (1, 3)), (1, (0, 0)), (1, (2, 2))):
        given = [w.astype(complex), b.astype(complex)]
        given[which][place] += 1e-30j
        slope = layers(*given, x).imag / 1e-30
        np.testing.assert_allclose(gradients[which][place], slope, rtol=1e-11)
