"""``itertools.groupby`` of lists: a nan, which is equal to nothing, is a group too."""

import itertools
import math

import pytest

import symdiff as sd


def of_nan(x):
    nan = x * math.inf - x * math.inf
    return x * x * sum(1 for _ in itertools.groupby([nan, x, x, nan]))


def counted_with_nan(x):
    rows, k = [], 0.0
    while k < x:
        rows.append(math.inf * x - math.inf if k % 2.0 == 1.0 else k * x)
        k += 1.0
    sizes = sum(len(list(group)) for _, group in itertools.groupby(rows))
    return x * x * sizes + x * sum(1 for _ in itertools.groupby(rows))


def left_over(x):
    total = 0.0
    for key, group in itertools.groupby([x, 2.0 * x, 2.5 * x, 0.5 * x], key=lambda v: v > 2.5):
        total = total * x + next(group) * (2.0 if key else 3.0)
    return total


@pytest.mark.parametrize(
    ("function", "at", "slope", "second"),
    [
        (of_nan, 2.0, 12.0, 6.0),  # 3 x**2
        (counted_with_nan, 4.5, 50.0, 10.0),  # 5 x**2 + 5 x
        (left_over, 2.0, 53.5, 44.0),  # 3 x**3 + 4 x**2 + 1.5 x
    ],
)
def test_groups_are_left_where_python_leaves_them(function, at, slope, second) -> None:
    assert sd.grad(function)(at) == pytest.approx(slope, rel=1e-12)
    value, forward = sd.jvp(function, (at,), (1.0,))
    assert value == pytest.approx(function(at), rel=1e-12)
    assert forward == pytest.approx(slope, rel=1e-12)
    assert sd.grad(sd.grad(function))(at) == pytest.approx(second, rel=1e-12)


def nine_times(x):
    s = x
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    for key, group in itertools.groupby([s, s, x]):
        s = s + key * len(list(group)) * 0.1
    return s * x


def test_many_groupings_by_numbers_known_at_run_time_stand_in_one_function() -> None:
    """The function is ``c x**2``: its groups do not depend on where it is taken."""
    x = 1.7
    c = nine_times(1.0)
    assert nine_times(x) == pytest.approx(c * x * x, rel=1e-12)
    assert sd.grad(nine_times)(x) == pytest.approx(2 * c * x, rel=1e-12)
    _, forward = sd.jvp(nine_times, (x,), (1.0,))
    assert forward == pytest.approx(2 * c * x, rel=1e-12)
    assert sd.grad(sd.grad(nine_times))(x) == pytest.approx(2 * c, rel=1e-12)
