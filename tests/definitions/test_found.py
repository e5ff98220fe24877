"""What solvers tell of their way is what SciPy tells; what they find has derivatives beside it."""

import numpy as np
import pytest
from scipy import integrate, optimize

import symdiff as sd

P = np.array([0.7, 0.4])


def least(x, p):
    return np.sum((x - p) ** 2)


def sloped(x, p):
    return 2.0 * (x - p)


def bent(x, p):
    return 2.0 * np.eye(2)


def minimized(method, names, **given):
    def found(p):
        result = optimize.minimize(least, np.zeros(2), (p,), method=method, **given)
        return np.sum(result.x**3), [getattr(result, name) for name in names]

    return found


WAY = ("status", "nfev", "nit", "success", "message")
MINIMA = [
    (None, (*WAY, "njev"), {}),
    ("Nelder-Mead", WAY, {}),
    ("Powell", WAY, {}),
    ("CG", (*WAY, "njev"), {"jac": sloped}),
    ("BFGS", (*WAY, "njev"), {"options": {"maxiter": 50}}),
    ("L-BFGS-B", (*WAY, "njev"), {"bounds": [(-1, 5), (-1, 5)]}),
    (None, (*WAY, "njev"), {"bounds": [(-1, 5), (-1, 5)]}),
    ("TNC", WAY, {}),
    ("COBYLA", ("status", "message"), {"tol": 1e-8}),
    ("COBYQA", WAY, {}),
    ("SLSQP", (*WAY, "njev"), {}),
    ("Newton-CG", (*WAY, "njev", "nhev"), {"jac": sloped, "hess": bent}),
    ("trust-exact", (*WAY, "njev", "nhev"), {"jac": sloped, "hess": bent}),
    (None, (*WAY, "njev"), {"constraints": {"type": "ineq", "fun": lambda x: x[0] + 9.0}}),
]


@pytest.mark.parametrize(("method", "names", "given"), MINIMA)
def test_what_minimize_tells_is_scipys(method, names, given):
    found = minimized(method, names, **given)
    (value, told), slopes = sd.value_and_grad(found, has_aux=True)(P)
    assert (value, told) == found(P)
    np.testing.assert_allclose(slopes, 3.0 * P**2, rtol=1e-2)  # as near as the minimum is


def number(p):
    result = optimize.minimize_scalar(lambda x: (x - p[0]) ** 2, method="brent")
    return result.x, [result.message, result.nit, result.nfev]


def bounded(p):
    result = optimize.minimize_scalar(lambda x: (x - p[0]) ** 2, bounds=(0, 3))
    return result.x, [result.message, result.nit, result.nfev, result.status]


def root(p):
    result = optimize.root(lambda x: x - p[0], np.ones(1))
    return result.x[0], [result.message, result.nfev, result.status, result.success]


def root_by_steps(p):
    result = optimize.root(lambda x: x - p[0], np.ones(1), method="broyden1")
    return result.x[0], [result["message"], result.nfev, result.nit]


def root_of_a_number(p):
    result = optimize.root_scalar(lambda x: x - p[0], bracket=(0, 3))
    return result.root, [result.flag, result.iterations, result.function_calls]


def squares(p):
    result = optimize.least_squares(lambda x: x - p, np.ones(2))
    return result.x[0], [result.message, result.nfev, result.status]


def way(p):
    result = integrate.solve_ivp(lambda t, y: p[0] + 0.0 * y, (0, 1), [0.0])
    told = [result.message, result.nfev, result.njev, result.nlu, result.status]
    return result.y[0, -1], [*told, result.t_events, result.y_events]


def way_by_times(p):
    result = integrate.solve_ivp(lambda t, y: p[0] + 0.0 * y, (0, 1), [0.0], t_eval=[0.5, 1.0])
    return result.y[0, -1], [result.message, result.nfev, result.status]


@pytest.mark.parametrize(
    "found",
    [number, bounded, root, root_by_steps, root_of_a_number, squares, way, way_by_times],
)
def test_what_solvers_tell_is_scipys(found):
    (value, told), slopes = sd.value_and_grad(found, has_aux=True)(P)
    assert (value, told) == found(P)
    np.testing.assert_allclose(slopes, [1.0, 0.0], atol=1e-6)


def test_results_are_read_as_dicts():
    def found(p):
        result = optimize.minimize(least, np.zeros(2), (p,))
        return result.get("x")[0] if result.get("success", False) else 0.0

    np.testing.assert_allclose(sd.grad(found)(P), [1.0, 0.0], atol=1e-9)

    def told(p):
        return optimize.minimize(least, np.zeros(2), (p,)).get("direc", 1.0) * p[0]

    with pytest.raises(sd.UnsupportedCallError, match="the attribute direc"):
        sd.grad(told)(P)


