"""Blocks as statements: one node after another, loops and branches with their blocks inside.

Every decision was taken before (``Plan``): which copies are made, which writes are in place, what
is folded, what everything is called. Printing takes none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from symdiff.buffers.facts import in_memory, makes_view
from symdiff.buffers.headers import is_length, reads_count
from symdiff.buffers.lower import push
from symdiff.emit import effects, writes
from symdiff.emit.expressions import (
    Expressions,
    as_target,
    assign,
    augment,
    call_of,
    is_number,
    method,
    name,
    negation,
    range_of,
    subscript,
    target,
    truth,
    tuple_of,
)
from symdiff.emit.plan import Plan
from symdiff.emit.text import Kind, Line
from symdiff.emit.trees import same_tree
from symdiff.emit.tries import CLASSES, TOLD
from symdiff.emit.writes import AUGMENTED, other_operand
from symdiff.ir.build import constant
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.attempts import spelled_class
from symdiff.ops.declare import dotted, fails_to_broadcast, literal
from symdiff.ops.facts import may_raise
from symdiff.ops.index import index_add, index_set

Printer = Callable[["Statements", Node], list[Line]]


_OPERATORS: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "subtract": ast.Sub,
    "multiply": ast.Mult,
    "divide": ast.Div,
}


class Statements:
    """Prints blocks of one function."""

    def __init__(self, plan: Plan, expressions: Expressions, augmented: bool = True) -> None:
        self.plan = plan
        self.expressions = expressions
        self.augmented = augmented

    def block(self, block: Block) -> list[Line]:
        """The lines of a block's nodes; its results are what follows."""
        lines: list[Line] = []
        said: str | None = None
        nodes = [node for node in block.nodes if self.is_printed(node)]
        tried: Node | None = None
        for node in nodes:
            if tried is not None and self.continues(node, tried, lines):
                continue
            tried = node if CLASSES in node.attributes and node.op is cond else None
            for line in PRINTERS.get(node.op.name, Statements.assignment)(self, node):
                line.span = line.span or node.span
                said, line.comment = line.comment, None if line.comment == said else line.comment
                if not (lines and _takes_last(lines[-1], line)):
                    lines.append(line)
        return lines

    def is_printed(self, node: Node) -> bool:
        """Return whether a node has lines of its own."""
        if node.op in (constant, undefined):
            return False
        return not any(v in self.plan.folded for v in node.results)

    def of(self, value: Value) -> ast.expr:
        return self.expressions.of(value)

    def named(self, value: Value) -> str:
        """The name of a value's variable; ``_`` where nobody reads it."""
        return self.plan.names.get(value, "_")

    def line(self, node: Node, tree: ast.stmt) -> Line:
        return Line(tree, node.span, self.is_adjoint(node))

    def is_adjoint(self, node: Node) -> bool:
        """Return whether all that is read of a node's results are cotangents."""
        roles = {v.role for v in node.results if self.plan.is_used(v)} or {
            v.role for v in node.results
        }
        return roles == {"cotangent"}

    # Assignments

    def assignment(self, node: Node) -> list[Line]:
        """``x = ...``; an expression statement where the results are read by nobody."""
        if node in self.plan.accumulations and self.augmented:
            return self.accumulation(node)
        return self.assigned(node, self.expressions.node(node))

    def assigned(self, node: Node, expression: ast.expr) -> list[Line]:
        if not any(self.plan.is_used(v) for v in node.results):
            return [self.check(node, expression)]
        names = [self.named(v) for v in node.results]
        if len(names) > 1:
            to: ast.expr = ast.Tuple([target(n) for n in names], ast.Store())
            return [self.line(node, assign(to, expression))]
        type_ = node.result.type
        if isinstance(type_, ArrayType) and type_.kind != "array":
            return self.assigned_number(node, names[0], expression)
        return [self.given(node, names[0], expression)]

    def given(self, node: Node, to: str, expression: ast.expr) -> Line:
        """``x = ...``"""
        line = self.line(node, assign(target(to), expression))
        line.kind, line.light = self.kind(node), self.is_light(node)
        return line

    def kind(self, node: Node) -> Kind:
        """What kind of value a node computes, where there is a word for it."""
        if node.result.role == "cotangent" and node.result.name is not None:
            return "cotangent"
        return None if in_memory(node.result) else "number"

    def is_light(self, node: Node) -> bool:
        """Return whether numbers and views are all that computing a node makes."""
        pending = [node]
        while pending:
            one = pending.pop()
            if one.blocks or not all(not in_memory(v) or makes_view(one) for v in one.results):
                return False
            pending += [v.node for v in one.operands if v in self.plan.folded and v.node]
        return True

    def check(self, node: Node, expression: ast.expr) -> Line:
        """What nobody reads is computed for what it may raise, and says so."""
        if not node.op.raises and fails_to_broadcast(node):
            arrays = [v for v in node.operands if isinstance(v.type, ArrayType) and v.type.shape]
            expression = call_of(dotted("np.broadcast"), *map(self.of, arrays))
        line = self.line(node, ast.Expr(expression))
        if may_raise(node) and not node.op.effect and node.span is not None:
            line.comment = f"raises what line {node.span.line} would"
        return line

    def assigned_number(self, node: Node, to: str, expression: ast.expr) -> list[Line]:
        """``x += y`` for ``x = x + y`` of numbers, and nothing for ``x = x``."""
        if isinstance(expression, ast.Name) and expression.id == to:
            return []
        changeable = any(in_memory(v) and self.plan.names.get(v) == to for v in node.operands)
        if isinstance(expression, ast.BinOp) and isinstance(expression.op, AUGMENTED):
            kept = changeable or not self.augmented
            rest = None if kept else other_operand(expression, name(to), self.is_derived(node))
            if rest is not None:
                return [self.line(node, augment(target(to), expression.op, rest))]
        line = self.given(node, to, expression)
        if isinstance(expression, ast.Name):
            line.kind = "moved"
        return [line]

    def accumulation(self, node: Node) -> list[Line]:
        """``x += ...``, the sum written into its operand."""
        number = self.plan.accumulations[node]
        operator = _OPERATORS[node.op.name]()
        tree = augment(
            target(self.named(node.result)), operator, self.of(node.operands[1 - number])
        )
        return [self.line(node, tree)]

    def moves(self, pairs: Sequence[tuple[Value, Value]]) -> list[Line]:
        """Give each first value's variable the value of the second, all at once."""
        names = self.plan.names
        waiting: dict[str, Value] = {}
        for to, source in pairs:
            if to in names and names.get(source) != names[to]:
                waiting[names[to]] = source
        absent = [n for n, v in waiting.items() if v.node is not None and v.node.op is undefined]
        for n in absent:
            del waiting[n]
        lines = self.ordered(waiting)
        if absent:
            nothing = ast.Assign([target(n) for n in absent], ast.Constant(None), lineno=1)
            lines.append(Line(nothing))
        return lines

    def ordered(self, waiting: dict[str, Value]) -> list[Line]:
        """Moves one after another where none changes what a later one reads."""
        lines = []
        while waiting:
            readers: dict[str, set[str]] = {}
            for n, value in waiting.items():
                for read in self.expressions.names_in(value):
                    readers.setdefault(read, set()).add(n)
            free = [n for n in waiting if readers.get(n, {n}) == {n}]
            if not free:
                lines.append(self.parallel(waiting))
                break
            for n in free:
                moved = self.of(waiting.pop(n))
                line = Line(assign(target(n), moved))
                if isinstance(moved, ast.Name | ast.Constant):
                    line.kind, line.light = "moved", True
                lines.append(line)
        return lines

    def parallel(self, moves: dict[str, Value]) -> Line:
        """``u, v = v, u``"""
        targets = ast.Tuple([target(n) for n in moves], ast.Store())
        return Line(assign(targets, tuple_of([self.of(v) for v in moves.values()])))

    def is_derived(self, node: Node) -> bool:
        return node.results[0].role != "primal"

    def stores(self) -> list[Line]:
        """Final values of mutated arguments into the caller's arrays."""
        lines = []
        for parameter, final in self.plan.stores.items():
            place = subscript(name(self.plan.names[parameter]), ast.Constant(...))
            lines.append(Line(assign(as_target(place), self.of(final))))
        return lines

    # Branches

    def cond(self, node: Node) -> list[Line]:
        if CLASSES in node.attributes:
            return self.tried(node)
        then, orelse = (self.arm(node, block) for block in node.blocks)
        test = truth(self.of(node.operands[0]))
        if not then and not orelse:
            return []
        if not then:
            test, then, orelse = negation(test), orelse, []
        adjoint = self.is_adjoint(node)
        return [Line(ast.If(test, [], []), node.span, adjoint, body=then, orelse=orelse)]

    def tried(self, node: Node) -> list[Line]:
        """``try``: the second arm; ``except``: the first."""
        first, second = node.blocks
        body, results = self.arm(node, second), list(zip(node.results, first.results, strict=True))
        failed = self.block(first) + self.moves(results[-1:] if node.attributes[TOLD] else results)
        names = [dotted(spelled_class(kind) or "") for kind in node.attributes[CLASSES]]
        kinds = names[0] if len(names) == 1 else tuple_of(names)
        tree = ast.Try([], [ast.ExceptHandler(kinds, None, [])], [], [])
        handler = failed or [Line(ast.Pass())]
        return [
            Line(
                tree,
                node.span,
                self.is_adjoint(node),
                body=body or [Line(ast.Pass())],
                orelse=handler,
            )
        ]

    def continues(self, node: Node, tried: Node, lines: list[Line]) -> bool:
        """Let a branch on whether something has raised be part of the ``try`` right before it,
        where it does something there only.
        """
        told = tried.results[-1]
        if node.op is not cond or node.operands[0] is not told:
            return False
        then, orelse = (self.arm(node, block) for block in node.blocks)
        if orelse:
            return False
        (line,) = lines[-1:]
        handler = [one for one in line.orelse if not isinstance(one.tree, ast.Pass)]
        if len(self.plan.liveness.uses.get(told, ())) == 1:
            flag = self.named(told)
            handler = [one for one in handler if not _sets(one, flag)]
            line.body = [one for one in line.body if not _sets(one, flag)]
        line.orelse = [*handler, *then] or [Line(ast.Pass())]
        return True

    def arm(self, node: Node, block: Block) -> list[Line]:
        return self.block(block) + self.moves(list(zip(node.results, block.results, strict=True)))

    # Loops

    def loop(self, node: Node) -> list[Line]:
        view = LoopView(node)
        before = [self.empty_tape(view, n) for n in view.body.nodes if n.op is push]
        before += [Line(assign(target(n), ast.Constant(0))) for n in self.counters(view)]
        before += self.moves(list(zip(view.carries, view.initial, strict=True)))
        head, condition = self.head(view)
        body = head + self.block(view.body)
        body += self.moves(list(zip(view.carries, view.next_carries, strict=True)))
        body += [Line(augment(target(n), ast.Add(), ast.Constant(1))) for n in self.counters(view)]
        after = self.moves(list(zip(view.finals, view.carries, strict=True)))
        return [*before, self.looping(view, condition, body or [Line(ast.Pass())]), *after]

    def looping(self, view: LoopView, condition: ast.expr, body: list[Line]) -> Line:
        if view.count is None:
            tree: ast.stmt = ast.While(condition, [], [])
        else:
            tree = ast.For(*self.turns(view), [], [], lineno=1)
        kind: Kind = "blocks" if view.node.attributes.get("blocks") else None
        return Line(tree, view.node.span, self.is_adjoint(view.node), body=body, kind=kind)

    def head(self, view: LoopView) -> tuple[list[Line], ast.expr]:
        """The lines with which a turn begins, and the condition of a ``while`` that needs none."""
        always: ast.expr = ast.Constant(True)
        if view.condition is None:
            return [], always
        lines = self.block(view.condition)
        test = truth(self.of(view.condition.results[0]))
        if not lines and view.count is None:
            return [], test
        stop = Line(ast.If(negation(test), [], []), body=[Line(ast.Break())])
        return [*lines, stop], always

    def counters(self, view: LoopView) -> list[str]:
        """Variables that count turns by hand."""
        counted = [view.turns] if view.count is not None else [view.turns, view.index]
        names = [self.plan.names[v] for v in counted if self.plan.is_used(v)]
        return list(dict.fromkeys(names))

    def turns(self, view: LoopView) -> tuple[ast.expr, ast.expr]:
        """Target and iterable of a ``for``."""
        parts: list[tuple[Value, ast.expr]] = []
        variable = view.node.attributes.get("variable")
        indexed = self.plan.is_used(view.index)
        if indexed:
            parts.append((view.index, self.range(view)))
        if variable is not None and self.plan.is_used(variable):
            bounds = view.node.attributes["range"]
            parts.append((variable, range_of(*(self.bound(b) for b in bounds))))
        parts += self.iterated(view)
        if not parts:
            return target("_"), _reversed_if(view.reverse, self.range(view))
        targets = [target(self.named(value)) for value, _ in parts]
        sources = [_reversed_if(view.reverse, source) for _, source in parts]
        if len(parts) == 1:
            return targets[0], sources[0]
        if indexed and len(parts) == 2 and not view.reverse:
            return ast.Tuple(targets, ast.Store()), call_of("enumerate", sources[1])
        return ast.Tuple(targets, ast.Store()), call_of("zip", *sources)

    def iterated(self, view: LoopView) -> list[tuple[Value, ast.expr]]:
        """Elements and the tapes that the loop runs over, at least one if nothing else counts."""
        pairs = list(zip(view.elements, view.xs, strict=True))
        read = [pair for pair in pairs if self.plan.is_used(pair[0])]
        chosen = read or ([] if reads_count(view.node) else pairs[:1])
        return [(element, self.of(tape)) for element, tape in chosen]

    def range(self, view: LoopView) -> ast.expr:
        """``range(n)``, or the range whose length the count is where the index is not read."""
        assert view.count is not None
        length = view.count.node
        if (
            length is not None
            and length.op.name == "range_length"
            and view.count in self.plan.folded
        ):
            start, stop, step = map(self.of, length.operands)
            from_zero = is_number(start, 0) and is_number(step, 1)
            if from_zero or not self.plan.is_used(view.index):
                return range_of(start, stop, step)
        return call_of("range", self.of(view.count))

    def bound(self, bound: Value | int) -> ast.expr:
        return self.of(bound) if isinstance(bound, Value) else literal(bound)

    # Tapes

    def empty_tape(self, view: LoopView, node: Node) -> Line:
        tape = node.attributes["tape"]
        return Line(
            assign(target(self.named(tape)), self.new_tape(view, node)), kind="tape", light=True
        )

    def new_tape(self, view: LoopView, node: Node) -> ast.expr:
        if "like" in node.attributes:
            return self.array_tape(view, node)
        if len(node.operands) == 1 or view.count is None:
            return ast.List([], ast.Load())
        nothing: ast.expr = ast.List([ast.Constant(None)], ast.Load())
        return ast.BinOp(nothing, ast.Mult(), self.of(view.count))

    def array_tape(self, view: LoopView, node: Node) -> ast.expr:
        """``np.empty((n, *x.shape))``"""
        like, element = node.attributes["like"], node.operands[0].type
        assert view.count is not None
        assert isinstance(element, ArrayType)
        if isinstance(like, tuple):
            sizes: list[ast.expr] = [ast.Constant(size) for size in like]
        else:
            shape = ast.Attribute(self.of(like), "shape", ast.Load())
            sizes = [ast.Starred(shape, ast.Load())]
        turns = self.of(view.count)
        if not is_length(view.count):
            turns = call_of("max", turns, ast.Constant(0))
        made = ast.Call(dotted("np.empty"), [tuple_of([turns, *sizes])], [])
        if element.dtype != "float64":
            made.keywords.append(ast.keyword("dtype", literal(element.dtype)))
        return made

    def push(self, node: Node) -> list[Line]:
        tape = name(self.named(node.attributes["tape"]))
        value, *index = map(self.of, node.operands)
        if index:
            return [self.line(node, assign(as_target(subscript(tape, index[0])), value))]
        return [self.line(node, ast.Expr(method(tape, "append", value)))]


