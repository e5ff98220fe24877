"""A graph run on numbers of elements: where each element of its results comes from.

Integers and truths are known, as the call gives them, and so are sizes: a loop has its turns, and a
write its place. Floats are not: only where their elements come from is. Where structure depends on
what is not known, both arms of a branch are taken and united, and what a loop leaves depends on all
that it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import InternalError, UnsupportedCallError
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Value, free_values
from symdiff.ir.types import ArrayType, Dim, ListType, Multiple, TapeType, Type
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.patterns import Items, NoPattern, pointwise
from symdiff.patterns.origins import NOTHING, Ids, Origins
from symdiff.source import SourceSpan

_DEEPEST = 100  # calls within calls that are followed


@dataclass(frozen=True, slots=True)
class Known:
    """A value that is known."""

    value: Any


@dataclass(frozen=True, slots=True)
class Traced:
    """An array of which is known where its elements come from."""

    ids: Ids


@dataclass(frozen=True, slots=True)
class Many:
    """A list of unknown length, or an array of unknown size, all of whose items are this."""

    item: Content


@dataclass(frozen=True, slots=True)
class Unknown:
    """An object, or what an arm does not define."""


Content = Known | Traced | Many | Unknown | list["Content"]
UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Dense:
    """An operation whose result depends on all that it is given, for want of a rule."""

    name: str
    span: SourceSpan | None


def traced(
    graph: Graph, arguments: Sequence[Any], seed: int | None, origins: Origins
) -> tuple[list[Ids | None], list[Dense]]:
    """The numbers of each result, None of what is no array, and what was dense.

    :param arguments: a value for each parameter; ``seed`` is the number of the one that is the
        input, if there is one.
    """
    run = _Run(graph, origins)
    pairs = zip(arguments, graph.block.parameters, strict=True)
    given = [content_of(argument, value.type) for argument, value in pairs]
    if seed is not None:
        given[seed] = Traced(origins.inputs().reshape(np.shape(arguments[seed])))
    with np.errstate(all="ignore"):
        results = run.graph_of(graph, given)
    return [_ids(content) for content in results], list(run.dense)


def content_of(value: Any, type_: Type) -> Content:
    """What is known of an argument."""
    if isinstance(type_, ArrayType):
        if type_.dtype.kind in "biu":
            return Known(value)
        return Traced(np.broadcast_to(NOTHING, np.shape(value)))
    if isinstance(type_, ListType):
        return [content_of(item, type_.element) for item in value]
    return UNKNOWN


def _ids(content: Content) -> Ids | None:
    if isinstance(content, Traced):
        return content.ids
    if isinstance(content, Known):
        return np.broadcast_to(NOTHING, np.shape(content.value))
    return None


def _numbers(content: Content) -> Any:
    """The numbers of an array, or of a list's items in a list. Raises ``NoPattern`` where they are
    not known one by one.
    """
    if isinstance(content, list):
        return [_numbers(item) for item in content]
    ids = _ids(content)
    if ids is None:
        raise NoPattern
    return ids


def _of_numbers(made: Any) -> Content:
    return [_of_numbers(item) for item in made] if isinstance(made, list) else Traced(made)


def _all_ids(contents: Iterable[Content]) -> list[Ids]:
    """The numbers in contents, and in the lists among them."""
    found, left = [], list(contents)
    while left:
        content = left.pop()
        if isinstance(content, Traced):
            found.append(content.ids)
        elif isinstance(content, Many):
            left.append(content.item)
        elif isinstance(content, list):
            left.extend(content)
    return found


@dataclass(frozen=True, slots=True)
class _Operands:
    """The operands of an op, as its rule is given them."""

    origins: Origins
    contents: Sequence[Content]
    ids: Sequence[Ids]

    def is_known(self, position: int) -> bool:
        return isinstance(self.contents[position], Known)

    def value(self, position: int) -> Any:
        content = self.contents[position]
        if not isinstance(content, Known):
            raise NoPattern
        return content.value

    def known(self, start: int) -> list[Any]:
        return [self.value(k) for k in range(start, len(self.contents))]

    def united(self, *ids: Ids) -> Ids:
        return self.origins.united(*ids)

    def united_along(self, ids: Ids) -> Ids:
        return self.origins.united_along(ids)

    def gathered(self, ids: Ids, places: np.ndarray, count: int) -> Ids:
        return self.origins.gathered(ids, places, count)

    def running(self, ids: Ids) -> Ids:
        return self.origins.running(ids)


class _Run:
    """One run of a graph."""

    def __init__(self, graph: Graph, origins: Origins) -> None:
        self.name, self.origins = graph.name, origins
        self.dense: dict[Dense, None] = {}
        self.sizes: dict[str, int] = {}
        self.calls: list[GraphCell] = []
        self.unsure = 0  # branches around, of which is not known whether they are taken

    # Blocks

    def graph_of(self, graph: Graph, given: Sequence[Content]) -> list[Content]:
        """The contents of a graph's results; sizes have names of its own."""
        before, self.sizes = self.sizes, _sizes(graph.block.parameters, given)
        results = self.block(graph.block, given, {})
        self.sizes = before
        return results

    def block(
        self, block: Block, given: Sequence[Content], known: dict[Value, Content]
    ) -> list[Content]:
        """The contents of a block's results. ``known`` has those of the blocks around it."""
        known.update(zip(block.parameters, given, strict=True))
        for node in block.nodes:
            known.update(zip(node.results, self._node(node, known), strict=True))
        return [known[value] for value in block.results]

    def _node(self, node: Node, known: dict[Value, Content]) -> Sequence[Content]:
        if node.op is loop:
            return self._loop(node, known)
        operands = [known[value] for value in node.operands]
        if node.op is cond:
            return self._cond(node, operands[0], known)
        if node.op in CALLS:
            return self._call(node, operands)
        if node.op is undefined or not node.results:
            return [UNKNOWN] * len(node.results)
        return self._applied(node, operands)

    # Control

    def _loop(self, node: Node, known: dict[Value, Content]) -> Sequence[Content]:
        view = LoopView(node)
        count = None if view.count is None else _integer(known[view.count])
        tapes = [known[value] for value in view.xs]
        if (count is None) != (view.count is None) or not all(isinstance(t, list) for t in tapes):
            return self._whole_loop(node, known)
        carries = [known[value] for value in view.initial]
        pushed: list[list[Content]] = []
        turn = 0
        while turn != count:
            goes_on = self._goes_on(view, turn, carries, known)
            if goes_on is None:
                return self._whole_loop(node, known)
            if not goes_on:
                break
            index = count - 1 - turn if view.reverse and count is not None else turn
            given = [Known(index), *carries, *(tape[index] for tape in tapes)]  # type: ignore[index]
            results = self.block(view.body, given, known)
            carries = results[: view.carry_count]
            pushed.append(results[view.carry_count :])
            turn += 1
        if view.reverse:
            pushed.reverse()
        ys: list[Content] = [[one[k] for one in pushed] for k in range(len(view.ys))]
        return [*carries, *ys, Known(turn)]

    def _goes_on(
        self, view: LoopView, turn: int, carries: list[Content], known: dict[Value, Content]
    ) -> bool | None:
        """Whether there is a turn; None where that is not known."""
        if view.condition is None:
            return True
        (test,) = self.block(view.condition, [Known(turn), *carries], known)
        return bool(test.value) if isinstance(test, Known) else None

    def _whole_loop(self, node: Node, known: dict[Value, Content]) -> Sequence[Content]:
        """What a loop leaves whose turns are not known: it depends on all that the loop reads."""
        captured = [known[v] for block in node.blocks for v in free_values(block) if v in known]
        operands = [known[value] for value in node.operands]
        return self._mixed(node, [*operands, *captured], "a loop that ends by its data")

    def _cond(self, node: Node, test: Content, known: dict[Value, Content]) -> Sequence[Content]:
        if isinstance(test, Known):
            return self.block(node.blocks[0 if test.value else 1], (), known)
        self.unsure += 1
        arms = [self.block(block, (), known) for block in node.blocks]
        self.unsure -= 1
        pairs = zip(node.results, *arms, strict=True)
        return [self._joined(result.type, a, b, test) for result, a, b in pairs]

    def _joined(self, type_: Type, a: Content, b: Content, test: Content) -> Content:
        """What is one of two contents."""
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return b if isinstance(a, Unknown) else a
        if isinstance(a, Known) and isinstance(b, Known) and _are_equal(a.value, b.value):
            return a
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            assert isinstance(type_, ListType | TapeType)
            return [self._joined(type_.element, x, y, test) for x, y in zip(a, b, strict=True)]
        one, other = _ids(a), _ids(b)
        if one is None or other is None or one.shape != other.shape:
            return self._of_type(type_, self.origins.all_of(_all_ids([a, b, test])))
        return Traced(self.origins.united(one, other, *_all_ids([test])))

    def _call(self, node: Node, operands: list[Content]) -> Sequence[Content]:
        cell: GraphCell = node.attributes["callee"]
        if cell.graph is None:
            raise InternalError(f"graph {cell.name!r} was never filled", node.span)
        endless = self.unsure and cell in self.calls
        if endless or len(self.calls) >= _DEEPEST:
            return self._mixed(node, operands, f"a call of {cell.name} by itself")
        self.calls.append(cell)
        results = self.graph_of(cell.graph, operands)
        self.calls.pop()
        return results

    # Ops

    def _applied(self, node: Node, operands: list[Content]) -> Sequence[Content]:
        op: Any = node.op
        if all(isinstance(content, Known) for content in operands) and _is_computed(op):
            return self._computed(node, [content.value for content in operands])  # type: ignore[union-attr]
        if isinstance(op, DeclaredOp) and op.uniform:
            return self._length(node, operands)
        rule = op.pattern or (pointwise if op.elementwise else None)
        made = None
        if isinstance(rule, Items):
            made = self._of_lists(node, operands)
        elif rule is not None and len(node.results) == 1:
            made = self._by_rule(node, rule, operands)
        return self._mixed(node, operands, op.name) if made is None else made

    def _of_lists(self, node: Node, operands: list[Content]) -> Sequence[Content] | None:
        """What an op of lists gives that moves their items; None where places are not known."""
        rule: Items = node.op.pattern  # type: ignore[attr-defined]
        evaluate: Any = node.op.evaluate
        given: list[Any] = []
        for position, content in enumerate(operands):
            if isinstance(content, Many):
                return None
            if rule.moved is None or position in rule.moved:
                given.append(content)
            elif isinstance(content, Known):
                given.append(content.value)
            else:
                return None
        try:
            made = evaluate(*given, **node.attributes)
        except LookupError as error:
            self._refuse(node, f"this raises {type(error).__name__}: {error}")
        return (made,) if len(node.results) == 1 else tuple(made)

    def _computed(self, node: Node, values: list[Any]) -> Sequence[Content]:
        """The results of an op whose operands are known."""
        evaluate: Any = node.op.evaluate
        try:
            made = evaluate(*values, **node.attributes)
        except (ArithmeticError, LookupError, ValueError, TypeError) as error:
            if self.unsure:
                return self._mixed(node, (), node.op.name)
            self._refuse(node, f"this raises {type(error).__name__}: {error}")
        many = made if len(node.results) > 1 else (made,)
        pairs = zip(many, node.results, strict=True)
        return [_known(value, result.type) for value, result in pairs]

    def _length(self, node: Node, operands: list[Content]) -> Sequence[Content]:
        """The results of an op that tells a length."""
        stands = [content if isinstance(content, list) else _ids(content) for content in operands]
        evaluate: Any = node.op.evaluate
        if any(one is None for one in stands):
            return [Traced(self.origins.all_of(_all_ids(operands)))]
        return [Known(evaluate(*stands, **node.attributes))]

    def _by_rule(self, node: Node, rule: Any, operands: list[Content]) -> Sequence[Content] | None:
        """What a pattern rule gives; None where it is not for such operands."""
        try:
            given = _Operands(self.origins, operands, [_numbers(content) for content in operands])
            made = rule(given, node.op, **node.attributes)
        except NoPattern:
            return None
        except (LookupError, ValueError) as error:
            if self.unsure:
                return None
            self._refuse(node, f"this raises {type(error).__name__}: {error}")
        if not isinstance(made, list):
            self._require_shape(node, made)
        return (_of_numbers(made),)

    def _require_shape(self, node: Node, ids: Ids) -> None:
        """Require that a rule gives what the type says."""
        type_ = node.result.type
        shape = type_.shape if isinstance(type_, ArrayType) else None
        known = () if shape is None else zip(shape, ids.shape, strict=False)
        fits = all(dim == n for dim, n in known if isinstance(dim, int))
        if shape is None or len(shape) != ids.ndim or not fits:
            raise InternalError(f"the pattern of {node!r} has shape {ids.shape}, not {type_}")

    # What has no rule

    def _mixed(self, node: Node, contents: Sequence[Content], name: str) -> Sequence[Content]:
        """Results all of whose elements depend on all elements of some contents."""
        source = self.origins.all_of(_all_ids(contents))
        if source and not any(isinstance(content, Many) for content in contents):
            self.dense[Dense(name, node.span)] = None
        return [self._of_type(type_, source) for type_ in self._types(node, contents)]

    def _types(self, node: Node, operands: Sequence[Content]) -> Sequence[Type]:
        """The types of a node's results, with what the sizes of its operands tell."""
        types = [result.type for result in node.results]
        if node.blocks or node.op in CALLS or all(self._has_sizes(type_) for type_ in types):
            return types
        given = [_with_sizes(v.type, c) for v, c in zip(node.operands, operands, strict=True)]
        return node.op.infer(*given, **node.attributes)

    def _has_sizes(self, type_: Type) -> bool:
        return not isinstance(type_, ArrayType) or None not in map(self._size, type_.shape)

    def _of_type(self, type_: Type, source: Ids) -> Content:
        """What is of a type, all of whose elements have one number."""
        if isinstance(type_, ListType | TapeType):
            return Many(self._of_type(type_.element, source))
        if not isinstance(type_, ArrayType):
            return UNKNOWN
        shape = [self._size(dim) for dim in type_.shape]
        if None in shape:
            return Many(Traced(source))
        return Traced(np.broadcast_to(source, shape))  # type: ignore[arg-type]

    def _size(self, dim: Dim) -> int | None:
        if isinstance(dim, int):
            return dim
        known = Multiple.of(dim)
        size = self.sizes.get(known.symbol)
        return None if size is None else size * known.factor + known.offset

    def _refuse(self, node: Node, why: str) -> NoReturn:
        raise UnsupportedCallError(
            f"no pattern of sparsity of {self.name}: {why}",
            node.span,
            "use symdiff.jacobian without sparse=True, or symdiff.jvp or symdiff.vjp",
        )


