"""Solutions of differential equations: values are SciPy's, derivatives those of the closed form, to
the solver's tolerance.
"""

import numpy as np
import pytest
from scipy import integrate, linalg, optimize

import symdiff as sd
from tests import reference

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
FIRST, SECOND = 1e-9, 1e-7
Y0, TIMES = np.array([1.0, 0.5]), np.array([0.0, 0.5, 1.2])


def rate(y, t, k, b):
    return np.array([-k * y[0] + b * y[1], -y[1] * b + t * k])


def in_closed_form(y0, k, b, times):
    """The solution of ``rate``, which is linear in a state that has the time and 1 in it."""
    matrix = np.array([[-k, b, 0, 0], [0, -b, k, 0], [0, 0, 0, 1.0], [0, 0, 0, 0]])
    state = np.array([*y0, times[0], 1.0])
    return np.stack([(linalg.expm(matrix * (t - times[0])) @ state)[:2] for t in times])


def by_odeint(y0, k, b, times):
    return integrate.odeint(rate, y0, times, args=(k, b), **TIGHT)


def of_a_list(y0, k, b, times):
    def turned(t, y, b):
        return [-k * y[0] + b * y[1], -y[1] * b + t * k]

    return integrate.odeint(turned, y0, times, (b,), tfirst=True, **TIGHT)


def by_solve_ivp(y0, k, b, times):
    def turned(t, y):
        change = np.zeros(2)
        change[0] = -k * y[0] + b * y[1]
        change[1] = -y[1] * b + t * k
        return change

    ends = (times[0], times[-1])
    found = integrate.solve_ivp(turned, ends, y0, "DOP853", t_eval=times, **TIGHT)
    assert found.success
    return found.y.T


def where_it_ends(y0, k, b, times):
    def turned(t, y, k, b):
        return rate(y, t, k, b)

    ends = (times[0], times[-1])
    found = integrate.solve_ivp(turned, ends, list(y0), args=(k, b), **TIGHT)
    return found.y[:, -1] * found.t[-1]


def end_in_closed_form(y0, k, b, times):
    return in_closed_form(y0, k, b, times)[-1] * times[-1]


@pytest.mark.parametrize(
    ("solved", "known", "order"),
    [
        (by_odeint, in_closed_form, 2),
        (of_a_list, in_closed_form, 1),
        (by_solve_ivp, in_closed_form, 1),
        (where_it_ends, end_in_closed_form, 2),
    ],
)
def test_derivatives_by_the_start_the_parameters_and_the_times(solved, known, order):
    args = (Y0, 0.7, 1.3, TIMES)
    weights = reference.direction(known(*args), seed=7)
    u, v = (
        tuple(reference.direction(arg, seed + 10 * k) for k, arg in enumerate(args))
        for seed in (1, 2)
    )

    def weighed(*args):
        return np.sum(weights * known(*args))

    value, pullback = sd.vjp(solved, *args)
    np.testing.assert_array_equal(value, solved(*args))
    np.testing.assert_allclose(value, known(*args), rtol=0, atol=FIRST)
    first = reference.directional(weighed, args, u, step=0.01).value
    assert reference.inner(u, pullback(weights)) == pytest.approx(first, abs=FIRST)
    value, tangent = sd.jvp(solved, args, u)
    np.testing.assert_array_equal(value, solved(*args))
    assert reference.inner(weights, tangent) == pytest.approx(first, abs=FIRST)
    if order == 1:
        return
    second = reference.second_directional(weighed, args, u, v, step=0.01).value
    along = sd.differentiable(solved).jvp
    none = tuple(map(np.zeros_like, u))
    _, (_, tangent) = sd.jvp(along, (args, u), (v, none))
    assert reference.inner(weights, tangent) == pytest.approx(second, abs=SECOND)
    _, pullback = sd.vjp(along, args, u)
    product = pullback((np.zeros_like(weights), weights))[0]
    assert reference.inner(v, product) == pytest.approx(second, abs=SECOND)


def test_a_matrix_that_is_captured_backwards_in_time():
    a = np.array([[-0.5, 1.0], [-1.0, -0.3]])

    def f(a, y0):
        def change(y, t):
            return a @ y

        return integrate.odeint(change, y0, [1.0, 0.2, -0.4], **TIGHT)[-1]

    by_matrix, by_start = sd.jacobian(f, (0, 1))(a, Y0)
    np.testing.assert_allclose(by_start, linalg.expm(-1.4 * a), rtol=0, atol=FIRST)
    for i, j in np.ndindex(2, 2):
        unit = np.zeros((2, 2))
        unit[i, j] = -1.4
        derivative = linalg.expm_frechet(-1.4 * a, unit, compute_expm=False) @ Y0
        np.testing.assert_allclose(by_matrix[:, i, j], derivative, rtol=0, atol=FIRST)


