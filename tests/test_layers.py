"""The layers, held by reading import statements: imports point down, and heavy ones wait.

    api → {graphs, tracing, inspection, symbolic, exporting} → pipeline
        → {parse, differentiate, optimise, emit, runtime} → ops → ir → source, errors, definitions

Modules of the lowest layer may import each other, all others only what stands below them and their
own package. The package's ``__init__`` is the explicit face of it and may import any part.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "symdiff"

LAYERS = (
    {"source", "errors", "version", "definitions"},
    {"ir"},
    {"ops"},
    {"parse", "differentiate", "optimise", "emit", "runtime"},
    {"pipeline"},
    {"graphs", "tracing", "inspection", "symbolic", "exporting"},
    {"api"},
)
HEIGHT = {part: height for height, layer in enumerate(LAYERS) for part in layer}
LOWEST = LAYERS[0]

# What a module may import when it is itself imported; everything else waits for its use.
EAGER = sys.stdlib_module_names | {"numpy", "symdiff"}


def part_of(module: str) -> str:
    """The part of symdiff that a dotted module name belongs to; '' for the package itself."""
    return [*module.split("."), ""][1]


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def import_statements(
    node: ast.AST, eager: bool = True
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import statement, with whether it is carried out when the module is imported."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, eager
        waits = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or is_type_checking(child)
        yield from import_statements(child, eager and not waits)


def absolute(statement: ast.ImportFrom, package: list[str]) -> str:
    """The dotted name after ``from``, with leading dots resolved against ``package``."""
    above = package[: len(package) - statement.level + 1] if statement.level else []
    return ".".join([*above, *([statement.module] if statement.module else [])])


def imported_modules(statement: ast.Import | ast.ImportFrom, package: list[str]) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    module = absolute(statement, package)
    if module == "symdiff":
        return [f"symdiff.{alias.name}" for alias in statement.names]
    return [module]


def complaint(importer: str, module: str, eager: bool) -> str | None:
    """What is wrong with ``importer``, a part of symdiff, importing ``module``; None if nothing."""
    if module.split(".")[0] != "symdiff":
        allowed = EAGER | ({"astor"} if importer == "emit" else set())
        waits = not eager or module.split(".")[0] in allowed
        return None if waits else f"imports {module} outside a function"
    part = part_of(module)
    if importer == "" or part == importer or {importer, part} <= LOWEST:
        return None
    if part not in HEIGHT:
        return f"imports {module}, which stands in no layer"
    if HEIGHT[part] >= HEIGHT[importer]:
        return f"imports {module}, which does not stand below it"
    return None


def violations(root: Path) -> list[str]:
    """One line for each import under ``root`` that breaks the order."""
    found = []
    for path in sorted(root.rglob("*.py")):
        names = ["symdiff", *path.relative_to(root).with_suffix("").parts]
        importer = "" if names[1] == "__init__" else names[1]
        if importer and importer not in HEIGHT:
            found.append(f"{path.relative_to(root)}: stands in no layer")
            continue
        for statement, eager in import_statements(ast.parse(path.read_text(encoding="utf-8"))):
            for module in imported_modules(statement, names[:-1]):
                wrong = complaint(importer, module, eager)
                if wrong:
                    found.append(f"{path.relative_to(root)}:{statement.lineno}: {wrong}")
    return found


def test_imports_point_down_and_optional_packages_wait():
    assert list(ROOT.rglob("*.py"))
    assert not violations(ROOT), "\n".join(violations(ROOT))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("ir/graph.py", "from symdiff.ops import declare", "does not stand below"),
        ("ir/graph.py", "from ..ops.declare import elementwise", "does not stand below"),
        ("ir/graph.py", "def f():\n    from symdiff import ops", "does not stand below"),
        ("emit/names.py", "import symdiff.parse.scope", "does not stand below"),
        ("parse/calls.py", "from ..pipeline import compile", "does not stand below"),
        ("parse/calls.py", "import symdiff", "stands in no layer"),
        ("ops/linalg.py", "import scipy.linalg", "outside a function"),
        ("ops/linalg.py", "class A:\n    try:\n        import jax\n    except E: pass", "outside"),
        ("parse/calls.py", "import astor", "outside a function"),
        ("__init__.py", "import sympy", "outside a function"),
        ("utilities.py", "", "stands in no layer"),
    ],
)
def test_a_wrong_import_is_found(tmp_path: Path, path: str, text: str, expected: str):
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    (line,) = violations(tmp_path)
    assert line.startswith(path)
    assert expected in line


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("__init__.py", "from symdiff.api import grad\nfrom .errors import SymdiffError"),
        ("api.py", "from symdiff import pipeline\nfrom symdiff.ir.graph import Graph"),
        ("errors.py", "from symdiff.source import Span"),
        ("ops/linalg.py", "def f():\n    import scipy.linalg"),
        ("ops/linalg.py", "from .declare import linear\nfrom ..ir import graph"),
        ("optimise/islands.py", "if TYPE_CHECKING:\n    import sympy"),
        ("emit/python.py", "import astor.code_gen"),
    ],
)
def test_a_right_import_is_let_be(tmp_path: Path, path: str, text: str):
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert violations(tmp_path) == []


def test_importing_symdiff_loads_no_heavy_package():
    heavy = ["IPython", "autograd", "jax", "mpmath", "networkx", "pygraphviz", "pytest"]
    heavy += ["scipy", "sympy", "torch"]
    program = f"import sys, symdiff; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "[]\n", run.stdout + run.stderr


def test_importing_symdiff_warns_of_nothing():
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import symdiff"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
