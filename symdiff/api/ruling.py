"""Rules for functions of others: what ``symdiff.define_rule`` registers."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self, TypeAlias

import numpy as np

from symdiff.definitions import DEFINITIONS, RULED
from symdiff.definitions.libraries import meet
from symdiff.errors import SignatureError
from symdiff.ir.structure import declared
from symdiff.runtime.signature import read_type

Returns: TypeAlias = "str | tuple[str, ...] | Callable[..., Any] | None"
_METHODS = (
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    functools.partial,
)


class Rule:
    """The rule of a function of others, until it is removed; ``with`` removes it at the end."""

    def __init__(
        self,
        function: Callable[..., Any],
        definition: Callable[..., Any] | None,
        jvp: Callable[..., Any] | None,
        vjp: tuple[Callable[..., Any], Callable[..., Any]] | None,
        returns: Returns,
    ) -> None:
        self.function = function
        self.definition = definition
        self.jvp = jvp
        self.vjp = vjp
        self.returns = returns
        self.types = _types(returns)

    @property
    def name(self) -> str:
        """The function's name."""
        return _name(self.function)

    def remove(self) -> None:
        """Take the rule away: programs that rest on it are compiled anew at their next call."""
        RULED.remove(self.function, self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<rule of {self.name}>"

    def __symdiff_staged__(self, stager: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        from symdiff.api.custom import call_ruled

        return call_ruled(stager, self, args, kwargs)


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", None) or repr(function))


def _types(returns: Returns) -> tuple[Any, ...]:
    """The types that texts spell."""
    if returns is None or callable(returns):
        return ()

    texts = (returns,) if isinstance(returns, str) else tuple(returns)
    for text in texts:
        if not isinstance(text, str) or read_type(text) is None:
            raise SignatureError(f"{text!r} is no type", hint="for example 'float64[n]'")
    return tuple(map(read_type, texts))


def registered(rule: Rule, replace: bool) -> Rule:
    """The rule, which its function has from here on.

    :raises SignatureError: where a function of this kind cannot have one, or has one.
    """
    _refuse_others(rule.function)
    _refuse_known(rule.function)
    _refuse_incomplete(rule)
    if not RULED.add(rule.function, rule, replace):
        raise SignatureError(
            f"{rule.name} has a rule already",
            hint="remove that first: define_rule gave an object with .remove(); or replace=True",
        )
    return rule


def _refuse_others(function: Any) -> None:
    """Refuse what is no function of a library."""
    if not callable(function):
        raise SignatureError(
            f"define_rule takes a function, not a {type(function).__name__}",
            hint="give the function itself, not what it returns",
        )
    owner = getattr(function, "__self__", None)
    is_method = owner is not None and not isinstance(owner, types.ModuleType)
    if is_method or isinstance(function, _METHODS):
        raise SignatureError(
            f"define_rule takes functions, and {_name(function)} is a method, or bound",
            hint="call it in a function of your own, with symdiff.custom_vjp or custom_jvp",
        )
    if isinstance(function, type):
        raise SignatureError(f"define_rule takes functions, and {_name(function)} is a class")
    if not isinstance(function, Hashable):
        raise SignatureError(f"define_rule takes functions, and {_name(function)} has no hash")


def _refuse_known(function: Any) -> None:
    """Refuse functions whose derivatives are known."""
    from symdiff.ops.declare import FUNCTIONS, WRITES
    from symdiff.parse.calls import BUILTINS

    meet()
    if any(function in table for table in (BUILTINS, FUNCTIONS, WRITES, DEFINITIONS)):
        raise SignatureError(
            f"symdiff has a rule for {_name(function)}, which stays what it is",
            hint="call it in a function of your own, with symdiff.custom_vjp or custom_jvp",
        )
    own = ("__symdiff_staged__", "__symdiff_called__", "__symdiff_function__")
    if any(declared(function, name) is not None for name in own):
        raise SignatureError(
            f"{_name(function)} is declared by symdiff already",
            hint="a custom_vjp function takes its rule by defvjp, a custom_jvp function by defjvp",
        )


def _refuse_incomplete(rule: Rule) -> None:
    """Refuse rules that say too little, or two things."""
    by_rules = rule.jvp is not None or rule.vjp is not None
    if by_rules == (rule.definition is not None):
        raise SignatureError(
            f"define_rule of {rule.name} takes a definition, or jvp= and vjp=, not "
            + ("both" if by_rules else "neither"),
            hint="for example define_rule(f, jvp=rule, returns='float64[n]')",
        )
    if rule.definition is not None:
        _refuse_definition(rule)
    elif rule.returns is None and not _is_plain_ufunc(rule.function):
        raise SignatureError(
            f"what {rule.name} returns has to be said",
            hint="returns='float64[n]', or a function of the arguments that gives such an array:"
            " returns=lambda x: np.zeros_like(x)",
        )
    _refuse_uncallable(rule)


def _refuse_definition(rule: Rule) -> None:
    if not isinstance(rule.definition, types.FunctionType):
        raise SignatureError(
            f"the definition of {rule.name} is no Python function",
            hint="write it as one: lambda x: np.exp(-x * x)",
        )
    if rule.returns is not None:
        raise SignatureError(
            "returns= belongs to jvp= and vjp=: a definition tells itself what it returns"
        )


def _refuse_uncallable(rule: Rule) -> None:
    if rule.jvp is not None and not callable(rule.jvp):
        raise SignatureError(
            "jvp is a function: (primals, tangents) -> (value, tangent)",
        )
    pair: Any = rule.vjp
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and all(map(callable, pair))
    if pair is not None and not is_pair:
        raise SignatureError(
            "vjp is a pair of functions: (forward, backward)",
            hint="as for custom_vjp: forward(*args) gives (result, residuals), backward(residuals,"
            " cotangent) a tuple with a cotangent for each argument",
        )


def _is_plain_ufunc(function: Any) -> bool:
    return isinstance(function, np.ufunc) and function.signature is None
