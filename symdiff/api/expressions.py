"""Functions that were made from expressions: differentiated like a user's, called directly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdiff.api.objects import Differentiable, made_around


class FromExpression(Differentiable):
    """A function that ``from_sympy`` has made; it pickles as the expression that it computes."""

    _made_from: tuple[Any, ...]

    @classmethod
    def of(cls, expression: Any, args: Sequence[Any], name: str) -> FromExpression:
        """The object around the function of an expression."""
        from symdiff.symbolic import functions_of

        function: Any
        function, called = functions_of(expression, args, name)
        # ``__call__`` is looked up on the class: in one of its own it is the function itself.
        own = type(cls.__name__, (cls,), {"__call__": staticmethod(called), "__slots__": ()})
        made: FromExpression = own(function)
        made._made_from = expression, tuple(args), name
        function.__symdiff_made__ = made
        return made

    def __reduce__(self) -> Any:
        made = made_around(self._function)
        if made is self:
            return FromExpression.of, self._made_from
        return _again, (made, self._bound, self._steps)


def _again(made: FromExpression, bound: tuple[Any, ...], steps: tuple[Any, ...]) -> FromExpression:
    """Return this function with other marks and options."""
    return type(made)(made._function, bound, steps)
