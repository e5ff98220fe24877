"""More of ``scipy.special``, many functions a program: values are SciPy's, derivatives mpmath's.

A row of ``x`` belongs to each function of a family, so that one tangent along ones has all of their
derivatives. The reference is the Taylor series that mpmath finds of its own functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from tests.test_programs import same

special = pytest.importorskip("scipy.special")

mp = mpmath.mp.clone()
mp.dps = 40

Function = Callable[..., Any]
Row = tuple[Function, Function, list[float]]  # SciPy's, mpmath's, points


def _in_degrees(function: Function) -> Function:
    return lambda x: function(x * mp.pi / 180)


def _growth(x: Any) -> Any:
    """What ``airye`` takes from Bi, and gives to Ai: of real numbers, nothing left of 0."""
    return mp.exp(mp.mpf(2) / 3 * x**1.5) if x > 0 else mp.mpf(1)


def _boxed(x: Any, p: Any) -> Any:
    return (x**p - 1) / p


def _log_gammas(a: Any, d: int) -> Any:
    total = mp.log(mp.pi) * d * (d - 1) / 4
    return total + sum(mp.loggamma(a - mp.mpf(j) / 2) for j in range(d))


def _of_order(function: Function, n: int) -> Function:
    return lambda x: function(n, x)


def _spherical(function: Function, n: int) -> Function:
    return lambda x: mp.sqrt(mp.pi / (2 * x)) * function(n + 0.5, x)


def _slope_of_order(function: Function, n: int) -> Function:
    return lambda x: function(n, x, True)


def _slope(function: Function) -> Function:
    return lambda x: mp.diff(function, x)


ELEMENTARY: list[Row] = [
    (special.expm1, mp.expm1, [1e-9, 0.5, -3.0]),
    (special.log1p, mp.log1p, [1e-9, 0.5, -0.4]),
    (special.cosm1, lambda x: mp.cos(x) - 1, [1e-9, 0.5, -3.0]),
    (special.exp2, lambda x: mp.mpf(2) ** x, [0.0, 0.5, -3.0]),
    (special.exp10, lambda x: mp.mpf(10) ** x, [0.0, 0.5, -3.0]),
    (special.cbrt, lambda x: mp.sign(x) * mp.cbrt(abs(x)), [1e-3, 0.5, -3.0]),
    (lambda x: special.powm1(x, 1.7), lambda x: x ** mp.mpf(1.7) - 1, [1e-3, 0.5, 3.0]),
    (lambda x: special.powm1(1.3, x), lambda x: mp.mpf(1.3) ** x - 1, [1e-3, 0.5, -3.0]),
    (special.sindg, _in_degrees(mp.sin), [1.0, 30.0, -100.0]),
    (special.cosdg, _in_degrees(mp.cos), [1.0, 30.0, -100.0]),
    (special.tandg, _in_degrees(mp.tan), [1.0, 30.0, -100.0]),
    (special.cotdg, _in_degrees(mp.cot), [10.0, 30.0, -100.0]),
    (special.exprel, lambda x: mp.expm1(x) / x, [1e-3, 0.5, -3.0]),
    (lambda x: special.boxcox1p(x, 0.3), lambda x: _boxed(1 + x, mp.mpf(0.3)), [1e-9, 0.5, -0.4]),
    (lambda p: special.boxcox1p(0.7, p), lambda p: _boxed(mp.mpf(1 + 0.7), p), [1e-3, 0.5, -3.0]),
    (
        lambda z: special.inv_boxcox(z, 0.3),
        lambda z: (1 + mp.mpf(0.3) * z) ** (1 / mp.mpf(0.3)),
        [1e-3, 0.5, -0.4],
    ),
    (
        lambda p: special.inv_boxcox(0.7, p),
        lambda p: (1 + mp.mpf(0.7) * p) ** (1 / p),
        [1e-2, 0.5, -0.8],
    ),
    (
        lambda p: special.inv_boxcox1p(0.7, p),
        lambda p: (1 + mp.mpf(0.7) * p) ** (1 / p) - 1,
        [1e-2, 0.5, -0.8],
    ),
    (lambda a: special.agm(a, 1.3), lambda a: mp.agm(a, 1.3), [0.2, 1.3, 9.0]),
]
GAMMA: list[Row] = [
    (special.rgamma, mp.rgamma, [0.4, 1.7, -1.3]),
    (special.digamma, mp.digamma, [0.4, 1.7, -1.3]),
    (lambda a: special.poch(a, 1.7), lambda a: mp.rf(a, mp.mpf(1.7)), [0.4, 1.7, 5.0]),
    (lambda m: special.poch(1.7, m), lambda m: mp.rf(mp.mpf(1.7), m), [0.4, 1.7, -1.0]),
    (lambda n: special.binom(n, 1.7), lambda n: mp.binomial(n, mp.mpf(1.7)), [0.4, 1.9, 5.0]),
    (lambda k: special.binom(4.3, k), lambda k: mp.binomial(mp.mpf(4.3), k), [0.4, 1.7, 4.0]),
    (lambda x: special.polygamma(0, x), lambda x: mp.psi(0, x), [0.4, 1.7, 9.0]),
    (lambda x: special.polygamma(1, x), lambda x: mp.psi(1, x), [0.4, 1.7, 9.0]),
    (lambda x: special.polygamma(3, x), lambda x: mp.psi(3, x), [0.4, 1.7, 9.0]),
    (lambda a: special.multigammaln(a, 3), lambda a: _log_gammas(a, 3), [1.4, 1.7, 9.0]),
    (lambda a: special.multigammaln(a, 1), lambda a: _log_gammas(a, 1), [1.4, 1.7, 9.0]),
]
BESSEL: list[Row] = [
    (lambda x: special.jve(1.3, x), lambda x: mp.besselj(1.3, x), [0.4, 1.7, 6.0]),
    (lambda x: special.yve(1.3, x), lambda x: mp.bessely(1.3, x), [0.4, 1.7, 6.0]),
    (lambda x: special.kve(1.3, x), lambda x: mp.exp(x) * mp.besselk(1.3, x), [0.4, 1.7, 6.0]),
    (lambda x: special.jvp(1.3, x, 2), lambda x: mp.besselj(1.3, x, 2), [0.4, 1.7, 6.0]),
    (lambda x: special.yvp(1.3, x), lambda x: mp.bessely(1.3, x, 1), [0.4, 1.7, 6.0]),
    (lambda x: special.ivp(1.3, x), lambda x: mp.besseli(1.3, x, 1), [0.4, 1.7, 6.0]),
    (lambda x: special.kvp(1.3, x, 0), lambda x: mp.besselk(1.3, x), [0.4, 1.7, 6.0]),
    (
        lambda x: special.kvp(1.3, x),
        lambda x: -(mp.besselk(1.3 - 1, x) + mp.besselk(1.3 + 1, x)) / 2,
        [0.4, 1.7, 6.0],
    ),
    (lambda x: special.airy(x)[0], mp.airyai, [0.4, 1.7, -3.0]),
    (lambda x: special.airy(x)[1], lambda x: mp.airyai(x, 1), [0.4, 1.7, -3.0]),
    (lambda x: special.airy(x)[2], mp.airybi, [0.4, 1.7, -3.0]),
    (lambda x: special.airy(x)[3], lambda x: mp.airybi(x, 1), [0.4, 1.7, -3.0]),
    (lambda x: special.airye(x)[0], lambda x: mp.airyai(x) * _growth(x), [0.4, 1.7, 30.0]),
    (lambda x: special.airye(x)[1], lambda x: mp.airyai(x, 1) * _growth(x), [0.4, 1.7, 30.0]),
    (lambda x: special.airye(x)[2], lambda x: mp.airybi(x) / _growth(x), [0.4, 30.0, -3.0]),
    (lambda x: special.airye(x)[3], lambda x: mp.airybi(x, 1) / _growth(x), [0.4, 30.0, -3.0]),
    (lambda x: special.struve(0, x), lambda x: mp.struveh(0, x), [0.4, 1.7, 6.0]),
    (lambda x: special.struve(1.3, x), lambda x: mp.struveh(1.3, x), [0.4, 1.7, 6.0]),
    (lambda x: special.modstruve(1.3, x), lambda x: mp.struvel(1.3, x), [0.4, 1.7, 3.0]),
    *(
        (of_order(getattr(special, f"spherical_{name}"), n), exact, [0.4, 1.7, 6.0])
        for name, function in (
            ("jn", mp.besselj),
            ("yn", mp.bessely),
            ("in", mp.besseli),
            ("kn", mp.besselk),
        )
        for n in (0, 2)
        for of_order, exact in (
            (_of_order, _spherical(function, n)),
            (_slope_of_order, _slope(_spherical(function, n))),
        )
    ),
]
INTEGRALS: list[Row] = [
    (lambda x: special.sici(x)[0], mp.si, [1e-3, 1.7, -6.0]),
    (lambda x: special.sici(x)[1], mp.ci, [0.4, 1.7, 6.0]),
    (lambda x: special.shichi(x)[0], mp.shi, [1e-3, 1.7, -6.0]),
    (lambda x: special.shichi(x)[1], mp.chi, [0.4, 1.7, 6.0]),
    (lambda x: special.fresnel(x)[0], mp.fresnels, [1e-3, 1.7, -2.0]),
    (lambda x: special.fresnel(x)[1], mp.fresnelc, [1e-3, 1.7, -2.0]),
    (special.spence, lambda x: mp.polylog(2, 1 - x), [0.4, 1.01, 1.9]),
    (special.wrightomega, lambda x: mp.lambertw(mp.exp(x)), [0.4, 1.7, -3.0]),
    (lambda x: special.ellipkinc(x, 0.6), lambda x: mp.ellipf(x, mp.mpf(0.6)), [0.1, 0.7, 1.4]),
    (lambda x: special.ellipeinc(x, 0.6), lambda x: mp.ellipe(x, mp.mpf(0.6)), [0.1, 0.7, 1.4]),
    (special.ellipkm1, lambda p: mp.ellipk(1 - p), [1e-6, 0.4, 0.8]),
    (lambda x: special.hyp0f1(1.3, x), lambda x: mp.hyp0f1(1.3, x), [0.1, 0.7, -1.4]),
    (lambda x: special.hyperu(0.3, 1.6, x), lambda x: mp.hyperu(0.3, 1.6, x), [0.4, 1.7, 6.0]),
    (lambda x: np.real(special.lambertw(x)), mp.lambertw, [1e-3, 1.7, -0.2]),
    (lambda x: np.real(special.lambertw(x, -1)), lambda x: mp.lambertw(x, -1), [-0.1, -0.2, -0.3]),
    (
        lambda x: np.imag(special.wofz(x)),
        lambda x: mp.exp(-x * x) * mp.erfi(x),
        [1e-3, 1.7, 3.0],
    ),
]


def _lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, True)


def _gauss(f: Function, low: Any, high: Any) -> Any:
    return mp.quad(f, [low, high])


DENSITIES: list[Row] = [
    (
        lambda x: special.betaincc(1.3, 0.8, x),
        lambda x: 1 - mp.betainc(1.3, 0.8, 0, x, True),
        [0.1, 0.5, 0.9],
    ),
    (lambda x: special.chdtr(3.3, x), lambda x: _lower(mp.mpf(3.3) / 2, x / 2), [0.4, 1.7, 6.0]),
    (
        lambda x: special.chdtrc(3.3, x),
        lambda x: 1 - _lower(mp.mpf(3.3) / 2, x / 2),
        [0.4, 1.7, 6.0],
    ),
    (
        lambda x: special.fdtr(3.0, 5.0, x),
        lambda x: mp.betainc(1.5, 2.5, 0, 3 * x / (3 * x + 5), True),
        [0.4, 1.7, 6.0],
    ),
    (
        lambda x: special.fdtrc(3.0, 5.0, x),
        lambda x: 1 - mp.betainc(1.5, 2.5, 0, 3 * x / (3 * x + 5), True),
        [0.4, 1.7, 6.0],
    ),
    (lambda m: special.pdtr(2.5, m), lambda m: 1 - _lower(3, m), [0.4, 1.7, 6.0]),
    (lambda m: special.pdtrc(2.5, m), lambda m: _lower(3, m), [0.4, 1.7, 6.0]),
    (
        lambda h: special.owens_t(h, 0.7),
        lambda h: (
            _gauss(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), 0, mp.mpf(0.7))
            / (2 * mp.pi)
        ),
        [0.1, 0.5, -0.9],
    ),
    (
        lambda a: special.owens_t(0.7, a),
        lambda a: (
            _gauss(lambda t: mp.exp(-(mp.mpf(0.7) ** 2) * (1 + t * t) / 2) / (1 + t * t), 0, a)
            / (2 * mp.pi)
        ),
        [0.1, 0.5, -0.9],
    ),
]
POLYNOMIALS: list[Row] = [
    (lambda x: special.eval_legendre(3, x), lambda x: mp.legendre(3, x), [0.1, 1.0, -0.9]),
    (lambda x: special.eval_legendre(0, x), lambda x: mp.mpf(1), [0.1, 1.0, -0.9]),
    (lambda x: special.eval_legendre(1.5, x), lambda x: mp.legendre(1.5, x), [0.1, 0.5, 0.9]),
    (lambda x: special.eval_chebyt(3, x), lambda x: mp.chebyt(3, x), [0.1, 1.0, -0.9]),
    (lambda x: special.eval_chebyu(3, x), lambda x: mp.chebyu(3, x), [0.1, 1.0, -0.9]),
    (
        lambda x: special.eval_gegenbauer(3, 0.7, x),
        lambda x: mp.gegenbauer(3, mp.mpf(0.7), x),
        [0.1, 1.0, -0.9],
    ),
    (
        lambda x: special.eval_jacobi(3, 0.5, 0.25, x),
        lambda x: mp.jacobi(3, 0.5, 0.25, x),
        [0.1, 1.0, -0.9],
    ),
    (lambda x: special.eval_laguerre(4, x), lambda x: mp.laguerre(4, 0, x), [0.1, 1.0, 5.0]),
    (
        lambda x: special.eval_genlaguerre(4, 0.7, x),
        lambda x: mp.laguerre(4, mp.mpf(0.7), x),
        [0.1, 1.0, 5.0],
    ),
    (lambda x: special.eval_hermite(4, x), lambda x: mp.hermite(4, x), [0.1, 1.0, -2.0]),
    (
        lambda x: special.eval_hermitenorm(4, x),
        lambda x: x**4 - 6 * x**2 + 3,
        [0.1, 1.0, -2.0],
    ),
    (
        lambda x: special.eval_sh_legendre(3, x),
        lambda x: mp.legendre(3, 2 * x - 1),
        [0.1, 1.0, 0.4],
    ),
    (lambda x: special.eval_sh_chebyt(3, x), lambda x: mp.chebyt(3, 2 * x - 1), [0.1, 1.0, 0.4]),
    (lambda x: special.eval_sh_chebyu(3, x), lambda x: mp.chebyu(3, 2 * x - 1), [0.1, 1.0, 0.4]),
    (lambda x: special.eval_chebyc(3, x), lambda x: 2 * mp.chebyt(3, x / 2), [0.1, 1.0, -1.4]),
    (lambda x: special.eval_chebys(3, x), lambda x: mp.chebyu(3, x / 2), [0.1, 1.0, -1.4]),
]
FAMILIES = {
    "elementary": (ELEMENTARY, 1e-9),
    "gamma": (GAMMA, 1e-11),
    "bessel": (BESSEL, 1e-9),
    "integrals": (INTEGRALS, 1e-9),
    "densities": (DENSITIES, 1e-10),
    "polynomials": (POLYNOMIALS, 1e-11),
}
ORDERS = 3


def program(rows: list[Row]) -> Function:
    functions = [row[0] for row in rows]

    def values(x: Any) -> Any:
        return np.stack([function(x[k]) for k, function in enumerate(functions)])

    return values


def derivatives(rows: list[Row]) -> np.ndarray:
    """By mpmath: for each order, function and point."""
    found = np.empty((ORDERS + 1, len(rows), len(rows[0][2])))
    for k, (_, exact, points) in enumerate(rows):
        for j, point in enumerate(points):
            series = mp.taylor(exact, mp.mpf(point), ORDERS)
            found[:, k, j] = [float(mp.re(c) * mp.factorial(n)) for n, c in enumerate(series)]
    return found


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.one_in(4)
def test_a_family_to_order_three(name: str):
    rows, tolerance = FAMILIES[name]
    function, exact = program(rows), derivatives(rows)
    x = np.array([row[2] for row in rows])
    ones = np.ones_like(x)

    def first(x: Any) -> Any:
        return sd.jvp(function, (x,), (ones,))[1]

    def second(x: Any) -> Any:
        return sd.jvp(first, (x,), (ones,))[1]

    value, tangent = sd.jvp(function, (x,), (ones,))
    assert same(value, function(x))
    _close(tangent, exact, 1, tolerance)
    _close(sd.grad(lambda x: np.sum(function(x)))(x), exact, 1, tolerance)
    again, further = sd.jvp(second, (x,), (ones,))
    _close(again, exact, 2, tolerance)
    _close(further, exact, 3, tolerance)
    _close(sd.grad(lambda x: np.sum(first(x)))(x), exact, 2, tolerance)


def _close(actual: Any, exact: np.ndarray, order: int, tolerance: float) -> None:
    """Of the scale of the derivatives up to the order."""
    scale = np.abs(exact[: order + 1]).max(axis=0)
    wrong = ~(np.abs(actual - exact[order]) <= tolerance * scale)
    assert not wrong.any(), (order, np.argwhere(wrong), actual[wrong], exact[order][wrong])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_family_in_single_precision(name: str):
    rows, _ = FAMILIES[name]
    points = np.array([row[2][1:2] for row in rows])
    exact = np.array([[float(mp.re(mp.diff(row[1], row[2][1])))] for row in rows])
    x, functions = points.astype("float32"), [row[0] for row in rows]

    def values(x: Any) -> Any:
        return tuple(function(x[k]) for k, function in enumerate(functions))

    value, tangent = sd.jvp(values, (x,), (np.ones_like(x),))
    assert same(value, values(x))
    assert [t.dtype for t in tangent] == [v.dtype for v in value]
    np.testing.assert_allclose(np.stack(tangent), exact, rtol=2e-3, atol=1e-4)
    gradient = sd.grad(lambda x: sum(np.sum(v) for v in values(x)))(x)
    assert gradient.dtype == x.dtype
    np.testing.assert_allclose(gradient, exact, rtol=2e-3, atol=1e-4)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_edges_and_complex_numbers():
    def at(function: Function, x: float) -> Any:
        return sd.jvp(function, (x,), (1.0,))[1]

    assert at(special.spence, 1.0) == -1.0
    assert at(lambda x: special.sici(x)[0], 0.0) == 1.0
    assert at(lambda x: special.shichi(x)[0], 0.0) == 1.0
    assert at(lambda x: special.spherical_jn(1, x), 0.0) == 1 / 3
    assert at(special.cbrt, 0.0) == np.inf
    assert at(special.gammasgn, -1.5) == 0.0
    z = np.array([0.3 + 0.4j, -2.0 + 1.0j, 30.0 + 9.0j, -40.0 + 1e-3j, 3.0 - 0.5j, 100.0])
    for function, exact in (
        (special.wofz, lambda z: mp.exp(-z * z) * mp.erfc(-1j * z)),
        (lambda z: special.lambertw(z), mp.lambertw),
        (lambda z: special.hankel1(1.3, z), lambda z: mp.hankel1(1.3, z)),
        (
            lambda z: special.hankel2e(1.3, z),
            lambda z: mp.hankel2(1.3, z) * mp.exp(mp.mpc(0, 1) * z),
        ),
    ):
        value, tangent = sd.jvp(function, (z,), (np.ones_like(z),))
        assert same(value, function(z))
        with mp.workdps(60):
            expected = [complex(mp.diff(exact, mp.mpmathify(w))) for w in z]
        np.testing.assert_allclose(tangent, expected, rtol=1e-10)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_inverses_undo_what_they_invert():
    p = np.array([0.1, 0.5, 0.9])
    for forward, inverse in (
        (lambda x: special.gammainc(1.3, x), lambda p: special.gammaincinv(1.3, p)),
        (lambda x: special.gammaincc(1.3, x), lambda p: special.gammainccinv(1.3, p)),
        (lambda x: special.betainc(1.3, 0.7, x), lambda p: special.betaincinv(1.3, 0.7, p)),
        (lambda x: special.betaincc(1.3, 0.7, x), lambda p: special.betainccinv(1.3, 0.7, p)),
        (lambda x: special.stdtr(3.3, x), lambda p: special.stdtrit(3.3, p)),
        (special.log_ndtr, lambda p: special.ndtri_exp(p)),
    ):
        q = np.log(p) if forward is special.log_ndtr else p

        def around(q: Any, forward: Any = forward, inverse: Any = inverse) -> Any:
            return forward(inverse(q))

        def slope(q: Any, around: Any = around) -> Any:
            return sd.jvp(around, (q,), (np.ones(3),))[1]

        assert same(sd.vjp(inverse, q)[0], inverse(q))
        first, second = sd.jvp(slope, (q,), (np.ones(3),))
        np.testing.assert_allclose(first, 1.0, rtol=1e-10)
        np.testing.assert_allclose(second, 0.0, atol=1e-7)


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x: special.hyperu(x, 1.5, 0.4), r"hyperu by 'a'"),
        (lambda x: special.eval_legendre(x, 0.4), r"eval_legendre by 'n'"),
        (lambda x: special.struve(x, 0.4), r"struve by 'v'"),
        (lambda x: np.real(special.lambertw(x, 0, 1e-3)), r"lambertw with the argument tol="),
        (lambda x: special.smirnov(x + 2.0, 0.4), r"smirnov by 'n'"),
        (lambda x: special.elliprg(1j * x, 1, 2).real, r"elliprg of complex"),
    ],
)
def test_what_is_not_known_is_told_by_name(function: Function, named: str):
    with pytest.raises(sd.UnsupportedCallError, match=named):
        sd.jvp(function, (0.8,), (1.0,))


@pytest.mark.parametrize("phi", [0.0, 1e-8, 0.3, -0.7, 1.5, 2.0, -5.0, 10.0])
def test_incomplete_elliptic_integrals_have_slopes_by_the_parameter(phi: float) -> None:
    """By mpmath's differences; where ``m`` is 1, in closed form."""
    m = np.array([-1e6, -0.5, 0.0, 1e-12, 0.3, 0.9])

    def first(m: Any) -> Any:
        return special.ellipkinc(phi, m)

    def second(m: Any) -> Any:
        return special.ellipeinc(phi, m)

    for function, exact in ((first, mp.ellipf), (second, mp.ellipe)):
        at = functools.partial(exact, mp.mpf(phi))
        expected = [float(mp.re(mp.diff(at, mp.mpf(k)))) for k in m]
        found = [
            sd.vjp(function, m)[1](np.ones(6))[0],
            sd.jvp(function, (m,), (np.ones(6),))[1],
        ]
        np.testing.assert_allclose(found, [expected] * 2, rtol=1e-11, atol=1e-30)
    if abs(phi) < 1.5:
        s, c = np.sin(phi), np.cos(phi)
        gudermannian = np.arctanh(s)
        np.testing.assert_allclose(sd.grad(second)(1.0), (s - gudermannian) / 2, atol=1e-24)
        inside = s / (c * c) / 4 - gudermannian / 4
        np.testing.assert_allclose(sd.grad(first)(1.0), inside, rtol=1e-10, atol=1e-16)


