"""Minima under constraints, and minima and roots with slopes that are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

try:
    import autograd
    import autograd.numpy as anp
except ImportError:
    autograd, anp = None, np

optimize = pytest.importorskip("scipy.optimize")
by_autograd = pytest.mark.skipif(autograd is None, reason="autograd is one of the peers")

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
@by_autograd
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


@by_autograd
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


def _row(p: Any) -> Any:
    return np.array([[1.0, 0.0, 0.0]]) + p[1] * np.array([[0.0, 1.0, 0.0]])


def _ball(p: Any, **given: Any) -> Any:
    return optimize.NonlinearConstraint(lambda x: x @ x, -np.inf, p[0] ** 2, **given)


def _room(p: Any) -> Any:
    return {"type": "ineq", "fun": lambda x: p[0] ** 2 - x @ x}


def _sloped(p: Any) -> Any:
    return lambda x: (np.sum((x - 2 * p) ** 2), 2 * (x - 2 * p))


PLANE = optimize.LinearConstraint(np.ones((1, 3)), 1.0, 1.0)
ROUND = optimize.NonlinearConstraint(lambda x: x @ x, -np.inf, 0.49)
NEAR = {"ftol": 1e-9}
BOX = optimize.Bounds([0.0, 0.0, 0.0], [1.0, 1.0, 50.0])
Z = np.zeros(3)
OTHERS = {
    "linear": (
        lambda p: (
            _nearest(p, constraints=optimize.LinearConstraint(_row(p), 1, 1), options=TIGHT).x
        ),
        _its_foot,
    ),
    "nonlinear": (lambda p: _nearest(p, constraints=[_ball(p)], options=NEAR).x, _on_its_surface),
    "nonlinear with slopes": (
        lambda p: _nearest(p, constraints=_ball(p, jac=lambda x: 2 * x), options=NEAR).x,
        _on_its_surface,
    ),
    "between ends that are far": (
        lambda p: (
            _nearest(
                p,
                constraints=optimize.NonlinearConstraint(lambda x: x @ x, 0.1, 100.0),
                options=TIGHT,
            ).x
        ),
        lambda p: 2 * p,
    ),
    "trust-constr": (
        lambda p: _nearest(p, method="trust-constr", constraints=[_ball(p)]).x,
        _on_its_surface,
    ),
    "trust-constr on a plane": (
        lambda p: (
            _nearest(
                p, method="trust-constr", constraints=optimize.LinearConstraint(_row(p), 1, 1)
            ).x
        ),
        _its_foot,
    ),
    "cobyla": (
        lambda p: (
            _nearest(
                p, method="COBYLA", constraints=_room(p), tol=1e-8, options={"maxiter": 5000}
            ).x
        ),
        _on_its_surface,
    ),
    "cobyqa": (
        lambda p: (
            _nearest(p, method="COBYQA", constraints=_room(p), options={"final_tr_radius": 1e-8}).x
        ),
        _on_its_surface,
    ),
    "a plane outside": (
        lambda p: _nearest(p, constraints=PLANE, options=TIGHT).x,
        lambda p: 2 * p - (2 * anp.sum(p) - 1) / 3,
    ),
    "a ball outside": (
        lambda p: _nearest(p, constraints=ROUND, options=NEAR).x,
        lambda p: 0.7 * p / anp.sqrt(anp.sum(p**2)),
    ),
    "a box outside": (
        lambda p: _nearest(p, bounds=BOX).x,
        lambda p: anp.array([1.0, 1.0, 2 * p[2]]),
    ),
    "a box inside": (
        lambda p: _nearest(p, bounds=optimize.Bounds(0.0, [1, 1, p[2]])).x,
        lambda p: anp.array([1.0, 1.0, p[2]]),
    ),
    "fmin_l_bfgs_b": (
        lambda p: optimize.fmin_l_bfgs_b(_sloped(p), Z, bounds=[(0, 1), (0, 1), (None, 9)])[0],
        lambda p: anp.array([1.0, 1.0, 2 * p[2]]),
    ),
    "fmin_powell": (
        lambda p: optimize.fmin_powell(lambda x: _sloped(p)(x)[0], Z, xtol=1e-8, disp=0),
        lambda p: 2 * p,
    ),
    "fmin_ncg": (
        lambda p: optimize.fmin_ncg(
            lambda x: _sloped(p)(x)[0], Z, lambda x: _sloped(p)(x)[1], disp=0
        ),
        lambda p: 2 * p,
    ),
    "fmin_slsqp": (
        lambda p: optimize.fmin_slsqp(
            lambda x: _sloped(p)(x)[0], Z, ieqcons=[_room(p)["fun"]], acc=1e-9, iprint=0
        ),
        _on_its_surface,
    ),
    "fmin_slsqp of equations": (
        lambda p: optimize.fmin_slsqp(
            lambda x: _sloped(p)(x)[0], Z, f_eqcons=lambda x: _row(p) @ x - 1, acc=1e-9, iprint=0
        ),
        _its_foot,
    ),
    "fmin_cobyla": (
        lambda p: optimize.fmin_cobyla(
            lambda x: _sloped(p)(x)[0], Z, [_room(p)["fun"]], rhoend=1e-8, maxfun=5000
        ),
        _on_its_surface,
    ),
}


@pytest.mark.filterwarnings("ignore:.*delta_grad == 0.0:UserWarning")
@pytest.mark.filterwarnings("ignore:Output seems independent:UserWarning")
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.one_in(4)
@by_autograd
def test_other_constraints_and_methods(name: str) -> None:
    """Derivatives are as accurate as the solution is; those in closed form are autograd's."""
    found, exact = OTHERS[name]
    within = {"rtol": 1e-3, "atol": 1e-3 if "cobyla" in name else 1e-5}

    def weighed(p: Any) -> Any:
        return anp.dot(exact(p), WEIGHTS)

    value, pullback = sd.vjp(found, P)
    np.testing.assert_array_equal(value, found(P))
    slope = autograd.grad(weighed)
    np.testing.assert_allclose(pullback(WEIGHTS)[0], slope(P), **within)
    np.testing.assert_allclose(sd.jvp(found, (P,), (P,))[1] @ WEIGHTS, slope(P) @ P, **within)
    bend = sd.hvp(lambda p: np.sum(found(p) * WEIGHTS))(P, WEIGHTS)
    np.testing.assert_allclose(bend, autograd.hessian(weighed)(P) @ WEIGHTS, **within)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: _nearest(p, constraints={"type": "eq", "fun": np.sum}, method="BFGS"), "none"),
        (lambda p: _nearest(p, constraints=[3.0]), "neither dicts nor"),
        (
            lambda p: _nearest(
                p, constraints=optimize.LinearConstraint(np.eye(3), keep_feasible=True)
            ),
            "keep_feasible=",
        ),
        (lambda p: _nearest(p, hessp=lambda x, v: 2 * v, jac=lambda x: x), "hessp="),
        (lambda p: _nearest(p, hess=lambda x: np.eye(3)), "without jac="),
    ],
)
def test_what_is_not_taken_is_refused(call: Any, message: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=message):
        sd.grad(lambda p: call(p).x[0])(P)


