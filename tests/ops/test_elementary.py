"""Elementwise ops from the registry: value and type as NumPy's, both modes to order two."""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions.libraries import load_all
from symdiff.ir.types import BOOL, FLOAT, INT
from symdiff.ops import elementary
from symdiff.ops.arithmetic import (
    absolute,
    add,
    clip,
    clip_above,
    clip_below,
    divide,
    floor,
    floor_divide,
    fmax,
    fmin,
    less,
    maximum,
    minimum,
    not_,
    python_round,
    sign,
    where,
)
from symdiff.ops.casts import (
    as_scalar,
    astype,
    conjugate,
    imag,
    python_bool,
    python_complex,
    python_float,
    python_int,
    real,
)
from symdiff.ops.declare import REGISTRY, Operation
from symdiff.ops.elementary import angle, arctan2, float_power, hypot, logaddexp, sqrt
from symdiff.ops.strong import strong_multiply
from symdiff.ops.support import logistic
from symdiff.ops.ufuncs import power_of
from tests.ops.straightline import check, pullback, pushforward, same, stage
from tests.reference import directional, second_directional

load_all()

# Points inside the domain, away from kinks, and what the op is in NumPy.
POINTS = np.array([0.3, -0.7, 0.55])
POSITIVE = np.array([0.4, 1.7, 2.5])
DOMAINS = {
    "arccosh": POSITIVE + 1.0,
    "log": POSITIVE,
    "log2": POSITIVE,
    "log10": POSITIVE,
    "sqrt": POSITIVE,
}
OUTSIDE = {"log1p": POINTS, "arctanh": POINTS, "arcsin": POINTS, "arccos": POINTS}
OPERATOR = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "negative": operator.neg,
    "positive": operator.pos,
    "invert": operator.invert,
    "absolute": abs,
}


def ufunc_of(name: str) -> Any:
    found = getattr(np, name, None)
    if not isinstance(found, np.ufunc) or found.nout > 1 or found.signature is not None:
        return None  # several results, or vectors: not elementwise
    return found


UNARY = sorted(n for n in REGISTRY if getattr(ufunc_of(n), "nin", 0) == 1 and n != "conjugate")
BINARY = sorted(n for n in REGISTRY if getattr(ufunc_of(n), "nin", 0) == 2 and n != "matmul")
INTEGER = {"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "invert"}
INTEGER |= {"ldexp"}  # in its exponent


def meaning(name: str) -> Any:
    return OPERATOR.get(name) or getattr(np, name)


def points(name: str) -> np.ndarray:
    return DOMAINS.get(name, POINTS)


@pytest.mark.parametrize("name", [n for n in UNARY if n not in INTEGER])
def test_unary_in_both_modes_to_order_two(name: str) -> None:
    x = points(name)
    op, function = REGISTRY[name], meaning(name)
    for argument in (x, x.reshape(3, 1), np.array(x[0]), np.float64(x[0]), float(x[0]), x[:0]):
        check(op, function, argument)
    check(op, function, x.astype("float32"))
    check(op, function, np.float32(x[0]))


@pytest.mark.parametrize("name", UNARY)
def test_unary_types_are_numpys(name: str) -> None:
    op, function = REGISTRY[name], meaning(name)
    for argument in (np.array([1, 2]), np.array([True, False]), np.int32(3), 2, np.array(1)):
        with np.errstate(all="ignore"):
            try:
                expected = function(argument)
            except (TypeError, ValueError):
                continue
            same(stage(op, argument)(argument), [expected])


@pytest.mark.parametrize(
    "name", [n for n in UNARY if np.dtype("D").char + "->" in "".join(ufunc_of(n).types)]
)
def test_unary_of_complex_numbers(name: str) -> None:
    if name in ("sign", "absolute", "isnan", "isinf", "isfinite", "logical_not", "log2", "rint"):
        pytest.skip("not holomorphic, or discrete")
    z = np.array([0.4 + 0.3j, -0.6 + 0.2j, 1.5 - 0.7j])
    check(REGISTRY[name], meaning(name), z)


SHAPES = [
    (np.array([0.7, -1.3, 2.2]), np.array([1.9, 0.6, -0.8])),
    (np.array([[0.7, -1.3, 2.2]]), np.array([[1.9], [0.6]])),
    (np.array([0.7, -1.3, 2.2]), np.array([1.9])),
    (np.array([0.7, 1.3]), 1.9),
    (0.7, np.array([[1.9, 0.6]])),
    (np.float64(0.7), np.array([1.9, 0.6])),
    (0.7, 1.9),
    (np.array(0.7), 1.9),
    (np.zeros((0, 3)), np.array([1.0, 2.0, 3.0])),
    (np.array([0.7, -1.3], "float32"), np.array([1.9, 1.6], "float32")),
    (np.array([0.7, -1.3], "float32"), 1.9),
    (np.array([0.7, -1.3], "float32"), np.float64(1.9)),
    (np.array([0.7, -1.3]), np.array([3, 2])),
]


@pytest.mark.parametrize("name", [n for n in BINARY if n not in INTEGER])
@pytest.mark.parametrize("case", range(len(SHAPES)))
def test_binary_in_both_modes_to_order_two(name: str, case: int) -> None:
    a, b = SHAPES[case]
    if name in ("power", "float_power"):
        a, b = np.abs(a) if isinstance(a, np.ndarray) else abs(a), b
    check(REGISTRY[name], meaning(name), a, b)


@pytest.mark.parametrize("name", BINARY)
def test_binary_types_are_numpys(name: str) -> None:
    op, function = REGISTRY[name], meaning(name)
    ints = np.array([1, 2, 3], "int32")
    pairs = [(ints, ints), (ints, 2), (2, 3), (True, False), (ints, np.int8(2)), (ints == 1, True)]
    for a, b in pairs:
        with np.errstate(all="ignore"):
            try:
                expected = function(a, b)
            except (TypeError, ValueError, ZeroDivisionError):
                continue
            same(stage(op, a, b)(a, b), [expected])


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "power"])
def test_binary_of_complex_numbers(name: str) -> None:
    z = np.array([0.4 + 0.3j, -0.6 + 0.2j])
    x = np.array([0.8, 1.4])
    check(REGISTRY[name], meaning(name), z, z[::-1] * 2.0)
    check(REGISTRY[name], meaning(name), x, z)
    check(REGISTRY[name], meaning(name), z, x)


