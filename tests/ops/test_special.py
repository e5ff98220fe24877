"""``scipy.special``: values are SciPy's, derivatives of orders 1 to 3 are mpmath's.

The reference is the Taylor series that mpmath finds of its own function, with 40 digits.
"""

from __future__ import annotations

import subprocess
import sys
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

ROOT_2 = mp.sqrt(2)


def _normal(x: Any) -> Any:
    return mp.erfc(-x / ROOT_2) / 2


def _student(df: Any, t: Any) -> Any:
    scale = mp.gamma((df + 1) / 2) / (mp.sqrt(mp.pi * df) * mp.gamma(df / 2))
    return mp.mpf(1) / 2 + t * scale * mp.hyp2f1(0.5, (df + 1) / 2, 1.5, -t * t / df)


def _boxcox(x: Any, power: Any) -> Any:
    return (x**power - 1) / power if power else mp.log(x)


def _huber(d: Any, r: Any) -> Any:
    return r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2)


# By name: arguments, the positions differentiated by, and the function of mpmath's.
CASES: dict[str, tuple[tuple[Any, ...], tuple[int, ...], Callable[..., Any]]] = {
    "gamma": (([0.4, 1.7, -1.3, 6.0],), (0,), mp.gamma),
    "gammaln": (([0.4, 1.7, 30.0],), (0,), mp.loggamma),
    "loggamma": (([0.4, 1.7, 30.0],), (0,), mp.loggamma),
    "psi": (([0.4, 1.7, 30.0],), (0,), mp.digamma),
    "zeta": ((2.5, [0.4, 1.7, 30.0]), (1,), mp.zeta),
    "betaln": (([0.4, 1.7], [2.5, 0.8]), (0, 1), lambda a, b: mp.log(mp.beta(a, b))),
    "beta": (([0.4, 1.7], [2.5, 0.8]), (0, 1), mp.beta),
    "gammainc": ((1.8, [0.3, 2.0, 7.0]), (1,), lambda a, x: mp.gammainc(a, 0, x, True)),
    "gammaincc": ((1.8, [0.3, 2.0, 7.0]), (1,), lambda a, x: mp.gammainc(a, x, mp.inf, True)),
    "betainc": ((1.8, 2.6, [0.3, 0.9]), (2,), lambda a, b, x: mp.betainc(a, b, 0, x, True)),
    "stdtr": ((3.7, [-1.2, 0.0, 2.5]), (1,), _student),
    "erf": (([-1.2, 0.0, 0.5, 3.0],), (0,), mp.erf),
    "erfc": (([-1.2, 0.0, 0.5, 5.0],), (0,), mp.erfc),
    "erfi": (([-1.2, 0.0, 0.5],), (0,), mp.erfi),
    "erfcx": (([-1.2, 0.0, 3.0, 13.0, 1e4],), (0,), lambda x: mp.exp(x * x) * mp.erfc(x)),
    "dawsn": (
        ([-1.2, 0.0, 3.0, 13.0, -200.0],),
        (0,),
        lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
    ),
    "erfinv": (([-0.9, 0.0, 0.5],), (0,), mp.erfinv),
    "erfcinv": (([0.2, 1.0, 1.7],), (0,), lambda x: mp.erfinv(1 - x)),
    "ndtr": (([-3.0, 0.0, 1.5],), (0,), _normal),
    "log_ndtr": (([-40.0, -3.0, 0.0, 5.0],), (0,), lambda x: mp.log(_normal(x))),
    "ndtri": (([0.1, 0.5, 0.9],), (0,), lambda x: ROOT_2 * mp.erfinv(2 * x - 1)),
    "expit": (([-30.0, 0.0, 30.0],), (0,), lambda x: 1 / (1 + mp.exp(-x))),
    "log_expit": (([-30.0, 0.0, 30.0],), (0,), lambda x: -mp.log(1 + mp.exp(-x))),
    "logit": (([0.1, 0.5, 0.8],), (0,), lambda x: mp.log(x / (1 - x))),
    "xlogy": (([0.4, -1.7], [2.5, 0.8]), (0, 1), lambda a, b: a * mp.log(b)),
    "xlog1py": (([0.4, -1.7], [2.5, -0.2]), (0, 1), lambda a, b: a * mp.log(1 + b)),
    "entr": (([0.4, 1.7],), (0,), lambda x: -x * mp.log(x)),
    "rel_entr": (([0.4, 1.7], [2.5, 0.8]), (0, 1), lambda a, b: a * mp.log(a / b)),
    "kl_div": (([0.4, 1.7], [2.5, 0.8]), (0, 1), lambda a, b: a * mp.log(a / b) - a + b),
    "boxcox": (([0.4, 1.7, 2.2], [2.5, -0.8, 1e-3]), (0, 1), _boxcox),
    "huber": (([1.0, 1.5], [0.4, -3.0]), (0, 1), _huber),
    "pseudo_huber": (
        ([1.0, 1.5], [0.4, -3.0]),
        (0, 1),
        lambda d, r: d**2 * (mp.sqrt(1 + (r / d) ** 2) - 1),
    ),
    "jv": ((1.3, [0.4, 3.7]), (1,), mp.besselj),
    "yv": ((1.3, [0.4, 3.7]), (1,), mp.bessely),
    "iv": ((1.3, [0.4, 3.7]), (1,), mp.besseli),
    "kv": ((1.3, [0.4, 3.7]), (1,), mp.besselk),
    "ive": ((1.3, [0.4, 3.7]), (1,), lambda v, x: mp.besseli(v, x) * mp.exp(-x)),
    "j0": (([0.0, 0.4, 3.7],), (0,), lambda x: mp.besselj(0, x)),
    "j1": (([0.0, 0.4, 3.7],), (0,), lambda x: mp.besselj(1, x)),
    "y0": (([0.4, 3.7],), (0,), lambda x: mp.bessely(0, x)),
    "y1": (([0.4, 3.7],), (0,), lambda x: mp.bessely(1, x)),
    "i0": (([0.0, 0.4, -3.7],), (0,), lambda x: mp.besseli(0, x)),
    "i1": (([0.0, 0.4, -3.7],), (0,), lambda x: mp.besseli(1, x)),
    "i0e": (([0.4, 3.7],), (0,), lambda x: mp.besseli(0, x) * mp.exp(-x)),
    "i1e": (([0.4, 3.7],), (0,), lambda x: mp.besseli(1, x) * mp.exp(-x)),
    "k0": (([0.4, 3.7],), (0,), lambda x: mp.besselk(0, x)),
    "k1": (([0.4, 3.7],), (0,), lambda x: mp.besselk(1, x)),
    "exp1": (([0.4, 3.7],), (0,), mp.e1),
    "expi": (([0.4, 3.7, -1.2],), (0,), mp.ei),
    "expn": ((2, [0.4, 3.7]), (1,), mp.expint),
    "ellipk": (([-0.5, 0.0, 0.8],), (0,), mp.ellipk),
    "ellipe": (([-0.5, 0.0, 0.8],), (0,), mp.ellipe),
    "hyp1f1": ((0.7, 1.9, [-0.5, 0.0, 2.8]), (2,), mp.hyp1f1),
    "hyp2f1": ((0.7, 1.1, 1.9, [-0.5, 0.0, 0.8]), (3,), mp.hyp2f1),
}
ACCURACY = 1e-11
LESS_ACCURATE = {"hyp1f1": 1e-9, "boxcox": 1e-9, "log_ndtr": 1e-9, "ellipk": 1e-10}