@pytest.mark.parametrize("u", [0.0, 1e-7, 0.3, -1.1, 2.7, 7.3])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_jacobis_functions(number: int, u: float) -> None:
    """By mpmath's differences; where ``m`` is at an end, by those to one side."""
    ends = {0.0: 1, 1.0: -1}

    def function(u: Any, m: Any) -> Any:
        return special.ellipj(u, m)[number]

    def exact(u: Any, m: Any) -> Any:
        return mp.re(mp.ellipfun(("sn", "cn", "dn")[number], u, m=m))

    for m in (0.0, 1e-9, 0.2, 0.7, 0.99, 1.0):
        with mp.workdps(40):
            side = ends.get(m, 0)
            by_u = float(mp.diff(lambda t, m=m: exact(t, mp.mpf(m)), mp.mpf(u)))
            by_m = float(mp.diff(lambda t: exact(mp.mpf(u), t), mp.mpf(m), direction=side))
            twice = float(mp.diff(lambda t, m=m: exact(t, mp.mpf(m)), mp.mpf(u), 2))
        found = sd.grad(function, argnums=(0, 1))(u, m)
        np.testing.assert_allclose(found, (by_u, by_m), rtol=1e-8, atol=1e-13)
        tangent = sd.jvp(function, (u, m), (0.7, -0.3))[1]
        np.testing.assert_allclose(tangent, 0.7 * by_u - 0.3 * by_m, rtol=1e-8, atol=1e-13)
        np.testing.assert_allclose(sd.hessian(function)(u, m), twice, rtol=1e-8, atol=1e-13)


