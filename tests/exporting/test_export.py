"""Exported modules: they run without symdiff, check their arguments, and check themselves."""

import cmath
import dataclasses
import hashlib
import inspect
import re
import statistics
import subprocess
import sys
import types
import typing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import symdiff as sd
from tests.test_programs import same

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


def pairs(x):
    found = []
    for v in x:
        try:
            if v < 0:
                raise ValueError("negative")
            found.append(np.sqrt(v))
        except ValueError:
            found.append(v * v)
    return sum(a * b for a, b in zip(found, found[::-1], strict=True))


def spread(x):
    return statistics.stdev(x.tolist()) / statistics.geometric_mean(x)


class Rank:
    def __init__(self, level):
        self.level = level

    def __lt__(self, other):
        return self.level * 2.0 < other.level * 2.0


def weighed_by_rank(a, b):
    ranks = sorted([Rank(b), Rank(a), Rank(a * b)])
    return sum(k * rank.level for k, rank in enumerate(ranks, 1))


@pytest.mark.parametrize(
    ("made", "args"),
    [
        (sd.grad(weighed_by_rank, (0, 1)), (0.9, 1.7)),
        (sd.hvp(pairs), (np.array([0.7, 1.3, -0.4]), np.ones(3))),  # copies lists of lists
        (sd.grad(spread), (np.array([0.7, 1.3]),)),
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
        (sd.grad(lambda x: np.linalg.norm(x, "nuc")), ("float64[n,m]",)),
        (sd.grad(lambda x: np.max(np.abs(np.linalg.eigvals(x)))), ("float64[n,n]",)),
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
        (lambda w, x, y: (w, x, y[:4]), r"axis 0 of y must have length 5 \(n\), not 4"),
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
    assert exported(1, "sin") == np.cos(1.0)
    for wrong in (True, np.float32(1), 1j, "1", np.ones(1), None):
        with pytest.raises(TypeError, match="x must be of type float"):
            exported(wrong, "sin")


# Calls as those of the function -------------------------------------------------------------------


def scaled(x, w=2.0, *rest, k=3, **named):
    total = np.sum(x * w) * k
    for one in rest:
        total = total + one * np.sum(x**2)
    return total + named.get("more", 0.0) * np.sum(x)


def bare(x, w=0.5, /, y=(1.0, 2.0), *, k=2.0):
    return np.sin(x * w) / k + x**3 * y[0] + y[1]


V = np.array([1.0, -2.0, 0.5])


@pytest.mark.parametrize(
    ("function", "made_for", "calls"),
    [
        (scaled, ((V,), {}), [((V,), {}), ((V, 1.5), {}), ((V,), {"k": 5}), ((V,), {"w": 4.0})]),
        (
            scaled,
            ((V, 1.0, 2.0, 3.0), {}),
            [((V, 2.0, 5.0, 7.0), {"k": 2}), ((V, 1, 2.0, 3.0), {})],
        ),
        (scaled, ((V,), {"more": 1.0}), [((V,), {"more": 2.0}), ((V, 3.0), {"more": 2.0})]),
        (
            bare,
            ((0.5,), {}),
            [((0.5,), {}), ((0.5, 2.0), {}), ((0.5, 2.0, (3.0, 1.0)), {"k": 1.0})],
        ),
        (bare, ((0.5,), {"y": (1.0, 2.0)}), [((0.5,), {"y": (2.0, 1.0)}), ((0.5,), {"k": 3})]),
    ],
)
def test_a_call_that_the_function_takes_its_exported_derivative_takes(
    tmp_path, function, made_for, calls
):
    derivative = sd.value_and_grad(function)
    derivative.export(tmp_path / "module.py", *made_for[0], **made_for[1])
    exported = load(tmp_path / "module.py")[f"{function.__name__}_value_and_grad"]
    for args, kwargs in calls:
        found, expected = exported(*args, **kwargs), derivative(*args, **kwargs)
        assert same(found, expected)
        assert np.asarray(found[0]) == function(*args, **kwargs)
    checked = subprocess.run([sys.executable, tmp_path / "module.py"], capture_output=True)
    assert checked.returncode == 0, checked


def test_a_vector_comes_last_where_the_function_has_defaults_and_more(tmp_path):
    hvp = sd.hvp(scaled)
    hvp.export(tmp_path / "module.py", V, 1.0, 2.0, V)
    exported = load(tmp_path / "module.py")["scaled_hvp"]
    np.testing.assert_array_equal(exported(V, 1.0, 3.0, V, k=7), 6.0 * V)
    with pytest.raises(TypeError, match="rest must be a tuple of length 1, not"):
        exported(V, 1.0)
    with pytest.raises(TypeError, match="missing the vector"):
        exported()
    hvp = sd.hvp(bare)
    hvp.export(tmp_path / "other.py", 0.5, 1.0, 2.0)
    exported = load(tmp_path / "other.py")["bare_hvp"]
    assert same(exported(0.5, 1.0, (1.0, 2.0), 2.0, k=4.0), hvp(0.5, 1.0, (1.0, 2.0), 2.0, k=4.0))


def test_a_default_of_another_type_than_the_module_was_made_for_is_left_out(tmp_path):
    sd.grad(scaled).export(tmp_path / "module.py", V, np.ones(3))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'w'"):
        load(tmp_path / "module.py")["scaled_grad"](V)


NUMBERS = [0.75, 3, np.float64(0.75), -2, 0, np.float64(0.0), 2.5]


def powers(x, w):
    return np.sum(x**2 * w) + np.sum(np.sin(x)) * w * 3


def divided(x, w):
    return np.sin(x * w) / (w + 1.0) + x // 2 * w


def widened(x, w):
    return np.sum(np.sin(x) * w)


@pytest.mark.parametrize(
    ("function", "xs"),
    [
        (powers, [V]),
        (powers, [V.astype(np.float32)]),
        (widened, [V.astype(np.float32)]),
        (widened, [np.float32(0.3)]),
        (divided, [0.75, 3, np.float64(0.75), -2]),
    ],
)
@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
def test_numbers_in_place_of_floats_are_taken_as_outside(tmp_path, function, xs, argnums):
    derivative = sd.value_and_grad(function, argnums)
    derivative.export(tmp_path / "module.py", xs[0], 0.5)
    exported = load(tmp_path / "module.py")[f"{function.__name__}_value_and_grad"]
    for x in xs:
        for w in NUMBERS:
            if isinstance(x, np.float64) == isinstance(w, np.float64) or function is not divided:
                assert same(exported(x, w), derivative(x, w)), (x, w)
            else:  # one of them is widened, which changes no value
                np.testing.assert_array_equal(exported(x, w)[0], derivative(x, w)[0])


def test_a_double_among_floats_and_single_precision_is_refused(tmp_path):
    def f(x, v, w):
        return np.sum(x * v * w)

    sd.grad(f).export(tmp_path / "module.py", V.astype(np.float32), 0.5, 0.5)
    exported = load(tmp_path / "module.py")["f_grad"]
    x = V.astype(np.float32)
    doubles = np.float64(0.5), np.float64(0.7)
    assert same(exported(x, *doubles), sd.grad(f)(x, *doubles))
    with pytest.raises(TypeError, match="w must be of type float, not float64"):
        exported(x, 0.5, np.float64(0.5))


def test_floats_in_containers_are_taken_where_the_program_is_the_same(tmp_path):
    def f(p, x):
        return np.sum(np.sin(x) * p["a"])

    sd.grad(f, 1).export(tmp_path / "module.py", {"a": 0.5}, V)
    exported = load(tmp_path / "module.py")["f_grad"]
    for a in (np.float64(0.5), 1.5):
        assert same(exported({"a": a}, V), sd.grad(f, 1)({"a": a}, V))


class Weights(typing.NamedTuple):
    scale: float
    shift: float


def of_containers(p, layers, *rest, x=2.0):
    total = np.sin(x * p["a"] // 2) * p["b"] ** 2
    for one in layers:
        total = total + one.scale**2 * x + one.shift / 3
    for k, one in enumerate(rest):
        total = total + (k + 1) * one // 2 * x
    return total


@pytest.mark.parametrize("argnums", [0, 1, 2, 3, (2, 3), "x"])
def test_ints_in_containers_are_taken_as_outside(tmp_path, argnums):
    derivative = sd.value_and_grad(of_containers, argnums)
    made_for = ({"a": 0.5, "b": 1.5}, [Weights(1.0, 2.0)], 0.25, 3.5)
    derivative.export(tmp_path / "module.py", *made_for)
    exported = load(tmp_path / "module.py")["of_containers_value_and_grad"]
    calls = [
        made_for,
        ({"a": 1, "b": 1.5}, *made_for[1:]),
        ({"a": 0.5, "b": 2}, *made_for[1:]),
        (made_for[0], [Weights(2, 1.5)], 0.25, 3.5),
        (made_for[0], [Weights(2.0, 3)], 0.25, 3.5),
        (*made_for[:2], 4, 3.5),
        (*made_for[:2], 0.25, 3),
    ]
    for call in calls:
        before = repr(call)
        assert repr(exported(*call)) == repr(derivative(*call))  # the module has its own Weights
        assert repr(exported(*call, x=3)) == repr(derivative(*call, x=3))
        assert repr(call) == before
    for wrong in ({"a": "1", "b": 1.5}, {"a": True, "b": 1.5}, {"a": None, "b": 1.5}):
        with pytest.raises(TypeError, match=r"p\['a'\] must be of type float"):
            exported(wrong, *made_for[1:])
    checked = subprocess.run([sys.executable, tmp_path / "module.py"], capture_output=True)
    assert checked.returncode == 0, checked


def shared(x, w, k):
    return np.sum(x * w) // 1 * w + k * x**w, k


def test_a_program_for_ints_is_written_once(tmp_path):
    def f(x, a, b, c):
        return x**2 * (a // 2 + b // 2 + c // 2)

    sd.grad(f).export(tmp_path / "module.py", 0.5, 1.0, 2.0, 3.0)
    text = (tmp_path / "module.py").read_text()
    programs = re.findall(r"def (_f_grad\d*)\((.*?)\n\n", text, re.DOTALL)
    assert len({body for _, body in programs}) == len(programs)
    exported = load(tmp_path / "module.py")["f_grad"]
    for call in [(0.5, 1.0, 3, 5.0), (0.5, 1, 3, 5.0), (0.5, 1, 3, 5), (2, 1.0, 3.0, 5)]:
        assert same(exported(*call), sd.grad(f)(*call))


@pytest.mark.parametrize(
    ("numbers", "cotangents"),
    [
        ((0.5, 2.0), (1.0, 1.0)),
        ((3, 2.0), (1.0, 1.0)),
        ((3.0, 2), (1.0,)),
        ((3, 2), (1.0,)),
        ((np.float64(3.0), np.float64(2.0)), (1.0, 1.0)),
    ],
)
def test_both_parts_of_a_function_take_ints(tmp_path, numbers, cotangents):
    f, x = sd.differentiable(shared), np.float64(0.5)
    f.export(tmp_path / "module.py", x, 0.5, 2.0)
    module = load(tmp_path / "module.py")
    value, saved = module["shared_forward"](x, *numbers)
    assert same(value, shared(x, *numbers))
    given = cotangents if len(cotangents) == 2 else (*cotangents, None)
    expected = f.backward(f.forward(x, *numbers)[1], given)
    assert same(module["shared_backward"](saved, *cotangents), tuple(expected))
    with pytest.raises(TypeError, match=f"{len(cotangents)} cotangents are needed, not 3"):
        module["shared_backward"](saved, 1.0, 1.0, 1.0)


def damped(x, w=2.0, *, k=3.0):
    return np.sin(x * w) * k


def test_a_vector_stands_after_defaults_that_are_left_out(tmp_path):
    hvp = sd.hvp(damped)
    hvp.export(tmp_path / "module.py", 0.5, 1.0)
    exported = load(tmp_path / "module.py")["damped_hvp"]
    calls = [
        ((0.5, 1.5), {}),
        ((0.5, 3.0, 1.5), {}),
        ((0.5, 1.5), {"w": 3}),
        ((0.5, 1.5), {"k": 2}),
        ((0.5,), {"v": 1.5}),
        ((1.5,), {"x": 0.5}),
    ]
    for args, kwargs in calls:
        assert same(exported(*args, **kwargs), hvp(*args, **kwargs))
    # (k sin(w x))'' = -k w² sin(w x)
    assert exported(0.5, 1.5) == pytest.approx(-12 * np.sin(1.0) * 1.5, rel=1e-14)
    for args, kwargs, said in [
        ((), {}, "missing the vector"),
        ((0.5,), {}, "missing 1 required positional argument: 'x'"),
        ((0.5, 1.0, 1.0, 1.0), {}, "takes from 1 to 2 positional arguments but 3 were given"),
        ((0.5, 1.0), {"z": 1.0}, "unexpected keyword argument 'z'"),
        ((0.5, 3.0, 1.0), {"w": 1.0}, "multiple values for argument 'w'"),
    ]:
        with pytest.raises(TypeError, match=said):
            exported(*args, **kwargs)
    assert "agrees with differences" in run(tmp_path / "module.py")


@pytest.mark.parametrize("tangents", [(1.0, None, None), (1.0, 0.5, None)])
def test_primals_leave_out_defaults(tmp_path, tangents):
    jvp = sd.differentiable(damped).jvp
    jvp.export(tmp_path / "module.py", (0.5, 2.0), tangents[:2])
    exported = load(tmp_path / "module.py")["damped_jvp"]
    given = tuple(tangent for tangent in tangents if tangent is not None)
    for count in range(len(given), 3):
        for kind in (tuple, list):
            call = kind((0.5, 3)[:count]), kind(tangents[:count])
            assert same(exported(*call), jvp(*call))
    with pytest.raises(TypeError, match="primals must be a tuple of length 3"):
        exported(0.5, 1.0)
    with pytest.raises(TypeError, match="primals has 2 entries, but tangents 1"):
        exported((0.5, 3.0), (1.0,))


def test_primals_of_an_hvp_leave_out_defaults_before_the_vector(tmp_path):
    jvp = sd.hvp(damped).jvp
    jvp.export(tmp_path / "module.py", (0.5, 1.0), (1.0, 1.0))
    exported = load(tmp_path / "module.py")["damped_hvp_jvp"]
    # -k w² (cos(w x) w v x_dot + sin(w x) v_dot)
    value, tangent = exported((0.5, 3.0), (1.5, -1.0))
    assert value == pytest.approx(-12 * np.sin(1.0) * 3.0, rel=1e-14)
    expected = -12 * (np.cos(1.0) * 2.0 * 3.0 * 1.5 - np.sin(1.0))
    assert tangent == pytest.approx(expected, rel=1e-14)


# Variables outside --------------------------------------------------------------------------------


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

    with pytest.raises(sd.SymdiffError, match="it calls, or changes, something outside"):
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


# What a module says of itself ---------------------------------------------------------------------


def exit_code(path: Path, text: str) -> tuple[int, str]:
    """How a module with this text ends, and what it says."""
    path.write_text(text)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_module_says_what_it_is(tmp_path):
    path = tmp_path / "loss_grad.py"
    loss.grad.export(path, "float64[d]", "float64[n,d]", "float64[n]")
    module = load(path)
    assert module["__all__"] == ["loss_grad"]
    said = module["__symdiff__"]
    assert said["version"] == sd.__version__
    assert said["options"] == {"namespace": "numpy", "constants": "parameters", "exact": False}
    function = said["functions"]["loss_grad"]
    source = inspect.getsource(loss._function)
    assert function["source_sha256"] == hashlib.sha256(source.encode()).hexdigest()
    assert function["file"] == "test_export.py"
    assert Path(__file__).read_text().splitlines()[function["line"] - 1].startswith("def loss(")
    assert function["function"] == "loss"
    assert function["transforms"] == ["gradient by w"]
    assert function["signature"] == {"w": "float64[d]", "x": "float64[n,d]", "y": "float64[n]"}
    assert function["returns"] == "float64[d]"
    assert "belongs to you" in module["__doc__"]
    assert "w: float64[d]" in module["loss_grad"].__doc__
    hints = typing.get_type_hints(module["loss_grad"])
    assert hints == dict.fromkeys(("w", "x", "y", "return"), NDArray[np.float64])


@pytest.mark.parametrize("made", [loss.grad, loss.hvp, loss.jvp, loss], ids=repr)
def test_a_wrong_module_says_so(tmp_path, made):
    path = tmp_path / "module.py"
    types = ["float64[d]", "float64[n,d]", "float64[n]"]
    if made is loss.hvp:
        types.append("float64[d]")
    if made is loss.jvp:
        types = [tuple(types), (types[0], None, None)]
    made.export(path, *types)
    text = path.read_text()
    assert exit_code(path, text)[0] == 0
    name = made._name if made is not loss else "loss_backward"
    before, found, after = text.partition(f"def _{name}(")
    assert found
    own, stop, rest = after.partition("\n\n\n")
    number = re.search(r"\b2\.0\b", own)
    assert number is not None
    wrong = f"{before}{found}{own[: number.start()]}2.001{own[number.end() :]}{stop}{rest}"
    code, said = exit_code(path, wrong)
    assert code == 1
    assert "does NOT agree with differences" in said
    assert "does NOT agree with the " in said.replace("differences", "")


def test_nan_is_no_agreement(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.log(x) * x).export(path, 0.5)
    text = path.read_text()
    wrong = re.sub(r"return _function_grad\(x\)", "return float('nan')", text)
    assert wrong != text
    assert exit_code(path, wrong)[0] == 1


def test_several_functions_in_one_module(tmp_path, data):
    path = tmp_path / "loss_all.py"
    loss.export(path, *data, functions=("value_and_grad", "grad", "hvp", "jvp", "hessian"))
    module = load(path)
    assert module["__all__"] == [
        "loss_value_and_grad", "loss_grad", "loss_hvp", "loss_jvp", "loss_hessian",
    ]  # fmt: skip
    w, x, y = data
    np.testing.assert_array_equal(module["loss_value_and_grad"](w, x, y)[1], loss.grad(w, x, y))
    np.testing.assert_array_equal(module["loss_hvp"](w, x, y, w), loss.hvp(w, x, y, w))
    np.testing.assert_array_equal(module["loss_hessian"](w, x, y), loss.hessian(w, x, y))
    text = path.read_text()
    assert text.count("def _array(") == text.count("def _difference(") == 1
    assert text.count("RATE = 3.0") == 1
    assert run(path).count("agrees with differences") == 5


def test_functions_under_names(tmp_path):
    path = tmp_path / "module.py"
    functions = {"slope": sd.grad(sine), "bend": sd.derivative(sine, 2), "both": sine}
    sd.export(path, functions, "float")
    module = load(path)
    assert module["__all__"] == ["slope", "bend", "both_forward", "both_backward"]
    assert module["slope"](0.5) == np.cos(0.5)
    assert module["bend"](0.5) == -np.sin(0.5)
    value, saved = module["both_forward"](0.5)
    assert (value, module["both_backward"](saved, 2.0)) == (np.sin(0.5), (2 * np.cos(0.5),))
    assert run(path).count("agrees with differences") == 3


@sd.differentiable
def sine(x):
    return np.sin(x)


def helper(x):
    return np.sin(x) if x > 0 else helper(x + 1.0)


def test_helpers_of_one_name_stay_apart(tmp_path):
    def first(x):
        return helper(x) * x

    scope = {"helper": lambda x: x * x}
    second = types.FunctionType(first.__code__, scope, "second")
    path = tmp_path / "module.py"
    sd.export(path, {"a": sd.grad(first), "b": sd.grad(second)}, "float")
    module = load(path)
    for x in (0.5, -0.5):
        assert module["a"](x) == sd.grad(first)(x)
        assert module["b"](x) == 3 * x * x
    assert run(path).count("agrees with differences") == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda path: sd.export(path, {}, 1.0), "no functions"),
        (lambda path: sd.export(path, {"a": np.sin}, 1.0), "not a derivative"),
        (lambda path: sd.export(path, {"2a": sine.grad}, 1.0), "no name for a function"),
        (lambda path: sd.export(path, [sine.grad], 1.0), "functions are a dict .* not a list"),
        (lambda path: sd.export(3, {"a": sine.grad}, 1.0), "a path is text or .* not 3"),
        (lambda path: sine.grad.export(b"a.py", 1.0), "a path is text or .* not b'a.py'"),
        (lambda path: sine.export(path, 1.0, functions=("gard",)), "no derivative 'gard'"),
        (lambda path: sine.export(path, 1.0, functions=3), "no derivative 3"),
        (lambda path: sine.export(path, 1.0, namespace="torch"), "namespace is 'numpy' or"),
        (lambda path: sine.export(path, 1.0, constants="none"), "constants is"),
        (lambda path: sine.grad.export(path, 1.0, force=1), "force is False or True"),
        (
            lambda path: sd.export(path, {"a_forward": sine.grad, "a": sine}, 1.0),
            "would be called a_forward",
        ),
        (lambda path: sd.grad(lambda x, force=True: x).export(path, 1.0, force=True), "option of"),
    ],
)
def test_what_is_asked_wrongly(tmp_path, call, said):
    with pytest.raises(sd.SymdiffError, match=said) as caught:
        call(tmp_path / "module.py")
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


OF_THE_MODULE = (
    "np _array float dict print abs arguments result _check_b Any SystemExit __all__ __symdiff__"
    " __name__ NDArray _exit_code"
)


@pytest.mark.parametrize("name", OF_THE_MODULE.split())
def test_functions_with_names_that_the_module_needs_are_refused(tmp_path, name):
    functions = {name: sd.grad(lambda x: np.abs(x) * x), "b": sine.grad}
    with pytest.raises(sd.SymdiffError, match=f"called {name}, which is a name") as caught:
        sd.export(tmp_path / "module.py", functions, 1.0)
    assert f'"{name}_of"' in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_with_the_name_of_a_program_is_refused(tmp_path):
    scaled = sd.grad(lambda _function_grad, y: _function_grad * _function_grad * y)
    with pytest.raises(sd.SymdiffError, match="_function_grad, which is a name that") as caught:
        scaled.export(tmp_path / "module.py", 1.0, 2.0)
    assert "rename" in caught.value.hint


@pytest.mark.parametrize("name", ["numpy", "typing"])
def test_modules_that_would_hide_what_they_import_are_refused(tmp_path, name):
    with pytest.raises(sd.SymdiffError, match=f"would hide the {name}") as caught:
        sine.grad.export(tmp_path / f"{name}.py", 1.0)
    assert caught.value.hint == f"{name}_derivatives.py"
    assert list(tmp_path.iterdir()) == []


def test_a_function_without_parameters(tmp_path):
    path = tmp_path / "module.py"
    sd.differentiable(lambda: 3.0).export(path)
    module = load(path)
    value, saved = module["function_forward"]()
    assert (value, module["function_backward"](saved, 2.0)) == (3.0, ())
    assert "agrees with" in run(path)


def test_an_argument_that_is_called_like_an_option_goes_by_position(tmp_path):
    path = tmp_path / "module.py"
    scaled = sd.grad(lambda x, force: x * force)
    scaled.export(path, 1.0, 2.0)
    scaled.export(path, 1.0, 2.0, force=True)
    assert load(path)["function_grad"](1.0, 3.0) == 3.0


# Constants ----------------------------------------------------------------------------------------


def test_large_arrays_in_a_file(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.sum(LARGE * TABLE[0] * x)).export(path, LARGE, constants="file")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["module.npz", "module.py"]
    assert run(path).count("agrees with") == 2
    scope = {"__name__": "module", "__file__": str(path)}
    exec(path.read_text(), scope)
    np.testing.assert_array_equal(scope["function_grad"](LARGE), LARGE * TABLE[0])
    assert scope["__symdiff__"]["arrays"] == "module.npz"


def test_large_parameters_are_checked_and_told(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.sum(LARGE * x)).export(path, np.ones(1000))
    module = load(path)
    assert "LARGE: float64[1000], a constant of the original" in module["function_grad"].__doc__
    with pytest.raises(TypeError, match="axis 0 of LARGE must have length 1000"):
        module["function_grad"](np.ones(1000), np.ones(3))


@pytest.mark.parametrize(
    "value",
    [
        np.array([0.1, -0.0, np.inf, 1e-310]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3)),
        np.float32(0.1),
        0.1 + 0.2,
        np.array([1, 2], np.uint8),
    ],
)
def test_small_constants_are_exact(tmp_path, value):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.sum(np.asarray(value) * 1.0) * x).export(path, 2.0)
    (constant,) = (v for name, v in load(path).items() if name == "VALUE")
    assert type(constant) is type(value)
    np.testing.assert_array_equal(constant, value)
    assert np.asarray(constant).dtype == np.asarray(value).dtype
    assert np.asarray(constant).flags.fnc == np.asarray(value).flags.fnc


