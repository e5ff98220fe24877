"""Items selected at run time, lists of run-time length taken apart: Python's errors, refusals."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff
from symdiff.errors import AliasingError, UnsupportedCallError, UnsupportedSyntaxError
from symdiff.parse import interpreter, trials, unions


def grown(x: Any) -> list[Any]:
    rows: list[Any] = []
    while len(rows) < x[0] * 4:
        rows.append(x[1] ** (1 + len(rows)))
    return rows


def unpacks_two(x: Any) -> Any:
    a, b = grown(x)
    return a * b


def unpacks_at_least_two(x: Any) -> Any:
    a, b, *rest = grown(x)
    return a * b + len(rest)


def stars_into_two(x: Any) -> Any:
    def after_two(a: Any, b: Any, *rest: Any) -> Any:
        return a * b + sum(rest)

    return after_two(*grown(x))


def selects_a_number(x: Any) -> Any:
    return [x[0], x[1], x[2]][int(x[0] * 10)]


def selects_an_array(x: Any) -> Any:
    return (x, 2 * x, x**2)[int(x[0] * 10)].sum()


def replaces_an_array(x: Any) -> Any:
    rows = [x, 2 * x, x**2]
    rows[int(x[0] * 10)] = x
    return rows[0].sum() + rows[2].sum()


def adds_to_an_array(x: Any) -> Any:
    rows = [x * 1, 2 * x, x**2]
    rows[int(x[0] * 10)] += x
    return rows[0].sum() + rows[2].sum()


def looks_up(x: Any) -> Any:
    return {0: x[0], 1: x[1]}[int(x[0] * 10)]


def adds_to_an_item(x: Any) -> Any:
    mass = {0: x[0], 1: x[1]}
    mass[int(x[0] * 10)] += x[2]
    return mass[0] * mass[1]


def sets_past_the_end(x: Any) -> Any:
    rows = grown(x)
    rows[4] = x[0]
    return sum(rows)


RAISING = (
    unpacks_two,
    unpacks_at_least_two,
    stars_into_two,
    selects_a_number,
    selects_an_array,
    replaces_an_array,
    adds_to_an_array,
    looks_up,
    adds_to_an_item,
    sets_past_the_end,
)


@pytest.mark.parametrize("function", RAISING)
def test_value_or_error_are_pythons(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    outcomes = set()
    for first in (-0.25, -0.12, 0.12, 0.3, 0.6, 0.8, 1.2):
        x = np.array([first, 1.3, 0.7])
        expected, actual = (
            outcome(call, x) for call in (function, symdiff.differentiable(function).forward)
        )
        outcomes.add(type(expected))
        assert repr(expected) == repr(actual)
    assert len(outcomes) == 2, "a value at some arguments, an error at others"


def outcome(call: Callable[..., Any], x: Any) -> Any:
    try:
        result = call(x)
    except (ValueError, TypeError, IndexError, KeyError) as error:
        return error
    return result[0] if isinstance(result, tuple) else result


def both_arms_raise(x: Any) -> Any:
    y = x * 2
    if x[0] <= 0:
        y = (late if x[1] > 0 else late * 2).sum()  # noqa: F821
    late = y.sum()
    return late


def test_arms_of_a_value_that_both_raise_end_the_path() -> None:
    np.testing.assert_array_equal(symdiff.grad(both_arms_raise)(np.array([0.5, 1.0])), [2.0, 2.0])
    with pytest.raises(UnboundLocalError):
        symdiff.grad(both_arms_raise)(np.array([-0.5, 1.0]))


def item_of_a_number_where_no_array_comes(x: Any) -> Any:
    def first(a: Any) -> Any:
        if np.mean(x) > 100.0:
            return a[[0]].sum()
        return a * 2.0

    return first(-1.0) * x[0]


def test_an_item_of_a_number_raises_where_it_is_reached() -> None:
    gradient = symdiff.grad(item_of_a_number_where_no_array_comes)
    np.testing.assert_array_equal(gradient(np.array([0.5, 1.0])), [-2.0, 0.0])
    with pytest.raises(TypeError, match="'float' object is not subscriptable"):
        gradient(np.array([500.0, 1.0]))


def every_other_item(x: Any) -> Any:
    rows = grown(x)
    rows[::2] = [x[0], x[1]]
    return sum(rows)


def an_array_without_dimensions(x: Any) -> Any:
    rows = grown(x)
    rows[0] = np.where(x[0] > 0, x[1], x[2])
    return sum(rows)


def rows_of_tuples(x: Any) -> Any:
    rows = [(x[0], x[1])]
    while rows[-1][0] < 3:
        rows.append((rows[-1][0] * 2, x[1]))
    return rows


def as_many_as_there_are(x: Any) -> Any:
    return np.add.outer(*grown(x)) + np.linalg.multi_dot(*grown(x))


def with_a_default(x: Any) -> Any:
    def scaled(a: Any, b: Any = 2.0) -> Any:
        return a * b

    return scaled(*grown(x))


def one_of_many_written(x: Any) -> Any:
    rows = [x * (i + 1) for i in range(10)]
    v = rows[int(x[0] * 3)]
    rows[1][0] = 3.0
    return v @ x


def a_rank_each_turn(x: Any) -> Any:
    rank, level = 1, x[0]
    while level < 30.0:
        level = level * np.ones((2,) * rank).sum()
        rank += 1
    return level


REFUSED = (
    (a_rank_each_turn, UnsupportedSyntaxError, "(2,) * rank", "loop over a tuple or a range"),
    (every_other_item, UnsupportedSyntaxError, "rows[::2]", "write a loop over the indices"),
    (an_array_without_dimensions, UnsupportedSyntaxError, "rows[0]", "float(x), or x[()]"),
    (rows_of_tuples, UnsupportedSyntaxError, "return rows", "ts, ys = zip(*rows)"),
    (as_many_as_there_are, UnsupportedCallError, "np.add.outer(*grown(x))", "make an array"),
    (with_a_default, UnsupportedCallError, "scaled(*grown(x))", "give the list itself"),
    (one_of_many_written, AliasingError, "rows[1]", "put a new array in its place"),
)


@pytest.mark.parametrize(("function", "kind", "marked", "hint"), REFUSED)
def test_what_is_refused_says_where_and_what_to_write(
    function: Callable[..., Any], kind: type[Exception], marked: str, hint: str
) -> None:
    with pytest.raises(kind) as caught:
        symdiff.differentiable(function).forward(np.array([0.55, 1.3, 0.7]))
    lines = str(caught.value).splitlines()
    assert any(hint in line for line in lines[-2:])  # the last may say that a path was taken
    column = lines[2].index("^")
    assert lines[1][column : column + lines[2].count("^")].startswith(marked)
    assert not any(name in lines[0] for name in ("Ref", "Columns", "Value", "_Absent"))


def behind_loops(x: Any) -> Any:
    rows = [[1.0, x], [3.0]]
    s = x
    for k in range(2):
        s = s + rows[k][0]
    for k in range(2):
        s = s * rows[k][0]
    for k in range(2):
        s = s - rows[k][0]
    for k in range(2):
        s = s / rows[k][0]
    for k in range(2):
        s = 2.0 * s - rows[k][0]
    return s


def refused_behind_loops(x: Any) -> Any:
    return open("nowhere").fileno() * behind_loops(x)


def loops_behind_loops(x: Any) -> Any:
    s = behind_loops(x)
    while s < 10.0:
        s = s * 2.0 + x
    return s


def added(rows: Any, s: Any) -> Any:
    for k in range(2):
        s = s + rows[k][0]
    return s


def multiplied(rows: Any, s: Any) -> Any:
    for k in range(2):
        s = s * rows[k][0]
    return s


def taken_away(rows: Any, s: Any) -> Any:
    for k in range(2):
        s = s - rows[k][0]
    return s


class Holder:
    def fill(self, x: Any) -> None:
        self.found = (x,)
        if x > 1.0:
            self.found = None


def differs_behind_functions(x: Any) -> Any:
    rows, holder = [[1.0, x], [3.0]], Holder()
    holder.fill(x)
    return added(rows, multiplied(rows, taken_away(rows, x))) * holder.found[0]


def test_items_that_do_not_mend_a_refusal_are_taken_up_together(attempts: list[int]) -> None:
    with pytest.raises(UnsupportedCallError, match="attribute 'fileno' of an object"):
        symdiff.grad(refused_behind_loops)(2.0)
    assert len(attempts) <= 4


def test_items_that_do_not_join_paths_are_taken_up_together(
    attempts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unions, "MOST_CASES", 1)
    monkeypatch.setattr(unions, "MOST_OF_PARTS", 1)
    with pytest.raises(UnsupportedSyntaxError, match="'found' differs between two paths"):
        symdiff.grad(differs_behind_functions)(0.5)
    assert len(attempts) <= 5


def test_what_was_followed_too_often_is_not_followed_again(
    attempts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "MOST_TRIALS", 2)
    with pytest.raises(UnsupportedSyntaxError, match="followed more than 2 times"):
        symdiff.grad(loops_behind_loops)(2.0)
    assert len(attempts) == 1


def of_pairs(x: Any) -> Any:
    factorials = [math.factorial(k) for k in range(30)]
    falling = [math.exp(k * x) for k in range(-29, 1)]
    sums = [0]
    for power in [x**k / factorials[k] for k in range(30)]:
        sums.append(sums[-1] + power)
    sums.pop(0)
    rising = [0.0] * 30
    for k in range(30):
        rising[k] = x**k * sums[k]
    total = 0.0
    for i in range(1, 30):
        for j in range(i + 1):
            binomial = factorials[i] / (factorials[i - j] * factorials[j])
            total += binomial * falling[j - i - 1] * rising[j]
    return total


def test_loops_that_are_too_long_to_be_unrolled_select_their_items(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interpreter, "MOST_FOLLOWED", 3000)
    steps = [(of_pairs(0.9 + h) - of_pairs(0.9 - h)) / (2.0 * h) for h in (2e-4, 1e-4)]
    extrapolated = (4.0 * steps[1] - steps[0]) / 3.0
    assert symdiff.grad(of_pairs)(0.9) == pytest.approx(extrapolated, rel=1e-9)
