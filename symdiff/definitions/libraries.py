"""What waits for libraries: registered, or loaded at all, once a program has imported them.

Neither symdiff nor what it registers imports a library for its own sake: a function of SciPy's can
only be met in a program that has imported SciPy. Nor are modules of symdiff loaded that know
nothing but the functions of such a library.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

Registration = Callable[[ModuleType], object]

_WAITING: dict[str, dict[tuple[str, str], Registration]] = {}  # by where they are defined
_LOADED_WITH: dict[str, tuple[str, ...]] = {}  # modules of symdiff by libraries
_lock = threading.RLock()


def when_imported(module: str) -> Callable[[Registration], Registration]:
    """Register what is to be done, once, with a module that a program has imported."""

    def register(registration: Registration) -> Registration:
        place = registration.__module__, registration.__qualname__
        _WAITING.setdefault(module, {})[place] = registration  # anew where its import failed
        return registration

    return register


def loaded_with(library: str, *modules: str) -> None:
    """Import modules of symdiff once a program has imported the library whose functions they know.

    What they register in their turn, for this library or another one, comes after them.
    """
    _LOADED_WITH[library] = (*_LOADED_WITH.get(library, ()), *modules)
    for name in modules:
        _WAITING.setdefault(library, {})[name, ""] = functools.partial(_load, name)


def _load(name: str, library: ModuleType) -> None:
    importlib.import_module(name)


def load_all() -> list[str]:
    """Import all modules of symdiff that wait for libraries, and none of these; their names."""
    names = list(dict.fromkeys(name for modules in _LOADED_WITH.values() for name in modules))
    for name in names:
        importlib.import_module(name)
    return names


def meet() -> None:
    """Register what waits for the modules that are imported by now."""
    while ready := [name for name, it in list(_WAITING.items()) if it and _is_imported(name)]:
        with _lock:  # others wait until what they may be in need of is there
            for name in ready:
                _register(name)


def _is_imported(name: str) -> bool:
    module = sys.modules.get(name)
    specification = getattr(module, "__spec__", None)
    return module is not None and not getattr(specification, "_initializing", False)


def _register(name: str) -> None:
    waiting = _WAITING[name]
    while waiting:
        place = next(iter(waiting))
        waiting[place](sys.modules[name])
        del waiting[place]  # what raised is left to be done


def import_all() -> None:
    """Import all that something waits for, where it is installed: for tables of what is known."""
    load_all()
    for name, waiting in list(_WAITING.items()):
        try:
            importlib.import_module(name)
        except ImportError:
            waiting.clear()
    meet()


def python_version(function: Any) -> Any:
    """What is followed in place of what Python has in C; None where nothing is.

    >>> import bisect
    >>> python_version(bisect.bisect_left).__code__.co_varnames[:2]
    ('a', 'x')
    """
    if getattr(function, "__module__", None) not in _WRITTEN_IN_C:
        return None
    from symdiff.definitions import generators, text  # noqa: F401  at the first use of one of them

    return generators.IN_PYTHON.get(function)


def python_method(function: Any) -> Any:
    """The same for a method of a pattern of ``re``, which may be given a function."""
    if not isinstance(getattr(function, "__self__", None), re.Pattern):
        return None
    from symdiff.definitions import in_python, text  # noqa: F401  at the first use of one of them

    written = in_python.IN_PYTHON.get(getattr(re.Pattern, function.__name__))
    return None if written is None else functools.partial(written, function.__self__)


_WRITTEN_IN_C = (
    "_bisect", "_collections", "_functools", "_heapq", "_io", "_operator", "_thread",
    "cmath", "collections", "contextlib", "functools", "heapq", "itertools", "math", "numpy",
    "operator",
)  # fmt: skip
