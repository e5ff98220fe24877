"""Covariances and correlations."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

ROWS = np.random.default_rng(5).normal(size=(3, 6))
LINE = np.array([0.5, -1.0, 2.0, 0.25, -3.0, 1.0])
COUNTS = np.array([1, 2, 1, 3, 1, 2])
IMPORTANCE = np.array([0.5, 1.0, 2.0, 0.1, 1.5, 1.0])


def of_rows(m):
    return np.cov(m)


def of_columns(m):
    return np.cov(m, rowvar=False)


def biased(m):
    return np.cov(m, bias=True)


def with_ddof(m):
    return np.cov(m, ddof=0)


def counted(m):
    return np.cov(m, fweights=COUNTS)


def correlations(m):
    return np.corrcoef(m)


def correlations_of_columns(m):
    return np.corrcoef(m, rowvar=False)


def single(m):
    return np.cov(m, dtype=np.float32)


@pytest.mark.parametrize(
    "function", [of_rows, of_columns, biased, with_ddof, counted, correlations]
)
def test_of_a_matrix(function: Any) -> None:
    check(function, ROWS)


def test_of_few_observations() -> None:
    check(correlations_of_columns, ROWS[:, :2])


def test_of_one_variable() -> None:
    check(of_rows, LINE)
    check(counted, LINE)


def test_of_no_contiguous_array() -> None:
    check(of_rows, ROWS[::-1, ::2])
    check(of_rows, np.asfortranarray(ROWS))


def test_in_single_precision() -> None:
    got = sd.differentiable(single).forward(ROWS)[0]
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, np.cov(ROWS, dtype=np.float32))


def of_two(m, y):
    return np.cov(m, y)


def weighed(m, w):
    return np.cov(m, aweights=w)


def weighed_and_counted(m, w):
    return np.cov(m, fweights=COUNTS, aweights=w, ddof=0)


def correlation_of_two(x, y):
    return np.corrcoef(x, y)[0, 1]


@pytest.mark.parametrize(
    "function", [of_two, weighed, weighed_and_counted], ids=lambda f: f.__name__
)
def test_of_two_arguments(function: Any) -> None:
    check(function, ROWS, IMPORTANCE, wrt=(0, 1))


def test_the_correlation_of_two_lines() -> None:
    check(correlation_of_two, LINE, IMPORTANCE, wrt=(0, 1))


def test_an_error_is_numpys() -> None:
    def too_few(m):
        return np.cov(m, aweights=np.ones(2))[0, 0]

    with pytest.raises(RuntimeError, match="incompatible numbers of samples and aweights"):
        sd.grad(too_few)(ROWS)


def likelihood(m):
    """Captured data next to what is differentiated: NumPy's own covariance of the data."""
    return np.sum((np.cov(ROWS) - m) ** 2)


def test_in_a_loop_with_a_reused_name() -> None:
    def program(m):
        total = 0.0
        for _ in range(3):
            c = np.cov(m)
            m = m + 0.1 * c @ m
            total += c[0, 1]
        return total

    check(program, ROWS)


def test_what_is_built_belongs_to_the_line_of_the_call() -> None:
    source = sd.grad(likelihood).source(np.eye(3))
    assert "definitions" not in source


def test_what_is_not_differentiated_keeps_its_name() -> None:
    loss = sd.differentiable(likelihood)
    source = loss.grad.source(np.eye(3))
    assert "np.cov(ROWS)" in source
    np.testing.assert_allclose(loss.grad(np.eye(3)), -2.0 * (np.cov(ROWS) - np.eye(3)))
    assert "= np.corrcoef(" not in sd.grad(correlation_of_two).source(LINE, IMPORTANCE)


def test_a_closed_form_is_that_of_the_definition() -> None:
    form = sd.differentiable(variance_of_three).sympy(0.5, 1.0, 2.5)
    values = dict(zip(("a", "b", "c"), (0.5, 1.0, 2.5), strict=True))
    found = form.subs({s: values[s.name] for s in form.free_symbols})
    assert float(found) == pytest.approx(np.var([0.5, 1.0, 2.5], ddof=1))


def variance_of_three(a, b, c):
    return np.cov(np.array([a, b, c]))[()]


def test_an_exported_module_calls_the_function_by_its_name(tmp_path: Any) -> None:
    path = tmp_path / "likelihood.py"
    sd.differentiable(likelihood).export(path, np.eye(3))
    found = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "np.cov(" in path.read_text(encoding="utf-8")


def test_a_graph_shows_the_function_that_is_called() -> None:
    text = str(sd.differentiable(correlation_of_two).graph(LINE, IMPORTANCE))
    assert "np.corrcoef(x, y)" in text
    assert "CorrcoefBackward0" in text
