"""How an op is declared: once, with its type rule, meaning, derivative rules, spelling and NumPy
names.

``Operation`` is an ``ir.Op`` with all of that; calling one on values adds a node to the current
builder and gives its result; ``SeveralResults`` is one whose calls give a tuple of them. Families
declare theirs with ``elementwise`` (partials give both modes, broadcasting included) or with
``Operation(...)`` directly: ``linear`` operand positions need no ``jvp`` (the op is linear in all
of them *together*: the result's tangent is the op applied to their tangents, zeros where an operand
has none; so ``concatenate`` and ``index_set`` in their arrays, but not both operands of a product,
which is linear in ``"each"``: the share of one is the op with its tangent in its place);
``vjp`` and ``jvp`` hold a rule an operand:

    vjp rule    (g, y, *operands, **attributes) -> the operand's cotangent (its dtype and shape)
    jvp rule    (t, y, *operands, **attributes) -> the operand's share of the result's tangent

A single callable instead of a mapping is given the operand's position first. Of ops with several
results ``g`` and ``y`` are tuples (an entry of ``g`` is None where nothing flows), and jvp rules
give a tuple. ``tangent``, where it is given, is preferred to the sum of the jvp rules:
the tangent of the result from those of all operands at once, ``(ts, y, *operands, **attributes)``
(an entry of ``ts`` is None where nothing flows). ``pullback`` is the same in reverse: the
cotangents of all operands that are ``wanted`` at once, by position,
``(g, y, wanted, *operands, **attributes)``. Of the operands that an op ``broadcasts``, by position
or all, rules may give cotangents and tangents that are not summed to the operand's shape, nor
broadcast to the result's: who asks for them does that, with ``reduce.cotangent_by_rule`` and
``tangent_by_rule``. Every operand has a rule or stands in
``nondifferentiable``, else declaring fails, at import.

A *lowering* is what a call in the user's program means: a function that calls ops, and names the
arguments that it follows as NumPy does (see ``ops.arguments``). ``lowers`` registers it for
callables (found by identity), ``method`` and ``attribute`` names.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, field
from itertools import chain
from typing import Any, Literal, Self, TypeVar

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError, rejecting, rejection
from symdiff.ir.build import builder, constant_value, is_constant
from symdiff.ir.counts import Count
from symdiff.ir.graph import Cost, Node, Op, Operand, Value
from symdiff.ir.types import (
    OPAQUE,
    ArrayType,
    Dim,
    ListType,
    OpaqueType,
    Size,
    Type,
    in_words,
    may_be_one,
    type_of_constant,
)
from symdiff.ops.arguments import documented
from symdiff.ops.patterns import Items
from symdiff.source import SourceSpan
from symdiff.source.trees import expression_of

Rule = Callable[..., Any]
Rules = Mapping[int, Rule] | Rule
Spelling = Callable[[Node, Sequence[ast.expr]], ast.expr]

REGISTRY: dict[str, DeclaredOp] = {}
_DECLARED_BY: dict[str, dict[str, Any]] = {}  # the names of the module that ran


@dataclass(frozen=True, slots=True)
class OnArrays:
    """A meaning in SymPy of an op that is not elementwise: ``function(sp, *arrays, **attributes)``
    of NumPy arrays of expressions (an expression where the rank is 0).
    """

    function: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class OfTruths:
    """An elementwise meaning whose operands at ``positions`` are truth values, not numbers."""

    positions: frozenset[int]
    function: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Fails:
    """All that an op raises on Python's numbers: an error, where a rule of its operands holds."""

    error: type[Exception]
    where: Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Absent:
    """Said of an op for which a library has no function, and why."""

    why: str


EVALUATED = OnArrays(lambda sp, *arrays, **attributes: NotImplemented)
"""The meaning of an op that only moves, adds and multiplies: its ``evaluate`` takes expressions."""

Meaning = str | Callable[..., Any] | OnArrays | OfTruths
"""What an op means in SymPy, elementwise unless it is ``OnArrays``: the name of SymPy's function,
or ``(sp, *expressions, **attributes)`` with the module, which gives None where it is not known."""


