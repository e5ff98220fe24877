"""Nodes of a computation graph: the attributes that PyTorch's tutorials on autograd ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symdiff as sd

SCALE = 3.0


def tutorial(w, b, x, y):
    z = x @ w + b
    residual = z - y
    loss = np.mean(residual * residual)
    return loss


TYPES = ("float64[d]", "float64", "float64[n,d]", "float64[n]")


# --- the words of the tutorials


def test_leaves_intermediates_and_root():
    graph = sd.grad(tutorial, argnums=("w", "b")).graph(*TYPES)
    assert [node.name for node in graph.leaves] == ["w", "b"]
    assert [node.name for node in graph.intermediates] == [None, "z", "residual", None]
    assert graph.root is graph["loss"]
    assert graph.roots == (graph.root,)
    assert list(graph.inputs) == ["w", "b", "x", "y"]


@pytest.mark.parametrize(
    ("name", "requires_grad", "is_leaf"),
    [("w", True, True), ("x", False, True), ("y", False, True), ("z", True, False)],
)
def test_requires_grad_and_is_leaf(name: str, requires_grad: bool, is_leaf: bool):
    node = sd.grad(tutorial, argnums=(0, 1)).graph(*TYPES)[name]
    assert (node.requires_grad, node.is_leaf) == (requires_grad, is_leaf)
    assert (node.grad_fn is None) == is_leaf


def test_what_is_computed_without_a_gradient_is_a_leaf_as_in_pytorch():
    def f(w, x):
        y = x * 2.0
        return y * w

    y = sd.grad(f).graph("float", "float")["y"]
    assert (y.requires_grad, y.is_leaf, y.grad_fn, y.is_input) == (False, True, None, False)


def test_pytorch_calls_it_a_leaf_too():
    torch = pytest.importorskip("torch")
    assert (torch.tensor(1.0) * 2.0).is_leaf


def test_every_float_requires_a_gradient_where_nothing_is_differentiated_by():
    graph = sd.differentiable(tutorial).graph(*TYPES)
    assert [node.name for node in graph.leaves] == ["w", "b", "x", "y"]


def test_integers_and_what_follows_from_them_require_none():
    def f(x, k):
        y = x * k
        count = k + 1
        big = y > 0.5
        return y * count, big

    graph = sd.differentiable(f).graph("float64[n]", "int")
    assert not graph["k"].requires_grad
    assert not graph["count"].requires_grad
    assert not graph["big"].requires_grad
    assert graph["y"].requires_grad
    with pytest.raises(ValueError, match="returns 2 values: see roots"):
        _ = graph.root
    assert [node.requires_grad for node in graph.roots] == [True, False]


@pytest.mark.parametrize("cut", [sd.detach, sd.stop_gradient])
def test_what_is_cut_requires_none(cut: Any):
    def f(x):
        y = cut(np.exp(x))
        with sd.no_grad():
            z = x * 2.0
        return x * y + z

    graph = sd.differentiable(f).graph("float")
    assert not graph["y"].requires_grad
    assert not graph["z"].requires_grad
    assert graph.root.requires_grad


def test_a_value_tells_its_type_and_its_place():
    graph = sd.differentiable(tutorial).graph(*TYPES)
    z = graph["z"]
    assert (str(z.type), z.type_text, z.shape) == ("float64[n]", "float64[n]", ("n",))
    assert z.dtype == np.float64
    first = tutorial.__code__.co_firstlineno
    assert z.line == first + 1
    assert z.span.file == tutorial.__code__.co_filename
    assert z.span.text.strip() == "z = x @ w + b"
    assert (z.op, z.expression) == ("add", "· + b")
    assert graph["w"].line == first


def test_inputs_and_users_of_a_value():
    graph = sd.differentiable(tutorial).graph(*TYPES)
    product, b = graph["z"].inputs
    assert product.op == "matmul"
    assert b is graph["b"]
    assert [node.name for node in product.inputs] == ["x", "w"]
    assert [node.name for node in graph["z"].users] == ["residual"]
    (square,) = graph["residual"].users
    assert square.inputs == (graph["residual"], graph["residual"])


def test_example_values_tell_sizes():
    graph = sd.differentiable(tutorial).graph(np.ones(3), 1.0, np.ones((5, 3)), np.ones(5))
    assert graph["x"].shape == (5, 3)
    assert graph["z"].shape == (5,)
    assert graph["z"].type_text == "float64[5]"


def test_a_size_that_only_a_run_tells():
    def f(x):
        positive = x[x > 0.0]
        return np.sum(positive)

    assert sd.differentiable(f).graph(np.ones(3))["positive"].shape == ("?",)


# --- names


def test_a_name_is_its_last_value():
    def f(x):
        y = x * 2.0
        y = np.sin(y)
        return y + 1.0

    graph = sd.differentiable(f).graph("float")
    assert graph["y"].expression == "np.sin(y)"
    assert [node.label for node in graph.named("y")] == ["y", "y₂"]
    assert "y" in graph
    assert "q" not in graph
    assert 3 not in graph
    assert graph.names == ("x", "y")


def test_another_name_for_a_value_finds_it():
    def f(x):
        y = x * 2.0
        other = y
        y = y + 1.0
        return y * other

    graph = sd.differentiable(f).graph("float")
    assert graph["other"].expression == "x * 2.0"
    assert graph["y"].expression == "y + 1.0"


def test_an_argument_that_is_written_has_a_value_at_entry_and_a_last_one():
    def f(x):
        x[0] = 2.0 * x[1]
        return np.sum(x)

    graph = sd.differentiable(f).graph("float64[n]")
    assert graph.inputs["x"].is_input
    assert graph["x"].op == "index_set"
    assert graph["x"].expression == "x with [0] = ·"
    assert graph["x"] in graph.roots


def test_views_show_what_was_written_into_their_array():
    def f(x):
        v = x * 1.0
        head, tail = v[:2], v[2:]
        tail[0] = 5.0
        s = np.sum(tail) + np.sum(head)
        v[0] = 7.0
        return s + np.sum(v)

    graph = sd.differentiable(f).graph("float64[n]")
    assert graph["v"].expression == "v with [0] = 7.0"
    with pytest.raises(sd.UnknownNameError, match="a view of an array that was written after"):
        _ = graph["tail"]


def test_a_view_that_was_just_written_is_what_was_put_there():
    def f(x):
        v = x * 1.0
        tail = v[2:]
        tail[0] = x[0]
        return np.sum(v)

    graph = sd.differentiable(f).graph("float64[n]")
    assert graph["tail"].expression == "tail with [0] = ·"


@dataclass
class Layer:
    weight: Any
    bias: Any


def test_places_in_containers_are_names():
    def f(layers, options):
        x = options["start"] * 2.0
        for layer in layers:
            x = x * layer.weight + layer.bias
        made = {"sum": x, "parts": (x, [x * 2.0])}
        return made["sum"] + made["parts"][1][0]

    layers = [Layer(1.0, 2.0), Layer(3.0, 4.0)]
    graph = sd.grad(f).graph(layers, {"start": 0.5})
    assert list(graph.inputs) == [
        "layers[0].weight", "layers[0].bias", "layers[1].weight", "layers[1].bias",
        "options['start']",
    ]  # fmt: skip
    assert not graph["options['start']"].requires_grad
    assert graph["layers[1].bias"].requires_grad
    assert graph["made['sum']"] is graph["x"]
    assert graph["made['parts'][1][0]"].expression == "x * 2.0"


def test_names_in_loops_and_branches_and_called_functions():
    def inner(v):
        hidden = np.exp(v)
        return hidden + 1.0

    def f(x):
        total = 0.0
        for k in range(3):
            part = inner(x) * k
            total = total + part
        if total > 1.0:
            only_here = total * 2.0
            total = only_here
        return total

    graph = sd.differentiable(f).graph("float")
    assert graph["hidden"].expression == "np.exp(x)"
    assert graph.named("only_here")[0].op == "multiply"
    assert graph["only_here"].expression == "only_here if · else nothing"
    assert graph["total"].op == "cond"
    assert len(graph.named("part")) >= 2


def test_what_has_no_node_says_why():
    def f(x):
        rate = 0.5
        mode = "fast"
        return x * rate if mode == "fast" else x

    graph = sd.differentiable(f).graph("float")
    with pytest.raises(sd.UnknownNameError, match=r"'rate' is 0.5 whatever the arguments are"):
        _ = graph["rate"]
    with pytest.raises(sd.UnknownNameError, match="no number or array"):
        _ = graph["mode"]
    with pytest.raises(sd.UnknownNameError, match="f has no name 'y'") as missing:
        _ = graph["y"]
    assert missing.value.hint == "names: x"
    with pytest.raises(KeyError):
        _ = graph["nothing"]


def test_a_near_name_is_proposed():
    with pytest.raises(sd.UnknownNameError) as missing:
        _ = sd.differentiable(tutorial).graph(*TYPES)["residuals"]
    assert missing.value.hint == "did you mean 'residual'?"


def test_an_argument_that_is_not_used_is_an_input():
    def f(a, x, b):
        return x * 2.0

    graph = sd.differentiable(f).graph("float", "float", "float64[n]")
    assert list(graph.inputs) == ["a", "x", "b"]
    assert graph["a"].users == ()
    assert graph["b"].requires_grad


def test_a_variable_outside_is_an_input_without_a_gradient():
    def f(x):
        return x * SCALE

    graph = sd.differentiable(f).graph("float")
    assert list(graph.inputs) == ["x", "SCALE"]
    assert graph.inputs["SCALE"].is_input
    assert not graph.inputs["SCALE"].requires_grad


def with_a_local_scale(SCALE):
    return times_global(SCALE) + SCALE


def times_global(x):
    return x * SCALE


def test_a_variable_outside_with_the_name_of_an_argument_is_told_apart():
    graph = sd.differentiable(with_a_local_scale).graph("float")
    assert list(graph.inputs) == ["SCALE", "global SCALE"]
    assert graph["SCALE"].requires_grad


# --- functions with a rule of their own, effects, conditions


@sd.custom_vjp
def clipped(x):
    return np.clip(x, -1.0, 1.0)


clipped.defvjp(lambda x: (np.clip(x, -1.0, 1.0), None), lambda saved, g: (g,))


@sd.checkpoint
def block(x):
    return np.sin(x) * x


def test_a_function_with_a_rule_of_its_own_is_one_node():
    def f(x):
        y = clipped(x)
        z = block(y)
        print("seen", z)
        w = sd.grad_hook(z, lambda g: 2.0 * g)
        return w + 0.0

    graph = sd.differentiable(f).graph("float")
    assert graph["y"].expression == "clipped(x)"
    assert graph["y"].grad_fn.name() == "ClippedBackward0"
    assert graph["z"].grad_fn.name() == "BlockBackward0"
    assert graph["w"].expression == "grad_hook(z)"
    assert graph["w"].grad_fn.name() == "GradHookBackward0"
    assert len(graph) == 5


def test_a_detached_value_says_so():
    def f(x):
        y = sd.detach(x)
        return y * x

    assert sd.differentiable(f).graph("float")["y"].expression == "stop_gradient(x)"


def test_what_is_computed_in_a_condition_requires_a_gradient_as_in_pytorch():
    def f(x):
        while np.sqrt(x) > 1.0:
            x = x * 0.5
        return x

    graph = sd.differentiable(f).graph("float")
    (root,) = (node for node in graph if node.op == "sqrt")
    assert root.requires_grad
    assert root.grad_fn.name() == "SqrtBackward0"
    ((handed, _),) = root.grad_fn.next_functions
    assert handed.name() == "CarryBackward0"


# --- what is differentiated by


def product(a, b, c):
    return a * b * c


ALL = ("float", "float", "float")


@pytest.mark.parametrize(
    ("make", "arguments", "expected"),
    [
        (lambda: sd.grad(product), ALL, "a"),
        (lambda: sd.grad(product, argnums=2), ALL, "c"),
        (lambda: sd.value_and_grad(product, argnums=("b", 2)), ALL, "bc"),
        (lambda: sd.jacobian(product, argnums=1), ALL, "b"),
        (lambda: sd.hvp(product), (*ALL, "float"), "a"),
        (lambda: sd.grad(sd.grad(product), argnums=1), ALL, "ab"),
        (lambda: sd.derivative(product), ALL, "a"),
        (lambda: sd.differentiable(product).jvp, (ALL, ("float", None, "float")), "ac"),
        (lambda: sd.grad(sd.differentiable(product).hvp, argnums=1), (*ALL, "float"), "ab"),
    ],
)
def test_argnums_are_respected(make: Any, arguments: Any, expected: str):
    graph = make().graph(*arguments)
    assert "".join(str(node.name) for node in graph.leaves) == expected
    assert graph.root.expression == "· * c"


def test_functional_asks_for_no_gradient_itself():
    def f(x):
        x[0] = x[1]

    graph = sd.functional(f).graph("float64[n]")
    assert [node.name for node in graph.leaves] == ["x"]


def test_the_graph_of_a_derivative_itself():
    graph = sd.grad(tutorial).graph(*TYPES)
    derived = graph.derived
    assert derived.ir is graph.ir
    assert derived.roots == (derived["w_bar"],)
    assert derived["w_bar"].requires_grad
    assert [node.name for node in derived.leaves] == ["w"]
    plain = sd.differentiable(tutorial).graph(*TYPES)
    assert plain.derived is plain


def test_a_method_and_a_callable_object():
    class Model:
        rate = 2.0

        @sd.differentiable
        def cost(self, x):
            y = x * self.rate
            return y

    graph = Model().cost.grad.graph("float")
    assert graph["y"].requires_grad
    assert "self.rate" in graph.inputs or any("rate" in name for name in graph.inputs)


# --- size


def test_a_long_program_is_viewed():
    def f(x):
        y = x.copy()
        pair = [x[0], x[1]]
        for k in range(1500):
            y[k % 3] = pair[k % 2]
            pair[k % 2] = pair[(k + 1) % 2] * 0.5
        return np.sum(y) + pair[0]

    graph = sd.differentiable(f).graph(np.ones(3))
    assert len(graph) > 3000
    assert graph["y"].op == "index_set"
    assert graph["pair[1]"].expression == "pair[0] * 0.5"
    assert len(str(graph).splitlines()) > len(graph)


def test_nodes_are_numbered_the_same_every_time():
    first, second = (str(sd.differentiable(tutorial).graph(*TYPES)) for _ in range(2))
    assert first == second
    graphs = [sd.differentiable(tutorial).graph(*TYPES) for _ in range(2)]
    assert [node.id for node in graphs[0]] == [node.id for node in graphs[1]]
    assert len(set(graphs[0])) == len(graphs[0])
