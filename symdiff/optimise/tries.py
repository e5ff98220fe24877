"""The body of a ``try`` as one piece: nested tests of what raises become one attempt of all of it.

Each operation that may raise in a ``try`` is staged behind a test: ``if x == 0: raised = True``,
``else: a = 1 / x``, and in that arm the next. Where every test that holds gives the same, all of
them are one: a graph with the operations alone is attempted (``ops.attempts.caught_in``), and on
its outcome there is one branch, whose second arm has them one after the other. So what is derived
has one branch, too, and emission can write it as ``try`` (``emit.tries``).

A *region* is what is made one: numbers of Python's that pure operations compute. What is anything
else ends it, and stays in the second arm behind it, the *tail*; so does a branch that gives
something else than the tests around it.

    t = x == 0                              e = caught_in(attempt, x, y)
    r, a = cond(t: True, nothing            t = is_error(e)
                | a = 1 / x                 r, b = cond(t: True, nothing
                  s = y < 0                             | a = 1 / x
                  cond(s: True, nothing                   b = sqrt(y)
                       | False, sqrt(y)))                 False, b)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import (
    Builder,
    builder,
    building,
    constant,
    constant_value,
    copy_block,
    copy_into,
    renewed,
    substitute,
    with_block,
)
from symdiff.ir.control import CALLS, cond, emit_cond, is_fixed, loop, undefined
from symdiff.ir.graph import (
    Attributes,
    Block,
    Graph,
    GraphCell,
    Node,
    Value,
    free_values,
    uses,
    walk_nodes,
)
from symdiff.ir.structure import of_tuple
from symdiff.ir.types import ArrayType
from symdiff.ops.attempts import caught, caught_in, is_error
from symdiff.ops.equal import frozen, frozen_attributes
from symdiff.ops.facts import does_more, may_raise, must_stay
from symdiff.ops.raised import classes_raised, rule_of_failure
from symdiff.source import SourceSpan

Classes = tuple[type[BaseException], ...]


def with_tries(graph: Graph) -> Graph:
    """The graph with one attempt for each region; the graph itself where there is none."""
    if not has_tests(graph):
        return graph
    copied = with_block(graph, copy_block(graph.block, {}))
    return copied if _Regions(copied).found else graph


def has_tests(graph: Graph) -> bool:
    """Return whether a graph has branches on whether something raises."""
    return any(_may_start(node) for node in walk_nodes(graph.block))


class _Regions:
    """Makes the regions of a graph, outer blocks first, in place."""

    def __init__(self, graph: Graph) -> None:
        self.name = f"{graph.name}_tried"
        self.found = 0
        pending = [graph.block]
        while pending:
            block = pending.pop()
            self.within(block)
            pending += [inner for node in block.nodes for inner in node.blocks]

    def within(self, block: Block) -> None:
        """Make the regions that begin in a block."""
        if not any(map(_may_start, block.nodes)):
            return
        made: list[Node] = []
        new: dict[Value, Value] = {}
        read = uses(block)
        region: _Region | None = None
        for node in block.nodes:
            if region is not None and region.take(node):
                continue
            if region is not None:
                made += self.become(region, read, new)
            region = _Region() if _may_start(node) else None
            if region is None or not region.take(node):
                made.append(node)
                region = None
        if region is not None:
            made += self.become(region, read, new)
        block.nodes[:] = made
        substitute(block, new)

    def become(
        self, region: _Region, read: Mapping[Value, int], new: dict[Value, Value]
    ) -> list[Node]:
        """The nodes that a region becomes: those that it is made of where it is not worth it."""
        if not region.branches or not region.is_worth_it(read):
            return region.taken
        self.found += 1
        return region.made(self.name, new)


# What raises --------------------------------------------------------------------------------------


def _may_start(node: Node) -> bool:
    """Return whether a node is a branch on whether the second arm would raise."""
    return node.op is cond and any(map(_Failing(node.operands[0], {}), node.blocks[1].nodes))


class _Failing:
    """Whether a node raises where a predicate holds, and nowhere else; ``new`` are what stands for
    values that either reads.
    """

    def __init__(self, predicate: Value, new: Mapping[Value, Value]) -> None:
        self.predicate, self.new = predicate, new
        self.node = predicate.node
        asked = self.node.operands[0].node if self.node and self.node.op is is_error else None
        self.attempt = asked if asked is not None and asked.op is caught else None

    def __call__(self, node: Node) -> bool:
        if self.attempt is not None:
            return self._is_attempted(node, self.attempt)
        rule = rule_of_failure(node) if self.node is not None and may_raise(node) else None
        if rule is None:
            return False
        with building(Builder()):
            return self._matches(self.predicate, rule.where(*node.operands), node.operands)

    def classes(self, node: Node) -> Classes:
        """What the node is found to raise."""
        if self.attempt is not None:
            found: Classes = self.attempt.attributes["classes"]
            return found
        rule = rule_of_failure(node)
        return () if rule is None else (rule.error,)

    def _is_attempted(self, node: Node, attempt: Node) -> bool:
        given = attempt.attributes
        same = node.op is given["op"] and _have_the_same(node.attributes, given["attributes"])
        return (
            same
            and len(node.operands) == len(attempt.operands)
            and self._are_the_same(node.operands, attempt.operands)
        )

    def _are_the_same(self, some: Sequence[Value], others: Sequence[Value]) -> bool:
        return all(map(self._is_the_same, some, others))

    def _is_the_same(self, a: Value, b: Value) -> bool:
        return _alike(self.new.get(a, a), self.new.get(b, b))

    def _matches(self, found: Value, wanted: Value, leaves: Sequence[Value]) -> bool:
        """Whether a value is computed as another of these values."""
        if wanted in leaves or wanted.node is None or wanted.node.op is constant:
            return self._is_the_same(found, wanted)
        node, other = found.node, wanted.node
        if node is None or node.op is not other.op or len(node.operands) != len(other.operands):
            return False
        if node.blocks or not _have_the_same(node.attributes, other.attributes):
            return False
        pairs = zip(node.operands, other.operands, strict=True)
        return all(self._matches(a, b, leaves) for a, b in pairs)


def _have_the_same(some: Attributes, others: Attributes) -> bool:
    known = frozen_attributes(some)
    return known is not None and known == frozen_attributes(others)


def _alike(a: Value, b: Value) -> bool:
    """Return whether two values are one, or equal constants, or both undefined."""
    if a is b:
        return True
    one, other = a.node, b.node
    if one is None or other is None or one.op is not other.op or a.type != b.type:
        return False
    if one.op is undefined:
        return True
    return one.op is constant and frozen(one.attributes["value"]) == frozen(
        other.attributes["value"]
    )


def _only_tells(block: Block) -> bool:
    """Return whether an arm does nothing, and gives what is known."""
    results = all(map(is_fixed, block.results))
    return results and all(node.op in (constant, undefined) for node in block.nodes)


def _is_undefined(value: Value) -> bool:
    return value.node is not None and value.node.op is undefined


# Regions ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Failed:
    """What a result of a branch is where one of the first ``tests`` of the region holds: a
    ``value`` that is fixed.
    """

    value: Value
    tests: int


@dataclass(slots=True)
class _Region:
    """What is made one, as far as it goes: ``straight`` are the nodes one after the other.

    ``new`` are values of them by those that they are copies of, ``replaced`` copies in whose place
    is now that a test does not hold. Tests are numbered in the order in which they are met;
    ``false`` are tests, and results of branches that tell whether one holds, with the numbers of
    these. ``failed``: what results of branches are where one does.

    ``raising`` are the nodes that the tests are about, with the classes that these tell, ``placed``
    those of them that have come, ``end`` the number of nodes up to the last of these. ``classes``
    are what the tests tell, ``others`` what else is raised, which leaves the region as it would
    leave the branches.

    Of the block that the region is in, ``taken`` are the nodes it has taken, ``branches`` those
    that become one, ``before`` and ``behind`` the others. ``is_closed``: what comes now belongs to
    the tail.
    """

    straight: list[Node] = field(default_factory=list)
    new: dict[Value, Value] = field(default_factory=dict)
    replaced: list[tuple[Value, Value]] = field(default_factory=list)
    false: dict[Value, range] = field(default_factory=dict)
    failed: dict[Value, _Failed] = field(default_factory=dict)
    raising: dict[Node, Classes] = field(default_factory=dict)
    placed: dict[Node, None] = field(default_factory=dict)
    classes: dict[type[BaseException], None] = field(default_factory=dict)
    others: dict[type[BaseException], None] = field(default_factory=dict)
    tests: int = 0
    end: int = 0
    attempts: int = 0
    taken: list[Node] = field(default_factory=list)
    branches: list[Node] = field(default_factory=list)
    before: list[Node] = field(default_factory=list)
    behind: list[Node] = field(default_factory=list)
    is_closed: bool = False

    def take(self, node: Node) -> bool:
        """Take the next node of the block that the region is in; False where it ends before."""
        if self.is_closed:
            return False
        if node.op is cond and self._absorb(node, 0):
            self.branches.append(node)
        elif not self._depends(node):
            if self._has_to_follow(node):
                return False
            self.before.append(node)
        elif _is_plain(node):
            self._append(node)
            self.behind.append(node)
        else:
            return False
        self.taken.append(node)
        return True

    def _depends(self, node: Node) -> bool:
        """Return whether a node reads what the region, or a node behind it, makes."""
        return any(value in self.new for value in free_values(Block((), [node])))

    def _has_to_follow(self, node: Node) -> bool:
        """Return whether a node cannot be done before the region: what does something is seen where
        the region is left, or changes what that reads; so is, where it is left, what raises.
        """
        inner = list(walk_nodes(Block((), [node])))
        if any(does_more(one) or one.op in CALLS for one in inner):
            return True
        return bool(self.others) and any(map(must_stay, inner))

    # The second arms of branches

    def _absorb(self, branch: Node, first: int) -> bool:
        """Add what a branch does where nothing has raised; False where it is not about that.

        ``first`` is the number of the first test that is made in the block of the branch.
        """
        start = self._mark()
        if not _only_tells(branch.blocks[0]):
            return False
        tested = self._test(branch)
        if tested is None:
            return False
        nodes = branch.blocks[1].nodes
        deeper = self._add_arm(nodes)
        found = self._where_failed(branch, first, tested)
        if found is None and deeper is not None:
            number, mark = deeper
            self._back_to(mark)
            self.is_closed = True
            for node in nodes[number:]:
                self._append(node)
            found = self._where_failed(branch, first, tested)
        if found is None:
            self._back_to(start)
            return False
        for k, value in enumerate(found):
            self._stands_for(branch, k, value)
        return True

    def _test(self, branch: Node) -> list[Node] | None:
        """The nodes that raise where the predicate of a branch holds, which is noted; None where
        it does not tell whether something has raised.
        """
        predicate = branch.operands[0]
        failing = _Failing(predicate, self.new)
        is_known = predicate in self.false
        found = [node for node in branch.blocks[1].nodes if failing(node)]
        classes = failing.classes(found[0]) if found else ()
        if not (found or is_known) or not self._tell_all(found, classes):
            return None
        self.raising.update(dict.fromkeys(found, classes))
        self.classes.update(dict.fromkeys(classes))
        if not is_known:
            self.attempts += failing.attempt is not None
            self.false[predicate] = range(self.tests, self.tests + 1)
            self.tests += 1
            if predicate in self.new:
                self.replaced.append((predicate, self.new[predicate]))
            self.new[predicate] = self._no()
        return found

    def _tell_all(self, found: Sequence[Node], classes: Classes) -> bool:
        """Return whether nothing that leaves the branches would be caught by the region, where its
        classes are joined by those of a test of some nodes.
        """
        if _meet(classes, self.others):
            return False
        more = [one for one in classes if one not in self.classes]
        if any(_raises_beside(node, told, more) for node, told in self.raising.items()):
            return False
        return not any(_raises_beside(node, classes, self.classes) for node in found)

    def _add_arm(self, nodes: Sequence[Node]) -> tuple[int, _Mark] | None:
        """Add the nodes of an arm; the number of the first branch in it that is on a test, and how
        it was before that, or None.
        """
        first, deeper = self.tests, None
        for number, node in enumerate(nodes):
            mark = self._mark()
            if not self.is_closed and node.op is cond and self._absorb(node, first):
                deeper = deeper or (number, mark)
                continue
            is_straight = _is_plain(node, node in self.raising or self._leaves(node))
            self.is_closed = self.is_closed or not is_straight
            self._append(node)
            if node in self.raising and not self.is_closed:
                self.placed[node] = None
                self.end = len(self.straight)
        return deeper

    def _leaves(self, node: Node) -> bool:
        """Return whether a node raises at most what no test is about, and note that."""
        raised = classes_raised(node) if may_raise(node) else ()
        if not raised or self.is_closed or _meet(raised, self.classes):
            return False
        self.others.update(dict.fromkeys(raised))
        return True

    def _append(self, node: Node) -> None:
        with building(Builder(self.straight)):
            copy_into(node, self.new)

    def _no(self) -> Value:
        """False, among the nodes."""
        with building(Builder(self.straight)) as made:
            return made.constant(False)

    # What results are where something has raised

    def _where_failed(self, branch: Node, first: int, tested: Sequence[Node]) -> list[Value] | None:
        """What each result of a branch is where any test so far holds, made in its block or in the
        branch; None where it is one thing for some, and another for others, or where a node that is
        ``tested`` belongs to the tail.
        """
        if not all(node in self.placed for node in tested):
            return None
        then, orelse = branch.blocks
        others = set(range(first, self.tests)) - {*self.false[branch.operands[0]]}
        found = []
        for failed, value in zip(then.results, orelse.results, strict=True):
            one = self._agreed(failed, value, others)
            if one is None:
                return None
            found.append(one)
        return found

    def _agreed(self, failed: Value, value: Value, others: set[int]) -> Value | None:
        """What a result is that is ``failed`` where one test holds, and otherwise ``value``."""
        if not others or _alike(failed, value):
            return failed
        known = self.failed.get(value)
        if known is not None:
            if max(others) >= known.tests:
                return None
            if _is_undefined(failed):
                return known.value
            return failed if _is_undefined(known.value) or _alike(failed, known.value) else None
        is_test = value in self.false and others <= {*self.false[value]}
        return failed if is_test and constant_value(failed) is True else None

    def _stands_for(self, branch: Node, number: int, failed: Value) -> None:
        """Note what a result of a branch is."""
        result, value = branch.results[number], branch.blocks[1].results[number]
        self.failed[result] = _Failed(failed, self.tests)
        self.new[result] = self.new.get(value, value)
        if constant_value(failed) is True and constant_value(self.new[result]) is False:
            self.false[result] = range(self.tests)

    # Going back

    def _mark(self) -> _Mark:
        """How much there is of everything."""
        return _Mark(
            (len(self.straight), len(self.replaced), *map(len, self._kept())),
            (self.tests, self.end, self.attempts, self.is_closed),
        )

    def _kept(self) -> tuple[dict[Any, Any], ...]:
        known = self.new, self.false, self.failed
        return *known, self.raising, self.placed, self.classes, self.others

    def _back_to(self, mark: _Mark) -> None:
        straight, replaced, *lengths = mark.lengths
        del self.straight[straight:]
        while len(self.replaced) > replaced:
            self.new.update([self.replaced.pop()])
        for one, length in zip(self._kept(), lengths, strict=True):
            while len(one) > length:
                one.popitem()  # what was put in last
        self.tests, self.end, self.attempts, self.is_closed = mark.numbers

    # What comes of it

    def is_worth_it(self, read: Mapping[Value, int]) -> bool:
        """Return whether this is more than one test, and all that is read behind it is told."""
        if len(self.placed) < 2 and not self.attempts:
            return False
        within = uses(Block((), list(self.branches)))
        return all(
            self.failed[result].tests == self.tests or within.get(result, 0) == read.get(result, 0)
            for branch in self.branches
            for result in branch.results
        )

    def made(self, name: str, new: dict[Value, Value]) -> list[Node]:
        """The nodes that the region becomes, and in ``new`` what results of branches become."""
        span = self.branches[0].span
        with building(Builder(span=span)) as outer:
            raised = is_error(self._attempt(name, span))
        raised.name = "raised"
        results = [r for branch in self.branches for r in branch.results if r not in self.false]
        with building(Builder(span=span)) as first:
            failed = tuple([self._again(self.failed[result].value) for result in results])
        second = Block((), self.straight, tuple([self.new[result] for result in results]))
        with building(outer):
            node = emit_cond(raised, Block((), first.nodes, failed), second)
        for old, result in zip(results, node.results, strict=True):
            result.name, result.role = old.name, old.role
        new.update(zip(results, node.results, strict=True))
        new.update(
            (r, raised) for branch in self.branches for r in branch.results if r in self.false
        )
        return [*self.before, *outer.nodes, *self.behind]

    def _attempt(self, name: str, span: SourceSpan | None) -> Value:
        """What is raised where the nodes are run."""
        tried = Block((), self.straight[: self.end], ())
        outside = [value for value in free_values(tried) if not is_fixed(value)]
        parameters = renewed(outside)
        with building(Builder()) as made:
            new = dict(zip(outside, parameters, strict=True))
            for value in free_values(tried):
                if is_fixed(value):
                    new[value] = self._again(value)
            copied = copy_block(tried, new)
        graph = Graph.of_values(
            name, parameters, [*made.nodes, *copied.nodes], (), of_tuple(()), span
        )
        given = {"callee": GraphCell(name, graph), "classes": _most_general(self.classes)}
        return builder().emit(caught_in, outside, given).result

    def _again(self, value: Value) -> Value:
        """A constant once more."""
        assert value.node is not None
        return copy_into(value.node, {}).result


@dataclass(frozen=True, slots=True)
class _Mark:
    """How a region was: lengths of what it has, and its numbers."""

    lengths: tuple[int, ...]
    numbers: tuple[int, int, int, bool]


def _is_plain(node: Node, raises: bool = False) -> bool:
    """Return whether a node computes numbers of Python's, and nothing else; ``raises``: it may
    raise, which a test has told.
    """
    if node.op.effect or node.op in (loop, *CALLS) or (may_raise(node) and not raises):
        return False
    if not all(map(_is_number, node.results)) and node.op not in (caught, undefined):
        return False
    return all(_is_plain(inner) for block in node.blocks for inner in block.nodes)


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind == "python"


def _raises_beside(node: Node, told: Classes, classes: Iterable[type]) -> bool:
    """Return whether a node may raise what one of some classes catches, and none that is told."""
    left = [one for one in classes if not issubclass(one, told)]
    return bool(left) and _meet(classes_raised(node), left)


def _meet(some: Iterable[type], others: Iterable[type]) -> bool:
    """Return whether an exception may be of one of some classes, and of one of others."""
    return any(issubclass(a, b) or issubclass(b, a) for a in some for b in others)


def _most_general(classes: Iterable[type[BaseException]]) -> Classes:
    """The classes without those that inherit from another."""
    known = list(classes)
    return tuple(
        [one for one in known if not any(one is not k and issubclass(one, k) for k in known)]
    )
