"""Two names of one array, list or dict from one turn of a loop to the next."""

import numpy as np
import pytest

from symdiff.errors import AliasingError
from tests.parse.following import follows

X = np.array([1.0, 2.5, 3.0])


def other_name_before_the_loop(x, n):
    u = x.copy()
    c = u
    s = 0.0
    for _ in range(n):
        u[0] += 1.0
        s = s + c[0]
        c = c * 2.0
    return s + c.sum()


def other_name_on_a_path_before_the_loop(x, n):
    u = x.copy()
    c = u if x[0] > 0.5 else x * 2.0
    s = 0.0
    for _ in range(n):
        u[0] += 1.0
        s = s + c[0]
        c = c * 2.0
    return s + c.sum()


def written_before_it_is_named_again(x, n):
    u, c = x.copy(), x * 2.0
    for i in range(n):
        u[0] += 1.0
        if x[1] > i:
            c = u
    return c.sum()


def a_view_is_named(x, n):
    u, c = x.copy(), x * 2.0
    for i in range(n):
        u[1] += 1.0
        if x[1] > i:
            c = u[1:]
    return c.sum()


def a_list_holds_it(x, n):
    u, c = x.copy(), [x * 2.0]
    for i in range(n):
        u[0] += 1.0
        if x[1] > i:
            c = [u]
    return c[0].sum()


def a_list_is_given_it(x, n):
    u, c = x.copy(), [x * 2.0]
    for i in range(n):
        u[0] += 1.0
        if x[1] > i:
            c[0] = u
    return c[0].sum()


def a_dict_is_given_it(x, n):
    u, c = x.copy(), {"a": x * 2.0}
    for i in range(n):
        u[0] += 1.0
        if x[1] > i:
            c["a"] = u
    return c["a"].sum()


def two_lists(x, n):
    c, d = [1.0, 2.0], [x[0], 3.0]
    for i in range(n):
        c[0] += x[0]
        if x[1] > i:
            d = c
    return d[0] + c[0]


def new_in_each_turn_or_the_other(x, n):
    u, c = x.copy(), x * 2.0
    for i in range(n):
        u[0] += 1.0
        c = c * 2.0
        if x[1] > i:
            c = u
    return c.sum()


def written_under_the_second_name(x, n):
    u, c, s = x.copy(), x * 2.0, 0.0
    for i in range(n):
        c[0] += 1.0
        s += u[0]
        if x[1] > i:
            c = u
    return c.sum() + s


def named_in_an_inner_loop(x, n):
    u, c, s = x.copy(), x * 2.0, 0.0
    for i in range(n):
        for _ in range(2):
            u[0] += 1.0
        for j in range(2):
            if x[1] > j + i:
                c = u
        s += c[0]
    return c.sum() + s


def through_a_third_name(x, n):
    u, c, d = x.copy(), x * 2.0, x * 3.0
    for i in range(n):
        d[0] += 1.0
        if x[1] > i:
            d = c
        if x[0] > 0.5:
            c = u
        u[1] *= 2.0
    return d.sum() + c.sum() + u.sum()


def in_a_while_loop(x, n):
    u, c, k = x.copy(), x * 2.0, 0
    while k < n:
        k += 1
        u[0] += 1.0
        if x[1] > k:
            c = u
    return c.sum()


def second_name_bound_on_one_path(x, n):
    for i in range(n + 1):
        u = x * (i + 1.0)
        if x[1] > i - 0.5:
            c = u
    return u.sum() + 10.0 * c.sum()


def second_name_never_bound(x, n):
    for _ in range(n + 1):
        u = x * 3.0
        if x[1] > 100.0:
            c = u  # noqa: F841
    return u.sum()


def second_name_of_what_is_written(x, n):
    for i in range(n + 1):
        u = x * (i + 1.0)
        if x[1] < -1.0:
            pass
        elif x[1] > i - 0.5:
            c = u
            u *= 2.0
    return u.sum() + 10.0 * c.sum()


def second_name_bound_till_a_break(x, n):
    for i in range(n + 1):
        u = x * (i + 1.0)
        if x[1] > i - 0.5:
            c = u
            u[0] = x[1] * 3.0
        if u[1] > 5.0:
            break
    return u.sum() + 10.0 * c.sum()


def three_names_of_which_two_part(x, n):
    for i in range(n + 1):
        u = x * (i + 1.0)
        v = u
        if x[1] > i - 0.5:
            c = v
    return u.sum() + 10.0 * c.sum() + 100.0 * v.sum()


def names_in_a_tuple_part(x, n):
    pair = (x * 0.0, x * 0.0)
    for i in range(n):
        u = x * (i + 1.0)
        pair = (u, u) if i == 0 or x[1] > i else (u, pair[1])
    return pair[0].sum() + 10.0 * pair[1].sum()


FOLLOWED = [
    other_name_before_the_loop,
    other_name_on_a_path_before_the_loop,
    written_before_it_is_named_again,
    a_view_is_named,
    a_list_holds_it,
    a_list_is_given_it,
    a_dict_is_given_it,
    new_in_each_turn_or_the_other,
    written_under_the_second_name,
    named_in_an_inner_loop,
    through_a_third_name,
    in_a_while_loop,
    second_name_bound_on_one_path,
    second_name_never_bound,
    second_name_of_what_is_written,
    second_name_bound_till_a_break,
    three_names_of_which_two_part,
    names_in_a_tuple_part,
]
CALLS = [(X, 4), (X * 0.1, 3), (X, 1), (X, 0)]


@pytest.mark.parametrize("function", FOLLOWED, ids=lambda f: f.__name__)
def test_what_is_written_in_a_loop_changes_under_all_its_names(function):
    follows(function, *CALLS)


def test_two_names_of_a_list_that_is_written():
    with pytest.raises(AliasingError, match="may be one of several"):
        follows(two_lists, *CALLS)
