"""Calls of NumPy's elementwise functions, casts and Python's number builtins."""

from __future__ import annotations

import operator
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import ATTRIBUTES, FUNCTIONS, METHODS, REGISTRY
from tests import reference
from tests.ops.straightline import check, same, stage

V = np.array([0.5, -1.25, 2.0, -0.0])
W = np.array([1.5, 0.5, -1.0, 3.0])
Z = V + 1j * W
UFUNCS = sorted(n for n in REGISTRY if isinstance(getattr(np, n, None), np.ufunc))


def test_every_op_named_as_a_ufunc_is_what_its_calls_mean() -> None:
    assert all(getattr(np, name) in FUNCTIONS for name in UFUNCS)
    for alias in (np.abs, np.mod, np.conj, np.true_divide, np.pow, np.bitwise_not, np.radians):
        assert alias in FUNCTIONS


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "power", "less", "floor_divide"])
def test_numpys_functions_of_python_numbers_give_numpys_scalars(name: str) -> None:
    function = getattr(np, name)
    for a, b in ((7, 2), (7.5, 2), (True, 2.5)):
        same(stage(FUNCTIONS[function], a, b)(a, b), [function(a, b)])
    for x in (1.5, 2):
        same(stage(FUNCTIONS[np.negative], x)(x), [np.negative(x)])
        same(stage(FUNCTIONS[np.abs], x)(x), [np.abs(x)])


def test_numpys_division_by_zero_does_not_raise() -> None:
    with np.errstate(divide="ignore"):
        same(stage(FUNCTIONS[np.divide], 1.0, 0.0)(1.0, 0.0), [np.float64(np.inf)])


def test_dtype_of_a_ufunc() -> None:
    check(
        lambda a, b: FUNCTIONS[np.add](a, b, dtype=np.float32),
        lambda a, b: np.add(a, b, dtype=np.float32),
        V.astype("float32"),
        W.astype("float32"),
    )
    x = np.array([1, 2])
    check(lambda a: FUNCTIONS[np.sqrt](a, dtype=float), lambda a: np.sqrt(a, dtype=float), x)


def test_where_of_a_ufunc_without_out_is_refused_with_a_hint() -> None:
    with pytest.raises(UnsupportedCallError, match="where="):
        stage(lambda a: FUNCTIONS[np.sin](a, where=V > 0), V)


def _safe_quotient(x: Any) -> Any:
    return np.sum(np.divide(x, x - 0.5, out=np.zeros_like(x), where=x != 0.5) ** 2)


def _logarithm_kept(x: Any) -> Any:
    y = x * x
    np.log(x, out=y, where=x > 0)
    np.sqrt(x[1:], where=x[1:] > 1.0, out=y[:-1])
    return np.sum(y * np.arange(1.0, y.size + 1))


def _row_by_row(x: Any) -> Any:
    a = np.outer(x, x)
    for row in a:
        np.multiply(row, x[0], out=row, where=row > 0.1)
        np.power(2.0, x, out=row, where=[True, False, True, False])
    return np.sum(a * a)


@pytest.mark.parametrize("function", [_safe_quotient, _logarithm_kept, _row_by_row])
def test_where_of_a_ufunc_keeps_what_out_has_elsewhere(function: Any) -> None:
    """Nothing warns of the elements that are not computed, and none has a share in derivatives."""
    x = np.array([0.5, -1.25, 2.0, 0.0])
    for argument in (x, x[::-1]):
        assert sd.differentiable(function).forward(argument)[0] == function(argument)
        assert np.all(np.isfinite(sd.grad(function)(argument)))
        sd.check_grads(function, (argument + 0.013,), order=2)


def test_where_of_a_ufunc_in_single_precision() -> None:
    def exponentials(x: Any) -> Any:
        y = np.ones(4, "float32")
        np.exp(x.astype("float32"), y, where=x < 1.0)
        return np.sum(y)

    x = np.array([0.5, -1.25, 2.0, 0.0])
    same(sd.differentiable(exponentials).forward(x)[0], exponentials(x))
    expected = np.where(x < 1.0, np.exp(x), 0.0)
    np.testing.assert_allclose(sd.grad(exponentials)(x), expected, rtol=1e-6)