def along(name: str, position: int, dtype: str = "float64") -> Callable[..., Any]:
    """The function by one of its arguments."""
    function, given = getattr(special, name), CASES[name][0]
    before, after = given[:position], given[position + 1 :]
    before, after = (
        tuple(np.array(a, dtype) if isinstance(a, list) else a for a in part)
        for part in (before, after)
    )
    return lambda x: function(*before, x, *after)


def taylor(name: str, position: int) -> np.ndarray:
    """The derivatives from order 0 to 3 at each point, by mpmath."""
    arguments, _, exact = CASES[name]
    points = len(arguments[position])
    columns = [a if isinstance(a, list) else [a] * points for a in arguments]

    def at(k: int) -> list[Any]:
        others = [
            mp.mpf(column[k]) if isinstance(column[k], float) else column[k] for column in columns
        ]

        def function(x: Any) -> Any:
            return exact(*others[:position], x, *others[position + 1 :])

        found = mp.taylor(function, others[position], 3)
        return [float(mp.re(c) * mp.factorial(n)) for n, c in enumerate(found)]

    return np.array([at(k) for k in range(points)]).T


PAIRS = [(name, k) for name, (_, positions, _) in CASES.items() for k in positions]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "position"), PAIRS)
def test_derivatives_to_order_three_are_those_of_mpmath(name: str, position: int):
    function, expected = along(name, position), taylor(name, position)
    x = np.array(CASES[name][0][position])
    assert same(sd.vjp(function, x)[0], function(x))
    ones = np.ones_like(x)
    tolerance = LESS_ACCURATE.get(name, ACCURACY)

    def first(x: Any) -> Any:
        return sd.jvp(function, (x,), (ones,))[1]

    def second(x: Any) -> Any:
        return sd.jvp(first, (x,), (ones,))[1]

    def total(x: Any) -> Any:
        return np.sum(second(x))

    value, tangent = sd.jvp(function, (x,), (ones,))
    assert same(value, function(x))
    np.testing.assert_allclose(tangent, expected[1], rtol=tolerance, atol=1e-14)
    backwards = sd.grad(lambda x: np.sum(function(x)))(x)
    np.testing.assert_allclose(backwards, expected[1], rtol=tolerance, atol=1e-14)
    of_first = sd.grad(lambda x: np.sum(first(x)))(x)
    scale = np.abs(expected[1:3]).max(axis=0)
    assert np.all(np.abs(of_first - expected[2]) <= tolerance * scale), (of_first, expected[2])
    of_second = sd.grad(total)(x)
    scale = np.abs(expected[1:4]).max(axis=0)
    assert np.all(np.abs(of_second - expected[3]) <= tolerance * scale), (of_second, expected[3])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "position"), PAIRS)
