"""A computation graph as text: the user's lines, below each what it computes."""

from __future__ import annotations

import numpy as np

import symdiff as sd


def shown(function, *types) -> list[str]:
    """The text without its first line, numbers of lines counted from the function's own."""
    first = function.__code__.co_firstlineno
    found = []
    for line in str(sd.differentiable(function).graph(*types)).splitlines():
        number, bar, rest = line.partition(" | ")
        place = f"{int(number) - first:>4}" if bar else ""
        found.append(f"{place}{bar}{rest}" if bar else line)
    return found


def straight(w, x):
    r = np.subtract(
        np.tanh(x @ w),  # in two lines
        1.0,
    )
    return np.sum(r * r)


def test_straight_code():
    assert shown(straight, "float64[d]", "float64[n,d]") == [
        "graph of straight:",
        "      w: float64[d]                 requires_grad",
        "      x: float64[n,d]               requires_grad",
        "   1 | r = np.subtract( np.tanh(x @ w), 1.0, )",
        "      %2: float64[n] = x @ w        MatmulBackward0",
        "      %3: float64[n] = np.tanh(%2)  TanhBackward0",
        "      r: float64[n] = %3 - 1.0      SubtractBackward0",
        "   5 | return np.sum(r * r)",
        "      %5: float64[n] = r * r        MultiplyBackward0",
        "      %6: float64 = np.sum(%5)      SumBackward0",
        "      returns %6",
    ]


def nested(x, n):
    y = x * 1.0
    for k in range(n):
        if y[0] > 0.0:
            y[0] = np.sin(y[0])
        else:
            y = y * k
    return y


def test_blocks_are_indented():
    text = str(sd.differentiable(nested).graph("float64[m]", "int"))
    turn = text.index("\n      each turn\n")
    true = text.index("\n          if true\n")
    other = text.index("\n          else\n")
    end = text.index("\n      afterwards\n")
    assert turn < true < text.index("with [0] = ") < other < text.index(" * k") < end
    assert text.splitlines()[-1] == "      returns y₇"


def test_what_comes_from_another_file_names_it(tmp_path, monkeypatch):
    (tmp_path / "elsewhere.py").write_text("def double(x):\n    return x * 2.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    import elsewhere

    def f(x):
        return elsewhere.double(x) + 1.0

    text = str(sd.differentiable(f).graph("float"))
    assert "elsewhere.py:2 | return x * 2.0" in text


def test_nothing_returned():
    def f(x):
        return 1.0

    text = str(sd.differentiable(f).graph("float"))
    assert text.splitlines()[-1].strip() == "returns nothing that it computes"


def test_a_short_form_counts():
    graph = sd.differentiable(straight).graph("float64[d]", "float64[n,d]")
    assert repr(graph) == "<graph of straight: 7 nodes, 2 leaves>"
    assert repr(graph["r"]) == "<r: float64[n] = · - 1.0, requires_grad>"
