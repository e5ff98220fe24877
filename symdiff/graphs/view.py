"""The computation graph of a function, as its user sees it.

A graph of the IR enters, with the user's names and the inputs that are differentiated by; a
``ComputationGraph`` leaves. It answers the questions that PyTorch's tutorials on autograd teach
people to ask: leaves, root, ``requires_grad``, ``grad_fn``, ``next_functions``; it prints, and
draws itself.

Every value of the IR is a node but constants, which stand in the expressions that use them, and
placeholders of what is not bound. Nodes are in program order, those of nested blocks where the loop
or the branch stands.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from symdiff.differentiate.activity import Dependencies, analyse, can_carry
from symdiff.errors import UnknownNameError
from symdiff.graphs.effects import GraphEffect, is_effect
from symdiff.graphs.functions import Functions
from symdiff.graphs.nodes import GraphNode
from symdiff.graphs.painting import picture_of
from symdiff.graphs.picture import Collapse, Notes, is_easily_read
from symdiff.graphs.places import Places
from symdiff.graphs.spelling import UNNAMED, spelled
from symdiff.ir.build import constant
from symdiff.ir.control import loop, undefined
from symdiff.ir.graph import Graph, Value, uses, walk_nodes
from symdiff.ir.types import ArrayType, Dim, ListType, Multiple, TapeType, Type
from symdiff.ops.index import index_add, index_set
from symdiff.source import SourceSpan

if TYPE_CHECKING:
    import networkx

_SUFFIXES = {"primal": "", "cotangent": "_bar", "tangent": "_dot", "definition": ""}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Described:
    """What a view shows: a graph, and what is known of it besides.

    ``names`` are the user's names at the end, each with its value or why there is none; ``entry``
    the name of each input; ``wanted`` the numbers of the inputs that are differentiated by;
    ``sizes`` the sizes at hand of symbols; ``ir`` what is compiled; ``derived`` the same for the
    graph of the derivative, where the function is one.
    """

    graph: Graph
    entry: tuple[str, ...]
    wanted: frozenset[int]
    ir: Graph
    names: Mapping[str, Value | str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    derived: Described | None = None


class ComputationGraph:
    """The graph of what a function computes, and of the backward sweep through it.

    >>> import symdiff as sd
    >>> def f(w, x):
    ...     y = w * x
    ...     return y + w
    >>> g = sd.grad(f).graph("float64", "float64")
    >>> g["y"].requires_grad, g["x"].requires_grad, g["w"].is_leaf
    (True, False, True)
    >>> g.root.grad_fn.next_functions
    ((<MultiplyBackward0 at ...>, 0), (<AccumulateGrad of w>, 0))
    >>> print(g)
    graph of f:
          w: float64            requires_grad
          x: float64
       2 | y = w * x
          y: float64 = w * x    MultiplyBackward0
       3 | return y + w
          %3: float64 = y + w   AddBackward0
          returns %3
    """

    def __init__(self, described: Described) -> None:
        self._described = described
        self._block = described.graph.block
        self.name = described.graph.name
        self.ir = described.ir
        self.span = described.graph.span
        self.places = Places(self._block)
        wanted = [self._block.parameters[number] for number in sorted(described.wanted)]
        edges = list(self._edges())
        self._active = _reached(wanted, edges)
        self.functions = Functions(self, edges)
        self._nodes = dict(self._made())

    def _edges(self) -> Iterator[tuple[Value, Value]]:
        """The values on which others depend differentiably, with these; in conditions too."""
        for edge in analyse(self._block, (), (), Dependencies()).edges:
            yield edge.source, edge.destination
        for handed, parameter in self.places.conditions():
            if can_carry(parameter.type):
                yield handed, parameter

    def _made(self) -> Iterator[tuple[Value, GraphNode]]:
        """The nodes, each under a label that no other one has."""
        names = self._names()
        taken: dict[str, int] = {}
        used = uses(self._block)
        used.update(dict.fromkeys(self._block.parameters, 1))
        shown = (value for value in self.places.number if _is_shown(value, used))
        for number, value in enumerate(shown):
            name = names.get(value)
            label = name or f"%{number}"
            taken[label] = taken.get(label, 0) + 1
            if taken[label] > 1:
                label += str(taken[label]).translate(_SUBSCRIPTS)
            type_ = _sized(value.type, self._described.sizes)
            yield value, GraphNode(self, value, type_, number, name, label)

    def _names(self) -> dict[Value, str]:
        """The user's names of values; an array that was written into keeps its name."""
        names = dict(zip(self._block.parameters, self._described.entry, strict=True))
        for name, value in self._described.names.items():
            if isinstance(value, Value) and value.name is None:
                names.setdefault(value, name)
        for value in self.places.number:
            if value in names:
                continue
            if value.name is not None:
                names[value] = value.name + _SUFFIXES[value.role]
            elif value.node is not None and value.node.op in (index_set, index_add):
                base = value.node.operands[0]
                if base in names:
                    names[value] = names[base]
        return names

    @functools.cached_property
    def derived(self) -> ComputationGraph:
        """The graph of what a derivative itself computes, cotangents (``w_bar``) and all.

        Of a function that is no derivative, its own.
        """
        described = self._described.derived
        return self if described is None else ComputationGraph(described)

    # Nodes ----------------------------------------------------------------------------------------

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """All nodes, in program order."""
        return tuple(self._nodes.values())

    @property
    def inputs(self) -> dict[str, GraphNode]:
        """The arguments, and the variables from outside, with the values that they have at entry.

        What is in a container stands under its place: ``params[0]['w']``.
        """
        pairs = zip(self._described.entry, self._block.parameters, strict=True)
        return {name: self._nodes[value] for name, value in pairs}

    @property
    def leaves(self) -> tuple[GraphNode, ...]:
        """The inputs that require a gradient: where the backward sweep ends."""
        return tuple(node for node in self.inputs.values() if node.requires_grad)

    @property
    def intermediates(self) -> tuple[GraphNode, ...]:
        """What the backward sweep goes through between: nodes that are neither leaves nor roots."""
        roots = set(self.roots)
        return tuple(n for n in self._nodes.values() if not n.is_leaf and n not in roots)

    @property
    def roots(self) -> tuple[GraphNode, ...]:
        """What is returned, each value once, and the last values of the arrays written to."""
        return self._distinct(self._block.results)

    @property
    def returned(self) -> tuple[GraphNode, ...]:
        """The values that are returned, each once."""
        results = self._block.results
        return self._distinct(results[: len(results) - len(self._described.graph.mutated)])

    @property
    def written(self) -> tuple[GraphNode, ...]:
        """The last values of the arrays that the function is given, or has from outside, and writes
        into; drawn as roots are.
        """
        results = self._block.results
        return self._distinct(results[len(results) - len(self._described.graph.mutated) :])

    @property
    def root(self) -> GraphNode:
        """What is returned, where that is one value.

        :raises ValueError: where no value that the function computes is returned, or several are.
        """
        returned = self.returned
        if len(returned) != 1:
            raise ValueError(f"{self.name} returns {len(returned)} values: see roots")
        return returned[0]

    def _distinct(self, values: Iterable[Value]) -> tuple[GraphNode, ...]:
        return tuple(self._nodes[value] for value in dict.fromkeys(values) if value in self._nodes)

    @functools.cached_property
    def effects(self) -> tuple[GraphEffect, ...]:
        """What the function does besides computing, in program order: what it prints and raises,
        writes to attributes and items from outside, calls of what is not followed (draws,
        ``log.append``).

        In every derivative these are done once, in order, in the forward sweep. Arrays that are
        written into are ``written``.
        """
        found = filter(is_effect, walk_nodes(self._block))
        return tuple(GraphEffect(self, node, number) for number, node in enumerate(found))

    def __getitem__(self, name: str) -> GraphNode:
        """The node of the user's name: its last value.

        A name of a loop's body, a branch or a called function that the function itself does not
        have means its last value there.

        :raises UnknownNameError: where there is no such name, or no node for it.
        """
        known = self._described.names.get(name)
        if isinstance(known, Value) and known in self._nodes:
            return self._nodes[known]
        named = () if isinstance(known, str) else self.named(name)
        if not named:
            raise self._unknown(name, known)
        return named[-1]

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except UnknownNameError:
            return False
        return isinstance(name, str)

    def __iter__(self) -> Iterator[GraphNode]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that have a node, sorted."""
        known = {node.name for node in self if node.name}
        known |= {name for name in self._described.names if name in self}
        return tuple(sorted(name for name in known if name in self))

    def named(self, name: str) -> tuple[GraphNode, ...]:
        """Every value that a name has, in program order, in loops and branches too."""
        return tuple(node for node in self._nodes.values() if node.name == name)

    def _unknown(self, name: str, known: Value | str | None) -> UnknownNameError:
        if isinstance(known, str):
            return UnknownNameError(f"there is no node for {name!r}: {known}")
        if known is not None:
            return UnknownNameError(f"there is no node for {name!r}: it is a constant")
        near = difflib.get_close_matches(name, self.names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"names: {', '.join(self.names)}"
        return UnknownNameError(f"{self.name} has no name {name!r}", hint=hint)

    # What nodes ask -------------------------------------------------------------------------------

    def node(self, value: Value) -> GraphNode:
        """The node of a value of the IR."""
        return self._nodes[value]

    def has(self, value: Value) -> bool:
        """Return whether a value of the IR is a node."""
        return value in self._nodes

    def is_active(self, value: Value) -> bool:
        """Return whether a value depends differentiably on what is differentiated by."""
        return value in self._active

    def is_input(self, value: Value) -> bool:
        """Return whether a value is an argument or comes from outside."""
        return value.node is None and self.places.home[value] is self._block

    def expression(self, value: Value) -> str:
        """How a value is computed from others, by their names."""
        return spelled(value, self.places, self.called)

    def called(self, value: Value) -> str:
        """The name of a value in expressions, or a dot for one without."""
        node = self._nodes.get(value)
        return UNNAMED if node is None or node.name is None else node.name

    def span_of(self, value: Value) -> SourceSpan | None:
        """Where in the user's source a value is computed."""
        if value.node is not None:
            return value.node.span
        owner = self.places.around(value)
        return self.span if owner is None else owner.span

    def inputs_of(self, value: Value) -> tuple[GraphNode, ...]:
        """The nodes that a value is computed from."""
        sources = (source.value for source in self.places.sources(value))
        return tuple(self._nodes[source] for source in sources if source in self._nodes)

    def users_of(self, value: Value) -> tuple[GraphNode, ...]:
        """The nodes that are computed from a value."""
        return tuple(self._users.get(value, ()))

    @functools.cached_property
    def _users(self) -> dict[Value, dict[GraphNode, None]]:
        users: dict[Value, dict[GraphNode, None]] = {}
        for node in self.nodes:
            for source in node.inputs:
                users.setdefault(source.value, {})[node] = None
        return users

    # Shown ----------------------------------------------------------------------------------------

    def __str__(self) -> str:
        from symdiff.graphs.text import text_of

        return text_of(self)

    def to_dot(self, *, collapse: Collapse = "auto", notes: Notes | None = None) -> str:
        """The drawing in Graphviz's language.

        :param collapse: ``"never"`` draws each node, ``"line"`` each statement of the user's as
            one box, ``"auto"`` the latter where there are many nodes, and several statements in
            succession as one where there are many of these. Above 250 boxes arrows are straight:
            the layout of some thousand boxes then takes seconds.
        :param notes: what to write on nodes: ``{node.id: (lines, mark)}`` with lines of text, and
            ``"good"``, ``"warning"``, ``"bad"`` or None as a mark.
        :raises ValueError: for an unknown way to collapse, an unknown node or mark.
        """
        from symdiff.graphs.dot import dot_of

        return dot_of(picture_of(self, collapse, notes or {}))

    def to_mermaid(self, *, collapse: Collapse = "auto", notes: Notes | None = None) -> str:
        """The drawing as a Mermaid flowchart; parameters as those of ``to_dot``."""
        from symdiff.graphs.mermaid import mermaid_of

        return mermaid_of(picture_of(self, collapse, notes or {}))

    def to_svg(self, *, collapse: Collapse = "auto", notes: Notes | None = None) -> str:
        """The drawing as an ``<svg>`` element, laid out by Graphviz; parameters as of ``to_dot``.

        :raises ModuleNotFoundError: where ``pygraphviz`` (extra ``draw``) is not installed.
        """
        from symdiff.graphs.svg import svg_of

        return svg_of(self.to_dot(collapse=collapse, notes=notes))

    def to_networkx(self) -> networkx.MultiDiGraph:
        """All nodes as a graph of NetworkX: an edge for each use, from what is used to the user.

        A loop has edges of kind ``"turn"`` from the end of its body to the start.

        :raises ModuleNotFoundError: where NetworkX (extra ``draw``) is not installed.
        """
        from symdiff.graphs.networks import network_of

        return network_of(self)

    def _repr_svg_(self) -> str | None:
        """What a notebook shows; None, so that it shows text, where that cannot be laid out."""
        from symdiff.graphs.dot import dot_of
        from symdiff.graphs.svg import is_installed, svg_of

        picture = picture_of(self, "auto", {})
        return svg_of(dot_of(picture)) if is_installed() and is_easily_read(picture) else None

    def __repr__(self) -> str:
        return f"<graph of {self.name}: {len(self)} nodes, {len(self.leaves)} leaves>"


