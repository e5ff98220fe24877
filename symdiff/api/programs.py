"""What was compiled for a function, for all of its transforms.

A ``Home`` belongs to a function for as long as that lives and holds no reference to it, so that
derivatives of short-lived functions go with them.
"""

from __future__ import annotations

import builtins
import copy
import functools
import operator
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from symdiff import pipeline
from symdiff.api import anew
from symdiff.api.anew import Primal, keep, reused
from symdiff.api.asking import AskedBy
from symdiff.api.memory import memory_of
from symdiff.api.transforms import Functional, transform_of
from symdiff.api.unruled import require_rule, unruled_results
from symdiff.api.wrt import Asked, asked_for
from symdiff.differentiate.linear import has_contexts
from symdiff.differentiate.switches import CHECKING
from symdiff.emit import Emitted, load_printer
from symdiff.errors import CertainError, InternalError, SymdiffError, UnsupportedCallError
from symdiff.inspection.built import Built, Part, known_sizes
from symdiff.inspection.formula import is_of_numbers, is_small
from symdiff.inspection.source import Source
from symdiff.ir.attributes import opened
from symdiff.ir.graph import FreeVariable, Graph, walk_nodes
from symdiff.ir.record import Record, recording
from symdiff.ir.signature import Aspect, Path, Signature, objects_in
from symdiff.ir.structure import Container, Leaf, Static, Structure, of_tuple
from symdiff.ir.types import Type
from symdiff.ir.verify import is_asked_for
from symdiff.ops.effects import changes_one_of, changes_what_is_named
from symdiff.parse import Marks
from symdiff.pipeline import (
    Arguments,
    Chain,
    Derived,
    Followed,
    Pair,
    Program,
    Transform,
)
from symdiff.runtime.blame import explainer
from symdiff.runtime.calling import (
    arrays_kept,
    call_with,
    follow,
    telling_of_floats,
    telling_of_types,
)
from symdiff.runtime.dispatch import Dispatcher, Entry
from symdiff.runtime.entry import MISS, Target, build_entry, entry_when_asked
from symdiff.runtime.facts import Facts, facts_of
from symdiff.runtime.modes import CHANGES
from symdiff.runtime.parameters import Parameters, parameters_of
from symdiff.runtime.saved import (
    Backward,
    Linear,
    Saved,
    Tangents,
    is_number,
    leaf_shapes,
    shape_in,
)
from symdiff.runtime.signature import TypeText, signature_of
from symdiff.runtime.verify import observer
from symdiff.runtime.watching import Watched, watched
from symdiff.tracing.graphs import entries, recorded, returning_record
from symdiff.tracing.trace import Trace

if TYPE_CHECKING:
    from symdiff.graphs import ComputationGraph

_MOST_STAGED = 8  # graphs of one function that are kept, for its transforms
_ELSEWHERE = "compute it outside, or in a function marked symdiff.nondifferentiable"
Transforms = tuple[Transform, ...]
Steps = tuple[tuple[Any, ...], ...]
Asking = tuple[Marks | None, bool, frozenset[Path]]
Compiled = tuple[Entry, Signature, Facts]
Running = tuple[Callable[..., Any], tuple[Path, ...], Emitted]  # with what it is given
Shown = tuple[tuple[Emitted, ...], Signature]  # texts, and what they were compiled for
Formula = Callable[[str, Sequence[str], Any], str | None]


