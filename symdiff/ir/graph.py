"""The IR: graphs of blocks of nodes over values, in structured SSA form.

A ``Node`` applies an ``Op`` to operand values, with static attributes and nested blocks, and
defines result values. Blocks capture values of the blocks around them lexically. Nodes stand in
program order; those with effects keep it. Values are compared by identity. Passes do not change a
graph that they are given: they build a new one (``Builder``, ``Substitution`` in ``ir.build``).
"""

from __future__ import annotations

import builtins
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from symdiff.dataclass import dataclass
from symdiff.ir.structure import Structure
from symdiff.ir.types import Type
from symdiff.source import SourceSpan

Attributes = dict[str, Any]
Cost = Literal["free", "plain", "cheap", "heavy"]
Order = Literal["packed", "kept", "packed as operands", "as operand", "reduced", "operand"]
"""How the array that an op makes lies in memory: in C order; as the operands do; in C order where
they do; in Fortran's order where the first operand does, else in C's; as the operand does along the
axes that are left; in the memory of the first operand, or as that does."""
Role = Literal["primal", "cotangent", "tangent", "definition"]

_numbers = itertools.count()


@dataclass(eq=False, slots=True)
class Op:
    """What the IR knows of an operation; ``ops.declare`` adds derivative rules and spellings.

    ``infer`` maps operand types and attributes to result types; ``evaluate`` is the reference
    meaning on run-time values. ``raises``: may raise, so it is never dropped nor moved across a
    predicate. ``effect``: never moved, duplicated or dropped. ``cost`` decides between recomputing
    and saving: ``plain`` is about an addition. ``view``: the position of the operand whose memory
    the result may share, or None; ``put``: what the operand is after a write to that view,
    ``(node, operand, new)``; ``read_only``: whether NumPy lets nobody write to it. ``varied``: open
    sizes of results are not told by the operands' types (elements of a list may differ in length),
    so each node gives them names of its own.
    ``order``: how the result lies in memory, if it is known; that of views is told by
    ``ops.memory_order``.
    ``fresh``: the result is a new array that nobody else has, so making it twice is meant.
    ``arithmetic``: results are sums, products or other functions of numbers, which wrap where these
    are NumPy's integers.
    """

    name: str
    infer: Callable[..., tuple[Type, ...]]
    evaluate: Callable[..., Any] | None = None
    raises: bool = False
    effect: bool = False
    cost: Cost = "cheap"
    view: int | None = None
    put: Callable[[Node, Value, Value], Value] | None = None
    read_only: Callable[[Node], bool] | None = None
    varied: bool = False
    order: Order | None = None
    fresh: bool = False
    arithmetic: bool = False

    def computes_with(self, position: int) -> bool:
        """Return whether an operand is a number, rather than a place, a length or a mask."""
        return True

    def __repr__(self) -> str:
        return f"<op {self.name}>"


