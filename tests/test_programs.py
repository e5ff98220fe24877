"""Every program of ``tests/programs``: value, both modes and order two against differences.

The reference is stated to be right to ``ORDER_ONE`` and ``ORDER_TWO`` of the scale (the larger of
the value and the largest derivative), which ``test_reference_is_accurate`` holds by comparing two
step sizes, without symdiff; derivatives are compared at that accuracy. Programs in float32 have
their reference computed in float64 and are compared at a few hundred units in the last place.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import io
import zlib
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from tests import reference
from tests.programs.registry import Program, load

ORDER_ONE = 1e-9
ORDER_TWO = 1e-6
SINGLE_PRECISION = 2e-4

PROGRAMS = load()


def cases_of(programs: Sequence[Program]) -> list[Any]:
    """The parameters of a test that runs at every argument set of the programs."""
    return [
        pytest.param(entry, case, id=entry.name if case == 0 else f"{entry.name}-{case}")
        for entry in programs
        for case in range(len(entry.cases))
    ]


CASES = cases_of(PROGRAMS)
TWICE = [entry for entry in PROGRAMS if entry.order2]
DIFFERENTIATED_TWICE = cases_of(TWICE)
# A Python int has no tangent in a linear function.
_OF_INTS = {
    (entry.name, case)
    for entry in PROGRAMS
    for case in range(len(entry.cases))
    if any(type(entry.cases[case][position]) is int for position in entry.wrt)
}
LINEARIZED = [one for one in CASES if (one.values[0].name, one.values[1]) not in _OF_INTS]
OBSERVED = cases_of([entry for entry in PROGRAMS if entry.observe is not None])
LANGUAGE = (
    ast.AnnAssign, ast.Assert, ast.Assign, ast.AugAssign, ast.BoolOp, ast.Break, ast.ClassDef,
    ast.Compare, ast.Continue, ast.Delete, ast.Dict, ast.DictComp, ast.For, ast.FunctionDef,
    ast.GeneratorExp, ast.If, ast.IfExp, ast.Import, ast.JoinedStr, ast.Lambda, ast.List,
    ast.ListComp, ast.Match, ast.NamedExpr, ast.Nonlocal, ast.Pass, ast.Raise, ast.Return,
    ast.Slice, ast.Starred, ast.Try, ast.Tuple, ast.While, ast.With, ast.Yield, ast.YieldFrom,
)  # fmt: skip


@pytest.fixture
def sd() -> ModuleType:
    """symdiff, imported when a test runs so that collecting does not need it."""
    import symdiff

    return symdiff


@pytest.fixture
def verified(entry: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Emitted primals are compared with the user's own function at every call.

    Not where the program changes state outside itself: running it beside would change it twice.
    """
    if entry.reset is None:
        monkeypatch.setenv("SYMDIFF_VERIFY", "1")


# --- the plain side


def with_final_values(entry: Program, function: Callable[..., Any]) -> Callable[..., Any]:
    """What ``symdiff.functional`` promises, in Python: the result and the changed arguments."""
    names = list(inspect.signature(entry.function).parameters)

    def functional(*args: Any) -> Any:
        copies = copy.deepcopy(args)
        result = function(*copies)
        return result, {name: copies[names.index(name)] for name in entry.mutates}

    return functional


def plain_function(entry: Program, case: int) -> Callable[..., Any]:
    """The program as a function without visible state, results as symdiff is to give them."""
    function = entry.function
    if entry.equivalent is not None:
        function = entry.equivalent(*entry.arguments(case))
    if entry.mutates:
        function = with_final_values(entry, function)

    def run(*args: Any) -> Any:
        if entry.reset is not None:
            entry.reset()
        with redirect_stdout(io.StringIO()):
            return function(*args)

    return run


def output_weights(entry: Program, case: int) -> Any:
    """Fixed weights for each leaf of the result; None where it is a scalar already."""
    value = plain_function(entry, case)(*entry.arguments(case))
    return None if reference.is_scalar(value) else reference.direction(value, seed=99)


