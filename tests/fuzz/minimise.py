"""The smallest program that a few rounds of greedy deletion find to fail in the same way.

Statements are deleted, blocks replaced by their bodies, expressions by their parts; a change stays
when ``fails`` still says so. That the text stays a module that runs is seen to by ``fails``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

Fails = Callable[[str], bool]
MOST_TRIALS = 400


def minimise(text: str, fails: Fails, trials: int = MOST_TRIALS) -> str:
    """The text with everything left out that ``fails`` does not need."""
    best, left = text, trials
    changed = True
    while changed and left > 0:
        changed = False
        for candidate in _candidates(best):
            left -= 1
            if left <= 0:
                break
            if len(candidate) < len(best) and fails(candidate):
                best, changed = candidate, True
                break
    return best


def _candidates(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    count = sum(1 for _ in _edits(tree))
    for number in range(count):
        edited = copy.deepcopy(tree)
        edit = next(e for k, e in enumerate(_edits(edited)) if k == number)
        edit()
        yield ast.unparse(ast.fix_missing_locations(edited)) + "\n"


def _edits(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Every possible change, largest first: cases, statements, then expressions."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == "CASES":
                yield from _of_elements(node.value)
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield from _of_body(body, required=name == "body")
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
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            yield lambda k=k, s=statement: body.__setitem__(slice(k, k + 1), s.body)  # type: ignore[misc]
            if statement.orelse:
                yield lambda k=k, s=statement: body.__setitem__(slice(k, k + 1), s.orelse)  # type: ignore[misc]


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