def test_what_is_left_of_a_root_has_derivatives():
    def left(p):
        return optimize.root(lambda x: x**3 - p, np.ones(2)).fun

    value, slopes = sd.vjp(left, P)
    np.testing.assert_array_equal(value, left(P))
    np.testing.assert_allclose(slopes(np.ones(2))[0], 0.0, atol=1e-12)


def by_fmin(p):
    return optimize.fmin(least, np.zeros(2), (p,), full_output=True, disp=False)


def by_powell(p):
    x, fun, _, *told = optimize.fmin_powell(least, np.zeros(2), (p,), full_output=1, disp=0)
    return x, fun, *told


def by_bfgs(p):
    given = {"full_output": True, "disp": False}
    x, fun, _, _, *told = optimize.fmin_bfgs(least, np.zeros(2), sloped, (p,), **given)
    return x, fun, *told


def by_cg(p):
    return optimize.fmin_cg(least, np.zeros(2), sloped, (p,), full_output=True, disp=False)


def by_newton(p):
    given = {"args": (p,), "fhess": bent, "full_output": True, "disp": False}
    return optimize.fmin_ncg(least, np.zeros(2), sloped, **given)


def by_slsqp(p):
    given = {"args": (p,), "full_output": True, "iprint": 0}
    return optimize.fmin_slsqp(least, np.zeros(2), **given)


def by_fsolve(p):
    x, told, state, text = optimize.fsolve(lambda x: x - p, np.zeros(2), full_output=True)
    if state != 1:
        raise RuntimeError(text)
    return x, 0.0, told["nfev"], state, text


def by_leastsq(p):
    given = {"full_output": True}
    x, _, told, text, state = optimize.leastsq(lambda x: x - p, np.zeros(2), **given)
    return x, 0.0, told["nfev"], state, text


def line(x, a, b):
    return a + b * x


def by_curve_fit(p, **given):
    data = line(np.arange(4.0), p[0], p[1])
    x, _, told, text, state = optimize.curve_fit(
        line, np.arange(4.0), data, [0.5, 0.5], full_output=True, **given
    )
    return x, np.sum(told["fvec"] ** 2), told["nfev"], state, text


def by_curve_fit_within(p):
    return by_curve_fit(p, bounds=([0, 0], [2, 2]))


FITS = [by_fsolve, by_leastsq, by_curve_fit, by_curve_fit_within]


@pytest.mark.parametrize("find", [*FITS, by_fmin, by_powell, by_bfgs, by_cg, by_newton, by_slsqp])
def test_all_that_searches_tell(find):
    def found(p):
        x, fun, *told = find(p)
        return np.sum(x**3) + fun, told

    (value, told), slopes = sd.value_and_grad(found, has_aux=True)(P)
    assert (value, told) == found(P)
    np.testing.assert_allclose(slopes, 3.0 * P**2, rtol=1e-2)


@pytest.mark.parametrize(("method", "bounds"), [("BFGS", None), ("L-BFGS-B", [(0.9, 2), (-1, 2)])])
def test_gradients_at_minima_have_derivatives(method, bounds):
    def rise(p):
        given = {"method": method, "bounds": bounds}
        return optimize.minimize(least, np.ones(2), (p,), jac=sloped, **given).jac

    value, pullback = sd.vjp(rise, P)
    np.testing.assert_array_equal(value, rise(P))
    exact = [0.0, 0.0] if bounds is None else [-2.0, 0.0]  # 2 (x - p), where x is at its bound
    np.testing.assert_allclose(pullback(np.ones(2))[0], exact, atol=1e-9)


def test_matrices_that_steps_are_made_of_have_no_derivative():
    def inverse(p):
        return optimize.minimize(least, np.ones(2), (p,), jac=sloped).hess_inv

    (_, told), _ = sd.value_and_grad(lambda p: (np.sum(p), inverse(p)), has_aux=True)(P)
    np.testing.assert_array_equal(told, inverse(P))
    with pytest.raises(sd.UnsupportedCallError, match="beside its solution"):
        sd.vjp(inverse, P)


