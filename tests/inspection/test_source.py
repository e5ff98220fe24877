"""Generated source in colour: plain where it is data, coloured where somebody looks at it."""

import io
import os
import pickle
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symdiff as sd
from symdiff.inspection.colours import in_html, in_terminal, wants_colour
from symdiff.inspection.source import Source

ROOT = Path(__file__).parents[2]
ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def loss(w, x):
    r = np.tanh(x @ w)
    return np.sum(r * r)


def source() -> Source:
    return sd.grad(loss).source("float64[d]", "float64[n,d]")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def test_source_is_a_plain_str(tmp_path: Path):
    text = source()
    assert isinstance(text, str)
    assert text == "".join(list(text))
    assert f"{text}" == str(text) == text + ""
    assert "\x1b" not in str(text)
    (tmp_path / "kept.py").write_text(text)
    assert (tmp_path / "kept.py").read_text() == text
    assert pickle.loads(pickle.dumps(text)) == text
    assert {text: 1}[str(text)] == 1
    compile(text, "generated", "exec")


def test_show_is_coloured_in_a_terminal_and_says_the_same(terminal: Terminal):
    text = source()
    text.show(terminal)
    shown = terminal.getvalue()
    assert "\x1b[" in shown
    assert ESCAPE.sub("", shown) == text


def test_show_is_plain_in_files_and_pipes(capsys: pytest.CaptureFixture[str]):
    text = source()
    text.show()
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("settings", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_the_environment_decides(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], coloured: bool
):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(terminal) is coloured
    plain = io.StringIO()
    assert not wants_colour(plain)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert wants_colour(plain)


def test_a_real_terminal_gets_colour(tmp_path: Path):
    """The program of a user, started with a pseudo-terminal as its output."""
    path = tmp_path / "model.py"
    path.write_text(
        "import numpy as np\nimport symdiff as sd\n"
        "def loss(x):\n    return np.sum(x * x)\n"
        "sd.grad(loss).source('float64[n]').show()\n"
    )
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    environment = {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    parent, child = pty.openpty()
    subprocess.run([sys.executable, path], env=environment, stdout=child, check=True)
    os.close(child)
    seen = b""
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(parent)
    shown = seen.decode().replace("\r\n", "\n")
    assert "\x1b[" in shown
    piped = subprocess.run([sys.executable, path], env=environment, stdout=subprocess.PIPE)
    assert ESCAPE.sub("", shown) == piped.stdout.decode()


def test_rich_shows_the_same_text():
    console = pytest.importorskip("rich.console")
    stream = io.StringIO()
    shown = console.Console(file=stream, force_terminal=True, width=200, no_color=False)
    text = source()
    shown.print(text)
    assert "\x1b[" in stream.getvalue()
    plain = "\n".join(line.rstrip() for line in ESCAPE.sub("", stream.getvalue()).splitlines())
    assert plain.strip() == text.strip()


def test_without_pygments_all_is_shown_plain(monkeypatch: pytest.MonkeyPatch, terminal: Terminal):
    monkeypatch.setitem(sys.modules, "pygments", None)
    text = source()
    text.show(terminal)
    assert terminal.getvalue() == text
    assert in_html(["a < b"]) == ["a &lt; b"]
    assert "np.tanh" in text._repr_html_()


@pytest.mark.parametrize("text", ["", "x", "x\n", "\n\nx = 1\n\n", "'''a\n\nb'''\n", "é = '↑'\n"])
def test_colour_keeps_the_text(text: str):
    assert ESCAPE.sub("", in_terminal(text)).rstrip("\n") == text.rstrip("\n")
    lines = text.split("\n")
    shown = [re.sub(r"<[^>]*>", "", line) for line in in_html(lines)]
    assert [line.replace("&#39;", "'").replace("&quot;", '"') for line in shown] == lines
