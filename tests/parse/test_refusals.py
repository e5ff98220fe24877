"""What is outside the language: the class of the error, the expression it points at, a way out."""
# ruff: noqa: F841 - programs that are refused

import contextlib
import enum
import functools
import itertools
import marshal
import os
import uuid
from typing import NamedTuple

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import (
    AliasingError,
    SignatureError,
    SymdiffError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
)
from symdiff.pipeline import staged_at
from symdiff.runtime.signature import signature_of

X = np.array([0.5, -1.25, 2.0, 3.5])
Syntax, Call, Aliasing = UnsupportedSyntaxError, UnsupportedCallError, AliasingError

REFUSED = []
counter = 0


def refused(error, at, hint):
    """Register a program that is refused with an error of a class, at an expression."""

    def register(function):
        REFUSED.append((function, error, at, hint))
        return function

    return register


# Statements


@refused(Syntax, "try:", "of your own")
def group_raised_again(x, k):
    try:
        y = x[0] / k
    except* ZeroDivisionError:
        raise
    return y


class Counting:
    def __init__(self, key):
        self.key, self.asked = key, 0

    def __lt__(self, other):
        self.asked += 1
        return self.key < other.key


@refused(Syntax, "sorted([Counting(x[0]), Counting(x[1])])", "np.sort")
def sorted_by_what_counts_its_calls(x, k):
    return sorted([Counting(x[0]), Counting(x[1])])[0].key


class Told:
    def __init_subclass__(cls):
        cls.told = True


@refused(Syntax, "class Inner(Told):", "outside")
def class_below_one_that_runs_code(x, k):
    class Inner(Told):
        ONE = 1

    return x[0]


@refused(Syntax, "ONE = x[0]", "outside")
def enumeration_of_numbers_of_a_run(x, k):
    class Inner(enum.Enum):
        ONE = x[0]

    return Inner.ONE.value


@refused(Syntax, "def __init__(self, value):", "outside")
def enumeration_with_a_special_method(x, k):
    class Inner(enum.Enum):
        ONE = 1

        def __init__(self, value):
            self.twice = 2 * value

    return x[0] * Inner.ONE.twice


@refused(Syntax, "return x, Inner.ONE", "value")
def member_of_an_enumeration_made_inside(x, k):
    class Inner(enum.IntEnum):
        ONE = 1

    return x, Inner.ONE


@refused(Syntax, "return {Inner.ONE: x}", "values")
def dict_by_members_of_an_enumeration_made_inside(x, k):
    class Inner(enum.StrEnum):
        ONE = "a"

    return {Inner.ONE: x}


@refused(Syntax, "def generator_that_ends_before(x, k):", "list")
def generator_that_ends_before(x, k):
    if k > 100:
        yield x
    return x[0]


@refused(Syntax, "def generator_function(x, k):", "list")
def generator_function(x, k):
    for v in x:  # noqa: UP028
        yield v


@refused(Syntax, "async def coroutine(x, k):", "def")
async def coroutine(x, k):
    return x[0]


@refused(Syntax, 'open("file")', "outside")
def with_open(x, k):
    with open("file") as f:
        return x[0]


@refused(Syntax, 'ExceptionGroup("two", [k])', "a list of Exceptions")
def raises_a_group(x, k):
    try:
        raise ExceptionGroup("two", [k])
    except ExceptionGroup as group:
        return x[0] * len(group.exceptions)


@refused(Syntax, 'open(os.devnull, "w")', "no_grad")
def with_a_file(x, k):
    with open(os.devnull, "w"):
        return x[0]


@refused(Syntax, "y.shape", "reshape")
def assigns_a_shape(x, k):
    y = x.copy()
    y.shape = (2, 2)
    return y


@refused(Syntax, "y.T", "del")
def deletes_an_attribute(x, k):
    y = x.copy()
    del y.T
    return y


@refused(sd.CertainError, "raise", "arguments of types")
def raises_again(x, k):
    raise


@refused(Syntax, "import tests.never_imported", "top of the file")
def imports_late(x, k):
    import tests.never_imported

    return x[0] + tests.never_imported.y


@refused(Syntax, "while True:", "break")
def never_ends(x, k):
    s = x[0]
    while True:
        s = s * 0.5


# Calls


@refused(Call, 'exec("y = 1")', "write")
def executes(x, k):
    exec("y = 1")
    return x[0]


@refused(Call, 'eval("x[0]")', "write")
def evaluates(x, k):
    return eval("x[0]")


