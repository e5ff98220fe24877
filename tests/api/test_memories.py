"""What one call stores outside and a later one reads: a constant, of which a warning tells once."""

from __future__ import annotations

import warnings
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import symdiff as sd
from symdiff.api import memory as memory_module
from symdiff.api import programs
from symdiff.errors import LostDerivativeWarning
from symdiff.runtime import memory

X = np.array([1.0, 2.0])


@pytest.fixture(autouse=True)
def _nothing_told(monkeypatch):
    """Nothing is compiled and nothing told of."""
    monkeypatch.setattr(memory, "_told", weakref.WeakKeyDictionary())
    monkeypatch.setattr(programs, "_homes", weakref.WeakKeyDictionary())


_memo = None
_table = {}
_buffer = np.zeros(2)


class Model:
    def __init__(self):
        self.forget()

    def forget(self):
        self._x, self._value, self._list, self._by_name = None, None, [], {}
        self.total, self.buffer, self.is_ready, self.scale = 0.0, np.zeros(2), False, None

    def none(self, x):
        if self._value is None:
            self._value = np.sum(x**2)
        return 2.0 * self._value

    def same_argument(self, x):
        if self._x is not None and np.array_equal(self._x, x):
            return self._value
        self._x, self._value = x.copy(), np.sum(x**2)
        return self._value

    def attribute(self, x):
        if not hasattr(self, "_late"):
            self._late = np.sum(x**2)
        return self._late

    def tried(self, x):
        try:
            return self._tried
        except AttributeError:
            self._tried = np.sum(x**2)
            return self._tried

    def pair(self, x):
        if self._value is None:
            self._value = (np.sum(x), [np.sum(x**2)])
        return self._value[1][0]

    def listed(self, x):
        if not self._list:
            self._list.append(np.sum(x**2))
        return self._list[0]

    def named(self, x):
        if "v" not in self._by_name:
            self._by_name["v"] = np.sum(x**2)
        return self._by_name["v"]

    def buffered(self, x):
        if not self.is_ready:
            self.buffer[:] = x**2
            self.is_ready = True
        return np.sum(self.buffer)

    def in_helper(self, x):
        return 2.0 * self._computed(x)

    def _computed(self, y):
        if self._value is None:
            z = y**2
            self._value = np.sum(z)
        return self._value


MEMORIES = [name for name, held in vars(Model).items() if callable(held) and name[0] != "_"]
MEMORIES.remove("forget")


