"""Names of ops that code tells ops apart by are names of ops: one that is misspelt, or whose op is
gone, would be missed in silence.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import symdiff
from symdiff.ir.graph import Op
from symdiff.ops.declare import REGISTRY
from symdiff.ops.table import import_all

_ROOT = Path(symdiff.__file__).parent


def _known() -> set[str]:
    """The names of all ops, also of those that one stage makes for itself."""
    import_all()
    known = set(REGISTRY)
    for module in pkgutil.walk_packages(symdiff.__path__, "symdiff."):
        if not module.name.endswith("__main__") and "standalone" not in module.name:
            found = vars(importlib.import_module(module.name)).values()
            known |= {value.name for value in found if isinstance(value, Op)}
    return known


def _is_name_of_op(tree: ast.expr) -> bool:
    """Whether an expression is ``node.op.name``, ``op.name`` or ``operation.name``."""
    if not isinstance(tree, ast.Attribute) or tree.attr != "name":
        return False
    owner = tree.value
    return getattr(owner, "attr", getattr(owner, "id", None)) in ("op", "operation")


def _texts(tree: ast.expr, tables: dict[str, ast.expr]) -> Iterator[str]:
    """The strings that an expression is, or that are keys or items of a table it names."""
    if isinstance(tree, ast.Constant):
        yield from [tree.value] if isinstance(tree.value, str) else []
    elif isinstance(tree, ast.Name):
        yield from _texts(tables[tree.id], tables) if tree.id in tables else ()
    elif isinstance(tree, ast.Dict):
        yield from (text for key in tree.keys if key for text in _texts(key, tables))
    elif isinstance(tree, ast.Tuple | ast.Set | ast.List | ast.BinOp | ast.Call):
        for part in ast.iter_child_nodes(tree):
            yield from _texts(part, tables) if isinstance(part, ast.expr) else ()


def _asked(path: Path) -> Iterator[tuple[int, str]]:
    """The names that a module compares names of ops with, or looks them up among."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    tables = {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
        for target in getattr(statement, "targets", [getattr(statement, "target", None)])
        if isinstance(target, ast.Name)
    }
    for tree in ast.walk(module):
        compared: list[ast.expr] = []
        if isinstance(tree, ast.Compare) and _is_name_of_op(tree.left):
            compared = tree.comparators
        elif isinstance(tree, ast.Subscript) and _is_name_of_op(tree.slice):
            compared = [tree.value]
        elif isinstance(tree, ast.Call) and tree.args and _is_name_of_op(tree.args[0]):
            compared = [tree.func.value] if isinstance(tree.func, ast.Attribute) else []
        for part in compared:
            yield from ((tree.lineno, text) for text in _texts(part, tables))


def test_names_that_ops_are_told_apart_by_are_names_of_ops() -> None:
    known = _known()
    asked = [
        (path.relative_to(_ROOT), line, name)
        for path in sorted(_ROOT.rglob("*.py"))
        for line, name in _asked(path)
    ]
    assert len(asked) > 100
    assert [entry for entry in asked if entry[2] not in known] == []