@refused(Call, "locals()", "names")
def asks_for_locals_of_a_nested_function(x, k):
    return (lambda v: locals()["v"][0])(x)


@refused(Call, "globals()", "names")
def asks_for_globals(x, k):
    return globals()["X"][0]


@refused(Call, "vars()", "names")
def asks_for_vars(x, k):
    return x[0] + len(vars())


@refused(Call, "id(x)", "is")
def asks_for_identity(x, k):
    return x[0] * id(x)


@refused(Call, "input()", "argument")
def asks_the_user(x, k):
    return x[0] * float(input())


@refused(Call, "super(object)", "base class")
def super_without_an_instance(x, k):
    return super(object)


@refused(Call, "np.fromstring(x)", "define_rule")
def no_rule(x, k):
    return np.fromstring(x)


def _doubled(value, limit):
    while value < limit:
        yield value
        value = value * 2.0


def _guarded(value):
    try:
        yield value
        yield value * 2.0
    finally:
        print(value)


@refused(Syntax, "value < limit", "go over it once")
def next_where_values_tell_which_yield_comes(x, k):
    doubled = _doubled(x[0], x[1])
    return next(doubled) + next(doubled)


def _added(value):
    total = value + (yield value)
    yield total


@refused(Syntax, "total = value + (yield value)", "yield in a statement of its own")
def send_into_a_part_of_an_expression(x, k):
    added = _added(x[0])
    return next(added) + added.send(x[1])


@refused(Syntax, "def generator_that_is_left_inside_try", "close it")
def generator_that_is_left_inside_try(x, k):
    guarded = _guarded(x[0])
    for value in guarded:
        if value > k:
            break
    return x[0] * 2.0


def _read_at(values, place):
    try:
        yield values[0]
        yield values[place]
    finally:
        print("read")


@refused(Syntax, "sum(read)", "compute it before the try")
def done_last_where_an_operation_may_have_raised(x, k):
    read = _read_at(x, int(k))
    return next(read) + next(read) + sum(read)


@refused(Syntax, "stack.enter_context", "a with statement of its own")
def errstate_entered_by_a_stack(x, k):
    with contextlib.ExitStack() as stack:
        stack.enter_context(np.errstate(all="ignore"))
        return np.sqrt(x)


@refused(Syntax, "sum(key for key, _ in itertools.groupby(x))", "list")
def in_groups(x, k):
    return sum(key for key, _ in itertools.groupby(x))


@refused(Call, "marshal.dumps(values)", "pass a tuple")
def list_given_away(x, k):
    values = [1.0, 2.0]
    marshal.dumps(values)
    return np.sum(x) * values[0]


@refused(Syntax, "for key in d:", "list(d)")
def keys_that_change(x, k):
    d = {"a": x[0], "b": x[1]}
    total = 0.0
    for key in d:
        total += d[key]
        d.pop("b", None)
        d["c"] = x[0]
    return total


@refused(Call, "np.exp(x, where=x > 0)", "numpy.where")
def unknown_keyword(x, k):
    return np.sum(np.exp(x, where=x > 0))


@refused(Syntax, "(x > 0.5) ** turns", "x.astype(int) ** k")
def power_of_bools_of_a_count(x, k):
    turns = 0
    while x[0] > turns:
        turns += 1
    return x * (x > 0.5) ** turns


@refused(Call, "x.tobytes()", "outside")
def unknown_method(x, k):
    return x.tobytes()


@refused(Call, 'os.getenv("HOME") * x', 'nondifferentiable(returns="float64[n]")')
def arithmetic_on_an_unknown_object(x, k):
    return os.getenv("HOME") * x


@refused(Call, 'if os.getenv("HOME"):', 'nondifferentiable(returns="bool")')
def truth_of_an_unknown_object(x, k):
    if os.getenv("HOME"):
        return x[0]
    return x[1]


@refused(Call, 'os.getenv("HOME").lower', "outside")
def attribute_of_an_unknown_object(x, k):
    return os.getenv("HOME").lower()


@refused(Call, "os.path.exists(lambda: 1)", "nondifferentiable")
def closure_given_away(x, k):
    return os.path.exists(lambda: 1)


# Values


@refused(Syntax, "return {x[0]: 1.0}", "list(d)")
def dict_with_staged_keys(x, k):
    return {x[0]: 1.0}


@refused(Syntax, '{"0.5": 2.0, "0.6": x}', "one type")
def unlike_items_by_a_staged_key(x, k):
    names = {"0.5": 2.0, "0.6": x}
    return names[f"{x[0]}"]


