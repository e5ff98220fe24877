"""Calls that are not followed: effects in their place.

An opaque call gets what the program holds and gives an object of which nothing is known. A
derivative that reaches it is an error (there is no rule), never a silent zero.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from symdiff.definitions import INSTEAD, OBJECTS, is_definition, object_name
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import FreeVariable, Input, Value
from symdiff.ir.signature import Path, step
from symdiff.ir.structure import Container, Rebuild, native_base
from symdiff.ir.types import FLOAT, INT, OPAQUE, ListType, Type
from symdiff.ops.changing import changing_call
from symdiff.ops.effects import Field, Made, Named, Text, given, opaque_call
from symdiff.ops.keys import Slot
from symdiff.ops.support import holding
from symdiff.parse.blame import users
from symdiff.parse.exceptions import changed_attributes, given_to, is_exception, original
from symdiff.parse.heap import is_array, is_writable
from symdiff.parse.identity import class_of, name_in_messages
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.lookups import MADE_HERE, has_hash, is_key_made_here, is_made_here
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Arguments,
    Array,
    Columns,
    DictRef,
    Keywords,
    ListRef,
    ObjectRef,
    Range,
    StagedText,
    StaticSet,
    Told,
)

RESULTS: dict[Any, Type] = {  # of functions of the standard library that are called as they are
    time.monotonic: FLOAT,
    time.monotonic_ns: INT,
    time.perf_counter: FLOAT,
    time.perf_counter_ns: INT,
    time.process_time: FLOAT,
    time.time: FLOAT,
}
LIBRARY_PREFIXES = ("numpy", "scipy", "sympy", "mpmath", "symdiff")


def is_pure_python(function: types.FunctionType) -> bool:
    """Return whether a function is to be followed: the user's, or a definition, not a library's
    code.

    What wraps a library's function has its name and ``__module__``, and what a library's decorator
    makes of a user's has the user's: it is followed, too.
    """
    if is_definition(function.__globals__):
        return True
    if function.__code__.co_filename.startswith("<"):  # a doctest of a library's, for one
        return True
    modules = (function.__module__ or "", function.__globals__.get("__name__") or "")
    return any(module.split(".")[0] not in LIBRARY_PREFIXES for module in modules)


# Of these modules the functions without a rule are followed: they are made of others in a few
# steps. Elsewhere they iterate: what has converged need not have where it is differentiated.
_FOLLOWED = (
    *("numpy.lib.", "numpy._core.", "numpy.ma.", "numpy.polynomial."),
    *("scipy._lib.", "scipy.cluster.vq", "scipy.constants._constants"),
    *("scipy.fft._pocketfft.helper", "scipy.fftpack."),
    *("scipy.integrate._bvp", "scipy.integrate._quadrature"),
    *(f"scipy.integrate._ivp.{name}" for name in ("base", "common", "rk")),
    *("scipy.interpolate._cubic", "scipy.interpolate._fitpack_py"),
    *("scipy.interpolate._interpolate", "scipy.interpolate._pade", "scipy.interpolate._polyint"),
    *("scipy.linalg._basic", "scipy.linalg._matfuncs", "scipy.linalg._special_matrices"),
    *("scipy.ndimage.", "scipy.optimize._numdiff", "scipy.optimize._optimize.bracket"),
    *("scipy.signal.", "scipy.spatial."),
    *("scipy.sparse._sputils", "scipy.sparse.csgraph._laplacian"),
    "scipy.sparse.linalg._interface",
    "scipy.sparse.linalg._special_sparse_arrays",
    *("scipy.special._basic", "scipy.special._orthogonal", "scipy.special._spherical_bessel"),
    *(
        "scipy.stats._continuous_distns",
        "scipy.stats._covariance",
        "scipy.stats._discrete_distns",
        "scipy.stats._distn_infrastructure",
        "scipy.stats._distribution_infrastructure",
        "scipy.stats._entropy",
        "scipy.stats._finite_differences",
        "scipy.stats._hypotests",
        "scipy.stats._kde",
        "scipy.stats._morestats",
        "scipy.stats._mstats",
        "scipy.stats._new_distributions",
        "scipy.stats._probability_distribution",
        "scipy.stats._qmc",
        "scipy.stats._quantile",
        "scipy.stats._resampling",
        "scipy.stats._sampling",
        "scipy.stats._stats_mstats_common",
        "scipy.stats._variation",
        "scipy.stats.contingency",
    ),
    *("scipy.stats._multivariate", "scipy.stats._stats_py", "scipy.stats._axis_nan_policy"),
    "scipy.stats._warnings_errors",
)


def python_of(function: Any) -> types.FunctionType | None:
    """The Python function that a function of NumPy's or SciPy's is, where that may be followed."""
    python = function
    if not isinstance(function, types.FunctionType):
        python = getattr(function, "__wrapped__", getattr(function, "__func__", function))
    if not isinstance(python, types.FunctionType) or function in INSTEAD:
        return None
    place = f"{python.__globals__.get('__name__', '')}.{python.__qualname__}"
    return python if place.startswith(_FOLLOWED) else None


def is_of_followed_class(value: Any) -> bool:
    """Return whether an object is of one of SciPy's classes whose methods may be followed."""
    owner = type(value)
    place = f"{owner.__module__}.{owner.__qualname__}"
    return place.startswith("scipy.") and place.startswith(_FOLLOWED)


