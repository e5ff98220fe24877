"""Solvers of SciPy's: values are theirs, derivatives those of what they solve."""

import functools
import math

import numpy as np
import pytest
from scipy import integrate, optimize

import symdiff as sd
from tests.definitions.calls import check

A = np.array([[3.0, 0.4], [0.2, 2.0]])
B = np.array([1.0, 2.0])
TIGHT = 1e-13


def by_fsolve(b):
    return optimize.fsolve(lambda x: A @ x + 0.1 * x**3 - b, np.zeros(2), xtol=TIGHT)


def by_root(b, a):
    def residuals(x, a, b):
        return a @ x + 0.1 * np.sin(x) - b

    solution = optimize.root(residuals, np.zeros(2), args=(a, b), tol=TIGHT)
    assert solution.success
    return solution.x * 2.0


def of_a_list(p):
    def residuals(v):
        x, y = v
        return [x * x + y * y - p[0], x - p[1] * y]

    return optimize.fsolve(residuals, [1.0, 1.0], xtol=TIGHT)


def power(x, a, k):
    return a * x**3 - k


def by_first(x, a, k):
    return 3.0 * a * x**2


def two_or_none(x):
    try:
        square = optimize.brentq(lambda t: t * t - x, 0.1, 5.0)
        return 2.0 * square + x * optimize.brentq(lambda t: t**3 - x, 0.1, 2.0)
    except ValueError:
        return x * 3.0


def out_of_steps(x):
    try:
        y = optimize.brentq(lambda t: t * t - x, 0.1, 5.0, maxiter=int(x))
    except RuntimeError:
        y = x * 3.0
    except ValueError as error:
        y = x * 7.0 if "signs" in str(error) else x
    return y


def in_turn(x):
    y = 0.0
    for k in range(3):
        try:
            y = y + optimize.brentq(lambda t, k=k: t * t - x * k, 0.1, 2.0)
        except ValueError:
            y = y + x * x
    return y


def raised_by_the_callback(x):
    try:
        y = optimize.brentq(lambda t: math.log(t - x), 0.1, 5.0)
    except ValueError:
        y = x * 3.0
    else:
        y = y * x
    return y


def solved(x):
    try:
        return optimize.brentq(lambda t: t * t - x, 0.1, 2.0)
    except ValueError:
        return None


def tried_again(x):
    y = solved(x)
    if y is None:
        y = optimize.brentq(lambda t: t * t - x, 0.1, 20.0) * 3.0
    return y


def by_a_partial(x):
    solve = functools.partial(optimize.brentq, lambda t: t * t - x)
    try:
        y = solve(0.1, 2.0)
    except ValueError:
        y = x * x
    return y


def of_two_equations(x, a=2.0, b=0.5):
    try:
        if x > 4.0:
            return optimize.brentq(lambda t: t * t - x, 0.1, 3.0)
        return optimize.brentq(lambda t: t * t * a - x * b, 0.1, 3.0)
    except ValueError:
        return x * x


def asked_only(x):
    brentq = x * 2.0
    residual = x * 3.0
    try:
        optimize.brentq(lambda t: t * t - x, 0.1, 2.0)
    except ValueError:
        return brentq * x
    return residual


def of_an_object(x):
    try:
        y = optimize.root_scalar(lambda t: t * t - x, bracket=(0.1, 2.0)).root
    except ValueError:
        y = x * 3.0
    return y * x


