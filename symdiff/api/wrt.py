"""With respect to what: ``argnums`` becomes paths, paths become numbers of inputs and a structure
for the result.

The derivative by an argument is structured like it; where nothing is differentiated (ints, bools,
strings) stands None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import AliasingError, SignatureError
from symdiff.ir.graph import Block, Graph, Input, Value
from symdiff.ir.signature import (
    Fixed,
    Live,
    Nested,
    Path,
    Signature,
    Specification,
    describe,
    leaves,
)
from symdiff.ir.structure import Container, Leaf, Static, Structure, mapped, of_tuple
from symdiff.ir.types import ArrayType, ListType, carries_derivative
from symdiff.runtime.parameters import Parameters
from symdiff.runtime.signature import spelled

Argnums = int | str | tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Wrt:
    """The arguments asked for. A tuple ``argnums`` asks for a tuple; ``skip``: bound arguments
    before the first.
    """

    argnums: Argnums = 0
    skip: int = 0

    def paths(self, parameters: Parameters) -> tuple[Path, ...]:
        """The path of each argument asked for."""
        chosen = self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)
        return tuple(parameters.locate(argument, self.skip) for argument in chosen)

    def shaped(self, parts: Sequence[Structure]) -> Structure:
        """The structure of a result with a part for each argument asked for."""
        return of_tuple(parts) if isinstance(self.argnums, tuple) else parts[0]


def specification_at(signature: Signature, path: Path) -> Specification:
    """The specification of what stands at a path of the arguments."""
    found = dict(signature.parameters)[path[0]]
    for key in path[1:]:
        if not isinstance(found, Nested) or key not in found.keys:
            raise SignatureError(f"there is no argument {spelled(path)} in this call")
        found = found.items[found.keys.index(key)]
    return found


def require_differentiable(function: str, path: Path, specification: Specification) -> None:
    """Refuse an argument that has no derivative.

    :raises SignatureError: for ints, bools, strings, objects, and containers of only such.
    """
    if any(_carries(item) for _, item in leaves(specification)):
        return
    if isinstance(specification, Nested) and not list(leaves(specification)):
        return  # an empty container
    name = spelled(path)
    raise SignatureError(
        f"cannot differentiate {function} with respect to {name!r}: it is {_said(specification)}",
        hint=_way_out(name, specification),
    )


def _carries(specification: Specification) -> bool:
    return isinstance(specification, ArrayType | ListType) and carries_derivative(specification)


def _said(specification: Specification) -> str:
    if isinstance(specification, Live) and isinstance(specification.example, np.ndarray):
        return f"an array of {specification.example.dtype}"
    kind = "" if isinstance(specification, ArrayType | Fixed) else "of type "
    return f"{kind}{describe(specification)}"


def _way_out(name: str, specification: Specification) -> str:
    if isinstance(specification, ArrayType) and specification.kind == "array":
        return f"pass floats, {name}.astype(float), or ask for another argument with argnums"
    if isinstance(specification, ArrayType):
        return f"pass a float, float({name}), or ask for another argument with argnums"
    if isinstance(specification, Live) and issubclass(specification.type, np.ndarray):
        return "pass an array of numbers, or ask for another argument with argnums"
    if isinstance(specification, Fixed | Nested):
        return "ask for another argument with argnums"
    return "pass the numbers to differentiate by as arguments, or as attributes of an object"


def cotangents_of(
    specification: Specification, path: Path, leaf: Callable[[Path], Structure]
) -> Structure:
    """The structure of the derivative by an argument; ``leaf`` gives that of a number."""
    if isinstance(specification, Nested):
        parts = zip(specification.keys, specification.items, strict=True)
        items = tuple(cotangents_of(item, (*path, key), leaf) for key, item in parts)
        return Container(specification.type, specification.keys, items)
    return leaf(path) if _carries(specification) else Static(None)


@dataclass(frozen=True, slots=True)
class Asked:
    """A graph with an input for each number asked for: these inputs' numbers, and a structure an
    argument.

    Leaves of ``structures`` number ``wrt``.
    """

    graph: Graph
    wrt: tuple[int, ...]
    structures: tuple[Structure, ...]

    def results(self, first: int) -> tuple[Structure, ...]:
        """The structures, for cotangents that are results from number ``first`` on."""
        return tuple(shifted(structure, first) for structure in self.structures)


def asked_for(graph: Graph, signature: Signature, paths: Iterable[Path]) -> Asked:
    """Find the inputs at ``paths`` and below, adding those that the graph does not use."""
    found: dict[Path, int] = {}
    same, asked = dict(signature.same), dict[Path, Path]()

    def leaf(path: Path) -> Structure:
        first = same.get(path, path)
        if asked.setdefault(first, path) != path:
            raise _one_array(graph.name, asked[first], path)
        return Leaf(found.setdefault(first, len(found)))

    specifications = [(path, specification_at(signature, path)) for path in paths]
    structures = tuple(cotangents_of(item, path, leaf) for path, item in specifications)
    types = {p: t for path, item in specifications for p, t in leaves(item, path)}
    graph = with_inputs(graph, {path: types[asked[path]] for path in found})
    numbers = input_numbers(graph)
    return Asked(graph, tuple(numbers[path] for path in found), structures)


def _one_array(function: str, one: Path, other: Path) -> AliasingError:
    return AliasingError(
        f"{spelled(one)} and {spelled(other)} are one array here, which {function} writes: there is"
        " no derivative by each of them",
        hint="pass a copy of one of them, or ask for one of them with argnums",
    )


def input_numbers(graph: Graph) -> dict[Path, int]:
    """The numbers of the inputs that come from arguments, by path."""
    return {given.path: k for k, given in enumerate(graph.inputs) if given.origin == "argument"}


def with_inputs(graph: Graph, wanted: Mapping[Path, Specification]) -> Graph:
    """The graph with parameters for arguments that it does not use."""
    known = input_numbers(graph)
    missing = {p: t for p, t in wanted.items() if p not in known}
    if not missing:
        return graph
    added = tuple(Value(t, None, str(p[0]) if len(p) == 1 else None) for p, t in missing.items())  # type: ignore[arg-type]
    block = Block((*graph.block.parameters, *added), graph.block.nodes, graph.block.results)
    inputs = (*graph.inputs, *(Input(path) for path in missing))
    return replace(graph, block=block, inputs=inputs)


def shifted(structure: Structure, by: int) -> Structure:
    """The structure with its leaves numbered from ``by`` on."""
    return mapped(structure, lambda number: Leaf(number + by))
