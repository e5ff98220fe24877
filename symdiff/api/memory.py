"""Memories of results: what a function stores outside in one call and reads in another.

``if self._g is None: self._g = np.sum(x**2)``: what the second call reads is a constant, as in
Python, and the derivative through what was stored is lost. Two things tell of it: a place that a
program has written, which is found again where one reads it (``runtime.memory``); and a place that
a program reads, which the function itself would write on a path that is not taken here, for the
function may have been called without symdiff.
"""

from __future__ import annotations

import ast
import dis
import functools
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from symdiff.api.leaving import places
from symdiff.dataclass import dataclass
from symdiff.errors import SourceUnavailableError
from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Nested, Path, leaves
from symdiff.pipeline import Arguments, Derived
from symdiff.runtime.calling import follow
from symdiff.runtime.memory import Left, is_written, remember, tell, was_left
from symdiff.runtime.signature import spelled
from symdiff.source import find_source

_STORING = ("append", "appendleft", "extend", "insert", "update", "setdefault", "add", "fill")
_STORES = {
    dis.opmap[name]
    for name in ("STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "STORE_DEREF", "STORE_SLICE")
    if name in dis.opmap
}
_CUTTING = ("stop_gradient", "detach", "len")
_FILLING = ("__init__", "__post_init__")  # an object that is new


@dataclass(frozen=True, slots=True)
class Memory:
    """What is done round each run of a program, given the function's own arguments."""

    reader: weakref.ref[Any]
    function: str
    place: str
    names: tuple[str, ...]
    left: tuple[Left, ...]
    read: tuple[Path, ...]

    def tell(self, arguments: Arguments) -> None:
        """Warn where an earlier call has left what is read."""
        for path in self.read:
            if was_left(path, self.names, arguments):
                tell(self.reader(), self.function, self.place, path)

    def remember(self, arguments: Arguments) -> None:
        """Remember what the call has left."""
        remember(self.left, self.names, arguments)


def memory_of(
    function: Any,
    reader: Any,
    derived: Derived,
    arguments: Arguments,
    differentiates: Callable[[Path], bool],
    *,
    reads: bool,
    writes: bool,
) -> Memory | None:
    """The memory of a program; None where it has none.

    :param reader: whose programs are to be made anew where something is left that they read.
    :param arguments: the function's own, of the call that the program is made for.
    :param reads: True if the program is a derivative, which reads.
    :param writes: True if the program leaves behind what the function does.
    """
    left, read = places(derived.primal, differentiates)
    given = {name for name, kind in derived.inner.parameters if isinstance(kind, Nested)}
    left = left if writes else ()
    read = tuple(path for path in read if path[0] not in given) if reads else ()
    remembered = tuple(one for one in left if one.of != "part")
    for other in note_left(remembered):
        other.forget()
    name, span = derived.primal.name, derived.primal.span
    place = f"{span.file}:{span.line}" if span is not None else name
    names = tuple(parameter for parameter, _ in derived.inner.parameters)
    kinds = derived.inner.parameters if read else ()
    paths = (path for name, kind in kinds for path, _ in leaves(kind, (name,)))
    asked = {path[0] for path in paths if differentiates(path)}
    elsewhere = _Elsewhere(derived, function, asked) if read else None
    for path in read:
        of_a_class = isinstance(follow(path[:-1] or path, names, arguments), type)
        if of_a_class or is_written(left, path, names, arguments):
            continue
        if elsewhere is not None and elsewhere.stores(path):
            tell(reader, name, place, path)
    read = read if note_read(read, reader) else ()
    if not remembered and not read:
        return None
    return Memory(weakref.ref(reader), name, place, names, remembered, read)


# Programs that read what is left ----------------------------------------------------------------

_stored: set[Any] = set()  # names and keys of what programs leave behind
_readers: dict[Any, weakref.WeakSet[Any]] = {}


def note_left(left: Iterable[Left]) -> Iterator[Any]:
    """What holds the programs that read, under one of these names, what was not left before."""
    for one in left:
        for name in {one.key, one.owner[-1]}:
            key = str(name)
            if key not in _stored:
                _stored.add(key)
                yield from _readers.pop(key, ())


def note_read(read: Iterable[Path], reader: Any) -> bool:
    """Return whether a program may read what another one leaves behind; ``reader`` is told where
    one does so later.
    """
    names = {str(name) for path in read for name in path}
    if not _stored.isdisjoint(names):
        return True
    for name in names:
        _readers.setdefault(name, weakref.WeakSet()).add(reader)
    return False


# What the function would write on other paths ---------------------------------------------------


class _Elsewhere:
    """What the function, and those that it calls, store that depends on their arguments.

    :param names: of the function's parameters that are differentiated by.
    """

    def __init__(self, derived: Derived, function: Any, names: set[str]) -> None:
        self._function, self._names = function, names
        self._by_name: dict[str, list[_Callee]] = {}
        for callee, code in _followed(derived):
            named = {*code.co_names, *code.co_freevars, *code.co_varnames}
            if _may_store(code, named):
                for name in named:
                    self._by_name.setdefault(name, []).append((callee, code))
        self._stores: dict[_Callee, _Stores | None] = {}

    def stores(self, read: Path) -> bool:
        """Return whether one of them stores what depends on its arguments at a place that is
        read.
        """
        callees = [one for key in read for one in self._by_name.get(str(key), ())]
        found = map(self._of, dict.fromkeys(callees))
        return any(stores is not None and stores.at(read) for stores in found)

    def _of(self, one: _Callee) -> _Stores | None:
        if one not in self._stores:
            callee, code = one
            own = callee is self._function
            names = set(self._names) if own else _own_parameters(code)
            try:
                self._stores[one] = _Stores(find_source(callee).tree, names, own)
            except SourceUnavailableError:
                self._stores[one] = None
        return self._stores[one]


_Callee = tuple[types.FunctionType, types.CodeType]


def _followed(derived: Derived) -> Iterator[_Callee]:
    for check in derived.checks:
        if check.path[-1] == "__code__" and isinstance(check.path[0], FreeVariable):
            owner = check.path[0].owner
            callee = owner() if isinstance(owner, weakref.ref) else owner
            if isinstance(callee, types.FunctionType) and callee.__code__ is check.expected:
                yield callee, check.expected


def _own_parameters(code: types.CodeType) -> set[str]:
    count = code.co_argcount + code.co_kwonlyargcount
    return set(code.co_varnames[:count]) - {"self", "cls"}


def _may_store(code: types.CodeType, named: set[str]) -> bool:
    """A quick look: the code, in which these are named, stores something outside."""
    return not _STORES.isdisjoint(code.co_code[::2]) or not named.isdisjoint(_STORING)


def _name(expression: ast.expr) -> str | None:
    """The last name of an expression: ``g`` of ``f.g``."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else None


class _Stores(ast.NodeVisitor):
    """The places where a function stores what depends on some of its names.

    ``own`` is True of the function whose names are those of the places that are asked about.
    """

    def __init__(self, node: ast.AST, names: set[str], own: bool) -> None:
        self._names, self._own = names, own
        self._made = _made_by(node)
        self._outer: set[str] = set()
        self._assigned: list[tuple[ast.expr, ast.expr]] = []
        self._stored: dict[str, dict[ast.expr, None]] = {}  # targets by the name of what is set
        places = (ast.Attribute, ast.Subscript, ast.Name)
        loaded = (one for one in ast.walk(node) if isinstance(one, places))
        self._loaded = [one for one in loaded if isinstance(one.ctx, ast.Load)]
        self.visit(node)
        waiting, known = self._assigned, -1
        while known != len(self._names):  # a name may depend on one that is assigned later
            known, still = len(self._names), []
            for target, value in waiting:
                if self._depends(value):
                    self._assign(target)
                else:
                    still.append((target, value))
            waiting = still

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self._outer.update(node.names)

    visit_Nonlocal = visit_Global  # noqa: N815 - ast's name

    def visit_Call(self, node: ast.Call) -> None:
        """A method may store its arguments in what it belongs to."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _STORING:
            whole = ast.Slice()
            target = ast.Subscript(node.func.value, whole, ast.Store())
            self._assigned += [(target, given) for given in node.args]
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._pair(target, node.value)
        self.generic_visit(node)

    def _pair(self, target: ast.expr, value: ast.expr) -> None:
        """Note what is assigned to each part of a target."""
        sequences = ast.Tuple | ast.List
        if not isinstance(target, sequences):
            self._assigned.append((target, value))
            return
        alike = isinstance(value, sequences) and len(value.elts) == len(target.elts)
        values = value.elts if alike else [value] * len(target.elts)  # type: ignore[attr-defined]
        for part, given in zip(target.elts, values, strict=True):
            self._pair(part, given)

    def visit_AugAssign(self, node: ast.AugAssign | ast.AnnAssign | ast.NamedExpr) -> None:
        moved_on = isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name)
        if node.value is not None and not moved_on:
            self._assigned.append((node.target, node.value))
        self.generic_visit(node)

    visit_AnnAssign = visit_NamedExpr = visit_AugAssign  # noqa: N815 - ast's names

    def visit_For(self, node: ast.For) -> None:
        self._pair(node.target, node.iter)
        self.generic_visit(node)

    def _depends(self, value: ast.AST) -> bool:
        if isinstance(value, ast.Name):
            return value.id in self._names
        if isinstance(value, ast.Call) and _name(value.func) in _CUTTING:
            return False
        return any(map(self._depends, ast.iter_child_nodes(value)))

    def _assign(self, target: ast.expr) -> None:
        """Something that depends on the names is assigned."""
        if isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self._assign(item)
        elif isinstance(target, ast.Starred):
            self._assign(target.value)
        elif isinstance(target, ast.Name):
            self._names.add(target.id)
            if target.id in self._outer:
                self._store(target.id, target)
        elif isinstance(target, ast.Attribute):
            self._store(target.attr, target)
        elif isinstance(target, ast.Subscript):
            name = _name(target.value)
            if name is not None and name not in self._names:
                self._store(name, target)

    def _store(self, name: str, target: ast.expr) -> None:
        self._stored.setdefault(name, {})[target] = None

    def at(self, read: Path) -> bool:
        """Return whether one of the places is what is read, or holds it."""
        found = (target for key in read for target in self._stored.get(str(key), ()))
        return any(self._is_at(target, read) for target in found)

    def _is_at(self, target: ast.expr, read: Path) -> bool:
        if isinstance(target, ast.Name):
            return len(read) == 1 and str(read[0]) == target.id
        if isinstance(target, ast.Attribute):
            fits = target.attr in read[1:] and self._fits(target, read)
            return fits and self._is_outside(target) and self._asks_for(target)
        assert isinstance(target, ast.Subscript)
        fits = _is_item(target, read)
        return fits and self._is_outside(target) and self._asks_for(target.value)

    def _asks_for(self, target: ast.expr) -> bool:
        """Return whether a function that is called reads what it sets: it may make an object."""
        text = ast.unparse(target)
        return self._own or text in self._texts_loaded

    @functools.cached_property
    def _texts_loaded(self) -> set[str]:
        return set(map(ast.unparse, self._loaded))

    def _is_outside(self, target: ast.expr, through: frozenset[str] = frozenset()) -> bool:
        """Return whether a target belongs to what a name outside holds, not to what is made."""
        root = target
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in through or root.id == self._made:
            return False
        given = [
            value
            for one, value in self._assigned
            if isinstance(one, ast.Name) and one.id == root.id
        ]
        if not given or root.id in self._outer:
            return True
        return any(self._is_outside(value, through | {root.id}) for value in given)

    def _fits(self, target: ast.Attribute, read: Path) -> bool:
        """Return whether a target may be what is read, or what holds it, by what it is called."""
        text = ast.unparse(target)
        elsewhere = self._own and text.startswith((f"{read[0]}.", f"{read[0]}["))
        return not elsewhere or spelled(read).startswith(text)


def _made_by(node: ast.AST) -> str | None:
    """The name of the object that a constructor fills."""
    if not isinstance(node, ast.FunctionDef) or node.name not in _FILLING:
        return None
    return next((one.arg for one in (*node.args.posonlyargs, *node.args.args)), None)


def _is_item(target: ast.Subscript, read: Path) -> bool:
    """Return whether an item of what is read is set, or elements of an array."""
    keys = [str(key) for key in read]
    key, following = target.slice, read[keys.index(_name(target.value) or "") + 1 :]
    return not following or not isinstance(key, ast.Constant) or key.value == following[0]
