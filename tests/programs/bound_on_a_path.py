"""Names that are bound on some paths only, or in some turns of a loop only."""

from __future__ import annotations

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
