"""Calls of functions for which the user gives a derivative rule: one ``custom_call`` node each.

The function and its rule are staged as graphs over the same inputs: the numbers and arrays among
the arguments, and the values that any of the graphs captures. The reverse graph of a
``custom_jvp`` function is the transpose of its rule, which is linear in the tangents.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from symdiff import differentiate
from symdiff.api.marks import Cuts, checkpoint, custom_jvp, custom_vjp, nondifferentiable
from symdiff.dataclass import dataclass
from symdiff.differentiate.binomial import budgeted
from symdiff.differentiate.cotangents import fitted
from symdiff.differentiate.segments import segmented
from symdiff.errors import SignatureError, SymdiffError, UnsupportedCallError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, Graph, Value, walk_nodes
from symdiff.ir.signature import Fixed, Nested, Path, Signature, Specification, leaves
from symdiff.ir.structure import Container, Leaf, Static, Structure, leaf_numbers, tuple_of
from symdiff.ir.types import (
    ArrayType,
    Type,
    carries_derivative,
    in_words,
    type_of_constant,
    with_open_sizes,
)
from symdiff.ops.casts import number_or_array
from symdiff.ops.creation import zeros_of
from symdiff.ops.declare import broadcast_shapes, static, ufunc_dtypes
from symdiff.ops.effects import Named, grad_hook
from symdiff.ops.reduce import broadcast_like
from symdiff.ops.rules import custom_call, inlined, of_shape
from symdiff.ops.sizes import sizes_of
from symdiff.ops.stager import Stager
from symdiff.parse.blame import is_users, python_raises
from symdiff.parse.values import ObjectRef
from symdiff.runtime.parameters import Parameters
from symdiff.runtime.signature import read_type

if TYPE_CHECKING:
    from symdiff.api.ruling import Rule

Args = Sequence[Any]
_NONE = Fixed(None, type(None))


def call_custom_vjp(
    stager: Stager, declared: custom_vjp, args: Args, kwargs: dict[str, Any]
) -> Any:
    """The abstract result of a function with a reverse rule."""
    if stager.is_within(declared):
        return _without_rule(stager, declared, args, kwargs)
    call = _Call.of(stager, declared.function, declared.name, args, kwargs)
    call, reverse = _with_reverse(stager, declared, call, *declared.rule())
    return call.emit(stager, reverse=reverse)


def _with_reverse(
    stager: Stager, declared: Any, call: _Call, forward: Any, backward: Any
) -> tuple[_Call, Graph]:
    """The call with what a reverse rule captures, and the reverse graph."""

    def rule(stager: Stager, given: Args, kwargs: dict[str, Any]) -> Any:
        *primals, cotangent = given
        made = stager.call(forward, *call.parameters.spread(tuple(primals)))
        who = f"the forward part of the rule of {call.name}"
        pair = _pair(stager, made, who, "the result and what the backward part needs")
        return stager.call(backward, (pair[1], cotangent), {})

    with _within(stager, declared, call.name):
        reverse, captured = stager.graph(
            stager.callable((declared, "reverse"), rule),
            call.signature(g=cotangent_specification(call.primal)),
        )
    call = call.capturing(captured)
    return call, call.reverse_of(reverse, captured)


def call_custom_jvp(
    stager: Stager, declared: custom_jvp, args: Args, kwargs: dict[str, Any]
) -> Any:
    """The abstract result of a function with a forward rule."""
    if stager.is_within(declared):
        return _without_rule(stager, declared, args, kwargs)
    call = _Call.of(stager, declared.function, declared.name, args, kwargs)
    call, forward = _with_forward(stager, declared, call, declared.rule())
    return call.emit(stager, forward=forward, reverse=call.transposed(forward))


def _with_forward(
    stager: Stager, declared: Any, call: _Call, given_rule: Any
) -> tuple[_Call, Graph]:
    """The call with what a forward rule captures, and the forward graph."""

    def rule(stager: Stager, given: Args, kwargs: dict[str, Any]) -> Any:
        count = len(given) // 2
        made = stager.call(given_rule, (tuple(given[:count]), tuple(given[count:])), {})
        return _pair(stager, made, f"the rule of {call.name}", "value and tangent")[1]

    tangents = {f"t{k}": _tangent(spec) for k, (_, spec) in enumerate(call.specifications)}
    with _within(stager, declared, call.name):
        pushed, captured = stager.graph(
            stager.callable((declared, "forward"), rule), call.signature(**tangents)
        )
    call = call.capturing(captured)
    return call, call.forward_of(pushed, captured)


@contextlib.contextmanager
def _within(stager: Stager, declared: Any, name: str) -> Iterator[None]:
    """While a rule is staged, whose errors the function itself does not raise."""
    with stager.within(declared):
        try:
            yield
        except Exception as error:
            if not is_users(error):
                raise
            raise SignatureError(
                f"the rule of {name} raises {type(error).__name__}: {error}",
                hint="let the rule take what the function is given here",
            ) from error


def _pair(stager: Stager, made: Any, who: str, what: str) -> tuple[Any, Any]:
    """The two parts of what a user's rule gives."""
    try:
        first, second = stager.elements(made)
    except (UnsupportedCallError, ValueError):
        raise SignatureError(f"{who} gives no pair", hint=f"let it return {what}") from None
    return first, second


