"""Iterators made of others: ``zip``, ``map``, ``enumerate``, ``reversed`` and ``itertools``."""

import itertools
import operator

import numpy as np

from tests.programs.registry import program

X = np.array([0.4, -1.1, 0.7, 1.6, -0.3, 0.9])
GRID = np.array([[0.3, -0.8, 1.2, 0.5], [1.1, 0.6, -0.4, 0.9], [-0.7, 0.2, 0.8, -1.3]])


@program(args=(GRID, 0.7), wrt=(0, 1))
def sum_over_a_product_of_indices(a, scale):
    total = 0.0
    for i, j, k in itertools.product(range(2), range(3), range(2)):
        total += a[i, j] * a[j, k] * scale * (1 + k)
    for factor, value in itertools.product([1.0, 2.0], a[0]):
        total += np.sin(factor * value)
    for i, j in itertools.product(range(2), repeat=2):
        total += a[i, j] ** 2 * (i + 1)
    return total


@program(args=(GRID,))
def every_cell_by_product(a):
    rows, columns = a.shape
    made = np.zeros((rows, columns))
    for i, j in itertools.product(range(rows), range(columns)):
        made[i, j] = a[i, j] * a[i, j - 1] + i
    return np.sum(made * a)


@program(args=(GRID[:, :2],))
def pairs_of_particles(positions):
    energy = 0.0
    for p, q in itertools.combinations(positions, 2):
        energy += 1 / (1 + np.sum((p - q) ** 2))
    for i, j in itertools.combinations_with_replacement(range(3), 2):
        energy += positions[i, 0] * positions[j, 1]
    for i, j, k in itertools.permutations(range(3)):
        energy += positions[i, 0] * positions[j, 1] * positions[k, 0] * (1 + i)
    for i, j in itertools.permutations(range(3), r=2):
        energy += positions[i, 0] ** 2 * positions[j, 1]
    return energy


@program(args=(X,))
def neighbours_and_parts(x):
    total = 0.0
    for left, right in itertools.pairwise(x):
        total += left * right
    for value in itertools.chain(x[:2], [x[3], 2.0], x[4:]):
        total += np.sin(value) * value
    for value in itertools.chain.from_iterable([[x[0], x[1]], (x[2],)]):
        total *= 1 + value * 0.1
    for k, value in enumerate(itertools.islice(x, 1, 5, 2)):
        total += k * value**2
    for value in itertools.islice(x, 2):
        total += value**3
    for left, right in itertools.zip_longest([x[0], x[1]], [x[2]], fillvalue=3.0):
        total += left * right
    return total


@program(args=(X,))
def running_totals(x):
    products = list(itertools.accumulate(x, operator.mul))
    sums = list(itertools.accumulate([x[0], x[1], x[2]], initial=1.0))
    total = sum(itertools.starmap(operator.mul, [(x[0], x[1]), (x[2], x[3])]))
    total += sum(itertools.starmap(lambda a, b: np.sin(a) * b, zip(x, x[1:])))
    return total + products[-1] * sums[-1] + sums[2] ** 2


@program(args=(X, 0.9), wrt=(0, 1))
def iterators_without_an_end(x, a):
    total = a
    for k in itertools.count(1):
        total = total * 0.5 + x[0] / k
        if abs(total) < 0.3 or k > 20:
            break
    for k, value in zip(itertools.count(2, 3), x):
        total += k * value**2
    for value, sign in zip(x, itertools.cycle([1.0, -1.0, a])):
        total += sign * np.sin(value)
    for value, factor in zip(x, itertools.repeat(a)):
        total += factor * value
    for factor in itertools.repeat(a, 3):
        total *= factor
    for i in itertools.count():
        if i == len(x):
            break
        total += x[i] ** 3
    return total


@program(args=(X,))
def lists_that_grow_while_they_are_gone_over(x):
    found, total = [x[0]], 0.0
    for value, weight in zip(found, [1.0, 2.0, 3.0]):
        total += value * weight
        found.append(value * x[1])
    for value in map(lambda v: v**2, found):
        total += value
        if len(found) < 6:
            found.append(value * x[2])
    return total


@program(args=(X, X[::-1].copy()), wrt=(0, 1))
def side_by_side_strictly(x, y):
    total = 0.0
    for left, right in zip(x, y, strict=True):
        total += left * right
    for left, right in zip([x[0], x[1]], (1.0, 2.0), strict=True):
        total += left * right
    return total


