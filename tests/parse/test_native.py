"""Objects of classes that are not written in Python."""

import array
import collections
import contextlib
import ctypes
import datetime
import functools
import io
import json
import numbers
import os.path
import re
import threading

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

import symdiff
from symdiff.errors import UnsupportedCallError
from tests.fuzz.packages import compile_one
from tests.parse.following import follows

LAG = datetime.timedelta(days=3)
PATTERN = re.compile("a+")
PAIR = collections.deque([1.0, 2.0], maxlen=4)
NUMBERS = array.array("d", [1.0, 2.0])
RAISED = ValueError(4.0)
STEPS = iter([1.0, 2.0])
LENGTH = ctypes.pythonapi.PyLong_AsLong
FOUND = collections.deque()


def what_they_hold(x):
    if PATTERN.pattern == "a+":
        x = x * LAG.days
    return x * PAIR.maxlen * NUMBERS.itemsize * RAISED.args[0]


def test_what_they_hold_is_read():
    follows(what_they_hold, 2.0)
    assert symdiff.grad(what_they_hold)(2.0) == 3 * 4 * 8 * 4.0


def test_what_they_hold_is_looked_up_at_each_call(monkeypatch):
    gradient = symdiff.grad(lambda x: x * LAG.days)
    assert gradient(2.0) == 3.0
    monkeypatch.setitem(globals(), "LAG", datetime.timedelta(days=5))
    assert gradient(2.0) == 5.0
    gradient = symdiff.grad(lambda x: x if PATTERN.pattern == "a+" else 2 * x)
    assert gradient(2.0) == 1.0
    monkeypatch.setitem(globals(), "PATTERN", re.compile("b"))
    assert gradient(2.0) == 2.0


def test_a_method_is_called_of_the_object_that_stands_there(monkeypatch):
    def notes(x):
        FOUND.append(1)
        return x * x

    gradient = symdiff.grad(notes)
    first, second = collections.deque(), collections.deque()
    for found in (first, second, first):
        monkeypatch.setitem(globals(), "FOUND", found)
        assert gradient(3.0) == 6.0
    assert (len(first), len(second)) == (2, 1)


def fills(found, x):
    found.append(1)
    return x * x


def test_a_method_is_called_of_the_object_that_is_given():
    gradient = symdiff.grad(fills, argnums=1)
    first, second = collections.deque(), collections.deque()
    for found in (first, second, first):
        assert gradient(found, 3.0) == 6.0
    assert (len(first), len(second)) == (2, 1)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x * PAIR[0], "the type of a value is not known"),
        (lambda x: x * NUMBERS[1], "the type of a value is not known"),
        (lambda x: x * next(STEPS), "the type of a value is not known"),
        (lambda x: x if 1.0 in PAIR else 2 * x, "whose type is not known"),
        (lambda x: x * LENGTH(3), "the type of a value is not known"),
        (lambda x: x * dijkstra(np.eye(3)).size, "no rule for scipy.*dijkstra"),
        (lambda x: x * memoryview(b"ab").nbytes, "does not compile memoryview"),
    ],
)
def test_what_they_give_is_not_known(function, message):
    with pytest.raises(UnsupportedCallError, match=message):
        symdiff.grad(function)(2.0)


@pytest.mark.parametrize("first", [True, False])
def test_what_they_hold_is_not_read_where_their_methods_are_called(first):
    def reads_first(x):
        limit = PAIR.maxlen
        PAIR.append(3.0)
        return x * limit

    def calls_first(x):
        PAIR.append(3.0)
        return x * PAIR.maxlen

    with pytest.raises(UnsupportedCallError, match="'maxlen' of a deque whose methods are called"):
        symdiff.grad(reads_first if first else calls_first)(2.0)


class Slots:
    __slots__ = ("__hidden", "empty", "shown")

    def __init__(self, shown):
        self.shown, self.__hidden = shown, 2 * shown

    def hidden(self):
        return self.__hidden


KEPT = Slots(1.5)


def test_slots_are_attributes():
    follows(lambda x: x * KEPT.hidden() + KEPT.shown, 2.0)
    follows(lambda x: Slots(x).hidden() * Slots(x).shown, 2.0)
    follows(lambda x: x * KEPT.empty, 2.0)
    follows(lambda x: Slots(x).empty, 2.0)


def test_a_slot_that_is_filled_later_is_found():
    gradient = symdiff.grad(lambda x: 2 * x if hasattr(KEPT, "empty") else x)
    assert gradient(2.0) == 1.0
    KEPT.empty = None
    try:
        assert gradient(2.0) == 2.0
    finally:
        del KEPT.empty


class Made:
    """An instance comes of more than ``__init__``."""

    def __new__(cls):
        made = object.__new__(cls)
        made.k = 3.0
        return made


def test_a_class_with_a_constructor_of_its_own_is_followed():
    assert symdiff.grad(lambda x: x * Made().k)(2.0) == 3.0


