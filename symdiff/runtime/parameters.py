"""The parameters of a function, and arguments in their order.

Arguments in *canonical* form are a tuple with one entry a parameter, in order: defaults filled in,
those of ``*args`` a tuple, those of ``**kwargs`` a dict. Everything behind the face works on this
form.

>>> parameters = parameters_of(lambda x, *rest, scale=2.0: x)
>>> parameters.bind((1.0, 2.0, 3.0), {})
(1.0, (2.0, 3.0), 2.0)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError
from symdiff.ir.compiled import own_signature
from symdiff.ir.signature import Path

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


_MISSING = object()


@dataclass(frozen=True, slots=True)
class _Plan:
    """How to bind arguments at once: where those given by name go, and the defaults, of all
    parameters. The first ``positional`` may be given by position; those below ``needed`` have to
    be given.
    """

    places: dict[str, int]
    defaults: list[Any]
    positional: int
    needed: int

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """Arguments in canonical form; None where they do not fit."""
        count = len(args)
        if count > self.positional:
            return None
        found = [*args, *self.defaults[count:]]
        for name, value in kwargs.items():
            place = self.places.get(name, -1)
            if place < count:
                return None
            found[place] = value
        if count < self.needed and any(value is _MISSING for value in found):
            return None
        return tuple(found)


def _planned(signature: inspect.Signature) -> _Plan | None:
    """The plan for a signature; None where it takes any number of arguments."""
    parameters = list(signature.parameters.values())
    if any(p.kind in _VARIADIC for p in parameters):
        return None
    defaults = [_MISSING if p.default is p.empty else p.default for p in parameters]
    return _Plan(
        {p.name: k for k, p in enumerate(parameters) if p.kind is not p.POSITIONAL_ONLY},
        defaults,
        sum(p.kind is not p.KEYWORD_ONLY for p in parameters),
        max((k + 1 for k, value in enumerate(defaults) if value is _MISSING), default=0),
    )


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a function, whose name is ``function``."""

    function: str
    signature: inspect.Signature
    _plan: _Plan | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_plan", _planned(self.signature))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.signature.parameters)

    @property
    def arity(self) -> int:
        """A call of as many positional arguments is canonical; -1 where none is."""
        kinds = [p.kind for p in self.signature.parameters.values()]
        if any(kind in (*_VARIADIC, inspect.Parameter.KEYWORD_ONLY) for kind in kinds):
            return -1
        return len(kinds)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Arguments in canonical form; a ``TypeError`` that says where they do not fit."""
        found = None if self._plan is None else self._plan.bound(args, kwargs)
        if found is not None:
            return found
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            message = f"{self.function}() {_as_python_says(error)}"
            raise SignatureError(message, hint=self._shown()) from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def locate(self, argument: int | str, skip: int = 0) -> Path:
        """The path of a positional argument, by position after the first ``skip``, or by name.

        :raises SignatureError: where there is none.
        """
        if isinstance(argument, str):
            return self._named(argument)
        positional = [
            p for p in self.signature.parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD
        ]
        position = argument + skip if argument >= 0 else argument + len(positional)
        if skip <= position < len(positional):
            return (positional[position].name,)
        for parameter in self.signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL and argument >= 0:
                return parameter.name, position - len(positional)
        raise self._without(f"number {argument}")

    # The tuple of positional arguments that a canonical call stands for

    @property
    def variadic(self) -> str | None:
        """The name of ``*args``."""
        for parameter in self.signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                return parameter.name
        return None

    def flat(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """All arguments but those of ``**kwargs``, in order, those of ``*args`` in their place."""
        flat: list[Any] = []
        for parameter, value in zip(self.signature.parameters.values(), arguments, strict=True):
            if parameter.kind is parameter.VAR_POSITIONAL:
                flat.extend(value)
            elif parameter.kind is not parameter.VAR_KEYWORD:
                flat.append(value)
        return tuple(flat)

    def canonical(self, flat: tuple[Any, ...]) -> tuple[Any, ...]:
        """The canonical call that ``flat`` gave this of."""
        parameters = list(self.signature.parameters.values())
        singles = [p for p in parameters if p.kind not in _VARIADIC]
        rest, found = list(flat), []
        for parameter in parameters:
            if parameter.kind is parameter.VAR_POSITIONAL:
                count = len(flat) - len(singles)
                found.append(tuple(rest[:count]))
                del rest[:count]
            else:
                found.append({} if parameter.kind is parameter.VAR_KEYWORD else rest.pop(0))
        return tuple(found)

    def spread(self, flat: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        """Positional and keyword arguments of the call that ``flat`` stands for."""
        return self.spread_canonical(self.canonical(flat))

    def spread_canonical(self, arguments: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        """Positional and keyword arguments of a call in canonical form."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        pairs = zip(self.signature.parameters.values(), arguments, strict=True)
        for parameter, value in pairs:
            if parameter.kind is parameter.VAR_POSITIONAL:
                args.extend(value)
            elif parameter.kind is parameter.VAR_KEYWORD:
                kwargs.update(value)
            elif parameter.kind is parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = value
            else:
                args.append(value)
        return args, kwargs

    def completed(self, tangents: Any, given: Any, flat: Any) -> Any:
        """Tangents of the arguments ``given``, with None for the defaults that complete these to
        ``flat``.
        """
        if not (type(tangents) is type(flat) is tuple and _fits(given, tangents, flat)):
            return tangents
        return self._completed(tangents, given, flat)

    def _completed(self, tangents: Any, given: Any, flat: Any) -> Any:
        return (*tangents, *(None for _ in flat[len(tangents) :]))

    def slot(self, path: Path, variadic_count: int) -> Path:
        """Where in ``flat`` stands what stands at a path of the arguments."""
        position = 0
        for parameter in self.signature.parameters.values():
            many = parameter.kind is parameter.VAR_POSITIONAL
            if parameter.name == path[0]:
                return (position + path[1], *path[2:]) if many else (position, *path[1:])
            position += variadic_count if many else 1
        raise LookupError(path)

    def value_at(self, arguments: tuple[Any, ...], path: Path) -> Any:
        """What stands at the path of a positional argument."""
        value = arguments[self.names.index(path[0])]
        return value if len(path) == 1 else value[path[1]]

    def _named(self, name: str) -> Path:
        parameters = self.signature.parameters
        if name in parameters:
            return (name,)
        for parameter in parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                return parameter.name, name
        raise self._without(repr(name))

    def _without(self, argument: str) -> SignatureError:
        return SignatureError(f"{self.function}() has no argument {argument}", hint=self._shown())

    def _shown(self) -> str:
        names = ", ".join(self.names)
        return f"its arguments are: {names}" if names else "it has no arguments"


