"""Comparisons: ``==``, ``<`` and the like, ``is``, ``in``.

What is known now is compared now; numbers and arrays by an op. Sequences are compared as Python
does it: by the first items that differ.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedSyntaxError, rejection
from symdiff.ir.build import constant_value, is_constant
from symdiff.ir.control import cond, in_arms, undefined
from symdiff.ir.graph import Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import ArrayType
from symdiff.ops import arithmetic, reduce
from symdiff.ops.declare import array_type, static
from symdiff.parse import run_time_texts as texts
from symdiff.parse.arguments import as_array
from symdiff.parse.blame import judged
from symdiff.parse.branches import choose
from symdiff.parse.cases import of_each
from symdiff.parse.changing import SETS, note_unknown_key
from symdiff.parse.identity import class_of, identical, require_known
from symdiff.parse.interpreter import Interpreter, describe, negated
from symdiff.parse.items import as_set, can_be_told, require_hashable, static_key, told_now
from symdiff.parse.operators import is_staged, items_of
from symdiff.parse.outcomes import compared
from symdiff.parse.python import in_python
from symdiff.parse.some_entries import entry, some_entries
from symdiff.parse.special import (
    by_operator,
    fields_compared,
    has_method,
    has_operator,
    has_own_method,
)
from symdiff.parse.staged_lists import is_staged_list, place_of
from symdiff.parse.texts import settled
from symdiff.parse.truth import truth
from symdiff.parse.value_keys import among, as_key
from symdiff.parse.values import (
    Abstract,
    Array,
    Closure,
    Conflict,
    DictRef,
    DictView,
    Generator,
    IteratorRef,
    Lazy,
    ListRef,
    ObjectRef,
    Range,
    StaticSet,
)

Items = tuple[Abstract, ...]
_MOST_CONSTANTS = 8
_MOST_SEEN = 100  # values that may be what is compared
COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    ast.Lt: ("lt", operator.lt, arithmetic.less),
    ast.LtE: ("le", operator.le, arithmetic.less_equal),
    ast.Gt: ("gt", operator.gt, arithmetic.greater),
    ast.GtE: ("ge", operator.ge, arithmetic.greater_equal),
    ast.Eq: ("eq", operator.eq, arithmetic.equal),
    ast.NotEq: ("ne", operator.ne, arithmetic.not_equal),
}


def compare(interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract) -> Abstract:
    """``a op b`` for one comparison."""
    return of_each(interp, partial(_compare, interp, op), a, b)


def _compare(interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract) -> Abstract:
    if op in (ast.Is, ast.IsNot):
        return _unless(op is ast.IsNot, identical(interp, a, b))
    if op in (ast.In, ast.NotIn):
        return _unless(op is ast.NotIn, contains(interp, b, a))
    name = COMPARE[op][0]
    if _are_texts_at_run_time(interp, a, b):
        return texts.asked(interp, a, f"__{name}__", [b], {})
    if _is_text_and_none(interp, a, b):
        texts.require_taken(interp, COMPARE[op][1], [a, b])
        return op is ast.NotEq
    a, b = (as_set(interp, settled(interp, value)) for value in (a, b))
    require_known(a, b)
    if has_operator(interp, name, a, b):
        return _compare_objects(interp, op, a, b)
    return compare_natively(interp, op, a, b)


def compare_natively(
    interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract
) -> Abstract:
    """``a op b``, whatever methods the classes have of their own."""
    with judged(interp, COMPARE[op][1], (a, b)):
        return _compared(interp, op, a, b)


def _unless(opposite: bool, answer: bool | Value) -> bool | Value:
    """An answer or its opposite."""
    return negated(answer) if opposite else answer


def _compared(interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract) -> Abstract:
    name, plain, staged = COMPARE[op]
    if is_staged(a) or is_staged(b):
        if op in (ast.Eq, ast.NotEq) and not _comparable(interp, a, b):
            return _unlike(interp, a, b, op is ast.NotEq)
        answers = {plain(*pair) for pair in itertools.product(_constants(a), _constants(b))}
        if len(answers) == 1:
            return answers.pop()
        return compared(interp, name, a, b, partial(_staged, interp, staged, a, b))
    if isinstance(a, Closure) and isinstance(b, Closure) and op in (ast.Eq, ast.NotEq):
        return _unless(op is ast.NotEq, identical(interp, a, b))
    if isinstance(a, DictRef) and isinstance(b, DictRef) and op in (ast.Eq, ast.NotEq):
        return _dicts(interp, op, interp.content(a), interp.content(b))
    if any(isinstance(v, DictView) and v.kind == "items" for v in (a, b)):
        return _views(interp, op, a, b)
    kinds = _emptied(a), _emptied(b)
    if type(kinds[0]) is type(kinds[1]) in (list, tuple):
        return _sequences(interp, op, _items(interp, a), _items(interp, b))
    return plain(*kinds)


def _staged(
    interp: Interpreter, op: Callable[[Any, Any], Any], a: Abstract, b: Abstract
) -> Abstract:
    return interp.wrap(op(as_array(interp, a), as_array(interp, b)))


def _constants(value: Abstract) -> frozenset[Any]:
    """The numbers one of which a value is, whatever path is taken; none where others may be.

    Where a path does not define it, nobody reads it.
    """
    if type(value) in (bool, int, float):
        return frozenset((value,))
    if not isinstance(value, Value) or array_type(value).kind != "python":
        return frozenset()
    found: set[Any] = set()
    pending, seen = [value], {value}
    while pending:
        one = pending.pop()
        if is_constant(one):
            found.add(constant_value(one))
            continue
        more = _one_of(one)
        if more is None or len(seen) > _MOST_SEEN or len(found) > _MOST_CONSTANTS:
            return frozenset()
        pending += [part for part in more if part not in seen]
        seen.update(more)
    return frozenset(found) if len(found) <= _MOST_CONSTANTS else frozenset()


def _one_of(value: Value) -> Sequence[Value] | None:
    """The values one of which a number is; None of one that is computed."""
    node = value.node
    if node is None:
        return None
    if node.op is undefined:
        return ()
    if node.op is arithmetic.positive:
        return node.operands
    return in_arms(value) if node.op is cond else None


def _views(interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract) -> Abstract:
    """A comparison with ``d.items()``, which is a set of pairs."""
    views = isinstance(a, DictView) and isinstance(b, DictView) and a.kind == b.kind
    if views and op in (ast.Eq, ast.NotEq):
        return _dicts(interp, op, interp.content(a.of), interp.content(b.of))
    raise rejection(TypeError, f"it is given {describe(a)} and {describe(b)}")


def _emptied(value: Abstract) -> Any:
    """A container without its items: it compares to what is no such container as with them."""
    if isinstance(value, ListRef):
        return () if value.frozen else []
    if isinstance(value, DictRef):
        return {}
    return () if isinstance(value, tuple) else value


def _dicts(
    interp: Interpreter, op: type[ast.cmpop], a: dict[Any, Abstract], b: dict[Any, Abstract]
) -> Abstract:
    if a.keys() != b.keys():
        return op is ast.NotEq
    return _sequences(interp, op, tuple(a.values()), tuple(b[key] for key in a))


def _sequences(interp: Interpreter, op: type[ast.cmpop], a: Items, b: Items) -> Abstract:
    """What the first items that differ give; where there are none, the lengths."""
    if op in (ast.Eq, ast.NotEq) and len(a) != len(b):
        return op is ast.NotEq
    if not a or not b:
        return COMPARE[op][1](len(a), len(b))

    def rest() -> Abstract:
        return _sequences(interp, op, a[1:], b[1:])

    def first() -> Abstract:
        return op is ast.NotEq if op in (ast.Eq, ast.NotEq) else compare(interp, op, a[0], b[0])

    return choose(interp, is_or_equals(interp, a[0], b[0]), rest, first)


def is_or_equals(interp: Interpreter, a: Abstract, b: Abstract) -> bool | Value:
    """Return whether an item is another one to a sequence: the same object, or equal."""
    if a is b or (type(a) is type(b) and isinstance(a, HANDLES) and identical(interp, a, b)):
        return True
    for one, other in ((a, b), (b, a)):
        if isinstance(one, float) and one != one and isinstance(other, Value):
            raise UnsupportedSyntaxError("whether a number is one certain nan", hint="use np.isnan")
    return truth(interp, compare(interp, ast.Eq, a, b))


HANDLES = (Array, ListRef, DictRef, ObjectRef)


def _items(interp: Interpreter, value: ListRef | tuple[Any, ...]) -> Items:
    return value if isinstance(value, tuple) else items_of(interp, value)


def _comparable(interp: Interpreter, a: Abstract, b: Abstract) -> bool:
    """Return whether ``==`` compares numbers: of Python's there are none in a sequence."""
    sequences = isinstance(a, ListRef | tuple) or isinstance(b, ListRef | tuple)
    if sequences and any(class_of(interp, v) in _PYTHON_NUMBERS for v in (a, b)):
        return False
    return all(is_staged(v) or is_leaf(v) or isinstance(v, ListRef | tuple) for v in (a, b))


