"""Sparse Jacobians and Hessians: their pattern, and their values from few sweeps.

The pattern is found from the graph of the derivative, for the sizes and integers of a call, and
kept for them. Columns that no row has together share a sweep (in reverse, rows that no column has);
all sweeps run at once. So a Jacobian costs as many sweeps as a row has entries, not as there are
columns.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from symdiff.api.arguments import Direction
from symdiff.api.objects import Argnums, Differentiable, Steps
from symdiff.api.transforms import transform_of
from symdiff.api.wrt import Wrt
from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError, UnsupportedCallError
from symdiff.ir.called import called_by
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ir.structure import Leaf
from symdiff.ir.types import ArrayType, ListType, Type
from symdiff.ops.effects import grad_hook
from symdiff.ops.rules import custom_call
from symdiff.patterns import (
    Dense,
    Origins,
    Pattern,
    TooManyPlaces,
    coloured_columns,
    is_alone,
    star_coloured,
    traced,
)
from symdiff.pipeline import Derived, Transform, emittable
from symdiff.runtime.parameters import WithVector
from symdiff.runtime.signature import spelled

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from symdiff.exporting.request import Sparse
    from symdiff.inspection import Source

_MOST_KEPT = 8  # patterns of one signature, for sizes and integers
_MOST_AT_ONCE = 2**22  # elements of the tangents that one run has
_MOST_SEEDS_KEPT = 2**20  # elements

_REVERSE_COSTS = 2  # sweeps forward, about

Mode = Literal["fwd", "rev"]
Transforms = tuple[Transform, ...]


# Patterns -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """How a sparse matrix is found: the sweep of each seed, and where each entry stands.

    ``pattern`` is that of the matrix; ``places`` tells for each of its entries the place among the
    results of all sweeps, one after another.
    """

    sweeps: np.ndarray
    pattern: Pattern
    places: np.ndarray

    @functools.cached_property
    def count(self) -> int:
        """How many sweeps there are."""
        return int(self.sweeps.max(initial=-1)) + 1

    @functools.cached_property
    def longest(self) -> int:
        """How many entries a column has at most."""
        return int(np.bincount(self.pattern.columns, minlength=1).max())

    def seeds(self, like: np.ndarray) -> np.ndarray:
        """The vectors of the sweeps, sums of units in the shape and the dtype of ``like``; small
        ones are kept.
        """
        made = self._kept.get(like.dtype)
        if made is None:
            made = np.zeros((self.count, len(self.sweeps)), like.dtype)
            made[self.sweeps, np.arange(len(self.sweeps))] = 1
            if made.size <= _MOST_SEEDS_KEPT:
                self._kept[like.dtype] = made
        return made.reshape(self.count, *like.shape)

    @functools.cached_property
    def _kept(self) -> dict[np.dtype, np.ndarray]:
        return {}

    @functools.cached_property
    def indices(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns and starts of rows, as SciPy has them."""
        pattern = self.pattern
        most = max(len(pattern.columns), pattern.height, pattern.width)
        kind = np.int32 if most <= np.iinfo(np.int32).max else np.int64
        return pattern.columns.astype(kind), pattern.starts.astype(kind)


