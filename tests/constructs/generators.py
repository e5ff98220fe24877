"""Generators that are gone on with: ``next`` again and again, ``send``, what takes a part of one."""

import itertools

import numpy as np

from tests.constructs.settings import construct


def _powers(v, n):
    power = 1.0
    for _ in range(n):
        power = power * v
        yield power


def _waves(v):
    y = v
    while True:
        y = np.sin(y) + v
        yield y


def _taken(generator, n):
    total = 0.0
    for y in itertools.islice(generator, n):
        total = total + y
    return total


class Schedule:
    """An object that keeps a generator made by a method of its own."""

    def __init__(self, rate):
        self.rate = rate
        self.rates = self._all()

    def _all(self):
        for k in range(4):
            yield self.rate / (k + 1)

    def step(self):
        """Return the next rate."""
        return next(self.rates)


class Readings:
    """What ``__iter__`` yields is read where its turn begins."""

    def __init__(self, level):
        self.level = level

    def __iter__(self):
        for _ in range(3):
            yield self.level


@construct()
def object_changed_while_it_is_gone_over(x, c):
    readings, total = Readings(x[0]), 0.0
    for level in readings:
        total = total + level
        readings.level = readings.level * x[1]
    for k, level in enumerate(readings):
        total = total + c * k * level
        readings.level = readings.level * x[2]
    return total


@construct()
def generator_asked_again(x, c):
    powers = _powers(x[0], 4)
    first, second = next(powers), next(powers)
    return 3.0 * first + c * second + 5.0 * sum(powers) + sum(powers)


@construct()
def endless_generator_in_a_loop(x, c):
    waves, total = _waves(x[0]), 0.0
    for k in range(5):
        total = total + next(waves) * (k + 1)
    return total + c * next(waves)


@construct()
def endless_generator_in_parts(x, c):
    waves = _waves(x[0])
    first = list(itertools.islice(waves, 3))
    rest = 0.0
    for weight, wave in zip((1.0, 2.0), waves, strict=False):
        rest = rest + weight * wave
    return sum(first) + c * rest + 3.0 * _taken(waves, 2) + 7.0 * next(waves)


@construct()
def generator_left_and_gone_on_with(x, c):
    powers, total = _powers(x[0], 6), 0.0
    for k, power in enumerate(powers):
        total = total + power
        if k == 2:
            break
    for power in powers:
        total = total + c * power
    return total


@construct()
def generator_sees_what_was_written(x, c):
    a, scale = np.array([x[0], x[1]]), x[2]

    def parts():
        for k in range(2):
            yield a[k] * scale

    made = parts()
    first = next(made)
    a[1] = x[0] * x[1]
    scale = scale * c
    return first + 3.0 * next(made)


@construct()
def generator_that_is_sent_to(x, c):
    def mean():
        total, count, known = 0.0, 0, 0.0
        while True:
            value = yield known
            total, count = total + value * x[0], count + 1
            known = total / count

    means = mean()
    next(means)
    return means.send(x[1]) + c * means.send(x[2]) + 3.0 * means.send(1.0)


@construct()
def generator_sent_to_through_another(x, c):
    def inner():
        a = yield x[0]
        b = yield a * x[1]
        return a + b

    def outer():
        both = yield from inner()
        yield both * x[2]

    made = outer()
    return next(made) + c * made.send(x[1] + 1.0) + 3.0 * made.send(x[2] ** 2)


@construct()
def generator_kept_by_an_object(x, c):
    schedule = Schedule(x[0])
    return schedule.step() + c * schedule.step() + 3.0 * schedule.step()


@construct()
def generator_advanced_on_one_path(x, c):
    powers, first = _powers(x[0], 5), c
    if x[1] > 0.1:
        first = next(powers)
    return first + 3.0 * next(powers)


@construct()
def generator_of_a_tree(x, c):
    def along(n):
        if n > 0:
            yield from along(n - 1)
            yield x[0] ** n
            yield from along(n - 1)

    nodes, total = along(3), 0.0
    for _ in range(7):
        total = c * total + next(nodes)
    return total


@construct()
def end_of_a_generator(x, c):
    powers, total = _powers(x[0], 2), 0.0
    for _ in range(3):
        try:
            total = total + next(powers)
        except StopIteration:
            total = total * c
    return total + next(powers, x[1])


