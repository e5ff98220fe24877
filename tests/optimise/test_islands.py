"""Islands simplified by SymPy: what is found, how accurate it is, and what is left as it was."""

from __future__ import annotations

import io
import linecache
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff import pipeline
from symdiff.definitions.libraries import load_all
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ir.verify import verify
from symdiff.ops.declare import REGISTRY
from symdiff.optimise.islands import KINDS, simplify_islands
from symdiff.optimise.islands.costs import COSTS
from symdiff.optimise.islands.precise import exact_value
from symdiff.optimise.islands.search import Replacement
from tests import reference
from tests.benchmarks.simplification import Changed, changed_programs, worst_difference
from tests.programs.registry import Program, load
from tests.test_programs import directions, output_weights
from tests.test_programs import plain as plain_side

load_all()

Array = Any
VECTOR = "float64[n]"


def plain(function: Callable[..., Any]) -> sd.Differentiable:
    return sd.differentiable(function)


def made(function: Callable[..., Any], kinds: Any = True) -> sd.Differentiable:
    """A function that is itself computed by what is emitted, simplified."""
    return sd.functional(sd.differentiable(function, simplify=kinds))


def values(function: Callable[..., Any], kinds: Any, *args: Any) -> Any:
    with np.errstate(all="ignore"):
        return made(function, kinds)(*args)[0]


def record_of(function: Callable[..., Any], *types: str) -> tuple[Replacement, ...]:
    """What was replaced in a function, and was not."""
    derivative = sd.functional(function)
    derived = derivative._home.derive(
        derivative._transforms, derivative._described(tuple(types), {})
    )
    graph, record = simplify_islands(pipeline.emittable(derived.graph), KINDS)
    verify(graph)
    return record


# Accuracy -----------------------------------------------------------------------------------------


def softplus_of(x: Any) -> Any:
    return mpmath.log1p(mpmath.exp(x))


