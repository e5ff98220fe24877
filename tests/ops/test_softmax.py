"""``logsumexp``, ``softmax`` and ``log_softmax``: values are SciPy's, derivatives differences'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

special = pytest.importorskip("scipy.special")

RNG = np.random.default_rng(5)
X = RNG.normal(size=(3, 4))
B = RNG.uniform(0.5, 1.5, size=(3, 4))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: special.logsumexp(x),
        lambda x: special.logsumexp(x, axis=1),
        lambda x: special.logsumexp(x, axis=(0, -1), keepdims=True),
        lambda x: special.logsumexp(x, 0, keepdims=True),
        lambda x: special.logsumexp(x[0]),
        lambda x: special.logsumexp(x[0, 0]),
        lambda x: special.logsumexp(x.T[:, ::-1], axis=0),
        lambda x: special.softmax(x),
        lambda x: special.softmax(x, axis=-1),
        lambda x: special.softmax(x, axis=(0, 1)),
        lambda x: special.softmax(x[0]),
        lambda x: special.log_softmax(x),
        lambda x: special.log_softmax(x, axis=-1),
        lambda x: special.log_softmax(x * 300.0, axis=0) * 1e-3,
    ],
)
def test_of_an_array(function: Callable[..., Any]):
    check(function, X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, b: special.logsumexp(x, b=b),
        lambda x, b: special.logsumexp(x, axis=1, b=b),
        lambda x, b: special.logsumexp(x, axis=0, b=b[:, :1], keepdims=True),
        lambda x, b: special.logsumexp(x[0], axis=1, b=b),
        lambda x, b: special.logsumexp(x, axis=1, b=b[0]),
        lambda x, b: special.logsumexp(x, b=b - 1.3, return_sign=True),
        lambda x, b: special.logsumexp(x + b[0, 0], b=2.0),
    ],
)
def test_with_weights(function: Callable[..., Any]):
    check(function, X, B, wrt=(0, 1))


def test_single_precision_and_minus_infinity():
    x = np.array([0.5, -np.inf, 1.5], "float32")
    for function in (special.logsumexp, special.softmax):
        gradient = sd.grad(lambda x, function=function: np.sum(function(x) ** 2))(x)
        assert gradient.dtype == x.dtype
        assert np.all(np.isfinite(gradient))
    nothing = sd.grad(special.logsumexp)(np.full(2, -np.inf))
    assert np.array_equal(nothing, [0.0, 0.0])


def test_complex_numbers_are_refused():
    with pytest.raises(sd.UnsupportedCallError, match="logsumexp of complex"):
        sd.jvp(special.logsumexp, (X + 1j,), (X + 0j,))


def test_written_with_the_arguments_that_are_not_the_defaults():
    made = sd.differentiable(lambda x: special.logsumexp(x, axis=1, b=-x, return_sign=True))
    assert "scipy.special.logsumexp(x, b=t, axis=1, return_sign=True)[0]" in made.source(X)
    made = sd.differentiable(lambda x: special.softmax(x, axis=1))
    assert "scipy.special.softmax(x, axis=1)" in made.source(X)