INVERSES = [n for n in UNARY if n.startswith("arc")]
CUTS = [2.0, -2.0, 0.5, -0.5]


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("along", [1.0, 1j])
@pytest.mark.parametrize("library", [np, cmath])
@pytest.mark.parametrize("name", ["log", "sqrt", *INVERSES])
def test_inverses_on_either_side_of_their_cuts(
    name: str, library: Any, along: complex, zero: float
) -> None:
    """A real function that goes along an axis of the complex plane, where most cuts are."""
    function = getattr(library, name if library is np else name.replace("arc", "a"))

    def weighed(t: float) -> Any:
        value = function(complex(t, zero) if along == 1.0 else complex(zero, t))
        return 1.3 * value.real + 0.7 * value.imag

    for t in CUTS:
        expected = directional(weighed, (t,), (1.0,))
        np.testing.assert_allclose(sd.grad(weighed)(t), expected.value, rtol=1e-9)
        np.testing.assert_allclose(sd.jvp(weighed, (t,), (1.0,))[1], expected.value, rtol=1e-9)
        second = second_directional(weighed, (t,), (1.0,), (1.0,))
        np.testing.assert_allclose(sd.derivative(weighed, 2)(t), second.value, rtol=1e-6)


def test_root_of_a_number_of_single_precision() -> None:
    """Its imaginary root has the dtype of the tangent, not its kind."""

    def part(x: Any) -> Any:
        return cmath.sqrt(x).imag

    x = np.float32(-1.44)
    np.testing.assert_allclose(sd.jvp(part, (x,), (np.float32(1.0),))[1], -0.5 / 1.2, rtol=1e-6)


# power ------------------------------------------------------------------------------------------


def spelled(function: Any, *arguments: Any) -> list[str]:
    """What the pullback of a function consists of, constants aside."""
    back = pullback(stage(function, *arguments), range(len(arguments)))
    return [node.op.name for node in back.nodes if node.op.name != "constant"]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, -1, -2, 0.5, 1.5, 2.0, -0.5])
