"""A small harness for the rules of ops: staging, evaluation, both modes of straight-line programs.

Independent of the compiler's own passes: a program is a list of nodes, a derivative applies each
node's rules and adds what meets. What is checked of every value computed: its dtype, kind and rank
are what its type says, constants are the sizes, one symbol stands for one number; and what a node
is spelled as, run as Python, gives the same.
"""

from __future__ import annotations

import ast
import cmath
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.fft

from symdiff.definitions.libraries import meet
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Size, carries_derivative, type_of_constant
from symdiff.ops.arithmetic import add
from symdiff.ops.creation import zeros_of
from symdiff.ops.declare import DeclaredOp, Operation, literal
from symdiff.ops.lists import list_accumulate
from symdiff.ops.reduce import cotangent_by_rule, tangent_by_rule

# Functions of a library are declared once its module is imported: those of the modules above too.
meet()


@dataclass
class Program:
    """Nodes in order, parameters, and results."""

    parameters: list[Value]
    nodes: list[Node]
    results: list[Value]

    def __call__(self, *arguments: Any) -> list[Any]:
        return evaluate(self, arguments)


def parameter_type(name: str, example: Any) -> Any:
    """As a signature has it: lengths are symbols, but for those that are 1."""
    if not isinstance(example, np.ndarray):
        return type_of_constant(example)
    pairs = enumerate(example.shape)
    dims = tuple(1 if n == 1 else Size(f"{name}{'ijkl'[axis]}") for axis, n in pairs)
    return ArrayType(example.dtype, dims, "array")


def stage(function: Callable[..., Any], *examples: Any) -> Program:
    """The program that a function of staged values builds."""
    types = [parameter_type("abcdef"[k], example) for k, example in enumerate(examples)]
    parameters = [Value(type_) for type_ in types]
    with building(Builder()) as b:
        results = function(*parameters)
        results = list(results) if isinstance(results, tuple | list) else [results]
        results = [b.value(result) for result in results]
    return Program(parameters, b.nodes, results)


def evaluate(program: Program, arguments: Sequence[Any]) -> list[Any]:
    """The values of the results, all types checked on the way."""
    known: dict[Value, Any] = {}
    symbols: dict[str, int] = {}

    def define(value: Value, actual: Any) -> None:
        check_type(value, actual, symbols)
        known[value] = actual

    for value, actual in zip(program.parameters, arguments, strict=True):
        define(value, actual)
    for node in program.nodes:
        assert node.op.evaluate is not None, node
        operands = [known[v] for v in node.operands]
        made = node.op.evaluate(*operands, **node.attributes)
        check_spelling(node, operands, made)
        made = (made,) if len(node.results) == 1 else made
        for value, actual in zip(node.results, made or (), strict=True):
            define(value, actual)
    return [known[value] for value in program.results]


def check_spelling(node: Node, operands: Sequence[Any], made: Any) -> None:
    """What a node is spelled as, run as Python, gives what evaluating it gives."""
    spelling = getattr(node.op, "spelling", None)
    if spelling is None or node.op.name == "empty" or node.op.effect:
        return
    names = {f"v{v.number}": actual for v, actual in zip(node.operands, operands, strict=True)}
    expressions = [_spell(v) for v in node.operands]
    tree = _Binder(names).visit(spelling(node, expressions))
    text = ast.unparse(ast.fix_missing_locations(tree))
    try:
        found = eval(text, {"np": np, "math": math, "cmath": cmath, **names})
    except Exception as error:
        raise AssertionError(f"{text} raised {error!r}") from error
    for a, b in zip(*((x if len(node.results) > 1 else (x,)) for x in (found, made)), strict=True):
        if not isinstance(a, list | tuple | str):
            assert type_of_constant(a) == type_of_constant(b), (text, a, b)
            np.testing.assert_array_equal(a, b, err_msg=text)


