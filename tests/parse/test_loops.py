"""Loops: what they carry, that they may run no turn, how they are left, and what shares memory."""
# ruff: noqa: B007, B023, B905, F841 - written as their users write them

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import InternalError, UnsupportedSyntaxError
from symdiff.ir.graph import walk_nodes
from symdiff.parse import loops, trials
from symdiff.parse.carries import Carries
from symdiff.pipeline import staged_at
from symdiff.runtime.signature import signature_of
from tests.parse.following import follows

X = np.array([0.5, -1.25, 2.0, 3.5])
TURNS = (0, 1, 2, 5)


def calls(*arguments):
    return [(*arguments, n) for n in TURNS]


def swap(x, n):
    u, v = x.copy(), x * 2.0
    for i in range(n):
        v[1:-1] = u[1:-1] + 0.1 * u[2:] * i
        u, v = v, u
    u[0] += 1.0
    v[0] += 2.0
    return u, v


def rotate_three(x, n):
    a, b, c = x.copy(), x * 2.0, x * 3.0
    for i in range(n):
        a, b, c = b, c, a
        a[0] += i
    b[1] = 7.0
    return a, b, c


def previous(x, n):
    prev = cur = x
    for _ in range(n):
        prev, cur = cur, cur * 0.5 + prev
    return prev, cur


def previous_then_write(x, n):
    prev = x * 0.0
    cur = x.copy()
    for _ in range(n):
        prev = cur
        cur = cur * 2.0
    cur[0] = 100.0
    prev[1] = 200.0
    return prev, cur


def previous_is_current(x, n):
    prev = x * 0.0
    cur = x.copy()
    for _ in range(n):
        prev = cur
    cur[0] = 100.0
    return cur


def previous_is_current_read(x, n):
    prev = x * 0.0
    cur = x.copy()
    for i in range(n):
        prev = cur
        cur[0] = i + 10.0
    return prev, cur


def previous_copied(x, n):
    prev = x * 0.0
    cur = x.copy()
    for i in range(n):
        prev = cur.copy()
        cur[0] += prev[1] + i
    return prev, cur


def two_previous(x, n):
    a, b, c = x.copy(), x + 1.0, x + 2.0
    for _ in range(n):
        c = b
        b = a
        a = a + c
        a[0] -= 1.0
    return a, b, c


def rebound_after_write(x, n):
    a = x.copy()
    b = a
    for i in range(n):
        b[0] = i + 1.0
        b = b * 2.0
    return a, b


def argument_rebound_in_loop(x, n):
    u = x
    for _ in range(n):
        u = u + x
    return u


def argument_written_in_loop(x, n):
    for i in range(n):
        x[i % 4] += i
        x[1:] *= 0.5
    return x.sum()


def argument_written_in_the_first_turn(x, n):
    u = x
    for _ in range(n):
        u[0] = 9.0
        u = u * 2.0
    return u * 1.0


def list_rebound(x, n):
    a = []
    b = a
    for i in range(n):
        b.append(x[i % 4])
        b = [x[0]]
    return a, b


def list_last(x, n):
    items = []
    last = [0.0]
    for i in range(n):
        last = items
        items.append(x[i % 4])
    return last, items


def list_last_then_append(x, n):
    items = [1.0]
    last = [0.0]
    for _ in range(n):
        last = items
    items.append(x[0])
    return last, items


def list_swap(x, n):
    a, b = [x[0]], [x[1]]
    for _ in range(n):
        a, b = b, a
        a[0] += 1.0
    b[0] *= 2.0
    return a, b


def dict_swap(x, n):
    a, b = {"v": x[0]}, {"v": x[1]}
    for _ in range(n):
        a, b = b, a
        a["v"] += 1.0
    b["v"] *= 2.0
    return a, b


def arrays_in_a_list(x, n):
    items = [x.copy(), x * 2.0]
    for i in range(n):
        items[0][0] += i
        items[0], items[1] = items[1], items[0]
    return items


def arrays_in_a_dict(x, n):
    d = {"u": x.copy(), "s": 0.0}
    for _ in range(n):
        d["u"] = d["u"] * 0.5
        d["u"][0] += 1.0
        d["s"] += d["u"].sum()
    return d


def appended_arrays(x, n):
    items = []
    u = x.copy()
    for _ in range(n):
        u = u * 2.0
        items.append(u)
    return sum(items, 0.0 * x), items


def appended_then_written(x, n):
    items = []
    u = x.copy()
    for i in range(n):
        u[0] += i
        items.append(u.copy())
    u[1] = 0.0
    return items, u