@pytest.mark.parametrize("function", [np.arctanh, np.arcsin, np.log, np.reciprocal])
def test_where_of_a_ufunc_with_poles_warns_of_nothing(function: Any) -> None:
    """Neither it nor its derivative, at what is not selected."""

    def chosen(x: Any) -> Any:
        return np.sum(function(x, where=x != 1.0, out=np.zeros(3)))

    x = np.array([0.5, 1.0, 0.25])
    slope = sd.grad(chosen)(x)
    assert slope[1] == 0.0
    np.testing.assert_allclose(slope, sd.jacobian(chosen, mode="fwd")(x))


@pytest.mark.parametrize(
    ("name", "dtypes", "wanted"),
    [
        ("add", ("float64", "int64"), "float32"),
        ("divide", ("float32", "float32"), "float64"),
        ("less", ("float64", "float32"), "bool"),
        ("ldexp", ("float32", "int32"), "float64"),
        ("exp", ("int64",), "float32"),
        ("absolute", ("complex128",), "float32"),
        ("matmul", ("float64", "float64"), "float32"),
        ("modf", ("float32",), "float64"),
    ],
)
def test_the_dtype_that_a_ufunc_gives_says_what_it_computes_in(
    name: str, dtypes: Any, wanted: str
) -> None:
    function = getattr(np, name)
    arguments = [np.array([1, 2, 3]).astype(dtype) for dtype in dtypes]
    try:
        expected = function(*arguments, dtype=wanted)
    except TypeError as error:
        with pytest.raises(type(error)):
            stage(lambda *xs: FUNCTIONS[function](*xs, dtype=wanted), *arguments)
        return
    program = stage(lambda *xs: FUNCTIONS[function](*xs, dtype=wanted), *arguments)
    same(program(*arguments), [expected] if function.nout == 1 else list(expected))


# Parts of numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["modf", "frexp"])
def test_parts_of_numbers(name: str) -> None:
    function = getattr(np, name)
    x = np.array([[0.3, -1.7], [2.6, -40.2]])
    for argument in (x, x[:, ::-1], x[0, 0], float(x[1, 1]), np.array(2.3), x[:0]):
        check(FUNCTIONS[function], function, argument)
    check(FUNCTIONS[function], function, x.astype("float32"), order=1)
    for argument in (np.array([1, -3]), 3, True, np.array([0.0, -0.0, np.inf, np.nan])):
        check(FUNCTIONS[function], function, argument, wrt=[])


def test_the_slope_of_a_mantissa_is_the_power_of_two() -> None:
    x = np.array([0.3, -1.7, 2.6, 1e300, 5e-324, 0.0])
    slope = sd.grad(lambda x: np.sum(np.frexp(x)[0]))(x[:4])
    np.testing.assert_array_equal(slope, np.ldexp(1.0, -np.frexp(x[:4])[1]))
    assert sd.grad(lambda x: np.frexp(x)[0] * 1.0)(0.0) == 1.0


def test_ldexp() -> None:
    i = np.array([[3], [-2]], "int32")
    for x in (V, V.astype("float32"), V[:1], np.float64(0.7), 0.7):
        check(lambda x: FUNCTIONS[np.ldexp](x, i), lambda x: np.ldexp(x, i), x)
    huge = sd.grad(lambda x: np.ldexp(x, 1030) * 1.0 * 2.0**-20)(1e-10)  # 2 ** 1030 is inf itself
    assert huge == 2.0**1010