@pytest.mark.parametrize(
    ("function", "places"),
    [
        (two_or_none, (0.5, 60.0)),
        (out_of_steps, (2.0, 9.7, 22.0, 30.0)),
        (in_turn, (0.5, 1.5, 3.0)),
        (raised_by_the_callback, (0.05, -1.0, 2.0)),
        (tried_again, (2.0, 7.0)),
        (by_a_partial, (2.0, 7.0)),
        (of_an_object, (2.0, 7.0)),
        (of_two_equations, (2.0, 7.0, 11.0)),
        (asked_only, (2.0, 7.0)),
    ],
)
def test_what_a_solver_raises_is_caught(function, places):
    for x in places:
        expected = (function(x + 1e-5) - function(x - 1e-5)) / 2e-5
        value, slope = sd.value_and_grad(function)(x)
        assert value == function(x) and slope == pytest.approx(expected, rel=1e-7)
        assert sd.jvp(function, (x,), (1.0,))[1] == pytest.approx(expected, rel=1e-7)
        twice = function(x + 1e-3) - 2 * function(x) + function(x - 1e-3)
        assert sd.grad(sd.grad(function))(x) == pytest.approx(twice / 1e-6, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize(
    "root",
    [
        lambda k: optimize.brentq(power, 0.0, 3.0, args=(2.0, k), xtol=TIGHT),
        lambda k: optimize.brenth(lambda x: x**3 - k / 2.0, 0.0, 3.0, xtol=TIGHT),
        lambda k: optimize.ridder(lambda x, k: power(x, 2.0, k), 0, 3, k, xtol=TIGHT),
        lambda k: optimize.bisect(lambda x: x**3 - k / 2.0, 0.0, 3.0, xtol=TIGHT),
        lambda k: optimize.newton(power, 1.0, args=(2.0, k), tol=TIGHT),
        lambda k: optimize.newton(power, 1, args=(2.0, k), tol=TIGHT, x1=1.1),
        lambda k: optimize.newton(power, 1.0, args=[2.0, k], tol=TIGHT),
        lambda k: optimize.newton(power, 1.0, by_first, [2.0, k], TIGHT, rtol=TIGHT),
        lambda k: optimize.root_scalar(power, (2.0, k), bracket=[0.0, 3.0], xtol=TIGHT).root,
        lambda k: optimize.toms748(power, 0.0, 3.0, args=(2.0, k), xtol=TIGHT),
        lambda k: optimize.brentq(power, 0.0, 3.0, (2.0, k), xtol=TIGHT, full_output=True)[0],
        lambda k: optimize.newton(power, 1.0, None, (2.0, k), TIGHT, full_output=True)[1].root,
        lambda k: optimize.newton(lambda x: x**3 - k / 2, np.ones(2), tol=TIGHT)[1],
        lambda k: optimize.root_scalar(power, (2.0, k), x0=0.5, x1=1.0, xtol=TIGHT).root,
    ],
)
def test_roots_of_a_function_of_a_number(root):
    check(root, 2.3)
    assert sd.grad(root)(2.3) == pytest.approx((2.3 / 2) ** (1 / 3) / 3 / 2.3, rel=1e-12)
    assert sd.grad(sd.grad(sd.grad(root)))(2.3) == pytest.approx(
        (2.3 / 2) ** (1 / 3) * 10 / 27 / 2.3**3, rel=1e-10
    )


@pytest.mark.parametrize(
    ("function", "args"),
    [(by_fsolve, (B,)), (by_root, (B, A)), (of_a_list, (np.array([2.0, 0.5]),))],
)
def test_roots_of_systems(function, args):
    check(function, *args, wrt=range(len(args)))


def test_roots_of_a_linear_system_have_the_derivatives_of_solve():
    def residuals(x, a, b):
        return a @ x - b

    def found(a, b):
        return np.sum(optimize.root(residuals, B, args=(a, b), tol=TIGHT).x ** 2)

    def known(a, b):
        return np.sum(np.linalg.solve(a, b) ** 2)

    for made, expected in zip(
        sd.grad(found, (0, 1))(A, B), sd.grad(known, (0, 1))(A, B), strict=True
    ):
        np.testing.assert_allclose(made, expected, rtol=1e-11)
    np.testing.assert_allclose(sd.hessian(found, 1)(A, B), sd.hessian(known, 1)(A, B), rtol=1e-11)


def test_minima_have_the_derivatives_of_the_roots_of_the_gradient():
    def objective(x, p):
        return (x - p) @ A @ (x - p) + 0.1 * np.sum(x**4)

    def found(p):
        return optimize.minimize(objective, np.zeros(2), args=(p,), tol=1e-9).x

    x, symmetric = found(B), A + A.T
    expected = np.linalg.solve(symmetric + np.diag(1.2 * x**2), symmetric)
    for mode in ("fwd", "rev"):
        np.testing.assert_allclose(sd.jacobian(found, mode=mode)(B), expected, rtol=1e-12)


def curved(x, p):
    return (x - p) @ A @ (x - p) + 0.1 * np.sum(x**4)


def with_jacobian(b):
    def jacobian(x):
        return A + np.diag(3.0 * x**2)

    return optimize.root(lambda x: A @ x + x**3 - b, np.zeros(2), jac=jacobian, tol=TIGHT).x


@pytest.mark.parametrize(
    ("found", "slope", "by"),
    [
        (
            lambda p: optimize.minimize(curved, B, (p,), jac=sd.grad(curved), tol=1e-10).x,
            lambda x: A + A.T + np.diag(1.2 * x**2),
            A + A.T,
        ),
        (
            lambda p: optimize.minimize(sd.value_and_grad(curved), B, p, jac=True, tol=1e-10).x,
            lambda x: A + A.T + np.diag(1.2 * x**2),
            A + A.T,
        ),
        (with_jacobian, lambda x: A + np.diag(3.0 * x**2), np.eye(2)),
    ],
)
def test_systems_with_derivatives_of_the_users(found, slope, by):
    value, pullback = sd.vjp(found, B)
    np.testing.assert_array_equal(value, found(B))
    expected = np.linalg.solve(slope(value), by)
    np.testing.assert_allclose(sd.jacobian(found)(B), expected, rtol=1e-12)
    np.testing.assert_allclose(pullback(B)[0], expected.T @ B, rtol=1e-12)


@pytest.mark.parametrize(
    "root",
    [
        lambda k: optimize.root_scalar(lambda x: x**3 - k, x0=1.0, fprime=lambda x: 3 * x * x).root,
        lambda k: optimize.root_scalar(lambda x: (x**3 - k, 3 * x * x), x0=1.0, fprime=True).root,
    ],
)
def test_roots_with_a_derivative_of_the_users(root):
    assert sd.grad(root)(2.0) == pytest.approx(2.0 ** (-2 / 3) / 3, rel=1e-14)
    assert sd.value_and_grad(root)(2.0)[0] == root(2.0)


def test_the_least_value_of_a_function_of_a_number():
    def least(k):
        found = optimize.minimize_scalar(lambda x: (x - k) ** 2 + 0.1 * x**4, tol=1e-10)
        assert found.success
        return found.fun

    def where(k):
        return optimize.minimize_scalar(lambda x: (x - k) ** 2 + 0.1 * x**4, tol=1e-10).x

    x = where(1.3)
    assert sd.grad(least)(1.3) == pytest.approx(-2.0 * (x - 1.3), rel=1e-8)
    assert sd.grad(where)(1.3) == pytest.approx(2.0 / (2.0 + 1.2 * x**2), rel=1e-12)
    assert sd.hessian(least)(1.3) == pytest.approx(2.0 - 4.0 / (2.0 + 1.2 * x**2), rel=1e-8)


def test_a_root_is_found_once_and_where_it_is_started_has_no_derivative():
    gradient = sd.grad(by_fsolve_from, (0, 1))
    by_x, by_k = gradient(np.ones(3), 2.0)
    np.testing.assert_array_equal(by_x, np.zeros(3))
    assert by_k == pytest.approx(1.5 / np.sqrt(2.0), rel=1e-9)
    assert gradient.source(np.ones(3), 2.0).count("= fsolve(") == 1


def by_fsolve_from(x, k):
    return np.sum(optimize.fsolve(lambda v: v * v - k, x))


def test_roots_in_loops_and_branches():
    def f(k):
        total = 0.0
        for j in range(3):
            if k > j:
                total += optimize.brentq(lambda x, j=j: x**3 - k - j, 0.0, 3.0, xtol=TIGHT)
        return total

    expected = sum((1.5 + j) ** (-2 / 3) / 3 for j in range(2))
    assert sd.grad(f)(1.5) == pytest.approx(expected, rel=1e-12)


def test_a_module_with_a_root_stands_alone(tmp_path):
    slope = sd.grad(lambda k: optimize.brentq(lambda x: np.cos(x) - k * x, 0.0, 2.0) ** 2)
    sd.export(tmp_path / "slope.py", {"slope": slope}, 1.3)
    scope = {}
    exec((tmp_path / "slope.py").read_text(), scope)
    assert scope["slope"](0.7) == slope(0.7)
    with pytest.raises(sd.UnsupportedCallError):
        sd.export(tmp_path / "slope.py", {"slope": slope}, 1.3, namespace="jax.numpy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda k: len(optimize.brentq(power, 0, 3, (2.0, k), full_output=True)[1].method) * k,
            "the attribute method",
        ),
        (
            lambda k: optimize.newton(power, 1.0, power, (2.0, k), fprime2=power, full_output=True),
            "fprime2=",
        ),
        (
            lambda k: np.sum(optimize.newton(power, np.ones(2), None, (2.0, k), fprime2=power)),
            "an array as x0",
        ),
        (lambda k: optimize.minimize(power, 1.0, (2.0, k), hess=power).x[0], "hess="),
        (lambda k: optimize.leastsq(power, 1.0, (2.0, k), power)[0][0], "Dfun="),
        (lambda k: optimize.fsolve(power, np.ones((2, 2)), (2.0, k))[0], "more than one axis"),
        (lambda k: optimize.root(power, 1.0, (2.0, k)).fjac[0, 0], "the attribute fjac"),
        (lambda k: optimize.brentq(lambda x: print(x) or x - k, 0.0, 3.0), "with effects"),
        (lambda k: optimize.brentq(lambda x: "x" if k > 0 else "y", 0.0, 3.0), "no number"),
    ],
)
def test_what_is_refused_is_named(call, message):
    with pytest.raises(sd.SymdiffError, match=message):
        sd.grad(call)(1.5)


