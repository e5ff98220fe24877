"""Each op that is said to have a counterpart in JAX gives there what NumPy gives."""

import importlib.util
import inspect
import re
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions.libraries import load_all
from symdiff.emit.namespace import Namespace
from symdiff.exporting.standalone import traced_support
from symdiff.exporting.traced import emit_traced
from symdiff.inspection import examples
from symdiff.inspection.rules import types_for
from symdiff.ir.build import Builder, building
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Graph, Value
from symdiff.ir.signature import Signature
from symdiff.ir.structure import tuple_of
from symdiff.ir.types import ArrayType, ListType
from symdiff.ops.declare import REGISTRY, Absent, DeclaredOp
from tests.inspection.test_rules import POINTS_OF

load_all()
HAS_JAX = importlib.util.find_spec("jax") is not None
EXAMPLES = {name: op.example for name, op in REGISTRY.items() if op.example is not None}
ELEMENTWISE = {name: op for name, op in REGISTRY.items() if op.partials}
SIZES = {"n": 4, "k": 2, "m": 3}
RANGES = ((-1.9, 1.9), (0.2, 0.8), (1.2, 1.9))
TOLERANCE = 1e-10


def of_example(example: str) -> Graph:
    """The graph of an example's call."""
    values = {
        name: Value(examples.type_of(name), None, name) for name in examples.parameters_of(example)
    }
    with building(Builder([])) as builder:
        found = examples.apply(example, values)
    return graph_of(list(values.values()), builder, found)


def of_elementwise(op: DeclaredOp) -> Graph:
    assert op.partials is not None
    types = types_for(op, len(op.partials))
    values = [Value(type_, None, f"x{k}") for k, type_ in enumerate(types)]
    with building(Builder([])) as builder:
        found = op(*values)
    return graph_of(values, builder, found)


def graph_of(values: list[Value], builder: Builder, found: Any) -> Graph:
    results = found if isinstance(found, tuple) else (found,)
    return Graph.of_values("made", values, builder.nodes, results, tuple_of(len(results)))


GRAPHS = {
    **{name: (lambda e=example: of_example(e)) for name, example in EXAMPLES.items()},
    **{name: (lambda op=op: of_elementwise(op)) for name, op in ELEMENTWISE.items()},
}


def given_for(name: str, graph: Graph, among: tuple[float, float]) -> list[Any]:
    """Operands with numbers of a range, or at the point at which an op is tested elsewhere."""
    generator = np.random.default_rng(3)
    point = POINTS_OF.get(name, [None])[0]
    values = []
    for k, parameter in enumerate(graph.block.parameters):
        type_ = parameter.type
        assert isinstance(type_, ArrayType)
        shape = [d if isinstance(d, int) else SIZES[d.symbol] + d.offset for d in type_.shape]
        value = drawn(generator, type_.dtype, tuple(shape), among)
        if point is not None:
            value = np.full(shape, point[k], type_.dtype)
        if parameter.name in ("A", "M"):
            value = value @ value.T + np.eye(len(value))
        values.append(value.item() if type_.kind == "python" else value)
    return values


def drawn(
    generator: np.random.Generator, dtype: np.dtype, shape: tuple[int, ...], among: Any
) -> Any:
    if dtype.kind == "i":
        return np.sort(generator.integers(0, 3, shape)) if shape else np.asarray(2)
    if dtype.kind == "b":
        return generator.uniform(size=shape) < 0.5
    real = generator.uniform(*among, shape)
    return np.asarray(real + 1j * generator.uniform(*among, shape) if dtype.kind == "c" else real)


def by_jax(text: str, given: list[Any]) -> Any:
    """What a program gives."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    scope: dict[str, Any] = {"jax": jax, "jnp": jnp, "lax": lax}
    exec(inspect.getsource(traced_support), scope)
    exec(text, scope)
    with jax.enable_x64(True):
        return [np.asarray(one) for one in scope["made"](*given)]


def program_of(name: str, graph: Graph) -> str | None:
    """The program for JAX; None if it is refused because the op says that JAX has none."""
    try:
        return emit_traced(graph, "made", Signature(()), Namespace())[0].text
    except sd.UnsupportedCallError as error:
        said = error.message
    assert isinstance(REGISTRY[name].jax, Absent) or not re.search(r"\b(np|math|special)\.", said)
    return None


@pytest.mark.skipif(not HAS_JAX, reason="JAX is one of the peers")
@pytest.mark.parametrize("name", list(GRAPHS))
def test_jaxs_counterpart_gives_the_same(name: str) -> None:
    graph = GRAPHS[name]()
    if any(isinstance(value.type, ListType) for value in graph.block.parameters):
        return
    text = program_of(name, graph)
    if text is None:
        return
    compared = 0
    for among in RANGES:
        given = given_for(name, graph, among)
        with np.errstate(all="ignore"):
            try:
                expected = evaluate_graph(graph, given)
            except ValueError:
                continue  # outside of what the function takes
        for one, other in zip(by_jax(text, given), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE)
        compared += 1
    assert compared