@dataclass(frozen=True, slots=True)
class WithVector(Parameters):
    """The parameters of a function and, after them, a vector: the last positional argument."""

    inner: Parameters

    @classmethod
    def of(cls, inner: Parameters) -> WithVector:
        """``inner`` and a parameter ``v``."""
        name = "v"
        while name in inner.names:
            name += "_"
        last = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
        parameters = list(inner.signature.parameters.values())
        kinds = [p.kind for p in parameters]
        place = kinds.index(_VARIADIC[1]) if _VARIADIC[1] in kinds else len(parameters)
        return cls(
            inner.function,
            inspect.Signature([*parameters[:place], last, *parameters[place:]]),
            inner,
        )

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.inner.names, self._vector)

    @property
    def _vector(self) -> str:
        return next(name for name in self.signature.parameters if name not in self.inner.names)

    @property
    def arity(self) -> int:
        return self.inner.arity + 1 if self.inner.arity >= 0 else -1

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if self._vector in kwargs:
            others = {name: value for name, value in kwargs.items() if name != self._vector}
            return (*self.inner.bind(args, others), kwargs[self._vector])
        if not args:
            raise SignatureError(
                f"{self.function}() missing the vector, its last positional argument",
                hint="give it after the arguments of the function",
            )
        return (*self.inner.bind(args[:-1], kwargs), args[-1])

    def flat(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*self.inner.flat(arguments[:-1]), arguments[-1])

    def canonical(self, flat: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*self.inner.canonical(flat[:-1]), flat[-1])

    def _completed(self, tangents: Any, given: Any, flat: Any) -> Any:
        *others, last = tangents
        return (*self.inner.completed(tuple(others), given[:-1], flat[:-1]), last)

    def slot(self, path: Path, variadic_count: int) -> Path:
        if path[0] == self._vector:
            ending = [
                p for p in self.inner.signature.parameters.values() if p.kind not in _VARIADIC
            ]
            return (len(ending) + variadic_count, *path[1:])
        return self.inner.slot(path, variadic_count)


@dataclass(frozen=True, slots=True)
class WithTangents(Parameters):
    """The primals and tangents of a function with the parameters ``inner``; the first ``skip`` of
    these stand before them.
    """

    inner: Parameters
    skip: int

    @classmethod
    def of(cls, inner: Parameters, skip: int) -> WithTangents:
        """``primals`` and ``tangents`` after the first parameters."""
        names = [*inner.names[:skip], "primals", "tangents"]
        return cls(f"{inner.function}_jvp", positional(names), inner, skip)

    def _completed(self, tangents: Any, given: Any, flat: Any) -> Any:
        parts = zip(tangents[self.skip :], given[self.skip :], flat[self.skip :], strict=True)
        return (*tangents[: self.skip], *(self.inner.completed(*part) for part in parts))


def _fits(given: Any, tangents: Any, flat: Any) -> bool:
    return len(given) <= len(tangents) <= len(flat)


def _as_python_says(error: TypeError) -> str:
    text = str(error)
    return "got " + text if text.startswith("an unexpected") else text


def parameters_of(function: Callable[..., Any]) -> Parameters:
    """The parameters of a function of the user's, of NumPy's, or of a built-in one."""
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(function, np.ufunc):
        count = function.nin
        names = ["x"] if count == 1 else [f"x{k + 1}" for k in range(count)]
        return Parameters(name, positional(names))
    try:
        return Parameters(name, own_signature(function))
    except ValueError:  # a C function that does not tell
        return Parameters(name, inspect.signature(lambda *args: None))


def positional(names: list[str]) -> inspect.Signature:
    """A signature of positional parameters without defaults."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind) for name in names])