def test_power_with_a_constant_exponent(n: float) -> None:
    for x in (POSITIVE, POSITIVE.astype("float32"), 1.3, np.float64(0.4)):
        check(
            lambda v: elementary.power(v, n),
            lambda v: v**n,
            x,
            order=3 if isinstance(x, float) else 2,
        )
        check(lambda v: elementary.power(v, n, ufunc=True), lambda v: np.power(v, n), x)


def test_squares_and_cubes_have_clean_partials() -> None:
    assert spelled(lambda x: elementary.power(x, 2), 1.5) == ["power", "multiply", "multiply"]
    assert spelled(lambda x: elementary.power(x, 3), 1.5) == [
        "power",
        "power",
        "multiply",
        "multiply",
    ]


@pytest.mark.parametrize("n", [0, 0.0, 1, 2, 2.5, 3])
def test_power_at_zero_has_finite_derivatives(n: float) -> None:
    """Also where the exponent is an argument; the derivative of x ** 0 at 0 is 0."""
    expected = {1: 1.0}.get(n, 0.0)
    for x in (0.0, np.zeros(2)):
        constant = pullback(stage(lambda v: elementary.power(v, n), x), [0])
        (bar,) = constant(x, np.ones_like(x) if isinstance(x, np.ndarray) else 1.0)
        np.testing.assert_array_equal(bar, np.full_like(x, expected))
        varying = pullback(stage(elementary.power, x, float(n)), [0, 1])
        bars = varying(x, float(n), np.ones_like(x) if isinstance(x, np.ndarray) else 1.0)
        np.testing.assert_array_equal(bars[0], np.full_like(x, expected))
        np.testing.assert_array_equal(bars[1], 0.0)


def test_power_of_zero_by_its_exponent() -> None:
    """The limit of ``0 ** y log 0``: 0 for every exponent above 0, and chosen at 0."""
    y = np.array([0.5, 2.0, 0.0])
    for power in (lambda y: 0.0**y, lambda y: 0**y, lambda y: np.power(0.0, y)):
        same(sd.grad(lambda y, power=power: np.sum(power(y)))(y), np.zeros(3))
        same(sd.jvp(power, (y,), (np.ones(3),))[1], np.zeros(3))


def test_power_of_a_mixed_derivative_at_exponent_zero() -> None:
    """d²(x ** y)/dx dy at y = 0 is 1/x."""
    program = stage(lambda x, y: elementary.power(x, y), 2.0, 0.0)
    back = pullback(program, [0])
    forward = pushforward(back, [1], joint=False)
    (mixed,) = forward(2.0, 0.0, 1.0, 1.0)
    assert mixed == pytest.approx(0.5)


def test_power_of_python_ints_with_a_negative_exponent_is_a_float() -> None:
    program = stage(lambda n: power_of(n, -2), 4)
    assert program.results[0].type == FLOAT
    assert program(4) == [0.0625]
    assert stage(lambda n: power_of(n, 2), 4).results[0].type == INT


def test_numpys_power_and_the_operator_keep_their_own_bits() -> None:
    rng = np.random.default_rng(0)
    for x in rng.uniform(0.1, 3.0, 200):
        for n in (2, 3, 0.5, -1):
            same(stage(lambda v, n=n: elementary.power(v, n), x)(x), [x**n])
            same(stage(lambda v, n=n: elementary.power(v, n, ufunc=True), x)(x), [np.power(x, n)])


def test_float_power_is_double() -> None:
    check(float_power, np.float_power, np.array([0.5, 2.0], "float32"), 3)


# Python numbers ---------------------------------------------------------------------------------


def test_operators_on_python_numbers_are_pythons() -> None:
    with pytest.raises(ZeroDivisionError):
        stage(divide, 1.0, 0.0)(1.0, 0.0)
    with np.errstate(divide="ignore"):
        same(stage(lambda a, b: a / b, 1.0, 0.0)(1.0, 0.0), [np.float64(np.inf)])
    same(stage(floor_divide, 7, -2)(7, -2), [-4])
    same(stage(less, 1, 2)(1, 2), [True])
    assert stage(less, 1, 2).results[0].type == BOOL
    same(stage(add, True, True)(True, True), [2])


