"""Linear programs and least squares under bounds, by differences and closed forms."""

import numpy as np
import pytest
from scipy import optimize

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
K = np.linspace(0.0, 5.0, 6)
WIDE = np.column_stack([np.ones(6), K, np.sin(K)])
CONDITIONS = np.array([[1.0, 2.0], [3.0, 1.0]])


def assigned(x):
    costs = x.reshape(2, 3)
    rows, columns = optimize.linear_sum_assignment(costs)
    return costs[rows, columns] ** 2


def assigned_by_the_most(x):
    costs = np.cos(3 * np.outer(x, x))
    rows, columns = optimize.linear_sum_assignment(costs, maximize=True)
    return costs[rows, columns]


@pytest.mark.parametrize(
    "found",
    [
        lambda x: optimize.nnls(WIDE * [1, -1, 1], x)[0],
        lambda x: optimize.nnls(x.reshape(3, 2), np.array([1, 2, 1.5]))[0],
        lambda x: optimize.nnls(x.reshape(3, 2), x[3:])[1],
        lambda x: optimize.lsq_linear(WIDE, x, bounds=(0, 1)).x,
        lambda x: optimize.lsq_linear(WIDE, x, bounds=(0, x[:3]), method="bvls").x,
        lambda x: optimize.lsq_linear(WIDE, x, bounds=(0, x[:3])).cost,
        lambda x: optimize.lsq_linear(WIDE, x).x,
        lambda x: optimize.isotonic_regression(np.sin(3 * x)).x,
        lambda x: optimize.isotonic_regression(np.sin(3 * x), weights=x[::-1], increasing=False).x,
        lambda x: optimize.isotonic_regression(np.sin(3 * x), weights=x).weights,
        assigned,
        assigned_by_the_most,
    ],
)
def test_least_squares_under_bounds_and_assignments(found):
    check(found, X)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: optimize.linprog(-x[:2], CONDITIONS, x[4:]).x,
        lambda x: optimize.linprog(-x[:2], CONDITIONS, x[4:], bounds=[(0, None), (0, None)]).fun,
        lambda x: optimize.linprog([-1.0, -1.2], x[:4].reshape(2, 2) + np.eye(2), x[4:]).x,
        lambda x: (
            optimize.linprog(
                [1.0, 2.0, 3.0],
                A_eq=[x[:3]],
                b_eq=[x[3]],
                bounds=[(0, x[0]), (0.1, None), (-3, 4)],
            ).x
        ),
        lambda x: (
            optimize.linprog(
                -x[:2], np.vstack((CONDITIONS, [1, 1])), np.append(x[4:], 4.0), bounds=(0, 1.5)
            ).slack
        ),
    ],
)
def test_linear_programs(found):
    check(found, X)


def test_a_linear_program_that_has_many_solutions_has_no_derivative():
    def found(b):
        bounds = [(None, None), (None, None)]
        return optimize.linprog([0.0, 0.0], A_eq=[[1.0, 1.0]], b_eq=[b], bounds=bounds).x

    assert np.all(np.isnan(sd.jacobian(found)(1.0)))

    def of_costs(c):
        return optimize.linprog([c, c], A_eq=[[1.0, 1.0]], b_eq=[1.0], bounds=(None, None)).x

    assert np.all(np.isnan(sd.jacobian(of_costs)(1.0)))


def model(t, a, b):
    return a * np.exp(-b * t)


@pytest.mark.parametrize(
    "found",
    [
        lambda y: optimize.curve_fit(model, K, y, p0=[2, 0.3], ftol=1e-15, xtol=1e-15)[1],
        lambda y: np.sqrt(
            np.diag(optimize.curve_fit(model, K, y, p0=[2, 0.3], ftol=1e-15, xtol=1e-15)[1])
        ),
        lambda y: optimize.curve_fit(
            model, K, y, [2, 0.3], 1 + 0.1 * K, True, ftol=1e-15, xtol=1e-15
        )[1],
        lambda y: optimize.curve_fit(
            model, K, y, [2, 0.3], bounds=([0, 0], [5, 0.35]), ftol=1e-15, xtol=1e-15
        )[0],
    ],
)
def test_covariances_of_fitted_parameters_and_fits_under_bounds(found):
    value, tangent = sd.jvp(found, (X[::-1],), (np.cos(K),))
    np.testing.assert_array_equal(value, found(X[::-1]))

    def along(h):
        return (found(X[::-1] + h * np.cos(K)) - found(X[::-1] - h * np.cos(K))) / (2 * h)

    np.testing.assert_allclose(tangent, (4 * along(5e-3) - along(1e-2)) / 3, rtol=2e-4, atol=1e-6)
    weights = np.cos(np.arange(value.size)).reshape(value.shape)
    (slopes,) = sd.vjp(found, X[::-1])[1](weights)
    assert slopes @ np.cos(K) == pytest.approx(np.sum(weights * tangent), rel=1e-8)


@pytest.mark.parametrize("method", ["BFGS", "Nelder-Mead", "L-BFGS-B"])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_a_least_value_is_of_the_type_that_scipy_gives(method, kind):
    def least(a):
        found = optimize.minimize(lambda p: kind((p[0] - a) ** 2 + a), [0.0], method=method)
        return found.fun

    value, slope = sd.value_and_grad(least)(1.5)
    assert type(value) is type(least(1.5))
    assert slope == pytest.approx(1.0, abs=1e-4)


def test_halleys_method():
    def root(a):
        given = {"fprime": lambda t: 3 * t * t, "fprime2": lambda t: 6 * t}
        same = optimize.root_scalar(lambda t: t**3 - a, x0=1.0, method="halley", **given).root
        return optimize.newton(lambda t: t**3 - a, 1.0, **given) + same

    assert sd.value_and_grad(root)(2.0)[1] == pytest.approx(2 / 3 * 2.0 ** (-2 / 3), rel=1e-12)
    assert sd.derivative(root, 2)(2.0) == pytest.approx(-4 / 9 * 2.0 ** (-5 / 3), rel=1e-12)


def test_blocks_of_a_monotonous_row_are_known():
    def found(x):
        made = optimize.isotonic_regression(x, increasing=False)
        return made.x[-1], made.blocks

    y = np.array([3.0, 1.0, 2.0, 2.0, 0.5])
    (_, blocks), pullback = sd.vjp(found, y)
    np.testing.assert_array_equal(blocks, optimize.isotonic_regression(y, increasing=False).blocks)
    np.testing.assert_array_equal(pullback((1.0, None))[0], [0, 0, 0, 0, 1])


def test_one_number_is_a_row_of_one():
    def found(y):
        return optimize.isotonic_regression(y, weights=2.0).x

    np.testing.assert_array_equal(sd.vjp(found, 3.0)[0], found(3.0))
