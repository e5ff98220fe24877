"""Lists, dicts and objects of the caller's: what a function writes to them, and to its defaults.

A derivative leaves them as the function does, once a call; arrays that are passed it never writes.
"""

import collections
import copy
import dataclasses
import types

import numpy as np
import pytest

import symdiff
from symdiff.parse import writeback

X = np.array([0.5, -1.25, 2.0])
CASES = []


def case(*arguments):
    def add(function):
        CASES.append((function, arguments))
        return function

    return add


@dataclasses.dataclass
class Record:
    n: int = 0
    v: float = 1.0
    h: list = dataclasses.field(default_factory=list)


class Thing:
    def __init__(self):
        self.n = 0
        self.h = [1.0]
        self.d = {"a": 1.0}
        self.w = np.ones(3)


@case([1.0, 2.0])
def list_item(x, items):
    items[0] = x[0] * 2
    return x.sum() * items[0]


@case([1.0])
def list_append(x, items):
    items.append(x[1])
    items.append(3)
    return x.sum() * len(items)


@case([1.0, 2.0, 3.0])
def list_pop(x, items):
    v = items.pop()
    return x.sum() * v


@case([[1.0], [2.0]])
def nested(x, items):
    items[0].append(x[0])
    items[1][0] += 1
    return x.sum() * items[1][0]


@case([np.ones(3), np.array([0.0, 2.0, -1.0])])
def array_inserted(x, items):
    items.insert(0, items[0] * x)
    return (items[0] * items[2]).sum()


@case([np.ones(3), np.array([0.0, 2.0, -1.0])])
def array_replaced_and_kept_elsewhere(x, items):
    items[0], items[1] = items[0] * x, {"old": items[0], "older": [items[1]]}
    items.pop()
    items.append(items[0])
    return (items[0] * x).sum()


@case([np.ones(3), np.array([0.0, 2.0, -1.0])])
def arrays_swapped(x, items):
    items[0], items[1] = items[1], items[0]
    return (items[0] * x).sum()


@case({"w": np.array([0.0, 2.0, -1.0])})
def array_of_a_dict(x, d):
    d["w"] = d["w"] - 0.1 * x
    return (d["w"] ** 2).sum()


@case({"a": 1.0})
def dict_set(x, d):
    d["a"] = d["a"] + x[0]
    d["new"] = 2.0
    return x.sum() * d["a"]


@case({"a": 1.0, "b": 2.0})
def dict_pop(x, d):
    v = d.pop("a")
    del d["b"]
    return x.sum() * v


@case([np.ones(3)])
def list_array_append(x, items):
    items.append(x * 2)
    return (items[0] * items[1]).sum()


@case(Thing())
def obj(x, o):
    o.n += 1
    o.h.append(x[0])
    o.d["a"] = x[1]
    o.w[0] = 3.0
    o.new = x[0]
    return x.sum() * o.n


@case(Record())
def dc(x, o):
    o.n += 1
    o.h.append(x[0])
    o.v = x[1]
    return x.sum() * o.n


@case([1.0])
def in_loop(x, items):
    for v in x:
        items.append(v * 2)
    return x.sum() * items[-1]


@case([1.0], True)
def in_branch(x, items, c):
    if x[0] > 0:
        items.append(x[0])
    else:
        items[0] = 7.0
    return x.sum() * items[0]


@case([1.0, 2.0], [3.0])
def swap(x, items, m):
    items[0], m[0] = m[0], items[0]
    items.extend(m)
    return x.sum() * items[0]


@case((1.0, [2.0]))
def in_tuple(x, t):
    t[1].append(5.0)
    t[1][0] *= 2
    return x.sum() * t[1][0]


@case([1.0, 2.0])
def clears(x, items):
    items.clear()
    items.append(x[0])
    return x.sum() * items[0]


@case([1.0, 2.0])
def slices(x, items):
    items[1:] = [4.0, 5.0, x[0]]
    return x.sum() * items[1]


@case(types.SimpleNamespace(a=1.0, items=[1.0]))
def ns(x, o):
    o.a = x[0]
    o.items.append(2.0)
    o.b = 3.0
    return x.sum() * o.a


@case(collections.OrderedDict(a=1.0))
def od(x, d):
    d["z"] = x[0]
    d["a"] += 1
    return x.sum() * d["a"]


@case([1.0])
def raising(x, items):
    items.append(2.0)
    if x[0] > 0:
        raise ValueError("after")
    return x.sum()


@case(Thing())
def raising_obj(x, o):
    o.n += 1
    if x[0] > 0:
        raise ValueError("after")
    return x.sum()


@case()
def default_list(x, acc=None):
    if acc is None:
        acc = [1.0]
    acc.append(2.0)
    return x.sum() * len(acc) * acc[0]


