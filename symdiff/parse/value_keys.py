"""Objects that are found by what they hold, as keys of dicts and in sets.

>>> @dataclasses.dataclass(frozen=True)  # doctest: +SKIP
... class Point:
...     row: int
...     column: int
>>> {Point(0, 1): 2.0 * x}[Point(0, 1)]  # doctest: +SKIP

Of the objects of a class with an ``__eq__`` of its own that hold the same constants, the first one
that is used as a key stands for all, in every dict and set: so they are found by which object it
is, as all others are. What is no longer changed by then tells none of them apart but ``is``.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Collection
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.called import with_nodes_called
from symdiff.ir.control import CALLS
from symdiff.ir.graph import Node
from symdiff.ir.structure import is_leaf
from symdiff.ops.effects import Named, assert_, raise_
from symdiff.parse import lookups
from symdiff.parse.catching import unless_raised
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.demand import known
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.special import fields_compared
from symdiff.parse.texts import settled
from symdiff.parse.values import ABSENT, Abstract, Conflict, ObjectRef

_MOST = 50  # objects of classes whose ``__eq__`` is followed, each of which is compared with all
_KEPT = "an attribute of an object is set that was a key of a dict"
_HINT = "use what it is made of as the key: a string, a number, a tuple"


def as_key(interp: Interpreter, key: Any) -> Any:
    """A key that is known, as the program's dicts and sets have it."""
    if isinstance(key, tuple):
        return tuple.__new__(type(key), [as_key(interp, part) for part in key])
    if not isinstance(key, ObjectRef):
        _require_told_from_objects(interp, key)
        return key
    if is_found_by_identity(class_of(interp, key)):
        return key
    found = _standing_for(interp, key)
    interp.value_keys.standing.setdefault(key, set()).add(found)
    _stand(interp, found)
    _keep(interp, key)
    return found


def is_found_by_identity(kind: Any) -> bool:
    """Return whether a dict finds a key of a class only by the object itself: ``__eq__`` is asked
    of objects of one hash alone.
    """
    if getattr(kind, "__eq__", None) is object.__eq__ or kind.__hash__ is object.__hash__:
        return True
    hashed = getattr(kind.__hash__, "__code__", None)
    plain = _by_id.__code__
    parts = ("co_code", "co_names", "co_varnames", "co_argcount")
    return (
        hashed is not None
        and all(getattr(hashed, part) == getattr(plain, part) for part in parts)
        and kind.__hash__.__globals__.get("id", id) is id
    )


def _by_id(self: Any) -> int:
    return id(self)


def among(interp: Interpreter, key: Any, others: Collection[Any]) -> Any:
    """A key as it stands among others, some of which may have been made outside."""
    parts = key if isinstance(key, tuple) else (key,)
    found = [part for part in parts if part in interp.value_keys.held]
    if not found or all(map(_is_told, others)):
        return key
    kind = class_of(interp, found[0])
    fields = fields_compared(interp, kind, "eq")
    alike = [other for other in others if type(other) is kind]
    told = all(_is_told(other) for other in others if type(other) is not kind)
    if fields is None or isinstance(key, tuple) or not told:
        raise _refused(kind)
    held = [interp.heap.get((key, name)) for name in fields]
    return next((other for other in alike if _holds(other, fields, held)), key)


def _holds(outside: Any, fields: list[str], held: list[Any]) -> bool:
    """Return whether an object that was made outside has these constants: that it has is seen at
    each call, where it is a key.
    """
    values = [getattr(outside, name) for name in fields]
    if not all(is_leaf(v) or isinstance(v, str | bytes | None) for v in (*values, *held)):
        raise _refused(type(outside))
    return values == held


def _is_told(key: Any) -> bool:
    """Return whether a key cannot equal an object that is found by what it holds, or is one."""
    if isinstance(key, tuple):
        return all(map(_is_told, key))
    plain = isinstance(key, ObjectRef | str | bytes) or is_leaf(key)
    return plain or is_found_by_identity(type(key))


def _standing_for(interp: Interpreter, ref: ObjectRef) -> ObjectRef:
    """The object that stands for all that hold what one does."""
    keys, kind = interp.value_keys, class_of(interp, ref)
    if ref.live is not None or ref.holder is not None:
        raise _refused(kind)
    held = {name: _constant(interp, kind, value) for name, value in interp.heap.held(ref).items()}
    typed = kind, *_typed_items(held)
    if typed in keys.by_held:
        return keys.by_held[typed]
    if ref in keys.held:  # where it holds something else, on another path
        raise _refused(kind)
    if fields_compared(interp, kind, "hash") is None:
        _require_plain(interp, ref, kind)
    fields = fields_compared(interp, kind, "eq")
    if fields is not None and lookups.static_on_class(kind, "__hash__") is not None:
        compared = kind, *(held[name] for name in fields)
        if compared in keys.compared:
            raise _refused(kind)
        keys.compared[compared] = ref
    else:
        _require_unlike_others(interp, ref, kind)
        keys.written.append(ref)
    keys.by_held[typed], keys.held[ref] = ref, held
    return ref


