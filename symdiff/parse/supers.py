"""``super()``: attributes of the classes after the one that a method stands in."""

from __future__ import annotations

from typing import Any

from symdiff.dataclass import dataclass
from symdiff.parse import lookups
from symdiff.parse.attributes import bind_found, class_attribute
from symdiff.parse.blame import users
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import ABSENT, Abstract


@dataclass(frozen=True, slots=True)
class Super:
    """What ``super()`` gives: ``owner`` is the class that the method was defined in.

    ``instance`` is the method's first argument: an object, or a class in a class's method.
    """

    owner: type
    instance: Abstract
    interp: Interpreter

    def staged_attribute(self, name: str) -> Abstract:
        """``super().name``."""
        of_class = isinstance(self.instance, type) and self.owner in self.instance.__mro__
        kind = self.instance if of_class else class_of(self.interp, self.instance)
        order = kind.__mro__
        lookups.bases_stay(self.interp, kind)
        for cls in order[order.index(self.owner) + 1 :]:
            found = lookups.present_on(self.interp, cls, name)
            if found is not ABSENT:
                lookups.on_class(self.interp, cls, name)
                found = lookups.bound(self.interp, cls, name, found, "'super' object")
                if isinstance(found, classmethod):
                    return bind_found(self.interp, self.instance, kind, found, name)
                if of_class:
                    return class_attribute(self.interp, cls, name)
                return bind_found(self.interp, self.instance, cls, found, name)
            lookups.does_not_define(self.interp, cls, name)
        raise users(AttributeError(f"'super' object has no attribute '{name}'"))


def super_of(interp: Interpreter) -> Super:
    """``super()`` without arguments, inside a method."""
    method = scope = interp.scope
    while "__class__" not in scope.cells:
        if scope.parent is None:
            raise users(RuntimeError("super(): no arguments"))
        method, scope = scope, scope.parent
    if scope.node is not None:  # else it is what stands between a class made here and its methods
        method = scope
    node: Any = method.node
    first = (*node.args.posonlyargs, *node.args.args)[0].arg
    instance = interp.content((method, first))
    return Super(scope.cells["__class__"].cell_contents, instance, interp)