def test_one_number_of_one_precision_and_a_parameter_of_another():
    def f(y0, k):
        return integrate.odeint(lambda y, t, k: -k * y, y0, [0.0, 1.0], args=(k,), **TIGHT)[-1, 0]

    assert sd.grad(f, (0, 1))(2.0, 0.5) == pytest.approx(
        (np.exp(-0.5), -2.0 * np.exp(-0.5)), abs=FIRST
    )
    k = np.float32(0.5)
    by_start, by_k = sd.grad(f, (0, 1))(np.float32(2.0), k)
    assert (by_start.dtype, by_k.dtype) == (np.float32, np.float32)
    assert by_k == pytest.approx(-2.0 * np.exp(-0.5), rel=1e-6)


def test_a_rate_that_is_a_network_has_the_gradient_of_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from jax.experimental import ode

    w = np.array([[0.1, 0.9], [-0.8, -0.4]])
    tight = {"rtol": 1e-11, "atol": 1e-11}

    def ours(w, y0):
        def change(y, t):
            return np.tanh(w @ y) + np.sin(t)

        return np.sum(integrate.odeint(change, y0, TIMES, **tight)[:, 0] ** 2)

    def theirs(w, y0):
        def change(y, t, w):
            return jax.numpy.tanh(w @ y) + jax.numpy.sin(t)

        return jax.numpy.sum(ode.odeint(change, y0, TIMES, w, **tight)[:, 0] ** 2)

    found, known = sd.grad(ours, (0, 1))(w, Y0), jax.grad(theirs, (0, 1))(w, Y0)
    for made, expected in zip(found, known, strict=True):
        np.testing.assert_allclose(made, expected, rtol=0, atol=1e-8)


def test_a_root_of_where_a_trajectory_ends():
    def aimed(k):
        def miss(v):
            def change(y, t):
                return np.array([y[1], -k * y[0]])

            return integrate.odeint(change, [0.0, v], [0.0, 1.0], **TIGHT)[-1, 0] - 1.0

        return optimize.brentq(miss, 0.1, 5.0, xtol=1e-13)

    root = np.sqrt(2.0)
    derivative = (np.sin(root) - root * np.cos(root)) / (2.0 * root * np.sin(root) ** 2)
    assert sd.grad(aimed)(2.0) == pytest.approx(derivative, abs=FIRST)


def test_only_what_is_asked_for_is_carried_back():
    def f(y0, a):
        def change(t, y):
            return a["m"] @ y - a["k"] * y**3

        return np.sum(integrate.solve_ivp(change, (0.0, 1.0), y0, t_eval=[0.3, 1.0]).y)

    given = {"m": np.array([[0.0, 1.0], [-1.0, 0.0]]), "k": 0.1}
    gradient = sd.grad(f)
    text = str(gradient.source(Y0, given))
    assert text.count("solve_ivp(") - text.count("np.sum(integrate.solve_ivp(") == 2
    assert "zeros(a_m.shape)" not in text
    by_k = sd.grad(lambda k: f(Y0, {**given, "k": k}))(0.1)
    step = 1e-4
    difference = (f(Y0, {**given, "k": 0.1 + step}) - f(Y0, {**given, "k": 0.1 - step})) / 2 / step
    assert by_k == pytest.approx(difference, rel=5e-3)  # rtol is 1e-3 where it is not given


def test_a_module_with_a_trajectory_stands_alone(tmp_path):
    def end(k):
        return integrate.odeint(lambda y, t: -k * y, [1.0, 2.0], [0.0, 1.0])[-1, 1]

    slope = sd.grad(end)
    sd.export(tmp_path / "slope.py", {"slope": slope}, 0.5)
    scope = {}
    exec((tmp_path / "slope.py").read_text(), scope)
    assert scope["slope"](0.7) == slope(0.7)


def test_a_call_without_derivative_is_the_call_alone():
    def last(y0, k):
        return integrate.odeint(rate, y0, TIMES, args=(k, k))[-1]

    text = str(sd.functional(last).source(Y0, 0.5))
    assert "for " not in text
    assert "odeint(by_state, y0, " in text
    np.testing.assert_array_equal(sd.functional(last)(Y0, 0.5)[0], last(Y0, 0.5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda k: integrate.odeint(rate, Y0, TIMES, (k, k), Dfun=rate)[0, 0], "Dfun="),
        (lambda k: integrate.odeint(rate, Y0, TIMES, (k, k), atol=Y0)[0, 0], "an array as atol"),
        (
            lambda k: ivp(k, events=lambda t, y: y[0], dense_output=True),
            "events= beside dense_output",
        ),
        (lambda k: ivp(k, vectorized=True), "vectorized="),
        (lambda k: ivp(k, jac=rate), "jac="),
        (lambda k: integrate.odeint(in_place, Y0, TIMES, (k,))[0, 0], "writes to what it is given"),
        (lambda k: integrate.solve_ivp(lambda t, y: k * y, (0.0, 1.0), 1j * Y0).y[0, 0], "complex"),
        (
            lambda k: integrate.solve_ivp(lambda t, y: print(t) or k * y, (0, 1), Y0).y[0, 0],
            "effects",
        ),
    ],
)
def test_what_is_refused_is_named(call, message):
    with pytest.raises(sd.SymdiffError, match=message):
        sd.grad(call)(1.5)


def in_place(y, t, k):
    y[0] = k
    return y


def ivp(k, **options):
    return integrate.solve_ivp(lambda t, y: k * y, (0.0, 1.0), Y0, **options).y[0, 0]