@refused(Syntax, "sorted([x, x])", "np.sort")
def sorts_a_list_of_arrays(x, k):
    return sorted([x, x])[0]


@refused(Syntax, "x.sum(axis=int(x[2]))", "int argument")
def axis_from_data(x, k):
    return x.sum(axis=int(x[2]))


@refused(Syntax, "g", "list")
def iterates_twice(x, k):
    g = (v * 2 for v in x)
    s = sum(g)
    for v in g:
        s += v
    return s


@refused(Syntax, "while s < 9.0:", "structure")
def nests_in_a_loop(x, k):
    s, t = x[0], x[1]
    while s < 9.0:
        s = s + 1.0
        t = (t, s)
    return t


@refused(Syntax, "values.append", "float(x)")
def array_without_dimension_among_numbers(x, k):
    s = x[0]
    values = [s]
    while s < 9.0:
        values.append(s)
        s = s + 1.0
    values.append(np.asarray(x[1]))
    return values[-1]


@refused(Syntax, "[*rows, np.asarray(x[1])]", "one type")
def array_without_dimension_among_rows(x, k):
    rows, s = [], x[0]
    while s < 9.0:
        rows.append(x)
        s = s + 1.0
    rows = [*rows, np.asarray(x[1])]
    return rows[0]


@refused(Syntax, "items.insert", "one type")
def unlike_items_moved(x, k):
    items = [x[0], x]
    items.insert(int(np.sum(x > 0)), k)
    return items[0]


@refused(Syntax, "itertools.chain(zip(x, x, strict=True), [(k, k)])", "list(")
def chain_of_a_strict_zip(x, k):
    s = k
    for v, w in itertools.chain(zip(x, x, strict=True), [(k, k)]):
        s = s + v * w
    return s


@refused(Aliasing, "a[a > 0.0]", "values.copy()")
def mask_written_from_a_view_of_its_array(x, k):
    a = x * 2.0
    a[a > 0.0] = a[::-1]
    return np.sum(a)


@refused(Aliasing, "a.flat[:]", "values.copy()")
def flat_written_from_a_view_of_its_array(x, k):
    a = x * 2.0
    a.flat[:] = a[::-1]
    return np.sum(a)


@refused(Aliasing, "np.concatenate([a[2:], a[:2]], out=a)", "np.concatenate(parts)")
def concatenated_into_its_own_parts(x, k):
    a = x * 2.0
    np.concatenate([a[2:], a[:2]], out=a)
    return np.sum(a)


@refused(Aliasing, "rows.append(a)", "copy")
def writes_what_is_in_a_growing_list(x, k):
    rows, s = [], x[0]
    a = x.copy()
    while s < 9.0:
        rows.append(a)
        s = s + 1.0
        a[0] = s
    return rows


@refused(Syntax, "for v in rows", "list(")
def grows_while_iterated(x, k):
    rows = [v for v in x]  # noqa: C416
    for v in rows:
        if v > 0:
            rows.append(v)
    return rows


