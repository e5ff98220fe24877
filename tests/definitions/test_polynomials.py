"""Polynomials and series by their coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

C = np.array([0.5, -1.0, 2.0, 0.25, 0.7])
SHORT = np.array([1.5, -0.3])
X = np.array([0.3, -0.8, 1.2])
STACK = np.stack([C, C[::-1] ** 2], axis=1)
VALUES = [
    polynomial.polyval,
    chebyshev.chebval,
    legendre.legval,
    hermite.hermval,
    hermite_e.hermeval,
    laguerre.lagval,
]
DERIVATIVES = [
    polynomial.polyder,
    chebyshev.chebder,
    legendre.legder,
    hermite.hermder,
    hermite_e.hermeder,
    laguerre.lagder,
]
INTEGRALS = [
    polynomial.polyint,
    chebyshev.chebint,
    legendre.legint,
    hermite.hermint,
    hermite_e.hermeint,
    laguerre.lagint,
]


def agrees(function: Any, *args: Any) -> None:
    """The value and the pullback's dtypes, in single precision too."""
    singles = [np.asarray(a, np.float32) for a in args]
    value, pullback = sd.vjp(function, *singles)
    assert same(value, function(*singles))
    assert all(g.dtype == np.float32 for g in pullback(np.ones_like(value)))


def test_values_of_polynomials() -> None:
    for x in (X, X[::-2], X.reshape(3, 1), X[:0], np.array(0.4), 0.4, np.float64(0.4)):
        check(np.polyval, C, x, wrt=(0, 1))
    check(lambda p, x: np.polyval(np.polyder(p), x), C, X, wrt=(0, 1))
    check(lambda x: np.polyval([1.0, -2.0, 0.5], x), X, wrt=(0,))
    check(lambda p: np.polyval(p, [2, 3]), C[::-2], wrt=(0,))
    for p in (C[:1], C[:0]):
        check(np.polyval, p, X, wrt=(0, 1), order=1)
    agrees(np.polyval, C, X)
    at = np.array([0.3 + 0.5j, -1.1])
    _, pullback = sd.vjp(np.polyval, C, at)
    np.testing.assert_allclose(  # the cotangent by the conjugate
        pullback(np.ones(2))[1], np.conj(np.polyval(np.polyder(C), at)), rtol=1e-14
    )


@pytest.mark.parametrize("value", VALUES, ids=lambda f: f.__name__)
def test_values_of_series(value: Any) -> None:
    def series(x, c):
        return value(x, c)

    def one_to_one(x, c):
        return value(x, c, tensor=False)

    check(series, X, C, wrt=(0, 1))
    agrees(series, X, C)
    check(series, X.reshape(3, 1), STACK, wrt=(0, 1), order=1)
    check(one_to_one, X[:2], STACK, wrt=(0, 1), order=1)
    for c in (C[:1], C[:2]):
        check(series, 0.4, c, wrt=(0, 1), order=1)
    assert same(sd.vjp(series, X, np.array([1, 2, 3]))[0], series(X, np.array([1, 2, 3])))


@pytest.mark.parametrize("derivative", DERIVATIVES, ids=lambda f: f.__name__)
def test_derivatives_of_series(derivative: Any) -> None:
    def once(c):
        return derivative(c) ** 2

    def thrice(c):
        return derivative(c, 3, scl=0.5, axis=1)

    def too_often(c):
        return derivative(c, m=9)

    check(once, C)
    agrees(once, C)
    check(thrice, STACK.T, order=1)
    check(once, C[:2], order=1)
    assert same(sd.vjp(too_often, C)[0], too_often(C))


@pytest.mark.parametrize("integral", INTEGRALS, ids=lambda f: f.__name__)
def test_integrals_of_series(integral: Any) -> None:
    def once(c):
        return integral(c) ** 2

    def twice(c, k):
        return integral(c, 2, k=[k, 0.5], lbnd=-0.5, scl=2.0, axis=-1)

    check(once, C)
    agrees(once, C)
    check(twice, STACK.T, 0.3, wrt=(0, 1), order=1)
    check(once, C[:2], order=1)
    with pytest.raises(sd.errors.UnsupportedCallError, match="one coefficient"):
        sd.vjp(once, C[:1])


