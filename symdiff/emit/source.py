"""Graph → source: the one function that the pipeline calls, with the steps of emission in order."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from symdiff.buffers.lower import release
from symdiff.emit.breaks import restore_breaks
from symdiff.emit.bundles import bundle_tapes
from symdiff.emit.chains import chain_constants
from symdiff.emit.comments import annotate, origin
from symdiff.emit.emitted import Emitted
from symdiff.emit.expressions import Expressions, tuple_of
from symdiff.emit.folding import CASTS
from symdiff.emit.names import hint_of
from symdiff.emit.namespace import MODULES, Namespace, identifier
from symdiff.emit.neighbours import join_neighbours
from symdiff.emit.outside import with_whole_containers
from symdiff.emit.plan import Plan, make_plan
from symdiff.emit.regions import restore_regions
from symdiff.emit.signature import name_parameters, output, unpacking
from symdiff.emit.slices import slice_blocks
from symdiff.emit.statements import Statements
from symdiff.emit.text import Line, write
from symdiff.emit.tries import with_try_statements
from symdiff.emit.twins import write_once
from symdiff.ir.called import called_cells, with_called
from symdiff.ir.graph import Graph, GraphCell, Node, Value
from symdiff.ir.signature import Signature
from symdiff.ops.support import blocks
from symdiff.source.trees import children


def emit_source(
    graph: Graph,
    name: str | None = None,
    *,
    in_place: bool = False,
    fresh: bool = True,
    augmented: bool = True,
    signature: Signature | None = None,
    beside: Namespace | None = None,
    suffix: str = "",
) -> Emitted:
    """The source of a function that computes ``graph``.

    ``in_place``: final values of mutated arguments are stored into the caller's arrays. ``fresh``:
    arrays returned share no memory with arguments or with each other. ``augmented``: ``x += y``
    may stand for ``x = x + y``, because no value is of another type than the graph says.
    ``signature`` tells
    attributes from keys in the paths of inputs. ``beside`` has the names of the module that the
    text will stand in; those that it adds are taken there afterwards, and objects are bound once.
    ``suffix`` is that of the names of called functions.
    """
    names = Namespace() if beside is None else beside.nested()
    function_name = identifier(name or graph.name, "function")
    names.taken.add(function_name)
    graph = with_whole_containers(with_called(graph, with_try_statements))
    callees = {cell: names.fresh(cell.name + suffix) for cell in called_cells(graph)}
    lines: list[Line] = []
    for cell, callee in callees.items():
        if cell.graph is not None:
            scope = names.nested()
            lines.append(_callee(cell.graph, callee, callees, scope))
            names.taken.update(names.objects)
    fixed, parameters = name_parameters(graph, names)
    plan = make_plan(graph, fixed, names, callees, in_place=in_place, fresh=fresh)
    start = _docstring(graph, function_name) + unpacking(plan, parameters, signature, names)
    body = start + _body(plan, names, augmented)
    whole = _definition(function_name, [p.name for p in parameters], body, graph)
    for line in (*lines, whole):
        restore_breaks(line.body)
        restore_regions(line.body)
    write_once(lines, [whole])
    lines.append(whole)
    for line in lines:
        chain_constants(line.body)
        join_neighbours(line.body)
        annotate(line.body, line.span.file if line.span else None)
    if beside is not None:
        beside.taken.update(names.objects, callees.values(), [function_name])
    written = write(lines)
    text = "\n".join(written.lines) + "\n"
    modules = _modules(text, [line.tree for line in lines])
    return Emitted(function_name, text, tuple(parameters), modules, names.objects, written.spans)


def _modules(text: str, trees: Sequence[ast.AST]) -> dict[str, str]:
    """The modules that a text reads, by the names that mean them: of those that stand somewhere in
    it the ones that are names in its trees.
    """
    wanted = {short for short in MODULES if short in text}
    found: set[str] = set()
    pending = list(trees)
    while pending and found != wanted:
        node = pending.pop()
        if isinstance(node, ast.Name) and node.id in wanted:
            found.add(node.id)
        pending += children(node)
    return {short: module for short, module in MODULES.items() if short in found}


def _body(plan: Plan, namespace: Namespace, augmented: bool) -> list[Line]:
    """The statements that compute what a function returns, and that return it."""
    expressions = Expressions(plan.names, plan.folded, namespace, plan.callees)
    statements = Statements(plan, expressions, augmented)
    body = statements.block(plan.graph.block) + statements.stores()
    body.append(_returning(plan, output(plan.graph, expressions)))
    bundle_tapes(body, namespace.fresh)
    slice_blocks(body, namespace.fresh, partial(namespace.bind, blocks, "blocks"))
    release(plan.graph)
    return body


def _returning(plan: Plan, returned: ast.expr) -> Line:
    """The line that returns; it belongs to the user's line of the first cotangent in it."""
    computed = [_computed(v, plan) for v in plan.graph.block.results if v in plan.folded]
    derived = [n for n in computed if n.result.role == "cotangent" and n.op.name not in CASTS]
    first = next((node for node in (*derived, *computed) if node.span is not None), None)
    span = None if first is None else first.span
    return Line(ast.Return(returned), span, bool(derived))


def _computed(value: Value, plan: Plan) -> Node:
    """What computes a value that is folded, casts aside."""
    node = value.node
    assert node is not None
    while node.op.name in CASTS and node.operands[0] in plan.folded:
        assert node.operands[0].node is not None
        node = node.operands[0].node
    return node


def _callee(graph: Graph, name: str, callees: dict[GraphCell, str], namespace: Namespace) -> Line:
    """A function of flat values that returns the tuple of its results, or the only one."""
    parameters = enumerate(graph.block.parameters)
    fixed = {k: namespace.fresh(hint_of(v)) for k, v in parameters}
    plan = make_plan(graph, fixed, namespace, callees, in_place=False, fresh=False)
    expressions = Expressions(plan.names, plan.folded, namespace, callees)
    body = _docstring(graph, name) if graph.span is not None else []
    body += Statements(plan, expressions).block(plan.graph.block)
    results = [expressions.of(v) for v in plan.graph.block.results]
    returned = results[0] if len(results) == 1 else tuple_of(results)
    body.append(_returning(plan, returned))
    bundle_tapes(body, namespace.fresh)
    release(plan.graph)
    return _definition(name, list(fixed.values()), body, graph)


def _definition(name: str, parameters: list[str], body: list[Line], graph: Graph) -> Line:
    arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    return Line(ast.FunctionDef(name, arguments, [], [], lineno=1), graph.span, body=body)


def _docstring(graph: Graph, name: str) -> list[Line]:
    """The user's own for the function itself; for what is derived from it, where that is."""
    itself = graph.span is None or f"def {name}(" in graph.span.text
    text = graph.docstring if itself or graph.span is None else origin(graph.span)
    return [Line(ast.Expr(ast.Constant(text)))] if text else []
