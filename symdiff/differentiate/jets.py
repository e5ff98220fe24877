"""Jets: the Taylor coefficients of what a graph returns, from those of a number that enters.

Each value that depends on the number becomes a series ``v[0] + v[1] t + v[2] t² + …`` up to an
order, coefficient by coefficient. A linear op does to each what it does to the value; a product
convolves; a quotient solves a triangular system. For any other elementwise op ``y = f(a)`` with the
partial ``p`` the chain rule ``y' = p a'`` tells (Griewank & Walther 2008, ch. 13)

    k y[k] = 1 p[k-1] a[1] + 2 p[k-2] a[2] + … + k p[0] a[k],

and the series of ``p``, an expression in ``y`` and ``a``, is needed up to ``k - 1`` only, as far as
it is asked for: that of ``exp`` is ``y`` itself, and ``sin`` and ``cos`` have each other's. So an
order costs what the orders below it have left, not twice that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from symdiff.differentiate.activity import analyse, calls_itself, graph_of
from symdiff.differentiate.calls import Calls
from symdiff.differentiate.cotangents import Zeros, as_array_where, fitted
from symdiff.differentiate.graphs import (
    derived_from,
    require_one_structure,
    seeded_results,
    trimmed,
)
from symdiff.differentiate.opening import opened_where_active
from symdiff.differentiate.operands import Numbers
from symdiff.differentiate.products import partial_of
from symdiff.differentiate.rows import unit_of
from symdiff.differentiate.selection import EXTREMA
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, building, copy_into, marked
from symdiff.ir.control import (
    CALLS,
    LoopView,
    cond,
    emit_cond,
    emit_loop,
    emit_undefined,
    loop,
    undefined,
)
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.structure import Leaf, Static
from symdiff.ir.types import ListType, TapeType, carries_derivative
from symdiff.ops.arithmetic import (
    add,
    choice,
    choose,
    divide,
    multiply,
    negative,
    subtract,
    where,
)
from symdiff.ops.arrays import array
from symdiff.ops.casts import as_dtype_of
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.guards import guarded, still_finite
from symdiff.ops.joining import concatenate, stack
from symdiff.ops.partial import partial_values
from symdiff.ops.reduce import broadcast_like, tangent_by_rule
from symdiff.ops.rules import custom_call, replaced
from symdiff.ops.strong import (
    product_over,
    quiet_divide,
    strong_divide,
    strong_multiply,
    two_sided_multiply,
)

Series = list[Value | None]  # the coefficients found so far; None is 0

_JOINING = (array, stack, concatenate)
_RECURRENCES: dict[object, str] = {
    **dict.fromkeys((multiply, strong_multiply, two_sided_multiply), "convolved"),
    **dict.fromkeys((divide, strong_divide, quiet_divide), "quotient"),
    product_over: "over",
    **dict.fromkeys((where, choice), "chosen"),
    guarded: "guarded",
}


def taylor(graph: Graph, number: int, order: int) -> Graph:
    """The coefficients up to ``order`` of what a graph returns, by its input of that number: each
    array that is returned is stacked from them along a first axis.
    """
    return _of_series(graph, number, order, "taylor", lambda series: stack(*series, axis=0))


def nth_derivative(graph: Graph, number: int, order: int) -> Graph:
    """The derivative of this order of what a graph returns, by its input of that number."""

    def derivative(series: Sequence[Value]) -> Value:
        last = series[-1]
        return fitted(multiply(float(math.factorial(order)), last), last)

    return _of_series(graph, number, order, "jvp", derivative)


def _of_series(
    graph: Graph, number: int, order: int, name: str, told: Callable[[Sequence[Value]], Value]
) -> Graph:
    """What ``told`` makes of the coefficients of each result of a graph."""
    require_one_structure(graph, "Taylor coefficients")
    graph = replaced(graph, _called_once)
    graph = opened_where_active(graph, (number,))
    results = seeded_results(graph)
    made = _Jets(graph, number, results, order)
    block = made.block(results, told)
    places = {k: Leaf(place) for place, k in enumerate(results)}
    output = derived_from(graph.output, lambda k: places.get(k, Static(None)))
    return trimmed(
        replace(graph, name=f"{graph.name}_{name}", block=block, output=output, mutated={})
    )


def _called_once(node: Node) -> Graph | None:
    """The graph in the place of a call of one that calls itself not."""
    if node.op is custom_call and node.attributes.get("own"):
        primal: Graph = node.attributes["primal"]
        return primal
    if node.op not in CALLS:
        return None
    cell = node.attributes["callee"]
    if calls_itself(cell):
        raise UnsupportedCallError(
            f"no Taylor coefficients of {cell.name}, which calls itself as often as data say",
            node.span,
            "write it as a loop, or use symdiff.derivative",
        )
    return graph_of(cell)


class _Jets:
    """Copies nodes to the current builder, each with the coefficients of its results."""

    def __init__(self, graph: Graph, number: int, results: Sequence[int], order: int) -> None:
        self.graph, self.order = graph, order
        source = graph.block.parameters[number]
        targets = [graph.block.results[k] for k in results]
        activity = analyse(graph.block, [source], targets, Calls().dependencies)
        self.source, self.varying = source, set(activity.active)
        self.numbers = Numbers(graph.block)
        self.new: dict[Value, Value] = {}
        self.alias: dict[Value, Value] = {}  # expressions that are values of the graph
        self.rates: dict[Value, Value] = {}  # derivatives by the number, and what they are of
        self.scopes: list[dict[Value, Series]] = [{}]
        self.known: list[dict[object, Value]] = [{}]  # what was computed, by op and operands

    def block(self, results: Sequence[int], told: Callable[[Sequence[Value]], Value]) -> Block:
        block = self.graph.block
        parameters = tuple(self.renewed(value) for value in block.parameters)
        self.undefinable = partial_values(block)
        self.zeros = Zeros(parameters, set())
        with building(Builder([], self.graph.span)) as made:
            if self.source in self.varying:
                one = unit_of(self.source)
                series: Series = [self.new[self.source], one]
                self.scopes[0][self.source] = (series + [None] * self.order)[: self.order + 1]
            self.nodes(block.nodes)
            with marked(None, "tangent"):
                found = [told(self.finished(block.results[k])) for k in results]
        return Block(parameters, made.nodes, tuple(found))

    def renewed(self, value: Value) -> Value:
        self.new[value] = copied = Value(value.type, None, value.name, value.role)
        return copied

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if not any(value in self.varying for value in node.results):
                copy_into(node, self.new)
            elif node.op is loop:
                self.loop(LoopView(node))
            elif node.op is cond:
                self.cond(node)
            else:
                self.operation(node)

    # Series

    def of(self, value: Value, k: int) -> Value | None:
        """The ``k``-th coefficient of a value."""
        value = self.same(value)
        if value in self.rates:
            one = self.of(self.rates[value], k + 1)
            return one if one is None or k == 0 else multiply(k + 1.0, one)
        for scope in reversed(self.scopes):
            series = scope.get(value)
            if series is not None and len(series) > k:
                return series[k]
        if value.node is None or value not in self.varying:
            return self.new.get(value, value) if k == 0 else None
        self.extend(value, k)
        return self.scopes[-1][value][k]

    def array_of(self, value: Value, k: int) -> Value | None:
        """The ``k``-th coefficient, an array where the value is one of rank 0."""
        return as_array_where(value, self.of(value, k))

    def extend(self, value: Value, k: int) -> None:
        """Find the coefficients of an expression in what is known, up to the ``k``-th."""
        assert value.node is not None
        series: Series = []
        for scope in self.scopes:
            if len(scope.get(value, ())) > len(series):
                series = list(scope[value])
        self.scopes[-1][value] = series
        while len(series) <= k:
            series.append(self.coefficient(value.node, len(series)))

    def finished(self, value: Value) -> list[Value]:
        """All coefficients, each of the type of the value."""
        found = []
        for k in range(self.order + 1):
            one = self.of(value, k)
            found.append(self.zero_of(value) if one is None else fitted(one, value))
        return found

    def zero_of(self, value: Value) -> Value:
        if value.node is not None and value.node.op is undefined:
            return emit_undefined(value.type)
        if value in self.undefinable:
            self.zeros.partial.add(self.got(value))
        return self.zeros.of(self.got(value))

    def got(self, value: Value) -> Value:
        return self.new.get(value, value)

    # Ops

    def operation(self, node: Node) -> None:
        if not isinstance(node.op, DeclaredOp) or len(node.results) != 1:
            raise _refusal(node)
        if isinstance(node.result.type, ListType | TapeType):
            raise _refusal(node)
        value = node.result
        copy_into(node, self.new)
        self.new[value].name = value.name
        self.note(node)
        series: Series = [self.new[value]]
        self.scopes[-1][value] = series
        with marked(node.span, "tangent"):
            for k in range(1, self.order + 1):
                one = self.coefficient(node, k)
                if one is not None and one.name is None and one.node is not None:
                    one.name = value.name
                series.append(one)

    def note(self, node: Node) -> None:
        """Remember what computes a value: an expression that is the same is that value."""
        if not node.attributes and not node.blocks:
            self.known[-1][node.op, *node.operands] = node.result

    def coefficient(self, node: Node, k: int) -> Value | None:
        """The ``k``-th coefficient of what a node computes, from those of its operands."""
        op = node.op
        if not isinstance(op, DeclaredOp):
            raise _refusal(node)
        active = [i for i, v in enumerate(node.operands) if op.carries(i) and self.varies(v)]
        if k == 0:
            given = [self.got_or_first(value) for value in node.operands]
            return _only(op(*given, **node.attributes))
        if op in _RECURRENCES:
            return getattr(self, _RECURRENCES[op])(op, node, k)  # type: ignore[no-any-return]
        if all(op.is_linear(i) for i in active):
            return self.linear(op, node, active, k)
        if op.linear == "each" and len(active) <= 2:
            return self.bilinear(op, node, active, k)
        if op in _JOINING:
            return self.joined(op, node, k)
        if op.partials is None:
            return self.by_rate(op, node, active, k)
        return self.elementwise(op, node, active, k)

    def varies(self, value: Value) -> bool:
        return value in self.varying and carries_derivative(value.type)

    def linear(self, op: DeclaredOp, node: Node, active: Sequence[int], k: int) -> Value | None:
        if all(self.of(node.operands[i], k) is None for i in active):
            return None
        given = []
        for i, value in enumerate(node.operands):
            one = self.array_of(value, k) if i in active else None
            given.append(
                self.got_or_first(value)
                if not op.is_linear(i)
                else self.zeros.of(self.got_or_first(value))
                if one is None
                else one
            )
        return _only(op(*given, **node.attributes))

    def got_or_first(self, value: Value) -> Value:
        first = self.of(value, 0)
        return self.zeros.of(self.got_or_first(self.rates[value])) if first is None else first

    def chosen(self, op: DeclaredOp, node: Node, k: int) -> Value | None:
        """The coefficient of the alternative that a condition takes."""
        condition, *others = node.operands
        given = [self.of(value, k) for value in others]
        if all(one is None for one in given):
            return None
        arms = [
            self.zeros.of(self.got_or_first(value)) if one is None else one
            for one, value in zip(given, others, strict=True)
        ]
        return choose(self.got_or_first(condition), *arms)

    def guarded(self, op: DeclaredOp, node: Node, k: int) -> Value | None:
        """The coefficient of a share that counts as long as all coefficients are finite."""
        condition, finite, share = node.operands
        made = self.of(share, k)
        if made is None:
            return None
        counts = self.got_or_first(finite)
        for j in range(k):
            before = self.of(share, j)
            if before is not None:
                counts = still_finite(counts, before, node.attributes["axis"])
        return op(self.got_or_first(condition), counts, made, **node.attributes)  # type: ignore[no-any-return]

    def bilinear(self, op: DeclaredOp, node: Node, active: Sequence[int], k: int) -> Value | None:
        total: Value | None = None
        splits = [(k,)] if len(active) == 1 else [(j, k - j) for j in range(k + 1)]
        for degrees in splits:
            given = [self.got_or_first(value) for value in node.operands]
            for i, degree in zip(active, degrees, strict=True):
                part = self.array_of(node.operands[i], degree)
                if part is None:
                    break
                given[i] = part
            else:
                total = _sum(total, _only(op(*given, **node.attributes)))
        return total

    def convolved(self, op: DeclaredOp, node: Node, k: int) -> Value | None:
        a, b = map(self.same, node.operands)
        total: Value | None = None
        if a is b and op is multiply:
            for j in range((k + 1) // 2):
                total = _sum(total, self.product(op, self.of(a, j), self.of(a, k - j)))
            total = None if total is None else multiply(2.0, total)
            middle = self.of(a, k // 2) if k % 2 == 0 else None
            return _sum(total, self.product(op, middle, middle))
        for j in range(k + 1):
            total = _sum(total, self.product(op, self.of(a, j), self.of(b, k - j)))
        return total

    @staticmethod
    def product(
        op: Callable[[Value, Value], Value], a: Value | None, b: Value | None
    ) -> Value | None:
        return None if a is None or b is None else op(a, b)

    def quotient(self, op: DeclaredOp, node: Node, k: int) -> Value | None:
        """From ``y b = a``: ``y[k] = (a[k] - b[1] y[k-1] - … - b[k] y[0]) / b[0]``."""
        a, b = node.operands
        total = self.of(a, k)
        for j in range(1, k + 1):
            part = self.product(multiply, self.of(b, j), self.of(node.result, k - j))
            if part is not None:
                total = -part if total is None else subtract(total, part)
        by_numpy = {**node.attributes, "ufunc": True} if op is divide else node.attributes
        return None if total is None else op(total, self.of(b, 0), **by_numpy)  # type: ignore

    def over(self, op: DeclaredOp, node: Node, k: int) -> Value | None:
        """From ``y d = g n``, each product divided by ``d[0]`` as the op divides it."""
        g, n, d = node.operands
        total: Value | None = None
        for j in range(k + 1):
            pair = self.of(g, j), self.of(n, k - j)
            total = _sum(total, self.product(_by(self.of(d, 0)), *pair))
        for j in range(1, k + 1):
            pair = self.of(d, j), self.of(node.result, k - j)
            part = self.product(_by(self.of(d, 0)), *pair)
            total = total if part is None else _sum(total, negative(part))
        return total

    def elementwise(
        self, op: DeclaredOp, node: Node, active: Sequence[int], k: int
    ) -> Value | None:
        """From partials, and from the derivative by the number where an op tells that by a rule:
        there the partial is only what it is at the point.
        """
        told = [i for i in active if op.rule("jvp", i) is not None]
        others = [i for i in active if i not in told]
        total = self.by_partials(op, node, others, k)
        total = _sum(total, self.by_rate(op, node, told, k)) if told else total
        if total is None:
            return None
        y = self.got_or_first(node.result)
        return broadcast_like(as_dtype_of(total, y), y)

    def by_partials(
        self, op: DeclaredOp, node: Node, active: Sequence[int], k: int
    ) -> Value | None:
        total: Value | None = None
        product = strong_multiply if op.is_strong(node) else multiply
        for i in active:
            partial = self.partial(node, op, i)
            if partial is None:
                continue
            for j in range(1, k + 1):
                one = self.of(node.operands[i], j)
                other = self.of(partial, k - j) if isinstance(partial, Value) else None
                if one is None or (other is None and (j < k or isinstance(partial, Value))):
                    continue
                weighted = one if j == k else multiply(j / k, one)
                if other is not None and op in EXTREMA:  # the zeros of what is not taken win
                    part = strong_multiply(other, weighted)
                else:
                    part = (
                        multiply(weighted, partial) if other is None else product(weighted, other)
                    )
                total = _sum(total, part)
        return total

    def joined(self, op: DeclaredOp, node: Node, k: int) -> Value | None:
        """The coefficients of what is joined, joined."""
        given = [self.array_of(value, k) for value in node.operands]
        if all(one is None for one in given):
            return None
        parts = [
            self.zeros.of(self.got_or_first(value)) if one is None else one
            for one, value in zip(given, node.operands, strict=True)
        ]
        return op(*parts, **node.attributes)  # type: ignore[no-any-return]

    def by_rate(self, op: DeclaredOp, node: Node, active: Sequence[int], k: int) -> Value | None:
        """From the derivative by the number, which an op's forward rule tells: its coefficient
        before, divided by ``k``.
        """
        rate = self.rate(op, node, active)
        before = None if rate is None else self.of(rate, k - 1)
        return before if before is None or k == 1 else multiply(1.0 / k, before)

    def rate(self, op: DeclaredOp, node: Node, active: Sequence[int]) -> Value | None:
        """The derivative by the number as an expression in operands and their derivatives."""
        key = "rate", node.result
        found = self.looked_up(key)
        if found is not None:
            return found
        given = [
            Value(value.type, None, None, "tangent") if i in active else None
            for i, value in enumerate(node.operands)
        ]
        for one, value in zip(given, node.operands, strict=True):
            if one is not None:
                self.rates[one] = value
                self.varying.add(one)
        made: Value | None = None
        with building(Builder([], node.span)) as scratch:
            operands = self.numbers.operands(node, op)
            if op.tangent is not None:
                made = _only(op.tangent(tuple(given), node.result, *operands, **node.attributes))
            else:
                for i in active:
                    if op.rule("jvp", i) is None:
                        raise _refusal(node)
                    one = given[i]
                    assert one is not None
                    part = tangent_by_rule(op, i, one, node.result, *operands, **node.attributes)
                    made = _sum(made, _only(part))
        for each in scratch.nodes:
            self.adopt(each)
        if made is not None:
            made = self.same(made)
            self.known[-1][key] = made
        return made

    def partial(self, node: Node, op: DeclaredOp, position: int) -> Value | int | float | None:
        """The partial as an expression in the graph's own values, of which series are found."""
        key = "partial", node.result, position
        found = self.looked_up(key)
        if found is not None:
            return found
        with building(Builder([], node.span)) as scratch:
            partial = partial_of(node, op, position, self.numbers)
        for made in scratch.nodes:
            self.adopt(made)
        if isinstance(partial, Value):
            partial = self.same(partial)
            self.known[-1][key] = partial
        return partial

    def looked_up(self, key: object) -> Value | None:
        return next((known[key] for known in reversed(self.known) if key in known), None)

    def adopt(self, node: Node) -> None:
        """Take a node of an expression, or what is the same."""
        node.operands = tuple(map(self.same, node.operands))
        if node.blocks or len(node.results) != 1:
            raise _refusal(node)
        key = (node.op, *node.operands)
        found = None if node.attributes else self.looked_up(key)
        if found is not None:
            self.alias[node.result] = found
            return
        self.note(node)
        if any(value in self.varying for value in node.operands):
            self.varying.update(node.results)
        else:
            copy_into(node, self.new)

    def same(self, value: Value) -> Value:
        """The value of the graph that an expression is, if there is one."""
        return self.alias.get(value, value)

    # Loops and branches

    def loop(self, view: LoopView) -> None:
        carries, elements, pushed = view.numbers_where(self.varying.__contains__)
        if elements or pushed:
            raise _refusal(view.node)
        with marked(view.node.span, "tangent"):
            initial = [one for k in carries for one in self.finished(view.initial[k])[1:]]
        body, condition = self.body(view, carries)
        made = LoopView(
            emit_loop(
                None if view.count is None else self.got(view.count),
                (*map(self.got, view.initial), *initial),
                tuple(map(self.got, view.xs)),
                body,
                condition,
                reverse=view.reverse,
            )
        )
        count = view.carry_count
        self.new |= dict(zip(view.finals, made.finals[:count], strict=True))
        self.new |= dict(zip(view.ys, made.ys, strict=True))
        self.new[view.turns] = made.turns
        for value, result in zip(view.finals, made.finals[:count], strict=True):
            result.name, result.role = value.name, value.role
        self.receive([view.finals[k] for k in carries], made.finals[count:])

    def receive(self, values: Sequence[Value], more: Sequence[Value]) -> None:
        """Note the coefficients of results: those of each value in turn, from the first."""
        for n, value in enumerate(values):
            higher = more[n * self.order : (n + 1) * self.order]
            for one in higher:
                one.name, one.role = value.name, "tangent"
            self.scopes[-1][value] = [self.new[value], *higher]
            self.varying.add(value)

    def higher(self, value: Value) -> list[Value]:
        """Parameters for the coefficients of a parameter."""
        made = [Value(value.type, None, value.name, "tangent") for _ in range(self.order)]
        self.scopes[-1][value] = [self.new[value], *made]
        self.varying.add(value)
        return made

    def body(self, view: LoopView, carries: Sequence[int]) -> tuple[Block, Block | None]:
        self.scopes.append({})
        self.known.append({})
        index, *others = [self.renewed(value) for value in view.body.parameters]
        more = [one for k in carries for one in self.higher(view.carries[k])]
        count = view.carry_count
        with building(Builder([], view.node.span)) as made:
            self.nodes(view.body.nodes)
            with marked(view.node.span, "tangent"):
                following = [
                    fitted(one, view.carries[k])
                    for k in carries
                    for one in self.finished(view.next_carries[k])[1:]
                ]
            first = [self.got(value) for value in view.next_carries]
            pushes = [self.got(value) for value in view.pushed]
        parameters = (index, *others[:count], *more, *others[count:])
        block = Block(parameters, made.nodes, (*first, *following, *pushes))
        self.scopes.pop()
        self.known.pop()
        if view.condition is None:
            return block, None
        given = [self.renewed(value) for value in view.condition.parameters]
        given += [Value(one.type, None, one.name, "tangent") for one in more]
        with building(Builder([], view.node.span)) as asked:
            for node in view.condition.nodes:
                copy_into(node, self.new)
        tested = tuple(map(self.got, view.condition.results))
        return block, Block(tuple(given), asked.nodes, tested)

    def cond(self, node: Node) -> None:
        active = [k for k, value in enumerate(node.results) if value in self.varying]
        arms = [self.arm(node, block, active) for block in node.blocks]
        with marked(node.span):
            made = emit_cond(self.got(node.operands[0]), *arms)
        count = len(node.results)
        for value, result in zip(node.results, made.results[:count], strict=True):
            self.new[value] = result
            result.name, result.role = value.name, value.role
        self.receive([node.results[k] for k in active], made.results[count:])

    def arm(self, node: Node, block: Block, active: Sequence[int]) -> Block:
        self.scopes.append({})
        self.known.append({})
        with building(Builder([], node.span)) as made:
            self.nodes(block.nodes)
            with marked(node.span, "tangent"):
                more = [
                    fitted(one, node.results[k])
                    for k in active
                    for one in self.finished(block.results[k])[1:]
                ]
            first = [self.got(value) for value in block.results]
        self.scopes.pop()
        self.known.pop()
        return Block((), made.nodes, (*first, *more))


def _sum(total: Value | None, part: Value | None) -> Value | None:
    if total is None or part is None:
        return part if total is None else total
    made: Value = add(total, part)
    return made


def _only(made: Any) -> Value:
    """The result of an op that has one, which some give as a tuple."""
    (value,) = made if isinstance(made, tuple) else (made,)
    return value  # type: ignore[no-any-return]


def _by(divisor: Value | None) -> Callable[[Value, Value], Value]:
    """The product of two values over a divisor."""
    assert divisor is not None
    return lambda a, b: product_over(a, b, divisor)


def _refusal(node: Node) -> UnsupportedCallError:
    return UnsupportedCallError(
        f"no Taylor coefficients of {node.op.name}",
        node.span,
        "use symdiff.derivative, which differentiates again and again",
    )
