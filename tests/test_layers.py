"""The layers, held by reading import statements: imports point down, and heavy ones wait.

    api → {graphs, tracing, inspection, symbolic, exporting} → pipeline → {batch, patterns}
        → {parse, differentiate, optimise, emit, runtime} → buffers → ops → ir
        → source, errors, definitions

Modules of the lowest layer may import each other, all others only what stands below them and their
own package. The package's ``__init__`` is the explicit face of it and may import any part.

Files that import each other, in functions too, are listed here, each circle of them. An import in a
function is there for the sake of what it loads: what is loaded with its file anyway stands on top.
"""

import ast
import functools
import subprocess
import sys
from collections.abc import Container, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "symdiff"

LAYERS = (
    {"source", "errors", "version", "definitions", "dataclass"},
    {"ir"},
    {"ops"},
    {"buffers"},
    {"parse", "differentiate", "optimise", "emit", "runtime"},
    {"batch", "patterns"},
    {"pipeline"},
    {"graphs", "tracing", "inspection", "symbolic", "exporting"},
    {"api"},
)
HEIGHT = {part: height for height, layer in enumerate(LAYERS) for part in layer}
LOWEST = LAYERS[0]

# The files that import each other, at most two a circle. None is added.
CIRCLES: set[frozenset[str]] = set()

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


# Circles ------------------------------------------------------------------------------------------

Edges = dict[str, dict[str, list[tuple[int, bool]]]]  # importer, imported, lines; whether eager


@functools.cache
def module_edges(root: Path) -> Edges:
    """Which modules under ``root`` import which, on which lines, and whether that is eager.

    Imports for type checkers are none.
    """
    paths = {name_of(path, root): path for path in root.rglob("*.py")}
    edges: Edges = {name: {} for name in paths}
    for name, path in paths.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in [n for n in ast.walk(tree) if is_type_checking(n)]:
            node.body = []  # type: ignore[attr-defined]
        for statement, eager in import_statements(tree):
            for module in named_modules(statement, package.split("."), paths):
                edges[name].setdefault(module, []).append((statement.lineno, eager))
    return edges


def name_of(path: Path, root: Path) -> str:
    parts = ["symdiff", *path.relative_to(root).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def named_modules(
    statement: ast.Import | ast.ImportFrom, package: list[str], known: Container[str]
) -> set[str]:
    """The modules of the package that an import statement loads by name."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    else:
        base = absolute(statement, package)
        parts = [f"{base}.{alias.name}" for alias in statement.names]
        names = [part if part in known else base for part in parts]
    return {name for name in names if name in known}


def reached(start: str, edges: Edges, eager: bool) -> set[str]:
    """All modules that are imported from one, by eager imports alone or by all."""
    found: set[str] = set()
    pending = [start]
    while pending:
        for module, places in edges[pending.pop()].items():
            if module not in found and (not eager or any(now for _, now in places)):
                found.add(module)
                pending.append(module)
    return found


def circles(edges: Edges) -> set[frozenset[str]]:
    """The largest sets of modules of which each imports each other, directly or not."""
    reach = {module: reached(module, edges, eager=False) for module in edges}
    return {
        frozenset({module, *(other for other in reach[module] if module in reach[other])})
        for module in edges
        if module in reach[module]
    }


def needless(edges: Edges) -> list[str]:
    """One line for each import in a function of what is loaded before the function can run."""
    found = []
    for module, imported in edges.items():
        above = [".".join(module.split(".")[:k]) for k in range(1, module.count(".") + 2)]
        loaded = set().union(*(reached(one, edges, eager=True) for one in above if one in edges))
        for other, places in imported.items():
            late = [line for line, now in places if not now]
            if late and other in loaded:
                found.append(f"{module}:{late[0]}: imports {other} in a function")
    return found


def test_no_circle_of_imports_is_added():
    found = circles(module_edges(ROOT))
    assert all(len(circle) == 2 for circle in CIRCLES)
    assert found == CIRCLES, f"new {found - CIRCLES}, gone {CIRCLES - found}"


def test_imports_in_functions_spare_a_load():
    assert not needless(module_edges(ROOT)), "\n".join(needless(module_edges(ROOT)))


def test_a_circle_is_found(tmp_path: Path):
    files = {
        "__init__.py": "from symdiff.a import f",
        "a.py": "def f():\n    from symdiff import b",
        "b.py": "from .c import g",
        "c.py": "import symdiff.a",
        "d.py": "if TYPE_CHECKING:\n    from symdiff.e import h",
        "e.py": "from symdiff.d import h\ndef i():\n    from symdiff import d",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    edges = module_edges(tmp_path)
    assert circles(edges) == {frozenset({"symdiff.a", "symdiff.b", "symdiff.c"})}
    assert needless(edges) == ["symdiff.e:3: imports symdiff.d in a function"]


# Layers -------------------------------------------------------------------------------------------


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
