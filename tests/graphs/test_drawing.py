"""Drawings: what is in them, that they are laid out, and that no text breaks out of them."""

from __future__ import annotations

import builtins
import html
import re
import xml.etree.ElementTree as ElementTree

import networkx
import numpy as np
import pygraphviz
import pytest

import symdiff as sd
from symdiff.graphs import ComputationGraph
from symdiff.graphs.dot import escaped, printable, tip
from symdiff.graphs.mermaid import encoded
from symdiff.graphs.statements import statement_at
from symdiff.graphs.svg import svg_of
from symdiff.source import SourceSpan


def network(w, b, x):
    for _ in range(4):
        x = np.tanh(x @ w + b)
    if np.sum(x) > 0.0:  # noqa: SIM108 - a statement
        y = x * 2.0
    else:
        y = x - 1.0
    loss = np.mean(y * y)
    return loss


TYPES = ("float64[d,d]", "float64[d]", "float64[n,d]")


@pytest.fixture
def graph() -> ComputationGraph:
    return sd.grad(network, argnums=(0, 1)).graph(*TYPES)


def parsed(dot: str) -> pygraphviz.AGraph:
    """What Graphviz reads; to be kept as long as parts of it are in use."""
    return pygraphviz.AGraph(string=dot)


def texts(svg: str) -> list[str]:
    """All texts that are shown."""
    root = ElementTree.fromstring(svg)
    return [element.text or "" for element in root.iter() if element.tag.endswith("}text")]


# --- what is drawn


def test_dot_has_a_box_for_each_value_that_tells_something(graph: ComputationGraph):
    drawn = parsed(graph.to_dot())
    boxes = set(drawn.nodes())
    assert {graph["w"].id, graph["b"].id, graph["x"].id, graph["loss"].id} <= boxes
    hidden = {node.id for node in graph if node.name == "_" or node.op in ("greater", None)}
    assert graph.named("_")[0].id not in boxes
    assert boxes <= {node.id for node in graph}
    assert hidden - boxes


def test_dot_has_an_arrow_for_each_use(graph: ComputationGraph):
    drawn = parsed(graph.to_dot())
    (square,) = graph["y"].users
    assert drawn.edges(nbunch=[graph["y"].id]).count((graph["y"].id, square.id)) == 2
    dashed = [edge for edge in drawn.edges() if edge.attr["style"] == "dashed"]
    (turn,) = dashed
    handed, end = turn
    assert graph.named("x")[1].id == handed
    assert graph.named("x")[2].id == end


def test_blocks_are_clusters_named_by_the_users_line(graph: ComputationGraph):
    drawn = parsed(graph.to_dot())
    clusters = drawn.subgraphs()
    labels = [html.unescape(str(cluster.graph_attr["label"])) for cluster in clusters]
    assert labels == ["for _ in range(4)", "if np.sum(x) > 0.0", "else (if np.sum(x) > 0.0)"]
    inside = [set(cluster.nodes()) for cluster in clusters]
    assert graph.named("y")[0].id in inside[1]
    assert graph.named("y")[1].id in inside[2]
    assert not inside[0] & inside[1]


def test_nested_blocks_are_nested_clusters():
    def f(x):
        y = x * 1.0
        for _ in range(3):
            while y > 1.0:
                y = y * 0.5
        return y

    drawn = parsed(sd.differentiable(f).graph("float").to_dot())
    (outer,) = drawn.subgraphs()
    titles = {html.unescape(str(inner.graph_attr["label"])) for inner in outer.subgraphs()}
    assert titles == {"while y > 1.0"}


def test_svg_shows_names_types_and_expressions(graph: ComputationGraph):
    found = texts(graph.to_svg())
    for text in ("w", "float64[d,d]", "x @ w", "loss", "np.mean(·)", "for _ in range(4)"):
        assert text in found


def test_svg_is_an_element_that_may_stand_in_a_page(graph: ComputationGraph):
    svg = graph.to_svg()
    assert svg.startswith("<svg ")
    assert svg.rstrip().endswith("</svg>")
    assert graph._repr_svg_() == svg
    assert f"{__file__.rpartition('/')[2]}" in svg  # where a pointer rests


def test_a_notebook_shows_the_drawing(graph: ComputationGraph):
    formatters = pytest.importorskip("IPython.core.formatters")
    shown, _ = formatters.DisplayFormatter().format(graph)
    assert shown["image/svg+xml"] == graph.to_svg()
    assert shown["text/plain"] == repr(graph)


