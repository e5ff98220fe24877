"""What stands outside the function: globals, cells, objects, captured containers; effects."""

import collections
import contextlib
import copy
import datetime
import functools
import io
import numbers
import types

import numpy as np
import pytest

import symdiff

X = np.array([0.5, -1.25, 2.0, 3.5])

SCALE = 2.0
TABLE = {"a": 1.0, "b": [1.0, 2.0], "c": np.array([1.0, 2.0])}
LOG = []
COUNT = 0
ARRAY = np.array([1.0, 2.0, 3.0, 4.0])
MATRIX = np.arange(6.0).reshape(2, 3)
STATE = None


class Holder:
    total = 0.0
    seen = ()

    def __init__(self):
        self.calls = 0
        self.last = None
        self.history = []
        self.weights = np.array([1.0, 2.0, 3.0, 4.0])
        self.inner = None

    def value(self, x):
        self.calls += 1
        self.last = x[0]
        return (self.weights * x).sum() * self.calls


HOLDER = Holder()


def reset():
    global SCALE, TABLE, LOG, COUNT, ARRAY, HOLDER, STATE, MATRIX
    SCALE, COUNT, STATE = 2.0, 0, None
    TABLE = {"a": 1.0, "b": [1.0, 2.0], "c": np.array([1.0, 2.0])}
    LOG = []
    ARRAY = np.array([1.0, 2.0, 3.0, 4.0])
    MATRIX = np.arange(6.0).reshape(2, 3)
    HOLDER = Holder()
    HOLDER.inner = Holder()
    Holder.total, Holder.seen = 0.0, ()


def outside():
    """Everything that a program may change."""
    holders = [vars(h) for h in (HOLDER, HOLDER.inner)]
    flat = [{k: v for k, v in h.items() if k != "inner"} for h in holders]
    return copy.deepcopy(
        [SCALE, TABLE, LOG, COUNT, ARRAY, MATRIX, STATE, flat, Holder.total, Holder.seen]
    )


def global_number(x):
    return x.sum() * SCALE


def global_rebound(x):
    global COUNT, SCALE
    COUNT += 1
    SCALE = SCALE * 2.0
    return x.sum() * SCALE + COUNT


def global_rebound_on_a_path(x):
    global COUNT
    if x[0] > 0:
        COUNT += 1
    return x.sum() * COUNT


def global_rebound_in_a_loop(x):
    global COUNT
    for v in x:
        if v > 0:
            COUNT += 1
    return x.sum() * COUNT


def global_dict(x):
    TABLE["a"] = TABLE["a"] + 1.0
    TABLE["n"] = TABLE.get("n", 0) + 1
    return x.sum() * TABLE["a"] * TABLE["n"]


def global_dict_item_deleted(x):
    v = TABLE.pop("a", 3.0)
    TABLE.pop("b", None)
    return x.sum() * v


def global_nested_list(x):
    TABLE["b"].append(3.0)
    TABLE["b"][0] += 1.0
    return x.sum() * sum(TABLE["b"])


def global_list_of_numbers(x):
    LOG.append(x[0])
    LOG.append(len(LOG))
    return x.sum() * len(LOG)


def global_list_shrinks(x):
    LOG.extend([1.0, 2.0, 3.0])
    LOG.pop()
    LOG.insert(0, x[1])
    del LOG[1]
    TABLE["b"].pop()
    TABLE["b"].append([x[0], 2])
    TABLE["b"].insert(0, 1.5)
    return x.sum() * len(LOG)


def global_bound_to_a_container(x):
    global STATE
    STATE = [x[0], {"k": 1.0}]
    HOLDER.last = (1, "text")
    return x.sum()


def untouched_items_stay_the_same(x):
    before = TABLE["c"]
    TABLE["a"] = x[0]
    return x.sum() + (0.0 if before is TABLE["c"] else 1.0)


def global_array_written(x):
    ARRAY[0] = x[1]
    ARRAY[1:] *= 2.0
    return (ARRAY * x).sum()


def global_array_view_written(x):
    row = MATRIX[1]
    row += x[0]
    MATRIX.T[0] = 7.0
    return MATRIX.sum() * x[1]


def global_array_in_a_dict_written(x):
    TABLE["c"][0] = x[0]
    return TABLE["c"].sum() * x[1]


def global_array_rebound(x):
    global ARRAY
    ARRAY = ARRAY * x
    ARRAY[0] = 5.0
    return ARRAY.sum()


def attributes(x):
    HOLDER.calls += 1
    HOLDER.last = x[0] * 2
    HOLDER.history.append(HOLDER.calls)
    HOLDER.weights[0] = x[1]
    HOLDER.inner.calls += 2
    HOLDER.inner.last = HOLDER.last
    return HOLDER.weights.sum() * HOLDER.calls


