"""Integrals: values are SciPy's, derivatives those under the integral and at its ends."""

import numpy as np
import pytest
from scipy import integrate, special

import symdiff as sd
from tests.definitions.calls import check

TIGHT = {"epsabs": 1e-13, "epsrel": 1e-13}


def damped(k, a, b):
    return integrate.quad(lambda x: np.exp(-k * x) * np.sin(x), a, b, **TIGHT)[0]


def gaussian(p):
    def integrand(x, p):
        return p[0] * np.exp(-p[1] * x * x)

    return integrate.quad(integrand, -np.inf, np.inf, args=(p,), **TIGHT)[0]


def of_an_array(p, b):
    value, _ = integrate.quad_vec(lambda x: np.exp(-p * x), 0.0, b, **TIGHT)
    return value


def of_an_integral(k):
    def inner(y):
        return integrate.quad(lambda x: np.exp(-k * x * y), 0.0, y, **TIGHT)[0]

    return integrate.quad(inner, 0.0, 1.0, **TIGHT)[0]


def over_a_triangle(k, b):
    return integrate.dblquad(
        lambda y, x, k: np.exp(-k * x * y), 0.0, b, 0.0, lambda x: k * x, (k,)
    )[0]


def over_a_solid(k, b):
    ends = (lambda x, y: x * y * k, lambda x, y: 2 * x + y)
    return integrate.tplquad(lambda z, y, x: x * y * z * z * k, 0, b, lambda x: 0.1 * x, b, *ends)[
        0
    ]


def over_ranges(k, b):
    ranges = [lambda v, k: (0.0, v * k), lambda k: (0.0, b * k)]
    return integrate.nquad(lambda u, v, k: u * v * v * k, ranges, args=(k,))[0]


def of_waves(k, b):
    waves = integrate.quad(lambda x: x * k, 0.0, b, weight="cos", wvar=k, **TIGHT)[0]
    return waves + integrate.quad(lambda x: x, k, b, weight="sin", wvar=2.0, full_output=1)[0]


def of_a_half_disc(r, h):
    return integrate.quad(lambda x, r: np.sqrt(r * r - x * x), -r, h - r, args=(r,))[0]


def of_half_an_ellipse(r, p):
    def integrand(x, p):
        return p[1] * np.sqrt(p[0] * p[0] - x * x)

    return integrate.quad(integrand, -r, 0.4, args=(p,))[0]


def _segment(r, h):
    """The closed form of ``of_a_half_disc``."""
    return r * r * np.arccos(1.0 - h / r) / 2.0 - (r - h) * np.sqrt(2.0 * r * h - h * h) / 2.0


def test_an_integral_whose_derivative_is_infinite_at_an_end_has_the_closed_forms_derivatives():
    r, h = 1.7, 0.9
    s = np.sqrt(2.0 * r * h - h * h)
    by_r = r * np.arccos(1.0 - h / r) - s
    assert np.allclose(_segment(r, h), of_a_half_disc(r, h), rtol=1e-9)
    assert np.allclose(sd.grad(of_a_half_disc, (0, 1))(r, h), (by_r, s), rtol=1e-7)
    assert np.allclose(sd.jvp(of_a_half_disc, (r, h), (1.0, 0.0))[1], by_r, rtol=1e-7)
    p = np.array([r, 2.0])  # r is an end of where it is real too: the first two move together
    by_end, by_p = sd.grad(of_half_an_ellipse, (0, 1))(r, p)
    angle = np.arcsin(0.4 / r) + 0.5 * np.pi
    assert np.allclose(by_end, 0.0, atol=1e-7)
    area = 0.5 * (0.4 * np.sqrt(r * r - 0.16) + r * r * angle)
    assert np.allclose(by_p, (2.0 * r * angle, area), rtol=1e-7)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (over_a_triangle, (0.7, 1.3)),
        (over_a_solid, (0.7, 1.3)),
        (over_ranges, (0.7, 1.3)),
        (of_waves, (0.7, 1.3)),
        (damped, (0.7, 0.1, 1.9)),
        (gaussian, (np.array([1.3, 0.8]),)),
        (of_an_array, (np.array([0.5, 1.5, 2.5]), 1.2)),
        (of_an_integral, (0.6,)),
    ],
)
@pytest.mark.one_in(4)
def test_integrals(function, args):
    check(function, *args, wrt=range(len(args)))


def test_an_integral_over_all_numbers_has_the_derivatives_of_the_closed_form():
    p = np.array([1.3, 0.8])
    height, width = p
    value = np.sqrt(np.pi / width)
    expected = [value, -0.5 * height * value / width]
    np.testing.assert_allclose(sd.grad(gaussian)(p), expected, rtol=1e-12)


