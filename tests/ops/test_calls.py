"""Calls with arguments of every kind: what NumPy and ``math`` take has their value, dtype and kind.

Each lowering is called with draws from a pool of numbers and arrays. Where the function itself
raises anything may be raised, or nothing; where it does not, the call gives the same to the bit, or
is refused by name.
"""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest

from symdiff.definitions.declare import known_integer
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import FUNCTIONS, NeedsStatic
from tests.ops.straightline import same, stage

POOL = {
    "float": 1.5,
    "int": 2,
    "bool": True,
    "complex": 1 + 2j,
    "float64": np.float64(0.7),
    "float32": np.float32(0.7),
    "int32": np.int32(3),
    "0-d": np.array(0.6),
    "vector": np.array([0.5, 0.2, 0.9]),
    "vector of float32": np.array([0.5, 0.2, 0.9], "float32"),
    "vector of int": np.array([1, 2, 3]),
    "vector of bool": np.array([True, False, True]),
    "vector of complex": np.array([1 + 1j, 0.5, 2j]),
    "matrix": np.array([[0.5, 0.2, 0.9], [0.1, 0.4, 0.3], [0.7, 0.6, 0.2]]),
    "row": np.array([[0.5, 0.2, 0.9]]),
    "empty": np.zeros(0),
    "no rows": np.zeros((0, 3)),
    "stack": np.arange(12.0).reshape(2, 2, 3) / 9,
}
MODULES = (
    "ufuncs",
    "reduce",
    "products",
    "einsum",
    "contractions",
    "linalg",
    "decompositions",
    "pseudoinverse",
    "norms",
    "fourier",
    "mathlib",
    "cmathlib",
)
CALLS = {
    f"{getattr(function, '__module__', None) or 'numpy'}.{function.__qualname__}"
    if hasattr(function, "__qualname__")
    else f"numpy.{function.__name__}": (function, lowering)
    for function, lowering in FUNCTIONS.items()
    if lowering.__module__.removeprefix("symdiff.ops.") in MODULES
    and function not in (np.linalg.eig, np.linalg.eigvals)  # which the front end makes real
    and function is not np.result_type  # what it gives is no value
    and function is not known_integer  # which definitions call, of numbers that are known
}
DRAWS = 40
BUGS = (AssertionError, AttributeError, KeyError, RecursionError, NameError)
# These want lists, subscripts, or lengths that are known.
OTHER_ARGUMENTS = {
    "math.dist",
    "math.fsum",
    "math.prod",
    "numpy.cross",
    "numpy.einsum",
    "numpy.select",
    "numpy.tensordot",
}


def draws(name: str, count: int) -> list[tuple[str, ...]]:
    every = list(itertools.product(POOL, repeat=count))
    if len(every) <= DRAWS:
        return every
    rng = np.random.default_rng(list(name.encode()))
    return [every[k] for k in rng.choice(len(every), DRAWS, replace=False)]


def called(function: Any, arguments: list[Any]) -> Any:
    try:
        return function(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments))
    except Exception as error:
        return error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_call_gives_what_the_function_gives(name: str) -> None:
    function, lowering = CALLS[name]
    arity = getattr(function, "nin", None)
    parameters = list(inspect.signature(lowering).parameters)
    most = parameters.index("out") if "out" in parameters else 3  # the front end takes outputs
    agreed = 0
    for count in [arity] if arity else range(1, min(most, 3) + 1):
        for combination in draws(name, count):
            if name.endswith("power") or name.endswith("pow"):  # bool ** 2 is int8, ** 3 is int64
                combination = tuple(c for c in combination if "bool" not in c)
            if name.endswith(
                (".irfft", ".hfft")
            ):  # of no frequencies NumPy makes what memory holds
                combination = tuple(c for c in combination if c != "empty")
            arguments = [POOL[c] for c in combination]
            expected = called(function, arguments)
            agreed += _agrees(lowering, arguments, expected, combination)
    if not isinstance(function, type) and "linalg" not in name and name not in OTHER_ARGUMENTS:
        assert agreed


def _agrees(lowering: Any, arguments: list[Any], expected: Any, combination: Any) -> bool:
    raised = isinstance(expected, Exception)

    def lowered(*operands: Any) -> Any:
        result = lowering(*operands)
        if result is NotImplemented:
            raise UnsupportedCallError("left to a definition")
        return result

    try:
        program = stage(lowered, *arguments)
        if raised:
            return False
        several = isinstance(expected, tuple | list)
        same(program(*arguments), list(expected) if several else [expected])
    except (UnsupportedCallError, NeedsStatic):
        return False
    except Exception as error:
        form = isinstance(error, TypeError) and "positional argument" in str(error)
        if form or (raised and not isinstance(error, BUGS)):
            return False
        raise AssertionError(f"of {combination}: {error}") from error
    return True