def _reached(sources: Iterable[Value], edges: Iterable[tuple[Value, Value]]) -> set[Value]:
    """What depends on some values."""
    following: dict[Value, list[Value]] = {}
    for source, destination in edges:
        following.setdefault(source, []).append(destination)
    found = set(sources)
    pending = list(found)
    while pending:
        new = [value for value in following.get(pending.pop(), ()) if value not in found]
        found.update(new)
        pending += new
    return found


def _is_shown(value: Value, used: Mapping[Value, int]) -> bool:
    """Return whether a value is a node: constants, placeholders and what only the compiler counts
    are not.
    """
    node = value.node
    if node is None:
        return value in used or value.name is not None
    is_count = node.op is loop and value is node.results[-1]
    return node.op not in (constant, undefined) and (value in used or not is_count)


def _sized(type_: Type, sizes: Mapping[str, int]) -> Type:
    """The type with the sizes that are known at hand."""
    if isinstance(type_, ListType | TapeType):
        return replace(type_, element=_sized(type_.element, sizes))
    if not isinstance(type_, ArrayType) or not sizes:
        return type_
    return replace(type_, shape=tuple(_sized_dim(dim, sizes) for dim in type_.shape))


def _sized_dim(dim: Dim, sizes: Mapping[str, int]) -> Dim:
    known = None if isinstance(dim, int) else Multiple.of(dim)
    if known is None or known.symbol not in sizes:
        return dim
    return max(0, sizes[known.symbol] * known.factor + known.offset)