def _without_rule(
    stager: Stager, declared: custom_vjp | custom_jvp, args: Args, kwargs: dict[str, Any]
) -> Any:
    """A call of the function in its own rule, of which no derivative is known."""
    return _Call.of(stager, declared.function, declared.name, args, kwargs).emit(stager)


def _tangent(specification: Specification) -> Specification:
    """The specification of a tangent: None where there is no derivative."""
    if isinstance(specification, Nested):
        items = tuple(map(_tangent, specification.items))
        return Nested(specification.type, specification.keys, items)
    carries = isinstance(specification, ArrayType) and specification.differentiable
    return specification if carries else _NONE


def cotangent_specification(graph: Graph) -> Specification:
    """The specification of the cotangent of what a graph returns."""

    def of(structure: Structure) -> Specification:
        if isinstance(structure, Container):
            return Nested(structure.type, structure.keys, tuple(map(of, structure.items)))
        if isinstance(structure, Static):
            return _NONE
        assert isinstance(structure, Leaf)
        type_ = graph.block.results[structure.index].type
        return type_ if isinstance(type_, ArrayType) and type_.differentiable else _NONE

    return of(graph.output)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call being built: its arguments by name, the graph of the function, what was captured so
    far.
    """

    name: str
    parameters: Parameters
    arguments: dict[str, Any]
    specifications: tuple[tuple[str, Specification], ...]
    primal: Graph
    captured: tuple[Value, ...]
    first: tuple[Value, ...]  # what the primal graph captured
    sharing: tuple[Args, list[tuple[Any, Any]]]  # what was given, and what of the result that is

    @classmethod
    def of(
        cls,
        stager: Stager,
        function: Any,
        name: str,
        args: Args,
        kwargs: dict[str, Any],
        marked: bool = False,
        instead: Any = None,
    ) -> _Call:
        """The call of a function; ``instead`` is what computes it, if that is another one."""
        parameters = Parameters(name, stager.parameters(function))
        bound = parameters.bind(tuple(args), kwargs)
        _refuse_other_keywords(parameters, bound)
        flat = parameters.flat(bound)
        arguments = {f"x{k}": stager.lifted(value) for k, value in enumerate(flat)}
        specifications = tuple((n, stager.specification(v)) for n, v in arguments.items())
        names = list(arguments)
        shared: list[tuple[Any, Any]] = []

        def call(stager: Stager, given: Args, kwargs: dict[str, Any]) -> Any:
            result = stager.call(instead or function, *parameters.spread(tuple(given)))
            shared[:] = stager.shared(result, given)
            return result

        run = stager.callable((name, "primal", tuple(names)), call)
        signature = Signature(specifications)
        primal, captured = stager.graph(run, signature, finals=True, marked=marked)
        primal = _writing_nothing(primal, name)
        first = tuple(captured)
        known = (name, parameters, arguments, specifications)
        return cls(*known, primal, first, first, (tuple(flat), shared))

    def capturing(self, values: Sequence[Value]) -> _Call:
        """The call with more captured values."""
        captured = tuple(dict.fromkeys((*self.captured, *values)))
        return replace(self, captured=captured)

    def signature(self, **others: Specification) -> Signature:
        """The signature of a rule: the arguments, and after them what else it takes."""
        return Signature((*self.specifications, *others.items()))

    @property
    def numbers(self) -> dict[Path, ArrayType]:
        """The numbers and arrays among the arguments, by path: the first operands."""
        found = (pair for name, spec in self.specifications for pair in leaves(spec, (name,)))
        return {path: kind for path, kind in found if isinstance(kind, ArrayType)}

    # Graphs over the operands

    def _operands(self) -> list[Value]:
        arguments = [
            Value(kind, None, "_".join(map(str, path))) for path, kind in self.numbers.items()
        ]
        return [*arguments, *(Value(value.type, None, value.name) for value in self.captured)]

    def _results(
        self,
        graph: Graph,
        captured: Sequence[Value],
        operands: Sequence[Value],
        others: Mapping[Path, Value],
    ) -> list[Value]:
        """The results of a staged graph on operands, in the current builder."""
        known: dict[Any, Value] = dict(zip(self.numbers, operands, strict=False)) | dict(others)
        rest = zip(self.captured, operands[len(self.numbers) :], strict=True)
        known |= dict(rest)
        free = iter(captured)
        given = [
            known[source.path if source.origin == "argument" else next(free)]
            for source in graph.inputs
        ]
        return inlined(graph, given)

    def _graph(
        self, nodes: Builder, parameters: Sequence[Value], results: Sequence[Value]
    ) -> Graph:
        output = tuple_of(len(results))
        return Graph.of_values(self.name, parameters, nodes.nodes, results, output)

    def primal_of(self) -> Graph:
        """The function itself."""
        operands = self._operands()
        with building(Builder()) as made:
            results = self._results(self.primal, self.first, operands, {})
        return self._graph(made, operands, results)

    def reverse_of(self, rule: Graph, captured: Sequence[Value]) -> Graph:
        """Operands and a cotangent a differentiable result → a cotangent an operand."""
        self._require_a_cotangent_each(rule.output)
        operands = self._operands()
        seeds = self._seeds()
        with building(Builder()) as made:
            results = self._results(rule, captured, operands, seeds)
            bars = [
                self._cotangent(rule.output, results, path, operand)
                for path, operand in zip(self.numbers, operands, strict=False)
            ]
        bars += operands[len(bars) :]  # never asked for
        return self._graph(made, [*operands, *seeds.values()], bars)

    def _require_a_cotangent_each(self, output: Structure) -> None:
        count = len(self.specifications)
        several = isinstance(output, Container) and issubclass(output.type, tuple | list)
        given = len(output.items) if several and isinstance(output, Container) else 1
        if given != count:
            raise SignatureError(
                f"the rule of {self.name} gives {given} cotangent(s) for {count} argument(s)",
                hint="give a tuple, with one for each argument, None where there is none",
            )

    def _seeds(self) -> dict[Path, Value]:
        specification = cotangent_specification(self.primal)
        found = leaves(specification, ("g",))
        return {path: Value(kind, None, "g") for path, kind in found if isinstance(kind, ArrayType)}

    def _cotangent(
        self, output: Structure, results: Sequence[Value], path: Path, operand: Value
    ) -> Value:
        if not carries_derivative(operand.type):
            return operand
        part = output
        for key in (int(path[0][1:]), *path[1:]):
            if not isinstance(part, Container):
                break
            if key not in part.keys:
                raise SignatureError(
                    f"the rule of {self.name} gives a cotangent of another structure than that of"
                    f" argument {path[0][1:]}",
                    hint="give the same containers, with None where there is no derivative",
                )
            part = part.items[part.keys.index(key)]
        if not isinstance(part, Leaf):
            return zeros_of(operand)
        return self._fitting(results[part.index], operand)

    def _fitting(self, derivative: Value, primal: Value) -> Value:
        """A derivative that the user's rule gives; where it has fewer axes, it is repeated."""
        ranks = [v.type.rank for v in (derivative, primal) if isinstance(v.type, ArrayType)]
        if len(ranks) == 2 and ranks[0] < ranks[1]:
            derivative = broadcast_like(derivative, primal)
        return _of_its_shape(derivative, primal, f"the rule of {self.name}")

    def forward_of(self, rule: Graph, captured: Sequence[Value]) -> Graph:
        """Operands and a tangent a differentiable argument → a tangent a differentiable result."""
        operands = self._operands()
        tangents: dict[Path, Value] = {}
        for path, operand in zip(self.numbers, operands, strict=False):
            if carries_derivative(operand.type):
                tangents[f"t{path[0][1:]}", *path[1:]] = Value(operand.type, None, operand.name)
        with building(Builder()) as made:
            results = self._results(rule, captured, operands, tangents)
            primals = self._results(self.primal, self.first, operands, {})
            pushed = self._tangents(rule.output, results, self.primal.output, primals)
        return self._graph(made, [*operands, *tangents.values()], pushed)

    def _tangents(
        self,
        given: Structure,
        results: Sequence[Value],
        output: Structure,
        primals: Sequence[Value],
    ) -> list[Value]:
        found: dict[int, Value] = {}
        stack = [(output, given)]
        while stack:
            wanted, part = stack.pop()
            if isinstance(wanted, Container):
                parts = part.items if isinstance(part, Container) else [part] * len(wanted.items)
                stack.extend(zip(wanted.items, parts, strict=True))
            elif isinstance(wanted, Leaf) and carries_derivative(primals[wanted.index].type):
                primal = primals[wanted.index]
                found[wanted.index] = (
                    self._fitting(results[part.index], primal)
                    if isinstance(part, Leaf)
                    else zeros_of(primal)
                )
        return [found[k] for k in sorted(found)]

    def transposed(self, forward: Graph) -> Graph:
        """The reverse graph: what is linear in the tangents, the other way round."""
        operands = self._operands()
        places = [
            k for k, v in enumerate(operands[: len(self.numbers)]) if carries_derivative(v.type)
        ]
        wrt = range(len(operands), len(operands) + len(places))
        return self._pulled(forward, wrt, operands, places, [operands[k] for k in places])

    def _pulled(
        self,
        graph: Graph,
        wrt: Sequence[int],
        operands: Sequence[Value],
        places: Sequence[int],
        zeros: Sequence[Value] = (),
    ) -> Graph:
        """The reverse graph that the pullback of ``graph`` is, which takes the operands and zeros
        like others: by its inputs ``wrt``, which stand for the operands at ``places``.
        """
        results = graph.block.results
        pulled = differentiate.vjp(graph, wrt, output=tuple_of(len(wrt), len(results)))
        seeds = [Value(v.type, None, "g") for v in results if carries_derivative(v.type)]
        with building(Builder()) as made:
            given = [*operands, *map(zeros_of, zeros), *seeds]
            found = dict(zip(places, inlined(pulled, given), strict=True))
        bars = [found.get(k, operand) for k, operand in enumerate(operands)]
        return self._graph(made, [*operands, *seeds], bars)

    def recomputing(self) -> dict[str, Graph]:
        """Rules that are the function's own derivatives, by arguments and captured values alike."""
        primal, operands = self.primal_of(), self._operands()
        wrt = [k for k, value in enumerate(operands) if carries_derivative(value.type)]
        rules = {"reverse": self._pulled(primal, wrt, operands, wrt)}
        results = primal.block.results
        count = sum(carries_derivative(value.type) for value in results)
        with contextlib.suppress(UnsupportedCallError):  # what it calls has no forward rule
            rules["forward"] = differentiate.jvp(primal, wrt, output=tuple_of(count, len(results)))
        return rules

    def emit(
        self,
        stager: Stager,
        reverse: Graph | None = None,
        forward: Graph | None = None,
        rest_carries: bool = False,
    ) -> Any:
        """The node in the program, and what the function returns.

        ``rest_carries``: the rules give derivatives by what was captured too.
        """
        numbers = self.numbers
        operands = [*stager.leaves(self.arguments, list(numbers)), *self.captured]
        results = custom_call(
            *operands,
            name=self.name,
            primal=self.primal_of(),
            reverse=reverse,
            forward=forward,
            arguments=len(operands) if rest_carries else len(numbers),
            **({"own": True} if rest_carries else {}),
        )
        return self._returned(stager, results)

    def cut(self, stager: Stager, cuts: Cuts) -> Any:
        """The function itself in the program, its loops cut, and what it returns.

        :raises UnsupportedCallError: where it has no loop that can be.
        """
        cut = _CUTTING[cuts.word](self.primal_of(), cuts.given)
        if cut is None:
            raise UnsupportedCallError(
                f"checkpoint({cuts}) of {self.name}, which has no loop that can be cut",
                hint="it is for a function with a for or while of numbers and arrays that keep"
                f" their shapes; use checkpoint without {cuts.word}",
            )
        operands = [*stager.leaves(self.arguments, list(self.numbers)), *self.captured]
        return self._returned(stager, inlined(cut, operands))

    def _returned(self, stager: Stager, results: Sequence[Value]) -> Any:
        """What the function returns, and what of it may lie in the memory of arguments."""
        result = stager.returned(self.primal.output, results)
        given, shared = self.sharing
        stager.related(result, shared, given)
        return result