# Minima within bounds: those that stand at one move with it --------------------------------------


def bowl(p, a):
    return np.sum((p - a[:2]) ** 2) + a[2] * p[0] * p[1]


@pytest.mark.parametrize("method", ["L-BFGS-B", "SLSQP", None])
def test_a_minimum_within_bounds(method):
    def least(a, top):
        bounds = [(0.1, top), (None, 5.0)]
        slope = {"jac": lambda p, a: 2 * (p - a[:2]) + a[2] * p[::-1]}
        options = {"bounds": bounds, "method": method, "tol": 1e-15, **slope}
        return optimize.minimize(bowl, np.zeros(2), (a,), **options).x

    a, top = np.array([0.9, 1.7, 0.4]), 0.5  # at p = (top, a₁ - a₂ top / 2)
    _, back = sd.vjp(least, a, top)
    slopes = back(np.array([2.0, 1.0]))
    np.testing.assert_allclose(slopes[0], [0.0, 1.0, -top / 2], rtol=1e-10)
    assert slopes[1] == pytest.approx(2.0 - a[2] / 2, rel=1e-10)
    _, back = sd.vjp(least, a, 3.0)  # inside: 2 (p - a) + a₂ p reversed = 0
    inverse = np.linalg.inv(np.array([[2.0, a[2]], [a[2], 2.0]]))
    p = inverse @ (2 * a[:2])
    slopes = back(np.array([2.0, 1.0]))
    expected = inverse @ np.array([2.0, 1.0])
    np.testing.assert_allclose(slopes[0], [*(2 * expected), -(expected @ p[::-1])], rtol=1e-7)
    assert slopes[1] == 0.0


