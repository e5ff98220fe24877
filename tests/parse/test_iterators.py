"""Iterators: gone over in place, element by element, once; and what is left after ``next``."""

import itertools
from contextlib import nullcontext

import numpy as np
import pytest

import symdiff
from symdiff.errors import UnsupportedSyntaxError
from tests.parse.following import follows
from tests.reference import directional, second_directional

ARRAYS = [np.array([1.0, -2.0, 5.0]), np.array([-1.0, -2.0]), np.array([3.0]), np.zeros(0)]


def reads_what_the_body_writes(x, a):
    b, s = a.copy(), 0.0
    for v in (b[i] * x for i in range(len(a))):
        s += v
        b[:] = s
    return s


def reads_a_name_that_the_body_binds(x, a):
    s = 0.0
    for v in (a[i] * x for i in range(len(a)) if a[i] > 0):
        s += v
        x = 2 * x
    return s


def beside_another(x, a):
    b, s = a.copy(), 0.0
    for k, (v, w) in enumerate(zip((t * x for t in b), a)):  # noqa: B905
        s += v * w * k
        b[:] = s
    return s


def stops_before_an_error(x):
    s = 0.0
    for v in (x / (1 - k) for k in range(3)):
        s += v
        break
    return s


def breaks_out_of_two_loops(x, a):
    s = 0 * x
    for v in (i * j * x for i in range(3) for j in range(i) if j != 1):
        if v > 1.5 * x:
            break
        s += v + 1
    else:
        s = s - 100
    for v in (t for t in a if t > 0):
        if v > 4:
            continue
        s += v * x
    else:
        s += 7
    return s


def returns_from_within(x, a):
    for v in (t for t in a if t < 0):
        for w in (2 * t for t in a if t > 0):
            if w > 3:
                return v * w * x
            if w > 1:
                break
    return x


def total(items, most):
    s = 0.0
    for v in items:
        if v > most:
            return s
        s = s + v
    return s


def gone_over_by_a_callee(x, a):
    return total((t * x for t in a if t > 0), 10.0) + total((t * x for t in a), 1.0)


def filtered(x, a):
    kept = [1, 2, 3]
    s = sum(filter(lambda v: v > x, a))
    for k in filter(lambda k: k > 1, kept):
        s += k * x
        kept[2] = 0
    return s


def two_by_next(x, a):
    g = (t * x for t in a)
    return next(g) * next(g)


def the_rest_is_summed(x, a):
    g = map(np.negative, a * x)
    first = next(g)
    return first - sum(g)


def the_rest_of_an_array(x, a):
    rest = iter(a)
    s = next(rest, x)
    for v in rest:
        s = s * v + x
    return s


def the_rest_of_a_list(x, a):
    items = enumerate([x, 2 * x, a.sum()])
    _, s = next(items)
    for k, v in items:
        s += k * v
    return s


def next_in_a_loop(x, a):
    g, s = (t * x for t in a), 0 * x
    for _ in range(2):
        s = s * 2 + next(g, x)
    return s


def next_on_a_path(x, a):
    g, s = (t * x for t in a), 0 * x
    if x > 0.6:
        s = next(g)
    return s * 3 + sum(g)


def empty_ranges(x):
    n = int(x)
    return bool(range(5, 0)), bool(range(n)), bool(range(n, 0, -1)), bool(range(0, n, -1))


@pytest.mark.parametrize(
    "function",
    [
        reads_what_the_body_writes,
        reads_a_name_that_the_body_binds,
        beside_another,
        breaks_out_of_two_loops,
        returns_from_within,
        gone_over_by_a_callee,
        filtered,
        two_by_next,
        the_rest_is_summed,
        the_rest_of_an_array,
        the_rest_of_a_list,
        next_in_a_loop,
        next_on_a_path,
    ],
    ids=lambda f: f.__name__,
)
def test_elements_are_made_when_they_are_asked_for(function):
    follows(function, *((x, array) for x in (0.5, 0.75) for array in ARRAYS))


def test_elements_that_are_not_asked_for_are_not_made():
    follows(stops_before_an_error, 0.5)


def test_ranges_are_true_where_they_have_elements():
    follows(empty_ranges, 0.0, 2.0, -2.0)


def has_no_length(x, make):
    return x * len(make([x], [x]))


