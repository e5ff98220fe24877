"""What the tests of the front end share: a function's graph, evaluated, beside the function itself.

``follows(f, a, b)`` stages ``f`` for the call ``f(a)`` and for ``f(b)``, evaluates the graphs by
their reference meaning, and compares result, exception and what is written to the arguments with
what Python does.
"""

import copy
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from symdiff.errors import CertainError, SymdiffError
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.structure import unflatten
from symdiff.ir.verify import verify
from symdiff.pipeline import staged_at
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import signature_of

Arguments = tuple[Any, ...]


def follows(function: Callable[..., Any], *calls: Any) -> None:
    """The staged function does what Python does, at each of the calls (a tuple, or one value)."""
    for call in calls:
        arguments = call if isinstance(call, tuple) else (call,)
        assert_same(staged(function, arguments), in_python(function, arguments), "outcome")


def in_python(function: Callable[..., Any], arguments: Arguments) -> Any:
    """What the function gives, or raises, and the arguments afterwards."""
    given = copy.deepcopy(arguments)
    try:
        with np.errstate(all="ignore"):
            result = function(*given)
    except Exception as error:
        return type(error), str(error)
    return result, given


def staged(function: Callable[..., Any], arguments: Arguments) -> Any:
    """The same by way of the graph."""
    given = copy.deepcopy(arguments)
    bound = inspect.signature(function).bind(*given).arguments
    names, canonical = list(bound), tuple(bound.values())
    try:
        made, _ = staged_at(function, signature_of(names, canonical), canonical)
        graph = made.graph
        verify(graph)
        values = [copy.deepcopy(follow(source.path, names, canonical)) for source in graph.inputs]
        with np.errstate(all="ignore"):
            results = evaluate_graph(graph, values)
    except CertainError as error:
        return type(error.__cause__), str(error.__cause__)
    except SymdiffError:
        raise
    except Exception as error:
        return type(error), str(error)
    for number, final in graph.mutated.items():
        np.copyto(follow(graph.inputs[number].path, names, canonical), results[final])
    return unflatten(graph.output, results), given


def assert_same(made: Any, expected: Any, where: str) -> None:
    """Equal in structure, types, dtypes, shapes and bits; NaN equals NaN."""
    assert type(made) is type(expected), f"{where}: {made!r} is not {expected!r}"
    if isinstance(expected, dict):
        assert list(made) == list(expected), where
        for key in expected:
            assert_same(made[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, list | tuple):
        assert len(made) == len(expected), f"{where}: {made!r} is not {expected!r}"
        for k, (one, other) in enumerate(zip(made, expected, strict=True)):
            assert_same(one, other, f"{where}[{k}]")
    elif is_dataclass(expected) and not isinstance(expected, type):
        for field in fields(expected):
            name = field.name
            assert_same(getattr(made, name), getattr(expected, name), f"{where}.{name}")
    elif isinstance(expected, np.ndarray | np.generic | float | complex):
        one, other = np.asarray(made), np.asarray(expected)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), f"{where}: {one!r}, {other!r}"
        assert one.tobytes() == other.tobytes() or np.array_equal(one, other, equal_nan=True), (
            f"{where}: {made!r} is not {expected!r}"
        )
    elif callable(expected):
        assert made is expected, where
    else:
        assert made == expected, f"{where}: {made!r} is not {expected!r}"
