"""Generators of which there are many are gathered once for all, and right wherever they are."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Generator, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import functions, gathering, templates
from tests import reference

FACTOR = 1.0


def powers(v: float) -> Iterator[float]:
    yield v
    yield v * v
    yield v**3


def scaled(v: float) -> Iterator[float]:
    yield v * FACTOR
    yield v * v * FACTOR


def growing(v: float) -> Generator[float, None, float]:
    while v < 2.0:
        yield v
        v = v * 1.5
    return v


def both(v: float) -> Generator[float, None, float]:
    if v > 0.4:
        r = yield from growing(v * 0.9)
    else:
        r = yield from growing(v + 0.3)
    yield r * 0.1
    return r


def rising(v: float) -> Iterator[float]:
    yield v
    if v > 0.5:
        raise ValueError(v)
    yield v * 2.0


def without_end(v: float) -> Iterator[float]:
    while True:
        yield v
        v = v * 1.5


def over_both(x: float, y: float) -> float:
    s = 0.0
    for w in both(x):
        s = s * y + w * w
    return s + sum(both(x * y)) * max(both(y))


def of_an_unknown_length(x: float, y: float) -> float:
    s = sum(growing(x))
    for w in growing(y * 0.3):
        s = s * 0.5 + w * w
    return s * len(list(growing(x * y)))


def unpacked(x: float, y: float) -> float:
    a, b, c = powers(x * y)
    total: float = a * b + c + np.sum(np.array(list(powers(y))) * x) + sum(powers(x)) ** 2
    return total


def chosen(v: float) -> Iterator[Any]:
    yield 2
    yield (v, 3.0)
    for w in powers(v):
        yield w if w < 0.3 else w * w


def of_several_kinds(x: float, y: float) -> float:
    s = y
    for w in chosen(x):
        s = s + (w[0] * w[1] if isinstance(w, tuple) else w * y)
    return s


def left_early(x: float, y: float) -> float:
    s = 0.0
    for w in powers(x):
        s = s + w
        if s > 0.7:
            break
    for w in without_end(x):
        s = s * y + w
        if s > 3.0:
            return s
    return s


def writing_outside(x: float, y: float) -> float:
    """What is done for an element changes what the generator reads for the next one."""
    global FACTOR
    s = y
    for w in scaled(x):
        s = s + w
        FACTOR = FACTOR * 2.0
    FACTOR = 1.0
    return s


def held(v: float) -> Iterator[list[float]]:
    items = [v]
    yield items
    items.append(v * v)
    yield items


def rows(v: float) -> Iterator[Any]:
    row = np.array([v, 1.0])
    yield row
    yield row * row


def of_what_changes(x: float, y: float) -> float:
    """Lists and arrays that are changed by the generator, and by what goes over it."""
    s = 0.0
    for items in held(x):
        s = s + len(items) * sum(items)
    for row in rows(x):
        row *= y
        s = s + row.sum()
    return s


def noted(v: float, log: list[float]) -> Iterator[float]:
    log.append(v)
    yield v
    log.append(v * v)
    yield v * 2.0


def in_turn(x: float, y: float) -> float:
    """What the generator writes is read in between, and what it sees is written."""
    log: list[float] = []
    k = x

    def seen(v: float) -> Iterator[float]:
        yield v * k
        yield v * v * k

    s = 0.0
    for w in noted(x, log):
        s = s + w * len(log)
    for w in seen(y):
        k = k * 2.0
        s = s + w
    return s + sum(log)


def inside_try(x: float, y: float) -> float:
    s = x
    try:
        for w in rising(x):
            s = s + w * y
    except ValueError as error:
        s = s * 3.0 + error.args[0]
    return s


def scaled_rows(a: np.ndarray) -> Iterator[np.ndarray]:
    yield a * 2.0
    yield a[::-1]
    yield a * a


def rows_of_either(a: np.ndarray) -> Iterator[np.ndarray]:
    if a[0] > 0.5:
        yield from scaled_rows(a * 0.9)
    else:
        yield from scaled_rows(a + 0.3)


def rows_while(a: np.ndarray) -> Iterator[np.ndarray]:
    while a[0] < 2.0:
        yield a
        a = a * 1.5


def of_rows(x: float, y: float) -> float:
    a = np.array([x, y])
    total, s = np.zeros(2), 0.0
    for row in rows_of_either(a):
        total += row * y
        s = s + np.sum(row * total)
    for row in rows_while(a * x):
        s = s * 0.5 + np.sum(row * total)
    first, second, third = scaled_rows(a)
    third[0] = third[1] * x
    return s + float(np.sum(first * second * third))


def rows_of_one(a: np.ndarray) -> Iterator[np.ndarray]:
    row = np.zeros(2)
    for k in range(3):
        row[k % 2] = a[0] * (k + 1.0)
        yield row


def rows_written_behind(a: np.ndarray) -> Iterator[np.ndarray]:
    row = a * 2.0 if a[0] > 0.5 else a * 3.0
    yield row
    row[0] = a[1]
    yield row * 0.5


def rows_of_argument(a: np.ndarray) -> Iterator[np.ndarray]:
    yield a
    a[1] = a[1] * 2.0
    yield a


def of_rows_that_change(x: float, y: float) -> float:
    """Arrays that the generator writes, or what goes over it writes, between two elements."""
    s = 0.0
    for row in rows_of_one(np.array([x, y])):
        s = s * y + np.sum(row * row)
    for row in rows_written_behind(np.array([x, y])):
        s = s * y + row[0] * row[1]
    a = np.array([x, y])
    for row in rows_of_argument(a):
        s = s * y + row[0] * row[1]
    for row in scaled_rows(a):
        s = s + np.sum(row)
        a[0] = a[0] * y
    for row in scaled_rows(a):
        row[0] = row[0] * x
        s = s + np.sum(row * a)
    held = list(scaled_rows(a))
    held[1][0] = 2.0 * x  # a view of the argument
    return s + float(np.sum(a * held[0]))


class Pair:
    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = a, b


def lists(v: float) -> Iterator[list[float]]:
    yield [v, v * 0.5]
    both = [v * v]
    both.append(v)
    yield both


def lists_of_either(v: float) -> Iterator[list[float]]:
    if v > 0.4:
        yield from lists(v * 0.9)
    else:
        for one in lists(v + 0.3):
            yield [one[1], one[0] * 2.0]


def records(v: float) -> Iterator[Any]:
    for a, b in lists_of_either(v):
        yield {"a": a, "pair": Pair(b, a * b)}


def of_lists(x: float, y: float) -> float:
    s = sum(a * b for a, b in lists_of_either(x))
    for d in records(x * y):
        s = s * y + d["a"] * d["pair"].a + d["pair"].b
    rows = [[w * y for w in one] for one in lists_of_either(y)]
    first, second = lists_of_either(x)
    second[0] = first[1] * y
    return s * rows[0][1] + rows[1][0] * second[0] + second[1]


def one_list(v: float) -> Iterator[list[float]]:
    both = [v, v]
    yield both
    both[0] = v * v
    yield both


def one_pair(v: float) -> Iterator[Pair]:
    pair = Pair(v, v * v)
    yield pair
    pair.a = pair.b * 3.0
    yield pair
    yield Pair(pair.a, 2.0)


def of_lists_that_change(x: float, y: float) -> float:
    """Lists and objects that the generator writes once they are given, or what goes over it."""
    s = 0.0
    for both in one_list(x):
        s = s * y + both[0] * both[1]
    for pair in one_pair(y):
        s = s * y + pair.a * pair.b
    for pair in one_pair(x):
        pair.b = pair.b * y
        s = s + pair.a * pair.b
    held = list(one_list(y))
    pairs = list(one_pair(x * y))
    return s + held[0][0] * pairs[0].a + (1.0 if held[0] is held[1] else 2.0)


def lists_inside_try(x: float, y: float) -> float:
    """What was done for elements before something is raised is seen."""
    s = x
    try:
        for a, b in lists_of_either(x):
            s = s + a * math.sqrt(y - 1.0) * b
    except ValueError:
        s = s * 3.0
    try:
        for w in roots(x, y):
            s = s + w * w
    except ValueError:
        s = s * 2.0
    return s


def roots(x: float, y: float) -> Iterator[float]:
    yield math.sqrt(x)
    yield math.sqrt(y - 1.0)


def first_of_both(v: float) -> Iterator[float]:
    if v > 0.4:
        yield next(without_end(v * 0.9)) + v
    else:
        yield next(without_end(v + 0.3)) * v
    yield v


def above(v: float, least: float) -> Iterator[float]:
    for w in (v, v * v, v * 3.0):
        if w > least:
            yield w


def noted_first(v: float, log: list[float]) -> Iterator[float]:
    log.append(v * 2.0)
    yield v * log[0]
    log.append(100.0)


def of_first_elements(x: float, y: float) -> float:
    log: list[float] = []
    s = next(first_of_both(x)) + next(first_of_both(y)) * next(first_of_both(x * y))
    s = s + next(above(x, 0.5), y) * next(above(y, 0.2), 1.0) + next(above(x, 9.0), y * y)
    for k in range(3):
        s = s * y + next(noted_first(x, log)) + len(log) * next(first_of_both(y * (k + 1.0))) * k
    return s + sum(log)


def of_what_comes_behind(x: float, y: float) -> float:
    """Generators that are gone on with, that have no element, that raise."""
    g, s = without_end(x), 0.0
    for _ in range(3):
        s = s * y + next(g)
    for w in powers(y):
        s = s + next(g) * w
        break
    both_ = powers(x)
    s = s + next(both_) * next(both_)
    try:
        s = s + next(above(x, 0.6)) + next(above(y, 7.0))
    except StopIteration:
        s = s * 2.0
    try:
        s = s * next(roots(x, y)) + next(roots(x - 0.5, y))
    except ValueError:
        s = s * 3.0
    return s


def reciprocals(x: float, y: float) -> Iterator[float]:
    if 1.0 / x > 1.0:
        yield 1.0 / y


def of_what_raises(x: float, y: float) -> float:
    """What a generator raises is handled, not what the operation would say of no elements."""
    s = 0.0
    for a, b in ((x, y), (0.0, y), (x * 9.0, y), (x, 0.0)):
        try:
            s = s * 1.5 + next(reciprocals(a, b))
        except ZeroDivisionError:
            s = s + x
        except StopIteration:
            s = s * 3.0 + y
        try:
            s = s * 1.5 + max(reciprocals(a, b)) * min(w + 1.0 for w in reciprocals(a, b))
        except ZeroDivisionError:
            s = s * 2.0 + x
        except ValueError:
            s = s * 3.0 + y
        try:
            s = s * 0.5 + functools.reduce(lambda v, w: v + w, reciprocals(a, b))
        except ZeroDivisionError:
            s = s * 2.0 + x
        except TypeError:
            s = s * 3.0 + y
        try:
            s = s * x + next(roots(a - 0.5, y))
        except ValueError:
            s = s * 3.0
    return s


def of_too_few_or_too_many(x: float, y: float) -> float:
    """What is unpacked has another number of elements than there are names."""
    s = x
    for a, b in ((x, y), (3.0 * x, y), (3.0 * x, 3.0 * y), (0.0, y)):
        try:
            (first,) = reciprocals(a, b)
            s = s * y + first
        except ValueError:
            s = s * 2.0
        except ZeroDivisionError:
            s = s * 3.0 + a
        try:
            (v, w), last = [[k * x, k * y] for k in (a, b, 2.0) if k > 0.93]
            s = s + v * w + last[0] * last[1]
        except ValueError:
            s = s * 1.5
    return s


def mixed_and_root(v: float) -> Iterator[float]:
    """Large enough to be attempted as a whole; of its elements the second may be none."""
    a = v
    a = math.sin(a) * math.cos(a) + 0.3 * a * a
    a = math.sin(a) * math.cos(a) + 0.3 * a * a
    a = math.sin(a) * math.cos(a) + 0.3 * a * a
    a = math.sin(a) * math.cos(a) + 0.3 * a * a
    a = math.sin(a) * math.cos(a) + 0.3 * a * a
    yield a + v
    yield math.sqrt(v - 0.5) + a


def of_elements_before_what_is_raised(x: float, y: float) -> float:
    """What was done for the elements before is seen where it is handled."""
    s = 0.0
    for v in (x, y * 0.3, y, x * 1.2, 2.2 * x):
        try:
            for w in mixed_and_root(v):
                s = s + w * y
        except ValueError:
            s = s * 0.5 + x
    return s


def halves_and_root(v: float) -> Iterator[float]:
    """What it raises, and what is done for its elements, may be of one class, or of two."""
    yield v * 0.5
    if v > 1.3:
        raise KeyError(v)
    yield math.sqrt(v - 0.4)
    yield v


def of_errors_on_both_sides(x: float, y: float) -> float:
    s, last = 0.0, y
    for v in (x, y * 0.3, y, x * 1.2, 2.2 * x, 4.0 * x):
        try:
            for w in halves_and_root(v):
                s = s * 0.9 + math.sqrt(w - 0.17) * v
                last = w
        except KeyError as error:
            s = s * 1.5 + error.args[0] * last
        except ValueError:
            s = s * 0.5 + last
        try:
            s = s + total_of_roots(v, last)
        except (ValueError, KeyError):
            s = s * y
    return s


def total_of_roots(v: float, last: float) -> float:
    s = last
    for w in halves_and_root(v):
        s = s + math.log(w - 0.1) * last
    return s


def root_or_less(v: float) -> Iterator[float]:
    for w in halves_and_root(v):
        try:
            yield math.sqrt(w - 0.25)
        except ValueError:
            yield w * 0.5


def less_or_root(v: float) -> Iterator[float]:
    for w in root_or_less(v):
        try:
            yield math.sqrt(w - 0.15)
        except ValueError:
            yield w * v


def of_tries_that_go_over_one_another(x: float, y: float) -> float:
    s = 0.0
    for v in (x, y, 2.2 * x):
        try:
            for w in less_or_root(v):
                try:
                    s = s * 0.9 + math.sqrt(w - 0.3)
                except ValueError:
                    s = s + w * y
        except (ValueError, KeyError):
            s = s * 1.3 + v
    return s


FUNCTIONS = [
    of_errors_on_both_sides,
    of_tries_that_go_over_one_another,
    of_elements_before_what_is_raised,
    of_too_few_or_too_many,
    of_what_raises,
    of_first_elements,
    of_what_comes_behind,
    of_lists,
    of_lists_that_change,
    lists_inside_try,
    of_rows,
    of_rows_that_change,
    over_both,
    of_an_unknown_length,
    unpacked,
    of_several_kinds,
    left_early,
    writing_outside,
    of_what_changes,
    in_turn,
    inside_try,
]


def fresh(function: Callable[..., float]) -> Any:
    """Another function of the same code, of which nothing was compiled before."""
    return FunctionType(function.__code__.replace(), function.__globals__, function.__name__)


@pytest.fixture(params=[1000, 1], ids=["copied", "called"])
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gather the first generator of a kind already."""
    monkeypatch.setattr(templates, "LARGE", request.param)
    monkeypatch.setattr(templates, "FOLLOWED_FIRST", 0)
    monkeypatch.setattr(gathering, "FOLLOWED_MORE", 0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_are_those_of_the_function(function: Callable[..., float]) -> None:
    for args in ((0.32, 1.17), (0.71, 0.9)):
        made = sd.differentiable(fresh(function))
        slopes = [reference.directional(function, args, u).value for u in ((1.0, 0.0), (0.0, 1.0))]
        np.testing.assert_allclose(sd.grad(made, argnums=(0, 1))(*args), slopes, rtol=1e-7)
        value, tangent = sd.jvp(made, args, (1.0, 0.0))
        assert value == function(*args)
        np.testing.assert_allclose(tangent, slopes[0], rtol=1e-7)
        u, v = (1.0, -0.4), (0.3, 0.8)
        second = reference.second_directional(function, args, u, v).value
        _, product = sd.jvp(sd.grad(made, argnums=(0, 1)), args, u)
        np.testing.assert_allclose(np.dot(product, v), second, rtol=1e-5, atol=1e-6)


def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many generators were gathered, by function."""
    found: dict[str, int] = {}
    original = functions.from_list

    def counting(interp: Any, key: Any, *rest: Any) -> Any:
        given = original(interp, key, *rest)
        if given is not gathering.ABSENT:
            found[key[0].name] = found.get(key[0].name, 0) + 1
        return given

    monkeypatch.setattr(functions, "from_list", counting)
    return found


@pytest.mark.usefixtures("at_once")
def test_what_is_gathered_is_what_nothing_tells_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    gathered = counted(monkeypatch)
    for function in (unpacked, of_several_kinds):
        sd.grad(fresh(function))(0.32, 1.17)
    assert gathered == {"powers": 4, "chosen": 1}
    gathered.clear()
    sd.grad(fresh(of_rows))(0.32, 1.17)
    assert gathered == {"rows_of_either": 1, "scaled_rows": 3}
    gathered.clear()
    sd.grad(fresh(of_rows_that_change))(0.32, 1.17)
    assert gathered == {"scaled_rows": 1}  # in the list
    gathered.clear()
    sd.grad(fresh(inside_try))(0.32, 1.17)
    assert gathered == {"rising": 1}  # what it raises is held
    gathered.clear()
    for function in (left_early, writing_outside, of_what_changes, in_turn):
        sd.grad(fresh(function))(0.32, 1.17)
    assert not gathered


def errors_in_order(x: float) -> float:
    s = 0.0
    for w in rising(x):
        if w > 0.7:
            raise KeyError(w)
        s = s + math.log(w)
    return s


def listed(x: float, log: list[float]) -> float:
    s = 0.0
    for w in rising(x):
        log.append(w)
        s = s + w
    return s


def printed(x: float) -> float:
    s = 0.0
    for w in powers(x):
        print(f"{w:.2f}")
        s = s + w
    return s


@pytest.mark.usefixtures("at_once")
def test_errors_and_effects_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    made = sd.grad(fresh(errors_in_order))
    np.testing.assert_allclose(made(0.3), 2.0 / 0.3, rtol=1e-12)
    for x, kind in ((0.6, ValueError), (0.8, KeyError)):
        with pytest.raises(kind):
            errors_in_order(x)
        with pytest.raises(kind):
            made(x)
    log: list[float] = []
    with pytest.raises(ValueError, match=r"0\.6"):
        sd.grad(fresh(listed))(0.6, log)
    assert log == [0.6]
    np.testing.assert_allclose(sd.grad(fresh(printed))(0.5), 1.0 + 2 * 0.5 + 3 * 0.25, rtol=1e-12)
    assert capsys.readouterr().out.split() == ["0.50", "0.25", "0.12"]
