"""Arguments of a call to parameters, by Python's rules and with its messages."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from typing import Any

from symdiff.errors import UnsupportedCallError
from symdiff.ops.arithmetic import greater
from symdiff.parse import staged_lists
from symdiff.parse.blame import users
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.reflect import container
from symdiff.parse.selecting import refuse_where
from symdiff.parse.spreading import is_spread, preceded, taken_by_position
from symdiff.parse.values import Abstract, Arguments, Closure, Keywords
from symdiff.source import FunctionNode


def bind_arguments(
    interp: Interpreter,
    node: FunctionNode,
    name: str,
    defaults: Mapping[str, Abstract],
    arguments: Arguments,
    keywords: Keywords,
) -> dict[str, Abstract]:
    """The value of each parameter, in the order of their definition, however they are given.

    :param name: the function's, for messages.
    """
    spec = node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    extra: Abstract
    if is_spread(arguments):
        arguments, extra = _spread_out(interp, spec, name, defaults, arguments, keywords)
    else:
        extra = tuple(arguments[len(positional) :])
    bound: dict[str, Abstract] = dict(zip(positional, arguments, strict=False))
    rest = _bind_keywords(spec, name, bound, keywords)
    if spec.vararg is not None:
        bound[spec.vararg.arg] = extra
    elif extra:
        raise users(TypeError(_too_many(spec, name, defaults, len(arguments), bound)))
    _fill(name, "positional", positional, defaults, bound)
    by_name = [a.arg for a in spec.kwonlyargs]
    _fill(name, "keyword-only", by_name, defaults, bound)
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = container(interp, dict, tuple(rest), list(rest.values()), None)
    starred = [each.arg for each in (spec.vararg, spec.kwarg) if each is not None]
    return {each: bound[each] for each in (*positional, *by_name, *starred)}


def _spread_out(
    interp: Interpreter,
    spec: ast.arguments,
    name: str,
    defaults: Mapping[str, Abstract],
    arguments: Arguments,
    keywords: Keywords,
) -> tuple[list[Abstract], Abstract]:
    """The arguments that parameters take of a star, and what ``*args`` takes."""
    *given, spread = arguments
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    if spec.vararg is not None and len(given) >= len(names):
        given, more = given[: len(names)], given[len(names) :]
        spread = preceded(interp, more, spread)
    wanted = [n for n in names[len(given) :] if n not in keywords]
    if any(n in defaults for n in wanted):
        raise UnsupportedCallError(
            f"how many arguments are given is known at run time only, and {name}() has defaults",
            hint="give the list itself, or the arguments by name",
        )
    items, rest = taken_by_position(
        interp, spread, wanted, lambda missing: _missing(name, "positional", missing)
    )
    if spec.vararg is not None:
        return [*given, *items], rest
    count = staged_lists.length(interp.content(rest))
    takes = f"{name}() takes {len(names)} positional argument{'s' * (len(names) != 1)}"
    refuse_where(interp, greater(count, 0), TypeError(f"{takes} but more were given"))
    return [*given, *items], ()


def _bind_keywords(
    spec: ast.arguments, name: str, bound: dict[str, Abstract], keywords: Keywords
) -> Keywords:
    """Bind what is given by name; what there is no parameter for is left over for ``**kwargs``."""
    named = {a.arg for a in (*spec.args, *spec.kwonlyargs)}
    rest: Keywords = {}
    for key, value in keywords.items():
        if key not in named:
            rest[key] = value
        elif key in bound:
            raise users(TypeError(f"{name}() got multiple values for argument '{key}'"))
        else:
            bound[key] = value
    if rest and spec.kwarg is None:
        by_position = [a.arg for a in spec.posonlyargs if a.arg in rest]
        if by_position:
            raise users(
                TypeError(
                    f"{name}() got some positional-only arguments passed as keyword arguments: "
                    f"'{', '.join(by_position)}'"
                )
            )
        raise users(TypeError(f"{name}() got an unexpected keyword argument '{next(iter(rest))}'"))
    return rest


def _fill(
    name: str,
    kind: str,
    parameters: list[str],
    defaults: Mapping[str, Abstract],
    bound: dict[str, Abstract],
) -> None:
    """Give parameters without an argument their defaults."""
    missing = [p for p in parameters if p not in bound and p not in defaults]
    if missing:
        raise users(TypeError(_missing(name, kind, missing)))
    for parameter in parameters:
        if parameter not in bound:
            bound[parameter] = defaults[parameter]


def _missing(name: str, kind: str, missing: list[str]) -> str:
    arguments = "argument" if len(missing) == 1 else "arguments"
    return f"{name}() missing {len(missing)} required {kind} {arguments}: {_listed(missing)}"


def _listed(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


def _too_many(
    spec: ast.arguments,
    name: str,
    defaults: Mapping[str, Abstract],
    given: int,
    bound: dict[str, Abstract],
) -> str:
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    least, most = sum(p not in defaults for p in positional), len(positional)
    takes = f"from {least} to {most}" if least < most else str(most)
    plural = "" if most == 1 and least == most else "s"
    by_name = sum(a.arg in bound for a in spec.kwonlyargs)
    also = ""
    if by_name:
        also = (
            f" positional argument{'' if given == 1 else 's'} "
            f"(and {by_name} keyword-only argument{'' if by_name == 1 else 's'})"
        )
    were = "was" if given == 1 and not by_name else "were"
    return f"{name}() takes {takes} positional argument{plural} but {given}{also} {were} given"


def spread_arguments(
    interp: Interpreter, parameters: inspect.Signature, values: dict[str, Abstract]
) -> tuple[list[Abstract], dict[str, Abstract]]:
    """A call's positional and keyword arguments from one value a parameter."""
    positional: list[Abstract] = []
    keywords: dict[str, Abstract] = {}
    for name, value in values.items():
        kind = parameters.parameters[name].kind if name in parameters.parameters else None
        if kind is inspect.Parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            keywords |= interp.content(value)
        elif kind is inspect.Parameter.KEYWORD_ONLY:
            keywords[name] = value
        else:
            positional.append(value)
    return positional, keywords


def closure_signature(closure: Closure) -> inspect.Signature:
    """The parameters of a function that is defined inside, with its defaults as they are here."""
    spec = closure.node.args
    kinds = inspect.Parameter
    names: list[tuple[str, Any]] = [(a.arg, kinds.POSITIONAL_ONLY) for a in spec.posonlyargs]
    names += [(a.arg, kinds.POSITIONAL_OR_KEYWORD) for a in spec.args]
    count = len(names) - len(closure.defaults)
    found = [
        inspect.Parameter(n, k, default=closure.defaults[i - count] if i >= count else kinds.empty)
        for i, (n, k) in enumerate(names)
    ]
    if spec.vararg is not None:
        found.append(inspect.Parameter(spec.vararg.arg, kinds.VAR_POSITIONAL))
    for a in spec.kwonlyargs:
        default = closure.keyword_defaults.get(a.arg, kinds.empty)
        found.append(inspect.Parameter(a.arg, kinds.KEYWORD_ONLY, default=default))
    if spec.kwarg is not None:
        found.append(inspect.Parameter(spec.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(found)