def test_single_precision_stays(name: str, position: int):
    function, x = along(name, position, "float32"), np.array(CASES[name][0][position], "float32")
    gradient = sd.grad(lambda x: np.sum(function(x)))(x)
    assert gradient.dtype == x.dtype
    assert same(sd.jvp(function, (x,), (np.ones_like(x),))[0], function(x))
    expected = taylor(name, position)[1]
    np.testing.assert_allclose(gradient, expected, rtol=2e-4, atol=1e-5)


def test_a_parameter_without_a_closed_form_is_refused_by_name():
    with pytest.raises(sd.UnsupportedCallError, match=r"scipy\.special\.struve by 'v'"):
        sd.grad(lambda v: special.struve(v, 2.0))(1.5)
    with pytest.raises(sd.UnsupportedCallError, match=r"scipy\.special\.hyperu by 'a'"):
        sd.jvp(lambda a: special.hyperu(a, 1.2, 2.0), (1.5,), (1.0,))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: special.xlogy(x, np.zeros(2)), [-np.inf, -np.inf]),
        (lambda x: special.xlogy(np.zeros(2), x), [0.0, 0.0]),
        (lambda x: special.expit(x * 800.0), [200.0, 0.0]),
        (lambda x: np.where(x > 0, special.entr(x), 0.0), [0.0, -1.0]),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_edges(function: Callable[..., Any], expected: list[float]):
    x = np.array([0.0, 1.0])
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(function(x)))(x), expected, atol=1e-300)


KINDS = ("bool", "int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64")
BESIDE_INTEGERS: dict[str, Callable[..., Any]] = {
    "huber": special.huber,
    "hyperu": lambda k, x: special.hyperu(k, 1.5, x),
    "kl_div": special.kl_div,
    "rel_entr": special.rel_entr,
    "xlogy": special.xlogy,
    "zeta": lambda k, x: special.zeta(k + 1.5, x) + special.zeta(k * 1.5 + 0.7, x),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BESIDE_INTEGERS)
