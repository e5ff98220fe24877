"""Calls of NumPy's elementwise functions, casts and Python's number builtins."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import ATTRIBUTES, FUNCTIONS, METHODS, REGISTRY
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
    with pytest.raises(sd.UnsupportedCallError, match="absolute of complex128 in float64"):
        sd.differentiable(lambda x: np.abs(x * 1j, dtype=float)).forward(V)


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
