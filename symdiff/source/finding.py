"""From a function object to its syntax tree.

A function enters; a ``FunctionSource`` leaves, or ``SourceUnavailableError`` is raised. The
statement of the file that it stands in is parsed and compiled, never run, and the function's code
object is looked for among the compiled ones, then among those of the whole file. So the tree that
is returned is known to be what runs: after an edit on disk, an old function has no tree.

>>> pair = [lambda x: x + 1, lambda x: x * 2]
>>> import ast
>>> ast.unparse(find_source(pair[1]).tree)
'lambda x: x * 2'
"""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import threading
import types
import warnings
from collections.abc import Iterable, Iterator

from symdiff.dataclass import dataclass
from symdiff.errors import SourceUnavailableError
from symdiff.source.around import lines_of, text_around
from symdiff.source.forwarding import FILE, forwarding_texts
from symdiff.source.matching import nested_code, same_but_for_asserts, same_code, same_place
from symdiff.source.private import may_have_private_names, spell_out_private_names
from symdiff.source.spans import FunctionNode, FunctionSource
from symdiff.source.text import file_of, read_text
from symdiff.source.trees import making_trees, parts_of

_REMEMBERED_TEXTS = 8192
_ALL_FLAGS = (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
# One of them is also that of a function in another one, which is compiled no other way for it.
_FUTURE_FLAGS = functools.reduce(int.__or__, _ALL_FLAGS) & ~inspect.CO_NESTED
_OWN_FILE_NAME = "<source read by symdiff>"
_AS_RUNNING = -1
_WITHOUT_ASSERTS = 1
_PYTEST_MARK = "@pytest_ar"  # the name under which a rewritten module imports its helpers
_LAMBDA = "<lambda>"

_compiling = threading.Lock()


@dataclass(frozen=True, slots=True)
class _FileIndex:
    """All functions of a text: code objects by name, syntax nodes by first line and name."""

    codes: dict[str, list[types.CodeType]]
    nodes: dict[tuple[int, str], list[FunctionNode]]


def find_source(function: types.FunctionType) -> FunctionSource:
    """The source of exactly the code that ``function`` runs.

    A decorated function is its wrapper: ``__wrapped__`` is not followed. Costs one parse and one
    compilation for each statement of a file, and some microseconds afterwards.

    :raises SourceUnavailableError: where there is no text, or the text is not what runs.
    """
    if not isinstance(function, types.FunctionType):
        raise _without_code(function)
    code = function.__code__
    text = read_text(code, function.__globals__)
    index, match = None, None
    if text is not None:
        index, match = _find_in_text(text, code, _PYTEST_MARK in function.__globals__)
    node = _node_of(match, index) if index and match else None
    if text is None or node is None:
        forwarding = _forwarding(function)
        if forwarding is not None:
            return forwarding
        raise _without_text(function) if text is None else _changed(function)
    file = file_of(code, function.__globals__)
    return FunctionSource(node, file, lines_of(text), code.co_qualname)


def _forwarding(function: types.FunctionType) -> FunctionSource | None:
    """The source of a function that only hands its arguments on."""
    for text in forwarding_texts(function):
        index, match = _find_in_text(text, function.__code__, False)
        node = _node_of(match, index) if index and match else None
        if node is not None:
            return FunctionSource(node, FILE, lines_of(text), function.__code__.co_qualname)
    return None


@functools.lru_cache(maxsize=_REMEMBERED_TEXTS)
def _find_in_text(
    text: str, code: types.CodeType, rewritten: bool
) -> tuple[_FileIndex | None, types.CodeType | None]:
    flags = code.co_flags & _FUTURE_FLAGS
    part = _index_of(text_around(text, code.co_firstlineno), flags, _AS_RUNNING)
    match = _match_in_place(code, part) if part else None
    if match is not None:
        return part, match
    index = _index_of(text, flags, _AS_RUNNING)
    match = _match_exactly(code, index) if index else None
    if match is None and index is not None:
        apart = _index_of(text, flags, _AS_RUNNING, apart=True)
        match = _match_exactly(code, apart) if apart else None
        index = apart if match else index
    if match is None and rewritten:
        index = _index_of(text, flags, _WITHOUT_ASSERTS)
        match = _match_rewritten(code, index) if index else None
    return index, match


def _match_in_place(code: types.CodeType, index: _FileIndex) -> types.CodeType | None:
    """The code object of the text that is this program and begins on the same line."""
    match = _match_exactly(code, index)
    return match if match and match.co_firstlineno == code.co_firstlineno else None


def _match_exactly(code: types.CodeType, index: _FileIndex) -> types.CodeType | None:
    """The code object of the text that is this program, best at the same place."""
    same = [other for other in index.codes.get(code.co_name, ()) if same_code(code, other)]
    at_place = [other for other in same if same_place(code, other)]
    on_line = [other for other in same if other.co_firstlineno == code.co_firstlineno]
    return next(iter(at_place or on_line or same), None)


def _match_rewritten(code: types.CodeType, index: _FileIndex) -> types.CodeType | None:
    """The only function that pytest can have made ``code`` from."""
    candidates = index.codes.get(code.co_name, ())
    same = [other for other in candidates if same_but_for_asserts(code, other)]
    return same[0] if len(same) == 1 else None


def _index_of(text: str, flags: int, optimize: int, apart: bool = False) -> _FileIndex | None:
    """The index of a text, made once; None if the text is not Python.

    ``apart``: each top-level statement compiled by itself, as notebooks and prompts do with a cell.
    Methods of a module that is imported in the same unit are called by other instructions.
    """
    with _compiling:  # so that two threads do not compile the same text
        return _build_index(text, flags, optimize, apart)


@functools.lru_cache(maxsize=_REMEMBERED_TEXTS)
def _build_index(text: str, flags: int, optimize: int, apart: bool) -> _FileIndex | None:
    _silence_own_syntax_warnings()
    # Notebook cells may await at top level.
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        with making_trees:
            only = flags | ast.PyCF_ONLY_AST
            tree = compile(text, _OWN_FILE_NAME, "exec", only, dont_inherit=True)
        units = [ast.Module([statement], []) for statement in tree.body] if apart else [tree]
        codes = [
            compile(unit, _OWN_FILE_NAME, "exec", flags, dont_inherit=True, optimize=optimize)
            for unit in units
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    every = parts_of(tree)
    nodes = _nodes_by_place(every)
    if may_have_private_names(text) and any(isinstance(node, ast.ClassDef) for node in every):
        spell_out_private_names(tree)
    return _FileIndex(_codes_by_name(codes), nodes)


def _silence_own_syntax_warnings() -> None:
    """The user saw these warnings at the import of the file.

    A lasting filter for a file name that only we use: ``catch_warnings`` would race with other
    threads' filters.
    """
    warnings.filterwarnings("ignore", category=SyntaxWarning, module=_OWN_FILE_NAME)
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=_OWN_FILE_NAME)


def _codes_by_name(units: Iterable[types.CodeType]) -> dict[str, list[types.CodeType]]:
    codes: dict[str, list[types.CodeType]] = {}
    for code in _all_codes(units):
        codes.setdefault(code.co_name, []).append(code)
    return codes


def _all_codes(units: Iterable[types.CodeType]) -> Iterator[types.CodeType]:
    pending = list(units)
    while pending:
        code = pending.pop()
        yield code
        pending.extend(nested_code(code))


def _nodes_by_place(every: Iterable[ast.AST]) -> dict[tuple[int, str], list[FunctionNode]]:
    nodes: dict[tuple[int, str], list[FunctionNode]] = {}
    for node in every:
        if isinstance(node, FunctionNode):
            nodes.setdefault(_place(node), []).append(node)
    return nodes


def _place(node: FunctionNode) -> tuple[int, str]:
    """First line and name, as in the code object: a decorated function starts above its def."""
    if isinstance(node, ast.Lambda):
        return node.lineno, _LAMBDA
    return min([node.lineno, *(item.lineno for item in node.decorator_list)]), node.name


def _node_of(code: types.CodeType, index: _FileIndex) -> FunctionNode | None:
    """The syntax node that ``code``, which was compiled from the index's text, came from."""
    candidates = index.nodes.get((code.co_firstlineno, code.co_name), [])
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    lambdas = [node for node in candidates if isinstance(node, ast.Lambda)]
    return _lambda_at_positions(code, lambdas) or _lambda_alone(code, lambdas)


def _lambda_at_positions(code: types.CodeType, nodes: list[ast.Lambda]) -> ast.Lambda | None:
    """The innermost lambda in whose body all instructions of ``code`` stand."""
    ranges = [_Range(*place) for place in map(_placed, code.co_positions()) if place]
    enclosing = [node for node in nodes if all(map(_range_of(node.body).encloses, ranges))]
    innermost = max(enclosing, key=lambda node: _range_of(node).start, default=None)
    return innermost if ranges else None


def _lambda_alone(code: types.CodeType, nodes: list[ast.Lambda]) -> ast.Lambda | None:
    """For code without columns, such as Python 3.12 makes of a lambda that returns a constant."""
    for node in nodes:
        alone = compile(ast.Expression(node), _OWN_FILE_NAME, "eval", dont_inherit=True)
        *_, compiled = nested_code(alone)  # those before it belong to the defaults
        if same_code(compiled.replace(co_qualname=code.co_qualname), code):
            return node
    return None


@dataclass(frozen=True, slots=True)
class _Range:
    start: tuple[int, int]
    end: tuple[int, int]

    def encloses(self, other: _Range) -> bool:
        return self.start <= other.start and other.end <= self.end


def _range_of(node: ast.expr) -> _Range:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return _Range((node.lineno, node.col_offset), (end_line, end_column))


def _placed(
    position: tuple[int | None, int | None, int | None, int | None],
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Start and end of an instruction's source; None for what the compiler adds by itself."""
    line, end_line, column, end_column = position
    if line is None or end_line is None or column is None or end_column is None:
        return None
    start, end = (line, column), (end_line, end_column)
    return (start, end) if start < end else None


def _without_code(value: object) -> SourceUnavailableError:
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    return SourceUnavailableError(
        f"{name!r} has no Python source: it is not a function written in Python",
        hint="give a function made by def or lambda that calls it",
    )


def _without_text(function: types.FunctionType) -> SourceUnavailableError:
    name, file = function.__code__.co_qualname, function.__code__.co_filename
    if file.startswith("<"):
        reason = f"it was made by exec() or typed at a prompt ({file})"
    else:
        reason = f"the file {file} cannot be read"
    return SourceUnavailableError(
        f"the source of {name!r} is not available: {reason}",
        hint="put the function in a file, in a notebook cell, or use IPython",
    )


def _changed(function: types.FunctionType) -> SourceUnavailableError:
    code = function.__code__
    if code.co_filename.startswith("<"):
        return _without_text(function)
    return SourceUnavailableError(
        f"the source of {code.co_qualname!r} is not what runs: {code.co_filename} was changed "
        "since it was imported, or exec() made the function under that file's name",
        hint="reload the module or restart Python; put what exec() makes into a file of its own; "
        "if neither is the case, something rewrote the function's bytecode at import",
    )