@pytest.mark.parametrize(
    "least",
    [
        lambda f, low, high: optimize.fminbound(f, low, high, xtol=1e-11),
        lambda f, low, high: (
            optimize.minimize_scalar(f, bounds=(low, high), options={"xatol": 1e-11}).x
        ),
    ],
)
def test_a_minimum_between_two_numbers(least):
    def between(a, low, high):
        return least(lambda t: (t - a) ** 2 * low * low, low, high)

    for numbers, expected in (
        ((1.3, 0.5, 3.0), [1.0, 0.0, 0.0]),
        ((0.2, 0.5, 3.0), [0.0, 1.0, 0.0]),
        ((3.9, 0.5, 3.0), [0.0, 0.0, 1.0]),
    ):
        slopes = sd.grad(between, argnums=(0, 1, 2))(*numbers)
        np.testing.assert_allclose(slopes, expected, atol=1e-6)


@pytest.mark.parametrize("least", [optimize.brent, optimize.golden])
def test_a_minimum_of_a_function_of_one_number(least):
    check(
        lambda a: least(lambda t, a: (t - a) ** 2 + t**4, (a,), tol=1e-12), 0.9, order=1, step=0.1
    )


def test_least_squares_within_bounds():
    def fitted(a, top):
        given = {"bounds": ([0, 0], [top, 9.0]), "xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
        return optimize.least_squares(lambda p: [p[0] - a, p[0] * p[1] - a], [0.1, 1.0], **given).x

    _, back = sd.vjp(fitted, 1.5, 0.5)  # at (top, a / top)
    slopes = back(np.array([1.0, 2.0]))
    np.testing.assert_allclose(slopes, (2.0 / 0.5, 1.0 - 2.0 * 1.5 / 0.25), rtol=1e-8)
    _, back = sd.vjp(fitted, 1.5, 7.0)  # inside: (a, 1)
    np.testing.assert_allclose(back(np.array([1.0, 2.0])), (1.0, 0.0), atol=1e-7)
    line = np.arange(5.0)
    made = sd.grad(lambda y: optimize.leastsq(lambda p: p[0] + p[1] * line - y, [1.0, 1.0])[0][1])
    np.testing.assert_allclose(made(line**2), (line - 2.0) / 10.0, rtol=1e-6)


UNSOLVED = {
    "root": lambda a: optimize.root(lambda t: t * t + a, np.ones(1)).x[0],
    "root_scalar": lambda a: (
        optimize.root_scalar(lambda t: t**3 - a, bracket=(0.0, 2.0), maxiter=2).root
    ),
    "newton": lambda a: optimize.newton(lambda t: t * t + a, 1.0, disp=False, maxiter=2),
    "brentq": lambda a: optimize.brentq(lambda t: t**3 - a, 0.0, 2.0, disp=False, maxiter=1),
    "bisect": lambda a: optimize.bisect(
        lambda t, b: t**3 - a * b, 0.0, 2.0, (1.5,), disp=False, maxiter=1
    ),
    "minimize": lambda a: optimize.minimize(
        lambda t: (t[0] ** 2 - a) ** 2, np.ones(1), options={"maxiter": 1}
    ).x[0],
    "minimize_scalar": lambda a: (
        optimize.minimize_scalar(lambda t: (t**2 - a) ** 2, options={"maxiter": 2}).x
    ),
}


@pytest.mark.parametrize("name", UNSOLVED)
def test_a_solver_that_has_not_converged_warns_of_its_line_and_residual(name: str) -> None:
    function = UNSOLVED[name]
    line = function.__code__.co_firstlineno
    lines = "|".join(str(line + k) for k in range(3))
    said = rf"test_solvers\.py:({lines}): the solver has not converged, the \w+ is \d"
    with pytest.warns(sd.ConvergenceWarning, match=said):
        sd.grad(function)(1.4)
    with pytest.warns(sd.ConvergenceWarning, match=said):
        value, _ = sd.jvp(function, (1.4,), (1.0,))
    assert value == function(1.4)


def test_the_residual_of_the_warning_is_that_of_the_point_returned() -> None:
    def root(a: float) -> float:
        return optimize.bisect(lambda t, b: t**3 - a * b, 0.0, 2.0, (1.5,), disp=False, maxiter=1)

    x = root(1.4)
    with pytest.warns(sd.ConvergenceWarning, match=f"the residual is {abs(x**3 - 2.1):.3g};"):
        found = sd.grad(root)(1.4)
    np.testing.assert_allclose(found, 1.5 / (3 * x * x), rtol=1e-14)


def test_a_solver_that_converges_is_silent_and_exact_whatever_disp_is() -> None:
    for disp in (True, False):
        for solve in (optimize.brentq, optimize.brenth, optimize.bisect, optimize.ridder):

            def root(a: float) -> float:
                return solve(lambda t: t**3 - a, 0.0, 2.0, xtol=1e-14, disp=disp)  # noqa: B023

            np.testing.assert_allclose(sd.grad(root)(1.4), 1.4 ** (-2 / 3) / 3, rtol=1e-12)
            assert sd.vjp(root, 1.4)[0] == root(1.4)


@pytest.mark.filterwarnings("ignore")
def test_a_sensitivity_that_does_not_arrive_is_none() -> None:
    """Where a solver cannot follow the states to its tolerance, there is no derivative."""

    def function(x):
        return integrate.odeint(lambda u, t: -x * u, 2e15, np.array([0.0, 1.0]))[1, 0]

    found = sd.grad(sd.grad(function))(0.7)
    assert np.isnan(found) or found == pytest.approx(2e15 * np.exp(-0.7), rel=1e-5)


@pytest.mark.parametrize("count", [5, 6])
def test_simpson_s_rule_at_places_that_are_the_same(count: int) -> None:
    """SciPy's value is linear in the samples: its derivative by each is that of a unit sample."""
    x = np.cumsum(np.array([0.0, 0.5, 0.0, 0.7, 0.0, 1.0])[:count])

    def function(y):
        return integrate.simpson(y, x=x)

    expected = [integrate.simpson(unit, x=x) for unit in np.eye(count)]
    with np.errstate(all="ignore"):
        found = sd.grad(function)(np.linspace(1.0, 2.0, count))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_sums_of_truths_are_truths() -> None:
    """``True + True`` is ``True``: the trapezoid over two of them is half as high."""
    y = np.array([True, True, False])

    def function(x):
        return integrate.trapezoid(y, x)

    x = np.array([0.0, 1.0, 3.0])
    steps = np.array([0.5, 0.5])
    assert function(x) == pytest.approx(np.diff(x) @ steps)
    np.testing.assert_allclose(sd.grad(function)(x), [-0.5, 0.0, 0.5], atol=1e-15)


@pytest.mark.parametrize(
    "name", ["broyden1", "broyden2", "anderson", "diagbroyden", "newton_krylov"]
)
def test_solvers_that_find_the_slopes_themselves(name: str) -> None:
    tolerance = 1e-9 if name == "anderson" else 1e-13  # nearer it warns of its own equations
    within = 1e-7 if name == "anderson" else 1e-9

    def total(b, k):
        found = getattr(optimize, name)(lambda v: v + k * v**3 - b, 0.9 * b, f_tol=tolerance)
        return np.sum(found * np.array([1.0, 2.0]))

    b, k = np.array([0.7, 1.1]), 0.1
    root = optimize.fsolve(lambda v: v + k * v**3 - b, b, xtol=1e-14)
    slope = np.array([1.0, 2.0]) / (1.0 + 3.0 * k * root**2)
    by_b, by_k = sd.grad(total, (0, 1))(b, k)
    np.testing.assert_allclose(by_b, slope, rtol=within)
    np.testing.assert_allclose(by_k, -np.sum(slope * root**3), rtol=within)
    bend = sd.hessian(lambda b: total(b, k))(b)
    curved = -np.diag([1.0, 2.0]) * 6.0 * k * root / (1.0 + 3.0 * k * root**2) ** 3
    np.testing.assert_allclose(bend, curved, rtol=10 * within, atol=1e-12)


def test_what_solvers_by_steps_do_not_take() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="callback="):
        sd.grad(lambda b: np.sum(optimize.anderson(lambda v: v - b, b, callback=print)))(B)
    with pytest.raises(sd.UnsupportedCallError, match="not one row"):
        sd.grad(lambda b: optimize.broyden1(lambda v: v - b, 1.0))(2.0)


@pytest.mark.parametrize(
    ("solve", "slopes"),
    [
        (lambda f: optimize.brent(f, brack=(-1, 0.5, 2), full_output=True), (1.0, 1.0, None, None)),
        (lambda f: optimize.golden(f, brack=(-1, 0.5, 2), full_output=True), (1.0, 1.0, None)),
        (lambda f: optimize.fminbound(f, -2, 3, full_output=True), (1.0, 1.0, None, None)),
        (lambda f: optimize.golden(f, brack=(-1, 0.5, 2)), 1.0),
        (lambda f: optimize.golden(f, full_output=True), (1.0, 1.0, None)),
    ],
)
def test_what_minima_of_one_number_tell(solve, slopes):
    def found(k):
        return solve(lambda t: (t - k) ** 4 + (t - k) ** 2 + k)

    value, slope = sd.jvp(found, (0.7,), (1.0,))
    assert repr(value) == repr(found(0.7))
    assert repr(slope) == repr(slopes) or np.allclose(
        np.array(slope, dtype=float), np.array(slopes, dtype=float), equal_nan=True
    )
