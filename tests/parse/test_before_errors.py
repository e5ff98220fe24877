"""What a function writes before an error that comes at run time: Python's own run is the reference.

Each program is run as it is and by its derivatives, on copies; the exception and everything that
the caller can see afterwards have to be the same.
"""

import copy
import math

import numpy as np
import pytest

import symdiff
from tests.parse.asserting import asserts_between_writes

COUNT = 0
LOG = []
TABLE = {"n": 0}
ROW = np.zeros(4)
BLOCK = np.zeros((4, 3))


class Thing:
    made = 0

    def __init__(self):
        self.n = 0
        self.last = None
        self.history = []
        self.table = {"a": 0.0}

    def step(self, x, a, i):
        self.n += 1
        self.last = x
        return x * a[i]

    def checked(self, x):
        self.n += 1
        if x > 1.4:
            raise ValueError(f"too large after {self.n}")
        self.n += 10
        return x


def appends(x, a, xs, d, thing):
    xs.append(1.0)
    return a[7] * x


def appends_twice(x, a, xs, d, thing):
    xs.append(x)
    y = a[1] * x
    xs.append(y)
    xs[0] = 5.0
    return a[7] * y


def pops(x, a, xs, d, thing):
    last = xs.pop()
    y = a[7] * x
    xs.pop()
    return y * last


def sets_an_item(x, a, xs, d, thing):
    d["k"] = x * 2.0
    d["n"] += 1
    return a[7] * x


def deletes_an_item(x, a, xs, d, thing):
    del d["n"]
    y = a[7] * x
    d["m"] = y
    return y


def counts(x, a, xs, d, thing):
    thing.n += 1
    y = a[7] * x
    thing.n += 1
    return y


def counts_globally(x, a, xs, d, thing):
    global COUNT
    COUNT += 1
    LOG.append(COUNT)
    TABLE["n"] = COUNT
    y = a[7] * x
    COUNT += 1
    return y


def sets_a_class_attribute(x, a, xs, d, thing):
    Thing.made += 1
    return a[7] * x


def in_a_loop(x, a, xs, d, thing):
    for i in range(5):
        thing.n += 1
        xs.append(x)
        d["k"] = x
        x = x * a[i]
    return x


def in_a_loop_afterwards(x, a, xs, d, thing):
    global COUNT
    for i in range(len(a) + 1):
        x = x * a[i]
        thing.n += 1
        COUNT += i
        xs.append(i)
    return x


def after_a_loop(x, a, xs, d, thing):
    for i in range(len(a)):
        thing.n += i
        xs.append(x)
    return x * a[7]


def in_a_while_loop(x, a, xs, d, thing):
    i = 0
    while a[i] < 10.0:
        thing.last = x
        x = x + a[i]
        i += 1
        d["n"] = i
    return x


def in_nested_loops(x, a, xs, d, thing):
    for i in range(3):
        thing.n += 1
        for j in range(3):
            xs.append(float(i))
            x = x * a[i + j]
        d["n"] = i
    return x


def in_a_loop_on_some_turns(x, a, xs, d, thing):
    for i in range(5):
        if a[i] > 0.4:
            xs.append(a[i])
            thing.n += 1
        x = x * a[i]
    return x


def breaks(x, a, xs, d, thing):
    for i in range(5):
        thing.n += 1
        if x * i > 2.0:
            break
        thing.n += 10
    return x * a[i + 3]


def in_an_arm(x, a, xs, d, thing):
    if x > 0.5:
        thing.n += 1
        xs.append(x)
        y = a[7] * x
    else:
        d["k"] = 2.0
        y = x
    return y


def before_an_arm(x, a, xs, d, thing):
    thing.n += 1
    xs.append(x)
    if x > 0.5:
        thing.n += 1
        y = a[7] * x
    else:
        y = x
    thing.n += 1
    return y


