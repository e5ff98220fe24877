"""Arrays that have several names: through containers, objects, closures, views, swaps and loops."""

import dataclasses
import types

import numpy as np
import pytest

from tests.parse.following import follows

X = np.array([0.5, -1.25, 2.0, 3.5])
ONE = np.array([0.75])
NONE = np.zeros(0)
M = np.arange(12.0).reshape(3, 4) / 7.0
SIZES = (X, ONE, NONE)


def list_holds_the_array(x):
    a = x.copy()
    items = [a, a]
    a[0] = 7.0
    items[1][1] = 9.0
    return items[0] * 2.0 + a


def appended_then_written(x):
    a = x.copy()
    items = []
    items.append(a)
    a[0] = 7.0
    items.append(a * 2.0)
    items[0][1] = -1.0
    return items[0] + items[1], a


def dict_holds_the_array(x):
    a = x.copy()
    d = {"a": a, "b": a[1:]}
    a[1] = 4.0
    d["b"][0] += 1.0
    d["a"][0] = d["b"][1]
    return a, d["a"], d["b"]


def tuple_holds_the_array(x):
    a = x.copy()
    pair = (a, (a, 3.0))
    a *= 2.0
    pair[1][0][0] = 5.0
    return pair[0], a


def closure_sees_the_array(x):
    a = x.copy()

    def bump():
        a[0] += 1.0
        return a[0]

    first = bump()
    a[0] *= 3.0
    return first + bump(), a


def default_argument_is_one_array(x):
    a = x.copy()

    def add(v, into=a):
        into[0] += v
        return into

    add(2.0)
    b = add(3.0)
    b[1] = 8.0
    return a


def returned_argument_is_the_argument(x):
    def touch(v):
        v[0] = 1.5
        return v

    a = x.copy()
    b = touch(a)
    b[1] = 2.5
    c = touch(b * 1.0)
    c[1] = 100.0
    return a, b, c


def argument_written_through_alias(x):
    a = x
    a += 1
    b = x[1:]
    b[0] = -3.0
    return a * x


def argument_rebound_is_not_written(x):
    a = x
    a = a + 1
    a[0] = 5.0
    return a, x


def view_of_view(x):
    a = x.copy()
    b = a[1:]
    c = b[::-1]
    d = c[1:]
    d += 10.0
    c[0] *= 2.0
    b[0] -= 1.0
    a[-1] = d[0]
    return a, b, c, d


def scalar_read_is_a_copy(x):
    a = x.copy()
    first = a[0]
    a[0] = 9.0
    return first, a


def old_value_stays(x):
    a = x.copy()
    b = a + 0.0
    c = a * 1.0
    a[0] = 9.0
    b[1] = 3.0
    return a, b, c


def swap_names(x):
    u, v = x.copy(), x * 2.0
    u, v = v, u
    u[0] = 1.0
    v[1] = 2.0
    return u, v


def swap_rows_by_unpacking(m):
    a = m.copy()
    a[0], a[1] = a[1], a[0]
    return a


def swap_elements(x):
    a = x.copy()
    a[0], a[1] = a[1], a[0]
    a[1], a[2], a[3] = a[3], a[1], a[2]
    return a


def swap_rows_by_index(m):
    a = m.copy()
    a[[0, 2]] = a[[2, 0]]
    return a


def overlapping_store(x):
    a = x.copy()
    a[1:] = a[:-1]
    b = x.copy()
    b[:-1] += b[1:]
    return a, b


def fancy_read_is_a_copy(x):
    a = x.copy()
    b = a[[0, 1]]
    b[0] = 5.0
    c = a[a > 0]
    c[:] = 1.0
    return a, b, c


def reshape_is_a_view(m):
    a = m.copy()
    flat = a.reshape(-1)
    flat[3] = 50.0
    a[0, 0] = -1.0
    rows = flat.reshape(4, 3)
    rows[1] = 0.5
    return a, flat, rows


def transpose_is_a_view(m):
    a = m.copy()
    t = a.T
    t[0] *= 2.0
    a[1, 1] = t[0, 1]
    return a, t


def flat_copy_is_not(m):
    a = m.copy()
    f = a.flatten()
    f[0] = 99.0
    r = a.ravel()
    r[1] = 98.0
    a.flat[2] = 97.0
    return a, f


