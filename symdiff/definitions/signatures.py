"""What is asked of the signatures of functions."""

from __future__ import annotations

from typing import Any, NoReturn

from symdiff.definitions.declare import refuse


class Signature:
    """What is asked of ``inspect.signature(function)``."""

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"'{name}' of a signature")


class Parameter:
    """What is asked of a parameter of a signature."""

    def __init__(self, name: str, kind: Any, default: Any) -> None:
        self.name = name
        self.kind = kind
        self.default = default

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"'{name}' of a parameter")


class ArgumentNames:
    """What is asked of ``inspect.getfullargspec(function)``."""

    def __init__(self, args: Any, varargs: Any, varkw: Any, kwonlyargs: Any) -> None:
        self.args = args
        self.varargs = varargs
        self.varkw = varkw
        self.kwonlyargs = kwonlyargs

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"'{name}' of what inspect.getfullargspec gives")
