"""``grad_fn`` and ``next_functions``: the structures are PyTorch's, written by hand.

A walk is written as a tree: ``("AddBackward0", "w", None)`` is a function whose next functions are
the ``AccumulateGrad`` of ``w`` and none. Where PyTorch is installed, it is asked for its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.graphs import AccumulateGrad, ComputationGraph, GradFunction
from tests import reference
from tests.programs.registry import Program, load
from tests.test_programs import plain

# --- programs in NumPy, and the same in PyTorch


def product_and_sum(w, x):
    y = w * x
    return np.sum(y + w)


def torch_product_and_sum(torch, w, x):
    y = w * x
    return torch.sum(y + w)


def square_by_itself(w, x):
    return np.sum(w * w) * np.sum(w)


def torch_square_by_itself(torch, w, x):
    return torch.sum(w * w) * torch.sum(w)


def linear_layer(w, x):
    r = np.tanh(x * w) - x
    return np.mean(r * r)


def torch_linear_layer(torch, w, x):
    r = torch.tanh(x * w) - x
    return torch.mean(r * r)


def with_constants(w, x):
    return np.sum(np.exp(w * 2.0) / 3.0 - x)


def torch_with_constants(torch, w, x):
    return torch.sum(torch.exp(w * 2.0) / 3.0 - x)


def matrix_product(w, x):
    return np.sum(np.outer(w, x) @ w)


def torch_matrix_product(torch, w, x):
    return torch.sum(torch.outer(w, x) @ w)


def detached(w, x):
    return np.sum(np.exp(sd.detach(w) * w))


def torch_detached(torch, w, x):
    return torch.sum(torch.exp(w.detach() * w))


def selected(w, x):
    return np.sum(np.where(w > 0.0, w, x))


def torch_selected(torch, w, x):
    return torch.sum(torch.where(w > 0.0, w, x))


def two_names_for_one(w, x):
    a = w * x
    b = a
    c = a * 2.0
    return np.sum(b - c)


def torch_two_names_for_one(torch, w, x):
    a = w * x
    b = a
    c = a * 2.0
    return torch.sum(b - c)


W_X = ("MultiplyBackward0", "w", None)
X_W = ("MultiplyBackward0", None, "w")
RESIDUAL = ("SubtractBackward0", ("TanhBackward0", X_W), None)
SCALED = ("ExpBackward0", ("MultiplyBackward0", "w", None))
EXPECTED: dict[str, tuple[Callable[..., Any], Callable[..., Any], Any]] = {
    "product_and_sum": (
        product_and_sum,
        torch_product_and_sum,
        ("SumBackward0", ("AddBackward0", W_X, "w")),
    ),
    "square_by_itself": (
        square_by_itself,
        torch_square_by_itself,
        (
            "MultiplyBackward0",
            ("SumBackward0", ("MultiplyBackward0", "w", "w")),
            ("SumBackward0", "w"),
        ),
    ),
    "linear_layer": (
        linear_layer,
        torch_linear_layer,
        ("MeanBackward0", ("MultiplyBackward0", RESIDUAL, RESIDUAL)),
    ),
    "with_constants": (
        with_constants,
        torch_with_constants,
        ("SumBackward0", ("SubtractBackward0", ("DivideBackward0", SCALED, None), None)),
    ),
    "detached": (detached, torch_detached, ("SumBackward0", ("ExpBackward0", X_W))),
    "selected": (selected, torch_selected, ("SumBackward0", ("WhereBackward0", "w", None))),
    "two_names_for_one": (
        two_names_for_one,
        torch_two_names_for_one,
        ("SumBackward0", ("SubtractBackward0", W_X, ("MultiplyBackward0", W_X, None))),
    ),
}
NAMES = {
    "Mul": "Multiply",
    "Sub": "Subtract",
    "Div": "Divide",
}  # of PyTorch's functions, where NumPy has another word


def walked(function: GradFunction | None) -> Any:
    """The tree that ``next_functions`` leads through."""
    if function is None:
        return None
    if isinstance(function, AccumulateGrad):
        return function.variable.name
    return function.name(), *(walked(inner) for inner, _ in function.next_functions)


def torch_walked(function: Any, leaves: dict[int, str]) -> Any:
    """PyTorch's own tree, its functions under our names."""
    if function is None:
        return None
    if hasattr(function, "variable"):
        return leaves[id(function.variable)]
    name = function.name().removesuffix("Backward0")
    inner = (torch_walked(inner, leaves) for inner, _ in function.next_functions)
    return f"{NAMES.get(name, name)}Backward0", *inner


