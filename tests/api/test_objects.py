"""What a differentiated object is beside a function: a method, picklable, safe in threads."""

import gc
import multiprocessing
import pickle
import threading
import types
import warnings
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import symdiff as sd

X = np.array([0.4, 1.3, 0.8])


@sd.differentiable
def decorated(x):
    return np.sum(x**3)


def plain(x):
    return np.sum(x**2)


class Model:
    power = 2

    def __init__(self, scale):
        self.scale = scale
        self.calls = 0

    @sd.differentiable
    def cost(self, x):
        return self.scale * np.sum(x**self.power)

    def undecorated(self, x):
        return self.scale * np.sum(x**3)

    @sd.differentiable
    def counted(self, x):
        self.calls += 1
        return self.scale * np.sum(x * x)

    @staticmethod
    @sd.differentiable
    def static(x):
        return np.sum(x * x)

    def __call__(self, x):
        return self.scale * np.sum(x * x)


def gradient_in_another_process(function, x):
    return function(x)


# --- methods


def test_methods_differentiate_by_their_own_arguments():
    model = Model(3.0)
    assert model.cost(X) == 3.0 * np.sum(X**2)
    np.testing.assert_allclose(model.cost.grad(X), 6 * X)
    model.scale = 5.0
    np.testing.assert_allclose(model.cost.grad(X), 10 * X)
    np.testing.assert_allclose(Model(1.0).cost.grad(X), 2 * X)


def test_every_transform_of_a_method():
    model = Model(3.0)
    np.testing.assert_allclose(sd.grad(model.undecorated)(X), 9 * X**2)
    np.testing.assert_allclose(model.cost.jvp((X,), (np.ones(3),))[1], np.sum(6 * X))
    np.testing.assert_allclose(sd.vjp(model.cost, X)[1](1.0)[0], 6 * X)
    np.testing.assert_allclose(model.cost.hvp(X, X), 6 * X)
    np.testing.assert_allclose(model.cost.hessian(X), 6 * np.eye(3))
    np.testing.assert_allclose(model.static.grad(X), 2 * X)
    np.testing.assert_allclose(sd.grad(model)(X), 6 * X)


def test_attributes_of_a_class_are_guarded(monkeypatch):
    model = Model(1.0)
    np.testing.assert_allclose(model.cost.grad(X), 2 * X)
    monkeypatch.setattr(Model, "power", 3)
    np.testing.assert_allclose(model.cost.grad(X), 3 * X**2)


def test_counting_calls_does_not_compile_anew():
    model = Model(1.0)
    for _ in range(3):
        model.counted.grad(X)
    assert model.calls == 3
    assert len(Model.counted.signatures()) == 1


def test_the_same_object_wherever_it_is_asked_for():
    assert decorated.grad is decorated.grad
    assert Model.cost is Model.__dict__["cost"]


# --- pickling


@pytest.mark.parametrize(
    "made",
    [
        decorated,
        decorated.grad,
        decorated.hessian,
        sd.grad(plain),
        sd.value_and_grad(plain),
        sd.grad(decorated, argnums=(0,)),
    ],
    ids=repr,
)
def test_pickles_by_reference(made):
    again = pickle.loads(pickle.dumps(made))
    assert repr(again(X)) == repr(made(X))
    assert len(pickle.dumps(made)) < 500


def test_a_bound_method_pickles_with_its_object():
    gradient = pickle.loads(pickle.dumps(Model(3.0).cost.grad))
    np.testing.assert_allclose(gradient(X), 6 * X)


def test_a_decorated_function_is_itself_after_pickling():
    assert pickle.loads(pickle.dumps(decorated)) is decorated


class WithClassMethod:
    scale = 3.0

    @classmethod
    @sd.differentiable
    def cost(cls, x):
        return cls.scale * np.sum(x * x)


def test_a_class_method_pickles_with_its_class():
    for made in (WithClassMethod.cost, WithClassMethod.cost.grad):
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is type(made)
        np.testing.assert_array_equal(again(X), made(X))


def test_pickles_into_a_spawned_process():
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        result = pool.apply(gradient_in_another_process, (decorated.grad, X))
    np.testing.assert_allclose(result, 3 * X**2)


def test_a_function_that_has_no_name_in_a_module_does_not_pickle():
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(sd.grad(lambda x: x))


# --- threads


def test_threads_compile_and_call_at_once():
    def work(x, n):
        for _ in range(n):
            x = x * np.cos(x)
        return np.sum(x)

    gradient = sd.grad(work)
    started = threading.Barrier(8)
    failures = []

    def run(number):
        started.wait()
        for turn in range(20):
            x = np.linspace(0.1, 1.0, 2 + (number + turn) % 5)
            if number % 2:
                x = x.astype(np.float32)
            with_one = gradient(x, 1)
            expected = np.cos(x) - x * np.sin(x)
            if not np.allclose(with_one, expected, rtol=1e-5) or with_one.dtype != x.dtype:
                failures.append((number, turn))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(sd.differentiable(work).signatures()) == 2


