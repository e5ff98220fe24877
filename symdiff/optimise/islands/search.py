"""The search for simpler forms: each island's nodes are visited in order, and replaced where a form
is found that costs less and agrees.

The budget of an island counts what is given to SymPy, never time, so that the same program always
gives the same text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, building, constant_value, copy_block, with_block
from symdiff.ir.graph import Block, Graph, Node, Operand, Value, uses
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import add, multiply
from symdiff.ops.symbolic import values_of
from symdiff.optimise.dead_code import eliminate_dead_code
from symdiff.optimise.facts import are_of_one_size
from symdiff.optimise.islands.agreement import Verdict, verdict
from symdiff.optimise.islands.costs import cost_of
from symdiff.optimise.islands.identities import finders, may_apply
from symdiff.optimise.islands.windows import Window, is_simplifiable, window_of
from symdiff.optimise.rewriting import Table, rewrite

MOST_REWRITES = 200
MOST_OPERATIONS = 900


@dataclass(frozen=True, slots=True)
class Replacement:
    """What was replaced by what, or was not and why: plain data.

    ``family`` is the kind of identities; ``costs`` are nanoseconds by the table of costs, and
    ``errors`` the worst relative errors at the sampled points, of both forms.
    """

    family: str
    line: int | None
    before: str
    after: str
    taken: bool
    reason: str
    costs: tuple[float, float]
    errors: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class Budget:
    """What is left of an island's budget."""

    rewrites: int = MOST_REWRITES
    operations: int = MOST_OPERATIONS
    told: bool = False

    def spend(self, operations: int) -> bool:
        """Take a rewrite of so many operations from the budget; return whether it was left."""
        self.rewrites -= 1
        self.operations -= operations
        return self.rewrites >= 0 and self.operations >= 0


@dataclass(slots=True)
class _Form:
    """Another form of a window's value: nodes to add, and all of them for evaluation."""

    nodes: list[Node]
    result: Value
    text: str
    evaluated: list[Node] = field(default_factory=list)
    costs: tuple[float, float] = (0.0, 0.0)
    told: Verdict | None = None

    @property
    def saves(self) -> float:
        """How much less is computed."""
        return self.costs[0] - self.costs[1]


