"""Loading emitted source: text enters, a function leaves whose tracebacks and ``inspect`` show the
text.
"""

from __future__ import annotations

import importlib
import itertools
import linecache
from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Emitted(Protocol):
    """What loading asks of ``emit.Emitted``."""

    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def modules(self) -> Mapping[str, str]: ...
    @property
    def objects(self) -> Mapping[str, Any]: ...


_numbers = itertools.count(1)


def load(emitted: Emitted, extra: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The function that ``emitted`` defines, with the objects it names and ``extra`` as its
    globals.

    The text is compiled under a file name of its own that ``linecache`` knows for as long as the
    process lives, so that tracebacks, ``pdb`` and ``inspect.getsource`` show it.
    """
    file = f"<symdiff {emitted.name} {next(_numbers)}>"
    namespace: dict[str, Any] = {"__name__": f"symdiff.generated.{emitted.name}"}
    for name, module in emitted.modules.items():
        namespace[name] = importlib.import_module(module)
    namespace |= emitted.objects
    namespace |= extra or {}
    text = emitted.text
    code = compile(text, file, "exec", dont_inherit=True)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(code, namespace)  # defines functions only
    function: Callable[..., Any] = namespace[emitted.name]
    return function