@construct()
def generators_beside_one_another(x, c):
    seen = []

    def noted(v, n):
        for power in _powers(v, n):
            seen.append(power)
            yield power
        seen.append(c)

    y = sum(a * b for a, b in zip(noted(x[0], 2), noted(x[1], 3), strict=False))
    y = y + sum(a * b for a, b in zip(noted(x[0], 3), noted(x[1], 2), strict=False))
    try:
        for a, b in zip(_powers(x[0], 2), _powers(x[1], 3), strict=True):
            y = y + a * b
    except ValueError as error:
        y = y * c + len(str(error))
    powers = _powers(x[2], 5)
    for a, b in zip(powers, powers, strict=False):
        y = 0.5 * y + a * np.sin(b)
    for a, b in itertools.zip_longest(_powers(x[3], 2), _powers(x[4], 3), fillvalue=c):
        y = 0.5 * y + a * b
    return y + sum(v * (k + 1) for k, v in enumerate(seen))


@construct()
def iterators_made_of_generators(x, c):
    changed = [x[0], x[1]]

    def lazily():
        yield changed[0]

    chained = itertools.chain(lazily(), lazily(), _powers(x[1], 2))
    y = next(chained)
    changed[0] = x[2]
    for v in chained:
        y = 0.5 * y + v
    y = y + sum(itertools.chain.from_iterable(_powers(x[k], k + 1) for k in range(3)))
    for total in itertools.accumulate(_powers(x[0], 3), lambda a, b: a * c + b, initial=x[3]):
        y = 0.3 * y + total
    again = itertools.cycle(_powers(x[1], 2))
    for k in range(5):
        y = 0.5 * y + next(again) * (k + 1)
    for a, b in itertools.pairwise(_powers(x[4], 4)):
        y = y + (b - a) ** 2
    for v in map(lambda a, b: a * b, _powers(x[0], 3), _waves(x[1])):
        y = 0.5 * y + v
    powers = _powers(x[5], 9)
    return y + sum(itertools.islice(powers, 1, 6, 2)) * next(powers)


@construct()
def iterators_that_share_what_they_are_given(x, c):
    powers = _powers(x[0], 5)
    next(powers)
    one, other, third = itertools.tee(powers, 3)
    y = next(one) * next(one)
    for a, b in zip(other, one, strict=False):
        y = y * c + a * b
    items = [x[1], x[2], x[3]]
    first, second = itertools.tee(items)
    y = y + next(first)
    items[1] = x[4]
    return y * next(second) + next(first) * sum(third)


@construct()
def groups_of_what_follows_one_another(x, c):
    names, y = ["a", "a", "b", "a"], c
    for name, pairs in itertools.groupby(zip(names, x, strict=False), key=lambda pair: pair[0]):
        values = [value for _, value in pairs]
        y = 0.5 * y + sum(values) ** 2 * (2 if name == "b" else 1)
    for key, group in itertools.groupby([1, 1, 1, 2, 3, 3]):
        y = y * x[key] + next(group) * c
    groups = itertools.groupby("aab")
    (_, left), (_, last) = next(groups), next(groups)
    return y + len(list(left)) * x[0] + len(list(last)) * x[1]


@construct()
def asked_as_long_as_there_are_more(x, c):
    powers, y = _powers(x[0], 4), c
    while (power := next(powers, None)) is not None:
        y = y * x[1] + power
    counts = (k for k in [1, 2, 3])
    return y * (x[2] if 2 in counts else x[3]) + (5 in (k for k in [1, 2])) * x[4]


@construct()
def pairs_of_one_iterator(x, c):
    both = [iter(x)] * 2
    return sum(a * b for a, b in zip(*both, strict=False)) * c


@construct()
def calls_until_a_sentinel(x, c):
    state, y = [x[0]], 0.0

    def halved():
        state[0] = state[0] / 2.0
        return max(state[0], 0.05)

    for step in iter(halved, 0.05):
        y = y + step * c
    for k in range(2):
        items = [x[1], "end", x[2] * k, x[3]]
        y = y * c + sum(iter(items.pop, "end")) * len(items)
    given = iter([x[1], c, x[4]])
    return y + sum(v**2 for v in iter(lambda: next(given), None)) * x[5]


@construct()
def iterators_gone_over_in_parts(x, c):
    items = iter(x)
    y = next(items) * c
    for value in items:
        y = y + value**2
        if y > 2.0:
            break
    for k, value in enumerate(items):
        if k == 1:
            break
        y = y * value
    squares = (value * value for value in x)
    y = y + sum(itertools.islice(squares, 2)) * sum(itertools.islice(squares, 2))
    return y + next(squares) + sum(squares) * sum(squares) + sum(items) * c


@construct()
def portions_of_an_iterator(x, c):
    items, y = iter(x), 0.0
    while portion := list(itertools.islice(items, 4)):
        y = y + portion[0] * sum(portion) * len(portion)
    words = iter(["+", 0, "*", 1, "+", 2])
    for word in words:
        value = x[next(words)]
        y = y + value if word == "+" else y * value * c
    return y