def _mixed(c: Any, part: Function) -> Any:
    """The sum of parts by Poisson's weights, whose mean is ``c / 2``."""
    weights = (mp.exp(-c / 2) * (c / 2) ** j / mp.factorial(j) for j in range(30))
    return sum(weight * part(j) for j, weight in enumerate(weights))


@pytest.mark.parametrize(
    ("function", "exact", "at"),
    [
        (
            lambda x, c: special.chndtr(x, 3.0, c),
            lambda x, c: _mixed(c, lambda j: _lower(mp.mpf(1.5) + j, x / 2)),
            (2.3, 0.4),
        ),
        (
            lambda x, c: special.chndtr(x, 3.0, c),
            lambda x, c: _mixed(c, lambda j: _lower(mp.mpf(1.5) + j, x / 2)),
            (4.3, 3.4),
        ),
        (
            lambda x, c: special.ncfdtr(3.0, 7.0, c, x),
            lambda x, c: _mixed(
                c, lambda j: mp.betainc(1.5 + j, 3.5, 0, 3 * x / (3 * x + 7), True)
            ),
            (1.5, 1.2),
        ),
    ],
)
def test_noncentral_distributions(function: Function, exact: Function, at: Any) -> None:
    with mp.workdps(30):
        point = tuple(map(mp.mpf, at))
        orders = ((1, 0), (0, 1), (2, 0), (1, 1))
        first, other, second, mixed = (float(mp.diff(exact, point, n)) for n in orders)
    np.testing.assert_allclose(sd.grad(function, argnums=(0, 1))(*at), (first, other), rtol=1e-12)
    slope = sd.grad(function)
    np.testing.assert_allclose(sd.grad(slope, argnums=(0, 1))(*at), (second, mixed), rtol=1e-11)
    np.testing.assert_allclose(sd.jvp(function, at, (1.0, 2.0))[1], first + 2 * other, rtol=1e-12)


