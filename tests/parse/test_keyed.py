"""Dicts and sets with keys that are known at run time only: what is refused, and edges.

That they are followed is tested by ``tests.constructs.keys``.
"""

import math
import time
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import SymdiffError, UnsupportedCallError, UnsupportedSyntaxError
from tests.parse.following import follows

MEMORY: dict[float, float] = {}


def slope(function, x, *others):
    """The derivative in both modes, and by differences of what Python computes."""
    step = 1e-5
    rise = function(x + step, *others) - function(x - step, *others)
    _, forward = sd.jvp(function, (x, *others), (1.0, *(None for _ in others)))
    assert math.isclose(rise / (2 * step), forward, rel_tol=1e-7, abs_tol=1e-9)
    assert math.isclose(sd.grad(function)(x, *others), forward, rel_tol=1e-12)
    return forward


def test_equal_keys_are_one_whatever_their_class() -> None:
    def mixed(x):
        held = {1: x, 0.0: x}
        held[x] = x * x
        held[int(x) * True] = held[int(x)] * 3.0
        held[-0.0 * x] = x**3
        return sum(key * value for key, value in held.items()) * len(held) + held[0]

    slope(mixed, 1.3)


def test_a_nan_is_found_as_the_same_object_only() -> None:
    def by_nan(x):
        nan = x * math.inf - x * math.inf
        held = {nan: x}
        held[nan] = held.get(nan, 0.0) + x * x
        return sum(held.values()) + len(held) * x

    slope(by_nan, 1.3)


def test_a_dict_that_changes_its_size_while_it_is_gone_over() -> None:
    def grown(x):
        held = {x: 1.0}
        for key in held:
            held[2.0 * key] = x
        return x

    def caught(x):
        try:
            return grown(x)
        except RuntimeError:
            return x**2

    with pytest.raises(RuntimeError, match="changed size during iteration"):
        sd.grad(grown)(1.3)
    slope(caught, 1.3)


def test_a_view_shows_what_comes_later() -> None:
    def seen(x):
        held = OrderedDict([(x, 1.0)])
        keys, before = held.keys(), len(held)
        held[2 * x] = x
        return x ** len(keys) + before * x * (2 * x in keys)

    slope(seen, 1.3)


def test_keys_are_empty_and_lists_of_any_length() -> None:
    def counted(x, n):
        held, seen = {}, set()
        for k in range(n):
            held[x * k % 1.1] = x * k
            seen.add(round(x * k))
        return sum(held.values()) * (1 + len(held)) + sum(sorted(seen)) * x

    for n in (0, 1, 7):
        slope(counted, 1.23, n)


def test_no_key_is_no_key() -> None:
    def by_array(x):
        try:
            return {x: 1.0}[np.asarray(x)]
        except TypeError:
            return x * x

    slope(by_array, 1.3)


def test_a_count_of_no_positive_number_is_left_out() -> None:
    def joined(x):
        ours = Counter(int(k * x) for k in range(4))
        theirs = Counter({1: 5, 9: 1})
        parts = (ours + theirs, theirs - ours, ours & theirs, theirs | ours)
        return sum(part.total() * len(part) * x**k for k, part in enumerate(parts))

    slope(joined, 1.3)


def counters(x):
    ours, theirs = Counter(), Counter()
    for key, count in ((x, 3.0 * x), (2.0 * x, 1.0), (5.0 * x, -x)):
        ours[key] = count
    for key, count in ((x, x * x), (3.0 * x, x)):
        theirs[key] = count
    return ours, theirs


def added_in_place(x):
    ours, theirs = counters(x)
    other = ours
    ours += theirs
    return other.total() * x + len(other)


def taken_in_place(x):
    ours, theirs = counters(x)
    other = ours
    ours -= theirs
    return other.total() * x + len(other)


def joined_in_place(x):
    ours, theirs = counters(x)
    other = ours
    ours |= theirs
    return other.total() * x + len(other)


def met_in_place(x):
    ours, theirs = counters(x)
    other = ours
    ours &= theirs
    return other.total() * x + len(other)


def with_itself(x):
    ours, _ = counters(x)
    ours += ours
    return ours.total() * x


def signed(x):
    ours, _ = counters(x)
    return (+ours).total() * x + (-ours).total() * x**3 + len(ours)


def none_of_the_most_common(x):
    ours, _ = counters(x)
    return x * x + sum(count for _, count in ours.most_common(-1))


@pytest.mark.parametrize(
    ("function", "expected"),
    [  # at 2: of sums of what is counted, times x
        (added_in_place, 29.0),  # (4x + 1 + x**2) x: -x is left out
        (taken_in_place, 1.0),  # (3x - x**2 + 1) x
        (joined_in_place, 17.0),  # (3x + 1 + x) x
        (met_in_place, 12.0),  # x**2 x
        (with_itself, 26.0),  # (6x + 2) x
        (signed, 45.0),  # (3x + 1) x + x x**3
        (none_of_the_most_common, 4.0),
    ],
)
def test_counters_are_changed_in_place_under_all_their_names(function, expected) -> None:
    assert slope(function, 2.0) == pytest.approx(expected, rel=1e-12)
    _, curvature = sd.jvp(sd.grad(function), (2.0,), (1.0,))
    step = 1e-4
    rise = function(2.0 + step) - 2.0 * function(2.0) + function(2.0 - step)
    assert curvature == pytest.approx(rise / step**2, rel=1e-6)


def changed_by_a_dict(x):
    counts = Counter()
    counts[x] = x
    counts += {x: x}
    return counts.total()


def below(x):
    return x * (Counter([x]) <= Counter([x, x]))


def known_before_unknown(x):
    return sum(({1: x} | {x: x}).values())