@dataclass(eq=False, slots=True)
class Value:
    """One SSA value: a result of ``node``, or a block parameter where ``node`` is None.

    ``name`` is the user's name where there is one (``x``; for derived values the primal's name with
    ``role`` telling what it is of it: emission prints ``x_bar`` and ``x_dot``). ``below``: of the
    index of a loop that is being staged, the count of turns and how many of them are before it.
    """

    type: Type
    node: Node | None = None
    name: str | None = None
    role: Role = "primal"
    number: int = field(default_factory=_numbers.__next__)
    below: tuple[Operand, int] | None = None

    # Arithmetic on values and reading parts of them build nodes; ``ops`` installs the builders in
    # OPERATORS.
    def __add__(self, other: Operand) -> Value:
        return OPERATORS["add"](self, other)

    def __radd__(self, other: Operand) -> Value:
        return OPERATORS["add"](other, self)

    def __sub__(self, other: Operand) -> Value:
        return OPERATORS["subtract"](self, other)

    def __rsub__(self, other: Operand) -> Value:
        return OPERATORS["subtract"](other, self)

    def __mul__(self, other: Operand) -> Value:
        return OPERATORS["multiply"](self, other)

    def __rmul__(self, other: Operand) -> Value:
        return OPERATORS["multiply"](other, self)

    def __truediv__(self, other: Operand) -> Value:
        return OPERATORS["divide"](self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return OPERATORS["divide"](other, self)

    def __pow__(self, other: Operand) -> Value:
        return OPERATORS["power"](self, other)

    def __matmul__(self, other: Operand) -> Value:
        return OPERATORS["matmul"](self, other)

    def __neg__(self) -> Value:
        return OPERATORS["negative"](self)

    def __getitem__(self, key: Any) -> Value:
        return OPERATORS["index"](self, key)

    __iter__ = None  # else Python would ask for elements until there is an IndexError

    def __repr__(self) -> str:
        return f"%{self.number}{':' + self.name if self.name else ''} {self.type}"


Operand = Value | bool | int | float | complex
OPERATORS: dict[str, Callable[..., Value]] = {}


@dataclass(eq=False, slots=True)
class Node:
    """An op applied. ``span`` is the user's line that the node computes or is the derivative of."""

    op: Op
    operands: tuple[Value, ...]
    attributes: Attributes = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    results: tuple[Value, ...] = ()
    span: SourceSpan | None = None

    @property
    def result(self) -> Value:
        """The only result."""
        (value,) = self.results
        return value

    def __repr__(self) -> str:
        return f"<{self.op.name} {', '.join(f'%{v.number}' for v in self.operands)}>"


@dataclass(eq=False, slots=True)
class Block:
    """Parameters, nodes in order, results. ``results`` may be captured values."""

    parameters: tuple[Value, ...] = ()
    nodes: list[Node] = field(default_factory=list)
    results: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FreeVariable:
    """A variable outside the function that is read at each call: the first part of a free input's
    path.

    ``owner`` is a namespace (a module's dict, for a global), a closure cell, an object, or a weak
    reference to one that is not to be kept alive.
    """

    kind: Literal["global", "cell", "object", "weak"]
    owner: Any
    name: str

    def __eq__(self, other: object) -> bool:
        """Return whether both are one name in one place: namespaces are not compared by value."""
        return (
            isinstance(other, FreeVariable)
            and self.owner is other.owner
            and (self.kind, self.name) == (other.kind, other.name)
        )

    def __hash__(self) -> int:
        return hash((self.kind, id(self.owner), self.name))

    def read(self) -> Any:
        """Its present value; raises as Python does where it is unbound."""
        if self.kind == "global":
            return (
                self.owner[self.name] if self.name in self.owner else getattr(builtins, self.name)
            )
        if self.kind == "weak":
            return self.owner()
        return self.owner.cell_contents if self.kind == "cell" else self.owner

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"FreeVariable({self.kind!r}, {self.name!r})"


Origin = Literal["argument", "free", "derived", "partial"]


@dataclass(frozen=True, slots=True)
class Input:
    """Where a graph's parameter comes from.

    ``origin`` is ``"argument"`` (``path`` starts with the parameter's name and goes on with
    attribute names, keys and indices), ``"free"`` (a global, closure cell, or attribute of an
    object: ``path`` is what the run time follows to read it at each call) or ``"derived"`` (a seed
    cotangent, a tangent, a saved value: ``path`` is its name) or ``"partial"`` (the same, and None
    where the arm was not taken that defines it).
    """

    path: tuple[Any, ...]
    origin: Origin = "argument"

    @property
    def name(self) -> str:
        return "_".join(str(part) for part in self.path)


def with_distinct_paths(inputs: Sequence[Input]) -> list[Input]:
    """Inputs with paths that differ."""
    taken: set[tuple[Any, ...]] = set()
    distinct = []
    for known in inputs:
        path, number = known.path, 1
        while path in taken:
            number += 1
            path = (*known.path[:-1], f"{known.path[-1]}{number}")
        taken.add(path)
        distinct.append(replace(known, path=path))
    return distinct


@dataclass(eq=False, slots=True)
class Graph:
    """A whole function: ``block.parameters`` pair with ``inputs``; ``block.results`` fill
    ``output``.

    ``output`` is the structure of the value returned, whose leaves number ``block.results`` from 0.
    ``mutated`` maps the number of an input array that the function writes to the number of the
    block result that is its final value (such results come after the returned ones).
    """

    name: str
    block: Block
    inputs: tuple[Input, ...]
    output: Structure
    mutated: dict[int, int] = field(default_factory=dict)
    docstring: str | None = None
    span: SourceSpan | None = None

    @classmethod
    def of_values(
        cls,
        name: str,
        parameters: Sequence[Value],
        nodes: list[Node],
        results: Sequence[Value],
        output: Structure,
        span: SourceSpan | None = None,
    ) -> Graph:
        """A graph of values that are no arguments of a user's function."""
        inputs = tuple(Input((f"x{k}",), "derived") for k in range(len(parameters)))
        block = Block(tuple(parameters), nodes, tuple(results))
        return cls(name, block, inputs, output, span=span)

    @property
    def partial(self) -> list[Value]:
        """The parameters that may be None."""
        pairs = zip(self.block.parameters, self.inputs, strict=False)
        return [value for value, source in pairs if source.origin == "partial"]


@dataclass(eq=False, slots=True)
class GraphCell:
    """A graph by reference, so that a graph can call itself; filled once.

    ``unlike`` all others: no other cell has a graph that is equal. ``harmless``: whether nothing in
    it, or in what it calls, raises or has an effect, once that was asked for. ``stores``: the
    number of parameters, the last ones, that are arrays outside which it stores to. ``hides``:
    which of its results may be of other types than they are typed as, by the way in which they are.
    ``rests``: whether anything in it rests on the types that numbers have at run time; ``asks``:
    whether the program itself asks for classes in it.
    """

    name: str
    graph: Graph | None = None
    unlike: bool = False
    harmless: bool | None = None
    stores: int = 0
    hides: dict[Any, frozenset[int]] = field(default_factory=dict)
    rests: bool = False
    asks: bool = False


def walk_nodes(block: Block) -> Iterator[Node]:
    """Every node of a block and of the blocks nested in it, a node before its blocks' nodes."""
    stack: list[Iterator[Node]] = [iter(block.nodes)]
    while stack:
        for node in stack[-1]:
            yield node
            if node.blocks:
                stack.extend(iter(inner.nodes) for inner in reversed(node.blocks))
                break
        else:
            stack.pop()


def walk_blocks(block: Block) -> Iterator[Block]:
    """A block and all the blocks nested in it, outer ones first."""
    stack = [block]
    while stack:
        current = stack.pop()
        yield current
        for node in reversed(current.nodes):
            if node.blocks:
                stack.extend(reversed(node.blocks))


def are_apart(a: Graph, b: Graph) -> bool:
    """Return whether two graphs have no node in common."""
    return set(walk_nodes(a.block)).isdisjoint(walk_nodes(b.block))


def uses(block: Block) -> dict[Value, int]:
    """How often each value is read in a block and the blocks nested in it, results included."""

    def read() -> Iterator[Sequence[Value]]:
        yield block.results
        for node in walk_nodes(block):
            yield node.operands
            for inner in node.blocks:
                yield inner.results

    return Counter(itertools.chain.from_iterable(read()))


def free_values(block: Block) -> list[Value]:
    """Values that a block reads and does not define, in the order of first reading."""
    defined: set[Value] = set(block.parameters)
    for node in walk_nodes(block):
        defined.update(node.results)
        for inner in node.blocks:
            defined.update(inner.parameters)
    free: dict[Value, None] = {}
    for node in walk_nodes(block):
        for value in itertools.chain(node.operands, *(inner.results for inner in node.blocks)):
            if value not in defined:
                free[value] = None
    for value in block.results:
        if value not in defined:
            free[value] = None
    return list(free)
