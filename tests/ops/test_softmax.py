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


Z = X + 1j * RNG.normal(size=(3, 4))
C = B - 0.7j * B[::-1]


def _both(y: Any) -> Any:
    return np.real(y) + 2 * np.imag(y)


@pytest.mark.parametrize(
    "function",
    [
        lambda z: _both(special.logsumexp(z)),
        lambda z: _both(special.logsumexp(z, axis=1)),
        lambda z: _both(special.logsumexp(z.T[:, ::-1], axis=0, keepdims=True)),
        lambda z: _both(special.logsumexp(z[0, 0])),
        lambda z: _both(special.logsumexp(z + 700.0, axis=(0, 1))),
        lambda z: _both(special.logsumexp(np.real(z) + 1j * np.real(z))),
    ],
)
def test_of_complex_numbers(function: Callable[..., Any]):
    check(function, Z)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: _both(special.logsumexp(a, axis=1, b=b)),
        lambda a, b: _both(special.logsumexp(a, axis=0, b=b[:, :1])),
    ],
)
def test_of_complex_numbers_with_weights(function: Callable[..., Any]):
    for terms, weights in ((Z, C), (Z, B), (X, C)):
        check(function, terms, weights, wrt=(0, 1))


def test_the_complex_derivative_is_the_share():
    share = np.exp(Z) / np.sum(np.exp(Z))
    tangent = sd.jvp(special.logsumexp, (Z,), (C,))[1]
    np.testing.assert_allclose(tangent, np.sum(share * C), rtol=1e-14)
    np.testing.assert_allclose(sd.vjp(special.logsumexp, Z)[1](1 + 2j)[0], (1 + 2j) * share.conj())
    single = sd.jvp(special.logsumexp, (Z.astype("F"),), (C.astype("F"),))[1]
    assert single.dtype == np.complex64
    nothing = sd.grad(lambda z: np.real(special.logsumexp(z)))(np.full(2, -np.inf + 0j))
    assert np.array_equal(nothing, [0.0, 0.0])


def test_complex_numbers_that_are_refused():
    for function, named in (
        (special.softmax, "softmax of complex"),
        (special.log_softmax, "log_softmax of complex"),
        (lambda z: special.logsumexp(z, return_sign=True)[0], "complex numbers with return_sign="),
    ):
        with pytest.raises(sd.UnsupportedCallError, match=named):
            sd.jvp(function, (Z,), (Z,))


def test_written_with_the_arguments_that_are_not_the_defaults():
    made = sd.differentiable(lambda x: special.logsumexp(x, axis=1, b=-x, return_sign=True))
    assert "scipy.special.logsumexp(x, b=t, axis=1, return_sign=True)[0]" in made.source(X)
    made = sd.differentiable(lambda x: special.softmax(x, axis=1))
    assert "scipy.special.softmax(x, axis=1)" in made.source(X)
