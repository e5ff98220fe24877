"""Transforms: each makes a graph of a graph, and says how its calls relate to calls of what it
transforms.

They are plain data, so that chains of them are keys of caches and pickle. Calls are in canonical
form (``runtime.parameters``); *inner* means what is transformed, *outer* what it becomes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from symdiff import differentiate
from symdiff.api.batching import Vmap
from symdiff.api.finals import Finals
from symdiff.api.marks import grad_hook
from symdiff.api.tangents import as_float, like, replaced
from symdiff.api.unruled import require_rule
from symdiff.api.wrt import (
    Asked,
    Wrt,
    asked_for,
    require_differentiable,
    specification_at,
)
from symdiff.dataclass import dataclass
from symdiff.differentiate.activity import analyse
from symdiff.differentiate.calls import Calls
from symdiff.differentiate.graphs import tangent_structure
from symdiff.differentiate.rows import unit_of
from symdiff.errors import GradientShapeError, SignatureError, UnsupportedCallError
from symdiff.ir.build import Builder, building, copy_into
from symdiff.ir.graph import Block, Graph, Input, Node, Value, walk_nodes
from symdiff.ir.signature import Fixed, Nested, Path, Specification, leaves
from symdiff.ir.structure import (
    Container,
    Either,
    Leaf,
    Static,
    Structure,
    cases_of,
    has_cases,
    numbered_paths,
    of_tuple,
)
from symdiff.ir.types import ArrayType, ListType, carries_derivative, in_words
from symdiff.ops.effects import never_returns, opaque_call, stop_gradient
from symdiff.ops.foreign import foreign_call
from symdiff.ops.rules import custom_call, expanded
from symdiff.parse import Marks
from symdiff.pipeline import Arguments, CallPair, Normalise, Transform
from symdiff.runtime.lengths import Tie
from symdiff.runtime.parameters import Parameters, WithTangents, WithVector
from symdiff.runtime.saved import counted
from symdiff.runtime.signature import spelled
from symdiff.tracing.graphs import retaining, with_named_cotangents


@dataclass(frozen=True)
class Marked(Transform):
    """The function itself, with marks on its names (``parse.marking``)."""

    kept: tuple[str, ...] | Literal["all"] = ()
    hooks: tuple[tuple[str, Callable[..., Any]], ...] = ()
    frozen: tuple[str, ...] = ()

    @property
    def marks(self) -> Marks:
        return Marks(self.kept, self.hooks, self.frozen, grad_hook)


FIRST = Wrt()


@dataclass(frozen=True)
class Differentiated(Transform):
    """A transform that differentiates with respect to some arguments, where an int counts as a
    float.
    """

    wrt: Wrt = FIRST

    def normalise(self, arguments: Arguments, inner: Parameters, within: Normalise) -> Arguments:
        arguments = within(arguments)
        for path in self.wrt.paths(inner):
            arguments = replaced(arguments, inner.names, path, as_float)
        return arguments

    def opens(self, arguments: Arguments, inner: Parameters) -> list[Any]:
        return [inner.value_at(arguments, path) for path in self.wrt.paths(inner)]

    def differentiates(self, path: Path, calls: CallPair) -> bool:
        return any(path[: len(asked)] == asked for asked in self.wrt.paths(calls.parameters))

    def asked(self, graph: Graph, calls: CallPair) -> Asked:
        """The inputs asked for."""
        paths, function = self.wrt.paths(calls.parameters), calls.parameters.function
        for path in paths:
            require_differentiable(function, path, specification_at(calls.inner, path))
        return asked_for(graph, calls.inner, paths)


@dataclass(frozen=True)
class Gradient(Differentiated):
    """The gradient of a scalar; ``value``: after the value itself; ``aux``: of the first of two
    results; ``retain``: before those by the last values of names.
    """

    value: bool = False
    aux: bool = False
    retain: tuple[str, ...] = ()

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        asked = self.asked(graph, calls)
        if never_returns(graph.block):
            return replace(graph, output=Static(None), mutated={})
        target, aux = self._target(graph)
        gradient = self.wrt.shaped(asked.results(len(graph.block.results)))
        output = self._output(target, aux, gradient)
        results = [leaf.index for leaf in self._scalars(graph, target)]
        made = differentiate.gradient(asked.graph, asked.wrt, results=results, output=output)
        made = without_rules_used(made, asked.wrt)
        return retaining(made, self.retain) if self.retain else with_named_cotangents(made)

    def _target(self, graph: Graph) -> tuple[Structure, Structure | None]:
        output, aux = graph.output, None
        if self.aux:
            if not isinstance(output, Container) or len(output.items) != 2:
                raise SignatureError(
                    f"{graph.name} does not return a pair, as has_aux=True says",
                    graph.span,
                    "return (value, more), or leave has_aux out",
                )
            output, aux = output.items
        if not all(isinstance(case, Leaf) for case in cases_of(output)):
            raise GradientShapeError(
                f"cannot take the gradient of {graph.name}: it returns {_described(output)}",
                graph.span,
                _instead_of_gradient(output),
            )
        return output, aux

    @staticmethod
    def _scalars(graph: Graph, target: Structure) -> list[Leaf]:
        """The scalars with a derivative that the target may be."""
        leaves = [case for case in cases_of(target) if isinstance(case, Leaf)]
        types = [graph.block.results[leaf.index].type for leaf in leaves]
        floats = [carries_derivative(type_) for type_ in types]
        if not any(floats):
            raise SignatureError(
                f"cannot differentiate {graph.name}: it returns {in_words(types[0])}",
                graph.span,
                "return a float",
            )
        for type_ in types:
            if isinstance(type_, ArrayType) and type_.dtype.kind == "c":
                raise SignatureError(
                    f"cannot take the gradient of {graph.name}: it returns {in_words(type_)}",
                    graph.span,
                    "return a real number, such as its .real or abs(...), or use symdiff.vjp",
                )
        return list(itertools.compress(leaves, floats))

    def _output(self, target: Structure, aux: Structure | None, gradient: Structure) -> Structure:
        value = target if aux is None else of_tuple((target, aux))
        if self.value:
            return of_tuple((value, gradient))
        return gradient if aux is None else of_tuple((gradient, aux))


def without_rules_used(graph: Graph, wrt: Sequence[int]) -> Graph:
    """A gradient graph in which functions whose reverse rule was used are what they compute.

    A further derivative is that of the function's and the rule's own statements, as in JAX. What
    is cut in the function has none: there the rule stays, or the refusal where it has none.
    """
    if not any(node.op is custom_call for node in walk_nodes(graph.block)):
        return graph
    sources = [graph.block.parameters[number] for number in wrt]
    active = analyse(graph.block, sources, graph.block.results, Calls().dependencies).active

    def was_used(node: Node) -> bool:
        used = node.attributes["reverse"] is not None and not set(node.results).isdisjoint(active)
        return used and not _is_cut(node.attributes["primal"])

    return expanded(graph, was_used)


def _is_cut(graph: Graph) -> bool:
    """Return whether something in a function was declared to have no derivative."""
    cutting = (opaque_call, stop_gradient, foreign_call)
    return any(node.op in cutting for node in walk_nodes(graph.block))


def _instead_of_gradient(output: Structure) -> str:
    """What to do where a function returns no number."""
    if isinstance(output, Static) and output.value is None:
        return "return a number; of a function that changes its arguments, use symdiff.functional"
    if isinstance(output, Static):
        return "return a number"
    if has_cases(output):
        return "use symdiff.vjp, or symdiff.grad of a part"
    if (
        isinstance(output, Container)
        and issubclass(output.type, tuple | list)
        and len(output.items) == 2
        and isinstance(output.items[0], Leaf)
    ):
        return "of a pair of value and more, use has_aux=True; else symdiff.jacobian or symdiff.vjp"
    return "use symdiff.jacobian or symdiff.vjp"


def _described(structure: Structure) -> str:
    if isinstance(structure, Static):
        return repr(structure.value)
    if isinstance(structure, Either):
        told = dict.fromkeys(map(_described, (structure.then, structure.orelse)))
        return " or ".join(told) if len(told) > 1 else f"{next(iter(told))}, or another one"
    return f"a {structure.type.__name__}" if isinstance(structure, Container) else "a number"


@dataclass(frozen=True)
class Jvp(Transform):
    """``(primals, tangents)`` → the pair of value and tangent; None as a tangent means none.

    The first ``skip`` arguments, to which a method is bound, stand before ``primals``.
    """

    skip: int = 0

    def parameters(self, inner: Parameters) -> Parameters:
        return WithTangents.of(inner, self.skip)

    def inner_arguments(self, arguments: Arguments, inner: Parameters) -> Arguments:
        *bound, primals, _ = arguments
        return inner.canonical((*bound, *primals))

    def normalise(self, arguments: Arguments, inner: Parameters, within: Normalise) -> Arguments:
        *bound, primals, tangents = arguments
        for name, given in (("primals", primals), ("tangents", tangents)):
            if not isinstance(given, tuple | list):
                kind = type(given).__name__
                raise SignatureError(
                    f"{name} is a tuple, one entry an argument, not of type {kind}",
                    hint="jvp(f, (x, y), (x_dot, y_dot))",
                )
        given, count = primals, len(primals)
        flat = inner.flat(within(inner.bind((*bound, *primals), {})))
        bound, primals = list(flat[: self.skip]), flat[self.skip :]
        require_tangents(count, len(tangents), len(primals))
        tangents = inner.completed(tuple(tangents), given, primals)
        pairs = [
            like(tangent, primal, ("tangents", k))
            for k, (primal, tangent) in enumerate(zip(primals, tangents, strict=True))
        ]
        return *bound, tuple(p for p, _ in pairs), tuple(t for _, t in pairs)

    def opens(self, arguments: Arguments, inner: Parameters) -> list[Any]:
        *_, primals, tangents = arguments
        pairs = [pair for pair in zip(primals, tangents, strict=True) if pair[1] is not None]
        return [value for pair in pairs for value in pair]

    def ties(self, calls: CallPair) -> list[tuple[Path, Path]]:
        tangents = leaves(specification_at(calls.outer, ("tangents",)))
        return [
            (("tangents", *path), ("primals", *path))
            for path, kind in tangents
            if isinstance(kind, ArrayType)
        ]

    def outer_path(self, path: Path, calls: CallPair) -> Path:
        slot = _slot(path, calls)
        return path if slot[0] < self.skip else ("primals", slot[0] - self.skip, *slot[1:])

    def differentiates(self, path: Path, calls: CallPair) -> bool:
        return self.outer_path(path, calls)[1:] in self._given(calls)

    @staticmethod
    def _given(calls: CallPair) -> set[Path]:
        """The places in ``tangents`` where there is one."""
        return _given_in(calls, "tangents")

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        def outer(path: Path) -> Path:
            return self.outer_path(path, calls)

        given = self._given(calls)
        primals = leaves(specification_at(calls.outer, ("primals",)))
        floats = {place for place, kind in primals if _carries_derivative(kind)}
        require_differentiated(("tangents",), given - floats)
        made, places = _pushed(graph, lambda path: outer(path)[1:], given)
        return renamed(made, outer, [("tangents", *place) for place in places])


def require_tangents(primals: int, tangents: int, most: int | None = None) -> None:
    """One tangent for each primal given; up to ``most`` with those of defaults.

    :raises SignatureError: where there are fewer, or more.
    """
    if tangents < primals or (most is not None and tangents > most):
        raise SignatureError(
            f"{counted(primals, 'primal')}, but {counted(tangents, 'tangent')}",
            hint="give a tangent for each, None where nothing is differentiated",
        )


def require_differentiated(start: Path, places: Iterable[Path]) -> None:
    """Refuse tangents that are given where nothing is differentiated, at places from a start on.

    :raises SignatureError: that names the first.
    """
    for place in sorted(places, key=str):
        raise SignatureError(
            f"{spelled((*start, *place))} is given, but what it belongs to has no derivative",
            hint="give None as its tangent, or differentiate at a float, float(n)",
        )


def _given_in(calls: CallPair, name: str) -> set[Path]:
    """The places in an argument of tangents where there is one."""
    tangents = leaves(specification_at(calls.outer, (name,)))
    return {place for place, kind in tangents if kind != _NONE}


def _carries_derivative(kind: Specification) -> bool:
    return isinstance(kind, ArrayType | ListType) and carries_derivative(kind)


_NONE = Fixed(None, type(None))


def _slot(path: Path, calls: CallPair) -> Path:
    """A path of arguments in canonical form as a path from the tuple of positional ones."""
    variadic = dict(calls.inner.parameters).get(calls.parameters.variadic or "")
    count = len(variadic.items) if isinstance(variadic, Nested) else 0
    return calls.parameters.slot(path, count)


def _pushed(
    graph: Graph, place: Callable[[Path], Path], given: set[Path]
) -> tuple[Graph, list[Path]]:
    """The jvp graph by the inputs whose tangents are given, and where their tangents stand."""
    wrt, places = [], []
    for number, (known, value) in enumerate(zip(graph.inputs, graph.block.parameters, strict=True)):
        if known.origin == "argument" and carries_derivative(value.type):
            where = place(known.path)
            if where in given:
                wrt.append(number)
                places.append(where)
    require_rule(graph, wrt)
    pair = of_tuple((graph.output, tangent_structure(graph)))
    return differentiate.jvp(graph, wrt, output=pair), places


def renamed(graph: Graph, path: Callable[[Path], Path], derived: Sequence[Path]) -> Graph:
    """The graph with inputs that come from the arguments of the outer call."""
    places = iter(derived)
    inputs = tuple(
        Input(next(places))
        if known.origin == "derived"
        else Input(path(known.path))
        if known.origin == "argument"
        else known
        for known in graph.inputs
    )
    return replace(graph, inputs=inputs)


@dataclass(frozen=True)
class Directional(Differentiated):
    """The derivative along a vector that is the last argument, structured like the arguments asked
    for.
    """

    def parameters(self, inner: Parameters) -> Parameters:
        return WithVector.of(inner)

    def inner_arguments(self, arguments: Arguments, inner: Parameters) -> Arguments:
        return arguments[:-1]

    def normalise(self, arguments: Arguments, inner: Parameters, within: Normalise) -> Arguments:
        *primals, vector = arguments
        primals = list(super().normalise(tuple(primals), inner, within))
        paths = self.wrt.paths(inner)
        name = WithVector.of(inner).names[-1]
        single = not isinstance(self.wrt.argnums, tuple)
        vectors = (vector,) if single or not isinstance(vector, tuple | list) else tuple(vector)
        if len(vectors) != len(paths):
            raise SignatureError(
                f"{name} has {len(vectors)} entries for {counted(len(paths), 'argument')}",
                hint="give a vector for each of argnums, structured like the argument",
            )
        along = []
        for path, part in zip(paths, vectors, strict=True):
            primal = inner.value_at(tuple(primals), path)
            along.append(like(part, primal, (name,))[1])
        return *primals, along[0] if single else tuple(along)

    def opens(self, arguments: Arguments, inner: Parameters) -> list[Any]:
        return [*super().opens(arguments[:-1], inner), arguments[-1]]

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        asked = self.asked(graph, calls)
        made = differentiate.jvp(asked.graph, asked.wrt, output=tangent_structure(asked.graph))
        name = WithVector.of(calls.parameters).names[-1]
        places = dict(numbered_paths(self.wrt.shaped(asked.structures), (name,)))
        require_differentiated(
            (name,), _given_in(calls, name).difference(place[1:] for place in places.values())
        )
        return renamed(made, lambda path: path, [places[k] for k in range(len(asked.wrt))])

    def ties(self, calls: CallPair) -> list[tuple[Path, Path]]:
        name = WithVector.of(calls.parameters).names[-1]
        several = isinstance(self.wrt.argnums, tuple)
        found = []
        for k, path in enumerate(self.wrt.paths(calls.parameters)):
            start = (name, k) if several else (name,)
            for along, kind in leaves(specification_at(calls.outer, start), start):
                if isinstance(kind, ArrayType):
                    found.append((along, (*path, *along[len(start) :])))
        return found


@dataclass(frozen=True)
class Derivative(Differentiated):
    """The derivative by a number, in forward mode."""

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        asked = self.asked(graph, calls)
        number = self._number(asked, calls.parameters.function)
        made = differentiate.jvp(asked.graph, (number,), output=tangent_structure(asked.graph))
        return with_unit_tangent(made)

    def at_once(self, graph: Graph, calls: CallPair, times: int) -> Graph | None:
        asked = self.asked(graph, calls)
        number = self._number(asked, calls.parameters.function)
        try:
            return differentiate.nth_derivative(asked.graph, number, times)
        except UnsupportedCallError:  # of what has no rule for series
            return None

    @staticmethod
    def _number(asked: Asked, function: str) -> int:
        for number in asked.wrt:
            type_ = asked.graph.block.parameters[number].type
            if len(asked.wrt) == 1 and isinstance(type_, ArrayType) and type_.rank == 0:
                return number
        raise GradientShapeError(
            f"{function} is not a function of one number",
            hint="use symdiff.jacobian or symdiff.grad; lambda t: f(x + t * v) is of one number",
        )


@dataclass(frozen=True)
class Taylor(Derivative):
    """The Taylor coefficients up to an order, by a number."""

    order: int = 1

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        asked = self.asked(graph, calls)
        number = self._number(asked, calls.parameters.function)
        require_rule(asked.graph, (number,))
        return differentiate.taylor(asked.graph, number, self.order)


def with_unit_tangent(graph: Graph) -> Graph:
    """The graph with its only derived input, the tangent of a number, set to 1."""
    position = next(k for k, known in enumerate(graph.inputs) if known.origin == "derived")
    parameters = list(graph.block.parameters)
    tangent = parameters.pop(position)
    inputs = (*graph.inputs[:position], *graph.inputs[position + 1 :])
    new: dict[Value, Value] = {}
    with building(Builder([], graph.span)) as made:
        new[tangent] = unit_of(tangent)
        for node in graph.block.nodes:
            copy_into(node, new)
    results = tuple(new.get(value, value) for value in graph.block.results)
    block = Block(tuple(parameters), made.nodes, results)
    return replace(graph, block=block, inputs=inputs, mutated={})


@dataclass(frozen=True)
class Jacobian(Differentiated):
    """Arrays of shape out + in, for every array returned and every array asked for."""

    mode: Literal["auto", "fwd", "rev"] = "auto"
    title: str = "jacobian"

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        from symdiff.api.jacobians import jacobian_graph

        asked = self.asked(graph, calls)
        return jacobian_graph(asked, self.wrt.shaped, self.mode)


@dataclass(frozen=True)
class Sweep(Differentiated):
    """The tangents of one array along the vectors that the last argument holds along its first
    axis; in reverse, the cotangents of one argument. Without ``lanes`` there is one vector.
    """

    mode: Literal["fwd", "rev"] = "fwd"
    lanes: bool = True

    def parameters(self, inner: Parameters) -> Parameters:
        return WithVector.of(inner)

    def inner_arguments(self, arguments: Arguments, inner: Parameters) -> Arguments:
        return arguments[:-1]

    def normalise(self, arguments: Arguments, inner: Parameters, within: Normalise) -> Arguments:
        return *super().normalise(arguments[:-1], inner, within), arguments[-1]

    def opens(self, arguments: Arguments, inner: Parameters) -> list[Any]:
        return super().opens(arguments[:-1], inner)

    def lengths(self, calls: CallPair) -> list[Tie]:
        if self.mode == "rev":
            return []
        (path,) = self.wrt.paths(calls.parameters)
        kind, name = specification_at(calls.inner, path), WithVector.of(calls.parameters).names[-1]
        rank = kind.rank if isinstance(kind, ArrayType) else 0
        return [Tie(((name,), k + self.lanes), (path, k), 0) for k in range(rank)]

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        from symdiff.api.sweeps import sweep_graph

        name = WithVector.of(calls.parameters).names[-1]
        vectors = specification_at(calls.outer, (name,))
        assert isinstance(vectors, ArrayType)
        dim = vectors.shape[0] if self.lanes else None
        return sweep_graph(self.asked(graph, calls), name, self.mode, dim)


@dataclass(frozen=True)
class Simplify(Transform):
    """The function itself; what is emitted of it and its derivatives, SymPy simplifies."""

    simplify: tuple[str, ...] = ()


@dataclass(frozen=True)
class Functional(Transform):
    """``(result, {name: final value})`` of every argument that the function writes, on copies."""

    @property
    def at_end(self) -> bool:
        return True

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        finals = Finals(graph, calls.inner)
        items = finals.structures()
        output = of_tuple((graph.output, Container(dict, tuple(finals.names), items)))
        block, inputs = finals.block(), finals.graph.inputs
        return replace(graph, block=block, inputs=inputs, output=output, mutated={})


_CLASSES: dict[str, type[Transform]] = {
    kind.__name__: kind
    for kind in (
        Derivative,
        Directional,
        Functional,
        Gradient,
        Jacobian,
        Jvp,
        Marked,
        Simplify,
        Sweep,
        Taylor,
        Vmap,
    )
}


def transform_of(step: tuple[Any, ...]) -> Transform:
    """The transform that a step names: the class, and its fields."""
    name, *fields = step
    kind = _CLASSES[name]
    if issubclass(kind, Differentiated):
        argnums, skip = fields.pop(0)
        return kind(Wrt(argnums, skip), *fields)
    return kind(*fields)