def _refuse_other_keywords(parameters: Parameters, bound: tuple[Any, ...]) -> None:
    """Refuse arguments that only ``**kwargs`` takes, of which a rule is told nothing."""
    for parameter, value in zip(parameters.signature.parameters.values(), bound, strict=True):
        if parameter.kind is parameter.VAR_KEYWORD and value:
            raise UnsupportedCallError(
                f"{parameters.function} with the argument {next(iter(value))}=, of which its rule"
                " is not told",
                hint="give the function a rule as one that takes it by name",
            )


def _writing_nothing(graph: Graph, name: str) -> Graph:
    """The graph of a function, staged with what its arguments are in the end, if that is what they
    were.

    :raises UnsupportedCallError: if it is not.
    """
    assert isinstance(graph.output, Container)
    result, finals = graph.output.items
    if isinstance(finals, Container) and finals.keys:
        raise UnsupportedCallError(
            f"{name} changes an argument, and its rule is for the derivative of what it returns",
            hint="let it return what it computes, and write that where it is called",
        )
    block = graph.block
    count = len(set(leaf_numbers(result)))
    assert sorted(set(leaf_numbers(result))) == list(range(count))
    made = Block(block.parameters, block.nodes, block.results[:count])
    return Graph(graph.name, made, graph.inputs, result, {}, graph.docstring, graph.span)