def test_what_is_integrated_may_say_what_it_warns_of():
    def height(x, s):
        with np.errstate(divide="ignore"):
            return np.log(x * s)

    integral = lambda s: integrate.quad(height, 0.0, 2.0, args=(s,))[0]  # noqa: E731
    assert sd.grad(integral)(3.0) == pytest.approx(2.0 / 3.0, rel=1e-12)
    assert sd.hessian(integral)(3.0) == pytest.approx(-2.0 / 9.0, rel=1e-12)
    assert sd.jvp(integral, (3.0,), (0.5,))[1] == pytest.approx(1.0 / 3.0, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda k: integrate.quad(np.sin, 0.0, k, full_output=1)[2]["neval"], "neval"),
        (lambda k: integrate.quad(np.sin, 0.0, k, weight="cauchy", wvar=1.0)[0], "weight="),
        (lambda k: integrate.nquad(np.sin, [(0.0, k)], full_output=True)[0], "full_output="),
        (lambda k: integrate.quad_vec(np.sin, 0.0, k, workers=2)[0], "workers="),
        (lambda k: integrate.quad(lambda x: print(x) or x, 0.0, k)[0], "effects"),
    ],
)
def test_what_is_refused_is_named(call, message):
    with pytest.raises(sd.SymdiffError, match=message):
        sd.grad(call)(1.5)


@pytest.mark.parametrize("show", [True, (3,), (4, 12)])
def test_a_table_is_printed_once_as_scipy_prints_it(show, capsys):
    y = np.linspace(0.1, 2.0, 9) ** 3

    def integral(y, dx):
        return integrate.romb(y, dx, show=show)

    assert integral(y, 0.3) == sd.vjp(integral, y, 0.3)[0]
    own = capsys.readouterr().out
    assert own == 2 * own[: len(own) // 2] and own.count("Romberg") == 2
    check(lambda y, dx: integrate.romb(y, dx, show=show), y, 0.3, wrt=(0, 1))
    check(lambda y: integrate.romb(y, 1.0, axis=0, show=show), y[:, None] * [1.0, 2.0])
    assert "only supported for integrals of a single data set" in capsys.readouterr().out


def test_estimates_of_errors_are_told_and_have_no_derivative():
    def both(k):
        return integrate.quad(np.sin, 0.0, k)

    for attempt in (lambda: sd.vjp(both, 1.5), lambda: sd.jvp(both, (1.5,), (1.0,))):
        with pytest.raises(sd.UnsupportedCallError) as told:
            attempt()
        message = "cannot differentiate what integrate.quad tells beside its solution"
        assert message in str(told.value)
        assert "the first item" in str(told.value) and "^^^^" in str(told.value)
    (value, error), slope = sd.value_and_grad(both, has_aux=True)(1.5)
    assert (value, error) == both(1.5)
    assert slope == pytest.approx(np.sin(1.5))
    stopped = lambda k: both(k)[0] + sd.stop_gradient(both(k)[1])  # noqa: E731
    assert sd.grad(stopped)(1.5) == pytest.approx(np.sin(1.5))


def test_what_an_integrand_notes_on_some_paths_is_not_lost():
    def farthest(k):
        seen = [0.0]

        def integrand(x):
            seen[0] = max(seen[0], k * x)
            return np.exp(-k * x)

        return integrate.quad(integrand, 0.0, 1.0)[0] + seen[0]

    with pytest.raises(sd.UnsupportedCallError, match="changes what it does not own"):
        sd.grad(farthest)(0.5)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.7), (0.5, 0.5), (0.0, 0.0), (-0.5, -0.5)])
def test_nodes_and_weights_by_the_parameters_of_their_polynomials(n, a, b):
    check(lambda a, b: special.roots_jacobi(n, a, b), a, b, wrt=(0, 1))
    check(lambda a: special.roots_gegenbauer(n, a)[0] * special.roots_gegenbauer(n, a)[1], a + 0.6)
    check(lambda a: special.roots_genlaguerre(n, a, mu=True), b + 0.1)


def test_a_number_of_nodes_that_is_none_raises():
    with pytest.raises(ValueError, match="positive integer"):
        sd.grad(lambda a: special.roots_jacobi(0, a, a)[0][0])(0.3)
    with pytest.raises(ValueError, match="greater than -1"):
        sd.grad(lambda a: special.roots_genlaguerre(2, a)[0][0])(-1.5)