@dataclass(eq=False, slots=True)
class DeclaredOp(Op):
    """An op with its derivative rules, spelling and meaning elsewhere. See the module's docstring.

    Made as an ``Operation`` or as ``SeveralResults``, which are called in rules and lowerings.

    ``spelling`` is by default a call of what evaluates the op, where that is a function of NumPy,
    of Python or of ``ops.support``.
    ``singular``: partials can be infinite or NaN where the operands are finite (log, sqrt, divide):
    products with them are masked where a cotangent is zero because something was not selected.
    ``strong``: partials can be infinite where the op itself is finite (sqrt at 0): always masked,
    singular too. Both may be a predicate of the node (``x ** n``): ask ``is_singular(node)`` and
    ``is_strong(node)``. ``repeated``: operands that the spelling writes more than once, which
    should have names. ``harmless``: whether a node of an op that ``raises`` is known not to, by its
    operands' types. ``as_given``: rules take the operands as they are, also integers where floats
    could stand (see ``computes_with``). ``python``: the operator that an op spelled with one means
    unless its attribute ``ufunc`` is true; where ``raises_on_numbers``, Python's may raise, what
    ``fails`` says where that is known.
    ``sympy``: see ``Meaning``. ``math``: what computes an elementwise op of Python floats: the name
    of a function of ``math``, or a rule of the operands. ``jax``: the name in JAX of the function
    that the spelling calls, where it has another there, or ``Absent``. ``example``: a call that
    shows the op's rules, in a user's words or by the op's name, of operands that
    ``inspection.examples`` has types for. ``flops``: see ``ops.flops``. ``batch``: see
    ``ops.batching``, ``pattern``: see ``ops.patterns``; elementwise ops have the rules that their
    shapes tell. ``uniform``: results are lengths, which are the same for each element of a batch.
    ``operands``: how many have to have rules, where that is not as many as the type rule takes.
    """

    spelling: Spelling | None = None
    partials: tuple[Rule | float | None, ...] | None = None
    linear: frozenset[int] | bool | Literal["each"] = frozenset()
    vjp: Rules = field(default_factory=dict)
    jvp: Rules = field(default_factory=dict)
    tangent: Rule | None = None
    pullback: Rule | None = None
    broadcasts: frozenset[int] | bool = frozenset()
    nondifferentiable: frozenset[int] | bool = frozenset()
    as_given: bool = False
    singular: bool | Callable[[Node], bool] = False
    strong: bool | Callable[[Node], bool] = False
    repeated: frozenset[int] = frozenset()
    harmless: Callable[[Node], bool] | None = None
    python: Callable[..., Any] | None = None
    raises_on_numbers: bool = False
    fails: Fails | None = None
    sympy: Meaning | None = None
    math: str | Rule | None = None
    jax: str | Absent | None = None
    example: str | None = None
    flops: Callable[[Node], Count] | None = None
    batch: Rule | None = None
    pattern: Rule | Items | None = None
    uniform: bool = False
    documentation: str = ""
    operands: InitVar[int | None] = None

    def __post_init__(self, operands: int | None) -> None:
        """Register the op, checking that each of its operands has rules.

        A module whose import failed runs again, and declares its ops anew.
        """
        running = _module_that_runs()
        known = _DECLARED_BY.get(self.name, {})
        if known is running or known.get("__name__", running["__name__"]) != running["__name__"]:
            raise ValueError(f"op {self.name!r} is declared twice")
        for position in range(self._count() if operands is None else operands):
            self._require_rules(position)
        if self.spelling is None and self.evaluate is not None:
            self.spelling = _called(self.evaluate)
        if self.elementwise:
            self.order = self.order or "kept"
        REGISTRY[self.name], _DECLARED_BY[self.name] = self, running

    @classmethod
    def of_arrays(
        cls, name: str, infer: Callable[..., Any], evaluate: Callable[..., Any] | None, **facts: Any
    ) -> Self:
        """Declare an op of arrays: ``infer`` is given their types, and gives the result's, or a
        tuple of them.
        """

        @functools.wraps(infer)
        def of_types(*types: Type, **attributes: Any) -> tuple[Type, ...]:
            for type_ in types:
                if type_.__class__ is not ArrayType:
                    require_array(type_, name)
            found = infer(*types, **attributes)
            return found if isinstance(found, tuple) else (found,)

        return cls(name, of_types, evaluate, **facts)

    def _count(self) -> int:
        """How many operands the type rule and the derivative rules name."""
        if self.elementwise or self.nondifferentiable is True:
            return 0
        named = (self.linear, self.nondifferentiable, self.vjp, self.jvp)
        positions = chain.from_iterable(
            part for part in named if isinstance(part, (Mapping, frozenset))
        )
        taken: int = inspect.unwrap(self.infer).__code__.co_argcount
        return max(taken, 1 + max(positions, default=-1))

    def _require_rules(self, position: int) -> None:
        if not self.carries(position):
            return
        if self.rule("vjp", position) is None:
            raise ValueError(f"op {self.name!r}: operand {position} has no vjp rule")
        tangent = self.is_linear(position) or self.tangent is not None
        if not tangent and self.rule("jvp", position) is None:
            raise ValueError(f"op {self.name!r}: operand {position} has no jvp rule")

    def __call__(self, *operands: Operand, **attributes: Any) -> Any:
        """Apply the op: what its calls give."""
        raise NotImplementedError

    def is_singular(self, node: Node) -> bool:
        """Return whether partials at ``node`` can be infinite or NaN where its operands are
        finite.
        """
        singular = self.singular(node) if callable(self.singular) else self.singular
        return singular or self.is_strong(node)

    def is_strong(self, node: Node) -> bool:
        """Return whether partials at ``node`` can be infinite where its result is finite."""
        return self.strong(node) if callable(self.strong) else self.strong

    @property
    def elementwise(self) -> bool:
        return self.partials is not None

    def rule(self, mode: str, position: int) -> Rule | None:
        """The vjp or jvp rule of an operand, or None where there is none."""
        rules: Rules = getattr(self, mode)
        if self.linear == "each" and mode == "jvp" and self.carries(position):
            return functools.partial(self._of_tangent, position)
        if callable(rules):
            return lambda *args, **attributes: rules(position, *args, **attributes)
        return rules.get(position)

    def _of_tangent(
        self, position: int, t: Value, y: Any, *operands: Value, **attributes: Any
    ) -> Any:
        """The op with a tangent in the place of the operand."""
        return self(*operands[:position], t, *operands[position + 1 :], **attributes)

    def computes_with(self, position: int) -> bool:
        """Return whether rules compute with an operand: it is a number, no place, length or
        mask.
        """
        if self.as_given or not self.carries(position):
            return False
        return self.partials is not None or callable(self.vjp) or position in self.vjp

    def is_linear(self, position: int) -> bool:
        """Return whether the op applied to tangents is the result's tangent, by an operand."""
        if isinstance(self.linear, frozenset):
            return position in self.linear
        return self.linear is True

    def is_broadcast(self, position: int) -> bool:
        """Return whether rules leave it to who asks to sum an operand's cotangent to its shape."""
        return self.broadcasts if isinstance(self.broadcasts, bool) else position in self.broadcasts

    def carries(self, position: int) -> bool:
        """Return whether a derivative flows through an operand."""
        if isinstance(self.nondifferentiable, bool):
            return not self.nondifferentiable
        return position not in self.nondifferentiable