@pytest.mark.parametrize("form", ["to_dot", "to_mermaid", "to_svg"])
@pytest.mark.parametrize("collapse", ["auto", "never", "line"])
def test_drawings_are_the_same_every_time(form: str, collapse: str):
    made = [getattr(sd.grad(network).graph(*TYPES), form)(collapse=collapse) for _ in range(2)]
    assert made[0] == made[1]


def test_mermaid_has_the_same_boxes_and_arrows(graph: ComputationGraph):
    text, drawn = graph.to_mermaid(), parsed(graph.to_dot())
    assert text.startswith("flowchart TD\n")
    boxes = re.findall(r'^ +(\w+)\("', text, re.MULTILINE)
    assert sorted(boxes) == sorted(drawn.nodes())
    arrows = re.findall(r"^ +(\w+) -(?:->|\. next turn \.->|\.->) (\w+)$", text, re.MULTILINE)
    assert len(arrows) == len(drawn.edges())
    assert text.count("subgraph ") == text.count("\n  end\n") == 3


def test_networkx_has_every_node(graph: ComputationGraph):
    made = graph.to_networkx()
    assert list(made) == [node.id for node in graph]
    assert made.nodes[graph["loss"].id]["op"] == "mean"
    assert made.nodes[graph["loss"].id]["is_root"]
    assert made.number_of_edges(graph["y"].id, graph["y"].users[0].id) == 2
    turns = [edge for edge in made.edges(data="kind") if edge[2] == "turn"]
    made.remove_edges_from([edge[:2] for edge in turns])
    assert networkx.is_directed_acyclic_graph(made)
    assert turns


# --- large graphs


def long(x):
    y = [x[0], x[1], x[2]]
    for k in range(260):
        z = np.sin(y[k % 3])
        y[k % 3] = z * y[(k + 1) % 3]
    return y[0] + y[1]


def test_a_graph_of_500_nodes_is_drawn_by_statements():
    graph = sd.differentiable(long).graph(np.ones(3))
    assert len(graph) > 500
    drawn = parsed(graph.to_dot())
    assert len(drawn.nodes()) == 5
    titles = " ".join(drawn.get_node(node).attr["label"] for node in drawn.nodes())
    for statement in ("z = np.sin(y[k % 3])", "y[k % 3] = z * y[(k + 1) % 3]"):
        assert f"<b>{statement}</b>" in titles
    assert len(parsed(graph.to_dot(collapse="never")).nodes()) > 500
    assert len(set(drawn.edges())) == len(drawn.edges())


def test_a_graph_of_500_statements_is_drawn_by_groups_of_them(tmp_path, monkeypatch):
    lines = ["def f(x):", "    v0 = x * 2.0", *(f"    v{k} = v{k - 1} * x" for k in range(1, 500))]
    (tmp_path / "many.py").write_text("\n".join([*lines, "    return v499", ""]))
    monkeypatch.syspath_prepend(tmp_path)
    import many

    graph = sd.differentiable(many.f).graph("float")
    drawn = parsed(graph.to_dot())
    assert 40 <= len(drawn.nodes()) <= 61
    first = html.unescape(drawn.get_node("s0").attr["label"])
    assert re.search(r"<b>lines 2 to 10</b>.*v0 = x \* 2.0.*….*v8 = v7 \* x", first)
    assert len(parsed(graph.to_dot(collapse="line")).nodes()) == 501
    chain = [edge for edge in drawn.edges() if edge[0].startswith("s")]
    assert len(chain) == len(drawn.nodes()) - 2