def test_the_amplitude_turns_the_integral_round() -> None:
    def there_and_back(u: Any, m: Any) -> Any:
        return special.ellipkinc(special.ellipj(u, m)[3], m)

    for u, m in ((0.8, 0.3), (5.0, 0.9), (-2.0, 0.5)):
        np.testing.assert_allclose(
            sd.grad(there_and_back, argnums=(0, 1))(u, m), (1.0, 0.0), atol=1e-12
        )


@pytest.mark.parametrize(("phi", "m"), [(0.37, 1.21), (-0.7, 2.0), (0.05, 300.0)])
def test_incomplete_elliptic_integrals_have_slopes_by_parameters_above_one(phi: float, m: float):
    """``m sin²(phi)`` is below 1: the integrals are real there."""
    for function, exact in ((special.ellipkinc, mp.ellipf), (special.ellipeinc, mp.ellipe)):
        with mp.workdps(30):
            at = functools.partial(exact, mp.mpf(phi))
            expected = float(mp.re(mp.diff(at, mp.mpf(m))))
        slope = sd.grad(lambda m, function=function: function(phi, m))(m)
        np.testing.assert_allclose(slope, expected, rtol=1e-13)


@pytest.mark.parametrize("function", [special.kn, special.yn])
@pytest.mark.filterwarnings("ignore:floating point number truncated")
def test_an_order_that_is_to_be_whole_is_cut_off(function: Function) -> None:
    y = np.array([0.4, 1.3, 2.1])
    for order in (2.7, np.array([2.7, 0.2, 1.0])):
        slope = sd.grad(lambda y, order=order: np.sum(function(order, y)))(y)
        step = 1e-5 * y
        differences = (function(order, y + step) - function(order, y - step)) / (2 * step)
        np.testing.assert_allclose(slope, differences, rtol=1e-8)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("n", [np.uint8(0), np.uint8(255), np.int8(127), np.int64(2), 3])
def test_orders_of_every_integer_type_have_their_neighbours(n: Any):
    """The derivative of the order by the recurrence of DLMF 10.51.2, of orders as Python's ints."""
    x, order = 200.0, int(n)
    wide = special.spherical_jn(order, x) * order / x - special.spherical_jn(order + 1, x)
    assert sd.grad(lambda x: special.spherical_jn(n, x))(x) == pytest.approx(wide, rel=1e-9)
    slope = sd.grad(lambda x: special.spherical_jn(n, x))
    second = (slope(x + 1e-4) - slope(x - 1e-4)) / 2e-4
    assert sd.grad(slope)(x) == pytest.approx(second, rel=1e-5)
