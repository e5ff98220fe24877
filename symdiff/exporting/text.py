"""Text that stands in a module whatever it says: docstrings, names, and the parts of a module.

>>> docstring('a "quoted" path C:\\\\new')
'\"\"\"a "quoted" path C:\\\\\\\\new\"\"\"'
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Sequence
from types import ModuleType

from symdiff.emit.namespace import identifier

_WIDTH = 100
_NEW = re.compile(r"[^\n]")

# Names and the statements that import them, in the order in which they stand.
IMPORTS = {
    "cmath": "import cmath",
    "math": "import math",
    "dataclass": "from dataclasses import dataclass",
    "Path": "from pathlib import Path",
    "Any": "from typing import {typing}",
    "NamedTuple": "from typing import {typing}",
    "np": "import numpy as np",
    "NDArray": "from numpy.typing import NDArray",
}
_FROM_TYPING = ("Any", "NamedTuple")


def imports_for(used: set[str], future: bool = True) -> str:
    """The import statements for the names that a module reads."""
    typing = ", ".join(name for name in _FROM_TYPING if name in used)
    lines = [line.format(typing=typing) for name, line in IMPORTS.items() if name in used]
    standard = [line for line in dict.fromkeys(lines) if "numpy" not in line]
    others = [line for line in dict.fromkeys(lines) if "numpy" in line]
    blocks = [["from __future__ import annotations"] if future else [], standard, others]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def docstring(text: str, indent: str = "") -> str:
    """The literal of a text between triple quotes; what is invisible in it is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    escaped = _NEW.sub(lambda found: _visible(found[0]), escaped)
    if escaped.endswith('"'):
        escaped = f'{escaped[:-1]}\\"'
    lines = [line.rstrip() for line in escaped.split("\n")]
    return '"""' + f"\n{indent}".join(lines).replace(f"\n{indent}\n", "\n\n") + '"""'


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return ascii(character)[1:-1]


def one_line(text: str) -> str:
    """A text without what would end the line, or show it in another order."""
    return "".join(map(_visible, text.replace("\n", " ")))


def public_name(text: str) -> str:
    """A text as the name of a function of the module."""
    name = identifier(text, "function")
    return name if name.isascii() or name.isidentifier() else "function"


def definition_line(name: str, parameters: Sequence[str], result: str) -> str:
    """``def name(x: float) -> float:``, a parameter a line where that is long."""
    line = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(line) <= _WIDTH:
        return line
    rows = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"def {name}(\n{rows}) -> {result}:"


def joined(sections: Iterable[str]) -> str:
    """Sections two lines apart."""
    return "\n\n\n".join(section.strip("\n") for section in sections if section) + "\n"


def carried(module: ModuleType, wanted: Iterable[str]) -> list[str]:
    """The source of functions of a module of ``standalone``, after those of it that they call."""
    text = inspect.getsource(module)
    lines = text.splitlines()
    defined = {
        node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)
    }
    pending, found = [name for name in wanted if name in defined], set[str]()
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        used = {node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)}
        pending += sorted(used & set(defined))
    return [
        "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for name, node in defined.items()
        if name in found
    ]


def names_in(sections: Sequence[str]) -> set[str]:
    """All names that the sections of a module read, annotations among them."""
    trees = [ast.parse(section) for section in sections]
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
