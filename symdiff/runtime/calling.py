"""Calling the user's function with canonical arguments, and following paths into arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.errors import SignatureError
from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import Path, step
from symdiff.ir.structure import flatten
from symdiff.runtime.parameters import Parameters
from symdiff.runtime.signature import types_spelled


def call_with(
    function: Callable[..., Any], parameters: Parameters, arguments: tuple[Any, ...]
) -> Any:
    """``function`` called with arguments in canonical form."""
    args, kwargs = parameters.spread_canonical(arguments)
    return function(*args, **kwargs)


@contextlib.contextmanager
def arrays_kept(arguments: tuple[Any, ...]) -> Iterator[None]:
    """Give the arrays among arguments, and in their containers, back what they held."""
    found = [leaf for leaf in flatten(arguments)[0] if isinstance(leaf, np.ndarray)]
    before = [(array, array.copy()) for array in found if array.flags.writeable]
    try:
        yield
    finally:
        for array, content in before:
            array[...] = content


@contextlib.contextmanager
def telling_of_types(arguments: tuple[Any, ...]) -> Iterator[None]:
    """Tell of arguments that are text that spells a type, where values are needed.

    :raises SignatureError: instead of what the function raises, where one spells an array's type;
        to another exception, as for ``"int"``, which may be meant as text, a note is added.
    """
    try:
        yield
    except Exception as error:
        texts = types_spelled(arguments)
        arrays = [text for text in texts if "[" in text]
        told = f"{', '.join(map(repr, arrays or texts))} is text here: this runs the function"
        takers = "source, graph, explain, sympy and export take types as text"
        if arrays:
            raise SignatureError(
                f"{told}, which needs values", hint=f"pass arrays; {takers}"
            ) from None
        if texts:
            error.add_note(f"{told}, which needs values; {takers}")
        raise


@contextlib.contextmanager
def telling_of_floats(differentiated: Mapping[str, float]) -> Iterator[None]:
    """Tell of arguments that are whole numbers, and floats since derivatives by them are asked for,
    where the function needs an integer: a note is added to what it raises.
    """
    try:
        yield
    except (TypeError, IndexError) as error:
        whole = [f"{name}={x}" for name, x in differentiated.items() if x.is_integer()]
        if whole and "integer" in str(error):
            error.add_note(
                f"{', '.join(whole)}: what a derivative is asked by is a float, and an integer has"
                " none; give None as its tangent, or leave it out of argnums"
            )
        raise


def follow(path: Path, names: Sequence[str], arguments: Sequence[Any]) -> Any:
    """What stands at a path of the arguments, or from a free variable."""
    first, *rest = path
    is_free = isinstance(first, FreeVariable)
    value = first.read() if is_free else arguments[list(names).index(first)]
    for key in rest:
        value = step(value, key)
    return value
