"""What a program was compiled for, in the user's words: types, and facts that it rests on."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from symdiff.ir.signature import Aspect, Path, Signature, describe, least_long
from symdiff.runtime.entry import Check, is_by_value
from symdiff.runtime.signature import spelled

Facts = Mapping[str, str]  # what of which variable, and the fact


def facts_of(checks: Sequence[Check]) -> dict[str, str]:
    """The facts about variables that a program rests on beside its signature.

    >>> facts_of([Check(("mode",), "value", "fast"), Check(("p", "k"), "absent", None)])
    {'the value of mode': "mode == 'fast'", 'the presence of p.k': 'no p.k'}
    """
    return dict(_fact(check) for check in checks)


def _fact(check: Check) -> tuple[str, str]:
    path, expected = spelled(check.path), check.expected
    if check.kind == "value":
        return f"the value of {path}", f"{path} == {_shown(expected)}"
    if check.kind in ("type", "specification"):
        kind = _shown(expected) if check.kind == "type" else describe(expected)
        return f"the type of {path}", f"{path}: {kind}"
    if check.kind == "same":
        other = spelled(expected)
        return f"whether {path} is {other}", f"{path} is {other}"
    if check.kind == "apart":
        others = ", ".join(spelled(p) for paths in expected for p in paths if p != check.path)
        return f"whether {path} is one of {others}", f"{path} is none of {others}"
    if check.kind == "keys":
        return f"the keys of {path}", f"{path} has {_shown(expected)}"
    if check.kind == "other":
        return f"whether {path} is its default", f"{path} is not its default"
    missing = path if check.kind == "absent" else f"{path}.{expected}"
    return f"the presence of {missing}", f"no {missing}"


def _shown(value: Any) -> str:
    """A value as text: of an object of the user's, which is not asked, its class."""
    if isinstance(value, _NAMED):
        return getattr(value, "__qualname__", value.__name__)
    plain = value is None or is_by_value(value)
    return repr(value) if plain else f"this {type(value).__qualname__}"


_NAMED = (
    type,
    np.ufunc,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
)


def lines_of(name: str, signatures: Sequence[Signature], facts: Sequence[Facts]) -> list[str]:
    """A line for each program; with the facts that tell it apart where types alone do not."""
    lines = [f"{name}({compiled_for(signature)})" for signature in signatures]
    made = []
    for line, own in zip(lines, facts, strict=True):
        others = [known for other, known in zip(lines, facts, strict=True) if other == line]
        differ = [
            fact for key, fact in own.items() if any(known.get(key) != fact for known in others)
        ]
        made.append(f"{line[:-1]}; {', '.join(differ)})" if differ else line)
    return made


def compiled_for(signature: Signature) -> str:
    """The types of a signature, and the values that it fixes."""
    return f"{signature}{_always(signature)}"


def _always(signature: Signature) -> str:
    known = [_said(path, value) for path, value in signature.static]
    known += [f"{spelled(path)} is {spelled(other)}" for path, other in signature.same]
    long = (path for path, is_long in signature.long if is_long)
    known += [f"{spelled(path)} >= {least_long(path)}" for path in long]
    return f"; {', '.join(known)}" if known else ""


def _said(path: Path, value: Any) -> str:
    """A fact that a signature fixes: of two things whether they are one, of one what it is.

    >>> print(_said(("x", Aspect("is", ("y",))), False), _said(("n",), 3), sep=", ")
    x is not y, n == 3
    """
    end = path[-1]
    if isinstance(end, Aspect) and end.kind in ("is", "equal"):
        text = spelled(path)[1:-1]
        return text if value else text.replace(" is ", " is not ", 1)
    if isinstance(end, Aspect) and end.kind == "compared":
        return spelled(path)[1:-1] if value else f"not {spelled(path)}"
    return f"{spelled(path)} == {value!r}"


def what_changes(signatures: Sequence[Signature], facts: Sequence[Facts] = ()) -> str:
    """What differs most often from one program to the next."""
    counts: Counter[str] = Counter()
    for before, after in pairwise(signatures):
        counts.update(_differences(before, after))
    for old, new in pairwise(facts):
        counts.update(key for key in {**old, **new} if old.get(key) != new.get(key))
    return max(counts, key=lambda name: counts[name], default="a variable that it reads")


def _differences(before: Signature, after: Signature) -> list[str]:
    found = []
    old, new = dict(before.static), dict(after.static)
    for path in dict.fromkeys((*old, *new)):
        if old.get(path) != new.get(path):
            found.append(f"the value of {spelled(path)}")
    for (name, one), (_, other) in zip(before.parameters, after.parameters, strict=True):
        if one != other:
            found.append(f"the type of {name}")
    return found
