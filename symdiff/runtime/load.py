"""Loading emitted source: text enters, a function leaves whose tracebacks and ``inspect`` show the
text.
"""

from __future__ import annotations

import importlib
import importlib.util
import linecache
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from symdiff.runtime.dump import dump
from symdiff.source.trees import nesting_told


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


def load(emitted: Emitted, signature: str = "") -> Callable[..., Any]:
    """The function that ``emitted`` defines, with the objects it names as its globals.

    ``signature`` says what it was compiled for, in the name of the file that is written where
    ``SYMDIFF_DUMP`` asks for one. The text is compiled under that file's name, in which debuggers
    take breakpoints, or a name with a hash of it: what is made of this function in turn does not
    depend on what was loaded before. ``linecache`` knows it for as long as the process lives, so
    that tracebacks, ``pdb`` and ``inspect.getsource`` show it.
    """
    text = emitted.text
    dumped = dump(emitted.name, text, signature)
    hashed = importlib.util.source_hash(text.encode("utf-8", "surrogatepass")).hex()
    file = f"<symdiff {emitted.name} {hashed}>" if dumped is None else str(dumped)
    namespace: dict[str, Any] = {"__name__": f"symdiff.generated.{emitted.name}"}
    for name, module in emitted.modules.items():
        namespace[name] = importlib.import_module(module)
    namespace |= emitted.objects
    with nesting_told():
        code = compile(text, file, "exec", dont_inherit=True)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(code, namespace)  # defines functions only
    function: Callable[..., Any] = namespace[emitted.name]
    return function