class _Binder(ast.NodeTransformer):
    """Names functions that stand in a spelling as they are, as emission does."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not callable(node.value):
            return node
        self.names[node.value.__name__] = node.value
        return ast.Name(node.value.__name__, ast.Load())


def _spell(value: Value) -> ast.expr:
    """A parameter by its name, a constant as it is written."""
    node = value.node
    if node is not None and node.op.name == "constant":
        number = node.attributes["value"]
        if not isinstance(number, np.ndarray):
            return literal(number)
    return ast.Name(f"v{value.number}", ast.Load())


def check_type(value: Value, actual: Any, symbols: dict[str, int]) -> None:
    type_ = value.type
    if not isinstance(type_, ArrayType):
        return
    found = type_of_constant(actual)
    assert found.dtype == type_.dtype, (value.node, found, type_)
    loose = (found.kind, type_.kind) == ("scalar", "python")  # cotangents of Python numbers
    assert found.kind == type_.kind or loose, (value.node, found, type_)
    assert found.rank == type_.rank, (value.node, found, type_)
    for dim, length in zip(type_.shape, np.shape(actual), strict=True):
        if isinstance(dim, int):
            assert dim == length, (value.node, found, type_)
            continue
        if length == 0 and dim.offset < 0:
            continue
        expected = symbols.setdefault(dim.symbol, length - dim.offset)
        assert expected + dim.offset == length, (value.node, found, type_)
        assert dim.open or dim.offset or length != 1, (value.node, found, type_)


# Derivatives --------------------------------------------------------------------------------------


def _add(a: Value | None, b: Value) -> Value:
    if a is None:
        return b
    return add(a, b) if isinstance(b.type, ArrayType) else list_accumulate(a, b)


def _active(program: Program, inputs: Sequence[Value]) -> set[Value]:
    active = set(inputs)
    for node in program.nodes:
        op = node.op
        assert isinstance(op, DeclaredOp) or op.name == "constant"
        carried = any(v in active and op.carries(k) for k, v in enumerate(node.operands))
        if carried:
            active.update(v for v in node.results if carries_derivative(v.type))
    return active


def _operation(node: Node) -> Operation:
    assert isinstance(node.op, DeclaredOp)
    return node.op


def pullback(program: Program, inputs: Sequence[int], *, first: int = 0) -> Program:
    """(arguments, cotangents of the results from ``first`` on) → cotangents of the inputs."""
    chosen = [program.parameters[k] for k in inputs]
    active = _active(program, chosen)
    seeded = list(program.results[first:])
    seeds = [Value(v.type) for v in seeded]
    with building(Builder(list(program.nodes))) as b:
        bars: dict[Value, Value] = {}
        for value, seed in zip(seeded, seeds, strict=True):
            bars[value] = _add(bars.get(value), seed)
        for node in reversed(program.nodes):
            if any(v in bars and v in active for v in node.results):
                _reverse(node, bars, active)
        results = [bars.get(v) or zeros_of(v) for v in chosen]
    return Program([*program.parameters, *seeds], b.nodes, results)


def _reverse(node: Node, bars: dict[Value, Value], active: set[Value]) -> None:
    several = len(node.results) != 1
    g: Any = tuple(bars.get(v) for v in node.results)
    y: Any = node.results
    if not several:
        (g,), (y,) = g, y
    for k, operand in enumerate(node.operands):
        if operand in active and _operation(node).carries(k):
            share = _share(node, k, g, y)
            if share is not None:
                check_cotangent(share, operand, node)
                bars[operand] = _add(bars.get(operand), share)


def _share(node: Node, k: int, g: Any, y: Any) -> Value | None:
    from symdiff.ops.arithmetic import multiply
    from symdiff.ops.casts import conjugate
    from symdiff.ops.reduce import unbroadcast_to

    op = _operation(node)
    if op.partials is None:
        rule = None if op.rule("vjp", k) is None else functools.partial(cotangent_by_rule, op, k)
        assert rule is not None, (node, k)
        return rule(g, y, *node.operands, **node.attributes)  # type: ignore[no-any-return]
    partial = op.partials[k]
    p = partial(y, *node.operands) if callable(partial) else partial
    if isinstance(p, Value) and isinstance(p.type, ArrayType) and p.type.dtype.kind == "c":
        p = conjugate(p)
    return unbroadcast_to(multiply(g, p), node.operands[k])


def check_cotangent(share: Value, operand: Value, node: Node) -> None:
    if isinstance(share.type, ArrayType) and isinstance(operand.type, ArrayType):
        assert share.type.dtype == operand.type.dtype, (node, share, operand)
        assert share.type.rank == operand.type.rank, (node, share, operand)


def pushforward(program: Program, inputs: Sequence[int], *, joint: bool) -> Program:
    """(arguments, tangents of the inputs) → tangents of the results.

    ``joint`` uses the rules for all operands at once where there are some.
    """
    chosen = [program.parameters[k] for k in inputs]
    active = _active(program, chosen)
    given = [Value(v.type) for v in chosen]
    with building(Builder(list(program.nodes))) as b:
        dots: dict[Value, Value] = dict(zip(chosen, given, strict=True))
        for node in program.nodes:
            if any(v in active for v in node.results):
                _forward(node, dots, joint)
        results = [dots.get(v) or zeros_of(v) for v in program.results]
    return Program([*program.parameters, *given], b.nodes, results)


def _forward(node: Node, dots: dict[Value, Value], joint: bool) -> None:
    op = _operation(node)
    y: Any = node.results if len(node.results) != 1 else node.results[0]
    ts = [dots.get(v) if op.carries(k) else None for k, v in enumerate(node.operands)]
    if joint and op.tangent is not None:
        made = op.tangent(ts, y, *node.operands, **node.attributes)
        parts = [made if isinstance(made, tuple) else (made,)]
    else:
        shares = [_forward_share(node, k, t, y) for k, t in enumerate(ts) if t is not None]
        parts = [share if isinstance(share, tuple) else (share,) for share in shares]
    for part in parts:
        for value, share in zip(node.results, part, strict=True):
            if share is not None:
                dots[value] = _add(dots.get(value), share)


def _forward_share(node: Node, k: int, t: Value, y: Any) -> Any:
    from symdiff.ops.arithmetic import multiply
    from symdiff.ops.reduce import broadcast_like

    op = _operation(node)
    if op.partials is not None:
        partial = op.partials[k]
        p = partial(y, *node.operands) if callable(partial) else partial
        return broadcast_like(multiply(t, p), y)
    rule = None if op.rule("jvp", k) is None else functools.partial(tangent_by_rule, op, k)
    if rule is not None:
        return rule(t, y, *node.operands, **node.attributes)
    if op.tangent is not None:
        ts = [t if m == k else None for m in range(len(node.operands))]
        return op.tangent(ts, y, *node.operands, **node.attributes)
    assert op.is_linear(k), (node, k)
    others = [zeros_of(v) if op.is_linear(m) else v for m, v in enumerate(node.operands)]
    operands = [t if m == k else v for m, v in enumerate(others)]
    return op(*operands, **node.attributes)


# Checks -------------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> None:
    """Equal in type, dtype, shape and bits."""
    if isinstance(b, tuple | list):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
        return
    assert type(a) is type(b), (type(a), type(b))
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    assert np.asarray(a).dtype == np.asarray(b).dtype
    assert np.shape(a) == np.shape(b)


def copied_as_it_lies(argument: Any) -> Any:
    """A copy whose axes run through memory in the same directions: a product rounds by them."""
    if not isinstance(argument, np.ndarray):
        return argument
    turned = tuple(slice(None, None, -1 if stride < 0 else 1) for stride in argument.strides)
    return np.copy(argument[turned], order="K")[(*turned, ...)]


def check(
    staged: Callable[..., Any],
    reference: Callable[..., Any],
    *arguments: Any,
    wrt: Sequence[int] | None = None,
    order: int = 2,
) -> None:
    """Value as NumPy's; both modes as differences; ⟨J v, w⟩ = ⟨v, Jᵀ w⟩; so too the pullback."""
    program = stage(staged, *arguments)
    expected = reference(*map(copied_as_it_lies, arguments))
    expected = list(expected) if isinstance(expected, tuple | list) else [expected]
    same(program(*arguments), expected)
    if wrt is None:
        pairs = enumerate(arguments)
        wrt = [k for k, a in pairs if np.asarray(a).dtype.kind in "fc" and np.size(a)]
    if wrt:
        check_derivatives(program, arguments, wrt, order)


