"""Every kind of key, read and written: values, types, and both modes of derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, Size
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.keys import slice_dim
from symdiff.ops.sizes import product_dim, sum_dim
from tests.ops.straightline import check, stage

X1 = np.linspace(-1.0, 2.0, 7)
X2 = np.linspace(-1.0, 2.0, 12).reshape(3, 4)
X3 = np.linspace(-2.0, 2.0, 24).reshape(2, 3, 4)
ROW = np.linspace(0.0, 1.0, 4).reshape(1, 4)

BASIC: list[tuple[np.ndarray, Any]] = [
    (X1, 2),
    (X1, -1),
    (X1, slice(1, -1)),
    (X1, slice(None, None, -1)),
    (X1, slice(None, None, 2)),
    (X1, slice(-2, None, -1)),
    (X1, slice(None, 2, -1)),
    (X1, slice(5, 2, -1)),
    (X1, slice(1, 100)),
    (X1, slice(-100, 3)),
    (X1, slice(4, 2)),
    (X1, slice(None, 3)),
    (X1, slice(-3, None)),
    (X1, slice(None, 1)),
    (X1, slice(-1, None)),
    (X1, slice(-3, -1)),
    (X1, slice(2, 4)),
    (X1, slice(100, None)),
    (X1, None),
    (X1, (slice(None), None)),
    (X1, Ellipsis),
    (X1, (Ellipsis, 2)),
    (X1, ()),
    (X2, 1),
    (X2, (1, 2)),
    (X2, (slice(None), 1)),
    (X2, (Ellipsis, 1)),
    (X2, (1, Ellipsis, 2)),
    (X2, (slice(1, None), slice(None, -1))),
    (X2, (None, 1, slice(None), None)),
    (X2, (slice(None), slice(None), None)),
    (X3, (0, Ellipsis, slice(1, 3))),
    (X3, (slice(None), -1)),
    (ROW, 0),
    (ROW, (0, slice(1, None))),
    (ROW, (slice(None, None, -1), slice(None))),
    (np.zeros((0, 3)), (slice(1, None), 2)),
    (np.array(2.0), ()),
    (np.array(2.0), Ellipsis),
    (np.array(2.0), None),
]

I = np.array([0, 2, 1])  # noqa: E741 - as in a key
TWICE = np.array([1, 1, 0])
GRID = np.array([[0, 1], [1, 0]])
MASK = np.array([True, False, True, False, True, True, False])
ADVANCED: list[tuple[np.ndarray, Any]] = [
    (X1, I),
    (X1, TWICE),
    (X1, -I),
    (X1, GRID),
    (X1, [0, 2]),
    (X1, MASK),
    (X1, np.zeros(7, bool)),
    (X1, [True, False, True, False, True, True, False]),
    (X1, np.zeros(0, int)),
    (X1, []),
    (X1, np.array(1)),
    (X1, (np.array(1), Ellipsis)),
    (X2, I),
    (X2, (I, I)),
    (X2, (I, 1)),
    (X2, (1, I)),
    (X2, (slice(None), I)),
    (X2, (slice(1, None), TWICE)),
    (X2, (I[:, None], I)),
    (X2, (GRID, GRID)),
    (X2, X2 > 0.5),
    (X2, (slice(None), np.array([True, False, True, True]))),
    (X2, (np.array([True, False, True]), 1)),
    (X2, (np.array([True, False, True]), np.array([0, 3]))),
    (X2, (Ellipsis, I)),
    (X2, (None, I)),
    (X2, (I, None)),
    (X3, (0, slice(None), I)),
    (X3, (0, I, slice(None))),
    (X3, (slice(None), 0, I)),
    (X3, (TWICE, slice(None), I)),
    (X3, (TWICE, None, I)),
    (X3, (GRID, slice(None), 0)),
    (X3, (slice(None), GRID, GRID)),
    (X3, (X3[..., 0] > 0, slice(1, None))),
    (X3, (slice(None), X3[0] > 0)),
    (X3, (0, X3[0] > 0)),
    (ROW, (np.array([0, 0]), slice(None))),
    (X2, (np.array(1), slice(None))),
    (X2, (np.array(1), I)),
]


def shown(key: Any) -> str:
    return repr(key).replace("array", "").replace(" ", "").replace("\n", "")


def with_ids(cases: list[tuple[np.ndarray, Any]]) -> Any:
    return [pytest.param(x, key, id=f"{x.shape}{shown(key)}") for x, key in cases]


@pytest.mark.parametrize(("x", "key"), with_ids(BASIC + ADVANCED))
def test_reading(x: np.ndarray, key: Any) -> None:
    check(lambda v: index_of(v, key), lambda v: v[key], x)


def written(x: np.ndarray, v: Any, key: Any) -> np.ndarray:
    x[key] = v
    return x


def added(x: np.ndarray, v: Any, key: Any) -> np.ndarray:
    np.add.at(x, key, v)
    return x


@pytest.mark.parametrize(("x", "key"), with_ids(BASIC + ADVANCED))
def test_writing_a_region(x: np.ndarray, key: Any) -> None:
    v = np.cos(np.arange(np.size(x[key])) + 1.0).reshape(np.shape(x[key]))
    v = v if np.shape(x[key]) else float(v)
    check(lambda x, v: index_set_of(x, v, key), lambda x, v: written(x, v, key), x, v)


@pytest.mark.parametrize(("x", "key"), with_ids(BASIC + ADVANCED))
def test_writing_a_number(x: np.ndarray, key: Any) -> None:
    check(lambda x, v: index_set_of(x, v, key), lambda x, v: written(x, v, key), x, 0.3)


@pytest.mark.parametrize(("x", "key"), with_ids(BASIC + ADVANCED))
def test_adding_to_a_region(x: np.ndarray, key: Any) -> None:
    v = np.cos(np.arange(np.size(x[key])) + 1.0).reshape(np.shape(x[key]))
    v = v if np.shape(x[key]) else float(v)
    check(lambda x, v: index_add_of(x, v, key), lambda x, v: added(x, v, key), x, v)


@pytest.mark.parametrize(("x", "key"), with_ids(ADVANCED))
def test_staged_keys(x: np.ndarray, key: Any) -> None:
    parts = key if isinstance(key, tuple) else (key,)
    arrays = [np.asarray(p) for p in parts if isinstance(p, list | np.ndarray) and np.size(p)]

    def staged_key(values: list[Value]) -> tuple[Any, ...]:
        rest = iter(values)
        dynamic = lambda p: isinstance(p, list | np.ndarray) and np.size(p)  # noqa: E731
        return tuple(next(rest) if dynamic(p) else p for p in parts)

    v = np.cos(np.arange(np.size(x[key])) + 1.0).reshape(np.shape(x[key]))
    v = v if np.shape(x[key]) else float(v)
    check(lambda x, *i: index_of(x, staged_key(list(i))), lambda x, *i: x[key], x, *arrays)
    check(
        lambda x, v, *i: index_set_of(x, v, staged_key(list(i))),
        lambda x, v, *i: written(x, v, key),
        *(x, v, *arrays),
    )


@pytest.mark.parametrize("bounds", [(1, 5, 2), (5, 1, -2), (0, 7, 1), (-3, -1, 1), (2, 2, 1)])
def test_staged_bounds(bounds: tuple[int, int, int]) -> None:
    check(
        lambda x, a, b, c: index_of(x, slice(a, b, c)),
        lambda x, a, b, c: x[a:b:c],
        *(X1, *bounds),
    )
    check(
        lambda x, v, a, b, c: index_set_of(x, v, slice(a, b, c)),
        lambda x, v, a, b, c: written(x, v, slice(a, b, c)),
        *(X1, 0.5, *bounds),
    )


def test_staged_positions() -> None:
    check(lambda x, i, j: index_of(x, (i, j)), lambda x, i, j: x[i, j], X2, 1, -2)
    check(lambda x, i: index_of(x, i), lambda x, i: x[i], X2, np.int64(1))
    check(lambda x, i: index_of(x, (Ellipsis, i)), lambda x, i: x[..., i], X1, 3)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "complex64"])
def test_other_dtypes(dtype: str) -> None:
    x = X2.astype(dtype)
    key = (slice(1, None), I)
    check(lambda v: index_of(v, key), lambda v: v[key], x)
    check(lambda x, v: index_set_of(x, v, key), lambda x, v: written(x, v, key), x, x[key])
    check(lambda x, v: index_set_of(x, v, key), lambda x, v: written(x, v, key), x, 0.5)
    check(lambda x, v: index_add_of(x, v, key), lambda x, v: added(x, v, key), x, x[key])


def test_assignment_casts_to_the_array_s_dtype() -> None:
    x = np.zeros(4, "float32")
    check(lambda x, v: index_set_of(x, v, 1), lambda x, v: written(x, v, 1), x, 0.1)
    check(lambda x, v: index_set_of(x, v, 1), lambda x, v: written(x, v, 1), np.zeros(4, int), 1.7)


def test_value_may_have_more_axes_than_the_region_if_they_are_of_length_one() -> None:
    x = np.zeros((3, 2))
    for v in (np.array([[0.3, 0.7]]), np.array([[[0.3]]])):
        check(lambda x, v: index_set_of(x, v, 1), lambda x, v: written(x, v, 1), x, v)


def test_value_is_broadcast_into_the_region() -> None:
    row = np.array([1.0, 2.0, 3.0, 4.0])
    check(
        lambda x, v: index_set_of(x, v, slice(1, None)),
        lambda x, v: written(x, v, slice(1, None)),
        X2,
        row,
    )
    check(lambda x, v: index_set_of(x, v, ()), lambda x, v: written(x, v, ()), X2, row[:, None][:3])
    check(lambda x, v: index_set_of(x, v, I), lambda x, v: written(x, v, I), X2, ROW)


def test_region_longer_than_the_array_s_unit_axis_is_summed() -> None:
    """A slice that may have length 1 at run time gets the sum there."""
    for n in (2, 3, 5):
        x = np.linspace(0.0, 1.0, n)
        v = x[1 - n :][: n - 1] if n > 2 else x[1:]
        check(
            lambda x, v, y: index_set_of(y, v, slice(None)),
            lambda x, v, y: written(y, v, slice(None)),
            *(x, v[:1].copy(), np.zeros(3)),
        )


@pytest.mark.parametrize(
    ("key", "message"),
    [((1, 2), "too many indices"), (1.5, "not an index"), (True, "single bool")],
)
def test_bad_keys(key: Any, message: str) -> None:
    with pytest.raises(IndexError, match=message):
        stage(lambda x: index_of(x, key), X1)


def test_lengths_of_slices() -> None:
    n = Size("n")
    assert slice_dim(n, 1, -1, None) == Size("n", -2)
    assert slice_dim(n, 2, None, None) == Size("n", -2)
    assert slice_dim(n, None, None, -1) == n
    assert slice_dim(n, -2, None, -1) == Size("n", -1)
    assert slice_dim(n, 1, Size("n", -1), None) == Size("n", -2)
    assert slice_dim(7, 1, -1, 2) == 3
    length = slice_dim(n, None, 3, None)
    assert isinstance(length, Size)
    assert not length.open
    assert slice_dim(n, None, 1, None) == 1
    assert slice_dim(n, -2, None, None) == 2
    assert slice_dim(Size("n", -1), None, 1, None) == 1
    first = slice_dim(Size("n", -2), None, 1, None)
    assert isinstance(first, Size)
    assert first.open


def test_lengths_of_slices_by_bounds_that_may_be_negative() -> None:
    n, k = Size("n"), Size("k", open=True)
    assert slice_dim(n, None, Size("n", -2), None) == Size("n", -2)
    assert slice_dim(n, None, -3, None) == Size("n", -3)
    fewer = slice_dim(n, None, Size("n", -3), None)  # of two elements one: x[:-1]
    assert isinstance(fewer, Size)
    assert fewer.symbol != "n"
    assert slice_dim(k, Size("k", -1, open=True), None, -1) == k
    for start in (Size("k", open=True), Size("k", -2, open=True)):  # as many as k; of one, one
        backwards = slice_dim(k, start, None, -1)
        assert isinstance(backwards, Size)
        assert backwards.symbol != "k"


def test_a_length_that_may_have_been_cut_off_at_zero_is_not_made_whole_again() -> None:
    n, k = Size("n"), Size("k", open=True)
    assert sum_dim((Size("n", -2), 2)) == n
    for cut, by in ((Size("n", -3), 3), (Size("k", -1, open=True), 1)):
        whole = sum_dim((cut, by))
        assert isinstance(whole, Size)
        assert whole.symbol not in ("n", "k")
    assert sum_dim((k, 2, -1)) == Size("k", 1, open=True)


def test_products_of_sizes_that_may_be_0_have_no_least_length() -> None:
    n, k = Size("n"), Size("k", open=True)
    assert slice_dim(product_dim((2, n)), None, 2, None) == 2
    for dims in ((2, k), (2, Size("n", -2)), (n, k)):
        first = slice_dim(product_dim(dims), None, 2, None)
        assert isinstance(first, Size)
        assert first.open


def test_equal_masks_have_equal_counts() -> None:
    program = stage(lambda x, y, m: (index_of(x, m), index_of(y, m)), X1, X1 + 1.0, MASK)
    one, other = (value.type for value in program.results)
    assert isinstance(one, ArrayType)
    assert one == other


def masked_by_a_truth(x: Any) -> Any:
    y = x * 2.0
    y[x[1] > 0][0, 1] = 7.0  # a copy
    part = y[x[0] < 5.0]
    part[0, 1] = 5.0
    return np.sum(x[x[0] > 0][0, -2:] ** 3) + np.sum(y**2) + np.sum(part[0] * x)


def number_masked_by_a_truth(x: Any) -> Any:
    part = x[x > 0.13]
    return np.sum(np.where(part > 0.4, part[-2:], 0.5) ** 2)


def test_a_truth_as_index_selects_a_copy_along_an_axis_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    x, t = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.5, -1.0])
    expected = np.array([0.0, 12.0, 27.0]) + 8 * x + np.array([4.0, 5.0, 12.0])
    value, gradient = sd.value_and_grad(masked_by_a_truth)(x)
    assert value == masked_by_a_truth(x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-14)
    tangent = sd.jvp(masked_by_a_truth, (x,), (t,))[1]
    np.testing.assert_allclose(tangent, expected @ t, rtol=1e-14)
    for number in (np.float64(0.7), np.array(0.7)):
        assert sd.grad(number_masked_by_a_truth)(number) == 1.4
        assert sd.jvp(number_masked_by_a_truth, (number,), (np.ones_like(number),))[1] == 1.4


def looked_up(E: Any, places: Any) -> Any:
    return np.sum(np.tanh(E[places]) ** 2)


TABLE = np.random.default_rng(7).normal(size=(5, 3))


@pytest.mark.parametrize(
    ("table", "places"),
    [
        (TABLE, np.array([0, 3, 3, -1, 4])),
        (TABLE, np.array([[0, 3], [3, -5]], np.int8)),
        (np.tile(TABLE, (1, 50)), np.array([4, 4, 3], np.int8)),
        (TABLE, np.array([0, 3, 3], np.uint64)),
        (TABLE, np.array([], int)),
        (TABLE[:, :0], np.array([1, 1])),
        (TABLE.astype(np.float32), np.array([2, 2, 2])),
        (np.stack([TABLE, TABLE + 1.0], axis=2), np.array([1, 1, 0])),
        (np.asfortranarray(TABLE), np.array([1, 1, 0])),
        (TABLE[::2, ::2], np.array([1, 1, -3])),
    ],
)
def test_rows_that_are_looked_up_often_get_the_sum_of_their_cotangents(
    table: Any, places: Any
) -> None:
    rows = table[places]
    slopes = 2.0 * np.tanh(rows) / np.cosh(rows) ** 2
    expected = np.zeros(table.shape, table.dtype)
    for at in np.ndindex(places.shape):
        expected[places[at]] += slopes[at]
    gradient = sd.grad(looked_up)(table, places)
    assert (gradient.dtype, gradient.flags.c_contiguous) == (table.dtype, True)
    accuracy = 1e-5 if table.dtype == np.float32 else 1e-13
    np.testing.assert_allclose(gradient, expected, rtol=accuracy, atol=accuracy)
    along = np.cos(np.arange(table.size)).reshape(table.shape).astype(table.dtype)
    _, product = sd.jvp(lambda t: sd.grad(looked_up)(t, places), (table,), (along,))
    curved = 2.0 * (1.0 - 2.0 * np.sinh(rows) ** 2) / np.cosh(rows) ** 4
    twice = np.zeros(table.shape, table.dtype)
    for at in np.ndindex(places.shape):
        twice[places[at]] += (curved * along[places])[at]
    np.testing.assert_allclose(product, twice, rtol=10 * accuracy, atol=10 * accuracy)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize(
    ("shape", "count"), [((7, 5), 600), ((7, 5), 3), ((60, 50), 600), ((3, 4), 0)]
)
def test_gradients_at_pairs_of_places_are_sums_over_these(
    shape: tuple[int, int], count: int, dtype: str
) -> None:
    rng = np.random.default_rng(5)
    i, j = (rng.integers(-n, n, count) for n in shape)
    table = rng.normal(size=shape).astype(dtype)
    weights = rng.normal(size=count).astype(dtype)
    expected = np.zeros(shape, dtype)
    for k in range(count):
        expected[i[k], j[k]] += np.conj(weights[k])
    gradient = sd.grad(lambda x: np.sum(np.real(weights * x[i, j])))(table)
    assert gradient.dtype == np.dtype(dtype)
    np.testing.assert_allclose(gradient, expected, atol=1e-4 if dtype == "float32" else 1e-13)


def test_gradients_at_places_between_slices_are_sums_over_these() -> None:
    rng = np.random.default_rng(6)
    i, j = np.arange(4)[:, None] + np.arange(3), np.array([[1, -1, 1], [0, 0, 5], [2, 2, 2]])
    for key in (
        (slice(None), i[:, None, :, None], j),
        (i[:3], slice(1, None), j, 0),
        (0, i[:3], j),
    ):
        x = rng.normal(size=(6, 6, 6, 2))
        weights = rng.normal(size=x[key].shape)
        places = np.arange(x.size).reshape(x.shape)[key]
        expected = np.bincount(places.reshape(-1), weights.reshape(-1), x.size).reshape(x.shape)
        gradient = sd.grad(lambda x, k=key, w=weights: np.sum(w * x[k]))(x)
        np.testing.assert_allclose(gradient, expected, atol=1e-13)


def test_pairs_of_places_are_added_in_one_line() -> None:
    places = np.array([1, 1, 0])
    source = str(sd.grad(lambda x, i: np.sum(np.sin(x[i, i]))).source(TABLE, places))
    assert "add_at(x_bar, (i, i), " in source


def test_rows_are_added_by_one_call() -> None:
    source = str(sd.grad(looked_up).source(TABLE, np.array([1, 1])))
    assert "add_rows(E_bar, places, " in source
    source = str(sd.grad(looked_up).source(TABLE[0], np.array([1, 1])))
    assert "np.add.at(E_bar, places, " in source
    source = str(sd.grad(looked_up).source(TABLE, np.array([True, False, True, True, False])))
    assert "add" not in source.partition('"""')[2].partition('"""')[2]


def _from_both_ends(x: Any, y: Any) -> Any:
    """Some places from the beginning, some from the end: the same ones where ``x`` is short."""
    weights = np.arange(1.0, 6.0)
    counted = np.sum(np.sin(x[np.arange(-2, 3)]) * weights)
    ordered = np.sum(np.cos(x[np.argsort(y) - 2]) * weights)
    return counted + ordered + np.sum(x[1 - np.arange(4)] ** 3)


@pytest.mark.parametrize("length", [3, 4, 5, 7])
def test_places_from_both_ends_may_be_one(length: int) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=length), rng.normal(size=5)
    weights = np.arange(1.0, 6.0)
    expected = np.zeros(length)
    np.add.at(expected, np.arange(-2, 3), np.cos(x[np.arange(-2, 3)]) * weights)
    order = np.argsort(y) - 2
    np.add.at(expected, order, -np.sin(x[order]) * weights)
    np.add.at(expected, 1 - np.arange(4), 3.0 * x[1 - np.arange(4)] ** 2)
    np.testing.assert_allclose(sd.grad(_from_both_ends)(x, y), expected, rtol=1e-12)


def _stored_from_both_ends(x: Any, y: Any) -> Any:
    kept = np.zeros(len(x))
    kept[np.argsort(y) - 2] = y
    return kept @ x


@pytest.mark.parametrize("length", [3, 5])
def test_of_places_from_both_ends_the_last_is_stored(length: int) -> None:
    x, y = np.linspace(0.5, 2.0, length), np.array([0.3, -1.0, 2.0, 0.1, -0.4])
    last = {int(place) % length: k for k, place in enumerate(np.argsort(y) - 2)}
    expected = np.zeros(5)
    for place, k in last.items():
        expected[k] = x[place]
    found = sd.grad(_stored_from_both_ends, 1)(x, y)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
