"""Names: which are taken, new ones, and objects that the text refers to by name."""

from __future__ import annotations

import builtins
import keyword
import unicodedata
from collections.abc import Iterable
from typing import Any

MODULES = {"np": "numpy", "math": "math", "cmath": "cmath", "scipy": "scipy"}
SPOKEN = frozenset(  # builtins that spellings use
    function.__name__
    for function in (
        *(abs, bool, complex, dict, divmod, enumerate, float, int, isinstance, len, list, max, min),
        *(pow, print, range, reversed, round, slice, sorted, sum, tuple, type, zip),
    )
)
_EXCEPTIONS = frozenset(name for name in dir(builtins) if name[0].isupper())
_RESERVED = frozenset(keyword.kwlist) | SPOKEN | _EXCEPTIONS | frozenset(MODULES) | {"_"}
_UNBINDABLE = frozenset(keyword.kwlist) | {"__debug__"}  # no keyword, and yet bound to nothing


def identifier(text: str, default: str) -> str:
    """``text`` as an identifier that is no keyword, or ``default`` where nothing of it is left."""
    kept = "".join(
        c if c.isalnum() or c == "_" else "_" for c in unicodedata.normalize("NFKC", text)
    )
    if kept[:1].isdigit():
        kept = f"_{kept}"
    if (not kept.strip("_") and kept != text) or not kept.isidentifier():
        return default
    return f"{kept}_" if kept in _UNBINDABLE else kept


class Namespace:
    """The names of one emitted function. New ones collide with nothing that the text can mean."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = {*_RESERVED, *taken}
        self.objects: dict[str, Any] = {}
        self._bound: dict[int, str] = {}
        self._next: dict[str, int] = {}

    def nested(self) -> Namespace:
        """The names of another function beside this one, with the same objects."""
        inner = Namespace(self.taken)
        inner.objects, inner._bound = self.objects, self._bound
        return inner

    def fresh(self, hint: str) -> str:
        """``hint`` itself, or with the first number that makes it new."""
        name = identifier(hint, "t")
        if name in _RESERVED and name != "_":
            name, hint = f"{name}_", f"{hint}_"
        while name in self.taken:
            number = self._next.get(hint, 1)
            self._next[hint] = number + 1
            name = f"{identifier(hint, 't')}{'_' if hint[-1:].isdigit() else ''}{number}"
        self.taken.add(name)
        return name

    def bind(self, value: Any, hint: str) -> str:
        """The name under which the text finds an object."""
        if hint in SPOKEN and value is getattr(builtins, hint):
            return hint
        known = self._bound.get(id(value))
        if known is None:
            known = self._bound[id(value)] = self.fresh(hint)
            self.objects[known] = value  # keeps it alive, and its id with it
        return known