class Loud:
    """An object whose text tells the world."""

    shown = 0

    def __init__(self, k):
        self.k = k

    def __repr__(self):
        Loud.shown += 1
        return "loud"


LOUD = [Loud(1.0), Loud(2.0)]


def test_compiling_asks_no_object_for_its_text():
    def changes(x):
        LOUD[0].k = x
        return LOUD[0].k * LOUD[1].k

    assert symdiff.grad(changes)(3.0) == 2.0
    assert Loud.shown == 0


def test_a_descriptor_of_a_library_that_is_not_written_in_python_is_refused():
    special = pytest.importorskip("scipy.special.cython_special")

    class Held:
        kernel = special.gamma

    held = Held()
    with pytest.raises(symdiff.UnsupportedCallError, match="'kernel' of a Held, which is not"):
        symdiff.grad(lambda x: x if held.kernel is None else x * x)(2.0)


def test_what_a_descriptor_in_c_gives_is_not_taken_for_a_method():
    @symdiff.differentiable
    def f(x):
        try:
            int.__dict__["real"].__get__(x)
        except TypeError:
            return 2.0 * x
        return x

    with pytest.raises(UnsupportedCallError, match="'__get__' of a getset_descriptor"):
        f.grad(1.5)


def test_a_method_of_another_class_raises_what_python_raises():
    @symdiff.differentiable
    def f(x):
        try:
            str.upper(x)
        except TypeError:
            return 2.0 * x
        return x

    assert f.grad(1.5) == 2.0
    with pytest.raises(TypeError, match="'upper' for 'str' objects doesn't apply to a 'float'"):
        symdiff.grad(lambda x: str.upper(x) * x)(1.5)


HERE = threading.local()
DEFAULTS = {"scale": 2.0, "shift": 1.0}


def _settings():
    if not hasattr(HERE, "settings"):
        HERE.settings = DEFAULTS.copy()
    return HERE.settings


@contextlib.contextmanager
def _with_settings(**changed):
    before = _settings().copy()
    _settings().update(changed)
    try:
        yield
    finally:
        _settings().update(before)


def _scaled(x):
    with _with_settings(scale=5.0):
        y = x * x * _settings()["scale"]
    return y * _settings()["scale"]


def test_what_a_thread_has_of_its_own_is_read_and_set_for_the_thread_that_calls():
    f, found = symdiff.grad(_scaled), {}

    def in_a_thread(scale):
        found["before"] = hasattr(HERE, "settings")
        if scale is not None:
            HERE.settings = {"scale": scale, "shift": 0.0}
        found["slope"], found["after"] = f(1.5), HERE.settings["scale"]

    for scale, expected in ((None, 2.0), (7.0, 7.0), (None, 2.0)):
        thread = threading.Thread(target=in_a_thread, args=(scale,))
        thread.start()
        thread.join()
        assert found == {"before": False, "slope": 15.0 * expected, "after": expected}
    assert f(1.5) == f(1.5) == 30.0
    HERE.settings["scale"] = 3.0
    assert symdiff.jvp(_scaled, (1.5,), (1.0,)) == (33.75, 45.0)
    assert symdiff.grad(symdiff.grad(_scaled))(1.5) == 30.0
    del HERE.settings


def test_what_runs_once_in_each_thread_is_refused():
    class Own(threading.local):
        def __init__(self):
            self.scale = 2.0

    own = Own()
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="runs once in each thread"):
        symdiff.grad(lambda x: x * own.scale)(1.5)


def test_a_module_is_not_returned():
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="the function returns a module"):
        symdiff.grad(lambda x: (x, np))(1.5)


def test_a_regular_expression_is_compiled_once_and_texts_are_asked_for():
    def caught(x):
        try:
            return x * len(re.sub("a(b+)", "c", x))
        except TypeError:
            return 3.0 * x

    def wrong(x):
        try:
            re.compile("a(")
        except re.error as error:
            return x * error.pos
        return x

    def parts(x):
        return x * float(re.match(r"(\d+)-(\d+)", "12-13").group(2))

    assert symdiff.grad(caught)(2.0) == 3.0
    assert symdiff.grad(wrong)(2.0) == 1.0
    assert symdiff.grad(parts)(2.0) == 13.0
    with pytest.raises(TypeError, match="expected string or bytes-like object, got 'float'"):
        symdiff.grad(lambda x: re.sub("a", "b", x))(2.0)


def test_an_error_of_a_library_keeps_its_attributes():
    def told(x):
        try:
            json.loads("{a")
        except json.JSONDecodeError as error:
            return x * error.pos + error.colno

    def from_it(x):
        try:
            json.loads("{a")
        except json.JSONDecodeError as error:
            raise KeyError(error.pos) from error

    def again(x):
        try:
            json.loads("{a")
        except json.JSONDecodeError:
            raise

    def handled(x):
        try:
            again(x)
        except ValueError as error:
            return x * error.colno

    assert symdiff.value_and_grad(told)(2.0) == (4.0, 1.0)
    assert symdiff.grad(handled)(2.0) == 2.0
    with pytest.raises(KeyError) as caught:
        symdiff.grad(from_it)(2.0)
    assert (caught.value.__cause__.pos, caught.value.__cause__.doc) == (1, "{a")
    for _ in range(2):
        with pytest.raises(json.JSONDecodeError) as caught:
            symdiff.grad(lambda x: again(x) if x > 1.0 else x)(2.0)
        assert (caught.value.pos, caught.value.doc) == (1, "{a")
        assert not hasattr(caught.value, "certain")


