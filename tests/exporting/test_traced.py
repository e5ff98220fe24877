"""Modules for JAX: what is written is looked at everywhere, and run where JAX is installed."""

from __future__ import annotations

import ast
import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.exporting.test_programs import PROGRAMS
from tests.programs.registry import Program
from tests.shares import is_drawn
from tests.test_programs import output_weights, under_test

HAS_JAX = importlib.util.find_spec("jax") is not None
needs_jax = pytest.mark.skipif(not HAS_JAX, reason="JAX is one of the peers")

_DRIVER = """
import contextlib, io, pickle, sys, traceback
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
files, expected = pickle.load(open(sys.argv[1], "rb"))
sys.modules["symdiff"] = None
def compare(scope, name, arguments, expected):
    known = scope["__symdiff__"]["functions"][name]["static_argnames"]
    found = jax.tree.leaves(jax.jit(scope[name], static_argnames=known)(*arguments))
    for one, other in zip(found, jax.tree.leaves(expected), strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        rtol = 1e-4 if one.dtype in (np.float32, np.complex64) else 1e-8
        np.testing.assert_allclose(one, other, rtol, rtol * np.max(np.abs(other), initial=1e-3))
for path in files:
    said, code = io.StringIO(), "ended without exit code"
    with contextlib.redirect_stdout(said):
        try:
            scope = {"__name__": "__main__", "__file__": path}
            exec(compile(open(path).read(), path, "exec"), scope)
        except SystemExit as left:
            code = left.code
        except BaseException:
            traceback.print_exc(file=said)
        try:
            for call in expected.get(path, ()):
                compare(scope, *call)
        except BaseException:
            code = "other values than NumPy's"
            traceback.print_exc(file=said)
    print(repr((path, code, said.getvalue())))
    jax.clear_caches()
"""


def run_with_jax(
    files: list[Path], folder: Path, expected: dict[Path, list[Any]] | None = None
) -> dict[str, tuple[object, str]]:
    """The exit code of each file and what it says; all run in one process.

    ``expected``: the name of a function in a file, arguments, and what it has to give for them.
    """
    listing = folder / "files.pkl"
    calls = {str(path): made for path, made in (expected or {}).items()}
    listing.write_bytes(pickle.dumps((list(map(str, files)), calls)))
    command = [sys.executable, "-c", _DRIVER, str(listing)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = [ast.literal_eval(line) for line in done.stdout.splitlines()]
    return {Path(path).name.removesuffix(".py"): (code, said) for path, code, said in told}


def text_of(made: Any, folder: Path, *args: Any) -> str:
    path = folder / "module.py"
    made.export(path, *args, namespace="jax.numpy", force=True)
    return path.read_text()


@sd.differentiable
def loss(w: Any, x: Any, y: Any) -> Any:
    r = np.tanh(x @ w) - y
    return np.mean(r * r)


def counted(x: Any) -> Any:
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        if x[i] > 0.6:
            y[i] = np.sin(x[i])
        else:
            y[i] = x[i] ** 2
    return np.sum(y)


def repeated(x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.sin(x) * x[::-1]
    return np.sum(x)


def repeats(x: Any) -> Any:
    return np.sum(np.repeat(x, [1, 2, 1]) ** 2)


def spaced(x: Any, n: int) -> Any:
    return np.sum(np.linspace(0.0, x[0], n) * x[1])


def halved(x: float) -> float:
    while x > 0.1:
        x = 0.5 * x
    return x


def single(x: Any, k: Any) -> Any:
    return np.sum(x * np.float32(2.0) * k)


def test_a_straight_program(tmp_path: Path) -> None:
    text = text_of(loss.grad, tmp_path, "float64[d]", "float64[n,d]", "float64[n]")
    assert "w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:" in text
    assert "import jax.numpy as jnp" in text
    body = text[text.index("def _loss_grad(") : text.index("def loss_grad(")]
    code = ast.unparse(ast.parse(body))  # without the user's lines in comments
    assert "np." not in code.replace("jnp.", "")
    assert "t = jnp.tanh(x @ w)" in body


def test_stores_loops_and_branches_are_pure(tmp_path: Path) -> None:
    text = text_of(sd.grad(counted), tmp_path, "float64[n]")
    body = text[text.index("def _counted_grad(") : text.index("def counted_grad(")]
    tree = ast.parse(body)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.AugAssign | ast.For)]
    assert not [
        target
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Subscript)
    ]
    assert ".at[i" in body
    assert "_for(" in body
    assert "_branch(" in body
    assert "# line " in body


