"""The derivative rules of ops, as records of the code that they make.

A rule is run on named values, as the compiler runs it, and what it builds is emitted. Elementwise
ops have partial derivatives, which give both modes; others have, for an example call, a rule for
each operand in each mode. In the code ``y`` is the result, ``g`` its cotangent, ``x_dot`` the
tangent of ``x``.

>>> record = rule_of("tanh")
>>> record.call, record.partials
('np.tanh(x)', {'x': '1.0 - y * y'})
>>> rule_of("matmul").reverse
{'X': 'g @ Y.T', 'Y': 'X.T @ g'}
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symdiff.emit import emit_source
from symdiff.inspection.examples import apply, parameters_of, type_of
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, Graph, Input, Node, Value
from symdiff.ir.structure import Leaf, tuple_of
from symdiff.ir.types import Type
from symdiff.ops.declare import REGISTRY, DeclaredOp
from symdiff.ops.reduce import cotangent_by_rule, tangent_by_rule
from symdiff.ops.special import is_refused
from symdiff.optimise import optimise
from symdiff.runtime.signature import read_type
from symdiff.source.trees import module_of

Code = Mapping[str, str]  # by operand


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """One op: ``call`` is its spelling, ``meaning`` what it computes, and what holds at kinks.

    ``partials`` are partial derivatives by operand; ``reverse`` the cotangent of each operand,
    ``forward`` the share of each operand in the result's tangent. In ``linear`` operands the op is
    its own forward rule. No derivative flows through those in ``constant``. ``masked``: products
    with the partials stay zero where a cotangent is zero, whatever they are there. ``flows`` is
    False where no derivative flows through the op at all.
    """

    op: str
    call: str | None
    meaning: str
    partials: Code = field(default_factory=dict)
    reverse: Code = field(default_factory=dict)
    forward: Code = field(default_factory=dict)
    linear: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    masked: bool = False
    flows: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The record as plain data."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def rule_of(name: str) -> RuleRecord:
    """The record of an op, by its name."""
    op = REGISTRY[name]
    if op.partials is not None:
        return _of_elementwise(op)
    if op.example is not None:
        return _of_example(op, op.example)
    return RuleRecord(name, None, op.documentation, flows=op.nondifferentiable is not True)


# Elementwise --------------------------------------------------------------------------------------

_OPERANDS = {1: ("x",), 2: ("a", "b"), 3: ("x", "lo", "hi")}
_OF_FOUR = ("a", "b", "c", "x")
_OF_SPECIAL = {1: ("x",), 2: ("a", "b"), 3: ("a", "b", "x"), 4: _OF_FOUR}


def _of_elementwise(op: DeclaredOp) -> RuleRecord:
    assert op.partials is not None
    known = _OF_SPECIAL if op.name.startswith("special_") else _OPERANDS
    names = known[len(op.partials)]
    types = types_for(op, len(names))
    values = [Value(type_, None, name) for name, type_ in zip(names, types, strict=True)]
    with building(Builder([])) as builder:
        result = op(*values)
    call = spelled(values, result, builder.nodes)
    partials, constant, refused = {}, [], []
    for name, partial in zip(names, op.partials, strict=True):
        if partial is None:
            constant.append(name)
        elif is_refused(partial):
            refused.append(name)
        else:
            partials[name] = _partial(partial, values, result.type)
    return RuleRecord(
        op.name,
        call,
        op.documentation,
        partials=partials,
        constant=tuple(constant),
        refused=tuple(refused),
        masked=bool(op.singular or op.strong),
        flows=bool(partials),
    )


_KINDS = {"math": ("float",), "cmath": ("complex",), "angle": ("complex128[n]",)}


def types_for(op: DeclaredOp, count: int) -> list[Type]:
    """The first types of operands that the op takes."""
    kinds = _KINDS.get(op.name.split("_")[0], ("float64[n]", "bool[n]", "int64[n]"))
    for kind in kinds:
        types: list[Any] = [read_type(kind)] * count
        if op.name == "math_ldexp":
            types[1] = read_type("int")
        try:
            op.infer(*types)
        except TypeError:
            continue
        return types
    raise TypeError(f"no types for {op.name}")


def _partial(partial: Any, values: Sequence[Value], type_: Type) -> str:
    if not callable(partial):
        return str(partial)
    y = Value(type_, None, "y")
    with building(_deriving()) as builder:
        made = partial(y, *values)
    return spelled([y, *values], made, builder.nodes)


# Rules of operands --------------------------------------------------------------------------------


def _of_example(op: DeclaredOp, example: str) -> RuleRecord:
    operands = {name: Value(type_of(name), None, name) for name in parameters_of(example)}
    values = list(operands.values())
    with building(Builder([])) as builder:
        apply(example, operands)
    node = next(node for node in reversed(builder.nodes) if node.op is op)
    rules = _Rules(op, node, values, builder.nodes)
    named = rules.operands()
    reverse = {name: rules.reverse(k) for name, k in named.items() if op.carries(k)}
    linear = tuple(name for name, k in named.items() if op.carries(k) and rules.is_linear(k))
    forward = {
        name: rules.forward(k) for name, k in named.items() if op.carries(k) and name not in linear
    }
    constant = tuple(name for name, k in named.items() if not op.carries(k))
    masked = bool(op.singular or op.strong)
    call = rules.call()
    return RuleRecord(
        op.name, call, op.documentation, {}, reverse, forward, linear, constant, masked=masked
    )


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of an op at a node of an example; ``before`` are the nodes that lead to it."""

    op: DeclaredOp
    node: Node
    values: Sequence[Value]
    before: Sequence[Node]

    def operands(self) -> dict[str, int]:
        """The operands that have a name and may carry a derivative, or could, by name."""
        return {
            str(value.name): k for k, value in enumerate(self.node.operands) if value in self.values
        }

    def is_linear(self, position: int) -> bool:
        return self.op.is_linear(position)

    def call(self) -> str:
        """How the op itself is spelled."""
        return spelled(self.values, self.node.results, list(self.before))

    def reverse(self, position: int) -> str:
        """The operand's cotangent."""
        rule = functools.partial(cotangent_by_rule, self.op, position)
        return self._spelled(rule, self._named("g"), self._named("y"))

    def forward(self, position: int) -> str:
        """The operand's share of the result's tangent."""
        operand = self.node.operands[position]
        t = Value(operand.type, None, f"{operand.name}_dot")
        if self.op.rule("jvp", position) is not None:
            rule = functools.partial(tangent_by_rule, self.op, position)
            return self._spelled(rule, (t,), self._named("y"))
        tangents = [t if k == position else None for k in range(len(self.node.operands))]

        def of_all(_: Value, *given: Any, **attributes: Any) -> Any:
            assert self.op.tangent is not None
            return self.op.tangent(tangents, *given, **attributes)

        return self._spelled(of_all, (t,), self._named("y"))

    def _named(self, name: str) -> tuple[Value, ...]:
        """Named values of the types of the results."""
        results = self.node.results
        if len(results) == 1:
            return (Value(results[0].type, None, name),)
        return tuple(Value(v.type, None, f"{name}{k}") for k, v in enumerate(results))

    def _spelled(
        self, rule: Callable[..., Any], seed: tuple[Value, ...], y: tuple[Value, ...]
    ) -> str:
        with building(_deriving()) as builder:
            builder.nodes += [node for node in self.before if node is not self.node]
            made = rule(_alone(seed), _alone(y), *self.node.operands, **self.node.attributes)
        return spelled([*seed, *y, *self.values], made, builder.nodes)