def methods(x):
    a = HOLDER.value(x)
    return a + HOLDER.value(x * 2)


def attribute_on_a_path(x):
    if x[0] > 0:
        HOLDER.calls += 1
        HOLDER.last = x[0]
    return x.sum() * HOLDER.calls


def class_attributes(x):
    Holder.total += 1.0
    return x.sum() * Holder.total


def new_attribute(x):
    HOLDER.fresh = x[0]
    return HOLDER.fresh * x[1]


def printing(x):
    print("first", x[0])
    for i in range(2):
        print(f"{i}: {x[i]:.3f}", end="; ")
    if x[0] > 0:
        print()
    return x.sum()


def draws(x):
    noise = np.random.normal(size=4)
    k = np.random.randint(3)
    return (x * noise).sum() * (k + 1)


def draws_from_a_generator(x):
    rng = np.random.default_rng(3)
    a = rng.standard_normal(4)
    b = rng.uniform(0.0, 1.0)
    p = rng.permutation(4)
    return (x[p] * a).sum() * b


def callback_from_a_closure(x):
    seen = []

    def note(v):
        seen.append(v)
        LOG.append(v)
        return v * 2

    return sum(note(v) for v in x) + len(seen)


def counter_in_a_cell():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return x.sum() * count

    return f


def array_in_a_cell():
    buffer = np.zeros(4)

    def f(x):
        buffer[:] = x * 2
        buffer[0] += 1.0
        return buffer.sum()

    return f


def list_in_a_cell():
    seen = []

    def f(x):
        seen.append(x[0])
        return x.sum() * len(seen)

    return f


PROGRAMS = [
    global_number,
    global_rebound,
    global_rebound_on_a_path,
    global_rebound_in_a_loop,
    global_dict,
    global_dict_item_deleted,
    global_nested_list,
    global_list_of_numbers,
    global_list_shrinks,
    global_bound_to_a_container,
    untouched_items_stay_the_same,
    global_array_written,
    global_array_view_written,
    global_array_in_a_dict_written,
    global_array_rebound,
    attributes,
    methods,
    attribute_on_a_path,
    class_attributes,
    new_attribute,
    printing,
    draws,
    draws_from_a_generator,
    callback_from_a_closure,
]


def observed(function, reset):
    """Results, output and what is outside after each of three calls."""
    reset()
    np.random.seed(11)
    found = []
    for x in (X, X * 2, -X):
        given = x.copy()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            result = function(given)
        found.append((result, out.getvalue(), outside(), given.tolist()))
    return found