def test_floats_beside_a_float() -> None:
    x = np.array([1.5, -2.25, 3e10])
    for argument in (x, x.astype("float32"), 0.3, np.float32(0.3)):
        value = sd.value_and_grad(lambda x: np.sum(np.nextafter(x, 0.0) ** 2))(argument)
        beside = np.nextafter(argument, 0.0)
        assert value[0] == np.sum(beside**2)
        np.testing.assert_array_equal(value[1], 2 * beside)
        slope = sd.grad(lambda x: np.sum(np.spacing(x) * x))(argument)
        np.testing.assert_array_equal(slope, np.spacing(argument))


# i0, sinc, unwrap, real_if_close ------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_derivatives_of_the_bessel_function(order: int) -> None:
    """By the sum over neighbouring orders (Abramowitz and Stegun 1964, 9.6.29), in many digits."""
    slope = sd.derivative(lambda x: np.i0(x) * 1.0, order)
    for x in (0.0, 1e-9, -0.3, 2.5, 7.9, 8.1, -30.0, 300.0, 700.0):
        orders = [(mpmath.binomial(order, j), abs(order - 2 * j)) for j in range(order + 1)]
        exact = sum(c * mpmath.besseli(n, mpmath.mpf(x)) for c, n in orders) / 2**order
        assert slope(x) == pytest.approx(float(exact), rel=4e-16 * (4 + abs(x)), abs=0.0)


def test_the_bessel_function_of_every_shape() -> None:
    for x in (np.array([[0.3, -2.0]]), np.array(0.3), 0.3, np.float32(0.5), np.zeros((0, 2))):
        check(FUNCTIONS[np.i0], np.i0, x)
    check(FUNCTIONS[np.i0], np.i0, np.array([1, 2]))
    with pytest.raises(TypeError, match="complex"):
        stage(FUNCTIONS[np.i0], Z)


def test_derivatives_of_sinc_at_0() -> None:
    """The coefficients of its power series."""
    for order, exact in ((1, 0.0), (2, -(np.pi**2) / 3), (3, 0.0), (4, np.pi**4 / 5)):
        slope = sd.derivative(lambda x: np.sinc(x) * 1.0, order)
        assert slope(0.0) == pytest.approx(exact, rel=1e-15, abs=0.0)


@pytest.mark.parametrize("function", [np.sign, np.sinc, np.abs, np.angle, np.real_if_close])
def test_functions_of_complex_numbers_in_real_programs(function: Any) -> None:
    """As functions of the real and the imaginary part, which are differentiated each."""
    weights = np.array([0.7 - 0.2j, -0.4 + 0.9j])

    def of_parts(a: Any, b: Any) -> Any:
        return np.sum(np.real(weights * function(a + 1j * b)))

    def of_complex(z: Any) -> Any:
        return np.sum(np.real(weights * function(z)))

    a, b = np.array([0.3, -1.2]), np.array([0.4, 0.5])
    slopes = [reference.richardson_gradient(of_parts, (a, b), k).value for k in (0, 1)]
    expected = slopes[0] + 1j * slopes[1]
    for found in (sd.grad(of_complex)(a + 1j * b), sd.grad(of_parts)(a, b) + 1j * expected.imag):
        np.testing.assert_allclose(found, expected, atol=1e-10)
    sd.check_grads(of_parts, (a, b), order=2)
    single = sd.grad(of_complex)((a + 1j * b).astype("complex64"))
    assert single.dtype == np.complex64
    np.testing.assert_allclose(single, expected, atol=2e-5)


@pytest.mark.parametrize("square", [lambda a: a**2, np.square, lambda a: a**2.0])
def test_squares_of_absolute_values_are_smooth_at_zero(square: Any) -> None:
    """``|z|²`` is the sum of two squares: its second derivative is 2 at 0, too."""

    def energy(z: Any) -> Any:
        return np.sum(square(np.abs(z)) * np.arange(1.0, 4.0))

    z, along = np.array([0.0, 0.3 - 1.2j, 0.0]), np.array([1.0 + 2j, 1j, -0.5])
    value, slope = sd.value_and_grad(energy)(z)
    same(value, energy(z))
    np.testing.assert_allclose(slope, 2 * z * [1, 2, 3], rtol=1e-15)
    np.testing.assert_allclose(sd.hvp(energy)(z, along), 2 * along * [1, 2, 3], rtol=1e-15)
    single = z.astype("complex64")
    assert sd.grad(energy)(single).dtype == np.complex64
    for number in (0j, 1.5 - 2j, np.complex64(0.5j)):
        check_number = sd.value_and_grad(lambda z: square(abs(z)) * 1.0)(number)
        same(check_number[0], square(abs(number)) * 1.0)
        assert check_number[1] == pytest.approx(2 * number)