def appended_same_array(x, n):
    items = []
    u = x.copy()
    for i in range(n):
        u[0] += i + 1
        items.append(u)
    return items


def appended_views(x, n):
    items = []
    u = np.outer(x, x)
    for i in range(n):
        items.append(u[i % 4])
    return items


def rows_written(x, n):
    a = np.outer(x, x)
    for _ in range(n):
        for row in a:
            row *= 0.5
            row[0] += 1.0
    return a


def row_kept(x, n):
    a = np.outer(x, x)
    row = a[0]
    for i in range(n):
        row = a[i % 4]
        row[1] = 5.0
    return a, row * 1.0


def row_kept_then_written(x, n):
    a = np.outer(x, x)
    row = x.copy()
    for i in range(min(n, 4)):
        row = a[i]
    row = row + 1.0
    return a, row


def zero_turns_keep(x, n):
    s, u, k = 0.0, x, -1
    for i in range(n):
        s = s + x[i % 4]
        u = u * s
        k = i
    return s, u, k


def index_after_loop(x, n):
    i = 100
    for i in range(n):
        pass
    return x[0] * i


def index_only_bound_in_loop(x, n):
    for i in range(n):
        last = x[i % 4] * i
    return last + i


def int_becomes_float(x, n):
    s = 0
    for i in range(n):
        s += x[i % 4]
    return s


def int_stays_int(x, n):
    s = 0
    for i in range(n):
        s += i
    return s * x[0], s


def float_becomes_array(x, n):
    s = 0.0
    for _ in range(n):
        s = s + x
    return s


def float_becomes_array_in_place(x, n):
    s = 0.0
    for i in range(n):
        s += x
    return s


def none_before(x, n):
    best = None
    for i in range(n):
        if best is None or x[i % 4] > best:
            best = x[i % 4]
    return 0.0 if best is None else best


def none_array_before(x, n):
    prev = None
    total = 0.0
    for i in range(n):
        u = x * (i + 1.0)
        if prev is not None:
            total += (u - prev).sum()
        prev = u
    return total


def grows_in_shape(x, n):
    u = x
    for _ in range(n):
        u = np.concatenate([u, u[:1]])
    return u


def shrinks(x, n):
    u = np.arange(10.0) * x[0]
    for _ in range(n):
        u = u[1:] * u[:-1]
    return u


def tuple_state(x, n):
    state = (x, 0.0)
    for i in range(n):
        u, s = state
        state = (u * 0.5, s + u[0] * i)
    return state


def name_changes_type(x, n):
    t = x[0]
    for i in range(n):
        t = x * i
        t = t.sum()
    return t


def name_used_for_both(x, n):
    s = 0.0
    for i in range(n):
        v = x[i % 4]
        s += v
        v = x * 2.0
        s += v.sum()
        v = [1.0, s]
        s += v[0]
    return s


def break_on_data(x, n):
    s, i = 0.0, -1
    for i in range(n):
        s += x[i % 4]
        if s > 2.0:
            break
        s *= 1.5
    else:
        s = -s
    return s, i


def continue_on_data(x, n):
    s = 0.0
    for i in range(n):
        if x[i % 4] < 0:
            continue
        s += x[i % 4] * i
    return s