_PYTHON_NUMBERS = (bool, int, float, complex)


def _unlike(interp: Interpreter, a: Abstract, b: Abstract, answer: bool) -> Abstract:
    """What ``==`` or ``!=`` gives of a number and something else: the same for all values."""
    classes = {class_of(interp, a), class_of(interp, b)}
    if np.ndarray in classes:
        raise UnsupportedSyntaxError(
            "an array is compared with what is no number: the answer is an array",
            hint="compare with 'is', or test its type",
        )
    by_numpy = str in classes and any(issubclass(c, np.generic) for c in classes)
    return np.bool_(answer) if by_numpy else answer


def _compare_objects(
    interp: Interpreter, op: type[ast.cmpop], a: Abstract, b: Abstract
) -> Abstract:
    """A comparison that the class of one of the operands defines."""
    name = COMPARE[op][0]
    if op is ast.NotEq and not any(has_own_method(interp, v, "__ne__") for v in (a, b)):
        return _unless(True, truth(interp, _compare_objects(interp, ast.Eq, a, b)))
    cls = class_of(interp, a)
    fields = fields_compared(interp, cls, name) if cls is class_of(interp, b) else None
    if fields is None:
        return by_operator(interp, name, a, b)
    left, right = (tuple(interp.attribute(v, field) for field in fields) for v in (a, b))
    return compare(interp, op, left, right)


