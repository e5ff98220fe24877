"""Derivatives of hypergeometric functions and of zeta by their parameters, against mpmath."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.ops import series_values, zeta_values

special = pytest.importorskip("scipy.special")
mp = mpmath.mp.clone()
mp.dps = 40


def exact(function: Any, point: Any, orders: tuple[int, ...]) -> float:
    given = [mp.mpf(float(x)) for x in point]
    if not any(orders):
        return float(function(*given))
    return float(
        mp.diff(
            function,
            given[0] if len(given) == 1 else tuple(given),
            orders if len(given) > 1 else orders[0],
        )
    )


CONFLUENT = [
    *((1.0, 1.0, 1.0), (0.3, 1.7, -2.5), (2.5, 0.7, 10.0), (3.0, 1.2, -60.0), (1.0, 2.0, 0.0)),
    *((1.5, 100.0, 50.0), (-2.0, 1.5, 3.0), (-2.5, 1.5, -30.0), (40.0, 0.5, -20.0)),
]
GAUSS = [
    *((0.3, 1.2, 2.2, 0.3), (0.3, 1.2, 2.2, 0.9), (1.3, 1.2, 2.0, 0.99), (0.5, 0.5, 1.0, -3.0)),
    *(
        (0.5, 1.7, 1.3, -20.0),
        (-3.0, 1.5, 2.2, 0.8),
        (10.0, -2.5, 0.3, 0.95),
        (1.0, 2.0, 3.0, 0.0),
    ),
]
LIMIT = [(1.0, 1.0), (0.3, -20.0), (2.5, 300.0), (1.5, -900.0)]


@pytest.mark.parametrize(
    ("function", "reference", "point"),
    [
        *((series_values.hypergeometric_0f1, mp.hyp0f1, point) for point in LIMIT),
        *((series_values.hypergeometric_1f1, mp.hyp1f1, point) for point in CONFLUENT),
        *((series_values.hypergeometric_2f1, mp.hyp2f1, point) for point in GAUSS),
    ],
)
def test_hypergeometric(function: Any, reference: Any, point: tuple[float, ...]) -> None:
    count = len(point)
    firsts = [tuple(int(k == j) for k in range(count)) for j in range(count - 1)]
    seconds = [
        tuple(map(sum, zip(*pair, strict=True))) for pair in itertools.product(firsts[:1], firsts)
    ]
    mixed = [(*firsts[-1][:-1], 1)]
    for orders in (*firsts, *seconds, *mixed):
        expected = exact(reference, point, orders)
        assert function(*point, orders=orders) == pytest.approx(expected, rel=1e-13, abs=1e-300)


def test_outside_of_their_domain() -> None:
    with np.errstate(all="raise"):
        assert np.isnan(series_values.hypergeometric_2f1(1.0, 2.0, 3.0, 1.5, orders=(1, 0, 0, 0)))
        assert np.isnan(series_values.hypergeometric_2f1(1.0, 2.0, -3.0, 0.5, orders=(1, 0, 0, 0)))
        assert np.isnan(series_values.hypergeometric_1f1(1.0, -2.0, 0.5, orders=(1, 0, 0)))
        assert np.isnan(series_values.hypergeometric_1f1(np.nan, 2.0, 0.5, orders=(1, 0, 0)))
        assert np.isnan(series_values.hypergeometric_1f1(1.0, 2.0, -1e9, orders=(1, 0, 0)))
        assert (
            series_values.hypergeometric_1f1(np.ones((0, 2)), 2.0, 1.0, orders=(1, 0, 0)).size == 0
        )
        assert np.isnan(zeta_values.zeta_slope(0.5, 1.0, orders=(1, 0)))
        assert np.isnan(zeta_values.zeta_slope(2.0, -0.5, orders=(1, 0)))
        np.testing.assert_equal(
            zeta_values.riemann_slope(np.array([1.0, np.nan]), orders=(1,)), np.nan
        )


@pytest.mark.parametrize("orders", [(1, 0), (2, 0), (1, 1)])
def test_hurwitz_by_the_exponent(orders: tuple[int, int]) -> None:
    for point in ((2.0, 1.0), (1.01, 0.3), (3.5, 100.0), (1.000001, 2.0), (30.0, 0.5), (2.5, 1e-3)):
        expected = exact(mp.zeta, point, orders)
        assert zeta_values.zeta_slope(*point, orders=orders) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_riemann(order: int) -> None:
    for s in (2.5, 0.5, 0.0, -0.5, -1.9, -2.0, -3.0, -7.3, -20.0, -100.3, 1.001, 0.999, 1e-9):
        expected = exact(mp.zeta, (s,), (order,))
        found = zeta_values.riemann_slope(s, orders=(order,))
        assert found == pytest.approx(expected, rel=1e-11)


CALLS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "hyp0f1": (special.hyp0f1, mp.hyp0f1, ([0.7, 2.5], [1.5, -3.0])),
    "hyp1f1": (special.hyp1f1, mp.hyp1f1, ([0.7, -1.3], [2.5, 0.4], [1.5, -3.0])),
    "hyp2f1": (special.hyp2f1, mp.hyp2f1, ([0.7, 1.3], [2.5, 0.4], [1.9, 2.2], [0.8, -3.0])),
    "zeta": (special.zeta, mp.zeta, ([1.7, 4.0], [0.5, 2.0])),
    "riemann": (lambda x: special.zeta(x), mp.zeta, ([1.7, -2.5],)),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients_to_order_two(name: str) -> None:
    function, reference, given = CALLS[name]
    point = tuple(map(np.array, given))
    count = len(point)
    units = [tuple(int(k == j) for k in range(count)) for j in range(count)]

    def total(*x: Any) -> Any:
        return np.sum(function(*x))

    def partials(*which: tuple[int, ...]) -> Any:
        orders = tuple(map(sum, zip(*which, strict=True)))
        return np.array([exact(reference, place, orders) for place in zip(*point, strict=True)])

    gradients = sd.grad(total, argnums=tuple(range(count)))(*point)
    for unit, gradient in zip(units, gradients, strict=True):
        np.testing.assert_allclose(gradient, partials(unit), rtol=1e-10)
    ones = tuple(np.ones(2) for _ in point)
    _, tangent = sd.jvp(function, point, ones)
    np.testing.assert_allclose(tangent, sum(map(partials, units)), rtol=1e-9)
    _, second = sd.jvp(sd.grad(total), point, ones)
    expected = sum(partials(units[0], unit) for unit in units)
    np.testing.assert_allclose(second, expected, rtol=1e-9)
    single = sd.grad(total)(*(x.astype(np.float32) for x in point))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, gradients[0], rtol=3e-5)


def test_complex_arguments_are_refused_by_parameters() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="hyp1f1 of complex numbers by 'a'"):
        sd.grad(lambda a: np.abs(special.hyp1f1(a, 1.2, 2.0 + 1j)))(1.5)


def test_a_derivative_by_an_order_or_a_parameter_stands_alone(tmp_path: Any) -> None:

    def f(v: Any, x: Any) -> Any:
        series = special.hyp2f1(v, 1.2, 2.0, 0.3 * x) + special.zeta(1.5 + v, x)
        return np.sum(special.jv(v, x) + series + special.ellipkinc(0.5, 0.3 * v))

    v, x, path = np.array([0.5, 1.2]), np.array([1.0, 2.0]), tmp_path / "alone.py"
    sd.grad(f).export(path, v, x)
    code = "import sys; sys.modules['symdiff'] = None; import numpy as np, alone; "
    code += "print(*alone.f_grad(np.array([0.5, 1.2]), np.array([1.0, 2.0])))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = [float(word) for word in done.stdout.split()]
    np.testing.assert_array_equal(found, sd.grad(f)(v, x))