def plain(entry: Program, case: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The scalar Python function that the reference differentiates, and its arguments."""
    function = plain_function(entry, case)
    weights = output_weights(entry, case)
    if weights is not None:
        function = reference.reduced(function, double_precision(weights))
    args = double_precision(entry.arguments(case))
    return function, tuple(
        as_differentiated(arg) if position in entry.wrt else arg
        for position, arg in enumerate(args)
    )


def as_differentiated(arg: Any) -> Any:
    """A Python int that is asked for as a differentiated scalar counts as a float."""
    return float(arg) if type(arg) is int else arg


def double_precision(tree: Any) -> Any:
    """The tree with its float32 leaves as float64."""

    def widen(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return leaf.astype(np.float64)
        return np.float64(leaf) if isinstance(leaf, np.float32) else leaf

    return reference.map_leaves(widen, tree)


def single_precision(entry: Program, case: int) -> bool:
    """Whether a differentiated argument is float32."""
    args = entry.arguments(case)
    found = (leaf for position in entry.wrt for leaf in reference.leaves(args[position]))
    return any(np.asarray(leaf).dtype == np.float32 for leaf in found)


def directions(entry: Program, args: Sequence[Any], seed: int) -> tuple[Any, ...]:
    """One random direction for each differentiated argument, None for the others."""
    seed += zlib.crc32(entry.name.encode())
    return tuple(
        reference.direction(as_differentiated(arg), seed + position)
        if position in entry.wrt
        else None
        for position, arg in enumerate(args)
    )


# --- comparisons


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal in every bit, type, dtype and shape."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        alike = left.dtype == right.dtype and left.shape == right.shape
        return bool(alike and left.tobytes() == right.tobytes())
    if isinstance(left, (np.generic, float, complex)):
        return np.asarray(left).tobytes() == np.asarray(right).tobytes()
    if isinstance(left, dict):
        return list(left) == list(right) and same(list(left.values()), list(right.values()))
    if isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(map(same, left, right))
    if dataclasses.is_dataclass(left) and not isinstance(left, type):
        names = [field.name for field in dataclasses.fields(left)]
        return all(same(getattr(left, name), getattr(right, name)) for name in names)
    if hasattr(left, "__dict__") and not isinstance(left, (type, FunctionType)):
        return same(vars(left), vars(right))
    return bool(left == right)


def largest(tree: Any) -> float:
    """The largest magnitude among the leaves of a tree."""
    found = [float(np.max(np.abs(leaf), initial=0.0)) for leaf in reference.leaves(tree)]
    return max(found, default=0.0)


def assert_close(actual: Any, expected: Any, tolerance: float) -> None:
    """Every leaf of ``expected`` within an absolute tolerance, in the same structure."""

    def check(wanted: Any, got: Any) -> Any:
        assert got is not None, "no derivative where one is expected"
        assert np.shape(got) == np.shape(wanted)
        np.testing.assert_allclose(
            np.asarray(got, np.float64), wanted, rtol=0, atol=tolerance, equal_nan=False
        )
        return wanted

    reference.map_leaves(check, expected, actual)


def assert_dtypes(actual: Any, argument: Any) -> None:
    """Each derivative has the dtype of what it belongs to."""

    def check(leaf: Any, got: Any) -> Any:
        assert np.asarray(got).dtype == np.asarray(leaf).dtype
        return leaf

    reference.map_leaves(check, argument, actual)


def tolerance_of(entry: Program, case: int, order: int, scale: float) -> float:
    """The stated accuracy of the reference (or of float32) at this scale."""
    if single_precision(entry, case):
        return SINGLE_PRECISION * scale
    return (ORDER_ONE if order == 1 else ORDER_TWO) * scale


# --- tests of the programs themselves


def kinds_of_nodes(inside_loop: bool) -> set[type[ast.AST]]:
    """The syntax that the bodies of the programs and their helpers use."""
    found: set[type[ast.AST]] = set()

    def visit(node: ast.AST, within: bool) -> None:
        if within == inside_loop:
            found.add(type(node))
        for child in ast.iter_child_nodes(node):
            visit(child, within or isinstance(node, (ast.For, ast.While)))

    functions = (entry.function for entry in PROGRAMS if "programs" in entry.function.__module__)
    for path in {inspect.getfile(function) for function in functions}:
        module = ast.parse(Path(path).read_text(encoding="utf-8"))
        for top in module.body:
            if isinstance(top, ast.FunctionDef):
                for statement in top.body:
                    visit(statement, False)
    return found


@pytest.mark.parametrize("inside_loop", [False, True], ids=["outside", "inside"])
def test_programs_cover_the_syntax(inside_loop: bool) -> None:
    missing = set(LANGUAGE) - kinds_of_nodes(inside_loop)
    if not inside_loop:
        missing -= {ast.Break, ast.Continue}
    assert not missing


@pytest.mark.parametrize(("entry", "case"), CASES)
def test_program_is_deterministic_and_leaves_its_arguments(entry: Program, case: int) -> None:
    if entry.needs_symdiff:
        pytest.importorskip("symdiff")
    args = entry.arguments(case)
    with redirect_stdout(io.StringIO()):
        first = entry.function(*args)
        changed = not same(args, entry.arguments(case))
        second = entry.function(*entry.arguments(case))
    assert changed == bool(entry.mutates)
    assert same(first, second)


@pytest.mark.parametrize(("entry", "case"), CASES)
def test_reference_is_accurate(entry: Program, case: int) -> None:
    function, args = plain(entry, case)
    u, v = directions(entry, args, 1), directions(entry, args, 2)
    steps = (entry.step, 0.6 * entry.step)
    first, again = (reference.directional(function, args, u, step=step).value for step in steps)
    scale = max(abs(function(*args)), abs(first))
    assert abs(first - again) <= ORDER_ONE * scale / 3
    assert first != 0.0
    if not entry.order2:
        return
    second, again = (
        reference.second_directional(function, args, u, v, step=step).value for step in steps
    )
    assert abs(second - again) <= ORDER_TWO * max(scale, abs(second)) / 3


# --- tests of symdiff


@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize(("entry", "case"), CASES)
def test_value_is_python_value(entry: Program, case: int, sd: ModuleType) -> None:
    with redirect_stdout(io.StringIO()):
        if entry.mutates:
            expected = with_final_values(entry, entry.function)(*entry.arguments(case))
            args = entry.arguments(case)
            actual = sd.functional(entry.function)(*args)
        else:
            expected = entry.function(*entry.arguments(case))
            args = entry.arguments(case)
            actual = sd.differentiable(entry.function).forward(*args)[0]
    assert same(actual, expected), f"{actual!r} is not {expected!r}"
    assert same(args, entry.arguments(case)), "arguments were changed"


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize(("entry", "case"), CASES)
def test_reverse(entry: Program, case: int, sd: ModuleType) -> None:
    function, args = plain(entry, case)
    expected = tuple(
        reference.richardson_gradient(function, args, position, step=entry.step).value
        for position in entry.wrt
    )
    scale = max(abs(function(*args)), largest(expected))
    args = entry.arguments(case)
    actual = gradient(entry, case, sd, args)
    assert_close(actual, expected, tolerance_of(entry, case, 1, scale))
    assert_dtypes(actual, tuple(args[position] for position in entry.wrt))
    assert same(args, entry.arguments(case)), "arguments were changed"


@pytest.mark.one_in(48)
@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize(("entry", "case"), CASES)
def test_callees_of_their_own(
    entry: Program, case: int, sd: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every function that is called is one of its own, however short it is."""
    from symdiff.optimise.outlining import EVERYTHING, outlining
    from symdiff.parse import templates

    monkeypatch.setattr(templates, "FOLLOWED_FIRST", 0)
    with outlining(EVERYTHING):
        test_reverse(entry, case, sd)
        test_forward(entry, case, sd)
        if entry.order2:
            test_order_two_forward_over_reverse(entry, case, sd)


@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize(("entry", "case"), CASES)
def test_forward(entry: Program, case: int, sd: ModuleType) -> None:
    function, args = plain(entry, case)
    expected = reference.directional(function, args, directions(entry, args, 1), step=entry.step)
    scale = max(abs(function(*args)), abs(expected.value))
    weights = output_weights(entry, case)
    args = entry.arguments(case)
    tangents = directions(entry, args, 1)
    with redirect_stdout(io.StringIO()):
        _, tangent = sd.jvp(under_test(entry, sd), args, tangents)
    actual = tangent if weights is None else reference.inner(weights, tangent)
    assert np.shape(actual) == () or np.size(actual) == 1
    assert_close(
        float(np.squeeze(actual)), float(expected.value), tolerance_of(entry, case, 1, scale)
    )


@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize(("entry", "case"), LINEARIZED)
def test_linearized(entry: Program, case: int, sd: ModuleType) -> None:
    """The linear function is called twice, and for half of a direction gives half."""
    function, args = plain(entry, case)
    expected = reference.directional(function, args, directions(entry, args, 1), step=entry.step)
    scale = max(abs(function(*args)), abs(expected.value))
    weights = output_weights(entry, case)
    args = entry.arguments(case)
    tangents = directions(entry, args, 1)
    with redirect_stdout(io.StringIO()):
        _, linear = sd.linearize(under_test(entry, sd), *args)
        for factor in (1.0, 0.5):
            along = reference.map_leaves(lambda leaf, f=factor: leaf * f, tangents, rest="none")
            tangent = linear(*along)
            actual = tangent if weights is None else reference.inner(weights, tangent)
            wanted = factor * float(expected.value)
            assert_close(float(np.squeeze(actual)), wanted, tolerance_of(entry, case, 1, scale))
    if not entry.mutates:
        assert same(args, entry.arguments(case)), "arguments were changed"


@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize(("entry", "case"), DIFFERENTIATED_TWICE)
def test_order_two_forward_over_reverse(entry: Program, case: int, sd: ModuleType) -> None:
    expected, scale = second_derivative(entry, case)
    weights = output_weights(entry, case)
    args = entry.arguments(case)
    u, v = directions(entry, args, 1), directions(entry, args, 2)
    with redirect_stdout(io.StringIO()):
        if weights is None:
            of_gradient = sd.grad(under_test(entry, sd), argnums=entry.wrt)
            _, product = sd.jvp(of_gradient, args, u)
            actual = reference.inner(selected(v, entry.wrt), product)
        else:
            along = sd.differentiable(under_test(entry, sd)).jvp
            _, (_, tangent) = sd.jvp(along, (args, u), (v, zeros(u)))
            actual = reference.inner(weights, tangent)
    assert_close(float(actual), expected, tolerance_of(entry, case, 2, scale))


@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize(("entry", "case"), DIFFERENTIATED_TWICE)
def test_order_two_with_reverse_outside(entry: Program, case: int, sd: ModuleType) -> None:
    """Reverse over reverse; over forward where the result is not a scalar."""
    expected, scale = second_derivative(entry, case)
    weights = output_weights(entry, case)
    args = entry.arguments(case)
    u, v = directions(entry, args, 1), directions(entry, args, 2)
    with redirect_stdout(io.StringIO()):
        if weights is None:
            of_gradient = sd.grad(under_test(entry, sd), argnums=entry.wrt)
            _, pullback = sd.vjp(of_gradient, *args)
            product = pullback(selected(u, entry.wrt))
        else:
            along = sd.differentiable(under_test(entry, sd)).jvp
            _, pullback = sd.vjp(along, args, u)
            product = pullback((zeros(weights), weights))[0]
    actual = reference.inner(selected(v, entry.wrt), selected(product, entry.wrt))
    assert_close(float(actual), expected, tolerance_of(entry, case, 2, scale))


@pytest.mark.parametrize(("entry", "case"), OBSERVED)
def test_effects_happen_once(entry: Program, case: int, sd: ModuleType) -> None:
    assert entry.observe is not None
    states: list[Any] = []
    printed: list[str] = []
    for call in (
        lambda args: entry.function(*args),
        lambda args: gradient(entry, case, sd, args),
        lambda args: sd.jvp(under_test(entry, sd), args, directions(entry, args, 1)),
    ):
        args = entry.arguments(case)
        with redirect_stdout(io.StringIO()) as out:
            call(args)
        states.append(copy.deepcopy(entry.observe()))
        printed.append(out.getvalue())
    assert same(states[1], states[0]), "effects of the reverse mode"
    assert same(states[2], states[0]), "effects of the forward mode"
    assert printed[1] == printed[0]
    assert printed[2] == printed[0]


# --- the side under test


def under_test(entry: Program, sd: ModuleType) -> Any:
    """The program as it is given to symdiff."""
    return sd.functional(entry.function) if entry.mutates else entry.function


def gradient(entry: Program, case: int, sd: ModuleType, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The reverse-mode derivatives of the (weighted) result by each differentiated argument."""
    weights = output_weights(entry, case)
    if entry.reset is not None:
        entry.reset()
    with nullcontext() if entry.observe else redirect_stdout(io.StringIO()):
        if weights is None:
            return tuple(sd.grad(under_test(entry, sd), argnums=entry.wrt)(*args))
        _, pullback = sd.vjp(under_test(entry, sd), *args)
        return selected(pullback(weights), entry.wrt)


def selected(parts: Sequence[Any], positions: Sequence[int]) -> tuple[Any, ...]:
    """The parts at the positions; a gradient by ``wrt`` holds no others already."""
    return tuple(parts[position] for position in positions)


def zeros(tree: Any) -> Any:
    """The tree with its leaves 0."""
    return reference.map_leaves(lambda leaf: leaf * 0, tree, rest="none")


def second_derivative(entry: Program, case: int) -> tuple[float, float]:
    """The reference second derivative along two directions, and the scale of its error."""
    function, args = plain(entry, case)
    u, v = directions(entry, args, 1), directions(entry, args, 2)
    first = reference.directional(function, args, u, step=entry.step).value
    second = reference.second_directional(function, args, u, v, step=entry.step).value
    return float(second), max(abs(function(*args)), abs(first), abs(second))


# --- what changes between calls


def test_rebound_and_changed_globals_are_read_at_each_call(
    sd: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.programs import closures

    x = np.array([0.5, 1.2, 0.8])
    gradient_of = sd.grad(closures.reads_globals)
    np.testing.assert_allclose(gradient_of(x), 2 * 1.5 * x + closures.OFFSETS, rtol=1e-14)
    monkeypatch.setattr(closures, "GAIN", -0.5)
    np.testing.assert_allclose(gradient_of(x), -x + closures.OFFSETS, rtol=1e-14)
    monkeypatch.setattr(closures, "GAIN", 3)
    np.testing.assert_allclose(gradient_of(x), 6 * x + closures.OFFSETS, rtol=1e-14)
    monkeypatch.setattr(closures, "OFFSETS", np.array([0.1, -0.2, 0.3]))
    gradient_of(x)
    closures.OFFSETS[1] = 4.0
    np.testing.assert_allclose(gradient_of(x), 6 * x + closures.OFFSETS, rtol=1e-14)


def test_rebound_closure_cells_and_changed_attributes_are_read_at_each_call(sd: ModuleType) -> None:
    factor: Any = 2.0
    holder = type("Holder", (), {})()
    holder.power = 2

    def f(x: Any) -> Any:
        return factor * x**holder.power

    gradient_of = sd.grad(f)
    assert gradient_of(3.0) == 12.0
    factor = -1.0
    assert gradient_of(3.0) == -6.0
    holder.power = 3
    assert gradient_of(3.0) == -27.0
    factor = np.float64(2.0)
    assert gradient_of(3.0) == 54.0
