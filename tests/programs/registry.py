"""The register of test programs: what each one is called with and what is expected of it.

A module of ``tests/programs`` declares its functions with ``@program(args=..., wrt=...)``, which
hands the function back untouched; ``load()`` imports all modules and gives the whole register.

>>> @program(args=(2.0,))
... def square(x):
...     return x * x
>>> _REGISTER.pop().wrt
(0,)
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """A plain NumPy function with the argument sets it is tested at.

    ``wrt``: positions of the differentiated arguments.
    ``order2``: False where second derivatives do not exist or are not wanted.
    ``step``: the largest step of the difference reference; smaller where a kink or a pole is near.
    ``mutates``: names of the arguments that the function changes; what it computes is then the pair
    of its result and their final values.
    ``equivalent``: makes, from the arguments, the plain function with the derivatives that are
    expected, where these are not the function's own (cut graphs, transforms called inside).
    ``reset`` and ``observe``: restore the state outside the function, and read it.
    ``needs_symdiff``: the body calls symdiff, so nothing of it runs without.
    """

    function: Callable[..., Any]
    cases: tuple[Arguments, ...]
    wrt: tuple[int, ...] = (0,)
    order2: bool = True
    step: float = 0.03
    mutates: tuple[str, ...] = ()
    equivalent: Callable[..., Callable[..., Any]] | None = None
    reset: Callable[[], Any] | None = None
    observe: Callable[[], Any] | None = None
    needs_symdiff: bool = False

    @property
    def name(self) -> str:
        """``module.function``, the name in the test's id."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"

    def arguments(self, case: int) -> Arguments:
        """Fresh copies of the arguments of one case, its state outside restored."""
        if self.reset is not None:
            self.reset()
        return copy.deepcopy(self.cases[case])


_REGISTER: list[Program] = []
_NEEDS = {"with_scipy": "scipy"}  # what modules import that need not be installed


def program(
    *, args: Arguments, also: Sequence[Arguments] = (), wrt: Sequence[int] = (0,), **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a test program; ``also`` holds further argument sets."""
    cases = copy.deepcopy((args, *also))

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _REGISTER.append(Program(function, cases, tuple(wrt), **options))
        return function

    return register


def load() -> list[Program]:
    """All programs and constructs that can be imported here, sorted by name."""
    for package in (
        importlib.import_module(name) for name in ("tests.programs", "tests.constructs")
    ):
        for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
            needed = _NEEDS.get(module.name)
            if needed is None or importlib.util.find_spec(needed) is not None:
                importlib.import_module(f"{package.__name__}.{module.name}")
    return sorted(_REGISTER, key=lambda entry: entry.name)