def _alone(values: tuple[Value, ...]) -> Any:
    return values[0] if len(values) == 1 else values


def _deriving() -> Builder:
    builder = Builder([])
    builder.role = "cotangent"
    return builder


# Code ---------------------------------------------------------------------------------------------


def spelled(values: Sequence[Value], built: Any, nodes: list[Node]) -> str:
    """The code of what was built from named values: an expression, or statements that end in
    ``return``.
    """
    results = tuple(built) if isinstance(built, tuple | list) else (built,)
    if not any(isinstance(result, Value) for result in results):
        return ", ".join(map(str, results))
    with building(Builder(nodes)) as builder:
        results = tuple(builder.value(0.0 if r is None else r) for r in results)
    output = tuple_of(len(results)) if len(results) > 1 else Leaf(0)
    inputs = tuple(Input((value.name,)) for value in values)
    graph = optimise(Graph("rule", Block(tuple(values), nodes, results), inputs, output))
    return _body(emit_source(graph, "rule", fresh=False).text)


def _body(text: str) -> str:
    """The statements of the last function of a text; an expression where it only returns one."""
    function = module_of(text).body[-1]
    assert isinstance(function, ast.FunctionDef)
    lines = text.rstrip("\n").split("\n")[function.body[0].lineno - 1 :]
    statements = "\n".join(line.removeprefix("    ") for line in lines)
    return statements.removeprefix("return ") if len(function.body) == 1 else statements


def assigned(target: str, code: str, operator: str = "=") -> str:
    """The code with a name for what it gives.

    >>> assigned("x_bar", "t = y * y\\nreturn g * t")
    't = y * y\\nx_bar = g * t'
    """
    *before, last = code.split("\n")
    return "\n".join([*before, f"{target} {operator} {last.removeprefix('return ')}"])
