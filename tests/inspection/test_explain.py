"""``explain``: what is said is compared with what can be counted by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.counts import Count
from symdiff.ir.record import note, recording
from tests.inspection.test_page import HOSTILE, Lines

ROOT = Path(__file__).parents[2]


def loss(w, x, y, n):
    r = np.tanh(x @ w) - y
    scale = np.floor(w[0])
    unused = np.sin(w)  # noqa: F841
    return np.mean(r * r) + scale * n


def heat(u, k, steps):
    u = u.copy()
    for _ in range(steps):
        d = np.exp(u[1:-1])
        u[1:-1] += k * d
    return np.sum(u * u)


def line_of(function, text: str) -> int:
    import inspect

    lines, start = inspect.getsourcelines(function)
    return start + next(k for k, line in enumerate(lines) if text in line)


def explained(function, *types) -> dict:
    return sd.grad(function).explain(*types).as_dict()


def values_of(data: dict) -> dict:
    return {(value["name"], value["line"]): value for value in data["activity"][0]["values"]}


# Activity -----------------------------------------------------------------------------------------


def test_it_says_what_is_active_and_why_the_rest_is_not():
    found = values_of(explained(loss, "float64[d]", "float64[m,d]", "float64[m]", "int"))
    why = {name: (value["active"], value["why"]) for (name, _), value in found.items()}
    assert why["w"] == (True, "asked for")
    assert why["x"] == (False, "does not depend on what is asked for")
    assert why["n"] == (False, "int carries no derivative")
    assert why["r"] == (True, "depends on what is asked for, and reaches the result")
    assert why["scale"] == (False, "does not depend on what is asked for")  # floor is constant


def test_it_says_in_which_mode_and_by_what():
    (activity,) = explained(heat, "float64[n]", "float", "int")["activity"]
    assert (activity["mode"], activity["by"], activity["graph"]) == ("reverse", ["u"], "heat")
    derived = sd.differentiable(heat).jvp
    text = derived.explain(("float64[n]", "float", "int"), ("float64[n]", "float", None))
    assert text.as_dict()["activity"][0]["mode"] == "forward"
    second = sd.hessian(heat).explain("float64[n]", "float", "int").as_dict()["activity"]
    assert [entry["mode"] for entry in second] == ["reverse", "forward"]


# What is kept -------------------------------------------------------------------------------------


def test_it_says_what_is_saved_each_turn_and_for_which_lines():
    data = explained(heat, "float64[n]", "float", "int")
    kept = {value["name"]: value for value in data["saved"]}
    assert kept["d"]["each_turn"]
    assert kept["d"]["bytes"]["formula"] == "8*n*steps - 16*steps"
    assert kept["d"]["line"] == line_of(heat, "d = np.exp")
    assert set(kept["d"]["read_by"]) <= {
        line_of(heat, "d = np.exp"),
        line_of(heat, "u[1:-1] +="),
    }
    assert not kept["u"]["each_turn"]
    assert kept["u"]["read_by"] == [line_of(heat, "return")]
    assert "x" not in kept


def test_what_is_saved_is_as_large_as_it_says():
    """What the forward function hands over is counted in bytes, beside what is said of it."""
    function = sd.differentiable(heat)
    u = np.linspace(0.0, 1.0, 9)
    said = function.explain(u, 0.1, 4).as_dict()["saved"]
    _, saved = function.forward(u, 0.1, 4)
    bytes_handed_over = 0
    pending = list(saved.values)
    while pending:
        value = pending.pop()
        if isinstance(value, list | tuple):
            pending += value
        elif isinstance(value, np.ndarray):
            bytes_handed_over += value.nbytes
    assert sum(value["bytes"]["value"] for value in said) == bytes_handed_over > 0


def test_it_says_what_was_chosen_and_at_which_price():
    def model(x, n):
        total = 0.0
        for _ in range(n):
            x = np.sin(x * x)
            total = total + np.sum(x)
        return total

    choices = explained(model, "float64[m]", "int")["choices"]
    by_expression = {choice["expression"]: choice for choice in choices}
    cheap = by_expression["x * x"]
    assert cheap["how"] == "recomputed"
    assert cheap["price_of_computing"] < cheap["price_of_saving"]
    for choice in choices:
        assert choice["how"] in ("saved", "recomputed", "read again")
        assert choice["region"] == "loop"
        assert choice["region_line"] == line_of(model, "for _ in")
        assert choice["why"]


def test_contractions_are_never_computed_again():
    def model(x, A, n):
        for _ in range(n):
            x = np.tanh(A @ x)
        return np.sum(x)

    choices = explained(model, "float64[m]", "float64[m,m]", "int")["choices"]
    saved = [choice for choice in choices if choice["op"] in ("tanh", "matmul")]
    assert saved
    assert all(choice["how"] == "saved" for choice in saved)


# Rewrites -----------------------------------------------------------------------------------------


def test_rewrites_are_counted_by_name():
    def doubled(x):
        return np.sum(x * x)

    counts = explained(doubled, "float64[n]")["rewrites"]["doubled_grad"]
    assert counts["algebra.twice"] == 1  # x·g + x·g
    assert all(times > 0 for times in counts.values())
    assert list(counts.values()) == sorted(counts.values(), reverse=True)


def test_nothing_is_recorded_where_nobody_asks():
    with recording() as outer:
        note("simplified", line=1)
        with recording() as inner:
            note("simplified", line=2)
        note("simplified", line=3)
    note("simplified", line=4)
    assert outer.notes("simplified") == [{"line": 1}, {"line": 3}]
    assert inner.notes("simplified") == [{"line": 2}]


def test_simplifications_that_were_noted_are_shown(monkeypatch: pytest.MonkeyPatch):
    from symdiff import pipeline

    derive = pipeline.derive

    def noting(*args, **kwargs):
        note("simplified", line=7, before="sin(x)**2 + cos(x)**2", after="1", why="costs less")
        return derive(*args, **kwargs)

    monkeypatch.setattr(pipeline, "derive", noting)
    shown = sd.grad(heat).explain("float64[n]", "float", "int")
    assert shown.as_dict()["simplified"][0]["after"] == "1"
    assert "sin(x)**2 + cos(x)**2" in str(shown)


# Costs --------------------------------------------------------------------------------------------


def total_by_line(data: dict, part: str, what: str) -> dict[int, str]:
    return {line["line"]: line[part][what]["formula"] for line in data["lines"]}


def test_operations_and_bytes_are_counted_by_line():
    def product(A, B):
        C = A @ B
        return np.sum(np.exp(C))

    data = sd.value_and_grad(product).explain("float64[n,m]", "float64[m,k]").as_dict()
    primal = total_by_line(data, "primal", "operations")
    assert primal[line_of(product, "A @ B")] == "2*k*m*n"
    assert primal[line_of(product, "np.exp")] == "2*k*n"  # exp, and the sum
    derivative = total_by_line(data, "derivative", "operations")
    assert derivative[line_of(product, "A @ B")] == "2*k*m*n"  # A_bar alone is asked for
    moved = total_by_line(data, "primal", "bytes")
    assert moved[line_of(product, "A @ B")] == "8*k*m + 8*k*n + 8*m*n"
    assert moved[line_of(product, "np.exp")] == "24*k*n"  # read, written, read by the sum


def test_loops_count_their_turns_and_examples_give_numbers():
    data = explained(heat, "float64[n]", "float", "int")
    line = line_of(heat, "d = np.exp")
    assert total_by_line(data, "primal", "operations")[line] == "n*steps - 2*steps"
    known = explained(heat, np.ones(12), 0.1, 7)
    (entry,) = [entry for entry in known["lines"] if entry["line"] == line]
    assert entry["primal"]["operations"]["value"] == (12 - 2) * 7
    everything = sum(entry["primal"]["operations"]["value"] for entry in known["lines"])
    assert known["total"]["primal"]["operations"]["value"] == everything


def test_turns_that_nobody_knows_are_a_symbol():
    def root(x):
        y = 1.0
        while abs(y * y - x) > 1e-9:
            y = 0.5 * (y + x / y)
        return y

    operations = total_by_line(explained(root, "float"), "primal", "operations")
    line = line_of(root, "while")
    assert f"turns(line {line})" in operations[line_of(root, "y = 0.5")]


def test_counts_are_polynomials():
    n, m = Count.symbol("n"), Count.symbol("m")
    assert str(n * m + m * n) == "2*m*n"
    assert str(n + n * -1) == "0"
    assert str((n + 1) * (n + -1)) == "n**2 - 1"
    assert str(Count.number(0)) == "0"
    assert (n * m + 3).value({"n": 4, "m": 5}) == 23
    assert (n * m).value({"n": 4}) is None
    assert str(Count.symbol("x.0") * Count.symbol("%7")) == "?*x.shape[0]"


# Shown --------------------------------------------------------------------------------------------


def test_text_html_and_json_say_the_same():
    shown = sd.grad(heat).explain("float64[n]", "float", "int")
    text, page = str(shown), shown._repr_html_()
    for cell in ("8*n*steps - 16*steps", "np.exp(u[1:-1])", "heat_grad", "asked for"):
        assert cell in text
        assert cell in page
    assert json.loads(shown.as_json()) == shown.as_dict()
    assert repr(shown) == text
    tags = Lines(page).tags
    assert "script" not in tags
    shown.as_dict()["saved"].clear()
    assert shown.as_dict()["saved"], "as_dict gives a copy"


def test_of_a_function_itself_both_halves_are_explained():
    data = sd.differentiable(heat).explain("float64[n]", "float", "int").as_dict()
    assert data["name"] == "heat"
    assert {"heat", "heat_backward"} <= set(data["rewrites"])
    assert any(choice["region"] == "whole" for choice in data["choices"])
    assert data["total"]["derivative"]["operations"]["formula"] != "0"
    assert "turns(" not in json.dumps(data["lines"])  # the backward loop's turns are the forward's


def test_explaining_runs_nothing():
    called = []

    def counted(x):
        called.append(x)
        return np.sum(x * x)

    sd.grad(counted).explain(np.ones(3))
    assert called == []


def test_the_account_is_the_same_under_every_hash_seed():
    program = (
        "from tests.inspection.test_explain import *\n"
        "print(sd.grad(heat).explain('float64[n]', 'float', 'int').as_json())\n"
        "print(sd.hessian(loss).explain('float64[d]', 'float64[m,d]', 'float64[m]', 'int'))"
    )
    texts = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program]
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        texts.add(run.stdout)
    assert len(texts) == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str):
    from symdiff.inspection.sections import as_html

    value = {"name": text, "expression": text, "op": text, "type": text, "file": text, "line": 1}
    cost = {what: {"formula": text, "value": None} for what in ("operations", "bytes")}
    data = {
        "name": text,
        "signature": text,
        "activity": [
            {"graph": text, "mode": text, "by": [text],
             "values": [{**value, "active": True, "why": text}]}
        ],
        "saved": [], "choices": [], "rewrites": {text: {text: 1}}, "simplified": [{text: text}],
        "looped": [{"line": 1, "what": text}], "refused": [{"at": text, "what": text}],
        "lines": [{"file": text, "line": 1, "source": text, "primal": cost, "derivative": cost}],
        "total": {"primal": cost, "derivative": cost},
    }  # fmt: skip
    tags = Lines(as_html(data)).tags
    assert set(tags) <= {"div", "code", "details", "summary", "table", "thead", "tbody", "tr", "th",
                         "td", "p"}  # fmt: skip
    assert set().union(*tags.values()) <= {"style", "open"}