def test_functions_that_lax_needs_are_there_once(tmp_path: Path) -> None:
    text = text_of(sd.grad(counted), tmp_path, "float64[n]")
    defined = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert len(defined) == len(set(defined))
    assert {"_for", "_branch", "_typed"} <= set(defined)
    assert "_while" not in defined


def test_numbers_of_turns_are_told_to_jit(tmp_path: Path) -> None:
    text = text_of(sd.grad(repeated), tmp_path, np.ones(3), 4)
    assert "Under jax.jit: static_argnames=('n',)." in text
    assert "JAX does not" in text
    scope = ast.literal_eval(text[text.index("__symdiff__ = ") + 14 :].split("\n\n\n")[0])
    assert scope["functions"]["repeated_grad"]["static_argnames"] == ["n"]
    assert scope["options"]["namespace"] == "jax.numpy"


def grows(x: Any) -> Any:
    found = []
    for v in x:
        if v > 0.5:
            found.append(v * v)
    return sum(found)


def selects(x: Any) -> Any:
    return np.sum(x[x > 0.5] ** 2)


def slices(x: Any, n: Any) -> Any:
    total = 0.0
    for k in range(1, x.shape[0]):
        total = total + np.prod(x[:k])
    return total


def kept_turns(x: Any) -> Any:
    while x[0] > 0.1:
        x = np.sin(x) * x[::-1]
    return x[0]


def prints(x: Any) -> Any:
    y = x * x
    print(y)
    return y


