"""Private names as Python compiles them: ``self.__a`` in a class ``C`` is ``self._C__a``.

A tree enters and is changed; afterwards every name in it is the one that runs.

>>> tree = ast.parse("class C:\\n    def get(self):\\n        return self.__a + __b")
>>> spell_out_private_names(tree)
>>> ast.unparse(tree.body[0].body[0].body)
'return self._C__a + _C__b'
"""

from __future__ import annotations

import ast
import re

_FIELDS: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.alias: "asname",
}


_PRIVATE = re.compile(r"(?<!\w)__(?!\w*__(?!\w))\w")


def may_have_private_names(text: str) -> bool:
    """Return whether a text has a word that is a private name, in a class; outside ASCII Python
    reads letters as others.

    >>> may_have_private_names("self.__a"), may_have_private_names("self.__init__, a__b")
    (True, False)
    """
    return not text.isascii() or _PRIVATE.search(text) is not None


def spell_out_private_names(tree: ast.AST) -> None:
    """Give every private name in a class its full form, in place."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, owner = pending.pop()
        inner = node.name.lstrip("_") if isinstance(node, ast.ClassDef) else owner
        if owner:
            _spell_out(node, owner)
        inside = set(map(id, node.body)) if isinstance(node, ast.ClassDef) else set()
        for child in ast.iter_child_nodes(node):
            pending.append((child, inner if id(child) in inside else owner))


def _spell_out(node: ast.AST, owner: str) -> None:
    if isinstance(node, ast.Global | ast.Nonlocal):
        node.names = [_full(name, owner) for name in node.names]
        return
    field = _FIELDS.get(type(node))
    name = getattr(node, field, None) if field else None
    if field and name:
        setattr(node, field, _full(name, owner))


def _full(name: str, owner: str) -> str:
    private = name.startswith("__") and not name.endswith("__")
    return f"_{owner}{name}" if private else name