def assert_equal(made, expected, where="result"):
    assert type(made) is type(expected), (where, made, expected)
    if isinstance(expected, dict):
        assert list(made) == list(expected), where
        for key in expected:
            assert_equal(made[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, list | tuple):
        assert len(made) == len(expected), (where, made, expected)
        for k, (one, other) in enumerate(zip(made, expected, strict=True)):
            assert_equal(one, other, f"{where}[{k}]")
    else:
        np.testing.assert_array_equal(made, expected, err_msg=where)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
def test_a_derived_function_leaves_outside_what_the_function_leaves(function, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "0")
    expected = observed(function, reset)
    derived = symdiff.value_and_grad(function)
    made = observed(lambda x: derived(x)[0], reset)
    assert_equal(made, expected)


@pytest.mark.parametrize("make", [counter_in_a_cell, array_in_a_cell, list_in_a_cell])
def test_closure_cells_are_read_and_written_at_each_call(make, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "0")
    expected = observed(make(), reset)
    derived = symdiff.value_and_grad(make())
    made = observed(lambda x: derived(x)[0], reset)
    assert_equal(made, expected)


def test_a_change_of_what_is_outside_is_noticed_between_calls():
    global SCALE
    reset()
    f = symdiff.grad(global_number)
    np.testing.assert_array_equal(f(X), np.full(4, 2.0))
    SCALE = 3
    np.testing.assert_array_equal(f(X), np.full(4, 3.0))
    SCALE = np.array([1.0, 2.0])
    with pytest.raises(symdiff.errors.GradientShapeError):
        f(X)
    SCALE = 5.0
    np.testing.assert_array_equal(f(X), np.full(4, 5.0))
    reset()


AXIS = 0


def reads_an_axis(x):
    return (np.sum(x, axis=AXIS) ** 2).sum()


def sums_along(axis):
    def f(x):
        return (np.sum(x, axis=axis) ** 2).sum()

    return f


def test_structure_may_depend_on_a_number_from_outside():
    global AXIS
    x = np.arange(6.0).reshape(2, 3)
    f = symdiff.grad(reads_an_axis)
    by_axis = [2 * np.broadcast_to(x.sum(k, keepdims=True), x.shape) for k in (0, 1)]
    for AXIS in (0, 1, 0):
        np.testing.assert_array_equal(f(x), by_axis[AXIS])
    for axis in (0, 1):
        np.testing.assert_array_equal(symdiff.grad(sums_along(axis))(x), by_axis[axis])
    AXIS = 0


Named = collections.namedtuple("Named", "value")
SETTINGS = Named(2.0)
MODE = "sum"


def reads_settings(x):
    return x.sum() * SETTINGS.value if MODE == "sum" else x.prod() * SETTINGS.value


def test_settings_are_guarded():
    global SETTINGS, MODE
    f = symdiff.grad(reads_settings)
    first = f(X)
    SETTINGS = Named(4.0)
    np.testing.assert_array_equal(f(X), 2 * first)
    MODE = "prod"
    np.testing.assert_allclose(f(X), 4.0 * X.prod() / X)
    MODE, SETTINGS = "sum", Named(2.0)
    np.testing.assert_array_equal(f(X), first)


RNG = np.random.default_rng(5)


class Sampler:
    def __init__(self):
        self.rng = np.random.default_rng(5)

    def noisy(self, x):
        return np.sum(x * self.rng.normal(size=x.shape))


def given(x, rng):
    return np.sum(x * rng.normal(size=x.shape))


def given_in_a_dict(x, state):
    return np.sum(x * state["rng"].normal(size=4)) * state["scale"]


def one_by_one(x, rng):
    total = 0.0
    for k in range(len(x)):
        total = total + x[k] * rng.normal()
    return total


def made_unless_given(x, seed=5, rng=None):
    rng = np.random.default_rng(seed) if rng is None else rng
    assert isinstance(rng, np.random.Generator)
    return np.sum(x * rng.normal(size=x.shape))


def from_outside(x):
    return np.sum(x * RNG.normal(size=x.shape))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (given, lambda rng: (rng,)),
        (given_in_a_dict, lambda rng: ({"rng": rng, "scale": 1.0},)),
        (one_by_one, lambda rng: (rng,)),
        (made_unless_given, lambda rng: ()),
        (made_unless_given, lambda rng: (0, rng)),
        (from_outside, lambda rng: ()),
        (Sampler().noisy, lambda rng: ()),
    ],
)
def test_generators_of_random_numbers_draw_once(function, arguments, monkeypatch):
    rng, reference = np.random.default_rng(5), np.random.default_rng(5)
    monkeypatch.setitem(globals(), "RNG", rng)
    for _ in range(2):
        gradient = symdiff.grad(function)(X, *arguments(rng))
        if function is made_unless_given and not arguments(rng):
            reference = np.random.default_rng(5)
        np.testing.assert_array_equal(gradient, reference.normal(size=4))


BEHIND = {"a": 1.0}
READ_ONLY = types.MappingProxyType(BEHIND)


def test_a_key_added_behind_a_read_only_mapping_is_noticed():
    slope = symdiff.grad(lambda x: x * READ_ONLY["a"] + (100.0 * x if "b" in READ_ONLY else 0.0))
    assert slope(1.0) == 1.0
    BEHIND["b"] = 1.0
    try:
        assert slope(1.0) == 101.0
    finally:
        del BEHIND["b"]
    assert slope(1.0) == 1.0


@functools.singledispatch
def weight(shape):
    return 1.0


class Disc:
    radius = 2.0


def test_a_function_registered_later_for_a_class_is_called():
    slope = symdiff.grad(lambda x: x * weight(Disc()))
    assert slope(1.0) == 1.0
    weight.register(Disc, lambda disc: disc.radius)
    assert slope(1.0) == 2.0


def test_an_abstract_class_among_those_of_a_function_is_refused():
    weight.register(numbers.Integral, lambda n: 3.0)
    with pytest.raises(symdiff.errors.UnsupportedCallError, match="Integral, which is no base"):
        symdiff.grad(lambda x: x * weight(3))(1.0)


def test_all_attributes_of_one_of_two_objects_in_order_are_refused():
    def total(x):
        one = types.SimpleNamespace(a=x, b=2.0) if x > 0 else types.SimpleNamespace(b=x, a=3.0)
        return sum(vars(one).values())

    with pytest.raises(symdiff.errors.UnsupportedCallError, match="all attributes of an object"):
        symdiff.grad(total)(1.0)


class Slotted:
    __slots__ = ("a",)


def test_an_object_without_a_dict_has_none():
    def total(x):
        o = Slotted()
        o.a = x
        return o.__dict__["a"]

    with pytest.raises(AttributeError, match="__dict__"):
        symdiff.grad(total)(1.0)


# Arms that are not taken


LOADED = False
TEXTS: dict[str, float] = {}


