"""The smallest program that a few rounds of greedy deletion find to fail in the same way.

Statements are deleted, blocks replaced by their bodies, expressions by their parts; a change stays
when ``fails`` still says so. That the text stays a module that runs is seen to by ``fails``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice

Fails = Callable[[str], bool]
MOST_TRIALS = 400


def minimise(text: str, fails: Fails, trials: int = MOST_TRIALS) -> str:
    """The text with everything left out that ``fails`` does not need."""
    best, before, left = text, "", trials
    while best != before and left > 0:
        before, position = best, 0
        while left > 0:
            candidate = _edited(best, position)
            if candidate is None:
                break
            # A change that fails the same way keeps its place: the next one has moved there.
            left -= 1
            if len(candidate) < len(best) and fails(candidate):
                best = candidate
            else:
                position += 1
    return best


def _edited(text: str, position: int) -> str | None:
    """The text with one of the possible changes; None behind the last one."""
    tree = ast.parse(text)
    edit = next(islice(_edits(tree), position, None), None)
    if edit is None:
        return None
    edit()
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _edits(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Every possible change, largest first: cases, statements, then expressions."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == "CASES":
                yield from _of_elements(node.value)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield from _of_body(body, required=name == "body")
        if isinstance(node, ast.Try) and (len(node.handlers) > 1 or node.finalbody):
            yield from _of_handlers(node)
    for node in ast.walk(tree):
        yield from _of_expressions(node)


def _of_elements(node: ast.List) -> Iterator[Callable[[], None]]:
    for k in range(len(node.elts)):
        if len(node.elts) > 1:
            yield lambda k=k: node.elts.__delitem__(k)  # type: ignore[misc]


def _of_body(body: list[ast.stmt], required: bool) -> Iterator[Callable[[], None]]:
    for k in range(len(body) - 1, -1, -1):
        statement = body[k]
        last = isinstance(statement, ast.Return) and k == len(body) - 1
        if not last and (len(body) > 1 or not required):
            yield lambda k=k: body.__delitem__(k)  # type: ignore[misc]
        for block in _blocks(statement):
            yield lambda k=k, b=block: body.__setitem__(slice(k, k + 1), b)  # type: ignore[misc]


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of which one may stand for the statement."""
    if isinstance(statement, (ast.With, ast.FunctionDef)):
        return [statement.body]
    if not isinstance(statement, (ast.If, ast.For, ast.While, ast.Try)):
        return []
    further = [handler.body for handler in getattr(statement, "handlers", ())]
    blocks = [statement.body, *further, statement.orelse, getattr(statement, "finalbody", [])]
    return [block for block in blocks if block]


def _of_handlers(node: ast.Try) -> Iterator[Callable[[], None]]:
    for k in range(len(node.handlers)):
        yield lambda k=k: node.handlers.__delitem__(k)  # type: ignore[misc]


def _of_expressions(node: ast.AST) -> Iterator[Callable[[], None]]:
    for name, field in ast.iter_fields(node):
        if isinstance(field, ast.expr):
            for part in _parts(field):
                yield lambda n=name, p=part: setattr(node, n, p)  # type: ignore[misc]
        elif isinstance(field, list):
            for k, item in enumerate(field):
                if isinstance(item, ast.expr):
                    for part in _parts(item):
                        yield lambda f=field, k=k, p=part: f.__setitem__(k, p)  # type: ignore[misc]


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Call):
        method = isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name)
        return [
            *([node.func.value] if method and isinstance(node.func, ast.Attribute) else []),
            *node.args,
        ]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp):
        return list(node.values)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return [node.value]
    return []