def after_an_arm(x, a, xs, d, thing):
    if x > 0.5:
        thing.n += 1
        d["k"] = x
        xs.append(1.0)
    else:
        thing.n -= 1
        xs.append(2.0)
    return a[7] * x


def after_either_kind(x, a, xs, d, thing):
    if x > 0.5:
        thing.last = "large"
    else:
        thing.last = 0.0
    return a[7] * x


def after_an_early_return(x, a, xs, d, thing):
    thing.n += 1
    if x < 0.5:
        return x
    thing.n += 1
    y = x * a[7]
    thing.n += 1
    return y


def in_a_followed_call(x, a, xs, d, thing):
    for i in range(5):
        x = thing.step(x, a, i)
    return x


def in_a_lambda(x, a, xs, d, thing):
    note = lambda v: xs.append(v) or v  # noqa: E731
    return sum(note(x * i) * a[i] for i in range(5))


def raises_on_a_path(x, a, xs, d, thing):
    return thing.checked(x) * a[7]


def math_domain(x, a, xs, d, thing):
    thing.n += 1
    y = math.sqrt(1.0 - x)
    thing.n += 1
    return y


def of_nan(x, a, xs, d, thing):
    thing.n += 1
    n = int(a[0] * np.nan)
    thing.n += 1
    return x * n


def divides(x, a, xs, d, thing):
    d["n"] += 1
    y = 1 / (d["z"] * 2)
    d["n"] += 1
    return x * y


def not_definite(x, a, xs, d, thing):
    xs.append(x)
    c = np.linalg.cholesky(-x * np.eye(2))
    xs.append(2.0)
    return np.sum(c)


def singular(x, a, xs, d, thing):
    thing.last = a * x
    return np.sum(np.linalg.solve(np.zeros((3, 3)), a)) * x


def shapes_do_not_fit(x, a, xs, d, thing):
    thing.n += 1
    y = np.dot(a, np.ones(len(xs) + 5)) * x
    thing.n += 1
    return y


def replaces_a_list(x, a, xs, d, thing):
    thing.history = [x]
    thing.table = {"b": x, "c": [1.0]}
    y = a[0] * x
    thing.history.append(y)
    thing.table["c"].append(y)
    return a[7] * x


def replaces_a_list_in_a_loop(x, a, xs, d, thing):
    thing.history = []
    for i in range(5):
        thing.history.append(x)
        x = x * a[i]
    return x


def keeps_arrays(x, a, xs, d, thing):
    y = a * x
    thing.last = y
    xs.append(y)
    z = y * 2.0
    for i in range(5):
        thing.last = z
        z = z * a[i]
    return np.sum(z)


def keeps_arrays_in_lists(x, a, xs, d, thing):
    z = a * x
    for i in range(5):
        thing.history.append(z)
        z = z * a[i]
    return np.sum(z)


def clears(x, a, xs, d, thing):
    xs.clear()
    xs.append(x)
    y = a[7] * x
    xs.append(y)
    return y


def sorts(x, a, xs, d, thing):
    xs.reverse()
    xs.insert(0, 9.0)
    xs.extend([x, 2.0])
    return a[7] * x


def prints(x, a, xs, d, thing):
    print("first", x)
    thing.n += 1
    print("second")
    y = a[7] * x
    print("third")
    return y


def prints_in_a_loop(x, a, xs, d, thing):
    for i in range(5):
        print(i, x)
        x = x * a[i]
    return x


def ends_well(x, a, xs, d, thing):
    global COUNT
    thing.n += 1
    for i in range(len(a)):
        COUNT += 1
        if a[i] > 0.4:
            xs.append(x)
            d["n"] = i
        x = x * a[i]
        thing.history.append(i)
    thing.last = x
    return x


def keeps_one_list_by_two_names(x, a, xs, d, thing):
    kept = [x]
    thing.history = kept
    d["kept"] = kept
    y = a[0]
    kept.append(y)
    kept[0] = a[1]
    return a[7] * x