@pytest.mark.parametrize("name", EXPECTED)
def test_walking_next_functions_is_walking_the_dag(name: str):
    function, _, expected = EXPECTED[name]
    graph = sd.grad(function).graph("float64[n]", "float64[n]")
    assert walked(graph.root.grad_fn) == expected


@pytest.mark.parametrize("name", EXPECTED)
def test_pytorch_walks_through_the_same(name: str):
    torch = pytest.importorskip("torch")
    _, function, expected = EXPECTED[name]
    w = torch.tensor([0.3, 1.2, 2.0], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([1.5, -0.5, 0.7], dtype=torch.float64)
    assert torch_walked(function(torch, w, x).grad_fn, {id(w): "w"}) == expected


def test_a_matrix_product_has_both_operands():
    graph = sd.grad(matrix_product).graph("float64[n]", "float64[n]")
    name, product = walked(graph.root.grad_fn)
    assert (name, product[0], product[2]) == ("SumBackward0", "MatmulBackward0", "w")
    assert leaves_of(graph) == {"w"}


def leaves_of(graph: ComputationGraph) -> set[str | None]:
    """The leaves that a walk from the roots reaches."""
    found: set[str | None] = {node.name for node in graph.roots if node.is_input}
    seen: set[GradFunction] = set()
    pending = [node.grad_fn for node in graph.roots]
    while pending:
        function = pending.pop()
        if function is None or function in seen:
            continue
        seen.add(function)
        pending += [inner for inner, _ in function.next_functions]
        if isinstance(function, AccumulateGrad):
            found.add(function.variable.name)
    return found


def test_paths_to_one_leaf_are_summed():
    def f(w):
        a = w + w
        b = a + w
        return b - a

    def paths(function: GradFunction | None, sign: int) -> int:
        if function is None:
            return 0
        if isinstance(function, AccumulateGrad):
            return sign
        signs = (sign, -sign) if function.name() == "SubtractBackward0" else (sign, sign)
        pairs = zip(function.next_functions, signs, strict=True)
        return sum(paths(inner, one) for (inner, _), one in pairs)

    root = sd.differentiable(f).graph("float").root
    assert paths(root.grad_fn, 1) == sd.grad(f)(3.0) == 1.0


# --- identity and numbers


def test_one_function_for_one_operation():
    def f(w):
        y = w * 3.0
        return y + y

    graph = sd.differentiable(f).graph("float")
    (left, left_number), (right, right_number) = graph.root.grad_fn.next_functions
    assert left is right is graph["y"].grad_fn
    assert (left_number, right_number) == (0, 0)
    assert graph["w"].grad_fn is None
    ((accumulate, number), (nothing, _)) = left.next_functions
    assert accumulate.variable is graph["w"]
    assert (number, nothing, accumulate.next_functions) == (0, None, ())
    assert repr(accumulate) == "<AccumulateGrad of w>"


def test_several_results_of_one_operation_are_told_apart_by_number():
    def f(a):
        sign, logarithm = np.linalg.slogdet(a)
        return sign * logarithm

    graph = sd.differentiable(f).graph("float64[n,n]")
    sign, logarithm = graph["sign"], graph["logarithm"]
    (first, first_number), (second, second_number) = graph.root.grad_fn.next_functions
    assert logarithm.grad_fn is second
    assert second_number == 1
    assert first is None if not sign.requires_grad else (first, first_number) == (second, 0)


def test_a_name_is_that_of_the_op():
    def f(a):
        return np.log1p(np.take_along_axis(a, np.argsort(a, axis=0), axis=0))

    graph = sd.differentiable(f).graph("float64[n]")
    function = graph.root.grad_fn
    assert function.name() == "Log1pBackward0"
    assert repr(function).startswith(f"<Log1pBackward0 at {graph.root.span.location}")
    ((inner, _),) = function.next_functions
    assert inner.name() == "TakeAlongAxisBackward0"
    assert walked(inner) == ("TakeAlongAxisBackward0", "a")


# --- loops, branches, calls


def loop_of_two(w, b, c):
    y = w * 1.0
    z = b * 1.0
    unused = c * 1.0
    for _ in range(3):
        y = np.tanh(y * z)
        unused = unused * c
    return y


def torch_loop_of_two(torch, w, b, c):
    y, z, unused = w * 1.0, b * 1.0, c * 1.0
    for _ in range(3):
        y = torch.tanh(y * z)
        unused = unused * c
    return y


def test_a_result_of_a_loop_leads_to_what_it_depends_on_and_to_nothing_else():
    graph = sd.differentiable(loop_of_two).graph("float64", "float64", "float64")
    loop = graph.root.grad_fn
    assert loop.name() == "LoopBackward0"
    assert walked(loop) == (
        "LoopBackward0",
        ("MultiplyBackward0", "w", None),
        ("MultiplyBackward0", "b", None),
    )
    assert leaves_of(graph) == {"w", "b"}


def test_pytorch_reaches_the_same_leaves_through_its_unrolled_loop():
    torch = pytest.importorskip("torch")
    leaves = {n: torch.tensor(0.5, requires_grad=True) for n in "wbc"}
    root = torch_loop_of_two(torch, *leaves.values())
    names = {id(leaf): name for name, leaf in leaves.items()}
    found, pending = set(), [root.grad_fn]
    while pending:
        function = pending.pop()
        found |= {names[id(function.variable)]} if hasattr(function, "variable") else set()
        pending += [inner for inner, _ in function.next_functions if inner is not None]
    assert found == leaves_of(sd.differentiable(loop_of_two).graph("float", "float", "float"))


def start_and_body(x):
    y = x
    for _ in range(4):
        y = y * x
    return y


def test_each_use_in_a_loop_is_a_path():
    graph = sd.differentiable(start_and_body).graph("float64")
    assert walked(graph.root.grad_fn) == ("LoopBackward0", "x", "x")


def swapped_in_turn(a, b, c):
    x, y, z = a * 1.0, b * 1.0, c * 1.0
    for _ in range(5):
        x, y, z = y, z * 2.0, z
    return x


def test_what_comes_from_the_turn_before_is_reached_through_it():
    graph = sd.differentiable(swapped_in_turn).graph("float", "float", "float")
    assert leaves_of(graph) == {"a", "b", "c"}
    handed = [node for node in graph.named("x") if node.op is None]
    for node in handed:
        assert node.grad_fn.name() == "CarryBackward0"
        assert {walked(inner)[1] for inner, _ in node.grad_fn.next_functions} == {"a", "b", "c"}
    assert handed


def branching(w, b, c):
    if c > 0.0:  # noqa: SIM108 - a statement
        y = w * w
    else:
        y = b + 1.0
    return y * 2.0


def test_a_branch_leads_to_what_either_arm_depends_on():
    graph = sd.differentiable(branching).graph("float", "float", "float")
    ((branch, _), _) = graph.root.grad_fn.next_functions
    assert walked(branch) == ("CondBackward0", "w", "w", "b")
    first, second = (node for node in graph.named("y") if node.op != "cond")
    assert walked(first.grad_fn) == ("MultiplyBackward0", "w", "w")
    assert walked(second.grad_fn) == ("AddBackward0", "b", None)


def halved(x, depth):
    return x if depth <= 0.0 else halved(x * 0.5, depth - 1.0)


def recursive(w, b):
    return halved(w, b) + b


def test_a_call_leads_to_the_arguments_that_its_result_depends_on():
    graph = sd.differentiable(recursive).graph("float", "float")
    assert leaves_of(graph) == {"w", "b"}
    (call, _), (leaf, _) = graph.root.grad_fn.next_functions
    assert leaf.variable is graph["b"]
    assert "w" in walked(call)
    assert "b" not in walked(call)


# --- leaves that are not reached have no derivative


def nested_whiles(x, b):
    y = x
    while b > 0.5:
        b = b * 0.5
        y = y * 1.5
    return y


def test_what_only_decides_is_no_way_to_a_leaf():
    graph = sd.differentiable(nested_whiles).graph("float", "float")
    assert leaves_of(graph) == {"x"}
    assert sd.grad(nested_whiles, argnums=1)(1.3, 3.0) == 0.0


FAMILIES = ("branches.", "closures.", "containers.", "loops.", "mutation.", "recursion.", "views")
PROGRAMS = [entry for entry in load() if entry.name.startswith(FAMILIES)]


@pytest.mark.parametrize("entry", PROGRAMS, ids=lambda entry: entry.name)
def test_what_has_a_derivative_by_differences_is_reached(entry: Program):
    graph = sd.differentiable(entry.function).graph(*entry.arguments(0))
    names = list(inspect.signature(entry.function).parameters)
    function, arguments = plain(entry, 0)
    along = [reference.direction(argument, seed=3) for argument in arguments]
    reached = [name or "" for name in leaves_of(graph)]
    for number in entry.wrt:
        only = [step if k == number else None for k, step in enumerate(along)]
        slope = reference.directional(function, arguments, only, step=entry.step)
        if abs(slope.value) > 1e-6:
            assert any(re.match(rf"{names[number]}\b", name) for name in reached)