def return_in_nested_loops(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            s += x[(i + j) % 4]
            if s > 4.0:
                return s, i, j
            if s < -1.0:
                break
        else:
            s += 0.25
            continue
        s += 10.0
    return s, -1, -1


def while_with_walrus(x, n):
    s, k = 0.0, 0
    while (v := x[k % 4] + k) < n:
        s += v
        k += 1
    return s, v, k


def while_else(x, n):
    k, s = 0, 0.0
    while k < n:
        s += x[k % 4]
        k += 1
        if s > 3.0:
            break
    else:
        s -= 1.0
    return s, k


def while_true(x, n):
    k, s = 0, 0.0
    while True:
        if k >= n:
            break
        k += 1
        if k % 2:
            continue
        s += x[k % 4]
    return s, k


def while_true_return(x, n):
    k = 0
    while True:
        k += 1
        if k > n:
            return k * x[0]


def while_on_array(x, n):
    u = x.copy()
    while u.max() > 0.5 * n + 0.1:
        u *= 0.5
        u[1] += 0.01
    return u


def loop_in_branch(x, n):
    s = x[0]
    if n > 1:
        for i in range(n):
            s = s + x[i % 4]
            if s > 1:
                break
    elif n == 1:
        while s < 3:
            s = s * 2 + 1
    return s


def branch_defines_in_loop(x, n):
    s = 0.0
    for i in range(n):
        if i == 0:
            w = x[0]
        elif x[i % 4] > 1:
            w = x[1] * i
        s += w
    return s


def lists_grow_in_loops(x, n):
    out, pairs = [], []
    for i in range(n):
        out.append(x[i % 4] * i)
        pairs.append((i, x[i % 4]))
        if x[i % 4] > 1:
            out.append(1.0)
    total = 0.0
    for k, v in pairs:
        total += k * v
    return out, total, len(out), np.array(out).sum()


def stack_in_while(x, n):
    stack, s = [x[0], x[1]], 0.0
    k = 0
    while stack and k < n:
        v = stack.pop()
        s += v
        if k < 3:
            stack.append(v * 0.5)
            stack.insert(0, v + 1.0)
        k += 1
    return s, stack, k


def reversed_and_steps(x, n):
    s = 0.0
    for i in range(n, 0, -2):
        s = s * 2 + x[i % 4]
    for i in reversed(range(n)):
        s = s * 0.5 + x[i % 4]
    for i in range(-n, n, 3):
        s += i
    for i in range(n, -n):
        s += 1000.0
    return s


def zipped(x, n):
    u = x[: min(n, 4)]
    s = 0.0
    for i, (a, b) in enumerate(zip(u, u[::-1])):
        s += i * a * b
    for a in reversed(u):
        s = s * 0.5 + a
    for k, v in enumerate(u, start=2):
        s += k * v
    return s


def shared_start(x, n):
    a = b = x.copy()
    for i in range(n):
        a = a + 1.0
        b = b * 2.0
    a[0] = 50.0
    return a, b


def same_end(x, n):
    a, b = x.copy(), x + 1.0
    for i in range(n):
        a = x * i
        b = a
    return a + b


def same_end_written_after(x, n):
    a, b = x.copy(), x + 1.0
    for i in range(n):
        a = x * i
        b = a
    a[0] = 70.0
    return a, b


def best_so_far(x, n):
    best, value = x, 1e9
    u = x * 1.0
    for i in range(n):
        u = u * 0.5 + i
        f = (u * u).sum()
        if f < value:
            best, value = u, f
    return best, value


def best_so_far_in_place(x, n):
    best, value = x.copy(), 1e9
    u = x * 1.0
    for i in range(n):
        u *= 0.5
        f = ((u - 0.3) ** 2).sum()
        if f < value:
            best, value = u.copy(), f
    return best, value


def static_turns(x, n):
    out = []
    for name in ("a", "b"):
        d = {"a": 1.0, "b": 2.0}
        for k in range(3):
            out.append(d[name] * x[k] * n)
    return out


def closure_in_loop(x, n):
    total = 0.0

    def add(v):
        nonlocal total
        total += v

    for i in range(n):
        add(x[i % 4])
    return total


def late_binding(x, n):
    fs = [lambda: k * x[0] for k in range(3)]
    k = 10
    gs = []
    for j in range(2):
        gs.append(lambda v, j=j: v * j + n)
    return [f() for f in fs], [g(x[1]) for g in gs], k


def comprehension_scope(x, n):
    i = 5
    rows = [[x[j] * i for j in range(3)] for i in range(2)]
    total = sum(x[i % 4] for i in range(n))
    pairs = {i: x[i] for i in range(3) if i != 1}
    last = [y := x[i] for i in range(2)]
    return rows, total, pairs, i, y, last


ALL = [value for value in list(globals().values()) if getattr(value, "__module__", 0) == __name__]
ALL = [f for f in ALL if f.__name__ != "calls"]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_loops(function):
    follows(function, *calls(X))


def iterators_made_in_a_loop(x, n):
    state, total = x[:2], 0.0
    for i in range(n):
        a, b = (v * 0.5 + i for v in state)
        for p, q in zip(state, reversed(range(2))):
            total = total + p * q
        for k, v in enumerate(map(np.sin, state)):
            total = total + k * v
        state = np.array([a + total, b])
    return state, total


def test_iterators_made_in_a_loop_do_not_unroll_it():
    source = sd.differentiable(iterators_made_in_a_loop).source("float64[m]", "int")
    assert source.count("\n    for i in range(n):") == 1
    follows(iterators_made_in_a_loop, *calls(X))


def number_in_a_dict_becomes_single(x, n):
    state = {"w": x, "b": 0.1}
    for _ in range(n):
        error = x @ state["w"] + state["b"]
        state["w"] = state["w"] - error
        state["b"] = state["b"] - np.mean(error)
    return state["w"], state["b"]


def test_a_number_in_a_dict_may_change_its_dtype_in_the_first_turn():
    follows(number_in_a_dict_becomes_single, *calls(X.astype(np.float32)), *calls(X))


def spiral(y, a):
    for _ in range(5):
        y = y + 0.1 * np.array([a * y[1], -y[0] * y[1], y[2] * a])
    return y @ np.array([1.0, 2.0, 3.0])


def shrinking(y, a):
    for _ in range(3):
        y = a * y[1:] * y[:-1] + np.ones(1)
    return np.sum(y * np.ones(2))


def spread(y, a):
    z = y if a > 0 else np.ones(1)
    for _ in range(2):
        z = z * np.ones(3)
    return np.sum(z * y) * a


def differences(f, y, a, h=1e-6):
    places = np.eye(len(y))
    return [(f(y + h * place, a) - f(y - h * place, a)) / (2 * h) for place in places]


@pytest.mark.parametrize("count", [3, 4, 5, 6])
@pytest.mark.parametrize("a", [0.7, -0.4])
@pytest.mark.parametrize("function", [spiral, shrinking, spread])
def test_sizes_that_differ_from_turn_to_turn(function, a, count):
    y = np.sin(1.0 + np.arange(count))
    try:
        expected = differences(function, y, a)
    except (ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            sd.grad(function)(y, a)
    else:
        np.testing.assert_allclose(sd.grad(function)(y, a), expected, rtol=1e-7, atol=1e-8)


def test_what_is_never_of_one_element_is_not_tested_for_it():
    assert "== 1" not in sd.grad(spiral).source("float64[n]", "float")
    assert "== 1" in sd.grad(spread).source("float64[n]", "float")


def seven_deep(x, n):
    s = 0.0
    for _ in range(n):
        for _ in range(n):
            for _ in range(n):
                for _ in range(n):
                    for _ in range(n):
                        for _ in range(n):
                            for _ in range(n):
                                s = s + np.sum(x) * 0.1
                                x = x * 0.9
    return s


def test_loops_in_loops_are_staged_for_any_count_however_deep():
    derivative = sd.differentiable(seven_deep)
    x = np.array([0.5, -0.25, 2.0])
    for n in (0, 1, 2):
        assert derivative.forward(x, n)[0] == seven_deep(x, n)
        geometric = np.full(3, 1.0 - 0.9 ** (n**7))
        np.testing.assert_allclose(derivative.grad(x, n), geometric, rtol=1e-12)
    assert len(derivative.signatures()) == 2, "one for the values, one for the gradients"


def smoothed_by_turns(x, n):
    """Names that only loops of a fixed number of turns bind, in loops of any number."""
    for _ in range(n):
        for i in range(3):
            for j in range(2):
                low = x[0] * 0.5
                for k in range(2):
                    low = low * 0.5 + i * j + k
            high = x[-1] * low
        x = x * 0.5 + high
    return x


def test_a_name_that_each_turn_binds_is_bound_after_turns_of_a_fixed_number():
    follows(smoothed_by_turns, *calls(X))
    made, _ = staged_at(smoothed_by_turns, signature_of(["x", "n"], (X, 2)), (X, 2))
    carried = [v for node in walk_nodes(made.graph.block) for v in node.results if v.name]
    assert not [v for v in carried if v.name.endswith("_bound")], "nothing has to tell it"


def bound_before_on_some_paths(x, n):
    if x[0] > 0.0:
        scale = 2.0
    for i in range(n):
        x = x * 0.5
        scale = x[1] * i
    return x * scale


def test_a_name_bound_on_some_paths_that_each_turn_binds():
    follows(bound_before_on_some_paths, *calls(X), *calls(-X))


def trials_of(monkeypatch, function, *arguments):
    """How often loop bodies are staged."""
    found = []
    trial = loops.LoopStager._trial
    monkeypatch.setattr(loops.LoopStager, "_trial", lambda self: found.append(0) or trial(self))
    follows(function, arguments)
    return len(found)


@pytest.mark.parametrize("depth", [3, 5, 7])
@pytest.mark.parametrize("body", ["s = s + x[0] * 0.5", "x[0] = x[0] * 0.5 + s"])
def test_bodies_in_nests_are_staged_as_often_as_they_are_deep(depth, body, monkeypatch, tmp_path):
    lines = ["def nest(x, n):", "    s = 0.0"]
    lines += ["    " * (k + 1) + f"for i{k} in range(n):" for k in range(depth)]
    lines += ["    " * (depth + 1) + body, "    return x * s"]
    path = tmp_path / "nest.py"
    path.write_text("\n".join(lines))
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert trials_of(monkeypatch, names["nest"], X, 2) <= depth * (depth + 3) // 2


def shifted(x):
    """A delay line: what turns out to be a float is handed on by one name in a turn."""
    a = b = c = d = e = f = g = h = j = k = m = o = p = q = r = t = u = v = w = y = z = 0
    aa = bb = cc = dd = ee = ff = gg = hh = 0
    for i in range(len(x)):
        hh, gg, ff, ee, dd, cc, bb, aa = gg, ff, ee, dd, cc, bb, aa, z
        z, y, w, v, u, t, r, q, p, o = y, w, v, u, t, r, q, p, o, m
        m, k, j, h, g, f, e, d, c, b, a = k, j, h, g, f, e, d, c, b, a, x[i]
    return hh * 1.0 + a


def test_types_are_handed_on_through_any_number_of_names():
    x = np.linspace(0.5, 1.5, 40)
    assert sd.differentiable(shifted).graph("float64[m]") is not None, "for any length"
    gradient = sd.grad(shifted)(x)
    expected = np.zeros(40)
    expected[[-1, -29]] = 1.0
    np.testing.assert_array_equal(gradient, expected)


def widened(x):
    s = t = 0
    while s < x:
        s = t + 1
        t = t * 0.5 + x
    return s


def test_a_type_that_does_not_settle_is_told_with_its_name(monkeypatch):
    monkeypatch.setattr(trials, "MOST_WIDENED", 0)
    monkeypatch.setattr(loops, "MOST_PEELED", 0)
    told = "the type of 's' does not settle: int before a turn, float64 after it"
    with pytest.raises(UnsupportedSyntaxError, match=told) as caught:
        sd.differentiable(widened).graph("float64")
    assert caught.value.span.text.strip() == "while s < x:"


def test_loops_that_would_have_to_be_followed_too_often_are_refused(monkeypatch):
    monkeypatch.setattr(trials, "MOST_TRIALS", 1)
    with pytest.raises(UnsupportedSyntaxError, match="followed more than 1 times") as caught:
        sd.differentiable(widened).graph("float64")
    assert caught.value.span.text.strip() == "while s < x:"
    assert "bind each name" in caught.value.hint


def test_a_defect_does_not_pass_for_a_trial_that_failed(monkeypatch):
    def defect(*arguments):
        raise InternalError("broken")

    monkeypatch.setattr(Carries, "relate", lambda self, relations: relations and defect())
    with pytest.raises(InternalError, match="broken"):
        sd.differentiable(swap).graph("float64[m]", "int")


NODES = [0.01 * k for k in range(112)]
PAIRS = tuple((0.01 * k, k) for k in range(112))
ROWS = [np.array([0.1 * k, 1.0]) for k in range(50)]
TABLE = {f"node {k}": 0.01 * k for k in range(112)}


def until_enough(x):
    total = 0.0
    for node in NODES:
        total = total + node * x
        if total > 1.0:
            break
    else:
        total = -total
    return total


def until_a_pair_is_enough(x):
    total = 0.0
    for weight, k in PAIRS:
        if weight * x > 0.9:
            return total * k
        if weight > x:
            continue
        total += weight * x
    return total


def numbered_until_enough(x):
    total = x
    for k, (node, other) in enumerate(zip(NODES, reversed(NODES), strict=True)):
        total = total * (1.0 + node * other) + k * 0.001
        if total > 3.0:
            break
    return total


def of_a_table(x):
    total = 0.0
    for value in TABLE.values():
        total += value * x
        if total > 1.0:
            break
    return total


def of_rows(x):
    total = x * np.ones(2)
    for row in ROWS:
        total = total + row * x
        if total[0] > 2.0:
            break
    return total


def squares_in_turn(x):
    for square in map(lambda node: node * node, NODES):  # noqa: C417
        if square > x:
            return square * x
    return x


def any_node_beyond(x):
    return x * x if any(node * x > 1.0 for node in NODES) else x


LEFT = [until_enough, until_a_pair_is_enough, numbered_until_enough, of_a_table, of_rows,
        squares_in_turn, any_node_beyond]  # fmt: skip


@pytest.mark.parametrize("function", LEFT, ids=lambda function: function.__name__)
def test_a_loop_over_many_known_numbers_that_may_be_left_is_one_loop(function):
    follows(function, 0.0, 0.02, 0.305, 0.955, 1.705, 40.0)
    graph = sd.differentiable(function).graph("float").ir
    assert [node.op.name for node in walk_nodes(graph.block)].count("loop") == 1
    for x in (0.305, 0.955, 1.705):
        step = 1e-6
        expected = (function(x + step) - function(x - step)) / (2 * step)
        assert np.allclose(sd.jacobian(function)(x), expected, rtol=1e-8)


UNLIKE = [*range(60), "end"]
MANY_UNLIKE = [*NODES, "end"]


def first_beyond(x, items):
    total = x
    for item in items:
        if isinstance(item, str):
            return -total
        total = total + item
        if total > 10.0:
            return total * x
    return total


def test_items_that_are_unlike_are_followed_one_by_one_as_far_as_python_nests():
    follows(lambda x: first_beyond(x, UNLIKE), -3000.0, 0.5, 11.0)
    with pytest.raises(UnsupportedSyntaxError, match="more than 80 turns") as caught:
        sd.grad(lambda x: first_beyond(x, MANY_UNLIKE))(0.5)
    assert caught.value.span.text.strip() == "for item in items:"
    assert "np.array" in caught.value.hint


def number_and_what_does_not_join(x, n):
    pair, s = (0.0, None), 0.0
    for k in range(n):
        pair = (x * k, [1.0])
        s = s + x * x
    return s


def array_and_what_does_not_join(x, n):
    pair, y = (np.ones(2), None), np.full(2, x)
    for k in range(n):
        y = y * x
        pair = (y, [1.0])
    return np.sum(y)


def in_a_dict_that_does_not_join(x, n):
    found, s = {"a": 0.0, "b": (1.0, None)}, 0.0
    for k in range(n):
        found = {"a": x * k, "b": (x, [1.0])}
        s = s + found["a"]
    return s


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (number_and_what_does_not_join, 12.0),  # n x**2
        (array_and_what_does_not_join, 64.0),  # 2 x**(n + 1)
        (in_a_dict_that_does_not_join, 3.0),  # (0 + 1 + 2) x
    ],
)
def test_parts_that_do_not_join_leave_no_parameter_behind(function, expected):
    assert sd.grad(function)(2.0, 3) == expected


