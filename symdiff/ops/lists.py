"""Lists of staged values, of a length known at run time only.

Like arrays, lists are pure here: ``list_push(l, v)`` is the new version of ``l``; the emitter finds
out where it may say ``l.append(v)``. The cotangent of a list is a list of its elements' cotangents.
A slice's key is an ``index.Slice``, its dynamic parts being operands.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from symdiff.errors import rejection
from symdiff.ir.control import join_types
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import INT, ArrayType, ListType, Type, with_sizes_of
from symdiff.ops.creation import zeros_of
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    SeveralResults,
    require_list,
    supporting,
    template,
)
from symdiff.ops.keys import Slice, Slot, actual_key, spell_key
from symdiff.ops.patterns import Elements, Items
from symdiff.ops.sizes import constant_integer
from symdiff.ops.support import order_in, place_in

_on_lists = functools.partial(Operation, sympy=EVALUATED)


def _same_list(name: str) -> Callable[..., tuple[Type, ...]]:
    """The type rule of ops that give a list like their first operand."""

    def infer(items: Type, *others: Type, **attributes: Any) -> tuple[Type, ...]:
        return (require_list(items, name),)

    return infer


def _wider_list(items: Type, *others: Type, **attributes: Any) -> tuple[Type, ...]:
    """The type rule of ops that put an element, their last operand, into a list.

    Of numbers the list says the kind: a derivative's may be NumPy's where its primal is Python's.
    """
    list_, element = require_list(items, "an item"), others[-1]
    if isinstance(element, ArrayType) and element.kind != "array":
        return (list_,)
    try:
        return (ListType(join_types(list_.element, element, "joined")),)
    except TypeError as error:
        raise rejection(TypeError, f"{element} in a list of {list_.element}") from error


def _given(t: Any, x: Value) -> Value:
    """A tangent or cotangent, zeros where there is none."""
    return zeros_of(x) if t is None else t


def _shaped_as(made: Any, primal: Value) -> Any:
    """A derivative just made, an element of a list: its sizes are its primal's."""
    made.type = with_sizes_of(primal.type, made.type)
    return made


# Zeros, sums, lengths -----------------------------------------------------------------------------


def _accumulate(a: list[Any], b: list[Any]) -> list[Any]:
    pairs = zip(a, b, strict=True)
    return [_accumulate(x, y) if isinstance(x, list) else x + y for x, y in pairs]


def _united(e: Elements, a: Any, b: Any) -> Any:
    """What elements of two lists, or arrays, depend on together."""
    if isinstance(a, list):
        return [_united(e, x, y) for x, y in zip(a, b, strict=True)]
    return e.united(a, b)


def _pattern_accumulate(e: Elements, op: Any) -> Any:
    return _united(e, *e.ids)


list_accumulate: Operation = _on_lists(
    "list_accumulate",
    _same_list("sum"),
    _accumulate,
    linear=frozenset({0, 1}),
    vjp={0: lambda g, y, a, b: g, 1: lambda g, y, a, b: g},
    jvp={0: lambda t, y, a, b: t, 1: lambda t, y, a, b: t},
    spelling=template("[a + b for a, b in zip({0}, {1})]"),
    pattern=_pattern_accumulate,
    documentation="The sums of the elements of two lists: how cotangents of lists add up.",
)

list_length: Operation = _on_lists(
    "list_length",
    lambda items: (INT,),
    len,
    nondifferentiable=True,
    spelling=template("len({0})"),
    batch=lambda b, op, x, **attributes: op(x, **attributes),
    uniform=True,
    documentation="How many elements a list has.",
)


