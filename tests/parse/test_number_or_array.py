"""What is a number on one path and an array of rank 0 on the other."""

import numpy as np
import pytest

from tests.parse.following import follows


def least_of(x, p):
    return np.exp(min(np.where(x > 0.5, x, -x), 0.75, x * 2.0)) + max(0.25, np.where(p, x, 0.1))


def chosen_in_an_expression(x, p):
    return 1.0 + (np.where(x > 0.5, x, -x) if p > 0.5 else x * x) ** 2


def bound_to_a_name(x, p):
    t = np.where(x > 0.5, x, -x)
    if p > 0.5:
        t = x * 3.0
    u = t
    return np.sum(u) * float(t) + (t if x > 2.0 else p)


def carried_by_a_loop(x, p):
    t, k = x, 0
    while k < 3:
        k += 1
        t = np.where(t > 0.5, 0.4 * t, 1.5 * t) if k < p * 3.0 else x + t
    return t * 2.0


def returned_by_a_function(x, p):
    def inner(t):
        if t > 0.5:
            return np.where(p > 0.5, t, -t)
        return t * 2.0

    return inner(x) + inner(p) * 3.0


def in_a_loop_with_a_static_count(x, p):
    s = 0.0
    for k in range(3):
        s = np.where(s > x, s, x) + min(np.where(p > k, x, p), 1.0)
    return s * 1.0


def told_apart_where_it_is_returned(x, p):
    if p > 0.5:  # noqa: SIM108 - as users write it
        t = np.asarray(x)
    else:
        t = x * 2.0
    t += 1.0
    return t * 1.0


def array_changes_before_it_is_read(x, p):
    a = np.asarray(x)
    t = [a if p > 0.5 else x * 2.0, 1.0]
    a[...] = 7.0
    return t[0] * 1.0


def copied(x, p):
    return (1.0 + max(np.where(x > 0.5, x, -x), 0.5)) * [max(np.where(x > p, x, p), x).copy()][0]


def seen_as_an_array(x, p):
    return [np.asarray(np.where(x > 0.5, x, -x) if p > 0.5 else x * 2.0)][0] * 2.0


def asked_for_its_class(x, p):
    return x if [isinstance(max(np.where(x > 0.5, x, -x), p), np.ndarray)][0] else p


def last_of_a_loop(a, b):
    k = 0
    while k < 4 and b < 1.0:
        k += 1
        for t in [[b, a], [max(b, a), a]]:
            items = list(t)
        b = b + 0.3
    a *= 0.8
    return t, items


def told_apart_where_a_loop_leaves_it(x, p):
    t, items = last_of_a_loop(np.where(x > 0.5, x, 0.5), p)
    return t[0] * 1.0 + items[1] * x


FOLLOWED = [
    least_of,
    chosen_in_an_expression,
    bound_to_a_name,
    carried_by_a_loop,
    returned_by_a_function,
    in_a_loop_with_a_static_count,
    told_apart_where_it_is_returned,
    array_changes_before_it_is_read,
    copied,
    seen_as_an_array,
    asked_for_its_class,
    told_apart_where_a_loop_leaves_it,
]


@pytest.mark.parametrize("function", FOLLOWED, ids=lambda f: f.__name__)
def test_its_value_and_what_it_is_are_followed(function):
    follows(function, (0.7, 0.9), (0.2, 0.1), (-1.5, 0.9), (3.0, 0.1))
    follows(function, (np.float64(0.7), 0.9), (np.float64(0.2), 0.1))


def made_in_a_loop(x, p):
    k, s = 0, 0.0
    while k < 3:
        k += 1

        def scaled(t):
            return t * x + k  # noqa: B023 - that is the point

        s += scaled(p)
    return s + scaled(1.0)


def made_on_one_path(x, p):
    if p > 0.5:

        def scaled(t):
            return t * x

        s = scaled(2.0)
    else:
        s = x
    if p > 0.5:
        s += scaled(s)
    return s


@pytest.mark.parametrize("function", [made_in_a_loop, made_on_one_path], ids=lambda f: f.__name__)
def test_functions_made_where_paths_meet(function):
    follows(function, (0.7, 0.9), (0.2, 0.1))


def test_a_loop_without_turns_leaves_nothing():
    follows(told_apart_where_a_loop_leaves_it, (0.7, 1.5))
