"""``examples/look.ipynb`` in a real kernel: it runs, and shows what a reader expects to see."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.inspection.test_page import BROWSER, Lines
from tests.inspection.test_source import ESCAPE

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "look.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory):
    """The notebook after a run of all cells, in a folder of its own."""
    folder = tmp_path_factory.mktemp("notebook")
    shutil.copy(NOTEBOOK, folder)
    with pytest.MonkeyPatch.context() as patch:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        patch.setenv("PYTHONPATH", path)
        patch.setenv("SYMDIFF_VERIFY", "")
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        notebook = nbformat.read(folder / NOTEBOOK.name, as_version=4)
        client = nbclient.NotebookClient(
            notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute()
    return notebook


def outputs_of(notebook, start: str) -> list:
    """The outputs of the cell whose text begins so."""
    (cell,) = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.startswith(start)
    ]
    return cell.outputs


def shown(notebook, start: str, kind: str) -> str:
    """What a cell shows, in one of the forms that it offers."""
    (output,) = [o for o in outputs_of(notebook, start) if kind in o.get("data", {})]
    return output["data"][kind]


def printed(notebook, start: str) -> str:
    return "".join(o["text"] for o in outputs_of(notebook, start) if o.output_type == "stream")


def test_the_notebook_is_kept_without_outputs():
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        assert cell.cell_type != "code" or (cell.outputs == [] and cell.execution_count is None)


def test_no_cell_fails_or_warns(executed):
    for cell in executed.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output


def test_a_derivative_is_shown_beside_the_functions_it_came_from(executed):
    (cell,) = [cell for cell in executed.cells if cell.source == "misfit.grad"]
    (output,) = cell.outputs
    texts = Lines(output["data"]["text/html"]).texts()
    assert "def misfit(u, rate, steps, target):" in texts
    assert "    flux = np.tanh(u[1:] - u[:-1])" in texts  # followed into the function that it calls
    assert "def misfit_grad(u, rate, steps, target):" in texts


def test_source_is_html_and_plain_text(executed):
    page = shown(executed, "source = misfit.source", "text/html")
    plain = shown(executed, "source = misfit.source", "text/plain")
    assert plain.startswith("def misfit_forward(")
    assert any(text.startswith("def misfit_backward(") for text in Lines(page).texts())
    in_colour = printed(executed, "source.show()")  # kernels say FORCE_COLOR: notebooks show it
    assert ESCAPE.sub("", in_colour).rstrip("\n") == plain


def test_the_account_is_html_and_text(executed):
    page = shown(executed, "explained =", "text/html")
    assert "what the derivative reads of the function" in page
    assert "what the derivative reads of the function" in shown(
        executed, "explained =", "text/plain"
    )
    assert "n*steps" in shown(executed, "account =", "text/plain")


def test_a_function_of_numbers_shows_its_formula(executed):
    page = shown(executed, "def response", "text/html")
    assert page.startswith('<math display="block">')
    assert "<mi>response_grad</mi>" in page
    latex = shown(executed, "def response", "text/latex")
    assert latex.startswith(r"$\displaystyle \operatorname{response\_grad}(x, k) = ")
    assert r"e^{- k x}" in latex
    assert latex == printed(executed, "def response").strip()


def test_the_graph_is_drawn(executed):
    assert "<svg" in shown(executed, "misfit.graph", "image/svg+xml")


def test_rules_are_shown(executed):
    page = shown(executed, 'sd.rules("tanh"', "text/html")
    assert "y = np.linalg.solve(A, B)" in re.sub(r"<[^>]*>", "", page)
    assert "'X': 'g @ Y.T'" in shown(executed, "(record,)", "text/plain")


def test_an_error_shows_the_generated_line_and_the_cells(executed):
    text = printed(executed, "import os")
    generated, user = text.index("in misfit_grad"), text.index("in misfit\n")
    assert generated < user
    assert "r = u - target" in text[user:]


def test_files_are_dumped(executed):
    text = printed(executed, "with tempfile")
    assert text.startswith("response_hessian-")
    assert "def response_hessian(x, k):" in text


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_browser_shows_what_the_notebook_shows(executed, tmp_path: Path):
    """All HTML of the notebook on one page: it is drawn, and the browser complains of nothing."""
    pages = [
        output["data"]["text/html"]
        for cell in executed.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert len(pages) >= 5
    path, picture = tmp_path / "page.html", tmp_path / "page.png"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{'<hr>'.join(pages)}</body>")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}",
        "--window-size=1200,4000", "--enable-logging=stderr", f"--screenshot={picture}",
        f"file://{path}",
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert picture.stat().st_size > 50_000, run.stderr[-2000:]
    assert "CONSOLE" not in run.stderr