def _load():
    global LOADED
    with open(__file__) as lines:
        for line in lines:
            TEXTS[line] = 2.0
    LOADED = True


def with_loaded_data(x):
    if not LOADED:
        _load()
    return np.sum(x**3) * TEXTS["import collections\n"]


def shown_on_demand(x, verbose=False, limit=3):
    y = np.sum(x * x)
    if verbose or limit > 5:
        with open("no_such_file", "w") as shown:
            shown.write(str(y))
    return y * limit


def test_what_loads_data_is_left_out_when_they_are_loaded():
    with pytest.raises(symdiff.SymdiffError, match="context manager"):
        symdiff.grad(with_loaded_data)(X)
    with_loaded_data(X)
    np.testing.assert_allclose(symdiff.grad(with_loaded_data)(X), 6.0 * X**2, rtol=1e-14)
    np.testing.assert_allclose(symdiff.hessian(with_loaded_data)(X), np.diag(12.0 * X), rtol=1e-14)


def test_an_arm_that_is_not_compiled_is_left_out_where_the_arguments_tell():
    grad = symdiff.grad(shown_on_demand)
    np.testing.assert_allclose(grad(X), 6.0 * X, rtol=1e-14)
    np.testing.assert_allclose(grad(X, False, 2), 4.0 * X, rtol=1e-14)
    np.testing.assert_allclose(grad(X, limit=5), 10.0 * X, rtol=1e-14)
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="context manager"):
        grad(X, True)
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="context manager"):
        grad(X, limit=6)
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="context manager"):
        grad.source("float64[n]", "bool", "int")


def test_values_of_one_text_are_one_argument_and_equal_ones_of_another_are_not():
    slope = symdiff.grad(lambda x, q: x * q.hour)
    utc, later = datetime.UTC, datetime.timezone(datetime.timedelta(hours=1))
    for day in (1, 1, 2):
        assert slope(1.0, datetime.datetime(2020, 1, day, 5, tzinfo=utc)) == 5.0
    assert len(slope.signatures()) == 2
    instant = datetime.datetime(2020, 1, 1, 5, tzinfo=utc)
    assert slope(1.0, instant.astimezone(later)) == 6.0
    unit = symdiff.grad(lambda x, q: x * (q - np.datetime64("2020-01-01")).astype(int))
    assert unit(1.0, np.datetime64("2020-01-03")) == 2.0
    assert unit(1.0, np.datetime64("2020-01-03T00")) == 48.0


def test_sets_and_read_only_dicts_may_change_between_calls():
    kinds, rates = {1, 2}, {"a": 2.0}
    slope = symdiff.grad(lambda x, kinds, table: x * sum(kinds) * table["a"])
    assert slope(1.0, kinds, types.MappingProxyType(rates)) == 6.0
    kinds.add(4)
    rates["a"], rates["b"] = 3.0, 1.0
    assert slope(1.0, kinds, types.MappingProxyType(rates)) == 21.0


READY = True


def with_a_flag(x):
    global READY
    if not READY:
        x = x * x
        READY = True
    return 3.0 * x


def test_a_flag_of_a_module_is_a_fact():
    global READY
    gradient = symdiff.grad(with_a_flag)
    assert "READY" not in gradient.source(2.0)
    for ready, expected in [(True, 3.0), (False, 12.0), (True, 3.0), (False, 12.0)]:
        READY = ready
        assert gradient(2.0) == expected
        assert READY is True


class Measured:
    """A method for each class of what it is given."""

    def __init__(self, k):
        self.k = k

    @functools.singledispatchmethod
    def size(self, value):
        return value * self.k

    @size.register
    def _(self, value: list):
        return value[0] * 3.0

    @size.register(tuple)
    def _(self, value):
        return self.size(value[0]) * 5.0


MEASURED = Measured(2.0)


def test_methods_for_classes_are_chosen_by_what_they_are_given():
    def function(x):
        return MEASURED.size(x * x) + MEASURED.size([x]) + Measured(x).size((x,))

    assert symdiff.grad(function)(1.5) == 2 * 2 * 1.5 + 3.0 + 5 * 2 * 1.5
    assert symdiff.grad(symdiff.grad(function))(1.5) == 4.0 + 10.0


def test_a_method_that_is_registered_later_is_another_program():
    class Later(Measured):
        @functools.singledispatchmethod
        def size(self, value):
            return value * 7.0

    later = Later(1.0)
    gradient = symdiff.grad(lambda x: later.size(x))
    assert gradient(1.5) == 7.0
    Later.__dict__["size"].register(float, lambda self, value: value * value)
    assert gradient(1.5) == 3.0


def times(x):
    return x * x


def test_what_every_function_has_is_called():
    assert symdiff.grad(lambda x: times.__call__(x) + times.__get__(x)())(1.5) == 6.0
