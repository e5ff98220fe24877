"""Fits and fixed points: derivatives of where the equations hold, found by Newton's method here."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError

optimize = pytest.importorskip("scipy.optimize")

T = np.linspace(0.0, 2.0, 6)
Y = np.array([1.1, 0.8, 0.45, 0.5, 0.3, 0.2])


def model(t: Any, a: Any, b: Any) -> Any:
    return a * np.exp(-b * t)


def decay(y: Any, weights: Any = 1.0) -> Any:
    """The parameters of the decay with the least squares."""
    p = np.array([1.1, 0.8])
    for _ in range(30):
        e = np.exp(-p[1] * T)
        r, j = weights * (p[0] * e - y), weights * np.stack((e, -p[0] * T * e))
        bend = np.array([[0.0, np.sum(-T * e * weights * r)], [0.0, 0.0]])
        curved = j @ j.T + bend + bend.T
        curved[1, 1] += np.sum(p[0] * T * T * e * weights * r)
        p = p - np.linalg.solve(curved, j @ r)
    return p


def jacobian(function: Any, y: Any, step: float = 1e-4) -> Any:
    """By central differences of order four."""
    columns = []
    for k in range(len(y)):
        e = np.eye(len(y))[k] * step
        near, far = function(y + e) - function(y - e), function(y + 2 * e) - function(y - 2 * e)
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=1)


def by_curve_fit(y: Any) -> Any:
    found, _ = optimize.curve_fit(model, T, y, xtol=1e-14, ftol=1e-14)
    return found


def by_least_squares(y: Any) -> Any:
    def residuals(p: Any) -> Any:
        return model(T, p[0], p[1]) - y

    tight = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
    return optimize.least_squares(residuals, np.ones(2), **tight).x


@pytest.mark.parametrize("fit", [by_curve_fit, by_least_squares])
def test_a_fit_is_differentiated_by_what_it_fits(fit: Any) -> None:
    expected = jacobian(decay, Y)
    np.testing.assert_allclose(sd.jacobian(fit)(Y), expected, rtol=1e-6)
    value, tangent = sd.jvp(fit, (Y,), (T,))
    np.testing.assert_array_equal(value, fit(Y))
    np.testing.assert_allclose(tangent, expected @ T, rtol=1e-6)


def test_a_fit_with_weights_is_differentiated_by_them() -> None:
    sigma = 1.0 + 0.1 * T

    def fitted(sigma: Any) -> Any:
        return optimize.curve_fit(model, T, Y, [1.0, 0.7], sigma, xtol=1e-14)[0]

    expected = jacobian(lambda s: decay(Y, 1.0 / s), sigma)
    np.testing.assert_allclose(sd.jacobian(fitted)(sigma), expected, atol=2e-7)  # as it is solved


def test_what_a_fit_raises_and_refuses() -> None:
    with pytest.raises(RuntimeError, match="Optimal parameters not found"):
        sd.grad(lambda y: optimize.curve_fit(model, T, y, [1.0, 0.7], maxfev=2)[0][0])(Y)
    with pytest.raises(ValueError, match="infs or NaNs"):
        sd.grad(lambda y: optimize.curve_fit(model, T, y)[0][0])(np.full(6, np.nan))
    with pytest.raises(UnsupportedCallError, match="jac="):
        sd.grad(lambda y: optimize.curve_fit(model, T, y, jac="2-point")[0][0])(Y)
    with pytest.raises(UnsupportedCallError, match="loss="):
        sd.grad(lambda y: optimize.least_squares(lambda p: p - y, y, loss=model).x[0])(Y)


def slopes(t: Any, a: Any, b: Any) -> Any:
    e = np.exp(-b * t)
    return np.stack((e, -a * t * e), axis=1)


@pytest.mark.parametrize(
    "fit",
    [
        lambda y: optimize.curve_fit(model, T, y, jac=slopes, xtol=1e-14, ftol=1e-14)[0],
        lambda y: optimize.curve_fit(model, T, y, bounds=(0, [5, np.inf]), xtol=1e-15, gtol=1e-15)[
            0
        ],
        lambda y: optimize.curve_fit(model, T, y, None, 2.0 * np.eye(6), xtol=1e-14)[0],
        lambda y: optimize.leastsq(
            lambda p: model(T, p[0], p[1]) - y, [1.0, 1.0], full_output=True, xtol=1e-14
        )[0],
        lambda y: (
            optimize.least_squares(
                *(lambda p: model(T, *p) - y, np.ones(2), lambda p: slopes(T, *p)),
                xtol=1e-15,
                gtol=1e-15,
            ).x
        ),
    ],
)
def test_fits_with_slopes_bounds_and_covariances(fit: Any) -> None:
    np.testing.assert_array_equal(sd.vjp(fit, Y)[0], fit(Y))
    np.testing.assert_allclose(
        sd.jacobian(fit)(Y), jacobian(decay, Y), atol=2e-7
    )  # as it is solved


def test_a_fit_by_a_covariance_is_differentiated_by_it() -> None:
    """Of weights alone it is the fit by these."""

    def fitted(sigma: Any) -> Any:
        return optimize.curve_fit(model, T, Y, [1.0, 0.7], np.diag(sigma**2), xtol=1e-14)[0]

    sigma = 1.0 + 0.1 * T
    expected = jacobian(lambda s: decay(Y, 1.0 / s), sigma)
    np.testing.assert_allclose(sd.jacobian(fitted)(sigma), expected, atol=2e-7)  # as it is solved


LOSSES = {
    "soft_l1": lambda z: 2 * ((1 + z) ** 0.5 - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.sqrt(z) - 1),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_robust_fit_is_differentiated_by_its_data(loss: str) -> None:
    """A place of data, one of them far away: by the equation that its slope is 0."""
    data, scale = np.array([0.2, 0.5, -0.1, 0.3, 2.4]), 0.8

    def fitted(data: Any, scale: Any) -> Any:
        given: Any = {"loss": loss, "f_scale": scale, "xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
        found = optimize.least_squares(lambda p: p[0] - data, [0.3], **given)
        return found.x[0]

    def rate(x: float, data: Any, scale: Any) -> Any:
        z, h = ((x - data) / scale) ** 2, 1e-4
        rho = LOSSES[loss]
        rise = (8 * (rho(z + h) - rho(z - h)) - rho(z + 2 * h) + rho(z - 2 * h)) / (12 * h)
        return np.sum(rise * (x - data))

    def exact(data: Any, scale: Any) -> float:
        return float(optimize.brentq(rate, -0.2, 0.8, (data, scale), xtol=1e-14))

    assert fitted(data, scale) == pytest.approx(exact(data, scale), abs=1e-6)
    by_data, by_scale = sd.grad(fitted, argnums=(0, 1))(data, scale)
    near = jacobian(lambda d: np.array([exact(d, scale)]), data, 1e-3)[0]
    np.testing.assert_allclose(by_data, near, atol=1e-5)
    near = jacobian(lambda s: np.array([exact(data, s[0])]), np.array([scale]), 1e-3)[0]
    assert by_scale == pytest.approx(near[0], abs=1e-5)


def test_a_fixed_point_and_a_root_by_slopes() -> None:
    def both(a: Any) -> Any:
        x = optimize.fixed_point(lambda t: a * np.cos(t), 0.6, xtol=1e-13)
        return x + optimize.newton(lambda t: t**3 - a, 1.0, lambda t: 3 * t * t, tol=1e-13)

    x = float(optimize.fixed_point(lambda t: 0.9 * np.cos(t), 0.6, xtol=1e-13))
    expected = np.cos(x) / (1 + 0.9 * np.sin(x)) + 0.9 ** (-2 / 3) / 3
    assert sd.grad(both)(0.9) == pytest.approx(expected, rel=1e-9)
    warned = pytest.warns(sd.ConvergenceWarning)
    with warned, pytest.raises(RuntimeError, match="Failed to converge"):
        sd.grad(lambda a: optimize.newton(lambda t: t**3 - a, 9.0, lambda t: 3 * t * t, maxiter=2))(
            0.9
        )


def test_parameters_that_the_data_do_not_tell_leave_the_others_theirs() -> None:
    """Of two factors the product is known only; rates and offsets are those of one factor."""
    x = np.linspace(0.0, 1.0, 12)
    y = np.exp(-x) + 0.1 * np.cos(9 * x)

    def of_two(x: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        return a * d * np.exp(-b * x) + c

    def of_one(x: Any, a: Any, b: Any, c: Any) -> Any:
        return a * np.exp(-b * x) + c

    def told(model: Any, y: Any) -> Any:
        return np.sum(optimize.curve_fit(model, x, y, ftol=1e-14, xtol=1e-14)[0][1:3])

    step, along = 1e-4, np.cos(np.arange(12.0))
    ahead, behind = told(of_one, y + step * along), told(of_one, y - step * along)
    slope = sd.grad(lambda y: told(of_two, y))(y)
    assert slope @ along == pytest.approx((ahead - behind) / (2 * step), rel=1e-3)


WITHIN = {
    "bounds": {"bounds": (0.0, [3.0, 2.0, 0.6])},
    "a bound that holds": {"bounds": (0.0, [3.0, 1.2, 0.6])},
    "scales": {"method": "trf", "x_scale": [2.0, 1.0, 1.0]},
    "absolute": {"method": "dogbox", "absolute_sigma": True, "sigma": np.full(9, 0.3)},
    "slopes": {
        "bounds": (0.0, 9.0),
        "jac": lambda x, a, b, c: np.stack((np.exp(-b * x), -a * x * np.exp(-b * x), 1 + 0 * x), 1),
    },
}


@pytest.mark.parametrize("name", WITHIN)
def test_covariances_of_fits_by_other_methods(name: str) -> None:
    x = np.linspace(0.0, 2.0, 9)
    y = 2.5 * np.exp(-1.3 * x) + 0.5 + 0.05 * np.cos(9 * x)
    given = {"ftol": 1e-14, "xtol": 1e-14, "gtol": 1e-14, **WITHIN[name]}

    def fitted(y: Any) -> Any:
        return optimize.curve_fit(
            lambda x, a, b, c: a * np.exp(-b * x) + c, x, y, check_finite=True, **given
        )

    def told(y: Any) -> Any:
        found, covariance = fitted(y)
        return found @ np.array([1.0, 2.0, -1.0]) + 1e3 * np.sum(covariance * np.arange(3.0))

    value, _ = sd.vjp(fitted, y)
    for ours, theirs in zip(value, fitted(y), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    along, step = np.cos(x), 2e-4

    def central(h: float) -> Any:
        return (told(y + h * along) - told(y - h * along)) / (2 * h)

    expected = (4 * central(step / 2) - central(step)) / 3
    slope = sd.grad(told)
    assert slope(y) @ along == pytest.approx(expected, rel=1e-3)
    assert sd.jvp(told, (y,), (along,))[1] == pytest.approx(slope(y) @ along, rel=1e-9)
    bend = (slope(y + 1e-3 * along) - slope(y - 1e-3 * along)) / 2e-3
    np.testing.assert_allclose(
        sd.hvp(told)(y, along), bend, rtol=1e-4, atol=1e-4 * np.max(np.abs(bend))
    )


def _line_of_factors(t: Any, a: Any, b: Any, c: Any) -> Any:
    return a * np.exp(b) * t + c


TIGHT: dict[str, Any] = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}
UNDETERMINED = {
    "curve_fit": lambda y, t: optimize.curve_fit(
        _line_of_factors, t, y, p0=(1.0, 0.5, 0.0), ftol=1e-15, xtol=1e-15
    )[0],
    "bounds": lambda y, t: optimize.curve_fit(
        _line_of_factors, t, y, p0=(1.0, 0.5, 0.0), bounds=(-9.0, 9.0), **TIGHT
    )[0],
    "leastsq": lambda y, t: optimize.leastsq(
        lambda p: _line_of_factors(t, p[0], p[1], p[2]) - y,
        (1.0, 0.5, 0.0),
        ftol=1e-15,
        xtol=1e-15,
    )[0],
    "least_squares": lambda y, t: (
        optimize.least_squares(
            lambda p: _line_of_factors(t, p[0], p[1], p[2]) - y, (1.0, 0.5, 0.0), **TIGHT
        ).x
    ),
}


@pytest.mark.parametrize("name", UNDETERMINED)
@pytest.mark.filterwarnings("ignore:Covariance of the parameters")
def test_parameters_that_the_data_do_not_determine_have_no_derivative(name: str) -> None:
    """Of a slope that is a product of two the offset is known, by the regression line."""
    fitted, t = UNDETERMINED[name], np.linspace(0.1, 1.0, 6)
    y, along = np.array([0.1, 0.5, 0.3, 0.9, 1.2, 1.0]), np.cos(np.arange(6.0))
    offset = 1 / 6 - (t - t.mean()) * t.mean() / np.sum((t - t.mean()) ** 2)
    for k in (0, 1):
        assert np.all(np.isnan(sd.grad(lambda y, k=k: fitted(y, t)[k])(y)))
        assert np.isnan(sd.jvp(lambda y, k=k: fitted(y, t)[k], (y,), (along,))[1])
        assert np.all(np.isnan(sd.hvp(lambda y, k=k: fitted(y, t)[k] ** 2)(y, along)))
    np.testing.assert_allclose(sd.grad(lambda y: fitted(y, t)[2])(y), offset, rtol=1e-6)
    slope = sd.jvp(lambda y: fitted(y, t)[2], (y,), (along,))[1]
    assert slope == pytest.approx(offset @ along, rel=1e-6)
    bend = sd.hvp(lambda y: fitted(y, t)[2] ** 2)(y, along)
    np.testing.assert_allclose(bend, 2 * offset * (offset @ along), rtol=1e-5)


def test_parameters_of_very_different_sizes_are_determined() -> None:
    """The parameters of a line, in units that are 24 powers of ten apart."""
    t, along = np.linspace(0.1, 1.0, 6), np.cos(np.arange(6.0))
    y = np.array([0.1, 0.5, 0.3, 0.9, 1.2, 1.0])

    def fitted(y: Any) -> Any:
        return optimize.least_squares(
            lambda p: 1e12 * p[0] * t + 1e-12 * p[1] - y, (1e-12, 1e12), x_scale=(1e-12, 1e12)
        ).x

    rows = np.linalg.pinv(np.stack((t, np.ones(6)), axis=1))
    for row, unit, k in zip(rows, (1e-12, 1e12), (0, 1), strict=True):
        slope = sd.grad(lambda y, k=k: fitted(y)[k])(y)
        np.testing.assert_allclose(slope / unit, row, rtol=1e-6)
        assert sd.jvp(lambda y, k=k: fitted(y)[k], (y,), (along,))[1] == pytest.approx(
            unit * (row @ along), rel=1e-6
        )


@pytest.mark.parametrize("name", ["curve_fit", "leastsq", "least_squares"])
def test_derivatives_of_fits_stand_alone(name: str, tmp_path: Any) -> None:
    """What tells whether the data determine a parameter is part of an exported module."""
    fitted, t = UNDETERMINED[name], np.linspace(0.1, 1.0, 6)
    y = np.array([0.1, 0.5, 0.3, 0.9, 1.2, 1.0])

    def offset(y: Any) -> Any:
        return fitted(y, t)[2]

    slope = sd.grad(offset)
    slope.export(tmp_path / "fit.py", y)
    made = runpy.run_path(str(tmp_path / "fit.py"))["offset_grad"]
    np.testing.assert_array_equal(made(y), slope(y))
