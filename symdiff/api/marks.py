"""What users write in their programs to steer derivatives: marks, and functions declared to be
special.

``stop_gradient``, ``grad_hook`` and ``no_grad`` do nothing when Python runs them, and a function
under ``custom_vjp``, ``custom_jvp``, ``checkpoint`` or ``nondifferentiable`` runs as it is. What
compiled programs make of them stands in ``api.inside`` and ``api.rules``, which are loaded when a
program is compiled.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal, Self, TypeAlias, TypeVar

from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError, SymdiffError
from symdiff.runtime.parameters import parameters_of

T = TypeVar("T")
Every: TypeAlias = 'int | tuple[int, ...] | Literal["sqrt"]'
Budget: TypeAlias = 'int | Literal["log"]'
F = TypeVar("F", bound=Callable[..., Any])


def staged_by(handler: str) -> Callable[[F], F]:
    """Let compiled programs call ``handler``, ``"module.function"`` of this package, for a
    function.

    It is given a ``Stager`` and the abstract arguments of the call.
    """

    def mark(function: F) -> F:
        def staged(stager: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            return _handler(handler)(stager, *args, **kwargs)

        setattr(function, "__symdiff_staged__", staged)  # noqa: B010 - functions have no such field
        return function

    return mark


def _handler(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(".")
    found: Callable[..., Any] = getattr(import_module(f"symdiff.api.{module}"), function)
    return found


# Marks --------------------------------------------------------------------------------------------


@staged_by("inside.stop_gradient")
def stop_gradient(x: T) -> T:
    """``x``, through which no derivative flows; a number, an array, or a container of such.

    >>> stop_gradient(2.0)
    2.0
    """
    return x


@staged_by("custom.call_grad_hook")
def grad_hook(x: T, fn: Callable[[Any], Any]) -> T:
    """``x``; in the backward sweep its cotangent becomes ``fn(x_bar)``.

    >>> grad_hook(2.0, print)
    2.0
    """
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

    @staticmethod
    def __symdiff_called__(stager: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return stager.no_grad()


# Functions with a declaration ---------------------------------------------------------------------


class Declared:
    """A function of the user's and what was declared of it; called, it is the function."""

    __symdiff_static__ = True
    __symdiff_handler__ = ""

    def __init__(self, function: Any) -> None:
        if not callable(function):
            word = type(self).__name__
            raise SignatureError(
                f"{word} is of a function, not of a value of type {type(function).__name__}",
                hint=f"write @{word} above the function, or {word}(f)(x)",
            )
        own = isinstance(function, Declared)  # what is declared of it is not declared of this
        functools.update_wrapper(self, function, updated=() if own else ("__dict__",))
        self.function = function
        self.__signature__ = parameters_of(function).signature

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def __reduce__(self) -> str:
        return self.__qualname__  # type: ignore[attr-defined,no-any-return]

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __symdiff_staged__(self, stager: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return _handler(self.__symdiff_handler__)(stager, self, args, kwargs)


class checkpoint(Declared):  # noqa: N801 - a class used as a word
    """A function whose intermediate values are computed again in the backward sweep, not saved.

    :param every: cut the function's loops, ``for`` and ``while``, into segments of so many turns,
        and save at their beginnings what the loop carries: of n turns the backward sweep then holds
        n / every + every, for one more run of the loop. ``"sqrt"``: segments of about √n turns,
        memory of about 2√n. Falling numbers, ``(400, 20)``, cut segments into segments again:
        n / 400 + 400 / 20 + 20, for two more runs. What is outside of loops is saved as without
        ``checkpoint``. Loops inside loops are not cut. In reverse mode of reverse mode all turns
        are saved again.
    :param budget: hold at most so many beginnings of turns of each of the function's loops at once,
        or about log₂ n of n turns, ``"log"``. The backward sweep runs turns again, as few as that
        can be done with (Griewank & Walther 2000): with b held, C(b + r, r) turns at most r times
        each, 5000 turns 5 times with b = 11. In reverse mode of reverse mode all turns are saved.
    :raises ValueError: for an ``every`` or a ``budget`` that is none of these, and for both.
    :raises UnsupportedCallError: when a derivative is compiled of a function with ``every`` or
        ``budget`` that has no loop over numbers and arrays that keep their shapes.

    >>> @checkpoint
    ... def layer(x):
    ...     return x * x
    >>> layer(3.0)
    9.0
    >>> @checkpoint(budget="log")
    ... def march(u, n):
    ...     for _ in range(n):
    ...         u = u + 0.1 * u * u
    ...     return u
    """

    __symdiff_handler__ = "custom.call_checkpoint"

    @staticmethod
    def __symdiff_called__(stager: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return _handler("custom.checkpointed")(stager, *args, **kwargs)

    def __new__(
        cls, function: Any = None, *, every: Every | None = None, budget: Budget | None = None
    ) -> Any:
        """The declared function; a decorator where there is none yet."""
        Cuts.of(every, budget)
        if function is None:
            return functools.partial(cls, every=every, budget=budget)
        return super().__new__(cls)

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        every: Every | None = None,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(function)
        self.cuts = Cuts.of(every, budget)


_MOST_LEVELS = 12  # Python nests 20 blocks at most


@dataclass(frozen=True, slots=True)
class Cuts:
    """How a checkpoint cuts loops: into segments, or by how much is held at once."""

    word: Literal["every", "budget"]
    given: Any

    def __str__(self) -> str:
        return f"{self.word}={self.given!r}"

    @classmethod
    def of(cls, every: Any, budget: Any) -> Cuts | None:
        """What a checkpoint is told, or None if that is nothing.

        :raises ValueError: where it is none that there is.
        """
        if every is not None and budget is not None:
            raise ValueError("a checkpoint has every, or a budget, not both")
        if every is not None:
            _check_every(every)
            return cls("every", every)
        if budget is None:
            return None
        if budget != "log" and not _is_count(budget):
            raise ValueError(f"budget is a number of turns, 1 at least, or 'log', not {budget!r}")
        return cls("budget", budget)


def _check_every(every: Any) -> None:
    numbers = every if isinstance(every, tuple) else (every,)
    are_counts = all(map(_is_count, numbers))
    falling = all(map(operator.gt, numbers, numbers[1:])) if are_counts else False
    if not (falling and 0 < len(numbers) <= _MOST_LEVELS) and every != "sqrt":
        raise ValueError(
            f"every is a number of turns, 1 at least, a tuple of up to {_MOST_LEVELS} falling ones,"
            f" or 'sqrt', not {every!r}"
        )


def _is_count(number: Any) -> bool:
    return type(number) is int and number > 0


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

    __symdiff_handler__ = "custom.call_nondifferentiable"

    @staticmethod
    def __symdiff_called__(stager: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return _handler("custom.without_derivative")(stager, *args, **kwargs)

    def __new__(cls, function: Any = None, *, returns: str | None = None) -> Any:
        """The declared function; a decorator where there is none yet."""
        if function is None:
            return functools.partial(cls, returns=returns)
        return super().__new__(cls)

    def __init__(self, function: Callable[..., Any], *, returns: str | None = None) -> None:
        super().__init__(function)
        self.returns = returns


class custom_vjp(Declared):  # noqa: N801 - a class used as a word
    """A function with a reverse rule of the user's (JAX's protocol).

    ``defvjp(fwd, bwd)``: ``fwd`` takes the function's arguments and gives ``(result, residuals)``;
    ``bwd`` takes ``(residuals, cotangent)`` and gives a tuple with a cotangent for each argument,
    None for none.

    >>> @custom_vjp
    ... def clipped(x):
    ...     return x
    >>> _ = clipped.defvjp(lambda x: (x, None), lambda _, g: (min(g, 1.0),))
    >>> clipped(3.0)
    3.0
    """

    __symdiff_handler__ = "custom.call_custom_vjp"

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
                f"custom_vjp function {self.name!r} has no rule",
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

    __symdiff_handler__ = "custom.call_custom_jvp"

    jvp: Callable[..., Any] | None = None

    def defjvp(self, rule: Callable[[Sequence[Any], Sequence[Any]], Any]) -> Callable[..., Any]:
        """Declare the rule; gives it back, so that it can be used as a decorator."""
        self.jvp = rule
        return rule

    def rule(self) -> Callable[..., Any]:
        """The rule."""
        if self.jvp is None:
            raise SymdiffError(
                f"custom_jvp function {self.name!r} has no rule",
                hint="declare it: f.defjvp(rule)",
            )
        return self.jvp