def _spell_find(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``place_in(key, column)``; a key of several parts is a tuple."""
    count = node.attributes["count"]
    parts = list(operands[:count])
    key = parts[0] if count == 1 else ast.Tuple(parts, ast.Load())
    return ast.Call(supporting(place_in), [key, *operands[count:]], [])


list_find: Operation = _on_lists(
    "list_find",
    lambda *operands, count: (INT,),
    lambda *operands, count: place_in(
        operands[0] if count == 1 else operands[:count], *operands[count:]
    ),
    nondifferentiable=True,
    spelling=_spell_find,
    operands=0,
    documentation="Where a key stands in a list as a dict finds it, or -1: of ``count`` columns.",
)


def _spell_order(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    given = [ast.keyword("reverse", ast.Constant(True))] if node.attributes["reverse"] else []
    return ast.Call(supporting(order_in), list(operands), given)


list_order: Operation = _on_lists(
    "list_order",
    lambda *columns, reverse: (ListType(INT),),
    order_in,
    raises=True,
    nondifferentiable=True,
    spelling=_spell_order,
    operands=0,
    documentation="The places of a list's items in their order: of tuples, a column of each part.",
)


# New lists ----------------------------------------------------------------------------------------


def _new_vjp(position: int, g: Value, y: Value, *elements: Value, type: ListType) -> Value:
    return _shaped_as(list_get(g, position), elements[position])  # type: ignore[no-any-return]


list_new: Operation = _on_lists(
    "list_new",
    lambda *elements, type: (type,),
    lambda *elements, type: list(elements),
    vjp=_new_vjp,
    linear=True,
    spelling=template("[{...}]"),
    pattern=Items(),
    documentation="A list of the given elements, ``[a, b]``.",
)


def _infer_filled(element: Type, times: Type, *, type: ListType) -> tuple[Type, ...]:
    return (type,)


list_filled: Operation = _on_lists(
    "list_filled",
    _infer_filled,
    lambda element, times, *, type: [element] * times,
    linear=frozenset({0}),
    vjp={
        0: lambda g, y, element, times, *, type: _shaped_as(
            list_total(g, zeros_of(element)), element
        )
    },
    nondifferentiable=frozenset({1}),
    spelling=template("[{0}] * {1}"),
    pattern=Items(frozenset({0})),
    documentation="A list with one element repeated, ``[element] * times``.",
)


list_typed: Operation = _on_lists(
    "list_typed",
    lambda items, *, type: (type,),
    lambda items, *, type: list(items),
    nondifferentiable=True,
    spelling=template("list({0})"),
    pattern=Items(frozenset({0})),
    documentation="A list of integers where one of floats is expected; its items stay integers.",
)


def _pattern_total(e: Elements, op: Any) -> Any:
    items, start = e.ids
    return functools.reduce(lambda a, b: _united(e, a, b), items, start)


list_total: Operation = Operation(
    "list_total",
    lambda items, start: (require_list(items, "sum").element,),
    lambda items, start: functools.reduce(operator.add, items, start),
    linear=frozenset({0, 1}),
    vjp={
        0: lambda g, y, items, start: list_filled(g, list_length(items), type=items.type),
        1: lambda g, y, items, start: g,
    },
    spelling=template("sum({0}, {1})"),
    varied=True,
    sympy=EVALUATED,
    pattern=_pattern_total,
    documentation="The sum of a list's elements, one after the other, from ``start`` on.",
)


def _infer_concatenate(a: Type, b: Type) -> tuple[Type, ...]:
    left, right = require_list(a, "concatenation"), require_list(b, "concatenation")
    try:
        return (join_types(left, right, "joined"),)
    except TypeError as error:
        raise rejection(TypeError, f"elements of {left} and {right} differ in type") from error


list_concatenate: Operation = _on_lists(
    "list_concatenate",
    _infer_concatenate,
    lambda a, b: [*a, *b],
    vjp={
        0: lambda g, y, a, b: list_slice_of(g, None, list_length(a)),
        1: lambda g, y, a, b: list_slice_of(g, list_length(a), None),
    },
    linear=frozenset({0, 1}),
    spelling=template("{0} + {1}"),
    example="list_concatenate(items, more)",
    pattern=Items(frozenset({0, 1})),
    documentation="The elements of one list, then those of another: ``a + b``.",
)


# Elements -----------------------------------------------------------------------------------------


list_get: Operation = Operation(
    "list_get",
    lambda items, i: (require_list(items, "an element").element,),
    lambda items, i: items[i],
    raises=True,
    cost="free",
    linear=frozenset({0}),
    vjp={0: lambda g, y, items, i: list_add(zeros_of(items), i, g)},
    jvp={0: lambda t, y, items, i: _shaped_as(list_get(t, i), y)},
    nondifferentiable=frozenset({1}),
    spelling=template("{0}[{1}]"),
    varied=True,
    sympy=EVALUATED,
    example="list_get(items, j)",
    pattern=Items(frozenset({0})),
    documentation="An element of a list.",
)


def _replaced(items: list[Any], i: int, v: Any) -> list[Any]:
    new = list(items)
    new[i] = v
    return new


list_set: Operation = _on_lists(
    "list_set",
    _wider_list,
    _replaced,
    raises=True,
    vjp={
        0: lambda g, y, items, i, v: list_set(g, i, zeros_of(list_get(items, i))),
        2: lambda g, y, items, i, v: _shaped_as(list_get(g, i), v),
    },
    linear=frozenset({0, 2}),
    nondifferentiable=frozenset({1}),
    pattern=Items(frozenset({0, 2})),
    documentation="A list after ``items[i] = v``.",
)


def _add_tangent(ts: Sequence[Value | None], y: Value, items: Value, i: Value, v: Value) -> Value:
    base = _given(ts[0], items)
    return base if ts[2] is None else list_add(base, i, ts[2])


def _added(items: list[Any], i: int, v: Any) -> list[Any]:
    before = items[i]
    return _replaced(items, i, _accumulate(before, v) if isinstance(v, list) else before + v)


def _pattern_add(e: Elements, op: Any) -> Any:
    items, _, v = e.ids
    i = e.value(1)
    return _replaced(items, i, _united(e, items[i], v))


list_add: Operation = _on_lists(
    "list_add",
    _same_list("accumulation"),
    _added,
    raises=True,
    vjp={
        0: lambda g, y, items, i, v: g,
        2: lambda g, y, items, i, v: _shaped_as(list_get(g, i), v),
    },
    tangent=_add_tangent,
    nondifferentiable=frozenset({1}),
    pattern=_pattern_add,
    documentation="A list after ``items[i] = items[i] + v``.",
)


# Growing and shrinking ----------------------------------------------------------------------------


list_push: Operation = _on_lists(
    "list_push",
    _wider_list,
    lambda items, v: [*items, v],
    vjp={
        0: lambda g, y, items, v: list_pop(g, -1)[0],
        1: lambda g, y, items, v: _shaped_as(list_get(g, -1), v),
    },
    linear=frozenset({0, 1}),
    example="list_push(items, x)",
    pattern=Items(frozenset({0, 1})),
    documentation="A list after ``items.append(v)``.",
)


def _inserted(items: list[Any], i: int, v: Any) -> list[Any]:
    new = list(items)
    new.insert(i, v)
    return new


def _insert_place(items: Value, i: Value) -> Value:
    """Where ``insert(i, v)`` puts ``v``, as an index of the new list."""
    return list_place(i, list_length(items))


list_place: Operation = _on_lists(
    "list_place",
    lambda i, length: (INT,),
    lambda i, length: slice(i, None).indices(length)[0],
    nondifferentiable=True,
    spelling=template("slice({0}, None).indices({1})[0]"),
    documentation="An index as ``insert`` takes it, from the end or out of bounds, as a place.",
)

list_insert: Operation = _on_lists(
    "list_insert",
    _wider_list,
    _inserted,
    vjp={
        0: lambda g, y, items, i, v: list_pop(g, _insert_place(items, i))[0],
        2: lambda g, y, items, i, v: _shaped_as(list_get(g, _insert_place(items, i)), v),
    },
    linear=frozenset({0, 2}),
    nondifferentiable=frozenset({1}),
    pattern=Items(frozenset({0, 2})),
    documentation="A list after ``items.insert(i, v)``.",
)


def _infer_pop(items: Type, i: Type) -> tuple[Type, ...]:
    type_ = require_list(items, "pop")
    return type_, type_.element


def _evaluate_pop(items: list[Any], i: int) -> tuple[list[Any], Any]:
    new = list(items)
    return new, new.pop(i)


def _pop_vjp(g: tuple[Value | None, Value | None], y: Any, items: Value, i: Value) -> Value:
    rest, popped = (_given(part, primal) for part, primal in zip(g, y, strict=True))
    if constant_integer(i) == -1:
        return list_push(rest, popped)
    return list_unpop(rest, i, popped)


def _pop_jvp(t: Value, y: tuple[Value, Value], items: Value, i: Value) -> tuple[Value, Value]:
    rest, popped = list_pop(t, i)
    return rest, _shaped_as(popped, y[1])


list_pop: SeveralResults = SeveralResults(
    "list_pop",
    _infer_pop,
    _evaluate_pop,
    raises=True,
    linear=frozenset({0}),
    vjp={0: _pop_vjp},
    jvp={0: _pop_jvp},
    nondifferentiable=frozenset({1}),
    varied=True,
    sympy=EVALUATED,
    pattern=Items(frozenset({0})),
    documentation="A list after ``items.pop(i)``, and the element that was popped.",
)


def _unpopped(items: list[Any], i: int, v: Any) -> list[Any]:
    new = list(items)
    new.insert(i if i >= 0 else len(new) + 1 + i, v)
    return new


def _spell_unpop(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    i = constant_integer(node.operands[1])
    if i is None:  # from the end where it is negative
        place = "{1} if {1} >= 0 else len({0}) + 1 + {1}"
        text = f"[*{{0}}[:{place}], {{2}}, *{{0}}[{place}:]]"
        return template(text)(node, operands)
    place = str(i if i >= 0 else i + 1)
    text = "[*{0}, {2}]" if i == -1 else f"[*{{0}}[:{place}], {{2}}, *{{0}}[{place}:]]"
    return template(text)(node, operands)


list_unpop: Operation = _on_lists(
    "list_unpop",
    _same_list("insertion"),
    _unpopped,
    vjp={
        0: lambda g, y, items, i, v: list_pop(g, i)[0],
        2: lambda g, y, items, i, v: _shaped_as(list_get(g, i), v),
    },
    linear=frozenset({0, 2}),
    spelling=_spell_unpop,
    nondifferentiable=frozenset({1}),
    pattern=Items(frozenset({0, 2})),
    documentation="The list from which ``pop(i)`` gives ``items`` and ``v``.",
)


# Slices -------------------------------------------------------------------------------------------


def _spell_slice(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    key = spell_key((node.attributes["key"],), operands[1:])
    return ast.Subscript(operands[0], key, ast.Load())


def _slice_part(items: list[Any], parts: Sequence[Any], key: Slice) -> slice:
    (part,) = actual_key((key,), parts)
    return part  # type: ignore[no-any-return]


list_slice: Operation = _on_lists(
    "list_slice",
    _same_list("a slice"),
    lambda items, *parts, key: items[_slice_part(items, parts, key)],
    linear=frozenset({0}),
    vjp={0: lambda g, y, items, *parts, key: list_slice_set(zeros_of(items), g, *parts, key=key)},
    spelling=_spell_slice,
    pattern=Items(frozenset({0})),
    documentation="A slice of a list.",
)


def list_slice_of(
    items: Value, start: Operand | None, stop: Operand | None, step: Operand | None = None
) -> Value:
    """``items[start:stop:step]``."""
    dynamic: list[Value] = []

    def part(bound: Operand | None) -> int | Slot | None:
        if not isinstance(bound, Value):
            return None if bound is None else operator.index(bound)  # type: ignore[arg-type]
        dynamic.append(bound)
        return Slot(len(dynamic) - 1)

    key = Slice(part(start), part(stop), part(step))
    return list_slice(items, *dynamic, key=key)


def _slice_replaced(items: list[Any], v: list[Any], *parts: Any, key: Slice) -> list[Any]:
    new = list(items)
    places = range(len(new))[_slice_part(items, parts, key)]
    for place, element in zip(places, v, strict=True):
        new[place] = element
    return new


list_slice_set: Operation = _on_lists(
    "list_slice_set",
    _same_list("assignment to a slice"),
    _slice_replaced,
    raises=True,
    vjp={
        0: lambda g, y, items, v, *parts, key: list_slice_set(g, zeros_of(v), *parts, key=key),
        1: lambda g, y, items, v, *parts, key: list_slice(g, *parts, key=key),
    },
    linear=frozenset({0, 1}),
    pattern=Items(frozenset({0, 1})),
    documentation="A list after ``items[key] = v``, where ``v`` is as long as the slice.",
)
