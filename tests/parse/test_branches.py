"""Branches: what two paths leave in a name, containers and objects, and the rest of the block."""
# ruff: noqa: F841, SIM108, PLR - written as their users write them

import dataclasses
import math

import numpy as np
import pytest

from tests.parse.asserting import asserts, asserts_plainly
from tests.parse.following import follows

X = np.array([0.5, -1.25, 2.0, 3.5])
CASES = [(X, k) for k in (-2.0, 0.0, 1.0, 3.0)]


def types_differ(x, k):
    if x[0] > k:
        s = 1
    else:
        s = x[1]
    return s * 2


def bool_or_float(x, k):
    if x[0] > k:
        s = True
    elif x[1] > k:
        s = 3
    else:
        s = 2.5
    return s + x[0]


def rank_differs(x, k):
    if x[0] > k:
        s = x
    else:
        s = x[1]
    return np.sum(s * 2.0)


def none_or_array(x, k):
    w = None
    if x[0] > k:
        w = x * 2.0
    if w is None:
        return x.sum()
    return w.sum()


def string_on_a_path(x, k):
    if x[0] > k:
        mode = "sum"
    else:
        mode = "prod"
    total = x[0] + 1.0
    if mode == "sum":
        return x.sum() + total
    return x.prod() + total


def function_on_a_path(x, k):
    if x[0] > k:
        f = np.sin
    else:

        def f(v):
            return v * v

    return f(x) + 1.0


def tuple_of_other_length(x, k):
    if x[0] > k:
        t = (x[0], x[1])
    else:
        t = (x[2],)
    return sum(t) * len(t)


def list_of_other_length(x, k):
    t = [x[0]]
    if x[0] > k:
        t.append(x[1])
        t.append(2.0)
    return sum(t), len(t), t


def dict_of_other_keys(x, k):
    d = {"a": x[0]}
    if x[0] > k:
        d["b"] = x[1]
    total = 0.0
    for name in d:
        total += d[name] * len(name)
    return total, len(d), "b" in d


def defined_on_one_path(x, k):
    if x[0] > k:
        w = x * 2.0
    s = x.sum()
    if x[0] > k:
        s += w[1]
    return s


def list_defined_on_one_path(x, k):
    if x[0] > k:
        w = [x[0] * 2.0, [x[1]]]
    s = x.sum()
    if x[0] > k:
        w[1].append(s)
        s += w[0] + w[1][0] + w[1][1]
    return s


def dict_defined_on_one_path(x, k):
    if x[0] > k:
        w = {"a": x * 2.0, "b": [x[1]]}
    s = x.sum()
    if x[0] > k:
        w["a"][0] = s
        s += w["b"][0] + w["a"].sum()
    return s


@dataclasses.dataclass
class Box:
    v: object
    n: float = 1.0


def object_defined_on_one_path(x, k):
    if x[0] > k:
        w = Box(x * 2.0)
    s = x.sum()
    if x[0] > k:
        w.v[0] = s
        s += w.v.sum() * w.n
    return s


def closure_defined_on_one_path(x, k):
    if x[0] > k:
        y = x * 3.0

        def w(v, scale=x[1] * 2):
            return v * y.sum() * scale

    s = x.sum()
    if x[0] > k:
        s += w(s)
    return s


def made_closure_on_one_path(x, k):
    def make(c):
        return lambda v: v * c

    if x[0] > k:
        w = make(x[1] * 2)
    else:
        w = make(x * 2)
    s = x.sum()
    return s + np.sum(w(s))


def unbound_on_the_path_taken(x, k):
    if x[0] > k:
        w = x[0]
    return w * 2.0


def deleted_on_a_path(x, k):
    w = x[0]
    if x[0] > k:
        del w
    return w * 2.0


def object_attribute_types(x, k):
    b = Box(0)
    if x[0] > k:
        b.v = x[1]
        b.n += 1
    b.n *= x[0]
    return b.v * 2, b.n


def object_chosen(x, k):
    a, b = Box(x[0]), Box(x[1], 5.0)
    c = a if x[0] > k else b
    c.n += 1.0
    c.v = c.v * c.n
    return a.v, a.n, b.v, b.n, c.v


def list_chosen(x, k):
    a, b = [x[0]], [x[1]]
    if x[0] > k:
        c = a
    else:
        c = b
    c.append(9.0)
    return a, b, c


def list_chosen_then_source_written(x, k):
    a, b = [x[0]], [x[1]]
    c = a
    if x[0] > k:
        c = b
    a.append(9.0)
    return a, b, c


def same_new_array_in_one_arm(x, k):
    if x[0] > k:
        v = x * 2
        w = v
    else:
        v = x * 2
        w = x * 3
    v[0] = 100.0
    return v, w