def same_each_time(value: Any) -> Any:
    """A known value that is the same at each call."""
    if is_made_here(value):
        raise _not_passed(value)
    return value


def same_key(key: Any) -> Any:
    """The key of a dict that is the same at each call."""
    if is_key_made_here(key):
        raise _not_passed(key)
    return key


def _not_passed(value: Abstract) -> UnsupportedCallError:
    return UnsupportedCallError(
        f"{describe(value)} is passed to a function that symdiff does not follow",
        hint="pass numbers and arrays, or call it in a symdiff.nondifferentiable function",
    )


class Template:
    """Collects the operands of an effect while its arguments become a static template.

    ``writable`` tells of what is not followed whether it may write the arrays that it is given,
    which are copies: it may keep them. None: it does not keep them.
    """

    def __init__(self, interp: Interpreter, writable: bool | None = None) -> None:
        self.interp = interp
        self.operands: list[Value] = []
        self.writable = writable

    def emit(
        self, op: Callable[..., Any], given: Iterable[Abstract], keywords: Keywords, **more: Any
    ) -> Any:
        """The effect of an op with the arguments of a call."""
        arguments = tuple(map(self.of, given))
        named = tuple((name, self.of(value)) for name, value in keywords.items())
        return op(*self.operands, arguments=arguments, keywords=named, **more)

    def slot(self, value: Value) -> Any:
        kept = self.writable and isinstance(value.type, ListType)
        if kept or (self.writable is not None and is_array(value.type)):
            value = given(value, writable=self.writable)
        self.operands.append(value)
        return Slot(len(self.operands) - 1)

    def of(self, value: Abstract) -> Any:
        """The template of an abstract value."""
        interp = self.interp
        interp.heap.require_array(value)
        if isinstance(value, Value):
            return self.slot(value)
        if isinstance(value, Array):
            return self.slot(interp.heap.read(value))
        if isinstance(value, ListRef | DictRef) and value.own is not None:
            return self._of_users_class(value)
        if isinstance(value, ListRef):
            content = interp.content(value)
            return self.of(content) if isinstance(content, Value) else [self.of(v) for v in content]
        if isinstance(value, tuple):
            return tuple(self.of(item) for item in value)
        if isinstance(value, DictRef):
            content = interp.content(value)
            return {same_key(key): self.of(item) for key, item in content.items()}
        if isinstance(value, StagedText):
            return Text(tuple(self._part(part) for part in value.parts))
        if isinstance(value, Range) or is_exception(value) or _is_drawn_in(value):
            return self._made_again(value)
        unspoken = isinstance(value, Told | ObjectRef | StaticSet)
        unspoken = unspoken or MADE_HERE in getattr(value, "__dict__", ())
        if unspoken or hasattr(value, "staged_attribute"):  # or a derivative of such
            raise _not_passed(value)
        return self.named(same_each_time(value))

    def as_held(self, value: ObjectRef) -> Any:
        """An object of outside, as it is."""
        assert value.path is not None
        held = held_at(self.interp, value.path, value.live)
        return self.slot(held) if isinstance(held, Value) else held

    def _made_again(self, value: Range | ObjectRef) -> Any:
        """A range, or an exception, made of what its class was given; what is outside as it is."""
        if isinstance(value, Range):
            bounds = value.start, value.stop, value.step
            return Made(self.named(range), tuple(map(self.of, bounds)))
        if value.live is not None:
            return self.as_held(value)
        return self.with_changes(value, self._as_its_class_makes_it(value))

    def with_changes(self, error: ObjectRef, made: Any) -> Any:
        """The template of an exception, with what the program has set since its class made it."""
        changed = changed_attributes(self.interp, error)
        cause = self.interp.content((error, "__cause__"))
        if cause is not ABSENT:
            changed["__cause__"] = cause
        if not changed:
            return made
        return Made(self.named(holding), (made, self.of(tuple(changed.items()))))

    def _as_its_class_makes_it(self, value: ObjectRef) -> Any:
        before = original(self.interp, value)
        if before is not None:
            return Made(self.named(copy.copy), (self.named(before),))
        arguments, keywords = given_to(self.interp, value)
        if keywords:
            raise UnsupportedCallError(
                f"a {value.type.__name__} made with keywords, which others are given",
                hint="give its arguments by their positions",
            )
        return Made(self.named(value.type), tuple(self.of(item) for item in arguments))

    def _of_users_class(self, value: ListRef | DictRef) -> Any:
        """A list or a dict of a user's class: the caller's as it is, another one made of items."""
        interp, own = self.interp, value.own
        changed = value in interp.changed or any(ref is own for ref, _ in interp.attributes)
        if value.path is None or changed:
            return self._made(value)
        held = held_at(interp, value.path, None if own is None else own.live)
        return self.slot(held) if isinstance(held, Value) else held

    def _made(self, value: ListRef | DictRef) -> Made:
        interp, kind = self.interp, value.type
        content = interp.content(value)
        beside = any(interp.heap.held(value.own)) if value.own else False
        if beside or isinstance(content, Value | Columns):
            raise UnsupportedCallError(
                f"a {kind.__name__} that is made or changed here is passed to a function that"
                " symdiff does not follow",
                hint=f"pass a {native_base(kind).__name__}, or numbers and arrays",
            )
        keys = tuple(content) if isinstance(content, dict) else tuple(range(len(content)))
        items = content.values() if isinstance(content, dict) else content
        rebuild = Rebuild(Container(kind, keys, ()))
        return Made(Named(rebuild, f"make_{kind.__name__}"), tuple(map(self.of, items)))

    def _part(self, part: Any) -> Any:
        if isinstance(part, str):
            return part
        value, conversion, spec = part
        return Field(self.of(value), conversion, self.of(spec))

    def named(self, value: Any) -> Any:
        name = getattr(value, "__name__", None)
        if callable(value) and isinstance(name, str) and name.isidentifier():
            return Named(value, name)
        return value


