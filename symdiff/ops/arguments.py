"""Which of the arguments that a library documents its callables take here.

Both sides are read from signatures, the library's own and that of the lowering or definition. These
name what they follow, in any order: what only the library knows is refused by name where it is
called, unless it is the default or only saves time or memory.
"""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from inspect import Parameter
from typing import Any

import numpy as np

from symdiff.errors import is_rejection, rejection

_UFUNC = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True,
          "signature": None, "sig": None}  # fmt: skip
_GENERALIZED = {"axes": np._NoValue, "axis": np._NoValue, "keepdims": False}
_OVERWRITES = {f"overwrite_{name}" for name in ("a", "b", "ab", "a_band", "x", "data", "input")}
_SAVING = frozenset({"check_finite", "workers"} | _OVERWRITES)  # time or memory, not in the result
_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


_WITHOUT_SIGNATURE: dict[Any, Callable[..., None]] = {  # what Python does not tell of its own
    bool: lambda x=False, /: None,
    set: lambda iterable=(), /: None,
    frozenset: lambda iterable=(), /: None,
    dict: lambda items=(), /, **more: None,
    collections.OrderedDict: lambda items=(), /, **more: None,
    collections.defaultdict: lambda factory=None, items=(), /, **more: None,
    range: lambda start, stop=0, step=1, /: None,
    slice: lambda start, stop=None, step=None, /: None,
    zip: lambda *iterables, strict=False: None,
    map: lambda function, iterable, /, *iterables: None,
    filter: lambda function, iterable, /: None,
    iter: lambda iterable, sentinel=None, /: None,
    next: lambda iterator, default=None, /: None,
    type: lambda value, bases=(), names=None, /, **more: None,
    getattr: lambda value, name, default=None, /: None,
    vars: lambda value=None, /: None,
    functools.reduce: lambda function, iterable, start=None, /: None,
    functools.partial: lambda function, /, *arguments, **more: None,
    itertools.islice: lambda iterable, start, stop=None, step=None, /: None,
    itertools.repeat: lambda object, times=None: None,
    operator.itemgetter: lambda item, /, *items: None,
    operator.attrgetter: lambda name, /, *names: None,
    object.__new__: lambda cls, /, *arguments, **more: None,
    math.log: lambda x, base=math.e, /: None,
}


@functools.cache
def documented(function: Callable[..., Any]) -> Mapping[str, Parameter] | None:
    """A callable's parameters by name; None where it does not tell them.

    >>> list(documented(np.full))
    ['shape', 'fill_value', 'dtype', 'order', 'device', 'like']
    """
    if isinstance(function, np.ufunc):
        return _of_ufunc(function)
    try:
        return inspect.signature(_WITHOUT_SIGNATURE.get(function, function)).parameters
    except (ValueError, TypeError):
        return None


def _of_ufunc(function: np.ufunc) -> dict[str, Parameter]:
    operands = ["x"] if function.nin == 1 else [f"x{k + 1}" for k in range(function.nin)]
    options = dict(_UFUNC)
    if function.signature is not None:
        del options["where"]
        options |= _GENERALIZED
    made = [
        *(Parameter(name, Parameter.POSITIONAL_ONLY) for name in operands),
        Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=None),
        *(Parameter(n, Parameter.KEYWORD_ONLY, default=v) for n, v in options.items()),
    ]
    return {parameter.name: parameter for parameter in made}


@functools.cache
def untaken(
    function: Callable[..., Any], meaning: Callable[..., Any], *, out: bool = False
) -> Mapping[str, Any]:
    """What a callable documents and its lowering or definition has no parameter for: the defaults.

    ``out`` tells that an array to write to is taken without one, as it is where there is
    a lowering.
    """
    known = documented(function)
    own = inspect.signature(meaning).parameters
    if known is None or any(p.kind is Parameter.VAR_KEYWORD for p in own.values()):
        return {}
    places = sum(p.kind in _BY_POSITION for p in own.values())
    if any(p.kind is Parameter.VAR_POSITIONAL for p in own.values()):
        places = len(known)
    return {
        name: parameter.default
        for place, (name, parameter) in enumerate(known.items())
        if name not in own
        and name not in _SAVING
        and not (name == "out" and out)
        and not _is_given_otherwise(parameter, place, places)
    }


def _is_given_otherwise(parameter: Parameter, place: int, places: int) -> bool:
    """Return whether a parameter is a place, not a name, or stands for any number of them."""
    required = parameter.default is Parameter.empty
    if parameter.kind in _BY_POSITION and (required or parameter.kind is _BY_POSITION[0]):
        return place < places
    return parameter.kind in _VARIADIC