@pytest.mark.parametrize("make", [zip, map, lambda a, b: (v for v in a), lambda a, b: reversed(a)])
def test_iterators_have_no_length(make):
    with pytest.raises(TypeError, match="has no len"):
        symdiff.grad(has_no_length)(1.0, make)


def next_of_a_list(x):
    return next([x])


def reversed_generator(x):
    return sum(reversed(v for v in [x]))


def grows_in_the_last_turn(x):
    d, s = {"a": x}, 0.0
    for k in d:
        s += d[k]
        d[k + "b"] = x
    return s


def shrinks_in_the_last_turn(x):
    d, s = {"a": x, "b": x}, 0.0
    for k in d:
        s += d[k]
        if k == "b":
            del d["a"]
    return s


@pytest.mark.parametrize(
    "function",
    [next_of_a_list, reversed_generator, grows_in_the_last_turn, shrinks_in_the_last_turn],
    ids=lambda f: f.__name__,
)
def test_the_errors_are_pythons(function):
    follows(function, 0.5)


def strictly(x, a):
    s = 0.0
    for v, w, u in zip(a, [1.0, x], a[a > 0], strict=True):
        s += v * w * u
    return s


def strictly_until_one_is_large(x, a):
    kept, s = a[a > 0], x
    for v, w in zip(kept, (x, a), strict=True):
        if v > 4:
            break
        s += v * np.sum(w)
    for v, w in zip(a, kept, strict=True):
        if v < 0:
            return s
        s += v * w
    return s + sum(v * w for v, w in zip((2.0,), a, strict=True))


def strictly_in_turns(x, a):
    made = [w * x for _, w in enumerate(zip(a, (1.0, 2.0), strict=True)) for w in w]
    pairs = zip((1.0, 2.0), a[a > 0], strict=True)
    v, w = next(pairs, (x, x))
    v, w = next(pairs, (w, x))
    return made, v * w, list(map(sum, zip(zip(a, a, strict=True), a[a < 0], strict=True)))


def the_next_of_unequal(x, a):
    pairs = zip(a[a > 0], (x,), strict=True)
    v, _ = next(pairs)
    return next(pairs, v)


@pytest.mark.parametrize(
    "function",
    [strictly, strictly_until_one_is_large, strictly_in_turns, the_next_of_unequal],
    ids=lambda f: f.__name__,
)
def test_a_strict_zip_raises_where_one_is_over_and_another_is_not(function):
    both = [np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, 5.0])]
    follows(function, *[(0.5, a) for a in (*ARRAYS, *both)])


@pytest.mark.parametrize("values", [[0.5, 2.5], [0.5, 1.5], [2.5]])
def test_what_is_printed_before_a_strict_zip_raises_is_printed(values, capsys):
    def f(x):
        s = 0.0
        for v, w in zip(x, np.ones(int(np.sum(x))), strict=True):
            print("turn")
            s = s + v * w
        return s

    printed = []
    for call in (f, symdiff.grad(f)):
        with pytest.raises(ValueError, match="argument 2") if sum(values) != 2 else nullcontext():
            call(np.array(values))
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


def reversed_while_it_changes(x):
    items, s = [x, 2 * x, 3 * x], 0.0
    for v in reversed(items):
        s += v * len(items)
        items.append(v)
        items[0] = x * x
    return s


def reversed_while_it_shrinks(x):
    items, s = [x, 2 * x, 3 * x], 0.0
    for v in reversed(items):
        s += v * len(items)
        items.clear()
    return s


def neighbours_of_what_grows(x):
    items, s = [x, 2 * x], 0.0
    for v, w in itertools.pairwise(items):
        s += v * w
        if len(items) < 5:
            items.append(w)
    return s


@pytest.mark.parametrize(
    "function",
    [reversed_while_it_changes, reversed_while_it_shrinks, neighbours_of_what_grows],
    ids=lambda f: f.__name__,
)
def test_lists_that_change_while_they_are_gone_over(function):
    follows(function, 0.5)


def test_many_items_beside_rows_ask_for_an_array():
    def f(x, a):
        s = x
        for v, item in zip(a[a > 0], itertools.cycle([x, a])):
            s = s + v * np.sum(item)
        return s

    with pytest.raises(UnsupportedSyntaxError, match="more than 32 turns of a loop") as caught:
        symdiff.grad(f)(0.5, ARRAYS[0])
    assert "np.array" in caught.value.hint
    assert "itertools.cycle" in caught.value.span.code