def _of_its_shape(derivative: Value, primal: Value, rule: str) -> Value:
    """A derivative that ``rule`` gives, in the dtype and kind of its primal, and of its shape.

    :raises SignatureError: where that is known to be another; what is not is checked when it runs.
    """
    given, wanted = derivative.type, primal.type
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        differ = given.rank != wanted.rank or any(
            isinstance(a, int) and isinstance(b, int) and a != b
            for a, b in zip(given.shape, wanted.shape, strict=True)
        )
        if differ:
            raise SignatureError(
                f"{rule} gives {in_words(given)} as the derivative of {in_words(wanted)}",
                hint="a derivative has the shape of what it is by",
            )
        if given.shape != wanted.shape:
            derivative = of_shape(derivative, *sizes_of(primal), shape=wanted.shape, rule=rule)
    return fitted(derivative, primal)


# Functions of others ------------------------------------------------------------------------------

_DEPTH = 4  # to what order a rule that calls its own function has a derivative


def call_ruled(stager: Stager, rule: Rule, args: Args, kwargs: dict[str, Any]) -> Any:
    """The abstract result of a function of others to which the user has given a rule."""
    if rule.definition is not None:
        if stager.is_within(rule):
            raise UnsupportedCallError(f"the definition of {rule.name} calls {rule.name} itself")
        with stager.within(rule):
            return stager.defined(rule.function, rule.definition, args, kwargs)
    if kwargs and isinstance(rule.function, np.ufunc):
        raise UnsupportedCallError(
            f"{rule.name} with the argument {next(iter(kwargs))}=, of which its rule is not told"
        )

    def run(stager: Stager, args: Args, kwargs: dict[str, Any]) -> Any:
        output, types = _told(stager, rule, args, kwargs)
        told = rule.returns is not None
        return stager.foreign(rule.function, args, kwargs, output, types, told)

    called = stager.callable((rule, "function"), run)
    call = _Call.of(stager, rule.function, rule.name, args, kwargs, instead=called)
    if stager.is_within(rule, _DEPTH):
        return call.emit(stager)
    try:
        return _with_rules(stager, rule, call)
    except SignatureError:
        if not stager.is_within(rule):
            raise
        return call.emit(stager)  # the call outside of the rule says the same of it


