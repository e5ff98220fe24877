"""An audit hook that sees what code does to the world: files, processes, imports.

``with watched() as seen`` notes it, ``with forbidding()`` raises ``EffectError`` in its place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# What compiling may do beside computing: read source, compile and load what was emitted.
_HARMLESS = frozenset((
    "compile", "exec", "code.__new__", "function.__new__", "object.__getattr__", "builtins.id",
    "object.__setattr__", "object.__delattr__", "marshal.loads", "gc.get_objects",
    "gc.get_referrers", "gc.get_referents", "os.listdir", "os.scandir",
))  # fmt: skip


class EffectError(BaseException):
    """Something was done that compiling must not do."""


_watching = False
_forbidding = False
_seen: list[str] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching or event in _HARMLESS or event.startswith(("cpython.", "array.", "sys.")):
        return
    described = _forbidden(event, arguments)
    if described is not None:
        _seen.append(described)
        if _forbidding:
            raise EffectError(described)


def _forbidden(event: str, arguments: tuple[Any, ...]) -> str | None:
    if event == "open":
        path, mode = arguments[0], arguments[1]
        reads = mode is None or not set(str(mode)) & set("wax+")
        return None if reads and str(path).endswith((".py", ".pyc", ">")) else f"open {path} {mode}"
    if event == "import":
        own = str(arguments[0]).startswith(("symdiff", "astor", "sympy", "ast", "scipy", "numpy"))
        return None if own or arguments[0] in sys.modules else f"import of {arguments[0]}"
    return event


_installed: list[Any] = []


def install() -> None:
    """Add the audit hook, which stays for as long as the process lives."""
    if not _installed:
        sys.addaudithook(_hook)
        _installed.append(_hook)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Effects inside are noted in the list."""
    global _watching
    _seen.clear()
    _watching = True
    try:
        yield _seen
    finally:
        _watching = False


@contextmanager
def forbidding() -> Iterator[None]:
    """Effects inside raise ``EffectError`` instead of happening."""
    global _forbidding
    _forbidding = True
    try:
        with watched():
            yield
    finally:
        _forbidding = False