def gone_over_again(x, a):
    g = (t * x for t in a if t > x)
    return sum(g) + sum(g)


def gone_on_with_in_its_own_loop(x, a):
    items = iter(a)
    return sum(t * x * next(items) for t in items)


def gone_on_with_by_what_is_called(x, a):
    items = iter(a)

    def with_the_next(t):
        return t * x * next(items)

    return sum(map(with_the_next, itertools.islice(items, 2)))


def gone_on_with_behind_another(x, a):
    items, s = iter(a), 0.0
    for t, k in zip(items, range(2), strict=False):
        s = s + t * x * k
    return s + next(items)


IN_LOOPS = [gone_on_with_in_its_own_loop, gone_on_with_by_what_is_called]
TOLD_OF_ITERATORS = {
    **dict.fromkeys(IN_LOOPS, "gone on with inside a loop over it"),
    gone_on_with_behind_another: "an iterator that is gone over twice",
}


@pytest.mark.parametrize("function", TOLD_OF_ITERATORS, ids=lambda f: f.__name__)
def test_what_an_iterator_has_left_is_not_guessed(function):
    with pytest.raises(UnsupportedSyntaxError, match=TOLD_OF_ITERATORS[function]):
        symdiff.grad(function)(0.5, ARRAYS[0])


def a_condition_beside_another(x, a):
    return sum(
        v * w for v, w in zip((t for t in a if t > 0), (t for t in a if t > 1), strict=False)
    )


def multiples(x):
    for k in range(4):
        yield x * (k + 0.5)