def logistic_of(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


STABLE: list[tuple[Callable[..., Any], str, Callable[..., Any], tuple[float, ...]]] = [
    (lambda x: np.log(1.0 + x), "np.log1p(x)", mpmath.log1p, (1e-12,)),
    (lambda x: np.exp(x) - 1.0, "np.expm1(x)", mpmath.expm1, (1e-12,)),
    (lambda x: 3.0 - 3.0 * np.exp(x), "np.expm1(x)", lambda x: -3 * mpmath.expm1(x), (1e-12,)),
    (lambda x: 1.0 - np.cos(x), "np.sin(0.5 * x)", lambda x: 2 * mpmath.sin(x / 2) ** 2, (1e-6,)),
    (
        lambda x: np.log(1.0 + np.exp(x)),
        "logaddexp",
        lambda x: mpmath.log1p(mpmath.exp(x)),
        (800.0,),
    ),
    (
        lambda x: np.log(1.0 + np.exp(x)),
        "logaddexp",
        lambda x: mpmath.log1p(mpmath.exp(x)),
        (-40.0,),
    ),
    (
        lambda x, y: np.log(np.exp(x) + np.exp(y)),
        "np.logaddexp",
        lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
        (801.0, 800.0),
    ),
    (lambda x, y: np.sqrt(x * x + y**2), "np.hypot", mpmath.hypot, (3e200, 4e200)),
    (lambda x: np.sqrt(1.0 + x * x), "np.hypot", lambda x: mpmath.hypot(x, 1), (1e200,)),
    (
        lambda x: 1.0 / (1.0 + np.exp(-x)),
        "np.minimum",
        lambda x: 1 / (1 + mpmath.exp(-x)),
        (-720.0,),
    ),
    (
        lambda x: np.exp(x) / (1.0 + np.exp(x)),
        "np.minimum",
        lambda x: 1 / (1 + mpmath.exp(-x)),
        (720.0,),
    ),
    (
        lambda x: 1.0 - 1.0 / (1.0 + np.exp(-x)),
        "np.minimum",
        lambda x: 1 / (1 + mpmath.exp(x)),
        (50.0,),
    ),
]


@pytest.mark.parametrize(("function", "spelled", "exact", "point"), STABLE)
def test_stable_forms_are_found_and_are_more_accurate(
    function: Callable[..., Any],
    spelled: str,
    exact: Callable[..., Any],
    point: tuple[float, ...],
):
    """Against mpmath, at a point where the form as it is written has lost its digits."""
    arrays = [np.array([x, 0.5]) for x in point]
    with mpmath.workdps(500):
        truth = float(exact(*map(mpmath.mpf, point)))
    with np.errstate(all="ignore"):
        before = abs(function(*arrays)[0] - truth) / abs(truth)
    after = abs(values(function, "stable", *arrays)[0] - truth) / abs(truth)
    assert spelled in made(function, "stable").source(*arrays)
    assert after < 1e-12  # -720: the result has lost bits below the smallest normal number
    assert not before < 1e-5 * 1.01 or before > 1e6 * after
    with np.errstate(all="ignore"):
        plain_value = function(*arrays)[1]
    np.testing.assert_allclose(values(function, "stable", *arrays)[1], plain_value, rtol=1e-14)


def test_the_gradient_of_softplus_does_not_overflow():
    f = sd.differentiable(lambda x: np.sum(np.log(1.0 + np.exp(x))), simplify=["stable"])
    x = np.array([-800.0, -1.0, 0.0, 1.0, 800.0, np.inf, -np.inf])
    expected = [0.0, 1 / (1 + np.e), 0.5, np.e / (1 + np.e), 1.0, 1.0, 0.0]
    np.testing.assert_allclose(f.grad(x), expected, rtol=1e-15)
    assert np.isnan(f.grad(np.array([np.nan])))
    assert f.grad(800.0) == 1.0


def test_the_gradient_of_a_logistic_loss_does_not_overflow():
    def loss(w: Array, x: Array, signs: Array) -> Array:
        margins = signs * (x @ w)
        return np.mean(np.log(1.0 + np.exp(-margins)))

    f = sd.differentiable(loss, simplify=True)
    w, x, signs = np.array([1.0, 800.0]), np.array([[0.3, 1.0], [0.1, -1.0]]), np.ones(2)
    np.testing.assert_allclose(f.grad(w, x, signs), [-0.05, 0.5], rtol=1e-15)


def logistic_loss(w: Array, x: Array, signs: Array) -> Array:
    return np.sum(np.log(1.0 + np.exp(-signs * (x @ w))))


FAR_OUT = (np.array([1.0, 800.0]), np.array([[0.3, 1.0], [0.1, -1.0]]), np.ones(2))


def test_forward_and_backward_are_simplified_before_they_are_divided():
    """Margins of 800.3 and -799.9: the weights of both items are 0 and 1."""
    f = sd.differentiable(logistic_loss, simplify="stable")
    value, saved = f.forward(*FAR_OUT)
    assert value == pytest.approx(799.9, rel=1e-15)
    by_w, by_x, by_signs = f.backward(saved)
    np.testing.assert_allclose(by_w, [-0.1, 1.0], rtol=1e-15)
    np.testing.assert_allclose(by_x, [[0.0, 0.0], [-1.0, -800.0]], rtol=1e-15)
    np.testing.assert_allclose(by_signs, [0.0, 799.9], rtol=1e-15)
    _, pullback = f.vjp(*FAR_OUT)
    np.testing.assert_allclose(pullback(2.0)[0], [-0.2, 2.0], rtol=1e-15)
    trace = f.trace(*FAR_OUT)
    trace.backward()
    np.testing.assert_allclose(trace["w"].grad, [-0.1, 1.0], rtol=1e-15)


def test_the_second_derivative_of_a_logistic_loss_does_not_overflow():
    hvp = sd.differentiable(logistic_loss, simplify="stable").hvp
    np.testing.assert_allclose(hvp(*FAR_OUT, np.ones(2)), [0.0, 0.0], atol=1e-300)
    w, v, (_, x, signs) = np.array([0.4, -0.3]), np.array([1.0, 0.5]), FAR_OUT
    weights = 1.0 / (2.0 + 2.0 * np.cosh(x @ w))
    expected = x.T @ (weights * (x @ v))
    np.testing.assert_allclose(hvp(w, x, signs, v), expected, rtol=1e-14)


def test_what_forms_have_in_common_is_computed_once():
    third = sd.differentiable(lambda x: np.log(1.0 + np.exp(x)), simplify="stable").grad.grad.grad
    assert third.source(0.5).count("np.abs(x)") + third.source(0.5).count("abs(x)") == 1
    sigmoid = 1.0 / (1.0 + np.exp(-0.5))
    expected = sigmoid * (1.0 - sigmoid) * (1.0 - 2.0 * sigmoid)
    assert third(0.5) == pytest.approx(expected, rel=1e-14)


def test_graphs_that_are_called_are_simplified():
    def halved(x: float, depth: float) -> float:
        return x if depth <= 0.5 else 0.5 * halved(np.log(1.0 + np.exp(x)), depth - 1.0)

    f = made(halved)
    assert "logaddexp" in f.source(800.0, 2.0)
    with np.errstate(all="ignore"):
        assert np.isinf(halved(800.0, 2.0))
    assert f(800.0, 2.0)[0] == 200.0


def test_hooks_and_traces_of_what_is_simplified_see_cotangents():
    def f(x: Array) -> Array:
        h = np.log(1.0 + np.exp(x))
        y = sd.grad_hook(h, lambda g: 2.0 * g)
        return np.sum(y * y)

    x = np.array([0.3, -1.0, 2.0])
    h = np.log(1.0 + np.exp(x))
    trace = sd.differentiable(f, simplify=True).with_hook("h", lambda g: 3.0 * g).trace(x)
    trace.backward()
    np.testing.assert_allclose(trace["y"].grad, 2.0 * h, rtol=1e-14)
    np.testing.assert_allclose(trace["h"].grad, 12.0 * h, rtol=1e-14)
    np.testing.assert_allclose(trace["x"].grad, 12.0 * h / (1.0 + np.exp(-x)), rtol=1e-14)


DIVIDED = (
    "effects.prints_values",
    "functions.composed",
    "linalg.kalman_filter",
    "loops.rosenbrock_loop",
    "models.hawkes_process",
    "mutation.leapfrog_in_place",
    "objects_on_paths.one_of_two_objects",
    "optional_results.both_may_miss",
    "recursion.laplace_determinant",
    "recursion.recursion_on_data",
    "science.lstm",
    "views_and_aliasing.number_or_array_by_data",
)


@pytest.mark.parametrize("name", DIVIDED)
def test_what_is_simplified_and_divided_has_the_derivative(name: str):
    """Along a direction: the pullback against extrapolated differences of the plain function."""
    (entry,) = (one for one in load() if one.name == name)
    function, args = plain_side(entry, 0)
    along = directions(entry, args, seed=1)
    expected = reference.directional(function, args, along, step=entry.step).value
    simplified_side = sd.differentiable(entry.function, simplify=True)
    with redirect_stdout(io.StringIO()):
        chosen = sd.functional(simplified_side) if entry.mutates else simplified_side
        _, pullback = chosen.vjp(*entry.arguments(0))
        weights = output_weights(entry, 0)
        parts = pullback(1.0 if weights is None else weights)
    pairs = [(along[k], parts[k]) for k in entry.wrt]
    actual = sum(reference.inner(one, other) for one, other in pairs)
    assert actual == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_what_a_form_takes_over_is_made_accurate_too():
    def f(x: Array) -> Array:
        return np.sum(np.log(1.0 + np.exp(x)) * (1.0 - np.cos(x)))

    source = sd.differentiable(f, simplify="stable").grad.source(VECTOR)
    code = [line.partition("#")[0] for line in source.splitlines()]
    assert not any("np.cos" in line for line in code), source
    x = np.array([0.3, -1.1])
    simplified_gradient = sd.differentiable(f, simplify="stable").grad(x)
    np.testing.assert_allclose(simplified_gradient, sd.grad(f)(x), rtol=1e-13)


def counted(x: Array) -> float:
    s = 0.0
    for i in range(len(x)):
        s += np.log(1.0 + np.exp(x[i]))
    return s


def until(x: Array) -> float:
    s, i = 0.0, 0
    while i < len(x):
        s = s + np.log(1.0 + np.exp(x[i]))
        i += 1
    return s


def nested(x: Array) -> float:
    s = 0.0
    for _ in range(2):
        for i in range(len(x)):
            s += 0.5 * np.log(1.0 + np.exp(x[i]))
    return s


def in_an_arm(x: Array) -> float:
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += np.log(1.0 + np.exp(x[i]))
        else:
            s += np.log1p(np.exp(x[i]))
    return s


@pytest.mark.parametrize("function", [counted, until, nested, in_an_arm])
def test_forms_are_found_across_what_a_loop_or_a_branch_would_save(function: Callable[..., Any]):
    """The derivative of softplus is the sigmoid, whose own is sigmoid times one minus it."""
    x = np.array([800.0, 0.3, -1.5, 40.0, -800.0])
    sigmoid = np.exp(np.minimum(0.0, x)) / (1.0 + np.exp(-np.abs(x)))
    f = sd.differentiable(function, simplify=True)
    value, saved = f.forward(x)
    np.testing.assert_allclose(value, np.sum(np.logaddexp(0.0, x)), rtol=1e-14)
    np.testing.assert_allclose(f.backward(saved)[0], sigmoid, rtol=1e-14)
    np.testing.assert_allclose(f.grad(x), sigmoid, rtol=1e-14)
    y = x[1:3]
    slope = np.exp(-y) / (1.0 + np.exp(-y)) ** 2
    np.testing.assert_allclose(f.hessian(y), np.diag(slope), rtol=1e-13)


def test_what_has_no_better_form_is_saved_as_it_was():
    def f(x: Array) -> float:
        s = 0.0
        for i in range(len(x)):
            s += np.exp(x[i]) * np.tanh(x[i])
        return s

    simplified_source = sd.differentiable(f, simplify="stable").grad.source(VECTOR)
    assert simplified_source == sd.differentiable(f).grad.source(VECTOR)


# What costs less ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "kind", "gone", "there"),
    [
        (lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, "trig", "np.sin", "0.0 * x"),
        (lambda x: np.sin(x) / np.cos(x), "trig", "np.cos", "np.tan"),
        (lambda x: 2.0 * np.sin(x) * np.cos(x), "trig", "np.cos", "np.sin(2.0 * x)"),
        (lambda x: np.cos(x) ** 2 - np.sin(x) ** 2, "trig", "np.sin", "np.cos(2.0 * x)"),
        (lambda x: x**3, "powers", "**", "x * x"),
        (lambda x: np.sqrt(x**2), "powers", "np.sqrt", "np.abs(x)"),
        (lambda x: 2.5 * x + 2.5 * np.exp(x), "factor", "2.5 * x", "2.5 * ("),
    ],
)
def test_cheaper_forms_are_found(function: Callable[..., Any], kind: str, gone: str, there: str):
    x = np.concatenate([np.linspace(-3.0, 3.0, 41), [0.0, -0.0, np.inf, -np.inf, np.nan]])
    source = made(function, kind).source(x)
    body = source[source.index("return") :]
    assert there in source, source
    assert gone not in body, source
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(values(function, kind, x), function(x), rtol=1e-13, atol=1e-16)