def _reversed_if(reverse: bool, iterable: ast.expr) -> ast.expr:
    if not reverse:
        return iterable
    bounds = _known_range(iterable)
    backwards = None if bounds is None else bounds[::-1]
    if backwards is not None and backwards.step == 1 and backwards.start >= 0:
        return range_of(*map(literal, (backwards.start, backwards.stop, backwards.step)))
    return call_of("reversed", iterable)


def _known_range(tree: ast.expr) -> range | None:
    """The range that an expression is, where its bounds are constants."""
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return None
    bounds = [_integer(argument) for argument in tree.args]
    known = [bound for bound in bounds if bound is not None]
    return range(*known) if tree.func.id == "range" and len(known) == len(bounds) else None


def _integer(tree: ast.expr) -> int | None:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        value = _integer(tree.operand)
        return None if value is None else -value
    return tree.value if isinstance(tree, ast.Constant) and isinstance(tree.value, int) else None


def _unbroadcast(statements: Statements, node: Node) -> list[Line]:
    """A test for each axis: as statements where there are several, as an expression otherwise."""
    whole = statements.expressions.node(node)
    tests: list[ast.IfExp] = []
    base = whole
    while isinstance(base, ast.IfExp):
        tests.append(base)
        base = base.orelse
    to = statements.named(node.result)
    read = {n.id for test in tests for n in ast.walk(test.test) if isinstance(n, ast.Name)}
    if len(tests) < 2 or to in read:
        return statements.assigned(node, whole)
    lines = [] if same_tree(base, name(to)) else statements.assigned(node, base)
    for test in reversed(tests):
        called = test.body
        assert isinstance(called, ast.Call)
        summed = ast.Call(called.func, [name(to)], called.keywords)
        line = statements.line(node, ast.If(test.test, [], []))
        line.body = [statements.line(node, assign(target(to), summed))]
        lines.append(line)
    return lines


