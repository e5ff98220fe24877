"""Filters and convolutions of ``scipy.signal``, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions import filters
from tests.definitions.test_distributions import check

signal = pytest.importorskip("scipy.signal")

RNG = np.random.default_rng(1)
LINE, ROWS = RNG.normal(size=12), RNG.normal(size=(3, 12))
B, A = np.array([0.5, 0.3, -0.2]), np.array([1.3, 0.4, 0.25, 0.1])
STATE = np.array([0.3, -0.2, 0.5])
IMAGE, KERNEL = RNG.normal(size=(4, 5)), RNG.normal(size=(2, 3))
SECTIONS = signal.butter(4, 0.3, output="sos")
FIVE = np.delete(SECTIONS, 3, axis=1).copy()


def _both_ways(b: Any, a: Any, x: Any) -> Any:
    made = signal.filtfilt(b, a, x, padtype="even", padlen=3, axis=0)
    made = made + signal.filtfilt(b, a, x, padtype="constant", padlen=2, axis=0)
    return made + signal.filtfilt(b, a, x, padtype=None, axis=0)


def _sections(sos: Any, x: Any) -> Any:
    return signal.sosfilt(_six(sos), x, axis=0)


def _six(five: Any) -> Any:
    return np.concatenate([five[:, :3], np.ones((2, 1)), five[:, 3:]], axis=1)


def _sections_in_a_state(five: Any, x: Any, zi: Any, axis: int = -1) -> Any:
    place = axis + 1 if axis >= 0 else axis
    made, left = signal.sosfilt(_six(five), x, axis, np.moveaxis(zi, -1, place))
    return np.concatenate([made.ravel(), left.ravel()])


def _sections_in_their_state(five: Any, x: Any) -> Any:
    sos = _six(five)
    return signal.sosfilt(sos, x, zi=signal.sosfilt_zi(sos) * x[0])[0]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda b, a, x: signal.lfilter(b, a, x), (B, A, LINE)),
        (lambda b, a, x: signal.lfilter(b, a, x, axis=0), (B, A, ROWS.T)),
        (lambda b, x: signal.lfilter(b, 2.0, x), (B, ROWS)),
        (lambda b, a, x, z: signal.lfilter(b, a, x, zi=z)[0], (B, A, LINE, STATE)),
        (lambda b, a, x, z: signal.lfilter(b, a, x, zi=z)[1], (B, A, LINE, STATE)),
        (lambda b, a, x, z: signal.lfilter(b, a, x[:2], zi=z)[1], (B, A, LINE, STATE)),
        (lambda b, a: signal.lfilter_zi(b, a), (B, A)),
        (_sections, (np.delete(SECTIONS, 3, 1), ROWS.T)),
        (lambda b, a, x: signal.filtfilt(b, a, np.concatenate([x, x * x])), (B, A, LINE)),
        (_both_ways, (B, A, ROWS.T.copy())),
        (lambda x: signal.savgol_filter(x, 5, 2), (ROWS,)),
        (lambda x: signal.savgol_filter(x, 7, 3, 1, 0.5, 0, "nearest"), (ROWS.T.copy(),)),
        (_sections_in_a_state, (FIVE, ROWS.T.copy(), RNG.normal(size=(2, 3, 2)), 0)),
        (_sections_in_a_state, (FIVE, LINE, RNG.normal(size=(2, 2)))),
        (_sections_in_their_state, (FIVE, LINE)),
        (lambda x: signal.sosfiltfilt(SECTIONS, x, padlen=5), (LINE,)),
        (lambda x: signal.sosfiltfilt(signal.butter(1, 0.3, output="sos"), x), (ROWS,)),
        (lambda x: signal.sosfiltfilt(SECTIONS, np.tile(x, 2)), (LINE,)),
        (lambda x: signal.medfilt(x), (ROWS,)),
        (lambda x: signal.medfilt(x, 5) + signal.medfilt(x * x, [3]), (LINE,)),
        (lambda x: signal.medfilt2d(x, [1, 5]) * signal.medfilt2d(x), (IMAGE,)),
        (lambda x: signal.detrend(x) + signal.detrend(x, 0, "constant"), (ROWS,)),
        (lambda x: signal.hilbert(x).imag, (ROWS,)),
        (lambda x: signal.convolve(x[:, None], x[:4, None], "same")[:, 0], (LINE,)),
        (lambda x, h: signal.fftconvolve(x, h, "same", axes=1), (IMAGE, IMAGE[:, 1:4].copy())),
        (lambda x, h: signal.correlate(x, h) * signal.oaconvolve(x, h), (IMAGE, KERNEL)),
        (lambda x, h: signal.convolve2d(x, h, "same", "wrap"), (IMAGE, KERNEL)),
        (lambda x: signal.lfilter(*signal.butter(2, 0.3), x * signal.windows.hann(12)), (LINE,)),
    ],
)
def test_signals(function: Callable[..., Any], args: Any):
    wrt = tuple(k for k in range(len(args)) if not isinstance(args[k], int))
    check(function, *args, wrt=wrt)


@pytest.mark.parametrize(
    "name", ["convolve", "correlate", "fftconvolve", "convolve2d", "correlate2d"]
)
def test_the_parts_of_a_convolution(name: str):
    function, definition = getattr(signal, name), getattr(filters, name)
    shapes = [((4, 5), (2, 3)), ((4, 5), (3, 2)), ((2, 3), (2, 3)), ((3, 3), (4, 4))]
    if not name.endswith("2d"):
        shapes += [((4,), (3,)), ((5,), (2,)), ((3,), (4,)), ((2,), (7,))]
    rng = np.random.default_rng(2)
    for one, other in shapes:
        x, h = rng.normal(size=one), rng.normal(size=other)
        for mode in ("full", "same", "valid"):
            more: list[dict[str, Any]] = [{}]
            if name.endswith("2d"):
                more = [{"boundary": kind} for kind in ("fill", "wrap", "symm")]
            for options in more:
                expected = function(x, h, mode, **options)
                np.testing.assert_allclose(definition(x, h, mode, **options), expected, atol=1e-14)


def test_a_filter_is_complex_with_its_coefficients():
    def parts(b: Any, x: Any) -> Any:
        made = signal.lfilter(b + 0.3j, [1.0, 0.4j], x * (1.0 + 0.5j))
        return np.stack([made.real, made.imag])

    check(parts, B, LINE, wrt=(0, 1))


def test_single_precision_stays():
    args = [x.astype(np.float32) for x in (B, A, LINE)]
    for k, g in enumerate(sd.vjp(lambda b, a, x: signal.lfilter(b, a, x), *args)[1](args[2])):
        assert g.dtype == np.float32, k


@pytest.mark.parametrize("n", [0, 1])
def test_short_signals(n: int):
    g = sd.grad(lambda x: np.sum(signal.lfilter(B, A, x)))(np.ones(n))
    np.testing.assert_allclose(g, np.full(n, B[0] / A[0]))


def test_what_is_not_taken_is_refused():
    for function, told in (
        (lambda x: signal.detrend(x, bp=[4]), "bp="),
        (lambda x: signal.savgol_filter(x, 4, 2), "even length"),
    ):
        with pytest.raises(sd.UnsupportedCallError, match=told):
            sd.vjp(function, LINE)


STATES = np.array([[0.3, 0.1], [0.2, -0.4]]), np.array([[1.0, 0.5], [0.3, 1.0]])


def _of_states(a: Any, b: Any, x: Any) -> Any:
    system = a, b, np.array([[1.0, 2.0]]), np.array([[0.1, 0.4]]), 0.5
    first, second = signal.dimpulse(system, n=6, x0=x)[1]
    return first * second


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda b, a: signal.dimpulse((b[:2], a, 0.5), n=9)[1][0], (B, A)),
        (lambda b, a: signal.dstep(signal.dlti(b[:2], a, dt=0.5), t=np.arange(5))[1][0], (B, A)),
        (lambda z, k: signal.dimpulse((z[:1], z[1:], k, 0.1))[1][0], (B[:2].copy(), 0.7)),
        (lambda b, a: signal.dlti(b[:2], a).step(n=4)[1][0], (B, A)),
        (_of_states, (*STATES, np.array([0.5, -0.2]))),
    ],
)
def test_what_systems_answer(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


def test_systems_in_continuous_time_raise_as_theirs():
    with pytest.raises(AttributeError):
        sd.grad(lambda b: signal.dstep(signal.lti(b, [1.0, 2.0]))[1][0][0, 0])(B[:2].copy())


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda b, a, x: signal.filtfilt(b, a, x, method="gust"), (B[:2].copy(), A[:3], LINE)),
        (lambda x: signal.filtfilt(B, A, x, 0, method="gust", irlen=5), (ROWS.T.copy(),)),
        (lambda b, x: signal.filtfilt(b, 2.0, x, method="gust"), (B[:1].copy(), LINE)),
    ],
)
def test_a_filter_by_gustafssons_method(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


def test_the_state_of_a_filter_with_large_coefficients():
    a = np.array([1.0, 3e17, 2e17])
    slopes = sd.jacobian(lambda b: signal.lfilter_zi(b, a))(np.array([0.4, 0.7, 0.2]))
    parts = np.array([[0.0], [0.6]])  # of the sums of a, in exact arithmetic to 1e-17
    assert np.allclose(slopes, parts - [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], atol=1e-15)


def test_how_far_sections_reach_beyond_the_ends():
    x = np.cumsum(LINE)
    x = np.concatenate([x, x[::-1], x])
    for n in (1, 2, 3, 4, 5):
        for kind in ("lowpass", "highpass"):
            sections = signal.butter(n, 0.3, kind, output="sos")
            slopes = sd.grad(lambda x, s: np.sum(signal.sosfiltfilt(s, x) ** 2))(x, sections)
            table = signal.sosfiltfilt(sections, np.eye(len(x)), axis=0)
            np.testing.assert_allclose(slopes, 2 * table.T @ (table @ x), rtol=1e-8, atol=1e-9)
    with pytest.raises(ValueError, match="greater than padlen, which is 18"):
        sd.grad(lambda x: np.sum(signal.sosfiltfilt(sections, x)))(x[:18])


def test_medians_near_the_ends():
    def total(x: Any, size: int = 3) -> Any:
        return np.sum(signal.medfilt(x, size))

    # of (0, 2, 3), (2, 3, 1), (3, 1, 5), (1, 5, 0)
    slopes = sd.grad(total)(np.array([2.0, 3.0, 1.0, 5.0]))
    np.testing.assert_array_equal(slopes, [2.0, 1.0, 1.0, 0.0])
    assert sd.grad(total)(np.array(2.0), 1) == 1.0
    with pytest.raises(ValueError, match="should be odd"):
        sd.grad(total)(LINE, 4)
    with pytest.raises(ValueError, match="not supported by medfilt"):
        sd.differentiable(total)(LINE * 1j)
    with pytest.raises(sd.UnsupportedCallError, match="give a tuple"):
        sd.grad(lambda x: total(x, np.array([3, 1])))(ROWS)