def held_at(interp: Interpreter, path: Path, live: Any = None) -> Value | Named:
    """What stands at a path: an argument is taken as it comes, another object is rested on."""
    name = str(getattr(path[-1], "name", path[-1])).replace(".", "_")  # no dotted name
    if not isinstance(path[0], FreeVariable):
        return interp.add_input(Input(path), OPAQUE, name)
    target = live_object(path) if live is None else live
    interp.guard(path, "value", target)
    return Named(target, name if name.isidentifier() else "held")


def live_object(path: Path) -> Any:
    """The user's own object at a path from a free variable."""
    value = path[0].read()
    for key in path[1:]:
        value = step(value, key)
    return value


_MESSAGES = ("debug", "info", "warning", "error", "exception", "critical", "log")
_DRAWS = "matplotlib"


def is_message(function: types.FunctionType) -> bool:
    """Return whether a function only reports: of ``logging``, ``warnings``, what draws, or what
    checks and raises.
    """
    if _package(function) in ("warnings", _DRAWS) or _is_check(function):
        return True
    return function.__module__ == "logging" and function.__name__ in _MESSAGES


def _is_check(function: Any) -> bool:
    """Return whether a function of NumPy's raises where arrays are not as they are to be."""
    if not isinstance(function, types.FunctionType):
        return False
    is_of_tests = function.__globals__.get("__name__") == "numpy.testing._private.utils"
    return is_of_tests and function.__name__ in _CHECKS