def begun_on_some_paths(x, a):
    found, e, s = multiples(x), 1.0 + x, 0.0
    while e > 0.3:
        e = e * 0.6
        if e > 0.8:
            s += next(found, 0.3)
    return s


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (gone_over_again, "an iterator that is gone over twice"),
        (a_condition_beside_another, "with a condition gives, beside something else"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_is_not_followed_says_to_make_a_list(function, message):
    with pytest.raises(UnsupportedSyntaxError, match=message) as caught:
        symdiff.grad(function)(0.5, ARRAYS[0])
    assert "a list of it first" in caught.value.hint
    assert caught.value.span is not None


def test_a_generator_that_is_begun_on_some_paths_is_refused_on_these():
    assert symdiff.grad(begun_on_some_paths)(-0.5, ARRAYS[0]) == 0.0
    with pytest.raises(UnsupportedSyntaxError, match="a suspended generator in one branch"):
        symdiff.grad(begun_on_some_paths)(0.5, ARRAYS[0])


def made_anew_in_each_turn(x, a):
    found, s = iter([v for v in a if v > x]), 0.0
    for w in a:
        s = s + sum(found) * w
        found = iter([v * v for v in a if v > w])
    return s + sum(found)


def counted_anew_in_each_turn(x, a):
    found, s = enumerate([v for v in a if v > x]), 0.0
    for w in a:
        s = s + sum(k * v for k, v in found) * w
        found = enumerate([x * v for v in a if v > w])
    return s + sum(k * v for k, v in found)


def made_first_in_a_turn(x, a):
    for w in a:
        found = zip(a, [w * x] * len(a), strict=True)
    return sum(u * v * v for u, v in found)


@pytest.mark.parametrize(
    "function", [made_anew_in_each_turn, counted_anew_in_each_turn, made_first_in_a_turn]
)
def test_an_iterator_may_be_made_anew_in_each_turn(function):
    a, u = np.array([1.0, -2.0, 5.0, 1.5]), np.array([0.3, 0.7, -0.2, 0.4])
    value, (by_x, by_a) = symdiff.value_and_grad(function, argnums=(0, 1))(0.5, a)
    assert value == function(0.5, a)
    expected = directional(function, (0.5, a), (1.0, u), step=0.01).value
    np.testing.assert_allclose(by_x + by_a @ u, expected, rtol=1e-8)
    _, slope = symdiff.jvp(function, (0.5, a), (1.0, u))
    np.testing.assert_allclose(slope, expected, rtol=1e-8)
    gradient = symdiff.grad(function, argnums=(0, 1))
    _, (of_x, of_a) = symdiff.jvp(gradient, (0.5, a), (1.0, u))
    second = second_directional(function, (0.5, a), (1.0, u), (1.0, u), step=0.01).value
    np.testing.assert_allclose(of_x + of_a @ u, second, rtol=1e-5, atol=1e-6)


NUMBERS = [0.1, 0.2, 0.3, 0.4]


def next_of_a_list_in_a_loop(x):
    drawn, s = iter(NUMBERS), 0.0
    while s < 0.5 * x:
        u = next(drawn)
        s += u * x
    return s


def next_of_computed_items(x):
    drawn, s = iter([x * u for u in NUMBERS]), 0.0
    while s < 0.5 * x:
        try:
            u, v = next(drawn), next(drawn)
        except StopIteration:
            break
        s += u * x + v**2
    return s


def next_or_none(x):
    drawn, s = iter(NUMBERS), 0.0
    while s < 0.9 * x:
        u = next(drawn, None)
        if u is None:
            return s * x
        s += u * x
    return s


def next_of_pairs_with_names(x):
    drawn, s = iter((("a", x), ("b", 0.3), ("c", 0.4))), 0.0
    while s < x:
        name, rate = next(drawn)
        s += x * (name == "a") + rate
    return s


def what_a_loop_has_left(x):
    drawn, s = iter(NUMBERS), 0.0
    while s < 0.3 * x:
        s += next(drawn, 0.5) * x
    for u in drawn:
        s += u * x**2
    return s


@pytest.mark.parametrize("x", [1.7, 0.4])
@pytest.mark.parametrize(
    "function",
    [
        next_of_a_list_in_a_loop,
        next_of_computed_items,
        next_or_none,
        next_of_pairs_with_names,
        what_a_loop_has_left,
    ],
)
def test_the_next_item_is_known_at_run_time_only(function, x, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    value, slope = symdiff.value_and_grad(function)(x)
    assert value == function(x)
    expected = directional(function, (x,), (1.0,), step=0.01).value
    np.testing.assert_allclose(slope, expected, rtol=1e-9)
    _, forward = symdiff.jvp(function, (x,), (1.0,))
    np.testing.assert_allclose(forward, expected, rtol=1e-9)


def grows_after_the_end(x):
    items = [x, 0.2]
    drawn, s = iter(items), 0.0
    while s < 2 * x:
        s += next(drawn, 0.5 * x)
    items.append(9.0)
    return s + next(drawn, 0.5 * x)


def grows_after_a_loop(x):
    items = [x, 2.0, x * x]
    drawn, s = iter(items), 0.0
    for u in drawn:
        s += u
        if s > 2.0:
            break
    items.append(x)
    s += next(drawn, 0.5 * x) + next(drawn, 0.5 * x)
    items.append(x**3)
    return s + next(drawn, 0.25 * x)


def gone_over_where_it_had_ended_before(x):
    items = [x, 2.0 * x]
    over = iter(items)
    s = sum(over)
    items.append(x)
    return s + sum(over, x**2)


def grows_in_a_loop_after_the_end(x, n):
    items = [x]
    for k in range(n):
        items.append(x * k)
    drawn, s = iter(items), 0.0
    for _ in range(n + 3):
        s += next(drawn, 0.5)
    items.append(x)
    return s + next(drawn, 0.5 * x)


@pytest.mark.parametrize("x", [1.7, 0.05])
@pytest.mark.parametrize(
    "function",
    [
        grows_after_the_end,
        grows_after_a_loop,
        gone_over_where_it_had_ended_before,
        grows_in_a_loop_after_the_end,
    ],
)
def test_an_iterator_at_its_end_has_no_more_where_the_list_grows(function, x):
    more = (3,) if function is grows_in_a_loop_after_the_end else ()
    value, slope = symdiff.value_and_grad(function)(x, *more)
    assert value == function(x, *more)
    expected = directional(function, (x, *more), (1.0, *(None for _ in more)), step=0.01).value
    np.testing.assert_allclose(slope, expected, rtol=1e-9)


def goes_on_after_a_loop_over_a_list_that_grows(x, n):
    items = [x]
    for k in range(n):
        items.append(x * k)
    drawn, s = iter(items), 0.0
    for u in drawn:
        s += u
    items.append(x)
    return s + next(drawn, 0.5 * x)


def test_a_list_that_grows_behind_a_loop_is_not_gone_on_with():
    with pytest.raises(UnsupportedSyntaxError, match="a list changes while a loop"):
        symdiff.grad(goes_on_after_a_loop_over_a_list_that_grows)(1.7, 3)