def added(a, b):
    return np.polyadd(a, b) * np.polysub(b, a)


def derived(a, b):
    return np.polyder(a, 2) * b[0]


def integrated(a, b):
    return np.polyint(a, 2, k=b) * np.polyint(a)[0]


def of_roots(a, b):
    return np.poly(a) * b[0]


@pytest.mark.parametrize("function", [added, derived, integrated, of_roots])
def test_of_the_highest_power_first(function: Any) -> None:
    check(function, C, SHORT, wrt=(0, 1))
    single = C.astype(np.float32)
    assert same(sd.vjp(function, single, SHORT)[0], function(single, SHORT))


def test_lengths_may_be_the_other_way_round() -> None:
    check(added, SHORT, C, wrt=(0, 1), order=1)
    check(added, C[::-1], C, wrt=(0, 1), order=1)
    assert same(sd.vjp(lambda a: np.poly(a), np.array([1, 2]))[0], np.poly(np.array([1, 2])))


def characteristic(a, b):
    return np.poly(np.reshape(a, (2, 2))) * b[0]


@pytest.mark.parametrize(
    "entries",
    [[0.0, 1 / 3, -0.5, 0.0], [1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 0.0, 2.0], [1.0, 0.0, 0.0, 1.0]],
)
def test_characteristic_polynomials(entries: Any) -> None:
    a = np.array(entries)
    check(characteristic, a, SHORT, wrt=(0, 1))
    t, u, v, w = entries
    expected = [[0, 0, 0, 0], [-1, 0, 0, -1], [w, -v, -u, t]]
    np.testing.assert_allclose(sd.jacobian(characteristic)(a, np.ones(1)), expected, atol=1e-12)


def test_characteristic_polynomials_of_other_sizes_and_dtypes() -> None:
    for dtype in (np.float32, np.int64):
        for size in (1, 3):
            a = np.arange(size * size).reshape(size, size).astype(dtype)
            value, _ = sd.vjp(lambda a, x: np.poly(a) * x, a, np.float32(1.0))
            assert same(value, np.poly(a) * np.float32(1.0))
    for shape in ((2, 3), (0, 0), (2, 2, 2)):
        with pytest.raises(ValueError, match="1d or non-empty square 2d"):
            sd.vjp(lambda a: np.poly(a), np.ones(shape))
    with pytest.raises(sd.UnsupportedCallError, match="eigenvalues of a complex matrix"):
        sd.vjp(lambda a: np.poly(a), np.eye(2) * 1j)


T = np.linspace(-1.0, 2.0, 7)
Y = np.sin(2 * T) + 0.3


def fit(x, y):
    return np.polyfit(x, y, 2)


def weighed_fit(x, y):
    return np.polyfit(x, y, 1, w=np.exp(-x))


def fit_of_two(x, y):
    return np.polyfit(x, np.stack([y, y**2], axis=1), 2)


def covariance(x, y):
    c, v = np.polyfit(x, y, 1, cov=True)
    return np.concatenate([c, v.ravel()])


@pytest.mark.parametrize("function", [fit, weighed_fit, fit_of_two, covariance])
def test_fits(function: Any) -> None:
    check(function, T, Y, wrt=(0, 1), order=2 if function is fit else 1)


def test_a_fit_that_points_do_not_decide_on_is_warned_of() -> None:
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned"):
        sd.vjp(lambda y: np.polyfit(np.array([1.0, 1.0, 2.0]), y, 2), np.array([0.2, 0.5, 0.3]))


def test_errors_are_numpys() -> None:
    with pytest.raises(ValueError, match="expected deg >= 0"):
        sd.grad(lambda y: np.sum(np.polyfit(T, y, -1)))(Y)
    with pytest.raises(ValueError, match="Too many integration constants"):
        sd.grad(lambda c: np.sum(chebyshev.chebint(c, 1, k=[1, 2])))(C)
    with pytest.raises(NotImplementedError, match="complex roots that are not conjugate"):
        sd.vjp(lambda z: np.poly(z), X + 1j)