# Loops over a few known items ---------------------------------------------------------------------

FEW = [0.5, 1.5, 2.5]


def breaks_over_literals(x):
    s = 0.0
    for c in [1.0, 2.0, 3.0]:
        if c * x > 4.0:
            break
        s = s + c * x**2
    return s


def breaks_over_a_global(x):
    for c in FEW:
        if x > 4.0:
            break
        x = x * c + x**2
    return x


def breaks_over_pairs(x):
    s = 0.0
    for a, b in [(1.0, 2.0), (2.0, 3.0), (4.0, 5.0)]:
        if a * x > 4.0:
            break
        s = s + a * x**2 + b * x
    return s


def returns_over_powers(x):
    s = 0.0
    for n in (1, 2, 3):
        s = s + x**n
        if s > 4.0:
            return s * n
    else:
        s = s * 10.0
    return s


@pytest.mark.parametrize(
    "function", [breaks_over_literals, breaks_over_a_global, breaks_over_pairs, returns_over_powers]
)
def test_a_loop_over_a_few_items_that_may_be_left_stays_a_loop(function):
    gradient = sd.grad(function)
    for x in (0.3, 0.7, 1.1, 1.7, 2.3, 4.7):
        estimate = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(gradient(x), estimate, rtol=1e-7)
    lines = gradient.source(1.1).splitlines()
    assert any(line.strip().startswith("for k in range") for line in lines)
    assert max(len(line) - len(line.lstrip()) for line in lines) <= 12


def applies_functions(x):
    for g in (np.sin, np.exp, None):
        if x > 1.0 or g is None:
            break
        x = g(x)
    return x


def looks_up_texts(x):
    for name in ("a", "b"):
        if x > 1.0:
            break
        x = x * {"a": 2.0, "b": 3.0}[name]
    return x


@pytest.mark.parametrize("function", [applies_functions, looks_up_texts])
def test_items_that_have_no_one_form_are_followed_one_by_one(function):
    for x in (0.2, 0.6, 1.4):
        estimate = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(sd.grad(function)(x), estimate, rtol=1e-7)
