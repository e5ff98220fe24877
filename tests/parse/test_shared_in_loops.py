"""Two names of one array, list or dict from one turn of a loop to the next."""

import inspect

import numpy as np
import pytest

import symdiff
from symdiff import grad
from symdiff.errors import SignatureError
from symdiff.ir.graph import walk_nodes
from symdiff.pipeline import staged_at
from symdiff.runtime.signature import signature_of
from tests.parse.following import follows
from tests.reference import directional

X = np.array([1.0, 2.5, 3.0])


class Box:
    def __init__(self, value):
        self.value = value


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


def merged_where_nothing_is_written(x, n):
    a, b, c = x.copy(), x * 2.0, x * 3.0
    for i in range(n):
        c[1:] = a[:-1] * 0.5
        for j in range(n):
            a, b = b, a
            if x[1] > i + j:
                b, c = c, b
        a[0] += c[1]
    return a.sum() + 2.0 * b[1] + 3.0 * c.sum()


def merged_in_an_inner_loop_and_written(x, n):
    a, b, c = x * 3.0, x * 2.0, x.copy()
    for i in range(n):
        b[2] *= x[0]
        for _ in range(n):
            b, c, a = c, a, b
            if x[1] > i:
                a, b = b, a
        c[1:] = a[:-1] * 0.5
    return a.sum() + 2.0 * b[1] + 3.0 * c.sum()


def no_turn_is_left_when_the_first_is_on_its_own(x, n):
    a, b, c = x * 3.0, x * 2.0, x.copy()
    for _ in range(1):
        c = a * 0.5
        c += 1.0
        c = b
        a, c = c, a
        a[1:] = c[:-1] * 0.5
    return a[0] + 2.0 * b[1] + b.sum() + c.sum()


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
    two_lists,
    second_name_bound_on_one_path,
    second_name_never_bound,
    second_name_of_what_is_written,
    second_name_bound_till_a_break,
    three_names_of_which_two_part,
    names_in_a_tuple_part,
    merged_where_nothing_is_written,
    merged_in_an_inner_loop_and_written,
    no_turn_is_left_when_the_first_is_on_its_own,
]
CALLS = [(X, 4), (X * 0.1, 3), (X, 1), (X, 0)]


@pytest.mark.parametrize("function", FOLLOWED, ids=lambda f: f.__name__)
def test_what_is_written_in_a_loop_changes_under_all_its_names(function):
    follows(function, *CALLS)


# Arrays that change places in each turn: they are never one


def two_buffers(x, n):
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(n):
        v[1:-1] = u[1:-1] + 0.2 * (u[2:] - u[:-2]) * u[1:-1]
        u, v = v, u
    return u @ x + v.sum()


def two_buffers_with_a_third_name(x, n):
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(n):
        v[1:] = u[:-1] * x[1:]
        w = u
        u = v
        v = w
    return u @ x + v.sum()


def three_buffers(x, n):
    a, b, c = x.copy(), x * 2.0, np.zeros_like(x)
    for _ in range(n):
        c[1:] = a[1:] * b[:-1]
        c[0] = b[0]
        a, b, c = b, c, a
    return a @ x + b.sum() - c[1]


def swapped_on_a_path(x, n):
    u, v = x.copy(), np.zeros_like(x)
    for i in range(n):
        v[1:] = u[:-1] * x[1:]
        v[0] += u[0]
        if v[0] > i:
            u, v = v, u
    return u @ x + v.sum()


def swapped_in_an_inner_loop(x, n):
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(n):
        for _ in range(n):
            v[1:] = u[:-1] * x[1:]
            u, v = v, u
        u[0] += v[1]
    return u @ x + v.sum()


def swapped_while(x, n):
    u, v, k = x.copy(), np.zeros_like(x), 0
    while k < n:
        v[1:] = u[:-1] * x[1:]
        u, v, k = v, u, k + 1
    return u @ x + v.sum()


def a_buffer_that_is_filled(x, n):
    u, v = x.copy(), np.empty_like(x)
    for _ in range(n):
        v[:] = u * x
        v[0] -= u[1]
        u, v = v, u
    return u @ x