class Home:
    """The dispatchers of one function, made when first asked for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = _reference(function)
        self._parameters: Parameters | None = None
        self._declared: tuple[Any, ...] = ()
        self._dispatchers: dict[Any, Dispatcher] = {}
        self._lock = threading.RLock()
        self._quick: dict[Steps, tuple[Dispatcher, int]] = {}
        self._exact = False
        self._staged: list[tuple[Callable[[], Entry], Followed, Asking]] = []
        self._primals: list[tuple[Graph, Running]] = []
        self._shown: dict[tuple[Sequence[Transform], bool], Shown] = {}

    @property
    def function(self) -> Callable[..., Any]:
        function = self._function()
        assert function is not None  # whoever asks holds it
        return function  # type: ignore[no-any-return]

    @property
    def parameters(self) -> Parameters:
        """The parameters that the function has now: its code and its defaults may be replaced."""
        function, known = self.function, self._parameters
        declared = _declared(function)
        if known is not None and _are_the_same(declared, self._declared):
            return known
        with self._lock:
            self._parameters = known = parameters_of(function)
            self._declared = declared
            self._forget()
        return known

    def require_exact(self) -> None:
        """Compute numbers as NumPy does, to the bit, in all programs from here on."""
        with self._lock:
            self._exact = True
            self._forget()

    @property
    def is_exact(self) -> bool:
        """True if ``require_exact`` was called."""
        return self._exact

    def _forget(self) -> None:
        self._dispatchers.clear()
        self._quick.clear()
        self._shown.clear()

    def quick(self, steps: Steps, name: str) -> tuple[Dispatcher, int]:
        """What runs the function after these steps, and with how many arguments a call is
        canonical.
        """
        found = self._quick.get(steps)
        if found is None:
            transforms = tuple(map(transform_of, steps))
            arity = self.chain(transforms).parameters[-1].arity
            found = self._quick[steps] = self.dispatcher(transforms, name), arity
        return found

    def chain(self, transforms: Sequence[Transform]) -> Chain:
        """The function under transforms."""
        return Chain.of(self.function, self.parameters, transforms)

    @property
    def name(self) -> str:
        """The function's name, as it is emitted."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        if name == "<lambda>":
            return "function"
        return f"{name}_" if hasattr(builtins, name) else name

    # What runs

    def dispatcher(self, transforms: Transforms, name: str) -> Dispatcher:
        """What runs the function under transforms."""
        return self._dispatcher(("run", transforms), transforms, name, self._compiled)

    def pairs(self, transforms: Transforms, name: str, skip: int) -> Dispatcher:
        """What runs the forward part and gives ``(value, saved)``; ``skip`` arguments have no
        entry.
        """

        compiled = functools.partial(self._compiled_pair, skip=skip)
        return self._dispatcher(("pair", transforms, skip), transforms, name, compiled)

    def linear(self, transforms: Transforms, name: str, skip: int) -> Dispatcher:
        """What runs the forward part and gives ``(value, linear function)``."""
        compiled = functools.partial(self._compiled_linear, skip=skip)
        return self._dispatcher(("linear", transforms, skip), transforms, name, compiled)

    def traced(self, transforms: Transforms, name: str, skip: int) -> Dispatcher:
        """What runs the forward part and gives a ``Trace``."""
        compiled = functools.partial(self._compiled_trace, skip=skip)
        return self._dispatcher(("trace", transforms, skip), transforms, name, compiled)

    def on_graphs(
        self,
        key: str,
        transforms: Transforms,
        name: str,
        run: Callable[[Derived], Callable[..., Any]],
    ) -> Dispatcher:
        """What calls, in the place of a program, what is made of a graph: with the values of its
        inputs.
        """

        def compiled(chain: Chain, name: str, arguments: Arguments) -> Compiled:
            derived = self._derived(chain, arguments)
            target = Target(run(derived), tuple(known.path for known in derived.graph.inputs))
            return _compiled(derived, arguments, target)

        return self._dispatcher((key, transforms), transforms, name, compiled)

    def _dispatcher(
        self,
        key: Any,
        transforms: Transforms,
        name: str,
        compiled: Callable[[Chain, str, Arguments], Compiled],
    ) -> Dispatcher:
        def made(arguments: Arguments) -> Compiled:
            return compiled(self.chain(transforms), name, arguments)

        def made_with_checks(arguments: Arguments) -> Compiled:
            with CHECKING.turned():
                return made(arguments)

        def normalise(arguments: Arguments) -> Arguments:
            return self.chain(transforms).normalise(arguments)

        def checked() -> Dispatcher:
            return self._known(
                ("checked", key), lambda: Dispatcher(name, made_with_checks, normalise, self._lock)
            )

        return self._known(key, lambda: Dispatcher(name, made, normalise, self._lock, checked))

    def _known(self, key: Any, make: Callable[[], Dispatcher]) -> Dispatcher:
        with self._lock:
            if key not in self._dispatchers:
                self._dispatchers[key] = make()
            return self._dispatchers[key]

    def _compiled(self, chain: Chain, name: str, arguments: Arguments) -> Compiled:
        asked = chain.transforms, name, self._exact, CHECKING.is_on(), is_asked_for()

        def observed(primal: Primal) -> Callable[..., None]:
            return self._observed(chain, primal)

        found = reused(self.function, asked, arguments, observed)
        if found is None:
            derived = self._derived(chain, arguments)
            program = pipeline.build(derived, name, exact=self._exact)
            primal = self._primal(derived)
            target = self._target(chain, program, program.function, primal)
            remembering = self._remembering(chain, derived, arguments, target)
            found = anew.Compiled(*_compiled(derived, arguments, remembering), program.emitted)
            if remembering is target:
                keep(self.function, asked, found, program, target, primal)
        self._shown[chain.transforms, False] = (found.emitted,), found.signature
        return found.entry, found.signature, found.facts

    def _compiled_pair(self, chain: Chain, name: str, arguments: Arguments, skip: int) -> Compiled:
        derived = self._derived(chain, arguments, _all_opened(chain, arguments, skip))
        asked, shaped = _everything(derived, chain, skip)
        derived = replace(derived, graph=asked.graph)
        pair = pipeline.build_pair(derived, name, asked.wrt, shaped)
        backward = _backward(name, pair.function, pair.order, pair.seeded, asked)
        texts = pair.forward.emitted, pair.backward
        self._shown[chain.transforms, True] = texts, derived.signature
        run = _forward_run(pair, backward)
        target = self._target(chain, pair.forward, run, self._primal(pair.forward.derived))
        target = self._remembering(chain, derived, arguments, target, skip)
        return _compiled(derived, arguments, target)

    def _compiled_linear(
        self, chain: Chain, name: str, arguments: Arguments, skip: int
    ) -> Compiled:
        derived = self._derived(chain, arguments, _all_opened(chain, arguments, skip))
        asked, shaped = _everything(derived, chain, skip)
        assert isinstance(shaped, Container)
        require_rule(asked.graph, asked.wrt)
        derived = replace(derived, graph=asked.graph)
        pair = pipeline.build_linear(derived, name, asked.wrt)
        given = tuple(asked.graph.block.parameters[number].type for number in asked.wrt)

        @functools.cache
        def transposed() -> Backward:
            made = pipeline.build_transposed(derived, name, pair, len(asked.wrt), shaped)
            return _backward(name, *made, pair.seeded, asked)

        quiet = has_contexts(asked.graph.block)
        tangents = Tangents(name, pair.function, pair.order, shaped, given, transposed, quiet)
        along = tuple(asked.graph.inputs[number].path for number in asked.wrt)
        run = _linear_run(pair, tangents, asked.graph)
        target = self._target(chain, pair.forward, run, self._primal(pair.forward.derived))
        target = replace(target, paths=(*target.paths, *along))
        target = self._remembering(chain, derived, arguments, target, skip)
        return _compiled(derived, arguments, target)

    def _compiled_trace(self, chain: Chain, name: str, arguments: Arguments, skip: int) -> Compiled:
        derived = self._derived(chain, arguments, _all_opened(chain, arguments, skip))
        asked, shaped = _everything(derived, chain, skip)
        graph, count = asked.graph, len(asked.wrt)
        pair = pipeline.build_pair(
            replace(derived, graph=returning_record(graph)),
            name,
            asked.wrt,
            of_tuple((shaped, Leaf(count))),
            recorded,
        )
        backward = _backward(name, pair.function, pair.order, pair.seeded, asked)
        run = _traced_run(pair, backward, entries(graph), derived.staged.closed)
        target = self._target(chain, pair.forward, run, self._primal(pair.forward.derived))
        target = self._remembering(chain, derived, arguments, target, skip)
        return _compiled(derived, arguments, target)

    def _target(
        self, chain: Chain, program: Program, run: Callable[..., Any], primal: Primal | None
    ) -> Target:
        explain = explainer(program.function, program.emitted.lines, self.name)
        derived = program.derived
        return Target(
            run,
            program.paths,
            None if primal is None else self._observed(chain, primal),
            explain,
            derived.written,
            derived.added,
        )

    def _remembering(
        self,
        chain: Chain,
        derived: Derived,
        arguments: Arguments,
        target: Target,
        skip: int | None = None,
    ) -> Target:
        """The target with what remembers, after a run, what it leaves outside, and tells before
        one where it reads what another has left.

        ``skip`` is a number where the program is the forward part of a derivative by all
        arguments but the first.
        """
        asked, transforms = AskedBy(chain, arguments, derived.inner), chain.transforms
        constant = set(self.parameters.names[: skip or 0])

        def differentiates(path: Path) -> bool:
            return path[0] not in constant and asked.differentiates(path)

        memory = memory_of(
            self.function,
            self,
            derived,
            chain.levels(arguments)[0],
            differentiates,
            reads=skip is not None or not asked.by_all,
            writes=not any(isinstance(transform, Functional) for transform in transforms),
        )
        if memory is None:
            return target
        known, observe = memory, target.observe

        def own(given: Arguments) -> Arguments:
            return self.chain(transforms).levels(given)[0]

        def tell(*given: Any) -> None:
            known.tell(own(given))
            if observe is not None:
                observe(*given)

        def remember(*given: Any) -> None:
            known.remember(own(given))

        return replace(
            target,
            observe=tell if memory.read else observe,
            remember=remember if memory.left else None,
        )

    def forget(self) -> None:
        """Make all programs anew at the next calls."""
        for dispatcher in tuple(self._dispatchers.values()):
            dispatcher.forget()

    def _derived(
        self, chain: Chain, arguments: Arguments, ids: frozenset[int] | None = None
    ) -> Derived:
        ids = chain.opened(arguments) if ids is None else ids
        try:
            return pipeline.derive(chain, arguments, self._followed(chain, arguments, ids), ids)
        except CertainError as error:
            known = error
        self._raise_as_the_function(chain, arguments, known)

    def _followed(self, chain: Chain, arguments: Arguments, ids: frozenset[int]) -> Followed:
        """The function's own graph, of which several transforms are asked for one after another."""
        own, names = chain.levels(arguments)[0], self.parameters.names
        by = objects_in(signature_of(names, own, ids)) if ids else frozenset()
        asked = chain.marks, chain.at_end, by
        for fits, known, before in reversed(self._staged):
            if before == asked and fits()(*own) is not MISS:
                return known
        load_printer()
        found = pipeline.followed(self.function, names, own, *asked[:2], ids)
        target = Target(lambda: None, (), written=found.written)
        fits = entry_when_asked(found.signature, found.checks, own, target)
        self._staged.append((fits, found, asked))
        del self._staged[:-_MOST_STAGED]
        return found

    def _raise_as_the_function(
        self, chain: Chain, arguments: Arguments, error: CertainError
    ) -> NoReturn:
        """The function certainly raises for these arguments: let it, so that its own lines are
        shown, and what it writes before stays written; but no array that is passed.
        """
        given = chain.levels(arguments)[0]
        if any(isinstance(transform, Functional) for transform in chain.transforms):
            given = copy.deepcopy(given)
        asked_for = chain.asked_for(arguments)
        floats = {
            name: value
            for name, value in zip(self.parameters.names, given, strict=False)
            if type(value) is float and any(value is other for other in asked_for)
        }
        with arrays_kept(given), telling_of_types(given), telling_of_floats(floats):
            call_with(self.function, self.parameters, given)
        if error.untaken is not None:
            raise UnsupportedCallError(error.untaken, error.span, _ELSEWHERE)
        raise InternalError(f"{error.message}; but it does not", error.span) from error

    # Verification

    def _primal(self, derived: Derived) -> Primal | None:
        """Where verification is asked for: the function itself, emitted, to run beside it."""
        if not is_asked_for() or not _is_comparable(derived):
            return None
        function, paths, emitted = self._emitted_primal(derived)
        return Primal(function, paths, emitted, _variables(derived, paths))

    def _emitted_primal(self, derived: Derived) -> Running:
        """The program of the function's own graph, which several transforms have in common."""
        for graph, known in reversed(self._primals):
            if graph is derived.primal:
                return known
        program = pipeline.build_primal(derived, self.name)
        made = program.function, program.paths, program.emitted
        self._primals.append((derived.primal, made))
        del self._primals[:-_MOST_STAGED]
        return made

    def _observed(self, chain: Chain, primal: Primal) -> Callable[..., None]:
        """What compares the emitted primal with the function before each run."""
        parameters, transforms = self.parameters, chain.transforms
        names = list(parameters.names)

        def emitted(arguments: Arguments) -> Any:
            values = (follow(path, names, arguments) for path in primal.paths)
            return primal.function(*values)

        def run(arguments: Arguments) -> Any:
            return call_with(self.function, parameters, arguments)

        observe = observer(self.name, run, emitted, primal.emitted.text, primal.variables)
        return lambda *arguments: observe(self.chain(transforms).levels(arguments)[0])

    # What is shown

    def derive(self, transforms: Transforms, arguments: Arguments) -> Derived:
        """The graph for a call, or for types as text."""
        return self.described(transforms, arguments)[0]

    def built(self, transforms: Transforms, name: str, arguments: Arguments) -> Built:
        """The program for a call, as it is looked at."""
        with recording() as record:
            derived = self.derive(transforms, arguments)
            program = pipeline.build(derived, name, exact=self._exact)
            part = Part(program.emitted, program.graph)
        return self._built(name, derived.signature, (part,), arguments, record)

    def described(
        self, transforms: Transforms, arguments: Arguments, skip: int | None = None
    ) -> tuple[Derived, Arguments]:
        """The graph for a call, and the call in the types that it is compiled for; as a pair is
        made of it where ``skip`` is given.
        """
        chain = self.chain(transforms)
        normal = chain.normalise(arguments)
        ids = None if skip is None else _all_opened(chain, normal, skip)
        return pipeline.derive(chain, normal, ids=ids), normal

    def built_pair(
        self, transforms: Transforms, name: str, arguments: Arguments, skip: int
    ) -> Built:
        """The forward and the backward program for a call, as they are looked at."""
        with recording() as record:
            derived = self.described(transforms, arguments, skip)[0]
            asked, shaped = _everything(derived, self.chain(transforms), skip)
            derived = replace(derived, graph=asked.graph)
            pair = pipeline.build_pair(derived, name, asked.wrt, shaped)
            forward = Part(pair.forward.emitted, pair.forward.graph)
            parts = forward, Part(pair.backward, pair.backward_graph)
        return self._built(name, derived.signature, parts, arguments, record)

    def _built(
        self,
        name: str,
        signature: Signature,
        parts: tuple[Part, ...],
        arguments: Arguments,
        record: Record,
    ) -> Built:
        sizes = known_sizes(signature, arguments)
        return Built(name, self.function, signature, parts, sizes, record)

    def latest(self, transforms: Transforms, pair: bool = False) -> Source | None:
        """The text of the program that was compiled last under transforms, if there is one."""
        shown = self._shown.get((transforms, pair))
        return None if shown is None else Source.of(shown[0], self.function)

    def formula(
        self, transforms: Transforms, name: str, closed: Callable[..., Any], write: Formula
    ) -> str | None:
        """What ``write`` makes of the closed form for floats; None where that is not small.

        None, too, where what was compiled last is a program of arrays.
        """
        names = self.chain(transforms).parameters[-1].names
        latest = [self._shown.get((transforms, pair)) for pair in (False, True)]
        if not all(shown is None or is_of_numbers(shown[1]) for shown in latest):
            return None
        try:
            if not is_small(self.derive(transforms, (TypeText("float"),) * len(names)).graph):
                return None
            return write(name, names, closed(*("float" for _ in names)))
        except (SymdiffError, NotImplementedError):  # no closed form
            return None

    def graph(self, transforms: Transforms, arguments: Arguments) -> ComputationGraph:
        """The user's view of the function's graph for a call."""
        from symdiff.api.viewing import viewed

        chain = self.chain(transforms)
        arguments = chain.normalise(arguments)
        return viewed(chain, arguments, pipeline.derive(chain, arguments))

    def signatures(self) -> list[str]:
        """A line for each program."""
        return [line for made in self._dispatchers.values() for line in made.lines()]


