"""Transforms of ``scipy.fft``, against SciPy's values and differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions import transforms
from tests import reference
from tests.definitions.test_distributions import check

fft = pytest.importorskip("scipy.fft")
signal = pytest.importorskip("scipy.signal")
fftpack = pytest.importorskip("scipy.fftpack")

X = np.random.default_rng(0).normal(size=(3, 5))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.abs(fft.fft(x, norm="ortho")) * fft.ifft(x, axis=0).imag,
        lambda x: fft.irfft(fft.rfft(x, 8, workers=2) ** 2, norm="forward"),
        lambda x: fft.hfft(x + 1j * x**2, 6),
        lambda x: np.abs(fft.fftshift(fft.fftn(x, (4,)), axes=0)) ** 2 * fft.fftfreq(4),
        lambda x: np.abs(fft.rfft2(x)) ** 2 * fft.rfftfreq(5),
        lambda x: fft.dct(x) * fft.idct(x, 3, axis=0, norm="ortho"),
        lambda x: fft.dst(x, 1, 4) * fft.idst(x, 4, 4, norm="forward"),
        lambda x: fft.dctn(x, 1) + fft.dstn(x, 2, axes=0) + fft.idctn(x, 4, axes=(1,)),
    ],
)
def test_transforms(function: Callable[..., Any]):
    check(function, X, wrt=(0,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.abs(fft.hfftn(x + 1j * x**2, (4, 5), norm="ortho")) ** 2,
        lambda x: fft.ihfft2(x**2, norm="forward").imag,
        lambda x: fftpack.dct(x) + fftpack.idst(x, 3, norm="ortho"),
        lambda x: fftpack.dstn(x, 2, (2, 4)) * fftpack.idctn(x, 1)[:2, :4],
        lambda x: fftpack.rfft(x) * fftpack.irfft(x, 5),
        lambda x: fftpack.rfft(x, 4, 0) * fftpack.irfft(x, 4, axis=0),
        lambda x: np.abs(fftpack.fftn(x, (4, 4)) * fftpack.ifft2(x)[0, 0]) ** 2,
    ],
)
def test_symmetric_transforms_and_older_names(function: Callable[..., Any]):
    check(function, X, wrt=(0,))


def test_the_offset_of_a_hankel_transform():
    def offset(dln: Any, mu: Any) -> Any:
        return fft.fhtoffset(dln, mu, 0.2, 0.1)

    expected = [
        reference.directional(offset, (0.3, 0.5), along, step=0.01).value
        for along in ((1.0, 0.0), (0.0, 1.0))
    ]
    np.testing.assert_allclose(sd.grad(offset, (0, 1))(0.3, 0.5), expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_cosines_and_sines_of_every_type_and_scale(name: str):
    definition = transforms._trigonometric(name)
    options = itertools.product((1, 2, 3, 4), (None, "ortho", "forward"), (None, True, False))
    for (type_, norm, ends), n in itertools.product(options, (2, 3, 4, 7)):
        x = np.random.default_rng(n).normal(size=(2, n))
        expected = getattr(fft, name)(x, type_, norm=norm, orthogonalize=ends)
        made = definition(x, type_, norm=norm, orthogonalize=ends)
        np.testing.assert_allclose(made, expected, atol=1e-14)


def test_single_and_complex_numbers():
    single = sd.grad(lambda x: np.sum(fft.dct(x, norm="ortho") ** 2))(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, 2 * X, rtol=1e-5)
    z = X + 1j * X[::-1]
    value, pullback = sd.vjp(lambda z: fft.dst(z, norm="ortho"), z)
    np.testing.assert_array_equal(value, fft.dst(z, norm="ortho"))
    np.testing.assert_allclose(pullback(value)[0], z, atol=1e-14)


def test_what_may_be_written():
    with pytest.raises(sd.UnsupportedCallError, match=r"fftpack\.dct"):
        sd.grad(lambda x: np.sum(fftpack.dct(x, overwrite_x=True)))(X)
    check(lambda x: signal.resample(x, 4), X, wrt=(0,))


def test_what_a_transform_is_of_is_known():
    source = sd.grad(lambda x: np.sum(fft.idst(x) ** 2)).source(X)
    assert "(x):" in source
    assert "if " not in source


def test_a_plan_is_refused():
    with pytest.raises(sd.UnsupportedCallError, match="plan="):
        sd.vjp(lambda x: fft.fft(x, plan=x), X)


@pytest.mark.parametrize("real", [False, True])
def test_the_next_fast_length_is_scipys(real):
    for target in (*range(600), 9973, 17018):
        assert transforms.next_fast_len(target, real) == fft.next_fast_len(target, real)


def padded(x, real):
    n = fft.next_fast_len(len(x) + 2, real=real)
    return np.sum(np.abs(np.fft.rfft(x, n)) ** 2) / n


@pytest.mark.parametrize("length", [1, 5, 11, 12])
def test_a_transform_of_a_fast_length(length):
    """Parseval: of a padded signal the power is that of the signal, a half of what is mirrored."""
    x = np.linspace(-1.0, 2.0, length)
    found = sd.grad(padded)(x, True)
    exact = reference.directional(lambda x: padded(x, True), (x,), (np.cos(x),)).value
    assert np.sum(found * np.cos(x)) == pytest.approx(exact, rel=1e-9)
    assert sd.jvp(padded, (x, True), (np.cos(x), None))[1] == pytest.approx(exact, rel=1e-9)


def test_a_length_that_is_not_positive_is_refused_as_by_scipy():
    def f(x, n):
        return np.sum(x) * fft.next_fast_len(n)

    with pytest.raises(ValueError, match="must be positive"):
        sd.grad(f)(np.ones(2), -1)
    assert sd.grad(f)(np.ones(2), 0).tolist() == [0.0, 0.0]
    assert sd.grad(f)(np.ones(2), 13).tolist() == [14.0, 14.0]


@pytest.mark.parametrize(
    "transform",
    [
        lambda x: fft.dct(x, overwrite_x=True),
        lambda x: fft.dct(x, 2, None, -1, None, True),
        lambda x: fft.dstn(x, overwrite_x=True),
        lambda x: fft.fft(x + 0j, overwrite_x=True).real,
        lambda x: signal.detrend(x, overwrite_data=True),
    ],
)
def test_what_may_be_overwritten_stays_as_it_is(transform):
    """The derivative of the cubes reads what the transform may write to."""

    def f(x):
        return np.sum(x**3) + np.sum(np.sin(transform(x)))

    def apart(x):
        return np.sum(x**3) + np.sum(np.sin(transform(x.copy())))

    x, along = X.copy(), np.cos(X)
    exact = reference.directional(apart, (X,), (along,)).value
    assert np.sum(sd.grad(f)(x) * along) == pytest.approx(exact, rel=1e-9)
    assert sd.jvp(f, (x,), (along,))[1] == pytest.approx(exact, rel=1e-9)
    np.testing.assert_array_equal(x, X)
