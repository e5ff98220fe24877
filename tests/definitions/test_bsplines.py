"""B-splines of ``scipy.interpolate``, against SciPy's values, every bit, and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

interpolate = pytest.importorskip("scipy.interpolate")

KNOTS = np.linspace(0.0, 6.0, 10)
T, C, K = interpolate.splrep(KNOTS, np.sin(KNOTS))
Q = np.array([[0.3, 1.1, 2.5], [4.4, 5.0, 1.7]])
BEYOND = np.array([-0.4, 0.3, 6.3])
SPLINE = interpolate.make_interp_spline(KNOTS, np.cos(KNOTS), k=5)
ROWS, COLUMNS = np.meshgrid(np.linspace(0.0, 3.0, 8), np.linspace(0.0, 2.0, 7), indexing="ij")
TABLE = interpolate.bisplrep(ROWS, COLUMNS, np.sin(ROWS) * np.exp(COLUMNS), kx=3, ky=2, s=0)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.one_in(4)
def test_splines_and_their_derivatives(order: int) -> None:
    check(lambda q: interpolate.splev(q, (T, C, K), der=order), Q)
    check(lambda q: SPLINE(q, order), Q)
    check(lambda q: interpolate.splev(q, SPLINE, der=order), Q)


def test_splines_by_their_coefficients_and_knots() -> None:
    inner = T.copy()
    inner[4:-4] += 0.01
    check(lambda c, t: interpolate.splev(Q, (t, c, K)), C, inner, wrt=(0, 1), step=1e-3)


@pytest.mark.parametrize("ext", [0, 1, 3])
def test_points_beyond_the_knots(ext: int) -> None:
    check(lambda q: interpolate.splev(q, (T, C, K), ext=ext), BEYOND)


def test_points_beyond_the_knots_are_an_error_where_that_is_asked_for() -> None:
    with pytest.raises(ValueError, match="not in the domain"):
        sd.vjp(lambda q: interpolate.splev(q, (T, C, K), ext=2), BEYOND)


@pytest.mark.parametrize("extrapolate", [True, "periodic"])
def test_splines_that_go_on(extrapolate: Any) -> None:
    check(lambda q: SPLINE(q, extrapolate=extrapolate), BEYOND)


def test_a_spline_at_one_number() -> None:
    check(lambda q: float(interpolate.splev(q, (T, C, K))) * q, 0.7)


def test_surfaces() -> None:
    check(
        lambda x, y: interpolate.bisplev(x, y, TABLE),
        np.array([0.4, 1.3, 2.2]),
        np.array([0.3, 1.9]),
        wrt=(0, 1),
    )
    check(lambda x, y: interpolate.bisplev(x, y, TABLE), 1.3, 0.8, wrt=(0, 1))
    check(lambda x, y: interpolate.bisplev(x, y, TABLE), 3.3, 0.8, wrt=(0, 1))


def test_curves_of_several_coordinates() -> None:
    tck, _ = interpolate.splprep([np.cos(KNOTS), np.sin(KNOTS)])
    check(lambda q: interpolate.splev(q, tck)[0], Q / 6.0)
    with pytest.raises(sd.UnsupportedCallError, match="several coordinates"):
        sd.vjp(lambda q: q * interpolate.splder(tck)[1][0][0], Q / 6.0)
