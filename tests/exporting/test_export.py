"""Exported modules: they run without symdiff, check their arguments, and check themselves."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symdiff as sd

RATE = 3.0
TABLE = np.array([1.0, 2.0, 4.0])
LARGE = np.ones(1000)


@sd.differentiable
def loss(w, x, y):
    r = np.tanh(x @ w) - y
    return RATE * np.mean(r * r)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=5)


def run(path: Path) -> str:
    """Run a module where symdiff cannot be imported."""
    code = f"import sys; sys.modules['symdiff'] = None; sys.argv = [{str(path)!r}]\n"
    code += "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def load(path: Path) -> dict:
    namespace: dict = {"__name__": "exported"}
    exec(path.read_text(), namespace)
    return namespace


def test_module_has_the_gradient(tmp_path, data):
    path = tmp_path / "loss_grad.py"
    loss.grad.export(path, *data)
    np.testing.assert_array_equal(load(path)["loss_grad"](*data), loss.grad(*data))
    assert "loss_grad agrees with differences" in run(path)
    assert [p.name for p in tmp_path.iterdir()] == ["loss_grad.py"]


@pytest.mark.parametrize(
    ("made", "args"),
    [
        (loss.value_and_grad, ("float64[d]", "float64[n,d]", "float64[n]")),
        (loss.hessian, ("float64[d]", "float64[n,d]", "float64[n]")),
        (loss.hvp, ("float64[d]", "float64[n,d]", "float64[n]", "float64[d]")),
        (
            loss.grad.jvp,
            ((np.ones(3), np.ones((5, 3)), np.ones(5)), (np.ones(3), None, np.ones(5))),
        ),
        (sd.jacobian(lambda a, x: {"y": a @ x}, (0, 1)), ("float64[n,m]", "float64[m]")),
        (sd.derivative(lambda x: np.sin(x) * x**3, 3), ("float",)),
        (sd.grad(lambda p: np.sum(p["w"]) * p["b"][0]), ({"w": np.ones(2), "b": [2.0, "s"]},)),
        (sd.grad(lambda x: (np.sum(x * x), x), has_aux=True), ("float32[n]",)),
        (loss, ("float64[d]", "float64[n,d]", "float64[n]")),
        (sd.grad(lambda x: np.prod(x) + np.sum(np.sinc(x))), ("float64[n]",)),
        (sd.grad(lambda x: np.linalg.det(x)), ("float64[n,n]",)),
    ],
)
def test_every_kind_of_module_checks_itself(tmp_path, made, args):
    path = tmp_path / "module.py"
    made.export(path, *args)
    assert "agrees with differences" in run(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda w, x, y: (w.astype(np.float32), x, y), "w must be an array of float64"),
        (lambda w, x, y: (w, x[0], y), "x must be an array of float64 with 2 dimensions"),
        (lambda w, x, y: (w, x, y[:4]), "axis 0 of y: the length is not n"),
        (lambda w, x, y: (w[:1], x[:, :1], y), "axis 0 of w has length 1"),
        (lambda w, x, y: (list(w), x, y), "w must be an array"),
    ],
)
def test_module_checks_its_arguments(tmp_path, data, change, said):
    path = tmp_path / "loss_grad.py"
    loss.grad.export(path, "float64[d]", "float64[n,d]", "float64[n]")
    with pytest.raises(TypeError, match=said):
        load(path)["loss_grad"](*change(*data))


def test_module_checks_numbers_and_strings(tmp_path):
    def f(x, kind):
        return np.sin(x) if kind == "sin" else x

    path = tmp_path / "module.py"
    sd.grad(f).export(path, "float", "sin")
    exported = load(path)["f_grad"]
    assert exported(0.5, "sin") == np.cos(0.5)
    with pytest.raises(TypeError, match="kind must be 'sin'"):
        exported(0.5, "cos")
    with pytest.raises(TypeError, match="x must be of type float"):
        exported(1, "sin")


def test_small_variables_become_constants(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.sum(TABLE * x)).export(path, "float64[3]")
    text = path.read_text()
    assert "TABLE = np.array([1.0, 2.0, 4.0], dtype='float64')" in text
    np.testing.assert_array_equal(load(path)["function_grad"](np.ones(3)), TABLE)


def test_large_variables_become_parameters(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.sum(LARGE * x)).export(path, np.ones(1000))
    gradient = load(path)["function_grad"](np.ones(1000), LARGE=2 * LARGE)
    np.testing.assert_array_equal(gradient, 2 * LARGE)


def test_outside_effects_are_refused_by_line(tmp_path):
    log = []

    def f(x):
        log.append(1)
        return x * x

    with pytest.raises(sd.SymdiffError):
        sd.grad(f).export(tmp_path / "module.py", 2.0)
    assert list(tmp_path.iterdir()) == []


def test_objects_are_refused(tmp_path):
    class Spring:
        k = 2.0

    with pytest.raises(sd.SymdiffError, match="spring is a Spring"):
        sd.grad(lambda x, spring: x * spring.k).export(tmp_path / "module.py", 2.0, Spring())


@sd.differentiable
def first_written(x):
    x.reshape(-1)[0] = 2.0
    return np.sum(x**2)


@pytest.mark.parametrize(
    "layout", [np.array, np.asfortranarray, lambda x: np.repeat(x, 2, 1)[:, ::2]]
)
def test_a_module_checks_how_arrays_lie_where_that_decides(tmp_path, layout):
    argument = layout(np.arange(1.0, 7.0).reshape(2, 3))
    path = tmp_path / "first_written_grad.py"
    first_written.grad.export(path, argument)
    exported = load(path)["first_written_grad"]
    np.testing.assert_array_equal(exported(argument), first_written.grad(argument))
    other = np.asfortranarray(argument) if argument.flags.c_contiguous else argument.copy()
    with pytest.raises(TypeError, match="x"):
        exported(other)


def test_examples_of_counts_let_loops_run():
    from symdiff.exporting.examples import example_arguments
    from symdiff.runtime.signature import signature_of, with_types

    given = with_types(("float", "int", "int64[2]"))
    _, count, indices = example_arguments(signature_of(("x", "n", "at"), given), given)
    assert type(count) is int
    assert count == 3
    assert set(indices) <= {0, 1}


def kernel(x, y):
    return np.sum(x @ x.T) if y is x else np.sum(x @ y.T)


def test_one_array_as_two_arguments_is_refused(tmp_path):
    x = np.arange(6.0).reshape(2, 3)
    with pytest.raises(sd.SymdiffError, match="where y is x") as caught:
        sd.grad(kernel).export(tmp_path / "m.py", x, x)
    assert "takes it once" in caught.value.hint
    sd.grad(kernel).export(tmp_path / "m.py", x, x + 1)
