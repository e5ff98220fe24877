"""What is asked for: functions under their names, with a call of each; and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from symdiff.ir.signature import Path
from symdiff.ir.structure import Structure
from symdiff.pipeline import Arguments, Chain, Derived
from symdiff.runtime.parameters import Parameters

Asked = tuple[
    Any, tuple[int, ...], Structure
]  # a graph, numbers of inputs, structure of cotangents
Constants = Literal["parameters", "file"]


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """How a sparse matrix is had from what several sweeps give at once.

    The parameter ``vector`` has the seeds, a sum of unit vectors ``like`` this one for each sweep:
    ``sweeps`` tells for each element the sweep. ``places`` are those of the entries among the
    results, ``columns`` and ``starts`` of rows what SciPy's ``csr_array`` has.
    """

    vector: str
    like: np.ndarray
    sweeps: np.ndarray
    places: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    shape: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Exported:
    """One function of the module: a chain of transforms, and the canonical arguments of a call.

    ``name`` is its public name. ``kind`` names the last transform: ``"Gradient"``, ``"Jacobian"``,
    ``"Derivative"``, ``"Directional"``, ``"Jvp"``, ``"Functional"``, or ``"Function"`` for the
    function itself, which comes as forward and backward parts, ``"Sweep"`` for a ``sparse``
    matrix. ``wrt`` are the paths of the arguments differentiated by, from the parameters of what is
    differentiated; ``single``: the result is not a tuple of them. ``value`` and ``aux`` are those
    of a gradient. ``what`` says what it is, of the function ``of``, ``transforms`` what was done to
    that. ``everything`` gives, for a derived graph, the cotangents of all arguments.
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
    sparse: Sparse | None = None

    @property
    def parameters(self) -> Parameters:
        """What the function of the module takes: all but the seeds of sweeps."""
        return self.chain.parameters[-2 if self.sparse is not None else -1]

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
