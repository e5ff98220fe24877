"""``SYMDIFF_VERIFY=1``: the emitted primal is run beside the user's own function, and everything
compared.

Both get deep copies of the arguments, and find what stands outside the function as it was: what
they change there is put back. Results, changed arguments and what is outside afterwards have to
agree in every bit, dtype, shape and kind, exceptions in their type; a difference is an
``InternalError`` that says where it is.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.definitions.declare import is_constant
from symdiff.errors import InternalError, is_of_a_path
from symdiff.ir.graph import FreeVariable
from symdiff.ir.structure import children, dict_of, is_leaf
from symdiff.runtime.blame import is_refusal
from symdiff.runtime.captured import contents, copied, saved

Arguments = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to: a result or an exception, and the arguments afterwards.

    ``outside``: what stands in variables outside the function afterwards.
    """

    result: Any
    error: Exception | None
    arguments: Arguments
    outside: dict[str, Any] = dataclasses.field(default_factory=dict)


def observer(
    name: str,
    function: Callable[[Arguments], Any],
    emitted: Callable[[Arguments], Any],
    listing: str,
    variables: Sequence[FreeVariable] = (),
) -> Callable[[Arguments], None]:
    """A function of arguments in canonical form that runs both and raises where they differ.

    ``variables`` are those outside the function that it reads or writes.
    """

    def observe(arguments: Arguments) -> None:
        expected = _outcome(function, arguments, variables)
        actual = _outcome(emitted, arguments, variables)
        found = difference_of_outcomes(expected, actual)
        said = actual.error
        if found is not None and said is not None and (is_refusal(said) or is_of_a_path(said)):
            return  # the program says where
        if any(isinstance(one.error, RecursionError) for one in (expected, actual)):
            return  # how deeply calls nest is no part of what is computed
        if found is not None:
            raise InternalError(f"the program emitted for {name} differs: {found}", ir=listing)

    return observe


def _outcome(
    function: Callable[[Arguments], Any], arguments: Arguments, variables: Sequence[FreeVariable]
) -> Outcome:
    known: dict[int, Any] = dict(_copied_arrays(arguments))
    arguments = tuple(copied(argument, known) for argument in arguments)
    put_back = saved(variables)
    result, raised = None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(arguments)
        except Exception as error:
            raised = error
    known = {}
    outside = {name: copied(value, known) for name, value in contents(variables).items()}
    result = copied(result, known)  # what stands outside too is put back
    put_back()
    return Outcome(result, raised, arguments, outside)


def _copied_arrays(arguments: Arguments) -> dict[int, np.ndarray]:
    """Copies of arrays with gaps by the arrays' ids: ``deepcopy`` would close the gaps, and what is
    a view of them would be another.
    """
    copies: dict[int, np.ndarray] = {}
    pending: list[Any] = [arguments]
    while pending:
        value = pending.pop()
        if isinstance(value, np.ndarray) and not value.flags.forc and value.size:
            copies[id(value)] = _laid_out_as(value)
        parts = children(value)
        pending.extend(parts[1] if parts is not None else ())
    return copies


def _laid_out_as(array: np.ndarray) -> np.ndarray:
    """A copy with the strides of an array."""
    low, high = np.lib.array_utils.byte_bounds(array)
    memory = np.zeros(high - low, np.uint8)
    offset = array.ctypes.data - low
    made = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    made[...] = array
    return made


def difference_of_outcomes(expected: Outcome, actual: Outcome) -> str | None:
    """What differs between two calls, in words, or None."""
    if type(expected.error) is not type(actual.error):
        return f"it raised {actual.error!r}, the function {expected.error!r}"
    found = difference(expected.result, actual.result, "the result")
    found = found or difference(expected.arguments, actual.arguments, "arguments after the call")
    for name, value in expected.outside.items():
        shown = f"{name.split(',')[0]} after the call"
        found = found or difference(value, actual.outside.get(name), shown)
    return found


def difference(
    expected: Any, actual: Any, where: str, seen: set[tuple[int, int]] | None = None
) -> str | None:
    """The first place where two nested values differ in a bit, dtype, shape or kind, or None.

    ``seen`` are the pairs that are being compared, by their ids.
    """
    seen = set() if seen is None else seen
    if (id(expected), id(actual)) in seen:
        return None
    if type(expected) is not type(actual):
        kinds = type(actual).__qualname__, type(expected).__qualname__
        return f"{where} is of type {kinds[0]}, not {kinds[1]}"
    if is_leaf(expected):
        return _difference_of_leaves(expected, actual, where)
    if is_constant(expected):  # an object may keep beside itself what was asked of it
        same = expected == actual and repr(expected) == repr(actual)
        return None if same else f"{where} is {actual!r}, not {expected!r}"
    seen.add((id(expected), id(actual)))
    parts, others = children(expected), children(actual)
    if parts is None or others is None:
        return _difference_of_objects(expected, actual, where, seen)
    if parts[0] != others[0]:
        return f"{where} has the keys {others[0]}, not {parts[0]}"
    for key, one, other in zip(parts[0], parts[1], others[1], strict=True):
        found = difference(one, other, f"{where}[{key!r}]", seen)
        if found:
            return found
    return _difference_of_objects(expected, actual, where, seen)


def _difference_of_leaves(expected: Any, actual: Any, where: str) -> str | None:
    one, other = np.asarray(expected), np.asarray(actual)
    if isinstance(expected, int):
        same = expected == actual
    else:
        same = (one.dtype, one.shape) == (other.dtype, other.shape) and _same_bits(one, other)
    return None if same else f"{where} is {actual!r}, not {expected!r}"


def _same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Every bit, except that one NaN is as good as another (its payload is the processor's)."""
    if one.tobytes() == other.tobytes():
        return True
    if one.dtype.kind not in "fc":
        return False
    return all(
        bool(np.all((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)))
        for a, b in ((one.real, other.real), (one.imag, other.imag))
    )


def _difference_of_objects(
    expected: Any, actual: Any, where: str, seen: set[tuple[int, int]]
) -> str | None:
    if isinstance(expected, functools.partial):
        parts = (expected.args, expected.keywords), (actual.args, actual.keywords)
        return difference(*parts, where, seen)
    own = dict_of(expected)
    if expected is actual or own is None or isinstance(expected, FUNCTIONS):
        return None
    return difference(own, dict_of(actual), f"vars({where})", seen)


FUNCTIONS = (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