def keeps_a_list_of_staged_length(x, a, xs, d, thing):
    kept = []
    for i in range(len(a)):
        kept.append(x * i)
    thing.table = {"k": kept}
    y = a[0]
    kept.append(y)
    kept[0] = a[1]
    return a[7] * len(kept)


def extends_and_goes_over(x, a, xs, d, thing):
    xs.extend([x for i in range(len(a))])
    y = a[0]
    for v in list(xs):
        xs.append(v * y)
    return a[7] * x


def rebinds_a_global_list(x, a, xs, d, thing):
    global LOG
    LOG = [v * x for v in a]
    for i in range(5):
        LOG.append(a[i])
    return x


def writes_a_captured_array(x, a, xs, d, thing):
    ROW[0] = x
    y = a[1] * x
    ROW[1] += y
    for i in range(5):
        if a[i] > 0.4:
            ROW[i] = x
        BLOCK[i, :] += a * x
        x = x * a[i]
    return x


def writes_an_array_it_has_kept(x, a, xs, d, thing):
    thing.last = np.zeros((3, 3))
    view = thing.last[1:]
    for i in range(5):
        thing.last[i] = a * x
        thing.last[0, i] += 1.0
        view[0, 0] = x
        x = x * a[i]
    return x


def changes_an_array_after_it_is_kept(x, a, xs, d, thing):
    y = a * x
    thing.last = y
    xs.append(y)
    y *= 2.0
    z = y + 1.0
    y[0] = 7.0
    return z[7]


def keeps_arrays_that_grow_old(x, a, xs, d, thing):
    for i in range(5):
        row = np.zeros(2)
        xs.append(row)
        row[0] = a[i] * x
        x = x * 1.1
    return x


def in_an_inner_derivative(x, a, xs, d, thing):
    thing.n += 1
    slope = symdiff.grad(lambda v: v * v * a[7])(x)
    thing.n += 1
    return slope


def in_a_checkpoint(x, a, xs, d, thing):
    for i in range(5):
        thing.n += 1
        x = symdiff.checkpoint(lambda v, i: v * a[i])(x, i)
    return x


def writes_its_argument(x, a, xs, d, thing):
    a = a.copy()
    a[0] = 5.0
    thing.last = a
    a[1] = 6.0
    return a[7] * x


PROGRAMS = [
    appends,
    appends_twice,
    pops,
    sets_an_item,
    deletes_an_item,
    counts,
    counts_globally,
    sets_a_class_attribute,
    in_a_loop,
    in_a_loop_afterwards,
    after_a_loop,
    in_a_while_loop,
    in_nested_loops,
    in_a_loop_on_some_turns,
    breaks,
    in_an_arm,
    before_an_arm,
    after_an_arm,
    after_either_kind,
    after_an_early_return,
    in_a_followed_call,
    in_a_lambda,
    raises_on_a_path,
    asserts_between_writes,
    math_domain,
    of_nan,
    divides,
    not_definite,
    singular,
    shapes_do_not_fit,
    replaces_a_list,
    replaces_a_list_in_a_loop,
    keeps_arrays,
    keeps_arrays_in_lists,
    clears,
    sorts,
    prints,
    prints_in_a_loop,
    ends_well,
    keeps_one_list_by_two_names,
    keeps_a_list_of_staged_length,
    extends_and_goes_over,
    rebinds_a_global_list,
    writes_a_captured_array,
    writes_an_array_it_has_kept,
    changes_an_array_after_it_is_kept,
    keeps_arrays_that_grow_old,
    in_an_inner_derivative,
    in_a_checkpoint,
    writes_its_argument,
]


