"""Names that are one of several things, of several types or written afterwards."""

import numpy as np
import pytest

import symdiff
from tests.parse.following import follows

X = np.array([1.0, 2.5, 3.0])


def chosen_then_written(x, p):
    c, d = x.copy(), x * 2.0
    e = c if p > 0.5 else d
    e[0] = 7.0
    e *= 2.0
    return c.sum() * 2.0 + d[0], c, d


def written_then_read_under_the_choice(x, p):
    c, d = x.copy(), x * 2.0
    e = c if p > 0.5 else d
    c[0] = 7.0
    d[1] = 8.0
    return e.sum(), e * 2.0


def chosen_twice(x, p):
    a, b, c = x.copy(), x * 2.0, x * 3.0
    e = a if p > 0.5 else b
    f = e if x[1] > 1.0 else c
    f[0] = 9.0
    e[1] = 8.0
    return a, b, c, e + f


def view_or_array(x, p):
    a = x.copy()
    if p > 0.5:  # noqa: SIM108 - as users write it
        e = a[1:]
    else:
        e = a[:-1] * 2.0
    a[1] = 5.0
    e[0] += 1.0
    return a, e * 1.0


def view_beside_what_may_be_another(x, p):
    a = x.copy()
    c = d = a[1:]
    if x[0] > 9.0:
        d = 2.0 * d
    else:
        if p > 0.5:
            c = x * 2.0
        for _ in range(2):
            c[0] += 0.5
    return a, np.abs(d)


def type_depends_on_the_loop(x, p):
    s, k = 1.0, 0
    while k < 5:
        k += 1
        s = 0.5 if np.sum(s) > 3.0 else s + x * p
        if np.sum(s) > 8.0:
            s = np.sum(s) * 0.2
    return np.sum(s)


def array_after_the_first_turn(x, p):
    y, k = p, 0
    while k < p * 3.0:
        k += 1
        for j in range(2):
            if np.sum(y) > 0.1 * j:
                y = x * np.sum(y) * 0.1
    return np.sum(y) + k


def condition_reads_a_choice(x, p):
    s, k = x if p > 0.5 else 1.0, 0
    while np.sum(s) < 20.0 and k < 9:
        k += 1
        s = s * 2.0 if np.sum(s) > 3.0 else np.sum(s) + p
    return np.sum(s), k


def unbound_on_a_path(x, p):
    if p > 0.5:
        s = x * 2.0
    elif p > 0.2:
        s = 3.0
    k = 0
    while k < 2:
        k += 1
        if x[0] > k:
            s = s * p
    return np.sum(s)


def returned_from_a_case(x, p):
    u, c = x.copy(), x * 2.0
    for i in range(3):
        u[0] += p
        if x[1] > i:
            c = u
        if c[0] > 2.5:
            return c.sum() * 2.0
    return u.sum()


def a_number_unless_a_loop_in_an_arm_turns(x, y):
    if y > 0.5:
        z = y
    else:
        z = y
        while np.sum(z) < 0.2:
            z = x + 1.0
    return np.sum(z * 2.0)


def sought_or_filled(x, p):
    found = None
    for k in range(4):
        if x[0] + k > p:
            found = (x[1] * k, x[2])
            break
    if found is None:
        found = (x[0], p)
    return np.sum(np.array(found) ** 2)


FOLLOWED = [
    sought_or_filled,
    a_number_unless_a_loop_in_an_arm_turns,
    chosen_then_written,
    written_then_read_under_the_choice,
    chosen_twice,
    view_or_array,
    view_beside_what_may_be_another,
    type_depends_on_the_loop,
    array_after_the_first_turn,
    condition_reads_a_choice,
    unbound_on_a_path,
    returned_from_a_case,
]


@pytest.mark.parametrize("function", FOLLOWED, ids=lambda f: f.__name__)
def test_each_case_is_followed(function):
    follows(function, (X, 0.9), (X, 0.3), (X * 0.2, 0.9), (X * 0.2, 0.1))


FIRST, SECOND = np.ones(2), np.full(2, 5.0)


def reads_two_beside_a_case(x):
    y = x * np.ones(2) if x > 0 else 2.0
    s = (FIRST[0] + SECOND[0]) * np.sum(y)
    FIRST[0] = x
    return s


def test_a_statement_staged_again_writes_the_array_that_it_read_first():
    expected = reads_two_beside_a_case(3.0)
    after = FIRST.copy(), SECOND.copy()
    FIRST[0] = 1.0
    assert symdiff.value_and_grad(reads_two_beside_a_case)(3.0) == (expected, 12.0)
    assert np.array_equal((FIRST, SECOND), after)
    FIRST[0] = 1.0