def test_rules_of_pythons_operators_do_not_mix_in_numpy() -> None:
    """The derivative of ``a / b`` on floats stays on floats: it has raised already where b is 0."""
    program = stage(divide, 1.5, 2.0)
    back = pullback(program, [0, 1])
    assert not any(node.attributes.get("ufunc") for node in back.nodes)


# Kinks ------------------------------------------------------------------------------------------


def derivative(function: Any, *arguments: float, wrt: int = 0) -> Any:
    with np.errstate(all="ignore"):
        return pullback(stage(function, *arguments), [wrt])(*arguments, np.float64(1.0))[0]


def test_conventions_at_kinks() -> None:
    assert derivative(absolute, 0.0) == 0.0
    assert derivative(lambda a: maximum(a, 1.0), 1.0) == 0.5
    assert derivative(lambda a: minimum(a, 1.0), 1.0) == 0.5
    assert derivative(fmax, 2.0, 2.0, wrt=1) == 0.5
    assert derivative(sqrt, 0.0) == np.inf
    assert derivative(sign, 0.0) == 0.0
    assert derivative(floor, 1.0) == 0.0
    for k in (0, 1):
        assert derivative(arctan2, 0.0, 0.0, wrt=k) == 0.0
        assert derivative(hypot, 0.0, 0.0, wrt=k) == 0.0
    assert derivative(lambda x: clip(x, 0.0, 1.0), 0.0) == 1.0
    assert derivative(lambda x: clip(x, 0.0, 1.0), 1.0) == 1.0
    assert derivative(lambda x: clip(x, 0.0, 1.0), 1.5) == 0.0
    assert derivative(fmax, np.nan, 2.0, wrt=1) == 1.0
    assert derivative(logaddexp, -np.inf, -np.inf) == 0.0
    assert derivative(angle, 0.0) == 0.0


def test_float32_stays_float32_at_ties() -> None:
    x = np.array([1.0, 2.0, 0.5], "float32")
    for op in (maximum, minimum, fmax, fmin):
        (bar, _) = pullback(stage(op, x, x[::-1]), [0, 1])(x, x[::-1], x)
        assert bar.dtype == np.float32


# where, clip, strong_multiply -------------------------------------------------------------------


def test_where_broadcasts_and_promotes_as_numpy_does() -> None:
    c = np.array([True, False, True])
    a, b = np.array([1.0, 2.0, 3.0]), np.array([[0.5], [1.5]])
    check(where, np.where, c, a, b, wrt=[1, 2])
    check(where, np.where, c, a, 2.5, wrt=[1, 2])
    check(where, np.where, True, 1.5, 2.5, wrt=[1, 2])
    check(where, np.where, c, a.astype("float32"), 0.0, wrt=[1])
    check(where, np.where, c, a.astype("float32"), b, wrt=[1, 2])
    check(where, np.where, c, a + 1j, b, wrt=[1, 2])
    check(where, np.where, c, 1, False, wrt=[])


def test_clip_by_arrays_and_numbers() -> None:
    x = np.array([-1.0, 0.2, 0.7, 3.0])
    lo, hi = np.array([0.0, 0.3, 0.0, 0.0]), np.array([[1.0], [2.0]])
    check(clip, np.clip, x, lo, hi)
    check(clip, np.clip, x.astype("float32"), 0.0, 1.0)
    check(clip, np.clip, 0.3, 0.0, 1.0)
    check(clip, np.clip, np.array([1, 5, 9]), 2, 6)
    check(clip, np.clip, x, np.float64(2.5), np.float64(0.5))  # crossed bounds: the upper wins
    check(clip_below, lambda v, a: np.clip(v, a, None), x, lo)
    check(clip_above, lambda v, a: np.clip(v, None, a), x, hi)


def test_strong_multiply_keeps_zeros_without_warning() -> None:
    g = np.array([0.0, 2.0, np.nan, 0.0])
    p = np.array([np.inf, 3.0, 1.0, np.nan])
    (found,) = stage(strong_multiply, g, p)(g, p)
    np.testing.assert_array_equal(found, [0.0, 6.0, np.nan, 0.0])
    check(strong_multiply, operator.mul, np.array([1.5, -2.0]), np.array([0.5, 3.0]))
    check(strong_multiply, operator.mul, 1.5, 2.0)


