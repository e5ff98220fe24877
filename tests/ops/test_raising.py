"""An op that is not said to raise does not, whatever the lengths of what its type rule takes: else
NumPy's error is missed where nobody reads the result, or is raised where NumPy would not come by.
"""

import itertools

import numpy as np
import pytest

import symdiff as sd
from symdiff.inspection import examples
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Size
from symdiff.ops.declare import REGISTRY
from symdiff.ops.facts import may_raise
from symdiff.ops.table import import_all

import_all()
EXAMPLES = {n: op.example for n, op in REGISTRY.items() if op.example and op.partials is None}


def node_of(name: str) -> Node:
    """The op in its example."""
    operands = examples.parameters_of(EXAMPLES[name])
    values = {operand: Value(examples.type_of(operand), None, operand) for operand in operands}
    with building(Builder([])) as builder:
        examples.apply(EXAMPLES[name], values)
    return next(node for node in reversed(builder.nodes) if node.op.name == name)


def with_own_lengths(node: Node) -> Node | None:
    """The node of operands no two of which have a length in common; None where they must have."""
    numbers = itertools.count()
    operands = []
    for value in node.operands:
        type_ = value.type
        if isinstance(type_, ArrayType):
            shape = tuple(Size(f"s{next(numbers)}", 0) for _ in type_.shape)
            type_ = ArrayType(type_.dtype, shape, type_.kind)
        operands.append(Value(type_))
    try:
        types = node.op.infer(*(value.type for value in operands), **node.attributes)
    except (TypeError, ValueError, IndexError, sd.SymdiffError):
        return None
    return Node(node.op, tuple(operands), node.attributes, (), tuple(map(Value, types)))


def given(node: Node, first: int) -> list:
    """Operands of lengths from a number on."""
    shapes = [v.type.shape for v in node.operands if isinstance(v.type, ArrayType)]
    lengths = {dim: first + k for k, dim in enumerate(itertools.chain(*shapes))}
    made = []
    for value in node.operands:
        assert isinstance(value.type, ArrayType)
        array = np.ones([lengths[dim] for dim in value.type.shape], value.type.dtype)
        made.append(array.item() if value.type.kind == "python" else array)
    return made


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_said_to_raise_does_not(name: str) -> None:
    node = with_own_lengths(node_of(name))
    arrays = node is not None and all(isinstance(v.type, ArrayType) for v in node.operands)
    if node is None or not arrays or may_raise(node) or node.op.effect:
        return
    for first in (2, 3):  # NumPy has no Fourier transforms of nothing, nor to nothing
        node.op.evaluate(*given(node, first), **node.attributes)  # type: ignore[misc]


A, B = np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.5])


@pytest.mark.parametrize(
    "unread",
    [
        lambda a, b: np.where(a > 0, a, b),
        lambda a, b: np.isclose(a, b),
        lambda a, b: np.allclose(a, b),
        lambda a, b: np.interp(a, a, b),
        lambda a, b: np.ldexp(a, b.astype(int)),
    ],
)
def test_shapes_that_do_not_meet_raise_where_nobody_reads_the_result(unread) -> None:
    def function(x, a, b):
        unread(a, b)
        return np.sum(x * x)

    def in_no_turn(x, a, b, n):
        for _ in range(n):
            x = x + np.sum(np.array([np.sum(unread(a, b))]))
        return np.sum(x * x)

    with pytest.raises(ValueError, match=r"shape|length"):
        unread(A, B)
    gradient = sd.grad(function)
    np.testing.assert_array_equal(gradient(A, A, A), 2 * A)
    with pytest.raises(ValueError, match=r"shape|length"):
        gradient(A, A, B)
    np.testing.assert_array_equal(sd.grad(in_no_turn)(A, A, B, 0), 2 * A)
