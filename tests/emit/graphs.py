"""Graphs built by hand for the tests of emission, and what is asked of every emitted program.

A program is right if it gives, bit for bit, what the reference evaluator gives for its graph,
leaves its arguments alone, and returns arrays that are fresh, writable and contiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.emit import Emitted, emit_source
from symdiff.ir.build import Builder, building
from symdiff.ir.control import LoopView, emit_cond, emit_loop
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Input, Value
from symdiff.ir.structure import Container, Leaf, Structure
from symdiff.ir.types import ArrayType, Size, Type
from symdiff.ir.verify import verify
from symdiff.runtime.load import load

VECTOR = ArrayType(np.dtype("float64"), (Size("n"),))
MATRIX = ArrayType(np.dtype("float64"), (Size("n"), Size("m")))


def tuple_of(count: int) -> Structure:
    return Container(tuple, tuple(range(count)), tuple(map(Leaf, range(count))))


def make_graph(
    types: dict[str, Type],
    body: Callable[..., Any],
    *,
    output: Structure | None = None,
    mutated: dict[int, int] | None = None,
    inputs: Sequence[Input] | None = None,
) -> Graph:
    """The graph of a function of values that builds IR."""
    parameters = tuple(Value(type_, name=name) for name, type_ in types.items())
    with building(Builder()) as top:
        given = body(*parameters)
    results = given if isinstance(given, tuple) else (given,)
    shape = output or (tuple_of(len(results)) if isinstance(given, tuple) else Leaf(0))
    chosen = tuple(inputs or (Input((name,)) for name in types))
    graph = Graph("f", Block(parameters, top.nodes, results), chosen, shape, mutated or {})
    verify(graph)
    return graph


def looped(
    count: Value | None,
    starts: dict[str, Value],
    turn: Callable[..., Any],
    *,
    xs: Sequence[Value] = (),
    reverse: bool = False,
    condition: Callable[..., Value] | None = None,
) -> LoopView:
    """A loop whose ``turn(index, *carries, *elements)`` gives next carries and what is pushed."""
    index = Value(INT_TYPE, name="i")
    carries = tuple(Value(v.type, name=name) for name, v in starts.items())
    elements = tuple(Value(tape.type.element, name="e") for tape in xs)  # type: ignore[union-attr]
    with building(Builder()) as inner:
        results = turn(index, *carries, *elements)
    body = Block((index, *carries, *elements), inner.nodes, results)
    test = None
    if condition is not None:
        given = (Value(INT_TYPE), *(Value(v.type) for v in carries))
        with building(Builder()) as head:
            predicate = condition(*given)
        test = Block(given, head.nodes, (predicate,))
    return LoopView(emit_loop(count, tuple(starts.values()), xs, body, test, reverse=reverse))


INT_TYPE = ArrayType(np.dtype("int64"), (), "python")


def branched(predicate: Value, *arms: Callable[[], Any]) -> tuple[Value, ...]:
    """A branch whose arms give tuples of results."""
    blocks = []
    for arm in arms:
        with building(Builder()) as inner:
            results = arm()
        blocks.append(Block((), inner.nodes, tuple(results)))
    return emit_cond(predicate, *blocks).results


def named(value: Value, name: str, role: Any = "primal") -> Value:
    value.name, value.role = name, role
    return value


# What is asked of every program


def body_of(emitted: Emitted) -> str:
    """The text behind the ``def`` line, unindented."""
    return "\n".join(line[4:] for line in emitted.text.splitlines()[1:])


def check(graph: Graph, *arguments: Any) -> Emitted:
    """Emit, run and compare with the evaluator; the emitted program."""
    emitted = emit_source(graph)
    expected = evaluate_graph(graph, copied(arguments))
    given = copied(arguments)
    results = flat(load(emitted)(*given), graph.output)
    for number, result in results.items():
        difference = differs(expected[number], result)
        assert difference is None, f"result {number}: {difference}\n{emitted.text}"
    for before, after in zip(arguments, given, strict=True):
        assert differs(before, after) is None, f"an argument was changed\n{emitted.text}"
    assert_fresh(list(results.values()), given, emitted.text)
    return emitted


def copied(arguments: Sequence[Any]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def flat(value: Any, structure: Structure) -> dict[int, Any]:
    """Results by number from what a program returned."""
    if isinstance(structure, Leaf):
        return {structure.index: value}
    assert isinstance(structure, Container)
    pairs = zip(structure.keys, structure.items, strict=True)
    return {n: v for key, item in pairs for n, v in flat(value[key], item).items()}


def differs(expected: Any, actual: Any) -> str | None:
    """How two values differ in type, dtype, shape or bits; None where they do not."""
    if isinstance(expected, list | tuple):
        pairs = zip(expected, actual, strict=True)
        return next((d for a, b in pairs if (d := differs(a, b)) is not None), None)
    if isinstance(expected, np.ndarray) and isinstance(actual, np.ndarray):
        if (expected.dtype, expected.shape) != (actual.dtype, actual.shape):
            return f"{expected.dtype}{expected.shape} became {actual.dtype}{actual.shape}"
        return None if expected.tobytes() == actual.tobytes() else f"{expected} became {actual}"
    if type(expected) is not type(actual):
        return f"{type(expected)} became {type(actual)}"
    same = np.asarray(expected).tobytes() == np.asarray(actual).tobytes()
    return None if same else f"{expected!r} became {actual!r}"


def assert_fresh(results: Sequence[Any], arguments: Sequence[Any], text: str) -> None:
    arrays = [value for value in results if isinstance(value, np.ndarray)]
    given = [value for value in arguments if isinstance(value, np.ndarray)]
    for number, array in enumerate(arrays):
        assert array.flags.writeable, text
        assert array.flags.c_contiguous, text
        for other in (*arrays[:number], *given):
            assert not np.shares_memory(array, other), text
