"""``@dataclass`` for the compiler's own plain data, cheap to define and to make.

It takes the options of the standard one, and type checkers see that one. What differs is the cost:
the standard decorator generates and compiles the text of up to six methods for each class, which is
a large part of loading a compiler of some 160 classes, and sets the fields of a frozen instance
through ``object.__setattr__``, at four times the cost of an assignment. Here only ``__init__`` is
generated, the other methods are closures, and ``frozen`` is what type checkers hold: it gives
``__hash__``, and an assignment at run time is not refused. Records that users read, of rules, costs
and explanations, are made by the standard one.

>>> @dataclass(frozen=True, slots=True)
... class Point:
...     x: float
...     y: float = 0.0
>>> Point(1.0), Point(1.0) == Point(1.0, 0.0), len({Point(1.0), Point(1.0)})
(Point(x=1.0, y=0.0), True, 1)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

_Class = TypeVar("_Class", bound=type)
_Method = Callable[..., Any]


def _cheap(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, repr: bool = True
) -> Callable[[_Class], _Class]:
    """The decorator of a class: methods that the class has itself stay."""

    def define(cls: _Class) -> _Class:
        own = vars(cls)
        made: Any = dataclasses.dataclass(eq=False, repr=False, slots=slots)(cls)
        fields = dataclasses.fields(made)
        if repr and "__repr__" not in own:
            made.__repr__ = _representation([field.name for field in fields if field.repr])
        if eq:
            values = _values([field.name for field in fields if field.compare])
            if "__eq__" not in own:
                made.__eq__ = _equality(values)
            if own.get("__hash__") is None:  # as of a class that has an ``__eq__`` alone
                made.__hash__ = _hash(values) if frozen else None
        return made  # type: ignore[no-any-return]

    return define


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The function of an instance that gives the values of some fields, always as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda self: ()
    value = attrgetter(names[0])
    return lambda self: (value(self),)


def _equality(values: Callable[[Any], tuple[Any, ...]]) -> _Method:
    def equals(self: Any, other: object) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return equals


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> _Method:
    def hashed(self: Any) -> int:
        return hash(values(self))

    return hashed


def _representation(names: Iterable[str]) -> _Method:
    @recursive_repr()
    def represented(self: Any) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({fields})"

    return represented


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _cheap