# Complex parts and casts ------------------------------------------------------------------------

Z = np.array([0.4 + 0.3j, -0.6 + 0.2j])


@pytest.mark.parametrize("x", [Z, Z.astype("complex64"), np.complex128(1 + 2j), Z[:0], POINTS])
def test_complex_parts(x: Any) -> None:
    check(conjugate, np.conjugate, x)
    check(imag, np.imag, x)
    check(real, np.real, x)


def test_a_squared_absolute_value_forward() -> None:
    """``2 Re(conj(z) t)``."""
    z, t = np.array([1 + 2j, 0.0, 3 - 1j]), np.array([1j, 1.0, 2.0])
    for square in (lambda z: np.abs(z) ** 2, lambda z: np.square(np.abs(z))):
        same(sd.jvp(square, (z,), (t,))[1], np.array([4.0, 0.0, 12.0]))


def test_a_written_part_forward() -> None:
    """``|s² + i s|²``: what the real part was does not matter."""

    def energy(x: Any, s: Any) -> Any:
        z = x + 1j * s
        z.real = s * s
        return np.sum(np.abs(z) ** 2)

    x, s, t = np.array([0.3, 1.7]), np.array([1.0, 2.0]), np.array([0.5, -2.0])
    for tangents in ((t, t), (0 * t, t)):
        tangent = sd.jvp(energy, (x, s), tangents)[1]
        np.testing.assert_allclose(tangent, np.sum((4 * s**3 + 2 * s) * t), rtol=1e-15)
    tangent = sd.jvp(lambda x: energy(x, np.array([1.0, 2.0])), (x,), (t,))[1]
    assert tangent == 0.0


def test_parts_of_python_numbers() -> None:
    for number in (1.5, 1 + 2j, 2, True):
        same(stage(real, number)(number), [np.real(number)])
        same(stage(imag, number)(number), [np.imag(number)])
        same(stage(conjugate, number)(number), [number.conjugate()])


def real_pair(function: Any) -> Any:
    """A function of one complex number as one of its two real parts."""
    return lambda a, b: function(a + b * 1j)


@pytest.mark.parametrize("op", [absolute, angle])
def test_functions_of_complex_numbers_that_are_not_holomorphic(op: Operation) -> None:
    """Their cotangent is that of the real and the imaginary part together."""
    function = {"absolute": np.abs, "angle": np.angle}[op.name]
    z = np.array([0.4 + 0.3j, -0.6 + 0.2j, 0.0])
    g = np.array([1.0, 2.0, 3.0])
    (bar,) = pullback(stage(op, z), [0])(z, g)
    for direction in (1.0, 1j):
        h = 1e-6
        slope = (function(z + h * direction) - function(z - h * direction)) / (2 * h)
        np.testing.assert_allclose(
            np.real(np.conj(bar) * direction)[:2], (g * slope)[:2], rtol=1e-8
        )
    assert bar[2] == 0


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64", "bool"])
def test_astype(dtype: str) -> None:
    target = np.dtype(dtype)
    check(lambda v: astype(v, dtype=target), lambda v: v.astype(target), np.array([1.5, 2.5]))
    check(lambda v: astype(v, dtype=target), lambda v: target.type(v), 1.5)
    check(lambda v: astype(v, dtype=target), lambda v: target.type(v), np.float32(1.5))


def test_python_casts() -> None:
    for x in (1.5, np.float64(1.5), np.array(1.5), np.float32(2.5)):
        check(python_float, float, x)
        check(python_complex, complex, x)
        check(python_int, int, x)
        check(python_bool, bool, x)
        check(not_, operator.not_, x)
    check(lambda v: python_round(v), round, 2.5)
    check(lambda v: python_round(v, digits=1), lambda v: round(v, 1), 2.57)
    check(lambda v: as_scalar(v), lambda v: v[()], np.array(1.5))
    with pytest.raises(TypeError, match="0-dimensional"):
        stage(python_float, np.ones(2))


# What every elementwise op declares -------------------------------------------------------------


def test_every_op_is_documented_and_spelled() -> None:
    for op in REGISTRY.values():
        assert op.documentation.endswith("."), op.name
        if op.elementwise:
            assert op.spelling is not None, op.name


