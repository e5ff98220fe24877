"""What is asked for: functions under their names, with a call of each; and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from symdiff.ir.signature import Path
from symdiff.ir.structure import Structure
from symdiff.pipeline import Arguments, Chain, Derived

Asked = tuple[
    Any, tuple[int, ...], Structure
]  # a graph, numbers of inputs, structure of cotangents
Constants = Literal["parameters", "file"]


@dataclass(frozen=True, slots=True)
class Exported:
    """One function of the module: a chain of transforms, and the canonical arguments of a call.

    ``name`` is its public name. ``kind`` names the last transform: ``"Gradient"``, ``"Jacobian"``,
    ``"Derivative"``, ``"Directional"``, ``"Jvp"``, ``"Functional"``, or ``"Function"`` for the
    function itself, which comes as forward and backward parts. ``wrt`` are the paths of the
    arguments differentiated by, from the parameters of what is differentiated; ``single``: the
    result is not a tuple of them. ``value`` and ``aux`` are those of a gradient. ``what`` says what
    it is, of the function ``of``, ``transforms`` what was done to that. ``everything`` gives, for a
    derived graph, the cotangents of all arguments.
    """

    name: str
    chain: Chain
    arguments: Arguments
    kind: str
    of: str
    what: str
    transforms: tuple[str, ...]
    wrt: tuple[Path, ...]
    single: bool
    value: bool
    aux: bool
    exact: bool
    everything: Callable[[Derived], Asked]

    @property
    def function(self) -> Any:
        """The user's function."""
        return self.chain.function


@dataclass(frozen=True, slots=True)
class Options:
    """How a module is written.

    ``constants``: large arrays outside the function become parameters, or are in a file beside the
    module. ``stub``: a ``.pyi`` beside it. ``force``: files there are overwritten whatever is in
    them.
    """

    namespace: str = "numpy"
    constants: Constants = "parameters"
    stub: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """Functions for one module."""

    functions: Sequence[Exported]
    options: Options
