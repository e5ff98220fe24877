"""Places in grids: beside what ``np.add.at`` adds to them, and what NumPy takes from them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ops import place_grids
from symdiff.ops.place_grids import add_by_slices, take_by_strides
from symdiff.ops.support import add_at, take_at


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays are looked at as large ones are."""
    for name in ("LEAST_OF_SLICES", "LEAST_ADDED", "LEAST_TAKEN"):
        monkeypatch.setattr(place_grids, name, 1)


RNG = np.random.default_rng(0)
WIDE = np.arange(40)[:, None]
ALL = slice(None)


def columns_of_windows(channels: int, width: int, across: int, step: int = 1) -> tuple[Any, ...]:
    """Places of windows of images, a column for each window, as they are often written."""
    i0 = np.tile(np.repeat(np.arange(width), width), channels)
    j0 = np.tile(np.arange(width), width * channels)
    i1, j1 = step * np.repeat(np.arange(across), across), step * np.tile(np.arange(across), across)
    k = np.repeat(np.arange(channels), width * width)[:, None]
    return ALL, k, i0[:, None] + i1, j0[:, None] + j1


GRIDS: list[tuple[tuple[int, ...], Any]] = [
    ((60,), (WIDE + np.arange(20),)),
    ((60,), (WIDE + np.arange(20)[::-1],)),
    ((60,), (59 - WIDE - np.arange(20),)),
    ((60,), (-1 - WIDE - np.arange(20),)),
    ((60,), (WIDE * 0 + np.array([3, 0, 9, 3]), )),
    ((60,), ((WIDE + np.arange(3)).astype(np.uint8),)),
    ((60, 30), (WIDE + np.arange(3),)),
    ((5, 50, 4), (ALL, WIDE + np.arange(3))),
    ((5, 50, 4), (slice(1, None, 2), WIDE + 2 * np.arange(3), slice(None, None, -1))),
    ((3, 50, 50), (ALL, WIDE[:, :, None], np.arange(3) + WIDE[None] % 7)),
    ((50, 4), (WIDE + np.arange(3), 2)),
    ((2, 50, 50, 3), (ALL, (WIDE + np.arange(3))[:, None, :, None], (WIDE + np.arange(4))[:, None])),  # noqa: E501
    ((4, 3, 12, 12), columns_of_windows(3, 3, 10)),
    ((4, 2, 13, 13), columns_of_windows(2, 3, 6, step=2)),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "key"), GRIDS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_places_in_grids_are_added_slice_by_slice(
    shape: tuple[int, ...], key: Any, dtype: str
) -> None:
    whole = RNG.integers(0, 9, shape).astype(dtype)
    values = RNG.integers(-9, 9, whole[key].shape).astype(dtype)  # sums of these are exact
    expected = whole.copy()
    np.add.at(expected, key, values)
    assert add_by_slices(whole, key, values)
    np.testing.assert_array_equal(whole, expected)
    taken = take_at(whole, key)
    np.testing.assert_array_equal(taken, expected[key])
    assert taken.dtype == whole.dtype and not np.shares_memory(taken, whole)


NO_GRIDS: list[tuple[tuple[int, ...], Any]] = [
    ((9, 8), (RNG.integers(0, 9, 400), RNG.integers(0, 8, 400))),
    ((9, 8, 4), (RNG.integers(-9, 9, 400), RNG.integers(-8, 8, 400))),
    ((60, 4), (np.append(np.arange(50), [1, 2]),)),
    ((60, 4), (np.arange(-20, 30),)),
    ((60, 8), (RNG.integers(0, 60, (20, 20)),)),
    ((300, 8), (np.add.outer(np.arange(20), np.arange(20)) + np.eye(20, dtype=int),)),
    ((200, 8), ((np.arange(400) % 256).astype(np.uint8) % 199,)),
    ((200, 8), ((np.arange(60)[:, None] + np.arange(3) * 100).astype(np.uint8) % 200,)),
    ((40, 30, 40), (np.arange(40), ALL, np.arange(40))),
    ((50, 50, 3), (WIDE + np.arange(3), WIDE + np.arange(3))),
    ((50, 50, 3), (WIDE + np.arange(3), WIDE + np.array([0, 5, 1]))),
    ((50, 50, 9), (WIDE[:, 0], WIDE[:, 0])),
    ((40, 30), (np.arange(40) > 7,)),
    ((40, 30), (Ellipsis, np.arange(30))),
    ((40, 30), (None, np.arange(30))),
    ((40, 30), (ALL, np.zeros((0, 3), int))),
    ((40, 30), (3, 4)),
    ((40, 30), (ALL, ALL)),
]