def same_new_list_in_one_arm(x, k):
    if x[0] > k:
        v = [x[0]]
        w = v
    else:
        v = [x[0]]
        w = [x[1]]
    v.append(100.0)
    return v, w


def view_in_one_arm(x, k):
    a = x.copy()
    v = a[1:] if x[0] > k else x[1:] * 2
    a[1] = 77.0
    return v, a


def argument_in_one_arm(x, k):
    a = x
    if x[0] > k:
        a = x * 2.0
    a[0] = 9.0
    return a * 1.0


def written_in_arms(x, k):
    a = np.zeros(3)
    if x[0] > k:
        a[0] = x[0]
        a[1:] = x[1]
    elif x[1] > k:
        a[:] = x[2]
    else:
        a += x[:3]
        a[1] -= 1
    return a


def nested_conditions(x, k):
    s = 0.0
    if x[0] > k:
        if x[1] > k:
            s = 1.0
        else:
            if x[2] > k:
                s = x[2]
            s += 1
    elif (x[3] > k and x[1] < k) or not x[2] > k:
        s = x[3] * 3
    else:
        pass
    return s


def early_returns(x, k):
    if x[0] > k:
        return x[0]
    y = x * 2
    if y[1] > k:
        return y[1] + 1
    elif y[2] > k:
        y[0] = 5.0
    else:
        return 7.0
    return y.sum()


def raises_on_a_path(x, k):
    if x[0] > k:
        raise ValueError(f"too large: {x[0]:.2f} > {k}")
    return x.sum()


def raises_in_a_helper(x, k):
    def check(v):
        if v > k:
            raise KeyError("v", v)
        return v

    return check(x[1]) + check(x[0])


def short_circuit(x, k):
    if k != 0.0 and x[0] / k > 0.2:
        return x[0] / k
    if k == 0.0 or x[1] / k > 0:
        return 1.0
    return x[1]


def short_circuit_raises(x, k):
    i = int(k)
    if i < 2 and i >= 0 and x[i + 2] > 0:
        return math.log(x[i + 2])
    return k > 2 and math.sqrt(k)


def values_of_and_or(x, k):
    a = x[0] or k
    b = k and x[1]
    c = (k > 0) and 3.0
    return a + b, c


def conditional_expressions(x, k):
    a = x[0] if x[0] > k else -x[1] if x[1] > k else 2
    b = (x if k > 0 else x * 2).sum()
    c = [x[0] if k > 1 else 0.0, k]
    return a, b, c


def chained_comparisons(x, k):
    a = 1.0 if -1 < x[0] < k < 4 else 0.0
    b = 2.0 if x[0] < k > x[1] else 3.0
    c = 0 <= k <= 1 != 2
    return a, b, c


def calls_in_chained_comparison(x, k):
    log = []

    def seen(v):
        log.append(v)
        return v

    r = seen(x[0]) < seen(k) < seen(5.0)
    return r, log


def walrus_in_condition(x, k):
    if (y := x[0] * 2) > k:
        return y
    if (z := y + x[2]) > k and (w := z * 2) > k:
        return w
    return y - z


def min_and_max(x, k):
    return max(x[0], k), min(k, x[1], 2.0), max([x[0], x[1], k]), min(x[i] for i in range(3))


def max_with_key(x, k):
    best = max([(x[0], 1), (k, 2), (x[1], 3)], key=lambda t: t[0])
    return best


def match_by_elif(x, k):
    kind = {-2.0: "a", 0.0: "b"}
    if k == -2.0:
        f = 1
    elif k == 0.0:
        f = 2.0
    else:
        f = x[0]
    return f * x


def swap_under_condition(x, k):
    a, b = x[0], x[1]
    if a > k:
        a, b = b, a
    if a > b:
        a, b = b, a
    return a, b


def float_and_numpy(x, k):
    s = 0.0
    if x[0] > k:
        s = x[0]
    return s


def int_augmented(x, k):
    n = 0
    if x[0] > k:
        n += 1
    if x[1] > k:
        n += 1
    return x * n, n


def static_index_from_branch(x, k):
    i = 0
    if x[0] > k:
        i = 2
    return x[i] * x[i + 1]


def axis_from_branch(x, k):
    m = np.outer(x, x[:2])
    axis = 0
    if x[0] > k:
        axis = 1
    return m.sum(axis=axis)


def name_reused(x, k):
    t = x[0]
    if t > k:
        t = x * 2
        t = t.sum()
    else:
        t = [t, 1.0]
        t = t[0] + t[1]
    t = (t, t)
    return t[0] * t[1]


ALL = [f for f in list(globals().values()) if getattr(f, "__module__", 0) == __name__]
ALL = [f for f in ALL if not isinstance(f, type)] + [asserts, asserts_plainly]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_branches(function):
    follows(function, *CASES)
