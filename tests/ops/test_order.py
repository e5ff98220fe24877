"""Running sums and products, sorting, selecting, searching, differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import FUNCTIONS
from tests.ops.straightline import check, stage

V = np.array([0.5, -1.0, 2.0, 0.25, -3.0])
M = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]])
ZEROS = np.array([1.5, 0.0, 2.0, 0.0, 3.0])
TIES = np.array([1.0, 0.0, 1.0, -0.0, 1.0])
EMPTY = np.zeros(0)


@pytest.mark.parametrize("function", [np.cumsum, np.cumprod])
@pytest.mark.parametrize(("x", "axis"), [(V, None), (V, 0), (M, None), (M, 0), (M, -1), (ZEROS, 0)])
def test_running(function: Any, x: np.ndarray, axis: int | None) -> None:
    for dtype in ("float64", "float32", "complex128"):
        check(
            lambda v: FUNCTIONS[function](v, axis),
            lambda v: function(v, axis),
            x.astype(dtype),
        )


@pytest.mark.parametrize("function", [np.cumsum, np.cumprod])
def test_running_of_integers(function: Any) -> None:
    for x in (np.array([1, 2, 3]), np.array([True, True]), np.array([1, 2], "int32"), EMPTY):
        check(FUNCTIONS[function], function, x)
    check(
        lambda v: FUNCTIONS[function](v, dtype=float),
        lambda v: function(v, dtype=float),
        np.array([1, 2, 3]),
    )


@pytest.mark.parametrize(("x", "axis"), [(V, -1), (M, -1), (M, 0), (M, None), (EMPTY, -1)])
def test_sort(x: np.ndarray, axis: int | None) -> None:
    check(lambda v: FUNCTIONS[np.sort](v, axis), lambda v: np.sort(v, axis), x)
    check(lambda v: FUNCTIONS[np.argsort](v, axis), lambda v: np.argsort(v, axis), x)
    check(
        lambda v: FUNCTIONS[np.argsort](v, axis, kind="stable"),
        lambda v: np.argsort(v, axis, kind="stable"),
        x,
    )


def test_sort_of_equal_elements_is_a_permutation_of_the_cotangent() -> None:
    check(FUNCTIONS[np.sort], np.sort, TIES, order=0)
    from tests.ops.straightline import pullback

    back = pullback(stage(FUNCTIONS[np.sort], TIES), [0])
    (cotangent,) = back(TIES, np.arange(5.0))
    np.testing.assert_array_equal(cotangent, [2.0, 0.0, 3.0, 1.0, 4.0])


def test_reading_in_sorted_order_has_no_repeats() -> None:
    def reversed_by_rank(x: Any) -> Any:
        from symdiff.ops.index import index_of, index_set_of

        order = FUNCTIONS[np.argsort](x, kind="stable")
        return index_set_of(x, index_of(x, order) * 2.0, order)

    def by_numpy(x: np.ndarray) -> np.ndarray:
        order = np.argsort(x, kind="stable")
        x[order] = x[order] * 2.0
        return x

    check(reversed_by_rank, by_numpy, V)


@pytest.mark.parametrize(
    ("x", "i", "axis"),
    [
        (V, np.array([0, 0, 3]), 0),
        (M, np.array([[0, 2], [1, 1]]), 1),
        (M, np.array([[0, 1, 0]]), 0),
        (M, np.array([[0], [1]]), -1),
        (M, np.array([0, 3, 3]), None),
    ],
)
def test_take_along_axis(x: np.ndarray, i: np.ndarray, axis: int | None) -> None:
    check(
        lambda v, i: FUNCTIONS[np.take_along_axis](v, i, axis),
        lambda v, i: np.take_along_axis(v, i, axis),
        *(x, i),
    )


@pytest.mark.parametrize(
    ("x", "i", "axis"), [(V, [1, 1], None), (M, [0, 2, 2], 1), (M, 1, 0), (M, [[0, 5]], None)]
)
def test_take(x: np.ndarray, i: Any, axis: int | None) -> None:
    check(lambda v: FUNCTIONS[np.take](v, i, axis), lambda v: np.take(v, i, axis), x)


@pytest.mark.parametrize(("i", "count"), [(0.6, [1, 0]), (1.0, [0, 1]), ([0.6, 1.9], [1, 1])])
def test_take_by_floats_of_pythons_as_numpy(i: Any, count: list[int]) -> None:
    x = np.array([0.7, 1.3])
    value, gradient = sd.value_and_grad(lambda v: np.sum(np.take(v, i)))(x)
    assert value == np.sum(np.take(x, i))
    np.testing.assert_array_equal(gradient, count)
    assert sd.grad(lambda v, k: np.take(v, k) * v)(0.25, 0.6) == 0.5


ROWS_OF_NUMBERS: list[tuple[Any, list[Any]]] = [
    (np.repeat, [3]),
    (np.take, [[0, 0]]),
    (np.cumsum, []),
    (np.cumprod, []),
    (np.argsort, []),
]


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize(("function", "rest"), ROWS_OF_NUMBERS)
def test_a_number_is_a_row_of_one(function: Any, rest: list[Any], axis: int) -> None:
    for number in (np.array(1.5), np.array(1.5)[()]):
        check(
            lambda v: FUNCTIONS[function](v, *rest, axis),
            lambda v: function(v, *rest, axis),
            number,
        )
    with pytest.raises(np.exceptions.AxisError):
        stage(lambda v: FUNCTIONS[function](v, *rest, 1), np.array(1.5))


def test_positions() -> None:
    check(FUNCTIONS[np.nonzero], np.nonzero, M)
    check(FUNCTIONS[np.flatnonzero], np.flatnonzero, M)
    check(FUNCTIONS[np.extract], np.extract, M > 0, M)
    check(
        lambda c, x: FUNCTIONS[np.compress](c, x, 1),
        lambda c, x: np.compress(c, x, 1),
        *(np.array([True, False, True]), M),
    )


def test_searching() -> None:
    grid = np.sort(V)
    check(FUNCTIONS[np.searchsorted], np.searchsorted, grid, M, wrt=[])
    check(FUNCTIONS[np.searchsorted], np.searchsorted, grid, 0.3, wrt=[])
    for bounds in (grid, grid[::-1].copy(), np.repeat(grid, 2)):
        check(FUNCTIONS[np.digitize], np.digitize, M, bounds, wrt=[])
        check(
            lambda x, b: FUNCTIONS[np.digitize](x, b, right=True),
            lambda x, b: np.digitize(x, b, right=True),
            *(0.25, bounds),
            wrt=[],
        )
    check(
        lambda a, v: FUNCTIONS[np.searchsorted](a, v, "right"),
        lambda a, v: np.searchsorted(a, v, "right"),
        *(grid, grid),
        wrt=[],
    )


@pytest.mark.parametrize(
    ("x", "keywords"),
    [
        (V, {}),
        (V, {"n": 2}),
        (M, {}),
        (M, {"axis": 0}),
        (V, {"prepend": 0.0}),
        (M, {"append": 1.0, "axis": 0}),
        (V, {"n": 0}),
        (V, {"n": 0, "prepend": 0.0, "append": 1.0}),
        (V > 0, {}),
        (np.arange(4), {}),
    ],
)
def test_diff(x: np.ndarray, keywords: dict[str, Any]) -> None:
    check(lambda v: FUNCTIONS[np.diff](v, **keywords), lambda v: np.diff(v, **keywords), x)


def test_differences_less_than_none_are_numpys_error() -> None:
    with pytest.raises(ValueError, match="order must be non-negative"):
        sd.grad(lambda x: np.sum(np.diff(x, n=-1)))(np.arange(3.0))


def test_ediff1d() -> None:
    check(FUNCTIONS[np.ediff1d], np.ediff1d, M)


def test_argwhere() -> None:
    check(FUNCTIONS[np.argwhere], np.argwhere, M)
    with pytest.raises(UnsupportedCallError, match="argwhere of a number"):
        stage(FUNCTIONS[np.argwhere], 1.0)


def test_bincount() -> None:
    labels = np.array([2, 0, 2, 5, 0])
    check(FUNCTIONS[np.bincount], np.bincount, labels)
    check(FUNCTIONS[np.bincount], np.bincount, labels, V)
    check(FUNCTIONS[np.bincount], np.bincount, labels, V.astype(np.float32), wrt=[])
    for least in (0, 3, 8):
        check(
            lambda x, w, least=least: FUNCTIONS[np.bincount](x, w, least),
            lambda x, w, least=least: np.bincount(x, w, least),
            *(labels, V),
        )


PARTLY = np.random.default_rng(6).permutation(24).reshape(4, 6) / 3.0


@pytest.mark.parametrize(("kth", "axis"), [(2, -1), ((1, 3), 0), (-1, 1), (7, None), ([0, 4], -1)])
def test_partition(kth: Any, axis: int | None) -> None:
    for x in (PARTLY, PARTLY[::-1].astype("float32")):
        check(
            lambda x: FUNCTIONS[np.partition](x, kth, axis), lambda x: np.partition(x, kth, axis), x
        )
    check(
        lambda x: FUNCTIONS[np.argpartition](x, kth, axis),
        lambda x: np.argpartition(x, kth, axis),
        PARTLY,
    )


def test_partition_in_place() -> None:
    def least(x):
        y = x * x
        y.partition(2)
        return np.sum(y[:3]) * y[2] + x[x.argpartition(1)[0]]

    x = np.array([0.5, -2.0, 1.5, 0.1, -1.0])
    value, gradient = sd.value_and_grad(least)(x)
    assert value == least(x)
    expected = 2 * x * (1.0 * (x**2 <= 1.0) + 0.0) + np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    expected[4] += 2 * x[4] * (0.25 + 0.01 + 1.0)
    np.testing.assert_allclose(gradient, expected, rtol=1e-14)


def test_fields_to_sort_by_are_refused_as_by_numpy():
    for sort in (np.sort, np.argsort):
        with pytest.raises(ValueError, match="order"):
            sd.grad(lambda x, sort=sort: np.sum(sort(x, order="a") * x))(np.ones(3))


# Methods of ufuncs --------------------------------------------------------------------------------

RUNNING = [np.add, np.multiply, np.maximum, np.minimum]


@pytest.mark.parametrize("ufunc", RUNNING)
def test_accumulate(ufunc: np.ufunc) -> None:
    method = ufunc.accumulate
    for x in (V, V[::-1], V[:1], V[:0], M, M.T, M.astype("float32"), M[:, :0]):
        check(FUNCTIONS[method], method, x)
        if x.ndim > 1:
            check(lambda x: FUNCTIONS[method](x, 1), lambda x: method(x, 1), x, order=1)
            check(lambda x: FUNCTIONS[method](x, axis=-2), lambda x: method(x, axis=-2), x, order=1)
    check(lambda x: FUNCTIONS[method](x, None), lambda x: method(x, None), V)
    for dtype in ("bool", "int8", "uint8", "uint16", "int32", "uint64"):
        check(FUNCTIONS[method], method, np.array([3, 1, 2]).astype(dtype))
    check(lambda x: FUNCTIONS[method](x, dtype=float), lambda x: method(x, dtype=float), M > 1)
    check(FUNCTIONS[method], method, V + 1j * V[::-1], order=1)
    for x, axis, words in ((2.0, 0, "on a scalar"), (M, None, "multiple axes"), (M, 2, "axis 2")):
        with pytest.raises((TypeError, ValueError), match=words):
            stage(lambda x, axis=axis: FUNCTIONS[method](x, axis), x)


def test_running_extrema_of_equal_elements_follow_the_first() -> None:
    x = np.array([1.0, 2.0, 2.0, 1.0, 3.0])
    expected = np.zeros((5, 5))
    expected[range(5), [0, 1, 1, 1, 4]] = 1.0
    for mode in ("fwd", "rev"):
        jacobian = sd.jacobian(lambda x: np.maximum.accumulate(x), mode=mode)
        np.testing.assert_array_equal(jacobian(x), expected)
    slope = sd.grad(lambda x: np.sum(np.minimum.accumulate(x)[:2]))(np.array([1.0, np.nan, 2.0]))
    np.testing.assert_array_equal(slope, [1.0, 1.0, 0.0])


@pytest.mark.parametrize("function", [np.fmax, np.fmin])
def test_running_extrema_that_skip_nan(function: Any) -> None:
    x = np.array([np.nan, 2.0, np.nan, 5.0, 1.0, np.nan, 5.0])
    places = [0, 1, 1, 3, 3, 3, 3] if function is np.fmax else [0, 1, 1, 1, 4, 4, 4]
    jacobian = np.zeros((7, 7))
    jacobian[range(7), places] = 1.0
    for mode in ("fwd", "rev"):
        np.testing.assert_array_equal(sd.jacobian(function.accumulate, mode=mode)(x), jacobian)
    np.testing.assert_array_equal(sd.vjp(function.accumulate, x)[0], function.accumulate(x))


@pytest.mark.parametrize(
    "starts", [[0], [0, 2], [1, 4], [3, 0, 2], [0, 3, 1, 2], [2, 2, 0, 3, 3], [4, 4, 4]]
)
def test_sums_of_sections(starts: Any) -> None:
    method = np.add.reduceat
    i = np.array(starts)
    for x in (V, V.astype("float32"), V + 1j * V[::-1]):
        check(lambda x: FUNCTIONS[method](x, i), lambda x: method(x, i), x)
        check(lambda x: FUNCTIONS[method](x, starts), lambda x: method(x, starts), x, order=1)
    y = np.outer(V[:3], V)
    check(lambda x: FUNCTIONS[method](x, i, 1), lambda x: method(x, i, 1), y)
    check(lambda x: FUNCTIONS[method](x, i, axis=-2), lambda x: method(x, i, axis=-2), y.T)
    for dtype in ("bool", "int8", "uint8"):
        check(FUNCTIONS[method], method, (V > 0).astype(dtype), i)


def test_sections_out_of_an_array_raise_as_in_numpy() -> None:
    with pytest.raises(IndexError, match="index 7 out-of-bounds"):
        sd.grad(lambda x, i: np.sum(np.add.reduceat(x, i)))(V, np.array([0, 7]))


def test_results_of_methods_of_ufuncs_are_stored() -> None:
    def summed(x: Any) -> Any:
        out = np.zeros(5)
        np.maximum.accumulate(x, out=out)
        np.add.accumulate(out, 0, None, out)
        np.add.reduceat(x, [0, 2], out=out[3:])
        return np.sum(out**2)

    value, _ = sd.value_and_grad(summed)(V)
    assert value == summed(V)
    sd.check_grads(summed, (V,), order=2)


@pytest.mark.parametrize("function", [np.add, np.multiply, np.maximum, np.minimum])
@pytest.mark.parametrize(("x", "axis"), [(V, (0,)), (V, None), (M, (1,)), (M, (-2,))])
def test_an_axis_may_stand_in_a_tuple_or_be_the_only_one(
    function: Any, x: np.ndarray, axis: Any
) -> None:
    method = function.accumulate
    check(lambda x: FUNCTIONS[method](x, axis), lambda x: method(x, axis), x)


@pytest.mark.parametrize("axis", [None, (0, 1), ()])
def test_running_totals_go_along_one_axis(axis: Any) -> None:
    with pytest.raises(ValueError, match="accumulate does not allow multiple axes"):
        sd.jacobian(lambda x: np.multiply.accumulate(x, axis=axis))(M)


def test_sections_lie_along_an_axis_in_a_tuple_too() -> None:
    method, i = np.add.reduceat, np.array([0, 2])
    check(lambda x: FUNCTIONS[method](x, i, (1,)), lambda x: method(x, i, (1,)), M)
    with pytest.raises(ValueError, match="reduceat does not allow multiple axes"):
        sd.jacobian(lambda x: method(x, i, axis=(0, 1)))(M)