# Named tuples and dataclasses ---------------------------------------------------------------------


class Pendulum(typing.NamedTuple):
    angle: float
    length: np.ndarray


@dataclass(frozen=True)
class Spring:
    stiffness: float
    ends: tuple
    name: str = "steel"

    def energy(self):
        return 0.5 * self.stiffness * np.sum((self.ends[1] - self.ends[0]) ** 2)


def test_named_tuples_need_no_class_of_the_users(tmp_path):
    path = tmp_path / "module.py"
    given = Pendulum(0.5, np.array([1.0, 2.0]))
    made = sd.grad(lambda p: np.sum(np.sin(p.angle) * p.length**2))
    made.export(path, given, stub=True)
    module = load(path)
    own = module["Pendulum"](0.5, np.array([1.0, 2.0]))
    for argument in (given, own):
        result = module["function_grad"](argument)
        assert type(result) is module["Pendulum"]
        assert result.angle == made(given).angle
        np.testing.assert_array_equal(result.length, made(given).length)
    assert "class Pendulum(NamedTuple):" in path.with_suffix(".pyi").read_text()
    assert "agrees with differences" in run(path)


def test_dataclasses_need_no_class_of_the_users(tmp_path):
    path = tmp_path / "module.py"
    given = Spring(3.0, (np.zeros(2), np.ones(2)))
    made = sd.value_and_grad(lambda s: s.energy())
    made.export(path, given)
    module = load(path)
    own = module["Spring"](3.0, (np.zeros(2), np.ones(2)), "steel")
    for argument in (given, own):
        value, gradient = module["function_value_and_grad"](argument)
        assert value == 3.0
        assert type(gradient) is module["Spring"]
        assert (gradient.stiffness, gradient.name) == (1.0, None)
        np.testing.assert_array_equal(gradient.ends[1], [3.0, 3.0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        own.stiffness = 1.0
    with pytest.raises(TypeError, match="s must be a Spring"):
        module["function_value_and_grad"]((3.0, (np.zeros(2), np.ones(2)), "steel"))
    assert "agrees with differences" in run(path)


# What differences do not show ---------------------------------------------------------------------


def test_what_is_cut_is_compared_with_the_forward_sweep_alone(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.sum(sd.detach(np.sin(x)) * x)).export(path, "float64[n]")
    said = run(path)
    assert "is not compared with differences" in said
    assert "agrees with the forward sweep" in said
    np.testing.assert_array_equal(load(path)["function_grad"](np.ones(3)), np.sin(np.ones(3)))


def test_kinks_near_the_examples_are_found_by_smaller_steps(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: np.abs(x - 0.5) * x).export(path, 0.501)
    assert "agrees with differences" in run(path)


def test_values_that_decide_structure_stay_in_the_examples(tmp_path):
    def f(x, n):
        return np.sum(np.split(x, n)[0])

    path = tmp_path / "module.py"
    sd.grad(f).export(path, np.linspace(0.0, 1.0, 4000), 4)
    assert "agrees with differences" in run(path)


def test_exact_functions_stay_exact(tmp_path):
    path = tmp_path / "module.py"

    @sd.differentiable(exact=True)
    def f(x):
        return np.exp(x) * np.sin(x)

    f.grad.export(path, "float")
    assert load(path)["__symdiff__"]["options"]["exact"] is True
    assert load(path)["f_grad"](0.3) == f.grad(0.3)
    assert "math." not in path.read_text()


def test_complex_functions_import_what_they_need(tmp_path):
    path = tmp_path / "module.py"
    sd.grad(lambda x: abs(cmath.exp(complex(0.0, x)) + 1.0) ** 2).export(path, 0.5)
    assert "import cmath" in path.read_text()
    assert "agrees with differences" in run(path)


def test_types_of_the_stub_are_right(tmp_path):
    """A user's program is checked against it."""
    loss.export(
        tmp_path / "made.py",
        "float64[d]",
        "float64[n,d]",
        "float64[n]",
        functions=("value_and_grad", "grad"),
        stub=True,
    )
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "from made import loss_grad, loss_value_and_grad\n"
        "a = np.ones(3)\n"
        "value, gradient = loss_value_and_grad(a, np.ones((3, 3)), a)\n"
        "reveal_type(value)\n"
        "loss_grad(a, 'x', a)\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    errors = [line for line in run.stdout.splitlines() if ": error:" in line]
    assert re.search(r'Revealed type is "(builtins\.)?float"', run.stdout), run.stdout + run.stderr
    (error,) = errors
    assert error.startswith("program.py:6:")
    assert 'Argument 2 to "loss_grad"' in error


# Examples of large arguments ----------------------------------------------------------------------


def likelihood(cov, y):
    factor = np.linalg.cholesky(cov)
    z = np.linalg.solve(factor, y)
    return 0.5 * z @ z + np.linalg.slogdet(cov)[1] + np.trace(np.linalg.inv(cov))


def logarithms(x):
    return np.sum(np.log(x - 5.0) * np.arccosh(x))


def areas(knots, heights):
    return np.sum(np.sqrt(knots[1:] - knots[:-1]) * heights)


def grouped(x, groups):
    return np.sum(x[groups] ** 2 * np.log(x[groups]))


def test_modules_check_themselves_at_a_part_of_large_arguments(tmp_path):
    """Which is what functions ask for: positive definite, above 5, sorted, one longer, in range."""
    rng = np.random.default_rng(1)
    square = rng.normal(size=(50, 50))
    cases = {
        "likelihood": (likelihood, square @ square.T - 0.01, rng.normal(size=50)),
        "logarithms": (logarithms, rng.uniform(6.0, 9.0, 5000)),
        "areas": (areas, np.sort(rng.uniform(size=2001)), rng.uniform(size=2000)),
        "grouped": (grouped, rng.uniform(2.0, 3.0, 300), rng.integers(0, 300, 4000)),
    }
    cases["likelihood"][1][:] += np.eye(50)
    for name, (function, *arguments) in cases.items():
        path = tmp_path / f"{name}.py"
        made = sd.differentiable(function)
        made.export(path, *arguments, functions=("grad", "hvp"))
        assert run(path).count("agrees with differences") == 2
        assert len(path.read_text()) < 40_000  # a large array alone has more


class ModelError(ValueError):
    """What models raise."""

    def __init__(self, message, value=np.inf):
        super().__init__(message)
        self.value = value


class TooLargeError(ModelError):
    """A value is too large."""


UNIT = "K"


class WithUnitError(ModelError):
    """It reads a name of its module."""

    def __str__(self):
        return f"{self.value} {UNIT}"


def limited(x):
    if x > 10.0:
        raise TooLargeError("too large", x)
    if x < 0.0:
        raise ModelError("negative", x)
    return x * x


def limited_with_unit(x):
    if x > 10.0:
        raise WithUnitError("too large", x)
    return x * x


def test_a_module_carries_the_exceptions_that_it_raises(tmp_path):
    sd.grad(limited).export(tmp_path / "made.py", 2.0)
    made = load(tmp_path / "made.py")
    assert made["limited_grad"](3.0) == 6.0
    for x, kind in ((20.0, "TooLargeError"), (-1.0, "ModelError")):
        with pytest.raises(made["ModelError"]) as raised:
            made["limited_grad"](x)
        assert type(raised.value).__name__ == kind
        assert raised.value.value == x
    assert issubclass(made["ModelError"], ValueError)
    assert made["ModelError"] is not ModelError
    run(tmp_path / "made.py")


def test_an_exception_that_reads_names_of_its_module_is_refused(tmp_path):
    with pytest.raises(sd.UnsupportedCallError, match="WithUnitError cannot be imported"):
        sd.grad(limited_with_unit).export(tmp_path / "made.py", 2.0)
