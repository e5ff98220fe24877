"""What symdiff's own functions mean inside a staged one: the front end's side of
``ops.stager.Stager``.

A call of ``grad(f)`` stages the call of ``f`` as a graph of its own, whose inputs are the arguments
and what the graph captured from around it. ``no_grad`` and ``checkpoint`` are marks on what is
staged meanwhile.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError, UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.build import builder, copy_block, copy_into
from symdiff.ir.compiled import own_signature
from symdiff.ir.control import CALLS
from symdiff.ir.graph import Block, Graph, Input, Node, Value, free_values
from symdiff.ir.signature import Asked, Fixed, Nested, Path, Signature, Specification, step
from symdiff.ir.structure import Structure, declared, is_leaf
from symdiff.ir.types import OPAQUE, ArrayType, ListType, Type, type_of_constant
from symdiff.ops.effects import assert_, never_returns, raise_
from symdiff.ops.facts import is_length
from symdiff.ops.foreign import foreign_call
from symdiff.ops.sizes import lower_bound
from symdiff.parse import solving
from symdiff.parse.attributes import object_attribute
from symdiff.parse.binding import closure_signature, spread_arguments
from symdiff.parse.blame import users
from symdiff.parse.calls import CALLABLES
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.contexts import NoGrad, without_derivatives
from symdiff.parse.cutting import cut, cut_argument
from symdiff.parse.definitions import call_definition
from symdiff.parse.demand import obtainable
from symdiff.parse.heap import is_callers
from symdiff.parse.interpreter import ERROR, HOOKS, Interpreter
from symdiff.parse.marking import suspended
from symdiff.parse.meanwhile import meanwhile, pushed
from symdiff.parse.memory_order import fills_memory, memory_order
from symdiff.parse.opaque import Template, call_opaque, held_at
from symdiff.parse.output import output_of
from symdiff.parse.pure import computed
from symdiff.parse.raising import raise_error
from symdiff.parse.reflect import container
from symdiff.parse.scope import read_once
from symdiff.parse.trees import Parts, parts_of, unflatten
from symdiff.parse.trying import require_not_caught
from symdiff.parse.values import (
    Abstract,
    Array,
    BoundMethod,
    Closure,
    Conflict,
    ConflictRead,
    DictRef,
    Keywords,
    ListRef,
    NeverReturns,
    ObjectRef,
    Partial,
)
from symdiff.parse.views import (
    in_the_memory_of,
    is_writeable,
    note_in_memory,
    stopped,
    with_other_derivative,
)
from symdiff.parse.writeback import begin, settled

Call = Callable[..., Any]
_RAISING = frozenset((raise_, assert_, *CALLS))


Shared: TypeAlias = list[tuple[Path, Any]]


@dataclass(frozen=True, slots=True)
class StagedCallable:
    """An abstract value that can be called; equal keys are the same function."""

    key: Any
    call: Call = field(compare=False)
    attributes: Mapping[str, Callable[[], Abstract]] = field(default_factory=dict, compare=False)

    def staged_attribute(self, name: str) -> Abstract:
        """An attribute: the derivatives of a decorated function."""
        if name not in self.attributes:
            raise users(AttributeError(f"the function has no attribute '{name}'"))
        return self.attributes[name]()


class Stager:
    """``ops.stager.Stager`` for one interpreter."""

    def __init__(self, interp: Interpreter) -> None:
        self.interp = interp

    # Functions

    def callable(
        self, key: Any, call: Call, attributes: Mapping[str, Callable[[], Abstract]] | None = None
    ) -> Abstract:
        return StagedCallable(key, call, attributes or {})

    def call(self, function: Abstract, args: Sequence[Abstract], kwargs: Keywords) -> Abstract:
        return self.interp.call(function, list(args), dict(kwargs))

    def no_grad(self) -> Abstract:
        return NoGrad()

    def without_derivative(self, value: Abstract) -> Abstract:
        return cut(self.interp, value, self._mapped)

    def stopped(self, function: Abstract, args: Sequence[Abstract], kwargs: Keywords) -> Abstract:
        interp = self.interp
        given = [cut_argument(interp, value, self._mapped) for value in args]
        named = {k: cut_argument(interp, value, self._mapped) for k, value in kwargs.items()}
        # What it writes to a list or a dict would be lost.
        lost = any(isinstance(v, ListRef | DictRef) for v in (*given, *named.values()))
        refusals = () if lost else (UnsupportedSyntaxError, UnsupportedCallError)
        with Checkpoint(interp, *refusals) as attempt, without_derivatives(interp):
            return cut(interp, self.call(function, given, named), self._mapped)
        try:
            return call_opaque(interp, function, given, named)
        except UnsupportedCallError:
            raise attempt.failure from None

    def opaque(
        self, function: Any, args: Sequence[Abstract], kwargs: Keywords, type_: Type | None
    ) -> Abstract:
        given = [_mapped_values(self, value, stopped) for value in args]
        named = {name: _mapped_values(self, value, stopped) for name, value in kwargs.items()}
        made = call_opaque(self.interp, function, given, named, type_ or OPAQUE)
        return self.interp.wrap(stopped(made) if type_ else made)

    def held(self, instance: Abstract) -> Any:
        ref = self._of_outside(instance)
        return held_at(self.interp, ref.path, ref.live)

    def asked(self, instance: Abstract, method: str, *parts: Any) -> Abstract:
        ref = self._of_outside(instance)
        steps = (Asked(method, ()), *parts)
        value = functools.reduce(step, steps, ref.live)
        path = (*ref.path, *steps)
        return read_once(self.interp, path, value, path)

    def _of_outside(self, instance: Abstract) -> Any:
        if not isinstance(instance, ObjectRef) or instance.path is None or instance.live is None:
            self.refuse("an object that is made inside")
        return instance

    def foreign(
        self,
        function: Any,
        args: Sequence[Abstract],
        kwargs: Keywords,
        output: Structure,
        types: tuple[Type, ...],
        told: bool,
    ) -> Abstract:
        template = Template(self.interp)
        named = template.named(function)
        results = template.emit(foreign_call, args, kwargs, function=named, types=types, told=told)
        return self.returned(output, results)

    def defined(
        self, function: Any, definition: Any, args: Sequence[Abstract], kwargs: Keywords
    ) -> Abstract:
        return call_definition(self.interp, function, definition, list(args), dict(kwargs))

    def followed(
        self, callback: Abstract, own: Abstract, args: Abstract, count: int = 1
    ) -> Abstract:
        return solving.followed(self, callback, own, args, count)

    def solver(self, function: str, *given: Abstract) -> Abstract:
        return solving.solver(self, function, *given)

    def slope(self, kind: str, callback: Any, at: Abstract) -> Abstract:
        return solving.slope(self, kind, callback, at)

    def valued(self, made: Abstract, value: Abstract) -> Abstract:
        return solving.valued(self, made, value)

    def strong_multiply(self, value: Abstract, factor: Abstract) -> Abstract:
        return solving.strong_product(self, value, factor)

    def solution(self, rule: str, *given: Abstract) -> Abstract:
        return solving.solution(self, rule, *given)

    def refuse(self, reason: str) -> NoReturn:
        for predicate in reversed(self.interp.predicates):
            if wanted := obtainable(self.interp, predicate):
                raise wanted
        raise UnsupportedCallError(reason)

    def require(self, condition: Value, message: str) -> None:
        interp = self.interp
        error = functools.partial(raise_error, interp, TypeError(message))
        interp.where_not(condition, error)

    def within(self, declared: Any) -> AbstractContextManager[None]:
        return pushed(self.interp.rules, declared)

    def is_within(self, declared: Any, times: int = 1) -> bool:
        return sum(rule is declared for rule in self.interp.rules) >= times

    def parameters(self, function: Abstract) -> inspect.Signature:
        if isinstance(function, Closure):
            return closure_signature(function)
        if isinstance(function, BoundMethod):
            return _without(self.parameters(function.function), 1)
        if isinstance(function, Partial):
            return _without(self.parameters(function.function), len(function.arguments))
        if isinstance(function, StagedCallable) or not builtins.callable(function):
            return inspect.signature(lambda *args, **kwargs: None)
        if isinstance(function, np.ufunc):
            count, kind = function.nin, inspect.Parameter.POSITIONAL_ONLY
            return inspect.Signature([inspect.Parameter(f"x{k}", kind) for k in range(count)])
        inner: Any = declared(function, "__symdiff_function__", function)
        try:
            return own_signature(inner)
        except ValueError:
            return inspect.signature(lambda *args: None)

    # Values

    def elements(self, value: Abstract) -> tuple[Abstract, ...]:
        if isinstance(value, ListRef):
            value = self.interp.heap.get(value)
        if isinstance(value, Conflict):
            raise ConflictRead(value)
        if not isinstance(value, tuple):
            raise UnsupportedCallError("a tuple or a list of known length is needed here")
        return value

    def parts(self, value: Abstract) -> Parts | None:
        """Type, keys and items of an abstract container."""
        heap = self.interp.heap
        held: Any = heap.get(value) if isinstance(value, ListRef | DictRef) else value
        if isinstance(held, Conflict):
            raise ConflictRead(held)
        parts = parts_of(heap, value)
        if parts is None or not isinstance(value, ObjectRef):
            return parts
        items = tuple(object_attribute(self.interp, value, name) for name in parts.keys)
        return parts._replace(items=items)

    def container(self, kind: type, keys: tuple[Any, ...], items: Sequence[Abstract]) -> Abstract:
        return container(self.interp, kind, keys, list(items), None)

    def specification(self, value: Abstract) -> Specification:
        if isinstance(value, Conflict):
            raise ConflictRead(value)
        if isinstance(value, Array):
            value = self.interp.heap.read(value)
        if isinstance(value, ListRef) and isinstance(self.interp.heap.get(value), Value):
            value = self.interp.heap.get(value)
        if isinstance(value, Value) and isinstance(value.type, ArrayType | ListType):
            return Fixed(value, int) if _decides(value.type) else value.type
        parts = self.parts(value)
        if parts is None:
            return Fixed(value, type(value))
        kind, keys, items = parts
        return Nested(kind, keys, tuple(map(self.specification, items)))

    def computed(self, function: Any, args: Sequence[Abstract]) -> Abstract:
        return computed(self.interp, function, args, {})

    def memory_order(self, value: Abstract) -> str | None:
        return memory_order(self.interp, self.interp.lift(value))

    def fills_memory(self, value: Abstract, order: Literal["C", "F"]) -> bool:
        return fills_memory(self.interp, self.interp.lift(value), order)

    def is_writeable(self, value: Abstract) -> bool | None:
        return is_writeable(self.interp, value) if isinstance(value, Array) else None

    def is_length(self, number: Abstract) -> bool:
        return is_length(self.interp.lift(number))

    def is_one(self, length: Abstract) -> Abstract:
        least = lower_bound(self.interp.lift(length))
        if least is not None and least > 1:
            return False
        return self.interp.call(operator.eq, [length, 1], {})

    def lies_in(self, array: Abstract, made: Abstract) -> None:
        if isinstance(array, Array) and isinstance(made, Array):
            note_in_memory(self.interp, array, made)

    def lifted(self, value: Abstract) -> Abstract:
        if is_leaf(value) and type_of_constant(value).differentiable:
            return self.interp.wrap(builder().constant(value))
        return self._mapped(value, self.lifted)

    def frozen(self, value: Abstract) -> Abstract:
        if isinstance(value, Array):
            return self.interp.wrap(self.interp.heap.read(value))
        return self._mapped(value, self.frozen)

    def _mapped(self, value: Abstract, change: Callable[[Abstract], Abstract]) -> Abstract:
        parts = self.parts(value)
        if parts is None or isinstance(value, ObjectRef):
            return value
        kind, keys, items = parts
        if isinstance(value, dict):
            return dict(zip(keys, map(change, items), strict=True))
        return container(self.interp, kind, keys, list(map(change, items)), None)

    # Graphs

    def graph(
        self, function: Abstract, signature: Signature, finals: bool = False, marked: bool = False
    ) -> tuple[Graph, list[Value]]:
        interp = self.interp
        inputs: list[Input] = []
        parameters: list[Value] = []
        written: set[Any] = set()
        heap = interp.heap.copy(written)
        before = dict(heap.contents)
        with (
            contextlib.nullcontext() if marked else suspended(interp),
            self._leaving_outside_alone(written),
            interp.scratch(heap) as inner,
            interp.apart(),
        ):
            begin(interp)
            given = {
                name: self._argument(spec, (name,), inputs, parameters)
                for name, spec in signature.parameters
            }
            at_first = {name: self._content(value) for name, value in given.items()}
            result = self._result(function, given)
            if finals:
                names = [n for n, v in given.items() if self._content(v) != at_first[n]]
                items = [given[name] for name in names]
                result = (result, container(interp, dict, tuple(names), items, None))
            output, results = output_of(interp, result)
            mutated: dict[int, int] = {}
            for path, final in () if finals else self._finals(signature, given):
                number = next(k for k, source in enumerate(inputs) if source.path == path)
                if final is not parameters[number]:
                    mutated[number] = len(results)
                    results.append(final)
            after = interp.heap.contents  # behind a branch it is that of another heap
        self._refuse_writes(before, after)
        block = Block(tuple(parameters), inner.nodes, tuple(results))
        captured = [value for value in free_values(block) if value not in parameters]
        block = _closed(block, captured)
        inputs += [Input(("captured", k), "free") for k in range(len(captured))]
        name = getattr(function, "name", getattr(function, "__name__", "function"))
        return Graph(name, block, tuple(inputs), output, mutated, None, interp.span), captured

    def _result(self, function: Abstract, given: Keywords) -> Abstract:
        """What a call gives; None where it always raises."""
        try:
            arranged = spread_arguments(self.interp, self.parameters(function), given)
            return self.call(function, *arranged)
        except NeverReturns:
            if not self.interp.raises_here():
                raise
            return None

    def _content(self, value: Abstract) -> Any:
        """What a value holds now, in a form that tells whether it is written."""
        parts = self.parts(value)
        if parts is not None:
            return parts[0], parts[1], tuple(map(self._content, parts[2]))
        heap = self.interp.heap
        if isinstance(value, Array):
            return id(heap.read(value))
        return id(heap.get(value) if isinstance(value, ListRef) else value)

    def _finals(self, signature: Signature, given: Keywords) -> Iterator[tuple[Path, Value]]:
        """What the arrays among the arguments hold after the call."""
        pending: list[tuple[Path, Specification, Abstract]] = [
            ((name,), spec, given[name]) for name, spec in signature.parameters
        ]
        while pending:
            path, spec, value = pending.pop()
            if isinstance(spec, Nested):
                parts = self.parts(value)
                if parts is None or parts[1] != spec.keys:
                    continue  # a list that grew is its callee's own
                triples = zip(spec.keys, spec.items, parts[2], strict=True)
                pending += [((*path, key), item, part) for key, item, part in triples]
            elif isinstance(spec, ArrayType) and isinstance(value, Array):
                final = self.interp.heap.read(value)
                if final.type == spec:
                    yield path, final

    def _argument(
        self, spec: Specification, path: Path, inputs: list[Input], parameters: list[Value]
    ) -> Abstract:
        if isinstance(spec, Fixed):
            return spec.value
        if isinstance(spec, Nested):
            pairs = zip(spec.keys, spec.items, strict=True)
            items = [self._argument(item, (*path, key), inputs, parameters) for key, item in pairs]
            return container(self.interp, spec.type, spec.keys, items, None)
        assert isinstance(spec, ArrayType | ListType)
        value = Value(spec, None, str(path[0]) if len(path) == 1 else None)
        inputs.append(Input(path))
        parameters.append(value)
        return self._held_by_program(value)

    def _refuse_writes(self, before: dict[Any, Any], after: dict[Any, Any]) -> None:
        changed = [key for key, content in before.items() if after.get(key) is not content]
        if any(not _is_private(before[key], after.get(key)) for key in changed):
            raise self._writes_outside()

    @contextlib.contextmanager
    def _leaving_outside_alone(self, written: set[Any]) -> Iterator[None]:
        """Refuse variables and attributes that are set outside, and what is ``written`` there."""
        interp = self.interp
        with meanwhile(interp, rebound={}, attributes={}):
            yield
            if interp.rebound or interp.attributes or any(map(is_callers, written)):
                raise self._writes_outside()

    def _writes_outside(self) -> UnsupportedCallError:
        return UnsupportedCallError(
            "a function that is differentiated here changes what it does not own",
            self.interp.span,
            "let it return what it computes instead",
        )

    # Memory

    def shared(self, result: Abstract, given: Sequence[Abstract]) -> Shared:
        heap = self.interp.heap
        own = {
            place: number
            for number, value in enumerate(given)
            for _, location in self._locations(value, ())
            for place in heap.possible(location)
        }
        return [
            (path, own.get(place, place))
            for path, location in self._locations(result, ())
            for place in heap.possible(location)
        ]

    def related(self, result: Abstract, shared: Shared, given: Sequence[Abstract]) -> None:
        heap, made = self.interp.heap, dict(self._locations(result, ()))
        for path, other in shared:
            argument = self._locations(given[other], ()) if isinstance(other, int) else ()
            places = [place for _, place in argument] if isinstance(other, int) else [other]
            for place in places:
                if path in made and place in heap.contents:
                    heap.relate(made[path], place, in_the_memory_of(self.interp, place))

    def _locations(self, value: Abstract, path: Path) -> Iterator[tuple[Path, Any]]:
        """What can be written in place of a value, by where it stands in it."""
        if isinstance(value, Array):
            yield path, value.storage
        elif isinstance(value, ListRef | DictRef | ObjectRef):
            yield path, value
        parts = self.parts(value)
        for key, item in zip(*parts[1:], strict=True) if parts is not None else ():
            yield from self._locations(item, (*path, key))

    def inline(self, graph: Graph, arguments: Keywords, captured: Sequence[Value]) -> Abstract:
        return self.returned(graph.output, self.inlined(graph, arguments, captured))

    def inlined(self, graph: Graph, arguments: Keywords, captured: Sequence[Value]) -> list[Value]:
        paths = [given.path for given in graph.inputs if given.origin == "argument"]
        values = iter(self.leaves(arguments, paths))
        free = iter(captured)
        new = {
            parameter: next(values if source.origin == "argument" else free)
            for source, parameter in zip(graph.inputs, graph.block.parameters, strict=True)
        }
        before = builder().span
        settled(self.interp, graph.block.nodes)
        for node in graph.block.nodes:
            self._attempted(copy_into(node, new), node, new)
        builder().span = before
        if never_returns(graph.block):
            self.interp.leave(ERROR)
            raise NeverReturns
        return [new.get(v, v) for v in graph.block.results]

    def _attempted(self, copied: Node, node: Node, new: dict[Value, Value]) -> None:
        """Leave the statement where what was copied may raise what a ``try`` around catches."""
        interp = self.interp
        if not interp.regions:
            return
        if copied.blocks or copied.op in _RAISING:
            what = "a function that may raise in a loop or a branch, differentiated inside try"
            require_not_caught(interp, [copied], what, "let it return what tells")
            return
        builder().nodes.pop()
        if HOOKS.attempt(interp, copied):
            new.update(zip(node.results, copied.results, strict=True))
        else:
            builder().nodes.append(copied)

    def leaves(self, arguments: Keywords, paths: Sequence[Path]) -> list[Value]:
        return [self._at(arguments, path) for path in paths]

    def _at(self, arguments: Keywords, path: Path) -> Value:
        value: Abstract = arguments[path[0]]
        for key in path[1:]:
            parts = self.parts(value)
            if parts is None or key not in parts[1]:
                raise SignatureError(
                    f"{path[0]} has not the structure of what it belongs to",
                    hint="give the same containers, with zeros for what is not differentiated",
                )
            value = parts[2][parts[1].index(key)]
        if isinstance(value, ListRef):
            content: Value = self.interp.heap.get(value)
            return content
        if value is None:
            raise SignatureError(
                f"a part of {path[0]} is None", hint="give zeros for what is not differentiated"
            )
        return self.interp.lift(value)

    def returned(self, structure: Structure, values: Sequence[Value]) -> Abstract:
        return unflatten(self.interp, structure, lambda k: self._held_by_program(values[k]))

    def _held_by_program(self, value: Value) -> Abstract:
        """What the program holds for an IR value: a new array or list, or the number itself."""
        if not isinstance(value.type, ListType):
            return self.interp.wrap(value)
        made = ListRef()
        self.interp.heap.set(made, value)
        return made


def _mapped_values(stager: Stager, value: Abstract, change: Callable[[Value], Value]) -> Abstract:
    """The abstract value with each number and array in it changed."""
    if isinstance(value, Value):
        return change(value)
    if isinstance(value, Array):
        changed = change(stager.interp.heap.read(value))
        return with_other_derivative(stager.interp, value, changed)
    return stager._mapped(value, lambda item: _mapped_values(stager, item, change))


def _decides(type_: Type) -> bool:
    """Return whether structure may depend on a value: it then stands inside for what it is
    outside.
    """
    return isinstance(type_, ArrayType) and type_.weak and type_.dtype.kind in "ib"


def _is_private(before: Any, after: Any) -> bool:
    """Return whether a content only came to be known better: a lazily read array, for one."""
    return type(before) is type(after) and before == after


def _closed(block: Block, captured: Sequence[Value]) -> Block:
    """The block with parameters in place of what it captures."""
    if not captured:
        return block
    new = {value: Value(value.type, None, value.name, value.role) for value in captured}
    mapping: dict[Value, Value] = dict(new)
    copied = copy_block(block, mapping)
    return Block((*copied.parameters, *new.values()), copied.nodes, copied.results)


def _without(signature: inspect.Signature, count: int) -> inspect.Signature:
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return signature
    return signature.replace(parameters=parameters[count:])


# Recognising symdiff's own ------------------------------------------------------------------------


def _call_callable(
    interp: Interpreter, function: StagedCallable, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    return function.call(Stager(interp), arguments, keywords)


CALLABLES[StagedCallable] = _call_callable


HOOKS.stager = Stager
