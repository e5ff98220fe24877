"""Other rates of signals, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions import filters, resampling
from tests.definitions.test_distributions import check

signal = pytest.importorskip("scipy.signal")

RNG = np.random.default_rng(3)
LINE, ROWS, LONG = RNG.normal(size=12), RNG.normal(size=(3, 12)), RNG.normal(size=40)
WEIGHTS = np.array([0.5, 0.3, -0.2, 0.7])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda h, x: signal.upfirdn(h, x), (WEIGHTS, LINE)),
        (lambda h, x: signal.upfirdn(h, x, 3, 2), (WEIGHTS, ROWS)),
        (lambda h, x: signal.upfirdn(h, x, up=2, down=5, axis=0), (WEIGHTS, ROWS.T)),
        (lambda h, x: signal.upfirdn(h * (1 + 1j), x, 2).imag, (WEIGHTS, LINE)),
        (lambda x: signal.resample_poly(x, 3, 2), (LINE,)),
        (lambda x: signal.resample_poly(x, 4, 6, axis=1), (ROWS,)),
        (lambda x: signal.resample_poly(x, 2, 1, window="hamming", padtype="mean"), (ROWS.T,)),
        (lambda x: signal.resample_poly(x, 2, 3, padtype="median"), (LINE,)),
        (lambda x: signal.resample_poly(x, 2, 3, padtype="maximum"), (LINE,)),
        (lambda x: signal.resample_poly(x, 2, 3, padtype="minimum", axis=-1), (ROWS,)),
        (lambda x: signal.resample_poly(x, 2, 3, padtype="line"), (LINE,)),
        (lambda x: signal.resample_poly(x, 3, 1, padtype="smooth", axis=1), (ROWS,)),
        (lambda x: signal.resample_poly(x, 2, 5, padtype="reflect"), (LINE,)),
        (lambda x: signal.resample_poly(x, 1, 3, padtype="wrap"), (LINE,)),
        (lambda x: signal.resample_poly(x, 2, 2, axis=1), (ROWS,)),
        (lambda x, h: signal.resample_poly(x, 7, 3, window=h), (LINE, WEIGHTS)),
        (lambda x: signal.decimate(x, 2), (LONG,)),
        (lambda x: signal.decimate(x, 3, 4, axis=0, zero_phase=False), (ROWS.T,)),
        (lambda x: signal.decimate(x, 2, ftype="fir"), (LONG,)),
        (lambda x: signal.decimate(x, 3, 5, "fir", zero_phase=False), (ROWS,)),
    ],
)
def test_other_rates(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128, np.int64])
def test_the_definitions_give_what_scipy_gives(kind: Any, monkeypatch: pytest.MonkeyPatch):
    for module in (filters, resampling):
        monkeypatch.setattr(module, "recurrence", signal.lfilter)
    for count in (1, 2, 7, 50):
        x = (10 * RNG.normal(size=(2, count))).astype(kind)
        for up, down in ((1, 2), (2, 1), (3, 2), (2, 3), (7, 4), (4, 6), (1, 1)):
            options: list[dict[str, Any]] = [{}, {"window": WEIGHTS}, {"window": WEIGHTS[:1]}]
            if not np.issubdtype(kind, np.complexfloating):
                options += [{"padtype": name} for name in ("mean", "median", "minimum", "maximum")]
            for more in options:
                _same_to_rounding("resample_poly", x, up, down, 1, **more)
            _same_to_rounding("upfirdn", WEIGHTS.astype(kind), x, up, down)
        for q in (2, 3, 5):
            for more in ({"zero_phase": True}, {"zero_phase": False}):
                _same_to_rounding("decimate", x, q, ftype="fir", **more)
                for n in (None, 1, 2, 3, 4, 7) if count == 50 else ():
                    _same_to_rounding("decimate", x, q, n, **more)


def _same_to_rounding(name: str, *args: Any, **options: Any) -> None:
    expected = getattr(signal, name)(*args, **options)
    found = getattr(resampling, name)(*args, **options)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), (name, options)
    tolerance = 1e-4 if expected.dtype.char in "fF" else 1e-11
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=10 * tolerance)


def test_single_precision_stays():
    x = LINE.astype(np.float32)
    g = sd.grad(lambda x: np.sum(signal.resample_poly(x, 3, 2) ** 2))(x)
    assert g.dtype == np.float32
    expected = sd.grad(lambda x: np.sum(signal.resample_poly(x, 3, 2) ** 2))(LINE)
    np.testing.assert_allclose(g, expected, rtol=2e-4)


def test_rates_and_lengths_may_be_arguments():
    def power(x: Any, up: int, down: int) -> Any:
        return np.sum(signal.resample_poly(x, up, down) ** 2)

    slopes = sd.grad(power)
    for count in (0, 1, 5, 12):
        x = LINE[:count]
        for up, down in ((3, 2), (1, 4), (2, 2)):
            table = signal.resample_poly(np.eye(count), up, down).T
            np.testing.assert_allclose(slopes(x, up, down), 2 * table @ (table.T @ x), atol=1e-12)


def test_short_signals():
    def total(x: Any) -> Any:
        return np.sum(signal.upfirdn(WEIGHTS, x, 2, 1))

    slopes = sd.grad(total)
    for count in (0, 1, 2):
        np.testing.assert_allclose(slopes(np.ones(count)), np.full(count, np.sum(WEIGHTS)))


def test_what_is_not_taken_is_refused():
    for function, told in (
        (lambda x: signal.upfirdn(WEIGHTS, x, mode="wrap"), "wrap"),
        (lambda x: signal.resample_poly(x, 2, 3, padtype="antireflect"), "antireflect"),
        (lambda x: signal.resample_poly(x, 2, 3, cval=1.0), "cval"),
    ):
        with pytest.raises(sd.UnsupportedCallError, match=told):
            sd.vjp(function, LINE)