class Found:
    """The pattern of what one sweep gives: a row for each of its elements, a column for each of the
    seed's.
    """

    def __init__(
        self,
        pattern: Pattern,
        shape: tuple[int, ...],
        dtype: np.dtype,
        dense: Sequence[Dense],
        is_custom: bool,
    ) -> None:
        self.pattern, self.shape, self.dtype, self.dense = pattern, shape, dtype, dense
        self.is_custom = is_custom  # the graph has rules of the user's

    @functools.cached_property
    def forward(self) -> Plan:
        """How the matrix is found by its columns."""
        return self._by_columns(coloured_columns(self.pattern))

    @functools.cached_property
    def reverse(self) -> Plan:
        """How the matrix is found by its rows, of which this pattern has a column each."""
        colours = coloured_columns(self.pattern)
        order = np.argsort(self.pattern.columns, kind="stable")
        return Plan(colours, self.pattern.transposed(), self._places(colours)[order])

    @functools.cached_property
    def symmetric(self) -> Plan:
        """How a symmetric matrix is found: some entries by the row in which they stand, across.

        One that is made by rules of the user's need not be symmetric, nor a pattern that has more
        places than the matrix.
        """
        pattern = self.pattern
        if self.is_custom or not pattern.is_symmetric:
            return self.forward
        colours = star_coloured(pattern)
        across = colours[pattern.rows] * pattern.height + pattern.columns
        places = np.where(is_alone(pattern, colours), self._places(colours), across)
        return Plan(colours, pattern, places)

    def _by_columns(self, colours: np.ndarray) -> Plan:
        return Plan(colours, self.pattern, self._places(colours))

    def _places(self, colours: np.ndarray) -> np.ndarray:
        places: np.ndarray = colours[self.pattern.columns] * self.pattern.height + self.pattern.rows
        return places


class _Tracing:
    """The patterns of one graph, by the sizes and integers of calls."""

    def __init__(self, derived: Derived, seed: str | None) -> None:
        self.graph = graph = emittable(derived.graph)
        self.is_custom = _has_rules(derived.primal)
        self.seed = [known.path for known in graph.inputs].index((seed,)) if seed else None
        self.kept: dict[Any, Found] = {}
        self.lock = threading.Lock()

    def __call__(self, *values: Any) -> Found:
        types = [value.type for value in self.graph.block.parameters]
        key = tuple(map(_key, values, types))
        found = self.kept.get(key)
        if found is None:
            with self.lock:
                found = self.kept[key] = self._found(values)
                while len(self.kept) > _MOST_KEPT:
                    del self.kept[next(iter(self.kept))]
        return found

    def _found(self, values: Sequence[Any]) -> Found:
        origins = Origins(0 if self.seed is None else np.size(values[self.seed]))
        results, dense = traced(self.graph, values, self.seed, origins)
        number = self.graph.output.index if isinstance(self.graph.output, Leaf) else 0
        ids, type_ = results[number], self.graph.block.results[number].type
        if ids is None or not isinstance(type_, ArrayType):
            raise UnsupportedCallError(
                f"no sparse derivative of {self.graph.name}: how long its result is"
                " depends on data",
                self.graph.span,
                "use symdiff.jacobian without sparse=True",
            )
        try:
            return Found(origins.pattern(ids), ids.shape, type_.dtype, dense, self.is_custom)
        except TooManyPlaces:
            raise UnsupportedCallError(
                f"the sparse derivative of {self.graph.name} has too many entries",
                self.graph.span,
                "use symdiff.jvp, symdiff.vjp or symdiff.hvp: products with it need no entries",
            ) from None


def _has_rules(graph: Graph) -> bool:
    """Return whether derivatives of a graph are made by rules or hooks of the user's."""
    users = (custom_call, grad_hook)
    graphs = [graph, *called_by(graph)]
    nodes = (node for one in graphs for node in walk_nodes(one.block))
    return any(node.op in users and not node.attributes.get("own") for node in nodes)


def _key(value: Any, type_: Type) -> Any:
    """What a pattern depends on: integers with their values, of all else the sizes."""
    if isinstance(type_, ListType):
        return tuple(_key(item, type_.element) for item in value)
    if not isinstance(type_, ArrayType):
        return None
    if type_.dtype.kind in "biu":
        return np.shape(value), np.asarray(value).tobytes()
    return np.shape(value)


# What users hold ----------------------------------------------------------------------------------


