"""Text that stands in a module whatever it says: docstrings, names, and the parts of a module.

>>> docstring('a "quoted" path C:\\\\new')
'\"\"\"a "quoted" path C:\\\\\\\\new\"\"\"'
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from symdiff.emit.namespace import identifier
from symdiff.ir.reach import reached
from symdiff.source.trees import module_of

_WIDTH = 100
_NEW = re.compile(r"[^\n]")

# Names and the statements that import them, in the order in which they stand.
IMPORTS = {
    "cmath": "import cmath",
    "copy": "import copy",
    "math": "import math",
    "dataclass": "from dataclasses import dataclass",
    "Path": "from pathlib import Path",
    "Any": "from typing import {typing}",
    "NamedTuple": "from typing import {typing}",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "lax": "from jax import lax",
    "np": "import numpy as np",
    "scipy": "import scipy",
    "NDArray": "from numpy.typing import NDArray",
}
_FROM_TYPING = ("Any", "NamedTuple")


def imports_for(used: set[str]) -> str:
    """The import statements for the names that a module reads."""
    typing = ", ".join(name for name in _FROM_TYPING if name in used)
    lines = [line.format(typing=typing) for name, line in IMPORTS.items() if name in used]
    third = [
        line
        for line in dict.fromkeys(lines)
        if {"numpy", "scipy", "jax"} & set(re.findall(r"\w+", line))
    ]
    standard = [line for line in dict.fromkeys(lines) if line not in third]
    others = sorted(third, key=lambda line: (line.startswith("from"), line))
    return "\n\n".join("\n".join(block) for block in (standard, others) if block)


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


@functools.cache
def _standalone(file: str) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """The functions of a file of ``standalone``: their texts, and the names that they read."""
    text = (Path(__file__).parent / "standalone" / f"{file}.py").read_text(encoding="utf-8")
    lines, functions = text.splitlines(), {}
    used = {}
    for node in module_of(text).body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            names = (tree.id for tree in ast.walk(node) if isinstance(tree, ast.Name))
            used[node.name] = frozenset(names)
    return functions, used


def defined_in(file: str) -> list[str]:
    """The names of the functions of a file of ``standalone``."""
    return list(_standalone(file)[0])


def carried(files: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """The source of functions of files of ``standalone``, with those of them that they call."""
    texts: dict[str, str] = {}
    used: dict[str, frozenset[str]] = {}
    for file in files:
        found = _standalone(file)
        texts |= found[0]
        used |= found[1]
    needed = reached(texts.keys() & wanted, lambda name: used[name] & texts.keys())
    return [text for name, text in texts.items() if name in needed]


def names_in(sections: Sequence[str]) -> set[str]:
    """All names that the sections of a module read, annotations among them."""
    trees = [module_of(section) for section in sections]
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