def test_what_odeint_tells_of_its_steps():
    def states(p):
        times = np.array([0.0, 1.0, 2.0])
        return integrate.odeint(lambda y, t: -p[0] * y, p[1], times, full_output=True)

    def last(p):
        y, told = states(p)
        return y[-1, 0], told

    (value, told), slopes = sd.value_and_grad(last, has_aux=True)(P)
    exact = P[1] * np.exp(-2.0 * P[0])
    np.testing.assert_allclose(slopes, [-2.0 * exact, exact / P[1]], rtol=1e-5)
    known = last(P)[1]
    assert value == last(P)[0] and list(told) == list(known)
    for name, one in known.items():
        np.testing.assert_array_equal(told[name], one)
        assert np.asarray(told[name]).dtype == np.asarray(one).dtype


def fitted(p, steps):
    given = {"method": "Nelder-Mead", "options": {"maxiter": steps}}
    result = optimize.minimize(least, np.zeros(2), (p,), **given)
    if not result.success:
        raise RuntimeError(f"no minimum in {result.nit} steps: {result.message}")
    return result.fun


def test_what_has_not_converged_is_raised_with_scipys_words():
    np.testing.assert_allclose(sd.grad(fitted)(P, 100), 0.0, atol=1e-3)
    text = "no minimum in 1 steps: Maximum number of iterations has been exceeded."
    with pytest.raises(RuntimeError, match=text):
        fitted(P, 1)
    with pytest.warns(sd.ConvergenceWarning), pytest.raises(RuntimeError, match=text):
        sd.grad(fitted)(P, 1)


def test_fits_that_do_not_converge_raise_what_scipy_raises():
    def fitted(p):
        return by_curve_fit(np.exp(p), maxfev=2)[0][0]

    text = "Optimal parameters not found: Number of calls to function has reached maxfev = 2."
    for attempt in (fitted, sd.grad(fitted)):
        with pytest.raises(RuntimeError, match=text):
            attempt(P)


def test_what_the_program_does_not_read_is_not_asked_for():
    def fun(p):
        return optimize.minimize(least, np.zeros(2), (p,)).fun

    def integral(a):
        return integrate.quad(lambda x: np.exp(-a * x), 0.0, 1.0)[0]

    assert "nfev" not in sd.grad(fun).source(P)
    assert "quad(integrand, 0.0, 1.0, args=(a,))[0]" in sd.value_and_grad(integral).source(0.5)


def by_newton(p):
    return optimize.newton(lambda x: x**3 - p[0], 1.0, lambda x: 3.0 * x**2, full_output=True)[1]


def by_halley(p):
    slopes = {"fprime": lambda x: 3.0 * x**2, "fprime2": lambda x: 6.0 * x}
    return optimize.root_scalar(lambda x: x**3 - p[0], x0=1.0, method="halley", **slopes)


@pytest.mark.parametrize("solved", [by_newton, by_halley])
def test_calls_of_a_function_and_its_derivative_are_not_counted(solved):
    """SciPy counts both; it is given them in one."""

    def found(p):
        result = solved(p)
        return result.root, [result.flag, result.iterations]

    (value, told), slopes = sd.value_and_grad(found, has_aux=True)(P)
    assert (value, told) == found(P)
    np.testing.assert_allclose(slopes, [1.0 / (3.0 * value**2), 0.0], rtol=1e-9)
    with pytest.raises(sd.UnsupportedCallError, match="the attribute function_calls"):
        sd.grad(lambda p: solved(p).root * solved(p).function_calls)(P)


def test_the_slope_where_trust_constr_has_stopped_is_told():
    def found(p):
        given = {"method": "trust-constr", "options": {"maxiter": 1}}
        return optimize.minimize(lambda x: np.sum((x - p) ** 4), np.zeros(2), **given).fun

    with pytest.warns(sd.ConvergenceWarning, match="the gradient is"):
        assert sd.value_and_grad(found)(P)[0] == found(P)


def test_what_solvers_say_is_text():
    def found(p):
        result = optimize.root(lambda t: t**3 - p[0], 1.0)
        around = integrate.solve_ivp(lambda t, y: -p[1] * y, (0.0, 1.0), [1.0], rtol=1e-10)
        said = [result.message.upper(), f"{around.message} {around.status}"]
        if "converged" in result.message and around.message.startswith("The solver"):
            return result.x[0] * around.y[0, -1], said
        return 0.0 * p[0], said

    (value, told), slopes = sd.value_and_grad(found, has_aux=True)(P)
    assert (value, told) == found(P)
    root = np.cbrt(P[0])
    expected = np.array([1.0 / (3.0 * root**2), -root]) * np.exp(-P[1])
    np.testing.assert_allclose(slopes, expected, rtol=1e-6)