def test_the_sign_of_a_complex_zero_has_derivative_zero() -> None:
    slope = sd.grad(lambda z: np.sum(np.sign(z).real))
    np.testing.assert_array_equal(slope(np.zeros(2, complex)), 0.0)


@pytest.mark.parametrize("keywords", [{}, {"axis": 0}, {"discont": 4.0}, {"period": 5}])
def test_unwrap(keywords: Any) -> None:
    rng = np.random.default_rng(1)
    for x in (
        rng.uniform(-9, 9, (4, 3)),
        rng.uniform(-9, 9, 5),
        rng.uniform(-9, 9, (3, 2))[::-1].T,
    ):
        check(lambda x: FUNCTIONS[np.unwrap](x, **keywords), lambda x: np.unwrap(x, **keywords), x)
    x = rng.uniform(-9, 9, (2, 3)).astype("float32")
    check(lambda x: FUNCTIONS[np.unwrap](x, **keywords), lambda x: np.unwrap(x, **keywords), x)
    for x in (np.array([1, 7, 2]), np.array([True, False])):
        check(lambda x: FUNCTIONS[np.unwrap](x), np.unwrap, x, wrt=[])
    whole = np.array([1, 4, 0])
    check(lambda x: FUNCTIONS[np.unwrap](x, period=4), lambda x: np.unwrap(x, period=4), whole)


def test_unwrap_by_its_period() -> None:
    """Whole periods are added: as many as there are jumps so far."""
    x = np.array([0.1, 5.9, 0.3, 5.7, 0.2, 6.3])
    jumps = np.round((np.unwrap(x, period=6.0) - x) / 6.0)
    assert np.any(jumps)
    function = sd.jacobian(lambda period: np.unwrap(x, period=period))
    np.testing.assert_allclose(function(6.0), jumps, atol=1e-15)
    with pytest.raises(UnsupportedCallError, match="period="):
        stage(lambda p: FUNCTIONS[np.unwrap](x, period=p), np.array([6.0]))


def test_real_if_close_by_what_is_in_the_array() -> None:
    def summed(z: Any, tol: Any) -> Any:
        r = np.real_if_close(z, tol)
        return np.sum(np.abs(r) ** 2) + r.size * np.iscomplexobj(r)

    function = sd.value_and_grad(summed)
    for z in (np.array([1 + 1e-17j, 2.0]), np.array([1 + 1e-3j, 2.0]), np.array([1.0, -2.0])):
        for tol in (100, 0.01, 1e14):
            value, slope = function(z, tol)
            same(value, summed(z, tol))
            kept = z if np.iscomplexobj(np.real_if_close(z, tol)) else z.real
            np.testing.assert_allclose(slope, 2 * kept, rtol=1e-15)


def test_lists_are_arrays() -> None:
    check(lambda a, b: FUNCTIONS[np.exp]([a, b]), lambda a, b: np.exp([a, b]), 0.5, 1.5)


def test_where_and_select() -> None:
    c = V > 0
    check(FUNCTIONS[np.where], np.where, c, V, W, wrt=[1, 2])
    program = stage(lambda c, d, v, w: FUNCTIONS[np.select]([c, d], [v, w], 0.5), c, W > 0, V, W)
    same(program(c, W > 0, V, W), [np.select([c, W > 0], [V, W], 0.5)])


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.0, None), (None, 1.0), (None, None)])
def test_clip(bounds: Any) -> None:
    x = V + 0.1
    check(lambda v: FUNCTIONS[np.clip](v, *bounds), lambda v: np.clip(v, *bounds), x)
    check(lambda v: METHODS["clip"](v, *bounds), lambda v: np.clip(v, *bounds), x)
    low, high = bounds
    check(
        lambda v: FUNCTIONS[np.clip](v, min=low, max=high),
        lambda v: np.clip(v, min=low, max=high),
        x,
    )


