"""How a module's functions are called: as what they were made from, with its defaults, keyword-only
parameters, ``*args`` and ``**kwargs``.

A derivative along a vector takes the vector last: ``f_hvp(x, w=2.0, *rest, v)``, which Python has
no words for, is written ``f_hvp(*args, **kwargs)`` and bound inside. The primals of a ``jvp`` may
leave out defaults, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import Parameter
from typing import Any

import numpy as np

from symdiff.exporting.constants import SMALL
from symdiff.exporting.examples import numbers_in
from symdiff.exporting.spelling import Classes, spelled_value
from symdiff.exporting.text import definition_line
from symdiff.ir.signature import Fixed, Nested, Specification
from symdiff.ir.structure import children
from symdiff.ir.types import ArrayType
from symdiff.runtime.parameters import Parameters, WithTangents, WithVector

_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
Texts = Mapping[str, str]  # by the name of a parameter


def listed(
    parameters: Parameters, annotations: Texts, defaults: Texts, constants: Texts
) -> list[str]:
    """The items of a parameter list. ``annotations`` and ``defaults`` are texts by name;
    ``constants`` are the annotations of arrays outside that are parameters too.
    """
    own = list(parameters.signature.parameters.values())
    if _is_bound_inside(parameters, defaults):
        given = (f"{name}: {text}" for name, text in constants.items())
        return ["*args: Any", *given, "**kwargs: Any"]
    if isinstance(parameters, WithVector):
        own = _with_vector(own, parameters.names[-1])
    return _items(own, annotations, defaults, constants)


def _items(
    own: list[Parameter], annotations: Texts, defaults: Texts, constants: Texts
) -> list[str]:
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


def _constants(constants: Texts, own: list[Parameter]) -> Iterator[str]:
    special = any(p.kind is not p.POSITIONAL_OR_KEYWORD or p.default is not p.empty for p in own)
    kinds = (Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY)
    if constants and special and not any(p.kind in kinds for p in own):
        yield "*"
    yield from (f"{name}: {text}" for name, text in constants.items())


def _item(parameter: Parameter, annotation: str, defaults: Texts) -> str:
    stars = ""
    if parameter.kind in _VARIADIC:
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
    default = defaults.get(parameter.name)
    return f"{stars}{parameter.name}: {annotation}" + (f" = {default}" if default else "")


# The vector ---------------------------------------------------------------------------------------


def _with_vector(own: list[Parameter], vector: str) -> list[Parameter]:
    """The vector after what is positional."""
    others = [p for p in own if p.name != vector]
    count = sum(map(_is_positional, others))
    kind = Parameter.POSITIONAL_OR_KEYWORD
    return [*others[:count], Parameter(vector, kind), *others[count:]]


def _is_bound_inside(parameters: Parameters, defaults: Texts) -> bool:
    """Return whether defaults or ``*args`` stand before a vector."""
    if not isinstance(parameters, WithVector):
        return False
    own = parameters.inner.signature.parameters.values()
    positional = any(_is_positional(p) and p.name in defaults for p in own)
    return positional or parameters.variadic is not None


def _is_positional(parameter: Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)


def binding(parameters: Parameters, annotations: Texts, defaults: Texts) -> list[str]:
    """Statements that bind arguments and, after them, a vector, where Python does not."""
    if not isinstance(parameters, WithVector) or not _is_bound_inside(parameters, defaults):
        return []
    inner = parameters.inner
    head = _items(list(inner.signature.parameters.values()), annotations, defaults, {})
    names = ", ".join(inner.names)
    return [
        *definition_line("arguments", head, "Any").splitlines(),
        f"    return {names}{',' if len(inner.names) == 1 else ''}",
        f"{names}, {parameters.names[-1]} = _with_vector({parameters.function!r}, arguments,"
        f" {parameters.names[-1]!r}, args, kwargs)",
    ]


# The primals of a jvp -----------------------------------------------------------------------------


def completing(
    parameters: Parameters, specifications: Mapping[str, Specification], classes: Classes
) -> list[str]:
    """The statement that completes primals by defaults, and their tangents by None: tuples."""
    primals = specifications.get("primals")
    if not isinstance(parameters, WithTangents) or not isinstance(primals, Nested):
        return []
    inner = parameters.inner
    last = isinstance(inner, WithVector)
    own = inner.inner if isinstance(inner, WithVector) else inner
    known = [p for p in own.signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    known = known[parameters.skip :]
    kinds = primals.items[: len(primals.items) - last]
    defaults: list[str] = []
    for parameter, kind in zip(reversed(known), reversed(kinds), strict=False):
        if parameter.default is parameter.empty or not _fits(parameter.default, kind):
            break
        defaults.insert(0, spelled_value(parameter.default, classes))
    texts = f", ({', '.join(defaults)}{',' if len(defaults) == 1 else ''})" if defaults else ""
    given = f"primals, tangents, {len(primals.items)}{texts}{', last=1' if last else ''}"
    return [f"primals, tangents = _completed({given})"]


# Defaults -----------------------------------------------------------------------------------------


def defaults_of(
    parameters: Parameters, specifications: Mapping[str, Specification], classes: Classes
) -> dict[str, str]:
    """The defaults that are of the types that the module was made for, as text by name.

    A positional parameter has one if all after it have.
    """
    found: dict[str, str] = {}
    complete = True
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
    vector = parameters.names[-1] if isinstance(parameters, WithVector) else None
    own = [p for p in parameters.signature.parameters.values() if p.name != vector]
    if all(map(_is_positional, own)):
        return "*arguments"
    positional = [f"arguments[{k}]" for k, p in enumerate(own) if _is_positional(p)]
    positional += [f"*arguments[{k}]" for k, p in enumerate(own) if p.kind is p.VAR_POSITIONAL]
    positional += [] if vector is None else [f"arguments[{len(own)}]"]
    named = [f"{p.name}=arguments[{k}]" for k, p in enumerate(own) if p.kind is p.KEYWORD_ONLY]
    named += [f"**arguments[{k}]" for k, p in enumerate(own) if p.kind is p.VAR_KEYWORD]
    return ", ".join([*positional, *named])