def told(call, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(*arguments)
    return found, [w for w in caught if w.category is sd.LostDerivativeWarning]


@pytest.mark.parametrize("name", MEMORIES)
def test_the_second_call_tells_once(name):
    model = Model()
    gradient = sd.grad(getattr(model, name))
    _, first = told(gradient, X)
    again, second = told(gradient, X)
    at_run_time = name == "buffered"  # one program reads and writes
    assert (len(first), len(second)) == (at_run_time, not at_run_time)
    (warned,) = first + second
    assert f"{name} reads self." in str(warned.message)
    assert warned.filename == __file__
    np.testing.assert_array_equal(again, 0.0)  # as written
    _, third = told(gradient, X)
    assert not third


@pytest.mark.parametrize("name", MEMORIES)
def test_a_call_of_the_function_itself_stores_too(name):
    model = Model()
    getattr(model, name)(X)
    for derivative in (sd.grad, sd.hessian):
        _, warned = told(derivative(getattr(model, name)), X)
        assert len(warned) == (derivative is sd.grad)


def test_forward_mode_tells_too():
    model = Model()
    model.none(X)
    with pytest.warns(sd.LostDerivativeWarning):
        sd.jvp(lambda x: model.none(x), (X,), (X,))
    with pytest.warns(sd.LostDerivativeWarning):
        sd.vjp(lambda x: model.none(x), X)


def test_globals_and_cells():
    def of_a_global(x):
        global _memo
        if _memo is None:
            _memo = np.sum(x**2)
        return _memo

    def of_an_item(x):
        if "v" not in _table:
            _table["v"] = np.sum(x**2)
        return _table["v"]

    def of_an_array(x, fill):
        if fill:
            _buffer[:] = x**2
        return np.sum(_buffer)

    kept = None

    def of_a_cell(x):
        nonlocal kept
        if kept is None:
            kept = np.sum(x**2)
        return kept

    for function in (of_a_global, of_an_item, of_a_cell):
        gradient = sd.grad(function)
        assert not told(gradient, X)[1]
        assert len(told(gradient, X)[1]) == 1
    gradient = sd.grad(of_an_array)
    assert not told(gradient, X, True)[1]
    assert len(told(gradient, X, False)[1]) == 1


def test_a_state_that_each_call_moves_on_is_told_of_at_the_second():
    class Filter:
        def __init__(self):
            self.state = 0.0
            self.history = np.zeros(3)
            self.count = 0

        def step(self, x):
            self.state = 0.5 * self.state + np.sum(x)
            return self.state**2

        def shifted(self, x):
            self.history = np.append(x[:1], self.history[:-1])
            self.count += 1
            return np.sum(self.history**2)

        def faded(self, x):
            self.history[:] = 0.5 * self.history + x[0]
            return np.sum(self.history**2)

    for name in ("step", "shifted", "faded"):
        filter_ = Filter()
        gradient = sd.grad(getattr(filter_, name))
        assert not told(gradient, X)[1]
        assert len(told(gradient, X)[1]) == 1
        assert not told(gradient, X)[1]


def test_what_one_function_stores_another_reads():
    model = SimpleNamespace(feature=1.0)

    def read(x):
        return np.sum(x) * model.feature

    def store(x):
        model.feature = np.sum(x**2)
        return model.feature

    assert not told(sd.grad(read), X)[1]  # compiled before anything is stored
    assert not told(sd.grad(store), X)[1]
    assert len(told(sd.grad(read), X)[1]) == 1


class Quiet:
    def __init__(self):
        self.scale, self.kept, self.seen, self.loss = None, None, 0, 0.0
        self.inside = np.ones(4)

    def default(self, x):
        if self.scale is None:
            self.scale = 2.0
        return self.scale * np.sum(x)

    def meant(self, x):
        if self.kept is None:
            self.kept = sd.stop_gradient(np.sum(x**2))
        return self.kept * np.sum(x)

    def counted(self, x):
        self.seen += 1
        return np.sum(x) * self.seen

    def logged(self, x):
        self.loss = np.sum(x**2)
        return self.loss

    def compared(self, x):
        value = np.sum(x**2)
        if value > self.loss:
            self.loss = value
        return value

    def between_edges(self, x):
        self.inside[1:-1] = x
        return np.sum(self.inside**2)

    def by_the_constant(self, x, c):
        if self.kept is None:
            self.kept = c**2
        return self.kept * np.sum(x)


def test_where_nothing_is_lost_nothing_is_told():
    for name in ("default", "meant", "counted", "logged", "compared", "between_edges"):
        gradient = sd.grad(getattr(Quiet(), name))
        for _ in range(3):
            assert not told(gradient, X)[1], name
    gradient = sd.grad(Quiet().by_the_constant)
    for _ in range(3):
        assert not told(gradient, X, 3.0)[1]


def test_what_is_set_anew_between_calls_is_no_memory():
    model = SimpleNamespace(weight=1.0, buffer=np.zeros(2))

    def f(x):
        found = np.sum(x * model.buffer) * model.weight
        model.weight = np.sum(x)
        model.buffer[:] = x
        return found

    gradient = sd.grad(f)
    for turn in range(3):
        assert not told(gradient, X)[1]
        model.weight = 1.0 + turn
        model.buffer[:] = 0.25 * turn


def test_an_object_of_each_call_has_no_memory():
    def f(state, x):
        found = state.value * np.sum(x)
        state.value = np.sum(x**2)
        return found

    gradient = sd.grad(f, argnums=1)
    for _ in range(3):
        assert not told(gradient, SimpleNamespace(value=2.0), X)[1]
    state = SimpleNamespace(value=2.0)
    gradient(state, X)
    assert len(told(gradient, state, X)[1]) == 1


class Held:
    def __init__(self, value=None):
        self.value = value


def test_another_object_at_the_same_address_has_no_memory():
    def left(state, x):
        state.value = np.sum(x)
        return state.value

    def read(x, state):
        return np.sum(x) * state.value

    keep, gradient = sd.grad(left, argnums=1), sd.grad(read)
    for _ in range(50):
        state = Held()
        keep(state, X)
        number = state.value
        del state
        assert not told(gradient, X, Held(number))[1]


def test_each_function_is_searched_once_however_much_is_read(monkeypatch):
    searched = []

    class Counted(memory_module._Stores):
        def __init__(self, node, names, own):
            searched.append(node.name)
            super().__init__(node, names, own)

    monkeypatch.setattr(memory_module, "_Stores", Counted)
    table = SimpleNamespace(rows=[float(k) for k in range(40)], last=2.0)

    def reading(x):
        if table.last is None:
            table.last = x
        return x * sum(table.rows) * table.last

    with pytest.warns(LostDerivativeWarning, match=r"reads table\.last") as warned:
        assert sd.grad(reading)(2.0) == 1560.0
    assert len(warned) == 1
    assert searched == ["reading"]


class Ellipse:
    def __init__(self, a, b):
        self.a, self.b = a, b
        assert self.a >= self.b


def test_a_constructor_fills_what_is_new():
    base = Ellipse(3.0, 2.0)

    def function(x):
        return Ellipse(base.a, x).b * base.b

    found, warned = told(sd.grad(function), 1.5)
    assert (found, warned) == (2.0, [])