def keys_in_both(x):
    return x * len({x: x}.keys() & {x: 1.0})


def ored_with_pairs(x):
    try:
        return sum(({x: x} | [(x, 1.0)]).values())
    except TypeError:
        return x**3


def test_a_dict_is_joined_to_dicts_only() -> None:
    assert slope(ored_with_pairs, 2.0) == pytest.approx(12.0)


def single(x):
    return {np.float32(x): x}[np.float32(x)]


def compared(x):
    return x * ({x: 1.0} == {x: 1.0})


def returned(x):
    return {x: x * x}


def spread(x):
    return max(1.0, **{f"{x:.0f}": x})


def in_order_of_a_set(x):
    return sum({int(x), int(2 * x)}) * x


def texts_and_numbers(x):
    held = {}
    for k in (x, f"{x:.0f}", 2 * x):
        held[k] = held.get(k, 0.0) + x
    return sum(held.values())


def made_outside(x):
    if x not in MEMORY:
        MEMORY[x] = x * x
    return MEMORY[x]


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (single, "float32 beside keys known at run time only"),
        (compared, "a comparison of dicts"),
        (returned, "returns a dict whose keys are known at run time only"),
        (spread, "of a dict with keys that are known at run time only"),
        (in_order_of_a_set, "the order of a set"),
        (texts_and_numbers, "list of items that are unlike: float in one branch, opaque"),
        (made_outside, "structure depends on 'x'"),
        (changed_by_a_dict, "changed by what is none"),
        (below, "'__le__' of a keyed_counter"),
        (known_before_unknown, "'__ror__' of a keyed_dict"),
        (keys_in_both, "taken as a set"),
    ],
)
def test_what_is_not_followed_is_refused(function, told: str) -> None:
    for transform in (sd.grad, sd.jacobian):
        with pytest.raises(SymdiffError, match=told) as raised:
            transform(function)(1.3)
        assert isinstance(raised.value, UnsupportedSyntaxError | UnsupportedCallError)
        assert raised.value.span is not None
    assert not MEMORY


def test_what_makes_what_it_does_not_have_is_asked() -> None:
    def counted(x):
        return x * Counter({1: 2, 9: 1})[int(x)] + x

    def by_default(x):
        held = defaultdict(lambda: 3.0 * x, {1: 2.0 * x})
        return held[int(x)] * held[int(5 * x)] + len(held) * x

    for x in (1.3, 7.3):
        slope(counted, x)
        slope(by_default, x)


def test_keys_that_a_loop_counts_are_known() -> None:
    def by_number(x, n):
        powers, k = {}, 0
        while k < n:
            powers[k] = x**k
            k += 1
        return powers

    def by_text(x):
        return {f"c{k}": v * v for k, v in enumerate(x)}

    value, tangent = sd.jvp(by_number, (1.5, 3), (1.0, None))
    assert value == {0: 1.0, 1: 1.5, 2: 2.25}
    assert tangent == {0: 0.0, 1: 1.0, 2: 3.0}
    value, tangent = sd.jvp(by_text, (np.arange(3.0),), (np.ones(3),))
    assert value == {"c0": 0.0, "c1": 1.0, "c2": 4.0}
    assert tangent == {"c0": 0.0, "c1": 2.0, "c2": 4.0}


def test_lists_of_two_lengths_that_a_recursion_gives_are_refused() -> None:
    def halves(a, b):
        if b - a < 0.4:
            return [(a + b) / 2]
        return halves(a, (a + b) / 2) + halves((a + b) / 2, b)

    with pytest.raises(UnsupportedCallError, match="results differ in structure"):
        sd.grad(lambda x: sum(v * v for v in halves(0.0, x)))(2.3)


def test_one_program_serves_all_numbers_of_keys() -> None:
    def histogram(x):
        bins = {}
        for v in x:
            place = math.floor(2.0 * v)
            bins[place] = bins.get(place, 0.0) + v * v
        total = 0.0
        for place in sorted(bins, key=lambda place: -place):
            total = 0.5 * total + bins[place] ** 2
        return total

    gradient = sd.grad(histogram)
    for n in (1, 4, 9):
        x = np.linspace(0.13, 2.9, n)
        step = np.eye(n) * 1e-6
        rise = [(histogram(x + one) - histogram(x - one)) / 2e-6 for one in step]
        np.testing.assert_allclose(gradient(x), rise, rtol=1e-7, atol=1e-8)
    assert len(gradient.signatures()) <= 2  # one for arrays of one element


def with_keys(count: int):
    lines = [f"    held[x * {k}.0] = held.get(x * {k // 2}.0, 0.0) + x" for k in range(count)]
    text = "\n".join(["def f(x):", "    held = {}", *lines, "    return sum(held.values())"])
    return text


def test_keys_are_found_in_a_time_that_grows_with_their_number(tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    times = []
    for count in (10, 40):
        (tmp_path / f"keys_{count}.py").write_text(with_keys(count))
        module = __import__(f"keys_{count}")
        start = time.perf_counter()
        sd.grad(module.f)(1.3)
        times.append(time.perf_counter() - start)
    assert times[1] < 4 * 3 * times[0]


def by_an_index(x, n):
    return {i: x[i] * x[i] for i in range(n)}


def by_an_index_but_one(x, n):
    return {i: x[i] * n for i in range(3) if i != 1}


def filled_by_an_index(x, n):
    found = {}
    for i in range(len(x)):
        found[i + n] = x[i]
    return found, n


@pytest.mark.parametrize("f", [by_an_index, by_an_index_but_one, filled_by_an_index])
def test_a_dict_whose_keys_can_be_fixed_is_returned(f):
    follows(f, (np.array([0.5, 2.0, 1.5]), 2), (np.array([0.5, 2.0, 1.5]), 3))
