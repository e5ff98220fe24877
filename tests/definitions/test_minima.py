"""Minima under constraints, and minima and roots with slopes that are given."""

from __future__ import annotations

from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import pytest

import symdiff as sd

optimize = pytest.importorskip("scipy.optimize")

P = np.array([0.7, 1.4, 0.9])
WEIGHTS = np.array([1.0, -2.0, 0.5])
TIGHT: Any = {"ftol": 1e-13, "maxiter": 500}


def _nearest(p: Any, **given: Any) -> Any:
    """The point that is nearest to ``2 * p``."""
    return optimize.minimize(lambda x: np.sum((x - 2 * p) ** 2), np.zeros(3), **given)


def _on_a_plane(p: Any) -> Any:
    plane = {"type": "eq", "fun": lambda x: x[0] + p[1] * x[1] - 1}
    return _nearest(p, constraints=plane, options=TIGHT).x


def _its_foot(p: Any) -> Any:
    normal = anp.array([1.0, p[1], 0.0])
    return 2 * p - normal * (2 * p[0] + 2 * p[1] ** 2 - 1) / (1 + p[1] ** 2)


def _in_a_ball(p: Any) -> Any:
    def inside(x: Any, radius: Any) -> Any:
        return radius**2 - x @ x

    def slope(x: Any, radius: Any) -> Any:
        return -2 * x

    given = [
        {"type": "INEQ", "fun": inside, "jac": slope, "args": (p[0],)},
        {"type": "ineq", "fun": lambda x: x + 10},  # these are idle
    ]
    return _nearest(p, method="SLSQP", constraints=given, options={"ftol": 1e-10}).x


def _on_its_surface(p: Any) -> Any:
    return p[0] * p / anp.sqrt(anp.sum(p**2))


def _in_a_box(p: Any) -> Any:
    """Of which one bound is met: the others share what is left of the sum."""
    given: Any = {"bounds": [(0, 1.0), (None, None), (None, 50)], "options": TIGHT}
    total = {"type": "eq", "fun": lambda x: np.sum(x) - p[2]}
    return _nearest(p, jac=lambda x: 2 * (x - 2 * p), constraints=(total,), **given).x


def _without_sum(p: Any) -> Any:
    """All three are moved by the same amount until the first one leaves at 0."""
    apart = (2 * p[1] + 2 * p[2] - p[2]) / 2
    return anp.array([0.0, 2 * p[1] - apart, 2 * p[2] - apart])


def _with_room(p: Any) -> Any:
    return _nearest(p, constraints={"type": "ineq", "fun": lambda x: 9 - x @ x * p[0] / 9}).x


@pytest.mark.parametrize(
    ("found", "exact"),
    [
        (_on_a_plane, _its_foot),
        (_in_a_ball, _on_its_surface),
        (_in_a_box, _without_sum),
        (_with_room, lambda p: 2 * p),
    ],
)
def test_minima_under_constraints(found: Any, exact: Any) -> None:
    def ours(p: Any) -> Any:
        return np.dot(found(p) ** 2, WEIGHTS)

    def theirs(p: Any) -> Any:
        return anp.dot(exact(p) ** 2, WEIGHTS)

    np.testing.assert_allclose(found(P), exact(P), atol=1e-6)
    np.testing.assert_allclose(sd.grad(ours)(P), autograd.grad(theirs)(P), atol=1e-6)
    tangent = sd.jvp(ours, (P,), (WEIGHTS,))[1]
    np.testing.assert_allclose(tangent, autograd.grad(theirs)(P) @ WEIGHTS, atol=1e-6)
    np.testing.assert_allclose(sd.hessian(ours)(P), autograd.hessian(theirs)(P), atol=1e-5)


def test_the_least_value_under_a_constraint_moves_by_its_multiplier() -> None:
    def least(bound: Any) -> Any:
        line = {"type": "eq", "fun": lambda x: x[0] + x[1] - bound}
        return optimize.minimize(lambda x: x @ x, np.ones(2), constraints=line, tol=1e-12)["fun"]

    value, slope = sd.value_and_grad(least)(0.8)
    assert value == least(0.8)
    assert slope == pytest.approx(0.8)
    assert sd.grad(sd.grad(least))(0.8) == pytest.approx(1.0)