def _sizes(values: Iterable[Value], contents: Iterable[Content]) -> dict[str, int]:
    """What the names of sizes stand for, as the contents of values tell."""
    found = {}
    for value, content in zip(values, contents, strict=True):
        ids = _ids(content)
        if ids is not None and isinstance(value.type, ArrayType):
            for dim, length in zip(value.type.shape, ids.shape, strict=True):
                if not isinstance(dim, int) and not dim.open:
                    known = Multiple.of(dim)
                    found[known.symbol] = known.of_length(length)
    return found


def _with_sizes(type_: Type, content: Content) -> Type:
    """The type of an array, with the sizes that it has."""
    ids = _ids(content)
    if ids is None or not isinstance(type_, ArrayType):
        return type_
    return replace(type_, shape=ids.shape)


def _is_computed(op: Any) -> bool:
    """Return whether an op is computed where its operands are known."""
    return op.evaluate is not None and not op.effect


def _known(value: Any, type_: Type) -> Content:
    if isinstance(type_, ListType | TapeType):
        return [_known(item, type_.element) for item in value]
    return Known(value) if isinstance(type_, ArrayType) else UNKNOWN


def _integer(content: Content) -> int | None:
    return max(int(content.value), 0) if isinstance(content, Known) else None


def _are_equal(a: Any, b: Any) -> bool:
    if np.shape(a) != np.shape(b) or type(a) is not type(b):
        return False
    return bool(np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind in "fc"))