class Search:
    """One pass over a block, which it owns and changes; nested blocks are visited by the caller.

    Accurate forms are looked for from the last node to the first, since the longer expression tells
    more; what they are made of is left alone then. Cheaper ones are from the first to the last.
    """

    def __init__(self, kinds: Sequence[str], users: dict[Value, int]) -> None:
        self.kinds = kinds
        self.users = users
        self.found: list[Replacement] = []
        self.home: dict[Node, int] = {}
        self.made: dict[Any, Node] = {}
        self.place: dict[Node, int] = {}
        self.budgets: dict[Node, Budget] = {}
        self.dead: set[Node] = set()

    def block(self, block: Block, replaced: dict[Value, Value]) -> None:
        """Simplify the islands of a block; ``replaced`` gets what is taken for its values."""
        for node in block.nodes:
            node.operands = tuple(last(v, replaced) for v in node.operands)
        islands = _islands(block.nodes)
        self.budgets = {node: budget for nodes, budget in islands for node in nodes}
        self.home, self.made, self.place = {}, {}, {}
        left_alone: set[Node] = set()
        if "stable" in self.kinds:
            left_alone = self._from_the_last(block, replaced)
        cheaper = [kind for kind in self.kinds if kind != "stable"]
        if cheaper:
            self._from_the_first(block, cheaper, left_alone, replaced)
        block.nodes[:] = [node for node in block.nodes if node not in self.dead]

    def _from_the_last(self, block: Block, replaced: dict[Value, Value]) -> set[Node]:
        """Look for accurate forms; what they are made of."""
        for node in block.nodes:
            self._know(node)
        before: dict[Node, list[Node]] = {}
        for node in reversed(block.nodes):
            if node in self.home:
                form = self._improved(node, ("stable",), replaced)
                before[node] = [] if form is None else form.nodes
        kept: list[Node] = []
        for node in block.nodes:
            kept += before.get(node, [])
            kept.append(node)
        for node in kept:
            node.operands = tuple(last(v, replaced) for v in node.operands)
        block.nodes[:] = kept
        return {new for nodes in before.values() for new in nodes}

    def _from_the_first(
        self,
        block: Block,
        kinds: Sequence[str],
        left_alone: set[Node],
        replaced: dict[Value, Value],
    ) -> None:
        self.home, self.made, self.place = {}, {}, {}
        kept: list[Node] = []
        for node in block.nodes:
            node.operands = tuple(last(v, replaced) for v in node.operands)
            kept.append(node)
            self._know(node, left_alone)
            if node in self.home and node in self.budgets and self.users.get(node.result, 0):
                form = self._improved(node, kinds, replaced)
                for new in [] if form is None else form.nodes:
                    self.budgets[new] = self.budgets[node]
                    kept.append(new)
                    self._know(new)
        block.nodes[:] = kept

    def _know(self, node: Node, left_alone: Collection[Node] = ()) -> None:
        """Make a node known: as part of windows, and to be read instead of one like it."""
        self.place[node] = len(self.place)
        if len(node.results) == 1 and not node.blocks and node.op.name != "constant":
            self.made.setdefault(_key(node), node)
        if is_simplifiable(node) and node not in left_alone:
            self.home[node] = self.place[node]

    def _improved(
        self, node: Node, kinds: Sequence[str], replaced: dict[Value, Value]
    ) -> _Form | None:
        """The form that is taken for a node's value, if there is one."""
        budget, window = self.budgets[node], window_of(node, self.home)
        for kind in kinds:
            if not may_apply(kind, node.op.name, window.names):
                continue
            form = self._form(kind, window, budget)
            if form is not None:
                self._take(window, form)
                replaced[node.result] = form.result
                return form
        return None

    def _take(self, window: Window, form: _Form) -> None:
        """Count who reads what after the root's value is replaced, and forget what nobody reads."""
        result = window.root.result
        dead = _dead(window, self.users, form)
        self.users[form.result] = self.users.get(form.result, 0) + self.users.pop(result, 0)
        if form.result.name is None and form.result.node in form.nodes:
            form.result.name = result.name
        for node in form.nodes:
            for value in node.operands:
                self.users[value] = self.users.get(value, 0) + 1
        self.dead.update(dead)
        for node in dead:
            self.home.pop(node, None)
            if self.made.get(_key(node)) is node:
                del self.made[_key(node)]
            for value in node.operands:
                self.users[value] = self.users.get(value, 0) - 1

    # Forms

    def _form(self, kind: str, window: Window, budget: Budget) -> _Form | None:
        """The cheapest form of a kind that agrees."""
        if not budget.spend(len(window.nodes)):
            self._note_budget(kind, window, budget)
            return None
        if window.expression is None:
            window.express()
        if window.cancels:
            return None
        tried: list[Any] = [] if kind == "powers" else [window.expression]
        best: _Form | None = None
        for finder in finders(kind):
            if not budget.spend(len(window.nodes)):
                self._note_budget(kind, window, budget)
                break
            expression = finder(window.expression)
            if expression in tried:
                continue
            tried.append(expression)
            form = self._accepted(kind, window, expression)
            if form is not None and (best is None or form.saves > best.saves):
                best = form
        if best is not None:
            self._note(kind, window, best.text, True, "", best.costs, best.told)
        return best

    def _note_budget(self, kind: str, window: Window, budget: Budget) -> None:
        """Note, once an island, that its budget is used up."""
        if not budget.told:
            reason = "the budget of its island is used up"
            self._note(kind, window, "", False, reason, (0.0, 0.0), None)
            budget.told = True

    def _accepted(self, kind: str, window: Window, expression: Any) -> _Form | None:
        """The form of an expression where it is of the right type, cheaper, and agrees."""
        reason = ""
        for keeps in (False, True):
            form = self._built(window, expression, keeps)
            if form is None:
                continue
            costs = self._costs(window, form)
            if costs is None or (kind != "stable" and costs[1] >= costs[0] - 1e-9):
                return None  # what costs more is not told: there is always such a form
            told = self._verdict(kind, window, form)
            if told.agrees and (kind != "stable" or told.gains):
                form.costs, form.told = costs, told
                return form
            reason = told.reason or "it is not more accurate"
            if keeps or not _lost(window, expression):
                self._note(kind, window, form.text, False, reason, costs, told)
        return None

    def _built(self, window: Window, expression: Any, keeps: bool) -> _Form | None:
        """The nodes of an expression; ``keeps``: operands that it lost are added 0 times, which
        gives NaN where they are NaN or infinite, and their shape.
        """
        lost = _lost(window, expression)
        if (keeps and not lost) or (lost and window.needs_all and not keeps):
            return None
        root = window.root
        builder = Builder([], root.span)
        builder.role = root.result.role
        known: dict[Any, Operand] = dict(window.symbols)
        with building(builder):
            try:
                (value,) = values_of([expression], known)
            except UnsupportedCallError:
                return None
            for leaf in lost if keeps else ():
                value = add(value, multiply(0.0, leaf))
        if not _fits(value, root.result):
            return None
        text = str(_shown(expression)) + "".join(f" + 0*{x.name or 's'}" for x in lost if keeps)
        evaluated = [*window.constants, *builder.nodes]
        return _Form(self._shared(builder.nodes, value, root), value, text, evaluated)

    def _reads(self, node: Node, root: Node) -> bool:
        """Return whether what stands for a root may read a node: it is before it, and the function
        does not read what only its derivative computes.
        """
        role = node.result.role
        return self.place[node] < self.place[root] and role in ("primal", root.result.role)

    def _shared(self, nodes: Sequence[Node], value: Value, root: Node) -> list[Node]:
        """The nodes without those that are at hand, which are read instead."""
        kept: list[Node] = []
        instead: dict[Value, Value] = {}
        for node in nodes:
            if node.op.name != "constant":
                operands = tuple(instead.get(v, v) for v in node.operands)
                known = self.made.get(_key(node, operands))
                if known is not None and node.result is not value and self._reads(known, root):
                    instead[node.result] = known.result
                    continue
                if operands != node.operands:
                    shared = Node(node.op, operands, node.attributes, (), node.results, node.span)
                    shared.result.node = shared
                    node = shared
            kept.append(node)
        return _read(kept, value)

    def _costs(self, window: Window, form: _Form) -> tuple[float, float] | None:
        """What is no longer computed, and what is instead."""
        before = [cost_of(node) for node in _dead(window, self.users, form)]
        after = [cost_of(node) for node in form.nodes]
        if any(cost is None for cost in (*before, *after)):
            return None
        return sum(c or 0.0 for c in before), sum(c or 0.0 for c in after)

    def _verdict(self, kind: str, window: Window, form: _Form) -> Verdict:
        type_ = window.root.result.type
        assert isinstance(type_, ArrayType)
        original = window.all_nodes, window.root.result
        other = form.evaluated, form.result
        return verdict(window.leaves, type_.dtype, original, other, limits=kind == "stable")

    def _note(
        self,
        kind: str,
        window: Window,
        after: str,
        taken: bool,
        reason: str,
        costs: tuple[float, float],
        told: Verdict | None,
    ) -> None:
        span = window.root.span
        before = "" if window.expression is None else str(_shown(window.expression))
        errors = (0.0, 0.0) if told is None else (told.before, told.after)
        line = None if span is None else span.line
        self.found.append(Replacement(kind, line, before, after, taken, reason, costs, errors))