def test_constraints_that_depend_on_each_other_leave_no_derivative() -> None:
    def found(a: Any, c: Any) -> Any:
        above = {"type": "ineq", "fun": lambda x: x[0] - a}
        same = {"type": "ineq", "fun": lambda x: x[0] - a + c * x[1]}
        given = {"constraints": (above, same), "options": {"ftol": 1e-12}}
        return optimize.minimize(lambda x: x @ x, np.ones(2), **given).x[0]

    assert sd.grad(found)(0.8, 1e-3) == pytest.approx(1.0, abs=2e-3)
    with pytest.raises(np.linalg.LinAlgError):
        sd.grad(found)(0.8, 0.0)


def _shares(x: Any, p: Any) -> Any:
    return np.sum((x - p) ** 2 * (1 + x**2)) / 2


def _slope(x: Any, p: Any) -> Any:
    return (x - p) * (1 + x**2) + x * (x - p) ** 2


def _bend(x: Any, p: Any) -> Any:
    return np.diag(1 + x**2 + 4 * x * (x - p) + (x - p) ** 2)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-exact"])
def test_second_derivatives_are_taken(method: str) -> None:
    def found(p: Any) -> Any:
        given: Any = {"method": method, "jac": _slope, "hess": _bend, "tol": 1e-12}
        return optimize.minimize(_shares, P, (p,), **given).x

    np.testing.assert_allclose(sd.jacobian(found)(P), np.eye(3), atol=1e-6)  # the minimum is p


def test_old_names_of_minima_print_as_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    def found(p: Any) -> Any:
        x = optimize.fmin(lambda x: np.sum((x - p) ** 2), np.ones(3), xtol=1e-9, maxfun=2000)
        x = x + optimize.fmin_bfgs(_shares, x, _slope, (p,), disp=False)
        return x + optimize.fmin_cg(_shares, x, args=(p,), gtol=1e-7, disp=0)

    found(P)
    told = capsys.readouterr().out
    assert "Optimization terminated successfully" in told
    value, pullback = sd.vjp(found, P)
    np.testing.assert_array_equal(value, found(P))
    assert told in capsys.readouterr().out
    np.testing.assert_allclose(pullback(WEIGHTS)[0], 3 * WEIGHTS, atol=1e-5)


def test_roots_with_slopes_and_what_is_told() -> None:
    def by_newton(p: Any) -> Any:
        return optimize.newton(lambda x, p: x**3 - p, P, lambda x, p: 3 * x**2, (p,), tol=1e-13)

    def by_fsolve(p: Any) -> Any:
        x, more, told, _ = optimize.fsolve(lambda x: x**3 - p, P, full_output=True, xtol=1e-13)
        return x * told + more["fvec"]

    for found in (by_newton, by_fsolve):
        np.testing.assert_array_equal(sd.vjp(found, P)[0], found(P))
        np.testing.assert_allclose(sd.jacobian(found)(P), np.diag(P ** (-2 / 3) / 3), rtol=1e-9)


def test_rosens_second_derivatives() -> None:
    def product(x: Any, p: Any) -> Any:
        return np.sum(optimize.rosen_hess(x) * WEIGHTS) + optimize.rosen_hess_prod(x, p) @ WEIGHTS

    def rosen(x: Any) -> Any:
        return anp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    def exact(x: Any, p: Any) -> Any:
        bend = autograd.hessian(rosen)(x)
        return anp.sum(bend * WEIGHTS) + anp.dot(anp.dot(bend, p), WEIGHTS)

    for k in (0, 1):
        ours = sd.grad(product, argnums=k)(P, WEIGHTS)
        np.testing.assert_allclose(ours, autograd.grad(exact, k)(P, WEIGHTS), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: _nearest(p, constraints={"type": "eq", "fun": np.sum}, method="COBYLA"), "COB"),
        (lambda p: _nearest(p, constraints=[optimize.LinearConstraint(np.eye(3))]), "dict"),
        (lambda p: _nearest(p, hessp=lambda x, v: 2 * v, jac=lambda x: x), "hessp="),
        (lambda p: _nearest(p, hess=lambda x: np.eye(3)), "without jac="),
    ],
)
def test_what_is_not_taken_is_refused(call: Any, message: str) -> None:
    message = "another method than 'SLSQP'" if message == "COB" else message
    with pytest.raises(sd.UnsupportedCallError, match=message):
        sd.grad(lambda p: call(p).x[0])(P)