@pytest.mark.parametrize("find", ["minimize", "fmin_bfgs", "fmin_l_bfgs_b"])
def test_a_loss_may_be_pythons_number_or_numpys(find: str) -> None:
    """``sum`` of no items is Python's 0, of others a number of NumPy's."""
    x, y = np.arange(5.0), np.array([1.0, 2.0, 2.5, 4.0, 5.0])

    def slope(y: Any) -> Any:
        def loss(p: Any) -> Any:
            return sum((y - p[0] * x) ** 2)

        if find == "minimize":
            return optimize.minimize(loss, np.array([1.0])).x[0]
        if find == "fmin_bfgs":
            return optimize.fmin_bfgs(loss, np.array([1.0]), disp=0)[0]
        return optimize.fmin_l_bfgs_b(loss, np.array([1.0]), approx_grad=True)[0][0]

    np.testing.assert_allclose(sd.grad(slope)(y), x / (x @ x), rtol=1e-9)


@pytest.mark.parametrize("method", [None, "Nelder-Mead", "Powell", "L-BFGS-B", "SLSQP", "COBYLA"])
@pytest.mark.parametrize("given", [{}, {"bounds": [(-1.0, 3.0)]}])
def test_an_objective_may_give_an_array_of_one_number(method: Any, given: Any) -> None:
    def found(p: Any) -> Any:
        result = optimize.minimize(lambda x: (x - p) ** 2 + 0.1 * x, 0.0, method=method, **given)
        return result.x[0], result.fun

    (x, least), slope = sd.value_and_grad(found, has_aux=True)(0.7)
    assert (x, least) == found(0.7) and type(least) is type(found(0.7)[1])
    assert slope == pytest.approx(1.0)
