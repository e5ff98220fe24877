"""From statement trees to text: printed statement by statement, with comments between.

A ``Line`` is one statement; of a compound one its header, with the lines of its blocks beside it.
What was written is parsed back and compared with the trees: a printer's mistake never runs.
"""

from __future__ import annotations

import ast
import itertools
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Literal

from symdiff.dataclass import dataclass
from symdiff.emit.printer import INDENT, print_statement
from symdiff.emit.trees import same_tree
from symdiff.errors import InternalError
from symdiff.source import SourceSpan
from symdiff.source.trees import module_of, nesting_told

WIDTH = 88
_LONGEST = 96  # of a statement as one line, indentation aside
_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef, ast.Try)


Kind = Literal["tape", "moved", "number", "cotangent", "blocks", None]


@dataclass(slots=True)
class Line:
    """A statement, where it comes from, and the blocks inside it (its tree's own are empty).

    ``orelse`` of a ``try`` is what its only handler does.
    ``comment`` stands on a line of its own before the statement. ``kind`` is what an assignment
    gives its name (``moved``: a name or a constant), ``light``: it makes no array; of a loop that
    it goes over blocks.
    """

    tree: ast.stmt
    span: SourceSpan | None = None
    derived: bool = False
    body: list[Line] = field(default_factory=list)
    orelse: list[Line] = field(default_factory=list)
    comment: str | None = None
    kind: Kind = None
    light: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """Lines of text with the spans that they come from."""

    lines: tuple[str, ...]
    spans: dict[int, SourceSpan]


def write(lines: Sequence[Line]) -> Text:
    """The text of statements; an ``InternalError`` where it does not parse back to their trees."""
    written: list[str] = []
    spans: dict[int, SourceSpan] = {}
    for text, span in _written(lines, 0):
        if written and text.startswith("def "):
            written += ["", ""]
        written.append(text)
        if span is not None:
            spans[len(written)] = span
    _check("\n".join(written), [assembled(line) for line in lines])
    return Text(tuple(written), spans)


def assembled(line: Line) -> ast.stmt:
    """The statement with the blocks inside it put in."""
    tree: Any = line.tree
    if isinstance(line.tree, _COMPOUND):
        tree.body = [assembled(inner) for inner in line.body]
    if line.orelse:
        orelse = [assembled(inner) for inner in line.orelse]
        if isinstance(line.tree, ast.Try):
            line.tree.handlers[0].body = orelse
        else:
            tree.orelse = orelse
    return line.tree


def _written(lines: Sequence[Line], depth: int) -> Iterator[tuple[str, SourceSpan | None]]:
    for line in lines:
        yield from _comment(line, depth)
        yield from _statement(line, depth, "")


def _comment(line: Line, depth: int) -> Iterator[tuple[str, SourceSpan | None]]:
    if line.comment is not None:
        yield INDENT * depth + f"# {_one_line(line.comment)}", line.span


def _statement(line: Line, depth: int, prefix: str) -> Iterator[tuple[str, SourceSpan | None]]:
    for text in _header(line):
        yield INDENT * depth + prefix + text, line.span
        prefix = ""
    if line.body:
        yield from _written(line.body, depth + 1)
    if not line.orelse:
        return
    if isinstance(line.tree, ast.Try):
        kinds = line.tree.handlers[0].type
        assert kinds is not None
        spelled = print_statement(ast.Expr(kinds)).strip()
        told = f"({spelled})" if isinstance(kinds, ast.Tuple) else spelled
        yield f"{INDENT * depth}except {told}:", None
        yield from _written(line.orelse, depth + 1)
        return
    (first, *rest) = line.orelse
    if not rest and isinstance(first.tree, ast.If):
        yield from _comment(first, depth)
        yield from _statement(first, depth, "el")
        return
    yield INDENT * depth + "else:", None
    yield from _written(line.orelse, depth + 1)


