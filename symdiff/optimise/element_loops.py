"""One loop over single elements of arrays, rebuilt between Python's floats.

A loop enters, with what is known around it; its nodes are built anew, between what makes lists of
the vectors that it reads and changes, or of parts of them, and what makes arrays of those again.
``NotFloats`` is raised of a loop in which anything else than numbers and elements is computed with.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Graph, Node, Value, free_values, walk_nodes
from symdiff.ir.types import BOOL, FLOAT, INT, ArrayType, ListType, TapeType, Type
from symdiff.ops.arithmetic import choice, divide, multiply, not_equal
from symdiff.ops.casts import astype, python_float
from symdiff.ops.declare import StageOperation, array_type, template
from symdiff.ops.facts import made_by, number_of
from symdiff.ops.index import index, index_add, index_of, index_set, index_set_of, item, key_of
from symdiff.ops.keys import Slot
from symdiff.ops.list_arrays import list_stack, list_unstack
from symdiff.ops.lists import list_add, list_get, list_length, list_set
from symdiff.ops.sizes import constant_integer, lower_bound, size
from symdiff.ops.strong import quiet_divide, strong_divide
from symdiff.optimise.bounds import Bounds
from symdiff.optimise.floats import (
    AS_THEY_ARE,
    SAME,
    Converter,
    NotFloats,
    float_type,
    is_function,
    is_of_integers,
    python_number,
)
from symdiff.optimise.reaches import End, Ends, is_of_floats, is_vector, reads_element

guarded_divide = StageOperation(
    "guarded_divide",
    lambda a, b: (FLOAT,),
    lambda a, b: a / b if b else np.divide(a, b),
    spelling=template("{0} / {1} if {1} else np.divide({0}, {1})"),
    repeated=frozenset({0, 1}),
)
_FLOAT64 = np.dtype("float64")
_LIST = ListType(FLOAT)
Lists = dict[tuple[Value, End | None], Value]
"""Lists that a block has made of vectors, or of their parts."""
_TOTAL = frozenset({"constant", "loop", "cond", "index", "index_set", "index_add", "undefined"})
_TOTAL |= {"add", "subtract", "multiply", "negative", "positive", "strong_multiply", "absolute"}
_TOTAL |= {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "size"}
_TOTAL |= {"two_sided_multiply", "tanh", "arctan", "arcsinh"} | SAME | AS_THEY_ARE
"""Ops that raise nothing on Python's floats, indices aside."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of a graph whose loops are rebuilt one after another.

    ``new`` maps values to what stands for them, ``made`` has the nodes that make those. ``exact``
    are the nodes of the function's own value, ``partial`` what has no value somewhere.
    ``by_numpy``: elementary functions that raise on Python's floats stay NumPy's. ``guarded``: all
    that raises does, or the loop is left as it is.
    """

    graph: Graph
    by_numpy: bool
    guarded: bool
    exact: frozenset[Node]
    bounds: Bounds
    partial: AbstractSet[Value]
    new: dict[Value, Value]
    made: set[Node]


class OfElements(Converter):
    """Rebuilds a loop whose vectors are lists."""

    def __init__(self, around: Surroundings, ends: Ends, lists: Lists) -> None:
        super().__init__(around.graph, around.exact, {})
        self.around, self.ends, self.lists = around, ends, dict(lists)
        self.is_backwards = False  # and reads what the loop before it has read
        self.may_raise = self.loses = False

    def float_type(self, type_: Type) -> Type:
        if self.is_listed(type_):
            return _LIST
        return type_ if is_of_floats(type_) else float_type(type_)

    def is_listed(self, type_: Type) -> bool:
        """Return whether a list stands for a type: vectors of which it would take long stay."""
        if not isinstance(type_, ArrayType) or not is_vector(type_):
            return False
        length = type_.shape[0]
        return length not in self.ends or self.ends[length] is not None

    def name_of(self, parameter: Value) -> str | None:
        is_part = self.is_listed(parameter.type) and self.end(parameter) is not None
        return _beside(parameter) if is_part else parameter.name

    def loop(self, node: Node) -> dict[Value, Value]:
        """Build the loop between what makes its lists and what makes arrays of them again."""
        if node in self.exact and _may_leave_as_entered(node):
            raise NotFloats
        self.is_backwards = any(value.role == "cotangent" for value in node.results)
        if not self.is_backwards and not _computes(node):
            raise NotFloats
        for value in dict.fromkeys((*node.operands, *_captured(node))):
            self.new[value] = self.brought_in(value)
        results = self.several(node)
        entered = dict(zip(LoopView(node).finals, LoopView(node).initial, strict=True))
        return {
            old: self.brought_out(old, made, entered.get(old))
            for old, made in zip(node.results, results, strict=True)
        }

    def brought_in(self, value: Value) -> Value:
        known = self.around.new.get(value, value)
        if known.type == self.float_type(value.type):
            return known
        if isinstance(value.type, TapeType):
            raise NotFloats  # of a loop that is not on lists
        if value in self.around.partial:
            raise NotFloats  # what has no value yet is neither a list nor a number
        if self.is_listed(value.type):
            return self.as_list(known, value)
        if is_of_floats(value.type):
            raise NotFloats  # an array whose length has got a name of its own
        while (retyped := made_by(known, "retype")) is not None:
            known = retyped.operands[0]
        number, type_ = number_of(known), self.float_type(value.type)
        cast = made_by(known, "astype")
        if cast is not None and cast in self.around.made and cast.operands[0].type == type_:
            return cast.operands[0]  # what another loop gave
        if number is not None:
            return self.constant(bool(number) if type_ == BOOL else float(number))
        made = python_number(known, type_)
        made.name, made.role = value.name, value.role
        return made

    def as_list(self, known: Value, value: Value) -> Value:
        """The elements of a vector, or of its part; those of one that was a list before are that
        list.
        """
        end = self.end(value)
        stacked = made_by(known, "list_stack") if end is None else None
        if stacked is not None and stacked in self.around.made:
            return stacked.operands[0]
        if (value, end) not in self.lists:
            part = known if end is None else index_of(known, (slice(None, self.place(end)),))
            made: Value = list_unstack(part, type=_LIST)
            made.name = self.name_of(value) if value.role != "primal" else _beside(value)
            made.role = value.role
            self.lists[value, end] = made
        return self.lists[value, end]

    def end(self, vector: Value) -> End | None:
        """Where the part of a vector ends that the loop needs; None where it needs all."""
        return self.ends.get(array_type(vector).shape[0])

    def place(self, end: End) -> Value | int:
        if end.base is None:
            return end.offset
        base = self.around.new.get(end.base, end.base)
        return base + end.offset if end.offset else base

    def brought_out(self, old: Value, made: Value, entered: Value | None) -> Value:
        made.name, made.role = old.name, old.role
        type_ = old.type
        if made.type == type_ or not isinstance(type_, ArrayType):
            return made
        if made.type == _LIST:
            array = self.as_vector(made, old, entered)
        elif type_.dtype == _FLOAT64:
            array = astype(made, dtype=_FLOAT64)
        else:
            raise NotFloats
        array.name, array.role = old.name, old.role
        return array

    def as_vector(self, items: Value, old: Value, entered: Value | None) -> Value:
        """The vector of a list of all its elements, or of those of a part of what entered."""
        end, length = self.end(old), array_type(old).shape[0]
        if end is None:
            whole: Value = list_stack(items, length=length, dtype=_FLOAT64)
            return whole
        if entered is None:
            raise NotFloats
        base, key = self.around.new.get(entered, entered), (slice(None, self.place(end)),)
        length = array_type(index_of(base, key)).shape[0]
        return index_set_of(base, list_stack(items, length=length, dtype=_FLOAT64), key)

    # Nodes ----------------------------------------------------------------------------------------

    def several(self, node: Node) -> tuple[Value, ...]:
        if node.op not in (loop, cond):
            raise NotFloats
        return super().several(node)

    def plain(self, node: Node) -> Value:
        if reads_element(node):
            return self.element(node)
        if node.op is size and is_of_floats(node.operands[0].type):
            return self.length(node)
        if any(is_of_floats(v.type) for v in (*node.operands, *node.results)):
            raise NotFloats
        if not self.is_total(node):
            if self.around.by_numpy and is_function(node.op):
                return self.function_by_numpy(node)
            if self.around.guarded:
                return self.guarded(node)
            self.may_raise = True
        return super().plain(node)

    def guarded(self, node: Node) -> Value:
        """What raises on Python's floats alone: a division, which NumPy does where the divisor is
        0, or an op that NumPy does.
        """
        if node.op in (strong_divide, quiet_divide):
            g, b = (self.new[v] for v in node.operands)
            divisor = choice(not_equal(g, 0), b, self.constant(1 if b.type == INT else 1.0))
            return guarded_divide(g, divisor)
        if not _is_numpys(node.result) or self.float_type(node.result.type) != FLOAT:
            self.loses = True
            raise NotFloats  # of Python's own numbers the user's op raises
        if node.op is divide:
            return guarded_divide(*(self.new[v] for v in node.operands))
        self.loses = True
        numbers = [
            astype(self.new[v], dtype=_FLOAT64) if _is_numpys(v) else self.new[v]
            for v in node.operands
        ]
        return python_float(self.apply(node, numbers, **node.attributes))

    def function_by_numpy(self, node: Node) -> Value:
        self.loses = True
        operands = [self.new[v] for v in node.operands]
        return python_float(self.apply(node, operands, **node.attributes))

    def length(self, node: Node) -> Value:
        (array,) = node.operands
        if not self.is_listed(array.type):
            return self.apply(node, [self.new[array]], **node.attributes)
        if self.end(array) is not None:
            raise NotFloats  # a list of a part does not tell it
        length: Value = list_length(self.new[array])
        return length

    def element(self, node: Node) -> Value:
        """A read or a write of one element."""
        key, dynamic = key_of(node)
        array = node.operands[0]
        places = [dynamic[entry.number] if isinstance(entry, Slot) else entry for entry in key]
        if len(places) != array_type(array).rank or node.attributes["shape"] != ():
            raise NotFloats
        if any(v.type != INT if isinstance(v, Value) else type(v) is not int for v in places):
            raise NotFloats
        value = None if node.op is index else self.stored(node.operands[1])
        if self.is_listed(array.type):
            return self.item_of_list(node, places[0], value)
        new = [self.new[place] for place in dynamic]
        if value is None:
            return item(self.new[array], *new, key=key)
        return self.apply(node, [self.new[array], value, *new], **node.attributes)

    def item_of_list(self, node: Node, place: Value | int, value: Value | None) -> Value:
        items = self.new[node.operands[0]]
        if isinstance(place, int) or not self.is_within(place, node.operands[0]):
            self.may_raise = self.may_raise or not self.is_backwards
        at = self.constant(place) if isinstance(place, int) else self.new[place]
        if value is None:
            return list_get(items, at)
        return (list_set if node.op is index_set else list_add)(items, at, value)

    def stored(self, value: Value) -> Value:
        """A number as one of Python's floats."""
        new = self.new[value]
        number = number_of(new)
        if new.type == FLOAT:
            return new
        return python_float(new) if number is None else self.constant(float(number))

    def is_within(self, place: Value, vector: Value) -> bool:
        """Return whether an index is known to be one of a vector."""
        return self.around.bounds.of(place).is_index_of(array_type(vector).shape[0])

    def is_total(self, node: Node) -> bool:
        """Return whether an op raises nothing on Python's floats that it does not raise anyway."""
        if node.op is divide:
            return bool(number_of(node.operands[1]))
        return self.is_square(node) or is_of_integers(node) or node.op.name in _TOTAL

    def is_square(self, node: Node) -> bool:
        """Return whether a power may be a product, which overflows to inf; in the function's own
        value its last bits are those of the power.
        """
        is_second = node.op.name == "power" and number_of(node.operands[1]) == 2
        return is_second and node not in self.exact

    def power(self, node: Node, operands: list[Value]) -> Value:
        if self.is_square(node):
            return multiply(operands[0], operands[0])
        return super().power(node, operands)