def rows_that_change_places(x, n):
    rows = [x.copy(), np.zeros_like(x)]
    for _ in range(n):
        rows[1][1:] = rows[0][:-1] * x[1:]
        rows[0], rows[1] = rows[1], rows[0]
    return rows[0] @ x + rows[1].sum()


SWAPPED = [
    two_buffers,
    two_buffers_with_a_third_name,
    three_buffers,
    swapped_on_a_path,
    swapped_in_an_inner_loop,
    swapped_while,
    a_buffer_that_is_filled,
    rows_that_change_places,
]


@pytest.mark.parametrize("function", SWAPPED, ids=lambda f: f.__name__)
def test_arrays_that_change_places_are_carried_by_one_loop(function):
    grad(function).source("float64[k]", "int")  # would be refused where a turn is not like another
    graph = staged_at(function, signature_of(["x", "n"], (X, 4)), (X, 4))[0].graph
    loops = [node for node in walk_nodes(graph.block) if node.op.name == "loop"]
    text = inspect.getsource(function)
    assert len(loops) == text.count("for ") + text.count("while ")
    follows(function, *CALLS)


def test_a_name_that_stays_is_not_written_under_the_names_that_change_places():
    def kept(x, n):
        u, v = x.copy(), np.zeros_like(x)
        w = u
        for _ in range(n):
            v[1:] = u[:-1] * x[1:]
            u, v = v, u
        return u @ x + w.sum()

    follows(kept, *CALLS)
    with pytest.raises(SignatureError, match="depends on the value of n"):
        grad(kept).source("float64[k]", "int")


def test_an_attribute_that_is_one_of_several_is_set_anew_in_a_loop():
    def function(x, z):
        p = Box(x[1:])
        for _ in range(2):
            for _ in range(4):
                q = Box(z[1:])
            if z[0] > 0.0:
                s = z * 2.0
            else:
                continue
            p, q = q, p
        p.value[0] = x[1]
        return p.value * s[1:]

    follows(function, (X, X * 2.0), (X, -X))


def history_that_is_returned_early(y, limit):
    times, values, t = [0.0], [], 0.0
    while t < 1.0:
        y = y * 0.9
        if y < limit:
            return times, values
        values.append(y)
        times.append(t)
        t = t + 0.1
    return times, values


class Decay:
    def __init__(self, y):
        self.y, self.values = y, []

    def run(self, limit):
        t = 0.0
        while t < 1.0:
            self.y = self.y * 0.9
            self.values.append(self.y)
            if self.y < limit:
                return self
            t = t + 0.1
        self.y = 2.0 * self.y
        return self


def state_that_is_returned_early(state, limit):
    for k in range(3, 12):
        state["y"] = state["y"] * 0.9
        for _ in range(k):
            if state["y"] < limit:
                state["values"].append(state["y"])
                if len(state["values"]) > 2:
                    return state, k
    return state, 0


def of_lists(x, limit):
    times, values = history_that_is_returned_early(x, limit)
    values.append(x * x)
    return sum(values) + times[-1] * x


def of_an_object(x, limit):
    decay = Decay(x).run(limit)
    decay.values.append(x * x)
    return decay.y + sum(decay.values)


def of_a_dict(x, limit):
    state, k = state_that_is_returned_early({"y": x, "values": []}, limit)
    return k * state["y"] + sum(state["values"])


def of_a_name_of_a_loop(x, limit):
    values, t = [x], 0.0
    while t < limit:
        values.append(t * x)
        held = values
        t = t + 0.1
    held.append(x * x)
    values.append(2.0 * x)
    return sum(values) * 3.0 + sum(held)


@pytest.mark.parametrize("limit", [0.5, 0.3, 1.1])
@pytest.mark.parametrize("function", [of_lists, of_an_object, of_a_dict, of_a_name_of_a_loop])
def test_what_a_loop_returns_early_is_what_it_writes(function, limit, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    value, slope = symdiff.value_and_grad(function)(1.3, limit)
    assert value == function(1.3, limit)
    expected = directional(function, (1.3, limit), (1.0, None), step=0.001).value
    np.testing.assert_allclose(slope, expected, rtol=1e-8)
    _, forward = symdiff.jvp(lambda x: function(x, limit), (1.3,), (1.0,))
    np.testing.assert_allclose(forward, expected, rtol=1e-8)