def test_an_integer_beside_a_float_is_what_the_float_would_be(name: str, kind: str):
    function, x = BESIDE_INTEGERS[name], np.array([0.7, 1.3, 4.2])
    k = np.array([1, 1, 1] if kind == "bool" else [1, 3, 2]).astype(kind)

    def total(k: Any, x: Any) -> Any:
        return np.sum(function(k, x))

    def along(k: Any, x: Any) -> Any:
        return sd.jvp(lambda x: function(k, x), (x,), (np.ones_like(x),))[1]

    wide = k.astype(float)
    np.testing.assert_allclose(sd.grad(total, 1)(k, x), sd.grad(total, 1)(wide, x), rtol=1e-15)
    np.testing.assert_allclose(along(k, x), along(wide, x), rtol=1e-15)
    curvature = [sd.grad(lambda x: np.sum(along(n, x)))(x) for n in (k, wide)]  # noqa: B023
    np.testing.assert_allclose(*curvature, rtol=1e-15)
    if name in ("rel_entr", "kl_div"):
        np.testing.assert_allclose(along(k, x), -wide / x + (name == "kl_div"), rtol=1e-15)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_polygamma_of_integers(kind: str):
    x = np.array([0.7, 1.3, 4.2])
    for n in np.array([0, 1, 3], kind):
        gradient = sd.grad(lambda x: np.sum(special.polygamma(n, x)))(x)  # noqa: B023
        np.testing.assert_allclose(gradient, special.polygamma(int(n) + 1, x), rtol=1e-14)


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize("n", [0.0, 0.7, 1.0, 1.9, 2.0, 3.4])
def test_expn_cuts_its_order_off(n: float):
    x = np.array([0.7, 1.3, 4.2])
    expected = special.expn(int(n) - 1, x) if n >= 1 else np.exp(-x) * (1 + x) / x**2
    _, tangent = sd.jvp(special.expn, (n, x), (None, np.ones(3)))
    np.testing.assert_allclose(tangent, -expected, rtol=1e-14)
    gradient = sd.grad(lambda n, x: np.sum(special.expn(n, x)), 1)(n, x)
    np.testing.assert_allclose(gradient, -expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        (special.boxcox, (0.0, 1.5), (0.0, 1 / 1.5**2)),
        (special.boxcox, (0.0, 1e-170), (np.inf, np.inf)),
        (special.boxcox1p, (-1.0, 2.0), (0.0, 0.25)),
        (special.inv_boxcox, (-2.0, 0.5), (0.0, 0.0)),
        (special.powm1, (0.0, 1.5), (0.0, 0.0)),
        (special.powm1, (0.25, 0.5), (1.0, 0.5 * np.log(0.25))),
        (special.agm, (0.0, 1.5), (np.inf, 0.0)),
        (special.agm, (1.5, 0.0), (0.0, np.inf)),
        (special.agm, (1.5, 1.5), (0.5, 0.5)),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_a_logarithm_is_infinite_there_is_a_derivative(
    function: Callable[..., Any], at: tuple[float, float], expected: tuple[float, float]
):
    for given in (at, tuple(map(np.float64, at)), tuple(map(np.atleast_1d, at))):
        found = sd.grad(lambda a, b: np.sum(function(a, b)), (0, 1))(*given)
        np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-14)
        for k in (0, 1):
            tangents = [None, None]
            tangents[k] = np.ones_like(given[k]) if np.ndim(given[k]) else type(given[k])(1.0)
            _, tangent = sd.jvp(function, given, tuple(tangents))
            np.testing.assert_allclose(np.ravel(tangent), expected[k : k + 1], rtol=1e-14)


def test_agm_of_a_small_number():
    for a in (1e-3, 1e-10, 1e-150):
        exact = mp.diff(lambda a: mp.agm(a, 1.3), a, h=mp.mpf(a) * mp.mpf(10) ** -15)
        np.testing.assert_allclose(sd.grad(special.agm)(a, 1.3), float(exact), rtol=1e-12)
        exact = mp.diff(lambda b: mp.agm(a, b), 1.3, h=mp.mpf(10) ** -15)  # noqa: B023
        np.testing.assert_allclose(sd.grad(special.agm, 1)(a, 1.3), float(exact), rtol=1e-12)


def test_the_arguments_of_ufuncs_are_taken():
    x = np.array([0.5, 1.5, 2.5])

    def function(x: Any) -> Any:
        out = np.zeros(3)
        special.gammaln(x, out=out)
        return np.sum(out * out) + special.gammaln(2.5) + special.comb(5, 2)

    expected = 2 * special.gammaln(x) * special.psi(x)
    np.testing.assert_allclose(sd.grad(function)(x), expected, rtol=1e-14)
    assert sd.vjp(function, x)[0] == function(x)
    with pytest.raises(sd.UnsupportedCallError, match=r"scipy\.special\.gammaln .*where="):
        sd.grad(lambda x: np.sum(special.gammaln(x, where=x > 1.0)))(x)