class Operation(DeclaredOp):
    """An op with one result."""

    __slots__ = ()

    def __call__(self, *operands: Operand, **attributes: Any) -> Value:
        """Apply the op: its result."""
        return builder().emit(self, operands, attributes).result


class SeveralResults(DeclaredOp):
    """An op with no result, or several, or as many as its attributes tell."""

    __slots__ = ()

    def __call__(self, *operands: Operand, **attributes: Any) -> tuple[Value, ...]:
        """Apply the op: its results."""
        return builder().emit(self, operands, attributes).results


class StageOperation(Operation):
    """An op that one stage makes for itself: no program names it, and it is not registered."""

    __slots__ = ()

    def __post_init__(self, operands: int | None = None) -> None:
        """Declare nothing."""


def _module_that_runs() -> dict[str, Any]:
    """The names of the module that is being imported, from which this is called."""
    frame = sys._getframe(1)
    while frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_globals


def declared_in(name: str) -> str:
    """The module in which the op of a name is declared."""
    found: str = _DECLARED_BY[name]["__name__"]
    return found


def operation_named(name: str) -> Operation:
    """The op of one result that is declared by a name."""
    operation = REGISTRY[name]
    assert isinstance(operation, Operation), name
    return operation


# Spellings --------------------------------------------------------------------------------------