@pytest.mark.parametrize(("shape", "key"), NO_GRIDS)
def test_other_places_are_left_alone_or_added_right(shape: tuple[int, ...], key: Any) -> None:
    whole = RNG.integers(0, 9, shape).astype(float)
    values = RNG.integers(-9, 9, whole[key].shape).astype(float)
    before, expected = whole.copy(), whole.copy()
    np.add.at(expected, key, values)
    added = add_by_slices(whole, key, values)
    np.testing.assert_array_equal(whole, expected if added else before)
    if not added:
        add_at(whole, key, values)
        np.testing.assert_array_equal(whole, expected)
    np.testing.assert_array_equal(take_at(whole, key), expected[key])


def test_random_grids_are_right() -> None:
    """Sums of lines, even or not, of one to three axes of places and arrays, some not sums."""
    rng = np.random.default_rng(1)
    done = taken = 0
    for _ in range(300):
        lengths = rng.integers(1, 12, rng.integers(1, 4))
        count = int(rng.integers(1, 4))
        places = []
        for _ in range(count):
            total = np.zeros((), int)
            for axis, length in enumerate(lengths):
                line = rng.integers(-2, 3) * np.arange(length)
                line = line if rng.random() < 0.7 else rng.integers(0, 4, length)
                line = line if rng.random() < 0.6 else np.zeros(1, int)
                total = total + line.reshape(-1, *(1,) * (len(lengths) - axis - 1))
            total = total - total.min() if rng.random() < 0.8 else total
            if total.size > 3 and rng.random() < 0.1:
                total = total + (rng.random(total.shape) < 0.05)
            places.append(total)
        key = (slice(None), *places)
        shape = (int(rng.integers(1, 90)), *(int(np.abs(p).max()) + 1 for p in places), 2)
        whole = rng.integers(0, 9, shape).astype(float)
        values = rng.integers(-9, 9, whole[key].shape).astype(float)
        expected = whole.copy()
        np.add.at(expected, key, values)
        if add_by_slices(whole, key, values):
            done += 1
            np.testing.assert_array_equal(whole, expected)
        found = take_by_strides(whole, key)
        if found is not None:
            taken += 1
            np.testing.assert_array_equal(found, whole[key])
    assert done > 100 and taken > 50


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.uint64])
def test_distances_may_be_longer_than_the_dtype_of_places(dtype: type) -> None:
    """Of bytes, 128 and back are the same distance, and no even line."""
    for line in ([0, 128], [128, 0], [0, 64, 128, 192], [0, 120], [-100, -1]):
        if min(line) < np.iinfo(dtype).min or max(line) > np.iinfo(dtype).max:
            continue
        places = np.array([line * 20] * 3).astype(dtype)
        whole = RNG.integers(0, 9, (200, 2)).astype(float)
        values = RNG.integers(-9, 9, (*places.shape, 2)).astype(float)
        np.testing.assert_array_equal(take_at(whole, (places,)), whole[places])
        expected = whole.copy()
        np.add.at(expected, (places,), values)
        add_at(whole, (places,), values)
        np.testing.assert_array_equal(whole, expected)


