"""``super()``: attributes of the classes after the one that a method stands in."""

from __future__ import annotations

from dataclasses import dataclass

from symdiff.parse import lookups
from symdiff.parse.attributes import bind_found
from symdiff.parse.blame import users
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract, ObjectRef, Scope


@dataclass(frozen=True, slots=True)
class Super:
    """What ``super()`` gives: ``owner`` is the class that the method was defined in."""

    owner: type
    instance: ObjectRef
    interp: Interpreter

    def staged_attribute(self, name: str) -> Abstract:
        """``super().name``."""
        order = self.instance.type.__mro__
        lookups.bases_stay(self.interp, self.instance.type)
        for cls in order[order.index(self.owner) + 1 :]:
            if name in cls.__dict__:
                found = lookups.on_class(self.interp, cls, name)
                return bind_found(self.interp, self.instance, cls, found, name)
            lookups.does_not_define(self.interp, cls, name)
        raise users(AttributeError(f"'super' object has no attribute '{name}'"))


def super_of(interp: Interpreter) -> Super:
    """``super()`` without arguments, inside a method."""
    scope: Scope | None = interp.scope
    while scope is not None and "__class__" not in scope.cells:
        scope = scope.parent
    if scope is None:
        raise users(RuntimeError("super(): no arguments"))
    arguments = interp.frame.source.tree.args
    first = (*arguments.posonlyargs, *arguments.args)[0].arg
    instance = interp.content((scope, first))
    return Super(scope.cells["__class__"].cell_contents, instance, interp)
