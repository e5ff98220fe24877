"""The register of definitions."""

from __future__ import annotations

import operator
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NoReturn, TypeVar

from symdiff.errors import UnsupportedCallError

F = TypeVar("F", bound=Callable[..., Any])

DEFINITIONS: dict[Any, FunctionType] = {}
ROUNDED: set[Any] = set()  # functions whose definitions agree with them to rounding only
CHECKS: set[Any] = set()  # functions that raise of what their definitions compute with
INSTEAD: dict[Any, str] = {}  # what to write in place of library callables without a meaning
OBJECTS: set[Any] = set()  # of libraries, whose methods are defined
MADE: dict[Any, FunctionType] = {}  # in no table: what makes objects of classes that are followed,
# and what libraries have under names that are their own
CONSTANTS: list[type] = []  # classes of libraries whose objects nothing changes
WRAPPERS: dict[CodeType, Callable[..., Any]] = {}  # by the code of what libraries' decorators make
STACKED: dict[Any, tuple[tuple[tuple[str, Any], ...], type]] = {}  # what goes over stacks: how many
# axes arguments have of their own, by their names in their order, and what several results are in
PURE: dict[int, Any] = {}  # by ids: what is called while staging, where all arguments are known
INSTANCES: dict[type, tuple[type, Mapping[str, tuple[Any, ...]]]] = {}  # what stands for arrays of
# a class: a class that is followed, and where its attributes are found; ``np.ndarray``: the array
_PACKAGE = __name__.rpartition(".")[0]


class Place:
    """Where the rule of a function stands; None where it has none."""

    __slots__ = ("__name__", "rule")

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.rule: Any = None


def is_constant(value: Any) -> bool:
    """Return whether a value is an object of a library's that nothing changes."""
    return issubclass(type(value), tuple(CONSTANTS))


def declare_pure(*functions: Any) -> None:
    """Register functions of libraries, and classes, that give the same each time."""
    PURE.update((id(function), function) for function in functions)


class Ruled:
    """The functions of others, and the rules that users have given them.

    A function has one place for as long as it lives, on what is in which programs rest.
    """

    def __init__(self) -> None:
        self._weak: weakref.WeakKeyDictionary[Any, Place] = weakref.WeakKeyDictionary()
        self._lasting: dict[Any, Place] = {}  # of what knows no weak references: ufuncs
        self._lock = threading.Lock()

    def place(self, function: Any) -> Place:
        """The place of a function, which has a hash."""
        table: Any = self._weak if type(function).__weakrefoffset__ else self._lasting
        with self._lock:
            if function not in table:
                table[function] = Place(getattr(function, "__name__", "function"))
            found: Place = table[function]
            return found

    def add(self, function: Any, rule: Any, replace: bool) -> bool:
        """Give a function a rule; whether that was done: not where it has one already."""
        place = self.place(function)
        with self._lock:
            if place.rule is not None and not replace:
                return False
            place.rule = rule
            return True

    def remove(self, function: Any, rule: Any) -> None:
        """Take a rule from a function, if it is the one that it has."""
        place = self.place(function)
        with self._lock:
            if place.rule is rule:
                place.rule = None


RULED = Ruled()


def defines(*functions: Any, rounded: bool = False, checks: bool = False) -> Callable[[F], F]:
    """Register what calls of library functions mean.

    :param rounded: the definition's values agree with the function's to rounding, not in every
        bit: where a call is differentiated it stays, for its value, beside the definition.
    :param checks: the function raises of what its definition computes with: a call stays for that
        where nobody wants its value.
    """

    def register(definition: F) -> F:
        for function in functions:
            if function in DEFINITIONS:
                raise ValueError(f"{function} is defined twice")
            DEFINITIONS[function] = definition  # type: ignore[assignment]
            ROUNDED.update([function] if rounded else [])
            CHECKS.update([function] if checks else [])
        return definition

    return register


def defines_inside(function: Any, definition: Any, rounded: bool = False) -> None:
    """Register what a function is that a library has for itself, under a name of its own."""
    MADE[function] = definition
    ROUNDED.update([function] if rounded else [])


def registered(module: Any, *definitions: Callable[..., Any], rounded: bool = False) -> None:
    """Register what the functions of a module mean that have the names of definitions."""
    for definition in definitions:
        function = getattr(module, definition.__name__, None)
        if function is not None:  # of this version of the library
            defines(function, rounded=rounded)(definition)


def object_name(value: Any) -> str:
    """What ``scipy.stats`` calls a distribution: one of several variables does not tell."""
    return getattr(value, "name", type(value).__name__.removesuffix("_gen"))


def refuse(reason: str) -> NoReturn:
    """What a definition does not take, told of the function at the user's call."""
    raise UnsupportedCallError(reason)


def _refuse_staged(stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    stager.refuse(*arguments)


refuse.__symdiff_staged__ = _refuse_staged  # type: ignore[attr-defined]


def is_one_row(rows: Any) -> bool:
    """Return whether an array is one long: what is known of it decides, and no branch is
    emitted.
    """
    return len(rows) == 1


def _is_one_row_staged(stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    length = stager.specification(arguments[0]).shape[0]
    if not isinstance(length, int) and length.open and not length.long:
        refuse("an array that may turn out to be one long")
    return bool(length == 1)


is_one_row.__symdiff_staged__ = _is_one_row_staged  # type: ignore[attr-defined]


def may_be_one_row(rows: Any) -> bool:
    """Return whether it is not known of an array that it is one long, nor that it is not."""
    return False


def _may_be_one_row_staged(
    stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> bool:
    length = stager.specification(arguments[0]).shape[0]
    return not isinstance(length, int) and length.open and not length.long


may_be_one_row.__symdiff_staged__ = _may_be_one_row_staged  # type: ignore[attr-defined]


def is_known_empty(x: Any) -> bool:
    """Return whether an array is known to have no elements: no branch is emitted."""
    return bool(x.size == 0)


def _is_known_empty_staged(
    stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> bool:
    return 0 in stager.specification(arguments[0]).shape


is_known_empty.__symdiff_staged__ = _is_known_empty_staged  # type: ignore[attr-defined]


def is_known(number: Any) -> bool:
    """Return whether a number is known where the definition is followed."""
    return type(number) in (int, float)


def _is_known_staged(stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    return is_known(arguments[0])


is_known.__symdiff_staged__ = _is_known_staged  # type: ignore[attr-defined]


def known_integer(number: Any) -> int:
    """Return a whole number that has to be known where the definition is followed."""
    return operator.index(number)


def is_definition(namespace: Mapping[str, Any]) -> bool:
    """Return whether the functions of a module's namespace are definitions, or help to define."""
    return str(namespace.get("__name__", "")).startswith(f"{_PACKAGE}.")