def test_the_layout_of_many_boxes_is_bounded(tmp_path, monkeypatch):
    """Laid out as well as can be, these boxes with their long arrows take twenty times as long."""
    steps = (f"    v{k} = np.sin(v{k - 1}) * 2.0 + x" for k in range(1, 60))
    lines = ["import numpy as np", "def f(x):", "    v0 = x * 2.0", *steps, "    return v59", ""]
    (tmp_path / "wide.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    import wide

    graph = sd.differentiable(wide.f).graph("float64")
    every = parsed(graph.to_dot(collapse="never"))
    assert len(every.nodes()) == len(graph) > 150
    assert every.graph_attr["nslimit"] == "1"
    assert graph.to_svg(collapse="never").count('class="node"') == len(graph)
    assert "nslimit" not in graph.to_dot()


def test_the_layout_of_a_tangle_is_bounded_by_its_arrows(tmp_path, monkeypatch):
    """Each statement reads three that stand anywhere before it: many arrows between few boxes."""
    steps = (
        f"    v{k} = np.sin(v{k * k // 5 % k}) * v{k * k // 7 % k} + v{k // 3}"
        for k in range(1, 120)
    )
    lines = ["import numpy as np", "def f(x):", "    v0 = x * 2.0", *steps]
    last = " + ".join(f"v{k}" for k in range(60, 120))
    (tmp_path / "tangled.py").write_text("\n".join([*lines, f"    return {last}", ""]))
    monkeypatch.syspath_prepend(tmp_path)
    import tangled

    graph = sd.differentiable(tangled.f).graph("float64")
    drawn, every = parsed(graph.to_dot()), parsed(graph.to_dot(collapse="never"))
    assert len(drawn.nodes()) <= 61
    assert len(drawn.edges()) > 160
    assert drawn.graph_attr["nslimit"] == "1"
    assert len(every.nodes()) > 400
    assert every.graph_attr["splines"] == "line"


def test_a_graph_that_is_too_large_is_text_in_a_notebook(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("symdiff.graphs.picture.MOST_SHOWN", 3)
    assert sd.grad(network).graph(*TYPES)._repr_svg_() is None


def test_a_statement_of_several_lines_is_one_box():
    def f(x):
        y = (
            x * 2.0
            + np.sin(x)
        )  # fmt: skip
        return y

    drawn = parsed(sd.differentiable(f).graph("float").to_dot(collapse="line"))
    assert [node for node in drawn.nodes() if node.startswith("s")] == ["s0"]
    assert "( x * 2.0 + np.sin(x) )" in drawn.get_node("s0").attr["label"]


def test_a_statement_of_a_file_that_changed_is_its_line(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("y = [\n    x,\n]\n")
    span = SourceSpan(str(path), 2, 5, 2, 6, "    x,")
    assert statement_at(span).text == "y = [ x, ]"
    changed = SourceSpan(str(path), 2, 5, 2, 6, "    x + 1,")
    assert (statement_at(changed).line, statement_at(changed).text) == (2, "x + 1,")
    gone = SourceSpan(str(tmp_path / "no.py"), 2, 5, 2, 6, "  a = 1")
    assert statement_at(gone).text == "a = 1"
    (tmp_path / "magic.py").write_text("%matplotlib\ny = 1\n")
    odd = SourceSpan(str(tmp_path / "magic.py"), 2, 1, 2, 2, "y = 1")
    assert statement_at(odd).text == "y = 1"


# --- notes


def test_notes_are_drawn_with_their_mark(graph: ComputationGraph):
    notes = {graph["loss"].id: (["value 0.3", "|gradient| nan"], "bad")}
    assert {"value 0.3", "|gradient| nan"} <= set(texts(graph.to_svg(notes=notes)))
    drawn = parsed(graph.to_dot(notes=notes))
    assert drawn.get_node(graph["loss"].id).attr["color"] == "#dc2626"
    assert f"\n  class {graph['loss'].id} bad\n" in graph.to_mermaid(notes=notes)


def test_the_worst_mark_stands_on_a_statement(graph: ComputationGraph):
    first, second = graph.root, graph.root.inputs[0]
    notes = {first.id: (["fine"], "good"), second.id: (["small"], "warning")}
    drawn = parsed(graph.to_dot(notes=notes, collapse="line"))
    (box,) = [node for node in drawn.nodes() if node.attr["color"] == "#d97706"]
    assert f"{first.label}: fine" in html.unescape(box.attr["label"])
    assert f"{second.label}: small" in html.unescape(box.attr["label"])


def test_of_many_notes_on_a_statement_the_worst_are_shown():
    graph = sd.differentiable(long).graph(np.ones(3))
    notes = {node.id: (["one", "two"], None) for node in graph}
    last = [node for node in graph if node.op == "multiply"][-1]
    notes[last.id] = (["nan"], "bad")
    drawn = parsed(graph.to_dot(notes=notes, collapse="line"))
    (box,) = [node for node in drawn.nodes() if node.attr["color"] == "#dc2626"]
    label = html.unescape(box.attr["label"])
    assert f"{last.label}: nan" in label
    assert "… and on 257 more" in label


def test_a_note_draws_a_node_that_would_not_be(graph: ComputationGraph):
    (hidden,) = (node for node in graph if node.op == "greater")
    assert hidden.id not in parsed(graph.to_dot()).nodes()
    assert hidden.id in parsed(graph.to_dot(notes={hidden.id: (["True"], None)})).nodes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"collapse": "all"}, "collapse is 'auto', 'never' or 'line', not 'all'"),
        ({"notes": {"n9999": ([], None)}}, "there is no node 'n9999' in the graph of network"),
        ({"notes": {"n0": ([], "awful")}}, "a mark is 'good', 'warning', 'bad' or None"),
    ],
)
def test_wrong_options_are_refused(graph: ComputationGraph, options, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        graph.to_dot(**options)


# --- what is not installed


@pytest.mark.parametrize(
    ("package", "form"), [("pygraphviz", "to_svg"), ("networkx", "to_networkx")]
)
def test_what_to_install_is_said(
    graph: ComputationGraph, monkeypatch: pytest.MonkeyPatch, package: str, form: str
):
    original = builtins.__import__

    def missing(name: str, *args, **kwargs):
        if name == package:
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ModuleNotFoundError, match=r"pip install *'symdiff\[draw\]'"):
        getattr(graph, form)()
    if package == "pygraphviz":
        assert graph._repr_svg_() is None
        assert graph.to_dot()
        assert graph.to_mermaid()