def test_names_of_attributes_are_texts():
    def f(x):
        try:
            return getattr(LAG, x)
        except TypeError:
            return 3.0 * x

    assert symdiff.grad(f)(2.0) == 3.0


@pytest.mark.parametrize("function", [os.path.basename, os.path.expanduser, os.path.realpath])
@pytest.mark.parametrize("argument", [0.5, 3, np.ones(2), np.float32(1.0)])
def test_a_number_is_no_path(function, argument):
    def f(x):
        return function(x)

    with pytest.raises(TypeError) as expected:
        f(argument)
    with pytest.raises(TypeError) as caught:
        symdiff.differentiable(f).forward(argument)
    assert str(caught.value) == str(expected.value)


def test_put_at_a_run_time_float_is_refused():
    def f(x):
        a = np.zeros(3)
        np.put(a, x, 1.0)
        return a.sum() * x

    with pytest.raises(UnsupportedCallError, match="put at a float"):
        symdiff.grad(f)(1.0)


def test_what_is_asked_for_by_a_refusal_is_no_fault():
    lloyd = "scipy.stats._qmc:_lloyd_centroidal_voronoi_tessellation"
    assert compile_one(lloyd, "float64[n,m]").kind == "refused"


def test_an_exception_that_was_made_outside_is_raised_as_it_is(monkeypatch):
    def f(x):
        try:
            y = 1.0 / x
        except ZeroDivisionError as error:
            raise RAISED from error
        if x > 3.0:
            raise RAISED
        return y

    def handled(x):
        try:
            if x > 3.0:
                raise RAISED
        except ValueError as error:
            return x * error.args[0]
        return x

    for raised in (RAISED, ValueError(7.0)):
        monkeypatch.setitem(globals(), "RAISED", raised)
        assert symdiff.grad(f)(2.0) == -0.25
        assert symdiff.grad(handled)(5.0) == raised.args[0]
        assert symdiff.grad(handled)(0.0) == 1.0
        for at, cause in ((4.0, type(None)), (0.0, ZeroDivisionError)):
            raised.__cause__ = None
            with pytest.raises(ValueError) as caught:
                symdiff.grad(f)(at)
            assert caught.value is raised
            assert isinstance(raised.__cause__, cause)


def test_a_pattern_in_the_memory_of_an_array_is_refused():
    def f(x):
        return len(re.sub(b"a", b"b", x)) * x

    with pytest.raises(UnsupportedCallError, match="the memory of an array"):
        symdiff.differentiable(f).graph("float64[n]")


WRITTEN = None


def test_numbers_are_printed_to_a_file(tmp_path, monkeypatch):
    def f(x, file):
        for k in range(2):
            print(x * k, "and", file=file, sep="-", end=";")
        if x > 1.0:
            print([x], file=WRITTEN)
        return x * x

    with (tmp_path / "given").open("w") as given, (tmp_path / "held").open("w") as held:
        monkeypatch.setitem(globals(), "WRITTEN", held)
        assert symdiff.grad(f)(2.0, given) == 4.0
        assert symdiff.grad(f)(0.5, given) == 1.0
    assert (tmp_path / "given").read_text() == "0.0-and;2.0-and;0.0-and;0.5-and;"
    assert (tmp_path / "held").read_text() == "[2.0]\n"


class Counting(io.TextIOWrapper):
    """A file whose ``write`` the program could follow."""

    count = 0

    def write(self, text):
        self.count += len(text)


def test_a_file_of_a_users_class_is_not_taken_for_a_plain_one():
    def f(x):
        print(x, file=COUNTING)
        return x * COUNTING.count

    with pytest.raises(UnsupportedCallError):
        symdiff.grad(f)(2.0)


COUNTING = Counting(io.BytesIO())


def test_what_is_not_followed_of_singledispatch_is_refused():
    def by_annotation(x):
        @functools.singledispatch
        def weighted(value):
            return 1.0

        @weighted.register
        def of_integer(value: int):
            return 2.0

        return weighted(1) * x

    def registry(x):
        return len(functools.singledispatch(lambda value: value).registry) * x

    def abstract(x):
        weighted = functools.singledispatch(lambda value: value)
        weighted.register(numbers.Number, lambda value: 2.0)
        return weighted(1) * x

    for f, told in (
        (by_annotation, "by annotations alone"),
        (registry, "attribute 'registry'"),
        (abstract, "of an abstract class"),
    ):
        with pytest.raises(UnsupportedCallError, match=told):
            symdiff.grad(f)(2.0)