def _beside(vector: Value) -> str:
    """The name of a list beside its vector."""
    return f"{vector.name or 'values'}_list"


def _computes(node: Node) -> bool:
    """Return whether a loop does more than to read elements, which may raise."""
    return any(
        n.op in (index_add, index_set) or (n.op is not index and any(map(_is_numpys, n.results)))
        for n in walk_nodes(node.blocks[0])
    )


def _may_leave_as_entered(node: Node) -> bool:
    """Return whether a number of Python's, which counts as one of NumPy's, may be a loop's result:
    no turn, or another branch, has computed with it.
    """
    nodes = [node, *walk_nodes(node.blocks[0])]
    chosen = [v for n in nodes if n.op is cond for v in n.results]
    loops = [LoopView(n) for n in nodes if n.op is loop]
    return any(map(_is_numpys, chosen)) or not all(map(_has_turns, loops))


def _is_numpys(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind == "scalar"


def _has_turns(view: LoopView) -> bool:
    """Return whether a loop is known to have a turn, or to have no number for its state."""
    if not any(map(_is_numpys, view.initial)):
        return True
    count = view.count if view.condition is None else None
    made = None if count is None else made_by(count, "range_length")
    if made is None:
        return count is not None and (lower_bound(count) or 0) > 0
    start, stop, step = made.operands
    first, last = constant_integer(start), lower_bound(stop)
    is_forward = constant_integer(step) == 1
    return is_forward and first is not None and last is not None and last > first


def _captured(node: Node) -> list[Value]:
    return [value for block in node.blocks for value in free_values(block)]