@program(args=(X, 0.8), also=[(-X, 0.8), (X[:1], 0.8), (X[1:2], 0.8)], wrt=(0, 1))
def items_beside_a_computed_number_of_rows(x, a):
    kept, total, last = x[x > 0], a, a
    for k, (v, item) in enumerate(zip(kept, [a, x, 2.0, x * a])):
        total = total + (1 + k) * v**2 * np.sum(item * a)
        last = item
    total += sum(np.sum(item) * v for item, v in zip((x, a), kept))
    total += sum(map(lambda item, v: np.sum(item) ** 2 * v, (x, a, x), kept))
    made = [np.sum(item) * v for v, item in zip(kept, (x, a, 3.0))]
    for v in reversed(made):
        total = total * (1 + 0.1 * v)
    numbered = dict(zip((0, 1), kept))
    for v, w in numbered.items():
        total += v * w**3
    return total * np.sum(last)


@program(args=(X, 0.8), also=[(X[::-1].copy(), 0.8), (-X, 0.8), (X[1:2], 0.8)], wrt=(0, 1))
def items_beside_rows_until_one_is_large(x, a):
    kept, total = x[x > 0], a
    for item, v in zip([x, a, x[:1], 3.0], kept):
        if v > 1.5:
            total *= 2
            continue
        if v > 0.8:
            break
        total = total + v * np.sum(item) * total
    else:
        total = total * a
    for v, item in zip(kept, (a, x)):
        if v < 0.5:
            return total * np.sum(item * v)
    return total


@program(args=(X, 0.8), also=[(3 * X, 0.8), (0.1 * X, 0.8)], wrt=(0, 1))
def items_beside_a_list_of_unknown_length(x, a):
    rows = []
    while np.sum(x * x) > 0.5:
        rows.append(x)
        x = 0.6 * x
    total, row = a, x
    for row, (weight, other) in zip(rows, [(1.0, a), (2.0, x), (a, 3)]):
        total = total + weight * np.sum(row * other) * total
    while total < 9:
        for v, item in zip(x[x > 0], [a, x, 2.0]):
            total = total + 1 + v * np.sum(item)
            if total > 5:
                break
        total = total + 1 + v * a
    return total * np.sum(row)


@program(args=(X, 0.8), also=[(-X, 0.8), (X[:1], 0.8), (X[1:2], 0.8)], wrt=(0, 1))
def iterators_over_items_beside_rows(x, a):
    kept, items, total = x[x > 0], [a, x], a
    pairs = zip(kept, [a, x, x * x])
    v, item = next(pairs, (1.0, 2.0 * a))
    for w, other in pairs:
        total = total + v * w * np.sum(item * other)
    for (v, item), w in zip(zip(kept, [a, x, x]), itertools.islice(kept, 1, 9)):
        total = total + v * np.sum(item) * w
    for v, item in itertools.islice(zip(kept, [a, x, x]), 1, 9):
        total = total + v * np.sum(item)
    for (v, item), (w, other) in itertools.pairwise(zip(kept, [a, x, x])):
        total = total + v * np.sum(other) * w
    total += max(map(lambda v, item: v * np.sum(item), kept, [a, x, x * x]), default=a)
    for v, item in zip(kept, items):
        if len(items) < 4:
            items.append(item * 2)
        items[0] = x
        total = total + v * np.sum(item * items[0])
    parts = np.zeros(3)
    for v, part in zip(kept, [parts[:1], parts[1:]]):
        part += v * a
    return total * len(items) + np.sum(parts * parts)


@program(args=(X,))
def items_beside_slices_that_grow(x):
    total = 0.0
    for k in range(len(x)):
        for v, item in zip(x[:k], [2.0, x]):
            total = total + v * np.sum(item * item)
    return total


@program(args=(X,))
def maps_of_what_a_condition_leaves(x):
    total = sum(map(lambda v: v**3, filter(lambda v: v > 0, x)))
    total += sum(map(np.sin, (v * 2 for v in x if v < 0.5)))
    return total + x[0] * sum(map(lambda v: v**2, filter(None, [1.0, 0.0, 2.0])))


@program(args=(X, 0.8), also=[(-X, 0.8), (X[1:2], 0.8)], wrt=(0, 1))
def to_the_longest_of_rows_counted_at_run_time(x, a):
    kept, others, total, items = x[x > 0], x[x < 0], a, [a, x]
    for v, w in itertools.zip_longest(kept, [a, 2.0, 3.0], fillvalue=0.5):
        total = total + v * w * total
    for k, (v, w) in enumerate(itertools.zip_longest(kept, others, fillvalue=a)):
        total = total + v * w * a + k
    for v, item in itertools.zip_longest(items, [x, a, 1.0], fillvalue=0.5):
        total = total + np.sum(v * item)
        items[1] = a
        if len(items) < 5:
            items.append(a * v)
    return total