# --- what is shown


def test_source_is_what_runs():
    source = decorated.grad.source(X)
    namespace = {"np": np}
    exec(source, namespace)
    np.testing.assert_array_equal(namespace["decorated_grad"](X), decorated.grad(X))


def test_source_of_spelled_types_equals_that_of_values():
    assert decorated.grad.source("float64[n]") == decorated.grad.source(X)
    assert sd.grad(plain).source("float32[n, m]") == sd.grad(plain).source(
        np.ones((2, 3), np.float32)
    )


def test_source_of_a_function_is_forward_and_backward():
    source = decorated.source("float64[n]")
    assert "def decorated_forward(x)" in source
    assert "def decorated_backward(" in source


def test_a_value_that_structure_depends_on_has_to_be_given():
    def f(x, axis):
        return np.sum(np.sum(x, axis=axis) ** 2)

    with pytest.raises(sd.SignatureError, match="depends on the value of axis"):
        sd.grad(f).source("float64[n,m]", "int")
    assert "axis=1" in sd.grad(f).source("float64[n,m]", 1)


def test_the_ir_of_a_graph_is_what_is_compiled():
    graph = decorated.grad.graph("float64[n]").ir
    assert [given.path for given in graph.inputs] == [("x",)]


def test_signatures_say_what_was_compiled_and_why():
    def f(x, n):
        return np.sum(x.reshape(n, -1)[0])

    function = sd.differentiable(f)
    function.grad(np.ones(6), 2)
    function.grad(np.ones(6), 3)
    function.grad(np.ones(8), 2)
    lines = function.signatures()
    assert lines == sorted(lines, key=lines.index)
    assert len(lines) <= 2
    assert all(line.startswith("f_grad(x: float64[") for line in lines)


def test_signatures_spell_sizes_as_the_user_does():
    function = sd.differentiable(lambda p, x: np.sum(p["u"] @ x))
    function.grad({"u": np.ones((2, 3))}, np.ones(3))
    function.grad({"u": np.ones((2, 3))}, np.ones((3, 1)))
    sizes = "float64[p.u.shape[0],p.u.shape[1]]"
    assert [line.split("grad", 1)[1] for line in function.signatures()] == [
        f"(p: {{'u': {sizes}}}, x: float64[p.u.shape[1]])",
        f"(p: {{'u': {sizes}}}, x: float64[p.u.shape[1],1])",
    ]


RATE, MODE, CURVE = 2.0, "sum", np.sin


def with_variables(x, thing):
    reduced = np.sum(CURVE(x)) if MODE == "sum" else np.mean(CURVE(x))
    return reduced * RATE * (thing.k if hasattr(thing, "k") else 1.0)


class Thing:
    pass


def test_signatures_tell_programs_apart_by_what_they_rest_on(monkeypatch):
    function, thing = sd.differentiable(with_variables), Thing()
    told = ["MODE == 'sum'", "RATE: float", "CURVE == sin", "no thing.k"]
    function.grad(X, thing)
    for name, value in [("MODE", "mean"), ("RATE", 2), ("CURVE", np.cos)]:
        with monkeypatch.context() as patch:
            patch.setitem(globals(), name, value)
            function.grad(X, thing)
    thing.k = 3.0
    function.grad(X, thing)
    lines = function.signatures()
    assert len(lines) == len(set(lines)) == 5
    assert all(fact in lines[0] for fact in told), lines[0]
    changed = ["MODE == 'mean'", "RATE: int", "CURVE == cos", "thing.k: float"]
    for line, fact in zip(lines[1:], changed, strict=True):
        assert fact in line


def test_signatures_say_which_arguments_are_one_array():
    def f(x, y):
        x += y
        return np.sum(x * y)

    function = sd.differentiable(f)
    function.grad(X, X.copy())
    function.grad(X, X)
    assert [line.endswith("; y is x)") for line in function.signatures()] == [False, True]


