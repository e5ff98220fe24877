"""Blocks as statements: one node after another, loops and branches with their blocks inside.

Every decision was taken before (``Plan``): which copies are made, which writes are in place, what is
folded, what everything is called. Printing takes none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from symdiff.emit.expressions import (
    Expressions,
    as_target,
    assign,
    call_of,
    method,
    name,
    subscript,
    target,
    tuple_of,
)
from symdiff.emit.plan import Plan
from symdiff.emit.text import Line
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, call, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ops.index import index_add, index_set, is_basic, key_of, spell_key

Printer = Callable[["Statements", Node], list[Line]]


class Statements:
    """Prints blocks of one function."""

    def __init__(self, plan: Plan, expressions: Expressions) -> None:
        self.plan = plan
        self.expressions = expressions

    def block(self, block: Block) -> list[Line]:
        """The lines of a block's nodes; its results are what follows."""
        lines: list[Line] = []
        for node in block.nodes:
            if node.op is constant or any(v in self.plan.folded for v in node.results):
                continue
            for line in PRINTERS.get(node.op.name, Statements.assignment)(self, node):
                if line.span is None:
                    line.span = node.span
                lines.append(line)
        return lines

    def of(self, value: Value) -> ast.expr:
        return self.expressions.of(value)

    def assignment(self, node: Node) -> list[Line]:
        """``x = ...``; an expression statement where the results are read by nobody."""
        return self.assigned(node, self.expressions.node(node))

    def assigned(self, node: Node, expression: ast.expr) -> list[Line]:
        if not any(v in self.plan.used for v in node.results):
            return [self.line(node, ast.Expr(expression))]
        targets = [target(self.plan.names.get(v, "_")) for v in node.results]
        to = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
        return [self.line(node, assign(to, expression))]

    def line(self, node: Node, tree: ast.stmt) -> Line:
        derived = bool(node.results) and node.results[0].role != "primal"
        return Line(tree, node.span, derived)

    def moves(self, pairs: Sequence[tuple[Value, Value]]) -> list[Line]:
        """Give each first value's variable the value of the second, all at once."""
        names = self.plan.names
        real = [
            (to, self.of(source))
            for to, source in pairs
            if to in names and not (source in names and names[source] == names[to])
        ]
        if not real:
            return []
        if len(real) == 1:
            ((to, expression),) = real
            return [Line(assign(target(names[to]), expression))]
        targets = [target(names[to]) for to, _ in real]
        sources = [expression for _, expression in real]
        return [Line(assign(ast.Tuple(targets, ast.Store()), tuple_of(sources)))]

    # Writes

    def index_set(self, node: Node) -> list[Line]:
        """``x[key] = v``; the node's result is the same variable."""
        return [self.line(node, assign(as_target(self.place(node)), self.of(node.operands[1])))]

    def index_add(self, node: Node) -> list[Line]:
        """``x[key] += v``, or ``np.add.at`` where a key may name a place twice."""
        key, dynamic = key_of(node)
        value = self.of(node.operands[1])
        place = self.place(node)
        if is_basic(key, dynamic) and isinstance(place, ast.Subscript):
            return [self.line(node, ast.AugAssign(as_target(place), ast.Add(), value))]  # type: ignore[arg-type]
        add_at = ast.Attribute(ast.Attribute(name("np"), "add", ast.Load()), "at", ast.Load())
        where = spell_key(key, [self.of(v) for v in dynamic])
        return [self.line(node, ast.Expr(call_of(add_at, self.of(node.operands[0]), where, value)))]

    def place(self, node: Node) -> ast.expr:
        key, dynamic = key_of(node)
        return subscript(self.of(node.operands[0]), spell_key(key, [self.of(v) for v in dynamic]))

    def stores(self, graph: Graph) -> list[Line]:
        """Final values of mutated arguments into the caller's arrays."""
        lines = []
        for number, result in graph.mutated.items():
            parameter, final = graph.block.parameters[number], graph.block.results[result]
            if final is not parameter:
                place = subscript(name(self.plan.names[parameter]), ast.Constant(...))
                lines.append(Line(assign(as_target(place), self.of(final))))
        return lines

    # Branches

    def cond(self, node: Node) -> list[Line]:
        then, orelse = (self.arm(node, block) for block in node.blocks)
        test = self.of(node.operands[0])
        if not then and not orelse:
            return []
        if not then:
            test, then, orelse = ast.UnaryOp(ast.Not(), test), orelse, []
        return [Line(ast.If(test, [], []), body=then, orelse=orelse)]

    def arm(self, node: Node, block: Block) -> list[Line]:
        used = [
            (v, r) for v, r in zip(node.results, block.results, strict=True) if v in self.plan.used
        ]
        return self.block(block) + self.moves(used)

    # Loops

    def loop(self, node: Node) -> list[Line]:
        view = LoopView(node)
        tapes = [(y, v) for y, v in zip(view.ys, view.pushed, strict=True) if y in self.plan.used]
        before = self.moves(list(zip(view.carries, view.initial, strict=True)))
        before += [self.empty_tape(view, y) for y, _ in tapes]
        before += [Line(assign(target(n), ast.Constant(0))) for n in self.counters(view)]
        body = self.head(view) + self.elements(view) + self.block(view.body)
        body += [self.push(view, y, v) for y, v in tapes]
        body += self.moves(list(zip(view.carries, view.next_carries, strict=True)))
        body += self.counting(view)
        after = self.moves(list(zip(view.finals, view.carries, strict=True)))
        return [*before, self.looping(view, body or [Line(ast.Pass())]), *after]

    def looping(self, view: LoopView, body: list[Line]) -> Line:
        if view.count is None:
            return Line(ast.While(ast.Constant(True), [], []), body=body)
        turns = call_of("range", self.of(view.count))
        turns = call_of("reversed", turns) if view.reverse else turns
        variable = target(self.plan.names.get(view.index, "_"))
        return Line(ast.For(variable, turns, [], [], lineno=1), body=body)

    def head(self, view: LoopView) -> list[Line]:
        """Where a turn begins: the test of the condition."""
        if view.condition is None:
            return []
        index, *carries = view.condition.parameters
        same = list(zip(carries, view.carries, strict=True))
        lines = self.moves([(index, view.index), *same]) + self.block(view.condition)
        stop = ast.UnaryOp(ast.Not(), self.of(view.condition.results[0]))
        return [*lines, Line(ast.If(stop, [], []), body=[Line(ast.Break())])]

    def counting(self, view: LoopView) -> list[Line]:
        one = ast.Constant(1)
        names = self.counters(view)
        return [Line(ast.AugAssign(ast.Name(n, ast.Store()), ast.Add(), one)) for n in names]

    def counters(self, view: LoopView) -> list[str]:
        """Variables that count turns by hand."""
        counted = [view.turns] if view.turns in self.plan.used else []
        if view.count is None and view.index in self.plan.used:
            counted.append(view.index)
        return [self.plan.names[v] for v in counted]

    def elements(self, view: LoopView) -> list[Line]:
        lines = []
        for element, tape in zip(view.elements, view.xs, strict=True):
            if element in self.plan.used:
                item = subscript(self.of(tape), self.of(view.index))
                lines.append(Line(assign(target(self.plan.names[element]), item)))
        return lines

    def empty_tape(self, view: LoopView, y: Value) -> Line:
        start: ast.expr = ast.List([], ast.Load())
        if view.reverse and view.count is not None:
            nothing = ast.List([ast.Constant(None)], ast.Load())
            start = ast.BinOp(nothing, ast.Mult(), self.of(view.count))
        return Line(assign(target(self.plan.names[y]), start))

    def push(self, view: LoopView, y: Value, value: Value) -> Line:
        if view.reverse:
            place = subscript(name(self.plan.names[y]), self.of(view.index))
            return Line(assign(as_target(place), self.of(value)))
        return Line(ast.Expr(method(name(self.plan.names[y]), "append", self.of(value))))


def _nothing(statements: Statements, node: Node) -> list[Line]:
    return []


def _call(statements: Statements, node: Node) -> list[Line]:
    function = statements.plan.callees[node.attributes["callee"]]
    return statements.assigned(node, call_of(function, *map(statements.of, node.operands)))


PRINTERS: dict[str, Printer] = {
    loop.name: Statements.loop,
    cond.name: Statements.cond,
    call.name: _call,
    undefined.name: _nothing,
    index_set.name: Statements.index_set,
    index_add.name: Statements.index_add,
}