class SparseDerivative:
    """A derivative as a sparse matrix: a row for each number returned, a column for each number of
    the argument, in the order of ``ravel()``.

    The pattern is that of the program, whatever the values: entries may be zero.
    """

    def __init__(
        self, made: Differentiable, argnums: Argnums, mode: Direction, symmetric: bool = False
    ) -> None:
        self._made, self._argnums = made, argnums
        several = isinstance(argnums, tuple | list)
        if several and symmetric:
            raise SignatureError(
                "a sparse Hessian is by one argument",
                hint="put the arguments together in one array",
            )
        chosen = argnums if isinstance(argnums, tuple | list) else (argnums,)
        self._parts = [_By(made, one, mode, symmetric) for one in chosen]
        self._several = several
        self.__name__ = f"{made._name}_{'hessian' if symmetric else 'jacobian'}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._each(args, kwargs, _By.matrix)

    def sparsity(self, *args: Any, **kwargs: Any) -> Any:
        """The pattern as a sparse matrix of truths."""
        return self._each(args, kwargs, _By.truths)

    def source(self, *args: Any, **kwargs: Any) -> Any:
        """The code of the sweeps."""
        return self._each(args, kwargs, _By.source)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """How many sweeps there are and why: what is dense for want of a rule."""
        self._made._refresh()
        arguments = self._made._canonical(args, kwargs)
        return "\n".join(part.explained(arguments) for part in self._parts)

    def export(
        self,
        path: Any,
        /,
        *args: Any,
        constants: Literal["parameters", "file"] = "parameters",
        stub: bool = False,
        force: bool = False,
        **kwargs: Any,
    ) -> None:
        """Write a module that needs NumPy and SciPy alone, for arguments of these sizes and these
        integers, to ``path``; a large pattern is in a file ``.npz`` beside it. The options are
        those of ``symdiff.export``.
        """
        from symdiff.api.exporting import export_several
        from symdiff.exporting.text import public_name

        options = ("numpy", constants, stub, force)
        export_several(path, {public_name(self.__name__): self}, args, kwargs, options)

    def planned(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Differentiable, tuple[Any, ...], Sparse]:
        """For a module: the function that computes the sweeps, its arguments, and the plan."""
        if self._several:
            raise SignatureError(
                f"{self.__name__} is of several arguments",
                hint="export one for each: symdiff.jacobian(f, 0, sparse=True)",
            )
        self._made._refresh()
        try:
            arguments = self._made._canonical(args, kwargs)
        except SignatureError as error:
            if args or kwargs:
                raise
            hint = "the pattern is that of certain sizes: give export arguments that have them"
            raise SignatureError(error.message, hint=hint) from None
        return self._parts[0].planned(arguments)

    def _each(self, args: tuple[Any, ...], kwargs: dict[str, Any], one: Callable[..., Any]) -> Any:
        self._made._refresh()
        arguments = self._made._canonical(args, kwargs)
        found = tuple(one(part, arguments) for part in self._parts)
        return found if self._several else found[0]

    def __symdiff_staged__(self, stager: Any, args: Any, kwargs: Any) -> Any:
        """What a compiled program that calls this makes of it."""
        from symdiff.api.inside import call_sparsity

        return call_sparsity(stager, self._made)

    def __repr__(self) -> str:
        return f"<sparse derivative {self.__name__}>"


def sparse_hessian(made: Differentiable, argnums: Argnums) -> SparseDerivative:
    """The second derivatives of a scalar function as a sparse matrix."""
    several = isinstance(argnums, tuple | list)
    gradient = made if several else made._gradient(argnums)
    return SparseDerivative(gradient, argnums, "fwd", symmetric=True)