def literal(value: Any) -> ast.expr:
    """The expression of a static attribute: numbers, strings, None, tuples, slices, dtypes."""
    if isinstance(value, np.dtype):
        if not value.isnative:
            return ast.Call(dotted("np.dtype"), [ast.Constant(value.str)], [])
        name = "bool" if value == np.dtype(bool) else value.name
        return dotted(f"np.{name}")
    if isinstance(value, np.generic):
        return ast.Call(literal(value.dtype), [literal(_python_number(value))], [])
    if isinstance(value, (tuple, list)):
        kind = ast.Tuple if isinstance(value, tuple) else ast.List
        return kind([literal(item) for item in value], ast.Load())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return _complex(value) if isinstance(value, complex) else ast.Constant(value)


def _python_number(value: np.generic) -> Any:
    """What the type of a scalar makes it of: text, where it is long and no number of Python's."""
    item = value.item()
    if not isinstance(item, np.inexact):
        return item
    is_complex = isinstance(item, np.complexfloating)
    number = complex(item) if is_complex else float(item)
    if item != item or item == number:
        return number
    assert not is_complex, "NumPy reads no long parts in a text"
    return str(item)


def _number(value: float) -> ast.expr:
    if value != value:
        return dotted("np.nan")
    if value in (float("inf"), float("-inf")):
        infinity = dotted("np.inf")
        return infinity if value > 0 else ast.UnaryOp(ast.USub(), infinity)
    if value < 0 or (value == 0 and str(value).startswith("-")):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _complex(value: complex) -> ast.expr:
    """A number whose parts, signs of zeros included, are what they are: ``0.5 + 2j`` is a sum."""
    imaginary = math.isfinite(value.imag) and math.copysign(1.0, value.imag) > 0.0
    if imaginary and value.real == 0 and math.copysign(1.0, value.real) > 0.0:
        return ast.Constant(value)
    return ast.Call(dotted("complex"), [_number(value.real), _number(value.imag)], [])


def dotted(name: str) -> ast.expr:
    """``np.linalg.solve`` as an expression."""
    first, *rest = name.split(".")
    expression: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        expression = ast.Attribute(expression, part, ast.Load())
    return expression


def supporting(function: Callable[..., Any]) -> ast.expr:
    """A function of ``ops.support``, which emission binds to its name."""
    return ast.Constant(function)  # type: ignore[arg-type]


_BY_ATTRIBUTES: set[Spelling] = set()


def _by_attributes(spelling: Spelling) -> Spelling:
    """A spelling that goes by the op and its attributes alone."""
    _BY_ATTRIBUTES.add(spelling)
    return spelling


def is_spelled_by_attributes(op: DeclaredOp) -> bool:
    """Return whether all nodes of an op that have the same attributes, and as many operands, are
    spelled alike.
    """
    return op.spelling in _BY_ATTRIBUTES


def supporting_call(function: Callable[..., Any], **defaults: Any) -> Spelling:
    """Spelled as a call of a function of ``ops.support``; attributes as with ``call``."""

    @_by_attributes
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        called = call("f", **defaults)(node, operands)
        assert isinstance(called, ast.Call)
        return ast.Call(supporting(function), called.args, called.keywords)

    return spell


def _called(function: Callable[..., Any]) -> Spelling | None:
    """Spelled as a call of a function of NumPy, Python or ``ops.support``; None of others."""
    if isinstance(function, np.ufunc):
        return call(f"np.{function.__name__}")
    module = function.__module__ or ""
    known = module in ("builtins", "math", "cmath", "symdiff.ops.support")
    if not known and module.partition(".")[0] != "numpy":
        return None
    return _by_attributes(lambda node, operands: _call_of(function)(node, operands))


@functools.cache
def _call_of(function: Callable[..., Any]) -> Spelling:
    """A call of a function, without what it takes for arguments that are not given."""
    known = documented(function) or {}
    defaults = {name: p.default for name, p in known.items() if p.default is not p.empty}
    module, name = function.__module__, function.__name__
    if module == "symdiff.ops.support":
        return supporting_call(function, **defaults)
    prefix = "" if module == "builtins" else f"{module}.".replace("numpy.", "np.", 1)
    return call(f"{prefix}{name}", **defaults)


def call_along(function: str, default: int | None = None) -> Spelling:
    """Spelled as a call with ``axis=``, where it is not the default, or not the only one."""

    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        axis, rank = node.attributes["axis"], array_type(node.operands[0]).rank
        implied = rank == 1 if default is None else axis == default % rank
        keywords = [] if implied else [ast.keyword("axis", literal(axis))]
        return ast.Call(dotted(function), list(operands), keywords)

    return spell


