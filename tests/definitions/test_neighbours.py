"""Neighbours in order, and images between their elements, against SciPy and differences."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

ndimage = pytest.importorskip("scipy.ndimage")

RNG = np.random.default_rng(0)
IMAGE, SIGNAL, VOLUME = RNG.normal(size=(4, 5)), RNG.normal(size=7), RNG.normal(size=(3, 4, 2))
SHAPES = (SIGNAL, IMAGE, VOLUME, RNG.normal(size=1), RNG.normal(size=(1, 4)))
MODES = ("reflect", "grid-mirror", "mirror", "nearest", "constant", "wrap", "grid-wrap")
MATRIX = np.array([[1.1, 0.2], [-0.1, 0.9]])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x, at: ndimage.map_coordinates(x, at), (IMAGE, RNG.uniform(0, 3, (2, 4)))),
        (
            lambda x, at: ndimage.map_coordinates(x, at, order=1, mode="wrap"),
            (IMAGE, RNG.uniform(-6, 9, (2, 4))),
        ),
        (lambda x, s: ndimage.shift(x, s, order=2, mode="nearest"), (IMAGE, np.array([0.4, -1.3]))),
        (lambda x, s, c: ndimage.shift(x, s, order=5, cval=c), (IMAGE, 0.3, 0.7)),
        (lambda x: ndimage.zoom(x, (1.7, 2), mode="grid-constant", grid_mode=True), (IMAGE,)),
        (
            lambda x, m, o: ndimage.affine_transform(x, m, o, order=3, mode="mirror"),
            (IMAGE, MATRIX, np.array([0.237, -0.313])),
        ),
        (lambda x, m: ndimage.affine_transform(x, m[0], 0.3, order=1), (IMAGE, MATRIX)),
        (
            lambda x, a: ndimage.rotate(x, a, reshape=False, order=4, mode="reflect"),
            (IMAGE, 33.0),
        ),
        (lambda x: ndimage.rotate(x, -50.0, axes=(0, 2)), (VOLUME,)),
        (lambda x: ndimage.spline_filter(x, 4) + ndimage.spline_filter1d(x, 3, 0), (IMAGE,)),
        (lambda x: ndimage.median_filter(x, 3) * ndimage.maximum_filter(x, (2, 3)), (IMAGE,)),
        (lambda x: ndimage.rank_filter(x, -2, footprint=[[1, 0], [1, 1]]), (IMAGE,)),
        (lambda x, s: ndimage.grey_dilation(x, structure=s), (IMAGE, RNG.normal(size=(2, 3)))),
        (lambda x, s: ndimage.grey_opening(x, structure=s), (IMAGE, RNG.normal(size=(2, 3)))),
        (lambda x: ndimage.percentile_filter(x, 30, 3, mode="constant", cval=0.1), (IMAGE,)),
        (lambda x: ndimage.generic_filter(x, lambda v: np.std(v) + v[0], (2, 3)), (IMAGE,)),
        (lambda x, s: ndimage.gaussian_laplace(x, s, truncate=2.0), (IMAGE, 0.8)),
        (lambda x: ndimage.gaussian_gradient_magnitude(x, [0.8, 1.1]), (IMAGE,)),
        (lambda x: ndimage.center_of_mass(x)[0], (IMAGE + 4.0,)),
        (lambda x: ndimage.center_of_mass(x)[0], (SIGNAL + 4.0,)),
        (lambda x: ndimage.center_of_mass(x, np.arange(7) % 3, 1)[0], (SIGNAL + 4.0,)),
        (lambda x, s: np.abs(ndimage.fourier_shift(x, s) + 1.0), (IMAGE, 0.8)),
        (lambda x, s: ndimage.fourier_gaussian(x, s, 9), (IMAGE, np.array([0.8, 1.2]))),
    ],
)
@pytest.mark.one_in(4)
def test_derivatives(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


@contextlib.contextmanager
def _followed() -> Iterator[tuple[Any, Any]]:
    """The definitions, called as they are."""
    from scipy.signal import lfilter

    from symdiff.definitions import images, neighbours, warped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images, "recurrence", lfilter)
        patch.setattr(warped, "recurrence", lfilter)
        yield warped, neighbours


@pytest.mark.parametrize("mode", [*MODES, "grid-constant"])
@pytest.mark.parametrize("order", range(6))
def test_every_order_and_edge(order: int, mode: str):
    with _followed() as (warped, _):
        for x, prefilter in itertools.product(SHAPES, (True, False)):
            given = {"order": order, "mode": mode, "cval": 0.7, "prefilter": prefilter}
            at, by = RNG.uniform(-3, 10, size=(x.ndim, 30)), RNG.uniform(-3, 3, size=x.ndim)
            matrix = np.eye(x.ndim) + RNG.normal(size=(x.ndim, x.ndim)) / 4
            calls: list[Any] = [("map_coordinates", at), ("shift", by), ("shift", 0.3)]
            calls += [("affine_transform", matrix, 0.3), ("affine_transform", np.diag(matrix))]
            calls += [("zoom", factor) for factor in (1.7, 2, 0.6)]
            calls += [("rotate", 33.0, (0, -1)), ("rotate", -120.0)] if x.ndim > 1 else []
            for name, *args in calls:
                expected = getattr(ndimage, name)(x, *args, **given)
                made = getattr(warped, name)(x, *args, **given)
                np.testing.assert_allclose(made, expected, atol=1e-9, err_msg=name)
            expected = ndimage.spline_filter1d(x, order, 0, mode=mode)
            made = warped.spline_filter1d(x, order, 0, mode)
            np.testing.assert_allclose(made, expected, atol=1e-9)


EXTREMES = ("maximum_filter", "minimum_filter", "grey_erosion", "grey_dilation", "grey_opening")
COMPOSED = ("grey_closing", "white_tophat", "morphological_gradient", "morphological_laplace")


@pytest.mark.parametrize("mode", ["reflect", "mirror", "nearest", "constant", "wrap"])
def test_every_footprint_and_edge(mode: str):
    edge = {"mode": mode, "cval": 0.3}
    with _followed() as (_, neighbours):
        for x, size in itertools.product(SHAPES, (1, 2, 3, 4)):
            taken = RNG.random(size=(3, 2, 2)[: x.ndim]) > 0.4
            taken.flat[:2] = True
            structure = {"structure": RNG.normal(size=(2, 3, 2)[: x.ndim])}
            calls: list[Any] = [(name, {"size": size}) for name in (*EXTREMES, *COMPOSED)]
            calls += [(name, {"footprint": taken}) for name in (*EXTREMES, "grey_closing")]
            calls += [(name, {"size": 3, "origin": 1}) for name in EXTREMES]
            calls += [(name, {"size": 3, "axes": (0,)}) for name in EXTREMES]
            calls += [(name, structure) for name in (*EXTREMES[2:], *COMPOSED)]
            if x.ndim > 1 or mode != "mirror":
                calls += [
                    ("median_filter", {"size": size}),
                    ("median_filter", {"footprint": taken}),
                ]
                calls += [("percentile_filter", {"percentile": p, "size": size}) for p in (30, -10)]
                calls += [("rank_filter", {"rank": -1, "size": size})]
            for name, given in calls:
                expected = getattr(ndimage, name)(x, **given, **edge)
                made = getattr(neighbours, name)(x, **given, **edge)
                np.testing.assert_allclose(made, expected, atol=1e-12, err_msg=name)


def test_the_last_element_of_a_straight_line():
    def last(by: Any) -> Any:
        return ndimage.shift(SIGNAL, by, order=1)[-1]

    # To the right of the image stands a constant: the derivative is that from within.
    assert sd.grad(last)(0.0) == pytest.approx(SIGNAL[-2] - SIGNAL[-1])


def test_single_numbers_stay_single():
    single = sd.grad(lambda x: np.sum(ndimage.zoom(x, 2) + ndimage.zoom(x, 2)))
    assert single(IMAGE.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: ndimage.shift(x, 0.3, output=np.float32), "output="),
        (lambda x: ndimage.median_filter(x[0], 3, mode="mirror"), "mode='mirror'"),
        (lambda x: ndimage.rank_filter(x, 1, np.array([3, 3])), "an array as size="),
        (lambda x: ndimage.rotate(x, x[0, 0]), "reshape=True"),
        (lambda x: ndimage.gaussian_laplace(x, 1.0, axes=(0,)), "axes="),
    ],
)
def test_what_is_not_taken_is_refused(function: Callable[..., Any], told: str):
    with pytest.raises(sd.UnsupportedCallError, match=told):
        sd.vjp(function, IMAGE)
