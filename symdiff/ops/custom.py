"""What users write in their programs to steer derivatives: marks, and functions declared to be special.

``stop_gradient``, ``grad_hook`` and ``no_grad`` do nothing when Python runs them; in compiled programs they are
ops. A function under ``custom_vjp``, ``custom_jvp``, ``checkpoint`` or ``nondifferentiable`` runs as it is; what
compiled programs make of it is said by its ``__symdiff_staged__``, a function of the front end (``Stager``)
and the abstract arguments, or by ``ops.rules``, which has the op for functions with rules.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from symdiff.errors import SymdiffError
from symdiff.ir.graph import Graph, Value
from symdiff.ir.signature import Signature, Specification
from symdiff.ir.structure import Structure
from symdiff.ir.types import Type, carries_derivative
from symdiff.ops import effects
from symdiff.ops.declare import lowers

T = TypeVar("T")


class Stager(Protocol):
    """What an object with ``__symdiff_staged__(stager, args, kwargs)`` may ask of the front end.

    Functions and arguments are abstract values, which only the front end looks into.
    """

    def parameters(self, function: Any) -> inspect.Signature:
        """The parameters of a function; defaults are abstract values."""
        ...

    def specification(self, value: Any) -> Specification:
        """What is known of an abstract value; what is no number, array or container is ``Fixed``."""
        ...

    def lifted(self, value: Any) -> Any:
        """The value with its floats staged, so that they can be differentiated by."""
        ...

    def graph(self, function: Any, signature: Signature) -> tuple[Graph, list[Value]]:
        """The graph of a call, and the values of its inputs of origin ``"free"``, in order."""
        ...

    def inline(self, graph: Graph, arguments: dict[str, Any], captured: Sequence[Value]) -> Any:
        """The abstract result of a graph whose argument inputs stand in ``arguments``."""
        ...

    def elements(self, value: Any) -> tuple[Any, ...]:
        """The elements of an abstract tuple or list."""
        ...

    def frozen(self, value: Any) -> Any:
        """The value as it is now, whatever is written to its arrays later."""
        ...

    def leaves(self, arguments: dict[str, Any], paths: Sequence[Any]) -> list[Value]:
        """The values that stand at paths of abstract arguments."""
        ...

    def returned(self, structure: Structure, values: Sequence[Value]) -> Any:
        """The abstract value of a structure with these values at its leaves."""
        ...

    def call(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The abstract result of a call."""
        ...

    def stopped(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The abstract result of a call, without derivative."""
        ...

    def opaque(
        self, function: Any, args: Sequence[Any], kwargs: dict[str, Any], type_: Type | None
    ) -> Any:
        """The abstract result of a call that is not followed, of the type that it is said to have."""
        ...

    def callable(
        self,
        key: Any,
        call: Callable[..., Any],
        attributes: Mapping[str, Callable[[], Any]] | None = None,
    ) -> Any:
        """An abstract value that can be called: ``call(stager, args, kwargs)``; equal keys are equal."""
        ...


# Marks ----------------------------------------------------------------------------------------------


def stop_gradient(x: T) -> T:
    """``x``, through which no derivative flows; a number, an array, or a container of such.

    >>> stop_gradient(2.0)
    2.0
    """
    return x


def grad_hook(x: T, fn: Callable[[Any], Any]) -> T:
    """``x``; in the backward sweep its cotangent becomes ``fn(x_bar)``.

    >>> grad_hook(2.0, print)
    2.0
    """
    return x


@lowers(stop_gradient)
def _stopped(x: Any) -> Any:
    if isinstance(x, tuple | list):
        items = [_stopped(item) for item in x]
        return items if isinstance(x, list) else tuple.__new__(type(x), items)
    if isinstance(x, Value) and carries_derivative(x.type):
        return effects.stop_gradient(x)
    return x


class no_grad:  # noqa: N801 - a class used as a word
    """``with no_grad():`` — what is computed inside has no derivative.

    >>> with no_grad():
    ...     scale = 2.0
    """

    __symdiff_static__ = True

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None


# Functions with a declaration -------------------------------------------------------------------------


class Declared:
    """A function of the user's and what was declared of it; called, it is the function."""

    __symdiff_static__ = True

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function)
        with contextlib.suppress(ValueError):  # a C function may not tell its parameters
            self.__signature__ = inspect.signature(function, follow_wrapped=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self.function, '__name__', self.function)}>"

    def __reduce__(self) -> str:
        return self.__qualname__  # type: ignore[attr-defined,no-any-return]


