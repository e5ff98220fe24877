"""What waits for optional libraries: registered once a program has imported them.

Neither symdiff nor what it registers imports a library for its own sake: a function of SciPy's can
only be met in a program that has imported SciPy.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType

Registration = Callable[[ModuleType], object]

_WAITING: dict[str, dict[tuple[str, str], Registration]] = {}  # by where they are defined


def when_imported(module: str) -> Callable[[Registration], Registration]:
    """Register what is to be done, once, with a module that a program has imported."""

    def register(registration: Registration) -> Registration:
        place = registration.__module__, registration.__qualname__
        _WAITING.setdefault(module, {})[place] = registration  # anew where its import failed
        return registration

    return register


def meet() -> None:
    """Register what waits for the modules that are imported by now."""
    for name in list(_WAITING):
        module = sys.modules.get(name)
        specification = getattr(module, "__spec__", None)
        if module is None or getattr(specification, "_initializing", False):
            continue
        waiting = _WAITING[name]
        for place in list(waiting):
            waiting[place](module)
            del waiting[place]  # what raised is left to be done
        _WAITING.pop(name, None)


def import_all() -> None:
    """Import all that something waits for, where it is installed: for tables of what is known."""
    for name in list(_WAITING):
        try:
            importlib.import_module(name)
        except ImportError:
            del _WAITING[name]
    meet()