# Nodes --------------------------------------------------------------------------------------------


def simplified(graph: Graph, kinds: Sequence[str], found: list[Replacement]) -> Graph:
    """A graph without what it calls; ``found`` gets the record."""
    block = copy_block(graph.block, {})
    search = Search(kinds, uses(block))
    _visit(block, search, {})
    found += search.found
    return eliminate_dead_code(rewrite(with_block(graph, block), Table({}), common=True))


def _visit(block: Block, search: Search, replaced: dict[Value, Value]) -> None:
    """A block after the blocks in it have been led to what is taken before them."""
    pending = [block]
    while pending:
        one = pending.pop()
        search.block(one, replaced)
        one.results = tuple(last(v, replaced) for v in one.results)
        for node in reversed(one.nodes):
            pending.extend(reversed(node.blocks))


def last(value: Value, replaced: dict[Value, Value]) -> Value:
    """What stands for a value in the end."""
    while value in replaced:
        value = replaced[value]
    return value


def _islands(nodes: Sequence[Node]) -> list[tuple[list[Node], Budget]]:
    """The maximal connected parts of what may be simplified, each with its budget."""
    parent: dict[Node, Node] = {}

    def top(node: Node) -> Node:
        while parent[node] is not node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for node in nodes:
        if is_simplifiable(node):
            parent[node] = node
            for value in node.operands:
                if value.node in parent:
                    parent[top(value.node)] = top(node)
    members: dict[Node, list[Node]] = {}
    for node in parent:
        members.setdefault(top(node), []).append(node)
    return [(found, Budget()) for found in members.values()]


