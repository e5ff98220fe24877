"""Colourings: every entry is found from some sweep alone, with as few colours as theory has it."""

from __future__ import annotations

import time

import numpy as np
import pytest

from symdiff.patterns import Pattern, coloured_columns, is_alone, star_coloured


def pattern_of(table: np.ndarray) -> Pattern:
    rows, columns = np.nonzero(table)
    counts = np.bincount(rows, minlength=table.shape[0])
    return Pattern(np.concatenate([[0], np.cumsum(counts)]), columns, table.shape[1])


def random_table(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    return random.random((height, width)) < 0.6 * random.random()


def colours_of(pattern: Pattern) -> tuple[int, int]:
    return coloured_columns(pattern).max() + 1, star_coloured(pattern).max() + 1


@pytest.mark.parametrize("seed", range(200))
def test_columns_of_one_colour_have_no_row_in_common(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random_table(random, *random.integers(1, 12, 2))
    colours = coloured_columns(pattern_of(table))
    for colour in range(colours.max() + 1):
        assert table[:, colours == colour].sum(axis=1).max() <= 1


@pytest.mark.parametrize("seed", range(400))
def test_a_star_colouring_has_no_path_of_four_columns_in_two_colours(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 9))
    table = random_table(random, size, size)
    table |= table.T
    colours = star_coloured(pattern_of(table))
    edges = [(a, b) for a, b in zip(*np.nonzero(table), strict=True) if a != b]
    assert all(colours[a] != colours[b] for a, b in edges)
    for a, b in edges:
        for c in (c for x, c in edges if x == b and c != a):
            for d in (d for x, d in edges if x == c and d not in (a, b)):
                assert len({colours[k] for k in (a, b, c, d)}) > 2


@pytest.mark.parametrize("seed", range(100))
def test_each_entry_of_a_symmetric_matrix_is_alone_in_its_row_or_across(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 15))
    table = random_table(random, size, size)
    pattern = pattern_of(table | table.T)
    alone = np.zeros((size, size), bool)
    alone[pattern.rows, pattern.columns] = is_alone(pattern, star_coloured(pattern))
    assert (alone | alone.T)[table].all()


def test_bands_have_as_many_colours_as_they_are_wide() -> None:
    size = np.arange(40)
    band = pattern_of(abs(size[:, None] - size) <= 1)
    assert colours_of(band) == (3, 3)
    assert coloured_columns(pattern_of(abs(size[:, None] - size) <= 3)).max() + 1 == 7


@pytest.mark.parametrize("hub", [0, 7, 19])
def test_an_arrow_has_two_stars(hub: int) -> None:
    arrow = np.eye(20, dtype=bool)
    arrow[hub] = arrow[:, hub] = True
    assert colours_of(pattern_of(arrow)) == (20, 2)


def test_empty_patterns_have_at_most_one_colour() -> None:
    assert len(coloured_columns(pattern_of(np.zeros((3, 0), bool)))) == 0
    assert coloured_columns(pattern_of(np.zeros((0, 3), bool))).tolist() == [0, 0, 0]
    assert star_coloured(pattern_of(np.zeros((2, 2), bool))).tolist() == [0, 0]


def test_time_grows_with_the_entries() -> None:
    def seconds(size: int) -> float:
        places = np.arange(size)
        columns = np.clip(places[:, None] + np.arange(-1, 2), 0, size - 1)
        starts = np.arange(0, 3 * size + 1, 3)
        pattern = Pattern(starts, columns.ravel(), size)
        start = time.process_time()
        coloured_columns(pattern)
        star_coloured(pattern)
        return time.process_time() - start

    assert seconds(30_000) < 30 * max(seconds(3_000), 0.005)
