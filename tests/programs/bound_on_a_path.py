"""Names that are bound on some paths only, or in some turns of a loop only."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.programs.registry import program


def last_of_a_loop(a, b):
    k = 0
    while k < 4 and b < 1.0:
        k += 1
        for t in [[b, a], [max(b, a), a]]:
            items = list(t)
        b = b * 1.3 + 0.1
    a *= 0.8
    return t, items


@program(args=(0.6, 0.3), also=[(0.2, 0.9), (0.7, 0.6)], wrt=(0, 1))
def items_that_a_loop_leaves(x, p):
    t, items = last_of_a_loop(np.where(x > 0.5, x * x, p), p)
    return t[0] * p + items[1] * x


def times(c):
    def inner(t):
        return np.sin(t) * c

    return inner


def scaled(a, b, d=1.0):
    return a * b * d


@program(args=(0.9943,), also=[(0.7,)], step=0.01)
def defined_in_some_turns(x):
    for t in [x, x * 1.1]:
        u = v = t
        if u < 0.73:
            continue

        def local(t, c=0.5 * x):
            return v * c + t * t  # noqa: B023 - that is the point

    return local(u, t)


@program(args=(0.4, 3), also=[(0.9, 2)])
def defined_in_a_counted_loop(x, n):
    y = 0.0
    for k in range(n):
        if k > 0:
            y = y + q(x) * r() + np.sum(rows[part])  # noqa: F821 - bound in the turn before
        x = x * 1.2

        def q(t, c=x * x):
            return t * c + t * t

        r = partial(scaled, x, y + 1.0, d=x)
        rows, part = np.array([x, y, x * y]), slice(0, 2)
    return y * q(x)


@program(args=(0.4, 0.7), also=[(0.9, 1.3), (0.2, 0.3)], wrt=(0, 1))
def of_another_call_in_a_while(x, c):
    y = x
    while x < 2.0:
        if x > 1.0:
            y = y + q(x) * total()  # noqa: F821 - bound in an earlier turn
        x = x * 1.5 + 0.1 * c
        if x > 0.9:
            q, total = times(x * c), np.array([x, c * c]).sum
    return y * x * q(c)


@program(args=(0.4, 0.7), also=[(0.9, 1.3)], wrt=(0, 1))
def one_function_or_the_other(x, c):
    q = times(x * c) if x > 0.5 else times(c * c)
    y = q(x)
    for k in range(3):
        if y > 0.3 * k:
            q = times(y * x)
        else:

            def q(t, d=y):
                return t * t * d

        y = y + q(c)
    return y * q(x)
