"""Samples in other orders, as ``scipy.stats.permutation_test`` takes them: which orders these are
has no derivative, statistics move with the data.
"""

from itertools import combinations, permutations, product
from math import comb, factorial, prod
from types import ModuleType

import numpy as np

from symdiff.definitions.declare import defines_inside
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed


def of_independent(data, statistic, n_permutations, batch, rng=None, *, xp):
    """The statistic of observations that change between samples, by all or by drawn orders."""
    sizes = np.array([sample.shape[-1] for sample in data])
    joined, ends = np.concatenate(data, axis=-1), np.cumsum(sizes)
    starts = ends - sizes
    count = joined.shape[-1]
    total = computed(np.zeros(1), _count_of_partitions, sizes)[0]

    def split(orders):
        taken = np.moveaxis(joined[..., orders], -2, 0)
        parts = [taken[..., starts[k] : ends[k]] for k in range(len(data))]
        return statistic(*parts, axis=-1)

    if n_permutations >= total:
        orders = computed(np.zeros((int(total), count)), _partitions, sizes).astype(np.int64)
        return _of_all(split, orders, batch), int(total), True

    def drawn(size):
        _require_seeded(rng)
        return np.stack([rng.permutation(count) for _ in range(size)])

    return _of_drawn(split, drawn, n_permutations, batch), n_permutations, False


def of_pairings(data, statistic, n_permutations, batch, rng=None, *, xp):
    """The statistic of samples whose observations are in other orders, each in one of its own."""
    samples, count = len(data), data[0].shape[-1]
    total = computed(np.zeros(1), _count_of_pairings, count, samples)[0]

    def ordered(orders):
        parts = [np.moveaxis(data[k][..., orders[:, k]], -2, 0) for k in range(samples)]
        return statistic(*parts, axis=-1)

    if n_permutations >= total:
        like = np.zeros((int(total), samples, count))
        orders = computed(like, _pairings, count, samples).astype(np.int64)
        return _of_all(ordered, orders, batch), int(total), True
    size = n_permutations if batch is None else min(batch, n_permutations)
    places = np.broadcast_to(np.arange(count), (size, samples, count))

    def drawn(wanted):
        _require_seeded(rng)
        if not hasattr(rng, "permuted"):
            return np.argsort(rng.random(size=(wanted, samples, count)), axis=-1)
        return rng.permuted(places, axis=-1)[:wanted]

    return _of_drawn(ordered, drawn, n_permutations, batch), n_permutations, False


def _require_seeded(rng):
    if rng is np.random.mtrand._rand:
        raise NotImplementedError("orders drawn from NumPy's own generator (give a seed as rng=)")


def _of_all(statistic, orders, batch):
    """The statistic of each order, of so many at once."""
    if batch is None:
        return statistic(orders)
    found = [statistic(orders[k : k + batch]) for k in range(0, len(orders), batch)]
    return np.concatenate(found, axis=0)


def _of_drawn(statistic, drawn, count, batch):
    """The statistic of orders that are drawn, of so many at once."""
    if batch is None:
        return statistic(drawn(count))
    found = [statistic(drawn(min(batch, count - k))) for k in range(0, count, batch)]
    return np.concatenate(found, axis=0)


# Orders -------------------------------------------------------------------------------------------


_MANY = 2**1000  # more than anybody draws


def _count_of_partitions(sizes):
    ends = np.cumsum(sizes).tolist()
    return np.array([float(min(prod(map(comb, ends, sizes.tolist())), _MANY))])


def _count_of_pairings(count, samples):
    return np.array([float(min(factorial(int(count)) ** int(samples), _MANY))])


def _partitions(sizes):
    """All orders of the observations that put others into a sample, in SciPy's order."""
    return np.array(list(_partitioned(set(range(sum(sizes))), sizes)), dtype=float)


def _partitioned(places, sizes):
    if not len(sizes):
        yield list(places)
        return
    for chosen in combinations(places, sizes[0]):
        first = set(chosen)
        for rest in _partitioned(places - first, sizes[1:]):
            yield [*first, *rest]


def _pairings(count, samples):
    orders = permutations(range(int(count)))
    return np.array(list(product(orders, repeat=int(samples))), dtype=float)


@when_imported("scipy.stats._resampling")
def register(resampling: ModuleType) -> None:
    """Say what is computed of the orders."""
    defines_inside(resampling._calculate_null_both, of_independent)
    defines_inside(resampling._calculate_null_pairings, of_pairings)