def test_parts() -> None:
    for x in (Z, V):
        check(FUNCTIONS[np.real], np.real, x)
        check(FUNCTIONS[np.imag], np.imag, x)
        check(ATTRIBUTES["real"], operator.attrgetter("real"), x)
        check(ATTRIBUTES["imag"], operator.attrgetter("imag"), x)
        check(METHODS["conj"], lambda v: v.conj(), x)
        check(METHODS["conjugate"], lambda v: v.conj(), x)
    same(stage(FUNCTIONS[np.angle], Z)(Z), [np.angle(Z)])
    same(stage(lambda z: FUNCTIONS[np.angle](z, deg=True), Z)(Z), [np.angle(Z, deg=True)])


def test_isclose() -> None:
    a = np.array([1.0, np.inf, np.nan, 0.0, 1.0])
    b = np.array([1.0 + 1e-9, np.inf, np.nan, 1e-9, 1.1])
    with np.errstate(invalid="ignore"):
        same(stage(FUNCTIONS[np.isclose], a, b)(a, b), [np.isclose(a, b)])
    same(stage(FUNCTIONS[np.isclose], 1.0, 2.0)(1.0, 2.0), [np.isclose(1.0, 2.0)])


def test_nan_to_num() -> None:
    x = np.array([1.5, np.nan, np.inf, -np.inf])
    for dtype in ("float64", "float32"):
        y = x.astype(dtype)
        same(stage(FUNCTIONS[np.nan_to_num], y)(y), [np.nan_to_num(y)])
    program = stage(lambda v: FUNCTIONS[np.nan_to_num](v, nan=1.0, posinf=2.0, neginf=-2.0), x)
    same(program(x), [np.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-2.0)])


def test_rounding() -> None:
    for decimals in (0, 1, -1):
        check(
            lambda v, d=decimals: FUNCTIONS[np.round](v, d),
            lambda v, d=decimals: np.round(v, d),
            np.array([12.34, -0.56]),
        )
    check(METHODS["round"], lambda v: v.round(), np.array([1.3, 2.7]))
    check(FUNCTIONS[np.fix], np.fix, np.array([1.3, -2.7]))


def test_builtins() -> None:
    for x in (1.5, -2.5, np.float64(1.3), V + 0.1):
        check(FUNCTIONS[abs], abs, x)
    same(stage(FUNCTIONS[abs], -3)(-3), [3])
    same(stage(FUNCTIONS[divmod], 7.5, 2)(7.5, 2), list(divmod(7.5, 2)))
    same(stage(FUNCTIONS[np.divmod], 7.5, 2)(7.5, 2), list(np.divmod(7.5, 2)))
    check(FUNCTIONS[pow], pow, 1.5, 2.5)
    same(stage(lambda n: FUNCTIONS[pow](n, 5, 7), 3)(3), [pow(3, 5, 7)])
    same(stage(FUNCTIONS[round], 2.5)(2.5), [2])
    same(stage(lambda v: FUNCTIONS[round](v, 1), 2.57)(2.57), [2.6])


def test_casts_to_python_numbers() -> None:
    for x in (1.5, np.float64(1.5), np.array(2.5), 3, np.float32(0.5)):
        for cast in (float, int, bool, complex):
            same(stage(FUNCTIONS[cast], x)(x), [cast(x)])
    same(stage(FUNCTIONS[complex], 1.5, 2.5)(1.5, 2.5), [1.5 + 2.5j])
    assert stage(FUNCTIONS[float], 1.5).nodes == []
    same(stage(FUNCTIONS[complex], -0.0, np.inf)(-0.0, np.inf), [complex(-0.0, np.inf)])
    check(FUNCTIONS[complex], complex, 1.5, 2.5)
    for x in (np.array(1.5), np.array([[2]]), np.float32(1.5), np.array([True])):
        same(stage(METHODS["item"], x)(x), [x.item()])