def _with_rules(stager: Stager, rule: Rule, call: _Call) -> Any:
    reverse = forward = None
    if rule.vjp is not None:
        call, reverse = _with_reverse(stager, rule, call, *rule.vjp)
    if rule.jvp is not None:
        call, forward = _with_forward(stager, rule, call, rule.jvp)
    if forward is not None and reverse is None:
        reverse = call.transposed(forward)
    return call.emit(stager, reverse=reverse, forward=forward)


def _told(
    stager: Stager, rule: Rule, args: Args, kwargs: dict[str, Any]
) -> tuple[Structure, tuple[Type, ...]]:
    """What a function of others returns, and of which types."""
    if rule.returns is None:
        assert isinstance(rule.function, np.ufunc)
        return _of_ufunc(rule.function, [stager.specification(stager.lifted(a)) for a in args])
    if isinstance(rule.returns, tuple):
        types = tuple(with_open_sizes(type_) for type_ in rule.types)
        return tuple_of(len(types)), types
    if not callable(rule.returns):
        return Leaf(0), (with_open_sizes(rule.types[0]),)
    said = stager.callable(
        (rule, "returns"), lambda stager, given, _: stager.call(rule.returns, args, kwargs)
    )
    graph, _ = stager.graph(said, Signature(()))
    return graph.output, tuple(value.type for value in graph.block.results)