def raises(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative")
    return x * x


def calls_itself(x: float) -> float:
    return x * x if x < 0.1 else calls_itself(0.5 * x)


def either(x: Any, p: float) -> Any:
    v = x[:3] if p > 0.0 else x[:1]
    return np.sum(v * v)


def one_of(x: Any, y: Any) -> Any:
    v = x if x[0] > 0.5 else y
    return np.sum(v * v)


def flagged(x: Any, y: Any, flag: bool) -> Any:
    v = x if flag else y
    return np.sum(v * v)


def written_rows(x: Any, n: int) -> Any:
    y, total = np.zeros(n), 1.0
    for k in range(n):
        if x[k] > 0.6:
            total = total * x[k]
        y[k] = np.sin(total)
    return np.sum(y * y) + total * x[0]


@pytest.mark.parametrize(
    ("function", "args", "line", "said"),
    [
        (grows, (np.ones(3),), "found.append(v * v)", "a list of unknown length"),
        (selects, (np.ones(3),), "x[x > 0.5]", "a selection whose length depends on values"),
        (slices, (np.ones(9), 3), "x[:k]", "length depends on values|shape changes"),
        (repeats, (np.ones(3),), "np.repeat(", "a shape that depends on values"),
        (
            kept_turns,
            (np.full(2, 0.5),),
            "while x[0] > 0.1",
            "a loop of unknown length whose turns are kept",
        ),
        (prints, (0.5,), "print(y)", "an effect"),
        (raises, (0.5,), "raise ValueError", "an effect"),
        (calls_itself, (0.5,), "calls_itself(", "a function that calls itself"),
        (lambda x: abs(complex(1.0, x * 1j)), (0.5,), "complex(", "of a complex number"),
        (either, (np.ones(5), 1.0), "x[:3] if p > 0.0", "depends on the branch"),
        (one_of, (np.ones(5), np.ones(5)), "x if x[0] > 0.5", "may depend on the branch"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_cannot_be_said_is_refused_by_line(
    function: Any, args: Any, line: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=said) as caught:
        text_of(sd.grad(function), tmp_path, *args)
    assert "jax.numpy has no words for this" in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.file == __file__
    assert caught.value.hint
    assert line in caught.value.span.text or function is grows
    assert list(tmp_path.iterdir()) == []


def test_a_function_itself_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(sd.SymdiffError, match="derivatives are exported") as caught:
        text_of(loss, tmp_path, "float64[d]", "float64[n,d]", "float64[n]")
    assert "functions=" in str(caught.value.hint)


# What NumPy says otherwise ------------------------------------------------------------------------

WEIGHTS = np.linspace(0.5, 1.5, 100)


def weighted(x: Any) -> Any:
    return np.sum(np.sin(x) * WEIGHTS)


def others(x: Any) -> Any:
    return np.sum(np.prod(x, axis=0)) + np.linalg.det(x[:2, :2])


def cut(x: Any) -> Any:
    """An array that turns out to be of one element is spread over another."""
    return np.sum(x * x[3:])


@pytest.mark.parametrize("constants", ["parameters", "file"])
def test_large_constants(tmp_path: Path, constants: Any) -> None:
    path = tmp_path / "module.py"
    sd.grad(weighted).export(path, WEIGHTS, constants=constants, namespace="jax.numpy")
    tree = ast.parse(path.read_text())
    (made,) = [f for f in tree.body if getattr(f, "name", "") == "weighted_grad"]
    assert isinstance(made, ast.FunctionDef)
    names = [argument.arg for argument in made.args.args]
    assert names == (["x", "WEIGHTS"] if constants == "parameters" else ["x"])
    if HAS_JAX:
        found = run_with_jax([path], tmp_path)
        assert found["module"][0] == 0, found


def test_lengths_are_compared_while_tracing(tmp_path: Path) -> None:
    text = text_of(sd.grad(cut), tmp_path, np.ones(4))
    body = text[text.index("def _cut_grad(") : text.index("def cut_grad(")]
    assert "jnp.where(" not in body
    assert ".shape[0] == 1 else" in body


def test_a_stable_sort_is_jaxs_own(tmp_path: Path) -> None:
    text = text_of(sd.grad(lambda x: np.sum(np.sort(x)[:2])), tmp_path, np.arange(3.0))
    body = text[text.index("def _function_grad(") : text.index("def function_grad(")]
    assert "jnp.argsort(" in body
    assert "kind" not in body


def test_methods_of_what_is_computed_are_named_alone(tmp_path: Path) -> None:
    def written(z: Any) -> Any:
        z = z.copy()
        z.real = 1.0
        return np.sum(np.abs(z) ** 2)

    with pytest.raises(sd.UnsupportedCallError) as caught:
        text_of(sd.grad(written), tmp_path, np.ones(3, complex))
    assert caught.value.message == "jax.numpy has no words for this: .view"


_VALUES = """
import pickle, sys
import jax
jax.config.update("jax_enable_x64", True)
for path, name, arguments in pickle.load(open(sys.argv[1], "rb")):
    scope = {"__name__": "module", "__file__": path}
    exec(compile(open(path).read(), path, "exec"), scope)
    print(repr(jax.jit(scope[name])(*arguments).tolist()))
"""


@needs_jax
def test_triangles_products_with_zeros_and_series_have_their_closed_forms(tmp_path: Path) -> None:
    lower = np.array([[3.0, np.nan, np.nan], [0.5, 2.0, np.nan], [0.3, -0.2, 1.5]])
    upper = np.array([[3.0, 0.5, 0.3], [np.nan, 2.0, -0.2], [np.nan, np.nan, 1.5]])
    singular = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 3.0]])
    cases = [
        (lambda a: np.linalg.cholesky(a)[1, 1], lower),
        (lambda a: np.linalg.eigh(a, UPLO="U")[0].sum(), upper),
        (others, singular),
        (lambda x: np.sum(np.sinc(x)), np.array([0.0, 1.0, 1e-4])),
        (lambda x: abs(complex(x, 2) ** 2), 1.5),
        (lambda x: np.sum(np.fmax(x, 1.0) ** 2) + np.nanmean(x), np.array([3.0, 0.5])),
    ]
    runs = []
    for k, (function, argument) in enumerate(cases):
        path, made = tmp_path / f"module{k}.py", sd.grad(function)
        made.export(path, argument, namespace="jax.numpy")
        runs.append((str(path), made._name, [argument]))
    listing = tmp_path / "runs.pkl"
    listing.write_bytes(pickle.dumps(runs))
    command = [sys.executable, "-c", _VALUES, str(listing)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = list(map(ast.literal_eval, done.stdout.splitlines()))
    # cholesky(a)[1, 1] = sqrt(a11 - a10**2 / a00)
    by_entry = np.zeros((3, 3))
    by_entry[:2, :2] = [[0.25 / 9.0, 0.0], [-2.0 * 0.5 / 3.0, 1.0]]
    np.testing.assert_allclose(found[0], by_entry / (2.0 * np.sqrt(2.0 - 0.25 / 3.0)), atol=1e-14)
    np.testing.assert_allclose(found[1], np.eye(3), atol=1e-13)  # the trace
    cofactors = [[4.0, -2.0, 0.0], [-2.0, 1.0, 0.0]]
    np.testing.assert_allclose(found[2], singular[::-1] + cofactors, atol=1e-13)
    u = np.pi * 1e-4
    slope = np.pi * (-u / 3.0 + u**3 / 30.0)
    np.testing.assert_allclose(found[3], [0.0, -1.0, slope], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found[4], 2 * 1.5, rtol=1e-14)  # |z**2| = x**2 + 4
    np.testing.assert_allclose(found[5], [6.5, 0.5], rtol=1e-14)


def shares(a: Any) -> Any:
    """How much of each eigenvector is in the first coordinate."""
    w, v = np.linalg.eig(a + 0j)
    return np.sum(np.abs(v[0] * w) ** 2)


@needs_jax
def test_eigenvectors_check_themselves(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    sd.grad(shares).export(path, np.array([[4.0, 1.0], [-3.0, 2.0]]), namespace="jax.numpy")
    found = run_with_jax([path], tmp_path)
    assert found["module"][0] == 0, found


# Every program that JAX has words for is written; a few are run -----------------------------------

WRITTEN_AT_LEAST = 0.536  # of those in tests/programs
_WITH_JAX = (
    "algorithms.natural_cubic_spline",
    "algorithms.robot_arm_fk",
    "branches.huber",
    "broadcasting.where_broadcasts",
    "complex_inside.discrete_fourier_by_matrix",
    "containers.mlp_cross_entropy",
    "decompositions.leverage_by_qr",
    "decompositions.regularised_matrix",
    "decompositions.variance_in_principal_components",
    "float32.mixed_with_double",
    "inside_loops.no_grad_in_a_loop",
    "linalg.batched",
    "linalg.gp_marginal_likelihood",
    "loops.break_out_of_inner",
    "loops.empty_range_keeps_value",
    "loops.hand_written_matmul",
    "loops.rosenbrock_loop",
    "models.negative_binomial_glm",
    "numpy_methods.reductions_as_methods",
    "numpy_methods.sorting_functions",
    "ragged.bounds_below_zero",
    "ragged.lengthened_what_was_cut_off",
    "scalars_and_math.gamma_functions",
    "scalars_and_math.integer_powers",
    "science.lennard_jones",
    "simulations.vec_class_orbit",
    "while_loops.one_of_the_turns_of_a_while_is_kept",
)
RUN = [name for name in _WITH_JAX if is_drawn(name, 3)]


def derivative_of(entry: Program) -> Any:
    function: Any = under_test(entry, sd)
    transform = sd.grad if output_weights(entry, 0) is None else sd.jacobian
    return transform(function, argnums=entry.wrt)


def exported(entry: Program, folder: Path) -> Path:
    """The module of a program's derivative."""
    made = derivative_of(entry)
    path = folder / f"{entry.name}.py"
    made.export(path, *entry.arguments(0), namespace="jax.numpy")
    return path


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_programs_are_written_or_refused_by_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refusals: list[sd.SymdiffError] = []
    drawn = [entry for entry in PROGRAMS if entry.name in RUN or is_drawn(entry.name, 12)]
    for entry in drawn:
        try:
            ast.parse(exported(entry, tmp_path).read_text())
        except sd.SymdiffError as error:
            refusals.append(error)
    assert [error for error in refusals if error.span is None or not error.hint] == []
    assert [error for error in refusals if isinstance(error, sd.InternalError)] == []
    written = {path.name.removesuffix(".py") for path in tmp_path.iterdir()}
    assert len(written) == len(drawn) - len(refusals) >= WRITTEN_AT_LEAST * len(drawn)
    assert set(RUN) <= written
    capsys.readouterr()


@needs_jax
def test_programs_agree_with_jax(tmp_path: Path) -> None:
    """By their own checks, and in what symdiff's own programs give."""
    entries = {entry.name: entry for entry in PROGRAMS}
    expected = {}
    for name in RUN:
        made, arguments = derivative_of(entries[name]), entries[name].arguments(0)
        call = made._name, arguments, made(*entries[name].arguments(0))
        expected[exported(entries[name], tmp_path)] = [call]
    found = run_with_jax(list(expected), tmp_path, expected)
    assert set(found) == set(RUN)
    assert {name: told for name, told in found.items() if told[0] != 0} == {}
    assert all("does the same under jax.jit" in said for _, said in found.values())


@needs_jax
def test_every_transform_agrees_with_jax(tmp_path: Path) -> None:
    types = ("float64[d]", "float64[n,d]", "float64[n]")
    names = ("value_and_grad", "grad", "hvp", "jvp", "hessian", "jacobian")
    loss.export(tmp_path / "loss.py", *types, functions=names, namespace="jax.numpy")
    sd.grad(counted).export(tmp_path / "counted.py", np.ones(5), namespace="jax.numpy")
    sd.grad(repeated).export(tmp_path / "repeated.py", np.ones(5), 3, namespace="jax.numpy")
    sd.grad(spaced).export(tmp_path / "spaced.py", np.ones(5), 3, namespace="jax.numpy")
    made = sd.derivative(halved)
    made.export(tmp_path / "halved.py", 0.7, namespace="jax.numpy")
    x, k = np.ones(3, np.float32), np.arange(3, dtype=np.int64)
    sd.grad(single).export(tmp_path / "single.py", x, k, namespace="jax.numpy")
    found = run_with_jax(sorted(tmp_path.glob("*.py")), tmp_path)
    assert {name: told for name, told in found.items() if told[0] != 0} == {}
    assert found["loss"][1].count("agrees with differences") == len(names)


@needs_jax
def test_loops_without_turns_and_branches_of_known_lengths_agree_with_jax(tmp_path: Path) -> None:
    x, y = np.array([0.7, 0.3, 0.9]), np.array([0.2, 0.4])
    cases: dict[str, tuple[Any, Any, list[Any]]] = {
        "rows": (
            written_rows,
            (x, 0),
            [((x, 0), [1.0, 0.0, 0.0]), ((x, 1), [2 * 0.7 + np.sin(1.4), 0.0, 0.0])],
        ),
        "one_size": (one_of, ("float64[n]", "float64[n]"), [((x, x[::-1].copy()), 2 * x)]),
        "flag": (
            flagged,
            (x, y, True),
            [((x, y, True), 2 * x), ((x, y, False), np.zeros(3))],
        ),
    }
    expected = {}
    for name, (function, types, calls) in cases.items():
        path, made = tmp_path / f"{name}.py", sd.grad(function)
        made.export(path, *types, namespace="jax.numpy")
        expected[path] = [(made._name, given, np.array(right)) for given, right in calls]
    found = run_with_jax(list(expected), tmp_path, expected)
    assert {name: told for name, told in found.items() if told[0] != 0} == {}


_TAKING = """
import pickle, sys
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
sys.modules["symdiff"] = None
path, expected = pickle.load(open(sys.argv[1], "rb"))
scope = {"__name__": "taking"}
exec(open(path).read(), scope)
taken = scope["taking_grad"]
x = np.array([1.0, -2.0, 0.5])
numbers = [3, 3.0, np.int64(3), np.float64(3), np.float32(3), jnp.int32(3), jnp.asarray(3.0)]
for w in numbers:
    for a in numbers:
        for function in (taken, jax.jit(taken)):
            for given in (x, jnp.asarray(x)):
                found = function({"a": a}, given, w)
                np.testing.assert_allclose(found, expected, rtol=1e-13)
                assert found.dtype == np.float64
for wrong, name in [
    (({"a": True}, x, 3), "p['a'] must be of type float, not bool"),
    (({"a": None}, x, 3), "p['a'] must be of type float, not NoneType"),
    (({"a": "3"}, x, 3), "p['a'] must be of type float, not str"),
    (({"a": 3}, x, 3j), "w must be of type float, not complex"),
    (({"a": 3}, x, x), "w must be of type float, not float64 of shape (3,)"),
    (({"a": 3}, [1.0], 3), "x must be an array of float64 with 1 dimensions"),
    (({"a": 3},), "missing 1 required positional argument: 'x'"),
]:
    try:
        taken(*wrong)
    except TypeError as error:
        assert name in str(error), error
    else:
        raise AssertionError(name)
"""


def taking(p, x, w=2.0):
    return np.sum(np.sin(x * w) * p["a"]) * (w // 2)


@needs_jax
def test_jax_modules_take_the_numbers_that_jax_takes(tmp_path):
    made, x = tmp_path / "taking.py", np.array([1.0, -2.0, 0.5])
    sd.grad(taking, 1).export(made, {"a": 0.5}, x, 2.0, namespace="jax.numpy")
    given = tmp_path / "given.pickle"
    given.write_bytes(pickle.dumps((made, 9.0 * np.cos(3.0 * x))))
    done = subprocess.run(
        [sys.executable, "-c", _TAKING, given], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