def _header(line: Line) -> list[str]:
    """The text of a simple statement, or of a compound one up to its colon."""
    tree: Any = line.tree
    docstring = _docstring(line.tree)
    if docstring is not None:
        return [docstring]
    if not isinstance(line.tree, _COMPOUND):
        lines = print_statement(tree).splitlines()
        alone = isinstance(tree, ast.Return) and _is_single(tree.value)
        if isinstance(tree, ast.Return):
            return _wrapped_return(tree) if alone or _is_long(lines) else lines
        return _wrapped(tree) if len(lines) == 1 and len(lines[0]) > _LONGEST else lines
    if isinstance(line.tree, ast.Try):
        return ["try:"]
    tree.body = [ast.Pass()]
    *header, _ = print_statement(tree).splitlines()
    tree.body = []
    if not _is_long(header) or len(header) > 1:
        return header
    return _wrapped_for(tree) if isinstance(tree, ast.For) else _wrapped_definition(tree)


def _docstring(tree: ast.stmt) -> str | None:
    """A string that is a statement, between triple quotes where it can stand there as it is."""
    if not isinstance(tree, ast.Expr) or not isinstance(tree.value, ast.Constant):
        return None
    text = tree.value.value
    if not isinstance(text, str) or not text.isprintable() or '"' in text or "\\" in text:
        return None
    return f'"""{text}"""'


def _is_single(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Tuple) and len(value.elts) == 1


def _is_long(lines: list[str]) -> bool:
    return any(len(line) > WIDTH - len(INDENT) for line in lines)


def _wrapped(tree: ast.stmt) -> list[str]:
    """An assignment of a call or a container with what is in brackets on lines of its own."""
    (line,) = print_statement(tree).splitlines()
    value = getattr(tree, "value", None)
    if isinstance(tree, ast.Assign) and isinstance(value, ast.Name | ast.Subscript):
        return _wrapped_targets(tree, line, _expression(value))
    if isinstance(value, ast.Tuple | ast.List | ast.Dict):
        head = line.removesuffix(print_statement(ast.Expr(value)))
        first, *rest = _laid_out(value, WIDTH - 2 * len(INDENT))
        return [f"{head}{first}", *rest]
    if not isinstance(value, ast.Call):
        return [line]
    given = [(print_statement(ast.Expr(item)), item) for item in value.args]
    given += [(f"{item.arg}={_expression(item.value)}", item.value) for item in value.keywords]
    inside = ", ".join(text for text, _ in given)
    head = line.removesuffix(f"{inside})")
    if head == line or not given:
        return [line]
    start = [head]
    if isinstance(tree, ast.Assign) and len(head) > _LONGEST:
        start = _wrapped_targets(tree, head, f"{_expression(value.func)}(")
        if len(start[-1] + inside) < WIDTH - len(INDENT):
            return [*start[:-1], f"{start[-1]}{inside})"]
    if len(INDENT + inside) <= WIDTH - len(INDENT):
        return [*start, INDENT + inside, ")"]
    return [*start, *_in_rows(given), ")"]


def _in_rows(items: Sequence[tuple[str, ast.expr]]) -> Iterator[str]:
    """Indented lines of items and their texts: one of each, but for names where there are many."""
    for is_short, some in itertools.groupby(items, lambda pair: _is_short(pair[1])):
        texts = [text for text, _ in some]
        if is_short and len(texts) > _MANY:
            yield from _filled(texts, WIDTH - 2 * len(INDENT))
        else:
            yield from (f"{INDENT}{text}," for text in texts)


def _wrapped_targets(tree: ast.Assign, line: str, value: str) -> list[str]:
    """The ``line`` that gives many names the items of something, with the names in rows."""
    to, *others = tree.targets
    if others or not isinstance(to, ast.Tuple):
        return [line]
    names = _filled([_expression(one) for one in to.elts], WIDTH - 2 * len(INDENT))
    return ["(", *names, f") = {value}"]


def _wrapped_return(tree: ast.Return) -> list[str]:
    """``return`` of a container, an item a line where that does not fit into one."""
    assert tree.value is not None
    first, *rest = _laid_out(tree.value, WIDTH - 2 * len(INDENT))
    return [f"return {first}", *rest]


def _laid_out(tree: ast.expr, room: int) -> list[str]:
    """The lines of an expression, containers opened where they are wider than ``room``."""
    whole = _expression(tree)
    if len(whole) > room and isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitOr):
        first, *rest = _united(tree)
        return ["(", f"{INDENT}{first}", *(f"{INDENT}| {part}" for part in rest), ")"]
    if len(whole) <= room or not isinstance(tree, ast.Tuple | ast.List | ast.Dict):
        return [whole]
    opening, closing = _BRACKETS[type(tree)]
    lines = [opening]
    for is_short, some in itertools.groupby(_items(tree), lambda pair: _is_short(pair[1])):
        items = list(some)
        if is_short and len(items) > _MANY:
            lines += _filled([before + _expression(item) for before, item in items], room)
            continue
        for before, item in items:
            first, *rest = _laid_out(item, room - len(INDENT))
            inner = [before + first, *rest]
            inner[-1] += ","
            lines += [INDENT + line for line in inner]
    return [*lines, closing]