def _in_range(container: Range, item: Abstract) -> Abstract:
    parts = (container.start, container.stop, container.step)
    if not any(isinstance(part, Value) for part in (*parts, item)):
        return item in range(*parts)
    raise UnsupportedSyntaxError(
        "'in' a range of values known at run time only", hint="write the comparisons"
    )


def contains(interp: Interpreter, container: Abstract, item: Abstract) -> Abstract:
    """``item in container``."""
    if _are_texts_at_run_time(interp, container, item):
        return texts.asked(interp, container, "__contains__", [item], {})
    if texts.is_at_run_time(interp, item):
        known = _taken_for(interp, container)
        if known is not None:
            return _in_sequence(interp, known, item)
        if isinstance(container, ObjectRef):
            return _contains(interp, container, item)
    if texts.is_at_run_time(interp, container):
        texts.require_taken(interp, operator.contains, [container, item])
    with judged(interp, operator.contains, (container, item)):
        return _contains(interp, settled(interp, container), settled(interp, item))


def _are_texts_at_run_time(interp: Interpreter, a: Abstract, b: Abstract) -> bool:
    """Return whether both are texts, and nothing tells one of them before run time."""
    if not (texts.is_text(a) and texts.is_text(b)):
        return False
    return any(texts.is_at_run_time(interp, text) for text in (a, b))


def _is_text_and_none(interp: Interpreter, a: Abstract, b: Abstract) -> bool:
    """Return whether one is a text that nothing tells before run time, the other of another class
    that is known.
    """
    text, other = (a, b) if texts.is_at_run_time(interp, a) else (b, a)
    alike = texts.is_text(other) or isinstance(other, Array | ObjectRef | Conflict)
    if alike or not texts.is_at_run_time(interp, text):
        return False
    return class_of(interp, other) in (type(None), tuple, bytes, *_PYTHON_NUMBERS)


def _taken_for(interp: Interpreter, container: Abstract) -> tuple[Abstract, ...] | None:
    """The items among which a text is looked for, one by one."""
    if isinstance(container, DictView) and container.kind == "keys":
        container = container.of
    if isinstance(container, DictRef | ListRef) and container.own is None:
        content = interp.content(container)
        return tuple(content) if isinstance(content, tuple | dict) else None
    known = type(container) in (tuple, frozenset, StaticSet)
    return tuple(container) if known else None