def _declared(function: Any) -> tuple[Any, ...]:
    """What the parameters of a function come from."""
    if type(function) is types.FunctionType and not function.__kwdefaults__:
        return function.__code__, function.__defaults__
    if isinstance(function, functools.partial):
        given = function.keywords
        return (*_declared(function.func), *function.args, *given, *given.values())
    code = getattr(function, "__code__", None)
    if code is None:
        return ()
    named = getattr(function, "__kwdefaults__", None) or {}
    return (code, function.__defaults__, *named, *named.values())


def _are_the_same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


def _compiled(derived: Derived, arguments: Arguments, target: Target) -> Compiled:
    entry = build_entry(derived.signature, derived.checks, arguments, target)
    return entry, derived.signature, facts_of(derived.checks)


def _is_comparable(derived: Derived) -> bool:
    """Return whether running the function twice does no harm, and what it computes is defined to
    the bit: derivatives that are taken inside it are not, nor is whether a copy is what stands
    outside, nor what a call leaves of an array that it may overwrite.
    """
    if any(_is_free(path) != _is_free(other) for path, other in _one_objects(derived)):
        return False
    primal = derived.primal
    pairs = zip(primal.block.parameters, primal.inputs, strict=True)
    copied = {parameter for parameter, source in pairs if source.origin == "argument"}
    return not any(
        (node.op.effect and not (changes_one_of(node, copied) or changes_what_is_named(node)))
        or any(value.role != "primal" for value in node.results)
        or node.attributes.get("spares")
        for node in walk_nodes(primal.block)
    )