class checkpoint(Declared):  # noqa: N801 - a class used as a word
    """A function whose intermediate values are computed again in the backward sweep, not saved.

    >>> @checkpoint
    ... def layer(x):
    ...     return x * x
    >>> layer(3.0)
    9.0
    """

    def __symdiff_staged__(self, stager: Stager, args: Sequence[Any], kwargs: Any) -> Any:
        return stager.call(self.function, args, kwargs)


class nondifferentiable(Declared):  # noqa: N801 - a class used as a word
    """A function without effects whose result carries no derivative.

    Where it is Python that can be compiled it is followed; else it is called as it is, and what it
    ``returns`` has to be said as a type where it is computed with: ``"int"``, ``"float64[n]"``.

    >>> @nondifferentiable
    ... def bucket(x):
    ...     return int(x) % 8
    >>> bucket(9.5)
    1
    """

    def __new__(cls, function: Any = None, *, returns: str | None = None) -> Any:
        """Also a decorator with an option."""
        if function is None:
            return functools.partial(cls, returns=returns)
        return super().__new__(cls)

    def __init__(self, function: Callable[..., Any], *, returns: str | None = None) -> None:
        super().__init__(function)
        self.returns = returns


class custom_vjp(Declared):  # noqa: N801 - a class used as a word
    """A function with a reverse rule of the user's (JAX's protocol).

    ``defvjp(fwd, bwd)``: ``fwd`` takes the function's arguments and gives ``(result, residuals)``; ``bwd`` takes
    ``(residuals, cotangent)`` and gives a tuple with a cotangent for each argument, None for none.

    >>> @custom_vjp
    ... def clipped(x):
    ...     return x
    >>> _ = clipped.defvjp(lambda x: (x, None), lambda _, g: (min(g, 1.0),))
    >>> clipped(3.0)
    3.0
    """

    fwd: Callable[..., Any] | None = None
    bwd: Callable[..., Any] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> Self:
        """Declare the rule; gives the function back."""
        self.fwd, self.bwd = fwd, bwd
        return self

    def rule(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """The pair ``fwd``, ``bwd``."""
        if self.fwd is None or self.bwd is None:
            raise SymdiffError(
                f"custom_vjp function {self.__name__!r} has no rule",  # type: ignore[attr-defined]
                hint="declare it: f.defvjp(fwd, bwd)",
            )
        return self.fwd, self.bwd


class custom_jvp(Declared):  # noqa: N801 - a class used as a word
    """A function with a forward rule of the user's (JAX's protocol); reverse mode transposes it.

    ``defjvp(rule)``: ``rule(primals, tangents)`` gives the pair of value and tangent.

    >>> @custom_jvp
    ... def double(x):
    ...     return 2 * x
    >>> _ = double.defjvp(lambda primals, tangents: (2 * primals[0], 2 * tangents[0]))
    >>> double(3.0)
    6.0
    """

    jvp: Callable[..., Any] | None = None

    def defjvp(self, rule: Callable[[Sequence[Any], Sequence[Any]], Any]) -> Callable[..., Any]:
        """Declare the rule; gives it back, so that it can be used as a decorator."""
        self.jvp = rule
        return rule

    def rule(self) -> Callable[..., Any]:
        """The rule."""
        if self.jvp is None:
            raise SymdiffError(
                f"custom_jvp function {self.__name__!r} has no rule",  # type: ignore[attr-defined]
                hint="declare it: f.defjvp(rule)",
            )
        return self.jvp
