"""What a function does besides computing, in its graph: listed, printed, drawn."""

from __future__ import annotations

import numpy as np

import symdiff as sd
from tests.graphs.test_text import shown


class Counter:
    n = 0


counter, log, table, buffer = Counter(), [], {}, np.zeros(2)


def does_much(x, out):
    out[:] = 2.0 * x
    counter.n += 1
    log.append(x[0])
    table["last"] = x[1]
    buffer[0] = x[0]
    print("x is", x[0])
    noise = np.random.normal(size=2)
    assert x[0] > 0, "no"
    if x[1] < 0:
        raise ValueError("negative")
    return np.sum((x + noise) * out)


def test_effects_are_listed_in_the_order_in_which_they_are_done():
    graph = sd.differentiable(does_much).graph("float64[2]", "float64[2]")
    assert [(effect.op, effect.expression) for effect in graph.effects] == [
        ("set_attribute", "counter.n = counter.n + 1"),
        ("opaque_call", "log.append(x[0])"),
        ("set_item", "table['last'] = x[1]"),
        ("set_item", "buffer[0] = x[0]"),
        ("print", "print('x is', x[0])"),
        ("opaque_call", "normal(size=2)"),
        ("assert", "assert bool(x[0] > 0)"),
        ("raise", "raise ValueError('negative')"),
    ]
    (said,) = [effect for effect in graph.effects if effect.op == "print"]
    assert [node.expression for node in said.inputs] == ["x[0]"]
    assert said.line == does_much.__code__.co_firstlineno + 6
    assert [node.name for node in graph.written] == ["out", "buffer"]
    assert len(graph.returned) == 1


def test_effects_stand_in_the_text_where_they_are_done():
    def f(x):
        s = 0.0
        for k in range(3):
            if x[k] > 0.0:
                print(k)
            s = s + x[k]
        return s

    lines = [line.split() for line in shown(f, "float64[3]")]
    assert ["print(k)", "effect"] in lines
    assert lines.index(["if", "true"]) < lines.index(["print(k)", "effect"])
    text = str(sd.differentiable(does_much).graph("float64[2]", "float64[2]"))
    assert text.splitlines()[-1].strip() == "leaves out₂, buffer₃ behind"


def test_effects_are_drawn_with_arrows_from_what_they_read():
    graph = sd.differentiable(does_much).graph("float64[2]", "float64[2]")
    said = next(effect for effect in graph.effects if effect.op == "print")
    x = graph.inputs["x"]
    assert f"  {x.id} --> {said.id}\n" in graph.to_mermaid()
    assert f'  {said.id}("print(#39;' in graph.to_mermaid().replace("'", "#39;")
    for collapse in ("never", "line"):
        dot = graph.to_dot(collapse=collapse)
        assert f"  {x.id} -> {said.id}" in dot
        drawn = [effect.id for effect in graph.effects if f"  {effect.id} [label=" in dot]
        assert len(drawn) == len(graph.effects) - 1  # noise has a node


def test_a_function_without_effects_has_none():
    graph = sd.differentiable(lambda x: x * np.sin(x)).graph("float")
    assert graph.effects == ()
    assert graph.written == ()
    assert ":::effect" not in graph.to_mermaid()


class Kept:
    """An object that a function writes to."""

    calls = 0


def counts(kept, x):
    kept.calls = kept.calls + 1

    return np.sum(np.linalg.solve(np.eye(3), x))


def test_a_write_stands_at_the_line_that_writes() -> None:
    lines = str(sd.differentiable(counts).graph(Kept(), np.ones(3))).splitlines()
    (write,) = [k for k, line in enumerate(lines) if line.endswith("effect")]
    assert any("kept.calls = kept.calls + 1" in line for line in lines[write - 2 : write])
