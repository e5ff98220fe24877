"""The engine of the rewriting passes: a graph and tables of rules enter, the new graph leaves.

One sweep visits every node in order, its operands rewritten already. A *rule* gets the node as it
would be made, and the rewriter; it gives the value to take instead (making nodes where it needs
some, which are rewritten as well) or None. A value is taken only where its type is that of the
node's result, so a rule need not check dtypes, kinds and shapes (of derivatives, what sizes are
called that an elementwise op finds equal is no difference). Equal nodes are made once, in a
block and in those nested in it.

    rewrite(graph, Table({"negative": [double_negation]}))
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, are_same, building, remade, renewed, with_block
from symdiff.ir.control import cond, loop, undefined
from symdiff.ir.graph import Attributes, Block, Graph, Node, Op, Operand, Value, uses, walk_nodes
from symdiff.ir.record import count
from symdiff.ir.types import ArrayType, Dim, Size
from symdiff.ops.creation import zeros
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.effects import raise_
from symdiff.ops.equal import Journal, Scoped, are_same_constant, key_of_node, take_back
from symdiff.ops.facts import (
    GIVES_LENGTHS,
    is_derived,
    lengths_given,
    made_by,
    number_of,
    shape_of,
)
from symdiff.ops.retype import hides_dtype
from symdiff.ops.sizes import size
from symdiff.optimise.facts import (
    are_of_one_size,
    dims_at,
    is_of_one_precision,
    is_zero,
    varying_symbols,
)
from symdiff.optimise.loop_rewriting import LoopRewriting

Rule = Callable[[Node, "Rewriter"], "Value | None"]


@dataclass(frozen=True, slots=True)
class OnDerivatives:
    """A rule that is kept from the user's own statements.

    One that ``regroups`` is kept for nodes that compute in one precision, as well.
    """

    rule: Rule
    regroups: bool = False


Rules = Mapping[str, Sequence[Rule | OnDerivatives]]
ELEMENTWISE = "(elementwise)"  # the key of rules for all elementwise ops that are not named beside
_READS: dict[Rule, frozenset[str]] = {}
_READS_ONLY: dict[Rule, frozenset[str]] = {}


def reads(*makers: str) -> Callable[[Rule], Rule]:
    """A rule that fits only where an operand is made by one of these ops: it is not tried where
    none is.
    """

    def declared(rule: Rule) -> Rule:
        _READS[rule] = frozenset(makers)
        return rule

    return declared


def reads_only(*makers: str) -> Callable[[Rule], Rule]:
    """A rule that fits only where every operand is made by one of these ops."""

    def declared(rule: Rule) -> Rule:
        _READS_ONLY[rule] = frozenset(makers)
        return rule

    return declared


class Table:
    """Rules by the names of ops: those for the user's own statements, and for derivatives'.

    Those of the first of several tables are tried first.
    """

    def __init__(self, *tables: Rules) -> None:
        self._tables = tables
        self._rules: dict[str, Sequence[Rule | OnDerivatives]] = {}
        self._fitting: dict[_Kind, tuple[Sequence[Rule], Sequence[Rule]]] = {}

    def rules_for(self, node: Node) -> Sequence[Rule]:
        """The rules that may fit a node, in the order in which they are tried."""
        given = self._rules.get(node.op.name)
        if given is None:
            given = self._rules[node.op.name] = self._rules_of(node.op)
        if not given:
            return ()
        makers = tuple([v.node.op.name if v.node else None for v in node.operands])
        kind = node.op.name, is_derived(node), makers
        found = self._fitting.get(kind)
        if found is None:
            found = self._fitting[kind] = _fitting(given, kind, False), _fitting(given, kind, True)
        plain, regrouping = found
        return plain if plain == regrouping or not is_of_one_precision(node) else regrouping

    def _rules_of(self, op: Op) -> Sequence[Rule | OnDerivatives]:
        elementwise = isinstance(op, DeclaredOp) and op.elementwise
        default = ELEMENTWISE if elementwise else op.name
        found = [table.get(op.name, table.get(default, ())) for table in self._tables]
        return list(chain.from_iterable(found))


_Kind = tuple[str, bool, tuple[str | None, ...]]


def _fitting(rules: Sequence[Rule | OnDerivatives], kind: _Kind, is_one: bool) -> Sequence[Rule]:
    """The rules that may fit a node of this kind, of a derivative or not, with operands made by
    these ops; ``is_one`` where it is of one precision.
    """
    _, derived, makers = kind
    found = []
    for rule in rules:
        if isinstance(rule, OnDerivatives):
            if not derived or (rule.regroups and not is_one):
                continue
            rule = rule.rule
        read, every = _READS.get(rule), _READS_ONLY.get(rule)
        reads_some = read is None or not read.isdisjoint(makers)
        if reads_some and (every is None or every.issuperset(makers)):
            found.append(rule)
    return found


def rewrite(
    graph: Graph,
    rules: Table,
    *,
    common: bool = False,
    control: bool = False,
    earlier: Earlier | None = None,
) -> Graph:
    """The graph with rules applied wherever they fit; the graph itself where none does.

    ``common``: equal nodes are made once. ``control``: carries that never change become captures,
    tapes of what never changes the value, branches with a known predicate their arm. ``earlier``
    is what sweeps over earlier versions of the graph have found.

    Where others may have the graph, a sweep on trial, which shares its nodes and ends where
    something is found, comes before the one that makes a new graph. Later versions share nodes.
    """
    if not (common or control or any(map(rules.rules_for, walk_nodes(graph.block)))):
        return graph
    earlier = earlier or Earlier()
    surveyed = earlier.survey(graph)
    for sweep in [Sweep.LASTING] if earlier.own else [Sweep.TRIAL, Sweep.COPYING]:
        rewriter = Rewriter(
            graph, surveyed, rules, earlier, common=common, control=control, sweep=sweep
        )
        with building(rewriter):
            block = rewriter.whole(graph.block)
        if not rewriter.done:
            return graph
    earlier.own = True
    for table_and_rule in rewriter.done:
        count(graph.name, *table_and_rule)
    return with_block(graph, block)


def apply(op: Callable[..., Any], *operands: Operand, **attributes: Any) -> Value:
    """The one result of an op."""
    result: Value = op(*operands, **attributes)
    return result


@dataclass(frozen=True, slots=True)
class Survey:
    """What rules ask of a graph as a whole."""

    has_derivatives: bool
    hides_dtypes: bool
    varying: set[str]
    uses: dict[Value, int]

    @property
    def flags(self) -> tuple[bool, bool]:
        """Those of which it depends which rules fit."""
        return self.has_derivatives, self.hides_dtypes

    @classmethod
    def of(cls, graph: Graph) -> Survey:
        nodes = list(walk_nodes(graph.block))
        derived, hides = any(map(is_derived, nodes)), any(map(hides_dtype, nodes))
        return cls(derived, hides, varying_symbols(graph, nodes), uses(graph.block))


Several = list[tuple[Value, int]]  # values, and than how often they are read more


class Earlier:
    """What sweeps over versions of one graph leave for those over later ones.

    ``own``: nobody else has its nodes, as those of an earlier sweep. ``settled`` are nodes for
    which no rule of a table fits, whatever stands before them, as long as some values are read more
    than so often: with their keys, and these values and numbers. A node stands for all it is
    computed from.
    """

    def __init__(self, own: bool = False) -> None:
        self.own = own
        self.settled: dict[Table, dict[Node, tuple[Any, Several]]] = {}
        self._surveyed: tuple[Graph, Survey] | None = None

    def survey(self, graph: Graph) -> Survey:
        """What is known of a graph as a whole; where that is new, nothing is settled any more."""
        before = self._surveyed
        if before is not None and before[0] is graph:
            return before[1]
        found = Survey.of(graph)
        self._surveyed = graph, found
        if before is not None and before[1].flags != found.flags:
            self.settled.clear()
        return found


_NEW = object()
_UNSETTLED: tuple[Any, Several] = _NEW, []


class Sweep(Enum):
    """How a sweep takes the nodes of a graph: as they are up to the first that would be another,
    copied, or as they are throughout.
    """

    TRIAL = "trial"
    COPYING = "copying"
    LASTING = "lasting"


class Rewriter(Builder):
    """A builder that rewrites what it is asked for before it makes it."""

    def __init__(
        self,
        graph: Graph,
        surveyed: Survey,
        rules: Table,
        earlier: Earlier,
        *,
        common: bool,
        control: bool,
        sweep: Sweep,
    ) -> None:
        super().__init__()
        self.rules = rules
        self.common = common
        self.control = control
        self.shares = sweep is not Sweep.COPYING
        self.on_trial = sweep is Sweep.TRIAL
        self.done: list[tuple[str, str]] = []  # what was changed: by which table and rule
        self.asked = False  # whether a rule asked for what was made before the node
        self._several: Several = []  # what a rule found to be read more often than it would need
        self.settled = earlier.settled.setdefault(rules, {})
        self.has_derivatives = surveyed.has_derivatives
        self.hides_dtypes = surveyed.hides_dtypes
        self.inputs: dict[Size, tuple[Value, int]] = {}
        self._partial = set(graph.partial)
        self._inputs: set[Value] = set()
        self._varying = surveyed.varying
        self._journal: Journal = []
        self.sizes = Scoped(self._journal)  # lengths that stand for a dimension
        self._parts = Scoped(self._journal)
        self._made = Scoped(self._journal)
        self.new_values: dict[Value, Value] = {}
        self.tapes: dict[Value, Value] = {}  # tapes of one value, and the value
        self.indices: set[Value] = set()  # tapes of the turn's index
        self.uniform: dict[Value, Value] = {}  # lists carried, and the one value of all elements
        self.old_uses = surveyed.uses
        self._uses: dict[Value, int] = {}
        self.known: dict[Any, Any] = {}  # what rules have found of values, by rule
        self._assumed = Scoped(self._journal)  # predicates of branches around, and of those before
        self._home: dict[Node, list[Node]] = {}

    # What rules ask

    def is_here(self, value: Value) -> bool:
        """Return whether a value is made in this block."""
        return value.node is not None and self._home.get(value.node) is self.nodes

    def takes(self, value: Value) -> bool:
        """Return whether a value is made in this block and nothing but the node in question reads
        it.
        """
        if not self.is_here(value):
            self._several.append((value, 1))
            return False
        return self.is_single(value)

    def is_single(self, value: Value) -> bool:
        """Return whether nothing but the node in question reads a value."""
        return self.is_read_at_most(value, 1)

    def is_read_at_most(self, value: Value, times: int) -> bool:
        """Return whether a value is read so many times."""
        if self._uses.get(value, 1) <= times:
            return True
        self._several.append((value, times))
        return False

    def is_input(self, value: Value) -> bool:
        """Return whether a value is a parameter of the graph."""
        return value in self._inputs

    def is_part_of_input(self, value: Value) -> bool:
        """Return whether a value is a part of an input as it was given."""
        node = made_by(value, "index")
        return node is not None and node.operands[0] in self._inputs

    def length(self, dim: Dim, near: Sequence[Value] = ()) -> Value | int | None:
        """A value that stands for a dimension: a number, a length seen here, an input's size."""
        if isinstance(dim, int):
            return dim
        self.asked = True
        known = self.early_length(dim)
        place = _place_near(dim, near)
        if known is not None or place is None:
            return known
        return self.emit(size, (place[0],), {"axis": place[1]}).result

    def early_length(self, dim: Size) -> Value | None:
        """A length of this dimension that was given before, or the size of an input."""
        self.asked = True
        if dim.symbol in self._varying:
            return None
        known: Value | None = self.sizes.entries.get(dim)
        place = self.inputs.get(dim) or self._parts.entries.get(dim)
        if known is not None or place is None:
            return known
        return self.emit(size, (place[0],), {"axis": place[1]}).result

    def zeros_for(self, node: Node) -> Value | None:
        """Zeros instead of a node's result: an operand that is, or new ones; None where the sizes
        are not at hand."""
        type_ = node.result.type
        for value in node.operands:
            if value.type == type_ and is_zero(value):
                return value
        if not isinstance(type_, ArrayType):
            return None
        if type_.kind != "array":
            return self.constant(_zero_of(type_))
        lengths = [self.length(dim, node.operands) for dim in type_.shape]
        if any(length is None for length in lengths):
            return None
        sizes = [length for length in lengths if length is not None]
        return self.emit(zeros, sizes, {"shape": type_.shape, "dtype": type_.dtype}).result

    def made_before(self, op: Op, *operands: Value, **attributes: Any) -> Value | None:
        """What an op gives of these operands, where it is at hand already."""
        self.asked = True
        key = key_of_node(Node(op, operands, attributes, (), ()), self.has_derivatives)
        made: Node | None = None if key is None else self._made.entries.get(key)
        return None if made is None else made.result

    # Building

    def emit(
        self,
        op: Op,
        operands: Sequence[Operand],
        attributes: Attributes | None = None,
        blocks: tuple[Block, ...] = (),
    ) -> Node:
        """A node as a rule asks for it, rewritten; its results are to be taken, it may be none."""
        values = [self.value(operand) for operand in operands]
        before, self.nodes = self.nodes, []
        try:
            node = super().emit(op, values, attributes, blocks)
        finally:
            self.nodes = before
        node = self._ruled(node)
        self.asked = True  # for the one that is made instead of another
        return node

    def _ruled(self, node: Node) -> Node:
        """What rules make of a node, or an equal one that was made before, or the node itself."""
        self.asked, self._several = False, []
        rules = self.rules.rules_for(node)
        if not rules and not self.common:
            self.append(node)
            return node
        replacement = self._replacement(node, rules) if rules else None
        if replacement is not None:
            return Node(node.op, node.operands, node.attributes, (), (replacement,), node.span)
        key = key_of_node(node, self.has_derivatives) if self.common else None
        made = self._once(node, key)
        if made is node and not self.asked:
            self.settled[node] = key, self._several
        return made

    def _once(self, node: Node, key: Any) -> Node:
        """A node that stays as it is, or the one with this key that was made before."""
        if key is not None:
            made: Node | None = self._made.entries.get(key)
            if made is not None:
                self.changes("common", "made_once")
                return made
            self._made.add(key, node)
        self.append(node)
        return node

    def append(self, node: Node) -> None:
        """Make a node as it is."""
        self.nodes.append(node)
        self._home[node] = self.nodes
        if node.op.name == "index":
            self._learn_part(node)
        elif node.op.name in GIVES_LENGTHS:
            self._learn_sizes(node)

    def _replacement(self, node: Node, rules: Sequence[Rule]) -> Value | None:
        """What the first rule that fits gives for a node; a rule that gives nothing leaves nothing
        behind.
        """
        if len(node.results) != 1:
            return None
        before = self.span, self.role, self.name
        self.span, self.role, self.name = node.span, node.result.role, None
        nodes, made, done = self.nodes, len(self.nodes), len(self.done)
        journal = len(self._journal)
        try:
            for rule in rules:
                value = rule(node, self)
                if value is not None and _can_be(node, value):
                    self.changes(rule.__module__.rpartition(".")[2], rule.__name__)
                    if any(value.node is new for new in nodes[made:]):
                        value.type = node.result.type  # made for this: sizes keep their names
                    return value
                if len(nodes) > made or len(self.done) > done:
                    del nodes[made:], self.done[done:]
                    take_back(self._journal, journal)
        finally:
            self.span, self.role, self.name = before
        return None

    def changes(self, table: str, rule: str) -> None:
        """Something is another way now than it was: by this rule of this table."""
        self.done.append((table, rule))

    def _learn_sizes(self, node: Node) -> None:
        """Remember the values that are lengths of a new array's dimensions."""
        for dim, value in lengths_given(node):
            if isinstance(dim, Size) and number_of(value) is None:
                self.sizes.add(dim, value)

    def _learn_part(self, node: Node) -> None:
        """Remember the axes of a view of an input: their lengths are at hand early."""
        if node.operands[0] in self._inputs:
            for axis, dim in enumerate(shape_of(node.result)):
                if isinstance(dim, Size):
                    self._parts.add(dim, (node.result, axis))

    # The sweep

    def whole(self, block: Block) -> Block:
        """A graph's block, rewritten."""
        self.new_parameters(block)
        sure = tuple([self.mapped(v) for v in block.parameters if v not in self._partial])
        self._inputs = set(sure)
        self.inputs = dims_at(Block(sure))
        return self._filled(block, tuple(map(self.mapped, block.parameters)))

    def _filled(self, block: Block, parameters: tuple[Value, ...]) -> Block:
        for node in block.nodes:
            if node.blocks:
                self.visit(node)
            else:
                self._visit_plain(node)
            if self.on_trial and self.done:
                break
        made = Block(parameters, self.nodes, tuple(map(self.mapped, block.results)))
        if not self.shares or not are_same(made, block):
            return made
        self._home.update(dict.fromkeys(block.nodes, block.nodes))
        return block

    def nested(self, block: Block, parameters: tuple[Value, ...] = ()) -> Block:
        """A nested block, its parameters mapped already."""
        before, self.nodes = self.nodes, []
        length = len(self._journal)
        try:
            return self._filled(block, parameters)
        finally:
            take_back(self._journal, length)
            self.nodes = before

    def new_parameters(self, block: Block) -> None:
        if not self.shares:
            self.new_values.update(zip(block.parameters, renewed(block.parameters), strict=True))

    def remade(
        self,
        node: Node,
        operands: tuple[Value, ...],
        blocks: tuple[Block, ...] = (),
        results: Sequence[Value] | None = None,
        attributes: Attributes | None = None,
    ) -> Node:
        """A node with other operands and blocks; where nodes are shared the same if nothing of it
        differs.
        """
        same = self.shares and (operands, blocks) == (node.operands, node.blocks)
        if same and (results is None or len(results) == len(node.results)):
            return node
        return remade(node, operands, blocks, results, attributes)

    def mapped(self, value: Value) -> Value:
        return self.new_values.get(value, value)

    def take_for(self, old: Value, new: Value) -> None:
        """Take ``new`` for ``old``; the name that the user gave goes along."""
        self._uses[new] = self._uses.get(new, 0) + self.old_uses.get(old, 0)
        if new is old:
            return
        self.new_values[old] = new
        named = new.name is not None or new.node is None or new.role != old.role
        if not named and not self.on_trial:
            new.name = old.name

    def visit(self, node: Node) -> None:
        if node.op is loop:
            LoopRewriting(self, node).run()
        elif node.op is cond:
            self._visit_cond(node)
        else:
            self._visit_plain(node)

    def _visit_plain(self, node: Node) -> None:
        new = self.new_values
        if not self.shares or not new.keys().isdisjoint(node.operands):
            operands = tuple(map(new.get, node.operands, node.operands))
            made = self._ruled(remade(node, operands))
        else:
            key, several = self.settled.get(node, _UNSETTLED)
            if key is _NEW or any(self._uses.get(v, 1) <= times for v, times in several):
                made = self._ruled(node)
            else:
                made = self._once(node, key)
        if made is node:
            self._keep(node)
            return
        for old, value in zip(node.results, made.results, strict=True):
            self.take_for(old, value)

    def _keep(self, node: Node) -> None:
        """Take a node's results for themselves."""
        for value in node.results:
            self._uses[value] = self._uses.get(value, 0) + self.old_uses.get(value, 0)

    def _visit_cond(self, node: Node) -> None:
        predicate = self.mapped(node.operands[0])
        known = self._truth_of(predicate)
        if self.control and known is not None:
            self.changes("control", "known_branch")
            arm = node.blocks[0 if known else 1]
            for inner in arm.nodes:
                self.visit(inner)
            for old, value in zip(node.results, arm.results, strict=True):
                self.take_for(old, self.mapped(value))
            return
        then, orelse = node.blocks
        blocks = self._arm(predicate, True, then), self._arm(predicate, False, orelse)
        made = self.remade(node, (predicate,), blocks)
        self.append(made)
        for truth, other in zip((True, False), reversed(made.blocks), strict=True):
            if _raises(other):
                self._assume(predicate, truth)
        for k, old in enumerate(node.results):
            self.take_for(old, self._joined(made, k))

    def _truth_of(self, predicate: Value) -> Any:
        """What a predicate is known to be here: by itself, or in this arm of a branch on it."""
        known = number_of(predicate)
        if known is None and self.control:
            known = self._assumed.entries.get(predicate)
        negated = made_by(predicate, "not_")
        if known is None and negated is not None:
            opposite = self._truth_of(negated.operands[0])
            known = None if opposite is None else not opposite
        return known

    def _arm(self, predicate: Value, truth: bool, block: Block) -> Block:
        length = len(self._journal)
        self._assume(predicate, truth)
        try:
            return self.nested(block)
        finally:
            take_back(self._journal, length)

    def _assume(self, predicate: Value, truth: bool) -> None:
        """Take a predicate, and what it is the opposite of, to be known to the end of a block."""
        while True:
            self._assumed.add(predicate, truth)
            node = made_by(predicate, "not_")
            if node is None:
                break
            predicate, truth = node.operands[0], not truth

    def _joined(self, node: Node, k: int) -> Value:
        """The ``k``-th result of a cond: the value itself where both arms give the same."""
        then, orelse = (block.results[k] for block in node.blocks)
        if self.control and (self._is_undefined(then) or self._is_undefined(orelse)):
            return self._one_defined(node, k)
        same = then is orelse or are_same_constant(then, orelse)
        if not self.control or not same or then.type != node.results[k].type:
            return node.results[k]
        self.changes("control", "equal_arms")
        return then if then is orelse else self.constant(number_of(then))

    def _one_defined(self, node: Node, k: int) -> Value:
        """The value that one arm has from before the branch: the other arm's is never read."""
        then, orelse = node.blocks
        for block, other in ((then, orelse), (orelse, then)):
            value = block.results[k]
            outside = value.node is None or self._home.get(value.node) is not block.nodes
            if self._is_undefined(other.results[k]) and outside:
                self.changes("control", "one_defined")
                return value
        return node.results[k]

    def _is_undefined(self, value: Value) -> bool:
        return value.node is not None and value.node.op is undefined


def _raises(block: Block) -> bool:
    """Return whether nothing is done behind a block."""
    return any(node.op is raise_ for node in block.nodes)


_MEETING = frozenset({"sum", "einsum"})  # other ops of products whose sizes meet


def _can_be(node: Node, value: Value) -> bool:
    """Return whether a value is of the type of a node's result."""
    meets = is_derived(node) and (
        node.op.name in _MEETING or getattr(node.op, "elementwise", False)
    )
    return (are_of_one_size if meets else operator.eq)(value.type, node.result.type)


def _place_near(dim: Size, values: Sequence[Value]) -> tuple[Value, int] | None:
    for value in values:
        shape = shape_of(value)
        if dim in shape:
            return value, shape.index(dim)
    return None


def _zero_of(type_: ArrayType) -> Any:
    zero = type_.dtype.type(0)
    return zero.item() if type_.weak else zero