def _key(node: Node, operands: Sequence[Value] | None = None) -> Any:
    """What two nodes have in common that compute the same; numbers count as what they are."""
    values = node.operands if operands is None else operands
    parts = [_number_key(v) or v.number for v in values]
    if node.op.name in ("add", "multiply"):
        parts.sort(key=repr)
    if node.op.name == "constant":
        return node
    attributes = tuple(sorted((name, repr(value)) for name, value in node.attributes.items()))
    return node.op.name, tuple(parts), attributes


def _number_key(value: Value) -> Any:
    number = constant_value(value)
    if number is None:
        return None
    return "constant", float(number) if isinstance(number, int | float) else repr(number)


def _dead(window: Window, users: dict[Value, int], form: _Form) -> list[Node]:
    """The nodes of a window that nothing reads once the form is taken for the root's value."""
    dead: list[Node] = []
    reads: dict[Value, int] = {}
    read = {value for node in form.nodes for value in node.operands} | {form.result}
    for node in reversed(window.nodes):
        unread = reads.get(node.result, 0) >= users.get(node.result, 0)
        if node is window.root or (unread and node.result not in read):
            dead.append(node)
            for value in node.operands:
                reads[value] = reads.get(value, 0) + 1
    return dead


def _read(nodes: Sequence[Node], value: Value) -> list[Node]:
    """The nodes that a value needs."""
    needed = {value}
    kept: list[Node] = []
    for node in reversed(nodes):
        if node.result in needed:
            kept.append(node)
            needed.update(node.operands)
    return kept[::-1]


def _fits(value: Value, result: Value) -> bool:
    same = isinstance(value.type, ArrayType) and isinstance(result.type, ArrayType)
    return same and are_of_one_size(value.type, result.type)


def _lost(window: Window, expression: Any) -> list[Value]:
    """The operands from outside that an expression does not have."""
    left = {
        window.symbols[symbol] for symbol in expression.free_symbols if symbol in window.symbols
    }
    return [leaf for leaf in window.leaves if leaf not in left]


def _shown(expression: Any) -> Any:
    """An expression with plain symbols in place of opaque ones."""
    import sympy as sp

    dummies: Iterator[Any] = iter(sorted(expression.atoms(sp.Dummy), key=str))
    return expression.xreplace({one: sp.Symbol(one.name) for one in dummies})
