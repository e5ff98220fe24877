"""The functions of ``math``: values, exceptions, both modes to order two, and SymPy's meaning."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import FUNCTIONS, REGISTRY
from symdiff.ops.support import polygamma
from tests.ops.straightline import check, pullback, same, stage

NUMBERS = {"acosh": 1.7, "log": 1.3, "log2": 1.3, "log10": 1.3, "sqrt": 1.3}
UNARY = [
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10",
    "log1p sqrt cbrt degrees radians fabs erf erfc gamma lgamma",
]
BINARY = ["pow", "atan2", "fmod", "remainder", "copysign", "hypot"]
DISCRETE = ["floor", "ceil", "trunc", "isnan", "isinf", "isfinite"]


@pytest.mark.parametrize("name", " ".join(UNARY).split())
def test_unary(name: str) -> None:
    function = getattr(math, name)
    x = NUMBERS.get(name, 0.4)
    for number in (x, np.float64(x), np.array(x)):
        check(FUNCTIONS[function], function, number)
    check(FUNCTIONS[function], function, np.float32(x), order=0)
    check(FUNCTIONS[function], function, 1 if name != "atanh" else 0)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    function = getattr(math, name)
    check(FUNCTIONS[function], function, 1.7, 0.6)
    check(FUNCTIONS[function], function, 1.7, np.float64(0.6))
    check(FUNCTIONS[function], function, 2, 0.6)


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name: str) -> None:
    function = getattr(math, name)
    check(FUNCTIONS[function], function, 1.7)
    check(FUNCTIONS[function], function, 2)


def test_of_integers() -> None:
    for function, arguments in (
        (math.factorial, (5,)),
        (math.comb, (5, 2)),
        (math.gcd, (12, 18)),
        (math.isqrt, (17,)),
    ):
        check(FUNCTIONS[function], function, *arguments)


def test_exceptions_are_maths() -> None:
    for function, argument in ((math.log, 0.0), (math.sqrt, -1.0), (math.asin, 2.0)):
        with pytest.raises(ValueError, match=r"math domain error|expected"):
            stage(FUNCTIONS[function], 1.0)(argument)
    with pytest.raises(OverflowError):
        stage(FUNCTIONS[math.exp], 1.0)(1000.0)
    assert all(op.raises for name, op in REGISTRY.items() if name.startswith("math_"))


def test_derivatives_are_infinite_where_the_function_is_finite() -> None:
    with np.errstate(divide="ignore"):
        for function, x in ((math.sqrt, 0.0), (math.asin, 1.0), (math.cbrt, 0.0)):
            (bar,) = pullback(stage(FUNCTIONS[function], 0.5), [0])(x, 1.0)
            assert bar == math.inf


def test_hypot_of_any_number_of_coordinates() -> None:
    check(FUNCTIONS[math.hypot], math.hypot, 3.0, -4.0, 12.0)
    check(FUNCTIONS[math.hypot], math.hypot, -2.5)
    for bar in pullback(stage(FUNCTIONS[math.hypot], 1.0, 1.0), [0, 1])(0.0, 0.0, 1.0):
        assert bar == 0.0
    check(
        lambda a, b, c, d: FUNCTIONS[math.dist]((a, b), (c, d)),
        lambda a, b, c, d: math.dist((a, b), (c, d)),
        1.0,
        2.0,
        -3.0,
        0.5,
    )


def test_sums_and_products_of_sequences() -> None:
    check(
        lambda a, b, c: FUNCTIONS[math.fsum]([a, b, c]),
        lambda a, b, c: math.fsum([a, b, c]),
        0.1,
        1e16,
        -1e16,
        order=0,
    )
    for function in (math.fsum, math.prod):
        check(
            lambda a, b, c, f=function: FUNCTIONS[f]([a, b, c]),
            lambda a, b, c, f=function: f([a, b, c]),
            0.1,
            1.5,
            2,
        )
    with pytest.raises(UnsupportedCallError, match="array"):
        stage(FUNCTIONS[math.prod], np.ones(3))


def test_logarithm_to_a_base() -> None:
    check(FUNCTIONS[math.log], math.log, 3.0, 2.0)
    check(FUNCTIONS[math.log], math.log, 3.0, 10)


def test_isclose() -> None:
    same(stage(FUNCTIONS[math.isclose], 1.0, 1.0 + 1e-12)(1.0, 1.0 + 1e-12), [True])
    program = stage(lambda a, b: FUNCTIONS[math.isclose](a, b, rel_tol=0.1), 1.0, 1.05)
    same(program(1.0, 1.2), [False])


def test_powers_with_constant_exponents() -> None:
    for n in (0, 1, 2, 3.0, 0.5, -1):
        check(lambda x, n=n: FUNCTIONS[math.pow](x, n), lambda x, n=n: math.pow(x, n), 1.3)


@pytest.mark.parametrize("x", [0.1, 1.0, 3.3, 30.0, -1.3, -0.01, -3e4 + 0.25, 1e-45, 1e120])
def test_polygamma_agrees_with_mpmath(x: float) -> None:
    mpmath = pytest.importorskip("mpmath")
    for order in (0, 1, 2, 5):
        expected = float(mpmath.polygamma(order, mpmath.mpf(x)))
        assert polygamma(x, order) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_polygamma_overflows_to_infinity_and_vanishes(order: int) -> None:
    assert polygamma(1e-310, order) == (-1.0) ** (order + 1) * np.inf
    assert polygamma(1e300, order) == pytest.approx([math.log(1e300), 1e-300, 0.0][order])


def test_refuses_arrays_as_math_does() -> None:
    with pytest.raises(TypeError, match="0-dimensional"):
        stage(FUNCTIONS[math.sin], np.ones(3))


def test_sympy_meanings_agree_with_values() -> None:
    import sympy as sp

    for name in (*" ".join(UNARY).split(), "pow", "atan2"):
        op = REGISTRY[f"math_{name}"]
        numbers: list[Any] = [1.7, 0.6] if name in BINARY else [NUMBERS.get(name, 0.4)]
        symbols = sp.symbols("_s0 _s1", real=True)[: len(numbers)]
        named = getattr(sp, op.sympy) if isinstance(op.sympy, str) else None
        expression = named(*symbols) if named else op.sympy(sp, *symbols)
        value = float(expression.subs(dict(zip(symbols, numbers, strict=True))))
        assert value == pytest.approx(getattr(math, name)(*numbers), rel=1e-13), name


# cmath ------------------------------------------------------------------------------------------

HOLOMORPHIC = "exp log log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh"


@pytest.mark.parametrize("name", HOLOMORPHIC.split())
def test_holomorphic(name: str) -> None:
    function = getattr(cmath, name)
    for z in (0.4 + 0.3j, -0.6 + 0.2j, np.complex128(0.7 - 0.5j)):
        check(FUNCTIONS[function], function, z)
    check(FUNCTIONS[function], function, 0.3)


def test_polar_coordinates() -> None:
    z = 0.4 - 0.3j
    same(stage(FUNCTIONS[cmath.phase], z)(z), [cmath.phase(z)])
    same(stage(FUNCTIONS[cmath.polar], z)(z), list(cmath.polar(z)))
    check(FUNCTIONS[cmath.rect], cmath.rect, 1.5, 0.7)
    check(FUNCTIONS[cmath.log], cmath.log, 3.0 + 1j, 2.0)
    same(stage(FUNCTIONS[cmath.isnan], z)(z), [False])


def dot(u: Any, v: Any) -> Any:
    return sum(a * b for a, b in zip(u, v, strict=True))


def with_a_start(u: Any, v: Any) -> Any:
    total = sum([u[1] * v[1], u[2] * v[2]], u[0] * v[0])
    return total * sum([v[0] * 1j, v[1], u[2] + 2j]).real


def of_some_and_of_ints(u: Any, v: Any) -> Any:
    if u[0] > v[0]:
        return sum([3, u[0], True, u[1], u[2]], v[0])
    return math.exp(-sum([sum(u), sum([*v, 0.25], u[0])]))


@pytest.mark.parametrize("function", [dot, with_a_start, of_some_and_of_ints])
def test_sums_of_floats_have_the_bits_that_this_python_gives_them(function: Any) -> None:
    rng = np.random.default_rng(7)
    for u, v in rng.lognormal(size=(50, 2, 3)):
        u, v = u.tolist(), v.tolist()
        value, gradient = sd.value_and_grad(function)(u, v)
        assert (value, type(value)) == (function(u, v), float)
        for k, slope in enumerate(gradient):
            lower, upper = ([*u[:k], u[k] + h, *u[k + 1 :]] for h in (-1e-6, 1e-6))
            expected = (function(upper, v) - function(lower, v)) / 2e-6
            np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-7)


def test_a_sum_of_floats_is_written_as_the_user_writes_it() -> None:
    """So that what is written on one Python gives on another what ``sum`` gives there."""
    source = str(sd.value_and_grad(dot).source([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
    assert "sum([u_0 * v_0, u_1 * v_1, u_2 * v_2])" in source
    numbers = [0.1, 1e16, -1e16], [1.0, 1.0, 1.0]
    assert sd.value_and_grad(dot)(*numbers)[0] == sum(numbers[0])


def test_numbers_of_numpy_are_added_one_by_one() -> None:
    def first(x: Any) -> Any:
        return sum([x[0], x[1], x[2]])

    x = np.array([0.1, 1e16, -1e16])
    value, gradient = sd.value_and_grad(first)(x)
    assert value == x[0] + x[1] + x[2]
    np.testing.assert_array_equal(gradient, np.ones(3))


def test_a_whole_number_is_finite() -> None:
    """Which is known before it runs; that one may be too large to be asked is not."""

    def function(x: float, n: int) -> float:
        limit = n if not math.isinf(n) else "none"
        return x * limit if math.isfinite(n) and not math.isnan(n) else 0.0

    assert sd.grad(function)(1.5, 7) == 7.0
    with pytest.raises(OverflowError):
        sd.grad(function)(1.5, 10**400)
