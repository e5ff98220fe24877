"""Contents are taken apart into structure and leaves, and built anew around other leaves."""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any

from symdiff.ir.build import building
from symdiff.ir.structure import Container, Leaf, Static
from symdiff.parse.heap import constant
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.trees import contents_within, flatten, parts_of, same_structure, unflatten
from symdiff.parse.values import Array, DictRef, ListRef

Pair = namedtuple("Pair", ["left", "right"])


def nested(interp: Interpreter) -> tuple[Any, list[Any]]:
    """A dict of a list and a named tuple, and its numbers in order."""
    numbers = [constant(1.0), constant(2.0), constant(3.0)]
    items, whole = ListRef(), DictRef()
    interp.put(items, (numbers[0], "name"))
    interp.put(whole, {"items": items, "pair": Pair(numbers[1], (numbers[2],))})
    return whole, numbers


def flattened(interp: Interpreter, content: Any) -> tuple[Any, list[Any]]:
    known = {id(value) for node in interp.entry.nodes for value in node.results}
    return flatten(content, lambda c: id(c) in known, functools.partial(parts_of, interp.heap))


def test_structure_names_containers_keys_and_static_parts() -> None:
    interp = Interpreter()
    with building(interp.entry):
        whole, numbers = nested(interp)
        structure, leaves = flattened(interp, whole)
    assert leaves == numbers
    items = Container(list, (0, 1), (Leaf(0), Static("name")))
    pair = Container(Pair, ("left", "right"), (Leaf(1), Container(tuple, (0,), (Leaf(2),))))
    assert structure == Container(dict, ("items", "pair"), (items, pair))


def test_what_is_built_anew_has_the_same_structure_and_other_leaves() -> None:
    interp = Interpreter()
    with building(interp.entry):
        whole, _ = nested(interp)
        structure, _ = flattened(interp, whole)
        others = [constant(4.0), constant(5.0), constant(6.0)]
        made: list[Any] = []
        again = unflatten(interp, structure, others.__getitem__, made.append)
        second, leaves = flattened(interp, again)
    assert again is not whole
    assert again is made[-1]
    assert leaves == others
    assert same_structure(structure, second)
    assert not same_structure(structure, second.items[0])


def test_contents_within_looks_behind_handles_once() -> None:
    interp = Interpreter()
    with building(interp.entry):
        value = constant(1.0)
        array = interp.heap.allocate(value)
        ref = ListRef()
        interp.put(ref, (array, 2))
        interp.put(ref, (array, ref, 2))  # a list that holds itself
        found = list(contents_within(interp.heap, (ref, ref)))
    assert isinstance(array, Array)
    assert found.count(ref) == 3
    assert [found.count(part) for part in (array, value, 2)] == [1, 1, 1]
