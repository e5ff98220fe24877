"""What is asked of the signatures of functions."""

from __future__ import annotations

import inspect
from typing import Any, NoReturn

from symdiff.definitions.declare import refuse


class Signature:
    """What is asked of ``inspect.signature(function)``."""

    empty = inspect.Signature.empty

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def bind(self, /, *args: Any, **kwargs: Any) -> BoundArguments:
        """Return the arguments of a call by the names of the parameters."""
        return BoundArguments(self, _bound(self.parameters, args, kwargs, False))

    def bind_partial(self, /, *args: Any, **kwargs: Any) -> BoundArguments:
        """Return the same of a call that may leave some out."""
        return BoundArguments(self, _bound(self.parameters, args, kwargs, True))

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"'{name}' of a signature")


class Parameter:
    """What is asked of a parameter of a signature."""

    POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
    POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
    VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
    KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
    VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
    empty = inspect.Parameter.empty

    def __init__(self, name: str, kind: Any, default: Any) -> None:
        self.name = name
        self.kind = kind
        self.default = default

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"'{name}' of a parameter")


class BoundArguments:
    """What is asked of ``signature.bind(...)``."""

    def __init__(self, signature: Signature, arguments: Any) -> None:
        self.signature = signature
        self.arguments = arguments

    def apply_defaults(self) -> None:
        """Take the default of each parameter that was given nothing."""
        made = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                made[name] = self.arguments[name]
            elif parameter.default is not inspect.Parameter.empty:
                made[name] = parameter.default
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                made[name] = ()
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                made[name] = {}
        self.arguments = made

    @property
    def args(self) -> Any:
        """The positional ones: up to the first that is given by its name, or not at all."""
        found: tuple[Any, ...] = ()
        for name, parameter in self.signature.parameters.items():
            if name not in self.arguments or _is_by_name(parameter):
                break
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                found += tuple(self.arguments[name])
            else:
                found += (self.arguments[name],)
        return found

    @property
    def kwargs(self) -> Any:
        """The others."""
        found: dict[str, Any] = {}
        by_name = False
        for name, parameter in self.signature.parameters.items():
            by_name = by_name or name not in self.arguments or _is_by_name(parameter)
            if by_name and name in self.arguments:
                if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                    found.update(self.arguments[name])
                else:
                    found[name] = self.arguments[name]
        return found

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"'{name}' of the arguments of a signature")


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_IN_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_ONE = (inspect.Parameter.POSITIONAL_ONLY, *_NAMED)


def _is_by_name(parameter: Any) -> bool:
    return parameter.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


def _bound(parameters: Any, args: Any, kwargs: Any, may_lack: bool) -> dict[str, Any]:
    """The arguments by the parameters' names, in their order; Python's errors."""
    found: dict[str, Any] = {}
    rest = args
    for name, parameter in parameters.items():
        kind = parameter.kind
        takes_name = kind in _NAMED and name in kwargs
        if kind is inspect.Parameter.VAR_POSITIONAL:
            if rest:
                found[name] = tuple(rest)
            rest = ()
        elif rest and kind in _IN_PLACE:
            if takes_name:
                raise TypeError(f"multiple values for argument {name!r}")
            found[name] = rest[0]
            rest = rest[1:]
        elif takes_name:
            found[name] = kwargs[name]
        elif kind in _ONE and not may_lack and parameter.default is inspect.Parameter.empty:
            raise TypeError(f"missing a required argument: {name!r}")
    if rest:
        raise TypeError("too many positional arguments")
    return found | _more(parameters, kwargs)


def _more(parameters: Any, kwargs: Any) -> dict[str, Any]:
    """What is given by names that no parameter has."""
    named = [name for name, parameter in parameters.items() if parameter.kind in _NAMED]
    others = {name: value for name, value in kwargs.items() if name not in named}
    if not others:
        return {}
    for name, parameter in parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            return {name: others}
    raise TypeError(f"got an unexpected keyword argument {next(iter(others))!r}")


class ArgumentNames:
    """What is asked of ``inspect.getfullargspec(function)``."""

    def __init__(self, args: Any, varargs: Any, varkw: Any, kwonlyargs: Any) -> None:
        self.args = args
        self.varargs = varargs
        self.varkw = varkw
        self.kwonlyargs = kwonlyargs

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"'{name}' of what inspect.getfullargspec gives")