class Named:
    """A key that equals another one of its name."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)


RATES = {Named("a"): 2.0}


@refused(Syntax, 'RATES.get(Named("a"), 3.0)', "what it is made of")
def key_that_equals_another(x, k):
    return x * RATES.get(Named("a"), 3.0)


class Asked:
    """Counts how often it was compared."""

    asked = 0

    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        Asked.asked += 1
        return self.v < other.v


@refused(Syntax, "sorted(", "sort an array")
def objects_sorted_that_count_comparisons(x, k):
    return sorted([Asked(x[0]), Asked(k), Asked(x[1])])[0].v * Asked.asked


@refused(Syntax, "return", "its values")
def objects_as_keys_of_what_is_returned(x, k):
    return {Named("a"): x}


@refused(Syntax, "return", "of numbers")
def objects_in_a_set_that_is_returned(x, k):
    return x, frozenset([(Named("a"), 1)])


def text_of(span):
    """The source that a span covers on its first line."""
    end = span.end_column - 1 if span.end_line == span.line else None
    return span.text[span.column - 1 : end]


@pytest.mark.parametrize(
    ("function", "error", "at", "hint"), REFUSED, ids=lambda f: getattr(f, "__name__", "")
)
def test_what_is_refused_is_shown_with_its_place_and_a_way_out(function, error, at, hint):
    arguments = (X, 0.25)
    with pytest.raises(SymdiffError) as caught:
        staged_at(function, signature_of(["x", "k"], arguments), arguments)
    found = caught.value
    assert isinstance(found, error), f"{type(found).__name__}: {found}"
    assert found.span is not None, found
    assert found.span.file == __file__
    assert text_of(found.span).startswith(at), text_of(found.span)
    assert found.hint, found
    assert hint in found.hint, found
    assert at.splitlines()[0] in str(found)


def words_by_path(x):
    words = []
    for k in range(len(x)):
        words.append("sin" if x[k] > 1 else "cos")
    return np.sum(getattr(np, words[1])(x))


def longer_each_turn(x, n):
    word, k = "a", 0
    while k < n:
        word, k = word + "b", k + 1
    return np.sum(getattr(np, word)(x))


def test_texts_that_differ_are_shown():
    with pytest.raises(UnsupportedSyntaxError, match="'sin' in one branch, 'cos' in the other"):
        sd.grad(words_by_path)(np.linspace(0.5, 1.5, 5))
    with pytest.raises(UnsupportedSyntaxError, match=r"'ab+' before a turn, 'ab+' after it"):
        sd.grad(longer_each_turn)(np.array([0.5, 1.5]), 3)


def test_functions_of_scipy_are_named_in_full():
    special = pytest.importorskip("scipy.special")
    with pytest.raises(
        sd.UnsupportedCallError, match=r"no rule for scipy\.special\.jn_zeros"
    ) as error:
        sd.grad(lambda x: np.sum(x * special.jn_zeros(0, 2)))(np.ones(2))
    assert error.value.hint is not None


def test_a_class_of_numpy_comes_with_what_to_write_instead():
    with pytest.raises(sd.UnsupportedCallError, match="atleast_2d"):
        sd.grad(lambda x: np.sum(np.matrix(x)))(np.ones(2))


def names_a_run(x):
    return np.sum(x) * len(uuid.uuid4().hex)


def test_what_is_refused_in_the_standard_library_is_named_as_the_user_calls_it():
    with pytest.raises(SymdiffError) as caught:
        sd.grad(names_a_run)(X)
    assert caught.value.hint.startswith("call uuid.uuid4 outside, or in a function marked")
    assert "uuid.uuid4" in caught.value.call_chain[-1].text
    with pytest.raises(SymdiffError) as caught:
        sd.grad(lambda x: functools.reduce(lambda a, b: np.fromstring(b), [x, x])[0])(X)
    assert "nondifferentiable(returns" in caught.value.hint


# Functions that change what they are given


@refused(Call, "np.array([x[0], 1.0], dtype=object)", "use an array of numbers, or a list")
def an_array_of_objects(x, k):
    return np.sum(np.array([x[0], 1.0], dtype=object))


@refused(Call, "x.astype(object)", "use an array of numbers, or a list")
def an_array_as_objects(x, k):
    return np.sum(x.astype(object) * 2)


@refused(Call, "x.view(np.matrix)", "outside")
def a_view_as_a_matrix(x, k):
    return np.sum(x.view(np.matrix))


def _changed(call):
    def changed(x):
        y, items = x * 2.0, [x[0], x[1]]
        call(x, y, items)
        return np.sum(y) + items[0]

    return changed


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y, items: np.divide.at(y, [0, 0], 2.0),
        lambda x, y, items: np.negative.at(y, [0]),
        lambda x, y, items: np.subtract.accumulate(x, out=y),
        lambda x, y, items: np.logaddexp.reduceat(x, [0, 1], out=y[:2]),
    ],
)
def test_what_changes_its_argument_and_has_no_rule_is_refused(call):
    """Never called beside the program, which would not see what it does."""
    for derivative in (sd.grad(_changed(call)), sd.differentiable(_changed(call)).forward):
        with pytest.raises(UnsupportedCallError, match=r"no rule|does not know the method"):
            derivative(X)


class Halved(NamedTuple("Halved", [("first", float), ("second", float), ("half", float)])):
    """A named tuple that computes one of its fields, as ``platform.uname()`` does."""

    def __new__(cls, first, second):
        return tuple.__new__(cls, (first, second))

    half = property(lambda self: self.first / 2.0)


HALVED = Halved(1.0, 2.0)


@pytest.mark.parametrize("function", [lambda x: x * HALVED.first, lambda x: x * HALVED[1]])
def test_a_named_tuple_without_an_item_for_each_name_is_refused(function):
    with pytest.raises(SignatureError, match="a Halved holds 2 items, and its class names 3"):
        sd.grad(function)(2.0)
    with pytest.raises(SignatureError, match="a Halved holds 2 items"):
        sd.grad(lambda x, pair: x * pair.first)(2.0, HALVED)
