"""How a module's functions are called: as what they were made from, with its defaults, keyword-only
parameters, ``*args`` and ``**kwargs``.

A derivative along a vector takes the vector last: ``f_hvp(x, *rest, v)`` is written ``f_hvp(x,
*rest)`` and parted inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import Parameter
from typing import Any

import numpy as np

from symdiff.exporting.constants import SMALL, numbers_in
from symdiff.exporting.spelling import Classes, spelled_value
from symdiff.ir.signature import Fixed, Nested, Specification
from symdiff.ir.structure import children
from symdiff.ir.types import ArrayType
from symdiff.runtime.parameters import Parameters, WithVector

_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def listed(
    parameters: Parameters,
    annotations: Mapping[str, str],
    defaults: Mapping[str, str],
    constants: Mapping[str, str],
) -> list[str]:
    """The items of a parameter list. ``annotations`` and ``defaults`` are texts by name;
    ``constants`` are the annotations of arrays outside that are parameters too.
    """
    own = list(parameters.signature.parameters.values())
    vector = _vector(parameters)
    if vector is not None:
        own = _with_vector(parameters, own, vector)
    found: list[str] = []
    for k, parameter in enumerate(own):
        before, after = own[k - 1] if k else None, own[k + 1] if k + 1 < len(own) else None
        if parameter.kind is parameter.KEYWORD_ONLY and not _parted(before):
            found.append("*")
        if parameter.kind is parameter.VAR_KEYWORD:
            found += _constants(constants, own)
        found.append(_item(parameter, annotations[parameter.name], defaults))
        last_alone = after is None or after.kind is not parameter.POSITIONAL_ONLY
        if parameter.kind is parameter.POSITIONAL_ONLY and last_alone:
            found.append("/")
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in own):
        found += _constants(constants, own)
    return found


def _parted(before: Parameter | None) -> bool:
    """True if what stands before makes a parameter keyword-only."""
    return before is not None and before.kind in (Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY)


def _constants(constants: Mapping[str, str], own: list[Parameter]) -> Iterator[str]:
    special = any(p.kind is not p.POSITIONAL_OR_KEYWORD or p.default is not p.empty for p in own)
    kinds = (Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY)
    if constants and special and not any(p.kind in kinds for p in own):
        yield "*"
    yield from (f"{name}: {text}" for name, text in constants.items())


def _item(parameter: Parameter, annotation: str, defaults: Mapping[str, str]) -> str:
    stars = ""
    if parameter.kind in _VARIADIC:
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
    default = defaults.get(parameter.name)
    return f"{stars}{parameter.name}: {annotation}" + (f" = {default}" if default else "")


# The vector ---------------------------------------------------------------------------------------


def _vector(parameters: Parameters) -> str | None:
    return parameters.names[-1] if isinstance(parameters, WithVector) else None


def _with_vector(parameters: Parameters, own: list[Parameter], vector: str) -> list[Parameter]:
    """The vector after what is positional; among ``*args`` where there are such."""
    others = [p.replace(default=p.empty) if _is_positional(p) else p for p in own]
    others = [p for p in others if p.name != vector]
    if parameters.variadic is not None:
        return others
    count = sum(map(_is_positional, others))
    kind = Parameter.POSITIONAL_OR_KEYWORD
    return [*others[:count], Parameter(vector, kind), *others[count:]]


def _is_positional(parameter: Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)


def parting(parameters: Parameters) -> list[str]:
    """Statements that take the vector from ``*args``."""
    vector, rest = _vector(parameters), parameters.variadic
    if vector is None or rest is None:
        return []
    said = f"{parameters.function}() missing the vector, its last positional argument"
    return [
        f"if not {rest}:",
        f"    raise TypeError({said!r})",
        f"{rest}, {vector} = {rest}[:-1], {rest}[-1]",
    ]


# Defaults -----------------------------------------------------------------------------------------


def defaults_of(
    parameters: Parameters, specifications: Mapping[str, Specification], classes: Classes
) -> dict[str, str]:
    """The defaults that are of the types that the module was made for, as text by name.

    A positional parameter has one if all after it have.
    """
    found: dict[str, str] = {}
    complete = not isinstance(parameters, WithVector)
    for parameter in reversed(list(parameters.signature.parameters.values())):
        fits = parameter.default is not parameter.empty and _fits(
            parameter.default, specifications[parameter.name]
        )
        if _is_positional(parameter):
            fits = complete = fits and complete
        if fits:
            found[parameter.name] = spelled_value(parameter.default, classes)
    return found


def _fits(value: Any, specification: Specification) -> bool:
    if isinstance(specification, Fixed):
        return type(value) is specification.type and bool(value == specification.value)
    if isinstance(specification, Nested):
        parts = children(value)
        if parts is None or type(value) is not specification.type or parts[0] != specification.keys:
            return False
        return all(map(_fits, parts[1], specification.items))
    return isinstance(specification, ArrayType) and _is_of(value, specification)


def _is_of(value: Any, type_: ArrayType) -> bool:
    if type_.kind == "python":
        kinds = {"f": (float, int), "i": (int,), "b": (bool,), "c": (complex,)}
        return type(value) in kinds[type_.dtype.kind]
    wanted = np.ndarray if type_.kind == "array" else type_.dtype.type
    alike = type(value) is wanted and value.dtype == type_.dtype and value.ndim == type_.rank
    return alike and numbers_in(value) <= SMALL


# The call -----------------------------------------------------------------------------------------


def spread(parameters: Parameters) -> str:
    """The arguments of a call, from the canonical tuple ``arguments``."""
    own = [p for p in parameters.signature.parameters.values() if p.name != _vector(parameters)]
    if all(map(_is_positional, own)):
        return "*arguments"
    positional = [f"arguments[{k}]" for k, p in enumerate(own) if _is_positional(p)]
    positional += [f"*arguments[{k}]" for k, p in enumerate(own) if p.kind is p.VAR_POSITIONAL]
    positional += [] if _vector(parameters) is None else [f"arguments[{len(own)}]"]
    named = [f"{p.name}=arguments[{k}]" for k, p in enumerate(own) if p.kind is p.KEYWORD_ONLY]
    named += [f"**arguments[{k}]" for k, p in enumerate(own) if p.kind is p.VAR_KEYWORD]
    return ", ".join([*positional, *named])