def call(function: str, **defaults: Any) -> Spelling:
    """Spelled as a call; attributes as keywords, those that equal ``defaults`` left out.

    Sizes among the attributes are told by the operands.
    """

    @_by_attributes
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        shown = {k: v for k, v in node.attributes.items() if k not in defaults or v != defaults[k]}
        keywords = [ast.keyword(name, literal(shown[name])) for name in shown if name != "length"]
        return ast.Call(dotted(function), list(operands), keywords)

    return spell


def template(text: str) -> Spelling:
    """Spelled by a pattern: ``template("{0}.T")``; ``{axis}`` stands for an attribute, ``{...}``,
    in a list, for all operands.
    """

    @_by_attributes
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        names: dict[str, Any] = {f"_{k}_": expression for k, expression in enumerate(operands)}
        names["_all_"] = operands
        names |= {f"_{name}_": literal(value) for name, value in node.attributes.items()}
        return _substituted(_pattern(text), names)  # type: ignore[no-any-return]

    return spell


@functools.cache
def _pattern(text: str) -> ast.expr:
    return expression_of(text.replace("{...}", "*_all_").replace("{", "_").replace("}", "_"))


def _items_of(item: Any, names: Mapping[str, Any]) -> Sequence[ast.expr]:
    """What stands in the place of an item of a pattern's list: all operands for ``{...}``."""
    match item:
        case ast.Starred(value=ast.Name(id="_all_")):
            return names["_all_"]  # type: ignore[no-any-return]
        case _:
            return [_substituted(item, names)]


def _substituted(tree: Any, names: Mapping[str, Any]) -> Any:
    """A copy of a pattern with expressions in the place of names; contexts and operators stay."""
    if isinstance(tree, list):
        return [one for item in tree for one in _items_of(item, names)]
    if isinstance(tree, ast.Name) and tree.id in names:
        return names[tree.id]
    if not isinstance(tree, ast.AST) or not tree._fields:
        return tree
    return type(tree)(**{f: _substituted(getattr(tree, f), names) for f in tree._fields})


def infix(operator: type[ast.operator] | type[ast.cmpop] | type[ast.unaryop]) -> Spelling:
    """Spelled with an operator, or as NumPy's function where the attribute ``ufunc`` is true."""

    @_by_attributes
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        if node.attributes.get("ufunc"):
            return ast.Call(dotted(f"np.{node.op.name}"), list(operands), [])
        if issubclass(operator, ast.unaryop):
            return ast.UnaryOp(operator(), operands[0])
        if issubclass(operator, ast.cmpop):
            return ast.Compare(operands[0], [operator()], [operands[1]])
        return ast.BinOp(operands[0], operator(), operands[1])

    return spell


# Types ------------------------------------------------------------------------------------------


