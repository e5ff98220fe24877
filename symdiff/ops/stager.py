"""How symdiff's own objects and the front end work together on programs that use them.

An object that stands in a compiled program and has ``__symdiff_staged__(stager, args, kwargs)``
says itself what a call of it means; a class says it with ``__symdiff_called__``. Neither sees the
front end but as a ``Stager``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NoReturn, Protocol

from symdiff.ir.graph import Graph, Value
from symdiff.ir.signature import Signature, Specification
from symdiff.ir.structure import Structure
from symdiff.ir.types import Type


class Stager(Protocol):
    """What may be asked of the front end.

    Functions and arguments are abstract values, which only the front end looks into.
    """

    def parameters(self, function: Any) -> inspect.Signature:
        """The parameters of a function; defaults are abstract values."""
        ...

    def specification(self, value: Any) -> Specification:
        """What is known of an abstract value; what holds no numbers is ``Fixed``."""
        ...

    def memory_order(self, value: Any) -> str | None:
        """Whether an abstract array fills its memory, by rows (``C``) or by columns (``F``)."""
        ...

    def fills_memory(self, value: Any, order: Literal["C", "F"]) -> bool:
        """Return whether an abstract array, which has elements, fills its memory in an order."""
        ...

    def is_writeable(self, value: Any) -> bool | None:
        """Return whether an abstract array can be written; None where only a run tells."""
        ...

    def is_length(self, number: Any) -> bool:
        """Return whether an abstract whole number is known not to be negative."""
        ...

    def is_one(self, length: Any) -> Any:
        """Whether an abstract length is 1: False where it is known to be more."""
        ...

    def lies_in(self, array: Any, made: Any) -> None:
        """Note that an array lies in the memory of another one: either is lost when the other is
        written.
        """
        ...

    def lifted(self, value: Any) -> Any:
        """The value with its floats staged, so that they can be differentiated by."""
        ...

    def graph(
        self, function: Any, signature: Signature, finals: bool = False, marked: bool = False
    ) -> tuple[Graph, list[Value]]:
        """The graph of a call, and the values of its inputs of origin ``"free"``, in order.

        With ``finals`` it returns ``(result, {name: final value})`` and writes nothing. Where it is
        ``marked``, names in it have marks as they have outside.
        """
        ...

    def shared(self, result: Any, given: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Where parts of a result may be what was given, or what lies outside of a staged graph:
        the path in the result with the number of what was given, or what it is outside.
        """
        ...

    def related(self, result: Any, shared: Sequence[tuple[Any, Any]], given: Sequence[Any]) -> None:
        """Note that parts of a result may be others, with other derivatives, as ``shared`` says:
        where one is written, the other is not known any more.
        """
        ...

    def inline(self, graph: Graph, arguments: dict[str, Any], captured: Sequence[Value]) -> Any:
        """The abstract result of a graph whose argument inputs stand in ``arguments``."""
        ...

    def inlined(
        self, graph: Graph, arguments: dict[str, Any], captured: Sequence[Value]
    ) -> list[Value]:
        """Like ``inline``, but returns the values of the results, without their structure."""
        ...

    def elements(self, value: Any) -> tuple[Any, ...]:
        """The elements of an abstract tuple or list."""
        ...

    def parts(self, value: Any) -> tuple[type, tuple[Any, ...], tuple[Any, ...]] | None:
        """Type, keys and items of an abstract container; None of anything else."""
        ...

    def container(self, kind: type, keys: tuple[Any, ...], items: Sequence[Any]) -> Any:
        """A new abstract container."""
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

    def refuse(self, reason: str) -> NoReturn:
        """Refuse what a definition does not take; where a condition decides that whose value can be
        fixed, ask for it first.
        """
        ...

    def no_grad(self) -> Any:
        """The abstract context manager in which nothing has a derivative."""
        ...

    def call(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The abstract result of a call."""
        ...

    def without_derivative(self, value: Any) -> Any:
        """The value, through which no derivative flows."""
        ...

    def stopped(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The abstract result of a call, without derivative; opaque where it cannot be followed."""
        ...

    def opaque(
        self, function: Any, args: Sequence[Any], kwargs: dict[str, Any], type_: Type | None
    ) -> Any:
        """The abstract result of a call that is not followed, of the type it is said to have."""
        ...

    def held(self, instance: Any) -> Any:
        """An object of outside as it is, for calls that stay calls."""
        raise NotImplementedError

    def asked(self, instance: Any, method: str, *parts: Any) -> Any:
        """A part of what a method of an object of outside tells, which is asked nothing more."""
        raise NotImplementedError

    def foreign(
        self,
        function: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        output: Structure,
        types: tuple[Type, ...],
        told: bool,
    ) -> Any:
        """The abstract result, of this structure and of these types, of a call that is not followed
        and only computes; the types are checked where they are ``told`` by a user.
        """
        ...

    def defined(
        self, function: Any, definition: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """The abstract result of a call of a library function, by a function that defines it."""
        ...

    def followed(self, callback: Any, own: Any, args: Any, count: int = 1) -> Any:
        """An abstract function as a solver of a library calls it: ``callback(*own, *args)``, which
        gives so many numbers or arrays.
        """
        ...

    def solver(self, function: str, *given: Any) -> Any:
        """The abstract value that a solver finds: see ``parse.solving``."""
        ...

    def valued(self, made: Any, value: Any) -> Any:
        """The abstract value, with the derivative of what was made of its parts."""
        ...

    def strong_multiply(self, value: Any, factor: Any) -> Any:
        """The abstract product, 0 where the value is 0 whatever the factor is, as are derivatives
        by the value.
        """
        ...

    def solution(self, rule: str, *given: Any) -> Any:
        """The abstract value that a solver has found, with its derivatives."""
        ...

    def require(self, condition: Value, message: str) -> None:
        """End the program with a ``TypeError`` where a condition does not hold."""
        ...

    def within(self, declared: Any) -> AbstractContextManager[None]:
        """While the rule of a function of the user's is staged."""
        ...

    def is_within(self, declared: Any, times: int = 1) -> bool:
        """Return whether the rule of a function is being staged, and in it again, so many times."""
        ...

    def callable(
        self,
        key: Any,
        call: Callable[..., Any],
        attributes: Mapping[str, Callable[[], Any]] | None = None,
    ) -> Any:
        """An abstract value that can be called: ``call(stager, args, kwargs)``; equal keys are
        equal.
        """
        ...