def products(p, q):
    ahead = np.concatenate((np.zeros(2), q))
    return np.polymul(p, q), np.polymul(ahead, p[0]), np.polymul([0, 0], p)


def quotients(p, q):
    quotient, rest = np.polydiv(p, q)
    again, nothing = np.polydiv(np.polymul(p, q), q)
    return quotient, rest, again, nothing, np.polydiv(q, p)[1]


@pytest.mark.parametrize("function", [products, quotients])
def test_products_and_quotients(function: Any) -> None:
    p, q = np.array([0.5, -1.0, 2.0, 0.25, 1.5]), np.array([2.0, 1.0, -0.75])
    check(function, p, q, wrt=(0, 1), step=1e-3)
    single = p.astype("float32")
    assert same(sd.vjp(function, single, q)[0], function(single, q))


def test_a_polynomial_without_coefficients_is_0() -> None:
    def function(p, q):
        return np.polymul(p, q)

    p, q = np.zeros(0), np.array([1.0, 2.0])
    assert same(sd.vjp(function, p, q)[0], function(p, q))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("lengths", [(5, 3), (2, 5), (3, 4), (4, 4)])
def test_correlation_of_any_lengths(mode: str, lengths: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    x, y = (random.normal(size=n) for n in lengths)
    check(lambda x, y: np.correlate(x, y * y, mode), x, y, wrt=(0, 1))


@pytest.mark.parametrize(
    "c", [[1.0, -3.0, 2.0, 0.0], [0.0, 2.0, -3.0, 2.0, 0.0], [1.0, 1.0, 1.0, 0.0], [3.0, 0.0]]
)
def test_roots_move_with_a_last_coefficient_that_is_0(c: list[float]) -> None:
    """A simple root moves by minus the polynomial of a change over its slope there."""
    c = np.array(c)
    t = np.where(c == 0, 0.0, np.cos(np.arange(len(c))))
    t[-1] = 0.9
    roots = np.roots(c)
    weights = np.arange(1.0, 1.0 + len(roots))
    moved = -np.polyval(t, roots) / np.polyval(np.polyder(c), roots)

    def weighed(c: Any) -> Any:
        return np.sum(weights * np.abs(np.roots(c) - 3j) ** 2)

    expected = np.sum(weights * 2.0 * np.real(np.conj(roots - 3j) * moved))
    assert sd.value_and_grad(weighed)(c)[0] == pytest.approx(weighed(c))
    assert sd.grad(weighed)(c) @ t == pytest.approx(expected)
    assert sd.jvp(weighed, (c,), (t,))[1] == pytest.approx(expected)


@pytest.mark.parametrize(
    "c", [[1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [1, 0, 1, 0, 0], [1j, 0, 1j, 0, 0], [1.0, 0.0]]
)
def test_roots_have_the_bits_of_numpys_beside_roots_at_0(c: Any) -> None:
    c = np.array(c)

    def roots(x: float, c: Any) -> Any:
        return x, np.roots(c)

    (_, found), _ = sd.value_and_grad(roots, has_aux=True)(1.0, c)
    assert found.dtype == np.roots(c).dtype
    assert found.tobytes() == np.roots(c).tobytes()  # with the signs of zeros


def test_several_roots_at_0_move_without_bound() -> None:
    c = np.array([1.0, -3.0, 2.0, 0.0, 0.0])
    with np.errstate(divide="ignore"):
        slopes = sd.grad(lambda c: np.sum(np.abs(np.roots(c) - 3j)))(c)
    assert np.all(np.isfinite(slopes[:3])) and not np.any(np.isfinite(slopes[3:]))


@pytest.mark.parametrize(
    ("fromroots", "value"),
    [
        (polynomial.polyfromroots, polynomial.polyval),
        (chebyshev.chebfromroots, chebyshev.chebval),
        (legendre.legfromroots, legendre.legval),
        (hermite.hermfromroots, hermite.hermval),
        (hermite_e.hermefromroots, hermite_e.hermeval),
        (laguerre.lagfromroots, laguerre.lagval),
    ],
)
@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.one_in(4)
def test_series_of_given_roots(fromroots: Any, value: Any, count: int) -> None:
    """At a point they are the product of the distances to the roots, up to a factor."""
    roots, at = np.cos(1.3 * np.arange(1.0, 1.0 + count)), 0.77
    weights = np.array([value(at, unit) for unit in np.eye(count + 1)])
    factor = weights @ fromroots(roots) / np.prod(at - roots)
    slopes = sd.grad(lambda r: np.sum(weights * fromroots(r)))(roots)
    others = [np.prod(at - np.delete(roots, k)) for k in range(count)]
    np.testing.assert_allclose(slopes, -factor * np.array(others), rtol=1e-11)


KINDS = (
    np.polynomial.Polynomial,
    np.polynomial.Chebyshev,
    np.polynomial.Legendre,
    np.polynomial.Hermite,
    np.polynomial.HermiteE,
    np.polynomial.Laguerre,
)


def _is_linear_in_coefficients(function: Any, c: Any, atol: float = 1e-11) -> None:
    """The value is NumPy's up to rounding, and the Jacobian its changes by the unit vectors."""
    value, tangent = sd.jvp(function, (c,), (np.ones_like(c),))
    np.testing.assert_allclose(value, function(c), rtol=1e-12, atol=atol)
    changes = [function(c + unit) - function(c) for unit in np.eye(len(c))]
    np.testing.assert_allclose(tangent, np.sum(changes, axis=0), rtol=1e-10, atol=atol)
    np.testing.assert_allclose(sd.jacobian(function)(c), np.transpose(changes), atol=atol)


@pytest.mark.parametrize("own", KINDS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_series_converted_to_another_kind(own: Any, kind: Any) -> None:
    _is_linear_in_coefficients(
        lambda c: own(c, domain=[-2, 1.5]).convert([0.0, 2.0], kind, [1.0, 4.0]).coef, C
    )
    if own is kind:
        _is_linear_in_coefficients(lambda c: own(c).convert(domain=[0, 3]).coef, C[:1])


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
@pytest.mark.one_in(4)
def test_methods_of_series(kind: Any) -> None:
    for derived in (
        lambda c: kind(c, domain=[0, 2]).deriv()(0.3),
        lambda c: kind(c).deriv(2)(X),
        lambda c: kind(c).integ(2, k=[1, 2], lbnd=0.1)(X),
        lambda c: (kind(c) / 2)(X),
        lambda c: kind(c).trim()(0.3),
        lambda c: kind.cast(np.polynomial.Polynomial(c))(0.3),
        lambda c: kind(c[:2])(np.polynomial.Polynomial([0.5, 2.0]))(0.3),
    ):
        _is_linear_in_coefficients(derived, C)
    check(lambda c: (kind(c) ** 2)(X), C[:3], order=1)
    check(lambda c: (kind(c) % kind(c[:2]))(X), C[:3], order=1)
    check(lambda x: kind(C).deriv()(x), X)


def test_a_fit_in_its_own_powers() -> None:
    def f(y: Any) -> Any:
        constant, slope, curvature = np.polynomial.Polynomial.fit(X, y, 2).convert().coef
        return constant * slope + curvature**2

    y, unit = C[:3], np.eye(3)
    slopes = np.array([np.polyfit(X, one, 2)[::-1] for one in unit]).T
    constant, slope, curvature = np.polyfit(X, y, 2)[::-1]
    expected = slope * slopes[0] + constant * slopes[1] + 2.0 * curvature * slopes[2]
    np.testing.assert_allclose(sd.grad(f)(y), expected, rtol=1e-11)


def test_converting_a_class_of_ones_own_is_refused() -> None:
    class Own(np.polynomial.Polynomial):
        pass

    with pytest.raises(sd.UnsupportedCallError, match="convert in this form: a series of a class"):
        sd.grad(lambda c: Own(c).convert(domain=[0, 1])(0.3))(C)
