"""Filters that are designed inside a function, by their frequencies and ripples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions import calls
from tests.definitions.test_distributions import check

signal = pytest.importorskip("scipy.signal")

W, RIPPLE = 0.21, 1.3


def _both(made: tuple[Any, Any]) -> Any:
    return np.concatenate([np.atleast_1d(part) for part in made])


DESIGNS = {
    "butter": lambda w: _both(signal.butter(4, w)),
    "butter of odd order": lambda w: _both(signal.butter(3, w, "high")),
    "butter band": lambda w: _both(signal.butter(2, [w, w + 0.3], btype="band")),
    "butter stop": lambda w: _both(signal.butter(2, [w, 2 * w], btype="bandstop")),
    "butter analog": lambda w: _both(signal.butter(3, w, analog=True)),
    "butter of a rate": lambda w: _both(signal.butter(2, 100 * w, fs=1000)),
    "cheby1": lambda w, r: _both(signal.cheby1(4, r, w)),
    "cheby2": lambda w, r: _both(signal.cheby2(5, 30 * r, w)),
    "ellip": lambda w, r: _both(signal.ellip(4, r, 40.0 * r, w)),
    "ellip of order one": lambda w, r: _both(signal.ellip(1, r, 40.0, w)),
    "bessel": lambda w: _both(signal.bessel(4, w)),
    "bessel by delay": lambda w: _both(signal.bessel(3, w, norm="delay")),
    "notch": lambda w, q: _both(signal.iirnotch(w, 10 * q)),
    "zeros and poles": lambda w, k: _both(signal.zpk2tf([w], [w + 0.1j, w - 0.1j], k)),
    "orders": lambda w: signal.buttord(w, 0.5, 3, 40)[1] + signal.cheb1ord(w, 0.6, 2, 30)[1],
    "sections": lambda w: signal.butter(5, w, output="sos"),
    "sections of a band": lambda w: signal.butter(3, [w, w + 0.3], "band", output="sos"),
    "sections by the ripple": lambda w, r: signal.cheby1(5, r, w, output="sos"),
    "filtered": lambda w: signal.lfilter(*signal.butter(3, w), np.cos(np.arange(9.0))),
}
GIVEN_TWICE = ("ellip",)  # their second derivatives by the ripple are refused: by ``m twice``


@pytest.mark.parametrize("name", [name for name in DESIGNS if name not in GIVEN_TWICE])
@pytest.mark.one_in(4)
def test_designs(name: str) -> None:
    design = DESIGNS[name]
    given = (W, RIPPLE)[: design.__code__.co_argcount]
    check(design, *given, wrt=tuple(range(len(given))))


def test_elliptic_filters() -> None:
    check(lambda w: DESIGNS["ellip"](w, 1.0), W, wrt=(0,))

    def by_ripple(r: Any) -> Any:
        return np.sum(np.cos(DESIGNS["ellip"](0.3, r)))

    def difference(step: float) -> float:
        return (by_ripple(1.0 + step) - by_ripple(1.0 - step)) / (2 * step)

    expected = (4 * difference(5e-4) - difference(1e-3)) / 3
    assert sd.grad(by_ripple)(1.0) == pytest.approx(expected, rel=1e-7)
    assert sd.jvp(by_ripple, (1.0,), (1.0,))[1] == pytest.approx(expected, rel=1e-7)

    def second(step: float) -> float:
        return (by_ripple(1.0 + step) - 2 * by_ripple(1.0) + by_ripple(1.0 - step)) / step**2

    expected = (4 * second(1e-2) - second(2e-2)) / 3
    assert sd.hessian(by_ripple)(1.0) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("function", [np.poly, lambda z: signal.zpk2tf([0.2], z, 1.0)[1]])
def test_complex_roots_are_conjugate_to_each_other(function: Any) -> None:
    def of_a_pair(x: Any) -> Any:
        return function(np.array([x[0] + 1j * x[1], 0.5, x[0] - 1j * x[1], 2.0]))

    check(of_a_pair, np.array([0.3, 0.7]), wrt=(0,))
    assert len(sd.vjp(lambda x: np.atleast_1d(np.poly(x[:0] * 1j)), np.ones(2))[0]) == 1
    with pytest.raises(NotImplementedError, match="not conjugate to each other"):
        sd.vjp(lambda x: function(np.array([x + 1j, 0.5])), 0.3)


A_PAIR = np.array([0.3, 0.5, -0.2, 0.7, 0.4, 1.3])


def _paired(x: Any, **given: Any) -> Any:
    zeros = np.array([x[0] + 1j * x[1], x[0] - 1j * x[1], x[2]])
    poles = np.array([x[3] + 1j * x[1], x[0], x[3] - 1j * x[1], x[4]])
    return signal.zpk2sos(zeros, poles, x[5], **given)


@pytest.mark.parametrize("given", [{}, {"pairing": "keep_odd"}, {"pairing": "minimal"}])
def test_roots_stay_in_their_sections(given: dict[str, Any]) -> None:
    check(lambda x: _paired(x, **given), A_PAIR, wrt=(0,))
    check(lambda b: signal.tf2sos(b, [1.0, 0.3, 0.2, 0.4], **given), np.array([1, 0.5]), wrt=(0,))


def test_sections_of_analog_systems() -> None:
    below = np.array([1.0, 0.5, 0.1, 0.3])
    check(lambda a: signal.tf2sos([1.0, 0.3], a, analog=True), below, wrt=(0,))
    check(lambda a: signal.tf2sos([2.0], a, analog=True), below, wrt=(0,))


def test_sections_without_roots() -> None:
    for analog in (False, True):
        check(lambda k: signal.zpk2sos([], [], k, analog=analog), 0.7, wrt=(0,))  # noqa: B023


def test_sections_have_the_sums_and_products_of_their_roots() -> None:
    def of_real(x: Any) -> Any:
        return signal.zpk2sos(x[:2], x[2:], 3.0)

    slopes = sd.jacobian(of_real)(np.array([0.2, -0.4, 0.9, 0.5]))[0]
    above = [[0.0] * 4, [-3.0, -3.0, 0.0, 0.0], [-1.2, 0.6, 0.0, 0.0]]
    below = [[0.0] * 4, [0.0, 0.0, -1.0, -1.0], [0.0, 0.0, 0.5, 0.9]]
    np.testing.assert_allclose(slopes, above + below, rtol=1e-13)


def test_the_bilinear_transform() -> None:
    b, a = np.array([1.0, 0.5, 0.2]), np.array([1.0, 3.0, 2.0, 0.7])
    check(lambda b, a: _both(signal.bilinear(b, a, 2.0)), b, a, wrt=(0, 1))
    check(lambda fs: _both(signal.bilinear(b, [0.0, 2.0, 1.0], fs)), 0.7, wrt=(0,))
    made = sd.grad(lambda a: np.sum(signal.bilinear([1.0], a)[0])).source(np.array([1.0, 3.0, 2.0]))
    assert len(made.splitlines()) < 150


OF_LEAST_ERROR = [
    (15, "bandpass", [0.0, 0.2, 0.3, 0.5], [1.0, 0.1]),
    (16, "bandpass", [0.0, 0.2, 0.3, 0.49], [1.0, 0.1]),
    (21, "bandpass", [0.01, 0.1, 0.15, 0.3, 0.38, 0.5], [0.1, 1.0, 0.3]),
    (15, "hilbert", [0.1, 0.4], [1.2]),
    (16, "hilbert", [0.1, 0.4], [1.2]),
    (15, "differentiator", [0.05, 0.4], [1.2]),
    (16, "differentiator", [0.0, 0.4], [1.2]),
]


@pytest.mark.parametrize(("count", "kind", "bands", "desired"), OF_LEAST_ERROR)
def test_filters_whose_largest_error_is_the_least(
    count: int, kind: str, bands: list[float], desired: list[float]
) -> None:
    weights, levels, edges = np.cos(np.arange(count)), np.array(desired), np.array(bands)

    def by_levels(desired: Any, weight: Any) -> Any:
        given = {"weight": weight, "type": kind, "fs": 2.0}
        return signal.remez(count, [2.0 * edge for edge in bands], desired, **given)

    def by_bands(bands: Any) -> Any:
        return signal.remez(count, bands, desired, type=kind) @ weights

    calls.check(by_levels, levels, 1.0 + 0.1 * levels, wrt=(0, 1), step=1e-3)
    away = np.where((edges > 0.0) & (edges < 0.5), 0.1, 0.0)
    for function, slope in (
        (by_bands, sd.grad(by_bands)(edges) @ away),
        (lambda bands: sd.grad(by_bands)(bands) @ away, sd.hvp(by_bands)(edges, away) @ away),
    ):
        ahead, behind = (function(edges + step * away) for step in (1e-5, -1e-5))
        np.testing.assert_allclose(slope, (ahead - behind) / 2e-5, rtol=1e-4, atol=1e-6)


def test_a_filter_without_errors_has_no_slope() -> None:
    found = sd.grad(lambda level: np.sum(signal.remez(9, [0.0, 0.2, 0.3, 0.5], level)))
    assert np.all(np.isnan(found(np.zeros(2))))
