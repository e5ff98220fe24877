"""Sets and functions: values that do not change, or, in a program that changes one, objects.

A set whose method changes it, or that stands left of ``|=``, is met when it was made already; so
is a function that is given an attribute. All is staged again then, with what is made inside as
objects that are followed (``RetryPolicy.changed``). So are dicts and sets whose keys are known at
run time only, where nothing else has helped (``Recursions.key``).
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NoReturn

from symdiff.definitions import keyed
from symdiff.errors import UnsupportedSyntaxError
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract, Changed, DictRef, ObjectRef, StaticSet
from symdiff.source import SourceSpan

SETS, FUNCTIONS = "sets", "functions"
_OUTSIDE = {
    SETS: ("changing a set made outside", "change a copy: set(s)"),
    FUNCTIONS: ("an attribute of a function made elsewhere", "keep it in a list or an object"),
}
CHANGING = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)  # what they do to the set on their left


def require_changing(interp: Interpreter, kind: str) -> NoReturn:
    """Have all of a kind followed as objects, where one that does not change is to be changed."""
    if kind in interp.policy.changed:
        raise made_outside(kind)
    raise Changed(kind)


def made_outside(kind: str) -> UnsupportedSyntaxError:
    """What to raise where this program has not made what it changes."""
    message, hint = _OUTSIDE[kind]
    return UnsupportedSyntaxError(message, hint=hint)


def new_set(interp: Interpreter, items: Collection[Abstract]) -> Abstract:
    """A set of known items, made by the program, in the order in which they come."""
    if SETS not in interp.policy.changed:
        return StaticSet(items)
    return set_of(interp, items if isinstance(items, frozenset) else tuple(items))


def set_of(interp: Interpreter, items: Abstract) -> Abstract:
    """A set that is followed as an object."""
    from symdiff.definitions.in_python import changing_set  # by few programs

    return interp.call(changing_set, (items,), {})


def keyed_class(interp: Interpreter, kind: type, place: SourceSpan | None) -> type | None:
    """What is followed for a dict that is made at a place, if it has keys there that are known at
    run time only.
    """
    if place not in interp.policy.changed:
        return None
    return keyed.CLASSES[kind]


def note_unknown_key(interp: Interpreter, place: str | SourceSpan | None) -> None:
    """Note that a key cannot be told of what is made at a place, or of sets."""
    if place is not None:
        interp.policy.recursions.asked.add(place)


def note_unknown_order(interp: Interpreter, place: SourceSpan | None) -> None:
    """Note that it depends on the path in what order a dict has which keys."""
    if place is not None:
        interp.policy.recursions.ordered.add(place)
    note_unknown_key(interp, place)


def require_as_keyed(interp: Interpreter, made: DictRef, other: Abstract) -> None:
    """Have a dict followed as an object where it is filled from one that is."""
    if isinstance(other, ObjectRef) and is_keyed(other.type):
        note_unknown_key(interp, made.made_at)
        raise UnsupportedSyntaxError(
            "a dict with keys that are known at run time only, put into this one",
            hint="make this one inside: by {}, dict(), defaultdict(...) or OrderedDict()",
        )


def is_keyed(kind: type) -> bool:
    """Return whether a class stands for dicts with keys that are known at run time only."""
    return issubclass(kind, keyed.keyed_dict)


def in_any_order(interp: Interpreter, items: Abstract) -> Abstract:
    """The items of a set for what their order does not matter to; anything else as it is."""
    if isinstance(items, ObjectRef) and items.type.__dict__.get("__symdiff_class__") is set:
        return interp.heap.held(items)["_items_of_set"]
    return items


def attributes_of_function(interp: Interpreter) -> ObjectRef | None:
    """What holds the attributes of a new function; None where no function is given any."""
    if FUNCTIONS not in interp.policy.changed:
        return None
    from symdiff.definitions.in_python import function  # by few programs

    return ObjectRef(function)