@pytest.mark.parametrize("constructor", [np.float64, np.float32, np.int64, np.bool, np.complex128])
def test_constructors_of_numpys_scalars(constructor: Any) -> None:
    for x in (1.5, 2, np.float32(2.5), np.array(0.5), V):
        same(stage(FUNCTIONS[constructor], x)(x), [constructor(x)])


def test_astype() -> None:
    for dtype in (np.float32, float, int, "bool", np.dtype("complex64")):
        check(
            lambda v, d=dtype: METHODS["astype"](v, d),
            lambda v, d=dtype: v.astype(d),
            np.array([1.5, 0.25]),
        )
    assert stage(lambda v: METHODS["astype"](v, float, copy=False), V).nodes == []


def test_item_at_a_position() -> None:
    x = np.array([[1.5, 2.5], [3.5, 4.5]])
    for index in ((2,), (1, 0), (-1,), ((0, 1),)):
        check(lambda v, i=index: METHODS["item"](v, *i), lambda v, i=index: v.item(*i), x)
    check(lambda v, k: METHODS["item"](v, k), lambda v, k: v.item(k), x, 3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sinc_at_zero_and_beyond(dtype: str) -> None:
    x = np.array([0.0, 0.3, -1.0, 2.7], dtype)
    check(FUNCTIONS[np.sinc], np.sinc, x, order=3 if dtype == "float64" else 1)
    check(FUNCTIONS[np.sinc], np.sinc, float(x[1]))
    check(FUNCTIONS[np.sinc], np.sinc, 2)


@pytest.mark.parametrize(
    "choices", [(W.astype("f"), 0.5), (W.astype("f"), V), (V > 0, 2), (1, 2.0)]
)
def test_select_has_the_common_type_of_its_choices(choices: Any) -> None:
    conditions = [V > 0, V < 0]
    program = stage(lambda c, d, v, w: FUNCTIONS[np.select]([c, d], [v, w]), *conditions, *choices)
    same(program(*conditions, *choices), [np.select(conditions, list(choices))])


def test_an_operand_is_not_cast_to_what_cannot_hold_it() -> None:
    """NumPy's error; of a complex number the absolute value is asked for as a float by its loop."""
    with pytest.raises(np._core._exceptions.UFuncTypeError, match="Cannot cast"):
        sd.differentiable(lambda x: np.add(x, x, dtype=int)).forward(V)
    (found, _) = sd.differentiable(lambda x: np.abs(x * 1j, dtype=float)).forward(V)
    same(found, np.abs(V * 1j, dtype=float))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sin(x, sig="f->f"),
        lambda x: np.add(x, x, casting="no"),
        lambda x: np.matmul(x, x, axes=[0, 0, ()]),
    ],
)
def test_options_of_ufuncs_are_not_passed_over(call: Any) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=r"argument (sig|casting|axes)="):
        sd.differentiable(call).forward(V)


@pytest.mark.parametrize(
    "call",
    [
        lambda z, w: z[0] * w[0],
        lambda z, w: np.multiply(z[0], w[0]),
        lambda z, w: np.multiply(complex(z[0]), w[0]),
        lambda z, w: np.dot(z[0], w[0]),
        lambda z, w: abs(z[0]),
        lambda z, w: np.abs(z[0]),
        lambda z, w: np.square(z[0]),
    ],
)
def test_single_complex_numbers_have_the_bits_of_operator_or_function(call: Any) -> None:
    """NumPy rounds the two in different ways."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        z, w = rng.normal(size=(2, 2)) + 1j * rng.normal(size=(2, 2))
        value, _ = sd.differentiable(call).forward(z, w)
        assert value == call(z, w)