@functools.cache
def places(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of what may be given by position, in order."""
    known = documented(function) or {}
    return tuple(name for name, p in known.items() if p.kind in _BY_POSITION)


def bound(
    function: Callable[..., Any],
    meaning: Callable[..., Any],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    *,
    out: bool = False,
) -> tuple[Sequence[Any], dict[str, Any]]:
    """Arguments of a library's function by the parameters of its meaning, without any others.

    An array to write to is given by its name, where ``out`` tells that it is taken.
    """
    by_place, own, dropped, gathers = _parameters(function, meaning, out)
    names = places(function)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for place, value in enumerate(arguments):
        name = names[place] if place < len(names) else ""
        if name in dropped:
            continue
        moved = name in own and by_place.get(name) != len(positional)
        if moved or (name not in own and (name == "out" or (gathers and name))):
            named[name] = value
        else:
            positional.append(value)
    return positional, named | {n: v for n, v in keywords.items() if n not in dropped}


@functools.cache
def _parameters(
    function: Callable[..., Any], meaning: Callable[..., Any], out: bool
) -> tuple[Mapping[str, int], Set[str], Set[str], bool]:
    """Places and names of a meaning's own parameters, what it is not given, and whether it gathers
    what it does not name.
    """
    parameters = inspect.signature(meaning).parameters
    kinds = {p.kind for p in parameters.values()}
    own = {name for name, p in parameters.items() if p.kind not in _VARIADIC}
    by_place = [name for name, p in parameters.items() if p.kind in _BY_POSITION]
    takes_any = Parameter.VAR_KEYWORD in kinds
    saving = set() if takes_any else _SAVING & (documented(function) or {}).keys() - own
    dropped = untaken(function, meaning, out=out).keys() | saving
    gathers = takes_any and Parameter.VAR_POSITIONAL not in kinds
    return {name: k for k, name in enumerate(by_place)}, own, dropped, gathers


def without_overwriting(
    function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call that leaves all of them as they are.

    >>> import scipy.linalg
    >>> without_overwriting(scipy.linalg.inv, ["a", True], {"check_finite": False})
    (['a', False], {'check_finite': False})
    """
    names = list(documented(function) or ())
    if not _OVERWRITES.intersection(names):
        return list(arguments), dict(keywords)
    kept = [
        False if name in _OVERWRITES else given
        for name, given in itertools.zip_longest(names[: len(arguments)], arguments)
    ]
    return kept, {name: given for name, given in keywords.items() if name not in _OVERWRITES}


def misplaced(
    function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> TypeError | None:
    """What a callable of Python's own or of a library's raises where its arguments do not fit its
    parameters, whatever they are; None where they do, or where it does not tell its parameters.

    >>> misplaced(range, [], {})
    TypeError('range expected at least 1 argument, got 0')
    >>> misplaced(range, [2.0], {})
    """
    if hasattr(function, "__wrapped__"):  # its signature is that of what it stands for
        return None
    signature = _signature(function)
    if signature is None:
        return None
    try:
        signature.bind(*arguments, **keywords)
    except TypeError:
        return _words(function, len(arguments), tuple(keywords))
    return None


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a callable; None of one that NumPy leaves open: ``add.reduce(array, axis=0,
    dtype=None, out=None, **kwargs)`` takes more by position.
    """
    known = documented(function)
    if known is None or (function not in _WITHOUT_SIGNATURE and _is_open(known)):
        return None
    return inspect.Signature(list(known.values()))


def _is_open(parameters: Mapping[str, Parameter]) -> bool:
    return any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())


def _words(function: Callable[..., Any], count: int, names: tuple[str, ...]) -> TypeError | None:
    """What a callable says of so many arguments, and of these keywords."""
    try:
        function(*[None] * count, **dict.fromkeys(names))
    except TypeError as error:
        return error if "argument" in str(error) else None
    except Exception:
        return None
    return None


def applied(meaning: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
    """``meaning(*arguments, **keywords)``, which rejects arguments that it has no place for."""
    try:
        return meaning(*arguments, **keywords)
    except TypeError as error:
        if is_rejection(error) or _fit(meaning, arguments, keywords):
            raise
        raise rejection(TypeError, "it takes no such arguments here") from error


def _fit(meaning: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    try:
        inspect.signature(meaning).bind(*arguments, **keywords)
    except TypeError:
        return False
    return True