def _takes_last(before: Line, line: Line) -> bool:
    """Make ``x = items[-1]`` before ``items.pop()`` one statement, ``x = items.pop()``."""
    read, popped = before.tree, line.tree
    if not isinstance(read, ast.Assign) or not isinstance(popped, ast.Expr):
        return False
    call, item = popped.value, read.value
    if not isinstance(call, ast.Call) or not isinstance(item, ast.Subscript):
        return False
    items = item.value
    if not isinstance(items, ast.Name) or _integer(item.slice) != -1:
        return False
    if not same_tree(call, method(items, "pop")):
        return False
    targets = read.targets
    if not all(isinstance(one, ast.Name) and one.id != items.id for one in targets):
        return False  # ``kept[len(items) - 1]`` is another place once an item is taken
    read.value = call
    return True


def _sets(line: Line, flag: str) -> bool:
    """Return whether a line gives a flag its value."""
    tree = line.tree
    return isinstance(tree, ast.Assign) and [ast.unparse(one) for one in tree.targets] == [flag]


def _nothing(statements: Statements, node: Node) -> list[Line]:
    return []


def _call(statements: Statements, node: Node) -> list[Line]:
    function = statements.plan.callees[node.attributes["callee"]]
    return statements.assigned(node, call_of(function, *map(statements.of, node.operands)))


def _unpack(statements: Statements, node: Node) -> list[Line]:
    packed = statements.of(node.operands[0])
    if len(node.results) == 1:
        packed = subscript(packed, ast.Constant(0))
    return statements.assigned(node, packed)


PRINTERS: dict[str, Printer] = {
    loop.name: Statements.loop,
    cond.name: Statements.cond,
    **{op.name: _call for op in CALLS},
    push.name: Statements.push,
    undefined.name: _nothing,
    index_set.name: writes.index_set,
    index_add.name: writes.index_add,
    "list_push": writes.list_push,
    "list_insert": writes.list_insert,
    "list_pop": writes.list_pop,
    "list_set": writes.list_set,
    "list_slice_set": writes.list_slice_set,
    "list_add": writes.list_add,
    "unbroadcast": _unbroadcast,
    "unpack": _unpack,
    "raise_": effects.raising,
    "assert_": effects.asserting,
    "enter_context": effects.enter,
    "leave_context": effects.leave,
    "set_attribute": effects.set_attribute,
    "set_item": effects.set_item,
}