def _one_objects(derived: Derived) -> Iterator[tuple[Path, Path]]:
    """The paths at which one object stands, as far as the program rests on it."""
    for check in derived.checks:
        if check.kind == "same":
            yield check.path, check.expected
    for path, answer in derived.signature.static:
        end = path[-1]
        if isinstance(end, Aspect) and end.kind == "is" and answer:
            yield path, end.of


def _variables(derived: Derived, paths: Iterable[Path]) -> tuple[FreeVariable, ...]:
    """The variables outside the function that it reads or writes."""
    read = (*(check.path for check in derived.checks), *paths)
    return tuple(dict.fromkeys(path[0] for path in read if _is_free(path)))


def _is_free(path: Path) -> bool:
    return isinstance(path[0], FreeVariable)


_NO_KEYWORDS = Container(dict, (), ())


def _everything(derived: Derived, chain: Chain, skip: int) -> tuple[Asked, Structure]:
    frozen = chain.marks.frozen if chain.marks is not None else ()
    return everything(derived.graph, derived.signature, chain.parameters[-1], skip, frozen)


def _all_opened(chain: Chain, arguments: Arguments, skip: int) -> frozenset[int]:
    """The ids of all objects among the arguments that have a cotangent, or that one is along."""
    frozen = chain.marks.frozen if chain.marks is not None else ()
    named = zip(chain.parameters[-1].names, arguments, strict=True)
    given = [value for number, (name, value) in enumerate(named) if name not in frozen]
    return chain.opened(arguments) | opened(given[skip:])


