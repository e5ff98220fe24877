"""Statements that check the floats among the arguments of a module's function, and hand other
numbers to programs of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from symdiff.exporting.arguments import number_check, place
from symdiff.exporting.numbers import Numbers, Program, Variant
from symdiff.exporting.spelling import spelled_value
from symdiff.ir.signature import Path, Signature
from symdiff.ir.types import FLOAT

Called = Callable[[Program], Iterator[str]]  # statements that return what a program computes
_NAMES: dict[type, str] = {int: "int", np.float64: "np.float64"}


def dispatched(numbers: Numbers, signature: Signature, called: Called) -> Iterator[str]:
    """Statements that turn ints into floats, and call other programs where numbers are no floats;
    after them all floats are checked.
    """
    for path in numbers.converted:
        if len(path) == 1:
            yield f"if type({path[0]}) is int:"
            yield f"    {path[0]} = float({path[0]})"
    yield from inner_converted("_float", numbers.converted)
    for variant in numbers.variants:
        yield f"if {_test(variant, signature)}:"
        for line in (*_checked_for(variant, numbers, signature), *called(variant.program)):
            yield f"    {line}"
    for path in numbers.floats:
        yield number_check(place(path, signature), FLOAT, numbers.others(path))


def inner_converted(function: str, paths: Sequence[Path]) -> Iterator[str]:
    """Statements that apply a function to the numbers at these paths inside arguments."""
    for name in dict.fromkeys(path[0] for path in paths if len(path) > 1):
        inner = [spelled_value(path[1:]) for path in paths if path[0] == name]
        yield f"{name} = _converted({name}, {function}, {', '.join(inner)})"


def _test(variant: Variant, signature: Signature) -> str:
    kinds = [f"type({place(path, signature)})" for path in variant.paths]
    if variant.some:
        return f"{_NAMES[variant.kind]} in ({', '.join(kinds)})"
    return f"{' is '.join(kinds)} is {_NAMES[variant.kind]}"


def _checked_for(variant: Variant, numbers: Numbers, signature: Signature) -> Iterator[str]:
    """Statements that check what the variant's test does not, and widen the other numbers."""
    kinds = (int, variant.kind) if variant.widened else (variant.kind,)
    for path in numbers.floats:
        if variant.some or path not in variant.paths:
            more = kinds if path in variant.paths else ()
            yield number_check(place(path, signature), FLOAT, numbers.others(path, *more))
    if variant.widened:
        kind = _NAMES[variant.kind]
        names = [str(path[0]) for path in variant.paths if len(path) == 1]
        if names:
            yield f"{', '.join(names)} = {', '.join(f'{kind}({name})' for name in names)}"
        yield from inner_converted(kind, variant.paths)