@pytest.mark.parametrize("name", ["comb", "perm", "factorial"])
def test_ways_to_choose_of_what_is_no_whole_number(name):
    n, k = (np.array([5.5, 3.0, -1.5, 4.2]), np.array([2.2, 1.0, 0.5, 5.1]))
    operands = (n,) if name == "factorial" else (n, k)
    exact = {"comb": mp.binomial, "perm": lambda n, k: mp.rf(n - k + 1, k), "factorial": mp.gamma}
    function = getattr(special, name)

    def reference(*at):
        none = at[0] < 0 or (len(at) == 2 and at[1] > at[0])
        return mp.mpf(0) if none else exact[name](*(at if len(at) == 2 else (at[0] + 1,)))

    value, pullback = sd.vjp(lambda *operands: function(*operands), *operands)
    np.testing.assert_array_equal(value, function(*operands))
    for number, found in enumerate(pullback(np.ones(4))):
        order = tuple(int(number == j) for j in range(len(operands)))
        for row, slope in zip(zip(*operands, strict=True), found, strict=True):
            expected = mp.diff(reference, tuple(map(mp.mpf, row)), order)
            assert slope == pytest.approx(float(expected), rel=1e-9)
    whole = (np.arange(4, 7), 2)[: len(operands)]
    assert sd.grad(lambda x: x * np.sum(function(*whole)))(1.0) == np.sum(function(*whole))
    with pytest.raises(sd.UnsupportedSyntaxError, match="known at run time only"):
        sd.grad(lambda x: function(*(x for _ in operands), exact=True) * x)(2.0)


def test_ways_to_choose_keep_the_precision_that_scipy_gives_them():
    given = np.float32([5.5, 3.0]), np.float32([2.5, 1.0])
    value = sd.vjp(lambda n, k: special.comb(n, k), *given)[0]
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, special.comb(*given))
    for function in (special.comb, special.perm):
        with pytest.raises(sd.UnsupportedSyntaxError, match="known at run time only"):
            sd.vjp(lambda n: function(n, 1.5), np.float32(2.5))  # noqa: B023


def test_complex_numbers_have_holomorphic_derivatives():
    z = np.array([0.5 + 0.3j, -1.2 + 2.0j])
    for function, derivative in (
        (special.loggamma, special.psi),
        (special.erf, lambda z: 2 / np.sqrt(np.pi) * np.exp(-z * z)),
        (lambda z: special.jv(0, z), lambda z: -special.jv(1, z)),
    ):
        _, tangent = sd.jvp(function, (z,), (np.ones_like(z),))
        np.testing.assert_allclose(tangent, derivative(z), rtol=1e-13)
    with pytest.raises(sd.UnsupportedCallError, match="ive of complex"):
        sd.jvp(lambda z: special.ive(0, z), (z,), (np.ones_like(z),))
    with pytest.raises(sd.UnsupportedCallError, match=r"special\.psi of complex"):
        sd.jvp(lambda z: special.psi(z), (z,), (np.ones_like(z),))


def test_dawsons_integral_of_large_complex_numbers():
    z = np.array([14.0 + 9.0j, 5.0 + 13.0j, -20.0 - 20.1j, -1e3 + 2.0j, 0.3 - 0.4j])
    _, tangent = sd.jvp(special.dawsn, (z,), (np.ones_like(z),))
    root = mp.sqrt(mp.pi)
    with mp.workdps(60):
        exact = [complex(1 - root * w * mp.exp(-w * w) * mp.erfi(w)) for w in map(mp.mpmathify, z)]
    np.testing.assert_allclose(tangent, exact, rtol=1e-11)


def test_symdiff_does_not_import_scipy_until_a_program_has():
    program = (
        "import sys, numpy as np, symdiff as sd\n"
        "def f(x): return np.sum(np.sin(x))\n"
        "sd.grad(f)(np.ones(2))\n"
        "assert 'scipy' not in sys.modules\n"
        "def g(x):\n"
        "    from scipy.special import gammaln\n"
        "    return np.sum(gammaln(x))\n"
        "print(sd.grad(g)(np.ones(2)))\n"
    )
    run = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True)
    assert run.stdout or "SourceUnavailable" in run.stderr, run.stderr
    assert "AssertionError" not in run.stderr


def test_exported_modules_import_scipy_and_jax_has_its_own(tmp_path: Any):
    path, x = tmp_path / "made.py", np.array([0.5, 1.5])

    def function(x: Any) -> Any:
        return np.sum(special.gammaln(x) * special.erf(x))

    sd.grad(function).export(path, x)
    assert "\nimport scipy\n" in path.read_text()
    run = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    sd.grad(function).export(path, x, namespace="jax.numpy", force=True)
    assert "jax.scipy.special.digamma(x)" in path.read_text()
    with pytest.raises(sd.UnsupportedCallError, match=r"scipy\.special\.jv"):
        sd.grad(lambda x: np.sum(special.jv(1, x))).export(
            path, x, namespace="jax.numpy", force=True
        )