def everything(
    graph: Graph,
    signature: Signature,
    parameters: Parameters,
    skip: int,
    frozen: Sequence[str] = (),
) -> tuple[Asked, Structure]:
    """All numbers among the arguments, and the structure of their cotangents: one entry an
    argument, None for those that are frozen.

    The first ``skip`` arguments have no entry.
    """
    names = [name for name, _ in signature.parameters]
    asked = asked_for(graph, signature, [(name,) for name in names if name not in frozen])
    known = iter(asked.structures)
    structures = [Static(None) if name in frozen else next(known) for name in names]
    entries: list[Structure] = []
    pairs = zip(parameters.signature.parameters.values(), structures, strict=False)
    for parameter, structure in pairs:
        if parameter.kind is parameter.VAR_POSITIONAL and isinstance(structure, Container):
            entries.extend(structure.items)
        elif parameter.kind is not parameter.VAR_KEYWORD or structure != _NO_KEYWORDS:
            entries.append(structure)
    return asked, of_tuple(entries[skip:])


def _backward(
    name: str,
    function: Callable[..., Any],
    order: tuple[int, ...],
    seeded: tuple[int, ...],
    asked: Asked,
) -> Backward:
    """A loaded program from cotangents of what a graph returns to those of its inputs asked for."""
    graph = asked.graph
    types = tuple(value.type for value in graph.block.results)
    unruled = unruled_results(graph, asked.wrt)
    alone = isinstance(graph.output, Leaf) and seeded == (graph.output.index,)
    by_number = alone and not unruled and is_number(types[seeded[0]])
    return Backward(name, function, order, graph.output, types, seeded, unruled, by_number)