def test_sympy_meanings_agree_with_values() -> None:
    import sympy as sp

    checked = 0
    for name in (*UNARY, *BINARY):
        op = REGISTRY[name]
        count = ufunc_of(name).nin
        if op.sympy is None or name in INTEGER or name.startswith("logical"):
            continue
        numbers = [1.3, 2.2][:count] if name not in ("arcsin", "arccos", "arctanh") else [0.3]
        symbols = sp.symbols("_s0 _s1", real=True)[:count]
        named = getattr(sp, op.sympy, None) if isinstance(op.sympy, str) else None
        expression = named(*symbols) if named else op.sympy(sp, *symbols)
        value = expression.subs(dict(zip(symbols, numbers, strict=True)))
        expected = getattr(np, name)(*numbers)
        if isinstance(expected, np.bool):
            assert bool(value) == bool(expected), name
        else:
            assert math.isclose(float(value), float(expected), rel_tol=1e-12), name
        checked += 1
    assert checked > 50


def test_the_logarithm_of_one_and_an_exponential_asks_for_no_infinity() -> None:
    def softplus(x: Any) -> Any:
        return np.sum(np.logaddexp(0, x))

    x = np.array([-np.inf, -800.0, -740.0, -30.0, -0.0, 0.5, 40.0, 800.0])
    with np.errstate(under="ignore", over="ignore"):
        expected = np.exp(np.minimum(x, 0.0)) / (1.0 + np.exp(-np.abs(x)))
    found = sd.grad(softplus)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert "where" not in str(sd.grad(softplus).source(x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_reciprocals_are_differentiated_by_products_of_themselves(dtype: Any) -> None:
    x = np.array([-3.0, 0.25, 1e-12, -1e12, 7.0], dtype)
    if dtype is np.complex128:
        x = x * (0.6 + 0.8j)

    def reciprocals(x: Any) -> Any:
        return np.sum(np.real(1.0 / x))

    wide = x.astype(np.promote_types(dtype, np.float64))
    exact = -1.0 / wide**2
    tolerance = 1e-6 if dtype is np.float32 else 1e-15
    found = sd.grad(reciprocals)(x)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, np.conj(exact).astype(dtype), rtol=tolerance)
    t = np.full_like(x, 1.5)
    slope = sd.jvp(lambda x: 1.0 / x, (x,), (t,))[1]
    np.testing.assert_allclose(slope, (1.5 * exact).astype(dtype), rtol=tolerance)
    second = sd.jvp(sd.grad(reciprocals), (x,), (t,))[1]
    np.testing.assert_allclose(
        second, np.conj(3.0 / wide**3).astype(dtype), rtol=10 * tolerance, atol=1e-40
    )
    lines = [line for line in str(sd.grad(reciprocals).source(x)).split("\n") if "#" not in line]
    assert "\n".join(lines[2:]).count(" / ") == 1


def test_reciprocals_of_numbers_and_at_zero() -> None:
    assert sd.grad(lambda x: 1 / x)(4.0) == -0.0625
    assert sd.derivative(lambda x: 1.0 / x, 3)(2.0) == -0.375
    with np.errstate(divide="ignore"):
        assert sd.grad(lambda x: 1.0 / x)(np.float64(0.0)) == -np.inf
    with pytest.raises(ZeroDivisionError):
        sd.grad(lambda x: 1.0 / x)(0.0)
    chosen = sd.grad(lambda x: np.sum(np.where(x > 0.0, 1.0 / x, 0.0)))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(chosen(np.array([0.0, 2.0, -1.0])), [0.0, -0.25, 0.0])


def test_the_logistic_function_is_differentiated_by_products() -> None:
    x = np.linspace(-30.0, 30.0, 13)
    gradient = sd.grad(lambda x: np.sum(1.0 / (1.0 + np.exp(-x))))
    np.testing.assert_allclose(gradient(x), 0.25 / np.cosh(x / 2.0) ** 2, rtol=1e-14)
    assert "return t1 * (t1 * t)" in str(gradient.source(x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_logistic_functions_have_slopes_where_their_squares_vanish(dtype: Any) -> None:
    x = np.array([-700.0, -400.0, -360.0, -20.0, 0.5, 20.0, 400.0])
    x = (x / 8.0 if dtype is np.float32 else x).astype(dtype)
    wide = x.astype(np.float64)
    slope = np.exp(wide - 2.0 * np.logaddexp(0.0, wide))  # of exp(x) / (1 + exp(x))
    bend = -slope * np.tanh(wide / 2.0)
    ones = np.ones_like(x)
    for function, factor in (
        (lambda x: 1.0 / (1.0 + np.exp(-x)), 1.0),
        (lambda x: 1.0 - 1.0 / (np.exp(-x) + 1.0), -1.0),
        (lambda x: 3.0 / (1.0 + np.exp(-x)), 3.0),
        (lambda x: ones * 3.0 / (1.0 + np.exp(-x)), 3.0),
    ):
        gradient = sd.grad(lambda x, function=function: np.sum(function(x)))
        found = gradient(x)
        assert found.dtype == dtype
        near = {"rtol": 1e-5, "atol": 1e-44} if dtype is np.float32 else {"rtol": 1e-12}
        np.testing.assert_allclose(found, (factor * slope).astype(dtype), **near)
        tangent = sd.jvp(function, (x,), (ones,))[1]
        np.testing.assert_allclose(tangent, (factor * slope).astype(dtype), **near)
        with np.errstate(under="ignore"):
            second = sd.jvp(gradient, (x,), (ones,))[1]
        np.testing.assert_allclose(second, (factor * bend).astype(dtype), **near)
    assert sd.grad(lambda x: 1.0 / (1.0 + np.exp(-x)))(-400.0) == pytest.approx(np.exp(-400.0))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_the_logistic_function_is_exact_to_rounding_at_both_ends(dtype: str) -> None:
    mpmath = pytest.importorskip("mpmath")
    info = np.finfo(dtype)
    reach = np.log(info.max) * 1.1  # powers are beyond the numbers there
    x = np.linspace(-reach, reach, 41).astype(dtype)

    def exactly(number: Any) -> Any:
        above, below = number.as_integer_ratio()
        return mpmath.mpf(above) / below

    with np.errstate(all="raise", under="ignore"):
        found, ends = logistic(x), logistic(np.array([-np.inf, np.inf], dtype))
    assert found.dtype == dtype
    np.testing.assert_array_equal(ends, [0.0, 1.0])
    with mpmath.workdps(60):
        for number, got in zip(x, found, strict=True):
            expected = 1 / (1 + mpmath.exp(-exactly(number)))
            near = 4 * exactly(info.eps) * expected + exactly(info.smallest_subnormal)
            assert abs(exactly(got) - expected) <= near


def softplus(x: Any) -> Any:
    return np.sum(np.logaddexp(0.0, x))


def shifted_softplus(x: Any) -> Any:
    return np.sum(np.logaddexp(x, 3.0))


@pytest.mark.parametrize(("function", "shift"), [(softplus, 0.0), (shifted_softplus, 3.0)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_logaddexp_of_a_number_has_the_logistic_function_for_its_slope(
    function: Any, shift: float, dtype: str
) -> None:
    mpmath = pytest.importorskip("mpmath")
    x = np.array([-700.0, -80.0, -30.0, -1.5, 0.0, 0.3, 3.0, 40.0, 900.0], dtype)
    with mpmath.workdps(60):
        s = [1 / (1 + mpmath.exp(shift - mpmath.mpf(float(v)))) for v in x]
        first = np.array([float(p) for p in s]).astype(dtype)
        second = np.array([float(p * (1 - p)) for p in s]).astype(dtype)
    close = {"rtol": 1e-13 if dtype == "float64" else 3e-5, "atol": np.finfo(dtype).tiny}
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(sd.grad(function)(x), first, **close)
        np.testing.assert_allclose(sd.hvp(function)(x, np.ones_like(x)), second, **close)
        tangent = sd.jvp(function, (x,), (np.ones_like(x),))[1]
    np.testing.assert_allclose(tangent, np.sum(first), rtol=close["rtol"])


@pytest.mark.parametrize("x", [np.inf, -np.inf])
def test_slopes_of_logaddexp_of_a_number_at_infinity(x: float) -> None:
    assert sd.grad(softplus)(x) == (1.0 if x > 0 else 0.0)
    assert sd.grad(sd.grad(softplus))(x) == 0.0
