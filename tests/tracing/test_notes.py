"""What a trace writes on the nodes of a graph, and its drawings."""

from __future__ import annotations

import numpy as np

import symdiff as sd

X = np.array([3.0, 4.0])


@sd.differentiable
def f(x, w):
    y = x * w
    for _ in range(3):
        y = np.tanh(y)
    tiny = y * 1e-12
    z = np.sum(tiny) + np.sum(x)
    return z


def test_notes_have_values_counts_and_norms_of_gradients() -> None:
    trace = f.trace(X, 2.0)
    graph = trace.graph()
    before = trace.notes(graph)
    assert before[graph["x"].id] == (["float64[2], norm 5"], None)
    trace.backward()
    notes = trace.notes(graph)
    lines, mark = notes[graph["z"].id]
    assert lines == [f"{trace['z'].value:.6g}", "gradient: norm 1"]
    assert mark is None
    inside = [notes[node.id] for node in graph.named("y") if node.id in notes]
    assert any("the last of 3 values" in lines for lines, _ in inside)


def test_vanishing_gradients_and_what_is_not_finite_are_marked() -> None:
    trace = f.trace(X, 2.0)
    trace.backward()
    graph = trace.graph()
    assert trace.notes(graph)[graph["w"].id][1] == "warning"
    assert trace.notes(graph)[graph["x"].id][1] is None
    with np.errstate(all="ignore"):
        trace = f.trace(np.array([np.inf, 1.0]), 2.0)
        trace.backward()
    lines, mark = trace.notes(graph)[graph["x"].id]
    assert mark == "bad"
    assert lines[-1] == "not finite"


def test_drawings_show_the_notes() -> None:
    trace = f.trace(X, 2.0)
    trace.backward()
    for text in (trace.to_dot(), trace.to_mermaid()):
        assert "gradient: norm 1" in text
        assert "the gradient vanishes" in text


def layer(p, x):
    h = np.tanh(p["w"] * x)
    return h


@sd.differentiable
def network(layers, x):
    for p in layers:
        x = layer(p, x)
    return np.sum(x)


def test_what_is_in_containers_and_in_called_functions_has_notes() -> None:
    layers = [{"w": 0.5}, {"w": np.array([2.0, -1.0])}]
    trace = network.trace(layers, X)
    trace.backward()
    graph = trace.graph()
    notes = trace.notes(graph)
    first = np.tanh(0.5 * X)
    second = np.tanh(layers[1]["w"] * first)
    bar = (1 - second**2) * layers[1]["w"]
    by_first = abs(np.sum(bar * (1 - first**2) * X))
    assert notes[graph["layers[0]['w']"].id][0] == ["0.5", f"gradient: norm {by_first:.4g}"]
    size = np.linalg.norm((1 - second**2) * first)
    assert notes[graph["layers[1]['w']"].id][0][1] == f"gradient: norm {size:.4g}"
    inner = [notes[node.id][0] for node in graph.named("h")]
    assert inner == [
        [
            f"float64[2], norm {np.linalg.norm(first):.4g}",
            f"gradient: norm {np.linalg.norm(bar):.4g}",
        ],
        [f"float64[2], norm {np.linalg.norm(second):.4g}", f"gradient: norm {np.sqrt(2):.4g}"],
    ]
    assert "list, norm 2.291" in str(trace)  # of 0.5, 2 and -1