def _forward_run(pair: Pair, backward: Backward) -> Callable[..., Any]:
    forward = pair.forward.function
    if isinstance(backward.output, Leaf):

        def run_single(*values: Any) -> Any:
            result, saved = forward(*values)
            shapes = (getattr(result, "shape", ()),)
            return result, Saved(saved, shapes, backward, _watched(pair, saved, values))

        return run_single

    def run(*values: Any) -> Any:
        result, saved = forward(*values)
        return result, _saved(pair, backward, result, saved, values)

    return run


def _linear_run(pair: Pair, tangents: Tangents, graph: Graph) -> Callable[..., Any]:
    """What runs the forward part; behind its values it is given those that have a tangent."""
    forward, count = pair.forward.function, len(pair.forward.paths)

    def run(*values: Any) -> Any:
        given, along = values[:count], values[count:]
        result, saved = forward(*given)
        shapes = tuple(map(shape_in, along, tangents.types))
        types = [value.type for value in graph.block.results]
        returned = _shapes_of(graph.output, types, result)
        return result, Linear(tangents, saved, shapes, returned, _watched(pair, saved, given))

    return run


def _traced_run(
    pair: Pair, backward: Backward, leaves: int, closed: tuple[str, ...]
) -> Callable[..., Any]:
    forward = pair.forward.function
    text = f"{pair.forward.emitted.text}\n\n{pair.backward.text}"

    def run(*values: Any) -> Any:
        (result, record), saved = forward(*values)
        kept = _saved(pair, backward, result, saved, values)
        return Trace(backward.name, result, record, kept, leaves, text, closed)

    return run