# --- hostile text

HOSTILE = [
    '"]; evil [label="x',
    "</svg><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\\N \\G \\L \\",
    'a" -> "b',
    "%%{init: {'theme': 'dark'}}%%",
    "--> n0\n  click n0 call alert()",
    "end",
    "`**bold**`",
    "&lt;b&gt; &#60; &amp;",
    "]]>",
    "<!-- -->",
    "--!>",
    "\x00\x07\x1b[31m",
    "line\nbreak\r\u2028\u2029\x85",
    "\u202eright to left",
    "{ } | < >",
    "#quot; #35;",
    "$$x^2$$",
    "<b>",
    "'\"`",
    "\ud800",
    "💥 Δ ﬁ",
    "//",
    "/* */",
    "",
]


def hostile(text: str) -> ComputationGraph:
    """A graph whose names, title, source lines and string constants are hostile."""

    def f(p):
        total = p[text] * 2.0
        words = "</svg> \" <script>alert('`')</script> \\N ]; evil [ %%{init}%%"
        return total * len(words)  # --> </svg> "]; evil

    f.__name__ = text
    return sd.differentiable(f).graph({text: 1.5})


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_break_out_of_nothing(text: str):
    graph = hostile(text)
    assert len(parsed(graph.to_dot()).nodes()) == len(parsed(hostile("k").to_dot()).nodes())
    notes = {node.id: ([text], "bad") for node in graph}
    for svg in (graph.to_svg(), graph.to_svg(notes=notes, collapse="line")):
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
        assert tags <= {"svg", "g", "title", "path", "polygon", "text", "a"}
        assert not re.search(r"<!--.*(init|evil|script|\*\*|click)", svg)
    assert text in graph.to_networkx().graph["name"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_labels_are_shown_as_they_are(text: str):
    dot = f"digraph {{ a [shape=box label=<{escaped(text)}> tooltip={tip(text)}] }}"
    svg = svg_of(dot)
    assert " ".join("".join(texts(svg)).split()) == " ".join(printable(text).split())
    tips = [html.unescape(found) for found in re.findall(r'xlink:title="([^"]*)"', svg)]
    assert [found.split() for found in tips] == [printable(text, keep="\n").split()] * bool(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_mermaid_labels_have_no_character_with_a_meaning(text: str):
    plain = re.sub(r"#\d+;", "", encoded(text))
    assert not set(plain) & set('"<>&#%`{}\\|;$*\n\r')
    numbers = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), encoded(text))
    assert numbers == (printable(text) or " ")


def test_hostile_mermaid_has_the_lines_of_a_harmless_one():
    harmless = hostile("k").to_mermaid().splitlines()
    for text in HOSTILE:
        lines = hostile(text).to_mermaid().splitlines()
        assert [line.split("(")[0] for line in lines] == [line.split("(")[0] for line in harmless]