def _in_sequence(interp: Interpreter, container: Abstract, item: Abstract) -> Abstract:
    content = interp.content(container) if isinstance(container, ListRef) else container
    if is_staged_list(content):
        place = place_of(interp, content, item)
        return arithmetic.greater_equal(place, 0) if isinstance(place, Value) else place >= 0
    found: Abstract = False
    for other in content:
        equal = is_or_equals(interp, other, item)
        if equal is True:
            return True
        if isinstance(equal, Value):
            found = equal if found is False else arithmetic.bitwise_or(found, equal)
    return found


def _contains(interp: Interpreter, container: Abstract, item: Abstract) -> Abstract:
    if has_method(interp, container, "__contains__"):
        return truth(interp, interp.call_method(container, "__contains__", item))
    if isinstance(container, ObjectRef):
        container = interp.collect(container)
    return contains_natively(interp, container, item)


def _in_view(interp: Interpreter, view: DictView, item: Abstract) -> Abstract:
    """``item in d.keys()``, ``in d.values()``, ``in d.items()``."""
    content = interp.content(view.of)
    if view.kind == "keys":
        return contains_natively(interp, view.of, item)
    if view.kind == "values":
        return _in_sequence(interp, tuple(content.values()), item)
    if not (isinstance(item, tuple) and len(item) == 2):
        return False
    key, value = item
    known = static_key(interp, key, content)
    return known in content and is_or_equals(interp, content[known], value)


def _in_keys(
    interp: Interpreter, container: StaticSet | frozenset[Any] | DictRef, item: Abstract
) -> Abstract:
    """``item in container``, which looks for its hash: floats that are equal have the same one."""
    require_hashable(interp, item)
    some = some_entries(interp, container)
    if isinstance(container, DictRef) and some is not None and can_be_told(interp, item):
        return entry(interp, container, static_key(interp, item, some, container)).there
    content = interp.content(container) if isinstance(container, DictRef) else container
    if _holds_float(item) and len(content) <= _MANY and all(map(_is_exact_key, content)):
        keys = content if isinstance(container, DictRef) else sorted(content, key=repr)
        return _in_sequence(interp, tuple(key for key in keys if _is_like(key, item)), item)
    if isinstance(item, ObjectRef) or isinstance(container, DictRef):
        ref = container if isinstance(container, DictRef) else None
        return static_key(interp, item, content, ref) in content
    if not can_be_told(interp, item):
        note_unknown_key(interp, SETS)
    known = among(interp, as_key(interp, static(told_now(interp, item))), content)
    return in_python(operator.contains, container, known)


_MANY = 100  # keys that a number known at run time is compared with, one by one


def _holds_float(item: Abstract) -> bool:
    """Return whether an item is a float known at run time, or a tuple that holds one: no other is
    fixed. A float32 equals numbers that have another hash.
    """
    if type(item) is tuple:
        return any(map(_holds_float, item))
    if not isinstance(item, Value) or not isinstance(item.type, ArrayType):
        return False
    return item.type.kind != "array" and item.type.dtype == np.float64


def _is_like(key: Any, item: Abstract) -> bool:
    """Return whether a key may have the hash of an item: a number, or a tuple of as many."""
    if type(item) is tuple:
        alike = type(key) is tuple and len(key) == len(item)
        return alike and all(map(_is_like, key, item))
    return not isinstance(item, Value) or type(key) in (bool, int, float)


def _is_exact_key(key: Any) -> bool:
    """Return whether a number, or each in a tuple, is what a float64 may equal."""
    if type(key) is tuple:
        return all(map(_is_exact_key, key))
    if type(key) in (bool, int, float):
        return key == key and (type(key) is float or abs(key) <= 2**53)
    return type(key) is str or key is None


def contains_natively(interp: Interpreter, container: Abstract, item: Abstract) -> Abstract:
    """``item in container``, whatever methods the class has of its own."""
    if isinstance(container, DictView):
        return _in_view(interp, container, item)
    if isinstance(container, Generator | Lazy | IteratorRef):
        from symdiff.definitions import generators  # at the first use of it

        return interp.call(generators.contains, [container, item], {})
    if isinstance(container, StaticSet | frozenset | DictRef):
        return _in_keys(interp, container, item)
    if isinstance(container, ListRef | tuple):
        return _in_sequence(interp, container, item)
    if isinstance(container, Range):
        return _in_range(container, item)
    if isinstance(container, Array):
        return truth(
            interp, reduce.any(arithmetic.equal(interp.lift(container), interp.lift(item)))
        )
    return in_python(operator.contains, container, static(item))
