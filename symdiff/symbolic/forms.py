"""The closed form of a compiled call: symbols for its inputs, expressions for what it returns.

A number ``x`` is the symbol ``x``, real or integer by its dtype; an array ``x`` of known size is
indexed, ``x[0, 1]``. What stands in containers or outside the function has the name by which
Python reaches it. Integers on which loops or sizes depend count with the value they have in the
call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.differentiate import require_one_structure
from symdiff.errors import SignatureError, UnsupportedCallError
from symdiff.ir.called import with_called
from symdiff.ir.signature import Path
from symdiff.ir.structure import Container, Structure, unflatten
from symdiff.ir.types import ArrayType, ListType, Type
from symdiff.ops.defined import opened
from symdiff.pipeline import Derived
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import TypeText, read_type, spelled
from symdiff.symbolic.evaluate import Needed, expressions_of
from symdiff.symbolic.numbers import exact


def closed_form(derived: Derived, arguments: Sequence[Any]) -> Any:
    """What a program returns as expressions, structured as its result.

    An array is a SymPy ``Array``, of rank 2 a ``Matrix``; a number is an expression.

    :param arguments: the normalised call; texts may stand for types of known sizes.
    :raises SignatureError: for an array whose size is not known.
    :raises UnsupportedCallError: for what has no closed form, with its line.
    """
    require_one_structure(derived.graph, "closed form")
    inputs = _Inputs(derived, arguments)
    graph = with_called(derived.graph, opened)
    while True:
        try:
            results = expressions_of(graph, inputs.expressions(), inputs.integers)
        except Needed as needed:
            inputs.fix(needed.symbols)
            continue
        return unflatten(_of_plain_containers(graph.output), [_shown(r) for r in results])


class _Inputs:
    """The symbols of a graph's inputs."""

    def __init__(self, derived: Derived, arguments: Sequence[Any]) -> None:
        names = [name for name, _ in derived.signature.parameters]
        self.integers: dict[Any, Any] = {}  # symbols of integers, and their values in the call
        self.fixed: dict[Any, Any] = {}
        self.found = [
            self.symbols(value.type, source.path, follow(source.path, names, arguments))
            for source, value in zip(
                derived.graph.inputs, derived.graph.block.parameters, strict=True
            )
        ]

    def expressions(self) -> list[Any]:
        """What stands for the inputs; integers that were asked for as their values."""
        return [_replaced(one, self.fixed) for one in self.found]

    def fix(self, symbols: Iterable[Any]) -> None:
        for symbol in symbols:
            self.fixed[symbol] = exact(self.integers.pop(symbol))

    def symbols(self, type_: Type, path: Path, given: Any) -> Any:
        if isinstance(type_, ListType) and isinstance(given, list | tuple):
            return [self.symbols(type_.element, (*path, k), item) for k, item in enumerate(given)]
        if not isinstance(type_, ArrayType):
            raise UnsupportedCallError(f"{spelled(path)}, of {type_}, has no closed form")
        if type_.rank:
            return self.entries(type_, path, given)
        symbol = _symbol(spelled(path), type_)
        if type_.dtype.kind in "biu" and not isinstance(given, TypeText):
            self.integers[symbol] = given.item() if hasattr(given, "item") else given
        return symbol

    def entries(self, type_: ArrayType, path: Path, given: Any) -> Any:
        import sympy as sp

        shape = _sizes(type_, path, given)
        base = sp.IndexedBase(spelled(path), shape=shape, **_assumed(type_))
        array = np.empty(shape, dtype=object)
        for place in np.ndindex(*shape):
            array[place] = base[place]
        if type_.dtype.kind in "biu" and isinstance(given, np.ndarray):
            self.integers.update(zip(array.flat, given.flat, strict=True))
        return array


def _assumed(type_: ArrayType) -> dict[str, bool]:
    return {
        "f": {"real": True},
        "i": {"integer": True},
        "u": {"integer": True, "nonnegative": True},
        "c": {"complex": True},
    }.get(type_.dtype.kind, {})


def _symbol(name: str, type_: ArrayType) -> Any:
    import sympy as sp

    return sp.Symbol(name, **_assumed(type_))


def _sizes(type_: ArrayType, path: Path, given: Any) -> tuple[int, ...]:
    shape = np.shape(given) if not isinstance(given, TypeText) else ()
    text = read_type(given) if isinstance(given, TypeText) else None
    if text is not None:
        shape = tuple(dim for dim in text.shape if isinstance(dim, int))
    if len(shape) != type_.rank:
        raise SignatureError(
            f"a closed form needs the size of {spelled(path)}",
            hint="give an array, or numbers as sizes: float64[3,2]",
        )
    return tuple(int(n) for n in shape)


def _replaced(expression: Any, fixed: dict[Any, Any]) -> Any:
    if isinstance(expression, list):
        return [_replaced(item, fixed) for item in expression]
    if not isinstance(expression, np.ndarray):
        return fixed.get(expression, expression)
    array = expression.copy()
    for place, entry in np.ndenumerate(expression):
        array[place] = fixed.get(entry, entry)
    return array


# What is shown ------------------------------------------------------------------------------------


def _shown(result: Any) -> Any:
    import sympy as sp

    if isinstance(result, list | tuple):
        return type(result)(_shown(item) for item in result)
    if not isinstance(result, np.ndarray):
        return result
    if result.ndim == 2:
        return sp.ImmutableMatrix(*result.shape, list(result.flat))
    return sp.ImmutableDenseNDimArray(list(result.flat), result.shape)


def _of_plain_containers(structure: Structure) -> Structure:
    """Containers of the user's classes hold numbers: expressions stand in dicts and tuples."""
    if not isinstance(structure, Container):
        return structure
    items = tuple(map(_of_plain_containers, structure.items))
    named = not issubclass(structure.type, list | tuple) or hasattr(structure.type, "_fields")
    return Container(dict if named else structure.type, structure.keys, items)


def latex_of(form: Any) -> str:
    """A closed form as LaTeX; containers as SymPy writes them."""
    import sympy as sp

    text: str = sp.latex(form)
    return text