def _require_plain(interp: Interpreter, ref: ObjectRef, kind: type) -> None:
    """Refuse an object whose ``__hash__`` and ``__eq__`` do more than to answer, which a dict asks
    as often as it likes; what ``__hash__`` raises is raised.
    """
    before = Checkpoint(interp)
    interp.call_method(ref, "__hash__")
    equal = interp.call(operator.eq, [ref, ref], {})
    nodes = with_nodes_called(before.nodes[before.length :])
    effects = {node.op for node in nodes if not _has_no_effect(node)}
    if equal is not True or before.has_written() or not effects <= {raise_, assert_}:
        raise _refused(kind)
    if not effects:
        before.roll_back()


def _require_unlike_others(interp: Interpreter, ref: ObjectRef, kind: type) -> None:
    """Refuse an object that equals one that holds something else, or a constant."""
    keys = interp.value_keys
    if len(keys.written) >= _MOST:
        raise _refused(kind)
    for other in (*keys.held, *keys.plain):
        if isinstance(other, ObjectRef):
            _stand(interp, other)
        _require_unequal(interp, other, ref, kind)


def _require_unequal(interp: Interpreter, a: Any, b: Any, kind: type) -> None:
    """Refuse two keys that are equal; what raises is not asked, for their hashes differ."""
    answer = unless_raised(interp, Exception, lambda: interp.call(operator.eq, [a, b], {}))
    if answer is not False and answer is not ABSENT:
        raise _refused(kind)


def _has_no_effect(node: Node) -> bool:
    """Return whether a node has no effect but what the graph has that it calls."""
    function = node.attributes.get("function")
    return (
        not node.op.effect
        or node.op in CALLS
        or (isinstance(function, Named) and function.target is hash)
    )


def _require_told_from_objects(interp: Interpreter, key: Any) -> None:
    """Refuse a constant that an object equals which is a key elsewhere."""
    keys = interp.value_keys
    if is_leaf(key) or isinstance(key, str | bytes):
        keys.plain[key] = None
        for other in keys.written:
            _stand(interp, other)
            _require_unequal(interp, other, key, class_of(interp, other))


def _stand(interp: Interpreter, ref: ObjectRef) -> None:
    """Let an object that stands for others hold what it does from here on, on any path."""
    heap, held = interp.heap, interp.value_keys.held[ref]
    present = {} if _is_kept(interp, ref) else heap.held(ref)
    if present and _typed_items(present) != _typed_items(held):
        raise _refused(ref.type)
    for name, value in held.items():
        if (ref, name) not in heap.contents:
            interp.put((ref, name), value)
    _keep(interp, ref)


def _is_kept(interp: Interpreter, ref: ObjectRef) -> bool:
    kept = interp.heap.frozen.get(ref)
    return kept is not None and kept.reason == _KEPT


def _keep(interp: Interpreter, ref: ObjectRef) -> None:
    """Refuse to change an object from here on."""
    if ref not in interp.heap.frozen:
        interp.heap.keep(ref, Conflict("key", _KEPT, interp.span))


def _constant(interp: Interpreter, kind: type, value: Abstract) -> Any:
    """What an object holds, where it is a constant."""
    told = known(interp, settled(interp, value), _HINT)
    if isinstance(told, tuple):
        return tuple.__new__(type(told), [_constant(interp, kind, part) for part in told])
    if isinstance(told, ObjectRef):
        return as_key(interp, told)
    plain = is_leaf(told) or isinstance(told, str | bytes | type | types.FunctionType | None)
    if not plain or told != told:
        raise _refused(kind)
    return told


def _typed(value: Any) -> Any:
    """A constant with its classes, by which 1 and 1.0 differ, and 0.0 and -0.0."""
    if isinstance(value, tuple):
        return type(value), *map(_typed, value)
    return type(value), repr(value) if isinstance(value, float | complex) else value


def _typed_items(held: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, _typed(held[name])) for name in sorted(held)]


def _refused(kind: type) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        f"an object of {kind.__name__}, which has an __eq__ of its own, as a key", hint=_HINT
    )