def _of_ufunc(
    function: np.ufunc, given: Sequence[Specification]
) -> tuple[Structure, tuple[Type, ...]]:
    """What a ufunc returns, as NumPy says."""
    types = [_type_of(specification) for specification in given]
    shape = broadcast_shapes(*(type_.shape for type_ in types))
    made = tuple(number_or_array(dtype, shape) for dtype in ufunc_dtypes(function, types))
    return (Leaf(0) if len(made) == 1 else tuple_of(len(made))), made


def _type_of(specification: Specification) -> ArrayType:
    if isinstance(specification, Fixed):
        specification = getattr(specification.value, "type", None) or type_of_constant(
            specification.value
        )
    if not isinstance(specification, ArrayType):
        raise UnsupportedCallError("a ufunc takes numbers and arrays")
    return specification


# Recomputation ------------------------------------------------------------------------------------


_CUTTING: dict[str, Callable[[Graph, Any], Graph | None]] = {
    "every": segmented,
    "budget": budgeted,
}


def call_checkpoint(
    stager: Stager, declared: checkpoint, args: Args, kwargs: dict[str, Any]
) -> Any:
    """The function with a rule that computes it again in the backward sweep."""
    own = declared.function
    return _checkpointed_call(stager, own, declared.name, args, kwargs, declared.cuts)


def checkpointed(
    stager: Stager, function: Any = None, *, every: Any = None, budget: Any = None
) -> Any:
    """What ``checkpoint`` makes of a function inside a program."""
    given = [None if value is None else _numbers(stager, value) for value in (every, budget)]
    with python_raises():
        cuts = Cuts.of(*given)

    def call(stager: Stager, args: Args, kwargs: dict[str, Any]) -> Any:
        if function is None:
            return checkpointed(stager, *args, every=every, budget=budget)
        name = getattr(function, "name", getattr(function, "__name__", "function"))
        return _checkpointed_call(stager, function, name, args, kwargs, cuts)

    return stager.callable(("checkpoint", function, cuts), call)


def _numbers(stager: Stager, given: Any) -> Any:
    """A number, a word, or the tuple of numbers that an abstract one is."""
    parts = stager.parts(given)
    return static(given) if parts is None else tuple(map(static, parts[2]))


def _checkpointed_call(
    stager: Stager,
    function: Any,
    name: str,
    args: Args,
    kwargs: dict[str, Any],
    cuts: Cuts | None,
) -> Any:
    try:
        call = _Call.of(stager, function, name, args, kwargs, marked=True)
    except UnsupportedCallError:  # it writes to what it does not own: that cannot be done twice
        return stager.call(function, args, kwargs)
    if any(node.op.effect for node in walk_nodes(call.primal.block)):  # a name is kept, say
        return stager.call(function, args, kwargs)
    if cuts is not None:
        return call.cut(stager, cuts)
    return call.emit(stager, **call.recomputing(), rest_carries=True)


# Hooks and functions without derivative -----------------------------------------------------------