def test_shapes_and_dtypes_stay():
    function = plain(lambda x: np.sin(x) ** 2 + np.cos(x) ** 2)
    for x in (np.ones((2, 3), np.float32), np.float32(0.5), np.ones(4), np.float64(0.25)):
        result = values(function, True, x)
        assert np.shape(result) == np.shape(x)
        assert result.dtype == x.dtype


# What is not made worse ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 1e16 + x - 1e16,
        lambda x: 0 * np.log(x),
        lambda x: x - x,
        lambda x: x / x,
        lambda x: np.exp(np.log(x)),
        lambda x: np.sqrt(x) * np.sqrt(x),
        lambda x: (x + 1.0) - 1.0,
    ],
)
def test_what_rounding_or_domains_keep_is_left_as_it_is(function: Callable[..., Any]):
    x = np.array([0.3, -0.3, 1e-20, 0.0, 1e16, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(values(function, True, x), function(x))


def test_a_power_near_its_root_keeps_its_digits():
    x = 1.0 + np.array([1e-3, -1e-5, 1e-8, 0.0])
    with mpmath.workdps(50):
        truth = [float((mpmath.mpf(float(one)) - 1) ** 8) for one in x]
    np.testing.assert_allclose(values(lambda x: (x - 1) ** 8, True, x), truth, rtol=1e-14)


def test_shapes_that_do_not_meet_are_still_an_error():
    f = made(lambda x, y: np.sin(x + y) ** 2 + np.cos(x + y) ** 2)
    assert f(np.ones(3), np.ones(3))[0].tolist() == [1.0, 1.0, 1.0]
    assert "np.sin" not in f.source(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones(3), np.ones(2))


def test_the_root_of_a_square_is_not_made_worse():
    x = np.array([1e200, -1e-200, -3.0, 0.0, -np.inf, np.nan])
    np.testing.assert_array_equal(values(lambda x: np.sqrt(x**2), True, x), np.abs(x))


def test_what_is_refused_is_told_with_its_reason():
    (refused,) = record_of(lambda x, y: np.exp(x) * np.exp(y), VECTOR, VECTOR)
    assert (refused.family, refused.taken) == ("powers", False)
    assert refused.after == "exp(x + y)"
    assert "it would be" in refused.reason
    assert "inf" in refused.reason
    assert refused.costs[1] < refused.costs[0]


def test_what_a_branch_or_an_op_that_raises_holds_is_no_island():
    def guarded(x: float) -> float:
        return (x / x) * x + (x**2) ** 0.5

    with pytest.raises(ZeroDivisionError):
        sd.value_and_grad(sd.differentiable(guarded, simplify=True))(0.0)


# The option ---------------------------------------------------------------------------------------


def softplus(x: Array) -> Array:
    return np.sum(np.log(1.0 + np.exp(x)) + np.sin(x) ** 2 + np.cos(x) ** 2)


simplified = sd.differentiable(softplus, simplify=True)


def test_it_is_off_by_default_and_changes_no_other_object_of_the_function():
    text = sd.grad(softplus).source(VECTOR)
    assert simplified.grad.source(VECTOR) != text
    assert sd.grad(softplus).source(VECTOR) == text
    assert simplified(np.ones(2)) == softplus(np.ones(2))


def test_the_same_text_every_time():
    first = sd.differentiable(softplus, simplify=True).grad.source(VECTOR)
    again = sd.differentiable(lambda x: softplus(x), simplify=True)
    assert sd.differentiable(softplus, simplify=True).grad.source(VECTOR) == first
    assert "np.minimum" in again.grad.source(VECTOR)


def test_all_derivatives_are_simplified():
    x = np.array([0.3, -1.2])
    for name in ("grad", "value_and_grad", "hessian", "jacobian"):
        ours, theirs = getattr(simplified, name)(x), getattr(sd.differentiable(softplus), name)(x)
        pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
        for a, b in pairs:
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)
    value, saved = simplified.forward(x)
    np.testing.assert_allclose(value, softplus(x), rtol=1e-15)
    np.testing.assert_allclose(simplified.backward(saved)[0], sd.grad(softplus)(x), rtol=1e-13)
    assert simplified.grad.__name__ == "softplus_grad"


def test_it_pickles_with_its_option():
    again = pickle.loads(pickle.dumps(simplified.grad))
    assert again.source(VECTOR) == simplified.grad.source(VECTOR)


def test_the_record_is_plain_data_on_the_program():
    grad = simplified.grad
    derived = grad._home.derive(grad._transforms, grad._described((VECTOR,), {}))
    record = pipeline.build(derived, "softplus_grad").simplified
    assert any(one.taken and one.family == "stable" and "sigmoid" in one.after for one in record)
    assert all(isinstance(one, Replacement) and one.line for one in record)
    assert pipeline.build(derived, "softplus_grad").simplified == record


@pytest.mark.parametrize("wrong", ["speed", ["trig", "speed"]])
def test_a_kind_that_there_is_not_is_refused(wrong: Any):
    with pytest.raises(
        ValueError, match="simplify is True or some of stable, powers, trig, factor"
    ):
        sd.differentiable(softplus, simplify=wrong)


def test_sympy_is_imported_only_where_something_is_simplified(tmp_path: Any):
    script = tmp_path / "program.py"
    script.write_text(
        "import sys\nimport numpy as np\nimport symdiff as sd\n"
        "def f(x):\n    return np.log(1.0 + np.exp(x))\n"
        "sd.grad(f)(0.5)\nbefore = 'sympy' in sys.modules\n"
        "sd.differentiable(f, simplify=True).grad(0.5)\n"
        "print(before, 'sympy' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert run.stdout == "False True\n", run.stderr


# Budget, costs, programs --------------------------------------------------------------------------

_PIECES = (
    "np.sin({0})",
    "np.exp(-{0})",
    "np.log(1.0 + {0} * {0})",
    "{0} * {1}",
    "{0} - {1}",
    "{0} / (1.0 + np.exp(-{1}))",
    "np.sqrt({0} * {0} + {1} * {1})",
    "np.sin({0}) ** 2 + np.cos({0}) ** 2",
    "1.0 - np.cos({0})",
    "{0} ** 3",
)


def island_of(operations: int, seed: int) -> Callable[..., Any]:
    """A function of one island of about so many operations."""
    rng = random.Random(seed)
    lines, names, count = ["def f(x, y, z):"], ["x", "y", "z"], 0
    while count < operations:
        piece = rng.choice(_PIECES)
        lines.append(f"    t{len(lines)} = {piece.format(*rng.choices(names[-6:], k=2))}")
        names.append(f"t{len(lines) - 1}")
        count += piece.count("np.") + piece.count("*") + piece.count("+") + piece.count("/")
    text = "\n".join([*lines, f"    return {' + '.join(names[-6:])}", ""])
    file = f"<island {operations} {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]  # type: ignore[no-any-return]


def test_an_island_of_two_hundred_operations_takes_less_than_a_second():
    record_of(lambda x: np.sin(x) ** 2 + np.log(1.0 + np.exp(x)), VECTOR)  # SymPy is imported
    derivative = sd.functional(island_of(380, seed=3))
    described = derivative._described((VECTOR,) * 3, {})
    graph = derivative._home.derive(derivative._transforms, described).graph
    assert len(graph.block.nodes) > 180
    times = []
    for _ in range(3):
        started = time.process_time()
        simplify_islands(graph, KINDS)
        times.append(time.process_time() - started)
    assert min(times) < 1.0


@pytest.mark.parametrize("seed", range(4))
def test_random_islands_agree_with_themselves(seed: int):
    function = island_of(40, seed)
    rng = np.random.default_rng(seed)
    x, y, z = rng.normal(size=(3, 200))
    np.testing.assert_allclose(values(function, True, x, y, z), function(x, y, z), rtol=1e-9)


def test_every_cost_is_of_an_op_and_positive():
    assert set(COSTS) <= set(REGISTRY)
    assert all(each > 0 and one > 0 for each, one in COSTS.values())


@pytest.mark.parametrize("name", sorted(COSTS))
def test_what_may_be_simplified_has_an_exact_value(name: str):
    """By mpmath, for each op of the table of costs; NumPy's function is the reference."""
    op = REGISTRY[name]
    numbers = (1.25 if name == "arccosh" else 0.25, 0.75)[: len(op.partials or ())]
    nodes: list[Any] = []
    operands = [Value(ArrayType(np.dtype("float64"), (), "scalar")) for _ in numbers]
    with building(Builder(nodes)):
        result = op(*operands)
    exact = exact_value(nodes, result, dict(zip(operands, numbers, strict=True)))
    assert exact == pytest.approx(float(getattr(np, name)(*numbers)), rel=1e-15)


def test_simplified_programs_agree_with_themselves():
    """A few programs at a few points; `tests.benchmarks.simplification` has all at ten thousand."""
    found = list(changed_programs("models."))
    assert found
    for changed in found:
        assert worst_difference(changed, points=3) < 1e-9, changed.program.name


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (lambda x: x["w"] * (1.0 + 1e-8), 1e-8),
        (lambda x: x["w"].astype(np.float32), np.inf),
        (lambda x: np.where(x["w"] > 1.0, np.nan, x["w"]), np.inf),
        (lambda x: x["w"].tolist(), np.inf),
        (lambda x: 1 // 0, np.inf),
    ],
)
def test_a_difference_between_programs_is_found(other: Callable[..., Any], expected: float):
    """Wherever the numbers stand, and whatever the difference is of."""
    program = Program(lambda x: x["w"], (({"w": np.array([0.9, 0.2])},),))
    changed = Changed(program, program.function, other, (0, 0), (0.0, 0.0), ())
    assert worst_difference(changed, points=600) == pytest.approx(expected, rel=1e-6)
    same = Changed(program, program.function, program.function, (0, 0), (0.0, 0.0), ())
    assert worst_difference(same, points=600) == 0.0