def _united(tree: ast.expr) -> list[str]:
    """The operands of ``a | b | c``, each as it stands there."""
    operands: list[ast.expr] = []
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitOr):
        operands.append(tree.right)
        tree = tree.left
    return [
        _expression(one) if isinstance(one, _ATOMS) else f"({print_statement(ast.Expr(one))})"
        for one in (tree, *reversed(operands))
    ]


_ATOMS = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.Dict, ast.Tuple)


def _is_short(tree: ast.expr) -> bool:
    """Return whether an item is a name or a constant, or a row of a few."""
    if isinstance(tree, ast.Tuple | ast.List):
        return len(tree.elts) <= _FEW and all(map(_is_plain, tree.elts))
    return _is_plain(tree)


def _is_plain(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Name | ast.Constant)


def _filled(items: Sequence[str], room: int) -> list[str]:
    """Indented lines of items, as many in each as there is room for."""
    lines = [INDENT]
    for item in items:
        if len(lines[-1]) + len(item) >= room and lines[-1] != INDENT:
            lines.append(INDENT)
        lines[-1] += f"{item}, "
    return [line.rstrip() for line in lines]


_FEW = 4
_MANY = 6  # names and constants that stand in rows rather than one a line
_BRACKETS: dict[type[ast.expr], tuple[str, str]] = {
    ast.Tuple: ("(", ")"),
    ast.List: ("[", "]"),
    ast.Dict: ("{", "}"),
}


def _items(tree: ast.Tuple | ast.List | ast.Dict) -> list[tuple[str, ast.expr]]:
    """Items with what stands before them."""
    if not isinstance(tree, ast.Dict):
        return [("", item) for item in tree.elts]
    pairs = zip(tree.keys, tree.values, strict=True)
    return [(f"{_expression(key)}: ", item) for key, item in pairs if key is not None]


def _expression(tree: ast.expr) -> str:
    text = print_statement(ast.Expr(tree))
    return f"({text})" if isinstance(tree, ast.Tuple) else text


def _wrapped_for(tree: ast.For) -> list[str]:
    """A ``for`` with what it runs over on lines of its own, where that is a call."""
    if not isinstance(tree.iter, ast.Call) or tree.iter.keywords:
        return print_statement(tree).splitlines()[:1]
    given = [(_expression(item), item) for item in tree.iter.args]
    inside = ", ".join(text for text, _ in given)
    to = print_statement(ast.Expr(tree.target))
    start = f"for {to} in {_expression(tree.iter.func)}("
    short = len(INDENT + inside) <= WIDTH - 2 * len(INDENT)
    return [start, *([INDENT + inside] if short else _in_rows(given)), "):"]


def _wrapped_definition(tree: Any) -> list[str]:
    """A ``def`` with its parameters on lines of their own."""
    if not isinstance(tree, ast.FunctionDef):
        return print_statement(tree).splitlines()[:1]
    names = ", ".join(argument.arg for argument in tree.args.args)
    return [f"def {tree.name}(", *_rows(names, WIDTH), "):"]


def _rows(text: str, room: int) -> list[str]:
    """Words in indented lines."""
    return textwrap.wrap(
        text, room, initial_indent=INDENT, subsequent_indent=INDENT, break_long_words=False
    )


def _one_line(comment: str) -> str:
    """A comment's text without what would end the comment."""
    return " ".join("".join(c if c.isprintable() else " " for c in comment).split(" ")).rstrip()


def _check(text: str, trees: Sequence[ast.stmt]) -> None:
    try:
        with nesting_told():
            parsed = module_of(text).body
    except SyntaxError as error:
        raise InternalError(f"emitted source does not parse: {error}\n{text}") from error
    for tree, again in zip(trees, parsed, strict=True):
        if not same_tree(tree, again):
            raise InternalError(f"emitted source does not say what was meant:\n{text}")