def asarray_is_the_array(x):
    a = x.copy()
    b = np.asarray(a)
    b[0] = 4.0
    c = np.array(a)
    c[1] = 6.0
    d = np.array(a, copy=False) if False else np.atleast_1d(a)
    d[2] = 8.0
    return a, b, c


def out_is_the_array(x):
    a = np.empty_like(x)
    b = np.multiply(x, 2.0, out=a)
    b[0] = 1.0
    np.add(a, a, out=a)
    np.add(a[1:], 1.0, out=a[1:])
    return a, b


def expanded_views(x):
    a = x.copy()
    b = a[:, None]
    b[0, 0] = 3.0
    c = np.expand_dims(a, 0)
    c[0, 1] = 4.0
    d = b.squeeze()
    d[2] = 5.0
    e = a[None]
    e += 1.0
    return a, b, c, d


def in_place_on_element_view(m):
    a = m.copy()
    a[1] += a[0]
    a[1][2] = 100.0
    a[:, 1][0] = 50.0
    a[0][1:3] *= 2.0
    row = a[2]
    row -= row.mean()
    return a


def augmented_dict_item(x):
    d = {"v": x.copy(), "n": 1.0}
    alias = d["v"]
    d["v"] += 1.0
    d["n"] += 2.0
    d["n"] *= 3
    alias[0] = 0.0
    return d["v"], d["n"], alias


def augmented_list_item(x):
    items = [x.copy(), x.copy(), 2.0]
    alias = items[0]
    items[0] *= 3.0
    items[2] -= 0.5
    items[1] = items[1] + 1.0
    alias[1] = 1.0
    return items


def copied_list_shares_items(x):
    a = x.copy()
    one = [a, 1.0]
    two = list(one)
    three = one[:]
    four = one.copy()
    five = one + []  # noqa: RUF005
    two[0][0] = 5.0
    three[1] = 2.0
    four.append(3.0)
    five[0][1] = 6.0
    return one, two, three, four, five


def repeated_list_shares_items(x):
    rows = [x.copy()] * 3
    rows[0][0] = 5.0
    rows[1] = x * 0.0
    return rows


def nested_list_alias(x):
    inner = [1.0, 2.0]
    outer = [inner, inner]
    outer[0].append(x[0])
    inner[0] = 5.0
    return outer


def dict_copy_is_shallow(x):
    d = {"a": x.copy(), "b": [1.0]}
    e = dict(d)
    f = d.copy()
    g = {**d}
    e["a"][0] = 1.0
    f["b"].append(2.0)
    g["c"] = 3.0
    e["b"] = None
    return d, e, f, g


def shallow_and_deep_copies(x):
    import copy

    d = {"a": x.copy(), "b": [x.copy()]}
    shallow = copy.copy(d)
    deep = copy.deepcopy(d)
    shallow["a"][0] = 100.0
    shallow["b"].append(1.0)
    deep["a"][1] = 50.0
    deep["b"][0][0] = 25.0
    return d, shallow, deep


def deep_copy_keeps_sharing(x):
    import copy

    a = x.copy()
    pair = [a, a]
    made = copy.deepcopy(pair)
    made[0][0] = 7.0
    return made, a


def object_attribute_alias(x):
    box = types.SimpleNamespace(a=x.copy())
    b = box.a
    box.a += 1.0
    b[0] = 3.0
    box.a = box.a * 2.0
    box.a[1] = 0.0
    return b, box.a


@dataclasses.dataclass
class State:
    u: np.ndarray
    t: float = 0.0
    log: list = dataclasses.field(default_factory=list)

    def step(self):
        self.u += 1.0
        self.t += 0.5
        self.log.append(self.t)
        return self.u


def dataclass_attribute_alias(x):
    s = State(x.copy())
    u = s.u
    v = s.step()
    v[0] = 5.0
    w = s.step()
    r = State(u)
    r.u[1] = 8.0
    return u, v, w, s.t, s.log, r.log


def dataclass_alias(x):
    s = State(x.copy())
    r = s
    r.t = 4.0
    r.u = x * 2.0
    s.u[0] = 1.0
    return s, r.u


def starred_unpacking_alias(x):
    a = x.copy()
    first, *rest = (a, a[1:], 3.0)
    first[1] = 9.0
    rest[0][1] = 8.0
    rest.append(1.0)
    return a, rest