def test_the_variable_that_keeps_changing_is_named(monkeypatch):
    function = sd.differentiable(lambda x: np.sum(x) if MODE else 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(16):
            monkeypatch.setitem(globals(), "MODE", f"mode {number}")
            function.grad(X)
    monkeypatch.setitem(globals(), "MODE", "another")
    with pytest.warns(RuntimeWarning, match="the value of MODE keeps changing"):
        function.grad(X)


def test_a_new_size_does_not_compile_anew():
    function = sd.differentiable(lambda x: np.sum(x * x))
    for n in (2, 3, 1000):
        function.grad(np.ones(n))
    assert len(function.signatures()) == 1
    function.grad(np.ones(1))
    assert len(function.signatures()) == 2


def test_many_signatures_warn_and_name_what_changes():
    function = sd.differentiable(lambda x, kind: np.sum(x * x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(16):
            function.grad(X, f"kind {number}")
    with pytest.warns(RuntimeWarning, match="the type of kind keeps changing"):
        function.grad(X, "another")


def test_names_of_derivatives():
    assert decorated.grad.__name__ == "decorated_grad"
    assert decorated.hessian.jvp.__name__ == "decorated_hessian_jvp"
    assert repr(decorated) == "<differentiable decorated>"
    assert repr(decorated.hvp) == "<derivative decorated_hvp>"


def test_staticmethod_comes_above():
    with pytest.raises(TypeError, match="below @staticmethod"):
        sd.differentiable(staticmethod(plain))


# --- containers as arguments


@dataclass
class Parameters:
    w: np.ndarray
    b: float
    name: str = "layer"


def test_dataclasses_come_back_as_dataclasses():
    gradient = sd.grad(lambda p, x: np.sum(p.w * x) + p.b)(Parameters(X, 1.0), X)
    assert isinstance(gradient, Parameters)
    np.testing.assert_array_equal(gradient.w, X)
    assert (gradient.b, gradient.name) == (1.0, None)


def test_errors_of_the_function_are_its_own():
    def shapes(x, y):
        return np.sum(x @ y)

    with pytest.raises(ValueError, match="matmul"):
        sd.grad(shapes)(np.ones((2, 3)), np.ones((4, 5)))

    def missing(x):
        return x["w"] + x["b"]

    with pytest.raises(KeyError, match="b"):
        sd.grad(missing)({"w": 1.0})


def test_a_module_is_no_function():
    with pytest.raises(TypeError):
        sd.grad(types)


def short_lived(rate):
    def f(x, scale=2.0):
        return x * x * rate * scale

    return f


def test_programs_go_with_their_function():
    f = short_lived(3.0)
    gradient = sd.grad(f)(2.0)
    _, pullback = sd.vjp(f, 2.0)
    assert gradient == pullback(1.0)[0] == 24.0
    function = weakref.ref(f)
    del f, pullback
    gc.collect()
    assert function() is None


@pytest.mark.parametrize("method", ["grad", "trace", "forward", "vjp"])
def test_a_type_where_a_value_is_needed_is_told(method):
    def f(x, mode):
        return np.sum(x * x)

    with pytest.raises(sd.SignatureError, match=r"'float64\[n\]' is text here") as refused:
        getattr(sd.differentiable(f), method)("float64[n]", "fast")
    assert refused.value.hint == (
        "pass arrays; source, graph, explain, sympy and export take types as text"
    )
    with pytest.raises(TypeError, match="multiply sequence") as error:
        getattr(sd.differentiable(f), method)("float", "fast")
    (note,) = error.value.__notes__
    assert note.startswith("'float' is text here: this runs the function")
    with pytest.raises(TypeError) as error:
        getattr(sd.differentiable(f), method)("abc", "fast")
    assert not hasattr(error.value, "__notes__")


def power_sum(x, n):
    s = 0.0
    for k in range(n):
        s = s + x**k
    return s


def of_an_item(x, n):
    return [x, x * x, x**3][n] * x


@pytest.mark.parametrize("f", [power_sum, of_an_item])
def test_an_integer_by_which_a_derivative_is_asked_is_named(f):
    asked = {
        "tangent": lambda: sd.jvp(f, (2.5, 2), (1.0, 0)),
        "argument": lambda: sd.grad(f, (0, 1))(2.5, 2),
        "order two": lambda: sd.grad(sd.grad(f, "n"))(2.5, 2),
    }
    for call in asked.values():
        with pytest.raises(TypeError, match="integer") as error:
            call()
        (note,) = error.value.__notes__
        assert note == (
            "n=2.0: what a derivative is asked by is a float, and an integer has none; give None as"
            " its tangent, or leave it out of argnums"
        )
    value, tangent = sd.jvp(f, (2.5, 2), (1.0, None))
    assert (value, tangent) == ((3.5, 1.0) if f is power_sum else (39.0625, 62.5))


def test_an_integer_that_something_else_needs_is_not_told_of_the_arguments():
    def f(x, n):
        return x * sum(range(n))

    with pytest.raises(TypeError, match="integer") as error:
        sd.grad(f)(2.5, 2.0)
    assert not hasattr(error.value, "__notes__")