class _By:
    """The sparse derivative by one argument. Arguments are in canonical form."""

    def __init__(
        self, made: Differentiable, argnum: int | str, mode: Direction, symmetric: bool
    ) -> None:
        self.made, self.mode, self.symmetric = made, mode, symmetric
        self.wrt = made._wrt(argnum)
        self.parameters = made._chain.parameters[-1]
        (self.path,) = Wrt(*self.wrt).paths(self.parameters)

    # The matrix

    def matrix(self, arguments: tuple[Any, ...]) -> csr_array:
        """The matrix at these arguments."""
        chosen = self.chosen(arguments)
        return _csr(self._swept(arguments, chosen)[chosen.plan.places], chosen.plan)

    def truths(self, arguments: tuple[Any, ...]) -> csr_array:
        """The pattern."""
        plan = self.chosen(arguments).plan
        return _drawn(_csr(np.ones(len(plan.places), bool), plan))

    def _swept(self, arguments: tuple[Any, ...], chosen: Choice) -> np.ndarray:
        """The results of all sweeps, one after another."""
        plan = chosen.plan
        steps = self._steps(chosen.mode, lanes=True)
        run = self.made._home.quick(steps, f"{self.made._name}_sweeps")[0]
        size = max(plan.pattern.height, plan.pattern.width, 1)
        runs = max(-(-plan.count * size // _MOST_AT_ONCE), 1)
        if runs == 1:
            return np.ravel(run((*arguments, chosen.seeds())))
        parts = [run((*arguments, part)) for part in np.array_split(chosen.seeds(), runs)]
        return np.concatenate(parts).ravel()

    # The pattern

    def chosen(self, arguments: tuple[Any, ...]) -> Choice:
        """How the matrix is found: in the mode whose sweeps cost less."""
        _require_scipy()
        if self.mode == "rev":
            return self._reverse(arguments)
        try:
            forward = self._forward(arguments)
        except UnsupportedCallError:
            if self.mode == "fwd" or self.symmetric:
                raise
            return self._reverse(arguments)
        most = forward.plan.count
        is_free = self.mode == "auto" and not forward.found.is_custom
        if is_free and forward.plan.longest * _REVERSE_COSTS < most:
            reverse = self._reverse(arguments)
            if reverse.plan.count * _REVERSE_COSTS < most:
                return reverse
        return forward

    def _forward(self, arguments: tuple[Any, ...]) -> Choice:
        vector = self._vector(arguments)
        found = self._found("fwd", (*arguments, vector[()]))
        plan = found.symmetric if self.symmetric else found.forward
        return Choice("fwd", found, plan, vector)

    def _reverse(self, arguments: tuple[Any, ...]) -> Choice:
        result = self._found(None, arguments)
        vector = np.zeros(result.shape, result.dtype)
        found = self._found("rev", (*arguments, vector[()]))
        return Choice("rev", found, found.reverse, vector)

    def _found(self, mode: Mode | None, arguments: tuple[Any, ...]) -> Found:
        """The pattern of one sweep; without a mode, what the function itself returns."""
        home, name = self.made._home, f"{self.made._name}_sparsity"
        transforms, run = self._tracing[mode]
        found: Found = home.on_graphs("pattern", transforms, name, run)(arguments)
        return found

    @functools.cached_property
    def _tracing(self) -> dict[Mode | None, tuple[Transforms, Callable[[Derived], _Tracing]]]:
        """By mode, the transforms of one sweep, and what finds the pattern of their graph."""
        made: dict[Mode | None, Steps] = {None: self.made._steps}
        made |= {mode: self._steps(mode, lanes=False) for mode in ("fwd", "rev")}
        return {
            mode: (
                tuple(map(transform_of, steps)),
                functools.partial(_Tracing, seed=None if mode is None else self._seed),
            )
            for mode, steps in made.items()
        }

    @functools.cached_property
    def _seed(self) -> str:
        """What the parameter is called that has the seeds of sweeps."""
        return WithVector.of(self.parameters).names[-1]

    def _steps(self, mode: Mode, lanes: bool) -> Steps:
        return (*self.made._steps, ("Sweep", self.wrt, mode, lanes))

    def _vector(self, arguments: tuple[Any, ...]) -> np.ndarray:
        """Zeros like the argument."""
        value = self.parameters.value_at(arguments, self.path)
        if isinstance(value, int | float | np.ndarray | np.generic):
            floats = np.asarray(value).dtype.kind == "f" or type(value) is int
            return np.zeros(np.shape(value), np.asarray(value).dtype if floats else float)
        raise SignatureError(
            f"sparse derivatives are by an array of floats, not by a {type(value).__name__}",
            hint="pass one array, and take it apart in the function",
        )

    def planned(self, arguments: tuple[Any, ...]) -> tuple[Differentiable, tuple[Any, ...], Sparse]:
        """The function that computes the sweeps, its arguments, and how the matrix is had."""
        from symdiff.exporting.request import Sparse

        chosen = self.chosen(arguments)
        plan, made = chosen.plan, self.made
        steps = self._steps(chosen.mode, lanes=True)
        sweeps = type(made)(made._function, made._bound, steps)
        shape = plan.pattern.height, plan.pattern.width
        matrix = Sparse(self._seed, chosen.vector, plan.sweeps, plan.places, *plan.indices, shape)
        return sweeps, (*arguments, chosen.seeds()), matrix

    # What is told

    def source(self, arguments: tuple[Any, ...]) -> Source:
        """The code of the sweeps."""
        chosen = self.chosen(arguments)
        steps = self._steps(chosen.mode, lanes=True)
        transforms, given = tuple(map(transform_of, steps)), (*arguments, chosen.seeds())
        return self.made._home.built(transforms, f"{self.made._name}_sweeps", given).source

    def explained(self, arguments: tuple[Any, ...]) -> str:
        """A few lines about the pattern and the sweeps."""
        chosen = self.chosen(arguments)
        pattern, count = chosen.plan.pattern, chosen.plan.count
        word = {"fwd": "forward", "rev": "reverse"}[chosen.mode]
        lines = [
            f"{self.made._name} by {spelled(self.path)}: {pattern.height} x {pattern.width},"
            f" {len(pattern.columns)} entries, {count} sweep{'s' * (count != 1)} in {word} mode"
        ]
        lines += dict.fromkeys(map(_as_dense, chosen.found.dense))
        return "\n".join(lines)


def _as_dense(dense: Dense) -> str:
    """What is told of an operation whose result is dense."""
    where = f"line {dense.span.line}: " if dense.span is not None else ""
    return f"{where}{dense.name} counts as dense: no rule tells what its elements depend on"


@dataclass(frozen=True)
class Choice:
    """A mode, the pattern of one of its sweeps, the plan of all, and zeros like a seed."""

    mode: Mode
    found: Found
    plan: Plan
    vector: np.ndarray

    def seeds(self) -> np.ndarray:
        """The vectors of the sweeps."""
        return self.plan.seeds(self.vector)


def _require_scipy() -> None:
    try:
        import scipy.sparse  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "sparse derivatives need SciPy: pip install 'symdiff[scipy]'", name="scipy"
        ) from error


def _drawn(pattern: csr_array) -> csr_array:
    """The pattern as an array that notebooks show as a picture."""
    parts = pattern.data, pattern.indices, pattern.indptr
    made = _class_of_patterns()(parts, shape=pattern.shape)
    made.has_canonical_format = True
    return made


@functools.cache
def _class_of_patterns() -> type[csr_array]:
    from scipy.sparse import csr_array

    from symdiff.inspection.pattern import picture_of

    class Pattern(csr_array):  # type: ignore[misc]
        """A sparse array that notebooks show as a picture."""

        def _repr_html_(self) -> str:
            places = self.tocoo()
            return picture_of(places.row, places.col, self.shape)

        def __reduce__(self) -> Any:
            return _drawn, (csr_array(self),)

    return Pattern


def _csr(data: np.ndarray, plan: Plan) -> csr_array:
    from scipy.sparse import csr_array

    columns, starts = plan.indices
    shape = plan.pattern.height, plan.pattern.width
    made = csr_array((data, columns.copy(), starts.copy()), shape=shape)
    made.has_canonical_format = True
    return made
