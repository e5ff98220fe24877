"""Keys that are known at run time only: how they are kept, and where one stands among others."""

from __future__ import annotations

import numpy as np

from symdiff.definitions import keyed
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.structure import Container, Leaf, Static, Structure
from symdiff.ir.types import TEXT, ArrayType
from symdiff.ops.declare import array_type, static
from symdiff.ops.lists import list_order
from symdiff.parse import run_time_texts as texts
from symdiff.parse import staged_lists
from symdiff.parse.calls import builtin
from symdiff.parse.changing import is_keyed
from symdiff.parse.comparisons import is_or_equals
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.items import require_hashable
from symdiff.parse.selecting import staged_items
from symdiff.parse.truth import truth
from symdiff.parse.values import Abstract, ListRef, ObjectRef

HINT = "use ints, floats and texts, or tuples of them, as keys that are known at run time only"
_MANY = 8  # keys that a key is compared with, one by one
_HASHED_ALIKE = (np.bool_, np.int64, np.float64, np.complex128)  # as Python's numbers are


@builtin(keyed.as_key)
def _as_key(interp: Interpreter, key: Abstract) -> Abstract:
    require_hashable(interp, key)
    return _kept(interp, key)


@builtin(keyed.is_keyed)
def _is_keyed(interp: Interpreter, mapping: Abstract) -> bool:
    return isinstance(mapping, ObjectRef) and is_keyed(mapping.type)


def _kept(interp: Interpreter, key: Abstract) -> Abstract:
    """A key whose texts are values of the program."""
    if type(key) is tuple:
        return tuple(_kept(interp, part) for part in key)
    if texts.is_text(key):
        return texts.as_value(interp, key)
    if isinstance(key, Value) and _is_hashed_alike(key):
        return key
    if isinstance(key, bool | int | float | complex) and key == key:
        return key
    raise UnsupportedSyntaxError(f"{describe(key)} beside keys known at run time only", hint=HINT)


def _is_hashed_alike(key: Value) -> bool:
    """Return whether numbers that equal a key have its hash, whatever their class."""
    if key.type == TEXT:
        return True
    is_number = isinstance(key.type, ArrayType) and key.type.kind != "array"
    return is_number and array_type(key).dtype.type in _HASHED_ALIKE


@builtin(keyed.place_of)
def _place_of(interp: Interpreter, keys: ListRef, key: Abstract) -> Abstract:
    content = interp.content(keys)
    if staged_lists.is_staged_list(content):
        return staged_lists.place_of(interp, content, key)
    known = _known_place(interp, content, key) if len(content) <= _MANY else None
    if known is not None:
        return known
    return staged_lists.place_of(interp, staged_items(interp, content), key)


def _is_of_sequences(structure: Structure) -> bool:
    """Return whether items are compared part by part, in order: numbers, texts, arrays (which are
    compared where all before them is equal, and raise there), and tuples and lists of such.
    """
    if isinstance(structure, Container):
        plain = structure.type in (tuple, list) or hasattr(structure.type, "_fields")
        return plain and all(map(_is_of_sequences, structure.items))
    return isinstance(structure, Leaf | Static)


def _known_place(interp: Interpreter, keys: tuple[Abstract, ...], key: Abstract) -> int | None:
    """Where a key stands among others, if it can be told now."""
    for place, other in enumerate(keys):
        same = is_or_equals(interp, other, key)
        if same is not False:
            return place if same is True else None
    return -1


@builtin(keyed.order_of)
def _order_of(interp: Interpreter, keys: ListRef, reverse: Abstract) -> Abstract:
    table = staged_lists.columns_of(interp.content(keys))
    is_alone = isinstance(table.structure, Leaf) and staged_lists.holds_arrays(table.values[0])
    if is_alone or not _is_of_sequences(table.structure):
        raise UnsupportedSyntaxError(
            "the order of such items, of a number that is known at run time only",
            hint="give a key of numbers or texts: sorted(items, key=...)",
        )
    order = list_order(*table.values, reverse=static(truth(interp, reverse)))
    return interp.new_list(order)