@case()
def default_dict(x, acc=None):
    if acc is None:
        acc = {"n": 0}
    acc["n"] += 1
    return x.sum() * acc["n"]


@case()
def default_kw(x, *, acc=None):
    if acc is None:
        acc = [0.0]
    acc[0] += 1.0
    return x.sum() * acc[0]


def helper(x, acc=None):
    if acc is None:
        acc = [1.0]
    acc.append(2.0)
    return x * len(acc)


@case()
def helper_default(x):
    return helper(x).sum()


def helper_with_an_array(x, acc=np.zeros(3)):  # noqa: B008
    acc += 1
    return x * acc


@case()
def helper_array_default(x):
    return helper_with_an_array(x).sum()


def shown(value):
    """A value with the types of what it holds, to be compared."""
    if isinstance(value, np.ndarray):
        return "array", value.tolist()
    if isinstance(value, list | tuple):
        return type(value), [shown(item) for item in value]
    if isinstance(value, dict):
        return type(value), {key: shown(item) for key, item in value.items()}
    return type(value), shown(vars(value)) if hasattr(value, "__dict__") else value


def kept():
    return [shown((f.__defaults__, f.__kwdefaults__)) for f in (helper, *DEFAULTS)]


DEFAULTS = [function for function, _ in CASES]
TRANSFORMS = {
    "grad": symdiff.grad,
    "value_and_grad": symdiff.value_and_grad,
    "forward": lambda f: symdiff.differentiable(f).forward,
    "jvp": lambda f: lambda x, *rest: symdiff.jvp(f, (x, *rest), (x * 0, *[None] * len(rest))),
    "hvp": lambda f: lambda x, *rest: symdiff.hvp(f)(x, *rest, np.ones(3)),
    "jacobian": symdiff.jacobian,
}


@pytest.fixture
def defaults(monkeypatch):
    """Sets all defaults to what they were."""
    functions = [*DEFAULTS, helper, helper_with_an_array]
    before = copy.deepcopy([(f.__defaults__, f.__kwdefaults__) for f in functions])

    def restore():
        for function, (positional, named) in zip(functions, copy.deepcopy(before), strict=True):
            function.__defaults__, function.__kwdefaults__ = positional, named

    yield restore
    restore()