def outcome(run, x):
    """The exception of a run, and what the caller sees afterwards."""
    global COUNT, LOG, TABLE
    COUNT, LOG, TABLE, Thing.made = 3, [1.0], {"n": 0}, 0
    ROW[:], BLOCK[:] = 0.5, 0.25
    thing, a = Thing(), np.array([0.5, 0.25, 2.0])
    xs, d = [1.0, 2.0], {"n": 0, "z": 0}
    error = None
    try:
        with np.errstate(all="ignore"):
            run(x, a, xs, d, thing)
    except Exception as raised:
        error = type(raised), str(raised)
    seen = [a, xs, d, vars(thing), COUNT, LOG, TABLE, Thing.made, ROW, BLOCK]
    return error, repr(copy.deepcopy(seen))


def derivatives(function):
    """Callables of the function's arguments that run it once, by derivatives of it."""
    whole = symdiff.differentiable(function)
    yield symdiff.grad(function)
    yield symdiff.value_and_grad(function)
    yield symdiff.grad(symdiff.grad(function))
    yield whole.forward
    yield lambda *given: symdiff.vjp(function, *given)
    yield lambda x, *given: symdiff.jvp(lambda v: function(v, *given), (x,), (1.0,))


@pytest.mark.parametrize("x", [1.5, 0.25])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_written_before_an_error_stays(function, x, capsys):
    expected = outcome(function, x)
    printed = capsys.readouterr().out
    for derivative in derivatives(function):
        assert outcome(derivative, x) == expected
        assert capsys.readouterr().out == printed


def operations_that_raise(x, a, xs, d, thing):
    with np.errstate(all="raise"):
        thing.n += 1
        y = np.log(a - a)
        thing.n += 1
    return np.sum(y) * x


def test_what_is_written_before_an_operation_that_is_made_to_raise_stays():
    expected = outcome(operations_that_raise, 1.5)
    assert expected[0][0] is FloatingPointError
    assert outcome(symdiff.value_and_grad(operations_that_raise), 1.5) == expected


def a_zero_divisor(x, n):
    return x * (1 / (n * 2))


def test_a_division_that_raises_does_so_at_every_order():
    for derivative in (symdiff.grad(a_zero_divisor), symdiff.grad(symdiff.grad(a_zero_divisor))):
        with pytest.raises(ZeroDivisionError):
            derivative(1.5, 0)


def recursive(x, a, thing):
    thing.n += 1
    return x if x > 100.0 else recursive(x * 3.0, a, thing) * x


def recursive_list(x, a, thing):
    LOG.append(1.0)
    return x if x > 100.0 else recursive_list(x * 3.0, a, thing) * x


@pytest.mark.parametrize("function", [recursive, recursive_list])
def test_recursion_on_data_that_writes_outside_is_refused(function):
    thing = Thing()
    with pytest.raises(symdiff.UnsupportedCallError, match="changes what stands outside") as caught:
        symdiff.grad(lambda x: function(x, None, thing))(1.5)
    assert caught.value.span is not None
    assert "return what it counts" in caught.value.hint
    assert thing.n == 0


def test_a_loop_writes_what_is_new_only():
    source = symdiff.grad(ends_well).source(1.5, np.ones(3), [], {"n": 0}, Thing())
    assert source.count("xs.append(") == source.count("d['n'] = ") == 1
    assert "clear" not in source
    assert "extend" not in source


def has_a_new_key_after_some_turns(x, a, d):
    for i in range(len(a)):
        if a[i] > 0.4:
            d["k"] = i
        x = x * a[i]
    return x


def has_a_new_key_on_a_path(x, a, d):
    if x > 0.4:
        d["k"] = x
    return x * a[0]


def test_a_key_may_be_new_on_a_path_but_not_on_some_turns():
    a = np.array([0.5, 0.25, 2.0])
    for x in (1.5, 0.25):
        made, expected = {"n": [1.0]}, {"n": [1.0]}
        symdiff.grad(has_a_new_key_on_a_path)(x, a, made)
        has_a_new_key_on_a_path(x, a, expected)
        assert made == expected
    given = {"n": [1.0]}
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="differs between two paths"):
        symdiff.grad(has_a_new_key_after_some_turns)(1.5, a, given)
    assert given == {"n": [1.0]}