def _saved(
    pair: Pair, backward: Backward, result: Any, saved: tuple[Any, ...], values: Sequence[Any]
) -> Saved:
    shapes = _shapes_of(backward.output, backward.types, result)
    return Saved(saved, shapes, backward, _watched(pair, saved, values))


def _shapes_of(
    output: Structure, types: Sequence[Type], result: Any
) -> tuple[tuple[int, ...] | None, ...]:
    """The shapes of what stands at the leaves of a result, by their numbers; None where it has
    another structure.
    """
    found: dict[int, tuple[int, ...]] = {}
    leaf_shapes(output, result, types, found)
    return tuple(map(found.get, range(len(types))))


def _watched(pair: Pair, saved: tuple[Any, ...], values: Sequence[Any]) -> tuple[Watched, ...]:
    """Where it is asked for, what was saved as it is now."""
    if not CHANGES.is_on():
        return ()
    return watched(pair.origins, saved, pair.forward.paths, values)


_homes: weakref.WeakKeyDictionary[Any, Home] = weakref.WeakKeyDictionary()
_lasting: dict[Any, Home] = {}  # of what takes no weak references: NumPy's functions, which stay
_lock = threading.Lock()


def home_of(function: Callable[..., Any]) -> Home:
    """The home of a function; the same as long as the function lives."""
    homes: MutableMapping[Any, Home] = _homes if _takes_references(function) else _lasting
    with _lock:
        found = homes.get(function)
        if found is None:
            found = homes[function] = Home(function)
    return found


def _takes_references(function: Callable[..., Any]) -> bool:
    offset: int = getattr(type(function), "__weakrefoffset__", 0)
    return isinstance(function, types.FunctionType) or offset != 0


def _reference(function: Callable[..., Any]) -> Callable[[], Any]:
    return weakref.ref(function) if _takes_references(function) else lambda: function