def twice(call, arguments):
    """What two calls leave behind, and the errors that they raise."""
    given, errors = copy.deepcopy(arguments), []
    for _ in range(2):
        try:
            call(X.copy(), *given)
        except Exception as error:
            errors.append((type(error), str(error)))
    return shown(given), errors, kept()


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(("function", "arguments"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_a_call_leaves_behind_what_the_function_leaves(function, arguments, transform, defaults):
    defaults()
    expected = twice(function, arguments)
    defaults()
    assert twice(TRANSFORMS[transform](function), arguments) == expected


def test_arrays_that_are_passed_are_not_written():
    def f(x, items):
        items[0] += x
        items[1] = items[1] + 2.0
        return (items[0] * items[1] * x).sum()

    arrays = [np.ones(3), np.zeros(3)]
    items = list(arrays)
    gradient = symdiff.grad(f)(X, items)
    np.testing.assert_allclose(gradient, 4 * X + 2)  # of (1 + x) 2 x
    np.testing.assert_array_equal(arrays[0], np.ones(3))
    np.testing.assert_array_equal(arrays[1], np.zeros(3))
    assert items[0] is arrays[0]
    np.testing.assert_array_equal(items[1], np.full(3, 2.0))  # another array, as the function does


def test_an_array_of_an_object_is_its_state():
    state = types.SimpleNamespace(w=np.ones(3))

    def f(x, state):
        state.w[0] += x[1]
        return (state.w * x).sum()

    np.testing.assert_allclose(symdiff.grad(f)(X, state), [X[1] + 1, 1 + X[0], 1])
    np.testing.assert_array_equal(state.w, [1 + X[1], 1, 1])


def test_a_default_array_that_is_written_is_refused():
    def f(x, acc=np.ones(3)):  # noqa: B008
        acc += 1
        return (x * acc).sum()

    gradient = symdiff.grad(f)
    np.testing.assert_array_equal(gradient(X, np.zeros(3)), np.ones(3))
    with pytest.raises(symdiff.SignatureError, match="its own default"):
        gradient(X)
    np.testing.assert_array_equal(gradient(X, np.ones(3)), np.full(3, 2.0))


def test_a_new_list_does_not_compile_anew():
    def f(x, seen):
        seen.append(x[0])
        return x.sum()

    gradient = symdiff.grad(f)
    for _ in range(5):
        seen = []
        gradient(X, seen)
        assert seen == [X[0]]
    assert len(gradient.signatures()) == 1


def test_a_dict_that_makes_what_is_missing():
    def f(x, counts):
        counts["new"] += 1
        return x.sum()

    with pytest.raises(symdiff.UnsupportedSyntaxError, match="missing in a defaultdict"):
        symdiff.grad(f)(X, collections.defaultdict(int))


# One thing by two names ---------------------------------------------------------------------------

OBJECT = types.SimpleNamespace(n=0, inner=None)
ITEMS = []
NAMES = {"object": OBJECT, "items": ITEMS}


def writes_by_two_names(x):
    OBJECT.n = OBJECT.n + 1
    NAMES["object"].n += 1
    ITEMS.append(1.0)
    NAMES["items"].append(2.0)
    return x.sum() * OBJECT.n * len(ITEMS)


def test_an_object_is_the_same_by_every_name(monkeypatch):
    gradient = symdiff.value_and_grad(writes_by_two_names)
    for _ in range(2):
        before = OBJECT.n, list(ITEMS)
        expected = writes_by_two_names(X)
        after = OBJECT.n, list(ITEMS)
        OBJECT.n, ITEMS[:] = before
        assert gradient(X)[0] == expected
        assert (OBJECT.n, ITEMS) == after
    monkeypatch.setitem(NAMES, "object", types.SimpleNamespace(n=5, inner=None))
    n = OBJECT.n
    assert gradient(X)[1][0] == (n + 1) * len(ITEMS)
    assert (OBJECT.n, NAMES["object"].n) == (n + 1, 6)


def test_an_object_is_put_into_another():
    def f(x):
        OBJECT.inner = NAMES["items"]
        return x.sum()

    symdiff.grad(f)(X)
    assert OBJECT.inner is ITEMS
    OBJECT.inner = None


def test_of_many_dicts_each_is_written_and_none_is_another():
    def step(params, x):
        for p in params:
            p["w"] = p["w"] - x
        return params[-1]["w"] * x

    gradient = symdiff.grad(step, argnums=1)
    params = [{"w": float(k), "b": 2.0} for k in range(20)]
    for turn in range(1, 3):
        assert gradient(params, 2.0) == 19.0 - 2.0 * turn - 2.0
        assert [p["w"] for p in params] == [k - 2.0 * turn for k in range(20)]
    with pytest.raises(symdiff.AliasingError, match=r"params\[3\] and params\[7\] are one dict"):
        gradient([params[3] if k == 7 else p for k, p in enumerate(params)], 2.0)


def test_a_list_that_is_passed_twice_is_not_written():
    def f(x, items, others):
        items.append(1.0)
        return x.sum() * len(others)

    gradient = symdiff.grad(f)
    assert gradient(X, [], [2.0])[0] == 1.0
    items = [3.0]
    with pytest.raises(symdiff.AliasingError, match="are one list"):
        gradient(X, items, items)
    assert gradient(X, items, [2.0])[0] == 1.0


def counts_within(x, thing):
    thing.inner.n += 1
    thing.inner.d["a"] = thing.inner.d["a"] * x[0]
    return x.sum() * thing.inner.n * thing.inner.h[0] * thing.inner.d["a"]


@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
def test_attributes_of_an_object_in_an_object():
    things = [types.SimpleNamespace(inner=Thing()) for _ in range(2)]
    gradient = symdiff.value_and_grad(counts_within)
    for _ in range(2):
        assert gradient(X, things[0])[0] == counts_within(X, things[1])
        assert vars(things[0].inner)["d"] == vars(things[1].inner)["d"]


STACK = [1.0, 2.0, 3.0]


def empties_a_stack(x):
    s = 0 * x
    while STACK:
        s += STACK.pop() * x
        if s > 8:
            break
    return s


def test_a_list_outside_is_emptied_in_a_loop_that_may_break():
    gradient = symdiff.value_and_grad(empties_a_stack)
    for x, left, expected in ((3.0, [1.0, 2.0], 9.0), (2.0, [1.0], 10.0), (1.0, [], 6.0)):
        STACK[:] = [1.0, 2.0, 3.0]
        assert gradient(x)[0] == expected
        assert left == STACK


BOX = {"items": [1.0, 2.0], "w": np.ones(2), "record": Record(n=1)}


def writes_the_argument(x, p):
    p["items"][0] = x[0]
    return x.sum() * BOX["items"][0]


def writes_the_one_outside(x, p):
    BOX["items"].append(x[0])
    return x.sum() * len(p["items"])


def writes_a_record_outside(x, p):
    BOX["record"].n += 1
    return x.sum() * p["record"].n


def writes_the_arguments_array(x, p):
    p["w"][0] = x[0]
    return x.sum() * BOX["w"][0]


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (writes_the_argument, "are one list, and it is written"),
        (writes_the_one_outside, "are one list, and it is written"),
        (writes_a_record_outside, "are one Record, and it is written"),
        (writes_the_arguments_array, "overlap, and one is written"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_is_passed_and_stands_outside_too_is_not_written(function, kind, monkeypatch):
    for key, value in BOX.items():
        monkeypatch.setitem(BOX, key, copy.deepcopy(value))
    gradient = symdiff.value_and_grad(function)
    other = copy.deepcopy(BOX)
    for _ in range(2):
        before = copy.deepcopy(BOX)
        expected = function(X, copy.deepcopy(other))
        BOX.update(before)
        assert gradient(X, copy.deepcopy(other))[0] == expected
        with pytest.raises(symdiff.AliasingError, match=kind) as caught:
            gradient(X, BOX)
        assert "pass a copy" in caught.value.hint


@pytest.mark.parametrize("transform", [symdiff.hessian, lambda f: symdiff.jacobian(f, mode="fwd")])
def test_effects_of_a_forward_jacobian_happen_once(transform, capsys):
    def f(x):
        print("here")
        return (x * x).sum() * np.random.rand()

    np.random.seed(1)
    transform(f)(X)
    assert capsys.readouterr().out == "here\n"
    after = np.random.rand()
    np.random.seed(1)
    np.random.rand()
    assert after == np.random.rand()


def test_tangents_of_a_dict_that_is_written():
    def f(params, rate):
        params["b"] = params["b"] * params["w"][0]
        params["n"] = 3
        return params["b"] * rate

    params = {"w": np.ones(3), "b": 2.0}
    tangents = {"w": np.full(3, 0.5), "b": 1.0}
    value, tangent = symdiff.jvp(f, (params, 0.5), (tangents, 1.0))
    assert (value, tangent) == (1.0, 0.5 * (1.0 + 2.0 * 0.5) + 2.0)
    assert params["n"] == 3


def test_a_list_is_looked_at_again_only_where_it_was_written(monkeypatch):
    table, seen = [float(k) for k in range(50)], []
    shown = writeback.snapshot

    def counted(heap, content, of=None):
        seen.append(content)
        return shown(heap, content, of)

    def f(x):
        table[3] = x
        y = x
        for c in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0):
            y = y + c / (x + y * y)  # may raise, with the item behind
        table[4] = y
        return y / table[3]

    monkeypatch.setattr(writeback, "snapshot", counted)
    slope = symdiff.grad(f)(0.7)
    step = 1e-5
    assert slope == pytest.approx((f(0.7 + step) - f(0.7 - step)) / (2.0 * step), rel=1e-8)
    assert len(seen) < 4 * len(table)


def test_what_was_written_before_a_branch_is_not_lost_where_its_arms_are_staged_apart():
    def f(x):
        if x < 1.0:
            table.pop("some")
            table["other"] = 0.0
        if x < 0.5:
            table["some"] = 5.0
        return x if "some" in table else 2.0 * x

    for x in (0.25, 0.75, 1.5):
        table = {"some": 2.0}
        expected = f(x), table
        table = {"some": 2.0}
        assert (symdiff.vjp(f, x)[0], table) == expected
        assert list(table) == list(expected[1])


def moved_to_the_end(x):
    DRAWERS["a"] = DRAWERS.pop("a")
    return x * x


def taken_out_and_put_back_behind_others(x):
    found = DRAWERS.pop("a")
    found.append(x)
    DRAWERS["new"] = [x]
    DRAWERS["a"] = found
    DRAWERS["b"] = DRAWERS.pop("b")
    return x * x * len(found)


def moved_on_a_path(x):
    if x < 1.0:
        found = DRAWERS.pop("a", [])
        if x < 0.5:
            DRAWERS["new"] = [2.0]
        DRAWERS["a"] = found
    return x * x


@pytest.mark.parametrize(
    "function", [moved_to_the_end, taken_out_and_put_back_behind_others, moved_on_a_path]
)
def test_keys_that_are_taken_out_and_set_again_stand_last(function):
    global DRAWERS
    for x in (0.25, 0.75, 1.5):
        DRAWERS = {"a": [1.0], "b": [2.0], "c": []}
        slope = 2.0 * x * (2.0 if function is taken_out_and_put_back_behind_others else 1.0)
        function(x)
        expected = list(DRAWERS.items())
        DRAWERS = {"a": [1.0], "b": [2.0], "c": []}
        first = DRAWERS["a"]
        assert symdiff.grad(function)(x) == pytest.approx(slope, rel=1e-15)
        assert list(DRAWERS.items()) == expected
        assert DRAWERS["a"] is first
