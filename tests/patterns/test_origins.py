"""The graph of single elements, against sets that are united one by one."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from symdiff.patterns import Origins, Pattern, TooManyPlaces


def rows_of(pattern: Pattern) -> list[set[int]]:
    starts, columns = pattern.starts, pattern.columns
    return [set(columns[a:b].tolist()) for a, b in itertools.pairwise(starts)]


@pytest.mark.parametrize("seed", range(60))
def test_random_unions_are_those_of_sets(seed: int) -> None:
    random = np.random.default_rng(seed)
    origins = Origins(6)
    arrays = [origins.inputs(), np.zeros(6, int)]
    sets: list[list[set[int]]] = [[{k} for k in range(6)], [set() for _ in range(6)]]
    for _ in range(12):
        a, b = random.integers(len(arrays), size=2)
        if random.random() < 0.3:  # a single element
            i, j = random.integers(6, size=2)
            made = np.array(arrays[a])
            made[i] = origins.united(arrays[a][i], arrays[b][j])
            united = [set(row) for row in sets[a]]
            united[i] = sets[a][i] | sets[b][j]
        elif random.random() < 0.3:  # several at one place
            places = random.integers(6, size=6)
            made = origins.gathered(arrays[a], places, 6)
            united = [set() for _ in range(6)]
            for place, row in zip(places, sets[a], strict=True):
                united[place] |= row
        else:
            shift = int(random.integers(6))
            made = origins.united(arrays[a], np.roll(arrays[b], shift))
            united = [x | sets[b][(k - shift) % 6] for k, x in enumerate(sets[a])]
        arrays.append(made)
        sets.append(united)
    wanted = random.integers(len(arrays), size=3)
    found = origins.pattern(np.stack([arrays[k] for k in wanted]))
    assert rows_of(found) == [row for k in wanted for row in sets[k]]
    assert all((np.diff(found.columns[a:b]) > 0).all() for a, b in itertools.pairwise(found.starts))


def test_reductions_and_running_unions() -> None:
    origins = Origins(6)
    ids = origins.inputs().reshape(2, 3)
    assert rows_of(origins.pattern(origins.united_along(ids))) == [{0, 1, 2}, {3, 4, 5}]
    running = origins.running(ids)
    assert rows_of(origins.pattern(running[1])) == [{3}, {3, 4}, {3, 4, 5}]
    assert origins.united_along(ids[:, :0]).tolist() == [0, 0]
    assert rows_of(origins.pattern(origins.all_of([ids, ids[0]]))) == [set(range(6))]


def test_nothing_of_nothing() -> None:
    origins = Origins(0)
    found = origins.pattern(np.zeros(3, int))
    assert (found.height, found.width, len(found.columns)) == (3, 0, 0)
    assert Origins(3).pattern(np.zeros(0, int)).height == 0


def test_transposed_and_symmetric() -> None:
    origins = Origins(3)
    ids = origins.inputs()
    lower = origins.pattern(origins.running(ids))
    assert rows_of(lower.transposed()) == [{0, 1, 2}, {1, 2}, {2}]
    assert not lower.is_symmetric
    assert origins.pattern(ids).is_symmetric


def test_a_pattern_that_would_not_fit_is_told() -> None:
    origins = Origins(100)
    everything = np.broadcast_to(origins.all_of([origins.inputs()]), 100)
    with pytest.raises(TooManyPlaces):
        origins.pattern(everything, most=5_000)


def test_a_sum_of_elements_one_by_one_takes_time_in_proportion() -> None:
    def seconds(count: int) -> float:
        start = time.process_time()
        origins = Origins(count)
        total = np.zeros((), int)
        for element in origins.inputs():
            total = origins.united(total, np.asarray(element))
        assert len(origins.pattern(total).columns) == count
        return time.process_time() - start

    seconds(100)
    assert seconds(30_000) < 30 * max(seconds(3_000), 0.01)