def call_grad_hook(stager: Stager, x: Any, fn: Any) -> Any:
    """``x`` with a rule: its cotangent becomes ``fn`` of it, followed into its source where it has
    one.
    """
    specification = stager.specification(stager.lifted(x))
    known = isinstance(specification, Fixed) and not isinstance(x, ObjectRef)
    if not (isinstance(specification, ArrayType) or known):
        raise UnsupportedCallError(
            "a grad_hook of an object or a container", None, "hook the numbers and arrays in it"
        )
    if not (isinstance(specification, ArrayType) and specification.differentiable):
        return x
    try:
        hook, captured = stager.graph(fn, Signature((("g", specification),)))
    except SymdiffError:
        if not isinstance(fn, _CALLED_AS_THEY_ARE):
            raise
        return _opaque_hook(stager, x, fn)
    if not isinstance(hook.output, Leaf):  # it raises, or gives something else
        if not isinstance(fn, _CALLED_AS_THEY_ARE):
            raise UnsupportedCallError(
                "a grad_hook that gives no cotangent", None, "let it return the cotangent"
            )
        return _opaque_hook(stager, x, fn)
    (value,) = stager.leaves({"x": stager.lifted(x)}, [("x",)])
    operands = [Value(value.type, None, "x"), *(Value(v.type) for v in captured)]
    seed = Value(value.type, None, "g")
    primal = Graph.of_values("x", operands, [], operands[:1], Leaf(0))
    with building(Builder()) as made:
        free = iter(operands[1:])
        given = [seed if source.origin == "argument" else next(free) for source in hook.inputs]
        changed = _of_its_shape(inlined(hook, given)[0], seed, _hook_called(fn))
        bars = [changed, *operands[1:]]
    reverse = Graph.of_values("hook", [*operands, seed], made.nodes, bars, Leaf(0))
    tangent = Value(value.type, None, "t")
    forward = Graph.of_values("x", [*operands, tangent], [], [tangent], Leaf(0))
    (result,) = custom_call(
        value,
        *captured,
        name="grad_hook",
        primal=primal,
        reverse=reverse,
        forward=forward,
        arguments=1,
    )
    return _hooked(stager, x, result)


_CALLED_AS_THEY_ARE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def _opaque_hook(stager: Stager, x: Any, fn: Any) -> Any:
    (value,) = stager.leaves({"x": stager.lifted(x)}, [("x",)])
    return _hooked(stager, x, grad_hook(value, function=_named(fn)))


def _hooked(stager: Stager, x: Any, value: Value) -> Any:
    """What a hook gives, in the memory of what it is given."""
    result = stager.returned(Leaf(0), [value])
    stager.related(result, [((), 0)], [x])
    return result


def _hook_called(fn: Any) -> str:
    return f"the hook {getattr(fn, 'name', getattr(fn, '__name__', fn))}"


def _named(fn: Any) -> Named:
    name = getattr(fn, "__name__", "hook")
    return Named(fn, name if name.isidentifier() else "hook")


def call_nondifferentiable(
    stager: Stager, declared: nondifferentiable, args: Args, kwargs: dict[str, Any]
) -> Any:
    """The function followed, its results without derivative; or an opaque call of it."""
    return _call_without_derivative(stager, declared.function, declared.returns, args, kwargs)


def without_derivative(stager: Stager, function: Any = None, *, returns: str | None = None) -> Any:
    """What ``nondifferentiable`` makes of a function inside a program."""

    def call(stager: Stager, args: Args, kwargs: dict[str, Any]) -> Any:
        if function is None:
            return without_derivative(stager, *args, returns=returns)
        return _call_without_derivative(stager, function, returns, args, kwargs)

    return stager.callable(("nondifferentiable", function, returns), call)


def _call_without_derivative(
    stager: Stager, function: Any, returns: str | None, args: Args, kwargs: dict[str, Any]
) -> Any:
    is_followed = returns is None and isinstance(function, types.FunctionType)
    if is_followed or not callable(function):  # one of the program's own
        return stager.stopped(function, args, kwargs)
    type_ = None if returns is None else read_type(returns)
    if type_ is None and returns is not None:
        raise SignatureError(f"{returns!r} is no type", hint="for example 'float64[n]'")
    return stager.opaque(function, args, kwargs, None if type_ is None else with_open_sizes(type_))
