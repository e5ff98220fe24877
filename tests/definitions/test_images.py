"""Linear filters of ``scipy.ndimage``, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

ndimage = pytest.importorskip("scipy.ndimage")

RNG = np.random.default_rng(0)
IMAGE, KERNEL, LINE = RNG.normal(size=(4, 5)), RNG.normal(size=(2, 3)), RNG.normal(size=4)
SIGMAS = np.array([0.7, 1.1])
MODES = ("reflect", "mirror", "nearest", "constant", "wrap", "grid-wrap")


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x, w: ndimage.correlate1d(x, w, axis=0, mode="mirror"), (IMAGE, LINE)),
        (lambda x, w: ndimage.convolve1d(x, w, mode="constant", cval=0.3), (IMAGE, LINE)),
        (lambda x, w: ndimage.convolve(x, w), (IMAGE, KERNEL)),
        (lambda x, w: ndimage.correlate(x, w, mode="nearest", origin=(0, -1)), (IMAGE, KERNEL)),
        (lambda x, s: ndimage.gaussian_filter(x, s, truncate=2.0), (IMAGE, 0.8)),
        (lambda x: ndimage.gaussian_filter(x, [0.5, 1.0], order=[1, 2]), (IMAGE,)),
        (
            lambda x: ndimage.uniform_filter(x, 2) + ndimage.sobel(x) * ndimage.prewitt(x, 0),
            (IMAGE,),
        ),
        (lambda x: ndimage.laplace(x, mode="wrap"), (IMAGE,)),
    ],
)
def test_filters(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


def test_every_edge_length_and_origin():
    from symdiff.definitions import images

    images_recurrence, images.recurrence = images.recurrence, _lfilter
    try:
        for mode in MODES:
            for length in (1, 2, 3, 4, 9):
                w = RNG.normal(size=length)
                origins = range(-(length // 2), (length - 1) // 2 + 1)
                for origin in origins:
                    for name in ("correlate1d", "convolve1d"):
                        given = {"axis": 0, "mode": mode, "cval": 0.7, "origin": origin}
                        expected = getattr(ndimage, name)(IMAGE, w, **given)
                        made = getattr(images, name)(IMAGE, w, **given)
                        np.testing.assert_allclose(made, expected, atol=1e-13, err_msg=mode)
            for name in ("correlate", "convolve"):
                expected = getattr(ndimage, name)(IMAGE, KERNEL, None, mode, 0.7, (-1, 1))
                made = getattr(images, name)(IMAGE, KERNEL, mode, 0.7, (-1, 1))
                np.testing.assert_allclose(made, expected, atol=1e-13, err_msg=mode)
            for order in range(4):
                expected = ndimage.gaussian_filter1d(IMAGE, 1.3, 1, order, None, mode)
                made = images.gaussian_filter1d(IMAGE, 1.3, 1, order, mode)
                np.testing.assert_allclose(made, expected, atol=1e-13, err_msg=mode)
    finally:
        images.recurrence = images_recurrence


def _lfilter(b: Any, a: Any, x: Any) -> Any:
    from scipy import signal

    return signal.lfilter(b, a, x)


def test_complex_and_single_numbers():
    z, w = IMAGE + 1j * IMAGE[::-1], np.array([0.5, 1j, -0.3])
    value, pullback = sd.vjp(lambda z: ndimage.correlate1d(z, w, mode="wrap"), z)
    np.testing.assert_array_equal(value, ndimage.correlate1d(z, w, mode="wrap"))
    back = ndimage.correlate1d(value, w[::-1].conj(), mode="wrap")
    np.testing.assert_allclose(pullback(value)[0], back, atol=1e-13)
    single = sd.grad(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0)))(IMAGE.astype(np.float32))
    assert single.dtype == np.float32


def test_what_is_not_taken_is_refused():
    for function, told in (
        (lambda x: ndimage.convolve(x, KERNEL, output=np.float32), "output="),
        (lambda x: ndimage.correlate(x, LINE, axes=(0,)), "axes="),
    ):
        with pytest.raises(sd.UnsupportedCallError, match=told):
            sd.vjp(function, IMAGE)


def test_gaussian_filters_take_an_array_of_widths() -> None:
    check(lambda x, s: ndimage.gaussian_filter(x, s, truncate=2.0), IMAGE, SIGMAS, wrt=(0, 1))
    check(lambda x: ndimage.gaussian_filter(x, np.array([0.0, 1.1]), truncate=2.0), IMAGE, wrt=(0,))
    with pytest.raises(RuntimeError, match="length equal to input rank"):
        sd.vjp(ndimage.gaussian_filter, IMAGE, np.ones(3))


@pytest.mark.parametrize("width", [0.0, np.float64(0.0), np.zeros(2)], ids=["own", "numpy", "two"])
def test_a_width_of_zero_filters_nothing(width: Any) -> None:
    value, pullback = sd.vjp(ndimage.gaussian_filter, IMAGE, width)
    np.testing.assert_array_equal(value, IMAGE)
    np.testing.assert_array_equal(pullback(KERNEL.sum() * IMAGE)[0], KERNEL.sum() * IMAGE)
