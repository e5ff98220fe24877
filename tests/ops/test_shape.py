"""NumPy's shape functions by their lowerings: values, types, and both modes of derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.types import ArrayType, Size
from symdiff.ops.declare import ATTRIBUTES, FUNCTIONS, METHODS, NeedsStatic
from symdiff.ops.index import index_set_of
from tests.ops.straightline import check, stage

V = np.linspace(-1.0, 2.0, 5)
M = np.linspace(-1.0, 2.0, 12).reshape(3, 4)
SQUARE = np.linspace(-1.0, 2.0, 9).reshape(3, 3)
T = np.linspace(-2.0, 2.0, 24).reshape(2, 3, 4)
ROW = np.linspace(0.0, 1.0, 4).reshape(1, 4)
ZERO = np.array(1.5)
EMPTY = np.zeros((0, 3))

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Call:
    return function, arguments, keywords


# Arguments that are arrays are staged, all others are known.
CALLS: list[Call] = [
    call(np.reshape, M, (4, 3)),
    call(np.reshape, M, -1),
    call(np.reshape, M, (2, -1)),
    call(np.reshape, M, (-1, 4)),
    call(np.reshape, M, (2, 6), order="F"),
    call(np.reshape, T, (-1, 4)),
    call(np.reshape, T, (2, -1)),
    call(np.reshape, V, (5, 1)),
    call(np.reshape, ZERO, (1, 1)),
    call(np.reshape, np.array([2.0]), ()),
    call(np.reshape, EMPTY, (3, 0)),
    call(np.ravel, M),
    call(np.ravel, M, order="F"),
    call(np.ravel, ZERO),
    call(np.copy, M),
    call(np.copy, ZERO),
    call(np.transpose, M),
    call(np.transpose, T),
    call(np.transpose, T, (1, 0, 2)),
    call(np.transpose, T, (-1, 0, 1)),
    call(np.transpose, V),
    call(np.swapaxes, T, 0, -1),
    call(np.moveaxis, T, 0, -1),
    call(np.moveaxis, T, (0, 1), (-1, 0)),
    call(np.rollaxis, T, 2),
    call(np.rollaxis, T, 0, 3),
    call(np.matrix_transpose, T),
    call(np.expand_dims, V, 0),
    call(np.expand_dims, V, -1),
    call(np.expand_dims, M, (0, 2)),
    call(np.expand_dims, ZERO, 0),
    call(np.squeeze, ROW),
    call(np.squeeze, ROW, 0),
    call(np.squeeze, ROW[:, :1]),
    call(np.squeeze, M),
    call(np.squeeze, T[:, :1], axis=(1,)),
    call(np.atleast_1d, ZERO),
    call(np.atleast_1d, V),
    call(np.atleast_2d, V),
    call(np.atleast_2d, ZERO),
    call(np.atleast_3d, V),
    call(np.atleast_3d, M),
    call(np.atleast_2d, V, M),
    call(np.broadcast_to, V, (3, 5)),
    call(np.broadcast_to, ROW, (3, 4)),
    call(np.broadcast_to, ROW, (2, 3, 4)),
    call(np.broadcast_to, ZERO, (2, 3)),
    call(np.broadcast_arrays, ROW, M),
    call(np.meshgrid, V, V[:3]),
    call(np.meshgrid, V, V[:3], indexing="ij"),
    call(np.meshgrid, V, V[:3], sparse=True),
    call(np.meshgrid, V, V[:3], V[:2]),
    call(np.flip, M),
    call(np.flip, M, 1),
    call(np.flip, T, (0, 2)),
    call(np.flipud, M),
    call(np.fliplr, M),
    call(np.rot90, M),
    call(np.rot90, M, 2),
    call(np.rot90, M, -1),
    call(np.roll, V, 1),
    call(np.roll, V, -2),
    call(np.roll, M, 3),
    call(np.roll, M, 1, axis=0),
    call(np.roll, M, (1, 2), axis=(0, 1)),
    call(np.roll, M, 1, axis=(0, 1)),
    call(np.repeat, V, 3),
    call(np.repeat, M, 2),
    call(np.repeat, M, 2, axis=0),
    call(np.repeat, M, 2, axis=-1),
    call(np.repeat, M, [0, 2, 1], axis=0),
    call(np.tile, V, 2),
    call(np.tile, V, (2, 3)),
    call(np.tile, M, 2),
    call(np.tile, M, (2, 1, 3)),
    call(np.pad, V, 1),
    call(np.pad, M, ((1, 0), (2, 3))),
    call(np.pad, M, (1, 2)),
    call(np.pad, V, (0, 2), constant_values=3.0),
    call(np.pad, V, 2, mode="edge"),
    call(np.pad, V, 2, mode="wrap"),
    call(np.pad, M, 1, mode="reflect"),
    call(np.split, V[:4], 2),
    call(np.split, M, 3),
    call(np.split, M, 2, axis=1),
    call(np.split, V, [1, 3]),
    call(np.vsplit, M, 3),
    call(np.hsplit, M, 2),
    call(np.diagonal, SQUARE),
    call(np.diagonal, M, 1),
    call(np.diagonal, M, -1),
    call(np.diagonal, T, 0, 0, 2),
    call(np.diag, V),
    call(np.diag, V, 2),
    call(np.diag, V, -1),
    call(np.diag, SQUARE),
    call(np.diag, SQUARE, 1),
    call(np.diag, M, -2),
    call(np.diagflat, M),
    call(np.tril, SQUARE),
    call(np.triu, SQUARE, 1),
    call(np.tril, T, -1),
    call(np.triu, V),
]


def staged_call(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Any) -> Any:
    """The lowering with the arrays among the arguments staged, and NumPy's own."""
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]

    def apply(called: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        rest = iter(values)
        return called(
            *(next(rest) if isinstance(a, np.ndarray) else a for a in arguments), **keywords
        )

    return (
        lambda *values: apply(FUNCTIONS[function], values),
        lambda *values: apply(function, values),
        *arrays,
    )


def test_id(case: Any) -> str:
    function, arguments, keywords = case
    shown = [str(a.shape) if isinstance(a, np.ndarray) else repr(a) for a in arguments]
    shown += [f"{name}={value!r}" for name, value in keywords.items()]
    return f"{function.__name__}({','.join(shown)})"


test_id.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", CALLS, ids=test_id)
def test_calls(case: Call) -> None:
    check(*staged_call(*case))


@pytest.mark.parametrize("case", [c for c in CALLS if c[1][0].dtype.kind == "f"][::7], ids=test_id)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_calls_in_other_dtypes(case: Call, dtype: str) -> None:
    function, arguments, keywords = case
    cast = tuple(a.astype(dtype) if isinstance(a, np.ndarray) else a for a in arguments)
    check(*staged_call(function, cast, keywords))


JOINS: list[tuple[Callable[..., Any], list[np.ndarray], dict[str, Any]]] = [
    (np.concatenate, [V, V[:2]], {}),
    (np.concatenate, [M, ROW], {"axis": 0}),
    (np.concatenate, [M, SQUARE], {"axis": -1}),
    (np.concatenate, [M, V], {"axis": None}),
    (np.concatenate, [V.astype("float32"), V], {}),
    (np.concatenate, [V, EMPTY[:, 0]], {}),
    (np.stack, [V, V, 2 * V], {}),
    (np.stack, [M, M], {"axis": -1}),
    (np.stack, [ZERO, ZERO], {}),
    (np.hstack, [V, V[:2]], {}),
    (np.hstack, [M, SQUARE], {}),
    (np.hstack, [ZERO, V], {}),
    (np.vstack, [V, V], {}),
    (np.vstack, [M, ROW], {}),
    (np.vstack, [ROW[0], M], {}),
    (np.column_stack, [V, V], {}),
    (np.column_stack, [SQUARE[0], SQUARE], {}),
    (np.array, [V, V], {}),
]


@pytest.mark.parametrize(("function", "arrays", "keywords"), JOINS)
def test_joins(function: Any, arrays: list[np.ndarray], keywords: dict[str, Any]) -> None:
    check(
        lambda *xs: FUNCTIONS[function](xs, **keywords),
        lambda *xs: function(xs, **keywords),
        *arrays,
    )


def test_append() -> None:
    check(FUNCTIONS[np.append], np.append, V, V[:2])
    check(lambda x: FUNCTIONS[np.append](x, 1.0), lambda x: np.append(x, 1.0), V)


@pytest.mark.parametrize(
    ("name", "x", "arguments"),
    [
        ("reshape", M, (4, 3)),
        ("reshape", M, ((2, -1),)),
        ("reshape", M, (-1,)),
        ("transpose", T, ()),
        ("transpose", T, (1, 0, 2)),
        ("transpose", T, ((1, 0, 2),)),
        ("flatten", M, ()),
        ("ravel", M, ()),
        ("copy", M, ()),
        ("repeat", V, (2,)),
        ("squeeze", ROW, ()),
        ("swapaxes", T, (0, 1)),
        ("diagonal", M, (1,)),
        ("cumsum", M, (0,)),
        ("cumprod", M, (1,)),
        ("take", V, ([0, 0, 3],)),
        ("argsort", V, ()),
        ("nonzero", V, ()),
    ],
)
def test_methods(name: str, x: np.ndarray, arguments: Any) -> None:
    check(lambda v: METHODS[name](v, *arguments), lambda v: getattr(v, name)(*arguments), x)


def test_attributes() -> None:
    for x in (V, M, T, ROW, ZERO, EMPTY):
        for name in ("shape", "size", "ndim", "T", "nbytes", "itemsize"):
            check(
                lambda v, name=name: ATTRIBUTES[name](v), lambda v, name=name: getattr(v, name), x
            )
    stage(lambda v: [0] * (ATTRIBUTES["dtype"](v) == np.dtype("float64")), V)


@pytest.mark.parametrize(("function", "shift"), [(np.roll, 2), (np.tile, 3), (np.repeat, 2)])
def test_staged_counts(function: Any, shift: int) -> None:
    check(FUNCTIONS[function], function, V, shift)


def test_staged_shapes() -> None:
    check(
        lambda x, n, m: FUNCTIONS[np.reshape](x, (n, m)), lambda x, n, m: x.reshape(n, m), M, 2, 6
    )
    check(lambda x, n: FUNCTIONS[np.reshape](x, (n, -1)), lambda x, n: x.reshape(n, -1), M, 2)
    check(
        lambda x, n: FUNCTIONS[np.broadcast_to](x, (n, 4)),
        lambda x, n: np.broadcast_to(x, (n, 4)),
        ROW,
        1,
    )
    check(lambda x, c: FUNCTIONS[np.repeat](x, c), np.repeat, V, np.array([1, 0, 2, 1, 1]))


def test_shape_of_a_shape_keeps_what_is_known() -> None:
    def reshaped(x: Any) -> Any:
        n, m = ATTRIBUTES["shape"](x)
        return METHODS["reshape"](METHODS["reshape"](x, -1), n, m)

    program = stage(reshaped, M)
    assert program.results[0].type == program.parameters[0].type
    padded = stage(lambda x: FUNCTIONS[np.concatenate](([0.0], x, [0.0])), V)
    assert padded.results[0].type == ArrayType(np.dtype(float), (Size("ai", 2),), "array")


@pytest.mark.parametrize(
    ("function", "arguments", "error"),
    [
        (np.transpose, (M, (0, 0)), ValueError),
        (np.transpose, (M, (0, 2)), np.exceptions.AxisError),
        (np.swapaxes, (M, 0, 2), np.exceptions.AxisError),
        (np.squeeze, (M, 0), ValueError),
        (np.expand_dims, (M, 5), np.exceptions.AxisError),
        (np.diag, (T,), ValueError),
        (np.concatenate, ((ZERO, ZERO),), ValueError),
    ],
)
def test_errors_are_numpy_s(function: Any, arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        function(*arguments)

    def staged(*values: Any) -> Any:
        first = (values,) if isinstance(arguments[0], tuple) else values
        return FUNCTIONS[function](*first, *arguments[1:])

    arrays = arguments[0] if isinstance(arguments[0], tuple) else arguments[:1]
    with pytest.raises(error):
        stage(staged, *arrays)


def test_axis_must_be_known() -> None:
    with pytest.raises(NeedsStatic):
        stage(lambda x, axis: FUNCTIONS[np.flip](x, axis), M, 1)


def main_diagonal(x: np.ndarray) -> np.ndarray:
    seen = np.diagonal(x, 1)
    seen.flags.writeable = True
    return seen


@pytest.mark.parametrize(
    ("name", "view", "reference", "x"),
    [
        ("reshape", lambda x: METHODS["reshape"](x, -1), lambda x: x.reshape(-1), M),
        ("transpose", lambda x: METHODS["transpose"](x, 1, 0, 2), lambda x: x.swapaxes(0, 1), T),
        ("diagonal", lambda x: METHODS["diagonal"](x, 1), main_diagonal, M),
        ("index", lambda x: FUNCTIONS[np.flip](x, 1), lambda x: x[:, ::-1], M),
    ],
)
def test_a_write_through_a_view_updates_the_base(
    name: str, view: Any, reference: Any, x: np.ndarray
) -> None:
    def doubled(base: Any) -> Any:
        seen = view(base)
        assert seen.node.op.name == name
        return seen.node.op.put(seen.node, seen.node.operands[0], seen * 2.0)

    def doubled_by_numpy(base: np.ndarray) -> np.ndarray:
        seen = reference(base)
        seen *= 2.0
        return base

    check(doubled, doubled_by_numpy, x)


@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_a_write_to_a_part_of_complex_numbers(part: str, dtype: str) -> None:
    def staged(z: Any, r: Any) -> Any:
        seen = ATTRIBUTES[part](z)
        return seen.node.op.put(seen.node, z, index_set_of(seen, r, slice(1, None)))

    def by_numpy(z: np.ndarray, r: Any) -> np.ndarray:
        getattr(z, part)[1:] = r
        return z

    z = (V + 1j * V**2).astype(dtype)
    check(staged, by_numpy, z, V[1:])
    check(staged, by_numpy, z, 0.5)
    z[0] = complex(np.inf, -0.0)
    check(staged, by_numpy, z, 0.5, order=0)


@pytest.mark.parametrize("split", [np.split, np.array_split])
def test_splits_are_as_numpys(split: Any) -> None:
    x = np.arange(12.0).reshape(6, 2)
    for parts in (3, np.array(3), np.int64(3), [2, 3], (1, 1), [4, 2], [], 0, [1.5, 3.0]):

        def first(x: Any, parts: Any = parts) -> Any:
            return split(x, parts)[0]

        try:
            plain = first(x)
        except (TypeError, ValueError, ZeroDivisionError) as error:
            with pytest.raises(type(error)):
                sd.vjp(first, x)
        else:
            np.testing.assert_array_equal(sd.vjp(first, x)[0], plain)


@pytest.mark.parametrize("split", [np.split, np.array_split])
def test_splits_at_places_that_are_computed(split: Any) -> None:
    def weighed(x: Any, t: Any) -> Any:
        first, second, third = split(x, [int(t), 4])
        return np.sum(first**2) + 2.0 * np.sum(second**2) + 3.0 * np.sum(third**2)

    x = np.arange(1.0, 7.0)
    by_place = {
        2.5: [1, 1, 2, 2, 3, 3],
        0.0: [2, 2, 2, 2, 3, 3],
        5.2: [1, 1, 1, 1, 4, 3],  # the second part is empty, and the third begins before the end
        -3.0: [1, 1, 1, 2, 3, 3],
    }
    for t, weights in by_place.items():
        assert weighed(x, t) == np.sum(np.array(weights) * x**2)
        value, gradient = sd.value_and_grad(weighed)(x, t)
        assert value == weighed(x, t)
        np.testing.assert_allclose(gradient, 2.0 * np.array(weights) * x)
        _, tangent = sd.jvp(weighed, (x, t), (np.ones(6), 0.0))
        assert tangent == pytest.approx(2.0 * np.sum(weights * x))


@pytest.mark.parametrize("k", [-1, -2, 3])
def test_size_that_numpy_finds_out_is_that_of_what_was_reshaped(k: int) -> None:
    def rows(a: Any, k: int) -> Any:
        s = a.reshape(2, k)
        return np.sum(s * s.shape[1]) + np.sum(np.ones(s.shape[1])) * a[0]

    def product(a: Any, k: int) -> Any:
        return np.sum(a.reshape(k, 2) * a[:2].reshape(k, 2))

    x = np.arange(1.0, 7.0)
    slope = np.full(6, 3.0)
    slope[0] += 3.0
    np.testing.assert_array_equal(sd.grad(rows)(x, k), slope)
    _, change = sd.jvp(lambda a: rows(a, k), (x,), (np.ones(6),))
    assert change == slope.sum()
    if k < 0:  # one row with each of three
        expected = np.tile(x[:2], 3)
        expected[:2] += [9.0, 12.0]
        np.testing.assert_array_equal(sd.grad(product)(x, k), expected)


@pytest.mark.parametrize("n", [2, 7])
def test_size_that_is_negative_for_few_elements_only_is_found_out(n: int) -> None:
    def f(x: Any) -> Any:
        b = (np.arange(4.0) * x[0]).reshape(len(x) - 3)
        return np.sum(b) * b.shape[0]

    expected = np.zeros(n)
    expected[0] = 24.0
    np.testing.assert_array_equal(sd.grad(f)(np.ones(n)), expected)


def test_negative_sizes_are_all_minus_one() -> None:
    x = np.arange(6.0)
    slopes = sd.grad(lambda x: np.sum(x.reshape(2, -2) ** 2) * x.reshape(-5).shape[0])
    np.testing.assert_array_equal(slopes(x), 12.0 * x)
    curvature = sd.hvp(lambda x: np.sum(x.reshape(2, -2) ** 2) * x.reshape(-5).shape[0])
    np.testing.assert_array_equal(curvature(x, np.ones(6)), np.full(6, 12.0))


def test_axes_may_be_computed_as_an_array() -> None:
    weights = np.arange(24.0).reshape(4, 2, 3)

    def total(x: Any, order: Any) -> Any:
        first = np.transpose(x, 2 - np.array(order)) * weights
        second = x.transpose(np.argsort([1, 2, 0])) * weights
        moved = np.moveaxis(x, np.array([0, 1]), 1 + np.arange(2)) * weights
        return np.sum(first + second + moved)

    wanted = 3.0 * np.transpose(weights, (1, 2, 0))
    np.testing.assert_allclose(sd.grad(total)(T, (0, 2, 1)), wanted)
    with pytest.raises(ValueError, match="repeated axis in transpose"):
        total(T, (0, 0, 1))
    with pytest.raises(ValueError, match="repeated axis"):
        sd.grad(total)(T, (0, 0, 1))