def test_places_beyond_an_array_raise_as_ever() -> None:
    with pytest.raises(IndexError, match="index 60 is out of bounds"):
        add_at(np.zeros((60, 8)), (np.arange(61)[:, None] + np.arange(3),), np.ones((61, 3, 8)))
    with pytest.raises(IndexError, match="index 60 is out of bounds"):
        take_at(np.zeros((60, 8)), (np.arange(61)[:, None] + np.arange(3),))


def test_modules_carry_what_adds_slice_by_slice(tmp_path: Path) -> None:
    """A module without symdiff gives the same gradient of windows by places."""
    x = RNG.normal(size=(3, 30, 30))
    i = (np.arange(28)[:, None] + np.arange(3))[:, None, :, None]
    j = (np.arange(28)[:, None] + np.arange(3))[None, :, None, :]
    path = tmp_path / "windows_grad.py"
    sd.grad(windows_by_places).export(str(path), x, i, j)
    scope = runpy.run_path(str(path))
    expected = sd.grad(windows_by_places)(x, i, j)
    np.testing.assert_array_equal(scope["windows_by_places_grad"](x, i, j), expected)


def windows_by_places(x: Any, i: Any, j: Any) -> Any:
    return np.sum(np.sin(x[:, i, j]) * x[:, i, j])


def test_gradients_of_windows_by_places_are_those_of_slices() -> None:
    """The closed form: each window hands its part back to where it was taken."""
    x = RNG.normal(size=(3, 12, 11))
    i = (np.arange(10)[:, None] + np.arange(3))[:, None, :, None]
    j = (np.arange(9)[:, None] + np.arange(3))[None, :, None, :]
    slope = np.cos(x) * x + np.sin(x)
    times = np.zeros((12, 11))
    for p in range(3):
        for q in range(3):
            times[p : p + 10, q : q + 9] += 1.0
    np.testing.assert_allclose(sd.grad(windows_by_places)(x, i, j), slope * times, rtol=1e-13)


def rows_of_windows(K: Any, x: Any, i: Any, j: Any) -> Any:
    """A convolution by windows in rows, a matrix of weights."""
    rows = np.reshape(x[:, i, j], (-1, 9))
    return np.sum(np.tanh(rows @ K))


def test_windows_in_rows_are_taken_at_once_in_derivatives() -> None:
    """Beside windows that are taken slice by slice."""
    x, K = RNG.normal(size=(3, 12, 11)), RNG.normal(size=(9, 4))
    i = (np.arange(10)[:, None] + np.arange(3))[:, None, :, None]
    j = (np.arange(9)[:, None] + np.arange(3))[None, :, None, :]
    gradient = sd.grad(rows_of_windows, (0, 1))
    assert "take_at(x, (slice(None), i, j))" in str(gradient.source(K, x, i, j))
    value, found = sd.value_and_grad(rows_of_windows, (0, 1))(K, x, i, j)
    assert value == rows_of_windows(K, x, i, j)
    windows = [x[:, p : p + 10, q : q + 9] for p in range(3) for q in range(3)]
    slope = 1.0 - np.tanh(np.stack(windows, axis=-1) @ K) ** 2
    by_K = np.array([np.einsum("nij,nijk->k", window, slope) for window in windows])
    by_x, by_windows = np.zeros_like(x), slope @ K.T
    for p in range(3):
        for q in range(3):
            by_x[:, p : p + 10, q : q + 9] += by_windows[..., 3 * p + q]
    np.testing.assert_allclose(found[0], by_K, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found[1], by_x, rtol=1e-12, atol=1e-13)
    v = RNG.normal(size=K.shape)
    _, along = sd.jvp(rows_of_windows, (K, x, i, j), (v, None, None, None))
    np.testing.assert_allclose(along, np.sum(by_K * v), rtol=1e-12)


def test_the_function_itself_is_as_it_was_written() -> None:
    x, K = RNG.normal(size=(3, 12, 11)), RNG.normal(size=(9, 4))
    i, j = np.arange(3)[:, None] + np.arange(3), np.arange(3)
    assert (
        "take_at" not in str(sd.differentiable(rows_of_windows).source(K, x, i, j)).split("def")[1]
    )