_CHECKS = frozenset(
    ("assert_", "assert_allclose", "assert_almost_equal", "assert_approx_equal",
     "assert_array_almost_equal", "assert_array_almost_equal_nulp", "assert_array_equal",
     "assert_array_less", "assert_equal", "assert_string_equal")
)  # fmt: skip


def report(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A message of ``logging``, by a logger of the user's or by the module, or what is drawn.

    A message and a check give None; what is drawn gives an object of which nothing is known.
    """
    owner = arguments[0] if arguments else None
    if isinstance(owner, ObjectRef) and _reports(owner.type):
        if owner.live is None or owner.path is None:
            what = owner.type.__name__.lower()
            raise UnsupportedCallError(
                f"a {what} that is made here", hint="make it outside the function"
            )
        interp.guard(owner.path, "value", owner.live)
        function, arguments = getattr(owner.live, function.__name__), arguments[1:]
    drawn = call_opaque(interp, function, arguments, keywords)
    return drawn if _package(function) == _DRAWS else None


def _reports(cls: type) -> bool:
    """Return whether objects of a class say or draw what they are given."""
    import logging

    return issubclass(cls, logging.Logger) or _package(cls) == _DRAWS


def _is_drawn_in(value: Abstract) -> bool:
    """Return whether this is a figure, or a part of one, that stands outside."""
    known = isinstance(value, ObjectRef) and value.live is not None and value.path is not None
    return known and _package(value.type) == _DRAWS


def _package(value: Any) -> str:
    """The package that a function or a class is of."""
    return (value.__module__ or "").partition(".")[0]


_RULES = (
    'say what it returns, symdiff.nondifferentiable(returns="float64[n]"); where derivatives flow'
    " through it, give it a rule: symdiff.define_rule"
)

_SEED = "give it rng=, a seed or a generator: what it draws from NumPy's own is not followed"


def _draws_unseeded(function: Any, keywords: Keywords) -> bool:
    """Return whether a function that may be followed is not told where its draws come from."""
    if python_of(function) is None or "rng" in keywords:
        return False
    return "rng" in inspect.signature(function).parameters


def call_opaque(
    interp: Interpreter,
    function: Any,
    arguments: Arguments,
    keywords: Keywords,
    type_: Type = OPAQUE,
) -> Abstract:
    """A call that is kept as it is, in its place; ``type_`` is what it is said to return."""
    if not callable(function):
        name = name_in_messages(class_of(interp, function))
        raise users(TypeError(f"'{name}' object is not callable"))
    is_error = isinstance(function, type) and issubclass(function, BaseException)
    if is_library(function) and type_ is OPAQUE and not (is_error or _is_check(function)):
        asked = _asked_for(function)
        hint = INSTEAD.get(asked) or (_SEED if _draws_unseeded(asked, keywords) else _RULES)
        raise UnsupportedCallError(f"symdiff has no rule for {library_name(asked)}", hint=hint)
    if type_ is OPAQUE:
        type_ = _known_result(function)
    template = Template(interp, writable=False)
    named = template.named(function)
    return template.emit(opaque_call, arguments, keywords, function=named, type=type_)


class _Handed(Template):
    """The arguments of a call that may write the arrays among them.

    ``arrays``: those that are handed over, by the numbers of their operands. An array that is not
    to be written, or seen by two names, is given as it is to calls that change nothing.
    """

    def __init__(self, interp: Interpreter, arguments: Arguments) -> None:
        super().__init__(interp, writable=False)
        self.arrays: dict[int, Array] = {}
        self._slots: dict[Array, Any] = {}
        storages = [a.storage for a in dict.fromkeys(_arrays_in(interp, arguments))]
        self._shared = {one for one in storages if storages.count(one) > 1}

    def of(self, value: Abstract) -> Any:
        if not isinstance(value, Array) or not self._is_handed(value):
            return super().of(value)
        if value not in self._slots:
            self.interp.heap.require_array(value)
            self.operands.append(self.interp.heap.read(value))
            self.arrays[len(self.operands) - 1] = value
            self._slots[value] = Slot(len(self.operands) - 1)
        return self._slots[value]

    def _is_handed(self, array: Array) -> bool:
        kept = array.storage in self._shared or array.storage in self.interp.heap.frozen
        return not kept and all(map(is_writable, array.lenses))


def _arrays_in(interp: Interpreter, values: Iterable[Abstract]) -> Iterator[Array]:
    for value in values:
        if isinstance(value, Array):
            yield value
        elif isinstance(value, tuple):
            yield from _arrays_in(interp, value)
        elif isinstance(value, ListRef) and isinstance(content := interp.content(value), tuple):
            yield from _arrays_in(interp, content)


def call_changing(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """A call that is kept as it is, of a function that may write the arrays that it is given."""
    template = _Handed(interp, (*arguments, *keywords.values()))
    known = is_library(function) or not callable(function) or _known_result(function) is not OPAQUE
    if known or not any(_arrays_in(interp, (*arguments, *keywords.values()))):
        return call_opaque(interp, function, arguments, keywords)
    args = tuple(template.of(a) for a in arguments)
    kwargs = tuple((name, template.of(a)) for name, a in keywords.items())
    result, *left = changing_call(
        *template.operands,
        function=template.named(function),
        arguments=args,
        keywords=kwargs,
        arrays=tuple(template.arrays),
    )
    for array, value in zip(template.arrays.values(), left, strict=True):
        interp.heap.write(array, value)
    return result


def _known_result(function: Any) -> Type:
    told = isinstance(function, types.BuiltinFunctionType | types.MethodType)
    return RESULTS.get(function, OPAQUE) if told else OPAQUE


# Functions of these are refused where they have no rule: some change what they are given.
_LIBRARIES = frozenset(
    {"numpy", "scipy", "math", "cmath", "_operator", "operator", "_heapq", "_bisect"}
)


def is_library(function: Any) -> bool:
    module: str = _module(function) or ""
    return module.split(".")[0] in _LIBRARIES


def _module(function: Any) -> Any:
    """Where a function is from; a method that does not tell: where its object's class is."""
    owner = getattr(function, "__self__", None)
    found = getattr(function, "__module__", None)
    return found or type(function if owner is None else owner).__module__


def _asked_for(function: Any) -> Any:
    """What the user has named: the class, where an instance is made or called."""
    owner, _, name = getattr(function, "__qualname__", "").rpartition(".")
    if name in ("__init__", "__call__") and isinstance(function, types.FunctionType):
        return function.__globals__.get(owner, function)
    return type(function) if isinstance(function, np.vectorize) else function


def library_name(function: Any) -> str:
    """A function or class of a library, in full, as users know it."""
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(owner := getattr(function, "__self__", None), np.ufunc):
        return f"{library_name(owner)}.{name}"
    module = _module(function)
    if has_hash(owner) and owner in OBJECTS:
        return f"scipy.stats.{object_name(owner)}.{name}"
    if has_hash(function) and function in OBJECTS:
        return f"scipy.stats.{object_name(function)}"
    if isinstance(function, np.ufunc):  # it does not tell where it is from
        places = ("numpy", "scipy.special")
        found = (p for p in places if getattr(sys.modules.get(p), name, None) is function)
        return ".".join((*found, name))
    packages = itertools.accumulate(module.split("."), "{}.{}".format)
    public = (p for p in packages if getattr(sys.modules.get(p), name, None) is function)
    return f"{next(public, module)}.{name}"