def broadcast_shapes(*shapes: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The shape of an elementwise result. Two different open sizes give a new open size."""
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(_broadcast_dims(dims) for dims in zip(*padded, strict=True))


def _broadcast_dims(dims: tuple[Dim, ...]) -> Dim:
    candidates = [d for d in dict.fromkeys(dims) if d != 1] or [1]
    certain = [d for d in candidates if not may_be_one(d)]
    if certain:  # a constant says most; sizes known not to be 1 must be equal
        return next((d for d in certain if isinstance(d, int)), certain[0])
    if len(candidates) == 1:
        return candidates[0]
    return Size(f"max({','.join(sorted(map(str, candidates)))})", 0, open=True)


def fails_to_broadcast(node: Node) -> bool:
    """Return whether an elementwise node may have operands whose shapes do not broadcast."""
    elementwise = isinstance(node.op, DeclaredOp) and node.op.elementwise
    return elementwise and not surely_broadcasts(node)


def surely_broadcasts(node: Node) -> bool:
    """Return whether the shapes of a node's operands broadcast, whatever the arguments."""
    types = [v.type for v in node.operands]
    shapes = [type_.shape for type_ in types if isinstance(type_, ArrayType) and type_.shape]
    if not shapes or shapes.count(shapes[0]) == len(shapes):
        return True
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return all(len(set(dims) - {1}) <= 1 for dims in zip(*padded, strict=True))


def promotion_token(type_: ArrayType) -> Any:
    """What ``ufunc.resolve_dtypes`` wants for a type: Python's own class for a weak scalar."""
    if not type_.weak:
        return type_.dtype
    return {"f": float, "i": int, "c": complex, "b": np.dtype(bool)}[type_.dtype.kind]


def ufunc_dtypes(ufunc: np.ufunc, types: Iterable[ArrayType]) -> tuple[np.dtype, ...]:
    """The dtypes of a ufunc's results; a TypeError where it has no loop."""
    tokens = tuple(promotion_token(t) for t in types)
    if all(isinstance(token, type) for token in tokens):  # all weak: NumPy's default dtypes
        tokens = tuple(np.dtype(token) for token in tokens)
    return ufunc.resolve_dtypes((*tokens, *([None] * ufunc.nout)))[ufunc.nin :]


# Static arguments -------------------------------------------------------------------------------


class NeedsStatic(Exception):  # noqa: N818 - a request, not an error: staging restarts with it fixed
    """Structure depends on a staged value: staging restarts with it known."""

    def __init__(self, value: Value) -> None:
        super().__init__(value)
        self.value = value
        self.span: SourceSpan | None = None  # of the expression that asked
        self.hint: str | None = None  # what to write where it cannot be known


def static(argument: Any) -> Any:
    """The compile-time value of an argument: constants as such; a staged one asks to be fixed."""
    if isinstance(argument, (tuple, list)):
        items = [static(item) for item in argument]
        return items if isinstance(argument, list) else tuple.__new__(type(argument), items)
    if not isinstance(argument, Value):
        return argument
    if is_constant(argument):
        return constant_value(argument)
    known = of_constants(argument)
    if known is None:
        raise NeedsStatic(argument)
    return known


_MOST_STEPS, _MOST_KNOWN = 40, 64  # of what is evaluated where it has to be known


def of_constants(value: Value) -> Any:
    """What a few operations make of constants, if they are small and not of floats; or None."""
    return _evaluated(value, [_MOST_STEPS])


def _evaluated(value: Value, left: list[int]) -> Any:
    if is_constant(value):
        return constant_value(value)
    node, type_ = value.node, value.type
    left[0] -= 1
    if left[0] < 0 or not isinstance(type_, ArrayType) or type_.dtype.kind not in "iub":
        return None
    if node is None or len(node.results) > 1 or node.op.effect or node.blocks:
        return None
    if node.op.evaluate is None or not node.operands:
        return None
    operands = []
    for operand in node.operands:
        operands.append(_evaluated(operand, left))
        if operands[-1] is None or np.size(operands[-1]) > _MOST_KNOWN:
            return None
    try:
        return node.op.evaluate(*operands, **node.attributes)
    except (ArithmeticError, LookupError, ValueError):  # raised where it stands
        return None


def static_integer(argument: Any) -> int:
    """The compile-time value of what has to be an integer: an axis, an offset, a count."""
    value = static(argument)
    with rejecting():
        return operator.index(value)


def array_type(value: Any) -> ArrayType:
    """The type of an operand of array kind: a staged value or a Python number."""
    type_ = value.type if isinstance(value, Value) else type_of_constant(value)
    return require_array(type_, "an element")


# Lowerings --------------------------------------------------------------------------------------

Lowering = Callable[..., Any]
_Lowering = TypeVar("_Lowering", bound=Lowering)
FUNCTIONS: dict[Any, Lowering] = {}
WRITES: dict[Any, Lowering] = {}
METHODS: dict[str, Lowering] = {}
ATTRIBUTES: dict[str, Lowering] = {}


def writes(*callables: Any) -> Callable[[_Lowering], _Lowering]:
    """Register what library callables that change their first argument make of its value."""

    def register(lowering: _Lowering) -> _Lowering:
        WRITES.update(dict.fromkeys(callables, lowering))
        return lowering

    return register


def lowers(
    *callables: Any, method: str | None = None, attribute: str | None = None
) -> Callable[[_Lowering], _Lowering]:
    """Register a lowering for library callables, a method name and an attribute name of arrays."""

    def register(lowering: _Lowering) -> _Lowering:
        for function in callables:
            FUNCTIONS[function] = lowering
        if method is not None:
            METHODS[method] = lowering
        if attribute is not None:
            ATTRIBUTES[attribute] = lowering
        return lowering

    return register


# Elementwise ------------------------------------------------------------------------------------


def elementwise(
    ufunc: np.ufunc,
    documentation: str,
    *partials: Rule | float | None,
    name: str | None = None,
    spelling: Spelling | None = None,
    python: Callable[..., Any] | None = None,
    singular: bool | Callable[[Node], bool] = False,
    strong: bool | Callable[[Node], bool] = False,
    sympy: Meaning | None = None,
    math: str | Rule | None = None,
    jax: str | Absent | None = None,
    raises_on_numbers: bool = False,
    cost: Cost = "cheap",
    selects: bool = False,
    jvp: Rules | None = None,
    vjp: Rules | None = None,
) -> Operation:
    """Declare an elementwise op by its ufunc, whose name it has, and its partial derivatives.

    A partial is a rule ``(y, *operands) -> Value``, a constant, or None where nothing flows.
    ``selects``: a result is one of the operands, so none wraps. ``jvp`` and ``vjp`` are rules that
    are taken instead of a partial where the partial may overflow and the product with it does not.
    ``python`` is what the operator means on Python numbers alone (where the op is spelled infix and
    the attribute ``ufunc`` is not set); its result type is found by calling it on ones.
    """
    name = name or ufunc.__name__
    carried = frozenset(k for k, partial in enumerate(partials) if partial is None)

    @functools.lru_cache(maxsize=1024)
    def infer(*types: Type, **attributes: Any) -> tuple[Type, ...]:
        operands = [require_array(t, name) for t in types]
        if python is not None and is_pythons(operands) and not attributes.get("ufunc"):
            return (type_of_constant(python(*(one_of(t) for t in operands))),)
        shape = broadcast_shapes(*(t.shape for t in operands))
        dtype = ufunc_dtypes(ufunc, operands)[0]
        return (ArrayType(dtype, shape, "array" if shape else "scalar"),)

    def evaluate(*values: Any, **attributes: Any) -> Any:
        if python is None or attributes.get("ufunc"):
            return ufunc(*values)
        return python(*values)  # an array's ``**`` and ``np.power`` differ in bits

    return Operation(
        name,
        infer,
        evaluate,
        cost=cost,
        arithmetic=not selects and any(partial is not None for partial in partials),
        spelling=spelling or call(f"np.{ufunc.__name__}"),
        partials=partials,
        jvp=jvp or {},
        vjp=vjp or {},
        nondifferentiable=carried,
        singular=singular,
        strong=strong,
        python=python,
        raises_on_numbers=raises_on_numbers,
        sympy=sympy,
        math=math,
        jax=jax,
        documentation=documentation,
    )


def is_pythons(operands: Sequence[ArrayType]) -> bool:
    """Return whether an operator is Python's own: on its numbers, and of its complex ones with
    float64.

    NumPy's float64 is a float to Python, and so a complex number on the left takes it as one.
    """
    kinds = [t.kind for t in operands]
    if kinds == ["python", "scalar"]:
        return operands[0].dtype.kind == "c" and operands[1].dtype == np.dtype("float64")
    return all(kind == "python" for kind in kinds)


def are_complex_numbers(operands: Sequence[ArrayType]) -> bool:
    """Return whether operands are single numbers, and one of them is complex."""
    complex_ = any(t.dtype.kind == "c" for t in operands)
    return complex_ and all(t.kind != "array" for t in operands)


def one_of(type_: ArrayType) -> Any:
    """A Python number of a type, not 0."""
    return {"f": 1.0, "i": 1, "c": 1j, "b": True}[type_.dtype.kind]


def require_array(type_: Type, name: str) -> ArrayType:
    """The type as an array type; an error that names the op otherwise."""
    if isinstance(type_, ArrayType):
        return type_
    if isinstance(type_, OpaqueType) and type_ != OPAQUE:
        raise UnsupportedCallError(f"{in_words(type_)} where a number or an array is needed")
    if isinstance(type_, OpaqueType):
        raise UnsupportedCallError(
            "the type of a value is not known here: it comes from a call without a rule",
            hint='say its type where it is made: symdiff.nondifferentiable(returns="float64[n]")',
        )
    raise rejection(TypeError, f"{name} of {type_}")


def require_list(type_: Type, name: str) -> ListType:
    """The type as a list type; a TypeError that names the op otherwise."""
    if not isinstance(type_, ListType):
        raise rejection(TypeError, f"{name} of {type_}")
    return type_
