"""The programs of a module: each emitted once, under names that are the module's.

Beside what is exported these are, for the checks, what it is the derivative of, with its floats as
a flat tuple; its forward sweep along directions; its backward sweep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from symdiff import differentiate, pipeline
from symdiff.emit import Emitted, Parameter
from symdiff.emit.namespace import Namespace
from symdiff.exporting.refusals import all_nodes
from symdiff.exporting.request import Exported
from symdiff.ir.graph import Graph, Input
from symdiff.ir.signature import Path
from symdiff.ir.structure import Leaf, Structure, leaf_numbers, of_tuple, tuple_of
from symdiff.ir.types import ArrayType, carries_derivative
from symdiff.optimise import optimise
from symdiff.pipeline import Arguments, Chain, Derived


@dataclass(frozen=True, slots=True)
class Sweeps:
    """What a derivative is compared with: programs of what it is the derivative of.

    ``name`` begins the names of all of them. ``wrt`` are the paths of the floats that it reads of
    its arguments; ``order`` picks the backward function's arguments; ``seeded`` are places in the
    flat tuple of results.
    """

    name: str
    derived: Derived
    value: Emitted
    along: Emitted | None
    forward: Emitted | None
    backward: Emitted | None
    order: tuple[int, ...]
    wrt: tuple[Path, ...]
    seeded: tuple[int, ...]

    @property
    def eps(self) -> float:
        """The resolution of the coarsest floats that are computed with."""
        types = (v.type for node in all_nodes(self.derived.graph) for v in node.results)
        inputs = (value.type for value in self.derived.graph.block.parameters)
        floats = {
            t.dtype for t in (*types, *inputs) if isinstance(t, ArrayType) and t.dtype.kind in "fc"
        }
        return max((float(np.finfo(dtype).eps) for dtype in floats), default=2.0**-52)


@dataclass(slots=True)
class Programs:
    """Emitted programs, and the names of the module that they stand in."""

    names: Namespace
    emitted: list[Emitted] = field(default_factory=list)
    known: dict[Any, Any] = field(default_factory=dict)

    def add(self, emitted: Emitted) -> Emitted:
        self.emitted.append(emitted)
        return emitted

    def function(self, exported: Exported, derived: Derived) -> Emitted:
        """What is exported itself."""
        name = self.names.fresh(f"_{exported.name}")
        return self.add(self.emit(derived, name, exported.exact))

    def emit(self, derived: Derived, name: str, exact: bool) -> Emitted:
        """The program of a derived graph."""
        return pipeline.build(derived, name, exact=exact, beside=self.names).emitted

    def pair(self, exported: Exported, derived: Derived) -> pipeline.Pair:
        """A function's forward and backward parts."""
        graph, wrt, shaped = exported.everything(derived)
        name = self.names.fresh(f"_{exported.name}")
        complete = replace(derived, graph=graph)
        made = pipeline.build_pair(complete, name, wrt, shaped, beside=self.names)
        self.add(made.forward.emitted)
        self.add(made.backward)
        return made

    def sweeps(self, chain: Chain, arguments: Arguments, name: str, backward: bool) -> Sweeps:
        """The programs to compare a derivative of ``chain`` with, made once."""
        derived = pipeline.derive(chain, arguments)
        key = (chain.transforms, id(chain.function), str(derived.signature), backward)
        if key not in self.known:
            self.known[key] = self._sweeps(derived, name, backward)
        found: Sweeps = self.known[key]
        return found

    def _sweeps(self, derived: Derived, name: str, backward: bool) -> Sweeps:
        graph = derived.graph
        differentiate.require_one_structure(graph, "exported check")
        wrt = _floats(graph)
        paths = tuple(graph.inputs[number].path for number in wrt)
        order = _carrying(graph)
        flat = replace(derived, graph=_returning(graph, tuple(map(Leaf, order))))
        value = self._build(flat, f"_{name}_value")
        known = sorted(set(order))
        seeded = tuple(order.index(number) for number in known)
        if not backward:
            along = self.along(derived, _pushed(graph, wrt, order), f"_{name}_along")
            return Sweeps(name, derived, value, along, None, None, (), paths, seeded)
        shaped = tuple_of(len(wrt))
        given = replace(derived, graph=_returning(graph, tuple(map(Leaf, known))))
        made = pipeline.build_pair(
            given, self.names.fresh(f"_{name}"), wrt, shaped, beside=self.names
        )
        first, second = self.add(made.forward.emitted), self.add(made.backward)
        return Sweeps(name, derived, value, None, first, second, made.order, paths, seeded)

    def along(self, derived: Derived, graph: Graph, name: str) -> Emitted | None:
        """The forward sweep, of which ``graph`` is the graph."""
        return self._build(replace(derived, graph=graph), name)

    def _build(self, derived: Derived, name: str) -> Emitted:
        chosen = self.names.fresh(name)
        return self.add(self.emit(derived, chosen, True))

    def parameters(self) -> Iterator[Parameter]:
        """The parameters of all programs."""
        for emitted in self.emitted:
            yield from emitted.parameters


def _floats(graph: Graph) -> tuple[int, ...]:
    """The numbers of the arguments that carry derivatives."""
    pairs = zip(graph.inputs, graph.block.parameters, strict=True)
    return tuple(
        number
        for number, (source, value) in enumerate(pairs)
        if source.origin == "argument" and carries_derivative(value.type)
    )


def _carrying(graph: Graph) -> list[int]:
    """The numbers of the results that carry derivatives, in the order returned."""
    results = graph.block.results
    return [k for k in leaf_numbers(graph.output) if carries_derivative(results[k].type)]


def _returning(graph: Graph, items: Sequence[Structure]) -> Graph:
    return replace(graph, output=of_tuple(items))


def _pushed(graph: Graph, wrt: Sequence[int], order: Sequence[int]) -> Graph:
    """The tangents of results, in an order, along those of the inputs."""
    results = graph.block.results
    carrying = [k for k, value in enumerate(results) if carries_derivative(value.type)]
    leaves = [Leaf(len(results) + carrying.index(k)) for k in order]
    made = differentiate.jvp(graph, wrt, output=of_tuple(leaves))
    inputs = list(made.inputs)
    for k in range(len(wrt)):
        place = len(graph.inputs) + k
        inputs[place] = Input((f"{inputs[place].name}", k), "derived")
    return optimise(replace(made, inputs=tuple(inputs), mutated={}))