def arguments_in_varargs(x):
    def touch(*arrays, **named):
        arrays[0][0] = 3.0
        named["z"][1] = 4.0

    a = x.copy()
    touch(a, z=a)
    return a


def chosen_view(x):
    a = x.copy()
    b = a[1:] if x[0] > 0 else a[:-1]
    return b * 2.0, a


def chosen_array_written(x, k):
    a, b = x.copy(), x * 2.0
    c = a if x[0] > k else b
    c[0] = 100.0
    return a, b, c


def branch_writes_alias(x, k):
    a = x.copy()
    b = a
    if x[0] > k:
        b[0] = 7.0
    else:
        a[1] = 8.0
    b[2] = 1.0
    return a, b


def branch_rebinds_alias(x, k):
    a = x.copy()
    b = a
    if x[0] > k:
        b = a * 2.0
        b[0] = 5.0
    return a, b


def branch_rebinds_then_writes(x, k):
    a = x.copy()
    b = a
    if x[0] > k:
        b = x * 3.0
    b[0] = 5.0
    return a, b


def branch_swaps(x, k):
    u, v = x.copy(), x * 2.0
    if x[0] > k:
        u, v = v, u
    u[0] = 1.0
    v[1] = 9.0
    return u, v


def branch_aliases(x, k):
    u, v = x.copy(), x * 2.0
    if x[0] > k:
        v = u
    u[0] = 1.0
    return u, v


def branch_puts_in_list(x, k):
    a, b = x.copy(), x * 2.0
    items = [a]
    if x[0] > k:
        items[0] = b
    b[0] = 3.0
    a[1] = 4.0
    return items[0], a, b


def branch_puts_in_dict(x, k):
    a, b = x.copy(), x * 2.0
    d = {"v": a}
    if x[0] > k:
        d["v"] = b
    d["v"][0] = 3.0
    return a, b, d


def branch_attribute(x, k):
    a, b = x.copy(), x * 2.0
    s = State(a)
    if x[0] > k:
        s.u = b
    s.u[0] = 30.0
    a[1] = 4.0
    return s.u, a, b


ON_X = [
    list_holds_the_array,
    appended_then_written,
    dict_holds_the_array,
    tuple_holds_the_array,
    closure_sees_the_array,
    default_argument_is_one_array,
    returned_argument_is_the_argument,
    argument_written_through_alias,
    argument_rebound_is_not_written,
    view_of_view,
    scalar_read_is_a_copy,
    old_value_stays,
    swap_names,
    swap_elements,
    overlapping_store,
    fancy_read_is_a_copy,
    asarray_is_the_array,
    out_is_the_array,
    expanded_views,
    augmented_dict_item,
    augmented_list_item,
    copied_list_shares_items,
    repeated_list_shares_items,
    nested_list_alias,
    dict_copy_is_shallow,
    shallow_and_deep_copies,
    deep_copy_keeps_sharing,
    object_attribute_alias,
    dataclass_attribute_alias,
    dataclass_alias,
    starred_unpacking_alias,
    arguments_in_varargs,
    chosen_view,
]
ON_M = [
    swap_rows_by_unpacking,
    swap_rows_by_index,
    reshape_is_a_view,
    transpose_is_a_view,
    flat_copy_is_not,
    in_place_on_element_view,
]
BRANCHES = [
    chosen_array_written,
    branch_writes_alias,
    branch_rebinds_alias,
    branch_rebinds_then_writes,
    branch_swaps,
    branch_aliases,
    branch_puts_in_list,
    branch_puts_in_dict,
    branch_attribute,
]


@pytest.mark.parametrize("function", ON_X, ids=lambda f: f.__name__)
def test_aliases_of_a_vector(function):
    follows(function, X)


@pytest.mark.parametrize("function", ON_M, ids=lambda f: f.__name__)
def test_aliases_of_a_matrix(function):
    follows(function, M)


@pytest.mark.parametrize("function", BRANCHES, ids=lambda f: f.__name__)
def test_aliases_after_branches(function):
    follows(function, (X, 0.0), (X, 1.0))


def test_a_view_bound_in_a_loop_within_a_loop_is_not_lost():
    def function(x, n):
        v = x * 1.0
        k = 0
        while k < n:
            k += 1
            for row in v[::-1]:
                row += 1.0
        row *= 3.0
        return v.sum()

    follows(function, (M, 2), (M, 1.5))