def check_derivatives(
    program: Program, arguments: Sequence[Any], wrt: Sequence[int], order: int
) -> None:
    rng = np.random.default_rng(7)
    outputs = [k for k, v in enumerate(program.results) if carries_derivative(v.type)]
    if not outputs or not order:
        return
    only = Program(program.parameters, program.nodes, [program.results[k] for k in outputs])
    directions = [_random_like(rng, arguments[k]) for k in wrt]
    weights = [_random_like(rng, y) for y in only(*arguments)]
    by_differences = _differences(only, arguments, wrt, directions)
    for joint in (False, True):
        tangents = pushforward(only, wrt, joint=joint)(*arguments, *directions)
        for t, d, y in zip(tangents, by_differences, only(*arguments), strict=True):
            assert np.shape(t) == np.shape(y)
            np.testing.assert_allclose(t, d, rtol=1e-5, atol=1e-3 if _single(program) else 1e-6)
    back = pullback(only, wrt)
    cotangents = back(*arguments, *weights)
    for c, k in zip(cotangents, wrt, strict=True):
        assert np.shape(c) == np.shape(arguments[k])
        assert np.asarray(c).dtype == np.asarray(arguments[k]).dtype
    left = sum(_pair(w, t) for w, t in zip(weights, tangents, strict=True))
    right = sum(_pair(c, v) for c, v in zip(cotangents, directions, strict=True))
    np.testing.assert_allclose(left, right, rtol=1e-4 if _single(program) else 1e-9, atol=1e-9)
    more = (*arguments, *weights)
    check_derivatives(back, more, _float_positions(more), order - 1)


