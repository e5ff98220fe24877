"""HTML of source side by side: read by a parser, lit by a browser where one is installed."""

import html.parser
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import symdiff as sd
from symdiff.inspection.page import side_by_side
from symdiff.source import SourceSpan

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def scaled(x):
    return 3.0 * np.tanh(x)


def loss(w, x):
    r = scaled(x @ w)
    return np.sum(r * r)


class Lines(html.parser.HTMLParser):
    """The lines of a page: their classes and numbers, and their text; all tags that occur."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines: list[tuple[str, int, list[str]]] = []
        self.tags: dict[str, set[str]] = {}
        self.depth = 0
        self.feed(page)
        self.close()
        assert self.depth == 0

    def handle_starttag(self, tag, attrs):
        self.depth += 1
        known = dict(attrs)
        self.tags.setdefault(tag, set()).update(known)
        if tag == "span" and known.get("class", "").split()[:1] == ["line"]:
            self.lines.append((known["class"], int(known["data-line"]), []))

    def handle_endtag(self, tag):
        self.depth -= 1

    def handle_data(self, data):
        if self.lines and self.depth:
            self.lines[-1][2].append(data)

    def texts(self) -> list[str]:
        return ["".join(parts).split("\n")[0] for _, _, parts in self.lines]


def page() -> tuple[str, str]:
    source = sd.grad(loss).source("float64[d]", "float64[n,d]")
    return source, source._repr_html_()


def test_both_texts_are_there_line_by_line():
    source, shown = page()
    texts = Lines(shown).texts()
    start = texts.index("def loss(w, x):")
    assert texts[start : start + 3] == [
        "def loss(w, x):",
        "    r = scaled(x @ w)",
        "    return np.sum(r * r)",
    ]
    assert "    return 3.0 * np.tanh(x)" in texts  # the function that it calls
    assert texts[-len(source.splitlines()) :] == source.splitlines()


def test_lines_that_belong_together_have_a_class_in_common():
    _, shown = page()
    lines = Lines(shown)
    by_text = dict(zip(lines.texts(), lines.lines, strict=True))
    users = by_text["    r = scaled(x @ w)"][0].split()[1]
    adjoint = next(k for k, t in enumerate(lines.texts()) if t.startswith("    return x.T @"))
    assert lines.lines[adjoint][0].split()[1] == users
    assert f":has(.{users}:hover) .{users}" in shown


def test_nothing_is_loaded_and_nothing_runs():
    _, shown = page()
    tags = Lines(shown).tags
    assert set(tags) <= {"div", "style", "pre", "span"}
    attributes = set().union(*tags.values())
    assert attributes <= {"class", "data-line", "title"}
    assert "url(" not in shown
    assert "@import" not in shown
    assert "http" not in shown


def test_the_same_source_gives_the_same_page():
    assert page()[1] == page()[1]


HOSTILE = [
    "<script>alert(1)</script>",
    "</pre></span></div><img src=x onerror=alert(1)>",
    "'\"><svg onload=alert(1)>",
    "&lt;b&gt;",
    "</style><script>alert(1)</script>",
    "<!-- ",
    "]]>",
    "a\x00b\x0c\x1b[31m",
    "\u202e\u2066 right to left",
    "<" * 500,
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("place", ["text", "file", "line"])
def test_hostile_text_is_text(text: str, place: str):
    code = f"x = {text!r}  # {text if text.isprintable() else ''}\ny = '{text}'\n"
    code = code.replace("\x00", "")
    file = f"/tmp/{text}/{text}.py" if place == "file" else "model.py"
    line = text if place == "line" else "    y = x"
    span = SourceSpan(file, 3, 1, 3, 2, line)
    shown = side_by_side(code if place == "text" else "y = x\n", {1: span}, None)
    lines = Lines(shown)
    assert set(lines.tags) <= {"div", "style", "pre", "span"}
    assert not any(name.startswith("on") for names in lines.tags.values() for name in names)
    assert "<script" not in shown
    assert "<img" not in shown


def test_a_function_without_source_has_its_generated_text_alone():
    texts = Lines(sd.grad(np.sin).source("float")._repr_html_()).texts()
    assert texts[0].startswith("def sin_grad(")


def test_a_line_of_a_file_that_has_changed_is_shown_as_it_was(tmp_path: Path):
    path = tmp_path / "model.py"
    path.write_text("import numpy as np\ndef f(x):\n    return np.sin(x)\n")
    names: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    source = sd.grad(names["f"]).source("float")
    path.write_text("# other\n# text\n# now\n")
    texts = Lines(source._repr_html_()).texts()
    assert "    return np.sin(x)" in texts
    assert "# now" not in texts


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_pointing_at_a_line_lights_those_that_belong_to_it_in_a_browser(tmp_path: Path):
    """``:hover`` stands as a class that a script of the test sets, as a pointer would."""
    _, shown = page()
    pointed = shown.replace(":hover", ".pointed")
    number = next(k for k, t in enumerate(Lines(shown).texts()) if t == "    r = scaled(x @ w)")
    script = f"""<script>
      const lines = [...document.querySelectorAll('.line')];
      const lit = () => lines.map((line) => getComputedStyle(line).outlineStyle !== 'none');
      const before = lit();
      lines[{number}].classList.add('pointed');
      document.title = JSON.stringify([before, lit()]);
    </script>"""
    (tmp_path / "page.html").write_text(f"<!doctype html><body>{pointed}{script}</body>")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom", f"file://{tmp_path / 'page.html'}",
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r"<title>\[(\[.*?\]),(\[.*?\])\]</title>", run.stdout)
    assert found, run.stdout[-2000:] + run.stderr[-2000:]
    before, after = (part.strip("[]").split(",") for part in found.groups())
    assert "true" not in before
    texts = Lines(shown).texts()
    lit = [text.strip() for text, on in zip(texts, after, strict=True) if on == "true"]
    assert lit[0] == "r = scaled(x @ w)"
    assert "# line" in " ".join(lit)
    assert any(text.startswith("w_bar =") for text in lit)
    assert not any(text.startswith("return np.sum") for text in lit)