def _single(program: Program) -> bool:
    """Whether anything is computed in single precision."""
    values = [*program.parameters, *(v for node in program.nodes for v in node.results)]
    arrays = [v.type for v in values if isinstance(v.type, ArrayType)]
    return any(type_.dtype in (np.float32, np.complex64) for type_ in arrays)


def _float_positions(arguments: Sequence[Any]) -> list[int]:
    return [k for k, a in enumerate(arguments) if np.asarray(a).dtype.kind in "fc"]


def _pair(a: Any, b: Any) -> float:
    return float(np.real(np.sum(np.conj(a) * b)))


def _random_like(rng: np.random.Generator, x: Any) -> Any:
    drawn = rng.normal(size=np.shape(x))
    if np.asarray(x).dtype.kind == "c":
        drawn = drawn + 1j * rng.normal(size=np.shape(x))
    if isinstance(x, np.ndarray):
        return np.asarray(drawn, dtype=x.dtype)
    return type(x)(drawn)


def _differences(
    program: Program, arguments: Sequence[Any], wrt: Sequence[int], directions: Sequence[Any]
) -> list[Any]:
    """Central differences along the directions, in double precision where the program lets us."""
    step = 1e-2 if _single(program) else 1e-5

    def at(h: float) -> list[Any]:
        moved = list(arguments)
        for k, direction in zip(wrt, directions, strict=True):
            shifted = np.asarray(arguments[k] + h * direction, np.asarray(arguments[k]).dtype)
            moved[k] = (
                shifted if isinstance(arguments[k], np.ndarray) else type(arguments[k])(shifted)
            )
        return [np.asarray(y, np.complex128) for y in program(*moved)]

    pairs = zip(at(step), at(-step), strict=True)
    derivative = [(above - below) / (2 * step) for above, below in pairs]
    return [
        d if np.iscomplexobj(y) else d.real
        for d, y in zip(derivative, program(*arguments), strict=True)
    ]
